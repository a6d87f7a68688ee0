//! Call stacks on every machine whose calls are known: nested calls, a jump out of several calls,
//! and an interrupt between a call and its callee.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test that panics has done its work")]

use unspool_stacks::problems::LEFT_BY_JUMP;

use crate::frames_common::{decode, whole};
use unspool_formats::frames::encode::{Frame, Meta, Operand, Std, Table, Writer};

/// The encodings of a machine, most significant byte first. Functions are at 0x2000, 0x3000 …
struct Machine {
    name: &'static str,
    architecture: u64,
    mode: Option<&'static str>,
    width: u64,
    /// Encodes a call from one address to another. `slot`: a delay slot comes after it.
    call: fn(u64, u64) -> u32,
    slot: bool,
    ret: u32,
    /// Sets the stack pointer, then jumps through a register, like `longjmp`.
    set_pointer: u32,
    jump: u32,
    nop: u32,
    /// Loads the number of `rt_sigreturn`, then makes a system call.
    load: u32,
    system_call: u32,
    /// Returns from an exception.
    leave: u32,
    pointer: &'static str,
}

const MACHINES: [Machine; 5] = [
    Machine {
        name: "ARM",
        architecture: 35,
        mode: Some("arm:a32"),
        width: 4,
        call: |from, to| 0xeb00_0000 | (to.wrapping_sub(from + 8) >> 2) as u32 & 0xff_ffff,
        slot: false,
        ret: 0xe12f_ff1e,
        set_pointer: 0xe1a0_d00c,
        jump: 0xe12f_ff13,
        nop: 0xe1a0_0000,
        load: 0xe3a0_70ad,
        system_call: 0xef00_0000,
        leave: 0xe25e_f004,
        pointer: "SP",
    },
    Machine {
        name: "Thumb",
        architecture: 35,
        mode: Some("arm:t32"),
        width: 2,
        call: |from, to| {
            let by = to.wrapping_sub(from + 4) as u32;
            let (sign, i1, i2) = (by >> 24 & 1, by >> 23 & 1, by >> 22 & 1);
            let (j1, j2) = (1 ^ i1 ^ sign, 1 ^ i2 ^ sign);
            (0xf000 | sign << 10 | by >> 12 & 0x3ff) << 16 | 0xd000 | j1 << 13 | j2 << 11 | by >> 1 & 0x7ff
        },
        slot: false,
        ret: 0x4770,
        set_pointer: 0x46e5,
        jump: 0x4718,
        nop: 0xbf00,
        load: 0x27ad,
        system_call: 0xdf00,
        leave: 0xf3de_8f04,
        pointer: "R13",
    },
    Machine {
        name: "AArch64",
        architecture: 78,
        mode: None,
        width: 4,
        call: |from, to| 0x9400_0000 | (to.wrapping_sub(from) >> 2) as u32 & 0x3ff_ffff,
        slot: false,
        ret: 0xd65f_03c0,
        set_pointer: 0x9100_009f,
        jump: 0xd61f_0060,
        nop: 0xd503_201f,
        load: 0xd280_1168,
        system_call: 0xd400_0001,
        leave: 0xd69f_03e0,
        pointer: "sp",
    },
    Machine {
        name: "MIPS",
        architecture: 8,
        mode: None,
        width: 4,
        call: |_, to| 0x0c00_0000 | (to >> 2) as u32 & 0x3ff_ffff,
        slot: true,
        ret: 0x03e0_0008,
        set_pointer: 0x8c9d_0004,
        jump: 0x0320_0008,
        nop: 0x2442_0001,
        load: 0x2402_1061,
        system_call: 0x0000_000c,
        leave: 0x4200_0018,
        pointer: "$29",
    },
    Machine {
        name: "PowerPC",
        architecture: 23,
        mode: None,
        width: 4,
        call: |from, to| 0x4800_0001 | to.wrapping_sub(from) as u32 & 0x3ff_fffc,
        slot: false,
        ret: 0x4e80_0020,
        set_pointer: 0xe823_0000,
        jump: 0x4e80_0420,
        nop: 0x6000_0000,
        load: 0x3800_00ac,
        system_call: 0x4400_0002,
        leave: 0x4c00_0064,
        pointer: "r1",
    },
];

/// Records the execution of a program, instruction by instruction.
struct Run<'a> {
    machine: &'a Machine,
    frames: Vec<Frame>,
    at: u64,
    /// The stack pointer before each instruction; `None` if the tracer does not list it.
    pointer: Option<u64>,
}

