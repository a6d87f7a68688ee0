//! Blocks: up to a few thousand slices of a column.
//!
//! A block is *plain* while it is filled: 32 bits each for start, duration, call-tree node and
//! locator, relative to the block's own base. A block in which a value does not fit is *wide* and
//! also keeps the upper halves. A closed block of back-to-back slices, such as the basic blocks of
//! an execution, is *packed*: the start of a slice is the sum of the durations before it, so a
//! slice can take three bytes.

use std::ops::Range;

use unspool_trace::Locator;

use super::shelf::{Shelf, Shelved};
use super::slice::Slice;
use crate::call_tree::NodeId;

/// Capacity of the smallest and the largest block, in slices.
pub(super) const SMALLEST: usize = 16;
pub(super) const LARGEST: usize = 4096;
/// The upper bits of a slice's node hold its flags.
const FLAG_SHIFT: u32 = 28;
pub(super) const NODE_MASK: u32 = (1 << FLAG_SHIFT) - 1;
/// A packed block keeps the start of one slice in this many.
const GROUP: usize = 16;

/// Some consecutive slices of a column.
#[derive(Debug)]
pub(super) enum Block {
    /// Being filled, or closed but not packable.
    Plain(Plain),
    /// Closed, and elsewhere.
    Closed(Closed),
}

/// A closed block in another form. An enum of its own, so that it fits into a [`Block`] beside a
/// plain one: there may be tens of thousands of columns with one block each.
#[derive(Debug)]
pub(super) enum Closed {
    Packed(Box<Packed>),
    /// In a file.
    Shelved(Box<Shelved>),
}

impl Block {
    /// A block whose first slice is `slice`, number `first` of its column, with room for `capacity`
    /// slices.
    pub(super) fn new(slice: &Slice, first: u32, capacity: usize) -> Self {
        let mut block = Plain::new(slice, first, capacity);
        block.push(slice);
        Self::Plain(block)
    }

    /// Index of its first slice in the column.
    pub(super) fn first(&self) -> usize {
        match self {
            Self::Plain(block) => block.first as usize,
            Self::Closed(Closed::Packed(block)) => block.first as usize,
            Self::Closed(Closed::Shelved(block)) => block.first(),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Plain(block) => block.len(),
            Self::Closed(Closed::Packed(block)) => block.durations.len(),
            Self::Closed(Closed::Shelved(block)) => block.len(),
        }
    }

    /// Whether some value did not fit into 32 bits.
    pub(super) fn is_wide(&self) -> bool {
        match self {
            Self::Plain(block) => block.is_wide(),
            Self::Closed(Closed::Packed(_)) => false,
            Self::Closed(Closed::Shelved(block)) => block.is_wide(),
        }
    }

    /// Appends a slice. Returns false if the slice belongs in a new block: this one is full, or
    /// would have to become wide.
    #[inline]
    pub(super) fn push(&mut self, slice: &Slice) -> bool {
        match self {
            Self::Plain(block) => block.push(slice),
            _ => false,
        }
    }

    /// Appends all slices, or none if they do not fit or the block is or would become wide. Returns
    /// whether it did.
    #[inline]
    pub(super) fn extend(&mut self, slices: &Columns<'_>) -> bool {
        match self {
            Self::Plain(block) => block.extend(slices),
            _ => false,
        }
    }

    /// Appends a slice unless the block is full or would become wide. Returns whether it did.
    pub(super) fn push_narrow(&mut self, slice: &Slice) -> bool {
        matches!(self, Self::Plain(block) if !block.is_wide() && block.fits(slice)) && self.push(slice)
    }

    /// Packs or shrinks the block; nothing can be appended afterwards.
    pub(super) fn close(&mut self) {
        if let Self::Plain(block) = self {
            match Packed::of(block) {
                Some(packed) => *self = Self::Closed(Closed::Packed(Box::new(packed))),
                None => block.shrink(),
            }
        }
    }

    /// The slice at index `i` of the block.
    #[inline]
    pub(super) fn get(&self, i: usize) -> Option<Slice> {
        match self {
            Self::Plain(block) => block.get(i),
            Self::Closed(Closed::Packed(block)) => block.get(i),
            Self::Closed(Closed::Shelved(block)) => block.get(i),
        }
    }

