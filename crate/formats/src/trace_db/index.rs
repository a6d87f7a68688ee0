//! What a reader needs to begin anywhere in a trace, and the reader. All points are in one lane.
//! The row of a point is its number.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range as Numbers;

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use unspool_trace::batch::TrackId;
use unspool_trace::bytes::to_bytes;
use unspool_trace::decoder::Range;
use unspool_trace::details::RecordDetails;
use unspool_trace::error::Result;
use unspool_trace::locator::Locator;
use unspool_trace::records::{Lane, Pass, Records, Visitor};

use crate::pieces::{Pieces, Stretch, from_index};

use super::checkpoints::{Checkpoints, Occurrences};
use super::decode::Points;
use super::events::TraceDbDecoder;
use super::fields::Held;
use super::memory::History;
use super::wire::{Layout, StatementId, Tables};

/// What is handed over. The decoder lends the large parts.
#[derive(Serialize, Deserialize)]
pub(super) struct Index<'a> {
    pub(super) layout: Layout,
    /// Size of the file in bytes, if known.
    pub(super) size: Option<u64>,
    /// Limit for payloads in bytes.
    pub(super) payload: u64,
    pub(super) tables: Cow<'a, Tables>,
    pub(super) checkpoints: Cow<'a, Checkpoints>,
    pub(super) history: Cow<'a, History>,
    pieces: Cow<'a, Pieces>,
    /// Absolute offset of the end of what was decoded. If it is within a point, that is the last
    /// row.
    pub(super) end: u64,
    /// The points at each statement that has a name.
    statements: Vec<(StatementId, Cow<'a, Occurrences>)>,
    /// The track of the statements of each file, and of those without a file.
    files: Vec<(Option<u32>, TrackId)>,
}

impl TraceDbDecoder {
    pub(super) fn index_bytes(&self) -> Vec<u8> {
        let state = &self.state;
        to_bytes(&Index {
            layout: self.layout,
            size: self.options.size,
            payload: self.options.limits.payload as u64,
            tables: Cow::Borrowed(&self.walk.tables),
            checkpoints: Cow::Borrowed(&state.checkpoints),
            history: Cow::Borrowed(&state.history),
            pieces: Cow::Borrowed(&state.pieces),
            end: self.walk.points.at,
            statements: state.tracks.occurrences().map(|(id, points)| (id, Cow::Borrowed(points))).collect(),
            files: state.tracks.files(),
        })
    }
}

/// The reader of a trace.
pub(super) struct TraceDbRecords {
    pub(super) index: Index<'static>,
    /// For each statement, its place in [`Index::statements`].
    by_id: HashMap<StatementId, u32>,
    files: HashMap<Option<u32>, TrackId>,
    lanes: [Lane; 1],
}

/// Opens the reader.
///
/// # Errors
///
/// These bytes are not an index.
pub fn open_records(index: &[u8]) -> Result<Box<dyn Records>> {
    Ok(Box::new(TraceDbRecords::open(index)?))
}

/// What a program needs that reads the points of a trace by itself: header, layout, end, and
/// tracks.
pub struct Places(TraceDbRecords);

/// Reads them from an index.
///
/// # Errors
///
/// These bytes are not an index.
pub fn open_places(index: &[u8]) -> Result<Places> {
    TraceDbRecords::open(index).map(Places)
}

impl Places {
    /// The layout, for [`super::point::Reader`].
    pub fn layout(&self) -> Layout {
        self.0.index.layout
    }

    /// Names and types.
    pub fn tables(&self) -> &Tables {
        &self.0.index.tables
    }

    /// Absolute offset of the end of what was decoded.
    pub fn end(&self) -> u64 {
        self.0.index.end
    }

    /// The number of points.
    pub fn points(&self) -> u64 {
        self.0.lanes.iter().map(|lane| lane.rows).sum()
    }

    /// The track of the points at a statement.
    pub fn track_of(&self, id: Option<StatementId>) -> TrackId {
        self.0.track_of(id)
    }
}

impl TraceDbRecords {
    fn open(index: &[u8]) -> Result<Self> {
        let index: Index<'static> = from_index(index)?;
        let by_id = index.statements.iter().map(|(id, _)| *id).zip(0..).collect();
        let files = index.files.iter().copied().collect();
        let lanes = [index.pieces.lane()];
        Ok(Self { index, by_id, files, lanes })
    }

    /// The points at a statement.
    pub(super) fn points_of(&self, id: StatementId) -> Option<&Occurrences> {
        self.index.statements.get(*self.by_id.get(&id)? as usize).map(|(_, points)| points.as_ref())
    }

    /// Whether a statement has a name of its own.
    pub(super) fn is_named(&self, id: StatementId) -> bool {
        self.by_id.contains_key(&id)
    }

    /// The track of the points at a statement.
    pub(super) fn track_of(&self, id: Option<StatementId>) -> TrackId {
        let own = id.and_then(StatementId::file).and_then(|file| self.files.get(&Some(file)));
        // Files beyond the limit share the track of statements without a file.
        own.or_else(|| self.files.get(&None)).copied().unwrap_or(0)
    }
}

impl Records for TraceDbRecords {
    fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    fn pass(&self, pieces: Numbers<u32>) -> Box<dyn Pass + '_> {
        let index = &self.index;
        let Stretch { at, end, rows } = index.pieces.stretch(&pieces, index.end).unwrap_or_default();
        let held = Held::new(self, rows.start, rows.end - rows.start);
        Box::new(TraceDbPass { points: Points::new(index.layout, at), end, held })
    }

    fn details_range(&self, locator: Locator) -> Option<Range> {
        self.range_of(locator)
    }

    fn details_next(&self, locator: Locator, bytes: &[u8]) -> Option<Range> {
        self.next_range_of(locator, bytes)
    }

    fn details(&self, locator: Locator, bytes: &[u8]) -> Result<RecordDetails> {
        self.details_of(locator, bytes)
    }
}

/// A pass over points.
struct TraceDbPass<'a> {
    points: Points,
    /// Absolute offset of the end of the last point, or of what was decoded of it.
    end: u64,
    held: Held<'a>,
}

impl TraceDbPass<'_> {
    /// Nothing more was decoded. Passes on the last point if it is incomplete.
    fn finish(&mut self, visitor: &mut dyn Visitor) {
        if self.points.open && self.held.left > 0 {
            self.held.pass_on(true, visitor);
        }
        self.held.left = 0;
    }
}

impl Pass for TraceDbPass<'_> {
    fn want(&self) -> Option<Range> {
        let at = self.points.at;
        (self.held.left > 0).then(|| Range { at, len: self.end.saturating_sub(at) })
    }

    fn push(&mut self, bytes: &[u8], visitor: &mut (dyn Visitor + '_)) -> Result<usize> {
        let bytes = match usize::try_from(self.end.saturating_sub(self.points.at)) {
            Ok(len) => bytes.get(..len).unwrap_or(bytes),
            Err(_) => bytes,
        };
        let used = self.held.run(&mut self.points, bytes, visitor)?;
        if self.points.at >= self.end && !visitor.is_full() {
            self.finish(visitor);
        }
        Ok(used)
    }

    fn end(&mut self, _rest: &[u8], visitor: &mut (dyn Visitor + '_)) -> Result<()> {
        self.finish(visitor);
        Ok(())
    }
}
