//! What questions about steps are asked and answered with.

use unspool_access_index::{Detail, Kinds as Found, Loop, LoopsFound, Origin as Traced, Register};
use unspool_js::columns::{BigUint64Array, Float64Array, Uint8Array, Uint32Array};
use unspool_js::structures;
use unspool_trace::steps::SystemCall as Called;

structures! {
    /// How far an index is.
    pub struct Progress {
        /// Steps before this one are in it.
        pub built: f64,
        /// Number of steps of the trace.
        pub count: f64,
        /// Pieces of the file that were read, and all of them.
        pub pieces: u32,
        /// See `pieces`.
        pub of: u32,
        /// Its memory in bytes.
        pub bytes: f64,
        /// Whether its memory is full: nothing more comes.
        pub full: bool,
    }

    /// A register at a moment.
    pub struct RegisterState {
        /// As the trace names it.
        pub name: String,
        /// Little-endian. null if no step before has accessed the byte.
        pub value: Option<Uint8Array>,
        /// The step whose access this is known from.
        pub step: f64,
        /// It was written there, otherwise read.
        pub written: bool,
        /// It was read with another value than was written last.
        pub changed: bool,
        /// The trace has written it. Otherwise it is known from reads only.
        pub is_ours: bool,
        /// What the step at hand writes to it; null if it does not.
        pub next: Option<Uint8Array>,
        /// Whether it is the stack pointer.
        pub is_stack_pointer: bool,
    }

    /// An access in full.
    pub struct StepAccess {
        /// Its step.
        pub step: f64,
        /// The thread of the step, if that is known.
        pub thread: Option<u64>,
        /// A write, otherwise a read.
        pub written: bool,
        /// null for memory.
        pub register: Option<String>,
        /// Of memory.
        pub address: u64,
        /// As in the file: of a register little-endian, of memory in the order of addresses.
        pub value: Uint8Array,
    }

    /// An argument of a system call.
    pub struct SystemCallArgument {
        /// The register that has it.
        pub register: String,
        /// What the register holds.
        pub value: u64,
    }

    /// A system call of an instruction, by the registers before it.
    pub struct SystemCall {
        /// Its name under Linux; null if the number has none.
        pub name: Option<String>,
        /// Its number.
        pub number: u64,
        /// The registers for arguments, as far as they are known.
        pub arguments: Vec<SystemCallArgument>,
    }

    /// The registers before a step, and what the step does.
    pub struct StepState {
        /// The thread of the step, if that is known.
        pub thread: Option<u64>,
        /// The address of the instruction; null if it executes none.
        pub address: Option<u64>,
        /// Those that are known so far.
        pub registers: Vec<RegisterState>,
        /// What the step reads and writes.
        pub accesses: Vec<StepAccess>,
        /// How often the indexed part executes the instruction.
        pub executions: f64,
        /// How often before this step.
        pub executions_before: f64,
        /// What the instruction calls; null if that is not a system call, or its number is not
        /// known.
        pub system_call: Option<SystemCall>,
    }

    /// Memory before a step: an entry for each byte.
    pub struct MemoryState {
        /// 0 for a byte that is not known.
        pub values: Uint8Array,
        /// How a byte is known: 0 not at all, 1 from reads only, 2 written, 3 read with another
        /// value than was written last.
        pub how: Uint8Array,
        /// The step that wrote the byte last, or the one whose read it is known from.
        pub steps: Float64Array,
    }

    /// A register of a thread, or bytes of memory.
    #[serde(tag = "what")]
    pub enum Cell {
        /// A register.
        Register {
            /// null if the trace has one thread only.
            thread: Option<u64>,
            /// As the trace names it.
            name: String,
        },
        /// Bytes of memory.
        Memory {
            /// Of the first byte.
            address: u64,
            /// In bytes.
            len: u32,
        },
    }

    /// Something that an instruction reads to make a value.
    pub struct OriginOperand {
        /// What it reads.
        pub access: StepAccess,
        /// It only addresses memory.
        pub is_address: bool,
    }

    /// How the step of an origin made the value: it wrote it; no step did, and it read it first; or
    /// it read another value than was written last, which was changed outside the trace. Or it is
    /// unknown.
    pub enum OriginCause {
        /// Written by the step.
        Written,
        /// Read first by the step.
        Read,
        /// Changed outside the trace.
        Changed,
        /// It is unknown.
        Unknown,
    }

    /// Where the value of a cell, or of a part of its memory, comes from.
    pub struct Origin {
        /// What was asked for or the part of it; after copies, the first cell that had the value.
        pub cell: Cell,
        /// How `step` made it.
        pub cause: OriginCause,
        /// null if it is unknown.
        pub step: Option<f64>,
        /// The steps that only copied it, the last one first.
        pub copies: Float64Array,
        /// The instruction of `step` if that wrote it; null for a record that is not an
        /// instruction.
        pub instruction: Option<String>,
        /// What `step` wrote.
        pub written: Uint8Array,
        /// Empty for a constant.
        pub operands: Vec<OriginOperand>,
        /// The trace lists all registers with the step, and what its instruction reads is unknown.
        pub is_unclear: bool,
    }

    /// A step that uses a value, and what it writes.
    pub struct ValueUse {
        /// Its number.
        pub step: f64,
        /// null for a record that is not an instruction.
        pub instruction: Option<String>,
        /// It only addresses memory by the value.
        pub is_address: bool,
        /// What it writes.
        pub written: Vec<StepAccess>,
    }

    /// The first steps that use a value.
    pub struct Uses {
        /// In the order of the trace.
        pub uses: Vec<ValueUse>,
        /// The step that writes another value; null if none does.
        pub replaced: Option<f64>,
        /// There may be more.
        pub is_cut: bool,
    }

    /// Which steps to walk to, and which to show: all that is not null must hold.
    pub struct StepFilter {
        /// Of the kernel, or outside it.
        pub kernel: Option<bool>,
        /// Number of the processor's mode.
        pub mode: Option<u32>,
        /// Id of the thread.
        pub thread: Option<u64>,
    }

    /// A mode of the processor.
    pub struct Mode {
        /// As in the trace.
        pub number: u32,
        /// '' if it has none.
        pub name: String,
    }

    /// What a trace has steps of, as far as it is indexed.
    pub struct StepKinds {
        /// Ids of threads.
        pub threads: BigUint64Array,
        /// Modes of the processor.
        pub modes: Vec<Mode>,
        /// Whether there are steps outside the kernel.
        pub user: bool,
        /// Whether there are steps in it.
        pub kernel: bool,
    }

    /// Executed code by address. Ranges that only the other list has were executed 0 times.
    #[derive(Default)]
    pub struct Coverage {
        /// Of modules; '' for what is in none. Otherwise empty.
        pub names: Vec<String>,
        /// Of the first instruction.
        pub address: BigUint64Array,
        /// In bytes.
        pub length: Float64Array,
        /// Number of instructions.
        pub instructions: Uint32Array,
        /// How often they were executed.
        pub count: Float64Array,
        /// Why the other list cannot be used, or ''.
        pub wrong: String,
    }

    /// Runs of a repeated cycle of instructions, by their begin; loops follow the one that they are
    /// within.
    pub struct Loops {
        /// The first step.
        pub start: Float64Array,
        /// The step after the first iteration.
        pub first_end: Float64Array,
        /// The first step of the last iteration.
        pub last_start: Float64Array,
        /// The step after the last iteration.
        pub end: Float64Array,
        /// Number of iterations, at least 2.
        pub count: Float64Array,
        /// Instructions of the cycle, or blocks of a block trace. A loop in it counts as one.
        pub length: Float64Array,
        /// Address of the first instruction.
        pub address: BigUint64Array,
        /// 1 if other threads have steps between the first and the last one.
        pub shared: Uint8Array,
        /// Loops within others that are not listed.
        pub unlisted: f64,
        /// Steps of threads beyond the limit, whose loops are not known.
        pub left_out: f64,
    }
}

