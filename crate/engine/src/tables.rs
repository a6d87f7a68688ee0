//! The store as tables for SQL: rows come from its columns when they are asked for. `docs/sql.md`
//! describes the tables.

pub mod portions;
pub mod view;

use std::cell::Cell;
use std::rc::Rc;

use unspool_sqlite_pages::{Column, Database, Item, Listed, Rows, Table, Value};
use unspool_trace::{Clock, Stacking, TrackId, ValueKind};
use view::Number;

use crate::call_tree::{CallTree, NodeId};
use crate::store::column::Column as Slices;
use crate::store::{Slice, Store, Track};

pub use view::View;

/// The tables of names and tracks, which are the same for every range.
#[derive(Debug)]
pub struct Lists {
    names: Rc<Listed>,
    tracks: Rc<Listed>,
}

impl Lists {
    /// Those of a store, with the names that are shown now.
    pub fn of(store: &Store) -> Self {
        let names = (0..store.names().len()).map(|name| name_row(store, name as u32));
        Self { names: Rc::new(Listed::new(names)), tracks: Rc::new(Listed::new(store.tracks.iter().map(track_row))) }
    }
}

/// A database of a store that is finished. `None` if it has more pages than SQLite can count.
///
/// Positions and durations are in ticks, as signed numbers of 64 bits. With a clock of known
/// frequency, the views have them in seconds, too, from the beginning of the trace.
///
/// Of a range, `to` exclusive, there are the slices that overlap with it, and the instants and
/// samples in it.
pub fn database<'a>(store: &'a Store, clock: Clock, range: Option<Span>, lists: &Lists) -> Option<Database<'a>> {
    let (first, last) = store.extent().unwrap_or((0, 0));
    let at = Column::up_to(last);
    let dur = Column::up_to(last - first);
    let name = Column::Int(4);
    let track = Column::up_to(store.tracks.len() as u64);
    let deepest = store.tracks.iter().map(Track::rows).max().unwrap_or(0);
    let slices = SliceRows::new(store, range);
    let of_slices = [
        ("track", track),
        ("depth", Column::up_to(deepest.into())),
        ("start", at),
        ("dur", dur),
        ("name", name),
        ("parent", Column::OrNull(4)),
        ("flags", Column::Int(1)),
    ];
    let of_instants = [("track", track), ("time", at), ("name", name)];
    let tables = vec![
        Table::even("slices", &of_slices, Box::new(slices)),
        Table::even("instants", &of_instants, Box::new(Instants(instants(store, range)))),
        Table::even(
            "counters",
            &[("track", track), ("time", at), ("value", Column::Number)],
            Box::new(Samples(samples(store, range))),
        ),
        Table::listed(
            "tracks",
            &[("kind", TEXT), ("name", TEXT), ("number", INTEGER), ("parent", INTEGER)],
            Rc::clone(&lists.tracks),
        ),
        Table::listed("names", &[("name", TEXT), ("kind", TEXT), ("key", INTEGER)], Rc::clone(&lists.names)),
    ];
    let seconds = |column: &str| match clock {
        Clock::Seconds { frequency } => {
            let from = if column == "dur" { String::new() } else { format!(" - {first}") };
            format!(", (s.{column}{from}) / {frequency}.0 AS {column}_s")
        }
        _ => String::new(),
    };
    let of_track = "tracks.name AS track_name, tracks.number AS thread";
    let joined = "JOIN tracks ON tracks.id = s.track";
    let named = "JOIN names ON names.id = s.name";
    let views = [
        (
            "named_slices",
            format!(
                "SELECT s.id, names.name, s.start, s.dur{}{}, s.depth, {of_track}, s.parent, s.flags, s.track, s.name AS name_id \
                 FROM slices s {named} {joined}",
                seconds("start"),
                seconds("dur"),
            ),
        ),
        (
            "named_instants",
            format!(
                "SELECT s.id, names.name, s.time{}, {of_track}, s.track, s.name AS name_id FROM instants s {named} {joined}",
                seconds("time")
            ),
        ),
        (
            "named_counters",
            format!("SELECT s.id, tracks.name, s.time{}, s.value, s.track FROM counters s {joined}", seconds("time")),
        ),
    ];
    Database::new(tables, &views)
}

