//! A set of rows of a lane, with the number of those before any row.

use std::collections::BTreeMap;

/// Words of 64 rows that share a count.
const GROUP: usize = 8;

/// Rows of a lane whose bits are all kept: 128 MiB of them. A lane with more is that of a database
/// with transitions of which most are not in it.
const DENSE: u64 = 1 << 30;
/// Words of such a lane that are kept at most.
const MOST_SPARSE: usize = if cfg!(test) { 1 << 12 } else { 1 << 22 };

/// Some of the rows of a lane: a bit for each, and a count for every 512.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picked {
    words: Words,
    /// Number of rows picked before each group of words that are kept.
    before: Vec<u64>,
    count: u64,
}

/// Words of 64 rows each.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Words {
    Dense(Vec<u64>),
    /// Those that are not 0, by number. In `kept` once they are counted, ascending.
    Sparse {
        found: BTreeMap<u64, u64>,
        kept: Vec<(u64, u64)>,
        is_full: bool,
    },
}

impl Default for Words {
    fn default() -> Self {
        Self::Dense(Vec::new())
    }
}

impl Picked {
    /// None of `rows` rows.
    pub fn new(rows: u64) -> Self {
        let words = if rows <= DENSE {
            Words::Dense(vec![0; rows.div_ceil(64) as usize])
        } else {
            Words::Sparse { found: BTreeMap::new(), kept: Vec::new(), is_full: false }
        };
        Self { words, before: Vec::new(), count: 0 }
    }

    /// Picks a row. Rows may come in any order, all of them before [`Picked::finish`].
    #[inline]
    pub fn pick(&mut self, row: u64) {
        match &mut self.words {
            Words::Dense(words) => {
                if let Some(word) = words.get_mut((row / 64) as usize) {
                    *word |= 1 << (row % 64);
                }
            }
            Words::Sparse { found, is_full, .. } => {
                *is_full |= found.len() >= MOST_SPARSE && !found.contains_key(&(row / 64));
                if !*is_full {
                    *found.entry(row / 64).or_default() |= 1 << (row % 64);
                }
            }
        }
    }

    /// Whether rows that were picked are missing, because there is no room for them.
    pub fn is_full(&self) -> bool {
        matches!(self.words, Words::Sparse { is_full: true, .. })
    }

    /// Whether a row was picked.
    pub fn has(&self, row: u64) -> bool {
        let word = match &self.words {
            Words::Dense(words) => words.get((row / 64) as usize),
            Words::Sparse { found, .. } => found.get(&(row / 64)),
        };
        word.is_some_and(|word| word >> (row % 64) & 1 != 0)
    }

    /// How many rows were picked before [`Picked::finish`].
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Allocated memory, in bytes.
    pub fn bytes(&self) -> usize {
        let words = match &self.words {
            Words::Dense(words) => words.capacity() * size_of::<u64>(),
            Words::Sparse { found, kept, .. } => (found.len() + kept.capacity()) * size_of::<(u64, u64)>(),
        };
        words + self.before.capacity() * size_of::<u64>()
    }

    /// Counts what was picked.
    pub fn finish(&mut self) {
        self.before.clear();
        self.count = 0;
        let Self { words, before, count } = self;
        let mut add = |ones: u64| {
            before.push(*count);
            *count += ones;
        };
        match words {
            Words::Dense(words) => {
                words.chunks(GROUP).for_each(|group| add(group.iter().map(|word| u64::from(word.count_ones())).sum()));
            }
            Words::Sparse { found, kept, .. } => {
                kept.clear();
                kept.extend(found.iter().map(|(at, word)| (*at, *word)));
                kept.chunks(GROUP)
                    .for_each(|group| add(group.iter().map(|(_, word)| u64::from(word.count_ones())).sum()));
            }
        }
    }

    /// The word at a place among those that are kept, with its number.
    fn word(&self, at: usize) -> Option<(u64, u64)> {
        match &self.words {
            Words::Dense(words) => Some((at as u64, *words.get(at)?)),
            Words::Sparse { kept, .. } => kept.get(at).copied(),
        }
    }

    /// Number of rows picked before `row`.
    pub fn rank(&self, row: u64) -> u64 {
        let at = match &self.words {
            Words::Dense(_) => usize::try_from(row / 64).unwrap_or(usize::MAX),
            Words::Sparse { kept, .. } => kept.partition_point(|(number, _)| *number < row / 64),
        };
        let Some((number, last)) = self.word(at) else { return self.count };
        let group = at / GROUP;
        let whole = (group * GROUP..at).filter_map(|at| self.word(at));
        let part = if number == row / 64 { last & ((1 << (row % 64)) - 1) } else { 0 };
        self.before.get(group).copied().unwrap_or(0)
            + whole.map(|(_, word)| u64::from(word.count_ones())).sum::<u64>()
            + u64::from(part.count_ones())
    }

    /// The row with `rank` picked ones before it. `None` beyond the last.
    pub fn select(&self, rank: u64) -> Option<u64> {
        if rank >= self.count {
            return None;
        }
        let group = self.before.partition_point(|before| *before <= rank).checked_sub(1)?;
        let mut left = rank - self.before.get(group)?;
        for at in group * GROUP.. {
            let (number, mut word) = self.word(at)?;
            let ones = u64::from(word.count_ones());
            if left < ones {
                for _ in 0..left {
                    word &= word - 1;
                }
                return Some(number * 64 + u64::from(word.trailing_zeros()));
            }
            left -= ones;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranks_and_selects_like_a_list(
            mut rows in prop::collection::vec(0u64..3000, 0..400),
            // Far apart in a lane of which few words are kept.
            stride in prop_oneof![Just(1u64), Just(1 << 40)],
        ) {
            let most = 3000 * stride;
            rows.iter_mut().for_each(|row| *row *= stride);
            let mut picked = Picked::new(most);
            for row in &rows {
                picked.pick(*row);
            }
            picked.finish();
            rows.sort_unstable();
            rows.dedup();
            prop_assert_eq!(picked.rank(u64::MAX), rows.len() as u64);
            for row in [0, 63, 64, 511, 512, 2999, 3000, 9999].map(|row| row * stride) {
                prop_assert_eq!(picked.rank(row), rows.partition_point(|r| *r < row) as u64);
                prop_assert_eq!(picked.rank(row + 1), rows.partition_point(|r| *r <= row) as u64);
            }
            for (rank, row) in (0..).zip(&rows) {
                prop_assert_eq!(picked.select(rank), Some(*row));
                prop_assert_eq!(picked.rank(*row), rank);
                prop_assert!(picked.has(*row));
            }
            prop_assert_eq!(picked.select(rows.len() as u64), None);
        }
    }

    #[test]
    fn a_lane_of_any_length_takes_memory_by_what_was_picked() {
        let mut picked = Picked::new(u64::MAX);
        (0..2 * MOST_SPARSE as u64).for_each(|row| picked.pick(row * 4096));
        picked.finish();
        assert!(picked.is_full());
        assert_eq!(picked.count(), MOST_SPARSE as u64);
        assert!(picked.bytes() < 200 << 20);
    }
}
