//! `unspool mcp`: the protocol. `npm run test:mcp` has the answers, by the official client.

use std::io::Write;
#[cfg(target_os = "linux")]
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// The answers to lines, in their order.
fn answers(lines: &[String]) -> Vec<Value> {
    answers_of(&[], lines)
}

/// The answers of a server with these options.
fn answers_of(options: &[&str], lines: &[String]) -> Vec<Value> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let mut child = Command::new(env!("CARGO_BIN_EXE_unspool"))
        .arg("mcp")
        .args(options)
        .arg(fixtures)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let written = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    written.join().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn request(id: u64, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

#[test]
fn refusals_repeat_no_long_name() {
    let long = format!("\u{202e}{}", "x".repeat(100_000));
    let lines = [
        request(1, &long, &Value::Null),
        request(2, "tools/call", &json!({ "name": long })),
        json!({ "jsonrpc": "2.0", "id": long, "method": "ping" }).to_string(),
    ];
    let answers = answers(&lines);
    let sizes: Vec<usize> = answers.iter().map(|answer| answer.to_string().len()).collect();
    assert!(sizes.len() == 3 && sizes.iter().all(|size| *size < 500), "{sizes:?}");
    assert_eq!((&answers[1]["id"], &answers[2]["id"]), (&2.into(), &Value::Null));
    let sentences = answers.iter().take(2).filter_map(|answer| answer["error"]["message"].as_str());
    assert_eq!(sentences.filter(|sentence| sentence.contains("\\u202exxx")).count(), 2);
}

#[test]
fn what_is_no_request_has_an_error_or_no_answer() {
    let lines = [
        "nonsense".to_string(),
        "[]".into(),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string(),
        String::new(),
        format!("\"{}\"", "x".repeat(1 << 20)),
        request(1, "ping", &Value::Null),
        request(2, "resources/list", &Value::Null),
        request(3, "tools/call", &json!({ "name": "surprise" })),
        request(4, "initialize", &json!({ "protocolVersion": "2024-11-05" })),
        request(5, "initialize", &json!({ "protocolVersion": "1999-01-01" })),
    ];
    let answers = answers(&lines);
    let errors: Vec<i64> = answers.iter().filter_map(|answer| answer["error"]["code"].as_i64()).collect();
    assert_eq!(errors, [-32700, -32600, -32600, -32601, -32602]);
    assert_eq!((&answers[3]["id"], &answers[3]["result"]), (&1.into(), &json!({})));
    assert_eq!(answers[6]["result"]["protocolVersion"], "2024-11-05");
    assert_eq!(answers[7]["result"]["protocolVersion"], "2025-06-18");
}

#[test]
fn no_request_ends_the_server() {
    let call =
        |id, name: &str, arguments: Value| request(id, "tools/call", &json!({ "name": name, "arguments": arguments }));
    let whole = [
        call(1, "stats", json!({ "path": "xray/threads.xray", "limit": 1, "range": "1..2" })),
        call(2, "sql", json!({ "path": "xray/threads.xray", "statement": "select name from names" })),
        call(3, "state", json!({ "path": "frames/calls.frames", "at": 3 })),
        request(4, "initialize", &json!({ "protocolVersion": "2024-11-05", "capabilities": {} })),
    ];
    let mut seed = 1_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let mut lines: Vec<String> = (0..500)
        .map(|number| {
            let mut line: Vec<char> = whole[number % whole.len()].chars().collect();
            for _ in 0..=random(4) {
                let at = random(line.len().max(1)).min(line.len());
                let other = ['"', '{', '}', '[', ']', ',', '\\', '-', '9', '\u{202e}'][random(10)];
                match random(3) {
                    0 => line.insert(at, other),
                    1 => drop(line.drain(at..(at + random(9)).min(line.len()))),
                    _ => line.iter_mut().skip(at).take(1).for_each(|it| *it = other),
                }
            }
            line.into_iter().collect()
        })
        .collect();
    lines.push(request(1000, "ping", &Value::Null));
    let answers = answers(&lines);
    assert_eq!(answers.last().map(|answer| &answer["id"]), Some(&1000.into()));
}

#[test]
fn tools_answer_in_short_and_refuse_what_they_do_not_know() {
    let call =
        |id, name: &str, arguments: Value| request(id, "tools/call", &json!({ "name": name, "arguments": arguments }));
    let file = "xray/threads.xray";
    let lines = [
        request(1, "tools/list", &Value::Null),
        call(2, "open", json!({ "path": file })),
        call(3, "stats", json!({ "path": file, "limit": 1 })),
        call(4, "sql", json!({ "path": file, "statement": "select 1; select 2" })),
        call(5, "sql", json!({ "path": file, "statement": "-- a\nattach 'x' as y" })),
        call(6, "open", json!({ "path": "../../Cargo.toml" })),
        call(7, "picture", json!({ "path": file, "kind": "flame" })),
        call(8, "open", json!({ "path": "containers/traces.zip/traces/events.xray" })),
        call(9, "stats", json!({ "path": file, "moon": 1 })),
    ];
    let answers = answers(&lines);
    assert!(answers[0]["result"]["tools"].as_array().unwrap().iter().all(|it| it["inputSchema"]["type"] == "object"));
    let text = |at: usize| -> (Value, String) {
        let result = &answers[at]["result"];
        (
            result["isError"].clone(),
            result["content"].as_array().unwrap().last().unwrap()["text"].as_str().unwrap().into(),
        )
    };
    let (failed, stats) = text(2);
    let stats: Value = serde_json::from_str(&stats).unwrap();
    assert_eq!((failed, stats["listed"].as_u64()), (false.into(), Some(1)));
    assert!(stats["left_out"].is_string() && stats["next"].is_array());
    for (at, says) in [(3, "ultiple"), (4, "Only questions"), (5, "no such file below"), (8, "no argument moon")] {
        let (failed, said) = text(at);
        assert!(failed == true && said.contains(says), "{said}");
    }
    assert_eq!(answers[6]["result"]["content"][0]["mimeType"], "image/png");
    assert_eq!(text(7).0, false);
}

/// Within one function nothing interrupts SQLite, and a text may be as long as its limit.
#[test]
fn sql_that_does_not_end_is_ended_and_answers_have_a_size() {
    let sql = |id: u64, statement: &str| {
        let arguments = json!({ "path": "xray/threads.xray", "statement": statement, "limit": 500 });
        request(id, "tools/call", &json!({ "name": "sql", "arguments": arguments }))
    };
    let lines = [
        sql(1, "select instr(hex(zeroblob(5000000)), hex(zeroblob(2400000))||'1')"),
        sql(2, "select zeroblob(999999999)"),
        sql(3, "with recursive c(i) as (select 1 union all select i+1 from c) select i, hex(zeroblob(400000)) from c"),
        sql(4, "select name, x'00ff' as bytes, null as missing, 1.5 as number from names limit 1"),
        sql(5, "select x from nowhere"),
        sql(6, "select 1 as a, 2 as a, 3 as a_2"),
    ];
    let answers = answers_of(&["--timeout", "1"], &lines);
    let text = |at: usize| answers[at]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text(0).starts_with("cut off after 1 s"), "{}", text(0));
    assert!(text(1).contains("too big"), "{}", text(1));
    let many: Value = serde_json::from_str(text(2)).unwrap();
    assert_eq!(many["truncated"], true);
    assert!(many["rows"][0]["hex(zeroblob(400000))"].as_str().unwrap().ends_with("… (800000 bytes in all)"));
    assert!(answers.iter().all(|answer| answer.to_string().len() < 64 << 10));
    let few: Value = serde_json::from_str(text(3)).unwrap();
    assert_eq!(few["rows"][0]["bytes"], "00ff");
    assert_eq!((&few["rows"][0]["missing"], &few["rows"][0]["number"]), (&Value::Null, &1.5.into()));
    assert!(text(4).contains("no such table: nowhere"), "{}", text(4));
    let same: Value = serde_json::from_str(text(5)).unwrap();
    assert_eq!(same["rows"][0], json!({ "a": 1, "a_2": 2, "a_2_2": 3 }));
}

