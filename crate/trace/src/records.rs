//! The record pass: every record of a range of the file with its fields, borrowed, without an
//! allocation for each.
//!
//! A [`Decoder`](crate::Decoder) lists while it decodes where reading can begin again. What it
//! listed, and the dictionaries of the file, are its *index*, bytes that
//! [`Decoder::index`](crate::Decoder::index) returns. A reader opened with them ([`Records`]) reads
//! any range without what comes before, in another thread if need be.
//!
//! Records are listed in *lanes*. A file whose records are in order has one. An XRay log has one
//! for each thread, because its buffers are in the order of a queue. Within a lane, records are
//! numbered from 0, their *row*. *Pieces* are the ranges of a lane that can be read on their own.
//!
//! ```text
//! file    | piece 0 | piece 1 | piece 2 | piece 3 |
//! lane 0    rows 0..4            rows 4..9
//! lane 1              rows 0..7            rows 7..8
//! ```

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range as Numbers;

use serde::{Deserialize, Serialize};

use crate::batch::TrackId;
use crate::decoder::Range;
use crate::details::{Field, RecordDetails, Value};
use crate::error::Result;
use crate::locator::Locator;
use crate::printed::printed;

/// A range of the file that can be read without what comes before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Its number, counted in file order over all lanes.
    pub number: u32,
    /// The row of its first record: the number of records of the lane before it.
    pub row: u64,
    /// Position of its first record on the x axis, or of an earlier one of the lane if that is
    /// later.
    pub x: u64,
}

/// Records that are in order, with the pieces that hold them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// The track of all its records. `None` if they belong to several.
    pub track: Option<TrackId>,
    /// Number of records.
    pub rows: u64,
    /// Whether positions on the x axis ascend with the rows.
    pub sorted: bool,
    /// No record has a greater position on the x axis.
    pub until: u64,
    /// Its pieces, by row. None is empty.
    pub pieces: Vec<Piece>,
}

/// The name of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordName<'a> {
    /// It has none.
    None,
    /// A text.
    Text(&'a str),
    /// The id of a function without a name. Shown as `#12`.
    Id(i64),
}

/// A record, without its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Where it is found again: the locator of its event, if it has one.
    pub locator: Locator,
    /// Number of its lane.
    pub lane: u32,
    /// Its row in that lane.
    pub row: u64,
    /// Its position on the x axis: absolute, in ticks or ordinals.
    pub x: u64,
    /// The track of its thread.
    pub track: TrackId,
    /// Its name.
    pub name: RecordName<'a>,
}

/// A value of a field, borrowed. [`Value`] is its owned mirror.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldValue<'a> {
    /// No value: a null pointer, or an argument that was not recorded.
    Null,
    /// A truth value.
    Bool(bool),
    /// An unsigned number.
    U64(u64),
    /// A signed number.
    I64(i64),
    /// A number that identifies something, such as a thread.
    Id(i64),
    /// An address, or an opaque value.
    Hex(u64),
    /// A floating point number of 32 bits.
    F32(f32),
    /// A floating point number of 64 bits.
    F64(f64),
    /// Text.
    Text(&'a str),
    /// A number with a name: an enum constant, or flags joined by ` | `.
    Symbol {
        /// The name.
        name: &'a str,
        /// The number: [`FieldValue::I64`], [`FieldValue::U64`] or [`FieldValue::Hex`].
        value: &'a FieldValue<'a>,
    },
    /// Bytes, possibly shortened to [`crate::Limits::payload`].
    Bytes {
        /// The first bytes.
        bytes: &'a [u8],
        /// Number of bytes in the file.
        len: u64,
    },
    /// A machine instruction.
    Code {
        /// As in [`Value::Code`].
        isa: &'static str,
        /// Its address.
        address: u64,
        /// Its bytes, in memory order.
        bytes: &'a [u8],
    },
}

impl FieldValue<'_> {
    /// The value, owned. Of a text, a name or bytes at most about `most` bytes are kept.
    pub fn to_value(self, most: usize) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(b) => {
                Value::Symbol { name: if b { "true" } else { "false" }.into(), value: Box::new(Value::U64(b.into())) }
            }
            Self::U64(n) => Value::U64(n),
            Self::I64(n) => Value::I64(n),
            Self::Id(n) => Value::Id(n),
            Self::Hex(n) => Value::Hex(n),
            Self::F32(x) => Value::F64(shortest(x)),
            Self::F64(x) => Value::F64(x),
            Self::Text(text) => Value::Text(shortened(text, most)),
            Self::Symbol { name, value } => {
                Value::Symbol { name: shortened(name, most), value: Box::new(value.to_value(most)) }
            }
            Self::Bytes { bytes, len } => Value::Bytes { bytes: bytes.get(..most).unwrap_or(bytes).into(), len },
            Self::Code { isa, address, bytes } => Value::Code { isa, address, bytes: bytes.into() },
        }
    }
}

