//! Traces of GrammaTech's trace-db: the values of variables at points of a program's execution.
//!
//! A trace has neither a magic number nor a version, and there are two layouts; a file is
//! recognised by a consistent header. Points have numbers instead of times: the number is the x
//! axis.
//!
//! ```
//! # #[cfg(feature = "text")] {
//! use unspool_formats::recognise;
//! use unspool_formats::trace_db::encode::Writer;
//! use unspool_formats::trace_db::wire::{Layout, Number, Tables, Type};
//! use unspool_trace::{OpenOptions, Probe, Text};
//!
//! // Statement 12, where the int i is 3.
//! let int = Type { name: 0, format: 1, size: 4 };
//! let mut writer = Writer::new(Layout::Wide, Tables::new([&b"int"[..], b"i"], [int]));
//! writer.statement(12);
//! writer.number(1, 0, Number::Signed(3));
//! writer.end();
//! let file = writer.finish();
//!
//! let probe = Probe { head: &file, tail: &file, size: file.len() as u64, name: "" };
//! let (format, _) = recognise(&probe).expect("a trace-db trace");
//! let mut dump = (format.text)(&file, Text::Jsonl { blobs: false }, OpenOptions::default())?.expect("text");
//! let mut text = String::new();
//! let used = dump.push(&file, &mut text)?.used;
//! dump.end(&file[used..], &mut text)?;
//! assert!(text.contains("\"name\":\"i\",\"type\":\"int\",\"value\":3"));
//! # }
//! # Ok::<(), unspool_trace::Error>(())
//! ```

mod checkpoints;
mod cut;
mod decode;
mod details;
pub mod encode;
mod events;
mod fields;
mod index;
pub mod memory;
pub mod point;
pub mod problems;
mod sniff;
#[cfg(feature = "text")]
mod text;
mod to_batch;
mod tracks;
pub mod wire;

use alloc::boxed::Box;

use cut::cut;
use unspool_trace::companion::Companion;
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::info::{Nouns, Tab};
use unspool_trace::locator::Locator;
use unspool_trace::records::Same;
use unspool_trace::sniff::{Format, OpenOptions, Opened};
use wire::Layout;

use crate::table::{Executed, Reader, Row};
pub use index::{Places, open_places, open_records};

/// What a [`Locator`] of this format stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Located {
    /// A point, by the absolute offset of its first entry.
    Point(u64),
    /// The second kind: the buffer size at this absolute offset, which began a lifetime.
    BufferSize(u64),
}

impl From<Locator> for Located {
    fn from(locator: Locator) -> Self {
        if locator.is_other() { Self::BufferSize(locator.position()) } else { Self::Point(locator.position()) }
    }
}

impl From<Located> for Locator {
    fn from(located: Located) -> Self {
        match located {
            Located::Point(at) => Self::at(at),
            Located::BufferSize(at) => Self::other(at),
        }
    }
}

/// The row of the [`table`](crate::table).
pub const ROW: Row = Row {
    format: Format {
        id: "trace-db",
        name: "trace-db trace",
        opens: "traces of GrammaTech's trace-db, in the wide layout and the narrow one of 2017",
        nouns: Nouns {
            place: "byte",
            event: "point",
            record: "point",
            slice: "buffer",
            when_empty: "The trace has a header but no points: execution reached no instrumented statement.",
        },
        first_tab: Tab::Statements,
        columns: events::COLUMNS,
        companions: &[Companion::Names],
        problems: problems::KINDS,
        sniff: sniff::sniff,
        open,
        #[cfg(feature = "text")]
        text: text::open,
    },
    reader: Reader::Stream(open_records),
    has_arguments: false,
    same: Same {
        name: true,
        fields: &["statement"],
        full: &["statement"],
        of: Some("statement"),
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
    Ok(Opened::Stream(Box::new(events::TraceDbDecoder::new(layout(head, &options)?, head, options))))
}

/// The layout of a trace with this head, for [`point::Reader`]. `size` is that of the file in
/// bytes, if known.
///
/// # Errors
///
/// Fails if these bytes are not the head of a trace.
pub fn layout_of(head: &[u8], size: Option<u64>) -> Result<Layout> {
    layout(head, &OpenOptions { size, ..OpenOptions::default() })
}

fn layout(head: &[u8], options: &OpenOptions) -> Result<Layout> {
    let what = "it must match one of the two layouts of trace-db";
    let value = head.first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
    let size = options.size.unwrap_or(u64::MAX);
    sniff::layout(head, size).map(|found| found.layout).ok_or(Error::new(0, Cause::BadHeader { what, value }))
}
