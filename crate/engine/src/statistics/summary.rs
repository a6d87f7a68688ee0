//! All figures of a range, exactly and at once, for callers that may block.

use super::buckets::rank_of;
use super::functions::Function;
use super::percentiles::{PERCENTS, Percentiles};
use super::plan::{Plan, Question};
use super::{NONE, Statistics};
use crate::call_tree::ROOT;
use crate::store::Store;

/// Durations that are kept at a time: 256 MiB. More functions, or a function with more calls, take another scan.
const ROOM: u64 = 1 << 25;

/// Exact figures of a range.
#[derive(Debug)]
pub struct Summary {
    /// The functions, sorted by the number of their name.
    pub functions: Vec<Function>,
    /// Time in which any call was open, summed over the tracks, in ticks. Overlapping lifetimes count one by one.
    pub covered: u64,
}

impl Summary {
    /// Scans the range for all figures.
    ///
    /// # Examples
    ///
    /// ```
    /// use unspool_engine::Store;
    /// use unspool_engine::statistics::{Question, Summary};
    ///
    /// let store = Store::default();
    /// let question = Question { from: 0, to: u64::MAX, tracks: vec![0] };
    /// assert!(Summary::of(&store, &question).functions.is_empty());
    /// ```
    pub fn of(store: &Store, question: &Question) -> Self {
        Self::with_room(store, question, ROOM)
    }

    /// The same, keeping at most `room` durations, or those of one function.
    pub(super) fn with_room(store: &Store, question: &Question, room: u64) -> Self {
        let mut statistics = Statistics::new(store, question.clone());
        while !statistics.step(store, u64::MAX) {}
        let covered = statistics.total(store);
        let mut functions = statistics.list(store);
        drop(statistics);
        let mut rest = functions.as_mut_slice();
        while !rest.is_empty() {
            let mut kept = 0;
            let fit = rest.iter().take_while(|f| {
                kept += f.count;
                kept <= room
            });
            let (some, others) = rest.split_at_mut(fit.count().max(1).min(rest.len()));
            find_percentiles(store, question, some);
            rest = others;
        }
        Self { functions, covered }
    }
}

/// Finds the percentiles of some functions in one scan.
fn find_percentiles(store: &Store, question: &Question, functions: &mut [Function]) {
    // Functions are sorted by the number of their name.
    let mut place_of = vec![NONE; functions.last().map_or(0, |f| f.name as usize + 1)];
    let mut durations: Vec<Vec<u64>> = Vec::with_capacity(functions.len());
    for (place, function) in (0..).zip(functions.iter()) {
        if let Some(of) = place_of.get_mut(function.name as usize) {
            *of = place;
        }
        durations.push(Vec::with_capacity(usize::try_from(function.count).unwrap_or(0)));
    }
    let mut add = |duration: u64, node: u32| {
        let place = place_of.get(store.calls.name(node) as usize).copied().unwrap_or(NONE);
        if let Some(of) = durations.get_mut(place as usize) {
            of.push(duration);
        }
    };
    let plan = Plan::new(store, question.clone());
    plan.singles.iter().for_each(|single| add(single.end - single.start, single.node));
    for chunk in &plan.chunks {
        let column = store.tracks.get(chunk.track as usize).and_then(|t| t.column(chunk.depth));
        if let Some(column) = column {
            column.each_in(chunk.stretch, &mut add);
        }
    }
    for (function, durations) in functions.iter_mut().zip(&mut durations) {
        durations.sort_unstable();
        let at = |percent| durations.get(rank_of(percent, durations.len() as u64) as usize - 1).copied().unwrap_or(0);
        let [median, p90, p99] = PERCENTS.map(at);
        function.percentiles = Percentiles { median, p90, p99 };
    }
}

impl Statistics {
    /// Time of all outermost calls so far.
    fn total(&mut self, store: &Store) -> u64 {
        self.know_tree(&store.calls);
        self.figures(&store.calls).of(ROOT).total
    }
}
