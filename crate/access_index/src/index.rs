//! The index: takes steps, and answers.

use core::ops::Range;

use unspool_trace::steps::{Access, Place, Step, StepVisitor};

use crate::executed::{Executed, Executions};
use crate::memory::{Byte, Memory};
use crate::registers::{Register, Registers};
use crate::segments::Segments;
use crate::stops::{Filter, Kinds, Stop, Stops};
use crate::{Kind, Moment, Toward};

/// Most steps of a segment: distances from its first step have 16 bits.
const SEGMENT: u64 = 1 << 16;

/// Accesses to memory after which a segment ends early: steps that access megabytes.
const MOST_OPEN: usize = 1 << 20;

/// A module that the trace loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// Its first address.
    pub low: u64,
    /// Its last address.
    pub high: u64,
}

/// Most modules that are kept, several times as many as a process has.
const MODULES: usize = 4096;

/// Most names of modes that are kept. Processors have a few.
const MODES: usize = 256;

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// A register of a thread.
    Register {
        /// The thread.
        thread: Option<u64>,
        /// Its name in the file.
        name: String,
    },
    /// Bytes of memory.
    Memory {
        /// Address of the first one. An access at the highest address of 64 bits has bytes beyond.
        address: u128,
        /// How many.
        len: usize,
    },
}

/// What an index keeps of each step. More takes more time and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// The address that it executes: enough for coverage, loops and walking.
    Executions,
    /// What it reads and writes as well.
    Accesses,
    /// The values in memory, too, for about four bytes a step more. Others are read from the file
    /// when they are asked for.
    AccessesAndValues,
}

/// Everything that the steps of a trace accessed, as far as they have come. Steps must ascend.
pub struct AccessIndex {
    /// The first step of each piece of the file, ascending.
    pieces: Vec<u64>,
    /// Number of steps of the trace.
    count: u64,
    /// The piece of the current step.
    piece: u32,
    segments: Segments,
    /// The first step of the open segment, and the current step.
    open: Option<(u64, u64)>,
    /// The current step has no more accesses.
    is_between: bool,
    registers: Registers,
    memory: Memory,
    executions: Executions,
    stops: Stops,
    modules: Vec<Module>,
    modes: Vec<(u32, String)>,
    accesses: u64,
    keeps: Keeps,
    /// Most bytes of memory.
    limit: usize,
    is_full: bool,
}

impl AccessIndex {
    /// An index without steps. `pieces` has the first step of each part of the file that can be
    /// read on its own, `count` is the number of steps, and `limit` the most bytes of memory.
    pub fn new(pieces: Vec<u64>, count: u64, keeps: Keeps, limit: usize) -> Self {
        Self {
            pieces,
            count,
            piece: 0,
            segments: Segments::default(),
            open: None,
            is_between: true,
            registers: Registers::default(),
            memory: Memory::new(keeps == Keeps::AccessesAndValues),
            executions: Executions::default(),
            stops: Stops::default(),
            modules: Vec::new(),
            modes: Vec::new(),
            accesses: 0,
            keeps,
            limit,
            is_full: false,
        }
    }

    /// Ends the open segment, so that questions include all steps so far. Further steps may come.
    pub fn seal(&mut self) {
        self.end_step();
        let Some((first, last)) = self.open.take() else { return };
        let segment = self.segment();
        self.segments.add((first, last));
        self.registers.end_piece(self.piece, first);
        self.registers.seal();
        self.memory.seal(segment);
        self.executions.seal(segment);
        self.is_full |= self.bytes() > self.limit;
    }

    /// The number of the open segment.
    fn segment(&self) -> u32 {
        self.segments.count()
    }

    fn end_step(&mut self) {
        if let Some((first, step)) = self.open.filter(|_| !self.is_between && self.keeps != Keeps::Executions) {
            self.registers.end_step(self.segment(), (step - first) as u16);
        }
        self.is_between = true;
    }

    /// Whether its memory is full: no further steps are taken.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Its memory in bytes.
    pub fn bytes(&self) -> usize {
        self.registers.bytes()
            + self.memory.bytes()
            + self.executions.bytes()
            + self.stops.bytes()
            + self.pieces.capacity() * 8
            + self.segments.bytes()
    }

    /// Number of accesses.
    pub fn accesses(&self) -> u64 {
        self.accesses
    }

    /// The piece of the file that has a step.
    pub fn piece_of(&self, step: u64) -> u32 {
        self.pieces.partition_point(|first| *first <= step).saturating_sub(1) as u32
    }

