//! Frames that replay by themselves, for JavaScript. Numbers of calls are doubles, exact below
//! 2^53.

use js_sys::{Array, Float64Array};
use unspool_cut::Selection;
use unspool_js::{JsFile, object, thrown};
use wasm_bindgen::prelude::*;

use crate::alone::{Alone, BYTES, Kept, Row, Window};
use crate::reader::{Reader, Steps};

/// Finds the calls that frames need to replay by themselves.
#[wasm_bindgen]
pub struct FrameCut {
    steps: Steps<JsFile>,
    reading: Option<Alone>,
    kept: Result<Option<Kept>, String>,
}

#[wasm_bindgen]
impl FrameCut {
    /// Nothing is read yet. `records` is the index that the session made. Frames are numbered from
    /// 0, `last` included.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the trace is not an apitrace.
    #[wasm_bindgen(constructor)]
    pub fn new(records: &[u8], file: JsFile, first: f64, last: f64) -> Result<Self, JsValue> {
        let reader = Reader::keeping(records, file, BYTES).map_err(thrown)?;
        let reading = Some(Alone::new(first as u64, last as u64));
        Ok(Self { steps: Steps::new(reader), reading, kept: Ok(None) })
    }

    /// Whether decompressors must be provided before the first step.
    #[wasm_bindgen(js_name = needsDecompressor)]
    pub fn needs_decompressor(&self) -> bool {
        self.steps.reader.needs_decompressor()
    }

    /// Reads further pieces of the file, up to the end of the frames. Returns whether it is known
    /// what they need, or why they cannot be cut.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn step(&mut self, budget: u32) -> Result<bool, JsValue> {
        let Some(alone) = &mut self.reading else { return Ok(true) };
        let is_read = self.steps.step(budget, alone).map_err(thrown)?;
        if !is_read && !alone.is_done() {
            return Ok(false);
        }
        if let Some(alone) = self.reading.take() {
            self.kept = alone.finish().map(Some).map_err(|refusal| refusal.to_string());
        }
        Ok(true)
    }

    /// Number of pieces of the file.
    pub fn pieces(&self) -> u32 {
        self.steps.progress().1
    }

    /// Number of pieces that were read.
    pub fn done(&self) -> u32 {
        self.steps.progress().0
    }

    /// Bytes of memory of what is noted about the calls read.
    pub fn bytes(&self) -> f64 {
        self.reading.as_ref().map_or(0.0, |alone| alone.bytes() as f64)
    }

    /// What the frames need: `FrameNeeds` of `web/base/survey_protocol.ts`. `null` before it is
    /// known.
    pub fn kept(&self) -> JsValue {
        match &self.kept {
            Err(sentence) => object(&[("refused", JsValue::from_str(sentence))]),
            Ok(None) => JsValue::NULL,
            Ok(Some(kept)) => described(kept),
        }
    }
}

fn described(kept: &Kept) -> JsValue {
    let number = |number: u64| JsValue::from_f64(number as f64);
    let stretches = |of: &Selection| -> JsValue {
        let runs: Vec<f64> = of.runs().iter().flat_map(|run| [run.start as f64, run.end as f64]).collect();
        Float64Array::from(&runs[..]).into()
    };
    let row = |row: &Row| {
        object(&[
            ("what", JsValue::from_str(&row.what)),
            ("calls", number(row.calls)),
            ("draws", number(row.draws)),
            ("uploaded", number(row.uploaded)),
            ("first", number(row.first)),
        ])
    };
    let [before, all_before] = kept.before;
    let [draws, all_draws] = kept.draws_before;
    object(&[
        ("refused", JsValue::from_str("")),
        ("calls", stretches(&kept.calls)),
        ("texts", stretches(&kept.texts)),
        ("end", number(kept.end)),
        ("ofFrames", number(kept.of_frames)),
        ("before", number(before)),
        ("allBefore", number(all_before)),
        ("draws", number(draws)),
        ("allDraws", number(all_draws)),
        ("isWindowLeftOut", JsValue::from_bool(kept.window == Window::LeftOut)),
        ("rows", kept.rows.iter().map(row).collect::<Array>().into()),
    ])
}
