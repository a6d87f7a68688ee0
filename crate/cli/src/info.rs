//! `unspool info`: what is in a trace.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value};
use unspool_engine::{ClockOut, ProgressOut, Session, TraceInfo, TrackOut};
use unspool_records::TraceErrorOut;
use unspool_symbols::Report as BinaryReport;

use crate::console::{self, one_line};
use crate::read_whole::{complete, read_with_binaries};
use crate::{Failure, NameArgs, Source, TraceArgs, json};

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
    /// Hash of everything in the store: equal for any two readings of the same bytes. `None` if the
    /// reading has left out what it covers.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    tracks: Vec<TrackOut>,
    /// Those of `--binary`.
    binaries: Vec<BinaryOut<'a>>,
    error: Option<&'a TraceErrorOut>,
}

/// A binary that names functions.
#[derive(Serialize)]
struct BinaryOut<'a> {
    file: &'a str,
    /// What it adds, or what is wrong with it.
    sentence: &'a str,
    /// The object of the log whose functions it names.
    object: Option<u32>,
}

pub(crate) fn run(trace: &TraceArgs, names: &NameArgs, json: bool) -> Result<(), Failure> {
    let mut out = console::data_or_text(json);
    let (source, session, read) = match read_with_binaries(trace, names) {
        Err(Failure { archive: Some(archive), .. }) => return Ok(archive.print(&mut out, json)?),
        read => read?,
    };
    let binaries = read.map(|read| read.reports(&session)).unwrap_or_default();
    answer(out, &source, &session, Some(&binaries), json)
}

/// Prints what is in a trace that was read, with its binaries. Without them, it was read without
/// levels of detail.
pub(crate) fn answer(
    mut out: console::Out,
    source: &Source,
    session: &Session,
    binaries: Option<&[(String, BinaryReport)]>,
    json: bool,
) -> Result<(), Failure> {
    let progress = session.progress();
    let mut info = session.info();
    info.container = match (info.container, &source.container) {
        (Some(own), Some(around)) => Some(format!("{own} in {around}")),
        (own, around) => own.or_else(|| around.clone()),
    };
    if json {
        let slices = session.store().slices();
        let report = Report {
            file: &source.name,
            info,
            instants: session.store().instants(),
            names: session.store().names().len(),
            bytes_per_slice: if slices == 0 { 0.0 } else { session.store().bytes() as f64 / slices as f64 },
            digest: binaries.map(|_| format!("{:016x}", session.store().digest())),
            tracks: session.store().track_report(),
            binaries: (binaries.unwrap_or_default().iter())
                .map(|(file, report)| BinaryOut { file, sentence: &report.sentence, object: report.object })
                .collect(),
            progress,
            error: session.error(),
        };
        let mut report = json::snake_case(&report)?;
        let tracks = report.get_mut("tracks").and_then(Value::as_array_mut);
        tracks.into_iter().flatten().filter_map(Value::as_object_mut).for_each(number_as_in_sql);
        json::print(&mut out, &report)?;
        out.flush()?;
        return complete(session);
    }
    print(&mut out, session, &info, &progress, binaries.unwrap_or_default())?;
    out.flush()?;
    complete(session)
}

/// Gives a track the number that it has in SQL, from 1, and its parent, too.
fn number_as_in_sql(track: &mut Map<String, Value>) {
    for key in ["id", "parent"] {
        if let Some(number) = track.get_mut(key) {
            *number = number.as_i64().filter(|it| *it >= 0).map(|it| it + 1).into();
        }
    }
}

fn print(
    out: &mut impl Write,
    session: &Session,
    info: &TraceInfo,
    progress: &ProgressOut,
    binaries: &[(String, BinaryReport)],
) -> io::Result<()> {
    let store = session.store();
    let mut facts = vec![("Format", info.title.clone())];
    facts.extend(info.container.iter().map(|container| ("Container", container.clone())));
    facts.extend(info.properties.iter().cloned());
    facts.extend([
        ("Size", counted(progress.bytes, "byte")),
        ("Records", progress.events.to_string()),
        ("Slices", progress.slices.to_string()),
        ("Instants", store.instants().to_string()),
    ]);
    if let Some(extent) = progress.extent {
        let unit = if let ClockOut::Ordinal { unit } = info.clock { unit } else { "tick" };
        let length = counted((extent.to - extent.from) as f64, unit);
        facts.push(("Extent", format!("{} .. {} ({length})", extent.from, extent.to)));
    }
    facts.extend(binaries.iter().map(|(file, report)| ("Binary", format!("{file}: {}", report.sentence))));
    let tracks = store.track_report();
    facts.push(("Tracks", tracks.len().to_string()));
    let width = facts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in &facts {
        writeln!(out, "{name:width$}  {}", one_line(value))?;
    }
    for track in &tracks {
        let indent = if track.parent < 0 { "" } else { "  " };
        let counts =
            [(track.slices, "slice"), (track.groups, "group"), (track.instants, "instant"), (track.samples, "value")];
        let counts: Vec<String> = counts.iter().filter(|(n, _)| *n > 0.0).map(|(n, noun)| counted(*n, noun)).collect();
        let (number, name) = (track.id + 1, one_line(&track.name));
        writeln!(out, "{}", format!("{indent}{number:>3}  {name:24} {}", counts.join(", ")).trim_end())?;
    }
    if progress.events == 0.0 {
        writeln!(out, "{}", info.when_empty)?;
    }
    if progress.problems.is_empty() && session.error().is_none() {
        writeln!(out, "No problems")?;
    } else {
        writeln!(out, "Problems")?;
        // Reading ended with it.
        if let Some(error) = session.error() {
            writeln!(out, "  problem: {}", one_line(&error.sentence))?;
        }
        for problem in &progress.problems {
            let kind = if problem.serious { "problem" } else { "remark" };
            writeln!(
                out,
                "  {kind}: {}, first at {} {}",
                one_line(&problem.summary),
                info.place_noun,
                problem.first.offset
            )?;
        }
    }
    Ok(())
}

/// A count with its noun, which has a regular plural.
fn counted(count: f64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1.0 { "" } else { "s" })
}
