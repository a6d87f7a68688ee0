//! `unspool sql`: a trace as tables. The store's pages are written to a file that SQLite reads;
//! what only the records know is added to it on request.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Batch, Connection, ErrorCode, OpenFlags, Row, Statement, params};
use unspool_engine::Session;
use unspool_engine::tables::{self, Lists};
use unspool_records::{TableSink, Tabulate};
use unspool_sqlite_pages::PAGE;
use unspool_trace::{FieldValue, TrackId};

use crate::console;
use crate::find::{reader_of, visit_records};
use crate::limit::{LimitArgs, Listed};
use crate::listing::{Cell, Form, Listing, column};
use crate::output::Output;
use crate::progress::Progress;
use crate::read_whole::{complete, read_named};
use crate::sqlite::attach;
use crate::{Failure, NameArgs, Source, TraceArgs, binaries, interrupt, scratch, sql_functions};

/// Runs SQL statements on a trace, in SQLite.
///
///     unspool sql app.xray "select name, sum(dur_s) from named_slices group by 1 order by 2 desc"
///
/// Tables: slices, instants, counters, tracks, names; records and fields hold what `unspool dump`
/// prints. Views with names and seconds: named_slices, named_instants, named_counters. Without a
/// query, lists all of them with their columns. A REVEN database also has its own tables, such as
/// rvn.execution. With another trace (--with), the tables of both are in the schemas a and b.
/// docs/sql.md describes them, with examples.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Sql {
    #[command(flatten)]
    trace: TraceArgs,
    /// One or more statements. Lists the tables if omitted.
    query: Option<String>,
    /// Print one JSON object per row.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV with a header.
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    limit: LimitArgs,
    /// Compare another trace: its tables are in the schema `b`, those of the first one in `a`, too.
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,
    /// Program that ran in the trace of --with, as --binary.
    #[arg(long, value_name = "[OBJECT=]FILE[@BASE]", value_parser = binaries::argument(), requires = "with")]
    binary_b: Vec<binaries::Argument>,
    /// File of names for the trace of --with, as --names.
    #[arg(long, value_name = "FILE", requires = "with")]
    names_b: Option<PathBuf>,
    /// Attach another trace as the schema `other`; further ones as `other2`, `other3` and so on.
    #[arg(long, value_name = "FILE")]
    attach: Vec<PathBuf>,
    /// Write the database to a new file, for other programs.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Include records and fields even if the query does not name them.
    #[arg(long)]
    records: bool,
    #[command(flatten)]
    names: NameArgs,
}

/// Rows of a printed table whose widths decide those of the columns.
const MEASURED: usize = 1000;

pub(crate) fn run(what: &Sql) -> Result<(), Failure> {
    let text = what.query.as_deref().unwrap_or_default();
    let with_records = what.wants_records();
    let saved = what.save.as_deref();
    let held = scratch::temporary()?;
    let (source, path) = match saved {
        Some(path) => {
            let in_file = |error: io::Error| Failure::io(path.display(), &error);
            // Before the trace is read: an existing file is never replaced.
            let file = Output::create_new(path).map_err(in_file)?;
            let source = write(&what.trace, &what.names, file.path().unwrap_or(path), with_records)?;
            file.finish().map_err(in_file)?;
            (source, path)
        }
        None => (write(&what.trace, &what.names, held.path(), with_records)?, held.path()),
    };
    let mut others = Vec::new();
    let mut add = |other: &Path, schema: String, names: &NameArgs| {
        let file = scratch::temporary()?;
        let trace = TraceArgs { file: other.to_path_buf(), ..what.trace.clone() };
        write(&trace, names, file.path(), with_records)?;
        others.push((schema, file));
        Ok::<(), Failure>(())
    };
    if let Some(other) = &what.with {
        let (names, binary) = (what.names_b.clone(), what.binary_b.clone());
        let short_names = what.names.short_names && (names.is_some() || !binary.is_empty());
        add(other, "b".into(), &NameArgs { names, binary, short_names })?;
    }
    for (number, other) in (1..).zip(&what.attach) {
        let schema = if number == 1 { "other".to_string() } else { format!("other{number}") };
        add(other, schema, &NameArgs { names: None, binary: Vec::new(), short_names: false })?;
    }
    let connection = connect(path).map_err(|error| wrong(&error, text))?;
    if what.with.is_some() {
        attach(&connection, path, "a").map_err(|error| wrong(&error, text))?;
    }
    for (schema, other) in &others {
        attach(&connection, other.path(), schema).map_err(|error| wrong(&error, text))?;
    }
    if let Some(source) = &source {
        attach(&connection, &source.path, "rvn").map_err(|error| wrong(&error, text))?;
    }
    let running = interrupt::Query::of(&connection);
    let result = match &what.query {
        None if saved.is_some() => Ok(()),
        None => ask(what, &connection, LIST),
        Some(query) => ask(what, &connection, query),
    };
    drop(running);
    drop((connection, others, held));
    result
}

