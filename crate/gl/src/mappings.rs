//! Places in memory where buffers are mapped.

use core::hash::Hash;
use std::collections::BTreeMap;

use hashbrown::HashMap;

/// The mappings of buffers, each with what is known of it. A buffer has one at most. Memory that is
/// mapped once more belongs to the latest mapping: the end of an earlier one was not recorded.
#[derive(Clone, Debug)]
pub struct Mappings<K, T> {
    by_buffer: HashMap<K, (u64, T)>,
    /// Ends and buffers by the beginnings of ranges, which do not overlap.
    ranges: BTreeMap<u64, (u64, K)>,
    #[cfg(test)]
    visited: usize,
}

impl<K, T> Default for Mappings<K, T> {
    fn default() -> Self {
        Self {
            by_buffer: HashMap::new(),
            ranges: BTreeMap::new(),
            #[cfg(test)]
            visited: 0,
        }
    }
}

impl<K: Copy + Eq + Hash, T> Mappings<K, T> {
    /// A buffer is mapped at an address, in place of where it was mapped before.
    pub fn insert(&mut self, buffer: K, address: u64, length: u64, item: T) {
        self.remove(buffer);
        self.by_buffer.insert(buffer, (address, item));
        let end = address.saturating_add(length);
        if end == address {
            return;
        }
        while let Some((&from, range)) = self.ranges.range_mut(..end).next_back().filter(|(_, range)| range.0 > address)
        {
            #[cfg(test)]
            {
                self.visited += 1;
            }
            if from < address {
                range.0 = address;
                break;
            }
            self.ranges.remove(&from);
        }
        self.ranges.insert(address, (end, buffer));
    }

    /// A buffer is not mapped any more. Returns what was known of its mapping.
    pub fn remove(&mut self, buffer: K) -> Option<T> {
        let (address, item) = self.by_buffer.remove(&buffer)?;
        if self.ranges.get(&address).is_some_and(|(_, other)| *other == buffer) {
            self.ranges.remove(&address);
        }
        Some(item)
    }

    /// The mapping of a buffer.
    pub fn get(&self, buffer: K) -> Option<&T> {
        self.by_buffer.get(&buffer).map(|(_, item)| item)
    }

    /// The mapping of which an address is part.
    pub fn around(&self, address: u64) -> Option<(K, &T)> {
        let (_, (end, buffer)) = self.ranges.range(..=address).next_back()?;
        let item = self.get(*buffer).filter(|_| address < *end)?;
        Some((*buffer, item))
    }

    /// The buffers that are mapped, in no order.
    pub fn buffers(&self) -> impl Iterator<Item = K> {
        self.by_buffer.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_belongs_to_the_latest_mapping() {
        let mut all = Mappings::default();
        all.insert('a', 100, 100, 1);
        all.insert('b', 300, 100, 2);
        assert_eq!([99, 100, 199, 200].map(|at| all.around(at).map(|it| it.0)), [None, Some('a'), Some('a'), None]);
        all.insert('c', 150, 200, 3);
        let found = [149, 150, 349, 350].map(|at| all.around(at).map(|it| it.0));
        assert_eq!(found, [Some('a'), Some('c'), Some('c'), None]);
        // Its range is gone, and not what is known of it.
        assert_eq!(all.get('b'), Some(&2));
        assert_eq!(all.remove('b'), Some(2));
        assert_eq!(all.around(300), Some(('c', &3)));
        all.insert('c', 500, 0, 4);
        assert_eq!((all.around(500), all.get('c'), all.around(200)), (None, Some(&4), None));
        all.insert('d', u64::MAX - 1, 100, 5);
        assert_eq!((all.around(u64::MAX - 1), all.around(u64::MAX)), (Some(('d', &5)), None));
        assert_eq!([all.remove('a'), all.remove('a')], [Some(1), None]);
        assert_eq!(all.around(100), None);
    }

    #[test]
    fn mapping_costs_the_same_with_any_number_of_mappings() {
        let mut all = Mappings::default();
        for round in 0..3 {
            for buffer in 0..50_000_u64 {
                all.insert(buffer, (buffer + round) * 16, 16, ());
            }
        }
        // A range that reaches over all others takes their place once.
        for buffer in 50_000..100_000 {
            all.insert(buffer, 0, 1 << 30, ());
        }
        assert!(all.visited <= 300_000, "{}", all.visited);
        assert_eq!(all.around(7), Some((99_999, &())));
    }
}
