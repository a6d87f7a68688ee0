//! Where points are, so that one can be found again: places along the file, and the points of each statement.
//!
//! ```text
//! file        |0 ........ |1 ........ |2 ........      a place about every 256 KiB, at the beginning of a point
//! statement 7 |  x  x   x |     x     |   x  ?         kept: the last of each stretch in which it occurs
//! ```
//!
//! The point before `?` is found by reading from place 2 on; had there been none, it would be the one kept of stretch 1.

use alloc::vec::Vec;

/// Bytes between places.
const APART: u64 = 256 * 1024;

/// A point by its offset and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) at: u64,
    pub(crate) number: u64,
}

/// Places along the file.
#[derive(Debug, Default)]
pub(crate) struct Places {
    all: Vec<At>,
    next: u64,
}

impl Places {
    /// A point begins.
    #[inline]
    pub(crate) fn begin(&mut self, at: u64, number: u64) {
        if at >= self.next {
            self.next = at.saturating_add(APART);
            self.all.push(At { at, number });
        }
    }

    /// The number of the stretch that is being read.
    #[inline]
    pub(crate) fn stretch(&self) -> u32 {
        self.all.len() as u32
    }

    /// The place before the point at `at`, or that point.
    pub(crate) fn before(&self, at: u64) -> Option<At> {
        self.all.get(self.all.partition_point(|p| p.at <= at).checked_sub(1)?).copied()
    }
}

/// The points of one statement.
#[derive(Debug)]
pub(crate) struct Occurrences {
    last: At,
    /// The stretch that the last is in.
    stretch: u32,
    /// The last of each earlier stretch.
    earlier: Vec<At>,
}

impl Occurrences {
    pub(crate) fn new(first: At, stretch: u32) -> Self {
        Self { last: first, stretch, earlier: Vec::new() }
    }

    #[inline]
    pub(crate) fn add(&mut self, point: At, stretch: u32) {
        if stretch != self.stretch {
            self.stretch = stretch;
            self.earlier.push(self.last);
        }
        self.last = point;
    }

    /// The last point of the statement in the stretches before the one that begins at `place`.
    pub(crate) fn before(&self, place: u64) -> Option<At> {
        if self.last.at < place {
            return Some(self.last);
        }
        self.earlier.get(self.earlier.partition_point(|p| p.at < place).checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_each_stretch_is_found() {
        let mut places = Places::default();
        let mut seen: Option<Occurrences> = None;
        let at = |n: u64| At { at: 100 + n * 1000, number: n };
        for n in 0..2000 {
            places.begin(at(n).at, n);
            let stretch = places.stretch();
            if n % 700 == 3 {
                match &mut seen {
                    None => seen = Some(Occurrences::new(at(n), stretch)),
                    Some(seen) => seen.add(at(n), stretch),
                }
            }
        }
        assert_eq!(places.before(99), None);
        assert_eq!(places.before(100 + 263_000), Some(at(263)));
        assert_eq!(places.before(100 + 262_999), Some(at(0)));
        let seen = seen.unwrap();
        let before = |n: u64| seen.before(places.before(at(n).at).unwrap().at);
        assert_eq!((before(3), before(200), before(703)), (None, None, Some(at(3))));
        assert_eq!((before(1999), before(1403)), (Some(at(1403)), Some(at(703))));
    }
}