    /// The last `N` slices as stored. `None` if the block is wide, packed, or shorter.
    #[inline]
    pub(super) fn tail<const N: usize>(&self) -> Option<Tail<'_, N>> {
        match self {
            Self::Plain(block) => block.tail(),
            _ => None,
        }
    }

    /// Durations and call-tree nodes of these slices, in order. Statistics need no more, and this
    /// is cheaper than whole slices.
    #[inline]
    pub(super) fn each(&self, range: Range<usize>, each: impl FnMut(u64, NodeId)) {
        let seen;
        let measures = match self {
            Self::Plain(block) => block.measures(range),
            Self::Closed(Closed::Packed(block)) => return block.each(range, each),
            Self::Closed(Closed::Shelved(block)) => {
                seen = block.seen();
                seen.as_ref().and_then(|seen| seen.measures(range))
            }
        };
        if let Some(measures) = measures {
            measures.each(each);
        }
    }

    /// Whether its slices can be had without waiting for a file; see [`Shelved::is_near`].
    pub(super) fn is_near(&self) -> bool {
        match self {
            Self::Closed(Closed::Shelved(block)) => block.is_near(),
            _ => true,
        }
    }

    /// Allocated memory beyond `Self`, in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Plain(block) => block.bytes(),
            Self::Closed(Closed::Packed(block)) => block.bytes(),
            Self::Closed(Closed::Shelved(block)) => block.bytes(),
        }
    }

    /// Adds flags to these slices.
    pub(super) fn flag(&mut self, range: Range<usize>, flags: u8) {
        match self {
            Self::Plain(block) => block.flag(range, flags),
            Self::Closed(Closed::Packed(packed)) => {
                // Packed slices have no flags.
                let all = (0..packed.durations.len()).filter_map(|i| packed.get(i));
                let mut plain: Option<Plain> = None;
                for slice in all {
                    let first = packed.first;
                    let len = packed.durations.len();
                    plain.get_or_insert_with(|| Plain::new(&slice, first, len)).push(&slice);
                }
                if let Some(mut plain) = plain {
                    plain.flag(range, flags);
                    *self = Self::Plain(plain);
                }
            }
            Self::Closed(Closed::Shelved(block)) => {
                if let Some((shelf, copy)) = block.flagged(range, flags) {
                    *self = Self::Plain(copy);
                    self.shelve(&shelf);
                }
            }
        }
    }

    /// Moves a closed block to a file. A packed one stays: it is small, and would become larger.
    /// Returns false if there is no room in the file, or none yet.
    pub(super) fn shelve(&mut self, shelf: &std::rc::Rc<Shelf>) -> bool {
        let Self::Plain(block) = self else { return true };
        let put = shelf.put(block.take());
        let is_there = put.is_ok();
        *self = match put {
            Ok(shelved) => Self::Closed(Closed::Shelved(Box::new(shelved))),
            Err(block) => Self::Plain(block),
        };
        is_there
    }
}

/// For blocks in a file.
impl Plain {
    /// The block itself, and an empty one in its place.
    fn take(&mut self) -> Self {
        let words = std::mem::take(&mut self.words);
        Self { words, ..*self }
    }

    /// All words.
    pub(super) fn all(&self) -> &[u32] {
        &self.words
    }

    /// This block, whose words are elsewhere.
    pub(super) fn without_words(&self) -> Form {
        Form { block: Self { words: Box::default(), ..*self }, words: self.words.len() }
    }
}

/// A block without its words.
#[derive(Debug)]
pub(super) struct Form {
    block: Plain,
    /// How many words it has.
    pub(super) words: usize,
}

impl Form {
    pub(super) fn with_words(&self, words: Box<[u32]>) -> Plain {
        Plain { words, ..self.block }
    }

    pub(super) fn first(&self) -> usize {
        self.block.first as usize
    }

    pub(super) fn len(&self) -> usize {
        self.block.len()
    }

    /// How many words of each kind it has.
    pub(super) fn capacity(&self) -> usize {
        self.block.capacity.into()
    }

    pub(super) fn is_wide(&self) -> bool {
        self.words > self.capacity() * WORDS
    }
}

/// Consecutive slices without flags, as columns of equal length. None begins before the previous
/// one ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns<'a> {
    pub(crate) starts: &'a [u64],
    pub(crate) ends: &'a [u64],
    pub(crate) nodes: &'a [NodeId],
    pub(crate) locators: &'a [Locator],
}

