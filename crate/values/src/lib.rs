//! The query language of GrammaTech's trace-db: which points of a trace have values as a predicate
//! wants them.
//!
//! [`Query::parse`] reads a query, [`Segment`] has the values of points as columns, and [`Run`]
//! evaluates the one over the other. The semantics are those of the reference (trace-db at
//! 405d681), where it is right: docs/values.md lists the differences. No I/O.
//!
//! # How a query is evaluated
//!
//! A query is read in either of its two forms (`lisp.rs`, `infix.rs`) into one structure
//! (`syntax.rs`).
//!
//! - `Loader` reads the trace from its beginning into segments of at most 16,384 points: columns of
//!   names and types (as one number), of values as 64 bits, and of buffer sizes as far as there are
//!   any.
//! - `Run` evaluates a query over segments, in turns that count the combinations of variables
//!   looked at. Parts of the predicate that are about one variable alone decide about its
//!   candidates first; the others are decided as soon as all their variables are bound.
//! - In the page they are a wasm module of the record worker (`web/trace/worker/values.ts`).
//!   `Values` keeps segments for the next question. What it finds crosses as `FoundRecords` and
//!   becomes hits of a search (`Binder::points`). The page knows such an expression by its
//!   beginning, `values:` (`web/trace/values_expression.ts`); `values_filter.ts` narrows the list
//!   of records to the hits.
//! - `Statements` counts points while segments are read for the first time. `Rows` is the table of
//!   one statement: a run whose results become rows, and `Invariants` compares its columns.
//!   `Variables`, `Buffers` and `Profiling` are passes over all segments. All are questions of
//!   `web/base/values_protocol.ts`, answered side by side.
//! - `why_none.rs` says why a query finds nothing.
//! - A `Profile` is what remains of a run to compare it with others, without its trace.
//! - A statement's name is given by a companion, as that of a function is: its key is the
//!   statement's number.
//! - Numbers are machine integers where they can be, and otherwise exact (`number.rs`). Nothing is
//!   rounded.

#![forbid(unsafe_code)]

extern crate alloc;

mod buffers;
mod chance;
mod columns;
mod facts;
mod findings;
mod found;
mod infix;
mod invariants;
mod lisp;
mod load;
mod number;
mod pick;
mod profile;
mod relations;
mod rows;
mod run;
mod statements;
mod syntax;
mod text;
mod values;
mod variables;
mod why_none;

pub use buffers::{At, BufferOrder, Buffers, Candidate, Lifetime, Suspicion};
pub use columns::{Dictionary, Segment, Value, put_value};
pub use facts::{Fact, Operand};
pub use findings::{FINDING_KINDS, ValueFindings};
pub use found::FoundPoints;
pub use invariants::{Invariant, Invariants, Relation};
pub use load::Loader;
pub use number::{Number, Operation};
pub use profile::{Profile, Profiling, Reached, ValueAt, Valued};
pub use relations::{Broken, Orders, Seen};
pub use rows::{Cell, Rows};
pub use run::{Match, Run};
pub use statements::{CELLS, Statements, Summary};
pub use syntax::{Allowed, Bytes, Comparison, Condition, Fault, FreeVariable, Place, Query, Term};
pub use values::{Slot, Step, Values};
pub use variables::{Moment, Variable, Variables};
