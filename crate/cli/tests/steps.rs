//! `unspool state`, `history`, `origin` and `coverage` on traces whose every value is known.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use unspool_formats::frames::encode::{Frame, Operand, Place, Std, Table, Taint, Writer};

fn operand(place: Place, value: &[u8]) -> Operand {
    Operand { place, bits: 8 * value.len() as i32, usage: [true; 4], taint: Some(Taint::No), value: value.into() }
}

fn register(name: &str, value: u64) -> Operand {
    operand(Place::Register(name.into()), &value.to_le_bytes())
}

fn memory(address: u64, value: &[u8]) -> Operand {
    operand(Place::Memory(address), value)
}

fn step(address: u64, pre: Vec<Operand>, post: Vec<Operand>) -> Frame {
    let bytes = vec![0x90, 0x90];
    Frame::Std(Std { address, thread: 7, bytes, pre, post: Some(post), mode: None })
}

/// A write, a read of a part, a read that disagrees, and an instruction that is executed twice.
fn trace(name: &str) -> PathBuf {
    let frames = [
        step(0x401000, vec![register("RAX", 5)], vec![memory(0x1004, b"\x01\x02\x03\x04")]),
        Frame::ModLoad { name: "libx.so".into(), low: 0x7000, high: 0x7fff },
        step(0x401002, vec![memory(0x1006, b"\x03")], vec![register("RAX", 6)]),
        step(0x7004, vec![memory(0x1004, b"\x09")], vec![]),
        step(0x401002, vec![register("RAX", 6)], vec![memory(0x1000, b"\xff\xee\xdd\xcc\xbb\xaa")]),
    ];
    let mut writer = Writer::new(3, 9, 64, None);
    frames.iter().for_each(|frame| writer.frame(frame));
    let path = std::env::temp_dir().join(format!("unspool-{}-{name}.frames", std::process::id()));
    std::fs::write(&path, writer.finish(Table::None)).unwrap();
    path
}

fn unspool(args: &[&str], name: &str) -> Output {
    let path = trace(name);
    let mut command = Command::new(env!("CARGO_BIN_EXE_unspool"));
    let output = command.arg(args[0]).arg(&path).args(&args[1..]).output().unwrap();
    std::fs::remove_file(path).unwrap();
    output
}

