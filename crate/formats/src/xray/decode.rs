//! The walk over the records of FDR mode, and the sink that all walks feed: one grammar for events,
//! details and text.
//!
//! A walk takes bytes in portions and calls a [`Sink`] for each record. It restarts at records and
//! needs at most 80 bytes at once, and a buffer as a whole that begins as an earlier one did:
//! copies are left out here, so no sink sees them. After a defect it continues with the next
//! buffer, so one bad byte costs one buffer.

use alloc::boxed::Box;

use unspool_trace::input::Cursor;
use unspool_trace::problem::{MALFORMED, Problem, TRUNCATED};

use super::checkpoints::{CHECKPOINT_EVERY, Checkpoint};
use super::copies::{COMPARED, Copies, Hash, Known, PREAMBLE, begin_with, key};
use super::problems::{BAD_PREAMBLE, COPIED_BUFFER, CUT_BUFFER, OVERWRITTEN_PAYLOAD, STRAY_ARGUMENT, WRONG_EXTENTS};
use super::wire::{EventTime, FUNCTION_LEN, FunctionKind, HEADER_LEN, Header, METADATA_LEN, Metadata, Wire};

/// A function record, with the state of the walk at that record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// Absolute offset of the record.
    pub(crate) at: u64,
    pub(crate) kind: FunctionKind,
    /// Function id.
    pub(crate) func: i32,
    /// Absolute time in ticks.
    pub(crate) clock: u64,
    pub(crate) cpu: u16,
}

/// A custom or typed event, before its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// Absolute offset of the record.
    pub(crate) at: u64,
    /// Absolute time in ticks.
    pub(crate) clock: u64,
    pub(crate) cpu: u16,
    /// Length of the payload in bytes, as the record gives it.
    pub(crate) size: u32,
    /// Number of the type; `None` for a custom event.
    pub(crate) kind: Option<u16>,
    /// The records that follow have overwritten the payload; [`Sink::payload`] is not called.
    pub(crate) overwritten: bool,
}

/// What a sink took of a run of function records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    /// Number of records; at least 1.
    pub(crate) count: usize,
    /// Clock and kind of the last one.
    pub(crate) clock: u64,
    pub(crate) kind: FunctionKind,
}

/// Receives what a walk finds.
pub(crate) trait Sink {
    /// Whether the walk must stop after the current record.
    fn is_full(&self) -> bool;
    /// A buffer's records begin at `start`, or those of another thread within the buffer. `clock`
    /// is its first clock, if known. Returns the clock to begin with, or `None` to skip the buffer.
    fn buffer(&mut self, start: Checkpoint, clock: Option<u64>) -> Option<u64>;
    /// Seconds and microseconds since boot, before [`Sink::buffer`] of the buffer that they are
    /// about.
    fn wall_time(&mut self, _seconds: i64, _micros: i32) {}
    /// Decoding can resume here; called every [`CHECKPOINT_EVERY`] bytes within a buffer.
    fn checkpoint(&mut self, _checkpoint: Checkpoint) {}
    /// The next records belong to this thread (basic mode and YAML).
    fn thread(&mut self, _pid: i32, _tid: i32, _at: u64) {}
    /// The name of a function, if the log records it; called before the function's records.
    fn name(&mut self, _func: i32, _name: &str) {}
    fn function(&mut self, function: Function);
    /// A record that the log has already (basic mode).
    fn copied(&mut self, function: Function) {
        self.function(function);
    }
    /// Takes leading records of `records`, if the sink has a faster way than one by one. They are
    /// little-endian, back-to-back from absolute offset `at`, follow a record at `clock`, and are
    /// all of `cpu`. Returns `None` if the first one needs [`Sink::function`].
    fn functions(&mut self, _records: &[[u8; FUNCTION_LEN]], _at: u64, _clock: u64, _cpu: u16) -> Option<Taken> {
        None
    }
    /// An argument of the last enter.
    fn argument(&mut self, _value: u64) {}
    fn event(&mut self, event: Event);
    /// A portion of the last event's payload.
    fn payload(&mut self, _bytes: &[u8]) {}
    fn problem(&mut self, _problem: Problem) {}
    /// Records of the current thread are missing, as found at absolute offset `at`.
    fn lost(&mut self, _at: u64) {}
}

