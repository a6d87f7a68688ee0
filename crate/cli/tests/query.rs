//! `unspool query`: values of variables, over one and several traces.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

fn unspool(files: &[&str], query: &str) -> Output {
    let mut unspool = Command::new(env!("CARGO_BIN_EXE_unspool"));
    unspool.arg("query").args(files.iter().map(|file| fixture(file))).arg(query);
    unspool.output().unwrap()
}

fn results(files: &[&str], query: &str) -> Vec<Value> {
    let output = unspool(files, query);
    assert!(output.status.success(), "{query}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const VARIABLES: &str = "trace_db/variables.trace";
const VALUES: &str = "trace_db/values.trace";

#[test]
fn a_result_has_its_trace_its_point_and_its_variables() {
    let found = results(&[VARIABLES], "key < 0 and values.size = 40 at 1:24");
    let trace = fixture(VARIABLES);
    assert_eq!(
        found,
        [json!({
            "trace": trace.to_str(), "point": 3, "statement": 9_223_373_136_366_403_608u64, "aux": [],
            "vars": [
                {"name": "key", "type": "int", "value": -7, "size": 4, "buffer_size": null},
                {"name": "values", "type": "*int", "value": 94_355_077_337_768u64, "size": 8, "buffer_size": 40},
            ],
        })]
    );
}

#[test]
fn both_languages_find_the_same() {
    for (usual, lisp) in [
        ("p: *int where p.size = 48", "(query (var p \"*int\") (predicate (= (v/size p) 48)) (keep))"),
        (
            "a, b: int where a > b + 100 and distinct(a, b)",
            "(query (var a \"int\") (var b \"int\")
               (predicate (and (> (v/value a) (+ (v/value b) 100)) (distinct-vars a b))) (keep))",
        ),
        (
            "a: int where true prefer a > 0, a < 9 once",
            "(query (var a \"int\") (soft (> (v/value a) 0) (< (v/value a) 9)))",
        ),
        ("key > i", "(> (v/value key) (v/value i))"),
        ("0 <= i < j + 2", "(and (<= 0 (v/value i)) (< (v/value i) (+ (v/value j) 2)))"),
    ] {
        let found = results(&[VARIABLES], usual);
        assert!(!found.is_empty(), "{usual}");
        assert_eq!(found, results(&[VARIABLES], lisp), "{usual}");
    }
}

#[test]
fn several_traces_are_queried_one_after_the_other() {
    let found = results(&[VALUES, VARIABLES, "trace_db/narrow.trace"], "n = 12 and i = 2");
    let of = |name: &str| found.iter().filter(|row| row["trace"].as_str() == fixture(name).to_str()).count();
    assert_eq!((of(VALUES), of(VARIABLES), of("trace_db/narrow.trace")), (0, 1, 1), "{found:?}");
}

#[test]
fn doubles_are_compared_in_full() {
    assert_eq!(results(&[VALUES], "a: double where a = 0.1").len(), 1);
    assert_eq!(results(&[VALUES], "a: float where a = 0.1").len(), 0);
    assert_eq!(results(&[VALUES], "a: any where a > 1e301").len(), results(&[VALUES], "v > 1e301").len());
}

#[test]
fn what_is_wrong_with_a_query_is_shown_below_it() {
    for (query, at, sentence) in [
        ("key > ", 6, "A variable, a number or a condition is needed at the end."),
        ("key > (i + 1", 12, "A closing parenthesis is needed at the end."),
        ("key + 1", 0, "This is a number; a condition is needed here, such as a comparison."),
        ("key.length > 1", 4, "One of value and size is needed here."),
        ("keys > 1", 0, "The trace has no variable keys. To let keys stand for any variable, write keys: any where …"),
        ("a: long where a > 1", 3, "The trace has no type long."),
        ("(query (var a \"int\") (predicate (> a 1)))", 35, "This is a variable: use (v/value …) or (v/size …)."),
        (
            "(query (var a \"int\") (predicate (> (v/value b) 1)))",
            44,
            "There is no variable b. Declare it: (var b \"type\").",
        ),
        ("(query (var a \"int\")", 20, "A closing parenthesis is missing."),
        ("key > 1 pick 4294967296", 13, "Seeds are numbers below 4294967296."),
    ] {
        let output = unspool(&[VARIABLES], query);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{query}: {text}");
        let (said, rest) = text.split_once("unspool: ").map(|(_, rest)| rest.split_once('\n').unwrap()).unwrap();
        assert_eq!(said, sentence, "{query}");
        let marks = rest.lines().nth(1).unwrap();
        assert_eq!(marks.find('^'), Some(at + 2), "{query}\n{text}");
    }
}

#[test]
fn a_place_far_to_the_right_is_shown() {
    let query = format!("{}(", "not ".repeat(17_000));
    let output = unspool(&[VARIABLES], &query);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("…") && said.len() < 500, "{said}");
}

