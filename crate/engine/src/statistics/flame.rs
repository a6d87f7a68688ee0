//! Flame graphs: call paths with the time of each node, the heaviest first.

use super::Statistics;
use super::figures::Figure;
use super::shape::{Shape, Transform};
use super::spots::{Below, Spot, Weight};
use crate::call_tree::ROOT;
use crate::store::Store;

/// Nodes narrower than this fraction of the whole are merged with their narrow siblings: they are
/// less than a pixel wide on any screen.
const FINEST: u64 = 8192;
/// Stands for the names of merged nodes and of the root.
const MANY: u32 = u32::MAX;
/// Most work for a graph; see [`Spot::work`]. Callers of deep recursion would take the square of
/// its depth.
pub(super) const MOST_WORK: usize = 1 << 22;

/// Which flame graph is wanted. `path` leads to the node in focus by names, from the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlameView {
    /// Callees below their caller. Widths are total times.
    Down {
        /// The node in focus.
        path: Vec<u32>,
    },
    /// Callers below the function that they called. Widths are the function's own times.
    Up {
        /// The node in focus.
        path: Vec<u32>,
    },
    /// Callers and callees of one function, as two graphs. Widths are the function's total times.
    Sandwich {
        /// Number of its name.
        name: u32,
    },
}

/// Nodes as columns: the path from the root to the focus, then everything below it. A node comes
/// before those below it, and those are sorted by descending width. Times are in ticks, as doubles,
/// exact below 2^53.
#[derive(Debug, Default, PartialEq)]
pub struct FlameColumns {
    /// Index of the node in focus. The nodes before it are those above it, from the root.
    pub focus: u32,
    /// Whether some nodes lack what is below them.
    pub partial: bool,
    /// Number of the name; `u32::MAX` for the root and for merged siblings.
    pub name: Vec<u32>,
    /// Index of the node above. The root's is its own.
    pub parent: Vec<u32>,
    /// Width: time within the range.
    pub total: Vec<f64>,
    /// Time within the range that callees do not cover.
    pub own: Vec<f64>,
    /// How many slices there are.
    pub count: Vec<f64>,
}

impl FlameColumns {
    fn push(&mut self, name: u32, parent: u32, width: u64, figure: &Figure) -> u32 {
        self.name.push(name);
        self.parent.push(parent);
        self.total.push(width as f64);
        self.own.push(figure.own as f64);
        self.count.push(figure.count as f64);
        self.name.len() as u32 - 1
    }
}

/// One or two flame graphs.
#[derive(Debug, Default, PartialEq)]
pub struct Flames {
    /// The graph that the view is about; of a sandwich, the callees. Its focus is the function
    /// then.
    pub flame: FlameColumns,
    /// The callers of a sandwich. Its root is the function.
    pub callers: Option<FlameColumns>,
}

/// Flame graphs of a shape in the making.
#[derive(Debug)]
pub(super) struct Growth {
    flame: Graph,
    callers: Option<Graph>,
}

impl Growth {
    /// Goes on for at least `budget` work. Returns whether the graphs are complete.
    pub(super) fn step(&mut self, shape: &Shape, budget: usize) -> bool {
        self.flame.step(shape, budget, MOST_WORK)
            && self.callers.as_mut().is_none_or(|callers| callers.step(shape, budget, MOST_WORK))
    }

    /// Whether all nodes are listed.
    pub(super) fn is_complete(&self) -> bool {
        self.flame.waiting.is_empty() && self.callers.as_ref().is_none_or(|callers| callers.waiting.is_empty())
    }

    /// Allocated memory, in bytes, about.
    pub(super) fn bytes(&self) -> usize {
        [Some(&self.flame), self.callers.as_ref()].into_iter().flatten().map(Graph::bytes).sum()
    }

    /// The graphs as far as they are made.
    pub(super) fn flames(self) -> Flames {
        Flames { flame: self.flame.end(), callers: self.callers.map(Graph::end) }
    }
}

/// A graph of which not all nodes may be listed yet.
#[derive(Debug)]
struct Graph {
    columns: FlameColumns,
    /// Nodes still to be listed, with the indices of those above; the next one is last. `None` for
    /// merged ones.
    waiting: Vec<(u32, Option<Below>, Figure)>,
    finest: u64,
    weight: Weight,
    work: usize,
}

impl Graph {
    /// Has nodes listed below one.
    fn put(&mut self, above: u32, nodes: Vec<Below>) {
        let Self { waiting, finest, weight, .. } = self;
        let mut narrow = Figure::default();
        let wide = nodes.partition_point(|node| weight.of(&node.figure) >= *finest);
        for node in nodes.get(wide..).unwrap_or_default() {
            narrow.total = narrow.total.saturating_add(node.figure.total);
            narrow.own = narrow.own.saturating_add(node.figure.own);
            narrow.count = narrow.count.saturating_add(node.figure.count);
        }
        if weight.of(&narrow) >= *finest {
            waiting.push((above, None, narrow));
        }
        waiting.extend(nodes.into_iter().take(wide).rev().map(|node| {
            let figure = node.figure;
            (above, Some(node), figure)
        }));
    }

