//! `unspool suspects`: what goes with failing, statements and values.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use unspool_compare::suspects::{RunPoints, Suspect, SuspectTest, Suspects as Found};
use unspool_trace::{Capability, StatementId};
use unspool_values::Profile;

use crate::compare::statement_names;
use crate::limit::{LimitArgs, Listed};
use crate::listing::{Cell, Form, Listing, column};
use crate::read_whole::{complete, read_named};
use crate::segments::profile_of;
use crate::{Failure, NameArgs, TraceArgs, json};

/// Ranks statements, and values at them, by how much they go with failing (trace-db).
///
///     unspool suspects --pass good-*.trace --fail bad-*.trace
///     unspool suspects --list runs.txt
///
/// Ochiai and Tarantula are from 0 to 1; 1 is a statement that all failing runs reached and no
/// passing one. docs/compare.md has the definitions.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Suspects {
    /// Traces of runs that passed.
    #[arg(long, num_args = 1.., value_name = "FILE", required_unless_present = "list")]
    pass: Vec<PathBuf>,
    /// Traces of runs that failed.
    #[arg(long, num_args = 1.., value_name = "FILE", required_unless_present = "list")]
    fail: Vec<PathBuf>,
    /// Text file with a line for each run: `pass FILE` or `fail FILE`, relative to this file.
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// File of names for statements, with lines of `key,name` or `key,name,file,line`.
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
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
/// Most tests of values in the table.
const LISTED_TESTS: usize = 20;

/// Names of statements.
type Names = HashMap<StatementId, String>;