impl Columns<'_> {
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The slices in `range`. `None` if there are fewer.
    #[inline]
    pub(super) fn get(&self, range: Range<usize>) -> Option<Self> {
        Some(Self {
            starts: self.starts.get(range.clone())?,
            ends: self.ends.get(range.clone())?,
            nodes: self.nodes.get(range.clone())?,
            locators: self.locators.get(range)?,
        })
    }

    pub(super) fn slice(&self, i: usize) -> Option<Slice> {
        let (start, end) = (*self.starts.get(i)?, *self.ends.get(i)?);
        Some(Slice { start, end, node: *self.nodes.get(i)?, flags: 0, locator: *self.locators.get(i)? })
    }
}

/// The last slices of a narrow block, as stored.
pub(super) struct Tail<'a, const N: usize> {
    /// What starts are relative to.
    pub(super) base: u64,
    pub(super) starts: &'a [u32; N],
    pub(super) durations: &'a [u32; N],
    /// Nodes, with flags above [`NODE_MASK`].
    pub(super) nodes: &'a [u32; N],
}

/// The words that a plain block keeps for each slice, and those that only a wide block has.
const DURATION: usize = 0;
pub(super) const NODE: usize = 1;
pub(super) const START: usize = 2;
pub(super) const LOCATOR: usize = 3;
const WORDS: usize = 4;
const START_UPPER: usize = 4;
const DURATION_UPPER: usize = 5;
const LOCATOR_UPPER: usize = 6;
const WIDE_WORDS: usize = 7;

/// Durations and nodes of consecutive slices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measures<'a> {
    durations: &'a [u32],
    nodes: &'a [u32],
    /// Upper halves of the durations, in a wide block.
    upper: Option<&'a [u32]>,
}

impl<'a> Measures<'a> {
    /// Of the words of a narrow block: all durations, then all nodes.
    pub(super) fn of(words: &'a [u32], range: Range<usize>) -> Option<Self> {
        let (durations, nodes) = words.split_at_checked(words.len() / 2)?;
        Some(Self { durations: durations.get(range.clone())?, nodes: nodes.get(range)?, upper: None })
    }

    #[inline]
    fn each(self, mut each: impl FnMut(u64, NodeId)) {
        match self.upper {
            None => {
                for (duration, node) in self.durations.iter().zip(self.nodes) {
                    each(u64::from(*duration), node & NODE_MASK);
                }
            }
            Some(upper) => {
                for ((duration, node), high) in self.durations.iter().zip(self.nodes).zip(upper) {
                    each(u64::from(*duration) | u64::from(*high) << 32, node & NODE_MASK);
                }
            }
        }
    }
}

/// Slices with a word for each value.
#[derive(Debug)]
pub(super) struct Plain {
    start_base: u64,
    locator_base: u64,
    /// All durations, then all nodes, starts and locators; in a wide block also the upper halves of
    /// starts, durations and locators. One allocation, because there can be tens of thousands of
    /// short columns.
    words: Box<[u32]>,
    first: u32,
    len: u16,
    /// Capacity, in slices.
    capacity: u16,
}

impl Plain {
    fn new(slice: &Slice, first: u32, capacity: usize) -> Self {
        Self {
            start_base: slice.start,
            locator_base: slice.locator.bits(),
            words: vec![0; capacity * WORDS].into_boxed_slice(),
            first,
            len: 0,
            capacity: capacity as u16,
        }
    }

    fn len(&self) -> usize {
        usize::from(self.len)
    }

    fn is_wide(&self) -> bool {
        self.words.len() > usize::from(self.capacity) * WORDS
    }

    fn kinds(&self) -> usize {
        if self.is_wide() { WIDE_WORDS } else { WORDS }
    }

    #[inline]
    fn relative(&self, slice: &Slice) -> (u64, u64, u64) {
        let locator = slice.locator.bits().wrapping_sub(self.locator_base);
        (slice.start.wrapping_sub(self.start_base), slice.end - slice.start, locator)
    }

    fn fits(&self, slice: &Slice) -> bool {
        let (start, duration, locator) = self.relative(slice);
        (start | duration | locator) >> 32 == 0
    }

