//! The session of a trace, for JavaScript.

use js_sys::{Array, Uint8Array};
use unspool_engine::{Session as Engine, Step, TrackRows, ledger};
use unspool_formats::{Instructions, Probe, sniff};
use wasm_bindgen::prelude::*;

use crate::items::{JsFind, JsItem};
use crate::sqlite::{JsDisassembler, SqlFile, SqlRows};
use crate::{columns, jobs, object, to_js};

/// Whether [`crate::provide_brotli`] must come before `new Session(…)` with these arguments.
#[wasm_bindgen(js_name = needsBrotli)]
pub fn needs_brotli(name: &str, size: f64, head: &[u8], tail: &[u8]) -> bool {
    sniff::needs_brotli(&Probe { head, tail, size: size as u64, name })
}

/// One open trace. The worker owns the file and the loop: it pushes bytes, steps, and queries in between.
#[wasm_bindgen]
pub struct Session {
    pub(crate) engine: Engine,
    pub(crate) jobs: jobs::Jobs,
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

    /// What the store knows about an item: a `Described`, or `null` if there is no such item.
    pub fn describe(&self, item: &JsItem) -> JsValue {
        self.engine.describe(item.into()).map_or(JsValue::NULL, |described| to_js(&described))
    }

    /// What a `RecordReader` needs to read the records decoded so far.
    pub fn index(&self) -> Vec<u8> {
        self.engine.index()
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
