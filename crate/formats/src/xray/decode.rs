//! The state machines that walk over a log's records: one grammar for events, details and text.
//!
//! A walk is handed bytes in portions and calls a [`Sink`] for each record; it restarts at records and never asks to see
//! more than 32 bytes at once. After a defect it goes on with the next buffer, so that one bad byte costs one buffer.

use crate::error::{Problem, ProblemKind};
use crate::input::Cursor;

use super::wire::{
    BASIC_LEN, Basic, EXTENTS, FUNCTION_LEN, FunctionKind, HEADER_LEN, METADATA_LEN, Metadata, NEW_BUFFER,
    function_record,
};

/// Where a buffer's records can be taken up again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Absolute offset of a record.
    pub(crate) at: u64,
    /// Absolute offset of the end of its buffer.
    pub(crate) end: u64,
    /// Clock before that record.
    pub(crate) clock: u64,
    /// Process and thread.
    pub(crate) pid: i32,
    pub(crate) tid: i32,
    /// CPU at that record.
    pub(crate) cpu: u16,
}

/// A function record with what the walk knows at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) at: u64,
    pub(crate) kind: FunctionKind,
    pub(crate) func: i32,
    pub(crate) clock: u64,
    pub(crate) cpu: u16,
}

/// A custom or typed event, before its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) at: u64,
    pub(crate) clock: u64,
    pub(crate) cpu: u16,
    /// Bytes of payload that the record announces.
    pub(crate) size: u32,
    /// Number of the type; a custom event has none.
    pub(crate) kind: Option<u16>,
}

/// What a walk tells.
pub(crate) trait Sink {
    /// The sink cannot take more now: the walk stops behind the record at hand.
    fn is_full(&self) -> bool;
    /// A buffer's records begin, or those of another thread within it. Answers the clock to begin with (`clock` where it is
    /// known), or nothing if the buffer is to be passed over.
    fn buffer(&mut self, place: Place, clock: Option<u64>) -> Option<u64>;
    /// A place within a buffer, every [`PLACE_EVERY`] bytes.
    fn place(&mut self, place: Place);
    /// From here on the records are of this thread (basic mode).
    fn thread(&mut self, pid: i32, tid: i32, at: u64);
    fn function(&mut self, function: Function);
    /// An argument of the enter that was told last.
    fn argument(&mut self, value: u64);
    fn event(&mut self, event: Event);
    /// A portion of the payload of the event that was told last.
    fn payload(&mut self, bytes: &[u8]);
    fn problem(&mut self, problem: Problem);
    /// Records of the thread at hand are missing.
    fn lost(&mut self, at: u64);
}

/// How far apart places lie in a large buffer: what a click decodes at most.
pub(crate) const PLACE_EVERY: u64 = 256 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// At the BufferExtents record of the next buffer.
    Extents,
    /// At a record of a buffer.
    Records,
    /// In the payload of an event.
    Payload { size: u32, left: u32 },
    /// Passing over the rest of the buffer.
    Skip,
    /// Looking for the next BufferExtents record; `from` is where the nonsense began.
    Resync { from: u64 },
}

/// Walks over FDR version 5.
#[derive(Clone, Debug)]
pub(crate) struct FdrWalk {
    state: State,
    at: u64,
    buffer: Place,
    size: Option<u64>,
    /// The buffer's clock is known.
    clocked: bool,
    /// The sink has been told of the buffer.
    told: bool,
    /// The record before was an enter or one of its arguments.
    after_enter: bool,
    next_place: u64,
    /// Bytes by which the buffer's extents go beyond the end of the file.
    missing: u64,
    /// Stop behind the buffer at hand.
    one_buffer: bool,
}

impl FdrWalk {
    /// A walk that begins behind the file header. `size` is that of the file, where it is known.
    pub(crate) fn new(size: Option<u64>) -> Self {
        Self {
            state: State::Extents,
            at: HEADER_LEN,
            buffer: Place { at: HEADER_LEN, end: HEADER_LEN, clock: 0, pid: 0, tid: 0, cpu: 0 },
            size,
            clocked: false,
            told: false,
            after_enter: false,
            next_place: u64::MAX,
            missing: 0,
            one_buffer: false,
        }
    }

    /// A walk that begins at a place in a buffer, for which [`Sink::buffer`] is not called, and ends with that buffer.
    pub(crate) fn resume(place: Place) -> Self {
        Self {
            state: State::Records,
            at: place.at,
            buffer: place,
            clocked: true,
            told: true,
            one_buffer: true,
            ..Self::new(None)
        }
    }

