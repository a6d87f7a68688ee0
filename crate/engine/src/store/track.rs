//! A track: its columns of slices, which nest or overlap, its instants and its samples.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;

use unspool_trace::batch::flags::{BEGAN_BEFORE, END_INFERRED, NEVER_ENDED, UNCERTAIN};
use unspool_trace::kept;
use unspool_trace::limits::SHOWN;
use unspool_trace::problem::TOO_DEEP;
use unspool_trace::{EventBatch, EventKind, Locator, Orphans, Problem, ProblemKind, Stacking, TrackDef, ValueKind};

use self::gaps::Gaps;
use super::Count;
use super::block::Columns;
use super::column::Column;
use super::lifetimes::Lifetimes;
use super::problems::{self, CLOCK_WENT_BACK, ENTER_LOST, EXIT_WITHOUT_ENTER};
use super::samples::{Sample, Samples};
use super::shelf::{Levels, Shelf};
use super::slice::{Open, Slice};
use crate::call_tree::{CallTree, ROOT};
use crate::chunked::Chunked;

mod gaps;

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instant {
    pub(crate) time: u64,
    pub(crate) name: u32,
    pub(crate) locator: Locator,
}

/// Whether an event ends the innermost slice, which has this name and locator.
#[inline]
fn is_end((kind, by, of): (EventKind, u32, Locator), name: u32, locator: Locator) -> bool {
    by == name && (kind == EventKind::End || (kind == EventKind::EndOf && of == locator))
}

/// Consecutive events of one track, as columns of equal length.
pub(crate) struct Run<'a> {
    pub(super) kinds: &'a [EventKind],
    pub(super) times: &'a [u64],
    pub(super) names: &'a [u32],
    pub(super) locators: &'a [Locator],
}

impl<'a> Run<'a> {
    /// The events of `batch` in `range`, which must be of one track.
    pub(crate) fn of(batch: &'a EventBatch, range: Range<usize>) -> Self {
        Self {
            kinds: batch.kinds.get(range.clone()).unwrap_or_default(),
            times: batch.times.get(range.clone()).unwrap_or_default(),
            names: batch.names.get(range.clone()).unwrap_or_default(),
            locators: batch.locators.get(range).unwrap_or_default(),
        }
    }
}

/// Complete slices that are appended together.
const TOGETHER: usize = 64;

/// Kinds of problems that belong to a track's stack. They are dropped when the track is delivered
/// again.
const OF_STACK: [&ProblemKind; 6] = [
    &CLOCK_WENT_BACK,
    &EXIT_WITHOUT_ENTER,
    &ENTER_LOST,
    &problems::END_INFERRED,
    &problems::LEFT_WITHOUT_EXIT,
    &TOO_DEEP,
];

/// One track of the trace.
#[derive(Debug)]
pub(crate) struct Track {
    pub(crate) def: TrackDef,
    /// Columns from the lowest depth. An end without a begin adds one in front.
    columns: VecDeque<Column>,
    lowest: i32,
    open: Vec<Open>,
    /// Open slices of a track with overlapping slices, instead of `open`.
    lifetimes: Lifetimes,
    pub(crate) instants: Chunked<Instant>,
    /// Values, if the track is a counter.
    pub(crate) samples: Samples,
    /// The same as values of the type that the user wants to see, if it is another one.
    other: Option<Box<Samples>>,
    slices: u64,
    /// How many of the slices are groups of calls.
    pub(crate) groups: u64,
    /// Open slices that are not shown, because they are deeper than [`SHOWN`]. They are on no list:
    /// a file of a megabyte can hold a hundred million.
    hidden: u64,
    /// Names of callers that arrived after the calls they made: the first is at depth -1, the next
    /// at -2, and so on.
    before: Vec<u32>,
    /// Where the track begins, once known.
    start: Option<u64>,
    latest: u64,
    /// Ends may be missing: orphans reach back to the previous event only.
    lost: bool,
    /// The stretches whose records are missing.
    gaps: Gaps,
    reordering: bool,
    /// Most tracks have none.
    problems: Option<Box<[Option<Count>; OF_STACK.len()]>>,
    /// Few tracks have slices whose ends are missing.
    lost_ends: Option<Box<LostEnds>>,
    /// Increases with each change that a list of tracks shows.
    pub(crate) version: u64,
}

