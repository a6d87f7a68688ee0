//! Lists of records: which rows of which lanes, and the order between lanes.
//!
//! The rows of one lane are numbered as they are. Those of several are merged by their positions on
//! the x axis. To find row 30,000,000 of a merge without merging everything before it, pieces bound
//! how many rows lie before a position:
//!
//! ```text
//! lane 0   | 0      | 4096      | 8192   |          rows before each piece
//! lane 1      | 0        | 4096    | 8000    |
//!                       ^ x: at least 4096 + 0, at most 8192 + 4096 rows lie before
//! ```
//!
//! Only the pieces around the row are read and merged. That is little for a few lanes. More than
//! [`MOST_LANES`], or lanes in which nothing tells positions apart, are listed one after the other
//! instead.
//!
//! A list of some records only, those of a filter for one, has a bit for each row of its lanes: a
//! pass over the pieces sets them.

use std::ops::Range as Numbers;

use unspool_filter::Search;
use unspool_trace::error::Class;
use unspool_trace::records::{Row, Rows};
use unspool_trace::{Locator, Piece, RowError, TrackId};

use super::{AHEAD, BYTES, Origin, ROWS, RecordReader, STEP, Scope, VALUES, reads};
use crate::error::TraceErrorOut;
use crate::picked::Picked;
use crate::source::{Unreadable, run_pass};
use crate::visitors::{Chosen, Keys, Part, Pick, Picking, Sought};

/// Lanes that are merged at most.
const MOST_LANES: usize = 64;
/// Pieces that may begin at the same position in a merge.
const MOST_AT_ONCE: usize = 256;

const FULL: &str = "the list has no room for so many records of a trace of this length: narrow the filter or the range";
/// Records at one position among which [`RecordReader::at`] chooses.
const MOST_AT_POSITION: u32 = 64;

/// A list of records. It is complete when [`RecordReader::advance`](super::RecordReader::advance)
/// says so.
#[derive(Default)]
pub struct List {
    parts: Vec<Part>,
    rows: u64,
    /// Positions at which pieces begin, if the parts are merged by them. Else they come one after
    /// the other.
    begins: Option<Vec<u64>>,
    /// What is still to be picked.
    picking: Option<Picking>,
    /// Number of pieces of the file that have been looked at, or of rows of a database, and how
    /// many there are.
    done: (u64, u64),
    /// The part of the merge that was asked for last.
    merged: Merged,
    /// Rows were picked that are not counted yet.
    has_uncounted: bool,
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
    /// Counts the records found so far. They can be asked for before all are found; what comes
    /// later may be among them.
    pub fn count(&mut self) {
        if !std::mem::take(&mut self.has_uncounted) {
            return;
        }
        for picked in self.parts.iter_mut().filter_map(|part| part.picked.as_mut()) {
            picked.finish();
        }
        self.rows = self.parts.iter().map(Part::len).sum();
        self.merged = Merged::default();
    }

    /// Number of records found when they were counted last.
    pub fn len(&self) -> u64 {
        self.rows
    }

    /// Whether there was none then.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// How far the list is: pieces of the file looked at, or rows of a database, and how many there
    /// are to look at.
    pub fn progress(&self) -> (u64, u64) {
        self.done
    }

    /// Whether records are in the order of their positions on the x axis, or those of each track in
    /// turn.
    pub fn is_in_order(&self) -> bool {
        self.parts.len() < 2 || self.begins.is_some()
    }
}

