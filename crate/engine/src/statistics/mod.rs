//! Statistics of a range: how often and how long each function ran, and from where it was called.
//!
//! One scan over slices adds up counts and times for each call-tree node, and durations for each
//! name. The table of functions is made from that, and so are views of the call paths: rows of the
//! call tree, and flame graphs. The scan runs in steps; answers before its end are estimates from
//! the slices visited so far. The list of a function's calls, and calls in the order of time, are
//! scans of their own.
//!
//! Slices that reach beyond the edges of the range are **counted**; their **total** and **self**
//! times are the part within the range; **min, max and percentiles** are of whole durations. Open
//! slices reach to the end of what has been read.
//!
//! Total time counts a recursive function once: slices below one of the same name in the call tree
//! add nothing. Self time is what direct callees do not cover. A call whose begin was not recorded
//! is the caller of everything on its track that arrived before its end and had no other caller
//! (`paths.rs`). Overlapping slices do not call one another: all of their time is self time. Sums
//! saturate at 2^64 - 1.
//!
//! # How it works
//!
//! Durations are added up in logarithmic buckets. Columns are cut to the range by bisection, so no
//! other slice is visited. Any prefix of the scan is a sample of the whole. The scan is a job
//! (`Scan`). It sends an estimate after 40 ms and the exact numbers at the end. While the file is
//! being read it sends estimates only. Exact percentiles of one function are another job (`Exact`),
//! of two or three more scans.
//!
//! A scan that is done stays in its slot, so the other views of a range need no further scan.
//! `Shape` holds its call paths, after the transforms that the user chose (recursion collapsed,
//! functions focused, hidden, paths filtered), until others are asked for. Rows of the tree and
//! nodes of flame graphs are made from it: downwards from the root, or upwards from groups of calls
//! (`spots.rs`), never further than asked for or wide enough to be seen. A flame graph grows in the
//! steps of the job, after a coarse one that is shown meanwhile (`Growth` in `flame.rs`). So are
//! the heaviest stacks, and the edges of the call graph, which the page lays out with dagre, loaded
//! with that panel (`stacks.rs`, `web/features/calls/call_graph.ts`, `web/features/calls/graph`). A
//! scan may add up what calls *weigh* in place of durations (`weights.rs`): times of a replay,
//! which the survey of an apitrace knows, and the page passes to the trace's worker. Nodes are
//! known by the names of their path, which are the same in every range. Two jobs visit the slices
//! themselves: `Calls` lists those of one function, or of one stack, and `TimeOrder` draws them in
//! the order of time. `docs/statistics.md` defines each figure.
//!
//! A caller whose begin was not recorded arrives after the calls it made. The store puts its slice
//! at a new lowest depth and keeps the call-tree nodes of the earlier slices. The scan maps these
//! nodes to their true paths by depth (`statistics/paths.rs`). Tracks without such callers skip the
//! mapping.

mod buckets;
mod calls;
mod figures;
mod flame;
mod functions;
mod paths;
mod percentiles;
mod plan;
mod scan;
mod shape;
mod spots;
mod stacks;
mod stretches;
mod summary;
mod time_order;
mod tree;
mod weights;

use crate::store::Store;
use crate::store::column::STRETCH;
use buckets::Buckets;
pub use calls::{ANYWHERE, CallColumns, CallOrder, Calls, CallsQuestion, CallsView};
use figures::Tree;
pub use flame::{FlameColumns, FlameView, Flames};
pub use functions::{Function, FunctionColumns};
use paths::{Paths, Place};
pub use percentiles::{Exact, Percentiles};
pub use plan::Question;
use plan::{Chunk, Plan, Single};
pub use scan::{Part, Scan, Wanted};
pub use shape::Transform;
pub use stacks::StackOrder;
pub use stretches::{MOST_STRETCHES, Stretches};
pub use summary::{CallGraph, CallPath, CallPaths, Edge, Summary};
pub use time_order::{TimeOrder, TimeOrderColumns};
pub use tree::{Listing, TreeColumns, TreeView};
use weights::Weighing;
pub use weights::Weights;

