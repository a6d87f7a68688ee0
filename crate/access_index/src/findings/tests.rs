//! Planted causes among ordinary steps of a made x86-64 program.

use unspool_formats::frames;
use unspool_formats::frames::encode::{Frame, Meta, Operand, Std, Table, Taint, Writer};
use unspool_records::memory::index_of;

use super::*;
use crate::runs::{CodeBlock, RunIndex};

const STACK: u64 = 0x7fff_0000;
const MAIN: u64 = 0x40_1000;
const WORK: u64 = 0x40_2000;

/// Writes the steps of a program.
struct Program {
    writer: Writer,
    step: u64,
}

impl Program {
    fn new() -> Self {
        Self { writer: Writer::new(2, 9, 64, Some(&Meta::default())), step: 0 }
    }

    fn step(&mut self, address: u64, bytes: &[u8], pre: Vec<Operand>, post: Vec<Operand>) {
        let std = Std { address, thread: 1, bytes: bytes.into(), pre, post: Some(post), mode: None };
        self.writer.frame(&Frame::Std(std));
        self.step += 1;
    }

    /// `add eax, 1`
    fn add(&mut self, address: u64) {
        self.step(address, &[0x83, 0xc0, 0x01], vec![], vec![]);
    }

    /// Calls [`WORK`], which adds some numbers and returns to `back`.
    fn work(&mut self, count: u64, back: u64) {
        let rsp = STACK - 0x400;
        let call = vec![Operand::written("RSP", rsp - 8), Operand::stored(rsp - 8, MAIN + 5)];
        self.step(MAIN, &[0xe8, 0xfb, 0x0f, 0, 0], vec![Operand::read("RSP", rsp)], call);
        (0..count).for_each(|i| self.add(WORK + i * 3));
        let ret = vec![Operand::read("RSP", rsp - 8), Operand::loaded(rsp - 8, back)];
        self.step(WORK + count * 3, &[0xc3], ret, vec![Operand::written("RSP", rsp)]);
        self.add(back);
    }

    /// Ordinary steps, with what `plant` writes after the hundredth of two hundred calls.
    fn findings(plant: impl FnOnce(&mut Self)) -> Vec<Finding> {
        let file = Self::file(plant);
        let found = searched(&file, 1).found();
        assert_eq!(found, searched(&file, u32::MAX).found(), "turns make no difference");
        assert_eq!(searched(&file, u32::MAX).refuted(), 0);
        found
    }

    /// A trace with ordinary steps and what `plant` writes.
    fn file(plant: impl FnOnce(&mut Self)) -> Vec<u8> {
        let mut program = Self::new();
        program.step(
            MAIN - 1,
            &[0x55],
            vec![Operand::read("RSP", STACK)],
            vec![Operand::written("RSP", STACK - 0x400)],
        );
        let mut plant = Some(plant);
        for i in 0..200_u64 {
            program.work(3 + i * 7 % 11, MAIN + 5);
            if i == 100 {
                plant.take().into_iter().for_each(|plant| plant(&mut program));
            }
        }
        program.writer.finish(Table::Libtrace(100))
    }
}

/// The search in a trace, at its end.
fn searched(file: &[u8], budget: u32) -> StepFindings<Vec<u8>> {
    let index = index_of(&frames::ROW.format, file).unwrap();
    let mut search = StepFindings::open(frames::ROW.format.id, &index, file.to_vec()).unwrap();
    while !search.step(budget).unwrap() {}
    search
}

fn one(found: &[Finding]) -> &Finding {
    match found {
        [it] => it,
        _ => panic!("{found:?}"),
    }
}

#[test]
fn ordinary_steps_are_quiet() {
    assert_eq!(Program::findings(|_| {}), []);
}

#[test]
fn a_loop_with_most_steps_is_found() {
    let found = Program::findings(|program| {
        for _ in 0..2000 {
            program.add(WORK + 0x100);
            // jmp back
            program.step(WORK + 0x103, &[0xeb, 0xfb], vec![], vec![]);
        }
    });
    let it = one(&found);
    assert_eq!((it.kind.word, it.names[0].as_str()), ("hot-loop", "0x402100"));
    assert!(it.sentence.contains("2,000 iterations"), "{}", it.sentence);
}

