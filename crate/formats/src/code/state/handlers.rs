//! Handlers of signals, interrupts and exceptions: where they begin and end.

use super::{State, expected};
use crate::batch::SliceKind;
use crate::batch::flags::{END_INFERRED, UNCERTAIN};
use crate::code::execution::{Arrival, Entered, Last, Note, Program, Raised, Rules, Sink};
use crate::code::flow::{Flow, Opening};
use crate::code::syscalls;

/// Maximum number of nested handlers. More indicate gaps in the trace.
const HANDLERS: usize = 64;
/// Maximum number of handler addresses kept.
const KNOWN_HANDLERS: usize = 64;
/// `sysenter` returns at most this many bytes after itself.
const SYSTEM_CALL_GAP: u64 = 16;

impl State {
    /// Begins the handler of a recorded exception. Returns `None` if execution did not go to a handler.
    #[inline(never)]
    pub(super) fn raise(
        &mut self,
        rules: Rules,
        raised: Raised,
        last: &Last,
        at: &Arrival,
        program: &mut Program,
        sink: &mut dyn Sink,
    ) -> Option<()> {
        let goes = expected(last);
        let is_handler = match raised.to {
            Some(to) => to == at.address,
            None => is_told(last.flow) && !goes.contains(&at.address),
        };
        if !is_handler {
            return None;
        }
        if let Some(from) = raised.from {
            let interrupted = Arrival { address: from, opening: Opening::Usual, stack: None, ..*at };
            self.follow(Rules { infers_handlers: false, ..rules }, last, &interrupted, program, sink);
        }
        let goes = raised.from.map_or(goes, |from| [from, goes.first().copied().unwrap_or(from), from]);
        let entered = Entered { number: raised.number, ..Entered::new(SliceKind::Signal, at.address) };
        self.begin(entered, goes, at.time, (at.locator, at.stack), program, sink);
        Some(())
    }

    /// A system call has returned, or the kernel's code begins.
    #[inline(never)]
    pub(super) fn after_system_call(
        &mut self,
        rules: Rules,
        last: &Last,
        at: &Arrival,
        program: &mut Program,
        sink: &mut dyn Sink,
    ) {
        let address = at.address;
        let number = last.system_call;
        if number.is_some_and(|number| syscalls::returns_from_signal(rules.isa, number)) {
            return self.return_from_signal(rules, last, at, program, sink);
        }
        if address == last.address || address.wrapping_sub(last.next) <= SYSTEM_CALL_GAP {
            return;
        }
        if !rules.infers_handlers || (rules.isa.is_kernel(address) && !rules.isa.is_kernel(last.address)) {
            let entered = Entered::new(SliceKind::SystemCall, address);
            return self.begin(entered, [last.next; 3], at.time, (at.locator, at.stack), program, sink);
        }
        self.divert(rules, last, (expected(last), false), at, program, sink);
    }

    /// A signal handler has ended. Execution continues at the interrupted address, or where the handler chose.
    #[inline(never)]
    pub(super) fn return_from_signal(
        &mut self,
        rules: Rules,
        last: &Last,
        at: &Arrival,
        program: &mut Program,
        sink: &mut dyn Sink,
    ) {
        let handler = self.resuming(at.address).or_else(|| self.open.iter().rposition(|open| !open.is_call()));
        let Some(i) = handler else {
            // The handler's beginning was not recognised. The next one will be.
            return self.returned_to(Rules { infers_handlers: false, ..rules }, last, at, program, sink);
        };
        let Some((handler, more)) = self.open.get(i).and_then(|open| Some((open.clone(), **open.handler.as_ref()?)))
        else {
            return;
        };
        if program.handlers.len() < KNOWN_HANDLERS && !program.handlers.contains(&handler.address) {
            program.handlers.push(handler.address);
        }
        self.close(i, last.after, (0, END_INFERRED), sink);
        if handler.resumes(at.address) {
            return;
        }
        if program.handlers.contains(&at.address) && !self.gaps {
            // The next signal was pending: it interrupts the same instruction.
            let entered = Entered::new(more.kind, at.address);
            let goes = [handler.back, more.other, more.again];
            self.begin(entered, goes, at.time, (at.locator, at.stack), program, sink);
            return;
        }
        self.jumped(rules, last, at, program, sink);
    }

    /// Execution continues at an address that the last instruction does not name: a handler begins or ends. `goes` are the
    /// addresses at which execution may continue after the handler.
    #[inline(never)]
    pub(super) fn divert(
        &mut self,
        rules: Rules,
        last: &Last,
        (goes, guessed): ([u64; 3], bool),
        at: &Arrival,
        program: &mut Program,
        sink: &mut dyn Sink,
    ) {
        let resumed = self.resuming(at.address);
        // Without reliable branch targets only the innermost handler ends: a handler may execute the code it interrupted.
        if let Some(i) = resumed.filter(|i| rules.infers_handlers || i + 1 == self.open.len()) {
            return self.close(i, last.after, (0, END_INFERRED), sink);
        }
        if !rules.infers_handlers || self.gaps {
            return;
        }
        if self.handlers >= HANDLERS {
            self.gaps = true;
            self.note(Note::Gaps(at.address), at.locator, sink);
            if let Some(i) = self.open.iter().position(|open| !open.is_call()) {
                self.close(i, last.after, (END_INFERRED | UNCERTAIN, END_INFERRED | UNCERTAIN), sink);
            }
            return;
        }
        let kernel = rules.isa.is_kernel(at.address) && !rules.isa.is_kernel(last.address);
        let kind = if kernel { SliceKind::Interrupt } else { SliceKind::Signal };
        let entered = Entered { guessed, ..Entered::new(kind, at.address) };
        self.begin(entered, goes, at.time, (at.locator, at.stack), program, sink);
    }
}

/// Whether an instruction names every address at which it may continue.
fn is_told(flow: Flow) -> bool {
    matches!(flow, Flow::Next | Flow::Branch { .. } | Flow::Call { to: Some(_), .. } | Flow::SystemCall)
}
