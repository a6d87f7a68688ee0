//! `unspool find`: slices and records by an expression.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::process::ExitCode;

use unspool_engine::find::{Find as Job, Hit, Hits, Order};
use unspool_engine::jobs::{Job as _, Step};
use unspool_engine::{Session, TrackOut};
use unspool_filter::Search;
use unspool_filter::pattern::Linked;
use unspool_filter::syntax::{self, Expr, Term};
use unspool_filter::{Bound, RecordQuery};
use unspool_formats::open_row_records;
use unspool_records::RecordReader;
use unspool_records::TraceErrorOut;
use unspool_trace::{Capability, Locator, Visitor};

use crate::console;
use crate::limit::{LimitArgs, Listed};
use crate::listing::{Form, Listing, column};
use crate::read_whole::{complete, read_named};
use crate::sqlite::{Database, Disassembler};
use crate::{Failure, NameArgs, Source, TraceArgs, interrupt};

/// Finds slices and records by an expression.
///
/// Adjacent terms must all hold; `or` joins alternatives, `-` negates, parentheses group:
///
///     name:glDrawArrays   name:gl*   /regex/i   glDraw (as in names, texts, instructions)
///     thread:main   dur>1ms   start>2s   depth:0   frame:12   flag:open
///     arg.count>100   arg.mode:GL_TRIANGLES   ret:0   text:"precision"   bytes:90 90
///     insn:syscall   addr:0x401000..0x402000
///
/// docs/find.md describes the language. The number of hits goes to stderr. Exit status 1 with --fail
/// means that there is a hit.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Find {
    #[command(flatten)]
    trace: TraceArgs,
    /// Expression to search for.
    #[arg(allow_hyphen_values = true)]
    expression: String,
    /// Print one JSON object per line.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV with a header.
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    limit: LimitArgs,
    /// Exit with status 1 if there is a hit.
    #[arg(long)]
    fail: bool,
    #[command(flatten)]
    names: NameArgs,
}

/// Hits that are fetched at once.
pub(crate) const PAGE: usize = 4096;
/// Pieces of the file that a step of a pass covers. In a database, a piece is 256 rows.
const STEP: u32 = 64;

/// How to get hits beyond those that are kept.
const NARROWER: &str = "a narrower expression";

pub(crate) fn run(what: &Find) -> Result<ExitCode, Failure> {
    let (source, session) = read_named(&what.trace, &what.names)?;
    let total = answer(what, &source, &session)?;
    Ok(ExitCode::from(u8::from(what.fail && total > 0)))
}

/// Prints what is found in a trace that was read. Returns how many hits there are.
pub(crate) fn answer(what: &Find, source: &Source, session: &Session) -> Result<u64, Failure> {
    let (mut job, beyond) = search_for(session, source, &what.expression)?;
    print(what, session, job.hits(), beyond)?;
    let total = job.hits().len() + beyond;
    let has_values = session.info().offers.contains(&Capability::Values.word());
    if total == 0 && has_values && has_comparison(&what.expression) {
        let expression = &what.expression;
        console::say(format_args!(
            "unspool: `{expression}` was searched for as words. Conditions on values are for `unspool query`."
        ));
    }
    Ok(total)
}

/// Whether an expression has a word, not in quotation marks, that reads like a comparison.
fn has_comparison(expression: &str) -> bool {
    fn is_in(expr: &Expr, text: &str) -> bool {
        match expr {
            Expr::Any(parts) | Expr::All(parts) => parts.iter().any(|part| is_in(part, text)),
            Expr::Not(part) => is_in(part, text),
            Expr::Term(Term::Word(_), (at, len)) => {
                let word = text.get(*at..at + len).unwrap_or_default();
                !word.starts_with(['"', '/']) && word.contains(['<', '>', '='])
            }
            Expr::Term(..) => false,
        }
    }
    syntax::parse(expression, "").is_ok_and(|expr| is_in(&expr, expression))
}

/// Finds slices and records by an expression. Returns the search, which is done, and how many
/// records match beyond those that it keeps.
///
/// # Errors
///
/// Returns an error if this is not an expression, or the file cannot be read.
pub(crate) fn search_for(session: &Session, source: &Source, expression: &str) -> Result<(Job, u64), Failure> {
    let bound = Bound::new(expression, &session.find_context(true)).map_err(|error| {
        let mut sentence = console::pointed(&error.sentence, expression, error.at, error.len);
        if session.info().offers.contains(&Capability::Values.word()) {
            sentence += "\nConditions on values, such as a < b, are for `unspool query`.";
        }
        Failure::usage(sentence)
    })?;
    let mut job = Job::new(session.store(), bound.slices);
    while job.step(session.store(), 1 << 20) == Step::More {
        interrupt::check()?;
    }
    let mut beyond = 0;
    if !bound.records.branches.is_empty() {
        beyond = search(session, source, &bound.records, &mut job)?;
    }
    Ok((job, beyond))
}

/// The error of a trace as that of a command.
pub(crate) fn failed(source: &Source, error: TraceErrorOut) -> Failure {
    Failure::trace(&source.name, &error)
}

/// A reader of the records of a trace that was read.
pub(crate) fn reader_of(session: &Session, source: &Source) -> Result<RecordReader, Failure> {
    let index = (!session.is_pulled()).then(|| session.index());
    reader_with(session.format().id, index.as_deref(), source)
}

