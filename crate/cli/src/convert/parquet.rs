//! `--to parquet`: a data set that DuckDB, Spark, pandas and others read. `docs/fleet.md` describes
//! its tables.
//!
//! ```text
//! OUT/slices/trace=app.xray/0.parquet    and so for traces, tracks, names, instants, counters and args
//! ```
//!
//! It is a `Writer` behind the feature `parquet` of `unspool-cli`, because few need it and it takes
//! long to compile. `docs/fleet.md` has its schema.

use std::cell::RefCell;
use std::fs;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use unspool_export::{Arg, Head, Instant, Number, Sample, Slice, Table, Trace, Value, Writer};

use crate::output::Output;

/// The version of the schema, a column of `traces`. It changes if a column changes its meaning or
/// goes.
pub(crate) const SCHEMA: i32 = 1;
/// Rows of a row group.
const GROUP: usize = 1_000_000;
/// Texts that are passed on at once.
const BATCH: usize = 8192;

/// The tables with their columns. `traces` is last: when it is there, all are.
const TABLES: [(&str, &str); 7] = [
    (
        "tracks",
        "required int32 id; required binary kind (UTF8); required binary name (UTF8); optional int64 number; optional int64 parent; \
         required int32 lowest;",
    ),
    ("names", "required int32 id; required binary name (UTF8); required binary kind (UTF8); optional int64 key;"),
    (
        "slices",
        "required int64 id; required int32 track; required int32 depth; required int64 start; required int64 dur; \
         required binary name (UTF8); required int32 name_id; optional int64 parent; required int32 flags;",
    ),
    (
        "instants",
        "required int64 id; required int32 track; required int64 time; required binary name (UTF8); required int32 name_id;",
    ),
    (
        "counters",
        "required int64 id; required int32 track; required int64 time; required double value; optional int64 exact;",
    ),
    (
        "args",
        "optional int64 slice; optional int64 instant; required binary key (UTF8); optional binary value (UTF8); optional double number;",
    ),
    (
        "traces",
        "required int32 schema; required binary file (UTF8); required binary format (UTF8); optional int64 frequency; \
         required binary unit (UTF8); required int64 origin; required int64 length; required int64 slices; \
         required int64 instants; required int64 counters;",
    ),
];
const TRACKS: usize = 0;
const NAMES: usize = 1;
const SLICES: usize = 2;
const INSTANTS: usize = 3;
const COUNTERS: usize = 4;
const ARGS: usize = 5;
const TRACES: usize = 6;

/// Values of a column that are not written yet.
enum Column {
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    MaybeInt64(Vec<i64>, Vec<i16>),
    Double(Vec<f64>),
    MaybeDouble(Vec<f64>, Vec<i16>),
    Text(Texts),
    MaybeText(Texts, Vec<i16>),
    /// Texts of names, by their numbers: one of them takes less than a text.
    Name(Vec<u32>),
}

/// Texts in one piece: a million of them would take several times as much.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl Texts {
    fn push(&mut self, text: &str) {
        self.bytes.extend(text.bytes());
        self.ends.push(self.bytes.len());
    }

    /// All of them, to be passed on.
    fn take(&mut self) -> Batches {
        let Self { bytes, ends } = std::mem::take(self);
        Batches { bytes: bytes.into(), ends: ends.into_iter(), from: 0, batch: Vec::new() }
    }
}

/// Texts that are passed on some at a time.
struct Batches {
    bytes: ByteArray,
    ends: std::vec::IntoIter<usize>,
    from: usize,
    batch: Vec<ByteArray>,
}

impl Batches {
    /// The next ones, or as many as are left.
    fn next(&mut self, count: usize) -> &[ByteArray] {
        let Self { bytes, ends, from, batch } = self;
        batch.clear();
        batch.extend(ends.take(count).map(|end| {
            let text = bytes.slice(*from, end - *from);
            *from = end;
            text
        }));
        batch
    }
}