/// What is known of slices whose ends are missing, because a slice below them ended or they were
/// left.
#[derive(Debug, Default)]
struct LostEnds {
    count: u64,
    /// Number of those that were open when recording ended.
    open: u64,
    /// By depth: slices that are known to be uncertain, of those that [`Track::lose`] found.
    flagged: BTreeMap<i32, Range<usize>>,
}

impl Track {
    pub(crate) fn new(def: TrackDef) -> Self {
        Self {
            columns: VecDeque::new(),
            lowest: 0,
            open: Vec::new(),
            lifetimes: Lifetimes::default(),
            instants: Chunked::default(),
            samples: Samples::new(def.values),
            other: None,
            slices: 0,
            groups: 0,
            hidden: 0,
            before: Vec::new(),
            start: def.start,
            latest: def.start.unwrap_or(0),
            lost: false,
            gaps: Gaps::default(),
            reordering: false,
            problems: None,
            lost_ends: None,
            version: 1,
            def,
        }
    }

    /// Applies leading begins and ends, as long as they are in order and match, and returns their
    /// number. The rest needs the checks of [`Track::begin`], [`Track::end`] and so on.
    ///
    /// Most calls have no callees: a begin followed by its end goes straight into the column.
    #[allow(clippy::indexing_slicing, reason = "the columns were cut to `n` events, and the compiler sees that")]
    pub(crate) fn run(&mut self, run: &Run<'_>, calls: &mut CallTree) -> usize {
        let is_plain = self.start.is_some() && !self.is_in_gap() && self.hidden == 0;
        if !is_plain || self.def.stacking == Stacking::Overlapping {
            return 0;
        }
        let n = run.kinds.len();
        let (Some(times), Some(names), Some(locators)) =
            (run.times.get(..n), run.names.get(..n), run.locators.get(..n))
        else {
            return 0;
        };
        let (mut latest, mut slices) = (self.latest, 0);
        let mut top = self.open.last().copied();
        let mut i = 0;
        while i < n {
            let (kind, time, name) = (run.kinds[i], times[i], names[i]);
            if time < latest {
                break;
            }
            match (kind, top) {
                (EventKind::Begin, _) if self.open.len() < SHOWN => {
                    let (depth, caller) = top.map_or((self.lowest, ROOT), |top| (top.depth + 1, top.node));
                    let node = calls.child(caller, name);
                    let locator = locators[i];
                    slices += 1;
                    latest = time;
                    if i + 1 < n
                        && is_end((run.kinds[i + 1], names[i + 1], locators[i + 1]), name, locator)
                        && times[i + 1] >= time
                    {
                        i += 1;
                        latest = times[i];
                        self.put(depth, &Slice { start: time, end: latest, node, flags: 0, locator });
                    } else {
                        let open = Open { start: time, node, locator, depth, name, flags: 0 };
                        self.open.push(open);
                        top = Some(open);
                    }
                }
                (kind, Some(innermost)) if is_end((kind, name, locators[i]), innermost.name, innermost.locator) => {
                    latest = time;
                    // The stack's copy has the flags.
                    self.close_top(time, 0);
                    top = self.open.last().copied();
                }
                _ => break,
            }
            i += 1;
        }
        self.latest = latest;
        self.slices += slices;
        self.version += slices;
        i
    }

