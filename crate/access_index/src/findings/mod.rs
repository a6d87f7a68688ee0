//! What stands out among the steps of a trace: where most of them are, returns that match no call,
//! code that was written before it ran, memory that nothing wrote, bursts of exceptions, system
//! calls that fail, and inputs that choose where execution goes.
//!
//! `docs/findings.md` defines each kind. [`StepFindings`] is two passes over the file, of its steps
//! and of the taint of operands, and has no index. [`RunFindings`] looks at the runs of a block
//! trace, which are in an index anyway. Both go in turns; what they keep is bounded.

mod blocks;
mod bursts;
mod hot;
mod memory;
mod recount;
mod returns;
mod system_calls;
mod taint;

pub use blocks::RunFindings;
use bursts::Bursts;
use hashbrown::HashMap;
use hot::Hot;
use memory::Written;
use recount::{Both, Recount};
use returns::Returns;
use system_calls::SystemCalls;
use taint::Tainted;
use unspool_formats::{open_step_records, open_steps};
use unspool_records::{ByteSource, Reads, Unreadable, Window, drive};
use unspool_stacks::flow::{Flow, LOOKED_AT, Reading, flow};
use unspool_trace::finding::{Claim, Kind, arrange};
use unspool_trace::problem::grouped;
use unspool_trace::records::Records;
use unspool_trace::steps::{self, Access, Step, StepEvent, StepVisitor, Steps};
use unspool_trace::{Error, Finding};

use crate::explorer::{AHEAD, run};

/// The kinds of what is found here.
pub static FINDING_KINDS: &[&Kind] = &[
    &hot::HOT,
    &returns::STRAY,
    &memory::WRITTEN,
    &memory::UNWRITTEN,
    &blocks::REWRITTEN,
    &bursts::BURST,
    &system_calls::FAILING,
    &taint::TAINTED,
];

/// What a position is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The singular noun: `step`.
    pub(crate) unit: &'static str,
}

/// A position, as a claim.
fn position(at: u64, unit: &'static str) -> Claim {
    Claim::new("position", at as f64, unit, grouped(at).to_string()).at(at)
}

/// An address of code or data, as a claim.
fn code_at(address: u64) -> Claim {
    let text = format!("{address:#x}");
    Claim::new("address", address as f64, "", text.clone()).of(text)
}

/// Looks for what stands out in a trace whose steps say what they read and wrote.
pub struct StepFindings<S> {
    steps: Box<dyn Steps>,
    records: Box<dyn Records>,
    source: S,
    window: Window,
    state: State,
    tainted: Tainted,
    /// Counts in the second pass.
    recount: Recount,
    pieces: u32,
    /// The next piece: those of the second pass follow those of the first.
    next: u32,
}

impl<S: ByteSource> StepFindings<S> {
    /// Nothing was read yet. `format` and `records` are the id of the format and the index that its
    /// decoder handed over.
    ///
    /// # Errors
    ///
    /// Returns [`unspool_trace::Cause::Misuse`] if the format does not say what steps access, or
    /// for bytes that are not an index.
    pub fn open(format: &str, records: &[u8], source: S) -> Result<Self, Error> {
        let (steps, records) = (open_steps(format, records)?, open_step_records(format, records)?);
        let pieces = steps.pieces().len() as u32;
        let (window, state, tainted) = (Window::default(), State::default(), Tainted::default());
        let recount = Recount::default();
        Ok(Self { steps, records, source, window, state, tainted, recount, pieces, next: 0 })
    }

    /// Number of pieces read, and of all.
    pub fn progress(&self) -> (u32, u32) {
        (self.next, self.pieces * 2)
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        self.state.hot.bytes() + self.state.returns.bytes() + self.state.written.bytes() + self.state.bursts.bytes()
    }

