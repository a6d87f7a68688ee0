//! The small traces of `tests/fixtures/frames` and `web/public/samples`, as the encoder writes
//! them.
//!
//! `UNSPOOL_WRITE_FIXTURES=1 cargo test -p unspool-formats --test frames_fixtures` writes them;
//! otherwise the test compares them.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use crate::common;
use std::collections::HashMap;

use unspool_formats::frames::encode::{Frame, Meta, Operand, Program, Std, Table, Taint, TaintIntro, Writer};

#[test]
fn fixtures_are_what_the_encoder_writes() {
    let calls = calls();
    let cut = calls[..calls.len() / 2].to_vec();
    let (streamed, plugin, machines, program) = (streamed(), plugin(), delay_slots(), program());
    let (good, bad) = (branch(b"Hello, frames! Where did I go?\n "), branch(b"Hello, f"));
    let files: [(&str, &[u8]); _] = [
        ("tests/fixtures/frames/calls.frames", &calls),
        ("tests/fixtures/frames/cut.frames", &cut),
        ("tests/fixtures/frames/streamed.frames", &streamed),
        ("tests/fixtures/frames/plugin.frames", &plugin),
        ("tests/fixtures/frames/mips.frames", &machines),
        ("tests/fixtures/frames/compare-good.frames", &good),
        ("tests/fixtures/frames/compare-bad.frames", &bad),
        ("tests/fixtures/binaries/program.frames", &program),
        ("web/public/samples/calls.frames", &calls),
    ];
    common::are_written(&files);
}

const START: u64 = 0x40_1000;
const STACK: u64 = 0x7fff_ffff_e000;
const INPUT: u64 = 0x40_4000;

/// A program that computes a factorial, reads a file, copies what it read, and writes it. Each
/// function has its address.
#[rustfmt::skip]
const CODE: &[(u64, &[u8])] = &[
    (START, &[
        0xe8, 0x1b, 0x00, 0x00, 0x00,       // call main
        0x89, 0xc7,                         // mov edi, eax
        0xb8, 0x3c, 0x00, 0x00, 0x00,       // mov eax, 60
        0x0f, 0x05,                         // syscall: exit
    ]),
    (0x40_1020, &[ // main
        0x55,                               // push rbp
        0x48, 0x89, 0xe5,                   // mov rbp, rsp
        0xbf, 0x05, 0x00, 0x00, 0x00,       // mov edi, 5
        0xe8, 0x32, 0x00, 0x00, 0x00,       // call factorial
        0xbe, 0x00, 0x40, 0x40, 0x00,       // mov esi, INPUT
        0xe8, 0x68, 0x00, 0x00, 0x00,       // call read
        0xbe, 0x00, 0x40, 0x40, 0x00,       // mov esi, INPUT
        0xbf, 0x00, 0x41, 0x40, 0x00,       // mov edi, INPUT + 0x100
        0xb9, 0x04, 0x00, 0x00, 0x00,       // mov ecx, 4
        0xe8, 0x74, 0x00, 0x00, 0x00,       // call copy
        0xe8, 0xaf, 0x00, 0x00, 0x00,       // call write
        0x5d,                               // pop rbp
        0xc3,                               // ret
    ]),
    (0x40_1060, &[ // factorial
        0x55,                               // push rbp
        0x48, 0x89, 0xe5,                   // mov rbp, rsp
        0x53,                               // push rbx
        0x89, 0xfb,                         // mov ebx, edi
        0xb8, 0x01, 0x00, 0x00, 0x00,       // mov eax, 1
        0x83, 0xff, 0x01,                   // cmp edi, 1
        0x7e, 0x0b,                         // jle .done
        0x8d, 0x7f, 0xff,                   // lea edi, [rdi - 1]
        0xe8, 0xe7, 0xff, 0xff, 0xff,       // call factorial
        0x0f, 0xaf, 0xc3,                   // imul eax, ebx
        0x5b,                               // .done: pop rbx
        0x5d,                               // pop rbp
        0xc3,                               // ret
    ]),
    (0x40_10a0, &[ // read
        0xbf, 0x00, 0x00, 0x00, 0x00,       // mov edi, 0
        0xb8, 0x00, 0x00, 0x00, 0x00,       // mov eax, 0
        0x0f, 0x05,                         // syscall
        0xc3,                               // ret
    ]),
    (0x40_10c0, &[ // copy
        0x48, 0x8b, 0x06,                   // .next: mov rax, [rsi]
        0x48, 0x89, 0x07,                   // mov [rdi], rax
        0x48, 0x83, 0xc6, 0x08,             // add rsi, 8
        0x48, 0x83, 0xc7, 0x08,             // add rdi, 8
        0xff, 0xc9,                         // dec ecx
        0x75, 0xee,                         // jne .next
        0xc3,                               // ret
    ]),
    (0x40_1100, &[ // write
        0xbf, 0x01, 0x00, 0x00, 0x00,       // mov edi, 1
        0xb8, 0x01, 0x00, 0x00, 0x00,       // mov eax, 1
        0xeb, 0x14,                         // jmp do_syscall: a tail call
    ]),
    (0x40_1120, &[ // do_syscall
        0x0f, 0x05,                         // syscall
        0xc3,                               // ret
    ]),
];

