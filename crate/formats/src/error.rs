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
    /// The file ends, or can be read no further, in the middle of point `value`.
    CutPoint,
    /// There are more than `value` things of a kind that would each have a track or slice of their own; this one and all
    /// further ones are in the details of points only.
    NotShown,
    /// The record is larger than what is kept of one: `value` bytes or entries of it are left out.
    LeftOut,
    /// A database with the tables of `value`, a date such as 20201023, that lacks those of today. Of this and what follows
    /// the place is a transition.
    OldSchema,
    /// A database that does not say what it is.
    NoMetadata,
    /// The first block is not the one that stands for interrupts.
    NoInterruptBlock,
    /// A row with the transition `value`, which is none.
    BadRow,
    /// An instruction of block `value` that does not lie in it, or in no order.
    BadIndex,
    /// Block `value` is longer than what is kept of one.
    LongBlock,
    /// Block `value` was executed, but is not there.
    NoBlock,
}

impl ProblemKind {
    /// Every kind.
    pub const ALL: [Self; 25] = [
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
        Self::CutPoint,
        Self::NotShown,
        Self::LeftOut,
        Self::OldSchema,
        Self::NoMetadata,
        Self::NoInterruptBlock,
        Self::BadRow,
        Self::BadIndex,
        Self::LongBlock,
        Self::NoBlock,
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
            Self::CutPoint => "cut-point",
            Self::NotShown => "not-shown",
            Self::LeftOut => "left-out",
            Self::OldSchema => "old-schema",
            Self::NoMetadata => "no-metadata",
            Self::NoInterruptBlock => "no-interrupt-block",
            Self::BadRow => "bad-row",
            Self::BadIndex => "bad-index",
            Self::LongBlock => "long-block",
            Self::NoBlock => "no-block",
        }
    }

    /// Whether bytes were lost or are in doubt. The others are remarks: a flight recorder that starts in the middle of
    /// calls has exits without enters, and nothing is wrong with it.
    pub fn is_serious(self) -> bool {
        !matches!(
            self,
            Self::ExitWithoutEnter
                | Self::EndInferred
                | Self::WrongCount
                | Self::BadTable
                | Self::TooDeep
                | Self::NotShown
                | Self::OldSchema
        )
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
            ProblemKind::CutPoint => write!(f, "the last point is not complete"),
            ProblemKind::LeftOut => write!(f, "{n} record{s} too large to be kept whole"),
            ProblemKind::OldSchema => write!(f, "the database has the tables of 2020"),
            ProblemKind::NoMetadata => write!(f, "the database does not say what it is"),
            ProblemKind::NoInterruptBlock => write!(f, "there is no block for interrupts"),
            ProblemKind::BadRow => write!(f, "{n} row{s} without a valid transition"),
            ProblemKind::BadIndex => write!(f, "{n} instruction{s} outside of their blocks"),
            ProblemKind::LongBlock => write!(f, "{n} block{s} too long to be kept whole"),
            ProblemKind::NoBlock => write!(f, "blocks were executed that are not there"),
            ProblemKind::NotShown => write!(f, "there is more than can be shown; the rest is in the details of points"),
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
            ProblemKind::CutPoint => write!(f, "point {v} breaks off here: it is incomplete"),
            ProblemKind::LeftOut => {
                write!(f, "the record is larger than can be kept: {v} byte{s} or entries of it are left out")
            }
            ProblemKind::OldSchema => write!(
                f,
                "the database has the tables of {}-{:02}-{:02}, which today's own reader refuses; what it has is shown",
                v / 10_000,
                v / 100 % 100,
                v % 100
            ),
            ProblemKind::NoMetadata => {
                write!(
                    f,
                    "the database has no metadata, so it does not say what it is; it is taken for a block trace of today"
                )
            }
            ProblemKind::NoInterruptBlock => write!(
                f,
                "the first block is not \"interrupt\", as it must be: which transitions are interrupts cannot be told, and other blocks are in doubt"
            ),
            ProblemKind::BadRow => write!(f, "a row has the transition {}, which cannot be; it was left out", v as i64),
            ProblemKind::BadIndex => write!(
                f,
                "an instruction of block {v} is said to begin outside of the block, or before the one in front of it; that was ignored"
            ),
            ProblemKind::LongBlock => write!(f, "block {v} is longer than any of a program; its first bytes were kept"),
            ProblemKind::NoBlock => write!(f, "block {v} was executed here, but the database has no such block"),
            ProblemKind::NotShown => write!(
                f,
                "there are more than {v} variables, files or buffers: this one and those behind it are shown in the details of points only"
            ),
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