    /// The steps of a piece.
    pub fn steps_of(&self, piece: u32) -> Range<u64> {
        let at = |piece: u32| self.pieces.get(piece as usize).copied().unwrap_or(self.count);
        at(piece)..at(piece.saturating_add(1))
    }

    /// The registers of a thread at the beginning of a piece.
    pub fn registers_at_piece(&self, thread: Option<u64>, piece: u32) -> Vec<Register> {
        self.registers.at_piece(thread, piece)
    }

    /// Bytes of memory at a moment. `None` if no step before has accessed the byte.
    pub fn memory(&self, moment: Moment, address: u128, len: usize) -> Vec<Option<Byte>> {
        self.memory.at(&self.segments, moment, address, len)
    }

    /// The nearest step after or before `step` that accesses a cell.
    pub fn nearest(&self, step: u64, cell: &Cell, kind: Kind, toward: Toward) -> Option<u64> {
        match cell {
            Cell::Memory { address, len } => self.memory.nearest(&self.segments, step, *address, *len, kind, toward),
            Cell::Register { thread, name } => {
                let number = self.registers.find(*thread, name)?;
                self.registers.nearest(&self.segments, |piece| self.steps_of(piece), step, number, kind, toward)
            }
        }
    }

    /// The steps in a range that access a cell, ascending: for each whether it reads and whether it
    /// writes.
    pub fn history(&self, cell: &Cell, steps: Range<u64>) -> Vec<(u64, bool, bool)> {
        // The step, and a bit for each kind.
        let mut found: Vec<u64> = Vec::new();
        let each = |step: u64, written: bool| found.push(step << 1 | u64::from(written));
        match cell {
            Cell::Memory { address, len } => self.memory.history(&self.segments, &steps, *address, *len, each),
            Cell::Register { thread, name } => {
                if let Some(number) = self.registers.find(*thread, name) {
                    self.registers.history(&self.segments, |piece| self.steps_of(piece), &steps, number, each);
                }
            }
        }
        found.sort_unstable();
        let mut all: Vec<(u64, bool, bool)> = Vec::with_capacity(found.len());
        for access in found {
            let (step, written) = (access >> 1, access & 1 != 0);
            match all.last_mut() {
                Some((latest, reads, writes)) if *latest == step => {
                    *reads |= !written;
                    *writes |= written;
                }
                _ => all.push((step, !written, written)),
            }
        }
        all
    }

