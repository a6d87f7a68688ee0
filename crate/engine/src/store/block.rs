//! Slices of a column, some thousand together.
//!
//! A block is *plain* while it is filled: 32 bits each for start, duration, call-tree node and locator, relative to the block's
//! own base. One in which something does not fit is *wide* and keeps the upper halves beside them. A full one whose slices
//! begin where the one before ends, as the basic blocks of an execution do, is *packed*: where a slice begins is then the sum
//! of the durations before it, so that three bytes a slice may do.

use std::ops::Range;

use super::column::Slice;
use crate::call_tree::NodeId;

/// Slices in the largest block.
pub(super) const LARGEST: usize = 4096;
/// The bits of a slice's node that hold its flags.
const FLAG_SHIFT: u32 = 29;
const NODE_MASK: u32 = (1 << FLAG_SHIFT) - 1;
/// Slices of a packed block for which a start is kept.
const GROUP: usize = 16;

/// Some slices of a column.
#[derive(Debug)]
pub(super) enum Block {
    /// Being filled, or closed as it is.
    Plain(Plain),
    /// Closed for good.
    Packed(Box<Packed>),
}

impl Block {
    /// A block that begins with this slice, which is still to be pushed.
    pub(super) fn new(slice: &Slice, capacity: usize) -> Self {
        Self::Plain(Plain::new(slice, capacity))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Plain(block) => block.start.len(),
            Self::Packed(block) => block.durations.len(),
        }
    }

    /// Nothing more can be pushed.
    pub(super) fn is_full(&self) -> bool {
        match self {
            Self::Plain(block) => block.start.len() == block.start.capacity(),
            Self::Packed(_) => true,
        }
    }

    /// Anything that is pushed fits, at the price of its upper halves.
    pub(super) fn is_wide(&self) -> bool {
        matches!(self, Self::Plain(Plain { upper: Some(_), .. }))
    }

    /// The slice fits without making the block wide.
    pub(super) fn fits(&self, slice: &Slice) -> bool {
        matches!(self, Self::Plain(block) if block.fits(slice))
    }

    /// Appends a slice; only while the block is not full.
    pub(super) fn push(&mut self, slice: &Slice) {
        if let Self::Plain(block) = self {
            block.push(slice);
        }
    }

    /// Makes it as small as it can be, now that it is full.
    pub(super) fn pack(&mut self) {
        if let Self::Plain(block) = self
            && let Some(packed) = Packed::of(block)
        {
            *self = Self::Packed(Box::new(packed));
        }
    }

    /// Gives back the room that is not used, now that nothing more comes.
    pub(super) fn shrink(&mut self) {
        if let Self::Plain(block) = self {
            block.shrink();
        }
    }

    /// The slice with this index in the block.
    #[inline]
    pub(super) fn get(&self, i: usize) -> Option<Slice> {
        match self {
            Self::Plain(block) => block.get(i),
            Self::Packed(block) => block.get(i),
        }
    }

    /// Durations and call-tree nodes of these slices, in order: all that statistics want, and less work than whole slices.
    #[inline]
    pub(super) fn each(&self, range: Range<usize>, each: impl FnMut(u64, NodeId)) {
        match self {
            Self::Plain(block) => block.each(range, each),
            Self::Packed(block) => block.each(range, each),
        }
    }

    /// Bytes of memory in use, beyond the block itself.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Plain(block) => block.bytes(),
            Self::Packed(block) => block.bytes() + size_of::<Packed>(),
        }
    }
}

/// Slices side by side.
#[derive(Debug)]
pub(super) struct Plain {
    start_base: u64,
    locator_base: u64,
    start: Vec<u32>,
    duration: Vec<u32>,
    node: Vec<u32>,
    locator: Vec<u32>,
    upper: Option<Vec<[u32; 3]>>,
}

impl Plain {
    fn new(slice: &Slice, capacity: usize) -> Self {
        Self {
            start_base: slice.start,
            locator_base: slice.locator,
            start: Vec::with_capacity(capacity),
            duration: Vec::with_capacity(capacity),
            node: Vec::with_capacity(capacity),
            locator: Vec::with_capacity(capacity),
            upper: None,
        }
    }

    fn len(&self) -> usize {
        self.start.len()
    }

    fn relative(&self, slice: &Slice) -> (u64, u64, u64) {
        let locator = slice.locator.wrapping_sub(self.locator_base);
        (slice.start.wrapping_sub(self.start_base), slice.end - slice.start, locator)
    }

