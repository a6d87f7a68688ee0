//! The access index, for JavaScript. Steps are doubles, exact below 2^53: a file has fewer. Addresses and threads are `bigint`.

use core::ops::Range;

use js_sys::{Array, BigUint64Array, Float64Array, Object, Reflect, Uint8Array, Uint32Array};
use unspool_file::JsFile;
use unspool_formats::steps::SystemCall;
use wasm_bindgen::prelude::*;

use crate::executed::Executed;
use crate::explorer::{Detail, Explorer, State};
use crate::index::{Cell, Keeps, Module};
use crate::loops::{Loop, LoopFinder, LoopsFound};
use crate::origin::{Cause, Code, Operand, Operands, Origin, Use};
use crate::registers::Register;
use crate::runs::{CodeBlock, RunIndex};
use crate::{Filter, Kind, Kinds, List, Moment, Stop, Toward, With, blocks, drcov, in_modules};

#[wasm_bindgen]
extern "C" {
    /// `Disassembler` of `web/worker/instructions.ts`.
    pub type JsDisassembler;

    #[wasm_bindgen(method)]
    fn reads(this: &JsDisassembler, isa: &str, address: u64, code: &[u8]) -> Option<String>;

    #[wasm_bindgen(method)]
    fn disassemble(this: &JsDisassembler, isa: &str, address: u64, code: &[u8]) -> Option<String>;
}

impl Operands for JsDisassembler {
    fn reads(&self, isa: &str, address: u64, bytes: &[u8]) -> Option<String> {
        self.reads(isa, address, bytes)
    }
}

/// An instruction as text, or its bytes in hexadecimal digits. null without one.
fn text_of(code: &Code, disassembler: Option<&JsDisassembler>) -> JsValue {
    if code.bytes.is_empty() {
        return JsValue::NULL;
    }
    let text = disassembler.zip(code.isa).and_then(|(it, isa)| it.disassemble(isa, code.address, &code.bytes));
    let digits = || code.bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    JsValue::from_str(&text.unwrap_or_else(digits))
}

/// What operands are known by: nothing without a disassembler.
fn operands_by(disassembler: Option<&JsDisassembler>) -> &dyn Operands {
    match disassembler {
        Some(disassembler) => disassembler,
        None => &(),
    }
}

/// A `Cell` of the protocol.
fn cell(cell: &Cell) -> JsValue {
    match cell {
        Cell::Register { thread, name } => object(&[
            ("what", JsValue::from_str("register")),
            ("thread", wide(*thread)),
            ("name", JsValue::from_str(name)),
        ]),
        Cell::Memory { address, len } => object(&[
            ("what", JsValue::from_str("memory")),
            ("address", JsValue::from(*address as u64)),
            ("len", number(*len as u64)),
        ]),
    }
}

/// A plain object.
fn object(entries: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (key, value) in entries {
        // Setting a property of a plain object cannot fail.
        let _ = Reflect::set(&object, &JsValue::from_str(key), value);
    }
    object.into()
}

fn number(number: u64) -> JsValue {
    JsValue::from_f64(number as f64)
}

fn bytes(bytes: &[u8]) -> JsValue {
    Uint8Array::from(bytes).into()
}

/// `bigint`, or null.
fn wide(number: Option<u64>) -> JsValue {
    number.map_or(JsValue::NULL, JsValue::from)
}

fn thrown(error: impl core::fmt::Display) -> JsValue {
    JsValue::from_str(&error.to_string())
}

/// A register or a range of memory that a question is about.
#[wasm_bindgen(js_name = Cell)]
pub struct JsCell {
    cell: Cell,
}

#[wasm_bindgen(js_class = Cell)]
impl JsCell {
    /// A register of a thread.
    pub fn register(thread: Option<u64>, name: String) -> Self {
        Self { cell: Cell::Register { thread, name } }
    }

    /// Bytes of memory.
    pub fn memory(address: u64, len: u32) -> Self {
        Self { cell: Cell::Memory { address: address.into(), len: len as usize } }
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
    /// An explorer that has read nothing yet. `records` is the index that the session made, `limit` the most bytes of memory.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the format does not say what steps access.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str, records: &[u8], file: JsFile, keeps: Keeps, limit: f64) -> Result<Self, JsValue> {
        let explorer = Explorer::open(format, records, file, keeps, limit as usize);
        Ok(Self { explorer: explorer.map_err(thrown)? })
    }

    /// Reads further pieces of the file into the index. Returns whether there is nothing more to read.
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

