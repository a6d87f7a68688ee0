//! BAP frames that the encoder wrote: every kind of frame, call stacks, tables of contents, broken
//! files.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use unspool_stacks::problems::{LANDING_GUESSED, LEFT_BY_JUMP, RETURN_WITHOUT_CALL};
use unspool_trace::problem::{MALFORMED, TOO_DEEP, TRUNCATED};
use unspool_trace::{EventKind, Field, Locator, Probe, Value};

use crate::frames_common::{decode, details, format, options, text, whole};
use unspool_formats::frames::encode::{Frame, Meta, Operand, Std, Table, Taint, TaintIntro, Writer};
use unspool_formats::frames::problems::{BAD_TABLE, UNKNOWN_RECORD, WRONG_COUNT};
use unspool_formats::frames::records;

fn field(details: &[Field], name: &str) -> Option<Value> {
    details.iter().find(|f| f.name == name).map(|f| f.value.clone())
}

fn std(address: u64, bytes: &[u8]) -> Frame {
    on(1, address, bytes)
}

fn on(thread: u64, address: u64, bytes: &[u8]) -> Frame {
    Frame::Std(Std { address, thread, bytes: bytes.to_vec(), pre: vec![], post: None, mode: None })
}

fn file(architecture: u64, machine: u64, frames: &[Frame]) -> Vec<u8> {
    let mut writer = Writer::new(3, architecture, machine, Some(&Meta::default()));
    frames.iter().for_each(|f| writer.frame(f));
    writer.finish(Table::Libtrace(10_000))
}

/// Events of thread 1 of an x86-64 trace.
fn x64(steps: &[(u64, &[u8])]) -> Vec<String> {
    let frames: Vec<Frame> = steps.iter().map(|(address, bytes)| std(*address, bytes)).collect();
    let all = whole(&file(9, 64, &frames));
    all.track("thread 1")
}

/// `call *%rax`, two bytes: the callee is wherever the next step is.
const CALL: &[u8] = &[0xff, 0xd0];
const RET: &[u8] = &[0xc3];
const NOP: &[u8] = &[0x90];
const JUMP: &[u8] = &[0xff, 0xe0];

#[test]
fn calls_nest_and_last_until_they_return() {
    let steps = [
        (0x1000, CALL),
        (0x2000, NOP),
        (0x2001, CALL),
        (0x3000, RET),
        (0x2003, RET),
        (0x1002, NOP),
        (0x1003, CALL),
        (0x2000, RET),
    ];
    // The last return ends the trace, so its target is unknown.
    assert_eq!(
        x64(&steps),
        ["+0x1000@0", "+0x2000@1", "+0x3000@3", "-0x3000@4", "-0x2000@5", "+0x2000@7", "-0x2000@8"]
    );
}

#[test]
fn recursion_and_tail_calls() {
    let steps = [
        (0x1000, CALL),
        (0x2000, CALL),
        (0x2000, CALL),
        // A tail call: the callee returns in place of its caller.
        (0x2000, &[0xe9, 0xfb, 0x0f, 0, 0]),
        (0x3000, RET),
        (0x2002, RET),
        (0x2002, RET),
        (0x1002, NOP),
    ];
    assert_eq!(
        x64(&steps),
        ["+0x1000@0", "+0x2000@1", "+0x2000@2", "+0x2000@3", "-0x2000@5", "-0x2000@6", "-0x2000@7"]
    );
}

#[test]
fn a_return_to_an_outer_call_ends_the_inner_ones() {
    let steps = [
        (0x1000, CALL),
        (0x2000, CALL),
        (0x3000, CALL),
        (0x2000, CALL),
        (0x4000, RET), // longjmp to the instruction after the first call
        (0x1002, NOP),
    ];
    assert_eq!(
        x64(&steps),
        [
            "+0x1000@0",
            "+0x2000@1",
            "+0x3000@2",
            "+0x2000@3",
            "+0x4000@4",
            "~0x4000:4",
            "-0x4000@5",
            "~0x2000:4",
            "-0x2000@5",
            "~0x3000:4",
            "-0x3000@5",
            "-0x2000@5"
        ]
    );
}

#[test]
fn a_jump_lands_after_a_call_that_has_returned() {
    // main calls setjmp, which returns, and then a function that calls longjmp.
    let frames = [
        std(0x1000, CALL),
        std(0x2000, RET), // setjmp
        std(0x1002, CALL),
        std(0x3000, CALL),
        std(0x4000, &[0x4c, 0x89, 0xc4]), // longjmp: mov %r8, %rsp
        std(0x4003, NOP),
        std(0x4004, JUMP),
        std(0x1002, NOP),
    ];
    let all = whole(&file(9, 64, &frames));
    // The calls end when the stack pointer is set.
    assert_eq!(
        all.track("thread 1")[3..],
        ["+0x3000@3", "+0x4000@4", "~0x4000:4", "-0x4000@5", "~0x3000:4", "-0x3000@5"]
    );
    assert_eq!((all.kinds(), all.problems[0].value), (vec![&LEFT_BY_JUMP], 2));
}

