//! Rows that a command prints: in columns for people, as JSON or CSV for programs.
//!
//! A command declares each [`Column`] once: its key, its value in a row, and how text shows it. The
//! keys are those of the JSON objects and the head of the CSV, so a [`Listing`] is also the schema
//! of what programs get.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::Value;
use unspool_trace::batch::Key;

use crate::console::{self, one_line};
use crate::csv::write_row;
use crate::json;

/// Widest measured column.
const WIDEST: usize = 80;

/// The form of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Json,
    Csv,
}

impl Form {
    /// The form that the options `--json` and `--csv` ask for.
    pub(crate) fn of(json: bool, csv: bool) -> Self {
        match (json, csv) {
            (true, _) => Self::Json,
            (_, true) => Self::Csv,
            _ => Self::Text,
        }
    }

    /// Standard output for it.
    pub(crate) fn out(self) -> console::Out {
        console::data_or_text(self != Self::Text)
    }
}

/// A value in a row.
pub(crate) enum Cell<'a> {
    /// Not known: `null` in JSON, empty in CSV.
    Null,
    /// Rows of this kind have no such value: no key in JSON, empty in CSV.
    Absent,
    Unsigned(u64),
    Signed(i64),
    Real(f64),
    Bool(bool),
    Text(Cow<'a, str>),
    /// An array in JSON, and one text in CSV, with what stands between the words.
    Words(Vec<&'a str>, &'static str),
    /// As it is in JSON; its JSON in CSV.
    Json(Value),
}

impl Cell<'_> {
    /// As a text, with the one for what is not known.
    pub(crate) fn into_text(self, null: &str) -> String {
        match self {
            Self::Null | Self::Absent => null.into(),
            Self::Unsigned(number) => number.to_string(),
            Self::Signed(number) => number.to_string(),
            Self::Real(number) => number.to_string(),
            Self::Bool(is) => is.to_string(),
            Self::Text(text) => text.into_owned(),
            Self::Words(words, between) => words.join(between),
            Self::Json(value) => value.to_string(),
        }
    }
}

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null | Self::Absent => serializer.serialize_none(),
            Self::Unsigned(number) => serializer.serialize_u64(*number),
            Self::Signed(number) => serializer.serialize_i64(*number),
            Self::Real(number) => serializer.serialize_f64(*number),
            Self::Bool(is) => serializer.serialize_bool(*is),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Words(words, _) => words.serialize(serializer),
            Self::Json(value) => value.serialize(serializer),
        }
    }
}

macro_rules! cells {
    ($($from:ty => |$value:ident| $cell:expr;)*) => {
        $(impl<'a> From<$from> for Cell<'a> {
            fn from($value: $from) -> Self {
                $cell
            }
        })*
    };
}

cells! {
    u32 => |number| Self::Unsigned(number.into());
    u64 => |number| Self::Unsigned(number);
    usize => |number| Self::Unsigned(number as u64);
    i64 => |number| Self::Signed(number);
    bool => |is| Self::Bool(is);
    &'a str => |text| Self::Text(Cow::Borrowed(text));
    String => |text| Self::Text(Cow::Owned(text));
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Where text puts the values of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Aligned in at least this number of characters.
    Left(usize),
    Right(usize),
    /// As wide as its values, aligned to the right.
    Measured,
    /// As wide as its values: numbers to the right, all others to the left. The head stands where
    /// the first value does.
    MeasuredByValue,
    /// At the end of the line.
    Rest,
    /// At the end of the line, without a gap if it is empty.
    Note,
}

/// Gets something of a row.
type Of<'c, R, T> = Box<dyn Fn(&R) -> T + 'c>;

/// One column of a listing. Text shows it only if it has a place there.
pub(crate) struct Column<'c, R> {
    key: Cow<'c, str>,
    cell: Of<'c, R, Cell<'c>>,
    /// The text in place of the value's own.
    shown: Option<Of<'c, R, String>>,
    head: Option<&'static str>,
    /// Text for what is not known.
    null: &'static str,
    /// What text puts before it, if something is there.
    gap: &'static str,
    place: Option<Place>,
    is_in_json: bool,
    is_in_csv: bool,
}

/// A column with a key, and the value that it has in a row.
pub(crate) fn column<'c, R>(key: impl Into<Cow<'c, str>>, cell: impl Fn(&R) -> Cell<'c> + 'c) -> Column<'c, R> {
    let (key, cell) = (key.into(), Box::new(cell));
    let (is_in_json, is_in_csv) = (true, true);
    Column { key, cell, shown: None, head: None, null: "", gap: "  ", place: None, is_in_json, is_in_csv }
}

