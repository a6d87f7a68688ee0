//! Which steps executed each address.

use core::ops::Range;

use crate::keys::{Keys, Postings};
use crate::segments::Segments;

/// An address that was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    /// The address of the instruction.
    pub address: u64,
    /// Length of the instruction in bytes: the longest, if it changed.
    pub length: u32,
    /// How often it was executed.
    pub count: u64,
}

/// The executed addresses.
#[derive(Default)]
pub(crate) struct Executions {
    keys: Keys,
    lengths: Vec<u32>,
    counts: Vec<u64>,
    parts: Vec<Postings>,
    /// Addresses and steps of the open segment.
    open: Vec<(u32, u16)>,
    bytes_of_parts: usize,
}

impl Executions {
    /// A step executes an address. Returns the number of the address.
    #[inline]
    #[allow(clippy::indexing_slicing, reason = "numbers of addresses are indices of both lists")]
    pub(crate) fn add(&mut self, relative: u16, address: u64, length: u32) -> u32 {
        let id = self.keys.number(address);
        if id as usize == self.counts.len() {
            self.counts.push(0);
            self.lengths.push(0);
        }
        self.counts[id as usize] += 1;
        let longest = &mut self.lengths[id as usize];
        *longest = (*longest).max(length);
        self.open.push((id, relative));
        id
    }

    /// Ends the open segment.
    pub(crate) fn seal(&mut self, segment: u32) {
        let postings = Postings::group(&self.open, &mut self.keys, segment, |_, _| ());
        self.open = Vec::new();
        self.bytes_of_parts += postings.bytes() + size_of::<Postings>();
        self.parts.push(postings);
    }

    /// The numbers of what each step of a segment executed, from its first step on. `None` for
    /// steps that executed nothing.
    pub(crate) fn sequence(&self, segment: u32) -> Vec<Option<u32>> {
        let mut sequence = Vec::new();
        let Some(part) = self.parts.get(segment as usize) else { return sequence };
        sequence.resize(part.steps.iter().max().map_or(0, |last| usize::from(*last) + 1), None);
        for (id, range) in part.all() {
            for step in part.of_range(range) {
                if let Some(executed) = sequence.get_mut(usize::from(*step)) {
                    *executed = Some(id);
                }
            }
        }
        sequence
    }

    /// The address with a number.
    pub(crate) fn key(&self, number: u32) -> u64 {
        self.keys.key(number)
    }

    /// The number of an address, if it was executed.
    pub(crate) fn number(&self, key: u64) -> Option<u32> {
        self.keys.find(key)
    }

    /// How often an address was executed.
    pub(crate) fn count(&self, address: u64) -> u64 {
        self.keys.find(address).map_or(0, |id| self.count_of(id))
    }

    fn count_of(&self, id: u32) -> u64 {
        self.counts.get(id as usize).copied().unwrap_or(0)
    }

    /// The steps of a segment that executed an address.
    fn steps_in(&self, segment: u32, id: u32) -> &[u16] {
        let part = self.parts.get(segment as usize);
        part.and_then(|part| Some(part.of_range(part.of(id)?.1))).unwrap_or_default()
    }

    /// The steps that executed an address, ascending: those whose numbers, counted from 0, are in
    /// `wanted`.
    pub(crate) fn steps(&self, segments: &Segments, address: u64, wanted: Range<u64>) -> Vec<u64> {
        let Some(id) = self.keys.find(address) else { return Vec::new() };
        let mut found = Vec::new();
        let mut end = self.count_of(id);
        for segment in self.keys.segments(id) {
            let steps = self.steps_in(segment, id);
            let begin = end - steps.len() as u64;
            let here = wanted.start.max(begin)..wanted.end.min(end);
            if !here.is_empty() {
                let here = steps.get((here.start - begin) as usize..(here.end - begin) as usize).unwrap_or_default();
                found.extend(here.iter().rev().map(|step| segments.first(segment) + u64::from(*step)));
            }
            if begin <= wanted.start {
                break;
            }
            end = begin;
        }
        found.reverse();
        found
    }

    /// How many steps before `step` executed an address.
    pub(crate) fn rank(&self, segments: &Segments, address: u64, step: u64) -> u64 {
        let Some(id) = self.keys.find(address) else { return 0 };
        let mut rank = self.count_of(id);
        for segment in self.keys.segments(id) {
            let steps = self.steps_in(segment, id);
            let first = segments.first(segment);
            let before = steps.partition_point(|at| first + u64::from(*at) < step);
            rank -= (steps.len() - before) as u64;
            if first < step {
                break;
            }
        }
        rank
    }

    /// By number, how often the steps in a range executed each address.
    pub(crate) fn counts(&self, segments: &Segments, steps: &Range<u64>) -> Vec<u64> {
        if steps.start == 0 && steps.end == u64::MAX {
            return self.counts.clone();
        }
        let mut counts = vec![0; self.counts.len()];
        for (segment, part) in (0..segments.count()).zip(&self.parts) {
            let first = segments.first(segment);
            if first >= steps.end || segments.last(segment) < steps.start {
                continue;
            }
            for (id, of) in part.all() {
                let here = part.of_range(of);
                let before = |end: u64| here.partition_point(|step| first + u64::from(*step) < end);
                if let Some(count) = counts.get_mut(id as usize) {
                    *count += (before(steps.end) - before(steps.start)) as u64;
                }
            }
        }
        counts
    }

    /// All addresses that the steps in a range executed, ascending.
    pub(crate) fn coverage(&self, segments: &Segments, steps: &Range<u64>) -> Vec<Executed> {
        let counts = (0..).zip(self.counts(segments, steps)).zip(&self.lengths);
        let executed = counts.filter(|((_, count), _)| *count > 0);
        let mut all: Vec<Executed> = executed
            .map(|((id, count), length)| Executed { address: self.keys.key(id), length: *length, count })
            .collect();
        all.sort_unstable_by_key(|it| it.address);
        all
    }

    /// The latest step up to `step` that executed something, with that, and the next one. For an
    /// index of which steps have gaps.
    pub(crate) fn around(&self, segments: &Segments, step: u64) -> (Option<(u64, u64)>, Option<u64>) {
        let Some(segment) = segments.until(step) else { return (None, None) };
        let first = segments.first(segment);
        let sequence = self.sequence(segment);
        let found = (first..).zip(sequence).filter_map(|(at, id)| Some((at, id?)));
        let (before, after): (Vec<_>, Vec<_>) = found.partition(|(at, _)| *at <= step);
        let next = after.first().map(|(at, _)| *at).or_else(|| Some(segments.first(segment + 1)));
        (before.last().map(|(at, id)| (*at, self.keys.key(*id))), next.filter(|next| *next != u64::MAX))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes_of_parts
            + self.keys.bytes()
            + self.counts.capacity() * 12
            + self.parts.capacity() * size_of::<Postings>()
            + self.open.capacity() * 8
    }
}