/// Opens the tables of a trace for reading, with the functions that statements have.
pub(crate) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    sql_functions::add(&connection)?;
    Ok(connection)
}

impl Sql {
    fn wants_records(&self) -> bool {
        let text = self.query.as_deref().unwrap_or_default();
        self.records || mentions(text, "records") || mentions(text, "fields")
    }

    /// Whether it is about one trace alone, and writes no file.
    pub(crate) fn is_of_one(&self) -> bool {
        self.with.is_none() && self.attach.is_empty() && self.save.is_none()
    }
}

/// The tables of a trace that stays open, from one statement to the next.
pub(crate) struct Tables {
    connection: Connection,
    has_records: bool,
    /// The file that they are in.
    file: tempfile::NamedTempFile,
}

/// Runs statements on a trace that was read. Its tables are made when they are needed first, and
/// again when records are.
pub(crate) fn answer(
    what: &Sql,
    source: &Source,
    session: &Session,
    tables: &mut Option<Tables>,
) -> Result<(), Failure> {
    let text = what.query.as_deref().unwrap_or(LIST);
    let connection = connection(source, session, tables, what.wants_records())?;
    let running = interrupt::Query::of(connection);
    let result = ask(what, connection, text);
    drop(running);
    result
}

/// A connection to the tables of a trace that was read, as [`tables`] makes them.
///
/// # Errors
///
/// Returns an error if the trace is too large for a database, or a file cannot be read or written.
fn connection<'t>(
    source: &Source,
    session: &Session,
    held: &'t mut Option<Tables>,
    wants_records: bool,
) -> Result<&'t Connection, Failure> {
    tables(source, session, held, wants_records).map(|held| &held.connection)
}

impl Tables {
    /// The file that they are in.
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }
}

/// The tables of a trace that was read. They are made if they are not there, or lack the records
/// that are wanted.
///
/// # Errors
///
/// Returns an error if the trace is too large for a database, or a file cannot be read or written.
pub(crate) fn tables<'t>(
    source: &Source,
    session: &Session,
    tables: &'t mut Option<Tables>,
    wants_records: bool,
) -> Result<&'t Tables, Failure> {
    if tables.as_ref().is_none_or(|held| wants_records && !held.has_records) {
        let file = scratch::temporary()?;
        write_read(source, session, file.path(), wants_records)?;
        let connection = connect(file.path()).map_err(|error| wrong(&error, ""))?;
        if session.is_pulled() {
            attach(&connection, &source.path, "rvn").map_err(|error| wrong(&error, ""))?;
        }
        *tables = Some(Tables { connection, has_records: wants_records, file });
    }
    tables.as_ref().ok_or_else(|| Failure::new("There are no tables."))
}

/// What is printed without a query.
///
/// `records` and `fields` are made when a statement names them. Those of a database, and of other
/// traces, follow.
pub(crate) const LIST: &str = "
    SELECT \"table\", columns FROM (
        SELECT 0 AS part, type AS kind, rowid AS number, name AS \"table\",
            (SELECT group_concat(name, ', ') FROM pragma_table_info(m.name)) AS columns
            FROM main.sqlite_schema m WHERE type IN ('table', 'view') AND name NOT IN ('records', 'fields')
        UNION ALL SELECT 1, '', 0, 'records', 'id, time, track, name'
        UNION ALL SELECT 1, '', 1, 'fields', 'record, key, value, symbol'
        UNION ALL SELECT 2, schema, 0, schema || '.' || name,
            (SELECT group_concat(name, ', ') FROM pragma_table_info(t.name, t.schema))
            FROM pragma_table_list t WHERE schema NOT IN ('main', 'temp') AND name NOT LIKE 'sqlite_%'
    ) ORDER BY part, kind, number, \"table\"";

