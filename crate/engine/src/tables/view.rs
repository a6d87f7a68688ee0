//! The rows of the tables one by one, for exports.

use unspool_trace::{Clock, TrackDef, TrackId};

use super::{Parts, SliceRows, Span, instants, samples};
use crate::find::Hits;
use crate::session::Session;
use crate::store::Store;

/// What there is to know of a trace besides its names and rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Format and version, as shown.
    pub title: String,
    /// Ticks per second, never 0. `None` if positions are not in seconds.
    pub frequency: Option<u64>,
    /// The unit of positions, in the singular: `tick`, or what is counted.
    pub unit: String,
    /// The first position. 0 in a trace without events.
    pub origin: u64,
    /// The last position. 0 in a trace without events.
    pub end: u64,
    /// All tracks, by their numbers. The values of counters have the type that is shown.
    pub tracks: Vec<TrackDef>,
}

impl Head {
    /// That of a session.
    pub fn of(session: &Session) -> Self {
        let store = session.store();
        let (frequency, unit) = match session.clock() {
            Clock::Seconds { frequency } => (Some(frequency), "tick"),
            Clock::Ticks => (None, "tick"),
            Clock::Ordinal { unit } => (None, unit),
        };
        let (origin, end) = store.extent().unwrap_or((0, 0));
        let tracks =
            store.tracks.iter().map(|track| TrackDef { values: track.shown().kind(), ..track.def.clone() }).collect();
        Self { title: session.info().title, frequency, unit: unit.into(), origin, end, tracks }
    }
}

/// What rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// Slices.
    Slices,
    /// Instants.
    Instants,
    /// Samples of counters.
    Counters,
}

/// Consecutive rows of a table: those of one track, and for slices of one depth, in the order of
/// time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The table.
    pub table: Table,
    /// Number of the track.
    pub track: TrackId,
    /// Depth of the slices, from 0.
    pub depth: u32,
    /// The number of the first row among all rows of the table, from 0.
    pub first: u64,
    /// How many rows there are. May be 0.
    pub len: u64,
}

/// A slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// Its row among all slices of the view, from 0.
    pub row: u64,
    /// The row of the slice that encloses it, at the depth above.
    pub parent: Option<u64>,
    /// Depth from 0, the outermost.
    pub depth: u32,
    /// Absolute position, in ticks.
    pub start: u64,
    /// Absolute position, in ticks; at least `start`.
    pub end: u64,
    /// Number of its name.
    pub name: u32,
    /// Bits of [`unspool_trace::batch::flags`].
    pub flags: u8,
    /// Bits of the locator of its record.
    pub locator: u64,
}

/// A point in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instant {
    /// Absolute position, in ticks.
    pub time: u64,
    /// Number of its name.
    pub name: u32,
    /// Bits of the locator of its record.
    pub locator: u64,
}

/// A counter's value from `time` on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Absolute position, in ticks.
    pub time: u64,
    /// The value.
    pub value: Number,
}

/// A number of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A signed number.
    Int(i64),
    /// An unsigned number.
    Unsigned(u64),
    /// A floating point number.
    Real(f64),
}

/// The rows of a range of a finished store, as [`super::database`] has them.
pub struct View<'a> {
    slices: SliceRows<'a>,
    instants: Parts<'a>,
    samples: Parts<'a>,
    parts: Vec<Part>,
}

impl Store {
    /// Whether a track is a counter with values.
    pub fn has_samples(&self, track: TrackId) -> bool {
        self.tracks.get(track as usize).is_some_and(|track| track.samples.len() > 0)
    }
}

impl<'a> View<'a> {
    /// The rows of a range, `to` exclusive, or all.
    pub fn new(store: &'a Store, range: Option<Span>) -> Self {
        let (slices, instants, samples) = (SliceRows::new(store, range), instants(store, range), samples(store, range));
        let part = |table, track, depth, first, len| Part { table, track, depth, first, len };
        let mut parts: Vec<Part> =
            slices.parts.iter().map(|it| part(Table::Slices, it.id, it.depth as u32, it.first, it.len)).collect();
        for (table, rows) in [(Table::Instants, &instants), (Table::Counters, &samples)] {
            for (i, (first, track, ..)) in rows.parts.iter().enumerate() {
                let end = rows.parts.get(i + 1).map_or(rows.len, |(first, ..)| *first);
                parts.push(part(table, *track, 0, *first, end - first));
            }
        }
        Self { slices, instants, samples, parts }
    }

    /// All rows: by table, then by track, then by depth.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// A slice by the number of its part and its index there.
    #[inline]
    pub fn slice(&self, part: usize, index: u64) -> Option<Slice> {
        self.slices.parts.get(part)?.slice(&self.slices.store.calls, index)
    }

    /// An instant, as [`View::slice`].
    pub fn instant(&self, part: usize, index: u64) -> Option<Instant> {
        self.instants.instant(self.row(part, index)?).map(|(_, instant)| instant)
    }

    /// A sample, as [`View::slice`].
    pub fn sample(&self, part: usize, index: u64) -> Option<Sample> {
        self.samples.sample(self.row(part, index)?).map(|(_, sample)| sample)
    }

    fn row(&self, part: usize, index: u64) -> Option<u64> {
        self.parts.get(part).filter(|part| index < part.len).map(|part| part.first + index)
    }

    /// Whether a slice or an instant is among the hits of a search.
    pub fn is_hit(&self, hits: &Hits, part: usize, index: u64) -> bool {
        if let Some(part) = self.slices.parts.get(part) {
            let Some(track) = self.slices.store.tracks.get(part.id as usize) else { return false };
            return hits.has(part.id, Some(part.depth as i32 + track.lowest()), part.from as u64 + index);
        }
        if self.parts.get(part).is_none_or(|part| part.table != Table::Instants) {
            return false;
        }
        let place = self.row(part, index).and_then(|row| self.instants.at(row));
        place.is_some_and(|(track, _, index)| hits.has(track, None, index as u64))
    }
}
