//! Statistics of a range: how often and how long each function ran, and from where it was called.
//!
//! One scan over slices adds up counts and times for each call-tree node, and durations for each name; functions and flame
//! graph are both made of that. The scan is cut into steps, and answers before its end are estimates from the slices that
//! were looked at so far.
//!
//! What a range does to slices that reach beyond its edges: they are **counted**, their **total** and **self** time are
//! what of it lies in the range, and **min, max and percentiles** are of their whole durations. Slices that have not ended
//! (yet) reach up to the end of what has been read.
//!
//! Total time counts a function once where it calls itself, directly or through others: slices below one of the same name
//! in the call tree add nothing. Self time is what the calls directly within do not cover. Slices of tracks on which they
//! overlap do not call one another: all of their time is their own. Sums stop at 2^64 - 1.

mod buckets;
mod figures;
mod flame;
mod functions;
mod percentiles;
mod plan;

use unspool_formats::{Stacking, TrackId};

use crate::call_tree::{NodeId, ROOT};
use crate::store::Store;
use crate::store::column::{STRETCH, Slice};
use buckets::Buckets;
use figures::Tree;
pub use flame::FlameColumns;
pub use functions::FunctionColumns;
pub use percentiles::{Exact, Percentiles};
pub use plan::Question;
use plan::{Chunk, Plan, Single};

/// No function yet.
const NONE: u32 = u32::MAX;

/// A scan over a range of a trace.
#[derive(Debug)]
pub struct Statistics {
    plan: Plan,
    next: usize,
    visited: u64,
    /// Slices of the chunks that stand for all that are not sure.
    sampled: u64,
    nodes: Vec<NodeSum>,
    sure: Sure,
    functions: Vec<Durations>,
    /// By name, its place in `functions`.
    function_of: Vec<u32>,
    hidden: Hidden,
    /// Made when first needed.
    tree: Option<Tree>,
}

/// What the slices of a call-tree node amount to.
#[derive(Clone, Copy, Debug)]
struct NodeSum {
    total: u64,
    count: u32,
    function: u32,
}

/// What is not sampled: the nodes that it is about and, once all of it has been read, what they amount to then.
#[derive(Debug, Default)]
struct Sure {
    touched: Vec<NodeId>,
    /// By node.
    sums: Vec<(NodeId, NodeSum)>,
}

/// How long the slices of a name are.
#[derive(Debug)]
struct Durations {
    name: u32,
    min: u64,
    max: u64,
    buckets: Buckets,
}

/// Time of nodes that is covered by slices of which the call tree does not know that they called them: only a column above
/// tells what lies below a call whose begin was not recorded.
#[derive(Debug, Default)]
struct Hidden {
    /// By node; empty until there is something.
    covered: Vec<u64>,
    /// The caller that was found last: mostly the next slice lies in it, too.
    recent: Option<(TrackId, i32, Slice)>,
}

impl Statistics {
    /// Plans a scan. Slices that are read later on are not part of it.
    pub fn new(store: &Store, question: Question) -> Self {
        let plan = Plan::new(store, question);
        let nodes = vec![NodeSum { total: 0, count: 0, function: NONE }; store.calls.len()];
        let mut statistics = Self {
            plan,
            next: 0,
            visited: 0,
            sampled: 0,
            nodes,
            sure: Sure::default(),
            functions: Vec::new(),
            function_of: vec![NONE; store.names.len()],
            hidden: Hidden::default(),
            tree: None,
        };
        for single in std::mem::take(&mut statistics.plan.singles) {
            statistics.add_single(store, &single);
        }
        statistics
    }

    /// What was asked.
    pub fn question(&self) -> &Question {
        &self.plan.question
    }

    /// All is known of this question, and nothing can change it any more.
    pub fn answers(&self, store: &Store, question: &Question) -> bool {
        self.is_exact() && self.is_complete() && !self.plan.is_outdated(store) && self.plan.question == *question
    }

    /// Looks at slices, at least at `budget` of them unless there are fewer left. Begins anew when a track was delivered
    /// anew. True when all have been looked at.
    pub fn step(&mut self, store: &Store, budget: u64) -> bool {
        if self.plan.is_outdated(store) {
            *self = Self::new(store, self.plan.question.clone());
        }
        let until = self.visited.saturating_add(budget);
        while self.visited < until
            && let Some(chunk) = self.plan.chunks.get(self.next).copied()
        {
            if self.next < self.plan.sure {
                self.touch(store, chunk);
            } else if self.next == self.plan.sure {
                self.keep_sure();
            }
            self.add_chunk(store, chunk);
            self.next += 1;
        }
        if self.is_exact() {
            self.sure = Sure::default();
        }
        self.is_exact()
    }

    /// All slices of the range have been looked at: nothing is an estimate but percentiles.
    pub fn is_exact(&self) -> bool {
        self.next == self.plan.chunks.len()
    }

    /// The whole trace had been read when the scan was planned.
    pub fn is_complete(&self) -> bool {
        self.plan.complete
    }

    /// There is something to estimate from.
    pub fn is_telling(&self) -> bool {
        self.is_exact() || self.sampled > 0
    }

    /// How many slices the range holds.
    pub fn slices(&self) -> u64 {
        self.plan.slices
    }

    /// How many have been looked at.
    pub fn visited(&self) -> u64 {
        self.visited
    }

    /// Notes the nodes of a chunk that have not been seen before.
    fn touch(&mut self, store: &Store, chunk: Chunk) {
        let column = store.tracks.get(chunk.track as usize).and_then(|t| t.column(chunk.depth));
        let Some(column) = column else { return };
        column.each_in(chunk.stretch, |_, node| {
            if self.nodes.get(node as usize).is_some_and(|n| n.count == 0) {
                self.sure.touched.push(node);
            }
        });
    }

