//! Numbers for the cells and addresses of a trace, and the segments in which each occurs.

use core::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// No link.
const NONE: u32 = u32::MAX;

/// Keys of 64 bits, numbered in the order of their first occurrence. Each has a chain of the segments that it occurs in, from the
/// last one back.
#[derive(Default)]
pub(crate) struct Keys {
    keys: Vec<u64>,
    /// By key, numbers.
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// By number: the last link of its chain.
    heads: Vec<u32>,
    /// A segment, and the previous link of the chain.
    links: Vec<(u32, u32)>,
    /// The key that was asked for last, with its number: a loop stays where it is.
    latest: Option<(u64, u32)>,
}

impl Keys {
    /// The number of a key, which becomes known.
    #[inline]
    pub(crate) fn number(&mut self, key: u64) -> u32 {
        match self.latest {
            Some((latest, number)) if latest == key => number,
            _ => self.number_of_other(key),
        }
    }

    fn number_of_other(&mut self, key: u64) -> u32 {
        let Self { keys, table, hasher, heads, .. } = self;
        let hash = hasher.hash_one(key);
        let number = match table.find(hash, |number| keys[*number as usize] == key) {
            Some(number) => *number,
            None => {
                let number = keys.len() as u32;
                keys.push(key);
                heads.push(NONE);
                table.insert_unique(hash, number, |number| hasher.hash_one(keys[*number as usize]));
                number
            }
        };
        self.latest = Some((key, number));
        number
    }

    /// The number of a key, if it occurs.
    pub(crate) fn find(&self, key: u64) -> Option<u32> {
        self.table.find(self.hasher.hash_one(key), |number| self.keys[*number as usize] == key).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The key with a number.
    pub(crate) fn key(&self, number: u32) -> u64 {
        self.keys[number as usize]
    }

    /// A key occurs in a segment, which is not before the last one of its chain.
    pub(crate) fn link(&mut self, number: u32, segment: u32) {
        let head = &mut self.heads[number as usize];
        self.links.push((segment, *head));
        *head = (self.links.len() - 1) as u32;
    }

    /// The segments in which a key occurs, from the last one back.
    pub(crate) fn segments(&self, number: u32) -> impl Iterator<Item = u32> {
        let mut link = self.heads[number as usize];
        core::iter::from_fn(move || {
            let (segment, previous) = *self.links.get(link as usize)?;
            link = previous;
            Some(segment)
        })
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.keys.capacity() * 8 + self.heads.capacity() * 4 + self.links.capacity() * 8 + self.table.allocation_size()
    }
}

/// Which steps of a segment belong to each key, as 16-bit distances from its first step.
#[derive(Default)]
pub(crate) struct Postings {
    /// Numbers of keys, ascending.
    ids: Vec<u32>,
    /// For each of them where its steps begin, and one more.
    starts: Vec<u32>,
    pub(crate) steps: Vec<u16>,
}

impl Postings {
    /// Groups steps by key. `pairs` has the key and the step of each posting in the order of steps. Calls `each` with the indices of
    /// the pairs in their new order, and adds the segment to the chains of the keys.
    pub(crate) fn group(pairs: &[(u32, u16)], keys: &mut Keys, segment: u32, mut each: impl FnMut(usize)) -> Self {
        // Key and place in one number, so that one fast sort keeps the order of steps.
        let mut order: Vec<u64> = (0u64..).zip(pairs).map(|(i, (id, _))| u64::from(*id) << 32 | i).collect();
        order.sort_unstable();
        let mut found = Self { steps: Vec::with_capacity(pairs.len()), ..Self::default() };
        let mut latest = None;
        let distinct = order.iter().filter(|key| latest.replace(**key >> 32) != Some(**key >> 32)).count();
        found.ids.reserve_exact(distinct);
        found.starts.reserve_exact(distinct + 1);
        for key in order {
            let (id, i) = ((key >> 32) as u32, key as u32 as usize);
            if found.ids.last() != Some(&id) {
                found.ids.push(id);
                found.starts.push(found.steps.len() as u32);
                keys.link(id, segment);
            }
            found.steps.push(pairs[i].1);
            each(i);
        }
        found.starts.push(found.steps.len() as u32);
        found
    }

    /// The place of a key, and its postings. `None` if it does not occur.
    pub(crate) fn of(&self, id: u32) -> Option<(usize, core::ops::Range<usize>)> {
        let at = self.ids.binary_search(&id).ok()?;
        Some((at, self.starts[at] as usize..self.starts[at + 1] as usize))
    }

    /// For each key, where its postings begin.
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.ids.capacity() + self.starts.capacity()) * 4 + self.steps.capacity() * 2
    }
}
