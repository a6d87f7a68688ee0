//! The call paths of a scan as a person wants to see them: without some functions, from one
//! function on, or without recursion.
//!
//! A [`Transform`] maps each path to a shorter one, or drops it. Paths that become equal are added
//! up. Time is never estimated here: the own times of the paths that are left add up to those of
//! the scan, less what was dropped.

use std::cell::OnceCell;

use hashbrown::HashMap;

use super::Statistics;
use super::figures::Figure;
use super::paths::Place;
use crate::call_tree::{CallTree, ROOT};

/// Stands for no node, and for the name of the root.
pub(super) const NONE: u32 = u32::MAX;

/// A change of the call paths. Several are applied one after the other. Names are by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transform {
    /// Leaves out calls of functions that run already further up. Their own time becomes that of
    /// the caller, and so do their callees.
    Collapse,
    /// Begins each path at the outermost call of one of these. Drops paths without such a call.
    Focus(Vec<u32>),
    /// Leaves out these. Their own time becomes that of the caller, and so do their callees.
    Hide(Vec<u32>),
    /// Drops the own time of paths that hold none of these. Their callers stay.
    Only(Vec<u32>),
}

/// Call paths with their figures. Node 0 is the root, and callers have lower numbers than their
/// callees.
#[derive(Debug, Default)]
pub(super) struct Shape {
    pub(super) name: Vec<u32>,
    pub(super) parent: Vec<u32>,
    pub(super) own: Vec<u64>,
    pub(super) count: Vec<u64>,
    /// Own time with that of all callees.
    pub(super) total: Vec<u64>,
    first_child: Vec<u32>,
    next_sibling: Vec<u32>,
    by_name: OnceCell<ByName>,
}

/// The nodes of a shape by the name of their function.
#[derive(Debug, Default)]
pub(super) struct ByName {
    /// Where the nodes of each name begin, and their end.
    first: Vec<u32>,
    nodes: Vec<u32>,
    /// For each node, whether a caller of it has the same name.
    recursive: Vec<bool>,
    /// Sums over the nodes of each name. Recursive calls count once.
    pub(super) sums: Vec<Figure>,
    /// For each name, whether a node has a caller.
    pub(super) called: Vec<bool>,
}

impl ByName {
    fn new(shape: &Shape) -> Self {
        let names = shape.name.iter().skip(1).max().map_or(0, |most| *most as usize + 1);
        let recursive = shape.recursive();
        let mut by_name = Self {
            first: vec![0; names + 1],
            nodes: vec![0; shape.len()],
            recursive: Vec::new(),
            sums: vec![Figure::default(); names],
            called: vec![false; names],
        };
        for node in 1..shape.len() as u32 {
            let name = shape.name_of(node) as usize;
            if let (Some(sum), Some(called)) = (by_name.sums.get_mut(name), by_name.called.get_mut(name)) {
                let outer = recursive.get(node as usize).is_some_and(|recursive| !*recursive);
                sum.add(&shape.figure(node), outer);
                *called |= shape.parent_of(node) != ROOT;
            }
            if let Some(first) = by_name.first.get_mut(name) {
                *first += 1;
            }
        }
        // Ends of the runs; filling them from behind turns these into beginnings.
        let mut end = 0;
        for first in &mut by_name.first {
            end += *first;
            *first = end;
        }
        for node in (1..shape.len() as u32).rev() {
            if let Some(first) = by_name.first.get_mut(shape.name_of(node) as usize) {
                *first -= 1;
                if let Some(slot) = by_name.nodes.get_mut(*first as usize) {
                    *slot = node;
                }
            }
        }
        by_name.recursive = recursive;
        by_name
    }

    /// The nodes of a name, in order.
    pub(super) fn nodes_of(&self, name: u32) -> &[u32] {
        let at = |name: usize| self.first.get(name).map(|first| *first as usize);
        at(name as usize)
            .zip(at(name as usize + 1))
            .and_then(|(first, end)| self.nodes.get(first..end))
            .unwrap_or_default()
    }