impl From<FieldValue<'_>> for Value {
    fn from(value: FieldValue<'_>) -> Self {
        value.to_value(usize::MAX)
    }
}

/// A text of about `most` bytes at most, with an ellipsis if it was longer.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().map(|(i, _)| i).find(|i| *i >= most) {
        Some(end) => text.get(..end).unwrap_or_default().chars().chain(['…']).collect(),
        None => text.into(),
    }
}

/// What makes two records of a format the same: their names and some of their fields, by the keys
/// that `unspool dump` prints. Where and when they are does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Same {
    /// Whether their names are.
    pub name: bool,
    /// These fields, with all that is in them.
    pub fields: &'static [&'static str],
    /// These if all that tells them apart is compared ([`Same::in_full`]).
    pub full: &'static [&'static str],
    /// Only records with this field are compared.
    pub of: Option<&'static str>,
    /// Their `kind` if they begin a call, and if they end one.
    pub calls: [&'static [&'static str]; 2],
    /// Whether threads are the same by the ids that the file gives them. Otherwise ids are a matter
    /// of chance, and threads are the same by the order in which they began.
    pub threads_by_id: bool,
}

impl Same {
    /// By all that tells records apart, those without what makes others the same included.
    #[must_use]
    pub fn in_full(self) -> Self {
        Self { name: true, fields: self.full, of: None, ..self }
    }
}

/// How a record uses an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It reads it.
    Read,
    /// It writes it.
    Written,
    /// It introduces its taint.
    Tainted,
}

/// The taint of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taint {
    /// Of the source with this id.
    Of(u64),
    /// Of several sources.
    Several,
}

/// A register or memory that a record uses: what its field, which has a number, does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand<'a> {
    /// The name of the register, or the address in brackets: the key of its field.
    pub name: &'a str,
    /// The address of its first byte; `None` for a register.
    pub address: Option<u64>,
    /// Its bytes: a register's in little-endian order, memory's in the order of addresses.
    pub value: &'a [u8],
    /// Whether the first byte of a number is its most significant one.
    pub is_big_endian: bool,
    /// How it is used.
    pub used: Use,
    /// Its taint, if it has any.
    pub taint: Option<Taint>,
}

/// The extent to which bytes of values are passed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// As far as they are shown: up to [`crate::Limits::payload`] of each value.
    #[default]
    Shown,
    /// As far as a format holds those of a record, for what looks into them: at least 64 MiB.
    Held,
    /// As far as they are shown, and of the rest a digest ([`Visitor::left_out`]): for what tells
    /// records apart.
    Digested,
}