/// Number of bytes after an event that decide whether they are its payload.
const JUDGED: u64 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Between two buffers: at the BufferExtents record of the next, or, in version 1, at its first
    /// record.
    Extents,
    /// At the first record of a buffer, which may be a copy.
    Preamble,
    /// Passing over what an earlier buffer has as well, up to this absolute offset.
    Copy { until: u64 },
    /// At a record of a buffer.
    Records,
    /// In the payload of an event of `size` bytes, `left` of which are still to come.
    Payload { size: u32, left: u32 },
    /// Skipping the rest of the buffer, stale bytes included.
    Skip,
    /// Looking for the next BufferExtents record; the invalid bytes began at `from`.
    Resync { from: u64 },
}

/// Walks over FDR mode, all versions.
#[derive(Clone, Debug)]
pub(crate) struct FdrWalk {
    wire: Wire,
    /// Size of every buffer of version 1, in bytes.
    buffer_size: u64,
    state: State,
    at: u64,
    buffer: Checkpoint,
    size: Option<u64>,
    /// The buffer's clock is known.
    has_clock: bool,
    /// [`Sink::buffer`] has been called for the buffer.
    announced: bool,
    /// The previous record was an enter or one of its arguments.
    after_enter: bool,
    next_checkpoint: u64,
    /// Bytes by which the buffer's extents go beyond the end of the file.
    missing: u64,
    /// Absolute offset of the end of the buffer's bytes, stale ones included.
    bytes_end: u64,
    /// The next function record is the buffer's first.
    first_function: bool,
    /// Stop after the current buffer.
    one_buffer: bool,
    /// The buffers so far.
    copies: Copies,
    /// The current one, unless it is known.
    print: Option<Box<Print>>,
    /// Absolute offset of the end of the last record of the current buffer that was delivered.
    records_end: u64,
}

/// What is remembered of a buffer while the walk is in it.
#[derive(Clone, Debug)]
struct Print {
    key: u64,
    /// Absolute offsets of its first byte, and of the next one to be hashed.
    start: u64,
    at: u64,
    hash: Hash,
}

impl FdrWalk {
    /// A walk that begins after the file header. `size` is that of the file, if known.
    pub(crate) fn new(header: &Header, size: Option<u64>) -> Self {
        Self {
            wire: header.wire(),
            buffer_size: header.buffer_size,
            state: State::Extents,
            at: HEADER_LEN,
            buffer: Checkpoint { at: HEADER_LEN, end: HEADER_LEN, clock: 0, pid: 0, tid: 0, cpu: 0, first: true },
            size,
            has_clock: false,
            announced: false,
            after_enter: false,
            next_checkpoint: u64::MAX,
            missing: 0,
            bytes_end: HEADER_LEN,
            first_function: false,
            one_buffer: false,
            copies: Copies::default(),
            print: None,
            records_end: HEADER_LEN,
        }
    }

    /// A walk that begins at a checkpoint and ends with its buffer. It does not call
    /// [`Sink::buffer`] for that buffer.
    pub(crate) fn resume(header: &Header, start: Checkpoint) -> Self {
        Self {
            state: State::Records,
            at: start.at,
            buffer: start,
            has_clock: true,
            announced: true,
            one_buffer: true,
            bytes_end: start.end,
            next_checkpoint: start.at.saturating_add(CHECKPOINT_EVERY),
            first_function: start.first,
            ..Self::new(header, None)
        }
    }

    /// Whether the walk is between two buffers.
    pub(crate) fn is_between(&self) -> bool {
        matches!(self.state, State::Extents)
    }

    /// Walks over `input`, which begins where the previous call stopped. Returns the number of
    /// bytes used. The rest is shorter than a record unless the sink is full, or part of a buffer
    /// that may be a copy.
    pub(crate) fn run(&mut self, input: &[u8], sink: &mut impl Sink) -> usize {
        let mut c = Cursor::new(input, self.at);
        while !(sink.is_full() || self.one_buffer && self.is_between()) && self.step(&mut c, sink) {
            if self.print.is_some() && matches!(self.state, State::Extents | State::Resync { .. }) {
                self.remember(input, c.at());
            }
        }
        // Also when the sink is full: a finished buffer must not wait for more bytes.
        if self.state == State::Records && c.at() >= self.buffer.end {
            self.end_records(c.at(), sink);
        }
        self.remember(input, c.at());
        self.at = c.at();
        input.len() - c.len()
    }

