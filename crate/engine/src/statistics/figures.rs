//! The figures of each call-tree node: estimates until the scan is complete.

use super::paths::{PathTree, Place};
use super::{NodeSum, Statistics};
use crate::call_tree::{CallTree, ROOT};

/// How many callers are checked for the same name before the whole tree is traversed instead.
const NEAR: usize = 64;

/// The callees of each node.
#[derive(Debug)]
pub(super) struct Tree {
    first_child: Vec<Place>,
    next_sibling: Vec<Place>,
}

/// The figures of one node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figure {
    pub(super) total: u64,
    pub(super) own: u64,
    pub(super) count: u64,
}

impl Tree {
    fn new(paths: PathTree<'_>, nodes: usize) -> Self {
        let mut tree = Self { first_child: vec![ROOT; nodes], next_sibling: vec![ROOT; nodes] };
        // Callers have lower numbers than their callees, so going backwards keeps callees in order.
        for node in (1..nodes).rev() {
            if let Some(first) = tree.first_child.get_mut(paths.parent(node as Place) as usize) {
                let next = std::mem::replace(first, node as Place);
                if let Some(sibling) = tree.next_sibling.get_mut(node) {
                    *sibling = next;
                }
            }
        }
        tree
    }

    /// Traverses the whole tree, and reports for each node whether its name is also on the path
    /// from the root to it.
    fn walk(&self, paths: PathTree<'_>, names: usize, mut tell: impl FnMut(Place, bool)) {
        let mut above = vec![0u32; names];
        let mut node = ROOT;
        loop {
            let child = self.child(node);
            if child != ROOT {
                node = child;
            } else {
                // Up to the next node with a sibling.
                loop {
                    if node == ROOT {
                        return;
                    }
                    if let Some(above) = above.get_mut(paths.name(node) as usize) {
                        *above -= 1;
                    }
                    let next = self.sibling(node);
                    if next != ROOT {
                        node = next;
                        break;
                    }
                    node = paths.parent(node);
                }
            }
            if let Some(above) = above.get_mut(paths.name(node) as usize) {
                tell(node, *above > 0);
                *above += 1;
            }
        }
    }

    /// Allocated memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        (self.first_child.capacity() + self.next_sibling.capacity()) * size_of::<Place>()
    }

    fn child(&self, node: Place) -> Place {
        self.first_child.get(node as usize).copied().unwrap_or(ROOT)
    }

    fn sibling(&self, node: Place) -> Place {
        self.next_sibling.get(node as usize).copied().unwrap_or(ROOT)
    }
}

impl Statistics {
    /// Builds the tree, if it is missing or outdated.
    pub(super) fn know_tree(&mut self, calls: &CallTree) {
        let nodes = self.paths.len();
        // The scan adds paths through unrecorded callers as it finds them.
        if self.tree.as_ref().is_none_or(|tree| tree.first_child.len() != nodes) {
            self.nodes.resize(nodes, NodeSum::NONE);
            self.tree = Some(Tree::new(self.paths.tree(calls), nodes));
        }
    }

    /// For each node with slices, whether none of its callers has the same name.
    pub(super) fn outermost(&mut self, calls: &CallTree) -> Vec<bool> {
        let mut outermost = vec![false; self.nodes.len()];
        let mut far = false;
        let paths = self.paths.tree(calls);
        for (node, (sum, outermost)) in self.nodes.iter().zip(&mut outermost).enumerate().skip(1) {
            if sum.count == 0 {
                continue;
            }
            let name = paths.name(node as Place);
            let mut caller = paths.parent(node as Place);
            let mut steps = 0;
            while caller != ROOT && paths.name(caller) != name && steps < NEAR {
                caller = paths.parent(caller);
                steps += 1;
            }
            *outermost = caller == ROOT;
            far |= steps == NEAR;
        }
        // On deep stacks, checking each node's callers would take as many steps as the node is
        // deep.
        if far {
            self.know_tree(calls);
            let names = self.function_of.len();
            let paths = self.paths.tree(calls);
            self.tree.iter().for_each(|tree| {
                tree.walk(paths, names, |node, within| {
                    if let Some(outermost) = outermost.get_mut(node as usize) {
                        *outermost = !within;
                    }
                });
            });
        }
        outermost
    }

    /// Time and count of a node, estimated from the sample. Can be called in any order.
    pub(super) fn scaled(&self, node: Place, sum: &NodeSum) -> (u64, u64) {
        if self.is_exact() {
            return (sum.total, u64::from(sum.count));
        }
        let sure = self.sure.binary_search_by_key(&node, |(n, _)| *n).ok();
        let sure = sure.and_then(|i| self.sure.get(i)).map_or((0, 0), |(_, sum)| (sum.total, sum.count));
        (self.scale(sum.total, sure.0), self.scale(u64::from(sum.count), u64::from(sure.1)))
    }

    /// Extrapolates from the slices visited to all. `sure` is the part of `value` that is known
    /// exactly.
    pub(super) fn scale(&self, value: u64, sure: u64) -> u64 {
        if self.is_exact() || self.sampled == 0 {
            return value;
        }
        let scale = self.plan.sampled as f64 / self.sampled as f64;
        sure.saturating_add((value.saturating_sub(sure) as f64 * scale).round() as u64)
    }

    /// Total, self and count of each node.
    pub(super) fn figures<'a>(&'a self, calls: &CallTree) -> Figures<'a> {
        let paths = self.paths.tree(calls);
        let mut callees = vec![0u64; self.nodes.len()];
        let mut outermost = 0;
        for (node, sum) in self.nodes.iter().enumerate().skip(1).rev() {
            let own_callees = callees.get(node).copied().unwrap_or(0);
            if sum.count == 0 && own_callees == 0 {
                continue;
            }
            let (total, count) = self.scaled(node as Place, sum);
            let parent = paths.parent(node as Place);
            if let Some(callees) = callees.get_mut(parent as usize) {
                *callees = callees.saturating_add(total.max(own_callees));
            }
            if parent == ROOT {
                outermost += count;
            }
        }
        Figures { statistics: self, callees, outermost }
    }
}

/// Figures by node.
pub(super) struct Figures<'a> {
    statistics: &'a Statistics,
    /// For each node, the time of its callees.
    callees: Vec<u64>,
    /// How many slices have no caller.
    outermost: u64,
}

impl Figures<'_> {
    /// The figures of one node. Those of the root are the sums over its callees.
    pub(super) fn of(&self, node: Place) -> Figure {
        let callees = self.callees.get(node as usize).copied().unwrap_or(0);
        let Some(sum) = self.statistics.nodes.get(node as usize) else { return Figure::default() };
        if node == ROOT {
            return Figure { total: callees, own: 0, count: self.outermost };
        }
        let (total, count) = self.statistics.scaled(node, sum);
        // A sample may hold more of the callees than of the caller.
        Figure { total: total.max(callees), own: total.saturating_sub(callees), count }
    }
}
