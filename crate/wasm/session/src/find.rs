//! Searches for JavaScript: the job, and questions about what it has found.

use std::any::Any;

use tsify::Ts;
use unspool_engine::Store;
use unspool_engine::find::{Find, Hit, Hits, Order};
use unspool_js::columns::{BigUint64Array, Uint32Array};
use unspool_js::{JsFoundRecords, typed};
use wasm_bindgen::prelude::*;

use crate::Session;
use crate::items::JsItem;
use crate::jobs::{JsJob, rows_of};
use crate::protocol::{FindPart, HitColumns, HitRank, JobPart, MarksPart};

impl JsJob for Find {
    fn part(&mut self, _: &Store) -> Option<JobPart> {
        if !self.is_done() {
            return None;
        }
        let names = Uint32Array(self.hits().names());
        Some(JobPart::Find(FindPart { count: self.hits().len() as f64, names }))
    }
}

/// An order by its number in `HIT_ORDERS` of `web/base/job_protocol.ts`.
fn order_of(number: u32) -> Order {
    [Order::Position, Order::Thread, Order::Name, Order::Duration, Order::Match]
        .get(number as usize)
        .copied()
        .unwrap_or_default()
}

#[wasm_bindgen]
impl Session {
    /// What expressions about this trace are bound to, for `Binder` of the language's module.
    /// `frames`: whether an expression needs to know where frames are.
    #[wasm_bindgen(js_name = findContext)]
    pub fn find_context(&self, frames: bool) -> Vec<u8> {
        self.engine.find_context(frames).to_bytes()
    }

    /// Adds records that a pass has found to a search. Returns the number of hits, or `undefined`
    /// if there is no such search.
    #[wasm_bindgen(js_name = addHits)]
    pub fn add_hits(&mut self, job: u32, found: &JsFoundRecords) -> Option<f64> {
        let found = found.into();
        self.with_search(job, |find, store| {
            find.add(store, &found);
            find.hits().len() as f64
        })
    }

    /// Some hits of a search, of those with the numbers from `from` to `end` by position. Empty if
    /// there is no such search.
    pub fn hits(&mut self, job: u32, from: f64, end: f64, first: f64, count: u32, order: u32) -> Vec<Ts<Hit>> {
        let among = from as u64..end as u64;
        let page =
            self.with_hits(job, |hits, store| hits.page(store, among, first as u64, count as usize, order_of(order)));
        page.iter().flatten().map(typed).collect()
    }

    /// Where an item or a record stands among the hits of a search. `undefined` if there is no such
    /// search.
    #[wasm_bindgen(js_name = rankOfHit)]
    pub fn rank_of_hit(&mut self, job: u32, x: u64, item: Option<JsItem>, locator: Option<u64>) -> Option<Ts<HitRank>> {
        let item = item.as_ref().map(Into::into);
        let (rank, is_hit) = self.with_hits(job, |hits, store| hits.rank(store, x, item, locator))?;
        Some(HitRank { rank: rank as f64, is_hit }.cross())
    }

    /// The cells that hits of a search touch. `undefined` if there is no such search.
    #[wasm_bindgen(js_name = marksOfHits)]
    #[expect(clippy::too_many_arguments, reason = "an object would cost more code on both sides")]
    pub fn marks_of_hits(
        &mut self,
        job: u32,
        from: u64,
        to: u64,
        step: u64,
        tracks: &[u32],
        depths: &[i32],
        merged: bool,
    ) -> Option<Ts<MarksPart>> {
        let rows = rows_of(tracks, depths);
        let (marks, step) = self.with_hits(job, |hits, store| hits.marks(store, (from, to), step, &rows, merged))?;
        Some(MarksPart::new(marks, step).cross())
    }

    /// At most `most` hits of a search, by position. `undefined` if there is no such search.
    #[wasm_bindgen(js_name = columnsOfHits)]
    pub fn columns_of_hits(&mut self, job: u32, most: u32) -> Option<Ts<HitColumns>> {
        let (time, track, locator) = self.with_hits(job, |hits, store| hits.columns(store, most as usize))?;
        let [time, locator] = [time, locator].map(BigUint64Array);
        Some(HitColumns { time, track: Uint32Array(track), locator }.cross())
    }

    /// The names of slices and instants among the hits of a search.
    #[wasm_bindgen(js_name = namesOfHits)]
    pub fn names_of_hits(&mut self, job: u32) -> Vec<u32> {
        self.with_hits(job, |hits, _| hits.names()).unwrap_or_default()
    }
}

impl Session {
    fn with_search<T>(&mut self, job: u32, work: impl FnOnce(&mut Find, &Store) -> T) -> Option<T> {
        let store = self.engine.store();
        let found = self.jobs.read(job, |job| {
            let job: &mut dyn Any = job;
            job.downcast_mut::<Find>().map(|find| work(find, store))
        });
        found.flatten()
    }

    fn with_hits<T>(&mut self, job: u32, work: impl FnOnce(&mut Hits, &Store) -> T) -> Option<T> {
        self.with_search(job, |find, store| work(find.hits(), store))
    }
}