#[test]
fn an_exception_lands_in_the_function_of_an_open_call() {
    let frames = [
        std(0x1000, CALL),
        std(0x2000, CALL), // the function that catches
        std(0x3000, CALL), // one that throws
        std(0x5000, NOP),
        std(0x5001, RET),
        std(0x2040, NOP), // its landing pad
        std(0x2041, RET),
        std(0x1002, NOP),
    ];
    let all = whole(&file(9, 64, &frames));
    assert_eq!(
        all.track("thread 1"),
        [
            "+0x1000@0",
            "+0x2000@1",
            "+0x3000@2",
            "+0x5000@3",
            "~0x5000:12",
            "-0x5000@5",
            "~0x3000:12",
            "-0x3000@5",
            "-0x2000@7"
        ]
    );
    assert_eq!((all.kinds(), all.problems[0].value), (vec![&LANDING_GUESSED], 2));
}

/// The previous case with the stack pointer among the values read, as QEMU's tracers write it:
/// nothing is a guess.
#[test]
fn the_stack_pointer_shows_which_calls_have_ended() {
    let with = |rsp: u64, address: u64, bytes: &[u8]| {
        let pre = vec![Operand::read("RSP", rsp)];
        Frame::Std(Std { address, thread: 1, bytes: bytes.to_vec(), pre, ..Std::default() })
    };
    let frames = [
        with(0x800, 0x1000, CALL),
        with(0x7f8, 0x2000, CALL),
        with(0x7f0, 0x3000, CALL),
        with(0x7e8, 0x5000, NOP),
        with(0x7e8, 0x5001, RET),
        with(0x7f8, 0x7777, NOP), // a landing pad far from its function
        with(0x7f8, 0x7778, RET),
        with(0x800, 0x1002, NOP),
    ];
    let bytes = file(9, 64, &frames);
    let all = whole(&bytes);
    let track = ["+0x1000@0", "+0x2000@1", "+0x3000@2", "+0x5000@3", "-0x5000@5", "-0x3000@5", "-0x2000@7"];
    assert_eq!((all.track("thread 1"), all.problems.len()), (track.map(String::from).to_vec(), 0));
    // Split frames do not take the fast path.
    assert_eq!(decode(&bytes, &[7], 3).0, all);
}

#[test]
fn a_signal_interrupts_between_any_two_instructions() {
    let mov_15_eax: &[u8] = &[0xb8, 15, 0, 0, 0];
    let syscall: &[u8] = &[0x0f, 0x05];
    let steps = [
        (0x1000, NOP),
        (0x8000, CALL), // the handler
        (0x3000, RET),
        (0x8002, RET),
        (0x9000, mov_15_eax), // what it returns to
        (0x9005, syscall),
        (0x1001, NOP),
        (0x1002, &[0xe8, 0xf9, 0x0f, 0, 0]), // call 0x2000
        (0x8000, RET),                       // the handler again, before the callee's first instruction
        (0x9000, mov_15_eax),
        (0x9005, syscall),
        (0x8000, RET), // and once more at once
        (0x9000, mov_15_eax),
        (0x9005, syscall),
        (0x2000, RET),
        (0x8000, RET), // and right after a return
        (0x9000, mov_15_eax),
        (0x9005, syscall),
        (0x1007, NOP),
    ];
    assert_eq!(
        x64(&steps),
        [
            "+0x1000@0",
            "+signal handler 0x8000@1",
            "+0x3000@2",
            "-0x3000@3",
            "-signal handler 0x8000@6",
            "+0x2000@8",
            "+signal handler 0x8000@8",
            "-signal handler 0x8000@11",
            "+signal handler 0x8000@11",
            "-signal handler 0x8000@14",
            "-0x2000@15",
            "+signal handler 0x8000@15",
            // It is a guess that it was not called from there.
            "~signal handler 0x8000:8",
            "-signal handler 0x8000@18",
        ]
    );
}

