//! `unspool origin`: where a value comes from.

use std::io::Write;

use serde::Serialize;
use unspool_access_index::{Cause, Cell, Moment, Origin as Found};

use crate::sqlite::Disassembler;
use crate::steps::{explore, hex, is_step, lost, memory, number, register};
use crate::{Failure, TraceArgs, console, json};

/// Shows where a value comes from in a BAP frames trace: the instruction that wrote it, and in turn
/// the origins of what that instruction read.
///
/// Instructions that only copy the value are skipped and counted. The tree ends at constants and at
/// values that no step wrote.
#[derive(clap::Args)]
pub(crate) struct Origin {
    #[command(flatten)]
    trace: TraceArgs,
    /// Name of a register, an address, or ADDRESS+LENGTH.
    #[arg(value_name = "CELL")]
    cell: String,
    /// Step before which to look at the value.
    #[arg(long, value_name = "STEP")]
    at: u64,
    /// Thread of the register. Default: that of the step.
    #[arg(long, value_name = "ID")]
    thread: Option<u64>,
    /// Levels of the tree.
    #[arg(long, value_name = "LEVELS", default_value_t = 4)]
    depth: u32,
    /// Also show the addresses that memory was read from.
    #[arg(long)]
    addresses: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(what: &Origin) -> Result<(), Failure> {
    let is_memory = what.cell.starts_with(|c: char| c.is_ascii_digit());
    let place = if is_memory { Some(memory(&what.cell).map_err(Failure::usage)?) } else { None };
    if is_memory && what.thread.is_some() {
        return Err(Failure::usage("All threads share the memory: --thread is about registers."));
    }
    let (source, mut explorer) = explore(&what.trace, Some(what.at))?;
    is_step(explorer.count(), what.at)?;
    let cell = match place {
        Some((address, len)) => Cell::Memory { address, len },
        None => {
            let thread = match what.thread {
                Some(thread) => Some(thread),
                None => explorer.registers(Moment::Before(what.at), None).map_err(|e| lost(&source, e))?.thread,
            };
            Cell::Register { thread, name: register(&what.trace, &explorer, &what.cell)? }
        }
    };
    let mut out = console::data_or_text(what.json);
    // As nested lists: each level has the values that those of the level before were made of.
    let mut values = Vec::new();
    let mut truncated = false;
    // Cells that are still to be shown: each with the step before which it is meant, and its level.
    let mut next = vec![(cell, what.at, 0, false)];
    while let Some((cell, step, level, is_address)) = next.pop() {
        let origins = explorer.origins(step, &cell, &Disassembler).map_err(|e| lost(&source, e))?;
        for found in &origins {
            if what.json {
                values.push(value(found, level, is_address));
                continue;
            }
            let mark = if is_address { " (address)" } else { "" };
            writeln!(
                out,
                "{:indent$}{}{mark}: {}",
                "",
                copied(&cell, found),
                cause_text(found),
                indent = console::indent(level)
            )?;
        }
        for found in origins.iter().rev() {
            let Cause::Written(step) = found.cause else { continue };
            for operand in found.operands.iter().rev().filter(|it| what.addresses || !it.is_address) {
                if level >= what.depth as usize {
                    truncated = true;
                    continue;
                }
                let access = &operand.access;
                let cell = match &access.register {
                    Some(name) => Cell::Register { thread: access.thread, name: name.clone() },
                    None => Cell::Memory { address: access.address.into(), len: access.value.len() },
                };
                next.push((cell, step, level + 1, operand.is_address));
            }
        }
    }
    if what.json {
        let rest = truncated.then(|| format!("--depth {}", what.depth.saturating_mul(2).max(1)));
        let report = Report { cell: &what.cell, at: what.at, total: values.len(), truncated, rest, values };
        json::print(&mut out, &report)?;
    }
    out.flush()?;
    Ok(())
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    cell: &'a str,
    /// The step before which the value is meant.
    at: u64,
    /// In the order of the text: after each value those that it was made of, one level deeper.
    values: Vec<ValueOut>,
    total: usize,
    /// Whether values were made of others that are not listed.
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    rest: Option<String>,
}

/// Where a value comes from.
#[derive(Serialize)]
struct ValueOut {
    level: usize,
    cell: String,
    /// Whether it is an address that memory was read from.
    is_address: bool,
    /// `written`, `read`, `changed` outside the trace, or `unknown`.
    how: &'static str,
    /// The step that wrote it, or that knew it first.
    step: Option<u64>,
    /// What was written, in hexadecimal, as it is in memory.
    value: Option<String>,
    address: Option<u64>,
    instruction: Option<String>,
    /// Steps that only copied the value.
    copies: Vec<u64>,
}

fn value(found: &Found, level: usize, is_address: bool) -> ValueOut {
    let (how, step) = match found.cause {
        Cause::Written(step) => ("written", Some(step)),
        Cause::Read(step) => ("read", Some(step)),
        Cause::Changed(step) => ("changed", Some(step)),
        Cause::Unknown => ("unknown", None),
    };
    let is_written = how == "written";
    ValueOut {
        level,
        cell: cell_text(&found.cell),
        is_address,
        how,
        step,
        value: is_written.then(|| hex(&found.written)),
        address: is_written.then_some(found.code.address),
        instruction: is_written.then(|| instruction(found)),
        copies: found.copies.clone(),
    }
}

fn cell_text(cell: &Cell) -> String {
    match cell {
        Cell::Register { name, .. } => name.clone(),
        Cell::Memory { address, len } => format!("{address:#x}+{len}"),
    }
}

/// A cell, and after copies the one that they lead to.
fn copied(cell: &Cell, found: &Found) -> String {
    let (of, from) = (cell_text(cell), cell_text(&found.cell));
    let is_part = matches!((cell, &found.cell), (Cell::Memory { .. }, Cell::Memory { .. }));
    if of == from || found.copies.is_empty() || is_part { from } else { format!("{of} from {from}") }
}

/// The instruction that wrote a value.
fn instruction(found: &Found) -> String {
    let code = &found.code;
    let text = code.isa.and_then(|isa| unspool_disassembler::disassemble(isa, code.address, &code.bytes));
    text.unwrap_or_else(|| hex(&code.bytes))
}

/// The step that wrote a value, or that there is none.
fn cause_text(found: &Found) -> String {
    let copies = match found.copies.len() {
        0 => String::new(),
        1 => ", by 1 copy".into(),
        n => format!(", by {n} copies"),
    };
    let text = match found.cause {
        Cause::Written(step) => {
            let code = &found.code;
            let value = match found.cell {
                Cell::Register { .. } => number(&found.written),
                Cell::Memory { .. } => hex(&found.written),
            };
            let end = match (found.is_unclear, found.operands.is_empty(), code.bytes.is_empty()) {
                (true, ..) => "  (what it reads is unknown)",
                (_, true, false) => "  (constant)",
                (_, true, true) => "  (recorded)",
                _ => "",
            };
            format!("{value} written at {step}  {}{end}", instruction(found))
        }
        Cause::Read(step) => format!("not written before: first known from a read at {step}"),
        Cause::Changed(step) => format!("changed outside the trace, seen at {step}"),
        Cause::Unknown => "unknown".into(),
    };
    format!("{text}{copies}")
}
