//! Where the rows of a trace that is a database come from and go to. The native command uses
//! rusqlite, the page sql.js.

use unspool_trace::{Insert, RowError};

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
