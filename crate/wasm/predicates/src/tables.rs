//! Variables, buffers and invariants, for JavaScript.

use js_sys::{Array, Float64Array};
use unspool_formats::{Locator, trace_db};
use unspool_js::{number, object};
use unspool_predicates::{At, BufferOrder, Lifetime, Moment, Variable, put_value};
use wasm_bindgen::prelude::*;

use crate::JsValues;

fn hex(address: u64) -> JsValue {
    JsValue::from_str(&format!("{address:#x}"))
}

fn text_of(variable: &Variable, bits: u64) -> String {
    let mut text = String::new();
    if let Some(value) = variable.value(bits) {
        put_value(&mut text, value);
    }
    text
}

#[wasm_bindgen(js_class = Values)]
impl JsValues {
    /// Begins to look at all variables. Step slot 2 until it is done.
    #[wasm_bindgen(js_name = beginVariables)]
    pub fn begin_variables(&mut self) {
        self.values.begin_variables();
    }

    /// Begins to follow all buffers. Step slot 3 until it is done.
    #[wasm_bindgen(js_name = beginBuffers)]
    pub fn begin_buffers(&mut self) {
        self.values.begin_buffers();
    }

    /// All variables: an array of `VariableSummary`.
    pub fn variables(&self) -> Array {
        let (dictionary, tables) = (self.values.dictionary(), self.values.tables());
        let Some(all) = self.values.variables() else { return Array::new() };
        let one = |(key, it): (u32, &Variable)| {
            let (name, of_type) = dictionary.key(key);
            let moment = |moment: &Moment| self.moment(it, moment);
            let maybe = |it: &Option<Moment>| it.as_ref().map_or(JsValue::NULL, moment);
            let (different, is_all) = it.different();
            let over_time: Vec<f64> = it.over_time().iter().flat_map(|(low, high)| [*low, *high]).collect();
            object(&[
                ("name", JsValue::from_str(&tables.text(name).unwrap_or_default())),
                ("type", JsValue::from_str(&tables.type_name(of_type))),
                ("pointer", JsValue::from_bool(it.is_pointer())),
                ("count", number(it.count)),
                ("first", moment(&it.first)),
                ("last", moment(&it.last)),
                ("lowest", maybe(&it.lowest)),
                ("highest", maybe(&it.highest)),
                ("changes", number(it.changes)),
                ("zeros", number(it.zeros)),
                ("invalid", number(it.invalid)),
                ("inBuffer", number(it.in_buffer)),
                ("different", number(different)),
                ("isAll", JsValue::from_bool(is_all)),
                ("overTime", Float64Array::from(&over_time[..]).into()),
            ])
        };
        all.iter().map(one).collect()
    }

    /// What is known of all buffers: a `BufferTable`.
    #[wasm_bindgen(js_name = bufferTable)]
    pub fn buffer_table(&mut self) -> JsValue {
        let Some(buffers) = self.values.buffers() else { return JsValue::UNDEFINED };
        let (count, rows) = buffers.counts();
        let (never_freed, most_in_use) = (buffers.never_freed(), buffers.most_in_use());
        let (candidates, is_all) = buffers.candidates();
        let candidates = candidates.to_vec();
        let list: Array = candidates
            .iter()
            .map(|it| {
                object(&[
                    ("why", JsValue::from_str(it.why.word())),
                    ("name", self.name_of(it.key)),
                    ("type", self.type_of(it.key)),
                    ("first", self.place(&it.first)),
                    ("count", number(it.count)),
                    (
                        "points",
                        Float64Array::from(&it.points.iter().map(|at| *at as f64).collect::<Vec<_>>()[..]).into(),
                    ),
                    ("value", hex(it.value)),
                    ("address", hex(it.buffer.0)),
                    ("size", number(it.buffer.1)),
                    ("left", JsValue::from_f64(it.left as f64)),
                ])
            })
            .collect();
        object(&[
            ("count", number(count)),
            ("rows", number(rows as u64)),
            ("neverFreed", number(never_freed as u64)),
            ("mostInUse", number(most_in_use)),
            ("candidates", list.into()),
            ("isAll", JsValue::from_bool(is_all)),
        ])
    }

