//! What a trace is, whatever its format: events, records, steps, problems, facts, and the traits of
//! what reads them.
//!
//! A format (`crate/formats`) implements [`Decoder`] or [`RowDecoder`], [`Records`] or
//! [`records::RowRecords`], and [`steps::Steps`]. What reads traces uses those traits, and knows no
//! format. No I/O, no clock. `no_std` with `alloc`.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod batch;
pub mod bytes;
pub mod callees;
pub mod companion;
pub mod decoder;
pub mod details;
pub mod digest;
pub mod error;
pub mod even_sample;
pub mod figures;
pub mod finding;
pub mod info;
pub mod input;
pub mod instructions;
pub mod kept;
pub mod limits;
pub mod locator;
pub mod naming;
pub mod part;
pub mod paths;
pub mod printed;
pub mod problem;
pub mod records;
pub mod rows;
pub mod sniff;
pub mod sort;
pub mod statement;
pub mod steps;

pub use batch::{EventBatch, EventKind, Orphans, Stacking, TrackDef, TrackId, TrackKind, ValueKind};
pub use callees::{Callees, Jumps};
pub use companion::Companion;
pub use decoder::{Decoder, Progress, Want};
pub use details::{Field, RecordDetails, Value};
pub use digest::Digest;
pub use error::{Cause, Error, Result};
pub use finding::Finding;
pub use info::{Capability, Clock, Column, Info, Nouns, Shows, Tab};
pub use input::Cursor;
pub use instructions::{Instructions, NoInstructions};
pub use limits::Limits;
pub use locator::Locator;
pub use naming::{Named, NamesFile, Naming};
pub use part::Part;
pub use paths::{MOST_PATH_BYTES, check_path_bytes, path_sizes};
pub use printed::{beginning, is_invisible, printed, put_quoted};
pub use problem::{Problem, ProblemKind};
pub use records::{Extent, FieldValue, Lane, Operand, Pass, Piece, Record, RecordName, Records, Taint, Use, Visitor};
pub use rows::{Insert, Query, RowDecoder, RowError, RowScan, Rows};
pub use sniff::{Confidence, Format, Guess, OpenOptions, Opened, Probe, Text};
pub use statement::StatementId;
