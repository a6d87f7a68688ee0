//! `unspool cut`: the records of the part are those of the trace, read by ourselves and by the
//! reference tools.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name).to_str().unwrap().into()
}

fn unspool(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unspool")).args(args).output().unwrap()
}

/// A part in a directory of its own.
struct Stretch {
    _directory: tempfile::TempDir,
    path: PathBuf,
    said: String,
}

impl Stretch {
    fn of(file: &str, more: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("stretch");
        let output = unspool(&[&["cut", file, "-o", path.to_str().unwrap()], more].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{file} {more:?}: {said}");
        Self { _directory: directory, path, said }
    }

    fn lines(&self) -> Vec<String> {
        lines(self.path.to_str().unwrap())
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).unwrap()
    }
}

/// The records of a trace, without what says where they are in the file.
fn lines(file: &str) -> Vec<String> {
    let output = unspool(&["dump", "--as", "jsonl", file]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| {
            let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
            if let Some(object) = value.as_object_mut() {
                for place in ["i", "offset", "call", "frame"] {
                    object.remove(place);
                }
            }
            value.to_string()
        })
        .collect()
}

const TRACES: [&str; 15] = [
    "apitrace/scene.trace",
    "apitrace/scene.gzip.trace",
    "apitrace/scene.zstd.trace",
    "apitrace/scene.brotli.trace",
    "apitrace/values.trace",
    "frames/calls.frames",
    "frames/mips.frames",
    "frames/plugin.frames",
    "frames/streamed.frames",
    "trace_db/narrow.trace",
    "trace_db/values.trace",
    "trace_db/variables.trace",
    "xray/coarse.xray",
    "xray/events.xray",
    "xray/threads.xray",
];

#[test]
fn all_of_a_trace_has_all_records() {
    for file in TRACES {
        let stretch = Stretch::of(&fixture(file), &[]);
        assert_eq!(stretch.lines(), lines(&fixture(file)), "{file}");
        let info = unspool(&["info", stretch.path.to_str().unwrap()]);
        assert!(info.status.success() && info.stderr.is_empty(), "{file}: {}", String::from_utf8_lossy(&info.stderr));
    }
}

#[test]
fn a_stretch_has_the_records_of_its_range() {
    for file in ["apitrace/scene.trace", "apitrace/values.trace", "frames/plugin.frames"] {
        let all = lines(&fixture(file));
        let stretch = Stretch::of(&fixture(file), &["--range", "7..19"]);
        assert_eq!(stretch.lines(), all[7..=19], "{file}");
        assert_eq!(stretch.said, "13 records\n");
    }
    // The first line has names and types.
    let all = lines(&fixture("trace_db/variables.trace"));
    let stretch = Stretch::of(&fixture("trace_db/variables.trace"), &["--range", "7..19"]).lines();
    assert_eq!((&stretch[0], &stretch[2..]), (&all[0], &all[9..=20]));
    // The first point has the buffers that are live before it, too: its pointers point into them.
    let [before, after] = [&all[8], &stretch[1]].map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    assert_eq!(before["vars"], after["vars"]);
    assert!(before["buffer_sizes"] == serde_json::json!([]) && after["buffer_sizes"][0][1].is_u64());
}

fn clock_of(line: &str) -> u64 {
    let value: serde_json::Value = serde_json::from_str(line).unwrap();
    value["tsc"].as_u64().unwrap()
}

/// Clocks between which half of the records of a log are.
fn middle(lines: &[String]) -> (u64, u64) {
    let mut clocks: Vec<u64> = lines.iter().map(|line| clock_of(line)).collect();
    clocks.sort_unstable();
    (clocks[clocks.len() / 4], clocks[clocks.len() * 3 / 4])
}

#[test]
fn a_stretch_of_a_log_has_the_records_of_these_ticks() {
    for file in ["xray/threads.xray", "xray/events.xray", "xray/coarse.xray", "xray/tail-calls.xray"] {
        let all = lines(&fixture(file));
        let (from, to) = middle(&all);
        let stretch = Stretch::of(&fixture(file), &["--range", &format!("{from}..{to}")]);
        // Calls that are open at the edges are entered at the first tick and left after the last.
        let within = |line: &String| (from + 1..=to).contains(&clock_of(line));
        let expected: Vec<_> = all.into_iter().filter(within).collect();
        assert!(expected.len() > 3, "{file}");
        assert_eq!(stretch.lines().into_iter().filter(within).collect::<Vec<_>>(), expected, "{file}");
    }
}

/// What a reference tool prints, or `None` if it is not installed.
fn reference(tool: &str, args: &[&str]) -> Option<String> {
    match Command::new(tool).args(args).output() {
        Ok(output) => {
            assert!(output.status.success(), "{tool}: {}", String::from_utf8_lossy(&output.stderr));
            Some(String::from_utf8(output.stdout).unwrap())
        }
        Err(_) => {
            eprintln!("skipped: {tool} is not installed");
            None
        }
    }
}