impl Run<'_> {
    fn put(&mut self, word: u32) {
        let m = self.machine;
        // Thumb has instructions of two bytes and of four.
        let short = m.width == 2 && word >> 16 == 0;
        // Instructions of AArch64 are always little-endian.
        let bytes = match (short, m.architecture) {
            (true, _) => (word as u16).to_le_bytes().to_vec(),
            (_, 35) if m.width == 2 => {
                [(word >> 16) as u16, word as u16].iter().flat_map(|h| h.to_le_bytes()).collect()
            }
            (_, 35 | 78) => word.to_le_bytes().to_vec(),
            _ => word.to_be_bytes().to_vec(),
        };
        let len = bytes.len() as u64;
        let pre = self.pointer.map(|value| Operand::read(m.pointer, value)).into_iter().collect();
        let mode = m.mode.map(Into::into);
        self.frames.push(Frame::Std(Std { address: self.at, thread: 1, bytes, pre, post: None, mode }));
        self.at += len;
    }

    fn nop(&mut self) {
        self.put(self.machine.nop);
    }

    fn slot(&mut self) {
        if self.machine.slot {
            self.nop();
        }
    }

    /// Calls a function. Returns its return address.
    fn call(&mut self, to: u64) -> u64 {
        self.put((self.machine.call)(self.at, to));
        self.slot();
        std::mem::replace(&mut self.at, to)
    }

    fn ret(&mut self, to: u64) {
        self.put(self.machine.ret);
        self.slot();
        self.at = to;
    }

    fn file(&self) -> Vec<u8> {
        let mut writer = Writer::new(3, self.machine.architecture, 0, Some(&Meta::default()));
        self.frames.iter().for_each(|frame| writer.frame(frame));
        writer.finish(Table::Libtrace(10_000))
    }

    /// The events of the thread, without times.
    fn shown(&self) -> Vec<String> {
        let file = self.file();
        let all = whole(&file);
        assert_eq!(decode(&file, &[5], 2).0, all, "{}: independent of portions", self.machine.name);
        all.track("thread 1").into_iter().map(|event| event.split('@').next().unwrap().to_string()).collect()
    }
}

fn run(machine: &Machine) -> Run<'_> {
    Run { machine, frames: vec![], at: 0x1000, pointer: None }
}

#[test]
fn calls_nest() {
    for machine in &MACHINES {
        let mut run = run(machine);
        run.nop();
        for _ in 0..2 {
            let back = run.call(0x2000);
            run.nop();
            let inner = run.call(0x3000);
            run.nop();
            run.ret(inner);
            run.nop();
            run.ret(back);
        }
        run.nop();
        let call = ["+0x2000", "+0x3000", "-0x3000", "-0x2000"];
        assert_eq!(run.shown(), [&["+0x1000"][..], &call, &call].concat(), "{}", machine.name);
    }
}

#[test]
fn a_jump_leaves_several_calls() {
    for machine in &MACHINES {
        let mut run = run(machine);
        let set = run.call(0x2000); // setjmp
        run.ret(set);
        run.call(0x3000);
        run.nop();
        run.call(0x4000);
        run.nop();
        run.call(0x5000); // longjmp
        run.put(machine.set_pointer);
        run.put(machine.jump);
        run.slot();
        run.at = set;
        run.nop();
        let back = run.call(0x3000);
        run.ret(back);
        run.nop();
        let left =
            ["+0x3000", "+0x4000", "+0x5000", "~0x5000:4", "-0x5000", "~0x4000:4", "-0x4000", "~0x3000:4", "-0x3000"];
        let expected = [&["+0x1000", "+0x2000", "-0x2000"][..], &left, &["+0x3000", "-0x3000"]].concat();
        assert_eq!(run.shown(), expected, "{}", machine.name);
        assert_eq!(whole(&run.file()).kinds(), [&LEFT_BY_JUMP], "{}", machine.name);
    }
}

/// If the stack pointer is among the operands, nothing is a guess, wherever the jump lands.
#[test]
fn the_stack_pointer_shows_which_calls_a_jump_leaves() {
    for machine in &MACHINES {
        let mut run = run(machine);
        let mut pointer = 0x8000;
        run.pointer = Some(pointer);
        run.nop();
        for function in [0x2000, 0x3000, 0x4000] {
            run.call(function);
            run.nop();
            // The function allocates its stack frame.
            pointer -= 0x100;
            run.pointer = Some(pointer);
            run.nop();
        }
        run.put(machine.jump);
        run.slot();
        run.at = 0x7770;
        run.pointer = Some(0x7f00);
        run.nop();
        let expected = ["+0x1000", "+0x2000", "+0x3000", "+0x4000", "-0x4000", "-0x3000"];
        assert_eq!(run.shown(), expected, "{}", machine.name);
        assert!(whole(&run.file()).problems.is_empty(), "{}", machine.name);
    }
}

