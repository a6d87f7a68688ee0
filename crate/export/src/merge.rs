//! Samples of several counters in the order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use crate::{Number, Sample, Source};

/// The counters of an export.
#[derive(Debug)]
pub(crate) struct Merge {
    /// Time, number of the part, and index there of the next sample of each part.
    heads: BinaryHeap<Reverse<(u64, usize, u64)>>,
    /// Its value, by the number of the part.
    values: HashMap<usize, Number>,
    /// Parts whose next sample is to be fetched, with its index.
    missing: Vec<(usize, u64)>,
}

/// What [`Merge::next`] returns.
pub(crate) enum Merged {
    /// A sample with its part and index.
    Sample(Sample, usize, u64),
    /// A sample is not loaded yet.
    Stalled,
    /// There are no more.
    End,
}

impl Merge {
    /// Those of the parts with these numbers.
    pub(crate) fn new(parts: impl Iterator<Item = usize>) -> Self {
        Self { heads: BinaryHeap::new(), values: HashMap::new(), missing: parts.map(|part| (part, 0)).collect() }
    }

    pub(crate) fn next(&mut self, source: &mut dyn Source) -> Merged {
        while let Some((part, index)) = self.missing.last().copied() {
            if source.parts().get(part).is_some_and(|part| index < part.len) {
                let Some(sample) = source.sample(part, index) else { return Merged::Stalled };
                self.heads.push(Reverse((sample.time, part, index)));
                self.values.insert(part, sample.value);
            }
            self.missing.pop();
        }
        let Some(Reverse((time, part, index))) = self.heads.pop() else { return Merged::End };
        let Some(value) = self.values.remove(&part) else { return Merged::End };
        self.missing.push((part, index + 1));
        Merged::Sample(Sample { time, value }, part, index)
    }
}
