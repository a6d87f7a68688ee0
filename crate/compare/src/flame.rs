//! The flame graph of the difference: one tree of the call paths of both sides.
//!
//! A node is a path of functions, which are numbered by the rows of the comparison. It is as wide
//! as its time in A, in B, or in the one where it takes longer, so that what is gone stays visible.
//! Callees may be wider than their caller then, who is as wide as all of them. Upwards, from
//! functions to their callers, the larger one is chosen for each path, so that callers are together
//! as wide as what they called.

use hashbrown::HashMap;
use unspool_trace::{check_path_bytes, path_sizes};

/// Nodes narrower than this fraction of the whole are merged with their narrow siblings: they are
/// less than a pixel wide on any screen.
const FINEST: f64 = 8192.0;
/// Stands for the function of merged nodes and of the root.
pub const MANY: u32 = u32::MAX;
/// Most nodes of a graph.
const MOST_NODES: usize = 1 << 18;
/// Most nodes that are looked at for a graph: callers of deep recursion would take the square of
/// its depth.
const MOST_WORK: usize = 1 << 22;

/// The call paths of one side as columns, a caller before its callees.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// Row of the function in the comparison.
    pub row: Vec<u32>,
    /// Index of the caller; `u32::MAX` for outermost calls.
    pub parent: Vec<u32>,
    /// Time of the calls, in ticks.
    pub total: Vec<f64>,
    /// Time that callees do not cover.
    pub own: Vec<f64>,
    /// Number of calls.
    pub count: Vec<f64>,
}

/// The factor that makes both equally long, given the self time of all functions of each. 1 if one
/// of them is empty.
pub fn factor_of([a, b]: [u64; 2]) -> f64 {
    if a > 0 && b > 0 { a as f64 / b as f64 } else { 1.0 }
}

/// What the width of a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Its time in A.
    A,
    /// Its time in B.
    B,
    /// The greater of both.
    Larger,
}

/// Figures of a node in A and in B.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Both {
    /// Time of the calls.
    pub total: [f64; 2],
    /// Time that callees do not cover.
    pub own: [f64; 2],
    /// Number of calls.
    pub count: [f64; 2],
}

impl Both {
    fn add(&mut self, other: &Self) {
        for side in 0..2 {
            for (sum, value) in
                [(&mut self.total, other.total), (&mut self.own, other.own), (&mut self.count, other.count)]
            {
                if let (Some(sum), Some(value)) = (sum.get_mut(side), value.get(side)) {
                    *sum += value;
                }
            }
        }
    }
}

/// What is shown of the paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View<'a> {
    /// Callees below their callers, with the rows on the path to the node in focus. Widths are
    /// total times.
    Down(&'a [u32]),
    /// Callers below the functions that they called, with the path to the node in focus. Widths are
    /// self times of the functions.
    Up(&'a [u32]),
    /// The callees of a function, below it: it is the node in focus.
    Callees(u32),
    /// The callers of a function, below it: it is the root. Widths are its total times.
    Callers(u32),
}

/// The call paths of both sides in one tree. Node 0 is the root; callers come before callees.
#[derive(Debug)]
pub struct Tree {
    rows: Vec<u32>,
    parents: Vec<u32>,
    figures: Vec<Both>,
    /// The callees of each node.
    callees: Vec<Vec<u32>>,
}

/// Calls of a function, by the ancestor that the walk upwards from them has reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    at: u32,
    width: f64,
    both: Both,
}

/// Where a graph has come to.
#[derive(Debug)]
pub(crate) enum Spot {
    /// A node; below it are its callees.
    Down(u32),
    /// All calls of a function, by its row; below it are their callers.
    Function(u32),
    /// Some calls of a function; below it are the callers of the nodes that were reached.
    Up(Vec<Entry>),
}

/// A node of a graph that is still to be listed.
#[derive(Debug)]
pub(crate) struct Below {
    pub(crate) row: u32,
    width: f64,
    pub(crate) both: Both,
    /// `None` for merged siblings.
    pub(crate) spot: Option<Spot>,
}

