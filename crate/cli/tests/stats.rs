//! `unspool stats` of whole files, in its three output forms.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use unspool_formats::xray::encode::basic_log;
use unspool_formats::xray::wire::{Basic, FunctionKind};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

fn stats(file: &Path, form: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unspool")).arg("stats").args(form).arg(file).output().unwrap()
}

fn json(name: &str) -> Value {
    json_by(name, "function")
}

fn json_by(name: &str, by: &str) -> Value {
    let output = stats(&fixture(name), &["--json", "--by", by]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn statistics_are_whole_numbers_with_function_ids() {
    let report = json("xray/threads.xray");
    let functions = report["functions"].as_array().unwrap();
    assert!(functions.len() > 3);
    let sum = |key: &str| functions.iter().map(|f| f[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(Some(sum("self")), report["covered"].as_u64(), "each tick in a call is that of one function");
    for function in functions {
        let id = function["id"].as_i64().unwrap();
        assert_eq!(function["name"], format!("#{id}"));
        assert_eq!((&function["kind"], &function["address"]), (&"call".into(), &Value::Null));
        let [min, median, p90, p99, max] = ["min", "median", "p90", "p99", "max"].map(|key| function[key].as_u64());
        assert!(min <= median && median <= p90 && p90 <= p99 && p99 <= max, "{function}");
    }
    let own: Vec<_> = functions.iter().map(|f| f["self"].as_u64()).collect();
    assert!(own.is_sorted_by(|a, b| a >= b));
}

#[test]
fn csv_has_one_quoted_line_per_function() {
    // No threads, so the statistics are those of the buffers.
    let report = json("trace_db/variables.trace");
    let functions = report["functions"].as_array().unwrap();
    assert!(functions.iter().any(|f| f["name"].as_str().unwrap().contains(", ")), "{report}");
    let output = stats(&fixture("trace_db/variables.trace"), &["--csv"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.split("\r\n");
    assert_eq!(lines.next(), Some("name,kind,id,address,count,total,self,min,median,p90,p99,max"));
    for function in functions {
        let name = format!("\"{}\",{},,,", function["name"].as_str().unwrap(), function["kind"].as_str().unwrap());
        let keys = ["count", "total", "self", "min", "median", "p90", "p99", "max"];
        let figures = keys.map(|key| function[key].to_string()).join(",");
        assert_eq!(lines.next(), Some(format!("{name}{figures}").as_str()));
    }
    assert_eq!((lines.next(), lines.next()), (Some(""), None));
}

#[test]
fn the_table_is_aligned() {
    let output = stats(&fixture("xray/threads.xray"), &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    let names: Vec<_> = text.lines().map(|line| line.rfind("  ").unwrap()).collect();
    assert!(names.len() > 3 && names.iter().all(|at| *at == names[0]), "{text}");
}

#[test]
fn other_files_are_refused() {
    let output = stats(&fixture("xray/README.md"), &["--json"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert_eq!(stats(&fixture("xray/threads.xray"), &["--json", "--csv"]).status.code(), Some(2));
}

#[test]
fn what_a_limit_leaves_out_is_said_in_every_form() {
    let file = fixture("xray/threads.xray");
    let lines = |args: &[&str]| {
        let output = stats(&file, args);
        let lines = String::from_utf8(output.stdout).unwrap().lines().count();
        (lines, String::from_utf8(output.stderr).unwrap())
    };
    let (all, _) = lines(&["--csv"]);
    let more = format!("{} more; --limit 0 lists all.", all - 2);
    assert_eq!(lines(&["--csv", "--limit", "1"]), (2, format!("{more}\n")));
    let text = String::from_utf8(stats(&file, &["--limit", "1"]).stdout).unwrap();
    assert!(text.ends_with(&format!("{more}\n")), "{text}");
    assert_eq!(lines(&["--limit", "0"]).0, all);
    let json: Value = serde_json::from_slice(&stats(&file, &["--json", "--limit", "1"]).stdout).unwrap();
    assert_eq!((&json["total"], &json["listed"], &json["truncated"]), (&(all - 1).into(), &1.into(), &true.into()));
}

/// A figure of all functions, added up.
fn sum(functions: &Value, key: &str) -> u64 {
    functions.as_array().unwrap().iter().map(|function| function[key].as_u64().unwrap()).sum()
}

#[test]
fn threads_add_up_to_the_functions() {
    let all = json("xray/threads.xray");
    let by_thread = json_by("xray/threads.xray", "thread");
    let threads = by_thread["threads"].as_array().unwrap();
    assert!(threads.len() > 1);
    let mut ids: Vec<_> = threads.iter().map(|thread| thread["thread"].as_i64().unwrap()).collect();
    ids.dedup();
    assert_eq!(ids.len(), threads.len(), "each thread once");
    for key in ["count", "self"] {
        let of_threads: u64 = threads.iter().map(|thread| sum(&thread["functions"], key)).sum();
        assert_eq!(of_threads, sum(&all["functions"], key), "{key}");
    }
    let covered: u64 = threads.iter().map(|thread| thread["covered"].as_u64().unwrap()).sum();
    assert_eq!(Some(covered), all["covered"].as_u64());
    // The same thread by itself.
    let one = stats(&fixture("xray/threads.xray"), &["--json", "--track", threads[1]["track"].as_str().unwrap()]);
    let one: Value = serde_json::from_slice(&one.stdout).unwrap();
    assert_eq!(one["functions"], threads[1]["functions"]);
    let csv = stats(&fixture("xray/threads.xray"), &["--csv", "--by", "thread"]);
    let csv = String::from_utf8(csv.stdout).unwrap();
    let rows: usize = threads.iter().map(|thread| thread["functions"].as_array().unwrap().len()).sum();
    assert_eq!(csv.lines().count(), rows + 1);
    assert!(csv.starts_with("track,thread,name,kind,id,"), "{csv}");
}

#[test]
fn stacks_add_up_to_the_functions() {
    let all = json("xray/threads.xray");
    let by_stack = json_by("xray/threads.xray", "stack");
    assert_eq!(by_stack["covered"], all["covered"]);
    let stacks = by_stack["stacks"].as_array().unwrap();
    let own: Vec<_> = stacks.iter().map(|stack| stack["self"].as_u64()).collect();
    assert!(stacks.len() > 3 && own.is_sorted_by(|a, b| a >= b));
    for function in all["functions"].as_array().unwrap() {
        let innermost = |stack: &&Value| stack["stack"].as_array().unwrap().last() == Some(&function["name"]);
        for key in ["count", "self"] {
            let of_stacks: u64 = stacks.iter().filter(innermost).map(|stack| stack[key].as_u64().unwrap()).sum();
            assert_eq!(Some(of_stacks), function[key].as_u64(), "{key} of {}", function["name"]);
        }
    }
    let table = String::from_utf8(stats(&fixture("xray/threads.xray"), &["--by", "stack"]).stdout).unwrap();
    assert!(table.starts_with(&format!("self {}, total {}, count", stacks[0]["self"], stacks[0]["total"])), "{table}");
}

#[test]
fn a_range_cuts_the_times() {
    let whole = json("xray/threads.xray");
    let file = fixture("xray/threads.xray");
    let slices = Command::new(env!("CARGO_BIN_EXE_unspool")).args(["slices", "--json"]).arg(file).output().unwrap();
    let first: Value = serde_json::from_str(String::from_utf8(slices.stdout).unwrap().lines().next().unwrap()).unwrap();
    let range = format!("..{}", first["start"].as_u64().unwrap() + 99);
    let cut = stats(&fixture("xray/threads.xray"), &["--json", "--range", &range]);
    let cut: Value = serde_json::from_slice(&cut.stdout).unwrap();
    assert!(cut["covered"].as_u64() < whole["covered"].as_u64() && sum(&cut["functions"], "count") > 0, "{cut}");
}

#[test]
fn the_graph_has_the_figures_of_the_functions() {
    let graph = |form: &[&str]| {
        let file = fixture("xray/threads.xray");
        Command::new(env!("CARGO_BIN_EXE_unspool")).arg("graph").args(form).arg(file).output().unwrap().stdout
    };
    let report: Value = serde_json::from_slice(&graph(&["--as", "json"])).unwrap();
    let functions = report["functions"].as_array().unwrap();
    let edges = report["edges"].as_array().unwrap();
    for (number, function) in functions.iter().enumerate() {
        let calls = || edges.iter().filter(|edge| edge["callee"].as_u64() == Some(number as u64));
        let into = Value::Array(calls().cloned().collect());
        for key in ["count", "self"] {
            assert_eq!(Some(sum(&into, key)), function[key].as_u64(), "{key} of {}", function["name"]);
        }
        assert_eq!(calls().map(|edge| edge["min"].as_u64()).min(), Some(function["min"].as_u64()));
        assert_eq!(calls().map(|edge| edge["max"].as_u64()).max(), Some(function["max"].as_u64()));
    }
    assert!(edges.iter().any(|edge| edge["caller"].is_null()), "outermost calls");
    let dot = String::from_utf8(graph(&[])).unwrap();
    assert_eq!(dot.lines().filter(|line| line.contains(" -> ")).count(), edges.len());
    assert!(dot.contains("F0 [label=\"root\"];") && dot.ends_with("}\n"), "{dot}");
}

#[test]
fn callees_of_tail_calls_lie_beside_or_under_their_callers() {
    let depths = |more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_unspool"))
            .args(["slices", "--json"])
            .args(more)
            .arg(fixture("xray/tail-calls.xray"))
            .output()
            .unwrap();
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        let slices: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        slices.iter().map(|it| it["depth"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(depths(&[]), [0, 1, 1, 1, 1]);
    assert_eq!(depths(&["--nest-tail-calls"]), [0, 1, 2, 3, 1], "the last callee was not instrumented");
}

#[test]
fn statistics_count_callees_of_tail_calls_under_their_callers_on_request() {
    let report = |command: &str, more: &[&str]| -> Value {
        let file = fixture("xray/tail-calls.xray");
        let output = Command::new(env!("CARGO_BIN_EXE_unspool")).arg(command).args(more).arg(file).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let [beside, under] =
        [&[][..], &["--deduce-sibling-calls"]].map(|more| report("stats", &[&["--json"], more].concat()));
    assert_eq!(sum(&beside["functions"], "count"), sum(&under["functions"], "count"));
    assert!(sum(&beside["functions"], "total") < sum(&under["functions"], "total"), "callers contain their callees");
    let callers = |more: &[&str]| {
        let edges = report("graph", &[&["--as", "json"], more].concat())["edges"].clone();
        edges.as_array().unwrap().iter().map(|edge| edge["caller"].as_u64()).collect::<BTreeSet<_>>().len()
    };
    assert_eq!(callers(&[]), 2, "the root, and the function that called them all");
    assert_eq!(callers(&["--deduce-sibling-calls"]), 4);
}

#[test]
fn a_track_is_named_in_three_ways() {
    let path = fixture("xray/threads.xray");
    let info = Command::new(env!("CARGO_BIN_EXE_unspool")).args(["info", "--json"]).arg(&path).output().unwrap();
    let info: Value = serde_json::from_slice(&info.stdout).unwrap();
    let track = info["tracks"].as_array().unwrap().iter().find(|track| track["kind"] == "thread").unwrap();
    let by = |text: String| stats(&path, &["--json", "--track", &text]).stdout;
    let by_name = by(track["name"].as_str().unwrap().to_string());
    assert_eq!(by_name, by(track["id"].to_string()));
    assert_eq!(by_name, by(track["thread"].to_string()));
    let said = |args: &[&str]| String::from_utf8(stats(&path, args).stderr).unwrap();
    let process = info["tracks"].as_array().unwrap().iter().find(|it| it["kind"] == "process").unwrap();
    assert_eq!((&process["parent"], &track["parent"]), (&Value::Null, &process["id"]));
    assert!(said(&["--track", "none"]).contains("The first tracks are: 1 "));
    assert!(said(&["--range", "5..6"]).starts_with("Nothing of the trace is in 5..6: it is from "));
}

#[test]
fn what_is_wrong_with_a_trace_is_said_beside_the_answer() {
    let output = stats(&fixture("xray/truncated.xray"), &[]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && !output.stdout.is_empty());
    assert!(said.contains("truncated.xray: at byte ") && said.contains("the file ends too early"), "{said}");
    assert!(stats(&fixture("xray/threads.xray"), &[]).stderr.is_empty());
}

#[test]
fn basic_logs_lack_short_calls_and_say_so() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("basic.xray");
    let record = |kind, clock| Basic::Function { cpu: 0, kind: Ok(kind), func: 1, clock, tid: 7, pid: 7 };
    let log = basic_log(1_000_000_000, &[record(FunctionKind::Enter, 100), record(FunctionKind::Exit, 9000)]);
    fs::write(&file, log).unwrap();
    let said = |file: &Path| String::from_utf8(stats(file, &[]).stderr).unwrap();
    assert!(said(&file).contains("Short calls are not in the log below the recorder's threshold"), "{}", said(&file));
    assert_eq!(said(&fixture("xray/threads.xray")), "");
}
