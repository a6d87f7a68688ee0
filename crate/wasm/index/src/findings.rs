//! What stands out among the steps of a trace, for JavaScript.

use js_sys::Array;
use unspool_access_index::{RunFindings, StepFindings};
use unspool_js::{JsFile, standing, thrown};
use wasm_bindgen::prelude::*;

use crate::JsRunIndex;

/// The search in a trace whose steps say what they read and write.
#[wasm_bindgen(js_name = StepFindings)]
pub struct JsStepFindings {
    findings: StepFindings<JsFile>,
}

#[wasm_bindgen(js_class = StepFindings)]
impl JsStepFindings {
    /// A search that has read nothing yet. `records` is the index that the session made.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the format does not say what steps access.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str, records: &[u8], file: JsFile) -> Result<Self, JsValue> {
        Ok(Self { findings: StepFindings::open(format, records, file).map_err(thrown)? })
    }

    /// Reads further pieces of the file. Returns whether there is nothing more to read.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn step(&mut self, pieces: u32) -> Result<bool, JsValue> {
        self.findings.step(pieces).map_err(thrown)
    }

    /// Number of pieces read: each comes twice.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> u32 {
        self.findings.progress().0
    }

    /// Number of pieces to read.
    #[wasm_bindgen(getter)]
    pub fn pieces(&self) -> u32 {
        self.findings.progress().1
    }

    /// Its memory in bytes.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> f64 {
        self.findings.bytes() as f64
    }

    /// What was found so far, the greatest first.
    #[wasm_bindgen(unchecked_return_type = "StandingFinding[]")]
    pub fn found(&self) -> Array {
        standing(self.findings.found())
    }
}

/// The search in a block trace, over the index of its runs.
#[wasm_bindgen(js_name = RunFindings)]
#[derive(Default)]
pub struct JsRunFindings {
    findings: RunFindings,
}

#[wasm_bindgen(js_class = RunFindings)]
impl JsRunFindings {
    /// A search that has looked at nothing yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes interrupts, ascending: three numbers for each, its transition, its vector, and 1 if it
    /// is one of the hardware. They come before the first step.
    pub fn interrupts(&mut self, values: &[f64]) {
        for [at, vector, is_hardware] in values.as_chunks().0 {
            self.findings.interrupt(*at as u64, *vector as u64, *is_hardware != 0.0);
        }
    }

    /// Looks at further segments of the index, which has all runs. Returns whether there are no
    /// more.
    pub fn step(&mut self, index: &JsRunIndex, segments: u32) -> bool {
        self.findings.step(&index.index, segments)
    }

    /// Its memory in bytes.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> f64 {
        self.findings.bytes() as f64
    }

    /// What was found so far, the greatest first.
    #[wasm_bindgen(unchecked_return_type = "StandingFinding[]")]
    pub fn found(&self, index: &JsRunIndex) -> Array {
        standing(self.findings.found(&index.index).0)
    }
}
