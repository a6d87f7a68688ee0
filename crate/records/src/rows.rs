//! Where the rows of a trace that is a database come from. The native command uses rusqlite, the
//! page sql.js.

use unspool_trace::{Query, RowError, Rows};

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
