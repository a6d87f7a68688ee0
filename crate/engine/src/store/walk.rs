//! Walks over a column, from its levels of detail down to slices.

use std::ops::Range;

use super::column::Column;
use super::node::{FAN_OUT, Node};
use super::slice::Slice;

/// A visitor of [`Column::walk`].
pub(crate) trait Visit {
    /// Visits a node whose slices begin at index `first`, after `visited` other nodes and slices.
    /// Returns false to visit its children.
    fn node(&mut self, node: &Node, first: usize, visited: u64) -> bool;
    /// Visits a slice with its index.
    fn slice(&mut self, index: usize, slice: Slice);
    /// Visits a node in place of its slices, which are in a file and not to be waited for.
    fn far(&mut self, _node: &Node) {}
}

struct Covered {
    from: u64,
    to: u64,
    sum: u64,
}

impl Visit for Covered {
    fn node(&mut self, node: &Node, _first: usize, _visited: u64) -> bool {
        let whole = node.start >= self.from && node.end <= self.to;
        if whole {
            self.sum += node.covered;
        }
        whole
    }

    fn slice(&mut self, _index: usize, slice: Slice) {
        self.sum += slice.end.min(self.to).saturating_sub(slice.start.max(self.from));
    }
}

impl Column {
    /// How much of `from..to` is covered by slices. Adds the number of nodes and slices visited to
    /// `visited`.
    pub(crate) fn covered(&self, from: u64, to: u64, visited: &mut u64) -> u64 {
        let mut covered = Covered { from, to, sum: 0 };
        self.walk(from, to, visited, &mut covered);
        covered.sum
    }

    /// Walks over everything that overlaps with `from..to`, in time order. Adds the number of nodes
    /// and slices visited to `visited`.
    pub(crate) fn walk<V: Visit + ?Sized>(&self, from: u64, to: u64, visited: &mut u64, visit: &mut V) {
        for level in (0..=self.levels()).rev() {
            // The children that are not in a finished node of the level above.
            let lo = self.count(level + 1) * FAN_OUT;
            let hi = self.count(level);
            if lo < hi
                && (level > 0 || self.are_near(lo..hi))
                && !self.descend(level, lo..hi, (from, to), visited, visit)
            {
                return;
            }
        }
    }

    /// The same as [`Self::walk`], compiled once for all visitors: for what a click asks, not a
    /// picture.
    pub(crate) fn walk_once(&self, from: u64, to: u64, visit: &mut dyn Visit) {
        self.walk(from, to, &mut 0, visit);
    }

    fn descend<V: Visit + ?Sized>(
        &self,
        level: usize,
        range: Range<usize>,
        (from, to): (u64, u64),
        visited: &mut u64,
        visit: &mut V,
    ) -> bool {
        if level == 0 {
            return self.scan(range.start, range.end, |i, s| {
                *visited += 1;
                if s.start >= to {
                    return false;
                }
                // A slice without duration is visited if it lies in the range.
                if s.end > from || s.start >= from {
                    visit.slice(i, s);
                }
                true
            });
        }
        let mut i = range.start;
        let slices = FAN_OUT.pow(level as u32);
        while i < range.end {
            let run = self.nodes(level, i);
            if run.is_empty() {
                break;
            }
            for n in run.iter().take(range.end - i) {
                *visited += 1;
                if n.start >= to {
                    return false;
                }
                let children = i * FAN_OUT..(i + 1) * FAN_OUT;
                // A node that ends at `from` may have slices without duration there.
                if n.end >= from && !visit.node(n, i * slices, *visited) {
                    if level == 1 && !self.are_near(children.clone()) {
                        visit.far(n);
                    } else if !self.descend(level - 1, children, (from, to), visited, visit) {
                        return false;
                    }
                }
                i += 1;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use unspool_trace::Locator;

    use super::*;

    /// Visits all nodes down to the slices, and notes their indices.
    #[derive(Default)]
    struct Seen(Vec<usize>);

    impl Visit for Seen {
        fn node(&mut self, _: &Node, _: usize, _: u64) -> bool {
            false
        }

        fn slice(&mut self, index: usize, _: Slice) {
            self.0.push(index);
        }
    }

    fn slice(start: u64, end: u64) -> Slice {
        Slice { start, end, node: (start % 7) as u32, flags: (start % 8) as u8, locator: Locator::at(start * 3) }
    }

    #[test]
    fn a_walk_visits_each_overlapping_slice_once() {
        let mut column = Column::default();
        for i in 0..5000 {
            column.push(&slice(i * 10, i * 10 + 7));
        }
        for (from, to) in [(0, 50_000), (5, 6), (8, 9), (123, 4567), (49_000, 60_000), (49_997, u64::MAX)] {
            let mut seen = Seen::default();
            column.walk(from, to, &mut 0, &mut seen);
            let Seen(seen) = seen;
            let expected: Vec<usize> =
                (0..5000).filter(|i| (*i as u64) * 10 < to && (*i as u64) * 10 + 7 > from).collect();
            assert_eq!(seen, expected, "{from}..{to}");
        }
    }

    #[test]
    fn covered_time_is_exact_and_cheap() {
        let mut column = Column::default();
        for i in 0..100_000 {
            column.push(&slice(i * 10, i * 10 + 7));
        }
        let mut visited = 0;
        assert_eq!(column.covered(0, 1_000_000, &mut visited), 700_000);
        assert_eq!(column.covered(3, 999_994, &mut visited), 700_000 - 3 - 3);
        assert_eq!(column.covered(7, 10, &mut visited), 0);
        assert!(visited < 600, "{visited} of 100000 looked at");
    }
}
