//! The access index, for JavaScript. Steps are doubles, exact below 2^53: a file has fewer.
//! Addresses and threads are `bigint`.
//!
//! What crosses is declared in [`protocol`], for TypeScript as well.

mod findings;
pub mod protocol;

use core::ops::Range;

use tsify::Ts;
use unspool_access_index::{
    Byte, Cell, Code, CodeBlock, Executed, Explorer, Filter, Kind, List, LoopFinder, Module, Moment, RunIndex, State,
    Stop, Toward, With, blocks, drcov, in_modules,
};
use unspool_js::{JsDisassembler, JsFile, thrown};
use unspool_trace::{Instructions, NoInstructions};
use wasm_bindgen::prelude::*;

use crate::protocol::{
    Coverage, Loops, MemoryState, Origin, Progress, RegisterState, StepAccess, StepKinds, StepState, Uses, ValueUse,
};

#[wasm_bindgen]
extern "C" {
    /// A [`protocol::Cell`].
    #[wasm_bindgen(typescript_type = "Cell")]
    pub type JsCell;

    #[wasm_bindgen(method, getter)]
    fn what(this: &JsCell) -> String;
    /// Registers only.
    #[wasm_bindgen(method, getter)]
    fn thread(this: &JsCell) -> Option<u64>;
    #[wasm_bindgen(method, getter)]
    fn name(this: &JsCell) -> String;
    /// Memory only.
    #[wasm_bindgen(method, getter)]
    fn address(this: &JsCell) -> u64;
    #[wasm_bindgen(method, getter)]
    fn len(this: &JsCell) -> u32;

    /// A [`protocol::StepFilter`].
    #[wasm_bindgen(typescript_type = "StepFilter")]
    pub type JsFilter;

    #[wasm_bindgen(method, getter)]
    fn kernel(this: &JsFilter) -> Option<bool>;
    #[wasm_bindgen(method, getter)]
    fn mode(this: &JsFilter) -> Option<u32>;
    #[wasm_bindgen(method, getter)]
    fn thread(this: &JsFilter) -> Option<u64>;
}

impl From<&JsCell> for Cell {
    fn from(cell: &JsCell) -> Self {
        match cell.what().as_str() {
            "memory" => Self::Memory { address: cell.address().into(), len: cell.len() as usize },
            _ => Self::Register { thread: cell.thread(), name: cell.name() },
        }
    }
}

impl From<&JsFilter> for Filter {
    fn from(filter: &JsFilter) -> Self {
        Self { is_kernel: filter.kernel(), mode: filter.mode(), thread: filter.thread() }
    }
}

/// What an index keeps of each step: [`unspool_access_index::Keeps`].
#[wasm_bindgen]
#[derive(Clone, Copy, Debug)]
pub enum Keeps {
    /// The address that it executes.
    Executions,
    /// What it reads and writes as well.
    Accesses,
    /// The values in memory, too.
    AccessesAndValues,
}

/// An instruction as text, or its bytes in hexadecimal digits. `None` without one.
fn text_of(code: &Code, instructions: &dyn Instructions) -> Option<String> {
    if code.bytes.is_empty() {
        return None;
    }
    let text = code.isa.and_then(|isa| instructions.text(isa, code.address, &code.bytes));
    let digits = || code.bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    Some(text.unwrap_or_else(digits))
}

/// What instructions are known by: nothing without a disassembler.
fn known_by(disassembler: Option<&JsDisassembler>) -> &dyn Instructions {
    match disassembler {
        Some(disassembler) => disassembler,
        None => &NoInstructions,
    }
}

/// Steps that access a cell.
#[wasm_bindgen]
pub struct Accesses {
    steps: Vec<(u64, bool, bool)>,
    cell: Cell,
}

#[wasm_bindgen]
impl Accesses {
    /// How many steps.
    #[wasm_bindgen(getter)]
    pub fn count(&self) -> f64 {
        self.steps.len() as f64
    }

    /// How many of them are before a step.
    pub fn before(&self, step: f64) -> f64 {
        self.steps.partition_point(|(at, ..)| *at < step as u64) as f64
    }
}

/// The index of one trace, and its file.
#[wasm_bindgen(js_name = Explorer)]
pub struct JsExplorer {
    explorer: Explorer<JsFile>,
}

