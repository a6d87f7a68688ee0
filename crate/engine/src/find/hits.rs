//! What was found: slices and instants as a bit for each of their column, and points for records
//! that are neither.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use hashbrown::HashMap;
use serde::Serialize;
use unspool_records::picked::Picked;
use unspool_trace::{TrackId, sort};

use crate::derived::{MOST_CELLS, MarksColumns};
use crate::details::Item;
use crate::store::query::TrackRows;
use crate::store::{Slice, Store};

/// Most hits that can be put in an order other than that of their positions.
const MOST_SORTED: u64 = 1 << 20;

/// Slices of a column, or instants of a track.
#[derive(Debug)]
struct Row {
    track: TrackId,
    /// Signed depth; `None` for instants.
    depth: Option<i32>,
    picked: Picked,
}

/// A record that is neither a slice nor an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    pub(crate) x: u64,
    pub(crate) track: TrackId,
    pub(crate) locator: u64,
    /// Numbers of its name and of what matched in [`Hits::texts`].
    pub(crate) name: u32,
    pub(crate) text: u32,
}

/// A hit by its row, or [`POINTS`], and its index there.
type Place = (u32, u32);
const POINTS: u32 = u32::MAX;
/// No text.
pub(crate) const NONE: u32 = u32::MAX;

/// The order of hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By position.
    #[default]
    Position,
    /// By thread, then by position.
    Thread,
    /// By name.
    Name,
    /// By duration, the longest first.
    Duration,
    /// By what matched.
    Match,
}

/// A hit, for serialisation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
pub struct Hit {
    /// The slice or the instant. `None` for a record that is neither.
    pub item: Option<Item>,
    /// Number of its track.
    #[cfg_attr(feature = "typescript", tsify(type = "number"))]
    pub track: TrackId,
    /// Absolute position, in ticks.
    #[cfg_attr(feature = "typescript", tsify(type = "Ticks"))]
    pub start: u64,
    /// Absolute position, in ticks. `None` unless it is a slice.
    #[cfg_attr(feature = "typescript", tsify(type = "Ticks | null"))]
    pub end: Option<u64>,
    /// Number of its name. `None` if it has none, or if `title` has it.
    pub name: Option<u32>,
    /// Its name, if that has no number.
    pub title: String,
    /// Where its record is.
    pub locator: u64,
    /// The field that matched. Empty if the name did.
    pub matched: String,
}

/// What was found. Hits of the same position are in the order of their tracks and depths.
#[derive(Debug, Default)]
pub struct Hits {
    /// By track and depth, instants last.
    rows: Vec<Row>,
    by_place: HashMap<(TrackId, Option<i32>), u32>,
    points: Vec<Point>,
    /// What matched, by the places of hits that are slices or instants.
    matched: HashMap<Place, u32>,
    /// Texts that hits refer to.
    pub(crate) texts: Vec<String>,
    /// A bit for each name, whether a slice or an instant with it was added.
    names: Vec<u64>,
    count: u64,
    /// An order, the numbers of the hits that are in it, and their places.
    sorted: Option<(Order, Range<u64>, Vec<Place>)>,
}

impl Hits {
    /// How many there are.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether a slice, or without a depth an instant, is a hit.
    pub fn has(&self, track: TrackId, depth: Option<i32>, index: u64) -> bool {
        let row = self.by_place.get(&(track, depth)).and_then(|row| self.rows.get(*row as usize));
        row.is_some_and(|row| row.picked.has(index))
    }

