//! The survey, for JavaScript. Numbers are doubles, exact below 2^53.

use js_sys::{Float64Array, Object, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;

use crate::frames::FIGURES;
use crate::reader::Source;
use crate::survey::Survey;

#[wasm_bindgen]
extern "C" {
    /// `RecordFile` of `web/worker/record_file.ts`: a file that is read while the caller waits.
    pub type SurveyFile;

    /// Bytes of the file; empty only at its end. `None` if they cannot be read.
    #[wasm_bindgen(method)]
    fn read(this: &SurveyFile, from: f64, to: f64) -> Option<Uint8Array>;
}

impl Source for SurveyFile {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> Option<usize> {
        let bytes = self.read(at as f64, at as f64 + buffer.len() as f64)?;
        let len = bytes.length() as usize;
        bytes.copy_to(buffer.get_mut(..len)?);
        Some(len)
    }
}

/// A plain object.
fn object(entries: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (key, value) in entries {
        // Setting a property of a plain object cannot fail.
        let _ = Reflect::set(&object, &JsValue::from_str(key), value);
    }
    object.into()
}

fn doubles(numbers: impl Iterator<Item = u64>) -> JsValue {
    let numbers: Vec<f64> = numbers.map(|number| number as f64).collect();
    Float64Array::from(&numbers[..]).into()
}

fn thrown(error: impl core::fmt::Display) -> JsValue {
    JsValue::from_str(&error.to_string())
}

/// The survey of one trace.
#[wasm_bindgen(js_name = Survey)]
pub struct JsSurvey {
    survey: Survey<SurveyFile>,
}

#[wasm_bindgen(js_class = Survey)]
impl JsSurvey {
    /// A survey that has read nothing yet. `records` is the index that the session made.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the trace is none of apitrace.
    #[wasm_bindgen(constructor)]
    pub fn new(records: &[u8], file: SurveyFile) -> Result<Self, JsValue> {
        Ok(Self { survey: Survey::open(records, file).map_err(thrown)? })
    }

    /// Whether decompressors must be provided before the first step.
    #[wasm_bindgen(js_name = needsDecompressor)]
    pub fn needs_decompressor(&self) -> bool {
        self.survey.needs_decompressor()
    }

    /// Reads further pieces of the file. Returns whether there is nothing more to read.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn step(&mut self, budget: u32) -> Result<bool, JsValue> {
        self.survey.step(budget).map_err(thrown)
    }

    /// Number of pieces of the file.
    pub fn pieces(&self) -> u32 {
        self.survey.progress().1
    }

    /// Number of pieces that were read.
    pub fn done(&self) -> u32 {
        self.survey.progress().0
    }

    /// The frames so far: `FrameColumns` of `web/base/survey_protocol.ts`.
    pub fn frames(&self) -> JsValue {
        let frames = self.survey.frames().frames();
        let figures = Object::new();
        for (at, figure) in FIGURES.iter().enumerate() {
            let column = doubles(frames.iter().map(|frame| frame.figures.get(at).copied().unwrap_or_default()));
            let _ = Reflect::set(&figures, &JsValue::from_str(figure.key), &column);
        }
        object(&[
            ("count", JsValue::from_f64(frames.len() as f64)),
            ("first", doubles(frames.iter().map(|frame| frame.first))),
            ("last", doubles(frames.iter().map(|frame| frame.last))),
            ("ended", JsValue::from_bool(frames.last().is_some_and(|frame| frame.is_ended))),
            ("figures", figures.into()),
        ])
    }
}
