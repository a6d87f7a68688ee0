//! The query language of GrammaTech's trace-db: which points of a trace have values as a predicate wants them.
//!
//! [`Query::parse`] reads a query, [`Segment`] has the values of points as columns, and [`Run`] evaluates the one over the
//! other. The semantics are those of the reference (trace-db at 405d681), where it is right: docs/values.md lists the
//! differences. No I/O.

#![forbid(unsafe_code)]

extern crate alloc;

mod buffers;
mod columns;
mod infix;
mod invariants;
mod lisp;
mod load;
mod number;
mod pick;
mod rows;
mod run;
mod statements;
mod syntax;
mod values;
mod variables;

pub use buffers::{At, BufferOrder, Buffers, Candidate, Lifetime, Suspicion};
pub use columns::{Dictionary, Segment, Value};
pub use invariants::{Invariant, Invariants, Relation};
pub use load::Loader;
pub use number::{Number, Operation};
pub use rows::{Cell, Rows};
pub use run::{Match, Run};
pub use statements::{CELLS, Statements, Summary};
pub use syntax::{Allowed, Comparison, Condition, Fault, FreeVariable, Place, Query, Term};
pub use values::{FoundPoints, Slot, Step, Values, put_value};
pub use variables::{Moment, Variable, Variables};
