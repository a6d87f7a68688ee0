//! How a pass gets its bytes: the one rule for how much it is offered, and for when the file has no
//! more for it.
//!
//! A [`Pass`] says where it goes on and how much it could use. Reading all of that at once may cost
//! too much memory, and one byte is seldom enough. A [`Drive`] begins with a portion, doubles it
//! while the pass uses nothing of it, and goes back to the portion once it has. It reads nothing
//! itself and remembers only how much comes next, so the caller owns the reads, and a pass that a
//! full visitor has stopped goes on later with the same drive.

use unspool_trace::decoder::Range;
use unspool_trace::error::Result;
use unspool_trace::records::{Delivery, Pass};

/// Bytes that a pass is offered at once at most: more than the largest units, a chunk of an
/// apitrace and a frame of 64 MiB.
pub const LONGEST: usize = 65 << 20;

/// A pass together with the visitor of what it finds.
pub trait Driven {
    /// As [`Pass::want`].
    fn want(&self) -> Option<Range>;
    /// As [`Pass::push`].
    ///
    /// # Errors
    ///
    /// Those of the pass.
    fn push(&mut self, bytes: &[u8]) -> Result<usize>;
    /// As [`Delivery::is_full`].
    fn is_full(&self) -> bool;
}

impl<D: Delivery> Driven for (&mut (dyn Pass<D> + '_), &mut D::Visitor<'_>) {
    fn want(&self) -> Option<Range> {
        self.0.want()
    }

    fn push(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.push(bytes, self.1)
    }

    fn is_full(&self) -> bool {
        D::is_full(self.1)
    }
}

/// What came of a portion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// More is to be offered, unless the pass is done.
    On,
    /// The visitor is full. The pass can go on.
    Full,
    /// The pass needs more than there is: it has been offered all that it wants, or the file up to
    /// its end.
    Short,
}

/// How much a pass is offered next.
#[derive(Clone, Copy, Debug)]
pub struct Drive {
    portion: usize,
    most: usize,
    least: usize,
}

impl Drive {
    /// Offers at least `portion` bytes at once, as far as they are wanted, and at most about
    /// `most`.
    pub fn new(portion: usize, most: usize) -> Self {
        Self { portion, most, least: portion }
    }

    /// Where the pass goes on, and how many bytes are to be read for it: none if it goes on without
    /// any. `None` if it is done.
    pub fn next(&self, driven: &impl Driven) -> Option<(u64, usize)> {
        driven.want().map(|range| (range.at, self.least.min(length(range))))
    }

    /// Offers `bytes`, those at [`Drive::next`]. There may be more of them than asked for. Fewer
    /// are the end of the file.
    ///
    /// # Errors
    ///
    /// Those of the pass.
    pub fn push(&mut self, driven: &mut impl Driven, bytes: &[u8]) -> Result<Moved> {
        let Some(range) = driven.want() else { return Ok(Moved::On) };
        let wanted = length(range);
        let bytes = bytes.get(..wanted).unwrap_or(bytes);
        let used = driven.push(bytes)?;
        if driven.is_full() {
            return Ok(Moved::Full);
        }
        if used > 0 || driven.want() != Some(range) {
            self.least = self.portion;
            return Ok(Moved::On);
        }
        let is_end = bytes.len() < self.least.min(wanted);
        if is_end || bytes.len() >= wanted.min(self.most) {
            self.least = self.portion;
            return Ok(Moved::Short);
        }
        self.least = bytes.len().saturating_mul(2).clamp(1, self.most);
        Ok(Moved::On)
    }
}

fn length(range: Range) -> usize {
    usize::try_from(range.len).unwrap_or(usize::MAX)
}

/// Drives a pass over a file in memory, in portions of at least `portion` bytes, until it is done,
/// its visitor is full, or it needs more than there is. Returns what is left of the file in the
/// last case.
///
/// # Errors
///
/// Those of the pass.
pub fn over<'a>(driven: &mut impl Driven, file: &'a [u8], portion: usize) -> Result<Option<&'a [u8]>> {
    let mut drive = Drive::new(portion, usize::MAX);
    while let Some((at, len)) = drive.next(driven) {
        let rest = usize::try_from(at).ok().and_then(|at| file.get(at..)).unwrap_or_default();
        let bytes = rest.get(..len).unwrap_or(rest);
        match drive.push(driven, bytes)? {
            Moved::On => {}
            Moved::Full => break,
            Moved::Short => return Ok(Some(bytes)),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes units of some lengths, and notes how much it was offered.
    struct Units {
        at: u64,
        len: u64,
        units: Vec<usize>,
        offered: Vec<usize>,
        most: usize,
    }

    impl Units {
        fn new(units: &[usize], len: u64) -> Self {
            Self { at: 0, len, units: units.into(), offered: Vec::new(), most: usize::MAX }
        }
    }

    impl Driven for Units {
        fn want(&self) -> Option<Range> {
            (!self.units.is_empty()).then_some(Range { at: self.at, len: self.len - self.at })
        }

        fn push(&mut self, bytes: &[u8]) -> Result<usize> {
            self.offered.push(bytes.len());
            let mut used = 0;
            while let Some(unit) = self.units.first().copied()
                && used + unit <= bytes.len()
                && !self.is_full()
            {
                self.units.remove(0);
                used += unit;
                self.most = self.most.saturating_sub(1);
            }
            self.at += used as u64;
            Ok(used)
        }

        fn is_full(&self) -> bool {
            self.most == 0
        }
    }

    #[test]
    fn more_is_offered_until_it_is_enough_and_then_a_portion_again() {
        let mut units = Units::new(&[3, 20, 3], 26);
        assert_eq!(over(&mut units, &[0; 26], 4), Ok(None));
        assert_eq!(units.offered, [4, 4, 8, 16, 23]);
        let mut units = Units::new(&[3, 20, 3], 26);
        assert_eq!(over(&mut units, &[0; 26], 100), Ok(None));
        assert_eq!(units.offered, [26]);
    }

    #[test]
    fn a_pass_that_wants_more_than_there_is_gets_the_rest_once() {
        let file = vec![0; 10];
        let mut units = Units::new(&[3, 20], 100);
        assert_eq!(over(&mut units, &file, 4), Ok(Some(&file[3..])));
        assert_eq!(units.offered, [4, 4, 7]);
        // All that it wants is not enough.
        let mut units = Units::new(&[3, 20], 8);
        assert_eq!(over(&mut units, &file, 4), Ok(Some(&file[3..8])));
        // Nor does it get more than the limit.
        let mut units = Units::new(&[20], 100);
        let mut drive = Drive::new(4, 8);
        assert_eq!(drive.push(&mut units, &[0; 4]), Ok(Moved::On));
        assert_eq!(drive.next(&units), Some((0, 8)));
        assert_eq!(drive.push(&mut units, &[0; 8]), Ok(Moved::Short));
    }

    #[test]
    fn a_full_visitor_stops_a_pass_that_goes_on_later() {
        let mut units = Units::new(&[2; 5], 10);
        units.most = 2;
        assert_eq!(over(&mut units, &[0; 10], 100), Ok(None));
        assert_eq!((units.at, units.units.len()), (4, 3));
        units.most = usize::MAX;
        assert_eq!(over(&mut units, &[0; 10], 100), Ok(None));
        assert_eq!((units.at, units.units.len()), (10, 0));
    }
}