    /// Applies leading complete slices, as long as they are in order, and returns their number.
    /// `ends` are theirs, at least as many.
    pub(crate) fn run_whole(&mut self, run: &Run<'_>, ends: &[u64], calls: &mut CallTree) -> usize {
        if self.start.is_none() || self.is_in_gap() || self.hidden > 0 || self.def.stacking == Stacking::Overlapping {
            return 0;
        }
        // None of these slices stays open, so all have one caller and one column.
        let (depth, caller) = self.open.last().map_or((self.lowest, ROOT), |top| (top.depth + 1, top.node));
        let mut latest = self.latest;
        let Some(column) = self.column_mut(depth) else { return 0 };
        let mut taken = 0;
        loop {
            let mut nodes = [ROOT; TOGETHER];
            let mut n = 0;
            let events = run.kinds.iter().zip(run.times).zip(run.names).zip(ends).skip(taken).zip(&mut nodes);
            for ((((kind, start), name), end), node) in events {
                if *kind != EventKind::Whole || *start < latest || end < start {
                    break;
                }
                latest = *end;
                *node = calls.child(caller, *name);
                n += 1;
            }
            let range = taken..taken + n;
            let (Some(starts), Some(ends)) = (run.times.get(range.clone()), ends.get(range.clone())) else { break };
            let (Some(nodes), Some(locators)) = (nodes.get(..n), run.locators.get(range)) else { break };
            column.extend(&Columns { starts, ends, nodes, locators });
            taken += n;
            if n < TOGETHER {
                break;
            }
        }
        self.latest = latest;
        self.slices += taken as u64;
        self.version += taken as u64;
        taken
    }

    /// Begins a slice.
    pub(crate) fn begin(&mut self, time: u64, name: u32, locator: Locator, calls: &mut CallTree) -> Option<Problem> {
        let (_, time, problem) = self.arrive(time, locator);
        if self.open.len() >= SHOWN || self.lifetimes.len() >= SHOWN {
            return self.hide(locator).or(problem);
        }
        if self.def.stacking == Stacking::Overlapping {
            let node = calls.child(ROOT, name);
            if let Some(old) = self.lifetimes.begin(Open { start: time, node, locator, depth: 0, name, flags: 0 }) {
                self.close(&old, time, END_INFERRED);
            }
            self.slices += 1;
            self.version += 1;
            return problem;
        }
        // The lowest free depth above the caller. Without a caller, all are free.
        let (depth, caller) = self.open.last().map_or((self.lowest, ROOT), |top| (top.depth + 1, top.node));
        let node = calls.child(caller, name);
        self.open.push(Open { start: time, node, locator, depth, name, flags: 0 });
        self.slices += 1;
        self.version += 1;
        problem
    }

    /// Adds a slice at a depth, which must be free from its start on.
    pub(crate) fn add(&mut self, depth: i32, slice: &Slice) {
        self.start.get_or_insert(slice.start);
        self.latest = self.latest.max(slice.end);
        self.slices += 1;
        self.version += 1;
        self.put(depth, slice);
    }

    /// Adds a slice whose end is known.
    pub(crate) fn whole(
        &mut self,
        (start, end): (u64, u64),
        name: u32,
        locator: Locator,
        calls: &mut CallTree,
    ) -> Option<Problem> {
        if self.def.stacking == Stacking::Overlapping {
            return self.lifetime((start, end), name, locator, calls);
        }
        let (_, start, problem) = self.arrive(start, locator);
        if self.hidden > 0 {
            return problem;
        }
        let (depth, caller) = self.open.last().map_or((self.lowest, ROOT), |top| (top.depth + 1, top.node));
        let node = calls.child(caller, name);
        self.slices += 1;
        self.version += 1;
        let end = end.max(start);
        self.latest = end;
        self.put(depth, &Slice { start, end, node, flags: 0, locator });
        problem
    }

    /// A whole slice among those that overlap.
    #[cold]
    fn lifetime(
        &mut self,
        (start, end): (u64, u64),
        name: u32,
        locator: Locator,
        calls: &mut CallTree,
    ) -> Option<Problem> {
        let problem = self.begin(start, name, locator, calls);
        let (_, end, late) = self.arrive(end, locator);
        if let Some(open) = self.lifetimes.end(name) {
            self.close(&open, end, 0);
        }
        late.or(problem)
    }

