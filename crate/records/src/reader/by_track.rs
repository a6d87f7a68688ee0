//! Records by their number among those of their track.
//!
//! In a lane of one track, the number of a record is its row. For a lane of several tracks, a pass
//! over all records counts how many each track has in each piece, which tells the piece of a
//! record.

use std::collections::BTreeMap;
use std::ops::Range as Numbers;

use unspool_trace::error::Class;
use unspool_trace::records::{Extent, Row};
use unspool_trace::{FieldValue, Lane, Operand, Record, RowError, TrackId, Visitor};

use super::{RecordReader, STEP};
use crate::error::TraceErrorOut;

/// Stretches of all tracks, of 16 bytes each.
const MOST: usize = if cfg!(test) { 100 } else { 1 << 22 };

const FULL: &str = "the trace has too many threads for their records to be found by number";

/// Records of a track in a piece. The first number is the lane and, in its lower 32 bits, the place
/// of the piece in the lane. The second one is how many there are and, once all are counted, how
/// many the track has up to the end of the piece.
type Stretch = (u64, u64);

/// How many records each track has in each piece of lanes of several tracks: all of them, once a
/// pass over all records has ended.
#[derive(Debug, Default)]
pub struct ByTrack {
    /// By lane, the rows at which its pieces begin. Empty for a lane of one track.
    begins: Vec<Vec<u64>>,
    tracks: BTreeMap<TrackId, u32>,
    /// By the numbers in `tracks`, in no order until all are counted.
    stretches: Vec<Vec<Stretch>>,
    /// How many there are, and whether some are missing.
    len: usize,
    is_full: bool,
    /// The track of the latest record and its number, once there is one.
    latest: Option<(TrackId, u32)>,
    /// The lane and the piece of the latest record, and the rows of that.
    at: (u32, u64, Numbers<u64>),
    /// The next piece of a pass that counts; `None` once all are counted.
    next: Option<u64>,
}

impl ByTrack {
    /// Nothing is counted yet.
    #[must_use]
    pub fn new(lanes: &[Lane]) -> Self {
        let begins = lanes.iter().map(|lane| match lane.track {
            Some(_) => Vec::new(),
            None => lane.pieces.iter().map(|piece| piece.row).collect(),
        });
        let begins: Vec<Vec<u64>> = begins.collect();
        // There may be nothing to count.
        let next = begins.iter().any(|begins| !begins.is_empty()).then_some(0);
        Self { begins, next, ..Self::default() }
    }

    /// Whether all records are counted.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.next.is_none()
    }

    /// Counts a record. Each may come once, in any order.
    #[inline]
    pub fn add(&mut self, record: &Record<'_>) {
        let is_there = self.at.0 == record.lane && self.at.2.contains(&record.row);
        if !is_there && !self.find(record.lane, record.row) {
            return;
        }
        let number = match self.latest {
            Some((track, number)) if track == record.track => number,
            _ => self.number_of(record.track),
        };
        let (stretches, place) = (self.stretches.get_mut(number as usize), self.at.1);
        let Some(stretches) = stretches else { return };
        match stretches.last_mut() {
            Some((latest, count)) if *latest == place => *count += 1,
            _ if self.len < MOST => {
                self.len += 1;
                stretches.push((place, 1));
            }
            _ => self.is_full = true,
        }
    }

    /// The number of another track than the latest one.
    #[inline(never)]
    fn number_of(&mut self, track: TrackId) -> u32 {
        let next = self.stretches.len() as u32;
        let number = *self.tracks.entry(track).or_insert(next);
        if number == next {
            self.stretches.push(Vec::new());
        }
        self.latest = Some((track, number));
        number
    }

    /// Looks for the piece of a row. Returns whether it is in a lane of several tracks.
    #[inline(never)]
    fn find(&mut self, lane: u32, row: u64) -> bool {
        let begins = self.begins.get(lane as usize).map_or(&[][..], Vec::as_slice);
        let after = begins.partition_point(|begin| *begin <= row);
        let Some(piece) = after.checked_sub(1) else { return false };
        let end = begins.get(after).copied().unwrap_or(u64::MAX);
        self.at = (lane, u64::from(lane) << 32 | piece as u64, begins.get(piece).copied().unwrap_or_default()..end);
        true
    }

    /// All records were counted.
    pub fn finish(&mut self) {
        self.next = None;
        for stretches in &mut self.stretches {
            stretches.sort_unstable();
            let mut until = 0;
            for (_, count) in stretches {
                until += *count;
                *count = until;
            }
        }
    }

    /// The stretches of a track that have some of its records, with the number of the first record
    /// of each.
    fn stretches_of(&self, track: TrackId, numbers: &Numbers<u64>) -> Vec<(u64, Stretch)> {
        let number = self.tracks.get(&track);
        let all = number.and_then(|number| self.stretches.get(*number as usize)).map_or(&[][..], Vec::as_slice);
        let at = all.partition_point(|(_, until)| *until <= numbers.start);
        let mut from = at.checked_sub(1).and_then(|at| all.get(at)).map_or(0, |(_, until)| *until);
        let mut found = Vec::new();
        for stretch in all.get(at..).unwrap_or_default() {
            if from >= numbers.end {
                break;
            }
            found.push((from, *stretch));
            from = stretch.1;
        }
        found
    }
}

