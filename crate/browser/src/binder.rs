//! The filter language, for JavaScript.

use js_sys::Uint8Array;
use unspool_find::pattern::{Linked, Regex, Regexes};
use unspool_find::{Bound, Context, SyntaxError};
use wasm_bindgen::prelude::*;

use crate::object;

/// Binds expressions to one trace.
#[wasm_bindgen]
pub struct Binder {
    context: Context,
}

#[wasm_bindgen]
impl Binder {
    /// A binder for the trace that a session describes with `findContext`.
    ///
    /// # Errors
    ///
    /// Throws a text for other bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(context: &[u8]) -> Result<Binder, JsValue> {
        let context = Context::from_bytes(context).ok_or_else(|| JsValue::from_str("these bytes are no context"))?;
        Ok(Self { context })
    }

    /// An expression: `{slices, records}`, both bytes, of which the latter may be null, or a `WrongExpression`.
    pub fn bind(&self, text: &str) -> JsValue {
        match Bound::new(text, &self.context) {
            Ok(bound) => {
                let bytes = |of: Vec<u8>| JsValue::from(Uint8Array::from(&of[..]));
                let records = (!bound.is_of_slices()).then(|| bytes(bound.records.to_bytes()));
                object(&[("slices", bytes(bound.slices.to_bytes())), ("records", records.unwrap_or(JsValue::NULL))])
            }
            Err(SyntaxError { at, len, sentence }) => {
                let units = |part: Option<&str>| part.map_or(0, |part| part.encode_utf16().count());
                let number = |n: usize| JsValue::from_f64(n as f64);
                object(&[
                    ("sentence", JsValue::from_str(&sentence)),
                    ("at", number(units(text.get(..at)))),
                    ("length", number(units(text.get(at..at + len)))),
                ])
            }
        }
    }
}

/// A regular expression, for the record worker.
#[wasm_bindgen]
pub struct Expression {
    regex: Box<dyn Regex>,
}

#[wasm_bindgen]
impl Expression {
    /// Compiles a regular expression.
    ///
    /// # Errors
    ///
    /// Throws a text that says why it is none.
    #[wasm_bindgen(constructor)]
    pub fn new(source: &str, ignore_case: bool) -> Result<Expression, JsValue> {
        let regex = Linked.compile(source, ignore_case).map_err(|why| JsValue::from_str(&why))?;
        Ok(Self { regex })
    }

    /// The first place in a text that matches: offset and length in bytes of UTF-8. `undefined` if none does.
    pub fn place(&self, text: &str) -> Option<Vec<u32>> {
        let (at, len) = self.regex.place(text)?;
        Some(vec![at as u32, len as u32])
    }
}
