//! The calls of one function: a list by start or by duration, and how their durations are
//! distributed.
//!
//! One scan finds them. A bit for each slice of a column says which ones are calls of the function:
//! in the order of starts, any row of the list is found from these by bisection. In the order of
//! durations, the first [`MOST_BY_DURATION`] are kept. A narrower interval of durations reaches the
//! others.

use unspool_records::picked::Picked;
use unspool_trace::{TrackId, sort};

use super::buckets::{self, bounds_of, bucket_of};
use super::plan::Question;
use crate::call_tree::ROOT;
use crate::jobs::{Job, Progress, Step};
use crate::store::column::Column;
use crate::store::{Slice, Store};

/// Most calls of a list by duration.
pub(super) const MOST_BY_DURATION: usize = 1 << 14;

/// Before a caller and a callee: the caller may have been called from anywhere.
pub const ANYWHERE: u32 = u32::MAX;

/// Which calls are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallsQuestion {
    /// Range and tracks.
    pub range: Question,
    /// Number of the function's name.
    pub name: u32,
    /// Numbers of the names from the outermost call to those that are wanted, the last of which is
    /// `name`. Empty for calls from anywhere. After [`ANYWHERE`], only the caller and `name`,
    /// wherever the caller was called from.
    pub path: Vec<u32>,
    /// Shortest and longest whole duration, in ticks.
    pub durations: (u64, u64),
}

/// The order of a list. Calls of one duration are in the order of starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallOrder {
    /// By start, a caller before its callees.
    #[default]
    Start,
    /// By descending duration.
    Longest,
    /// By ascending duration.
    Shortest,
}

/// Which rows of the list are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallsView {
    /// Their order.
    pub order: CallOrder,
    /// The first row.
    pub first: u64,
    /// How many rows.
    pub rows: u32,
    /// A slice whose place in the list is wanted: its track, depth and index.
    pub of: Option<(TrackId, i32, u32)>,
}

/// Rows of the list as columns, with what is known of all calls.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CallColumns {
    /// Calls in the range.
    pub all: u64,
    /// Calls in the range whose durations are in the interval.
    pub chosen: u64,
    /// Rows of the list. It may be shorter than the calls by duration.
    pub listed: u64,
    /// Row of the wanted slice, or of the first one that starts after it.
    pub at: u64,
    /// Whether the wanted slice is in the list.
    pub found: bool,
    /// Durations of all calls: the lowest of a bucket, the lowest above it, and the number of
    /// calls. Buckets are at most a 64th of their values wide; empty ones are left out.
    pub bucket: Vec<(u64, u64, u64)>,
    /// Number of the track.
    pub track: Vec<u32>,
    /// Signed depth.
    pub depth: Vec<i32>,
    /// Index in the column.
    pub index: Vec<u32>,
    /// Absolute positions, in ticks.
    pub start: Vec<u64>,
    /// The same.
    pub end: Vec<u64>,
    /// Flags of slices.
    pub flags: Vec<u8>,
}

/// Finds the calls of a function.
#[derive(Debug)]
pub struct Calls {
    question: CallsQuestion,
    view: CallsView,
    /// For each call-tree node that has the name, how many names at the end of the wanted path its
    /// own path is; 0 for all other nodes.
    wanted: Vec<u32>,
    columns: Vec<Places>,
    /// The column that is scanned, and its next slice.
    at: (usize, usize),
    /// All durations, counted, and the shortest and the longest of them.
    buckets: Vec<u64>,
    extremes: (u64, u64),
    all: u64,
    chosen: u64,
    longest: Top,
    shortest: Top,
    progress: Progress,
    restarts: u64,
    done: bool,
}

/// The calls in one column.
#[derive(Debug)]
struct Places {
    track: TrackId,
    depth: i32,
    /// The slices of the range.
    first: usize,
    end: usize,
    /// The least of [`Calls::wanted`] that will do: the callers before are missing from the call
    /// tree, but are those of the path.
    least: u32,
    picked: Option<Picked>,
}

/// A call that is among the longest or the shortest.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// Ascending in the order of the list.
    key: u64,
    start: u64,
    column: u32,
    index: u32,
}

/// The first calls by duration.
#[derive(Debug, Default)]
struct Top {
    calls: Vec<Candidate>,
    /// Key and start of the last one, if more were dropped.
    last: Option<(u64, u64)>,
}

