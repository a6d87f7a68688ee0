//! One depth of one track: slices that do not overlap, sorted by time, with levels of detail over them.
//!
//! ```text
//! level 2                    node                       16 nodes of level 1
//! level 1   node      node      node      …             16 slices
//! slices    ssssssss  ssssssss  ssssssss  ssss          in blocks of up to 4096
//! ```

use std::ops::Range;

use super::block::{Block, LARGEST};
use crate::call_tree::NodeId;
use crate::chunked::Chunked;

/// How many children a node has.
pub(crate) const FAN_OUT: usize = 16;
/// Slices in the first block of a column.
const SMALLEST: usize = 32;
/// How long a stretch is.
pub(crate) const STRETCH: usize = 512;

/// A slice began before the recording.
pub const BEGAN_BEFORE: u8 = 1;
/// A slice never ended; it is shown up to the end of the trace.
pub const NEVER_ENDED: u8 = 2;
/// A slice's end is that of its caller, for want of its own.
pub const END_INFERRED: u8 = 4;

/// A slice as it comes out of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Absolute.
    pub start: u64,
    /// Absolute; not before the start.
    pub end: u64,
    /// Call-tree node.
    pub node: NodeId,
    /// [`BEGAN_BEFORE`] and so on.
    pub flags: u8,
    /// Where its record is to be found.
    pub locator: u64,
}

/// A level of detail: what 16 slices, or 16 nodes of the level below, amount to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Sum of the slices' durations.
    pub(crate) covered: u64,
    /// The call-tree node that dominates, by duration.
    pub(crate) dominant: NodeId,
    /// How far it dominates, in 255ths of the covered time (see [`Sum::add`]).
    weight: u8,
    /// All slices are shorter than two to the power of this.
    pub(crate) longest_log2: u8,
    /// The longest pause within, in 256ths of the span and rounded inwards; empty if the second is not above the first.
    pause: (u8, u8),
}

impl Node {
    /// The longest stretch in the middle without any slice, to within a 256th of the span, if there is a notable one.
    pub(crate) fn pause(&self) -> Option<(u64, u64)> {
        // Rounded inwards, so that no slice is taken for a pause.
        let unit = (self.end - self.start) as f64 / 256.0;
        let (from, to) = ((f64::from(self.pause.0) * unit).ceil(), (f64::from(self.pause.1) * unit).floor());
        (from < to).then(|| (self.start + from as u64, self.start + to as u64))
    }
}

