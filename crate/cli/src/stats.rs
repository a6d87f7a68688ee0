//! `unspool stats`: statistics of a trace, by function, by thread and function, or by stack.

mod stacks;

use std::cmp::Reverse;
use std::io::{self, Write};

use serde::Serialize;
use unspool_engine::statistics::{Function, Question, Summary};
use unspool_engine::{Session, Store};
use unspool_trace::batch::Key;

use crate::console::{self, one_line};
use crate::csv::{optional, write_row};
use crate::read_whole::{complete, read_named};
use crate::scope::ScopeArgs;
use crate::{Failure, NameArgs, TraceArgs, json};

/// Lists the functions of a trace with counts and times, by self time.
///
/// Times are in the trace's ticks, calls or steps. Statistics cover all threads. If no thread has slices, they
/// cover all tracks: lifetimes of buffers, block runs and the like.
///
/// Total time counts recursive calls once. Percentiles are nearest-rank: the median of an even number is the lower
/// of the two in the middle. A call without an end lasts to the end of the trace, and one without a begin from the
/// beginning of its thread. docs/statistics.md has the definitions.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Stats {
    #[command(flatten)]
    trace: TraceArgs,
    /// What a line is about.
    #[arg(long, value_enum, default_value_t = By::Function)]
    by: By,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Print all lines as one JSON object.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print all lines as CSV with a header.
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    names: NameArgs,
}

/// What a line of the statistics is about.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// A function, over all threads
    Function,
    /// A function on one thread, thread by thread
    Thread,
    /// A call stack, over all threads
    Stack,
}

/// Most functions in the table.
const LISTED: usize = 50;
/// Most functions of each thread in the table by thread.
const LISTED_PER_THREAD: usize = 10;

/// The output form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
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

/// Count and times of calls, in ticks, in the order of the columns.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Figures {
    pub(crate) count: u64,
    pub(crate) total: u64,
    #[serde(rename = "self")]
    pub(crate) own: u64,
    pub(crate) min: u64,
    pub(crate) median: u64,
    pub(crate) p90: u64,
    pub(crate) p99: u64,
    pub(crate) max: u64,
}

impl From<&Function> for Figures {
    fn from(function: &Function) -> Self {
        let Function { count, total, own, min, max, percentiles, .. } = *function;
        Self { count, total, own, min, median: percentiles.median, p90: percentiles.p90, p99: percentiles.p99, max }
    }
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
    #[serde(flatten)]
    figures: Figures,
    /// Bytes of data, in traces of calls that have such.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

const COLUMNS: [&str; 12] =
    ["name", "kind", "id", "address", "count", "total", "self", "min", "median", "p90", "p99", "max"];

impl<'a> Line<'a> {
    fn of(store: &'a Store, function: &Function) -> Self {
        let Function { name, bytes, .. } = *function;
        let (kind, key) = store.key(name);
        let (id, address) = match key {
            Key::None | Key::Statement(_) => (None, None),
            Key::Id(id) => (Some(id), None),
            Key::Address(address) => (None, Some(address)),
        };
        Self {
            name: store.names().get(name as usize).map_or("", String::as_str),
            kind: kind.word(),
            id,
            address,
            figures: Figures::from(function),
            bytes: (bytes > 0).then_some(bytes),
        }
    }

    /// The fields of a CSV row.
    fn fields(&self) -> Vec<String> {
        let mut fields = vec![self.name.to_string(), self.kind.to_string(), optional(self.id), optional(self.address)];
        fields.extend(self.figures().map(|figure| figure.to_string()));
        fields
    }

    /// Count and times, in the order of the columns.
    fn figures(&self) -> [u64; 8] {
        let Figures { count, total, own, min, median, p90, p99, max } = self.figures;
        [count, total, own, min, median, p90, p99, max]
    }
}

pub(crate) fn run(what: &Stats) -> Result<(), Failure> {
    let (source, session) = read_named(&what.trace, &what.names)?;
    let question = what.scope.question(&session)?;
    let form = match (what.json, what.csv) {
        (true, _) => Form::Json,
        (_, true) => Form::Csv,
        _ => Form::Table,
    };
    let mut out = console::data_or_text(form != Form::Table);
    match what.by {
        By::Function => by_function(&mut out, form, &source.name, &session, &question)?,
        By::Thread => by_thread(&mut out, form, &source.name, &session, &question)?,
        By::Stack => stacks::print(&mut out, form, &source.name, &session, &question)?,
    }
    out.flush()?;
    complete(&session)
}

/// The functions by self time, and the covered time.
fn lines<'a>(store: &'a Store, question: &Question) -> (Vec<Line<'a>>, u64) {
    let summary = Summary::of(store, question);
    let mut functions: Vec<_> = summary.functions.iter().map(|function| Line::of(store, function)).collect();
    functions.sort_by_key(|line| (Reverse(line.figures.own), Reverse(line.figures.total), line.name));
    (functions, summary.covered)
}

