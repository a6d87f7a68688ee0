//! One depth of one track: slices that do not overlap, sorted by time, with levels of detail over
//! them.
//!
//! ```text
//! level 2                    node                       16 nodes of level 1
//! level 1   node      node      node      …             16 slices
//! slices    ssssssss  ssssssss  ssssssss  ssss          in blocks of up to 4096
//! ```

use std::ops::Range;
use std::rc::Rc;

use super::block::{Block, Columns, LARGEST, NODE_MASK, SMALLEST, Tail};
use super::shelf::{Levels, Shelf};
use super::slice::Slice;
use crate::call_tree::NodeId;
use crate::chunked::{Chunked, reserve};

/// Children of a node.
pub(crate) const FAN_OUT: usize = 16;
/// A column of at most this many slices is copied into one block when it is closed.
const SHORT: usize = 1024;
/// Most slices of a [`Stretch`].
pub(crate) const STRETCH: usize = 512;

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

    /// The sum of consecutive slices: what [`Sum::of_slice`] and [`Sum::add`] compute one by one.
    /// Loops over whole columns without branches take a third of the time.
    #[inline]
    #[allow(clippy::indexing_slicing, reason = "arrays of `FAN_OUT`, and indices below it")]
    fn of_tail(tail: &Tail<'_, FAN_OUT>) -> Self {
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

/// Some consecutive slices of a column, all in one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    block: u32,
    from: u16,
    to: u16,
}

impl Stretch {
    /// How many slices there are: 1 to [`STRETCH`].
    pub(crate) fn len(self) -> usize {
        self.range().len()
    }

    /// Number of the block.
    pub(crate) fn block(self) -> u32 {
        self.block
    }

    fn range(self) -> Range<usize> {
        usize::from(self.from)..usize::from(self.to)
    }
}

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

/// One depth of one track. There may be tens of thousands of columns with few slices each, so a
/// column stores nothing that follows from its slices.
#[derive(Debug, Default)]
pub(crate) struct Column {
    blocks: Vec<Block>,
    len: usize,
    /// Nodes by level: `levels[0]` has one for each 16 slices.
    levels: Vec<Chunked<Node>>,
    /// How many blocks [`Column::shelve`] knows to be closed.
    known_closed: u32,
}

impl Column {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many levels of nodes there are, without the slices.
    pub(crate) fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Finished nodes of a level, counted from 1. Level 0 is the slices.
    pub(crate) fn count(&self, level: usize) -> usize {
        match level {
            0 => self.len,
            _ => self.levels.get(level - 1).map_or(0, Chunked::len),
        }
    }

    /// The nodes of a level from `from` on that are in one chunk.
    pub(crate) fn nodes(&self, level: usize, from: usize) -> &[Node] {
        self.levels.get(level.wrapping_sub(1)).map_or(&[], |l| l.run(from))
    }

    /// Appends a slice. It must not begin before the last one ends.
    #[inline]
    pub(crate) fn push(&mut self, slice: &Slice) {
        if !self.blocks.last_mut().is_some_and(|block| block.push(slice)) {
            self.push_in_new_block(slice);
        }
        self.len += 1;
        if self.len.is_multiple_of(FAN_OUT) {
            self.summarise();
        }
    }

    /// Appends slices. The first must not begin before the last one of the column ends.
    pub(crate) fn extend(&mut self, slices: &Columns<'_>) {
        let mut at = 0;
        while at < slices.len() {
            // Up to the next node: its slices are then the last of the block.
            let to = slices.len().min(at + FAN_OUT - self.len % FAN_OUT);
            let fitted = slices.get(at..to).zip(self.blocks.last_mut()).is_some_and(|(some, last)| last.extend(&some));
            if fitted {
                self.len += to - at;
                at = to;
                if self.len.is_multiple_of(FAN_OUT) {
                    self.summarise();
                }
            } else {
                // In a new block, or in a wide one.
                let Some(slice) = slices.slice(at) else { return };
                self.push(&slice);
                at += 1;
            }
        }
    }

