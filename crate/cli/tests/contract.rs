//! What programs rely on: JSON by schemas, errors, exit statuses, options that are never ignored
//! without a word.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const XRAY: &str = "xray/threads.xray";
const GL: &str = "apitrace/scene.trace";
const FRAMES: &str = "frames/calls.frames";
const VALUES: &str = "trace_db/variables.trace";
const RVN: &str = "rvn/blocks.sqlite";
const EACH: [&str; 5] = [XRAY, GL, FRAMES, VALUES, RVN];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures")
}

/// Runs a command on fixtures, whose names have a slash; OUT is a file that is free.
fn unspool(args: &[&str], out: &Path) -> Output {
    let path = |arg: &&str| match *arg {
        "OUT" => out.display().to_string(),
        arg if arg.contains('/') && fixtures().join(arg).is_file() => fixtures().join(arg).display().to_string(),
        arg => arg.into(),
    };
    let args: Vec<String> = args.iter().map(path).collect();
    Command::new(env!("CARGO_BIN_EXE_unspool")).args(args).stdin(Stdio::null()).output().unwrap()
}

fn validator(name: &str) -> jsonschema::Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema").join(format!("{name}.json"));
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn is_valid(validator: &jsonschema::Validator, value: &Value, of: &[&str]) {
    let wrong: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{error} at {}", error.instance_path())).take(3).collect();
    assert!(wrong.is_empty(), "{of:?}: {wrong:#?}\n{:.2000}", value.to_string());
}