pub(crate) fn run(what: &Suspects) -> Result<(), Failure> {
    let (mut pass, mut fail) = (what.pass.clone(), what.fail.clone());
    if let Some(list) = &what.list {
        let text = fs::read_to_string(list).map_err(|error| Failure::io(list.display(), &error))?;
        let folder = list.parent().unwrap_or(Path::new(""));
        for (number, line) in (1..).zip(text.lines()) {
            let of = listed(line).map_err(|()| {
                Failure::usage(format!("{}: line {number} is neither “pass FILE” nor “fail FILE”.", list.display()))
            })?;
            let Some((has_failed, name)) = of else { continue };
            (if has_failed { &mut fail } else { &mut pass }).push(folder.join(name));
        }
        if pass.is_empty() || fail.is_empty() {
            let missing = if pass.is_empty() { "passed" } else { "failed" };
            return Err(Failure::usage(format!("{}: no run {missing}.", list.display())));
        }
    }
    let mut names = Names::new();
    let mut read = |files: &[PathBuf]| {
        files.iter().map(|file| profile(what, file, &mut names)).collect::<Result<Vec<Profile>, Failure>>()
    };
    let (passing, failing) = (read(&pass)?, read(&fail)?);
    let found = Found::of(&passing, &failing);
    let runs: Vec<String> = pass.iter().chain(&fail).map(|file| file.display().to_string()).collect();
    let name_of = |id: StatementId| names.get(&id).cloned().unwrap_or_else(|| id.to_string());
    let form = Form::of(what.json, what.csv);
    let (ranked, listed) = what.limit.first(&found.statements, form, LISTED);
    let (tests, listed_tests) = what.limit.first(&found.tests, form, LISTED_TESTS);
    let mut out = form.out();
    match form {
        Form::Json => {
            let report = report(&found, &runs, name_of, (ranked, listed), (tests, listed_tests));
            json::print(&mut out, &report)?;
        }
        Form::Csv => {
            listed.say_more();
            statements(name_of).print(form, &mut out, ranked)?;
        }
        Form::Text => {
            writeln!(out, "{}", found.sentence(name_of))?;
            print(&mut out, &statements(name_of), ranked, listed)?;
            print(&mut out, &tests_table(name_of), tests, listed_tests)?;
            if found.is_cut {
                writeln!(out, "Not all values were looked at or are listed: there are too many.")?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// What a line of a list says of a run: whether it failed, and its file. `None` of an empty line or
/// a comment.
fn listed(line: &str) -> Result<Option<(bool, &str)>, ()> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let (word, name) = line.split_once(char::is_whitespace).ok_or(())?;
    match word {
        "pass" => Ok(Some((false, name.trim()))),
        "fail" => Ok(Some((true, name.trim()))),
        _ => Err(()),
    }
}

/// The values of a run. Adds the names of its statements.
fn profile(what: &Suspects, file: &Path, names: &mut Names) -> Result<Profile, Failure> {
    let trace = TraceArgs { no_limits: what.no_limits, ..TraceArgs::of(file) };
    let (mut source, session) =
        read_named(&trace, &NameArgs { names: what.names.clone(), binary: Vec::new(), short_names: false })?;
    complete(&session)?;
    let has_values = session.info().offers.contains(&Capability::Values.word());
    let found = if has_values { profile_of(&mut source, trace.limits(), false)? } else { None };
    names.extend(statement_names(&session));
    found.ok_or_else(|| Failure::of(&source.name, "only traces of statements can be ranked.").unsupported())
}

/// What `--json` prints.
fn report(
    found: &Found,
    runs: &[String],
    name_of: impl Fn(StatementId) -> String,
    (statements, listed): (&[Suspect], Listed),
    (tests, listed_tests): (&[SuspectTest], Listed),
) -> Value {
    let points = |all: &[RunPoints]| {
        all.iter().map(|it| json!({"run": runs.get(it.run), "count": it.count, "first": it.first})).collect::<Vec<_>>()
    };
    let statement = |it: &Suspect| {
        json!({
            "ochiai": it.ochiai, "tarantula": it.tarantula, "failed": it.failed, "passed": it.passed,
            "statement": it.statement.bits(), "name": name_of(it.statement), "points": points(&it.points),
        })
    };
    let test = |it: &SuspectTest| {
        json!({
            "query": it.query, "statement": it.statement.bits(), "name": name_of(it.statement), "ochiai": it.ochiai,
            "lift": it.lift, "failed": it.failed, "failed_at": it.failed_at, "passed": it.passed,
            "passed_at": it.passed_at, "points": points(&it.points),
        })
    };
    let mut report = json!({
        "passed": found.passed, "failed": found.failed, "sentence": found.sentence(&name_of),
        "statements": statements.iter().map(statement).collect::<Vec<_>>(),
        "tests": tests.iter().map(test).collect::<Vec<_>>(), "tests_total": listed_tests.total,
        "tests_partial": found.is_cut, "total": listed.total, "listed": listed.listed,
        "truncated": listed.truncated || listed_tests.truncated,
    });
    if let (Some(rest), Some(report)) = (listed.rest.or(listed_tests.rest), report.as_object_mut()) {
        report.insert("rest".into(), rest.into());
    }
    report
}

fn print<R>(out: &mut impl Write, listing: &Listing<'_, R>, rows: &[R], listed: Listed) -> Result<(), Failure> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    listing.print(Form::Text, &mut *out, rows)?;
    listed.print_more(out)?;
    Ok(())
}

fn statements<'n>(name_of: impl Fn(StatementId) -> String + 'n) -> Listing<'n, Suspect> {
    let columns = vec![
        column("statement", |it: &Suspect| it.statement.bits().into()),
        column("failed", |it: &Suspect| it.failed.into()).right(8),
        column("passed", |it: &Suspect| it.passed.into()).right(8),
        column("tarantula", |it: &Suspect| Cell::Real(it.tarantula))
            .shown(|it| format!("{:.3}", it.tarantula))
            .right(10),
        column("ochiai", |it: &Suspect| Cell::Real(it.ochiai)).shown(|it| format!("{:.3}", it.ochiai)).right(8),
        column("name", move |it: &Suspect| name_of(it.statement).into()).head("statement").rest(),
    ];
    Listing::new(columns).with_heads().in_order(&["ochiai", "tarantula", "failed", "passed", "name"])
}

fn tests_table<'n>(name_of: impl Fn(StatementId) -> String + 'n) -> Listing<'n, SuspectTest> {
    let of = |count: usize, all: usize| format!("{count} of {all}");
    Listing::new(vec![
        column("query", |it: &SuspectTest| it.query.clone().into()).head("holds").measured_by_value(),
        column("failed", |it: &SuspectTest| it.failed.into()).shown(move |it| of(it.failed, it.failed_at)).measured(),
        column("passed", |it: &SuspectTest| it.passed.into()).shown(move |it| of(it.passed, it.passed_at)).measured(),
        column("lift", |it: &SuspectTest| Cell::Real(it.lift)).shown(|it| format!("{:.2}", it.lift)).measured(),
        column("ochiai", |it: &SuspectTest| Cell::Real(it.ochiai)).shown(|it| format!("{:.3}", it.ochiai)).measured(),
        column("name", move |it: &SuspectTest| name_of(it.statement).into()).head("at").rest(),
    ])
    .with_heads()
}

#[cfg(test)]
mod tests_of_lists {
    use super::listed;

    #[test]
    fn a_line_says_whether_a_run_failed() {
        assert_eq!(listed("fail run 7.trace "), Ok(Some((true, "run 7.trace"))));
        assert_eq!(listed("\tpass\tb/c.trace"), Ok(Some((false, "b/c.trace"))));
        assert_eq!((listed("  "), listed("# two runs")), (Ok(None), Ok(None)));
        assert_eq!((listed("failed a"), listed("fail")), (Err(()), Err(())));
    }
}
