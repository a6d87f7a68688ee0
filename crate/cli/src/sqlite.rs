//! Databases through rusqlite.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use unspool_access_index::{CodeBlock, RunIndex};
use unspool_engine::RowSink;
use unspool_records::RowSource;
use unspool_trace::error::Class;
use unspool_trace::rows::{Cell, Shape, leading_number};
use unspool_trace::{Insert, Instructions, Query, RowError, Rows};

/// The disassembler that is linked in.
pub(crate) struct Disassembler;

impl Instructions for Disassembler {
    fn starts(&self, bits: u32, address: u64, code: &[u8]) -> Vec<u32> {
        unspool_disassembler::starts(bits, address, code)
    }

    fn text(&self, isa: &str, address: u64, bytes: &[u8]) -> Option<String> {
        unspool_disassembler::disassemble(isa, address, bytes)
    }

    fn reads(&self, isa: &str, address: u64, bytes: &[u8]) -> Option<String> {
        unspool_disassembler::reads(isa, address, bytes)
    }
}

/// Whether there is a write-ahead log beside a database.
pub(crate) fn has_log(path: &Path) -> bool {
    fs::metadata(beside(path, LOG)).is_ok_and(|m| m.len() > 0)
}

/// The end of the name of a write-ahead log, after that of its database.
pub(crate) const LOG: &str = "-wal";

/// The path of a file beside a database.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// A database that is open for reading.
pub(crate) struct Database {
    connection: Connection,
    /// The file itself, unless there is a write-ahead log beside it. Without it every row comes
    /// from SQLite.
    pub(crate) file: Option<File>,
}

impl Database {
    /// Opens a database for reading, without creating files beside it.
    pub(crate) fn open(path: &Path) -> Result<Self, RowError> {
        // SQLite creates a file beside a database in WAL mode even to read it, unless the database
        // is declared immutable. But then SQLite ignores the write-ahead log. So a database with a
        // log is a copy in a folder of its own (`with_log` in unpack.rs).
        let has_wal = has_log(path);
        let uri = uri(path, if has_wal { "mode=ro" } else { "immutable=1" });
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(uri, flags).map_err(|e| row_error(&e))?;
        // In a truncated database some tables have no root page. The others are still readable.
        let _ = connection.pragma_update(None, "writable_schema", true);
        let _ = connection.pragma_update(None, "trusted_schema", false);
        let file = if has_wal { None } else { File::open(path).ok() };
        Ok(Self { connection, file })
    }
}

/// Ends of runs, and their blocks.
const RUNS: &str = "select transition_id, block_id from execution order by transition_id";

/// The index of the runs of a block trace.
pub(crate) fn run_index(path: &Path) -> Result<RunIndex, RowError> {
    let database = Database::open(path)?;
    let mut index = RunIndex::new(usize::MAX);
    let words = |error: rusqlite::Error| row_error(&error);
    let sql = "select rowid, pc, instruction_data, instruction_count, mode from blocks order by rowid";
    let mut statement = database.connection.prepare(sql).map_err(words)?;
    let mut rows = statement.query([]).map_err(words)?;
    while let Some(row) = rows.next().map_err(words)? {
        let (id, pc, count): (i64, i64, i64) =
            (row.get(0).map_err(words)?, row.get(1).map_err(words)?, row.get(3).map_err(words)?);
        let code = row.get::<_, Vec<u8>>(2).unwrap_or_default();
        let bits = match row.get::<_, i64>(4) {
            Ok(0) => 64,
            Ok(1) => 32,
            Ok(2) => 16,
            _ => 0,
        };
        let (Ok(id), Ok(instructions)) = (u64::try_from(id), u32::try_from(count)) else { continue };
        let mut starts = match (instructions, bits) {
            (0, _) | (_, 0) => Vec::new(),
            _ => unspool_disassembler::starts(bits, pc as u64, &code),
        };
        starts.truncate(instructions as usize);
        index.block(CodeBlock { id, address: pc as u64, code, instructions, bits, starts });
    }
    let mut statement = database.connection.prepare(RUNS).map_err(words)?;
    let mut rows = statement.query([]).map_err(words)?;
    // Damage ends the index; what came before stays.
    while let Ok(Some(row)) = rows.next() {
        if let (Ok(end), Ok(id)) = (row.get::<_, i64>(0), row.get::<_, i64>(1)) {
            index.run(u64::try_from(end).unwrap_or(0), u64::try_from(id).unwrap_or(0));
        }
    }
    index.seal();
    Ok(index)
}

