//! Tracks and what is on them, filled while the file is being read.
//!
//! A column holds the slices of one track and depth, sorted and free of overlap, in blocks of up
//! to 4096. Start, duration, call-tree node and locator are 32 bits each, relative to the block. A
//! *wide* block also keeps the upper halves. A full block of back-to-back slices, such as runs of
//! basic blocks, is *packed* to about three bytes a slice. Over each column stands an implicit tree
//! of fan-out 16, appended as slices close. A node has start, end, covered time, the dominant
//! call-tree node (weighted majority vote), the longest slice and the longest pause. A slice takes
//! less than 20 bytes, levels of detail included; `crate/engine/tests/memory.rs` counts bytes and
//! allocations. Closed blocks of a trace that is larger than memory are moved to a file
//! (`store/shelf.rs`).
//!
//! - A call takes the lowest depth above its caller. Depth is signed: an exit without an enter
//!   prepends a column and nothing moves. On the page, row = depth − lowest depth.
//!   `(track, depth, index)` identifies a slice for good. Slices that may overlap (lifetimes of
//!   buffers) take the lowest free depth.
//! - Instants and samples of counters are arrays sorted by time. Extremes of samples have levels of
//!   fan-out 16, too. A counter can be shown as numbers of another type, from the same bytes
//!   (`Samples::read_as`): then it has a second array with levels of its own.
//! - A query (from, to, step) draws a node as one rectangle if it is at most four steps long and
//!   holds no slice of a step, or if it is two such bursts with a pause between them. It visits at
//!   most 4 nodes and slices per step on average and draws coarser where data would cost more. A
//!   test holds it to `4 × steps × rows + 64 × log n`. Windows of up to 256 ticks have no limit.
//! - A track keeps the intervals in which records must be missing (`track/gaps.rs`), at most 256,
//!   and has a slice for each where the decoder names it. The page hatches them
//!   (`web/timeline/render/gaps.ts`).
//! - Slices of length 0 at one tick share one mark of 2 px with the index of the first; `.` steps
//!   through the rest.
//! - `neighbours.rs` finds the slice at a position, and the next, previous, calling and called one,
//!   without a picture. `store/ordered.rs` merges columns by start for `unspool slices`.

mod block;
pub mod column;
mod digest;
pub(crate) mod jumps;
mod lifetimes;
pub(crate) mod node;
pub mod ordered;
pub mod problems;
pub mod query;
mod samples;
pub mod shelf;
pub mod slice;
mod sweep;
pub(crate) mod texts;
mod track;
pub(crate) mod walk;

use unspool_trace::batch::{Key, Payload, SliceKind};
use unspool_trace::{EventBatch, EventKind, Locator, Problem, ProblemKind, Stacking, TrackDef, TrackId, TrackKind};

use crate::call_tree::CallTree;
pub(crate) use samples::Sample;
pub(crate) use slice::Slice;
use texts::Texts;
use track::Run;
pub(crate) use track::{Instant, Track};

/// How many problems are kept one by one. Further ones are only counted.
const PROBLEMS_KEPT: usize = 10_000;

/// Most slices, open ones included: an index has 32 bits, and the last one means [`query::MANY`].
/// So whatever counts slices fits into 32 bits.
const MOST_SLICES: u64 = u32::MAX as u64 - 1;
/// Most slices in memory. wasm32 has 4 GiB of it: with 20 bytes a slice this leaves room for
/// everything else.
const MOST_IN_MEMORY: u64 = if cfg!(target_pointer_width = "32") { 180_000_000 } else { MOST_SLICES };
/// Most bytes that a slice takes, and an instant or a sample.
const SLICE_BYTES: u64 = 20;
const POINT_BYTES: u64 = 24;
/// Bytes that a trace may have however much others hold: enough for a small one.
const LEAST_BYTES: u64 = 64 << 20;
/// Most bytes of a store.
pub(crate) const MOST_BYTES: u64 = MOST_IN_MEMORY * SLICE_BYTES;

