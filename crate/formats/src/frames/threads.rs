//! Threads: passes instructions to their call stacks, and the events of the stacks to a batch.
//!
//! The stacks are those of [`unspool_stacks::stack`]. This module adds what only frames have: a
//! thread, a mode, and the stack pointer if it is among the operands.

use alloc::format;
use alloc::vec::Vec;

use hashbrown::HashMap;
use unspool_stacks::execution::{Arrival, Departure, Entered, Note, Program, Rules, Sink};
use unspool_stacks::flow::{Flow, Opening, Reading, flow, opening};
use unspool_stacks::isa::{ByteOrder, Isa, StackPointer};
use unspool_stacks::loaded;
use unspool_stacks::pointer::{Move, moves};
use unspool_stacks::stack::Stack;
use unspool_trace::batch::{EventBatch, EventKind, Key, Name, SliceKind, TrackDef, TrackId, TrackKind};
use unspool_trace::error::{Error, Result};
use unspool_trace::kept;
use unspool_trace::limits::Limits;
use unspool_trace::locator::Locator;
use unspool_trace::problem::{MANY_THREADS, Problem};

use crate::names::Texts;

use super::instruction;
use super::memory_order::MemoryEvidence;
use super::records::{Frame, List, Place};
use super::wire::Fields;

/// After an instruction of two bytes, this many instructions of four bytes are taken to be Thumb
/// unless the trace says otherwise.
const THUMB_STICKS: u8 = 16;

/// Most exceptions that wait for the next instruction.
const MOST_RAISED: usize = 16;

/// What a stack needs of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'a> {
    pub(crate) index: u64,
    /// The instruction's frame.
    pub(crate) locator: Locator,
    pub(crate) address: u64,
    pub(crate) thread: u64,
    /// The instruction's first bytes, and its length in bytes.
    pub(crate) bytes: &'a [u8],
    pub(crate) len: u64,
    pub(crate) mode: &'a [u8],
    pub(crate) pointer: Pointer<'a>,
}

/// The stack pointer among the operands of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pointer<'a> {
    /// Still to be found in the encoded lists of operands: few instructions need it.
    Listed { read: &'a [u8], written: &'a [u8] },
    /// Still to be found in the lists of operands of a frame that is not a usual instruction.
    Within(Fields<'a>),
}

impl Pointer<'_> {
    /// Passes on the operands for what they show of memory.
    #[inline(never)]
    pub(super) fn show(self, evidence: &mut MemoryEvidence) {
        if evidence.is_complete() {
            return;
        }
        let (read, written): (Vec<_>, Vec<_>) = match self {
            Self::Listed { read, written } => {
                (instruction::values(read).collect(), instruction::values(written).collect())
            }
            Self::Within(frame) => {
                let std = Frame::of(frame).std.unwrap_or_default();
                (values_of(std.pre), values_of(std.post))
            }
        };
        evidence.look(&read, &written);
    }

    /// The value before the instruction: the first one read.
    fn read(self, names: StackPointer) -> Option<u64> {
        match self {
            Self::Listed { read, .. } => instruction::stack_pointers(read, names).next(),
            Self::Within(frame) => register_values(frame, 4, names).next(),
        }
    }

    /// The value after the instruction: the last one written.
    fn written(self, names: StackPointer) -> Option<u64> {
        match self {
            Self::Listed { written, .. } => instruction::stack_pointers(written, names).last(),
            Self::Within(frame) => register_values(frame, 5, names).last(),
        }
    }
}

/// Places and values of a list of operands, as far as they have both.
fn values_of<'a>(list: Option<List<'a>>) -> Vec<(Place<'a>, &'a [u8])> {
    let operands = list.into_iter().flat_map(List::operands);
    operands.filter_map(|operand| operand.place.zip(operand.value)).collect()
}

