//! Derived tracks: what a job has found, beside the finished store, with the same levels of detail
//! as the tracks of the trace. They refer to call-tree nodes and records of the trace and never
//! alter it.
//!
//! A derived track belongs to the job that made it. Its number follows from that of the job
//! ([`track_of`]), so tracks need no list of their own: the ledger accounts for the job, and the
//! job ends when the track is removed or evicted.
//!
//! - Its number is that of the job above 2^31. When the account is full, the derived track that was
//!   not on the screen for the longest time goes, and the page says which (`evicted`).
//! - `Keep` copies all slices of a name: one scan over the call-tree nodes of all columns, then a
//!   merge by start. A slice takes the lowest free of at most 8 rows; those without a row are
//!   counted.
//! - `Gather` takes records that a pass in the record worker has collected (`records/collect.rs`):
//!   those with a number in a field, as a value over time; those that execute an address, and
//!   events, as points; intervals of a thread with one number, such as that of its CPU, as slices.
//!   At most 2^21 records cross, as columns. `web/trace/lanes.ts` divides them into tracks. Slices
//!   named by a thread or a CPU have call-tree nodes and name ids above those of the trace
//!   (`CallTree::apart`, `Names.apart`). Rows of a query come the same way
//!   (`web/trace/sql_track.ts`); what these were made from only the page knows.
//! - `Jobs::query` draws tracks of both kinds. `Jobs::origin` leads from a place on a derived track
//!   back to the slice or record that it was made from; a click selects that.
//! - On the page, `web/trace/derived.ts` begins the jobs, and the layout puts derived tracks above
//!   the others. Their slices weigh as those of threads do, but those that stand alone are drawn as
//!   marks of two pixels at least (`solid`), and none is dimmed.
//!
//! **Marks.** A function that stands out dims all others, but its calls may hide in rectangles of
//! many slices. The job `Marks` counts them by cells of the rows on the screen, once the picture
//! has settled, and by cells of the overview. It visits the slices of these rows in that range
//! only, and none if every slice on the screen is drawn on its own (`web/trace/marks.ts`).

mod gather;
mod keep;
mod marks;

use serde::Serialize;
use unspool_trace::{Locator, TrackDef, TrackId};

use crate::chunked::Chunked;
use crate::details::Item;
use crate::jobs::{Job, Jobs};
use crate::neighbours::{Found, Neighbour};
use crate::report::TrackOut;
use crate::store::query::{QueryAnswer, TrackRows};
use crate::store::slice::Slice;
use crate::store::{Store, Track};

pub use gather::Gather;
pub use keep::Keep;
pub(crate) use marks::MOST_CELLS;
pub use marks::{Marks, MarksColumns, MarksQuestion};

/// Numbers of derived tracks are at least this. A trace has fewer tracks.
pub const FIRST: TrackId = 1 << 31;

/// Most rows of a derived track. What does not find a free row is counted in [`Derived::hidden`].
pub const MOST_ROWS: usize = 8;

/// The number of the track that a job makes.
pub fn track_of(job: u32) -> TrackId {
    FIRST | job
}

/// The job that made a track. `None` for a track of the trace.
pub fn job_of(track: TrackId) -> Option<u32> {
    (track >= FIRST).then_some(track & !FIRST)
}

/// A track made from others.
#[derive(Debug)]
pub struct Derived {
    track: Track,
    /// The tracks that its slices were copied from.
    sources: Vec<TrackId>,
    /// Of each instant, sample or slice that was made of records, the one where it begins.
    records: Chunked<(TrackId, Locator)>,
    /// For each row, where its last slice ends.
    busy: Vec<u64>,
    hidden: u64,
}

impl Derived {
    fn new(def: TrackDef) -> Self {
        Self { track: Track::new(def), sources: Vec::new(), records: Chunked::default(), busy: Vec::new(), hidden: 0 }
    }

    /// Frees the track.
    #[inline(never)]
    fn clear(&mut self) {
        *self = Self::new(self.track.def.clone());
    }

    /// The track with its levels of detail.
    pub(crate) fn track(&self) -> &Track {
        &self.track
    }

