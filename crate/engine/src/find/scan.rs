//! Searches a store: one scan over the call-tree nodes of all columns, and then what a pass over
//! the records adds.

use unspool_filter::{FoundRecords, SliceQuery, SliceTest, SliceTests, Span};
use unspool_trace::{Locator, TrackId};

use super::hits::{Hits, NONE, Point};
use crate::jobs::{Job, Progress, Step};
use crate::store::{Slice, Store};

/// The columns and the instants of a store, in the order of the scan.
#[derive(Clone, Copy, Debug)]
enum Part {
    Column(TrackId, i32),
    Instants(TrackId),
}

/// A search. It is done when the store has been scanned; records are added afterwards, or
/// meanwhile.
#[derive(Debug)]
pub struct Find {
    query: SliceQuery,
    /// For each call-tree node, the alternatives whose conditions on names hold, as bits.
    by_node: Vec<u8>,
    /// What is still to be scanned, the last one first.
    parts: Vec<Part>,
    next: usize,
    hits: Hits,
    progress: Progress,
    done: bool,
}

impl Find {
    /// Plans the scan.
    pub fn new(store: &Store, query: SliceQuery) -> Self {
        let mut parts = Vec::new();
        let mut of = 0;
        if query.names.iter().any(|bits| *bits != 0) {
            for (id, track) in (0..).zip(&store.tracks) {
                parts.extend(track.columns().map(|(depth, _)| Part::Column(id, depth)));
                if track.instants.len() > 0 {
                    parts.push(Part::Instants(id));
                }
            }
            parts.reverse();
            of = store.slices() + store.instants();
        }
        let by_node = if parts.is_empty() { Vec::new() } else { store.calls.by_node(&query.names) };
        let progress = Progress { done: 0, of };
        Self { query, by_node, parts, next: 0, hits: Hits::default(), progress, done: false }
    }

    /// What was found so far. Complete after the scan, apart from records.
    pub fn hits(&mut self) -> &mut Hits {
        &mut self.hits
    }

    /// Whether the store has been scanned.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Takes records that a pass has found. Each becomes the slice or instant that it begins, if
    /// that has the same name.
    pub fn add(&mut self, store: &Store, found: &FoundRecords) {
        self.hits.texts.extend(found.texts.iter().cloned());
        for i in 0..found.x.len() {
            self.add_one(store, found, i);
        }
        self.hits.finish();
    }

    fn add_one(&mut self, store: &Store, found: &FoundRecords, i: usize) -> Option<()> {
        let (x, track) = (*found.x.get(i)?, *found.track.get(i)?);
        let (locator, branches) = (*found.locator.get(i)?, *found.branches.get(i)?);
        let (name, matched) = (*found.name.get(i)?, *found.matched.get(i)?);
        let text = self.hits.texts.get(name as usize).map(String::as_str);
        let item = Begun::at(store, track, x, Locator::from_bits(locator), text);
        let slice = match &item {
            Some(Begun::Slice(depth, _, slice)) => Some((*depth, *slice)),
            _ => None,
        };
        let is_one = |(number, checks): (usize, &SliceTests)| {
            let as_wanted = |(is, test): &(bool, SliceTest)| {
                slice.as_ref().is_some_and(|(depth, slice)| holds(test, store, track, *depth, slice)) == *is
            };
            branches >> number & 1 != 0 && checks.iter().all(as_wanted)
        };
        if !self.query.checks.iter().enumerate().any(is_one) {
            return Some(());
        }
        match item {
            Some(Begun::Slice(depth, index, _)) => self.hits.add(store, track, Some(depth), index, matched),
            Some(Begun::Instant(index)) => self.hits.add(store, track, None, index, matched),
            None => self.hits.add_point(Point { x, track, locator, name, text: matched }),
        }
        Some(())
    }

    /// Scans on within the current part. Returns whether all of it has been scanned.
    fn scan(&mut self, store: &Store, part: Part, until: u64) -> bool {
        let id = match part {
            Part::Column(id, _) | Part::Instants(id) => id,
        };
        let Some(track) = store.tracks.get(id as usize) else { return true };
        let Part::Column(_, depth) = part else {
            // Instants are few, and have neither depth nor duration.
            for index in 0..track.instants.len() {
                let Some(instant) = track.instants.get(index) else { break };
                let bits = self.query.names.get(instant.name as usize).copied().unwrap_or(0);
                let holds = |(is, test): &(bool, SliceTest)| {
                    let holds = match test {
                        SliceTest::Tracks(tracks) => tracks.contains(&id),
                        SliceTest::At(spans) | SliceTest::Ends(spans) => within(spans, instant.time),
                        _ => false,
                    };
                    holds == *is
                };
                let is_hit =
                    self.query.branches.iter().enumerate().any(|(n, of)| bits >> n & 1 != 0 && of.iter().all(holds));
                // An interrupt is an instant, and its handler a slice that begins with it: one hit.
                let name = store.names().get(instant.name as usize).map(String::as_str);
                let begun = || Begun::at(store, id, instant.time, instant.locator, name);
                if is_hit && !matches!(begun(), Some(Begun::Slice(..))) {
                    self.hits.add(store, id, None, index, NONE);
                }
            }
            self.progress.done += track.instants.len() as u64;
            return true;
        };
        let Some(column) = track.column(depth) else { return true };
        let row = i64::from(depth) - i64::from(track.lowest());
        // Alternatives that this column can fulfil, and those of them that depend on the slice's
        // name alone.
        let (mut possible, mut by_name_alone) = (0u8, 0u8);
        for (number, branch) in self.query.branches.iter().enumerate() {
            let of_column = |(is, test): &(bool, SliceTest)| match test {
                SliceTest::Tracks(tracks) => tracks.contains(&id) == *is,
                SliceTest::Depth(span) => span.is_some_and(|(low, high)| (low..=high).contains(&row)) == *is,
                _ => true,
            };
            let is_of_column =
                |(_, test): &(bool, SliceTest)| matches!(test, SliceTest::Tracks(_) | SliceTest::Depth(_));
            possible |= u8::from(branch.iter().all(of_column)) << number;
            by_name_alone |= u8::from(branch.iter().all(is_of_column)) << number;
        }
        if possible == 0 {
            self.progress.done += (column.len() - self.next) as u64;
            return true;
        }
        let mut row = None;
        let Self { query, by_node, next, hits, progress, .. } = self;
        column.sweep(next, column.len(), progress, until, &mut |index, duration, node| {
            let bits = by_node.get(node as usize).copied().unwrap_or(0) & possible;
            if bits != 0 && (bits & by_name_alone != 0 || slow(store, query, bits, duration, (id, depth, index))) {
                let row = *row.get_or_insert_with(|| hits.row(store, id, Some(depth)));
                hits.pick(row, index, store.calls.name(node));
            }
        })
    }
}

