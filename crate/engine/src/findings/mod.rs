//! What stands out among calls that take time: slow calls and what explains them, functions whose
//! cost grows, threads that wait for one another, lost records.
//!
//! `docs/findings.md` defines each kind. The search is a [`Job`] of three scans: all calls by
//! thread, which sums up functions (`functions`); the few calls that are far from their function's
//! others, with what is below them (`slow`); and the ends of calls that may be waits (`waits`).
//! Memory is bounded for each function and for the list of ends.

mod functions;
mod slow;
mod threads;
mod waits;

use functions::Functions;
use unspool_trace::finding::{Kind, arrange};
use unspool_trace::{Clock, Finding, Stacking, TrackId, TrackKind};
use waits::Waits;

use crate::call_tree::NodeId;
use crate::jobs::{Job, Progress, Step};
use crate::store::Store;
use crate::store::ordered::Placed;

/// The kinds of what is found here.
pub static FINDING_KINDS: &[&Kind] = &[
    &slow::SLOW,
    &waits::WAITS,
    &threads::IMBALANCE,
    &functions::GROWTH,
    &threads::LOST,
    &functions::SHORT,
    &functions::REPEATED,
];

/// Looks for what stands out in a trace of calls that take time.
#[derive(Debug)]
pub struct CallFindings {
    clock: Clock,
    tracks: Vec<TrackId>,
    phase: Phase,
    functions: Functions,
    waits: Waits,
    found: Vec<Finding>,
    progress: Progress,
    restarts: u64,
}

/// What is done next.
#[derive(Debug)]
enum Phase {
    /// The calls of a track are summed up.
    Calls(usize, Walk),
    /// Slow calls are explained, beginning with the first of this number.
    Slow(usize),
    /// Ends of calls are collected.
    Ends(Walk),
    Done,
}

impl CallFindings {
    /// Plans the scan of the slices that the store holds now. The trace should be read to its end.
    pub fn new(store: &Store, clock: Clock) -> Self {
        let of = |kind: TrackKind| {
            let all = (0..).zip(&store.tracks);
            all.filter(move |(_, track)| {
                track.def.kind == kind && track.slices() > 0 && track.def.stacking == Stacking::Nested
            })
        };
        let tracks: Vec<TrackId> = of(TrackKind::Thread).map(|(id, _)| id).collect();
        let slices: u64 = of(TrackKind::Thread).map(|(_, track)| track.slices()).sum();
        // The ends are a scan of all slices, too.
        let of = slices * if tracks.len() > 1 { 2 } else { 1 };
        Self {
            clock,
            tracks,
            phase: Phase::Calls(0, Walk::default()),
            functions: Functions::new(store.names().len()),
            waits: Waits::default(),
            found: Vec::new(),
            progress: Progress { done: 0, of },
            restarts: store.restarts,
        }
    }

    /// What was found, the greatest first, once the search is done.
    pub fn found(&self) -> Option<&[Finding]> {
        matches!(self.phase, Phase::Done).then_some(&self.found)
    }

    /// The end of the scan of calls: what functions and threads show by themselves.
    fn end_calls(&mut self, store: &Store) {
        let extent = store.extent().map_or(1, |(from, to)| (to - from).max(1));
        self.found.extend(self.functions.findings(store, self.clock, extent));
        self.found.extend(threads::imbalance(store, self.clock, &self.tracks, extent));
        self.found.extend(threads::lost(store, self.clock, &self.tracks, extent));
        self.functions.choose_slow(store, extent);
        self.phase = Phase::Slow(0);
    }
}

impl Job for CallFindings {
    fn noun(&self) -> &'static str {
        "summary"
    }

    fn step(&mut self, store: &Store, budget: u64) -> Step {
        if store.restarts != self.restarts {
            *self = Self::new(store, self.clock);
        }
        let mut left = budget.max(1);
        while left > 0 {
            match &mut self.phase {
                Phase::Calls(at, walk) => {
                    let Some(track) = self.tracks.get(*at).copied() else {
                        self.end_calls(store);
                        continue;
                    };
                    let functions = &mut self.functions;
                    let visited = walk.go(store, &[track], left, |call| functions.begin(store, call));
                    self.progress.done += visited;
                    if visited < left {
                        functions.end_track();
                        self.phase = Phase::Calls(*at + 1, Walk::default());
                    }
                    left = left.saturating_sub(visited.max(1));
                }
                Phase::Slow(at) => {
                    let Some(call) = self.functions.slow(*at) else {
                        self.found.extend(slow::findings(&mut self.functions, store, self.clock));
                        self.waits = Waits::new(&self.functions, store, self.tracks.len());
                        self.phase = if self.waits.has_any() { Phase::Ends(Walk::default()) } else { Phase::Done };
                        continue;
                    };
                    let (because, visited) = slow::explain(store, &self.functions, &call);
                    self.functions.explained(*at, because);
                    self.phase = Phase::Slow(*at + 1);
                    left = left.saturating_sub(visited.max(1));
                }
                Phase::Ends(walk) => {
                    let waits = &mut self.waits;
                    let visited = walk.go(store, &self.tracks, left, |call| waits.add(store, call));
                    self.progress.done += visited;
                    if visited < left {
                        self.found.extend(self.waits.findings(store, self.clock));
                        self.phase = Phase::Done;
                    }
                    left = left.saturating_sub(visited.max(1));
                }
                Phase::Done => {
                    if self.progress.done != self.progress.of || !self.functions.is_empty() {
                        self.progress.done = self.progress.of;
                        self.functions = Functions::new(0);
                        self.waits = Waits::default();
                        arrange(&mut self.found);
                    }
                    return Step::Done;
                }
            }
        }
        Step::More
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn bytes(&self) -> u64 {
        (self.functions.bytes() + self.waits.bytes() + self.found.capacity() * size_of::<Finding>()) as u64
    }

    fn release(&mut self) {
        (self.functions, self.waits, self.found) = (Functions::new(0), Waits::default(), Vec::new());
        self.phase = Phase::Done;
    }
}

/// Calls in the order of time, in turns.
#[derive(Debug, Default)]
struct Walk {
    /// Where the next call begins, and how many that begin there were visited.
    at: u64,
    skip: u64,
}

impl Walk {
    /// Visits at most `most` further calls. Returns how many there were: fewer at the end.
    fn go(&mut self, store: &Store, tracks: &[TrackId], most: u64, mut each: impl FnMut(&Placed)) -> u64 {
        let (from, mut skip) = (self.at, self.skip);
        let mut visited = 0;
        for call in store.ordered(tracks, from, u64::MAX) {
            if call.slice.start < from {
                continue;
            }
            if call.slice.start == from && skip > 0 {
                skip -= 1;
                continue;
            }
            if visited == most {
                break;
            }
            self.skip = if call.slice.start == self.at { self.skip + 1 } else { 1 };
            self.at = call.slice.start;
            visited += 1;
            each(&call);
        }
        visited
    }
}

/// The name of a call's function.
fn name_of(store: &Store, node: NodeId) -> u32 {
    store.calls.name(node)
}

/// The middle one of some numbers; 0 of none.
fn median(values: &mut [u64]) -> u64 {
    let middle = values.len() / 2;
    if values.is_empty() { 0 } else { *values.select_nth_unstable(middle).1 }
}

#[cfg(test)]
mod tests;