#[test]
fn an_interrupt_comes_between_a_call_and_its_callee() {
    for machine in &MACHINES {
        let mut run = run(machine);
        run.nop();
        let back = run.call(0x2000);
        // A signal arrives before the callee's first instruction.
        run.at = 0x8000;
        run.nop();
        let inner = run.call(0x6000);
        run.ret(inner);
        run.ret(0x9000);
        run.put(machine.load);
        run.put(machine.system_call);
        run.at = 0x2000;
        run.nop();
        run.ret(back);
        run.nop();
        // An exception. Its handler ends with an instruction for that.
        let interrupted = run.at;
        run.at = 0x8800;
        run.nop();
        run.put(machine.leave);
        run.at = interrupted;
        run.nop();
        let expected = [
            "+0x1000",
            "+0x2000",
            "+signal handler 0x8000",
            "+0x6000",
            "-0x6000",
            "-signal handler 0x8000",
            "-0x2000",
            "+signal handler 0x8800",
            "-signal handler 0x8800",
        ];
        assert_eq!(run.shown(), expected, "{}", machine.name);
    }
}

/// What an exception frame says of where execution was and where it goes.
#[derive(Clone, Copy, Debug)]
enum Told {
    Address,
    Zero,
    Nothing,
}

impl Told {
    const ALL: [Self; 3] = [Self::Address, Self::Zero, Self::Nothing];

    fn of(self, address: u64) -> Option<u64> {
        match self {
            Self::Address => Some(address),
            Self::Zero => Some(0),
            Self::Nothing => None,
        }
    }
}

/// A run with exception frames in which addresses may be missing, and threads.
struct Signals<'a> {
    run: Run<'a>,
    from: Told,
    to: Told,
    thread: Option<u64>,
}

impl Signals<'_> {
    /// A signal with this number arrives, and its handler is at `to`.
    fn arrive(&mut self, number: u64, to: u64) {
        let (from, told) = (self.from.of(self.run.at), self.to.of(to));
        self.run.frames.push(Frame::Exception { number, thread: self.thread, from, to: told });
        self.run.at = to;
    }

    /// The handler returns by a system call to an address.
    fn leave(&mut self, to: u64) {
        self.run.ret(0x9000);
        self.run.put(self.run.machine.load);
        self.run.put(self.run.machine.system_call);
        self.run.at = to;
    }

    /// A signal arrives, and its handler calls a function.
    fn signal(&mut self, number: u64) {
        let interrupted = self.run.at;
        self.arrive(number, 0x8000);
        self.run.nop();
        let inner = self.run.call(0x6000);
        self.run.ret(inner);
        self.leave(interrupted);
    }

    fn calls(&self) -> Vec<String> {
        self.run.shown().into_iter().filter(|event| !event.starts_with('!')).collect()
    }
}

/// Recordings of every machine, in all combinations of addresses and threads that an exception
/// frame may have.
fn recordings(mut record: impl FnMut(&mut Signals<'_>), expected: &[&str]) {
    for machine in &MACHINES {
        for (from, to) in Told::ALL.iter().flat_map(|from| Told::ALL.map(|to| (*from, to))) {
            for thread in [Some(1), None] {
                let mut signals = Signals { run: run(machine), from, to, thread };
                signals.run.nop();
                record(&mut signals);
                signals.run.nop();
                let what = format!("{}: from {from:?} to {to:?}, thread {thread:?}", machine.name);
                assert_eq!(signals.calls(), expected, "{what}");
            }
        }
    }
}

const HANDLER: [&str; 4] = ["+exception 10 handler 0x8000", "+0x6000", "-0x6000", "-exception 10 handler 0x8000"];

#[test]
fn an_exception_frame_begins_a_handler_wherever_it_comes() {
    let begun = ["+0x1000"];
    let call = ["+0x2000", "-0x2000"];
    recordings(|signals| signals.signal(10), &[&begun[..], &HANDLER].concat());
    let before_the_callee = |signals: &mut Signals<'_>| {
        let back = signals.run.call(0x2000);
        signals.signal(10);
        signals.run.nop();
        signals.run.ret(back);
    };
    recordings(before_the_callee, &[&begun[..], &["+0x2000"], &HANDLER, &["-0x2000"]].concat());
    let after_a_return = |signals: &mut Signals<'_>| {
        let back = signals.run.call(0x2000);
        signals.run.nop();
        signals.run.ret(back);
        signals.signal(10);
    };
    recordings(after_a_return, &[&begun[..], &call, &HANDLER].concat());
    let after_a_system_call = |signals: &mut Signals<'_>| {
        signals.run.put(signals.run.machine.system_call);
        signals.signal(10);
    };
    recordings(after_a_system_call, &[&begun[..], &HANDLER].concat());
    let one_after_the_other = |signals: &mut Signals<'_>| {
        let back = signals.run.call(0x2000);
        signals.run.nop();
        signals.run.ret(back);
        signals.signal(10);
        signals.signal(10);
    };
    recordings(one_after_the_other, &[&begun[..], &call, &HANDLER, &HANDLER].concat());
}

