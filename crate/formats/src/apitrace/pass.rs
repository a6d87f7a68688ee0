//! A pass over the calls of consecutive pieces.
//!
//! ```text
//! stream   ... | piece 3 | piece 4 | piece 5  ...............  LEAVE of a call of piece 3
//! pieces       |=========|=========|
//! reading on                       |====|  until the calls that are open have returned, at most 1 MiB
//! far                                                          |==|  only the event
//! open     calls that never returned are passed on last
//! ```

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range as Numbers;

use unspool_trace::decoder::Range;
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::records::{Extent, Pass, Record, Visitor};
use unspool_trace::sort;

use crate::pieces::Stretch;

use super::call::{Call, CallVisitor, Calls, ToFields};
use super::decode::Walk;
use super::fields::{Fields, Held};
use super::index::ApitraceRecords;
use super::random_access::RandomAccess;
use super::source::{Filled, Source};
use super::tables::Frozen;
use super::tape::Tape;
use super::wire::StreamOffset;

/// Bytes of the stream to read after the last piece, until the calls that are open have returned.
const BEYOND: u64 = 1 << 20;
/// Bytes of the file to ask for if nothing says how many are needed.
const STEP: u64 = 1 << 20;

/// What is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The pieces.
    Pieces,
    /// What comes after them.
    On,
    /// The far LEAVE event of a call at this offset of the stream.
    Far(StreamOffset),
    /// Nothing: the calls that never returned are passed on.
    Open,
    Done,
}

/// A call that is complete but for its LEAVE event.
struct Returning {
    /// Offset in the stream of the event.
    leave: StreamOffset,
    call: u64,
    tape: Box<Tape>,
}

/// A pass.
pub(super) struct CallPass<'a> {
    records: &'a ApitraceRecords,
    source: Source<'a>,
    walk: Walk,
    held: Held,
    phase: Phase,
    /// Offset in the stream of the end of the pieces.
    end: StreamOffset,
    /// The stream has ended, or is not what it was when it was decoded.
    ended: bool,
    /// The file has no more bytes for this pass.
    gone: bool,
    /// Calls with far LEAVE events, the next one last once they are sorted.
    far: Vec<Returning>,
    is_sorted: bool,
    /// Calls that never returned, descending by number.
    open: Vec<(u64, Box<Tape>)>,
}

impl<'a> CallPass<'a> {
    /// A pass over the pieces with these numbers, as far as they exist.
    pub(super) fn new(records: &'a ApitraceRecords, pieces: Numbers<u32>) -> Self {
        let index = &records.index;
        let stretch = index.pieces.stretch(&pieces, index.end.0);
        let phase = if stretch.is_some() { Phase::Pieces } else { Phase::Done };
        let Stretch { at, end, rows } = stretch.unwrap_or_default();
        let (at, end) = (StreamOffset(at), StreamOffset(end));
        let decompresses = match &*index.access {
            // A pass that begins at the beginning always works.
            RandomAccess::Kept(spool) => pieces.start == 0 && spool.is_full() && end.0 > spool.len(),
            RandomAccess::Chunks { .. } => true,
        };
        Self {
            records,
            source: Source::new(index, at, decompresses),
            walk: Walk::resume(index.header.clone().into_owned(), at, rows.start),
            held: Held::new(records, rows, at),
            phase,
            end,
            ended: false,
            gone: false,
            far: Vec::new(),
            is_sorted: true,
            open: Vec::new(),
        }
    }

    /// Reads as far as `bytes` go. Returns how many were used.
    fn run(&mut self, bytes: &[u8], visitor: &mut dyn CallVisitor) -> Result<usize> {
        let mut rest = bytes;
        loop {
            self.walk(visitor);
            if visitor.is_full() || self.phase == Phase::Done {
                break;
            }
            if self.is_phase_over() {
                self.next_phase(visitor);
                continue;
            }
            match self.source.fill(&mut rest, self.bound(), self.walk.at()) {
                Filled::Going => {}
                Filled::Starved => break,
                Filled::NotKept if self.phase == Phase::Pieces => {
                    let why = "the rest of the calls is unavailable: the container has no random access, and the trace \
                               is too large to keep in memory (convert it with apitrace repack)";
                    return Err(Error::new(self.walk.at().0, Cause::Unavailable(why)));
                }
                Filled::Ended | Filled::NotKept => self.ended = true,
            }
        }
        Ok(bytes.len() - rest.len())
    }

