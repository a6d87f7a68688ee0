//! `unspool info`: what is in a trace.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use unspool_engine::{ProgressOut, Session, Step, TraceErrorOut, TraceInfo, TrackOut, read};

use crate::sqlite::{Database, Disassembler};
use crate::{Failure, Place, Source, complain};

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    file: &'a str,
    #[serde(flatten)]
    info: TraceInfo,
    #[serde(flatten)]
    progress: ProgressOut,
    instants: u64,
    names: usize,
    /// Bytes of memory a slice takes, levels of detail included.
    bytes_a_slice: f64,
    /// Two readings of the same bytes have it in common.
    digest: String,
    tracks: Vec<TrackOut>,
    error: Option<&'a TraceErrorOut>,
}

pub(crate) fn run(path: &Path, json: bool) -> Result<(), Failure> {
    let mut source = Source::open(path)?;
    let name = source.name.clone();
    let refused = |error: &TraceErrorOut| match error.offset {
        Some(at) => Failure::new(format!("{name}: at byte {at}: {}", error.sentence)),
        None => Failure::new(format!("{name}: {}", error.sentence)),
    };
    let mut session = Session::new(&name, source.size, &source.head, &source.tail).map_err(|error| refused(&error))?;
    if session.is_database() {
        let opened = Database::open(&source.path).map_err(TraceErrorOut::from);
        opened
            .and_then(|database| session.attach(Box::new(database), Some(Box::new(Disassembler))))
            .map_err(|error| refused(&error))?;
    }
    let bar = source.bar.clone();
    read::session(&mut session, &mut source, |session| bar.set(session.bytes_read()))?;
    bar.finish();
    let progress = session.progress();
    if let Some(error) = session.error() {
        if progress.events == 0.0 {
            return Err(refused(error));
        }
        match error.offset {
            Some(at) => complain(&name, Place::Byte(at), &error.sentence),
            None => complain(&name, Place::Whole, &error.sentence),
        }
    }
    debug_assert!(matches!(session.step(0), Step::Done | Step::Broken), "the whole file was read");
    let mut out = io::stdout().lock();
    if json {
        let slices = session.store().slices();
        let report = Report {
            file: &name,
            info: session.info(),
            instants: session.store().instants(),
            names: session.store().names().len(),
            bytes_a_slice: if slices == 0 { 0.0 } else { session.store().bytes() as f64 / slices as f64 },
            digest: format!("{:016x}", session.store().digest()),
            tracks: session.store().track_report(),
            progress,
            error: session.error(),
        };
        serde_json::to_writer_pretty(&mut out, &report).map_err(io::Error::from)?;
        writeln!(out)?;
        return Ok(());
    }
    print(&mut out, &session, &progress)?;
    Ok(())
}

fn print(out: &mut impl Write, session: &Session, progress: &ProgressOut) -> io::Result<()> {
    let info = session.info();
    let store = session.store();
    writeln!(out, "Format       {}", info.title)?;
    if let Some(container) = info.container {
        writeln!(out, "Container    {container}")?;
    }
    for (name, value) in &info.properties {
        writeln!(out, "{name:12} {value}")?;
    }
    writeln!(out, "Size         {} bytes", progress.bytes)?;
    writeln!(out, "Records      {}", progress.events)?;
    writeln!(out, "Slices       {}", progress.slices)?;
    writeln!(out, "Instants     {}", store.instants())?;
    if let Some(extent) = progress.extent {
        writeln!(out, "Extent       {} .. {} ({} ticks)", extent.from, extent.to, extent.to - extent.from)?;
    }
    if progress.events == 0.0 {
        writeln!(out, "{}", info.when_empty)?;
    }
    let tracks = store.track_report();
    writeln!(out, "Tracks       {}", tracks.len())?;
    for track in &tracks {
        let indent = if track.parent < 0 { "  " } else { "    " };
        let counts = [(track.slices, "slices"), (track.instants, "instants"), (track.samples, "values")];
        let counts: Vec<String> =
            counts.iter().filter(|(n, _)| *n > 0.0).map(|(n, what)| format!("{n} {what}")).collect();
        writeln!(out, "{indent}{:24} {}", track.name, counts.join(", "))?;
    }
    if progress.problems.is_empty() {
        writeln!(out, "No problems")?;
    } else {
        writeln!(out, "Problems")?;
        for problem in &progress.problems {
            let kind = if problem.serious { "problem" } else { "remark" };
            writeln!(out, "  {kind}: {}, first at {} {}", problem.summary, info.place_noun, problem.first.offset)?;
        }
    }
    Ok(())
}
