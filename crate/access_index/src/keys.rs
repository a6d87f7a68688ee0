//! Numbers for the cells and addresses of a trace, and the segments in which each occurs.

use core::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// No link.
const NONE: u32 = u32::MAX;

/// Keys of 64 bits, numbered in the order of their first occurrence. Each has a chain of the
/// segments that it occurs in, from the last one back.
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
    /// By number: space of [`Postings::group`], all 0 between its calls.
    places: Vec<u32>,
    /// The number that was asked for last, and by number the one that came after it last: what runs
    /// repeats itself.
    latest: u32,
    after: Vec<u32>,
}

impl Keys {
    /// The number of a key, which becomes known.
    #[inline]
    pub(crate) fn number(&mut self, key: u64) -> u32 {
        let expected = self.after.get(self.latest as usize).copied().unwrap_or_default();
        let number = match self.keys.get(expected as usize) {
            Some(known) if *known == key => expected,
            _ => self.number_of_other(key),
        };
        self.latest = number;
        number
    }

    #[inline(never)]
    #[allow(clippy::indexing_slicing, reason = "numbers of keys are indices of the lists that they were made with")]
    fn number_of_other(&mut self, key: u64) -> u32 {
        let Self { keys, table, hasher, heads, after, .. } = self;
        let hash = hasher.hash_one(key);
        let number = match table.find(hash, |number| keys[*number as usize] == key) {
            Some(number) => *number,
            None => {
                let number = keys.len() as u32;
                keys.push(key);
                heads.push(NONE);
                after.push(number);
                table.insert_unique(hash, number, |number| hasher.hash_one(keys[*number as usize]));
                number
            }
        };
        if let Some(after) = after.get_mut(self.latest as usize) {
            *after = number;
        }
        number
    }

    /// The number of a key, if it occurs.
    #[allow(clippy::indexing_slicing, reason = "numbers of keys are indices of the lists that they were made with")]
    pub(crate) fn find(&self, key: u64) -> Option<u32> {
        self.table.find(self.hasher.hash_one(key), |number| self.keys[*number as usize] == key).copied()
    }

    /// The key with a number.
    #[allow(clippy::indexing_slicing, reason = "numbers of keys are indices of the lists that they were made with")]
    pub(crate) fn key(&self, number: u32) -> u64 {
        self.keys[number as usize]
    }

    /// A key occurs in a segment, which is not before the last one of its chain.
    #[allow(clippy::indexing_slicing, reason = "numbers of keys are indices of the lists that they were made with")]
    pub(crate) fn link(&mut self, number: u32, segment: u32) {
        let head = &mut self.heads[number as usize];
        self.links.push((segment, *head));
        *head = (self.links.len() - 1) as u32;
    }

    /// The segments in which a key occurs, from the last one back.
    #[allow(clippy::indexing_slicing, reason = "numbers of keys are indices of the lists that they were made with")]
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
        self.keys.capacity() * 8
            + (self.heads.capacity() + self.places.capacity() + self.after.capacity()) * 4
            + self.links.capacity() * 8
            + self.table.allocation_size()
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
    /// Groups steps by key. `pairs` has the key and the step of each posting in the order of steps.
    /// Calls `each` with the new place and the index of each pair, and adds the segment to the
    /// chains of the keys.
    #[allow(clippy::indexing_slicing, reason = "numbers of keys are indices of the lists that they were made with")]
    pub(crate) fn group(pairs: &[(u32, u16)], keys: &mut Keys, segment: u32, mut each: impl FnMut(u32, usize)) -> Self {
        keys.places.resize(keys.keys.len(), 0);
        let places = &mut keys.places;
        // Counted rather than sorted: few keys have most postings.
        let mut ids: Vec<u32> = Vec::new();
        for (id, _) in pairs {
            let count = &mut places[*id as usize];
            if *count == 0 {
                ids.push(*id);
            }
            *count += 1;
        }
        ids.sort_unstable();
        ids.shrink_to_fit();
        let mut starts = Vec::with_capacity(ids.len() + 1);
        let mut next = 0;
        for id in &ids {
            starts.push(next);
            next += core::mem::replace(&mut places[*id as usize], next);
        }
        starts.push(next);
        let mut steps = vec![0; pairs.len()];
        for (i, (id, step)) in pairs.iter().enumerate() {
            let place = &mut places[*id as usize];
            steps[*place as usize] = *step;
            each(*place, i);
            *place += 1;
        }
        for id in &ids {
            keys.places[*id as usize] = 0;
            keys.link(*id, segment);
        }
        Self { ids, starts, steps }
    }

    /// The place of a key, and its postings. `None` if it does not occur.
    pub(crate) fn of(&self, id: u32) -> Option<(usize, core::ops::Range<usize>)> {
        let at = self.ids.binary_search(&id).ok()?;
        let (start, end) = (self.starts.get(at)?, self.starts.get(at + 1)?);
        Some((at, *start as usize..*end as usize))
    }

    /// The steps of some postings.
    pub(crate) fn of_range(&self, range: core::ops::Range<usize>) -> &[u16] {
        self.steps.get(range).unwrap_or_default()
    }

    /// All keys with their postings.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u32, core::ops::Range<usize>)> {
        let ranges =
            self.starts.iter().zip(self.starts.iter().skip(1)).map(|(start, end)| *start as usize..*end as usize);
        self.ids.iter().copied().zip(ranges)
    }

    /// For each key, where its postings begin.
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.ids.capacity() + self.starts.capacity()) * 4 + self.steps.capacity() * 2
    }
}
