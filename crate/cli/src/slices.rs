//! `unspool slices`: every slice of a trace, in time order.

use unspool_engine::statistics::Question;
use unspool_engine::store::ordered::Placed;
use unspool_engine::{Session, TrackOut};
use unspool_trace::batch::flags;

use crate::console::{self, one_line};
use crate::limit::{LimitArgs, Listed};
use crate::listing::{Cell, Form, Listing, column, key_columns};
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
    limit: LimitArgs,
    #[command(flatten)]
    names: NameArgs,
}

/// A slice with its track.
type Row<'a> = (&'a TrackOut, Placed);

pub(crate) fn run(what: &Slices) -> Result<(), Failure> {
    let (_, session) = read_named(&what.trace, &what.names)?;
    let report = session.store().track_report();
    let Question { from, to, tracks } = what.scope.question(&session)?;
    let form = Form::of(what.json, what.csv);
    let mut out = form.out();
    let listing = listing(&session);
    let mut printer = listing.begin(form, &mut out)?;
    let most = what.limit.most(form, usize::MAX) as u64;
    let (mut total, mut listed) = (0, 0);
    for placed in session.store().ordered(&tracks, from, to) {
        let Some(track) = report.get(placed.track as usize) else { continue };
        total += 1;
        if total <= most {
            listed += 1;
            printer.row(&(track, placed))?;
        }
    }
    printer.finish()?;
    Listed::of(total, listed).end_quietly(&mut out, form)?;
    complete(&session)
}

fn listing<'a>(session: &'a Session) -> Listing<'a, Row<'a>> {
    let store = session.store();
    let name_of = move |placed: &Placed| store.calls().name(placed.slice.node);
    let name = move |placed: &Placed| store.name(name_of(placed));
    let depth = |(track, placed): &Row<'_>| i64::from(placed.depth) - i64::from(track.lowest);
    let key = move |(_, placed): &Row<'_>| store.key(name_of(placed));
    let [id, address] = key_columns(move |row| key(row).1);
    Listing::new(vec![
        column("track", |(track, _): &Row<'_>| track.name.as_str().into()).left(20),
        // The thread's id, if the trace has one.
        column("thread", |(track, _): &Row<'_>| track.thread.into()),
        column("start", |(_, placed): &Row<'_>| placed.slice.start.into()).right(12),
        column("end", |(_, placed): &Row<'_>| placed.slice.end.into()).right(12).after(" .."),
        column("dur", |(_, placed): &Row<'_>| (placed.slice.end - placed.slice.start).into()),
        // From 0, the outermost.
        column("depth", move |row: &Row<'_>| depth(row).into()),
        column("name", move |(_, placed): &Row<'_>| name(placed).into()).rest().shown(move |row| {
            let indent = console::indent(usize::try_from(depth(row)).unwrap_or(0));
            format!("{:indent$}{}", "", one_line(name(&row.1)))
        }),
        column("kind", move |row: &Row<'_>| match row.0 {
            track if track.kind == "thread" => key(row).0.word().into(),
            track => track.noun.unwrap_or(&track.name).into(),
        }),
        id,
        address,
        column("flags", |(_, placed): &Row<'_>| Cell::Words(flags::words(placed.slice.flags).collect(), " "))
            .note()
            .shown(|(_, placed)| match flags::words(placed.slice.flags).collect::<Vec<_>>() {
                words if words.is_empty() => String::new(),
                words => format!("[{}]", words.join(", ")),
            }),
    ])
}