/// Types of columns.
const TEXT: &str = " TEXT";
const INTEGER: &str = " INTEGER";

/// A range of the x axis, the second exclusive.
pub type Span = (u64, u64);

/// How many rows the tables of a range have.
pub fn rows_of(store: &Store, range: Option<Span>) -> u64 {
    [SliceRows::new(store, range).len, instants(store, range).len, samples(store, range).len].iter().sum()
}

fn instants(store: &Store, range: Option<Span>) -> Parts<'_> {
    Parts::new(store, range, |track| track.instants.len(), |track, i| track.instants.get(i).map(|instant| instant.time))
}

fn samples(store: &Store, range: Option<Span>) -> Parts<'_> {
    Parts::new(store, range, |track| track.samples.len(), |track, i| track.samples.get(i).map(|sample| sample.time))
}

fn text(text: &str) -> Item {
    Item::Text(text.into())
}

fn number(number: Option<i64>) -> Item {
    Item::Number(number.map_or(Value::Null, Value::Int))
}

fn track_row(track: &Track) -> Vec<Item> {
    let def = &track.def;
    vec![text(def.kind.word()), text(&def.name), number(def.id), number(def.parent.map(id_of))]
}

fn name_row(store: &Store, name: u32) -> Vec<Item> {
    let (kind, key) = store.key(name);
    vec![text(store.name(name)), text(kind.word()), number(key.number())]
}

/// Ids are numbers counted from 1.
fn id_of(number: u32) -> i64 {
    i64::from(number) + 1
}

/// Rows that are those of one track after the other.
struct Parts<'a> {
    /// The first row of each track that has some, and the number on the track of what that is.
    parts: Vec<(u64, TrackId, &'a Track, usize)>,
    len: u64,
}

impl<'a> Parts<'a> {
    fn new(
        store: &'a Store,
        range: Option<Span>,
        count: impl Fn(&Track) -> usize,
        time: impl Fn(&Track, usize) -> Option<u64>,
    ) -> Self {
        let (mut parts, mut len) = (Vec::new(), 0);
        for (id, track) in (0..).zip(&store.tracks) {
            let count = count(track);
            // They ascend.
            let first_from = |at: u64| {
                let (mut low, mut high) = (0, count);
                while low < high {
                    let middle = low + (high - low) / 2;
                    if time(track, middle).is_some_and(|time| time < at) {
                        low = middle + 1;
                    } else {
                        high = middle;
                    }
                }
                low
            };
            let (from, to) = range.map_or((0, count), |(from, to)| (first_from(from), first_from(to)));
            if from < to {
                parts.push((len, id, track, from));
                len += (to - from) as u64;
            }
        }
        Self { parts, len }
    }

    /// The track of a row, and its number there.
    fn at(&self, row: u64) -> Option<(TrackId, &'a Track, usize)> {
        let part = self.parts.partition_point(|(first, ..)| *first <= row).checked_sub(1)?;
        let (first, id, track, from) = self.parts.get(part)?;
        Some((*id, track, from + (row - first) as usize))
    }

    /// An instant by its row, with its track.
    fn instant(&self, row: u64) -> Option<(TrackId, view::Instant)> {
        let (id, track, index) = self.at(row)?;
        let instant = track.instants.get(index)?;
        Some((id, view::Instant { time: instant.time, name: instant.name, locator: instant.locator.bits() }))
    }

    /// A sample by its row, with its track.
    fn sample(&self, row: u64) -> Option<(TrackId, view::Sample)> {
        let (id, track, index) = self.at(row)?;
        let sample = track.samples.get(index)?;
        let value = match track.def.values {
            ValueKind::Float => Number::Real(f64::from_bits(sample.bits)),
            ValueKind::Signed => Number::Int(sample.bits as i64),
            ValueKind::Unsigned | ValueKind::Address => Number::Unsigned(sample.bits),
        };
        Some((id, view::Sample { time: sample.time, value }))
    }
}

struct Instants<'a>(Parts<'a>);

impl Rows for Instants<'_> {
    fn len(&self) -> u64 {
        self.0.len
    }

    fn row(&self, row: u64, values: &mut [Value]) {
        let Some((id, instant)) = self.0.instant(row) else { return };
        fill(values, [id_of(id), instant.time as i64, id_of(instant.name)].map(Value::Int));
    }
}

