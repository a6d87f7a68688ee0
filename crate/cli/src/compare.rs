//! `unspool compare`: what differs between two traces.

mod drawn;
mod lines;
mod records;
mod runs;
mod saved;
mod things;
mod values;
mod why;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;
use serde_json::{Map, Value};
use unspool_compare::drawn::Drawn;
use unspool_compare::sentence::{amount, grouped};
use unspool_compare::things::Thing;
use unspool_compare::{Comparison, Figures, Row, Unit, Verdict, compare, sentence};
use unspool_engine::Session;

pub(crate) use self::runs::statement_names;
use self::values::Compared;
use crate::binaries::{self, Argument};
use crate::limit::{LimitArgs, Listed};
use crate::listing::{Cell, Form, Listing, column};
use crate::{Failure, NameArgs, TraceArgs, console, json};

/// Compares two traces of one format: figures of functions, records, or values.
///
/// A is the base, B what is compared with it. Functions are joined by name, those without a name by
/// id, or by address within their module. Figures are those of `unspool stats`; the verdict is
/// about the self time of a call: new, gone, slower, faster, same, or unsure.
///
/// Where time is measured, a function is slower or faster only if that is not within the noise:
/// medians of stretches of the run are compared, and what all functions have in common is taken for
/// the machine. Several runs of a side make verdicts surer; the figures are those of its median
/// run. docs/compare.md has the definitions.
///
/// Exit status, as of diff(1): 0 if nothing differs, 1 if something does, 2 on an error. Where time
/// is measured, a difference is a function that is slower, faster, new or gone; where calls or steps
/// are counted, any figure that differs; of an apitrace, also resources and findings.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Compare {
    /// The two traces.
    #[arg(num_args = 2, value_names = ["A", "B"], required_unless_present = "a", conflicts_with_all = ["a", "b"])]
    files: Vec<PathBuf>,
    /// Traces of runs before.
    #[arg(long, num_args = 1.., value_name = "FILE", requires = "b")]
    a: Vec<PathBuf>,
    /// Traces of runs after.
    #[arg(long, num_args = 1.., value_name = "FILE", requires = "a")]
    b: Vec<PathBuf>,
    /// Program that ran in A, as --binary of other commands. Repeat the option for shared libraries
    /// and debug files.
    #[arg(long, value_name = "[OBJECT=]FILE[@BASE]", value_parser = binaries::argument())]
    binary_a: Vec<Argument>,
    /// Program that ran in B.
    #[arg(long, value_name = "[OBJECT=]FILE[@BASE]", value_parser = binaries::argument())]
    binary_b: Vec<Argument>,
    /// File of names for A, as --names of other commands.
    #[arg(long, value_name = "FILE")]
    names_a: Option<PathBuf>,
    /// File of names for B.
    #[arg(long, value_name = "FILE")]
    names_b: Option<PathBuf>,
    /// Compare the records, one by one, in place of the functions: print those that have no
    /// counterpart in the other trace, as diff does.
    #[arg(long, conflicts_with_all = ["csv", "a", "b"])]
    records: bool,
    /// Find the step at which two executions part, and follow the values that made them back to the
    /// step that wrote another value, in traces that say what each step read and wrote (frames).
    #[arg(long, conflicts_with_all = ["records", "csv", "a", "b"])]
    why: bool,
    /// Only what the text of a record has counts, and threads are paired by id (with --records): no
    /// contents of blobs, no arguments in XRay logs, and addresses as they are.
    #[arg(long, requires = "records")]
    exact: bool,
    /// Leave out what a rule names (with --records): records by `thread:NAME` or `name:NAME`,
    /// values by `arg.NAME`, `addresses`, or `times`. In names, * stands for any characters. Repeat
    /// the option for several rules.
    #[arg(long, value_name = "RULE", requires = "records", conflicts_with = "exact")]
    ignore: Vec<String>,
    /// Print one JSON object.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print one line of CSV per function, with a header.
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    limit: LimitArgs,
    /// Write a report for people, a page of HTML in one file: the sentence, the functions that
    /// changed, and the flame graph of the difference.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["records", "why"])]
    html: Option<PathBuf>,
    /// Write call stacks with the self times of both, for difffolded.pl and flamegraph.pl.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["records", "why"])]
    folded: Option<PathBuf>,
    /// Write functions.parquet and paths.parquet, the functions and the call paths of both, to a
    /// directory.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["records", "why"])]
    parquet: Option<PathBuf>,
    /// Read on where a limit on unpacked bytes or memory would end the reading, and compare however
    /// many functions there are.
    #[arg(long)]
    no_limits: bool,
    /// Attribute the callee of a tail call to the function that jumped to it (XRay).
    #[arg(long)]
    nest_tail_calls: bool,
    /// Memory that slices of a trace may take before they are moved to a temporary file: 500M, 2G.
    #[arg(long, value_name = "SIZE", value_parser = crate::size)]
    max_memory: Option<u64>,
}

