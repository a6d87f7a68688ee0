//! What each step read from registers and wrote to them.
//!
//! Which registers a step accesses is its *shape*. A program has as many shapes as it has forms of
//! instructions, so a step takes one byte, or two in a segment with more than 256 of them. Values
//! are kept where pieces of the file end, for registers that the piece accessed. Between two ends
//! they are decoded again.

use core::hash::BuildHasher;
use core::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::segments::Segments;
use crate::{Kind, Toward};

/// A register of a thread, as it is at some moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Register {
    /// Its name in the file.
    pub name: String,
    /// Its bytes in little-endian order. `None` if no step before has accessed it.
    pub value: Option<Vec<u8>>,
    /// The step whose access this is known from.
    pub step: u64,
    /// It was written there, otherwise read.
    pub written: bool,
    /// It was read with another value than the trace has written last.
    pub changed: bool,
    /// The trace has written it. Otherwise it is known from reads only.
    pub is_ours: bool,
    /// What the step at hand writes to it.
    pub next: Option<Vec<u8>>,
}

/// A register as far as the trace is known.
#[derive(Default)]
struct Current {
    /// The value if it has eight bytes, as most have: one word is compared sooner than bytes
    /// elsewhere.
    word: Option<u64>,
    /// Otherwise.
    value: Vec<u8>,
    changed: bool,
    is_ours: bool,
    /// How it was accessed since the last end of a piece, for [`Registers::end_piece`].
    since: u8,
}

impl Current {
    /// Whether the value differs from another one in the bytes that both have.
    fn differs(&self, value: &[u8]) -> bool {
        match self.word {
            Some(word) => differ(&word.to_le_bytes(), value),
            None => differ(&self.value, value),
        }
    }

    #[inline]
    fn set(&mut self, written: bool, value: &[u8]) {
        let word = <[u8; 8]>::try_from(value).ok().map(u64::from_le_bytes);
        let is_other = match (self.word, word) {
            (Some(known), Some(word)) => known != word,
            _ => self.differs(value),
        };
        self.changed = !written & (self.changed | (self.is_ours & is_other));
        self.is_ours |= written;
        self.word = word;
        if word.is_none() {
            self.value.clear();
            self.value.extend_from_slice(value);
        }
    }
}

/// The state of a register at the end of a piece that accesses it.
#[derive(Clone, Copy)]
struct Touch {
    piece: u32,
    /// Where the value begins in the arena, and its length.
    value: u32,
    len: u32,
    flags: u8,
    step: u64,
}

const WRITTEN: u8 = 1;
const CHANGED: u8 = 2;
const HAS_READ: u8 = 4;
const HAS_WRITE: u8 = 8;
const IS_OURS: u8 = 16;

impl Touch {
    /// Whether the piece has an access of a kind.
    fn has(&self, kind: Kind) -> bool {
        let [reads, writes] = [HAS_READ, HAS_WRITE].map(|flag| self.flags & flag != 0);
        (reads && kind.includes(false)) || (writes && kind.includes(true))
    }
}

/// The shapes of a segment's steps.
struct Part {
    /// Numbers of shapes.
    palette: Vec<u32>,
    /// For each step, an index into the palette. One of the two is empty.
    narrow: Vec<u8>,
    wide: Vec<u16>,
}

impl Part {
    fn shape(&self, relative: usize) -> Option<u32> {
        let index = match self.narrow.get(relative) {
            Some(index) => usize::from(*index),
            None => usize::from(*self.wide.get(relative)?),
        };
        self.palette.get(index).copied()
    }
}

/// Lists of accesses, numbered: for each access the register, and whether it is a write in the
/// lowest bit.
#[derive(Default)]
struct Shapes {
    lists: Vec<u32>,
    ends: Vec<u32>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// By number: the last segment with the shape, and its place in that palette.
    places: Vec<(u32, u16)>,
}

