//! What the indexes of all formats share: pieces of the file, and their form as bytes.

use alloc::vec::Vec;
use core::ops::Range as Numbers;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use unspool_trace::kept;
use unspool_trace::records::{Lane, Piece};
use unspool_trace::{Cause, Error, Result};

/// An index, from what [`to_bytes`](unspool_trace::bytes::to_bytes) made of it.
///
/// # Errors
///
/// Returns [`Cause::Misuse`] for other bytes.
pub(crate) fn from_index<T: DeserializeOwned>(index: &[u8]) -> Result<T> {
    postcard::from_bytes(index).map_err(|_| Error::new(0, Cause::Misuse("this is no index of records")))
}

/// Records of a piece at most.
const MOST: u64 = 4096;
/// A piece that is longer than this, in bytes, ends with the current record.
const LONG: u64 = 256 * 1024;

/// Lists the pieces of a file whose records have one lane, while it is decoded.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Pieces {
    /// Where each piece begins, with its row and its position on the x axis.
    pieces: Vec<(u64, u64, u64)>,
    rows: u64,
    latest: u64,
    /// A position on the x axis was before an earlier one.
    unsorted: bool,
    /// The row and the offset at which the current piece is full. Both are 0 if there is none.
    full_row: u64,
    full_at: u64,
}

impl Pieces {
    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> u64 {
        kept::list(&self.pieces)
    }

    /// A record begins at `at`, in the file or the stream, and at `x` on the x axis.
    #[inline]
    pub(crate) fn add(&mut self, at: u64, x: u64) {
        self.unsorted |= x < self.latest;
        self.latest = self.latest.max(x);
        if self.rows >= self.full_row || at >= self.full_at {
            self.begin(at);
        }
        self.rows += 1;
    }

    #[cold]
    fn begin(&mut self, at: u64) {
        self.pieces.push((at, self.rows, self.latest));
        (self.full_row, self.full_at) = (self.rows + MOST, at.saturating_add(LONG));
    }

    /// What the pieces with these numbers comprise, as far as they exist. `end` is where the last
    /// piece of all ends. `None` without any piece.
    pub(crate) fn stretch(&self, numbers: &Numbers<u32>, end: u64) -> Option<Stretch> {
        let (first, after) = (numbers.start as usize, numbers.end as usize);
        let (at, row, _) = *self.pieces.get(first).filter(|_| first < after)?;
        let (end, end_row) = self.pieces.get(after).map_or((end, self.rows), |(at, row, _)| (*at, *row));
        Some(Stretch { at, end, rows: row..end_row.max(row) })
    }

    /// The only lane.
    pub(crate) fn lane(&self) -> Lane {
        let pieces = (0..).zip(&self.pieces).map(|(number, (_, row, x))| Piece { number, row: *row, x: *x });
        Lane { track: None, rows: self.rows, sorted: !self.unsorted, until: self.latest, pieces: pieces.collect() }
    }
}

/// Consecutive pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// Where the first one begins and the last one ends, in the file or the stream.
    pub(crate) at: u64,
    pub(crate) end: u64,
    pub(crate) rows: Numbers<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_listed_while_records_come() {
        let mut pieces = Pieces::default();
        for row in 0..MOST + 10 {
            pieces.add(row * 10, row);
        }
        // A long record ends its piece.
        pieces.add(2 * LONG, 9999);
        let at = MOST * 10;
        assert_eq!(pieces.stretch(&(0..1), 7), Some(Stretch { at: 0, end: at, rows: 0..MOST }));
        assert_eq!(pieces.stretch(&(1..9), 3 * LONG), Some(Stretch { at, end: 3 * LONG, rows: MOST..MOST + 11 }));
        assert_eq!([pieces.stretch(&(3..4), 7), pieces.stretch(&(1..1), 7)], [None, None]);
        let lane = pieces.lane();
        assert_eq!((lane.rows, lane.until, lane.sorted, lane.pieces.len()), (MOST + 11, 9999, true, 3));
        pieces.add(2 * LONG + 1, 5);
        assert!(!pieces.lane().sorted);
    }
}
