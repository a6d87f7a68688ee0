//! Generated traces, checked by our own reader, and by the reference tools if they are installed.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn unspool(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unspool")).args(args).output().unwrap()
}

fn generate(dir: &Path, name: &str, args: &[&str]) -> String {
    let path = dir.join(name).display().to_string();
    let output = unspool(&[&["generate"], args, &["-o", &path]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    path
}

fn info(path: &str) -> serde_json::Value {
    let output = unspool(&["info", "--json", path]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Runs a reference tool. If it is not installed, prints that the check is skipped and returns
/// `None`.
fn reference(tool: &str, args: &[&str]) -> Option<Output> {
    match Command::new(tool).args(args).output() {
        Ok(output) => Some(output),
        Err(_) => {
            println!("skipped: {tool} is not installed");
            None
        }
    }
}

#[test]
fn xray_logs_match_their_options() {
    let dir = tempfile::tempdir().unwrap();
    let path = generate(dir.path(), "a.xray", &["xray", "--events", "60000", "--threads", "3", "--depth", "9"]);
    let report = info(&path);
    let threads: Vec<_> = report["tracks"].as_array().unwrap().iter().filter(|t| t["kind"] == "thread").collect();
    assert_eq!(threads.len(), 3);
    assert!(threads.iter().all(|t| t["rows"].as_u64().unwrap() == 9));
    assert_eq!(report["problems"].as_array().unwrap().len(), 0);
    assert!(report["events"].as_f64().unwrap() >= 60000.0);
    // The same seed gives the same bytes.
    let again = generate(dir.path(), "b.xray", &["xray", "--events", "60000", "--threads", "3", "--depth", "9"]);
    assert!(std::fs::read(&path).unwrap() == std::fs::read(again).unwrap());
    if let Some(judge) = reference("llvm-xray", &["convert", "-f", "yaml", &path]) {
        assert!(judge.status.success(), "{}", String::from_utf8_lossy(&judge.stderr));
        let records = String::from_utf8_lossy(&judge.stdout).matches("kind: function-").count();
        assert_eq!(records, 60000);
    }
}

#[test]
fn mid_stack_and_out_of_order_take_effect() {
    let dir = tempfile::tempdir().unwrap();
    let plain = generate(dir.path(), "a.xray", &["xray", "--events", "200000", "--threads", "2"]);
    let shuffled = generate(dir.path(), "b.xray", &["xray", "--events", "200000", "--threads", "2", "--out-of-order"]);
    assert!(std::fs::read(&plain).unwrap() != std::fs::read(&shuffled).unwrap());
    let report = info(&shuffled);
    assert_eq!(report["problems"].as_array().unwrap().len(), 0, "buffers are put in order");
    let middle = generate(dir.path(), "c.xray", &["xray", "--events", "20000", "--mid-stack"]);
    assert_eq!(info(&middle)["problems"][0]["kind"], "exit-without-enter");
}

#[test]
fn apitrace_traces_match_their_options() {
    let dir = tempfile::tempdir().unwrap();
    let path = generate(dir.path(), "a.trace", &["apitrace", "--events", "30000", "--threads", "2"]);
    let report = info(&path);
    assert_eq!((report["events"].as_f64(), report["problems"].as_array().map(Vec::len)), (Some(30000.0), Some(0)));
    let ours = unspool(&["dump", "--as", "text", &path]).stdout;
    if let Some(judge) = reference("apitrace", &["dump", "-v", "--color=never", &path]) {
        assert!(judge.status.success());
        assert!(judge.stdout == ours, "apitrace dump prints something else");
    }
}

#[test]
fn frames_match_their_options() {
    let dir = tempfile::tempdir().unwrap();
    let path = generate(dir.path(), "a.frames", &["frames", "--events", "50000", "--threads", "2", "--depth", "9"]);
    let report = info(&path);
    assert_eq!((report["events"].as_f64(), report["problems"].as_array().map(Vec::len)), (Some(50000.0), Some(0)));
    let threads: Vec<_> = report["tracks"].as_array().unwrap().iter().filter(|t| t["kind"] == "thread").collect();
    assert_eq!(threads.len(), 2);
    assert!(threads.iter().all(|t| t["rows"].as_u64() == Some(10)), "calls nest, in the outermost code: {threads:?}");
}

#[test]
fn trace_db_traces_match_their_options() {
    let dir = tempfile::tempdir().unwrap();
    let path = generate(dir.path(), "a.trace", &["trace-db", "--events", "50000"]);
    let report = info(&path);
    assert_eq!(report["format"], "trace-db");
    assert_eq!((report["events"].as_f64(), report["problems"].as_array().map(Vec::len)), (Some(50000.0), Some(0)));
    assert!(
        report["tracks"]
            .as_array()
            .unwrap()
            .iter()
            .any(|t| t["kind"] == "counter" && t["samples"].as_f64() > Some(16_000.0))
    );
}

#[test]
fn a_dash_means_standard_input_or_output() {
    let made = unspool(&["generate", "xray", "--events", "1000", "-o", "-"]);
    assert!(made.status.success());
    let mut child = Command::new(env!("CARGO_BIN_EXE_unspool"))
        .args(["info", "--json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &made.stdout).unwrap();
    let output = child.wait_with_output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["events"].as_f64().unwrap() >= 1000.0);
}

#[test]
fn info_counts_in_the_nouns_of_the_trace() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let text = |name: &str| {
        let output = unspool(&["info", &fixtures.join(name).display().to_string()]);
        String::from_utf8(output.stdout).unwrap()
    };
    let scene = text("apitrace/scene.trace");
    assert!(scene.contains("calls)") && !scene.contains("ticks") && scene.contains(" groups"), "{scene}");
    let log = text("xray/threads.xray");
    assert!(log.contains("ticks)") && log.contains("Function names  not in the log"), "{log}");
    for text in [scene, log] {
        assert!(!text.contains(" 1 slices") && !text.contains(" 1 values"), "{text}");
        // The facts are two columns.
        let facts: Vec<&str> = text.lines().take_while(|line| !line.starts_with(' ')).collect();
        let column = facts[0].len() - facts[0].trim_start_matches(char::is_alphabetic).trim_start().len();
        assert!(facts.iter().all(|line| line.is_char_boundary(column) && line[..column].ends_with("  ")), "{text}");
    }
}

#[test]
fn exit_statuses_distinguish_usage_from_files() {
    let dir = tempfile::tempdir().unwrap();
    let text = dir.path().join("a.txt");
    std::fs::write(&text, "hello").unwrap();
    let text = text.display().to_string();
    assert_eq!(unspool(&["info", &text]).status.code(), Some(1));
    assert_eq!(unspool(&["info", "/no/such/file"]).status.code(), Some(2));
    assert_eq!(unspool(&["stats", &text]).status.code(), Some(2));
    assert_eq!(unspool(&["info"]).status.code(), Some(2));
    assert_eq!(unspool(&["generate", "apitrace", "--events", "9", "--mid-stack", "-o", &text]).status.code(), Some(2));
    assert_eq!(unspool(&["generate", "xray", "--events", "0", "-o", &text]).status.code(), Some(2));
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let cut = fixtures.join("xray/truncated.xray").display().to_string();
    let output = unspool(&["dump", &cut]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("at byte 9851: the file ends"));
    assert!(output.stdout.starts_with(b"{\"thread\":4711,"));
}

#[test]
fn dump_defaults_to_a_form_that_the_format_supports() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let dump = |file: &str, form: &[&str]| {
        let path = fixtures.join(file).display().to_string();
        let output = unspool(&[&["dump", &path], form].concat());
        (output.stdout, String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
    };
    let files = [
        ("apitrace/scene.trace", "text"),
        ("frames/calls.frames", "jsonl"),
        ("rvn/blocks.sqlite", "jsonl"),
        ("trace_db/variables.trace", "jsonl"),
        ("xray/threads.xray", "jsonl"),
    ];
    for (file, form) in files {
        let plain = dump(file, &[]);
        assert!(!plain.0.is_empty(), "{file}: {plain:?}");
        assert_eq!(plain, dump(file, &["--as", form]), "{file}");
        let (lines, ..) = dump(file, &["--as", "jsonl"]);
        assert!(lines.starts_with(b"{"), "{file}: every format has JSON Lines");
        if form == "jsonl" {
            let (_, error, code) = dump(file, &["--as", "text"]);
            assert!(code == Some(2) && error.contains("Use --as jsonl."), "{file}: {error}");
        }
    }
}

#[test]
fn info_prints_keys_as_in_sql_and_whole_numbers() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/xray/threads.xray");
    let output = unspool(&["info", "--json", &path.display().to_string()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.lines().any(|line| line.trim_end_matches(',').ends_with(".0")), "{text}");
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    fn keys(value: &serde_json::Value, each: &mut dyn FnMut(&str)) {
        match value {
            serde_json::Value::Object(object) => object.iter().for_each(|(key, value)| {
                each(key);
                keys(value, each);
            }),
            serde_json::Value::Array(list) => list.iter().for_each(|value| keys(value, each)),
            _ => {}
        }
    }
    keys(&report, &mut |key| assert!(!key.contains(|c: char| c.is_ascii_uppercase() || c == '-'), "{key}"));
    assert!(report["bytes_per_slice"].is_number() && report["events"].is_u64());
}

#[test]
fn info_says_what_each_format_offers() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let said = |file: &str| {
        let report = info(&fixtures.join(file).display().to_string());
        let words = |key: &str| report[key].as_str().unwrap().to_string();
        let offers = report["offers"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
        format!("{}: {}, {}", words("place_noun"), offers.collect::<Vec<_>>().join(" "), words("first_tab"))
    };
    assert_eq!(said("apitrace/scene.trace"), "byte: callStacks graphics stretches, frames");
    assert_eq!(said("frames/calls.frames"), "byte: disassembly callStacks state stretches, events");
    assert_eq!(said("frames/mips.frames"), "byte: callStacks state stretches, events");
    assert_eq!(said("rvn/blocks.sqlite"), "transition: sql disassembly callStacks, events");
    assert_eq!(said("trace_db/variables.trace"), "byte: values stretches, statements");
    assert_eq!(said("xray/threads.xray"), "byte: stretches openCalls callStacks tailCalls eventTypes time, functions");
}
