//! `--names`: texts for the ids and addresses of a trace, from a file.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

fn unspool(command: &str, file: &str, names: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("names.csv");
    std::fs::write(&path, names).unwrap();
    let mut unspool = Command::new(env!("CARGO_BIN_EXE_unspool"));
    unspool.arg(command).arg("--json").arg(fixture(file)).arg("--names").arg(path).output().unwrap()
}

#[test]
fn functions_have_the_names_of_the_file() {
    let plain = unspool("stats", "xray/threads.xray", "99999,nobody\n");
    let plain: Value = serde_json::from_slice(&plain.stdout).unwrap();
    let ids: Vec<i64> = plain["functions"].as_array().unwrap().iter().map(|it| it["id"].as_i64().unwrap()).collect();
    assert!(ids.len() > 2);
    let names = format!("key,name\n{},twice\n{},\"with, comma\",a.c:3\n{},twice\n", ids[0], ids[1], ids[2]);
    let named = unspool("stats", "xray/threads.xray", &names);
    assert_eq!(String::from_utf8_lossy(&named.stderr), "");
    let named: Value = serde_json::from_slice(&named.stdout).unwrap();
    let shown = |id: i64| {
        let row = named["functions"].as_array().unwrap().iter().find(|it| it["id"] == id).unwrap();
        row["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(shown(ids[0]), format!("twice (#{})", ids[0]));
    assert_eq!(shown(ids[1]), "with, comma");
    assert_eq!(shown(ids[2]), format!("twice (#{})", ids[2]));
    assert_eq!(shown(ids[3]), format!("#{}", ids[3]));
    let slices = unspool("slices", "xray/threads.xray", &names);
    let slices = String::from_utf8(slices.stdout).unwrap();
    assert!(slices.contains("\"name\":\"with, comma\"") && slices.contains("\"name\":\"twice (#"), "{slices:.300}");
}

#[test]
fn a_file_without_names_is_refused_and_a_bad_line_is_reported() {
    let output = unspool("stats", "xray/threads.xray", "nothing\nhere\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no line is `key,name`"));
    let output = unspool("stats", "xray/threads.xray", "1,main\nwhat\n2,f\nhow\n");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("\"at\":2,\"file\""));
}

/// Short names stay apart, and are searched for; alone, the option means nothing.
#[test]
fn names_are_shortened() {
    let fixture = |name: &str| {
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name).display().to_string()
    };
    let run = |args: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_unspool")).args(args).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let folder = tempfile::tempdir().unwrap();
    let names = folder.path().join("names.csv");
    let text = "1,void ui::Foo<int>::draw<char>(int)\n2,ui::Bar::draw(int)\n3,ui::run()::{lambda(int)#1}::operator()(int) const\n";
    std::fs::write(&names, text).unwrap();
    let (trace, names) = (fixture("xray/threads.xray"), names.display().to_string());
    let (_, full, _) = run(&["stats", &trace, "--names", &names, "--csv"]);
    let (_, short, _) = run(&["stats", &trace, "--names", &names, "--short-names", "--csv"]);
    assert!(full.contains("void ui::Foo<int>::draw<char>(int)"), "{full}");
    let expected = full
        .replace("void ui::Foo<int>::draw<char>(int)", "Foo::draw")
        .replace("ui::Bar::draw(int)", "Bar::draw")
        .replace("ui::run()::{lambda(int)#1}::operator()(int) const", "run::{lambda#1}::operator()");
    assert_eq!(short, expected);
    let (_, hits, _) = run(&["find", &trace, "name:Foo::draw", "--names", &names, "--short-names", "--limit", "1"]);
    assert!(hits.contains("Foo::draw"), "{hits}");
    let (status, _, said) = run(&["stats", &trace, "--short-names"]);
    assert_eq!(status, Some(2));
    assert!(said.contains("--short-names shortens names of --binary and --names"), "{said}");
}

/// A statement may look like a function with parameters.
#[test]
fn statements_are_not_shortened() {
    let fixture = |name: &str| fixture(name).display().to_string();
    let (trace, names) = (fixture("trace_db/overrun.trace"), fixture("trace_db/overrun.csv"));
    let dumped = |options: &[&str]| {
        let args = [&["dump", &trace, "--names", &names], options].concat();
        Command::new(env!("CARGO_BIN_EXE_unspool")).args(args).output().unwrap().stdout
    };
    let whole = dumped(&[]);
    assert!(String::from_utf8_lossy(&whole).contains("free(copy)"));
    assert_eq!(dumped(&["--short-names"]), whole);
}
