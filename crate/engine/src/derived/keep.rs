//! All calls of a function as one track.

use unspool_trace::{TrackDef, TrackId, sort};

use super::Derived;
use crate::jobs::{Job, Progress, Step};
use crate::store::column::Column;
use crate::store::{Slice, Store};

/// Copies the slices of a name to a derived track: one scan over the store, then a merge of what it
/// has found.
#[derive(Debug)]
pub struct Keep {
    /// For each call-tree node, whether it has the name.
    wanted: Vec<bool>,
    /// The columns that are still to be scanned, the last one first.
    columns: Vec<(TrackId, i32)>,
    /// The next slice of the current column.
    next: usize,
    /// Of each column with such slices, their indices.
    found: Vec<Places>,
    scanned: bool,
    derived: Derived,
    progress: Progress,
    done: bool,
}

#[derive(Debug)]
struct Places {
    track: TrackId,
    depth: i32,
    indices: Vec<u32>,
    /// The next index to be copied.
    next: usize,
}

/// Slices that are copied in a step, about, and of the column with the most of them at least.
const WINDOW: usize = 1 << 17;
const LEAST_WINDOW: usize = 1024;

impl Keep {
    /// Plans the scan for the slices of a name. `def` says how the track is shown.
    pub fn new(store: &Store, name: u32, def: TrackDef) -> Self {
        let mut columns = Vec::new();
        for (id, track) in (0..).zip(&store.tracks) {
            for (depth, _) in track.columns() {
                columns.push((id, depth));
            }
        }
        columns.reverse();
        Self {
            wanted: store.calls.with_name(name),
            columns,
            next: 0,
            found: Vec::new(),
            scanned: false,
            derived: Derived::new(def),
            progress: Progress { done: 0, of: store.slices() },
            done: false,
        }
    }

    /// How many slices have been found so far.
    pub fn found(&self) -> u64 {
        self.found.iter().map(|places| places.indices.len() as u64).sum()
    }

    /// Scans on. Returns whether everything has been scanned.
    fn scan(&mut self, store: &Store, budget: u64) -> bool {
        let until = self.progress.done.saturating_add(budget);
        while let Some((track, depth)) = self.columns.last().copied() {
            let Some(column) = column_of(store, track, depth) else {
                self.columns.pop();
                continue;
            };
            let Self { wanted, next, found, progress, .. } = self;
            let is_done = column.sweep(next, column.len(), progress, until, &mut |index, _, node| {
                if wanted.get(node as usize).is_some_and(|wanted| *wanted) {
                    let index = index as u32;
                    match found.last_mut() {
                        Some(places) if (places.track, places.depth) == (track, depth) => places.indices.push(index),
                        _ => found.push(Places { track, depth, indices: vec![index], next: 0 }),
                    }
                }
            });
            if !is_done {
                return false;
            }
            self.columns.pop();
            self.next = 0;
        }
        true
    }

    /// Copies the next of the slices that were found, in the order of their starts, a caller before
    /// its callees. Returns whether these were the last.
    fn merge(&mut self, store: &Store) -> bool {
        let Self { found, derived, progress, .. } = self;
        let Some(longest) = found.iter().max_by_key(|places| places.left()) else { return true };
        let window = (WINDOW / found.len()).max(LEAST_WINDOW);
        let until = longest.slice(store, longest.next + window).map_or(u64::MAX, |slice| slice.start);
        // Starts with the numbers of their lists. A list of a caller precedes those of its callees.
        let mut starts = Vec::new();
        for (number, places) in (0..).zip(&mut *found) {
            let mut at = places.next;
            while let Some(slice) = places.slice(store, at).filter(|slice| slice.start <= until) {
                starts.push((slice.start, number));
                at += 1;
            }
        }
        sort::pairs(&mut starts);
        for (_, number) in &starts {
            let Some(places) = found.get_mut(*number as usize) else { continue };
            if let Some(slice) = places.slice(store, places.next) {
                derived.add(&slice);
            }
            places.next += 1;
        }
        progress.done += starts.len() as u64;
        starts.is_empty()
    }
}

fn column_of(store: &Store, track: TrackId, depth: i32) -> Option<&Column> {
    store.tracks.get(track as usize)?.column(depth)
}

impl Places {
    /// How many slices are still to be copied.
    fn left(&self) -> usize {
        self.indices.len() - self.next
    }

    /// The slice at a place of the list.
    #[inline(never)]
    fn slice(&self, store: &Store, at: usize) -> Option<Slice> {
        store.tracks.get(self.track as usize)?.slice(self.depth, *self.indices.get(at)? as usize, 0)
    }
}