#[test]
fn the_handler_of_an_exception_frame_has_its_number() {
    let frames = [
        std(0x1000, &[0xe8, 0xfb, 0x0f, 0, 0]), // call 0x2000
        Frame::Exception { number: 14, thread: Some(1), from: Some(0x2000), to: Some(0x8000) },
        std(0x8000, NOP),
        std(0x8001, &[0x48, 0xcf]), // iretq
        std(0x2000, RET),
        std(0x1005, NOP),
        // Without a handler there is only an instant.
        Frame::Exception { number: 3, thread: Some(1), from: Some(0x1006), to: None },
        std(0x1006, NOP),
    ];
    let all = whole(&file(9, 64, &frames));
    assert_eq!(
        all.track("thread 1"),
        [
            "+0x1000@0",
            "!exception 14@1",
            "+0x2000@2",
            "+exception 14 handler 0x8000@2",
            "-exception 14 handler 0x8000@4",
            "-0x2000@5",
            "!exception 3@6"
        ]
    );
}

/// Where an indirect call goes is known when the handler has returned.
#[test]
fn an_exception_without_addresses_may_come_before_an_unknown_callee() {
    let call: &[u8] = &[0xff, 0xd0]; // call *%rax
    let raised = |number| Frame::Exception { number, thread: Some(1), from: None, to: Some(0) };
    let returns = [std(0x8000, RET), std(0x9000, &[0xb8, 15, 0, 0, 0]), std(0x9005, &[0x0f, 0x05])];
    let mut frames = vec![std(0x1000, call), raised(14)];
    frames.extend(returns.clone());
    frames.extend([std(0x2000, RET), std(0x1002, call)]);
    // A signal that is ignored: the function was called before. This one was not, and returns as a
    // callee does.
    frames.extend([raised(28), std(0x2000, RET), std(0x1004, call), raised(28), std(0x3000, RET)]);
    frames.extend([std(0x1006, call), raised(14)]);
    frames.extend(returns);
    frames.extend([std(0x3000, RET), std(0x1008, NOP)]);
    let calls: Vec<_> =
        whole(&file(9, 64, &frames)).track("thread 1").into_iter().filter(|it| !it.starts_with('!')).collect();
    let (handler, callee) = ("exception 14 handler 0x8000", "exception 28 handler 0x3000");
    let expected = [
        "+0x1000@0".into(),
        format!("+{handler}@2"),
        format!("-{handler}@5"),
        "+0x2000@5".into(),
        "-0x2000@6".into(),
        "+0x2000@8".into(),
        "-0x2000@9".into(),
        format!("+{callee}@11"),
        format!("-{callee}@12"),
        format!("+{handler}@14"),
        format!("-{handler}@17"),
        "+0x3000@17".into(),
        "-0x3000@18".into(),
    ];
    assert_eq!(calls, expected);
}

#[test]
fn thunks_act_as_the_jump_or_return_they_replace() {
    let steps = [
        // An indirect jump by -mindirect-branch=thunk.
        (0x1000, &[0xe8, 0xfb, 0x0f, 0, 0][..]), // call 0x2000, the thunk
        (0x2000, &[0xe8, 7, 0, 0, 0]),           // call 0x200c
        (0x200c, &[0x48, 0x89, 0x04, 0x24]),     // mov %rax, (%rsp)
        (0x2010, RET),
        (0x5000, RET),                 // where %rax points
        (0x1005, &[0xe8, 0, 0, 0, 0]), // call $+5
        (0x100a, &[0x58]),
        // A return by -mfunction-return=thunk.
        (0x100b, &[0xe8, 0xf0, 0x1f, 0, 0]),    // call 0x3000
        (0x3000, &[0xe9, 0xfb, 0, 0, 0]),       // jmp 0x3100, the thunk
        (0x3100, &[0xe8, 7, 0, 0, 0]),          // call 0x310c
        (0x310c, &[0x48, 0x8d, 0x64, 0x24, 8]), // lea 8(%rsp), %rsp
        (0x3111, RET),
        (0x1010, NOP),
    ];
    assert_eq!(
        x64(&steps),
        [
            "+0x1000@0",
            "+0x2000@1",
            "+0x200c@2",
            "-0x200c@4",
            "-0x2000@5",
            "+0x3000@8",
            "+0x310c@10",
            "-0x310c@11",
            "-0x3000@12"
        ]
    );
}

#[test]
fn returns_from_calls_that_began_before_the_recording() {
    let frames = [std(0x2000, NOP), std(0x2001, RET), std(0x1005, RET), std(0x500, NOP)];
    let all = whole(&file(9, 64, &frames));
    // The callers were running from the beginning.
    assert_eq!(all.track("thread 1"), ["+0x2000@0", "-0x2000@2", "^0x1005@2", "-0x1005@3", "^0x500@3"]);
    assert_eq!(all.kinds(), [&RETURN_WITHOUT_CALL; 2]);
    assert_eq!(all.problems[0].value, 0x2001);
}

