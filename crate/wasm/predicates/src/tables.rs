//! Variables, buffers and invariants, for JavaScript.

use tsify::Ts;
use unspool_values::{At, BufferOrder, Invariant as Found, Lifetime, Moment, Variable, put_value};
use wasm_bindgen::prelude::*;

use crate::protocol::{BufferRow, BufferTable, Invariant, PointerCandidate, ValueMoment, ValuePlace, VariableSummary};
use crate::{JsValues, locator};

fn hex(address: u64) -> String {
    format!("{address:#x}")
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
    /// Begins to look at all variables at the points from number `from` to before `to`. Step slot 2
    /// until it is done.
    #[wasm_bindgen(js_name = beginVariables)]
    pub fn begin_variables(&mut self, from: f64, to: f64) {
        self.values.begin_variables(from as u64..to as u64);
    }

    /// Begins to follow all buffers. Step slot 3 until it is done.
    #[wasm_bindgen(js_name = beginBuffers)]
    pub fn begin_buffers(&mut self) {
        self.values.begin_buffers();
    }

    /// All variables.
    pub fn variables(&self) -> Vec<Ts<VariableSummary>> {
        let Some(all) = self.values.variables() else { return Vec::new() };
        let one = |(key, it): (u32, &Variable)| {
            let moment = |moment: &Moment| self.moment(it, moment);
            let (different, is_all) = it.different();
            let summary = VariableSummary {
                name: self.name_of(key),
                of_type: self.type_of(key),
                pointer: it.is_pointer(),
                count: it.count as f64,
                first: moment(&it.first),
                last: moment(&it.last),
                lowest: it.lowest.as_ref().map(moment),
                highest: it.highest.as_ref().map(moment),
                changes: it.changes as f64,
                zeros: it.zeros as f64,
                invalid: it.invalid as f64,
                in_buffer: it.in_buffer as f64,
                different: different as f64,
                is_all,
                over_time: it.over_time().iter().flat_map(|(low, high)| [*low, *high]).collect(),
                nan_over_time: it.nan_over_time(),
            };
            summary.cross()
        };
        all.iter().map(one).collect()
    }

    /// What is known of all buffers. `undefined` if they were not followed.
    #[wasm_bindgen(js_name = bufferTable)]
    pub fn buffer_table(&mut self) -> Option<Ts<BufferTable>> {
        let buffers = self.values.buffers()?;
        let (count, rows) = buffers.counts();
        let (never_freed, most_in_use) = (buffers.never_freed(), buffers.most_in_use());
        let (candidates, is_all) = buffers.candidates();
        let candidates = candidates.to_vec();
        let candidates = candidates.into_iter().map(|it| PointerCandidate {
            why: it.why.into(),
            name: self.name_of(it.key),
            of_type: self.type_of(it.key),
            first: self.place(&it.first),
            count: it.count as f64,
            points: it.points.iter().map(|at| *at as f64).collect(),
            value: hex(it.value),
            address: hex(it.buffer.0),
            size: it.buffer.1 as f64,
            left: it.left as f64,
        });
        let table = BufferTable {
            count: count as f64,
            rows: rows as f64,
            never_freed: never_freed as f64,
            most_in_use: most_in_use as f64,
            candidates: candidates.collect(),
            is_all,
        };
        Some(table.cross())
    }

    /// Sorts the lifetimes that have a point from number `from` to before `to`: 0 in the order of
    /// the trace, then by address, size, length, pointers, and bytes left. Returns how many there
    /// are.
    #[wasm_bindgen(js_name = sortBuffers)]
    pub fn sort_buffers(&mut self, by: u32, descending: bool, from: f64, to: f64) -> u32 {
        let by = match by {
            1 => BufferOrder::Address,
            2 => BufferOrder::Size,
            3 => BufferOrder::Length,
            4 => BufferOrder::Pointers,
            5 => BufferOrder::Left,
            _ => BufferOrder::From,
        };
        let Some(buffers) = self.values.buffers() else { return 0 };
        buffers.sort(by, descending, &(from as u64..to as u64));
        buffers.rows() as u32
    }

    /// Some lifetimes.
    #[wasm_bindgen(js_name = bufferRows)]
    pub fn buffer_rows(&mut self, first: u32, count: u32) -> Vec<Ts<BufferRow>> {
        let Some(buffers) = self.values.buffers() else { return Vec::new() };
        let rows: Vec<Lifetime> =
            (first..first.saturating_add(count)).map_while(|row| buffers.get(row as usize).cloned()).collect();
        let one = |it: &Lifetime| {
            let row = BufferRow {
                address: hex(it.address),
                size: it.size as f64,
                from: self.place(&it.from),
                to: it.to.as_ref().map(|to| self.place(to)),
                is_resized: it.is_resized,
                pointers: it.pointers as f64,
                left: it.least_left.map(|left| left as f64),
                names: it.names.iter().map(|key| self.name_of(*key)).collect(),
            };
            row.cross()
        };
        rows.iter().map(one).collect()
    }

    /// Goes on with the invariants of the iteration table, for at least `budget` rows. Returns
    /// whether that is done.
    #[wasm_bindgen(js_name = stepInvariants)]
    pub fn step_invariants(&mut self, budget: u32) -> bool {
        self.values.step_invariants(budget as usize)
    }

    /// The invariants.
    pub fn invariants(&self) -> Vec<Ts<Invariant>> {
        let Some(all) = self.values.invariants() else { return Vec::new() };
        let one = |it: &Found| {
            let invariant = Invariant {
                relation: it.relation.into(),
                query: it.query.clone(),
                exceptions_query: it.exceptions_query.clone(),
                holds: it.holds as f64,
                exceptions: it.exceptions as f64,
            };
            invariant.cross()
        };
        all.found().iter().map(one).collect()
    }
}

impl JsValues {
    fn name_of(&self, key: u32) -> String {
        let (name, _) = self.values.dictionary().key(key);
        self.values.tables().text(name).unwrap_or_default().into()
    }

    fn type_of(&self, key: u32) -> String {
        let (_, of_type) = self.values.dictionary().key(key);
        self.values.tables().type_name(of_type).into()
    }

    fn place(&self, At { point, at, statement }: &At) -> ValuePlace {
        let (track, statement) = (self.track_of(*statement), *statement);
        ValuePlace { point: *point as f64, locator: locator(*at), track, statement }
    }

    fn moment(&self, of: &Variable, it: &Moment) -> ValueMoment {
        let (track, statement) = (self.track_of(it.statement), it.statement);
        ValueMoment { point: it.point as f64, locator: locator(it.at), track, statement, text: text_of(of, it.bits) }
    }

    /// The id of the track of a statement's points.
    fn track_of(&self, statement: u32) -> u32 {
        self.values.track_of(self.values.dictionary().statement(statement))
    }
}
