//! What the search asks of a trace: its threads, and their calls in the order of time.
//!
//! [`Store`] answers that where the search is in one program with it. In the page the search is a
//! wasm module of its own, loaded once a trace is read, because the one of the session is loaded
//! with every trace. [`PortionCalls`] has what the session's module has, in [`portions`], so that
//! one needs no further code for it.
//!
//! [`portions`]: crate::tables::portions

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use unspool_trace::{Stacking, TrackDef, TrackId, TrackKind};

use crate::store::Store;
use crate::tables::portions::{Answer, Ask, What};
use crate::tables::view::{Head, Part, Slice, Table};

/// Rows of a column that are fetched at once, the first ones and all others: of a range often only
/// the first few matter.
const FEW: u32 = 256;
const ROWS: u32 = 4096;
/// Rows of all columns together, as far as there are not too many for the least of each.
const MOST_ROWS: u32 = 1 << 16;
const LEAST: u32 = 16;

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Number of its track.
    pub track: TrackId,
    /// Its depth, from [`Thread::lowest`] on.
    pub depth: i32,
    /// Absolute position of its begin, in ticks.
    pub start: u64,
    /// Absolute position of its end; at least `start`.
    pub end: u64,
    /// Number of its name.
    pub name: u32,
    /// Both of its ends were recorded.
    pub is_whole: bool,
}

/// A thread with calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Number of its track.
    pub id: TrackId,
    /// As it is shown.
    pub name: String,
    /// Number of its calls.
    pub calls: u64,
    /// Depth of its outermost calls.
    pub lowest: i32,
    /// Where its first call begins and its last one ends.
    pub extent: Option<(u64, u64)>,
    /// Where its records are missing, ascending.
    pub gaps: Vec<(u64, u64)>,
}

/// The calls of a trace that was read to its end.
pub trait Calls {
    /// From the first to the last position, at least 1.
    fn length(&self) -> u64;

    /// Number of names.
    fn names(&self) -> usize;

    /// A name by its number.
    fn name(&self, name: u32) -> Cow<'_, str>;

    /// The threads that have nested calls, by the numbers of their tracks.
    fn threads(&self) -> Vec<Thread>;

    /// Visits the calls of some threads that overlap with `from..to`, in the order of their begins;
    /// of those that begin together, the outermost first. Ends when `each` returns false.
    fn visit(&self, threads: &[TrackId], from: u64, to: u64, each: &mut dyn FnMut(&Call) -> bool);

    /// Visits the calls of a thread at one depth that overlap with `from..to`, in the order of
    /// time. Ends when `each` returns false.
    fn row(&self, thread: TrackId, depth: i32, from: u64, to: u64, each: &mut dyn FnMut(&Call) -> bool);

    /// Visits at most `most` further calls of some threads, in that order. Returns how many there
    /// were: fewer at the end.
    fn walk(&self, walk: &mut Walk, threads: &[TrackId], most: u64, each: &mut dyn FnMut(&Call)) -> u64 {
        let (from, mut skip) = (walk.at, walk.skip);
        let mut visited = 0;
        self.visit(threads, from, u64::MAX, &mut |call| {
            if call.start < from {
                return true;
            }
            if call.start == from && skip > 0 {
                skip -= 1;
                return true;
            }
            if visited == most {
                return false;
            }
            walk.skip = if call.start == walk.at { walk.skip + 1 } else { 1 };
            walk.at = call.start;
            visited += 1;
            each(call);
            true
        });
        visited
    }
}

/// How far a walk through the calls of some threads is.
#[derive(Debug, Default)]
pub struct Walk {
    /// Where the next call begins, and how many that begin there were visited.
    at: u64,
    skip: u64,
    /// Columns of [`PortionCalls`].
    merged: Option<Merged>,
}

/// Whether calls of a track are those of a thread.
fn is_thread(def: &TrackDef) -> bool {
    def.kind == TrackKind::Thread && def.stacking == Stacking::Nested
}

impl Calls for Store {
    fn length(&self) -> u64 {
        self.extent().map_or(1, |(from, to)| (to - from).max(1))
    }

    fn names(&self) -> usize {
        self.names().len()
    }