    /// Begins a slice that has been open since the track began, and lies below everything on it.
    pub(crate) fn uncover(&mut self, time: u64, name: u32, locator: Locator, calls: &mut CallTree) -> Option<Problem> {
        if !self.open.is_empty() || self.def.stacking == Stacking::Overlapping || !self.has_room_below() {
            return self.begin(time, name, locator, calls);
        }
        let (_, time, problem) = self.arrive(time, locator);
        if !self.columns.is_empty() {
            self.columns.push_front(Column::default());
            self.lowest -= 1;
            self.before.push(name);
        }
        let start = self.start.unwrap_or(time);
        let node = calls.child(ROOT, name);
        self.open.push(Open { start, node, locator, depth: self.lowest, name, flags: BEGAN_BEFORE });
        self.slices += 1;
        self.version += 1;
        problem
    }

    /// Adds flags to the open slice with this name and locator.
    pub(crate) fn flag(&mut self, flags: u8, name: u32, locator: Locator) {
        if let Some(open) = self.open.iter_mut().rev().find(|o| o.locator == locator && o.name == name) {
            open.flags |= flags;
        }
    }

    /// Ends the open slice that began with this name and locator.
    pub(crate) fn end_of(&mut self, time: u64, name: u32, locator: Locator) -> Option<Problem> {
        if self.def.stacking == Stacking::Overlapping {
            let (_, time, problem) = self.arrive(time, locator);
            if let Some(open) = self.lifetimes.end(name) {
                self.close(&open, time, 0);
            }
            return problem;
        }
        let Some(above) = self.open.iter().rev().position(|o| o.locator == locator && o.name == name) else {
            self.hidden = self.hidden.saturating_sub(1);
            return None;
        };
        self.hidden = 0;
        let (_, time, problem) = self.arrive(time, locator);
        self.lose(above, time);
        self.close_top(time, 0);
        if above == 0 {
            return problem;
        }
        Some(self.problem(&problems::END_INFERRED, locator, above as u64))
    }

    /// Ends the open slice that began with this name and locator, and those above it, whose ends
    /// are missing.
    pub(crate) fn left(&mut self, time: u64, name: u32, locator: Locator) -> Option<Problem> {
        let Some(above) = self.open.iter().rev().position(|o| o.locator == locator && o.name == name) else {
            self.hidden = self.hidden.saturating_sub(1);
            return None;
        };
        self.hidden = 0;
        let (_, time, _) = self.arrive(time, locator);
        self.lose(above + 1, time);
        Some(self.problem(&problems::LEFT_WITHOUT_EXIT, locator, above as u64 + 1))
    }

    /// Ends the innermost slice of this name.
    pub(crate) fn end(&mut self, time: u64, name: u32, locator: Locator, calls: &mut CallTree) -> Option<Problem> {
        let (previous, time, problem) = self.arrive(time, locator);
        if self.hidden > 0 && !self.lifetimes.has(name) {
            // It ends one of the slices that are not shown, unless the file is damaged.
            self.hidden -= 1;
            return problem;
        }
        if self.def.stacking == Stacking::Overlapping {
            return self.end_lifetime(time, name, locator, calls).or(problem);
        }
        match self.open.last() {
            Some(top) if top.name == name => {
                self.close_top(time, 0);
                problem
            }
            _ => self.end_elsewhere(previous, time, name, locator, calls).or(problem),
        }
    }

    /// Handles the end of a slice that did not begin last.
    #[cold]
    fn end_elsewhere(
        &mut self,
        previous: u64,
        time: u64,
        name: u32,
        locator: Locator,
        calls: &mut CallTree,
    ) -> Option<Problem> {
        if let Some(i) = self.open.iter().rposition(|o| o.name == name) {
            let above = self.open.len() - i - 1;
            self.lose(above, time);
            self.close_top(time, 0);
            self.lost = true;
            return Some(self.problem(&problems::END_INFERRED, locator, above as u64));
        }
        let kind = if self.open.is_empty() { &EXIT_WITHOUT_ENTER } else { &ENTER_LOST };
        let (start, depth, caller) = match (self.def.orphans, self.open.last().copied()) {
            (Orphans::FromStart, None) if !self.lost && self.has_room_below() => {
                if self.before.is_empty() {
                    self.gap_before(self.start.unwrap_or(time));
                }
                self.before.push(name);
                (self.start.unwrap_or(time), self.lowest - 1, ROOT)
            }
            (_, top) => {
                // A recorded call is still open, so this one began after it.
                self.lost = true;
                let start = self.orphan(previous, time, locator, calls);
                let (depth, caller) = top.map_or((self.lowest, ROOT), |top| (top.depth + 1, top.node));
                (start, depth, caller)
            }
        };
        let node = calls.child(caller, name);
        self.slices += 1;
        self.version += 1;
        self.put(depth, &Slice { start: start.min(time), end: time, node, flags: BEGAN_BEFORE, locator });
        Some(self.problem(kind, locator, u64::from(name)))
    }