#[wasm_bindgen(js_class = Explorer)]
impl JsExplorer {
    /// An explorer that has read nothing yet. `records` is the index that the session made, `limit`
    /// the most bytes of memory.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the format does not say what steps access.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str, records: &[u8], file: JsFile, keeps: Keeps, limit: f64) -> Result<Self, JsValue> {
        let keeps = match keeps {
            Keeps::Executions => unspool_access_index::Keeps::Executions,
            Keeps::Accesses => unspool_access_index::Keeps::Accesses,
            Keeps::AccessesAndValues => unspool_access_index::Keeps::AccessesAndValues,
        };
        let explorer = Explorer::open(format, records, file, keeps, limit as usize);
        Ok(Self { explorer: explorer.map_err(thrown)? })
    }

    /// Reads further pieces of the file into the index. Returns whether there is nothing more to
    /// read.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn build(&mut self, pieces: u32) -> Result<bool, JsValue> {
        self.explorer.build(pieces).map_err(thrown)
    }

    /// Makes everything that was read part of the answers.
    pub fn seal(&mut self) {
        self.explorer.seal();
    }

    /// How far the index is.
    pub fn progress(&self) -> Ts<Progress> {
        let (pieces, of) = self.explorer.progress();
        let index = self.explorer.index();
        let (built, count) = (self.explorer.built() as f64, self.explorer.count() as f64);
        Progress { built, count, pieces, of, bytes: index.bytes() as f64, full: index.is_full() }.cross()
    }

    /// Whether numbers in memory have their most significant byte first.
    #[wasm_bindgen(getter, js_name = bigEndian)]
    pub fn big_endian(&self) -> bool {
        self.explorer.is_big_endian()
    }

    /// The registers before a step, of a thread or of that of the step.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn registers(&mut self, step: f64, thread: Option<u64>) -> Result<Ts<StepState>, JsValue> {
        let state = self.explorer.registers(Moment::Before(step as u64), thread).map_err(thrown)?;
        let system_call = self.explorer.system_call(step as u64, &state).map(Into::into);
        let State { thread, address, registers, accesses } = state;
        let (executions, executions_before) = address.map_or((0, 0), |address| {
            let index = self.explorer.index();
            (index.execution_count(address), index.executions_before(address, step as u64))
        });
        let registers = registers.iter().map(|it| RegisterState::of(it, self.explorer.is_stack_pointer(&it.name)));
        let state = StepState {
            thread,
            address,
            registers: registers.collect(),
            accesses: accesses.iter().map(Into::into).collect(),
            executions: executions as f64,
            executions_before: executions_before as f64,
            system_call,
        };
        Ok(state.cross())
    }

    /// Memory before a step.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn memory(&mut self, step: f64, address: u64, len: u32) -> Result<Ts<MemoryState>, JsValue> {
        let moment = Moment::Before(step as u64);
        let found = self.explorer.memory(moment, address.into(), len as usize).map_err(thrown)?;
        let how = |byte: &Option<Byte>| match byte {
            None => 0u8,
            Some(byte) if byte.changed => 3,
            Some(byte) if byte.write.is_some() => 2,
            Some(_) => 1,
        };
        let step = |byte: &Byte| if byte.changed { byte.step } else { byte.write.unwrap_or(byte.step) };
        let state = MemoryState {
            values: found.iter().map(|byte| byte.and_then(|byte| byte.value).unwrap_or(0)).collect(),
            how: found.iter().map(how).collect(),
            steps: found.iter().map(|byte| byte.as_ref().map_or(0.0, |byte| step(byte) as f64)).collect(),
        };
        Ok(state.cross())
    }

    /// The nearest step before or after `step` that reads or writes a cell. `undefined` if there is
    /// none.
    pub fn nearest(&self, step: f64, cell: &JsCell, written: Option<bool>, next: bool) -> Option<f64> {
        let kind = match written {
            None => Kind::Any,
            Some(true) => Kind::Write,
            Some(false) => Kind::Read,
        };
        let toward = if next { Toward::Next } else { Toward::Previous };
        self.explorer.nearest(step as u64, &cell.into(), kind, toward).map(|step| step as f64)
    }

    /// The nearest step before or after `step` to walk to, of a kind of `WalkKind`. `undefined` if
    /// there is none so far.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn walk(&mut self, step: f64, kind: &str, next: bool) -> Result<Option<f64>, JsValue> {
        let toward = if next { Toward::Next } else { Toward::Previous };
        let step = step as u64;
        let index = self.explorer.index();
        let found = match kind {
            "step" => index.beside(step, toward),
            "execution" => self.explorer.nearest_execution(step, toward).map_err(thrown)?,
            _ => stop_of(kind).and_then(|stop| index.nearest_stop(step, stop, toward)),
        };
        Ok(found.map(|step| step as f64))
    }

    /// For each of some steps whether it matches a filter: 1 or 0.
    pub fn matches(&self, steps: &[f64], filter: &JsFilter) -> Vec<u8> {
        let (index, filter) = (self.explorer.index(), filter.into());
        steps.iter().map(|step| index.matches(*step as u64, &filter).into()).collect()
    }

    /// The nearest step that matches a filter, from `step` on or before it: perhaps `step` itself.
    /// `of` is a step of the thread to stay on, unless the filter has one.
    #[wasm_bindgen(js_name = nearestMatch)]
    pub fn nearest_match(&self, step: f64, filter: &JsFilter, next: bool, of: Option<f64>) -> Option<f64> {
        let index = self.explorer.index();
        let mut filter = Filter::from(filter);
        filter.thread = filter.thread.or_else(|| index.thread(of? as u64));
        index.nearest_match(step as u64, &filter, toward(next)).map(|step| step as f64)
    }

    /// What there are steps of.
    pub fn kinds(&self) -> Ts<StepKinds> {
        let index = self.explorer.index();
        let name_of = |mode| {
            index.modes().iter().find(|(number, _)| *number == mode).map_or(String::new(), |(_, name)| name.clone())
        };
        StepKinds::of(index.kinds(), name_of).cross()
    }

    /// All steps that access a cell.
    pub fn history(&self, cell: &JsCell) -> Accesses {
        let cell = cell.into();
        Accesses { steps: self.explorer.history(&cell, 0..u64::MAX), cell }
    }

    /// What some of the steps of a history access, in the order of the file.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn rows(&mut self, of: &Accesses, first: f64, count: u32) -> Result<Vec<Ts<StepAccess>>, JsValue> {
        let steps: Vec<u64> = of.steps.iter().skip(first as usize).take(count as usize).map(|it| it.0).collect();
        let found = self.explorer.accesses(&steps, &of.cell).map_err(thrown)?;
        Ok(found.iter().map(|access| StepAccess::from(access).cross()).collect())
    }

    /// Where the value comes from that a cell has before a step: one for each part of memory with a
    /// writer of its own.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn origins(
        &mut self,
        step: f64,
        of: &JsCell,
        disassembler: Option<JsDisassembler>,
    ) -> Result<Vec<Ts<Origin>>, JsValue> {
        let instructions = known_by(disassembler.as_ref());
        let found = self.explorer.origins(step as u64, &of.into(), instructions).map_err(thrown)?;
        Ok(found.iter().map(|it| Origin::of(it, text_of(&it.code, instructions)).cross()).collect())
    }

    /// The steps after `step` that read the value that a cell has then, at most `most` of them.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn uses(
        &mut self,
        step: f64,
        of: &JsCell,
        most: u32,
        disassembler: Option<JsDisassembler>,
    ) -> Result<Ts<Uses>, JsValue> {
        let instructions = known_by(disassembler.as_ref());
        let found = self.explorer.uses(step as u64, &of.into(), most as usize, instructions).map_err(thrown)?;
        let uses = found.uses.iter().map(|it| ValueUse {
            step: it.step as f64,
            instruction: text_of(&it.code, instructions),
            is_address: it.is_address,
            written: it.written.iter().map(Into::into).collect(),
        });
        let replaced = found.replaced.map(|step| step as f64);
        Ok(Uses { uses: uses.collect(), replaced, is_cut: found.is_cut }.cross())
    }

    /// The step that executes an address for the `number`th time, counted from 0, from step `from`
    /// on.
    pub fn execution(&self, address: u64, from: f64, number: f64) -> Option<f64> {
        let index = self.explorer.index();
        let wanted = index.executions_before(address, from as u64) + number as u64;
        index.executions(address, wanted..wanted + 1).first().map(|step| *step as f64)
    }

    /// Looks for loops in a further part of what is indexed: `JsLoops` says how far it is. Returns
    /// whether that was the last part.
    #[wasm_bindgen(js_name = findLoops)]
    pub fn find_loops(&self, loops: &mut JsLoops) -> bool {
        loops.of = self.explorer.index().segments().count();
        self.explorer.index().find_loops(&mut loops.finder, LOOP_SEGMENTS)
    }

    /// The loops that were found.
    pub fn loops(&self, loops: JsLoops) -> Ts<Loops> {
        Loops::from(self.explorer.index().loops(loops.finder)).cross()
    }

    /// What was executed by `steps`, the first one and the one after the last, or by all if that is
    /// empty, by block, address or module. `how` joins it with `list`, a drcov file: `plus`,
    /// `minus` or `common`. If that cannot be read, it is left out.
    pub fn coverage(&self, steps: &[f64], by: &str, how: Option<String>, list: &[u8]) -> Ts<Coverage> {
        let index = self.explorer.index();
        coverage_by(by, index.coverage(range(steps)), index.modules(), how, list).cross()
    }

    /// What was executed, as a drcov file. `program` names what is in no module.
    pub fn drcov(&self, steps: &[f64], program: &str) -> Vec<u8> {
        drcov(&self.explorer.index().coverage(range(steps)), self.explorer.index().modules(), program)
    }
}

