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
    assert!(said.contains("No figure differs: each function has the same ones in A and in B."), "{said}");
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

/// The page is held to the same file.
#[test]
fn verdicts_of_several_runs_are_those_of_the_page() {
    let wanted: Value = serde_json::from_slice(&std::fs::read(fixture("xray/runs.json")).unwrap()).unwrap();
    let mut options = vec!["--json".to_string()];
    for side in ["a", "b"] {
        options.push(format!("--{side}"));
        for file in wanted[side].as_array().unwrap() {
            let path = fixture(&format!("xray/{}", file.as_str().unwrap()));
            options.push(path.into_os_string().into_string().unwrap());
        }
    }
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let report = json(&unspool("compare", &[], &options));
    let (found, known) = (report["functions"].as_array().unwrap(), wanted["functions"].as_array().unwrap());
    assert_eq!(found.len(), known.len());
    for (row, known) in found.iter().zip(known) {
        for key in ["name", "change", "verdict"] {
            assert_eq!(row[key], known[key], "{key} of {}", known["name"]);
        }
        for key in ["confidence", "factor"] {
            let off = row[key].as_f64().unwrap() - known[key].as_f64().unwrap();
            assert!(off.abs() < 1e-9, "{key} of {}", known["name"]);
        }
    }
}

#[test]
fn a_report_stacks_and_tables_are_written_beside_what_is_printed() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).into_os_string().into_string().unwrap();
    let (html, folded, parquet) = (at("report.html"), at("stacks.txt"), at("tables"));
    let options = ["--json", "--html", &html, "--folded", &folded, "--parquet", &parquet];
    let output = unspool("compare", &[SMALL, OTHER], &options);
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    let page = std::fs::read_to_string(&html).unwrap();
    let sentence = report["sentence"].as_str().unwrap();
    assert!(page.contains(&format!("<p>{sentence}</p>")) && page.contains("<span>threads.xray</span>"), "{page}");
    let own = |side: &str, at: usize| -> u64 {
        let lines = std::fs::read_to_string(&folded).unwrap();
        let sum: u64 = lines.lines().map(|line| line.rsplit(' ').nth(at).unwrap().parse::<u64>().unwrap()).sum();
        assert_eq!(sum, report[side]["self"].as_u64().unwrap(), "{side}");
        sum
    };
    assert!(own("a", 1) > 0 && own("b", 0) > 0);
    for name in ["functions.parquet", "paths.parquet"] {
        let bytes = std::fs::read(Path::new(&parquet).join(name)).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{name}");
    }
    // An output never replaces an input, and several runs are those of the one that is shown.
    let copy = at("copy.xray");
    std::fs::copy(fixture(SMALL), &copy).unwrap();
    let refused = Command::new(env!("CARGO_BIN_EXE_unspool")).args(["compare", &copy, &copy, "--html", &copy]).output();
    assert_eq!(refused.unwrap().status.code(), Some(2));
    assert_eq!(std::fs::read(&copy).unwrap(), std::fs::read(fixture(SMALL)).unwrap());
    let runs =
        [fixture(SMALL), fixture(OTHER), fixture(SMALL)].map(|path| path.into_os_string().into_string().unwrap());
    let [one, two, three] = &runs;
    let args =
        ["compare", "--a", one, two, three, "--b", two, one, two, "--html", &html, "--folded", &folded, "--json"];
    let report = json(&Command::new(env!("CARGO_BIN_EXE_unspool")).args(args).output().unwrap());
    let page = std::fs::read_to_string(&html).unwrap();
    let name = report["a"]["files"][0].as_str().unwrap().rsplit('/').next().unwrap();
    assert!(page.contains(&format!("<span>{name}, the median of 3 runs</span>")), "{page}");
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

#[test]
fn records_without_a_counterpart_are_printed_as_diff_prints_them() {
    let same = unspool("compare", &[SMALL, SMALL], &["--records"]);
    assert_eq!((same.status.code(), text(&same)), (Some(0), "No record differs.\n".into()));
    let differs = unspool("compare", &["apitrace/values.trace", "apitrace/scene.trace"], &["--records", "--exact"]);
    assert_eq!(differs.status.code(), Some(1));
    let said = text(&differs);
    assert!(said.starts_with("--- ") && said.contains("values.trace thread 0\n+++ "), "{said}");
    assert!(said.lines().any(|line| line.starts_with("- ") && line.contains('(')), "{said}");
    let report =
        json(&unspool("compare", &["apitrace/values.trace", "apitrace/scene.trace"], &["--records", "--json"]));
    let track = &report["tracks"][0];
    let dumped = |name: &str| text(&unspool("dump", &[name], &["--as", "jsonl"])).lines().count();
    let counted = track["records"][0].as_u64().unwrap() as usize;
    assert!(counted > 0 && counted <= dumped("apitrace/values.trace"), "{track}");
    assert_eq!(track["first"], serde_json::json!([track["hunks"][0][0], track["hunks"][0][2]]));
}