/// Most functions in the table.
const LISTED: usize = 50;

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a, F> {
    a: Side<'a>,
    b: Side<'a>,
    format: &'a str,
    /// Of all times.
    unit: &'a str,
    /// `ids` if neither side has names, else `names`.
    names: &'static str,
    sentence: &'a str,
    /// B divided by A: what nearly all functions have in common.
    #[serde(skip_serializing_if = "Option::is_none")]
    common: Option<f64>,
    /// Sorted by descending magnitude of the change of self time.
    functions: F,
    #[serde(flatten)]
    listed: Listed,
    /// `statements`, `variables` and `relations` of traces that have values; `graphics` of those
    /// that have OpenGL calls.
    #[serde(flatten)]
    more: Map<String, Value>,
}

#[derive(Serialize)]
struct Side<'a> {
    /// Its files; figures are those of the first.
    files: Vec<&'a str>,
    /// Self time of all functions.
    #[serde(rename = "self")]
    own: u64,
}

/// Compares, and returns the exit status.
///
/// # Errors
///
/// Returns an error if a trace cannot be read, or the two are of different formats.
pub(crate) fn run(what: &Compare) -> Result<ExitCode, Failure> {
    let (files_a, files_b) = match what.files.as_slice() {
        [a, b] => (std::slice::from_ref(a), std::slice::from_ref(b)),
        _ => (what.a.as_slice(), what.b.as_slice()),
    };
    if let [a, b] = what.files.as_slice() {
        if what.records {
            return records::run(what, a, b);
        }
        if what.why {
            return why::run(what, a, b);
        }
    }
    saved::check(what, files_a.iter().chain(files_b))?;
    let mut a = runs::read(what, files_a, &what.names_a, &what.binary_a)?;
    let mut b = runs::read(what, files_b, &what.names_b, &what.binary_b)?;
    a.one(&b)?;
    runs::check(what, &a, &b)?;
    let mut found = compared(&a, &b)?;
    if saved::is_wanted(what) {
        // Call paths are those of the first runs.
        if found.shown != (0, 0) {
            a.put_first(found.shown.0);
            b.put_first(found.shown.1);
            found = compared(&a, &b)?;
        }
        saved::save(what, &a, &b, &found)?;
    }
    let first = a.one(&b)?;
    let of_values = a.values(found.shown.0).zip(b.values(found.shown.1));
    let values = of_values.map(|(a, b)| Compared::new(a, b));
    let graphics = a
        .calls(found.shown.0)
        .zip(b.calls(found.shown.1))
        .map(|(a, b)| Graphics { drawn: [&a.drawn, &b.drawn], things: things::compared(&a.things, &b.things) });
    let form = Form::of(what.json, what.csv);
    let mut out = form.out();
    let files = (a.names(found.shown.0), b.names(found.shown.1));
    print(
        &mut out,
        (form, what.limit),
        first.format,
        &found,
        (values.as_ref(), graphics.as_ref()),
        (&files.0, &files.1),
    )?;
    out.flush()?;
    let is_different = found.is_different()
        || values.is_some_and(|values| values.is_different())
        || graphics.is_some_and(|it| it.drawn[0] != it.drawn[1] || !it.things.is_empty());
    Ok(ExitCode::from(u8::from(is_different)))
}

/// What is compared of OpenGL calls.
struct Graphics<'a> {
    drawn: [&'a Drawn; 2],
    things: Vec<Thing>,
}

