//! The table of formats, and what is found in it.
//!
//! A format is a row: the constant `ROW` of its folder. A program that asks for one column must not
//! contain the code behind the others, because a wasm module is loaded over a network: that of the
//! timeline has no use for readers of records. So each column is a static of its own. The rows are
//! constants, which no program contains as such.

use alloc::boxed::Box;

use unspool_containers::{Container, may_be_brotli};
use unspool_cut::{Cut, CutOptions};
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::records::{Records, RowRecords, Same};
use unspool_trace::sniff::{Confidence, Format, Guess, Probe};
use unspool_trace::steps::Steps;

/// Opens a reader of records with the index that a decoder of the format made. Fails if these bytes
/// are not an index of this version of the program.
pub type OpenRecords = fn(index: &[u8]) -> Result<Box<dyn Records>>;
/// Makes the reader of a database. It has read nothing yet.
pub type OpenRowRecords = fn() -> Box<dyn RowRecords>;
/// Opens a reader of steps with an index, as [`OpenRecords`].
pub type OpenSteps = fn(index: &[u8]) -> Result<Box<dyn Steps>>;
/// Begins to cut a file, given its head. Fails if the version is not supported.
pub type BeginCut = fn(head: &[u8], CutOptions) -> Result<Box<dyn Cut>>;

/// All there is to know about a format before a file is opened.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What it is, how a file of it is recognised, and how it is decoded.
    pub format: Format,
    /// How its records are read again.
    pub reader: Reader,
    /// Whether records have arguments, which exports show with the slices. Operands of instructions
    /// are not arguments, nor are values of variables, which are counters already.
    pub has_arguments: bool,
    /// What makes two of its records the same, when traces are compared.
    pub same: Same,
    /// How it is known what was executed.
    pub executed: Executed,
    /// Writes parts of a trace. `None` for a database, which is not written in order and has SQL
    /// instead.
    pub cut: Option<BeginCut>,
}

/// How the records of a format are read again.
#[derive(Clone, Copy, Debug)]
pub enum Reader {
    /// From the bytes of a file.
    Stream(OpenRecords),
    /// From the rows of a database.
    Database(OpenRowRecords),
}

/// How it is known which instructions a trace executed.
#[derive(Clone, Copy, Debug)]
pub enum Executed {
    /// It is not.
    Unknown,
    /// From its steps, with what they read and wrote.
    Steps(OpenSteps),
    /// From runs of blocks: the tables `blocks` and `execution` of its database.
    Blocks,
}

