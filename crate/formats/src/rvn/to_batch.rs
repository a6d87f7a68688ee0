//! The sink that turns records into events of a batch: a call stack, a lane of block runs, and
//! lanes that show when user and kernel code ran and in which mode.

use alloc::format;
use alloc::vec::Vec;

use hashbrown::HashMap;
use unspool_stacks::execution::{Arrival, Departure, Entered, Note, Program, Rules, Sink};
use unspool_stacks::flow::{Flow, Opening};
use unspool_stacks::isa::Isa;
use unspool_stacks::pointer::Move;
use unspool_stacks::stack::Stack;
use unspool_trace::Instructions;
use unspool_trace::batch::{EventBatch, EventKind, Key, Name, SliceKind, TrackDef, TrackId, TrackKind};
use unspool_trace::error::Class;
use unspool_trace::kept;
use unspool_trace::limits::Limits;
use unspool_trace::locator::Locator;
use unspool_trace::problem::Problem;
use unspool_trace::rows::RowError;

use super::blocks::{Blocks, is_kernel};
use super::decode::{BlockRun, Record};
use super::problems::NO_BLOCK;
use super::vectors;
use super::wire::{Interrupt, Mode};
use crate::names::Texts;

/// Lanes of one row come first. Below a deep stack they would be far down.
const PRIVILEGE: TrackId = 0;
const MODE: TrackId = 1;
const BLOCKS: TrackId = 2;
pub(super) const CALLS: TrackId = 3;
/// Names of runs of the block that stands for interrupts, and of a block that the database lacks.
pub(super) const NO_INSTRUCTION: &str = "no instruction";
pub(super) const MISSING_BLOCK: &str = "missing block";
/// No lane of any block.
const NO_LANE: u8 = 0;
/// Runs of blocks whose columns are filled together.
const COLUMN: usize = 64;

/// The trace reports interrupts, so handlers need not be inferred. Blocks of all modes share a
/// stack: there are no operands, and only the encoding of instructions depends on the mode.
const RULES: Rules = Rules { isa: Isa::X86(64), infers_handlers: false };

/// What the decoder keeps from batch to batch.
pub(super) struct State {
    limits: Limits,
    names: Texts,
    /// For each address, twice the number of its name, plus 1 if it has been called.
    by_address: HashMap<u64, u32>,
    /// For each address at which a system call entered the kernel, like `by_address`.
    system_calls: HashMap<u64, u32>,
    stack: Stack,
    program: Program,
    /// The open slice of each lane, and its meaning.
    privilege: Option<(OpenSlice, bool)>,
    mode: Option<(OpenSlice, Mode)>,
    /// The last interrupt whose block run has not arrived yet.
    announced: Option<Interrupt>,
    reported_missing: bool,
    /// `Compact::lane` of the latest run, or [`NO_LANE`].
    lane: u8,
    /// Number of each run that is being delivered, and its end.
    runs: Vec<(i64, u64)>,
}

/// An open slice of a lane.
#[derive(Clone, Copy, Debug)]
struct OpenSlice {
    name: u32,
    locator: Locator,
}

impl State {
    /// Bytes of memory of names, functions and open calls.
    pub(super) fn kept_bytes(&self) -> u64 {
        let tables = [&self.by_address, &self.system_calls].map(|names| kept::table::<(u64, u32)>(names.capacity()));
        self.names.bytes() + tables.iter().sum::<u64>() + self.program.bytes() + self.stack.bytes()
    }

    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            names: Texts::default(),
            by_address: HashMap::new(),
            system_calls: HashMap::new(),
            stack: Stack::default(),
            program: Program::default(),
            privilege: None,
            mode: None,
            announced: None,
            reported_missing: false,
            lane: NO_LANE,
            runs: Vec::new(),
        }
    }
}

/// Defines all tracks. They begin with transition 0.
pub(super) fn define_tracks(out: &mut EventBatch) {
    for (kind, name, detail, noun) in [
        (TrackKind::Lane, "user and kernel", "by address", Some("interval")),
        (TrackKind::Lane, "mode", "", Some("interval")),
        (TrackKind::Lane, "blocks", "", Some("block run")),
        (TrackKind::Thread, "calls", "rebuilt from calls and returns", None),
    ] {
        let track = TrackDef::new(kind, name);
        out.new_tracks.push(TrackDef { detail: detail.into(), start: Some(0), noun, ..track });
    }
}

/// The sink, for one batch.
pub(super) struct ToBatch<'a> {
    pub(super) state: &'a mut State,
    pub(super) blocks: &'a mut Blocks,
    pub(super) instructions: &'a dyn Instructions,
    pub(super) out: &'a mut EventBatch,
}

