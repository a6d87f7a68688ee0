//! Errors, for serialisation.

use serde::Serialize;
use unspool_trace::error::Class;
use unspool_trace::{Error, RowError};

/// Why a file cannot be opened, or where reading stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
pub struct TraceErrorOut {
    /// A stable id of the error's class.
    #[cfg_attr(feature = "typescript", tsify(type = "ErrorKind"))]
    pub kind: &'static str,
    /// One or two sentences: what is wrong, and what to do.
    pub sentence: String,
    /// Absolute offset in the file, if the error has one.
    pub offset: Option<u64>,
}

impl From<Error> for TraceErrorOut {
    fn from(error: Error) -> Self {
        Self { kind: class_word(error.class()), sentence: error.sentence(), offset: Some(error.at) }
    }
}

impl From<RowError> for TraceErrorOut {
    fn from(error: RowError) -> Self {
        Self { kind: class_word(error.class), sentence: error.sentence, offset: None }
    }
}

/// The stable id of a class of errors.
pub fn class_word(class: Class) -> &'static str {
    match class {
        Class::Malformed => "malformed",
        Class::Truncated => "truncated",
        Class::Unsupported => "unsupported",
        Class::Limit => "limit",
        Class::Unreadable => "unreadable",
        Class::Misuse => "crashed",
    }
}
