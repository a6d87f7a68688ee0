//! Calls that were left by `longjmp` or an exception.
//!
//! The log has no exit of them, so what follows is below them:
//! `enter setter, enter jumper, (longjmp), enter leaf, exit leaf, exit setter` reads as if `jumper`
//! had called `leaf`. The program's code says that it cannot have, so `jumper` has been left by
//! then. Only calls that have no exit at all are ended in this way: a signal handler, too, begins
//! below calls that cannot call it.

use alloc::vec::Vec;

use unspool_trace::batch::EventKind;
use unspool_trace::callees::Jumps;
use unspool_trace::kept;

use super::decode::Function;
use super::present::Present;

/// An open call.
#[derive(Clone, Copy, Debug)]
struct Open {
    func: i32,
    /// Absolute offset of the record that began it.
    at: u64,
    /// It has made a call.
    has_called: bool,
}

/// The open calls of a thread.
#[derive(Debug, Default)]
struct Stack {
    open: Vec<Open>,
    present: Present,
    #[cfg(test)]
    visited: usize,
}

impl Stack {
    /// Ends the innermost calls, up to the one at this depth.
    fn truncate(&mut self, depth: usize) {
        self.open.drain(depth.min(self.open.len())..).for_each(|open| self.present.remove(open.func));
    }

    /// Ends the innermost call of a function, and those within it.
    fn end(&mut self, func: i32) {
        // Without an entry it began before the recording.
        if !self.present.has(func) {
            return;
        }
        // All that is looked at ends.
        while let Some(open) = self.open.pop() {
            #[cfg(test)]
            {
                self.visited += 1;
            }
            self.present.remove(open.func);
            if open.func == func {
                break;
            }
        }
    }
}

/// The open calls of all threads.
#[derive(Debug)]
pub(super) struct LeftCalls {
    jumps: Jumps,
    threads: Vec<Stack>,
    /// Bytes of memory of the open calls.
    open_bytes: u64,
}

impl LeftCalls {
    pub(super) fn new(jumps: Jumps) -> Self {
        Self { jumps, threads: Vec::new(), open_bytes: 0 }
    }

    /// Bytes of memory of the open calls.
    pub(super) fn bytes(&self) -> u64 {
        kept::list(&self.threads) + self.open_bytes
    }

    /// Takes the next begin or end of a thread. Returns the outermost call that must have been left
    /// before, if there is one: its function and the offset of its record.
    pub(super) fn take(&mut self, thread: u32, kind: EventKind, f: Function) -> Option<(i32, u64)> {
        let i = thread as usize;
        if self.threads.len() <= i {
            self.threads.resize_with(i + 1, Stack::default);
        }
        let stack = self.threads.get_mut(i)?;
        if kind != EventKind::Begin {
            stack.end(f.func);
            return None;
        }
        let kept = caller(&self.jumps, &stack.open, f.func);
        let left = stack.open.get(kept).map(|open| (open.func, open.at));
        stack.truncate(kept);
        // A signal handler is not called by what it interrupts.
        let is_called = self.jumps.callees.is_known(f.func.into());
        if let Some(caller) = stack.open.last_mut().filter(|_| is_called) {
            caller.has_called = true;
        }
        let open = Open { func: f.func, at: f.at, has_called: false };
        self.open_bytes += kept::push(&mut stack.open, open) + stack.present.add(f.func);
        left
    }

    /// The next records of a thread do not follow on its last ones.
    pub(super) fn interrupt(&mut self, thread: u32) {
        if let Some(stack) = self.threads.get_mut(thread as usize) {
            stack.open.clear();
            stack.present.clear();
        }
    }

    /// Threads begin again.
    pub(super) fn restart(&mut self) {
        self.threads.clear();
        self.open_bytes = 0;
    }
}

