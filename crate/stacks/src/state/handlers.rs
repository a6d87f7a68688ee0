//! Handlers of signals, interrupts and exceptions: where they begin and end.

use crate::execution::{Arrival, Entered, Last, Note, Program, Raised, Rules, Sink};
use crate::flow::{Flow, Opening};
use crate::syscalls;
use unspool_trace::batch::SliceKind;
use unspool_trace::batch::flags::{END_INFERRED, UNCERTAIN};

use super::{Open, State, expected};

/// Maximum number of nested handlers. More indicate gaps in the trace.
const HANDLERS: usize = 64;
/// Maximum number of handler addresses kept.
const KNOWN_HANDLERS: usize = 64;
/// `sysenter` returns at most this many bytes after itself.
const SYSTEM_CALL_GAP: u64 = 16;
/// Length of the longest instruction that calls, in bytes, with its delay slot.
const LONGEST_CALL: u64 = 15;

impl State {
    /// Begins the handler of a recorded exception. Returns `None` if execution did not go to a
    /// handler.
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
        // At the last instruction again: only where execution goes on after the handler shows
        // whether that had taken effect.
        let is_undecided = raised.from == Some(last.address);
        let next = match raised.from {
            Some(from) if !is_undecided => Some([from, expected(last).first().copied().unwrap_or(from), from]),
            _ => self.continues(rules, last),
        };
        let goes_on = ignores(&raised, next, last, at, program);
        if raised.to.map_or(goes_on, |to| to != at.address) {
            // After a fault without a handler in the trace, the instruction restarts.
            return (goes_on && at.address == last.address).then_some(());
        }
        let resumed = next.and_then(|next| next.first().copied()).filter(|_| !is_undecided);
        if let Some(address) = resumed.filter(|address| *address != last.address) {
            let interrupted = Arrival { address, opening: Opening::Usual, stack: last.stack, ..*at };
            self.follow(Rules { infers_handlers: false, ..rules }, last, &interrupted, program, sink);
        }
        let goes = next.unwrap_or([last.address; 3]);
        let mut pending = (is_undecided || next.is_none()).then_some(last.departure);
        if pending.is_some()
            && returns_from_signal(rules, last)
            && let Some(i) = self.open.iter().rposition(|open| !open.is_call())
        {
            // It takes the place of a handler that has just ended.
            pending = self.open.get(i).and_then(|open| open.handler.as_ref()?.pending);
            self.close(i, last.after, (0, END_INFERRED), sink);
        }
        let entered = Entered { number: raised.number, ..Entered::new(SliceKind::Signal, at.address) };
        self.begin(entered, goes, at.time, (at.locator, at.stack), program, sink);
        if let Some(handler) = self.open.last_mut().and_then(|open| open.handler.as_mut()) {
            (handler.pending, handler.waiting) = (pending, raised.waiting);
        }
        Some(())
    }

    /// Whether what follows an indirect call is a handler that came before the callee: something
    /// was pushed in between, or, if the stack pointer is unknown, there is a handler at this
    /// address.
    pub(super) fn is_handler(&self, last: &Last, at: &Arrival, program: &Program) -> bool {
        match last.stack.zip(at.stack) {
            _ if self.gaps => false,
            Some((left, now)) => now < left,
            None => program.handlers.contains(&at.address),
        }
    }

    /// A handler begins after an indirect call. Where the call goes shows when the handler has
    /// ended.
    #[cold]
    pub(super) fn interrupt_call(&mut self, last: &Last, at: &Arrival, program: &mut Program, sink: &mut dyn Sink) {
        let entered = Entered::new(SliceKind::Signal, at.address);
        self.begin(entered, [last.address; 3], at.time, (at.locator, at.stack), program, sink);
        if let Some(handler) = self.open.last_mut().and_then(|open| open.handler.as_mut()) {
            handler.pending = Some(last.departure);
        }
    }

    /// Whether the innermost handler returns to `address` as the callee of the call that it seemed
    /// to interrupt does: the signal was ignored.
    pub(super) fn is_callee(&self, address: u64) -> bool {
        let pending = self.open.last().and_then(|top| top.handler.as_ref()?.pending);
        pending.is_some_and(|call| matches!(call.flow, Flow::Call { back, .. } if back == address))
    }

    /// The addresses at which execution may continue after the last instruction, the likeliest
    /// first, as far as that and the stack tell.
    fn continues(&self, rules: Rules, last: &Last) -> Option<[u64; 3]> {
        match last.flow {
            Flow::Return { .. } => {
                let top = self.open.last().filter(|top| top.is_call())?;
                Some([top.back, top.back, last.address])
            }
            Flow::SystemCall if returns_from_signal(rules, last) => {
                let open = self.open.iter().rev().find(|open| !open.is_call())?;
                let handler = open.handler.as_ref().filter(|handler| handler.pending.is_none())?;
                Some([open.back, handler.other, handler.again])
            }
            flow => is_told(flow).then(|| expected(last)),
        }
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
        if returns_from_signal(rules, last) {
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

    /// A signal handler has ended. Execution continues at the interrupted address, or where the
    /// handler chose.
    #[inline(never)]
    pub(super) fn return_from_signal(
        &mut self,
        rules: Rules,
        last: &Last,
        at: &Arrival,
        program: &mut Program,
        sink: &mut dyn Sink,
    ) {
        let innermost = self.open.iter().rposition(|open| !open.is_call());
        let is_pending = innermost.and_then(|i| self.open.get(i)).is_some_and(Open::is_pending);
        let handler = if is_pending { innermost } else { self.resuming(at.address).or(innermost) };
        let Some(i) = handler else {
            return self.return_from_unknown_handler(rules, last, at, program, sink);
        };
        if let Some(open) = self.open.get(i) {
            learn_handler(open.address, program);
        }
        self.end_handler(i, rules, last, at, program, sink);
    }

    /// A signal handler has ended whose beginning was not recognised: it came immediately after a
    /// return, or in place of the callee of an indirect call. The next one will be recognised.
    #[cold]
    fn return_from_unknown_handler(
        &mut self,
        rules: Rules,
        last: &Last,
        at: &Arrival,
        program: &mut Program,
        sink: &mut dyn Sink,
    ) {
        let top = self.open.last().filter(|_| self.strayed.open == self.open.len());
        match top.map(|top| (top.address, top.back)) {
            Some((_, back)) if back == at.address => learn_handler(self.strayed.to, program),
            Some((address, back)) => {
                // What seemed to be the callee was the handler. The callee begins now, unless the
                // call is repeated.
                learn_handler(address, program);
                self.close(self.open.len() - 1, last.after, (0, 0), sink);
                if back.wrapping_sub(at.address) > LONGEST_CALL {
                    let entered = Entered::new(SliceKind::Call, at.address);
                    self.begin(entered, [back; 3], at.time, (at.locator, at.stack), program, sink);
                }
                return;
            }
            None => {}
        }
        self.returned_to(Rules { infers_handlers: false, ..rules }, last, at, program, sink);
    }

    /// The handler `i` has ended, and execution continues at the interrupted address, where the
    /// next handler begins, or where the handler chose.
    #[inline(never)]
    pub(super) fn end_handler(
        &mut self,
        i: usize,
        rules: Rules,
        last: &Last,
        at: &Arrival,
        program: &mut Program,
        sink: &mut dyn Sink,
    ) {
        let Some((handler, mut more)) =
            self.open.get(i).and_then(|open| Some((open.clone(), **open.handler.as_ref()?)))
        else {
            return;
        };
        self.close(i, last.after, (0, END_INFERRED), sink);
        let goes_on = match more.pending {
            // The interrupted instruction had no effect, and is repeated.
            Some(interrupted) => at.address == interrupted.address,
            None => handler.resumes(at.address),
        };
        if goes_on {
            return;
        }
        let waiting = more.waiting.pop();
        if waiting.is_some() || (program.handlers.contains(&at.address) && !self.gaps) {
            // The next signal was pending: it interrupts the same instruction.
            let entered = Entered { number: waiting.flatten(), ..Entered::new(more.kind, at.address) };
            let goes = [handler.back, more.other, more.again];
            self.begin(entered, goes, at.time, (at.locator, at.stack), program, sink);
            if let Some(next) = self.open.last_mut().and_then(|open| open.handler.as_mut()) {
                (next.pending, next.waiting) = (more.pending, more.waiting);
            }
            return;
        }
        match more.pending {
            Some(departure) => {
                let last = Last { departure, system_call: None, raised: None, unwound: None };
                self.follow(Rules { infers_handlers: false, ..rules }, &last, at, program, sink);
            }
            None => self.jumped(rules, last, at, program, sink),
        }
    }

    /// Execution continues at an address that the last instruction does not name: a handler begins
    /// or ends. `goes` are the addresses at which execution may continue after the handler.
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
        // Without reliable branch targets only the innermost handler ends: a handler may execute
        // the code it interrupted.
        if let Some(i) = resumed.filter(|i| rules.infers_handlers || i + 1 == self.open.len()) {
            return self.end_handler(i, rules, last, at, program, sink);
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

/// Whether execution goes on where the last instruction and the recorded exception lead, as if
/// there were no handler. `next` are the addresses to which they may lead, as far as these are
/// known.
fn ignores(raised: &Raised, next: Option<[u64; 3]>, last: &Last, at: &Arrival, program: &Program) -> bool {
    // Without its address, a handler begins wherever the interrupted code does not go on.
    let is_known = program.handlers.contains(&at.address);
    let is_undecided = raised.from == Some(last.address);
    match (raised.from, next) {
        (Some(from), _) if at.address == from => true,
        (Some(_), _) if !is_undecided => false,
        (_, Some(next)) => !is_known && next.contains(&at.address),
        (_, None) => match last.flow {
            Flow::Call { back, .. } => back == at.address || (!is_known && program.functions.contains(&at.address)),
            _ => false,
        },
    }
}

/// Remembers the address of a handler that has returned from a signal.
fn learn_handler(address: u64, program: &mut Program) {
    if program.handlers.len() < KNOWN_HANDLERS && !program.handlers.contains(&address) {
        program.handlers.push(address);
    }
}

/// Whether an instruction was the system call that returns from a signal.
fn returns_from_signal(rules: Rules, last: &Last) -> bool {
    last.system_call.is_some_and(|number| syscalls::returns_from_signal(rules.isa, number))
}

/// Whether an instruction names every address at which it may continue.
fn is_told(flow: Flow) -> bool {
    matches!(flow, Flow::Next | Flow::Branch { .. } | Flow::Call { to: Some(_), .. } | Flow::SystemCall)
}
