//! Finds a slice or an instant: at a position, or next to, above or below another one.

use serde::Serialize;
use unspool_trace::{Locator, TrackId};

use crate::call_tree::{NodeId, ROOT};
use crate::details::Item;
use crate::store::Store;
use crate::store::column::Column;
use crate::store::node::Node;
use crate::store::slice::Slice;
use crate::store::walk::Visit;

/// What to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbour {
    /// The innermost slice at a position.
    At {
        /// Absolute position, in ticks.
        time: u64,
        /// The track to look at. `None`, or a track without slices, means the track with the most
        /// slices.
        track: Option<TrackId>,
    },
    /// The next item in the same row.
    Next {
        /// The item to start from.
        item: Item,
    },
    /// The previous item in the same row.
    Previous {
        /// The item to start from.
        item: Item,
    },
    /// The slice that called a slice.
    Caller {
        /// The slice to start from.
        item: Item,
    },
    /// The longest direct callee of a slice.
    Callee {
        /// The slice to start from.
        item: Item,
    },
    /// The slice of a row that is nearest to a position.
    InRow {
        /// The track.
        track: TrackId,
        /// Signed depth of the row, or `None` for the instants of the track.
        depth: Option<i32>,
        /// Absolute position, in ticks.
        time: u64,
    },
    /// The first slice of a name that begins at a position or after it, on any track.
    Named {
        /// Number of the name.
        name: u32,
        /// Absolute position, in ticks.
        time: u64,
    },
    /// The slice or instant of a record: the one that has its locator, or else the innermost slice
    /// that it ends.
    Record {
        /// Absolute position of the record, in ticks.
        time: u64,
        /// Its track.
        track: TrackId,
        /// Its locator.
        locator: Locator,
    },
}

/// A slice or an instant that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
pub struct Found {
    /// Its stable position in the store.
    pub item: Item,
    /// Number of its name.
    pub name: u32,
    /// Absolute position, in ticks.
    #[cfg_attr(feature = "typescript", tsify(type = "Ticks"))]
    pub start: u64,
    /// Absolute position, in ticks. `None` for an instant.
    #[cfg_attr(feature = "typescript", tsify(type = "Ticks | null"))]
    pub end: Option<u64>,
    /// Flags of a slice; 0 for an instant.
    pub flags: u8,
}

/// Finds the longest slice that begins in a range.
struct Longest {
    from: u64,
    to: u64,
    best: Option<(usize, Slice)>,
}

impl Visit for Longest {
    fn node(&mut self, node: &Node, _first: usize, _visited: u64) -> bool {
        // Skip nodes whose slices are all shorter than the best one so far.
        let shortest = self.best.map_or(0, |(_, s)| s.end - s.start);
        node.longest_log2 < 64 && 1u64 << node.longest_log2 <= shortest
    }

    fn slice(&mut self, index: usize, slice: Slice) {
        let within = slice.start >= self.from && slice.start < self.to.max(self.from.saturating_add(1));
        if within && self.best.is_none_or(|(_, best)| slice.end - slice.start > best.end - best.start) {
            self.best = Some((index, slice));
        }
    }
}

/// Finds the last slice that begins at or before a position and ends after it. Among several slices
/// without duration at the position, finds the first: [`Neighbour::Next`] then steps through all of
/// them.
struct Around<'a> {
    column: &'a Column,
    at: u64,
    found: Option<(usize, Slice)>,
}

impl Visit for Around<'_> {
    fn node(&mut self, node: &Node, first: usize, _visited: u64) -> bool {
        // All slices of the node are at one position.
        let point = node.start == node.end;
        if point && let Some(slice) = self.column.get(first) {
            self.slice(first, slice);
        }
        point
    }

    fn slice(&mut self, index: usize, slice: Slice) {
        let is_point = |s: &Slice| s.start == s.end && s.start == self.at;
        if slice.start > self.at || (slice.end <= self.at && !is_point(&slice)) {
            return;
        }
        if !(is_point(&slice) && self.found.as_ref().is_some_and(|(_, found)| is_point(found))) {
            self.found = Some((index, slice));
        }
    }
}