impl RegisterState {
    /// `is_stack_pointer`: whether the register is that.
    pub(crate) fn of(register: &Register, is_stack_pointer: bool) -> Self {
        let Register { name, value, step, written, changed, is_ours, next } = register;
        Self {
            name: name.clone(),
            value: value.clone().map(Uint8Array),
            step: *step as f64,
            written: *written,
            changed: *changed,
            is_ours: *is_ours,
            next: next.clone().map(Uint8Array),
            is_stack_pointer,
        }
    }
}

impl From<&Detail> for StepAccess {
    fn from(detail: &Detail) -> Self {
        let Detail { step, thread, written, register, address, value } = detail;
        Self {
            step: *step as f64,
            thread: *thread,
            written: *written,
            register: register.clone(),
            address: *address,
            value: Uint8Array(value.clone()),
        }
    }
}

impl From<Called> for SystemCall {
    fn from(call: Called) -> Self {
        let argument = |(register, value): (&str, u64)| SystemCallArgument { register: register.into(), value };
        Self {
            name: call.name.map(Into::into),
            number: call.number,
            arguments: call.arguments.into_iter().map(argument).collect(),
        }
    }
}

impl From<&unspool_access_index::Cell> for Cell {
    fn from(cell: &unspool_access_index::Cell) -> Self {
        match cell {
            unspool_access_index::Cell::Register { thread, name } => {
                Self::Register { thread: *thread, name: name.clone() }
            }
            unspool_access_index::Cell::Memory { address, len } => {
                Self::Memory { address: *address as u64, len: *len as u32 }
            }
        }
    }
}

