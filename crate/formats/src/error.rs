//! Why reading cannot go on.
//!
//! An [`Error`] ends the reading, a [`Problem`](crate::Problem) does not. Both are small `Copy` values with an absolute offset
//! and the offending value; their `Display` is one plain sentence.

use core::fmt;

/// Shorthand for a result with [`Error`].
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why reading cannot go on.
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
        /// How many more bytes it would have taken.
        needed: u64,
    },
    /// The header of a format that we read, in a version that we do not.
    UnsupportedVersion {
        /// The format, as people call it.
        format: &'static str,
        /// The version in the file.
        version: u32,
        /// The versions that can be read.
        supported: &'static str,
    },
    /// A header whose fields contradict each other.
    BadHeader {
        /// Which field, and what would be right.
        what: &'static str,
        /// The value in the file.
        value: u64,
    },
    /// A byte that no record starts with.
    UnknownRecord {
        /// The byte, or the number, that says the kind.
        kind: u32,
    },
    /// A length that cannot be.
    BadLength {
        /// What it is the length of.
        what: &'static str,
        /// The value in the file, as signed as the file has it.
        value: i64,
    },
    /// A reference to something that is not there.
    BadIndex {
        /// To what, in the singular.
        what: &'static str,
        /// The index in the file.
        index: u64,
        /// How many there are.
        count: u64,
    },
    /// More of something than is allowed.
    Limit {
        /// Of what, in the plural.
        what: &'static str,
        /// How many are allowed.
        limit: u64,
    },
    /// The caller did something out of turn.
    Misuse(&'static str),
}

/// Whom to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The bytes are not what the format says.
    Malformed,
    /// The bytes end too early.
    Truncated,
    /// The bytes may be right, but we do not read them.
    Unsupported,
    /// The bytes ask for more than is allowed.
    Limit,
    /// The bytes cannot be had.
    Unreadable,
    /// The caller.
    Misuse,
}

impl Error {
    /// An error at the absolute offset `at`.
    pub const fn new(at: u64, cause: Cause) -> Self {
        Self { at, cause }
    }

    /// Whom to blame.
    pub fn class(&self) -> Class {
        match self.cause {
            Cause::UnexpectedEnd { .. } => Class::Truncated,
            Cause::UnsupportedVersion { .. } => Class::Unsupported,
            Cause::BadHeader { .. }
            | Cause::UnknownRecord { .. }
            | Cause::BadLength { .. }
            | Cause::BadIndex { .. } => Class::Malformed,
            Cause::Limit { .. } => Class::Limit,
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
                write!(f, "this is {format} version {version}; versions that can be opened: {supported}")
            }
            Self::BadHeader { what, value } => write!(f, "the header is not valid: {what}, but the file says {value}"),
            Self::UnknownRecord { kind } => write!(f, "no kind of record starts with {kind:#04x}"),
            Self::BadLength { what, value } => write!(f, "{value} cannot be the length of {what}"),
            Self::BadIndex { what, index, count } => write!(f, "there is no {what} {index}: there are {count}"),
            Self::Limit { what, limit } => write!(f, "the file has more than {limit} {what}"),
            Self::Misuse(what) => write!(f, "{what}"),
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
    use alloc::string::ToString;

    #[test]
    fn errors_are_sentences_with_the_offset_and_the_value() {
        let e = Error::new(32, Cause::UnknownRecord { kind: 0x15 });
        assert_eq!(e.to_string(), "at byte 32: no kind of record starts with 0x15");
        assert_eq!(e.class(), Class::Malformed);
        assert_eq!(Error::new(0, Cause::UnexpectedEnd { needed: 1 }).class(), Class::Truncated);
    }
}
