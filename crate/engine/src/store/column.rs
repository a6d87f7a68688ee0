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

use super::block::{Block, Columns, LARGEST, SMALLEST};
use super::node::{FAN_OUT, Node, Sum, take_in};
use super::shelf::{Levels, Shelf};
use super::slice::Slice;
use crate::call_tree::NodeId;
use crate::chunked::{Chunked, reserve};

/// A column of at most this many slices is copied into one block when it is closed.
const SHORT: usize = 1024;
/// Most slices of a [`Stretch`].
pub(crate) const STRETCH: usize = 512;

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

/// One depth of one track. There may be tens of thousands of columns with few slices each, so a
/// column stores nothing that follows from its slices.
#[derive(Debug, Default)]
pub(crate) struct Column {
    blocks: Vec<Block>,
    len: usize,
    /// Nodes by level: `levels[0]` has one for each 16 slices.
    levels: Vec<Chunked<Node>>,
    /// How many of the first blocks are in a file, or never will be.
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

    /// Moves closed blocks to a file until `most` slices have been moved, and takes these off it.
    /// Levels of detail that are not kept go, but for what their next nodes need.
    pub(crate) fn shelve(&mut self, shelf: &Rc<Shelf>, levels: Levels, most: &mut u64) {
        let closed = self.blocks.len().saturating_sub(1);
        for block in self.blocks.iter_mut().take(closed).skip(self.known_closed as usize) {
            if *most == 0 || !block.shelve(shelf) {
                break;
            }
            *most = most.saturating_sub(block.len() as u64);
            self.known_closed += 1;
        }
        if levels == Levels::Dropped {
            self.levels.iter_mut().for_each(|nodes| nodes.forget(nodes.len().saturating_sub(FAN_OUT)));
        }
    }

    /// The slices of each block that is in a file.
    #[cfg(test)]
    pub(crate) fn shelved(&self) -> impl Iterator<Item = usize> {
        let is_there = |block: &&Block| matches!(block, Block::Closed(super::block::Closed::Shelved(_)));
        self.blocks.iter().filter(is_there).map(Block::len)
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

    /// Allocated memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.iter().map(Block::bytes).sum::<usize>()
            + self.blocks.capacity() * size_of::<Block>()
            + self.levels.iter().map(Chunked::bytes).sum::<usize>()
            + self.levels.capacity() * size_of::<Chunked<Node>>()
    }
}

#[cfg(test)]
mod tests {
    use unspool_trace::Locator;

    use super::*;

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
}
