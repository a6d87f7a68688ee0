//! Tail calls with the callee under the function that left by it.
//!
//! A function that makes a tail call leaves before its callee is entered:
//! `enter f, tail exit f, enter g, exit g`. So g is beside f, which is what the processor does, and
//! not what the source says. Here f stays open until g has returned. The log does not say which
//! function was called: the next record of the thread is taken to be its entry. If it is not an
//! entry, the callee was not instrumented, and f has ended.

use alloc::vec::Vec;

use unspool_trace::batch::EventKind;
use unspool_trace::kept;
use unspool_trace::limits::SHOWN;

use super::decode::Function;
use super::present::Present;
use super::wire::FunctionKind;

/// The calls of one thread that are open.
#[derive(Debug, Default)]
struct Stack {
    /// Ids of functions, and whether they have left by a tail call.
    open: Vec<(i32, bool)>,
    /// Of those that have not left.
    present: Present,
    /// The record before was a tail exit of the innermost call.
    left: Option<Function>,
    #[cfg(test)]
    visited: usize,
}

/// The open calls of all threads, by index.
#[derive(Debug, Default)]
pub(super) struct TailCalls {
    threads: Vec<Stack>,
    /// Bytes of memory of the open calls.
    open_bytes: u64,
}

impl TailCalls {
    /// Bytes of memory.
    pub(super) fn bytes(&self) -> u64 {
        kept::list(&self.threads) + self.open_bytes
    }

    /// Takes the next record of a thread, and passes on the events that follow from it: the ends of
    /// calls that were held back, with the time and the place of the record that decides them.
    pub(super) fn take(&mut self, thread: u32, record: Function, mut event: impl FnMut(EventKind, Function)) {
        let i = thread as usize;
        if self.threads.len() <= i {
            self.threads.resize_with(i + 1, Stack::default);
        }
        let Some(stack) = self.threads.get_mut(i) else { return };
        let is_enter = record.kind.is_enter();
        if let Some(left) = stack.left.take() {
            match stack.open.last_mut() {
                Some((func, has_left)) if is_enter => {
                    *has_left = true;
                    stack.present.remove(*func);
                }
                _ => stack.end(left, &mut event),
            }
        }
        let is_innermost = stack.open.last() == Some(&(record.func, false));
        if is_enter {
            event(EventKind::Begin, record);
            self.open_bytes += kept::push(&mut stack.open, (record.func, false)) + stack.present.add(record.func);
        } else if record.kind == FunctionKind::TailExit && is_innermost && stack.open.len() < SHOWN {
            // Functions that call each other in this way without an end would nest without an end.
            stack.left = Some(record);
        } else {
            stack.end(record, &mut event);
        }
    }

    /// Ends what was held back of a thread, whose next records do not follow on its last ones.
    pub(super) fn interrupt(&mut self, thread: u32, mut event: impl FnMut(EventKind, Function)) {
        let Some(stack) = self.threads.get_mut(thread as usize) else { return };
        if let Some(left) = stack.left.take() {
            stack.end(left, &mut event);
        }
        stack.open.clear();
        stack.present.clear();
    }

    /// How many threads there are.
    pub(super) fn threads(&self) -> u32 {
        self.threads.len() as u32
    }
}

