//! The session of a trace, for JavaScript. [`Session`] is spread over files: the trace itself, its
//! jobs, and searches.
//!
//! `web/base/protocol.ts` declares the types.

mod columns;
mod find;
mod items;
mod jobs;
mod session;

pub use find::JsFoundRecords;
pub use items::{JsFind, JsItem};
pub use jobs::JsQuestion;
pub use session::{Session, look_at, needs_decompressor};
pub use unspool_decompressors::provide_decompressors;
