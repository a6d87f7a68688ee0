//! The tables of a trace, as columns. They have the names and the meaning of those of SQL
//! (`docs/sql.md`).

use std::cell::RefCell;
use std::mem;
use std::rc::Rc;
use std::sync::Arc;

use unspool_cli::opened::{Opened, RecordSink, Records, Refusal, Rows, Scope, Stop};
use unspool_export::{Arg, Head, Instant, Number, Sample, Slice, Trace, Writer};
use unspool_trace::FieldValue;

/// Rows of a batch, at most. Records may be more: those of a piece of the file stay together.
const ROWS: usize = 1 << 18;
/// Bytes of texts of a batch, about: far below the 2 GiB that its offsets can reach.
const BYTES: usize = 64 << 20;

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Slices,
    Instants,
    Counters,
    Tracks,
    Names,
    Records,
    Fields,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Int64,
    Int32,
    UInt8,
    Float64,
    Text,
    /// Numbers of names, the texts of which are in a dictionary.
    Name,
}

/// A column: its name, what it holds, and whether values may be missing.
pub(crate) type Field = (&'static str, Kind, bool);

impl Table {
    /// The table of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "slices" => Self::Slices,
            "instants" => Self::Instants,
            "counters" => Self::Counters,
            "tracks" => Self::Tracks,
            "names" => Self::Names,
            "records" => Self::Records,
            "fields" => Self::Fields,
            _ => return None,
        })
    }

    /// Its columns.
    pub(crate) fn fields(self) -> &'static [Field] {
        use Kind::{Float64, Int32, Int64, Name, Text, UInt8};
        match self {
            Self::Slices => &[
                ("id", Int64, false),
                ("track", Int32, false),
                ("depth", Int32, false),
                ("start", Int64, false),
                ("dur", Int64, false),
                ("name", Name, false),
                ("parent", Int64, true),
                ("flags", UInt8, false),
            ],
            Self::Instants => &[("track", Int32, false), ("time", Int64, false), ("name", Name, false)],
            Self::Counters => {
                &[("track", Int32, false), ("time", Int64, false), ("value", Float64, false), ("exact", Int64, true)]
            }
            Self::Tracks => &[
                ("id", Int32, false),
                ("kind", Text, false),
                ("name", Text, false),
                ("number", Int64, true),
                ("parent", Int32, true),
            ],
            Self::Names => &[("id", Int32, false), ("name", Text, false), ("kind", Text, false), ("key", Int64, true)],
            Self::Records => {
                &[("id", Int64, false), ("time", Int64, false), ("track", Int32, false), ("name", Text, true)]
            }
            Self::Fields => &[
                ("record", Int64, false),
                ("key", Text, false),
                ("value", Text, true),
                ("number", Float64, true),
                ("symbol", Text, true),
            ],
        }
    }
}

/// Texts in one piece, and where each of them ends, after a 0.
#[derive(Debug)]
pub(crate) struct Texts {
    pub(crate) ends: Vec<i32>,
    pub(crate) bytes: Vec<u8>,
    /// There was no room for some: offsets reach 2 GiB.
    lacks_some: bool,
}

impl Default for Texts {
    fn default() -> Self {
        Self { ends: vec![0], bytes: Vec::new(), lacks_some: false }
    }
}

impl Texts {
    /// Adds a text. If there is no room for it, that is noted.
    fn push(&mut self, text: &str) {
        if self.bytes.len() + text.len() <= i32::MAX as usize {
            self.bytes.extend_from_slice(text.as_bytes());
        } else {
            self.lacks_some = true;
        }
        self.ends.push(self.bytes.len() as i32);
    }

    /// Checks that all texts are there.
    ///
    /// # Errors
    ///
    /// Returns a sentence about `what` they are if there was no room for all.
    fn check(&self, what: &str) -> Result<(), Refusal> {
        if !self.lacks_some {
            return Ok(());
        }
        let sentence = format!("{what} have more than 2 GiB, which is more than a column of texts can have.");
        Err(Refusal { sentence, at: None, is_usage: false })
    }
}

/// The values of a column.
#[derive(Debug)]
pub(crate) enum Values {
    Int64(Vec<i64>),
    Int32(Vec<i32>),
    UInt8(Vec<u8>),
    Float64(Vec<f64>),
    Text(Texts),
    Name(Vec<i32>),
}

/// Which values are there, as bits.
#[derive(Debug, Default)]
pub(crate) struct Valid {
    pub(crate) bits: Vec<u8>,
    pub(crate) missing: usize,
    len: usize,
}

