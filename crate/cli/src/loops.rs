//! `unspool loops`: runs of a repeated cycle of instructions.

use unspool_access_index::{Keeps, Loop, LoopFinder, LoopsFound};
use unspool_formats::has_blocks;

use crate::console;
use crate::limit::{LimitArgs, Listed};
use crate::listing::{Form, Listing, column};
use crate::read_whole::read_whole;
use crate::sqlite::run_index;
use crate::steps::explore_source;
use crate::{Failure, TraceArgs};

/// Lists the loops of a BAP frames trace or a REVEN block trace: runs of a repeated cycle of
/// instructions, or of blocks.
///
/// Loops are listed by start, nested ones after the loop that contains them. Two iterations are
/// equal even if a loop within them repeats a different number of times.
#[derive(clap::Args)]
pub(crate) struct Loops {
    #[command(flatten)]
    trace: TraceArgs,
    /// List only loops with at least this number of iterations.
    #[arg(long, value_name = "ITERATIONS", default_value_t = 2)]
    least: u64,
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limit: LimitArgs,
}

/// Segments of the index that are read at once.
const PORTION: u32 = 64;

/// A loop, and the number of loops around it.
type Row<'a> = (&'a Loop, usize);

pub(crate) fn run(what: &Loops) -> Result<(), Failure> {
    let (source, session) = read_whole(&what.trace)?;
    let mut finder = LoopFinder::default();
    let found = if has_blocks(session.format().id) {
        let index = run_index(&source.path).map_err(|e| Failure::of(&source.name, e.sentence))?;
        while !index.find_loops(&mut finder, PORTION) {}
        index.loops(finder)
    } else {
        let explorer = explore_source(&what.trace, &source, &session, Keeps::Executions, None)?;
        while !explorer.index().find_loops(&mut finder, PORTION) {}
        explorer.index().loops(finder)
    };
    let LoopsFound { loops, unlisted, left_out } = found;
    let form = Form::of(what.json, false);
    let mut out = form.out();
    let listing = listing();
    let mut printer = listing.begin(form, &mut out)?;
    // Ends of the loops around the current one.
    let mut around: Vec<(u64, Option<u64>)> = Vec::new();
    let most = what.limit.most(form, usize::MAX) as u64;
    let mut total = 0u64;
    for it in loops.iter().filter(|it| it.count >= what.least) {
        around.retain(|(end, of)| *end > it.start || *of != it.thread);
        let depth = around.iter().filter(|(_, of)| *of == it.thread).count();
        around.push((it.end, it.thread));
        total += 1;
        if total <= most {
            printer.row(&(it, depth))?;
        }
    }
    printer.finish()?;
    Listed::of(total, total.min(most)).end(&mut out, form, "loop", "loops")?;
    if unlisted > 0 {
        console::say(format_args!("{unlisted} more loops within others are not listed"));
    }
    if left_out > 0 {
        console::say(format_args!("{left_out} steps belong to further threads, whose loops are not found"));
    }
    Ok(())
}

fn listing<'a>() -> Listing<'a, Row<'a>> {
    let columns = vec![
        column("start", |(it, _): &Row<'_>| it.start.into()).right(14),
        // The step after the last iteration.
        column("end", |(it, _): &Row<'_>| it.end.into()),
        column("iterations", |(it, _): &Row<'_>| it.count.into()).right(12),
        // The step after the first iteration, and the first one of the last iteration.
        column("first_end", |(it, _): &Row<'_>| it.first_end.into()),
        column("last_start", |(it, _): &Row<'_>| it.last_start.into()),
        // Instructions or blocks of the cycle, of which a loop in it is one.
        column("cycle", |(it, _): &Row<'_>| it.length.into()).right(6),
        column("address", |(it, _): &Row<'_>| it.address.into())
            .rest()
            .shown(|(it, depth)| format!("{:indent$}{:#x}", "", it.address, indent = console::indent(*depth))),
        column("thread", |(it, _): &Row<'_>| it.thread.into()),
        column("depth", |(_, depth): &Row<'_>| (*depth).into()),
        column("steps", |(it, _): &Row<'_>| (it.end - it.start).into()).right(14).in_text_only(),
    ];
    Listing::new(columns).with_heads().in_order(&["start", "iterations", "steps", "cycle", "address"])
}