#[test]
fn some_calls_and_returns_are_used_as_jumps() {
    // call $+2; a callee that was not traced; a return used as a jump.
    let steps = [
        (0x1000, CALL),
        (0x1002, CALL),
        (0x2000, &[0xff, 0x15, 0, 0, 0, 0][..]),
        (0x2006, RET),
        (0x7777, NOP),
        (0x7778, JUMP),
        // The target of the jump was not traced, and returned in place of its caller.
        (0x1004, NOP),
    ];
    assert_eq!(x64(&steps), ["+0x1000@0", "+0x2000@2", "-0x2000@6"]);
}

#[test]
fn each_thread_has_its_own_stack() {
    let frames = [
        on(1, 0x1000, CALL),
        on(7, 0x1000, CALL),
        on(1, 0x2000, RET),
        on(7, 0x3000, NOP),
        on(7, 0x3001, RET),
        on(1, 0x1002, NOP),
        on(7, 0x1002, NOP),
        on(u64::MAX, 0, NOP),
    ];
    let all = whole(&file(9, 64, &frames));
    assert_eq!(all.track("thread 1"), ["+0x1000@0", "+0x2000@2", "-0x2000@3"]);
    assert_eq!(all.track("thread 7"), ["+0x1000@1", "+0x3000@3", "-0x3000@5"]);
    assert_eq!(all.track("thread 18446744073709551615"), ["+0x0@7"]);
    assert_eq!(all.track("recording"), ["!meta frame@0", "!end of the trace@8"]);
}

#[test]
fn delay_slots_belong_to_the_caller() {
    let words = |words: &[(u64, u32)], big: bool| -> Vec<Frame> {
        let bytes = |w: u32| if big { w.to_be_bytes() } else { w.to_le_bytes() };
        words.iter().map(|(address, word)| std(*address, &bytes(*word))).collect()
    };
    let steps = [
        (0x1000, 0x27bd_ffe0),
        (0x1004, 0x0c00_0800), // jal 0x2000
        (0x1008, 0x0000_0000), // slot
        (0x2000, 0x03e0_0008), // jr $ra
        (0x2004, 0x0000_0000), // slot
        (0x100c, 0x0411_0001), // bal to the next instruction: continues after its slot
        (0x1010, 0x0000_0000),
        (0x1014, 0x0000_0000),
    ];
    for big in [true, false] {
        let all = whole(&file(8, 32, &words(&steps, big)));
        assert_eq!(all.track("thread 1"), ["+0x1000@0", "+0x2000@3", "-0x2000@5"], "big: {big}");
    }
}

#[test]
fn arm_calls_in_both_instruction_sets_and_byte_orders() {
    let a32 = |address: u64, word: u32| std(address, &word.to_be_bytes());
    let frames = [
        a32(0x1000, 0xe3a0_0001),
        a32(0x1004, 0x0b00_0001), // bleq, not taken
        a32(0x1008, 0xfa00_03fc), // blx to Thumb at 0x2000
        std(0x2000, &[0xb5, 0x10]),
        std(0x2002, &[0xf0, 0x00, 0xff, 0xfd]), // bl 0x3000
        std(0x3000, &[0x47, 0x70]),             // bx lr
        std(0x2006, &[0xbd, 0x10]),             // pop {r4, pc}
        a32(0x100c, 0xe12f_ff1e),               // bx lr, to the first caller
        a32(0x500, 0xe1a0_0000),
    ];
    let all = whole(&file(35, 0, &frames));
    assert_eq!(
        all.track("thread 1"),
        ["+0x1000@0", "+0x2000@3", "+0x3000@5", "-0x3000@6", "-0x2000@7", "-0x1000@8", "^0x500@8"]
    );
}

#[test]
fn machines_with_unknown_calls_have_no_call_stacks() {
    let (all, decoder) = decode(&file(77, 0, &[std(0x200, &[0x20, 0, 3]), std(0x300, &[0x60])]), &[9], 5);
    assert_eq!(all.track("thread 1"), ["+0x200@0"]);
    assert!(decoder.info().properties.iter().any(|(name, _)| *name == "Call stack"));
}

