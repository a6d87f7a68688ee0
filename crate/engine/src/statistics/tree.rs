//! The call tree as rows: the outermost calls, or all functions, and what is below those that are
//! open.

use std::collections::VecDeque;

use hashbrown::HashMap;

use super::figures::Figure;
use super::shape::Shape;
use super::spots::{Below, Spot, Weight};
use super::stacks::StackOrder;
use crate::call_tree::ROOT;

/// Most rows of an answer.
pub(super) const MOST_ROWS: usize = 100_000;
/// Most rows that are added when everything below a row is opened.
const EVERYTHING: usize = 2000;
/// [`TreeColumns::parent`] of an outermost row.
pub(super) const NO_PARENT: u32 = u32::MAX;

/// What rows are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listing {
    /// The call tree, as far as its rows are open.
    #[default]
    Tree,
    /// The heaviest call paths and their callers: state 1 for these paths, 0 for callers that are
    /// not among them.
    Stacks(StackOrder),
    /// Who calls whom. The parent of a row is the number of the caller's name, or `u32::MAX` for
    /// outermost calls.
    Edges,
    /// All call paths, a caller before its callees.
    Paths,
}

/// Which rows of the call tree are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeView {
    /// What rows are made of. All that follows is about the call tree.
    pub listing: Listing,
    /// From functions up to their callers, rather than from outermost calls down to their callees.
    pub inverted: bool,
    /// The open rows as a tree of names. Row 0 is above the outermost ones and not listed here:
    /// element `i` is row `i + 1`, and this is the number of the row above it.
    pub open_parents: Vec<u32>,
    /// The names of these rows.
    pub open_names: Vec<u32>,
    /// The open row below which everything is to be opened, as far as rows allow.
    pub everything: Option<u32>,
}

/// Rows as columns, in order: each row is followed by those below it, the heaviest first. Times are
/// in ticks, as doubles, exact below 2^53.
#[derive(Debug, Default, PartialEq)]
pub struct TreeColumns {
    /// Number of the name.
    pub name: Vec<u32>,
    /// Index of the row above; `u32::MAX` for an outermost row.
    pub parent: Vec<u32>,
    /// Time within the range. Recursive calls count once.
    pub total: Vec<f64>,
    /// Time within the range that callees do not cover.
    pub own: Vec<f64>,
    /// How many slices there are.
    pub count: Vec<f64>,
    /// 0 if nothing is below the row, 1 if it is closed, 2 if it is open.
    pub state: Vec<u8>,
    /// Rows that were left out, without those below them.
    pub cut: u64,
    /// The time of all outermost calls, the whole that shares are of.
    pub whole: f64,
}

/// The open rows by the row above and the name.
struct Open {
    rows: HashMap<(u32, u32), u32>,
    next: u32,
}

impl Open {
    fn new(view: &TreeView) -> Self {
        let rows = view.open_parents.iter().copied().zip(view.open_names.iter().copied()).zip(1..).collect();
        Self { rows, next: view.open_names.len() as u32 + 1 }
    }

    fn row(&self, above: u32, name: u32) -> Option<u32> {
        self.rows.get(&(above, name)).copied()
    }

    fn add(&mut self, above: u32, name: u32) -> u32 {
        let row = *self.rows.entry((above, name)).or_insert(self.next);
        self.next = self.next.max(row + 1);
        row
    }
}

impl Shape {
    /// The rows of a view.
    pub(super) fn rows(&self, view: &TreeView) -> TreeColumns {
        match view.listing {
            Listing::Tree => {}
            Listing::Stacks(by) => return self.stacks(by),
            Listing::Edges => return self.edges(),
            Listing::Paths => return self.paths(),
        }
        let weight = if view.inverted { Weight::Own } else { Weight::Total };
        let mut open = Open::new(view);
        let mut columns = TreeColumns { whole: self.figure(ROOT).total as f64, ..TreeColumns::default() };
        if let Some(row) = view.everything {
            self.open_everything(view, &mut open, row, weight);
        }
        // What is still to be listed: the index and the number of the row above, and a row; the
        // next one is last.
        let mut waiting: Vec<(u32, u32, Below)> = Vec::new();
        let put = |waiting: &mut Vec<_>, index: u32, row: u32, nodes: Vec<Below>| {
            waiting.extend(nodes.into_iter().rev().map(|node| (index, row, node)));
        };
        put(&mut waiting, NO_PARENT, 0, self.top(view, weight));
        while let Some((above, row, node)) = waiting.pop() {
            if columns.name.len() == MOST_ROWS {
                columns.cut = waiting.len() as u64 + 1;
                break;
            }
            let index = columns.name.len() as u32;
            let opened = open.row(row, node.name);
            let leads_on = node.spot.leads_on(self);
            columns.push(node.name, &node.figure, above, u8::from(leads_on) + u8::from(leads_on && opened.is_some()));
            if let Some(row) = opened {
                put(&mut waiting, index, row, self.below(&node.spot, weight));
            }
        }
        columns
    }

    fn top(&self, view: &TreeView, weight: Weight) -> Vec<Below> {
        if view.inverted { self.functions(None, weight) } else { self.below(&Spot::Down(ROOT), weight) }
    }

    /// Opens what is below a row level by level, so that the limit cuts the deepest rows.
    fn open_everything(&self, view: &TreeView, open: &mut Open, row: u32, weight: Weight) {
        // The way to the row, from its end.
        let mut way = Vec::new();
        let mut at = row;
        while let Some(i) = at.checked_sub(1)
            && let (Some(name), Some(above)) = (view.open_names.get(i as usize), view.open_parents.get(i as usize))
            && *above < at
        {
            way.push(*name);
            at = *above;
        }
        let mut below = self.top(view, weight);
        while let Some(name) = way.pop() {
            let Some(node) = below.into_iter().find(|node| node.name == name) else { return };
            below = self.below(&node.spot, weight);
        }
        let mut left = EVERYTHING;
        let mut waiting: VecDeque<(u32, Below)> = below.into_iter().map(|node| (row, node)).collect();
        while let Some((above, node)) = waiting.pop_front() {
            if !node.spot.leads_on(self) {
                continue;
            }
            let below = self.below(&node.spot, weight);
            let Some(rest) = left.checked_sub(below.len()) else { return };
            left = rest;
            let row = open.add(above, node.name);
            waiting.extend(below.into_iter().map(|node| (row, node)));
        }
    }
}

impl TreeColumns {
    pub(super) fn push(&mut self, name: u32, Figure { total, own, count }: &Figure, parent: u32, state: u8) {
        self.name.push(name);
        self.parent.push(parent);
        self.total.push(*total as f64);
        self.own.push(*own as f64);
        self.count.push(*count as f64);
        self.state.push(state);
    }
}