    /// How far the index is: `{built, count, pieces, of, bytes, full}`. Steps before `built` are in it.
    pub fn progress(&self) -> JsValue {
        let (pieces, of) = self.explorer.progress();
        object(&[
            ("built", number(self.explorer.built())),
            ("count", number(self.explorer.count())),
            ("pieces", pieces.into()),
            ("of", of.into()),
            ("bytes", number(self.explorer.index().bytes() as u64)),
            ("full", self.explorer.index().is_full().into()),
        ])
    }

    /// Whether numbers in memory have their most significant byte first.
    #[wasm_bindgen(getter, js_name = bigEndian)]
    pub fn big_endian(&self) -> bool {
        self.explorer.is_big_endian()
    }

    /// The registers before a step, of a thread or of that of the step: a `StepState`.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn registers(&mut self, step: f64, thread: Option<u64>) -> Result<JsValue, JsValue> {
        let state = self.explorer.registers(Moment::Before(step as u64), thread).map_err(thrown)?;
        let call = self.explorer.system_call(step as u64, &state).map_or(JsValue::NULL, |call| system_call(&call));
        let State { thread, address, registers, accesses } = state;
        let of_registers: Array = registers.iter().map(|register| self.register(register)).collect();
        let of_accesses: Array = accesses.iter().map(access).collect();
        let (count, before) = address.map_or((0, 0), |address| {
            let index = self.explorer.index();
            (index.execution_count(address), index.executions_before(address, step as u64))
        });
        Ok(object(&[
            ("thread", wide(thread)),
            ("address", wide(address)),
            ("registers", of_registers.into()),
            ("accesses", of_accesses.into()),
            ("executions", number(count)),
            ("executionsBefore", number(before)),
            ("systemCall", call),
        ]))
    }

    fn register(&self, register: &Register) -> JsValue {
        let Register { name, value, step, written, changed, is_ours, next } = register;
        let value_or_null = |value: &Option<Vec<u8>>| value.as_deref().map_or(JsValue::NULL, bytes);
        object(&[
            ("name", JsValue::from_str(name)),
            ("value", value_or_null(value)),
            ("step", number(*step)),
            ("written", (*written).into()),
            ("changed", (*changed).into()),
            ("isOurs", (*is_ours).into()),
            ("next", value_or_null(next)),
            ("isStackPointer", self.explorer.is_stack_pointer(name).into()),
        ])
    }

    /// Memory before a step: `{values, how, steps}` with an entry for each byte. `how` is 0 for an unknown byte, 1 for one that is
    /// known from reads only, 2 for one that was written, 3 for one that was read with another value than was written last.
    /// `steps` are those of the last write, or else of the access that it is known from.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn memory(&mut self, step: f64, address: u64, len: u32) -> Result<JsValue, JsValue> {
        let moment = Moment::Before(step as u64);
        let found = self.explorer.memory(moment, address.into(), len as usize).map_err(thrown)?;
        let values: Vec<u8> = found.iter().map(|byte| byte.and_then(|byte| byte.value).unwrap_or(0)).collect();
        let how = found.iter().map(|byte| match byte {
            None => 0u8,
            Some(byte) if byte.changed => 3,
            Some(byte) if byte.write.is_some() => 2,
            Some(_) => 1,
        });
        let how: Vec<u8> = how.collect();
        let steps: Vec<f64> = found
            .iter()
            .map(|byte| {
                byte.map_or(0.0, |byte| if byte.changed { byte.step } else { byte.write.unwrap_or(byte.step) } as f64)
            })
            .collect();
        Ok(object(&[
            ("values", bytes(&values)),
            ("how", bytes(&how)),
            ("steps", Float64Array::from(&steps[..]).into()),
        ]))
    }

    /// The nearest step before or after `step` that reads or writes a cell. `undefined` if there is none.
    pub fn nearest(&self, step: f64, cell: &JsCell, written: Option<bool>, next: bool) -> Option<f64> {
        let kind = match written {
            None => Kind::Any,
            Some(true) => Kind::Write,
            Some(false) => Kind::Read,
        };
        let toward = if next { Toward::Next } else { Toward::Previous };
        self.explorer.nearest(step as u64, &cell.cell, kind, toward).map(|step| step as f64)
    }

    /// The nearest step before or after `step` to walk to, of a kind of `WalkKind`. `undefined` if there is none so far.
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
        steps.iter().map(|step| self.explorer.index().matches(*step as u64, &filter.filter).into()).collect()
    }

    /// The nearest step that matches a filter, from `step` on or before it: perhaps `step` itself. `of` is a step of the thread to stay on,
    /// unless the filter has one.
    #[wasm_bindgen(js_name = nearestMatch)]
    pub fn nearest_match(&self, step: f64, filter: &JsFilter, next: bool, of: Option<f64>) -> Option<f64> {
        let index = self.explorer.index();
        let mut filter = filter.filter;
        filter.thread = filter.thread.or_else(|| index.thread_run(of? as u64).0);
        index.nearest_match(step as u64, &filter, toward(next)).map(|step| step as f64)
    }

    /// What there are steps of: `StepKinds` of the protocol.
    pub fn kinds(&self) -> JsValue {
        let index = self.explorer.index();
        kinds(&index.kinds(), |mode| {
            index.modes().iter().find(|(number, _)| *number == mode).map_or(String::new(), |(_, name)| name.clone())
        })
    }

    /// All steps that access a cell.
    pub fn history(&self, cell: &JsCell) -> Accesses {
        Accesses { steps: self.explorer.history(&cell.cell, 0..u64::MAX), cell: cell.cell.clone() }
    }

    /// What some of the steps of a history access, in the order of the file: an array of `StepAccess`.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn rows(&mut self, of: &Accesses, first: f64, count: u32) -> Result<Array, JsValue> {
        let steps: Vec<u64> = of.steps.iter().skip(first as usize).take(count as usize).map(|it| it.0).collect();
        let found = self.explorer.accesses(&steps, &of.cell).map_err(thrown)?;
        Ok(found.iter().map(access).collect())
    }

    /// Where the value comes from that a cell has before a step: an array of `Origin`, one for each part of memory with a writer of
    /// its own.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn origins(&mut self, step: f64, of: &JsCell, disassembler: Option<JsDisassembler>) -> Result<Array, JsValue> {
        let disassembler = disassembler.as_ref();
        let found = self.explorer.origins(step as u64, &of.cell, operands_by(disassembler)).map_err(thrown)?;
        let origin = |origin: &Origin| {
            let (cause, step) = match origin.cause {
                Cause::Written(step) => ("written", Some(step)),
                Cause::Read(step) => ("read", Some(step)),
                Cause::Changed(step) => ("changed", Some(step)),
                Cause::Unknown => ("unknown", None),
            };
            let copies: Vec<f64> = origin.copies.iter().map(|step| *step as f64).collect();
            let operand = |Operand { access: it, is_address }: &Operand| {
                object(&[("access", access(it)), ("isAddress", (*is_address).into())])
            };
            object(&[
                ("cell", cell(&origin.cell)),
                ("cause", JsValue::from_str(cause)),
                ("step", step.map_or(JsValue::NULL, number)),
                ("copies", Float64Array::from(&copies[..]).into()),
                ("instruction", text_of(&origin.code, disassembler)),
                ("written", bytes(&origin.written)),
                ("operands", origin.operands.iter().map(operand).collect::<Array>().into()),
                ("isUnclear", origin.is_unclear.into()),
            ])
        };
        Ok(found.iter().map(origin).collect())
    }

    /// The steps after `step` that read the value that a cell has then, at most `most` of them: `Uses` of the protocol.
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
    ) -> Result<JsValue, JsValue> {
        let disassembler = disassembler.as_ref();
        let operands = operands_by(disassembler);
        let found = self.explorer.uses(step as u64, &of.cell, most as usize, operands).map_err(thrown)?;
        let one = |Use { step, code, is_address, written }: &Use| {
            object(&[
                ("step", number(*step)),
                ("instruction", text_of(code, disassembler)),
                ("isAddress", (*is_address).into()),
                ("written", written.iter().map(access).collect::<Array>().into()),
            ])
        };
        Ok(object(&[
            ("uses", found.uses.iter().map(one).collect::<Array>().into()),
            ("replaced", found.replaced.map_or(JsValue::NULL, number)),
            ("isCut", found.is_cut.into()),
        ]))
    }

    /// The step that executes an address for the `number`th time, counted from 0, from step `from` on.
    pub fn execution(&self, address: u64, from: f64, number: f64) -> Option<f64> {
        let index = self.explorer.index();
        let wanted = index.executions_before(address, from as u64) + number as u64;
        index.executions(address, wanted..wanted + 1).first().map(|step| *step as f64)
    }

    /// Looks for loops in a further part of what is indexed: `JsLoops` says how far it is. Returns whether that was the last part.
    #[wasm_bindgen(js_name = findLoops)]
    pub fn find_loops(&self, loops: &mut JsLoops) -> bool {
        loops.of = self.explorer.index().segments().count();
        self.explorer.index().find_loops(&mut loops.finder, LOOP_SEGMENTS)
    }

    /// The loops that were found: `Loops` of the protocol.
    pub fn loops(&self, loops: JsLoops) -> JsValue {
        loop_columns(&self.explorer.index().loops(loops.finder))
    }

    /// What was executed by `steps`, the first one and the one after the last, or by all if that is empty: columns of blocks, addresses or
    /// modules, a `Coverage`. `how` joins it with `list`, a drcov file: `plus`, `minus` or `common`.
    ///
    /// # Errors
    ///
    /// Throws a sentence if `list` is not a drcov file.
    pub fn coverage(&self, steps: &[f64], by: &str, how: Option<String>, list: &[u8]) -> Result<JsValue, JsValue> {
        let index = self.explorer.index();
        columns(index.coverage(range(steps)), index.modules(), by, how, list)
    }

    /// What was executed, as a drcov file. `program` names what is in no module.
    pub fn drcov(&self, steps: &[f64], program: &str) -> Vec<u8> {
        drcov(&self.explorer.index().coverage(range(steps)), self.explorer.index().modules(), program)
    }
}

