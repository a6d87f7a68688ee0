//! What a reader needs to begin anywhere in a log, and the reader.
//!
//! FDR logs have a lane for each thread and a piece for each checkpoint. The others have one lane
//! in file order.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range as Numbers;

use serde::{Deserialize, Serialize};
use unspool_trace::batch::TrackId;
use unspool_trace::bytes::to_bytes;
use unspool_trace::decoder::Range;
use unspool_trace::details::RecordDetails;
use unspool_trace::error::Result;
use unspool_trace::locator::Locator;
use unspool_trace::records::{Lane, Pass, Piece, Records, Visitor};
use unspool_trace::sort;

use crate::pieces::{Pieces, Stretch, from_index};

use super::basic::BasicWalk;
use super::checkpoints::{Checkpoints, Entry};
use super::decode::FdrWalk;
use super::events::XrayDecoder;
use super::fields::{Fields, Held};
use super::walk::Walk;
use super::wire::{Header, Mode};
use super::yaml::YamlWalk;

/// Bytes that a pass asks for at once after the last of its records, where the arguments of that
/// may be.
const BEYOND: u64 = 8 * 1024;

/// The end of what a pass that is at `at` asks for, if its pieces end at `end`. The arguments of
/// the last record may go on; it asks for as many bytes again as these have taken so far.
fn beyond(end: u64, at: u64) -> u64 {
    end.max(at).saturating_add(BEYOND.max(at.saturating_sub(end)))
}

/// What is handed over.
#[derive(Serialize, Deserialize)]
pub(super) struct Index {
    pub(super) header: Header,
    pub(super) is_yaml: bool,
    pub(super) checkpoints: Checkpoints,
    /// Of a log without buffers.
    pieces: Pieces,
    /// Absolute offset of the end of what was decoded.
    end: u64,
    pub(super) has_process: bool,
    /// Limit for payloads in bytes.
    pub(super) payload: u64,
    /// Process, thread and track of each thread, by process and thread.
    threads: Vec<(i32, i32, TrackId)>,
    lanes: Vec<Lane>,
}

impl XrayDecoder {
    pub(super) fn index_bytes(&self) -> Vec<u8> {
        let state = &self.state;
        let is_fdr = matches!(self.walk, Walk::Fdr(_));
        let checkpoints = state.checkpoints.sorted();
        let lanes = if is_fdr { self.lanes(&checkpoints) } else { Vec::from([state.pieces.lane()]) };
        to_bytes(&Index {
            header: self.header,
            is_yaml: matches!(self.walk, Walk::Yaml(_)),
            checkpoints,
            pieces: state.pieces.clone(),
            end: self.at,
            has_process: state.threads.has_process,
            payload: state.limits.payload as u64,
            threads: state.threads.by_id(),
            lanes,
        })
    }

    /// The lanes of an FDR log. A thread that was delivered again has its buffers by their clocks,
    /// as in the timeline.
    fn lanes(&self, checkpoints: &Checkpoints) -> Vec<Lane> {
        let all = checkpoints.all();
        let threads = &self.state.threads;
        let mut lanes: Vec<Lane> =
            threads.all().map(|thread| Lane { track: Some(thread.track), sorted: true, ..Lane::default() }).collect();
        // The first checkpoint of each buffer, by thread in the order of its records.
        let mut buffers: Vec<Vec<(u64, u32)>> = lanes.iter().map(|_| Vec::new()).collect();
        for (number, entry) in checkpoints.buffers() {
            let is_disordered = threads.get(entry.thread).is_some_and(|thread| thread.disordered);
            if let Some(buffers) = buffers.get_mut(entry.thread as usize) {
                buffers.push((if is_disordered { entry.checkpoint.clock } else { 0 }, number));
            }
        }
        for (lane, mut buffers) in lanes.iter_mut().zip(buffers) {
            sort::pairs(&mut buffers);
            for (_, first) in buffers {
                let rest = all.get(first as usize..).unwrap_or_default();
                let within = rest.iter().enumerate().take_while(|(i, entry)| *i == 0 || !entry.begins);
                for (number, (_, entry)) in (first..).zip(within).filter(|(_, (_, entry))| entry.records > 0) {
                    lane.pieces.push(Piece { number, row: lane.rows, x: entry.from.max(lane.until) });
                    lane.until = entry.until.max(lane.until);
                    lane.rows += u64::from(entry.records);
                }
            }
        }
        lanes
    }
}

