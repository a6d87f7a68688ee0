//! `unspool convert`: what is written agrees with what other commands print, inputs that are
//! broken, and readers of other projects.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name).to_str().unwrap().into()
}

fn unspool(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unspool")).args(args).output().unwrap()
}

/// What `convert` writes.
fn converted(file: &str, to: &str, more: &[&str]) -> Vec<u8> {
    let output = unspool(&[&["convert", &fixture(file), "--to", to, "-o", "-"], more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// `tests/exports.json` has what each trace becomes in each format, and `tests/e2e/export.spec.ts`
/// compares it with what the page writes.
#[test]
fn exports_have_not_changed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/exports.json");
    let mut all = BTreeMap::new();
    for file in TRACES {
        let mut of_file = BTreeMap::new();
        for to in ["perfetto", "chrome", "speedscope", "folded", "pprof", "vcd", "csv"] {
            let output = unspool(&["convert", &fixture(file), "--to", to, "-o", "-"]);
            // Not every trace has counters.
            if output.status.success() {
                let bytes = output.stdout;
                of_file.insert(to, format!("{} bytes, CRC-32 {:08x}", bytes.len(), crc32fast::hash(&bytes)));
            }
        }
        all.insert(file, of_file);
    }
    let text = serde_json::to_string_pretty(&all).unwrap() + "\n";
    if std::env::var_os("UNSPOOL_WRITE_FIXTURES").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), text, "UNSPOOL_WRITE_FIXTURES=1 writes what it is now");
}