/// The commands that the help lists.
fn commands() -> BTreeSet<String> {
    let help = Command::new(env!("CARGO_BIN_EXE_unspool")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    lines.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(String::from).collect()
}

/// The options of a command, each with whether it takes a value.
fn options(command: &str) -> Vec<(String, bool)> {
    let help = Command::new(env!("CARGO_BIN_EXE_unspool")).args([command, "-h"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let option = |line: &str| {
        let from = line.trim_start().strip_prefix("-o, ").unwrap_or(line.trim_start());
        let name: String =
            from.strip_prefix("--")?.chars().take_while(|c| c.is_ascii_alphabetic() || *c == '-').collect();
        Some((format!("--{name}"), from.get(name.len() + 2..)?.starts_with(" <")))
    };
    help.lines().filter(|line| line.starts_with("  ")).filter_map(option).collect()
}

/// Commands without `--json`: what they print is a script, pages of `man`, or a protocol.
const FOR_PEOPLE: [&str; 4] = ["completions", "man", "mcp", "open"];
/// Commands that print one object per line.
const LINES: [&str; 7] = ["dump", "find", "history", "loops", "query", "slices", "sql"];

/// Runs of each command, without `--json`.
const RUNS: &[&[&str]] = &[
    &["buffer", "graphics/uploads.trace", "--name", "1", "--as", "f32"],
    &["buffer", "graphics/uploads.trace", "--name", "1", "-o", "OUT"],
    &["compare", XRAY, "xray/copies.xray"],
    &["compare", XRAY, "xray/copies.xray", "--limit", "1"],
    &["compare", XRAY, "xray/copies.xray", "--records", "--limit", "1"],
    &["compare", GL, "graphics/draws.trace"],
    &["compare", GL, "graphics/draws.trace", "--records"],
    &["compare", FRAMES, "binaries/program.frames", "--why"],
    &["compare", "trace_db/compare-good.trace", "trace_db/compare-bad.trace"],
    &["convert", XRAY, "--to", "folded", "-o", "OUT"],
    &["coverage", FRAMES, "--by", "block"],
    &["coverage", RVN, "--limit", "1"],
    &["coverage", FRAMES, "--by", "module"],
    &["cut", XRAY, "-o", "OUT"],
    &["cut", GL, "--frames", "0", "--self-contained", "-o", "OUT"],
    &["find", XRAY, "/./", "--limit", "2"],
    &["find", FRAMES, "insn:call"],
    &["find", GL, "arg.count>100"],
    &["findings", GL],
    &["findings", GL, "--limit", "1"],
    &["findings", XRAY],
    &["findings", FRAMES],
    &["findings", RVN],
    &["findings", VALUES],
    &["frame-list", GL, "--limit", "1"],
    &["generate", "xray", "--events", "9", "-o", "OUT"],
    &["graph", XRAY, "--limit", "1"],
    &["guide"],
    &["guide", "rvn"],
    &["history", FRAMES, "RSP"],
    &["history", FRAMES, "RSP", "--limit", "1"],
    &["image", "graphics/uploads.trace", "--texture", "1", "-o", "OUT"],
    &["info", "containers/traces.zip"],
    &["info", "binaries/program.xray", "--binary", "binaries/program.elf"],
    &["info", "xray/truncated.xray"],
    &["loops", FRAMES],
    &["origin", FRAMES, "RSP", "--at", "9"],
    &["query", VALUES, "a: any where a.value > 0", "--limit", "1"],
    &["resources", GL],
    &["resources", "graphics/uploads.trace", "--limit", "1"],
    &["schema"],
    &["sql", XRAY, "select * from named_slices", "--limit", "1"],
    &["state", FRAMES, "--at", "9", "--memory", "0x7fffffffdfe0+16"],
    &["state", GL, "--at", "30"],
    &["state", GL, "--at", "30", "--before"],
    &["suspects", "--pass", "trace_db/compare-good.trace", "--fail", "trace_db/compare-bad.trace"],
];

#[test]
fn what_commands_print_is_as_their_schemas_say() {
    let folder = tempfile::tempdir().unwrap();
    let every = ["info", "stats", "graph", "slices", "dump", "sql"];
    let by = [["--by", "thread"], ["--by", "stack"]];
    let of_each = every.iter().flat_map(|command| EACH.iter().map(move |file| vec![*command, file]));
    let grouped = EACH.iter().flat_map(|file| by.iter().map(move |[by, what]| vec!["stats", file, by, what]));
    let runs: Vec<Vec<&str>> = RUNS.iter().map(|run| run.to_vec()).chain(of_each).chain(grouped).collect();
    let wanted = commands().into_iter().filter(|name| !FOR_PEOPLE.contains(&name.as_str())).collect::<BTreeSet<_>>();
    assert_eq!(runs.iter().map(|run| run[0].to_string()).collect::<BTreeSet<_>>(), wanted, "each command is run");
    let on_stderr = validator("stderr");
    for command in wanted {
        let of_command = validator(&command);
        for run in runs.iter().filter(|run| run[0] == command) {
            let args = [run, &["--json"][..]].concat();
            let output = unspool(&args, &folder.path().join("out"));
            let text = String::from_utf8(output.stdout).unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(matches!(output.status.code(), Some(0 | 1)), "{args:?}: {said}");
            let parse =
                |text: &str| -> Value { serde_json::from_str(text).unwrap_or_else(|e| panic!("{args:?}: {e}")) };
            said.lines().for_each(|line| is_valid(&on_stderr, &parse(line), &args));
            if !LINES.contains(&command.as_str()) {
                is_valid(&of_command, &parse(&text), &args);
                continue;
            }
            let rows: Vec<Value> = text.lines().map(parse).collect();
            rows.iter().for_each(|row| is_valid(&of_command, row, &args));
            if command != "dump" {
                let last = parse(said.lines().last().unwrap());
                let truncated = last["summary"]["truncated"].as_bool().unwrap();
                assert_eq!(truncated, args.contains(&"--limit"), "{args:?}");
                assert_eq!(last["summary"]["listed"], rows.len() - usize::from(truncated), "{args:?}");
            }
        }
    }
}

#[test]
fn schemas_are_printed_and_refuse_other_keys() {
    let out = Path::new("OUT");
    let listed = String::from_utf8(unspool(&["schema"], out).stdout).unwrap();
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("schema")).unwrap();
    let files = files.map(|it| it.unwrap().path().file_stem().unwrap().to_str().unwrap().to_string());
    assert_eq!(listed.lines().map(String::from).collect::<BTreeSet<_>>(), files.collect());
    let stats: Value = serde_json::from_slice(&unspool(&["schema", "stats"], out).stdout).unwrap();
    assert_eq!(stats["title"], "unspool stats --json");
    let mut report: Value = serde_json::from_slice(&unspool(&["stats", XRAY, "--json"], out).stdout).unwrap();
    report["functions"][0]["surprise"] = 1.into();
    assert!(!validator("stats").is_valid(&report));
}

#[test]
fn errors_are_objects_with_a_kind() {
    let out = Path::new("OUT");
    let on_stderr = validator("stderr");
    let error = |args: &[&str], status: i32| {
        let output = unspool(args, out);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(status), 0), "{args:?}: {said}");
        let last: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
        is_valid(&on_stderr, &last, args);
        last["error"].clone()
    };
    assert_eq!(error(&["stats", "nothing.here", "--json"], 2)["kind"], "missing");
    assert_eq!(error(&["info", fixtures().to_str().unwrap(), "--json"], 2)["kind"], "usage");
    assert_eq!(error(&["info", "nothing.here", "--json"], 2)["file"], "nothing.here");
    assert_eq!(error(&["stats", "xray/README.md", "--json"], 2)["kind"], "unrecognised");
    assert_eq!(error(&["info", "xray/README.md", "--json"], 1)["kind"], "unrecognised");
    assert_eq!(error(&["frame-list", XRAY, "--json"], 2)["kind"], "unsupported");
    assert_eq!(error(&["findings", XRAY, "--kinds", "slow", "--json"], 2)["kind"], "usage");
    assert_eq!(error(&["find", XRAY, "dur>1mz", "--json"], 2)["kind"], "usage");
    assert_eq!(error(&["stats", "--json", "--no-such-option"], 2)["kind"], "usage");
    assert_eq!(error(&["stats", "--json"], 2)["kind"], "usage");
    assert_eq!(error(&["sql", XRAY, "delete from slices", "--json"], 2)["kind"], "usage");
    assert_eq!(error(&["compare", XRAY, GL, "--json"], 2)["kind"], "failed");
    assert_eq!(error(&["graph", "nothing.here", "--as", "json"], 2)["kind"], "missing");
    assert_eq!(error(&["convert", "nothing.here", "--to", "csv", "-o", "-", "--json"], 2)["kind"], "usage");
}