/// Another `main` of this program, which writes only if the second word that it has read is not
/// zero.
#[rustfmt::skip]
const BRANCH: &[(u64, &[u8])] = &[
    (0x40_1020, &[ // main
        0xbe, 0x00, 0x40, 0x40, 0x00,       // mov esi, INPUT
        0xe8, 0x76, 0x00, 0x00, 0x00,       // call read
        0xbe, 0x00, 0x40, 0x40, 0x00,       // mov esi, INPUT
        0xbf, 0x00, 0x41, 0x40, 0x00,       // mov edi, INPUT + 0x100
        0xb9, 0x04, 0x00, 0x00, 0x00,       // mov ecx, 4
        0xe8, 0x82, 0x00, 0x00, 0x00,       // call copy
        0xe8, 0xfd, 0x00, 0x00, 0x00,       // call check
        0xc3,                               // ret
    ]),
    (0x40_1140, &[ // check
        0xbe, 0x08, 0x41, 0x40, 0x00,       // mov esi, INPUT + 0x108
        0x48, 0x8b, 0x06,                   // mov rax, [rsi]
        0x89, 0xc7,                         // mov edi, eax
        0x83, 0xff, 0x00,                   // cmp edi, 0
        0x7e, 0x06,                         // jle .empty
        0xe8, 0xac, 0xff, 0xff, 0xff,       // call write
        0xc3,                               // ret
        0xb8, 0x01, 0x00, 0x00, 0x00,       // .empty: mov eax, 1
        0xc3,                               // ret
    ]),
];

const NAMES: [&str; 8] = ["RAX", "RCX", "RDX", "RBX", "RSP", "RBP", "RSI", "RDI"];
const RAX: usize = 0;
const RCX: usize = 1;
const RBX: usize = 3;
const RSP: usize = 4;
const RBP: usize = 5;
const RSI: usize = 6;
const RDI: usize = 7;

/// Executes a program and records it like a tracer. Implements only the instructions used.
struct Processor {
    code: Vec<(u64, &'static [u8])>,
    /// What the program reads.
    input: &'static [u8],
    /// Whether flags are recorded.
    has_flags: bool,
    pc: u64,
    registers: [u64; 8],
    taints: [Option<u64>; 8],
    memory: HashMap<u64, (u64, Option<u64>)>,
    flags: i64,
    frames: Vec<Frame>,
    pre: Vec<Operand>,
    post: Vec<Operand>,
}

fn taint(id: Option<u64>) -> Taint {
    id.map_or(Taint::No, Taint::Id)
}

impl Processor {
    fn new() -> Self {
        Self {
            code: CODE.to_vec(),
            input: b"Hello, frames! Where did I go?\n ",
            has_flags: false,
            pc: START,
            registers: [0, 0, 0, 0, STACK, 0, 0, 0],
            taints: [None; 8],
            memory: HashMap::new(),
            flags: 0,
            frames: Vec::new(),
            pre: Vec::new(),
            post: Vec::new(),
        }
    }

    fn read(&mut self, r: usize) -> u64 {
        self.pre.push(Operand::read(NAMES[r], self.registers[r]).tainted(taint(self.taints[r])));
        self.registers[r]
    }

    fn write(&mut self, r: usize, value: u64, by: Option<u64>) {
        (self.registers[r], self.taints[r]) = (value, by);
        self.post.push(Operand::written(NAMES[r], value).tainted(taint(by)));
    }

    fn load(&mut self, address: u64) -> (u64, Option<u64>) {
        let (value, by) = self.memory.get(&address).copied().unwrap_or_default();
        self.pre.push(Operand::loaded(address, value).tainted(taint(by)));
        (value, by)
    }