fn toward(next: bool) -> Toward {
    if next { Toward::Next } else { Toward::Previous }
}

/// The stop that a `WalkKind` is about.
fn stop_of(kind: &str) -> Option<Stop> {
    Some(match kind {
        "thread" => Stop::Thread,
        "mode" => Stop::Mode,
        "privilege" => Stop::Privilege,
        "system-call" => Stop::SystemCall,
        "interrupt" => Stop::Interrupt,
        _ => return None,
    })
}

/// A range of steps: the first one, and the one after the last. All steps if it is empty.
fn range(steps: &[f64]) -> Range<u64> {
    match *steps {
        [from, to] => from as u64..to as u64,
        _ => 0..u64::MAX,
    }
}

/// A row for each block, address or module.
fn coverage_by(by: &str, executed: Vec<Executed>, modules: &[Module], how: Option<String>, list: &[u8]) -> Coverage {
    let with = how.map(|how| match how.as_str() {
        "plus" => With::Plus,
        "minus" => With::Minus,
        _ => With::Common,
    });
    let (executed, wrong) = match with.map(|with| (with, List::of_drcov(list, modules))) {
        Some((with, Ok(list))) => (list.join(&executed, with), String::new()),
        Some((_, Err(error))) => (executed, error.to_string()),
        None => (executed, String::new()),
    };
    let mut coverage = Coverage { wrong, ..Coverage::default() };
    let mut row = |at: u64, bytes: u64, number: u64, count: u64| {
        coverage.address.0.push(at);
        coverage.length.0.push(bytes as f64);
        coverage.instructions.0.push(number as u32);
        coverage.count.0.push(count as f64);
    };
    match by {
        "module" => {
            for it in in_modules(&executed, modules) {
                coverage.names.push(it.module.map_or(String::new(), |module| module.name));
                row(it.address, it.length, it.instructions, it.count);
            }
        }
        "address" => {
            for it in &executed {
                row(it.address, it.length.into(), u64::from(it.count > 0), it.count);
            }
        }
        _ => {
            for it in blocks(&executed) {
                row(it.address, it.length, it.instructions, it.count);
            }
        }
    }
    coverage
}

