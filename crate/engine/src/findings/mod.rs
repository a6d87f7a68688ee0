//! What stands out among calls that take time: slow calls and what explains them, functions whose
//! cost grows, threads that wait for one another, lost records.
//!
//! `docs/findings.md` defines each kind. The search goes in turns, over three scans: all calls by
//! thread, which sums up functions by samples (`functions`); the few calls that are far from their
//! function's others, with what is below them (`slow`); and the ends of calls that may be waits
//! (`waits`). That proposes what may be said. Before it is said, each number is computed once more
//! by a scan of all calls that sums up only what is to be said (`exact`): sentences have these
//! numbers, and what does not hold with them is counted and not said. Memory is bounded for each
//! function and for the list of ends.

mod burst;
pub mod calls;
mod costs;
mod exact;
mod functions;
mod recursion;
mod slow;
mod threads;
mod waits;

use calls::{Calls, Thread, Walk};
use costs::Cost;
use exact::Exact;
use functions::Functions;
use unspool_trace::figures::{counted, percent};
use unspool_trace::finding::{Claim, Kind, arrange};
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
    &costs::GROWTH,
    &recursion::RECURSION,
    &burst::BURST,
    &threads::LOST,
    &costs::SHORT,
    &costs::REPEATED,
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
    exact: Exact,
    /// Functions that may cost what is worth saying.
    costs: Vec<(u32, Cost)>,
    /// The outermost call of a function that calls itself.
    recursion: Option<functions::Long>,
    /// Functions that may have a burst of calls.
    bursts: Vec<(u32, burst::Parts)>,
    /// Of threads, before it is computed once more.
    proposed: Vec<Finding>,
    found: Vec<Finding>,
    refuted: u64,
    progress: Progress,
}

