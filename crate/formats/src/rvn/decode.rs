//! The state machine: which rows come next, and what events they are.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::blocks::{Blocks, Entry};
use super::btree::Scan;
use super::metadata;
use super::problems::{BAD_INDEX, BAD_ROW, LONG_BLOCK, NO_INTERRUPT_BLOCK, NO_METADATA, OLD_SCHEMA};
use super::wire::{self, BLOCK_BYTES, Block, INTERRUPT_BLOCK, Interrupt, Metadata, Mode, Schema};
use crate::error::Class;
use crate::limits::Limits;
use crate::problem::{Problem, ProblemKind};
use crate::rows::{Cell, PAGE, Query, RowError, RowScan, Rows};
use crate::sniff::OpenOptions;

/// A run of a block: it took the transitions from `begin` up to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) block: i64,
}

/// What comes next in the order of transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Record {
    Event(Event),
    /// Comes before the event that it lies in.
    Interrupt(Interrupt),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Tables,
    Metadata,
    Last,
    Blocks(Option<i64>),
    Indices(Option<(i64, i64)>),
    Execution,
    /// Those from `from` on; before `to`, or to the end.
    Interrupts {
        from: Option<i64>,
        to: Option<i64>,
    },
    /// What was fetched is being worked on.
    Working,
    Done,
}

/// Reads the tables of a trace.
#[derive(Debug)]
pub(super) struct Reader {
    limits: Limits,
    size: Option<u64>,
    phase: Phase,
    /// Reads `execution` without a database, as far as it can.
    scan: Option<Scan>,
    pub(super) schema: Schema,
    has_metadata: bool,
    pub(super) metadata: Metadata,
    /// The largest transition, where it is known.
    pub(super) last: Option<i64>,
    pub(super) blocks: Blocks,
    /// The page of `execution` that is worked on.
    ends: Vec<i64>,
    ids: Vec<i64>,
    at: usize,
    interrupts: VecDeque<Interrupt>,
    /// The last row of `execution` that was fetched.
    fetched: Option<i64>,
    /// There is no more of `execution`.
    over: bool,
    /// Where the next event begins.
    pub(super) position: u64,
    pub(super) problems: Vec<Problem>,
}

impl Reader {
    pub(super) fn new(options: OpenOptions) -> Self {
        Self {
            limits: options.limits,
            size: options.size,
            phase: Phase::Tables,
            scan: None,
            schema: Schema::Of2021,
            has_metadata: false,
            metadata: metadata::missing(),
            last: None,
            blocks: Blocks::default(),
            ends: Vec::new(),
            ids: Vec::new(),
            at: 0,
            interrupts: VecDeque::new(),
            fetched: None,
            over: false,
            position: 0,
            problems: Vec::new(),
        }
    }

    pub(super) fn opened(&self) -> bool {
        !matches!(self.phase, Phase::Tables | Phase::Metadata | Phase::Last)
    }

    pub(super) fn want(&self, most: usize) -> Option<Query> {
        match self.phase {
            Phase::Tables => Some(wire::tables()),
            Phase::Metadata => Some(wire::metadata()),
            Phase::Last => Some(wire::last_transition()),
            Phase::Blocks(after) => Some(wire::blocks(after)),
            Phase::Indices(after) => Some(wire::indices(after)),
            Phase::Execution => {
                // Rows come in ascending order: where the last is small and the first not negative, all are.
                let small = self.last.is_some_and(|t| t < 1 << 53) && self.fetched.is_some_and(|t| t >= 0);
                Some(wire::execution(self.fetched, most, small))
            }
            Phase::Interrupts { from, to } => Some(wire::interrupts(from, to)),
            Phase::Working | Phase::Done => None,
        }
    }

    /// Instead of what is wanted: rows of `execution`, from where the last ones ended.
    pub(super) fn scan(&mut self) -> Option<&mut dyn RowScan> {
        let scan = self.scan.as_mut().filter(|scan| !scan.has_given_up());
        scan.filter(|_| self.phase == Phase::Execution).map(|scan| scan as &mut dyn RowScan)
    }

