//! Values of a trace, for JavaScript.

pub mod protocol;
mod tables;

use std::collections::HashMap;

use js_sys::Array;
use tsify::Ts;
use unspool_formats::trace_db;
use unspool_formats::trace_db::open_places;
use unspool_js::columns::{BigUint64Array, Uint32Array};
use unspool_js::{FoundRecords, WrongExpression, standing, thrown};
use unspool_trace::Locator;
use unspool_values::{CELLS, Fault, Query, Slot, Step, Summary, Values};
use wasm_bindgen::prelude::*;

use crate::protocol::{IterationColumn, IterationRow, IterationTable, StatementColumns, ValuesKnown};

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
        3 => Slot::Buffers,
        4 => Slot::Statements,
        6 => Slot::Findings,
        _ => Slot::Profile,
    }
}

fn wrong(text: &str, Fault { at, len, sentence }: &Fault) -> Ts<WrongExpression> {
    WrongExpression::new(text, *at, *len, sentence).cross()
}

#[wasm_bindgen(js_class = Values)]
impl JsValues {
    /// The values of the trace with this index, of which at most about `most` bytes are kept for
    /// the next question. Nothing has been read yet.
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

    /// What can be named in a query.
    pub fn known(&self) -> Ts<ValuesKnown> {
        let tables = self.values.tables();
        let of_types: Vec<u32> = tables.types().iter().map(|t| t.name).collect();
        // One dictionary has the names of both.
        let names = (0..tables.names() as u32).filter(|n| !of_types.contains(n));
        let variables = names.filter_map(|n| tables.text(n).map(Into::into)).collect();
        let types = (0..of_types.len() as u32).map(|t| tables.type_name(t).into()).collect();
        ValuesKnown { variables, types }.cross()
    }

    /// What is wrong with a query. `undefined` if nothing is.
    pub fn check(&self, text: &str) -> Option<Ts<WrongExpression>> {
        self.values.check(text).err().map(|fault| wrong(text, &fault))
    }

    /// Asks a query in place of the previous one. One that cannot be understood finds nothing.
    pub fn begin(&mut self, text: &str) {
        match Query::parse(text) {
            Ok(query) => self.values.begin(&query),
            Err(_) => self.values.stop(Slot::Search),
        }
    }

    /// Begins the iteration table of a statement, by its number in [`JsValues::statements`], with
    /// the points from number `from` to before `to` that a query finds. An empty query finds all.
    /// Returns what is wrong if it cannot be understood.
    #[wasm_bindgen(js_name = beginRows)]
    pub fn begin_rows(&mut self, statement: u32, text: &str, from: f64, to: f64) -> Option<Ts<WrongExpression>> {
        let query =
            if text.trim().is_empty() { Ok(Query { keep: true, ..Query::default() }) } else { self.values.check(text) };
        match query {
            Ok(query) => {
                self.values.begin_rows(statement, &query, from as u64..to as u64);
                None
            }
            Err(fault) => Some(wrong(text, &fault)),
        }
    }

    /// Goes on with the search (slot 0), the table (1), the variables (2), the buffers (3), the
    /// statements of a range (4), what runs are compared by (5) or what stands out (6) for at least
    /// `budget` combinations of variables. Returns 0 if it needs bytes, 1 if there is more to do, 2
    /// if the question is answered.
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

    /// Begins to count the points of statements from number `from` to before `to`. Step slot 4
    /// until it is done.
    #[wasm_bindgen(js_name = beginStatements)]
    pub fn begin_statements(&mut self, from: f64, to: f64) {
        self.values.begin_statements(from as u64..to as u64);
    }

    /// Begins to look at what runs are compared by, at the points from number `from` to before
    /// `to`. Step slot 5 until it is done.
    #[wasm_bindgen(js_name = beginProfile)]
    pub fn begin_profile(&mut self, from: f64, to: f64) {
        self.values.begin_profile(from as u64..to as u64);
    }

    /// What runs are compared by, as bytes for `unspool_compare`.
    pub fn profile(&self) -> Option<Vec<u8>> {
        self.values.profile().map(|profile| profile.to_bytes())
    }

    /// Begins to look for what stands out. Step slot 6 until it is done.
    #[wasm_bindgen(js_name = beginFindings)]
    pub fn begin_findings(&mut self) {
        self.values.begin_findings();
    }