/// What is done next.
#[derive(Debug)]
enum Phase {
    /// The calls of a thread are summed up.
    Calls(usize, Walk),
    /// Slow calls are explained, beginning with the first of this number.
    Slow(usize),
    /// Proposals are computed once more.
    Exact(Walk),
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
        // What may be said, and the ends, are scans of all calls, too.
        let of = count * if threads.len() > 1 { 3 } else { 2 };
        Self {
            clock,
            is_cut: all > threads.len(),
            exact: Exact::new(&threads),
            threads,
            phase: Phase::Calls(0, Walk::default()),
            functions: Functions::new(calls.names()),
            waits: Waits::default(),
            costs: Vec::new(),
            recursion: None,
            bursts: Vec::new(),
            proposed: Vec::new(),
            found: Vec::new(),
            refuted: 0,
            progress: Progress { done: 0, of },
        }
    }

    /// What was found, the greatest first, once the search is done.
    pub fn found(&self) -> Option<&[Finding]> {
        matches!(self.phase, Phase::Done).then_some(&self.found)
    }

    /// Number of proposals that did not hold when they were computed once more.
    pub fn refuted(&self) -> u64 {
        self.refuted
    }

    /// How far the search has come, in visits to calls.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        self.functions.bytes() + self.waits.bytes() + self.exact.bytes() + self.found.capacity() * size_of::<Finding>()
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
                Phase::Exact(walk) => {
                    let exact = &mut self.exact;
                    let threads: Vec<TrackId> = self.threads.iter().map(|it| it.id).collect();
                    let visited = calls.walk(walk, &threads, left, &mut |call| exact.begin(call));
                    self.progress.done += visited;
                    if visited < left {
                        exact.end();
                        self.say(calls);
                        self.begin_ends(calls);
                    }
                    left = left.saturating_sub(visited.max(1));
                }
                Phase::Ends(walk) => {
                    let waits = &mut self.waits;
                    let threads: Vec<TrackId> = self.threads.iter().map(|it| it.id).collect();
                    let visited = calls.walk(walk, &threads, left, &mut |call| waits.add(call));
                    self.progress.done += visited;
                    // Further calls would not be compared.
                    if visited < left || self.waits.is_full() {
                        let (found, refuted) = self.waits.findings(calls, &self.threads, self.clock);
                        self.found.extend(found);
                        self.refuted += refuted;
                        self.end();
                    }
                    left = left.saturating_sub(visited.max(1));
                }
                Phase::Done => return Step::Done,
            }
        }
        Step::More
    }

    /// The end of the scan of calls: what functions and threads may show by themselves.
    fn end_calls(&mut self, calls: &impl Calls) {
        let extent = calls.length();
        self.costs = self.functions.costs(self.clock, extent);
        self.proposed = threads::imbalance(calls, self.clock, &threads::workers(calls, &self.threads), extent);
        self.proposed.extend(threads::lost(self.clock, &self.threads, extent));
        self.recursion = recursion::proposed(&self.functions);
        self.bursts =
            self.functions.all().filter_map(|(name, it)| burst::proposed(it).map(|parts| (*name, parts))).collect();
        self.functions.choose_slow(&self.threads, extent);
        self.phase = Phase::Slow(0);
    }

    /// All slow calls are explained: what may be said is computed once more.
    fn end_slow(&mut self, calls: &impl Calls) {
        for (name, cost) in &self.costs {
            match cost {
                Cost::Growth => self.exact.ask_parts(*name, self.functions.get(*name).map_or(0, |it| it.count)),
                _ => self.exact.ask(*name),
            }
        }
        if let Some(outer) = self.recursion {
            self.exact.ask_recursion(outer);
        }
        for (name, parts) in &self.bursts {
            self.exact.ask_begins(*name, parts.clone());
        }
        for path in self.functions.slow_paths() {
            slow::ask(&mut self.exact, path);
        }
        let has_slow = self.functions.slow(0).is_some();
        let has_others = has_slow || self.recursion.is_some() || !self.bursts.is_empty();
        if self.costs.is_empty() && self.proposed.is_empty() && !has_others {
            self.begin_ends(calls);
        } else {
            self.phase = Phase::Exact(Walk::default());
        }
    }

    /// Says what holds.
    fn say(&mut self, calls: &impl Calls) {
        let (extent, clock) = (calls.length(), self.clock);
        for (name, cost) in std::mem::take(&mut self.costs) {
            let of = self.functions.get(name).zip(self.exact.of(name));
            let said = of.and_then(|(function, figures)| {
                cost.said(
                    &calls.name(name),
                    figures,
                    (function.first, function.last),
                    clock,
                    (extent, self.exact.calls()),
                )
            });
            self.refuted += u64::from(said.is_none());
            self.found.extend(said);
        }
        if self.functions.is_cut() {
            let part = format!("only {} were followed", counted(functions::MOST_FUNCTIONS as u64, "function"));
            self.found.iter_mut().for_each(|it| it.part = Some(part.clone()));
        }
        let workers = threads::workers_seen(&self.threads, self.exact.threads());
        let mut holds = threads::imbalance(calls, clock, &workers, extent);
        holds.extend(threads::lost_seen(clock, &self.threads, self.exact.threads(), extent));
        for it in std::mem::take(&mut self.proposed) {
            let is_same = holds.contains(&it);
            self.refuted += u64::from(!is_same);
            self.found.extend(is_same.then_some(it));
        }
        if let Some(proposed) = self.recursion.take() {
            let said = recursion::said(proposed, &self.exact, &self.threads, calls);
            self.refuted += u64::from(said.is_none());
            self.found.extend(said);
        }
        for (name, _) in std::mem::take(&mut self.bursts) {
            let parts = self.exact.of(name).and_then(|it| it.begins.as_ref());
            // A few hundred sampled begins say little: what they propose is not a claim yet.
            self.found.extend(parts.and_then(|parts| burst::said(&calls.name(name), parts, clock)));
        }
        let (slow, refuted) = slow::findings(&mut self.functions, &self.exact, &self.threads, calls, clock);
        self.found.extend(slow);
        self.refuted += refuted;
        self.exact = Exact::default();
    }

    /// Begins to look for waits, if there may be any.
    fn begin_ends(&mut self, calls: &impl Calls) {
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

/// The least of some numbers that a share of them does not exceed; 0 of none.
fn percentile(values: &mut [u64], share: f64) -> u64 {
    let rank = (values.len() as f64 * share).ceil() as usize;
    let place = rank.saturating_sub(1).min(values.len().saturating_sub(1));
    if values.is_empty() { 0 } else { *values.select_nth_unstable(place).1 }
}

/// The least of some numbers that half of them do not exceed; 0 of none.
fn median(values: &mut [u64]) -> u64 {
    percentile(values, 0.5)
}

/// A number of something of one thing, as a claim.
fn count_of(quantity: &'static str, count: u64, noun: &'static str, of: &str) -> Claim {
    Claim::new(quantity, count as f64, noun, counted(count, noun)).of(of)
}

/// A time of one thing, as a claim.
fn time_of(quantity: &'static str, ticks: u64, clock: Clock, of: &str) -> Claim {
    Claim::new(quantity, ticks as f64, "tick", clock.amount(ticks)).of(of)
}

/// A share of something, as a claim.
fn share_of(quantity: &'static str, share: f64, of: &str) -> Claim {
    Claim::new(quantity, share, "", percent(share)).of(of)
}

#[cfg(test)]
mod tests;
