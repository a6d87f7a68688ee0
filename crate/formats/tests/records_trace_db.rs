//! The record pass of trace-db: it says the same as the dump, the details and the timeline,
//! wherever it begins.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use serde_json::Value as Json;
use unspool_records::memory::read_all;
use unspool_trace::records::{Row, Rows};
use unspool_trace::{EventKind, Field, Text, Value};

use crate::common;
use crate::common::{format, options};
use crate::records_common::{bytes_of, corpus, full_pass, tree, value};
use unspool_formats::trace_db::encode::Writer;
use unspool_formats::trace_db::wire::{Layout, Number, StatementId, Tables, Type};

/// The dump of a file: names and types, and a line for each complete point.
fn lines(file: &[u8]) -> Vec<Json> {
    let mut dump = (format("trace-db").text)(file, Text::Jsonl { blobs: true }, options(file)).unwrap().unwrap();
    let (mut text, mut rest) = (String::new(), file);
    let result = loop {
        match dump.push(rest, &mut text) {
            Ok(progress) if progress.used > 0 => rest = &rest[progress.used..],
            result => break result,
        }
    };
    if result.is_ok() {
        // Fails if the header is incomplete.
        let _ = dump.end(rest, &mut text);
    }
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The value of a variable according to the dump. `format` is that of its type.
fn variable(json: &Json, format: u64, found: Option<&Value>) -> Value {
    let v = &json["value"];
    match format {
        0 => Value::U64(v.as_u64().unwrap()),
        1 => Value::I64(v.as_i64().unwrap()),
        // JSON has no infinite numbers, and a number that is not one does not equal itself.
        2 => match (v.as_f64(), found) {
            (None, Some(Value::F64(n))) if !n.is_finite() => Value::Text("not finite".into()),
            (n, _) => Value::F64(n.unwrap()),
        },
        3 => Value::Hex(v.as_u64().unwrap()),
        _ => {
            let bytes = bytes_of(v.as_str().unwrap().strip_prefix("hex:").unwrap());
            Value::Bytes { bytes, len: json["size"].as_u64().unwrap() }
        }
    }
}

/// The fields of a point agree with its line of the dump.
fn agrees_with_dump(row: &Row, line: &Json, formats: &[(String, u64)]) {
    let statement = match value(&row.fields, "statement").unwrap() {
        Value::Null => None,
        Value::Id(id) => Some(*id as u64),
        Value::Symbol { name, value } => {
            let Value::Hex(bits) = **value else { panic!("{value:?}") };
            let id = StatementId::from_bits(bits);
            assert_eq!(*name, format!("{}:{}", id.file().unwrap(), id.place()));
            Some(bits)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(statement, line["statement"].as_u64());
    let variables = line["vars"].as_array().unwrap();
    let found = tree(&row.fields, "vars");
    assert!(value(&row.fields, "vars").is_some());
    assert_eq!(found.len(), variables.len());
    for (found, json) in found.iter().zip(variables) {
        let name = json["name"].as_str().unwrap();
        assert_eq!(found.name, if name.is_empty() { "(no name)" } else { name });
        // Types may share a name.
        let of_type = json["type"].as_str().unwrap();
        let mut formats = formats.iter().filter(|(name, _)| name == of_type).map(|(_, format)| *format);
        let shown = match &found.value {
            Value::F64(n) if !n.is_finite() => &Value::Text("not finite".into()),
            other => other,
        };
        let is_number = json["value"].is_number() || !json["value"].as_str().unwrap_or("").starts_with("hex:");
        let matches = |format: u64| (format < 4) == is_number && variable(json, format, Some(&found.value)) == *shown;
        assert!(formats.any(matches), "{found:?} {json}");
    }
    let numbers = |json: &Json| json.as_array().unwrap().iter().map(|n| Value::U64(n.as_u64().unwrap())).collect();
    let auxiliary: Vec<Value> = numbers(&line["aux"]);
    assert_eq!(value(&row.fields, "aux"), Some(&Value::List(auxiliary)).filter(|list| **list != Value::List(vec![])));
    let sizes = line["buffer_sizes"].as_array().unwrap().iter().map(|pair| Field {
        name: format!("{:#x}", pair[0].as_u64().unwrap()).into(),
        value: Value::U64(pair[1].as_u64().unwrap()),
    });
    assert_eq!(tree(&row.fields, "buffer_sizes"), sizes.collect::<Vec<_>>());
}

/// The fields of a point agree with its details.
fn agrees_with_details(row: &Row, details: &[Field]) {
    let statement = match value(&row.fields, "statement").unwrap() {
        Value::Symbol { value, .. } => value,
        other => other,
    };
    assert_eq!(value(details, "Statement"), Some(statement));
    let shown = tree(details, "Variables");
    let found = tree(&row.fields, "vars");
    assert_eq!(shown.len(), found.len().min(2000));
    for (found, shown) in found.iter().zip(shown) {
        let Value::Tree(parts) = &shown.value else { panic!("{shown:?}") };
        let shown_value = match value(parts, "Value").unwrap() {
            Value::Symbol { value, .. } => value,
            other => other,
        };
        assert_eq!(found.name, shown.name);
        assert_eq!(format!("{:?}", found.value), format!("{shown_value:?}"));
    }
    assert_eq!(value(&row.fields, "aux"), value(details, "Auxiliary"));
    let sizes = tree(&row.fields, "buffer_sizes").iter().map(|field| match &field.value {
        Value::U64(0) => Field { name: field.name.clone(), value: Value::Text("freed".into()) },
        _ => field.clone(),
    });
    assert_eq!(tree(details, "Buffer sizes"), sizes.collect::<Vec<_>>());
}

/// Checks a file against the timeline, the dump and, for one in `every` point, the details. Returns
/// the records.
fn check(file: &[u8], portions: &[usize], every: usize) -> Vec<Row> {
    let (all, decoder) = common::decode("trace-db", file, &[usize::MAX], 1 << 16);
    let reader = common::reader("trace-db", decoder.as_ref());
    let rows = full_pass(reader.as_ref(), file, portions);
    assert_eq!(rows.len() as u64, all.records);
    let lines = lines(file);
    let Some((head, points)) = lines.split_first() else { return rows };
    let types = head["types"].as_array().unwrap().iter();
    let formats: Vec<_> =
        types.map(|t| (t["name"].as_str().unwrap().to_owned(), t["format"].as_u64().unwrap())).collect();
    // The dump has complete points only.
    let incomplete = rows.len() - points.len();
    assert!(incomplete <= 1);
    let events: std::collections::HashMap<_, _> = all
        .events
        .iter()
        .filter(|(kind, ..)| *kind == EventKind::Instant)
        .map(|(_, track, time, name, locator)| ((*track, *locator), (*time, *name)))
        .collect();
    for (i, row) in rows.iter().enumerate() {
        let (time, name) = events[&(row.track, row.locator)];
        assert_eq!((time, all.names[name as usize].as_str()), (row.x, row.name.as_str()));
        match points.get(i) {
            Some(line) => agrees_with_dump(row, line, &formats),
            None => assert!(row.name.ends_with(" (incomplete)")),
        }
        if i % every == 0 {
            let (details, _) = common::details(file, reader.as_ref(), row.locator);
            agrees_with_details(row, &details.unwrap().fields);
        }
    }
    rows
}

/// A type of each format, and names for them and for variables.
fn tables() -> Tables {
    let names = ["int", "unsigned", "double", "float", "*char", "string", "x", "", "α"];
    let types = [(1, 4), (0, 8), (2, 8), (2, 4), (3, 8), (4, 0)];
    let types = (0..).zip(types).map(|(name, (format, size))| Type { name, format, size });
    Tables::new(names.map(str::as_bytes), types)
}

/// A trace of `count` points.
fn file(layout: Layout, count: u64) -> Vec<u8> {
    let mut w = Writer::new(layout, tables());
    for i in 0..count {
        if i % 3 > 0 {
            // Statements of two files, and without one. The last of several counts.
            w.statement(1);
            let id =
                if i % 2 == 0 { StatementId::in_file((i % 4) as u32, i % 7) } else { StatementId::from_bits(i % 5) };
            w.statement(id);
        }
        w.number(6, 0, Number::Signed(-(i as i64)));
        w.number(7, 1, Number::Unsigned(i));
        if i % 5 == 0 {
            w.buffer_size(0x1000, i);
            w.number(8, 4, Number::Pointer(0x1001));
            w.blob(6, 5, &i.to_le_bytes()[..(i % 8) as usize]);
            w.number(6, 2, Number::Float(0.1));
            w.number(6, 3, Number::Float(0.1));
            w.number(6, 2, Number::Float(f64::NAN));
            w.auxiliary(u64::MAX);
            w.auxiliary(i);
            w.buffer_size(0x1000, 0);
        }
        w.end();
    }
    w.finish()
}

#[test]
fn points_have_their_variables_by_name() {
    for layout in [Layout::Wide, Layout::Narrow] {
        let rows = check(&file(layout, 20), &[1, 7, 64 * 1024], 1);
        assert_eq!(rows.len(), 20);
        assert_eq!(rows[0].name, "no statement");
        let names: Vec<_> = tree(&rows[5].fields, "vars").iter().map(|field| field.name.as_ref()).collect();
        assert_eq!(names, ["x", "(no name)", "α", "x", "x", "x", "x"]);
        let blob = &tree(&rows[5].fields, "vars")[3].value;
        assert_eq!(*blob, Value::Bytes { bytes: vec![5, 0, 0, 0, 0], len: 5 });
        let sizes: Vec<_> = tree(&rows[5].fields, "buffer_sizes").iter().map(|f| f.value.clone()).collect();
        assert_eq!(sizes, [Value::U64(5), Value::U64(0)]);
    }
    let rows = check(&file(Layout::Wide, 20), &[], 1);
    assert!(rows.iter().any(|row| row.name == "statement 2:0"), "{:?}", rows.iter().map(|row| &row.name));
}

#[test]
fn long_files_have_pieces() {
    let file = file(Layout::Wide, 10_000);
    let rows = check(&file, &[997], 50);
    assert_eq!(rows.len(), 10_000);
    let (_, decoder) = common::decode("trace-db", &file, &[usize::MAX], 1 << 16);
    let reader = common::reader("trace-db", decoder.as_ref());
    assert_eq!(reader.lanes()[0].pieces.len(), 3);
}

#[test]
fn a_long_blob_arrives_in_portions() {
    let mut w = Writer::new(Layout::Wide, tables());
    let blob: Vec<u8> = (0..700_000u32).map(|i| (i / 7) as u8).collect();
    for _ in 0..3 {
        w.blob(6, 5, &blob);
        w.number(8, 0, Number::Signed(1));
        w.end();
    }
    let file = w.finish();
    let (_, decoder) = common::decode("trace-db", &file, &[usize::MAX], 1 << 16);
    let rows = full_pass(common::reader("trace-db", decoder.as_ref()).as_ref(), &file, &[1000, 64 * 1024]);
    assert_eq!(rows.len(), 3);
    for row in rows {
        assert_eq!(tree(&row.fields, "vars")[0].value, Value::Bytes { len: blob.len() as u64, bytes: blob.clone() });
    }
}

#[test]
fn truncated_and_damaged_files_have_as_many_records_as_the_timeline() {
    for layout in [Layout::Wide, Layout::Narrow] {
        let whole = file(layout, 7);
        let header = file(layout, 0).len();
        let starts: Vec<u64> = check(&whole, &[], 1).iter().map(|row| row.locator.position()).collect();
        for len in header..whole.len() {
            let rows = check(&whole[..len], &[1], 1);
            let complete = starts.iter().skip(1).filter(|start| **start <= len as u64).count();
            let is_complete = |row: &Row| !row.name.ends_with(" (incomplete)");
            assert_eq!(rows.iter().filter(|row| is_complete(row)).count(), complete);
        }
        for at in header..whole.len() {
            for byte in [0, 2, 5, 0xff] {
                let mut file = whole.clone();
                file[at] = byte;
                check(&file, &[13], 1);
            }
        }
    }
}

#[test]
fn an_incomplete_point_is_the_last_record() {
    let mut w = Writer::new(Layout::Wide, tables());
    w.statement(3);
    w.end();
    w.statement(4);
    w.number(6, 0, Number::Signed(-7));
    // An entry that does not exist.
    w.raw(&[9]);
    w.end();
    let rows = check(&w.finish(), &[1, 7], 1);
    assert_eq!(
        rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(),
        ["statement 3", "statement 4 (incomplete)"]
    );
    assert_eq!(tree(&rows[1].fields, "vars")[0].value, Value::I64(-7));
}

#[test]
fn a_file_that_became_shorter_ends_the_pass() {
    let file = file(Layout::Wide, 9);
    let (_, decoder) = common::decode("trace-db", &file, &[usize::MAX], 1 << 16);
    let reader = common::reader("trace-db", decoder.as_ref());
    let mut rows = Rows::new(0, 0..u64::MAX, usize::MAX, usize::MAX);
    read_all(reader.pass(0..9).as_mut(), &file[..file.len() - 3], 100, &mut rows).unwrap();
    let rows = rows.into_rows();
    assert_eq!((rows.len(), rows[8].name.ends_with("(incomplete)")), (9, true));
}

#[test]
fn files_of_the_corpus_agree_with_the_dump() {
    for (name, file) in corpus("trace-db", "trace", 6_000_000) {
        let head = &file[..file.len().min(64 * 1024)];
        if (format("trace-db").open)(head, options(&file)).is_ok() {
            eprintln!("{name}");
            check(&file, if file.len() < 30_000 { &[1, 7, 64 * 1024] } else { &[64 * 1024] }, 499);
        }
    }
}
