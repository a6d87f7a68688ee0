//! The iteration table: the variables of one statement over its occurrences.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

use hashbrown::HashMap;
use unspool_formats::trace_db::wire::Number as Raw;

use crate::columns::{IN_BUFFER, Kind, Segment, Value, put_value};

/// Occurrences listed at most.
const MOST: usize = 1 << 20;
/// Columns at most.
const MOST_COLUMNS: usize = 64;
/// Cells at most, of 9 bytes each.
const MOST_CELLS: usize = 1 << 24;
/// Different values of bytes, and bytes in them.
const MOST_TEXTS: usize = 1 << 16;
const MOST_BYTES: usize = 64 << 20;
/// The number of bytes beyond these limits, which may be any.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// A variable of the statement, or what is left of the buffers that a pointer points into.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Its key in the dictionary, with [`IN_BUFFER`] for the bytes that are left.
    key: u32,
    pub(crate) kind: Kind,
    /// For each row, the value as 64 bits; for bytes, the number of their text.
    bits: Vec<u64>,
    /// For each row, whether the point has the variable.
    has: Vec<bool>,
}

/// The table. Rows are in the order of the trace until they are sorted.
#[derive(Debug, Default)]
pub struct Rows {
    statement: u32,
    /// Numbers of the points that may have rows.
    range: Range<u64>,
    points: Vec<u64>,
    at: Vec<u64>,
    columns: Vec<Column>,
    column_of: HashMap<u32, usize>,
    texts: Vec<String>,
    /// Their numbers by the bytes themselves: texts show only the first of many.
    text_of: HashMap<(Box<[u8]>, u32), u32>,
    /// Bytes in `text_of`.
    kept: usize,
    /// The rows in the order that is shown.
    order: Vec<u32>,
    /// Occurrences found.
    count: u64,
}

/// A cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The value; empty if the point does not have the variable.
    pub text: String,
    /// It differs from the row before in the order of the trace.
    pub changed: bool,
}

impl Rows {
    /// An empty table of the statement with this number, for the points with the numbers of a
    /// range.
    pub(crate) fn new(statement: u32, range: Range<u64>) -> Self {
        Self { statement, range, ..Self::default() }
    }

    /// Adds a point, once, if it is at the statement and in the range.
    pub(crate) fn add(&mut self, segment: &Segment, point: usize) {
        let x = segment.first + point as u64;
        let is_of = segment.statement(point) == self.statement && self.range.contains(&x);
        if !is_of || self.points.last() == Some(&x) {
            return;
        }
        self.count += 1;
        let row = self.points.len();
        if row >= MOST || row * self.columns.len() >= MOST_CELLS {
            return;
        }
        self.points.push(x);
        self.at.push(segment.at(point));
        self.order.push(row as u32);
        for index in segment.variables(point) {
            let key = segment.key(index);
            let (kind, bits) = match segment.value(index) {
                Value::Number(number) => (Kind::of(number), number.bits()),
                Value::Bytes(bytes, len) => (Kind::Bytes, self.text_number(bytes, len).into()),
            };
            self.put(key, row, kind, bits);
            if let Some(left) = segment.buffer_size(index) {
                self.put(key | IN_BUFFER, row, Kind::Unsigned, left);
            }
        }
    }

    fn put(&mut self, key: u32, row: usize, kind: Kind, bits: u64) {
        let next = self.columns.len();
        let place = *self.column_of.entry(key).or_insert(next);
        if place == next && next < MOST_COLUMNS {
            self.columns.push(Column { key, kind, bits: Vec::new(), has: Vec::new() });
        }
        let Some(column) = self.columns.get_mut(place) else { return };
        // Of several variables of one name and type, the first counts.
        if column.bits.len() <= row {
            column.bits.resize(row, 0);
            column.has.resize(row, false);
            column.bits.push(bits);
            column.has.push(true);
        }
    }

