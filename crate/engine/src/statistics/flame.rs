//! A flame graph: the call tree with the time of each node, the heaviest callees first.

use super::Statistics;
use super::figures::Figure;
use crate::call_tree::{NodeId, ROOT};
use crate::store::Store;

/// A node narrower than this part of the whole is put together with its narrow siblings: on no screen is it a pixel wide.
const FINEST: u64 = 8192;
/// The number of nodes that stand for several, and of the root's name.
const MANY: u32 = u32::MAX;

/// Nodes as columns: the way from the root to the focus, and then what is below it, callers before callees and callees by
/// their total from the heaviest. Times are doubles, exact below 2^53.
#[derive(Debug, Default, PartialEq)]
pub struct FlameColumns {
    /// Index of the node that is in focus: those before it are its callers, from the root.
    pub focus: u32,
    /// Call-tree node; `u32::MAX` for several siblings too narrow to be told apart.
    pub node: Vec<u32>,
    /// Name; `u32::MAX` for the root and for several.
    pub name: Vec<u32>,
    /// Index of the caller; the root's is its own.
    pub parent: Vec<u32>,
    /// Time in the range.
    pub total: Vec<f64>,
    /// Time that is not covered by callees.
    pub own: Vec<f64>,
    /// How many slices.
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
    /// What is known so far of a node of the call tree (0 for all), its callers and what it called.
    pub fn flame(&mut self, store: &Store, focus: NodeId) -> FlameColumns {
        let calls = &store.calls;
        self.know_tree(calls);
        let figures = self.figures(calls);
        let focus = if (focus as usize) < self.nodes.len() { focus } else { ROOT };
        let finest = figures.of(focus).total.div_ceil(FINEST).max(1);

        let mut columns = FlameColumns::default();
        let mut way: Vec<_> = std::iter::successors(Some(focus), |n| (*n != ROOT).then(|| calls.parent(*n))).collect();
        let mut parent = 0;
        while let Some(node) = way.pop() {
            parent = columns.push(node, calls.name(node), parent, figures.of(node));
        }
        columns.focus = parent;

        // What is still to be listed, with its caller's index, the next one last.
        let mut waiting = Vec::new();
        let mut callees = Vec::new();
        let mut list = |node: NodeId, index: u32, waiting: &mut Vec<_>| {
            let mut narrow = Figure::default();
            callees.clear();
            for child in self.callees(node) {
                let child_figure = figures.of(child);
                if child_figure.total >= finest {
                    callees.push((child_figure.total, child));
                } else {
                    narrow.total += child_figure.total;
                    narrow.count += child_figure.count;
                }
            }
            // Ties in the order in which they were first called.
            callees.sort_unstable_by_key(|(total, child)| (*total, std::cmp::Reverse(*child)));
            if narrow.total >= finest {
                waiting.push((MANY, index, narrow));
            }
            waiting.extend(callees.iter().map(|(_, child)| (*child, index, figures.of(*child))));
        };
        list(focus, parent, &mut waiting);
        while let Some((node, caller, figure)) = waiting.pop() {
            let name = if node == MANY { MANY } else { calls.name(node) };
            let index = columns.push(node, name, caller, figure);
            if node != MANY {
                list(node, index, &mut waiting);
            }
        }
        columns
    }
}
