//! An imaginary program for traces of any size: threads that call functions in a realistic way.
//!
//! The same seed gives the same program. It needs memory for its stacks only.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A small repeatable random number generator (splitmix64).
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which must not be 0.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// A thread's next call or return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) thread: usize,
    /// In ticks of a nanosecond; increases within a thread.
    pub(crate) time: u64,
    /// Number of the function, from 1.
    pub(crate) function: u32,
    pub(crate) enter: bool,
}

/// Threads that run concurrently.
#[derive(Debug)]
pub(crate) struct Program {
    threads: Vec<Thread>,
    /// Threads by their next time.
    due: BinaryHeap<Reverse<(u64, usize)>>,
    depth: usize,
    functions: u64,
}

#[derive(Debug)]
struct Thread {
    dice: Dice,
    time: u64,
    stack: Vec<u32>,
    /// A function that is called repeatedly, and how many calls are left.
    repeat: (u32, u32),
}

impl Program {
    /// A program of `threads` threads with calls up to `depth` deep. If `mid_stack`, each thread
    /// starts within calls whose begin is never reported.
    pub(crate) fn new(seed: u64, threads: usize, depth: usize, mid_stack: bool) -> Self {
        let functions = 200;
        let mut dice = Dice::new(seed);
        let threads: Vec<Thread> = (0..threads)
            .map(|i| {
                let mut dice = Dice::new(dice.next());
                let begun = if mid_stack { dice.below(depth as u64) as usize + 1 } else { 0 };
                let time = 1_000_000_000_000 + i as u64 * 1000 + dice.below(1000);
                let mut stack = Vec::new();
                (0..begun).for_each(|_| stack.push(callee(stack.last().copied(), dice.below(3), functions)));
                Thread { dice, time, stack, repeat: (0, 0) }
            })
            .collect();
        let due = threads.iter().enumerate().map(|(i, t)| Reverse((t.time, i))).collect();
        Self { threads, due, depth, functions }
    }

    /// The next step, in time order over all threads.
    pub(crate) fn step(&mut self) -> Step {
        // There is always a thread: the command requires at least one.
        let index = self.due.pop().map_or(0, |Reverse((_, i))| i);
        let (depth, functions) = (self.depth, self.functions);
        let t = &mut self.threads[index];
        let enter = t.stack.len() < depth && (t.stack.is_empty() || t.goes_deeper(depth));
        let function = if enter {
            let function =
                if t.repeat.1 > 0 { t.repeat.0 } else { callee(t.stack.last().copied(), t.dice.below(5), functions) };
            t.stack.push(function);
            function
        } else {
            let function = t.stack.pop().unwrap_or(1);
            if t.repeat.1 > 0 {
                t.repeat.1 -= 1;
            } else if t.dice.one_in(6) {
                // A loop around this call.
                t.repeat = (function, t.dice.below(12) as u32);
            }
            function
        };
        let step = Step { thread: index, time: t.time, function, enter };
        t.time += match t.dice.below(1000) {
            // An occasional wait.
            0 => 200_000 + t.dice.below(4_000_000),
            1..=30 => 5_000 + t.dice.below(60_000),
            _ => 40 + t.dice.below(900),
        };
        self.due.push(Reverse((t.time, index)));
        step
    }
}

impl Thread {
    fn goes_deeper(&mut self, depth: usize) -> bool {
        if self.repeat.1 > 0 {
            // Functions called in loops are leaves.
            return self.stack.last() != Some(&self.repeat.0);
        }
        // Deeper calls are rarer.
        self.dice.below(depth as u64 * 2) >= self.stack.len() as u64
    }
}

/// A function calls a handful of others.
fn callee(caller: Option<u32>, choice: u64, functions: u64) -> u32 {
    let seed = u64::from(caller.unwrap_or(0)) * 31 + choice;
    1 + Dice::new(seed).below(functions) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_nest_and_time_ascends() {
        let mut program = Program::new(7, 3, 12, false);
        let mut stacks = vec![Vec::new(); 3];
        let mut latest = 0;
        let mut deepest = 0;
        for _ in 0..100_000 {
            let step = program.step();
            assert!(step.time >= latest);
            latest = step.time;
            let stack = &mut stacks[step.thread];
            if step.enter {
                stack.push(step.function);
                deepest = deepest.max(stack.len());
            } else {
                assert_eq!(stack.pop(), Some(step.function));
            }
        }
        assert_eq!(deepest, 12);
        let again: Vec<_> = std::iter::repeat_with(|| Program::new(7, 3, 12, false).step()).take(2).collect();
        assert_eq!(again[0], again[1]);
    }

    #[test]
    fn a_mid_stack_program_returns_from_unreported_calls() {
        let mut program = Program::new(1, 2, 8, true);
        let mut depths = [0i32; 2];
        let lowest = (0..10_000).map(|_| {
            let step = program.step();
            depths[step.thread] += if step.enter { 1 } else { -1 };
            depths[step.thread]
        });
        assert!(lowest.min() < Some(0));
    }
}
