//! What differs between two traces of one format. **A** is the base, **B** what is compared with it.
//!
//! This crate reads no trace. It is given a [`Run`] for each recording: the figures of its
//! functions, and their typical self times over stretches of the run
//! ([`stretches`]). Each side may have several runs.
//!
//! - [`join`] pairs functions by name. Those without a name are paired by address, relative to
//!   their module.
//! - [`compare`] makes a [`Row`] for each pair, with the difference and a [`Verdict`] on the self
//!   time of a call. [`verdict`] says when a difference counts as more than noise.
//! - [`sentence`] says in words what has changed.
//! - [`flame`] merges the call paths of both into one tree.
//!
//! `docs/compare.md` defines what users see.

pub mod flame;
pub mod join;
pub mod profile;
pub mod rows;
pub mod sentence;
mod stretches;
pub mod verdict;

pub use profile::{Figures, Function, Key, Run, Unit};
pub use rows::{Comparison, Row, compare};
pub use sentence::sentence;
pub use stretches::stretches;
pub use verdict::Verdict;