    fn name(&self, name: u32) -> Cow<'_, str> {
        Cow::Borrowed(self.name(name))
    }

    fn threads(&self) -> Vec<Thread> {
        let threads = (0..).zip(&self.tracks).filter(|(_, it)| is_thread(&it.def) && it.slices() > 0);
        let of = |(id, track): (TrackId, &crate::store::Track)| Thread {
            id,
            name: track.def.name.clone(),
            calls: track.slices(),
            lowest: track.lowest(),
            extent: track.extent(),
            gaps: pairs(&track.gaps()),
        };
        threads.map(of).collect()
    }

    fn visit(&self, threads: &[TrackId], from: u64, to: u64, each: &mut dyn FnMut(&Call) -> bool) {
        for it in self.ordered(threads, from, to) {
            let (slice, name) = (it.slice, self.calls.name(it.slice.node));
            let is_whole = slice.flags == 0;
            if !each(&Call { track: it.track, depth: it.depth, start: slice.start, end: slice.end, name, is_whole }) {
                break;
            }
        }
    }

    fn row(&self, thread: TrackId, depth: i32, from: u64, to: u64, each: &mut dyn FnMut(&Call) -> bool) {
        let Some(column) = self.tracks.get(thread as usize).and_then(|it| it.column(depth)) else { return };
        for slice in column.overlapping(from, to).filter_map(|at| column.get(at)) {
            let (name, is_whole) = (self.calls.name(slice.node), slice.flags == 0);
            if !each(&Call { track: thread, depth, start: slice.start, end: slice.end, name, is_whole }) {
                break;
            }
        }
    }
}

/// Begins and ends of gaps, one after the other, as pairs.
fn pairs(gaps: &[u64]) -> Vec<(u64, u64)> {
    gaps.as_chunks().0.iter().map(|[from, to]| (*from, *to)).collect()
}

/// The calls of a trace whose store is in another wasm module: `fetch` returns what that answers to
/// an [`Ask`], as bytes.
pub struct PortionCalls<F> {
    fetch: F,
    head: Head,
    threads: Vec<Thread>,
    names: Vec<String>,
}

impl<F: Fn(&[u8]) -> Vec<u8>> PortionCalls<F> {
    /// Fetches what concerns all of the trace. `gaps` are those of a track: its number, begin and
    /// end. `None` if what is fetched is not of the same build.
    pub fn new(fetch: F, gaps: &[(TrackId, u64, u64)]) -> Option<Self> {
        let Answer::Head(head, parts) = ask(&fetch, What::Head, None, 0, 0)? else { return None };
        let mut threads = Vec::new();
        for (id, def) in (0..).zip(&head.tracks).filter(|(_, def)| is_thread(def)) {
            let own = parts.iter().filter(|it| it.table == Table::Slices && it.track == id);
            let calls: u64 = own.map(|it| it.len).sum();
            if calls == 0 {
                continue;
            }
            let gaps = gaps.iter().filter(|it| it.0 == id).map(|it| (it.1, it.2)).collect();
            threads.push(Thread { id, name: def.name.clone(), calls, lowest: 0, extent: None, gaps });
        }
        let mut names = Vec::new();
        while let Answer::Names(some) = ask(&fetch, What::Names, None, names.len() as u64, ROWS)? {
            let is_last = some.len() < ROWS as usize;
            names.extend(some.into_iter().map(|name| name.text));
            if is_last {
                break;
            }
        }
        let mut all = Self { fetch, head, threads: Vec::new(), names };
        for thread in &mut threads {
            thread.extent = all.extent(&parts, thread.id);
        }
        all.threads = threads;
        Some(all)
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        let names: usize = self.names.iter().map(|it| it.capacity() + size_of::<String>()).sum();
        names + MOST_ROWS as usize * size_of::<Slice>()
    }

    fn slices(&self, range: Option<(u64, u64)>, first: u64, most: u32) -> Vec<Slice> {
        match ask(&self.fetch, What::Rows(Table::Slices), range, first, most) {
            Some(Answer::Slices(slices)) => slices,
            _ => Vec::new(),
        }
    }

    /// Where the calls of a track begin and end: calls of a column do not overlap.
    fn extent(&self, parts: &[Part], track: TrackId) -> Option<(u64, u64)> {
        let own = parts.iter().filter(|it| it.table == Table::Slices && it.track == track && it.len > 0);
        let mut extent: Option<(u64, u64)> = None;
        for part in own {
            let (first, last) = (self.slices(None, part.first, 1), self.slices(None, part.first + part.len - 1, 1));
            let (from, to) = (first.first()?.start, last.first()?.end);
            extent = Some(extent.map_or((from, to), |(known, end)| (known.min(from), end.max(to))));
        }
        extent
    }
}

fn ask(
    fetch: &impl Fn(&[u8]) -> Vec<u8>,
    what: What,
    range: Option<(u64, u64)>,
    first: u64,
    most: u32,
) -> Option<Answer> {
    Answer::from_bytes(what, &fetch(&Ask { what, range, first, most }.to_bytes()))
}

