//! `unspool findings`: what the calls of an apitrace waste or do wrong.

use std::io::{self, Write};
use std::process::ExitCode;

use serde::Serialize;
use serde_json::{Value, json};
use unspool_graphics::findings::{Finding, Findings as Search};

use crate::console::one_line;
use crate::frame_list::{PIECES, calls_of, lost};
use crate::limit::{LimitArgs, Listed};
use crate::listing::Form;
use crate::{Failure, TraceArgs, json};

/// Lists what the calls of an apitrace waste or do wrong: redundant state, identical uploads, draws
/// that are thrown away, waits, errors.
///
/// docs/graphics.md defines each kind. Only what the calls prove is listed. Exit status 1 with
/// --fail means that something was found.
#[derive(clap::Args)]
pub(crate) struct Findings {
    #[command(flatten)]
    trace: TraceArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limit: LimitArgs,
    /// Exit with status 1 if something is found.
    #[arg(long)]
    fail: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    findings: Vec<Value>,
    #[serde(flatten)]
    listed: Listed,
}

pub(crate) fn run(what: &Findings) -> Result<ExitCode, Failure> {
    let (source, index, file) = calls_of(&what.trace)?;
    let mut search = Search::open(&index, file).map_err(|error| Failure::of(&source.name, error))?;
    while !search.step(PIECES).map_err(|error| lost(&source, error))? {}
    let found = search.all();
    let form = Form::of(what.json, false);
    let mut out = form.out();
    let (first, listed) = what.limit.first(&found, form, usize::MAX);
    if what.json {
        json::print_line(&mut out, &Report { findings: first.iter().map(row).collect(), listed })?;
    } else {
        table(&mut out, first)?;
        listed.print_more(&mut out)?;
    }
    out.flush()?;
    Ok(ExitCode::from(u8::from(what.fail && !found.is_empty())))
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