/// A jump goes to an address that is known only after the handler.
#[test]
fn an_exception_frame_may_come_before_the_target_of_a_jump() {
    let tail_call = |signals: &mut Signals<'_>| {
        let back = signals.run.call(0x2000);
        signals.run.put(signals.run.machine.jump);
        signals.run.slot();
        signals.run.at = 0x3000;
        signals.signal(10);
        signals.run.nop();
        signals.run.ret(back);
    };
    recordings(tail_call, &[&["+0x1000", "+0x2000"][..], &HANDLER, &["-0x2000"]].concat());
}

#[test]
fn two_exception_frames_have_two_handlers() {
    let both = |signals: &mut Signals<'_>| {
        let interrupted = signals.run.at;
        signals.arrive(12, 0x8000);
        // It interrupts the handler of the first before its first instruction.
        signals.arrive(14, 0x8800);
        signals.run.nop();
        signals.leave(0x8000);
        signals.run.nop();
        signals.leave(interrupted);
    };
    let expected = [
        "+0x1000",
        "+exception 14 handler 0x8800",
        "-exception 14 handler 0x8800",
        "+exception 12 handler 0x8000",
        "-exception 12 handler 0x8000",
    ];
    recordings(both, &expected);
}

#[test]
fn a_handler_may_be_left_by_a_jump() {
    let jump = |signals: &mut Signals<'_>| {
        let set = signals.run.call(0x2000); // sigsetjmp
        signals.run.ret(set);
        signals.run.call(0x3000);
        signals.run.nop();
        signals.arrive(10, 0x8000);
        signals.run.nop();
        signals.run.put(signals.run.machine.set_pointer);
        signals.run.put(signals.run.machine.jump);
        signals.run.slot();
        signals.run.at = set;
    };
    let expected = [
        "+0x1000",
        "+0x2000",
        "-0x2000",
        "+0x3000",
        "+exception 10 handler 0x8000",
        "~exception 10 handler 0x8000:4",
        "-exception 10 handler 0x8000",
        "~0x3000:4",
        "-0x3000",
    ];
    recordings(jump, &expected);
}

/// Execution goes on where it was: the handler is in the kernel, or the signal is ignored.
#[test]
fn an_exception_frame_without_a_handler_changes_nothing() {
    for machine in &MACHINES {
        for from in Told::ALL {
            let mut signals = Signals { run: run(machine), from, to: Told::Zero, thread: Some(1) };
            let ignored = |signals: &mut Signals<'_>| {
                let from = signals.from.of(signals.run.at);
                signals.run.frames.push(Frame::Exception { number: 17, thread: Some(1), from, to: None });
            };
            signals.run.nop();
            ignored(&mut signals);
            let back = signals.run.call(0x2000);
            ignored(&mut signals);
            signals.run.nop();
            signals.run.ret(back);
            ignored(&mut signals);
            signals.run.nop();
            assert_eq!(signals.calls(), ["+0x1000", "+0x2000", "-0x2000"], "{}, from {from:?}", machine.name);
        }
    }
}

/// Exceptions of several threads before the next instruction of any.
#[test]
fn exceptions_of_threads_do_not_mix() {
    let machine = &MACHINES[2];
    let thread = |frame: &mut Frame, id| {
        if let Frame::Std(std) = frame {
            std.thread = id;
        }
    };
    let part = |id: u64, record: &dyn Fn(&mut Run<'_>)| {
        let mut run = run(machine);
        run.at = 0x1000 + id * 0x10_0000;
        record(&mut run);
        run.frames.iter_mut().for_each(|frame| thread(frame, id));
        run.frames
    };
    let raised = |number, id| Frame::Exception { number, thread: Some(id), from: None, to: Some(0) };
    let handler = |run: &mut Run<'_>| {
        run.at = 0x8000;
        run.nop();
    };
    let mut all = run(machine);
    let nop: &dyn Fn(&mut Run<'_>) = &|run| run.nop();
    all.frames =
        [part(1, nop), part(2, nop), vec![raised(10, 1), raised(12, 2)], part(2, &handler), part(1, &handler)].concat();
    let told = whole(&all.file());
    let calls = |name: &str| {
        let all = told.track(name).into_iter().map(|event| event.split('@').next().unwrap().to_string());
        all.filter(|event| !event.starts_with('!')).collect::<Vec<_>>()
    };
    assert_eq!(calls("thread 1"), ["+0x101000", "+exception 10 handler 0x8000"]);
    assert_eq!(calls("thread 2"), ["+0x201000", "+exception 12 handler 0x8000"]);
}
