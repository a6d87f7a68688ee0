//! The flame graph of the difference: one tree of the call paths of both sides.
//!
//! A node is a path of functions, which are numbered by the rows of the comparison. It is as wide
//! as its total time in A, in B, or in the one where it takes longer, so that what is gone stays
//! visible. Callees may be wider than their caller then, who is as wide as all of them.

use hashbrown::HashMap;

/// Nodes narrower than this fraction of the whole are merged with their narrow siblings: they are
/// less than a pixel wide on any screen.
const FINEST: f64 = 8192.0;
/// Stands for the function of merged nodes and of the root.
pub const MANY: u32 = u32::MAX;
/// Most nodes of a graph.
const MOST_NODES: usize = 1 << 18;

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

    fn width(&self, by: Width, factor: f64) -> f64 {
        let [a, b] = self.total;
        match by {
            Width::A => a,
            Width::B => b * factor,
            Width::Larger => a.max(b * factor),
        }
    }
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
        let mut tree =
            Self { rows: vec![MANY], parents: vec![0], figures: vec![Both::default()], callees: vec![Vec::new()] };
        let mut known: HashMap<(u32, u32), u32> = HashMap::new();
        for (side, paths) in sides.into_iter().enumerate() {
            let mut nodes: Vec<u32> = Vec::with_capacity(paths.row.len());
            for (i, (row, parent)) in paths.row.iter().zip(&paths.parent).enumerate() {
                let above = nodes.get(*parent as usize).copied().unwrap_or(0);
                let next = tree.rows.len() as u32;
                let node = *known.entry((above, *row)).or_insert(next);
                if node == next {
                    tree.rows.push(*row);
                    tree.parents.push(above);
                    tree.figures.push(Both::default());
                    tree.callees.push(Vec::new());
                    if let Some(callees) = tree.callees.get_mut(above as usize) {
                        callees.push(node);
                    }
                }
                nodes.push(node);
                let of = |column: &[f64]| {
                    let mut both = [0.0; 2];
                    if let (Some(both), Some(value)) = (both.get_mut(side), column.get(i)) {
                        *both = *value;
                    }
                    both
                };
                let both = Both { total: of(&paths.total), own: of(&paths.own), count: of(&paths.count) };
                if let Some(figures) = tree.figures.get_mut(node as usize) {
                    figures.add(&both);
                }
                if above == 0
                    && let Some(root) = tree.figures.first_mut()
                {
                    root.add(&Both { own: [0.0; 2], ..both });
                }
            }
        }
        tree
    }

    /// Total time of A divided by that of B: the factor that makes both equally long. 1 if one of
    /// them is empty.
    pub fn factor(&self) -> f64 {
        match self.figures.first() {
            Some(Both { total: [a, b], .. }) if *a > 0.0 && *b > 0.0 => a / b,
            _ => 1.0,
        }
    }

    /// The graph with a node in focus, by the rows of the functions on its path. Times of B count
    /// `factor` times.
    pub fn graph(&self, path: &[u32], by: Width, factor: f64) -> Graph {
        let mut widths: Vec<f64> = self.figures.iter().map(|both| both.width(by, factor)).collect();
        if by == Width::Larger {
            // From the inside out: callees have higher numbers.
            let mut within = vec![0.0; widths.len()];
            for node in (0..widths.len()).rev() {
                let below: f64 = within.get(node).copied().unwrap_or(0.0);
                let Some(width) = widths.get_mut(node) else { continue };
                *width = width.max(below);
                let (width, above) = (*width, self.parents.get(node).copied().unwrap_or(0));
                if node > 0
                    && let Some(within) = within.get_mut(above as usize)
                {
                    *within += width;
                }
            }
        }
        let width = |node: u32| widths.get(node as usize).copied().unwrap_or(0.0);
        let both = |node: u32| self.figures.get(node as usize).copied().unwrap_or_default();
        let mut graph = Graph::default();
        let mut focus = graph.push(MANY, 0, width(0), both(0));
        let mut at = Some(0);
        for row in path {
            let is = |node: &&u32| self.rows.get(**node as usize) == Some(row);
            at = at.and_then(|at| self.callees.get(at as usize)?.iter().find(is).copied());
            focus = graph.push(*row, focus, at.map_or(0.0, width), at.map_or_else(Both::default, both));
        }
        graph.focus = focus;
        let Some(at) = at else { return graph };
        let finest = (width(at) / FINEST).max(f64::MIN_POSITIVE);
        // Nodes with the index of the one above; the next one is last.
        let mut waiting: Vec<(u32, Option<u32>, f64, Both)> = Vec::new();
        let put = |waiting: &mut Vec<_>, above: u32, node: u32| {
            let mut below: Vec<(f64, u32)> =
                self.callees.get(node as usize).into_iter().flatten().map(|callee| (width(*callee), *callee)).collect();
            below.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(&two.1)));
            let wide = below.partition_point(|(width, _)| *width >= finest);
            let (mut narrow, mut sum) = (Both::default(), 0.0);
            for (width, node) in below.get(wide..).unwrap_or_default() {
                narrow.add(&both(*node));
                sum += width;
            }
            if sum >= finest {
                waiting.push((above, None, sum, narrow));
            }
            let shown = below.get(..wide).unwrap_or_default();
            waiting.extend(shown.iter().rev().map(|(width, node)| (above, Some(*node), *width, both(*node))));
        };
        put(&mut waiting, focus, at);
        while let Some((above, node, width, both)) = waiting.pop() {
            let row = node.and_then(|node| self.rows.get(node as usize)).copied().unwrap_or(MANY);
            let index = graph.push(row, above, width, both);
            if graph.row.len() >= MOST_NODES {
                graph.partial = true;
                break;
            }
            if let Some(node) = node {
                put(&mut waiting, index, node);
            }
        }
        graph
    }

    /// All nodes but the root, from number 1 on: the number of the caller, 0 without one, the row
    /// of the function, and figures.
    pub fn nodes(&self) -> impl Iterator<Item = (u32, u32, Both)> {
        let columns = self.parents.iter().zip(&self.rows).zip(&self.figures).skip(1);
        columns.map(|((above, row), both)| (*above, *row, *both))
    }

    /// Stacks in the folded form of `difffolded.pl`: names from the outermost function, then the
    /// self time in A and in B. Stacks without self time are left out.
    pub fn folded(&self, name: impl Fn(u32) -> String) -> String {
        let mut text = String::new();
        let mut stacks: Vec<String> = vec![String::new()];
        for node in 1..self.rows.len() {
            let above = self.parents.get(node).and_then(|above| stacks.get(*above as usize));
            let own_name = name(self.rows.get(node).copied().unwrap_or(MANY)).replace([';', '\n'], ":");
            let stack = match above.map(String::as_str) {
                None | Some("") => own_name,
                Some(above) => format!("{above};{own_name}"),
            };
            let [a, b] = self.figures.get(node).map_or([0.0; 2], |both| both.own);
            if a > 0.0 || b > 0.0 {
                text.push_str(&format!("{stack} {a:.0} {b:.0}\n"));
            }
            stacks.push(stack);
        }
        text
    }
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
        let graph = tree().graph(&[], Width::Larger, 1.0);
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
        assert_eq!(shown(&tree.graph(&[], Width::A, 1.0)), [(MANY, 0, 45.0), (0, 0, 45.0), (2, 1, 30.0), (1, 1, 10.0)]);
        let factor = tree.factor();
        assert!((factor - 45.0 / 55.0).abs() < 1e-12);
        let same = tree.graph(&[], Width::B, factor);
        assert!((same.width[0] - 45.0).abs() < 1e-9 && same.row == [MANY, 0, 2, 3]);
    }

    #[test]
    fn a_focus_has_its_callers_above_and_what_is_below_it() {
        let graph = tree().graph(&[0, 3], Width::Larger, 1.0);
        assert_eq!((graph.focus, shown(&graph)), (2, vec![(MANY, 0, 60.0), (0, 0, 60.0), (3, 1, 20.0)]));
        // A path that neither side has.
        assert_eq!(shown(&tree().graph(&[9], Width::Larger, 1.0)), [(MANY, 0, 60.0), (9, 0, 0.0)]);
    }

    #[test]
    fn narrow_siblings_are_merged() {
        let mut nodes = vec![(0, MANY, 0.0), (1, 0, 1e6)];
        nodes.extend((2..200).map(|row| (row, 0, 1.0)));
        let graph = Tree::new([&paths(&nodes), &Paths::default()]).graph(&[], Width::Larger, 1.0);
        assert_eq!(shown(&graph)[2..], [(1, 1, 1e6), (MANY, 1, 198.0)]);
        assert_eq!(graph.both[3].count, [198.0, 0.0]);
    }

    #[test]
    fn folded_stacks_have_both_self_times() {
        let name = |row: u32| ["main", "f;x", "g", "h"][row as usize].to_string();
        assert_eq!(tree().folded(name), "main 5 5\nmain;f:x 10 0\nmain;g 30 30\nmain;h 0 20\n");
    }
}