    /// Closes the innermost slices, whose ends are missing: a slice below them ends or goes on.
    /// Whatever began since the outermost of them did may have begun after its end, so all of that
    /// is uncertain.
    fn lose(&mut self, count: usize, time: u64) {
        let Some(outermost) = self.open.len().checked_sub(count).and_then(|i| self.open.get(i).copied()) else {
            return;
        };
        for _ in 0..count {
            self.close_top(time, END_INFERRED | UNCERTAIN);
        }
        let LostEnds { count: lost, flagged, .. } = &mut **self.lost_ends.get_or_insert_default();
        *lost += count as u64;
        let row = usize::try_from(outermost.depth - self.lowest).unwrap_or(0);
        for (depth, column) in (outermost.depth + 1..).zip(self.columns.iter_mut().skip(row + 1)) {
            // Slices nest, so where a depth has none, there are none above it.
            if !column.flag_from(outermost.start, UNCERTAIN, flagged.entry(depth).or_default()) {
                break;
            }
        }
    }

    /// How many slices have no end.
    pub(crate) fn unended(&self) -> u64 {
        self.lost_ends.as_ref().map_or(0, |lost| lost.count)
    }

    /// Number of slices that were open when recording ended. 0 until then.
    pub(crate) fn open_at_end(&self) -> u64 {
        self.lost_ends.as_ref().map_or(0, |lost| lost.open)
    }

    /// Ends the slice of this name and frees its depth.
    fn end_lifetime(&mut self, time: u64, name: u32, locator: Locator, calls: &mut CallTree) -> Option<Problem> {
        if let Some(open) = self.lifetimes.end(name) {
            self.close(&open, time, 0);
            return None;
        }
        if !self.has_room_below() {
            return self.too_deep(locator);
        }
        // The slice began before the recording: its column goes in front of all others.
        let node = calls.child(ROOT, name);
        let (start, depth) = (self.start.unwrap_or(time), self.lowest - 1);
        self.slices += 1;
        self.version += 1;
        self.put(depth, &Slice { start: start.min(time), end: time, node, flags: BEGAN_BEFORE, locator });
        Some(self.problem(&EXIT_WITHOUT_ENTER, locator, u64::from(name)))
    }

    pub(crate) fn instant(&mut self, mut instant: Instant) -> Option<Problem> {
        let (_, time, problem) = self.arrive(instant.time, instant.locator);
        instant.time = time;
        self.instants.push(instant);
        self.version += 1;
        problem
    }

    /// Adds a counter's value. Values that are counted over a frame arrive late, so this does not
    /// move the track's position.
    pub(crate) fn sample(&mut self, sample: Sample) {
        self.start.get_or_insert(sample.time);
        self.latest = self.latest.max(sample.time);
        self.samples.push(sample);
        self.version += 1;
    }

    /// The values that are shown.
    pub(crate) fn shown(&self) -> &Samples {
        self.other.as_deref().unwrap_or(&self.samples)
    }

    /// Shows the values as those of another type, which then count as memory of the track, or again
    /// as they are.
    pub(crate) fn show_as(&mut self, kind: ValueKind) {
        let Self { def, samples, .. } = self;
        self.other = (kind != def.values && def.width > 0).then(|| Box::new(samples.read_as(kind, def.width)));
        self.version += 1;
    }

    /// The thread was last recorded at `time`, at least.
    pub(crate) fn last_record(&mut self, time: u64) {
        self.start.get_or_insert(time);
        self.latest = self.latest.max(time);
    }