/// Receives the records of a pass. Keys of fields are those of the JSON lines that `unspool dump`
/// prints, where these have the field. A visitor that wants no fields needs [`Visitor::begin`]
/// alone.
pub trait Visitor {
    /// Whether a record with this name can be wanted, if it has no fields but some with these keys;
    /// those of its arguments are among them. A format that knows names and keys before it reads
    /// the values may ask this, at any time and as often as it likes, and leave out what cannot be
    /// wanted: [`Visitor::begin`] is not called for it.
    fn may_want(&mut self, _name: RecordName<'_>, _keys: &mut dyn Iterator<Item = &str>) -> bool {
        true
    }
    /// A record. Returns whether its fields are wanted; else none of the methods below is called
    /// for it, except [`Visitor::is_full`].
    fn begin(&mut self, record: &Record<'_>) -> bool;
    /// A field with a single value. In a list, `key` is empty.
    fn field(&mut self, _key: &str, _value: FieldValue<'_>) {}
    /// An operand, before its field.
    fn operand(&mut self, _operand: &Operand<'_>) {}
    /// A list or structure begins. Fields follow, in a list with empty keys, until
    /// [`Visitor::close`].
    fn open(&mut self, _key: &str, _is_list: bool) {}
    /// The innermost list or structure ends.
    fn close(&mut self) {}
    /// The record has more than its fields show: a digest of that. What comes before the first
    /// field is about the record, else about the latest field, or the list or structure that was
    /// closed last. Only with [`Extent::Digested`].
    fn left_out(&mut self, _digest: [u64; 2]) {}
    /// The record has no more fields.
    fn end(&mut self) {}
    /// A whole record of a kind, which is its first field, with some other fields: all of the above
    /// in one call, for formats that have little else.
    fn record(&mut self, record: &Record<'_>, kind: &'static str, others: &[(&'static str, FieldValue<'_>)]) {
        if self.begin(record) {
            self.field("kind", FieldValue::Text(kind));
            for (key, value) in others {
                self.field(key, *value);
            }
            self.end();
        }
    }
    /// The extent to which bytes of values are needed: the same during a pass.
    fn extent(&self) -> Extent {
        Extent::Shown
    }
    /// Whether the pass must stop after the current record. It can be continued.
    fn is_full(&self) -> bool {
        false
    }
}

/// What a pass delivers: the kind of visitor that receives it.
pub trait Delivery {
    /// The visitor.
    type Visitor<'v>: ?Sized;

    /// Whether the pass must stop after the current record. It can be continued.
    fn is_full(visitor: &Self::Visitor<'_>) -> bool;
}

/// Records with their fields, to a [`Visitor`].
#[derive(Clone, Copy, Debug)]
pub enum Fields {}

impl Delivery for Fields {
    type Visitor<'v> = dyn Visitor + 'v;

    fn is_full(visitor: &Self::Visitor<'_>) -> bool {
        visitor.is_full()
    }
}

/// A pass over consecutive pieces. The same bytes give the same records in any portions.
pub trait Pass<D: Delivery = Fields> {
    /// The bytes needed next. Empty if it can go on without any. `None` if it is done.
    fn want(&self) -> Option<Range>;

    /// Takes bytes from the beginning of [`Pass::want`], all or some of them, and passes records to
    /// `visitor`. Returns how many bytes it used; the rest belongs to what it wants next. Uses none
    /// if it needs more than it got at once, unless the visitor is full.
    ///
    /// # Errors
    ///
    /// Fails where decoding for the timeline fails. Every record before that was passed on.
    fn push(&mut self, bytes: &[u8], visitor: &mut D::Visitor<'_>) -> Result<usize>;

    /// The file ends after `rest`, which begins where [`Pass::want`] does. Records that are
    /// incomplete but shown in the timeline are passed on. Afterwards nothing is wanted.
    ///
    /// # Errors
    ///
    /// Those of [`Pass::push`].
    fn end(&mut self, rest: &[u8], visitor: &mut D::Visitor<'_>) -> Result<()>;
}

/// Reads the records of a trace anywhere. It has an index and no state, so that any number of
/// passes may run.
pub trait Records {
    /// The lanes, with their pieces.
    fn lanes(&self) -> &[Lane];

    /// A pass over the pieces with these numbers, as far as they exist. Records are passed on in
    /// file order as they become complete, and each belongs to one of the pieces.
    fn pass(&self, pieces: Numbers<u32>) -> Box<dyn Pass + '_>;

    /// Whether passes need a decompressor that a program provides on demand
    /// (`unspool_containers::provide`).
    fn needs_decompressor(&self) -> bool {
        false
    }

    /// The bytes that the details of a record need: about 1 MiB at most. An empty range if the
    /// index has all. `None` if there is no such record.
    fn details_range(&self, locator: Locator) -> Option<Range>;

    /// A further range that the details need, such as that of an end far from its beginning.
    /// `bytes` are those of [`Records::details_range`] followed by those of every range returned
    /// here so far. The caller repeats this until it returns `None`.
    fn details_next(&self, _locator: Locator, _bytes: &[u8]) -> Option<Range> {
        None
    }

    /// Decodes a record in full, as fields with labels for people. `bytes` are those of all its
    /// ranges, in order. If further ranges are missing, the details say so.
    ///
    /// # Errors
    ///
    /// Returns [`Cause::Misuse`](crate::Cause::Misuse) if there is no such record,
    /// [`Cause::Unavailable`](crate::Cause::Unavailable) or [`Cause::Gone`](crate::Cause::Gone) if
    /// it is not to be had any more, or the cause why the bytes cannot be decoded.
    fn details(&self, locator: Locator, bytes: &[u8]) -> Result<RecordDetails>;
}

/// Reads the records of a database anywhere. Rows are found by the database, so there is no index.
///
/// The caller first fetches what [`RowRecords::want`] returns and passes it to
/// [`RowRecords::push`], until it returns `None`. The records then have one lane, without pieces.
pub trait RowRecords {
    /// Instructions are found with this.
    fn set_instructions(&mut self, instructions: Box<dyn crate::Instructions>);

    /// What is to be fetched before records can be read.
    fn want(&self) -> Option<crate::rows::Query>;

    /// Takes all rows of [`RowRecords::want`].
    ///
    /// # Errors
    ///
    /// The rows are not those of a trace.
    fn push(&mut self, rows: &mut crate::rows::Rows) -> Result<(), crate::rows::RowError>;

    /// The lane.
    fn lane(&self) -> Lane;

    /// The queries whose rows hold the records of these rows of the lane.
    fn queries(&self, rows: Numbers<u64>) -> Vec<crate::rows::Query>;

    /// Passes records to `visitor`. `found` are the rows of each of [`RowRecords::queries`].
    fn visit(&self, rows: Numbers<u64>, found: &[crate::rows::Rows], visitor: &mut dyn Visitor);

    /// The queries whose rows say where the next records with content are.
    fn queries_beyond(&self, row: u64) -> Vec<crate::rows::Query>;

    /// The first row from `row` on whose record says something. A pass over all records goes on
    /// there: a row may stand for billions that no bytes of the file are about. `found` are the
    /// rows of each of [`RowRecords::queries_beyond`].
    fn row_beyond(&self, row: u64, found: &[crate::rows::Rows]) -> u64;

    /// The queries whose rows the details of a record are made from.
    fn details_queries(&self, locator: Locator) -> Vec<crate::rows::Query>;

    /// A record in full. `found` are the rows of each of [`RowRecords::details_queries`].
    fn details(&self, locator: Locator, found: &[crate::rows::Rows]) -> RecordDetails;
}

/// A record with its fields, owned: a row of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Where the record is found again.
    pub locator: Locator,
    /// Number of its lane.
    pub lane: u32,
    /// Its row in that lane.
    pub row: u64,
    /// Its position on the x axis.
    pub x: u64,
    /// The track of its thread.
    pub track: TrackId,
    /// Its name. Empty if it has none.
    pub name: String,
    /// Its fields, by key.
    pub fields: Vec<Field>,
    /// Number of values beyond the limit.
    pub dropped: u64,
}

/// Collects records as [`Row`]s, for lists of a few hundred.
#[derive(Debug)]
pub struct Rows {
    /// Which rows of which lane are kept.
    lane: u32,
    wanted: Numbers<u64>,
    /// Limit for the values of a record.
    values: usize,
    /// Limit for the bytes of a text or of bytes.
    bytes: usize,
    rows: Vec<Row>,
    kept: usize,
    /// Bytes of the record that were kept beyond that limit.
    beyond: usize,
    open: Vec<Open>,
}

/// A list or structure that is being collected.
#[derive(Debug)]
struct Open {
    name: Cow<'static, str>,
    is_list: bool,
    fields: Vec<Field>,
}

impl Rows {
    /// Keeps rows of a lane, at most `values` values of each, and at most `bytes` bytes of each
    /// text or blob. Of blobs that are [`printed`] all bytes are kept, because a part does not tell
    /// that they are: at most `values * bytes` of a record.
    pub fn new(lane: u32, wanted: Numbers<u64>, values: usize, bytes: usize) -> Self {
        Self { lane, wanted, values, bytes, rows: Vec::new(), kept: 0, beyond: 0, open: Vec::new() }
    }

    /// The rows, ascending.
    pub fn into_rows(mut self) -> Vec<Row> {
        self.rows.sort_by_key(|row| row.row);
        self.rows
    }

    /// Number of rows so far.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows so far.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Number of bytes of a value that are kept.
    fn most_of(&mut self, value: FieldValue<'_>) -> usize {
        let FieldValue::Bytes { bytes, len } = value else { return self.bytes };
        let beyond = self.beyond.saturating_add(bytes.len());
        if bytes.len() <= self.bytes || beyond > self.values.saturating_mul(self.bytes) || printed(bytes, len).is_none()
        {
            return self.bytes;
        }
        self.beyond = beyond;
        bytes.len()
    }

    /// Keeps a value unless there are too many.
    fn keep(&mut self, field: Field) {
        let Some(row) = self.rows.last_mut() else { return };
        if self.kept >= self.values {
            row.dropped += 1;
            return;
        }
        self.kept += 1;
        self.open.last_mut().map_or(&mut row.fields, |open| &mut open.fields).push(field);
    }
}

/// The double whose shortest form is that of the float: 0.1 instead of 0.10000000149011612.
fn shortest(x: f32) -> f64 {
    alloc::format!("{x:e}").parse().unwrap_or(f64::from(x))
}

impl Visitor for Rows {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        let wanted = record.lane == self.lane && self.wanted.contains(&record.row);
        if wanted {
            let name = match record.name {
                RecordName::None => String::new(),
                RecordName::Text(text) => text.into(),
                RecordName::Id(id) => alloc::format!("#{id}"),
            };
            let Record { locator, lane, row, x, track, .. } = *record;
            self.rows.push(Row { locator, lane, row, x, track, name, fields: Vec::new(), dropped: 0 });
            self.kept = 0;
            self.beyond = 0;
        }
        wanted
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        let value = value.to_value(self.most_of(value));
        self.keep(Field { name: Cow::Owned(key.into()), value });
    }

    fn open(&mut self, key: &str, is_list: bool) {
        self.open.push(Open { name: Cow::Owned(key.into()), is_list, fields: Vec::new() });
    }

    fn close(&mut self) {
        let Some(Open { name, is_list, fields }) = self.open.pop() else { return };
        let is_empty = fields.is_empty();
        let value = match is_list {
            true => Value::List(fields.into_iter().map(|field| field.value).collect()),
            false => Value::Tree(fields),
        };
        // What holds kept values is kept, too: a long list is shortened instead of removed.
        if is_empty {
            return self.keep(Field { name, value });
        }
        let Some(row) = self.rows.last_mut() else { return };
        self.open.last_mut().map_or(&mut row.fields, |open| &mut open.fields).push(Field { name, value });
    }

    fn end(&mut self) {
        self.open.clear();
    }

    // A pass is given only pieces that hold wanted rows, so reading them to the end costs little.
    fn is_full(&self) -> bool {
        (self.rows.len() as u64) >= self.wanted.end.saturating_sub(self.wanted.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn record(row: u64) -> Record<'static> {
        Record { locator: Locator::at(row), lane: 0, row, x: row, track: 0, name: RecordName::Id(7) }
    }

    #[test]
    fn collects_the_wanted_rows_in_order() {
        let mut rows = Rows::new(0, 1..3, 10, 4);
        for row in [0, 2, 1, 3] {
            if rows.begin(&record(row)) {
                rows.field("text", FieldValue::Text("ééé"));
                rows.open("args", true);
                rows.field("", FieldValue::U64(row));
                rows.close();
                rows.end();
            }
        }
        let rows = rows.into_rows();
        assert_eq!(rows.iter().map(|row| row.row).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(rows[0].name, "#7");
        assert_eq!(
            rows[0].fields,
            [Field::new("text", Value::Text("éé…".into())), Field::new("args", Value::List(vec![Value::U64(1)])),]
        );
    }

    #[test]
    fn bytes_that_are_a_text_are_kept_whole_up_to_a_limit() {
        let mut rows = Rows::new(0, 0..2, 3, 4);
        for row in 0..2 {
            assert!(rows.begin(&record(row)));
            for bytes in [&b"abcdefgh"[..], b"abcdefg\0", b"ijklm"] {
                rows.field("v", FieldValue::Bytes { bytes, len: bytes.len() as u64 });
            }
            rows.end();
        }
        let kept = |row: &Row| -> Vec<Vec<u8>> {
            let fields = row.fields.iter();
            fields
                .map(|field| if let Value::Bytes { bytes, .. } = &field.value { bytes.clone() } else { vec![] })
                .collect()
        };
        for row in rows.into_rows() {
            // The second is not a text, and the third exceeds the limit of the record, 12 bytes.
            assert_eq!(kept(&row), [&b"abcdefgh"[..], b"abcd", b"ijkl"]);
        }
    }

    #[test]
    fn a_long_list_is_shortened_and_counted() {
        let mut rows = Rows::new(0, 0..1, 3, 4);
        assert!(rows.begin(&record(0)));
        rows.open("args", true);
        for i in 0..5 {
            rows.field("", FieldValue::U64(i));
        }
        rows.close();
        rows.end();
        assert!(rows.is_full());
        let rows = rows.into_rows();
        assert_eq!(rows[0].fields, [Field::new("args", Value::List((0..3).map(Value::U64).collect()))]);
        assert_eq!(rows[0].dropped, 2);
    }

    #[test]
    fn empty_containers_count_as_values() {
        let mut rows = Rows::new(0, 0..1, 3, 4);
        assert!(rows.begin(&record(0)));
        rows.open("outer", true);
        for _ in 0..5 {
            rows.open("", false);
            rows.close();
        }
        rows.close();
        rows.end();
        let rows = rows.into_rows();
        assert_eq!(rows[0].fields, [Field::new("outer", Value::List(vec![Value::Tree(vec![]); 3]))]);
        assert_eq!(rows[0].dropped, 2);
    }
}
