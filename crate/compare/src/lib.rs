//! What differs between two traces of one format. **A** is the base, **B** what is compared with
//! it.
//!
//! This crate reads no trace.
//!
//! **Figures** are compared of a [`Run`] for each recording: the figures of its functions, and
//! their typical self times over [`stretches`] of the run. Each side may have several runs.
//!
//! - [`join`] pairs functions by name. Those without a name are paired by address, relative to
//!   their module.
//! - [`compare`] makes a [`Row`] for each pair, with the difference and a [`Verdict`] on the self
//!   time of a call. [`verdict`] says when a difference counts as more than noise.
//! - [`mod@sentence`] says in words what has changed.
//! - [`flame`] merges the call paths of both into one tree, of which [`call_tree`] has rows.
//!
//! **Records** are compared one by one.
//!
//! - [`tokens`] makes a number of each record, equal where records are the same.
//! - [`align`] says which of two sequences of numbers belong together.
//! - [`positions`] keeps where they are.
//! - [`kinds`] says what a hunk is, and which of its records differ in arguments only.
//! - [`why`] follows values that differ back to where they come from, and [`shown`] has what its
//!   steps accessed.
//!
//! [`suspects`] ranks the statements of many runs by how much they go with failing.
//!
//! `docs/compare.md` defines what users see.

pub mod align;
pub mod call_tree;
pub mod flame;
pub mod join;
pub mod kinds;
pub mod positions;
pub mod profile;
pub mod rows;
pub mod sentence;
pub mod shown;
mod stretches;
pub mod suspects;
pub mod tokens;
pub mod verdict;
pub mod why;

pub use profile::{Figures, Function, Key, Run, Unit};
pub use rows::{Comparison, Row, compare};
pub use sentence::sentence;
pub use stretches::stretches;
pub use verdict::Verdict;
