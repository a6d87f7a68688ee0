//! What stands out among calls that take time, for JavaScript.
//!
//! The worker of the trace steps it beside the module of the session, from which it gets rows. That
//! module has nothing of the search: every trace needs it, and few people wait for this.

use js_sys::Array;
use unspool_engine::findings::CallFindings;
use unspool_engine::findings::calls::PortionCalls;
use unspool_engine::jobs::Step;
use unspool_js::{standing, thrown};
use unspool_trace::Clock;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The session.
    pub type JsRows;

    /// `Session.exportRows`.
    #[wasm_bindgen(method, js_name = exportRows)]
    fn export_rows(this: &JsRows, ask: &[u8]) -> Vec<u8>;
}

type Fetch = Box<dyn Fn(&[u8]) -> Vec<u8>>;

/// The search in one trace, which was read to its end.
#[wasm_bindgen(js_name = CallFindings)]
pub struct JsCallFindings {
    calls: PortionCalls<Fetch>,
    findings: CallFindings,
}

#[wasm_bindgen(js_class = CallFindings)]
impl JsCallFindings {
    /// A search that has looked at nothing yet. `frequency` are the ticks of a second, 0 if that is
    /// unknown. `gaps` are where records are missing: three numbers for each, the track, and where
    /// the gap begins and ends.
    ///
    /// # Errors
    ///
    /// Throws a text if the session is not of the same build.
    #[wasm_bindgen(constructor)]
    pub fn new(rows: JsRows, frequency: u64, gaps: &[u64]) -> Result<Self, JsValue> {
        let fetch: Fetch = Box::new(move |ask| rows.export_rows(ask));
        let gaps: Vec<_> = gaps.as_chunks().0.iter().map(|[track, from, to]| (*track as u32, *from, *to)).collect();
        let calls = PortionCalls::new(fetch, &gaps).ok_or_else(|| thrown("these are no rows"))?;
        let clock = if frequency > 0 { Clock::Seconds { frequency } } else { Clock::Ticks };
        Ok(Self { findings: CallFindings::new(&calls, clock), calls })
    }

    /// Visits about this many further calls. Returns whether the search is done.
    pub fn step(&mut self, budget: u32) -> bool {
        self.findings.step(&self.calls, budget.into()) == Step::Done
    }

    /// How much is done, from 0 to 1.
    #[wasm_bindgen(getter)]
    pub fn share(&self) -> f64 {
        let progress = self.findings.progress();
        progress.done as f64 / progress.of.max(1) as f64
    }

    /// Its memory in bytes.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> f64 {
        (self.findings.bytes() + self.calls.bytes()) as f64
    }

    /// What was found, the greatest first; nothing before the end.
    #[wasm_bindgen(unchecked_return_type = "StandingFinding[]")]
    pub fn found(&self) -> Array {
        standing(self.findings.found().unwrap_or_default().to_vec())
    }
}