impl Top {
    #[inline]
    fn offer(&mut self, key: u64, column: usize, index: usize, start: impl Fn() -> u64) {
        if self.last.is_some_and(|(last, _)| key > last) {
            return;
        }
        let start = start();
        if self.last.is_none_or(|last| (key, start) < last) {
            self.calls.push(Candidate { key, start, column: column as u32, index: index as u32 });
            if self.calls.len() == 2 * MOST_BY_DURATION {
                self.sort();
            }
        }
    }

    /// Sorts by key, then by start, and drops what is too much.
    fn sort(&mut self) {
        let mut order: Vec<(u64, u32)> = self.calls.iter().map(|call| call.key).zip(0..).collect();
        sort::pairs(&mut order);
        for run in order.chunk_by_mut(|a, b| a.0 == b.0) {
            for (key, i) in run.iter_mut() {
                *key = self.calls.get(*i as usize).map_or(0, |call| call.start);
            }
            sort::pairs(run);
        }
        order.truncate(MOST_BY_DURATION);
        let sorted: Vec<Candidate> = order.iter().filter_map(|(_, i)| self.calls.get(*i as usize)).copied().collect();
        if sorted.len() < self.calls.len() {
            self.last = sorted.last().map(|call| (call.key, call.start));
        }
        self.calls = sorted;
    }
}

impl Calls {
    /// Plans the scan, unless the previous job has found the same calls.
    pub fn new(store: &Store, question: CallsQuestion, view: CallsView, previous: Option<Self>) -> Self {
        if let Some(previous) = previous
            && previous.done
            && previous.question == question
            && previous.restarts == store.restarts
        {
            return Self { view, ..previous };
        }
        let mut columns = Vec::new();
        let Question { from, to, tracks } = &question.range;
        for id in tracks {
            let Some(track) = store.tracks.get(*id as usize) else { continue };
            for (depth, column) in track.columns() {
                let range = column.overlapping(*from, *to);
                if let Some(least) = least_of_path(&question.path, track.before(), depth)
                    && !range.is_empty()
                {
                    let (first, end) = (range.start, range.end);
                    columns.push(Places { track: *id, depth, first, end, least, picked: None });
                }
            }
        }
        let of = columns.iter().map(|places| (places.end - places.first) as u64).sum();
        Self {
            wanted: ends_of_path(store, question.name, &question.path),
            question,
            view,
            at: (0, columns.first().map_or(0, |places| places.first)),
            columns,
            buckets: vec![0; buckets::COUNT],
            extremes: (u64::MAX, 0),
            all: 0,
            chosen: 0,
            longest: Top::default(),
            shortest: Top::default(),
            progress: Progress { done: 0, of },
            restarts: store.restarts,
            done: false,
        }
    }

    /// The wanted rows. `None` until the scan is over.
    pub fn found(&self, store: &Store) -> Option<CallColumns> {
        if !self.done {
            return None;
        }
        let buckets = self.buckets.iter().enumerate().filter(|(_, count)| **count > 0);
        let bucket = buckets.map(|(i, count)| {
            let (low, shift) = bounds_of(i);
            let (shortest, longest) = self.extremes;
            // The outermost ends are those of the calls.
            let above = low.saturating_add(1 << shift).min(longest.saturating_add(1));
            (low.max(shortest), above, *count)
        });
        let mut columns =
            CallColumns { all: self.all, chosen: self.chosen, bucket: bucket.collect(), ..CallColumns::default() };
        let CallsView { order, first, rows, of } = self.view;
        let top = match order {
            CallOrder::Start => {
                columns.listed = self.chosen;
                if let Some(of) = of {
                    (columns.at, columns.found) = self.rank(store, of);
                }
                self.by_start(store, first, rows, &mut columns);
                return Some(columns);
            }
            CallOrder::Longest => &self.longest,
            CallOrder::Shortest => &self.shortest,
        };
        columns.listed = top.calls.len() as u64;
        if let Some((track, depth, index)) = of {
            let is = |call: &Candidate| {
                let places = self.columns.get(call.column as usize);
                places.is_some_and(|p| (p.track, p.depth) == (track, depth)) && call.index == index
            };
            if let Some(at) = top.calls.iter().position(is) {
                (columns.at, columns.found) = (at as u64, true);
            }
        }
        let first = usize::try_from(first).unwrap_or(usize::MAX);
        for call in top.calls.iter().skip(first).take(rows as usize) {
            if let Some(places) = self.columns.get(call.column as usize) {
                columns.push(store, places, call.index as usize);
            }
        }
        Some(columns)
    }