    /// Adds flags to all slices so far that begin at a position or after it. `flagged` are some
    /// that have them already, from one call to the next. Returns whether there are any.
    #[cold]
    pub(crate) fn flag_from(&mut self, from: u64, flags: u8, flagged: &mut Range<usize>) -> bool {
        let first = self.first_from(from);
        // Calls end from the inside out, so what is flagged now mostly contains what was flagged
        // before.
        let known = if first <= flagged.start { flagged.clone() } else { first..first.max(flagged.end) };
        for range in [first..known.start, known.end..self.len] {
            let blocks = self.block_of(range.start).saturating_sub(1);
            for block in self.blocks.iter_mut().skip(blocks).take_while(|block| block.first() < range.end) {
                let at = block.first();
                block.flag(range.start.saturating_sub(at)..(range.end - at).min(block.len()), flags);
            }
        }
        if first < self.len {
            *flagged = if flagged.contains(&first) { flagged.start } else { first }..self.len;
        }
        first < self.len
    }

    /// Appends a slice in a new block.
    #[cold]
    fn push_in_new_block(&mut self, slice: &Slice) {
        // Half of the current length, so that at most a third of the memory is unused. After a
        // block that was closed early, little more than what that one used.
        let mut capacity = SMALLEST;
        if let Some(last) = self.blocks.last_mut() {
            last.close();
            capacity = (self.len / 2).min(last.len() * 2).clamp(SMALLEST, LARGEST);
        }
        reserve(&mut self.blocks);
        self.blocks.push(Block::new(slice, self.len as u32, capacity));
    }

    /// Appends the nodes that the last slice completed.
    fn summarise(&mut self) {
        let mut sum = self.blocks.last().and_then(Block::tail).map(|tail| Sum::of_tail(&tail));
        if sum.is_none() {
            // The slices are wide, or in two blocks.
            self.scan(self.len - FAN_OUT, self.len, |_, slice| {
                take_in(&mut sum, Sum::of_slice(&slice));
                true
            });
        }
        for level in 0.. {
            let Some(node) = sum.take().map(|sum: Sum| sum.node()) else { return };
            if self.levels.len() == level {
                self.levels.reserve_exact(1);
                self.levels.push(Chunked::default());
            }
            let Some(nodes) = self.levels.get_mut(level) else { return };
            nodes.push(node);
            if !nodes.len().is_multiple_of(FAN_OUT) {
                return;
            }
            // Sums up nodes as they are stored, so that a level depends only on the level below.
            let children = (nodes.len() - FAN_OUT..nodes.len()).filter_map(|i| nodes.get(i));
            children.for_each(|node| take_in(&mut sum, Sum::of_node(node)));
        }
    }

    /// Frees unused capacity; nothing can be appended afterwards. A short column is copied into
    /// fewer blocks.
    pub(crate) fn close(&mut self) {
        if let Some(last) = self.blocks.last_mut() {
            last.close();
        }
        if self.blocks.len() > 1 && self.len <= SHORT {
            self.merge();
        }
        self.blocks.shrink_to_fit();
        self.levels.iter_mut().for_each(Chunked::close);
    }

    /// Copies the slices of narrow blocks into as few blocks as possible.
    fn merge(&mut self) {
        let mut merged: Vec<Block> = Vec::with_capacity(1);
        let mut i = 0;
        for block in std::mem::take(&mut self.blocks) {
            let len = block.len();
            if block.is_wide() {
                merged.push(block);
            } else {
                for (at, slice) in (i..).zip((0..len).filter_map(|i| block.get(i))) {
                    if !merged.last_mut().is_some_and(|last| last.push_narrow(&slice)) {
                        merged.push(Block::new(&slice, at as u32, self.len - at));
                    }
                }
            }
            i += len;
        }
        merged.iter_mut().for_each(Block::close);
        self.blocks = merged;
    }