    /// Allocated memory, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let rows: usize = self.rows.iter().map(|row| row.picked.bytes() + size_of::<Row>()).sum();
        let points = self.points.capacity() * size_of::<Point>() + self.matched.capacity() * 16;
        let texts: usize = self.texts.iter().map(|text| text.capacity() + size_of::<String>()).sum();
        let sorted = self.sorted.as_ref().map_or(0, |(.., places)| places.capacity() * size_of::<Place>());
        (rows + points + texts + sorted + self.names.capacity() * 8) as u64
    }

    /// The row of slices or instants, made if it is new.
    pub(crate) fn row(&mut self, store: &Store, track: TrackId, depth: Option<i32>) -> u32 {
        let words = store.names().len().div_ceil(64);
        if self.names.len() < words {
            self.names.resize(words, 0);
        }
        if let Some(known) = self.by_place.get(&(track, depth)) {
            return *known;
        }
        let number = self.rows.len() as u32;
        let row = Row { track, depth, picked: Picked::default() };
        let len = row.len(store) as u64;
        self.rows.push(Row { picked: Picked::new(len), ..row });
        self.by_place.insert((track, depth), number);
        number
    }

    /// Adds a slice of a row that [`Hits::row`] returned, with its name. Takes effect with
    /// [`Hits::finish`].
    #[inline]
    pub(crate) fn pick(&mut self, row: u32, index: usize, name: u32) {
        self.add_name(name);
        if let Some(row) = self.rows.get_mut(row as usize) {
            row.picked.pick(index as u64);
        }
    }

    /// Adds a slice or an instant. `matched` is the number of a text, or [`NONE`]. Takes effect
    /// with [`Hits::finish`].
    pub(crate) fn add(&mut self, store: &Store, track: TrackId, depth: Option<i32>, index: usize, matched: u32) {
        let row = self.row(store, track, depth);
        if let Some(of) = self.rows.get_mut(row as usize) {
            if of.picked.has(index as u64) {
                return;
            }
            of.picked.pick(index as u64);
            let name = of.name(store, index as u64);
            if matched != NONE {
                self.matched.insert((row, index as u32), matched);
            }
            name.into_iter().for_each(|name| self.add_name(name));
        }
    }

    #[inline]
    fn add_name(&mut self, name: u32) {
        if let Some(word) = self.names.get_mut(name as usize / 64) {
            *word |= 1 << (name % 64);
        }
    }

    /// Adds a record that is neither. Takes effect with [`Hits::finish`].
    pub(crate) fn add_point(&mut self, point: Point) {
        self.points.push(point);
    }

    /// Counts what was added, and puts it in order.
    pub(crate) fn finish(&mut self) {
        let key = |row: usize| self.rows.get(row).map_or(0, Row::key);
        let order = sort::order(self.rows.len(), &[&key]);
        if !order.is_sorted() {
            let mut renumbered = vec![0; order.len()];
            for (to, from) in (0..).zip(&order) {
                if let Some(slot) = renumbered.get_mut(*from as usize) {
                    *slot = to;
                }
            }
            let to = |row: u32| renumbered.get(row as usize).copied().unwrap_or(row);
            self.matched = self.matched.drain().map(|((row, index), text)| ((to(row), index), text)).collect();
            self.by_place.values_mut().for_each(|row| *row = to(*row));
            self.rows = sort::in_order(std::mem::take(&mut self.rows), &order);
        }
        self.rows.iter_mut().for_each(|row| row.picked.finish());
        // A sort of its own, because this one profits from what is in order: portions of a pass
        // are.
        self.points.sort();
        self.points.dedup_by_key(|point| (point.x, point.track, point.locator));
        self.count = self.rows.iter().map(|row| row.picked.count()).sum::<u64>() + self.points.len() as u64;
        self.sorted = None;
    }

    /// How many hits are before a position.
    fn before(&self, store: &Store, x: u64) -> u64 {
        let points = self.points.partition_point(|point| point.x < x) as u64;
        self.rows.iter().map(|row| row.before(store, x)).sum::<u64>() + points
    }

    /// The number of hits before a position, or before an item at that position, and whether the
    /// item is a hit.
    pub fn rank(&self, store: &Store, x: u64, item: Option<Item>, locator: Option<u64>) -> (u64, bool) {
        let mut rank = self.before(store, x);
        let wanted = item.map(|item| match item {
            Item::Slice { track, depth, index } => ((track, Some(depth)), u64::from(index)),
            Item::Instant { track, index } => ((track, None), u64::from(index)),
        });
        let next = x.saturating_add(1);
        let known = wanted.and_then(|(place, index)| Some((*self.by_place.get(&place)?, index)));
        if let Some((number, index)) = known
            && let Some(row) = self.rows.get(number as usize).filter(|row| row.picked.has(index))
        {
            for earlier in self.rows.iter().take(number as usize) {
                rank += earlier.before(store, next) - earlier.before(store, x);
            }
            return (rank + row.picked.rank(index) - row.before(store, x), true);
        }
        let (from, to) =
            (self.points.partition_point(|point| point.x < x), self.points.partition_point(|point| point.x < next));
        let here = self.points.get(from..to).unwrap_or_default();
        if let Some(at) = locator.and_then(|locator| here.iter().position(|point| point.locator == locator)) {
            let of_rows: u64 = self.rows.iter().map(|row| row.before(store, next) - row.before(store, x)).sum();
            return (rank + of_rows + at as u64, true);
        }
        (rank, false)
    }

    /// Some of the hits with the numbers `among`, by position: `count` from number `first` of these
    /// on, fewer at the end. An order other than that of positions needs at most 2^20 hits; beyond
    /// that the order is that of positions.
    pub fn page(&mut self, store: &Store, among: Range<u64>, first: u64, count: usize, order: Order) -> Vec<Hit> {
        let among = among.start..among.end.min(self.count);
        let number = among.end.saturating_sub(among.start);
        let places = if order == Order::Position || number > MOST_SORTED {
            let count = count.min(usize::try_from(number.saturating_sub(first)).unwrap_or(usize::MAX));
            self.by_position(store, among.start.saturating_add(first), count)
        } else {
            if self.sorted.as_ref().is_none_or(|(by, of, _)| *by != order || *of != among) {
                let places = self.by_position(store, among.start, number as usize);
                self.sorted = Some((order, among, self.in_order(store, places, order)));
            }
            let all = self.sorted.as_ref().map(|(.., places)| places.as_slice()).unwrap_or_default();
            let from = usize::try_from(first).unwrap_or(usize::MAX).min(all.len());
            all.get(from..all.len().min(from.saturating_add(count))).unwrap_or_default().to_vec()
        };
        places.into_iter().filter_map(|place| self.hit(store, place)).collect()
    }

    /// Places in the order of positions.
    fn by_position(&self, store: &Store, first: u64, count: usize) -> Vec<Place> {
        if first >= self.count {
            return Vec::new();
        }
        // The position of the first one: the last with at most `first` hits before it.
        let (mut low, mut high) = store.extent().unwrap_or((0, 0));
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.before(store, middle) <= first {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        let mut skip = first.saturating_sub(self.before(store, low));
        let mut heads = BinaryHeap::new();
        let push = |heads: &mut BinaryHeap<_>, number: u32, rank: u64| match self.rows.get(number as usize) {
            Some(row) => {
                if let Some(index) = row.picked.select(rank) {
                    heads.push(Reverse((row.start(store, index), number, index as u32, rank)));
                }
            }
            None => {
                if let Some(point) = self.points.get(rank as usize) {
                    heads.push(Reverse((point.x, POINTS, rank as u32, rank)));
                }
            }
        };
        for (number, row) in (0..).zip(&self.rows) {
            push(&mut heads, number, row.before(store, low));
        }
        push(&mut heads, POINTS, self.points.partition_point(|point| point.x < low) as u64);
        let mut places = Vec::new();
        while places.len() < count
            && let Some(Reverse((_, number, index, rank))) = heads.pop()
        {
            push(&mut heads, number, rank + 1);
            match skip {
                0 => places.push((number, index)),
                _ => skip -= 1,
            }
        }
        places
    }

    /// Places by position, in another order.
    fn in_order(&self, store: &Store, all: Vec<Place>, order: Order) -> Vec<Place> {
        let mut keys: Vec<u64> = Vec::with_capacity(all.len());
        match order {
            Order::Position => return all,
            Order::Thread => keys.extend(all.iter().map(|place| u64::from(self.track(*place)))),
            Order::Duration => keys.extend(all.iter().map(|place| {
                let length = self.slice(store, *place).map_or(0, |slice| slice.end - slice.start);
                u64::MAX - length
            })),
            Order::Name | Order::Match => {
                // Texts repeat: they are put in order once, and then compared by number.
                let text = |place: Place| {
                    let hit = self.hit(store, place);
                    hit.map_or(String::new(), |hit| match order {
                        Order::Match => hit.matched,
                        _ => hit.name.and_then(|name| store.names().get(name as usize).cloned()).unwrap_or(hit.title),
                    })
                };
                let mut numbers: HashMap<String, u32> = HashMap::new();
                let of: Vec<u32> = all
                    .iter()
                    .map(|place| {
                        let next = numbers.len() as u32;
                        *numbers.entry(text(*place)).or_insert(next)
                    })
                    .collect();
                let mut texts: Vec<(&String, u32)> = numbers.iter().map(|(text, number)| (text, *number)).collect();
                texts.sort_unstable_by(by_text);
                let mut ranks = vec![0u64; texts.len()];
                for (rank, (_, number)) in (0..).zip(&texts) {
                    if let Some(slot) = ranks.get_mut(*number as usize) {
                        *slot = rank;
                    }
                }
                let rank = |number: &u32| ranks.get(*number as usize).copied().unwrap_or(0);
                keys.extend(of.iter().map(rank));
            }
        }
        // Stable: equal ones stay by position.
        let order = sort::order(all.len(), &[&|at| keys.get(at).copied().unwrap_or(0)]);
        sort::in_order(all, &order)
    }

    fn track(&self, (row, index): Place) -> TrackId {
        match self.rows.get(row as usize) {
            Some(row) => row.track,
            None => self.points.get(index as usize).map_or(0, |point| point.track),
        }
    }

    fn slice(&self, store: &Store, (row, index): Place) -> Option<Slice> {
        let row = self.rows.get(row as usize)?;
        store.tracks.get(row.track as usize)?.column(row.depth?)?.get(index as usize)
    }

    fn hit(&self, store: &Store, (number, index): Place) -> Option<Hit> {
        let text = |text: u32| self.texts.get(text as usize).cloned().unwrap_or_default();
        let Some(row) = self.rows.get(number as usize) else {
            let point = self.points.get(index as usize)?;
            let (title, matched) = (text(point.name), text(point.text));
            let Point { x: start, track, locator, .. } = *point;
            return Some(Hit { item: None, track, start, end: None, name: None, title, locator, matched });
        };
        let track = row.track;
        let matched = self.matched.get(&(number, index)).map_or(String::new(), |number| text(*number));
        let title = String::new();
        let Some(depth) = row.depth else {
            let instant = store.tracks.get(track as usize)?.instants.get(index as usize)?;
            let (item, locator) = (Some(Item::Instant { track, index }), instant.locator.bits());
            let name = Some(instant.name);
            return Some(Hit { item, track, start: instant.time, end: None, name, title, locator, matched });
        };
        let slice = self.slice(store, (number, index))?;
        let name = Some(store.calls.name(slice.node));
        let (item, locator) = (Some(Item::Slice { track, depth, index }), slice.locator.bits());
        Some(Hit { item, track, start: slice.start, end: Some(slice.end), name, title, locator, matched })
    }

    /// Positions, tracks and locators of at most `most` hits, by position.
    pub fn columns(&self, store: &Store, most: usize) -> (Vec<u64>, Vec<u32>, Vec<u64>) {
        let (mut x, mut track, mut locator) = (Vec::new(), Vec::new(), Vec::new());
        for hit in self.by_position(store, 0, most).into_iter().filter_map(|place| self.hit(store, place)) {
            x.push(hit.start);
            track.push(hit.track);
            locator.push(hit.locator);
        }
        (x, track, locator)
    }

    /// Names of the slices and instants among the hits, ascending.
    pub fn names(&self) -> Vec<u32> {
        let of_word = |(first, word): (u32, &u64)| {
            let word = *word;
            (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| first * 64 + bit)
        };
        (0..).zip(&self.names).flat_map(of_word).collect()
    }

    /// The cells from `from` up to `to` that hits touch, on these rows, and their width: `step`
    /// ticks, or more if there would be too many. Instants and records without a slice are on the
    /// lowest depth of their track. `merged` joins all depths of a track.
    ///
    /// The work depends on the number of rows and cells, not on that of hits.
    pub fn marks(
        &self,
        store: &Store,
        (from, to): (u64, u64),
        step: u64,
        rows: &[TrackRows],
        merged: bool,
    ) -> (MarksColumns, u64) {
        let length = to.saturating_sub(from);
        let step = step.max(1).max(length.div_ceil(MOST_CELLS));
        let cells = length.div_ceil(step) as usize;
        let (mut marks, mut counts) = (MarksColumns::default(), vec![0u32; cells]);
        for TrackRows { track: id, depths } in rows {
            let Some(track) = store.tracks.get(*id as usize) else { continue };
            let lowest = track.lowest();
            let mut current = None;
            let flush = |depth: Option<i32>, counts: &mut [u32], marks: &mut MarksColumns| {
                let Some(depth) = depth else { return };
                for (cell, count) in (0..).zip(counts) {
                    if *count > 0 {
                        marks.track.push(*id);
                        marks.depth.push(depth);
                        marks.cell.push(cell);
                        marks.count.push(std::mem::take(count));
                    }
                }
            };
            let points = depths.contains(&lowest).then_some((lowest, None));
            let of_slices = self.rows_of(*id).filter_map(|row| Some((row.depth?, Some(row))));
            let of_instants = self.by_place.get(&(*id, None)).and_then(|number| self.rows.get(*number as usize));
            let of_instants = of_instants.filter(|_| depths.contains(&lowest)).map(|row| (lowest, Some(row)));
            let all: Vec<_> =
                of_slices.filter(|(depth, _)| depths.contains(depth)).chain(of_instants).chain(points).collect();
            let order = sort::order(all.len(), &[&|at| all.get(at).map_or(0, |(depth, _)| sort::signed(*depth))]);
            for (depth, row) in sort::in_order(all, &order) {
                let depth = if merged { 0 } else { depth };
                if current != Some(depth) {
                    flush(current, &mut counts, &mut marks);
                    current = Some(depth);
                }
                match row {
                    Some(row) => row.mark(store, (from, to), step, &mut counts),
                    None => {
                        let begin = self.points.partition_point(|point| point.x < from);
                        let here = self.points.iter().skip(begin).take_while(|point| point.x < to);
                        for point in here.filter(|point| point.track == *id) {
                            if let Some(count) = counts.get_mut(((point.x - from) / step) as usize) {
                                *count = count.saturating_add(1);
                            }
                        }
                    }
                }
            }
            flush(current, &mut counts, &mut marks);
        }
        (marks, step)
    }

    fn rows_of(&self, track: TrackId) -> impl Iterator<Item = &Row> {
        let from = self.rows.partition_point(|row| row.track < track);
        self.rows.iter().skip(from).take_while(move |row| row.track == track)
    }
}