fn by_function(out: &mut impl Write, form: Form, file: &str, session: &Session, asked: &Question) -> io::Result<()> {
    let (functions, covered) = lines(session.store(), asked);
    match form {
        Form::Json => json::print(out, &Report { file, tracks: asked.tracks.len(), covered, functions }),
        Form::Csv => {
            write_row(out, &COLUMNS.map(String::from))?;
            functions.iter().try_for_each(|line| write_row(out, &line.fields()))
        }
        Form::Table if functions.is_empty() => writeln!(out, "No {} to list.", session.info().slice_noun),
        Form::Table => print_table(out, &functions, LISTED),
    }
}

/// What `--by thread --json` prints.
#[derive(Serialize)]
struct Threads<'a> {
    file: &'a str,
    /// In the order of the trace.
    threads: Vec<Thread<'a>>,
}

/// Statistics of one thread, or of one track of a trace without threads.
#[derive(Serialize)]
struct Thread<'a> {
    track: &'a str,
    /// The thread's id, if the trace has one.
    thread: Option<i64>,
    /// How many slices the range has.
    count: u64,
    /// Time in which any call was open, in ticks.
    covered: u64,
    /// Sorted by descending self time.
    functions: Vec<Line<'a>>,
}

fn by_thread(out: &mut impl Write, form: Form, file: &str, session: &Session, asked: &Question) -> io::Result<()> {
    let report = session.store().track_report();
    let of = |id: &u32| {
        let (functions, covered) = lines(session.store(), &Question { tracks: vec![*id], ..*asked });
        let track = report.get(*id as usize)?;
        let count = functions.iter().map(|line| line.figures.count).sum();
        Some(Thread { track: &track.name, thread: track.thread, count, covered, functions })
    };
    let threads: Vec<Thread<'_>> = asked.tracks.iter().filter_map(of).filter(|thread| thread.count > 0).collect();
    match form {
        Form::Json => return json::print(out, &Threads { file, threads }),
        Form::Csv => {
            write_row(out, &["track", "thread"].into_iter().chain(COLUMNS).map(String::from).collect::<Vec<_>>())?
        }
        Form::Table if threads.is_empty() => return writeln!(out, "No {} to list.", session.info().slice_noun),
        Form::Table => {}
    }
    for (number, Thread { track, thread, count, covered, functions }) in threads.iter().enumerate() {
        if form == Form::Csv {
            for line in functions {
                let mut fields = vec![(*track).to_string(), optional(*thread)];
                fields.extend(line.fields());
                write_row(out, &fields)?;
            }
            continue;
        }
        let above = if number > 0 { "\n" } else { "" };
        let track = one_line(track);
        writeln!(out, "{above}{track}: count {count}, covered {covered}")?;
        print_table(out, functions, LISTED_PER_THREAD)?;
    }
    Ok(())
}

/// Prints the first lines, at most `most`, as an aligned table.
fn print_table(out: &mut impl Write, functions: &[Line<'_>], most: usize) -> io::Result<()> {
    let listed = functions.get(..most).unwrap_or(functions);
    let heads = ["self", "total", "count", "min", "median", "p90", "p99", "max"];
    let rows: Vec<[String; 8]> = listed
        .iter()
        .map(|line| {
            let [count, total, own, min, median, p90, p99, max] = line.figures();
            [own, total, count, min, median, p90, p99, max].map(|figure| figure.to_string())
        })
        .collect();
    let widest = |(i, head): (usize, &&str)| {
        rows.iter().filter_map(|row| row.get(i)).map(String::len).fold(head.len(), usize::max)
    };
    let widths: Vec<usize> = heads.iter().enumerate().map(widest).collect();
    let mut line = |cells: &[&str], name: &str| -> io::Result<()> {
        for (cell, width) in cells.iter().zip(&widths) {
            write!(out, "{cell:>width$}  ")?;
        }
        writeln!(out, "{}", one_line(name))
    };
    line(&heads, "name")?;
    for (row, listed) in rows.iter().zip(listed) {
        line(&row.each_ref().map(String::as_str), listed.name)?;
    }
    print_more(out, functions.len() - listed.len())
}

/// Says how many lines a table leaves out.
fn print_more(out: &mut impl Write, more: usize) -> io::Result<()> {
    if more > 0 { writeln!(out, "{more} more; --json and --csv list all.") } else { Ok(()) }
}
