//! The wasm side of a trace's worker: one [`Session`], as JavaScript sees it.
//!
//! Columns go out as typed arrays that own their memory, so that they can be transferred; no view on wasm memory leaves a
//! call. The small structured rest goes through serde, with 64-bit numbers as `bigint`. The shapes are those of
//! `web/base/protocol.ts`.

mod columns;
mod items;
mod sqlite;
mod statistics;

pub use items::{JsFind, JsItem};
pub use sqlite::{JsDisassembler, SqlFile};

use js_sys::{Array, Object, Reflect, Uint8Array};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use unspool_engine::{Range, Session as Engine, Step, TrackRows};
use unspool_formats::Instructions;
use wasm_bindgen::prelude::*;

use crate::sqlite::SqlRows;

/// One open trace. The worker owns the file and the loop: it pushes bytes, steps, and asks in between.
#[wasm_bindgen]
pub struct Session {
    engine: Engine,
    scan: statistics::Scan,
}

#[wasm_bindgen]
impl Session {
    /// Recognises a file by its name, size, first and last bytes (up to 64 KiB of either). Throws a `TraceError`.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, size: f64, head: &[u8], tail: &[u8]) -> Result<Session, JsValue> {
        let engine = Engine::new(name, size as u64, head, tail).map_err(|error| to_js(&error))?;
        Ok(Self { engine, scan: statistics::Scan::default() })
    }

    /// What the file's head says: a `TraceInfo`.
    pub fn info(&self) -> JsValue {
        to_js(&self.engine.info())
    }

    /// Whether the file is a database: then [`Session::attach`] comes before the first step, and no bytes are pushed.
    #[wasm_bindgen(js_name = isDatabase)]
    pub fn is_database(&self) -> bool {
        self.engine.is_pulled()
    }

    /// Hands in the database, and what finds instructions in its blocks if it could be had; reads what concerns the whole
    /// trace. Throws a `TraceError`.
    pub fn attach(&mut self, file: SqlFile, disassembler: Option<JsDisassembler>) -> Result<(), JsValue> {
        let instructions = disassembler.map(|it| Box::new(it) as Box<dyn Instructions>);
        self.engine.attach(Box::new(SqlRows(file)), instructions).map_err(|error| to_js(&error))
    }

    /// Takes in bytes from where [`Session::wants_at`] said.
    pub fn push(&mut self, bytes: &Uint8Array) {
        let len = bytes.length() as usize;
        // Straight to where they are decoded: a slice would be a copy of its own before that.
        self.engine.push_with(len, |room| {
            bytes.copy_to(room);
            len
        });
    }

    /// Says that there are no more bytes where they were wanted.
    pub fn end(&mut self) {
        self.engine.end();
    }

    /// Decodes up to about `max_events` events of what was pushed. 0: needs bytes; 1: there is more to do; 2: all is done;
    /// 3: broken off, see [`Session::error`].
    pub fn step(&mut self, max_events: u32) -> u32 {
        match self.engine.step(max_events as usize) {
            Step::NeedsBytes => 0,
            Step::More => 1,
            Step::Done => 2,
            Step::Broken => 3,
        }
    }

    /// Absolute offset at which the next bytes pushed must start.
    #[wasm_bindgen(js_name = wantsAt)]
    pub fn wants_at(&self) -> f64 {
        self.engine.wants().0 as f64
    }

    /// How many bytes are useful there; 0 means all that there are.
    #[wasm_bindgen(js_name = wantsLength)]
    pub fn wants_length(&self) -> f64 {
        self.engine.wants().1 as f64
    }

    /// Why decoding broke off: a `TraceError`, or `undefined`.
    pub fn error(&self) -> JsValue {
        self.engine.error().map_or(JsValue::UNDEFINED, to_js)
    }

    /// Stops reading; what is there stays, and can be asked for.
    pub fn cancel(&mut self) {
        self.engine.cancel();
    }

    /// How far reading has come: a `Progress`.
    pub fn progress(&self) -> JsValue {
        to_js(&self.engine.progress())
    }

    /// Names that are new since the last call: `{first, names}`, or `undefined` when there are none.
    #[wasm_bindgen(js_name = takeNames)]
    pub fn take_names(&mut self) -> JsValue {
        let (first, names) = self.engine.take_names();
        if names.is_empty() {
            return JsValue::UNDEFINED;
        }
        let names: Array = names.iter().map(|name| JsValue::from_str(name)).collect();
        object(&[("first", JsValue::from_f64(first as f64)), ("names", names.into())])
    }

    /// Tracks that are new or have changed since the last call: an array of `Track`.
    #[wasm_bindgen(js_name = takeTracks)]
    pub fn take_tracks(&mut self) -> JsValue {
        to_js(&self.engine.take_tracks())
    }

    /// What is to be drawn of a window: `{origin, from, to, step, complete, rects, instants, counters, visited}`. `depths`
    /// has two numbers a track: its first signed depth of interest and the one behind the last.
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

    /// A slice or an instant by where it stands: takes a `Find`, answers a `Found` or `null`.
    pub fn find(&self, what: &JsFind) -> JsValue {
        self.engine.neighbour(what.into()).map_or(JsValue::NULL, |found| to_js(&found))
    }

    /// Which bytes the details of an item are decoded from: `{offset, length}`, or `undefined` if there is no such item.
    #[wasm_bindgen(js_name = detailsRange)]
    pub fn details_range(&self, item: &JsItem) -> JsValue {
        self.engine.details_range(item.into()).map_or(JsValue::UNDEFINED, range_object)
    }

    /// A further stretch of bytes that the details need behind those at hand: `{offset, length}`, or `undefined`. Ask until
    /// there is none, each time with all bytes so far.
    #[wasm_bindgen(js_name = detailsNext)]
    pub fn details_next(&self, item: &JsItem, bytes: &[u8]) -> JsValue {
        self.engine.details_next(item.into(), bytes).map_or(JsValue::UNDEFINED, range_object)
    }

    /// Everything known of an item: `Details`, or `null` if there is no such item. Throws a `TraceError`.
    pub fn details(&self, item: &JsItem, bytes: &[u8]) -> Result<JsValue, JsValue> {
        let details = self.engine.details(item.into(), bytes).map_err(|error| to_js(&error))?;
        Ok(details.map_or(JsValue::NULL, |details| to_js(&details)))
    }

    /// Single problems from the `first` on, `max` at the most: `{problems, total}`.
    pub fn problems(&self, first: u32, max: u32) -> JsValue {
        let (page, total) = self.engine.problems(first as usize, max as usize);
        object(&[("problems", to_js(&page)), ("total", JsValue::from_f64(total as f64))])
    }

    /// A number in hexadecimal that two readings of the same bytes have in common: that of `unspool info --json`.
    pub fn digest(&self) -> String {
        format!("{:016x}", self.engine.store().digest())
    }
}

fn range_object(range: Range) -> JsValue {
    object(&[("offset", JsValue::from_f64(range.at as f64)), ("length", JsValue::from_f64(range.len as f64))])
}

/// Through serde: 64-bit numbers become `bigint`, missing values `null`, bytes `Uint8Array`.
fn to_js<T: Serialize + ?Sized>(value: &T) -> JsValue {
    let serializer = Serializer::new().serialize_large_number_types_as_bigints(true).serialize_missing_as_null(true);
    // Our structures have string keys and no custom failures: there is nothing that could fail.
    value.serialize(&serializer).unwrap_or(JsValue::NULL)
}

fn object(entries: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (key, value) in entries {
        // Setting a property of a plain object does not fail.
        let _ = Reflect::set(&object, &JsValue::from_str(key), value);
    }
    object.into()
}

/// A typed array of its own.
fn bytes(from: &[u8]) -> JsValue {
    Uint8Array::from(from).into()
}