#[test]
fn a_question_is_answered_by_the_status() {
    let status = |args: &[&str]| unspool(args, Path::new("OUT")).status.code();
    assert_eq!(status(&["find", XRAY, "dur>0", "--fail"]), Some(1));
    assert_eq!(status(&["find", XRAY, "name:no-such-name", "--fail"]), Some(0));
    assert_eq!(status(&["find", XRAY, "dur>0"]), Some(0));
    assert_eq!(status(&["findings", GL, "--fail"]), Some(1));
    assert_eq!(status(&["findings", GL]), Some(0));
    assert_eq!(status(&["resources", GL, "--leaks"]), Some(1));
    assert_eq!(status(&["resources", "graphics/uploads.trace"]), Some(0));
    assert_eq!(status(&["compare", XRAY, XRAY]), Some(0));
    assert_eq!(status(&["compare", XRAY, "xray/copies.xray"]), Some(1));
}

/// Options of which a run may say nothing: they make no difference to an answer. Each with the
/// reason.
const WITHOUT_EFFECT: [(&str, &str, &str); 9] = [
    ("*", "--no-limits", "no limit is reached"),
    ("*", "--max-memory", "answers are the same whatever the memory"),
    ("convert", "--jobs", "outputs are the same however many are written at once"),
    ("convert", "--resume", "there is nothing yet to be kept"),
    ("*", "--nest-tail-calls", "no call of this trace is a tail call"),
    ("sql", "--attach", "its tables are used by a statement alone"),
    ("sql", "--with", "its tables are used by a statement alone"),
    ("origin", "--addresses", "no step of this trace reads what it addresses memory by"),
    ("query", "--json", "results are JSON in any case"),
];

/// Values of options: those that have an effect on some fixture.
fn value(command: &str, option: &str, folder: &Path, file: &str) -> String {
    let other = if file == GL { "graphics/draws.trace" } else { file };
    let fixture = |name: &str| fixtures().join(name).display().to_string();
    match (command, option) {
        (_, "--range") => "0..3".into(),
        (_, "--track") => "1".into(),
        ("query", "--names") => fixture("trace_db/overrun.csv"),
        (_, "--names" | "--names-a" | "--names-b") => folder.join("names.csv").display().to_string(),
        (_, "--binary" | "--binary-a" | "--binary-b") => fixture("binaries/program.elf"),
        ("frame-list", "--by") => "draws".into(),
        ("stats", "--by") => "thread".into(),
        (_, "--by") => "module".into(),
        ("dump", "--as") => if file == GL { "jsonl" } else { "text" }.into(),
        ("buffer", "--as") => "u16".into(),
        (_, "--as") => "json".into(),
        (_, "--thread-ids") => "yes".into(),
        (_, "--times" | "--save" | "--html" | "--folded" | "--parquet" | "--blob-files" | "--output") => {
            folder.join("more").display().to_string()
        }
        (_, "--thread") => "99".into(),
        (_, "--memory") => "0x1000+4".into(),
        (_, "--level" | "--layer") => "7".into(),
        ("coverage", "--common") => fixture("binaries/program.frames"),
        (_, "--plus" | "--minus" | "--common" | "--with" | "--attach") => fixture(other),
        (_, "--hash" | "--omit") => "all".into(),
        (_, "--where") => "/main/".into(),
        (_, "--ignore") => "times".into(),
        (_, "--from") => "3".into(),
        (_, "--least") => "1000".into(),
        _ => "1".into(),
    }
}