    /// Whether a caller of a node has the same name.
    pub(super) fn is_recursive(&self, node: u32) -> bool {
        self.recursive.get(node as usize).is_some_and(|recursive| *recursive)
    }

    fn bytes(&self) -> usize {
        (self.first.capacity() + self.nodes.capacity()) * size_of::<u32>()
            + self.sums.capacity() * size_of::<Figure>()
            + self.recursive.capacity()
            + self.called.capacity()
    }
}

/// A shape in the making.
struct Builder {
    shape: Shape,
    children: HashMap<(u32, u32), u32>,
}

impl Builder {
    fn new() -> Self {
        let mut shape = Shape::default();
        shape.push(NONE, ROOT, 0, 0);
        Self { shape, children: HashMap::new() }
    }

    fn child(&mut self, parent: u32, name: u32) -> u32 {
        let next = self.shape.name.len() as u32;
        let child = *self.children.entry((parent, name)).or_insert(next);
        if child == next {
            self.shape.push(name, parent, 0, 0);
        }
        child
    }
}

impl Shape {
    pub(super) fn push(&mut self, name: u32, parent: u32, own: u64, count: u64) {
        self.name.push(name);
        self.parent.push(parent);
        self.own.push(own);
        self.count.push(count);
    }

    pub(super) fn reserve(&mut self, nodes: usize) {
        self.name.reserve_exact(nodes);
        self.parent.reserve_exact(nodes);
        self.own.reserve_exact(nodes);
        self.count.reserve_exact(nodes);
    }

    /// Adds up totals and links callees, once all nodes are there.
    pub(super) fn finish(mut self) -> Self {
        let nodes = self.name.len();
        self.total = self.own.clone();
        self.first_child = vec![ROOT; nodes];
        self.next_sibling = vec![ROOT; nodes];
        let mut outermost = 0u64;
        for node in (1..nodes).rev() {
            let parent = self.parent.get(node).map_or(0, |parent| *parent as usize);
            let total = self.total.get(node).copied().unwrap_or(0);
            if let Some(sum) = self.total.get_mut(parent) {
                *sum = sum.saturating_add(total);
            }
            if parent == 0 {
                outermost = outermost.saturating_add(self.count.get(node).copied().unwrap_or(0));
            }
            // Going backwards keeps callees in order.
            if let Some(first) = self.first_child.get_mut(parent) {
                let next = std::mem::replace(first, node as u32);
                if let Some(sibling) = self.next_sibling.get_mut(node) {
                    *sibling = next;
                }
            }
        }
        if let Some(count) = self.count.first_mut() {
            *count = outermost;
        }
        self
    }

    /// The paths of a call tree without figures: each node was called once.
    pub(super) fn of_structure(nodes: usize, of: impl Fn(u32) -> (u32, u32)) -> Self {
        let mut shape = Self::default();
        shape.push(NONE, ROOT, 0, 0);
        for node in 1..nodes as u32 {
            let (name, parent) = of(node);
            shape.push(name, parent, 1, 1);
        }
        shape.finish()
    }

    /// Paths below a root by name, parent, own time and count, callers first.
    #[cfg(test)]
    pub(super) fn of_paths(paths: impl Iterator<Item = (u32, u32, u64, u64)>) -> Self {
        let mut shape = Self::default();
        shape.push(NONE, ROOT, 0, 0);
        paths.for_each(|(name, parent, own, count)| shape.push(name, parent, own, count));
        shape.finish()
    }

    /// How many nodes there are, including the root.
    pub(super) fn len(&self) -> usize {
        self.name.len()
    }

