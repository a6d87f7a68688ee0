//! The lifetimes of buffers, the pointers into them, and pointers that may lead out of them.
//!
//! A trace says the address and the size of a buffer when it is allocated, and size 0 when it is
//! freed. What a program does with its pointers is not recorded, so what is found here are
//! candidates.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use hashbrown::HashMap;
use unspool_formats::trace_db::wire::Tables;

use crate::columns::{Dictionary, Kind, Segment};

/// Lifetimes that are listed at most, and different candidates.
const MOST_LIFETIMES: usize = 1 << 20;
const MOST_CANDIDATES: usize = 1 << 14;
/// Points of a candidate that are listed.
const MOST_POINTS: usize = 64;
/// Names of pointers of one lifetime.
const MOST_NAMES: usize = 8;
/// A pointer at most this far from a buffer is taken for one that has left it.
const NEAR: u64 = 64;

/// A point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// Its number.
    pub point: u64,
    /// Its absolute offset.
    pub at: u64,
    /// The number of its statement in the dictionary.
    pub statement: u32,
}

/// A buffer, from where its size was said to where it is freed or gets another size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// Its first address.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Where it begins.
    pub from: At,
    /// Where it ends. `None` if it never does.
    pub to: Option<At>,
    /// It ends because the buffer gets another size, which begins the next lifetime.
    pub is_resized: bool,
    /// Values of pointers that point into it.
    pub pointers: u64,
    /// The fewest bytes that are left from such a pointer to the end. `None` without any.
    pub least_left: Option<u64>,
    /// The keys of the pointers in the dictionary: the first few.
    pub names: Vec<u32>,
}

/// What may be wrong with a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Suspicion {
    /// It points behind the end of a buffer.
    Past,
    /// It points before the begin of a buffer that it has pointed into.
    Before,
    /// Less than one element of its type is left of the buffer.
    Short,
    /// It points into a buffer that was freed.
    Freed,
}

impl Suspicion {
    /// A stable word: `past`, `before`, `short` or `freed`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Past => "past",
            Self::Before => "before",
            Self::Short => "short",
            Self::Freed => "freed",
        }
    }
}

/// A pointer that may be wrong, at one statement and in one lifetime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What may be wrong.
    pub why: Suspicion,
    /// The key of the pointer in the dictionary.
    pub key: u32,
    /// Where it was first seen, and how often.
    pub first: At,
    /// See [`Candidate::first`].
    pub count: u64,
    /// Numbers of the points where it was seen: the first few.
    pub points: Vec<u64>,
    /// Its first value.
    pub value: u64,
    /// The buffer: its address and its size in bytes.
    pub buffer: (u64, u64),
    /// Bytes from the pointer to the end of the buffer, or to its begin if it is before that;
    /// negative behind it.
    pub left: i64,
}

/// The buffers of a trace.
#[derive(Debug, Default)]
pub struct Buffers {
    lifetimes: Vec<Lifetime>,
    /// Lifetimes in all.
    count: u64,
    /// Bytes in use, and the most that were.
    in_use: u64,
    most_in_use: u64,
    /// What is live, and what was freed and not used again since: address, and number of the
    /// lifetime.
    live: BTreeMap<u64, Live>,
    freed: BTreeMap<u64, Live>,
    candidates: Vec<Candidate>,
    candidate_of: HashMap<(Suspicion, u32, u32, u64), usize>,
    is_cut: bool,
    /// For each key, the size of what it points to in bytes. 0 if it is unknown.
    pointees: Vec<u64>,
    /// The rows in the order that is shown.
    order: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Live {
    size: u64,
    /// The number of its lifetime, which may not be listed.
    number: usize,
}

/// What lifetimes are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferOrder {
    /// The order of the trace.
    From,
    /// The address.
    Address,
    /// The size.
    Size,
    /// The points that it lasts; those that never end come last.
    Length,
    /// The number of pointers.
    Pointers,
    /// The fewest bytes left.
    Left,
}

