//! Lists of records: which rows of which lanes, and the order between lanes.
//!
//! The rows of one lane are numbered as they are. Those of several are merged by their positions on the x axis. To find row
//! 30,000,000 of a merge without merging everything before it, pieces bound how many rows lie before a position:
//!
//! ```text
//! lane 0   | 0      | 4096      | 8192   |          rows before each piece
//! lane 1      | 0        | 4096    | 8000    |
//!                       ^ x: at least 4096 + 0, at most 8192 + 4096 rows lie before
//! ```
//!
//! Only the pieces around the row are read and merged. That is little for a few lanes. More than [`MOST_LANES`], or lanes in
//! which nothing tells positions apart, are listed one after the other instead.

use std::ops::Range as Numbers;

use unspool_formats::records::{Row, Rows};
use unspool_formats::{FieldValue, Locator, Record, TrackId, Visitor};

use super::picked::Picked;
use super::{AHEAD, BYTES, Origin, ROWS, RecordReader, STEP, Scope, VALUES, unreadable};
use crate::report::TraceErrorOut;

/// Lanes that are merged at most.
const MOST_LANES: usize = 64;
/// Pieces that may begin at the same position in a merge.
const MOST_AT_ONCE: usize = 256;

/// Records at one position among which [`RecordReader::at`] chooses.
const MOST_AT_POSITION: u32 = 64;

/// Rows of a lane.
#[derive(Clone, Debug)]
struct Part {
    lane: u32,
    rows: Numbers<u64>,
    /// Which of them, if not all.
    picked: Option<Picked>,
}

impl Part {
    fn len(&self) -> u64 {
        self.before(self.rows.end)
    }

    /// Number of rows of the part before a row of the lane.
    fn before(&self, row: u64) -> u64 {
        match &self.picked {
            Some(picked) => picked.rank(row),
            None => row.clamp(self.rows.start, self.rows.end) - self.rows.start,
        }
    }
}

/// A list of records. It is complete when [`RecordReader::advance`](super::RecordReader::advance) says so.
#[derive(Clone, Debug, Default)]
pub struct List {
    parts: Vec<Part>,
    rows: u64,
    /// Positions at which pieces begin, if the parts are merged by them. Else they come one after the other.
    begins: Option<Vec<u64>>,
    /// What is still to be picked.
    scope: Option<Scope>,
    /// Number of rows of the lane that have been looked at, and how many there are.
    done: (u64, u64),
    /// The part of the merge that was asked for last.
    merged: Merged,
}

/// Consecutive rows of a merge of several lanes.
#[derive(Clone, Debug, Default)]
struct Merged {
    /// Number of the first row.
    first: u64,
    /// Position, index of the part, and row in its lane.
    rows: Vec<(u64, u32, u64)>,
}

impl List {
    /// Number of records found so far.
    pub fn len(&self) -> u64 {
        self.rows
    }

    /// Whether there is none so far.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// How far the list is: rows looked at, and how many there are to look at.
    pub fn progress(&self) -> (u64, u64) {
        self.done
    }

    /// Whether records are in the order of their positions on the x axis, or those of each track in turn.
    pub fn is_in_order(&self) -> bool {
        self.parts.len() < 2 || self.begins.is_some()
    }
}