/// Segments of an index in which loops are looked for at once: a turn of some milliseconds.
const LOOP_SEGMENTS: u32 = 8;

/// A search for loops that has not ended.
#[wasm_bindgen(js_name = LoopFinder)]
#[derive(Default)]
pub struct JsLoops {
    finder: LoopFinder,
    /// Segments of the index.
    of: u32,
}

#[wasm_bindgen(js_class = LoopFinder)]
impl JsLoops {
    /// A search that has not begun.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// The share of the index that it has looked at.
    #[wasm_bindgen(getter)]
    pub fn share(&self) -> f64 {
        f64::from(self.finder.segments()) / f64::from(self.of.max(1))
    }
}

/// The index of a block trace. `web/features/steps/worker/run_steps.ts` reads the database.
#[wasm_bindgen(js_name = RunIndex)]
pub struct JsRunIndex {
    pub(crate) index: RunIndex,
}

#[wasm_bindgen(js_class = RunIndex)]
impl JsRunIndex {
    /// An index without blocks. `limit`: the most bytes of memory.
    #[wasm_bindgen(constructor)]
    pub fn new(limit: f64) -> Self {
        Self { index: RunIndex::new(limit as usize) }
    }

    /// Adds a block of code, in the order of their numbers. `starts`: where its instructions begin.
    pub fn block(&mut self, id: f64, address: u64, code: Vec<u8>, instructions: u32, bits: u32, starts: Vec<u32>) {
        self.index.block(CodeBlock { id: id as u64, address, code, instructions, bits, starts });
    }