    /// Reads `budget` further pieces. Returns whether there is nothing more to read.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn step(&mut self, budget: u32) -> Result<bool, Unreadable> {
        let is_first = self.next < self.pieces;
        let most = if is_first { self.pieces } else { self.pieces * 2 };
        let end = self.next.saturating_add(budget.max(1)).min(most);
        if self.next == end {
            return Ok(true);
        }
        if is_first {
            let mut pass = self.steps.pass(self.next..end);
            let mut visitor = Visit { steps: &*self.steps, state: &mut self.state };
            run(&mut *pass, &self.source, &mut self.window, AHEAD, &mut visitor)?;
            if end == self.pieces {
                visitor.end_step();
                self.recount = Recount::of(&self.proposed());
            }
        } else {
            let mut pass = self.records.pass(self.next - self.pieces..end - self.pieces);
            let visitor: &mut dyn unspool_trace::Visitor = &mut Both(&mut self.tainted, &mut self.recount);
            // Where the decoder of the timeline saw more, the first pass has failed.
            drive(&mut (&mut *pass, visitor), &self.source, &mut self.window, Reads::ahead(AHEAD))?;
        }
        self.next = end;
        Ok(end == self.pieces * 2)
    }

    /// The findings that hold when they are counted once more, the greatest first. Nothing before
    /// the end of the second pass.
    pub fn found(&self) -> Vec<Finding> {
        if self.next < self.pieces * 2 {
            return Vec::new();
        }
        let mut found = self.proposed();
        found.retain(|it| self.holds(it));
        found
    }

    /// Number of findings that did not hold when their claims were counted once more.
    pub fn refuted(&self) -> u64 {
        let is_over = self.next == self.pieces * 2;
        self.proposed().iter().filter(|it| is_over && !self.holds(it)).count() as u64
    }

    fn holds(&self, it: &Finding) -> bool {
        // What was found in the second pass itself was not asked for.
        it.kind == &taint::TAINTED || self.recount.holds(it, self.steps.count())
    }

    /// Everything that may be said, the greatest first.
    fn proposed(&self) -> Vec<Finding> {
        let place = Place { unit: "step" };
        let (state, count) = (&self.state, self.steps.count());
        let mut found = Vec::new();
        state.hot.found(place, count, &mut found);
        state.returns.found(place, &mut found);
        state.written.found(place, count, &mut found);
        state.bursts.found(place, count, &mut found);
        state.calls.found(place, &mut found);
        self.tainted.found(place, &mut found);
        arrange(&mut found);
        found
    }
}

/// Everything that is followed.
#[derive(Default)]
struct State {
    hot: Hot,
    returns: Returns,
    written: Written,
    bursts: Bursts,
    calls: SystemCalls,
    /// The latest instruction of each thread.
    latest: HashMap<Option<u64>, Instruction>,
    /// The current step, and its instruction.
    current: Option<(Step, Instruction)>,
    /// The registers that an instruction which calls the system reads and writes.
    registers: Vec<(String, u64)>,
    results: Vec<(String, u64)>,
    /// The name of the stack pointer, once it is known.
    stack_pointer: Option<String>,
    /// The latest name of an instruction set, and how to read it.
    reading: Option<(&'static str, Option<Reading>)>,
}

/// An instruction that was executed.
#[derive(Clone, Copy, Debug)]
struct Instruction {
    step: u64,
    address: u64,
    length: u64,
    flow: Flow,
    /// Where in memory it put or took a return address.
    slot: Option<u64>,
}

struct Visit<'a> {
    steps: &'a dyn Steps,
    state: &'a mut State,
}

