//! Which buffers there are: the memory map that runs along a trace, and how it was at any place of the file.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// An address that the reference neither stores nor finds.
const NEVER: u64 = u64::MAX;

/// Sizes of buffers by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryMap {
    sizes: BTreeMap<u64, u64>,
}

impl MemoryMap {
    /// From `address` on there are `size` bytes; with none the buffer is no more. Answers whether that is news.
    pub fn set(&mut self, address: u64, size: u64) -> bool {
        match (address, size) {
            (NEVER, _) => false,
            (_, 0) => self.sizes.remove(&address).is_some(),
            _ => self.sizes.insert(address, size) != Some(size),
        }
    }

    /// How many bytes there are from a pointer on. Only the nearest buffer that begins there or below counts, and its end
    /// belongs to it: what points there has 0.
    pub fn bytes_from(&self, pointer: u64) -> Option<u64> {
        if pointer == NEVER {
            return None;
        }
        let (address, size) = self.sizes.range(..=pointer).next_back()?;
        size.checked_sub(pointer - address)
    }

    /// How many buffers there are.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }
}

/// Changes that are remembered: 24 bytes each, and with the copies of the map twice that.
const MOST_CHANGES: usize = 4 << 20;
/// Changes to make again at the most, for a map that is small.
const CHANGES_APART: usize = 64 * 1024;

/// Every change of the map with its place, so that the map of any point is there without reading the file up to it.
#[derive(Debug, Default)]
pub(crate) struct History {
    changes: Vec<Change>,
    /// Copies of the map before the change of this number. One is made when there have been as many changes as it has
    /// entries, so all of them together take no more memory than the changes.
    copies: Vec<(usize, Vec<(u64, u64)>)>,
    now: MemoryMap,
    since_copy: usize,
    lost: bool,
}

#[derive(Clone, Copy, Debug)]
struct Change {
    at: u64,
    address: u64,
    size: u64,
}

impl History {
    /// Takes in what the entry at `at` says; answers whether that is news.
    pub(crate) fn set(&mut self, at: u64, address: u64, size: u64) -> bool {
        if !self.now.set(address, size) {
            return false;
        }
        if self.lost || self.changes.len() >= MOST_CHANGES {
            self.lost = true;
            return true;
        }
        self.changes.push(Change { at, address, size });
        self.since_copy += 1;
        if self.since_copy >= CHANGES_APART.max(self.now.len()) {
            self.since_copy = 0;
            self.copies.push((self.changes.len(), self.now.sizes.iter().map(|(a, s)| (*a, *s)).collect()));
        }
        true
    }

    /// Buffers there are at the end of what has been read.
    pub(crate) fn len(&self) -> usize {
        self.now.len()
    }

    /// The map as it was before the entry at `at`; nothing where there were more changes than are remembered.
    pub(crate) fn before(&self, at: u64) -> Option<MemoryMap> {
        let end = self.changes.partition_point(|c| c.at < at);
        if self.lost && end == self.changes.len() {
            return None;
        }
        let copy =
            self.copies.partition_point(|(from, _)| *from <= end).checked_sub(1).and_then(|i| self.copies.get(i));
        let (from, sizes) = match copy {
            Some((from, sizes)) => (*from, sizes.iter().copied().collect()),
            None => (0, BTreeMap::new()),
        };
        let mut map = MemoryMap { sizes };
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
    fn the_map_of_any_place_is_there() {
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
    fn changes_beyond_what_is_remembered_are_owned_up_to() {
        let mut history = History { lost: true, ..History::default() };
        assert!(history.set(5, 1, 1));
        assert_eq!(history.before(6), None);
    }
}
