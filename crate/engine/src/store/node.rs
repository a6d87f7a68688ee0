//! Levels of detail: summaries of the slices of a column.

use super::block::{NODE_MASK, Tail};
use super::slice::Slice;
use crate::call_tree::NodeId;

/// Children of a node.
pub(super) const FAN_OUT: usize = 16;

/// A level of detail: the summary of 16 slices, or of 16 nodes of the level below.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Sum of the slices' durations.
    pub(crate) covered: u64,
    /// The dominant call-tree node, by duration.
    pub(crate) dominant: NodeId,
    /// How far it dominates, in 255ths of the covered time; see [`Sum::add`].
    weight: u8,
    /// All slices are shorter than 2 to the power of this.
    pub(crate) longest_log2: u8,
    /// The longest pause, in 256ths of the span, rounded inwards. Empty if the second is not above
    /// the first.
    pause: (u8, u8),
}

impl Node {
    /// All fields but `dominant`, for a digest.
    pub(super) fn words(&self) -> [u64; 4] {
        let bytes = [self.weight, self.longest_log2, self.pause.0, self.pause.1, 0, 0, 0, 0];
        [self.start, self.end, self.covered, u64::from_le_bytes(bytes)]
    }

    /// The longest pause between slices, to within a 256th of the span. `None` if it is too short
    /// to be represented.
    pub(crate) fn pause(&self) -> Option<(u64, u64)> {
        // Rounded inwards, so that no slice is taken for part of a pause.
        let unit = (self.end - self.start) as f64 / 256.0;
        let (from, to) = ((f64::from(self.pause.0) * unit).ceil(), (f64::from(self.pause.1) * unit).floor());
        (from < to).then(|| (self.start + from as u64, self.start + to as u64))
    }
}

/// The exact summary of the slices or nodes so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    start: u64,
    end: u64,
    covered: u64,
    dominant: NodeId,
    vote: u64,
    longest_log2: u8,
    pause: (u64, u64),
}

impl Sum {
    #[inline]
    pub(super) fn of_slice(slice: &Slice) -> Self {
        let duration = slice.end - slice.start;
        Self {
            start: slice.start,
            end: slice.end,
            covered: duration,
            dominant: slice.node,
            vote: duration,
            longest_log2: (u64::BITS - duration.leading_zeros()) as u8,
            pause: (slice.end, slice.end),
        }
    }

    /// The sum of consecutive slices: what [`Sum::of_slice`] and [`Sum::add`] compute one by one.
    /// Loops over whole columns without branches take a third of the time.
    #[inline]
    #[allow(clippy::indexing_slicing, reason = "arrays of `FAN_OUT`, and indices below it")]
    pub(super) fn of_tail(tail: &Tail<'_, FAN_OUT>) -> Self {
        let (mut any, mut covered) = (0, 0);
        for duration in tail.durations {
            any |= duration;
            covered += u64::from(*duration);
        }
        let (mut dominant, mut vote) = (tail.nodes[0] & NODE_MASK, 0);
        for (node, duration) in tail.nodes.iter().zip(tail.durations) {
            let (node, duration) = (node & NODE_MASK, u64::from(*duration));
            let same = node == dominant;
            dominant = if !same && duration > vote { node } else { dominant };
            vote = if same { vote + duration } else { vote.abs_diff(duration) };
        }
        let ends = |i: usize| u64::from(tail.starts[i]) + u64::from(tail.durations[i]);
        let mut end = ends(0);
        let (mut from, mut longest) = (end, 0);
        for i in 1..FAN_OUT {
            let pause = u64::from(tail.starts[i]).saturating_sub(end);
            (from, longest) = if pause > longest { (end, pause) } else { (from, longest) };
            end = end.max(ends(i));
        }
        let at = |time: u64| tail.base.wrapping_add(time);
        Self {
            start: at(tail.starts[0].into()),
            end: at(end),
            covered,
            dominant,
            vote,
            longest_log2: (u32::BITS - any.leading_zeros()) as u8,
            pause: (at(from), at(from + longest)),
        }
    }

