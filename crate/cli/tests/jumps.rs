//! Calls that were left by `longjmp` or an exception: what a program says of the log that it wrote.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

fn unspool(command: &str, log: &Path, more: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_unspool")).arg(command).arg(log).args(more).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let is_quiet = errors.lines().all(|line| line.contains(": Figures are uncertain: "));
    assert!(output.status.success() && is_quiet, "{command} {}: {errors}", log.display());
    String::from_utf8(output.stdout).unwrap()
}

/// How often each stack was called.
fn stacks(log: &Path, more: &[&str]) -> BTreeMap<String, u64> {
    let text = unspool("stats", log, &[&["--by", "stack", "--csv"], more].concat());
    let row = |line: &str| {
        let mut cells = line.splitn(4, ',');
        let count = cells.next()?.parse().ok()?;
        Some((cells.nth(2)?.to_string(), count))
    };
    text.lines().skip(1).map(|line| row(line).unwrap()).collect()
}

/// The times of the last column are left out.
fn slices(log: &Path, more: &[&str]) -> Vec<String> {
    let text = unspool("slices", log, more);
    text.lines().map(|line| line.split_once("..").unwrap().1.split_once("  ").unwrap().1.to_string()).collect()
}

#[test]
fn what_follows_a_jump_is_below_the_function_that_goes_on() {
    let (log, program) = (root("tests/fixtures/binaries/jumps.xray"), root("tests/fixtures/binaries/jumps.elf"));
    let binary = ["--binary", program.to_str().unwrap()];
    let (before, after) = (stacks(&log, &[]), stacks(&log, &binary));
    assert_eq!(before.get("#9;#4;#1"), None, "as the log has it");
    assert_eq!(after.get("_start;setter;leaf"), Some(&3));
    assert_eq!(after.get("_start;setter;jumper;leaf"), Some(&3));
    let found = slices(&log, &binary);
    let last = found.iter().rposition(|slice| slice.contains("setter")).unwrap();
    assert_eq!(
        found[last..last + 11].iter().map(|slice| slice.as_str()).collect::<Vec<_>>(),
        [
            "  setter",
            "    jumper  [end-inferred, uncertain]",
            "      leaf  [uncertain]",
            "      jumper  [end-inferred, uncertain]",
            "        leaf  [uncertain]",
            "        jumper  [end-inferred, uncertain]",
            // A signal handler ends nothing, and is not a call of what it interrupts.
            "          on_signal  [uncertain]",
            "            leaf  [uncertain]",
            "          leaf  [uncertain]",
            "    leaf",
            "  catcher",
        ]
    );
    // Code without sleds may be between them, so nothing is cut.
    let first = found.iter().position(|slice| slice.contains("catcher")).unwrap();
    assert_eq!(
        found[first..first + 5].iter().map(|slice| slice.as_str()).collect::<Vec<_>>(),
        [
            "  catcher",
            "    unclear  [end-inferred, uncertain]",
            "      tail  [uncertain]",
            "      leaf  [uncertain]",
            "      inner  [uncertain]",
        ]
    );
    let info = unspool("info", &log, &binary);
    assert!(info.contains("6 calls were left by a jump or an exception"), "{info}");
    assert!(info.contains("1 call was still open when its caller returned"), "{info}");
    // Tail calls nest in the same way.
    let nested = stacks(&log, &[&binary[..], &["--nest-tail-calls"]].concat());
    assert_eq!((nested.get("_start;setter;leaf"), nested.get("_start;tail;leaf")), (Some(&3), Some(&3)));
}

