//! The wasm side of a trace's workers, for JavaScript: a [`Session`] in one, a [`RecordReader`] in the other, a [`Binder`] of
//! searches, and a [`Cutter`] of stretches. Each is a wasm module of its own, built with only one of the features.
//!
//! Columns are returned as typed arrays that own their memory, so that they can be transferred. No view on wasm memory
//! leaves a call. Small structures go through serde, with 64-bit numbers as `bigint`. `web/base/protocol.ts` declares
//! the types.

#[cfg(feature = "find")]
mod binder;
#[cfg(feature = "session")]
mod columns;
#[cfg(feature = "cut")]
mod cut;
#[cfg(feature = "session")]
mod find;
#[cfg(feature = "session")]
mod items;
#[cfg(feature = "session")]
mod jobs;
#[cfg(feature = "records")]
mod records;
#[cfg(feature = "session")]
mod session;
#[cfg(any(feature = "session", feature = "records"))]
mod sqlite;

#[cfg(feature = "find")]
pub use binder::{Binder, Expression};
#[cfg(feature = "cut")]
pub use cut::{Cutter, cut_needs_decompressor};
#[cfg(feature = "session")]
pub use find::JsFoundRecords;
#[cfg(feature = "session")]
pub use items::{JsFind, JsItem};
#[cfg(feature = "session")]
pub use jobs::JsQuestion;
#[cfg(feature = "records")]
pub use records::{JsBeginnings, JsExpression, JsExpressions, JsRecordFilter, RecordReader};
#[cfg(feature = "session")]
pub use session::{Session, look_at, needs_decompressor};
#[cfg(any(feature = "session", feature = "records"))]
pub use sqlite::SqlFile;
#[cfg(any(feature = "session", feature = "records", feature = "cut"))]
pub use unspool_decompressors::provide_decompressors;
