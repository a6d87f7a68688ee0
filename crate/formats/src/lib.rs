//! Decoders and encoders for the trace formats that Unspool opens.
//!
//! Bytes come in, events go out. The caller owns every read and the loop
//! ([`Decoder`](unspool_trace::Decoder)). No I/O, no clock, no unsafe code, no panic on any input,
//! no allocation that a count in a file can inflate. `no_std` with `alloc`.
//!
//! # Reading a trace
//!
//! [`recognise`] finds the format of a file; [`Format::open`](unspool_trace::Format::open) opens
//! it. A decoder takes bytes in portions of any size and fills batches of events: slices that begin
//! and end, instants, samples of counters, with the tracks and names that they refer to.
//!
//! ```
//! use unspool_formats::recognise;
//! use unspool_formats::xray::encode::{FdrBuffer, header};
//! use unspool_formats::xray::wire::{FunctionKind, Mode};
//! use unspool_trace::{EventBatch, EventKind, OpenOptions, Probe, Want};
//!
//! // A log of one thread, in which function 7 runs for 200 ticks.
//! let mut buffer = FdrBuffer::new(4711, 4711, 0, 1_000, (0, 0));
//! buffer.function(FunctionKind::Enter, 7, 1_100);
//! buffer.function(FunctionKind::Exit, 7, 1_300);
//! let mut file = header(Mode::Fdr, 1_000_000_000, 4096).to_bytes().to_vec();
//! file.extend(buffer.finish());
//!
//! let probe = Probe { head: &file, tail: &file, size: file.len() as u64, name: "app.xray" };
//! let (format, _) = recognise(&probe).expect("an XRay log");
//! assert_eq!(format.id, "xray");
//!
//! let mut decoder = (format.open)(&file, OpenOptions::default())?.stream().expect("a stream of bytes");
//! let mut batch = EventBatch::with_capacity(1024);
//! let (mut at, mut ended) = (0, false);
//! loop {
//!     let want = decoder.want();
//!     match want {
//!         Want::Nothing => break,
//!         Want::Seek { at: to, .. } if to as usize != at => at = to as usize,
//!         Want::Seek { .. } | Want::Next => {}
//!     }
//!     let used = decoder.push(&file[at..], &mut batch)?.used;
//!     at += used;
//!     if used == 0 && decoder.want() == want && !batch.is_full() {
//!         // It needs more bytes, and there are none.
//!         assert!(!std::mem::replace(&mut ended, true));
//!         decoder.end(&file[at..], &mut batch)?;
//!     }
//! }
//! decoder.finish(&mut batch);
//! assert_eq!(batch.kinds, [EventKind::Begin, EventKind::End]);
//! assert_eq!(batch.times, [1_100, 1_300]);
//! # Ok::<(), unspool_trace::Error>(())
//! ```
//!
//! Each format's module has an example with a trace of that format: [`xray`], [`apitrace`],
//! [`frames`], [`trace_db`] and [`rvn`].
//!
//! # Features
//!
//! | feature | without it |
//! |---|---|
//! | `std` (default) | `no_std` with `alloc`. Traces in Snappy, those of apitrace, cannot be opened |
//! | `decompressors` (default) | apitraces in gzip, zstd and Brotli cannot be opened, unless decompressors are provided at run time (`unspool_containers::provide`) |
//! | `text` (default) | records are not printed: [`Format::text`](unspool_trace::Format::text) returns `None` |
//!
//! # Minimum version of Rust
//!
//! 1.88; Clippy checks that nothing newer of the standard library is used. A newer one is needed
//! only in a new minor version.
//!
//! # Layout
//!
//! A format is one folder and one row of the [`table`]. The same file name means the same role in
//! each folder:
//!
//! | file | role |
//! |---|---|
//! | `mod.rs` | the `ROW`, sniffing, what its locators stand for |
//! | `wire.rs` | layout and primitives |
//! | `decode.rs` | the state machine: bytes (or rows) to records, passed to a sink |
//! | `to_batch.rs` | the sink that turns records into events |
//! | `events.rs` | the [`Decoder`](unspool_trace::Decoder) or [`RowDecoder`](unspool_trace::RowDecoder): phases, [`Info`](unspool_trace::Info) |
//! | `checkpoints.rs` | where decoding can resume |
//! | `index.rs` | what a reader needs to begin anywhere, and the reader ([`Records`](unspool_trace::Records)) |
//! | `fields.rs` | the sink that passes records with their fields to a visitor |
//! | `steps.rs` | the sink that passes what steps read and wrote to an index ([`Steps`](unspool_trace::steps::Steps)) |
//! | `details.rs` | one record in full, as fields with labels for people |
//! | `text.rs` | records as text, for people and for comparison with the reference tools |
//! | `problems.rs` | the table of what can be wrong with such a file |
//! | `encode.rs` | the mirror of `decode.rs` |
//! | `cut.rs` | a part of a trace as a trace of its own ([`Cut`](unspool_cut::Cut)) |
//!
//! Other files have the format's own nouns.

#![no_std]
#![forbid(unsafe_code)]
// Some items are used for printing only.
#![cfg_attr(not(feature = "text"), allow(dead_code))]

extern crate alloc;
#[cfg(test)]
extern crate std;
// Test helpers shared with `tests/` name the crate.
#[cfg(test)]
extern crate self as unspool_formats;

pub mod apitrace;
mod date;
pub mod frames;
mod hex;
#[cfg(feature = "text")]
mod json;
mod names;
mod pieces;
pub mod rvn;
pub mod table;
pub mod trace_db;
pub mod xray;

pub use table::{
    FORMATS, begin_cut, has_arguments, has_blocks, needs_decompressor, open_arguments, open_records, open_row_records,
    open_step_records, open_steps, recognise,
};
