//! Exact percentiles of one function.

use super::buckets::{self, bounds_of, bucket_of, rank_of};
use super::plan::{Plan, Question};
use crate::jobs::{Job, Progress, Step};
use crate::store::Store;

/// Counts that narrow down a window in one scan, as a power of two.
const FINE: u32 = 16;
pub(super) const PERCENTS: [u64; 3] = [50, 90, 99];

/// Nearest-rank percentiles of slice durations, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Percentiles {
    /// 50th percentile.
    pub median: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 99th percentile.
    pub p99: u64,
}

/// Finds exact percentiles of one name. The first scan finds a window of durations for each
/// percentile; further scans narrow the windows down to one tick. Two or three scans are typical,
/// five the most. Memory stays below 1 MB, however many slices there are.
#[derive(Debug)]
pub struct Exact {
    plan: Plan,
    name: u32,
    next: usize,
    /// For each call-tree node, whether it has the name.
    wanted: Vec<bool>,
    /// Whole durations of slices at the edges, and of open slices.
    singles: Vec<u64>,
    stage: Stage,
    /// Slices visited in all scans.
    visited: u64,
    /// Complete scans.
    scans: u64,
    /// The result, as [`Exact::step`] returns it.
    found: Option<Option<Percentiles>>,
}

#[derive(Debug)]
enum Stage {
    Coarse(Vec<u64>),
    Fine([Window; PERCENTS.len()]),
}

/// Durations `low..low + 2^bits`, which contain the one of `rank` (from 1).
#[derive(Debug)]
struct Window {
    low: u64,
    bits: u32,
    rank: u64,
    /// Counts for parts of the window, each `2^(bits - FINE)` wide.
    counts: Vec<u32>,
}

impl Exact {
    /// Plans the scans.
    pub fn new(store: &Store, question: Question, name: u32) -> Self {
        let plan = Plan::new(store, question);
        let wanted = store.calls.with_name(name);
        let is_wanted = |node: u32| wanted.get(node as usize).is_some_and(|w| *w);
        let singles = plan.singles.iter().filter(|s| is_wanted(s.node)).map(|s| s.end - s.start).collect();
        let stage = Stage::Coarse(vec![0; buckets::COUNT]);
        Self { plan, name, next: 0, wanted, singles, stage, visited: 0, scans: 0, found: None }
    }

    /// Visits at least `budget` slices. Returns `None` while there is more to visit, and
    /// `Some(None)` if the range holds no slice of that name.
    pub fn step(&mut self, store: &Store, budget: u64) -> Option<Option<Percentiles>> {
        if self.found.is_some() {
            return self.found;
        }
        if self.plan.is_outdated(store) {
            *self = Self::new(store, self.plan.question.clone(), self.name);
        }
        let mut visited = 0;
        while visited < budget {
            let Some(chunk) = self.plan.chunks.get(self.next).copied() else {
                self.singles.iter().for_each(|duration| self.stage.add(*duration));
                self.found = self.stage.conclude();
                if self.found.is_some() {
                    self.release();
                    return self.found;
                }
                self.scans += 1;
                self.next = 0;
                continue;
            };
            self.next += 1;
            visited += chunk.stretch.len() as u64;
            self.visited += chunk.stretch.len() as u64;
            let column = store.tracks.get(chunk.track as usize).and_then(|t| t.column(chunk.depth));
            let Some(column) = column else { continue };
            column.each_in(chunk.stretch, |duration, node| {
                if self.wanted.get(node as usize).is_some_and(|w| *w) {
                    self.stage.add(duration);
                }
            });
        }
        None
    }
}

impl Exact {
    /// The result as [`Exact::step`] returns it, once there is one.
    pub fn found(&self) -> Option<Option<Percentiles>> {
        self.found
    }
}

