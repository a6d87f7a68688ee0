//! Self times of calls by stretches of the run, for the comparison of two traces.
//!
//! Durations of one run are not independent: the machine is slower for a while, or interrupts some
//! calls for milliseconds. A comparison needs what is typical of a function at several times. So
//! calls of each function are sampled, sorted by start, and divided into stretches of consecutive
//! calls. What is kept of a stretch is its typical self time: the mean of the middle half of its
//! calls, which calls that were interrupted do not change, and which is finer than the clock's
//! resolution.

use unspool_trace::{Stacking, sort};

use super::plan::Question;
use crate::jobs::Progress;
use crate::store::Store;
use crate::store::column::Column;

/// Most stretches of a function.
pub const MOST_STRETCHES: usize = 32;
/// Most calls that are sampled in each.
const CALLS: usize = 64;
/// Most calls that are sampled of all functions together, unless there are very many functions.
const MOST_SAMPLED: usize = 1 << 21;
/// Fewest calls that are sampled of a function that has as many.
const FEWEST: usize = 64;

/// Finds the typical self times of functions. One scan over the slices.
#[derive(Debug)]
pub struct Stretches {
    /// For each name, its function.
    function_of: Vec<u32>,
    functions: Vec<Sampled>,
    columns: Vec<Part>,
    /// The column that is scanned.
    at: usize,
    progress: Progress,
}

/// The sample of a function.
#[derive(Debug)]
struct Sampled {
    /// One call is sampled among this number of calls.
    every: u64,
    /// How many calls were seen, and the next one to be sampled.
    seen: u64,
    next: u64,
    /// Starts of those sampled, each with its index in `own`.
    starts: Vec<(u64, u32)>,
    /// Self times.
    own: Vec<u64>,
}

/// Slices of a column that are still to be visited.
#[derive(Clone, Copy, Debug)]
struct Part {
    track: u32,
    depth: i32,
    next: usize,
    end: usize,
    nested: bool,
}

impl Stretches {
    /// Plans the scan. `functions` are the numbers of names, each with its number of calls.
    pub fn new(store: &Store, question: &Question, functions: impl IntoIterator<Item = (u32, u64)>) -> Self {
        let mut function_of = vec![u32::MAX; store.names().len()];
        let counted: Vec<(u32, u64)> = functions.into_iter().collect();
        let most = (MOST_SAMPLED / counted.len().max(1)).clamp(FEWEST, MOST_STRETCHES * CALLS) as u64;
        let sampled = (0..).zip(counted).map(|(function, (name, count))| {
            if let Some(of) = function_of.get_mut(name as usize) {
                *of = function;
            }
            Sampled { every: count.div_ceil(most).max(1), seen: 0, next: 0, starts: Vec::new(), own: Vec::new() }
        });
        let functions = sampled.collect();
        let mut columns = Vec::new();
        for id in &question.tracks {
            let Some(track) = store.tracks.get(*id as usize) else { continue };
            let nested = track.def.stacking == Stacking::Nested;
            for (depth, column) in track.columns() {
                let range = column.overlapping(question.from, question.to);
                columns.push(Part { track: *id, depth, next: range.start, end: range.end, nested });
            }
        }
        let of = columns.iter().map(|part| (part.end - part.next) as u64).sum();
        Self { function_of, functions, columns, at: 0, progress: Progress { done: 0, of } }
    }

    /// Visits at least `budget` slices, or all that are left. Returns whether all were visited.
    pub fn step(&mut self, store: &Store, budget: u64) -> bool {
        let until = self.progress.done.saturating_add(budget);
        while let Some(part) = self.columns.get_mut(self.at) {
            let track = store.tracks.get(part.track as usize);
            if let Some(column) = track.and_then(|track| track.column(part.depth)) {
                let callees = track.filter(|_| part.nested).and_then(|track| track.column(part.depth.checked_add(1)?));
                let Self { function_of, functions, progress, .. } = self;
                let is_done = column.sweep(&mut part.next, part.end, progress, until, &mut |index, duration, node| {
                    let function = function_of.get(store.calls.name(node) as usize);
                    if let Some(sampled) = function.and_then(|function| functions.get_mut(*function as usize)) {
                        sampled.see(column, callees, index, duration);
                    }
                });
                if !is_done {
                    return false;
                }
            }
            self.at += 1;
        }
        true
    }

