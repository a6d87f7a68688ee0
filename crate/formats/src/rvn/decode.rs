//! The state machine: decides which rows to fetch next, and turns rows into records.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use unspool_trace::error::Class;
use unspool_trace::limits::Limits;
use unspool_trace::problem::{Problem, ProblemKind};
use unspool_trace::rows::{Cell, PAGE, Query, RowError, RowScan, Rows};
use unspool_trace::sniff::OpenOptions;

use super::blocks::{Blocks, Entry};
use super::btree::Scan;
use super::metadata;
use super::problems::{BAD_INDEX, BAD_ROW, LONG_BLOCK, NO_INTERRUPT_BLOCK, NO_METADATA, OLD_SCHEMA};
use super::wire::{self, BLOCK_BYTES, Block, INTERRUPT_BLOCK, Interrupt, Metadata, Mode, Schema, TABLES};

/// A run of a block: the transitions from `begin` to before `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockRun {
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) block: i64,
}

/// The next record in the order of transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Record {
    Run(BlockRun),
    /// Comes before the block run that it is in.
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
    /// Interrupts from transition `from` on, and before `to` if there is a limit.
    Interrupts {
        from: Option<i64>,
        to: Option<i64>,
    },
    /// Rows have been fetched and are being turned into records.
    Working,
    Done,
}

/// Reads the tables of a trace.
#[derive(Debug)]
pub(super) struct Reader {
    limits: Limits,
    size: Option<u64>,
    phase: Phase,
    /// Reads `execution` from the file, as far as possible.
    scan: Option<Scan>,
    pub(super) schema: Schema,
    has_metadata: bool,
    /// A table that block traces have and this database lacks. A view of that name does not count:
    /// it may never end.
    missing: Option<&'static str>,
    pub(super) metadata: Metadata,
    /// The largest transition, if known.
    pub(super) last: Option<i64>,
    pub(super) blocks: Blocks,
    /// The current page of `execution`.
    ends: Vec<i64>,
    ids: Vec<i64>,
    at: usize,
    interrupts: VecDeque<Interrupt>,
    /// The transition of the last row of `execution` fetched.
    fetched: Option<i64>,
    /// Whether `execution` has no more rows.
    over: bool,
    /// The transition at which the next block run begins.
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
            missing: None,
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

    /// Whether all blocks have been read: what follows is the execution.
    pub(super) fn has_blocks(&self) -> bool {
        self.opened() && !matches!(self.phase, Phase::Blocks(_) | Phase::Indices(_))
    }

    pub(super) fn want(&self, most: usize) -> Option<Query> {
        match self.phase {
            Phase::Tables => Some(wire::tables()),
            Phase::Metadata => Some(wire::metadata()),
            Phase::Last => Some(wire::last_transition()),
            Phase::Blocks(after) => Some(wire::blocks(after)),
            Phase::Indices(after) => Some(wire::indices(after)),
            Phase::Execution => {
                // Rows ascend: all are in range if the first is not negative and the last is small.
                let small = self.last.is_some_and(|t| t < 1 << 53) && self.fetched.is_some_and(|t| t >= 0);
                Some(wire::execution(self.fetched, most, small))
            }
            Phase::Interrupts { from, to } => Some(wire::interrupts(from, to, PAGE)),
            Phase::Working | Phase::Done => None,
        }
    }

    /// The scan that replaces the query for `execution`, if it can.
    pub(super) fn scan(&mut self) -> Option<&mut dyn RowScan> {
        let scan = self.scan.as_mut().filter(|scan| !scan.has_given_up());
        scan.filter(|_| self.phase == Phase::Execution).map(|scan| scan as &mut dyn RowScan)
    }

    /// Takes all rows of the current query. `cut`: the database has more, but they are unreadable.
    pub(super) fn push(&mut self, rows: &mut Rows, cut: bool) -> Result<(), RowError> {
        self.phase = match self.phase {
            Phase::Tables | Phase::Metadata if cut => {
                return Err(RowError::new(Class::Truncated, "The database is damaged in its schema or metadata."));
            }
            Phase::Tables => self.tables(&rows.cells)?,
            Phase::Metadata => {
                self.metadata = metadata::parse(&rows.cells)?;
                if let Some(missing) = self.missing {
                    let sentence = format!("This REVEN block trace has no table {missing:?}.");
                    return Err(RowError::new(Class::Malformed, sentence));
                }
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
                    // A damaged table may return the same rows again and again.
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
                return Err(RowError::new(Class::Misuse, "Rows were passed that were not requested."));
            }
        };
        Ok(())
    }