/// Compares two sides, in the unit of the first trace of A.
fn compared(a: &runs::Side, b: &runs::Side) -> Result<Comparison, Failure> {
    let first = a.one(b)?;
    Ok(compare(first.unit.clone(), &a.runs(first), &b.runs(first)))
}

fn print(
    out: &mut impl Write,
    (form, limit): (Form, LimitArgs),
    format: &str,
    found: &Comparison,
    (values, graphics): (Option<&Compared<'_>>, Option<&Graphics<'_>>),
    (a, b): (&[&str], &[&str]),
) -> io::Result<()> {
    let Comparison { unit, rows, own, .. } = found;
    // What has values has no functions.
    let mut words = values.map_or_else(|| sentence(found), Compared::sentence);
    if let Some(Graphics { drawn, things }) = graphics {
        let said = [unspool_compare::drawn::sentence(*drawn), unspool_compare::things::sentence(things)];
        let said = said.into_iter().take(if things.is_empty() { 1 } else { 2 }).filter(|said| !said.is_empty());
        words = said.fold(words, |words, said| format!("{words} {said}"));
    }
    let (rows, listed) = limit.first(rows, form, LISTED);
    match form {
        Form::Csv => {
            listed.say_more();
            listing(unit).print(form, out, rows)
        }
        Form::Json => {
            let listing = listing(unit);
            let report = Report {
                a: Side { files: a.to_vec(), own: own.0 },
                b: Side { files: b.to_vec(), own: own.1 },
                format,
                unit: unit.word(),
                names: if found.only_keys { "ids" } else { "names" },
                sentence: &words,
                common: found.common,
                functions: listing.records(rows),
                listed,
                more: (values.into_iter().flat_map(Compared::report))
                    .chain(graphics.map(|it| ("graphics", drawn::report(it.drawn, &it.things))))
                    .map(|(key, of)| (key.into(), of))
                    .collect(),
            };
            json::print(out, &report)
        }
        Form::Text => {
            for (side, files) in [("A", a), ("B", b)] {
                let more =
                    if files.len() > 1 { format!(", the median of {} runs", files.len()) } else { String::new() };
                writeln!(out, "{side}: {}{more}", files.first().map_or("".into(), |file| console::one_line(file)))?;
            }
            writeln!(out, "{}", console::one_line(&words))?;
            if let Some(values) = values {
                values.print(out)?;
                writeln!(out)?;
            }
            if let Some(Graphics { drawn, things }) = graphics {
                drawn::print(out, *drawn)?;
                things::print(out, things)?;
            }
            // What has values was compared by all that it records.
            if rows.is_empty() || values.is_none() && !found.is_different() {
                writeln!(out, "--records compares them record by record.")?;
            } else {
                writeln!(out)?;
                let keys = if unit.is_counted() { COUNTED } else { MEASURED };
                listing(unit).with_heads().in_order(keys).print(form, &mut *out, rows)?;
            }
            listed.print_more(out)
        }
    }
}

/// The columns of the table.
const MEASURED: &[&str] =
    &["change", "self_a", "self_b", "count_a", "count_b", "factor", "verdict", "confidence", "name"];
const COUNTED: &[&str] = &["change", "self_a", "self_b", "count_a", "count_b", "factor", "verdict", "name"];

