//! `unspool stats` and `unspool graph` of real XRay logs: against a count over the records that
//! `unspool dump` prints, and against what llvm-xray prints where that is right.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Function id to count, total, self, min, median, p90, p99 and max.
type Figures = BTreeMap<i64, [u64; 8]>;

const KEYS: [&str; 8] = ["count", "total", "self", "min", "median", "p90", "p99", "max"];

/// Logs whose calls last as long as what is lost says, which is not in the records: only their
/// functions are compared.
const DAMAGED: [(&str, &str); 3] = [
    ("fdr-v3-custom-events", "payloads were overwritten, and the clock goes back"),
    ("fdr-v3-custom-typed-events", "payloads were overwritten, and the clock goes back"),
    ("fdr-v4-custom-typed-events", "buffers are cut, so records are lost"),
];

/// Logs that `llvm-xray account` reads to the end, with its output in `NAME.account.txt`.
const ACCOUNTED: [&str; 6] = [
    "basic-v3-args",
    "basic-v3-deep-recursion",
    "basic-v3-tailcalls",
    "fdr-v5-custom-events",
    "fdr-v5-missing-exits",
    "fdr-v5-recursion",
];

/// The others, and why.
const NOT_ACCOUNTED: [(&str, &str); 8] = [
    ("basic-v3-header-only", "it refuses a log without records"),
    ("fdr-v5-buffers-exhausted", "it stops at the first thread that begins before the one that it read first"),
    ("fdr-v5-threads", "the same"),
    ("fdr-v5-threads-clang13", "the same"),
    ("fdr-v5-threads-clang19", "the same"),
    ("fdr-v5-threshold-5us", "the same"),
    ("fdr-v5-unknown-frequency", "the same"),
    ("fdr-v5-typed-events", "it refuses the log, because it does not know the sled of typed events in the program"),
];

/// Logs of which llvm-xray drew the graph in `NAME.graph.dot`, and the edges that it lacks.
const DRAWN: [(&str, &[(i64, i64)]); 10] = [
    ("basic-v3-args", &[]),
    ("basic-v3-deep-recursion", &[]),
    ("basic-v3-header-only", &[]),
    ("basic-v3-tailcalls", &[]),
    ("fdr-v5-custom-events", &[]),
    // It counts a call at its exit, and this one has none.
    ("fdr-v5-missing-exits", &[(0, 3)]),
    ("fdr-v5-recursion", &[]),
    ("fdr-v5-threads", &[]),
    ("fdr-v5-threshold-5us", &[]),
    ("fdr-v5-unknown-frequency", &[]),
];

/// The others, and why.
const NOT_DRAWN: [(&str, &str); 2] = [
    (
        "fdr-v5-buffers-exhausted",
        "it ignores exits without an enter: calls that the missing callers made are of the root",
    ),
    ("fdr-v5-typed-events", "it refuses the log, because it does not know the sled of typed events in the program"),
];

fn unspool(arguments: &[&str], file: &Path) -> Vec<u8> {
    Command::new(env!("CARGO_BIN_EXE_unspool")).args(arguments).arg(file).output().unwrap().stdout
}

fn json(arguments: &[&str], file: &Path) -> Option<Value> {
    serde_json::from_slice(&unspool(arguments, file)).ok()
}

fn figures_of(functions: &Value) -> Figures {
    let figures = |function: &Value| KEYS.map(|key| function[key].as_u64().unwrap());
    let of = |function: &Value| Some((function["id"].as_i64()?, figures(function)));
    functions.as_array().unwrap().iter().filter_map(of).collect()
}

/// The logs in a folder and those below it.
fn logs(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            logs(&path, found);
        } else if path.extension().is_some_and(|e| e == "xray") {
            found.push(path);
        }
    }
}

/// A record: its time, whether it is an enter, and the function.
type Record = (u64, bool, i64);

/// A call: when it began and ended, its function, and what orders calls that begin together: an
/// earlier call is lower.
struct Interval {
    start: u64,
    end: u64,
    order: i64,
    func: i64,
}

