//! `unspool find`: slices and records by an expression.

use std::fs::File;
use std::io::{self, Write};

use serde::Serialize;
use unspool_engine::find::{Find as Job, Hit, Hits, Order};
use unspool_engine::jobs::{Job as _, Step};
use unspool_engine::{Session, TrackOut};
use unspool_find::Search;
use unspool_find::pattern::Linked;
use unspool_find::{Bound, RecordQuery};
use unspool_formats::open_row_records;
use unspool_records::RecordReader;
use unspool_records::TraceErrorOut;
use unspool_trace::{Clock, Locator};

use crate::console::{self, one_line};
use crate::csv::{optional, write_row};
use crate::read_whole::{complete, read_named};
use crate::sqlite::{Database, Disassembler};
use crate::{Failure, NameArgs, Source, TraceArgs};

/// Finds slices and records by an expression.
///
/// Adjacent terms must all hold; `or` joins alternatives, `-` negates, parentheses group:
///
/// ```text
///   name:glDrawArrays   name:gl*   /regex/i   glDraw (part of the name or of a text)
///   thread:main   dur>1ms   start>2s   depth:0   frame:12   flag:open
///   arg.count>100   arg.mode:GL_TRIANGLES   ret:0   text:"precision"   bytes:90 90
///   insn:syscall   addr:0x401000..0x402000
/// ```
///
/// docs/find.md has the whole language. The number of hits goes to stderr.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Find {
    #[command(flatten)]
    trace: TraceArgs,
    /// What to find.
    #[arg(allow_hyphen_values = true)]
    expression: String,
    /// Print one JSON object per line.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV with a header.
    #[arg(long)]
    csv: bool,
    /// Print at most this many hits. All are counted.
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    #[command(flatten)]
    names: NameArgs,
}

/// One printed hit.
#[derive(Serialize)]
struct Row<'a> {
    /// Absolute position on the x axis.
    position: u64,
    /// The thread's id, if the trace has one.
    thread: Option<i64>,
    track: &'a str,
    name: &'a str,
    /// In ticks; only slices have one.
    duration: Option<u64>,
    /// Offset of its record in the file, or in what its container holds.
    offset: Option<u64>,
    /// The field that matched, if not the name.
    #[serde(rename = "match")]
    matched: &'a str,
}

/// Hits that are fetched at once.
const PAGE: usize = 4096;
/// Pieces of the file that a step of a pass covers. In a database, a piece is 256 rows.
const STEP: u32 = 64;

pub(crate) fn run(what: &Find) -> Result<(), Failure> {
    let (source, session) = read_named(&what.trace, &what.names)?;
    let (mut job, beyond) = search_for(&session, &source, &what.expression)?;
    print(what, &session, job.hits())?;
    let hits = job.hits().len();
    let cut = if beyond > 0 { format!("; {beyond} further records match") } else { String::new() };
    console::say(format_args!("{hits} {}{cut}", if hits == 1 { "hit" } else { "hits" }));
    Ok(())
}

/// Finds slices and records by an expression. Returns the search, which is done, and how many
/// records match beyond those that it keeps.
///
/// # Errors
///
/// Returns an error if this is not an expression, or the file cannot be read.
pub(crate) fn search_for(session: &Session, source: &Source, expression: &str) -> Result<(Job, u64), Failure> {
    let frequency = match session.clock() {
        Clock::Seconds { frequency } => Some(frequency),
        _ => None,
    };
    let bound = Bound::new(expression, &session.store().find_context(frequency, true)).map_err(|error| {
        let sentence = console::pointed(&error.sentence, expression, error.at, error.len);
        Failure { usage: true, ..Failure::new(sentence) }
    })?;
    let mut job = Job::new(session.store(), bound.slices);
    while job.step(session.store(), 1 << 20) == Step::More {}
    let mut beyond = 0;
    if !bound.records.branches.is_empty() {
        beyond = search(session, source, &bound.records, &mut job)?;
    }
    Ok((job, beyond))
}