    fn text_number(&mut self, bytes: &[u8], len: u32) -> u32 {
        let key = (bytes.into(), len);
        if let Some(known) = self.text_of.get(&key) {
            return *known;
        }
        if self.texts.len() >= MOST_TEXTS || self.kept + bytes.len() > MOST_BYTES {
            return UNKNOWN;
        }
        let number = self.texts.len() as u32;
        let mut text = String::new();
        put_value(&mut text, Value::Bytes(bytes, len));
        self.texts.push(text);
        self.kept += bytes.len();
        self.text_of.insert(key, number);
        number
    }

    /// Occurrences found, and how many of them are listed.
    pub fn counts(&self) -> (u64, usize) {
        (self.count, self.points.len())
    }

    /// For each column, the key of its variable in the dictionary, and whether the column has, in
    /// place of the values of that pointer, the bytes from there to the end of its buffer.
    pub fn keys(&self) -> impl Iterator<Item = (u32, bool)> {
        self.columns.iter().map(|column| (column.key & !IN_BUFFER, column.key & IN_BUFFER != 0))
    }

    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    /// Sorts by a column; by the order of the trace if there is no such column. Rows without the
    /// variable come last.
    pub fn sort(&mut self, column: Option<usize>, descending: bool) {
        let Self { order, columns, texts, .. } = self;
        order.sort_unstable();
        let by = column.and_then(|column| columns.get(column));
        if let Some(column) = by {
            order.sort_by(|a, b| column.compare(*a as usize, *b as usize, descending, texts));
        } else if descending {
            order.reverse();
        }
    }

    /// The point of a row in the order that is shown, and its absolute offset.
    pub fn point(&self, row: usize) -> Option<(u64, u64)> {
        let row = *self.order.get(row)? as usize;
        Some((*self.points.get(row)?, *self.at.get(row)?))
    }

    /// The cells of a row in the order that is shown.
    pub fn cells(&self, row: usize) -> Vec<Cell> {
        let Some(row) = self.order.get(row).map(|row| *row as usize) else { return Vec::new() };
        let one = |column: &Column| {
            let mut text = String::new();
            let value = column.get(row);
            if let Some(bits) = value {
                match column.kind {
                    Kind::Unsigned => put_value(&mut text, Value::Number(Raw::Unsigned(bits))),
                    Kind::Signed => put_value(&mut text, Value::Number(Raw::Signed(bits as i64))),
                    Kind::Float => put_value(&mut text, Value::Number(Raw::Float(f64::from_bits(bits)))),
                    Kind::Pointer => put_value(&mut text, Value::Number(Raw::Pointer(bits))),
                    Kind::Bytes => text.push_str(self.texts.get(bits as usize).map_or("…", String::as_str)),
                }
            }
            let changed = row.checked_sub(1).is_some_and(|before| column.get(before) != value);
            Cell { text, changed }
        };
        self.columns.iter().map(one).collect()
    }

    /// The row, in the order that is shown, of the last point at or before a number.
    pub fn row_of(&self, x: u64) -> Option<usize> {
        let row = self.points.partition_point(|point| *point <= x).checked_sub(1)?;
        self.order.iter().position(|it| *it as usize == row)
    }
}

impl Column {
    /// The value of a row as 64 bits. `None` if the point does not have the variable.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<u64> {
        self.has.get(row).copied().unwrap_or(false).then(|| self.bits.get(row).copied())?
    }

    fn compare(&self, a: usize, b: usize, descending: bool, texts: &[String]) -> Ordering {
        let (a, b) = match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => (a, b),
            (a, b) => return b.is_some().cmp(&a.is_some()),
        };
        let order = match self.kind {
            Kind::Signed => (a as i64).cmp(&(b as i64)),
            Kind::Unsigned | Kind::Pointer => a.cmp(&b),
            Kind::Float => f64::from_bits(a).total_cmp(&f64::from_bits(b)),
            Kind::Bytes => texts.get(a as usize).cmp(&texts.get(b as usize)),
        };
        if descending { order.reverse() } else { order }
    }
}
