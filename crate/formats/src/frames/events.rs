//! Turns a trace into events: a call stack a thread, and instants for what is no instruction.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::batch::{EventBatch, EventKind, Orphans, TrackDef, TrackId, TrackKind};
use crate::code::flow::LOOKED_AT;
use crate::code::isa::StackPointer;
use crate::decoder::{Decoder, Progress, Range, Want};
use crate::details::{Field, RecordDetails, Value};
use crate::error::{Cause, Error, Result};
use crate::info::{Capability, Clock, Info, Tab};
use crate::locator::Locator;
use crate::names::Texts;
use crate::problem::{MALFORMED, Problem};
use crate::sniff::OpenOptions;

use super::decode::{Record, Sink, Walk};
use super::details::{self, Machine};
use super::machine;
use super::message::{self, Capture, Message, Slot};
use super::meta::Summary;
use super::problems::UNKNOWN_RECORD;
use super::records::{Frame, Meta};
use super::skim;
use super::threads::{Context, Pointer, Step, Threads, or_remember};
use super::wire::{Header, META_AT};

/// Details of most frames fit in here; of longer ones more is asked for.
const FIRST_RANGE: u64 = 16 * 1024;
/// Frames are shown up to here.
const MAX_RANGE: u64 = 1 << 20;
/// Bytes of a mode that are looked at: those that are known have fewer.
const LONGEST_MODE: usize = 16;
/// A name that a frame gives is cut behind so many bytes.
const MAX_NAME: usize = 200;

/// Decodes a trace into events.
pub(crate) struct FramesDecoder {
    header: Header,
    options: OpenOptions,
    walk: Walk,
    state: State,
    /// Where the trace ends, once that is known.
    end: Option<u64>,
    failed: Option<Error>,
}

/// All but the place in the container.
struct State {
    options: OpenOptions,
    threads: Threads,
    names: Texts,
    tracks: u32,
    lanes: [Option<TrackId>; 3],
    message: message::Walk,
    seen: Seen,
    meta: Summary,
    in_meta: bool,
    failed: Option<Error>,
}

/// Tracks that are no thread's.
#[derive(Clone, Copy, Debug)]
enum Lane {
    Modules,
    Taint,
    /// What concerns all threads or none.
    Recording,
}

impl Lane {
    fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Modules => ("modules", "where they are loaded"),
            Self::Taint => ("taint", "where it comes in"),
            Self::Recording => ("recording", "what concerns no single thread"),
        }
    }
}

impl FramesDecoder {
    pub(super) fn new(header: Header, head: &[u8], options: OpenOptions) -> Self {
        let isa = machine::isa(header.architecture, header.machine);
        let mut state = State {
            options,
            threads: Threads::new(isa),
            names: Texts::default(),
            tracks: 0,
            lanes: [None; 3],
            message: message::Walk::new(Message::Frame, 0, 0),
            seen: Seen { pointer: isa.stack_pointer(), ..Seen::default() },
            meta: Summary::default(),
            in_meta: false,
            failed: None,
        };
        // What the head holds of the meta frame is known from the beginning.
        if header.has_meta() {
            let body = usize::try_from(META_AT).ok().and_then(|at| head.get(at..)).and_then(|b| b.split_first_chunk());
            if let Some((len, body)) = body {
                let len = u64::from_le_bytes(*len);
                let here = usize::try_from(len).unwrap_or(usize::MAX).min(body.len());
                let mut walk = message::Walk::new(Message::Meta, 0, len);
                walk.run(body.get(..here).unwrap_or_default(), &mut state.meta);
            }
        }
        Self { header, options, walk: Walk::new(header, options.size), state, end: None, failed: None }
    }

    fn machine(&self) -> Machine {
        Machine::new(&self.header, *self.state.threads.order(), self.options.limits.payload)
    }

    fn check(&mut self) -> Result<()> {
        if let Some(error) = self.state.failed {
            self.failed.get_or_insert(error);
        }
        self.failed.map_or(Ok(()), Err)
    }

    /// Whether the meta frame is at this place.
    fn is_meta(&self, locator: Locator) -> bool {
        self.header.has_meta() && locator == Locator::at(META_AT)
    }
}

