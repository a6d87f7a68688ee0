//! `unspool buffer`: contents of a buffer, and what is said of those that are unknown.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/graphics/uploads.trace");
    Command::new(env!("CARGO_BIN_EXE_unspool")).arg("buffer").arg(file).args(arguments).output().unwrap()
}

fn text(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The same bytes in each form.
#[test]
fn forms_agree() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bytes");
    text(&["--name", "1", "--output", path.to_str().unwrap()]);
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes.len(), 64);
    let shown = text(&["--name", "1"]);
    let printed: Vec<u8> =
        shown.lines().flat_map(|line| line.split_whitespace().skip(1)).map(|byte| byte.parse().unwrap()).collect();
    assert_eq!(printed, bytes);
    let halves: serde_json::Value =
        serde_json::from_str(&text(&["--name", "1", "--as", "u16", "--offset", "4", "--count", "2", "--json"]))
            .unwrap();
    let expected: Vec<u16> = bytes[4..8].chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    assert_eq!(halves["values"], serde_json::json!(expected));
    let rows = text(&["--name", "1", "--stride", "24"]);
    assert_eq!(rows.lines().map(|line| line[..8].trim()).collect::<Vec<_>>(), ["0", "24", "48"]);
}

#[test]
fn what_does_not_exist_is_said() {
    for (arguments, sentence) in [
        (&["--name", "77"][..], "there is no buffer 77"),
        (&["--name", "1", "--at", "3"], "there is no buffer 1 by then"),
        (&["--name", "1", "--offset", "64"], "has 64 bytes; --offset 64 is not in it"),
        (&["--name", "1", "--as", "f64", "--count", "9"], "8 elements from --offset 0 on: --count 9 is more"),
        (&["--name", "1", "--as", "f32", "--stride", "3"], "--stride is less than the 4 bytes of an element"),
        (&["--name", "1", "--at", "0", "--before"], "before call 0 there is no buffer"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(sentence), "{said}");
    }
}