/// Finds the first slice of a call-tree node that contains `start..end`. Between two slices that
/// touch, only the node says in which of them a slice without duration lies.
struct Calling {
    node: NodeId,
    start: u64,
    end: u64,
    found: Option<(usize, Slice)>,
}

impl Visit for Calling {
    fn node(&mut self, _node: &Node, _first: usize, _visited: u64) -> bool {
        self.found.is_some()
    }

    fn slice(&mut self, index: usize, slice: Slice) {
        let calls = slice.node == self.node && slice.start <= self.start && slice.end >= self.end;
        if calls && self.found.is_none() {
            self.found = Some((index, slice));
        }
    }
}

/// Finds the slice with a locator that begins at a position, or else the last one that ends there.
struct OfRecord {
    at: u64,
    locator: Locator,
    begins: Option<(usize, Slice)>,
    ends: Option<(usize, Slice)>,
}

impl Visit for OfRecord {
    fn node(&mut self, _node: &Node, _first: usize, _visited: u64) -> bool {
        self.begins.is_some()
    }

    fn slice(&mut self, index: usize, slice: Slice) {
        if slice.start == self.at && slice.locator == self.locator {
            self.begins.get_or_insert((index, slice));
        } else if slice.end == self.at {
            self.ends = Some((index, slice));
        }
    }
}

impl Store {
    /// Finds a slice or an instant. Visits a few nodes and slices for each level of detail and
    /// depth, however long the trace is.
    pub fn neighbour(&self, what: Neighbour) -> Option<Found> {
        match what {
            Neighbour::At { time, track } => {
                let busiest = || (0..self.tracks.len() as u32).max_by_key(|t| (self.slices_of(*t), u32::MAX - t));
                let track = track.filter(|t| self.slices_of(*t) > 0).or_else(busiest)?;
                self.innermost_at(track, time)
            }
            Neighbour::Next { item } => self.next_to(item, true),
            Neighbour::Previous { item } => self.next_to(item, false),
            Neighbour::Caller { item } => {
                let Item::Slice { track, depth, index } = item else { return None };
                let slice = self.slice_at(track, depth, index as usize)?;
                let above = depth.checked_sub(1)?;
                self.calling(track, above, &slice).or_else(|| self.around(track, above, slice.start))
            }
            Neighbour::Callee { item } => {
                let Item::Slice { track, depth, index } = item else { return None };
                let slice = self.slice_at(track, depth, index as usize)?;
                self.longest(track, depth.checked_add(1)?, slice.start, slice.end)
            }
            Neighbour::InRow { track, depth: Some(depth), time } => self.nearest_slice(track, depth, time),
            Neighbour::InRow { track, depth: None, time } => self.nearest_instant(track, time),
            Neighbour::Named { name, time } => self.first_named(name, time),
            Neighbour::Record { time, track, locator } => self.of_record(track, time, locator),
        }
    }

    fn first_named(&self, name: u32, time: u64) -> Option<Found> {
        let mut best: Option<(Item, Slice)> = None;
        for (id, track) in (0..).zip(&self.tracks) {
            for (depth, column) in track.columns() {
                let from = column.overlapping(time, u64::MAX).start;
                column.scan(from, usize::MAX, |index, slice| {
                    // Slices of a column are in order: no later one can be the first.
                    if best.is_some_and(|(_, first)| slice.start >= first.start) {
                        return false;
                    }
                    if slice.start < time || self.calls.name(slice.node) != name {
                        return true;
                    }
                    best = Some((Item::Slice { track: id, depth, index: index as u32 }, slice));
                    false
                });
            }
        }
        let (item, slice) = best?;
        Some(Found { item, name, start: slice.start, end: Some(slice.end), flags: slice.flags })
    }

    /// The slice around a position, or else the closer one of those before and after it.
    fn nearest_slice(&self, track: TrackId, depth: i32, time: u64) -> Option<Found> {
        if let Some(around) = self.around(track, depth, time) {
            return Some(around);
        }
        let after = self.tracks.get(track as usize)?.column(depth)?.overlapping(time, u64::MAX).start;
        let slice = |index: usize| Some((index, self.slice_at(track, depth, index)?));
        let nearest = [after.checked_sub(1).and_then(slice), slice(after)]
            .into_iter()
            .flatten()
            .min_by_key(|(_, slice)| if slice.start > time { slice.start - time } else { time - slice.end.min(time) });
        nearest.map(|(index, slice)| self.found_slice(track, depth, index, &slice))
    }