/// Runs all commands with all options on all formats. Each option changes what a command prints,
/// writes, says or returns, or it is refused.
#[test]
fn no_option_is_ignored_without_a_word() {
    let bases: &[&[&str]] = &[
        &["info"],
        &["stats"],
        &["graph"],
        &["dump"],
        &["slices"],
        &["coverage"],
        &["loops"],
        &["frame-list"],
        &["findings"],
        &["resources"],
        &["sql", "IN", "select name from sqlite_schema union all select name from tracks"],
        &["find", "IN", "/./"],
        &["query", "trace_db/overrun.trace", "a: any where a.value >= 0"],
        &["state", "IN", "--at", "5"],
        &["history", "IN", "RSP"],
        &["origin", "IN", "RSP", "--at", "9"],
        &["image", "graphics/uploads.trace", "--texture", "1", "-o", "OUT"],
        &["buffer", "graphics/uploads.trace", "--name", "1"],
        &["convert", "IN", "--to", "csv", "-o", "OUT"],
        &["compare", "IN", "IN"],
        &["cut", "IN", "-o", "OUT"],
        &["suspects", "--pass", "IN", "--fail", "IN"],
    ];
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("names.csv"), "1,main\n2,f\n").unwrap();
    let (out, more) = (folder.path().join("out"), folder.path().join("more"));
    let observed = |args: &[&str]| {
        let _ = fs::remove_file(&out);
        let _ = fs::remove_file(&more);
        let _ = fs::remove_dir_all(&more);
        let Output { status, stdout, stderr } = unspool(args, &out);
        (status.code(), stdout, stderr, fs::read(&out).ok(), more.exists())
    };
    let mut ignored = BTreeSet::new();
    for base in bases {
        let command = base[0];
        let given: Vec<&str> = base.iter().filter(|arg| arg.starts_with('-')).copied().collect();
        let all = options(command).into_iter();
        let exempt = |option: &str| {
            let is = |(c, o, _): &(&str, &str, &str)| (*c == "*" || *c == command) && *o == option;
            WITHOUT_EFFECT.iter().any(is) || ["--help", "--output", "--to", "--a", "--b"].contains(&option)
        };
        for (option, takes) in all.filter(|(option, _)| !exempt(option) && !given.contains(&option.as_str())) {
            let mut has_effect = false;
            for file in EACH {
                let one: Vec<&str> = if base.len() == 1 { vec![command, file] } else { base.to_vec() };
                let one: Vec<&str> = one.into_iter().map(|arg| if arg == "IN" { file } else { arg }).collect();
                let before = observed(&one);
                let value = value(command, &option, folder.path(), file);
                let mut with = one.clone();
                with.push(&option);
                with.extend(takes.then_some(value.as_str()));
                let after = observed(&with);
                has_effect |= before != after;
            }
            if !has_effect {
                ignored.insert(format!("{command} {option}"));
            }
        }
    }
    assert_eq!(ignored, BTreeSet::new());
}