    #[inline]
    fn push(&mut self, slice: &Slice) -> bool {
        if self.len == self.capacity {
            return false;
        }
        let (start, duration, locator) = self.relative(slice);
        if (start | duration | locator) >> 32 != 0 && !self.make_wide() {
            return false;
        }
        let node = slice.node | u32::from(slice.flags) << FLAG_SHIFT;
        self.put(DURATION, [duration as u32, node, start as u32, locator as u32]);
        if self.is_wide() {
            self.put(START_UPPER, [start, duration, locator].map(|word| (word >> 32) as u32));
        }
        self.len += 1;
        true
    }

    fn extend(&mut self, slices: &Columns<'_>) -> bool {
        let n = slices.len();
        let Some(last) = slices.ends.last().filter(|_| n <= usize::from(self.capacity - self.len) && !self.is_wide())
        else {
            return false;
        };
        // The last end bounds all starts and durations.
        let (start_base, locator_base) = (self.start_base, self.locator_base);
        let locator = |locator: &Locator| locator.bits().wrapping_sub(locator_base);
        let locators = slices.locators.iter().fold(0, |all, it| all | locator(it));
        if (last.wrapping_sub(start_base) | locators) >> 32 != 0 {
            return false;
        }
        let durations = slices.starts.iter().zip(slices.ends).map(|(start, end)| (end - start) as u32);
        self.fill(START, slices.starts.iter().map(|start| (start - start_base) as u32));
        self.fill(DURATION, durations);
        self.fill(NODE, slices.nodes.iter().copied());
        self.fill(LOCATOR, slices.locators.iter().map(|it| locator(it) as u32));
        self.len += n as u16;
        true
    }

    /// Writes words of one kind after those of the last slice.
    #[inline]
    fn fill(&mut self, kind: usize, words: impl Iterator<Item = u32>) {
        let from = kind * usize::from(self.capacity) + self.len();
        let to = (kind + 1) * usize::from(self.capacity);
        for (place, word) in self.words.get_mut(from..to).unwrap_or_default().iter_mut().zip(words) {
            *place = word;
        }
    }

    /// Writes the words of the next slice, from `kind` on.
    #[inline]
    fn put<const N: usize>(&mut self, kind: usize, words: [u32; N]) {
        let capacity = usize::from(self.capacity);
        let mut at = kind * capacity + self.len();
        for word in words {
            if let Some(place) = self.words.get_mut(at) {
                *place = word;
            }
            at += capacity;
        }
    }

    #[inline]
    fn tail<const N: usize>(&self) -> Option<Tail<'_, N>> {
        if self.is_wide() {
            return None;
        }
        Some(Tail {
            base: self.start_base,
            starts: self.words(START).last_chunk()?,
            durations: self.words(DURATION).last_chunk()?,
            nodes: self.words(NODE).last_chunk()?,
        })
    }

    /// Makes room for upper halves. Returns false if the block has so many slices that it is better
    /// closed. A nearly empty one becomes wide: otherwise a column with long pauses would have one
    /// block for each slice.
    #[cold]
    fn make_wide(&mut self) -> bool {
        if !self.is_wide() {
            if self.len() >= SMALLEST {
                return false;
            }
            let mut words = std::mem::take(&mut self.words).into_vec();
            words.resize(usize::from(self.capacity) * WIDE_WORDS, 0);
            self.words = words.into_boxed_slice();
        }
        true
    }

    /// The words of one kind, slice by slice.
    #[inline]
    fn words(&self, kind: usize) -> &[u32] {
        let from = kind * usize::from(self.capacity);
        self.words.get(from..from + self.len()).unwrap_or_default()
    }

    #[inline]
    pub(super) fn get(&self, i: usize) -> Option<Slice> {
        if i >= self.len() {
            return None;
        }
        let capacity = usize::from(self.capacity);
        let word = |kind: usize| self.words.get(kind * capacity + i).copied();
        let wide = |low: u32, high: usize| u64::from(low) | u64::from(word(high).unwrap_or(0)) << 32;
        let (start, duration, node, locator) = (word(START)?, word(DURATION)?, word(NODE)?, word(LOCATOR)?);
        let start = self.start_base.wrapping_add(wide(start, START_UPPER));
        Some(Slice {
            start,
            end: start.wrapping_add(wide(duration, DURATION_UPPER)),
            node: node & NODE_MASK,
            flags: (node >> FLAG_SHIFT) as u8,
            locator: Locator::from_bits(self.locator_base.wrapping_add(wide(locator, LOCATOR_UPPER))),
        })
    }

    #[inline]
    pub(super) fn measures(&self, range: Range<usize>) -> Option<Measures<'_>> {
        let upper = self.words(DURATION_UPPER).get(range.clone());
        let of = |kind: usize| self.words(kind).get(range.clone());
        Some(Measures { durations: of(DURATION)?, nodes: of(NODE)?, upper })
    }

    pub(super) fn flag(&mut self, range: Range<usize>, flags: u8) {
        let from = NODE * usize::from(self.capacity);
        let nodes = self.words.get_mut(from + range.start..from + range.end.min(self.len.into()));
        nodes.into_iter().flatten().for_each(|node| *node |= u32::from(flags) << FLAG_SHIFT);
    }

    fn shrink(&mut self) {
        if self.len == self.capacity {
            return;
        }
        let kinds = self.kinds();
        let mut words = Vec::with_capacity(kinds * self.len());
        (0..kinds).for_each(|kind| words.extend_from_slice(self.words(kind)));
        self.words = words.into_boxed_slice();
        self.capacity = self.len;
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val::<[u32]>(&self.words)
    }
}

