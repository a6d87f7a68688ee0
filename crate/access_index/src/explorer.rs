//! The index together with the file that it is of.

use core::ops::Range;

use hashbrown::HashMap;
use unspool_formats::open_steps;
use unspool_records::{ByteSource, Reads, Unreadable, Window, drive};
use unspool_trace::Error;
use unspool_trace::records::Pass;
use unspool_trace::steps::{self, Access, Place, Step, StepVisitor, Steps, SystemCall};

use crate::index::{AccessIndex, Cell, Keeps};
use crate::memory::Byte;
use crate::registers::{Register, differ};
use crate::{Kind, Moment, Toward};

/// Bytes that are read at once while the index is built, and for a question.
pub(crate) const AHEAD: usize = 8 << 20;
const STRETCH: usize = 256 << 10;

/// An access in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Its step.
    pub step: u64,
    /// The thread of the step, or the one whose register it is.
    pub thread: Option<u64>,
    /// It is a write, otherwise a read.
    pub written: bool,
    /// Name of the register. `None` for memory.
    pub register: Option<String>,
    /// Address in memory; 0 for registers.
    pub address: u64,
    /// The bytes: a register's in little-endian order, memory's in the order of addresses.
    pub value: Vec<u8>,
}

/// An index that is built from a file, and what the file adds to its answers.
pub struct Explorer<S> {
    steps: Box<dyn Steps>,
    source: S,
    window: Window,
    index: AccessIndex,
    pieces: u32,
    /// The next piece to be read.
    next: u32,
    /// Number of pieces that were read for questions.
    visits: u64,
}

impl<S: ByteSource> Explorer<S> {
    /// An explorer that has read nothing yet. `format` and `records` are the id of the format and
    /// the index that its decoder handed over, `limit` the most bytes of memory for the index.
    ///
    /// # Errors
    ///
    /// Returns [`unspool_trace::Cause::Misuse`] if the format does not say what steps access, or
    /// for bytes that are not an index.
    pub fn open(format: &str, records: &[u8], source: S, keeps: Keeps, limit: usize) -> Result<Self, Error> {
        Ok(Self::new(open_steps(format, records)?, source, keeps, limit))
    }

    /// An explorer of steps that are read from `source`.
    pub fn new(steps: Box<dyn Steps>, source: S, keeps: Keeps, limit: usize) -> Self {
        let pieces = steps.pieces();
        let number = pieces.len() as u32;
        let index = AccessIndex::new(pieces, steps.count(), keeps, limit);
        Self { steps, source, window: Window::default(), index, pieces: number, next: 0, visits: 0 }
    }

    /// The index, without steps that came since [`Explorer::seal`].
    pub fn index(&self) -> &AccessIndex {
        &self.index
    }

    /// Number of pieces read, and of all.
    pub fn progress(&self) -> (u32, u32) {
        (self.next, self.pieces)
    }

    /// Number of pieces of the file that were read for questions: what these cost.
    pub fn visits(&self) -> u64 {
        self.visits
    }

    /// Steps before this one are in the index. The number of all steps at the end.
    pub fn built(&self) -> u64 {
        self.index.steps_of(self.next).start
    }

    /// Number of steps of the trace.
    pub fn count(&self) -> u64 {
        self.steps.count()
    }

    /// Whether numbers in memory have their most significant byte first.
    pub fn is_big_endian(&self) -> bool {
        self.steps.is_big_endian()
    }

    /// Whether the register with this name is the stack pointer.
    pub fn is_stack_pointer(&self, name: &str) -> bool {
        self.steps.is_stack_pointer(name)
    }

    /// Reads `budget` further pieces into the index. Returns whether there is nothing more to read:
    /// the trace ends, or [`AccessIndex::is_full`].
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn build(&mut self, budget: u32) -> Result<bool, Unreadable> {
        let end = self.next.saturating_add(budget.max(1)).min(self.pieces);
        if self.next < end && !self.index.is_full() {
            let mut pass = self.steps.pass(self.next..end);
            run(&mut *pass, &self.source, &mut self.window, AHEAD, &mut self.index)?;
            self.next = end;
        }
        Ok(self.next == self.pieces || self.index.is_full())
    }