/// Whether one of some alternatives holds for a slice, of which the name, the track and the depth
/// fit.
fn slow(store: &Store, query: &SliceQuery, bits: u8, duration: u64, (id, depth, index): (TrackId, i32, usize)) -> bool {
    let mut slice = None;
    query.branches.iter().enumerate().any(|(number, branch)| {
        bits >> number & 1 != 0
            && branch.iter().all(|(is, test)| match test {
                SliceTest::Tracks(_) | SliceTest::Depth(_) => true,
                SliceTest::Duration(span) => span.is_some_and(|(low, high)| (low..=high).contains(&duration)) == *is,
                test => {
                    let get = || store.tracks.get(id as usize)?.column(depth)?.get(index);
                    slice.get_or_insert_with(get).as_ref().is_some_and(|slice| holds(test, store, id, depth, slice))
                        == *is
                }
            })
    })
}

fn within(spans: &[Span], x: u64) -> bool {
    spans.iter().any(|(from, to)| (*from..=*to).contains(&x))
}

/// Whether a condition holds for a slice.
fn holds(test: &SliceTest, store: &Store, track: TrackId, depth: i32, slice: &Slice) -> bool {
    match test {
        SliceTest::Tracks(tracks) => tracks.contains(&track),
        SliceTest::At(spans) => within(spans, slice.start),
        SliceTest::Ends(spans) if store.texts.is_group(store.calls.name(slice.node)) => within(spans, slice.start),
        SliceTest::Ends(spans) => within(spans, slice.end.saturating_sub(1).max(slice.start)),
        SliceTest::Touches((from, to)) => slice.start <= *to && (slice.end > *from || slice.start >= *from),
        SliceTest::Duration(span) => span.is_some_and(|(low, high)| (low..=high).contains(&(slice.end - slice.start))),
        SliceTest::Depth(span) => {
            let lowest = store.tracks.get(track as usize).map_or(0, |track| track.lowest());
            span.is_some_and(|(low, high)| (low..=high).contains(&(i64::from(depth) - i64::from(lowest))))
        }
        SliceTest::Flag(bits) => slice.flags & bits != 0,
    }
}

/// What a record begins in the store.
enum Begun {
    /// Depth, index and the slice.
    Slice(i32, usize, Slice),
    /// Index.
    Instant(usize),
}

impl Begun {
    /// The slice or instant of a record, by its track, position, locator and name. A group and the
    /// call that begins it have one record, which is the call's: the name tells them apart. A
    /// record without a name may be an instant, but is not a slice: it is one step of many in a
    /// call.
    fn at(store: &Store, track: TrackId, x: u64, locator: Locator, name: Option<&str>) -> Option<Self> {
        let is_named = |id: u32| {
            let Some(name) = name else { return false };
            store.names().get(id as usize).is_some_and(|text| text == name) || store.texts.own_text(id) == name
        };
        let on = store.tracks.get(track as usize)?;
        for (depth, column) in on.columns() {
            let mut index = column.first_from(x);
            while let Some(slice) = column.get(index).filter(|slice| slice.start == x) {
                if slice.locator == locator && is_named(store.calls.name(slice.node)) {
                    return Some(Self::Slice(depth, index, slice));
                }
                index += 1;
            }
        }
        let mut index = on.instants.partition_point(0, |instant| instant.time < x);
        while let Some(instant) = on.instants.get(index).filter(|instant| instant.time == x) {
            if instant.locator == locator && (name.is_none() || is_named(instant.name)) {
                return Some(Self::Instant(index));
            }
            index += 1;
        }
        None
    }
}

impl Job for Find {
    fn noun(&self) -> &'static str {
        "search"
    }

    fn step(&mut self, store: &Store, budget: u64) -> Step {
        if self.done {
            return Step::Done;
        }
        let until = self.progress.done.saturating_add(budget);
        while let Some(part) = self.parts.last().copied() {
            if !self.scan(store, part, until) {
                return Step::More;
            }
            self.parts.pop();
            self.next = 0;
            if self.progress.done >= until {
                return Step::More;
            }
        }
        self.hits.finish();
        (self.query.names, self.by_node) = (Vec::new(), Vec::new());
        self.progress.of = self.progress.done;
        self.done = true;
        Step::Done
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn bytes(&self) -> u64 {
        (self.query.names.capacity() + self.by_node.capacity() + self.parts.capacity() * 12) as u64 + self.hits.bytes()
    }

    fn release(&mut self) {
        (self.query.names, self.by_node, self.parts) = (Vec::new(), Vec::new(), Vec::new());
        self.hits = Hits::default();
        self.done = true;
    }
}