impl Decoder for FramesDecoder {
    fn info(&self) -> Info {
        let header = &self.header;
        let mut properties: Vec<(&'static str, String)> = Vec::new();
        if header.version > 0 {
            properties.push(("Machine", machine::name(header.architecture, header.machine)));
        }
        self.state.meta.properties(&mut properties);
        let counted = match (header.frames, header.table) {
            (0, 0) => "not counted: written as a stream, or the tracer did not finish".into(),
            (frames, _) => frames.to_string(),
        };
        properties.push(("Frames", counted));
        let isa = machine::isa(header.architecture, header.machine);
        if !isa.has_stack() {
            let why = "not known for this machine: calls and returns look different on each";
            properties.push(("Call stack", why.into()));
        }
        if header.version > 3 {
            properties.push(("Version", format!("{} is newer than what is known; read as version 3", header.version)));
        }
        Info {
            format: "frames",
            title: format!("BAP frames {}", header.version),
            version: header.version.to_string(),
            container: None,
            clock: Clock::Ordinal { unit: "step" },
            place_noun: "byte",
            event_noun: "frame",
            slice_noun: "call",
            when_empty: "The trace holds no frames: nothing was executed while it was recorded, or the tracer was stopped \
                         before it wrote anything.",
            offers: match (isa.code(false, false).is_some(), isa.has_stack()) {
                (true, true) => &[Capability::Disassembly, Capability::CallStacks],
                (true, false) => &[Capability::Disassembly],
                (false, true) => &[Capability::CallStacks],
                (false, false) => &[],
            },
            first_tab: Tab::Flame,
            properties,
        }
    }

    fn push(&mut self, input: &[u8], out: &mut EventBatch) -> Result<Progress> {
        self.check()?;
        let used = self.walk.run(input, &mut ToBatch { state: &mut self.state, out });
        self.check()?;
        Ok(Progress { used })
    }

    fn end(&mut self, rest: &[u8], out: &mut EventBatch) -> Result<()> {
        self.check()?;
        if self.end.is_some() {
            return Ok(());
        }
        self.walk.end(rest, &mut ToBatch { state: &mut self.state, out });
        self.end = Some(self.walk.at());
        let limits = &self.options.limits;
        let State { threads, names, tracks, .. } = &mut self.state;
        threads.finish(&mut Context { names, tracks, limits, out });
        let frames = self.walk.frames();
        if frames > 0 {
            // The last step takes its place as well: without this the trace would end where something last happened.
            self.state.lane(Lane::Recording, "end of the trace", frames, self.walk.at(), out);
        }
        self.check()
    }

    fn finish(&mut self, out: &mut EventBatch) {
        let limits = &self.options.limits;
        let State { threads, names, tracks, .. } = &mut self.state;
        threads.settle(&mut Context { names, tracks, limits, out });
    }

    fn want(&self) -> Want {
        if self.end.is_some() { Want::Nothing } else { Want::Next }
    }

    fn details_range(&self, locator: Locator) -> Option<Range> {
        Some(Range { at: locator.position(), len: FIRST_RANGE })
    }

    fn details_next(&self, locator: Locator, bytes: &[u8]) -> Option<Range> {
        let have = bytes.len() as u64;
        if Some(locator.position()) == self.end || have != FIRST_RANGE {
            return None;
        }
        let len = bytes.first_chunk().map(|b| u64::from_le_bytes(*b))?;
        let wanted = len.saturating_add(8).min(MAX_RANGE);
        (wanted > have).then(|| Range { at: locator.position().saturating_add(have), len: wanted - have })
    }

    fn details(&self, locator: Locator, bytes: &[u8]) -> Result<RecordDetails> {
        let mut out = RecordDetails { offset: locator.position(), ..RecordDetails::default() };
        if Some(locator.position()) == self.end {
            out.fields.push(Field::new("Frames", Value::U64(self.walk.frames())));
            out.fields.push(Field::new("Frames by the header", Value::U64(self.header.frames)));
            out.fields.push(Field::new("Table of contents at", Value::U64(self.header.table)));
            return Ok(out);
        }
        let Some((len, body)) = bytes.split_first_chunk() else {
            return Err(Error::new(locator.position(), Cause::UnexpectedEnd { needed: 8 }));
        };
        let len = u64::from_le_bytes(*len);
        let at = locator.position().saturating_add(8);
        let is_meta = self.is_meta(locator);
        let Some(body) = usize::try_from(len).ok().and_then(|len| body.get(..len)) else {
            // Part of it: the first fields at least.
            let mut seen = Seen::default();
            let message = if is_meta { Message::Meta } else { Message::Frame };
            message::Walk::new(message, at, len).run(body, &mut seen);
            out.fields.extend(seen.address.map(|a| Field::new("Address", Value::Hex(a))));
            out.fields.extend(seen.thread.map(|t| Field::new("Thread", details::thread(t))));
            out.fields.push(Field::new("Frame size in bytes", Value::U64(len)));
            out.remarks.push("The frame is too long to be shown, or the file ends within it.".to_string());
            return Ok(out);
        };
        let message = if is_meta { Message::Meta } else { Message::Frame };
        let mut walk = message::Walk::new(message, at, len);
        walk.run(body, &mut Seen::default());
        if let Some(broken) = walk.broken() {
            out.remarks.push(format!("From byte {broken} on the frame is not valid; what comes before is shown."));
        }
        if is_meta {
            details::meta(&Meta::new(body), &self.machine(), &mut out);
        } else {
            details::frame(&Frame::new(body), &self.machine(), &mut out);
        }
        out.fields.push(Field::new("Frame size in bytes", Value::U64(len)));
        Ok(out)
    }
}

/// What the events need of a frame.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// Says which register is the stack pointer.
    pointer: StackPointer,
    kinds: Kinds,
    address: Option<u64>,
    thread: Option<u64>,
    bytes: Short<LOOKED_AT>,
    mode: Short<LONGEST_MODE>,
    /// The stack pointer, among the values read and among those written.
    read: Option<u64>,
    written: Option<u64>,
    /// The operand at hand: whether it was read or written, the name of its register, its value.
    list: Option<List>,
    register: Short<8>,
    value: Short<8>,
    /// Of a system call.
    number: Option<u64>,
    call_thread: Option<u64>,
    /// Of an exception.
    exception: Option<u64>,
    exception_thread: Option<u64>,
    from: Option<u64>,
    to: Option<u64>,
    module: Option<Vec<u8>>,
    /// Of the first taint that has one; whether others have another.
    source: Option<Vec<u8>>,
    in_source: bool,
    within: Option<Message>,
}

