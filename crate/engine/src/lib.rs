//! What a trace is once it is read.
//!
//! Event batches of a decoder go into a [`Store`]: tracks of nested slices in columns, with levels
//! of detail over each, and a call tree. A [`Session`] drives a decoder, and answers queries and
//! requests for details from the store. It is synchronous and does no I/O: the caller owns the file
//! and the loop.

mod call_tree;
mod chunked;
pub mod derived;
mod details;
pub mod find;
pub mod findings;
mod input;
pub mod jobs;
pub mod ledger;
mod neighbours;
mod overview;
pub mod pull;
pub mod read;
mod read_ahead;
mod report;
pub mod rows;
mod session;
pub mod statistics;
pub mod store;
mod stream;
pub mod tables;
mod turn;

pub use call_tree::{CallTree, NodeId, ROOT};
pub use details::{Described, Item};
pub use neighbours::{Found, Neighbour};
pub use overview::Overview;
pub use report::{ClockOut, ProblemCount, ProblemOut, ProgressOut, TraceInfo, TrackOut, refusal};
pub use rows::RowSink;
pub use session::{Session, Step};
pub use store::Store;
pub use store::jumps::Uncertainty;
pub use store::query::{CounterColumns, InstantColumns, MANY, QueryAnswer, RectColumns, TrackRows};