    /// The slice at index `i`.
    pub(crate) fn get(&self, i: usize) -> Option<Slice> {
        let block = self.blocks.get(self.block_of(i).checked_sub(1)?)?;
        block.get(i - block.first())
    }

    /// As [`Column::get`], for callers that go through the slices in order. `block` is where the
    /// latest one was.
    #[inline]
    pub(crate) fn get_near(&self, i: usize, block: &std::cell::Cell<usize>) -> Option<Slice> {
        let here = |at: usize| self.blocks.get(at).and_then(|block| block.get(i.wrapping_sub(block.first())));
        here(block.get()).or_else(|| {
            block.set(self.block_of(i).checked_sub(1)?);
            here(block.get())
        })
    }

    /// Moves blocks to a file that were closed since the last call. Levels of detail that are not
    /// kept go, but for what their next nodes need.
    pub(crate) fn shelve(&mut self, shelf: &Rc<Shelf>, levels: Levels) {
        let known = self.known_closed as usize;
        self.leave();
        self.blocks.iter_mut().take(self.known_closed as usize).skip(known).for_each(|block| block.shelve(shelf));
        if levels == Levels::Dropped {
            self.levels.iter_mut().for_each(|nodes| nodes.forget(nodes.len().saturating_sub(FAN_OUT)));
        }
    }

    /// Has the blocks that are closed by now stay in memory.
    pub(crate) fn leave(&mut self) {
        self.known_closed = self.blocks.len().saturating_sub(1) as u32;
    }

    /// How many blocks are in a file.
    #[cfg(test)]
    pub(crate) fn shelved(&self) -> usize {
        self.blocks.iter().filter(|block| matches!(block, Block::Closed(super::block::Closed::Shelved(_)))).count()
    }

    /// Drops the levels of detail.
    pub(crate) fn drop_levels(&mut self) {
        self.levels = Vec::new();
    }

    /// Whether these slices can be had without waiting for a file.
    pub(crate) fn are_near(&self, slices: Range<usize>) -> bool {
        // Mostly there is no file.
        if self.known_closed == 0 {
            return true;
        }
        let blocks = self.blocks.iter().skip(self.block_of(slices.start).saturating_sub(1));
        blocks.take_while(|block| block.first() < slices.end).all(Block::is_near)
    }

    /// Number of the block that contains slice `i`, counted from 1.
    fn block_of(&self, i: usize) -> usize {
        self.blocks.partition_point(|block| block.first() <= i)
    }

    /// Calls `each` with the slices from `from` up to `to`, until it returns false.
    pub(crate) fn scan(&self, from: usize, to: usize, mut each: impl FnMut(usize, Slice) -> bool) -> bool {
        let blocks = self.blocks.get(self.block_of(from).saturating_sub(1)..).unwrap_or_default();
        let mut i = from;
        for block in blocks {
            // Less only if slices of the block before cannot be had.
            i = i.max(block.first());
            while i < to
                && let Some(slice) = block.get(i - block.first())
            {
                if !each(i, slice) {
                    return false;
                }
                i += 1;
            }
            if i >= to {
                break;
            }
        }
        true
    }

    /// The indices of the slices that overlap with `from..to`, by binary search. A slice without
    /// duration overlaps if it lies in the range.
    #[inline(never)]
    pub(crate) fn overlapping(&self, from: u64, to: u64) -> Range<usize> {
        let end = self.partition_point(|s| s.start < to);
        let first = self.partition_point(|s| s.end <= from && s.start < from);
        first.min(end)..end
    }

    /// The index of the first slice that begins at a position or after it.
    #[inline(never)]
    pub(crate) fn first_from(&self, from: u64) -> usize {
        self.partition_point(|s| s.start < from)
    }

