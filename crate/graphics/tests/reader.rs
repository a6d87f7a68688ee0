//! The reader passes on the calls of any pieces, with their values.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test that panics has done its work")]

use crate::common::{fixture, reader};
use unspool_formats::apitrace::encode::{FunctionSig, Value as Arg, Writer, snappy};
use unspool_graphics::{Call, CallVisitor, Value};

/// The calls of functions whose names do not begin with a prefix.
#[derive(Default)]
struct Lines {
    without: &'static str,
    lines: Vec<String>,
    most: Option<usize>,
}

impl CallVisitor for Lines {
    fn function(&mut self, name: &str) -> Option<u32> {
        (self.without.is_empty() || !name.starts_with(self.without)).then_some(name.len() as u32)
    }

    fn call(&mut self, call: &Call) {
        let arguments: Vec<String> = (0..call.len()).map(|i| text(call.argument(i))).collect();
        let flags = if call.is_incomplete { " incomplete" } else { "" };
        let result = text(call.result());
        self.lines.push(format!(
            "{}@{} {}({}) {result}{flags}",
            call.number,
            call.thread,
            call.function,
            arguments.join(" ")
        ));
    }

    fn is_full(&self) -> bool {
        self.most.is_some_and(|most| self.lines.len() >= most)
    }
}

fn text(value: Value<'_>) -> String {
    match value {
        Value::List(values) => format!("[{}]", values.map(text).collect::<Vec<_>>().join(" ")),
        Value::Bytes(bytes, len) => format!("{} of {len}", bytes.len()),
        Value::Null => "-".into(),
        Value::Text(text) => format!("{text:?}"),
        other => other.float().unwrap().to_string(),
    }
}

#[test]
fn every_kind_of_value_arrives() {
    let mut reader = reader(fixture("apitrace/values.trace"));
    let mut all = Lines::default();
    reader.pass(0..u32::MAX, &mut all).unwrap();
    assert_eq!(all.lines.len() as u64, reader.count());
    // The text dump of the fixture (values.txt) has these calls.
    let dump = String::from_utf8(fixture("apitrace/values.txt")).unwrap();
    assert_eq!(dump.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count(), all.lines.len());
    assert!(all.lines.iter().any(|line| line.contains('[')), "{:#?}", all.lines);
}

#[test]
fn pieces_add_up_and_unwanted_functions_are_left_out() {
    let draw = FunctionSig { id: 1, name: "glDrawArrays", args: &["mode", "first", "count"] };
    let uniform = FunctionSig { id: 2, name: "glUniform4fv", args: &["location", "count", "value"] };
    let mut writer = Writer::new(&[]);
    for n in 0..10_000u64 {
        writer.call(0, &draw, vec![Arg::Uint(4), Arg::Uint(0), Arg::Uint(n)], None);
        let value = Arg::Array(vec![Arg::Float(0.5), Arg::Float(n as f32)]);
        writer.call(1, &uniform, vec![Arg::Uint(1), Arg::Uint(1), value], None);
    }
    let mut reader = reader(snappy(writer.stream(), 100_000));
    assert_eq!((reader.count(), reader.piece_of(0), reader.first_of(0)), (20_000, 0, 0));
    let mut whole = Lines::default();
    reader.pass(0..u32::MAX, &mut whole).unwrap();
    assert_eq!(whole.lines[0], "0@0 12(4 0 0) -");
    assert_eq!(whole.lines[19_999], "19999@1 12(1 1 [0.5 9999]) -");
    let mut parts = Lines::default();
    assert!(reader.pieces() > 3);
    for piece in 0..reader.pieces() {
        assert_eq!(parts.lines.len() as u64, reader.first_of(piece));
        assert_eq!(reader.piece_of(reader.first_of(piece)), piece);
        reader.pass(piece..piece + 1, &mut parts).unwrap();
    }
    assert_eq!(whole.lines, parts.lines);
    let mut some = Lines { without: "glU", most: Some(7), ..Lines::default() };
    reader.pass(1..u32::MAX, &mut some).unwrap();
    assert_eq!(some.lines.len(), 7);
    assert!(some.lines.iter().all(|line| line.contains("@0 12(4 0 ")));
}

#[test]
fn a_trace_that_was_cut_ends_with_its_incomplete_calls() {
    let mut reader = reader(fixture("apitrace/cut.trace"));
    let mut all = Lines::default();
    reader.pass(0..u32::MAX, &mut all).unwrap();
    assert!(all.lines.last().is_some_and(|line| line.ends_with(" incomplete")), "{:#?}", all.lines.last());
}
