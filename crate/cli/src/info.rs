//! `unspool info`: what is in a trace.

use std::io::{self, Write};

use serde::Serialize;
use unspool_engine::{ProgressOut, Session, TraceErrorOut, TraceInfo, TrackOut};

use crate::read_whole::read_whole;
use crate::{Failure, TraceArgs, json};

/// What `--json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    file: &'a str,
    #[serde(flatten)]
    info: TraceInfo,
    #[serde(flatten)]
    progress: ProgressOut,
    instants: u64,
    names: usize,
    /// Average memory of a slice in bytes, levels of detail included; 0 without slices.
    bytes_per_slice: f64,
    /// Hash of everything in the store: equal for any two readings of the same bytes.
    digest: String,
    tracks: Vec<TrackOut>,
    error: Option<&'a TraceErrorOut>,
}

pub(crate) fn run(trace: &TraceArgs, json: bool) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let (source, session) = match read_whole(trace) {
        Err(Failure { archive: Some(archive), .. }) => return Ok(archive.print(&mut out, json)?),
        read => read?,
    };
    let progress = session.progress();
    let mut info = session.info();
    info.container = match (info.container, source.container) {
        (Some(own), Some(around)) => Some(format!("{own} in {around}")),
        (own, around) => own.or(around),
    };
    if json {
        let slices = session.store().slices();
        let report = Report {
            file: &source.name,
            info,
            instants: session.store().instants(),
            names: session.store().names().len(),
            bytes_per_slice: if slices == 0 { 0.0 } else { session.store().bytes() as f64 / slices as f64 },
            digest: format!("{:016x}", session.store().digest()),
            tracks: session.store().track_report(),
            progress,
            error: session.error(),
        };
        json::print(&mut out, &report)?;
        return Ok(());
    }
    print(&mut out, &session, &info, &progress)?;
    Ok(())
}

fn print(out: &mut impl Write, session: &Session, info: &TraceInfo, progress: &ProgressOut) -> io::Result<()> {
    let store = session.store();
    writeln!(out, "Format       {}", info.title)?;
    if let Some(container) = &info.container {
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