/// Passes on the interrupts of a block trace, ascending: the transition, the vector, and whether it
/// is one of the hardware. Older traces have none.
pub(crate) fn interrupts(path: &Path, mut each: impl FnMut(u64, u64, bool)) -> Result<(), RowError> {
    let database = Database::open(path)?;
    let sql = "select transition_id, number, is_hw from interrupts order by transition_id";
    let Ok(mut statement) = database.connection.prepare(sql) else { return Ok(()) };
    let mut rows = statement.query([]).map_err(|error| row_error(&error))?;
    // Damage ends the interrupts; what came before stays.
    while let Ok(Some(row)) = rows.next() {
        if let (Ok(at), Ok(vector), Ok(is_hardware)) =
            (row.get::<_, i64>(0), row.get::<_, i64>(1), row.get::<_, i64>(2))
        {
            each(at.max(0) as u64, vector as u64, is_hardware != 0);
        }
    }
    Ok(())
}

/// Passes on each run of a block trace: its first transition, how many transitions it has, and the
/// address and the bytes of its block.
pub(crate) fn block_runs(path: &Path, mut each: impl FnMut(u64, u64, u64, &[u8])) -> Result<(), RowError> {
    let database = Database::open(path)?;
    let words = |error: rusqlite::Error| row_error(&error);
    let mut statement = database.connection.prepare("select rowid, pc, instruction_data from blocks").map_err(words)?;
    let mut rows = statement.query([]).map_err(words)?;
    let mut blocks: HashMap<i64, (u64, Vec<u8>)> = HashMap::new();
    while let Some(row) = rows.next().map_err(words)? {
        let address = row.get::<_, i64>(1).map_err(words)? as u64;
        blocks.insert(row.get(0).map_err(words)?, (address, row.get(2).unwrap_or_default()));
    }
    let mut statement = database.connection.prepare(RUNS).map_err(words)?;
    let mut rows = statement.query([]).map_err(words)?;
    let mut begin = 0;
    // Damage ends the runs; what came before stays.
    while let Ok(Some(row)) = rows.next() {
        if let (Ok(end), Ok(id)) = (row.get::<_, i64>(0), row.get::<_, i64>(1)) {
            let end = u64::try_from(end).unwrap_or(0);
            let (address, bytes) = blocks.get(&id).map_or((0, &[][..]), |(address, bytes)| (*address, bytes));
            each(begin, end.saturating_sub(begin), address, bytes);
            begin = end;
        }
    }
    Ok(())
}

/// Attaches a database to a connection for reading, without creating files beside it.
pub(crate) fn attach(connection: &Connection, path: &Path, schema: &str) -> rusqlite::Result<()> {
    let uri = uri(path, if has_log(path) { "mode=ro" } else { "immutable=1" });
    connection.execute(&format!("ATTACH ? AS {schema}"), [uri]).map(|_| ())
}

impl RowSource for Database {
    fn rows(&self, query: &Query, out: &mut Rows) -> Result<(), RowError> {
        read_rows(&self.connection, query, out)
    }

    fn read_at(&self, at: u64, buffer: &mut [u8]) -> Option<usize> {
        let mut file = self.file.as_ref()?;
        file.seek(SeekFrom::Start(at)).ok()?;
        file.read(buffer).ok()
    }
}

