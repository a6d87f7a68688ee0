//! What can be wrong with a binary.

use std::fmt;

/// What is wrong with a binary, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Absolute offset in the file.
    pub at: u64,
    /// What is wrong.
    pub why: Why,
}

/// What is wrong with a binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is neither ELF nor Mach-O.
    Unknown,
    /// It ends too early.
    Truncated,
    /// It has other bytes than before.
    Changed,
    /// A structure contradicts the format.
    Malformed(&'static str),
    /// Something is larger than what is read at once.
    Large,
    /// A compressed section has more bytes than [`crate::MAX_SECTION`].
    Section,
    /// A compressed section cannot be decompressed.
    Compressed,
}

impl std::error::Error for Fault {}

/// A sentence without a full stop.
impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at;
        match self.why {
            Why::Unknown => write!(out, "it is neither ELF nor Mach-O"),
            Why::Truncated => write!(out, "the file ends at byte {at}, before all of its parts"),
            Why::Changed => write!(out, "the file was changed while it was read, at byte {at}"),
            Why::Malformed(what) => write!(out, "{what} at byte {at} is malformed"),
            Why::Large => write!(out, "the structure at byte {at} is too large"),
            Why::Section => {
                write!(out, "the compressed section at byte {at} has more than {} MiB", crate::MAX_SECTION >> 20)
            }
            Why::Compressed => write!(out, "the compressed section at byte {at} is damaged, or its method is unknown"),
        }
    }
}