    /// The position after the last record. `counted`: each record occupies one position; see
    /// [`super::Store::finish`].
    pub(crate) fn last_position(&self, counted: bool) -> u64 {
        let is_occupied = counted && self.open().last().is_some_and(|open| open.start == self.latest);
        self.latest.saturating_add(is_occupied.into())
    }

    pub(crate) fn set_reordering(&mut self) {
        self.reordering = true;
        self.version += 1;
    }

    /// Clears the track: it is delivered again, beginning at `start`.
    pub(crate) fn restart(&mut self, start: u64) {
        let version = self.version + 1;
        let def = TrackDef { start: Some(start), ..self.def.clone() };
        *self = Self { version, ..Self::new(def) };
    }

    /// Ends the track: closes what is open at `end`, and frees unused memory.
    pub(crate) fn finish(&mut self, end: u64) {
        if !self.open.is_empty() {
            let ends = self.lost_ends.get_or_insert_default();
            ends.open = self.open.len() as u64;
            ends.count += ends.open;
        }
        while !self.open.is_empty() {
            self.close_top(end.max(self.latest), NEVER_ENDED);
        }
        for open in self.lifetimes.take() {
            self.close(&open, end.max(self.latest), NEVER_ENDED);
        }
        self.open = Vec::new();
        self.columns.iter_mut().for_each(Column::close);
        self.columns.shrink_to_fit();
        self.instants.close();
        self.samples.close();
        self.reordering = false;
        self.version += 1;
    }

    /// Moves closed blocks of slices to a file; see [`Column::shelve`].
    pub(crate) fn shelve(&mut self, shelf: &Rc<Shelf>, levels: Levels, most: &mut u64) {
        self.columns.iter_mut().for_each(|column| column.shelve(shelf, levels, most));
    }

    /// Drops the levels of detail of slices that were moved to a file.
    pub(crate) fn drop_levels(&mut self) {
        self.columns.iter_mut().for_each(Column::drop_levels);
    }

