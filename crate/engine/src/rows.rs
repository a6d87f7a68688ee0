//! Where the rows of a trace that is a database come from and go to. The native command uses
//! rusqlite, the page sql.js.

use unspool_formats::{Insert, Query, RowError, Rows};

/// A database that runs queries.
pub trait RowSource {
    /// Fetches all rows of `query` into `rows`, in the query's shape.
    ///
    /// # Errors
    ///
    /// Returns the database's error. `rows` then holds the rows before it.
    fn rows(&self, query: &Query, rows: &mut Rows) -> Result<(), RowError>;

    /// Reads the database's file itself from the absolute offset `at` into `buffer` and returns how
    /// many bytes it read: at least one, or 0 at the end of the file.
    ///
    /// Returns `None` if the file cannot be read, or if SQLite sees something else than the file,
    /// such as a write-ahead log.
    fn read_at(&self, _at: u64, _buffer: &mut [u8]) -> Option<usize> {
        None
    }
}

/// A database that is being written.
pub trait RowSink {
    /// Runs a statement that returns no rows.
    ///
    /// # Errors
    ///
    /// Returns the database's error.
    fn run(&mut self, sql: &str) -> Result<(), RowError>;

    /// Inserts the rows of one table.
    ///
    /// # Errors
    ///
    /// Returns the database's error; none of the rows is inserted then.
    fn insert(&mut self, insert: &Insert) -> Result<(), RowError>;
}