/// A tree with the widths of its nodes, from which a graph is made.
pub(crate) struct Widths<'a> {
    tree: &'a Tree,
    widths: Vec<f64>,
    /// The nodes of each function. Empty if the graph goes down.
    nodes: Vec<Vec<u32>>,
    /// Whether a caller of a node has the same function. Empty if the graph goes down.
    recursive: Vec<bool>,
}

/// Nodes as columns: the path from the root to the focus, then everything below it, each node
/// before those below it, and those by descending width.
#[derive(Debug, Default, PartialEq)]
pub struct Graph {
    /// Index of the node in focus.
    pub focus: u32,
    /// Whether some nodes lack what is below them.
    pub partial: bool,
    /// Row of the function; [`MANY`] for the root and for merged siblings.
    pub row: Vec<u32>,
    /// Index of the node above. The root's is its own.
    pub parent: Vec<u32>,
    /// Width in ticks of A.
    pub width: Vec<f64>,
    /// Figures of both.
    pub both: Vec<Both>,
}

impl Tree {
    /// Merges the paths of both sides.
    pub fn new(sides: [&Paths; 2]) -> Self {
        let mut tree = Self::empty();
        let mut known = HashMap::new();
        for (side, paths) in sides.into_iter().enumerate() {
            let mut nodes: Vec<u32> = Vec::with_capacity(paths.row.len());
            for (i, (row, parent)) in paths.row.iter().zip(&paths.parent).enumerate() {
                let above = nodes.get(*parent as usize).copied().unwrap_or(0);
                let of = |column: &[f64]| {
                    let mut both = [0.0; 2];
                    if let (Some(both), Some(value)) = (both.get_mut(side), column.get(i)) {
                        *both = *value;
                    }
                    both
                };
                let both = Both { total: of(&paths.total), own: of(&paths.own), count: of(&paths.count) };
                nodes.push(tree.add(&mut known, above, *row, &both));
            }
        }
        tree
    }

    fn empty() -> Self {
        Self { rows: vec![MANY], parents: vec![0], figures: vec![Both::default()], callees: vec![Vec::new()] }
    }

    /// Adds figures to the callee of a node with a row, and returns it.
    fn add(&mut self, known: &mut HashMap<(u32, u32), u32>, above: u32, row: u32, both: &Both) -> u32 {
        let next = self.rows.len() as u32;
        let node = *known.entry((above, row)).or_insert(next);
        if node == next {
            self.rows.push(row);
            self.parents.push(above);
            self.figures.push(Both::default());
            self.callees.push(Vec::new());
            if let Some(callees) = self.callees.get_mut(above as usize) {
                callees.push(node);
            }
        }
        if let Some(figures) = self.figures.get_mut(node as usize) {
            figures.add(both);
        }
        if above == 0
            && let Some(root) = self.figures.first_mut()
        {
            root.add(&Both { own: [0.0; 2], ..*both });
        }
        node
    }

    /// The paths from the outermost calls of a function on.
    fn below_function(&self, wanted: u32) -> Self {
        let mut tree = Self::empty();
        let mut known = HashMap::new();
        let mut into = vec![0; self.rows.len()];
        for node in 1..self.rows.len() {
            let (row, above) = (self.row(node as u32), self.parent(node as u32));
            let above = into.get(above as usize).copied().unwrap_or(0);
            if above == 0 && row != wanted {
                continue;
            }
            if let Some(into) = into.get_mut(node) {
                *into = tree.add(&mut known, above, row, &self.both(node as u32));
            }
        }
        tree
    }

    fn row(&self, node: u32) -> u32 {
        self.rows.get(node as usize).copied().unwrap_or(MANY)
    }

    fn parent(&self, node: u32) -> u32 {
        self.parents.get(node as usize).copied().unwrap_or(0)
    }

    fn both(&self, node: u32) -> Both {
        self.figures.get(node as usize).copied().unwrap_or_default()
    }

    fn callees_of(&self, node: u32) -> &[u32] {
        self.callees.get(node as usize).map_or(&[], Vec::as_slice)
    }