impl Visitor for ByTrack {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        self.add(record);
        false
    }
}

/// Counts the records of a pass that is made for another visitor, which is asked about all of them.
pub struct Beside<'a, V> {
    /// What counts them, if anything does.
    pub by_track: Option<&'a mut ByTrack>,
    /// The other visitor.
    pub of: &'a mut V,
}

impl<V> Beside<'_, V> {
    #[inline]
    fn add(&mut self, record: &Record<'_>) {
        if let Some(by_track) = &mut self.by_track {
            by_track.add(record);
        }
    }
}

impl<V: Visitor> Visitor for Beside<'_, V> {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        self.add(record);
        self.of.begin(record)
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        self.of.field(key, value);
    }

    fn operand(&mut self, operand: &Operand<'_>) {
        self.of.operand(operand);
    }

    fn open(&mut self, key: &str, is_list: bool) {
        self.of.open(key, is_list);
    }

    fn close(&mut self) {
        self.of.close();
    }

    fn extent(&self) -> Extent {
        self.of.extent()
    }

    fn left_out(&mut self, digest: [u64; 2]) {
        self.of.left_out(digest);
    }

    fn end(&mut self) {
        self.of.end();
    }

    fn record(&mut self, record: &Record<'_>, kind: &'static str, others: &[(&'static str, FieldValue<'_>)]) {
        self.add(record);
        self.of.record(record, kind, others);
    }

    fn is_full(&self) -> bool {
        self.of.is_full()
    }
}

/// Collects the rows of a track among some of a lane.
struct RowsOf {
    lane: u32,
    rows: Numbers<u64>,
    track: TrackId,
    seen: u64,
    found: Vec<u64>,
}

impl Visitor for RowsOf {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        if record.lane == self.lane && self.rows.contains(&record.row) {
            self.seen += 1;
            if record.track == self.track {
                self.found.push(record.row);
            }
        }
        false
    }

    fn is_full(&self) -> bool {
        self.seen >= self.rows.end - self.rows.start
    }
}

