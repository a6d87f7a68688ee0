//! The sink that passes calls to a visitor. A call is passed on when it returns, because it has its
//! results then.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range as Numbers;

use unspool_trace::records::{Extent, Record, RecordName};

use super::Located;
use super::call::{Call, CallVisitor};
use super::decode::Sink;
use super::index::ApitraceRecords;
use super::pending::Pending;
use super::records::{Bytes, Enter, Nest, Scalar};
use super::tables::Tables;
use super::tape::{Keeps, Tape, Tapes};
use super::wire::StreamOffset;

/// Limit for the number of open calls whose values are kept. A file of a megabyte can hold a
/// hundred million.
const MAX_OPEN: usize = 1 << 18;
/// Limit for the values of all open calls together, in bytes. Further calls are passed on without
/// values.
const MAX_HELD: usize = 256 << 20;

/// The current event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Current {
    /// Between two events, or in one of a call that is not wanted.
    #[default]
    None,
    /// The ENTER event of this call.
    Enter(u64),
    /// The LEAVE event of this call, which begins at this offset of the stream.
    Leave(u64, StreamOffset),
}

/// What [`Fields`] keeps from one portion to the next.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// The calls that are wanted, by number.
    pub(super) rows: Numbers<u64>,
    /// Limit for a blob that is shown, in bytes.
    payload: usize,
    /// The extent to which the visitor needs them.
    pub(super) extent: Extent,
    /// The wanted calls that have begun and not returned.
    pub(super) pending: Pending<Box<Tape>>,
    tapes: Tapes,
    /// The tape of the current event; empty if there is none.
    tape: Box<Tape>,
    current: Current,
    /// Approximate memory of the values of pending calls, in bytes.
    bytes: usize,
    /// Number of the frame of the latest call that returned. LEAVE events come in stream order, so
    /// it only ascends.
    frame: usize,
    /// Whether calls of a function can be wanted, by its number, as far as that is known.
    functions: Vec<Option<bool>>,
    /// All wanted calls have begun: the walk ends when they have returned, or at this offset of the
    /// stream.
    pub(super) reads_on_to: Option<StreamOffset>,
    /// Offset in the stream of the end of the latest event.
    at: StreamOffset,
}

impl Held {
    /// For the calls `rows`. The first begins at offset `at` of the stream.
    pub(super) fn new(records: &ApitraceRecords, rows: Numbers<u64>, at: StreamOffset) -> Self {
        let payload = usize::try_from(records.index.payload).unwrap_or(usize::MAX);
        Self { rows, payload, frame: records.frame_of(at), at, ..Self::default() }
    }

    /// Whether nothing more is to be read.
    pub(super) fn is_over(&self) -> bool {
        self.reads_on_to.is_some_and(|limit| self.pending.len() == 0 || self.at >= limit)
    }

    /// The stream ends inside the current event: what it says of its call is forgotten, except for
    /// the arguments of an ENTER event that are complete. The call is then pending.
    pub(super) fn cut(&mut self) {
        let call = match core::mem::take(&mut self.current) {
            Current::None => return,
            Current::Enter(call) => {
                self.tape.forget_incomplete();
                call
            }
            Current::Leave(call, _) => {
                self.tape.forget_leave();
                call
            }
        };
        let tape = core::mem::replace(&mut self.tape, self.tapes.take());
        self.hold(call, tape);
    }

    /// Takes all calls that are pending.
    pub(super) fn take_pending(&mut self) -> Vec<(u64, Box<Tape>)> {
        self.bytes = 0;
        self.pending.drain().collect()
    }

    /// A call is pending.
    pub(super) fn hold(&mut self, call: u64, tape: Box<Tape>) {
        self.bytes += tape.size();
        self.pending.push(call, tape);
    }

