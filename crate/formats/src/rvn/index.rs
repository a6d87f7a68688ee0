//! The reader of a block trace: any of its transitions, and the details of block runs.
//!
//! A row is a transition, so that each single step can be reached. Its fields: `address`,
//! `instruction`, `block`, `mode`, `partial` where a block was left early, and of an interrupt
//! `interrupt` with the keys of the dump. The name is that of an interrupt; instructions have none.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range as Numbers;

use unspool_stacks::isa::Isa;
use unspool_trace::details::RecordDetails;
use unspool_trace::locator::Locator;
use unspool_trace::records::{FieldValue, Lane, Record, RecordName, RowRecords, Visitor};
use unspool_trace::rows::{PAGE, Query, RowError, Rows};
use unspool_trace::sniff::OpenOptions;
use unspool_trace::{Instructions, NoInstructions};

use super::blocks::{Entry, LONGEST};
use super::decode::{BlockRun, Reader};
use super::to_batch::{CALLS, MISSING_BLOCK, NO_INSTRUCTION};
use super::vectors;
use super::wire::{self, Interrupt, Mode, Schema};

/// Transitions of a run whose block is missing, whose number is not limited by anything else.
const MOST_UNKNOWN: u64 = 4096;

/// The reader of a trace.
pub(super) struct RvnRecords {
    pub(super) reader: Reader,
    pub(super) instructions: Box<dyn Instructions>,
}

/// Opens the reader.
pub fn open_records() -> Box<dyn RowRecords> {
    Box::new(RvnRecords { reader: Reader::new(OpenOptions::default()), instructions: Box::new(NoInstructions) })
}

impl RvnRecords {
    /// Splits rows into stretches for which a page of runs suffices: each run has a transition at
    /// least.
    fn stretches(&self, rows: Numbers<u64>) -> impl Iterator<Item = Numbers<u64>> + use<> {
        let end = rows.end.min(self.rows());
        (rows.start..end).step_by(PAGE).map(move |from| from..from.saturating_add(PAGE as u64).min(end))
    }

    fn rows(&self) -> u64 {
        if self.reader.has_blocks() { self.reader.last.map_or(0, |last| last.max(0) as u64) } else { 0 }
    }

    fn has_interrupts(&self) -> bool {
        self.reader.schema >= Schema::Of2021
    }

    /// The queries for a stretch: the run before it, the runs in it, and the interrupts in it.
    fn queries_of_stretch(&self, rows: &Numbers<u64>) -> impl Iterator<Item = Query> + use<> {
        let [from, to] = [rows.start, rows.end].map(|row| row as i64);
        let runs = wire::execution(Some(from), (to - from) as usize, false);
        let interrupts = self.has_interrupts().then(|| wire::interrupts(Some(from), Some(to), PAGE));
        [wire::run_before(rows.start), runs].into_iter().chain(interrupts)
    }

    fn visit_stretch(&self, rows: &Numbers<u64>, found: &[Rows], visitor: &mut dyn Visitor) {
        let [before, runs, rest @ ..] = found else { return };
        let mut begin = before.column(0).first().map_or(0, |end| (*end).max(0) as u64);
        let mut interrupts = rest.iter().flat_map(interrupts).peekable();
        // The block of the last run, and where its instructions begin.
        let (mut block, mut starts) = (None, Vec::new());
        for (end, id) in runs.column(0).iter().zip(runs.column(1)) {
            let Some(end) = u64::try_from(*end).ok().filter(|end| *end >= begin) else { continue };
            let run = BlockRun { begin, end, block: *id };
            begin = end;
            let entry = self.reader.blocks.get(*id);
            if let Some(entry) = entry.filter(|_| block != Some(*id)) {
                starts = if entry.is_interrupt() { Vec::new() } else { entry.starts(&*self.instructions) };
                block = Some(*id);
            }
            for transition in run.begin.max(rows.start)..end.min(rows.end) {
                while interrupts.next_if(|interrupt| interrupt.transition < transition).is_some() {}
                let interrupt = interrupts.next_if(|interrupt| interrupt.transition == transition);
                let step = Step { transition, run, entry, starts: &starts, interrupt };
                self.visit_step(&step, visitor);
                if visitor.is_full() {
                    return;
                }
            }
            if end >= rows.end {
                return;
            }
        }
    }

