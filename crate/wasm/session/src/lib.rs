//! The session of a trace, for JavaScript. [`Session`] is spread over files: the trace itself, its
//! jobs, and searches. [`protocol`] has what it answers with.

mod find;
mod items;
mod jobs;
pub mod protocol;
mod session;
mod shelf;

pub use items::{JsFind, JsItem};
pub use jobs::JsQuestion;
pub use session::{Session, look_at, needs_decompressor};
pub use unspool_decompressors::provide_decompressors;
