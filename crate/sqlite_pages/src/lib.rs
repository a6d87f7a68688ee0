//! A virtual SQLite database: each page is computed when it is read.
//!
//! SQLite reads a database through pages. If all records of a table have one length, the page of
//! any row is known by arithmetic, so that a table of millions of rows needs no memory and no
//! import. Short tables are held as records.
//!
//! ```text
//! page   1         2 ..             ..            ..
//!        header,   leaves of        interior      leaves of     ...
//!        schema    table 1          pages, root   table 2
//! ```
//!
//! The file format is that of <https://www.sqlite.org/fileformat2.html>.
//!
//! # Where the tables come from
//!
//! Where a value is missing (a slice without a parent), another column of the record takes its
//! room. `Rows` is the source of the rows. That of the store (`crate/engine/src/tables.rs`, feature
//! `tables`) reads its columns. `unspool sql` writes the pages to a file for SQLite, and adds
//! records and their fields if a statement names them (`docs/sql.md`).
//!
//! In the page, the trace's worker makes the pages of the range in portions (`gatherTables`), which
//! the page hands over without a copy to the worker of the SQL panel
//! (`web/features/sql/worker/query.ts`). A slice takes 40 bytes there, and ending that worker still
//! stops any query. `LazyFile` gives the pages to sql.js. The tables of a database itself are
//! attached as `rvn`. `records` and `fields` hold values of any length, so they are inserted: the
//! record worker makes rows of a part of the file at a time (`records/tabulate.rs`), and the worker
//! of the panel binds their texts where they are in the memory of SQLite
//! (`web/features/sql/worker/detail_tables.ts`). The native command uses the same visitor.

mod layout;
mod record;

pub use record::{Column, Value};

use std::rc::Rc;

use layout::Tree;
use record::{Shape, encode};

/// Size of a page in bytes: the largest that SQLite has, so that there are few.
pub const PAGE: usize = 65_536;

/// Bytes of the file header on page 1.
const HEADER: usize = 100;
/// Version of SQLite whose file format this is, 3.45.0.
const WRITTEN_BY: u32 = 3_045_000;

/// Rows that are elsewhere.
pub trait Rows {
    /// How many there are. At most 2^35.
    fn len(&self) -> u64;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills in the values of a row, counted from 0, for the columns of its table in order.
    fn row(&self, row: u64, values: &mut [Value]);
}

/// A table. The id of a row, its first column, is its number, counted from 1.
pub struct Table<'a> {
    name: String,
    sql: String,
    content: Content<'a>,
}

enum Content<'a> {
    /// Records of one length.
    Even {
        shape: Shape,
        rows: Box<dyn Rows + 'a>,
    },
    Listed(Rc<Listed>),
}

/// Rows that are held in memory. Databases can share them.
#[derive(Debug)]
pub struct Listed {
    /// Cells of leaves, one for each row.
    cells: Vec<Vec<u8>>,
    /// The row with which each leaf begins.
    leaves: Vec<u64>,
}

impl Listed {
    /// Encodes rows.
    pub fn new(rows: impl Iterator<Item = Vec<Item>>) -> Self {
        let (mut cells, mut leaves, mut room) = (Vec::new(), Vec::new(), 0);
        for (row, items) in (0u64..).zip(rows) {
            let cell = record::cell(row + 1, &encode(&items, true));
            // Its place in the list of cells takes two more.
            let takes = cell.len() + 2;
            if leaves.is_empty() || takes > room {
                leaves.push(row);
                room = PAGE - layout::LEAF;
            }
            room -= takes;
            cells.push(cell);
        }
        if leaves.is_empty() {
            leaves.push(0);
        }
        Self { cells, leaves }
    }
}

/// A value of a listed table.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A number, or none.
    Number(Value),
    /// A text. The items of a row share 60,000 bytes: a text that is longer than its share is cut,
    /// and ends with `…`.
    Text(String),
}

impl<'a> Table<'a> {
    /// A table of rows that are elsewhere. `columns` are those after the id.
    pub fn even(name: &str, columns: &[(&str, Column)], rows: Box<dyn Rows + 'a>) -> Self {
        let names: Vec<_> = columns.iter().map(|(name, column)| (*name, column.sql_type())).collect();
        let shape = Shape::new(columns.iter().map(|(_, column)| *column).collect());
        Self { name: name.into(), sql: create(name, &names), content: Content::Even { shape, rows } }
    }

    /// A table of rows that are held in memory. Each has as many items as there are columns after
    /// the id. `columns` have their types in SQL, after a space.
    pub fn listed(name: &str, columns: &[(&str, &str)], rows: Rc<Listed>) -> Self {
        Self { name: name.into(), sql: create(name, columns), content: Content::Listed(rows) }
    }

    fn rows(&self) -> u64 {
        match &self.content {
            Content::Even { rows, .. } => rows.len(),
            Content::Listed(listed) => listed.cells.len() as u64,
        }
    }