    fn visit_step(&self, step: &Step<'_>, visitor: &mut dyn Visitor) {
        let interrupt = step.interrupt.as_ref().map(|interrupt| (interrupt, vectors::name(interrupt)));
        let name = match (&interrupt, step.entry) {
            (Some((_, name)), _) => RecordName::Text(name),
            (None, None) => RecordName::Text(MISSING_BLOCK),
            (None, Some(entry)) if entry.is_interrupt() => RecordName::Text(NO_INSTRUCTION),
            (None, Some(_)) => RecordName::None,
        };
        let (row, locator) = (step.transition, Locator::at(step.run.end));
        if !visitor.begin(&Record { locator, lane: 0, row, x: row, track: CALLS, name }) {
            return;
        }
        let instruction = step.instruction();
        if let Some((address, _)) = instruction {
            visitor.field("address", FieldValue::Hex(address));
        }
        let mode = step.entry.map(|entry| entry.block.mode);
        if let (Some((address, bytes)), Some(mode)) = (instruction, mode) {
            visitor.field("instruction", code(mode, address, bytes));
        }
        visitor.field("block", FieldValue::Id(step.run.block));
        if let Some(mode) = mode.filter(|_| instruction.is_some()) {
            visitor.field("mode", FieldValue::Text(mode.word()));
        }
        if let Some((ran, count)) = step.left_early() {
            let text = format!("left after {ran} of {count} instructions");
            visitor.field("partial", FieldValue::Text(&text));
        }
        if let Some((interrupt, name)) = &interrupt {
            self.visit_interrupt(interrupt, name, visitor);
        }
        visitor.end();
    }

    fn visit_interrupt(&self, interrupt: &Interrupt, name: &str, visitor: &mut dyn Visitor) {
        let Interrupt { transition, pc, mode, number, is_hw, related } = *interrupt;
        visitor.open("interrupt", false);
        visitor.field("transition", FieldValue::U64(transition));
        visitor.field("pc", FieldValue::Hex(pc));
        visitor.field("number", FieldValue::Symbol { name, value: &FieldValue::I64(number) });
        visitor.field("mode", FieldValue::Symbol { name: mode.word(), value: &FieldValue::I64(mode.number()) });
        visitor.field("is_hw", FieldValue::Bool(is_hw));
        let bytes = self.reader.blocks.get(related).and_then(|entry| entry.instruction_at(pc));
        visitor.field("related_bytes", bytes.map_or(FieldValue::Null, |bytes| code(mode, pc, bytes)));
        visitor.close();
    }
}

/// A transition.
struct Step<'a> {
    transition: u64,
    run: BlockRun,
    /// The block of the run, if the database has it.
    entry: Option<&'a Entry>,
    /// Offsets of its instructions, as far as known.
    starts: &'a [usize],
    interrupt: Option<Interrupt>,
}

impl<'a> Step<'a> {
    /// Of the last transition of a run that left its block early: how many instructions ran, and
    /// how many the block has.
    fn left_early(&self) -> Option<(u64, u64)> {
        let entry = self.entry.filter(|entry| !entry.is_interrupt() && self.transition + 1 == self.run.end)?;
        let (ran, count) = (self.run.end - self.run.begin, entry.block.count);
        (ran < count).then_some((ran, count))
    }

