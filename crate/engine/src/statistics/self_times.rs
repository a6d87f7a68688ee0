//! Self times of single calls, for the comparison of two traces.
//!
//! A comparison needs what is typical of a function at several times of the run. So calls of each
//! function are sampled, each anywhere among as many that follow each other. The self time of a
//! sampled call is what the next depth of its track does not cover.

use unspool_trace::Stacking;

use super::plan::Question;
use crate::jobs::{Job, Progress, Step};
use crate::store::Store;

/// Most calls that are sampled of a function, of all functions together unless there are very many,
/// and the fewest of a function that has as many.
const MOST: usize = 2048;
const MOST_TOGETHER: usize = 1 << 20;
const FEWEST: usize = 64;

/// Samples calls of functions. One scan over the slices.
#[derive(Debug)]
pub struct SelfTimes {
    /// For each name, its function.
    function_of: Vec<u32>,
    functions: Vec<Sampling>,
    parts: Vec<Part>,
    /// The column that is scanned.
    at: usize,
    columns: SelfTimeColumns,
    progress: Progress,
}

/// Sampled calls as columns, in any order.
#[derive(Debug, Default)]
pub struct SelfTimeColumns {
    /// Index of the function.
    pub function: Vec<u32>,
    /// Where the call begins, in ticks as doubles.
    pub start: Vec<f64>,
    /// Its self time in ticks.
    pub own: Vec<f64>,
}

/// Which calls of a function are sampled.
#[derive(Debug)]
struct Sampling {
    /// One call is sampled among this number of calls.
    every: u64,
    /// How many were seen, and the number of the next one.
    seen: u64,
    next: u64,
}

/// Slices of a column that are still to be visited.
#[derive(Debug)]
struct Part {
    track: u32,
    depth: i32,
    next: usize,
    end: usize,
}

impl SelfTimes {
    /// Plans the scan. `functions` are the numbers of names, each with its number of calls.
    pub fn new(store: &Store, question: &Question, functions: &mut dyn ExactSizeIterator<Item = (u32, u64)>) -> Self {
        let mut function_of = vec![u32::MAX; store.names().len()];
        let most = (MOST_TOGETHER / functions.len().max(1)).clamp(FEWEST, MOST) as u64;
        let mut samplings = Vec::with_capacity(functions.len());
        let mut expected = 0;
        for (name, count) in functions {
            if let Some(of) = function_of.get_mut(name as usize) {
                *of = samplings.len() as u32;
            }
            let every = count.div_ceil(most).max(1);
            expected += count.div_ceil(every);
            samplings.push(Sampling { every, seen: 0, next: 0 });
        }
        let mut parts = Vec::new();
        let mut of = 0;
        for id in &question.tracks {
            let Some(track) = store.tracks.get(*id as usize) else { continue };
            for (depth, column) in track.columns() {
                let range = column.overlapping(question.from, question.to);
                of += range.len() as u64;
                parts.push(Part { track: *id, depth, next: range.start, end: range.end });
            }
        }
        // Columns that grow are there twice meanwhile.
        let expected = expected.min(of) as usize;
        let columns = SelfTimeColumns {
            function: Vec::with_capacity(expected),
            start: Vec::with_capacity(expected),
            own: Vec::with_capacity(expected),
        };
        Self { function_of, functions: samplings, parts, at: 0, columns, progress: Progress { done: 0, of } }
    }

    /// Takes the sampled calls. `None` until the scan is over.
    pub fn found(&mut self) -> Option<SelfTimeColumns> {
        (self.at == self.parts.len()).then(|| std::mem::take(&mut self.columns))
    }
}