    /// How many slices were visited, and how many there are.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Allocated memory, in bytes.
    pub fn bytes(&self) -> usize {
        let each = size_of::<(u64, u32)>() + size_of::<u64>();
        let calls: usize = self.functions.iter().map(|sampled| sampled.starts.capacity() * each).sum();
        calls
            + self.functions.capacity() * size_of::<Sampled>()
            + self.function_of.capacity() * size_of::<u32>()
            + self.columns.capacity() * size_of::<Part>()
    }

    /// The typical self times of each function by stretch, in ticks, in the order of the functions
    /// and of time: at most [`MOST_STRETCHES`] of each, and one a call if it has fewer.
    pub fn found(&mut self) -> Vec<Vec<f64>> {
        self.functions.iter_mut().map(Sampled::typical).collect()
    }
}

impl Sampled {
    #[inline]
    fn see(&mut self, column: &Column, callees: Option<&Column>, index: usize, duration: u64) {
        if self.seen == self.next {
            if let Some(slice) = column.get(index) {
                let covered = callees.map_or(0, |callees| callees.covered(slice.start, slice.end, &mut 0));
                self.starts.push((slice.start, self.own.len() as u32));
                self.own.push(duration.saturating_sub(covered));
            }
            // Anywhere among the next ones: calls of a loop take turns.
            let round = self.seen / self.every + 1;
            let anywhere = round.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            self.next = round * self.every + anywhere % self.every;
        }
        self.seen += 1;
    }

    /// By stretch.
    fn typical(&mut self) -> Vec<f64> {
        sort::pairs(&mut self.starts);
        let calls = self.starts.len();
        let stretches = calls.min(MOST_STRETCHES);
        let edge = |stretch: usize| calls * stretch / stretches;
        let typical = (0..stretches).map(|stretch| {
            let calls = self.starts.get(edge(stretch)..edge(stretch + 1)).unwrap_or_default();
            let own = calls.iter().filter_map(|(_, at)| Some((*self.own.get(*at as usize)?, 0)));
            middle(&mut own.collect::<Vec<_>>())
        });
        typical.collect()
    }
}

/// The mean of the middle half of the values.
fn middle(values: &mut [(u64, u32)]) -> f64 {
    sort::pairs(values);
    let out = values.len() / 4;
    let half = values.get(out..values.len() - out).unwrap_or_default();
    half.iter().map(|(value, _)| *value as f64).sum::<f64>() / half.len().max(1) as f64
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

    fn stretches(store: &Store, budget: u64) -> Vec<Vec<f64>> {
        let question = Question { from: 0, to: u64::MAX, tracks: vec![0, 7] };
        let functions = Summary::of(store, &question).functions;
        let mut stretches = Stretches::new(store, &question, functions.iter().map(|it| (it.name, it.count)));
        while !stretches.step(store, budget) {}
        assert_eq!(stretches.progress().done, stretches.progress().of);
        stretches.found()
    }

    #[test]
    fn a_stretch_has_the_self_time_of_most_of_its_calls() {
        // Each tenth call is interrupted. In the second half of the run callees take less.
        let store = store(6400, |call| {
            if call % 10 == 0 {
                1
            } else if call < 3200 {
                60
            } else {
                40
            }
        });
        let found = stretches(&store, u64::MAX);
        assert_eq!(found[0], [vec![40.0; 16], vec![60.0; 16]].concat());
        assert_eq!(found[1], [vec![60.0; 16], vec![40.0; 16]].concat());
        assert_eq!(stretches(&store, 1), found, "whatever the steps");
    }

    #[test]
    fn few_calls_are_stretches_of_their_own() {
        assert_eq!(stretches(&store(3, |call| call), 1)[1], [0.0, 1.0, 2.0]);
        assert!(stretches(&Store::default(), 1).is_empty());
    }
}