impl Row {
    /// By track, then by depth, instants last.
    fn key(&self) -> u64 {
        u64::from(self.track) << 33 | self.depth.map_or(1 << 32, sort::signed)
    }

    /// How many slices or instants there are, hits or not.
    fn len(&self, store: &Store) -> usize {
        let Some(track) = store.tracks.get(self.track as usize) else { return 0 };
        match self.depth {
            Some(depth) => track.column(depth).map_or(0, |column| column.len()),
            None => track.instants.len(),
        }
    }

    /// The index of the first one that begins at a position or after it.
    fn first_from(&self, store: &Store, x: u64) -> usize {
        let Some(track) = store.tracks.get(self.track as usize) else { return 0 };
        match self.depth {
            Some(depth) => track.column(depth).map_or(0, |column| column.first_from(x)),
            None => track.instants.partition_point(0, |instant| instant.time < x),
        }
    }

    /// How many hits are before a position.
    fn before(&self, store: &Store, x: u64) -> u64 {
        self.picked.rank(self.first_from(store, x) as u64)
    }

    fn extent(&self, store: &Store, index: u64) -> Option<(u64, u64)> {
        let track = store.tracks.get(self.track as usize)?;
        match self.depth {
            Some(depth) => track.column(depth)?.get(index as usize).map(|slice| (slice.start, slice.end)),
            None => track.instants.get(index as usize).map(|instant| (instant.time, instant.time)),
        }
    }