    /// Between two buffers.
    pub(crate) fn is_between(&self) -> bool {
        matches!(self.state, State::Extents)
    }

    /// Walks over `input`, which lies at [`FdrWalk::at`]; answers how much of it is used up. What is left is less than a
    /// record unless the sink is full.
    pub(crate) fn run(&mut self, input: &[u8], sink: &mut impl Sink) -> usize {
        let mut c = Cursor::new(input, self.at);
        while !(sink.is_full() || self.one_buffer && self.is_between()) && self.step(&mut c, sink) {}
        // Also when the sink is full: who waits for more bytes must not wait for those of a buffer that is over.
        if self.state == State::Records && c.at() >= self.buffer.end {
            self.finish_buffer(c.at(), 0, sink);
        }
        self.at = c.at();
        input.len() - c.len()
    }

    /// Says that the file ends behind `rest`, which the last [`FdrWalk::run`] left over.
    pub(crate) fn end(&mut self, rest: &[u8], sink: &mut impl Sink) {
        let eof = self.at.saturating_add(rest.len() as u64);
        let problem = match self.state {
            State::Extents if rest.is_empty() => return,
            State::Extents => {
                Problem { at: eof, kind: ProblemKind::Truncated, value: METADATA_LEN as u64 - rest.len() as u64 }
            }
            State::Resync { from } => Problem { at: from, kind: ProblemKind::Malformed, value: eof - from },
            State::Records if self.buffer.end == eof && self.missing == 0 => return,
            State::Records | State::Payload { .. } | State::Skip => {
                let value = (self.buffer.end - eof).saturating_add(self.missing);
                Problem { at: eof, kind: ProblemKind::Truncated, value }
            }
        };
        self.state = State::Extents;
        sink.problem(problem);
    }

    /// One record, or a run of function records. False when it takes more bytes.
    fn step(&mut self, c: &mut Cursor<'_>, sink: &mut impl Sink) -> bool {
        match self.state {
            State::Extents => self.extents(c),
            State::Records => self.records(c, sink),
            State::Payload { size, left } => self.payload(size, left, c, sink),
            State::Skip => {
                c.take_up_to(self.buffer.end - c.at());
                let done = c.at() == self.buffer.end;
                if done {
                    self.finish_buffer(c.at(), 0, sink);
                }
                done
            }
            State::Resync { from } => {
                // Look for the first two records of a buffer.
                while let Some([first, .., second]) = c.peek_array::<{ METADATA_LEN + 1 }>() {
                    if *first == EXTENTS && *second == NEW_BUFFER {
                        sink.problem(Problem { at: from, kind: ProblemKind::Malformed, value: c.at() - from });
                        self.state = State::Extents;
                        return true;
                    }
                    c.take_up_to(1);
                }
                false
            }
        }
    }

    fn extents(&mut self, c: &mut Cursor<'_>) -> bool {
        let at = c.at();
        let Some(bytes) = c.peek_array::<METADATA_LEN>() else { return false };
        let Ok(Metadata::Extents { len }) = Metadata::parse(bytes) else {
            self.state = State::Resync { from: at };
            return true;
        };
        c.take_up_to(METADATA_LEN as u64);
        let whole = c.at().saturating_add(len);
        // An end beyond the end of the file is a file that was cut, or nonsense: said when the end is reached.
        let end = whole.min(self.size.map_or(u64::MAX, |size| size.max(c.at())));
        self.missing = whole - end;
        self.buffer = Place { at, end, clock: 0, pid: 0, tid: 0, cpu: 0 };
        (self.clocked, self.told, self.after_enter) = (false, false, false);
        self.state = State::Records;
        self.next_place = c.at().saturating_add(PLACE_EVERY);
        true
    }

    /// The buffer at hand is over; `cut` bytes of a record that it broke off in have been passed over.
    fn finish_buffer(&mut self, at: u64, cut: u64, sink: &mut impl Sink) {
        self.state = State::Extents;
        if self.missing > 0 {
            sink.problem(Problem { at, kind: ProblemKind::Truncated, value: self.missing });
            self.missing = 0;
        } else if cut > 0 {
            sink.problem(Problem { at: at - cut, kind: ProblemKind::CutBuffer, value: cut });
            sink.lost(at);
        }
    }

