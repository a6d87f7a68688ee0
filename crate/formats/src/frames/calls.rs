//! Call stacks, rebuilt from the instructions that call and return.
//!
//! The trace tells neither calls nor returns, only which instruction was executed after which. So each call is remembered
//! with the address that it returns to, and a return ends the call that expects the address at which the thread goes on:
//!
//! ```text
//!   call f      ── f expects a return to A ──┐
//!   A: …                                     │
//!   f: call g   ── g expects B               │
//!   B: …                                     │
//!   g: jmp h    (a tail call: nothing)       │
//!   h: ret      goes on at B: g ends         │
//!      longjmp  goes on at A: f ends, and all above it with an end that is inferred
//! ```
//!
//! What looks like a call but goes on behind itself is none: a condition that did not hold, `call $+5`, a callee that was
//! not traced. A return that goes to no known place while calls are open is a jump in disguise. While none are, the
//! code at hand was called before the recording: its slice ends, and its caller's begins.

use alloc::format;
use alloc::vec::Vec;

use hashbrown::HashMap;

use crate::batch::{EventBatch, EventKind, TrackDef, TrackId, TrackKind};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::names::Texts;
use crate::problem::{Problem, RETURN_WITHOUT_CALL, TOO_DEEP};

use super::flow::{Flow, flow};
use super::machine::{ByteOrder, Isa};

/// Deeper calls are followed but not shown: each depth costs the store a column.
const SHOWN: usize = 10_000;
/// How deep a return looks for its call.
const SEARCHED: usize = 4096;
/// For so many instructions of four bytes after one of two, code is taken to be Thumb when nothing says what it is.
const THUMB_STICKS: u8 = 16;

/// An instruction as far as stacks are concerned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'a> {
    pub(crate) index: u64,
    /// Where its frame lies.
    pub(crate) locator: u64,
    pub(crate) address: u64,
    pub(crate) thread: u64,
    /// Its first bytes, and how many there are.
    pub(crate) bytes: &'a [u8],
    pub(crate) len: u64,
    pub(crate) mode: &'a [u8],
}

/// The stacks of all threads.
#[derive(Debug)]
pub(crate) struct Calls {
    isa: Isa,
    order: ByteOrder,
    threads: Vec<Thread>,
    by_id: HashMap<u64, usize>,
    latest: usize,
    by_address: HashMap<u64, u32>,
}

#[derive(Debug)]
struct Thread {
    id: u64,
    track: TrackId,
    /// Name of the slice of the code that nobody is known to have called.
    outermost: Option<u32>,
    stack: Vec<Open>,
    pending: Pending,
    /// Time of the last event: none may come before it.
    time: u64,
    thumb: u8,
    told_depth: bool,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    back: u64,
    name: u32,
    /// Of the caller, which goes on in its own set.
    thumb: u8,
}

/// What the thread's next instruction decides. `slot` is where a delay slot lies, which is executed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pending {
    Nothing,
    Call { back: u64, locator: u64, slot: Option<u64> },
    Return { after: u64, next: u64, locator: u64, slot: Option<u64> },
    Jump { after: u64, slot: Option<u64> },
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

impl Calls {
    pub(crate) fn new(isa: Isa) -> Self {
        Self {
            isa,
            order: ByteOrder::default(),
            threads: Vec::new(),
            by_id: HashMap::new(),
            latest: 0,
            by_address: HashMap::new(),
        }
    }

    /// What has been found of the byte order.
    pub(crate) fn order(&self) -> &ByteOrder {
        &self.order
    }

    /// The track of a thread, for an instant at `time`; the thread is new if it has none.
    pub(crate) fn track(&mut self, id: u64, time: u64, at: u64, cx: &mut Context<'_>) -> Result<TrackId> {
        let i = self.thread(id, at, cx)?;
        let Some(thread) = self.threads.get_mut(i) else { return Ok(0) };
        thread.time = thread.time.max(time);
        Ok(thread.track)
    }

    #[inline]
    fn thread(&mut self, id: u64, at: u64, cx: &mut Context<'_>) -> Result<usize> {
        if self.threads.get(self.latest).is_some_and(|t| t.id == id) {
            return Ok(self.latest);
        }
        self.latest = match self.by_id.get(&id) {
            Some(i) => *i,
            None => {
                let def = TrackDef::new(TrackKind::Thread, format!("thread {id}"));
                let track = cx.define(def, at)?;
                let i = self.threads.len();
                self.by_id.insert(id, i);
                self.threads.push(Thread {
                    id,
                    track,
                    outermost: None,
                    stack: Vec::new(),
                    pending: Pending::Nothing,
                    time: 0,
                    thumb: 0,
                    told_depth: false,
                });
                i
            }
        };
        Ok(self.latest)
    }