/// Values of the stack pointer in the lists of operands of a frame's instruction, which are the
/// fields with this number.
fn register_values(frame: Fields<'_>, list: u64, names: StackPointer) -> impl Iterator<Item = u64> {
    let lists = frame.repeated(1).last().into_iter().flat_map(move |std| std.repeated(list));
    lists.flat_map(|list| list.repeated(1)).filter_map(move |operand| {
        let registers = operand.repeated(1).flat_map(|place| place.repeated(2));
        let name = registers.flat_map(|register| register.repeated(1)).last()?;
        let value = operand.repeated(5).last()?;
        if names.is(name.bytes) { instruction::register_value(value.bytes) } else { None }
    })
}

/// The stacks of all threads.
#[derive(Debug)]
pub(crate) struct Threads {
    isa: Isa,
    /// The names of the stack pointer.
    pointer: StackPointer,
    order: ByteOrder,
    threads: Vec<Thread>,
    by_id: HashMap<u64, u32>,
    /// The track of the threads beyond the limit, once there is one.
    others: Option<TrackId>,
    latest: usize,
    /// Bytes of memory of the stacks of all threads. That of the latest may have grown since it was
    /// counted.
    stack_bytes: u64,
    /// Numbers and addresses of exceptions of no particular thread, before the next instruction. At
    /// most [`MOST_RAISED`].
    raised: Vec<[Option<u64>; 3]>,
    names: Addresses,
    program: Program,
}

#[derive(Debug)]
struct Thread {
    id: u64,
    track: TrackId,
    stack: Stack,
    /// Time of the last event. No later event may have an earlier time.
    time: u64,
    /// Time of the end of the last frame.
    until: u64,
    /// The stack pointer after the last instruction, if that was a call, a return or a jump.
    pointer: Option<u64>,
    /// Whether the last instruction set the stack pointer.
    moved: bool,
    /// The number that the last instruction loaded for a system call.
    number: Option<u32>,
    /// Bytes of memory of the stack when its thread was the latest, as counted in
    /// [`Threads::stack_bytes`].
    counted: u64,
}

/// Numbers of names, by what they name.
#[derive(Debug, Default)]
struct Addresses {
    calls: HashMap<u64, u32>,
    /// For each address, the index in `others` of the latest handler.
    handlers: HashMap<u64, u32>,
    others: Vec<Other>,
}

/// The name of a handler. Handlers of several kinds may share an address.
#[derive(Debug)]
struct Other {
    kind: SliceKind,
    number: Option<u64>,
    name: u32,
    /// The previous handler at the same address.
    before: Option<u32>,
}

impl Addresses {
    fn get(&self, Entered { kind, address, number, .. }: Entered) -> Option<u32> {
        if kind == SliceKind::Call {
            return self.calls.get(&address).copied();
        }
        let mut next = self.handlers.get(&address).copied();
        while let Some(other) = next.and_then(|i| self.others.get(i as usize)) {
            if other.kind == kind && other.number == number {
                return Some(other.name);
            }
            next = other.before;
        }
        None
    }

    fn insert(&mut self, Entered { kind, address, number, .. }: Entered, name: u32) {
        if kind == SliceKind::Call {
            self.calls.insert(address, name);
            return;
        }
        let before = self.handlers.insert(address, self.others.len() as u32);
        self.others.push(Other { kind, number, name, before });
    }
}

/// What threads share with the rest of the sink.
pub(crate) struct Context<'a> {
    pub(crate) names: &'a mut Texts,
    pub(crate) tracks: &'a mut u32,
    pub(crate) limits: &'a Limits,
    pub(crate) out: &'a mut EventBatch,
}

impl Context<'_> {
    /// Defines a track and returns its number. `at` is the offset for an error.
    pub(crate) fn define(&mut self, def: TrackDef, at: u64) -> Result<TrackId> {
        let track = *self.tracks;
        self.limits.check_threads(track as usize + 1, at)?;
        *self.tracks += 1;
        self.out.new_tracks.push(def);
        Ok(track)
    }
}

impl Threads {
    /// Bytes of memory.
    pub(super) fn bytes(&self) -> u64 {
        let Addresses { calls, handlers, others } = &self.names;
        let named = kept::table::<(u64, u32)>(calls.capacity()) + kept::table::<(u64, u32)>(handlers.capacity());
        let found = kept::table::<(u64, u32)>(self.by_id.capacity());
        let latest = self.threads.get(self.latest);
        let stacks = self.stack_bytes + latest.map_or(0, |thread| thread.stack.bytes().saturating_sub(thread.counted));
        kept::list(&self.threads) + found + named + kept::list(others) + self.program.bytes() + stacks
    }