#[test]
fn a_timeout_beyond_all_clocks_is_refused() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unspool"));
    let ran = command.args(["mcp", "--timeout", "18446744073709551615", "."]).output().unwrap();
    assert_eq!(ran.status.code(), Some(2), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// As the system does for lack of memory.
#[cfg(target_os = "linux")]
#[test]
fn sql_whose_process_is_killed_has_an_answer() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let mut server = Server::start(&fixtures, "30");
    let id = server.process.id();
    let killing = std::thread::spawn(move || {
        let running = loop {
            let of_all: Vec<String> = started(id).iter().flat_map(|worker| started(worker.parse().unwrap())).collect();
            if !of_all.is_empty() {
                break of_all;
            }
            std::thread::yield_now();
        };
        assert!(Command::new("kill").arg("-KILL").args(running).status().unwrap().success());
    });
    let endless = "with recursive c(i) as (select 1 union all select i+1 from c) select count(*) from c";
    let (failed, said) = server.ask("sql", &json!({ "path": "xray/threads.xray", "statement": endless }));
    assert!(failed && said.contains("has ended without an answer"), "{said}");
    killing.join().unwrap();
    server.end();
}

/// The processes that a process has started.
#[cfg(target_os = "linux")]
fn started(id: u32) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let children = tasks.map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default());
    children.flat_map(|ids| ids.split_whitespace().map(String::from).collect::<Vec<_>>()).collect()
}

