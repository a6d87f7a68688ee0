//! What can be wrong with a file.
//!
//! An [`Error`] ends the reading, a [`Problem`] does not. Both are small `Copy` values with an absolute offset and the
//! value that gave offence; their `Display` is one plain sentence.

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
            Cause::BadHeader { .. } | Cause::UnknownRecord { .. } | Cause::BadLength { .. } => Class::Malformed,
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

/// Something wrong that did not end the reading: counted and listed, never silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Absolute offset in the file.
    pub at: u64,
    /// What kind of problem.
    pub kind: ProblemKind,
    /// The offending value or the number of bytes concerned; what it is depends on the kind.
    pub value: u64,
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProblemKind {
    /// The file ends inside a record or buffer; `value` bytes are missing, 0 when nobody can say how many.
    Truncated,
    /// A stretch of `value` bytes that is not what the format allows was left out.
    Malformed,
    /// A buffer ends in the middle of a record; `value` bytes of it are there and were left out.
    CutBuffer,
    /// The payload of an event, `value` bytes, was overwritten by the records behind it (writers of 2017 and 2018).
    OverwrittenPayload,
    /// A buffer without the record that should have come first; `value` is what was found.
    BadPreamble,
    /// An argument or payload that belongs to no record before it; `value` is the argument.
    StrayArgument,
    /// The clock of a track went back by `value` ticks; the event is shown where the one before it was.
    ClockWentBack,
    /// An exit whose enter is not in the recording; `value` is the name's id.
    ExitWithoutEnter,
    /// `value` calls were still open when their caller returned; their end is inferred from it.
    EndInferred,
    /// The trace is larger than memory allows; the rest was not read.
    OutOfRoom,
    /// The file ends in the middle of call `value`.
    CutCall,
    /// A whole record of `value` bytes that is of a kind, or lacks a field, so that nothing can be said of it.
    UnknownRecord,
    /// The header counts `value` records, which is not how many there are.
    WrongCount,
    /// A table of contents that does not fit the `value` records that there are; it is not needed.
    BadTable,
    /// Calls deeper than `value` are not shown.
    TooDeep,
}

impl ProblemKind {
    /// Every kind.
    pub const ALL: [Self; 15] = [
        Self::Truncated,
        Self::Malformed,
        Self::CutBuffer,
        Self::OverwrittenPayload,
        Self::BadPreamble,
        Self::StrayArgument,
        Self::ClockWentBack,
        Self::ExitWithoutEnter,
        Self::EndInferred,
        Self::OutOfRoom,
        Self::CutCall,
        Self::UnknownRecord,
        Self::WrongCount,
        Self::BadTable,
        Self::TooDeep,
    ];

    /// A stable word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Malformed => "malformed",
            Self::CutBuffer => "cut-buffer",
            Self::OverwrittenPayload => "overwritten-payload",
            Self::BadPreamble => "bad-preamble",
            Self::StrayArgument => "stray-argument",
            Self::ClockWentBack => "clock-went-back",
            Self::ExitWithoutEnter => "exit-without-enter",
            Self::EndInferred => "end-inferred",
            Self::OutOfRoom => "out-of-room",
            Self::CutCall => "cut-call",
            Self::UnknownRecord => "unknown-record",
            Self::WrongCount => "wrong-count",
            Self::BadTable => "bad-table",
            Self::TooDeep => "too-deep",
        }
    }

    /// Whether bytes were lost or are in doubt. The others are remarks: a flight recorder that starts in the middle of
    /// calls has exits without enters, and nothing is wrong with it.
    pub fn is_serious(self) -> bool {
        !matches!(self, Self::ExitWithoutEnter | Self::EndInferred | Self::WrongCount | Self::BadTable | Self::TooDeep)
    }

    /// One sentence for `count` problems of this kind.
    pub fn summary(self, count: u64) -> SummaryOf {
        SummaryOf { kind: self, count }
    }
}

/// Displays as one sentence for several problems of a kind.
#[derive(Clone, Copy, Debug)]
pub struct SummaryOf {
    kind: ProblemKind,
    count: u64,
}