#[test]
fn frames_other_than_instructions_are_instants() {
    let frames = [
        Frame::ModLoad { name: "libc.so".into(), low: 0x1000, high: 0x1fff },
        std(0x1000, &[0x0f, 5]),
        Frame::Syscall { address: 0x1000, thread: 1, number: 60, arguments: vec![-1, i64::MIN, 5] },
        Frame::Exception { number: 14, thread: Some(1), from: Some(5), to: None },
        Frame::Exception { number: 3, thread: None, from: None, to: None },
        Frame::TaintIntro(vec![
            TaintIntro { address: 5, id: u64::MAX, ..TaintIntro::default() },
            TaintIntro { source: Some("stdin".into()), value: Some(vec![7, 1]), offset: Some(9), ..Default::default() },
            TaintIntro { source: Some("other".into()), ..Default::default() },
        ]),
        Frame::Key(vec![
            (None, vec![Operand::stored(16, 7)]),
            (Some(3), vec![Operand { taint: None, ..Operand::read("RAX", u64::MAX) }]),
        ]),
    ];
    let file = file(9, 64, &frames);
    let (all, decoder) = decode(&file, &[3], 2);
    assert_eq!(all.problems, []);
    assert_eq!(all.track("modules"), ["!libc.so@0"]);
    assert_eq!(all.track("thread 1"), ["+0x1000@1", "!system call 60@2", "!exception 14@3"]);
    assert_eq!(all.track("taint"), ["!taint from stdin@5"]);
    assert_eq!(all.track("recording"), ["!meta frame@0", "!exception 3@4", "!key frame@6", "!end of the trace@7"]);
    let of = |time: u64, kind: &str| {
        let event = all.events.iter().find(|e| e.2 == time && all.names[e.3 as usize].starts_with(kind)).unwrap();
        details(&file, decoder.as_ref(), event.4).fields
    };
    assert_eq!(field(&of(0, "libc"), "Last address"), Some(Value::Hex(0x1fff)));
    assert_eq!(
        field(&of(2, "system"), "Arguments"),
        Some(Value::List(vec![Value::I64(-1), Value::Hex(1 << 63), Value::I64(5)]))
    );
    let Some(Value::Tree(key)) = field(&of(6, "key"), "Thread 3") else { panic!() };
    assert_eq!(field(&key, "RAX"), Some(Value::Hex(u64::MAX)));
    let Some(Value::Tree(taint)) = field(&of(5, "taint"), "[0x0]") else { panic!() };
    assert_eq!(field(&taint, "Value"), Some(Value::Hex(0x107)));
    assert_eq!(field(&of(7, "end"), "Frames"), Some(Value::U64(7)));
}

#[test]
fn details_of_an_instruction_have_exact_values() {
    let wide: Vec<u8> = (0..64).collect();
    let operand = |bits: i32, value: &[u8]| Operand { bits, value: value.to_vec(), ..Operand::read("R", 0) };
    let frame = Frame::Std(Std {
        address: u64::MAX,
        thread: 9,
        bytes: vec![0x48, 0x89, 0xe5],
        pre: vec![
            operand(64, &u64::MAX.to_le_bytes()),
            Operand { bits: 1, value: vec![0xff, 0, 0, 0], ..Operand::read("ZF", 0) },
            Operand { bits: 0, value: vec![0x34, 0x12], ..Operand::read("AX", 0) },
            Operand { bits: 512, value: wide.clone(), ..Operand::read("ZMM0", 0) },
            Operand { bits: 4096, value: vec![1; 512], ..Operand::read("ZA", 0) },
            Operand { usage: [true, false, false, true], ..Operand::read("RSP", 1) }.tainted(Taint::Multiple),
        ],
        post: Some(vec![Operand::stored(0x1234, 0xabcd).tainted(Taint::Id(7))]),
        mode: Some("some mode".into()),
    });
    let file = file(9, 64, &[frame]);
    let (all, decoder) = decode(&file, &[1], 1);
    let event = all.events.iter().find(|e| e.0 == EventKind::Begin).unwrap();
    let details = details(&file, decoder.as_ref(), event.4).fields;
    let code = Value::Code { isa: "x86-64", address: u64::MAX, bytes: vec![0x48, 0x89, 0xe5] };
    assert_eq!(field(&details, "Instruction"), Some(code));
    assert_eq!(field(&details, "Address"), Some(Value::Hex(u64::MAX)));
    assert_eq!(field(&details, "Bytes"), Some(Value::Bytes { bytes: vec![0x48, 0x89, 0xe5], len: 3 }));
    assert_eq!(field(&details, "Mode"), Some(Value::Text("some mode".into())));
    let Some(Value::Tree(read)) = field(&details, "Read") else { panic!() };
    assert_eq!(field(&read, "R"), Some(Value::Hex(u64::MAX)));
    assert_eq!(field(&read, "ZF"), Some(Value::Hex(1)));
    assert_eq!(field(&read, "AX"), Some(Value::Hex(0x1234)));
    let hex: String = wide.iter().rev().map(|b| format!("{b:02x}")).collect();
    assert_eq!(field(&read, "ZMM0"), Some(Value::Text(format!("0x{hex}"))));
    assert_eq!(field(&read, "ZA"), Some(Value::Bytes { bytes: vec![1; 512], len: 512 }));
    let Some(Value::Tree(rsp)) = field(&read, "RSP") else { panic!() };
    assert_eq!(field(&rsp, "Use"), Some(Value::Text("read, base of an address".into())));
    assert_eq!(field(&rsp, "Taint"), Some(Value::Text("of several sources".into())));
    let Some(Value::Tree(written)) = field(&details, "Written") else { panic!() };
    let Some(Value::Tree(memory)) = field(&written, "[0x1234]") else { panic!() };
    assert_eq!((field(&memory, "Value"), field(&memory, "Taint")), (Some(Value::Hex(0xabcd)), Some(Value::Id(7))));
}