/// Commands say on stderr whether their figures are uncertain.
#[test]
fn figures_are_said_to_be_uncertain() {
    let (log, program) = (root("tests/fixtures/binaries/jumps.xray"), root("tests/fixtures/binaries/jumps.elf"));
    let said = |log: &Path, more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_unspool")).arg("stats").arg(log).args(more).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let literal = said(&log, &[]);
    assert!(literal.contains("Figures are uncertain: the log has no exit of 7 calls."), "{literal}");
    assert!(literal.contains("the program that wrote the log shows where. Add it with --binary."), "{literal}");
    let cut = said(&log, &["--binary", program.to_str().unwrap()]);
    assert!(cut.contains("no exit of 1 call.") && !cut.contains("--binary"), "{cut}");
    assert!(!said(&root("tests/fixtures/xray/tail-calls.xray"), &[]).contains("uncertain"));
}

#[test]
fn a_program_changes_nothing_where_no_call_was_left() {
    let program = root("tests/fixtures/binaries/jumps.elf");
    for log in ["binaries/program.xray", "xray/tail-calls.xray", "xray/events.xray", "xray/copies.xray"] {
        let log = root("tests/fixtures").join(log);
        let digest = |more: &[&str]| {
            let json = unspool("info", &log, &[&["--json"], more].concat());
            serde_json::from_str::<serde_json::Value>(&json).unwrap()["digest"].clone()
        };
        let binary = format!("0={}", program.display());
        assert_eq!(digest(&[]), digest(&["--binary", &binary]), "{}", log.display());
    }
}

/// Real logs, whose true calls are known: `README.md` there.
#[test]
fn real_logs_have_the_calls_that_were_made() {
    let Some(folder) = unspool_corpus::path("xray-real") else { return };
    let counts = |log: &str, binary: &str| {
        let program = folder.join(binary);
        stacks(&folder.join(log), &["--binary", program.to_str().unwrap()])
    };
    let ending = |stacks: &BTreeMap<String, u64>, end: &str| {
        let of = stacks.iter().filter(|(stack, _)| *stack == end || stack.ends_with(&format!(";{end}")));
        of.map(|(_, count)| count).sum::<u64>()
    };
    let mix = counts("mix-fdr-5.xray", "mix-fdr-5.elf");
    assert_eq!(ending(&mix, "catcher(int);leaf(int)"), 70);
    assert_eq!(ending(&mix, "setter(int);leaf(int)"), 40);
    assert_eq!(ending(&mix, "leaf(int)"), 866);
    // Each call of these calls leaf once.
    assert_eq!(ending(&mix, "thrower(int);leaf(int)"), ending(&mix, "thrower(int)"));
    assert_eq!(ending(&mix, "jumper(int);leaf(int)"), ending(&mix, "jumper(int)"));
    let live = counts("live-thread.xray", "live-thread.elf");
    assert_eq!((ending(&live, "g"), ending(&live, "main")), (1000, 1));
}

/// The code of this test, as one decoder and the other see it.
#[test]
fn instructions_have_the_lengths_that_the_disassembler_says() {
    let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let word = |at: usize, len: usize| bytes[at..at + len].iter().rev().fold(0, |all, byte| all << 8 | *byte as usize);
    if !bytes.starts_with(b"\x7fELF\x02") || word(18, 2) != 62 {
        println!("skipped: this is not 64-bit x86");
        return;
    }
    let (table, count) = (word(40, 8), word(60, 2));
    let mut compared = 0;
    for row in (0..count).map(|i| table + i * 64) {
        let (kind, flags, at, len) = (word(row + 4, 4), word(row + 8, 8), word(row + 24, 8), word(row + 32, 8));
        if kind != 1 || flags & 4 == 0 {
            continue;
        }
        let code = &bytes[at..at + len];
        let starts = unspool_disassembler::starts(64, 0, code);
        let ends = starts.iter().skip(1).copied().chain([len as u32]);
        for (start, end) in starts.iter().zip(ends) {
            let found = unspool_symbols::length(&code[*start as usize..]);
            let bytes = &code[*start as usize..end as usize];
            assert_eq!(found, Some(bytes.len()), "at {start:#x}: {bytes:02x?}");
            compared += 1;
        }
    }
    assert!(compared > 100_000, "{compared}");
}
