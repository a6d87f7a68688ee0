//! Where a value comes from, and who uses it: one step of the way at a time.
//!
//! The last write of a cell leads to an instruction, and what that read to further cells.
//! Instructions that only copy a value are passed over. The way ends at values that no step wrote,
//! and at constants.

use std::borrow::Cow;

use unspool_records::{ByteSource, Unreadable};
use unspool_trace::Instructions;
use unspool_trace::steps::{Access, Step, StepVisitor};

use crate::explorer::{Detail, Explorer, detail};
use crate::index::Cell;
use crate::{Kind, Moment, Toward};

/// Copies that are passed over at once.
const MOST_COPIES: usize = 64;
/// Parts of a range of memory, each with a writer of its own.
const MOST_PARTS: usize = 64;
/// Registers that an instruction reads at most: a step with more lists all that there are.
const MOST_REGISTERS: usize = 12;
/// Distance between a register and memory that is addressed by it, if the instruction is unknown.
const NEAR: u64 = 4096;
/// Steps that are looked at for uses.
const MOST_LOOKED_AT: usize = 4096;

/// An instruction of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// The disassembler's name for the code, if it has one.
    pub isa: Option<&'static str>,
    /// Its address.
    pub address: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Why a value is what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// This step wrote it.
    Written(u64),
    /// No step before wrote it. This one read it first, or last.
    Read(u64),
    /// This step read another value than was written last: it was changed outside the trace.
    Changed(u64),
    /// It is not known from anything before.
    Unknown,
}

/// Something that a step reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The access.
    pub access: Detail,
    /// It only addresses memory.
    pub is_address: bool,
}

/// Where a value, or a part of a range of memory, comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// What was asked for, or the part of it.
    pub cell: Cell,
    /// Why it has its value, after the copies.
    pub cause: Cause,
    /// The steps that only copied it, the last one first.
    pub copies: Vec<u64>,
    /// The instruction that wrote it.
    pub code: Code,
    /// What that instruction wrote, and what it read.
    pub written: Vec<u8>,
    /// What the instruction read for it. Empty for a constant.
    pub operands: Vec<Operand>,
    /// The step lists all registers, and it is unknown which ones the instruction reads.
    pub is_unclear: bool,
}

/// A step that uses a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The step.
    pub step: u64,
    /// Its instruction.
    pub code: Code,
    /// It only addresses memory by the value.
    pub is_address: bool,
    /// What it writes.
    pub written: Vec<Detail>,
}

/// The steps that use a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Ascending.
    pub uses: Vec<Use>,
    /// The step that replaces the value. `None` if it stays.
    pub replaced: Option<u64>,
    /// There are more.
    pub is_cut: bool,
}

/// A step with everything that it accesses.
#[derive(Default)]
struct Whole {
    step: u64,
    found: Option<Step>,
    code: Code,
    accesses: Vec<Detail>,
    is_over: bool,
}

impl StepVisitor for Whole {
    fn begin(&mut self, step: &Step) -> bool {
        self.is_over = step.number > self.step;
        let is_it = step.number == self.step;
        if is_it {
            self.found = Some(*step);
        }
        is_it
    }

    fn code(&mut self, isa: Option<&'static str>, bytes: &[u8]) {
        let address = self.found.and_then(|step| step.address).unwrap_or(0);
        self.code = Code { isa, address, bytes: bytes.into() };
    }

    fn access(&mut self, access: &Access<'_>) {
        if let Some(step) = &self.found {
            self.accesses.push(detail(step, access));
        }
    }

    fn is_full(&self) -> bool {
        self.is_over
    }
}

/// The cell that an access is about.
fn cell_of(access: &Detail) -> Cell {
    match &access.register {
        Some(name) => Cell::Register { thread: access.thread, name: name.clone() },
        None => Cell::Memory { address: access.address.into(), len: access.value.len() },
    }
}

/// The bytes of an access that belong to a cell, and where in the cell they begin.
fn bytes_in<'a>(access: &'a Detail, cell: &Cell) -> Option<(usize, &'a [u8])> {
    match (cell, &access.register) {
        (Cell::Register { thread, name }, Some(register)) => {
            (*thread == access.thread && name == register).then_some((0, &access.value[..]))
        }
        (Cell::Memory { address, len }, None) => {
            let (first, end) = (u128::from(access.address), u128::from(access.address) + access.value.len() as u128);
            let (from, to) = (first.max(*address), end.min(address.saturating_add(*len as u128)));
            if from >= to {
                return None;
            }
            let bytes = access.value.get((from - first) as usize..(to - first) as usize)?;
            Some(((from - address) as usize, bytes))
        }
        _ => None,
    }
}