impl RecordReader {
    /// Counts further records, unless all are counted. Returns how much of that is done, from 0 to
    /// 1; `None` once it is finished.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn count_tracks(&mut self, by_track: &mut ByTrack) -> Result<Option<f64>, TraceErrorOut> {
        let Some(next) = by_track.next else { return Ok(None) };
        let end = self.visit_all(next, STEP, by_track).inspect_err(|_| *by_track = ByTrack::new(&self.lanes))?;
        let (at, of) = self.covered(end);
        if at >= of {
            by_track.finish();
            return Ok(None);
        }
        by_track.next = Some(end);
        Ok(Some(at as f64 / of as f64))
    }

    /// Records of a track with their fields: `count` from number `first` on, fewer at the end.
    /// `by_track` must be finished.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or there was no room to count all.
    pub fn rows_of_track(
        &mut self,
        by_track: &ByTrack,
        track: TrackId,
        first: u64,
        count: u32,
    ) -> Result<Vec<Row>, TraceErrorOut> {
        let numbers = first..first.saturating_add(count.into());
        if let Some(lane) = self.lanes.iter().position(|lane| lane.track == Some(track)) {
            let all = self.lanes.get(lane).map_or(0, |lane| lane.rows);
            let rows = numbers.start.min(all)..numbers.end.min(all);
            return if rows.is_empty() { Ok(Vec::new()) } else { self.rows_of_lane(lane as u32, rows) };
        }
        if by_track.is_full {
            return Err(RowError::new(Class::Limit, FULL).into());
        }
        let mut rows = Vec::new();
        for (from, (place, _)) in by_track.stretches_of(track, &numbers) {
            let (lane, piece) = ((place >> 32) as u32, place as u32);
            let Some(of_lane) = self.lanes.get(lane as usize) else { continue };
            let row_at = |piece: u32| of_lane.pieces.get(piece as usize).map_or(of_lane.rows, |piece| piece.row);
            let range = row_at(piece)..row_at(piece + 1);
            let mut of_piece = RowsOf { lane, rows: range.clone(), track, seen: 0, found: Vec::new() };
            self.visit(lane, range.clone(), &mut of_piece)?;
            of_piece.found.sort_unstable();
            let [skipped, end] = [numbers.start, numbers.end].map(|number| number.saturating_sub(from) as usize);
            let end = end.min(of_piece.found.len());
            let wanted = of_piece.found.get(skipped.min(end)..end).unwrap_or_default();
            rows.extend(self.chosen_rows(lane, range.end, wanted)?);
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use unspool_trace::records::RecordName;
    use unspool_trace::{Locator, Piece};

    use super::*;

    fn lane(track: Option<TrackId>, rows: u64, a_piece: usize) -> Lane {
        let begins = (0..rows).step_by(a_piece);
        let pieces = (0..).zip(begins).map(|(number, row)| Piece { number, row, x: row }).collect();
        Lane { track, rows, sorted: true, until: rows, pieces }
    }

    fn counted(lanes: &[Lane], records: impl Iterator<Item = (u32, u64, TrackId)>) -> ByTrack {
        let mut by_track = ByTrack::new(lanes);
        for (lane, row, track) in records {
            let locator = Locator::at(row);
            by_track.begin(&Record { locator, lane, row, x: row, track, name: RecordName::None });
        }
        by_track.finish();
        by_track
    }

    #[test]
    fn records_may_come_in_any_order() {
        let lanes = [lane(Some(7), 50, 10), lane(None, 50, 10)];
        let track = |row| [0, 3, 3, 5][(row / 4 % 4) as usize];
        let rows = |row: u64| [(0, row, 7), (1, row, track(row))];
        let up = counted(&lanes, (0..50).flat_map(rows));
        let down = counted(&lanes, (0..50).rev().flat_map(rows));
        for by_track in [&up, &down] {
            let place = |piece: u64| 1 << 32 | piece;
            assert_eq!(by_track.stretches_of(3, &(0..1)), [(0, (place(0), 6))]);
            assert_eq!(
                by_track.stretches_of(3, &(5..13)),
                [(0, (place(0), 6)), (6, (place(1), 8)), (8, (place(2), 16))]
            );
            assert_eq!(by_track.stretches_of(5, &(100..200)), []);
            assert_eq!(by_track.stretches_of(7, &(0..9)), []);
            assert!(by_track.is_finished() && !by_track.is_full);
        }
        assert!(ByTrack::new(&lanes[..1]).is_finished());
    }

    #[test]
    fn there_is_room_for_a_number_of_pieces() {
        let lanes = [lane(None, 2 * MOST as u64, 2)];
        assert!(!counted(&lanes, (0..2 * MOST as u64).map(|row| (0, row, 1))).is_full);
        assert!(counted(&lanes, (0..2 * MOST as u64).map(|row| (0, row, row as u32 % 2))).is_full);
    }

    #[test]
    fn the_other_visitor_is_told_what_limits_leave_out() {
        #[derive(Default)]
        struct Told(Vec<[u64; 2]>);

        impl Visitor for Told {
            fn begin(&mut self, _record: &Record<'_>) -> bool {
                true
            }

            fn extent(&self) -> Extent {
                Extent::Digested
            }

            fn left_out(&mut self, digest: [u64; 2]) {
                self.0.push(digest);
            }
        }

        let mut told = Told::default();
        let mut beside = Beside { by_track: None, of: &mut told };
        assert_eq!(beside.extent(), Extent::Digested);
        beside.left_out([1, 2]);
        assert_eq!(told.0, [[1, 2]]);
    }
}
