//! Records that a pass over the file has collected, as a track: points, a value over time, or
//! slices.

use unspool_records::{CollectedColumns, NumberKind};
use unspool_trace::{Locator, TrackDef, TrackKind, ValueKind, sort};

use super::Derived;
use crate::call_tree::CallTree;
use crate::jobs::{Job, Progress, Step};
use crate::neighbours::Neighbour;
use crate::store::{Instant, Sample, Slice, Store};

/// Puts collected records in order and appends them to a derived track.
#[derive(Debug)]
pub struct Gather {
    given: CollectedColumns,
    /// The names of slices; empty if these are not slices.
    names: Vec<u32>,
    /// Positions with the indices of their records, in order. `None` before they were sorted.
    order: Option<Vec<(u64, u32)>>,
    values: ValueKind,
    derived: Derived,
    next: usize,
    done: bool,
}

impl Gather {
    /// Takes records. A `def` of a counter makes a value over time, any other one points, or slices
    /// if there are `names` for them: numbers above those of the trace.
    pub fn new(given: CollectedColumns, names: Vec<u32>, def: TrackDef) -> Self {
        let values = kind_of(&given);
        let derived = Derived::new(TrackDef { values, ..def });
        Self { given, names, order: None, values, derived, next: 0, done: false }
    }

    /// Frees what the track is made from.
    #[inline(never)]
    fn end(&mut self) {
        (self.given, self.order, self.done) = (CollectedColumns::default(), None, true);
    }

    fn add(&mut self, store: &Store, index: usize) -> Option<()> {
        let given = &self.given;
        let (time, track) = (*given.time.get(index)?, *given.track.get(index)?);
        let locator = Locator::from_bits(*given.locator.get(index)?);
        if self.derived.track.def.kind == TrackKind::Counter {
            let bits = converted(*given.bits.get(index)?, *given.kind.get(index)?, self.values);
            self.derived.track.sample(Sample { time, bits });
        } else if let (Some(end), Some(name)) = (given.until.get(index), self.names.get(index)) {
            let (end, node) = (time.max(*end), CallTree::apart(*name));
            self.derived.add(&Slice { start: time, end, node, flags: 0, locator });
        } else {
            // A point that is an instant of the trace, such as an event, has its name.
            let own = store.neighbour(Neighbour::Record { time, track, locator }).filter(|found| found.end.is_none());
            self.derived.track.instant(Instant { time, name: own.map_or(u32::MAX, |found| found.name), locator });
        }
        self.derived.records.push((track, locator));
        Some(())
    }
}

const FLOAT: u8 = NumberKind::Float as u8;
const SIGNED: u8 = NumberKind::Signed as u8;

/// The type that holds all numbers, floating point if there is none.
fn kind_of(given: &CollectedColumns) -> ValueKind {
    let (mut float, mut negative, mut large) = (false, false, false);
    for (bits, kind) in given.bits.iter().zip(&given.kind) {
        let high = (*bits as i64) < 0;
        float |= *kind == FLOAT;
        negative |= *kind == SIGNED && high;
        large |= *kind != SIGNED && high;
    }
    match (float, negative, large) {
        (true, ..) | (_, true, true) => ValueKind::Float,
        (_, true, false) => ValueKind::Signed,
        _ => ValueKind::Unsigned,
    }
}

fn converted(bits: u64, kind: u8, to: ValueKind) -> u64 {
    match (to, kind) {
        (ValueKind::Float, SIGNED) => (bits as i64 as f64).to_bits(),
        (ValueKind::Float, kind) if kind != FLOAT => (bits as f64).to_bits(),
        _ => bits,
    }
}

