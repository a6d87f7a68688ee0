//! Values of a trace, for JavaScript.

mod tables;

use js_sys::{Array, BigUint64Array, Float64Array, Int32Array, Uint8Array, Uint32Array};
use unspool_formats::trace_db::open_places;
use unspool_formats::{Locator, trace_db};
use unspool_js::{object, thrown, wrong_expression};
use unspool_predicates::{CELLS, Fault, FoundPoints, Query, Slot, Step, Summary, Values};
use wasm_bindgen::prelude::*;

/// The values of one trace, and at most one question about them.
#[wasm_bindgen(js_name = Values)]
pub struct JsValues {
    pub(crate) values: Values,
}

fn slot_of(number: u32) -> Slot {
    match number {
        0 => Slot::Search,
        1 => Slot::Rows,
        2 => Slot::Variables,
        _ => Slot::Buffers,
    }
}

fn wrong(text: &str, Fault { at, len, sentence }: &Fault) -> JsValue {
    wrong_expression(text, *at, *len, sentence)
}

#[wasm_bindgen(js_class = Values)]
impl JsValues {
    /// The values of the trace with this index, of which at most about `most` bytes are kept for the next question. Nothing has been
    /// read yet.
    ///
    /// # Errors
    ///
    /// Throws a text for other bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(index: &[u8], most: f64) -> Result<JsValues, JsValue> {
        let places = open_places(index).map_err(thrown)?;
        Ok(Self { values: Values::keeping(places, most as usize) })
    }

    /// Bytes of values that are kept for the next question.
    pub fn kept(&self) -> f64 {
        self.values.kept() as f64
    }

    /// Keeps about this many bytes at most from here on, unless questions that go on need more.
    #[wasm_bindgen(js_name = keepAtMost)]
    pub fn keep_at_most(&mut self, most: f64) {
        self.values.keep_at_most(most as usize);
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
            Err(_) => self.values.stop(Slot::Search),
        }
    }

    /// Begins the iteration table of a statement, by its number in [`JsValues::statements`], with the points that a query finds: a
    /// `WrongExpression` if it cannot be understood. An empty query finds all.
    #[wasm_bindgen(js_name = beginRows)]
    pub fn begin_rows(&mut self, statement: u32, text: &str) -> JsValue {
        let query =
            if text.trim().is_empty() { Ok(Query { keep: true, ..Query::default() }) } else { self.values.check(text) };
        match query {
            Ok(query) => {
                self.values.begin_rows(statement, &query);
                JsValue::UNDEFINED
            }
            Err(fault) => wrong(text, &fault),
        }
    }

    /// Goes on with the search (slot 0), the table (1), the variables (2) or the buffers (3) for at least `budget` combinations of variables. Returns 0 if it
    /// needs bytes, 1 if there is more to do, 2 if the question is answered.
    pub fn step(&mut self, slot: u32, budget: f64) -> u32 {
        match self.values.step(slot_of(slot), budget as u64) {
            Step::NeedsBytes => 0,
            Step::More => 1,
            Step::Done => 2,
        }
    }

    /// Forgets a question.
    pub fn stop(&mut self, slot: u32) {
        self.values.stop(slot_of(slot));
    }

    /// Whether all of the trace has been read at least once, so that the statements are complete.
    #[wasm_bindgen(js_name = wasLoaded)]
    pub fn was_loaded(&self) -> bool {
        self.values.was_loaded()
    }

    /// All statements: a `StatementColumns`.
    pub fn statements(&self) -> JsValue {
        let all = self.values.statements().summaries();
        let ids: Vec<_> = all.iter().map(|it| it.id).collect();
        let number =
            |of: fn(&Summary) -> u64| Float64Array::from(&all.iter().map(|it| of(it) as f64).collect::<Vec<_>>()[..]);
        let heat: Vec<u32> = all.iter().flat_map(|it| it.heat).collect();
        let file: Vec<i32> = ids.iter().map(|id| id.and_then(|id| id.file()).map_or(-1, |file| file as i32)).collect();
        let place: Vec<u64> = ids.iter().map(|id| id.map_or(0, |id| id.place())).collect();
        let track: Vec<u32> = ids.iter().map(|id| self.values.track_of(*id)).collect();
        let has: Vec<u8> = ids.iter().map(|id| u8::from(id.is_some())).collect();
        object(&[
            ("named", Uint8Array::from(&has[..]).into()),
            ("file", Int32Array::from(&file[..]).into()),
            ("place", BigUint64Array::from(&place[..]).into()),
            ("count", number(|it| it.count).into()),
            ("first", number(|it| it.first).into()),
            ("last", number(|it| it.last).into()),
            ("track", Uint32Array::from(&track[..]).into()),
            ("heat", Uint32Array::from(&heat[..]).into()),
            ("cells", JsValue::from_f64(CELLS as f64)),
        ])
    }

    /// The iteration table so far: `{count, rows, columns}`, the number of occurrences, of those listed, and the names and types
    /// of the columns.
    pub fn table(&mut self) -> JsValue {
        let (mut columns, mut counts) = (Vec::new(), (0, 0));
        if let Some(rows) = self.values.rows() {
            columns = rows.keys().collect();
            counts = rows.counts();
        }
        let tables = self.values.tables();
        let of = |(key, is_size): &(u32, bool)| {
            let (name, of_type) = self.values.dictionary().key(*key);
            object(&[
                ("name", JsValue::from_str(&tables.text(name).unwrap_or_default())),
                ("type", JsValue::from_str(&tables.type_name(of_type))),
                ("isSize", JsValue::from_bool(*is_size)),
            ])
        };
        let columns: Array = columns.iter().map(of).collect();
        object(&[
            ("count", JsValue::from_f64(counts.0 as f64)),
            ("rows", JsValue::from_f64(counts.1 as f64)),
            ("columns", columns.into()),
        ])
    }

    /// Sorts the iteration table by a column; in the order of the trace without one.
    pub fn sort(&mut self, column: Option<u32>, descending: bool) {
        if let Some(rows) = self.values.rows() {
            rows.sort(column.map(|column| column as usize), descending);
        }
    }

    /// Rows of the iteration table: an array of `{point, at, texts, changed}`.
    pub fn rows(&mut self, first: u32, count: u32) -> Array {
        let Some(rows) = self.values.rows() else { return Array::new() };
        let one = |row: u32| {
            let (point, at) = rows.point(row as usize)?;
            let cells = rows.cells(row as usize);
            let texts: Array = cells.iter().map(|cell| JsValue::from_str(&cell.text)).collect();
            let changed: Array = cells.iter().map(|cell| JsValue::from_bool(cell.changed)).collect();
            Some(object(&[
                ("point", JsValue::from_f64(point as f64)),
                ("locator", Locator::from(trace_db::Located::Point(at)).bits().into()),
                ("texts", texts.into()),
                ("changed", changed.into()),
            ]))
        };
        (first..first.saturating_add(count)).map_while(one).collect()
    }

    /// The row of the last occurrence at or before a point. `undefined` if there is none.
    #[wasm_bindgen(js_name = rowOf)]
    pub fn row_of(&mut self, point: f64) -> Option<u32> {
        self.values.rows()?.row_of(point as u64).map(|row| row as u32)
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
    pub fn share(&self, slot: u32) -> f64 {
        self.values.share(slot_of(slot))
    }

    /// Number of points found.
    pub fn count(&self) -> f64 {
        self.values.count() as f64
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