    /// Allocated memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let numbers = self.name.capacity() + self.parent.capacity();
        let links = self.first_child.capacity() + self.next_sibling.capacity();
        let sums = self.own.capacity() + self.count.capacity() + self.total.capacity();
        let by_name = self.by_name.get().map_or(0, ByName::bytes);
        (numbers + links) * size_of::<u32>() + sums * size_of::<u64>() + by_name
    }

    /// The nodes by name.
    pub(super) fn by_name(&self) -> &ByName {
        self.by_name.get_or_init(|| ByName::new(self))
    }

    /// The figures of a node.
    pub(super) fn figure(&self, node: u32) -> Figure {
        let at = |of: &[u64]| of.get(node as usize).copied().unwrap_or(0);
        Figure { total: at(&self.total), own: at(&self.own), count: at(&self.count) }
    }

    pub(super) fn name_of(&self, node: u32) -> u32 {
        self.name.get(node as usize).copied().unwrap_or(NONE)
    }

    pub(super) fn parent_of(&self, node: u32) -> u32 {
        self.parent.get(node as usize).copied().unwrap_or(ROOT)
    }

    /// Whether a node has callees.
    pub(super) fn has_children(&self, node: u32) -> bool {
        self.first_child.get(node as usize).is_some_and(|child| *child != ROOT)
    }

    /// The callees of a node.
    pub(super) fn children(&self, node: u32) -> impl Iterator<Item = u32> {
        let some = |node: Option<&u32>| node.copied().filter(|node| *node != ROOT);
        std::iter::successors(some(self.first_child.get(node as usize)), move |child| {
            some(self.next_sibling.get(*child as usize))
        })
    }

    /// For each node, whether a caller of it has the same name.
    pub(super) fn recursive(&self) -> Vec<bool> {
        let names = self.name.iter().skip(1).max().map_or(0, |most| *most as usize + 1);
        let mut recursive = vec![false; self.len()];
        let mut above = vec![0u32; names];
        let mut node = ROOT;
        loop {
            let child = self.first_child.get(node as usize).copied().unwrap_or(ROOT);
            if child == ROOT {
                // Up to the next node with a sibling.
                loop {
                    if node == ROOT {
                        return recursive;
                    }
                    if let Some(above) = above.get_mut(self.name_of(node) as usize) {
                        *above -= 1;
                    }
                    let next = self.next_sibling.get(node as usize).copied().unwrap_or(ROOT);
                    if next != ROOT {
                        node = next;
                        break;
                    }
                    node = self.parent_of(node);
                }
            } else {
                node = child;
            }
            if let (Some(above), Some(recursive)) =
                (above.get_mut(self.name_of(node) as usize), recursive.get_mut(node as usize))
            {
                *recursive = *above > 0;
                *above += 1;
            }
        }
    }

    /// Applies a transform. Also returns, for each node of this shape, the node that stands for its
    /// calls: `None` if they were left out or dropped.
    pub(super) fn transformed(&self, transform: &Transform) -> (Self, Vec<Option<u32>>) {
        let nodes = self.len();
        let wanted = Wanted::new(self, transform);
        let mut builder = Builder::new();
        // For each node, the one that its own time counts for.
        let mut into = vec![None; nodes];
        let mut stands = vec![None; nodes];
        if let Some(root) = into.first_mut().filter(|_| !matches!(transform, Transform::Focus(_))) {
            *root = Some(ROOT);
        }
        if let (Some(own), Some(from)) = (builder.shape.own.first_mut(), self.own.first())
            && matches!(transform, Transform::Collapse | Transform::Hide(_))
        {
            *own = *from;
        }
        for node in 1..nodes {
            let name = self.name_of(node as u32);
            let above: Option<u32> = into.get(self.parent_of(node as u32) as usize).copied().flatten();
            let marked = wanted.marked.get(node).is_some_and(|marked| *marked);
            let (target, itself) = match (transform, above) {
                (Transform::Collapse | Transform::Hide(_), Some(above)) if marked => (above, false),
                (Transform::Focus(_), None) if marked => (builder.child(ROOT, name), true),
                (Transform::Only(_), Some(_)) if !marked => continue,
                (_, Some(above)) => (builder.child(above, name), true),
                (_, None) => continue,
            };
            if let (Some(into), Some(stands)) = (into.get_mut(node), stands.get_mut(node)) {
                *into = Some(target);
                *stands = itself.then_some(target);
            }
            let target = target as usize;
            if let (Some(sum), Some(own)) = (builder.shape.own.get_mut(target), self.own.get(node))
                && wanted.timed.get(node).is_none_or(|timed| *timed)
            {
                *sum = sum.saturating_add(*own);
            }
            if let (Some(sum), Some(count)) = (builder.shape.count.get_mut(target), self.count.get(node))
                && itself
            {
                *sum = sum.saturating_add(*count);
            }
        }
        (builder.shape.finish(), stands)
    }
}

