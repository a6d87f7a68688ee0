//! The call tree of both sides as rows: the outermost calls, or all functions, and what is below
//! those that are open.

use std::collections::VecDeque;

use hashbrown::HashMap;

use crate::flame::{Below, Both, Spot, Tree, Widths};

/// Most rows of an answer.
const MOST_ROWS: usize = 100_000;
/// Most rows that are added when everything below a row is opened.
const EVERYTHING: usize = 2000;

/// Which rows are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeView {
    /// From functions up to their callers, rather than from outermost calls down to their callees.
    pub inverted: bool,
    /// The open rows: number 0 is above the outermost ones and not listed here, element `i` is
    /// number `i + 1`, and this is the number of the one above.
    pub open_parents: Vec<u32>,
    /// The functions of these rows, by their rows in the comparison.
    pub open_rows: Vec<u32>,
    /// The number below which everything is to be opened, as far as there is room.
    pub everything: Option<u32>,
}

/// Rows in order: each is followed by those below it, the longest first.
#[derive(Debug, Default, PartialEq)]
pub struct TreeRows {
    /// The function, by its row in the comparison.
    pub row: Vec<u32>,
    /// Index of the row above; `u32::MAX` for outermost ones.
    pub parent: Vec<u32>,
    /// 0 if nothing is below a row, 1 if it is closed, 2 if it is open.
    pub state: Vec<u8>,
    /// Figures of both. Recursive calls count once.
    pub both: Vec<Both>,
    /// Rows that were left out, without those below them.
    pub cut: u32,
}

/// The open rows by the number above and the function.
struct Open {
    numbers: HashMap<(u32, u32), u32>,
    next: u32,
}

impl Open {
    fn new(view: &TreeView) -> Self {
        let open = view.open_parents.iter().copied().zip(view.open_rows.iter().copied());
        Self { numbers: open.zip(1..).collect(), next: view.open_rows.len() as u32 + 1 }
    }

    fn add(&mut self, above: u32, row: u32) -> u32 {
        let number = *self.numbers.entry((above, row)).or_insert(self.next);
        self.next = self.next.max(number.saturating_add(1));
        number
    }
}

impl Tree {
    /// The rows of a view. Times of B count `factor` times for what is longest.
    pub fn rows(&self, view: &TreeView, factor: f64) -> TreeRows {
        let of = if view.inverted { Widths::functions_of(self, factor) } else { Widths::paths_of(self, factor) };
        let top = || if view.inverted { of.functions() } else { of.below(&Spot::Down(0)) };
        let mut open = Open::new(view);
        if let Some(number) = view.everything {
            open_everything(&of, view, &mut open, number, top());
        }
        let mut rows = TreeRows::default();
        // What is still to be listed, with the index and the number of the row above; the next one
        // is last.
        let mut waiting: Vec<(u32, u32, Below)> = Vec::new();
        waiting.extend(top().into_iter().rev().map(|below| (u32::MAX, 0, below)));
        while let Some((above, number, Below { row, both, spot, .. })) = waiting.pop() {
            if rows.row.len() == MOST_ROWS {
                rows.cut = waiting.len() as u32 + 1;
                break;
            }
            let index = rows.row.len() as u32;
            let opened = open.numbers.get(&(number, row)).copied();
            let leads_on = spot.as_ref().is_some_and(|spot| of.leads_on(spot));
            rows.row.push(row);
            rows.parent.push(above);
            rows.both.push(both);
            rows.state.push(u8::from(leads_on) + u8::from(leads_on && opened.is_some()));
            if let (Some(number), Some(spot)) = (opened, &spot) {
                waiting.extend(of.below(spot).into_iter().rev().map(|below| (index, number, below)));
            }
        }
        rows
    }
}