/// A list of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    Read,
    Written,
}

/// Which options a frame has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Kinds {
    std: bool,
    syscall: bool,
    exception: bool,
    taint_intro: bool,
    mod_load: bool,
    key: bool,
}

/// The first bytes of something, and how many there are.
#[derive(Clone, Copy, Debug)]
struct Short<const N: usize> {
    bytes: [u8; N],
    kept: usize,
    len: u64,
}

impl<const N: usize> Default for Short<N> {
    fn default() -> Self {
        Self { bytes: [0; N], kept: 0, len: 0 }
    }
}

impl<const N: usize> Short<N> {
    fn begin(&mut self, len: u64) {
        (self.kept, self.len) = (0, len);
    }

    #[inline]
    fn add(&mut self, portion: &[u8]) {
        let room = self.bytes.get_mut(self.kept..).unwrap_or_default();
        let n = room.len().min(portion.len());
        for (to, from) in room.iter_mut().zip(portion) {
            *to = *from;
        }
        self.kept += n;
    }

    fn get(&self) -> &[u8] {
        self.bytes.get(..self.kept).unwrap_or_default()
    }
}

impl Seen {
    /// Ready for the next frame.
    #[inline]
    fn clear(&mut self) {
        let last = self.kinds;
        self.kinds = Kinds::default();
        self.within = None;
        if last != (Kinds { std: true, ..Kinds::default() }) {
            (self.number, self.call_thread, self.exception, self.exception_thread) = (None, None, None, None);
            (self.from, self.to) = (None, None);
            (self.module, self.source, self.in_source) = (None, None, false);
        }
        self.clear_std();
    }

    fn clear_std(&mut self) {
        (self.address, self.thread) = (None, None);
        self.bytes.begin(0);
        self.mode.begin(0);
        (self.read, self.written, self.list) = (None, None, None);
        self.begin_operand();
    }

    fn begin_operand(&mut self) {
        self.register.begin(0);
        self.value.begin(0);
    }

    /// The operand at hand is over.
    fn end_operand(&mut self) {
        let is_whole = self.register.len == self.register.kept as u64 && self.value.len == self.value.kept as u64;
        if let Some(list) = self.list
            && is_whole
            && self.pointer.is(self.register.get())
            && let Some(value) = skim::value_of(self.value.get())
        {
            match list {
                List::Read => _ = self.read.get_or_insert(value),
                List::Written => self.written = Some(value),
            }
        }
        self.begin_operand();
    }
}

impl Capture for Seen {
    #[inline]
    fn message(&mut self, message: Message) {
        match message {
            Message::Std => {
                if self.kinds.std {
                    self.clear_std();
                }
                self.kinds.std = true;
            }
            Message::Syscall => {
                self.kinds.syscall = true;
                (self.number, self.call_thread) = (None, None);
            }
            Message::Exception => {
                self.kinds.exception = true;
                (self.exception, self.exception_thread) = (None, None);
                (self.from, self.to) = (None, None);
            }
            Message::TaintIntro => {
                self.kinds.taint_intro = true;
                self.source = None;
            }
            Message::ModLoad => {
                self.kinds.mod_load = true;
                self.module = None;
            }
            Message::Key => self.kinds.key = true,
            Message::Operands | Message::Written => {
                self.end_operand();
                self.list = Some(if message == Message::Operands { List::Read } else { List::Written });
                return;
            }
            Message::Operand => return self.end_operand(),
            _ => return,
        }
        self.end_operand();
        self.list = None;
        self.within = Some(message);
    }

