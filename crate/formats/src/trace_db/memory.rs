//! The buffers of the traced program: the memory map as it changes along a trace, and its state at
//! any offset.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use unspool_trace::kept;

/// An address that the reference neither stores nor finds.
const NEVER: u64 = u64::MAX;

/// Sizes of buffers by address, both in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryMap {
    sizes: BTreeMap<u64, u64>,
}

impl MemoryMap {
    /// Sets the size of the buffer at `address`; size 0 removes it. Returns whether this changes
    /// the map.
    pub fn set(&mut self, address: u64, size: u64) -> bool {
        match (address, size) {
            (NEVER, _) => false,
            (_, 0) => self.sizes.remove(&address).is_some(),
            _ => self.sizes.insert(address, size) != Some(size),
        }
    }

    /// The number of bytes from `pointer` to the end of its buffer. Only the nearest buffer at or
    /// below `pointer` is considered. A pointer to its end is still inside and has 0.
    pub fn bytes_from(&self, pointer: u64) -> Option<u64> {
        if pointer == NEVER {
            return None;
        }
        let (address, size) = self.sizes.range(..=pointer).next_back()?;
        size.checked_sub(pointer - address)
    }

    /// Addresses and sizes of all buffers, by address.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.sizes.iter().map(|(address, size)| (*address, *size))
    }

    /// The number of buffers.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there are no buffers.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }
}

/// Changes kept. Each takes 24 bytes, and twice that with the copies of the map.
const MAX_CHANGES: usize = 4 << 20;
/// Changes between two copies of a small map.
const CHANGES_PER_COPY: usize = 64 * 1024;

/// All changes of the map with their offsets. They give the map at any point without reading the
/// file up to it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct History {
    changes: Vec<Change>,
    /// Copies of the map, each with the number of changes before it. A copy is made after as many
    /// changes as the map has entries, so all copies together take no more memory than the changes.
    copies: Vec<(usize, Vec<(u64, u64)>)>,
    now: MemoryMap,
    since_copy: usize,
    lost: bool,
    /// Bytes of memory of the copies.
    #[serde(skip)]
    copy_bytes: u64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Change {
    at: u64,
    address: u64,
    size: u64,
}

impl History {
    /// Applies the entry at absolute offset `at`. Returns whether it changes the map.
    pub(crate) fn set(&mut self, at: u64, address: u64, size: u64) -> bool {
        if !self.now.set(address, size) {
            return false;
        }
        if self.lost || self.changes.len() >= MAX_CHANGES {
            self.lost = true;
            return true;
        }
        self.changes.push(Change { at, address, size });
        self.since_copy += 1;
        if self.since_copy >= CHANGES_PER_COPY.max(self.now.len()) {
            self.since_copy = 0;
            let copy: Vec<_> = self.now.sizes.iter().map(|(a, s)| (*a, *s)).collect();
            self.copy_bytes += kept::list(&copy);
            self.copies.push((self.changes.len(), copy));
        }
        true
    }

    /// Bytes of memory, about: nodes of the map are half full at least.
    pub(crate) fn bytes(&self) -> u64 {
        let now = (self.now.len() * 2 * size_of::<(u64, u64)>()) as u64;
        kept::list(&self.changes) + kept::list(&self.copies) + self.copy_bytes + now
    }

    /// The number of buffers at the end of what has been read.
    pub(crate) fn len(&self) -> usize {
        self.now.len()
    }

    /// The map before the entry at absolute offset `at`. `None` if there were more changes than are
    /// kept.
    pub(crate) fn before(&self, at: u64) -> Option<MemoryMap> {
        let end = self.changes.partition_point(|c| c.at < at);
        if self.lost && end == self.changes.len() {
            return None;
        }
        let copy =
            self.copies.partition_point(|(from, _)| *from <= end).checked_sub(1).and_then(|i| self.copies.get(i));
        let mut map = MemoryMap::default();
        let from = copy.map_or(0, |(from, sizes)| {
            map.sizes.extend(sizes.iter().copied());
            *from
        });
        for change in self.changes.get(from..end).unwrap_or_default() {
            map.set(change.address, change.size);
        }
        Some(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cases of the reference's own unit test.
    #[test]
    fn finds_what_the_reference_finds() {
        let mut map = MemoryMap::default();
        map.set(3, 10);
        map.set(100, 2);
        let found = [3, 100, 8, 101, 13, 102, 99, 2].map(|p| map.bytes_from(p));
        assert_eq!(found, [Some(10), Some(2), Some(5), Some(1), Some(0), Some(0), None, None]);
        map.set(3, 5);
        assert_eq!(map.bytes_from(3), Some(5));
        map.set(100, 0);
        assert_eq!(map.bytes_from(100), None);
        map.set(u64::MAX, 3);
        assert_eq!(map.bytes_from(u64::MAX), None);
        map.set(u64::MAX - 1, 3);
        assert_eq!((map.bytes_from(u64::MAX - 1), map.bytes_from(u64::MAX)), (Some(3), None));
    }

    #[test]
    fn the_map_is_known_at_any_offset() {
        let mut history = History::default();
        let mut map = MemoryMap::default();
        let mut at_times = Vec::new();
        for i in 0..300_000u64 {
            let (address, size) = (i * 2_654_435_761 % 1000 * 16, (i + i / 1000) % 5);
            if i % 29_989 == 0 {
                at_times.push((i * 17, map.clone()));
            }
            assert_eq!(history.set(i * 17, address, size), map.set(address, size));
        }
        assert!(history.copies.len() >= 2);
        for (at, expected) in at_times {
            assert_eq!(history.before(at), Some(expected));
        }
    }

    #[test]
    fn the_map_is_unknown_after_too_many_changes() {
        let mut history = History { lost: true, ..History::default() };
        assert!(history.set(5, 1, 1));
        assert_eq!(history.before(6), None);
    }
}