    /// For each node, whether a caller of it has the same row.
    fn recursive(&self) -> Vec<bool> {
        let mut recursive = vec![false; self.rows.len()];
        let mut open: HashMap<u32, u32> = HashMap::new();
        // Nodes to enter, and to leave again.
        let mut waiting = vec![(0, false)];
        while let Some((node, is_left)) = waiting.pop() {
            let open = open.entry(self.row(node)).or_insert(0);
            if is_left {
                *open -= 1;
                continue;
            }
            if let Some(recursive) = recursive.get_mut(node as usize) {
                *recursive = *open > 0;
            }
            *open += 1;
            waiting.push((node, true));
            waiting.extend(self.callees_of(node).iter().map(|callee| (*callee, false)));
        }
        recursive
    }

    /// The graph of a view. Times of B count `factor` times.
    pub fn graph(&self, view: View<'_>, by: Width, factor: f64) -> Graph {
        match view {
            View::Callees(row) => self.below_function(row).graph(View::Down(&[row]), by, factor),
            View::Down(path) => {
                let of = Widths::down(self, by, factor);
                of.graph(of.root(MANY), of.below(&Spot::Down(0)), path)
            }
            View::Up(path) => {
                let of = Widths::up(self, |both| width_of(&both.own, by, factor));
                let functions = of.functions();
                let width = functions.iter().map(|function| function.width).sum();
                of.graph(Below { width, ..of.root(MANY) }, functions, path)
            }
            View::Callers(row) => {
                let of = Widths::up(self, |both| width_of(&both.total, by, factor));
                let callers = of.below(&Spot::Function(row));
                of.graph(of.function(row), callers, &[])
            }
        }
    }

    /// All nodes but the root, from number 1 on: the number of the caller, 0 without one, the row
    /// of the function, and figures.
    pub fn nodes(&self) -> impl Iterator<Item = (u32, u32, Both)> {
        let columns = self.parents.iter().zip(&self.rows).zip(&self.figures).skip(1);
        columns.map(|((above, row), both)| (*above, *row, *both))
    }

    /// Writes stacks in the folded form of `difffolded.pl`: names from the outermost function, then
    /// the self time in A and in B. Stacks without self time are left out. `write` takes lines,
    /// about a megabyte at a time.
    ///
    /// # Errors
    ///
    /// Returns a sentence, before anything is written, if all lines together are too large.
    pub fn folded(&self, names: &[&str], mut write: impl FnMut(&[u8])) -> Result<(), String> {
        check_path_bytes(self.folded_bytes(names))?;
        let (mut lines, mut path) = (String::new(), Vec::new());
        for (node, figures) in (0..).zip(&self.figures).skip(1) {
            let [a, b] = figures.own;
            if !has_self_time(figures) {
                continue;
            }
            path.clear();
            let mut next = node;
            while next != 0 {
                path.push(name_of(names, self.row(next)));
                next = self.parent(next);
            }
            for name in path.iter().rev() {
                lines.extend(name.chars().map(|it| if matches!(it, ';' | '\n' | '\r') { ':' } else { it }));
                lines.push(';');
            }
            lines.pop();
            lines.push_str(&format!(" {a:.0} {b:.0}\n"));
            if lines.len() >= AT_ONCE {
                write(lines.as_bytes());
                lines.clear();
            }
        }
        write(lines.as_bytes());
        Ok(())
    }

    /// The most bytes that [`Tree::folded`] writes.
    fn folded_bytes(&self, names: &[&str]) -> u64 {
        let own = |row: u32| name_of(names, row).len() as u64 + 1;
        let sizes = path_sizes(self.parents.iter().zip(&self.rows).map(|(above, row)| (*above, own(*row))));
        let lines = self.figures.iter().zip(sizes).skip(1).filter(|(figures, _)| has_self_time(figures));
        lines.fold(0, |sum: u64, (_, size)| sum.saturating_add(size + OF_TIMES))
    }
}

/// Bytes of folded stacks that are passed on at once.
const AT_ONCE: usize = 1 << 20;

/// Most bytes of two times with the spaces before them and the end of a line.
const OF_TIMES: u64 = 44;

fn has_self_time(figures: &Both) -> bool {
    figures.own.iter().any(|own| *own > 0.0)
}

