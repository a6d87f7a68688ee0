//! The index of a block trace: when each block of code ran.

use core::ops::Range;

use unspool_trace::steps::{Step, StepEvent};

use crate::Toward;
use crate::executed::{Executed, Executions};
use crate::segments::Segments;
use crate::stops::{Filter, Kinds, Stop, Stops};

/// Most transitions of a segment, and most runs: distances from its first transition have 16 bits.
const SEGMENT: u64 = 1 << 16;

/// A block of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// Its number in the file.
    pub id: u64,
    /// Address of its first instruction.
    pub address: u64,
    /// Its bytes.
    pub code: Vec<u8>,
    /// How many instructions it has. A run with fewer transitions stopped early.
    pub instructions: u32,
    /// Bits of the processor's mode: 16, 32 or 64. 0 if unknown.
    pub bits: u32,
    /// Where its instructions begin, ascending from 0. Empty if that is unknown.
    pub starts: Vec<u32>,
}

impl CodeBlock {
    /// Whether it stands for transitions that are not instructions.
    fn is_interrupt(&self) -> bool {
        self.instructions == 0
    }

    /// Whether its last instruction calls the system: `syscall`, `sysenter` or `int`.
    fn calls_system(&self) -> bool {
        let last = self.starts.last().and_then(|last| self.code.get(*last as usize..));
        matches!(last, Some([0x0f, 0x05 | 0x34] | [0xcd, _]))
    }

    /// The upper half of the addresses is the kernel's, as in the call stacks of these traces.
    fn is_kernel(&self) -> bool {
        match self.bits {
            64 => self.address >> 63 == 1,
            32 => self.address >= 0x8000_0000,
            _ => false,
        }
    }
}

/// What each transition of a block trace executes. Runs must ascend.
pub struct RunIndex {
    /// By number, ascending.
    blocks: Vec<CodeBlock>,
    executions: Executions,
    segments: Segments,
    /// Where the first and the last run of the open segment begin.
    open: Option<(u64, u64)>,
    /// Runs that stopped early: where each begins, how many instructions it executed, and the index
    /// of its block.
    partial: Vec<(u64, u32, u32)>,
    stops: Stops,
    /// Where the next run begins.
    position: u64,
    /// Each instruction of each block: its address, the index of the block, and its number in it.
    /// Ascending, made when it is needed.
    places: Vec<(u64, u32, u32)>,
    limit: usize,
    is_full: bool,
}

impl RunIndex {
    /// An index without blocks. `limit`: most bytes of memory.
    pub fn new(limit: usize) -> Self {
        Self {
            blocks: Vec::new(),
            executions: Executions::default(),
            segments: Segments::default(),
            open: None,
            partial: Vec::new(),
            stops: Stops::default(),
            position: 0,
            places: Vec::new(),
            limit,
            is_full: false,
        }
    }

    /// Adds a block. Their numbers must ascend; a block out of order is left out.
    pub fn block(&mut self, block: CodeBlock) {
        if self.blocks.last().is_none_or(|last| last.id < block.id) {
            self.blocks.push(block);
        }
    }

    /// The next run: it executes a block, up to before the transition `end`. An end that is not
    /// later than the last one is left out.
    pub fn run(&mut self, end: u64, id: u64) {
        let begin = self.position;
        if end <= begin || self.is_full {
            return;
        }
        self.position = end;
        if self.open.is_some_and(|(first, last)| begin - first >= SEGMENT || last - first >= SEGMENT) {
            self.seal();
        }
        let first = self.open.map_or(begin, |(first, _)| first);
        self.open = Some((first, begin));
        self.executions.add((begin - first) as u16, id, 0);
        let Ok(at) = self.blocks.binary_search_by_key(&id, |block| block.id) else { return };
        let Some(block) = self.blocks.get(at) else { return };
        if block.is_interrupt() {
            self.stops.add(&Step { number: begin, event: Some(StepEvent::Interrupt), ..Step::default() });
            return;
        }
        let ran = end - begin;
        let step = Step {
            number: begin,
            address: Some(block.address),
            mode: block.bits,
            is_kernel: block.is_kernel(),
            ..Step::default()
        };
        self.stops.add(&step);
        if ran < u64::from(block.instructions) {
            self.partial.push((begin, ran as u32, at as u32));
        } else if block.calls_system() {
            let number = begin + u64::from(block.instructions) - 1;
            self.stops.add(&Step { number, event: Some(StepEvent::SystemCall), ..step });
        }
    }