impl Job for Gather {
    fn noun(&self) -> &'static str {
        "track"
    }

    fn step(&mut self, store: &Store, budget: u64) -> Step {
        if self.done {
            return Step::Done;
        }
        let Some(order) = &self.order else {
            let mut order: Vec<_> = self.given.time.iter().copied().zip(0..).collect();
            // Logs of several threads come thread by thread.
            if !order.is_sorted() {
                sort::pairs(&mut order);
            }
            self.order = Some(order);
            return Step::More;
        };
        let end = order.len().min(self.next + budget as usize / 4 + 1);
        let is_last = end == order.len();
        while self.next < end {
            if let Some((_, index)) = self.order.as_ref().and_then(|order| order.get(self.next)) {
                self.add(store, *index as usize);
            }
            self.next += 1;
        }
        if !is_last {
            return Step::More;
        }
        self.derived.track.finish(0);
        self.derived.records.close();
        self.end();
        Step::Done
    }

    fn progress(&self) -> Progress {
        let of = if self.done { self.next } else { self.given.time.len() };
        Progress { done: self.next as u64, of: of as u64 }
    }

    fn bytes(&self) -> u64 {
        let CollectedColumns { time, track, locator, bits, kind, until } = &self.given;
        let longs = time.capacity() + locator.capacity() + bits.capacity() + until.capacity();
        let given = 8 * longs + 4 * (track.capacity() + self.names.capacity()) + kind.capacity();
        let order = self.order.as_ref().map_or(0, |order| order.capacity() * size_of::<(u64, u32)>());
        (given + order) as u64 + self.derived.bytes()
    }

    fn release(&mut self) {
        self.end();
        self.derived.clear();
    }

    fn derived(&self) -> Option<&Derived> {
        self.done.then_some(&self.derived)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Place, track_of};
    use super::*;
    use crate::details::Item;

    fn gathered(kind: TrackKind, numbers: &[(u64, u8)]) -> Gather {
        let n = numbers.len() as u64;
        let given = CollectedColumns {
            // The second half comes first.
            time: (0..n).map(|i| 10 * ((i + n / 2) % n)).collect(),
            track: (0..n).map(|i| i as u32 % 2).collect(),
            locator: (0..n).map(|i| Locator::at(i).bits()).collect(),
            bits: numbers.iter().map(|(bits, _)| *bits).collect(),
            kind: numbers.iter().map(|(_, kind)| *kind).collect(),
            until: Vec::new(),
        };
        let mut job = Gather::new(given, Vec::new(), TrackDef::new(kind, "v"));
        while job.step(&Store::default(), 8) == Step::More {}
        job
    }

    #[test]
    fn values_are_in_order_and_lead_back_to_their_records() {
        let numbers: Vec<_> = (0..1000).map(|i| (i * 7919 % 1009, 0)).collect();
        let job = gathered(TrackKind::Counter, &numbers);
        let derived = job.derived().unwrap();
        let samples = &derived.track().samples;
        assert_eq!(samples.len(), 1000);
        for i in 0..1000u64 {
            let from = (i + 500) % 1000;
            assert_eq!(samples.get(i as usize), Some(Sample { time: 10 * i, bits: numbers[from as usize].0 }));
            let place = Place::Value { track: track_of(0), time: 10 * i };
            let origin = derived.origin(&Store::default(), place).unwrap();
            let locator = Locator::at(from).bits();
            assert_eq!(
                (origin.x, origin.track, origin.locator, origin.found),
                (10 * i, from as u32 % 2, locator, None)
            );
        }
        // Levels of detail.
        let (low, high) = numbers.iter().map(|(v, _)| *v).fold((u64::MAX, 0), |(l, h), v| (l.min(v), h.max(v)));
        assert_eq!(samples.extremes(0, 1000, &mut 0), Some((low, high)));
    }

    #[test]
    fn the_type_holds_all_numbers() {
        let negative = (-3i64 as u64, SIGNED);
        let of = |numbers: &[(u64, u8)]| gathered(TrackKind::Counter, numbers).derived.track.samples.range();
        assert_eq!(of(&[(5, 0), (7, SIGNED)]), Some((5.0, 7.0)));
        assert_eq!(of(&[(5, 0), negative]), Some((-3.0, 5.0)));
        assert_eq!(of(&[(u64::MAX, 0), negative]), Some((-3.0, 18_446_744_073_709_551_615.0)));
        assert_eq!(of(&[(0.5f64.to_bits(), FLOAT), negative]), Some((-3.0, 0.5)));
    }

    #[test]
    fn stretches_are_slices_with_names_of_their_own_and_lead_back() {
        let given = CollectedColumns {
            time: vec![50, 10, 20, 40],
            track: vec![1, 1, 2, 3],
            locator: [500, 100, 200, 400].map(|at| Locator::at(at).bits()).to_vec(),
            until: vec![50, 30, 45, 40],
            ..CollectedColumns::default()
        };
        let mut job = Gather::new(given, vec![7, 7, 8, 9], TrackDef::new(TrackKind::Lane, "CPU 0"));
        while job.step(&Store::default(), 1) == Step::More {}
        let derived = job.derived().unwrap();
        let calls = CallTree::default();
        let mut slices = Vec::new();
        for (depth, column) in derived.track().columns() {
            for slice in (0..column.len()).map(|i| column.get(i).unwrap()) {
                slices.push((depth, slice.start, slice.end, calls.name(slice.node)));
            }
        }
        // Two threads overlap from 20 to 30, and again while another has one record at 40.
        assert_eq!(slices, [(0, 10, 30, 7), (0, 40, 40, 9), (0, 50, 50, 7), (1, 20, 45, 8)]);
        let origin = |depth, index| {
            let item = Item::Slice { track: track_of(0), depth, index };
            let origin = derived.origin(&Store::default(), Place::Item(item)).unwrap();
            (origin.x, origin.track, origin.locator)
        };
        assert_eq!(origin(1, 0), (20, 2, Locator::at(200).bits()));
        assert_eq!(origin(0, 1), (40, 3, Locator::at(400).bits()));
    }

    #[test]
    fn points_lead_back_to_their_records() {
        let job = gathered(TrackKind::Lane, &[(0, 0); 6]);
        let derived = job.derived().unwrap();
        assert_eq!(derived.track().instants.len(), 6);
        let place = Place::Item(Item::Instant { track: track_of(0), index: 1 });
        let origin = derived.origin(&Store::default(), place).unwrap();
        assert_eq!((origin.x, origin.locator), (10, Locator::at(4).bits()));
        assert!(job.bytes() < 6 * 64 + 400);
    }
}
