//! `unspool findings`: what is said of real logs is what the tables say, and nothing is proposed
//! that does not hold.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Longer logs take long without optimisation.
const MOST: u64 = 1 << 20;

fn report(command: &str, file: &Path) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_unspool")).args([command, "--json"]).arg(file).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
}

/// The logs of the corpus that were recorded, and those with a planted cause.
fn logs() -> Vec<std::path::PathBuf> {
    let folders = ["xray", "xray-real", "findings", "compare"];
    let all = folders.into_iter().flat_map(|folder| unspool_corpus::files(folder, MOST));
    all.filter(|path| path.extension().is_some_and(|it| it == "xray")).collect()
}

#[test]
fn numbers_of_sentences_are_those_of_the_functions() {
    let (mut sentences, mut medians) = (0, 0);
    for log in logs() {
        let findings = report("findings", &log);
        assert_eq!(findings["refuted"].as_u64().unwrap_or(0), 0, "{}", log.display());
        let findings = findings["findings"].as_array().cloned().unwrap_or_default();
        let functions = if findings.is_empty() { Value::Null } else { report("stats", &log) };
        for finding in &findings {
            sentences += 1;
            let sentence = finding["sentence"].as_str().unwrap();
            for claim in finding["claims"].as_array().unwrap() {
                let text = claim["text"].as_str().unwrap();
                assert!(sentence.contains(text), "{text} is not in {sentence}");
                if claim["quantity"] != "median" {
                    continue;
                }
                let of = |it: &&Value| it["name"] == claim["of"];
                let function = functions["functions"].as_array().unwrap().iter().find(of).unwrap();
                assert_eq!(claim["value"].as_f64(), function["median"].as_f64(), "{}: {sentence}", log.display());
                medians += 1;
            }
        }
    }
    let is_there = unspool_corpus::path("xray").is_some();
    assert!(!is_there || sentences >= 43 && medians >= 20, "{sentences} sentences, {medians} medians");
}

#[test]
fn an_order_that_chance_makes_is_not_said() {
    let Some(sort) = unspool_corpus::path("compare/trace-db/sort.trace") else { return };
    let found = report("findings", &sort);
    let kinds: Vec<_> = found["findings"].as_array().unwrap().iter().map(|it| it["kind"].clone()).collect();
    assert_eq!(kinds, ["once"]);
}
