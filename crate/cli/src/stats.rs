//! `unspool stats`: statistics of a trace, by function, by thread and function, or by stack.

mod stacks;

use std::cmp::Reverse;
use std::io::{self, Write};

use serde::Serialize;
use unspool_engine::statistics::{Function, Question, Summary};
use unspool_engine::{ClockOut, Session, Store};

use crate::console::{one_line, say};
use crate::limit::{LimitArgs, Listed};
use crate::listing::{Cell, Column, Form, Listing, column, key_columns};
use crate::read_whole::{complete, read_named};
use crate::scope::ScopeArgs;
use crate::{Failure, NameArgs, Source, TraceArgs, json};

/// Lists the functions, threads or call stacks of a trace with counts and times, by self time.
///
/// Times are in the trace's ticks, calls or steps. Statistics cover all threads or, if no thread
/// has slices, all tracks: lifetimes of buffers, runs of blocks and the like.
///
/// Total time counts recursive calls once. Percentiles are nearest-rank; the median of an even
/// number of calls is the lower of the two in the middle. A call without an end lasts to the last
/// record of its thread, and one without a begin starts where its thread begins.
/// docs/statistics.md has the definitions.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Stats {
    #[command(flatten)]
    trace: TraceArgs,
    /// What each line is about.
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
    limit: LimitArgs,
    #[command(flatten)]
    names: NameArgs,
}

/// What a line of the statistics is about.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum By {
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

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a, F> {
    file: &'a str,
    /// How many tracks the statistics cover.
    tracks: usize,
    /// Time in which any call was open, summed over the tracks, in ticks.
    covered: u64,
    /// Of all times.
    unit: &'static str,
    /// Sorted by descending self time.
    functions: F,
    #[serde(flatten)]
    listed: Listed,
}

/// The unit of all times of a trace, in the singular: `tick`, `call`, `step`, ….
pub(crate) fn unit(session: &Session) -> &'static str {
    if let ClockOut::Ordinal { unit } = session.info().clock { unit } else { "tick" }
}

/// Gets a figure of a function.
type Figure = fn(&Function) -> u64;

/// Count and times of calls, in ticks, in the order of the columns.
pub(crate) const FIGURES: [(&str, Figure); 8] = [
    ("count", |it| it.count),
    ("total", |it| it.total),
    ("self", |it| it.own),
    ("min", |it| it.min),
    ("median", |it| it.percentiles.median),
    ("p90", |it| it.percentiles.p90),
    ("p99", |it| it.percentiles.p99),
    ("max", |it| it.max),
];

/// The columns of figures, of rows that have a function.
pub(crate) fn figures<'c, R: 'c>(of: impl Fn(&R) -> &Function + Copy + 'c) -> impl Iterator<Item = Column<'c, R>> {
    FIGURES.into_iter().map(move |(key, figure)| column(key, move |row: &R| figure(of(row)).into()).measured())
}

/// The columns of a function, of rows that have one.
fn columns<'c, R: 'c>(store: &'c Store, of: impl Fn(&R) -> &Function + Copy + 'c) -> Vec<Column<'c, R>> {
    let mut columns = vec![
        column("name", move |row: &R| store.name(of(row).name).into()).rest(),
        column("kind", move |row: &R| store.key(of(row).name).0.word().into()),
    ];
    columns.extend(key_columns(move |row: &R| store.key(of(row).name).1));
    columns.extend(figures(of));
    // Of data, in traces of calls that have such.
    let bytes = move |row: &R| Some(of(row).bytes).filter(|bytes| *bytes > 0).map_or(Cell::Absent, Cell::from);
    columns.push(column("bytes", bytes).not_in_csv());
    columns
}

/// The columns of a table of functions.
fn listing(store: &Store) -> Listing<'_, Function> {
    Listing::new(columns(store, |function| function))
        .with_heads()
        .in_order(&["self", "total", "count", "min", "median", "p90", "p99", "max", "name"])
}

pub(crate) fn run(what: &Stats) -> Result<(), Failure> {
    let (source, session) = read_named(&what.trace, &what.names)?;
    answer(what, &source, &session)?;
    // Counts and times of functions lack them.
    if let Some((_, words)) = session.info().properties.iter().find(|(key, _)| *key == "Short calls") {
        say(format_args!("unspool: {}: Short calls are {words}.", one_line(&source.name)));
    }
    Ok(())
}

/// Prints the statistics of a trace that was read.
pub(crate) fn answer(what: &Stats, source: &Source, session: &Session) -> Result<(), Failure> {
    let question = what.scope.question(session)?;
    let form = Form::of(what.json, what.csv);
    let mut out = form.out();
    print(&mut out, (form, what.limit), what.by, &source.name, session, &question)?;
    out.flush()?;
    complete(session)
}

