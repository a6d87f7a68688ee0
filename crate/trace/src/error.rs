//! Errors: why reading cannot continue.
//!
//! An [`Error`] ends the reading, a [`Problem`](crate::Problem) does not. Both are small `Copy`
//! values with an absolute offset and the offending value. Both display as one sentence.

use alloc::string::{String, ToString};
use core::fmt;

/// A result with [`Error`].
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why reading cannot continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// Absolute offset in the file.
    pub at: u64,
    /// What is wrong there.
    pub cause: Cause,
}

/// What is wrong, with the offending value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The bytes end in the middle of something.
    UnexpectedEnd {
        /// Number of missing bytes.
        needed: u64,
    },
    /// A known format in a version that is not supported.
    UnsupportedVersion {
        /// Name of the format.
        format: &'static str,
        /// The version in the file.
        version: u32,
        /// The supported versions.
        supported: &'static str,
    },
    /// Header fields that contradict each other.
    BadHeader {
        /// Which field, and what would be valid.
        what: &'static str,
        /// The value in the file.
        value: u64,
    },
    /// An unknown record type.
    UnknownRecord {
        /// The byte or number that denotes the type.
        kind: u32,
    },
    /// An impossible length.
    BadLength {
        /// What has this length.
        what: &'static str,
        /// The value in the file.
        value: i64,
    },
    /// A reference to something that does not exist.
    BadIndex {
        /// What is referred to, in the singular.
        what: &'static str,
        /// The index in the file.
        index: u64,
        /// The number of existing ones.
        count: u64,
    },
    /// More of something than [`crate::Limits`] allow.
    Limit {
        /// What there is too much of, in the plural.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// Something that this file does not give, although nothing is wrong with it: what, why, and
    /// what to do.
    Unavailable(&'static str),
    /// Something that was found when the file was opened is not found any more.
    Gone(&'static str),
    /// A wrong call.
    Misuse(&'static str),
}

/// What is to blame for an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The file violates its format.
    Malformed,
    /// The file ends too early.
    Truncated,
    /// The file may be valid, but Unspool does not support it.
    Unsupported,
    /// The file exceeds a limit.
    Limit,
    /// The file cannot be read from its medium.
    Unreadable,
    /// The caller.
    Misuse,
}

impl Error {
    /// An error at the absolute offset `at`.
    pub const fn new(at: u64, cause: Cause) -> Self {
        Self { at, cause }
    }

    /// The cause alone as a sentence, with a capital letter and a full stop.
    pub fn sentence(&self) -> String {
        let mut sentence = self.cause.to_string();
        if let Some(first) = sentence.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        sentence.push('.');
        sentence
    }

    /// What is to blame.
    pub fn class(&self) -> Class {
        match self.cause {
            Cause::UnexpectedEnd { .. } => Class::Truncated,
            Cause::UnsupportedVersion { .. } => Class::Unsupported,
            Cause::BadHeader { .. }
            | Cause::UnknownRecord { .. }
            | Cause::BadLength { .. }
            | Cause::BadIndex { .. } => Class::Malformed,
            Cause::Limit { .. } => Class::Limit,
            Cause::Unavailable(_) => Class::Unsupported,
            Cause::Gone(_) => Class::Unreadable,
            Cause::Misuse(_) => Class::Misuse,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::UnexpectedEnd { needed: 1 } => write!(f, "the file ends here, 1 byte too early"),
            Self::UnexpectedEnd { needed } => write!(f, "the file ends here, {needed} bytes too early"),
            Self::UnsupportedVersion { format, version, supported } => {
                write!(f, "{format} version {version} is not supported; supported versions: {supported}")
            }
            Self::BadHeader { what, value } => write!(f, "invalid header: {what}, but the file has {value}"),
            Self::UnknownRecord { kind } => write!(f, "unknown record type {kind:#04x}"),
            Self::BadLength { what, value } => write!(f, "{value} is not a valid length of {what}"),
            Self::BadIndex { what, index, count } => write!(f, "there is no {what} {index}; the file has {count}"),
            Self::Limit { what, limit } => write!(f, "the file has more than {limit} {what}"),
            Self::Unavailable(what) | Self::Gone(what) | Self::Misuse(what) => write!(f, "{what}"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.at, self.cause)
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_sentences_with_the_offset_and_the_value() {
        let e = Error::new(32, Cause::UnknownRecord { kind: 0x15 });
        assert_eq!(e.to_string(), "at byte 32: unknown record type 0x15");
        assert_eq!(e.sentence(), "Unknown record type 0x15.");
        assert_eq!(e.class(), Class::Malformed);
        assert_eq!(Error::new(0, Cause::UnexpectedEnd { needed: 1 }).class(), Class::Truncated);
        assert_eq!(Error::new(0, Cause::Unavailable("not here")).class(), Class::Unsupported);
        assert_eq!(Error::new(0, Cause::Gone("not any more")).class(), Class::Unreadable);
    }
}