/// The id and the address that a file has in place of a name, if it has one.
pub(crate) fn key_columns<'c, R: 'c>(key: impl Fn(&R) -> Key + Copy + 'c) -> [Column<'c, R>; 2] {
    let id = move |row: &R| if let Key::Id(id) = key(row) { Cell::Signed(id) } else { Cell::Null };
    let address = move |row: &R| if let Key::Address(at) = key(row) { Cell::Unsigned(at) } else { Cell::Null };
    [column("id", id), column("address", address)]
}

impl<'c, R> Column<'c, R> {
    /// Text shows it in at least `width` characters, aligned to the left.
    pub(crate) fn left(self, width: usize) -> Self {
        Self { place: Some(Place::Left(width)), ..self }
    }

    /// Text shows it in at least `width` characters, aligned to the right.
    pub(crate) fn right(self, width: usize) -> Self {
        Self { place: Some(Place::Right(width)), ..self }
    }

    /// Text shows it as wide as its values, aligned to the right.
    pub(crate) fn measured(self) -> Self {
        Self { place: Some(Place::Measured), ..self }
    }

    /// Text shows it as wide as its values, numbers aligned to the right and all others to the
    /// left.
    pub(crate) fn measured_by_value(self) -> Self {
        Self { place: Some(Place::MeasuredByValue), ..self }
    }

    /// Text shows it at the end of the line.
    pub(crate) fn rest(self) -> Self {
        Self { place: Some(Place::Rest), ..self }
    }

    /// Text shows it at the end of the line, unless it is empty.
    pub(crate) fn note(self) -> Self {
        Self { place: Some(Place::Note), ..self }
    }

    /// Text shows `shown` in place of the value. It must escape control characters of the trace.
    pub(crate) fn shown(self, shown: impl Fn(&R) -> String + 'c) -> Self {
        Self { shown: Some(Box::new(shown)), ..self }
    }

    /// The head in text, in place of the key.
    pub(crate) fn head(self, head: &'static str) -> Self {
        Self { head: Some(head), ..self }
    }

    /// What text shows of a value that is not known.
    pub(crate) fn or(self, null: &'static str) -> Self {
        Self { null, ..self }
    }

    /// What text puts before the column, in place of two blanks.
    pub(crate) fn after(self, gap: &'static str) -> Self {
        Self { gap, ..self }
    }

    /// Neither JSON nor CSV have it.
    pub(crate) fn in_text_only(self) -> Self {
        Self { is_in_json: false, is_in_csv: false, ..self }
    }

    /// CSV does not have it.
    pub(crate) fn not_in_csv(self) -> Self {
        Self { is_in_csv: false, ..self }
    }

    /// JSON does not have it.
    pub(crate) fn not_in_json(self) -> Self {
        Self { is_in_json: false, ..self }
    }

    fn in_text(&self, row: &R) -> Shown {
        let cell = (self.cell)(row);
        let is_right = match self.place {
            Some(Place::Right(_) | Place::Measured) => true,
            Some(Place::MeasuredByValue) => matches!(cell, Cell::Unsigned(_) | Cell::Signed(_) | Cell::Real(_)),
            _ => false,
        };
        let text = match (&self.shown, cell) {
            (Some(shown), _) => shown(row),
            (None, Cell::Text(text)) => one_line(&text).into_owned(),
            (None, cell) => cell.into_text(self.null),
        };
        Shown { text, is_right }
    }
}

/// The columns of rows that a command prints.
pub(crate) struct Listing<'c, R> {
    columns: Vec<Column<'c, R>>,
    /// Keys of the columns in the order of text; empty for that of the columns.
    order: &'static [&'static str],
    /// Rows whose widths decide those of measured columns.
    measured: usize,
    has_heads: bool,
    is_trimmed: bool,
}

impl<'c, R> Listing<'c, R> {
    /// Columns in the order of JSON and CSV. Text has no heads.
    pub(crate) fn new(columns: Vec<Column<'c, R>>) -> Self {
        Self { columns, order: &[], measured: usize::MAX, has_heads: false, is_trimmed: false }
    }

    /// Text begins with a line of heads.
    pub(crate) fn with_heads(self) -> Self {
        Self { has_heads: true, ..self }
    }