/// Prints the statistics of a trace that was read.
///
/// # Errors
///
/// Returns the error of `out`.
pub(crate) fn print(
    out: &mut impl Write,
    (form, limit): (Form, LimitArgs),
    by: By,
    file: &str,
    session: &Session,
    question: &Question,
) -> io::Result<()> {
    match by {
        By::Function => by_function(out, form, limit, file, session, question),
        By::Thread => by_thread(out, form, limit, file, session, question),
        By::Stack => stacks::print(out, form, limit, file, session, question),
    }
}

/// The functions by self time, and the covered time.
fn functions(store: &Store, question: &Question) -> (Vec<Function>, u64) {
    let Summary { mut functions, covered } = Summary::of(store, question);
    functions.sort_by_key(|it| (Reverse(it.own), Reverse(it.total), store.name(it.name)));
    (functions, covered)
}

fn by_function(
    out: &mut impl Write,
    form: Form,
    limit: LimitArgs,
    file: &str,
    session: &Session,
    asked: &Question,
) -> io::Result<()> {
    let (functions, covered) = functions(session.store(), asked);
    let (functions, listed) = limit.first(&functions, form, LISTED);
    let listing = listing(session.store());
    match form {
        Form::Json => {
            let functions = listing.records(functions);
            let (tracks, unit) = (asked.tracks.len(), unit(session));
            json::print(out, &Report { file, tracks, covered, unit, functions, listed })
        }
        Form::Csv => {
            listed.say_more();
            listing.print(form, out, functions)
        }
        Form::Text if functions.is_empty() => writeln!(out, "No {} to list.", session.info().slice_noun),
        Form::Text => {
            listing.print(form, &mut *out, functions)?;
            listed.print_more(out)
        }
    }
}

/// What `--by thread --json` prints.
#[derive(Serialize)]
struct Threads<'a, F> {
    file: &'a str,
    /// Of all times.
    unit: &'static str,
    /// Whether the functions of a thread are.
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    rest: Option<&'static str>,
    /// In the order of the trace.
    threads: Vec<Thread<'a, F>>,
}

/// Statistics of one thread, or of one track of a trace without threads.
#[derive(Serialize)]
struct Thread<'a, F> {
    track: &'a str,
    /// The thread's id, if the trace has one.
    thread: Option<i64>,
    /// How many slices the range has.
    count: u64,
    /// Time in which any call was open, in ticks.
    covered: u64,
    /// Sorted by descending self time.
    functions: F,
    #[serde(flatten)]
    listed: Listed,
}

fn by_thread(
    out: &mut impl Write,
    form: Form,
    limit: LimitArgs,
    file: &str,
    session: &Session,
    asked: &Question,
) -> io::Result<()> {
    let most = limit.most(form, LISTED_PER_THREAD);
    let report = session.store().track_report();
    let of = |id: &u32| {
        let (mut functions, covered) = functions(session.store(), &Question { tracks: vec![*id], ..*asked });
        let track = report.get(*id as usize)?;
        let count = functions.iter().map(|function| function.count).sum();
        let total = functions.len() as u64;
        functions.truncate(most);
        let listed = Listed::of(total, functions.len() as u64);
        Some(Thread { track: &track.name, thread: track.thread, count, covered, functions, listed })
    };
    let threads: Vec<_> = asked.tracks.iter().filter_map(of).filter(|thread| thread.count > 0).collect();
    let listing = listing(session.store());
    match form {
        Form::Json => {
            let rest = threads.iter().find_map(|thread| thread.listed.rest);
            let threads = threads.iter().map(|&Thread { track, thread, count, covered, ref functions, listed }| {
                Thread { track, thread, count, covered, functions: listing.records(functions), listed }
            });
            let (unit, truncated) = (unit(session), rest.is_some());
            json::print(out, &Threads { file, unit, truncated, rest, threads: threads.collect() })
        }
        Form::Csv => {
            let (total, cut) = threads.iter().fold((0, 0), |(a, b), it| (a + it.listed.total, b + it.listed.listed));
            Listed::of(total, cut).say_more();
            let mut all = vec![
                column("track", |(of, _): &(&Thread<'_, _>, Function)| of.track.into()),
                column("thread", |(of, _): &(&Thread<'_, _>, Function)| of.thread.into()),
            ];
            all.extend(columns(session.store(), |(_, function)| function));
            let rows = threads.iter().flat_map(|thread| thread.functions.iter().map(move |it| (thread, *it)));
            Listing::new(all).print(form, out, &rows.collect::<Vec<_>>())
        }
        Form::Text if threads.is_empty() => writeln!(out, "No {} to list.", session.info().slice_noun),
        Form::Text => {
            for (number, Thread { track, count, covered, functions, listed, .. }) in threads.iter().enumerate() {
                let above = if number > 0 { "\n" } else { "" };
                writeln!(out, "{above}{}: count {count}, covered {covered}", one_line(track))?;
                listing.print(form, &mut *out, functions)?;
                listed.print_more(out)?;
            }
            Ok(())
        }
    }
}
