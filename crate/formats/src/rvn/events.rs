//! Runs of blocks as trace events: a call stack, each block in a lane, and lanes of what is user and kernel and of modes.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use hashbrown::HashMap;

use super::btree::Scan;
use super::code::Ending;
use super::decode::{Event, Reader, Record};
use super::problems::NO_BLOCK;
use super::stack::{Place, Stack};
use super::wire::{Interrupt, Mode};
use super::{details, text};
use crate::batch::{EventBatch, EventKind, TrackDef, TrackId, TrackKind};
use crate::code::{Instructions, NoInstructions};
use crate::details::RecordDetails;
use crate::error::Class;
use crate::info::{Clock, Info};
use crate::limits::Limits;
use crate::names::Texts;
use crate::problem::Problem;
use crate::rows::{Query, RowDecoder, RowError, Rows};
use crate::sniff::OpenOptions;

/// What takes one row comes first: it would be far down below a deep stack.
const PRIVILEGE: TrackId = 0;
const MODE: TrackId = 1;
const BLOCKS: TrackId = 2;
const CALLS: TrackId = 3;
/// Records that are looked at together: events of one track then come in runs, which the store likes.
const TOGETHER: usize = 512;

/// Decodes a block trace.
pub struct RvnDecoder {
    reader: Reader,
    limits: Limits,
    names: Texts,
    by_address: HashMap<u64, u32>,
    stack: Stack,
    /// What is open in the lanes: its name and what it stands for.
    privilege: Option<(u32, bool)>,
    mode: Option<(u32, Mode)>,
    defined: bool,
    records: Vec<Record>,
    /// The latest interrupt whose own event is still to come.
    announced: Option<Interrupt>,
    told_missing: bool,
    instructions: Box<dyn Instructions>,
}

impl RvnDecoder {
    pub(super) fn new(options: OpenOptions) -> Self {
        Self {
            reader: Reader::new(options),
            limits: options.limits,
            names: Texts::default(),
            by_address: HashMap::new(),
            stack: Stack::new(CALLS),
            privilege: None,
            mode: None,
            defined: false,
            records: Vec::new(),
            announced: None,
            told_missing: false,
            instructions: Box::new(NoInstructions),
        }
    }

    fn define(&mut self, out: &mut EventBatch) {
        self.defined = true;
        for (kind, name, detail, noun) in [
            (TrackKind::Lane, "user and kernel", "by address", Some("stretch")),
            (TrackKind::Lane, "mode", "", Some("stretch")),
            (TrackKind::Lane, "blocks", "", Some("block run")),
            (TrackKind::Thread, "calls", "rebuilt from calls and returns", None),
        ] {
            let track = TrackDef::new(kind, name);
            out.new_tracks.push(TrackDef { detail: detail.into(), start: Some(0), noun, ..track });
        }
    }

    fn text(&mut self, text: &str, out: &mut EventBatch) -> Result<u32, RowError> {
        self.names.number(text, 0, self.limits.names, out).map_err(too_many_names)
    }

    fn address(&mut self, pc: u64, out: &mut EventBatch) -> Result<u32, RowError> {
        if let Some(name) = self.by_address.get(&pc) {
            return Ok(*name);
        }
        let name = self.names.once(format!("{pc:#x}"), 0, self.limits.names, out).map_err(too_many_names)?;
        self.by_address.insert(pc, name);
        Ok(name)
    }

    /// The number of the name of a block.
    fn name(&mut self, event: &Event, out: &mut EventBatch) -> Result<u32, RowError> {
        let known = self.reader.blocks.get(event.block).map(|e| (e.name, e.is_interrupt(), e.block.pc));
        let name = match known {
            Some((Some(name), ..)) => return Ok(name),
            Some((None, true, _)) => self.text("no instruction", out)?,
            Some((None, false, pc)) => self.address(pc, out)?,
            None => {
                // Once is enough: a table that lost its blocks would have millions.
                if !self.told_missing {
                    self.told_missing = true;
                    let at = event.begin;
                    out.problems.push(Problem { at, kind: &NO_BLOCK, value: event.block as u64 });
                }
                return self.text("missing block", out);
            }
        };
        if let Some(entry) = self.reader.blocks.get_mut(event.block) {
            entry.name = Some(name);
        }
        Ok(name)
    }

    fn stack_events(&mut self, records: &[Record], out: &mut EventBatch) -> Result<(), RowError> {
        for record in records {
            let event = match record {
                Record::Interrupt(interrupt) => {
                    let name = self.text(&text::vector(interrupt), out)?;
                    // Ordered by transition, and before the event that it lies in: no event can be later than that.
                    out.push(EventKind::Instant, CALLS, interrupt.transition, name, interrupt.transition + 1);
                    self.announced = Some(*interrupt);
                    continue;
                }
                Record::Event(event) => event,
            };
            let Some(entry) = self.reader.blocks.get_mut(event.block) else { continue };
            let (pc, time, locator) = (entry.block.pc, event.begin, event.end);
            if entry.is_interrupt() {
                // Whatever is no instruction and has no row among the interrupts goes by unseen on the stack.
                if let Some(interrupt) = self.announced.take().filter(|i| i.transition + 1 == event.end) {
                    let name = self.text(&text::vector(&interrupt), out)?;
                    self.stack.interrupt(Place { pc: interrupt.pc, name, time, locator }, out);
                }
                continue;
            }
            let complete = event.end - event.begin >= entry.block.count;
            let ending = if complete { entry.ending(self.instructions.as_ref()) } else { Ending::Next };
            let behind = pc.wrapping_add(entry.block.data.len() as u64);
            let name = match entry.name {
                Some(name) => name,
                None => self.name(event, out)?,
            };
            self.stack.enter(Place { pc, name, time, locator }, out);
            self.stack.leave(ending, behind);
        }
        Ok(())
    }

