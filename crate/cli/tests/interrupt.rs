//! Ctrl+C ends a command, and leaves nothing of what it has begun to write.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Starts a command, sends it SIGINT once `is_running`, and waits for it.
fn interrupted(args: &[&str], at: &Path, is_running: impl Fn() -> bool) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unspool"));
    command.args(args).current_dir(at).env("TMPDIR", at.join("tmp")).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    while !is_running() {
        assert!(child.try_wait().unwrap().is_none(), "{args:?} has ended");
        assert!(began.elapsed() < Duration::from_secs(60), "{args:?} does not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(300));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    child.wait_with_output().unwrap()
}

/// Names of the files in a directory and below.
fn files(at: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(at).into_iter().flatten().flatten() {
        all.push(entry.path().display().to_string());
        all.extend(files(&entry.path()));
    }
    all
}

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("tmp")).unwrap();
    directory
}

#[test]
fn a_query_is_stopped() {
    let directory = directory();
    let at = directory.path();
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/xray/threads.xray");
    let endless = "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c";
    let is_running = || files(&at.join("tmp")).iter().any(|name| fs::metadata(name).is_ok_and(|it| it.len() > 4096));
    let ran = interrupted(&["sql", log.to_str().unwrap(), endless], at, is_running);
    assert_eq!(ran.status.code(), Some(130));
    assert_eq!(String::from_utf8(ran.stderr).unwrap(), "unspool: The query was stopped.\n");
    assert_eq!(files(&at.join("tmp")), [""; 0]);
}

/// Within one function nothing interrupts SQLite.
#[test]
fn a_query_that_cannot_be_stopped_ends_with_the_command() {
    let directory = directory();
    let at = directory.path();
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/xray/threads.xray");
    let endless = "select instr(hex(zeroblob(5000000)), hex(zeroblob(2400000)) || '1')";
    let is_running = || files(&at.join("tmp")).iter().any(|name| fs::metadata(name).is_ok_and(|it| it.len() > 4096));
    let ran = interrupted(&["sql", log.to_str().unwrap(), endless], at, is_running);
    assert_eq!(ran.status.code(), Some(130));
    assert_eq!(files(&at.join("tmp")), [""; 0]);
}

#[test]
fn an_output_goes() {
    let directory = directory();
    let at = directory.path();
    let is_running = || files(at).iter().any(|name| name.ends_with(".partial"));
    let ran = interrupted(&["generate", "xray", "--events", "1000000000", "-o", "out"], at, is_running);
    assert_eq!(ran.status.code(), Some(130));
    assert_eq!(files(at), [at.join("tmp").display().to_string()]);
}
