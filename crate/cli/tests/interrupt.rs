//! Whatever ends a command: nothing of what it has begun to write is left.

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Starts a command in a directory, with `tmp` there for temporary files.
fn started(args: &[&str], at: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unspool"));
    command.args(args).current_dir(at).env("TMPDIR", at.join("tmp"));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until something is so while a command runs.
fn wait(child: &mut Child, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        assert!(began.elapsed() < Duration::from_secs(60), "it does not begin");
        sleep(Duration::from_millis(5));
    }
}

fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Starts a command, sends it a signal once `is_running`, and waits for it.
fn ended(signal: &str, args: &[&str], at: &Path, is_running: impl Fn() -> bool) -> Output {
    let mut child = started(args, at);
    wait(&mut child, is_running);
    sleep(Duration::from_millis(300));
    send(signal, &child);
    child.wait_with_output().unwrap()
}

/// As [`ended`], by Ctrl+C.
fn interrupted(args: &[&str], at: &Path, is_running: impl Fn() -> bool) -> Output {
    ended("-INT", args, at, is_running)
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

/// Writes an output that takes long.
const LONG: [&str; 6] = ["generate", "xray", "--events", "1000000000", "-o", "out"];

#[test]
fn an_output_goes_with_its_terminal_and_when_the_command_is_ended() {
    for (signal, number) in [("-TERM", 15), ("-HUP", 1)] {
        let directory = directory();
        let at = directory.path();
        let ran = ended(signal, &LONG, at, || files(at).iter().any(|name| name.ends_with(".partial")));
        // Who started it sees what has ended it.
        assert_eq!(ran.status.signal(), Some(number), "{signal}");
        assert_eq!(files(at), [at.join("tmp").display().to_string()], "{signal}");
    }
}

#[test]
fn what_is_read_from_a_pipe_goes_when_the_command_is_ended() {
    let directory = directory();
    let tmp = directory.path().join("tmp");
    let mut child = started(&["info", "-"], directory.path());
    let mut input = child.stdin.take().unwrap();
    input.write_all(&[7; 100_000]).unwrap();
    wait(&mut child, || files(&tmp).iter().any(|name| fs::metadata(name).is_ok_and(|it| it.len() == 100_000)));
    send("-TERM", &child);
    assert_eq!(child.wait_with_output().unwrap().status.signal(), Some(15));
    assert_eq!(files(&tmp), [""; 0]);
    drop(input);
}

/// `nohup` has it ignore SIGHUP, and a script SIGINT of what runs in its background.
#[test]
fn a_command_that_was_started_to_ignore_a_signal_goes_on() {
    for (ignored, ending, number) in [("HUP", "-TERM", 15), ("INT", "-TERM", 15), ("TERM", "-HUP", 1)] {
        let directory = directory();
        let at = directory.path();
        let mut command = Command::new("sh");
        let script = format!("trap '' {ignored}; exec \"$0\" \"$@\"");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_unspool")]).args(LONG);
        let mut child = command.current_dir(at).env("TMPDIR", at.join("tmp")).stdout(Stdio::null()).spawn().unwrap();
        wait(&mut child, || files(at).iter().any(|name| name.ends_with(".partial")));
        send(&format!("-{ignored}"), &child);
        sleep(Duration::from_millis(300));
        assert!(child.try_wait().unwrap().is_none(), "{ignored}");
        assert!(files(at).iter().any(|name| name.ends_with(".partial")), "{ignored}");
        send(ending, &child);
        assert_eq!(child.wait().unwrap().signal(), Some(number), "{ignored}");
        assert_eq!(files(at), [at.join("tmp").display().to_string()], "{ignored}");
    }
}

#[test]
fn what_a_killed_command_has_left_is_removed_by_the_next() {
    let directory = directory();
    let (at, tmp) = (directory.path(), directory.path().join("tmp"));
    let mut reading = started(&["info", "-"], at);
    let mut input = reading.stdin.take().unwrap();
    input.write_all(&[7; 100_000]).unwrap();
    wait(&mut reading, || files(&tmp).iter().any(|name| fs::metadata(name).is_ok_and(|it| it.len() == 100_000)));
    let of_reading = files(&tmp);
    let is_partial = |name: &String| name.ends_with(".partial");
    ended("-KILL", &LONG, at, || files(at).iter().any(is_partial));
    assert!(files(at).iter().any(is_partial));
    assert!(files(&tmp).len() > of_reading.len());
    // What belongs to one that lives stays.
    assert!(started(&["--version"], at).wait().unwrap().success());
    assert!(!files(at).iter().any(is_partial));
    assert_eq!(files(&tmp), of_reading);
    send("-KILL", &reading);
    reading.wait().unwrap();
    assert_eq!(files(&tmp), of_reading);
    assert!(started(&["--version"], at).wait().unwrap().success());
    assert_eq!(files(&tmp), [""; 0]);
}

/// Starts the server of tools, and asks it what takes hours in a process of its own.
fn asked(at: &Path, timeout: &str) -> Child {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let mut child = started(&["mcp", "--timeout", timeout, fixtures.to_str().unwrap()], at);
    let endless = "select instr(hex(zeroblob(5000000)), hex(zeroblob(2400000)) || '1')";
    let arguments = serde_json::json!({ "path": "xray/threads.xray", "statement": endless });
    let params = serde_json::json!({ "name": "sql", "arguments": arguments });
    let line = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    writeln!(child.stdin.as_mut().unwrap(), "{line}").unwrap();
    child
}

/// Folders below the folder of a command: each is that of a process it has started, or that of
/// temporary files of such a process.
fn folders(tmp: &Path) -> usize {
    files(tmp).iter().filter(|name| Path::new(name).is_dir()).count().saturating_sub(1)
}

#[test]
fn a_process_that_the_server_of_tools_has_ended_leaves_nothing() {
    let directory = directory();
    let tmp = directory.path().join("tmp");
    let mut child = asked(directory.path(), "1");
    // The process that answers has two, and the process of the question one.
    wait(&mut child, || folders(&tmp) == 3);
    wait(&mut child, || folders(&tmp) == 2);
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert_eq!(files(&tmp), [""; 0]);
}

#[test]
fn the_server_of_tools_ends_with_what_it_has_started() {
    let directory = directory();
    let tmp = directory.path().join("tmp");
    let mut child = asked(directory.path(), "600");
    wait(&mut child, || folders(&tmp) == 3);
    sleep(Duration::from_millis(300));
    let own =
        |process: &str| fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    let answering = own(&child.id().to_string());
    let started = format!("{answering} {}", own(answering.trim()));
    assert_eq!(started.split_whitespace().count(), 2);
    send("-TERM", &child);
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    assert_eq!(files(&tmp), [""; 0]);
    for process in started.split_whitespace() {
        assert!(!Path::new("/proc").join(process).exists(), "{process} goes on");
    }
}

/// The browser is started with a file that leads to the secret of the server.
#[cfg(target_os = "linux")]
#[test]
fn what_a_browser_is_started_with_goes_with_the_server() {
    use std::os::unix::fs::PermissionsExt;
    let directory = directory();
    let (at, tmp) = (directory.path(), directory.path().join("tmp"));
    let browser = at.join("xdg-open");
    fs::write(&browser, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(at.join("index.html"), "<!doctype html>").unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/xray/threads.xray");
    let is_door = |name: &String| name.ends_with(".html");
    for signal in ["-TERM", "-KILL"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unspool"));
        command.args(["open", "--port", "0", "--page"]).arg(at).arg(&log);
        command.env("PATH", format!("{}:{path}", at.display())).env("DISPLAY", ":0").env("TMPDIR", &tmp);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait(&mut child, || files(&tmp).iter().any(is_door));
        send(signal, &child);
        child.wait().unwrap();
        assert_eq!(files(&tmp).iter().any(is_door), signal == "-KILL", "{signal}");
    }
    assert!(started(&["--version"], at).wait().unwrap().success());
    assert_eq!(files(&tmp), [""; 0]);
}
