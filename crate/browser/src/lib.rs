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
pub use records::{JsBeginnings, JsExpression, JsExpressions, JsRecordFilter, JsText, RecordReader};
#[cfg(feature = "session")]
pub use session::{Session, look_at, needs_decompressor};
#[cfg(any(feature = "session", feature = "records"))]
pub use sqlite::{JsDisassembler, SqlFile};
#[cfg(feature = "records")]
pub use unspool_file::JsFile;
#[cfg(any(feature = "session", feature = "records", feature = "cut"))]
pub use unspool_file::provide_decompressors;

#[cfg(feature = "session")]
use js_sys::Uint8Array;
#[cfg(any(feature = "session", feature = "records", feature = "find"))]
use js_sys::{Object, Reflect};
#[cfg(any(feature = "session", feature = "records"))]
use serde::Serialize;
#[cfg(any(feature = "session", feature = "records"))]
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

/// Serialises `value`: 64-bit numbers become `bigint`, missing values `null`, bytes `Uint8Array`.
#[cfg(any(feature = "session", feature = "records"))]
fn to_js<T: Serialize + ?Sized>(value: &T) -> JsValue {
    let serializer = Serializer::new().serialize_large_number_types_as_bigints(true).serialize_missing_as_null(true);
    // Our structures have string keys and no serialisers that fail, so this cannot fail.
    value.serialize(&serializer).unwrap_or(JsValue::NULL)
}

#[cfg(any(feature = "session", feature = "records", feature = "find"))]
fn object(entries: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (key, value) in entries {
        // Setting a property of a plain object cannot fail.
        let _ = Reflect::set(&object, &JsValue::from_str(key), value);
    }
    object.into()
}

/// A typed array that owns its memory.
#[cfg(feature = "session")]
fn bytes(from: &[u8]) -> JsValue {
    Uint8Array::from(from).into()
}