    /// Takes the next runs: two numbers for each, the transition before which it ends and the
    /// number of its block.
    pub fn runs(&mut self, values: &[f64]) {
        for [end, block] in values.as_chunks().0 {
            self.index.run(*end as u64, *block as u64);
        }
    }

    /// Makes all runs so far part of the answers.
    pub fn seal(&mut self) {
        self.index.seal();
    }

    /// The transition after the last run.
    #[wasm_bindgen(getter)]
    pub fn built(&self) -> f64 {
        self.index.position() as f64
    }

    /// Its memory in bytes.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> f64 {
        self.index.bytes() as f64
    }

    /// Whether its memory is full.
    #[wasm_bindgen(getter)]
    pub fn full(&self) -> bool {
        self.index.is_full()
    }

    /// The nearest transition before or after one to walk to, of a kind of `WalkKind`. `id` and
    /// `number` are the block that the transition is of, and which instruction of it. `undefined`
    /// if there is none so far.
    pub fn walk(&mut self, step: f64, kind: &str, next: bool, id: f64, number: f64) -> Option<f64> {
        let toward = if next { Toward::Next } else { Toward::Previous };
        let found = match stop_of(kind) {
            Some(stop) => self.index.nearest_stop(step as u64, stop, toward),
            None => {
                let address = self.index.address(id as u64, number as u64)?;
                self.index.nearest(address, step as u64, toward)
            }
        };
        found.map(|step| step as f64)
    }

    /// For each of some transitions whether it matches a filter: 1 or 0.
    pub fn matches(&self, steps: &[f64], filter: &JsFilter) -> Vec<u8> {
        let filter = filter.into();
        steps.iter().map(|step| self.index.matches(*step as u64, &filter).into()).collect()
    }

    /// The nearest transition that matches a filter, from `step` on or before it: perhaps `step`
    /// itself.
    #[wasm_bindgen(js_name = nearestMatch)]
    pub fn nearest_match(&self, step: f64, filter: &JsFilter, next: bool) -> Option<f64> {
        self.index.nearest_match(step as u64, &filter.into(), toward(next)).map(|step| step as f64)
    }

    /// What there are transitions of.
    pub fn kinds(&self) -> Ts<StepKinds> {
        let name_of = |bits| if bits == 0 { String::new() } else { format!("{bits} bits") };
        StepKinds::of(self.index.kinds(), name_of).cross()
    }

    /// The first transition from `from` on that executes an address.
    #[wasm_bindgen(js_name = firstExecution)]
    pub fn first_execution(&mut self, address: u64, from: f64) -> Option<f64> {
        self.index.first_execution(address, from as u64).map(|step| step as f64)
    }

    /// Looks for loops in a further part of what is indexed. Returns whether that was the last
    /// part.
    #[wasm_bindgen(js_name = findLoops)]
    pub fn find_loops(&self, loops: &mut JsLoops) -> bool {
        loops.of = self.index.segments().count();
        self.index.find_loops(&mut loops.finder, LOOP_SEGMENTS)
    }

    /// The loops that were found.
    pub fn loops(&self, loops: JsLoops) -> Ts<Loops> {
        Loops::from(self.index.loops(loops.finder)).cross()
    }

    /// What was executed: see `Explorer.coverage`.
    pub fn coverage(&self, steps: &[f64], by: &str, how: Option<String>, list: &[u8]) -> Ts<Coverage> {
        coverage_by(by, self.index.coverage(range(steps)), &[], how, list).cross()
    }

    /// What was executed, as a drcov file. `program` names what is in no module.
    pub fn drcov(&self, steps: &[f64], program: &str) -> Vec<u8> {
        drcov(&self.index.coverage(range(steps)), &[], program)
    }
}
