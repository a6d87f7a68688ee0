//! Inputs and outputs of a call stack: the vocabulary of [`super::stack`].

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::ops::Deref;

use unspool_trace::batch::SliceKind;
use unspool_trace::locator::Locator;

use super::flow::{Flow, Opening};
use super::isa::Isa;
use super::pointer::Move;

/// What was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entered {
    /// Call, interrupt, signal or exception.
    pub kind: SliceKind,
    /// Where it begins.
    pub address: u64,
    /// Number of the exception, if recorded.
    pub number: Option<u64>,
    /// Whether the entry is a guess.
    pub guessed: bool,
}

impl Entered {
    /// A certain entry without an exception number.
    pub fn new(kind: SliceKind, address: u64) -> Self {
        Self { kind, address, number: None, guessed: false }
    }
}

/// A guess, or something notable, about the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// A jump left this many calls that did not return.
    LeftByJump(u64),
    /// This many calls were probably left by an exception; nothing confirms the landing address.
    LandingGuessed(u64),
    /// A handler at this address probably began immediately after a return.
    HandlerGuessed(u64),
    /// The instruction at this address returned to a caller whose call is not in the trace.
    CallerUncovered(u64),
    /// Calls are nested deeper than [`unspool_trace::limits::SHOWN`].
    TooDeep,
    /// Execution continued at unexpected addresses, the last of them this one, too often to tell
    /// handlers from gaps. No handlers are shown from here on.
    Gaps(u64),
}

/// Receives the events of a stack. Names are the numbers that [`Sink::name`] returns.
pub trait Sink {
    /// Returns the number of the name, and whether the name is new.
    fn name(&mut self, entered: Entered) -> (u32, bool);
    /// Begins a slice with `flags`.
    fn begin(&mut self, name: u32, time: u64, locator: Locator, flags: u8);
    /// Begins the slice of code whose call is not in the trace. With `below`, the slice has been
    /// open since the track began and lies below everything on it.
    fn outermost(&mut self, name: u32, below: bool, time: u64, locator: Locator);
    /// Ends the slice that began with this name and locator, and adds `flags` to it.
    fn end(&mut self, name: u32, began: Locator, time: u64, flags: u8);
    /// Adds an instant.
    fn point(&mut self, name: u32, time: u64, locator: Locator);
    /// Reports a note about the record at `locator`.
    fn note(&mut self, note: Note, locator: Locator);
}

/// Facts about the program that all of its threads share.
#[derive(Debug, Default)]
pub struct Program {
    /// Entry addresses of the functions called so far.
    pub(super) functions: BTreeSet<u64>,
    /// Entry addresses of handlers that have returned from a signal.
    pub(super) handlers: Vec<u64>,
}

impl Program {
    /// Bytes of memory, about: nodes of the set are half full at least.
    pub fn bytes(&self) -> u64 {
        (self.functions.len() * 2 * size_of::<u64>() + self.handlers.capacity() * size_of::<u64>()) as u64
    }

    /// Entry address of the function that contains `address`. `None` if no function at or before it
    /// was called.
    pub(super) fn function_of(&self, address: u64) -> Option<u64> {
        self.functions.range(..=address).next_back().copied()
    }

    pub(super) fn same_function(&self, a: u64, b: u64) -> bool {
        self.function_of(a).is_some_and(|f| self.function_of(b) == Some(f))
    }
}

/// The instruction that execution reaches.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Its address.
    pub address: u64,
    /// The stack pointer before it, if known.
    pub stack: Option<u64>,
    /// What it does with the return address, if it is the first instruction of a callee.
    pub opening: Opening,
    /// Number of the instruction: its position on the x axis.
    pub time: u64,
    /// Its record.
    pub locator: Locator,
}

/// Where the last instruction of a run goes.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// What the instruction does to control flow.
    pub flow: Flow,
    /// Its address.
    pub address: u64,
    /// Address of the instruction that follows it in memory.
    pub next: u64,
    /// Position on the x axis of its end.
    pub after: u64,
    /// Its record.
    pub locator: Locator,
    /// The stack pointer after it, if known.
    pub stack: Option<u64>,
    /// What it does to the stack pointer.
    pub moves: Move,
}

/// The last instruction, with what is known by the time execution continues.
#[derive(Clone, Copy, Debug)]
pub(super) struct Last {
    pub(super) departure: Departure,
    /// Number of the system call, if recorded.
    pub(super) system_call: Option<u64>,
    pub(super) raised: Option<Raised>,
    /// Since the last call or return: when the stack pointer was set, and when a word was last
    /// popped after that.
    pub(super) unwound: Option<(u64, u64)>,
}

impl Deref for Last {
    type Target = Departure;

    fn deref(&self) -> &Departure {
        &self.departure
    }
}

/// A recorded exception, before the first instruction of its handler. Addresses are `None` if the
/// trace does not have them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raised {
    pub(super) number: Option<u64>,
    pub(super) from: Option<u64>,
    pub(super) to: Option<u64>,
    /// Exceptions before it whose handlers have not executed anything.
    pub(super) waiting: Waiting,
}

/// Numbers of exceptions whose handlers execute once the handler of a later one has returned, the
/// latest last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waiting {
    numbers: [Option<u64>; 4],
    count: usize,
}

impl Waiting {
    /// Adds one. Further ones than there is room for are forgotten.
    pub(super) fn push(&mut self, number: Option<u64>) {
        if let Some(place) = self.numbers.get_mut(self.count) {
            *place = number;
            self.count += 1;
        }
    }

    /// Takes the latest one: its number, if recorded.
    pub(super) fn pop(&mut self) -> Option<Option<u64>> {
        self.count = self.count.checked_sub(1)?;
        self.numbers.get(self.count).copied()
    }
}

/// How a trace is interpreted.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Its instruction set.
    pub isa: Isa,
    /// Whether handlers are inferred: every instruction is recorded, but interrupts and signals are
    /// not.
    pub infers_handlers: bool,
}
