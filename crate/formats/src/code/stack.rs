//! A call stack, rebuilt from where instructions go and where execution went.
//!
//! A trace of instructions tells neither calls nor returns, only which instruction was executed after which. Each call is
//! remembered with the address that it returns to, and with the stack pointer where operands tell it:
//!
//! ```text
//!   call f      ── f expects a return to A ──┐
//!   A: …                                     │
//!   f: call g   ── g expects B               │
//!   B: …                                     │
//!   g: jmp h    (a tail call: nothing)       │
//!   h: ret      goes on at B: g ends         │
//!      longjmp  goes on at A: f ends, and all above it
//! ```
//!
//! What ends a call, the surest first:
//!
//! 1. **The stack pointer.** After a return or a jump all calls are over whose return addresses lie below it. This is exact for
//!    `longjmp`, exceptions and whatever else unwinds.
//! 2. **The return address** of an open call, the innermost that has it.
//! 3. **A return address of before**: `longjmp` lands behind a call of `setjmp` that has returned, so the return addresses
//!    of calls that have ended are kept for as long as their caller is open.
//! 4. **The function** that the address lies in: a landing pad of a C++ exception lies in the function that was about to go
//!    on at another address. Functions are known by the addresses that were called. This is a guess, and flagged.
//!
//! An instruction that goes where it says nothing of was interrupted: what comes is a handler, until the interrupted
//! address, or the system call that returns from a signal, is reached.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::ops::Deref;

use super::flow::{Flow, Opening};
use super::isa::Isa;
use super::pointer::Move;
use super::state::State;
use crate::batch::SliceKind;
use crate::locator::Locator;

/// Deeper calls are followed but not shown: each depth costs the store a column.
pub(crate) const SHOWN: usize = 10_000;
/// Stacks that are followed until it is known which of them is right, and events that are kept back for that long.
const STACKS: usize = 64;
/// Calls that a jump may have left, out of recursion: the innermost of them.
pub(super) const CHOICES: usize = 4;
const HELD: usize = 1 << 12;

/// What was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entered {
    pub(crate) kind: SliceKind,
    pub(crate) address: u64,
    /// Of the exception, where the trace tells it.
    pub(crate) number: Option<u64>,
    /// That it was entered is a guess.
    pub(crate) guessed: bool,
}

impl Entered {
    /// Something that was certainly entered, and has no number.
    pub(crate) fn new(kind: SliceKind, address: u64) -> Self {
        Self { kind, address, number: None, guessed: false }
    }
}

/// What a guess is about, or what is notable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// A jump left this many calls that did not return.
    LeftByJump(u64),
    /// This many calls are taken to have been left by an exception that was caught at an address that nothing confirms.
    LandingGuessed(u64),
    /// A handler at this address is taken to have begun right after a return.
    HandlerGuessed(u64),
    /// Code at this address returned to a caller that is not in the trace.
    CallerUncovered(u64),
    /// Calls go deeper than is shown.
    TooDeep,
    /// Execution goes on elsewhere, here at this address, too often to tell handlers from gaps; from here on none is shown.
    Gaps(u64),
}

/// Receives the events of a stack. Names are the numbers that [`Sink::name`] returns.
pub(crate) trait Sink {
    /// Returns the number of the name of what is entered, and whether that is new.
    fn name(&mut self, entered: Entered) -> (u32, bool);
    /// A slice begins, with these flags.
    fn begin(&mut self, name: u32, time: u64, locator: Locator, flags: u8);
    /// The slice of the code that nobody is known to have called begins, or where `below` comes to light below all that is
    /// there.
    fn outermost(&mut self, name: u32, below: bool, time: u64, locator: Locator);
    /// The slice that began with this name and locator ends; `flags` are added to it.
    fn end(&mut self, name: u32, began: Locator, time: u64, flags: u8);
    /// Something happens on the thread.
    fn point(&mut self, name: u32, time: u64, locator: Locator);
    /// Something is to be said of the place at `locator`.
    fn note(&mut self, note: Note, locator: Locator);
}

/// What is known of the program beside its stacks, by all of its threads.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// Where functions begin, as far as they were called.
    pub(super) functions: BTreeSet<u64>,
    /// Where handlers begin that have returned from a signal.
    pub(super) handlers: Vec<u64>,
}

impl Program {
    /// Where the function begins that an address lies in.
    pub(super) fn function_of(&self, address: u64) -> Option<u64> {
        self.functions.range(..=address).next_back().copied()
    }