/// How many calls are still open when a function is called: down to the innermost that can call it.
fn caller(jumps: &Jumps, stack: &[Open], func: i32) -> usize {
    let mut kept = stack.len();
    while let Some(open) = kept.checked_sub(1).and_then(|i| stack.get(i)) {
        if jumps.callees.may_call(open.func.into(), open.has_called, func.into()) {
            return kept;
        }
        if !jumps.is_lost(open.at) {
            break;
        }
        kept -= 1;
    }
    // There is no such call, so something else is going on.
    stack.len()
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use unspool_trace::callees::{Callees, Function as Code};

    use super::*;
    use crate::xray::wire::FunctionKind;

    const MAIN: i32 = 1;
    const SETTER: i32 = 2;
    const JUMPER: i32 = 3;
    const LEAF: i32 = 4;
    const HANDLER: i32 = 5;

    fn code(id: i32, is_known: bool, all: &[i32], later: &[i32]) -> Code {
        let ids = |ids: &[i32]| ids.iter().map(|id| *id as u32).collect();
        Code { id: id as u32, is_known, all: ids(all), later: ids(later) }
    }

    /// Plays begins (positive) and ends (negative), whose records are at offsets from 0 on. Returns
    /// what was left, as the offset of the event and of the outermost call.
    fn left(lost: &[u64], events: &[i32]) -> Vec<(u64, u64)> {
        let callees = Callees::new(vec![
            code(MAIN, false, &[SETTER, LEAF], &[SETTER, LEAF]),
            code(SETTER, true, &[JUMPER, LEAF], &[LEAF]),
            code(JUMPER, true, &[JUMPER, LEAF], &[JUMPER]),
            code(LEAF, true, &[], &[]),
            code(HANDLER, false, &[LEAF], &[LEAF]),
        ]);
        let mut calls = LeftCalls::new(Jumps { callees, lost: lost.to_vec() });
        let mut found = Vec::new();
        for (at, event) in (0..).zip(events) {
            let (kind, record) =
                if *event > 0 { (EventKind::Begin, FunctionKind::Enter) } else { (EventKind::End, FunctionKind::Exit) };
            let f = Function { at, kind: record, func: event.abs(), clock: at, cpu: 0 };
            found.extend(calls.take(0, kind, f).map(|(_, outermost)| (at, outermost)));
        }
        found
    }

    #[test]
    fn calls_are_left_down_to_the_innermost_one_that_can_make_the_next_call() {
        let log = [MAIN, SETTER, JUMPER, LEAF, -LEAF, JUMPER, LEAF, -LEAF, LEAF, -LEAF, -SETTER, SETTER, -SETTER];
        assert_eq!(left(&[2, 5], &log), [(8, 2)], "both of jumper, for a second call of leaf");
        assert_eq!(left(&[5], &log), [], "the outer one has an exit, so the inner one cannot have been left");
        assert_eq!(left(&[], &log), [], "all have exits");
    }

    #[test]
    fn open_calls_count_in_memory() {
        let mut calls = LeftCalls::new(Jumps { callees: Callees::new(Vec::new()), lost: Vec::new() });
        for (at, thread) in (0..10_000).zip((0..10).cycle()) {
            let f = Function { at, kind: FunctionKind::Enter, func: MAIN, clock: at, cpu: 0 };
            calls.take(thread, EventKind::Begin, f);
        }
        let of_calls: u64 = calls.threads.iter().map(|stack| kept::list(&stack.open)).sum();
        assert!(of_calls >= 10_000 * size_of::<Open>() as u64);
        // Each thread also has a table of one function.
        let of_functions = calls.bytes() - kept::list(&calls.threads) - of_calls;
        assert!((1..10 * 200).contains(&of_functions), "{of_functions}");
        for func in 1000..50_000 {
            calls.take(0, EventKind::End, Function { at: 0, kind: FunctionKind::Exit, func, clock: 0, cpu: 0 });
        }
        assert_eq!(calls.threads[0].visited, 0, "no call of theirs is open");
        calls.restart();
        assert_eq!(calls.bytes(), kept::list(&calls.threads));
    }

    #[test]
    fn nothing_is_left_for_what_may_be_called_anywhere() {
        let handled = [MAIN, SETTER, JUMPER, HANDLER, LEAF, -LEAF, -HANDLER, LEAF, -LEAF, -MAIN];
        assert_eq!(left(&[1, 2], &handled), [], "jumper makes its first call after it was interrupted");
        assert_eq!(left(&[1, 2], &[MAIN, SETTER, JUMPER, 9, -9, LEAF, -LEAF, -MAIN]), [], "9 is unknown");
        assert_eq!(left(&[0, 1], &[JUMPER, LEAF, MAIN, SETTER]), [], "its address is taken");
        assert_eq!(left(&[0, 1], &[JUMPER, LEAF, SETTER]), [], "none of them can have called it");
    }
}
