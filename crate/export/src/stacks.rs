//! Slices added up by call stack.

use hashbrown::HashMap;
use unspool_trace::path_sizes;

use crate::{Slice, Trace};

/// A stack: a function and the stack that it was called from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stack {
    /// Number of the caller's stack; 0 for none.
    pub(crate) parent: u32,
    /// Number of the name.
    pub(crate) name: u32,
    /// How many calls there are.
    pub(crate) calls: u64,
    /// Time in the function itself, in ticks.
    pub(crate) own: u64,
}

/// All stacks so far. Number 0 stands for no stack.
#[derive(Debug)]
pub(crate) struct Stacks {
    pub(crate) all: Vec<Stack>,
    by_name: HashMap<(u32, u32), u32>,
    /// The open slices: depth, stack and end.
    open: Vec<(u32, u32, u64)>,
}

impl Default for Stacks {
    fn default() -> Self {
        Self { all: vec![Stack::default()], by_name: HashMap::new(), open: Vec::new() }
    }
}

impl Stacks {
    /// Adds a slice. Callers come first.
    pub(crate) fn add(&mut self, trace: &Trace, slice: &Slice) {
        while self.open.pop_if(|(depth, ..)| *depth >= slice.depth).is_some() {}
        let (parent, outer) = self.open.last().map_or((0, u64::MAX), |(_, stack, end)| (*stack, *end));
        let (start, end) = trace.cut(slice);
        let end = end.min(outer).max(start.min(outer));
        let time = end - start.min(end);
        let next = self.all.len() as u32;
        let stack = *self.by_name.entry((parent, slice.name)).or_insert(next);
        if stack == next {
            self.all.push(Stack { parent, name: slice.name, ..Stack::default() });
        }
        if let Some(stack) = self.all.get_mut(stack as usize) {
            stack.calls += 1;
            stack.own = stack.own.wrapping_add(time);
        }
        // The time is the callee's. A sum of differences, so it may be negative in between.
        if let Some(caller) = self.all.get_mut(parent as usize).filter(|_| parent != 0) {
            caller.own = caller.own.wrapping_sub(time);
        }
        self.open.push((slice.depth, stack, end));
    }

    /// The track ends.
    pub(crate) fn close(&mut self) {
        self.open.clear();
    }

    /// From a stack, by its number, outwards.
    pub(crate) fn outwards(&self, number: u32) -> impl Iterator<Item = &Stack> {
        let at = |number: u32| self.all.get(number as usize).filter(|_| number != 0);
        std::iter::successors(at(number), move |stack| at(stack.parent))
    }

    /// The bytes of each stack when it is written out, given those of a name in it.
    pub(crate) fn sizes(&self, of_name: impl Fn(u32) -> u64) -> Vec<u64> {
        path_sizes(self.all.iter().map(|stack| (stack.parent, of_name(stack.name))))
    }

    /// A duration in nanoseconds, or in steps.
    pub(crate) fn nanoseconds(trace: &Trace, ticks: u64) -> u64 {
        trace.nanoseconds(trace.head.origin.saturating_add(ticks))
    }
}
