//! Traces of apitrace: calls of OpenGL, EGL and Direct3D with their arguments, versions 0 to 6.
//!
//! A trace is one stream of events in one of four containers (`unspool_containers`). It has no
//! timestamps. Calls of all threads are numbered in the order in which they begin, and that number
//! is the x axis.
//!
//! [`Located`] says what a locator stands for.
//!
//! ```
//! # #[cfg(feature = "text")] {
//! use unspool_formats::apitrace::encode::{FunctionSig, Value, Writer};
//! use unspool_formats::recognise;
//! use unspool_trace::{OpenOptions, Probe, Text};
//!
//! let clear = FunctionSig { id: 0, name: "glClear", args: &["mask"] };
//! let mut writer = Writer::new(&[("process.name", "demo")]);
//! writer.call(0, &clear, vec![Value::Uint(0x4000)], None);
//! let file = writer.finish();
//!
//! let probe = Probe { head: &file, tail: &file, size: file.len() as u64, name: "" };
//! let (format, _) = recognise(&probe).expect("an apitrace");
//! let mut dump = (format.text)(&file, Text::Apitrace { thread_ids: false }, OpenOptions::default())?.expect("text");
//! let mut text = String::new();
//! let used = dump.push(&file, &mut text)?.used;
//! dump.end(&file[used..], &mut text)?;
//! assert!(text.ends_with("0 glClear(mask = 16384)\n"));
//! # }
//! # Ok::<(), unspool_trace::Error>(())
//! ```

mod beginning;
mod call;
mod calls;
mod cut;
mod decode;
mod describe;
mod details;
pub mod encode;
mod events;
mod fields;
mod functions;
mod index;
#[cfg(feature = "text")]
mod json;
mod label;
#[cfg(feature = "text")]
mod lines;
mod lists;
#[cfg(feature = "text")]
mod numbers;
mod pass;
mod pending;
#[cfg(feature = "text")]
mod plain;
pub mod problems;
mod random_access;
mod records;
mod shapes;
mod skim;
mod source;
mod stream;
mod tables;
mod tape;
#[cfg(feature = "text")]
mod text;
mod to_batch;
pub mod wire;

#[cfg(test)]
#[path = "../../tests/apitrace_traces/mod.rs"]
mod traces;

use alloc::boxed::Box;
use alloc::format;

use beginning::Beginning;
use unspool_containers::Container;
use unspool_trace::companion::Companion;
use unspool_trace::error::Result;
use unspool_trace::info::{Nouns, Tab};
use unspool_trace::locator::Locator;
use unspool_trace::records::Same;
use unspool_trace::sniff::{Confidence, Format, Guess, OpenOptions, Opened, Probe};
use wire::StreamOffset;

use crate::table::{Executed, Reader, Row};

pub use call::{Call, CallVisitor, Calls, Name, Token, Values};
use cut::cut;
pub use functions::{ListRole, Marker, NameFlags, Renders, Uploads};
pub use index::{ApitraceRecords, open_records};
pub use lists::{Rendered, list_names};
pub use records::Scalar;

/// What a [`Locator`] of this format stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Located {
    /// A record at a position: the call whose ENTER event is at this offset of the decompressed
    /// stream.
    Call(StreamOffset),
    /// The second kind: the frame with this number, from 0.
    Frame(u64),
}

impl From<Locator> for Located {
    fn from(locator: Locator) -> Self {
        if locator.is_other() { Self::Frame(locator.position()) } else { Self::Call(StreamOffset(locator.position())) }
    }
}

impl From<Located> for Locator {
    #[inline]
    fn from(located: Located) -> Self {
        match located {
            Located::Call(at) => Self::at(at.0),
            Located::Frame(number) => Self::other(number),
        }
    }
}

/// The row of the [`table`](crate::table).
pub const ROW: Row = Row {
    format: Format {
        id: "apitrace",
        name: "apitrace trace",
        opens: "traces of versions 0 to 6, in Snappy, gzip, zstd or Brotli",
        nouns: Nouns {
            place: "byte",
            event: "call",
            record: "call",
            slice: "call",
            when_empty: "The trace holds no calls. The tracer writes 1 MiB at a time and when the program ends. This \
                        program was killed or crashed in a traced call before the first write, or it made no traced \
                        calls.",
        },
        first_tab: Tab::Frames,
        columns: events::COLUMNS,
        companions: &[Companion::Times],
        problems: problems::KINDS,
        sniff,
        open,
        #[cfg(feature = "text")]
        text: text::open,
    },
    reader: Reader::Stream(open_records),
    has_arguments: true,
    same: Same {
        name: true,
        fields: &["args", "ret", "flags"],
        full: &["args", "ret", "flags"],
        of: None,
        calls: [&[], &[]],
        threads_by_id: true,
    },
    executed: Executed::Unknown,
    cut: Some(cut),
};

/// What the decoder says of itself. A reference into `ROW` would drag all readers into the module
/// of the timeline.
const FORMAT: Format = ROW.format;

fn open(head: &[u8], options: OpenOptions) -> Result<Opened> {
    let beginning = Beginning::of(head);
    beginning.check_version()?;
    Ok(Opened::Stream(Box::new(events::ApitraceDecoder::new(beginning, options))))
}

fn sniff(probe: &Probe<'_>) -> Option<Guess> {
    let beginning = Beginning::of(probe.head);
    let version = beginning.walk.header().version;
    let snappy = beginning.container == Container::Snappy;
    let guess = |confidence, reason| Some(Guess { confidence, reason });
    if let Some(function) = beginning.first_function()
        && version <= wire::VERSION
    {
        let container = beginning.container.name();
        let reason = format!("{container} holds a trace of version {version} that begins with {function}");
        // Brotli has no magic number, so only the stream identifies the file.
        let certain = beginning.container != Container::Brotli;
        return guess(if certain { Confidence::Certain } else { Confidence::Likely }, reason);
    }
    if snappy && beginning.len == 0 && probe.size < 6 {
        return guess(Confidence::Likely, format!("only the {} bytes that a tracer writes first", probe.size));
    }
    let unsupported = beginning.broken.is_some_and(|b| b.version) && version < 64;
    if snappy && beginning.len > 0 && (unsupported || beginning.broken.is_none()) {
        return guess(Confidence::Likely, format!("Snappy chunks with a trace of version {version}"));
    }
    // A trace without calls has at most a header. A first name may be longer than what is decoded
    // here.
    let empty = beginning.len > 0 && beginning.broken.is_none() && beginning.walk.has_header();
    if empty && beginning.container != Container::Brotli && beginning.walk.calls() == 0 {
        return guess(
            Confidence::Possible,
            format!("{} holds the header of a trace of version {version}", beginning.container.name()),
        );
    }
    None
}
