//! Formats that are databases: pulled row by row, not pushed byte by byte.
//!
//! This module contains no database. A [`RowDecoder`] returns the next [`Query`]; the caller runs it and passes the
//! [`Rows`] back. Each query is one page that starts after the last row of the previous page, so no statement stays open
//! while the caller handles other requests.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::batch::EventBatch;
use crate::code::Instructions;
use crate::decoder::Range;
use crate::details::RecordDetails;
use crate::error::Class;
use crate::info::Info;
use crate::locator::Locator;
use crate::problem::Problem;

/// Rows of one page at the most.
pub const PAGE: usize = 65_536;

/// A value as a database has it.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A whole number.
    Int(i64),
    /// A floating point number.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Cell {
    /// As a whole number, the way `sqlite3_column_int64` converts.
    pub fn int(&self) -> i64 {
        match self {
            Self::Int(n) => *n,
            Self::Real(n) => *n as i64,
            Self::Text(text) => leading_number(text),
            Self::Null | Self::Blob(_) => 0,
        }
    }

    /// As text, if it is text.
    pub fn text(&self) -> &str {
        if let Self::Text(text) = self { text } else { "" }
    }
}

/// The whole number that a text begins with, 0 without one.
pub fn leading_number(text: &str) -> i64 {
    let text = text.trim_start();
    let end = text.char_indices().find(|(i, c)| !(c.is_ascii_digit() || (*i == 0 && *c == '-'))).map(|(i, _)| i);
    text.get(..end.unwrap_or(text.len())).and_then(|t| t.parse().ok()).unwrap_or(0)
}

/// What rows are fetched as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Whole numbers, converted where they are not.
    Ints {
        /// Not above 2^53, either way: doubles hold them.
        small: bool,
    },
    /// Whatever they are.
    Cells,
}

/// A page of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Expressions, one a column.
    pub select: &'static [&'static str],
    /// What stands behind them: `from …`.
    pub rest: String,
    /// What the rows are fetched as.
    pub shape: Shape,
}

impl Query {
    /// As SQL.
    pub fn sql(&self) -> String {
        alloc::format!("select {} {}", self.select.join(","), self.rest)
    }

    /// As SQL with two columns for each, the upper (signed) and the lower 32 bits: for those who can read doubles only.
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

/// Rows of a query, in its shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Column by column.
    pub ints: Vec<Vec<i64>>,
    /// Row by row.
    pub cells: Vec<Vec<Cell>>,
}

impl Rows {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ints.first().map_or(self.cells.len(), Vec::len)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Empties it, for so many columns of numbers.
    pub fn clear(&mut self, columns: usize) {
        self.cells.clear();
        self.ints.resize_with(columns, Vec::new);
        self.ints.iter_mut().for_each(Vec::clear);
    }

    /// A column of numbers.
    pub fn column(&self, i: usize) -> &[i64] {
        self.ints.get(i).map_or(&[], Vec::as_slice)
    }
}

/// Why a database cannot be read (further).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowError {
    /// Whom to blame.
    pub class: Class,
    /// In a sentence, beginning with a capital letter.
    pub sentence: String,
}

impl RowError {
    /// An error with its sentence.
    pub fn new(class: Class, sentence: impl Into<String>) -> Self {
        Self { class, sentence: sentence.into() }
    }
}

/// Rows of one table, with the statement that inserts them: what an encoder writes to a database.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    /// `insert into … values(?, …)`
    pub sql: String,
    /// Row by row, in the order of the statement's parameters.
    pub rows: Vec<Vec<Cell>>,
}

/// A [`RowScan`] met bytes that only the database can interpret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown;

/// Reads the rows of one table from the file itself, without a database: several times faster than SQL.
///
/// A scan interprets only what it knows for certain. At anything else it gives up, and the database continues after the
/// last row that the scan returned.
pub trait RowScan {
    /// How many columns of numbers [`RowScan::push`] appends to: what [`Rows::clear`] takes.
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

/// Decodes one trace out of the rows of a database.
///
/// Fetch what [`RowDecoder::want`] says, [`RowDecoder::push`] it whatever its number, then [`RowDecoder::work`] until it
/// wants more; all is decoded when it wants nothing.
///
/// [`Info::place_noun`] says what the positions of its problems count.
pub trait RowDecoder {
    /// What is known of the trace; complete when [`RowDecoder::opened`].
    fn info(&self) -> Info;

    /// Says who finds instructions in machine code; without it they are where the trace tells.
    fn set_instructions(&mut self, instructions: Box<dyn Instructions>);

    /// All that concerns the whole trace was read, and it can be decoded.
    fn opened(&self) -> bool;

    /// The rows that are needed next, `most` of them if it can be as many; nothing when all is decoded.
    fn want(&self, most: usize) -> Option<Query>;

    /// A scan that finds the wanted rows in the file itself, to use instead of [`RowDecoder::want`] where there is one.
    ///
    /// Push its rows as if the query had returned them. An empty page says that the table has no more rows.
    fn scan(&mut self) -> Option<&mut dyn RowScan> {
        None
    }

    /// Takes in all the rows of the query. `cut`: they break off, because the database is damaged behind them.
    fn push(&mut self, rows: &mut Rows, cut: bool) -> Result<(), RowError>;

    /// Turns rows into events until the batch is full. False when nothing is left to do without more rows.
    fn work(&mut self, out: &mut EventBatch) -> Result<bool, RowError>;

    /// Says that there will be no more rows, whatever the reason: events that were kept back are delivered.
    fn finish(&mut self, _out: &mut EventBatch) {}

    /// Instead of [`RowDecoder::work`]: prints, one JSON object a record, until about a MiB is there.
    fn print(&mut self, out: &mut String) -> Result<bool, RowError>;

    /// Hands over the problems met since the last call; [`RowDecoder::work`] does so itself.
    fn take_problems(&mut self) -> Vec<Problem>;

    /// How much of the trace is decoded: so many of so many.
    fn progress(&self) -> (u64, u64);

    /// Which rows the details of a record are put together from.
    fn details_queries(&self, locator: Locator) -> Vec<Query>;

    /// Puts the details together; `rows` are those of each query.
    fn details(&self, locator: Locator, rows: &[Rows]) -> RecordDetails;
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
