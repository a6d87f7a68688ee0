//! `--names`: texts for the ids and addresses of a trace, from a file.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

fn unspool(command: &str, file: &str, names: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("names.csv");
    std::fs::write(&path, names).unwrap();
    let mut unspool = Command::new(env!("CARGO_BIN_EXE_unspool"));
    unspool.arg(command).arg("--json").arg(fixture(file)).arg("--names").arg(path).output().unwrap()
}

#[test]
fn functions_have_the_names_of_the_file() {
    let plain = unspool("stats", "xray/threads.xray", "99999,nobody\n");
    let plain: Value = serde_json::from_slice(&plain.stdout).unwrap();
    let ids: Vec<i64> = plain["functions"].as_array().unwrap().iter().map(|it| it["id"].as_i64().unwrap()).collect();
    assert!(ids.len() > 2);
    let names = format!("key,name\n{},twice\n{},\"with, comma\",a.c:3\n{},twice\n", ids[0], ids[1], ids[2]);
    let named = unspool("stats", "xray/threads.xray", &names);
    assert_eq!(String::from_utf8_lossy(&named.stderr), "");
    let named: Value = serde_json::from_slice(&named.stdout).unwrap();
    let shown = |id: i64| {
        let row = named["functions"].as_array().unwrap().iter().find(|it| it["id"] == id).unwrap();
        row["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(shown(ids[0]), format!("twice (#{})", ids[0]));
    assert_eq!(shown(ids[1]), "with, comma");
    assert_eq!(shown(ids[2]), format!("twice (#{})", ids[2]));
    assert_eq!(shown(ids[3]), format!("#{}", ids[3]));
    let slices = unspool("slices", "xray/threads.xray", &names);
    let slices = String::from_utf8(slices.stdout).unwrap();
    assert!(slices.contains("\"name\":\"with, comma\"") && slices.contains("\"name\":\"twice (#"), "{slices:.300}");
}

#[test]
fn a_file_without_names_is_refused_and_a_bad_line_is_reported() {
    let output = unspool("stats", "xray/threads.xray", "nothing\nhere\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no line is `key,name`"));
    let output = unspool("stats", "xray/threads.xray", "1,main\nwhat\n2,f\nhow\n");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("\"at\":2,\"file\""));
}
