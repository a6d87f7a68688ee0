//! `unspool slices`: every slice of a trace, in time order.

use std::io::{self, Write};

use serde::Serialize;
use unspool_engine::statistics::Question;
use unspool_engine::store::ordered::Placed;
use unspool_engine::{Session, TrackOut};
use unspool_trace::batch::{Key, flags};

use crate::console::{self, one_line};
use crate::csv::{optional, write_row};
use crate::read_whole::{complete, read_named};
use crate::scope::ScopeArgs;
use crate::{Failure, NameArgs, TraceArgs};

/// Lists the slices of a trace by start: calls, handlers, groups.
#[derive(clap::Args)]
pub(crate) struct Slices {
    #[command(flatten)]
    trace: TraceArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Print one JSON object per line.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV with a header.
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    names: NameArgs,
}

/// One printed slice.
#[derive(Serialize)]
struct Row<'a> {
    track: &'a str,
    /// The thread's id, if the trace has one.
    thread: Option<i64>,
    start: u64,
    end: u64,
    /// Depth from 0, the outermost.
    depth: i64,
    name: &'a str,
    kind: &'a str,
    /// The function's id, if the trace has one instead of a name.
    id: Option<i64>,
    /// The function's address, if the trace has one.
    address: Option<u64>,
    flags: Vec<&'static str>,
}

pub(crate) fn run(what: &Slices) -> Result<(), Failure> {
    let (_, session) = read_named(&what.trace, &what.names)?;
    let report = session.store().track_report();
    let Question { from, to, tracks } = what.scope.question(&session)?;
    let mut out = console::data_or_text(what.json || what.csv);
    if what.csv {
        write!(out, "track,thread,start,end,depth,name,kind,id,address,flags\r\n")?;
    }
    for placed in session.store().ordered(&tracks, from, to) {
        let Some(track) = report.get(placed.track as usize) else { continue };
        let row = row(&session, track, &placed);
        if what.json {
            serde_json::to_writer(&mut out, &row).map_err(io::Error::from)?;
            writeln!(out)?;
        } else if what.csv {
            csv(&mut out, &row)?;
        } else {
            let indent = console::indent(usize::try_from(row.depth).unwrap_or(0));
            let marks = if row.flags.is_empty() { String::new() } else { format!("  [{}]", row.flags.join(", ")) };
            let (start, end, name) = (row.start, row.end, one_line(row.name));
            writeln!(out, "{:20}  {start:>12} ..{end:>12}  {:indent$}{name}{marks}", one_line(row.track), "")?;
        }
    }
    out.flush()?;
    complete(&session)
}

fn row<'a>(session: &'a Session, track: &'a TrackOut, placed: &Placed) -> Row<'a> {
    let store = session.store();
    let name = store.calls().name(placed.slice.node);
    let (kind, key) = store.key(name);
    let kind = if track.kind == "thread" { kind.word() } else { track.noun.unwrap_or(&track.name) };
    Row {
        track: &track.name,
        thread: track.thread,
        start: placed.slice.start,
        end: placed.slice.end,
        depth: i64::from(placed.depth) - i64::from(track.lowest),
        name: store.names().get(name as usize).map_or("", String::as_str),
        kind,
        id: if let Key::Id(id) = key { Some(id) } else { None },
        address: if let Key::Address(address) = key { Some(address) } else { None },
        flags: flags::words(placed.slice.flags).collect(),
    }
}

fn csv(out: &mut impl Write, row: &Row<'_>) -> io::Result<()> {
    let fields = [
        row.track.to_string(),
        optional(row.thread),
        row.start.to_string(),
        row.end.to_string(),
        row.depth.to_string(),
        row.name.to_string(),
        row.kind.to_string(),
        optional(row.id),
        optional(row.address),
        row.flags.join(" "),
    ];
    write_row(out, &fields)
}