/// A server that is asked line by line.
#[cfg(target_os = "linux")]
struct Server {
    process: std::process::Child,
    answers: BufReader<std::process::ChildStdout>,
}

#[cfg(target_os = "linux")]
impl Server {
    fn start(roots: &Path, seconds: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unspool"));
        command.args(["mcp", "--timeout", seconds]).arg(roots).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        Self { process, answers }
    }

    /// Whether a tool fails, and the last text of its answer.
    fn ask(&mut self, tool: &str, arguments: &Value) -> (bool, String) {
        let line = request(7, "tools/call", &json!({ "name": tool, "arguments": arguments }));
        writeln!(self.process.stdin.as_mut().unwrap(), "{line}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let result = &answer["result"];
        let text = result["content"].as_array().unwrap().last().unwrap()["text"].as_str().unwrap();
        (result["isError"].as_bool().unwrap(), text.into())
    }

    /// Sends a signal to the processes that the server has started. Returns their number.
    fn signal(&self, signal: &str) -> usize {
        let started = started(self.process.id());
        assert!(Command::new("kill").arg(signal).args(&started).status().unwrap().success());
        started.len()
    }

    fn end(mut self) {
        drop(self.process.stdin.take());
        assert!(self.process.wait().unwrap().success());
    }
}

/// A stopped process does nothing about its timeout, as one that is amid a long loop.
#[cfg(target_os = "linux")]
#[test]
fn every_tool_is_ended_at_the_timeout_and_the_next_question_answered() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let (log, frames) = ("xray/threads.xray", "frames/calls.frames");
    let questions = [
        ("open", json!({ "path": log })),
        ("info", json!({ "path": log })),
        ("stats", json!({ "path": log })),
        ("stats", json!({ "path": log, "by": "stack" })),
        ("find", json!({ "path": log, "expression": "dur>0" })),
        ("sql", json!({ "path": log, "statement": "select 1" })),
        ("compare", json!({ "a": log, "b": log })),
        ("details", json!({ "path": log, "at": 0 })),
        ("state", json!({ "path": frames, "at": 3 })),
        ("picture", json!({ "path": log, "kind": "timeline" })),
        ("picture", json!({ "path": log, "kind": "flame" })),
    ];
    let asked = questions.map(|(tool, arguments)| {
        let mut server = Server::start(&fixtures, "1");
        std::thread::spawn(move || {
            let (failed, first) = server.ask(tool, &arguments);
            assert!(!failed, "{tool}: {first}");
            assert_eq!(server.signal("-STOP"), 1);
            let (failed, said) = server.ask(tool, &arguments);
            assert!(failed && said.starts_with("cut off after 1 s."), "{tool}: {said}");
            assert_eq!(server.ask(tool, &arguments), (false, first), "{tool}");
            server.end();
        })
    });
    for asked in asked {
        asked.join().unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_stay_when_the_process_that_answers_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/xray/threads.xray");
    std::fs::copy(log, folder.path().join("log.xray")).unwrap();
    std::fs::write(folder.path().join("names.csv"), "8,eighth\n").unwrap();
    let mut server = Server::start(folder.path(), "30");
    let (failed, said) = server.ask("open", &json!({ "path": "log.xray", "names": "names.csv" }));
    assert!(!failed, "{said}");
    let stats = json!({ "path": "log.xray" });
    let (_, first) = server.ask("stats", &stats);
    assert!(first.contains("eighth"), "{first}");
    // As the system does for lack of memory.
    server.signal("-KILL");
    assert_eq!(server.ask("stats", &stats), (false, first));
    // Without them, no question has an answer with other names.
    std::fs::remove_file(folder.path().join("names.csv")).unwrap();
    server.signal("-KILL");
    let compare = json!({ "a": "log.xray", "b": "log.xray" });
    for (tool, arguments) in [("stats", &stats), ("stats", &stats), ("compare", &compare)] {
        let (failed, said) = server.ask(tool, arguments);
        assert!(failed && said.starts_with("names.csv: there is no such file"), "{tool}: {said}");
    }
    assert!(!server.ask("open", &stats).0 && !server.ask("stats", &stats).0);
    server.end();
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_has_changed_is_read_again_and_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/xray");
    let (log, names) = (folder.path().join("log.xray"), folder.path().join("names.csv"));
    std::fs::copy(fixtures.join("threads.xray"), &log).unwrap();
    std::fs::write(&names, "8,eighth\n").unwrap();
    let mut server = Server::start(folder.path(), "30");
    assert!(!server.ask("open", &json!({ "path": "log.xray", "names": "names.csv" })).0);
    let mut ask = |tool: &str, arguments: Value| -> Value {
        let (failed, said) = server.ask(tool, &arguments);
        assert!(!failed, "{tool}: {said}");
        serde_json::from_str(&said).unwrap()
    };
    let file = json!({ "path": "log.xray" });
    let sql = json!({ "path": "log.xray", "statement": "select count(*) as count from slices" });
    let before = ask("sql", sql.clone());
    assert!(before["rows"][0]["count"].as_u64() > Some(0) && before["remark"].is_null());
    // Names of the same length, in another file.
    std::fs::write(folder.path().join("new"), "8,eightX\n").unwrap();
    std::fs::rename(folder.path().join("new"), &names).unwrap();
    let stats = ask("stats", file.clone());
    assert!(stats["remark"].is_string() && stats.to_string().contains("eightX"), "{stats}");
    assert!(ask("stats", file.clone())["remark"].is_null());
    std::fs::copy(fixtures.join("events.xray"), &log).unwrap();
    let after = ask("sql", sql.clone());
    assert!(after["remark"].is_string() && after["rows"] != before["rows"], "{after}");
    assert!(ask("sql", sql)["remark"].is_null());
    // While nothing of it can be read, there is an error. Then it has the names of before.
    std::fs::write(&log, "").unwrap();
    assert!(server.ask("stats", &file).0);
    std::fs::copy(fixtures.join("threads.xray"), &log).unwrap();
    assert!(server.ask("stats", &file).1.contains("eightX"));
    server.end();
}