    /// Makes all runs so far part of the answers.
    pub fn seal(&mut self) {
        let Some(span) = self.open.take() else { return };
        self.executions.seal(self.segments.count());
        self.segments.add(span);
        self.is_full |= self.bytes() > self.limit;
    }

    /// The transition after the last run.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Whether its memory is full: no further runs are taken.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Its memory in bytes, without that of the blocks.
    pub fn bytes(&self) -> usize {
        self.executions.bytes() + self.stops.bytes() + self.partial.capacity() * 16 + self.places.capacity() * 16
    }

    /// The address of an instruction of a block.
    pub fn address(&self, id: u64, number: u64) -> Option<u64> {
        let block = self.blocks.get(self.blocks.binary_search_by_key(&id, |block| block.id).ok()?)?;
        let start = *block.starts.get(usize::try_from(number).ok()?)?;
        Some(block.address.wrapping_add(start.into()))
    }

    /// The blocks with an instruction at an address: the number of each, and that of the
    /// instruction in it.
    fn places_of(&mut self, address: u64) -> Vec<(u64, u32)> {
        if self.places.is_empty() {
            let all = (0u32..).zip(&self.blocks).filter(|(_, block)| !block.is_interrupt());
            self.places = all
                .flat_map(|(i, block)| {
                    let starts = (0u32..).zip(block.starts.iter());
                    starts.map(move |(k, start)| (block.address.wrapping_add((*start).into()), i, k))
                })
                .collect();
            self.places.sort_unstable();
        }
        let first = self.places.partition_point(|place| place.0 < address);
        let here = self.places.iter().skip(first).take_while(|place| place.0 == address);
        here.filter_map(|(_, block, number)| Some((self.blocks.get(*block as usize)?.id, *number))).collect()
    }

    /// How many instructions the run that begins at a transition executed, if it stopped early.
    fn stopped(&self, begin: u64) -> Option<u32> {
        let at = self.partial.binary_search_by_key(&begin, |partial| partial.0).ok()?;
        self.partial.get(at).map(|(_, ran, _)| *ran)
    }

    /// The begins of the runs that stopped early, from a transition on.
    pub(crate) fn stopped_from(&self, first: u64) -> impl Iterator<Item = u64> {
        let at = self.partial.partition_point(|(begin, ..)| *begin < first);
        self.partial.iter().skip(at).map(|(begin, ..)| *begin)
    }

    /// The segments that are sealed.
    pub fn segments(&self) -> &Segments {
        &self.segments
    }

    /// The blocks, by number.
    pub(crate) fn blocks(&self) -> &[CodeBlock] {
        &self.blocks
    }

    /// Where the block with a number is in [`RunIndex::blocks`].
    pub(crate) fn place_of(&self, id: u64) -> Option<usize> {
        self.blocks.binary_search_by_key(&id, |block| block.id).ok()
    }

    pub(crate) fn executed(&self) -> &Executions {
        &self.executions
    }

    /// The number of runs of a block that begin before a transition.
    fn rank(&self, id: u64, before: u64) -> u64 {
        self.executions.rank(&self.segments, id, before)
    }

    /// The begin of a run of a block, by its number.
    fn begin(&self, id: u64, number: u64) -> Option<u64> {
        self.executions.steps(&self.segments, id, number..number + 1).first().copied()
    }