/// A trace in memory.
#[derive(Debug, Default)]
pub struct Store {
    pub(crate) texts: Texts,
    pub(crate) tracks: Vec<Track>,
    pub(crate) calls: CallTree,
    problems: Vec<Noted>,
    /// Problems of the decoder by kind. Those of a track's stack are counted in the track.
    counts: Counts,
    /// Data of calls, in the order in which these ended.
    pub(crate) payloads: Vec<Payload>,
    extent: Option<(u64, u64)>,
    records: u64,
    slices: u64,
    /// Instants, samples and payloads.
    points: u64,
    /// Bytes of what the decoder keeps.
    decoder_bytes: u64,
    /// Bytes of memory of the open slices of all tracks.
    open_bytes: u64,
    /// Bytes of others that share the limit.
    elsewhere: u64,
    /// Most bytes, if that is less than [`MOST_BYTES`].
    most_bytes: Option<u64>,
    /// How often a track was delivered again.
    pub(crate) restarts: u64,
    finished: bool,
    /// What happens on tracks is not kept.
    is_bare: bool,
    /// Where slices are moved to.
    shelf: Option<shelf::OfStore>,
}

#[derive(Clone, Copy, Debug)]
struct Noted {
    problem: Problem,
    /// The track, if the problem belongs to its stack: it is dropped when the track is delivered
    /// again.
    track: Option<TrackId>,
}

/// How many problems of a kind there are, and the first of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count {
    pub(crate) count: u64,
    /// Sum of their values.
    pub(crate) sum: u64,
    pub(crate) first: Problem,
}

impl Count {
    fn of(problem: Problem) -> Self {
        Self { count: 1, sum: problem.value, first: problem }
    }

    /// Adds `other`'s problems; the first one stays.
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
    }
}

/// How many problems there are of each kind, in the order of ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts(Vec<(&'static ProblemKind, Count)>);

impl Counts {
    fn add(&mut self, kind: &'static ProblemKind, count: &Count) {
        match self.0.binary_search_by(|(known, _)| (*known).cmp(kind)) {
            Ok(i) => {
                if let Some((_, known)) = self.0.get_mut(i) {
                    known.add(count);
                    if count.first.at < known.first.at {
                        known.first = count.first;
                    }
                }
            }
            Err(i) => self.0.insert(i, (kind, *count)),
        }
    }

    pub(crate) fn into_iter(self) -> impl Iterator<Item = (&'static ProblemKind, Count)> {
        self.0.into_iter()
    }
}

impl Store {
    /// Applies a batch. Returns false if memory is used up and no further batch can be applied.
    pub fn apply(&mut self, batch: &mut EventBatch) -> bool {
        debug_assert!(
            !self.finished || batch.kinds.first() == Some(&EventKind::Restart),
            "a finished store does not grow; at most a track restarts"
        );
        for name in batch.new_names.drain(..) {
            self.texts.define(name);
        }
        for def in batch.new_tracks.drain(..) {
            self.define(def);
        }
        for problem in batch.problems.drain(..) {
            self.note(problem);
        }
        self.records += batch.records;
        if self.is_bare {
            return self.has_room();
        }
        self.points += batch.payloads.len() as u64;
        self.payloads.append(&mut batch.payloads);
        let mut from = 0;
        let mut ends = batch.ends.as_slice();
        // Events come in runs of one track: look the track up once for each run.
        for run in batch.tracks.chunk_by(|a, b| a == b) {
            let to = from + run.len();
            if let ([track], Some(EventKind::Sample)) = (run, batch.kinds.get(from))
                && let (Some(time), Some(locator)) = (batch.times.get(from), batch.locators.get(from))
            {
                // Variables of a trace point: a sample on each of many tracks.
                self.apply_sample(*track, Sample { time: *time, bits: locator.bits() });
            } else if let Some(track) = run.first() {
                let ended = self.apply_run(*track, batch, from..to, ends);
                ends = ends.get(ended..).unwrap_or_default();
            }
            from = to;
        }
        self.shelve_closed();
        self.has_room()
    }

    /// Whether there is memory for more. All that grows with a file counts.
    fn has_room(&self) -> bool {
        let bytes = self.most_slice_bytes() + self.points * POINT_BYTES + self.distinct_bytes();
        self.slices < MOST_SLICES && bytes < self.most_bytes()
    }

    /// Bytes of memory of what grows with what is different in a file, and not with what happens:
    /// names, call paths, tracks with their open slices, and what the decoder keeps.
    fn distinct_bytes(&self) -> u64 {
        let tracks = (self.tracks.len() * size_of::<Track>()) as u64 + self.open_bytes;
        self.texts.bytes() + self.calls.bytes() as u64 + tracks + self.decoder_bytes
    }

    /// Notes how many bytes the decoder keeps.
    pub(crate) fn set_decoder_bytes(&mut self, bytes: u64) {
        self.decoder_bytes = bytes;
    }