    /// Scans on. Returns whether everything has been scanned.
    fn scan(&mut self, store: &Store, budget: u64) -> bool {
        let until = self.progress.done.saturating_add(budget);
        let (least, most) = self.question.durations;
        while let Some(places) = self.columns.get_mut(self.at.0) {
            let number = self.at.0;
            let Self { wanted, buckets, extremes, all, chosen, longest, shortest, progress, at: (_, next), .. } = self;
            if let Some(column) = column_of(store, places) {
                let is_done = column.sweep(next, places.end, progress, until, &mut |index, duration, node| {
                    if wanted.get(node as usize).is_some_and(|wanted| *wanted >= places.least) {
                        *all += 1;
                        *extremes = (extremes.0.min(duration), extremes.1.max(duration));
                        if let Some(count) = buckets.get_mut(bucket_of(duration)) {
                            *count += 1;
                        }
                        if (least..=most).contains(&duration) {
                            *chosen += 1;
                            let rows = (places.end - places.first) as u64;
                            let picked = places.picked.get_or_insert_with(|| Picked::new(rows));
                            picked.pick((index - places.first) as u64);
                            let start = || column.get(index).map_or(0, |slice| slice.start);
                            longest.offer(!duration, number, index, start);
                            shortest.offer(duration, number, index, start);
                        }
                    }
                });
                if !is_done {
                    return false;
                }
            }
            if let Some(picked) = &mut places.picked {
                picked.finish();
            }
            self.at = (number + 1, self.columns.get(number + 1).map_or(0, |places| places.first));
        }
        true
    }

    /// Number of calls that start before a time, in the columns before `end`.
    fn before(&self, store: &Store, time: u64, end: usize) -> u64 {
        self.columns.iter().take(end).map(|places| places.before(store, time)).sum()
    }

    /// Place of a slice in the order of starts, and whether it is in the list.
    fn rank(&self, store: &Store, (track, depth, index): (TrackId, i32, u32)) -> (u64, bool) {
        let slice = store.tracks.get(track as usize).and_then(|t| t.column(depth)?.get(index as usize));
        let Some(slice) = slice else { return (0, false) };
        // Columns before its own come first among those that start at once. Its own has no place if
        // the range holds none of its slices.
        let at = |places: &Places| (places.track, places.depth);
        let own = self.columns.iter().position(|places| at(places) == (track, depth));
        let next = || self.columns.iter().position(|places| at(places) > (track, depth));
        let split = own.or_else(next).unwrap_or(self.columns.len());
        let after = slice.start.saturating_add(1);
        let mut rank = self.before(store, after, split);
        let mut found = false;
        for (i, places) in self.columns.iter().enumerate().skip(split) {
            let Some(picked) = places.picked.as_ref() else { continue };
            if own == Some(i) {
                let row = (index as usize).saturating_sub(places.first) as u64;
                rank += picked.rank(row);
                found = picked.rank(row + 1) > picked.rank(row) && index as usize >= places.first;
            } else {
                rank += places.before(store, slice.start);
            }
        }
        (rank, found)
    }

