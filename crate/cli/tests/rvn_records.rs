//! The records of block databases, read anywhere through SQLite: they say the same as the dump.

use rusqlite::Connection;
use unspool_formats::FORMATS;
use unspool_formats::rvn::encode::Writer;
use unspool_formats::rvn::open_records;
use unspool_formats::rvn::wire::{Block, Interrupt, Metadata, Mode, SCHEMA};
use unspool_trace::records::{self, Row, RowRecords};
use unspool_trace::rows::{Cell, PAGE, Query};
use unspool_trace::{Field, OpenOptions, Opened, Rows, Value};

use crate::sqlite;
use std::collections::HashMap;
use std::ops::Range;

use crate::sqlite::Disassembler;

/// A database in memory with these tables.
fn database(writer: &mut Writer) -> Connection {
    let mut db = Connection::open_in_memory().unwrap();
    db.execute_batch(&SCHEMA.join("\n")).unwrap();
    let transaction = db.transaction().unwrap();
    for insert in writer.take() {
        let mut statement = transaction.prepare(&insert.sql).unwrap();
        for row in insert.rows {
            let row = row.into_iter().map(|cell| match cell {
                Cell::Int(n) => rusqlite::types::Value::Integer(n),
                Cell::Text(text) => text.into(),
                Cell::Blob(bytes) => bytes.into(),
                Cell::Real(n) => n.into(),
                Cell::Null => rusqlite::types::Value::Null,
            });
            statement.execute(rusqlite::params_from_iter(row)).unwrap();
        }
    }
    transaction.commit().unwrap();
    db
}

/// The rows of a query.
fn rows_of(db: &Connection, query: &Query) -> Rows {
    let mut out = Rows::default();
    sqlite::read_rows(db, query, &mut out).unwrap();
    out
}

fn reader(db: &Connection) -> Box<dyn RowRecords> {
    let mut reader = open_records();
    reader.set_instructions(Box::new(Disassembler));
    assert_eq!(reader.lane().rows, 0);
    while let Some(query) = reader.want() {
        reader.push(&mut rows_of(db, &query)).unwrap();
    }
    reader
}

/// These rows, after checking that no query scans a table.
fn visit(db: &Connection, reader: &dyn RowRecords, rows: Range<u64>) -> Vec<Row> {
    let queries = reader.queries(rows.clone());
    for query in &queries {
        let sql = format!("explain query plan {}", query.sql());
        let plan: String = db.query_row(&sql, [], |row| row.get(3)).unwrap();
        assert!(plan.starts_with("SEARCH") && plan.contains("PRIMARY KEY"), "{}: {plan}", query.sql());
    }
    let found: Vec<Rows> = queries.iter().map(|query| rows_of(db, query)).collect();
    let mut all = records::Rows::new(0, 0..u64::MAX, usize::MAX, usize::MAX);
    reader.visit(rows, &found, &mut all);
    all.into_rows()
}

