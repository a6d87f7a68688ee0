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

/// An open call.
#[derive(Clone, Copy, Debug)]
struct Open {
    func: i32,
    /// Absolute offset of the record that began it.
    at: u64,
    /// It has made a call.
    has_called: bool,
}

/// The open calls of all threads.
#[derive(Debug)]
pub(super) struct LeftCalls {
    jumps: Jumps,
    threads: Vec<Vec<Open>>,
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
            self.threads.resize_with(i + 1, Vec::new);
        }
        let stack = self.threads.get_mut(i)?;
        if kind != EventKind::Begin {
            // Without an entry it began before the recording.
            if let Some(at) = stack.iter().rposition(|open| open.func == f.func) {
                stack.truncate(at);
            }
            return None;
        }
        let kept = caller(&self.jumps, stack, f.func);
        let left = stack.get(kept).map(|open| (open.func, open.at));
        stack.truncate(kept);
        // A signal handler is not called by what it interrupts.
        let is_called = self.jumps.callees.is_known(f.func.into());
        if let Some(caller) = stack.last_mut().filter(|_| is_called) {
            caller.has_called = true;
        }
        self.open_bytes += kept::push(stack, Open { func: f.func, at: f.at, has_called: false });
        left
    }

    /// The next records of a thread do not follow on its last ones.
    pub(super) fn interrupt(&mut self, thread: u32) {
        if let Some(stack) = self.threads.get_mut(thread as usize) {
            stack.clear();
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
        let expected: u64 = kept::list(&calls.threads) + calls.threads.iter().map(kept::list).sum::<u64>();
        assert!(expected >= 10_000 * size_of::<Open>() as u64);
        assert_eq!(calls.bytes(), expected);
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