    /// The columns with their signed depths, from the lowest.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (i32, &Column)> {
        (self.lowest..).zip(&self.columns)
    }

    /// The columns with these signed depths, from the lowest.
    pub(crate) fn columns_within(&self, depths: &Range<i32>) -> impl Iterator<Item = (i32, &Column)> {
        // In 64 bits: depths can be the least and the greatest of 32 bits.
        let row = |depth: i32| {
            usize::try_from(i64::from(depth) - i64::from(self.lowest)).unwrap_or(0).min(self.columns.len())
        };
        let first = row(depths.start);
        let end = row(depths.end).max(first);
        (self.lowest + first as i32..).zip(self.columns.range(first..end))
    }

    pub(crate) fn column(&self, depth: i32) -> Option<&Column> {
        self.columns.get(usize::try_from(depth.checked_sub(self.lowest)?).ok()?)
    }

    /// The open slices, from the lowest depth.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Open> {
        self.open.iter().chain(self.lifetimes.iter())
    }

    /// A slice by its stable position. An open slice is the next one of its column and ends at
    /// `now`.
    pub(crate) fn slice(&self, depth: i32, index: usize, now: u64) -> Option<Slice> {
        let len = self.column(depth).map_or(0, Column::len);
        if index < len {
            return self.column(depth)?.get(index);
        }
        let open = self.open().find(|o| o.depth == depth && index == len)?;
        Some(Slice {
            start: open.start,
            end: now.max(open.start),
            node: open.node,
            flags: NEVER_ENDED | open.flags,
            locator: open.locator,
        })
    }

    /// Names of the callers that began before the recording and arrived after calls that they had
    /// made: the first is at depth -1, its caller at -2, and so on.
    pub(crate) fn before(&self) -> &[u32] {
        &self.before
    }

    pub(crate) fn lowest(&self) -> i32 {
        self.lowest
    }

    /// How many columns there are, including those with only an open slice.
    pub(crate) fn rows(&self) -> u32 {
        let top = self.open.last().map(|o| o.depth).or(self.lifetimes.highest());
        let open = top.map_or(0, |depth| depth - self.lowest + 1);
        (self.columns.len() as u32).max(open as u32)
    }

    pub(crate) fn slices(&self) -> u64 {
        self.slices
    }

    /// How many instants and samples there are.
    pub(crate) fn points(&self) -> u64 {
        (self.instants.len() + self.samples.len()) as u64
    }

    pub(crate) fn is_reordering(&self) -> bool {
        self.reordering
    }

    /// First and last absolute position, in ticks. `None` without events.
    pub(crate) fn extent(&self) -> Option<(u64, u64)> {
        Some((self.start?, self.latest))
    }

    pub(crate) fn problem_counts(&self) -> impl Iterator<Item = (&'static ProblemKind, Count)> {
        let counts = self.problems.iter().flat_map(|counts| counts.iter());
        OF_STACK.into_iter().zip(counts).filter_map(|(kind, count)| count.map(|c| (kind, c)))
    }

    /// Bytes of memory of open slices. The store counts them as they grow.
    #[inline]
    pub(crate) fn open_bytes(&self) -> u64 {
        kept::list(&self.open) + self.lifetimes.bytes() + kept::list(&self.before)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.columns.iter().map(Column::bytes).sum::<usize>()
            + self.columns.capacity() * size_of::<Column>()
            + self.instants.bytes()
            + self.samples.bytes()
            + self.other.as_ref().map_or(0, |other| other.bytes())
    }

    /// The track's previous position, and the position for an event at `time`: never before the
    /// previous one.
    #[inline]
    fn arrive(&mut self, time: u64, locator: Locator) -> (u64, u64, Option<Problem>) {
        let previous = self.latest;
        if self.start.is_none() {
            self.start = Some(time);
            self.latest = time;
            return (time, time, None);
        }
        if time < previous {
            return (previous, previous, Some(self.problem(&CLOCK_WENT_BACK, locator, previous - time)));
        }
        self.latest = time;
        (previous, time, None)
    }

    fn close_top(&mut self, end: u64, flags: u8) {
        if let Some(o) = self.open.pop() {
            self.close(&o, end, flags);
        }
    }

    #[inline]
    fn close(&mut self, o: &Open, end: u64, flags: u8) {
        let flags = flags | o.flags;
        self.put(o.depth, &Slice { start: o.start, end, node: o.node, flags, locator: o.locator });
    }

    #[inline]
    fn put(&mut self, depth: i32, slice: &Slice) {
        if let Some(column) = self.column_mut(depth) {
            column.push(slice);
        }
    }

    /// Begins a slice that is too deep to be shown.
    #[cold]
    fn hide(&mut self, locator: Locator) -> Option<Problem> {
        self.hidden += 1;
        self.too_deep(locator)
    }

    /// The problem that slices are too deep to be shown, the first time on this track.
    #[cold]
    fn too_deep(&mut self, locator: Locator) -> Option<Problem> {
        let is_new = self.problem_counts().all(|(kind, _)| kind != &TOO_DEEP);
        is_new.then(|| self.problem(&TOO_DEEP, locator, SHOWN as u64))
    }

    /// Whether a column may go in front of all others.
    fn has_room_below(&self) -> bool {
        self.lowest > -(SHOWN as i32)
    }

    /// The column at a depth, created if it does not exist.
    #[inline]
    fn column_mut(&mut self, depth: i32) -> Option<&mut Column> {
        if self.columns.is_empty() {
            // Many threads have a single column.
            self.columns.reserve_exact(1);
        }
        while depth < self.lowest {
            self.columns.push_front(Column::default());
            self.lowest -= 1;
        }
        let row = (depth - self.lowest) as usize;
        while self.columns.len() <= row {
            self.columns.push_back(Column::default());
        }
        self.columns.get_mut(row)
    }

    #[cold]
    fn problem(&mut self, kind: &'static ProblemKind, locator: Locator, value: u64) -> Problem {
        let problem = Problem { at: locator.position(), kind, value };
        if let Some(i) = OF_STACK.iter().position(|k| *k == kind)
            && let Some(count) = self.problems.get_or_insert_default().get_mut(i)
        {
            match count {
                Some(c) => c.add(&Count::of(problem)),
                None => *count = Some(Count::of(problem)),
            }
        }
        problem
    }
}

#[cfg(test)]
mod tests;