fn name_of<'n>(names: &[&'n str], row: u32) -> &'n str {
    names.get(row as usize).copied().unwrap_or_default()
}

impl<'a> Widths<'a> {
    /// Of paths by the larger total time.
    pub(crate) fn paths_of(tree: &'a Tree, factor: f64) -> Self {
        let larger = |both: &Both| width_of(&both.total, Width::Larger, factor);
        Self { tree, widths: tree.figures.iter().map(larger).collect(), nodes: Vec::new(), recursive: Vec::new() }
    }

    /// Of functions by the larger self time.
    pub(crate) fn functions_of(tree: &'a Tree, factor: f64) -> Self {
        Self::up(tree, |both| width_of(&both.own, Width::Larger, factor))
    }

    /// Of nodes with their callees.
    fn down(tree: &'a Tree, by: Width, factor: f64) -> Self {
        let mut widths: Vec<f64> = tree.figures.iter().map(|both| width_of(&both.total, by, factor)).collect();
        if by == Width::Larger {
            // From the inside out: callees have higher numbers.
            let mut within = vec![0.0; widths.len()];
            for node in (0..widths.len()).rev() {
                let below: f64 = within.get(node).copied().unwrap_or(0.0);
                let Some(width) = widths.get_mut(node) else { continue };
                *width = width.max(below);
                let (width, above) = (*width, tree.parent(node as u32));
                if node > 0
                    && let Some(within) = within.get_mut(above as usize)
                {
                    *within += width;
                }
            }
        }
        Self { tree, widths, nodes: Vec::new(), recursive: Vec::new() }
    }

    /// Of functions with their callers.
    fn up(tree: &'a Tree, width: impl Fn(&Both) -> f64) -> Self {
        let recursive = tree.recursive();
        let mut nodes: Vec<Vec<u32>> = Vec::new();
        for node in 1..tree.rows.len() as u32 {
            let row = tree.row(node) as usize;
            // A path of a function that is in no row has no place among functions.
            if row == MANY as usize {
                continue;
            }
            if nodes.len() <= row {
                nodes.resize_with(row + 1, Vec::new);
            }
            if let Some(nodes) = nodes.get_mut(row) {
                nodes.push(node);
            }
        }
        let mut of = Self { tree, widths: Vec::new(), nodes, recursive };
        of.widths = (0..tree.rows.len() as u32).map(|node| width(&of.outer(node))).collect();
        of
    }

    fn width(&self, node: u32) -> f64 {
        self.widths.get(node as usize).copied().unwrap_or(0.0)
    }

    /// The figures of a node. The time of a recursive call is part of the outer one's already.
    fn outer(&self, node: u32) -> Both {
        let both = self.tree.both(node);
        let is_inner = self.recursive.get(node as usize).is_some_and(|recursive| *recursive);
        if is_inner { Both { total: [0.0; 2], ..both } } else { both }
    }

    fn root(&self, row: u32) -> Below {
        Below { row, width: self.width(0), both: self.tree.both(0), spot: None }
    }

    fn nodes_of(&self, row: u32) -> &[u32] {
        self.nodes.get(row as usize).map_or(&[], Vec::as_slice)
    }

    /// All calls of a function.
    fn function(&self, row: u32) -> Below {
        let mut sum = Below { row, width: 0.0, both: Both::default(), spot: Some(Spot::Function(row)) };
        for node in self.nodes_of(row) {
            sum.width += self.width(*node);
            sum.both.add(&self.outer(*node));
        }
        sum
    }

    /// All functions, the widest first.
    pub(crate) fn functions(&self) -> Vec<Below> {
        let some = (0..self.nodes.len() as u32).filter(|row| !self.nodes_of(*row).is_empty());
        sorted(some.map(|row| self.function(row)).collect())
    }

    /// What lies below a spot, the widest first.
    pub(crate) fn below(&self, spot: &Spot) -> Vec<Below> {
        let tree = self.tree;
        match spot {
            Spot::Down(node) => {
                let callee = |node: &u32| Below {
                    row: tree.row(*node),
                    width: self.width(*node),
                    both: tree.both(*node),
                    spot: Some(Spot::Down(*node)),
                };
                sorted(tree.callees_of(*node).iter().map(callee).collect())
            }
            Spot::Function(row) => self.grouped(self.nodes_of(*row).iter().map(|node| Entry {
                at: tree.parent(*node),
                width: self.width(*node),
                both: self.outer(*node),
            })),
            Spot::Up(entries) => {
                self.grouped(entries.iter().map(|entry| Entry { at: tree.parent(entry.at), ..*entry }))
            }
        }
    }