    fn keep_sure(&mut self) {
        let mut touched = std::mem::take(&mut self.sure.touched);
        touched.sort_unstable();
        touched.dedup();
        self.sure.sums = touched.into_iter().filter_map(|n| Some((n, *self.nodes.get(n as usize)?))).collect();
    }

    fn add_chunk(&mut self, store: &Store, chunk: Chunk) {
        let Some(track) = store.tracks.get(chunk.track as usize) else { return };
        let Some(column) = track.column(chunk.depth) else { return };
        // Two loops, the first as small as can be: of a large call tree most nodes are not in the cache, and the processor
        // waits for as many at a time as there are within its sight.
        let mut functions = [NONE; STRETCH];
        let mut places = functions.iter_mut();
        column.each_in(chunk.stretch, |duration, node| {
            if let (Some(sum), Some(function)) = (self.nodes.get_mut(node as usize), places.next()) {
                sum.count += 1;
                sum.total = sum.total.saturating_add(duration);
                *function = sum.function;
            }
        });
        let mut places = functions.iter();
        column.each_in(chunk.stretch, |duration, node| {
            let mut function = places.next().copied().unwrap_or(NONE);
            if function == NONE {
                function = self.function(store, node);
            }
            if let Some(durations) = self.functions.get_mut(function as usize) {
                durations.add(duration);
            }
        });
        let slices = chunk.stretch.len() as u64;
        self.visited += slices;
        if self.next >= self.plan.sure {
            self.sampled += slices;
        }
        if chunk.depth > track.lowest() && track.has_orphans() && track.def.stacking == Stacking::Nested {
            for slice in column.slices_in(chunk.stretch) {
                self.hide(store, (chunk.track, chunk.depth), slice.node, (slice.start, slice.end));
            }
        }
    }

    fn add_single(&mut self, store: &Store, single: &Single) {
        let Single { track, depth, node, start, end } = *single;
        self.add(store, node, end - start, single.inside(&self.plan.question));
        self.visited += 1;
        let overlapping = store.tracks.get(track as usize).is_none_or(|t| t.def.stacking == Stacking::Overlapping);
        if !overlapping {
            self.hide(store, (track, depth), node, (start, end));
        }
    }

    fn add(&mut self, store: &Store, node: NodeId, duration: u64, inside: u64) {
        if let Some(sum) = self.nodes.get_mut(node as usize) {
            if sum.count == 0 {
                self.sure.touched.push(node);
            }
            sum.count += 1;
            sum.total = sum.total.saturating_add(inside);
        }
        let function = self.function(store, node);
        if let Some(durations) = self.functions.get_mut(function as usize) {
            durations.add(duration);
        }
    }

    /// The function of a node, which is noted with it.
    #[cold]
    fn function(&mut self, store: &Store, node: NodeId) -> u32 {
        let Some(sum) = self.nodes.get_mut(node as usize) else { return NONE };
        if sum.function == NONE {
            let name = store.calls.name(node);
            if name as usize >= self.function_of.len() {
                self.function_of.resize(name as usize + 1, NONE);
            }
            let Some(function) = self.function_of.get_mut(name as usize) else { return NONE };
            if *function == NONE {
                *function = self.functions.len() as u32;
                self.functions.push(Durations { name, min: u64::MAX, max: 0, buckets: Buckets::default() });
            }
            sum.function = *function;
        }
        sum.function
    }

    /// Takes a slice that no call is known to have made from the self time of what it lies in.
    fn hide(&mut self, store: &Store, place: (TrackId, i32), node: NodeId, (start, end): (u64, u64)) {
        if store.calls.parent(node) != ROOT {
            return;
        }
        let Some(caller) = self.hidden.caller(store, place, start, end) else { return };
        let Question { from, to, .. } = self.plan.question;
        let covered = &mut self.hidden.covered;
        covered.resize(self.nodes.len(), 0);
        if let Some(covered) = covered.get_mut(caller as usize) {
            *covered = covered.saturating_add(end.min(to).saturating_sub(start.max(from)));
        }
    }
}

impl Statistics {
    /// Time of a node that is covered by slices which the call tree does not know that it called.
    fn hidden_in(&self, node: NodeId) -> u64 {
        self.scale(self.hidden.covered.get(node as usize).copied().unwrap_or(0), 0)
    }
}

impl Hidden {
    /// The node of the slice one depth lower that holds `start..end`.
    fn caller(&mut self, store: &Store, (id, depth): (TrackId, i32), start: u64, end: u64) -> Option<NodeId> {
        let holds = |s: &Slice| s.start <= start && s.end >= end;
        if let Some((track, at, slice)) = &self.recent
            && (*track, *at) == (id, depth)
            && holds(slice)
        {
            return Some(slice.node);
        }
        let track = store.tracks.get(id as usize)?;
        let lower = depth.checked_sub(1)?;
        if let Some(slice) = track.column(lower).and_then(|c| c.at(start)).filter(holds) {
            self.recent = Some((id, depth, slice));
            return Some(slice.node);
        }
        track.open().find(|o| o.depth == lower && o.start <= start).map(|o| o.node)
    }
}

impl Durations {
    #[inline]
    fn add(&mut self, duration: u64) {
        self.min = self.min.min(duration);
        self.max = self.max.max(duration);
        self.buckets.add(duration);
    }
}

#[cfg(test)]
mod tests;