struct Samples<'a>(Parts<'a>);

impl Rows for Samples<'_> {
    fn len(&self) -> u64 {
        self.0.len
    }

    fn row(&self, row: u64, values: &mut [Value]) {
        let Some((id, sample)) = self.0.sample(row) else { return };
        let value = match sample.value {
            Number::Real(number) => Value::Real(number),
            Number::Int(number) => Value::Int(number),
            // SQL has no unsigned numbers.
            Number::Unsigned(number) => Value::Int(number as i64),
        };
        fill(values, [Value::Int(id_of(id)), Value::Int(sample.time as i64), value]);
    }
}

fn fill<const N: usize>(values: &mut [Value], of: [Value; N]) {
    for (place, value) in values.iter_mut().zip(of) {
        *place = value;
    }
}

/// Slices of one column.
struct Part<'a> {
    /// The first row, and how many there are.
    first: u64,
    len: u64,
    /// The index of the slice of the first row.
    from: usize,
    id: TrackId,
    /// Counted from 0, the outermost.
    depth: i64,
    slices: &'a Slices,
    /// The column of the callers, its first row, and the index of the slice there. `None` if slices
    /// do not nest.
    callers: Option<(u64, usize, &'a Slices)>,
    /// Where the latest caller was: the next one is there or soon after.
    latest: Cell<usize>,
    /// The blocks of the latest slice and of the latest caller.
    near: Cell<usize>,
    near_caller: Cell<usize>,
}

/// Slices, one column after the other.
struct SliceRows<'a> {
    store: &'a Store,
    parts: Vec<Part<'a>>,
    len: u64,
    latest: Cell<usize>,
}

impl<'a> SliceRows<'a> {
    fn new(store: &'a Store, range: Option<Span>) -> Self {
        let (mut parts, mut len) = (Vec::new(), 0);
        for (id, track) in (0..).zip(&store.tracks) {
            let mut callers = None;
            for (depth, slices) in track.columns() {
                let within = range.map_or(0..slices.len(), |(from, to)| slices.overlapping(from, to));
                parts.push(Part {
                    first: len,
                    len: within.len() as u64,
                    from: within.start,
                    id,
                    depth: i64::from(depth) - i64::from(track.lowest()),
                    slices,
                    callers: callers.filter(|_| track.def.stacking == Stacking::Nested),
                    latest: Cell::new(0),
                    near: Cell::new(0),
                    near_caller: Cell::new(0),
                });
                callers = Some((len, within.start, slices));
                len += within.len() as u64;
            }
        }
        Self { store, parts, len, latest: Cell::new(0) }
    }

    /// The column of a row: mostly that of the row before.
    fn part(&self, row: u64) -> Option<&Part<'a>> {
        let at = self.latest.get();
        let part = self.parts.get(at).filter(|part| part.has(row));
        part.or_else(|| {
            // Of several that begin there, the last one has rows.
            let at = self.parts.partition_point(|part| part.first <= row).checked_sub(1)?;
            self.latest.set(at);
            self.parts.get(at)
        })
    }

    /// A slice by its row, with its track.
    fn slice(&self, row: u64) -> Option<(TrackId, view::Slice)> {
        let part = self.part(row)?;
        Some((part.id, part.slice(&self.store.calls, row - part.first)?))
    }
}

