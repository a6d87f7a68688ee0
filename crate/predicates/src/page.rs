//! Values of a trace, for JavaScript.

use js_sys::{Array, BigUint64Array, Object, Reflect, Uint32Array};
use unspool_formats::trace_db::open_places;
use unspool_formats::{Locator, trace_db};
use wasm_bindgen::prelude::*;

use crate::Query;
use crate::syntax::Fault;
use crate::values::{FoundPoints, Step, Values};

/// The values of one trace, and at most one question about them.
#[wasm_bindgen(js_name = Values)]
pub struct JsValues {
    values: Values,
}

fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (key, value) in fields {
        // Only a frozen object could refuse.
        let _ = Reflect::set(&object, &JsValue::from_str(key), value);
    }
    object.into()
}

/// A `WrongExpression`.
fn wrong(text: &str, Fault { at, len, sentence }: &Fault) -> JsValue {
    let units = |part: Option<&str>| part.map_or(0, |part| part.encode_utf16().count());
    let number = |n: usize| JsValue::from_f64(n as f64);
    object(&[
        ("sentence", JsValue::from_str(sentence)),
        ("at", number(units(text.get(..*at)))),
        ("length", number(units(text.get(*at..at + len)))),
    ])
}

#[wasm_bindgen(js_class = Values)]
impl JsValues {
    /// The values of the trace with this index. Nothing has been read yet.
    ///
    /// # Errors
    ///
    /// Throws a text for other bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(index: &[u8]) -> Result<JsValues, JsValue> {
        let places = open_places(index).map_err(|error| JsValue::from_str(&error.to_string()))?;
        Ok(Self { values: Values::new(places) })
    }

    /// What can be named in a query: `{variables, types}`, both arrays of texts in the order of the trace.
    pub fn known(&self) -> JsValue {
        let tables = self.values.tables();
        let of_types: Vec<u32> = tables.types().iter().map(|t| t.name).collect();
        let text = |n: u32| tables.text(n).map(|text| JsValue::from_str(&text));
        // One dictionary has the names of both.
        let variables: Array = (0..tables.names() as u32).filter(|n| !of_types.contains(n)).filter_map(text).collect();
        let types: Array = (0..of_types.len() as u32).map(|t| JsValue::from_str(&tables.type_name(t))).collect();
        object(&[("variables", variables.into()), ("types", types.into())])
    }

    /// What is wrong with a query: a `WrongExpression`. `undefined` if nothing is.
    pub fn check(&self, text: &str) -> JsValue {
        match self.values.check(text) {
            Ok(_) => JsValue::UNDEFINED,
            Err(fault) => wrong(text, &fault),
        }
    }

    /// Asks a query in place of the previous one. One that cannot be understood finds nothing.
    pub fn begin(&mut self, text: &str) {
        match Query::parse(text) {
            Ok(query) => self.values.begin(&query),
            Err(_) => self.values.stop(),
        }
    }

    /// Forgets the question.
    pub fn stop(&mut self) {
        self.values.stop();
    }

    /// Goes on for at least `budget` combinations of variables. Returns 0 if it needs bytes, 1 if there is more to do, 2 if the
    /// question is answered.
    pub fn step(&mut self, budget: f64) -> u32 {
        match self.values.step(budget as u64) {
            Step::NeedsBytes => 0,
            Step::More => 1,
            Step::Done => 2,
        }
    }

    /// Offset of the bytes that it needs.
    #[wasm_bindgen(js_name = wantsFrom)]
    pub fn wants_from(&self) -> f64 {
        self.values.wants().0 as f64
    }

    /// End of the bytes that it needs, of which it takes any number from the beginning.
    #[wasm_bindgen(js_name = wantsTo)]
    pub fn wants_to(&self) -> f64 {
        self.values.wants().1 as f64
    }

    /// Takes bytes; none if the file has ended.
    pub fn push(&mut self, bytes: &[u8]) {
        self.values.push(bytes);
    }

    /// How much of the trace has been asked, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.values.share()
    }

    /// Number of points found.
    pub fn count(&self) -> f64 {
        self.values.count() as f64
    }

    /// Combinations of variables looked at so far, for the benchmark.
    pub fn tested(&self) -> f64 {
        self.values.tested() as f64
    }

    /// Takes the points found since the last time: `FoundRecords`.
    pub fn take(&mut self) -> JsValue {
        let FoundPoints { x, track, at, matched, texts } = self.values.take();
        let locators: Vec<u64> = at.iter().map(|at| Locator::from(trace_db::Located::Point(*at)).bits()).collect();
        let longs = |of: &[u64]| JsValue::from(BigUint64Array::from(of));
        let ints = |of: &[u32]| JsValue::from(Uint32Array::from(of));
        let count = x.len();
        let texts: Array = texts.iter().map(|text| JsValue::from_str(text)).collect();
        object(&[
            ("x", longs(&x)),
            ("track", ints(&track)),
            ("locator", longs(&locators)),
            // The only alternative; and an instant is known by its locator alone.
            ("branches", longs(&vec![1; count])),
            ("name", ints(&vec![u32::MAX; count])),
            ("matched", ints(&matched)),
            ("texts", texts.into()),
        ])
    }
}