/// Back-to-back slices without flags whose locators are their ends.
#[derive(Debug)]
pub(super) struct Packed {
    start: u64,
    /// Index of the first slice in the column.
    first: u32,
    /// The start of every 16th slice, relative to the first.
    starts: Box<[u32]>,
    durations: Narrow,
    nodes: Nodes,
}

impl Packed {
    /// Returns `None` if the slices do not have this form, or would not become smaller.
    fn of(block: &Plain) -> Option<Self> {
        if block.is_wide() {
            return None;
        }
        let first = block.get(0)?;
        let mut next = first.start;
        for i in 0..block.len() {
            let slice = block.get(i)?;
            if slice.start != next || slice.flags != 0 || slice.locator.bits() != slice.end {
                return None;
            }
            next = slice.end;
        }
        let packed = Self {
            start: first.start,
            first: block.first,
            // The block's base is the start of its first slice.
            starts: block.words(START).iter().step_by(GROUP).copied().collect(),
            durations: Narrow::of(block.words(DURATION).iter().copied()),
            nodes: Nodes::of(block.words(NODE)),
        };
        (packed.bytes() < block.len() * WORDS * size_of::<u32>()).then_some(packed)
    }

    fn get(&self, i: usize) -> Option<Slice> {
        let duration = self.durations.get(i)?;
        let before: u64 = (i - i % GROUP..i).filter_map(|i| self.durations.get(i)).map(u64::from).sum();
        let start = self.start + u64::from(*self.starts.get(i / GROUP)?) + before;
        let end = start + u64::from(duration);
        Some(Slice { start, end, node: self.nodes.get(i)?, flags: 0, locator: Locator::from_bits(end) })
    }

    #[inline]
    fn each(&self, range: Range<usize>, mut each: impl FnMut(u64, NodeId)) {
        for i in range {
            if let (Some(duration), Some(node)) = (self.durations.get(i), self.nodes.get(i)) {
                each(u64::from(duration), node);
            }
        }
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val::<[u32]>(&self.starts) + self.durations.bytes() + self.nodes.bytes()
    }
}

/// Call-tree nodes of the slices of a packed block.
#[derive(Debug)]
enum Nodes {
    /// Relative to the lowest node.
    Near { lowest: NodeId, above: Narrow },
    /// A loop visits few nodes over and over: a list of them, and an index into it for each slice.
    Few { list: Box<[NodeId]>, which: Box<[u8]> },
}

impl Nodes {
    /// Most entries of the list: an index is one byte.
    const FEW: usize = 256;
    /// Slots of the hash table; more than twice the entries, so that probes are short.
    const PLACES: usize = 1024;

    fn of(nodes: &[NodeId]) -> Self {
        let lowest = nodes.iter().copied().min().unwrap_or(0);
        let highest = nodes.iter().copied().max().unwrap_or(0);
        if highest - lowest > 0xff
            && let Some(few) = Self::few(nodes)
        {
            return few;
        }
        Self::Near { lowest, above: Narrow::of(nodes.iter().map(|node| node - lowest)) }
    }