#[test]
fn apitrace_reads_a_stretch() {
    let dump = |path: &str, calls: &str| {
        let text = reference("apitrace", &["dump", "-v", "--color=never", calls, path])?;
        // Calls have other numbers in the part.
        let numbers = |line: &str| line.trim_start_matches(|c: char| c.is_ascii_digit()).to_string();
        Some(text.lines().map(numbers).collect::<Vec<_>>())
    };
    let file = fixture("apitrace/scene.trace");
    let stretch = Stretch::of(&file, &["--range", "20..60"]);
    if let Some(theirs) = dump(stretch.path.to_str().unwrap(), "--calls=*") {
        assert_eq!(theirs, dump(&file, "--calls=20-60").unwrap());
        assert!(theirs.len() > 40);
    }
}

#[test]
fn llvm_xray_reads_a_stretch() {
    let convert = |path: &str| reference("llvm-xray", &["convert", "-f", "yaml", path]);
    let file = fixture("xray/threads.xray");
    if let Some(theirs) = convert(Stretch::of(&file, &[]).path.to_str().unwrap()) {
        assert_eq!(theirs, convert(&file).unwrap());
    }
    let (from, to) = middle(&lines(&file));
    let part = Stretch::of(&file, &["--range", &format!("{from}..{to}")]);
    if let Some(theirs) = convert(part.path.to_str().unwrap()) {
        let records = theirs.lines().filter(|line| line.contains("kind: function-")).count();
        assert_eq!(format!("{records} records\n"), part.said);
    }
}

#[test]
fn what_is_left_out_is_nowhere_in_the_file() {
    let has = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    let file = fixture("frames/calls.frames");
    let whole = fs::read(&file).unwrap();
    let secrets = ["/home/ada", "input.txt", "HOME=", "Ada", "engine"];
    assert!(secrets.iter().all(|secret| has(&whole, secret)));
    let hashed = Stretch::of(&file, &["--hash", "all"]);
    let omitted = Stretch::of(&file, &["--omit", "all"]);
    for secret in secrets {
        assert!(!has(&omitted.bytes(), secret), "{secret}");
        assert_eq!(has(&hashed.bytes(), secret), secret == "HOME=", "{secret}");
    }
    assert!(omitted.said.contains("environment variables left out, ") && hashed.said.contains(" paths hashed, "));
    assert_eq!((hashed.lines().len(), omitted.lines().len()), (lines(&file).len(), lines(&file).len()));

    let file = fixture("apitrace/scene.trace");
    let strings = |lines: Vec<String>| lines.join("\n");
    let before = strings(lines(&file));
    let after = strings(Stretch::of(&file, &["--omit", "texts,paths", "--hash", "payloads"]).lines());
    assert!(before.contains("void main()") && !after.contains("void main()"));
    assert_eq!(before.lines().count(), after.lines().count());

    let file = fixture("xray/events.xray");
    let payloads =
        |lines: Vec<String>| lines.iter().filter(|line| line.contains("custom")).cloned().collect::<Vec<_>>();
    let (before, after) = (payloads(lines(&file)), payloads(Stretch::of(&file, &["--hash", "payloads"]).lines()));
    assert_eq!(before.len(), after.len());
    assert!(before.iter().zip(&after).any(|(before, after)| before != after));
}

#[test]
fn what_cannot_be_cut_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x");
    for (file, more, sentence) in [
        ("rvn/blocks.sqlite", &[][..], "A trace of this format (REVEN block trace) cannot be cut."),
        ("xray/threads.xray", &["--range", "0..1"], "There are no records in this range."),
        ("frames/calls.frames", &["--range", "5000.."], "There are no records in this range."),
        ("apitrace/before_first_flush.trace", &[], "the file ends too early"),
    ] {
        let output = unspool(&[&["cut", &fixture(file), "-o", path.to_str().unwrap()], more].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(sentence), "{file}: {said}");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0, "{file} leaves no half a file");
    }
    // What comes before the damage is written.
    let stretch = Stretch::of(&fixture("apitrace/cut.trace"), &[]);
    assert!(stretch.said.lines().count() > 1 && stretch.lines().len() > 50, "{}", stretch.said);
}

#[test]
fn frames_that_do_not_exist_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("frame.trace");
    let cut = |frames: &str| {
        let file = fixture("apitrace/scene.trace");
        unspool(&["cut", &file, "--frames", frames, "--self-contained", "-o", path.to_str().unwrap()])
    };
    let output = cut("99999");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(": refused: there is no frame 99999: the last one is "), "{said}");
    assert!(!path.exists());
    let output = cut("0..1");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("No picture was verified"), "{said}");
    assert!(path.exists());
}