/// Whether a statement has a word.
pub(crate) fn mentions(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part.eq_ignore_ascii_case(word))
}

/// Reads a trace and writes its tables to a file. Returns the file of the trace if that is a
/// database of its own.
fn write(trace: &TraceArgs, names: &NameArgs, path: &Path, with_records: bool) -> Result<Option<Source>, Failure> {
    let (source, session) = read_named(trace, names)?;
    write_read(&source, &session, path, with_records)?;
    Ok(session.is_pulled().then_some(source))
}

/// Writes the tables of a trace that was read to a file.
///
/// # Errors
///
/// Returns an error if the trace is too large for a database, or a file cannot be read or written.
fn write_read(source: &Source, session: &Session, path: &Path, with_records: bool) -> Result<(), Failure> {
    let lists = Lists::of(session.store());
    let database = tables::database(session.store(), session.clock(), None, &lists);
    let Some(database) = database else {
        return Err(Failure::new("This trace is too large for a database of SQLite."));
    };
    let mut out = BufWriter::with_capacity(1 << 20, File::options().write(true).open(path)?);
    let mut page = Box::new([0; PAGE]);
    for number in 1..=database.size() / PAGE as u64 {
        if number % 1024 == 0 {
            interrupt::check()?;
        }
        database.page(number, &mut page);
        out.write_all(&page[..])?;
    }
    out.flush()?;
    drop(out);
    complete(session)?;
    if with_records { add_records(session, source, path) } else { Ok(()) }
}

/// Adds the tables `records` and `fields`.
fn add_records(session: &Session, source: &Source, path: &Path) -> Result<(), Failure> {
    let in_file = |error: rusqlite::Error| Failure::of(path.display(), error);
    let connection = Connection::open(path).map_err(in_file)?;
    // The file is thrown away, or removed if this fails.
    connection
        .execute_batch(
            "PRAGMA journal_mode = off; PRAGMA synchronous = off; BEGIN;
             CREATE TABLE records (id INTEGER PRIMARY KEY, time INTEGER, track INTEGER, name TEXT);
             CREATE TABLE fields (record INTEGER, key TEXT, value, symbol TEXT);",
        )
        .map_err(in_file)?;
    let mut reader = reader_of(session, source)?;
    let record = connection.prepare("INSERT INTO records VALUES (?, ?, ?, ?)").map_err(in_file)?;
    let field = connection.prepare("INSERT INTO fields VALUES (?, ?, ?, ?)").map_err(in_file)?;
    let mut adding = Adding { record, field, id: 0, error: None };
    visit_records(&mut reader, source, &mut Tabulate::new(&mut adding, None))?;
    if let Some(error) = adding.error.take() {
        return Err(in_file(error));
    }
    drop(adding);
    // Nearly every query looks for the fields of a record.
    connection.execute_batch("CREATE INDEX fields_of_records ON fields (record); COMMIT;").map_err(in_file)
}

/// Adds records with their fields to the tables.
struct Adding<'a> {
    record: Statement<'a>,
    field: Statement<'a>,
    id: i64,
    error: Option<rusqlite::Error>,
}

impl Adding<'_> {
    fn note<T>(&mut self, result: rusqlite::Result<T>) {
        if let Err(error) = result {
            self.error.get_or_insert(error);
        }
    }
}

impl TableSink for Adding<'_> {
    fn record(&mut self, x: u64, track: TrackId, name: Option<&str>) {
        self.id += 1;
        let added = self.record.execute(params![self.id, x as i64, i64::from(track) + 1, name]);
        self.note(added);
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>, symbol: Option<&str>) {
        let added = self.field.execute(params![self.id, key, sql(value), symbol]);
        self.note(added);
    }

    fn is_full(&self) -> bool {
        self.error.is_some()
    }
}