/// What 16 slices or nodes amount to so far, exactly.
#[derive(Clone, Copy, Debug)]
struct Sum {
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
    fn of_slice(slice: &Slice) -> Self {
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

    fn of_node(node: &Node) -> Self {
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

    /// Takes in what comes behind. The dominant call-tree node is found by weighted majority voting, which can be merged:
    /// whatever covers more than half of the time wins, whichever way the tree is cut.
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

    fn node(&self) -> Node {
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

/// Slices of a column that lie together in one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    block: u32,
    from: u16,
    to: u16,
}

impl Stretch {
    /// How many slices there are, 1 to [`STRETCH`].
    pub(crate) fn len(self) -> usize {
        self.range().len()
    }

    fn range(self) -> Range<usize> {
        usize::from(self.from)..usize::from(self.to)
    }
}

/// Who walks over a column.
pub(crate) trait Visit {
    /// A node; false to see what is in it instead. `visited` nodes and slices have been looked at before it.
    fn node(&mut self, node: &Node, visited: u64) -> bool;
    /// A slice with its index.
    fn slice(&mut self, index: usize, slice: Slice);
}

struct Covered {
    from: u64,
    to: u64,
    sum: u64,
}

impl Visit for Covered {
    fn node(&mut self, node: &Node, _visited: u64) -> bool {
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

/// One depth of one track.
#[derive(Debug, Default)]
pub(crate) struct Column {
    blocks: Vec<Block>,
    /// Index of the first slice of each block.
    first: Vec<u32>,
    len: usize,
    /// Finished nodes, level by level: `levels[0]` has one for each 16 slices.
    levels: Vec<Chunked<Node>>,
    /// The node that is being filled on each level.
    filling: Vec<Filling>,
}

#[derive(Clone, Copy, Debug)]
struct Filling {
    sum: Sum,
    children: usize,
}

impl Column {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many levels of nodes there are; a level may be empty above a column that is short.
    pub(crate) fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Finished nodes of a level, counted from 1; level 0 are the slices.
    pub(crate) fn count(&self, level: usize) -> usize {
        match level {
            0 => self.len,
            _ => self.levels.get(level - 1).map_or(0, Chunked::len),
        }
    }

    /// Nodes of a level from `from` on that lie together.
    pub(crate) fn nodes(&self, level: usize, from: usize) -> &[Node] {
        self.levels.get(level.wrapping_sub(1)).map_or(&[], |l| l.run(from))
    }

    /// Appends a slice that begins where the last one ends or later.
    pub(crate) fn push(&mut self, slice: &Slice) {
        let room = match self.blocks.last_mut() {
            None => false,
            Some(block) if block.is_full() => {
                block.pack();
                false
            }
            // A block with something in it is worth closing early; a nearly empty one rather becomes wide, or a column
            // with long pauses would be one block a slice.
            Some(block) if block.len() >= SMALLEST && !block.is_wide() && !block.fits(slice) => {
                block.shrink();
                false
            }
            Some(_) => true,
        };
        if !room {
            let grown = self.blocks.last().map_or(SMALLEST, |b| (b.len() * 4).clamp(SMALLEST, LARGEST));
            self.blocks.push(Block::new(slice, grown));
            self.first.push(self.len as u32);
        }
        if let Some(block) = self.blocks.last_mut() {
            block.push(slice);
        }
        self.len += 1;
        self.summarise(Sum::of_slice(slice));
    }

    fn summarise(&mut self, mut sum: Sum) {
        for level in 0.. {
            let Some(filling) = self.filling.get_mut(level) else {
                self.filling.push(Filling { sum, children: 1 });
                self.levels.push(Chunked::default());
                return;
            };
            if filling.children == 0 {
                filling.sum = sum;
            } else {
                filling.sum.add(&sum);
            }
            filling.children += 1;
            if filling.children < FAN_OUT {
                return;
            }
            filling.children = 0;
            let node = filling.sum.node();
            // Not the exact sum: what a level says depends on the level below alone.
            sum = Sum::of_node(&node);
            if let Some(level) = self.levels.get_mut(level) {
                level.push(node);
            }
        }
    }

    /// The slice with this index.
    pub(crate) fn get(&self, i: usize) -> Option<Slice> {
        let block = self.first.partition_point(|f| *f as usize <= i).checked_sub(1)?;
        self.blocks.get(block)?.get(i - *self.first.get(block)? as usize)
    }

    /// Slices from `from` on, up to `to`, until `each` says that it is enough.
    pub(crate) fn scan(&self, from: usize, to: usize, mut each: impl FnMut(usize, Slice) -> bool) -> bool {
        let Some(mut block) = self.first.partition_point(|f| *f as usize <= from).checked_sub(1) else { return true };
        let mut i = from;
        while i < to.min(self.len) {
            let (Some(b), Some(first)) = (self.blocks.get(block), self.first.get(block)) else { break };
            let first = *first as usize;
            while i < to
                && let Some(slice) = b.get(i - first)
            {
                if !each(i, slice) {
                    return false;
                }
                i += 1;
            }
            block += 1;
        }
        true
    }

    /// The slices that overlap with `from..to`, found by halving. One without duration overlaps where it stands.
    pub(crate) fn overlapping(&self, from: u64, to: u64) -> Range<usize> {
        let end = self.partition_point(|s| s.start < to);
        let first = self.partition_point(|s| s.end <= from && s.start < from);
        first.min(end)..end
    }

    /// The last slice that begins at `at` or before.
    pub(crate) fn at(&self, at: u64) -> Option<Slice> {
        self.get(self.partition_point(|s| s.start <= at).checked_sub(1)?)
    }

    /// The stretches, each of one block and no longer than [`STRETCH`], in which these slices lie.
    pub(crate) fn stretches(&self, range: Range<usize>) -> impl Iterator<Item = Stretch> {
        let block = self.first.partition_point(|f| *f as usize <= range.start).saturating_sub(1);
        let blocks = self.first.iter().zip(&self.blocks).enumerate().skip(block);
        let end = range.end;
        blocks.take_while(move |(_, (first, _))| (**first as usize) < end).flat_map(move |(i, (first, block))| {
            let first = *first as usize;
            let (from, to) = (range.start.saturating_sub(first), (end - first).min(block.len()));
            (from..to).step_by(STRETCH).map(move |from| Stretch {
                block: i as u32,
                from: from as u16,
                to: to.min(from + STRETCH) as u16,
            })
        })
    }

    /// Durations and call-tree nodes of a stretch, in order.
    #[inline]
    pub(crate) fn each_in(&self, stretch: Stretch, each: impl FnMut(u64, NodeId)) {
        if let Some(block) = self.blocks.get(stretch.block as usize) {
            block.each(stretch.range(), each);
        }
    }

    /// The slices of a stretch, in order.
    pub(crate) fn slices_in(&self, stretch: Stretch) -> impl Iterator<Item = Slice> {
        let block = self.blocks.get(stretch.block as usize);
        block.into_iter().flat_map(move |block| stretch.range().filter_map(|i| block.get(i)))
    }

    /// The first index for which `before` does not hold; it holds for all before and none behind.
    fn partition_point(&self, before: impl Fn(&Slice) -> bool) -> usize {
        let behind = self.blocks.partition_point(|b| b.get(0).is_some_and(|s| before(&s)));
        let Some(i) = behind.checked_sub(1) else { return 0 };
        let (Some(block), Some(first)) = (self.blocks.get(i), self.first.get(i)) else { return 0 };
        let (mut low, mut high) = (1, block.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if block.get(middle).is_some_and(|s| before(&s)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        *first as usize + low
    }

    /// How much of the time from `from` to `to` is covered by slices. Counts what it looks at in `visited`.
    pub(crate) fn covered(&self, from: u64, to: u64, visited: &mut u64) -> u64 {
        let mut covered = Covered { from, to, sum: 0 };
        self.walk(from, to, visited, &mut covered);
        covered.sum
    }

    /// Walks over what overlaps with `from..to`, in time order, and counts what it looks at in `visited`.
    pub(crate) fn walk(&self, from: u64, to: u64, visited: &mut u64, visit: &mut impl Visit) {
        for level in (0..=self.levels()).rev() {
            // What is not in a finished node of the level above.
            let lo = self.count(level + 1) * FAN_OUT;
            let hi = self.count(level);
            if lo < hi && !self.descend(level, lo..hi, (from, to), visited, visit) {
                return;
            }
        }
    }

    fn descend(
        &self,
        level: usize,
        range: Range<usize>,
        (from, to): (u64, u64),
        visited: &mut u64,
        visit: &mut impl Visit,
    ) -> bool {
        if level == 0 {
            return self.scan(range.start, range.end, |i, s| {
                *visited += 1;
                if s.start >= to {
                    return false;
                }
                // A slice without duration is seen where it stands.
                if s.end > from || s.start >= from {
                    visit.slice(i, s);
                }
                true
            });
        }
        let mut i = range.start;
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
                let misses = n.end < from || (n.end == from && n.start < from);
                let children = i * FAN_OUT..(i + 1) * FAN_OUT;
                if !misses && !visit.node(n, *visited) && !self.descend(level - 1, children, (from, to), visited, visit)
                {
                    return false;
                }
                i += 1;
            }
        }
        true
    }

    /// Bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.iter().map(Block::bytes).sum::<usize>()
            + self.blocks.capacity() * size_of::<Block>()
            + self.first.capacity() * size_of::<u32>()
            + self.levels.iter().map(Chunked::bytes).sum::<usize>()
            + self.levels.capacity() * size_of::<Chunked<Node>>()
            + self.filling.capacity() * size_of::<Filling>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goes down to the slices and notes each.
    #[derive(Default)]
    struct Seen(Vec<usize>);

    impl Visit for Seen {
        fn node(&mut self, _: &Node, _: u64) -> bool {
            false
        }

        fn slice(&mut self, index: usize, _: Slice) {
            self.0.push(index);
        }
    }

    fn slice(start: u64, end: u64) -> Slice {
        Slice { start, end, node: (start % 7) as u32, flags: (start % 8) as u8, locator: start * 3 }
    }

    #[test]
    fn slices_come_back_from_blocks_of_any_width() {
        let mut column = Column::default();
        let mut expected = Vec::new();
        let mut time = 1 << 60;
        for i in 0..20_000u64 {
            let length = match i % 1000 {
                17 => 1 << 40,
                500 => 0,
                _ => i % 13,
            };
            let gap = if i % 777 == 0 { 1 << 33 } else { 1 };
            let mut s = slice(time, time + length);
            if i % 3000 == 5 {
                s.locator = 1;
            }
            time += length + gap;
            column.push(&s);
            expected.push(s);
        }
        for (i, s) in expected.iter().enumerate() {
            assert_eq!(column.get(i), Some(*s), "slice {i}");
        }
        let mut seen = Vec::new();
        column.scan(10, 15_000, |i, s| {
            seen.push((i, s));
            true
        });
        assert!(seen.iter().map(|(i, s)| (*i, *s)).eq((10..15_000).map(|i| (i, expected[i]))));
    }

    #[test]
    fn a_walk_down_to_the_slices_meets_each_that_overlaps_once() {
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
    fn stretches_of_what_overlaps_hold_each_slice_once() {
        let mut column = Column::default();
        for i in 0..20_000 {
            // Some without duration, some too long for a narrow block.
            let length = if i % 7 == 0 { 0 } else { 7 };
            let start = i * 10 + if i > 15_000 { 1 << 33 } else { 0 };
            column.push(&slice(start, start + length));
        }
        for (from, to) in [(0, u64::MAX), (5, 6), (70, 70), (70, 71), (77, 80), (123, 45_678), (49_997, 1 << 34)] {
            let range = column.overlapping(from, to);
            let overlaps = |s: Slice| s.start < to && (s.end > from || s.start >= from);
            let expected: Vec<usize> = (0..20_000).filter(|i| column.get(*i).is_some_and(overlaps)).collect();
            assert_eq!(range.clone().collect::<Vec<_>>(), expected, "{from}..{to}");
            let slices: Vec<_> = column.stretches(range.clone()).flat_map(|s| column.slices_in(s)).collect();
            assert!(slices.iter().copied().eq(range.clone().filter_map(|i| column.get(i))), "{from}..{to}");
            let mut seen = Vec::new();
            column.stretches(range).for_each(|s| column.each_in(s, |duration, node| seen.push((duration, node))));
            assert!(seen.into_iter().eq(slices.iter().map(|s| (s.end - s.start, s.node))), "{from}..{to}");
        }
        assert_eq!(column.at(75).map(|s| s.start), Some(70));
        assert_eq!(Column::default().at(0), None);
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

    #[test]
    fn the_node_that_covers_most_dominates() {
        let mut column = Column::default();
        let mut time = 0;
        for i in 0..256 {
            let (node, length) = if i % 4 == 0 { (9, 100) } else { (i, 10) };
            column.push(&Slice { start: time, end: time + length, node, flags: 0, locator: 0 });
            time += length;
        }
        assert_eq!(column.nodes(2, 0).first().map(|n| n.dominant), Some(9));
        assert!(column.nodes(1, 0).iter().all(|n| n.dominant == 9));
    }

    #[test]
    fn a_node_knows_its_longest_pause() {
        let mut column = Column::default();
        let mut time = 0;
        for i in 0..256 {
            if i == 100 {
                time += 10_000;
            }
            column.push(&slice(time, time + 5));
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