impl RecordReader {
    /// Begins a list. If its records are known by their order, it is complete at once. Otherwise
    /// [`RecordReader::advance`] looks at every record. `filter` decides which records of the scope
    /// are listed.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn list(&mut self, scope: &Scope, filter: Option<Search>) -> Result<List, TraceErrorOut> {
        let mut list = List::default();
        let mut part_of = vec![None; self.lanes.len()];
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
            let must_look = filter.is_some() || is_mixed || scope.range.is_some() && !is_sorted;
            if let Some(number) = part_of.get_mut(lane as usize) {
                *number = Some(list.parts.len());
            }
            list.parts.push(Part { lane, rows, picked: must_look.then(|| Picked::new(all)) });
        }
        if list.parts.iter().any(|part| part.picked.is_some()) {
            let filter = filter.map(Search::only_counting);
            let ahead = self.runs(&list.parts);
            list.done.1 = ahead.iter().map(|run| run.end - run.start).sum();
            list.picking = Some(Picking { scope: scope.clone(), filter, ahead, part_of });
        }
        list.rows = list.parts.iter().filter(|part| part.picked.is_none()).map(Part::len).sum();
        list.begins = self.begins(&list);
        Ok(list)
    }

    /// The pieces of the file that have rows of parts of which some are picked, or such rows of a
    /// database, the last ones first.
    fn runs(&self, parts: &[Part]) -> Vec<Numbers<u64>> {
        let picked = parts.iter().filter(|part| part.picked.is_some());
        if matches!(self.origin, Origin::Database(..)) {
            return picked.map(|part| part.rows.clone()).collect();
        }
        let mut numbers: Vec<u64> =
            picked.flat_map(|part| self.pieces_of(part, &part.rows)).map(|piece| piece.number.into()).collect();
        numbers.sort_unstable();
        let runs = numbers.chunk_by(|a, b| a + 1 >= *b);
        runs.rev().filter_map(|run| Some(*run.first()?..run.last()? + 1)).collect()
    }

    /// The pieces with some rows of a part.
    fn pieces_of(&self, part: &Part, rows: &Numbers<u64>) -> &[Piece] {
        let pieces = self.lanes.get(part.lane as usize).map(|lane| lane.pieces.as_slice()).unwrap_or_default();
        let first = pieces.partition_point(|piece| piece.row <= rows.start).saturating_sub(1);
        let end = pieces.partition_point(|piece| piece.row < rows.end);
        pieces.get(first..end).unwrap_or_default()
    }

    /// The record at a position, with its fields: preferably one of `track`. `None` if there is
    /// none, or if only a look at every record would show it.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn at(&mut self, x: u64, track: Option<TrackId>) -> Result<Option<Row>, TraceErrorOut> {
        let mut list = self.list(&Scope { range: Some(x..x.saturating_add(1)), tracks: None }, None)?;
        if list.picking.is_some() {
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
        let Some(mut picking) = list.picking.take() else { return Ok(true) };
        if let Some(run) = picking.ahead.pop() {
            let step = if matches!(self.origin, Origin::Database(..)) { ROWS } else { STEP.into() };
            let from = self.row_beyond(run.start)?.min(run.end);
            let end = run.end.min(from.saturating_add(step));
            let mut pick = Pick { parts: &mut list.parts, picking: &mut picking, row: None };
            match &self.origin {
                Origin::Database(..) => self.visit_ahead(0, from..end, AHEAD, &mut pick)?,
                Origin::File(records, source) => {
                    let mut pass = records.pass(from as u32..end as u32);
                    run_pass(&mut *pass, &**source, &mut self.window, reads(AHEAD), &mut pick)?;
                }
            }
            list.done.0 += end - run.start;
            list.has_uncounted = true;
            if list.parts.iter().filter_map(|part| part.picked.as_ref()).any(Picked::is_full) {
                return Err(RowError::new(Class::Limit, FULL).into());
            }
            if end < run.end {
                picking.ahead.push(end..run.end);
            }
        }
        if !picking.ahead.is_empty() {
            list.picking = Some(picking);
            return Ok(false);
        }
        list.count();
        Ok(true)
    }

    /// The piece of the file at which [`RecordReader::advance`] continues, and how many pieces
    /// there are. Both are 0 for a database.
    pub fn reached(&self, list: &List) -> (u64, u64) {
        if matches!(self.origin, Origin::Database(..)) {
            return (0, 0);
        }
        let next = list.picking.as_ref().and_then(|picking| picking.ahead.last());
        (next.map_or(0, |run| run.start), self.pieces())
    }

    /// Rows of a list with their fields: `count` from number `first` on, fewer at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn rows_of(&mut self, list: &mut List, first: u64, count: u32) -> Result<Vec<Row>, TraceErrorOut> {
        list.count();
        let end = first.saturating_add(count.into()).min(list.rows);
        if first >= end {
            return Ok(Vec::new());
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
            let mut wanted: Vec<u64> = merged.iter().filter(|(_, i, _)| *i == index).map(|(.., row)| *row).collect();
            wanted.sort_unstable();
            let of_part = self.chosen_rows(part.lane, part.rows.end, &wanted)?;
            rows.extend(of_part.into_iter().map(|row| ((row.x, index, row.row), row)));
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
            let (lane, until) = (part.lane, part.rows.end);
            match &part.picked {
                _ if from >= end => {}
                None => rows.extend(self.rows_of_lane(lane, part.rows.start + from..part.rows.start + end)?),
                Some(picked) => {
                    let wanted: Vec<u64> = (from..end).filter_map(|rank| picked.select(rank)).collect();
                    rows.extend(self.chosen_rows(lane, until, &wanted)?);
                }
            }
            before += part.len();
        }
        Ok(rows)
    }

    /// Some rows of a lane before `until` with their fields, ascending.
    pub(super) fn chosen_rows(&mut self, lane: u32, until: u64, wanted: &[u64]) -> Result<Vec<Row>, TraceErrorOut> {
        let mut rows = Vec::new();
        let mut rest = wanted;
        while let Some(begin) = rest.first() {
            // Those of the same piece are read together, and so are those that follow one another.
            let end = self.end_of_piece(lane, *begin, until);
            let apart = rest.windows(2).position(|pair| matches!(pair, [a, b] if *b >= end && *b > a + 1));
            let (chosen, others) = rest.split_at(apart.map_or(rest.len(), |last| last + 1));
            rest = others;
            let range = *begin..chosen.last().unwrap_or(begin) + 1;
            let mut some = Chosen { chosen, rows: Rows::new(lane, range.clone(), VALUES, BYTES) };
            self.visit(lane, range, &mut some)?;
            rows.extend(some.rows.into_rows());
        }
        Ok(rows)
    }

    /// Positions at which pieces begin, over all parts; `None` if these are not to be merged.
    fn begins(&self, list: &List) -> Option<Vec<u64>> {
        if !(2..=MOST_LANES).contains(&list.parts.len()) {
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

    /// The number in a list of the record with this locator, position and track, or of the first
    /// one at or after the position. That is also what it returns for a record that the list lacks.
    /// `None` if the list ends before.
    ///
    /// If the list has one track after the other, the first one is sought on this track, or on the
    /// first track that goes on at the position.
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
        list.count();
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
        // One part after the other: the record's own, that of its track, or the first one that goes
        // on at the position.
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

    /// The row of the record of a lane with a locator and a position. `from` is the first row at or
    /// after the position.
    fn row_of(&mut self, lane: u32, from: u64, x: u64, locator: Locator) -> Result<Option<u64>, TraceErrorOut> {
        let Some(of_lane) = self.lanes.get(lane as usize) else { return Ok(None) };
        let (rows, until) = (of_lane.rows, of_lane.sorted.then_some(x));
        if matches!(self.origin, Origin::Database(..)) {
            // A row is a position, and the records of a run share a locator.
            return Ok((from < rows && from == x).then_some(from));
        }
        // It is usually in the same piece. In a lane that is not sorted it may be anywhere after.
        let mut search = Sought { lane, locator, until, found: None, passed: false };
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
            merged.first += part.before(begin);
            // Pieces of which nothing is listed are passed over.
            for rows in self.listed_runs(part, begin..end.max(begin)) {
                let wanted = rows.end - rows.start;
                let picked = part.picked.as_ref();
                let mut keys = Keys {
                    lane: part.lane,
                    index,
                    picked,
                    from,
                    to,
                    rows: rows.clone(),
                    before: 0,
                    seen: 0,
                    keys: Vec::new(),
                };
                self.visit(part.lane, rows, &mut keys)?;
                if keys.seen < wanted {
                    return Err(Unreadable::Changed.into());
                }
                merged.first += keys.before;
                merged.rows.append(&mut keys.keys);
            }
        }
        merged.rows.sort_unstable();
        list.merged = merged;
        Ok(())
    }

    /// Rows of the pieces among some rows of a part of which any is listed, in runs.
    fn listed_runs(&self, part: &Part, rows: Numbers<u64>) -> Vec<Numbers<u64>> {
        if part.picked.is_none() || rows.is_empty() {
            return if rows.is_empty() { Vec::new() } else { vec![rows] };
        }
        let mut runs: Vec<Numbers<u64>> = Vec::new();
        let pieces = self.pieces_of(part, &rows);
        let ends = pieces.iter().skip(1).map(|piece| piece.row).chain([rows.end]);
        for (piece, end) in pieces.iter().zip(ends) {
            let (start, end) = (piece.row.max(rows.start), end.min(rows.end));
            if part.before(start) == part.before(end) {
                continue;
            }
            match runs.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => runs.push(start..end),
            }
        }
        runs
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

    /// Number of rows of all parts before the pieces that `piece` chooses; all of a part that ends
    /// before `x`.
    fn bound(&self, list: &List, piece: impl Fn(&[unspool_trace::Piece]) -> usize, x: u64) -> u64 {
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
