//! Slices in a temporary file: commands print what they print of slices in memory.

use std::process::Command;

fn unspool(args: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_unspool")).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn commands_answer_alike_whatever_the_memory() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("large.xray");
    let log = log.to_str().unwrap();
    // More than the slices after which blocks are first moved.
    unspool(&["generate", "xray", "--events", "700000", "--seed", "7", "-o", log]);
    let commands: &[&[&str]] = &[
        &["info", log],
        &["stats", log, "--csv"],
        &["stats", log, "--by", "stack"],
        &["graph", log],
        &["slices", log, "--csv"],
        &["find", log, "dur>2us"],
        &["sql", log, "select name, count(*), sum(dur) from slices group by name order by name"],
    ];
    for command in commands {
        let with = |memory: &str| unspool(&[command, &["--max-memory", memory] as &[&str]].concat());
        let (spilled, kept) = (with("1"), with("100G"));
        assert!(!kept.is_empty() && spilled == kept, "{command:?}");
    }
    // Large enough that the blocks being filled, and those that are loaded or not written yet, are
    // few.
    unspool(&["generate", "xray", "--events", "3000000", "--seed", "7", "-o", log]);
    let bytes_per_slice = |memory: &str| {
        let info: serde_json::Value =
            serde_json::from_slice(&unspool(&["info", log, "--json", "--max-memory", memory])).unwrap();
        info["bytes_per_slice"].as_f64().unwrap()
    };
    assert!(bytes_per_slice("1") < bytes_per_slice("100G") / 2.0);
}

/// Where no file can be made, only a trace that needs one says so, and is read nevertheless.
#[cfg(unix)]
#[test]
fn slices_that_stay_in_memory_need_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("large.xray");
    let log = log.to_str().unwrap();
    unspool(&["generate", "xray", "--events", "1000000", "--seed", "7", "-o", log]);
    let kinds = |memory: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_unspool"))
            .args(["info", log, "--json", "--max-memory", memory])
            .env("TMPDIR", directory.path().join("missing"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let info: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(info["slices"].as_u64() > Some(400_000), "{info}");
        info["problems"].to_string()
    };
    assert!(!kinds("100G").contains("disk-is-full"));
    assert!(kinds("1").contains("disk-is-full"));
}