#[test]
fn a_number_that_the_records_do_not_show_is_not_said() {
    let file = Program::file(|program| {
        for _ in 0..2000 {
            program.add(WORK + 0x100);
            program.step(WORK + 0x103, &[0xeb, 0xfb], vec![], vec![]);
        }
    });
    let search = searched(&file, 1);
    let it = one(&search.found()).clone();
    assert!(search.holds(&it));
    for quantity in ["share-of-steps", "iterations", "steps-each"] {
        let mut false_one = it.clone();
        let claim = false_one.claims.iter_mut().find(|it| it.quantity == quantity).unwrap();
        claim.value += 1.0;
        assert!(!search.holds(&false_one), "{quantity}");
    }
}

#[test]
fn executions_at_addresses_of_the_kernel_are_counted() {
    const KERNEL: u64 = 0xffff_ffff_8123_4567;
    let file = Program::file(|program| {
        for _ in 0..2000 {
            program.add(KERNEL);
            program.step(KERNEL + 3, &[0xeb, 0xfb], vec![], vec![]);
        }
    });
    let search = searched(&file, 1);
    assert_eq!((one(&search.found()).kind.word, search.refuted()), ("hot-loop", 0));
}

#[test]
fn a_return_whose_address_was_overwritten_is_found() {
    let mut step = 0;
    let found = Program::findings(|program| {
        program.work(4, MAIN + 6);
        step = program.step - 2;
    });
    let it = one(&found);
    assert_eq!((it.kind.word, it.at), ("stray-return", Some(step)));
    assert!(it.sentence.ends_with("its return address was overwritten"), "{}", it.sentence);
}

#[test]
fn code_that_was_written_before_it_ran_is_found() {
    let found = Program::findings(|program| {
        for i in 0..8 {
            program.step(WORK + 0x200 + i, &[0x90], vec![], vec![Operand::stored(0x70_0000 + i * 8, 0x9090_9090)]);
        }
        (0..20).for_each(|i| program.step(0x70_0000 + i, &[0x90], vec![], vec![]));
    });
    let it = one(&found);
    assert_eq!((it.kind.word, it.names[0].as_str()), ("written-code", "0x700000"));
    assert_eq!(it.end.unwrap() - it.at.unwrap(), 19);
}

#[test]
fn reads_of_a_free_stack_are_found_unless_the_kernel_may_have_written_it() {
    let reads = |with_call: bool| {
        Program::findings(|program| {
            let buffer = STACK - 0x300;
            if with_call {
                let given = [("RAX", 0), ("RDI", 0), ("RSI", buffer), ("RDX", 64)];
                let given = given.map(|(name, value)| Operand::read(name, value)).to_vec();
                program.step(WORK + 0x300, &[0x0f, 0x05], given, vec![Operand::written("RAX", 64)]);
            }
            for i in 0..8 {
                let rsp = Operand::read("RSP", STACK - 0x400);
                program.step(WORK + 0x310, &[0x90], vec![rsp, Operand::loaded(buffer + i * 8, 0)], vec![]);
            }
        })
    };
    assert_eq!(one(&reads(false)).kind.word, "unwritten-read");
    assert_eq!(reads(true), []);
}

#[test]
fn bursts_of_exceptions_and_calls_that_fail_are_found() {
    let found = Program::findings(|program| {
        for i in 0..30 {
            let exception = Frame::Exception { number: 6, thread: Some(1), from: Some(WORK), to: Some(WORK) };
            program.writer.frame(&exception);
            program.step += 1;
            let given = vec![Operand::read("RAX", 21), Operand::read("RDI", 0x5000)];
            let result = if i == 7 { 0 } else { -2_i64 as u64 };
            program.step(WORK + 0x300, &[0x0f, 0x05], given, vec![Operand::written("RAX", result)]);
        }
    });
    let mut kinds: Vec<&str> = found.iter().map(|it| it.kind.word).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["burst", "failing-call"]);
    let failing = found.iter().find(|it| it.kind.word == "failing-call").unwrap();
    assert!(
        failing.sentence.starts_with("System call 21 (access) fails 29 of 30 times with -2"),
        "{}",
        failing.sentence
    );
}