    pub(super) fn same_function(&self, a: u64, b: u64) -> bool {
        self.function_of(a).is_some_and(|f| self.function_of(b) == Some(f))
    }
}

/// An instruction that execution has come to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) address: u64,
    /// The stack pointer before it, if known.
    pub(crate) stack: Option<u64>,
    /// What it does with a return address, if it is the first of a callee.
    pub(crate) opening: Opening,
    /// Its number, and where its record lies.
    pub(crate) time: u64,
    pub(crate) locator: Locator,
}

/// Where the last instruction of a stretch goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub(crate) flow: Flow,
    pub(crate) address: u64,
    /// The address behind it.
    pub(crate) next: u64,
    /// When it is over, and where its record lies.
    pub(crate) after: u64,
    pub(crate) locator: Locator,
    /// The stack pointer after it, where that is known.
    pub(crate) stack: Option<u64>,
    /// What it does to the stack pointer.
    pub(crate) moves: Move,
}

/// The last instruction, with what else is known when execution goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Last {
    pub(super) departure: Departure,
    /// The number of the system call at hand, where the trace tells it.
    pub(super) system_call: Option<u64>,
    pub(super) raised: Option<Raised>,
    /// When the stack pointer was set, and when a word was taken off the stack after that, since the last call or return.
    pub(super) unwound: Option<(u64, u64)>,
}

impl Deref for Last {
    type Target = Departure;

    fn deref(&self) -> &Departure {
        &self.departure
    }
}

/// An exception that the trace tells, before the first instruction of its handler.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raised {
    pub(super) number: Option<u64>,
    pub(super) from: Option<u64>,
    pub(super) to: Option<u64>,
}

/// How calls are told from the rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) isa: Isa,
    /// Every instruction is in the trace, and nothing else tells where a handler begins.
    pub(crate) infers_handlers: bool,
}

/// The call stack of one thread, or of a whole system that does not tell threads apart.
///
/// A jump out of recursion may have left any of several calls: all that return to where it went. Each is then followed as a
/// stack of its own, until returns have shown which one is right. Events wait for that long.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    likeliest: State,
    others: Vec<State>,
    last: Option<Departure>,
    /// The delay slot that is executed before the last instruction goes elsewhere.
    slot: Option<u64>,
    raised: Option<Raised>,
    system_call: Option<u64>,
    unwound: Option<(u64, u64)>,
}

impl Stack {
    /// Whether execution continues at this address as the last instruction says, and the stack stays as it is.
    #[inline]
    pub(crate) fn goes_on(&self, address: u64) -> bool {
        let Some(last) = &self.last else { return false };
        let told = match last.flow {
            Flow::Next => last.next == address,
            Flow::Branch { to, maybe, slot: false } => to == address || (maybe && last.next == address),
            _ => false,
        };
        told && self.raised.is_none() && !self.likeliest.has_trick() && !self.others.iter().any(State::has_trick)
    }

    /// Whether the address is that of the delay slot that is to come; it comes but once.
    #[inline]
    pub(crate) fn enters_slot(&mut self, address: u64) -> bool {
        if self.slot.is_none() {
            return false;
        }
        let enters = self.slot.take() == Some(address);
        if let (true, Some(last)) = (enters, &mut self.last) {
            last.after = last.after.saturating_add(1);
        }
        enters
    }

    /// What the machine's decoder wants to know again when a call is over.
    #[inline]
    pub(crate) fn mode(&mut self) -> &mut u8 {
        &mut self.likeliest.mode
    }

    /// Something happens on the thread at a time that is not part of the stack.
    pub(crate) fn point(&mut self, name: u32, time: u64, locator: Locator, sink: &mut dyn Sink) {
        self.each(|state| state.point(name, time, locator, sink));
    }

    /// Execution comes to an instruction.
    pub(crate) fn arrive(&mut self, rules: Rules, at: Arrival, program: &mut Program, sink: &mut dyn Sink) {
        let last = self.take_last();
        if let Some(last) = last.as_ref().filter(|last| self.others.is_empty() && last.raised.is_none())
            && self.likeliest.returns(rules, last, &at, sink)
        {
            return;
        }
        self.decide(last, &at, sink, |state, last, sink| state.arrive(rules, last, &at, program, sink));
    }

