//! A call stack, rebuilt from executed instructions.
//!
//! An instruction trace records neither calls nor returns, only the order of execution. Each call
//! is kept with its return address, and with the stack pointer if operands are recorded:
//!
//! ```text
//!   call f      ── f expects a return to A ──┐
//!   A: …                                     │
//!   f: call g   ── g expects B               │
//!   B: …                                     │
//!   g: jmp h    (tail call: no change)       │
//!   h: ret      continues at B: g ends       │
//!      longjmp  continues at A: f ends, and every call above it
//! ```
//!
//! Evidence that a call has ended, most reliable first:
//!
//! 1. **The stack pointer.** After a return or a jump, every call whose return address lies below
//!    the stack pointer has ended. This is exact for `longjmp`, exceptions and any other unwinding.
//! 2. **The return address** of an open call. If several calls have it, the innermost.
//! 3. **An earlier return address.** `longjmp` lands after a call of `setjmp` that has already
//!    returned. The return addresses of ended calls are therefore kept while their caller is open.
//! 4. **The function** that contains the address. A C++ landing pad lies in the function that would
//!    have continued at another address. Functions are known by the addresses that were called.
//!    This is a guess, and flagged as one.
//!
//! If execution continues at an address that the instruction does not name, the instruction was
//! interrupted. A handler begins. It ends at the interrupted address, or with the system call that
//! returns from a signal.

use alloc::vec::Vec;

use unspool_trace::kept;
use unspool_trace::locator::Locator;

use super::execution::{Arrival, Departure, Last, Program, Raised, Rules, Sink, Waiting};
use super::flow::Flow;
use super::pointer::Move;
use super::state::State;

/// Maximum number of hypotheses followed at once.
const STACKS: usize = 64;
/// Maximum number of dropped hypotheses that are kept for their memory.
const SPARE: usize = 8;
/// Maximum number of events held back while there are several hypotheses.
const HELD: usize = 1 << 12;

/// The call stack of one thread, or of a whole system whose threads cannot be told apart.
///
/// A jump out of recursion may have left any of the calls that return to its target. Each
/// possibility is followed as a `State` of its own until returns show which one is right. Events
/// are held back meanwhile.
#[derive(Debug, Default)]
pub struct Stack {
    likeliest: State,
    others: Vec<State>,
    /// Hypotheses that were dropped. The next ones use their memory: code that jumps out of
    /// recursion does so again and again.
    spare: Vec<State>,
    last: Option<Departure>,
    /// Address of the delay slot that executes before the last instruction takes effect.
    slot: Option<u64>,
    raised: Option<Raised>,
    system_call: Option<u64>,
    unwound: Option<(u64, u64)>,
}

impl Stack {
    /// Bytes of memory. Visits each hypothesis.
    pub fn bytes(&self) -> u64 {
        let states = self.others.iter().chain(&self.spare).chain([&self.likeliest]);
        let lists = kept::list(&self.others) + kept::list(&self.spare) + self.likeliest.common_bytes();
        states.map(State::bytes).sum::<u64>() + lists
    }

    /// Whether execution continues at `address` as the last instruction says, without a change of
    /// the stack.
    #[inline]
    pub fn goes_on(&self, address: u64) -> bool {
        let Some(last) = &self.last else { return false };
        let told = match last.flow {
            Flow::Next => last.next == address,
            Flow::Branch { to, maybe, slot: false } => to == address || (maybe && last.next == address),
            _ => false,
        };
        told && self.is_plain()
    }

