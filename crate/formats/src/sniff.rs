//! Which format a file is of.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::decoder::{Decoder, TextDump};
use crate::error::Result;
use crate::limits::Limits;
use crate::problem::ProblemKind;
use crate::rows::RowDecoder;

/// What can be known of a file without reading it whole.
#[derive(Clone, Copy, Debug)]
pub struct Probe<'a> {
    /// The first bytes; 64 KiB are plenty.
    pub head: &'a [u8],
    /// The last bytes; may overlap with the head.
    pub tail: &'a [u8],
    /// Size of the file in bytes.
    pub size: u64,
    /// Its name; nothing but a tie-break.
    pub name: &'a str,
}

/// How sure a format is that a file is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// It could be, if nothing else claims it.
    Possible,
    /// Several fields agree.
    Likely,
    /// A magic number, or as good as one.
    Certain,
}

/// A format's claim on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// How sure.
    pub confidence: Confidence,
    /// Why, for people.
    pub reason: String,
}

/// How to open a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenOptions {
    /// Size of the file in bytes, where it is known: lengths are checked against it.
    pub size: Option<u64>,
    /// Bounds for what the file may ask for.
    pub limits: Limits,
}

/// Which text to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// One JSON object a record.
    Jsonl,
    /// What `apitrace dump -v --color=never` prints.
    Apitrace {
        /// With the thread before each call, as `--thread-ids=yes` has it.
        thread_ids: bool,
    },
}

/// How an opened file is read.
pub enum Opened {
    /// Byte by byte, pushed.
    Stream(Box<dyn Decoder>),
    /// Row by row, pulled out of a database.
    Rows(Box<dyn RowDecoder>),
}

impl Opened {
    /// The decoder of bytes, where it is one.
    pub fn stream(self) -> Option<Box<dyn Decoder>> {
        match self {
            Self::Stream(decoder) => Some(decoder),
            Self::Rows(_) => None,
        }
    }
}

/// Opens a file for its events.
pub type Open = fn(head: &[u8], OpenOptions) -> Result<Opened>;
/// Opens a file for its text.
pub type OpenText = fn(head: &[u8], Text, OpenOptions) -> Result<Option<Box<dyn TextDump>>>;

/// One line of [`crate::FORMATS`].
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// A stable word for it.
    pub id: &'static str,
    /// How people call it.
    pub name: &'static str,
    /// What can be opened of it, in a few words.
    pub opens: &'static str,
    /// The kinds of problems that only this format has.
    pub problems: &'static [&'static ProblemKind],
    /// Whether a file looks like one of this format.
    pub sniff: fn(&Probe<'_>) -> Option<Guess>,
    /// Begins to decode; fails when the head is of an unsupported version. `head` is the beginning of the file.
    pub open: Open,
    /// Begins to print, if this kind of text exists for the format.
    #[cfg(feature = "text")]
    pub text: OpenText,
}

/// The format that claims a file with the greatest confidence.
pub fn recognise(probe: &Probe<'_>) -> Option<(&'static Format, Guess)> {
    let mut best: Option<(&'static Format, Guess)> = None;
    for format in crate::FORMATS {
        if let Some(guess) = (format.sniff)(probe)
            && best.as_ref().is_none_or(|(_, b)| guess.confidence > b.confidence)
        {
            best = Some((format, guess));
        }
    }
    best
}

/// What a file that no format claims looks like, where it is something common: `a PNG picture`.
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