fn sql(file: &str, query: &str) -> Vec<Value> {
    let output = unspool(&["sql", &fixture(file), query, "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const TRACES: [&str; 7] = [
    "xray/threads.xray",
    "xray/events.xray",
    "xray/tail-calls.xray",
    "apitrace/scene.trace",
    "frames/plugin.frames",
    "rvn/blocks.sqlite",
    "trace_db/variables.trace",
];

#[test]
fn chrome_has_every_slice_instant_and_sample() {
    for file in TRACES {
        let json: Value = serde_json::from_slice(&converted(file, "chrome", &[])).unwrap();
        let mut phases = BTreeMap::new();
        for event in json["traceEvents"].as_array().unwrap() {
            *phases.entry(event["ph"].as_str().unwrap()).or_insert(0) += 1;
            if let Some(duration) = event["dur"].as_f64() {
                assert!(duration >= 0.0, "{file}: {event}");
            }
        }
        let count = |table: &str| {
            sql(file, &format!("select count(*) as n from {table}")).first().and_then(|row| row["n"].as_i64()).unwrap()
        };
        let of = |phase: &str| phases.get(phase).copied().unwrap_or(0);
        assert_eq!(of("X") + of("b"), count("slices"), "{file}");
        assert_eq!((of("i"), of("C")), (count("instants"), count("counters")), "{file}");
        assert_eq!(of("b"), of("e"), "{file}");
    }
}

/// Self times by function.
fn own_times(stacks: &str) -> BTreeMap<String, u64> {
    let mut own = BTreeMap::new();
    for line in stacks.lines() {
        let (stack, time) = line.rsplit_once(' ').unwrap();
        let name = stack.rsplit(';').next().unwrap();
        *own.entry(name.to_string()).or_insert(0) += time.parse::<u64>().unwrap();
    }
    own
}

#[test]
fn folded_stacks_agree_with_the_statistics() {
    for file in ["xray/threads.xray", "frames/plugin.frames"] {
        for range in [&[][..], &["--range", "..50"]] {
            let own = own_times(&String::from_utf8(converted(file, "folded", range)).unwrap());
            let stats = unspool(&[&["stats", &fixture(file), "--json"], range].concat());
            let stats: Value = serde_json::from_slice(&stats.stdout).unwrap();
            let info: Value = serde_json::from_slice(&unspool(&["info", "--json", &fixture(file)]).stdout).unwrap();
            let frequency = info["clock"]["frequency"].as_u64().unwrap_or(1_000_000_000);
            let mut expected = BTreeMap::new();
            for function in stats["functions"].as_array().unwrap() {
                let time = function["self"].as_u64().unwrap();
                if time > 0 {
                    *expected.entry(function["name"].as_str().unwrap().to_string()).or_insert(0) += time;
                }
            }
            // Each stack is rounded down.
            for (name, ticks) in &expected {
                let time = u64::try_from(u128::from(*ticks) * 1_000_000_000 / u128::from(frequency)).unwrap();
                let found = own.get(name).copied().unwrap_or(0);
                assert!(found <= time && time - found <= 200, "{file} {range:?}: {name} {found} {time}");
            }
            assert!(own.keys().all(|name| expected.contains_key(name)), "{file} {range:?}");
            assert_eq!(own.is_empty(), expected.is_empty());
        }
    }
}

#[test]
fn speedscope_profiles_are_threads_whose_calls_nest() {
    for file in [
        "xray/threads.xray",
        "xray/tail-calls.xray",
        "apitrace/scene.trace",
        "frames/plugin.frames",
        "rvn/blocks.sqlite",
    ] {
        let json: Value = serde_json::from_slice(&converted(file, "speedscope", &[])).unwrap();
        let frames = json["shared"]["frames"].as_array().unwrap().len() as u64;
        let threads =
            sql(file, "select distinct track from slices join tracks on tracks.id = track where kind = 'thread'");
        let profiles = json["profiles"].as_array().unwrap();
        assert_eq!(profiles.len(), threads.len().max(1), "{file}");
        for profile in profiles {
            let (mut open, mut last) = (Vec::new(), profile["startValue"].as_u64().unwrap());
            for event in profile["events"].as_array().unwrap() {
                let (at, frame) = (event["at"].as_u64().unwrap(), event["frame"].as_u64().unwrap());
                assert!(at >= last && frame < frames, "{file}: {event}");
                last = at;
                if event["type"] == "O" {
                    open.push(frame);
                } else {
                    assert_eq!(open.pop(), Some(frame), "{file}");
                }
            }
            assert!(open.is_empty() && last <= profile["endValue"].as_u64().unwrap(), "{file}");
        }
    }
}

#[test]
fn arguments_of_calls_come_along() {
    let events = |more: &[&str]| {
        let json: Value = serde_json::from_slice(&converted("apitrace/scene.trace", "chrome", more)).unwrap();
        json["traceEvents"].as_array().unwrap().clone()
    };
    let with = events(&[]);
    let clear = with.iter().find(|event| event["name"] == "glBindTexture").unwrap();
    assert!(clear["args"]["texture"].is_u64() && clear["args"]["target"].is_string(), "{clear}");
    assert!(clear["args"].get("call").is_none(), "what the event says is not repeated");
    let calls = |events: &[Value]| events.iter().filter(|event| event["args"]["texture"].is_u64()).count();
    let expected = sql("apitrace/scene.trace", "select count(*) as n from fields where key = 'args.texture'");
    assert_eq!(calls(&with) as i64, expected[0]["n"].as_i64().unwrap());
    assert_eq!(calls(&events(&["--no-args"])), 0);
    // A group has the arguments of the call that opens it, and that call has them, too.
    let opens: Vec<_> = with.iter().filter(|event| event["name"] == "glPushDebugGroup").collect();
    assert!(!opens.is_empty() && opens.iter().all(|event| event["args"]["message"].is_string()), "{opens:?}");
    // An argument without a name, and text of an event.
    let json: Value = serde_json::from_slice(&converted("xray/events.xray", "chrome", &[])).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    assert!(events.iter().any(|event| event["ph"] == "X" && event["args"]["args"].is_array()), "{json}");
}

#[test]
fn what_is_hashed_or_left_out_is_in_no_format() {
    // A source of a shader is an argument. Names of groups and markers are texts of the program.
    let scene = "apitrace/scene.trace";
    let secrets = ["void main()", "terrain", "a cloud comes in"];
    // Names of modules are paths. Events of XRay have their payloads as names.
    let (modules, events) = ("frames/calls.frames", "xray/events.xray");
    let directory = tempfile::tempdir().unwrap();
    let mut formats = vec!["chrome", "perfetto", "csv"];
    if cfg!(feature = "parquet") {
        formats.push("parquet");
    }
    for to in formats {
        let written = |file: &str, more: &[&str]| {
            let out = directory.path().join(format!("{to}{}", more.concat()));
            let output =
                unspool(&[&["convert", &fixture(file), "--to", to, "-o", out.to_str().unwrap()], more].concat());
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success(), "{said}");
            let bytes = if to == "parquet" {
                // Columns are compressed.
                let tables = ["names", "args"].map(|table| parquet_text(&out, table, file));
                fs::remove_dir_all(&out).unwrap();
                tables.concat().into_bytes()
            } else {
                fs::read(&out).unwrap()
            };
            (bytes, said)
        };
        let has = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        let (whole, said) = written(scene, &[]);
        assert!(said.is_empty(), "{said}");
        let shown = |secret: &str| to != "csv" || !secret.contains("main");
        assert!(secrets.iter().all(|secret| has(&whole, secret) == shown(secret)), "{to}");
        let (hashed, said) = written(scene, &["--hash", "all"]);
        assert!(secrets.iter().all(|secret| !has(&hashed, secret)) && has(&hashed, "text-"), "{to}");
        assert!(said.contains(" texts hashed"), "{to}: {said}");
        let (omitted, said) = written(scene, &["--omit", "texts"]);
        assert!(secrets.iter().all(|secret| !has(&omitted, secret)) && !has(&omitted, "text-"), "{to}");
        assert!(said.contains(" texts left out"), "{to}: {said}");
        assert!(has(&written(modules, &[]).0, "/home/ada"), "{to}");
        let (cleaned, said) = written(modules, &["--hash", "paths"]);
        assert!(!has(&cleaned, "/home/ada") && has(&cleaned, "path-") && said.contains(" hashed"), "{to}: {said}");
        assert!(has(&written(events, &[]).0, "example.org"), "{to}");
        let (cleaned, said) = written(events, &["--hash", "payloads"]);
        assert!(!has(&cleaned, "example.org") && has(&cleaned, "payload-"), "{to}: {said}");
    }
}

#[cfg(feature = "parquet")]
fn parquet_text(out: &Path, table: &str, file: &str) -> String {
    let rows = rows_of(out, table, file.rsplit('/').next().unwrap());
    rows.iter().map(Value::to_string).collect()
}

#[cfg(not(feature = "parquet"))]
fn parquet_text(_: &Path, _: &str, _: &str) -> String {
    String::new()
}

#[test]
fn filters_and_ranges_leave_out_the_rest() {
    let names = |more: &[&str]| {
        let text = String::from_utf8(converted("apitrace/scene.trace", "csv", more)).unwrap();
        text.lines().skip(1).map(|line| line.split(',').nth(6).unwrap().to_string()).collect::<Vec<_>>()
    };
    let draws = names(&["--where", "name:glDraw*"]);
    let found = unspool(&["find", &fixture("apitrace/scene.trace"), "name:glDraw*", "--csv"]);
    assert_eq!(draws.len(), String::from_utf8_lossy(&found.stdout).lines().count() - 1);
    assert!(!draws.is_empty() && draws.iter().all(|name| name.starts_with("glDraw")));
    let (all, some) = (names(&[]).len(), names(&["--range", "10..20"]).len());
    assert!(some > 5 && some < all);
    let beyond = ["convert", &fixture("apitrace/scene.trace"), "--to", "csv", "-o", "-", "--range", "9999.."];
    let said = String::from_utf8(unspool(&beyond).stderr).unwrap();
    assert!(said.contains("nothing is in the range: positions of this trace are from 0 to "), "{said}");
    let one = names(&["--track", "thread 1"]).len();
    assert!(one > 0 && one < all);
    let wrong = unspool(&["convert", &fixture("apitrace/scene.trace"), "--to", "csv", "-o", "-", "--where", "dur>>1"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("dur>>1"));
}

#[test]
fn a_broken_input_is_reported_and_the_others_follow() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let garbage = directory.path().join("garbage.trace");
    fs::write(&garbage, [7; 3000]).unwrap();
    let inputs = [
        fixture("xray/threads.xray"),
        garbage.to_str().unwrap().into(),
        fixture("xray/truncated.xray"),
        fixture("apitrace/scene.trace"),
    ];
    let run = |more: &[&str]| {
        let mut args = vec!["convert", "--to", "perfetto", "-o", out.to_str().unwrap()];
        args.extend(inputs.iter().map(String::as_str));
        args.extend(more);
        unspool(&args)
    };
    let output = run(&[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("truncated.xray: at byte "), "{said}");
    let table: Vec<_> = said.lines().skip_while(|line| !line.starts_with("outcome ")).collect();
    let outcomes: Vec<_> = table.iter().map(|line| (&line[..9], line.contains("garbage.trace"))).collect();
    assert_eq!(
        outcomes[1..5],
        [("converted", false), ("converted", false), ("in part  ", false), ("failed   ", true)],
        "{said}"
    );
    let sum = |column: usize| {
        let cells = table[1..4].iter().map(|line| line.split_whitespace().rev().nth(column).unwrap());
        cells.filter_map(|cell| cell.parse::<u64>().ok()).sum::<u64>()
    };
    assert!(table[5].ends_with(&format!("{} rows, {} bytes", sum(5), sum(4))), "{said}");
    assert!(said.lines().last().unwrap().starts_with("4 traces: 3 converted"), "{said}");
    let written = |name: &str| -> PathBuf { out.join(name) };
    let mut names: Vec<_> =
        fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(
        names,
        ["scene.trace.pftrace", "threads.xray.pftrace", "truncated.xray.pftrace", "truncated.xray.pftrace.in-part"],
        "nothing half-written is left"
    );
    assert!(fs::metadata(written("truncated.xray.pftrace")).unwrap().len() > 100);
    // What is there is kept, what is missing is made.
    fs::write(written("threads.xray.pftrace"), "kept").unwrap();
    fs::remove_file(written("scene.trace.pftrace")).unwrap();
    let said = String::from_utf8_lossy(&run(&["--resume"]).stderr).into_owned();
    assert!(
        said.lines()
            .last()
            .unwrap()
            .starts_with("4 traces: 1 converted (0 of them in part), 2 skipped (1 of them in part), 1 failed"),
        "{said}"
    );
    assert_eq!(fs::read(written("threads.xray.pftrace")).unwrap(), b"kept");
    // One alone, without a failure.
    let single = unspool(&["convert", &inputs[0], "--to", "folded", "-o", written("one.txt").to_str().unwrap()]);
    assert!(single.status.success() && single.stderr.is_empty(), "{}", String::from_utf8_lossy(&single.stderr));
    assert_eq!(unspool(&["convert", &inputs[0], &inputs[3], "--to", "folded", "-o", "-"]).status.code(), Some(2));
}

/// Converts a truncated log, twice with `--resume`, and once it is whole. `mark` is the file that
/// says that an output is in part.
fn resumes(to: &str, output: &str, mark: &str) {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("log.xray");
    let out = directory.path().join(output);
    let mark = directory.path().join(mark);
    let run = || {
        let args = ["convert", input.to_str().unwrap(), "--to", to, "-o", out.to_str().unwrap(), "--resume"];
        let output = unspool(&args);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    fs::copy(fixture("xray/truncated.xray"), &input).unwrap();
    let (status, said) = run();
    assert_eq!((status, mark.exists()), (Some(1), true), "{said}");
    assert!(said.contains("the file ends too early"), "{said}");
    // Nothing more is to be had of it, which is said again.
    let (status, said) = run();
    assert_eq!(status, Some(1));
    assert!(said.ends_with("its output exists, with the part of the trace that could be read.\n"), "{said}");
    // The program that writes it has gone on since.
    fs::copy(fixture("xray/threads.xray"), &input).unwrap();
    assert_eq!(run(), (Some(0), String::new()));
    assert!(!mark.exists());
    let before = fs::metadata(&out).unwrap().modified().unwrap();
    assert_eq!(run(), (Some(0), String::new()));
    assert_eq!(fs::metadata(&out).unwrap().modified().unwrap(), before, "skipped");
}

#[test]
fn what_was_converted_in_part_is_not_taken_for_whole() {
    resumes("perfetto", "log.pftrace", "log.pftrace.in-part");
    #[cfg(feature = "parquet")]
    resumes("parquet", "set", "set/traces/trace=log.xray/_in_part");
}

#[test]
fn inputs_together_are_written_as_one_by_one() {
    let directory = tempfile::tempdir().unwrap();
    let inputs = TRACES.map(fixture);
    for jobs in ["1", "3"] {
        let out = directory.path().join(jobs);
        let mut args = vec!["convert", "--to", "perfetto", "--jobs", jobs, "-o", out.to_str().unwrap()];
        args.extend(inputs.iter().map(String::as_str));
        assert!(unspool(&args).status.success());
        for file in TRACES {
            let written = fs::read(out.join(format!("{}.pftrace", file.rsplit('/').next().unwrap()))).unwrap();
            assert!(written == converted(file, "perfetto", &[]), "{file}");
        }
    }
}

#[test]
fn a_large_trace_is_written_from_a_file_as_from_memory() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log.xray");
    let log = log.to_str().unwrap();
    // More slices than stay in memory, some of them without a begin.
    let made = unspool(&["generate", "xray", "--events", "1000000", "--mid-stack", "-o", log]);
    assert!(made.status.success());
    let output = unspool(&["convert", log, "--to", "folded", "-o", "-"]);
    assert!(output.status.success());
    let own = own_times(&String::from_utf8(output.stdout).unwrap());
    let stats: Value = serde_json::from_slice(&unspool(&["stats", "--json", log]).stdout).unwrap();
    let info: Value = serde_json::from_slice(&unspool(&["info", "--json", log]).stdout).unwrap();
    let frequency = info["clock"]["frequency"].as_u64().unwrap();
    let functions = stats["functions"].as_array().unwrap();
    assert!(functions.len() > 100);
    for function in functions {
        let name = function["name"].as_str().unwrap();
        let time = function["self"].as_u64().unwrap() as f64 * 1e9 / frequency as f64;
        let found = own.get(name).copied().unwrap_or(0) as f64;
        // Each of up to a million stacks is rounded down.
        assert!(found <= time + 1.0 && time - found <= 1e6, "{name} {found} {time}");
    }
    // A search visits all of them, too.
    let some = unspool(&["convert", log, "--to", "csv", "--where", "name:#3", "-o", "-"]);
    let third = functions.iter().find(|function| function["name"] == "#3").unwrap();
    assert_eq!(some.stdout.iter().filter(|byte| **byte == b'\n').count() as u64, 1 + third["count"].as_u64().unwrap());
}

#[test]
fn names_of_a_binary_are_written() {
    let program = fixture("binaries/program.elf");
    let text = String::from_utf8(converted("binaries/program.xray", "folded", &["--binary", &program])).unwrap();
    assert!(text.contains("program::generic::<u8>") && !text.contains('#'), "{text}");
}

/// Decodes a Perfetto trace with the classes of the Python package `perfetto`, and prints how many
/// slices each thread has and how they are called.
const DECODE: &str = "
import sys, json, collections
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace
trace = Trace(); trace.ParseFromString(open(sys.argv[1], 'rb').read())
tracks, names, slices, open_ = {}, {}, collections.Counter(), collections.Counter()
for packet in trace.packet:
    if packet.HasField('track_descriptor'):
        it = packet.track_descriptor
        tracks[it.uuid] = it.thread.thread_name if it.HasField('thread') else it.name
    for name in packet.interned_data.event_names: names[name.iid] = name.name
    if packet.HasField('track_event'):
        event = packet.track_event
        if event.type == 1:
            slices[tracks[event.track_uuid] + '/' + names[event.name_iid]] += 1
            open_[event.track_uuid] += 1
        if event.type == 2: open_[event.track_uuid] -= 1
        assert open_[event.track_uuid] >= 0
assert not any(open_.values())
print(json.dumps(slices))
";

#[test]
fn the_classes_of_perfetto_read_what_is_written() {
    let python = std::env::var("UNSPOOL_PYTHON").unwrap_or("python3".into());
    let has = Command::new(&python).args(["-c", "import perfetto.protos.perfetto.trace.perfetto_trace_pb2"]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} has no package perfetto (UNSPOOL_PYTHON names another Python)");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    for file in TRACES {
        let path = directory.path().join("t.pftrace");
        fs::write(&path, converted(file, "perfetto", &[])).unwrap();
        let output = Command::new(&python).args(["-c", DECODE, path.to_str().unwrap()]).output().unwrap();
        assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
        let found: BTreeMap<String, i64> = serde_json::from_slice(&output.stdout).unwrap();
        let mut expected = BTreeMap::new();
        for row in sql(file, "select track_name, name, count(*) as n from named_slices group by 1, 2") {
            let key = format!("{}/{}", row["track_name"].as_str().unwrap(), row["name"].as_str().unwrap());
            expected.insert(key, row["n"].as_i64().unwrap());
        }
        assert_eq!(found, expected, "{file}");
    }
}

/// The rows of a table of a data set, as texts of JSON.
#[cfg(feature = "parquet")]
fn rows_of(out: &Path, table: &str, trace: &str) -> Vec<Value> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::{Field, Row};
    let path = out.join(table).join(format!("trace={trace}/0.parquet"));
    let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
    let metadata = reader.metadata();
    for group in metadata.row_groups() {
        assert!(group.num_rows() <= 1_000_000);
        for column in group.columns() {
            assert!(column.statistics().is_some(), "{table}: {}", column.column_path());
            assert!(matches!(column.compression(), parquet::basic::Compression::ZSTD(_)));
        }
    }
    let value = |field: &Field| match field {
        Field::Int(number) => (*number).into(),
        Field::Long(number) => (*number).into(),
        Field::Double(number) => (*number).into(),
        Field::Str(text) => text.as_str().into(),
        Field::Null => Value::Null,
        other => panic!("no column has {other}"),
    };
    let object = |row: Row| row.get_column_iter().map(|(name, field)| (name.clone(), value(field))).collect();
    reader.get_row_iter(None).unwrap().map(|row| Value::Object(object(row.unwrap()))).collect()
}

