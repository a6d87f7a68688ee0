//! Durations of the slices of one name, counted in logarithmic buckets.

use unspool_trace::sort;

/// Buckets per octave, as a power of two. A bucket is at most a 64th of its values wide, so its
/// middle is off by less than one percent.
const SUB: u32 = 6;
/// Buckets for all 64-bit durations.
pub(super) const COUNT: usize = ((64 - SUB as usize) << SUB) + (1 << SUB);
/// Fewest values that make up a window.
const LEAST: usize = 16;

/// The bucket of a duration. Durations below 128 have one bucket each.
#[inline]
pub(super) fn bucket_of(duration: u64) -> usize {
    let shift = (duration | 1 << SUB).ilog2() - SUB;
    ((shift as usize) << SUB) + (duration >> shift) as usize
}

/// The lowest duration of a bucket, and the bucket's width as a power of two.
pub(super) fn bounds_of(bucket: usize) -> (u64, u32) {
    let shift = (bucket >> SUB).saturating_sub(1);
    (((bucket - (shift << SUB)) as u64) << shift, shift as u32)
}

/// The rank of a percentile among `count` values, from 1: at least `percent` percent of the values
/// are at most the one with this rank.
pub(super) fn rank_of(percent: u64, count: u64) -> u64 {
    (count * percent).div_ceil(100).max(1)
}

/// Counts of durations. A window counts buckets that are close together. Durations outside it are
/// kept one by one, until there are as many of them as a window that includes them would have
/// buckets. Memory is a few bytes for each slice, and at most 23 KiB.
#[derive(Clone, Debug, Default)]
pub(super) struct Buckets {
    base: usize,
    window: Vec<u32>,
    beside: Vec<u16>,
}

impl Buckets {
    #[inline]
    pub(super) fn add(&mut self, duration: u64) {
        let bucket = bucket_of(duration);
        match self.window.get_mut(bucket.wrapping_sub(self.base)) {
            Some(count) => *count += 1,
            None => self.add_beside(bucket),
        }
    }

    #[cold]
    fn add_beside(&mut self, bucket: usize) {
        self.beside.push(bucket as u16);
        // Checked whenever the list has doubled.
        if self.beside.len() < LEAST || !self.beside.len().is_power_of_two() {
            return;
        }
        let end = self.base + self.window.len();
        let mut wanted = if self.window.is_empty() { (usize::MAX, 0) } else { (self.base, end) };
        for bucket in &self.beside {
            wanted = (wanted.0.min(usize::from(*bucket)), wanted.1.max(usize::from(*bucket) + 1));
        }
        if wanted.1 - wanted.0 > self.beside.len().max(LEAST) * 2 {
            return;
        }
        let mut window = vec![0; wanted.1 - wanted.0];
        let at = self.base.saturating_sub(wanted.0);
        if let Some(old) = window.get_mut(at..at + self.window.len()) {
            old.copy_from_slice(&self.window);
        }
        for bucket in self.beside.drain(..) {
            if let Some(count) = window.get_mut(usize::from(bucket) - wanted.0) {
                *count += 1;
            }
        }
        (self.base, self.window) = (wanted.0, window);
    }

    /// The durations at these percentiles, in ascending order, to within one percent, and whether
    /// each is exact: where it is the longest one, or all durations of its bucket are the same.
    pub(super) fn percentiles<const N: usize>(&self, percents: [u64; N], (min, max): (u64, u64)) -> [(u64, bool); N] {
        let mut beside: Vec<_> = self.beside.iter().map(|bucket| (u64::from(*bucket), 1)).collect();
        sort::pairs(&mut beside);
        let count = beside.len() as u64 + self.window.iter().map(|c| u64::from(*c)).sum::<u64>();
        let window = self.window.iter().enumerate().map(|(i, count)| (self.base + i, u64::from(*count)));
        let (below, above) = beside.split_at(beside.partition_point(|(bucket, _)| *bucket < self.base as u64));
        let one = |(bucket, count): &(u64, u32)| (*bucket as usize, u64::from(*count));
        let mut all = below.iter().map(one).chain(window).chain(above.iter().map(one));
        let (mut seen, mut last) = (0, 0);
        percents.map(|percent| {
            let rank = rank_of(percent, count);
            if rank == count {
                return (max, true);
            }
            while seen < rank
                && let Some((bucket, count)) = all.next()
            {
                seen += count;
                last = bucket;
            }
            let (low, shift) = bounds_of(last);
            ((low + ((1 << shift) >> 1)).clamp(min, max), shift == 0 || min == max)
        })
    }

    /// Allocated memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.window.capacity() * size_of::<u32>() + self.beside.capacity() * size_of::<u16>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(values: &[u64]) -> Buckets {
        let mut buckets = Buckets::default();
        values.iter().for_each(|v| buckets.add(*v));
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let percents = [1, 50, 90, 99, 100];
        let ends = (sorted[0], sorted[sorted.len() - 1]);
        for (percent, (found, is_exact)) in percents.into_iter().zip(buckets.percentiles(percents, ends)) {
            let exact = sorted[rank_of(percent, sorted.len() as u64) as usize - 1];
            assert!(!is_exact || found == exact, "{percent} %: {found} is not exactly {exact}");
            assert!(found.abs_diff(exact) as f64 <= exact as f64 * 0.01, "{percent} %: {found}, exactly {exact}");
        }
        buckets
    }

    #[test]
    fn every_duration_is_within_its_bucket() {
        for value in (0..64).flat_map(|bit| [1u64 << bit, (1 << bit) - 1, (1 << bit) + 1, u64::MAX >> bit]) {
            let (low, shift) = bounds_of(bucket_of(value));
            assert!(value >= low && value - low < 1 << shift, "{value}: {low} and 2^{shift}");
            assert!(bucket_of(value) < COUNT);
        }
        assert_eq!(bucket_of(u64::MAX), COUNT - 1);
    }

    #[test]
    fn durations_far_apart_take_little_memory() {
        // A window over all of it would be a hundred times as large.
        let few = check(&[1, 1 << 40, 3, 1 << 60, 1 << 61, 5, 5, 5, 7, 1 << 39, 1 << 38, 1, 2, 3, 4, 5, 6, 7]);
        assert!(few.bytes() <= 128, "{} bytes", few.bytes());
        let many: Vec<u64> = (0..100_000u64).map(|i| (i * i) << (i % 40)).collect();
        assert!(check(&many).bytes() <= 24 << 10);
    }

    proptest! {
        #[test]
        fn percentiles_are_within_one_percent(values in prop::collection::vec(any::<(u64, u8)>(), 1..600)) {
            let values: Vec<u64> = values.into_iter().map(|(v, shift)| v >> (shift % 64)).collect();
            let buckets = check(&values);
            prop_assert!(buckets.bytes() <= 16 * values.len().max(LEAST));
        }
    }
}
