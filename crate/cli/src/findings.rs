//! `unspool findings`: what stands out in a trace.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::process::ExitCode;

use serde::Serialize;
use serde_json::{Value, json};
use unspool_engine::Session;
use unspool_engine::findings::CallFindings;
use unspool_engine::jobs::Step;
use unspool_formats::has_blocks;
use unspool_trace::finding::{Claim, arrange, keep_foremost};
use unspool_trace::{Capability, Clock, Finding};

use crate::compare::statement_names;
use crate::console::one_line;
use crate::limit::{LimitArgs, Listed};
use crate::listing::Form;
use crate::read_whole::{complete, read_named};
use crate::{Failure, NameArgs, Source, TraceArgs, interrupt, json};

mod calls;
mod steps;
mod values;

/// Slices that are visited between two looks at whether to stop.
const TURN: u64 = 1 << 20;

/// Lists what stands out in a trace, the greatest first: each as a sentence with its place.
///
/// Slow calls and what explains them, threads that wait, loops in which most steps are, returns
/// that match no call, relations that hold but for a few points, waits and work thrown away by
/// OpenGL calls. docs/findings.md defines each kind. Exit status 1 with --fail means that something
/// was found.
#[derive(clap::Args)]
pub(crate) struct Findings {
    #[command(flatten)]
    trace: TraceArgs,
    #[command(flatten)]
    names: NameArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limit: LimitArgs,
    /// Exit with status 1 if something is found.
    #[arg(long)]
    fail: bool,
    /// List only these kinds, such as slow-call, but all of them: otherwise the three greatest of a
    /// kind, and of an apitrace those of a kind as one.
    #[arg(long, value_name = "KIND,..", value_delimiter = ',')]
    kinds: Vec<String>,
    /// List only what weighs at least this much, from 0 to 1: about the share of the trace that it
    /// costs.
    #[arg(long, value_name = "WEIGHT", default_value_t = 0.0)]
    least: f64,
}

/// The words of all kinds.
fn words() -> Vec<&'static str> {
    let rooms = [
        unspool_engine::findings::FINDING_KINDS,
        unspool_graphics::findings::FINDING_KINDS,
        unspool_values::FINDING_KINDS,
        unspool_access_index::FINDING_KINDS,
    ];
    let mut words: Vec<_> = rooms.into_iter().flatten().map(|kind| kind.word).collect();
    // Two formats may have one.
    let mut known = HashSet::new();
    words.retain(|word| known.insert(*word));
    words
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    findings: Vec<Value>,
    /// Number of proposals that did not hold when they were computed once more.
    refuted: u64,
    #[serde(flatten)]
    listed: Listed,
}

pub(crate) fn run(what: &Findings) -> Result<ExitCode, Failure> {
    let words = words();
    if let Some(unknown) = what.kinds.iter().find(|word| !words.contains(&word.as_str())) {
        return Err(Failure::usage(format!("there is no kind {unknown}; there are: {}", words.join(", "))));
    }
    let (mut source, session) = read_named(&what.trace, &what.names)?;
    let (mut found, refuted) = search(what, &mut source, &session)?;
    complete(&session)?;
    if what.kinds.is_empty() {
        keep_foremost(&mut found);
    } else {
        found.retain(|it| what.kinds.iter().any(|word| word == it.kind.word));
    }
    found.retain(|it| it.weight >= what.least);
    let form = Form::of(what.json, false);
    let mut out = form.out();
    let (first, listed) = what.limit.first(&found, form, usize::MAX);
    if what.json {
        json::print_line(&mut out, &Report { findings: first.iter().map(row).collect(), refuted, listed })?;
    } else {
        let clock = session.clock();
        table(&mut out, first, |at| position(clock, at))?;
        listed.print_more(&mut out)?;
    }
    out.flush()?;
    Ok(ExitCode::from(u8::from(what.fail && !found.is_empty())))
}

/// All findings of a trace, the greatest first, and how many did not hold when they were computed
/// once more.
fn search(what: &Findings, source: &mut Source, session: &Session) -> Result<(Vec<Finding>, u64), Failure> {
    let offers = session.info().offers;
    let has = |capability: Capability| offers.contains(&capability.word());
    let (mut found, mut refuted) = (Vec::new(), 0);
    if has(Capability::Graphics) {
        let file = File::open(&source.path)?;
        (found, refuted) = calls::findings(source, &session.index_of_numbers(), file, !what.kinds.is_empty())?;
    } else if has(Capability::Values) {
        (found, refuted) = values::findings(source, what.trace.limits(), &statement_names(session))?;
    } else if has_blocks(session.format().id) {
        (found, refuted) = steps::of_blocks(source)?;
    } else if has(Capability::State) {
        (found, refuted) = steps::of_steps(source, session)?;
    } else if has(Capability::Time) {
        let mut search = CallFindings::new(session.store(), session.clock());
        while search.step(session.store(), TURN) == Step::More {
            interrupt::check()?;
        }
        found.extend(search.found().unwrap_or_default().iter().cloned());
        refuted = search.refuted();
    }
    arrange(&mut found);
    Ok((found, refuted))
}

fn row(it: &Finding) -> Value {
    let claim = |it: &Claim| {
        let Claim { quantity, of, at, value, unit, text } = it;
        json!({"quantity": quantity, "of": of, "at": at, "value": value, "unit": unit, "text": text})
    };
    let figure = |it: &Claim| json!({"name": it.quantity, "value": it.value, "unit": it.unit});
    let claims: Vec<Value> = it.claims.iter().map(claim).collect();
    let figures: Vec<Value> = it.claims.iter().map(figure).collect();
    json!({
        "kind": it.kind.word, "sentence": it.sentence, "at": it.at, "end": it.end, "track": it.track, "names": it.names,
        "claims": claims, "figures": figures, "places": it.places, "weight": it.weight, "why": it.kind.why, "part": it.part,
    })
}

/// Each finding with its kind and its place.
fn table(out: &mut impl Write, found: &[Finding], position: impl Fn(u64) -> String) -> io::Result<()> {
    if found.is_empty() {
        return writeln!(out, "Nothing stands out.");
    }
    for it in found {
        write!(out, "{}: {}", it.kind.title, one_line(&it.sentence))?;
        match (it.at, it.end) {
            (Some(at), Some(end)) => write!(out, " ({} to {})", position(at), position(end))?,
            (Some(at), None) => write!(out, " ({})", position(at))?,
            (None, _) => {}
        }
        writeln!(out)?;
        if let Some(part) = &it.part {
            writeln!(out, "  Not all was looked at: {part}.")?;
        }
    }
    Ok(())
}

/// A position as `dump` and `slices` print it.
fn position(clock: Clock, at: u64) -> String {
    match clock {
        Clock::Ordinal { unit } => format!("{unit} {at}"),
        _ => at.to_string(),
    }
}
