//! The call stack, rebuilt from how blocks end and where the next one begins.
//!
//! Nothing in the trace says call or return, thread or process. What is shown is therefore a reading of it: a call is a call
//! instruction behind which execution does not go on; a return is one that goes where an open call, interrupt or system
//! call would go on, the innermost of them, closing what lies above it.

use alloc::vec::Vec;

use super::code::Ending;
use crate::batch::{EventBatch, EventKind, TrackId};
use crate::problem::{Problem, RETURN_WITHOUT_CALL, TOO_DEEP};

/// Deeper calls are followed but not shown: each depth costs the store a column.
const SHOWN: usize = 10_000;
/// How many calls are followed.
const FOLLOWED: usize = 1 << 20;
/// How deep a return looks for its call.
const SEARCHED: usize = 4096;

/// What was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Call,
    /// An interrupt or a system call.
    Kernel,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    back: u64,
    name: u32,
    kind: Kind,
}

/// Where a block runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) pc: u64,
    /// The number of its name.
    pub(super) name: u32,
    pub(super) time: u64,
    pub(super) locator: u64,
}

/// The one call stack of a trace.
#[derive(Debug)]
pub(super) struct Stack {
    track: TrackId,
    open: Vec<Open>,
    /// Name of the slice of the code that nobody is known to have called.
    outermost: Option<u32>,
    /// How the latest block ended, and where the code behind it lies.
    ended: (Ending, u64),
    told_depth: bool,
}

impl Stack {
    pub(super) fn new(track: TrackId) -> Self {
        Self { track, open: Vec::new(), outermost: None, ended: (Ending::Next, 0), told_depth: false }
    }

    /// A block begins to run.
    pub(super) fn enter(&mut self, at: Place, out: &mut EventBatch) {
        let (ending, behind) = self.ended;
        self.ended = (Ending::Next, 0);
        match ending {
            Ending::Call { back } if back != at.pc => self.begin(back, Kind::Call, at, out),
            Ending::SystemCall { back } if back != at.pc => self.begin(back, Kind::Kernel, at, out),
            Ending::Call { .. } | Ending::SystemCall { .. } => {}
            Ending::Return | Ending::SystemReturn => {
                if let Some(i) = self.expecting(at.pc) {
                    self.close(i, at, out);
                } else if at.pc != behind
                    && self.open.is_empty()
                    && let Some(name) = self.outermost.take()
                {
                    out.push(EventKind::End, self.track, at.time, name, at.locator);
                    let problem = Problem { at: at.locator, kind: &RETURN_WITHOUT_CALL, value: at.pc };
                    out.problems.push(problem);
                }
            }
            // Back to where an interrupt came, by whatever means, or to the caller by a jump.
            Ending::Next | Ending::Jump => {
                let jump = ending == Ending::Jump;
                let top = self.open.last().filter(|top| top.back == at.pc && (jump || top.kind == Kind::Kernel));
                if top.is_some() {
                    self.close(self.open.len() - 1, at, out);
                }
            }
        }
        if self.outermost.is_none() {
            self.outermost = Some(at.name);
            out.push(EventKind::Begin, self.track, at.time, at.name, at.locator);
        }
    }

    /// The block that runs has ended; `behind` is the address behind it.
    pub(super) fn leave(&mut self, ending: Ending, behind: u64) {
        self.ended = (ending, behind);
    }

    /// An interrupt or fault; what was interrupted goes on at `at.pc`.
    pub(super) fn interrupt(&mut self, at: Place, out: &mut EventBatch) {
        // What the block before it was about to do it has done: where to, nobody can see.
        if let (Ending::Return | Ending::SystemReturn, _) = self.ended {
            let interrupted = Place { name: self.outermost.unwrap_or(at.name), ..at };
            if self.expecting(at.pc).is_some() {
                self.enter(interrupted, out);
            }
        }
        self.ended = (Ending::Next, 0);
        self.begin(at.pc, Kind::Kernel, at, out);
    }