    /// The trace tells an interrupt; what was interrupted goes on at `at.address`.
    pub(crate) fn interrupt(&mut self, rules: Rules, at: Arrival, program: &mut Program, sink: &mut dyn Sink) {
        let last = self.take_last();
        self.decide(last, &at, sink, |state, last, sink| state.interrupt(rules, last, &at, program, sink));
    }

    /// Whether the next instruction may be the first of a callee.
    #[inline]
    pub(crate) fn calls(&self) -> bool {
        self.last.as_ref().is_some_and(|last| matches!(last.flow, Flow::Call { .. }))
    }

    /// Whether the stack pointer has been set since the last call or return.
    #[inline]
    pub(crate) fn is_unwinding(&self) -> bool {
        self.unwound.is_some()
    }

    /// An instruction has been executed; the next one tells where it went.
    #[inline]
    pub(crate) fn leave(&mut self, departure: Departure) {
        let slot = match departure.flow {
            Flow::Next | Flow::Unknown | Flow::SystemCall | Flow::SystemReturn => false,
            Flow::Branch { slot, .. } | Flow::Call { slot, .. } | Flow::Return { slot, .. } | Flow::Jump { slot } => {
                slot
            }
        };
        self.slot = slot.then_some(departure.next);
        match (departure.moves, &mut self.unwound) {
            (Move::None, _) | (Move::Pop, None) => {}
            (Move::Set, unwound) => *unwound = Some((departure.after, departure.after)),
            (Move::Pop, Some((_, popped))) => *popped = departure.after,
        }
        self.last = Some(departure);
    }

    /// The trace tells an exception: `from` is the interrupted address, `to` that of its handler.
    pub(crate) fn except(&mut self, number: Option<u64>, from: Option<u64>, to: Option<u64>) {
        self.raised = Some(Raised { number, from, to: to.filter(|to| *to != 0) });
    }

    /// The trace tells the number of the system call at hand.
    pub(crate) fn system_call(&mut self, number: u64) {
        self.system_call = Some(number);
    }

    /// The last instruction, with all that is known of it by now.
    fn take_last(&mut self) -> Option<Last> {
        let (system_call, raised) = (self.system_call.take(), self.raised.take());
        let departure = self.last.take()?;
        let unwound = match departure.flow {
            Flow::Next | Flow::Branch { .. } => self.unwound,
            _ => self.unwound.take(),
        };
        Some(Last { departure, system_call, raised, unwound })
    }

    /// Has every stack do something. A return or jump decides between stacks, or makes more of them; nothing else does.
    fn decide(
        &mut self,
        last: Option<Last>,
        at: &Arrival,
        sink: &mut dyn Sink,
        mut act: impl FnMut(&mut State, Option<&Last>, &mut dyn Sink),
    ) {
        let decides = last.as_ref().filter(|last| matches!(last.flow, Flow::Return { .. } | Flow::Jump { .. }));
        if let Some(last) = decides {
            self.fork(last, at);
        }
        self.each(|state| act(state, last.as_ref(), sink));
        if decides.is_some() || self.likeliest.held() >= HELD {
            self.prune(sink);
        }
    }

    /// There is no more of the trace for now: nothing decides any more which stack is right.
    pub(crate) fn settle(&mut self, sink: &mut dyn Sink) {
        self.others.clear();
        self.likeliest.release(sink);
    }

    /// The trace is over: what returned last did so from the innermost call.
    pub(crate) fn finish(&mut self, sink: &mut dyn Sink) {
        self.settle(sink);
        let last = self.take_last();
        self.likeliest.finish(last.as_ref(), sink);
    }

    #[inline]
    fn each(&mut self, mut act: impl FnMut(&mut State)) {
        act(&mut self.likeliest);
        self.others.iter_mut().for_each(act);
    }

    /// Follows every stack that there may be from here on.
    fn fork(&mut self, last: &Last, at: &Arrival) {
        let mut more = Vec::new();
        for state in core::iter::once(&mut self.likeliest).chain(&mut self.others) {
            more.append(&mut state.fork(last, at));
        }
        if !more.is_empty() {
            // Those that agree with the innermost choice come first: they are the likelier.
            self.others.append(&mut more);
            self.others.truncate(STACKS - 1);
            self.each(State::hold);
        }
    }

