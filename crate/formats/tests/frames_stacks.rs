//! Call stacks on every machine whose calls are known: nested calls, a jump out of several calls, and an interrupt
//! between a call and its callee.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test that panics has done its work")]

mod common;
mod frames_common;

use frames_common::{decode, whole};
use unspool_formats::code::problems::LEFT_BY_JUMP;
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
