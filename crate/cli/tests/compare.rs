//! `unspool compare` of whole files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

fn unspool(command: &str, files: &[&str], options: &[&str]) -> Output {
    let files = files.iter().map(|name| fixture(name));
    Command::new(env!("CARGO_BIN_EXE_unspool")).arg(command).args(files).args(options).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

const SMALL: &str = "xray/threads.xray";
const OTHER: &str = "xray/events.xray";

#[test]
fn a_trace_is_the_same_as_itself() {
    let output = unspool("compare", &[SMALL, SMALL], &["--json"]);
    assert_eq!(output.status.code(), Some(0));
    let report = json(&output);
    let stats = json(&unspool("stats", &[SMALL], &["--json"]));
    let (found, known) = (report["functions"].as_array().unwrap(), stats["functions"].as_array().unwrap());
    assert_eq!((found.len(), &report["format"], &report["names"]), (known.len(), &"xray".into(), &"ids".into()));
    for row in found {
        assert_eq!((&row["verdict"], &row["change"], &row["a"]), (&"same".into(), &0.into(), &row["b"]));
        let of = known.iter().find(|it| it["name"] == row["name"]).unwrap();
        for key in ["count", "total", "self", "min", "median", "p90", "p99", "max"] {
            assert_eq!(row["a"][key], of[key], "{key} of {}", row["name"]);
        }
    }
    let said = text(&unspool("compare", &[SMALL, SMALL], &[]));
    assert!(said.contains("Nothing differs: each function has the same figures in A and in B."), "{said}");
}

#[test]
fn what_differs_is_the_exit_status_and_in_words() {
    let output = unspool("compare", &[SMALL, OTHER], &[]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output);
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("A: ") && lines[0].ends_with("threads.xray"), "{said}");
    assert!(lines[2].starts_with("Functions take ") && lines[2].contains("Gone: #"), "{said}");
    assert!(
        lines[4].split_whitespace().eq("change self A self B calls A calls B factor verdict sure function".split(' '))
    );
    let csv = text(&unspool("compare", &[SMALL, OTHER], &["--csv"]));
    assert!(csv.starts_with("name,name_b,count_a,total_a,self_a,min_a,median_a,p90_a,p99_a,max_a,count_b,"), "{csv}");
}

#[test]
fn several_runs_stand_for_a_side() {
    let path = |name: &str| fixture(name).into_os_string().into_string().unwrap();
    let runs = ["--a", &path(SMALL), &path(SMALL), "--b", &path(SMALL), &path(OTHER), &path(SMALL), "--json"];
    let output = unspool("compare", &[], &runs);
    let report = json(&output);
    let files = |side: &str| report[side]["files"].as_array().unwrap().len();
    assert_eq!((files("a"), files("b")), (2, 3));
    assert!(report["functions"].as_array().unwrap().iter().all(|row| row["verdict"] != "slower"), "{report}");
    let said = text(&unspool("compare", &[], &runs[..7]));
    assert!(said.contains("threads.xray, the median of 2 runs"), "{said}");
}

#[test]
fn errors_are_status_2_with_a_sentence() {
    let refused = |files: &[&str], options: &[&str], sentence: &str| {
        let output = unspool("compare", files, options);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(sentence), "{said}");
    };
    refused(&[SMALL, "frames/calls.frames"], &[], "only traces of one format can be compared");
    refused(&[SMALL, "absent"], &["--json"], "absent");
    refused(&["xray/README.md", SMALL], &["--json"], "README.md");
    refused(&[SMALL], &[], "");
    refused(&[], &["--a", "x"], "--b");
}
