//! Traces of GrammaTech's trace-db: the values of variables at points of a program's execution.
//!
//! There is neither magic nor version, and there are two layouts; the header must be consistent. There is no time in it:
//! points are numbered, and that number is the x axis.

mod decode;
mod details;
pub mod encode;

mod events;
pub mod memory;
mod places;
pub mod point;
pub mod problems;
mod sniff;
#[cfg(feature = "text")]
mod text;
mod tracks;
pub mod wire;

use alloc::boxed::Box;

use crate::error::{Cause, Error, Result};
use crate::sniff::{Format, OpenOptions, Opened};

use wire::Layout;

/// Bit of a locator: the rest is the offset of the buffer size that a lifetime begins with. Without it, it is the offset of
/// a point's first entry.
pub const BUFFER: u64 = 1 << 63;

/// The line in [`crate::FORMATS`].
pub const FORMAT: Format = Format {
    id: "trace-db",
    name: "trace-db trace",
    opens: "traces of GrammaTech's trace-db, in the wide layout and the narrow one of 2017",
    problems: problems::KINDS,
    sniff: sniff::sniff,
    open,
    #[cfg(feature = "text")]
    text: text::open,
};

fn open(head: &[u8], options: OpenOptions) -> Result<Opened> {
    Ok(Opened::Stream(Box::new(events::TraceDbDecoder::new(layout(head, &options)?, head, options))))
}

fn layout(head: &[u8], options: &OpenOptions) -> Result<Layout> {
    let what = "neither layout of trace-db fits";
    let value = head.first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
    let size = options.size.unwrap_or(u64::MAX);
    sniff::layout(head, size).map(|j| j.layout).ok_or(Error::new(0, Cause::BadHeader { what, value }))
}