impl ToBatch<'_> {
    fn text_name(&mut self, text: &str) -> Result<u32, RowError> {
        self.state.names.number(text, 0, self.state.limits.names, self.out).map_err(too_many_names)
    }

    fn address_name(&mut self, pc: u64) -> Result<u32, RowError> {
        if let Some(name) = self.state.by_address.get(&pc) {
            return Ok(name >> 1);
        }
        let name = Name { text: format!("{pc:#x}"), kind: SliceKind::Call, key: Key::Address(pc) };
        let name = self.state.names.once(name, 0, self.state.limits.names, self.out).map_err(too_many_names)?;
        self.state.by_address.insert(pc, name << 1);
        Ok(name)
    }

    /// The number of an interrupt's name.
    fn interrupt_name(&mut self, interrupt: &Interrupt) -> Result<u32, RowError> {
        let text = vectors::name(interrupt);
        self.state
            .names
            .number_of(SliceKind::Interrupt, &text, 0, self.state.limits.names, self.out)
            .map_err(too_many_names)
    }

    /// Applies `act` to the call stack, with a sink for this batch. `interrupt` is the name of a
    /// handler.
    fn with_stack(
        &mut self,
        interrupt: u32,
        act: impl FnOnce(&mut Stack, &mut Program, &mut StackToBatch<'_>),
    ) -> Result<(), RowError> {
        let State { stack, program, names, by_address, system_calls, limits, .. } = &mut *self.state;
        let out = &mut *self.out;
        let mut sink =
            StackToBatch { names, by_address, system_calls, limit: limits.names, interrupt, out, failed: None };
        act(stack, program, &mut sink);
        sink.failed.map_or(Ok(()), Err)
    }

    /// The number of a block's name.
    fn block_name(&mut self, run: &BlockRun) -> Result<u32, RowError> {
        let known = self.blocks.get(run.block).map(|e| (e.name, e.is_interrupt(), e.block.pc));
        let name = match known {
            Some((Some(name), ..)) => return Ok(name),
            Some((None, true, _)) => self.text_name(NO_INSTRUCTION)?,
            Some((None, false, pc)) => self.address_name(pc)?,
            None => {
                // Reported once: a table without its blocks would have millions of these.
                if !self.state.reported_missing {
                    self.state.reported_missing = true;
                    let at = run.begin;
                    self.out.problems.push(Problem { at, kind: &NO_BLOCK, value: run.block as u64 });
                }
                return self.text_name(MISSING_BLOCK);
            }
        };
        if let Some(entry) = self.blocks.get_mut(run.block) {
            entry.name = Some(name);
        }
        Ok(name)
    }

    fn stack_events(&mut self, records: &[Record]) -> Result<(), RowError> {
        for record in records {
            let run = match record {
                Record::Interrupt(interrupt) => {
                    let name = self.interrupt_name(interrupt)?;
                    // Interrupts come in order, each before the block run that it is in: no earlier
                    // event has a later time.
                    let time = interrupt.transition;
                    self.with_stack(0, |stack, _, sink| stack.point(name, time, Locator::at(time + 1), sink))?;
                    self.state.announced = Some(*interrupt);
                    continue;
                }
                Record::Run(run) => run,
            };
            let Some(entry) = self.blocks.get_mut(run.block) else { continue };
            let (pc, time, locator) = (entry.block.pc, run.begin, Locator::at(run.end));
            if entry.is_interrupt() {
                // A transition that is neither an instruction nor an interrupt has no effect on the
                // stack.
                if let Some(interrupt) = self.state.announced.take().filter(|i| i.transition + 1 == run.end) {
                    let name = self.interrupt_name(&interrupt)?;
                    let at = Arrival { address: interrupt.pc, stack: None, opening: Opening::Usual, time, locator };
                    self.with_stack(name, |stack, program, sink| stack.interrupt(RULES, at, program, sink))?;
                }
                continue;
            }
            // It is unknown where a block continues that did not run to its end.
            let opening = entry.opening();
            let complete = run.end - run.begin >= entry.block.count;
            let (flow, last) = if complete { entry.ending(self.instructions) } else { (Flow::Unknown, 0) };
            let departure = Departure {
                flow,
                address: pc.wrapping_add(last),
                next: pc.wrapping_add(entry.block.data.len() as u64),
                after: run.end,
                locator,
                stack: None,
                moves: Move::None,
            };
            if !self.state.stack.goes_on(pc) {
                let at = Arrival { address: pc, stack: None, opening, time, locator };
                self.with_stack(0, |stack, program, sink| stack.arrive(RULES, at, program, sink))?;
            }
            self.state.stack.leave(departure);
        }
        Ok(())
    }

    fn lane_events(&mut self, records: &[Record]) -> Result<(), RowError> {
        for record in records {
            let Record::Run(run) = record else { continue };
            let (time, locator) = (run.begin, Locator::at(run.end));
            let Some(entry) = self.blocks.get(run.block).filter(|e| !e.is_interrupt()) else { continue };
            let (pc, mode) = (entry.block.pc, entry.block.mode);
            let kernel = is_kernel(pc, mode);
            if self.state.privilege.map(|(_, k)| k) != kernel {
                if let Some((open, _)) = self.state.privilege.take() {
                    self.out.push(EventKind::EndOf, PRIVILEGE, time, open.name, open.locator);
                }
                if let Some(kernel) = kernel {
                    let name = self.text_name(if kernel { "kernel" } else { "user" })?;
                    self.out.push(EventKind::Begin, PRIVILEGE, time, name, locator);
                    self.state.privilege = Some((OpenSlice { name, locator }, kernel));
                }
            }
            if self.state.mode.is_none_or(|(_, m)| m != mode) {
                if let Some((open, _)) = self.state.mode.take() {
                    self.out.push(EventKind::EndOf, MODE, time, open.name, open.locator);
                }
                let name = self.text_name(mode.word())?;
                self.out.push(EventKind::Begin, MODE, time, name, locator);
                self.state.mode = Some((OpenSlice { name, locator }, mode));
            }
        }
        Ok(())
    }

    /// Adds the events of runs, track by track, as long as their blocks are known and their ends
    /// ascend from `from`. `ends` and `ids` are those of [`super::decode::Reader::runs`]. Returns
    /// the number of runs and the last one's end.
    ///
    /// # Errors
    ///
    /// Fails if there are too many names.
    pub(super) fn known_runs(&mut self, from: u64, ends: &[i64], ids: &[i64]) -> Result<(usize, u64), RowError> {
        let mut runs = core::mem::take(&mut self.state.runs);
        runs.clear();
        let mut begin = from;
        let mut changes_lane = false;
        for (ends, ids) in ends.chunks(COLUMN).zip(ids.chunks(COLUMN)) {
            let (mut starts, mut after, mut names) = ([0; COLUMN], [0; COLUMN], [0; COLUMN]);
            let columns = starts.iter_mut().zip(&mut after).zip(&mut names);
            let before = runs.len();
            for ((end, id), ((start, after), name)) in ends.iter().zip(ids).zip(columns) {
                let Some(block) = self.blocks.compact(*id).filter(|_| *end >= 0 && *end as u64 >= begin) else { break };
                let end = *end as u64;
                (*start, *after, *name) = (begin, end, block.name);
                changes_lane |= block.lane != self.state.lane;
                runs.push((*id, end));
                begin = end;
            }
            let n = runs.len() - before;
            let [starts, after] = [&starts, &after].map(|column| column.get(..n).unwrap_or_default());
            let locators = after.iter().map(|end| Locator::at(*end));
            self.out.extend_whole(BLOCKS, starts, after, names.get(..n).unwrap_or_default(), locators);
            if n < COLUMN {
                break;
            }
        }
        self.out.records += runs.len() as u64;
        let result = self.known_stack(from, &runs).and_then(|()| match changes_lane {
            true => self.known_lanes(from, &runs),
            false => Ok(()),
        });
        let count = runs.len();
        self.state.runs = runs;
        result.map(|()| (count, begin))
    }

    /// Most runs go along: they end with a branch or none, and execution continues where it says.
    /// Of those, the stack needs to know only the last.
    fn known_stack(&mut self, from: u64, runs: &[(i64, u64)]) -> Result<(), RowError> {
        let mut time = from;
        // The last run if it goes along, and where execution may continue.
        let mut along: Option<(BlockRun, (u64, u64))> = None;
        for (id, end) in runs {
            let Some(block) = self.blocks.compact(*id) else { continue };
            let run = BlockRun { begin: time, end: *end, block: *id };
            let next = block.goes_along(run.end - run.begin);
            let (pc, opening) = (block.pc, block.opening);
            time = run.end;
            match along {
                Some((_, (to, other))) if pc == to || pc == other => {
                    along = next.map(|next| (run, next));
                    if along.is_none() {
                        self.leave(run);
                    }
                    continue;
                }
                Some((last, _)) => self.leave(last),
                None => {}
            }
            if along.is_some() || !self.state.stack.goes_on(pc) {
                let at = Arrival { address: pc, stack: None, opening, time: run.begin, locator: Locator::at(run.end) };
                self.with_stack(0, |stack, program, sink| stack.arrive(RULES, at, program, sink))?;
            }
            along = next.filter(|_| self.state.stack.is_plain()).map(|next| (run, next));
            if along.is_none() {
                self.leave(run);
            }
        }
        if let Some((last, _)) = along {
            self.leave(last);
        }
        Ok(())
    }

    /// Ends a run of a known block.
    fn leave(&mut self, run: BlockRun) {
        let Some(block) = self.blocks.compact(run.block) else { return };
        let (flow, last) = block.flow(run.end - run.begin);
        self.state.stack.leave(Departure {
            flow,
            address: block.pc.wrapping_add(last),
            next: block.next(),
            after: run.end,
            locator: Locator::at(run.end),
            stack: None,
            moves: Move::None,
        });
    }

    fn known_lanes(&mut self, from: u64, runs: &[(i64, u64)]) -> Result<(), RowError> {
        let mut begin = from;
        for (id, end) in runs {
            if let Some(block) = self.blocks.compact(*id)
                && block.lane != self.state.lane
            {
                self.state.lane = block.lane;
                self.lane_events(&[Record::Run(BlockRun { begin, end: *end, block: *id })])?;
            }
            begin = *end;
        }
        Ok(())
    }

    /// Adds the events of records, track by track. From then on, [`ToBatch::known_runs`] knows
    /// their blocks.
    pub(super) fn records(&mut self, records: &[Record]) -> Result<(), RowError> {
        for record in records {
            if let Record::Run(run) = record {
                let name = match self.blocks.get(run.block).and_then(|e| e.name) {
                    Some(name) => name,
                    None => self.block_name(run)?,
                };
                self.out.push_whole(BLOCKS, run.begin, run.end, name, Locator::at(run.end));
                self.out.records += 1;
            }
        }
        self.stack_events(records)?;
        self.state.lane = NO_LANE;
        self.lane_events(records)?;
        for record in records {
            if let Record::Run(run) = record {
                self.blocks.keep_compact(run.block, self.instructions);
            }
        }
        Ok(())
    }

    /// The rest of the trace, from transition `end` on, will not be read.
    pub(super) fn settle(&mut self, end: u64) -> Result<(), RowError> {
        let settled = self.with_stack(0, |stack, _, sink| stack.settle(sink));
        if end > 0 {
            self.out.push(EventKind::LastRecord, CALLS, end, 0, Locator::default());
        }
        settled
    }
}