/// Fetches the rows of a query, in its shape.
pub(crate) fn read_rows(connection: &Connection, query: &Query, out: &mut Rows) -> Result<(), RowError> {
    let numbers = matches!(query.shape, Shape::Ints { .. });
    out.clear(if numbers { query.select.len() } else { 0 });
    let mut statement = connection.prepare(&query.sql()).map_err(|e| row_error(&e))?;
    let columns = statement.column_count();
    let mut rows = statement.query([]).map_err(|e| row_error(&e))?;
    while let Some(row) = rows.next().map_err(|e| row_error(&e))? {
        if numbers {
            for (i, column) in out.ints.iter_mut().enumerate() {
                column.push(row.get_ref(i).map_or(0, number));
            }
        } else {
            out.cells.push((0..columns).map(|i| row.get_ref(i).map_or(Cell::Null, cell)).collect());
        }
    }
    Ok(())
}

/// A database that is open for writing.
pub(crate) struct NewDatabase(Connection);

impl NewDatabase {
    /// Creates a database. The file must not exist.
    pub(crate) fn create(path: &Path) -> Result<Self, RowError> {
        let connection = Connection::open(path).map_err(|e| row_error(&e))?;
        let mut database = Self(connection);
        // It is not read before it is complete, and an incomplete one is of no use.
        database.run("pragma journal_mode=off; pragma synchronous=off;")?;
        Ok(database)
    }
}

impl RowSink for NewDatabase {
    fn run(&mut self, sql: &str) -> Result<(), RowError> {
        self.0.execute_batch(sql).map_err(|e| row_error(&e))
    }

    fn insert(&mut self, insert: &Insert) -> Result<(), RowError> {
        let transaction = self.0.transaction().map_err(|e| row_error(&e))?;
        {
            let mut statement = transaction.prepare(&insert.sql).map_err(|e| row_error(&e))?;
            for row in &insert.rows {
                statement.execute(params_from_iter(row.iter().map(value))).map_err(|e| row_error(&e))?;
            }
        }
        transaction.commit().map_err(|e| row_error(&e))
    }
}

fn number(value: ValueRef<'_>) -> i64 {
    match value {
        ValueRef::Integer(n) => n,
        ValueRef::Real(n) => n as i64,
        ValueRef::Text(text) => leading_number(&String::from_utf8_lossy(text)),
        ValueRef::Null | ValueRef::Blob(_) => 0,
    }
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(n) => Cell::Int(n),
        ValueRef::Real(n) => Cell::Real(n),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Cell::Blob(bytes.to_vec()),
    }
}

fn value(cell: &Cell) -> rusqlite::types::Value {
    use rusqlite::types::Value;
    match cell {
        Cell::Null => Value::Null,
        Cell::Int(n) => Value::Integer(*n),
        Cell::Real(n) => Value::Real(*n),
        Cell::Text(text) => Value::Text(text.clone()),
        Cell::Blob(bytes) => Value::Blob(bytes.clone()),
    }
}

fn row_error(error: &rusqlite::Error) -> RowError {
    let class = match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => Class::Unsupported,
        Some(rusqlite::ErrorCode::SystemIoFailure) => Class::Unreadable,
        _ => Class::Malformed,
    };
    let words = match error {
        rusqlite::Error::SqliteFailure(_, Some(words)) => words.clone(),
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    };
    RowError::new(class, format!("The database cannot be read: {words}."))
}

/// A `file:` URI of a path, which is bytes: those beyond ASCII are escaped, and those that have a
/// meaning in URIs.
fn uri(path: &Path, options: &str) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut uri = String::from("file:");
    for byte in absolute.as_os_str().as_encoded_bytes() {
        match byte {
            b'%' | b'?' | b'#' | 0..0x20 | 0x7f.. => uri.push_str(&format!("%{byte:02x}")),
            byte => uri.push(char::from(*byte)),
        }
    }
    uri + "?" + options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_escape_file_names() {
        assert_eq!(uri(Path::new("/a b/c?d#e%f"), "x=1"), "file:/a b/c%3fd%23e%25f?x=1");
        assert_eq!(uri(Path::new("/é"), "x=1"), "file:/%c3%a9?x=1");
    }
}