    /// Adds rows in the order of starts.
    fn by_start(&self, store: &Store, first: u64, rows: u32, columns: &mut CallColumns) {
        if first >= self.chosen {
            return;
        }
        // The lowest time such that more than `first` calls start up to it.
        let all = self.columns.len();
        let (mut low, mut high) = (0, u64::MAX - 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.before(store, middle + 1, all) > first {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        let mut skip = first.saturating_sub(self.before(store, low, all));
        // The next call of each column, the earliest one last.
        let mut next: Vec<(u64, u32, u64)> = Vec::new();
        for (number, places) in (0..).zip(&self.columns) {
            let mut rank = places.before(store, low);
            // Of the calls that start at that time, those of this column.
            let skipped = skip.min(places.before(store, low + 1) - rank);
            skip -= skipped;
            rank += skipped;
            if let Some((_, slice)) = places.slice(store, rank) {
                next.push((slice.start, number, rank));
            }
        }
        // A few rows out of many columns: a heap, by hand, because another sort would be as much
        // code.
        for i in (0..next.len() / 2).rev() {
            sift(&mut next, i);
        }
        for _ in 0..rows {
            let Some((_, number, rank)) = next.first().copied() else { return };
            let Some(places) = self.columns.get(number as usize) else { return };
            if let Some((index, _)) = places.slice(store, rank) {
                columns.push(store, places, index);
            }
            match places.slice(store, rank + 1) {
                Some((_, slice)) => {
                    if let Some(head) = next.first_mut() {
                        *head = (slice.start, number, rank + 1);
                    }
                }
                None => {
                    next.swap_remove(0);
                }
            }
            sift(&mut next, 0);
        }
    }
}

/// For each call-tree node with a name, how many names at the end of `path` its own path is, at
/// least 1 if `path` is empty; 0 for all other nodes.
fn ends_of_path(store: &Store, name: u32, path: &[u32]) -> Vec<u32> {
    let calls = &store.calls;
    let of = |node: u32| {
        if calls.name(node) != name {
            return 0;
        }
        if path.is_empty() {
            return 1;
        }
        let (mut at, mut length) = (node, 0);
        for name in path.iter().rev() {
            if *name == ANYWHERE {
                return length;
            }
            if at == ROOT {
                break;
            }
            if calls.name(at) != *name {
                return 0;
            }
            (at, length) = (calls.parent(at), length + 1);
        }
        if at == ROOT { length } else { 0 }
    };
    (0..calls.len() as u32).map(of).collect()
}

/// How many names at the end of a path the call tree must have for slices at a depth of a track.
/// `before` are the callers that began before the recording, innermost first: the call tree lacks
/// them (`paths.rs`). `None` if the path leads to another depth.
fn least_of_path(path: &[u32], before: &[u32], depth: i32) -> Option<u32> {
    if path.is_empty() {
        return Some(1);
    }
    if let [ANYWHERE, caller, _] = path {
        let missing = usize::try_from(-i64::from(depth)).ok().and_then(|i| before.get(i));
        return Some(if missing == Some(caller) { 1 } else { 2 });
    }
    if !before.is_empty() && i64::from(depth) + before.len() as i64 + 1 != path.len() as i64 {
        return None;
    }
    let known = before.iter().rev().zip(path).take_while(|(missing, name)| missing == name).count();
    Some((path.len() - known).max(1) as u32)
}

/// Restores the order of a heap, the least first, below an element.
fn sift(heap: &mut [(u64, u32, u64)], mut at: usize) {
    loop {
        let least = [2 * at + 1, 2 * at + 2].into_iter().filter(|child| *child < heap.len());
        let Some(child) = least.min_by_key(|child| heap.get(*child).copied()) else { return };
        if heap.get(child) >= heap.get(at) {
            return;
        }
        heap.swap(child, at);
        at = child;
    }
}

fn column_of<'a>(store: &'a Store, places: &Places) -> Option<&'a Column> {
    store.tracks.get(places.track as usize)?.column(places.depth)
}

impl Places {
    /// Number of calls that start before a time.
    fn before(&self, store: &Store, time: u64) -> u64 {
        let (Some(picked), Some(column)) = (self.picked.as_ref(), column_of(store, self)) else { return 0 };
        picked.rank(column.first_from(time).saturating_sub(self.first) as u64)
    }

    /// The call with `rank` others before it in the column, and its index.
    fn slice(&self, store: &Store, rank: u64) -> Option<(usize, Slice)> {
        let index = self.first + self.picked.as_ref()?.select(rank)? as usize;
        Some((index, column_of(store, self)?.get(index)?))
    }
}

impl CallColumns {
    fn push(&mut self, store: &Store, places: &Places, index: usize) {
        let Some(slice) = column_of(store, places).and_then(|column| column.get(index)) else { return };
        self.track.push(places.track);
        self.depth.push(places.depth);
        self.index.push(index as u32);
        self.start.push(slice.start);
        self.end.push(slice.end);
        self.flags.push(slice.flags);
    }
}

impl Job for Calls {
    fn noun(&self) -> &'static str {
        "list of calls"
    }

    fn step(&mut self, store: &Store, budget: u64) -> Step {
        if !self.done {
            if !self.scan(store, budget) {
                return Step::More;
            }
            self.wanted = Vec::new();
            self.longest.sort();
            self.shortest.sort();
            self.done = true;
        }
        Step::Done
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn bytes(&self) -> u64 {
        let picked: usize = self.columns.iter().filter_map(|places| places.picked.as_ref()).map(Picked::bytes).sum();
        let lists = self.columns.capacity() * size_of::<Places>() + self.buckets.capacity() * size_of::<u64>();
        let top = (self.longest.calls.capacity() + self.shortest.calls.capacity()) * size_of::<Candidate>();
        (picked + lists + top + self.wanted.capacity() * size_of::<u32>()) as u64
    }

    fn release(&mut self) {
        (self.columns, self.wanted, self.buckets) = (Vec::new(), Vec::new(), Vec::new());
        (self.longest, self.shortest) = (Top::default(), Top::default());
        self.done = false;
        self.at = (0, 0);
        // Without columns, a step would find nothing. A later job plans again.
        self.restarts = u64::MAX;
    }
}