    /// Entries by the function that they have reached. Those at one node are added up.
    fn grouped(&self, entries: impl Iterator<Item = Entry>) -> Vec<Below> {
        let mut entries: Vec<Entry> = entries.filter(|entry| entry.at != 0).collect();
        entries.sort_by_key(|entry| (self.tree.row(entry.at), entry.at));
        let mut groups: Vec<Below> = Vec::new();
        for entry in entries {
            let row = self.tree.row(entry.at);
            if groups.last().is_none_or(|group| group.row != row) {
                groups.push(Below { row, width: 0.0, both: Both::default(), spot: Some(Spot::Up(Vec::new())) });
            }
            let Some(Below { width, both, spot: Some(Spot::Up(list)), .. }) = groups.last_mut() else { continue };
            *width += entry.width;
            both.add(&entry.both);
            match list.last_mut().filter(|last| last.at == entry.at) {
                Some(last) => {
                    last.width += entry.width;
                    last.both.add(&entry.both);
                }
                None => list.push(entry),
            }
        }
        sorted(groups)
    }

    /// Whether anything is below a spot.
    pub(crate) fn leads_on(&self, spot: &Spot) -> bool {
        match spot {
            Spot::Down(node) => !self.tree.callees_of(*node).is_empty(),
            Spot::Function(row) => self.nodes_of(*row).iter().any(|node| self.tree.parent(*node) != 0),
            Spot::Up(entries) => entries.iter().any(|entry| self.tree.parent(entry.at) != 0),
        }
    }

    /// How many nodes have to be looked at to go on from a spot.
    fn work(&self, spot: &Spot) -> usize {
        match spot {
            Spot::Down(_) => 1,
            Spot::Function(row) => self.nodes_of(*row).len(),
            Spot::Up(entries) => entries.len(),
        }
    }

    /// The graph below a root, which has `top` below it.
    fn graph(&self, root: Below, top: Vec<Below>, path: &[u32]) -> Graph {
        let mut graph = Graph::default();
        let mut focus = graph.push(root.row, 0, root.width, root.both);
        let (mut width, mut below) = (root.width, top);
        for row in path {
            // A path that neither side has is there all the same.
            let found = below.into_iter().find(|below| below.row == *row);
            width = found.as_ref().map_or(0.0, |found| found.width);
            focus = graph.push(*row, focus, width, found.as_ref().map_or_else(Both::default, |found| found.both));
            below = found.and_then(|found| found.spot).map_or_else(Vec::new, |spot| self.below(&spot));
        }
        graph.focus = focus;
        let finest = (width / FINEST).max(f64::MIN_POSITIVE);
        // Nodes with the index of the one above; the next one is last.
        let mut waiting: Vec<(u32, Below)> = Vec::new();
        put(&mut waiting, focus, below, finest);
        let mut work = 0;
        while let Some((above, Below { row, width, both, spot })) = waiting.pop() {
            let index = graph.push(row, above, width, both);
            let Some(spot) = spot else { continue };
            work += self.work(&spot);
            if graph.row.len() >= MOST_NODES || work > MOST_WORK {
                graph.partial = true;
                break;
            }
            put(&mut waiting, index, self.below(&spot), finest);
        }
        graph
    }
}

fn width_of([a, b]: &[f64; 2], by: Width, factor: f64) -> f64 {
    match by {
        Width::A => *a,
        Width::B => b * factor,
        Width::Larger => a.max(b * factor),
    }
}

