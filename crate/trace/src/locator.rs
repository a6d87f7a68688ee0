//! Where a record is found again.
//!
//! It has 63 bits for a position or number and one for its kind. Each format converts it to an
//! enum, `Located`, if it has two kinds.

use core::fmt;

use serde::{Deserialize, Serialize};

/// Where a record is found again, as the format that produced it lays it out.
///
/// | bits | meaning |
/// |---|---|
/// | 0 to 62 | a position (absolute offset in the file or the decompressed stream, or a row), or a number |
/// | 63 | 0: a record at that position; 1: something else with that number |
///
/// What the number counts, and what the second kind is, each format documents beside the enum that
/// it converts locators to. The store keeps locators and compares them, but never interprets them.
/// The only exception is [`Locator::position`], which becomes the position of a problem.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(transparent)]
pub struct Locator(u64);

/// Bit of a locator that is not a record at a position.
const OTHER: u64 = 1 << 63;

impl Locator {
    /// The record at `position`, in what [`crate::Nouns::place`] names. Positions are below 2^63.
    #[inline]
    pub const fn at(position: u64) -> Self {
        Self(position & !OTHER)
    }

    /// Something else than a record at a position: the format's second kind, with its number below
    /// 2^63.
    #[inline]
    pub const fn other(number: u64) -> Self {
        Self(number | OTHER)
    }

    /// The locator with these 64 bits, as returned by [`Locator::bits`].
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// All 64 bits.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The position or the number, without the kind.
    #[inline]
    pub const fn position(self) -> u64 {
        self.0 & !OTHER
    }

    /// Whether this is the format's second kind.
    #[inline]
    pub const fn is_other(self) -> bool {
        self.0 & OTHER != 0
    }
}

impl fmt::Debug for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_other() { "other " } else { "" }, self.position())
    }
}

#[cfg(test)]
mod tests {
    use super::Locator;

    #[test]
    fn the_upper_bit_is_the_kind() {
        let (record, other) = (Locator::at(5), Locator::other(5));
        assert_eq!((record.position(), record.is_other()), (5, false));
        assert_eq!((other.position(), other.is_other()), (5, true));
        assert_eq!(other.bits(), 1 << 63 | 5);
        assert_eq!(Locator::from_bits(other.bits()), other);
        // A position that no file has does not turn into another kind.
        assert!(!Locator::at(u64::MAX).is_other());
    }
}
