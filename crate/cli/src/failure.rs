//! Why a command failed: as a sentence for people, and as an object for programs.

use std::fmt::{self, Display, Formatter};
use std::io;

use serde::Serialize;
use unspool_records::TraceErrorOut;

use crate::unpack::Archive;
use crate::{console, interrupt};

/// The kind of a failure whose cause is in the arguments.
pub(crate) const USAGE: &str = "usage";
/// There is no such file.
const MISSING: &str = "missing";
/// The trace, or its format, does not have what is asked for.
pub(crate) const UNSUPPORTED: &str = "unsupported";
/// Anything else.
const FAILED: &str = "failed";
/// The system did not read or write.
const IO: &str = "io";
const INTERRUPTED: &str = "interrupted";

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// A word for programs: docs/scripts.md lists them.
    kind: &'static str,
    /// The file that it is about.
    file: Option<String>,
    /// Where in the file, in bytes.
    offset: Option<u64>,
    sentence: String,
    io_kind: Option<io::ErrorKind>,
    /// The file is an archive with several traces.
    pub(crate) archive: Option<Box<Archive>>,
}

impl Failure {
    /// A failure that is about no file.
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        Self { kind: FAILED, file: None, offset: None, sentence, io_kind: None, archive: None }
    }

    /// What is wrong with the arguments.
    pub(crate) fn usage(sentence: impl Into<String>) -> Self {
        Self { kind: USAGE, ..Self::new(sentence) }
    }

    /// What is wrong with a file, or with what is asked of it.
    pub(crate) fn of(file: impl Display, what: impl Display) -> Self {
        Self { kind: "trace", file: Some(file.to_string()), ..Self::new(what.to_string()) }
    }

    /// What the system says of a file.
    pub(crate) fn io(file: impl Display, error: &io::Error) -> Self {
        let kind = if error.kind() == io::ErrorKind::NotFound { MISSING } else { IO };
        Self { kind, io_kind: Some(error.kind()), ..Self::of(file, error) }
    }

    /// The error of a trace.
    pub(crate) fn trace(file: impl Display, error: &TraceErrorOut) -> Self {
        Self { offset: error.offset, kind: error.kind, ..Self::of(file, &error.sentence) }
    }

    /// A file with several traces, one of which must be named.
    pub(crate) fn archive(file: &str, archive: Archive) -> Self {
        Self { kind: "archive", file: Some(file.into()), archive: Some(Box::new(archive)), ..Self::new("") }
    }

    /// What was stopped by the user.
    pub(crate) fn interrupted(sentence: &str) -> Self {
        Self { kind: INTERRUPTED, ..Self::new(sentence) }
    }

    /// The trace does not have what is asked for.
    pub(crate) fn unsupported(self) -> Self {
        Self { kind: UNSUPPORTED, ..self }
    }

    /// Where in the file, in bytes.
    pub(crate) fn at(self, offset: u64) -> Self {
        Self { offset: Some(offset), ..self }
    }

    /// The same, as what is wrong with the arguments.
    pub(crate) fn into_usage(self) -> Self {
        Self { kind: USAGE, ..self }
    }

    /// Whether the arguments are wrong.
    pub(crate) fn is_usage(&self) -> bool {
        self.kind == USAGE
    }

    /// Where in the file, in bytes.
    pub(crate) fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// Whether the reader of a pipe has closed it: `unspool dump … | head`.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        self.io_kind == Some(io::ErrorKind::BrokenPipe)
    }

    /// Whether it says that the file is not a trace, or that nothing can be read of it. A failure
    /// of the system, such as a full disk, says nothing about the trace.
    pub(crate) fn is_about_the_trace(&self) -> bool {
        ![USAGE, MISSING, IO, INTERRUPTED].contains(&self.kind)
    }

    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        if self.kind == INTERRUPTED { interrupt::STATUS } else { 2 }
    }

    /// Prints it to standard error.
    pub(crate) fn say(&self) {
        let sentence = self.archive.as_ref().map_or_else(|| self.sentence.clone(), |archive| archive.sentence());
        console::say_as(format_args!("unspool: {self}"), "error", || Out {
            kind: self.kind,
            message: &sentence,
            file: self.file.as_deref(),
            offset: self.offset,
        });
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(archive) = &self.archive {
            return f.write_str(&archive.sentence());
        }
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        if let Some(offset) = self.offset {
            write!(f, "at byte {offset}: ")?;
        }
        f.write_str(&self.sentence)
    }
}

/// What programs get of a failure.
#[derive(Serialize)]
pub(crate) struct Out<'a> {
    pub(crate) kind: &'a str,
    pub(crate) message: &'a str,
    pub(crate) file: Option<&'a str>,
    /// In bytes.
    pub(crate) offset: Option<u64>,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        // An error of the command itself that passes through a writer has a sentence of its own.
        let kind = if error.kind() == io::ErrorKind::Other { FAILED } else { IO };
        Self { io_kind: Some(error.kind()), kind, ..Self::new(error.to_string()) }
    }
}