fn listing(unit: &Unit) -> Listing<'_, Row> {
    let mut columns = vec![
        column("name", |row: &Row| Cell::Text(row.name.to_string().into())).head("function").rest(),
        // If it differs: an address.
        column("name_b", |row: &Row| row.name_b.as_deref().map_or(Cell::Absent, |name| name.to_string().into())),
        column("a", |row: &Row| figures(row.a)).not_in_csv(),
        column("b", |row: &Row| figures(row.b)).not_in_csv(),
    ];
    for (side, of) in [("a", (|row| row.a) as fn(&Row) -> Option<Figures>), ("b", |row| row.b)] {
        for (key, figure) in FIGURES {
            let figure = move |row: &Row| of(row).map(|it| figure(&it));
            let shown = move |row: &Row| match figure(row) {
                None => String::new(),
                Some(count) if key == "count" => grouped(count),
                Some(ticks) => plain(unit, ticks),
            };
            let column = column(format!("{key}_{side}"), move |row: &Row| figure(row).into());
            columns.push(column.shown(shown).head(head(key, side)).measured().not_in_json());
        }
    }
    columns.extend([
        // Of self time.
        column("change", |row: &Row| i64::try_from(row.change).unwrap_or(i64::MAX).into())
            .shown(|row| change(unit, row))
            .measured(),
        // Of all changes of self times, with its sign.
        column("share", |row: &Row| Cell::Real(row.share)),
        // Of the self time of a call in B.
        column("factor", |row: &Row| row.finding.factor.map_or(Cell::Null, Cell::Real))
            .shown(|row| row.finding.factor.map_or_else(String::new, |factor| format!("× {factor:.2}")))
            .measured(),
        column("without_common", |row: &Row| row.finding.without_common.map_or(Cell::Absent, Cell::Real)),
        column("verdict", |row: &Row| row.finding.verdict.word().into()).measured_by_value(),
        column("confidence", |row: &Row| Cell::Real(row.finding.confidence))
            // Of unsure, it is about the direction, which few would read out of it.
            .shown(|row| match row.finding.verdict {
                Verdict::Unsure => String::new(),
                _ => format!("{:.0} %", (row.finding.confidence * 100.0).floor()),
            })
            .head("sure")
            .measured(),
    ]);
    Listing::new(columns)
}

/// Gets a figure.
type Figure = fn(&Figures) -> u64;

const FIGURES: [(&str, Figure); 8] = [
    ("count", |it| it.count),
    ("total", |it| it.total),
    ("self", |it| it.own),
    ("min", |it| it.min),
    ("median", |it| it.median),
    ("p90", |it| it.p90),
    ("p99", |it| it.p99),
    ("max", |it| it.max),
];

/// The heads of the columns that text has.
fn head(key: &str, side: &str) -> &'static str {
    match (key, side) {
        ("count", "a") => "calls A",
        ("count", _) => "calls B",
        (_, "a") => "self A",
        _ => "self B",
    }
}

/// The figures of a side in JSON, as `unspool stats` has them.
fn figures(of: Option<Figures>) -> Cell<'static> {
    let Some(of) = of else { return Cell::Null };
    let mut all: Map<String, Value> = FIGURES.iter().map(|(key, figure)| ((*key).into(), figure(&of).into())).collect();
    if of.bytes > 0 {
        all.insert("bytes".into(), of.bytes.into());
    }
    Cell::Json(Value::Object(all))
}

/// A change of self time with its sign.
fn change(unit: &Unit, row: &Row) -> String {
    let sign = match row.change.cmp(&0) {
        std::cmp::Ordering::Greater => "+",
        std::cmp::Ordering::Less => "−",
        std::cmp::Ordering::Equal => "",
    };
    format!("{sign}{}", plain(unit, u64::try_from(row.change.unsigned_abs()).unwrap_or(u64::MAX)))
}

/// A time with its unit, or a number of what all figures count.
fn plain(unit: &Unit, ticks: u64) -> String {
    if matches!(unit, Unit::Ticks { frequency: Some(_) }) { amount(unit, ticks) } else { grouped(ticks) }
}

/// The arguments of one trace of a side.
fn side_args(what: &Compare, file: &Path, names: &Option<PathBuf>, binaries: &[Argument]) -> (TraceArgs, NameArgs) {
    let trace = TraceArgs {
        file: file.to_path_buf(),
        no_limits: what.no_limits,
        nest_tail_calls: what.nest_tail_calls,
        max_memory: what.max_memory,
    };
    (trace, NameArgs { names: names.clone(), binary: binaries.to_vec(), short_names: false })
}

/// What the instructions of a trace are of, if it says so: as `i386` of `i386, x86-64`.
fn machine(session: &Session) -> Option<String> {
    let properties = session.info().properties;
    let machine = properties.iter().find(|(name, _)| *name == "Machine")?;
    machine.1.split(',').next().map(str::to_owned)
}

fn of_two_machines(a: &str, b: &str) -> String {
    format!("the instructions of A are of {a}, and those of B of {b}: no two of them are the same.")
}

/// The sentence for two traces of two formats, each with its name and its title.
fn of_two_formats((a, title_a): (&str, &str), (b, title_b): (&str, &str)) -> String {
    format!("{a} is {title_a} and {b} is {title_b}: only traces of one format can be compared.")
}