fn toward(next: bool) -> Toward {
    if next { Toward::Next } else { Toward::Previous }
}

fn system_call(call: &SystemCall) -> JsValue {
    let argument = |(register, value): &(&str, u64)| {
        object(&[("register", JsValue::from_str(register)), ("value", JsValue::from(*value))])
    };
    object(&[
        ("name", call.name.map_or(JsValue::NULL, JsValue::from_str)),
        ("number", JsValue::from(call.number)),
        ("arguments", call.arguments.iter().map(argument).collect::<Array>().into()),
    ])
}

/// `StepKinds` of the protocol. `name_of` names a mode.
fn kinds(kinds: &Kinds, name_of: impl Fn(u32) -> String) -> JsValue {
    let mode = |mode: &u32| object(&[("number", (*mode).into()), ("name", JsValue::from_str(&name_of(*mode)))]);
    object(&[
        ("threads", BigUint64Array::from(&kinds.threads[..]).into()),
        ("modes", kinds.modes.iter().map(mode).collect::<Array>().into()),
        ("user", kinds.privileges[0].into()),
        ("kernel", kinds.privileges[1].into()),
    ])
}

/// Which steps to walk to.
#[wasm_bindgen(js_name = StepFilter)]
pub struct JsFilter {
    filter: Filter,
}