    /// The nearest transition before or after one that executes an address.
    pub fn nearest(&mut self, address: u64, step: u64, toward: Toward) -> Option<u64> {
        let places = self.places_of(address);
        let of_place = |&(id, number): &(u64, u32)| {
            let distance = u64::from(number);
            let reached = |begin: &u64| self.stopped(*begin).is_none_or(|ran| number < ran);
            let found = match toward {
                Toward::Next => {
                    let first = self.rank(id, step.saturating_add(1).saturating_sub(distance));
                    (first..).map_while(|at| self.begin(id, at)).find(reached)
                }
                Toward::Previous => {
                    let end = self.rank(id, step.saturating_sub(distance));
                    (0..end).rev().map_while(|at| self.begin(id, at)).find(reached)
                }
            };
            found.map(|begin| begin + distance)
        };
        let found = places.iter().filter_map(of_place);
        match toward {
            Toward::Next => found.min(),
            Toward::Previous => found.max(),
        }
    }

    /// The first transition from `from` on that executes an address.
    pub fn first_execution(&mut self, address: u64, from: u64) -> Option<u64> {
        match from.checked_sub(1) {
            Some(before) => self.nearest(address, before, Toward::Next),
            None if self.stops_at_zero(address) => Some(0),
            None => self.nearest(address, 0, Toward::Next),
        }
    }

    /// Whether transition 0 executes an address.
    fn stops_at_zero(&mut self, address: u64) -> bool {
        self.places_of(address).into_iter().any(|(id, number)| number == 0 && self.begin(id, 0) == Some(0))
    }

    /// The nearest stop before or after a transition. `None` if there is none so far.
    pub fn nearest_stop(&self, step: u64, stop: Stop, toward: Toward) -> Option<u64> {
        self.stops.nearest(step, stop, toward)
    }

    /// Whether a step matches a filter.
    pub fn matches(&self, step: u64, filter: &Filter) -> bool {
        self.stops.matches(step, filter)
    }

    /// The nearest step that matches a filter, from `step` on or before it: perhaps `step` itself.
    /// `None` if there is none so far.
    pub fn nearest_match(&self, step: u64, filter: &Filter, toward: Toward) -> Option<u64> {
        self.stops.nearest_match(step, filter, toward, self.position)
    }

    /// What there are steps of.
    pub fn kinds(&self) -> Kinds {
        self.stops.kinds()
    }

    /// All instructions that the transitions in a range executed, by address: those of unknown
    /// length count as one with their block.
    pub fn coverage(&self, steps: Range<u64>) -> Vec<Executed> {
        let mut all: Vec<Executed> = Vec::new();
        let runs = self.runs_in(&steps);
        for (block, runs) in self.blocks.iter().zip(&runs) {
            if block.is_interrupt() {
                continue;
            }
            let len = block.code.len() as u32;
            if block.starts.is_empty() {
                let count = runs.begun + runs.open;
                if count > 0 {
                    all.push(Executed { address: block.address, length: len, count });
                }
                continue;
            }
            let mut count = runs.begun as i64;
            for (k, start) in block.starts.iter().enumerate() {
                count += runs.from.get(k).copied().unwrap_or(0);
                let end = block.starts.get(k + 1).copied().unwrap_or(len);
                let address = block.address.wrapping_add((*start).into());
                if count > 0 {
                    all.push(Executed { address, length: end.saturating_sub(*start), count: count as u64 });
                }
            }
        }
        all.sort_unstable_by_key(|it| it.address);
        // Blocks overlap where code is entered in the middle of one.
        all.dedup_by(|next, kept| {
            let is_same = next.address == kept.address;
            if is_same {
                kept.count += next.count;
                kept.length = kept.length.max(next.length);
            }
            is_same
        });
        all
    }