#[test]
fn what_a_rule_names_is_left_out() {
    const FILES: &[&str] = &["apitrace/values.trace", "apitrace/scene.trace"];
    let hunks = |rules: &[&str]| {
        let mut options = vec!["--records", "--json"];
        rules.iter().for_each(|rule| options.extend(["--ignore", rule]));
        let output = unspool("compare", FILES, &options);
        (output.status.code(), json(&output)["tracks"].clone())
    };
    let (status, tracks) = hunks(&[]);
    assert_eq!(status, Some(1));
    let track = &tracks[0];
    assert_eq!(track["what"].as_array().unwrap().len(), track["hunks"].as_array().unwrap().len());
    assert!(track["what"][0]["kind"].is_string() && track["what"][0]["says"].is_string(), "{track}");
    assert_eq!(hunks(&["name:*"]).0, Some(0));
    let (status, tracks) = hunks(&["thread:*"]);
    assert_eq!((status, tracks.as_array().map(Vec::len)), (Some(0), Some(0)));
    for wrong in ["name", "arg.", "adresses"] {
        let output = unspool("compare", FILES, &["--records", "--ignore", wrong]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(wrong));
    }
}

#[test]
fn block_runs_and_points_are_compared_too() {
    for name in ["rvn/blocks.sqlite", "trace_db/values.trace", "frames/calls.frames"] {
        let report = json(&unspool("compare", &[name, name], &["--records", "--json"]));
        let tracks = report["tracks"].as_array().unwrap();
        assert!(tracks.iter().all(|track| track["first"].is_null() && track["records"][0] != 0), "{report}");
        assert!(!tracks.is_empty(), "{name}");
    }
}