    /// Hashes what was used of `input`, up to absolute offset `to`, and keeps the hash at the end
    /// of the buffer.
    fn remember(&mut self, input: &[u8], to: u64) {
        let Some(print) = &mut self.print else { return };
        let from = print.at - self.at;
        let left = (COMPARED - print.hash.len()).min(to - print.at);
        let new = input.get(from as usize..).and_then(|input| input.get(..left as usize));
        print.hash.update(new.unwrap_or_default());
        print.at = to;
        if self.state == State::Extents {
            let known = Known {
                at: self.buffer.at,
                len: to - print.start,
                hash: print.hash.finish(),
                records: self.records_end.clamp(print.start, to) - print.start,
                end: Checkpoint { first: self.first_function, ..self.buffer },
            };
            self.copies.insert(print.key, known);
        }
        if matches!(self.state, State::Extents | State::Resync { .. }) {
            self.print = None;
        }
    }

    /// The file ends after `rest`, which the last [`FdrWalk::run`] did not use.
    pub(crate) fn end(&mut self, mut rest: &[u8], sink: &mut impl Sink) {
        if self.state == State::Preamble {
            // No more bytes will say whether it is a copy.
            self.state = State::Records;
            let mut c = Cursor::new(rest, self.at);
            while self.state != State::Extents && self.step(&mut c, sink) {}
            self.at = c.at();
            rest = c.rest();
        }
        let eof = self.at.saturating_add(rest.len() as u64);
        let problem = match self.state {
            State::Extents if rest.is_empty() => return,
            State::Extents => {
                Problem { at: eof, kind: &TRUNCATED, value: (METADATA_LEN as u64).saturating_sub(rest.len() as u64) }
            }
            State::Resync { from } => Problem { at: from, kind: &MALFORMED, value: eof - from },
            State::Records | State::Skip if self.bytes_end <= eof && self.missing == 0 => return,
            State::Records | State::Payload { .. } | State::Skip | State::Preamble | State::Copy { .. } => {
                let value = self.bytes_end.saturating_sub(eof).saturating_add(self.missing);
                Problem { at: eof, kind: &TRUNCATED, value }
            }
        };
        self.state = State::Extents;
        sink.problem(problem);
    }