#[test]
fn an_input_that_chooses_a_target_is_found() {
    let found = Program::findings(|program| {
        let rsp = STACK - 0x400;
        let pre = vec![Operand::read("RAX", WORK).tainted(Taint::Id(3)), Operand::read("RSP", rsp)];
        let call = vec![Operand::written("RSP", rsp - 8), Operand::stored(rsp - 8, MAIN + 0x22)];
        program.step(MAIN + 0x20, &[0xff, 0xd0], pre, call);
        let ret = vec![Operand::loaded(rsp - 8, MAIN + 0x22)];
        program.step(WORK, &[0xc3], ret, vec![]);
        program.add(MAIN + 0x22);
        // The index of a table that is tainted chooses among targets that the program has.
        let pre = vec![Operand::read("RAX", 2).tainted(Taint::Id(3)), Operand::loaded(0x5000, MAIN + 0x30)];
        program.step(MAIN + 0x25, &[0xff, 0x24, 0xc5, 0, 0x50, 0, 0], pre, vec![]);
        program.add(MAIN + 0x30);
    });
    let it = one(&found);
    assert_eq!((it.kind.word, it.names[1].as_str()), ("tainted-target", "taint 3"));
}

/// A block trace: ordinary calls, and `plant` in the middle. Block 6 has other bytes than block 5
/// at the same address.
fn of_blocks(later: u64, plant: impl Fn(&mut RunIndex, &mut u64)) -> Vec<Finding> {
    let mut index = RunIndex::new(usize::MAX);
    let block = |id, address, code: &[u8], starts: &[u32]| CodeBlock {
        id,
        address,
        code: code.into(),
        instructions: starts.len() as u32,
        bits: 64,
        starts: starts.into(),
    };
    index.block(block(2, MAIN, &[0x90, 0xe8, 0xfa, 0x0f, 0, 0], &[0, 1]));
    index.block(block(3, WORK, &[0x90, 0xc3], &[0, 1]));
    index.block(block(4, MAIN + 6, &[0x90, 0x90], &[0, 1]));
    index.block(block(5, 0x50_0000, &[0xb0, 0x01], &[0]));
    index.block(block(6, 0x50_0000, &[0xb0, 0x2a], &[0]));
    index.block(block(7, 0x60_0000, &[0x90, 0x90], &[0, 1]));
    index.block(block(8, 0x70_0000, &[0xff, 0xc8, 0x75, 0xfc], &[0, 2]));
    let mut at = 0;
    let run = |index: &mut RunIndex, at: &mut u64, id: u64, steps: u64| {
        *at += steps;
        index.run(*at, id);
    };
    for i in 0..200 {
        [2, 3, 4].into_iter().for_each(|id| run(&mut index, &mut at, id, 2));
        if i % 20 == 0 {
            run(&mut index, &mut at, if i < 100 { 5 } else { later }, 1);
        }
        if i == 100 {
            plant(&mut index, &mut at);
        }
    }
    index.seal();
    let mut search = RunFindings::default();
    while !search.step(&index, 1) {}
    let (found, refuted) = search.found(&index);
    assert_eq!(refuted, 0, "all that is proposed holds");
    found
}

#[test]
fn blocks_that_changed_are_found_with_loops_and_stray_returns() {
    assert_eq!(of_blocks(5, |_, _| {}), []);
    let changed = of_blocks(6, |_, _| {});
    assert_eq!((one(&changed).kind.word, one(&changed).names[0].as_str()), ("written-code", "0x500000"));
    let stray = of_blocks(5, |index, at| {
        for id in [2, 3, 7] {
            *at += 2;
            index.run(*at, id);
        }
    });
    assert_eq!((one(&stray).kind.word, one(&stray).names[1].as_str()), ("stray-return", "0x600000"));
    let hot = of_blocks(5, |index, at| {
        for _ in 0..1000 {
            *at += 2;
            index.run(*at, 8);
        }
    });
    assert_eq!((one(&hot).kind.word, one(&hot).names[0].as_str()), ("hot-loop", "0x700000"));
}

#[test]
fn bursts_of_interrupts_are_found_by_kind() {
    let mut index = RunIndex::new(usize::MAX);
    index.block(CodeBlock { id: 2, address: MAIN, code: vec![0x90], instructions: 1, bits: 64, starts: vec![0] });
    (1..10_000).for_each(|at| index.run(at, 2));
    index.seal();
    let mut search = RunFindings::default();
    (0..100).for_each(|i| search.interrupt(5000 + i * 10, 14, false));
    while !search.step(&index, 1) {}
    let (found, _) = search.found(&index);
    let it = one(&found);
    assert_eq!((it.kind.word, it.at, it.end), ("burst", Some(5000), Some(5990)));
    assert_eq!(it.sentence, "100 page faults come within 990 transitions, one in 10; there are none elsewhere");
}