/// The reader of a log.
pub(super) struct XrayRecords {
    pub(super) index: Index,
    /// Lane, row and position on the x axis of each piece of an FDR log, by number. Pieces without
    /// records have no lane.
    rows: Vec<Option<(u32, u64, u64)>>,
}

/// Opens the reader.
///
/// # Errors
///
/// These bytes are not an index.
pub fn open_records(index: &[u8]) -> Result<Box<dyn Records>> {
    let index: Index = from_index(index)?;
    let mut rows = Vec::new();
    rows.resize(index.checkpoints.all().len(), None);
    for (lane, of_lane) in (0..).zip(&index.lanes) {
        for piece in &of_lane.pieces {
            if let Some(slot) = rows.get_mut(piece.number as usize) {
                *slot = Some((lane, piece.row, piece.x));
            }
        }
    }
    Ok(Box::new(XrayRecords { index, rows }))
}

impl XrayRecords {
    /// A walk that begins with the record at `at`. `None` for a log with buffers, whose records
    /// need what comes before them.
    pub(super) fn line_walk(&self, at: u64) -> Option<Walk> {
        match self.index.header.mode {
            _ if self.index.is_yaml => Some(Walk::Yaml(YamlWalk::new(at))),
            Mode::Basic => Some(Walk::Basic(BasicWalk::new(&self.index.header, at))),
            Mode::Fdr => None,
        }
    }
}

impl Records for XrayRecords {
    fn lanes(&self) -> &[Lane] {
        &self.index.lanes
    }

    fn pass(&self, pieces: Numbers<u32>) -> Box<dyn Pass + '_> {
        let index = &self.index;
        let limit = usize::try_from(index.payload).unwrap_or(usize::MAX);
        let held = Held { limit, threads: index.threads.clone(), ..Held::default() };
        let Stretch { at, end, rows } = index.pieces.stretch(&pieces, index.end).unwrap_or_default();
        let Some(walk) = self.line_walk(at) else {
            let end = pieces.end.min(self.rows.len() as u32);
            return Box::new(FdrPass { records: self, walk: None, at: 0, held, next: pieces.start, end });
        };
        let sorted = index.lanes.first().is_some_and(|lane| lane.sorted);
        let left = rows.end - rows.start;
        let held = Held { row: rows.start, left, sorted, done: left == 0, ..held };
        Box::new(LinePass { walk, at, pieces_end: end, end: index.end, held })
    }

    fn details_range(&self, locator: Locator) -> Option<Range> {
        self.range_of(locator)
    }

    fn details(&self, locator: Locator, bytes: &[u8]) -> Result<RecordDetails> {
        self.details_of(locator, bytes)
    }
}

/// A pass over pieces of an FDR log.
struct FdrPass<'a> {
    records: &'a XrayRecords,
    /// In a piece, and in those that follow it in the same buffer.
    walk: Option<FdrWalk>,
    at: u64,
    held: Held,
    /// The next piece to begin with, and the one after the last.
    next: u32,
    end: u32,
}

