//! What a reader needs to begin anywhere in a trace, and the reader. All frames are in one lane,
//! the meta frame in none. The row of a frame is its number.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range as Numbers;

use serde::{Deserialize, Serialize};
use unspool_stacks::isa::ByteOrder;
use unspool_trace::batch::TrackId;
use unspool_trace::bytes::to_bytes;
use unspool_trace::decoder::Range;
use unspool_trace::details::RecordDetails;
use unspool_trace::error::Result;
use unspool_trace::locator::Locator;
use unspool_trace::records::{Lane, Pass, Records, Visitor};

use crate::pieces::{Pieces, Stretch, from_index};

use super::decode::Walk;
use super::events::FramesDecoder;
use super::fields::{Held, ToVisitor};
use super::machine::Machine;
use super::memory_order::{MemoryOrder, MemoryVotes};
use super::wire::Header;

/// What is handed over.
#[derive(Serialize, Deserialize)]
pub(super) struct Index {
    pub(super) header: Header,
    pub(super) order: ByteOrder,
    pub(super) memory: MemoryVotes,
    /// Limit for values shown as bytes, in bytes.
    pub(super) payload: u64,
    /// Absolute offset of the end of the trace, if it was reached. Also the locator of the last
    /// event.
    pub(super) end: Option<u64>,
    /// Number of frames.
    pub(super) frames: u64,
    pieces: Pieces,
    /// Absolute offset of the end of the last frame.
    frames_end: u64,
    /// Id and track of each thread, by id.
    pub(super) threads: Vec<(u64, TrackId)>,
    /// Tracks that do not belong to a thread, in the order of [`super::to_batch::Lane`].
    pub(super) lanes: [Option<TrackId>; 3],
}

impl FramesDecoder {
    pub(super) fn index_bytes(&self) -> Vec<u8> {
        let state = &self.state;
        to_bytes(&Index {
            header: self.header,
            order: *state.threads.order(),
            memory: state.memory_votes(),
            payload: self.options.limits.payload as u64,
            end: self.end,
            frames: self.walk.frames(),
            pieces: state.pieces.clone(),
            frames_end: state.frames_end,
            threads: state.threads.by_id(),
            lanes: state.lanes,
        })
    }
}

/// The reader of a trace.
pub(super) struct FramesRecords {
    pub(super) index: Index,
    lanes: [Lane; 1],
}

/// Opens the reader.
///
/// # Errors
///
/// These bytes are not an index.
pub fn open_records(index: &[u8]) -> Result<Box<dyn Records>> {
    Ok(Box::new(reader_of(index)?))
}

/// The reader of a trace, from its index.
pub(super) fn reader_of(index: &[u8]) -> Result<FramesRecords> {
    let index: Index = from_index(index)?;
    let lanes = [index.pieces.lane()];
    Ok(FramesRecords { index, lanes })
}

impl Index {
    /// The order of the bytes of memory.
    pub(super) fn memory_order(&self) -> MemoryOrder {
        Machine::of(&self.header).memory_order(&self.order, self.memory)
    }

    /// What the pieces with these numbers comprise, as far as they exist.
    pub(super) fn stretch(&self, pieces: &Numbers<u32>) -> Stretch {
        self.pieces.stretch(pieces, self.frames_end).unwrap_or_default()
    }
}

impl Records for FramesRecords {
    fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    fn pass(&self, pieces: Numbers<u32>) -> Box<dyn Pass + '_> {
        let walk = Walk::over(self.index.header, self.index.stretch(&pieces));
        Box::new(FramesPass { walk, held: Held::new(&self.index) })
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

/// A pass over frames.
struct FramesPass<'a> {
    walk: Walk,
    held: Held<'a>,
}

impl Pass for FramesPass<'_> {
    fn want(&self) -> Option<Range> {
        self.walk.wanted()
    }

    fn push(&mut self, bytes: &[u8], visitor: &mut (dyn Visitor + '_)) -> Result<usize> {
        Ok(self.walk.run(bytes, &mut ToVisitor::new(&mut self.held, visitor)))
    }

    fn end(&mut self, _rest: &[u8], _visitor: &mut (dyn Visitor + '_)) -> Result<()> {
        // Incomplete frames are not in the timeline.
        self.walk.give_up();
        Ok(())
    }
}