impl Stack {
    /// Ends a call, and those that have left in favour of it.
    fn end(&mut self, exit: Function, event: &mut impl FnMut(EventKind, Function)) {
        event(EventKind::End, exit);
        // Without an entry it began before the recording. Calls within it end with it.
        if !self.present.has(exit.func) {
            return;
        }
        // All that is looked at ends.
        while let Some((func, has_left)) = self.open.pop() {
            #[cfg(test)]
            {
                self.visited += 1;
            }
            if has_left {
                continue;
            }
            self.present.remove(func);
            if func == exit.func {
                break;
            }
        }
        while let Some((func, true)) = self.open.last().copied() {
            self.open.pop();
            event(EventKind::End, Function { func, ..exit });
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use core::fmt::Write;

    use FunctionKind::{Enter, Exit, TailExit};

    use super::*;

    /// The events of one thread's records, at times from 0 on: `+1@0` for a begin, `-1@5` for an
    /// end.
    fn events(records: &[(FunctionKind, i32)]) -> String {
        let (mut tails, mut text) = (TailCalls::default(), String::new());
        let mut write = |kind, f: Function| {
            let sign = if kind == EventKind::Begin { '+' } else { '-' };
            let _ = write!(text, "{sign}{}@{} ", f.func, f.clock);
        };
        for (clock, (kind, func)) in (0..).zip(records) {
            let record = Function { kind: *kind, func: *func, clock, at: clock, cpu: 0 };
            tails.take(0, record, &mut write);
        }
        tails.interrupt(0, &mut write);
        tails.interrupt(1, &mut write);
        text.truncate(text.trim_end().len());
        text
    }

    #[test]
    fn the_callee_lies_under_the_function_that_left_and_ends_with_it() {
        let chain =
            [(Enter, 1), (Enter, 2), (TailExit, 2), (Enter, 3), (TailExit, 3), (Enter, 4), (Exit, 4), (Exit, 1)];
        assert_eq!(events(&chain), "+1@0 +2@1 +3@3 +4@5 -4@6 -3@6 -2@6 -1@7");
        let recursion = [(Enter, 1), (TailExit, 1), (Enter, 1), (Exit, 1)];
        assert_eq!(events(&recursion), "+1@0 +1@2 -1@3 -1@3");
    }

    #[test]
    fn without_an_entry_the_function_has_ended() {
        assert_eq!(events(&[(Enter, 1), (Enter, 2), (TailExit, 2), (Exit, 1)]), "+1@0 +2@1 -2@2 -1@3");
        assert_eq!(events(&[(Enter, 1), (TailExit, 1)]), "+1@0 -1@1", "at the end of the thread");
        assert_eq!(events(&[(TailExit, 1), (Enter, 2), (Exit, 2)]), "-1@0 +2@1 -2@2", "it began before the recording");
        assert_eq!(events(&[(Enter, 1), (TailExit, 2), (Exit, 1)]), "+1@0 -2@1 -1@2", "of another function");
    }

    #[test]
    fn lost_exits_end_with_their_caller() {
        let lost = [(Enter, 1), (Enter, 2), (TailExit, 2), (Enter, 3), (Exit, 1), (Enter, 4), (Exit, 4)];
        assert_eq!(events(&lost), "+1@0 +2@1 +3@3 -1@4 +4@5 -4@6");
    }

    #[test]
    fn exits_of_functions_that_are_not_open_look_at_nothing() {
        let mut tails = TailCalls::default();
        let mut take = |kind, func| {
            tails.take(0, Function { kind, func, clock: 0, at: 0, cpu: 0 }, |_, _| {});
            (tails.threads[0].visited, tails.threads[0].open.len())
        };
        (0..50_000).for_each(|func| _ = take(Enter, func));
        for func in 50_000..100_000 {
            assert_eq!(take(Exit, func), (0, 50_000));
        }
        (0..50_000).rev().step_by(2).for_each(|func| _ = take(Exit, func));
        (0..50_000).for_each(|func| _ = take(Exit, func));
        let stack = &tails.threads[0];
        assert!(stack.visited <= 50_000 && stack.open.is_empty(), "{}", stack.visited);
    }

    #[test]
    fn endless_tail_calls_are_beside_each_other_beyond_the_depth_that_is_shown() {
        let mut tails = TailCalls::default();
        for clock in 0..4 * SHOWN as u64 {
            let kind = if clock % 2 == 0 { Enter } else { TailExit };
            tails.take(0, Function { kind, func: 1, clock, at: clock, cpu: 0 }, |_, _| {});
        }
        assert!(tails.threads[0].open.len() <= SHOWN);
    }
}
