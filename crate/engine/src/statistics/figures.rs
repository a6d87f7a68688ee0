//! What a scan says of each call-tree node, estimated where it has not come to its end.

use super::Statistics;
use crate::call_tree::{CallTree, NodeId, ROOT};

/// How far up it is looked for a caller of the same name before the whole tree is walked over.
const NEAR: usize = 64;

/// Callees of each node.
#[derive(Debug)]
pub(super) struct Tree {
    first_child: Vec<NodeId>,
    next_sibling: Vec<NodeId>,
}

/// Of one node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figure {
    pub(super) total: u64,
    pub(super) own: u64,
    pub(super) count: u64,
}

impl Tree {
    fn new(calls: &CallTree, nodes: usize) -> Self {
        let mut tree = Self { first_child: vec![ROOT; nodes], next_sibling: vec![ROOT; nodes] };
        // A node comes after its caller, so that going backwards leaves the callees in order.
        for node in (1..nodes).rev() {
            if let Some(first) = tree.first_child.get_mut(calls.parent(node as NodeId) as usize) {
                let next = std::mem::replace(first, node as NodeId);
                if let Some(sibling) = tree.next_sibling.get_mut(node) {
                    *sibling = next;
                }
            }
        }
        tree
    }

    /// Walks over the whole tree, and tells of each node whether its name is on the way from the root to it.
    fn walk(&self, calls: &CallTree, names: usize, mut tell: impl FnMut(NodeId, bool)) {
        let mut above = vec![0u32; names];
        let mut node = ROOT;
        loop {
            let child = self.child(node);
            if child != ROOT {
                node = child;
            } else {
                // Up to the next one who has a sibling.
                loop {
                    if node == ROOT {
                        return;
                    }
                    if let Some(above) = above.get_mut(calls.name(node) as usize) {
                        *above -= 1;
                    }
                    let next = self.sibling(node);
                    if next != ROOT {
                        node = next;
                        break;
                    }
                    node = calls.parent(node);
                }
            }
            if let Some(above) = above.get_mut(calls.name(node) as usize) {
                tell(node, *above > 0);
                *above += 1;
            }
        }
    }

    fn child(&self, node: NodeId) -> NodeId {
        self.first_child.get(node as usize).copied().unwrap_or(ROOT)
    }

    fn sibling(&self, node: NodeId) -> NodeId {
        self.next_sibling.get(node as usize).copied().unwrap_or(ROOT)
    }

    /// The callees of a node.
    pub(super) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let some = |node: NodeId| (node != ROOT).then_some(node);
        std::iter::successors(some(self.child(node)), move |child| some(self.sibling(*child)))
    }
}

impl Statistics {
    /// Callees of each node, as the call tree was when the scan was planned.
    pub(super) fn tree(&mut self, calls: &CallTree) -> &Tree {
        let nodes = self.nodes.len();
        self.tree.get_or_insert_with(|| Tree::new(calls, nodes))
    }

    /// Which nodes of those with slices are below none of their own name.
    pub(super) fn outermost(&mut self, calls: &CallTree) -> Vec<bool> {
        let mut outermost = vec![false; self.nodes.len()];
        let mut far = false;
        for (node, (sum, outermost)) in self.nodes.iter().zip(&mut outermost).enumerate().skip(1) {
            if sum.count == 0 {
                continue;
            }
            let name = calls.name(node as NodeId);
            let mut caller = calls.parent(node as NodeId);
            let mut steps = 0;
            while caller != ROOT && calls.name(caller) != name && steps < NEAR {
                caller = calls.parent(caller);
                steps += 1;
            }
            *outermost = caller == ROOT;
            far |= steps == NEAR;
        }
        // Of deep stacks each node would cost as many steps as it is deep.
        if far {
            let names = self.function_of.len();
            self.tree(calls).walk(calls, names, |node, within| {
                if let Some(outermost) = outermost.get_mut(node as usize) {
                    *outermost = !within;
                }
            });
        }
        outermost
    }

    /// Total, self and count of each node. The root has what its callees have.
    pub(super) fn figures(&self, calls: &CallTree) -> Vec<Figure> {
        let scale = match self.sampled {
            0 => 1.0,
            sampled => self.plan.sampled as f64 / sampled as f64,
        };
        let scaled = |value: u64, sure: u64| match scale {
            1.0 => value,
            _ => sure.saturating_add((value.saturating_sub(sure) as f64 * scale).round() as u64),
        };
        // While `own` is summed up, it is the time of the callees.
        let mut figures = vec![Figure::default(); self.nodes.len()];
        for (node, sum) in self.nodes.iter().enumerate().rev() {
            let sure = self.sure.get(node).copied().unwrap_or_default();
            let Some(figure) = figures.get_mut(node) else { continue };
            let (total, callees) = (scaled(sum.total, sure.0), figure.own);
            let hidden = scaled(self.hidden.covered.get(node).copied().unwrap_or(0), 0);
            // A sample may know more of the callees than of the caller.
            figure.total = total.max(callees);
            figure.own = total.saturating_sub(callees).saturating_sub(hidden);
            if node != ROOT as usize {
                figure.count = scaled(u64::from(sum.count), u64::from(sure.1));
                let (total, count) = (figure.total, figure.count);
                let parent = calls.parent(node as NodeId);
                if let Some(parent_figure) = figures.get_mut(parent as usize) {
                    parent_figure.own = parent_figure.own.saturating_add(total);
                    if parent == ROOT {
                        parent_figure.count += count;
                    }
                }
            }
        }
        figures
    }
}