    /// Walks over what there is of the stream.
    fn walk(&mut self, visitor: &mut dyn CallVisitor) {
        let at = self.walk.at();
        let until = match self.phase {
            Phase::Pieces => self.end,
            Phase::On | Phase::Far(_) => self.records.index.end,
            Phase::Open | Phase::Done => return,
        };
        self.source.skip_to(at);
        let left = usize::try_from(until.since(at)).unwrap_or(usize::MAX);
        let data = self.source.data(at);
        let data = data.get(..left).unwrap_or(data);
        let is_all = data.len() == left;
        let records = self.records;
        self.held.extent = visitor.extent();
        let mut sink = Fields { held: &mut self.held, records, visitor };
        match self.walk.run(data, &mut Frozen(&records.index.tables), &mut sink) {
            Ok(used) => {
                // The file changed if a primitive extends beyond the end.
                self.ended |= is_all && used < left && !visitor.is_full() && !self.held.is_over();
                self.source.consume(used);
            }
            Err(_) => self.ended = true,
        }
    }

    fn is_phase_over(&self) -> bool {
        let index_end = self.records.index.end;
        match self.phase {
            _ if self.ended => true,
            Phase::Pieces => self.walk.at() >= self.end,
            Phase::On | Phase::Far(_) => self.held.is_over() || self.walk.at() >= index_end,
            Phase::Open | Phase::Done => true,
        }
    }

    fn next_phase(&mut self, visitor: &mut dyn CallVisitor) {
        match self.phase {
            Phase::Pieces => self.after_pieces(),
            Phase::On => {
                self.held.cut();
                for (call, tape) in self.held.take_pending() {
                    self.keep(call, tape);
                }
                self.next_far();
            }
            Phase::Far(leave) => {
                self.held.cut();
                for (call, tape) in self.held.take_pending() {
                    self.held.play_without_leave(self.records, call, leave, tape, visitor);
                }
                self.next_far();
            }
            Phase::Open => match self.open.pop() {
                Some((call, tape)) => self.held.play_open(self.records, call, tape, visitor),
                None => self.phase = Phase::Done,
            },
            Phase::Done => {}
        }
    }

    /// Decides for each call that is open where its end is.
    fn after_pieces(&mut self) {
        let limit = self.end + BEYOND;
        let is_end = self.ended || self.end >= self.records.index.end;
        self.held.cut();
        for (call, tape) in self.held.take_pending() {
            let at = tape.at;
            let is_soon = self.records.far_leave(at).is_none_or(|leave| leave < limit);
            // One that is not listed at all was nested too deep to be shown. It may return soon, or
            // never.
            if is_soon && !is_end && self.records.open_at(at).is_none() {
                self.held.hold(call, tape);
            } else {
                self.keep(call, tape);
            }
        }
        self.held.reads_on_to = Some(limit);
        self.phase = Phase::On;
    }

    /// Keeps a call for when its LEAVE event is read, or for the end if it never returned.
    fn keep(&mut self, call: u64, tape: Box<Tape>) {
        match self.records.far_leave(tape.at) {
            Some(leave) => {
                self.far.push(Returning { leave, call, tape });
                self.is_sorted = false;
            }
            None => self.open.push((call, tape)),
        }
    }