#[test]
fn tables_of_all_writers_fit_and_wrong_tables_do_no_harm() {
    let frames: Vec<Frame> = (0..130).map(|i| std(0x1000 + i, NOP)).collect();
    let write = |n: usize, table| {
        let mut writer = Writer::new(2, 9, 64, None);
        frames[..n].iter().for_each(|f| writer.frame(f));
        writer.finish(table)
    };
    for n in [0, 1, 63, 64, 65, 128, 130] {
        for m in [1, 8, 64, 10_000] {
            for table in [Table::Libtrace(m), Table::Tracewrap(m), Table::Plugin(m), Table::Padded(m), Table::None] {
                let all = whole(&write(n, table));
                assert_eq!((all.kinds(), all.records), (vec![], n as u64), "{n} frames, {table:?}");
            }
        }
    }
    let good = write(130, Table::Libtrace(64));
    let at = u64::from_le_bytes(good[40..48].try_into().unwrap()) as usize;
    let wrong = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut file = good.clone();
        change(&mut file);
        let all = whole(&file);
        assert_eq!(all.records, 130);
        all.kinds()
    };
    let put = |file: &mut Vec<u8>, at: usize, value: u64| file[at..at + 8].copy_from_slice(&value.to_le_bytes());
    assert_eq!(wrong(&|f| put(f, 32, 129)), [&WRONG_COUNT]);
    assert_eq!(wrong(&|f| put(f, at, 0)), [&BAD_TABLE]);
    assert_eq!(wrong(&|f| put(f, at + 8, u64::MAX)), [&BAD_TABLE]);
    assert_eq!(wrong(&|f| put(f, 40, 1 << 40)), [&BAD_TABLE], "an offset beyond the end");
    assert_eq!(wrong(&|f| put(f, 40, 77)), [&BAD_TABLE], "an offset within a frame");
    assert_eq!(wrong(&|f| f.truncate(at)), [&BAD_TABLE]);
    assert_eq!(wrong(&|f| f.truncate(at + 12)), [&BAD_TABLE]);
    assert_eq!(wrong(&|f| f.push(0)), [&BAD_TABLE]);
}

#[test]
fn all_versions_decode() {
    for version in 0..=4 {
        let mut writer = Writer::new(version, 9, 64, None);
        (0..20).for_each(|i| writer.frame(&std(0x1000 + i, NOP)));
        let file = writer.finish(Table::Libtrace(8));
        let (all, decoder) = decode(&file, &[7], 3);
        assert_eq!((all.kinds(), all.records), (vec![], 20), "version {version}");
        assert_eq!(decoder.info().title, format!("BAP frames {version}"));
    }
}

#[test]
fn the_meta_frame_is_in_the_properties_and_in_details() {
    let mut meta = Meta { user: "Ada".into(), time: 1_700_000_000.0, size: -5, ..Meta::default() };
    meta.tracer.name = "qemu".into();
    meta.tracer.last = b"2.0.0/tracewrap".to_vec();
    meta.target.arguments = vec!["a".into(), "b c".into()];
    meta.target.environment = vec!["A=1=2".into(), "B".into()];
    meta.target.last = vec![0xab; 16];
    let file = Writer::new(2, 9, 64, Some(&meta)).finish(Table::Libtrace(10));
    let properties = (format().open)(&file, options(&file)).unwrap().stream().unwrap().info().properties;
    let property = |name| properties.iter().find(|p| p.0 == name).map(|p| p.1.as_str());
    assert_eq!(property("Tracer"), Some("qemu 2.0.0/tracewrap"));
    assert_eq!(property("Arguments"), Some("a b c"));
    assert_eq!(property("MD5"), Some("abababababababababababababababab"));
    assert_eq!(property("Traced on"), Some("2023-11-14 22:13:20 UTC"));
    assert_eq!(property("Machine"), Some("i386, x86-64"));
    let (_, decoder) = decode(&file, &[5], 1);
    assert_eq!(decoder.info().properties, properties, "independent of portions");
    let details = details(&file, decoder.as_ref(), Locator::at(48)).fields;
    let Some(Value::Tree(target)) = field(&details, "Target") else { panic!() };
    let environment = vec![Field::new("A", Value::Text("1=2".into())), Field::new("B", Value::Text(String::new()))];
    assert_eq!(field(&target, "Environment"), Some(Value::Tree(environment)));
    let Some(Value::Tree(stats)) = field(&details, "File of the target") else { panic!() };
    assert_eq!(field(&stats, "Size in bytes"), Some(Value::I64(-5)));
}

