//! The filter language of searches and lists. `docs/find.md` describes it for people.
//!
//! An expression is parsed ([`syntax`]) and bound to a trace ([`query`]): it becomes alternatives,
//! each of conditions that hold together. The store of the engine answers those on names, durations
//! and the like ([`SliceQuery`]). [`Search`] evaluates the others on records ([`RecordQuery`]).
//!
//! In the page, parser and regular expressions (feature `regex`) are a wasm module of their own,
//! loaded with the first search: they are large, and the session needs neither.
//!
//! # How an expression is evaluated
//!
//! - *Slice terms* (name, thread, position, duration, depth, flags) are answered by the job `Find`:
//!   one scan over the call-tree nodes of all columns. Names are decided once, by number.
//! - *Record terms* are evaluated by `Search`, a visitor of a pass in the record worker. It decides
//!   by name, thread and position first and visits the fields of what is left. Where names and keys
//!   are known before the values, as in an apitrace, it is asked then (`Visitor::may_want`), and
//!   the values of other functions are skipped. What it finds crosses in portions and becomes the
//!   slice or instant that the record begins, or a point. What only the store knows is checked
//!   then. A word is both kinds of term.
//! - `Hits` has a bit for each slice of a column, with counts, and points. Rank, page, and marks by
//!   cells of the screen are computed from that, so their work depends on rows and cells, not on
//!   the number of hits. Up to 2^20 hits can be put in another order.
//! - *Lists of records* are narrowed by a `Filter`: all of the expression becomes conditions on
//!   records. Durations, depths and flags are those of slices, so these are found first, and the
//!   records that begin them are known by locator and position. The list has a bit for each row
//!   (`records/list.rs`), and its rows so far can be shown while the pass goes on.
//! - On the page, `web/trace/search.ts` runs a search, one a slot: that of Find (`find.ts`;
//!   `hit_marks.ts` keeps its marks in step with picture and overview), and that of the table of
//!   functions.

mod context;
mod numbers;
pub mod pattern;
pub mod query;
mod record_query;
mod search;
mod slice_query;
pub mod syntax;
pub mod values;

pub use context::{Context, Name, Offers, Track};
pub use query::{About, Bound, Filter, Within};
pub use record_query::{NameExpr, NameMatcher, RecordQuery, RecordTest, Span, ValuePlace};
pub use search::{Beginnings, FloatText, FoundRecords, Search};
pub use slice_query::{SliceQuery, SliceTest, SliceTests};
pub use syntax::SyntaxError;
