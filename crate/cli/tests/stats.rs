//! `unspool stats` of whole files, in its three output forms.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

fn stats(file: &Path, form: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unspool")).arg("stats").args(form).arg(file).output().unwrap()
}

fn json(name: &str) -> Value {
    let output = stats(&fixture(name), &["--json"]);
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
        let name = format!("\"{}\",call,,,", function["name"].as_str().unwrap());
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
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert_eq!(stats(&fixture("xray/threads.xray"), &["--json", "--csv"]).status.code(), Some(2));
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