#[test]
fn fields_may_be_in_any_order_unknown_or_packed() {
    #[rustfmt::skip]
    let reversed = vec![
        0x0a, 0x17,
        0x32, 1, b'm',          // mode
        0x2a, 0,                // an empty list
        0x22, 0,
        0x7a, 2, 0xff, 0xff,    // a field that is not in the schema
        0x1a, 1, 0x90,          // bytes
        0x7d, 1, 2, 3, 4,       // 32 bits that are not
        0x10, 1,                // thread
        0x08, 7,                // address
    ];
    let packed = vec![0x12, 0x0c, 0x08, 1, 0x10, 1, 0x18, 0, 0x22, 4, 0x0a, 2, 0x01, 0x02];
    assert_eq!(usize::from(reversed[1]), reversed.len() - 2);
    let mut writer = Writer::new(1, 9, 64, None);
    writer.frame(&Frame::Raw(reversed));
    writer.frame(&Frame::Raw(packed));
    let file = writer.finish(Table::Libtrace(10));
    let (text, problems, _) = text(&file, 3);
    assert_eq!(problems, []);
    assert_eq!(
        text,
        concat!(
            r#"{"i": 0, "offset": 48, "len": 25, "std_frame": {"address": 7, "thread_id": 1, "rawbytes": "90", "#,
            r#""operand_pre_list": {}, "operand_post_list": {}, "mode": "m"}}"#,
            "\n",
            r#"{"i": 1, "offset": 81, "len": 14, "syscall_frame": {"address": 1, "thread_id": 1, "number": 0, "#,
            r#""argument_list": {"elem": [-1, 1]}}}"#,
            "\n",
        )
    );
}

#[test]
fn invalid_frames_are_reported_and_skipped() {
    let mut writer = Writer::new(1, 9, 64, None);
    writer.frame(&std(0x1000, CALL));
    writer.frame(&Frame::Raw(vec![]));
    writer.frame(&Frame::Raw(vec![0x3a, 2, 8, 1])); // an unknown kind
    writer.frame(&Frame::Raw(vec![0x0a, 2, 0x10, 1])); // no address
    writer.frame(&Frame::Raw(vec![0x0a, 9, 0x08])); // a message longer than its frame
    writer.frame(&std(0x2000, NOP));
    let file = writer.finish(Table::Libtrace(10));
    let all = whole(&file);
    assert_eq!(all.kinds(), [&UNKNOWN_RECORD, &UNKNOWN_RECORD, &UNKNOWN_RECORD, &MALFORMED]);
    assert_eq!((all.problems[3].at, all.problems[3].value), (all.problems[2].at + 8 + 4 + 8, 3));
    assert_eq!(all.track("thread 1"), ["+0x1000@0", "+0x2000@5"]);
    assert_eq!(text(&file, 1 << 20).1, all.problems);
}

#[test]
fn a_truncated_file_keeps_its_complete_frames() {
    let frames: Vec<Frame> = (0..12).map(|i| on(i % 2, 0x1000 + i, NOP)).collect();
    let file = file(9, 64, &frames);
    let complete = whole(&file);
    let table = u64::from_le_bytes(file[40..48].try_into().unwrap()) as usize;
    for len in 48..table {
        let all = whole(&file[..len]);
        assert_eq!(all.kinds(), [&TRUNCATED], "cut at {len}");
        assert_eq!(all.problems[0].at, len as u64);
        let events = all.events.iter().filter(|e| all.names[e.3 as usize] != "end of the trace");
        assert!(events.zip(&complete.events).all(|(a, b)| a == b), "cut at {len}");
    }
}