    fn lane_events(&mut self, records: &[Record], out: &mut EventBatch) -> Result<(), RowError> {
        for record in records {
            let Record::Event(event) = record else { continue };
            let (time, locator) = (event.begin, event.end);
            let Some(entry) = self.reader.blocks.get(event.block).filter(|e| !e.is_interrupt()) else { continue };
            let (pc, mode) = (entry.block.pc, entry.block.mode);
            let kernel = is_kernel(pc, mode);
            if self.privilege.map(|(_, k)| k) != kernel {
                if let Some((name, _)) = self.privilege.take() {
                    out.push(EventKind::End, PRIVILEGE, time, name, locator);
                }
                if let Some(kernel) = kernel {
                    let name = self.text(if kernel { "kernel" } else { "user" }, out)?;
                    out.push(EventKind::Begin, PRIVILEGE, time, name, locator);
                    self.privilege = Some((name, kernel));
                }
            }
            if self.mode.is_none_or(|(_, m)| m != mode) {
                if let Some((name, _)) = self.mode.take() {
                    out.push(EventKind::End, MODE, time, name, locator);
                }
                let name = self.text(&mode.word(), out)?;
                out.push(EventKind::Begin, MODE, time, name, locator);
                self.mode = Some((name, mode));
            }
        }
        Ok(())
    }

    /// Every record as events, track by track.
    fn tell(&mut self, records: &[Record], out: &mut EventBatch) -> Result<(), RowError> {
        for record in records {
            if let Record::Event(event) = record {
                let name = match self.reader.blocks.get(event.block).and_then(|e| e.name) {
                    Some(name) => name,
                    None => self.name(event, out)?,
                };
                out.push(EventKind::Begin, BLOCKS, event.begin, name, event.end);
                out.push(EventKind::End, BLOCKS, event.end, name, event.end);
                out.records += 1;
            }
        }
        self.stack_events(records, out)?;
        self.lane_events(records, out)
    }
}

impl RowDecoder for RvnDecoder {
    fn info(&self) -> Info {
        let m = &self.reader.metadata;
        let version = if m.format.is_empty() { String::from("unknown") } else { m.format.clone() };
        let mut properties = alloc::vec![("Schema", self.reader.schema_word())];
        if !m.tool.is_empty() {
            properties.push(("Tool", format!("{} {}", m.tool, m.tool_version)));
        }
        if !m.tool_info.is_empty() {
            properties.push(("Tool info", m.tool_info.clone()));
        }
        if m.date > 0 {
            properties.push(("Written", format!("{} (Unix time)", m.date)));
        }
        Info {
            format: "rvn",
            title: format!("REVEN block trace {version}"),
            version,
            container: Some("SQLite"),
            clock: Clock::Ordinal { unit: "transition" },
            event_noun: "block run",
            slice_noun: "call",
            when_empty: "The trace has blocks, perhaps, but none of them was executed.",
            properties,
        }
    }

    fn set_instructions(&mut self, instructions: Box<dyn Instructions>) {
        self.instructions = instructions;
    }

    fn opened(&self) -> bool {
        self.reader.opened()
    }

    fn want(&self, most: usize) -> Option<Query> {
        self.reader.want(most)
    }

    fn scan(&mut self) -> Option<&mut Scan> {
        self.reader.scan()
    }

    fn push(&mut self, rows: &mut Rows, cut: bool) -> Result<(), RowError> {
        self.reader.push(rows, cut)
    }

    fn work(&mut self, out: &mut EventBatch) -> Result<bool, RowError> {
        if !self.defined {
            self.define(out);
        }
        out.problems.append(&mut self.reader.problems);
        while !out.is_full() {
            let mut records = core::mem::take(&mut self.records);
            records.clear();
            while records.len() < TOGETHER {
                let Some(record) = self.reader.next() else { break };
                records.push(record);
            }
            let result = self.tell(&records, out);
            let none = records.is_empty();
            self.records = records;
            out.problems.append(&mut self.reader.problems);
            result?;
            if none {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn print(&mut self, out: &mut String) -> Result<bool, RowError> {
        while out.len() < 1 << 20 {
            let Some(record) = self.reader.next() else { return Ok(false) };
            text::record(&record, &self.reader.blocks, out);
        }
        Ok(true)
    }

    fn take_problems(&mut self) -> Vec<Problem> {
        core::mem::take(&mut self.reader.problems)
    }

    fn progress(&self) -> (u64, u64) {
        let last = self.reader.last.and_then(|t| u64::try_from(t).ok()).unwrap_or(0);
        (self.reader.position.min(last), last)
    }

    fn details_queries(&self, locator: u64) -> Vec<Query> {
        details::queries(locator, self.reader.schema)
    }

    fn details(&self, locator: u64, rows: &[Rows]) -> RecordDetails {
        details::details(locator, rows, &self.reader.blocks, self.instructions.as_ref())
    }
}

/// Whether code at the address is the kernel's; nothing where nobody can say.
///
/// 64 bit: the upper half, as x86-64 and its systems have it. 32 bit: from 2 GiB on, as Windows has it; Linux has it from
/// 3 GiB on. 16 bit: there is no such thing.
fn is_kernel(pc: u64, mode: Mode) -> Option<bool> {
    match mode {
        Mode::Bits64 => Some(pc >> 63 == 1),
        Mode::Bits32 => Some(pc >= 0x8000_0000),
        Mode::Bits16 | Mode::Unknown(_) => None,
    }
}

#[cold]
fn too_many_names(error: crate::error::Error) -> RowError {
    RowError::new(Class::Limit, format!("The database holds too much: {}.", error.cause))
}