    /// Most bytes of memory that slices take.
    fn most_slice_bytes(&self) -> u64 {
        self.shelf.as_ref().map_or(self.slices * SLICE_BYTES, |shelf| shelf.most_bytes(self.slices))
    }

    /// Moves closed blocks from time to time.
    fn shelve_closed(&mut self) {
        let Some(of) = &mut self.shelf else { return };
        let bytes = |tracks: &[Track]| tracks.iter().map(|track| track.bytes() as u64).sum();
        if let Some(mut most) = of.due(self.slices, || bytes(&self.tracks)) {
            self.tracks.iter_mut().for_each(|track| track.shelve(&of.shelf, of.how.levels, &mut most));
            of.count(self.slices, || bytes(&self.tracks));
        }
    }

    /// Notes, once, that no slices can be moved to a file any more, when reading is at `at`.
    pub(crate) fn note_full_disk(&mut self, at: u64) {
        if self.shelf.as_mut().is_some_and(shelf::OfStore::has_ended) {
            self.note(Problem { at, kind: &problems::DISK_IS_FULL, value: self.slices });
        }
    }

    /// Has slices moved to a file from now on, those that there are a few at a time.
    pub(crate) fn shelve(&mut self, file: Box<dyn shelf::ShelfFile>, how: shelf::Shelving) {
        let mut of = shelf::OfStore::new(file, how, self.slices);
        of.count(self.slices, || self.tracks.iter().map(|track| track.bytes() as u64).sum());
        self.shelf = Some(of);
    }

    /// Whether slices may be in a file.
    pub fn has_shelf(&self) -> bool {
        self.shelf.is_some()
    }

    /// The first error of the file of [`crate::Session::shelve`]. Slices that were asked for since
    /// are missing.
    pub fn take_shelf_error(&self) -> Option<std::io::Error> {
        self.shelf.as_ref().and_then(|of| of.shelf.take_error())
    }

    /// Notes, when all is read up to `at`, that some calls have no call path of their own.
    pub(crate) fn note_full_tree(&mut self, at: u64) {
        if self.calls.is_full() {
            self.note(Problem { at, kind: &problems::TOO_MANY_PATHS, value: self.calls.len() as u64 - 1 });
        }
    }

    /// Keeps names, tracks and problems, but nothing that happens on tracks.
    pub(crate) fn leave_out_events(&mut self) {
        self.is_bare = true;
    }

    /// Limits the memory of all that is kept of the trace, in bytes.
    pub(crate) fn limit_memory(&mut self, bytes: u64) {
        self.most_bytes = Some(bytes.min(MOST_BYTES));
    }

    /// Notes how many bytes other traces and results hold that share the limit of this one.
    pub(crate) fn set_elsewhere(&mut self, bytes: u64) {
        self.elsewhere = bytes;
    }

    fn most_bytes(&self) -> u64 {
        let most = self.most_bytes.unwrap_or(MOST_BYTES);
        most.saturating_sub(self.elsewhere).max(most.min(LEAST_BYTES))
    }

    /// Notes that reading ends at `at` because memory is used up.
    pub(crate) fn note_out_of_room(&mut self, at: u64) {
        let kind = if self.slices < MOST_SLICES { &problems::OUT_OF_ROOM } else { &problems::TOO_MANY_SLICES };
        self.note(Problem { at, kind, value: self.slices });
    }

    /// Ends the trace: closes open slices where their threads end, or where the trace does, flags
    /// them, and frees unused memory.
    ///
    /// `counted` says that the x axis counts calls, steps or the like: each occupies one position,
    /// and so does the last. On a measured axis a position is a point in time.
    pub fn finish(&mut self, counted: bool) {
        let ends = self.tracks.iter().map(|track| track.last_position(counted));
        if let (Some((_, to)), Some(last)) = (&mut self.extent, ends.max()) {
            *to = last.max(*to);
        }
        let end = self.extent.map_or(0, |(_, to)| to);
        for track in &mut self.tracks {
            // A thread may have gone on without being recorded, or not: it is unknown. Other tracks
            // are about the whole trace.
            let is_thread = track.def.kind == TrackKind::Thread && track.def.stacking == Stacking::Nested;
            track.finish(if is_thread { track.last_position(counted) } else { end });
            // Not before: slices that end now would begin new levels.
            if self.shelf.as_ref().is_some_and(|of| of.how.levels == shelf::Levels::Dropped) {
                track.drop_levels();
            }
        }
        self.tracks.shrink_to_fit();
        self.payloads.shrink_to_fit();
        self.finished = true;
    }