/// The records of the dump.
fn dump(db: &Connection) -> Vec<serde_json::Value> {
    let format = FORMATS.iter().find(|format| format.id == "rvn").unwrap();
    let Opened::Rows(mut decoder) = (format.open)(&[], OpenOptions::default()).unwrap() else { panic!() };
    let mut text = String::new();
    loop {
        let mut more = true;
        while more {
            let mut portion = String::new();
            more = decoder.print(&mut unspool_trace::Part::default(), &mut portion).unwrap();
            text.push_str(&portion);
        }
        let Some(query) = decoder.want(PAGE) else { break };
        decoder.push(&mut rows_of(db, &query), false).unwrap();
    }
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn field(name: &'static str, value: Value) -> Field {
    Field::new(name, value)
}

fn symbol(name: &str, value: Value) -> Value {
    Value::Symbol { name: name.into(), value: value.into() }
}

/// The transitions of a trace according to its dump and its blocks: name and fields.
fn expected(db: &Connection) -> Vec<(u64, String, Vec<Field>)> {
    let mut statement = db.prepare("select rowid,pc,instruction_data,mode,instruction_count from blocks").unwrap();
    let blocks: HashMap<i64, (i64, Vec<u8>, i64, u64)> = statement
        .query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?, row.get::<_, i64>(4)? as u64))))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut all: Vec<(u64, String, Vec<Field>)> = Vec::new();
    let mut interrupts = HashMap::new();
    for line in dump(db) {
        if line["interrupt"].is_object() {
            interrupts.insert(line["interrupt"]["transition"].as_u64().unwrap(), line["interrupt"].clone());
            continue;
        }
        let [begin, end] = ["begin", "end"].map(|key| line[key].as_u64().unwrap());
        let id = line["block"].as_i64().unwrap();
        for transition in begin..end {
            let mut name = String::new();
            let mut fields = Vec::new();
            match blocks.get(&id) {
                None => {
                    name = "missing block".into();
                    fields.push(field("block", Value::Id(id)));
                }
                Some((_, data, ..)) if id == 1 && data == b"interrupt" => {
                    name = "no instruction".into();
                    fields.push(field("block", Value::Id(id)));
                }
                Some((pc, data, mode, count)) => {
                    let bits = [Some(64), Some(32), Some(16), None][(*mode).clamp(0, 3) as usize];
                    let starts = bits.map_or(vec![], |bits| unspool_disassembler::starts(bits, *pc as u64, data));
                    let place = (transition - begin) as usize;
                    let start = starts.get(place).map(|start| *start as usize);
                    if let Some(start) = start {
                        let end = starts.get(place + 1).map_or(data.len(), |end| *end as usize);
                        let address = (*pc as u64).wrapping_add(start as u64);
                        let isa = ["x86-64", "x86-32", "x86-16"][*mode as usize];
                        fields.push(field("address", Value::Hex(address)));
                        let code = Value::Code { isa, address, bytes: data[start..end].into() };
                        fields.push(field("instruction", code));
                    }
                    fields.push(field("block", Value::Id(id)));
                    if start.is_some() {
                        fields.push(field("mode", Value::Text(format!("{} bit", bits.unwrap()))));
                    }
                    let ran = end - begin;
                    if transition + 1 == end && ran < *count {
                        let text = format!("left after {ran} of {count} instructions");
                        fields.push(field("partial", Value::Text(text)));
                    }
                }
            }
            if let Some(interrupt) = interrupts.get(&transition) {
                let number = interrupt["number"].as_i64().unwrap();
                name = format!("{} ({number})", if number == 14 { "page fault" } else { "debug" });
                let pc = interrupt["pc"].as_u64().unwrap();
                let related = match interrupt["related_bytes"].as_str() {
                    None => Value::Null,
                    Some(hex) => {
                        let digits =
                            (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap());
                        Value::Code { isa: "x86-64", address: pc, bytes: digits.collect() }
                    }
                };
                let is_hw = interrupt["is_hw"].as_bool().unwrap();
                let parts = vec![
                    field("transition", Value::U64(transition)),
                    field("pc", Value::Hex(pc)),
                    field("number", symbol(&name, Value::I64(number))),
                    field("mode", symbol("64 bit", Value::I64(interrupt["mode"].as_i64().unwrap()))),
                    field("is_hw", symbol(&is_hw.to_string(), Value::U64(is_hw.into()))),
                    field("related_bytes", related),
                ];
                fields.push(field("interrupt", Value::Tree(parts)));
            }
            all.push((end, name, fields));
        }
    }
    all
}

/// Checks all transitions, and those of `ranges`. Returns them.
fn check(db: &Connection, ranges: &[Range<u64>]) -> Vec<Row> {
    let reader = reader(db);
    let expected = expected(db);
    let lane = reader.lane();
    let rows = expected.len() as u64;
    assert_eq!((lane.rows, lane.sorted, lane.until, lane.pieces.len()), (rows, true, rows.saturating_sub(1), 0));
    let all = visit(db, reader.as_ref(), 0..u64::MAX);
    assert_eq!(all.len(), expected.len());
    for (number, (row, (end, name, fields))) in (0..).zip(all.iter().zip(&expected)) {
        assert_eq!((row.row, row.x, row.lane, Some(row.track)), (number, number, 0, lane.track));
        assert_eq!((row.locator.position(), &row.name, &row.fields), (*end, name, fields), "transition {number}");
    }
    for range in ranges {
        let [from, to] = [range.start, range.end].map(|row| row.min(lane.rows) as usize);
        assert!(visit(db, reader.as_ref(), range.clone()) == all[from..to.max(from)], "{range:?}");
    }
    all
}

fn metadata() -> Metadata {
    let text = String::from;
    let [tool, tool_version, tool_info] = ["test", "1.2.3", "by hand"].map(text);
    Metadata { version: 1, format: text("1.0.0"), tool, tool_version, tool_info, date: 1_700_000_000 }
}

