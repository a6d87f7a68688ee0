//! `unspool find`: expressions with known answers, which the page gives, too
//! (`tests/e2e/find.spec.ts`).

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use unspool_formats::apitrace::encode::{Details, FunctionSig, Writer};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fixture(name: &str) -> PathBuf {
    root().join("tests/fixtures").join(name)
}

fn find(file: &Path, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unspool")).arg("find").arg(file).args(more).output().unwrap()
}

/// The hits as JSON, and what was written to stderr.
fn hits(file: &Path, expression: &str, more: &[&str]) -> (Vec<Value>, String) {
    let output = find(file, &[&[expression, "--json"], more].concat());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{expression}: {errors}");
    let lines = String::from_utf8(output.stdout).unwrap();
    (lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), errors)
}

#[test]
fn known_answers() {
    let cases: Value = serde_json::from_slice(&std::fs::read(root().join("tests/find.json")).unwrap()).unwrap();
    for case in cases.as_array().unwrap() {
        let expression = case["expression"].as_str().unwrap();
        let (found, errors) = hits(&fixture(case["file"].as_str().unwrap()), expression, &[]);
        let positions: Vec<_> = found.iter().map(|hit| hit["start"].clone()).collect();
        assert_eq!(Value::from(positions), case["hits"], "{expression}");
        let summary = format!("{{\"summary\":{{\"total\":{0},\"listed\":{0},\"truncated\":false}}}}\n", found.len());
        assert!(errors.ends_with(&summary), "{errors}");
    }
}

#[test]
fn a_hit_has_its_place_and_what_matched() {
    let (found, errors) = hits(&fixture("apitrace/scene.trace"), "arg.count>100", &["--limit", "1"]);
    let expected = r#"{"start":23,"thread":0,"track":"thread 0","name":"glDrawElements","dur":1,"offset":1589,
        "match":"count: 108"}"#;
    assert_eq!(found[0], serde_json::from_str::<Value>(expected).unwrap());
    // All are counted, and the last line says that there are more.
    let total = find(&fixture("apitrace/scene.trace"), &["arg.count>100", "--csv"]).stdout;
    let total = String::from_utf8(total).unwrap().lines().count() - 1;
    let truncated = serde_json::json!({ "total": total, "listed": 1, "truncated": true, "rest": "--limit 0" });
    assert_eq!(found[1..], [truncated]);
    assert!(total > 1 && errors.contains("\"truncated\":true"), "{errors}");
    let all = find(&fixture("apitrace/scene.trace"), &["arg.count>100", "--limit", "0"]);
    assert_eq!(String::from_utf8(all.stderr).unwrap(), format!("{total} hits\n"));
}

