//! Formats that are databases: pulled row by row, not pushed byte by byte.
//!
//! This module contains no database. A [`RowDecoder`] returns the next [`Query`]; the caller runs
//! it and passes the [`Rows`] back. Each query is one page that starts after the last row of the
//! previous page, so no statement stays open while the caller handles other requests.
//!
//! A `RowSource` fetches the rows: sql.js in the page, rusqlite in the native command. sql.js
//! treats `LazyFile` (`web/trace/worker/lazy_file.ts`) as the bytes of the whole database; it reads
//! the file where SQLite looks. Integers cross as pages of doubles, and a query fetches columns
//! that may exceed 2^53 in halves. A format may offer a `RowScan` that reads a table from the file
//! itself. rvn does so for `execution`, its one large table, with a scan of the b-tree
//! (`rvn/btree.rs`). The engine reads the file for it in long ranges (`read_ahead.rs`), and in the
//! page two of them are always on their way (`web/trace/worker/ahead.ts`). Where the layout is
//! unknown, SQLite continues after the last row. The SQL panel runs its own SQLite worker
//! (`web/features/sql/worker/query.ts`); terminating it stops a query.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::Instructions;
use crate::batch::EventBatch;
use crate::decoder::Range;
use crate::error::Class;
use crate::info::Info;
use crate::part::Part;
use crate::problem::Problem;

/// Maximum number of rows of one page.
pub const PAGE: usize = 65_536;

/// A value of a database.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// `NULL`.
    Null,
    /// An integer.
    Int(i64),
    /// A floating point number.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Cell {
    /// The value as an integer, converted as `sqlite3_column_int64` does.
    pub fn int(&self) -> i64 {
        match self {
            Self::Int(n) => *n,
            Self::Real(n) => *n as i64,
            Self::Text(text) => leading_number(text),
            Self::Null | Self::Blob(_) => 0,
        }
    }

    /// The value if it is text, else the empty string.
    pub fn text(&self) -> &str {
        if let Self::Text(text) = self { text } else { "" }
    }
}

/// The integer that a text begins with. 0 if there is none, or if it exceeds 64 bits.
pub fn leading_number(text: &str) -> i64 {
    let text = text.trim_start();
    let end = text.char_indices().find(|(i, c)| !(c.is_ascii_digit() || (*i == 0 && *c == '-'))).map(|(i, _)| i);
    text.get(..end.unwrap_or(text.len())).and_then(|t| t.parse().ok()).unwrap_or(0)
}

/// The form in which rows are fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Integers; other values are converted.
    Ints {
        /// Whether all lie between -2^53 and 2^53, so that doubles hold them.
        small: bool,
    },
    /// Values of any type.
    Cells,
}

/// A page of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Expressions, one per column.
    pub select: &'static [&'static str],
    /// The rest of the statement: `from …`.
    pub rest: String,
    /// The form of the rows.
    pub shape: Shape,
}

impl Query {
    /// The statement.
    pub fn sql(&self) -> String {
        alloc::format!("select {} {}", self.select.join(","), self.rest)
    }

    /// The statement with two columns for each expression, its upper (signed) and lower 32 bits:
    /// for callers that read integers as doubles.
    pub fn split_sql(&self) -> String {
        let mut sql = String::from("select ");
        for (i, column) in self.select.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            let _ = write!(sql, "{comma}({column})>>32,({column})&4294967295");
        }
        sql.push(' ');
        sql.push_str(&self.rest);
        sql
    }
}

/// Rows of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// [`Shape::Ints`]: one vector per column.
    pub ints: Vec<Vec<i64>>,
    /// [`Shape::Cells`]: one vector per row.
    pub cells: Vec<Vec<Cell>>,
}

impl Rows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ints.first().map_or(self.cells.len(), Vec::len)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all rows and makes `columns` empty columns of integers.
    pub fn clear(&mut self, columns: usize) {
        self.cells.clear();
        self.ints.resize_with(columns, Vec::new);
        self.ints.iter_mut().for_each(Vec::clear);
    }

    /// Column `i` of integers. Empty if there is no such column.
    pub fn column(&self, i: usize) -> &[i64] {
        self.ints.get(i).map_or(&[], Vec::as_slice)
    }
}

/// Why a database cannot be read further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowError {
    /// What is to blame.
    pub class: Class,
    /// A sentence that begins with a capital letter.
    pub sentence: String,
}

impl RowError {
    /// An error with its sentence.
    pub fn new(class: Class, sentence: impl Into<String>) -> Self {
        Self { class, sentence: sentence.into() }
    }
}

