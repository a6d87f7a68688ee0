//! The records of a trace, read again from its file: lists of them, and one in full.
//!
//! A [`RecordReader`] has what the decoder handed over, or a database, and reads the file where it
//! needs. It knows nothing of the store, so that it can live in another worker than the session.
//!
//! The store keeps what the picture needs. Everything else of a record is read again from the file,
//! by a [`Records`](unspool_trace::Records) of its format, which has the index and no other state.
//!
//! - A **pass** visits every record of some *pieces* of the file in file order, with its fields,
//!   borrowed: locator, row, position, track, name, then a `Visitor` gets each field. It decides
//!   per record whether it wants fields. A pass is a sink of the walk that also feeds the timeline
//!   and the text dump (`fields.rs` of each format). Values of an apitrace call come with two
//!   events, so they are kept on a tape until the call returns.
//! - **Lanes** are records that are in order: one for most files, one per thread for an XRay log,
//!   whose buffers are in the order of a queue. Pieces of at most 4096 records, or 32 to 256 KiB,
//!   can be read without what comes before.
//! - A [`RecordReader`] reads the file synchronously where it needs. A **list** of a range and some
//!   tracks is arithmetic where the order of rows says it all; else every record is looked at, in
//!   turns, and a bitmap with counts remembers which ones belong (`picked.rs`). Lanes are merged by
//!   position around the rows asked for (`list.rs`).
//! - A database is read through SQL (`RowRecords`). A row is a transition there, so no index is
//!   needed.
//! - In the page, `web/timeline/events.ts` keeps blocks of 64 rows, and `web/parts/proportional.ts`
//!   scrolls in proportion where a browser cannot lay out as many pixels.
//!
//! While the file is being read, a question about a record fetches a new index if the last one is
//! older than a moment. If an index from before the question leads to an error, the page asks once
//! more with a new one. Lists wait for the end. A trap in the record worker becomes an error event,
//! after which the page starts another one.
//!
//! State at a step, graphics and replay read the file in the same way: [`ByteSource`] is the file,
//! [`Window`] the part of it that was read last, and [`mod@drive`] the one driver of passes.

#![forbid(unsafe_code)]

mod collect;
pub mod details;
pub mod drive;
pub mod error;
#[cfg(feature = "memory")]
pub mod memory;
pub mod picked;
mod reader;
mod rows;
mod source;
mod tabulate;
mod visitors;

pub use collect::{Collect, CollectedColumns, NO_TEXT, NumberKind, OTHER_TEXT, Wanted};
pub use details::{FieldOut, RecordOut};
pub use error::TraceErrorOut;
pub use reader::{AHEAD, Beside, ByTrack, List, RecordReader, RowOut, Scope, Survey};
pub use rows::RowSource;
pub use source::{ByteSource, Reads, UNREADABLE, Unreadable, Window, drive, fill, run_pass};
pub use tabulate::{TableBytes, TableSink, Tabulate};