impl Origin {
    /// `instruction`: that of the step as text.
    pub(crate) fn of(origin: &Traced, instruction: Option<String>) -> Self {
        let (cause, step) = match origin.cause {
            unspool_access_index::Cause::Written(step) => (OriginCause::Written, Some(step)),
            unspool_access_index::Cause::Read(step) => (OriginCause::Read, Some(step)),
            unspool_access_index::Cause::Changed(step) => (OriginCause::Changed, Some(step)),
            unspool_access_index::Cause::Unknown => (OriginCause::Unknown, None),
        };
        let operands = origin.operands.iter();
        Self {
            cell: (&origin.cell).into(),
            cause,
            step: step.map(|step| step as f64),
            copies: origin.copies.iter().map(|step| *step as f64).collect(),
            instruction,
            written: Uint8Array(origin.written.clone()),
            operands: operands
                .map(|it| OriginOperand { access: (&it.access).into(), is_address: it.is_address })
                .collect(),
            is_unclear: origin.is_unclear,
        }
    }
}

impl StepKinds {
    /// `name_of` names a mode.
    pub(crate) fn of(kinds: Found, name_of: impl Fn(u32) -> String) -> Self {
        let [user, kernel] = kinds.privileges;
        let modes = kinds.modes.into_iter().map(|number| Mode { number, name: name_of(number) });
        Self { threads: BigUint64Array(kinds.threads), modes: modes.collect(), user, kernel }
    }
}

impl From<LoopsFound> for Loops {
    fn from(found: LoopsFound) -> Self {
        let LoopsFound { loops, unlisted, left_out } = found;
        let steps = |of: fn(&Loop) -> u64| loops.iter().map(|it| of(it) as f64).collect();
        Self {
            start: steps(|it| it.start),
            first_end: steps(|it| it.first_end),
            last_start: steps(|it| it.last_start),
            end: steps(|it| it.end),
            count: steps(|it| it.count),
            length: steps(|it| it.length.into()),
            address: loops.iter().map(|it| it.address).collect(),
            shared: loops.iter().map(|it| it.is_shared.into()).collect(),
            unlisted: unlisted as f64,
            left_out: left_out as f64,
        }
    }
}
