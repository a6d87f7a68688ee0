//! A scan of the table `execution` in the file itself, several times faster than a query.
//!
//! According to <https://sqlite.org/fileformat2.html>, a table WITHOUT ROWID is an index b-tree.
//! Its interior pages have rows as well. The order of rows is
//!
//! ```text
//!   interior page:  child 0, row 0, child 1, row 1, … right-most child
//!   leaf:           row 0, row 1, …
//! ```
//!
//! A [`Scan`] requests a page and turns it into rows. It reads only what SQLite writes for this one
//! table. At anything else it returns [`Unknown`], and SQLite continues after the last row.

use alloc::vec::Vec;

use unspool_trace::decoder::Range;
use unspool_trace::rows::{RowScan, Rows, Unknown};

use super::wire::SCHEMA;

/// Length of the header in bytes.
const HEADER_LEN: u64 = 100;
/// The first bytes of an SQLite database.
pub(super) const MAGIC: &[u8] = b"SQLite format 3\0";
/// SQLite's own limit, too: 20 levels with two children a page are more pages than a database can
/// have.
const DEEPEST: usize = 20;
/// Types of index pages.
const INTERIOR: u8 = 2;
const LEAF: u8 = 10;
/// Length of the longest cell in bytes: lengths of payload and header, two types, two numbers of
/// eight bytes.
const LONGEST_CELL: usize = 20;

/// Reads the rows of `execution` page by page, in the order of transitions.
#[derive(Debug)]
pub struct Scan {
    state: State,
    size: u64,
    page_size: u64,
    /// Bytes of a page that are not reserved by extensions.
    usable: usize,
    path: Vec<Interior>,
    /// Limit for the pages still to be read. A table that exceeds it has a page twice.
    left: u64,
    /// The transition of the last row.
    last: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// At the file's header; then comes the root page, whose number this is.
    Header(u64),
    Page(u64),
    Done,
    GivenUp,
}

/// An interior page on the path to the current page.
#[derive(Debug)]
struct Interior {
    cells: Vec<(u32, (i64, i64))>,
    right: u32,
    /// Index of the cell whose child is being read.
    at: usize,
}

impl Scan {
    /// A scan of the table with root page `root`, or `None` if `statement` creates another table.
    /// `size` is the file's size in bytes, if known.
    pub fn of(statement: &str, root: i64, size: Option<u64>) -> Option<Self> {
        let [_, _, expected, ..] = SCHEMA;
        let same = significant_bytes(statement).eq(significant_bytes(expected));
        let root = u64::try_from(root).ok().filter(|root| *root > 1 && same)?;
        let size = size.unwrap_or(u64::MAX);
        Some(Self { state: State::Header(root), size, page_size: 0, usable: 0, path: Vec::new(), left: 0, last: None })
    }

    fn header(&mut self, bytes: &[u8], root: u64) -> Option<()> {
        let bytes = bytes.first_chunk::<{ HEADER_LEN as usize }>().filter(|b| b.starts_with(MAGIC))?;
        let [a, b, _, read_version, reserved] = *bytes.get(16..)?.first_chunk()?;
        self.page_size = match u16::from_be_bytes([a, b]) {
            // 65,536 does not fit into 16 bits and is stored as 1.
            1 => 65_536,
            size if size >= 512 && size.is_power_of_two() => size.into(),
            _ => return None,
        };
        self.usable = usize::try_from(self.page_size).ok()? - usize::from(reserved);
        // SQLite requires at least 480 bytes. Read version 1 is without a write-ahead log, 2 with
        // one.
        if self.usable < 480 || !(1..=2).contains(&read_version) {
            return None;
        }
        self.left = self.size / self.page_size;
        self.go_to(root)
    }

    fn go_to(&mut self, page: u64) -> Option<()> {
        let there = page > 1 && page <= self.size / self.page_size;
        self.left = self.left.checked_sub(1).filter(|_| there)?;
        self.state = State::Page(page);
        Some(())
    }