    /// Splits these slices into stretches.
    pub(crate) fn stretches(&self, range: Range<usize>) -> impl Iterator<Item = Stretch> {
        let blocks = self.blocks.iter().enumerate().skip(self.block_of(range.start).saturating_sub(1));
        let end = range.end;
        blocks.take_while(move |(_, block)| block.first() < end).flat_map(move |(i, block)| {
            let first = block.first();
            let (from, to) = (range.start.saturating_sub(first), (end - first).min(block.len()));
            (from..to).step_by(STRETCH).map(move |from| Stretch {
                block: i as u32,
                from: from as u16,
                to: to.min(from + STRETCH) as u16,
            })
        })
    }

    /// The first of [`Column::stretches`].
    #[inline(never)]
    pub(crate) fn first_stretch(&self, range: Range<usize>) -> Option<Stretch> {
        self.stretches(range).next()
    }

    /// Durations and call-tree nodes of a stretch, in order.
    #[inline]
    pub(crate) fn each_in(&self, stretch: Stretch, each: impl FnMut(u64, NodeId)) {
        if let Some(block) = self.blocks.get(stretch.block as usize) {
            block.each(stretch.range(), each);
        }
    }

    /// The first index for which `before` is false. Requires that it is true for all slices before
    /// that one and false for all from there on.
    fn partition_point(&self, before: impl Fn(&Slice) -> bool) -> usize {
        let after = self.blocks.partition_point(|b| b.get(0).is_some_and(|s| before(&s)));
        let Some(block) = after.checked_sub(1).and_then(|i| self.blocks.get(i)) else { return 0 };
        let (mut low, mut high) = (1, block.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if block.get(middle).is_some_and(|s| before(&s)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        block.first() + low
    }

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

    /// Allocated memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.iter().map(Block::bytes).sum::<usize>()
            + self.blocks.capacity() * size_of::<Block>()
            + self.levels.iter().map(Chunked::bytes).sum::<usize>()
            + self.levels.capacity() * size_of::<Chunked<Node>>()
    }
}

#[inline]
fn take_in(sum: &mut Option<Sum>, next: Sum) {
    match sum {
        Some(sum) => sum.add(&next),
        None => *sum = Some(next),
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

    /// Blocks of all forms, flagged from anywhere in any order.
    #[test]
    fn slices_are_flagged_from_a_position_on() {
        let (mut column, mut expected, mut flagged) = (Column::default(), Vec::new(), 0..0);
        let mut time = 1 << 40;
        for round in 0..400_u64 {
            for i in 0..round * 7 % 300 {
                // Long stretches of slices that are packed, and pauses that need wide blocks.
                let pause = if round % 37 == 5 && i == 0 { 1 << 33 } else { u64::from(round % 90 > 80) };
                let start = time + pause;
                time = start + (round + i) % 5;
                let locator = if round % 90 > 80 { start * 3 } else { time };
                let slice = Slice { start, end: time, node: (i % 9) as u32, flags: 0, locator: Locator::at(locator) };
                column.push(&slice);
                expected.push(slice);
            }
            if round % 3 == 1 {
                let back = (round * 2_654_435_761) % (time - (1 << 40)).min(4000);
                column.flag_from(time - back, 8, &mut flagged);
                expected.iter_mut().filter(|slice| slice.start >= time - back).for_each(|slice| slice.flags |= 8);
            }
        }
        column.close();
        let flagged = expected.iter().filter(|slice| slice.flags == 8).count();
        assert!(flagged > 3000 && expected.len() - flagged > 3000, "{flagged} of {}", expected.len());
        assert!((0..=expected.len()).all(|i| column.get(i) == expected.get(i).copied()));
    }

    #[test]
    fn slices_together_make_the_column_that_they_make_one_by_one() {
        let (mut one_by_one, mut together) = (Column::default(), Column::default());
        let mut time = 1 << 40;
        for round in 0..3000u64 {
            let mut all = Vec::new();
            for i in 0..round % 71 {
                // Back-to-back and not, too long for 32 bits, and a locator before all others.
                let gap = [0, 0, 3, if round % 500 == 9 { 1 << 33 } else { 0 }][i as usize % 4];
                let length = if round % 700 == 11 { 1 << 34 } else { (round * 31 + i) % 40 };
                let locator = if round % 900 == 13 { 5 } else { time + gap + length };
                let (start, end) = (time + gap, time + gap + length);
                all.push(Slice { start, end, node: (i % 9) as u32, flags: 0, locator: Locator::at(locator) });
                time = end;
            }
            all.iter().for_each(|slice| one_by_one.push(slice));
            let starts: Vec<u64> = all.iter().map(|s| s.start).collect();
            let ends: Vec<u64> = all.iter().map(|s| s.end).collect();
            let nodes: Vec<u32> = all.iter().map(|s| s.node).collect();
            let locators: Vec<Locator> = all.iter().map(|s| s.locator).collect();
            together.extend(&Columns { starts: &starts, ends: &ends, nodes: &nodes, locators: &locators });
        }
        assert_eq!(together.len(), one_by_one.len());
        assert!((0..together.len()).all(|i| together.get(i) == one_by_one.get(i)));
        assert_eq!(together.levels(), one_by_one.levels());
        for level in 1..=together.levels() {
            let nodes = |column: &Column| -> Vec<_> {
                let mut all = Vec::new();
                while let run @ [_, ..] = column.nodes(level, all.len()) {
                    all.extend(run.iter().map(|node| (node.words(), node.dominant)));
                }
                all
            };
            assert_eq!(nodes(&together), nodes(&one_by_one), "level {level}");
        }
    }

    #[test]
    fn slices_round_trip_through_blocks_of_any_width() {
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
                s.locator = Locator::at(1);
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

    /// Everything that can be read from a column.
    fn everything(column: &Column) -> Vec<String> {
        let slices = (0..=column.len()).map(|i| format!("{:?}", column.get(i)));
        let nodes = (1..=column.levels()).flat_map(|level| {
            (0..column.count(level)).map(move |i| format!("{level} {:?}", column.nodes(level, i).first()))
        });
        slices.chain(nodes).collect()
    }

    #[test]
    fn closing_a_column_changes_only_its_size() {
        // Short and long pauses, slices that fit into 32 bits and others, and back-to-back slices.
        let kinds: [fn(u64) -> (u64, u64); 5] = [
            |i| (i % 5, i % 13),
            |i| (1 << 33, i % 13),
            |i| (if i % 23 == 0 { 1 << 33 } else { 1 }, 9),
            |i| (1, if i % 40 == 3 { 1 << 34 } else { 9 }),
            |_| (0, 9),
        ];
        for (kind, next) in kinds.into_iter().enumerate() {
            for len in [0, 1, 15, 16, 17, 40, 100, 257, 1000, 1024, 1025, 9000] {
                let (mut column, mut time) = (Column::default(), 1 << 40);
                for i in 0..len {
                    let (pause, length) = next(i);
                    let start = time + pause;
                    time = start + length;
                    // Packed: there are no pauses.
                    column.push(&Slice { start, end: time, node: 7, flags: 0, locator: Locator::at(time) });
                }
                let (before, filled) = (everything(&column), column.bytes());
                column.close();
                assert_eq!(everything(&column), before, "{len} of kind {kind}");
                assert!(column.bytes() <= filled, "{len} of kind {kind}: {} of {filled} bytes", column.bytes());
                let stretches = column.stretches(0..column.len()).map(Stretch::len).sum::<usize>();
                assert_eq!((stretches, column.len()), (len as usize, len as usize), "{len} of kind {kind}");
            }
        }
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
    fn stretches_hold_each_overlapping_slice_once() {
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
            let slices = range.clone().filter_map(|i| column.get(i));
            let mut seen = Vec::new();
            column.stretches(range).for_each(|s| column.each_in(s, |duration, node| seen.push((duration, node))));
            assert!(seen.into_iter().eq(slices.map(|s| (s.end - s.start, s.node))), "{from}..{to}");
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