    fn store(&mut self, address: u64, value: u64, by: Option<u64>) {
        self.memory.insert(address, (value, by));
        self.post.push(Operand::stored(address, value).tainted(taint(by)));
    }

    fn push(&mut self, value: u64) {
        let rsp = self.read(RSP) - 8;
        self.write(RSP, rsp, None);
        self.store(rsp, value, None);
    }

    fn pop(&mut self) -> u64 {
        let rsp = self.read(RSP);
        let (value, _) = self.load(rsp);
        self.write(RSP, rsp + 8, None);
        value
    }

    fn set_flags(&mut self, flags: i64) {
        self.flags = flags;
        if self.has_flags {
            self.post.push(Operand::written("EFLAGS", self.eflags()));
        }
    }

    fn test_flags(&mut self) -> i64 {
        if self.has_flags {
            self.pre.push(Operand::read("EFLAGS", self.eflags()));
        }
        self.flags
    }

    /// Interrupts are enabled; sign and zero as the last result was.
    fn eflags(&self) -> u64 {
        match self.flags {
            0 => 0x246,
            1.. => 0x202,
            _ => 0x286,
        }
    }

    /// Executes an instruction. Returns false at the end of the program.
    fn step(&mut self) -> bool {
        let &(at, code) = self.code.iter().rev().find(|(at, _)| *at <= self.pc).unwrap();
        let code = &code[(self.pc - at) as usize..];
        let word = |i: usize| i64::from(i32::from_le_bytes(code[i..i + 4].try_into().unwrap()));
        let (address, mut system_call) = (self.pc, false);
        let mut len = 1u64;
        let mut jump = None;
        match *code {
            [0x55, ..] => {
                let rbp = self.read(RBP);
                self.push(rbp);
            }
            [0x53, ..] => {
                let rbx = self.read(RBX);
                self.push(rbx);
            }
            [0x5d, ..] => {
                let value = self.pop();
                self.write(RBP, value, None);
            }
            [0x5b, ..] => {
                let value = self.pop();
                self.write(RBX, value, None);
            }
            [0xc3, ..] => jump = Some(self.pop()),
            [0xe8, ..] => {
                len = 5;
                self.push(address + 5);
                jump = Some(address.wrapping_add(5).wrapping_add_signed(word(1)));
            }
            [op @ (0xb8..=0xbf), ..] => {
                len = 5;
                self.write(usize::from(op - 0xb8), word(1) as u64, None);
            }
            [0x48, 0x89, 0xe5, ..] => {
                len = 3;
                let rsp = self.read(RSP);
                self.write(RBP, rsp, None);
            }
            [0x89, modrm @ (0xfb | 0xc7), ..] => {
                len = 2;
                let value = u64::from(self.read(usize::from(modrm >> 3 & 7)) as u32);
                self.write(usize::from(modrm & 7), value, None);
            }
            [0x83, 0xff, imm, ..] => {
                len = 3;
                let flags = self.read(RDI) as i64 - i64::from(imm);
                self.set_flags(flags);
            }
            [op @ (0x7e | 0x75 | 0xeb), rel, ..] => {
                len = 2;
                let taken = match op {
                    0x7e => self.test_flags() <= 0,
                    0x75 => self.test_flags() != 0,
                    _ => true,
                };
                jump = taken.then(|| (address + 2).wrapping_add_signed(i64::from(rel as i8)));
            }
            [0x8d, 0x7f, rel, ..] => {
                len = 3;
                let value = self.read(RDI).wrapping_add_signed(i64::from(rel as i8));
                self.write(RDI, value, None);
            }
            [0x0f, 0xaf, 0xc3, ..] => {
                len = 3;
                let value = self.read(RAX) * self.read(RBX);
                self.write(RAX, value, None);
            }
            [0x48, 0x8b, 0x06, ..] => {
                len = 3;
                let from = self.read(RSI);
                let (value, by) = self.load(from);
                self.write(RAX, value, by);
            }
            [0x48, 0x89, 0x07, ..] => {
                len = 3;
                let (value, to) = (self.read(RAX), self.read(RDI));
                self.store(to, value, self.taints[RAX]);
            }
            [0x48, 0x83, modrm @ (0xc6 | 0xc7), imm, ..] => {
                len = 4;
                let r = usize::from(modrm & 7);
                let value = self.read(r) + u64::from(imm);
                self.write(r, value, None);
            }
            [0xff, 0xc9, ..] => {
                len = 2;
                let value = self.read(RCX) - 1;
                self.write(RCX, value, None);
                self.set_flags(value as i64);
            }
            [0x0f, 0x05, ..] => {
                len = 2;
                system_call = true;
            }
            _ => panic!("no such instruction at {address:#x}"),
        }
        self.frames.push(Frame::Std(Std {
            address,
            thread: 1,
            bytes: code[..len as usize].to_vec(),
            pre: std::mem::take(&mut self.pre),
            post: Some(std::mem::take(&mut self.post)),
            mode: None,
        }));
        self.pc = jump.unwrap_or(address + len);
        !system_call || self.system_call(address)
    }

