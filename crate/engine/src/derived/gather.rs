//! Records that a pass over the file has collected, as a track: points, or a value over time.

use unspool_formats::{Locator, TrackDef, TrackKind, ValueKind, sort};

use super::Derived;
use crate::call_tree::{NodeId, ROOT};
use crate::jobs::{Job, Progress, Step};
use crate::records::{CollectedColumns, NumberKind};
use crate::store::{Instant, Sample, Slice, Store};

/// Puts collected records in order and appends them to a derived track.
#[derive(Debug)]
pub struct Gather {
    given: CollectedColumns,
    /// Positions with the indices of their records, in order. `None` before they were sorted.
    order: Option<Vec<(u64, u32)>>,
    /// For each name, a call-tree node that has it. Empty unless there are slices.
    nodes: Vec<NodeId>,
    values: ValueKind,
    derived: Derived,
    next: usize,
    done: bool,
}

impl Gather {
    /// Takes records. A `def` of a counter makes a value over time, any other one points.
    pub fn new(given: CollectedColumns, def: TrackDef) -> Self {
        let values = kind_of(&given);
        let derived = Derived::new(TrackDef { values, ..def });
        Self { given, order: None, nodes: Vec::new(), values, derived, next: 0, done: false }
    }

    /// Frees what the track is made from.
    #[inline(never)]
    fn end(&mut self) {
        (self.given, self.order, self.nodes, self.done) = (CollectedColumns::default(), None, Vec::new(), true);
    }

    fn add(&mut self, index: usize) -> Option<()> {
        let given = &self.given;
        let (time, track) = (*given.time.get(index)?, *given.track.get(index)?);
        let locator = Locator::from_bits(*given.locator.get(index)?);
        if *given.kind.get(index)? == DURATION {
            let node = self.nodes.get(track as usize).copied().unwrap_or(ROOT);
            let end = time.saturating_add(*given.bits.get(index)?);
            self.derived.add(&Slice { start: time, end, node, flags: 0, locator });
            return Some(());
        }
        if self.derived.track.def.kind == TrackKind::Counter {
            let bits = converted(*given.bits.get(index)?, *given.kind.get(index)?, self.values);
            self.derived.track.sample(Sample { time, bits });
        } else {
            self.derived.track.instant(Instant { time, name: u32::MAX, locator });
        }
        self.derived.records.push((track, locator));
        Some(())
    }
}

/// Marks a slice: its number is its duration, its track the id of its name, or no name.
const DURATION: u8 = 3;

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
            if self.given.kind.first() == Some(&DURATION) {
                self.nodes = vec![ROOT; store.names().len()];
                for node in 0..store.calls.len() as NodeId {
                    if let Some(place) = self.nodes.get_mut(store.calls.name(node) as usize) {
                        *place = node;
                    }
                }
            }
            return Step::More;
        };
        let end = order.len().min(self.next + budget as usize / 4 + 1);
        let is_last = end == order.len();
        while self.next < end {
            if let Some((_, index)) = self.order.as_ref().and_then(|order| order.get(self.next)) {
                self.add(*index as usize);
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
        let CollectedColumns { time, track, locator, bits, kind } = &self.given;
        let longs = time.capacity() + locator.capacity() + bits.capacity();
        let given = 8 * longs + 4 * track.capacity() + kind.capacity();
        let order = self.order.as_ref().map_or(0, |order| order.capacity() * size_of::<(u64, u32)>());
        (given + order + self.nodes.capacity() * size_of::<NodeId>()) as u64 + self.derived.bytes()
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
    use unspool_formats::{EventBatch, EventKind};

    fn gathered(kind: TrackKind, numbers: &[(u64, u8)]) -> Gather {
        let n = numbers.len() as u64;
        let given = CollectedColumns {
            // The second half comes first.
            time: (0..n).map(|i| 10 * ((i + n / 2) % n)).collect(),
            track: (0..n).map(|i| i as u32 % 2).collect(),
            locator: (0..n).map(|i| Locator::at(i).bits()).collect(),
            bits: numbers.iter().map(|(bits, _)| *bits).collect(),
            kind: numbers.iter().map(|(_, kind)| *kind).collect(),
        };
        let mut job = Gather::new(given, TrackDef::new(kind, "v"));
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
    fn points_lead_back_to_their_records() {
        let job = gathered(TrackKind::Lane, &[(0, 0); 6]);
        let derived = job.derived().unwrap();
        assert_eq!(derived.track().instants.len(), 6);
        let place = Place::Item(Item::Instant { track: track_of(0), index: 1 });
        let origin = derived.origin(&Store::default(), place).unwrap();
        assert_eq!((origin.x, origin.locator), (10, Locator::at(4).bits()));
        assert!(job.bytes() < 6 * 64 + 400);
    }

    #[test]
    fn durations_are_slices_with_names_that_the_trace_has() {
        let mut store = Store::default();
        let mut batch = EventBatch::with_capacity(16);
        batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "t"));
        batch.new_names.extend(["f0", "f1"].map(|name| name.to_string().into()));
        batch.push(EventKind::Begin, 0, 10, 1, Locator::at(0));
        batch.push(EventKind::End, 0, 40, 1, Locator::at(1));
        store.apply(&mut batch);
        store.finish(false);
        let node = store.tracks[0].slice(0, 0, 0).unwrap().node;
        assert_eq!(store.calls.name(node), 1);
        let given = CollectedColumns {
            time: vec![30, 10, 12, 20],
            track: vec![1, u32::MAX, 1, 0],
            locator: vec![0; 4],
            bits: vec![5, 10, 100, 0],
            kind: vec![DURATION; 4],
        };
        let mut job = Gather::new(given, TrackDef::new(TrackKind::Lane, "v"));
        while job.step(&store, 8) == Step::More {}
        let track = job.derived().unwrap().track();
        let of = |row: i32| {
            let slices = (0..).map_while(|i| track.slice(row, i, 0));
            slices.map(|slice| (slice.start, slice.end, slice.node)).collect::<Vec<_>>()
        };
        assert_eq!(of(0), [(10, 20, ROOT), (20, 20, ROOT), (30, 35, node)]);
        assert_eq!(of(1), [(12, 112, node)]);
        // The place of a slice says all that is known of it.
        let place = Place::Item(Item::Slice { track: track_of(0), depth: 0, index: 0 });
        assert_eq!(job.derived().unwrap().origin(&store, place), None);
    }
}
