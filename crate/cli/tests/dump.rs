//! `unspool dump` of whole files: the two forms of apitrace traces say the same.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn dump(file: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_unspool")).arg("dump").args(arguments).arg(file).output().unwrap();
    output.stdout
}

/// Reads what `apitrace dump` prints.
struct Text<'a> {
    rest: &'a str,
}

impl<'a> Text<'a> {
    fn take(&mut self, prefix: &str) -> bool {
        self.rest.strip_prefix(prefix).is_some_and(|rest| {
            self.rest = rest;
            true
        })
    }

    fn until(&mut self, ends: &[char]) -> &'a str {
        let (text, rest) = self.rest.split_at(self.rest.find(ends).unwrap_or(self.rest.len()));
        self.rest = rest;
        text
    }

    /// The name of an argument or member, if one comes.
    fn name(&mut self) -> Option<&'a str> {
        let len = self.rest.find(|c: char| !(c.is_alphanumeric() || "_[].".contains(c))).filter(|len| *len > 0)?;
        let (name, rest) = self.rest.split_at(len);
        self.rest = rest.strip_prefix(" = ")?;
        Some(name)
    }

    /// Whether the next value is `json`. Takes it.
    fn is(&mut self, json: &Value) -> bool {
        if self.take("NULL") || self.take("?") {
            return json.is_null();
        }
        if self.take("L\"") || self.take("\"") {
            return Some(self.string()) == json.as_str().map(printable);
        }
        if self.take("blob(") {
            let len = self.until(&[')']);
            return self.take(")") && json["bytes"].as_u64() == len.parse().ok();
        }
        if self.take("uuid(") {
            let guid = self.until(&[')']);
            return self.take(")") && json == guid;
        }
        if self.take("&") {
            return json.as_array().is_some_and(|items| items.len() == 1 && self.is(&items[0]));
        }
        if self.take("{") {
            let mut count = 0;
            while !self.take("}") {
                if count > 0 && !self.take(", ") {
                    return false;
                }
                let item = match self.name() {
                    Some(name) => json.get(name),
                    None => json.get(count),
                };
                count += 1;
                if !item.is_some_and(|item| self.is(item)) {
                    return false;
                }
            }
            let hidden = |members: &serde_json::Map<_, _>| {
                members.keys().filter(|key: &&String| key.starts_with("member ")).count()
            };
            return match json {
                Value::Array(items) => items.len() == count,
                Value::Object(members) => members.len() - hidden(members) == count,
                _ => false,
            };
        }
        let before = self.rest;
        let value = self.until(&[',', ')', '}', '\n']);
        let word = value.split_once(" //").map_or(value, |(word, _)| word);
        self.rest = &before[word.len()..];
        match json {
            Value::Bool(is) => word == is.to_string(),
            Value::Number(n) if n.is_f64() => {
                let (x, y) = (n.as_f64().unwrap(), word.parse::<f64>().unwrap_or(f64::NAN));
                (x - y).abs() <= x.abs() * 1e-6 || x as f32 == y as f32
            }
            Value::Number(n) => word == n.to_string() || word.parse::<f64>().ok() == n.as_f64(),
            Value::String(text) => word == text || (word == "-nan" && text == "nan"),
            _ => false,
        }
    }

    /// The rest of a string, without what apitrace's escapes garble.
    fn string(&mut self) -> String {
        let mut out = String::new();
        loop {
            let mut chars = self.rest.chars();
            let c = chars.next().expect("a string ends");
            self.rest = chars.as_str();
            match c {
                '"' => return out,
                '\\' if self.take("\"") => out.push('"'),
                '\\' if self.take("\\") => out.push('\\'),
                // Octal: one digit, or three.
                '\\' => {
                    let doubled = self.rest.as_bytes()[0] == self.rest.as_bytes()[1];
                    self.rest = &self.rest[if doubled && self.rest.as_bytes()[2].is_ascii_digit() { 3 } else { 1 }..];
                }
                c => out.push(c),
            }
        }
    }
}

/// The characters of a string that apitrace prints unescaped.
fn printable(text: &str) -> String {
    let text = text.split('\0').next().unwrap();
    text.chars().filter(|c| matches!(c, ' '..='~' | '\t' | '\n')).collect()
}