    /// Whether the stack stays as it is until execution continues elsewhere than [`Stack::goes_on`]
    /// says. Holds until the next [`Stack::arrive`] or recorded exception.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.raised.is_none() && !self.likeliest.has_trick() && !self.others.iter().any(State::has_trick)
    }

    /// Whether `address` is the pending delay slot. Clears the pending slot either way.
    #[inline]
    pub fn enters_slot(&mut self, address: u64) -> bool {
        if self.slot.is_none() {
            return false;
        }
        let enters = self.slot.take() == Some(address);
        if let (true, Some(last)) = (enters, &mut self.last) {
            last.after = last.after.saturating_add(1);
        }
        enters
    }

    /// A byte for the caller's own use. When a call ends, it has the value that it had when the
    /// call began.
    #[inline]
    pub fn mode(&mut self) -> &mut u8 {
        &mut self.likeliest.mode
    }

    /// Adds an instant, which does not change the stack.
    pub fn point(&mut self, name: u32, time: u64, locator: Locator, sink: &mut dyn Sink) {
        self.each(|state| state.point(name, time, locator, sink));
    }

    /// Execution reaches an instruction.
    pub fn arrive(&mut self, rules: Rules, at: Arrival, program: &mut Program, sink: &mut dyn Sink) {
        let last = self.take_last();
        if let Some(last) = last.as_ref().filter(|last| self.others.is_empty() && last.raised.is_none())
            && self.likeliest.returns(rules, last, &at, sink)
        {
            return;
        }
        self.decide(last, &at, sink, |state, last, sink| state.arrive(rules, last, &at, program, sink));
    }

    /// An interrupt was recorded. The interrupted code continues at `at.address`.
    pub fn interrupt(&mut self, rules: Rules, at: Arrival, program: &mut Program, sink: &mut dyn Sink) {
        let last = self.take_last();
        self.decide(last, &at, sink, |state, last, sink| state.interrupt(rules, last, &at, program, sink));
    }

    /// Whether the next instruction may be the first of a callee.
    #[inline]
    pub fn calls(&self) -> bool {
        self.last.as_ref().is_some_and(|last| matches!(last.flow, Flow::Call { .. }))
    }

    /// Whether the stack pointer has been set since the last call or return.
    #[inline]
    pub fn is_unwinding(&self) -> bool {
        self.unwound.is_some()
    }

    /// An instruction was executed. The next [`Stack::arrive`] shows where it went.
    #[inline]
    pub fn leave(&mut self, departure: Departure) {
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

    /// An exception was recorded: `from` is the interrupted address, `to` the address of the
    /// handler (0 for unknown).
    pub fn except(&mut self, number: Option<u64>, from: Option<u64>, to: Option<u64>) {
        let known = |address: Option<u64>| address.filter(|address| *address != 0);
        let mut raised = Raised { number, from: known(from), to: known(to), waiting: Waiting::default() };
        if let Some(before) = self.raised.take() {
            // It interrupted the handler of the one before at its first instruction.
            (raised.from, raised.waiting) = (before.from, before.waiting);
            raised.waiting.push(before.number);
        }
        self.raised = Some(raised);
    }

    /// The number of the current system call was recorded.
    pub fn system_call(&mut self, number: u64) {
        self.system_call = Some(number);
    }

    /// Takes the last instruction, with everything known about it.
    fn take_last(&mut self) -> Option<Last> {
        let (system_call, raised) = (self.system_call.take(), self.raised.take());
        let departure = self.last.take()?;
        let unwound = match departure.flow {
            Flow::Next | Flow::Branch { .. } => self.unwound,
            _ => self.unwound.take(),
        };
        Some(Last { departure, system_call, raised, unwound })
    }

    /// Applies `act` to every hypothesis. A return or jump decides between hypotheses, or adds
    /// more; nothing else does.
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

    /// Keeps only the likeliest hypothesis and delivers its events: nothing more will decide
    /// between them.
    pub fn settle(&mut self, sink: &mut dyn Sink) {
        self.spare.append(&mut self.others);
        let filter = self.spare.iter_mut().find_map(State::take_filter);
        self.spare.truncate(SPARE);
        self.likeliest.release(filter, sink);
    }

    /// Ends the trace. If the last instruction was a return, it ends the innermost call.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        self.settle(sink);
        let last = self.take_last();
        self.likeliest.finish(last.as_ref(), sink);
    }

    #[inline]
    fn each(&mut self, mut act: impl FnMut(&mut State)) {
        act(&mut self.likeliest);
        self.others.iter_mut().for_each(act);
    }

    /// Adds a hypothesis for each call that the last instruction may have left.
    fn fork(&mut self, last: &Last, at: &Arrival) {
        let mut more = Vec::new();
        for state in core::iter::once(&mut self.likeliest).chain(&mut self.others) {
            state.fork(last, at, &mut self.spare, &mut more);
        }
        if !more.is_empty() {
            // Innermost choices come first: they are likelier.
            self.others.append(&mut more);
            let beyond = (STACKS - 1).min(self.others.len());
            self.spare.extend(self.others.drain(beyond..));
            self.each(State::hold);
        }
    }

    /// Drops the hypotheses that returns have shown to be wrong.
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
        self.spare.extend(self.others.extract_if(.., |other| other.unlikelihood().0 > least));
        // Merge hypotheses that have reached the same open calls: keep the likelier.
        let mut i = 0;
        while let Some(other) = self.others.get(i) {
            let rest = self
                .others
                .iter()
                .enumerate()
                .filter(|(j, likelier)| (likelier.unlikelihood(), *j) < (other.unlikelihood(), i));
            let mut likelier = core::iter::once(&self.likeliest).chain(rest.map(|(_, likelier)| likelier));
            if likelier.any(|likelier| likelier.has_calls_of(other)) {
                self.spare.push(self.others.remove(i));
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

    use super::super::execution::{Entered, Note};
    use super::super::flow::Opening;
    use super::super::isa::Isa;
    use super::super::state::SEARCHED;
    use super::*;

    /// Records events as text: `+name@time`, `-name@time:flags`, `!name@time`, `^name` for the
    /// outermost code.
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

        /// Executes instructions of one byte, written as address and kind: `c` call, `r` return,
        /// `j` jump, `n` next, `u` unknown, `!` an interrupt before the address.
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

    /// 20 calls itself three times at 25. A jump to 26 leaves one, two or three of the calls; later
    /// returns decide.
    #[test]
    fn returns_decide_what_a_jump_out_of_recursion_has_left() {
        let before = "10c 20u 25c 20u 25c 20u 25c 20u 28c 60n";
        let recursion = "^10@0 +20@1 +20@3 +20@5 +20@7 +60@9";
        // The jump left 60 and the three inner calls: 26 is in the outermost call of 20, which
        // returns to 11.
        let told = Play::new(true).run(before).run("61j 26n 27r 11n").told();
        assert_eq!(told, format!("{recursion} -60@11:4 -20@11:4 -20@11:4 -20@11:0 -20@13:0"));
        // One more call returns to 26 afterwards.
        let told = Play::new(true).run(before).run("61j 26n 27r 26n 27r 11n").told();
        assert_eq!(told, format!("{recursion} -60@11:4 -20@11:4 -20@11:0 -20@13:0 -20@15:0"));
    }

    /// Copies of a very deep stack would take gigabytes.
    #[test]
    fn a_deep_stack_has_no_other_hypotheses() {
        let mut play = Play::new(true);
        play.run("10c");
        for _ in 0..SEARCHED {
            play.run("20u 25c");
        }
        play.run("20u 28c 60n 61j 26n");
        assert!(play.stack.others.is_empty());
        play.run("20u");
        assert!(play.told().contains("-60"), "the end of 60 is delivered at once");
    }

    #[test]
    fn a_handler_that_is_a_guess_is_flagged() {
        let mut play = Play::new(true);
        play.program.handlers.push(0x80);
        assert_eq!(play.run("10c 20r 80n").told(), "^10@0 +20@1 -20@2:0 +80@2?");
        assert_eq!(play.script.notes, [Note::HandlerGuessed(0x80)]);
    }

    #[test]
    fn events_are_held_back_until_the_decision_and_keep_their_order() {
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
    fn an_undecided_jump_left_the_innermost_call() {
        let told = Play::new(true).run("10c 20u 25c 20u 25c 20u 28c 60n 61j 26n").told();
        assert!(told.contains("-60@9:4 -20@9:0"), "{told}");
    }

    #[test]
    fn interrupts_nest_and_come_between_a_call_and_its_callee() {
        assert_eq!(Play::new(false).run("10n 12! 80c 90r 81n 12n").told(), "^10@0 +12@1 +90@2 -90@3:0 -12@4:0");
        assert_eq!(Play::new(false).run("10c 20! 80n 20r 11n").told(), "^10@0 +20@1 +20@1 -20@2:0 -20@3:0");
        // The return address of the call: the callee was not executed.
        assert_eq!(Play::new(false).run("10c 11! 80n 11n").told(), "^10@0 +11@1 -11@2:0");
        // The return took effect before the interrupt.
        assert_eq!(Play::new(false).run("10c 20r 11! 80n 11n").told(), "^10@0 +20@1 -20@2:0 +11@2 -11@3:0");
    }

    #[test]
    fn code_that_returns_beyond_the_outermost_was_called_before_the_trace() {
        assert_eq!(Play::new(true).run("10r 50c 60r 51n").told(), "^10@0 -10@1:0 _50@1 +60@2 -60@3:0");
        // One stack for many threads: the caller is unknown.
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
