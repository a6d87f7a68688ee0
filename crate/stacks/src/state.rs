//! One hypothesis of a call stack, of which [`super::stack`] follows several.

mod handlers;
mod held;
mod lookup;

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::mem::take;

use held::{Common, Held};
use unspool_trace::batch::SliceKind;
use unspool_trace::batch::flags::{END_INFERRED, UNCERTAIN};
use unspool_trace::kept;
use unspool_trace::limits::SHOWN;
use unspool_trace::locator::Locator;

use super::execution::{Arrival, Departure, Entered, Last, Note, Program, Rules, Sink, Waiting};
use super::flow::{Flow, Opening};

/// Maximum number of recursive calls considered as the one that a jump left, innermost first.
const CHOICES: usize = 4;
/// Maximum number of open calls.
const FOLLOWED: usize = 1 << 20;
/// Number of open calls, from the innermost, among which a return finds its call.
pub(super) const SEARCHED: usize = 4096;
/// Maximum number of return addresses of ended calls in a stack that may be copied.
const COPIED: usize = 1 << 14;
/// Maximum number of return addresses of ended calls kept for each open call.
const KEPT: usize = 256;
/// Maximum number of callers that are uncovered below the outermost code.
const UNCOVERED: u32 = 1000;
/// A stack pointer this many bytes above the highest one seen belongs to another stack.
const OTHER_STACK: u64 = 1 << 20;
/// A kernel saves more bytes than this on the stack for a handler; the handler's return pops fewer.
const SIGNAL_FRAME: u64 = 64;
/// A landing pad reached by a jump lies within this many bytes of its call.
const NEAR: u64 = 4096;
/// Counters in the filter of return addresses.
const FILTER: usize = 1024;

/// An open call or handler.
#[derive(Clone, Debug)]
struct Open {
    /// Return address.
    back: u64,
    /// Address of the first instruction.
    address: u64,
    /// Locator of its slice.
    began: Locator,
    /// The stack pointer at the first instruction.
    stack: Option<u64>,
    /// `None` for a call.
    handler: Option<Box<Handler>>,
    name: u32,
    /// Index in [`State::returned`] of the first return address that belongs to calls made by this
    /// one.
    returned: u32,
    /// The caller's [`State::mode`], restored at the end.
    mode: u8,
}

#[derive(Clone, Copy, Debug)]
struct Handler {
    kind: SliceKind,
    /// Other addresses at which execution may continue: the target of a jump, and the interrupted
    /// instruction.
    other: u64,
    again: u64,
    /// The interrupted instruction, if it goes to an address that is not known before the handler
    /// has returned.
    pending: Option<Departure>,
    /// Exceptions whose handlers come next.
    waiting: Waiting,
}

impl Open {
    fn is_call(&self) -> bool {
        self.handler.is_none()
    }

    /// Whether it is unknown where execution continues after it.
    fn is_pending(&self) -> bool {
        self.handler.as_ref().is_some_and(|handler| handler.pending.is_some())
    }

    fn resumes(&self, address: u64) -> bool {
        self.handler.as_ref().is_some_and(|h| address == self.back || address == h.other || address == h.again)
    }
}

/// A return to an address that no open call returns to.
#[derive(Clone, Copy, Debug, Default)]
struct Strayed {
    /// Number of calls that were open then. 0 if there was no such return, or the innermost of
    /// these calls has ended since.
    open: usize,
    to: u64,
}

/// The counters of a filter.
pub(super) type Filter = Box<[u32; FILTER]>;

fn new_filter() -> Filter {
    Box::new([0; FILTER])
}

/// One hypothesis of a call stack.
#[derive(Debug)]
pub(super) struct State {
    open: Vec<Open>,
    /// Name and locator of the slice of the outermost code, whose call is not in the trace.
    outermost: Option<(u32, Locator)>,
    /// Return addresses of ended calls, grouped by caller.
    returned: Vec<u64>,
    /// A counting Bloom filter over the return addresses of open and ended calls. `None` in a copy.
    filter: Option<Filter>,
    /// What the innermost call does with its return address, and the number of open calls including
    /// it.
    trick: Option<(Opening, usize)>,
    /// Whether events are held back until one of several hypotheses is left.
    holds: bool,
    held: Vec<Held>,
    /// Held events before those in `held`, shared with other hypotheses.
    common: Option<Rc<Common>>,
    /// Among the calls that return to one address, the one that a jump leaves: 0 is the innermost.
    choice: usize,
    strayed: Strayed,
    /// Number of returns that did not go to the innermost call's return address.
    surprises: u32,
    /// Number of jumps that did what a return should have done.
    oddities: u32,
    /// The innermost call has ended when the stack pointer exceeds this.
    limit: u64,
    /// Number of open handlers.
    handlers: usize,
    /// Number of callers uncovered so far.
    uncovered: u32,
    /// Whether handlers can no longer be told from gaps.
    gaps: bool,
    /// Whether [`Note::TooDeep`] was reported.
    told_depth: bool,
    /// The highest stack pointer that belongs to this stack. 0 if none was seen.
    highest: u64,
    /// A byte for the caller of [`super::stack::Stack`]; see `Stack::mode`.
    pub(super) mode: u8,
}