#[test]
fn executions_that_do_not_part_have_no_cause() {
    const CALLS: &str = "frames/calls.frames";
    let output = unspool("compare", &[CALLS, CALLS], &["--why", "--json"]);
    let report = json(&output);
    assert_eq!((output.status.code(), &report["divergence"], &report["differing"]), (Some(0), &Value::Null, &0.into()));
    let said = text(&unspool("compare", &[CALLS, CALLS], &["--why"]));
    assert_eq!(said, "The paths are the same. No value differs.\n");
    // One that was cut ends earlier.
    let output = unspool("compare", &[CALLS, "frames/cut.frames"], &["--why"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).starts_with("The paths part at step "), "{}", text(&output));
    let output = unspool("compare", &[SMALL, SMALL], &["--why"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("does not record what single instructions did"));
}

/// The pairs that docs/compare.md walks through.
#[test]
fn the_walks_of_the_docs_lead_to_the_cause() {
    let frames = ["frames/compare-good.frames", "frames/compare-bad.frames"];
    let why = unspool("compare", &frames, &["--why"]);
    assert_eq!(why.status.code(), Some(1));
    let said = text(&why);
    assert!(said.contains("The cause is a value that differs and that no step has written, such as input:"), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    let cause = lines.iter().position(|line| line.starts_with("The cause")).unwrap();
    assert!(lines[cause + 1].contains("mov rax, [rsi]"), "{said}");
    assert!(lines.last().unwrap().contains("jle 0x401155"), "{said}");
    let records = text(&unspool("compare", &frames, &["--records"]));
    assert!(records.contains("- ") && records.contains("call 0x401100"), "{records}");
    assert!(records.lines().any(|line| line.starts_with("+ ") && line.contains("mov eax, 1")), "{records}");

    let said = text(&unspool("compare", &[SMALL, OTHER], &[]));
    assert!(said.contains("Gone: #2, #15, #16."), "{said}");

    let blocks = ["rvn/compare-good.sqlite", "rvn/compare-bad.sqlite"];
    let records = unspool("compare", &blocks, &["--records", "--json"]);
    assert_eq!(records.status.code(), Some(1));
    let report = json(&records);
    // The block after the loop and the check, in place of the other one.
    assert_eq!(report["tracks"][0]["hunks"], serde_json::json!([[9, 11, 9, 11]]), "{report}");
    let refused = unspool("compare", &blocks, &["--why"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("does not record what single instructions did"));
}

/// The runs of `mid`, the example of the paper, of which the last one fails.
const MID: [&str; 6] = ["335-pass", "123-pass", "321-pass", "555-pass", "534-pass", "213-fail"];

#[test]
fn the_example_of_jones_and_harrold_comes_out_as_published() {
    let files = MID.map(|run| fixture(&format!("trace_db/mid-{run}.trace")).to_str().unwrap().to_owned());
    let names = fixture("trace_db/mid.csv");
    let mut options = vec!["--names", names.to_str().unwrap(), "--pass"];
    options.extend(files[..5].iter().map(String::as_str));
    options.extend(["--fail", &files[5]]);
    let report = json(&unspool("suspects", &[], &[&options[..], &["--json"]].concat()));
    assert_eq!((&report["passed"], &report["failed"], &report["truncated"]), (&5.into(), &1.into(), &false.into()));
    let statements = report["statements"].as_array().unwrap();
    let line = |row: &Value| row["statement"].as_u64().unwrap() & 0xff;
    // The suspiciousness of the paper, in percent.
    let published = [(7, 83), (6, 71), (4, 63), (1, 50), (2, 50), (3, 50), (13, 50), (5, 0), (8, 0), (9, 0), (10, 0)];
    for (at, percent) in published {
        let row = statements.iter().find(|row| line(row) == at).unwrap();
        assert_eq!((row["tarantula"].as_f64().unwrap() * 100.0).round(), f64::from(percent), "{at}");
    }
    let first = &statements[0];
    assert_eq!((line(first), &first["name"], &first["failed"]), (7, &"m = y (x is meant) (mid.c:7)".into(), &1.into()));
    let points = first["points"].as_array().unwrap();
    assert_eq!(points.iter().map(|it| &it["first"]).collect::<Vec<_>>(), [5, 5]);
    assert!(points[1]["run"].as_str().unwrap().ends_with("mid-213-fail.trace"), "{points:?}");
    // What is wrong with line 7: of the two runs that get there, only in that which fails x is not
    // y.
    let tests = report["tests"].as_array().unwrap();
    let test = tests.iter().find(|it| line(it) == 7 && it["query"] == "x > y").unwrap();
    assert_eq!(
        (&test["failed"], &test["failed_at"], &test["passed"], &test["passed_at"], test["lift"].as_f64()),
        (&1.into(), &1.into(), &0.into(), &1.into(), Some(2.0))
    );
    assert!(tests.iter().all(|it| it["query"] != "x = y" && it["lift"].as_f64().unwrap() > 1.0));
    let said = text(&unspool("suspects", &[], &options));
    assert!(said.starts_with("1 of 6 runs failed. Most suspicious is m = y (x is meant) (mid.c:7),"), "{said}");
    // The same from a list.
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("runs.txt");
    let lines = MID.iter().zip(&files).map(|(run, file)| format!("{} {file}\n", &run[4..]));
    std::fs::write(&list, format!("# inputs\n\n{}", lines.collect::<String>())).unwrap();
    let of_list = unspool("suspects", &[], &["--list", list.to_str().unwrap(), "--names", names.to_str().unwrap()]);
    assert_eq!(text(&of_list), said);
    std::fs::write(&list, "passed mid.trace").unwrap();
    let refused = unspool("suspects", &[], &["--list", list.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("line 1 is neither"));
}

#[test]
fn runs_that_do_the_same_make_nothing_suspicious() {
    let trace = fixture("trace_db/values.trace");
    let trace = trace.to_str().unwrap();
    let report = json(&unspool("suspects", &[], &["--pass", trace, "--fail", trace, "--json"]));
    let statements = report["statements"].as_array().unwrap();
    assert!(!statements.is_empty());
    for row in statements {
        assert_eq!((&row["failed"], &row["passed"], &row["tarantula"]), (&1.into(), &1.into(), &0.5.into()));
    }
    assert_eq!(report["tests"], serde_json::json!([]));
    assert!(report["sentence"].as_str().unwrap().contains("No statement goes with failing"));
    let refused = unspool("suspects", &[SMALL], &["--pass", trace, "--fail", trace]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn values_of_two_runs_are_compared_by_statement_variable_and_relation() {
    let of = |name: &str| format!("trace_db/{name}");
    let (good, bad) = (of("compare-good.trace"), of("compare-bad.trace"));
    let output = unspool("compare", &[&good, &bad], &["--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    assert_eq!(
        (&report["format"], &report["unit"], &report["functions"]),
        (&"trace-db".into(), &"point".into(), &Value::Array(vec![]))
    );
    let all = |key: &str| report[key].as_array().unwrap().clone();
    let of_statement = |n: u64| all("statements").into_iter().find(|it| it["statement"] == n).unwrap();
    assert_eq!((&of_statement(4)["verdict"], &of_statement(4)["a"]), (&"new".into(), &Value::Null));
    assert_eq!((&of_statement(3)["change"], &of_statement(3)["b"]["count"]), (&2.into(), &10.into()));
    let i = all("variables").into_iter().find(|it| it["name"] == "i").unwrap();
    assert_eq!(
        (&i["a"]["highest"]["value"], &i["b"]["highest"]),
        (&"7".into(), &serde_json::json!({"value": "9", "point": 19}))
    );
    let relation = all("relations").into_iter().find(|it| it["query"] == "i < n").unwrap();
    assert_eq!(
        (&relation["statement"], &relation["holds_in"], &relation["holds"]),
        (&3.into(), &"a".into(), &8.into())
    );
    assert_eq!(
        (&relation["first"], &relation["exceptions"], &relation["relation"]),
        (&18.into(), &2.into(), &"apart".into())
    );
    let said = text(&unspool("compare", &[&good, &bad], &[]));
    assert!(said.contains("i < n holds in A at statement 3, and not in B, first at point 18"), "{said}");
    let same = unspool("compare", &[&good, &good], &[]);
    assert_eq!(same.status.code(), Some(0));
    assert!(text(&same).contains("Nothing differs: both reach each statement equally often"), "{}", text(&same));
}

#[test]
fn calls_draws_and_uploads_are_compared_as_a_whole_and_per_frame() {
    let files = ["apitrace/replay_views.trace", "apitrace/replay_loop.trace"];
    let output = unspool("compare", &files, &["--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    let graphics = &report["graphics"];
    assert_eq!(graphics["frames"], serde_json::json!({"a": 3, "b": 1}));
    let draws = serde_json::json!({"a": 9, "b": 1, "change": -8, "per_frame_a": 3, "per_frame_b": 1});
    assert_eq!(graphics["draws"], draws);
    assert_eq!((&graphics["calls"]["a"], &graphics["calls"]["b"]), (&113.into(), &22.into()));
    let said = report["sentence"].as_str().unwrap();
    assert!(said.contains("Draws: 9 in A and 1 in B, 3 and 1 a frame."), "{said}");
    let same = unspool("compare", &[files[0], files[0]], &["--json"]);
    assert_eq!(same.status.code(), Some(0));
    assert_eq!(json(&same)["sentence"], "No figure differs: each function has the same ones in A and in B.");
    assert!(json(&unspool("compare", &[SMALL, SMALL], &["--json"])).get("graphics").is_none());
}

#[test]
fn resources_and_findings_of_calls_are_compared() {
    let files = ["apitrace/replay_indices.trace", "apitrace/replay_loop.trace"];
    let output = unspool("compare", &files, &["--json"]);
    let report = json(&output);
    let graphics = &report["graphics"];
    let resources = graphics["resources"].as_array().unwrap();
    let shader = resources.iter().find(|it| it["title"] == "Shader 3" && it["verdict"] == "changed");
    let shader = shader.unwrap_or_else(|| panic!("{graphics}"));
    assert!(shader["a"]["call"].is_u64() && shader["b"]["says"].as_str().unwrap().contains("upload"), "{shader}");
    let sentence = report["sentence"].as_str().unwrap();
    assert!(sentence.contains(" changed (") && sentence.contains("Resources: "), "{sentence}");
    let said = text(&unspool("compare", &files, &[]));
    assert!(said.contains("resource or finding"), "{said}");
    // Contents alone differ: that is a difference, too.
    let same = json(&unspool("compare", &[files[0], files[0]], &["--json"]));
    let none = serde_json::json!([]);
    assert_eq!((&same["graphics"]["resources"], &same["graphics"]["findings"]), (&none, &none));
}

#[test]
fn instructions_of_two_machines_are_said_to_be_and_have_no_reason_in_common() {
    let files = ["frames/compare-good.frames", "frames/mips.frames"];
    let said = "the instructions of A are of i386, and those of B of mips: no two of them are the same.";
    let output = unspool("compare", &files, &["--records"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains(said));
    let output = unspool("compare", &files, &["--why"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains(said));
}

#[test]
fn more_records_than_can_be_numbered_are_refused_before_any_is_read() {
    let output = unspool("compare", &["rvn/beyond_2_53.sqlite", "rvn/beyond_2_53.sqlite"], &["--records"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("transitions are too many to be compared one by one. --exact compares runs"), "{said}");
}