/// A reader of the records of a trace, with the index of what was read; without one of a database.
pub(crate) fn reader_with(format: &str, index: Option<&[u8]>, source: &Source) -> Result<RecordReader, Failure> {
    let failed = |error| failed(source, error);
    match index {
        None => {
            let database = Database::open(&source.path).map_err(|error| failed(error.into()))?;
            let records = open_row_records(format).map_err(|error| failed(error.into()))?;
            RecordReader::of_database(records, Box::new(database), Some(Box::new(Disassembler)))
        }
        Some(index) => RecordReader::open(format, index, Box::new(File::open(&source.path)?)),
    }
    .map_err(failed)
}

/// Passes all records of a trace to a visitor, or those up to where it is full.
///
/// # Errors
///
/// Returns an error if the file cannot be read.
pub(crate) fn visit_records(
    reader: &mut RecordReader,
    source: &Source,
    visitor: &mut dyn Visitor,
) -> Result<(), Failure> {
    visit_pieces(reader, source, 0..u64::MAX, visitor)
}

/// As [`visit_records`], of some pieces.
///
/// # Errors
///
/// Returns an error if the file cannot be read.
pub(crate) fn visit_pieces(
    reader: &mut RecordReader,
    source: &Source,
    pieces: Range<u64>,
    visitor: &mut dyn Visitor,
) -> Result<(), Failure> {
    let mut next = pieces.start;
    loop {
        interrupt::check()?;
        let budget = u32::try_from(pieces.end - next).unwrap_or(u32::MAX).min(STEP);
        next = reader.visit_all(next, budget, visitor).map_err(|error| failed(source, error))?;
        let (done, of) = reader.covered(next);
        if next >= pieces.end || done >= of || visitor.is_full() {
            return Ok(());
        }
    }
}

/// Searches the records. Returns how many match beyond those that are listed.
fn search(session: &Session, source: &Source, query: &RecordQuery, job: &mut Job) -> Result<u64, Failure> {
    let failed = |error| failed(source, error);
    let mut reader = reader_of(session, source)?;
    let Some(mut search) = Search::new(query, &[], Some(Box::new(Disassembler)), &Linked, |n| n.to_string()) else {
        return Err(Failure::usage("This expression has too many terms."));
    };
    let mut listed = 0;
    loop {
        interrupt::check()?;
        let is_done = reader.search(&mut search, STEP).map_err(failed)?;
        let found = search.take();
        listed += found.x.len() as u64;
        job.add(session.store(), &found);
        if is_done {
            return Ok(search.count() - listed);
        }
    }
}

fn print(what: &Find, session: &Session, hits: &mut Hits, beyond: u64) -> Result<(), Failure> {
    let form = Form::of(what.json, what.csv);
    let mut out = form.out();
    let listed = rows(&mut out, form, what.limit, session, hits, beyond)?;
    listed.end(&mut out, form, "hit", "hits")?;
    complete(session)
}

/// Prints hits. `beyond`: how many records match beyond those that are kept.
///
/// # Errors
///
/// Returns the error of `out`.
pub(crate) fn rows(
    out: &mut impl Write,
    form: Form,
    limit: LimitArgs,
    session: &Session,
    hits: &mut Hits,
    beyond: u64,
) -> io::Result<Listed> {
    let store = session.store();
    let tracks = store.track_report();
    let listing = listing(session, &tracks);
    let mut printer = listing.begin(form, &mut *out)?;
    let most = (limit.most(form, usize::MAX) as u64).min(hits.len());
    let mut first = 0;
    while first < most {
        let count = PAGE.min((most - first) as usize);
        for hit in hits.page(store, 0..u64::MAX, first, count, Order::Position) {
            printer.row(&hit)?;
        }
        first += count as u64;
    }
    printer.finish()?;
    let mut listed = Listed::of(hits.len() + beyond, most);
    if most == hits.len() && listed.truncated {
        listed.rest = Some(NARROWER);
    }
    Ok(listed)
}

fn listing<'a>(session: &'a Session, tracks: &'a [TrackOut]) -> Listing<'a, Hit> {
    let track = |hit: &Hit| tracks.get(hit.track as usize);
    let names = session.store().names();
    let columns = vec![
        // On the x axis.
        column("start", |hit: &Hit| hit.start.into()).right(16),
        // The thread's id, if the trace has one.
        column("thread", move |hit: &Hit| track(hit).and_then(|track| track.thread).into()),
        column("track", move |hit: &Hit| track(hit).map_or("", |track| track.name.as_str()).into()).left(20),
        column("name", |hit: &Hit| match hit.name.and_then(|name| names.get(name as usize)) {
            Some(name) => name.as_str().into(),
            None => hit.title.clone().into(),
        })
        .rest(),
        // In ticks; only slices have one.
        column("dur", |hit: &Hit| hit.end.map(|end| end - hit.start).into()).right(12),
        // Of its record in the file, or in what its container holds.
        column("offset", |hit: &Hit| {
            let locator = Locator::from_bits(hit.locator);
            (!session.is_pulled() && !locator.is_other()).then(|| locator.position()).into()
        }),
        // The field that matched, if not the name.
        column("match", |hit: &Hit| hit.matched.clone().into()).note(),
    ];
    Listing::new(columns).in_order(&["start", "track", "dur", "name", "match"])
}