    /// The steps in a range that access a register of any of these threads, ascending.
    pub fn steps_of_register(&self, name: &str, threads: &[Option<u64>], steps: &Range<u64>) -> Vec<u64> {
        let mut numbers: Vec<u32> = threads.iter().filter_map(|thread| self.registers.find(*thread, name)).collect();
        numbers.sort_unstable();
        let mut found = Vec::new();
        let each = |step| found.push(step);
        self.registers.steps_of_any(&self.segments, |piece| self.steps_of(piece), steps, &numbers, each);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// How often an address was executed.
    pub fn execution_count(&self, address: u64) -> u64 {
        self.executions.count(address)
    }

    /// The steps that executed an address, ascending: those whose numbers, counted from 0, are in
    /// `wanted`.
    pub fn executions(&self, address: u64, wanted: Range<u64>) -> Vec<u64> {
        self.executions.steps(&self.segments, address, wanted)
    }

    /// How many steps before `step` executed an address.
    pub fn executions_before(&self, address: u64, step: u64) -> u64 {
        self.executions.rank(&self.segments, address, step)
    }

    /// The nearest stop before or after a step. `None` if there is none so far.
    pub fn nearest_stop(&self, step: u64, stop: Stop, toward: Toward) -> Option<u64> {
        self.stops.nearest(step, stop, toward)
    }

    /// The step before or after a step on its thread. It exists unless the frame there is invalid.
    pub fn beside(&self, step: u64, toward: Toward) -> Option<u64> {
        self.stops.beside(step, toward, self.count)
    }

    /// The thread of a step. `None` if the trace has one thread only, or the step is not known.
    pub fn thread(&self, step: u64) -> Option<u64> {
        self.stops.thread_run(step).0
    }

    /// The thread of a step, and where the run of that thread's steps ends: `None` at the end of
    /// the trace.
    pub(crate) fn thread_run(&self, step: u64) -> (Option<u64>, Option<u64>) {
        self.stops.thread_run(step)
    }

    /// The segments that are sealed.
    pub fn segments(&self) -> &Segments {
        &self.segments
    }

    pub(crate) fn executed(&self) -> &Executions {
        &self.executions
    }

    /// Whether a step matches a filter.
    pub fn matches(&self, step: u64, filter: &Filter) -> bool {
        self.stops.matches(step, filter)
    }

    /// The nearest step that matches a filter, from `step` on or before it: perhaps `step` itself.
    /// `None` if there is none so far.
    pub fn nearest_match(&self, step: u64, filter: &Filter, toward: Toward) -> Option<u64> {
        self.stops.nearest_match(step, filter, toward, self.count)
    }

    /// What there are steps of.
    pub fn kinds(&self) -> Kinds {
        self.stops.kinds()
    }

    /// The names of modes of the processor, by their numbers.
    pub fn modes(&self) -> &[(u32, String)] {
        &self.modes
    }

    /// Whether a step makes a system call, by its instruction or as a record of one.
    pub fn is_system_call(&self, step: u64) -> bool {
        self.stops.is_call(step)
    }

    /// The modules in the order in which the trace loads them.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// The names of a thread's registers, in the order in which the trace names them first.
    pub fn names_of(&self, thread: Option<u64>) -> impl Iterator<Item = &str> {
        self.registers.names_of(thread)
    }

    /// The names of the registers of all threads, one for each thread that has it.
    pub fn registers(&self) -> impl Iterator<Item = &str> {
        self.registers.names()
    }

    /// The threads that have a register with this name.
    pub fn threads_of(&self, name: &str) -> Vec<Option<u64>> {
        self.registers.threads_of(name)
    }

    /// All addresses that the steps in a range executed, ascending.
    pub fn coverage(&self, steps: Range<u64>) -> Vec<Executed> {
        self.executions.coverage(&self.segments, &steps)
    }
}

impl StepVisitor for AccessIndex {
    fn begin(&mut self, step: &Step) -> bool {
        self.end_step();
        let number = step.number;
        let next = self.pieces.get(self.piece as usize + 1);
        if next.is_some_and(|next| number >= *next) {
            if let Some((first, _)) = self.open {
                self.registers.end_piece(self.piece, first);
            }
            self.piece = self.piece_of(number);
        }
        if self.open.is_some_and(|(first, _)| number - first >= SEGMENT) || self.memory.open() >= MOST_OPEN {
            self.seal();
        }
        self.open = Some((self.open.map_or(number, |(first, _)| first), number));
        self.is_between = false;
        self.stops.add(step);
        let first = self.open.map_or(number, |(first, _)| first);
        let executed = step.address.map(|address| self.executions.add((number - first) as u16, address, step.length));
        if self.keeps == Keeps::Executions {
            return false;
        }
        self.registers.begin_step(executed);
        true
    }

    fn mode(&mut self, number: u32, name: &[u8]) {
        if self.modes.len() < MODES && self.modes.iter().all(|(known, _)| *known != number) {
            self.modes.push((number, String::from_utf8_lossy(name).into_owned()));
        }
    }

    fn module(&mut self, name: &str, low: u64, high: u64) {
        if self.modules.len() < MODULES && low <= high {
            self.modules.push(Module { name: name.into(), low, high });
        }
    }

    fn access(&mut self, access: &Access<'_>) {
        let Some((first, step)) = self.open else { return };
        self.accesses += 1;
        match access.place {
            Place::Register(name) => self.registers.add(access.thread, name, access.written, access.value),
            Place::Memory(address) => self.memory.add((step - first) as u16, address, access.written, access.value),
        }
    }
}

#[cfg(test)]
mod tests {
    use unspool_trace::steps::{Access, Place, Step, StepVisitor};

    use super::*;

    #[test]
    fn a_register_of_many_threads_is_looked_for_once_in_each_step() {
        const THREADS: u64 = 50_000;
        let mut index = AccessIndex::new(vec![0], THREADS, Keeps::Accesses, usize::MAX);
        for number in 0..THREADS {
            let thread = Some(number);
            index.begin(&Step { number, thread, address: Some(0x1000), length: 1, ..Step::default() });
            index.access(&Access { place: Place::Register("RAX"), thread, written: true, value: &[1; 8] });
        }
        index.seal();
        let threads = index.threads_of("RAX");
        let found = index.steps_of_register("RAX", &threads, &(0..u64::MAX));
        assert_eq!((threads.len() as u64, found), (THREADS, (0..THREADS).collect::<Vec<_>>()));
        // Each step, and its access.
        assert_eq!(index.registers.looked_at.get() as u64, 2 * THREADS);
        let some = index.steps_of_register("RAX", &[Some(7), Some(3), Some(THREADS)], &(4..u64::MAX));
        assert_eq!(some, [7]);
        let cell = Cell::Register { thread: Some(3), name: "RAX".into() };
        assert_eq!(index.nearest(9, &cell, Kind::Any, Toward::Previous), Some(3));
    }
}