/// Makes each column of the rows of some folders.
macro_rules! formats {
    ($($folder:ident),*) => {
        /// Every format, in the order in which ties between equally confident guesses are broken.
        pub static FORMATS: &[Format] = &[$(crate::$folder::ROW.format),*];

        static READERS: &[(&str, Reader)] = &[$((crate::$folder::ROW.format.id, crate::$folder::ROW.reader)),*];

        static ARGUMENTS: &[(&str, Option<OpenRecords>)] = &[$((
            crate::$folder::ROW.format.id,
            match crate::$folder::ROW {
                Row { reader: Reader::Stream(open), has_arguments: true, .. } => Some(open),
                _ => None,
            },
        )),*];

        static STEP_RECORDS: &[(&str, Option<OpenRecords>)] = &[$((
            crate::$folder::ROW.format.id,
            match crate::$folder::ROW {
                Row { reader: Reader::Stream(open), executed: Executed::Steps(_), .. } => Some(open),
                _ => None,
            },
        )),*];

        static SAMES: &[(&str, Same)] = &[$((crate::$folder::ROW.format.id, crate::$folder::ROW.same)),*];

        static EXECUTED: &[(&str, Executed)] = &[$((crate::$folder::ROW.format.id, crate::$folder::ROW.executed)),*];

        static CUTS: &[(fn(&Probe<'_>) -> Option<Guess>, Option<BeginCut>)] =
            &[$((crate::$folder::ROW.format.sniff, crate::$folder::ROW.cut)),*];
    };
}

formats!(xray, apitrace, frames, trace_db, rvn);

/// What a column has for a format.
fn find<T: Copy>(column: &[(&str, T)], format: &str) -> Option<T> {
    column.iter().find(|(id, _)| *id == format).map(|(_, of)| *of)
}

fn misuse(what: &'static str) -> Error {
    Error::new(0, Cause::Misuse(what))
}

/// The format that claims a file with the highest confidence. The first in [`FORMATS`] wins ties.
pub fn recognise(probe: &Probe<'_>) -> Option<(&'static Format, Guess)> {
    let mut best: Option<(&'static Format, Guess)> = None;
    for format in FORMATS {
        if let Some(guess) = (format.sniff)(probe)
            && best.as_ref().is_none_or(|(_, b)| guess.confidence > b.confidence)
        {
            best = Some((format, guess));
        }
    }
    best
}

/// Whether only a decompressor shows which format a file has: no format that is certain needs none.
/// For a program that provides them on demand ([`unspool_containers::provide`]), before it calls
/// [`recognise`].
pub fn needs_decompressor(probe: &Probe<'_>) -> bool {
    let container = Container::of(probe.head);
    container.is_provided()
        && (container != Container::Brotli || may_be_brotli(probe.head))
        && recognise(probe).is_none_or(|(_, guess)| guess.confidence != Confidence::Certain)
}

/// Opens the reader of records of the format with this id, with the index that its decoder made.
///
/// # Errors
///
/// Returns [`Cause::Misuse`] if it is not a format that is read as bytes, or these bytes are not an
/// index of this version of the program.
pub fn open_records(format: &str, index: &[u8]) -> Result<Box<dyn Records>> {
    match find(READERS, format) {
        Some(Reader::Stream(open)) => open(index),
        _ => Err(misuse("this format has no reader of records")),
    }
}

/// Opens the reader of records of the format with this id whose traces are databases.
///
/// # Errors
///
/// Returns [`Cause::Misuse`] if it is not such a format.
pub fn open_row_records(format: &str) -> Result<Box<dyn RowRecords>> {
    match find(READERS, format) {
        Some(Reader::Database(open)) => Ok(open()),
        _ => Err(misuse("this format has no reader of records")),
    }
}

/// As [`open_records`], for a format whose records have arguments. A program that reads only these
/// contains no other readers.
///
/// # Errors
///
/// Returns [`Cause::Misuse`] if records of the format have none, or these bytes are not an index of
/// it.
pub fn open_arguments(format: &str, index: &[u8]) -> Result<Box<dyn Records>> {
    let open = find(ARGUMENTS, format).flatten();
    open.ok_or(misuse("records of this format have no arguments"))?(index)
}

/// Whether [`open_arguments`] opens traces of the format with this id.
pub fn has_arguments(format: &str) -> bool {
    find(ARGUMENTS, format).flatten().is_some()
}

/// As [`open_records`], for a format that [`open_steps`] opens. A program that reads only these
/// contains no other readers.
///
/// # Errors
///
/// Returns [`Cause::Misuse`] if the format does not say what steps access, or these bytes are not
/// an index of it.
pub fn open_step_records(format: &str, index: &[u8]) -> Result<Box<dyn Records>> {
    let open = find(STEP_RECORDS, format).flatten();
    open.ok_or(misuse("this format does not say what its steps read and wrote"))?(index)
}

/// What makes two records of the format with this id the same. `None` if there is no such format.
pub fn same(format: &str) -> Option<Same> {
    find(SAMES, format)
}

/// Opens the reader of steps of the format with this id, with the index that its decoder made.
///
/// # Errors
///
/// Returns [`Cause::Misuse`] if the format does not say what steps access, or these bytes are not
/// an index of it.
pub fn open_steps(format: &str, index: &[u8]) -> Result<Box<dyn Steps>> {
    match find(EXECUTED, format) {
        Some(Executed::Steps(open)) => open(index),
        _ => Err(misuse("this format does not say what its steps read and wrote")),
    }
}

/// Whether what traces of the format with this id executed is in tables of runs of blocks
/// ([`Executed::Blocks`]).
pub fn has_blocks(format: &str) -> bool {
    matches!(find(EXECUTED, format), Some(Executed::Blocks))
}

/// Begins to cut a file, given what is known about it. `None` if its format cannot be cut.
///
/// # Errors
///
/// Fails if the version is not supported.
pub fn begin_cut(probe: &Probe<'_>, options: CutOptions) -> Option<Result<Box<dyn Cut>>> {
    let mut best: Option<(Confidence, BeginCut)> = None;
    for (sniff, cut) in CUTS {
        if let Some(begin) = cut
            && let Some(guess) = sniff(probe)
            && best.is_none_or(|(confidence, _)| guess.confidence > confidence)
        {
            best = Some((guess.confidence, *begin));
        }
    }
    best.map(|(_, begin)| begin(probe.head, options))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_of_something_else_is_refused() {
        assert!(open_records("nothing", &[]).is_err());
        for (format, reader) in READERS {
            assert_eq!(open_row_records(format).is_ok(), matches!(reader, Reader::Database(_)), "{format}");
            assert!(open_records(format, &[1, 2, 3]).is_err(), "{format}");
            assert!(open_arguments(format, &[1, 2, 3]).is_err(), "{format}");
            assert!(open_steps(format, &[1, 2, 3]).is_err(), "{format}");
        }
    }

    #[test]
    fn ids_are_unique() {
        for (i, format) in FORMATS.iter().enumerate() {
            assert!(FORMATS.iter().skip(i + 1).all(|other| other.id != format.id), "{}", format.id);
        }
    }
}