impl Buffers {
    /// Adds the points of a segment.
    pub(crate) fn add(&mut self, segment: &Segment, dictionary: &Dictionary, tables: &Tables) {
        for key in self.pointees.len()..dictionary.keys().len() {
            let (_, of_type) = dictionary.key(key as u32);
            self.pointees.push(pointee(&tables.type_name(of_type)));
        }
        let mut sizes = segment.buffers().iter().peekable();
        for point in 0..segment.len() {
            let at =
                At { point: segment.first + point as u64, at: segment.at(point), statement: segment.statement(point) };
            // As writers do: sizes come before the variables of a point.
            while let Some((_, address, size)) = sizes.next_if(|(of, ..)| *of as usize == point) {
                self.set(*address, *size, at);
            }
            if self.live.is_empty() && self.freed.is_empty() {
                continue;
            }
            for index in segment.variables(point) {
                if segment.kind.get(index) == Some(&Kind::Pointer) {
                    let pointer = segment.value.get(index).copied().unwrap_or(0);
                    self.pointer(segment.key(index), pointer, segment.buffer_size(index), at);
                }
            }
        }
    }

    /// The buffer at an address has a size.
    fn set(&mut self, address: u64, size: u64, at: At) {
        let before = self.live.get(&address).copied();
        if before.is_some_and(|live| live.size == size) || (before.is_none() && size == 0) || address == u64::MAX {
            return;
        }
        if let Some(Live { size: old, number }) = before {
            self.in_use = self.in_use.saturating_sub(old);
            if let Some(lifetime) = self.lifetimes.get_mut(number) {
                (lifetime.to, lifetime.is_resized) = (Some(at), size > 0);
            }
        }
        if size == 0 {
            if let Some(live) = self.live.remove(&address) {
                self.freed.insert(address, live);
            }
            return;
        }
        // Memory that is allocated again is no longer freed.
        let end = address.saturating_add(size);
        let again: Vec<u64> = self
            .freed
            .range(..end)
            .rev()
            .map_while(|(from, it)| (from.saturating_add(it.size) > address).then_some(*from))
            .collect();
        for from in again {
            self.freed.remove(&from);
        }
        let number = self.count as usize;
        self.count += 1;
        self.in_use = self.in_use.saturating_add(size);
        self.most_in_use = self.most_in_use.max(self.in_use);
        self.live.insert(address, Live { size, number });
        if number < MOST_LIFETIMES {
            self.order.push(number as u32);
            self.lifetimes.push(Lifetime {
                address,
                size,
                from: at,
                to: None,
                is_resized: false,
                pointers: 0,
                least_left: None,
                names: Vec::new(),
            });
        }
    }

    fn pointer(&mut self, key: u32, pointer: u64, left: Option<u64>, at: At) {
        let below = self.live.range(..=pointer).next_back().map(|(from, live)| (*from, *live));
        if let Some(left) = left {
            let Some((from, Live { size, number })) = below else { return };
            if let Some(lifetime) = self.lifetimes.get_mut(number) {
                lifetime.pointers += 1;
                lifetime.least_left = Some(lifetime.least_left.map_or(left, |least| least.min(left)));
                if lifetime.names.len() < MOST_NAMES && !lifetime.names.contains(&key) {
                    lifetime.names.push(key);
                }
            }
            // One behind the last element is a usual end of a loop.
            let whole = self.pointees.get(key as usize).copied().unwrap_or(0);
            if left > 0 && left < whole && from.saturating_add(size) == pointer.saturating_add(left) {
                self.suspect(Suspicion::Short, key, pointer, (from, size), left as i64, at);
            }
            return;
        }
        if let Some((from, Live { size, .. })) = self.freed.range(..=pointer).next_back().map(|(from, it)| (*from, *it))
            && pointer - from < size
        {
            self.suspect(Suspicion::Freed, key, pointer, (from, size), (from + size - pointer) as i64, at);
            return;
        }
        // Memory before a buffer is often one that nothing is known of: the pointer must have been
        // in the buffer.
        let above = self.live.range(pointer..).next().map(|(from, live)| (*from, *live));
        if let Some((from, Live { size, number })) = above.filter(|(from, _)| from - pointer <= NEAR)
            && self.lifetimes.get(number).is_some_and(|it| it.names.contains(&key))
        {
            self.suspect(Suspicion::Before, key, pointer, (from, size), (from - pointer) as i64, at);
            return;
        }
        if let Some((from, Live { size, .. })) = below {
            let past = pointer - from - size.min(pointer - from);
            if past > 0 && past <= NEAR {
                self.suspect(Suspicion::Past, key, pointer, (from, size), -(past as i64), at);
            }
        }
    }