    fn page(&mut self, page: &[u8], rows: &mut Rows) -> Option<()> {
        let page = page.get(..self.usable)?;
        let ([kind, _, _, high, low, ..], _) = page.split_first_chunk::<8>()?;
        let cells = usize::from(u16::from_be_bytes([*high, *low]));
        match *kind {
            LEAF => {
                self.leaf(page, page.get(8..8 + 2 * cells)?, rows)?;
                self.next_page(rows)
            }
            INTERIOR if cells > 0 && self.path.len() < DEEPEST => {
                let right = u32::from_be_bytes(*page.get(8..)?.first_chunk()?);
                let pointers = page.get(12..12 + 2 * cells)?.as_chunks().0.iter();
                let cells = pointers.map(|pointer| {
                    let (child, cell) = page.get(usize::from(u16::from_be_bytes(*pointer))..)?.split_first_chunk()?;
                    Some((u32::from_be_bytes(*child), row(cell)?))
                });
                let cells = cells.collect::<Option<Vec<_>>>()?;
                let first = cells.first()?.0;
                self.path.push(Interior { cells, right, at: 0 });
                self.go_to(first.into())
            }
            _ => None,
        }
    }

    fn leaf(&mut self, page: &[u8], pointers: &[u8], rows: &mut Rows) -> Option<()> {
        let [ends, ids] = rows.ints.as_mut_slice() else { return None };
        let mut last = self.last;
        for pointer in pointers.as_chunks().0 {
            let (end, id) = row(page.get(usize::from(u16::from_be_bytes(*pointer))..)?)?;
            if last.is_some_and(|last| end <= last) {
                return None;
            }
            last = Some(end);
            ends.push(end);
            ids.push(id);
        }
        self.last = last;
        Some(())
    }

    /// Continues after a page: with the row above it, then with the next child.
    fn next_page(&mut self, rows: &mut Rows) -> Option<()> {
        while let Some(above) = self.path.last_mut() {
            if let Some((_, (end, id))) = above.cells.get(above.at).copied() {
                above.at += 1;
                let next = above.cells.get(above.at).map_or(above.right, |cell| cell.0);
                let [ends, ids] = rows.ints.as_mut_slice() else { return None };
                if self.last.is_some_and(|last| end <= last) {
                    return None;
                }
                self.last = Some(end);
                ends.push(end);
                ids.push(id);
                return self.go_to(next.into());
            }
            self.path.pop();
        }
        self.state = State::Done;
        Some(())
    }
}

impl RowScan for Scan {
    fn columns(&self) -> usize {
        2
    }

    fn want(&self) -> Option<Range> {
        match self.state {
            State::Header(_) => Some(Range { at: 0, len: HEADER_LEN }),
            State::Page(number) => Some(Range { at: (number - 1) * self.page_size, len: self.page_size }),
            State::Done | State::GivenUp => None,
        }
    }

    /// Appends rows (transition, block).
    fn push(&mut self, bytes: &[u8], rows: &mut Rows) -> Result<(), Unknown> {
        let done = match self.state {
            State::Header(root) => self.header(bytes, root),
            State::Page(_) if bytes.len() as u64 == self.page_size => self.page(bytes, rows),
            State::Page(_) | State::Done | State::GivenUp => None,
        };
        done.ok_or_else(|| {
            self.give_up();
            Unknown
        })
    }

    fn give_up(&mut self) {
        self.state = State::GivenUp;
        self.path = Vec::new();
    }

    fn has_given_up(&self) -> bool {
        self.state == State::GivenUp
    }
}

/// The significant characters of a statement.
fn significant_bytes(statement: &str) -> impl Iterator<Item = u8> {
    statement.bytes().filter(|b| !b.is_ascii_whitespace() && *b != b';').map(|b| b.to_ascii_lowercase())
}

