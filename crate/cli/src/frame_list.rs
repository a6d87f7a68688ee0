//! `unspool frame-list`: what happens in each frame of an apitrace.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use unspool_graphics::Reader;
use unspool_graphics::frames::{FIGURES, Frame, Frames};
use unspool_graphics::times::{MEASURES, Times, TimesReader, Values};
use unspool_records::Unreadable;
use unspool_trace::Capability;

use crate::console;
use crate::read_whole::read_whole;
use crate::{Failure, Source, TraceArgs};

/// Lists the frames of an apitrace: calls, draws, vertices, state changes, uploads.
///
/// The calls after the last swap are a frame of their own. A state change is redundant if it sets
/// what an earlier call of the context has set.
#[derive(clap::Args)]
pub(crate) struct FrameList {
    #[command(flatten)]
    trace: TraceArgs,
    /// What `apitrace replay --pcpu --pgpu --ppd` printed for this trace: adds the times of the
    /// calls of each frame, in nanoseconds, and the pixels they drew. Calls that it does not list
    /// were not measured.
    #[arg(long)]
    times: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Pieces of the file that are read at once.
pub(crate) const PIECES: u32 = 256;

/// Opens an apitrace: the index of its calls, and its file.
pub(crate) fn calls_of(trace: &TraceArgs) -> Result<(Source, Vec<u8>, File), Failure> {
    let (source, session) = read_whole(trace)?;
    if !session.info().offers.contains(&Capability::Graphics.word()) {
        return Err(Failure::new(format!("{}: only traces of apitrace have frames and resources", source.name)));
    }
    let file = File::open(&source.path)?;
    Ok((source, session.index_of_numbers(), file))
}

/// The failure of a file that changed.
pub(crate) fn lost(source: &Source, error: Unreadable) -> Failure {
    Failure::new(format!("{}: {error}", source.name))
}

pub(crate) fn run(what: &FrameList) -> Result<(), Failure> {
    // Lists of display lists have a few bytes.
    let (source, index, file) = calls_of(&what.trace)?;
    let mut reader =
        Reader::keeping(&index, file, 4096).map_err(|error| Failure::new(format!("{}: {error}", source.name)))?;
    let times = match &what.times {
        Some(path) => Some(times_of(path, &mut reader, &source)?),
        None => None,
    };
    let mut counted = Frames::default();
    let mut next = 0;
    while next < reader.pieces() {
        let end = next.saturating_add(PIECES).min(reader.pieces());
        reader.pass(next..end, &mut counted).map_err(|error| lost(&source, error))?;
        next = end;
    }
    let frames = counted.frames();
    let sums = times.map(|times| times.by_frame(frames));
    let sums_of = |number: usize| sums.as_ref().and_then(|sums| sums.get(number));
    let mut out = console::data_or_text(what.json);
    match what.json {
        true => {
            let rows: Vec<Value> =
                frames.iter().enumerate().map(|(number, frame)| row(number, frame, sums_of(number))).collect();
            serde_json::to_writer(&mut out, &json!({ "frames": rows })).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        false => table(&mut out, frames, sums.as_deref())?,
    }
    out.flush()?;
    Ok(())
}

/// The times in a file. Fails if they are not those of the trace.
fn times_of(path: &Path, trace: &mut Reader<File>, source: &Source) -> Result<Times, Failure> {
    let mut reader = TimesReader::default();
    reader.push(&fs::read(path).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?);
    let times = reader.finish();
    if times.skipped.count > 0 {
        console::say(format_args!("unspool: {}: {}", path.display(), times.skipped));
    }
    if times.rows().is_empty() {
        return Err(Failure::new(format!("{}: it lists no calls", path.display())));
    }
    match times.misfit(trace).map_err(|error| lost(source, error))? {
        Some(misfit) => Err(Failure::new(format!("{}: {misfit}", path.display()))),
        None => Ok(times),
    }
}

fn row(number: usize, frame: &Frame, sums: Option<&Values>) -> Value {
    let mut row = Map::new();
    row.insert("frame".into(), number.into());
    row.insert("firstCall".into(), frame.first.into());
    row.insert("lastCall".into(), frame.last.into());
    row.insert("ended".into(), frame.is_ended.into());
    for (figure, number) in FIGURES.iter().zip(frame.figures) {
        row.insert(figure.key.into(), number.into());
    }
    for (measure, sum) in MEASURES.iter().zip(sums.into_iter().flatten()) {
        row.insert(measure.key.into(), (*sum).into());
    }
    Value::Object(row)
}

/// One line a frame, the heading first. What was not measured is a dash.
fn table(out: &mut impl Write, frames: &[Frame], sums: Option<&[Values]>) -> io::Result<()> {
    let measures = MEASURES.iter().filter(|_| sums.is_some()).map(|measure| measure.title);
    let heading = ["Frame", "First call"].into_iter().chain(FIGURES.iter().map(|figure| figure.title)).chain(measures);
    let mut rows: Vec<Vec<String>> = vec![heading.map(ToString::to_string).collect()];
    for (number, frame) in frames.iter().enumerate() {
        let own = [number as u64, frame.first];
        let sums = sums.and_then(|sums| sums.get(number)).into_iter().flatten();
        let measured = sums.map(|sum| sum.map_or("-".into(), |sum| sum.to_string()));
        rows.push(own.iter().chain(&frame.figures).map(ToString::to_string).chain(measured).collect());
    }
    let columns = rows.first().map_or(0, Vec::len);
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(String::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in &rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        writeln!(out, "{}", cells.join("  "))?;
    }
    Ok(())
}
