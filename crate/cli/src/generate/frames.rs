//! BAP frames of any size: an x86-64 program, instruction by instruction.

use std::io::{self, Write};

use unspool_formats::frames::encode::{Frame, Meta, Operand, Program as Names, Std, Writer};

use super::program::{Dice, Program};
use super::{Options, Tick};

/// BFD's numbers for x86 and x86-64.
const ARCHITECTURE: u64 = 9;
const MACHINE: u64 = 64;
/// Address of function 0, and the distance between functions.
const CODE: u64 = 0x40_0000;
const FUNCTION: u64 = 0x1000;
/// The modules: name, first and last function.
const MODULES: [(&str, u64, u64); 2] = [("/usr/bin/program", 0, 99), ("/usr/lib/libwork.so", 100, 4095)];
const STACK: u64 = 0x7fff_ffff_0000;
/// Size of one write, in bytes.
const PORTION: usize = 1 << 20;

/// Writes a streamed file of `options.events` frames: the modules, then instructions.
pub(super) fn write(out: &mut dyn Write, options: &Options, tick: &mut Tick<'_>) -> io::Result<()> {
    let name = |name: &str, last: &[u8]| Names {
        name: name.into(),
        arguments: vec![name.into()],
        environment: vec!["LANG=C".into()],
        last: last.to_vec(),
    };
    let meta = Meta {
        tracer: name("unspool", env!("CARGO_PKG_VERSION").as_bytes()),
        target: name("/usr/bin/program", &[0x5a; 16]),
        size: 65_536,
        times: [1.7e9; 3],
        user: "user".into(),
        host: "host".into(),
        time: 1.7e9,
    };
    let mut cpu = Cpu {
        writer: Writer::new(2, ARCHITECTURE, MACHINE, Some(&meta)),
        dice: Dice::new(options.seed ^ 0xf4a3e5),
        stacks: (0..options.threads).map(|_| vec![CODE]).collect(),
        made: 0,
    };
    for (name, first, last) in MODULES.into_iter().take(options.events as usize) {
        let (low, high) = (CODE + first * FUNCTION, CODE + (last + 1) * FUNCTION - 1);
        cpu.writer.frame(&Frame::ModLoad { name: name.into(), low, high });
        cpu.made += 1;
    }
    let mut program = Program::new(options.seed, options.threads, options.depth, false);
    while cpu.made < options.events {
        let step = program.step();
        if step.enter {
            cpu.call(step.thread, CODE + u64::from(step.function) * FUNCTION);
        } else {
            cpu.ret(step.thread);
        }
        for _ in 0..cpu.dice.below(6) {
            if cpu.made < options.events {
                cpu.compute(step.thread);
            }
        }
        if cpu.writer.len() >= PORTION {
            out.write_all(&cpu.writer.take())?;
        }
        tick(cpu.made.min(options.events));
    }
    out.write_all(&cpu.writer.take())
}

struct Cpu {
    writer: Writer,
    dice: Dice,
    /// For each thread, the next address of each open function, innermost last.
    stacks: Vec<Vec<u64>>,
    made: u64,
}

impl Cpu {
    fn call(&mut self, thread: usize, target: u64) {
        let at = self.at(thread, 5);
        let rsp = self.rsp(thread);
        let mut bytes = vec![0xe8];
        bytes.extend((target.wrapping_sub(at + 5) as u32).to_le_bytes());
        let post = vec![Operand::written("RSP", rsp - 8), Operand::stored(rsp - 8, at + 5)];
        self.stacks[thread].push(target);
        self.frame(thread, at, bytes, vec![Operand::read("RSP", rsp)], post);
    }

    fn ret(&mut self, thread: usize) {
        if self.stacks[thread].len() < 2 {
            return;
        }
        let at = self.at(thread, 1);
        let rsp = self.rsp(thread);
        self.stacks[thread].pop();
        let to = self.stacks[thread].last().copied().unwrap_or(CODE);
        let pre = vec![Operand::read("RSP", rsp), Operand::loaded(rsp, to)];
        self.frame(thread, at, vec![0xc3], pre, vec![Operand::written("RSP", rsp + 8)]);
    }

    /// add rax, rbx
    fn compute(&mut self, thread: usize) {
        let at = self.at(thread, 3);
        let (a, b) = (self.dice.next(), self.dice.below(4096));
        let pre = vec![Operand::read("RAX", a), Operand::read("RBX", b)];
        self.frame(thread, at, vec![0x48, 0x01, 0xd8], pre, vec![Operand::written("RAX", a.wrapping_add(b))]);
    }

    /// The thread's next address, which advances by `len`. Wraps around before it runs into the
    /// next function.
    fn at(&mut self, thread: usize, len: u64) -> u64 {
        let Some(place) = self.stacks[thread].last_mut() else { return CODE };
        if *place % FUNCTION > FUNCTION - 32 {
            *place -= *place % FUNCTION;
        }
        let at = *place;
        *place += len;
        at
    }

    fn rsp(&self, thread: usize) -> u64 {
        STACK - (thread as u64) * 0x10_0000 - self.stacks[thread].len() as u64 * 8
    }

    fn frame(&mut self, thread: usize, address: u64, bytes: Vec<u8>, pre: Vec<Operand>, post: Vec<Operand>) {
        self.made += 1;
        let thread = thread as u64 + 1;
        self.writer.frame(&Frame::Std(Std { address, thread, bytes, pre, post: Some(post), mode: None }));
    }
}
