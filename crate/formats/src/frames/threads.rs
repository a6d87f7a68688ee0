//! Instructions of threads on their way to call stacks, and what becomes of these on the way to a batch.
//!
//! The stacks are those of [`crate::code::stack`]; here they get what a frame has: a thread, a mode, and the stack pointer
//! where it is among the operands.

use alloc::format;
use alloc::vec::Vec;

use hashbrown::HashMap;

use crate::batch::{EventBatch, EventKind, Key, Name, SliceKind, TrackDef, TrackId, TrackKind};
use crate::code::flow::{Flow, Opening, Reading, flow, opening};
use crate::code::isa::{ByteOrder, Isa, StackPointer};
use crate::code::loaded;
use crate::code::pointer::{Move, moves};
use crate::code::stack::{Arrival, Departure, Entered, Note, Program, Rules, Sink, Stack};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::locator::Locator;
use crate::names::Texts;

use super::instruction;

/// For this many instructions of four bytes after one of two, code is taken to be Thumb when nothing says what it is.
const THUMB_STICKS: u8 = 16;

/// An instruction as far as stacks are concerned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'a> {
    pub(crate) index: u64,
    /// Where its frame lies.
    pub(crate) locator: Locator,
    pub(crate) address: u64,
    pub(crate) thread: u64,
    /// Its first bytes, and how many there are.
    pub(crate) bytes: &'a [u8],
    pub(crate) len: u64,
    pub(crate) mode: &'a [u8],
    pub(crate) pointer: Pointer<'a>,
}

/// The stack pointer among the operands of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pointer<'a> {
    /// To be found in lists of operands: few instructions need it.
    Listed {
        read: &'a [u8],
        written: &'a [u8],
    },
    Known {
        read: Option<u64>,
        written: Option<u64>,
    },
}

impl Pointer<'_> {
    /// Among the values read. Of several the first is what there was before the instruction.
    fn read(self, names: StackPointer) -> Option<u64> {
        match self {
            Self::Listed { read, .. } => instruction::stack_pointers(read, names).next(),
            Self::Known { read, .. } => read,
        }
    }

    /// Among the values written. Of several the last counts.
    fn written(self, names: StackPointer) -> Option<u64> {
        match self {
            Self::Listed { written, .. } => instruction::stack_pointers(written, names).last(),
            Self::Known { written, .. } => written,
        }
    }
}

/// The stacks of all threads.
#[derive(Debug)]
pub(crate) struct Threads {
    isa: Isa,
    /// What the stack pointer is called.
    pointer: StackPointer,
    order: ByteOrder,
    threads: Vec<Thread>,
    by_id: HashMap<u64, usize>,
    latest: usize,
    names: Addresses,
    program: Program,
}

#[derive(Debug)]
struct Thread {
    id: u64,
    track: TrackId,
    stack: Stack,
    /// Time of the last event: none may come before it.
    time: u64,
    /// The stack pointer after the last instruction, if that was a call, a return or a jump.
    pointer: Option<u64>,
    /// The last instruction set the stack pointer.
    moved: bool,
    /// The number that the last instruction loaded for a system call.
    number: Option<u32>,
}

/// Numbers of names, by what they stand for.
#[derive(Debug, Default)]
struct Addresses {
    calls: HashMap<u64, u32>,
    /// By address the latest of what is no call.
    handlers: HashMap<u64, u32>,
    others: Vec<Other>,
}

/// The name of what is no call. There may be several of one address.
#[derive(Debug)]
struct Other {
    kind: SliceKind,
    number: Option<u64>,
    name: u32,
    /// The one before it at the same address.
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

/// What is needed beside the stacks.
pub(crate) struct Context<'a> {
    pub(crate) names: &'a mut Texts,
    pub(crate) tracks: &'a mut u32,
    pub(crate) limits: &'a Limits,
    pub(crate) out: &'a mut EventBatch,
}

impl Context<'_> {
    /// The number of the next track, which is defined now.
    pub(crate) fn define(&mut self, def: TrackDef, at: u64) -> Result<TrackId> {
        let track = *self.tracks;
        self.limits.check_tracks(track as usize + 1, at)?;
        *self.tracks += 1;
        self.out.new_tracks.push(def);
        Ok(track)
    }
}

impl Threads {
    pub(crate) fn new(isa: Isa) -> Self {
        Self {
            isa,
            pointer: isa.stack_pointer(),
            order: ByteOrder::default(),
            threads: Vec::new(),
            by_id: HashMap::new(),
            latest: 0,
            names: Addresses::default(),
            program: Program::default(),
        }
    }