/// What a transform says about each node.
struct Wanted {
    /// The nodes that it is about.
    marked: Vec<bool>,
    /// Whether own time counts. Empty if it always does.
    timed: Vec<bool>,
}

impl Wanted {
    fn new(shape: &Shape, transform: &Transform) -> Self {
        let names = match transform {
            Transform::Collapse => return Self { marked: shape.recursive(), timed: Vec::new() },
            Transform::Focus(names) | Transform::Hide(names) | Transform::Only(names) => names,
        };
        let mut listed = vec![false; names.iter().max().map_or(0, |most| *most as usize + 1)];
        for name in names {
            if let Some(listed) = listed.get_mut(*name as usize) {
                *listed = true;
            }
        }
        let mut marked: Vec<bool> =
            shape.name.iter().map(|name| listed.get(*name as usize).is_some_and(|listed| *listed)).collect();
        let mut timed = Vec::new();
        if matches!(transform, Transform::Only(_)) {
            timed.clone_from(&marked);
            for node in 1..shape.len() {
                if timed.get(shape.parent_of(node as u32) as usize).is_some_and(|above| *above)
                    && let Some(timed) = timed.get_mut(node)
                {
                    *timed = true;
                }
            }
            // Kept are also the callers of what matches.
            marked.clone_from(&timed);
            for node in (1..shape.len()).rev() {
                if marked.get(node).is_some_and(|marked| *marked)
                    && let Some(above) = marked.get_mut(shape.parent_of(node as u32) as usize)
                {
                    *above = true;
                }
            }
        }
        Self { marked, timed }
    }
}

impl Statistics {
    /// The paths that have slices in the range, changed by the transforms.
    pub(super) fn shape(&mut self, calls: &CallTree, transforms: &[Transform]) -> Shape {
        self.nodes.resize(self.paths.len(), super::NodeSum::NONE);
        let figures = self.figures(calls);
        let tree = self.paths.tree(calls);
        let mut used: Vec<bool> = self.nodes.iter().map(|sum| sum.count > 0).collect();
        for place in (1..used.len()).rev() {
            if used.get(place).is_some_and(|used| *used)
                && let Some(caller) = used.get_mut(tree.parent(place as Place) as usize)
            {
                *caller = true;
            }
        }
        let mut shape = Shape::default();
        shape.reserve(used.iter().filter(|used| **used).count() + 1);
        shape.push(NONE, ROOT, 0, 0);
        let mut index = vec![ROOT; used.len()];
        for (place, _) in used.iter().enumerate().skip(1).filter(|(_, used)| **used) {
            let place = place as Place;
            let figure = figures.of(place);
            let parent = index.get(tree.parent(place) as usize).copied().unwrap_or(ROOT);
            if let Some(index) = index.get_mut(place as usize) {
                *index = shape.len() as u32;
            }
            shape.push(tree.name(place), parent, figure.own, figure.count);
        }
        transforms.iter().fold(shape.finish(), |shape, transform| shape.transformed(transform).0)
    }
}