    pub(super) fn of_node(node: &Node) -> Self {
        Self {
            start: node.start,
            end: node.end,
            covered: node.covered,
            dominant: node.dominant,
            vote: (node.covered as f64 * f64::from(node.weight) / 255.0) as u64,
            longest_log2: node.longest_log2,
            pause: node.pause().unwrap_or((node.end, node.end)),
        }
    }

    /// Adds what comes next. The dominant call-tree node is found by weighted majority voting,
    /// which can be merged: a node that covers more than half of the time wins, however the slices
    /// are grouped.
    #[inline]
    fn add(&mut self, other: &Self) {
        if self.dominant == other.dominant {
            self.vote = self.vote.saturating_add(other.vote);
        } else if other.vote > self.vote {
            (self.dominant, self.vote) = (other.dominant, other.vote - self.vote);
        } else {
            self.vote -= other.vote;
        }
        let length = |(from, to): (u64, u64)| to - from;
        let between = (self.end, other.start.max(self.end));
        if length(between) > length(self.pause) {
            self.pause = between;
        }
        if length(other.pause) > length(self.pause) {
            self.pause = other.pause;
        }
        self.end = self.end.max(other.end);
        self.covered = self.covered.saturating_add(other.covered);
        self.longest_log2 = self.longest_log2.max(other.longest_log2);
    }

    pub(super) fn node(&self) -> Node {
        let unit = 256.0 / ((self.end - self.start) as f64).max(1.0);
        let part = |t: u64| (t - self.start) as f64 * unit;
        Node {
            start: self.start,
            end: self.end,
            covered: self.covered,
            dominant: self.dominant,
            weight: if self.covered == 0 { 255 } else { (self.vote as f64 / self.covered as f64 * 255.0) as u8 },
            longest_log2: self.longest_log2,
            pause: (part(self.pause.0).ceil() as u8, part(self.pause.1).floor() as u8),
        }
    }
}

#[inline]
pub(super) fn take_in(sum: &mut Option<Sum>, next: Sum) {
    match sum {
        Some(sum) => sum.add(&next),
        None => *sum = Some(next),
    }
}

#[cfg(test)]
mod tests {
    use unspool_trace::Locator;

    use super::super::column::Column;
    use super::*;

    #[test]
    fn the_node_with_the_most_time_dominates() {
        let mut column = Column::default();
        let mut time = 0;
        for i in 0..256 {
            let (node, length) = if i % 4 == 0 { (9, 100) } else { (i, 10) };
            column.push(&Slice { start: time, end: time + length, node, flags: 0, locator: Locator::default() });
            time += length;
        }
        assert_eq!(column.nodes(2, 0).first().map(|n| n.dominant), Some(9));
        assert!(column.nodes(1, 0).iter().all(|n| n.dominant == 9));
    }

    #[test]
    fn a_node_keeps_its_longest_pause() {
        let mut column = Column::default();
        let mut time = 0;
        for i in 0..256 {
            if i == 100 {
                time += 10_000;
            }
            column.push(&Slice { start: time, end: time + 5, node: 0, flags: 0, locator: Locator::default() });
            time += 7;
        }
        let node = column.nodes(2, 0).first().copied().unwrap();
        let (from, to) = node.pause().unwrap();
        let (exact_from, exact_to) = (99 * 7 + 5, 100 * 7 + 10_000);
        let unit = (node.end - node.start) / 256 + 1;
        assert!(from >= exact_from && from <= exact_from + 2 * unit, "{from}, exactly {exact_from}");
        assert!(to <= exact_to && to + 2 * unit >= exact_to, "{to}, exactly {exact_to}");
    }

    #[test]
    fn the_node_stays_small() {
        assert_eq!(size_of::<Node>(), 32);
    }
}
