//! `--binary`: names of functions from programs and libraries.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/binaries").join(name)
}

fn unspool(command: &str, trace: &Path, binaries: &[&Path]) -> Output {
    let mut unspool = Command::new(env!("CARGO_BIN_EXE_unspool"));
    unspool.arg(command).arg(trace);
    binaries.iter().for_each(|binary| {
        unspool.arg("--binary").arg(binary);
    });
    unspool.output().unwrap()
}

fn records(output: &Output) -> Vec<Value> {
    String::from_utf8_lossy(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_record_of_a_dump_has_its_function() {
    let output = unspool("dump", &fixture("program.xray"), &[&fixture("program.elf")]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let records = records(&output);
    assert_eq!(records.len(), 42);
    assert!(records.iter().all(|it| it["function"].is_string()));
    assert_eq!((records[0]["func_id"].as_i64(), records[0]["function"].as_str()), (Some(7), Some("_start")));
    let plain = unspool("dump", &fixture("program.xray"), &[]);
    assert!(self::records(&plain).iter().all(|it| it["function"].is_null()));
}

#[test]
fn other_commands_show_names_too() {
    for command in ["stats", "slices"] {
        let output = unspool(command, &fixture("program.xray"), &[&fixture("stripped.elf"), &fixture("program.debug")]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("program::generic::<u8>") && !text.contains('#'), "{command}: {text}");
    }
    let mut find = Command::new(env!("CARGO_BIN_EXE_unspool"));
    find.args(["find"])
        .arg(fixture("program.xray"))
        .arg("name:program::leaf")
        .arg("--binary")
        .arg(fixture("program.elf"));
    let output = find.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 3);
    let info = unspool("info", &fixture("program.xray"), &[&fixture("program.elf")]);
    assert!(String::from_utf8_lossy(&info.stdout).contains("It names 7 functions of this trace."));
}

#[test]
fn libraries_need_their_object_if_there_are_several() {
    let (log, program, library) = (fixture("libraries.xray"), fixture("program.elf"), fixture("library.so"));
    let unclear = unspool("stats", &log, &[&program, &library]);
    assert!(unclear.status.success());
    assert!(String::from_utf8_lossy(&unclear.stderr).contains("choose its object, 1 or 2"));
    assert!(!String::from_utf8_lossy(&unclear.stdout).contains("library_entry"));
    let numbered = |object: u32| PathBuf::from(format!("{object}={}", library.display()));
    let clear = unspool("stats", &log, &[&program, &numbered(1), &numbered(2)]);
    let text = String::from_utf8_lossy(&clear.stdout).into_owned();
    assert!(text.contains("library_entry (#16777218)") && text.contains("library_entry (#33554434)"), "{text}");
}

#[test]
fn a_binary_of_no_use_is_refused_with_the_reason() {
    let refused = |trace: &Path, binary: &Path| {
        let output = unspool("stats", trace, &[binary]);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let log = fixture("program.xray");
    assert!(refused(&log, &fixture("program.rs")).contains("neither ELF nor Mach-O"));
    assert!(refused(&log, &fixture("stripped.elf")).contains("names were stripped"));
    assert!(refused(&log, &fixture("program.debug")).contains("debug information only"));
    assert!(refused(&log, &fixture("library.so")).contains("none of shared libraries"));
    assert!(refused(&log, &fixture("missing")).contains("missing"));
    assert!(
        refused(&fixture("../apitrace/cut.trace"), &fixture("program.elf")).contains("Binaries name the functions")
    );
    assert!(refused(&fixture("../frames/calls.frames"), &fixture("program.elf")).contains("no base explains enough"));
    assert!(refused(&fixture("program.frames"), &fixture("stripped.elf")).contains("names were stripped"));
    assert!(refused(&fixture("../xray/threads.xray"), &fixture("program.elf")).contains("ids up to 16"));
}

#[test]
fn traces_of_addresses_are_named_at_the_base_that_is_found_or_given() {
    let (trace, program) = (fixture("program.frames"), fixture("program.elf"));
    let text = |command: &str, binary: &Path| {
        let output = unspool(command, &trace, &[binary]);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for command in ["stats", "slices"] {
        let named = text(command, &program);
        assert!(named.contains("program::generic::<u8>") && named.contains("0x7ffff7dd3010"), "{command}: {named}");
    }
    assert!(text("info", &program).contains("Its base 0x555555554000 is the one that explains most: 7 of the 7"));
    let at = |base: &str| PathBuf::from(format!("{}@{base}", program.display()));
    assert!(text("info", &at("0x555555554000")).contains("At base 0x555555554000, 7 of the 7"));
    let dumped = records(&unspool("dump", &trace, &[&program]));
    let functions: Vec<_> = dumped.iter().map(|it| it["function"].as_str().unwrap_or("none")).collect();
    assert_eq!(&functions[..4], ["none", "_start", "_start+0x1", "program::outer"]);
    let wrong = unspool("stats", &trace, &[&at("0x555555555000")]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("0 of the"), "{wrong:?}");
}

/// The logs of the corpus, with the program that wrote each.
const RECORDED: &[(&str, &str)] = &[
    ("basic-v3-deep-recursion", "recurse.clang22.elf"),
    ("basic-v3-tailcalls", "tail.clang22.elf"),
    ("fdr-v5-buffers-exhausted", "threads.clang22.elf"),
    ("fdr-v5-custom-events", "events.clang22.elf"),
    ("fdr-v5-missing-exits", "noend.clang22.elf"),
    ("fdr-v5-recursion", "recurse.clang22.elf"),
    ("fdr-v5-shared-library-ids", "dso.clang22.elf"),
    ("fdr-v5-threads-clang13", "threads.clang13.elf"),
    ("fdr-v5-threads-clang19", "threads.clang19.elf"),
    ("fdr-v5-threads", "threads.clang22.elf"),
];

/// Names are those that llvm-xray found in the same binary.
#[test]
fn names_are_those_of_llvm_xray() {
    let Some(corpus) = unspool_corpus::path("xray/recorded") else { return };
    for (log, binary) in RECORDED {
        let yaml = std::fs::read_to_string(corpus.join(format!("{log}.yaml"))).unwrap();
        let expected: BTreeSet<(i64, String)> = yaml
            .lines()
            .filter(|line| line.contains("kind: function"))
            .map(|line| {
                let (_, rest) = line.split_once("func-id: ").unwrap();
                let (id, rest) = rest.split_once(", function: ").unwrap();
                let end = rest.find(", args: ").or_else(|| rest.find(", cpu: ")).unwrap();
                (id.parse().unwrap(), rest[..end].trim_matches('\'').into())
            })
            .collect();
        let output = unspool("dump", &corpus.join(format!("{log}.xray")), &[&corpus.join(binary)]);
        let name = |record: &Value| record["function"].as_str().map(String::from);
        let found: BTreeSet<(i64, String)> = records(&output)
            .iter()
            .filter(|record| record["kind"].as_str().unwrap().starts_with("function"))
            .map(|record| {
                let id = record["func_id"].as_i64().unwrap();
                // llvm-xray shows the ids of libraries in place of their names.
                (id, name(record).unwrap_or(format!("#{id}")))
            })
            .collect();
        assert!(expected.len() > 1, "{log}");
        assert_eq!(found, expected, "{log}");
    }
}