    /// The track for display. `id` is its number.
    pub fn report(&self, id: TrackId) -> TrackOut {
        TrackOut::of(id, &self.track)
    }

    /// How many slices were left out because [`MOST_ROWS`] others ran where they begin.
    pub fn hidden(&self) -> u64 {
        self.hidden
    }

    /// Allocated memory, in bytes.
    pub fn bytes(&self) -> u64 {
        let lists = self.sources.capacity() * size_of::<TrackId>() + self.busy.capacity() * size_of::<u64>();
        (self.track.bytes() + self.records.bytes() + lists) as u64
    }

    /// Adds a slice in the lowest free row. Slices come in the order of their starts.
    fn add(&mut self, slice: &Slice) {
        let free = self.busy.iter().position(|end| *end <= slice.start);
        let row = match free {
            Some(row) => row,
            None if self.busy.len() < MOST_ROWS => {
                self.busy.push(0);
                self.busy.len() - 1
            }
            None => {
                self.hidden += 1;
                return;
            }
        };
        if let Some(end) = self.busy.get_mut(row) {
            *end = slice.end;
        }
        self.track.add(row as i32, slice);
    }

    /// Where a place on the track comes from.
    fn origin(&self, store: &Store, place: Place) -> Option<Origin> {
        match place {
            Place::Item(Item::Slice { depth, index, .. }) => {
                let copy = self.track.slice(depth, index as usize, 0)?;
                let is_origin = |i: &usize| self.records.get(*i).is_some_and(|(_, locator)| *locator == copy.locator);
                if let Some(i) = (0..self.records.len()).find(is_origin) {
                    return self.record(store, i, copy.start);
                }
                let found = self.sources.iter().find_map(|track| store.find_slice(*track, &copy))?;
                let locator = copy.locator.bits();
                Some(Origin { x: copy.start, track: found.item.track(), locator, found: Some(found) })
            }
            Place::Item(Item::Instant { index, .. }) => {
                let time = self.track.instants.get(index as usize)?.time;
                self.record(store, index as usize, time)
            }
            Place::Value { time, .. } => {
                let index = self.track.samples.first_at(0, time);
                self.record(store, index, self.track.samples.get(index)?.time)
            }
        }
    }
}

impl Derived {
    fn record(&self, store: &Store, index: usize, time: u64) -> Option<Origin> {
        let (track, locator) = *self.records.get(index)?;
        let found = store.neighbour(Neighbour::Record { time, track, locator });
        Some(Origin { x: time, track, locator: locator.bits(), found })
    }
}

/// A place on a derived track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A slice or an instant.
    Item(Item),
    /// The value that holds at a position.
    Value {
        /// Number of the track.
        track: TrackId,
        /// Absolute position, in ticks.
        time: u64,
    },
}

/// The record of the trace that a place on a derived track comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
pub struct Origin {
    /// Its absolute position, in ticks.
    #[cfg_attr(feature = "typescript", tsify(type = "Ticks"))]
    pub x: u64,
    /// The track of the trace.
    #[cfg_attr(feature = "typescript", tsify(type = "number"))]
    pub track: TrackId,
    /// Where the record is found again.
    pub locator: u64,
    /// The slice or instant of the record, if it has one.
    pub found: Option<Found>,
}

impl<J: Job + ?Sized> Jobs<J> {
    /// [`Store::query_rows`] for tracks of the store and derived ones.
    pub fn query(&self, store: &Store, from: u64, to: u64, step: u64, rows: &[TrackRows]) -> QueryAnswer {
        let derived = rows.iter().filter_map(|row| Some((row.track, self.derived(row.track)?.track())));
        store.query_beside(from, to, step, rows, &derived.collect::<Vec<_>>())
    }

    /// Where a place on a derived track comes from.
    pub fn origin(&self, store: &Store, place: Place) -> Option<Origin> {
        let (Place::Value { track, .. } | Place::Item(Item::Slice { track, .. } | Item::Instant { track, .. })) = place;
        self.derived(track)?.origin(store, place)
    }
}