/// The two numbers of a record. `None` unless it consists of payload length, header length (3), two
/// types, and two numbers. Such a record is too short for an overflow page.
#[inline]
fn row(cell: &[u8]) -> Option<(i64, i64)> {
    if let Some(cell) = cell.first_chunk() {
        return numbers(cell, LONGEST_CELL);
    }
    // The last cell of a page, padded so that eight bytes can be read for each number.
    let mut longer = [0; LONGEST_CELL];
    longer.iter_mut().zip(cell).for_each(|(to, from)| *to = *from);
    numbers(&longer, cell.len())
}

#[inline]
fn numbers(cell: &[u8; LONGEST_CELL], len: usize) -> Option<(i64, i64)> {
    let [payload, 3, transition, block, ..] = *cell else { return None };
    let (first, second) = (size_of_type(transition)?, size_of_type(block)?);
    // A transition must be a number, not NULL.
    if usize::from(payload) != 3 + first + second || 4 + first + second > len || transition == 0 {
        return None;
    }
    let number = |at: usize, size: usize, kind: u8| {
        let bytes = u64::from_be_bytes(*cell.get(at..)?.first_chunk()?) as i64;
        // Type 9 is the constant 1. NULL reads as 0, as in SQLite.
        Some(if size == 0 { i64::from(kind == 9) } else { bytes >> (64 - 8 * size) })
    };
    Some((number(4, first, transition)?, number(4 + first, second, block)?))
}

