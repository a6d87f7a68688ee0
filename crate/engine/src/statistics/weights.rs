//! Times of calls that the trace does not have: what calls weigh in place of their durations.
//!
//! A replay measures some calls of a trace whose clock counts calls. The scan counts slices as
//! always. Then each call that was measured is looked for at the position where it begins, and its
//! weight is added to its call path and to those of its callers. Only call paths are weighed: the
//! figures of functions by name, such as percentiles, stay those of durations.

use std::sync::Arc;

use super::Statistics;
use super::paths::Place;
use super::plan::Single;
use crate::call_tree::ROOT;
use crate::store::Store;

/// Slices that are visited in the time in which one call is looked for, about.
const SLICES: u64 = 16;

/// What calls weigh.
#[derive(Debug, PartialEq, Eq)]
pub struct Weights {
    /// Where each call begins, ascending.
    at: Vec<u64>,
    /// What it weighs.
    weights: Vec<u64>,
}

impl Weights {
    /// The weights of calls that begin at `at`, absolute positions in ticks, ascending. The
    /// innermost call that begins at a position is meant.
    pub fn new(at: Vec<u64>, weights: Vec<u64>) -> Self {
        Self { at, weights }
    }

    /// Allocated memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        (self.at.capacity() + self.weights.capacity()) * size_of::<u64>()
    }

    fn first_from(&self, at: u64) -> usize {
        self.at.partition_point(|other| *other < at)
    }
}

/// How far calls are weighed.
#[derive(Debug)]
pub(super) struct Weighing {
    weights: Arc<Weights>,
    /// The next weight, once all slices were counted.
    next: Option<usize>,
    pub(super) is_done: bool,
    /// Calls that were not measured.
    unmeasured: u64,
}

impl Statistics {
    /// The same scan of what calls weigh in place of durations, if there are weights.
    pub(super) fn weighed(mut self, weights: Option<Arc<Weights>>) -> Self {
        self.weighing = weights.map(|weights| Weighing { weights, next: None, is_done: false, unmeasured: 0 });
        self
    }

    /// The weights. `None` for durations.
    pub(super) fn weights(&self) -> Option<&Arc<Weights>> {
        self.weighing.as_ref().map(|weighing| &weighing.weights)
    }

    /// How many calls of the range were not measured. `None` unless calls are weighed.
    pub fn unmeasured(&self) -> Option<u64> {
        self.weighing.as_ref().map(|weighing| weighing.unmeasured)
    }

    /// Weighs some calls, once all slices were counted.
    pub(super) fn weigh(&mut self, store: &Store, budget: u64) {
        let Some(Weighing { weights, next, is_done: false, .. }) = &self.weighing else { return };
        let (weights, next) = (Arc::clone(weights), *next);
        let at = next.unwrap_or_else(|| {
            self.count_calls(store);
            // Those that are partly outside of the range, or open, are not found by where they
            // begin.
            for Single { node, start, .. } in self.plan.singles.clone() {
                let at = weights.first_from(start);
                if weights.at.get(at) == Some(&start)
                    && (start < self.plan.question.from || self.call_at(store, start) == ROOT)
                {
                    self.add_weight(store, node, weights.weights.get(at).copied());
                }
            }
            weights.first_from(self.plan.question.from)
        });
        let to = weights.first_from(self.plan.question.to);
        let end = to.min(at + (budget / SLICES).max(1) as usize);
        for at in at..end {
            let call = self.call_at(store, weights.at.get(at).copied().unwrap_or_default());
            self.add_weight(store, call, weights.weights.get(at).copied());
        }
        if let Some(weighing) = &mut self.weighing {
            weighing.next = Some(end);
            weighing.is_done = end == to;
        }
    }

    /// Counts the calls that were visited, and takes their durations away.
    fn count_calls(&mut self, store: &Store) {
        let Some(weighing) = &mut self.weighing else { return };
        let paths = self.paths.tree(&store.calls);
        for (place, sum) in (0..).zip(&mut self.nodes) {
            sum.total = 0;
            if !store.texts.is_group(paths.name(place)) {
                weighing.unmeasured += u64::from(sum.count);
            }
        }
    }

    /// The innermost call that begins at a position, [`ROOT`] if there is none.
    #[inline(never)]
    fn call_at(&self, store: &Store, at: u64) -> Place {
        let mut found = ROOT;
        for track in self.plan.question.tracks.iter().filter_map(|id| store.tracks.get(*id as usize)) {
            for (_, column) in track.columns() {
                let slice = column.get(column.first_from(at)).filter(|slice| slice.start == at);
                found = slice.map_or(found, |slice| slice.node);
            }
        }
        found
    }

    /// Adds a weight to a call and its callers. A group is not a call.
    #[inline(never)]
    fn add_weight(&mut self, store: &Store, place: Place, weight: Option<u64>) {
        let Some(weight) = weight else { return };
        let paths = self.paths.tree(&store.calls);
        if place == ROOT || store.texts.is_group(paths.name(place)) {
            return;
        }
        if let Some(weighing) = &mut self.weighing {
            weighing.unmeasured = weighing.unmeasured.saturating_sub(1);
        }
        let mut above = place;
        while above != ROOT {
            if let Some(sum) = self.nodes.get_mut(above as usize) {
                sum.total = sum.total.saturating_add(weight);
            }
            above = paths.parent(above);
        }
    }
}