    /// The next record. `None` if more rows are needed, or after the last record.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Record> {
        // Records wait for the interrupts among them.
        if self.phase != Phase::Working {
            return None;
        }
        loop {
            let end = match self.ends.get(self.at) {
                // Transitions are not negative. Rows of a damaged table may be out of order.
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
            let run = BlockRun { begin: self.position, end, block };
            self.at += 1;
            self.position = end;
            return Some(Record::Run(run));
        }
        self.phase = if self.over { Phase::Done } else { Phase::Execution };
        None
    }

    /// Ends and block numbers of the next runs, at most `most`, up to the next interrupt, and all
    /// blocks. Ends and numbers may be invalid. Empty if the next record is not a run.
    /// [`Reader::skip`] moves on.
    #[inline]
    pub(super) fn runs(&mut self, most: usize) -> (&[i64], &[i64], &mut Blocks) {
        let to = (self.at + most).min(self.ends.len()).min(self.ids.len());
        let [mut ends, ids] = [&self.ends, &self.ids].map(|column| column.get(self.at..to).unwrap_or_default());
        if self.phase != Phase::Working {
            ends = &[];
        }
        if let Some(interrupt) = self.interrupts.front() {
            let before = ends.iter().position(|end| *end < 0 || interrupt.transition < *end as u64);
            ends = ends.get(..before.unwrap_or(ends.len())).unwrap_or_default();
        }
        (ends, ids, &mut self.blocks)
    }

    /// Moves on after `count` of the runs that [`Reader::runs`] returned, the last of which ends at
    /// `position`.
    #[inline]
    pub(super) fn skip(&mut self, count: usize, position: u64) {
        self.at += count;
        self.position = position;
    }

    fn problem(&mut self, at: u64, kind: &'static ProblemKind, value: u64) {
        self.problems.push(Problem { at, kind, value });
    }

    fn tables(&mut self, rows: &[Vec<Cell>]) -> Result<Phase, RowError> {
        let has = |name: &str| rows.iter().any(|row| row.first().is_some_and(|c| c.text().eq_ignore_ascii_case(name)));
        self.has_metadata = has("_metadata");
        self.scan = rows.iter().find_map(|row| match row.as_slice() {
            [name, Cell::Int(root), Cell::Text(sql), ..] if name.text().eq_ignore_ascii_case("execution") => {
                Scan::of(sql, *root, self.size)
            }
            _ => None,
        });
        let is_read = |name: &str| TABLES.iter().any(|(table, _)| table.eq_ignore_ascii_case(name));
        let computed = rows.iter().find_map(|row| match row.as_slice() {
            [name, _, _, Cell::Int(1..)] if is_read(name.text()) => Some(name.text()),
            _ => None,
        });
        if let Some(name) = computed {
            let sentence = format!(
                "The table {name:?} of this database is computed: it has generated columns, or is a view or a virtual table. Reading such a table may never end, so the database is not opened."
            );
            return Err(RowError::new(Class::Unsupported, sentence));
        }
        self.missing = ["blocks", "execution"].into_iter().find(|name| !has(name));
        if let Some(missing) = self.missing {
            // Other REVEN resources have metadata as well; these name the resource.
            if self.has_metadata {
                return Ok(Phase::Metadata);
            }
            let sentence = format!(
                "This SQLite database has no table {missing:?}, so it is not a REVEN block trace, the only kind of database that can be opened."
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
                let sentence = format!("The database has too many blocks; {} were read.", self.blocks.len());
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
            // Offset 0 is implied, and offsets ascend.
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

    /// A description of the schema.
    pub(super) fn schema_text(&self) -> String {
        match self.schema {
            Schema::Of2021 => String::from("2021"),
            Schema::Of20201023 => String::from("2020-10-23, without interrupts"),
            Schema::Of20201014 => String::from("2020-10-14, without interrupts and instruction indices"),
        }
    }
}