    /// Makes everything that was read part of the answers.
    pub fn seal(&mut self) {
        self.index.seal();
    }

    /// The registers at a moment, of a thread or of that of the step, in the order in which the
    /// trace names them first. For the moment before a step, what the step writes is with them
    /// ([`Register::next`]). Also the accesses of the step.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn registers(&mut self, moment: Moment, thread: Option<u64>) -> Result<State, Unreadable> {
        let number = moment.step();
        let piece = self.index.piece_of(number);
        let mut thread = thread;
        if thread.is_none() {
            let mut found = ThreadOf { step: number, thread: None, is_over: false };
            self.visit(piece, &mut found)?;
            thread = found.thread;
        }
        let registers = self.index.registers_at_piece(thread, piece);
        let places = registers.iter().map(|register| register.name.clone()).zip(0..).collect();
        let mut at =
            RegistersAt { moment, thread, registers, places, step: None, accesses: Vec::new(), is_over: false };
        self.visit(piece, &mut at)?;
        let RegistersAt { registers, step, accesses, .. } = at;
        let here = step.filter(|step| step.number == number);
        Ok(State { thread, address: here.and_then(|step| step.address), registers, accesses })
    }

    /// The nearest step that executes the same address as a step. `None` if there is none, or the
    /// step executes nothing.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn nearest_execution(&mut self, step: u64, toward: Toward) -> Result<Option<u64>, Unreadable> {
        let mut found = AddressOf { step, address: None, is_over: false };
        self.visit(self.index.piece_of(step), &mut found)?;
        let Some(address) = found.address else { return Ok(None) };
        let before = self.index.executions_before(address, step);
        let wanted = match toward {
            Toward::Next => Some(before + 1),
            Toward::Previous => before.checked_sub(1),
        };
        Ok(wanted.and_then(|wanted| self.index.executions(address, wanted..wanted + 1).first().copied()))
    }

    /// Bytes of memory at a moment, with their values.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn memory(&mut self, moment: Moment, address: u128, len: usize) -> Result<Vec<Option<Byte>>, Unreadable> {
        let mut bytes = self.index.memory(moment, address, len);
        let mut steps: Vec<u64> =
            bytes.iter().flatten().filter(|byte| byte.value.is_none()).map(|byte| byte.step).collect();
        steps.sort_unstable();
        steps.dedup();
        for detail in self.accesses(&steps, &Cell::Memory { address, len })? {
            for (at, value) in (u128::from(detail.address)..).zip(&detail.value) {
                let known = at.checked_sub(address).and_then(|at| bytes.get_mut(usize::try_from(at).ok()?)?.as_mut());
                if let Some(byte) = known.filter(|byte| byte.step == detail.step && byte.written == detail.written) {
                    byte.value = Some(*value);
                }
            }
        }
        Ok(bytes)
    }

    /// The accesses of a cell by some steps, ascending, in the order of the file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn accesses(&mut self, steps: &[u64], cell: &Cell) -> Result<Vec<Detail>, Unreadable> {
        self.accesses_of(steps, &Wanted::Cell(cell))
    }

    /// The accesses of a register of any of these threads by some steps, ascending, in the order of
    /// the steps, and of a step in that of the threads. It reads each piece of the file once,
    /// whatever number of threads the steps are of.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn accesses_of_register(
        &mut self,
        steps: &[u64],
        name: &str,
        threads: &[Option<u64>],
    ) -> Result<Vec<Detail>, Unreadable> {
        let order: HashMap<Option<u64>, usize> = threads.iter().copied().zip(0..).collect();
        let mut found = self.accesses_of(steps, &Wanted::Register { name, threads: &order })?;
        found.sort_by_key(|access| (access.step, order.get(&access.thread).copied()));
        Ok(found)
    }

    fn accesses_of(&mut self, steps: &[u64], wanted: &Wanted<'_>) -> Result<Vec<Detail>, Unreadable> {
        let mut found = Accesses { steps, wanted, step: None, found: Vec::new() };
        while let Some(step) = found.steps.first() {
            let piece = self.index.piece_of(*step);
            // Steps of the piece that do not exist are passed over, too.
            let end = self.index.steps_of(piece).end.max(*step + 1);
            self.visit(piece, &mut found)?;
            let passed = found.steps.iter().take_while(|step| **step < end).count();
            found.steps = found.steps.get(passed..).unwrap_or_default();
        }
        Ok(found.found)
    }

    /// The system call that a step's instruction makes, by the registers before it, which are those
    /// of [`Explorer::registers`]. `None` if it makes none.
    pub fn system_call(&self, step: u64, state: &State) -> Option<SystemCall> {
        state.address.filter(|_| self.index.is_system_call(step))?;
        let register = |name: &str| {
            let found = state.registers.iter().find(|register| register.name.eq_ignore_ascii_case(name))?;
            let value = found.value.as_deref()?;
            Some(value.iter().take(8).rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
        };
        self.steps.system_call(&register)
    }

    /// [`AccessIndex::nearest`].
    pub fn nearest(&self, step: u64, cell: &Cell, kind: Kind, toward: Toward) -> Option<u64> {
        self.index.nearest(step, cell, kind, toward)
    }

    /// [`AccessIndex::history`].
    pub fn history(&self, cell: &Cell, steps: Range<u64>) -> Vec<(u64, bool, bool)> {
        self.index.history(cell, steps)
    }

    /// Passes the steps of a piece to a visitor.
    pub(crate) fn visit(&mut self, piece: u32, visitor: &mut dyn StepVisitor) -> Result<(), Unreadable> {
        self.visits += 1;
        let mut pass = self.steps.pass(piece..piece.saturating_add(1));
        run(&mut *pass, &self.source, &mut self.window, STRETCH, visitor)
    }
}

