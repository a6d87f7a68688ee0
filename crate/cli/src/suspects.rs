//! `unspool suspects`: which statements go with failing.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use unspool_compare::suspects::{Suspect, suspects};
use unspool_trace::{Capability, FieldValue, Record, StatementId, Visitor};

use crate::find::{reader_of, visit_records};
use crate::limit::{LimitArgs, Listed};
use crate::listing::{Cell, Form, Listing, column};
use crate::read_whole::{complete, read_whole};
use crate::{Failure, TraceArgs, json};

/// Ranks the statements that runs reached by how much reaching them goes with failing (trace-db).
///
///     unspool suspects --pass good-*.trace --fail bad-*.trace
///
/// Ochiai and Tarantula are from 0 to 1; 1 is a statement that all failing runs reached and no
/// passing one. docs/compare.md has the definitions.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Suspects {
    /// Traces of runs that passed.
    #[arg(long, num_args = 1.., value_name = "FILE", required = true)]
    pass: Vec<PathBuf>,
    /// Traces of runs that failed.
    #[arg(long, num_args = 1.., value_name = "FILE", required = true)]
    fail: Vec<PathBuf>,
    /// Print one JSON object.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print one line of CSV per statement, with a header.
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    limit: LimitArgs,
    /// Read on where a limit on unpacked bytes or memory would end the reading.
    #[arg(long)]
    no_limits: bool,
}

/// Most statements in the table.
const LISTED: usize = 50;

/// What `--json` prints.
#[derive(Serialize)]
struct Report<S> {
    passed: usize,
    failed: usize,
    /// By descending Ochiai.
    statements: S,
    #[serde(flatten)]
    listed: Listed,
}

pub(crate) fn run(what: &Suspects) -> Result<(), Failure> {
    let read = |files: &[PathBuf]| files.iter().map(|file| reached(what, file)).collect::<Result<Vec<_>, _>>();
    let (passing, failing) = (read(&what.pass)?, read(&what.fail)?);
    let found = suspects(&passing, &failing);
    let form = Form::of(what.json, what.csv);
    let (found, listed) = what.limit.first(&found, form, LISTED);
    let mut out = form.out();
    let listing = listing();
    match form {
        Form::Json => {
            let statements = listing.records(found);
            let report = Report { passed: passing.len(), failed: failing.len(), statements, listed };
            json::print(&mut out, &report)?;
        }
        Form::Csv => {
            listed.say_more();
            listing.print(form, &mut out, found)?;
        }
        Form::Text if found.is_empty() => writeln!(out, "No run reached a statement.")?,
        Form::Text => {
            listing.print(form, &mut out, found)?;
            listed.print_more(&mut out)?;
        }
    }
    out.flush()?;
    Ok(())
}

/// The statements that a run reached.
fn reached(what: &Suspects, file: &Path) -> Result<BTreeSet<u64>, Failure> {
    let trace =
        TraceArgs { file: file.to_path_buf(), no_limits: what.no_limits, nest_tail_calls: false, max_memory: None };
    let (source, session) = read_whole(&trace)?;
    if !session.info().offers.contains(&Capability::Values.word()) {
        return Err(Failure::of(&source.name, "only traces of statements can be ranked.").unsupported());
    }
    let mut reader = reader_of(&session, &source)?;
    let mut statements = Statements::default();
    visit_records(&mut reader, &source, &mut statements)?;
    complete(&session)?;
    Ok(statements.0)
}

/// Collects the statements of points.
#[derive(Default)]
struct Statements(BTreeSet<u64>);

impl Visitor for Statements {
    fn begin(&mut self, _record: &Record<'_>) -> bool {
        true
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        if key == "statement"
            && let Some(statement) = number(value)
        {
            self.0.insert(statement);
        }
    }
}

/// The number of a statement, which is a symbol if it names a file.
fn number(value: FieldValue<'_>) -> Option<u64> {
    match value {
        FieldValue::Id(number) => Some(number as u64),
        FieldValue::U64(number) | FieldValue::Hex(number) => Some(number),
        FieldValue::Symbol { value, .. } => number(*value),
        _ => None,
    }
}

fn listing() -> Listing<'static, Suspect> {
    let columns = vec![
        column("statement", |it: &Suspect| it.statement.into())
            .shown(|it| StatementId::from_bits(it.statement).to_string())
            .measured_by_value(),
        column("failed", |it: &Suspect| it.failed.into()).right(8),
        column("passed", |it: &Suspect| it.passed.into()).right(8),
        column("tarantula", |it: &Suspect| Cell::Real(it.tarantula))
            .shown(|it| format!("{:.3}", it.tarantula))
            .right(10),
        column("ochiai", |it: &Suspect| Cell::Real(it.ochiai)).shown(|it| format!("{:.3}", it.ochiai)).right(8),
    ];
    Listing::new(columns).with_heads().in_order(&["ochiai", "tarantula", "failed", "passed", "statement"])
}
