//! A set of rows of a lane, with the number of those before any row.

/// Words of 64 rows that share a count.
const GROUP: usize = 8;

/// Some of the rows of a lane: a bit for each, and a count for every 512.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Picked {
    words: Vec<u64>,
    /// Number of rows picked before each group.
    before: Vec<u64>,
    count: u64,
}

impl Picked {
    /// None of `rows` rows.
    pub(crate) fn new(rows: u64) -> Self {
        let words = usize::try_from(rows.div_ceil(64)).unwrap_or(0);
        Self { words: vec![0; words], before: Vec::new(), count: 0 }
    }

    /// Picks a row. Rows may come in any order, all of them before [`Picked::finish`].
    #[inline]
    pub(crate) fn pick(&mut self, row: u64) {
        if let Some(word) = self.words.get_mut((row / 64) as usize) {
            *word |= 1 << (row % 64);
        }
    }

    /// Whether a row was picked.
    pub(crate) fn has(&self, row: u64) -> bool {
        self.words.get((row / 64) as usize).is_some_and(|word| word >> (row % 64) & 1 != 0)
    }

    /// How many rows were picked before [`Picked::finish`].
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Allocated memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        (self.words.capacity() + self.before.capacity()) * size_of::<u64>()
    }

    /// Counts what was picked.
    pub(crate) fn finish(&mut self) {
        self.before.clear();
        self.count = 0;
        for group in self.words.chunks(GROUP) {
            self.before.push(self.count);
            self.count += group.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        }
    }

    /// Number of rows picked before `row`.
    pub(crate) fn rank(&self, row: u64) -> u64 {
        let at = (row / 64) as usize;
        if at >= self.words.len() {
            return self.count;
        }
        let group = at / GROUP;
        let whole = self.words.get(group * GROUP..at).unwrap_or_default();
        let part = self.words.get(at).map_or(0, |word| word & ((1 << (row % 64)) - 1));
        self.before.get(group).copied().unwrap_or(0)
            + whole.iter().map(|word| u64::from(word.count_ones())).sum::<u64>()
            + u64::from(part.count_ones())
    }

    /// The row with `rank` picked ones before it. `None` beyond the last.
    pub(crate) fn select(&self, rank: u64) -> Option<u64> {
        if rank >= self.count {
            return None;
        }
        let group = self.before.partition_point(|before| *before <= rank).checked_sub(1)?;
        let mut left = rank - self.before.get(group)?;
        for (at, word) in self.words.iter().enumerate().skip(group * GROUP) {
            let ones = u64::from(word.count_ones());
            if left < ones {
                let mut word = *word;
                for _ in 0..left {
                    word &= word - 1;
                }
                return Some(at as u64 * 64 + u64::from(word.trailing_zeros()));
            }
            left -= ones;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranks_and_selects_like_a_list(mut rows in prop::collection::vec(0u64..3000, 0..400)) {
            let mut picked = Picked::new(3000);
            for row in &rows {
                picked.pick(*row);
            }
            picked.finish();
            rows.sort_unstable();
            rows.dedup();
            prop_assert_eq!(picked.rank(u64::MAX), rows.len() as u64);
            for row in [0, 63, 64, 511, 512, 2999, 3000, 9999] {
                prop_assert_eq!(picked.rank(row), rows.partition_point(|r| *r < row) as u64);
            }
            for (rank, row) in (0..).zip(&rows) {
                prop_assert_eq!(picked.select(rank), Some(*row));
                prop_assert_eq!(picked.rank(*row), rank);
                prop_assert!(picked.has(*row));
            }
            prop_assert_eq!(picked.select(rows.len() as u64), None);
        }
    }
}