    /// Lists nodes for at least `budget` work. Those beyond `most` lack what is below them. Returns
    /// whether all are listed.
    fn step(&mut self, shape: &Shape, budget: usize, most: usize) -> bool {
        let until = self.work.saturating_add(budget);
        while self.work < until {
            let Some((above, node, figure)) = self.waiting.pop() else { return true };
            let name = node.as_ref().map_or(MANY, |node| node.name);
            let index = self.columns.push(name, above, self.weight.of(&figure), &figure);
            let Some(node) = node else { continue };
            self.work += node.spot.work(shape);
            if self.work <= most {
                self.put(index, shape.below(&node.spot, self.weight));
            } else if node.spot.leads_on(shape) {
                self.columns.partial = true;
            }
        }
        self.waiting.is_empty()
    }

    fn bytes(&self) -> usize {
        let nodes = self.waiting.iter().filter_map(|(_, node, _)| node.as_ref());
        self.waiting.capacity() * size_of::<(u32, Option<Below>, Figure)>()
            + nodes.map(|node| node.spot.bytes()).sum::<usize>()
            + self.columns.name.capacity() * 32
    }

    /// What is not listed yet is left out.
    fn end(mut self) -> FlameColumns {
        self.columns.partial |= !self.waiting.is_empty();
        self.columns
    }
}

impl Shape {
    /// The flame graphs of a view, with nothing below the focus yet. Of a sandwich, the callees are
    /// complete.
    pub(super) fn grow(&self, view: &FlameView) -> Growth {
        match view {
            FlameView::Down { path } => Growth { flame: self.down(path), callers: None },
            FlameView::Up { path } => {
                let root = Figure { own: self.figure(ROOT).total, ..self.figure(ROOT) };
                let functions = self.functions(None, Weight::Own);
                Growth { flame: self.graph(root, MANY, functions, path, Weight::Own), callers: None }
            }
            FlameView::Sandwich { name } => {
                let (callees, _) = self.transformed(&Transform::Focus(vec![*name]));
                let function = self.functions(Some(*name), Weight::Total).into_iter().next();
                let (figure, callers) = function.map_or_else(Default::default, |function| {
                    (function.figure, self.below(&function.spot, Weight::Total))
                });
                let callers = self.graph(figure, *name, callers, &[], Weight::Total);
                let mut flame = callees.down(&[*name]);
                flame.step(&callees, usize::MAX, MOST_WORK);
                Growth { flame, callers: Some(callers) }
            }
        }
    }

    /// The flame graphs of a view, for at most about `most` work.
    pub(super) fn flames(&self, view: &FlameView, most: usize) -> Flames {
        let mut growth = self.grow(view);
        for graph in [Some(&mut growth.flame), growth.callers.as_mut()].into_iter().flatten() {
            graph.step(self, usize::MAX, most);
        }
        growth.flames()
    }

    fn down(&self, path: &[u32]) -> Graph {
        let top = self.below(&Spot::Down(ROOT), Weight::Total);
        self.graph(self.figure(ROOT), MANY, top, path, Weight::Total)
    }

    /// The graph below a root, which is named `name`, and has `top` below it.
    fn graph(&self, root: Figure, name: u32, top: Vec<Below>, path: &[u32], weight: Weight) -> Graph {
        let mut columns = FlameColumns::default();
        let mut focus = columns.push(name, 0, weight.of(&root), &root);
        let (mut width, mut below) = (weight.of(&root), top);
        for name in path {
            // Without such calls in the range, the path to the focus is there all the same.
            let found = below.into_iter().find(|node| node.name == *name);
            let figure = found.as_ref().map_or_else(Figure::default, |node| node.figure);
            width = weight.of(&figure);
            focus = columns.push(*name, focus, width, &figure);
            below = found.map_or_else(Vec::new, |node| self.below(&node.spot, weight));
        }
        columns.focus = focus;
        let finest = width.div_ceil(FINEST).max(1);
        let mut graph = Graph { columns, waiting: Vec::new(), finest, weight, work: 0 };
        graph.put(focus, below);
        graph
    }
}

impl Statistics {
    /// What is known so far about a view of the call paths.
    pub fn flames(&mut self, store: &Store, view: &FlameView, transforms: &[Transform]) -> Flames {
        self.shape(&store.calls, transforms).flames(view, MOST_WORK)
    }
}
