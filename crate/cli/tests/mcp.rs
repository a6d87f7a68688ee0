//! `unspool mcp`: the protocol. `npm run test:mcp` has the answers, by the official client.

use std::io::Write;
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