/// The error of a trace as that of a command.
pub(crate) fn failed(source: &Source, error: TraceErrorOut) -> Failure {
    Failure::new(format!("{}: {}", source.name, error.sentence))
}

/// A reader of the records of a trace that was read.
pub(crate) fn reader_of(session: &Session, source: &Source) -> Result<RecordReader, Failure> {
    let failed = |error| failed(source, error);
    if session.is_pulled() {
        let database = Database::open(&source.path).map_err(|error| failed(error.into()))?;
        let records = open_row_records(session.format().id).map_err(|error| failed(error.into()))?;
        RecordReader::of_database(records, Box::new(database), Some(Box::new(Disassembler)))
    } else {
        RecordReader::open(session.format().id, &session.index(), Box::new(File::open(&source.path)?))
    }
    .map_err(failed)
}

/// Searches the records. Returns how many match beyond those that are listed.
fn search(session: &Session, source: &Source, query: &RecordQuery, job: &mut Job) -> Result<u64, Failure> {
    let failed = |error| failed(source, error);
    let mut reader = reader_of(session, source)?;
    let Some(mut search) = Search::new(query, &[], Some(Box::new(Disassembler)), &Linked, |n| n.to_string()) else {
        return Err(Failure { usage: true, ..Failure::new("This expression has too many terms.") });
    };
    let mut listed = 0;
    loop {
        let is_done = reader.search(&mut search, STEP).map_err(failed)?;
        let found = search.take();
        listed += found.x.len() as u64;
        job.add(session.store(), &found);
        if is_done {
            return Ok(search.count() - listed);
        }
    }
}

fn print(what: &Find, session: &Session, hits: &mut Hits) -> Result<(), Failure> {
    let store = session.store();
    let tracks = store.track_report();
    let mut out = console::data_or_text(what.json || what.csv);
    if what.csv {
        write!(out, "position,thread,track,name,duration,offset,match\r\n")?;
    }
    let limit = what.limit.unwrap_or(u64::MAX).min(hits.len());
    let mut first = 0;
    while first < limit {
        let count = PAGE.min((limit - first) as usize);
        for hit in hits.page(store, first, count, Order::Position) {
            let row = row(session, &tracks, &hit);
            if what.json {
                serde_json::to_writer(&mut out, &row).map_err(io::Error::from)?;
                writeln!(out)?;
            } else if what.csv {
                csv(&mut out, &row)?;
            } else {
                let duration = row.duration.map_or(String::new(), |n| n.to_string());
                let matched =
                    if row.matched.is_empty() { String::new() } else { format!("  {}", one_line(row.matched)) };
                let (position, track, name) = (row.position, one_line(row.track), one_line(row.name));
                writeln!(out, "{position:>16}  {track:20}  {duration:>12}  {name}{matched}")?;
            }
        }
        first += count as u64;
    }
    out.flush()?;
    complete(session)
}

fn row<'a>(session: &'a Session, tracks: &'a [TrackOut], hit: &'a Hit) -> Row<'a> {
    let track = tracks.get(hit.track as usize);
    let locator = Locator::from_bits(hit.locator);
    let names = session.store().names();
    Row {
        position: hit.start,
        thread: track.and_then(|track| track.thread),
        track: track.map_or("", |track| &track.name),
        name: hit.name.and_then(|name| names.get(name as usize)).unwrap_or(&hit.title),
        duration: hit.end.map(|end| end - hit.start),
        offset: (!session.is_pulled() && !locator.is_other()).then(|| locator.position()),
        matched: &hit.matched,
    }
}

fn csv(out: &mut impl Write, row: &Row<'_>) -> io::Result<()> {
    let fields = [
        row.position.to_string(),
        optional(row.thread),
        row.track.to_string(),
        row.name.to_string(),
        optional(row.duration),
        optional(row.offset),
        row.matched.to_string(),
    ];
    write_row(out, &fields)
}
