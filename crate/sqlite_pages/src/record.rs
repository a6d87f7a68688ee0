//! Records, and the cells of leaves that hold them.
//!
//! ```text
//! cell    length of the record | id | length of the header | type of each column | values
//! bytes                      1    5                      1                     1   as the types say
//! ```
//!
//! Ids take five bytes whatever they are: SQLite reads numbers with leading zeros, too.

use core::ops::Range;

use super::layout::{LEAF, put};
use super::{Item, PAGE, Rows};

/// Bytes of an id in a cell. Its numbers have 7 bits a byte.
pub(crate) const ID: usize = 5;
/// Bytes that the texts of a row share.
pub(crate) const RECORD_MOST: usize = 60_000;

/// A number of a row, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// An integer.
    Int(i64),
    /// A floating point number.
    Real(f64),
}

/// How many bytes a number of a column takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// An integer of 1, 2, 3, 4, 6 or 8 bytes.
    Int(u8),
    /// An integer or a floating point number, in 8 bytes.
    Number,
    /// An integer of 4 bytes, or `null`. The column with this number, one of 4 bytes, then takes 8,
    /// so that records stay of one length.
    OrNull(usize),
}

impl Column {
    /// A column for integers from 0 to `most`.
    pub fn up_to(most: u64) -> Self {
        let bits = 64 - most.leading_zeros();
        // One more for the sign.
        Self::Int([1u8, 2, 3, 4, 6].into_iter().find(|bytes| bits < u32::from(*bytes) * 8).unwrap_or(8))
    }

    /// The type of the column in SQL, after a space; none if its values have several.
    pub(crate) fn sql_type(self) -> &'static str {
        if matches!(self, Self::Number) { "" } else { " INTEGER" }
    }

    fn bytes(self) -> usize {
        match self {
            Self::Int(bytes) => bytes.into(),
            Self::Number => 8,
            Self::OrNull(_) => 4,
        }
    }
}

/// What records of one length are like.
pub(crate) struct Shape {
    columns: Vec<Column>,
    /// Bytes of a record, and of its cell.
    record: usize,
    cell: usize,
}

impl Shape {
    pub(crate) fn new(columns: Vec<Column>) -> Self {
        let values: usize = columns.iter().map(|column| column.bytes()).sum();
        // The id has a type, but no value.
        let record = 2 + columns.len() + values;
        debug_assert!(record < 128, "the length of a record takes one byte");
        Self { columns, record, cell: 1 + ID + record }
    }

    pub(crate) fn on_a_page(&self) -> usize {
        (PAGE - LEAF) / (self.cell + 2)
    }

    /// Fills in the leaf of these rows.
    pub(crate) fn leaf(&self, rows: Range<u64>, source: &dyn Rows, page: &mut [u8]) {
        let count = (rows.end - rows.start) as usize;
        let mut values = vec![Value::Null; self.columns.len()];
        let mut end = PAGE;
        for (place, row) in (0..).zip(rows) {
            source.row(row, &mut values);
            end -= self.cell;
            put(page, LEAF + 2 * place, &(end as u16).to_be_bytes());
            if let Some(cell) = page.get_mut(end..end + self.cell) {
                self.put_cell(row + 1, &values, cell);
            }
        }
        put(page, 0, &[13]);
        put(page, 3, &(count as u16).to_be_bytes());
        put(page, 5, &(end as u16).to_be_bytes());
    }

    fn put_cell(&self, id: u64, values: &[Value], cell: &mut [u8]) {
        let (head, record) = cell.split_at_mut(1 + ID);
        if let Some((length, of_id)) = head.split_first_mut() {
            *length = self.record as u8;
            put_id(id, of_id);
        }
        let types = 2 + self.columns.len();
        put(record, 0, &[types as u8, 0]);
        // A column takes the room of one that is null.
        let mut wide = None;
        for (column, value) in self.columns.iter().zip(values) {
            if let (Column::OrNull(number), Value::Null) = (column, value) {
                wide = Some(*number);
            }
        }
        let mut at = types;
        for (number, (column, value)) in self.columns.iter().zip(values).enumerate() {
            let (kind, bytes): (u8, usize) = match (column, value) {
                (Column::OrNull(_), Value::Null) => (0, 0),
                (_, Value::Real(_)) if *column == Column::Number => (7, 8),
                _ => {
                    let bytes = if wide == Some(number) { 8 } else { column.bytes() };
                    ([1, 2, 3, 4, 0, 5, 0, 6].get(bytes - 1).copied().unwrap_or(6), bytes)
                }
            };
            put(record, 2 + number, &[kind]);
            let bits = match *value {
                Value::Null => 0,
                Value::Int(int) => int.to_be_bytes().into_iter().fold(0, |bits, byte| bits << 8 | u64::from(byte)),
                Value::Real(real) => real.to_bits(),
            };
            put(record, at, bits.to_be_bytes().get(8 - bytes..).unwrap_or_default());
            at += bytes;
        }
    }
}

/// Writes an id in [`ID`] bytes.
pub(crate) fn put_id(id: u64, into: &mut [u8]) {
    for (place, byte) in into.iter_mut().rev().enumerate() {
        let more = if place == 0 { 0 } else { 0x80 };
        *byte = more | (id >> (7 * place)) as u8 & 0x7f;
    }
}

/// Appends a number as SQLite writes it, in as few bytes as possible. Less than 2^56.
pub(crate) fn put_varint(number: u64, into: &mut Vec<u8>) {
    let groups = (64 - (number | 1).leading_zeros()).div_ceil(7);
    for group in (0..groups).rev() {
        let more = if group == 0 { 0 } else { 0x80 };
        into.push(more | (number >> (7 * group)) as u8 & 0x7f);
    }
}

/// The cell of a leaf with a record.
pub(crate) fn cell(id: u64, record: &[u8]) -> Vec<u8> {
    let mut cell = Vec::with_capacity(record.len() + 12);
    put_varint(record.len() as u64, &mut cell);
    put_varint(id, &mut cell);
    cell.extend(record);
    cell
}

/// A record. With `has_id` its first column is the id, which is not stored in it.
pub(crate) fn encode(items: &[Item], has_id: bool) -> Vec<u8> {
    // Texts share the room of a page.
    let most = RECORD_MOST / items.len().max(1);
    let mut types = Vec::new();
    if has_id {
        types.push(0);
    }
    let mut values = Vec::new();
    for item in items {
        match item {
            Item::Number(Value::Null) => types.push(0),
            Item::Number(Value::Int(int)) => {
                types.push(6);
                values.extend(int.to_be_bytes());
            }
            Item::Number(Value::Real(real)) => {
                types.push(7);
                values.extend(real.to_bits().to_be_bytes());
            }
            Item::Text(text) => {
                let mut shown = text.as_str();
                if text.len() > most {
                    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
                    shown = text.get(..end).unwrap_or_default();
                }
                let mark = if shown.len() < text.len() { "…" } else { "" };
                put_varint(13 + 2 * (shown.len() + mark.len()) as u64, &mut types);
                values.extend(shown.bytes().chain(mark.bytes()));
            }
        }
    }
    // The header counts its own length, which takes two bytes if there are many.
    let length = if types.len() < 127 { types.len() + 1 } else { types.len() + 2 };
    let mut record = Vec::with_capacity(length + values.len());
    put_varint(length as u64, &mut record);
    record.extend(types);
    record.extend(values);
    record
}