impl Valid {
    fn push(&mut self, is_there: bool) {
        let bit = self.len % 8;
        if bit == 0 {
            self.bits.push(0);
        }
        if let Some(last) = self.bits.last_mut() {
            *last |= u8::from(is_there) << bit;
        }
        self.len += 1;
        self.missing += usize::from(!is_there);
    }
}

/// A column of a batch.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) values: Values,
    /// Of columns whose values may be missing.
    pub(crate) valid: Option<Valid>,
}

impl Column {
    fn of((_, kind, is_nullable): &Field) -> Self {
        let values = match kind {
            Kind::Int64 => Values::Int64(Vec::new()),
            Kind::Int32 => Values::Int32(Vec::new()),
            Kind::UInt8 => Values::UInt8(Vec::new()),
            Kind::Float64 => Values::Float64(Vec::new()),
            Kind::Text => Values::Text(Texts::default()),
            Kind::Name => Values::Name(Vec::new()),
        };
        Self { values, valid: is_nullable.then(Valid::default) }
    }

    fn push(&mut self, cell: Cell<'_>) {
        match (&mut self.values, cell) {
            (Values::Int64(values), Cell::Int64(value)) => values.push(value),
            (Values::Int32(values) | Values::Name(values), Cell::Int32(value)) => values.push(value),
            (Values::Float64(values), Cell::Float64(value)) => values.push(value),
            (Values::Text(values), Cell::Text(value)) => values.push(value),
            (values, Cell::Missing) => {
                match values {
                    Values::Int64(values) => values.push(0),
                    Values::Int32(values) | Values::Name(values) => values.push(0),
                    Values::UInt8(values) => values.push(0),
                    Values::Float64(values) => values.push(0.0),
                    Values::Text(values) => values.push(""),
                }
                if let Some(valid) = &mut self.valid {
                    valid.push(false);
                }
                return;
            }
            _ => debug_assert!(false, "the rows of a table have the types of its columns"),
        }
        if let Some(valid) = &mut self.valid {
            valid.push(true);
        }
    }
}

/// A value of a row.
enum Cell<'a> {
    Int64(i64),
    Int32(i32),
    Float64(f64),
    Text(&'a str),
    Missing,
}

fn int64(value: Option<i64>) -> Cell<'static> {
    value.map_or(Cell::Missing, Cell::Int64)
}

fn text(value: Option<&str>) -> Cell<'_> {
    value.map_or(Cell::Missing, Cell::Text)
}

/// Rows of a table.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: usize,
    /// What columns of names refer to.
    pub(crate) names: Arc<Texts>,
}

/// Slices that are being collected. There are many, so that their columns are filled one by one.
#[derive(Default)]
struct Slices {
    ids: Vec<i64>,
    tracks: Vec<i32>,
    depths: Vec<i32>,
    starts: Vec<i64>,
    durations: Vec<i64>,
    names: Vec<i32>,
    parents: Vec<i64>,
    has_parent: Valid,
    flags: Vec<u8>,
}

impl Slices {
    fn push(&mut self, track: u32, slice: &Slice) {
        if self.ids.is_empty() {
            self.reserve();
        }
        self.ids.push(id(slice.row));
        self.tracks.push(track as i32 + 1);
        self.depths.push(slice.depth as i32);
        self.starts.push(slice.start as i64);
        self.durations.push(i64::try_from(slice.end - slice.start).unwrap_or(i64::MAX));
        self.names.push(slice.name as i32);
        self.parents.push(slice.parent.map_or(0, id));
        self.has_parent.push(slice.parent.is_some());
        self.flags.push(slice.flags);
    }

    /// Makes room for a batch.
    fn reserve(&mut self) {
        for column in [&mut self.ids, &mut self.starts, &mut self.durations, &mut self.parents] {
            column.reserve_exact(ROWS);
        }
        for column in [&mut self.tracks, &mut self.depths, &mut self.names] {
            column.reserve_exact(ROWS);
        }
        self.has_parent.bits.reserve_exact(ROWS / 8);
        self.flags.reserve_exact(ROWS);
    }