impl Job for Keep {
    fn noun(&self) -> &'static str {
        "track"
    }

    fn step(&mut self, store: &Store, budget: u64) -> Step {
        if self.done {
            return Step::Done;
        }
        if !self.scanned {
            if !self.scan(store, budget) {
                return Step::More;
            }
            self.scanned = true;
            self.progress.of = self.progress.done + self.found();
            self.wanted = Vec::new();
            self.derived.sources = self.found.iter().map(|places| places.track).collect();
            self.derived.sources.dedup();
        }
        if !self.merge(store) {
            return Step::More;
        }
        self.derived.track.finish(0);
        (self.found, self.columns) = (Vec::new(), Vec::new());
        self.progress.of = self.progress.done;
        self.done = true;
        Step::Done
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn bytes(&self) -> u64 {
        let indices: usize = self.found.iter().map(|places| places.indices.capacity()).sum();
        let lists = self.found.capacity() * size_of::<Places>() + self.columns.capacity() * size_of::<(TrackId, i32)>();
        (indices * size_of::<u32>() + self.wanted.capacity() + lists) as u64 + self.derived.bytes()
    }

    fn release(&mut self) {
        (self.found, self.columns, self.wanted) = (Vec::new(), Vec::new(), Vec::new());
        self.derived.clear();
        self.done = true;
    }

    fn derived(&self) -> Option<&Derived> {
        self.done.then_some(&self.derived)
    }
}

#[cfg(test)]
mod tests {
    use unspool_trace::{EventBatch, EventKind, Locator, TrackKind};

    use super::super::{Place, track_of};
    use super::*;
    use crate::details::Item;
    use crate::jobs::Jobs;
    use crate::store::query::TrackRows;
    use std::cmp::Reverse;

    /// Two threads of nested calls of 50 functions. Function 49 is rare, and 0 calls itself.
    fn store() -> Store {
        let mut store = Store::default();
        let mut batch = EventBatch::with_capacity(100_000);
        batch.new_tracks.extend(["t", "u"].map(|name| TrackDef::new(TrackKind::Thread, name)));
        batch.new_names.extend((0..50).map(|i| format!("f{i}").into()));
        let mut random = 88_172_645_463_325_252u64;
        for track in 0..2 {
            let (mut time, mut open) = (1000u64, Vec::new());
            for i in 0..40_000u64 {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                time += random % 50;
                if open.len() < 4 && (open.is_empty() || random >> 32 & 1 == 0) {
                    let name = if i % 9001 == 7 { 49 } else { (random >> 40) as u32 % 8 };
                    open.push(name);
                    batch.push(EventKind::Begin, track, time, name, Locator::at(i));
                } else if let Some(name) = open.pop() {
                    batch.push(EventKind::End, track, time, name, Locator::at(i));
                }
            }
        }
        batch.records = 80_000;
        store.apply(&mut batch);
        store.finish(false);
        store
    }

    fn kept(store: &Store, name: u32) -> Keep {
        let mut job = Keep::new(store, name, TrackDef::new(TrackKind::Lane, "kept"));
        while job.step(store, 100) == Step::More {}
        job
    }

    /// All slices of a name, by visiting each one.
    fn expected(store: &Store, name: u32) -> Vec<Slice> {
        let mut all = Vec::new();
        for track in 0..2 {
            store.for_each_slice(track, |_, _, slice| {
                if store.calls.name(slice.node) == name {
                    all.push(slice);
                }
            });
        }
        all.sort_by_key(|slice| (slice.start, Reverse(slice.end), slice.locator.bits()));
        all
    }

    fn slices(track: &crate::store::Track) -> Vec<(i32, Slice)> {
        let mut all = Vec::new();
        for (depth, column) in track.columns() {
            column.scan(0, usize::MAX, |_, slice| {
                all.push((depth, slice));
                true
            });
        }
        all
    }

    #[test]
    fn every_call_is_kept_once_and_none_overlaps() {
        let store = store();
        for name in [0, 3, 49] {
            let job = kept(&store, name);
            let derived = job.derived().unwrap();
            let rows = slices(derived.track());
            let mut all: Vec<_> = rows.iter().map(|(_, slice)| *slice).collect();
            all.sort_by_key(|slice| (slice.start, Reverse(slice.end), slice.locator.bits()));
            assert_eq!((all, derived.hidden()), (expected(&store, name), 0), "f{name}");
            assert_eq!(job.progress().done, job.progress().of);
            for pair in rows.windows(2) {
                assert!(pair[0].0 != pair[1].0 || pair[0].1.end <= pair[1].1.start);
            }
            assert!(derived.track().rows() > 1 || name == 49);
        }
    }

