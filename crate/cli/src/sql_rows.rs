//! One question of SQL in a process of its own, which `unspool mcp` starts and can end.
//!
//! Nothing interrupts SQLite within one function: `instr` of two long texts runs for hours. It is
//! no command for users, so neither the help nor the manual has it.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, Connection, Row};
use serde_json::{Map, Value, json};

use crate::sql;
use crate::sqlite::attach;
use crate::{Failure, console};

/// The word that stands in place of a command.
pub(crate) const NAME: &str = "sql-rows";
/// Longest text or blob of a row, in bytes.
const LONGEST_VALUE: i32 = 64 << 20;
/// Most bytes of memory that SQLite takes for a question.
const MEMORY: &str = "PRAGMA hard_heap_limit = 536870912";
/// Most bytes of a statement.
const LONGEST_STATEMENT: u64 = 1 << 20;
/// Most characters of a text in an answer, and bytes of a blob in hexadecimal: fewer than the
/// server cuts, so that its length in bytes stays.
const LONGEST_SHOWN: usize = 150;
/// Most characters of the head of a column. The server cuts keys that are longer than this and a
/// number, by which equal heads are told apart.
const LONGEST_HEAD: usize = 100;
/// Bytes of rows after which the others are left out.
const ENOUGH: usize = 48 << 10;

/// Answers the question of SQL on standard input from a file of tables: one JSON object a row, and
/// an object that says whether there are more.
#[derive(clap::Parser)]
struct SqlRows {
    /// The tables of a trace.
    tables: PathBuf,
    /// The database that the trace is in, as the schema `rvn`.
    #[arg(long, value_name = "FILE")]
    rvn: Option<PathBuf>,
    /// Most rows.
    #[arg(long, value_name = "ROWS")]
    limit: usize,
}

/// Answers with the arguments of the process. Returns its exit status.
pub(crate) fn main(args: &[OsString]) -> ExitCode {
    let what = SqlRows::parse_from(args.iter().skip(1));
    match run(&what) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error.say();
            ExitCode::FAILURE
        }
    }
}

fn run(what: &SqlRows) -> Result<(), Failure> {
    let mut text = String::new();
    io::stdin().lock().take(LONGEST_STATEMENT).read_to_string(&mut text)?;
    let answer = open(what).and_then(|connection| rows(&connection, &text, what.limit));
    let mut out = console::data();
    match answer {
        Ok((rows, is_cut)) => {
            for row in rows {
                writeln!(out, "{row}")?;
            }
            writeln!(out, "{}", json!({ "more": is_cut }))?;
        }
        Err(error) => writeln!(out, "{}", json!({ "error": sql::wrong(&error, &text).to_string() }))?,
    }
    Ok(out.flush()?)
}

fn open(what: &SqlRows) -> rusqlite::Result<Connection> {
    let connection = sql::connect(&what.tables)?;
    connection.execute_batch(MEMORY)?;
    if let Some(rvn) = &what.rvn {
        attach(&connection, rvn, "rvn")?;
    }
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
    Ok(connection)
}

/// The rows of one statement, at most `most` and as many as fit into an answer, and whether there
/// are more.
fn rows(connection: &Connection, text: &str, most: usize) -> rusqlite::Result<(Vec<String>, bool)> {
    let mut batch = Batch::new(connection, text);
    let Some(mut statement) = batch.next()? else { return Ok((Vec::new(), false)) };
    if batch.next()?.is_some() {
        return Err(rusqlite::Error::MultipleStatement);
    }
    let mut heads: Vec<String> = Vec::new();
    for head in statement.column_names().map(shortened) {
        // A structure has each name once.
        let is_free = |name: &String| !heads.contains(name);
        let name = (2..).map(|number| format!("{head}_{number}")).find(is_free).filter(|_| heads.contains(&head));
        heads.push(name.unwrap_or(head));
    }
    let mut rows = statement.query([])?;
    let (mut found, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        if found.len() == most || bytes > ENOUGH {
            return Ok((found, true));
        }
        let cells = heads.iter().enumerate().map(|(at, head)| (head.clone(), cell(row, at)));
        let row = Value::Object(cells.collect::<Map<_, _>>()).to_string();
        bytes += row.len();
        found.push(row);
    }
    Ok((found, false))
}

/// A value, cut before it is copied.
fn cell(row: &Row<'_>, at: usize) -> Value {
    match row.get_ref(at).unwrap_or(ValueRef::Null) {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => {
            // A character has at most four bytes.
            let kept = text.get(..4 * LONGEST_SHOWN).unwrap_or(text);
            let all = String::from_utf8_lossy(kept);
            let shown: String = all.chars().take(LONGEST_SHOWN).collect();
            cut(shown, text.len(), kept.len() == text.len() && all.chars().count() <= LONGEST_SHOWN)
        }
        ValueRef::Blob(bytes) => {
            let kept = bytes.get(..LONGEST_SHOWN).unwrap_or(bytes);
            let shown: String = kept.iter().map(|byte| format!("{byte:02x}")).collect();
            cut(shown, bytes.len(), kept.len() == bytes.len())
        }
    }
}

/// The beginning of a value of `len` bytes, or all of it.
fn cut(shown: String, len: usize, is_whole: bool) -> Value {
    if is_whole { shown.into() } else { format!("{shown}… ({len} bytes in all)").into() }
}

/// The head of a column, which is the text of its expression if it has no other.
fn shortened(head: &str) -> String {
    if head.chars().count() <= LONGEST_HEAD {
        return head.into();
    }
    head.chars().take(LONGEST_HEAD).chain(['…']).collect()
}
