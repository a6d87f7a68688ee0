//! The filter language, for JavaScript.

use js_sys::{Array, Uint8Array};
use unspool_filter::pattern::{Linked, Regex, Regexes};
use unspool_filter::{Bound, Context, Filter, RecordQuery, RecordTest, SliceQuery, SyntaxError, Within};
use unspool_js::{object, thrown, wrong_expression};
use wasm_bindgen::prelude::*;

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
        let context = Context::from_bytes(context).ok_or_else(|| thrown("these bytes are no context"))?;
        Ok(Self { context })
    }

    /// An expression about slices, instants and records: `{slices, records, abouts}`, all bytes, of
    /// which `records` may be null, or a `WrongExpression`.
    pub fn bind(&self, text: &str) -> JsValue {
        bound(text, Bound::new(text, &self.context))
    }

    /// [`Binder::bind`] for slices that touch a range, `to` exclusive, of some tracks. Words are
    /// parts of names only.
    #[wasm_bindgen(js_name = bindWithin)]
    pub fn bind_within(&self, text: &str, from: u64, to: u64, mut tracks: Vec<u32>) -> JsValue {
        tracks.sort_unstable();
        let within = Within { range: (from, to.saturating_sub(1)), tracks };
        bound(text, Bound::of_slices_within(text, &self.context, within))
    }

    /// What a search of values needs: `{slices, points}`, both bytes. The former is an expression
    /// that finds nothing by itself and takes all records that are added; the latter narrows a list
    /// to the records of the first set of beginnings.
    pub fn points(&self) -> JsValue {
        let slices = SliceQuery { checks: vec![Vec::new()], ..SliceQuery::default() };
        let points = RecordQuery { tests: vec![RecordTest::Begins(0)], branches: vec![vec![(true, 0)]] };
        object(&[("slices", bytes(&slices.to_bytes())), ("points", bytes(&points.to_bytes()))])
    }

    /// An expression that narrows a list of records: `{query, begins}`, bytes and an array of
    /// bytes, or a `WrongExpression`.
    #[wasm_bindgen(js_name = bindFilter)]
    pub fn bind_filter(&self, text: &str) -> JsValue {
        match Filter::new(text, &self.context) {
            Ok(Filter { records, begins }) => {
                let begins: Array = begins.iter().map(|query| bytes(&query.to_bytes())).collect();
                object(&[("query", bytes(&records.to_bytes())), ("begins", begins.into())])
            }
            Err(error) => wrong(text, &error),
        }
    }
}

fn bytes(of: &[u8]) -> JsValue {
    Uint8Array::from(of).into()
}

fn bound(text: &str, result: Result<Bound, SyntaxError>) -> JsValue {
    match result {
        Ok(bound) => {
            let records = (!bound.is_of_slices()).then(|| bytes(&bound.records.to_bytes()));
            let abouts: Vec<u8> = bound.abouts().into_iter().map(|about| about as u8).collect();
            object(&[
                ("slices", bytes(&bound.slices.to_bytes())),
                ("records", records.unwrap_or(JsValue::NULL)),
                ("abouts", bytes(&abouts)),
            ])
        }
        Err(error) => wrong(text, &error),
    }
}

fn wrong(text: &str, SyntaxError { at, len, sentence }: &SyntaxError) -> JsValue {
    wrong_expression(text, *at, *len, sentence)
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
    /// Throws a text that says why it is not one.
    #[wasm_bindgen(constructor)]
    pub fn new(source: &str, ignore_case: bool) -> Result<Expression, JsValue> {
        let regex = Linked.compile(source, ignore_case).map_err(thrown)?;
        Ok(Self { regex })
    }

    /// The first place in a text that matches: offset and length in bytes of UTF-8. `undefined` if
    /// none does.
    pub fn place(&self, text: &str) -> Option<Vec<u32>> {
        let (at, len) = self.regex.place(text)?;
        Some(vec![at as u32, len as u32])
    }
}