    fn system_call(&mut self, address: u64) -> bool {
        let number = self.registers[RAX];
        let arguments = [RDI, RSI].map(|r| self.registers[r] as i64).to_vec();
        self.frames.push(Frame::Syscall { address, thread: 1, number, arguments });
        if number == 0 {
            // What the program reads is tainted.
            let text = self.input;
            let intros = text.iter().zip(0..).map(|(byte, i)| TaintIntro {
                address: INPUT + i,
                id: 100 + i / 8,
                value: Some(vec![*byte]),
                source: Some("input.txt".into()),
                offset: Some(i),
            });
            self.frames.push(Frame::TaintIntro(intros.collect()));
            for (i, chunk) in (0..).zip(text.chunks(8)) {
                let value = u64::from_le_bytes(chunk.try_into().unwrap());
                self.memory.insert(INPUT + i * 8, (value, Some(100 + i)));
            }
        }
        number != 60
    }
}

fn meta() -> Meta {
    Meta {
        tracer: Program {
            name: "unspool".into(),
            arguments: vec!["frames_fixtures".into()],
            environment: vec!["LANG=C.UTF-8".into(), "EDITOR=ed".into()],
            last: b"fixture".to_vec(),
        },
        target: Program {
            name: "/home/ada/copy".into(),
            arguments: vec!["copy".into(), "input.txt".into()],
            environment: vec!["HOME=/home/ada".into(), "PATH=/usr/bin:/bin".into()],
            last: (0..16).collect(),
        },
        size: 9216,
        times: [1_731_000_000.0, 1_730_000_000.5, 1_730_000_001.0],
        user: "Ada".into(),
        host: "engine".into(),
        time: 1_731_456_789.25,
    }
}

/// A complete execution of the program.
fn calls() -> Vec<u8> {
    let mut writer = Writer::new(3, 9, 64, Some(&meta()));
    writer.frame(&Frame::ModLoad { name: "/home/ada/copy".into(), low: 0x40_0000, high: 0x40_4fff });
    writer.frame(&Frame::ModLoad { name: "[stack]".into(), low: STACK - 0x2_0000, high: STACK + 0xfff });
    let registers =
        (0..8).map(|r| Operand { usage: [false; 4], ..Operand::read(NAMES[r], if r == RSP { STACK } else { 0 }) });
    writer.frame(&Frame::Key(vec![(Some(1), registers.collect())]));
    let mut processor = Processor::new();
    while processor.step() {}
    processor.frames.iter().for_each(|frame| writer.frame(frame));
    writer.finish(Table::Libtrace(64))
}

/// A complete execution of the program with another `main`.
fn branch(input: &'static [u8]) -> Vec<u8> {
    let mut writer = Writer::new(3, 9, 64, Some(&meta()));
    writer.frame(&Frame::ModLoad { name: "/home/ada/copy".into(), low: 0x40_0000, high: 0x40_4fff });
    let mut processor = Processor { input, has_flags: true, ..Processor::new() };
    // Its functions are in place of those that have their addresses.
    processor.code.retain(|(at, _)| BRANCH.iter().all(|(own, _)| own != at));
    processor.code.extend_from_slice(BRANCH);
    processor.code.sort_unstable_by_key(|(at, _)| *at);
    while processor.step() {}
    processor.frames.iter().for_each(|frame| writer.frame(frame));
    writer.finish(Table::Libtrace(64))
}

/// The first part of an execution with a system call, then exceptions. Version 2, streamed, so the
/// header has no count.
fn streamed() -> Vec<u8> {
    let mut writer = Writer::new(2, 9, 64, Some(&meta()));
    let mut processor = Processor::new();
    for _ in 0..40 {
        processor.step();
    }
    processor.frames.iter().for_each(|frame| writer.frame(frame));
    let from = Some(processor.pc);
    writer.frame(&Frame::Exception { number: 14, thread: Some(1), from, to: Some(0xffff_ffff_8180_0b40) });
    writer.frame(&Frame::Exception { number: 2, thread: None, from: None, to: None });
    writer.frame(&Frame::Exception { number: 3, thread: Some(1), from: Some(u64::MAX), to: None });
    writer.finish(Table::None)
}

/// Two processors in turns of 64 frames, as QEMU's TCG plugin writes them.
fn plugin() -> Vec<u8> {
    let mut writer = Writer::new(3, 9, 64, Some(&meta()));
    let mut both = [Processor::new(), Processor::new()];
    for (i, processor) in both.iter_mut().enumerate() {
        while processor.step() {}
        // The plugin does not track taint.
        processor.frames.retain(|f| !matches!(f, Frame::TaintIntro(_)));
        for frame in &mut processor.frames {
            match frame {
                Frame::Std(Std { thread, .. }) | Frame::Syscall { thread, .. } => *thread = i as u64,
                _ => {}
            }
        }
    }
    let [a, b] = both.each_ref().map(|p| p.frames.chunks(64));
    a.zip(b).flat_map(|(a, b)| a.iter().chain(b)).for_each(|frame| writer.frame(frame));
    writer.finish(Table::Plugin(64))
}

/// Big-endian MIPS: instructions in delay slots belong to the caller.
fn delay_slots() -> Vec<u8> {
    let mut writer = Writer::new(1, 8, 32, None);
    #[rustfmt::skip]
    let code = [
        (0x8000_1000u64, 0x27bd_ffe0u32), // addiu $sp, $sp, -32
        (0x8000_1004, 0x0c00_0800),       // jal 0x80002000
        (0x8000_1008, 0x2404_0007),       // addiu $a0, $zero, 7
        (0x8000_2000, 0x0320_f809),       // jalr $t9
        (0x8000_2004, 0x0000_0000),       // nop
        (0x8000_3000, 0x03e0_0008),       // jr $ra
        (0x8000_3004, 0x2402_0001),       // addiu $v0, $zero, 1
        (0x8000_2008, 0x03e0_0008),       // jr $ra
        (0x8000_200c, 0x0000_0000),       // nop
        (0x8000_100c, 0x27bd_0020),       // addiu $sp, $sp, 32
    ];
    for (address, word) in code {
        let (bytes, mode) = (word.to_be_bytes().to_vec(), None);
        writer.frame(&Frame::Std(Std { address, thread: 1, bytes, pre: vec![], post: None, mode }));
    }
    writer.finish(Table::Tracewrap(64))
}

/// The functions of `tests/fixtures/binaries/program.elf`, loaded at this address. A library calls
/// the first of them.
fn program() -> Vec<u8> {
    const BASE: u64 = 0x5555_5555_4000;
    const LIBRARY: u64 = 0x7fff_f7dd_2000;
    let [generic_u8, generic_u32, leaf, outer, middle, area, start] =
        [0x1610, 0x1640, 0x1680, 0x16b0, 0x16f0, 0x1730, 0x1760].map(|at| BASE + at);
    let mut writer = Writer::new(1, 9, 64, None);
    let mut step = |address: u64, bytes: &[u8]| {
        let bytes = bytes.to_vec();
        writer.frame(&Frame::Std(Std { address, thread: 1, bytes, pre: vec![], post: None, mode: None }));
    };
    // The depth of each call, and its callee.
    let calls = [
        (1, start),
        (2, outer),
        (3, middle),
        (4, leaf),
        (4, leaf),
        (4, generic_u8),
        (3, area),
        (2, generic_u32),
        (1, LIBRARY + 0x1010),
    ];
    let mut next = vec![LIBRARY];
    for (depth, callee) in calls {
        while next.len() > depth {
            step(next.pop().unwrap(), &[0xc3]); // ret
        }
        let at = next.last_mut().unwrap();
        step(*at, &[0xff, 0xd0]); // call rax
        *at += 2;
        step(callee, &[0x90]); // nop
        next.push(callee + 1);
    }
    while next.len() > 1 {
        step(next.pop().unwrap(), &[0xc3]);
    }
    step(next[0], &[0x90]);
    writer.finish(Table::None)
}