    /// Text has the columns with these keys in this order, and no others.
    pub(crate) fn in_order(self, order: &'static [&'static str]) -> Self {
        Self { order, ..self }
    }

    /// Text measures this number of rows, and not all, before it prints them.
    pub(crate) fn measuring(self, measured: usize) -> Self {
        Self { measured, ..self }
    }

    /// Lines of text do not end in blanks.
    pub(crate) fn trimmed(self) -> Self {
        Self { is_trimmed: true, ..self }
    }

    /// Begins to print: the head, if the form has one.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub(crate) fn begin<W: Write>(&self, form: Form, mut out: W) -> io::Result<Printer<'_, 'c, R, W>> {
        let mut columns: Vec<&Column<'c, R>> = match self.order {
            [] => self.columns.iter().collect(),
            keys => keys.iter().filter_map(|key| self.columns.iter().find(|it| it.key == *key)).collect(),
        };
        match form {
            Form::Text => columns.retain(|column| column.place.is_some()),
            Form::Json => columns.clear(),
            Form::Csv => {
                columns = self.columns.iter().filter(|column| column.is_in_csv).collect();
                let keys: Vec<String> = columns.iter().map(|column| column.key.to_string()).collect();
                if !keys.is_empty() {
                    write_row(&mut out, &keys)?;
                }
            }
        }
        let is_measured =
            |column: &&Column<'c, R>| matches!(column.place, Some(Place::Measured | Place::MeasuredByValue));
        let is_measured = columns.iter().any(is_measured);
        let mut printer = Printer { listing: self, form, out, columns, waiting: Some(Vec::new()), widths: Vec::new() };
        if form == Form::Text && !is_measured {
            printer.release()?;
        }
        Ok(printer)
    }

    /// Prints rows.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub(crate) fn print<'r>(&self, form: Form, out: impl Write, rows: impl IntoIterator<Item = &'r R>) -> io::Result<()>
    where
        R: 'r,
    {
        let mut printer = self.begin(form, out)?;
        rows.into_iter().try_for_each(|row| printer.row(row))?;
        printer.finish()
    }

    /// Rows as an array of JSON objects.
    pub(crate) fn records<'l>(&'l self, rows: &'l [R]) -> Records<'l, 'c, R> {
        Records { listing: self, rows }
    }
}

/// Prints the rows of a listing, one after the other.
pub(crate) struct Printer<'l, 'c, R, W> {
    listing: &'l Listing<'c, R>,
    form: Form,
    out: W,
    /// Those of the form.
    columns: Vec<&'l Column<'c, R>>,
    /// The first lines of text, until the widths are known.
    waiting: Option<Vec<Vec<Shown>>>,
    widths: Vec<usize>,
}

/// A value as text.
struct Shown {
    text: String,
    is_right: bool,
}

impl<R, W: Write> Printer<'_, '_, R, W> {
    /// Prints a row. Text may wait for further rows.
    ///
    /// # Errors
    ///
    /// Returns the error of the output.
    pub(crate) fn row(&mut self, row: &R) -> io::Result<()> {
        match self.form {
            Form::Json => return json::print_line(&mut self.out, &Record { listing: self.listing, row }),
            Form::Csv => {
                let fields = self.columns.iter().map(|column| (column.cell)(row).into_text(""));
                return write_row(&mut self.out, &fields.collect::<Vec<_>>());
            }
            Form::Text => {}
        }
        let line: Vec<Shown> = self.columns.iter().map(|column| column.in_text(row)).collect();
        let Some(waiting) = &mut self.waiting else { return self.line(&line) };
        waiting.push(line);
        if waiting.len() < self.listing.measured { Ok(()) } else { self.release() }
    }