    /// Takes in all rows of what was wanted; `cut`: there would be more, but they cannot be read.
    pub(super) fn push(&mut self, rows: &mut Rows, cut: bool) -> Result<(), RowError> {
        self.phase = match self.phase {
            Phase::Tables | Phase::Metadata if cut => {
                return Err(RowError::new(Class::Truncated, "The database is damaged where it says what is in it."));
            }
            Phase::Tables => self.tables(&rows.cells)?,
            Phase::Metadata => {
                self.metadata = metadata::parse(&rows.cells)?;
                Phase::Last
            }
            Phase::Last => {
                self.last = match rows.cells.first().and_then(|row| row.first()) {
                    None | Some(Cell::Null) => None,
                    Some(cell) => Some(cell.int()),
                };
                Phase::Blocks(None)
            }
            Phase::Blocks(after) => {
                let latest = self.take_blocks(rows)?.filter(|id| !cut && Some(*id) > after);
                match latest {
                    Some(id) => Phase::Blocks(Some(id)),
                    None => self.after_blocks(),
                }
            }
            Phase::Indices(after) => {
                self.take_indices(rows);
                match (rows.column(0).last(), rows.column(1).last()) {
                    // A damaged table may answer with the same rows over and over.
                    (Some(block), Some(instruction)) if !cut && Some((*block, *instruction)) > after => {
                        Phase::Indices(Some((*block, *instruction)))
                    }
                    _ => Phase::Execution,
                }
            }
            Phase::Execution => self.take_execution(rows, cut),
            Phase::Interrupts { from: before, to } => {
                let latest = self.take_interrupts(rows);
                match latest.and_then(|t| t.checked_add(1)) {
                    Some(from) if !cut && rows.len() >= PAGE && Some(from) > before => {
                        Phase::Interrupts { from: Some(from), to }
                    }
                    _ => Phase::Working,
                }
            }
            Phase::Working | Phase::Done => {
                return Err(RowError::new(Class::Misuse, "Rows were handed in that nobody asked for."));
            }
        };
        Ok(())
    }

    /// The next record of what was fetched; nothing when more rows are needed, or all is told.
    pub(super) fn next(&mut self) -> Option<Record> {
        // Events wait for the interrupts that lie among them.
        if self.phase != Phase::Working {
            return None;
        }
        loop {
            let end = match self.ends.get(self.at) {
                // There are no transitions before the first, and in a damaged table rows may come in no order.
                Some(end) if *end < 0 || (*end as u64) < self.position => {
                    self.problem(self.position, &BAD_ROW, *end as u64);
                    self.at += 1;
                    continue;
                }
                Some(end) => Some(*end as u64),
                None => None,
            };
            if let Some(interrupt) = self.interrupts.front().copied()
                && end.is_none_or(|end| interrupt.transition < end)
            {
                self.interrupts.pop_front();
                return Some(Record::Interrupt(interrupt));
            }
            let Some(end) = end else { break };
            let block = self.ids.get(self.at).copied().unwrap_or(0);
            let event = Event { begin: self.position, end, block };
            self.at += 1;
            self.position = end;
            return Some(Record::Event(event));
        }
        self.phase = if self.over { Phase::Done } else { Phase::Execution };
        None
    }

    fn problem(&mut self, at: u64, kind: &'static ProblemKind, value: u64) {
        self.problems.push(Problem { at, kind, value });
    }

    fn tables(&mut self, rows: &[Vec<Cell>]) -> Result<Phase, RowError> {
        let has = |name: &str| rows.iter().any(|row| row.first().is_some_and(|c| c.text().eq_ignore_ascii_case(name)));
        self.has_metadata = has("_metadata");
        self.scan = rows.iter().find_map(|row| match row.as_slice() {
            [name, Cell::Int(root), Cell::Text(sql)] if name.text().eq_ignore_ascii_case("execution") => {
                Scan::of(sql, *root, self.size)
            }
            _ => None,
        });
        if let Some(missing) = ["blocks", "execution"].into_iter().find(|name| !has(name)) {
            // Other resources of REVEN have metadata, too, and those say what they are.
            if self.has_metadata {
                return Ok(Phase::Metadata);
            }
            let sentence = format!(
                "This SQLite database has no table {missing:?}: it is not a block trace of REVEN, the only kind of database that can be opened."
            );
            return Err(RowError::new(Class::Unsupported, sentence));
        }
        self.schema = match (has("instruction_indices"), has("interrupts")) {
            (true, true) => Schema::Of2021,
            (true, false) => Schema::Of20201023,
            (false, _) => Schema::Of20201014,
        };
        match self.schema {
            Schema::Of2021 => {}
            Schema::Of20201023 => self.problem(0, &OLD_SCHEMA, 20_201_023),
            Schema::Of20201014 => self.problem(0, &OLD_SCHEMA, 20_201_014),
        }
        if !self.has_metadata {
            self.problem(0, &NO_METADATA, 0);
            return Ok(Phase::Last);
        }
        Ok(Phase::Metadata)
    }