    fn records(&mut self, c: &mut Cursor<'_>, sink: &mut impl Sink) -> bool {
        let left = self.buffer.end.saturating_sub(c.at());
        if left == 0 {
            self.finish_buffer(c.at(), 0, sink);
            return true;
        }
        if c.at() >= self.next_place && self.told {
            self.next_place = c.at().saturating_add(PLACE_EVERY);
            sink.place(Place { at: c.at(), ..self.buffer });
        }
        let Some(first) = c.peek() else { return false };
        let is_function = first & 1 == 0;
        let len = if is_function { FUNCTION_LEN } else { METADATA_LEN } as u64;
        if left < len {
            // Today's writer counts the payload of a typed event into the extents, but not its 16 bytes of record: such a
            // buffer ends that much too early, often within a record.
            if (c.len() as u64) < left {
                return false;
            }
            c.take_up_to(left);
            self.finish_buffer(c.at(), left, sink);
            return true;
        }
        if is_function { self.functions(c, sink) } else { self.metadata(c, sink) }
    }

    fn payload(&mut self, size: u32, left: u32, c: &mut Cursor<'_>, sink: &mut impl Sink) -> bool {
        let here = c.take_up_to(u64::from(left).min(self.buffer.end - c.at()));
        sink.payload(here);
        let left = left - here.len() as u32;
        if left == 0 {
            self.state = State::Records;
        } else if c.at() == self.buffer.end {
            // The payload that is there has been told; only what is missing is lost.
            self.finish_buffer(c.at(), u64::from(size - left), sink);
        } else {
            self.state = State::Payload { size, left };
            return false;
        }
        true
    }

    /// Function records are nearly all there is: a loop of their own, without a look at anything else.
    fn functions(&mut self, c: &mut Cursor<'_>, sink: &mut impl Sink) -> bool {
        if !self.tell(c.at(), sink) {
            return true;
        }
        let stop = self.buffer.end.min(self.next_place.max(c.at() + 1));
        let mut clock = self.buffer.clock;
        let mut more = true;
        while c.at() < stop {
            let Some(bytes) = c.peek_array::<FUNCTION_LEN>() else {
                more = false;
                break;
            };
            let (kind, func, delta) = function_record(bytes);
            if bytes.first().is_none_or(|b| b & 1 != 0) || self.buffer.end - c.at() < FUNCTION_LEN as u64 {
                break;
            }
            let Some(kind) = FunctionKind::from_bits(kind) else {
                self.buffer.clock = clock;
                return self.malformed(c.at(), sink);
            };
            clock = clock.wrapping_add(delta.into());
            self.after_enter = kind.is_enter();
            sink.function(Function { at: c.at(), kind, func: func as i32, clock, cpu: self.buffer.cpu });
            c.take_up_to(FUNCTION_LEN as u64);
            if sink.is_full() {
                break;
            }
        }
        self.buffer.clock = clock;
        more
    }

    fn metadata(&mut self, c: &mut Cursor<'_>, sink: &mut impl Sink) -> bool {
        let at = c.at();
        let Some(bytes) = c.peek_array::<METADATA_LEN>() else { return false };
        let Ok(record) = Metadata::parse(bytes) else { return self.malformed(at, sink) };
        if let Metadata::Extents { .. } = record {
            // The buffer before said that it was longer than it is.
            sink.problem(Problem { at, kind: ProblemKind::Malformed, value: 0 });
            sink.lost(at);
            self.state = State::Extents;
            return true;
        }
        let sized = match record {
            Metadata::Custom { size, .. } | Metadata::Typed { size, .. } => Some(u32::try_from(size)),
            _ => None,
        };
        if let Some(Err(_)) = sized {
            return self.malformed(at, sink);
        }
        c.take_up_to(METADATA_LEN as u64);
        let after_enter = core::mem::take(&mut self.after_enter);
        match record {
            Metadata::NewBuffer { tid } => {
                self.buffer.tid = tid;
                (self.clocked, self.told) = (false, false);
            }
            Metadata::Pid { pid } => self.buffer.pid = pid,
            Metadata::NewCpu { cpu, clock } => {
                self.buffer.cpu = cpu;
                self.set_clock(clock, c.at(), sink);
            }
            Metadata::ClockWrap { clock } => self.set_clock(clock, c.at(), sink),
            Metadata::WallTime { .. } | Metadata::Extents { .. } => {}
            Metadata::Argument { value } => {
                if after_enter {
                    self.after_enter = true;
                    sink.argument(value);
                } else {
                    sink.problem(Problem { at, kind: ProblemKind::StrayArgument, value });
                }
            }
            Metadata::Custom { size, delta } => self.event(at, size, delta, None, sink),
            Metadata::Typed { size, delta, kind } => self.event(at, size, delta, Some(kind), sink),
        }
        true
    }