/// A value of a row.
enum Cell<'a> {
    Int32(i32),
    Int64(i64),
    MaybeInt64(Option<i64>),
    Double(f64),
    MaybeDouble(Option<f64>),
    Text(&'a str),
    MaybeText(Option<&'a str>),
    Name(u32),
}

impl Column {
    /// An empty column for values like this one.
    fn of(cell: &Cell<'_>) -> Self {
        match cell {
            Cell::Int32(_) => Self::Int32(Vec::new()),
            Cell::Int64(_) => Self::Int64(Vec::new()),
            Cell::MaybeInt64(_) => Self::MaybeInt64(Vec::new(), Vec::new()),
            Cell::Double(_) => Self::Double(Vec::new()),
            Cell::MaybeDouble(_) => Self::MaybeDouble(Vec::new(), Vec::new()),
            Cell::Text(_) => Self::Text(Texts::default()),
            Cell::MaybeText(_) => Self::MaybeText(Texts::default(), Vec::new()),
            Cell::Name(_) => Self::Name(Vec::new()),
        }
    }

    fn push(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (Self::Int32(values), Cell::Int32(value)) => values.push(value),
            (Self::Int64(values), Cell::Int64(value)) => values.push(value),
            (Self::Double(values), Cell::Double(value)) => values.push(value),
            (Self::Text(values), Cell::Text(text)) => values.push(text),
            (Self::Name(values), Cell::Name(name)) => values.push(name),
            // A value that is missing is known by its level alone.
            (Self::MaybeInt64(values, levels), Cell::MaybeInt64(value)) => {
                levels.push(value.is_some().into());
                values.extend(value);
            }
            (Self::MaybeDouble(values, levels), Cell::MaybeDouble(value)) => {
                levels.push(value.is_some().into());
                values.extend(value);
            }
            (Self::MaybeText(values, levels), Cell::MaybeText(value)) => {
                levels.push(value.is_some().into());
                if let Some(text) = value {
                    values.push(text);
                }
            }
            _ => debug_assert!(false, "the rows of a table have the same types"),
        }
    }
}

/// A file that is written.
struct TableFile {
    writer: SerializedFileWriter<Output>,
    columns: Vec<Column>,
    rows: usize,
    all_rows: u64,
}

impl TableFile {
    fn create(out: &Path, table: &str, columns: &str, trace: &str) -> Result<Self> {
        let path = path_of(out, table, trace);
        fs::create_dir_all(path.parent().unwrap_or(out))?;
        let schema = Arc::new(parse_message_type(&format!("message {table} {{ {columns} }}"))?);
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("Unspool ", env!("CARGO_PKG_VERSION")).into());
        // Numbers that mostly grow: a dictionary would not help.
        for column in ["id", "start", "time", "dur", "parent", "slice", "instant"] {
            properties = properties
                .set_column_dictionary_enabled(ColumnPath::from(column), false)
                .set_column_encoding(ColumnPath::from(column), Encoding::DELTA_BINARY_PACKED);
        }
        let writer = SerializedFileWriter::new(Output::create(&path)?, schema, Arc::new(properties.build()))?;
        Ok(Self { writer, columns: Vec::new(), rows: 0, all_rows: 0 })
    }

    fn push<const N: usize>(&mut self, row: [Cell<'_>; N], names: &[ByteArray]) -> Result<()> {
        if self.columns.is_empty() {
            self.columns = row.iter().map(Column::of).collect();
        }
        for (column, cell) in self.columns.iter_mut().zip(row) {
            column.push(cell);
        }
        self.rows += 1;
        self.all_rows += 1;
        if self.rows == GROUP { self.flush(names) } else { Ok(()) }
    }

    /// Writes a row group.
    fn flush(&mut self, names: &[ByteArray]) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.columns {
            let Some(mut writer) = group.next_column()? else { break };
            match column {
                Column::Int32(values) => {
                    writer.typed::<Int32Type>().write_batch(values, None, None)?;
                    values.clear();
                }
                Column::Int64(values) => {
                    writer.typed::<Int64Type>().write_batch(values, None, None)?;
                    values.clear();
                }
                Column::MaybeInt64(values, levels) => {
                    writer.typed::<Int64Type>().write_batch(values, Some(levels), None)?;
                    values.clear();
                    levels.clear();
                }
                Column::Double(values) => {
                    writer.typed::<DoubleType>().write_batch(values, None, None)?;
                    values.clear();
                }
                Column::MaybeDouble(values, levels) => {
                    writer.typed::<DoubleType>().write_batch(values, Some(levels), None)?;
                    values.clear();
                    levels.clear();
                }
                Column::Text(values) => {
                    let mut values = values.take();
                    while let [_, ..] = values.next(BATCH) {
                        writer.typed::<ByteArrayType>().write_batch(&values.batch, None, None)?;
                    }
                }
                Column::MaybeText(values, levels) => {
                    let mut values = values.take();
                    for some in levels.chunks(BATCH) {
                        values.next(some.iter().filter(|level| **level > 0).count());
                        writer.typed::<ByteArrayType>().write_batch(&values.batch, Some(some), None)?;
                    }
                    levels.clear();
                }
                Column::Name(values) => {
                    let none = ByteArray::from("");
                    let mut texts = Vec::with_capacity(BATCH);
                    for some in values.chunks(BATCH) {
                        texts.clear();
                        texts.extend(some.iter().map(|name| names.get(*name as usize).unwrap_or(&none).clone()));
                        writer.typed::<ByteArrayType>().write_batch(&texts, None, None)?;
                    }
                    values.clear();
                }
            }
            writer.close()?;
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }
}