    /// The rows of each leaf begin at these: the first of leaf `leaf`.
    fn first_of(&self, leaf: u64) -> u64 {
        match &self.content {
            Content::Even { shape, rows } => (leaf * shape.on_a_page() as u64).min(rows.len()),
            Content::Listed(listed) => listed.leaves.get(leaf as usize).copied().unwrap_or(listed.cells.len() as u64),
        }
    }

    fn leaves(&self) -> u64 {
        match &self.content {
            Content::Even { shape, rows } => rows.len().div_ceil(shape.on_a_page() as u64).max(1),
            Content::Listed(listed) => listed.leaves.len() as u64,
        }
    }

    fn leaf(&self, leaf: u64, page: &mut [u8]) {
        let rows = self.first_of(leaf)..self.first_of(leaf + 1);
        match &self.content {
            Content::Even { shape, rows: source } => shape.leaf(rows, source.as_ref(), page),
            Content::Listed(listed) => {
                let cells = listed.cells.get(rows.start as usize..rows.end as usize).unwrap_or_default();
                layout::leaf_of(cells.iter().map(Vec::as_slice), page, 0);
            }
        }
    }
}

// Columns have types because SQLite makes no index of its own for a join of one without a type with
// one that has it, such as those of another database. It then compares all rows with all rows.
fn create(name: &str, columns: &[(&str, &str)]) -> String {
    let columns: Vec<String> = columns.iter().map(|(column, of_type)| format!(", \"{column}\"{of_type}")).collect();
    format!("CREATE TABLE \"{name}\" (id INTEGER PRIMARY KEY{})", columns.concat())
}

/// A database.
pub struct Database<'a> {
    tables: Vec<(Table<'a>, Tree)>,
    /// Page 1.
    first: Vec<u8>,
    pages: u64,
}

impl<'a> Database<'a> {
    /// A database of these tables, and of views by name with what they select. `None` if page 1
    /// cannot hold the definitions.
    pub fn new(tables: Vec<Table<'a>>, views: &[(&str, String)]) -> Option<Self> {
        let mut next = 2;
        let mut placed = Vec::new();
        let mut schema = Vec::new();
        let text = |text: &str| Item::Text(text.into());
        for table in tables {
            let tree = Tree::new(next, table.leaves());
            next += tree.pages();
            let root = Item::Number(Value::Int(layout::in_file(tree.root()) as i64));
            schema.push(vec![text("table"), text(&table.name), text(&table.name), root, text(&table.sql)]);
            placed.push((table, tree));
        }
        for (name, select) in views {
            let sql = format!("CREATE VIEW \"{name}\" AS {select}");
            schema.push(vec![text("view"), text(name), text(name), Item::Number(Value::Int(0)), text(&sql)]);
        }
        let cells: Vec<Vec<u8>> = (1..).zip(&schema).map(|(id, row)| record::cell(id, &encode(row, false))).collect();
        let takes: usize = cells.iter().map(|cell| cell.len() + 2).sum();
        if HEADER + layout::LEAF + takes > PAGE {
            return None;
        }
        let pages = layout::in_file(next - 1);
        let mut first = vec![0; PAGE];
        layout::leaf_of(cells.iter().map(Vec::as_slice), &mut first, HEADER);
        put_header(&mut first, u32::try_from(pages).ok()?);
        Some(Self { tables: placed, first, pages })
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.pages * PAGE as u64
    }

    /// Fills in a page, counted from 1. One beyond the end is all zeros.
    pub fn page(&self, number: u64, page: &mut [u8; PAGE]) {
        page.fill(0);
        if number == 1 {
            page.copy_from_slice(&self.first);
            return;
        }
        let Some(number) = layout::counted(number) else { return };
        let Some((table, tree)) = self.tables.iter().find(|(_, tree)| tree.has(number)) else { return };
        match tree.leaf_at(number) {
            Some(leaf) => table.leaf(leaf, page),
            // The id of the last row is its number, counted from 1.
            None => tree.interior(number, page, |leaf| table.first_of(leaf + 1)),
        }
    }

    /// How many rows a table has; 0 if there is none of that name.
    pub fn rows(&self, table: &str) -> u64 {
        self.tables.iter().find(|(of, _)| of.name == table).map_or(0, |(of, _)| of.rows())
    }
}

/// The file header, at the beginning of page 1.
fn put_header(page: &mut [u8], pages: u32) {
    let mut header = Vec::with_capacity(HEADER);
    header.extend(b"SQLite format 3\0");
    // A page size of 65,536 is written as 1. Not in WAL mode, and nothing reserved at the end of
    // pages.
    header.extend([0, 1, 1, 1, 0, 64, 32, 32]);
    // Change counter, pages, no free pages, schema cookie, schema format 4, no cache size, no
    // vacuum, UTF-8.
    for number in [1, pages, 0, 0, 1, 4, 0, 0, 1, 0, 0, 0] {
        header.extend(u32::to_be_bytes(number));
    }
    header.resize(92, 0);
    header.extend(1u32.to_be_bytes());
    header.extend(WRITTEN_BY.to_be_bytes());
    if let Some(place) = page.get_mut(..HEADER) {
        place.copy_from_slice(&header);
    }
}

#[cfg(test)]
mod tests;
