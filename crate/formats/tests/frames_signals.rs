//! Call stacks of simulated programs to which signals arrive at any instruction: the calls that are
//! rebuilt are those that the simulation made.

use unspool_formats::frames::encode::{Frame, Meta, Operand, Std, Table, Writer};

use crate::frames_common::whole;

/// Addresses of the functions are multiples of this.
const FUNCTION: u64 = 0x1000;
const FUNCTIONS: u64 = 6;
/// The handlers of signals, and of signals that come during them.
const HANDLERS: [u64; 2] = [0x8000, 0xa000];
/// The instructions that return from a signal.
const RESTORER: u64 = 0x9000;

/// Contents of exception frames, if there are any.
#[derive(Clone, Copy, Debug)]
struct Recorder {
    has_frames: bool,
    from: From,
    to: bool,
    /// Whether the stack pointer is among the operands.
    has_pointer: bool,
    /// Whether calls go through a register.
    indirect: bool,
}

/// The address that an exception frame names as the interrupted one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum From {
    /// The next instruction.
    Next,
    /// The last instruction that was executed.
    Last,
    Nothing,
}

/// A call: its address, its first step, its end, and the number of calls around it.
type Call = (u64, u64, u64, usize);

/// A call as it was made.
struct Made {
    address: u64,
    /// Its first step; or the first one of a handler that came between.
    begins: [u64; 2],
    /// Its last step; or the last one of a handler that came after it, if the recording leaves open
    /// whether its return had taken effect.
    ends: [u64; 2],
    /// The number of calls around it, how many of these may begin later, and how many more may end
    /// later: while handlers run, nothing may show what the instruction before them has done.
    around: usize,
    pending: usize,
    returning: usize,
}

impl Made {
    fn is(&self, (address, begins, ends, around): Call) -> bool {
        address == self.address
            && self.begins.contains(&begins)
            && self.ends.contains(&ends)
            && (self.around - self.pending..=self.around + self.returning).contains(&around)
    }
}

struct Simulation {
    recorder: Recorder,
    random: u64,
    frames: Vec<Frame>,
    steps: u64,
    stack: u64,
    calls: Vec<Made>,
    open: usize,
    /// Number of the open calls that have not executed anything.
    pending: usize,
    /// Number of calls that have ended and may still be open.
    returning: usize,
    /// Signals that are being handled.
    handling: usize,
    signals: usize,
    last: u64,
}

impl Simulation {
    fn new(recorder: Recorder, seed: u64) -> Self {
        Self {
            recorder,
            random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            frames: vec![],
            steps: 0,
            stack: 0x7fff_0000,
            calls: vec![],
            open: 0,
            pending: 0,
            returning: 0,
            handling: 0,
            signals: 0,
            last: 0,
        }
    }

    fn chance(&mut self, of: u64) -> bool {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 20).is_multiple_of(of)
    }

    fn step(&mut self, address: u64, bytes: &[u8], after: u64) {
        let has_pointer = self.recorder.has_pointer;
        let pre = has_pointer.then(|| Operand::read("RSP", self.stack)).into_iter().collect();
        let post = has_pointer.then(|| vec![Operand::written("RSP", after)]);
        self.frames.push(Frame::Std(Std { address, thread: 1, bytes: bytes.to_vec(), pre, post, mode: None }));
        (self.stack, self.last) = (after, address);
        self.steps += 1;
    }

    /// A signal may arrive before the instruction at `next`.
    fn interrupt(&mut self, next: u64, of: u64) {
        if self.handling >= 2 || self.steps == 0 || !self.chance(of) {
            return;
        }
        self.signals += 1;
        let address = HANDLERS[self.handling];
        let Recorder { has_frames, from, to, .. } = self.recorder;
        if has_frames {
            let from = match from {
                From::Next => Some(next),
                From::Last => Some(self.last),
                From::Nothing => None,
            };
            self.frames.push(Frame::Exception { number: 14, thread: Some(1), from, to: to.then_some(address) });
            self.steps += 1;
        }
        let interrupted = self.stack;
        self.handling += 1;
        self.stack -= 128 + 1032;
        let handler = self.stack;
        self.body(address, 3);
        self.step(address + 0x100, &[0xc3], handler + 8);
        self.step(RESTORER, &[0xb8, 15, 0, 0, 0], handler + 8);
        self.step(RESTORER + 5, &[0x0f, 0x05], interrupted);
        self.handling -= 1;
    }

    /// Instructions of a function after its first, which may call others.
    fn body(&mut self, function: u64, depth: u64) {
        let mut at = function;
        let count = 1 + self.random % 4;
        for _ in 0..=count {
            self.step(at, &[0x90], self.stack);
            at += 1;
            self.interrupt(at, 24);
            if depth > 0 && self.chance(2) {
                // Also of the function itself.
                let to = FUNCTION * (1 + self.random / 7 % FUNCTIONS);
                at = self.call(at, to, depth - 1);
            }
        }
        let end = function + 0x100;
        self.step(at, &[0xe9, (end - at - 5) as u8, ((end - at - 5) >> 8) as u8, 0, 0], self.stack);
    }

    /// Calls a function. Returns the return address.
    fn call(&mut self, at: u64, to: u64, depth: u64) -> u64 {
        let back = at + if self.recorder.indirect { 2 } else { 5 };
        let by = (to.wrapping_sub(back) as u32).to_le_bytes();
        let direct = [0xe8, by[0], by[1], by[2], by[3]];
        let stack = self.stack;
        self.step(at, if self.recorder.indirect { &[0xff, 0xd0] } else { &direct }, stack - 8);
        let (around, pending, number) = (self.open, self.pending, self.calls.len());
        let (begins, returning) = ([self.steps; 2], self.returning);
        self.calls.push(Made { address: to, begins, ends: [0; 2], around, pending, returning });
        (self.open, self.pending) = (around + 1, pending + 1);
        let came = self.signals;
        self.interrupt(to, 5);
        if self.signals > came && self.recorder.has_frames {
            // The frame of the exception is a step, too.
            self.calls[number].begins[0] += 1;
        }
        self.pending = pending;
        self.calls[number].begins[1] = self.steps;
        self.body(to, depth);
        self.step(to + 0x100, &[0xc3], stack);
        self.open = around;
        self.calls[number].ends = [self.steps; 2];
        let is_open = usize::from(self.recorder.from == From::Last);
        self.returning += is_open;
        self.interrupt(back, 12);
        self.returning -= is_open;
        if is_open > 0 {
            self.calls[number].ends[1] = self.steps;
        }
        back
    }

    fn file(&self) -> Vec<u8> {
        let mut writer = Writer::new(3, 9, 64, Some(&Meta::default()));
        self.frames.iter().for_each(|frame| writer.frame(frame));
        writer.finish(Table::Libtrace(10_000))
    }
}

