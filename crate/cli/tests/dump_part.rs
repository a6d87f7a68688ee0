//! `unspool dump` of a part: the lines of the whole that belong to it, byte for byte.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

fn run(file: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unspool")).arg("dump").arg(fixture(file)).args(arguments).output().unwrap()
}

fn dump(file: &str, arguments: &[&str]) -> String {
    let output = run(file, arguments);
    assert!(output.status.success(), "{file} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The lines of a dump as JSON for which a condition holds, and how many that are.
fn filtered(whole: &str, holds: impl Fn(&Value) -> bool) -> (String, usize) {
    let kept: Vec<&str> = whole.lines().filter(|line| holds(&serde_json::from_str(line).unwrap())).collect();
    (kept.iter().map(|line| format!("{line}\n")).collect(), kept.len())
}

/// Compares a part with the lines of the whole for which a condition holds. `others` are options
/// that both have.
fn is_filtered(file: &str, others: &[&str], part: &[&str], holds: impl Fn(&Value) -> bool) {
    let whole = dump(file, &[&["--as", "jsonl"], others].concat());
    let (expected, count) = filtered(&whole, holds);
    assert!(count > 0 && expected.len() < whole.len(), "{file} {part:?}: {count} lines show nothing");
    assert_eq!(dump(file, &[&["--as", "jsonl"], others, part].concat()), expected, "{file} {part:?}");
}

fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or(u64::MAX)
}

#[test]
fn parts_of_apitraces_have_the_lines_of_the_whole() {
    let scene = "apitrace/scene.trace";
    is_filtered(scene, &[], &["--calls", "20..40"], |call| (20..=40).contains(&number(call, "call")));
    is_filtered(scene, &["--blobs"], &["--calls", "80-90"], |call| (80..=90).contains(&number(call, "call")));
    is_filtered(scene, &[], &["--range", "200.."], |call| number(call, "call") >= 200);
    is_filtered(scene, &[], &["--frames", "1..2"], |call| (1..=2).contains(&number(call, "frame")));
    is_filtered(scene, &[], &["--name", "glUniform*"], |call| call["name"].as_str().unwrap().starts_with("glUniform"));
    is_filtered(scene, &[], &["--frames", "1", "--name", "gl?isable"], |call| {
        number(call, "frame") == 1 && call["name"] == "glDisable"
    });
    // Its threads take turns, and calls last beyond others.
    let cut = "apitrace/cut.trace";
    is_filtered(cut, &[], &["--calls", "3..30"], |call| (3..=30).contains(&number(call, "call")));
    is_filtered("apitrace/direct3d11.trace", &[], &["--calls", "2..4"], |c| (2..=4).contains(&number(c, "call")));
}

#[test]
fn threads_of_apitraces_are_told_apart() {
    let file = fixture("apitrace").read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut shown = 0;
    for name in file.filter(|name| name.ends_with(".trace")) {
        let file = format!("apitrace/{name}");
        let output = run(&file, &["--json"]);
        let whole = String::from_utf8(output.stdout).unwrap();
        for thread in 0..2 {
            let (expected, count) = filtered(&whole, |call| number(call, "thread") == thread);
            let part = run(&file, &["--json", "--thread", &thread.to_string()]);
            assert_eq!(String::from_utf8(part.stdout).unwrap(), expected, "{name}");
            shown += usize::from(count > 0 && thread > 0);
        }
    }
    assert!(shown > 0, "no trace has two threads");
}

#[test]
fn text_of_a_part_is_that_of_the_whole() {
    for (file, part) in [
        ("apitrace/scene.trace", ["--calls", "15..60"]),
        ("apitrace/scene.trace", ["--frames", "1"]),
        ("apitrace/scene.trace", ["--name", "glUniform*"]),
        ("apitrace/values.trace", ["--calls", "1..3"]),
    ] {
        let whole = dump(file, &["--thread-ids", "yes"]);
        let calls = dump(file, &["--json"]);
        let kept = dump(file, &[&["--json"], &part[..]].concat());
        let mut expected = String::new();
        // The beginning of the text of each call; what precedes the first one is always there.
        let mut starts = Vec::new();
        let mut at = 0;
        for line in calls.lines() {
            let call: Value = serde_json::from_str(line).unwrap();
            let head = format!("{} @{:x} {}(", call["call"], number(&call, "thread"), call["name"].as_str().unwrap());
            at += whole[at..].find(&head).unwrap();
            starts.push((at, line));
        }
        expected.push_str(&whole[..starts[0].0]);
        for (i, (start, line)) in starts.iter().enumerate() {
            if kept.contains(line) {
                expected.push_str(&whole[*start..starts.get(i + 1).map_or(whole.len(), |next| next.0)]);
            }
        }
        assert!(expected.len() < whole.len());
        assert_eq!(dump(file, &[&["--thread-ids", "yes"], &part[..]].concat()), expected, "{file} {part:?}");
    }
}

#[test]
fn parts_of_other_formats_have_the_lines_of_the_whole() {
    let frames = "frames/calls.frames";
    is_filtered(frames, &[], &["--range", "5..17"], |frame| (5..=17).contains(&number(frame, "i")));
    let threads = "frames/plugin.frames";
    let whole = dump(threads, &[]);
    let of = |frame: &Value| {
        ["std_frame", "syscall_frame", "exception_frame"].iter().find_map(|key| frame[key]["thread_id"].as_u64())
    };
    let some = whole.lines().find_map(|line| of(&serde_json::from_str(line).unwrap())).unwrap();
    let (expected, _) = filtered(&whole, |frame| of(frame) == Some(some));
    assert_eq!(dump(threads, &["--thread", &some.to_string()]), expected);

    let logs = "xray/threads.xray";
    let whole = dump(logs, &[]);
    let values: Vec<Value> = whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut clocks: Vec<u64> = values.iter().map(|record| number(record, "tsc")).collect();
    clocks.sort_unstable();
    let (from, to) = (clocks[clocks.len() / 4], clocks[clocks.len() / 2]);
    is_filtered(logs, &[], &["--range", &format!("{from}..{to:#x}")], |r| (from..=to).contains(&number(r, "tsc")));
    let thread = number(&values[0], "thread");
    is_filtered(logs, &[], &["--thread", &thread.to_string()], |r| number(r, "thread") == thread);
    let program = fixture("binaries/program.elf");
    let binary = ["--binary", program.to_str().unwrap()];
    is_filtered("binaries/program.xray", &binary, &["--name", "*leaf*"], |record| {
        record["function"].as_str().is_some_and(|name| name.contains("leaf"))
    });

    // The names and types precede the points of every part.
    let points = dump("trace_db/cut.trace", &[]);
    let lines: Vec<&str> = points.lines().collect();
    let part = dump("trace_db/cut.trace", &["--range", "2..3"]);
    assert_eq!(part.lines().collect::<Vec<_>>(), [lines[0], lines[3], lines[4]]);

    is_filtered("rvn/blocks.sqlite", &[], &["--range", "4..9"], |record| match record.get("interrupt") {
        Some(interrupt) => (4..=9).contains(&number(interrupt, "transition")),
        None => number(record, "begin") <= 9 && number(record, "end") > 4,
    });
}

#[test]
fn a_part_without_records_is_said() {
    for (file, part, sentence) in [
        ("apitrace/scene.trace", ["--calls", "90000.."], "With --calls 90000.. there are no records."),
        ("apitrace/scene.trace", ["--name", "vk*"], "With --name vk* there are no records."),
        ("rvn/blocks.sqlite", ["--range", "900000"], "With --range 900000 there are no records."),
    ] {
        let output = run(file, &part);
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stderr).unwrap().trim_end(), sentence);
    }
}

