//! The details of a block run: the block, its instructions, which of them ran, and the interrupt.

use alloc::format;
use alloc::vec::Vec;

use unspool_stacks::isa::Isa;
use unspool_trace::Instructions;
use unspool_trace::details::{Field, RecordDetails, Value};
use unspool_trace::locator::Locator;
use unspool_trace::rows::{Query, Rows};

use super::blocks::{Blocks, Entry};
use super::index::RvnRecords;
use super::vectors;
use super::wire::{self, Interrupt, Schema};

/// Limit for the instructions listed.
const MAX_LIST: usize = 256;

impl RvnRecords {
    pub(super) fn queries_of(&self, locator: Locator) -> Vec<Query> {
        let end = locator.position();
        let mut queries = alloc::vec![wire::block_run(end)];
        let end = end as i64;
        if self.reader.schema >= Schema::Of2021 {
            queries.push(wire::interrupts(end.checked_sub(1), Some(end), 1));
        }
        queries
    }

    pub(super) fn details_of(&self, locator: Locator, rows: &[Rows]) -> RecordDetails {
        let (blocks, instructions) = (&self.reader.blocks, self.instructions.as_ref());
        let end = locator.position();
        let mut details = RecordDetails::default();
        let runs = rows.first();
        let found = runs.and_then(|r| Some((*r.column(0).first()?, *r.column(1).first()?)));
        let interrupt = rows
            .get(1)
            .filter(|r| !r.is_empty())
            .map(|r| Interrupt::of([0, 1, 2, 3, 4, 5].map(|i| r.column(i).first().copied().unwrap_or(0))));
        if let Some((_, id)) = found.filter(|(last, _)| *last as u64 == end) {
            let begin = runs.and_then(|r| r.column(0).get(1)).map_or(0, |t| (*t).max(0) as u64);
            describe_run(begin, end, id, blocks, instructions, &mut details);
        } else if interrupt.is_none() {
            details.remarks.push("The database no longer has this transition; it was changed.".into());
        }
        if let Some(interrupt) = interrupt {
            describe_interrupt(&interrupt, blocks, instructions, &mut details);
        }
        details
    }
}

fn describe_run(
    begin: u64,
    end: u64,
    id: i64,
    blocks: &Blocks,
    instructions: &dyn Instructions,
    details: &mut RecordDetails,
) {
    let fields = &mut details.fields;
    fields.push(Field::new("Block", Value::Id(id)));
    let ran = end.saturating_sub(begin);
    fields.push(Field::new("First transition", Value::U64(begin)));
    fields.push(Field::new("Last transition", Value::U64(end.saturating_sub(1))));
    let Some(entry) = blocks.get(id) else {
        details.remarks.push("The database has no block with this number.".into());
        return;
    };
    if entry.is_interrupt() {
        details.remarks.push("This transition is not an instruction but an interrupt or a fault.".into());
        return;
    }
    let block = &entry.block;
    fields.push(Field::new("Address", Value::Hex(block.pc)));
    fields.push(Field::new("Mode", Value::Text(block.mode.word().into())));
    fields.push(Field::new("Instructions", Value::U64(block.count)));
    fields.push(Field::new("Executed", Value::U64(ran.min(block.count))));
    let listing = listing(entry, ran, instructions);
    if !listing.is_empty() {
        fields.push(Field::new("Code", Value::Tree(listing)));
    }
    fields.push(Field::new("Bytes", Value::Bytes { bytes: block.data.clone(), len: block.data.len() as u64 }));
    if ran < block.count {
        let sentence = format!("Only the first {ran} of its {} instructions ran.", block.count);
        details.remarks.push(sentence);
    } else if ran > block.count {
        details.remarks.push("The block took more transitions than it has instructions.".into());
    }
    if entry.cut {
        details.remarks.push("The block is too long to be kept whole; only its first bytes are shown.".into());
    }
}

/// Each instruction at its address, with a remark at those that did not run.
fn listing(entry: &Entry, ran: u64, instructions: &dyn Instructions) -> Vec<Field> {
    let starts = entry.starts(instructions);
    let data = &entry.block.data;
    let bits = entry.block.mode.bits();
    let mut lines = Vec::new();
    for (i, start) in starts.iter().enumerate().take(MAX_LIST) {
        let address = entry.block.pc.wrapping_add(*start as u64);
        let end = starts.get(i + 1).copied().unwrap_or(data.len());
        let bytes = data.get(*start..end).unwrap_or_default();
        let mut name = format!("{address:#x}");
        if i as u64 >= ran {
            name.push_str(" (did not run)");
        }
        lines.push(Field { name: name.into(), value: code(bits, address, bytes) });
    }
    if starts.len() > MAX_LIST {
        let text = format!("and {} more instructions", starts.len() - MAX_LIST);
        lines.push(Field::new("…", Value::Text(text)));
    }
    lines
}

fn describe_interrupt(
    interrupt: &Interrupt,
    blocks: &Blocks,
    instructions: &dyn Instructions,
    details: &mut RecordDetails,
) {
    let fields = &mut details.fields;
    let number = Value::I64(interrupt.number);
    fields.push(Field::new("Interrupt", Value::Symbol { name: vectors::name(interrupt), value: number.into() }));
    let by = if interrupt.is_hw { "a device" } else { "an instruction" };
    fields.push(Field::new("Raised by", Value::Text(by.into())));
    fields.push(Field::new("Interrupted at", Value::Hex(interrupt.pc)));
    fields.push(Field::new("Mode there", Value::Text(interrupt.mode.word().into())));
    if interrupt.related == 0 {
        return;
    }
    fields.push(Field::new("Related block", Value::Id(interrupt.related)));
    // The reference finds only instructions that were executed at least once, but one that always
    // faults was not.
    let instruction = blocks
        .get(interrupt.related)
        .and_then(|entry| entry.instruction_at(interrupt.pc).or_else(|| entry.decoded_at(interrupt.pc, instructions)));
    match instruction {
        Some(bytes) => {
            fields.push(Field::new("Related instruction", code(interrupt.mode.bits(), interrupt.pc, bytes)));
        }
        None => details.remarks.push("The database does not have the related instruction.".into()),
    }
}

/// An instruction, or its bytes if the mode is unknown.
fn code(bits: Option<u32>, address: u64, bytes: &[u8]) -> Value {
    match bits.and_then(|bits| Isa::X86(bits).code(false, false)) {
        Some(isa) => Value::Code { isa, address, bytes: bytes.into() },
        None => Value::Bytes { bytes: bytes.into(), len: bytes.len() as u64 },
    }
}