/// Calls, a fault in the middle of a block, a block of 32 bits, and one of an unknown mode.
fn small() -> Writer {
    let mut writer = Writer::new(&metadata());
    let block = |pc, data: &[u8], count, mode| Block { pc, data: data.into(), count, mode };
    let caller = writer.block(&block(0x1000, &[0x90, 0xe8, 0xfa, 0x0f, 0, 0], 2, Mode::Bits64), &[1]);
    let callee = writer.block(&block(0x2000, &[0x90, 0x48, 0x8b, 0x07, 0xc3], 3, Mode::Bits64), &[1, 4]);
    let handler = writer.block(&block(u64::MAX - 0xfff, &[0x90, 0x48, 0xcf], 2, Mode::Bits32), &[1]);
    let strange = writer.block(&block(0x1006, &[0xeb, 0xfe], 1, Mode::Unknown(7)), &[]);
    writer.run(caller, 2);
    writer.run(callee, 3);
    // More transitions than instructions.
    writer.run(caller, 4);
    writer.run(callee, 1);
    let fault = Interrupt { transition: 0, pc: 0x2001, mode: Mode::Bits64, number: 14, is_hw: false, related: callee };
    writer.interrupt(fault);
    writer.run(handler, 2);
    writer.interrupt(Interrupt { number: 1, is_hw: true, related: 0, ..fault });
    writer.run(strange, 1);
    writer.run(99, 2);
    writer.run(1, 1);
    writer
}

#[test]
fn every_transition_is_a_record() {
    let db = database(&mut small());
    let ranges: Vec<_> = (0..20).flat_map(|from| (from..20).map(move |to| from..to)).collect();
    let rows = check(&db, &ranges);
    let field = |row: usize, name: &str| rows[row].fields.iter().find(|f| f.name == name).map(|f| f.value.clone());
    assert_eq!(rows.len(), 18);
    assert_eq!((field(3, "address"), field(8, "address")), (Some(Value::Hex(0x2001)), None));
    assert_eq!(rows[10].name, "page fault (14)");
    assert_eq!(field(12, "address"), Some(Value::Hex(u64::MAX - 0xffe)));
}

#[test]
fn older_and_damaged_tables_have_the_records_of_their_dump() {
    for sql in [
        "drop table interrupts",
        "drop table interrupts; drop table instruction_indices",
        "drop table _metadata",
        "update blocks set instruction_data=cast('x' as blob) where rowid=1",
        "delete from blocks where rowid=3",
        "insert into execution values(-5, 2)",
        "insert into interrupts values(4, 5, 0, 1, 1, 0)",
        "delete from execution",
    ] {
        let db = database(&mut small());
        db.execute_batch(sql).unwrap();
        check(&db, &[0..5, 7..12, 17..18]);
    }
}

#[test]
fn more_rows_than_a_page_are_read_in_stretches() {
    let mut writer = Writer::new(&metadata());
    let data: Vec<u8> = vec![0x90; 5];
    let block = writer.block(&Block { pc: 0x1000, data, count: 5, mode: Mode::Bits64 }, &[1, 2, 3, 4]);
    for i in 0..50_000u64 {
        writer.run(block, 1 + i % 5);
        if i % 1000 == 7 {
            let interrupt =
                Interrupt { transition: 0, pc: 0x1000, mode: Mode::Bits64, number: 14, is_hw: true, related: 0 };
            writer.interrupt(interrupt);
        }
    }
    let db = database(&mut writer);
    let page = PAGE as u64;
    check(&db, &[page - 3..page + 3, 10..2 * page + 10, 150_000..150_001, 200_000..200_000]);
}

#[test]
fn a_visitor_that_is_full_ends_the_visit() {
    let db = database(&mut small());
    let reader = reader(&db);
    let found: Vec<Rows> = reader.queries(0..18).iter().map(|query| rows_of(&db, query)).collect();
    let mut three = records::Rows::new(0, 0..3, usize::MAX, usize::MAX);
    reader.visit(0..18, &found, &mut three);
    assert_eq!(three.len(), 3);
}

#[test]
fn details_are_those_of_the_run() {
    let db = database(&mut small());
    let reader = reader(&db);
    for row in visit(&db, reader.as_ref(), 0..u64::MAX) {
        let queries = reader.details_queries(row.locator);
        let found: Vec<Rows> = queries.iter().map(|query| rows_of(&db, query)).collect();
        let details = reader.details(row.locator, &found);
        let value = |fields: &[Field], name: &str| fields.iter().find(|f| f.name == name).map(|f| f.value.clone());
        assert_eq!(value(&details.fields, "Block"), value(&row.fields, "block"));
        let [Some(Value::U64(first)), Some(Value::U64(last))] =
            ["First transition", "Last transition"].map(|name| value(&details.fields, name))
        else {
            panic!("{details:?}")
        };
        assert!((first..=last).contains(&row.row));
        if let Some(Value::Hex(address)) = value(&row.fields, "address") {
            let Some(Value::Tree(code)) = value(&details.fields, "Code") else { panic!("{details:?}") };
            assert_eq!(value(&code, &format!("{address:#x}")), value(&row.fields, "instruction"));
        }
        let is_interrupt = row.fields.iter().any(|field| field.name == "interrupt");
        assert_eq!(value(&details.fields, "Interrupt").is_some(), is_interrupt);
    }
}
