//! `unspool guide`: what its examples print is what the commands print.
//!
//! `UNSPOOL_WRITE_FIXTURES=1 cargo test -p unspool-cli guide` writes the outputs. Of long ones the
//! first lines are shown, followed by `…`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names in the guide, and the fixtures that they are.
const FILES: [(&str, &str); 11] = [
    ("app.xray", "binaries/program.xray"),
    ("app", "binaries/program.elf"),
    ("threads.xray", "xray/threads.xray"),
    ("before.xray", "xray/threads.xray"),
    ("after.xray", "xray/copies.xray"),
    ("game.trace", "apitrace/scene.trace"),
    ("uploads.trace", "graphics/uploads.trace"),
    ("run.frames", "frames/calls.frames"),
    ("good.trace", "trace_db/compare-good.trace"),
    ("bad.trace", "trace_db/compare-bad.trace"),
    ("vm.sqlite", "rvn/blocks.sqlite"),
];

/// Lines of an output that are shown.
const SHOWN: usize = 8;
/// Columns of a line that are shown.
const WIDTH: usize = 118;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, fixture) in FILES {
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(fixture);
        fs::copy(fixture, folder.path().join(name)).unwrap();
    }
    folder
}

/// The words of a command line, in which quotes join words.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    for letter in line.chars() {
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), close) if open == close => quote = None,
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What a command prints, standard error last, as the guide shows it.
fn shown(folder: &Path, line: &str) -> String {
    let words = words(line);
    assert_eq!(words[0], "unspool", "{line}");
    let output = Command::new(env!("CARGO_BIN_EXE_unspool")).args(&words[1..]).current_dir(folder).output().unwrap();
    assert!(output.status.code().is_some_and(|status| status < 2) || line.contains("missing"), "{line}: {output:?}");
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut shown = String::new();
    let first = if lines.len() > SHOWN + 1 { &lines[..SHOWN] } else { &lines };
    for line in first {
        let end = line.char_indices().nth(WIDTH);
        let end = end.map_or(line.to_string(), |(at, _)| format!("{}…", &line[..at]));
        shown += &format!("{}\n", end.trim_end());
    }
    shown + if first.len() < lines.len() { "…\n" } else { "" }
}

/// A page whose examples have their outputs.
fn filled(folder: &Path, page: &str) -> String {
    let mut filled = String::new();
    let mut is_output = false;
    for line in page.lines() {
        if line == "```" {
            is_output = false;
        }
        if !is_output {
            filled += &format!("{line}\n");
        }
        if let Some(command) = line.strip_prefix("$ ").filter(|_| !is_output) {
            filled += &shown(folder, command);
            is_output = true;
        }
    }
    filled
}

#[test]
fn its_examples_print_what_it_shows() {
    let folder = folder();
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("guide");
    let mut paths: Vec<PathBuf> = fs::read_dir(&pages).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert_eq!(paths.len(), 6);
    for path in paths {
        let page = fs::read_to_string(&path).unwrap();
        let expected = filled(folder.path(), &page);
        if std::env::var_os("UNSPOOL_WRITE_FIXTURES").is_some() {
            fs::write(&path, &expected).unwrap();
            continue;
        }
        assert!(page.contains("\n$ unspool "), "{}", path.display());
        assert_eq!(page, expected, "UNSPOOL_WRITE_FIXTURES=1 cargo test -p unspool-cli guide writes it");
    }
}

#[test]
fn each_format_has_a_page() {
    for format in ["xray", "apitrace", "frames", "trace-db", "rvn"] {
        let output = Command::new(env!("CARGO_BIN_EXE_unspool")).args(["guide", format]).output().unwrap();
        assert!(output.status.success());
        assert!(String::from_utf8(output.stdout).unwrap().starts_with("# Questions about "), "{format}");
    }
}