/// Has nodes listed below one, those narrower than `finest` as one node.
fn put(waiting: &mut Vec<(u32, Below)>, above: u32, mut below: Vec<Below>, finest: f64) {
    let wide = below.partition_point(|below| below.width >= finest);
    let mut narrow = Below { row: MANY, width: 0.0, both: Both::default(), spot: None };
    for below in below.drain(wide..) {
        narrow.width += below.width;
        narrow.both.add(&below.both);
    }
    if narrow.width >= finest {
        waiting.push((above, narrow));
    }
    waiting.extend(below.into_iter().rev().map(|below| (above, below)));
}

fn sorted(mut below: Vec<Below>) -> Vec<Below> {
    // Equal ones stay in the order of nodes, or of functions.
    below.sort_by(|one, two| two.width.total_cmp(&one.width));
    below
}

impl Graph {
    fn push(&mut self, row: u32, parent: u32, width: f64, both: Both) -> u32 {
        self.row.push(row);
        self.parent.push(parent);
        self.width.push(width);
        self.both.push(both);
        self.row.len() as u32 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paths from rows, callers, and self times.
    fn paths(nodes: &[(u32, u32, f64)]) -> Paths {
        let mut paths = Paths::default();
        for (row, parent, own) in nodes {
            paths.row.push(*row);
            paths.parent.push(*parent);
            paths.own.push(*own);
            paths.total.push(*own);
            paths.count.push(1.0);
        }
        for node in (0..nodes.len()).rev() {
            let total = paths.total[node];
            if let Some(above) = paths.total.get_mut(nodes[node].1 as usize) {
                *above += total;
            }
        }
        paths
    }

    /// Row, index above and width of each node.
    fn shown(graph: &Graph) -> Vec<(u32, u32, f64)> {
        (0..graph.row.len()).map(|i| (graph.row[i], graph.parent[i], graph.width[i])).collect()
    }

    fn tree() -> Tree {
        // A: main > (f 10, g 30). B: main > (g 30, h 20).
        let a = paths(&[(0, MANY, 5.0), (1, 0, 10.0), (2, 0, 30.0)]);
        let b = paths(&[(0, MANY, 5.0), (2, 0, 30.0), (3, 0, 20.0)]);
        Tree::new([&a, &b])
    }

    #[test]
    fn both_are_one_tree_by_path() {
        let graph = tree().graph(View::Down(&[]), Width::Larger, 1.0);
        // What is gone and what is new is wide; their caller is as wide as all of them.
        let wide = [(MANY, 0, 60.0), (0, 0, 60.0), (2, 1, 30.0), (3, 1, 20.0), (1, 1, 10.0)];
        assert_eq!(shown(&graph), wide);
        assert_eq!(graph.both[0].total, [45.0, 55.0]);
        assert_eq!(graph.both[1].own, [5.0, 5.0]);
        assert_eq!(graph.both[3], Both { total: [0.0, 20.0], own: [0.0, 20.0], count: [0.0, 1.0] });
    }

    #[test]
    fn widths_are_those_of_one_side_and_may_be_normalised() {
        let tree = tree();
        assert_eq!(
            shown(&tree.graph(View::Down(&[]), Width::A, 1.0)),
            [(MANY, 0, 45.0), (0, 0, 45.0), (2, 1, 30.0), (1, 1, 10.0)]
        );
        let factor = factor_of([45, 55]);
        assert_eq!(factor_of([45, 0]), 1.0);
        assert!((factor - 45.0 / 55.0).abs() < 1e-12);
        let same = tree.graph(View::Down(&[]), Width::B, factor);
        assert!((same.width[0] - 45.0).abs() < 1e-9 && same.row == [MANY, 0, 2, 3]);
    }

    #[test]
    fn a_focus_has_its_callers_above_and_what_is_below_it() {
        let graph = tree().graph(View::Down(&[0, 3]), Width::Larger, 1.0);
        assert_eq!((graph.focus, shown(&graph)), (2, vec![(MANY, 0, 60.0), (0, 0, 60.0), (3, 1, 20.0)]));
        // A path that neither side has.
        assert_eq!(shown(&tree().graph(View::Down(&[9]), Width::Larger, 1.0)), [(MANY, 0, 60.0), (9, 0, 0.0)]);
    }

    #[test]
    fn narrow_siblings_are_merged() {
        let mut nodes = vec![(0, MANY, 0.0), (1, 0, 1e6)];
        nodes.extend((2..200).map(|row| (row, 0, 1.0)));
        let graph = Tree::new([&paths(&nodes), &Paths::default()]).graph(View::Down(&[]), Width::Larger, 1.0);
        assert_eq!(shown(&graph)[2..], [(1, 1, 1e6), (MANY, 1, 198.0)]);
        assert_eq!(graph.both[3].count, [198.0, 0.0]);
    }

    /// A: main > f > g > g, main > g. B: main > g.
    fn recursive() -> Tree {
        let a = [(0, MANY, 1.0), (1, 0, 2.0), (2, 1, 10.0), (2, 2, 4.0), (2, 0, 6.0)];
        Tree::new([&paths(&a), &paths(&[(0, MANY, 1.0), (2, 0, 16.0)])])
    }

    #[test]
    fn upwards_functions_are_as_wide_as_their_self_times_and_callers_follow() {
        let graph = recursive().graph(View::Up(&[]), Width::Larger, 1.0);
        // Of g, each path is as wide as on the side where it takes longer.
        let g = [(MANY, 0, 33.0), (2, 0, 30.0), (0, 1, 16.0), (1, 1, 10.0), (0, 3, 10.0), (2, 1, 4.0)];
        assert_eq!(shown(&graph)[..6], g);
        assert_eq!(shown(&graph)[6..], [(1, 5, 4.0), (0, 6, 4.0), (1, 0, 2.0), (0, 8, 2.0), (0, 0, 1.0)]);
        assert_eq!(graph.both[1], Both { total: [20.0, 16.0], own: [20.0, 16.0], count: [3.0, 1.0] });
        let zoomed = recursive().graph(View::Up(&[2, 1]), Width::A, 1.0);
        assert_eq!(
            (zoomed.focus, shown(&zoomed)),
            (2, vec![(MANY, 0, 23.0), (2, 0, 20.0), (1, 1, 10.0), (0, 2, 10.0)])
        );
    }

    #[test]
    fn a_sandwich_is_of_callees_and_callers_of_a_function() {
        let callers = recursive().graph(View::Callers(2), Width::A, 1.0);
        // Within itself its time counts once.
        let wide = [(2, 0, 20.0), (1, 0, 14.0), (0, 1, 14.0), (0, 0, 6.0), (2, 0, 0.0)];
        assert_eq!(shown(&callers)[..4], wide[..4]);
        assert_eq!(callers.both[0].count, [3.0, 1.0]);
        let callees = recursive().graph(View::Callees(2), Width::Larger, 1.0);
        assert_eq!((callees.focus, shown(&callees)), (1, vec![(MANY, 0, 20.0), (2, 0, 20.0), (2, 1, 4.0)]));
        assert_eq!(callees.both[1].total, [20.0, 16.0]);
        // A function that no side has.
        assert_eq!(shown(&recursive().graph(View::Callers(9), Width::A, 1.0)), [(9, 0, 0.0)]);
        assert_eq!(shown(&recursive().graph(View::Callees(9), Width::A, 1.0)), [(MANY, 0, 0.0), (9, 0, 0.0)]);
    }

    #[test]
    fn folded_stacks_have_both_self_times() {
        let names = ["main", "f;x", "g", "h"];
        let mut lines = Vec::new();
        assert_eq!(tree().folded(&names, |piece| lines.extend(piece)), Ok(()));
        assert_eq!(String::from_utf8_lossy(&lines), "main 5 5\nmain;f:x 10 0\nmain;g 30 30\nmain;h 0 20\n");
    }

    #[test]
    fn folded_stacks_of_a_deep_recursion_are_refused_before_they_are_written() {
        let depth = 10_000;
        let one = vec![1.0; depth];
        let parent = (0..depth as u32).map(|call| call.wrapping_sub(1)).collect();
        let side = Paths { row: vec![0; depth], parent, total: one.clone(), own: one.clone(), count: one };
        let tree = Tree::new([&side, &Paths::default()]);
        let name = "x".repeat(20);
        let refused = tree.folded(&[&name], |_| panic!("nothing is written"));
        assert!(refused.unwrap_err().starts_with("The call stacks would take 10"));
    }
}