    /// Begins with the next far LEAVE event, or ends the pass.
    fn next_far(&mut self) {
        if !core::mem::replace(&mut self.is_sorted, true) {
            let order = sort::order(self.far.len(), &[&|at| self.far.get(at).map_or(0, |far| !far.leave.0)]);
            self.far = sort::in_order(core::mem::take(&mut self.far), &order);
        }
        let Some(Returning { leave, call, tape }) = self.far.pop() else {
            let order = sort::order(self.open.len(), &[&|at| self.open.get(at).map_or(0, |(call, _)| !*call)]);
            self.open = sort::in_order(core::mem::take(&mut self.open), &order);
            self.phase = Phase::Open;
            return;
        };
        let index = &self.records.index;
        self.held.hold(call, tape);
        self.held.reads_on_to = Some(StreamOffset(u64::MAX));
        self.walk = Walk::resume(index.header.clone().into_owned(), leave, 0);
        self.source.seek(index, leave);
        self.ended = false;
        self.phase = Phase::Far(leave);
    }

    /// Offset in the file up to which bytes are needed, as far as is known.
    fn bound(&self) -> u64 {
        if self.gone {
            return 0;
        }
        let index = &self.records.index;
        let wanted = match self.phase {
            Phase::Pieces => self.end,
            Phase::On => self.end + BEYOND,
            Phase::Far(leave) => leave + 1,
            Phase::Open | Phase::Done => StreamOffset(0),
        };
        let bound = index.access.file_bound(wanted).unwrap_or(index.file_end);
        match self.source.file_at() {
            // An event may extend beyond what was wanted; a piece does not.
            Some(at) if at >= bound && self.phase != Phase::Pieces => at.saturating_add(STEP).min(index.file_end),
            _ => bound,
        }
    }
}

impl CallPass<'_> {
    fn wanted(&self) -> Option<Range> {
        let at = self.source.file_at();
        let needs = matches!(self.phase, Phase::Pieces | Phase::On | Phase::Far(_)) && at.is_some();
        let at = at.unwrap_or(0);
        let len = if needs { self.bound().saturating_sub(at) } else { 0 };
        (self.phase != Phase::Done).then_some(Range { at, len })
    }

    fn finish(&mut self, rest: &[u8], visitor: &mut dyn CallVisitor) -> Result<()> {
        let mut visitor = Insatiable(visitor);
        self.source.last();
        let used = self.run(rest, &mut visitor);
        self.gone = true;
        // What the decompressor did not take is an incomplete part of the container.
        let result = used.and_then(|_| self.run(&[], &mut visitor));
        self.phase = Phase::Done;
        result.map(|_| ())
    }
}

impl Pass<Calls> for CallPass<'_> {
    fn want(&self) -> Option<Range> {
        self.wanted()
    }

    fn push(&mut self, bytes: &[u8], visitor: &mut (dyn CallVisitor + '_)) -> Result<usize> {
        self.run(bytes, visitor)
    }

    fn end(&mut self, rest: &[u8], visitor: &mut (dyn CallVisitor + '_)) -> Result<()> {
        self.finish(rest, visitor)
    }
}

impl Pass for CallPass<'_> {
    fn want(&self) -> Option<Range> {
        self.wanted()
    }

    fn push(&mut self, bytes: &[u8], visitor: &mut (dyn Visitor + '_)) -> Result<usize> {
        self.run(bytes, &mut ToFields(visitor))
    }

    fn end(&mut self, rest: &[u8], visitor: &mut (dyn Visitor + '_)) -> Result<()> {
        self.finish(rest, &mut ToFields(visitor))
    }
}

/// A visitor that is never full.
struct Insatiable<'a>(&'a mut dyn CallVisitor);

impl CallVisitor for Insatiable<'_> {
    fn may_want(&mut self, name: &str, keys: &mut dyn Iterator<Item = &str>) -> bool {
        self.0.may_want(name, keys)
    }

    fn begin(&mut self, record: &Record<'_>) -> bool {
        self.0.begin(record)
    }

    fn call(&mut self, call: &Call<'_>) {
        self.0.call(call);
    }

    fn extent(&self) -> Extent {
        self.0.extent()
    }
}
