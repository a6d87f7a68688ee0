//! The decoder: drives the reader and passes its records to the sink.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use unspool_trace::batch::EventBatch;
use unspool_trace::info::{Capability, Clock, Column, Info, Shows};
use unspool_trace::part::Part;
use unspool_trace::problem::Problem;
use unspool_trace::rows::{Query, RowDecoder, RowError, RowScan, Rows};
use unspool_trace::sniff::OpenOptions;
use unspool_trace::{Instructions, NoInstructions};

use super::FORMAT;
use super::decode::{Reader, Record};
use super::problems::WITHOUT_LOG;
use super::text;
use super::to_batch::{State, ToBatch, define_tracks};
use crate::date::date;

/// Runs processed together. Events of a track then arrive back-to-back, which suits the store.
const TOGETHER: usize = 512;
/// Records processed together if the next block is new, or the next record is an interrupt.
const SLOWLY: usize = 8;

/// Decodes a block trace.
pub(super) struct RvnDecoder {
    pub(super) reader: Reader,
    pub(super) instructions: Box<dyn Instructions>,
    state: State,
    defined: bool,
    records: Vec<Record>,
}

/// The columns of the list of records.
pub(super) const COLUMNS: &[Column] = &[
    Column { label: "Transition", shows: Shows::Position },
    Column { label: "Address", shows: Shows::Field("address") },
    Column { label: "Instruction", shows: Shows::Field("instruction") },
    Column { label: "Mode", shows: Shows::Field("mode") },
    Column { label: "Block", shows: Shows::Field("block") },
    Column { label: "Other", shows: Shows::Rest },
];

impl RvnDecoder {
    /// `lacks_log`: the database has a write-ahead log, which is not open.
    pub(super) fn new(options: OpenOptions, lacks_log: bool) -> Self {
        let mut reader = Reader::new(options);
        if lacks_log {
            reader.problems.push(Problem { at: 0, kind: &WITHOUT_LOG, value: 0 });
        }
        Self {
            reader,
            instructions: Box::new(NoInstructions),
            state: State::new(options.limits),
            defined: false,
            records: Vec::new(),
        }
    }

    fn sink<'a>(&'a mut self, out: &'a mut EventBatch) -> ToBatch<'a> {
        let Self { reader, instructions, state, .. } = self;
        ToBatch { state, blocks: &mut reader.blocks, instructions: &**instructions, out }
    }
}

impl RowDecoder for RvnDecoder {
    fn info(&self) -> Info {
        let m = &self.reader.metadata;
        let version = if m.format.is_empty() { String::from("unknown") } else { m.format.clone() };
        let mut properties = alloc::vec![("Schema", self.reader.schema_text())];
        if !m.tool.is_empty() {
            properties.push(("Tool", format!("{} {}", m.tool, m.tool_version)));
        }
        if !m.tool_info.is_empty() {
            properties.push(("Tool info", m.tool_info.clone()));
        }
        if m.date > 0 {
            let written = date(m.date as f64).unwrap_or_else(|| format!("{} (Unix time)", m.date));
            properties.push(("Written", written));
        }
        Info {
            format: &FORMAT,
            title: format!("REVEN block trace {version}"),
            version,
            container: Some("SQLite"),
            clock: Clock::Ordinal { unit: "transition" },
            offers: &[Capability::Sql, Capability::Disassembly, Capability::CallStacks],
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

    fn scan(&mut self) -> Option<&mut dyn RowScan> {
        self.reader.scan()
    }

    fn push(&mut self, rows: &mut Rows, cut: bool) -> Result<(), RowError> {
        self.reader.push(rows, cut)
    }

    fn work(&mut self, out: &mut EventBatch) -> Result<bool, RowError> {
        if !core::mem::replace(&mut self.defined, true) {
            define_tracks(out);
        }
        out.problems.append(&mut self.reader.problems);
        while !out.is_full() {
            let Self { reader, instructions, state, .. } = &mut *self;
            let from = reader.position;
            let (ends, ids, blocks) = reader.runs(TOGETHER);
            let mut sink = ToBatch { state, blocks, instructions: &**instructions, out: &mut *out };
            let (count, end) = sink.known_runs(from, ends, ids)?;
            if count > 0 {
                reader.skip(count, end);
                continue;
            }
            let mut records = core::mem::take(&mut self.records);
            records.clear();
            while records.len() < SLOWLY {
                let Some(record) = self.reader.next() else { break };
                records.push(record);
            }
            let result = self.sink(out).records(&records);
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

    fn finish(&mut self, out: &mut EventBatch) {
        let end = self.reader.position;
        // An error here would be a limit that has been reported before.
        let _ = self.sink(out).settle(end);
    }

    fn print(&mut self, part: &mut Part, out: &mut String) -> Result<bool, RowError> {
        while out.len() < 1 << 20 {
            let Some(record) = self.reader.next() else { return Ok(false) };
            let (begin, end) = match &record {
                Record::Run(run) => (run.begin, run.end),
                Record::Interrupt(interrupt) => (interrupt.transition, interrupt.transition),
            };
            if part.ends_before(begin) {
                part.is_over = true;
                return Ok(false);
            }
            if part.overlaps(begin, end) {
                part.printed += 1;
                text::record(&record, &self.reader.blocks, out);
            }
        }
        Ok(true)
    }

    fn take_problems(&mut self) -> Vec<Problem> {
        core::mem::take(&mut self.reader.problems)
    }

    fn kept_bytes(&self) -> u64 {
        self.state.kept_bytes() + self.reader.blocks.kept_bytes()
    }

    fn progress(&self) -> (u64, u64) {
        let last = self.reader.last.and_then(|t| u64::try_from(t).ok()).unwrap_or(0);
        (self.reader.position.min(last), last)
    }
}