impl Shapes {
    #[allow(
        clippy::indexing_slicing,
        reason = "numbers of registers and shapes are indices of the lists that they were made with"
    )]
    fn list(&self, number: u32) -> &[u32] {
        &self.lists[self.range(number)]
    }

    #[allow(
        clippy::indexing_slicing,
        reason = "numbers of registers and shapes are indices of the lists that they were made with"
    )]
    fn range(&self, number: u32) -> Range<usize> {
        let start = (number as usize).checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        start..self.ends[number as usize] as usize
    }

    #[allow(
        clippy::indexing_slicing,
        reason = "numbers of registers and shapes are indices of the lists that they were made with"
    )]
    fn number(&mut self, list: &[u32]) -> u32 {
        let hash = self.hasher.hash_one(list);
        if let Some(number) = self.table.find(hash, |number| self.list(*number) == list) {
            return *number;
        }
        let number = self.ends.len() as u32;
        self.lists.extend_from_slice(list);
        self.ends.push(self.lists.len() as u32);
        self.places.push((u32::MAX, 0));
        let Self { lists, ends, table, hasher, .. } = self;
        table.insert_unique(hash, number, |number| {
            let start = (*number as usize).checked_sub(1).map_or(0, |before| ends[before] as usize);
            hasher.hash_one(&lists[start..ends[*number as usize] as usize])
        });
        number
    }

    fn bytes(&self) -> usize {
        (self.lists.capacity() + self.ends.capacity()) * 4 + self.places.capacity() * 8 + self.table.allocation_size()
    }
}

/// Whether two values differ in the bytes that both have.
pub(crate) fn differ(a: &[u8], b: &[u8]) -> bool {
    a.iter().zip(b).any(|(a, b)| a != b)
}

/// Whether two names are equal. They have a few letters, so they are compared by two words that may
/// overlap: a call takes longer.
#[inline]
fn is_name(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len()
        && match a.len() {
            2..=3 => a.first_chunk::<2>() == b.first_chunk() && a.last_chunk::<2>() == b.last_chunk(),
            4..=8 => a.first_chunk::<4>() == b.first_chunk() && a.last_chunk::<4>() == b.last_chunk(),
            _ => a == b,
        }
}

/// The accesses to registers.
#[derive(Default)]
pub(crate) struct Registers {
    /// By number: thread and name.
    names: Vec<(Option<u64>, String)>,
    /// By thread and name, numbers.
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
    current: Vec<Current>,
    /// By register: the pieces that access it, ascending.
    touches: Vec<Vec<Touch>>,
    values: Vec<u8>,
    shapes: Shapes,
    /// The accesses of the current step, unless they are as expected.
    list: Vec<u32>,
    /// By the number of an executed address: one more than the shape of the last step that executed
    /// it. 0 for none.
    shapes_of: Vec<u32>,
    /// What the current step executes.
    executed: Option<u32>,
    /// The shape that the current step should have, as its accesses so far do: an instruction
    /// hardly ever accesses other registers.
    expected: Option<u32>,
    /// Its list, and what is left of that.
    expected_list: Range<usize>,
    expected_rest: Range<usize>,
    open: Part16,
    /// Steps of the open segment that are in pieces, or parts of pieces, that have ended.
    ended: usize,
    parts: Vec<Part>,
    bytes_of_parts: usize,
    bytes_of_touches: usize,
    /// Steps and accesses that [`Registers::steps_of_any`] has looked at.
    #[cfg(test)]
    pub(crate) looked_at: core::cell::Cell<usize>,
}

/// The shapes of the open segment.
#[derive(Default)]
struct Part16 {
    palette: Vec<u32>,
    steps: Vec<u16>,
}

impl Registers {
    /// The number of a register of a thread, if it is known.
    pub(crate) fn find(&self, thread: Option<u64>, name: &str) -> Option<u32> {
        let hash = self.hasher.hash_one((thread, name));
        let is_it = |number: &u32| self.names.get(*number as usize).is_some_and(|(of, is)| *of == thread && is == name);
        self.numbers.find(hash, is_it).copied()
    }

    /// The names of a thread's registers.
    pub(crate) fn names_of(&self, thread: Option<u64>) -> impl Iterator<Item = &str> {
        self.names.iter().filter(move |(of, _)| *of == thread).map(|(_, name)| name.as_str())
    }

