//! `unspool sql`: tables of traces, the documented queries, and errors.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rusqlite::Connection;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fixture(name: &str) -> PathBuf {
    root().join("tests/fixtures").join(name)
}

fn unspool(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unspool")).args(args).output().unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn rows(file: &str, query: &str) -> Vec<Value> {
    lines(&unspool(&["sql", fixture(file).to_str().unwrap(), query, "--json"]))
}

#[test]
fn names_come_from_binaries() {
    let (log, program) = (fixture("binaries/program.xray"), fixture("binaries/program.elf"));
    let (log, program) = (log.to_str().unwrap(), program.to_str().unwrap());
    let query = "select count(*) as calls from named_slices where name = 'program::leaf'";
    let calls = |more: &[&str]| {
        let args = [&["sql", log, query, "--json"], more].concat();
        lines(&unspool(&args))[0]["calls"].as_i64()
    };
    assert_eq!(calls(&[]), Some(0));
    assert_eq!(calls(&["--binary", program]), Some(3));
}

/// A trace of each format, by the heading in docs/sql.md.
const TRACES: [(&str, &str); 5] = [
    ("LLVM XRay", "xray/threads.xray"),
    ("apitrace", "apitrace/scene.trace"),
    ("BAP frames", "frames/plugin.frames"),
    ("REVEN", "rvn/blocks.sqlite"),
    ("trace-db", "trace_db/variables.trace"),
];

/// Two traces, for the queries about two.
const TWO: [&str; 2] = ["xray/threads.xray", "xray/events.xray"];

#[test]
fn the_documented_queries_find_something() {
    let text = fs::read_to_string(root().join("docs/sql.md")).unwrap();
    let mut asked = 0;
    for part in text.split("\n## ").skip(1) {
        let heading = part.lines().next().unwrap();
        let of: Vec<_> = TRACES.iter().filter(|(of, _)| heading == "Any trace" || heading == *of).collect();
        for query in part.split("```sql\n").skip(1) {
            let query = query.split("```").next().unwrap();
            if heading == "Two traces" {
                let [a, b] = TWO.map(fixture);
                let args = ["sql", a.to_str().unwrap(), "--with", b.to_str().unwrap(), query, "--json"];
                assert!(!lines(&unspool(&args)).is_empty(), "{query}");
                asked += 1;
                continue;
            }
            assert!(!of.is_empty(), "no trace for {heading}");
            for (_, file) in &of {
                let found = rows(file, query);
                // Traces of points have no slices but those of buffers.
                assert!(!found.is_empty(), "{file}: {query}");
                asked += 1;
            }
        }
    }
    assert!(asked >= 39, "{asked} queries");
}

