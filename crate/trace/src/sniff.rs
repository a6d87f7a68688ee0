//! Format detection and opening.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::companion::Companion;
use crate::decoder::{Decoder, TextDump};
use crate::error::Result;
use crate::info::{Column, Nouns, Tab};
use crate::limits::Limits;
use crate::problem::ProblemKind;
use crate::rows::RowDecoder;

/// What is known about a file before it is read.
#[derive(Clone, Copy, Debug)]
pub struct Probe<'a> {
    /// The first bytes; 64 KiB are enough.
    pub head: &'a [u8],
    /// The last bytes. May overlap the head.
    pub tail: &'a [u8],
    /// Size of the file in bytes.
    pub size: u64,
    /// Its name, used only to break ties.
    pub name: &'a str,
}

/// How certain it is that a file has a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Nothing contradicts it.
    Possible,
    /// Several fields agree.
    Likely,
    /// A magic number, or equivalent evidence.
    Certain,
}

/// A format's claim on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// How certain it is.
    pub confidence: Confidence,
    /// The evidence, in a few words.
    pub reason: String,
}

/// How to open a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenOptions {
    /// Size of the file in bytes, if known. Lengths are checked against it.
    pub size: Option<u64>,
    /// Limits on what the file may demand.
    pub limits: Limits,
    /// Puts the callee of a tail call under the function that left by it, in formats that record
    /// tail calls. Otherwise it is beside it.
    pub nest_tail_calls: bool,
}

/// The text to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// One JSON object per record.
    Jsonl {
        /// With what is in the blobs of apitrace, not only their lengths.
        blobs: bool,
    },
    /// The output of `apitrace dump -v --color=never`.
    Apitrace {
        /// With the thread before each call, as with `--thread-ids=yes`.
        thread_ids: bool,
    },
}

/// Formats are the same if their ids are.
impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Format {}

/// How an opened file is read.
pub enum Opened {
    /// Bytes are pushed to the decoder.
    Stream(Box<dyn Decoder>),
    /// Rows are pulled from a database.
    Rows(Box<dyn RowDecoder>),
}

impl Opened {
    /// The decoder, if it takes bytes.
    pub fn stream(self) -> Option<Box<dyn Decoder>> {
        match self {
            Self::Stream(decoder) => Some(decoder),
            Self::Rows(_) => None,
        }
    }
}

/// Opens a file to decode events.
pub type Open = fn(head: &[u8], OpenOptions) -> Result<Opened>;
/// Opens a file to print text. Returns `None` if the format does not have this kind of text.
pub type OpenText = fn(head: &[u8], Text, OpenOptions) -> Result<Option<Box<dyn TextDump>>>;

/// What a format is, and how files of it are recognised and decoded: a part of its `Row`.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// A stable id.
    pub id: &'static str,
    /// The name shown.
    pub name: &'static str,
    /// Which files and versions can be opened, in a few words.
    pub opens: &'static str,
    /// What the parts of such a trace are called.
    pub nouns: Nouns,
    /// The tab that opens first.
    pub first_tab: Tab,
    /// The columns of the list of records.
    pub columns: &'static [Column],
    /// The kinds of files that add to such a trace.
    pub companions: &'static [Companion],
    /// The kinds of problems that only this format has.
    pub problems: &'static [&'static ProblemKind],
    /// Returns the format's claim on a file, if it makes one.
    pub sniff: fn(&Probe<'_>) -> Option<Guess>,
    /// Opens a file, given its head. Fails if the version is not supported.
    pub open: Open,
    /// Opens a file to print text.
    #[cfg(feature = "text")]
    pub text: OpenText,
}

/// Describes a file that no format claims, such as `a PNG picture`, if it is of a common kind.
pub fn looks_like(head: &[u8]) -> Option<&'static str> {
    const KNOWN: &[(&[u8], &str)] = &[
        (b"\x7fELF", "an ELF binary"),
        (b"\x89PNG", "a PNG picture"),
        (b"\xff\xd8\xff", "a JPEG picture"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x1f\x8b", "a gzip file"),
        (b"\x28\xb5\x2f\xfd", "a zstd file"),
        (b"%PDF", "a PDF document"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"MZ", "a Windows program"),
        (b"#!", "a script"),
        (b"<!DOCTYPE", "a web page"),
        (b"<html", "a web page"),
    ];
    if let Some((_, what)) = KNOWN.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Some(what);
    }
    let text: Vec<u8> = head.iter().copied().take(512).collect();
    match text.iter().find(|b| !b.is_ascii_whitespace()) {
        None => None,
        Some(b'{' | b'[') => Some("JSON text"),
        Some(_) if text.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()) => Some("plain text"),
        Some(_) => None,
    }
}