impl Part<'_> {
    /// A slice by its index among those of the part.
    #[inline]
    fn slice(&self, calls: &CallTree, index: u64) -> Option<view::Slice> {
        if index >= self.len {
            return None;
        }
        let slice = self.slices.get_near(self.from + index as usize, &self.near)?;
        Some(view::Slice {
            row: self.first + index,
            parent: self.caller(&slice, calls.parent(slice.node)),
            depth: self.depth as u32,
            start: slice.start,
            end: slice.end,
            name: calls.name(slice.node),
            flags: slice.flags,
            locator: slice.locator.bits(),
        })
    }

    fn has(&self, row: u64) -> bool {
        (self.first..self.first + self.len).contains(&row)
    }

    /// The row of the slice that encloses one: the caller, or else one that covers its time.
    fn caller(&self, slice: &Slice, calls: NodeId) -> Option<u64> {
        let (first, from, callers) = self.callers?;
        // The last one that begins no later. Rows are mostly read in order, so that it is near the
        // latest.
        let begins = |at: usize| callers.get_near(at, &self.near_caller).filter(|caller| caller.start <= slice.start);
        let mut at = self.latest.get();
        if begins(at).is_none() {
            at = callers.first_from(slice.start.saturating_add(1)).checked_sub(1)?;
        }
        let mut steps = 0;
        while begins(at + 1).is_some() {
            at += 1;
            steps += 1;
            if steps == 16 {
                at = callers.first_from(slice.start.saturating_add(1)).checked_sub(1)?;
                break;
            }
        }
        self.latest.set(at);
        let encloses = |at: &usize| {
            callers
                .get_near(*at, &self.near_caller)
                .filter(|caller| caller.start <= slice.start && caller.end >= slice.end)
        };
        // Several of them can touch a slice without duration.
        let near = || (at.saturating_sub(2)..=at).rev();
        let by_call = near().find(|at| encloses(at).is_some_and(|caller| caller.node == calls));
        let found = by_call.or_else(|| near().find(|at| encloses(at).is_some()))?;
        // What encloses a slice of the range overlaps with the range.
        Some(first + found.checked_sub(from)? as u64)
    }
}