#[test]
fn the_database_is_sound_and_has_the_slices() {
    let folder = tempfile::tempdir().unwrap();
    for (_, file) in TRACES {
        let saved = folder.path().join(file.replace('/', "-"));
        let path = fixture(file);
        let path = path.to_str().unwrap();
        let output = unspool(&["sql", path, "--records", "--save", saved.to_str().unwrap()]);
        assert!(output.status.success() && output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        let connection = Connection::open(&saved).unwrap();
        let said: String = connection.query_row("pragma integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(said, "ok", "{file}");
        // All tracks, as `unspool slices` lists those of one after the other.
        let info: Value = serde_json::from_slice(&unspool(&["info", "--json", path]).stdout).unwrap();
        let mut of_slices = 0;
        for track in info["tracks"].as_array().unwrap() {
            let number = track["id"].to_string();
            for slice in lines(&unspool(&["slices", path, "--json", "--track", &number])) {
                // A name that several tracks have chooses all of these.
                if slice["track"] != track["name"] {
                    continue;
                }
                let end = slice["end"].as_u64().unwrap() - slice["start"].as_u64().unwrap();
                let found: i64 = connection
                    .query_row(
                        "select count(*) from named_slices where track = ?1 and start = ?2 and dur = ?3 and depth = ?4 and name = ?5",
                        rusqlite::params![
                            track["id"].as_i64().unwrap(),
                            slice["start"].as_i64().unwrap(),
                            end as i64,
                            slice["depth"].as_i64().unwrap(),
                            slice["name"].as_str().unwrap()
                        ],
                        |row| row.get(0),
                    )
                    .unwrap();
                assert!(found > 0, "{file}: {slice}");
                of_slices += 1;
            }
        }
        let count = |table: &str| -> i64 {
            connection.query_row(&format!("select count(*) from {table}"), [], |row| row.get(0)).unwrap()
        };
        assert_eq!(count("slices"), of_slices, "{file}");
        assert_eq!(count("named_slices"), of_slices);
        assert_eq!(count("names"), count("(select distinct id from names where id <= (select count(*) from names))"));
        assert!(count("records") > 0 && count("fields") > 0, "{file}");
        // A file that exists is never replaced.
        let output = unspool(&["sql", path, "--save", saved.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("exists"));
        assert!(count("slices") == of_slices);
    }
}

#[test]
fn fields_have_the_keys_and_values_of_the_dump() {
    let found = rows(
        "apitrace/scene.trace",
        "select value, symbol from fields join records on records.id = record where name = 'glBindTexture' and key like 'args.%' \
         order by record, key limit 2",
    );
    assert_eq!(found[0]["symbol"], "GL_TEXTURE_2D");
    assert_eq!(found[0]["value"], unspool_gl::gl::TEXTURE_2D);
    assert_eq!(found[1]["symbol"], Value::Null);
    let dump = unspool(&["dump", "--as", "jsonl", fixture("trace_db/values.trace").to_str().unwrap()]);
    // The first line is that of the header.
    let points = lines(&dump).len() - 1;
    let found = rows("trace_db/values.trace", "select count(*) as n from records");
    assert_eq!(found, [serde_json::json!({ "n": points })]);
    let lists = rows("xray/threads.xray", "select distinct key from fields where key like 'args%' order by key");
    assert_eq!(lists, ["args.0", "args.1"].map(|key| serde_json::json!({ "key": key })));
}

#[test]
fn two_traces_have_schemas_and_names_of_their_own() {
    let [one, two] = TWO.map(fixture);
    let [one, two] = [one.to_str().unwrap(), two.to_str().unwrap()];
    let query = "select (select count(*) from slices) as front, (select count(*) from a.slices) as a, \
                 (select count(*) from b.slices) as b, (select count(*) from b.records) as records";
    let found = lines(&unspool(&["sql", one, "--with", two, query, "--json"]));
    let count = |file, table: &str| {
        let query = format!("select count(*) as n from {table}");
        lines(&unspool(&["sql", file, &query, "--json"]))[0]["n"].clone()
    };
    let expected = [count(one, "slices"), count(one, "slices"), count(two, "slices"), count(two, "records")];
    assert_eq!(["front", "a", "b", "records"].map(|key| found[0][key].clone()), expected);
    let (log, program) = (fixture("binaries/program.xray"), fixture("binaries/program.elf"));
    let [log, program] = [log.to_str().unwrap(), program.to_str().unwrap()];
    let query = "select (select count(*) from a.names where name = 'program::leaf') as a, \
                 (select count(*) from b.names where name = 'program::leaf') as b";
    let found = lines(&unspool(&["sql", log, "--with", log, "--binary-b", program, query, "--json"]));
    assert_eq!(found, [serde_json::json!({ "a": 0, "b": 1 })]);
    assert_eq!(unspool(&["sql", one, "--names-b", two, "select 1"]).status.code(), Some(2));
}

#[test]
fn another_trace_is_attached_and_reven_has_its_own_tables() {
    let (one, other) = (fixture("xray/threads.xray"), fixture("xray/coarse.xray"));
    let query = "select (select count(*) from slices) as a, (select count(*) from other.slices) as b, \
                 (select count(*) from other2.slices) as c";
    let [one, other] = [one.to_str().unwrap(), other.to_str().unwrap()];
    let found = lines(&unspool(&["sql", one, query, "--json", "--attach", other, "--attach", one]));
    let count = |file| lines(&unspool(&["sql", file, "select count(*) as n from slices", "--json"]))[0]["n"].clone();
    assert_eq!((&found[0]["a"], &found[0]["b"], &found[0]["c"]), (&count(one), &count(other), &count(one)));
    assert_ne!(count(one), count(other));
    let found = rows("rvn/blocks.sqlite", "select count(*) as n from rvn.execution");
    assert!(found[0]["n"].as_u64().unwrap() > 0);
    // Both have types, so SQLite makes an index for a join of the two, and does not compare all
    // rows with all.
    for join in ["slices s on s.start = e.transition_id", "names s on s.key = e.transition_id"] {
        let plan = format!("explain query plan select count(*) from rvn.execution e left join {join}");
        let steps = rows("rvn/blocks.sqlite", &plan);
        let is_indexed = |step: &Value| step["detail"].as_str().is_some_and(|it| it.contains("AUTOMATIC"));
        assert!(steps.iter().any(is_indexed), "{steps:?}");
    }
}

#[test]
fn output_is_a_table_csv_or_json() {
    let file = fixture("xray/threads.xray");
    let ask = |more: &[&str]| {
        let query = "select 'a\"b' as text, 2.5 as number, null as absent, x'0aff' as bytes, 'two\nlines' as longer";
        let output = unspool(&[&["sql", file.to_str().unwrap(), query], more].concat());
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(ask(&[]), "text  number  absent  bytes  longer\na\"b      2.5  -       0aff   two lines\n");
    assert_eq!(ask(&["--csv"]), "text,number,absent,bytes,longer\r\n\"a\"\"b\",2.5,,0aff,\"two\nlines\"\r\n");
    assert_eq!(
        ask(&["--json"]),
        "{\"text\":\"a\\\"b\",\"number\":2.5,\"absent\":null,\"bytes\":\"0aff\",\"longer\":\"two\\nlines\"}\n"
    );
    let listed = unspool(&["sql", file.to_str().unwrap()]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    for table in [
        "slices",
        "instants",
        "counters",
        "tracks",
        "names",
        "named_slices",
        "named_instants",
        "named_counters",
        "records",
        "fields",
    ] {
        assert!(listed.lines().any(|line| line.starts_with(table)), "{table} in {listed}");
    }
}

#[test]
fn a_wrong_statement_is_shown_with_its_place() {
    let file = fixture("xray/threads.xray");
    let output = unspool(&["sql", file.to_str().unwrap(), "select count(*)\nfrom slice"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("no such table: slice"), "{said}");
    let output = unspool(&["sql", file.to_str().unwrap(), "select id,\n  nam from slices"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("no such column: nam\n    nam from slices\n    ^"), "{said}");
    // Nothing can be changed.
    let output = unspool(&["sql", file.to_str().unwrap(), "delete from slices"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("readonly"));
    let output = unspool(&["sql", "nothing.here", "select 1"]);
    assert_eq!(output.status.code(), Some(2));
}

/// The page completes names of tables and columns before it has a database to ask.
#[test]
fn functions_have_one_meaning_here_and_in_the_page() {
    let cases = std::fs::read_to_string(root().join("tests/sql_functions.json")).unwrap();
    let cases: Vec<(String, Value)> = serde_json::from_str(&cases).unwrap();
    let file = fixture("xray/threads.xray");
    for (expression, expected) in cases {
        let output = unspool(&["sql", file.to_str().unwrap(), "--json", &format!("select {expression}")]);
        assert!(output.status.success(), "{expression}: {}", String::from_utf8_lossy(&output.stderr));
        let found = lines(&output)[0].as_object().unwrap().values().next().unwrap().clone();
        let is_same = match (found.as_f64(), expected.as_f64()) {
            (Some(found), Some(expected)) => (found - expected).abs() <= 1e-12 * expected.abs().max(1.0),
            _ => found == expected,
        };
        assert!(is_same, "{expression}: {found}, not {expected}");
    }
    for (wrong, sentence) in [("percentile(1, 101)", "not a number from 0 to 100"), ("'a' regexp '('", "")] {
        let output = unspool(&["sql", file.to_str().unwrap(), &format!("select {wrong}")]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(sentence), "{wrong}");
    }
}

#[test]
fn a_place_far_to_the_right_is_shown() {
    let file = fixture("xray/threads.xray");
    let output = unspool(&["sql", file.to_str().unwrap(), &format!("select {}missing", " ".repeat(70_000))]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("no such column: missing\n  …") && said.len() < 500, "{said}");
}

#[test]
fn statements_write_no_files() {
    let (file, directory) = (fixture("xray/threads.xray"), tempfile::tempdir().unwrap());
    let path = directory.path().join("copy.sqlite").display().to_string();
    for statement in [
        format!("vacuum into '{path}'"),
        format!("select 1; -- a\n/* b */ VACUUM main INTO '{path}'"),
        format!("attach '{path}' as copy; create table copy.t as select 1"),
        "pragma journal_mode = wal; create table t as select 1".into(),
    ] {
        let output = unspool(&["sql", file.to_str().unwrap(), &statement]);
        assert_eq!(output.status.code(), Some(2), "{statement}");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "{statement}");
    }
    let output = unspool(&["sql", file.to_str().unwrap(), &format!("vacuum into '{path}'")]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("VACUUM is refused"));
}

#[test]
fn the_page_knows_the_tables() {
    let known = fs::read_to_string(root().join("web/features/sql/sql_tables.ts")).unwrap();
    let list = known.split("TABLES").nth(1).unwrap().split("\n};").next().unwrap();
    let mut in_page: Vec<(String, String)> = list
        .lines()
        .filter_map(|line| {
            let (table, columns) = line.trim().split_once(": [")?;
            Some((table.to_string(), columns.trim_end_matches("],").replace('\'', "")))
        })
        .collect();
    // Of a trace with a clock: it has all columns.
    let file = fixture("xray/threads.xray");
    let listed = lines(&unspool(&["sql", file.to_str().unwrap(), "--records", "--json"]));
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let mut native: Vec<_> = listed.iter().map(|row| (text(&row["table"]), text(&row["columns"]))).collect();
    in_page.sort();
    native.sort();
    assert_eq!(in_page, native);
}