    /// What has been found of the byte order.
    pub(crate) fn order(&self) -> &ByteOrder {
        &self.order
    }

    /// An instant of this name on a thread, which is new if it is not known yet.
    pub(crate) fn point(&mut self, id: u64, name: u32, time: u64, at: u64, cx: &mut Context<'_>) -> Result<()> {
        let i = self.thread(id, at, cx)?;
        let Self { threads, names, .. } = self;
        let Some(thread) = threads.get_mut(i) else { return Ok(()) };
        let mut sink = StackToBatch { track: thread.track, time: &mut thread.time, names, cx, at, failed: None };
        thread.stack.point(name, time, Locator::at(at), &mut sink);
        Ok(())
    }

    /// A frame tells the number of the system call that a thread has made.
    pub(crate) fn system_call(&mut self, thread: u64, number: u64) {
        if let Some(thread) = self.known(thread) {
            thread.stack.system_call(number);
        }
    }

    /// A frame tells an exception of a thread: its number, the interrupted address, and that of its handler.
    pub(crate) fn except(&mut self, thread: u64, number: Option<u64>, from: Option<u64>, to: Option<u64>) {
        if let Some(thread) = self.known(thread) {
            thread.stack.except(number, from, to);
        }
    }

    fn known(&mut self, id: u64) -> Option<&mut Thread> {
        self.threads.get_mut(*self.by_id.get(&id)?)
    }

    #[inline]
    fn thread(&mut self, id: u64, at: u64, cx: &mut Context<'_>) -> Result<usize> {
        if self.threads.get(self.latest).is_some_and(|t| t.id == id) {
            return Ok(self.latest);
        }
        self.latest = match self.by_id.get(&id) {
            Some(i) => *i,
            None => {
                let number = i64::try_from(id).ok();
                let def = TrackDef { id: number, ..TrackDef::new(TrackKind::Thread, format!("thread {id}")) };
                let track = cx.define(def, at)?;
                let i = self.threads.len();
                self.by_id.insert(id, i);
                self.threads.push(Thread {
                    id,
                    track,
                    stack: Stack::default(),
                    time: 0,
                    pointer: None,
                    moved: false,
                    number: None,
                });
                i
            }
        };
        Ok(self.latest)
    }

    /// An instruction was executed.
    pub(crate) fn step(&mut self, step: &Step<'_>, cx: &mut Context<'_>) -> Result<()> {
        let i = self.thread(step.thread, step.locator.position(), cx)?;
        let Self { isa, pointer, order, threads, names, program, .. } = self;
        let Some(thread) = threads.get_mut(i) else { return Ok(()) };
        let address = if *isa == Isa::Arm { step.address & !1 } else { step.address };
        // What is in a delay slot neither calls nor returns.
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
            // Tracers that do not list what is written leave the effect of the instruction to be known.
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

    /// The trace is over.
    pub(crate) fn finish(&mut self, cx: &mut Context<'_>) {
        self.each(cx, |stack, sink| stack.finish(sink));
    }

    /// No more of the trace is read.
    pub(crate) fn settle(&mut self, cx: &mut Context<'_>) {
        self.each(cx, |stack, sink| stack.settle(sink));
    }

    fn each(&mut self, cx: &mut Context<'_>, act: fn(&mut Stack, &mut StackToBatch<'_, '_>)) {
        let Self { threads, names, .. } = self;
        for thread in threads {
            let mut sink = StackToBatch { track: thread.track, time: &mut thread.time, names, cx, at: 0, failed: None };
            act(&mut thread.stack, &mut sink);
        }
    }
}

/// The sink that fills a batch.
struct StackToBatch<'a, 'b> {
    track: TrackId,
    time: &'a mut u64,
    names: &'a mut Addresses,
    cx: &'a mut Context<'b>,
    /// Where the frame at hand lies.
    at: u64,
    failed: Option<Error>,
}

impl StackToBatch<'_, '_> {
    /// A time that is not before the last one.
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
            (SliceKind::Call | SliceKind::Group, _) => format!("{address:#x}"),
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

/// Whether an instruction of ARM is one of Thumb, and whether that is certain. The tracer may say so; otherwise its length and
/// place tell, and four bytes among two are of the same set. `sticky` is the thread's memory of that.
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

/// What stands in the way of going on, if anything: names and tracks have limits.
pub(crate) fn or_remember(result: Result<()>, failed: &mut Option<Error>) {
    if let Err(error) = result {
        failed.get_or_insert(error);
    }
}