    /// By block, the runs of which transitions are in a range.
    fn runs_in(&self, steps: &Range<u64>) -> Vec<RunsOf> {
        let mut all: Vec<RunsOf> = self.blocks.iter().map(|_| RunsOf::default()).collect();
        let counts = self.executions.counts(&self.segments, steps);
        for (of, block) in all.iter_mut().zip(&self.blocks) {
            let number = self.executions.number(block.id);
            of.begun = number.and_then(|number| counts.get(number as usize).copied()).unwrap_or(0);
        }
        // The last run may go on after the range. It has its own entry if it stops before its block
        // ends.
        let last = steps.end.checked_sub(1).filter(|_| steps.end < self.position).and_then(|last| self.run_at(last));
        let cut = last.filter(|run| run.begin >= steps.start && run.end > steps.end);
        let first = self.partial.partition_point(|(begin, ..)| *begin < steps.start);
        let stopped = self.partial.iter().skip(first).take_while(|(begin, ..)| *begin < steps.end);
        for (_, ran, at) in stopped.filter(|(begin, ..)| cut.is_none_or(|cut| cut.begin != *begin)) {
            self.change(&mut all, *at as usize, u64::from(*ran), -1);
        }
        if let Some(cut) = cut {
            self.change(&mut all, cut.block, steps.end - cut.begin, -1);
        }
        // The first one may have begun before.
        let open =
            steps.start.checked_sub(1).and_then(|before| self.run_at(before)).filter(|run| run.end > steps.start);
        if let Some(open) = open {
            if let Some(of) = all.get_mut(open.block) {
                of.open += 1;
            }
            self.change(&mut all, open.block, steps.start - open.begin, 1);
            self.change(&mut all, open.block, open.end.min(steps.end) - open.begin, -1);
        }
        all
    }

    /// From an instruction of a block on, more or less runs execute it.
    fn change(&self, all: &mut [RunsOf], block: usize, instruction: u64, by: i64) {
        let (Some(of), Some(block)) = (all.get_mut(block), self.blocks.get(block)) else { return };
        let count = block.starts.len();
        if let Some(at) = usize::try_from(instruction).ok().filter(|at| *at < count) {
            of.from.resize(count, 0);
            if let Some(from) = of.from.get_mut(at) {
                *from += by;
            }
        }
    }

    /// The run that has a transition.
    fn run_at(&self, step: u64) -> Option<RunAt> {
        let (run, next) = self.executions.around(&self.segments, step);
        let (begin, id) = run?;
        let block = self.blocks.binary_search_by_key(&id, |block| block.id).ok()?;
        Some(RunAt { begin, end: next.unwrap_or(self.position), block })
    }
}

/// A run: its first transition, the one after it, and the index of its block.
#[derive(Clone, Copy)]
struct RunAt {
    begin: u64,
    end: u64,
    block: usize,
}

/// Runs of a block.
#[derive(Default)]
struct RunsOf {
    /// How many begin in the range, and how many before it.
    begun: u64,
    open: u64,
    /// By instruction, how many more or less runs execute it than the instruction before it. The
    /// first one has `begun` before it. Empty if there is no difference.
    from: Vec<i64>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn block(id: u64, address: u64, lengths: &[u32]) -> CodeBlock {
        let mut starts = Vec::new();
        let mut at = 0;
        for length in lengths {
            starts.push(at);
            at += length;
        }
        let instructions = lengths.len() as u32;
        CodeBlock { id, address, code: vec![0x90; at as usize], instructions, bits: 64, starts }
    }

    fn index(runs: &[(u64, u64)]) -> RunIndex {
        let mut index = RunIndex::new(usize::MAX);
        index.block(CodeBlock { bits: 0, starts: Vec::new(), ..block(1, 0, &[]) });
        index.block(block(2, 0x1000, &[1, 2, 3]));
        // The same code, entered at its second instruction.
        index.block(block(3, 0x1001, &[2, 3]));
        index.block(block(4, 0xffff_8000_0000_0000, &[4]));
        let mut call = block(5, 0x2000, &[1, 2]);
        call.code = vec![0x90, 0x0f, 0x05];
        index.block(call);
        for (end, id) in runs {
            index.run(*end, *id);
        }
        index.seal();
        index
    }

