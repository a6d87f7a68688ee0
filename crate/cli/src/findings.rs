//! `unspool findings`: what the calls of an apitrace waste or do wrong.

use std::io::{self, Write};

use serde_json::{Value, json};
use unspool_graphics::findings::{Finding, Findings as Search};

use crate::console::{self, one_line};
use crate::frame_list::{PIECES, calls_of, lost};
use crate::{Failure, TraceArgs, json};

/// Lists what the calls of an apitrace waste or do wrong: redundant state, identical uploads, draws
/// that are thrown away, waits, errors.
///
/// docs/graphics.md defines each kind. Only what the calls prove is listed.
#[derive(clap::Args)]
pub(crate) struct Findings {
    #[command(flatten)]
    trace: TraceArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(what: &Findings) -> Result<(), Failure> {
    let (source, index, file) = calls_of(&what.trace)?;
    let mut search = Search::open(&index, file).map_err(|error| Failure::new(format!("{}: {error}", source.name)))?;
    while !search.step(PIECES).map_err(|error| lost(&source, error))? {}
    let found = search.all();
    let mut out = console::data_or_text(what.json);
    if what.json {
        let rows: Vec<Value> = found.iter().map(row).collect();
        json::print_line(&mut out, &json!({ "findings": rows }))?;
    } else {
        table(&mut out, &found)?;
    }
    out.flush()?;
    Ok(())
}

fn row(finding: &Finding) -> Value {
    let Finding { kind, sentence, count, cost, calls } = finding;
    json!({
        "kind": kind.word(), "sentence": sentence, "count": count, "cost": cost, "unit": kind.unit(), "calls": calls,
    })
}

/// The findings of each kind under its title.
fn table(out: &mut impl Write, found: &[Finding]) -> io::Result<()> {
    if found.is_empty() {
        return writeln!(out, "Nothing found.");
    }
    let mut before = None;
    for Finding { kind, sentence, count, cost, calls } in found {
        if before != Some(*kind) {
            let gap = if before.is_some() { "\n" } else { "" };
            writeln!(out, "{gap}{}", kind.title())?;
            before = Some(*kind);
        }
        let (noun, unit) = (if *count == 1 { "call" } else { "calls" }, kind.unit());
        let cost = if unit == "call" || unit == "error" {
            String::new()
        } else {
            format!(", {cost} {unit}{}", if *cost == 1 { "" } else { "s" })
        };
        let first = calls.first().map_or(String::new(), |call| format!(", first at call {call}"));
        let sentence = one_line(sentence);
        writeln!(out, "  {sentence}: {count} {noun}{cost}{first}")?;
    }
    Ok(())
}
