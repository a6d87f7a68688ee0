//! The wasm side of a trace's worker: one [`Session`], for JavaScript.
//!
//! Columns are returned as typed arrays that own their memory, so that they can be transferred. No view on wasm memory
//! leaves a call. Small structures go through serde, with 64-bit numbers as `bigint`. `web/base/protocol.ts` declares
//! the types.

mod columns;
mod items;
mod jobs;
mod sqlite;

pub use items::{JsFind, JsItem};
pub use jobs::JsQuestion;
pub use sqlite::{JsDisassembler, SqlFile};

use js_sys::{Array, Object, Reflect, Uint8Array};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use unspool_engine::{Range, Session as Engine, Step, TrackRows, ledger};
use unspool_formats::Instructions;
use wasm_bindgen::prelude::*;

use crate::sqlite::SqlRows;

/// One open trace. The worker owns the file and the loop: it pushes bytes, steps, and queries in between.
#[wasm_bindgen]
pub struct Session {
    engine: Engine,
    jobs: jobs::Jobs,
}

#[wasm_bindgen]
impl Session {
    /// Recognises a file by its name, its size in bytes, its head and its tail. 64 KiB of each are enough. `limit` is
    /// the most bytes of the trace and all results, for browsers that give less memory than usual.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if no format recognises the file, or if its head is damaged.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, size: f64, head: &[u8], tail: &[u8], limit: Option<f64>) -> Result<Session, JsValue> {
        let engine = Engine::new(name, size as u64, head, tail).map_err(|error| to_js(&error))?;
        Ok(Self { engine, jobs: jobs::Jobs::new(limit.map_or(ledger::LIMIT, |bytes| bytes as u64)) })
    }

    /// What the file's head says: a `TraceInfo`.
    pub fn info(&self) -> JsValue {
        to_js(&self.engine.info())
    }

    /// Whether the trace is a database: [`Session::attach`] then comes before the first step, and no bytes are pushed.
    #[wasm_bindgen(js_name = isDatabase)]
    pub fn is_database(&self) -> bool {
        self.engine.is_pulled()
    }

    /// Attaches the database, and the disassembler if it could be loaded. Reads the tables that concern the whole
    /// trace.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the database cannot be read, or is not a trace.
    pub fn attach(&mut self, file: SqlFile, disassembler: Option<JsDisassembler>) -> Result<(), JsValue> {
        let instructions = disassembler.map(|it| Box::new(it) as Box<dyn Instructions>);
        self.engine.attach(Box::new(SqlRows(file)), instructions).map_err(|error| to_js(&error))
    }

    /// Appends bytes from where [`Session::wants_at`] said.
    pub fn push(&mut self, bytes: &Uint8Array) {
        let len = bytes.length() as usize;
        // Copied straight to where they are decoded: a slice parameter would be one more copy.
        self.engine.push_with(len, |room| {
            bytes.copy_to(room);
            len
        });
    }

    /// Notes that the file has no more bytes where they were wanted.
    pub fn end(&mut self) {
        self.engine.end();
    }

    /// Decodes up to about `max_events` events of what was pushed. Returns 0 if bytes are needed, 1 if there is more to
    /// do, 2 if everything is decoded, and 3 if decoding stopped at [`Session::error`].
    pub fn step(&mut self, max_events: u32) -> u32 {
        match self.engine.step(max_events as usize) {
            Step::NeedsBytes => 0,
            Step::More => 1,
            Step::Done => 2,
            Step::Broken => 3,
        }
    }

    /// Absolute offset that the next bytes pushed must start at.
    #[wasm_bindgen(js_name = wantsAt)]
    pub fn wants_at(&self) -> f64 {
        self.engine.wants().0 as f64
    }

    /// How many bytes are useful there. 0 means no limit.
    #[wasm_bindgen(js_name = wantsLength)]
    pub fn wants_length(&self) -> f64 {
        self.engine.wants().1 as f64
    }

    /// Why decoding stopped: a `TraceError`, or `undefined`.
    pub fn error(&self) -> JsValue {
        self.engine.error().map_or(JsValue::UNDEFINED, to_js)
    }

    /// Stops reading. What was decoded stays.
    pub fn cancel(&mut self) {
        self.engine.cancel();
    }

    /// How far reading has come: a `Progress`.
    pub fn progress(&self) -> JsValue {
        to_js(&self.engine.progress())
    }

    /// The names that are new since the last call: `{first, names}`, or `undefined` without any.
    #[wasm_bindgen(js_name = takeNames)]
    pub fn take_names(&mut self) -> JsValue {
        let (first, names) = self.engine.take_names();
        if names.is_empty() {
            return JsValue::UNDEFINED;
        }
        let names: Array = names.iter().map(|name| JsValue::from_str(name)).collect();
        object(&[("first", JsValue::from_f64(first as f64)), ("names", names.into())])
    }

    /// The tracks that are new or have changed since the last call: an array of `Track`.
    #[wasm_bindgen(js_name = takeTracks)]
    pub fn take_tracks(&mut self) -> JsValue {
        to_js(&self.engine.take_tracks())
    }

    /// What to draw for a window: `{origin, from, to, step, complete, rects, instants, counters, visited}`. `depths`
    /// holds two numbers for each track: its first signed depth in sight, and the depth after its last.
    pub fn query(&self, from: u64, to: u64, step: u64, tracks: &[u32], depths: &[i32]) -> JsValue {
        let rows: Vec<_> = (tracks.iter().zip(depths.as_chunks().0))
            .map(|(track, [first, end])| TrackRows { track: *track, depths: *first..*end })
            .collect();
        let answer = self.engine.query_rows(from, to, step, &rows);
        object(&[
            ("origin", answer.origin.into()),
            ("from", from.into()),
            ("to", to.into()),
            ("step", step.into()),
            ("complete", answer.complete.into()),
            ("rects", columns::rects(&answer.rects)),
            ("instants", columns::instants(&answer.instants)),
            ("counters", columns::counters(&answer.counters)),
            ("visited", JsValue::from_f64(answer.visited as f64)),
        ])
    }

    /// Density over the whole trace: an `Overview`.
    pub fn overview(&self, buckets: u32) -> JsValue {
        columns::overview(&self.engine.overview(buckets))
    }

    /// The slice or instant at a position, or next to another one. Takes a `Find` and returns a `Found` or `null`.
    pub fn find(&self, what: &JsFind) -> JsValue {
        self.engine.neighbour(what.into()).map_or(JsValue::NULL, |found| to_js(&found))
    }

    /// The bytes that the details of an item are decoded from: `{offset, length}`, or `undefined` if there is no such
    /// item.
    #[wasm_bindgen(js_name = detailsRange)]
    pub fn details_range(&self, item: &JsItem) -> JsValue {
        self.engine.details_range(item.into()).map_or(JsValue::UNDEFINED, range_object)
    }

    /// The next range that the details need after `bytes`, those of all ranges so far: `{offset, length}`. Call it
    /// until it returns `undefined`.
    #[wasm_bindgen(js_name = detailsNext)]
    pub fn details_next(&self, item: &JsItem, bytes: &[u8]) -> JsValue {
        self.engine.details_next(item.into(), bytes).map_or(JsValue::UNDEFINED, range_object)
    }

    /// Everything known about an item: `Details`, or `null` if there is no such item.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the record cannot be decoded.
    pub fn details(&self, item: &JsItem, bytes: &[u8]) -> Result<JsValue, JsValue> {
        let details = self.engine.details(item.into(), bytes).map_err(|error| to_js(&error))?;
        Ok(details.map_or(JsValue::NULL, |details| to_js(&details)))
    }

    /// At most `max` single problems, starting with number `first`: `{problems, total}`.
    pub fn problems(&self, first: u32, max: u32) -> JsValue {
        let (page, total) = self.engine.problems(first as usize, max as usize);
        object(&[("problems", to_js(&page)), ("total", JsValue::from_f64(total as f64))])
    }

    /// The trace's digest in hexadecimal, as `unspool info --json` prints it.
    pub fn digest(&self) -> String {
        format!("{:016x}", self.engine.store().digest())
    }
}

fn range_object(range: Range) -> JsValue {
    object(&[("offset", JsValue::from_f64(range.at as f64)), ("length", JsValue::from_f64(range.len as f64))])
}

/// Serialises `value`: 64-bit numbers become `bigint`, missing values `null`, bytes `Uint8Array`.
fn to_js<T: Serialize + ?Sized>(value: &T) -> JsValue {
    let serializer = Serializer::new().serialize_large_number_types_as_bigints(true).serialize_missing_as_null(true);
    // Our structures have string keys and no serialisers that fail, so this cannot fail.
    value.serialize(&serializer).unwrap_or(JsValue::NULL)
}

fn object(entries: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (key, value) in entries {
        // Setting a property of a plain object cannot fail.
        let _ = Reflect::set(&object, &JsValue::from_str(key), value);
    }
    object.into()
}

/// A typed array that owns its memory.
fn bytes(from: &[u8]) -> JsValue {
    Uint8Array::from(from).into()
}
