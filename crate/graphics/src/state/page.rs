//! State at calls, for JavaScript. Numbers of calls are doubles, exact below 2^53.

use unspool_js::{JsFile, thrown};
use wasm_bindgen::prelude::*;

use super::history::{History, Progress};

/// The state of one trace at any call.
#[wasm_bindgen]
pub struct GlHistory {
    history: History<JsFile>,
}

#[wasm_bindgen]
impl GlHistory {
    /// A history that has read nothing yet. `records` is the index that the session made, `limit`
    /// the most bytes of memory.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the trace is not an apitrace.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str, records: &[u8], file: JsFile, limit: f64) -> Result<Self, JsValue> {
        Ok(Self { history: History::open(format, records, file, limit as usize).map_err(thrown)? })
    }

    /// Whether decompressors must be provided before the first step.
    #[wasm_bindgen(js_name = needsDecompressor)]
    pub fn needs_decompressor(&mut self) -> bool {
        self.history.reader().needs_decompressor()
    }

    /// Reads further pieces of the file. Returns whether there is nothing more to read, or no
    /// memory for more.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn build(&mut self, pieces: u32) -> Result<bool, JsValue> {
        self.history.build(pieces).map_err(thrown)
    }

    /// How far it is: calls before this number, all calls, pieces, all pieces, bytes of memory, and
    /// 1 if that is full.
    pub fn progress(&self) -> Vec<f64> {
        let Progress { built, count, pieces, of, bytes, is_full } = self.history.progress();
        vec![built as f64, count as f64, pieces.into(), of.into(), bytes as f64, f64::from(u8::from(is_full))]
    }

    /// The state after a call, or before it, as JSON: a `GlState` of
    /// `web/features/graphics/gl_state_protocol.ts`. `undefined` if it is not known yet.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn at(&mut self, call: f64, before: bool) -> Result<Option<String>, JsValue> {
        Ok(self.history.at(call as u64, before).map_err(thrown)?.map(|report| report.json()))
    }
}