    fn take_blocks(&mut self, rows: &mut Rows) -> Result<Option<i64>, RowError> {
        let mut latest = None;
        for row in rows.cells.drain(..) {
            let [id, pc, data, count, mode] = row.as_slice() else { continue };
            let id = id.int();
            latest = Some(id);
            let mut data = if let Cell::Blob(data) = data { data.clone() } else { Vec::new() };
            let cut = data.len() > BLOCK_BYTES;
            if cut {
                data.truncate(BLOCK_BYTES);
                self.problem(0, &LONG_BLOCK, id as u64);
            }
            let mode = Mode::of(mode.int());
            let block = Block { pc: pc.int() as u64, data, count: count.int().max(0) as u64, mode };
            if self.blocks.len() >= self.limits.names as usize || self.blocks.bytes > self.limits.spool {
                let sentence = format!("The database has too many blocks: {} were read.", self.blocks.len());
                return Err(RowError::new(Class::Limit, sentence));
            }
            self.blocks.push(Entry::new(id, block, cut));
        }
        Ok(latest)
    }

    fn after_blocks(&mut self) -> Phase {
        if !self.blocks.get(INTERRUPT_BLOCK).is_some_and(Entry::is_interrupt) {
            self.problem(0, &NO_INTERRUPT_BLOCK, 0);
        }
        if self.schema >= Schema::Of20201023 { Phase::Indices(None) } else { Phase::Execution }
    }

    fn take_indices(&mut self, rows: &Rows) {
        for (block, offset) in rows.column(0).iter().zip(rows.column(2)) {
            // Offset 0 goes without saying, and they ascend.
            let fits = self.blocks.get_mut(*block).is_some_and(|entry| {
                let after = entry.known.last().copied().unwrap_or(0);
                let known =
                    u32::try_from(*offset).ok().filter(|o| *o > after && (*o as usize) < entry.block.data.len());
                entry.known.extend(known);
                known.is_some() || entry.cut
            });
            if !fits {
                self.problem(0, &BAD_INDEX, *block as u64);
            }
        }
    }

    fn take_execution(&mut self, rows: &mut Rows, cut: bool) -> Phase {
        let from = self.fetched;
        self.ends.clear();
        self.ids.clear();
        self.at = 0;
        if let [ends, ids] = rows.ints.as_mut_slice() {
            core::mem::swap(&mut self.ends, ends);
            core::mem::swap(&mut self.ids, ids);
        }
        let ascends = self.ends.last().is_some_and(|last| from.is_none_or(|from| *last > from));
        self.over = cut || !ascends;
        self.fetched = self.ends.last().copied().max(from);
        if self.schema < Schema::Of2021 {
            return Phase::Working;
        }
        let to = if self.over && !cut { None } else { self.fetched };
        Phase::Interrupts { from, to }
    }

    fn take_interrupts(&mut self, rows: &Rows) -> Option<i64> {
        let columns = [0, 1, 2, 3, 4, 5].map(|i| rows.column(i));
        for i in 0..rows.len() {
            let row = columns.map(|column| column.get(i).copied().unwrap_or(0));
            if row.first().is_some_and(|t| *t < 0) {
                self.problem(self.position, &BAD_ROW, row.first().map_or(0, |t| *t as u64));
                continue;
            }
            self.interrupts.push_back(Interrupt::of(row));
        }
        rows.column(0).last().copied()
    }

    /// For people.
    pub(super) fn schema_word(&self) -> String {
        match self.schema {
            Schema::Of2021 => String::from("of 2021"),
            Schema::Of20201023 => String::from("of 2020-10-23, without interrupts"),
            Schema::Of20201014 => String::from("of 2020-10-14, without interrupts and instruction indices"),
        }
    }
}
