//! Counters: values over time, with their extremes at every level of detail.

use crate::chunked::Chunked;

const FAN_OUT: usize = 16;

/// A value from a time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) time: u64,
    pub(crate) value: u64,
}

/// The samples of one counter, sorted by time. Level k of the extremes has one entry for each 16^k samples.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    all: Chunked<Sample>,
    levels: Vec<Chunked<(u64, u64)>>,
    /// Extremes of what is not yet in an entry, on each level, and how much that is.
    filling: Vec<((u64, u64), usize)>,
    range: Option<(u64, u64)>,
}

impl Samples {
    /// Appends a sample; one that comes before the last is put at its time.
    pub(crate) fn push(&mut self, sample: Sample) {
        let last = self.all.len().checked_sub(1).and_then(|i| self.all.get(i)).map_or(0, |s| s.time);
        self.all.push(Sample { time: sample.time.max(last), ..sample });
        let mut extremes = (sample.value, sample.value);
        self.range = Some(self.range.map_or(extremes, |r| both(r, extremes)));
        for level in 0.. {
            let Some((sum, count)) = self.filling.get_mut(level) else {
                self.filling.push((extremes, 1));
                self.levels.push(Chunked::default());
                return;
            };
            *sum = if *count == 0 { extremes } else { both(*sum, extremes) };
            *count += 1;
            if *count < FAN_OUT {
                return;
            }
            *count = 0;
            extremes = *sum;
            if let Some(level) = self.levels.get_mut(level) {
                level.push(extremes);
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Lowest and highest value of all, unless there is none.
    pub(crate) fn range(&self) -> Option<(u64, u64)> {
        self.range
    }

    pub(crate) fn get(&self, i: usize) -> Option<Sample> {
        self.all.get(i).copied()
    }

    /// The first sample from `from` on that is at `time` or later.
    pub(crate) fn first_at(&self, from: usize, time: u64) -> usize {
        self.all.partition_point(from, |s| s.time < time)
    }

    /// Lowest and highest value of the samples from `from` up to `to`, of which there is at least one.
    pub(crate) fn extremes(&self, from: usize, to: usize, visited: &mut u64) -> Option<(u64, u64)> {
        let mut found: Option<(u64, u64)> = None;
        let mut i = from;
        while i < to {
            // The highest level at which an entry begins here and ends in time.
            let (mut level, mut width) = (0, 1);
            while i.is_multiple_of(width * FAN_OUT)
                && i + width * FAN_OUT <= to
                && self.levels.get(level).is_some_and(|l| l.len() > i / (width * FAN_OUT))
            {
                level += 1;
                width *= FAN_OUT;
            }
            let here = match level.checked_sub(1) {
                None => self.all.get(i).map(|s| (s.value, s.value)),
                Some(l) => self.levels.get(l).and_then(|l| l.get(i / width)).copied(),
            };
            *visited += 1;
            found = match (found, here) {
                (Some(a), Some(b)) => Some(both(a, b)),
                (a, b) => a.or(b),
            };
            i += width;
        }
        found
    }

    /// Bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        self.all.bytes() + self.levels.iter().map(Chunked::bytes).sum::<usize>()
    }
}

fn both(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    (a.0.min(b.0), a.1.max(b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_of_any_stretch_are_exact_and_cheap() {
        let mut samples = Samples::default();
        let value = |i: u64| (i * 2_654_435_761) % 1009;
        for i in 0..20_000u64 {
            samples.push(Sample { time: i * 3, value: value(i) });
        }
        for (from, to) in [(0, 1), (0, 20_000), (5, 17), (15, 4097), (4096, 8192), (1, 19_999)] {
            let mut visited = 0;
            let expected = (from..to).map(|i| value(i as u64)).fold((u64::MAX, 0), |r, v| both(r, (v, v)));
            assert_eq!(samples.extremes(from, to, &mut visited), Some(expected), "{from}..{to}");
            assert!(visited < 160, "{visited} looked at for {from}..{to}");
        }
        assert_eq!(samples.extremes(3, 3, &mut 0), None);
        assert_eq!((samples.first_at(0, 7), samples.first_at(2, 6)), (3, 2));
        assert_eq!(samples.range(), Some((0, 1008)));
    }
}