    /// Notes a problem.
    pub(crate) fn note(&mut self, problem: Problem) {
        let one = Count::of(problem);
        self.counts.add(problem.kind, &one);
        if self.problems.len() < PROBLEMS_KEPT {
            self.problems.push(Noted { problem, track: None });
        }
    }

    /// All problems by kind.
    pub(crate) fn problem_counts(&self) -> Counts {
        let mut all = self.counts.clone();
        for (kind, count) in self.tracks.iter().flat_map(Track::problem_counts) {
            all.add(kind, &count);
        }
        all
    }

    /// At most `max` of the problems that are kept, from number `first` on, and how many are kept.
    pub(crate) fn problems(&self, first: usize, max: usize) -> (Vec<Problem>, usize) {
        let page = self.problems.iter().skip(first).take(max).map(|n| n.problem).collect();
        (page, self.problems.len())
    }

    /// First and last absolute position, in ticks. `None` while there are no events.
    pub fn extent(&self) -> Option<(u64, u64)> {
        self.extent
    }

    /// How many records were decoded.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How many slices there are on all tracks, including open ones.
    pub fn slices(&self) -> u64 {
        self.slices
    }

    /// How many instants there are on all tracks.
    pub fn instants(&self) -> u64 {
        self.tracks.iter().map(|t| t.instants.len() as u64).sum()
    }

    /// The names as they are shown, by their numbers.
    pub fn names(&self) -> &[String] {
        self.texts.shown()
    }

    /// A name as it is shown. Empty if there is no such name.
    pub fn name(&self, name: u32) -> &str {
        self.names().get(name as usize).map_or("", String::as_str)
    }

    /// The kind of a name, and the key that the file has in place of a text. Defaults if there is
    /// no such name.
    pub fn key(&self, name: u32) -> (SliceKind, Key) {
        self.texts.key(name)
    }

    /// A name's id or address as text, if the name is not simply that: `#12`, `0x401000`. Else
    /// empty.
    pub fn key_text(&self, name: u32) -> String {
        let key = self.key(name).1.to_string();
        if self.texts.given(name).is_none() && self.name(name).contains(&key) { String::new() } else { key }
    }

    /// Where the source of a name is, such as `main.c:12`. Empty if unknown.
    pub fn source_of(&self, name: u32) -> &str {
        self.texts.source(name)
    }

    /// The addresses that names have, only those of functions that were called by others if
    /// `called`.
    pub(crate) fn addresses(&self, called: bool) -> Vec<u64> {
        let is_called = self.calls.called(self.names().len());
        let names = (0..).zip(is_called).filter(|(_, is_called)| *is_called || !called);
        names.filter_map(|(name, _)| self.texts.address(name)).collect()
    }

    /// The call tree.
    pub fn calls(&self) -> &CallTree {
        &self.calls
    }

    /// Whether [`Store::finish`] was called.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Memory of slices, levels of detail, instants, samples and payloads, in bytes.
    pub fn bytes(&self) -> usize {
        self.tracks.iter().map(Track::bytes).sum::<usize>()
            + self.payloads.capacity() * size_of::<Payload>()
            + self.shelf.as_ref().map_or(0, |of| of.shelf.bytes())
    }

    /// Memory of all that is kept of the trace, in bytes: [`Store::bytes`], and names, call paths,
    /// tracks and what the decoder keeps.
    pub fn kept_bytes(&self) -> u64 {
        self.bytes() as u64 + self.distinct_bytes()
    }

    /// How many tracks there are.
    pub fn track_count(&self) -> usize {
        self.tracks.len()
    }

    /// Calls `each` with the signed depth, the index and every slice of a track, column by column
    /// from the lowest depth.
    pub fn for_each_slice(&self, track: TrackId, mut each: impl FnMut(i32, usize, Slice)) {
        let Some(track) = self.tracks.get(track as usize) else { return };
        for (depth, column) in track.columns() {
            column.scan(0, usize::MAX, |i, s| {
                each(depth, i, s);
                true
            });
        }
    }

    fn apply_sample(&mut self, id: TrackId, sample: Sample) {
        let Some(track) = self.tracks.get_mut(id as usize) else { return };
        track.sample(sample);
        self.points += 1;
        let extent = track.extent();
        self.extend_to(extent);
    }