/// A column while calls are visited.
#[derive(Debug)]
struct Column {
    track: TrackId,
    /// The rows that are still to be fetched.
    rows: std::ops::Range<u64>,
    /// Rows that were fetched, and the next of them.
    slices: Vec<Slice>,
    at: usize,
}

/// What the next call of a column is ordered by: start, end, depth, and the column.
type Next = Reverse<(u64, Reverse<u64>, u32, usize)>;

/// Columns that are merged in the order of time.
#[derive(Debug)]
struct Merged {
    range: Option<(u64, u64)>,
    columns: Vec<Column>,
    next: BinaryHeap<Next>,
    /// Rows of a column that are fetched at once, after the first ones.
    most: u32,
}

impl<F: Fn(&[u8]) -> Vec<u8>> PortionCalls<F> {
    /// The calls of some threads, of all depths or one, from the first one of a range on.
    fn merge(&self, threads: &[TrackId], depth: Option<i32>, range: Option<(u64, u64)>) -> Merged {
        let parts = match ask(&self.fetch, What::Head, range, 0, 0) {
            Some(Answer::Head(_, parts)) => parts,
            _ => Vec::new(),
        };
        let is_own = |it: &&Part| {
            let is_at = depth.is_none_or(|depth| i64::from(depth) == i64::from(it.depth));
            it.table == Table::Slices && it.len > 0 && threads.contains(&it.track) && is_at
        };
        let columns: Vec<Column> = parts
            .iter()
            .filter(is_own)
            .map(|it| Column { track: it.track, rows: it.first..it.first + it.len, slices: Vec::new(), at: 0 })
            .collect();
        let most = (MOST_ROWS / columns.len().max(1) as u32).clamp(LEAST, ROWS);
        let mut merged = Merged { range, columns, next: BinaryHeap::new(), most };
        for i in 0..merged.columns.len() {
            self.offer(&mut merged, i, FEW.min(most));
        }
        merged
    }

    /// Makes the next call of a column one of those to choose from, and fetches rows if it has to.
    fn offer(&self, merged: &mut Merged, i: usize, most: u32) {
        let Some(column) = merged.columns.get_mut(i) else { return };
        if column.at == column.slices.len() {
            let left = column.rows.end.saturating_sub(column.rows.start);
            let most = most.min(left.try_into().unwrap_or(most));
            column.slices = if most > 0 { self.slices(merged.range, column.rows.start, most) } else { Vec::new() };
            column.rows.start += u64::from(most);
            column.at = 0;
        }
        if let Some(slice) = column.slices.get(column.at) {
            merged.next.push(Reverse((slice.start, Reverse(slice.end), slice.depth, i)));
        }
    }

    fn next(&self, merged: &mut Merged) -> Option<Call> {
        let Reverse((.., i)) = merged.next.pop()?;
        let column = merged.columns.get_mut(i)?;
        let Slice { depth, start, end, name, flags, .. } = column.slices.get(column.at).copied()?;
        column.at += 1;
        let track = column.track;
        let most = merged.most;
        self.offer(merged, i, most);
        Some(Call { track, depth: depth as i32, start, end, name, is_whole: flags == 0 })
    }
}

impl<F: Fn(&[u8]) -> Vec<u8>> Calls for PortionCalls<F> {
    fn length(&self) -> u64 {
        (self.head.end - self.head.origin).max(1)
    }

    fn names(&self) -> usize {
        self.names.len()
    }

    fn name(&self, name: u32) -> Cow<'_, str> {
        Cow::Borrowed(self.names.get(name as usize).map_or("", String::as_str))
    }

    fn threads(&self) -> Vec<Thread> {
        self.threads.clone()
    }

    fn visit(&self, threads: &[TrackId], from: u64, to: u64, each: &mut dyn FnMut(&Call) -> bool) {
        let mut merged = self.merge(threads, None, (from > 0 || to < u64::MAX).then_some((from, to)));
        while let Some(call) = self.next(&mut merged) {
            if !each(&call) {
                break;
            }
        }
    }

    fn row(&self, thread: TrackId, depth: i32, from: u64, to: u64, each: &mut dyn FnMut(&Call) -> bool) {
        let mut merged = self.merge(&[thread], Some(depth), Some((from, to)));
        while let Some(call) = self.next(&mut merged) {
            if !each(&call) {
                break;
            }
        }
    }

    // Rows that were fetched stay for the next turn.
    fn walk(&self, walk: &mut Walk, threads: &[TrackId], most: u64, each: &mut dyn FnMut(&Call)) -> u64 {
        let merged = walk.merged.get_or_insert_with(|| self.merge(threads, None, None));
        let mut visited = 0;
        while visited < most {
            let Some(call) = self.next(merged) else { break };
            visited += 1;
            each(&call);
        }
        visited
    }
}