impl Rows for SliceRows<'_> {
    fn len(&self) -> u64 {
        self.len
    }

    fn row(&self, row: u64, values: &mut [Value]) {
        let Some((track, slice)) = self.slice(row) else { return };
        fill(
            values,
            [
                Value::Int(id_of(track)),
                Value::Int(slice.depth.into()),
                Value::Int(slice.start as i64),
                Value::Int((slice.end - slice.start) as i64),
                Value::Int(id_of(slice.name)),
                slice.parent.map_or(Value::Null, |row| Value::Int(row as i64 + 1)),
                Value::Int(slice.flags.into()),
            ],
        );
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unspool_trace::{EventBatch, EventKind, Locator, TrackDef, TrackKind};

    use super::*;
    use crate::details::Item as Place;
    use crate::neighbours::Neighbour;

    /// A store with a track of calls, one of lifetimes, and a counter.
    fn store(events: &[(bool, u32, u64)]) -> Store {
        let mut store = Store::default();
        let mut batch = EventBatch::with_capacity(1 << 16);
        batch.new_names.extend((0..4).map(|name| format!("f{name}").into()));
        batch.new_tracks.push(TrackDef { id: Some(7), ..TrackDef::new(TrackKind::Thread, "main") });
        batch
            .new_tracks
            .push(TrackDef { stacking: Stacking::Overlapping, ..TrackDef::new(TrackKind::Lane, "buffers") });
        batch.new_tracks.push(TrackDef { values: ValueKind::Signed, ..TrackDef::new(TrackKind::Counter, "x") });
        let mut time = 100;
        for (begin, name, wait) in events {
            time += wait;
            let kind = if *begin { EventKind::Begin } else { EventKind::End };
            batch.push(kind, 0, time, *name, Locator::at(time));
            batch.push(kind, 1, time, *name, Locator::at(time));
            batch.push_sample(2, time, time.wrapping_neg());
            batch.push(EventKind::Instant, 0, time, *name, Locator::at(time));
        }
        store.apply(&mut batch);
        store.finish(false);
        store
    }

    proptest! {
        #[test]
        fn rows_are_the_slices_with_their_callers(events in prop::collection::vec((any::<bool>(), 0u32..4, 0u64..3), 0..200)) {
            let store = store(&events);
            let rows = SliceRows::new(&store, None);
            let mut all = Vec::new();
            let mut places = Vec::new();
            for track in 0..2 {
                store.for_each_slice(track, |depth, index, slice| {
                    places.push((track, depth, index));
                    all.push(slice);
                });
            }
            prop_assert_eq!(rows.len(), all.len() as u64);
            // Backwards, too: nothing depends on what was read before.
            for row in (0..all.len()).chain((0..all.len()).rev()) {
                let ((track, depth, index), slice) = (places[row], all[row]);
                let mut values = [Value::Null; 7];
                rows.row(row as u64, &mut values);
                let item = Place::Slice { track, depth, index: index as u32 };
                let caller = store.neighbour(Neighbour::Caller { item }).filter(|_| track == 0);
                let caller = caller.map(|found| match found.item {
                    Place::Slice { track, depth, index } => {
                        let is = |place: &(u32, i32, usize)| *place == (track, depth, index as usize);
                        Value::Int(places.iter().position(is).unwrap() as i64 + 1)
                    }
                    Place::Instant { .. } => panic!("an instant calls nothing"),
                });
                // Several callers without duration may enclose one that has none either.
                if slice.end > slice.start {
                    prop_assert_eq!(values[5], caller.unwrap_or_default());
                }
                if let Value::Int(parent) = values[5] {
                    let ((on, above, _), caller) = (places[parent as usize - 1], all[parent as usize - 1]);
                    prop_assert_eq!((on, above), (track, depth - 1));
                    prop_assert!(caller.start <= slice.start && caller.end >= slice.end);
                } else {
                    prop_assert!(caller.is_none());
                }
                let lowest = store.tracks[track as usize].lowest();
                let expected = [i64::from(track) + 1, i64::from(depth - lowest), slice.start as i64, (slice.end - slice.start) as i64];
                prop_assert_eq!(&values[..4], &expected.map(Value::Int)[..]);
                prop_assert_eq!(values[4], Value::Int(i64::from(store.calls.name(slice.node)) + 1));
            }
        }
    }

    #[test]
    fn instants_and_samples_have_rows() {
        let store = store(&[(true, 1, 5), (false, 1, 2)]);
        let mut values = [Value::Null; 3];
        Instants(instants(&store, None)).row(1, &mut values);
        assert_eq!(values, [Value::Int(1), Value::Int(107), Value::Int(2)]);
        let samples = Samples(samples(&store, None));
        samples.row(0, &mut values);
        assert_eq!((samples.len(), values), (2, [Value::Int(3), Value::Int(105), Value::Int(-105)]));
        let database = database(&store, Clock::Seconds { frequency: 10 }, None, &Lists::of(&store)).unwrap();
        let rows = ["slices", "instants", "counters", "tracks", "names"].map(|table| database.rows(table));
        assert_eq!(rows, [2, 2, 2, 3, 4]);
    }

    proptest! {
        #[test]
        fn tables_of_a_range_have_what_overlaps_with_it(
            events in prop::collection::vec((any::<bool>(), 0u32..4, 0u64..3), 0..100),
            from in 95u64..200,
            len in 0u64..60,
        ) {
            let store = store(&events);
            let (all, within) = (SliceRows::new(&store, None), SliceRows::new(&store, Some((from, from + len))));
            let rows = |of: &SliceRows<'_>| -> Vec<[Value; 7]> {
                let row = |row| {
                    let mut values = [Value::Null; 7];
                    of.row(row, &mut values);
                    values
                };
                (0..of.len()).map(row).collect()
            };
            let number = |value: Value| if let Value::Int(number) = value { number as u64 } else { 0 };
            let overlaps = |row: &[Value; 7]| {
                let (start, end) = (number(row[2]), number(row[2]) + number(row[3]));
                start < from + len && (end > from || start == end && start >= from)
            };
            // Without parents, whose rows have other numbers.
            let bare = |row: &[Value; 7]| [row[0], row[1], row[2], row[3], row[4], row[6]];
            let (all, found) = (rows(&all), rows(&within));
            let expected: Vec<_> = all.iter().filter(|row| overlaps(row)).map(bare).collect();
            prop_assert_eq!(found.iter().map(bare).collect::<Vec<_>>(), expected);
            for row in &found {
                if let Value::Int(parent) = row[5] {
                    let caller = &found[parent as usize - 1];
                    prop_assert!(number(caller[2]) <= number(row[2]) && number(caller[1]) + 1 == number(row[1]));
                }
            }
            let times = (0..store.tracks[0].instants.len()).filter_map(|i| store.tracks[0].instants.get(i));
            let expected = times.filter(|instant| (from..from + len).contains(&instant.time)).count() as u64;
            prop_assert_eq!((instants(&store, Some((from, from + len))).len, samples(&store, Some((from, from + len))).len), (expected, expected));
            prop_assert_eq!(rows_of(&store, Some((from, from + len))), found.len() as u64 + 2 * expected);
        }
    }
}