#[test]
fn the_points_before_damage_are_queried() {
    let whole = results(&[VARIABLES], "a: any where true once").len();
    let output = unspool(&["trace_db/cut.trace"], "a: any where true once");
    assert!(output.status.success());
    let lines = String::from_utf8_lossy(&output.stdout).lines().count();
    assert!(lines > 0 && lines <= whole, "{lines} of {whole}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("at byte "), "{said}");
}

#[test]
fn other_formats_have_no_values_to_query() {
    let output = unspool(&["binaries/program.xray"], "a > 1");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("Only trace-db traces have values to query"), "{said}");
}

#[test]
fn a_text_is_compared_with_the_bytes_of_a_variable() {
    let points = |query: &str| results(&[VARIABLES], query).iter().map(|it| it["point"].clone()).collect::<Vec<_>>();
    assert_eq!(points("label = \"sorted\""), [49]);
    assert_eq!(points("\"sorted\" == label"), [49]);
    assert_eq!(points("(= (v/value label) \"sorted\")"), [49]);
    assert_eq!(points(r#"label = "s\x6frt\u{65}d""#), [49]);
    assert_eq!(points("label != \"unsorted\""), [49, 78]);
    assert_eq!(points("not (label = \"unsorted\")"), [49, 78]);
    // By bytes: `done` comes first.
    assert_eq!(points("label < \"sorted\""), [78]);
    assert_eq!(points("\"sorted\" <= label"), [0, 1, 49]);
    // A name is between backticks, or beside a number.
    assert_eq!(points("label = `label`"), [0, 1, 49, 78]);
    assert!(!points("\"key\" < 0").is_empty());
    // A number has no bytes.
    assert_eq!(points("key != \"sorted\""), [0; 0]);
    let found = results(&[VARIABLES], "label = \"done\"");
    assert_eq!((&found[0]["vars"][0]["value"], &found[0]["vars"][0]["text"]), (&json!("hex:646f6e65"), &json!("done")));
}

#[test]
fn a_text_beside_what_has_no_text_is_refused() {
    for (query, sentence) in [
        ("key + 1 = \"done\"", "A text can be compared with a variable only."),
        ("values.size = \"done\"", "A text can be compared with a variable only."),
        ("label = \"\\q\"", "Unknown escape."),
        ("(> (v/size values) \"done\")", "Texts are compared with the values of variables only"),
        ("(= (+ (v/value key) \"a\") 1)", "A number or a variable is needed here, not a text."),
    ] {
        let output = unspool(&[VARIABLES], query);
        assert_eq!(output.status.code(), Some(2), "{query}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(sentence), "{query}: {said}");
    }
}

#[test]
fn no_results_have_a_reason() {
    for (query, reason) in [
        (
            "label = \"sorted\" and j > 0",
            "No point records both label and j. A query is about the values of one point.",
        ),
        ("key = 123456", "The condition holds at none of the 47 points that record key."),
        ("key = 123456 at 1:24", "The condition holds at none of the 11 points at this statement that record key."),
        ("label = j", "No point records both label and j."),
        ("key = 5 pick 3", "The condition does not hold at the point that was picked."),
        ("t: \"*char\" where t > 3", "t: *char is always bytes, which compare with texts only: t = \"…\"."),
        ("label > 5", "label is always bytes, which compare with texts only: label = \"…\"."),
        (
            "key = \"j\"",
            "key is always a number, which does not compare with texts. For the variable of that name, write `j`.",
        ),
        ("key.size > 0", "key never points into a buffer that the trace knows, so it has no size."),
        ("key > 0 at 77:1", "No point is at this statement."),
        ("false and key > 0", "A part of the condition is about no variable and never holds."),
        ("(query (var a \"int\") (predicate (> (v/value a) 99999999999)))", "points that record a: int."),
    ] {
        let output = unspool(&[VARIABLES], query);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && said.starts_with("0 results in 79 points"), "{query}: {said}");
        assert!(said.contains(reason), "{query}: {said}");
    }
    let said = |query: &str| String::from_utf8_lossy(&unspool(&[VARIABLES], query).stderr).into_owned();
    assert_eq!(said("label = \"done\""), "1 result in 79 points\n");
    let overrun = unspool(&["trace_db/overrun.trace"], "n = text");
    let overrun = String::from_utf8_lossy(&overrun.stderr).into_owned();
    assert!(overrun.contains("text is always bytes and n always a number: the two do not compare."), "{overrun}");
    // Several traces have reasons of their own.
    let output = unspool(&[VARIABLES, VALUES], "x: any where x = 123456.5");
    assert!(String::from_utf8_lossy(&output.stderr).contains(VALUES));
}