impl StepVisitor for Visit<'_> {
    fn begin(&mut self, step: &Step) -> bool {
        self.end_step();
        let state = &mut *self.state;
        let Some(address) = step.address.filter(|_| step.length > 0) else {
            if step.event == Some(StepEvent::Interrupt) {
                state.bursts.add("exceptions", step.number);
                state.written.interrupted(step.thread, step.number);
            }
            // Wherever execution goes on, no instruction led there.
            if let Some(latest) = state.latest.remove(&step.thread) {
                diverted(&mut state.returns, step.thread, &latest);
            }
            return false;
        };
        if let Some(latest) = state.latest.get(&step.thread) {
            arrive(&mut state.returns, &mut state.hot, step.thread, latest, address);
        }
        state.hot.executed(address, step.number, 1);
        state.written.executed(step.number, address, step.length.into());
        let (number, length) = (step.number, u64::from(step.length));
        state.current = Some((*step, Instruction { step: number, address, length, flow: Flow::Unknown, slot: None }));
        true
    }

    fn code(&mut self, isa: Option<&'static str>, bytes: &[u8]) {
        let state = &mut *self.state;
        let Some((_, instruction)) = &mut state.current else { return };
        let Some(isa) = isa else { return };
        let reading = match state.reading {
            Some((known, reading)) if core::ptr::eq(known, isa) => reading,
            _ => {
                let reading = Reading::of_code(isa);
                state.reading = Some((isa, reading));
                reading
            }
        };
        if let Some(reading) = reading {
            let looked_at = bytes.get(..LOOKED_AT).unwrap_or(bytes);
            instruction.flow = flow(reading, instruction.address, looked_at, bytes.len() as u64);
        }
    }

    fn access(&mut self, access: &Access<'_>) {
        let state = &mut *self.state;
        let Some((step, instruction)) = &mut state.current else { return };
        match access.place {
            steps::Place::Memory(address) => {
                let len = access.value.len() as u64;
                match (access.written, instruction.flow) {
                    (true, Flow::Call { .. }) => instruction.slot = Some(address),
                    (false, Flow::Return { .. }) if instruction.slot.is_none() => instruction.slot = Some(address),
                    _ => {}
                }
                if access.written {
                    state.written.write(step.number, address, len);
                } else {
                    state.written.read(step.thread, address, len);
                }
            }
            steps::Place::Register(name) => {
                let is_stack = match &state.stack_pointer {
                    Some(known) => known == name,
                    None => self.steps.is_stack_pointer(name),
                };
                if is_stack {
                    state.written.stack_pointer(step.thread, number(access.value));
                    if state.stack_pointer.is_none() {
                        state.stack_pointer = Some(name.into());
                    }
                }
                if step.event == Some(StepEvent::SystemCall) {
                    let list = if access.written { &mut state.results } else { &mut state.registers };
                    list.push((name.to_ascii_lowercase(), number(access.value)));
                }
            }
        }
    }
}

impl Visit<'_> {
    /// The current step has no more accesses.
    fn end_step(&mut self) {
        let state = &mut *self.state;
        let Some((step, instruction)) = state.current.take() else { return };
        state.written.end_step(step.number, instruction.address);
        if step.event == Some(StepEvent::SystemCall) {
            let value = |list: &[(String, u64)], wanted: &str| {
                list.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| *value)
            };
            if let Some(call) = self.steps.system_call(&|name| value(&state.registers, name)) {
                for (_, argument) in &call.arguments {
                    state.written.given(step.thread, step.number, *argument);
                }
                let result =
                    state.reading.and_then(|(isa, _)| result_register(isa)).and_then(|it| value(&state.results, it));
                if let Some(result) = result {
                    let is_narrow = state.reading.is_some_and(|(isa, _)| isa != "x86-64" && isa != "aarch64");
                    let result = if is_narrow { i64::from(result as u32 as i32) } else { result as i64 };
                    state.calls.returned(call.number, call.name, step.number, result);
                }
            }
            state.registers.clear();
            state.results.clear();
        }
        state.latest.insert(step.thread, instruction);
    }
}

/// Where a system call returns its result under Linux, by the name of the code.
fn result_register(isa: &str) -> Option<&'static str> {
    match isa {
        "x86-64" => Some("rax"),
        "x86-32" => Some("eax"),
        "aarch64" => Some("x0"),
        "arm" | "thumb" => Some("r0"),
        _ => None,
    }
}

/// The first eight bytes of a little-endian number.
fn number(value: &[u8]) -> u64 {
    value.iter().take(8).rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Execution comes to an address from an instruction.
fn arrive(returns: &mut Returns, hot: &mut Hot, thread: Option<u64>, from: &Instruction, to: u64) {
    let behind = from.address.wrapping_add(from.length);
    match from.flow {
        // A conditional call that was not made.
        Flow::Call { to: Some(target), back, .. } if to == back && target != back => {}
        Flow::Call { back, .. } => returns.call(thread, back, from.slot, Some(to)),
        Flow::Return { maybe: true, .. } if to == behind => {}
        Flow::Return { .. } => returns.returned(thread, from.step, from.address, to, from.slot),
        Flow::Branch { .. } | Flow::Jump { .. } if to != behind => {
            hot.jump(from.address, to, returns.function(thread));
        }
        _ => {}
    }
}

/// Something else comes after an instruction: a call was made nevertheless.
fn diverted(returns: &mut Returns, thread: Option<u64>, from: &Instruction) {
    if let Flow::Call { back, .. } = from.flow {
        returns.call(thread, back, from.slot, None);
    }
}

#[cfg(test)]
mod tests;