    /// An instruction was executed.
    pub(crate) fn step(&mut self, step: &Step<'_>, cx: &mut Context<'_>) -> Result<()> {
        let i = self.thread(step.thread, step.locator, cx)?;
        let Self { isa, order, threads, by_address, .. } = self;
        let Some(thread) = threads.get_mut(i) else { return Ok(()) };
        let mut name_of = |address: u64, cx: &mut Context<'_>| -> Result<u32> {
            if let Some(name) = by_address.get(&address) {
                return Ok(*name);
            }
            let name = cx.names.once(format!("{address:#x}"), step.locator, cx.limits.names, cx.out)?;
            by_address.insert(address, name);
            Ok(name)
        };
        let address = if *isa == Isa::Arm { step.address & !1 } else { step.address };
        let is_slot = thread.pending.enters_slot(address);
        match thread.pending {
            // The next one decides; what is in a slot neither calls nor returns.
            _ if is_slot => {}
            Pending::Nothing => {}
            Pending::Call { back, locator, .. } if back != address => {
                let name = name_of(address, cx)?;
                thread.call(back, name, step.index, locator, cx.out);
            }
            Pending::Call { .. } => {}
            Pending::Jump { after, .. } => {
                // Back to the caller without a return: the callee's end was not traced.
                if thread.stack.last().is_some_and(|top| top.back == address) {
                    thread.close(thread.stack.len() - 1, after, step.locator, cx.out);
                }
            }
            Pending::Return { after, next, locator, .. } => {
                if let Some(i) = thread.expecting(address) {
                    thread.close(i, after, locator, cx.out);
                } else if address != next
                    && thread.stack.is_empty()
                    && let Some(name) = thread.outermost.take()
                {
                    let time = thread.at(after);
                    cx.out.push(EventKind::End, thread.track, time, name, locator);
                    let value = address;
                    cx.out.problems.push(Problem { at: locator, kind: &RETURN_WITHOUT_CALL, value });
                }
            }
        }
        if is_slot {
            return Ok(());
        }
        thread.pending = Pending::Nothing;
        if thread.outermost.is_none() {
            let name = name_of(address, cx)?;
            thread.outermost = Some(name);
            let time = thread.at(step.index);
            cx.out.push(EventKind::Begin, thread.track, time, name, step.locator);
        }
        order.look(*isa, step.bytes);
        let thumb = *isa == Isa::Arm && thread.is_thumb(step);
        let flow = flow(*isa, step.bytes, step.len, order.is_big(*isa), thumb);
        let slot = |slot: bool| slot.then(|| address.wrapping_add(4));
        let after = step.index + 1;
        thread.pending = match flow {
            Flow::Next => return Ok(()),
            Flow::Call { back, slot: s } => {
                Pending::Call { back: self.isa.wrap(address, back), locator: step.locator, slot: slot(s) }
            }
            Flow::Return { slot: s } => {
                Pending::Return { after, next: address.wrapping_add(step.len), locator: step.locator, slot: slot(s) }
            }
            Flow::Jump { slot: s } => Pending::Jump { after, slot: slot(s) },
        };
        Ok(())
    }

    /// The trace is over: what returned last did so from the innermost call.
    pub(crate) fn finish(&mut self, out: &mut EventBatch) {
        for thread in &mut self.threads {
            if let Pending::Return { after, locator, .. } = thread.pending
                && !thread.stack.is_empty()
            {
                thread.close(thread.stack.len() - 1, after, locator, out);
            }
            thread.pending = Pending::Nothing;
        }
    }
}

impl Pending {
    /// Whether the address is that of the delay slot that is to come; it comes but once.
    fn enters_slot(&mut self, address: u64) -> bool {
        let slot = match self {
            Self::Nothing => return false,
            Self::Call { slot, .. } | Self::Return { slot, .. } | Self::Jump { slot, .. } => slot,
        };
        let enters = *slot == Some(address);
        *slot = None;
        if let (true, Self::Return { after, .. } | Self::Jump { after, .. }) = (enters, &mut *self) {
            *after = after.saturating_add(1);
        }
        enters
    }
}

impl Isa {
    /// Where a call returns to. Addresses of 16 and 32 bits wrap around.
    fn wrap(self, address: u64, back: u8) -> u64 {
        let sum = address.wrapping_add(back.into());
        match self {
            Self::X86(32) if address <= u64::from(u32::MAX) => sum & u64::from(u32::MAX),
            _ => sum,
        }
    }
}

impl Thread {
    /// A time that is not before the last one.
    fn at(&mut self, time: u64) -> u64 {
        self.time = self.time.max(time);
        self.time
    }

    fn call(&mut self, back: u64, name: u32, time: u64, locator: u64, out: &mut EventBatch) {
        if self.stack.len() < SHOWN {
            let time = self.at(time);
            out.push(EventKind::Begin, self.track, time, name, locator);
        } else if !self.told_depth {
            self.told_depth = true;
            out.problems.push(Problem { at: locator, kind: &TOO_DEEP, value: SHOWN as u64 });
        }
        self.stack.push(Open { back, name, thumb: self.thumb });
    }

    /// The innermost call that returns to this address.
    fn expecting(&self, address: u64) -> Option<usize> {
        let from = self.stack.len().saturating_sub(SEARCHED);
        let found = self.stack.get(from..)?.iter().rposition(|open| open.back == address)?;
        Some(from + found)
    }

    /// Ends a call and those above it.
    fn close(&mut self, at: usize, time: u64, locator: u64, out: &mut EventBatch) {
        let time = self.at(time);
        let Some(Open { name, thumb, .. }) = self.stack.get(at).copied() else { return };
        self.thumb = thumb;
        // An end closes the innermost slice of its name: those of the same name above go first.
        let shown = self.stack.len().min(SHOWN);
        for open in self.stack.get(at..shown).unwrap_or_default() {
            if open.name == name {
                out.push(EventKind::End, self.track, time, name, locator);
            }
        }
        self.stack.truncate(at);
    }

    /// Whether an instruction of ARM is one of Thumb: the tracer may say so; otherwise its length and place tell, and
    /// four bytes among two are of the same set.
    fn is_thumb(&mut self, step: &Step<'_>) -> bool {
        match step.mode {
            b"arm:t32" => return true,
            b"arm:a32" if step.len == 4 => return false,
            _ => {}
        }
        if step.len == 2 || step.address & 3 != 0 {
            self.thumb = THUMB_STICKS;
            return true;
        }
        self.thumb = self.thumb.saturating_sub(1);
        self.thumb > 0
    }
}

/// What stands in the way of going on, if anything: names and tracks have limits.
pub(crate) fn or_remember(result: Result<()>, failed: &mut Option<Error>) {
    if let Err(error) = result {
        failed.get_or_insert(error);
    }
}