impl Job for SelfTimes {
    fn noun(&self) -> &'static str {
        "comparison"
    }

    fn step(&mut self, store: &Store, budget: u64) -> Step {
        let until = self.progress.done.saturating_add(budget);
        let Self { function_of, functions, columns, progress, .. } = self;
        while let Some(part) = self.parts.get_mut(self.at) {
            let track = store.tracks.get(part.track as usize);
            if let Some(track) = track
                && let Some(column) = track.column(part.depth)
            {
                // Lifetimes overlap without calling each other.
                let inner = part.depth.checked_add(1).filter(|_| track.def.stacking == Stacking::Nested);
                let callees = inner.and_then(|depth| track.column(depth));
                let is_done = column.sweep(&mut part.next, part.end, progress, until, &mut |index, duration, node| {
                    let function = function_of.get(store.calls.name(node) as usize).copied().unwrap_or(u32::MAX);
                    if functions.get_mut(function as usize).is_some_and(Sampling::takes)
                        && let Some(slice) = column.get(index)
                    {
                        let covered = callees.map_or(0, |callees| callees.covered(slice.start, slice.end, &mut 0));
                        columns.function.push(function);
                        columns.start.push(slice.start as f64);
                        columns.own.push(duration.saturating_sub(covered) as f64);
                    }
                });
                if !is_done {
                    return Step::More;
                }
            }
            self.at += 1;
        }
        Step::Done
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn bytes(&self) -> u64 {
        let bytes = self.columns.own.capacity() * 2 * size_of::<f64>()
            + self.columns.function.capacity() * size_of::<u32>()
            + self.functions.capacity() * size_of::<Sampling>()
            + self.function_of.capacity() * size_of::<u32>()
            + self.parts.capacity() * size_of::<Part>();
        bytes as u64
    }

    fn release(&mut self) {
        self.columns = SelfTimeColumns::default();
    }
}

impl Sampling {
    /// Counts a call. Returns whether it is sampled.
    fn takes(&mut self) -> bool {
        let takes = self.seen == self.next;
        self.seen += 1;
        if takes {
            // Anywhere among the next ones: calls of a loop take turns.
            let round = (self.seen - 1) / self.every + 1;
            let anywhere = round.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            self.next = round * self.every + anywhere % self.every;
        }
        takes
    }
}

#[cfg(test)]
mod tests {
    use unspool_trace::{EventBatch, EventKind, Locator, TrackDef, TrackKind};

    use super::*;
    use crate::statistics::Summary;

    /// Calls of `outer` of 100 ticks, `share` of which is in `inner`, by the number of the call.
    fn store(calls: u64, share: impl Fn(u64) -> u64) -> Store {
        let mut store = Store::default();
        let mut batch = EventBatch::with_capacity(4 * calls as usize);
        batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "t"));
        batch.new_names.extend(["outer", "inner"].map(|name| String::from(name).into()));
        for call in 0..calls {
            let (at, inner) = (call * 200, share(call));
            batch.push(EventKind::Begin, 0, at, 0, Locator::default());
            batch.push(EventKind::Begin, 0, at + 10, 1, Locator::default());
            batch.push(EventKind::End, 0, at + 10 + inner, 1, Locator::default());
            batch.push(EventKind::End, 0, at + 100, 0, Locator::default());
        }
        store.apply(&mut batch);
        store.finish(false);
        store
    }

    /// Function, start and self time of each sampled call.
    fn sampled(store: &Store, budget: u64) -> Vec<(u32, f64, f64)> {
        let question = Question { from: 0, to: u64::MAX, tracks: vec![0, 7] };
        let functions = Summary::of(store, &question).functions;
        let mut times = SelfTimes::new(store, &question, &mut functions.iter().map(|it| (it.name, it.count)));
        while times.step(store, budget) == Step::More {
            assert!(times.found().is_none());
        }
        assert_eq!(times.progress().done, times.progress().of);
        let SelfTimeColumns { function, start, own } = times.found().unwrap();
        function.into_iter().zip(start).zip(own).map(|((function, start), own)| (function, start, own)).collect()
    }

    #[test]
    fn all_calls_of_a_function_with_few_are_sampled() {
        let store = store(3, |call| call);
        let calls =
            [(0, 0.0, 100.0), (0, 200.0, 99.0), (0, 400.0, 98.0), (1, 10.0, 0.0), (1, 210.0, 1.0), (1, 410.0, 2.0)];
        assert_eq!(sampled(&store, u64::MAX), calls);
        assert_eq!(sampled(&store, 1), calls, "whatever the steps");
        assert!(sampled(&Store::default(), 1).is_empty());
    }

    #[test]
    fn of_many_calls_some_are_sampled_all_over_the_run() {
        let store = store(100_000, |call| call % 2 * 50);
        let calls = sampled(&store, 1000);
        let outer: Vec<_> = calls.iter().filter(|(function, ..)| *function == 0).collect();
        assert!((MOST - 60..=MOST).contains(&outer.len()), "{}", outer.len());
        let before = outer.iter().filter(|(_, start, _)| *start < 10_000_000.0).count();
        assert!(before.abs_diff(outer.len() / 2) < 10);
        // Calls take turns, and both kinds are among those sampled.
        let short = outer.iter().filter(|(.., own)| *own == 50.0).count();
        assert!(short.abs_diff(outer.len() / 2) < outer.len() / 10, "{short} of {}", outer.len());
    }
}
