//! `unspool stats`: statistics of each function of a trace.

use std::cmp::Reverse;
use std::io::{self, BufWriter, Write};

use serde::Serialize;
use unspool_engine::statistics::{Function, Question, Summary};
use unspool_engine::{Session, Store};
use unspool_formats::batch::Key;

use crate::csv::quoted;
use crate::read_whole::{read_named, threads};
use crate::{Failure, NameArgs, TraceArgs, json};

/// Most functions in the table.
const LISTED: usize = 50;

/// The output form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Table,
    Json,
    Csv,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    file: &'a str,
    /// How many tracks the statistics cover.
    tracks: usize,
    /// Time in which any call was open, summed over the tracks, in ticks.
    covered: u64,
    /// Sorted by descending self time.
    functions: Vec<Line<'a>>,
}

/// Statistics of one function, in the order of the columns.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    kind: &'static str,
    /// The id that the file has in place of a name.
    id: Option<i64>,
    /// The address that the file has in place of a name.
    address: Option<u64>,
    count: u64,
    total: u64,
    #[serde(rename = "self")]
    own: u64,
    min: u64,
    median: u64,
    p90: u64,
    p99: u64,
    max: u64,
    /// Bytes of data, in traces of calls that have such.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

const COLUMNS: [&str; 12] =
    ["name", "kind", "id", "address", "count", "total", "self", "min", "median", "p90", "p99", "max"];

impl<'a> Line<'a> {
    fn of(store: &'a Store, function: &Function) -> Self {
        let Function { name, count, total, own, min, max, percentiles, bytes } = *function;
        let (kind, key) = store.key(name);
        let (id, address) = match key {
            Key::None => (None, None),
            Key::Id(id) => (Some(id), None),
            Key::Address(address) => (None, Some(address)),
        };
        Self {
            name: store.names().get(name as usize).map_or("", String::as_str),
            kind: kind.word(),
            id,
            address,
            count,
            total,
            own,
            min,
            median: percentiles.median,
            p90: percentiles.p90,
            p99: percentiles.p99,
            max,
            bytes: (bytes > 0).then_some(bytes),
        }
    }

    /// Count and times, in the order of the columns.
    fn figures(&self) -> [u64; 8] {
        let Self { count, total, own, min, median, p90, p99, max, .. } = *self;
        [count, total, own, min, median, p90, p99, max]
    }
}

pub(crate) fn run(trace: &TraceArgs, form: Form, names: &NameArgs) -> Result<(), Failure> {
    let (source, session) = read_named(trace, names)?;
    let store = session.store();
    let tracks = threads(&session);
    let summary = Summary::of(store, &Question { from: 0, to: u64::MAX, tracks: tracks.clone() });
    let mut functions: Vec<_> = summary.functions.iter().map(|function| Line::of(store, function)).collect();
    functions.sort_by_key(|line| (Reverse(line.own), Reverse(line.total), line.name));
    let report = Report { file: &source.name, tracks: tracks.len(), covered: summary.covered, functions };
    let mut out = BufWriter::new(io::stdout().lock());
    match form {
        Form::Json => json::print(&mut out, &report)?,
        Form::Csv => print_csv(&mut out, &report.functions)?,
        Form::Table => print_table(&mut out, &report, &session)?,
    }
    out.flush()?;
    Ok(())
}

/// RFC 4180.
fn print_csv(out: &mut impl Write, functions: &[Line<'_>]) -> io::Result<()> {
    write!(out, "{}\r\n", COLUMNS.join(","))?;
    for line in functions {
        write!(out, "{},{},", quoted(line.name), line.kind)?;
        if let Some(id) = line.id {
            write!(out, "{id}")?;
        }
        write!(out, ",")?;
        if let Some(address) = line.address {
            write!(out, "{address}")?;
        }
        for figure in line.figures() {
            write!(out, ",{figure}")?;
        }
        write!(out, "\r\n")?;
    }
    Ok(())
}

fn print_table(out: &mut impl Write, report: &Report<'_>, session: &Session) -> io::Result<()> {
    let info = session.info();
    if report.functions.is_empty() {
        return writeln!(out, "No {} to list.", info.slice_noun);
    }
    let listed = report.functions.get(..LISTED).unwrap_or(&report.functions);
    let heads = ["self", "total", "count", "min", "median", "p90", "p99", "max"];
    let rows: Vec<[String; 8]> = listed
        .iter()
        .map(|line| {
            let [count, total, own, min, median, p90, p99, max] = line.figures();
            [own, total, count, min, median, p90, p99, max].map(|figure| figure.to_string())
        })
        .collect();
    let widths: Vec<usize> =
        (0..heads.len()).map(|i| rows.iter().map(|row| row[i].len()).fold(heads[i].len(), usize::max)).collect();
    let mut line = |cells: &[&str], name: &str| -> io::Result<()> {
        for (cell, width) in cells.iter().zip(&widths) {
            write!(out, "{cell:>width$}  ")?;
        }
        writeln!(out, "{name}")
    };
    line(&heads, "name")?;
    for (row, listed) in rows.iter().zip(listed) {
        line(&row.each_ref().map(String::as_str), listed.name)?;
    }
    let more = report.functions.len() - listed.len();
    if more > 0 {
        writeln!(out, "{more} more; --json and --csv list all.")?;
    }
    Ok(())
}