/// The calls that are shown. The outermost code, and handlers, are not counted.
fn shown(file: &[u8]) -> Vec<Call> {
    let all = whole(file);
    let mut open: Vec<Option<usize>> = vec![];
    let mut calls: Vec<Call> = vec![];
    for event in all.track("thread 1").iter().skip_while(|event| event.starts_with('!')).skip(1) {
        let Some((name, time)) = event.get(1..).and_then(|rest| rest.split_once('@')) else { continue };
        let time = time.parse().unwrap();
        let address = name.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16).unwrap());
        match event.as_bytes()[0] {
            b'+' => {
                open.push(address.map(|_| calls.len()));
                if let Some(address) = address {
                    let around = open.iter().flatten().count() - 1;
                    calls.push((address, time, 0, around));
                }
            }
            b'-' => {
                if let Some(Some(call)) = open.pop() {
                    calls[call].2 = time;
                }
            }
            _ => {}
        }
    }
    calls
}

/// Number of calls that are not shown as they were made, and number of calls, over several
/// programs.
fn wrong(recorder: Recorder) -> (usize, usize) {
    let (mut wrong, mut total, mut signals) = (0, 0, 0);
    for seed in 1..12 {
        let mut simulation = Simulation::new(recorder, seed);
        simulation.body(0x7000, 4);
        signals += simulation.signals;
        let shown = shown(&simulation.file());
        wrong += simulation.calls.iter().filter(|made| !shown.iter().any(|call| made.is(*call))).count();
        total += simulation.calls.len();
    }
    assert!(signals > 100, "{signals} signals");
    (wrong, total)
}

const BOTH: [bool; 2] = [false, true];

#[test]
fn calls_are_right_wherever_recorded_signals_arrive() {
    for (has_pointer, indirect) in BOTH.into_iter().flat_map(|pointer| BOTH.map(|indirect| (pointer, indirect))) {
        for (from, to) in [From::Next, From::Last, From::Nothing].into_iter().flat_map(|from| BOTH.map(|to| (from, to)))
        {
            let recorder = Recorder { has_frames: true, from, to, has_pointer, indirect };
            assert_eq!(wrong(recorder).0, 0, "{recorder:?}");
        }
    }
}

#[test]
fn the_stack_pointer_shows_signals_that_are_not_recorded() {
    for indirect in BOTH {
        let recorder = Recorder { has_frames: false, from: From::Nothing, to: false, has_pointer: true, indirect };
        assert_eq!(wrong(recorder).0, 0, "{recorder:?}");
    }
}

/// The first signal that comes right after a return cannot be told from a jump.
#[test]
fn most_calls_are_right_without_the_stack_pointer() {
    for indirect in BOTH {
        let recorder = Recorder { has_frames: false, from: From::Nothing, to: false, has_pointer: false, indirect };
        let (wrong, total) = wrong(recorder);
        assert!(wrong * 5 < total, "{recorder:?}: {wrong} of {total}");
    }
}