    fn fits(&self, slice: &Slice) -> bool {
        let (start, duration, locator) = self.relative(slice);
        (start | duration | locator) >> 32 == 0
    }

    fn push(&mut self, slice: &Slice) {
        let (start, duration, locator) = self.relative(slice);
        if self.upper.is_none() && (start | duration | locator) >> 32 != 0 {
            let mut upper = Vec::with_capacity(self.start.capacity());
            upper.resize(self.len(), [0; 3]);
            self.upper = Some(upper);
        }
        if let Some(upper) = &mut self.upper {
            upper.push([(start >> 32) as u32, (duration >> 32) as u32, (locator >> 32) as u32]);
        }
        self.start.push(start as u32);
        self.duration.push(duration as u32);
        self.node.push(slice.node | u32::from(slice.flags) << FLAG_SHIFT);
        self.locator.push(locator as u32);
    }

    #[inline]
    fn get(&self, i: usize) -> Option<Slice> {
        let (start, duration) = (*self.start.get(i)?, *self.duration.get(i)?);
        let (node, locator) = (*self.node.get(i)?, *self.locator.get(i)?);
        let upper = self.upper.as_ref().and_then(|u| u.get(i)).copied().unwrap_or_default();
        let wide = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let [start_high, duration_high, locator_high] = upper;
        let start = self.start_base.wrapping_add(wide(start, start_high));
        Some(Slice {
            start,
            end: start.wrapping_add(wide(duration, duration_high)),
            node: node & NODE_MASK,
            flags: (node >> FLAG_SHIFT) as u8,
            locator: self.locator_base.wrapping_add(wide(locator, locator_high)),
        })
    }

    #[inline]
    fn each(&self, range: Range<usize>, mut each: impl FnMut(u64, NodeId)) {
        let (Some(durations), Some(nodes)) = (self.duration.get(range.clone()), self.node.get(range.clone())) else {
            return;
        };
        match &self.upper {
            None => {
                for (duration, node) in durations.iter().zip(nodes) {
                    each(u64::from(*duration), node & NODE_MASK);
                }
            }
            Some(upper) => {
                for ((duration, node), [_, high, _]) in durations.iter().zip(nodes).zip(upper.iter().skip(range.start))
                {
                    each(u64::from(*duration) | u64::from(*high) << 32, node & NODE_MASK);
                }
            }
        }
    }

    fn shrink(&mut self) {
        self.start.shrink_to_fit();
        self.duration.shrink_to_fit();
        self.node.shrink_to_fit();
        self.locator.shrink_to_fit();
        if let Some(upper) = &mut self.upper {
            upper.shrink_to_fit();
        }
    }

    fn bytes(&self) -> usize {
        let upper = self.upper.as_ref().map_or(0, |u| u.capacity() * size_of::<[u32; 3]>());
        self.start.capacity() * 4 * size_of::<u32>() + upper
    }
}

/// Slices that follow upon each other without a pause, none of them with flags, each found at its end.
#[derive(Debug)]
pub(super) struct Packed {
    start: u64,
    /// The start of every 16th, relative to the first.
    starts: Box<[u32]>,
    durations: Narrow,
    /// Relative to the lowest.
    nodes: Narrow,
    lowest: NodeId,
}

impl Packed {
    /// Nothing if the slices are of another kind, or would not become much smaller.
    fn of(block: &Plain) -> Option<Self> {
        if block.upper.is_some() {
            return None;
        }
        let first = block.get(0)?;
        let mut next = first.start;
        for i in 0..block.len() {
            let slice = block.get(i)?;
            if slice.start != next || slice.flags != 0 || slice.locator != slice.end {
                return None;
            }
            next = slice.end;
        }
        let lowest = block.node.iter().copied().min()?;
        Some(Self {
            start: first.start,
            starts: block.start.iter().step_by(GROUP).map(|s| s - block.start[0]).collect(),
            durations: Narrow::of(block.duration.iter().copied()),
            nodes: Narrow::of(block.node.iter().map(|node| node - lowest)),
            lowest,
        })
    }

    fn get(&self, i: usize) -> Option<Slice> {
        let duration = self.durations.get(i)?;
        let before: u64 = (i - i % GROUP..i).filter_map(|i| self.durations.get(i)).map(u64::from).sum();
        let start = self.start + u64::from(*self.starts.get(i / GROUP)?) + before;
        let end = start + u64::from(duration);
        Some(Slice { start, end, node: self.lowest + self.nodes.get(i)?, flags: 0, locator: end })
    }

