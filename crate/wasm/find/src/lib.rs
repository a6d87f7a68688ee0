//! The filter language, for JavaScript.

use tsify::Ts;
use unspool_filter::pattern::{Linked, Regex, Regexes};
use unspool_filter::{Bound, Context, Filter, RecordQuery, RecordTest, SliceQuery, SyntaxError, Within};
use unspool_js::columns::Uint8Array;
use unspool_js::{WrongExpression, structures, thrown};
use wasm_bindgen::prelude::*;

structures! {
    /// An expression that is bound to a trace, for its workers.
    pub struct BoundExpression {
        /// What the trace's worker is asked.
        pub slices: Uint8Array,
        /// What the record worker must look for, or null if the trace's worker has the whole
        /// answer.
        pub records: Option<Uint8Array>,
        /// What each alternative of `records` is about, as in `About` of `crate/filter`; 0 for
        /// nothing in particular.
        pub abouts: Uint8Array,
    }

    /// What a search of values needs besides its query.
    pub struct BoundPoints {
        /// For `BoundExpression.slices`: finds nothing by itself, and takes all records that are
        /// added.
        pub slices: Uint8Array,
        /// For `RecordFilter.query`: the records of the first of `begins`.
        pub points: Uint8Array,
    }

    /// An expression that is bound to a trace to narrow a list of its records.
    pub struct BoundFilter {
        /// What the record worker asks of records.
        pub query: Uint8Array,
        /// `slices` of searches, of which the record worker must know where the hits begin.
        pub begins: Vec<Uint8Array>,
    }

    /// What becomes of an expression.
    #[serde(untagged)]
    pub enum ExpressionAnswer {
        /// It is one.
        Bound(BoundExpression),
        /// It is not one.
        Wrong(WrongExpression),
    }

    /// What becomes of an expression for a list.
    #[serde(untagged)]
    pub enum FilterAnswer {
        /// It is one.
        Bound(BoundFilter),
        /// It is not one.
        Wrong(WrongExpression),
    }
}

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

    /// An expression about slices, instants and records.
    pub fn bind(&self, text: &str) -> Ts<ExpressionAnswer> {
        bound(text, Bound::new(text, &self.context))
    }

    /// [`Binder::bind`] for slices that touch a range, `to` exclusive, of some tracks. Words are
    /// parts of names only.
    #[wasm_bindgen(js_name = bindWithin)]
    pub fn bind_within(&self, text: &str, from: u64, to: u64, mut tracks: Vec<u32>) -> Ts<ExpressionAnswer> {
        tracks.sort_unstable();
        let within = Within { range: (from, to.saturating_sub(1)), tracks };
        bound(text, Bound::of_slices_within(text, &self.context, within))
    }

    /// What a search of values needs.
    pub fn points(&self) -> Ts<BoundPoints> {
        let slices = SliceQuery { checks: vec![Vec::new()], ..SliceQuery::default() };
        let points = RecordQuery { tests: vec![RecordTest::Begins(0)], branches: vec![vec![(true, 0)]] };
        BoundPoints { slices: Uint8Array(slices.to_bytes()), points: Uint8Array(points.to_bytes()) }.cross()
    }

    /// An expression that narrows a list of records.
    #[wasm_bindgen(js_name = bindFilter)]
    pub fn bind_filter(&self, text: &str) -> Ts<FilterAnswer> {
        let answer = match Filter::new(text, &self.context) {
            Ok(Filter { records, begins }) => FilterAnswer::Bound(BoundFilter {
                query: Uint8Array(records.to_bytes()),
                begins: begins.iter().map(|query| Uint8Array(query.to_bytes())).collect(),
            }),
            Err(error) => FilterAnswer::Wrong(wrong(text, &error)),
        };
        answer.cross()
    }
}

fn bound(text: &str, result: Result<Bound, SyntaxError>) -> Ts<ExpressionAnswer> {
    let answer = match result {
        Ok(bound) => ExpressionAnswer::Bound(BoundExpression {
            slices: Uint8Array(bound.slices.to_bytes()),
            records: (!bound.is_of_slices()).then(|| Uint8Array(bound.records.to_bytes())),
            abouts: bound.abouts().into_iter().map(|about| about as u8).collect(),
        }),
        Err(error) => ExpressionAnswer::Wrong(wrong(text, &error)),
    };
    answer.cross()
}

fn wrong(text: &str, SyntaxError { at, len, sentence }: &SyntaxError) -> WrongExpression {
    WrongExpression::new(text, *at, *len, sentence)
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
