//! Schemas of block databases. Nothing that one computes is computed when the database is read: an
//! expression may take hours within one row, where nothing interrupts SQLite.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rusqlite::functions::FunctionFlags;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};
use unspool_formats::open_row_records;
use unspool_formats::rvn::wire::TABLES;
use unspool_trace::rows::{Cell, Shape};
use unspool_trace::{EventBatch, Locator, Query, Rows};

use crate::choices::Choices;
use crate::rows::{open, pull};

/// Schemas with each kind of thing that SQLite computes. `cost` counts its calls.
pub(crate) const SCHEMAS: &[&str] = &[
    "create table blocks(pc, instruction_data, instruction_count, mode);\
     create table execution(transition_id int8 primary key, block_id int4) without rowid;\
     create view interrupts as select cost(1) as transition_id, 2 as pc, 3 as mode, 4 as number, 5 as is_hw, 6 as related_instruction_block_id",
    "create table blocks(pc int8, instruction_data blob as (cost(pc)) virtual, instruction_count int2, mode int1);\
     create table execution(transition_id integer primary key, block_id int4 check(cost(block_id)))",
    "create table blocks(pc int8, instruction_data blob, instruction_count int2 as (cost(pc)) stored, mode int1);\
     create table execution(transition_id, block_id)",
    "create table blocks(pc, instruction_data, instruction_count, mode);\
     create view execution as select cost(1) as transition_id, cost(2) as block_id",
    "create table _metadata(metadata_version int, type int as (cost(1)), format_version, tool_name, tool_version, tool_info, generation_date);\
     create table blocks(pc, instruction_data, instruction_count, mode default (cost(0)));\
     create table execution(transition_id, block_id);\
     create index costly on execution(cost(transition_id), transition_id) where cost(block_id)>0",
    "create table blocks(pc, instruction_data, instruction_count, mode) strict;\
     create table blocks(pc any, instruction_data any, instruction_count any, mode any) strict;\
     create table \"EXECUTION\"([transition_id] int8 primary key collate nocase, 'block_id' int4);\
     create table instruction_indices(block_id, instruction_id, instruction_index, primary key(block_id, instruction_id)) without rowid",
];

/// Bytes of a statement at most.
const MOST_BYTES: i32 = 10_000;
/// Rows that are inserted into each table at most.
const MOST_ROWS: i64 = 3;
/// Queries of one decoder at most.
const MOST_QUERIES: u32 = 1000;

/// Reads a database with the schema that the text describes. It is read or refused, and none of the
/// expressions of the schema is evaluated.
pub(crate) fn read(text: &[u8]) {
    let mut choices = Choices::of(text);
    let calls = Arc::new(AtomicU32::new(0));
    let connection = database(&String::from_utf8_lossy(text), &mut choices, &calls).expect("SQLite in memory");
    calls.store(0, Ordering::Relaxed);

    let mut decoder = open();
    let (mut batch, mut queries) = (EventBatch::with_capacity(64), 0);
    let answer = |query: &Query| rows(&connection, query);
    let is_open = pull(
        &mut *decoder,
        |query| {
            queries += 1;
            assert!(queries < MOST_QUERIES, "asks for ever");
            answer(query)
        },
        || 16,
        |decoder| {
            batch.clear();
            decoder.work(&mut batch).map_err(drop)
        },
    );
    assert_eq!(calls.load(Ordering::Relaxed), 0, "computes what the schema says");
    // Records and details are read of databases that have opened.
    if !is_open {
        return;
    }
    let mut reader = open_row_records("rvn").expect("a reader");
    while let Some(query) = reader.want() {
        if reader.push(&mut answer(&query)).is_err() {
            return;
        }
    }
    let wanted = 0..reader.lane().rows.min(4);
    reader.queries(wanted).iter().for_each(|query| drop(answer(query)));
    let locator = Locator::from_bits(choices.extreme());
    reader.details_queries(locator).iter().for_each(|query| drop(answer(query)));
    assert_eq!(calls.load(Ordering::Relaxed), 0, "computes what the schema says, for records");
}

/// A database with the tables, views, indices and triggers of a script, as far as SQLite takes its
/// statements, and with some rows. `calls` counts the calls of its function `cost`.
fn database(script: &str, choices: &mut Choices, calls: &Arc<AtomicU32>) -> Result<Connection> {
    let connection = Connection::open_in_memory()?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, 100_000)?;
    connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, MOST_BYTES)?;
    // As those functions of SQLite are that a schema may call.
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    let count = Arc::clone(calls);
    connection.create_scalar_function("cost", 1, flags, move |arguments| {
        count.fetch_add(1, Ordering::Relaxed);
        arguments.get::<i64>(0)
    })?;
    for statement in script.split_inclusive(';').filter(|statement| is_quick(statement)) {
        let _ = connection.execute_batch(statement);
    }
    for (table, columns) in TABLES {
        for row in 0..MOST_ROWS {
            let numbers: Vec<_> = (0..columns as i64).map(|column| (row * 10 + column).to_string()).collect();
            let count = 1 + choices.index(columns);
            let _ = connection.execute_batch(&format!("insert into {table} values({})", numbers.join(",")));
            let _ = connection.execute_batch(&format!("insert into {table} values({})", numbers[..count].join(",")));
        }
    }
    // A schema may call a view a table. Another version has SQLite read it once more.
    if choices.below(2) == 0 {
        connection.execute_batch(
            "pragma writable_schema=on; update sqlite_schema set type='table' where type='view'; pragma schema_version=1000",
        )?;
    }
    // As the program opens databases.
    connection.execute_batch("pragma writable_schema=on; pragma trusted_schema=off")?;
    Ok(connection)
}

/// Whether a statement creates something, without filling it: that may take long.
fn is_quick(statement: &str) -> bool {
    let mut words = statement.split_ascii_whitespace().map(str::to_ascii_lowercase);
    let is_create = words.next().as_deref() == Some("create");
    match words.next().as_deref() {
        Some("table") => is_create && !words.any(|word| word.contains("select") || word == "with"),
        Some("view" | "index") => is_create,
        _ => false,
    }
}

/// The rows of a query. None where SQLite refuses it, as the page and the command then end.
fn rows(connection: &Connection, query: &Query) -> Rows {
    let mut rows = Rows::default();
    let is_numbers = matches!(query.shape, Shape::Ints { .. });
    rows.clear(if is_numbers { query.select.len() } else { 0 });
    let Ok(mut statement) = connection.prepare(&query.sql()) else { return rows };
    let columns = statement.column_count();
    let Ok(mut all) = statement.query([]) else { return rows };
    while let Ok(Some(row)) = all.next() {
        let value = |column| row.get_ref(column).unwrap_or(ValueRef::Null);
        if is_numbers {
            (0..).zip(&mut rows.ints).for_each(|(i, column)| column.push(value(i).as_i64().unwrap_or(0)));
        } else {
            rows.cells.push((0..columns).map(|i| cell(value(i))).collect());
        }
    }
    rows
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Int(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Cell::Blob(bytes.to_vec()),
    }
}
