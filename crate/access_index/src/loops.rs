//! Loops: runs of a repeated cycle of instructions, or of blocks, that each thread executes.

use crate::cycles::{Cycles, Run};
use crate::index::AccessIndex;
use crate::runs::RunIndex;

/// Threads whose loops are found. The steps of further ones are counted.
const MOST_THREADS: usize = 64;

/// A run of a repeated cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The first step.
    pub start: u64,
    /// The step after the first iteration.
    pub first_end: u64,
    /// The first step of the last iteration.
    pub last_start: u64,
    /// The step after the last iteration.
    pub end: u64,
    /// Number of iterations, at least two.
    pub count: u64,
    /// Instructions of the cycle, or blocks of a block trace. A loop in it counts as one.
    pub length: u32,
    /// The address of its first instruction.
    pub address: u64,
    /// Its thread.
    pub thread: Option<u64>,
    /// Other threads have steps between its first and its last one.
    pub is_shared: bool,
}

/// Finds the loops of an index, in portions.
#[derive(Default)]
pub struct LoopFinder {
    /// The next segment of the index.
    next: u32,
    threads: Vec<(Option<u64>, Cycles)>,
    /// The last run of a block trace, which ends where the next one begins: its symbol and its
    /// begin.
    open: Option<(u32, u64)>,
    /// Steps of threads beyond the limit.
    left_out: u64,
}

/// All loops of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopsFound {
    /// By their begin, outer ones first.
    pub loops: Vec<Loop>,
    /// Loops within others that are not listed, because there are too many.
    pub unlisted: u64,
    /// Steps of threads beyond the limit, whose loops are not known.
    pub left_out: u64,
}

impl LoopFinder {
    /// How many segments of the index it has read.
    pub fn segments(&self) -> u32 {
        self.next
    }

    fn thread(&mut self, thread: Option<u64>) -> Option<&mut Cycles> {
        if let Some(at) = self.threads.iter().position(|(of, _)| *of == thread) {
            return self.threads.get_mut(at).map(|(_, cycles)| cycles);
        }
        if self.threads.len() == MOST_THREADS {
            return None;
        }
        self.threads.push((thread, Cycles::default()));
        self.threads.last_mut().map(|(_, cycles)| cycles)
    }

    /// `loop_of` adds what the index knows.
    fn finish(self, loop_of: impl Fn(&Run, Option<u64>) -> Loop) -> LoopsFound {
        let mut found = LoopsFound { left_out: self.left_out, ..LoopsFound::default() };
        for (thread, cycles) in self.threads {
            let (runs, unlisted) = cycles.finish();
            found.unlisted += unlisted;
            found.loops.extend(runs.iter().map(|run| loop_of(run, thread)));
        }
        found.loops.sort_unstable_by_key(|it| (it.start, u64::MAX - it.end));
        found
    }
}

/// The loop of a run.
fn loop_of(run: &Run, thread: Option<u64>, address: u64, is_shared: bool) -> Loop {
    let Run { start, first_end, last_start, end, count, length, first: _ } = *run;
    Loop { start, first_end, last_start, end, count, length, address, thread, is_shared }
}

impl AccessIndex {
    /// Reads further `budget` segments. Returns whether there is nothing more to read.
    pub fn find_loops(&self, finder: &mut LoopFinder, budget: u32) -> bool {
        let end = finder.next.saturating_add(budget.max(1)).min(self.segments().count());
        for segment in finder.next..end {
            let first = self.segments().first(segment);
            let mut sequence = self.executed().sequence(segment).into_iter().enumerate().peekable();
            while let Some((at, _)) = sequence.peek() {
                let (thread, until) = self.thread_run(first + *at as u64);
                let here = |step: u64| step < until.unwrap_or(u64::MAX);
                let Some(cycles) = finder.thread(thread) else {
                    while sequence.next_if(|(at, _)| here(first + *at as u64)).is_some() {
                        finder.left_out += 1;
                    }
                    continue;
                };
                while let Some((at, id)) = sequence.next_if(|(at, _)| here(first + *at as u64)) {
                    let step = first + at as u64;
                    if let Some(id) = id {
                        cycles.add(id, step, step + 1);
                    }
                }
            }
        }
        finder.next = end;
        end == self.segments().count()
    }

    /// The loops that were found.
    pub fn loops(&self, finder: LoopFinder) -> LoopsFound {
        finder.finish(|run, thread| {
            let (_, until) = self.thread_run(run.start);
            let is_shared = until.is_some_and(|until| until < run.end);
            loop_of(run, thread, self.executed().key(run.first), is_shared)
        })
    }
}