    /// Gives up the stacks that returns have shown to be wrong.
    fn prune(&mut self, sink: &mut dyn Sink) {
        if self.others.is_empty() {
            return;
        }
        let likeliest = self.others.iter().map(State::unlikelihood).min();
        if likeliest.is_some_and(|least| least < self.likeliest.unlikelihood())
            && let Some(first) = self.others.iter_mut().find(|other| Some(other.unlikelihood()) == likeliest)
        {
            core::mem::swap(first, &mut self.likeliest);
        }
        let (least, _) = self.likeliest.unlikelihood();
        self.others.retain(|other| other.unlikelihood().0 <= least);
        // Of those that have come to the same calls the likelier stands for both.
        let mut i = 0;
        while let Some(other) = self.others.get(i) {
            let rest = self
                .others
                .iter()
                .enumerate()
                .filter(|(j, likelier)| (likelier.unlikelihood(), *j) < (other.unlikelihood(), i));
            let mut likelier = core::iter::once(&self.likeliest).chain(rest.map(|(_, likelier)| likelier));
            if likelier.any(|likelier| likelier.has_calls_of(other)) {
                self.others.remove(i);
            } else {
                i += 1;
            }
        }
        if self.others.is_empty() || self.likeliest.held() >= HELD {
            self.settle(sink);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;
    use std::collections::HashMap;

    use super::super::state::SEARCHED;
    use super::*;

    /// Writes down what becomes of a stack: `+name@time`, `-name@time:flags`, `!name@time`, `^name` for the outermost code.
    #[derive(Default)]
    struct Script {
        names: HashMap<u64, u32>,
        told: Vec<String>,
        notes: Vec<Note>,
    }

    impl Sink for Script {
        fn name(&mut self, entered: Entered) -> (u32, bool) {
            let number = entered.address as u32;
            (number, self.names.insert(entered.address, number).is_none())
        }

        fn begin(&mut self, name: u32, time: u64, _locator: Locator, flags: u8) {
            let mark = if flags == 0 { "" } else { "?" };
            self.told.push(format!("+{name:x}@{time}{mark}"));
        }

        fn outermost(&mut self, name: u32, below: bool, time: u64, _locator: Locator) {
            self.told.push(format!("{}{name:x}@{time}", if below { "_" } else { "^" }));
        }

        fn end(&mut self, name: u32, _began: Locator, time: u64, flags: u8) {
            self.told.push(format!("-{name:x}@{time}:{flags}"));
        }

        fn point(&mut self, name: u32, time: u64, _locator: Locator) {
            self.told.push(format!("!{name:x}@{time}"));
        }

        fn note(&mut self, note: Note, _locator: Locator) {
            self.notes.push(note);
        }
    }

    struct Play {
        stack: Stack,
        program: Program,
        script: Script,
        rules: Rules,
        time: u64,
    }

    impl Play {
        fn new(infers_handlers: bool) -> Self {
            let rules = Rules { isa: Isa::X86(64), infers_handlers };
            Self { stack: Stack::default(), program: Program::default(), script: Script::default(), rules, time: 0 }
        }

        fn arrival(&self, address: u64) -> Arrival {
            Arrival {
                address,
                stack: None,
                opening: Opening::Usual,
                time: self.time,
                locator: Locator::at(1000 + self.time),
            }
        }

        /// Plays instructions of one byte: `c` calls, `r` returns, `j` jumps, `n` goes on, `u` goes anywhere; `!` interrupts
        /// before it.
        fn run(&mut self, text: &str) -> &mut Self {
            for word in text.split_whitespace() {
                let (address, what) = word.split_at(word.len() - 1);
                let address = u64::from_str_radix(address, 16).unwrap();
                if what == "!" {
                    self.stack.interrupt(self.rules, self.arrival(address), &mut self.program, &mut self.script);
                    continue;
                }
                let next = address + 1;
                let flow = match what {
                    "c" => Flow::Call { to: None, back: next, slot: false },
                    "r" => Flow::Return { maybe: false, slot: false },
                    "j" => Flow::Jump { slot: false },
                    "u" => Flow::Unknown,
                    _ => Flow::Next,
                };
                if !self.stack.goes_on(address) {
                    self.stack.arrive(self.rules, self.arrival(address), &mut self.program, &mut self.script);
                }
                let (after, locator) = (self.time + 1, Locator::at(1000 + self.time));
                self.stack.leave(Departure { flow, address, next, after, locator, stack: None, moves: Move::None });
                self.time += 1;
            }
            self
        }

        fn told(&mut self) -> String {
            self.stack.finish(&mut self.script);
            core::mem::take(&mut self.script.told).join(" ")
        }
    }

    /// 20 calls itself three times at 25. A jump to 26 has left one, two or three of the calls; the returns that follow tell.
    #[test]
    fn returns_decide_what_a_jump_out_of_recursion_has_left() {
        let before = "10c 20u 25c 20u 25c 20u 25c 20u 28c 60n";
        let recursion = "^10@0 +20@1 +20@3 +20@5 +20@7 +60@9";
        // It left 60, and the three inner calls: 26 is in the outermost call of 20, which returns to 11.
        let told = Play::new(true).run(before).run("61j 26n 27r 11n").told();
        assert_eq!(told, format!("{recursion} -60@11:4 -20@11:4 -20@11:4 -20@11:0 -20@13:0"));
        // One call more returns to 26 after it.
        let told = Play::new(true).run(before).run("61j 26n 27r 26n 27r 11n").told();
        assert_eq!(told, format!("{recursion} -60@11:4 -20@11:4 -20@11:0 -20@13:0 -20@15:0"));
    }

    /// Copies of a stack that is very deep would take gigabytes.
    #[test]
    fn a_deep_stack_is_followed_alone() {
        let mut play = Play::new(true);
        play.run("10c");
        for _ in 0..SEARCHED {
            play.run("20u 25c");
        }
        play.run("20u 28c 60n 61j 26n");
        assert!(play.stack.others.is_empty());
        play.run("20u");
        assert!(play.told().contains("-60"), "what the jump left is told at once");
    }

    #[test]
    fn a_handler_that_is_a_guess_is_flagged() {
        let mut play = Play::new(true);
        play.program.handlers.push(0x80);
        assert_eq!(play.run("10c 20r 80n").told(), "^10@0 +20@1 -20@2:0 +80@2?");
        assert_eq!(play.script.notes, [Note::HandlerGuessed(0x80)]);
    }

    #[test]
    fn events_wait_until_it_is_decided_and_keep_their_order() {
        let mut play = Play::new(true);
        play.run("10c 20u 25c 20u 25c 20u 28c 60n 61j 26u 30c 40n");
        let held = play.script.told.len();
        play.stack.point(7, play.time, Locator::default(), &mut play.script);
        assert_eq!(play.script.told.len(), held, "nothing is decided yet");
        play.run("41r 31u 27r 11n");
        let told = play.told();
        assert!(told.ends_with("+40@11 !7@12 -40@13:0 -20@15:0"), "{told}");
    }

    #[test]
    fn what_nothing_decides_is_the_innermost_at_the_end() {
        let told = Play::new(true).run("10c 20u 25c 20u 25c 20u 28c 60n 61j 26n").told();
        assert!(told.contains("-60@9:4 -20@9:0"), "{told}");
    }

    #[test]
    fn interrupts_nest_and_come_between_a_call_and_its_callee() {
        assert_eq!(Play::new(false).run("10n 12! 80c 90r 81n 12n").told(), "^10@0 +12@1 +90@2 -90@3:0 -12@4:0");
        assert_eq!(Play::new(false).run("10c 20! 80n 20r 11n").told(), "^10@0 +20@1 +20@1 -20@2:0 -20@3:0");
        // The address behind the call: the callee was not executed.
        assert_eq!(Play::new(false).run("10c 11! 80n 11n").told(), "^10@0 +11@1 -11@2:0");
        // What the return was about to do it has done.
        assert_eq!(Play::new(false).run("10c 20r 11! 80n 11n").told(), "^10@0 +20@1 -20@2:0 +11@2 -11@3:0");
    }

    #[test]
    fn code_that_returns_further_than_is_known_was_called_before() {
        assert_eq!(Play::new(true).run("10r 50c 60r 51n").told(), "^10@0 -10@1:0 _50@1 +60@2 -60@3:0");
        // On one stack for many threads nobody knows who called whom.
        assert_eq!(Play::new(false).run("10r 50c 60r 51n").told(), "^10@0 -10@1:0 ^50@1 +60@2 -60@3:0");
    }

    #[test]
    fn a_trace_with_gaps_has_no_handlers() {
        let mut play = Play::new(true);
        for i in 0..200 {
            play.run(&format!("{:x}n", 0x1000 + i * 0x100));
        }
        assert_eq!(play.script.notes, [Note::Gaps(0x1000 + 65 * 0x100)]);
        let told = play.told();
        assert_eq!(told.matches('+').count(), 64);
        assert_eq!(told.matches(":12").count(), 64, "all of them are ended, as guesses");
    }
}