fn text(args: &[&str], name: &str) -> String {
    let Output { status, stdout, stderr } = unspool(args, name);
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

#[test]
fn state_before_and_after_a_step() {
    let json: Value =
        serde_json::from_str(&text(&["state", "--at", "3", "--memory", "0x1002+8", "--json"], "state")).unwrap();
    assert_eq!(json["thread"], 7);
    assert_eq!(json["registers"]["RAX"]["value"], "0600000000000000");
    assert_eq!(json["registers"]["RAX"]["step"], 2);
    assert_eq!(json["registers"]["RAX"]["how"], "written");
    // What the step reads is known before it. Bytes that no step has accessed are not 0.
    assert_eq!(json["memory"][0]["bytes"], "????09020304????");
    let steps = serde_json::json!([null, null, 3, 0, 2, 0, null, null]);
    assert_eq!(json["memory"][0]["steps"], steps);
    let after = text(&["state", "--at", "4", "--after", "--memory", "0x1000+8"], "after");
    assert!(after.contains("ff ee dd cc bb aa 03 04"), "{after}");
    let before = text(&["state", "--at", "4", "--memory", "0x1000+8"], "before");
    assert!(before.contains("?? ?? ?? ?? 09 02 03 04"), "{before}");
    assert!(before.contains("RAX          0x0000000000000006    read at 4"), "{before}");
}

#[test]
fn history_of_registers_and_memory() {
    assert_eq!(
        text(&["history", "0x1005+2", "--json"], "memory").lines().collect::<Vec<_>>(),
        [
            r#"{"step":0,"thread":7,"how":"written","value":"01020304","address":4100}"#,
            r#"{"step":2,"thread":7,"how":"read","value":"03","address":4102}"#,
            r#"{"step":4,"thread":7,"how":"written","value":"ffeeddccbbaa","address":4096}"#,
        ]
    );
    let of_register = text(&["history", "RAX", "--from", "1", "--to", "2"], "register");
    assert_eq!(of_register, "           2  thread 7      written  0x0000000000000006\n");
}

/// The steps that access a range of memory, and how, according to the dump of a file.
fn accesses_in(dump: &str, from: u64, len: u64) -> Vec<(u64, &'static str)> {
    let mut found = Vec::new();
    for line in dump.lines() {
        let frame: Value = serde_json::from_str(line).unwrap();
        for (list, how) in [("operand_pre_list", "read"), ("operand_post_list", "written")] {
            for operand in frame["std_frame"][list]["elem"].as_array().into_iter().flatten() {
                let Some(at) = operand["operand_info_specific"]["mem_operand"]["address"].as_u64() else { continue };
                let bytes = operand["value"].as_str().unwrap().len() as u64 / 2;
                if at < from + len && from < at + bytes {
                    found.push((frame["i"].as_u64().unwrap(), how));
                }
            }
        }
    }
    found
}

#[test]
fn history_and_search_of_memory_agree_with_the_dump() {
    let Some(path) = unspool_corpus::path("frames/real-loads-stores.frames") else { return };
    let path = path.to_str().unwrap();
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_unspool")).args(args).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let dump = run(&["dump", path, "--as", "jsonl"]);
    // A global variable and its neighbours, a byte within it, a range of the stack, and what no
    // step accesses.
    for (from, len) in [(0x4a_72e4, 4), (0x4a_72e6, 1), (0x4a_72d0, 40), (0x7fff_ffff_e52b, 18), (0x10, 8)] {
        let expected = accesses_in(&dump, from, len);
        assert_eq!(expected.is_empty(), from == 0x10);
        let history = run(&["history", path, &format!("{from:#x}+{len}"), "--json"]);
        let found: Vec<(u64, String)> = history
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .map(|line| (line["step"].as_u64().unwrap(), line["how"].as_str().unwrap().into()))
            .collect();
        assert!(found.iter().map(|(step, how)| (*step, how.as_str())).eq(expected.iter().copied()), "{from:#x}");
        for (key, wanted) in [("mem", &["read", "written"][..]), ("mem.read", &["read"]), ("mem.written", &["written"])]
        {
            let hits = run(&["find", path, &format!("{key}:{from:#x}..{:#x}", from + len - 1), "--json"]);
            let hits: Vec<u64> = hits
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap()["start"].as_u64().unwrap())
                .collect();
            let mut steps: Vec<u64> =
                expected.iter().filter(|(_, how)| wanted.contains(how)).map(|(step, _)| *step).collect();
            steps.dedup();
            assert_eq!(hits, steps, "{key}:{from:#x}");
        }
    }
}

#[test]
fn coverage_for_people_and_programs() {
    let hottest = text(&["coverage"], "hottest");
    assert!(hottest.lines().nth(1).unwrap().contains("2  0x0000000000401002"), "{hottest}");
    let json: Value = serde_json::from_str(&text(&["coverage", "--as", "json"], "json")).unwrap();
    assert_eq!((&json["executed"], &json["instructions"]), (&4.into(), &3.into()));
    assert_eq!((&json["addresses"][0]["count"], &json["total"]), (&2.into(), &3.into()), "the hottest first");
    let json: Value = serde_json::from_str(&text(&["coverage", "--json", "--by", "block"], "blocks")).unwrap();
    assert_eq!(json["blocks"].as_array().unwrap().len(), 3, "the counts of the two differ");
    assert!(json.get("addresses").is_none());
    let part = text(&["coverage", "--range", "2..3", "--as", "json"], "range");
    assert_eq!(serde_json::from_str::<Value>(&part).unwrap()["executed"], 2);
    let drcov = unspool(&["coverage", "--as", "drcov"], "drcov").stdout;
    let head = String::from_utf8_lossy(&drcov);
    assert!(head.starts_with("DRCOV VERSION: 2\n") && head.contains("libx.so\n"), "{head}");
    assert!(head.contains("BB Table: 3 bbs\n"), "{head}");
}

