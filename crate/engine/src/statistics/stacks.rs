//! The heaviest stacks, and who calls whom: both as rows of [`TreeColumns`], because they have the
//! same figures.

use hashbrown::HashMap;
use unspool_trace::sort;

use super::figures::Figure;
use super::shape::{NONE, Shape};
use super::tree::{MOST_ROWS, NO_PARENT, TreeColumns};
use crate::call_tree::ROOT;

/// Most stacks of an answer.
pub(super) const MOST_STACKS: usize = 1000;

/// Most paths of an answer: 32 bytes each, and several times that in what is made of them.
const MOST_PATHS: usize = 1 << 20;

/// What decides which stacks are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackOrder {
    /// Time of the innermost function with its callees.
    Total,
    /// Time of the innermost function itself.
    Own,
    /// Calls of the innermost function.
    Count,
}

impl StackOrder {
    fn of(self, figure: &Figure) -> u64 {
        match self {
            Self::Total => figure.total,
            Self::Own => figure.own,
            Self::Count => figure.count,
        }
    }
}

impl Shape {
    /// The heaviest call paths with their callers, each row after that of its caller.
    /// [`TreeColumns::state`] is 1 for those that are listed and 0 for rows that are only callers,
    /// and [`TreeColumns::cut`] counts the paths that are not listed.
    pub(super) fn stacks(&self, by: StackOrder) -> TreeColumns {
        let weight = |node: u32| (!by.of(&self.figure(node)), node);
        let mut order: Vec<(u64, u32)> = (1..self.len() as u32).map(weight).collect();
        sort::pairs(&mut order);
        // The row of each node from 1, once it is known to have one.
        let mut rows = vec![0u32; self.len()];
        let mut listed = vec![false; self.len()];
        let (mut count, mut rows_left) = (0, MOST_ROWS);
        for (_, node) in order.iter().take(MOST_STACKS) {
            let is_new = |rows: &[u32], node: u32| rows.get(node as usize).is_some_and(|row| *row == 0);
            let callers = || std::iter::successors(Some(*node), |at| Some(self.parent_of(*at)));
            let added = callers().take_while(|at| *at != ROOT && is_new(&rows, *at)).count();
            let Some(left) = rows_left.checked_sub(added) else { break };
            rows_left = left;
            for at in callers().take(added) {
                if let Some(row) = rows.get_mut(at as usize) {
                    *row = 1;
                }
            }
            if let Some(listed) = listed.get_mut(*node as usize) {
                *listed = true;
            }
            count += 1;
        }
        let cut = (order.len() - count) as u64;
        let mut columns = TreeColumns { cut, whole: self.figure(ROOT).total as f64, ..TreeColumns::default() };
        for node in 1..self.len() as u32 {
            let above = rows.get(self.parent_of(node) as usize).copied().unwrap_or(0);
            let Some(row) = rows.get_mut(node as usize).filter(|row| **row > 0) else { continue };
            *row = columns.name.len() as u32 + 1;
            let state = u8::from(listed.get(node as usize).is_some_and(|listed| *listed));
            columns.push(self.name_of(node), &self.figure(node), above.wrapping_sub(1), state);
        }
        columns
    }

    /// All call paths, each after that of its caller. If there are too many, those that take least
    /// are left out.
    pub(super) fn paths(&self) -> TreeColumns {
        self.widest_paths(MOST_PATHS)
    }

    fn widest_paths(&self, most: usize) -> TreeColumns {
        let mut totals: Vec<u64> = (1..self.len() as u32).map(|node| self.figure(node).total).collect();
        // The total of the first that has no room. Of several that take as long, the first ones
        // have what room there is: a caller comes before its callees, and takes as long as each.
        let first_out = (most < totals.len()).then(|| {
            let (longer, total, _) = totals.select_nth_unstable_by(most, |a, b| b.cmp(a));
            (*total, longer.iter().filter(|other| *other == total).count())
        });
        drop(totals);
        let (least, mut room) = first_out.unwrap_or((0, usize::MAX));
        let mut columns = TreeColumns { whole: self.figure(ROOT).total as f64, ..TreeColumns::default() };
        // For each path, its number among the listed ones.
        let mut rows = vec![NO_PARENT; self.len()];
        for node in 1..self.len() as u32 {
            let figure = self.figure(node);
            if figure.total <= least && (figure.total < least || room == 0) {
                columns.cut += 1;
                continue;
            }
            room -= usize::from(figure.total == least);
            let parent = rows.get(self.parent_of(node) as usize).copied().unwrap_or(NO_PARENT);
            if let Some(row) = rows.get_mut(node as usize) {
                *row = columns.name.len() as u32;
            }
            columns.push(self.name_of(node), &figure, parent, 0);
        }
        columns
    }

    /// Who calls whom, in the order of first calls: [`TreeColumns::name`] is the callee, and
    /// [`TreeColumns::parent`] the number of the caller's name, or `u32::MAX` for outermost calls.
    pub(super) fn edges(&self) -> TreeColumns {
        let mut columns = TreeColumns { whole: self.figure(ROOT).total as f64, ..TreeColumns::default() };
        let mut known: HashMap<(u32, u32), u32> = HashMap::new();
        // The same paths with edges in place of functions: what holds for a function's figures
        // holds for an edge's.
        let mut edges = Self::default();
        edges.reserve(self.len());
        edges.push(NONE, ROOT, 0, 0);
        let mut ends = Vec::new();
        for node in 1..self.len() as u32 {
            let parent = self.parent_of(node);
            let pair = (self.name_of(parent), self.name_of(node));
            let next = ends.len() as u32;
            let edge = *known.entry(pair).or_insert(next);
            if edge == next {
                ends.push(pair);
            }
            let Figure { own, count, .. } = self.figure(node);
            edges.push(edge, parent, own, count);
        }
        let edges = edges.finish();
        for ((caller, callee), figure) in ends.iter().zip(&edges.by_name().sums) {
            columns.push(*callee, figure, *caller, 0);
        }
        columns
    }
}

// The root has no name, and outermost calls have no caller: both are this number.
const _: () = assert!(NONE == NO_PARENT);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_take_least_are_left_out_if_there_are_too_many() {
        // 1 calls 2 and 3, which calls 4.
        let paths = [(7, 0, 5, 1), (8, 1, 10, 2), (9, 1, 1, 3), (8, 3, 30, 4)];
        let shape = Shape::of_paths(paths.into_iter());
        let all = shape.paths();
        assert_eq!((all.name, all.parent, all.cut), (vec![7, 8, 9, 8], vec![NO_PARENT, 0, 0, 2], 0));
        let some = shape.widest_paths(3);
        assert_eq!((some.name, some.parent, some.cut), (vec![7, 9, 8], vec![NO_PARENT, 0, 1], 1));
        assert_eq!((some.total, some.whole), (vec![46.0, 31.0, 30.0], 46.0));
        // Of those that take equally long, the first ones stay.
        let equal = Shape::of_paths([(1, 0, 5, 1), (2, 0, 5, 1), (3, 0, 9, 1)].into_iter());
        assert_eq!((equal.widest_paths(2).name, equal.widest_paths(0).name), (vec![1, 3], Vec::new()));
        // A chain, of which all take as long.
        let chain = Shape::of_paths([(1, 0, 0, 1), (2, 1, 0, 1), (3, 2, 7, 1)].into_iter());
        let some = chain.widest_paths(2);
        assert_eq!((some.name, some.parent, some.cut), (vec![1, 2], vec![NO_PARENT, 0], 1));
    }
}