    /// Counts the stack of the latest thread, which another one is about to follow.
    fn count(&mut self) {
        let Some(thread) = self.threads.get_mut(self.latest) else { return };
        let bytes = thread.stack.bytes();
        self.stack_bytes = self.stack_bytes + bytes - thread.counted;
        thread.counted = bytes;
    }

    pub(crate) fn new(isa: Isa) -> Self {
        Self {
            isa,
            pointer: isa.stack_pointer(),
            order: ByteOrder::default(),
            threads: Vec::new(),
            by_id: HashMap::new(),
            others: None,
            latest: 0,
            stack_bytes: 0,
            raised: Vec::new(),
            names: Addresses::default(),
            program: Program::default(),
        }
    }

    /// What is known of the byte order.
    pub(crate) fn order(&self) -> &ByteOrder {
        &self.order
    }

    /// The id and the track of each thread, by id.
    pub(super) fn by_id(&self) -> Vec<(u64, TrackId)> {
        let mut all: Vec<_> = self.threads.iter().map(|thread| (thread.id, thread.track)).collect();
        unspool_trace::sort::pairs(&mut all);
        all
    }

    /// Adds an instant to a thread, which is defined if necessary.
    pub(crate) fn point(&mut self, id: u64, name: u32, time: u64, at: u64, cx: &mut Context<'_>) -> Result<()> {
        let i = self.thread(id, at, cx)?;
        let Self { threads, names, .. } = self;
        let Some(thread) = threads.get_mut(i) else { return Ok(()) };
        thread.until = time + 1;
        let mut sink = StackToBatch { track: thread.track, time: &mut thread.time, names, cx, at, failed: None };
        thread.stack.point(name, time, Locator::at(at), &mut sink);
        Ok(())
    }

    /// A frame reports the number of a thread's system call.
    pub(crate) fn system_call(&mut self, thread: u64, number: u64) {
        if let Some(thread) = self.known(thread) {
            thread.stack.system_call(number);
        }
    }

    /// A frame reports an exception: its number, the interrupted address, and the address of the
    /// handler. It concerns the thread of the next instruction if the frame names none.
    pub(crate) fn except(&mut self, thread: Option<u64>, number: Option<u64>, from: Option<u64>, to: Option<u64>) {
        let [from, to] = [from, to].map(|address| address.map(|address| self.plain(address)));
        match thread {
            None if self.raised.len() < MOST_RAISED => self.raised.push([number, from, to]),
            None => {}
            Some(thread) => {
                if let Some(thread) = self.known(thread) {
                    thread.stack.except(number, from, to);
                }
            }
        }
    }

    /// An address without the bit that says that its code is Thumb.
    fn plain(&self, address: u64) -> u64 {
        if self.isa == Isa::Arm { address & !1 } else { address }
    }

    fn known(&mut self, id: u64) -> Option<&mut Thread> {
        self.threads.get_mut(*self.by_id.get(&id)? as usize)
    }

    #[inline]
    fn thread(&mut self, id: u64, at: u64, cx: &mut Context<'_>) -> Result<usize> {
        if self.threads.get(self.latest).is_some_and(|t| t.id == id) {
            return Ok(self.latest);
        }
        self.count();
        self.latest = match self.by_id.get(&id) {
            Some(i) => *i as usize,
            None => {
                let track = self.track(id, at, cx)?;
                let i = self.threads.len();
                self.by_id.insert(id, i as u32);
                self.threads.push(Thread {
                    id,
                    track,
                    stack: Stack::default(),
                    time: 0,
                    until: 0,
                    pointer: None,
                    moved: false,
                    number: None,
                    counted: 0,
                });
                i
            }
        };
        Ok(self.latest)
    }