impl RecordReader {
    /// Begins a list. If its records are known by their order, it is complete at once. Otherwise
    /// [`RecordReader::advance`] looks at every record.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn list(&mut self, scope: &Scope) -> Result<List, TraceErrorOut> {
        let mut list = List::default();
        for lane in 0..self.lanes.len() as u32 {
            let Some(of_lane) = self.lanes.get(lane as usize) else { continue };
            let (all, is_sorted) = (of_lane.rows, of_lane.sorted);
            let is_mixed = scope.tracks.is_some() && of_lane.track.is_none();
            let is_other = of_lane.track.zip(scope.tracks.as_ref()).is_some_and(|(track, of)| !of.contains(&track));
            if is_other {
                continue;
            }
            let rows = match &scope.range {
                Some(range) if is_sorted => self.rows_between(lane, range)?,
                _ => 0..all,
            };
            if rows.is_empty() {
                continue;
            }
            let must_look = is_mixed || scope.range.is_some() && !is_sorted;
            let picked = must_look.then(|| Picked::new(all));
            if must_look {
                list.scope = Some(scope.clone());
                list.done.1 += rows.end - rows.start;
            }
            list.parts.push(Part { lane, rows, picked });
        }
        list.rows = list.parts.iter().filter(|part| part.picked.is_none()).map(Part::len).sum();
        list.begins = self.begins(&list);
        Ok(list)
    }

    /// The record at a position, with its fields: preferably one of `track`. `None` if there is none, or if only a look at every
    /// record would tell.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn at(&mut self, x: u64, track: Option<TrackId>) -> Result<Option<Row>, TraceErrorOut> {
        let mut list = self.list(&Scope { range: Some(x..x.saturating_add(1)), tracks: None })?;
        if list.scope.is_some() {
            return Ok(None);
        }
        let mut rows = self.rows_of(&mut list, 0, MOST_AT_POSITION)?;
        let preferred = rows.iter().position(|row| Some(row.track) == track).unwrap_or(0);
        Ok((preferred < rows.len()).then(|| rows.swap_remove(preferred)))
    }

    /// Looks at more records, if the list needs it. Returns whether the list is complete.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn advance(&mut self, list: &mut List) -> Result<bool, TraceErrorOut> {
        let Some(scope) = list.scope.clone() else { return Ok(true) };
        // Only files with one lane have records that must be looked at.
        let Some(part) = list.parts.first_mut() else { return Ok(true) };
        let at = part.rows.start + list.done.0;
        let pieces = self.lanes.get(part.lane as usize).map(|lane| lane.pieces.as_slice()).unwrap_or_default();
        let i = pieces.partition_point(|piece| piece.row <= at).saturating_sub(1);
        let end = match pieces.get(i + STEP as usize) {
            Some(next) => next.row.min(part.rows.end),
            None if pieces.is_empty() => (at + ROWS).min(part.rows.end),
            None => part.rows.end,
        };
        if let Some(picked) = &mut part.picked {
            let lane = part.lane;
            let mut pick = Pick { picked, scope: &scope, lane, rows: at..end };
            self.visit_ahead(lane, at..end, AHEAD, &mut pick)?;
        }
        list.done.0 = end - part.rows.start;
        if end < part.rows.end {
            return Ok(false);
        }
        if let Some(picked) = &mut part.picked {
            picked.finish();
        }
        list.scope = None;
        list.rows = list.parts.iter().map(Part::len).sum();
        Ok(true)
    }

    /// The piece of the file at which [`RecordReader::advance`] continues, and how many pieces there are. Both are 0 for a
    /// database.
    pub fn reached(&self, list: &List) -> (u64, u64) {
        let of = self.pieces();
        let Some(part) = list.parts.first() else { return (0, of) };
        let Some(lane) = self.lanes.get(part.lane as usize) else { return (0, of) };
        let at = part.rows.start + list.done.0;
        let i = lane.pieces.partition_point(|piece| piece.row <= at).saturating_sub(1);
        (lane.pieces.get(i).map_or(0, |piece| piece.number.into()), of)
    }

    /// Rows of a complete list with their fields: `count` from number `first` on, fewer at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn rows_of(&mut self, list: &mut List, first: u64, count: u32) -> Result<Vec<Row>, TraceErrorOut> {
        let end = first.saturating_add(count.into()).min(list.rows);
        if first >= end {
            return Ok(Vec::new());
        }
        if let [part] = list.parts.as_slice() {
            let lane = part.lane;
            let Some(picked) = &part.picked else {
                return self.rows_of_lane(lane, part.rows.start + first..part.rows.start + end);
            };
            let mut rows = Vec::new();
            // Those of the same piece are read together.
            let mut wanted = (first..end).filter_map(|rank| picked.select(rank)).peekable();
            while let Some(begin) = wanted.next() {
                let end = self.end_of_piece(lane, begin, part.rows.end);
                let (mut last, mut chosen) = (begin, vec![begin]);
                while let Some(next) = wanted.next_if(|next| *next < end) {
                    last = next;
                    chosen.push(next);
                }
                let all = Rows::new(lane, begin..last + 1, VALUES, BYTES);
                let mut some = Chosen { chosen: &chosen, rows: all };
                self.visit(lane, begin..last + 1, &mut some)?;
                rows.extend(some.rows.into_rows());
            }
            return Ok(rows);
        }
        if list.begins.is_none() {
            return self.rows_in_turn(list, first..end);
        }
        self.merge(list, first..end)?;
        let from = first.checked_sub(list.merged.first).and_then(|from| usize::try_from(from).ok());
        let merged = from.and_then(|from| list.merged.rows.get(from..)).unwrap_or_default();
        let merged = merged.get(..(end - first) as usize).unwrap_or(merged);
        let mut rows = Vec::with_capacity(merged.len());
        for (index, part) in (0..).zip(&list.parts) {
            // The rows of a lane are consecutive in a merge.
            let of_part = || merged.iter().filter(|(_, i, _)| *i == index).map(|(.., row)| *row);
            if let (Some(first), Some(last)) = (of_part().min(), of_part().max()) {
                rows.extend(
                    self.rows_of_lane(part.lane, first..last + 1)?
                        .into_iter()
                        .map(|row| ((row.x, index, row.row), row)),
                );
            }
        }
        rows.sort_by_key(|(key, _)| *key);
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }

    /// Rows of a list whose parts come one after the other.
    fn rows_in_turn(&mut self, list: &List, wanted: Numbers<u64>) -> Result<Vec<Row>, TraceErrorOut> {
        let (mut rows, mut before) = (Vec::new(), 0);
        for part in &list.parts {
            let from = wanted.start.saturating_sub(before).min(part.len());
            let end = wanted.end.saturating_sub(before).min(part.len());
            if from < end {
                rows.extend(self.rows_of_lane(part.lane, part.rows.start + from..part.rows.start + end)?);
            }
            before += part.len();
        }
        Ok(rows)
    }

    /// Positions at which pieces begin, over all parts; `None` if these are not to be merged.
    fn begins(&self, list: &List) -> Option<Vec<u64>> {
        if !(2..=MOST_LANES).contains(&list.parts.len()) || list.parts.iter().any(|part| part.picked.is_some()) {
            return None;
        }
        let lanes = list.parts.iter().filter_map(|part| self.lanes.get(part.lane as usize));
        let mut begins: Vec<u64> = lanes.flat_map(|lane| &lane.pieces).map(|piece| piece.x).collect();
        begins.sort_unstable();
        if begins.chunk_by(|a, b| a == b).any(|same| same.len() > MOST_AT_ONCE) {
            return None;
        }
        begins.dedup();
        Some(begins)
    }

    /// The number in a complete list of the record with this locator, position and track, or of the first one at or after
    /// the position. That is also what it returns for a record that the list lacks. `None` if the list ends before.
    ///
    /// If the list has one track after the other, the first one is sought on this track, or on the first track that goes on
    /// at the position.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn row_at(
        &mut self,
        list: &mut List,
        x: u64,
        track: Option<TrackId>,
        locator: Option<Locator>,
    ) -> Result<Option<u64>, TraceErrorOut> {
        let of_track = |part: &Part| self.lanes.get(part.lane as usize).and_then(|lane| lane.track);
        // Of parts that come one after the other, only that of the track matters.
        let only = match (&list.begins, list.parts.len()) {
            (None, 2..) => list.parts.iter().position(|part| track.is_some() && of_track(part) == track),
            _ => None,
        };
        let mut at = vec![0; list.parts.len()];
        let mut found = None;
        for (index, (lane, at)) in (0..).zip(list.parts.iter().map(|part| part.lane).zip(&mut at)) {
            if only.is_some_and(|only| only != index) {
                continue;
            }
            let mut row = self.rank(lane, x)?;
            let of_track = self.lanes.get(lane as usize).and_then(|lane| lane.track);
            if let Some(locator) = locator.filter(|_| of_track.is_none() || track == of_track)
                && let Some(exact) = self.row_of(lane, row, x, locator)?
            {
                row = exact;
                found = Some(index);
            }
            *at = row;
        }
        if list.begins.is_some() {
            // Records of earlier lanes at the very position come first.
            for (part, row) in list.parts.iter().zip(&mut at).take(found.unwrap_or(0)) {
                *row = self.after(part.lane, x)?;
            }
            let before: u64 = list.parts.iter().zip(&at).map(|(part, row)| part.before(*row)).sum();
            return Ok((before < list.rows).then_some(before));
        }
        // One part after the other: the record's own, that of its track, or the first one that goes on at the position.
        let index = found
            .or(only)
            .or_else(|| list.parts.iter().zip(&at).position(|(part, row)| part.before(*row) < part.len()));
        let Some((index, part)) = index.and_then(|index| Some((index, list.parts.get(index)?))) else {
            return Ok(None);
        };
        let earlier: u64 = list.parts.iter().take(index).map(Part::len).sum();
        let row = earlier + part.before(at.get(index).copied().unwrap_or(0));
        Ok((row < list.rows).then_some(row))
    }

    /// The row of the record of a lane with a locator and a position. `from` is the first row at or after the position.
    fn row_of(&mut self, lane: u32, from: u64, x: u64, locator: Locator) -> Result<Option<u64>, TraceErrorOut> {
        let Some(of_lane) = self.lanes.get(lane as usize) else { return Ok(None) };
        let (rows, until) = (of_lane.rows, of_lane.sorted.then_some(x));
        if matches!(self.origin, Origin::Database(..)) {
            // A row is a position, and the records of a run share a locator.
            return Ok((from < rows && from == x).then_some(from));
        }
        // It is usually in the same piece. In a lane that is not sorted it may be anywhere after.
        let mut search = Search { lane, locator, until, found: None, passed: false };
        let mut at = from;
        while at < rows && search.found.is_none() && !search.passed {
            let end = self.end_of_piece(lane, at, rows);
            self.visit(lane, at..end, &mut search)?;
            at = end;
        }
        Ok(search.found)
    }

    fn end_of_piece(&self, lane: u32, row: u64, rows: u64) -> u64 {
        let pieces = self.lanes.get(lane as usize).map(|lane| lane.pieces.as_slice()).unwrap_or_default();
        let next = pieces.get(pieces.partition_point(|piece| piece.row <= row));
        let end = if pieces.is_empty() { row.saturating_add(ROWS).min(rows) } else { rows };
        next.map_or(end, |piece| piece.row.min(rows))
    }

    /// Merges lanes around the rows that are wanted, unless that part of the merge is there.
    fn merge(&mut self, list: &mut List, wanted: Numbers<u64>) -> Result<(), TraceErrorOut> {
        let has = list.merged.first..list.merged.first + list.merged.rows.len() as u64;
        if has.start <= wanted.start && wanted.end <= has.end {
            return Ok(());
        }
        let (from, to) = self.positions_around(list, &wanted);
        let mut merged = Merged::default();
        for (index, part) in (0..).zip(&list.parts) {
            let Some(lane) = self.lanes.get(part.lane as usize) else { continue };
            if from > lane.until {
                merged.first += part.len();
                continue;
            }
            // From the piece that holds the first position on.
            let begin = lane.pieces.partition_point(|piece| piece.x < from).saturating_sub(1);
            let end = lane.pieces.partition_point(|piece| piece.x <= to);
            let begin = lane.pieces.get(begin).map_or(0, |piece| piece.row).clamp(part.rows.start, part.rows.end);
            let end = lane.pieces.get(end).map_or(lane.rows, |piece| piece.row).min(part.rows.end);
            let mut keys = Keys {
                lane: part.lane,
                index,
                from,
                to,
                rows: begin..end.max(begin),
                before: 0,
                seen: 0,
                keys: Vec::new(),
            };
            if begin < end {
                self.visit(part.lane, begin..end, &mut keys)?;
                if keys.seen < end - begin {
                    return Err(unreadable());
                }
            }
            merged.first += begin - part.rows.start + keys.before;
            merged.rows.append(&mut keys.keys);
        }
        merged.rows.sort_unstable();
        list.merged = merged;
        Ok(())
    }

    /// Positions, both included, such that all wanted rows lie between them.
    fn positions_around(&self, list: &List, wanted: &Numbers<u64>) -> (u64, u64) {
        let begins = list.begins.as_deref().unwrap_or_default();
        // How many rows at most lie before `x`, and how many at least are at `x` or before.
        let at_most = |x: u64| self.bound(list, |pieces| pieces.partition_point(|piece| piece.x < x), x);
        let at_least =
            |x: u64| self.bound(list, |pieces| pieces.partition_point(|piece| piece.x <= x).saturating_sub(1), x);
        let first = begins.partition_point(|x| at_most(*x) <= wanted.start);
        let from = first.checked_sub(1).and_then(|i| begins.get(i)).copied().unwrap_or(0);
        let last = begins.partition_point(|x| at_least(*x) < wanted.end);
        (from, begins.get(last).copied().unwrap_or(u64::MAX))
    }

    /// Number of rows of all parts before the pieces that `piece` chooses; all of a part that ends before `x`.
    fn bound(&self, list: &List, piece: impl Fn(&[unspool_formats::Piece]) -> usize, x: u64) -> u64 {
        let of_part = |part: &Part| {
            let Some(lane) = self.lanes.get(part.lane as usize) else { return 0 };
            if lane.until < x {
                return part.len();
            }
            part.before(lane.pieces.get(piece(&lane.pieces)).map_or(lane.rows, |piece| piece.row))
        };
        list.parts.iter().map(of_part).sum()
    }
}