    #[inline]
    fn each(&self, range: Range<usize>, mut each: impl FnMut(u64, NodeId)) {
        for i in range {
            if let (Some(duration), Some(node)) = (self.durations.get(i), self.nodes.get(i)) {
                each(u64::from(duration), self.lowest + node);
            }
        }
    }

    fn bytes(&self) -> usize {
        self.starts.len() * size_of::<u32>() + self.durations.bytes() + self.nodes.bytes()
    }
}

/// Numbers, each in as many bytes as the largest needs.
#[derive(Debug)]
enum Narrow {
    Bytes(Box<[u8]>),
    Halves(Box<[u16]>),
    Words(Box<[u32]>),
}

impl Narrow {
    fn of(numbers: impl Iterator<Item = u32> + Clone) -> Self {
        match numbers.clone().max().unwrap_or(0) {
            0..=0xff => Self::Bytes(numbers.map(|n| n as u8).collect()),
            0x100..=0xffff => Self::Halves(numbers.map(|n| n as u16).collect()),
            _ => Self::Words(numbers.collect()),
        }
    }

    #[inline]
    fn get(&self, i: usize) -> Option<u32> {
        match self {
            Self::Bytes(numbers) => numbers.get(i).copied().map(u32::from),
            Self::Halves(numbers) => numbers.get(i).copied().map(u32::from),
            Self::Words(numbers) => numbers.get(i).copied(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Bytes(numbers) => numbers.len(),
            Self::Halves(numbers) => numbers.len(),
            Self::Words(numbers) => numbers.len(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Bytes(numbers) => numbers.len(),
            Self::Halves(numbers) => size_of_val::<[u16]>(numbers),
            Self::Words(numbers) => size_of_val::<[u32]>(numbers),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(slices: impl Iterator<Item = Slice>) -> (Block, Vec<Slice>) {
        let slices: Vec<Slice> = slices.take(LARGEST).collect();
        let mut block = Block::new(&slices[0], LARGEST);
        slices.iter().for_each(|slice| block.push(slice));
        block.pack();
        (block, slices)
    }

    /// Slices without pauses, of the durations given.
    fn tiles(duration: impl Fn(u64) -> u64) -> impl Iterator<Item = Slice> {
        let mut end = 1 << 40;
        (0..).map(move |i| {
            let start = end;
            end += duration(i);
            Slice { start, end, node: 70_000 + (i % 4000) as u32, flags: 0, locator: end }
        })
    }

    #[test]
    fn slices_without_pauses_take_some_bytes_and_come_back() {
        for (durations, most) in [(255, 3.5), (60_000, 4.5), (100_000, 6.5)] {
            let (block, slices) = filled(tiles(|i| i * 31 % durations));
            assert!(matches!(block, Block::Packed(_)));
            let each = block.bytes() as f64 / slices.len() as f64;
            assert!(each < most, "{each} bytes a slice");
            for (i, slice) in slices.iter().enumerate() {
                assert_eq!(block.get(i), Some(*slice), "slice {i}");
            }
            let mut seen = Vec::new();
            block.each(100..LARGEST, |duration, node| seen.push((duration, node)));
            assert!(seen.into_iter().eq(slices.iter().skip(100).map(|s| (s.end - s.start, s.node))));
            assert_eq!((block.get(LARGEST), block.len(), block.is_full()), (None, LARGEST, true));
        }
    }

    #[test]
    fn what_is_not_of_that_kind_stays_as_it_is() {
        let odd: [fn(&mut Slice); 4] =
            [|s| s.end -= 1, |s| s.flags = 1, |s| s.locator += 1, |s| (s.end, s.locator) = (s.end + (1 << 33), s.end)];
        for (n, change) in odd.into_iter().enumerate() {
            let slices = tiles(|_| 7).enumerate().map(|(i, mut slice)| {
                if i == 4000 {
                    change(&mut slice);
                }
                slice
            });
            let (block, slices) = filled(slices);
            assert!(matches!(block, Block::Plain(_)), "oddity {n}");
            assert!(slices.iter().enumerate().all(|(i, slice)| block.get(i) == Some(*slice)), "oddity {n}");
        }
    }
}