    /// Passes on a call that did not return within the trace.
    pub(super) fn play_open(
        &mut self,
        records: &ApitraceRecords,
        call: u64,
        tape: Box<Tape>,
        visitor: &mut dyn CallVisitor,
    ) {
        let frame = records.frame_of_open(call);
        self.play(records, Shown { call, frame, incomplete: true }, tape, visitor);
    }

    /// Passes on a call whose LEAVE event at offset `leave` of the stream could not be read.
    pub(super) fn play_without_leave(
        &mut self,
        records: &ApitraceRecords,
        call: u64,
        leave: StreamOffset,
        mut tape: Box<Tape>,
        visitor: &mut dyn CallVisitor,
    ) {
        tape.shortened = true;
        let frame = records.frame_of(leave) as u64;
        self.play(records, Shown { call, frame, incomplete: false }, tape, visitor);
    }

    fn play(&mut self, records: &ApitraceRecords, shown: Shown, mut tape: Box<Tape>, visitor: &mut dyn CallVisitor) {
        play(records, shown, &mut tape, visitor);
        tape.clear();
        self.tapes.put(tape);
    }
}

/// The sink.
pub(super) struct Fields<'a> {
    pub(super) held: &'a mut Held,
    pub(super) records: &'a ApitraceRecords,
    pub(super) visitor: &'a mut dyn CallVisitor,
}

impl Fields<'_> {
    /// Passes on the current call.
    fn play_current(&mut self, call: u64, frame: u64) {
        let held = &mut *self.held;
        play(self.records, Shown { call, frame, incomplete: false }, &mut held.tape, self.visitor);
        held.tape.clear();
    }

    fn is_wanted(&self) -> bool {
        self.held.current != Current::None
    }

    /// Whether the visitor can want calls of a function: the values of others are skipped.
    fn may_want(&mut self, tables: &Tables, number: u32) -> bool {
        let at = number as usize;
        if let Some(Some(known)) = self.held.functions.get(at) {
            return *known;
        }
        let Some(function) = tables.functions.get(number) else { return true };
        // What a call has besides its arguments. Arguments beyond those of the signature are
        // `argument N`.
        let others = ["call", "thread", "frame", "ret", "flags", "backtrace", "argument"];
        let keys = self.records.keys(number);
        let keys = keys.into_iter().flat_map(|keys| (0..keys.len()).filter_map(|i| keys.get(i)));
        let wanted = self.visitor.may_want(&function.name, &mut others.into_iter().chain(keys));
        if self.held.functions.len() <= at {
            self.held.functions.resize(at + 1, None);
        }
        if let Some(known) = self.held.functions.get_mut(at) {
            *known = Some(wanted);
        }
        wanted
    }
}

