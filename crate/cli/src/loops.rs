//! `unspool loops`: runs of a repeated cycle of instructions.

use std::io::{self, Write};

use serde::Serialize;
use unspool_formats::has_blocks;
use unspool_index::{Keeps, Loop, LoopFinder, LoopsFound};

use crate::console;
use crate::read_whole::read_whole;
use crate::sqlite::run_index;
use crate::steps::explore_source;
use crate::{Failure, TraceArgs};

/// Lists the loops of a BAP frames trace or a REVEN block trace: runs of a repeated cycle of
/// instructions, or of blocks.
///
/// Loops are listed by their begin, those within others after them. A cycle with a loop in it is
/// the same however often that repeats.
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
}

/// Segments of the index that are read at once.
const PORTION: u32 = 64;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LoopOut {
    start: u64,
    /// The step after the last iteration.
    end: u64,
    iterations: u64,
    /// The step after the first iteration, and the first one of the last iteration.
    first_end: u64,
    last_start: u64,
    /// Instructions or blocks of the cycle, of which a loop in it is one.
    cycle: u32,
    address: u64,
    thread: Option<u64>,
    /// Number of loops around it.
    depth: usize,
}

pub(crate) fn run(what: &Loops) -> Result<(), Failure> {
    let (source, session) = read_whole(&what.trace)?;
    let mut finder = LoopFinder::default();
    let found = if has_blocks(session.format().id) {
        let index = run_index(&source.path).map_err(|e| Failure::new(format!("{}: {}", source.name, e.sentence)))?;
        while !index.find_loops(&mut finder, PORTION) {}
        index.loops(finder)
    } else {
        let explorer = explore_source(&what.trace, &source, &session, Keeps::Executions, None)?;
        while !explorer.index().find_loops(&mut finder, PORTION) {}
        explorer.index().loops(finder)
    };
    let LoopsFound { loops, unlisted, left_out } = found;
    let mut out = console::data_or_text(what.json);
    if !what.json {
        writeln!(out, "{:>14}  {:>12}  {:>14}  {:>6}  address", "start", "iterations", "steps", "cycle")?;
    }
    // Ends of the loops around the current one.
    let mut around: Vec<(u64, Option<u64>)> = Vec::new();
    let mut listed = 0u64;
    for it in loops.iter().filter(|it| it.count >= what.least) {
        let Loop { start, first_end, last_start, end, count, length, address, thread, is_shared: _ } = *it;
        around.retain(|(end, of)| *end > start || *of != thread);
        let depth = around.iter().filter(|(_, of)| *of == thread).count();
        around.push((end, thread));
        listed += 1;
        if what.json {
            let (iterations, cycle) = (count, length);
            let line = LoopOut { start, end, iterations, first_end, last_start, cycle, address, thread, depth };
            serde_json::to_writer(&mut out, &line).map_err(io::Error::from)?;
            writeln!(out)?;
        } else {
            let steps = end - start;
            writeln!(
                out,
                "{start:>14}  {count:>12}  {steps:>14}  {length:>6}  {:indent$}{address:#x}",
                "",
                indent = console::indent(depth)
            )?;
        }
    }
    out.flush()?;
    console::say(format_args!("{listed} {}", if listed == 1 { "loop" } else { "loops" }));
    if unlisted > 0 {
        console::say(format_args!("{unlisted} more loops within others are not listed"));
    }
    if left_out > 0 {
        console::say(format_args!("{left_out} steps belong to further threads, whose loops are not found"));
    }
    Ok(())
}