    /// The columns, in the order of [`Table::fields`].
    fn into_columns(mut self) -> Vec<Column> {
        // Few rows do not keep the room of many.
        if self.ids.len() < ROWS / 2 {
            for column in [&mut self.ids, &mut self.starts, &mut self.durations, &mut self.parents] {
                column.shrink_to_fit();
            }
            for column in [&mut self.tracks, &mut self.depths, &mut self.names] {
                column.shrink_to_fit();
            }
            self.flags.shrink_to_fit();
        }
        let column = |values| Column { values, valid: None };
        vec![
            column(Values::Int64(self.ids)),
            column(Values::Int32(self.tracks)),
            column(Values::Int32(self.depths)),
            column(Values::Int64(self.starts)),
            column(Values::Int64(self.durations)),
            column(Values::Name(self.names)),
            Column { values: Values::Int64(self.parents), valid: Some(self.has_parent) },
            column(Values::UInt8(self.flags)),
        ]
    }
}

/// Rows that are being collected.
struct Collecting {
    table: Table,
    slices: Slices,
    /// The columns of tables other than that of slices.
    columns: Vec<Column>,
    rows: usize,
    bytes: usize,
}

impl Collecting {
    fn new(table: Table) -> Self {
        let columns = table.fields().iter().map(Column::of).collect();
        Self { table, slices: Slices::default(), columns, rows: 0, bytes: 0 }
    }

    fn push<const N: usize>(&mut self, row: [Cell<'_>; N]) {
        for (column, cell) in self.columns.iter_mut().zip(row) {
            if let Cell::Text(text) = &cell {
                self.bytes += text.len();
            }
            column.push(cell);
        }
        self.rows += 1;
    }

    fn is_full(&self) -> bool {
        self.rows >= ROWS || self.bytes >= BYTES
    }

    /// What was collected. `None` if that is nothing.
    fn take(&mut self, names: &Arc<Texts>) -> Option<Batch> {
        if self.rows == 0 {
            return None;
        }
        let Self { table, slices, mut columns, rows, .. } = mem::replace(self, Self::new(self.table));
        if table == Table::Slices {
            columns = slices.into_columns();
        }
        Some(Batch { columns, rows, names: Arc::clone(names) })
    }
}

/// Rows of a table that are being passed on.
pub(crate) struct Pass {
    from: From,
    collecting: Rc<RefCell<Collecting>>,
    names: Arc<Texts>,
    is_done: bool,
    /// The next rows, if they were collected before they are wanted.
    ready: Option<Result<Option<Batch>, Refusal>>,
}

enum From {
    Rows(Box<Rows>),
    Records(Box<Records>),
}

impl Pass {
    /// Begins a pass over the rows of a part of a trace.
    pub(crate) fn new(opened: &Opened, table: Table, scope: &Scope, stop: &Stop) -> Result<Self, Refusal> {
        let collecting = Rc::new(RefCell::new(Collecting::new(table)));
        let mut names = Texts::default();
        let from = match table {
            Table::Records | Table::Fields => From::Records(Box::new(opened.records(scope, stop)?)),
            _ => {
                if matches!(table, Table::Slices | Table::Instants) {
                    opened.names().iter().for_each(|name| names.push(&name.text));
                    names.check("The names of this trace")?;
                }
                From::Rows(Box::new(opened.rows(scope, Box::new(Columns(Rc::clone(&collecting))), stop)?))
            }
        };
        Ok(Self { from, collecting, names: Arc::new(names), is_done: false, ready: None })
    }

    /// The next rows. `None` after the last ones.
    pub(crate) fn next(&mut self, opened: &Opened, stop: &Stop) -> Result<Option<Batch>, Refusal> {
        self.ready.take().unwrap_or_else(|| self.collect(opened, stop))
    }

    /// Collects the next rows, while a library is busy with those before.
    pub(crate) fn prepare(&mut self, opened: &Opened) {
        if self.ready.is_none() {
            self.ready = Some(self.collect(opened, &Stop::default()));
        }
    }