    #[test]
    fn levels_of_detail_are_those_of_the_slices() {
        let store = store();
        let job = kept(&store, 3);
        let derived = job.derived().unwrap();
        let id = track_of(7);
        let (from, to) = store.extent().unwrap();
        let rows = [TrackRows { track: id, depths: i32::MIN..i32::MAX }];
        for step in [1u64, 64, 1024, 1 << 15] {
            let answer = store.query_beside(from, to, step, &rows, &[(id, derived.track())]);
            let rects = &answer.rects;
            assert!(rects.track.iter().all(|track| *track == id) && rects.name.iter().all(|name| *name == 3));
            // Each slice lies in a rectangle of its row, and no rectangle is without one.
            let all = slices(derived.track());
            for (depth, slice) in &all {
                let (start, end) = ((slice.start - from) as f64, (slice.end - from) as f64);
                let inside = (0..rects.start.len())
                    .any(|i| rects.depth[i] == *depth && rects.start[i] <= start && end <= rects.end[i]);
                assert!(inside, "step {step}: {slice:?}");
            }
            for i in 0..rects.start.len() {
                let touches = |(depth, slice): &(i32, Slice)| {
                    let (start, end) = ((slice.start - from) as f64, (slice.end - from) as f64);
                    *depth == rects.depth[i] && start <= rects.end[i] && end >= rects.start[i]
                };
                assert!(all.iter().any(touches), "step {step}");
            }
            assert!(answer.visited <= 4 * (to - from).div_ceil(step) * 8 + 64 * 16);
        }
    }

    #[test]
    fn the_trace_is_not_altered_and_each_copy_leads_back() {
        let store = store();
        let digest = store.digest();
        let job = kept(&store, 0);
        let derived = job.derived().unwrap();
        assert_eq!(store.digest(), digest);
        for (depth, column) in derived.track().columns() {
            for index in (0..column.len()).step_by(37) {
                let copy = column.get(index).unwrap();
                let item = Item::Slice { track: track_of(1), depth, index: index as u32 };
                let found = derived.origin(&store, Place::Item(item)).unwrap().found.unwrap();
                let Item::Slice { track, depth, index } = found.item else { panic!("a slice") };
                assert_eq!(store.tracks[track as usize].column(depth).unwrap().get(index as usize), Some(copy));
            }
        }
        let missing = Item::Slice { track: 0, depth: 7, index: 1 << 30 };
        assert_eq!(derived.origin(&store, Place::Item(missing)), None);
    }

    #[test]
    fn what_finds_no_row_is_counted() {
        let mut derived = Derived::new(TrackDef::new(TrackKind::Lane, "kept"));
        for start in 0..10 {
            derived.add(&Slice { start, end: 100, node: 1, flags: 0, locator: Locator::at(start) });
        }
        derived.add(&Slice { start: 100, end: 101, node: 1, flags: 0, locator: Locator::at(100) });
        assert_eq!((derived.hidden(), derived.track().rows(), derived.track().slices()), (2, 8, 9));
    }

    #[test]
    fn a_hundred_tracks_stay_within_the_limit_and_the_oldest_go() {
        let store = store();
        let one = kept(&store, 3).bytes();
        let limit = store.kept_bytes() + 10 * one;
        let mut jobs: Jobs<Keep> = Jobs::new(limit);
        for id in 1..=100 {
            let slot = format!("keep {id}");
            jobs.begin(id, &slot, &store, |_| Box::new(Keep::new(&store, 3, TrackDef::new(TrackKind::Lane, "kept"))))
                .unwrap();
            while jobs.step(id, &store, 10_000) == Ok(Step::More) {}
            assert!(jobs.bytes() <= limit);
        }
        let left: Vec<u32> = (1..=100).filter(|id| jobs.derived(track_of(*id)).is_some()).collect();
        assert!((8..=10).contains(&left.len()) && left.ends_with(&[99, 100]), "{left:?}");
        let gone = jobs.take_evicted();
        assert_eq!(gone.len() + left.len(), 100);
        // One that is looked at stays longer than the others.
        jobs.touch(left[0]);
        jobs.remove(left[1]);
        assert!(jobs.derived(track_of(left[1])).is_none());
        assert!(jobs.take_evicted().is_empty(), "the user removed it");
    }
}