    /// Returns `None` if there are too many different nodes.
    #[allow(
        clippy::indexing_slicing,
        reason = "10 bits are an index of `PLACES`, and the table has only indices of the list"
    )]
    fn few(nodes: &[NodeId]) -> Option<Self> {
        let mut table = [0u16; Self::PLACES];
        let mut list: Vec<NodeId> = Vec::with_capacity(Self::FEW);
        let mut which = Vec::with_capacity(nodes.len());
        for node in nodes {
            let mut place = node.wrapping_mul(0x9e37_79b1) as usize >> 22;
            let found = loop {
                // 0 is an empty slot; any other value is a node's index in the list, plus 1.
                match usize::from(table[place]) {
                    0 if list.len() == Self::FEW => return None,
                    0 => {
                        list.push(*node);
                        table[place] = list.len() as u16;
                        break list.len() - 1;
                    }
                    n if list[n - 1] == *node => break n - 1,
                    _ => place = (place + 1) % Self::PLACES,
                }
            };
            which.push(found as u8);
        }
        Some(Self::Few { list: list.into(), which: which.into() })
    }

    #[inline]
    fn get(&self, i: usize) -> Option<NodeId> {
        match self {
            Self::Near { lowest, above } => Some(lowest + above.get(i)?),
            Self::Few { list, which } => list.get(usize::from(*which.get(i)?)).copied(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Near { above, .. } => above.bytes(),
            Self::Few { list, which } => size_of_val::<[NodeId]>(list) + which.len(),
        }
    }
}

/// Numbers, each as wide as the largest of them needs.
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
        let mut block = Block::new(&slices[0], 0, LARGEST);
        slices.iter().skip(1).for_each(|slice| assert!(block.push(slice)));
        assert!(!block.push(&slices[0]), "it is full");
        block.close();
        (block, slices)
    }

    /// Back-to-back slices with these durations.
    fn tiles(duration: impl Fn(u64) -> u64) -> impl Iterator<Item = Slice> {
        let mut end = 1 << 40;
        (0..).map(move |i| {
            let start = end;
            end += duration(i);
            Slice { start, end, node: 70_000 + (i % 4000) as u32, flags: 0, locator: Locator::at(end) }
        })
    }

    #[test]
    fn back_to_back_slices_round_trip_in_a_few_bytes() {
        for (durations, most) in [(255, 3.5), (60_000, 4.5), (100_000, 6.5)] {
            let (mut block, slices) = filled(tiles(|i| i * 31 % durations));
            assert!(matches!(block, Block::Closed(Closed::Packed(_))));
            let each = block.bytes() as f64 / slices.len() as f64;
            assert!(each < most, "{each} bytes a slice");
            for (i, slice) in slices.iter().enumerate() {
                assert_eq!(block.get(i), Some(*slice), "slice {i}");
            }
            let mut seen = Vec::new();
            block.each(100..LARGEST, |duration, node| seen.push((duration, node)));
            assert!(seen.into_iter().eq(slices.iter().skip(100).map(|s| (s.end - s.start, s.node))));
            assert_eq!((block.get(LARGEST), block.len(), block.push(&slices[0])), (None, LARGEST, false));
        }
    }

    #[test]
    fn few_different_nodes_take_a_byte_each() {
        for (different, most) in [(256, 2.6), (257, 3.5)] {
            let (block, slices) = filled(tiles(|i| i % 200).enumerate().map(move |(i, slice)| {
                // Far apart and unordered.
                Slice { node: ((i * 7919 % different) as u32).wrapping_mul(104_729) % (1 << 16), ..slice }
            }));
            let each = block.bytes() as f64 / slices.len() as f64;
            assert!(each < most, "{different} nodes: {each} bytes a slice");
            assert!(slices.iter().enumerate().all(|(i, slice)| block.get(i) == Some(*slice)), "{different} nodes");
        }
    }

    #[test]
    fn other_slices_are_not_packed() {
        let odd: [fn(&mut Slice); 4] =
            [|s| s.end -= 1, |s| s.flags = 1, |s| s.locator = Locator::at(s.end + 1), |s| s.end += 1 << 33];
        for (n, change) in odd.into_iter().enumerate() {
            let slices = tiles(|_| 7).enumerate().map(|(i, mut slice)| {
                if i == 12 {
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
