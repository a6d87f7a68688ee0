//! All figures of a range, exactly and at once, for callers that may block.

use hashbrown::HashMap;
use unspool_trace::TrackId;

use super::buckets::rank_of;
use super::functions::Function;
use super::paths::Place;
use super::percentiles::{PERCENTS, Percentiles};
use super::plan::{Plan, Question};
use super::shape::Shape;
use super::{NONE, Statistics};
use crate::call_tree::{NodeId, ROOT};
use crate::store::Store;

/// Durations that are kept at a time: 256 MiB. More functions, or a function with more calls, take
/// another scan.
const ROOM: u64 = 1 << 25;

/// Exact figures of a range.
#[derive(Debug)]
pub struct Summary {
    /// The functions, sorted by the number of their name.
    pub functions: Vec<Function>,
    /// Time in which any call was open, summed over the tracks, in ticks. Overlapping lifetimes
    /// count one by one.
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
        let mut statistics = scanned(store, question);
        let covered = statistics.total(store);
        let mut functions = statistics.list(store);
        drop(statistics);
        // Functions are sorted by the number of their name.
        let mut line_of = vec![NONE; functions.last().map_or(0, |f| f.name as usize + 1)];
        for (line, function) in (0..).zip(&functions) {
            if let Some(of) = line_of.get_mut(function.name as usize) {
                *of = line;
            }
        }
        find_percentiles(store, question, &mut functions, room, &mut |_, _, node| {
            line_of.get(store.calls.name(node) as usize).copied().unwrap_or(NONE)
        });
        Self { functions, covered }
    }
}

/// The call paths of a range with their exact figures. Node 0 is the root, and callers come before
/// their callees.
#[derive(Debug)]
pub struct CallPaths {
    shape: Shape,
}

/// One call path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallPath {
    /// Number of the name of its innermost function; `u32::MAX` for the root.
    pub name: u32,
    /// Number of the caller's path; 0 for outermost calls.
    pub parent: u32,
    /// How many slices there are.
    pub count: u64,
    /// Time within the range.
    pub total: u64,
    /// Time within the range that callees do not cover.
    pub own: u64,
}

impl CallPaths {
    /// Scans the range.
    pub fn of(store: &Store, question: &Question) -> Self {
        Self { shape: scanned(store, question).shape(&store.calls, &[]) }
    }

    /// The paths by number, from 0, the root.
    pub fn iter(&self) -> impl Iterator<Item = CallPath> {
        (0..self.shape.len() as u32).filter_map(|node| self.get(node))
    }

    /// The path with a number.
    pub fn get(&self, node: u32) -> Option<CallPath> {
        let figure = self.shape.figure(node);
        let (name, parent) = (self.shape.name_of(node), self.shape.parent_of(node));
        let path = CallPath { name, parent, count: figure.count, total: figure.total, own: figure.own };
        ((node as usize) < self.shape.len()).then_some(path)
    }
}

/// Figures of the calls of one function from one other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Number of the caller's name; `u32::MAX` for outermost calls.
    pub caller: u32,
    /// The figures of the callee, when called from there.
    pub callee: Function,
}

/// Who calls whom in a range, with exact figures.
#[derive(Debug)]
pub struct CallGraph {
    /// In the order of first calls.
    pub edges: Vec<Edge>,
    /// Time in which any call was open, summed over the tracks, in ticks.
    pub covered: u64,
}

impl CallGraph {
    /// Scans the range for all figures.
    pub fn of(store: &Store, question: &Question) -> Self {
        Self::with_room(store, question, ROOM)
    }