    fn suspect(&mut self, why: Suspicion, key: u32, value: u64, buffer: (u64, u64), left: i64, first: At) {
        let next = self.candidates.len();
        let id = (why, key, first.statement, buffer.0);
        if let Some(known) = self.candidate_of.get(&id) {
            if let Some(candidate) = self.candidates.get_mut(*known) {
                candidate.count += 1;
                if candidate.points.len() < MOST_POINTS {
                    candidate.points.push(first.point);
                }
            }
        } else if next < MOST_CANDIDATES {
            self.candidate_of.insert(id, next);
            self.candidates.push(Candidate {
                why,
                key,
                first,
                count: 1,
                points: vec![first.point],
                value,
                buffer,
                left,
            });
        } else {
            self.is_cut = true;
        }
    }

    /// Number of lifetimes, and of those that are listed.
    pub fn counts(&self) -> (u64, usize) {
        (self.count, self.lifetimes.len())
    }

    /// Number of rows: the lifetimes of the range that they were sorted for, all before that.
    pub fn rows(&self) -> usize {
        self.order.len()
    }

    /// Number of buffers that are never freed.
    pub fn never_freed(&self) -> usize {
        self.live.len()
    }

    /// The most bytes that were in use at the same time.
    pub fn most_in_use(&self) -> u64 {
        self.most_in_use
    }

    /// Pointers that may be wrong, and whether these are all.
    pub fn candidates(&self) -> (&[Candidate], bool) {
        (&self.candidates, !self.is_cut)
    }

    /// The lifetime in a row, in the order that is shown.
    pub fn get(&self, row: usize) -> Option<&Lifetime> {
        self.lifetimes.get(*self.order.get(row)? as usize)
    }

    /// Sorts the rows of the lifetimes that have a point in a range. Equal ones stay in the order
    /// of the trace.
    pub fn sort(&mut self, by: BufferOrder, descending: bool, range: &Range<u64>) {
        let Self { order, lifetimes, .. } = self;
        let is_within = |it: &Lifetime| {
            it.from.point < range.end && it.to.is_none_or(|to| to.point >= range.start) && !range.is_empty()
        };
        order.clear();
        order.extend((0..).zip(lifetimes.iter()).filter(|(_, it)| is_within(it)).map(|(row, _): (u32, _)| row));
        let key = |row: &u32| -> u64 {
            let Some(it) = lifetimes.get(*row as usize) else { return 0 };
            let key = match by {
                BufferOrder::From => u64::from(*row),
                BufferOrder::Address => it.address,
                BufferOrder::Size => it.size,
                BufferOrder::Length => it.to.map_or(u64::MAX, |to| to.point - it.from.point),
                BufferOrder::Pointers => it.pointers,
                BufferOrder::Left => it.least_left.unwrap_or(u64::MAX),
            };
            if descending { !key } else { key }
        };
        order.sort_by_key(key);
    }
}

/// The size of what a pointer of this type points to, in bytes, as on most 64-bit systems. 0 if it
/// is unknown. Types are written with `*` for a pointer and `[n]` for an array in front.
fn pointee(name: &str) -> u64 {
    let Some(inner) = name.trim_start().strip_prefix('*') else {
        // The elements of an array.
        let Some(inner) = name.trim_start().strip_prefix('[').and_then(|it| it.split_once(']')) else { return 0 };
        return scalar(inner.1);
    };
    scalar(inner)
}

fn scalar(name: &str) -> u64 {
    let name = name.trim_start();
    if name.starts_with('*') {
        return 8;
    }
    if name.starts_with('[') {
        return 0;
    }
    let has = |word: &str| name.split_whitespace().any(|it| it == word);
    let is = |words: &[&str]| words.iter().any(|word| has(word));
    if is(&["char", "int8_t", "uint8_t", "bool", "_Bool"]) {
        1
    } else if is(&["short", "int16_t", "uint16_t"]) {
        2
    } else if is(&["double", "long", "int64_t", "uint64_t", "size_t", "ssize_t", "intptr_t", "uintptr_t"]) {
        // A long double takes 16.
        if has("long") && has("double") { 16 } else { 8 }
    } else if is(&["int", "unsigned", "signed", "float", "int32_t", "uint32_t"]) {
        4
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_say_the_size_of_an_element() {
        let of = [
            "*char",
            "*int",
            "[16]short int",
            "*const unsigned long",
            "**char",
            "*void",
            "*[4]int",
            "int",
            "*long double",
        ];
        assert_eq!(of.map(pointee), [1, 4, 2, 8, 8, 0, 0, 0, 16]);
    }
}