/// The sink of the call stack, for one batch.
struct StackToBatch<'a> {
    names: &'a mut Texts,
    by_address: &'a mut HashMap<u64, u32>,
    system_calls: &'a mut HashMap<u64, u32>,
    limit: u32,
    /// The name of the current interrupt.
    interrupt: u32,
    out: &'a mut EventBatch,
    failed: Option<RowError>,
}

impl Sink for StackToBatch<'_> {
    fn name(&mut self, entered: Entered) -> (u32, bool) {
        let Entered { kind, address, .. } = entered;
        let (known, text) = match kind {
            SliceKind::Interrupt => return (self.interrupt, false),
            SliceKind::SystemCall => (&mut *self.system_calls, "system call "),
            _ => (&mut *self.by_address, ""),
        };
        if let Some(known) = known.get_mut(&address) {
            let is_new = *known & 1 == 0;
            *known |= 1;
            return (*known >> 1, is_new);
        }
        let name = Name { text: format!("{text}{address:#x}"), kind, key: Key::Address(address) };
        match self.names.once(name, 0, self.limit, self.out) {
            Ok(name) => {
                known.insert(address, name << 1 | 1);
                (name, true)
            }
            Err(error) => {
                self.failed.get_or_insert(too_many_names(error));
                (0, false)
            }
        }
    }

    fn begin(&mut self, name: u32, time: u64, locator: Locator, flags: u8) {
        self.out.push(EventKind::Begin, CALLS, time, name, locator);
        self.out.push_flags(flags, CALLS, name, locator);
    }

    fn point(&mut self, name: u32, time: u64, locator: Locator) {
        self.out.push(EventKind::Instant, CALLS, time, name, locator);
    }

    fn outermost(&mut self, name: u32, below: bool, time: u64, locator: Locator) {
        self.out.push_begun_before(CALLS, time, name, locator, below);
    }

    fn end(&mut self, name: u32, began: Locator, time: u64, flags: u8) {
        self.out.push_end_of(CALLS, time, name, began, flags);
    }

    fn note(&mut self, note: Note, locator: Locator) {
        self.out.problems.push(note.problem(locator.position()));
    }
}

#[cold]
fn too_many_names(error: unspool_trace::error::Error) -> RowError {
    RowError::new(Class::Limit, format!("The database is too large: {}.", error.cause))
}