impl Sink for Fields<'_> {
    const REPEAT: bool = true;

    fn again(&mut self) {
        let held = &mut *self.held;
        match core::mem::take(&mut held.current) {
            Current::None => {}
            Current::Enter(_) => held.tape.forget(),
            Current::Leave(call, _) => {
                held.tape.forget_leave();
                let empty = held.tapes.take();
                let tape = core::mem::replace(&mut held.tape, empty);
                held.bytes += tape.size();
                held.pending.put_back(call, tape);
            }
        }
    }

    fn is_full(&self) -> bool {
        self.held.is_over() || self.visitor.is_full()
    }

    fn enter(&mut self, tables: &Tables, enter: Enter) {
        let is_wanted = self.held.rows.contains(&enter.call) && self.may_want(tables, enter.function);
        let held = &mut *self.held;
        if is_wanted {
            held.current = Current::Enter(enter.call);
            let digests = held.extent == Extent::Digested;
            held.tape.begin(enter, Keeps { no_values: held.bytes >= MAX_HELD, digests });
        }
    }

    fn leave(&mut self, _tables: &Tables, at: StreamOffset, call: u64) {
        let held = &mut *self.held;
        if let Some(tape) = held.pending.take(call) {
            held.bytes = held.bytes.saturating_sub(tape.size());
            let empty = core::mem::replace(&mut held.tape, tape);
            held.tapes.put(empty);
            held.tape.begin_leave();
            held.current = Current::Leave(call, at);
        }
    }

    fn event_end(&mut self, _tables: &Tables, end: StreamOffset) {
        let held = &mut *self.held;
        held.at = end;
        match core::mem::take(&mut held.current) {
            Current::None => {}
            Current::Enter(call) if held.pending.len() < MAX_OPEN => {
                let empty = held.tapes.take();
                let tape = core::mem::replace(&mut held.tape, empty);
                held.hold(call, tape);
            }
            Current::Enter(call) => {
                held.tape.shortened = true;
                let frame = self.records.frame_of(end) as u64;
                self.play_current(call, frame);
            }
            Current::Leave(call, at) => {
                let frames = &self.records.index.frames;
                while frames.get(held.frame).is_some_and(|frame| frame.end <= at) {
                    held.frame += 1;
                }
                let frame = held.frame as u64;
                self.play_current(call, frame);
            }
        }
    }

    fn flags(&mut self, flags: u64) {
        if self.is_wanted() {
            self.held.tape.flags(flags);
        }
    }

    fn backtrace(&mut self) {
        if self.is_wanted() {
            self.held.tape.backtrace();
        }
    }

    fn frame(&mut self, _tables: &Tables, frame: u32) {
        if self.is_wanted() {
            self.held.tape.frame(frame);
        }
    }

    fn argument(&mut self, _tables: &Tables, index: u32) {
        if self.is_wanted() {
            self.held.tape.argument(index);
        }
    }

    fn result(&mut self) {
        if self.is_wanted() {
            self.held.tape.result();
        }
    }

    fn scalar(&mut self, _tables: &Tables, value: Scalar) {
        if self.is_wanted() {
            self.held.tape.scalar(value);
        }
    }

    fn begin_bytes(&mut self, _tables: &Tables, kind: Bytes, len: u64) {
        if self.is_wanted() {
            self.held.tape.begin_bytes(kind, len);
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if self.is_wanted() {
            let limit = if self.held.extent == Extent::Held { usize::MAX } else { self.held.payload };
            self.held.tape.bytes(bytes, limit);
        }
    }

    fn unit(&mut self, unit: u32) {
        if self.is_wanted() {
            self.held.tape.unit(unit);
        }
    }

    fn end_bytes(&mut self) {
        if self.is_wanted() {
            self.held.tape.end_bytes();
        }
    }

    fn open(&mut self, _tables: &Tables, nest: Nest) {
        if self.is_wanted() {
            self.held.tape.open(nest);
        }
    }

    fn close(&mut self, _tables: &Tables) {
        if self.is_wanted() {
            self.held.tape.close();
        }
    }
}

/// What a tape does not say about its call.
#[derive(Clone, Copy, Debug)]
struct Shown {
    call: u64,
    /// Number of the frame that it belongs to.
    frame: u64,
    /// It never returned within the trace.
    incomplete: bool,
}

/// Passes a call on, if the visitor wants it.
fn play(records: &ApitraceRecords, shown: Shown, tape: &mut Tape, visitor: &mut dyn CallVisitor) {
    let tables: &Tables = &records.index.tables;
    let Some(function) = tables.functions.get(tape.function) else { return };
    let Shown { call: number, frame, incomplete: is_incomplete } = shown;
    let record = Record {
        locator: Located::Call(tape.at).into(),
        lane: 0,
        row: number,
        x: number,
        track: records.track(tape.thread),
        name: RecordName::Text(&function.name),
    };
    if !visitor.begin(&record) {
        return;
    }
    tape.sort();
    let rendered = records.rendered(function.flags, tape.thread, number);
    let keys = records.keys(tape.function);
    visitor.call(&Call { number, frame, is_incomplete, rendered, function, keys, tables, tape });
}