    /// Sorts the lifetimes: 0 in the order of the trace, then by address, size, length, pointers, and bytes left.
    #[wasm_bindgen(js_name = sortBuffers)]
    pub fn sort_buffers(&mut self, by: u32, descending: bool) {
        let by = match by {
            1 => BufferOrder::Address,
            2 => BufferOrder::Size,
            3 => BufferOrder::Length,
            4 => BufferOrder::Pointers,
            5 => BufferOrder::Left,
            _ => BufferOrder::From,
        };
        if let Some(buffers) = self.values.buffers() {
            buffers.sort(by, descending);
        }
    }

    /// Some lifetimes: an array of `BufferRow`.
    #[wasm_bindgen(js_name = bufferRows)]
    pub fn buffer_rows(&mut self, first: u32, count: u32) -> Array {
        let Some(buffers) = self.values.buffers() else { return Array::new() };
        let rows: Vec<Lifetime> =
            (first..first.saturating_add(count)).map_while(|row| buffers.get(row as usize).cloned()).collect();
        let one = |it: &Lifetime| {
            let names: Array = it.names.iter().map(|key| self.name_of(*key)).collect();
            object(&[
                ("address", hex(it.address)),
                ("size", number(it.size)),
                ("from", self.place(&it.from)),
                ("to", it.to.as_ref().map_or(JsValue::NULL, |to| self.place(to))),
                ("isResized", JsValue::from_bool(it.is_resized)),
                ("pointers", number(it.pointers)),
                ("left", it.least_left.map_or(JsValue::NULL, number)),
                ("names", names.into()),
            ])
        };
        rows.iter().map(one).collect()
    }

    /// Goes on with the invariants of the iteration table, for at least `budget` rows. Returns whether that is done.
    #[wasm_bindgen(js_name = stepInvariants)]
    pub fn step_invariants(&mut self, budget: u32) -> bool {
        self.values.step_invariants(budget as usize)
    }

    /// The invariants: an array of `Invariant`.
    pub fn invariants(&self) -> Array {
        let Some(all) = self.values.invariants() else { return Array::new() };
        all.found()
            .iter()
            .map(|it| {
                object(&[
                    ("relation", JsValue::from_str(it.relation.word())),
                    ("query", JsValue::from_str(&it.query)),
                    ("exceptionsQuery", JsValue::from_str(&it.exceptions_query)),
                    ("holds", number(it.holds)),
                    ("exceptions", number(it.exceptions)),
                ])
            })
            .collect()
    }
}

impl JsValues {
    fn name_of(&self, key: u32) -> JsValue {
        let (name, _) = self.values.dictionary().key(key);
        JsValue::from_str(&self.values.tables().text(name).unwrap_or_default())
    }

    fn type_of(&self, key: u32) -> JsValue {
        let (_, of_type) = self.values.dictionary().key(key);
        JsValue::from_str(&self.values.tables().type_name(of_type))
    }

    /// A `ValuePlace`.
    fn place(&self, At { point, at, statement }: &At) -> JsValue {
        object(&self.place_fields(*point, *at, *statement))
    }

    fn place_fields(&self, point: u64, at: u64, statement: u32) -> [(&'static str, JsValue); 4] {
        let track = self.values.track_of(self.values.dictionary().statement(statement));
        [
            ("point", number(point)),
            ("locator", Locator::from(trace_db::Located::Point(at)).bits().into()),
            ("track", JsValue::from_f64(track.into())),
            ("statement", JsValue::from_f64(statement.into())),
        ]
    }

    /// A `ValueMoment`: a `ValuePlace` with the value as a text.
    fn moment(&self, of: &Variable, it: &Moment) -> JsValue {
        let [a, b, c, d] = self.place_fields(it.point, it.at, it.statement);
        object(&[a, b, c, d, ("text", JsValue::from_str(&text_of(of, it.bits)))])
    }
}