/// The calls of a thread from its records in the order of time, by the rules of docs/statistics.md.
/// `last` is the time of its last record of any kind.
fn calls(records: &[Record], basic: bool, last: u64) -> Vec<Interval> {
    let mut done = Vec::new();
    let mut open: Vec<(u64, i64, i64)> = Vec::new();
    let Some((first, ..)) = records.first().copied() else { return done };
    let mut previous = first;
    for (number, (time, enters, func)) in (1..).zip(records.iter().copied()) {
        if enters {
            open.push((time, number, func));
        } else {
            let at = open.iter().rposition(|(.., other)| *other == func);
            let ended = open.split_off(at.unwrap_or(0));
            done.extend(ended.into_iter().map(|(start, order, func)| Interval { start, end: time, order, func }));
            if at.is_none() {
                // Those that began before the recording contain each other in the order of their
                // ends.
                let start = if basic { previous } else { first };
                done.push(Interval { start, end: time, order: -number, func });
            }
        }
        previous = time;
    }
    done.extend(open.into_iter().map(|(start, order, func)| Interval { start, end: last, order, func }));
    done.sort_by_key(|call| (call.start, u64::MAX - call.end, call.order));
    done
}

/// Adds the figures of a thread's calls, which nest.
fn add(calls: &[Interval], figures: &mut Figures, durations: &mut BTreeMap<i64, Vec<u64>>) {
    let mut above: Vec<&Interval> = Vec::new();
    for call in calls {
        while above
            .last()
            .is_some_and(|caller| caller.end < call.end || caller.end <= call.start && call.end > call.start)
        {
            above.pop();
        }
        let length = call.end - call.start;
        durations.entry(call.func).or_default().push(length);
        let recursive = above.iter().any(|caller| caller.func == call.func);
        let of = figures.entry(call.func).or_default();
        of[0] += 1;
        of[1] += if recursive { 0 } else { length };
        of[2] = of[2].wrapping_add(length);
        if let Some(caller) = above.last() {
            let own = &mut figures.entry(caller.func).or_default()[2];
            *own = own.wrapping_sub(length);
        }
        above.push(call);
    }
}

#[test]
fn statistics_equal_a_count_over_the_records() {
    let Some(corpus) = unspool_corpus::path("xray") else { return };
    let mut files = Vec::new();
    logs(&corpus, &mut files);
    let mut compared = 0;
    for file in files {
        let Some(report) = json(&["stats", "--json"], &file) else { continue };
        let header = fs::read(&file).unwrap();
        let basic = header.get(2) == Some(&0);
        let mut threads: HashMap<(i64, i64), (u64, Vec<Record>)> = HashMap::new();
        for line in String::from_utf8_lossy(&unspool(&["dump", "--as", "jsonl"], &file)).lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            let Some(time) = record["tsc"].as_u64() else { continue };
            let thread = ["process", "thread"].map(|key| record[key].as_i64().unwrap_or(0));
            let (last, of) = threads.entry(thread.into()).or_default();
            *last = time.max(*last);
            let kind = record["kind"].as_str().unwrap();
            let enters = kind.starts_with("function-enter");
            if enters || kind == "function-exit" || kind == "function-tail-exit" {
                of.push((time, enters, record["func_id"].as_i64().unwrap()));
            }
        }
        let (mut expected, mut durations) = (Figures::new(), BTreeMap::new());
        for (last, records) in threads.values_mut() {
            // Buffers of a thread may be in another order. Records of one time stay in theirs.
            records.sort_by_key(|(time, ..)| *time);
            add(&calls(records, basic, *last), &mut expected, &mut durations);
        }
        for (func, durations) in &mut durations {
            durations.sort_unstable();
            let rank = |percent: usize| durations[(durations.len() * percent).div_ceil(100).max(1) - 1];
            let of = expected.get_mut(func).unwrap();
            of[3..].copy_from_slice(&[rank(0), rank(50), rank(90), rank(99), rank(100)]);
        }
        let mut found = figures_of(&report["functions"]);
        if DAMAGED.iter().any(|(name, _)| file.file_stem().is_some_and(|stem| stem == *name)) {
            for figures in found.values_mut().chain(expected.values_mut()) {
                figures.fill(0);
            }
        }
        assert_eq!(found, expected, "{}", file.display());
        compared += usize::from(!expected.is_empty());
    }
    assert!(compared > 25, "{compared} logs have calls");
}