    /// The track of a new thread: its own, or that of all threads beyond the limit.
    #[cold]
    fn track(&mut self, id: u64, at: u64, cx: &mut Context<'_>) -> Result<TrackId> {
        if self.threads.len() < cx.limits.tracks as usize {
            let number = i64::try_from(id).ok();
            let def = TrackDef { id: number, ..TrackDef::new(TrackKind::Thread, format!("thread {id}")) };
            return cx.define(def, at);
        }
        cx.limits.check_threads(self.threads.len() + 1, at)?;
        cx.out.problems.push(Problem { at, kind: &MANY_THREADS, value: u64::from(cx.limits.tracks) });
        match self.others {
            Some(track) => Ok(track),
            None => {
                let track = cx.define(TrackDef::other_threads(""), at)?;
                self.others = Some(track);
                Ok(track)
            }
        }
    }

    /// A thread executed an instruction.
    pub(crate) fn step(&mut self, step: &Step<'_>, cx: &mut Context<'_>) -> Result<()> {
        let i = self.thread(step.thread, step.locator.position(), cx)?;
        let address = self.plain(step.address);
        let Self { isa, pointer, order, threads, raised, names, program, .. } = self;
        let Some(thread) = threads.get_mut(i) else { return Ok(()) };
        thread.until = step.index + 1;
        for [number, from, to] in raised.drain(..) {
            thread.stack.except(number, from, to);
        }
        // An instruction in a delay slot neither calls nor returns.
        if thread.stack.enters_slot(address) {
            return Ok(());
        }
        if thread.moved || !thread.stack.goes_on(address) {
            let rules = Rules { isa: *isa, infers_handlers: true };
            let opening = if thread.stack.calls() { opening(*isa, step.bytes) } else { Opening::Usual };
            let stack = step.pointer.read(*pointer).or(thread.pointer);
            let at = Arrival { address, stack, opening, time: step.index, locator: step.locator };
            let mut sink = StackToBatch {
                track: thread.track,
                time: &mut thread.time,
                names,
                cx,
                at: step.locator.position(),
                failed: None,
            };
            thread.stack.arrive(rules, at, program, &mut sink);
            if let Some(error) = sink.failed {
                return Err(error);
            }
        }
        order.look(*isa, step.bytes);
        let (thumb, certain) = if *isa == Isa::Arm { is_thumb(step, thread.stack.mode()) } else { (false, true) };
        let reading = Reading { isa: *isa, big: order.is_big(*isa), thumb };
        let mut flow = flow(reading, address, step.bytes, step.len);
        if !certain && matches!(flow, Flow::Next | Flow::Branch { .. }) {
            flow = Flow::Unknown;
        }
        let moves = moves(reading, step.bytes);
        thread.moved = moves == Move::Set || (moves == Move::Pop && thread.stack.is_unwinding());
        if matches!(flow, Flow::Next | Flow::Branch { .. } | Flow::Unknown) {
            thread.pointer = None;
        } else {
            let written = step.pointer.written(*pointer);
            // Some tracers do not list values written; the instruction's effect is known.
            thread.pointer = written.or_else(|| match (step.pointer.read(*pointer)?, flow) {
                (read, Flow::Call { .. }) => Some(read.wrapping_sub(isa.pushed())),
                (read, Flow::Return { .. }) => Some(read.wrapping_add(isa.pushed())),
                (read, _) => Some(read),
            });
            if let (Flow::SystemCall, Some(number)) = (flow, thread.number) {
                thread.stack.system_call(number.into());
            }
        }
        thread.number = loaded(reading, step.bytes);
        thread.stack.leave(Departure {
            flow,
            address,
            next: address.wrapping_add(step.len),
            after: step.index + 1,
            locator: step.locator,
            stack: thread.pointer,
            moves,
        });
        Ok(())
    }

    /// The trace is complete.
    pub(crate) fn finish(&mut self, cx: &mut Context<'_>) {
        self.each(cx, |stack, sink| stack.finish(sink));
    }

