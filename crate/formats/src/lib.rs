//! Decoders and encoders for the trace formats that Unspool opens.
//!
//! Bytes come in, events go out. The caller owns every read and the loop ([`Decoder`]). No I/O, no
//! clock, no unsafe code, no panic on any input, no allocation that a count in a file can inflate.
//! `no_std` with `alloc`.
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
//! | `events.rs` | the [`Decoder`] or [`RowDecoder`]: phases, [`Info`] |
//! | `checkpoints.rs` | where decoding can resume |
//! | `index.rs` | what a reader needs to begin anywhere, and the reader ([`records`]) |
//! | `fields.rs` | the sink that passes records with their fields to a visitor |
//! | `steps.rs` | the sink that passes what steps read and wrote to an index ([`steps`]) |
//! | `details.rs` | one record in full, as fields with labels for people |
//! | `text.rs` | records as text, for people and for comparison with the reference tools |
//! | `problems.rs` | the table of what can be wrong with such a file |
//! | `encode.rs` | the mirror of `decode.rs` |
//! | `cut.rs` | a stretch of a trace as a trace of its own ([`cut`]) |
//!
//! Other files have the format's own nouns.

#![no_std]
#![forbid(unsafe_code)]
// Some items are used for printing only.
#![cfg_attr(not(feature = "text"), allow(dead_code))]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;
// Test helpers shared with `tests/` name the crate.
#[cfg(test)]
extern crate self as unspool_formats;

pub mod apitrace;
pub mod batch;
pub mod callees;
pub mod clean;
pub mod code;
pub mod companion;
pub mod container;
pub mod cut;
mod date;
pub mod decoder;
pub mod details;
pub mod drive;
pub mod error;
pub mod frames;
mod hex;
pub mod info;
pub mod input;
#[cfg(feature = "text")]
mod json;
pub mod limits;
pub mod locator;
mod names;
pub mod naming;
pub mod problem;
pub mod records;
pub mod rows;
pub mod rvn;
pub mod sniff;
pub mod sort;
mod statement;
pub mod steps;
pub mod table;
pub mod trace_db;
pub mod xray;

pub use batch::{EventBatch, EventKind, Orphans, Stacking, TrackDef, TrackId, TrackKind, ValueKind};
pub use callees::{Callees, Jumps};
pub use code::{Instructions, NoInstructions};
pub use companion::Companion;
pub use decoder::{Decoder, Progress, Want};
pub use details::{Field, RecordDetails, Value};
pub use error::{Cause, Error, Result};
pub use info::{Capability, Clock, Column, Info, Nouns, Shows, Tab};
pub use input::Cursor;
pub use limits::Limits;
pub use locator::Locator;
pub use naming::{Named, NamesFile, Naming};
pub use problem::{Problem, ProblemKind};
pub use records::{FieldValue, Lane, Operand, Pass, Piece, Record, RecordName, Records, Taint, Use, Visitor};
pub use rows::{Insert, Query, RowDecoder, RowError, RowScan, Rows};
pub use sniff::{Confidence, Format, Guess, OpenOptions, Opened, Probe, Text};
pub use statement::StatementId;
pub use table::{
    FORMATS, begin_cut, has_arguments, has_blocks, needs_decompressor, open_arguments, open_records, open_row_records,
    open_steps, recognise,
};