    #[inline]
    fn number(&mut self, slot: Slot, value: u64) {
        match (slot, self.within) {
            (Slot::Address, Some(Message::Std)) => self.address = Some(value),
            (Slot::Thread, Some(Message::Std)) => self.thread = Some(value),
            (Slot::Thread, Some(Message::Syscall)) => self.call_thread = Some(value),
            (Slot::Thread, Some(Message::Exception)) => self.exception_thread = Some(value),
            (Slot::Number, Some(Message::Syscall)) => self.number = Some(value),
            (Slot::Number, Some(Message::Exception)) => self.exception = Some(value),
            (Slot::From, Some(Message::Exception)) => self.from = Some(value),
            (Slot::To, Some(Message::Exception)) => self.to = Some(value),
            _ => {}
        }
    }

    #[inline]
    fn begin_bytes(&mut self, slot: Slot, len: u64) {
        match slot {
            Slot::RawBytes => self.bytes.begin(len),
            Slot::Mode => self.mode.begin(len),
            Slot::Register => self.register.begin(len),
            Slot::Value => self.value.begin(len),
            Slot::ModuleName => self.module = Some(Vec::new()),
            Slot::SourceName => {
                self.in_source = self.source.is_none();
                self.source.get_or_insert_default();
            }
            _ => {}
        }
    }

    #[inline]
    fn bytes(&mut self, slot: Slot, portion: &[u8]) {
        let name = match slot {
            Slot::RawBytes => return self.bytes.add(portion),
            Slot::Mode => return self.mode.add(portion),
            Slot::Register => return self.register.add(portion),
            Slot::Value => return self.value.add(portion),
            Slot::ModuleName => self.module.as_mut(),
            Slot::SourceName if self.in_source => self.source.as_mut(),
            _ => None,
        };
        if let Some(name) = name {
            let room = MAX_NAME.saturating_sub(name.len());
            name.extend(portion.iter().take(room));
        }
    }
}

/// The sink that fills a batch.
struct ToBatch<'a> {
    state: &'a mut State,
    out: &'a mut EventBatch,
}

impl Sink for ToBatch<'_> {
    #[inline]
    fn is_full(&self) -> bool {
        self.out.is_full() || self.state.failed.is_some()
    }

    #[inline]
    fn whole(&mut self, record: Record, bytes: &[u8]) -> bool {
        let Some(frame) = skim::instruction(bytes) else { return false };
        let step = Step {
            index: record.index.unwrap_or(0),
            locator: Locator::at(record.at),
            address: frame.address,
            thread: frame.thread,
            bytes: frame.bytes.get(..LOOKED_AT).unwrap_or(frame.bytes),
            len: frame.bytes.len() as u64,
            mode: frame.mode.get(..LONGEST_MODE).unwrap_or(frame.mode),
            pointer: Pointer::Listed { read: frame.read, written: frame.written },
        };
        self.out.records += 1;
        self.state.step(&step, self.out);
        true
    }

    #[inline]
    fn begin(&mut self, record: Record) {
        let state = &mut *self.state;
        state.in_meta = record.index.is_none();
        let message = if state.in_meta { Message::Meta } else { Message::Frame };
        state.message = message::Walk::new(message, record.body(), record.len);
        if state.in_meta {
            // The head may have held the beginning of it alone.
            state.meta = Summary::default();
        } else {
            state.seen.clear();
        }
    }

    #[inline]
    fn body(&mut self, bytes: &[u8], _last: bool) -> usize {
        let state = &mut *self.state;
        if state.in_meta {
            state.message.run(bytes, &mut state.meta)
        } else {
            state.message.run(bytes, &mut state.seen)
        }
    }

    #[inline]
    fn finish(&mut self, record: Record) {
        if let Some(at) = self.state.message.broken() {
            let value = record.body().saturating_add(record.len).saturating_sub(at);
            self.out.problems.push(Problem { at, kind: &MALFORMED, value });
        }
        match record.index {
            Some(index) => {
                self.out.records += 1;
                self.state.frame(index, record, self.out);
            }
            None => self.state.lane(Lane::Recording, "meta frame", 0, record.at, self.out),
        }
    }

    fn problem(&mut self, problem: Problem) {
        self.out.problems.push(problem);
    }
}