/// Registers at a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The thread whose registers these are.
    pub thread: Option<u64>,
    /// The address of the instruction that the step executes.
    pub address: Option<u64>,
    /// The registers that are known.
    pub registers: Vec<Register>,
    /// What the step accesses, in the order of the file.
    pub accesses: Vec<Detail>,
}

/// Runs a pass to its end, or until its visitor is full. `ahead`: bytes that are read at once.
pub(crate) fn run(
    pass: &mut dyn Pass<steps::Accesses>,
    source: &impl ByteSource,
    window: &mut Window,
    ahead: usize,
    visitor: &mut dyn StepVisitor,
) -> Result<(), Unreadable> {
    match drive(&mut (pass, visitor), source, window, Reads::ahead(ahead))? {
        // The decoder of the timeline saw more.
        Some(_) => Err(Unreadable::Changed),
        None => Ok(()),
    }
}

/// Finds the thread of a step, or else that of the latest step before it, or of the next one.
struct ThreadOf {
    step: u64,
    thread: Option<u64>,
    is_over: bool,
}

impl StepVisitor for ThreadOf {
    fn begin(&mut self, step: &Step) -> bool {
        if step.number <= self.step || self.thread.is_none() {
            self.thread = step.thread.or(self.thread);
        }
        self.is_over = step.number >= self.step && self.thread.is_some();
        false
    }

    fn access(&mut self, _access: &Access<'_>) {}

    fn is_full(&self) -> bool {
        self.is_over
    }
}

/// Finds the address that a step executes.
struct AddressOf {
    step: u64,
    address: Option<u64>,
    is_over: bool,
}

impl StepVisitor for AddressOf {
    fn begin(&mut self, step: &Step) -> bool {
        self.is_over = step.number >= self.step;
        if step.number == self.step {
            self.address = step.address;
        }
        false
    }

