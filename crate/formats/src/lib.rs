//! Decoders and encoders for the trace formats that Unspool opens.
//!
//! Bytes come in, events go out. The caller owns every read and the loop
//! ([`Decoder`](unspool_trace::Decoder)). No I/O, no clock, no unsafe code, no panic on any input,
//! no allocation that a count in a file can inflate. `no_std` with `alloc`.
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
    open_steps, recognise,
};
