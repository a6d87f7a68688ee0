//! The filter language of searches and lists. `docs/find.md` describes it for people.
//!
//! An expression is parsed ([`syntax`]) and bound to a trace ([`query`]): it becomes alternatives, each of conditions that
//! hold together. The store of the engine answers those on names, durations and the like ([`SliceQuery`]). [`Search`]
//! evaluates the others on records ([`RecordQuery`]).
//!
//! In the page, parser and regular expressions (feature `regex`) are a wasm module of their own, loaded with the first search:
//! they are large, and the session needs neither.

mod context;
pub mod pattern;
pub mod query;
mod record_query;
mod search;
mod slice_query;
pub mod syntax;
pub mod values;

pub use context::{Context, Name, Track};
pub use query::{About, Bound, Filter, Within};
pub use record_query::{NameExpr, NameMatcher, RecordQuery, RecordTest, Span, ValuePlace};
pub use search::{Beginnings, FloatText, FoundRecords, Search};
pub use slice_query::{SliceQuery, SliceTest, SliceTests};
pub use syntax::SyntaxError;