    fn nearest_instant(&self, track: TrackId, time: u64) -> Option<Found> {
        let instants = &self.tracks.get(track as usize)?.instants;
        let after = instants.partition_point(0, |instant| instant.time < time);
        let before = after.checked_sub(1);
        let index = before.into_iter().chain([after]).filter(|index| *index < instants.len());
        let index = index.min_by_key(|index| instants.get(*index).map_or(u64::MAX, |it| it.time.abs_diff(time)))?;
        let instant = instants.get(index)?;
        let item = Item::Instant { track, index: index as u32 };
        Some(Found { item, name: instant.name, start: instant.time, end: None, flags: 0 })
    }

    fn of_record(&self, track: TrackId, time: u64, locator: Locator) -> Option<Found> {
        let on = self.tracks.get(track as usize)?;
        let (mut begun, mut ended) = (None, None);
        // Columns come from the outermost on: a group and the call that begins it have one record,
        // which is the call's.
        for (depth, column) in on.columns() {
            let mut of = OfRecord { at: time, locator, begins: None, ends: None };
            column.walk_once(time.saturating_sub(1), time.saturating_add(1), &mut of);
            if let Some(slice) = self.slice_at(track, depth, column.len()) {
                of.slice(column.len(), slice);
            }
            let found = |of: Option<(usize, Slice)>| of.map(|(i, slice)| self.found_slice(track, depth, i, &slice));
            (begun, ended) = (found(of.begins).or(begun), found(of.ends).or(ended));
        }
        let first = on.instants.partition_point(0, |instant| instant.time < time);
        let here = (first..).map_while(|i| on.instants.get(i).filter(|instant| instant.time == time).map(|it| (i, it)));
        let instant = || {
            let (index, instant) = here.into_iter().find(|(_, instant)| instant.locator == locator)?;
            let item = Item::Instant { track, index: index as u32 };
            Some(Found { item, name: instant.name, start: instant.time, end: None, flags: 0 })
        };
        begun.or_else(instant).or(ended)
    }

    fn slices_of(&self, track: TrackId) -> u64 {
        self.tracks.get(track as usize).map_or(0, |t| t.slices())
    }

    fn slice_at(&self, track: TrackId, depth: i32, index: usize) -> Option<Slice> {
        let now = self.extent().map_or(0, |(_, to)| to);
        self.tracks.get(track as usize)?.slice(depth, index, now)
    }

    fn found_slice(&self, track: TrackId, depth: i32, index: usize, slice: &Slice) -> Found {
        Found {
            item: Item::Slice { track, depth, index: index as u32 },
            name: self.calls.name(slice.node),
            start: slice.start,
            end: Some(slice.end),
            flags: slice.flags,
        }
    }

    /// The first slice of a track that equals `like`, record included.
    pub(crate) fn find_slice(&self, track: TrackId, like: &Slice) -> Option<Found> {
        self.tracks.get(track as usize)?.columns().find_map(|(depth, column)| {
            let mut near = column.overlapping(like.start, like.start.saturating_add(1));
            let index = near.find(|index| self.slice_at(track, depth, *index) == Some(*like))?;
            Some(self.found_slice(track, depth, index, like))
        })
    }

    fn innermost_at(&self, track: TrackId, time: u64) -> Option<Found> {
        let lowest = self.tracks.get(track as usize)?.lowest();
        let rows = self.tracks.get(track as usize)?.rows() as i32;
        (lowest..lowest + rows).rev().find_map(|depth| self.around(track, depth, time))
    }

    fn around(&self, track: TrackId, depth: i32, time: u64) -> Option<Found> {
        let on = self.tracks.get(track as usize)?;
        let closed = on.column(depth).and_then(|column| {
            let mut around = Around { column, at: time, found: None };
            column.walk_once(time, time.saturating_add(1), &mut around);
            around.found
        });
        let open = on.column(depth).map_or(0, Column::len);
        let found = closed.or_else(|| {
            let slice = self.slice_at(track, depth, open)?;
            (slice.start <= time && (slice.end > time || slice.start == time)).then_some((open, slice))
        });
        found.map(|(index, slice)| self.found_slice(track, depth, index, &slice))
    }