    fn access(&mut self, _access: &Access<'_>) {}

    fn is_full(&self) -> bool {
        self.is_over
    }
}

/// Takes registers from the beginning of a piece to a moment in it.
struct RegistersAt {
    moment: Moment,
    thread: Option<u64>,
    registers: Vec<Register>,
    /// The index of each of them, by name.
    places: HashMap<String, usize>,
    /// The current step.
    step: Option<Step>,
    accesses: Vec<Detail>,
    is_over: bool,
}

impl StepVisitor for RegistersAt {
    fn begin(&mut self, step: &Step) -> bool {
        // The first step after the moment is not looked at any more.
        self.is_over = step.number > self.moment.step();
        if !self.is_over {
            self.step = Some(*step);
        }
        !self.is_over
    }

    fn access(&mut self, access: &Access<'_>) {
        let Some(step) = self.step else { return };
        if step.number == self.moment.step() {
            self.accesses.push(detail(&step, access));
        }
        let Place::Register(name) = access.place else { return };
        if access.thread != self.thread {
            return;
        }
        let known = self.places.get(name).copied();
        let at = known.unwrap_or(self.registers.len());
        if known.is_none() {
            self.places.insert(name.into(), at);
            self.registers.push(Register { name: name.into(), ..Register::default() });
        }
        let Some(register) = self.registers.get_mut(at) else { return };
        if !self.moment.includes(step.number, access.written) {
            register.next = Some(access.value.into());
            return;
        }
        let is_other = register.is_ours && differ(register.value.as_deref().unwrap_or_default(), access.value);
        register.changed = !access.written && (register.changed || is_other);
        register.is_ours |= access.written;
        register.value = Some(access.value.into());
        (register.step, register.written) = (step.number, access.written);
    }

    fn is_full(&self) -> bool {
        self.is_over
    }
}

/// Which accesses are collected.
enum Wanted<'a> {
    /// Those of a cell.
    Cell(&'a Cell),
    /// Those of a register of these threads.
    Register { name: &'a str, threads: &'a HashMap<Option<u64>, usize> },
}

/// Collects accesses by some steps.
struct Accesses<'a> {
    /// The steps that are still to come, ascending.
    steps: &'a [u64],
    wanted: &'a Wanted<'a>,
    step: Option<Step>,
    found: Vec<Detail>,
}

impl StepVisitor for Accesses<'_> {
    fn begin(&mut self, step: &Step) -> bool {
        let passed = self.steps.iter().take_while(|wanted| **wanted < step.number).count();
        self.steps = self.steps.get(passed..).unwrap_or_default();
        self.step = Some(*step);
        self.steps.first() == Some(&step.number)
    }

    fn access(&mut self, access: &Access<'_>) {
        let is_meant = match (self.wanted, access.place) {
            (Wanted::Cell(Cell::Register { thread, name }), Place::Register(of)) => {
                *thread == access.thread && name == of
            }
            (Wanted::Register { name, threads }, Place::Register(of)) => {
                *name == of && threads.contains_key(&access.thread)
            }
            (Wanted::Cell(Cell::Memory { address, len }), Place::Memory(at)) => {
                let (at, after) = (u128::from(at), address.saturating_add(*len as u128));
                // An empty value touches nothing.
                !access.value.is_empty() && at < after && *address < at + access.value.len() as u128
            }
            _ => false,
        };
        if let Some(step) = self.step.filter(|_| is_meant) {
            self.found.push(detail(&step, access));
        }
    }

    fn is_full(&self) -> bool {
        self.steps.is_empty()
    }
}

pub(crate) fn detail(step: &Step, access: &Access<'_>) -> Detail {
    let (register, address) = match access.place {
        Place::Register(name) => (Some(name.into()), 0),
        Place::Memory(address) => (None, address),
    };
    let value = access.value.into();
    let thread = if register.is_some() { access.thread } else { step.thread };
    Detail { step: step.number, thread, written: access.written, register, address, value }
}