/// Picks the records of a scope.
struct Pick<'a> {
    picked: &'a mut Picked,
    scope: &'a Scope,
    lane: u32,
    rows: Numbers<u64>,
}

impl Visitor for Pick<'_> {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        let Scope { range, tracks } = self.scope;
        if record.lane == self.lane
            && self.rows.contains(&record.row)
            && range.as_ref().is_none_or(|range| range.contains(&record.x))
            && tracks.as_ref().is_none_or(|tracks| tracks.contains(&record.track))
        {
            self.picked.pick(record.row);
        }
        false
    }
}

/// Passes on some of the rows of a lane.
struct Chosen<'a> {
    /// Ascending.
    chosen: &'a [u64],
    rows: Rows,
}

impl Visitor for Chosen<'_> {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        self.chosen.binary_search(&record.row).is_ok() && self.rows.begin(record)
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        self.rows.field(key, value);
    }

    fn open(&mut self, key: &str, is_list: bool) {
        self.rows.open(key, is_list);
    }

    fn close(&mut self) {
        self.rows.close();
    }

    fn end(&mut self) {
        self.rows.end();
    }

    fn is_full(&self) -> bool {
        self.rows.len() >= self.chosen.len()
    }
}

/// Finds a record by its locator.
struct Search {
    lane: u32,
    locator: Locator,
    /// The position beyond which it cannot be.
    until: Option<u64>,
    found: Option<u64>,
    passed: bool,
}

impl Visitor for Search {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        if record.lane == self.lane {
            if self.locator == record.locator {
                self.found = Some(record.row);
            }
            self.passed |= self.until.is_some_and(|until| record.x > until);
        }
        false
    }

    fn is_full(&self) -> bool {
        self.found.is_some()
    }
}

/// Collects the positions of the records of some rows of a lane.
struct Keys {
    lane: u32,
    index: u32,
    from: u64,
    to: u64,
    rows: Numbers<u64>,
    /// Number of them before `from`.
    before: u64,
    seen: u64,
    keys: Vec<(u64, u32, u64)>,
}

impl Visitor for Keys {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        if record.lane == self.lane && self.rows.contains(&record.row) {
            self.seen += 1;
            if record.x < self.from {
                self.before += 1;
            } else if record.x <= self.to {
                self.keys.push((record.x, self.index, record.row));
            }
        }
        false
    }

    fn is_full(&self) -> bool {
        self.seen >= self.rows.end - self.rows.start
    }
}