/// Options of one format say so elsewhere.
#[test]
fn options_of_other_formats_are_refused_or_said_to_have_no_effect() {
    let said = |args: &[&str], status: i32| {
        let output = unspool(args, Path::new("OUT"));
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{args:?}: {said}");
        said
    };
    for file in [GL, FRAMES, VALUES, RVN] {
        for command in ["info", "stats", "slices", "graph", "dump"] {
            let said = said(&[command, file, "--nest-tail-calls"], 0);
            assert!(said.contains("--nest-tail-calls has no effect"), "{command} {file}: {said}");
        }
    }
    assert!(!said(&["stats", XRAY, "--nest-tail-calls"], 0).contains("no effect"));
    for file in [XRAY, FRAMES, VALUES, RVN] {
        said(&["dump", file, "--thread-ids", "yes"], 2);
        said(&["dump", file, "--blobs"], 2);
    }
    said(&["dump", GL, "--blobs"], 2);
    said(&["dump", GL, "--json", "--thread-ids", "yes"], 2);
    said(&["state", GL, "--at", "5", "--thread", "1"], 2);
    said(&["state", GL, "--at", "5", "--memory", "0x10"], 2);
    said(&["history", FRAMES, "0x10", "--thread", "1"], 2);
    said(&["origin", FRAMES, "0x10", "--at", "9", "--thread", "1"], 2);
    said(&["coverage", FRAMES, "--as", "drcov", "--by", "block"], 2);
    said(&["convert", XRAY, "--to", "csv", "-o", "-", "--no-args"], 2);
    said(&["generate", "trace-db", "--events", "9", "--threads", "2", "-o", "-"], 2);
    said(&["generate", "rvn", "--events", "9", "--threads", "2", "-o", "-"], 2);
    let names = tempfile::tempdir().unwrap();
    let names = names.path().join("names.csv");
    fs::write(&names, "123456789,main\n").unwrap();
    let names = names.to_str().unwrap();
    assert!(said(&["stats", XRAY, "--names", names], 0).contains("nothing in the trace has one of these keys"));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_a_command_quietly() {
    let runs: &[&[&str]] = &[
        &["info", XRAY],
        &["info", XRAY, "--json"],
        &["stats", XRAY],
        &["stats", XRAY, "--json"],
        &["graph", XRAY],
        &["dump", XRAY],
        &["slices", XRAY],
        &["slices", XRAY, "--csv"],
        &["find", XRAY, "/./"],
        &["query", VALUES, "a: any where a.value >= 0"],
        &["state", FRAMES, "--at", "5"],
        &["state", GL, "--at", "5"],
        &["history", FRAMES, "RSP"],
        &["origin", FRAMES, "RSP", "--at", "9"],
        &["coverage", FRAMES],
        &["loops", FRAMES],
        &["frame-list", GL],
        &["findings", GL],
        &["resources", GL],
        &["sql", XRAY, "select 1"],
        &["convert", XRAY, "--to", "csv", "-o", "-"],
        &["compare", XRAY, "xray/copies.xray"],
        &["compare", XRAY, "xray/copies.xray", "--records"],
        &["compare", FRAMES, FRAMES, "--why"],
        &["suspects", "--pass", VALUES, "--fail", VALUES],
        &["generate", "xray", "--events", "99", "-o", "-"],
        &["guide"],
        &["schema"],
        &["completions", "bash"],
        &["--help"],
    ];
    for run in runs {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let path = |arg: &&str| if fixtures().join(arg).is_file() { fixtures().join(arg) } else { PathBuf::from(arg) };
        let child = Command::new(env!("CARGO_BIN_EXE_unspool"))
            .args(run.iter().map(path))
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn();
        let output = child.unwrap().wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!said.contains("panicked") && !said.contains("roken pipe"), "{run:?}: {said}");
        assert_eq!(output.status.code(), Some(0), "{run:?}: {said}");
    }
}

#[test]
fn shells_and_man_know_all_commands() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = unspool(&["completions", shell], Path::new("OUT"));
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("frame-list") && script.contains("nest-tail-calls"), "{shell}");
    }
    let out = folder.path().join("man");
    assert!(unspool(&["man", "-o", "OUT"], &out).status.success());
    for command in commands() {
        let page = fs::read_to_string(out.join(format!("unspool-{command}.1"))).unwrap();
        assert!(page.contains("unspool"), "{command}");
    }
    assert!(out.join("unspool.1").is_file());
}

/// Neither a file nor a pipe gets colours.
#[test]
fn colours_are_for_terminals() {
    for args in [&["--help"][..], &["stats", "--no-such-option"], &["stats", XRAY], &["findings", GL]] {
        let output = unspool(args, Path::new("OUT"));
        assert!(!output.stdout.contains(&0x1b) && !output.stderr.contains(&0x1b), "{args:?}");
    }
}