/// The files of a trace.
struct Files {
    outputs: Vec<TableFile>,
    /// The path of the one that gets its name last.
    last: PathBuf,
    names: Vec<ByteArray>,
    /// By track, the depth that the page has for slices of depth 0.
    lowest: Vec<i32>,
    error: Option<ParquetError>,
}

impl Files {
    fn push<const N: usize>(&mut self, table: usize, row: [Cell<'_>; N]) {
        let Self { outputs, names, error, .. } = self;
        if let (Some(output), None) = (outputs.get_mut(table), &error)
            && let Err(reason) = output.push(row, names)
        {
            *error = Some(reason);
        }
    }

    fn rows(&self, table: usize) -> i64 {
        self.outputs.get(table).map_or(0, |output| output.all_rows as i64)
    }

    fn add_args(&mut self, slice: Option<i64>, instant: Option<i64>, args: &[Arg]) {
        // Keys of the open structures, and in lists the number of the next part.
        let mut path: Vec<(String, Option<usize>)> = Vec::new();
        for arg in args {
            if let Arg::Close = arg {
                path.pop();
                continue;
            }
            let (Arg::Field(own, _) | Arg::Open(own, _)) = arg else { continue };
            let mut key = String::new();
            for (part, _) in &path {
                key.push_str(part);
                key.push('.');
            }
            let own = match path.last_mut() {
                Some((_, Some(next))) => {
                    *next += 1;
                    (*next - 1).to_string()
                }
                _ => own.clone(),
            };
            key.push_str(&own);
            match arg {
                Arg::Open(_, is_list) => path.push((own, is_list.then_some(0))),
                Arg::Field(_, value) => {
                    let (text, number) = match value {
                        Value::Null => (None, None),
                        Value::Bool(is) => (Some(is.to_string()), Some(f64::from(u8::from(*is)))),
                        Value::Unsigned(number) => (Some(number.to_string()), Some(*number as f64)),
                        Value::Int(number) => (Some(number.to_string()), Some(*number as f64)),
                        Value::Pointer(number) => (Some(format!("0x{number:x}")), Some(*number as f64)),
                        Value::Real(number) => (Some(number.to_string()), Some(*number)),
                        Value::Text(text) => (Some(text.clone()), None),
                    };
                    let (slice, instant) = (Cell::MaybeInt64(slice), Cell::MaybeInt64(instant));
                    let value = [Cell::Text(&key), Cell::MaybeText(text.as_deref()), Cell::MaybeDouble(number)];
                    let [key, text, number] = value;
                    self.push(ARGS, [slice, instant, key, text, number]);
                }
                Arg::Close => {}
            }
        }
    }
}

/// A position as a signed number, from the first one of the trace.
fn from_origin(trace: &Trace, at: u64) -> i64 {
    i64::try_from(at.saturating_sub(trace.head.origin)).unwrap_or(i64::MAX)
}

/// Ids are numbers counted from 1, as in SQL.
fn id(number: u64) -> i64 {
    number as i64 + 1
}

/// Writes the tables of a trace. Clones share them.
#[derive(Clone)]
pub(crate) struct Parquet(Rc<RefCell<Files>>);

impl Parquet {
    /// The files of a trace, for a writer. `trace` is its name in the data set. `lowest` has for
    /// each track the depth that the page has for slices of depth 0: negative if calls have no
    /// begin.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be created.
    pub(crate) fn create(out: &Path, trace: &str, lowest: Vec<i32>) -> Result<Self> {
        let outputs = TABLES.iter().map(|(table, columns)| TableFile::create(out, table, columns, trace));
        let (outputs, last) = (outputs.collect::<Result<_>>()?, last_path(out, trace));
        let files = Files { outputs, last, names: Vec::new(), lowest, error: None };
        Ok(Self(Rc::new(RefCell::new(files))))
    }

