//! Statistics of a range, step by step: the worker decides how long a step takes.

use serde::Serialize;
use unspool_engine::statistics::{Exact, Percentiles, Question, Statistics};
use wasm_bindgen::prelude::*;

use crate::{Session, columns, object, to_js};

/// The scans in progress.
#[derive(Default)]
pub(crate) struct Scan {
    statistics: Option<Statistics>,
    exact: Option<Exact>,
}

#[derive(Serialize)]
struct PercentilesOut {
    median: u64,
    p90: u64,
    p99: u64,
}

impl From<Percentiles> for PercentilesOut {
    fn from(p: Percentiles) -> Self {
        Self { median: p.median, p90: p.p90, p99: p.p99 }
    }
}

#[wasm_bindgen]
impl Session {
    /// Begins a scan of `from..to` on these tracks, unless the last one has the final answer already. Replaces the
    /// previous scan.
    #[wasm_bindgen(js_name = beginStatistics)]
    pub fn begin_statistics(&mut self, from: u64, to: u64, tracks: &[u32]) {
        let question = Question { from, to, tracks: tracks.to_vec() };
        let store = self.engine.store();
        if self.scan.statistics.as_ref().is_none_or(|s| !s.answers(store, &question)) {
            let next = match self.scan.statistics.take() {
                Some(previous) => previous.again(store, question),
                None => Statistics::new(store, question),
            };
            self.scan.statistics = Some(next);
        }
    }

    /// Visits about `slices` slices. Returns true if the scan is complete.
    #[wasm_bindgen(js_name = stepStatistics)]
    pub fn step_statistics(&mut self, slices: u32) -> bool {
        let store = self.engine.store();
        self.scan.statistics.as_mut().is_none_or(|s| s.step(store, u64::from(slices)))
    }

    /// What is known so far: the body of a `statistics` message, or `undefined` while there is not enough to estimate
    /// from. `flame` is the call-tree node in focus.
    pub fn statistics(&mut self, functions: bool, flame: Option<u32>) -> JsValue {
        let store = self.engine.store();
        let Some(statistics) = self.scan.statistics.as_mut().filter(|s| s.can_estimate()) else {
            return JsValue::UNDEFINED;
        };
        let functions = if functions { columns::functions(&statistics.functions(store)) } else { JsValue::NULL };
        let flame = flame.map_or(JsValue::NULL, |focus| columns::flame(&statistics.flame(store, focus)));
        object(&[
            ("slices", JsValue::from_f64(statistics.slices() as f64)),
            ("visited", JsValue::from_f64(statistics.visited() as f64)),
            ("exact", statistics.is_exact().into()),
            ("complete", statistics.is_complete().into()),
            ("functions", functions),
            ("flame", flame),
        ])
    }

    /// Begins a search for the exact percentiles of a function. Replaces the previous search.
    #[wasm_bindgen(js_name = beginPercentiles)]
    pub fn begin_percentiles(&mut self, from: u64, to: u64, tracks: &[u32], name: u32) {
        let question = Question { from, to, tracks: tracks.to_vec() };
        self.scan.exact = Some(Exact::new(self.engine.store(), question, name));
    }

    /// Visits about `slices` slices. Returns `undefined` while there is more to visit, then `{median, p90, p99}`, or
    /// `null` if the range holds no such slice.
    #[wasm_bindgen(js_name = stepPercentiles)]
    pub fn step_percentiles(&mut self, slices: u32) -> JsValue {
        let Some(exact) = &mut self.scan.exact else { return JsValue::NULL };
        let Some(found) = exact.step(self.engine.store(), u64::from(slices)) else { return JsValue::UNDEFINED };
        self.scan.exact = None;
        found.map_or(JsValue::NULL, |percentiles| to_js(&PercentilesOut::from(percentiles)))
    }
}
