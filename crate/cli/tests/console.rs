//! What a trace says about itself cannot control the terminal.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn unspool(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unspool")).args(args).output().unwrap()
}

/// Whether a command prints something, and nothing but whole lines of printable text.
fn is_printable(args: &[&str], says: &str) {
    let ran = unspool(args);
    let text = String::from_utf8([ran.stdout, ran.stderr].concat()).unwrap();
    assert!(text.contains(says), "{args:?}: {says} is not in {text:?}");
    let control = text.chars().find(|c| c.is_control() && *c != '\n');
    assert_eq!(control, None, "{args:?}: {text:?}");
}

#[test]
fn names_do_not_control_the_terminal() {
    let names = tempfile::NamedTempFile::new().unwrap();
    let lines: String = (1..100).map(|id| format!("{id},f{id}\x1b]0;title\x07\u{9b}2J\r\u{202e}\n")).collect();
    std::fs::write(names.path(), lines).unwrap();
    let log = root().join("tests/fixtures/xray/threads.xray");
    let (log, names) = (log.to_str().unwrap(), names.path().to_str().unwrap());
    for args in [
        &["stats"][..],
        &["stats", "--by", "thread"],
        &["stats", "--by", "stack"],
        &["slices"],
        &["graph"],
        &["sql", "--", "select name from named_slices"],
    ] {
        let (command, rest) = args.split_first().unwrap();
        let (options, query) = rest.split_at(rest.iter().position(|arg| *arg == "--").unwrap_or(rest.len()));
        let args = [&[*command, log, "--names", names], options, query.get(1..).unwrap_or_default()].concat();
        is_printable(&args, "\\u001b]0;title\\u0007\\u009b2J");
    }
    is_printable(&["find", log, "name:f1*", "--names", names], "\\u001b]0;title\\u0007\\u009b2J");
}

#[test]
fn arguments_do_not_control_the_terminal() {
    let bad = "x\x1b]0;title\x07\u{9b}2J";
    let says = "x\\u001b]0;title\\u0007\\u009b2J";
    let option = format!("--{bad}");
    for args in [
        &["info", "a.trace", bad][..],
        &["slices", "a.trace", "--range", bad],
        &["stats", "a.trace", "--by", bad],
        &["completions", bad],
        &["info", "a.trace", &option],
        &[bad],
        &["info", "a.trace", bad, "--json"],
    ] {
        is_printable(args, says);
        assert_eq!(unspool(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn files_do_not_control_the_terminal() {
    let Some(folder) = unspool_corpus::path("attacks") else { return };
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let names = file("names.trace");
    is_printable(&["info", &file("esc.zip")], "\\u001b");
    is_printable(&["info", &file("esc.frames.gz")], "\\u001b");
    for args in [&["stats"][..], &["slices"], &["resources"], &["graph"]] {
        is_printable(&[args, &[&names]].concat(), "\\u001b");
    }
    is_printable(&["find", &names, "name:*"], "\\u001b");
    // What programs read is exact.
    let csv = unspool(&["stats", &names, "--csv"]).stdout;
    assert!(csv.contains(&0x1b));
}