    /// Takes one record or a run of function records. Returns false if more bytes are needed.
    fn step(&mut self, c: &mut Cursor<'_>, sink: &mut impl Sink) -> bool {
        match self.state {
            State::Extents => self.extents(c),
            State::Preamble => self.preamble(c, sink),
            State::Copy { until } => {
                c.take_up_to(until.saturating_sub(c.at()));
                let done = c.at() >= until;
                if done {
                    self.state = State::Records;
                }
                done
            }
            State::Records => self.records(c, sink),
            State::Payload { size, left } => self.payload(size, left, c, sink),
            State::Skip => {
                c.take_up_to(self.bytes_end.saturating_sub(c.at()));
                let done = c.at() >= self.bytes_end;
                if done {
                    self.finish_buffer(c.at(), 0, sink);
                }
                done
            }
            State::Resync { from } => {
                // Look for the first two records of a buffer.
                while let Some([first, .., second]) = c.peek_array::<{ METADATA_LEN + 1 }>() {
                    if *first == self.wire.first_byte(7) && *second == self.wire.first_byte(0) {
                        sink.problem(Problem { at: from, kind: &MALFORMED, value: c.at() - from });
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
        let len = if self.wire.version == 1 {
            // Buffers have one size and no extents. Stale bytes follow the EndOfBuffer record.
            if c.is_empty() {
                return false;
            }
            self.buffer_size
        } else {
            let Some(bytes) = c.peek_array::<METADATA_LEN>() else { return false };
            let Ok(Metadata::Extents { len }) = self.wire.metadata(bytes) else {
                self.state = State::Resync { from: at };
                return true;
            };
            c.take_up_to(METADATA_LEN as u64);
            len
        };
        let whole = c.at().saturating_add(len);
        // An end beyond the end of the file means that the file is truncated or the extents are
        // wrong. Only the end shows which.
        let end = whole.min(self.size.map_or(u64::MAX, |size| size.max(c.at())));
        self.missing = whole - end;
        (self.bytes_end, self.first_function) = (end, true);
        self.buffer = Checkpoint { at, end, clock: 0, pid: 0, tid: 0, cpu: 0, first: true };
        (self.has_clock, self.announced, self.after_enter) = (false, false, false);
        self.state = State::Preamble;
        self.next_checkpoint = c.at().saturating_add(CHECKPOINT_EVERY);
        true
    }

    /// Passes over what an earlier buffer has as well: all of it, or all up to where the thread has
    /// written on.
    fn preamble(&mut self, c: &mut Cursor<'_>, sink: &mut impl Sink) -> bool {
        let start = c.at();
        let len = self.buffer.end.saturating_sub(start);
        if len < PREAMBLE {
            self.state = State::Records;
            return true;
        }
        let Some(preamble) = c.rest().get(..PREAMBLE as usize) else { return false };
        let known = self.copies.get(preamble).filter(|known| len.saturating_add(self.missing) >= known.len);
        let is_truncated = known.is_some_and(|known| len < known.len);
        if let Some(known) = known.filter(|_| !is_truncated)
            && (c.len() as u64) < known.len.min(COMPARED)
        {
            return false;
        }
        // Nothing contradicts a truncated one, which has the same thread, clock and times.
        let known = known.filter(|known| is_truncated || begin_with(c.rest(), known.len, known.hash));
        if known.is_none_or(|known| known.len < len) {
            self.print = Some(Box::new(Print { key: key(preamble), start, at: start, hash: Hash::default() }));
        }
        self.state = State::Records;
        let Some(known) = known else { return true };
        sink.problem(Problem { at: self.buffer.at, kind: &COPIED_BUFFER, value: known.at });
        if known.len >= len {
            self.state = State::Skip;
            return true;
        }
        // The times in the preamble belong to what follows, too.
        if let Some(Ok(Metadata::WallTime { seconds, micros })) =
            c.rest().get(METADATA_LEN..).and_then(<[u8]>::first_chunk).map(|bytes| self.wire.metadata(bytes))
        {
            sink.wall_time(seconds, micros);
        }
        self.buffer = Checkpoint { at: self.buffer.at, end: self.buffer.end, ..known.end };
        (self.has_clock, self.first_function) = (true, known.end.first);
        self.state = State::Copy { until: start + known.records };
        true
    }

    /// The buffer has no more records; stale bytes may follow.
    fn end_records(&mut self, at: u64, sink: &mut impl Sink) {
        self.records_end = at;
        if at < self.bytes_end {
            self.state = State::Skip;
        } else {
            self.finish_buffer(at, 0, sink);
        }
    }

    /// The current buffer ends at `at`: `cut` bytes into a record, or between two records if `cut`
    /// is 0.
    fn finish_buffer(&mut self, at: u64, cut: u64, sink: &mut impl Sink) {
        self.state = State::Extents;
        if cut > 0 {
            self.records_end = at - cut;
        }
        if self.missing > 0 {
            sink.problem(Problem { at, kind: &TRUNCATED, value: self.missing });
            self.missing = 0;
        } else if cut > 0 {
            sink.problem(Problem { at: at - cut, kind: &CUT_BUFFER, value: cut });
            sink.lost(at);
        }
    }

    fn records(&mut self, c: &mut Cursor<'_>, sink: &mut impl Sink) -> bool {
        let left = self.buffer.end.saturating_sub(c.at());
        if left == 0 {
            self.end_records(c.at(), sink);
            return true;
        }
        if c.at() >= self.next_checkpoint && self.announced {
            self.next_checkpoint = c.at().saturating_add(CHECKPOINT_EVERY);
            sink.checkpoint(Checkpoint { at: c.at(), first: false, ..self.buffer });
        }
        let Some(first) = c.peek() else { return false };
        let is_function = !self.wire.is_metadata(first);
        let len = if is_function { FUNCTION_LEN } else { METADATA_LEN } as u64;
        if left < len {
            // LLVM's writer (up to 22, at least) adds a typed event's payload to the extents but
            // not its record of 16 bytes. Such a buffer ends 16 bytes early for each event, often
            // inside a record.
            if (c.len() as u64) < left {
                return false;
            }
            c.take_up_to(left);
            if c.at() < self.bytes_end {
                self.state = State::Skip;
            } else {
                self.finish_buffer(c.at(), left, sink);
            }
            return true;
        }
        if is_function { self.functions(c, sink) } else { self.metadata(c, sink) }
    }

    fn payload(&mut self, size: u32, left: u32, c: &mut Cursor<'_>, sink: &mut impl Sink) -> bool {
        let here = c.take_up_to(u64::from(left).min(self.buffer.end.saturating_sub(c.at())));
        sink.payload(here);
        let left = left - here.len() as u32;
        if left == 0 {
            self.state = State::Records;
        } else if c.at() >= self.buffer.end {
            // The sink has the bytes that exist; only the missing ones are lost.
            self.finish_buffer(c.at(), METADATA_LEN as u64 + u64::from(size - left), sink);
        } else {
            self.state = State::Payload { size, left };
            return false;
        }
        true
    }

    /// Nearly all records are function records; this loop checks nothing else.
    fn functions(&mut self, c: &mut Cursor<'_>, sink: &mut impl Sink) -> bool {
        if !self.announce(c.at(), sink) {
            return true;
        }
        let stop = self.buffer.end.min(self.next_checkpoint.max(c.at() + 1));
        let wire = self.wire;
        let mut clock = self.buffer.clock;
        let mut more = true;
        while c.at() < stop {
            if !self.first_function && !wire.big_endian {
                let left = usize::try_from(stop - c.at()).unwrap_or(usize::MAX).min(c.len());
                let (records, _) = c.rest().get(..left).unwrap_or_default().as_chunks();
                if let Some(taken) = sink.functions(records, c.at(), clock, self.buffer.cpu) {
                    clock = taken.clock;
                    self.after_enter = taken.kind.is_enter();
                    c.take_up_to((taken.count * FUNCTION_LEN) as u64);
                    if sink.is_full() {
                        break;
                    }
                    continue;
                }
            }
            let Some(bytes) = c.peek_array::<FUNCTION_LEN>() else {
                more = false;
                break;
            };
            let (kind, func, mut delta) = wire.function(bytes);
            if bytes.first().is_none_or(|b| wire.is_metadata(*b))
                || self.buffer.end.saturating_sub(c.at()) < FUNCTION_LEN as u64
            {
                break;
            }
            let Some(kind) = FunctionKind::from_bits(kind) else {
                self.buffer.clock = clock;
                return self.malformed(c.at(), sink);
            };
            if self.first_function {
                self.first_function = false;
                // Writers of versions 1 to 3 take this difference from the last record of the
                // thread's previous buffer, although the preamble has the clock of this very
                // record.
                if wire.version <= 3 {
                    delta = 0;
                }
            }
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
        let Ok(record) = self.wire.metadata(bytes) else { return self.malformed(at, sink) };
        if let Metadata::Extents { .. } = record {
            // The previous buffer is shorter than its extents say.
            let value = self.bytes_end.saturating_sub(at).saturating_add(self.missing);
            sink.problem(Problem { at, kind: &WRONG_EXTENTS, value });
            sink.lost(at);
            self.records_end = at;
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
        let Some(overwritten) = self.is_overwritten(sized.and_then(Result::ok), c) else { return false };
        c.take_up_to(METADATA_LEN as u64);
        let after_enter = core::mem::take(&mut self.after_enter);
        match record {
            Metadata::NewBuffer { tid } => {
                self.buffer.tid = tid;
                (self.has_clock, self.announced, self.first_function) = (false, false, true);
            }
            Metadata::Pid { pid } => self.buffer.pid = pid,
            Metadata::NewCpu { cpu, clock } => {
                self.buffer.cpu = cpu;
                self.set_clock(clock, c.at(), sink);
            }
            Metadata::ClockWrap { clock } => self.set_clock(clock, c.at(), sink),
            Metadata::WallTime { seconds, micros } => sink.wall_time(seconds, micros),
            Metadata::Extents { .. } => {}
            Metadata::EndOfBuffer => {
                self.buffer.end = c.at();
                self.end_records(c.at(), sink);
            }
            Metadata::Argument { value } => {
                if after_enter {
                    self.after_enter = true;
                    sink.argument(value);
                } else {
                    sink.problem(Problem { at, kind: &STRAY_ARGUMENT, value });
                }
            }
            Metadata::Custom { size, time, cpu } => {
                self.buffer.cpu = cpu.unwrap_or(self.buffer.cpu);
                self.event(at, (size, overwritten), time, None, sink);
            }
            Metadata::Typed { size, time, kind } => self.event(at, (size, overwritten), time, Some(kind), sink),
        }
        true
    }

    /// Whether later records have overwritten the payload of the event at the cursor. `None` if
    /// more bytes are needed to decide.
    ///
    /// The writers of versions 1 and 2, and of version 3 in LLVM 7, do not advance past the payload
    /// that they have written. Later writers of version 3 do, so there the bytes after the record
    /// decide.
    fn is_overwritten(&self, size: Option<u32>, c: &Cursor<'_>) -> Option<bool> {
        let Some(size) = size.filter(|size| *size > 0) else { return Some(false) };
        match self.wire.version {
            1 | 2 => return Some(true),
            3 => {}
            _ => return Some(false),
        }
        let after = c.at().saturating_add(METADATA_LEN as u64);
        let wanted = self.buffer.end.saturating_sub(after).min(JUDGED);
        let after = c.rest().get(METADATA_LEN..)?.get(..wanted as usize)?;
        let (records, whole) = self.plausible(after);
        // Real records are more likely than a payload that looks like records for this long.
        Some(whole && (records >= 2 || u64::from(size) > wanted))
    }

    /// The number of plausible records at the start of `bytes`, and whether they extend to its end.
    fn plausible(&self, bytes: &[u8]) -> (usize, bool) {
        let mut c = Cursor::new(bytes, 0);
        let mut records = 0;
        while let Some(first) = c.peek() {
            let fits = if self.wire.is_metadata(first) {
                let Some(bytes) = c.peek_array() else { break };
                c.take_up_to(METADATA_LEN as u64);
                match self.wire.metadata(bytes) {
                    Ok(Metadata::Custom { size, .. } | Metadata::Typed { size, .. }) => (0..1 << 20).contains(&size),
                    Ok(Metadata::NewCpu { cpu, .. }) => cpu < 4096,
                    Ok(Metadata::NewBuffer { .. } | Metadata::Extents { .. }) | Err(_) => false,
                    Ok(_) => true,
                }
            } else {
                let Some(bytes) = c.peek_array() else { break };
                c.take_up_to(FUNCTION_LEN as u64);
                let (kind, func, _) = self.wire.function(bytes);
                kind <= 3 && func > 0 && func < 1 << 24
            };
            if !fits {
                return (records, false);
            }
            records += 1;
        }
        (records, true)
    }

    fn event(
        &mut self,
        at: u64,
        (size, overwritten): (i32, bool),
        time: EventTime,
        kind: Option<u16>,
        sink: &mut impl Sink,
    ) {
        if !self.announce(at, sink) {
            return;
        }
        let clock = match time {
            EventTime::Delta(delta) => {
                self.buffer.clock = self.buffer.clock.wrapping_add_signed(delta.into());
                self.buffer.clock
            }
            EventTime::Clock(clock) => clock,
        };
        let size = size.unsigned_abs();
        sink.event(Event { at, clock, cpu: self.buffer.cpu, size, kind, overwritten });
        if !overwritten {
            self.state = State::Payload { size, left: size };
            return;
        }
        sink.problem(Problem { at, kind: &OVERWRITTEN_PAYLOAD, value: size.into() });
        if self.wire.version > 1 {
            // The extents count the payload anyway.
            let end = self.buffer.end.saturating_sub(size.into());
            self.buffer.end = end.max(at.saturating_add(METADATA_LEN as u64));
        }
    }

    fn set_clock(&mut self, clock: u64, next: u64, sink: &mut impl Sink) {
        self.buffer.clock = clock;
        self.has_clock = true;
        if !self.announced {
            self.announce(next, sink);
        }
    }

    /// Calls [`Sink::buffer`] once: when the first clock is known, or when records come without
    /// one. Returns false, with the state set to skip, if the sink skips the buffer.
    fn announce(&mut self, at: u64, sink: &mut impl Sink) -> bool {
        if self.announced {
            return true;
        }
        self.announced = true;
        if !self.has_clock {
            sink.problem(Problem { at, kind: &BAD_PREAMBLE, value: 0 });
        }
        let start = Checkpoint { at, ..self.buffer };
        match sink.buffer(start, self.has_clock.then_some(self.buffer.clock)) {
            Some(clock) => self.buffer.clock = clock,
            None => {
                self.state = State::Skip;
                return false;
            }
        }
        true
    }

    /// The bytes at `at` are not a record. Skips the rest of the buffer or, if its end is in doubt,
    /// everything up to the start of another buffer.
    fn malformed(&mut self, at: u64, sink: &mut impl Sink) -> bool {
        sink.lost(at);
        self.records_end = at;
        // Buffers of version 1 have one size, so the start of the next is certain.
        if self.missing > 0 && self.wire.version > 1 {
            self.missing = 0;
            self.state = State::Resync { from: at };
        } else {
            sink.problem(Problem { at, kind: &MALFORMED, value: self.bytes_end - at });
            self.state = State::Skip;
        }
        true
    }
}