impl RunIndex {
    /// Reads further `budget` segments. Returns whether there is nothing more to read.
    pub fn find_loops(&self, finder: &mut LoopFinder, budget: u32) -> bool {
        let end = finder.next.saturating_add(budget.max(1)).min(self.segments().count());
        let (mut open, next) = (finder.open.take(), finder.next);
        if let Some(cycles) = finder.thread(None) {
            for segment in next..end {
                let first = self.segments().first(segment);
                let mut partial = self.stopped_from(first).peekable();
                for (at, id) in (first..).zip(self.executed().sequence(segment)) {
                    let Some(id) = id else { continue };
                    if let Some((symbol, begin)) = open {
                        cycles.add(symbol, begin, at);
                    }
                    while partial.next_if(|begin| *begin < at).is_some() {}
                    // The symbol of a block's run is twice the number of the block, and odd if the
                    // run stopped early.
                    open = Some((2 * id + u32::from(partial.peek() == Some(&at)), at));
                }
            }
            if end == self.segments().count()
                && let Some((symbol, begin)) = open.take()
            {
                cycles.add(symbol, begin, self.position());
            }
        }
        finder.open = open;
        finder.next = end;
        end == self.segments().count()
    }

    /// The loops that were found.
    pub fn loops(&self, finder: LoopFinder) -> LoopsFound {
        finder.finish(|run, thread| {
            let id = self.executed().key(run.first / 2);
            loop_of(run, thread, self.address(id, 0).unwrap_or(0), false)
        })
    }
}

#[cfg(test)]
mod tests {
    use unspool_trace::steps::{Step, StepVisitor};

    use super::*;
    use crate::runs::CodeBlock;

    /// Start, end, iterations, cycle, address, thread and whether it is shared.
    type Told = (u64, u64, u64, u32, u64, Option<u64>, bool);

    fn told(found: &LoopsFound) -> Vec<Told> {
        assert_eq!((found.unlisted, found.left_out), (0, 0));
        let of = |it: &Loop| (it.start, it.end, it.count, it.length, it.address, it.thread, it.is_shared);
        found.loops.iter().map(of).collect()
    }

    #[test]
    fn each_thread_has_its_loops() {
        // Two threads in turns of four steps, each with a loop of three instructions. A step
        // without an instruction ends no loop.
        let mut index = AccessIndex::new(vec![0], 60, crate::Keeps::Executions, usize::MAX);
        let mut next = [0u64; 2];
        for number in 0..60u64 {
            let thread = number / 4 % 2;
            let address = (number != 30).then(|| {
                next[thread as usize] += 1;
                0x1000 * (thread + 1) + (next[thread as usize] - 1) % 3
            });
            index.begin(&Step { number, thread: Some(thread), address, length: 1, ..Step::default() });
        }
        index.seal();
        let mut finder = LoopFinder::default();
        while !index.find_loops(&mut finder, 1) {}
        let found = index.loops(finder);
        // 32 instructions of the first thread, and 27 of the other.
        assert_eq!(told(&found), [(0, 58, 10, 3, 0x1000, Some(0), true), (4, 56, 9, 3, 0x2000, Some(1), true)]);
        assert_eq!((found.loops[0].first_end, found.loops[0].last_start), (3, 51));
    }

    #[test]
    fn blocks_repeat_unless_they_stop_early() {
        let mut index = RunIndex::new(usize::MAX);
        for (id, address) in [(1, 0), (2, 0x1000), (3, 0x2000)] {
            let instructions = if id == 1 { 0 } else { 2 };
            index.block(CodeBlock { id, address, code: vec![0x90; 2], instructions, bits: 64, starts: vec![0, 1] });
        }
        let mut end = 0;
        let mut run = |index: &mut RunIndex, id, transitions| {
            end += transitions;
            index.run(end, id);
        };
        for _ in 0..4 {
            run(&mut index, 2, 2);
            run(&mut index, 3, 2);
        }
        // Left early, for an interrupt.
        run(&mut index, 2, 1);
        run(&mut index, 1, 1);
        // More runs than a segment has.
        (0..50_000).for_each(|_| run(&mut index, 3, 2));
        index.seal();
        let mut finder = LoopFinder::default();
        while !index.find_loops(&mut finder, 1) {}
        let found = told(&index.loops(finder));
        assert_eq!(found, [(0, 16, 4, 2, 0x1000, None, false), (18, 100_018, 50_000, 1, 0x2000, None, false)]);
    }
}