    /// The address and the bytes of the instruction. `None` if it is unknown or none was executed.
    fn instruction(&self) -> Option<(u64, &'a [u8])> {
        let entry = self.entry.filter(|entry| !entry.is_interrupt())?;
        let place = usize::try_from(self.transition.checked_sub(self.run.begin)?).ok()?;
        let start = *self.starts.get(place)?;
        let data = &entry.block.data;
        // Without a decoder, the length of the last known instruction is unknown.
        let longest = start.saturating_add(LONGEST).min(data.len());
        let end = self.starts.get(place.checked_add(1)?).copied().unwrap_or(data.len()).min(longest);
        Some((entry.block.pc.wrapping_add(start as u64), data.get(start..end)?))
    }
}

/// An instruction, or its bytes if the mode is unknown.
fn code(mode: Mode, address: u64, bytes: &[u8]) -> FieldValue<'_> {
    match mode.bits().and_then(|bits| Isa::X86(bits).code(false, false)) {
        Some(isa) => FieldValue::Code { isa, address, bytes },
        None => FieldValue::Bytes { bytes, len: bytes.len() as u64 },
    }
}

/// Interrupts from the rows of [`wire::interrupts`].
fn interrupts(rows: &Rows) -> impl Iterator<Item = Interrupt> {
    let columns = [0, 1, 2, 3, 4, 5].map(|i| rows.column(i));
    (0..rows.len()).map(move |i| Interrupt::of(columns.map(|column| column.get(i).copied().unwrap_or(0))))
}

impl RowRecords for RvnRecords {
    fn set_instructions(&mut self, instructions: Box<dyn Instructions>) {
        self.instructions = instructions;
    }

    fn want(&self) -> Option<Query> {
        self.reader.want(PAGE).filter(|_| !self.reader.has_blocks())
    }

    fn push(&mut self, rows: &mut Rows) -> Result<(), RowError> {
        self.reader.push(rows, false)
    }

    fn lane(&self) -> Lane {
        let rows = self.rows();
        Lane { track: Some(CALLS), rows, sorted: true, until: rows.saturating_sub(1), pieces: Vec::new() }
    }

    fn queries(&self, rows: Numbers<u64>) -> Vec<Query> {
        self.stretches(rows).flat_map(|stretch| self.queries_of_stretch(&stretch)).collect()
    }

    fn visit(&self, rows: Numbers<u64>, found: &[Rows], visitor: &mut dyn Visitor) {
        let of_stretch = if self.has_interrupts() { 3 } else { 2 };
        for (stretch, found) in self.stretches(rows).zip(found.chunks(of_stretch)) {
            if visitor.is_full() {
                return;
            }
            self.visit_stretch(&stretch, found, visitor);
        }
    }

    /// The run of a row, and the next interrupt.
    fn queries_beyond(&self, row: u64) -> Vec<Query> {
        let at = row as i64;
        let interrupts = self.has_interrupts().then(|| wire::interrupts(Some(at), None, 1));
        [wire::run_before(row), wire::execution(Some(at), 1, false)].into_iter().chain(interrupts).collect()
    }

    fn row_beyond(&self, row: u64, found: &[Rows]) -> u64 {
        let [before, run, rest @ ..] = found else { return row };
        let begin = before.column(0).first().map_or(0, |end| (*end).max(0) as u64);
        let Some((end, id)) = run.column(0).first().zip(run.column(1).first()) else { return row };
        // An instruction has a byte at least.
        let most = self.reader.blocks.get(*id).map_or(MOST_UNKNOWN, |entry| entry.block.data.len().max(1) as u64);
        if row < begin.saturating_add(most) {
            return row;
        }
        let interrupt = rest.iter().flat_map(interrupts).next().map_or(u64::MAX, |interrupt| interrupt.transition);
        interrupt.min(u64::try_from(*end).unwrap_or(row)).max(row)
    }

    fn details_queries(&self, locator: Locator) -> Vec<Query> {
        self.queries_of(locator)
    }

    fn details(&self, locator: Locator, found: &[Rows]) -> RecordDetails {
        self.details_of(locator, found)
    }
}