#[test]
fn a_step_that_reads_and_writes_counts_twice() {
    let path = std::env::temp_dir().join(format!("unspool-{}-both.frames", std::process::id()));
    let mut writer = Writer::new(3, 9, 64, None);
    for value in 0..5 {
        writer.frame(&step(0x401000, vec![register("RAX", value)], vec![register("RAX", value + 1)]));
    }
    std::fs::write(&path, writer.finish(Table::None)).unwrap();
    // Names of registers have no case for those who type them.
    for (limit, listed) in [("0", 10), ("3", 3), ("7", 7)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unspool"));
        let output = command.arg("history").arg(&path).args(["rax", "--limit", limit]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), listed, "--limit {limit}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("10 accesses") && said.contains("lists all") == (listed < 10), "{said}");
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn coverage_is_joined_with_other_lists() {
    let other = trace("other");
    let path = |name: &str| std::env::temp_dir().join(format!("unspool-{}-{name}.drcov", std::process::id()));
    // Another tool's list: the first instruction, and a byte of the library that moved by 0x100.
    let file = path("list");
    let mut bytes = b"DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\nModule Table: version 2, count 2\n\
        Columns: id, base, end, entry, path\n 0, 0x401000, 0x402000, 0x0, /bin/prog\n\
        \x20 1, 0x7100, 0x80ff, 0x0, /lib/libx.so\nBB Table: 2 bbs\n"
        .to_vec();
    bytes.extend([0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 4, 0, 1, 0]);
    std::fs::write(&file, bytes).unwrap();
    let rows = |args: &[&str], name: &str| -> Vec<String> {
        let lines = text(&[&["coverage"], args].concat(), name);
        lines.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let list = file.to_str().unwrap();
    assert_eq!(rows(&["--minus", list], "minus"), ["2 0x0000000000401002 2"]);
    let first = "1 0x0000000000007004 2";
    assert_eq!(rows(&["--common", list], "common"), [first, "1 0x0000000000401000 2"]);
    let plus = ["2 0x0000000000401002 2", first, "1 0x0000000000401000 2", "0 0x0000000000007002 2"];
    assert_eq!(rows(&["--plus", list], "plus"), plus);
    assert_eq!(rows(&["--by", "module", "--plus", list], "module"), ["3 4 2 (in no module)", "1 4 1 libx.so"]);
    // The trace's own modules are known, too.
    assert_eq!(rows(&["--by", "module"], "own"), ["3 4 2 (in no module)", "1 2 1 libx.so"]);
    assert_eq!(rows(&["--by", "block"], "block")[0], "2 0x0000000000401002 2 1");
    // The same trace twice.
    let same = other.to_str().unwrap();
    assert_eq!(rows(&["--minus", same], "same"), [""; 0]);
    assert_eq!(rows(&["--plus", same], "twice")[0], "4 0x0000000000401002 2");
    std::fs::write(&file, "DRCOV VERSION: 2\nnothing").unwrap();
    let Output { status, stderr, .. } = unspool(&["coverage", "--minus", list], "wrong");
    let said = String::from_utf8(stderr).unwrap();
    assert!(!status.success() && said.contains("at byte 17, a module table was expected"), "{said}");
    for path in [file, other] {
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn what_cannot_be_asked_is_said() {
    let said = |args: &[&str], name| {
        let Output { status, stderr, .. } = unspool(args, name);
        (status.code().unwrap(), String::from_utf8(stderr).unwrap())
    };
    assert_eq!(
        said(&["state", "--at", "5"], "beyond"),
        (2, "unspool: there is no step 5: the trace has 5 steps\n".into())
    );
    let (code, sentence) = said(&["history", "0xzz"], "address");
    assert_eq!(code, 2);
    assert!(sentence.contains("0xzz is no address"), "{sentence}");
    for (name, args) in [
        ("from", &["history", "RAX", "--from", "5"][..]),
        ("backwards", &["history", "RAX", "--from", "3", "--to", "1"]),
        ("origin", &["origin", "RAX", "--at", "5"]),
        ("unnamed", &["history", "EBX"]),
        ("nowhere", &["origin", "EBX", "--at", "4"]),
    ] {
        let (code, sentence) = said(args, name);
        assert_eq!(code, 2, "{args:?}: {sentence}");
        let expected = if args.contains(&"EBX") { "register EBX; there are RAX" } else { "" };
        assert!(sentence.contains(expected), "{sentence}");
    }
}

/// The lines of `unspool origin` on a fixture: a program that computes the factorial of 5.
fn origin(args: &[&str]) -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/frames/calls.frames");
    let mut command = Command::new(env!("CARGO_BIN_EXE_unspool"));
    let Output { status, stdout, stderr } = command.arg("origin").arg(path).args(args).output().unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_value_is_followed_to_the_constants_that_it_is_made_of() {
    assert_eq!(
        origin(&["RAX", "--at", "60", "--depth", "3"]),
        [
            "RAX: 0x0000000000000006 written at 58  imul eax, ebx",
            "  RAX: 0x0000000000000002 written at 54  imul eax, ebx",
            "    RAX: 0x0000000000000001 written at 48  mov eax, 1  (constant)",
            "    RBX from RDI: 0x0000000000000002 written at 33  lea edi, [rdi-1], by 3 copies",
            "      RDI: 0x0000000000000003 written at 24  lea edi, [rdi-1]",
            // mov ebx, edi; push rbx; pop rbx
            "  RBX from RDI: 0x0000000000000003 written at 24  lea edi, [rdi-1], by 3 copies",
            "    RDI: 0x0000000000000004 written at 15  lea edi, [rdi-1]",
            "      RDI: 0x0000000000000005 written at 6  mov edi, 5  (constant)",
        ]
    );
    // A call pushes a constant, and moves the stack pointer by one.
    assert_eq!(
        origin(&["0x7fffffffdfb8+8", "--at", "50"]),
        ["0x7fffffffdfb8+8: 7910400000000000 written at 25  call 0x401060  (constant)"]
    );
    assert_eq!(origin(&["RSP", "--at", "8", "--depth", "1"])[1], "  RSP: 0x00007fffffffdff0 written at 4  push rbp");
}

#[test]
fn a_value_may_come_from_nowhere() {
    // 0x1004 was written, and read with another value. 0x1003 is unknown. RAX is known from a read
    // until step 2 writes it.
    let text = |args: &[&str], name| text(&[&["origin"], args].concat(), name);
    let changed = text(&["0x1003+3", "--at", "4"], "changed");
    let lines: Vec<_> = changed.lines().collect();
    assert_eq!(lines[0], "0x1003+1: unknown");
    assert_eq!(lines[1], "0x1004+1: changed outside the trace, seen at 3");
    assert!(lines[2].starts_with("0x1005+1: 02 written at 0  "), "{changed}");
    assert_eq!(text(&["RAX", "--at", "1"], "read"), "RAX: not written before: first known from a read at 0\n");
}

#[test]
fn coverage_of_a_block_trace_counts_instructions_in_all_blocks() {
    let Some(path) = unspool_corpus::path("rvn/medium.sqlite") else { return };
    let path = path.to_str().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_unspool")).args(["coverage", path, "--as", "json"]).output().unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    // By SQL: transitions of blocks with instructions, and their different addresses.
    assert_eq!(json["executed"], 6_119_359);
    assert_eq!(json["instructions"], 13_955);
}

/// A store and a load on big-endian MIPS, in both orders in which tracers write memory: both are
/// copies of the register.
#[test]
fn copies_through_memory_of_big_endian_machines_are_passed_over() {
    use unspool_formats::frames::encode::{Frame, Meta, Operand, Std, Table, Writer};

    let value = |operand: Operand, value: [u8; 4]| Operand { value: value.to_vec(), bits: 32, ..operand };
    let register = [0x44, 0x33, 0x22, 0x11];
    let dir = tempfile::tempdir().unwrap();
    for (name, memory) in [("as-addressed", [0x11, 0x22, 0x33, 0x44]), ("lowest-first", register)] {
        let step = |number: u64, bytes: [u8; 4], pre: Vec<Operand>, post: Operand| {
            let address = 0x40_0000 + 4 * number;
            Frame::Std(Std { address, thread: 1, bytes: bytes.to_vec(), pre, post: Some(vec![post]), mode: None })
        };
        let mut writer = Writer::new(3, 8, 32, Some(&Meta::default()));
        for frame in [
            step(0, [0x3c, 8, 0x11, 0x22], vec![], value(Operand::written("t0", 0), register)),
            step(
                1,
                [0xac, 0x88, 0, 0],
                vec![value(Operand::read("t0", 0), register)],
                value(Operand::stored(64, 0), memory),
            ),
            step(
                2,
                [0x8c, 0x89, 0, 0],
                vec![value(Operand::loaded(64, 0), memory)],
                value(Operand::written("t1", 0), register),
            ),
            step(3, [0, 0, 0, 0], vec![], value(Operand::written("t3", 0), [0; 4])),
        ] {
            writer.frame(&frame);
        }
        let path = dir.path().join(name);
        std::fs::write(&path, writer.finish(Table::Libtrace(10_000))).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_unspool"))
            .arg("origin")
            .arg(&path)
            .args(["t1", "--at", "3"])
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.starts_with("t1 from t0: 0x11223344 written at 0 "), "{name}: {said}");
        assert!(said.contains("by 2 copies"), "{name}: {said}");
    }
}