#[wasm_bindgen(js_class = StepFilter)]
impl JsFilter {
    /// A filter of what is given.
    #[wasm_bindgen(constructor)]
    pub fn new(kernel: Option<bool>, mode: Option<u32>, thread: Option<u64>) -> Self {
        Self { filter: Filter { is_kernel: kernel, mode, thread } }
    }
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

/// Coverage as columns: a row for each block, address or module.
fn columns(
    coverage: Vec<Executed>,
    modules: &[Module],
    by: &str,
    how: Option<String>,
    list: &[u8],
) -> Result<JsValue, JsValue> {
    let with = match how.as_deref() {
        Some("plus") => Some(With::Plus),
        Some("minus") => Some(With::Minus),
        Some(_) => Some(With::Common),
        None => None,
    };
    let coverage = match with {
        Some(with) => List::of_drcov(list, modules).map_err(thrown)?.join(&coverage, with),
        None => coverage,
    };
    let names = Array::new();
    let (mut address, mut length, mut instructions, mut count) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut row = |at: u64, bytes: u64, number: u64, executed: u64| {
        address.push(at);
        length.push(bytes as f64);
        instructions.push(number as u32);
        count.push(executed as f64);
    };
    match by {
        "module" => {
            for it in in_modules(&coverage, modules) {
                names.push(&JsValue::from_str(it.module.as_ref().map_or("", |module| &module.name)));
                row(it.address, it.length, it.instructions, it.count);
            }
        }
        "address" => {
            for it in &coverage {
                row(it.address, it.length.into(), u64::from(it.count > 0), it.count);
            }
        }
        _ => {
            for it in blocks(&coverage) {
                row(it.address, it.length, it.instructions, it.count);
            }
        }
    }
    Ok(object(&[
        ("names", names.into()),
        ("address", BigUint64Array::from(&address[..]).into()),
        ("length", Float64Array::from(&length[..]).into()),
        ("instructions", Uint32Array::from(&instructions[..]).into()),
        ("count", Float64Array::from(&count[..]).into()),
    ]))
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

fn loop_columns(found: &LoopsFound) -> JsValue {
    let LoopsFound { loops, unlisted, left_out } = found;
    let steps =
        |of: fn(&Loop) -> u64| Float64Array::from(&loops.iter().map(|it| of(it) as f64).collect::<Vec<_>>()[..]);
    let addresses: Vec<u64> = loops.iter().map(|it| it.address).collect();
    let shared: Vec<u8> = loops.iter().map(|it| it.is_shared.into()).collect();
    object(&[
        ("start", steps(|it| it.start).into()),
        ("firstEnd", steps(|it| it.first_end).into()),
        ("lastStart", steps(|it| it.last_start).into()),
        ("end", steps(|it| it.end).into()),
        ("count", steps(|it| it.count).into()),
        ("length", steps(|it| it.length.into()).into()),
        ("address", BigUint64Array::from(&addresses[..]).into()),
        ("shared", bytes(&shared)),
        ("unlisted", number(*unlisted)),
        ("leftOut", number(*left_out)),
    ])
}

/// The index of a block trace. `web/worker/run_steps.ts` reads the database.
#[wasm_bindgen(js_name = RunIndex)]
pub struct JsRunIndex {
    index: RunIndex,
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

    /// Takes the next runs: two numbers for each, the transition before which it ends and the number of its block.
    pub fn runs(&mut self, values: &[f64]) {
        for run in values.chunks_exact(2) {
            self.index.run(run[0] as u64, run[1] as u64);
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

    /// The nearest transition before or after one to walk to, of a kind of `WalkKind`. `id` and `number` are the block that the
    /// transition is of, and which instruction of it. `undefined` if there is none so far.
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
        steps.iter().map(|step| self.index.matches(*step as u64, &filter.filter).into()).collect()
    }

    /// The nearest transition that matches a filter, from `step` on or before it: perhaps `step` itself.
    #[wasm_bindgen(js_name = nearestMatch)]
    pub fn nearest_match(&self, step: f64, filter: &JsFilter, next: bool) -> Option<f64> {
        self.index.nearest_match(step as u64, &filter.filter, toward(next)).map(|step| step as f64)
    }

    /// What there are transitions of: `StepKinds` of the protocol.
    pub fn kinds(&self) -> JsValue {
        kinds(&self.index.kinds(), |bits| if bits == 0 { String::new() } else { format!("{bits} bits") })
    }

    /// The first transition from `from` on that executes an address.
    #[wasm_bindgen(js_name = firstExecution)]
    pub fn first_execution(&mut self, address: u64, from: f64) -> Option<f64> {
        self.index.first_execution(address, from as u64).map(|step| step as f64)
    }

    /// Looks for loops in a further part of what is indexed. Returns whether that was the last part.
    #[wasm_bindgen(js_name = findLoops)]
    pub fn find_loops(&self, loops: &mut JsLoops) -> bool {
        loops.of = self.index.segments().count();
        self.index.find_loops(&mut loops.finder, LOOP_SEGMENTS)
    }

    /// The loops that were found: `Loops` of the protocol.
    pub fn loops(&self, loops: JsLoops) -> JsValue {
        loop_columns(&self.index.loops(loops.finder))
    }

    /// What was executed, as columns of blocks, addresses or modules: see `Explorer.coverage`.
    ///
    /// # Errors
    ///
    /// Throws a sentence if `list` is not a drcov file.
    pub fn coverage(&self, steps: &[f64], by: &str, how: Option<String>, list: &[u8]) -> Result<JsValue, JsValue> {
        columns(self.index.coverage(range(steps)), &[], by, how, list)
    }

    /// What was executed, as a drcov file. `program` names what is in no module.
    pub fn drcov(&self, steps: &[f64], program: &str) -> Vec<u8> {
        drcov(&self.index.coverage(range(steps)), &[], program)
    }
}

fn access(detail: &Detail) -> JsValue {
    let Detail { step, thread, written, register, address, value } = detail;
    object(&[
        ("step", number(*step)),
        ("thread", wide(*thread)),
        ("written", (*written).into()),
        ("register", register.as_deref().map_or(JsValue::NULL, JsValue::from_str)),
        ("address", (*address).into()),
        ("value", bytes(value)),
    ])
}
