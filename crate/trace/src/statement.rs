//! Statements of a program's source.

use core::fmt;

use serde::{Deserialize, Serialize};

/// A statement of the program that was traced, by the number that a trace has for it.
///
/// GrammaTech's instrumentation of C and C++ projects composes the 64 bits of a file and a place in
/// that file:
///
/// | bits | meaning |
/// |---|---|
/// | 0 to 39 | index in the syntax tree |
/// | 40 to 62 | number of the source file |
/// | 63 | 1: there is a file; 0: all bits together are the index in the syntax tree |
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(transparent)]
pub struct StatementId(u64);

/// Bit 63 of a [`StatementId`]: there is a file.
const HAS_FILE: u64 = 1 << 63;
/// Bits of a [`StatementId`] below the file's number.
const PLACE_BITS: u32 = 40;
/// Width of the file's number in bits.
const FILE_BITS: u32 = 23;

impl StatementId {
    /// The statement with these 64 bits, as a trace has them.
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The statement at `place`, below 2^40, in the syntax tree of `file`, below 2^23. Higher bits
    /// are cut off.
    pub const fn in_file(file: u32, place: u64) -> Self {
        let file = file as u64 & ((1 << FILE_BITS) - 1);
        Self(HAS_FILE | file << PLACE_BITS | place & ((1 << PLACE_BITS) - 1))
    }

    /// All 64 bits.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The number of the source file, below 2^23, if the statement names one.
    #[inline]
    pub fn file(self) -> Option<u32> {
        (self.0 & HAS_FILE != 0).then_some((self.0 >> PLACE_BITS) as u32 & ((1 << FILE_BITS) - 1))
    }

    /// The index in the syntax tree: the lower 40 bits if there is a file, otherwise all 64.
    #[inline]
    pub fn place(self) -> u64 {
        if self.0 & HAS_FILE != 0 { self.0 & ((1 << PLACE_BITS) - 1) } else { self.0 }
    }
}

impl From<u64> for StatementId {
    fn from(bits: u64) -> Self {
        Self(bits)
    }
}

/// The name of a statement that has no text: its file, if any, and its place in the syntax tree.
impl fmt::Display for StatementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.file() {
            Some(file) => write!(f, "statement {file}:{}", self.place()),
            None => write!(f, "statement {}", self.place()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_63_of_a_statement_says_whether_it_names_a_file() {
        let parts = |bits| (StatementId::from_bits(bits).file(), StatementId::from_bits(bits).place());
        assert_eq!(parts(HAS_FILE | 7 << 40 | 9), (Some(7), 9));
        assert_eq!(parts(7 << 40 | 9), (None, 7 << 40 | 9));
        assert_eq!(StatementId::in_file(7, 9).bits(), HAS_FILE | 7 << 40 | 9);
        assert_eq!(StatementId::in_file(u32::MAX, u64::MAX).bits(), u64::MAX);
    }
}