/// Index of the filter's counter for an address.
fn place(address: u64) -> usize {
    (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize
}

impl Default for State {
    fn default() -> Self {
        Self {
            open: Vec::new(),
            outermost: None,
            returned: Vec::new(),
            filter: Some(new_filter()),
            trick: None,
            holds: false,
            held: Vec::new(),
            common: None,
            choice: 0,
            strayed: Strayed::default(),
            surprises: 0,
            oddities: 0,
            limit: u64::MAX,
            handlers: 0,
            uncovered: 0,
            gaps: false,
            told_depth: false,
            highest: 0,
            mode: 0,
        }
    }
}

impl State {
    /// Bytes of memory, without those that hypotheses share.
    pub(super) fn bytes(&self) -> u64 {
        let handlers = self.handlers * size_of::<Handler>();
        let filter = self.filter.as_ref().map_or(0, |filter| size_of_val(&**filter));
        kept::list(&self.open) + kept::list(&self.returned) + kept::list(&self.held) + (handlers + filter) as u64
    }

    /// Bytes of memory of held events that hypotheses share.
    pub(super) fn common_bytes(&self) -> u64 {
        self.common.as_ref().map_or(0, |common| (common.count * size_of::<Held>()) as u64)
    }

    /// Whether the innermost call does something unusual with its return address.
    #[inline]
    pub(super) fn has_trick(&self) -> bool {
        self.trick.is_some()
    }

    /// Ends the innermost call if it returned to its caller and nothing else ended. Returns false
    /// otherwise.
    #[inline]
    pub(super) fn returns(&mut self, rules: Rules, last: &Last, at: &Arrival, sink: &mut dyn Sink) -> bool {
        let Some(top) = self.open.last() else { return false };
        let usual = top.back == at.address && top.back != last.next && top.is_call() && self.trick.is_none();
        if !matches!(last.flow, Flow::Return { .. }) || !usual || !self.agrees(rules, at.stack) {
            return false;
        }
        self.close(self.open.len() - 1, last.after, (0, 0), sink);
        true
    }

    /// Adds an instant, which does not change the stack.
    pub(super) fn point(&mut self, name: u32, time: u64, locator: Locator, sink: &mut dyn Sink) {
        self.tell(Held::Point { name, time, locator }, sink);
    }

    /// Execution reaches an instruction.
    #[inline(never)]
    pub(super) fn arrive(
        &mut self,
        rules: Rules,
        last: Option<&Last>,
        at: &Arrival,
        program: &mut Program,
        sink: &mut dyn Sink,
    ) {
        if let Some(last) = last {
            let told = last.raised.and_then(|raised| self.raise(rules, raised, last, at, program, sink));
            if told.is_none() {
                self.follow(rules, last, at, program, sink);
            }
            // Calls left by setting the stack pointer, before any jump.
            if at.stack.is_some_and(|now| now > self.limit) {
                let here = Last { departure: Departure { after: at.time, ..last.departure }, ..*last };
                self.settle(rules, &here, at, false, sink);
            }
        }
        if let Some(stack) = at.stack
            && (self.highest == 0 || stack < self.highest.saturating_add(OTHER_STACK))
        {
            self.highest = self.highest.max(stack);
        }
        if self.outermost.is_none() {
            self.begin_outermost(at, false, program, sink);
        }
        self.choice = 0;
        // A handler may lie above the call that has the trick.
        self.trick = self.trick.filter(|(_, open)| *open <= self.open.len());
    }

    /// An interrupt was recorded. The interrupted code continues at `at.address`.
    #[inline(never)]
    pub(super) fn interrupt(
        &mut self,
        rules: Rules,
        last: Option<&Last>,
        at: &Arrival,
        program: &mut Program,
        sink: &mut dyn Sink,
    ) {
        if self.outermost.is_none() {
            self.begin_outermost(at, false, program, sink);
        }
        // The last instruction took effect; the interrupt came before the next one.
        if let Some(last) = last {
            self.follow(rules, last, at, program, sink);
        }
        self.choice = 0;
        let entered = Entered::new(SliceKind::Interrupt, at.address);
        self.begin(entered, [at.address; 3], at.time, (at.locator, at.stack), program, sink);
    }

    /// Ends the trace. If the last instruction was a return, it ends the innermost call.
    #[inline(never)]
    pub(super) fn finish(&mut self, last: Option<&Last>, sink: &mut dyn Sink) {
        if let Some(last) = last.filter(|last| matches!(last.flow, Flow::Return { .. }))
            && self.open.last().is_some_and(Open::is_call)
        {
            self.close(self.open.len() - 1, last.after, (0, 0), sink);
        }
    }

    /// Applies the last instruction, now that its target is known.
    #[inline(never)]
    fn follow(&mut self, rules: Rules, last: &Last, at: &Arrival, program: &mut Program, sink: &mut dyn Sink) {
        let address = at.address;
        let mut replaced = false;
        if let Some((trick, open)) = self.trick
            && open == self.open.len()
        {
            let returns = matches!(last.flow, Flow::Return { .. });
            if trick == Opening::Discards || returns {
                self.trick = None;
                replaced = trick == Opening::Replaces;
                self.close(open.saturating_sub(1), last.after, (0, 0), sink);
            }
        }
        match last.flow {
            Flow::Next | Flow::Branch { .. } => {
                if !expected(last).contains(&address) {
                    self.divert(rules, last, (expected(last), false), at, program, sink);
                }
            }
            Flow::Call { back, .. } if back == address => {}
            // The call restarts after a fault. Recursion would name its own address as the target.
            Flow::Call { to: Some(to), .. } if to != address && address == last.address => {}
            Flow::Call { to, back, .. } => {
                let (began, stack) = (last.locator, at.stack);
                match to {
                    Some(to) if to != address && rules.infers_handlers => {
                        // A handler's first instruction in place of the callee's.
                        let entered = Entered::new(SliceKind::Call, to);
                        self.begin(entered, [back; 3], at.time, (began, last.stack), program, sink);
                        self.divert(rules, last, ([to; 3], false), at, program, sink);
                    }
                    None if rules.infers_handlers && self.is_handler(last, at, program) => {
                        self.interrupt_call(last, at, program, sink);
                    }
                    _ => {
                        let entered = Entered::new(SliceKind::Call, address);
                        self.begin(entered, [back; 3], at.time, (began, stack), program, sink);
                        let trick = at.opening;
                        self.trick = (trick != Opening::Usual).then_some((trick, self.open.len()));
                    }
                }
            }
            Flow::Return { maybe, .. } => {
                if replaced {
                    self.jumped(rules, last, at, program, sink);
                } else if !(maybe && address == last.next) {
                    self.returned_to(rules, last, at, program, sink);
                }
            }
            Flow::Jump { .. } => {
                if address != last.next {
                    self.jumped(rules, last, at, program, sink);
                }
            }
            Flow::SystemCall => self.after_system_call(rules, last, at, program, sink),
            Flow::SystemReturn => {
                if let Some(i) = self.resuming(address).or_else(|| self.expecting(address)) {
                    self.close(i, last.after, (0, END_INFERRED), sink);
                } else if let Some(i) = self.open.iter().rposition(Open::is_pending) {
                    self.end_handler(i, rules, last, at, program, sink);
                } else {
                    self.uncover(rules, last, at, program, sink);
                }
            }
            Flow::Unknown => {
                if let Some(i) = self.open.len().checked_sub(1)
                    && self.open.last().is_some_and(|top| top.resumes(address))
                {
                    self.close(i, at.time, (0, END_INFERRED), sink);
                }
            }
        }
    }

    /// A return went to an address.
    #[inline(never)]
    fn returned_to(&mut self, rules: Rules, last: &Last, at: &Arrival, program: &mut Program, sink: &mut dyn Sink) {
        let address = at.address;
        // The common case: the innermost call returns to its caller.
        if let Some(top) = self.open.last()
            && top.back == address
            && top.is_call()
            && self.agrees(rules, at.stack)
        {
            return self.close(self.open.len() - 1, last.after, (0, 0), sink);
        }
        if self.is_callee(address) {
            return self.close(self.open.len() - 1, last.after, (0, 0), sink);
        }
        if at.stack.is_some() && self.settle(rules, last, at, true, sink) {
            return;
        }
        if self.holds && !self.open.is_empty() {
            self.surprises += 1;
        }
        if let Some(i) = self.expecting(address) {
            return self.leave_calls(i, false, last, sink);
        }
        if self.open.is_empty() {
            if address != last.next {
                self.uncover(rules, last, at, program, sink);
            }
            return;
        }
        // A handler returned to the instructions that return from the signal.
        if self.open.last().is_some_and(|top| !top.is_call()) {
            self.surprises = self.surprises.saturating_sub(1);
            return;
        }
        let interrupted = self.is_interrupted(rules, last, at);
        if rules.infers_handlers && !self.gaps && (interrupted || program.handlers.contains(&address)) {
            let back = self.open.last().map_or(address, |top| top.back);
            self.close(self.open.len() - 1, last.after, (0, 0), sink);
            if !interrupted {
                self.note(Note::HandlerGuessed(address), at.locator, sink);
            }
            return self.divert(rules, last, ([back; 3], !interrupted), at, program, sink);
        }
        if let Some(i) = self.returned_in(address) {
            return self.leave_calls(i, true, last, sink);
        }
        if let Some(i) = self.landing(address, program) {
            return self.guess_landing(i, last, sink);
        }
        // A jump by means of a return: the dynamic linker of i386 enters functions that way. Or a
        // signal, which shows when its handler ends.
        if self.strayed.open != self.open.len() {
            self.strayed = Strayed { open: self.open.len(), to: address };
        }
        self.tail_call(last, address, program);
    }

    /// A jump by a register or memory went to an address.
    #[inline(never)]
    fn jumped(&mut self, rules: Rules, last: &Last, at: &Arrival, program: &mut Program, sink: &mut dyn Sink) {
        let address = at.address;
        if at.stack.is_some() && self.settle(rules, last, at, false, sink) {
            return;
        }
        let known = self.may_know(address);
        if known && at.stack.is_none() && !program.same_function(last.address, address) {
            if let Some(i) = self.expecting(address) {
                // Where calls push their return address, functions return with `ret`. A jump there
                // leaves several calls.
                self.oddities += u32::from(self.holds && i + 1 == self.open.len() && rules.isa.pushed() > 0);
                return self.leave_calls(i, false, last, sink);
            }
            if let Some(i) = self.returned_in(address) {
                return self.leave_calls(i, true, last, sink);
            }
        } else if known && self.open.last().is_some_and(|top| top.back == address && top.stack.is_none()) {
            // Back to the caller without a return: the callee's end was not recorded.
            return self.leave_calls(self.open.len() - 1, false, last, sink);
        }
        if at.stack.is_none()
            && let Some(i) = self.landing(address, program)
            && self.open.get(i).is_some_and(|call| call.back.abs_diff(address) < NEAR)
        {
            return self.guess_landing(i, last, sink);
        }
        self.tail_call(last, address, program);
    }

    /// Ends the calls that have ended according to the stack pointer. Returns false if it does not
    /// decide; then addresses must.
    ///
    /// `returns`: the last instruction was a return. On machines that keep the return address in a
    /// register, a call that allocated no stack has ended when the stack pointer equals that at its
    /// entry.
    #[inline(never)]
    fn settle(&mut self, rules: Rules, last: &Last, at: &Arrival, returns: bool, sink: &mut dyn Sink) -> bool {
        let Some(now) = at.stack else { return false };
        if self.highest != 0 && now > self.highest.saturating_add(OTHER_STACK) {
            return false;
        }
        let by_register = rules.isa.pushed() == 0;
        let jumps = matches!(last.flow, Flow::Jump { .. } | Flow::Return { .. });
        let mut over = self.open.len();
        let mut left = None;
        for (i, open) in self.open.iter().enumerate().rev() {
            let Some(entered) = open.stack else {
                // Unknown: it ends with the call below it.
                continue;
            };
            let is_over = match &open.handler {
                // Above it on the stack lie the kernel's frame and then the interrupted code's.
                Some(_) => now > entered.saturating_add(SIGNAL_FRAME),
                // Equal also counts if the call had allocated stack for a callee that is left as
                // well: then only its caller has this stack pointer.
                _ if by_register => {
                    let has_room = jumps && left.is_some_and(|left| left < entered);
                    now > entered || (now == entered && (has_room || (returns && open.back == at.address)))
                }
                _ => now > entered,
            };
            if !is_over {
                break;
            }
            (over, left) = (i, Some(entered));
        }
        if over == self.open.len() {
            // A return that ends nothing went by a register, or was interrupted immediately after
            // it.
            return !by_register
                && self.open.last().is_some_and(|top| top.stack.is_some())
                && !self.is_below(last, now);
        }
        self.close(over, last.after, (0, 0), sink);
        true
    }

    /// Whether something was pushed since the last instruction: the stack pointer is lower than it
    /// left it.
    fn is_below(&self, last: &Last, now: u64) -> bool {
        last.stack.is_some_and(|left| now < left)
    }

    /// Whether an interrupt came immediately after a return, according to the stack pointer.
    fn is_interrupted(&self, rules: Rules, last: &Last, at: &Arrival) -> bool {
        rules.isa.pushed() > 0 && at.stack.is_some_and(|now| self.is_below(last, now))
    }

    /// Whether the stack pointer is consistent with the innermost call having ended, and only that
    /// call.
    #[inline]
    fn agrees(&self, rules: Rules, now: Option<u64>) -> bool {
        let Some(now) = now else { return true };
        let over =
            |open: &Open| open.stack.map(|entered| if rules.isa.pushed() > 0 { now > entered } else { now >= entered });
        let (caller, top) = match self.open.as_slice() {
            [.., caller, top] => (Some(caller), top),
            [top] => (None, top),
            [] => return true,
        };
        over(top) != Some(false)
            && !caller.is_some_and(|caller| caller.is_call() && caller.stack.is_some_and(|s| now > s))
    }

    /// Records the target of a jump into another function as the beginning of a function.
    fn tail_call(&mut self, last: &Last, address: u64, program: &mut Program) {
        if !program.same_function(last.address, address) {
            program.functions.insert(address);
        }
    }

    /// Ends open calls from `i` on according to the address. The ends of the calls above `i` are
    /// inferred. So is that of `i` itself if execution continued in its caller at another address
    /// than its return address (`elsewhere`).
    #[inline(never)]
    fn leave_calls(&mut self, i: usize, elsewhere: bool, last: &Last, sink: &mut dyn Sink) {
        let left = self.open.len().saturating_sub(i);
        if left > usize::from(!elsewhere) {
            self.note(Note::LeftByJump(left as u64), last.locator, sink);
        }
        self.unwind(i, (if elsewhere { END_INFERRED } else { 0 }, END_INFERRED), last, sink);
    }

    /// Ends open calls from `i` on and flags the guess.
    #[inline(never)]
    fn guess_landing(&mut self, i: usize, last: &Last, sink: &mut dyn Sink) {
        self.note(Note::LandingGuessed(self.open.len().saturating_sub(i) as u64), last.locator, sink);
        self.unwind(i, (END_INFERRED | UNCERTAIN, END_INFERRED | UNCERTAIN), last, sink);
    }

    /// Ends open calls from `i` on that a jump left. They ended when the stack pointer was set.
    #[inline(never)]
    fn unwind(&mut self, i: usize, (own, above): (u8, u8), last: &Last, sink: &mut dyn Sink) {
        if let Some((set, popped)) = last.unwound {
            self.close(i + 1, set, (above, above), sink);
            let returns = matches!(last.flow, Flow::Return { .. });
            return self.close(i, if returns { last.after } else { popped }, (own, above), sink);
        }
        self.close(i, last.after, (own, above), sink);
    }

    /// The outermost code returns to a caller whose call is not in the trace.
    #[inline(never)]
    fn uncover(&mut self, rules: Rules, last: &Last, at: &Arrival, program: &mut Program, sink: &mut dyn Sink) {
        if !self.open.is_empty() {
            return;
        }
        let Some((name, began)) = self.outermost.take() else { return };
        self.tell(Held::End { name, began, time: last.after, flags: 0 }, sink);
        self.note(Note::CallerUncovered(last.address), last.locator, sink);
        self.uncovered += 1;
        // If one stack stands for a whole system, another thread may be what continues. It did not
        // call the earlier code.
        let below = rules.infers_handlers && self.uncovered <= UNCOVERED;
        self.begin_outermost(at, below, program, sink);
    }

    #[inline(never)]
    fn begin_outermost(&mut self, at: &Arrival, below: bool, program: &mut Program, sink: &mut dyn Sink) {
        program.functions.insert(at.address);
        let (name, _) = sink.name(Entered::new(SliceKind::Call, at.address));
        self.outermost = Some((name, at.locator));
        self.tell(Held::Outermost { name, below, time: at.time, locator: at.locator }, sink);
    }

    #[inline(never)]
    fn begin(
        &mut self,
        entered: Entered,
        [back, other, again]: [u64; 3],
        time: u64,
        (began, stack): (Locator, Option<u64>),
        program: &mut Program,
        sink: &mut dyn Sink,
    ) {
        let mut name = 0;
        if self.open.len() < SHOWN {
            let is_new;
            (name, is_new) = sink.name(entered);
            let flags = if entered.guessed { UNCERTAIN } else { 0 };
            self.tell(Held::Begin { name, time, locator: began, flags }, sink);
            if is_new && entered.kind == SliceKind::Call {
                program.functions.insert(entered.address);
            }
        } else if !self.told_depth {
            self.told_depth = true;
            self.note(Note::TooDeep, began, sink);
        }
        // Bounds memory for calls that never return, such as those of threads that are switched
        // away.
        if self.open.len() >= FOLLOWED {
            self.forget(SHOWN..FOLLOWED / 2);
        }
        self.handlers += usize::from(entered.kind != SliceKind::Call);
        self.count(back, true);
        let handler = Handler { kind: entered.kind, other, again, pending: None, waiting: Waiting::default() };
        let open = Open {
            back,
            address: entered.address,
            began,
            stack,
            handler: (entered.kind != SliceKind::Call).then(|| Box::new(handler)),
            name,
            returned: u32::try_from(self.returned.len()).unwrap_or(u32::MAX),
            mode: self.mode,
        };
        self.limit = stack.filter(|_| open.is_call()).unwrap_or(u64::MAX);
        self.open.push(open);
    }

    /// Ends open calls and handlers from `i` on. `own` are the flags of `i`, `above` those of all
    /// above it.
    #[inline]
    fn close(&mut self, i: usize, time: u64, (own, above): (u8, u8), sink: &mut dyn Sink) {
        if i >= self.open.len() {
            return;
        }
        while self.open.len() > i + 1 {
            self.pop(time, above, sink);
        }
        self.pop(time, own, sink);
        let top = self.open.last();
        self.limit = top.filter(|top| top.is_call()).and_then(|top| top.stack).unwrap_or(u64::MAX);
    }

    /// Ends the innermost call or handler.
    #[inline(never)]
    fn pop(&mut self, time: u64, flags: u8, sink: &mut dyn Sink) {
        let Some(open) = self.open.pop() else { return };
        if self.strayed.open > self.open.len() {
            self.strayed = Strayed::default();
        }
        self.count(open.back, false);
        if self.open.len() < SHOWN {
            self.tell(Held::End { name: open.name, began: open.began, time, flags }, sink);
        }
        self.mode = open.mode;
        while self.returned.len() > open.returned as usize
            && let Some(address) = self.returned.pop()
        {
            self.count(address, false);
        }
        if open.is_call() {
            self.keep(open.back);
        } else {
            self.handlers -= 1;
        }
    }

    #[inline]
    fn tell(&mut self, event: Held, sink: &mut dyn Sink) {
        if self.holds {
            self.held.push(event);
        } else {
            event.tell(sink);
        }
    }

    fn note(&mut self, note: Note, locator: Locator, sink: &mut dyn Sink) {
        self.tell(Held::Note { note, locator }, sink);
    }

    /// Adds copies of this hypothesis to `copies`, one for each further call that the last
    /// instruction may have left. `spare` are hypotheses whose memory can be used.
    #[inline(never)]
    pub(super) fn fork(&mut self, last: &Last, at: &Arrival, spare: &mut Vec<Self>, copies: &mut Vec<Self>) {
        let choices = self.choices(last, at);
        if choices < 2 {
            return;
        }
        if !self.held.is_empty() {
            let (events, count) = (take(&mut self.held), self.held());
            self.common = Some(Rc::new(Common { count: count + events.len(), events, before: self.common.take() }));
        }
        for choice in 1..choices.min(CHOICES) {
            let mut copy = spare.pop().unwrap_or_default();
            copy.become_copy_of(self);
            copy.choice = choice;
            copies.push(copy);
        }
    }

    /// Becomes a copy that holds no events of its own. Most copies are soon dropped; they do
    /// without a filter.
    fn become_copy_of(&mut self, of: &Self) {
        self.open.clone_from(&of.open);
        self.returned.clone_from(&of.returned);
        self.held.clear();
        let (open, returned, held) = (take(&mut self.open), take(&mut self.returned), take(&mut self.held));
        *self = Self { open, returned, held, filter: None, common: of.common.clone(), ..*of };
    }

    /// Whether the same calls are open as in `other`.
    #[inline(never)]
    pub(super) fn has_calls_of(&self, other: &Self) -> bool {
        let same = |(a, b): (&Open, &Open)| a.began == b.began && a.address == b.address;
        self.open.len() == other.open.len() && self.open.iter().zip(&other.open).rev().all(same)
    }

    /// Holds events back from now on.
    pub(super) fn hold(&mut self) {
        self.holds = true;
    }

    /// How unlikely this hypothesis is, to be compared in order: surprising returns, then jumps in
    /// place of returns, both since events are held back.
    pub(super) fn unlikelihood(&self) -> (u32, u32) {
        (self.surprises, self.oddities)
    }

    /// Number of events held back.
    pub(super) fn held(&self) -> usize {
        self.held.len() + self.common.as_ref().map_or(0, |common| common.count)
    }

    /// Gives its filter away.
    pub(super) fn take_filter(&mut self) -> Option<Filter> {
        self.filter.take()
    }

    /// Delivers the events held back: this hypothesis is right. `filter`: one whose memory can be
    /// used if it has none.
    #[inline(never)]
    pub(super) fn release(&mut self, filter: Option<Filter>, sink: &mut dyn Sink) {
        if self.filter.is_none() {
            let filter = filter.map_or_else(new_filter, |mut filter| {
                filter.fill(0);
                filter
            });
            self.filter = Some(filter);
            for i in 0..self.open.len() {
                self.count(self.open.get(i).map_or(0, |open| open.back), true);
            }
            for i in 0..self.returned.len() {
                self.count(self.returned.get(i).copied().unwrap_or(0), true);
            }
        }
        self.holds = false;
        (self.surprises, self.oddities) = (0, 0);
        let mut common = Vec::new();
        let mut next = self.common.take();
        while let Some(events) = next {
            next = events.before.clone();
            common.push(events);
        }
        common.iter().rev().flat_map(|common| &common.events).for_each(|event| event.tell(sink));
        self.held.drain(..).for_each(|event| event.tell(sink));
    }

    /// Keeps a return address to which a call made by the innermost open call returned.
    #[inline(never)]
    fn keep(&mut self, address: u64) {
        let from = self.open.last().map_or(0, |top| top.returned as usize);
        let kept = self.returned.get(from..).unwrap_or_default();
        if kept.last() == Some(&address) || kept.len() >= KEPT || (self.may_know(address) && kept.contains(&address)) {
            return;
        }
        self.returned.push(address);
        self.count(address, true);
    }

    /// Whether `address` may be the return address of an open or ended call. False positives are
    /// possible.
    #[inline]
    fn may_know(&self, address: u64) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.get(place(address)).is_some_and(|n| *n > 0))
    }

    #[inline]
    fn count(&mut self, address: u64, more: bool) {
        if let Some(count) = self.filter.as_mut().and_then(|filter| filter.get_mut(place(address))) {
            *count = if more { count.saturating_add(1) } else { count.saturating_sub(1) };
        }
    }

    /// Drops open calls that are not shown.
    #[cold]
    fn forget(&mut self, range: core::ops::Range<usize>) {
        let forgotten: Vec<Open> = self.open.drain(range).collect();
        for open in forgotten {
            self.count(open.back, false);
            self.handlers -= usize::from(!open.is_call());
        }
    }
}

/// The addresses at which execution may continue: the target, the following instruction, and the
/// instruction itself if it repeats or was interrupted.
fn expected(last: &Last) -> [u64; 3] {
    match last.flow {
        Flow::Branch { to, maybe: false, .. } => [to, to, last.address],
        Flow::Branch { to, slot, .. } => [to, if slot { last.next.wrapping_add(4) } else { last.next }, last.address],
        Flow::Call { to, back, .. } => [to.unwrap_or(back), back, last.address],
        _ => [last.next, last.next, last.address],
    }
}