/// Rows of one table with the statement that inserts them: the output of an encoder for databases.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    /// `insert into … values(?, …)`
    pub sql: String,
    /// One vector per row, in the order of the statement's parameters.
    pub rows: Vec<Vec<Cell>>,
}

/// A [`RowScan`] met bytes that only the database can interpret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown;

/// Reads the rows of one table from the file itself, without a database: several times faster than
/// SQL.
///
/// A scan interprets only what it knows for certain. At anything else it gives up, and the database
/// continues after the last row that the scan returned.
pub trait RowScan {
    /// Number of integer columns that [`RowScan::push`] appends to, for [`Rows::clear`].
    fn columns(&self) -> usize;

    /// The bytes needed next. `None` after the last row, or after giving up.
    fn want(&self) -> Option<Range>;

    /// Takes the bytes that [`RowScan::want`] asked for and appends their rows to `rows`.
    ///
    /// # Errors
    ///
    /// Returns [`Unknown`] if the scan gives up. The rows appended before that are valid.
    fn push(&mut self, bytes: &[u8], rows: &mut Rows) -> Result<(), Unknown>;

    /// Leaves the remaining rows to the database.
    fn give_up(&mut self);

    /// Whether the remaining rows must be queried.
    fn has_given_up(&self) -> bool;
}

/// Decodes one trace from the rows of a database.
///
/// The caller fetches what [`RowDecoder::want`] returns, passes all rows to [`RowDecoder::push`],
/// and calls [`RowDecoder::work`] until it returns false. This repeats until `want` returns `None`.
///
/// [`Nouns::place`](crate::Nouns::place) names what the positions of its problems count.
pub trait RowDecoder {
    /// What is known about the trace. Complete when [`RowDecoder::opened`].
    fn info(&self) -> Info;

    /// Sets what finds instruction boundaries. Without it, only boundaries that the trace implies
    /// are known.
    fn set_instructions(&mut self, instructions: Box<dyn Instructions>);

    /// Whether everything that concerns the whole trace was read.
    fn opened(&self) -> bool;

    /// The rows needed next, at most `most` of them. `None` when the trace is decoded.
    fn want(&self, most: usize) -> Option<Query>;

    /// A scan that reads the wanted rows from the file itself, for use instead of
    /// [`RowDecoder::want`].
    ///
    /// The caller pushes its rows as if the query had returned them. An empty page means that the
    /// table has no more rows.
    fn scan(&mut self) -> Option<&mut dyn RowScan> {
        None
    }

    /// Takes all rows of the query. `cut`: more rows would follow, but the database is damaged
    /// there.
    ///
    /// # Errors
    ///
    /// Fails if the rows are not those of such a trace.
    fn push(&mut self, rows: &mut Rows, cut: bool) -> Result<(), RowError>;

    /// Turns rows into events until the batch is full. Returns false if it needs more rows.
    ///
    /// # Errors
    ///
    /// Fails if decoding cannot continue. `out` has the events that came before.
    fn work(&mut self, out: &mut EventBatch) -> Result<bool, RowError>;

    /// Delivers events that were held back. The caller will push no more rows, for whatever reason.
    fn finish(&mut self, _out: &mut EventBatch) {}

    /// Appends one JSON object a record, until about 1 MiB. For use instead of
    /// [`RowDecoder::work`]. Leaves out what does not belong to `part`. Returns false if it needs
    /// more rows.
    ///
    /// # Errors
    ///
    /// Fails if decoding cannot continue. `out` has the text that came before.
    fn print(&mut self, part: &mut Part, out: &mut String) -> Result<bool, RowError>;

    /// Returns the problems found since the last call. [`RowDecoder::work`] delivers them itself.
    fn take_problems(&mut self) -> Vec<Problem>;

    /// Bytes of memory of what is kept for what differs in the file, such as names and threads.
    /// They count in the budget of the trace.
    fn kept_bytes(&self) -> u64;

    /// How much of the trace is decoded: a count, and the total in the same unit.
    fn progress(&self) -> (u64, u64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_convert_as_sqlite_does() {
        assert_eq!(Cell::Text(" -12ab".into()).int(), -12);
        assert_eq!(Cell::Text("ab".into()).int(), 0);
        assert_eq!(Cell::Real(2.9).int(), 2);
        assert_eq!(Cell::Null.int(), 0);
    }

    #[test]
    fn a_query_can_be_split_into_halves() {
        let query = Query { select: &["a", "b"], rest: "from t".into(), shape: Shape::Ints { small: false } };
        assert_eq!(query.sql(), "select a,b from t");
        assert_eq!(query.split_sql(), "select (a)>>32,(a)&4294967295,(b)>>32,(b)&4294967295 from t");
    }
}