#[test]
fn options_without_a_meaning_for_a_format_are_refused() {
    for (file, option) in [
        ("xray/threads.xray", ["--calls", "1..2"]),
        ("frames/calls.frames", ["--frames", "1"]),
        ("rvn/blocks.sqlite", ["--thread", "1"]),
        ("rvn/blocks.sqlite", ["--name", "f"]),
        ("trace_db/cut.trace", ["--thread", "1"]),
        ("xray/threads.xray", ["--name", "f"]),
        ("frames/calls.frames", ["--blob-files", "never-created"]),
        ("rvn/blocks.sqlite", ["--blob-files", "never-created"]),
    ] {
        let output = run(file, &option);
        assert_eq!(output.status.code(), Some(2), "{file} {option:?}");
        assert!(output.stdout.is_empty() && String::from_utf8(output.stderr).unwrap().contains(option[0]));
    }
}

/// A defect at the end of a file is not found if the part ends before: the end is not read.
#[test]
fn reading_stops_after_the_part() {
    let whole = fs::read(fixture("apitrace/scene.trace")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("truncated.trace");
    fs::write(&path, &whole[..whole.len() - 900]).unwrap();
    let file = path.to_str().unwrap();
    assert!(!run(file, &[]).stderr.is_empty());
    assert!(run(file, &["--calls", "..9"]).stderr.is_empty());
    assert!(run(file, &["--frames", "0"]).stderr.is_empty());
}

#[test]
fn blobs_of_a_part_are_files() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("blobs");
    let arguments = ["--json", "--blobs", "--calls", "10..200", "--blob-files", directory.to_str().unwrap()];
    let text = dump("apitrace/scene.trace", &arguments);
    let mut files = 0;
    for line in text.lines() {
        let call: Value = serde_json::from_str(line).unwrap();
        for (argument, value) in call["args"].as_object().unwrap() {
            let Some(hex) = value["hex"].as_str() else { continue };
            let bytes = fs::read(directory.join(format!("{}-{argument}.bin", call["call"]))).unwrap();
            assert_eq!(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), hex);
            files += 1;
        }
    }
    assert!(files > 0);
    assert_eq!(fs::read_dir(&directory).unwrap().count(), files);

    let taken = folder.path().join("file");
    fs::write(&taken, "").unwrap();
    let output = run("apitrace/scene.trace", &["--blob-files", taken.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("file: "));
}

/// The part may end in the last bytes that a decompressor gives.
#[test]
fn parts_end_in_every_container() {
    for calls in ["0", "3..5", "100", "150", "200", "250..260"] {
        let expected = dump("apitrace/scene.trace", &["--as", "jsonl", "--calls", calls]);
        for container in ["gzip", "zstd", "brotli", "seekable"] {
            let file = format!("apitrace/scene.{container}.trace");
            assert_eq!(dump(&file, &["--as", "jsonl", "--calls", calls]), expected, "{container}, {calls}");
        }
    }
}
