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
//! - [`drawn`] compares what OpenGL calls add up to, and [`things`] resources and findings.
//! - [`flame`] merges the call paths of both into one tree, of which [`call_tree`] has rows.
//! - [`report`] is all of that as a document, and [`tables`] are the same as tables of [`parquet`].
//!
//! **Records** are compared one by one.
//!
//! - [`tokens`] makes a number of each record, equal where records are the same, but for what is to
//!   be ignored ([`mod@ignore`]), and [`sequence`] has them by thread, in two bytes each where they
//!   fit ([`token_list`]).
//! - [`threads`] pairs threads by their records.
//! - [`align`] says which of two sequences of numbers belong together, and [`calls`] does that
//!   within calls that belong together.
//! - [`differ`] does both for two threads, in turns. [`hunks`] says what each difference is
//!   ([`what`]), and which of its records differ in arguments only, by [`kinds`].
//! - [`alone`] says which instructions only one side has executed.
//! - [`positions`] keeps where records are.
//! - [`why`] follows values that differ back to where they come from, and [`shown`] has what its
//!   steps accessed.
//!
//! **Values** of two runs are compared by the [`unspool_values::Profile`] of each: [`values`].
//!
//! [`suspects`] ranks the statements of many runs by how much they go with failing.
//!
//! `docs/compare.md` defines what users see.

pub mod align;
pub mod alone;
pub mod call_tree;
pub mod calls;
mod contents;
pub mod differ;
pub mod drawn;
pub mod flame;
#[cfg(test)]
mod hostile;
pub mod hunks;
pub mod ignore;
pub mod join;
pub mod kinds;
mod names;
pub mod parquet;
pub mod positions;
pub mod profile;
pub mod report;
pub mod rows;
pub mod sentence;
pub mod sequence;
pub mod shown;
mod stretches;
pub mod suspects;
pub mod tables;
pub mod things;
pub mod threads;
pub mod token_list;
pub mod tokens;
pub mod values;
pub mod verdict;
pub mod what;
pub mod why;

pub use ignore::Ignore;
pub use profile::{Figures, Function, Key, Run, Unit};
pub use rows::{Comparison, Row, compare};
pub use sentence::sentence;
pub use stretches::stretches;
pub use verdict::Verdict;