    /// The first thing that went wrong.
    pub(crate) fn take_error(&self) -> Option<ParquetError> {
        self.0.borrow_mut().error.take()
    }

    /// Completes the files, calls `before`, and gives them their names. Returns how many bytes they
    /// have.
    ///
    /// # Errors
    ///
    /// Returns the first error of writing, or one of this.
    pub(crate) fn close(self, before: &dyn Fn() -> io::Result<()>) -> Result<u64> {
        let mut files = self.0.borrow_mut();
        if let Some(error) = files.error.take() {
            return Err(error);
        }
        let Files { outputs, names, last, .. } = &mut *files;
        let mut bytes = 0;
        let mut done = Vec::new();
        for mut output in outputs.drain(..) {
            output.flush(names)?;
            let mut file = output.writer.into_inner()?;
            bytes += file.stream_position()?;
            done.push(file);
        }
        before()?;
        // If this is interrupted, the tables of two conversions are not taken for those of one.
        if last.exists() {
            fs::remove_file(last)?;
        }
        for file in done {
            file.finish()?;
        }
        Ok(bytes)
    }

    /// The files of a trace.
    pub(crate) fn paths(out: &Path, trace: &str) -> Vec<PathBuf> {
        TABLES.iter().map(|(table, _)| path_of(out, table, trace)).collect()
    }

    /// Removes what is in part.
    pub(crate) fn remove(out: &Path, trace: &str) {
        for (table, _) in TABLES {
            // Stays if there is an earlier conversion.
            let _ = path_of(out, table, trace).parent().map(fs::remove_dir);
        }
    }

    /// Whether a trace was converted before.
    pub(crate) fn exists(out: &Path, trace: &str) -> bool {
        last_path(out, trace).exists()
    }

    /// The file that says that a trace was converted in part. Its name begins with an underscore,
    /// as those that are not part of a data set.
    pub(crate) fn mark(out: &Path, trace: &str) -> PathBuf {
        last_path(out, trace).with_file_name("_in_part")
    }
}

/// The file of a trace in a table.
fn path_of(out: &Path, table: &str, trace: &str) -> PathBuf {
    out.join(table).join(format!("trace={trace}")).join("0.parquet")
}

/// The file of a trace in the table that is written last.
fn last_path(out: &Path, trace: &str) -> PathBuf {
    let [.., (table, _)] = TABLES;
    path_of(out, table, trace)
}

impl Writer for Parquet {
    fn begin(&mut self, trace: &Trace, _out: &mut Vec<u8>) {
        let mut files = self.0.borrow_mut();
        files.names = trace.names.iter().map(|name| ByteArray::from(name.text.as_str())).collect();
        let lowest = std::mem::take(&mut files.lowest);
        for ((number, track), lowest) in (0..).zip(&trace.head.tracks).zip(lowest) {
            files.push(
                TRACKS,
                [
                    Cell::Int32(number + 1),
                    Cell::Text(track.kind.word()),
                    Cell::Text(&track.name),
                    Cell::MaybeInt64(track.id),
                    Cell::MaybeInt64(track.parent.map(|parent| id(parent.into()))),
                    Cell::Int32(lowest),
                ],
            );
        }
        for (number, name) in (0..).zip(&trace.names) {
            files.push(
                NAMES,
                [
                    Cell::Int32(number + 1),
                    Cell::Text(&name.text),
                    Cell::Text(name.kind.word()),
                    Cell::MaybeInt64(name.key.number()),
                ],
            );
        }
    }