    /// The rest of the trace will not be read.
    pub(crate) fn settle(&mut self, cx: &mut Context<'_>) {
        self.each(cx, |stack, sink| stack.settle(sink));
        for thread in self.threads.iter().filter(|thread| thread.until > thread.time) {
            cx.out.push(EventKind::LastRecord, thread.track, thread.until, 0, Locator::default());
        }
    }

    fn each(&mut self, cx: &mut Context<'_>, act: fn(&mut Stack, &mut StackToBatch<'_, '_>)) {
        let Self { threads, names, .. } = self;
        for thread in threads {
            let mut sink = StackToBatch { track: thread.track, time: &mut thread.time, names, cx, at: 0, failed: None };
            act(&mut thread.stack, &mut sink);
        }
    }
}

/// The sink of a call stack, for one batch.
struct StackToBatch<'a, 'b> {
    track: TrackId,
    time: &'a mut u64,
    names: &'a mut Addresses,
    cx: &'a mut Context<'b>,
    /// Absolute offset of the current frame, for errors.
    at: u64,
    failed: Option<Error>,
}

impl StackToBatch<'_, '_> {
    /// Returns `time`, or the time of the last event if that is later.
    fn at(&mut self, time: u64) -> u64 {
        *self.time = (*self.time).max(time);
        *self.time
    }
}

impl Sink for StackToBatch<'_, '_> {
    fn name(&mut self, entered: Entered) -> (u32, bool) {
        let Entered { kind, address, number, .. } = entered;
        if let Some(name) = self.names.get(entered) {
            return (name, false);
        }
        let text = match (kind, number) {
            (SliceKind::Signal, Some(number)) => format!("exception {number} handler {address:#x}"),
            (SliceKind::Signal, None) => format!("signal handler {address:#x}"),
            (SliceKind::Interrupt, _) => format!("interrupt handler {address:#x}"),
            (SliceKind::SystemCall, _) => format!("system call {address:#x}"),
            _ => format!("{address:#x}"),
        };
        let name = Name { text, kind, key: Key::Address(address) };
        match self.cx.names.once(name, self.at, self.cx.limits.names, self.cx.out) {
            Ok(name) => {
                self.names.insert(entered, name);
                (name, true)
            }
            Err(error) => {
                self.failed.get_or_insert(error);
                (0, false)
            }
        }
    }

    fn begin(&mut self, name: u32, time: u64, locator: Locator, flags: u8) {
        let time = self.at(time);
        self.cx.out.push(EventKind::Begin, self.track, time, name, locator);
        self.cx.out.push_flags(flags, self.track, name, locator);
    }

    fn point(&mut self, name: u32, time: u64, locator: Locator) {
        let time = self.at(time);
        self.cx.out.push(EventKind::Instant, self.track, time, name, locator);
    }

    fn outermost(&mut self, name: u32, below: bool, time: u64, locator: Locator) {
        let time = self.at(time);
        self.cx.out.push_begun_before(self.track, time, name, locator, below);
    }

    fn end(&mut self, name: u32, began: Locator, time: u64, flags: u8) {
        let time = self.at(time);
        self.cx.out.push_end_of(self.track, time, name, began, flags);
    }

    fn note(&mut self, note: Note, locator: Locator) {
        self.cx.out.problems.push(note.problem(locator.position()));
    }
}

/// Whether an ARM instruction is Thumb, and whether that is certain. The mode may say so. Otherwise
/// length and address may, and instructions of four bytes after one of two are taken to be Thumb.
/// `sticky` counts down from [`THUMB_STICKS`].
fn is_thumb(step: &Step<'_>, sticky: &mut u8) -> (bool, bool) {
    match step.mode {
        b"arm:t32" => return (true, true),
        b"arm:a32" if step.len == 4 => return (false, true),
        _ => {}
    }
    if step.len == 2 || step.address & 3 != 0 {
        *sticky = THUMB_STICKS;
        return (true, true);
    }
    let was = *sticky;
    *sticky = was.saturating_sub(1);
    (*sticky > 0, was == 0)
}

/// Keeps the first error. Names and tracks have limits.
pub(crate) fn keep_error(result: Result<()>, failed: &mut Option<Error>) {
    if let Err(error) = result {
        failed.get_or_insert(error);
    }
}
