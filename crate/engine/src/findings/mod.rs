//! What stands out among calls that take time: slow calls and what explains them, functions whose
//! cost grows, threads that wait for one another, lost records.
//!
//! `docs/findings.md` defines each kind. The search goes in turns, over three scans: all calls by
//! thread, which sums up functions (`functions`); the few calls that are far from their function's
//! others, with what is below them (`slow`); and the ends of calls that may be waits (`waits`).
//! Memory is bounded for each function and for the list of ends.

pub mod calls;
mod functions;
mod slow;
mod threads;
mod waits;

use calls::{Calls, Thread, Walk};
use functions::Functions;
use unspool_trace::finding::{Kind, arrange};
use unspool_trace::{Clock, Finding, TrackId};
use waits::Waits;

use crate::jobs::{Progress, Step};

/// Threads whose calls are looked at: those with the most calls.
const MOST_THREADS: usize = 512;

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
    threads: Vec<Thread>,
    /// There are more threads.
    is_cut: bool,
    phase: Phase,
    functions: Functions,
    waits: Waits,
    found: Vec<Finding>,
    progress: Progress,
}

/// What is done next.
#[derive(Debug)]
enum Phase {
    /// The calls of a thread are summed up.
    Calls(usize, Walk),
    /// Slow calls are explained, beginning with the first of this number.
    Slow(usize),
    /// Ends of calls are collected.
    Ends(Walk),
    Done,
}

impl CallFindings {
    /// Plans the scan of the calls. The trace should be read to its end.
    pub fn new(calls: &impl Calls, clock: Clock) -> Self {
        let mut threads = calls.threads();
        let all = threads.len();
        if all > MOST_THREADS {
            threads.sort_by_key(|it| std::cmp::Reverse(it.calls));
            threads.truncate(MOST_THREADS);
            threads.sort_by_key(|it| it.id);
        }
        let count: u64 = threads.iter().map(|it| it.calls).sum();
        // The ends are a scan of all calls, too.
        let of = count * if threads.len() > 1 { 2 } else { 1 };
        Self {
            clock,
            is_cut: all > threads.len(),
            threads,
            phase: Phase::Calls(0, Walk::default()),
            functions: Functions::new(calls.names()),
            waits: Waits::default(),
            found: Vec::new(),
            progress: Progress { done: 0, of },
        }
    }

    /// What was found, the greatest first, once the search is done.
    pub fn found(&self) -> Option<&[Finding]> {
        matches!(self.phase, Phase::Done).then_some(&self.found)
    }

    /// How far the search has come, in visits to calls.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        self.functions.bytes() + self.waits.bytes() + self.found.capacity() * size_of::<Finding>()
    }

    /// Visits at least `budget` further calls, of the trace that it was planned for, or all that
    /// are left. Further steps after [`Step::Done`] do nothing.
    pub fn step(&mut self, calls: &impl Calls, budget: u64) -> Step {
        let mut left = budget.max(1);
        while left > 0 {
            match &mut self.phase {
                Phase::Calls(at, walk) => {
                    let Some(thread) = self.threads.get(*at) else {
                        self.end_calls(calls);
                        continue;
                    };
                    let functions = &mut self.functions;
                    let visited = calls.walk(walk, &[thread.id], left, &mut |call| functions.begin(call));
                    self.progress.done += visited;
                    if visited < left {
                        functions.end_track();
                        self.phase = Phase::Calls(*at + 1, Walk::default());
                    }
                    left = left.saturating_sub(visited.max(1));
                }
                Phase::Slow(at) => {
                    let Some(call) = self.functions.slow(*at) else {
                        self.end_slow(calls);
                        continue;
                    };
                    let (because, visited) = slow::explain(calls, &self.functions, &call);
                    self.functions.explained(*at, because);
                    self.phase = Phase::Slow(*at + 1);
                    left = left.saturating_sub(visited.max(1));
                }
                Phase::Ends(walk) => {
                    let waits = &mut self.waits;
                    let threads: Vec<TrackId> = self.threads.iter().map(|it| it.id).collect();
                    let visited = calls.walk(walk, &threads, left, &mut |call| waits.add(call));
                    self.progress.done += visited;
                    // Further calls would not be compared.
                    if visited < left || self.waits.is_full() {
                        self.found.extend(self.waits.findings(calls, &self.threads, self.clock));
                        self.end();
                    }
                    left = left.saturating_sub(visited.max(1));
                }
                Phase::Done => return Step::Done,
            }
        }
        Step::More
    }

    /// The end of the scan of calls: what functions and threads show by themselves.
    fn end_calls(&mut self, calls: &impl Calls) {
        let extent = calls.length();
        self.found.extend(self.functions.findings(calls, self.clock, extent));
        self.found.extend(threads::imbalance(calls, self.clock, &self.threads, extent));
        self.found.extend(threads::lost(self.clock, &self.threads, extent));
        self.functions.choose_slow(&self.threads, extent);
        self.phase = Phase::Slow(0);
    }

    /// All slow calls are explained.
    fn end_slow(&mut self, calls: &impl Calls) {
        self.found.extend(slow::findings(&mut self.functions, calls, self.clock));
        self.waits = Waits::new(&self.functions, calls, self.threads.len());
        if self.waits.has_any() {
            self.phase = Phase::Ends(Walk::default());
        } else {
            self.end();
        }
    }

    fn end(&mut self) {
        self.phase = Phase::Done;
        self.progress.done = self.progress.of;
        self.functions = Functions::new(0);
        self.waits = Waits::default();
        if self.is_cut {
            let part = format!("only the {MOST_THREADS} threads with the most calls were looked at");
            self.found.iter_mut().for_each(|it| it.part = Some(part.clone()));
        }
        arrange(&mut self.found);
    }
}

/// The middle one of some numbers; 0 of none.
fn median(values: &mut [u64]) -> u64 {
    let middle = values.len() / 2;
    if values.is_empty() { 0 } else { *values.select_nth_unstable(middle).1 }
}

#[cfg(test)]
mod tests;