    fn event(&mut self, at: u64, size: i32, delta: i32, kind: Option<u16>, sink: &mut impl Sink) {
        if !self.tell(at, sink) {
            return;
        }
        self.buffer.clock = self.buffer.clock.wrapping_add_signed(delta.into());
        let size = size.unsigned_abs();
        sink.event(Event { at, clock: self.buffer.clock, cpu: self.buffer.cpu, size, kind });
        self.state = State::Payload { size, left: size };
    }

    fn set_clock(&mut self, clock: u64, next: u64, sink: &mut impl Sink) {
        self.buffer.clock = clock;
        self.clocked = true;
        if !self.told {
            self.tell(next, sink);
        }
    }

    /// Tells the sink of the buffer, once its first clock is known or records come without one. False if the sink passes
    /// it over; the state says so then.
    fn tell(&mut self, at: u64, sink: &mut impl Sink) -> bool {
        if self.told {
            return true;
        }
        self.told = true;
        if !self.clocked {
            sink.problem(Problem { at, kind: ProblemKind::BadPreamble, value: 0 });
        }
        let place = Place { at, ..self.buffer };
        match sink.buffer(place, self.clocked.then_some(self.buffer.clock)) {
            Some(clock) => self.buffer.clock = clock,
            None => {
                self.state = State::Skip;
                return false;
            }
        }
        true
    }

    /// What stands here is no record: the rest of the buffer is left out, or, if its end is in doubt, all up to where
    /// another buffer begins.
    fn malformed(&mut self, at: u64, sink: &mut impl Sink) -> bool {
        sink.lost(at);
        if self.missing > 0 {
            self.missing = 0;
            self.state = State::Resync { from: at };
        } else {
            sink.problem(Problem { at, kind: ProblemKind::Malformed, value: self.buffer.end - at });
            self.state = State::Skip;
        }
        true
    }
}

/// Walks over basic mode, version 3.
#[derive(Clone, Debug)]
pub(crate) struct BasicWalk {
    at: u64,
    /// Function, thread and process of the enter directly before.
    enter: Option<(i32, u32, u32)>,
    thread: Option<(u32, u32)>,
}

impl BasicWalk {
    /// A walk that begins at a record.
    pub(crate) fn new(at: u64) -> Self {
        Self { at, enter: None, thread: None }
    }

    /// Walks over `input`; answers how much of it is used up.
    pub(crate) fn run(&mut self, input: &[u8], sink: &mut impl Sink) -> usize {
        let mut c = Cursor::new(input, self.at);
        while !sink.is_full()
            && let Some(bytes) = c.peek_array::<BASIC_LEN>()
        {
            self.record(c.at(), bytes, sink);
            c.take_up_to(BASIC_LEN as u64);
        }
        self.at = c.at();
        input.len() - c.len()
    }

    /// Says that the file ends behind `rest`.
    pub(crate) fn end(&mut self, rest: &[u8], sink: &mut impl Sink) {
        if !rest.is_empty() {
            let at = self.at.saturating_add(rest.len() as u64);
            let value = (BASIC_LEN - rest.len() % BASIC_LEN) as u64;
            sink.problem(Problem { at, kind: ProblemKind::Truncated, value });
        }
    }

    fn record(&mut self, at: u64, bytes: &[u8; BASIC_LEN], sink: &mut impl Sink) {
        let enter = self.enter.take();
        match Basic::parse(bytes) {
            Ok(Basic::Function { cpu, kind: Ok(kind), func, clock, tid, pid }) => {
                if self.thread != Some((tid, pid)) {
                    self.thread = Some((tid, pid));
                    sink.thread(pid as i32, tid as i32, at);
                }
                self.enter = kind.is_enter().then_some((func, tid, pid));
                sink.function(Function { at, kind, func, clock, cpu: cpu.into() });
            }
            Ok(Basic::Argument { func, tid, pid, value }) if enter == Some((func, tid, pid)) => sink.argument(value),
            Ok(Basic::Argument { value, .. }) => sink.problem(Problem { at, kind: ProblemKind::StrayArgument, value }),
            Ok(Basic::Function { kind: Err(_), .. }) | Err(_) => {
                sink.problem(Problem { at, kind: ProblemKind::Malformed, value: BASIC_LEN as u64 });
            }
        }
    }
}
