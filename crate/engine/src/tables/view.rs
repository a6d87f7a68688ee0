//! The rows of the tables one by one, for exports.

use unspool_trace::{Stacking, TrackId, ValueKind};

use super::{Parts, SliceRows, Span, instants, samples};
use crate::find::Hits;
use crate::store::Store;

/// What the rows of a [`ViewPart`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewTable {
    /// Slices of one depth of a track.
    Slices,
    /// Instants of a track.
    Instants,
    /// Samples of a counter.
    Counters,
}

/// Consecutive rows of a table, in the order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewPart {
    /// The table.
    pub table: ViewTable,
    /// Number of the track.
    pub track: TrackId,
    /// Depth of the slices, from 0.
    pub depth: u32,
    /// The number of the first row, from 0.
    pub first: u64,
    /// How many rows there are. May be 0.
    pub len: u64,
}

/// A slice of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewSlice {
    /// Its row, from 0.
    pub row: u64,
    /// The row of the slice that encloses it.
    pub parent: Option<u64>,
    /// Absolute position, in ticks.
    pub start: u64,
    /// Absolute position, in ticks; at least `start`.
    pub end: u64,
    /// Number of its name.
    pub name: u32,
    /// Bits of [`unspool_trace::batch::flags`].
    pub flags: u8,
    /// Bits of its locator.
    pub locator: u64,
}

/// A value of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ViewValue {
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
    parts: Vec<ViewPart>,
}

impl Store {
    /// Whether a track is a counter with values.
    pub fn has_samples(&self, track: TrackId) -> bool {
        self.tracks.get(track as usize).is_some_and(|track| track.samples.len() > 0)
    }
}

/// All rows of a range, in parts: by table, then by track, then by depth.
pub fn parts(store: &Store, range: Option<Span>) -> Vec<ViewPart> {
    parts_of(&SliceRows::new(store, range), &instants(store, range), &samples(store, range))
}

fn parts_of(slices: &SliceRows<'_>, instants: &Parts<'_>, samples: &Parts<'_>) -> Vec<ViewPart> {
    let part = |table, track, depth, first, len| ViewPart { table, track, depth, first, len };
    let mut parts: Vec<ViewPart> =
        slices.parts.iter().map(|it| part(ViewTable::Slices, it.id, it.depth as u32, it.first, it.len)).collect();
    for (table, rows) in [(ViewTable::Instants, instants), (ViewTable::Counters, samples)] {
        for (i, (first, track, ..)) in rows.parts.iter().enumerate() {
            let end = rows.parts.get(i + 1).map_or(rows.len, |(first, ..)| *first);
            parts.push(part(table, *track, 0, *first, end - first));
        }
    }
    parts
}

impl<'a> View<'a> {
    /// The rows of a range, `to` exclusive, or all.
    pub fn new(store: &'a Store, range: Option<Span>) -> Self {
        let (slices, instants, samples) = (SliceRows::new(store, range), instants(store, range), samples(store, range));
        let parts = parts_of(&slices, &instants, &samples);
        Self { slices, instants, samples, parts }
    }

    /// All rows: by table, then by track, then by depth.
    pub fn parts(&self) -> &[ViewPart] {
        &self.parts
    }

    /// A slice by the number of its part and its index there.
    #[inline]
    pub fn slice(&self, part: usize, index: u64) -> Option<ViewSlice> {
        let part = self.slices.parts.get(part).filter(|part| index < part.len)?;
        let slice = part.slices.get_near(part.from + index as usize, &part.near)?;
        let calls = &self.slices.store.calls;
        Some(ViewSlice {
            row: part.first + index,
            parent: part.caller(&slice, calls.parent(slice.node)),
            start: slice.start,
            end: slice.end,
            name: calls.name(slice.node),
            flags: slice.flags,
            locator: slice.locator.bits(),
        })
    }

    /// Position, name and locator of an instant by its row.
    pub fn instant(&self, row: u64) -> Option<(u64, u32, u64)> {
        let (_, track, index) = self.instants.at(row)?;
        track.instants.get(index).map(|instant| (instant.time, instant.name, instant.locator.bits()))
    }

    /// Position and value of a sample by its row.
    pub fn sample(&self, row: u64) -> Option<(u64, ViewValue)> {
        let (_, track, index) = self.samples.at(row)?;
        let sample = track.samples.get(index)?;
        let value = match track.def.values {
            ValueKind::Float => ViewValue::Real(f64::from_bits(sample.bits)),
            ValueKind::Signed => ViewValue::Int(sample.bits as i64),
            ValueKind::Unsigned | ValueKind::Address => ViewValue::Unsigned(sample.bits),
        };
        Some((sample.time, value))
    }

    /// Whether a slice is among the hits of a search.
    pub fn is_hit(&self, hits: &Hits, part: usize, index: u64) -> bool {
        let Some(part) = self.slices.parts.get(part) else { return false };
        let Some(track) = self.slices.store.tracks.get(part.id as usize) else { return false };
        hits.has(part.id, Some(part.depth as i32 + track.lowest()), part.from as u64 + index)
    }

    /// Whether an instant is among the hits of a search.
    pub fn is_hit_instant(&self, hits: &Hits, row: u64) -> bool {
        self.instants.at(row).is_some_and(|(track, _, index)| hits.has(track, None, index as u64))
    }

    /// Whether slices of a track overlap instead of nesting.
    pub fn is_overlapping(store: &Store, track: TrackId) -> bool {
        store.tracks.get(track as usize).is_some_and(|track| track.def.stacking == Stacking::Overlapping)
    }
}