#[test]
fn csv_has_a_header_and_quotes() {
    let output = find(&fixture("apitrace/scene.trace"), &["text:\"void main\"", "--csv"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.split("\r\n");
    assert_eq!(lines.next(), Some("start,thread,track,name,dur,offset,match"));
    let line = lines.next().unwrap();
    assert!(line.starts_with("2,0,thread 0,glShaderSource,1,449,") && line.contains("void main"), "{line}");
}

#[test]
fn a_wrong_expression_is_wrong_usage_and_shows_where() {
    let output = find(&fixture("xray/threads.xray"), &["name:main dur>1mz"]);
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8(output.stderr).unwrap();
    let expected =
        "unspool: Expected a length, such as 1.5ms, 200us or 1000.\n  name:main dur>1mz\n                ^^^\n";
    assert!(errors.ends_with(expected), "{errors}");
    assert_eq!(find(&fixture("frames/calls.frames"), &["dur>1ms"]).status.code(), Some(2));
    let values = find(&fixture("trace_db/variables.trace"), &["a<b"]);
    assert!(String::from_utf8(values.stderr).unwrap().contains("for `unspool query`"));
    // Words, as the language has it, but meant as a condition.
    for (expression, is_said) in [("i == 3", true), ("i < j", true), ("nowhere", false), ("arg.i>=99", false)] {
        let output = find(&fixture("trace_db/variables.trace"), &[expression]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("0 hits"), "{said}");
        assert_eq!(said.contains("for `unspool query`"), is_said, "{said}");
    }
}

#[test]
fn names_of_companions_are_found() {
    let names = std::env::temp_dir().join(format!("unspool-find-{}.csv", std::process::id()));
    std::fs::write(&names, "3,parse\n").unwrap();
    let path = names.to_str().unwrap();
    let (by_id, _) = hits(&fixture("xray/threads.xray"), "name:#3", &[]);
    let (by_name, _) = hits(&fixture("xray/threads.xray"), "name:parse", &["--names", path]);
    let (still_by_id, _) = hits(&fixture("xray/threads.xray"), "name:#3", &["--names", path]);
    std::fs::remove_file(&names).unwrap();
    assert!(!by_id.is_empty());
    assert_eq!((by_id.len(), by_id.len()), (by_name.len(), still_by_id.len()));
    assert!(by_name.iter().all(|hit| hit["name"] == "parse"));
}

/// Counts in a real trace are those of its text.
#[test]
fn hits_are_as_many_as_in_the_dump() {
    let Some(trace) = unspool_corpus::path("apitrace/recorded/glmark2_medium.trace") else { return };
    let dump = Command::new(env!("CARGO_BIN_EXE_unspool")).args(["dump", "--as", "text"]).arg(&trace).output().unwrap();
    let dump = String::from_utf8_lossy(&dump.stdout);
    // A call begins with its number; texts go on in further lines.
    let mut calls: Vec<String> = Vec::new();
    for line in dump.lines() {
        let is_call = line.split_once(' ').is_some_and(|(number, _)| number.parse::<u64>().is_ok());
        match calls.last_mut() {
            Some(call) if !is_call => call.push_str(line),
            _ => calls.push(line.to_string()),
        }
    }
    let count = |holds: &dyn Fn(&str) -> bool| calls.iter().filter(|call| holds(call)).count();
    let found = |expression: &str| hits(&trace, expression, &[]).0.len();
    assert_eq!(found("name:glShaderSource"), 28);
    assert_eq!(found("name:glShaderSource"), count(&|call| call.contains(" glShaderSource(")));
    let bound = count(&|call| call.contains(" glBindTexture(") && call.contains("texture = 1)"));
    assert!(bound > 0);
    assert_eq!(found("name:glBindTexture arg.texture:1"), bound);
    assert_eq!(found("text:\"gl_Position\""), count(&|call| call.contains("gl_Position")));
}

/// A call belongs to the frame in which it returns.
#[test]
fn frames_have_the_calls_that_return_in_them() {
    const SWAP: FunctionSig<'_> = FunctionSig { id: 0, name: "glXSwapBuffers", args: &[] };
    const CLEAR: FunctionSig<'_> = FunctionSig { id: 1, name: "glClear", args: &["mask"] };
    const FINISH: FunctionSig<'_> = FunctionSig { id: 2, name: "glFinish", args: &[] };
    let mut writer = Writer::new(&[]);
    writer.call(0, &CLEAR, vec![], None);
    let finish = writer.enter(1, &FINISH, &Details::default());
    writer.call(0, &SWAP, vec![], None);
    writer.call(0, &CLEAR, vec![], None);
    writer.leave(finish, &Details::default());
    writer.call(0, &SWAP, vec![], None);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("two.trace");
    std::fs::write(&file, writer.finish()).unwrap();
    let names = |expression: &str| {
        let (hits, _) = hits(&file, expression, &[]);
        hits.iter().map(|hit| hit["name"].as_str().unwrap_or_default().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names("frame:0 name:gl*"), ["glClear", "glXSwapBuffers"]);
    assert_eq!(names("frame:1 name:gl*"), ["glFinish", "glClear", "glXSwapBuffers"]);
    // With a condition on arguments, records are searched.
    assert_eq!(names("frame:0 -arg.mask:5 name:gl*"), ["glClear", "glXSwapBuffers"]);
    assert_eq!(names("frame:1 -arg.mask:5 name:gl*"), ["glFinish", "glClear", "glXSwapBuffers"]);
}

/// A comparison that the filter takes for words has a hint; one in quotation marks is meant.
#[test]
fn comparisons_that_were_words_have_a_hint() {
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/trace_db/overrun.trace");
    let said = |expression: &str| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_unspool"))
            .args(["find", trace, expression])
            .output()
            .unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    for expression in ["i == 3", "a < b"] {
        assert!(said(expression).contains("was searched for as words"), "{expression}");
    }
    for expression in ["text:\"a=b\"", "/x=y/", "\"a = b\"", "arg.x>=3", "nothing"] {
        assert!(!said(expression).contains("searched for as words"), "{expression}");
    }
}