    /// The runs that most tests are about. The third one stops after two of three instructions.
    const RUNS: &[(u64, u64)] = &[(3, 2), (5, 3), (7, 2), (8, 1), (9, 4), (12, 2), (14, 5)];

    fn all(index: &mut RunIndex, address: u64) -> Vec<u64> {
        let mut found: Vec<u64> = index.first_execution(address, 0).into_iter().collect();
        while let Some(next) = found.last().and_then(|last| index.nearest(address, *last, Toward::Next)) {
            found.push(next);
        }
        let mut back = Vec::new();
        let mut at = 1 << 60;
        while let Some(previous) = index.nearest(address, at, Toward::Previous) {
            back.insert(0, previous);
            at = previous;
        }
        assert_eq!(found, back);
        for from in 0..20 {
            assert_eq!(index.first_execution(address, from), found.iter().copied().find(|at| *at >= from));
        }
        found
    }

    #[test]
    fn executions_of_an_instruction_are_those_of_all_blocks_that_have_it() {
        let mut index = index(RUNS);
        assert_eq!(all(&mut index, 0x1000), [0, 5, 9]);
        assert_eq!(all(&mut index, 0x1001), [1, 3, 6, 10]);
        assert_eq!(all(&mut index, 0x1003), [2, 4, 11], "the run from 5 to 7 stops before it");
        assert_eq!(all(&mut index, 0x1002), [0u64; 0], "not an instruction");
        assert_eq!(index.address(2, 1), Some(0x1001));
        assert_eq!((index.address(2, 3), index.address(9, 0)), (None, None));
    }

    #[test]
    fn walks_stop_at_calls_interrupts_and_the_kernel() {
        let index = index(RUNS);
        let next = |step, stop| index.nearest_stop(step, stop, Toward::Next);
        assert_eq!(next(0, Stop::Interrupt), Some(7));
        assert_eq!(next(0, Stop::Privilege), Some(8));
        assert_eq!(next(8, Stop::Privilege), Some(9));
        assert_eq!(next(0, Stop::SystemCall), Some(13));
        assert_eq!(next(0, Stop::Mode), None);
    }

    #[test]
    fn coverage_counts_what_was_reached() {
        let executed = |address, length, count| Executed { address, length, count };
        assert_eq!(
            index(RUNS).coverage(0..u64::MAX),
            [
                executed(0x1000, 1, 3),
                executed(0x1001, 2, 4),
                executed(0x1003, 3, 3),
                executed(0x2000, 1, 1),
                executed(0x2001, 2, 1),
                executed(0xffff_8000_0000_0000, 4, 1),
            ]
        );
    }

    #[test]
    fn a_range_covers_what_its_transitions_execute() {
        let index = index(RUNS);
        let end = index.position();
        for from in 0..=end {
            for to in from..=end {
                let mut expected: BTreeMap<u64, u64> = BTreeMap::new();
                let mut begin = 0;
                for (end, id) in RUNS {
                    for step in (begin..*end).filter(|step| (from..to).contains(step)) {
                        if let Some(address) = index.address(*id, step - begin) {
                            *expected.entry(address).or_default() += 1;
                        }
                    }
                    begin = *end;
                }
                let found = index.coverage(from..to);
                assert!(found.iter().map(|it| (it.address, it.count)).eq(expected), "{from}..{to}: {found:?}");
            }
        }
    }

    #[test]
    fn runs_far_apart_are_in_segments_of_their_own_and_bad_rows_are_left_out() {
        let mut index =
            index(&[(3, 2), (70_000, 1), (70_003, 2), (70_003, 2), (5, 2), (78_187_502_306, 3), (78_187_502_309, 2)]);
        assert_eq!(all(&mut index, 0x1000), [0, 70_000, 78_187_502_306]);
        assert_eq!(index.position(), 78_187_502_309);
    }
}