/// Compares the two forms of a trace call by call. Returns the number of calls.
fn compare(file: &Path) -> usize {
    let text = String::from_utf8(dump(file, &["--as", "text"])).unwrap();
    let lines = String::from_utf8(dump(file, &["--as", "jsonl"])).unwrap();
    let name = file.display();
    let mut text = Text { rest: &text };
    let mut calls = 0;
    for line in lines.lines() {
        let call: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}: {line}"));
        let (number, function) = (call["call"].as_u64().unwrap(), call["name"].as_str().unwrap());
        let at = if calls == 0 { text.rest.find(&format!("{number} {function}(")) } else { Some(0) };
        text.rest = &text.rest[at.unwrap_or_else(|| panic!("{name}: no call {number}"))..];
        let here = &text.rest[..text.rest.len().min(300)];
        assert!(text.take(&format!("{number} {function}(")), "{name}: {line}\nis not\n{here}");
        let arguments = call["args"].as_object().unwrap();
        let mut count = 0;
        while !text.take(")") {
            text.take(", ");
            let key = text.name().map_or_else(|| format!("argument {count}"), Into::into);
            let value = arguments.get(&key).unwrap_or_else(|| panic!("{name}: no {key} in\n{line}\nas in\n{here}"));
            assert!(text.is(value), "{name}: {key} of\n{line}\nis not that of\n{here}");
            count += 1;
        }
        assert_eq!(arguments.len(), count, "{name}: {line}\nis more than\n{here}");
        let has_result = text.take(" = ");
        assert_eq!(has_result, call.get("ret").is_some(), "{name}: {line}\nis not\n{here}");
        assert!(!has_result || text.is(&call["ret"]), "{name}: the result of\n{line}\nis not that of\n{here}");
        text.rest = text.rest.trim_start_matches(' ');
        let flags: Vec<_> = call["flags"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let remarks = text.until(&['\n']);
        assert!(remarks.is_empty() || remarks.starts_with("//"), "{name}: {remarks} after\n{line}");
        for flag in ["fake", "incomplete"] {
            assert_eq!(flags.contains(&flag), remarks.contains(flag), "{name}: {line}\nis not\n{here}");
        }
        text.take("\n");
        if let Some(frames) = call.get("backtrace").and_then(Value::as_array) {
            assert!(text.take("Backtrace:\n"));
            for _ in frames {
                text.until(&['\n']);
                text.take("\n");
            }
        }
        if flags.contains(&"end-frame") {
            assert!(text.take("\n"), "{name}: {line}");
        }
        calls += 1;
    }
    assert!(
        calls == 0 || text.rest.is_empty(),
        "{name}: {calls} calls, and then {:?}",
        &text.rest[..text.rest.len().min(300)]
    );
    calls
}

fn traces(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            traces(&path, out);
        } else if path.extension().is_some_and(|e| e == "trace") {
            out.push(path);
        }
    }
}

#[test]
fn json_lines_of_apitrace_say_what_its_text_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    traces(&root.join("tests/fixtures/apitrace"), &mut files);
    assert!(files.len() > 3);
    files.extend(
        unspool_corpus::files("apitrace", (1 << 20) - 1)
            .into_iter()
            .filter(|path| path.extension().is_some_and(|e| e == "trace")),
    );
    let calls: usize = files.iter().map(|file| compare(file)).sum();
    assert!(calls > 500, "{calls}");
}

#[test]
fn blobs_are_printed_on_request() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/apitrace");
    let mut files = Vec::new();
    traces(&root, &mut files);
    let mut blobs = 0;
    for file in files {
        let without = String::from_utf8(dump(&file, &["--as", "jsonl"])).unwrap();
        assert!(!without.contains("\"hex\""));
        for line in String::from_utf8(dump(&file, &["--as", "jsonl", "--blobs"])).unwrap().lines() {
            let call: Value = serde_json::from_str(line).unwrap();
            for (_, value) in call["args"].as_object().unwrap() {
                if let (Some(bytes), Some(hex)) = (value["bytes"].as_u64(), value["hex"].as_str()) {
                    assert_eq!(hex.len() as u64, 2 * bytes);
                    blobs += 1;
                }
            }
        }
    }
    assert!(blobs > 0);
}

#[test]
fn both_forms_of_a_value_are_printed_with_blobs() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/apitrace/values.trace");
    let shader = |more: &[&str]| {
        let text = String::from_utf8(dump(&file, &[&["--as", "jsonl"], more].concat())).unwrap();
        let calls = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut args = calls.flat_map(|call| call["args"].as_object().unwrap().values().cloned().collect::<Vec<_>>());
        args.find(|value| value.to_string().contains("ps_3_0")).unwrap()
    };
    assert_eq!(shader(&[]), "ps_3_0\ndcl t0.xy\n");
    let both = shader(&["--blobs"]);
    assert_eq!(both["text"], "ps_3_0\ndcl t0.xy\n");
    assert_eq!(both["machine"]["hex"].as_str().unwrap().len() as u64, 2 * both["machine"]["bytes"].as_u64().unwrap());
}

#[test]
fn bytes_that_are_a_text_are_dumped_as_one_too() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/trace_db/variables.trace");
    let output = Command::new(env!("CARGO_BIN_EXE_unspool")).arg("dump").arg(file).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(r#""value":"hex:646f6e65","text":"done","size":4"#));
}