impl State {
    /// A frame is there as a whole, or as far as it is valid.
    #[inline]
    fn frame(&mut self, index: u64, record: Record, out: &mut EventBatch) {
        self.seen.end_operand();
        let seen = &self.seen;
        if seen.kinds.std
            && let (Some(address), Some(thread)) = (seen.address, seen.thread)
        {
            let step = Step {
                index,
                locator: Locator::at(record.at),
                address,
                thread,
                bytes: seen.bytes.get(),
                len: seen.bytes.len,
                mode: seen.mode.get(),
                pointer: Pointer::Known { read: seen.read, written: seen.written },
            };
            let limits = &self.options.limits;
            let mut cx = Context { names: &mut self.names, tracks: &mut self.tracks, limits, out };
            or_remember(self.threads.step(&step, &mut cx), &mut self.failed);
            if seen.kinds == (Kinds { std: true, ..Kinds::default() }) {
                return;
            }
        } else if seen.kinds.std || seen.kinds == Kinds::default() {
            // Of a frame that breaks off that much has been said.
            if self.message.broken().is_none() {
                out.problems.push(Problem { at: record.at, kind: &UNKNOWN_RECORD, value: record.len });
            }
        }
        self.rare(index, record.at, out);
    }

    #[inline]
    fn step(&mut self, step: &Step<'_>, out: &mut EventBatch) {
        let limits = &self.options.limits;
        let mut cx = Context { names: &mut self.names, tracks: &mut self.tracks, limits, out };
        or_remember(self.threads.step(step, &mut cx), &mut self.failed);
    }

    /// What is no instruction.
    fn rare(&mut self, index: u64, at: u64, out: &mut EventBatch) {
        let kinds = self.seen.kinds;
        if kinds.syscall {
            let name = self.seen.number.map_or("system call".to_owned(), |n| format!("system call {n}"));
            self.instant(self.seen.call_thread, &name, index, at, out);
            if let (Some(thread), Some(number)) = (self.seen.call_thread, self.seen.number) {
                self.threads.system_call(thread, number);
            }
        }
        if kinds.exception {
            let name = self.seen.exception.map_or("exception".to_owned(), |n| format!("exception {n}"));
            self.instant(self.seen.exception_thread, &name, index, at, out);
            if let Some(thread) = self.seen.exception_thread {
                self.threads.except(thread, self.seen.exception, self.seen.from, self.seen.to);
            }
        }
        if kinds.taint_intro {
            let name = match self.seen.source.take() {
                Some(source) => format!("taint from {}", String::from_utf8_lossy(&source)),
                None => "taint".into(),
            };
            self.lane(Lane::Taint, &name, index, at, out);
        }
        if kinds.mod_load {
            let name = self.seen.module.take().unwrap_or_default();
            self.lane(Lane::Modules, &String::from_utf8_lossy(&name), index, at, out);
        }
        if kinds.key {
            self.lane(Lane::Recording, "key frame", index, at, out);
        }
    }

    /// An instant on a thread, or where no thread is named, in the lane for that.
    fn instant(&mut self, thread: Option<u64>, name: &str, index: u64, at: u64, out: &mut EventBatch) {
        let Some(thread) = thread else { return self.lane(Lane::Recording, name, index, at, out) };
        let limits = &self.options.limits;
        let mut cx = Context { names: &mut self.names, tracks: &mut self.tracks, limits, out };
        let name = cx.names.number(name, at, limits.names, cx.out);
        let result = name.and_then(|name| self.threads.point(thread, name, index, at, &mut cx));
        or_remember(result, &mut self.failed);
    }

    fn lane(&mut self, lane: Lane, name: &str, index: u64, at: u64, out: &mut EventBatch) {
        let limits = &self.options.limits;
        let mut cx = Context { names: &mut self.names, tracks: &mut self.tracks, limits, out };
        let Some(slot) = self.lanes.get_mut(lane as usize) else { return };
        let track = match *slot {
            Some(track) => Ok(track),
            None => {
                let (name, detail) = lane.name();
                cx.define(
                    TrackDef {
                        detail: detail.into(),
                        orphans: Orphans::FromPrevious,
                        ..TrackDef::new(TrackKind::Lane, name)
                    },
                    at,
                )
            }
        };
        let result = track.and_then(|track| {
            *slot = Some(track);
            let name = cx.names.number(name, at, limits.names, cx.out)?;
            cx.out.push(EventKind::Instant, track, index, name, Locator::at(at));
            Ok(())
        });
        or_remember(result, &mut self.failed);
    }
}