#[test]
fn an_impossible_length_ends_the_trace() {
    let mut bad = file(9, 64, &[std(1, NOP), std(2, NOP)]);
    let at = 56 + u64::from_le_bytes(bad[48..56].try_into().unwrap()) as usize + 19;
    assert_eq!(bad[at], 11, "the second frame's length");
    bad[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    let all = whole(&bad);
    assert_eq!((all.kinds(), all.records), (vec![&MALFORMED], 1));
    assert_eq!((all.problems[0].at, all.problems[0].value), (at as u64, (bad.len() - at) as u64));
}

#[test]
fn large_frames_decode_in_portions() {
    let value = vec![0x5a; 3 << 20];
    let operand = Operand { value, ..Operand::read("R", 0) };
    let big = Frame::Std(Std { address: 5, thread: 6, bytes: vec![0x90], pre: vec![operand], ..Std::default() });
    let file = file(9, 64, &[std(1, NOP), big, on(6, 6, NOP)]);
    let (all, decoder) = decode(&file, &[4096, 1], 2);
    assert_eq!(all.problems, []);
    assert_eq!(all.track("thread 6"), ["+0x5@1"]);
    let event = all.events.iter().find(|e| e.0 == EventKind::Begin && e.2 == 1).unwrap();
    let shown = details(&file, decoder.as_ref(), event.4);
    assert_eq!(field(&shown.fields, "Address"), Some(Value::Hex(5)));
    assert_eq!(shown.remarks.len(), 1);
    assert_eq!(text(&file, 1 << 16).0.lines().count(), 3);
}

#[test]
fn calls_that_are_too_deep_are_not_shown() {
    let frames: Vec<Frame> = (0..12_000).map(|i| std(0x1000 + (i % 3) * 16, CALL)).collect();
    let all = whole(&file(9, 64, &frames));
    assert_eq!(all.kinds(), [&TOO_DEEP]);
    assert_eq!(all.events.iter().filter(|e| e.0 == EventKind::Begin).count(), 10_001);
}

/// All files below a folder; none if it does not exist. The stack pointer before each frame of an
/// x86-64 trace, as far as the frames list it.
fn stack_pointers(file: &[u8]) -> Vec<Option<u64>> {
    let word = |at: usize| file.get(at..at + 8).map(|b| u64::from_le_bytes(b.try_into().unwrap()) as usize);
    let table = word(40).filter(|table| *table > 0).unwrap_or(file.len());
    let (mut found, mut at) = (Vec::new(), 56 + word(48).unwrap_or(0));
    while at < table
        && let Some(frame) = word(at).and_then(|len| file.get(at + 8..at + 8 + len))
    {
        found.push(records::Frame::new(frame).std.and_then(|std| {
            let rsp = std.pre?.operands().find(|o| o.place.unwrap().register == Some(Some(&b"RSP"[..])))?;
            Some(u64::from_le_bytes(rsp.value?.try_into().ok()?))
        }));
        at += 8 + frame.len();
    }
    found
}

#[test]
fn calls_of_real_executions_end_where_the_stack_pointer_says() {
    let files = unspool_corpus::files("", u64::MAX);
    if files.is_empty() {
        return;
    }
    let mut calls = 0;
    for path in files {
        let file = std::fs::read(&path).unwrap();
        let probe = Probe { head: &file, tail: &file, size: file.len() as u64, name: "" };
        let x64 = file.get(16..32) == Some(&[9u64.to_le_bytes(), 64u64.to_le_bytes()].concat()[..]);
        if (format().sniff)(&probe).is_none() || !x64 || !matches!(file[8], 2 | 3) {
            continue;
        }
        let steps = stack_pointers(&file);
        let all = whole(&file);
        let ends: Vec<u64> = all.events.iter().filter(|e| e.0 == EventKind::EndOf).map(|e| e.2).collect();
        if ends.windows(2).any(|pair| pair[0] == pair[1]) {
            // A jump out of several calls: after it, the stack pointer is not that of a return.
            continue;
        }
        let mut open: Vec<Option<u64>> = Vec::new();
        for (kind, _, time, _, _) in &all.events {
            let step = *time as usize;
            let at = || format!("{} at step {step}", path.display());
            match kind {
                EventKind::Begin if step > 0 => open.push(steps[step]),
                EventKind::EndOf => {
                    // After a return the stack has one word less than after the call.
                    let rsp = steps.get(step..).and_then(|rest| rest.iter().find_map(|s| *s));
                    let entry = open.pop().flatten();
                    if let Some((entry, rsp)) = entry.zip(rsp) {
                        calls += 1;
                        assert_eq!(entry + 8, rsp, "{}", at());
                    }
                }
                _ => {}
            }
            // No call is open whose stack is gone.
            if let Some(rsp) = steps.get(step).copied().flatten() {
                assert!(open.iter().flatten().all(|entry| *entry >= rsp), "{}", at());
            }
        }
    }
    assert!(calls > 100, "{calls}");
}