/// A field's value. Unsigned numbers beyond 2^63 become negative: SQLite has no others.
fn sql(value: FieldValue<'_>) -> Value {
    match value {
        FieldValue::Null => Value::Null,
        FieldValue::Bool(is) => Value::Integer(is.into()),
        FieldValue::U64(number) | FieldValue::Hex(number) => Value::Integer(number as i64),
        FieldValue::I64(number) | FieldValue::Id(number) => Value::Integer(number),
        FieldValue::F32(number) => Value::Real(number.into()),
        FieldValue::F64(number) => Value::Real(number),
        FieldValue::Text(text) => Value::Text(text.into()),
        // [`TableSink::field`] gets its value.
        FieldValue::Symbol { .. } => Value::Null,
        FieldValue::Bytes { bytes, .. } | FieldValue::Code { bytes, .. } => Value::Blob(bytes.to_vec()),
    }
}

/// An error of SQLite, with its place in the statement.
pub(crate) fn wrong(error: &rusqlite::Error, text: &str) -> Failure {
    if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) {
        return Failure::interrupted("The query was stopped.");
    }
    let sentence = match error {
        rusqlite::Error::SqlInputError { msg, offset, sql, .. } => {
            let at = usize::try_from(*offset).ok().filter(|_| text.contains(sql.as_str()));
            at.map_or_else(|| msg.clone(), |at| console::pointed(msg, sql, at, 1))
        }
        rusqlite::Error::SqliteFailure(_, Some(text)) => text.clone(),
        other => other.to_string(),
    };
    Failure::usage(sentence)
}

/// The first word of a statement, after comments; empty if there is none.
pub(crate) fn first_word(sql: &str) -> &str {
    let mut rest = sql;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\u{feff}');
        let comment_end = match rest.get(..2) {
            Some("--") => rest.find('\n').map(|end| end + 1),
            Some("/*") => rest.find("*/").map(|end| end + 2),
            _ => return rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default(),
        };
        let Some(after) = comment_end.and_then(|end| rest.get(end..)) else { return "" };
        rest = after;
    }
}

/// Runs statements and prints the rows of each.
fn ask(what: &Sql, connection: &Connection, text: &str) -> Result<(), Failure> {
    let wrong = |error: rusqlite::Error| wrong(&error, text);
    let form = Form::of(what.json, what.csv);
    let mut out = form.out();
    let running = Progress::spinner("The query is running");
    let most = what.limit.most(form, usize::MAX) as u64;
    let mut count = 0_u64;
    let mut batch = Batch::new(connection, text);
    while let Some(mut statement) = batch.next().map_err(wrong)? {
        // The only statement that writes in spite of a connection for reading.
        if statement.expanded_sql().is_some_and(|sql| first_word(&sql).eq_ignore_ascii_case("vacuum")) {
            let sentence =
                "VACUUM is refused, because traces are only read. --save FILE writes the tables to a database.";
            return Err(Failure::usage(sentence));
        }
        let listing = listing(&statement);
        let mut rows = statement.query([]).map_err(wrong)?;
        let mut printer = listing.begin(form, &mut out)?;
        while let Some(row) = rows.next().map_err(wrong)? {
            count += 1;
            if count == 1 && io::stdout().is_terminal() {
                // What scrolls by shows progress enough.
                running.finish();
            } else if count.is_multiple_of(1000) {
                running.say(&format!("{count} rows"));
            }
            if count <= most {
                printer.row(row)?;
            }
        }
        printer.finish()?;
    }
    running.finish();
    Ok(Listed::of(count, count.min(most)).end_quietly(&mut out, form)?)
}

/// The columns of a statement. Bytes are in hexadecimal.
fn listing<'a>(statement: &Statement<'_>) -> Listing<'a, Row<'a>> {
    let heads = statement.column_names().map(String::from);
    let columns = heads.enumerate().map(|(at, head)| {
        let text = move |row: &Row<'_>| cell(row, at).into_text("-").replace(['\n', '\r', '\t'], " ");
        column(head, move |row: &Row<'_>| cell(row, at)).measured_by_value().shown(text)
    });
    Listing::new(columns.collect()).with_heads().measuring(MEASURED).trimmed()
}

pub(crate) fn cell<'a>(row: &Row<'_>, at: usize) -> Cell<'a> {
    // A row has all columns of its statement.
    match row.get_ref(at).unwrap_or(ValueRef::Null) {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Signed(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
        ValueRef::Blob(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into(),
    }
}