    /// The slice at `depth` that called `callee`, as far as the call tree knows.
    fn calling(&self, track: TrackId, depth: i32, callee: &Slice) -> Option<Found> {
        let node = self.calls.parent(callee.node);
        let on = self.tracks.get(track as usize)?;
        let column = on.column(depth)?;
        if node == ROOT {
            return None;
        }
        let mut calling = Calling { node, start: callee.start, end: callee.end, found: None };
        column.walk_once(callee.start.saturating_sub(1), callee.start.saturating_add(1), &mut calling);
        calling.found.map(|(index, slice)| self.found_slice(track, depth, index, &slice))
    }

    fn longest(&self, track: TrackId, depth: i32, from: u64, to: u64) -> Option<Found> {
        let on = self.tracks.get(track as usize)?;
        let mut longest = Longest { from, to, best: None };
        if let Some(column) = on.column(depth) {
            column.walk_once(from, to.max(from.saturating_add(1)), &mut longest);
        }
        let open = on.column(depth).map_or(0, Column::len);
        if let Some(slice) = self.slice_at(track, depth, open) {
            longest.slice(open, slice);
        }
        longest.best.map(|(index, slice)| self.found_slice(track, depth, index, &slice))
    }

    fn next_to(&self, item: Item, forwards: bool) -> Option<Found> {
        let step = |index: u32| if forwards { index.checked_add(1) } else { index.checked_sub(1) };
        match item {
            Item::Slice { track, depth, index } => {
                let index = step(index)? as usize;
                let slice = self.slice_at(track, depth, index)?;
                Some(self.found_slice(track, depth, index, &slice))
            }
            Item::Instant { track, index } => {
                let index = step(index)?;
                let instant = self.tracks.get(track as usize)?.instants.get(index as usize)?;
                let item = Item::Instant { track, index };
                Some(Found { item, name: instant.name, start: instant.time, end: None, flags: 0 })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use unspool_trace::{EventBatch, EventKind, Locator, TrackDef, TrackKind};

    use super::*;

    /// A thread with a(0..100) > b(10..20), b(30..60) > c(40..50), and b that is open from 200 on.
    fn store() -> Store {
        let mut store = Store::default();
        let mut batch = EventBatch::with_capacity(100);
        batch.new_names.extend(["a", "b", "c", "i"].map(|name| String::from(name).into()));
        batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "t"));
        let (begin, end) = (EventKind::Begin, EventKind::End);
        let events = [
            (begin, 0, 0),
            (begin, 10, 1),
            (end, 20, 1),
            (begin, 30, 1),
            (begin, 40, 2),
            (EventKind::Instant, 45, 3),
            (EventKind::Instant, 46, 3),
            (end, 50, 2),
            (end, 60, 1),
            (end, 100, 0),
            (begin, 200, 1),
            (begin, 250, 2),
            (end, 260, 2),
        ];
        for (kind, time, name) in events {
            batch.push(kind, 0, time, name, Locator::default());
        }
        store.apply(&mut batch);
        store
    }

    fn place(found: Option<Found>) -> Option<(i32, u32, u64)> {
        let found = found?;
        let Item::Slice { depth, index, .. } = found.item else { return None };
        Some((depth, index, found.start))
    }

    fn slice(depth: i32, index: u32) -> Item {
        Item::Slice { track: 0, depth, index }
    }

    #[test]
    fn the_first_slice_of_a_name_is_found_on_any_track() {
        let mut store = store();
        let mut batch = EventBatch::with_capacity(16);
        batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "u"));
        for (kind, time) in [(EventKind::Begin, 42), (EventKind::End, 43), (EventKind::Begin, 70), (EventKind::End, 71)]
        {
            batch.push(kind, 1, time, 2, Locator::default());
        }
        store.apply(&mut batch);
        let named = |name, time| {
            let found = store.neighbour(Neighbour::Named { name, time })?;
            Some((found.item.track(), found.start))
        };
        let all: Vec<_> = (0..=250).filter_map(|time| named(2, time)).collect();
        let mut starts = all.clone();
        starts.dedup();
        assert_eq!(starts.len(), 4, "{starts:?}");
        assert!(starts.contains(&(1, 42)) && starts.contains(&(1, 70)));
        // At every position, what is found is the first that begins there or later.
        for (time, found) in (0..=250).filter_map(|time| Some((time, named(2, time)?))) {
            assert_eq!(Some(&found), starts.iter().find(|(_, start)| *start >= time));
        }
        assert_eq!(named(77, 0), None);
    }

    #[test]
    fn the_nearest_of_a_row_is_found() {
        let store = store();
        let row = |depth, time| place(store.neighbour(Neighbour::InRow { track: 0, depth: Some(depth), time }));
        assert_eq!(row(1, 15), Some((1, 0, 10)), "around the position");
        assert_eq!((row(1, 0), row(1, 24), row(1, 26)), (Some((1, 0, 10)), Some((1, 0, 10)), Some((1, 1, 30))));
        assert_eq!((row(1, 62), row(1, 249)), (Some((1, 1, 30)), Some((1, 2, 250))));
        assert_eq!((row(1, 10_000), row(2, 0)), (Some((1, 2, 250)), Some((2, 0, 40))));
        assert_eq!((row(0, 101), row(0, 199), row(0, 300)), (Some((0, 0, 0)), Some((0, 1, 200)), Some((0, 1, 200))));
        assert_eq!((row(3, 0), row(-1, 0)), (None, None), "no such row");
        let instant = |time| Some(store.neighbour(Neighbour::InRow { track: 0, depth: None, time })?.start);
        assert_eq!([0, 45, 46, 1000].map(instant), [Some(45), Some(45), Some(46), Some(46)]);
        assert_eq!(store.neighbour(Neighbour::InRow { track: 9, depth: None, time: 0 }), None);
    }

    #[test]
    fn the_innermost_slice_at_a_position_is_found() {
        let store = store();
        let at = |time| place(store.neighbour(Neighbour::At { time, track: None }));
        assert_eq!(at(5), Some((0, 0, 0)));
        assert_eq!(at(10), Some((1, 0, 10)), "a start belongs to the slice that begins");
        assert_eq!(at(20), Some((0, 0, 0)), "an end does not belong to the slice that ends");
        assert_eq!(at(44), Some((2, 0, 40)));
        assert_eq!(at(150), None);
        assert_eq!(at(255), Some((1, 2, 250)));
        assert_eq!(at(220), Some((0, 1, 200)), "open slices are found");
        assert_eq!(
            place(store.neighbour(Neighbour::At { time: 44, track: Some(7) })),
            Some((2, 0, 40)),
            "no such track"
        );
    }

    #[test]
    fn the_slice_or_instant_of_a_record_is_found() {
        let mut store = Store::default();
        let mut batch = EventBatch::with_capacity(100);
        batch.new_names.extend(["a", "b", "i"].map(|name| String::from(name).into()));
        batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "t"));
        let (begin, end, instant) = (EventKind::Begin, EventKind::End, EventKind::Instant);
        // a(10..20) > b(10..20), an instant at 20, and a that is open from 20 on.
        let events = [
            (begin, 10, 0),
            (begin, 10, 1),
            (end, 20, 1),
            (end, 20, 0),
            (instant, 20, 2),
            (instant, 20, 2),
            (begin, 20, 0),
        ];
        for (at, (kind, time, name)) in (100..).zip(events) {
            batch.push(kind, 0, time, name, Locator::at(at));
        }
        store.apply(&mut batch);
        let find = |time, at| store.neighbour(Neighbour::Record { time, track: 0, locator: Locator::at(at) });
        assert_eq!(place(find(10, 100)), Some((0, 0, 10)));
        assert_eq!(place(find(10, 101)), Some((1, 0, 10)));
        assert_eq!(place(find(20, 103)), Some((1, 0, 10)), "an end has no slice of its own");
        assert_eq!(find(20, 105).map(|found| found.item), Some(Item::Instant { track: 0, index: 1 }));
        assert_eq!(place(find(20, 106)), Some((0, 1, 20)), "an open slice");
        assert_eq!(find(15, 100), None, "nothing begins or ends there");
    }

    #[test]
    fn slices_without_duration_are_found_at_their_position() {
        let mut store = Store::default();
        let mut batch = EventBatch::with_capacity(4096);
        batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "t"));
        // 0..10, then 40 without duration at each of 20, 30 and 50, and 60..70.
        let mut slices = vec![(0, 10)];
        slices.extend([20, 30, 50].into_iter().flat_map(|at| std::iter::repeat_n((at, at), 40)));
        slices.push((60, 70));
        for (start, end) in slices {
            batch.push(EventKind::Begin, 0, start, 0, Locator::default());
            batch.push(EventKind::End, 0, end, 0, Locator::default());
        }
        store.apply(&mut batch);
        for finished in [false, true] {
            if finished {
                store.finish(false);
            }
            let at = |time| place(store.neighbour(Neighbour::At { time, track: None }));
            assert_eq!(at(20), Some((0, 1, 20)), "the first of them");
            assert_eq!(at(30), Some((0, 41, 30)));
            assert_eq!(at(50), Some((0, 81, 50)));
            assert_eq!((at(10), at(19), at(31), at(51)), (None, None, None, None));
            assert_eq!(at(60), Some((0, 121, 60)));
            assert_eq!(place(store.neighbour(Neighbour::Next { item: slice(0, 41) })), Some((0, 42, 30)));
            assert_eq!(place(store.neighbour(Neighbour::Previous { item: slice(0, 41) })), Some((0, 40, 20)));
        }
    }

    #[test]
    fn the_caller_of_a_slice_without_duration_is_found_by_node() {
        let mut store = Store::default();
        let mut batch = EventBatch::with_capacity(16);
        batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "t"));
        // a(0..10) calls b(10..10) as it ends, and c(10..20), which calls d(10..10) and e(20..20),
        // follows.
        let (begin, end) = (EventKind::Begin, EventKind::End);
        for (kind, time, name) in [
            (begin, 0, 0),
            (begin, 10, 1),
            (end, 10, 1),
            (end, 10, 0),
            (begin, 10, 2),
            (begin, 10, 3),
            (end, 10, 3),
            (begin, 20, 4),
            (end, 20, 4),
            (end, 20, 2),
        ] {
            batch.push(kind, 0, time, name, Locator::default());
        }
        store.apply(&mut batch);
        let caller = |index| place(store.neighbour(Neighbour::Caller { item: slice(1, index) }));
        assert_eq!((caller(0), caller(1), caller(2)), (Some((0, 0, 0)), Some((0, 1, 10)), Some((0, 1, 10))));
    }

    #[test]
    fn neighbours_do_not_depend_on_what_is_drawn() {
        let store = store();
        assert_eq!(place(store.neighbour(Neighbour::Next { item: slice(1, 0) })), Some((1, 1, 30)));
        assert_eq!(place(store.neighbour(Neighbour::Previous { item: slice(1, 1) })), Some((1, 0, 10)));
        assert_eq!(place(store.neighbour(Neighbour::Previous { item: slice(1, 0) })), None);
        assert_eq!(place(store.neighbour(Neighbour::Next { item: slice(0, 0) })), Some((0, 1, 200)));
        assert_eq!(place(store.neighbour(Neighbour::Next { item: slice(0, 1) })), None);
        assert_eq!(place(store.neighbour(Neighbour::Caller { item: slice(2, 0) })), Some((1, 1, 30)));
        assert_eq!(place(store.neighbour(Neighbour::Caller { item: slice(0, 0) })), None);
        assert_eq!(place(store.neighbour(Neighbour::Callee { item: slice(0, 0) })), Some((1, 1, 30)), "the longest");
        assert_eq!(place(store.neighbour(Neighbour::Callee { item: slice(2, 0) })), None);
        let next = store.neighbour(Neighbour::Next { item: Item::Instant { track: 0, index: 0 } });
        assert_eq!(next.map(|found| (found.start, found.end)), Some((46, None)));
    }
}