    /// The same, keeping at most `room` durations, or those of one edge.
    pub(super) fn with_room(store: &Store, question: &Question, room: u64) -> Self {
        let mut statistics = scanned(store, question);
        let shape = statistics.shape(&store.calls, &[]);
        let columns = shape.edges();
        let covered = shape.figure(ROOT).total;
        let number = |(caller, callee): (&u32, &u32)| (*caller, *callee);
        let numbers: HashMap<(u32, u32), u32> = columns.parent.iter().zip(&columns.name).map(number).zip(0..).collect();
        // The edge of each place, found once.
        let tree = statistics.paths.tree(&store.calls);
        let edge = |place: Place| numbers.get(&(tree.name(tree.parent(place)), tree.name(place))).copied();
        let edge_of: Vec<u32> = (0..statistics.nodes.len() as Place).map(|place| edge(place).unwrap_or(NONE)).collect();
        let mut functions: Vec<Function> = (0..columns.name.len())
            .filter_map(|i| {
                Some(Function {
                    name: *columns.name.get(i)?,
                    count: *columns.count.get(i)? as u64,
                    total: *columns.total.get(i)? as u64,
                    own: *columns.own.get(i)? as u64,
                    min: 0,
                    max: 0,
                    percentiles: Percentiles::default(),
                    rounded: 0,
                    // Data is known by function, not by caller.
                    bytes: 0,
                })
            })
            .collect();
        let paths = &mut statistics.paths;
        find_percentiles(store, question, &mut functions, room, &mut |track, depth, node| {
            let place = paths.orphans(track, depth).map_or(node, |of| paths.place_of(&store.calls, of, node));
            edge_of.get(place as usize).copied().unwrap_or(NONE)
        });
        let edges = columns.parent.iter().zip(functions).map(|(caller, callee)| Edge { caller: *caller, callee });
        Self { edges: edges.collect(), covered }
    }
}

fn scanned(store: &Store, question: &Question) -> Statistics {
    let mut statistics = Statistics::new(store, question.clone());
    while !statistics.step(store, u64::MAX) {}
    statistics
}

/// Finds min, max and percentiles, keeping at most `room` durations at a time, or those of one
/// line. `line_of` has the number of the line that a slice belongs to, from its track, depth and
/// call-tree node.
fn find_percentiles(
    store: &Store,
    question: &Question,
    lines: &mut [Function],
    room: u64,
    line_of: &mut dyn FnMut(TrackId, i32, NodeId) -> u32,
) {
    let mut first = 0;
    let mut rest = lines;
    while !rest.is_empty() {
        let mut kept = 0;
        let fit = rest.iter().take_while(|f| {
            kept += f.count;
            kept <= room
        });
        let (some, others) = rest.split_at_mut(fit.count().max(1).min(rest.len()));
        percentiles_of_some(store, question, some, first, line_of);
        first += some.len();
        rest = others;
    }
}

/// Finds the percentiles of some lines in one scan. `first` is the number of the first one.
fn percentiles_of_some(
    store: &Store,
    question: &Question,
    functions: &mut [Function],
    first: usize,
    line_of: &mut dyn FnMut(TrackId, i32, NodeId) -> u32,
) {
    let room_for = |function: &Function| Vec::with_capacity(usize::try_from(function.count).unwrap_or(0));
    let mut durations: Vec<Vec<u64>> = functions.iter().map(room_for).collect();
    let mut add = |track: TrackId, depth: i32, node: NodeId, duration: u64| {
        let line = (line_of(track, depth, node) as usize).checked_sub(first);
        if let Some(of) = line.and_then(|line| durations.get_mut(line)) {
            of.push(duration);
        }
    };
    let plan = Plan::new(store, question.clone());
    plan.singles.iter().for_each(|single| add(single.track, single.depth, single.node, single.end - single.start));
    for chunk in &plan.chunks {
        let column = store.tracks.get(chunk.track as usize).and_then(|t| t.column(chunk.depth));
        if let Some(column) = column {
            column.each_in(chunk.stretch, |duration, node| add(chunk.track, chunk.depth, node, duration));
        }
    }
    for (function, durations) in functions.iter_mut().zip(&mut durations) {
        durations.sort_unstable();
        let at = |percent| durations.get(rank_of(percent, durations.len() as u64) as usize - 1).copied().unwrap_or(0);
        let [median, p90, p99] = PERCENTS.map(at);
        (function.percentiles, function.rounded) = (Percentiles { median, p90, p99 }, 0);
        function.min = durations.first().copied().unwrap_or(0);
        function.max = durations.last().copied().unwrap_or(0);
    }
}

impl Statistics {
    /// Time of all outermost calls so far.
    fn total(&mut self, store: &Store) -> u64 {
        self.know_tree(&store.calls);
        self.figures(&store.calls).of(ROOT).total
    }
}