    fn collect(&mut self, opened: &Opened, stop: &Stop) -> Result<Option<Batch>, Refusal> {
        while !self.is_done && !self.collecting.borrow().is_full() {
            let left = ROWS.saturating_sub(self.collecting.borrow().rows).max(1);
            let is_more = match &mut self.from {
                From::Rows(rows) => opened.pass_rows(rows, left as u32, stop)?,
                From::Records(records) => opened.pass_records(records, &mut *self.collecting.borrow_mut(), stop)?,
            };
            self.is_done = !is_more;
        }
        let batch = self.collecting.borrow_mut().take(&self.names);
        for column in batch.iter().flat_map(|batch| &batch.columns) {
            if let Values::Text(texts) = &column.values {
                texts.check("The texts of these rows")?;
            }
        }
        Ok(batch)
    }
}

/// An id: numbers of SQL are counted from 1.
fn id(number: u64) -> i64 {
    number as i64 + 1
}

/// Collects the rows of a table from an export.
struct Columns(Rc<RefCell<Collecting>>);

impl Writer for Columns {
    fn begin(&mut self, trace: &Trace, _out: &mut Vec<u8>) {
        let mut to = self.0.borrow_mut();
        match to.table {
            Table::Tracks => {
                let Head { tracks, .. } = &trace.head;
                for (number, track) in (1..).zip(tracks) {
                    let parent = track.parent.map_or(Cell::Missing, |parent| Cell::Int32(parent as i32 + 1));
                    let kind = Cell::Text(track.kind.word());
                    to.push([Cell::Int32(number), kind, Cell::Text(&track.name), int64(track.id), parent]);
                }
            }
            Table::Names => {
                for (number, name) in (1..).zip(&trace.names) {
                    let kind = Cell::Text(name.kind.word());
                    to.push([Cell::Int32(number), Cell::Text(&name.text), kind, int64(name.key.number())]);
                }
            }
            _ => {}
        }
    }

    fn wants(&self, _trace: &Trace, table: unspool_export::Table, _track: u32) -> bool {
        matches!(
            (self.0.borrow().table, table),
            (Table::Slices, unspool_export::Table::Slices)
                | (Table::Instants, unspool_export::Table::Instants)
                | (Table::Counters, unspool_export::Table::Counters)
        )
    }

    fn slice(&mut self, _trace: &Trace, track: u32, slice: &Slice, _args: &[Arg], _out: &mut Vec<u8>) {
        let mut to = self.0.borrow_mut();
        to.slices.push(track, slice);
        to.rows += 1;
    }

    fn instant(&mut self, _trace: &Trace, track: u32, instant: &Instant, _args: &[Arg], _out: &mut Vec<u8>) {
        let time = Cell::Int64(instant.time as i64);
        self.0.borrow_mut().push([Cell::Int32(track as i32 + 1), time, Cell::Int32(instant.name as i32)]);
    }

    fn sample(&mut self, _trace: &Trace, track: u32, sample: &Sample, _out: &mut Vec<u8>) {
        let (value, exact) = match sample.value {
            Number::Int(number) => (number as f64, Some(number)),
            Number::Unsigned(number) => (number as f64, i64::try_from(number).ok()),
            Number::Real(number) => (number, None),
        };
        let (track, time) = (Cell::Int32(track as i32 + 1), Cell::Int64(sample.time as i64));
        self.0.borrow_mut().push([track, time, Cell::Float64(value), int64(exact)]);
    }

    fn finish(&mut self, _trace: &Trace, _out: &mut Vec<u8>) -> bool {
        false
    }
}

impl RecordSink for Collecting {
    fn record(&mut self, id: u64, x: u64, track: u32, name: Option<&str>) {
        if self.table == Table::Records {
            self.push([Cell::Int64(id as i64), Cell::Int64(x as i64), Cell::Int32(track as i32 + 1), text(name)]);
        }
    }

    fn field(&mut self, id: u64, key: &str, value: FieldValue<'_>, symbol: Option<&str>) {
        if self.table != Table::Fields {
            return;
        }
        let (shown, number) = shown(value);
        let (value, symbol) = (text(shown.as_deref()), text(symbol));
        let number = number.map_or(Cell::Missing, Cell::Float64);
        self.push([Cell::Int64(id as i64), Cell::Text(key), value, number, symbol]);
    }
}

/// A value as text, exactly, and as a number, if it is one.
fn shown(value: FieldValue<'_>) -> (Option<String>, Option<f64>) {
    match value {
        // A field gets its value.
        FieldValue::Null | FieldValue::Symbol { .. } => (None, None),
        FieldValue::Bool(is) => (Some(is.to_string()), Some(u8::from(is).into())),
        FieldValue::U64(number) => (Some(number.to_string()), Some(number as f64)),
        FieldValue::Hex(number) => (Some(format!("{number:#x}")), Some(number as f64)),
        FieldValue::I64(number) | FieldValue::Id(number) => (Some(number.to_string()), Some(number as f64)),
        FieldValue::F32(number) => (Some(number.to_string()), Some(number.into())),
        FieldValue::F64(number) => (Some(number.to_string()), Some(number)),
        FieldValue::Text(text) => (Some(text.into()), None),
        FieldValue::Bytes { bytes, .. } | FieldValue::Code { bytes, .. } => {
            (Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()), None)
        }
    }
}