#[cfg(feature = "parquet")]
#[test]
fn a_data_set_has_what_sql_has() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("set");
    let inputs = TRACES.map(fixture);
    let convert = |more: &[&str]| {
        let mut args = vec!["convert", "--to", "parquet", "-o", out.to_str().unwrap()];
        args.extend(inputs.iter().map(String::as_str));
        args.extend(more);
        unspool(&args)
    };
    let output = convert(&[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for file in TRACES {
        let name = file.rsplit('/').next().unwrap();
        let info = unspool(&["info", "--json", &fixture(file)]).stdout;
        let origin = serde_json::from_slice::<Value>(&info).unwrap()["extent"]["from"].clone();
        let origin = origin.as_i64().or_else(|| origin.as_str()?.parse().ok()).unwrap_or(0);
        let queries = [
            (
                "slices",
                format!(
                    "select s.id, track, depth, start - {origin} as start, dur, names.name, s.name as name_id, parent, flags from slices s join names on names.id = s.name order by s.id"
                ),
            ),
            ("counters", format!("select id, track, time - {origin} as time, value from counters order by id")),
            (
                "instants",
                format!(
                    "select i.id, track, time - {origin} as time, names.name, i.name as name_id from instants i join names on names.id = i.name order by i.id"
                ),
            ),
            ("tracks", "select id, kind, name, number, parent from tracks order by id".into()),
            ("names", "select id, name, kind, key from names order by id".into()),
        ];
        for (table, query) in queries {
            let expected = sql(file, &query);
            let mut found = rows_of(&out, table, name);
            found.sort_by_key(|row| row["id"].as_i64());
            assert_eq!(found.len(), expected.len(), "{file}: {table}");
            for (found, expected) in found.iter().zip(&expected) {
                for (column, value) in expected.as_object().unwrap() {
                    let same = match (&found[column], value) {
                        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
                        (a, b) => a == b,
                    };
                    assert!(same, "{file}: {table}: {column}: {found} {expected}");
                }
            }
        }
        let trace = &rows_of(&out, "traces", name)[0];
        assert_eq!((trace["schema"].as_i64(), trace["file"].as_str()), (Some(1), Some(name)));
    }
    let args = rows_of(&out, "args", "scene.trace");
    let expected = sql("apitrace/scene.trace", "select count(*) as n from fields where key = 'args.texture'");
    assert_eq!(args.iter().filter(|row| row["key"] == "texture").count() as i64, expected[0]["n"].as_i64().unwrap());
    assert!(args.iter().all(|row| row["slice"].is_null() != row["instant"].is_null()));
    let said = String::from_utf8_lossy(&convert(&["--resume"]).stderr).into_owned();
    assert!(said.lines().last().unwrap().contains("7 skipped"), "{said}");
    assert_eq!(unspool(&["convert", &inputs[0], "--to", "parquet", "-o", "-"]).status.code(), Some(2));
}

/// Asks DuckDB how many rows each table has, and the first row of the last query of a document.
#[cfg(feature = "parquet")]
const ASK: &str = "
import sys, json, re, duckdb
db = duckdb.connect()
counts = {}
for table in 'traces tracks names slices instants counters args'.split():
    db.execute(f\"create view {table} as select * from read_parquet('{sys.argv[1]}/{table}/*/*.parquet', hive_partitioning = true)\")
    counts[table] = db.execute(f'select count(*) from {table}').fetchone()[0]
query = re.findall(r'```sql\\n(.*?)```', open(sys.argv[2]).read(), re.S)[-1]
print(json.dumps([counts, db.execute(query).fetchone()]))
";

#[cfg(feature = "parquet")]
#[test]
fn rows_of_a_data_set_lead_to_links() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("set");
    let name = "threads.xray";
    let log = fixture("xray/threads.xray");
    assert!(unspool(&["convert", &log, "--to", "parquet", "-o", out.to_str().unwrap()]).status.success());
    let find = |table: &str, id: i64| rows_of(&out, table, name).into_iter().find(|row| row["id"] == id).unwrap();
    let number = |row: &Value, column: &str| row[column].as_i64().unwrap();
    let slice = find("slices", 376);
    let track = find("tracks", number(&slice, "track"));
    let start = number(&rows_of(&out, "traces", name)[0], "origin") + number(&slice, "start");
    let depth = number(&slice, "depth") + number(&track, "lowest");
    let (end, track) = (start + number(&slice, "dur"), number(&slice, "track") - 1);
    // tests/e2e/link.spec.ts opens it.
    let link = "&range=7140221766841..7140221949296&at=7140221766841,4,-1";
    assert_eq!(format!("&range={start}..{end}&at={start},{track},{depth}"), link);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let fleet = root.join("target/fleet/env/bin/python");
    let python = std::env::var("UNSPOOL_PYTHON").map_or(fleet, PathBuf::from);
    let asked = Command::new(&python).args(["-c", ASK]).arg(&out).arg(root.join("docs/fleet.md")).output();
    let Ok(asked) = asked.as_ref().map_err(|_| ()).and_then(|it| if it.status.success() { Ok(it) } else { Err(()) })
    else {
        eprintln!("skipped: {} has no package duckdb (UNSPOOL_PYTHON names another Python)", python.display());
        return;
    };
    let answer: Value = serde_json::from_slice(&asked.stdout).unwrap();
    for (table, count) in answer[0].as_object().unwrap() {
        assert_eq!(count.as_u64(), Some(rows_of(&out, table, name).len() as u64), "{table}");
    }
    let link = answer[1].as_array().unwrap().last().unwrap().as_str().unwrap();
    assert!(link.ends_with("&name=threads.xray&range=7140220518000..7140222310107&at=7140220518000,1,0"), "{link}");
}

#[test]
fn a_dump_has_every_value() {
    for file in ["trace_db/variables.trace", "apitrace/scene.trace"] {
        let text = String::from_utf8(converted(file, "vcd", &[])).unwrap();
        let (head, body) = text.split_once("$enddefinitions $end").unwrap();
        let count = |query: &str| sql(file, query)[0]["n"].as_u64().unwrap() as usize;
        assert_eq!(
            head.matches("$var ").count(),
            count("select count(*) as n from tracks where kind = 'counter'"),
            "{file}"
        );
        let values = body.lines().filter(|line| line.starts_with(['b', 'r'])).count();
        assert_eq!(values, count("select count(*) as n from counters"), "{file}");
        let times: Vec<u64> = body.lines().filter_map(|line| line.strip_prefix('#')?.parse().ok()).collect();
        assert!(times.is_sorted() && times.len() > 3, "{file}");
    }
    let output = unspool(&["convert", &fixture("xray/threads.xray"), "--to", "vcd", "-o", "-"]);
    assert!(output.status.code() == Some(2) && String::from_utf8_lossy(&output.stderr).contains("no counters"));
}