/// Opens what is below a number level by level, so that the limit cuts the deepest rows.
fn open_everything(of: &Widths<'_>, view: &TreeView, open: &mut Open, number: u32, top: Vec<Below>) {
    // The way to it, from its end.
    let mut way = Vec::new();
    let mut at = number;
    while let Some(i) = at.checked_sub(1)
        && let (Some(row), Some(above)) = (view.open_rows.get(i as usize), view.open_parents.get(i as usize))
        && *above < at
    {
        way.push(*row);
        at = *above;
    }
    let mut below = top;
    while let Some(row) = way.pop() {
        let Some(spot) = below.into_iter().find(|below| below.row == row).and_then(|below| below.spot) else { return };
        below = of.below(&spot);
    }
    let mut left = EVERYTHING;
    let mut waiting: VecDeque<(u32, Below)> = below.into_iter().map(|below| (number, below)).collect();
    while let Some((above, Below { row, spot, .. })) = waiting.pop_front() {
        let Some(spot) = spot.filter(|spot| of.leads_on(spot)) else { continue };
        let below = of.below(&spot);
        let Some(rest) = left.checked_sub(below.len()) else { return };
        left = rest;
        let number = open.add(above, row);
        waiting.extend(below.into_iter().map(|below| (number, below)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flame::{MANY, Paths};

    /// Paths from rows, callers, and total and self times.
    fn paths(nodes: &[(u32, u32, f64, f64)]) -> Paths {
        let mut paths = Paths::default();
        for (row, parent, total, own) in nodes {
            paths.row.push(*row);
            paths.parent.push(*parent);
            paths.total.push(*total);
            paths.own.push(*own);
            paths.count.push(1.0);
        }
        paths
    }

    /// A: main > (f, g > f). B: main > h.
    fn tree() -> Tree {
        let a = [(0, MANY, 60.0, 10.0), (1, 0, 20.0, 20.0), (2, 0, 30.0, 5.0), (1, 2, 25.0, 25.0)];
        Tree::new([&paths(&a), &paths(&[(0, MANY, 50.0, 10.0), (3, 0, 40.0, 40.0)])])
    }

    /// Row, index above and state of each row.
    fn shown(rows: &TreeRows) -> Vec<(u32, u32, u8)> {
        (0..rows.row.len()).map(|i| (rows.row[i], rows.parent[i], rows.state[i])).collect()
    }

    #[test]
    fn open_rows_are_followed_by_what_is_below_them() {
        let view = TreeView::default();
        assert_eq!(shown(&tree().rows(&view, 1.0)), [(0, u32::MAX, 1)]);
        let view = TreeView { open_parents: vec![0], open_rows: vec![0], ..view };
        let rows = tree().rows(&view, 1.0);
        assert_eq!(shown(&rows), [(0, u32::MAX, 2), (3, 0, 0), (2, 0, 1), (1, 0, 0)]);
        assert_eq!((rows.both[0].total, rows.both[1].total), ([60.0, 50.0], [0.0, 40.0]));
        // What is open below a closed row, or was never there.
        let view = TreeView { open_parents: vec![9, 0], open_rows: vec![2, 7], ..TreeView::default() };
        assert_eq!(shown(&tree().rows(&view, 1.0)), [(0, u32::MAX, 1)]);
    }

    #[test]
    fn everything_below_a_row_is_opened_at_once() {
        let all = TreeView { everything: Some(0), ..TreeView::default() };
        let rows = shown(&tree().rows(&all, 1.0));
        assert_eq!(rows, [(0, u32::MAX, 2), (3, 0, 0), (2, 0, 2), (1, 2, 0), (1, 0, 0)]);
    }

    #[test]
    fn inverted_rows_go_from_functions_to_callers() {
        let view = TreeView { inverted: true, open_parents: vec![0], open_rows: vec![1], everything: None };
        let rows = tree().rows(&view, 1.0);
        let wanted = [(1, u32::MAX, 2), (2, 0, 1), (0, 0, 0), (3, u32::MAX, 1), (0, u32::MAX, 0), (2, u32::MAX, 1)];
        assert_eq!(shown(&rows), wanted);
        assert_eq!((rows.both[0].own, rows.both[1].own), ([45.0, 0.0], [25.0, 0.0]));
    }
}