impl fmt::Display for SummaryOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, s) = (self.count, if self.count == 1 { "" } else { "s" });
        match self.kind {
            ProblemKind::Truncated => write!(f, "the file ends too early"),
            ProblemKind::Malformed => write!(f, "{n} stretch{} could not be read", if n == 1 { "" } else { "es" }),
            ProblemKind::CutBuffer => {
                write!(f, "{n} buffer{s} end{} in the middle of a record", if n == 1 { "s" } else { "" })
            }
            ProblemKind::BadPreamble => write!(f, "{n} buffer{s} without a proper beginning"),
            ProblemKind::OverwrittenPayload => {
                write!(f, "{n} event{s} without payload: the writer of this log overwrote it")
            }
            ProblemKind::StrayArgument => write!(f, "{n} argument{s} without a call"),
            ProblemKind::ClockWentBack => write!(f, "the clock of a thread went back {n} time{s}"),
            ProblemKind::ExitWithoutEnter => {
                write!(f, "{n} exit{s} without an enter: the call{s} began before the recording")
            }
            ProblemKind::EndInferred => write!(f, "{n} time{s} calls were still open when their caller returned"),
            ProblemKind::OutOfRoom => write!(f, "the trace is larger than memory allows; the rest was not read"),
            ProblemKind::CutCall => write!(f, "the file ends in the middle of a call"),
            ProblemKind::UnknownRecord => {
                write!(
                    f,
                    "{n} record{s} of {} or without what it must have",
                    if n == 1 { "an unknown kind" } else { "unknown kinds" }
                )
            }
            ProblemKind::WrongCount => write!(f, "the header counts other records than there are"),
            ProblemKind::BadTable => write!(f, "the table of contents does not fit; it was not needed"),
            ProblemKind::TooDeep => write!(f, "calls go deeper than is shown"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let v = self.value;
        let s = if v == 1 { "" } else { "s" };
        match self.kind {
            ProblemKind::Truncated if v == 0 => write!(f, "the file ends here, too early; what was begun is left out"),
            ProblemKind::Truncated => {
                write!(f, "the file ends here, {v} byte{s} too early; what was begun is left out")
            }
            ProblemKind::Malformed => write!(f, "{v} byte{s} from here on are no valid records and were left out"),
            ProblemKind::CutBuffer => write!(
                f,
                "the buffer ends in the middle of a record, {v} byte{s} of it are left out (LLVM's writer forgets 16 bytes for each typed event)"
            ),
            ProblemKind::BadPreamble => {
                write!(f, "the buffer does not begin with its thread and clock, found {v:#04x}")
            }
            ProblemKind::OverwrittenPayload => write!(
                f,
                "the event's payload of {v} byte{s} was overwritten by what follows; the event and what follows are in doubt"
            ),
            ProblemKind::StrayArgument => write!(f, "the argument {v:#x} does not belong to the record before it"),
            ProblemKind::ClockWentBack => {
                write!(f, "the clock went back by {v} tick{s}; shown at the time of the event before")
            }
            ProblemKind::ExitWithoutEnter => write!(f, "an exit without an enter: the call began before the recording"),
            ProblemKind::EndInferred => {
                write!(f, "{v} call{s} still open when the caller returned; they are shown as ending with it")
            }
            ProblemKind::OutOfRoom => write!(f, "the trace is larger than memory allows; the rest was not read"),
            ProblemKind::CutCall => write!(f, "the file ends in the middle of call {v}, which is shown as incomplete"),
            ProblemKind::UnknownRecord => write!(
                f,
                "a record of {v} byte{s} is of an unknown kind, or lacks a field that it must have; it was passed over"
            ),
            ProblemKind::WrongCount => write!(f, "the header counts {v} record{s}, which is not how many there are"),
            ProblemKind::BadTable => {
                write!(f, "the table of contents does not fit the {v} record{s} that there are; it was not needed")
            }
            ProblemKind::TooDeep => write!(f, "calls deeper than {v} are not shown"),
        }
    }
}

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

    #[test]
    fn every_kind_of_problem_has_its_own_word() {
        for (i, a) in ProblemKind::ALL.iter().enumerate() {
            for b in &ProblemKind::ALL[i + 1..] {
                assert_ne!(a.word(), b.word());
            }
        }
        assert!(ProblemKind::Truncated.is_serious());
        assert!(!ProblemKind::ExitWithoutEnter.is_serious());
    }
}