    fn begin(&mut self, back: u64, kind: Kind, at: Place, out: &mut EventBatch) {
        if self.open.len() < SHOWN {
            out.push(EventKind::Begin, self.track, at.time, at.name, at.locator);
        } else if !self.told_depth {
            self.told_depth = true;
            out.problems.push(Problem { at: at.locator, kind: &TOO_DEEP, value: SHOWN as u64 });
        }
        // Calls that never return, as of threads that are switched away, must not take all memory.
        if self.open.len() >= FOLLOWED {
            self.open.drain(SHOWN..FOLLOWED / 2);
        }
        self.open.push(Open { back, name: at.name, kind });
    }

    /// The innermost of what goes on at this address.
    fn expecting(&self, address: u64) -> Option<usize> {
        let from = self.open.len().saturating_sub(SEARCHED);
        let found = self.open.get(from..)?.iter().rposition(|open| open.back == address)?;
        Some(from + found)
    }

    /// Ends what was entered and all above it.
    fn close(&mut self, at: usize, place: Place, out: &mut EventBatch) {
        let Some(Open { name, .. }) = self.open.get(at).copied() else { return };
        // An end closes the innermost slice of its name: those of the same name above go first.
        let shown = self.open.len().min(SHOWN);
        for open in self.open.get(at..shown).unwrap_or_default() {
            if open.name == name {
                out.push(EventKind::End, self.track, place.time, name, place.locator);
            }
        }
        self.open.truncate(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    /// Plays `+pc`, which enters, followed by how the block ended: `c` calls, `r` returns, `.` goes on; `!pc` interrupts.
    fn play(text: &str) -> String {
        let mut stack = Stack::new(0);
        let mut out = EventBatch::with_capacity(100);
        for (time, word) in text.split_whitespace().enumerate() {
            let pc: u64 = word.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
            let at = Place { pc, name: pc as u32, time: time as u64, locator: 0 };
            if word.starts_with('!') {
                stack.interrupt(Place { name: 99, ..at }, &mut out);
                continue;
            }
            stack.enter(at, &mut out);
            let ending = match word.as_bytes()[word.len() - 1] {
                b'c' => Ending::Call { back: pc + 1 },
                b's' => Ending::SystemCall { back: pc + 1 },
                b'r' => Ending::Return,
                b'i' => Ending::SystemReturn,
                _ => Ending::Next,
            };
            stack.leave(ending, pc + 1);
        }
        let mut shown = String::new();
        for ((kind, name), time) in out.kinds.iter().zip(&out.names).zip(&out.times) {
            let sign = if *kind == EventKind::Begin { '+' } else { '-' };
            shown.push_str(&alloc::format!("{sign}{name}@{time} "));
        }
        shown
    }

    #[test]
    fn calls_nest_and_return() {
        assert_eq!(play("+10c +20c +30r +21r +11."), "+10@0 +20@1 +30@2 -30@3 -20@4 ");
        assert_eq!(play("+10c +11."), "+10@0 ", "a call to the next instruction reads its own address");
    }

    #[test]
    fn a_return_may_match_deeper() {
        assert_eq!(play("+10c +20c +30r +11."), "+10@0 +20@1 +30@2 -20@3 ");
        // Of one name are several open: all of them end.
        assert_eq!(play("+10c +20c +20r +11."), "+10@0 +20@1 +20@2 -20@3 -20@3 ");
    }

    #[test]
    fn interrupts_and_system_calls_nest() {
        assert_eq!(play("+10. !12. +80c +90r +81i +12."), "+10@0 +99@1 +90@3 -90@4 -99@5 ");
        assert_eq!(play("+10s +80. +81i +11."), "+10@0 +80@1 -80@3 ");
        // Nothing of the handler was recorded.
        assert_eq!(play("+10. !12. +12."), "+10@0 +99@1 -99@2 ");
    }

    #[test]
    fn code_that_returns_further_than_is_known_begins_anew() {
        assert_eq!(play("+10r +50c +60r +51."), "+10@0 -10@1 +50@1 +60@2 -60@3 ");
    }
}