/// One name for a register that has several, or that is a part of another one.
fn canonical(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    match name.as_bytes() {
        b"eflags" | b"flags" => "rflags".into(),
        [b'e', a, b] => format!("r{}{}", char::from(*a), char::from(*b)),
        [b'a'..=b'd', b'x'] | [b's' | b'd', b'i'] | [b'b' | b's', b'p'] => format!("r{name}"),
        [b'x' | b'y', b'm', b'm', ..] => format!("z{}", name.get(1..).unwrap_or_default()),
        _ => name,
    }
}

/// The bytes of a value, the lowest first. `is_big`: they are in memory of a big-endian machine.
fn low_first(value: &[u8], is_big: bool) -> Cow<'_, [u8]> {
    if is_big { Cow::Owned(value.iter().rev().copied().collect()) } else { Cow::Borrowed(value) }
}

/// Numbers are equal: bytes that one of them has more are 0.
fn is_same_value(a: &[u8], b: &[u8]) -> bool {
    let is_same = a.iter().zip(b).all(|(a, b)| a == b);
    !a.is_empty() && !b.is_empty() && is_same && b.iter().skip(a.len()).all(|byte| *byte == 0)
}

fn number(value: &[u8]) -> Option<u64> {
    (!value.is_empty() && value.len() <= 8).then(|| value.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
}

impl<S: ByteSource> Explorer<S> {
    fn whole(&mut self, step: u64) -> Result<Whole, Unreadable> {
        let mut whole = Whole { step, ..Whole::default() };
        let piece = self.index().piece_of(step);
        self.visit(piece, &mut whole)?;
        Ok(whole)
    }

    /// Where the value comes from that a cell has before a step. A range of memory has an origin
    /// for each part with a writer of its own.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn origins(
        &mut self,
        step: u64,
        cell: &Cell,
        instructions: &dyn Instructions,
    ) -> Result<Vec<Origin>, Unreadable> {
        let mut origins = Vec::new();
        for (cell, cause) in self.causes(step, cell)? {
            origins.push(self.follow(cell, cause, instructions)?);
        }
        Ok(origins)
    }

    /// Who gave a cell the value that it has before a step.
    fn causes(&mut self, step: u64, cell: &Cell) -> Result<Vec<(Cell, Cause)>, Unreadable> {
        match cell {
            Cell::Register { .. } => {
                let write = self.nearest(step, cell, Kind::Write, Toward::Previous);
                let read = self.nearest(step.saturating_add(1), cell, Kind::Read, Toward::Previous);
                let cause = match (write, read) {
                    (Some(write), Some(read)) if read > write && self.differs(write, read, cell)? => {
                        Cause::Changed(read)
                    }
                    (Some(write), _) => Cause::Written(write),
                    (None, Some(read)) => Cause::Read(read),
                    (None, None) => Cause::Unknown,
                };
                Ok(vec![(cell.clone(), cause)])
            }
            Cell::Memory { address, len } => {
                let bytes = self.index().memory(Moment::Before(step), *address, *len);
                let mut parts: Vec<(Cell, Cause)> = Vec::new();
                for (at, byte) in (*address..).zip(&bytes) {
                    let cause = match byte {
                        None => Cause::Unknown,
                        Some(byte) if byte.changed => Cause::Changed(byte.step),
                        Some(byte) => byte.write.map_or(Cause::Read(byte.step), Cause::Written),
                    };
                    match parts.last_mut() {
                        Some((Cell::Memory { len, .. }, last)) if *last == cause => *len += 1,
                        _ => parts.push((Cell::Memory { address: at, len: 1 }, cause)),
                    }
                    if parts.len() > MOST_PARTS {
                        parts.pop();
                        break;
                    }
                }
                Ok(parts)
            }
        }
    }

    /// Whether a step reads another value of a register than an earlier one wrote.
    fn differs(&mut self, write: u64, read: u64, cell: &Cell) -> Result<bool, Unreadable> {
        let found = self.accesses(&[write, read], cell)?;
        let written = found.iter().rev().find(|access| access.step == write && access.written);
        let then = found.iter().find(|access| access.step == read && !access.written);
        let both = written.zip(then);
        Ok(both.is_some_and(|(written, then)| crate::registers::differ(&written.value, &then.value)))
    }

    /// Passes over copies.
    fn follow(&mut self, cell: Cell, cause: Cause, instructions: &dyn Instructions) -> Result<Origin, Unreadable> {
        let mut origin = Origin {
            cell,
            cause,
            copies: Vec::new(),
            code: Code::default(),
            written: Vec::new(),
            operands: Vec::new(),
            is_unclear: false,
        };
        let mut target = origin.cell.clone();
        while let Cause::Written(step) = origin.cause {
            let whole = self.whole(step)?;
            let written = whole.accesses.iter().rev().filter(|access| access.written);
            let written =
                written.into_iter().find_map(|access| bytes_in(access, &target)).map(|(_, bytes)| bytes.to_vec());
            origin.written = written.unwrap_or_default();
            (origin.operands, origin.is_unclear) = self.operands_of(&whole, &target, &origin.written, instructions)?;
            origin.code = whole.code;
            let mut values = origin.operands.iter().filter(|operand| !operand.is_address);
            let copied = values.next().filter(|_| values.next().is_none() && !origin.is_unclear);
            let is_big = self.is_big_endian();
            let is_in_memory = matches!(target, Cell::Memory { .. });
            let written = low_first(&origin.written, is_big && is_in_memory);
            let copied = copied.filter(|Operand { access, .. }| {
                is_same_value(&low_first(&access.value, is_big && access.register.is_none()), &written)
            });
            let Some(copied) = copied.filter(|_| origin.copies.len() < MOST_COPIES) else { break };
            let from = narrowed(&copied.access, origin.written.len(), is_big);
            let causes = self.causes(step, &from)?;
            // A copy of several values is shown: it joins them.
            let [(next, cause)] = &causes[..] else { break };
            origin.copies.push(step);
            (target, origin.cause) = (next.clone(), *cause);
            if !matches!(cause, Cause::Written(_)) {
                (origin.code, origin.operands) = (Code::default(), Vec::new());
            }
        }
        origin.cell = if origin.copies.is_empty() { origin.cell } else { target };
        Ok(origin)
    }

    /// What a step reads to make a value, and whether that is unclear.
    fn operands_of(
        &mut self,
        whole: &Whole,
        target: &Cell,
        written: &[u8],
        instructions: &dyn Instructions,
    ) -> Result<(Vec<Operand>, bool), Unreadable> {
        let Whole { code, accesses, .. } = whole;
        // What a call pushes is the address of the next instruction.
        let next = code.address.wrapping_add(code.bytes.len() as u64);
        let is_memory = matches!(target, Cell::Memory { .. });
        let low_first = low_first(written, is_memory && self.is_big_endian());
        if is_memory && !code.bytes.is_empty() && number(&low_first) == Some(next) {
            return Ok((Vec::new(), false));
        }
        let known = code.isa.and_then(|isa| instructions.reads(isa, code.address, &code.bytes));
        let reads = || accesses.iter().filter(|access| !access.written);
        let touched: Vec<u64> =
            accesses.iter().filter(|access| access.register.is_none()).map(|access| access.address).collect();
        let is_unclear = known.is_none() && reads().filter(|access| access.register.is_some()).count() > MOST_REGISTERS;
        if is_unclear {
            return Ok((Vec::new(), true));
        }
        let mut found: Vec<Operand> = Vec::new();
        for access in reads() {
            let is_address = match (&access.register, &known) {
                (None, _) => false,
                (Some(name), Some(known)) => {
                    let name = canonical(name);
                    let read = known.split(' ').map(|it| (it.trim_matches(['[', ']']), it.starts_with('[')));
                    let Some((_, is_address)) = read.into_iter().find(|(known, _)| *known == name) else { continue };
                    is_address
                }
                (Some(_), None) => number(&access.value)
                    .is_some_and(|value| value >= NEAR && touched.iter().any(|address| address.abs_diff(value) < NEAR)),
            };
            if found.iter().all(|known| cell_of(&known.access) != cell_of(access)) {
                found.push(Operand { access: access.clone(), is_address });
            }
        }
        if let Some(known) = &known {
            found.extend(self.unlisted(whole, known)?);
        }
        // Push, pop, call and return move the stack pointer by a constant.
        if let Cell::Register { name, .. } = target
            && self.is_stack_pointer(name)
            && let Some(own) = found.iter().position(|it| it.access.register.as_ref() == Some(name))
            && let Some(value) = found.get(own).map(|own| number(&own.access.value))
            && [value, number(written)].iter().flatten().any(|it| touched.contains(it))
        {
            let own = found.swap_remove(own);
            return Ok((vec![Operand { is_address: false, ..own }], false));
        }
        Ok((found, false))
    }

    /// Registers that the instruction reads and the step does not list: some tracers list the same
    /// few with each step. Their values are those that were written last.
    fn unlisted(&mut self, whole: &Whole, known: &str) -> Result<Vec<Operand>, Unreadable> {
        let thread = whole.found.and_then(|step| step.thread);
        let listed: Vec<String> = whole
            .accesses
            .iter()
            .filter(|it| !it.written)
            .filter_map(|it| Some(canonical(it.register.as_deref()?)))
            .collect();
        let mut found = Vec::new();
        for register in known.split(' ').filter(|it| !it.is_empty()) {
            let name = register.trim_matches(['[', ']']);
            if name == "rip" || listed.iter().any(|it| it == name) {
                continue;
            }
            let in_trace = self.index().names_of(thread).find(|it| canonical(it) == name).map(str::to_owned);
            let name = in_trace.unwrap_or_else(|| name.to_owned());
            let cell = Cell::Register { thread, name: name.clone() };
            let write = self.nearest(whole.step, &cell, Kind::Write, Toward::Previous);
            let writes = write.map(|step| self.accesses(&[step], &cell)).transpose()?.unwrap_or_default();
            let value = writes.into_iter().rev().find(|it| it.written).map(|it| it.value).unwrap_or_default();
            let (step, register_name) = (whole.step, Some(name));
            let access = Detail { step, thread, written: false, register: register_name, address: 0, value };
            found.push(Operand { access, is_address: register.starts_with('[') });
        }
        Ok(found)
    }

    /// The steps that read the value that a step gives to a cell, until another one replaces it: at
    /// most `most` of them. `step` may also be any later one before the value is replaced.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn uses(
        &mut self,
        step: u64,
        cell: &Cell,
        most: usize,
        instructions: &dyn Instructions,
    ) -> Result<Uses, Unreadable> {
        let replaced = self.nearest(step, cell, Kind::Write, Toward::Next);
        let end = replaced.map_or(u64::MAX, |step| step.saturating_add(1));
        let history = self.history(cell, step.saturating_add(1)..end);
        let mut found = Uses { replaced, ..Uses::default() };
        let reads = history.into_iter().filter(|(_, reads, _)| *reads).map(|(step, ..)| step);
        for (looked_at, step) in reads.enumerate() {
            if found.uses.len() == most || looked_at == MOST_LOOKED_AT {
                found.is_cut = true;
                break;
            }
            let whole = self.whole(step)?;
            let known = whole.code.isa.and_then(|isa| instructions.reads(isa, whole.code.address, &whole.code.bytes));
            let is_address = match (cell, known) {
                (Cell::Register { name, .. }, Some(known)) => {
                    let name = canonical(name);
                    let mut of_register = known.split(' ').filter(|it| it.trim_matches(['[', ']']) == name);
                    match of_register.next() {
                        Some(it) => it.starts_with('['),
                        // The step lists a register that its instruction does not read.
                        None => continue,
                    }
                }
                _ => false,
            };
            let written = whole.accesses.into_iter().filter(|access| access.written).collect();
            found.uses.push(Use { step, code: whole.code, is_address, written });
        }
        Ok(found)
    }
}

/// The `len` lowest bytes of what an access is about: a part of a register is the register. In
/// memory of a machine that is big-endian (`is_big`), they are at the end.
fn narrowed(access: &Detail, len: usize, is_big: bool) -> Cell {
    match cell_of(access) {
        Cell::Memory { address, len: all } => {
            let len = all.min(len.max(1));
            let before = if is_big { (all - len) as u128 } else { 0 };
            Cell::Memory { address: address.wrapping_add(before), len }
        }
        register => register,
    }
}
