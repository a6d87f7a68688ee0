//! Where points are: checkpoints along the file, and the points of each statement. Decoding can
//! resume at a checkpoint.
//!
//! ```text
//! file        |0 ........ |1 ........ |2 ........      a checkpoint every 256 KiB or more, where a point begins
//! statement 7 |  x  x   x |     x     |   x  ?         kept: the last of each interval
//! ```
//!
//! To find the point before `?`, decode from checkpoint 2 to `?`. If there were none, it would be
//! the one kept for interval 1.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use unspool_trace::kept;

/// Distance between checkpoints in bytes.
const APART: u64 = 256 * 1024;

/// A point by its absolute offset and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PointRef {
    pub(crate) at: u64,
    pub(crate) number: u64,
}

/// Checkpoints along the file. An interval reaches from one to the next.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Checkpoints {
    all: Vec<PointRef>,
    next: u64,
}

impl Checkpoints {
    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> u64 {
        kept::list(&self.all)
    }

    /// A point begins; it becomes a checkpoint if the last one is far enough away.
    #[inline]
    pub(crate) fn begin(&mut self, at: u64, number: u64) {
        if at >= self.next {
            self.next = at.saturating_add(APART);
            self.all.push(PointRef { at, number });
        }
    }

    /// The number of the current interval, from 1.
    #[inline]
    pub(crate) fn interval(&self) -> u32 {
        self.all.len() as u32
    }

    /// The last checkpoint at or before absolute offset `at`.
    pub(crate) fn before(&self, at: u64) -> Option<PointRef> {
        self.all.get(self.all.partition_point(|p| p.at <= at).checked_sub(1)?).copied()
    }
}

/// The points at one statement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Occurrences {
    last: PointRef,
    /// The interval of `last`.
    interval: u32,
    /// The last point of each earlier interval.
    earlier: Vec<PointRef>,
}

impl Occurrences {
    pub(crate) fn new(first: PointRef, interval: u32) -> Self {
        Self { last: first, interval, earlier: Vec::new() }
    }

    /// Adds the next point. Returns the bytes of memory that it takes.
    #[inline]
    pub(crate) fn add(&mut self, point: PointRef, interval: u32) -> u64 {
        let mut grown = 0;
        if interval != self.interval {
            self.interval = interval;
            grown = kept::push(&mut self.earlier, self.last);
        }
        self.last = point;
        grown
    }

    /// The last of these points before the checkpoint at absolute offset `checkpoint`.
    pub(crate) fn before(&self, checkpoint: u64) -> Option<PointRef> {
        if self.last.at < checkpoint {
            return Some(self.last);
        }
        self.earlier.get(self.earlier.partition_point(|p| p.at < checkpoint).checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_point_of_each_interval_is_found() {
        let mut checkpoints = Checkpoints::default();
        let mut seen: Option<Occurrences> = None;
        let at = |n: u64| PointRef { at: 100 + n * 1000, number: n };
        for n in 0..2000 {
            checkpoints.begin(at(n).at, n);
            let interval = checkpoints.interval();
            if n % 700 == 3 {
                match &mut seen {
                    None => seen = Some(Occurrences::new(at(n), interval)),
                    Some(seen) => _ = seen.add(at(n), interval),
                }
            }
        }
        assert_eq!(checkpoints.before(99), None);
        assert_eq!(checkpoints.before(100 + 263_000), Some(at(263)));
        assert_eq!(checkpoints.before(100 + 262_999), Some(at(0)));
        let seen = seen.unwrap();
        let before = |n: u64| seen.before(checkpoints.before(at(n).at).unwrap().at);
        assert_eq!((before(3), before(200), before(703)), (None, None, Some(at(3))));
        assert_eq!((before(1999), before(1403)), (Some(at(1403)), Some(at(703))));
    }
}