impl Job for Exact {
    fn noun(&self) -> &'static str {
        "exact percentiles"
    }

    fn step(&mut self, store: &Store, budget: u64) -> Step {
        if self.step(store, budget).is_some() { Step::Done } else { Step::More }
    }

    /// The first scan determines how many follow. Until then the total assumes one.
    fn progress(&self) -> Progress {
        let left = match &self.stage {
            _ if self.found.is_some() => return Progress { done: self.visited, of: self.visited },
            Stage::Coarse(_) => 2,
            Stage::Fine(windows) => windows.iter().map(|w| u64::from(w.bits.div_ceil(FINE))).max().unwrap_or(0),
        };
        let slices = self.plan.slices - self.plan.singles.len() as u64;
        Progress { done: self.visited, of: slices * (self.scans + left) }
    }

    fn bytes(&self) -> u64 {
        let counts = match &self.stage {
            Stage::Coarse(counts) => counts.capacity() * size_of::<u64>(),
            Stage::Fine(windows) => windows.iter().map(|w| w.counts.capacity() * size_of::<u32>()).sum(),
        };
        let singles = self.singles.capacity() * size_of::<u64>();
        (self.plan.bytes() + self.wanted.capacity() + singles + counts) as u64
    }

    fn release(&mut self) {
        self.plan.chunks = Vec::new();
        self.wanted = Vec::new();
        self.stage = Stage::Coarse(Vec::new());
    }
}

impl Stage {
    #[inline]
    fn add(&mut self, duration: u64) {
        match self {
            Self::Coarse(counts) => {
                if let Some(count) = counts.get_mut(bucket_of(duration)) {
                    *count += 1;
                }
            }
            Self::Fine(windows) => windows.iter_mut().for_each(|w| w.add(duration)),
        }
    }

    /// Narrows down the windows after a scan. Returns the percentiles, as [`Exact::step`] does, if
    /// that is done.
    fn conclude(&mut self) -> Option<Option<Percentiles>> {
        let windows = match self {
            Self::Coarse(counts) => {
                let count = counts.iter().sum();
                if count == 0 {
                    return Some(None);
                }
                PERCENTS.map(|percent| {
                    let (bucket, rank) = place_of(counts, rank_of(percent, count));
                    let (low, bits) = bounds_of(bucket);
                    Window::new(low, bits, rank)
                })
            }
            Self::Fine(windows) => {
                std::mem::replace(windows, PERCENTS.map(|_| Window::new(0, 0, 0))).map(Window::narrowed)
            }
        };
        if let [median, p90, p99] = &windows
            && windows.iter().all(|w| w.bits == 0)
        {
            return Some(Some(Percentiles { median: median.low, p90: p90.low, p99: p99.low }));
        }
        *self = Self::Fine(windows);
        None
    }
}

impl Window {
    fn new(low: u64, bits: u32, rank: u64) -> Self {
        Self { low, bits, rank, counts: vec![0; if bits == 0 { 0 } else { 1 << bits.min(FINE) }] }
    }

    #[inline]
    fn add(&mut self, duration: u64) {
        let part = duration.wrapping_sub(self.low) >> self.bits.saturating_sub(FINE);
        if let Some(count) = self.counts.get_mut(usize::try_from(part).unwrap_or(usize::MAX)) {
            *count += 1;
        }
    }

    /// The part that contains the rank.
    fn narrowed(self) -> Self {
        if self.bits == 0 {
            return self;
        }
        let bits = self.bits.saturating_sub(FINE);
        let (part, rank) = place_of(&self.counts, self.rank);
        Self::new(self.low + ((part as u64) << bits), bits, rank)
    }
}

/// The index of the count that a rank falls into, and the rank within it.
fn place_of<T: Copy + Into<u64>>(counts: &[T], mut rank: u64) -> (usize, u64) {
    for (i, count) in counts.iter().enumerate() {
        let count: u64 = (*count).into();
        if rank <= count {
            return (i, rank);
        }
        rank -= count;
    }
    (counts.len().saturating_sub(1), 1)
}