    fn wants(&self, _trace: &Trace, _table: Table, _track: u32) -> bool {
        true
    }

    fn slice(&mut self, trace: &Trace, track: u32, slice: &Slice, args: &[Arg], _out: &mut Vec<u8>) {
        let mut files = self.0.borrow_mut();
        files.push(
            SLICES,
            [
                Cell::Int64(id(slice.row)),
                Cell::Int32(track as i32 + 1),
                Cell::Int32(slice.depth as i32),
                Cell::Int64(from_origin(trace, slice.start)),
                Cell::Int64(i64::try_from(slice.end - slice.start).unwrap_or(i64::MAX)),
                Cell::Name(slice.name),
                Cell::Int32(slice.name as i32 + 1),
                Cell::MaybeInt64(slice.parent.map(id)),
                Cell::Int32(slice.flags.into()),
            ],
        );
        if !args.is_empty() {
            files.add_args(Some(id(slice.row)), None, args);
        }
    }

    fn instant(&mut self, trace: &Trace, track: u32, instant: &Instant, args: &[Arg], _out: &mut Vec<u8>) {
        let mut files = self.0.borrow_mut();
        let id = files.rows(INSTANTS) + 1;
        files.push(
            INSTANTS,
            [
                Cell::Int64(id),
                Cell::Int32(track as i32 + 1),
                Cell::Int64(from_origin(trace, instant.time)),
                Cell::Name(instant.name),
                Cell::Int32(instant.name as i32 + 1),
            ],
        );
        if !args.is_empty() {
            files.add_args(None, Some(id), args);
        }
    }

    fn sample(&mut self, trace: &Trace, track: u32, sample: &Sample, _out: &mut Vec<u8>) {
        let mut files = self.0.borrow_mut();
        let id = files.rows(COUNTERS) + 1;
        let (value, exact) = match sample.value {
            Number::Int(number) => (number as f64, Some(number)),
            Number::Unsigned(number) => (number as f64, i64::try_from(number).ok()),
            Number::Real(number) => (number, None),
        };
        files.push(
            COUNTERS,
            [
                Cell::Int64(id),
                Cell::Int32(track as i32 + 1),
                Cell::Int64(from_origin(trace, sample.time)),
                Cell::Double(value),
                Cell::MaybeInt64(exact),
            ],
        );
    }

    fn finish(&mut self, trace: &Trace, _out: &mut Vec<u8>) -> bool {
        let mut files = self.0.borrow_mut();
        let Head { title, frequency, unit, origin, end, .. } = &trace.head;
        let counts = [SLICES, INSTANTS, COUNTERS].map(|table| Cell::Int64(files.rows(table)));
        let [slices, instants, counters] = counts;
        files.push(
            TRACES,
            [
                Cell::Int32(SCHEMA),
                Cell::Text(&trace.name),
                Cell::Text(title),
                Cell::MaybeInt64(frequency.and_then(|it| i64::try_from(it).ok())),
                Cell::Text(unit),
                Cell::Int64(*origin as i64),
                Cell::Int64(from_origin(trace, *end)),
                slices,
                instants,
                counters,
            ],
        );
        false
    }
}