    fn start(&self, store: &Store, index: u64) -> u64 {
        self.extent(store, index).map_or(0, |(start, _)| start)
    }

    fn name(&self, store: &Store, index: u64) -> Option<u32> {
        let track = store.tracks.get(self.track as usize)?;
        match self.depth {
            Some(depth) => track.column(depth)?.get(index as usize).map(|slice| store.calls.name(slice.node)),
            None => track.instants.get(index as usize).map(|instant| instant.name),
        }
    }

    /// Counts the hits that touch each cell. Visits hits, or cells if these are fewer.
    fn mark(&self, store: &Store, (from, to): (u64, u64), step: u64, counts: &mut [u32]) {
        // The first that ends after the beginning.
        let overlapping = |a: u64, b: u64| -> (u64, u64) {
            let track = store.tracks.get(self.track as usize);
            match (self.depth, track) {
                (Some(depth), Some(track)) => {
                    let range = track.column(depth).map_or(0..0, |column| column.overlapping(a, b));
                    (range.start as u64, range.end as u64)
                }
                _ => (self.first_from(store, a) as u64, self.first_from(store, b) as u64),
            }
        };
        let (first, end) = overlapping(from, to);
        let (first, end) = (self.picked.rank(first), self.picked.rank(end));
        let last = counts.len().saturating_sub(1);
        if end - first <= 2 * counts.len() as u64 {
            for rank in first..end {
                let Some((start, end)) = self.picked.select(rank).and_then(|index| self.extent(store, index)) else {
                    continue;
                };
                let cell = |x: u64| ((x.saturating_sub(from) / step) as usize).min(last);
                let (begin, end) = (cell(start), cell(end.saturating_sub(1).max(start)));
                for count in counts.get_mut(begin..=end).unwrap_or_default() {
                    *count = count.saturating_add(1);
                }
            }
            return;
        }
        for (cell, count) in (0u64..).zip(counts) {
            let start = from.saturating_add(cell.saturating_mul(step));
            let (first, end) = overlapping(start, start.saturating_add(step).min(to.max(start)));
            let here = self.picked.rank(end) - self.picked.rank(first).min(self.picked.rank(end));
            *count = count.saturating_add(u32::try_from(here).unwrap_or(u32::MAX));
        }
    }
}

/// Compares texts. A call, because a sort compares at many places: in line they take 8 kB of the
/// page.
#[inline(never)]
fn by_text(a: &(&String, u32), b: &(&String, u32)) -> core::cmp::Ordering {
    a.cmp(b)
}

#[cfg(test)]
mod tests;