/// No function yet.
const NONE: u32 = u32::MAX;
/// Slices a function that are visited between two counts of the memory of all functions: counting
/// takes less than a hundredth of the time.
const COUNT_EVERY: u64 = 64;

/// A scan over a range of a trace.
#[derive(Debug)]
pub struct Statistics {
    plan: Plan,
    next: usize,
    visited: u64,
    /// How many slices the chunks that are not sure hold: the sample is extrapolated to these.
    sampled: u64,
    paths: Paths,
    /// Sums by place.
    nodes: Vec<NodeSum>,
    /// Sums of the slices that are not sampled, sorted by place, while others are being visited.
    sure: Vec<(Place, NodeSum)>,
    functions: Vec<Durations>,
    /// For each name, its index in `functions`.
    function_of: Vec<u32>,
    /// Allocated memory of the buckets of all functions, and how many slices had been visited when
    /// it was counted.
    buckets: (usize, u64),
    /// Built when it is first needed.
    tree: Option<Tree>,
    /// `None` if durations are added up.
    weighing: Option<Weighing>,
}

/// Sums over the slices of a call-tree node.
#[derive(Clone, Copy, Debug)]
struct NodeSum {
    total: u64,
    count: u32,
    function: u32,
}

impl NodeSum {
    const NONE: Self = Self { total: 0, count: 0, function: NONE };
}

/// Durations of the slices of a name.
#[derive(Debug)]
struct Durations {
    name: u32,
    min: u64,
    max: u64,
    buckets: Buckets,
}

impl Statistics {
    /// Plans a scan of the slices that the store holds now.
    pub fn new(store: &Store, question: Question) -> Self {
        let paths = Paths::new(store, &question.tracks);
        let plan = Plan::new(store, question);
        let nodes = vec![NodeSum::NONE; paths.len()];
        let mut statistics = Self {
            plan,
            next: 0,
            visited: 0,
            sampled: 0,
            paths,
            nodes,
            sure: Vec::new(),
            functions: Vec::new(),
            function_of: vec![NONE; store.names().len()],
            buckets: (0, 0),
            tree: None,
            weighing: None,
        };
        for single in statistics.plan.singles.clone() {
            statistics.add_single(store, &single);
        }
        statistics
    }

    /// The question that the scan answers.
    pub fn question(&self) -> &Question {
        &self.plan.question
    }

    /// Whether the scan has the final answer to `question`: it is complete, and nothing can change
    /// it.
    pub fn answers(&self, store: &Store, question: &Question) -> bool {
        self.is_exact() && self.is_complete() && !self.is_outdated(store) && self.plan.question == *question
    }

    /// Whether the next step starts over, because the store moved the slices.
    pub(super) fn is_outdated(&self, store: &Store) -> bool {
        self.plan.is_outdated(store)
    }

    /// Visits at least `budget` slices, or all that are left. Starts over if the store moved the
    /// slices. Returns whether the scan is complete.
    pub fn step(&mut self, store: &Store, budget: u64) -> bool {
        if self.is_outdated(store) {
            *self = Self::new(store, self.plan.question.clone()).weighed(self.weights().cloned());
        }
        let until = self.visited.saturating_add(budget);
        while self.visited < until
            && let Some(chunk) = self.plan.chunks.get(self.next).copied()
        {
            if self.next == self.plan.sure {
                self.keep_sure();
            }
            self.add_chunk(store, chunk);
            self.next += 1;
        }
        if self.next == self.plan.chunks.len() {
            self.weigh(store, budget);
        }
        if self.is_exact() {
            self.sure = Vec::new();
        }
        if self.is_exact() || self.visited >= self.buckets.1 + COUNT_EVERY * self.functions.len() as u64 {
            self.buckets = (self.functions.iter().map(|f| f.buckets.bytes()).sum(), self.visited);
        }
        self.is_exact()
    }