    /// The names of all threads.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(_, name)| name.as_str())
    }

    /// The threads that have a register with this name.
    pub(crate) fn threads_of(&self, name: &str) -> Vec<Option<u64>> {
        self.names.iter().filter(|(_, known)| known == name).map(|(thread, _)| *thread).collect()
    }

    /// An access by the current step.
    #[inline]
    #[allow(
        clippy::indexing_slicing,
        reason = "numbers of registers and shapes are indices of the lists that they were made with"
    )]
    pub(crate) fn add(&mut self, thread: Option<u64>, name: &str, written: bool, value: &[u8]) {
        let number = self.number(thread, name, written);
        self.current[number as usize].set(written, value);
    }

    /// A step begins that executes the address with this number.
    #[inline]
    pub(crate) fn begin_step(&mut self, executed: Option<u32>) {
        self.executed = executed;
        let shape = executed.and_then(|id| self.shapes_of.get(id as usize));
        self.expected = shape.and_then(|shape| shape.checked_sub(1));
        self.expected_list = self.expected.map_or(0..0, |shape| self.shapes.range(shape));
        self.expected_rest = self.expected_list.clone();
    }

    /// The number of a register, which becomes known.
    #[inline]
    #[allow(
        clippy::indexing_slicing,
        reason = "numbers of registers and shapes are indices of the lists that they were made with"
    )]
    fn number(&mut self, thread: Option<u64>, name: &str, written: bool) -> u32 {
        if let Some(expected) = self.expected_rest.clone().next().map(|at| self.shapes.lists[at]) {
            let (of, known) = &self.names[(expected >> 1) as usize];
            if is_name(known.as_bytes(), name.as_bytes()) && *of == thread && (expected & 1 == 1) == written {
                self.expected_rest.start += 1;
                return expected >> 1;
            }
        }
        self.expect_nothing();
        let number = self.number_of_other(thread, name);
        self.list.push(number << 1 | u32::from(written));
        number
    }

    /// The current step is not as expected, apart from its accesses so far.
    #[inline]
    #[allow(
        clippy::indexing_slicing,
        reason = "numbers of registers and shapes are indices of the lists that they were made with"
    )]
    fn expect_nothing(&mut self) {
        if self.expected.take().is_some() {
            let so_far = self.expected_list.start..self.expected_rest.start;
            self.list.extend_from_slice(&self.shapes.lists[so_far]);
            self.expected_rest = 0..0;
        }
    }

    #[inline(never)]
    #[allow(
        clippy::indexing_slicing,
        reason = "numbers of registers and shapes are indices of the lists that they were made with"
    )]
    fn number_of_other(&mut self, thread: Option<u64>, name: &str) -> u32 {
        let Self { names, numbers, hasher, current, touches, .. } = self;
        let hash = hasher.hash_one((thread, name));
        let is_it = |number: &u32| matches!(&names[*number as usize], (of, known) if *of == thread && known == name);
        if let Some(number) = numbers.find(hash, is_it) {
            return *number;
        }
        let number = names.len() as u32;
        names.push((thread, name.into()));
        current.push(Current::default());
        touches.push(Vec::new());
        numbers.insert_unique(hash, number, |number| {
            let (thread, name) = &names[*number as usize];
            hasher.hash_one((*thread, name.as_str()))
        });
        number
    }

    /// The current step, number `relative` in segment `segment`, has no more accesses.
    #[inline]
    pub(crate) fn end_step(&mut self, segment: u32, relative: u16) {
        // Steps in between have no accesses, or do not exist.
        while self.open.steps.len() < usize::from(relative) {
            let empty = self.shapes.number(&[]);
            let index = self.index_of(segment, empty);
            self.open.steps.push(index);
        }
        let shape = match self.expected {
            Some(expected) if self.expected_rest.is_empty() => expected,
            _ => self.shape_of_other(),
        };
        let index = self.index_of(segment, shape);
        self.open.steps.push(index);
    }

    /// The shape of the current step, which is not as expected.
    #[inline(never)]
    #[allow(
        clippy::indexing_slicing,
        reason = "numbers of registers and shapes are indices of the lists that they were made with"
    )]
    fn shape_of_other(&mut self) -> u32 {
        self.expect_nothing();
        let shape = self.shapes.number(&self.list);
        self.list.clear();
        if let Some(executed) = self.executed {
            let at = executed as usize;
            self.shapes_of.resize(self.shapes_of.len().max(at + 1), 0);
            self.shapes_of[at] = shape + 1;
        }
        shape
    }

    /// The place of a shape in the palette of the open segment.
    #[inline]
    #[allow(
        clippy::indexing_slicing,
        reason = "numbers of registers and shapes are indices of the lists that they were made with"
    )]
    fn index_of(&mut self, segment: u32, number: u32) -> u16 {
        let (latest, index) = &mut self.shapes.places[number as usize];
        if *latest != segment {
            // A segment has at most 65,536 steps, and at most one shape for each.
            (*latest, *index) = (segment, self.open.palette.len() as u16);
            self.open.palette.push(number);
        }
        *index
    }

    /// The piece ends, or a part of it. `first` is the first step of the open segment.
    #[allow(
        clippy::indexing_slicing,
        reason = "numbers of registers and shapes are indices of the lists that they were made with"
    )]
    pub(crate) fn end_piece(&mut self, piece: u32, first: u64) {
        let Self { open, shapes, current, touches, values, .. } = self;
        // From the last step back: the first access that is found of a register is its latest, and
        // of a shape no other step matters.
        let mut is_new = vec![true; open.palette.len()];
        let mut touched: Vec<(u32, u64, bool)> = Vec::new();
        for (relative, index) in open.steps.iter().enumerate().skip(self.ended).rev() {
            if !core::mem::take(&mut is_new[usize::from(*index)]) {
                continue;
            }
            for access in shapes.list(open.palette[usize::from(*index)]).iter().rev() {
                let (number, written) = (access >> 1, access & 1 != 0);
                let since = &mut current[number as usize].since;
                if *since == 0 {
                    touched.push((number, first + relative as u64, written));
                }
                *since |= if written { HAS_WRITE } else { HAS_READ };
            }
        }
        self.ended = open.steps.len();
        for (number, step, written) in touched {
            let current = &mut current[number as usize];
            let flag = |is_set: bool, flag| if is_set { flag } else { 0 };
            let flags = flag(written, WRITTEN) | flag(current.changed, CHANGED) | flag(current.is_ours, IS_OURS);
            let flags = flags | core::mem::take(&mut current.since);
            let start = values.len();
            match current.word {
                Some(word) => values.extend_from_slice(&word.to_le_bytes()),
                None => values.extend_from_slice(&current.value),
            }
            let (value, len) = (start as u32, (values.len() - start) as u32);
            let touches = &mut touches[number as usize];
            self.bytes_of_touches -= touches.capacity() * size_of::<Touch>();
            touches.push(Touch { piece, value, len, flags, step });
            self.bytes_of_touches += touches.capacity() * size_of::<Touch>();
        }
    }

    /// Ends the open segment.
    pub(crate) fn seal(&mut self) {
        let Part16 { mut palette, steps } = core::mem::take(&mut self.open);
        self.ended = 0;
        palette.shrink_to_fit();
        let is_narrow = palette.len() <= 256;
        let part = match is_narrow {
            true => Part { palette, narrow: steps.iter().map(|index| *index as u8).collect(), wide: Vec::new() },
            false => Part { palette, narrow: Vec::new(), wide: steps.as_slice().into() },
        };
        self.bytes_of_parts +=
            part.palette.capacity() * 4 + part.narrow.capacity() + part.wide.capacity() * 2 + size_of::<Part>();
        self.parts.push(part);
    }

    /// The registers of a thread at the beginning of a piece.
    pub(crate) fn at_piece(&self, thread: Option<u64>, piece: u32) -> Vec<Register> {
        let of_thread = self.names.iter().zip(&self.touches).filter(|((of, _), _)| *of == thread);
        of_thread
            .filter_map(|((_, name), touches)| {
                let touch = touches.get(touches.partition_point(|touch| touch.piece < piece).checked_sub(1)?)?;
                let value = self.values.get(touch.value as usize..(touch.value + touch.len) as usize)?;
                Some(Register {
                    name: name.clone(),
                    value: Some(value.into()),
                    step: touch.step,
                    written: touch.flags & WRITTEN != 0,
                    changed: touch.flags & CHANGED != 0,
                    is_ours: touch.flags & IS_OURS != 0,
                    next: None,
                })
            })
            .collect()
    }

    /// Whether a step accesses a register in a way.
    fn accesses(&self, segments: &Segments, step: u64, number: u32, kind: Kind) -> (bool, bool) {
        let Some((segment, relative)) = segments.place(step) else { return (false, false) };
        let shape = self.parts.get(segment as usize).and_then(|part| part.shape(relative));
        let list = shape.map_or(&[][..], |shape| self.shapes.list(shape));
        let has = |written| kind.includes(written) && list.contains(&(number << 1 | u32::from(written)));
        (has(false), has(true))
    }

    /// The nearest step after or before `step` that accesses a register. `steps_of` has the steps
    /// of a piece.
    pub(crate) fn nearest(
        &self,
        segments: &Segments,
        steps_of: impl Fn(u32) -> Range<u64>,
        step: u64,
        number: u32,
        kind: Kind,
        toward: Toward,
    ) -> Option<u64> {
        let touches = self.touches.get(number as usize)?;
        let is_access = |at: &u64| matches!(self.accesses(segments, *at, number, kind), (true, _) | (_, true));
        match toward {
            Toward::Next => {
                let at = touches.partition_point(|touch| steps_of(touch.piece).end <= step);
                let mut later =
                    touches.iter().skip(at).filter(|touch| touch.has(kind)).map(|touch| steps_of(touch.piece));
                later.find_map(|steps| (steps.start.max(step.saturating_add(1))..steps.end).find(is_access))
            }
            Toward::Previous => {
                let at = touches.partition_point(|touch| steps_of(touch.piece).start < step);
                let mut earlier = touches
                    .get(..at)
                    .unwrap_or_default()
                    .iter()
                    .rev()
                    .filter(|touch| touch.has(kind))
                    .map(|touch| steps_of(touch.piece));
                earlier.find_map(|steps| (steps.start..steps.end.min(step)).rev().find(is_access))
            }
        }
    }

    /// Passes on every access of a register by steps in a range, ascending: the step, and whether
    /// it is a write.
    pub(crate) fn history(
        &self,
        segments: &Segments,
        steps_of: impl Fn(u32) -> Range<u64>,
        steps: &Range<u64>,
        number: u32,
        mut each: impl FnMut(u64, bool),
    ) {
        let mut latest = None;
        for touch in self.touches.get(number as usize).map_or(&[][..], |touches| touches) {
            let of_piece = steps_of(touch.piece);
            if latest.replace(touch.piece) == Some(touch.piece) {
                continue;
            }
            for step in of_piece.start.max(steps.start)..of_piece.end.min(steps.end) {
                let (read, written) = self.accesses(segments, step, number, Kind::Any);
                if read {
                    each(step, false);
                }
                if written {
                    each(step, true);
                }
            }
        }
    }

    /// The steps in a range that access any of some registers, whose numbers ascend. A step may
    /// come several times, and out of order.
    pub(crate) fn steps_of_any(
        &self,
        segments: &Segments,
        steps_of: impl Fn(u32) -> Range<u64>,
        steps: &Range<u64>,
        numbers: &[u32],
        mut each: impl FnMut(u64),
    ) {
        let touches = numbers.iter().filter_map(|number| self.touches.get(*number as usize)).flatten();
        let mut pieces: Vec<u32> = touches.map(|touch| touch.piece).collect();
        pieces.sort_unstable();
        pieces.dedup();
        for of_piece in pieces.into_iter().map(steps_of) {
            for step in of_piece.start.max(steps.start)..of_piece.end.min(steps.end) {
                let Some((segment, relative)) = segments.place(step) else { continue };
                let shape = self.parts.get(segment as usize).and_then(|part| part.shape(relative));
                let list = shape.map_or(&[][..], |shape| self.shapes.list(shape));
                #[cfg(test)]
                self.looked_at.set(self.looked_at.get() + 1 + list.len());
                if list.iter().any(|access| numbers.binary_search(&(access >> 1)).is_ok()) {
                    each(step);
                }
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let of_names = self.names.capacity() * (size_of::<(Option<u64>, String)>() + size_of::<Current>() + 64);
        of_names
            + self.numbers.allocation_size()
            + self.shapes_of.capacity() * 4
            + self.bytes_of_parts
            + self.bytes_of_touches
            + self.values.capacity()
            + self.shapes.bytes()
            + self.parts.capacity() * size_of::<Part>()
            + self.open.steps.capacity() * 2
            + self.open.palette.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_length_are_compared_letter_by_letter() {
        let letters = b"abcdefghijkl";
        for len in 0..=letters.len() {
            let name = &letters[..len];
            assert!(is_name(name, &b"abcdefghijkl"[..len]));
            assert!(!is_name(name, &[name, b"x"].concat()) && !is_name(&[name, b"x"].concat(), name));
            for at in 0..len {
                let mut other = name.to_vec();
                other[at] = b'-';
                assert!(!is_name(name, &other), "{at} of {len}");
            }
        }
    }
}
