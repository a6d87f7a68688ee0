//! Every reading of a file gives the same trace: checked here for the native command, and in the
//! browser tests for the page.

use std::path::Path;
use std::process::Command;

#[test]
fn digests_have_not_changed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("tests/digests.json")).unwrap();
    let digests: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
    let mut wrong = Vec::new();
    for (name, expected) in &digests {
        let path = match name.strip_prefix("../shared/corpus/") {
            Some(name) => unspool_corpus::path(name),
            None => Some(root.join(name)),
        };
        let Some(path) = path else { continue };
        let output = Command::new(env!("CARGO_BIN_EXE_unspool")).args(["info", "--json"]).arg(&path).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        if report["digest"] != *expected {
            wrong.push(format!("{name}: {} instead of {expected}", report["digest"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