    /// Makes the trace reach over the extent of a track.
    #[inline]
    fn extend_to(&mut self, extent: Option<(u64, u64)>) {
        if let Some((from, to)) = extent {
            let (low, high) = self.extent.unwrap_or((from, to));
            self.extent = Some((low.min(from), high.max(to)));
        }
    }

    /// `ends` are the ends of the complete slices from the range on. Returns how many of them are
    /// in it.
    fn apply_run(&mut self, id: TrackId, batch: &EventBatch, range: std::ops::Range<usize>, ends: &[u64]) -> usize {
        let Some(track) = self.tracks.get_mut(id as usize) else {
            debug_assert!(false, "a track is defined in the batch of its first event or before");
            return 0;
        };
        let before = (track.slices(), track.points(), track.open_bytes());
        if self.texts.has_groups() {
            let begins = columns(batch, range.clone())
                .filter(|(((kind, _), _), _)| matches!(kind, EventKind::Begin | EventKind::Whole | EventKind::Uncover));
            track.groups += begins.filter(|((_, name), _)| self.texts.is_group(**name)).count() as u64;
        }
        let (mut at, to) = (range.start, range.end);
        let mut ended = 0;
        let mut events = columns(batch, at..to);
        while let Some((((kind, time), name), locator)) = events.next() {
            // Nearly all events are one of these three, and are applied many at a time.
            let taken = match kind {
                EventKind::Begin | EventKind::End | EventKind::EndOf => {
                    track.run(&Run::of(batch, at..to), &mut self.calls)
                }
                EventKind::Whole => {
                    let ends = ends.get(ended..).unwrap_or_default();
                    let taken = track.run_whole(&Run::of(batch, at..to), ends, &mut self.calls);
                    ended += taken;
                    taken
                }
                _ => 0,
            };
            if taken > 0 {
                at += taken;
                events = columns(batch, at..to);
                continue;
            }
            at += 1;
            if track.is_in_gap() && kind.is_record() {
                track.resume(*time, *locator, &mut self.calls);
            }
            let problem = match kind {
                EventKind::Begin => track.begin(*time, *name, *locator, &mut self.calls),
                EventKind::End => track.end(*time, *name, *locator, &mut self.calls),
                EventKind::Whole => {
                    let end = ends.get(ended).copied().unwrap_or(*time);
                    ended += 1;
                    track.whole((*time, end), *name, *locator, &mut self.calls)
                }
                EventKind::EndOf => track.end_of(*time, *name, *locator),
                EventKind::Left => track.left(*time, *name, *locator),
                EventKind::Flag => {
                    track.flag(*time as u8, *name, *locator);
                    None
                }
                EventKind::Uncover => track.uncover(*time, *name, *locator, &mut self.calls),
                EventKind::Instant => track.instant(Instant { time: *time, name: *name, locator: *locator }),
                EventKind::LastRecord => {
                    track.last_record(*time);
                    None
                }
                EventKind::StackLost => {
                    track.stack_lost();
                    None
                }
                EventKind::Sample => {
                    track.sample(Sample { time: *time, bits: locator.bits() });
                    None
                }
                EventKind::Disordered => {
                    track.set_reordering();
                    None
                }
                EventKind::Restart => {
                    self.restarts += 1;
                    track.restart(*time);
                    self.problems.retain(|n| n.track != Some(id));
                    None
                }
            };
            if let Some(problem) = problem
                && self.problems.len() < PROBLEMS_KEPT
            {
                self.problems.push(Noted { problem, track: Some(id) });
            }
        }
        // A restart removes slices.
        self.slices = self.slices.wrapping_add(track.slices()).wrapping_sub(before.0);
        self.points = self.points.wrapping_add(track.points()).wrapping_sub(before.1);
        self.open_bytes = self.open_bytes.wrapping_add(track.open_bytes()).wrapping_sub(before.2);
        let extent = track.extent();
        self.extend_to(extent);
        ended
    }

    fn define(&mut self, def: TrackDef) {
        self.tracks.push(Track::new(def));
    }
}

/// Kind, time, name and locator of some events.
#[inline]
fn columns(
    batch: &EventBatch,
    range: std::ops::Range<usize>,
) -> impl Iterator<Item = (((&EventKind, &u64), &u32), &Locator)> {
    let Run { kinds, times, names, locators } = Run::of(batch, range);
    kinds.iter().zip(times).zip(names).zip(locators)
}

/// The columns of a track, from the lowest depth.
pub(crate) fn track_columns(track: &Track) -> impl Iterator<Item = &column::Column> {
    track.columns().map(|(_, column)| column)
}
