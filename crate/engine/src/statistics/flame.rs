//! Flame graph: the call tree with the time of each node, the heaviest callees first.

use unspool_formats::sort;

use super::Statistics;
use super::figures::Figure;
use super::paths::Place;
use crate::call_tree::{NodeId, ROOT};
use crate::store::Store;

/// Nodes narrower than this fraction of the whole are merged with their narrow siblings: they are less than a pixel
/// wide on any screen.
const FINEST: u64 = 8192;
/// Stands for the number of merged nodes, and for their names and the root's.
const MANY: u32 = u32::MAX;

/// Nodes as columns: the path from the root to the focus, then everything below it. Callers come before callees, and
/// callees are sorted by descending total. Times are in ticks, as doubles, exact below 2^53.
#[derive(Debug, Default, PartialEq)]
pub struct FlameColumns {
    /// Index of the node in focus. The nodes before it are its callers, from the root.
    pub focus: u32,
    /// Number of the node: that of the store's call tree, or a higher one for a path through callers whose begin was
    /// not recorded. `u32::MAX` for several narrow siblings.
    pub node: Vec<u32>,
    /// Number of the name; `u32::MAX` for the root and for merged siblings.
    pub name: Vec<u32>,
    /// Index of the caller. The root's is its own.
    pub parent: Vec<u32>,
    /// Time within the range.
    pub total: Vec<f64>,
    /// Time within the range that callees do not cover.
    pub own: Vec<f64>,
    /// How many slices there are.
    pub count: Vec<f64>,
}

impl FlameColumns {
    fn push(&mut self, node: NodeId, name: u32, parent: u32, figure: Figure) -> u32 {
        self.node.push(node);
        self.name.push(name);
        self.parent.push(parent);
        self.total.push(figure.total as f64);
        self.own.push(figure.own as f64);
        self.count.push(figure.count as f64);
        self.node.len() as u32 - 1
    }
}

impl Statistics {
    /// What is known so far about a node, its callers and its callees. `focus` is the node's number; 0, or an unknown
    /// number, means the root.
    pub fn flame(&mut self, store: &Store, focus: NodeId) -> FlameColumns {
        self.know_tree(&store.calls);
        let figures = self.figures(&store.calls);
        let tree = self.paths.tree(&store.calls);
        let focus = self.paths.place(focus).unwrap_or(ROOT);
        let finest = figures.of(focus).total.div_ceil(FINEST).max(1);

        let mut columns = FlameColumns::default();
        let mut way: Vec<_> = std::iter::successors(Some(focus), |n| (*n != ROOT).then(|| tree.parent(*n))).collect();
        let mut parent = 0;
        while let Some(place) = way.pop() {
            parent = columns.push(self.paths.id(place), tree.name(place), parent, figures.of(place));
        }
        columns.focus = parent;

        // Nodes still to be listed, with their callers' indices; the next one is last.
        let mut waiting = Vec::new();
        let mut callees = Vec::new();
        let mut list = |place: Place, index: u32, waiting: &mut Vec<_>| {
            let mut narrow = Figure::default();
            callees.clear();
            for child in self.callees(place) {
                let child_figure = figures.of(child);
                if child_figure.total >= finest {
                    // Ties are in descending order of first calls: the next one is last.
                    callees.push((child_figure.total, !child));
                } else {
                    narrow.total += child_figure.total;
                    narrow.count += child_figure.count;
                }
            }
            sort::pairs(&mut callees);
            if narrow.total >= finest {
                waiting.push((MANY, index, narrow));
            }
            waiting.extend(callees.iter().map(|(_, child)| (!*child, index, figures.of(!*child))));
        };
        list(focus, parent, &mut waiting);
        while let Some((place, caller, figure)) = waiting.pop() {
            if place == MANY {
                columns.push(MANY, MANY, caller, figure);
                continue;
            }
            let index = columns.push(self.paths.id(place), tree.name(place), caller, figure);
            list(place, index, &mut waiting);
        }
        columns
    }
}