    /// Prints what waits.
    ///
    /// # Errors
    ///
    /// Returns the error of the output.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if self.form == Form::Text { self.release() } else { Ok(()) }
    }

    /// Prints the heads and the lines that wait, once their widths decide those of the columns.
    fn release(&mut self) -> io::Result<()> {
        let Some(waiting) = self.waiting.take() else { return Ok(()) };
        let head = |(at, column): (usize, &&Column<'_, R>)| {
            let is_right = match column.place {
                Some(Place::MeasuredByValue) => {
                    waiting.first().and_then(|line| line.get(at)).is_some_and(|first| first.is_right)
                }
                place => matches!(place, Some(Place::Right(_) | Place::Measured)),
            };
            Shown { text: column.head.unwrap_or(&column.key).into(), is_right }
        };
        let heads = self.listing.has_heads.then(|| self.columns.iter().enumerate().map(head).collect::<Vec<_>>());
        let width = |(at, column): (usize, &&Column<'_, R>)| match column.place {
            Some(Place::Left(width) | Place::Right(width)) => width,
            Some(Place::Measured | Place::MeasuredByValue) => {
                let all = heads.iter().chain(&waiting).filter_map(|line| line.get(at));
                all.map(|shown| shown.text.chars().count()).max().unwrap_or(0).min(WIDEST)
            }
            Some(Place::Rest | Place::Note) | None => 0,
        };
        self.widths = self.columns.iter().enumerate().map(width).collect();
        let heads = heads.filter(|heads| !heads.is_empty());
        heads.iter().chain(&waiting).try_for_each(|line| self.line(line))
    }

    fn line(&mut self, cells: &[Shown]) -> io::Result<()> {
        let mut line = String::new();
        for ((column, width), Shown { text, is_right }) in self.columns.iter().zip(&self.widths).zip(cells) {
            if column.place == Some(Place::Note) && text.is_empty() {
                continue;
            }
            if !line.is_empty() {
                line.push_str(column.gap);
            }
            // Writing to a String cannot fail.
            let _ = if *is_right { write!(line, "{text:>width$}") } else { write!(line, "{text:width$}") };
        }
        writeln!(self.out, "{}", if self.listing.is_trimmed { line.trim_end() } else { &line })
    }
}

/// Rows as an array of JSON objects.
pub(crate) struct Records<'l, 'c, R> {
    listing: &'l Listing<'c, R>,
    rows: &'l [R],
}

impl<R> Serialize for Records<'_, '_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.rows.iter().map(|row| Record { listing: self.listing, row }))
    }
}

/// A row as a JSON object.
struct Record<'l, 'c, R> {
    listing: &'l Listing<'c, R>,
    row: &'l R,
}

impl<R> Serialize for Record<'_, '_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let columns = self.listing.columns.iter().filter(|column| column.is_in_json);
        let fields = columns.map(|column| (&column.key, (column.cell)(self.row)));
        serializer.collect_map(fields.filter(|(_, cell)| !matches!(cell, Cell::Absent)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row = (&'static str, u64, Option<u64>);

    fn listing() -> Listing<'static, Row> {
        let columns = vec![
            column("name", |row: &Row| row.0.into()).rest(),
            column("count", |row: &Row| row.1.into()).measured(),
            column("end", |row: &Row| row.2.into()).right(5).or("-"),
            column("twice", |row: &Row| (2 * row.1).into()).left(6).in_text_only(),
            column("id", |row: &Row| row.2.map_or(Cell::Absent, Cell::from)).not_in_csv(),
        ];
        Listing::new(columns).with_heads().in_order(&["count", "end", "twice", "name"]).measuring(3)
    }

    fn printed(form: Form, rows: &[Row]) -> String {
        let mut out = Vec::new();
        listing().print(form, &mut out, rows).unwrap();
        String::from_utf8(out).unwrap()
    }

    const ROWS: [Row; 2] = [("a,b", 1, Some(7)), ("c\n", 1234567, None)];

    #[test]
    fn text_has_its_own_order_and_widths() {
        let lines =
            ["  count    end  twice   name", "      1      7  2       a,b", "1234567      -  2469134  c\\n", ""];
        assert_eq!(printed(Form::Text, &ROWS), lines.join("\n"));
    }

    #[test]
    fn rows_after_the_measured_ones_keep_the_widths() {
        let rows: [Row; 4] = [("x", 1, None), ("x", 22, None), ("x", 333, None), ("x", 1_000_000, None)];
        let text = printed(Form::Text, &rows);
        let lines: Vec<&str> = text.lines().skip(3).collect();
        assert_eq!(lines, ["  333      -  666     x", "1000000      -  2000000  x"]);
    }

    #[test]
    fn programs_get_all_values_by_their_keys() {
        let json =
            "{\"name\":\"a,b\",\"count\":1,\"end\":7,\"id\":7}\n{\"name\":\"c\\n\",\"count\":1234567,\"end\":null}\n";
        assert_eq!(printed(Form::Json, &ROWS), json);
        assert_eq!(printed(Form::Csv, &ROWS), "name,count,end\r\n\"a,b\",1,7\r\n\"c\n\",1234567,\r\n");
    }
}