impl FdrPass<'_> {
    fn entry(&self, number: u32) -> Option<&Entry> {
        self.records.index.checkpoints.all().get(number as usize)
    }

    /// Begins the next piece that has records, with those that follow it in its buffer and in its
    /// lane.
    fn begin(&mut self) -> Option<()> {
        loop {
            let number = self.next;
            if number >= self.end {
                return None;
            }
            let checkpoint = self.entry(number)?.checkpoint;
            self.next += 1;
            let Some((lane, row, x)) = self.records.rows.get(number as usize).copied().flatten() else { continue };
            let mut left = u64::from(self.entry(number)?.records);
            while self.next < self.end
                && let Some(entry) = self.entry(self.next).filter(|entry| !entry.begins)
            {
                left += u64::from(entry.records);
                self.next += 1;
            }
            let track = self.records.index.lanes.get(lane as usize).and_then(|lane| lane.track).unwrap_or(0);
            let held = core::mem::take(&mut self.held);
            self.held = Held { lane, track, row, left, latest: x, sorted: true, done: left == 0, ..held };
            self.walk = Some(FdrWalk::resume(&self.records.index.header, checkpoint));
            self.at = checkpoint.at;
            return Some(());
        }
    }

    fn finish_piece(&mut self) {
        self.walk = None;
        self.held.done = true;
    }
}

impl Pass for FdrPass<'_> {
    fn want(&self) -> Option<Range> {
        if self.walk.is_none() {
            // The next piece's beginning.
            let rows = &self.records.rows;
            let next = (self.next..self.end).find(|n| rows.get(*n as usize).is_some_and(Option::is_some))?;
            return self.entry(next).map(|entry| self.range(entry.checkpoint.at, next));
        }
        Some(self.range(self.at, self.next.saturating_sub(1)))
    }

    fn push(&mut self, bytes: &[u8], visitor: &mut (dyn Visitor + '_)) -> Result<usize> {
        if self.walk.is_none() && self.begin().is_none() {
            return Ok(0);
        }
        let Some(walk) = &mut self.walk else { return Ok(0) };
        let mut sink = Fields::new(&mut self.held, visitor);
        let used = walk.run(bytes, &mut sink);
        self.at += used as u64;
        if walk.is_between() {
            sink.flush();
        }
        if walk.is_between() || self.held.done {
            self.finish_piece();
        }
        Ok(used)
    }

    fn end(&mut self, _rest: &[u8], visitor: &mut (dyn Visitor + '_)) -> Result<()> {
        if self.walk.is_some() {
            Fields::new(&mut self.held, visitor).flush();
            self.finish_piece();
        }
        // The file ends here, and what follows in it is gone.
        self.next = self.end;
        Ok(())
    }
}

impl FdrPass<'_> {
    /// From `at` to the end of the last piece and a little beyond, or to that of the buffer if the
    /// pass goes on there. `number` is that of a piece of the buffer.
    fn range(&self, at: u64, number: u32) -> Range {
        let buffer = self.entry(number).map_or(at, |entry| entry.checkpoint.end);
        let next = self.entry(self.end).filter(|entry| !entry.begins && entry.checkpoint.at < buffer);
        let end = next.map_or(buffer, |entry| beyond(entry.checkpoint.at, at).min(buffer));
        Range { at, len: end.saturating_sub(at).max(1) }
    }
}

/// A pass over a log whose records need nothing from before.
struct LinePass {
    walk: Walk,
    at: u64,
    /// Absolute offsets of the end of the pieces, and of what was decoded.
    pieces_end: u64,
    end: u64,
    held: Held,
}

impl Pass for LinePass {
    fn want(&self) -> Option<Range> {
        let end = beyond(self.pieces_end, self.at).min(self.end);
        (!self.held.done).then(|| Range { at: self.at, len: end.saturating_sub(self.at).max(1) })
    }

    fn push(&mut self, bytes: &[u8], visitor: &mut (dyn Visitor + '_)) -> Result<usize> {
        let used = self.walk.run(bytes, &mut Fields::new(&mut self.held, visitor));
        self.at += used as u64;
        Ok(used)
    }

    fn end(&mut self, rest: &[u8], visitor: &mut (dyn Visitor + '_)) -> Result<()> {
        let mut sink = Fields::new(&mut self.held, visitor);
        self.walk.end(rest, &mut sink);
        sink.flush();
        self.held.done = true;
        Ok(())
    }
}