/// The logs that were recorded with an output of llvm-xray, by its ending.
fn recorded(folder: &Path, ending: &str) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter_map(|name| name.strip_suffix(ending).map(String::from)).collect();
    names.sort();
    names
}

#[test]
fn counts_and_sums_are_those_of_llvm_xray_where_it_is_right() {
    let Some(folder) = unspool_corpus::path("xray/recorded") else { return };
    for name in recorded(&folder, ".account.txt") {
        let text = fs::read_to_string(folder.join(format!("{name}.account.txt"))).unwrap();
        // `funcid count [ min, med, 90p, 99p, max] sum function`
        let lines = text.lines().filter_map(|line| {
            let (counted, rest) = line.split_once(" [")?;
            let (_, sum) = rest.split_once(']')?;
            let mut numbers = counted.split_whitespace();
            let id: i64 = numbers.next()?.parse().ok()?;
            let count: u64 = numbers.next()?.parse().ok()?;
            let sum: f64 = sum.split_whitespace().next()?.parse().ok()?;
            Some((id, count, sum))
        });
        let lines: Vec<_> = lines.collect();
        let is_right = ACCOUNTED.contains(&name.as_str());
        assert!(is_right || NOT_ACCOUNTED.iter().any(|(other, _)| *other == name), "{name} is in a list");
        assert_eq!(!lines.is_empty(), is_right, "{name}");
        if !is_right {
            continue;
        }
        let log = folder.join(format!("{name}.xray"));
        let functions = figures_of(&json(&["stats", "--json"], &log).unwrap()["functions"]);
        let frequency = json(&["info", "--json"], &log).unwrap()["clock"]["frequency"].as_f64().unwrap();
        // Its sums add up recursive calls again and again, as those of all slices do.
        let mut sums: HashMap<i64, u64> = HashMap::new();
        for line in String::from_utf8_lossy(&unspool(&["slices", "--json"], &log)).lines() {
            let slice: Value = serde_json::from_str(line).unwrap();
            let [start, end] = ["start", "end"].map(|key| slice[key].as_u64().unwrap());
            *sums.entry(slice["id"].as_i64().unwrap()).or_default() += end - start;
        }
        for (id, count, sum) in lines {
            assert_eq!(functions[&id][0], count, "{name}: count of #{id}");
            let seconds = sums[&id] as f64 / frequency;
            assert!((seconds - sum).abs() < 1e-6, "{name}: {seconds} s in #{id}, {sum} s in llvm-xray");
            assert!(functions[&id][1] <= sums[&id], "{name}: recursion adds nothing to the total");
        }
    }
}

/// The edges of a graph in DOT with their counts.
fn edges(dot: &str) -> BTreeMap<(i64, i64), u64> {
    let edge = |line: &str| {
        let (ends, label) = line.split_once(" [label=\"")?;
        let (from, to) = ends.split_once(" -> ")?;
        let node = |text: &str| text.strip_prefix('F')?.parse().ok();
        Some(((node(from)?, node(to)?), label.split_once('"')?.0.parse().ok()?))
    };
    dot.lines().filter_map(edge).collect()
}

#[test]
fn graphs_have_the_edges_and_counts_of_llvm_xray() {
    let Some(folder) = unspool_corpus::path("xray/recorded") else { return };
    let mut compared = 0;
    for name in recorded(&folder, ".graph.dot") {
        // The same program, built by other compilers.
        let listed = name.trim_end_matches("-clang13").trim_end_matches("-clang19");
        let Some((_, lacks)) = DRAWN.iter().find(|(other, _)| *other == listed) else {
            assert!(NOT_DRAWN.iter().any(|(other, _)| *other == name), "{name} is in a list");
            continue;
        };
        let theirs = edges(&fs::read_to_string(folder.join(format!("{name}.graph.dot"))).unwrap());
        let log = folder.join(format!("{name}.xray"));
        let mut ours = edges(&String::from_utf8(unspool(&["graph"], &log)).unwrap());
        for edge in *lacks {
            assert!(ours.remove(edge).is_some(), "{name} has {edge:?}");
        }
        assert_eq!(ours, theirs, "{name}");
        compared += theirs.len();
    }
    assert!(compared > 70, "{compared} edges");
}