    /// Whether all slices of the range have been visited. Everything but percentiles is exact then.
    pub fn is_exact(&self) -> bool {
        self.next == self.plan.chunks.len() && self.weighing.as_ref().is_none_or(|weighing| weighing.is_done)
    }

    /// Whether the whole trace had been read when the scan was planned.
    pub fn is_complete(&self) -> bool {
        self.plan.complete
    }

    /// Whether there is enough to estimate from: a quarter of what is sampled. One long call counts
    /// as many as there are slices in its place that were not visited. Weights are not estimated.
    pub fn can_estimate(&self) -> bool {
        self.is_exact() || (self.sampled > 0 && self.sampled >= self.plan.sampled / 4 && self.weighing.is_none())
    }

    /// How many slices the range holds.
    pub fn slices(&self) -> u64 {
        self.plan.slices
    }

    /// How many slices have been visited.
    pub fn visited(&self) -> u64 {
        self.visited
    }

    /// Allocated memory, in bytes. That of the buckets may lag behind by a few steps.
    pub fn bytes(&self) -> usize {
        self.plan.bytes()
            + self.paths.bytes()
            + self.nodes.capacity() * size_of::<NodeSum>()
            + self.sure.capacity() * size_of::<(Place, NodeSum)>()
            + self.functions.capacity() * size_of::<Durations>()
            + self.buckets.0
            + self.function_of.capacity() * size_of::<u32>()
            + self.tree.as_ref().map_or(0, Tree::bytes)
            + self.weights().map_or(0, |weights| weights.bytes())
    }

    /// Keeps the sums as they are when all slices that are not sampled have been visited, and no
    /// others.
    fn keep_sure(&mut self) {
        let counted = (0..).zip(&self.nodes).filter(|(_, sum)| sum.count > 0);
        self.sure = counted.map(|(place, sum)| (place, *sum)).collect();
    }

    fn add_chunk(&mut self, store: &Store, chunk: Chunk) {
        let Some(track) = store.tracks.get(chunk.track as usize) else { return };
        let Some(column) = track.column(chunk.depth) else { return };
        let slices = chunk.stretch.len() as u64;
        self.visited += slices;
        if self.next >= self.plan.sure {
            self.sampled += slices;
        }
        if let Some(orphans) = self.paths.orphans(chunk.track, chunk.depth) {
            column.each_in(chunk.stretch, |duration, node| {
                let place = self.paths.place_of(&store.calls, orphans, node);
                self.add(store, place, duration, duration);
            });
            return;
        }
        // Two loops, the first as small as possible: most nodes of a large call tree are not in the
        // cache, and the processor fetches only as many in parallel as fit into its window.
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
    }

    fn add_single(&mut self, store: &Store, single: &Single) {
        let Single { track, depth, node, start, end } = *single;
        let orphans = self.paths.orphans(track, depth);
        let place = orphans.map_or(node, |orphans| self.paths.place_of(&store.calls, orphans, node));
        self.add(store, place, end - start, single.inside(&self.plan.question));
        self.visited += 1;
    }

    fn add(&mut self, store: &Store, place: Place, duration: u64, inside: u64) {
        if self.nodes.len() <= place as usize {
            self.nodes.resize(self.paths.len(), NodeSum::NONE);
        }
        let mut function = NONE;
        if let Some(sum) = self.nodes.get_mut(place as usize) {
            sum.count += 1;
            sum.total = sum.total.saturating_add(inside);
            function = sum.function;
        }
        if function == NONE {
            function = self.function(store, place);
        }
        if let Some(durations) = self.functions.get_mut(function as usize) {
            durations.add(duration);
        }
    }

    /// The function of a node, which is cached with the node.
    #[cold]
    fn function(&mut self, store: &Store, place: Place) -> u32 {
        let name = self.paths.tree(&store.calls).name(place);
        let Some(sum) = self.nodes.get_mut(place as usize) else { return NONE };
        if sum.function == NONE {
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