    /// What stands out, the greatest first. `names` are those of the statements, in the order of
    /// [`JsValues::statements`].
    #[wasm_bindgen(unchecked_return_type = "StandingFinding[]")]
    pub fn findings(&self, names: Vec<String>) -> Array {
        let numbers: HashMap<_, _> =
            (0..).zip(self.values.statements().summaries()).map(|(at, it)| (it.id, at)).collect();
        let name_of = |id| {
            let number: Option<&usize> = numbers.get(&id);
            number.and_then(|at| names.get(*at)).cloned().unwrap_or_default()
        };
        standing(self.values.findings(name_of))
    }

    /// All statements, with their points in the whole trace, or `within` the range that was asked
    /// about last.
    pub fn statements(&self, within: bool) -> Ts<StatementColumns> {
        let whole = self.values.statements();
        let of = if within { self.values.statements_within().unwrap_or(whole) } else { whole };
        let all = of.summaries();
        let number = |of: fn(&Summary) -> u64| all.iter().map(|it| of(it) as f64).collect();
        let columns = StatementColumns {
            named: all.iter().map(|it| it.id.is_some().into()).collect(),
            file: all.iter().map(|it| it.id.and_then(|id| id.file()).map_or(-1, |file| file as i32)).collect(),
            place: all.iter().map(|it| it.id.map_or(0, |id| id.place())).collect(),
            count: number(|it| it.count),
            first: number(|it| it.first),
            last: number(|it| it.last),
            track: all.iter().map(|it| self.values.track_of(it.id)).collect(),
            heat: all.iter().flat_map(|it| it.heat).collect(),
            cells: CELLS as u32,
        };
        columns.cross()
    }

    /// The iteration table so far.
    pub fn table(&mut self) -> Ts<IterationTable> {
        let (mut columns, mut counts) = (Vec::new(), (0, 0));
        if let Some(rows) = self.values.rows() {
            columns = rows.keys().collect();
            counts = rows.counts();
        }
        let tables = self.values.tables();
        let columns = columns.into_iter().map(|(key, is_size)| {
            let (name, of_type) = self.values.dictionary().key(key);
            let name = tables.text(name).unwrap_or_default().into();
            IterationColumn { name, of_type: tables.type_name(of_type).into(), is_size }
        });
        IterationTable { count: counts.0 as f64, rows: counts.1 as f64, columns: columns.collect() }.cross()
    }

    /// Sorts the iteration table by a column; in the order of the trace without one.
    pub fn sort(&mut self, column: Option<u32>, descending: bool) {
        if let Some(rows) = self.values.rows() {
            rows.sort(column.map(|column| column as usize), descending);
        }
    }

    /// Rows of the iteration table.
    pub fn rows(&mut self, first: u32, count: u32) -> Vec<Ts<IterationRow>> {
        let Some(rows) = self.values.rows() else { return Vec::new() };
        let one = |row: u32| {
            let (point, at) = rows.point(row as usize)?;
            let cells = rows.cells(row as usize);
            let row = IterationRow {
                point: point as f64,
                locator: locator(at),
                changed: cells.iter().map(|cell| cell.changed).collect(),
                texts: cells.into_iter().map(|cell| cell.text).collect(),
            };
            Some(row.cross())
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

    /// The reason why the search that was asked last with a query, and is done, has found nothing.
    #[wasm_bindgen(js_name = whyNone)]
    pub fn why_none(&self, text: &str) -> Option<String> {
        self.values.why_none(&Query::parse(text).ok()?)
    }

    /// Takes the points found since the last time. They have one alternative and no names: an
    /// instant is known by its locator alone.
    pub fn take(&mut self) -> Ts<FoundRecords> {
        let found = self.values.take();
        let count = found.x.len();
        let points = FoundRecords {
            x: BigUint64Array(found.x),
            track: Uint32Array(found.track),
            locator: found.at.into_iter().map(locator).collect(),
            branches: BigUint64Array(vec![1; count]),
            name: Uint32Array(vec![u32::MAX; count]),
            matched: Uint32Array(found.matched),
            texts: found.texts,
        };
        points.cross()
    }
}

/// Where the point at an absolute offset is found again.
fn locator(at: u64) -> u64 {
    Locator::from(trace_db::Located::Point(at)).bits()
}
