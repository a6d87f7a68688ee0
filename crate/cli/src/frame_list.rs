//! `unspool frame-list`: what happens in each frame of an apitrace.

use std::cmp::Reverse;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use unspool_compare::drawn::Drawn;
use unspool_graphics::Reader;
use unspool_graphics::frames::{Counting, FIGURES, Frame, Frames};
use unspool_graphics::times::{MEASURES, Times, TimesReader, Values};
use unspool_records::Unreadable;
use unspool_trace::Capability;

use crate::console;
use crate::limit::{LimitArgs, Listed};
use crate::listing::{Form, Listing, column};
use crate::read_whole::read_whole;
use crate::{Failure, Source, TraceArgs, json};

/// Lists the frames of an apitrace: calls, draws, vertices, state changes, uploads.
///
/// The calls after the last swap are a frame of their own. A state change is redundant if it sets
/// what an earlier call of the context already set.
#[derive(clap::Args)]
pub(crate) struct FrameList {
    #[command(flatten)]
    trace: TraceArgs,
    /// Profile of this trace, as printed by `apitrace replay --pcpu --pgpu --ppd`. Adds the times
    /// of the calls of each frame, in nanoseconds, and the pixels they drew. Calls missing from the
    /// profile were not measured.
    #[arg(long)]
    times: Option<PathBuf>,
    /// List the heaviest frames first, by this figure: draws, vertices, uploaded, or another one of
    /// --json.
    #[arg(long, value_name = "FIGURE", value_parser = figure)]
    by: Option<usize>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limit: LimitArgs,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<F> {
    frames: F,
    #[serde(flatten)]
    listed: Listed,
}

/// The place of a figure among all.
fn figure(key: &str) -> Result<usize, String> {
    let keys = FIGURES.iter().map(|figure| figure.key).collect::<Vec<_>>().join(", ");
    FIGURES
        .iter()
        .position(|figure| figure.key == key)
        .ok_or_else(|| format!("there is no figure {key}; there are: {keys}"))
}

/// A frame with its number.
type Row<'a> = (usize, &'a Frame);

/// Pieces of the file that are read at once.
pub(crate) const PIECES: u32 = 256;

/// Bytes of a blob that are read: display lists have a few.
const LISTS: u64 = 4096;

/// Opens an apitrace: the index of its calls, and its file.
pub(crate) fn calls_of(trace: &TraceArgs) -> Result<(Source, Vec<u8>, File), Failure> {
    let (source, session) = read_whole(trace)?;
    if !session.info().offers.contains(&Capability::Graphics.word()) {
        return Err(Failure::of(&source.name, "only traces of apitrace have frames and resources").unsupported());
    }
    let file = File::open(&source.path)?;
    Ok((source, session.index_of_numbers(), file))
}

/// The failure of a file that changed.
pub(crate) fn lost(source: &Source, error: Unreadable) -> Failure {
    Failure::of(&source.name, error)
}

pub(crate) fn run(what: &FrameList) -> Result<(), Failure> {
    let (source, index, file) = calls_of(&what.trace)?;
    let mut reader = Reader::keeping(&index, file, LISTS).map_err(|error| Failure::of(&source.name, error))?;
    let times = match &what.times {
        Some(path) => Some(times_of(path, &mut reader, &source)?),
        None => None,
    };
    let counted = count(&mut reader, &source)?;
    let frames = counted.frames().frames();
    let sums = times.map(|times| times.by_frame(frames));
    let listing = listing(sums.as_deref());
    let mut rows: Vec<Row<'_>> = frames.iter().enumerate().collect();
    if let Some(by) = what.by {
        rows.sort_by_key(|(number, frame)| (Reverse(frame.figures.get(by).copied()), *number));
    }
    let form = Form::of(what.json, false);
    let mut out = form.out();
    let (rows, listed) = what.limit.first(&rows, form, usize::MAX);
    if what.json {
        json::print_line(&mut out, &Report { frames: listing.records(rows), listed })?;
    } else {
        listing.print(form, &mut out, rows)?;
        listed.print_more(&mut out)?;
    }
    out.flush()?;
    Ok(())
}

/// Counts what happens in each frame.
///
/// # Errors
///
/// Returns an error if the file cannot be read again.
pub(crate) fn count(reader: &mut Reader<File>, source: &Source) -> Result<Counting, Failure> {
    let mut counted = Counting::default();
    let mut next = 0;
    while next < reader.pieces() {
        let end = next.saturating_add(PIECES).min(reader.pieces());
        reader.pass(next..end, &mut counted).map_err(|error| lost(source, error))?;
        next = end;
    }
    Ok(counted)
}

/// What the calls of a trace add up to.
pub(crate) fn drawn(counted: &Frames) -> Drawn {
    let place = |key: &str| FIGURES.iter().position(|figure| figure.key == key);
    let sum = |key: &str| {
        let at = |frame: &Frame| place(key).and_then(|place| frame.figures.get(place).copied()).unwrap_or(0);
        counted.frames().iter().map(at).sum()
    };
    let (calls, draws, uploaded) = (sum("calls"), sum("draws"), sum("uploaded"));
    Drawn { frames: counted.frames().len() as u64, calls, draws, uploaded }
}

/// The times in a file. Fails if they are not those of the trace.
fn times_of(path: &Path, trace: &mut Reader<File>, source: &Source) -> Result<Times, Failure> {
    let mut reader = TimesReader::default();
    reader.push(&fs::read(path).map_err(|error| Failure::of(path.display(), error))?);
    let times = reader.finish();
    if times.skipped.count > 0 {
        console::say(format_args!("unspool: {}: {}", path.display(), times.skipped));
    }
    let doubt = times.doubt();
    if !doubt.is_empty() {
        console::say(format_args!("unspool: {}: {doubt}", path.display()));
    }
    if times.rows().is_empty() {
        return Err(Failure::of(path.display(), "it lists no calls"));
    }
    match times.misfit(trace).map_err(|error| lost(source, error))? {
        Some(misfit) => Err(Failure::of(path.display(), misfit)),
        None => Ok(times),
    }
}

/// The columns of frames. What was not measured is a dash.
fn listing<'a>(sums: Option<&'a [Values]>) -> Listing<'a, Row<'a>> {
    let mut columns = vec![
        column("frame", |(number, _): &Row<'_>| (*number).into()).measured().head("Frame"),
        column("firstCall", |(_, frame): &Row<'_>| frame.first.into()).measured().head("First call"),
        column("lastCall", |(_, frame): &Row<'_>| frame.last.into()),
        column("ended", |(_, frame): &Row<'_>| frame.is_ended.into()),
    ];
    for (at, figure) in FIGURES.iter().enumerate() {
        let number = move |(_, frame): &Row<'_>| frame.figures.get(at).copied().into();
        columns.push(column(figure.key, number).measured().head(figure.title));
    }
    for (at, measure) in MEASURES.iter().enumerate() {
        let Some(sums) = sums else { break };
        let sum = move |(number, _): &Row<'_>| sums.get(*number).and_then(|sums| *sums.get(at)?).into();
        columns.push(column(measure.key, sum).measured().head(measure.title).or("-"));
    }
    Listing::new(columns).with_heads()
}