/// Size in bytes of a number of this type. `None` for types that are not integers or NULL.
#[inline]
fn size_of_type(kind: u8) -> Option<usize> {
    match kind {
        0 | 8 | 9 => Some(0),
        1..=4 => Some(kind.into()),
        5 => Some(6),
        6 => Some(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: usize = 512;

    fn scan(size: usize) -> Scan {
        Scan::of(SCHEMA[2].trim_end_matches(';'), 2, Some(size as u64)).unwrap()
    }

    fn header(reserved: u8) -> Vec<u8> {
        let mut page = Vec::from(MAGIC);
        page.extend([2, 0, 1, 1, reserved]);
        page.resize(SIZE, 0);
        page
    }

    /// A page with these cells. The last one ends where the page does.
    fn page(kind: u8, right: u32, cells: &[&[u8]]) -> Vec<u8> {
        let mut page = alloc::vec![kind, 0, 0, 0, cells.len() as u8, 0, 0, 0];
        if kind == INTERIOR {
            page.extend(right.to_be_bytes());
        }
        let mut at = SIZE;
        for cell in cells {
            at -= cell.len();
            page.extend((at as u16).to_be_bytes());
        }
        page.resize(at, 0);
        cells.iter().rev().for_each(|cell| page.extend(*cell));
        page
    }

    fn run(file: &[u8], scan: &mut Scan) -> (Vec<(i64, i64)>, Result<(), Unknown>) {
        let mut rows = Rows::default();
        rows.clear(2);
        let mut end = Ok(());
        while let Some(range) = scan.want() {
            let from = (range.at as usize).min(file.len());
            let to = (from + range.len as usize).min(file.len());
            end = scan.push(&file[from..to], &mut rows);
        }
        (rows.column(0).iter().copied().zip(rows.column(1).iter().copied()).collect(), end)
    }

    /// An interior page with two leaves.
    #[rustfmt::skip]
    fn three_pages() -> Vec<u8> {
        let mut file = header(0);
        // The left child 3, then the row (300, 2); the right child 4.
        file.extend(page(INTERIOR, 4, &[&[0, 0, 0, 3, 6, 3, 2, 1, 1, 44, 2]]));
        file.extend(page(LEAF, 0, &[
            &[3, 3, 9, 0], // (1, NULL)
            &[4, 3, 1, 9, 7], // (7, 1)
            &[6, 3, 2, 1, 0, 200, 0xff], // (200, -1)
        ]));
        file.extend(page(LEAF, 0, &[
            &[6, 3, 3, 8, 1, 0, 0], // (65536, 0)
            &[9, 3, 5, 8, 1, 0, 0, 0, 0, 0], // (2^40, 0)
            &[19, 3, 6, 6, 0x7f, 1, 2, 3, 4, 5, 6, 7, 0x80, 0, 0, 0, 0, 0, 0, 1],
        ]));
        file
    }

    #[test]
    fn rows_of_leaves_and_interior_pages_come_in_order() {
        let file = three_pages();
        let (rows, end) = run(&file, &mut scan(file.len()));
        let last = (0x7f01_0203_0405_0607, i64::MIN + 1);
        assert_eq!(rows, [(1, 0), (7, 1), (200, -1), (300, 2), (65_536, 0), (1 << 40, 0), last]);
        assert_eq!(end, Ok(()));
    }

    #[test]
    fn an_empty_table_has_no_rows() {
        let mut file = header(32);
        file.extend(page(LEAF, 0, &[]));
        let mut scan = scan(file.len());
        assert_eq!(run(&file, &mut scan), (Vec::new(), Ok(())));
        assert!(!scan.has_given_up());
    }

    #[test]
    fn unknown_content_is_left_to_sqlite_after_the_last_valid_row() {
        let good = three_pages();
        let leaf = 2 * SIZE;
        let find = |cell: &[u8]| good.windows(cell.len()).position(|w| w == cell).unwrap();
        let text = find(&[4, 3, 1, 9, 7]) + 3;
        for (at, byte, rows, why) in [
            (0, b'x', 0, "no database"),
            (17, 5, 0, "an invalid page size"),
            (19, 0x10, 0, "an unknown version"),
            (20, 40, 0, "more reserved than SQLite allows"),
            (SIZE, 5, 0, "a table with rowids"),
            (SIZE + 4, 0, 0, "an interior page without cells"),
            (SIZE + 4, 255, 0, "cells beyond the page"),
            (SIZE + 11, 2, 4, "a page that has been read before"),
            (SIZE + 11, 9, 4, "a page after the end"),
            (SIZE + 11, 0, 4, "page 0"),
            (leaf, INTERIOR, 0, "an interior page with invalid cells"),
            (leaf + 8, 0xff, 0, "a cell after the end of the page"),
            (text, 15, 1, "a text"),
            (text, 7, 1, "a floating point number"),
            (text - 1, 0, 1, "NULL as a transition"),
            (text - 2, 4, 1, "a record with another column"),
            (text - 3, 100, 1, "a payload of another length"),
            (text + 1, 1, 1, "rows that do not ascend"),
        ] {
            let mut file = good.clone();
            file[at] = byte;
            let mut scan = scan(file.len());
            let (found, end) = run(&file, &mut scan);
            assert_eq!((found.len(), end, scan.has_given_up()), (rows, Err(Unknown), true), "{why}");
        }
        let (found, end) = run(&good[..3 * SIZE], &mut scan(good.len()));
        assert_eq!((found.len(), end), (4, Err(Unknown)), "the file ends");
    }

    #[test]
    fn cycles_of_pages_end() {
        let mut file = header(0);
        for next in [3, 2] {
            file.extend(page(INTERIOR, next, &[&[0, 0, 0, next as u8, 4, 3, 1, 9, 7]]));
        }
        assert_eq!(run(&file, &mut scan(1 << 20)), (Vec::new(), Err(Unknown)));
        assert_eq!(run(&file, &mut scan(file.len())), (Vec::new(), Err(Unknown)));
    }

    #[test]
    fn other_tables_are_not_read() {
        let of = |statement: &str, root| Scan::of(statement, root, None).is_some();
        assert!(of(
            "create table EXECUTION (transition_id int8 primary key not null,\n block_id int4 not null) without rowid",
            2
        ));
        assert!(!of(SCHEMA[2], 1), "the first page has the schema");
        assert!(!of(SCHEMA[2], 0));
        assert!(!of(SCHEMA[1], 2));
        assert!(!of(&SCHEMA[2].replace("block_id int4", "more int, block_id int4"), 2));
        assert!(!of(&SCHEMA[2].replace("KEY", "KEY DESC"), 2));
    }
}
