//! `unspool query`: points of trace-db traces whose values are as a query wants them.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;

use serde::Serialize;
use unspool_formats::trace_db::wire::Layout;
use unspool_formats::trace_db::wire::{Number, Tables};
use unspool_trace::batch::Key;
use unspool_trace::{Naming, printed};
use unspool_values::{Dictionary, Fault, Loader, Match, Query as Parsed, Run, Segment, Value};

use crate::console;
use crate::limit::{LimitArgs, Listed};
use crate::listing::Form;
use crate::read_whole::read_names;
use crate::segments::{layout_of, segments};
use crate::{Failure, Place, Source, TraceArgs, complain, json};

/// Finds points of trace-db traces by the values of their variables.
///
/// Prints one JSON object per result: the trace, the point, its statement, and the variable that
/// each free variable is bound to. A query is an infix condition or an s-expression:
///
///     'i > 100 and n.size = 4'
///     'a, b: int | unsigned int where a.value > b.value and distinct(a, b)'
///     '(query (var a "int") (predicate (> (v/value a) 100)) (keep))'
///
/// docs/values.md describes the language. The number of results goes to stderr.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Query {
    /// Traces, followed by the query; - for standard input.
    #[arg(required = true, num_args = 2.., value_names = ["FILE", "QUERY"])]
    args: Vec<PathBuf>,
    #[command(flatten)]
    limit: LimitArgs,
    /// Errors and the number of results are JSON as well.
    #[arg(long)]
    json: bool,
    /// Names of statements: lines of `key,name,file,line`; docs/names.md has all forms.
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    /// Read on where a limit would end the reading.
    #[arg(long)]
    no_limits: bool,
}

#[derive(Serialize)]
struct Row<'a> {
    trace: &'a str,
    /// The number of the point in the trace.
    point: u64,
    statement: Option<u64>,
    /// Of the statement, if a file of names has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    vars: Vec<Variable<'a>>,
    aux: &'a [u64],
}

/// As in the dump.
#[derive(Serialize)]
struct Variable<'a> {
    name: std::borrow::Cow<'a, str>,
    #[serde(rename = "type")]
    of_type: std::borrow::Cow<'a, str>,
    value: Content,
    /// Bytes as text, if they are one.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    size: u32,
    buffer_size: Option<u64>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
}

impl From<Value<'_>> for Content {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Number(Number::Unsigned(n) | Number::Pointer(n)) => Self::Unsigned(n),
            Value::Number(Number::Signed(n)) => Self::Signed(n),
            Value::Number(Number::Float(n)) if n.is_finite() => Self::Float(n),
            Value::Number(Number::Float(n)) => Self::Text(format!("{n}").to_lowercase()),
            Value::Bytes(bytes, _) => {
                let mut text = String::from("hex:");
                for byte in bytes {
                    // Writing to a String cannot fail.
                    let _ = write!(text, "{byte:02x}");
                }
                Self::Text(text)
            }
        }
    }
}

pub(crate) fn run(what: &Query) -> Result<(), Failure> {
    let usage = |sentence: String| Failure::usage(sentence);
    let Some((text, files)) = what.args.split_last() else {
        return Err(usage("Give a trace and a query.".into()));
    };
    let text = text.to_str().ok_or_else(|| usage("The query is not valid UTF-8.".into()))?;
    let query = Parsed::parse(text).map_err(|fault| usage(shown(&fault, text)))?;
    let naming = what.names.as_deref().map(read_names).transpose()?.unwrap_or_default();
    let mut out = console::data();
    let most = what.limit.most(Form::Json, usize::MAX) as u64;
    let mut unknown: Option<Vec<Fault>> = None;
    let (mut results, mut listed, mut points) = (0, 0, 0);
    let mut reasons = Vec::new();
    for file in files {
        let trace = TraceArgs { no_limits: what.no_limits, ..TraceArgs::of(file) };
        let source = Source::open(&trace)?;
        let mut asked =
            Asked { source, limits: trace.limits(), run: None, missing: Vec::new(), why_none: String::new() };
        let (found, of) = asked.answer(&query, most - listed, &naming, &mut out)?;
        if asked.missing.is_empty() {
            reasons.push((asked.source.name, asked.why_none));
        }
        listed += found.min(most - listed);
        results += found;
        points += of;
        // What one of several traces has is not a mistake.
        let missing = asked.missing;
        unknown = Some(match unknown.take() {
            None => missing,
            Some(before) => before.into_iter().filter(|fault| missing.contains(fault)).collect(),
        });
    }
    let unknown = unknown.unwrap_or_default();
    let noun = |n: u64, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
    let in_points = format!(" in {}", noun(points, "point"));
    let (one, several) = (format!("result{in_points}"), format!("results{in_points}"));
    Listed::of(results, listed).end(&mut out, Form::Json, &one, &several)?;
    if results == 0 {
        say_why(&reasons);
    }
    for fault in &unknown {
        console::say(format_args!("unspool: {}", shown(fault, text)));
    }
    // The reference finds nothing without a word; in the other language it can only be a mistake.
    if unknown.is_empty() || query.is_reference {
        Ok(())
    } else {
        Err(usage("The query names what no trace has.".into()))
    }
}

/// Says why nothing was found: once if the reason is the same in all traces.
fn say_why(reasons: &[(String, String)]) {
    match reasons {
        [(_, first), rest @ ..] if rest.iter().all(|(_, reason)| reason == first) => {
            console::say(format_args!("unspool: {first}"));
        }
        _ => reasons.iter().for_each(|(name, reason)| console::say(format_args!("unspool: {name}: {reason}"))),
    }
}

/// A fault below the text that it is in.
fn shown(fault: &Fault, text: &str) -> String {
    console::pointed(&fault.sentence, text, fault.at, fault.len)
}

/// A trace that is being asked.
struct Asked {
    source: Source,
    limits: unspool_trace::Limits,
    run: Option<Run>,
    missing: Vec<Fault>,
    /// The reason why nothing was found, if nothing was.
    why_none: String,
}

impl Asked {
    /// Prints the results. Returns how many there are, and how many points the trace has.
    fn answer(
        &mut self,
        query: &Parsed,
        limit: u64,
        naming: &Naming,
        out: &mut impl Write,
    ) -> Result<(u64, u64), Failure> {
        let name = self.source.name.clone();
        let refused = |why: String| Failure::of(&name, why);
        let layout = layout_of(&self.source)?;
        let Some(layout) = layout else {
            return Err(refused(
                "Only trace-db traces have values to query; unspool find searches all formats.".into(),
            ));
        };
        let (mut results, mut points) = (0, 0);
        if query.seed != 0 {
            // The pick is among all points that are at the wanted statement.
            self.segments(query, layout, false, |run, _, dictionary, segment| {
                run.count(segment, dictionary);
                Ok(())
            })?;
            self.run.iter_mut().for_each(Run::choose);
        }
        self.segments(query, layout, true, |run, tables, dictionary, segment| {
            points += segment.len() as u64;
            let mut failed = Ok(());
            run.segment(segment, dictionary, u64::MAX, &mut |found| {
                results += 1;
                if failed.is_ok() && results <= limit {
                    failed = print(out, &name, naming, tables, dictionary, found);
                }
            });
            failed
        })?;
        if let Some(left_out) = self.run.as_ref().map(Run::left_out).filter(|n| *n > 0) {
            let sentence =
                format!("{left_out} combinations at points with more than 1048576 equally good ones were left out.");
            complain(&name, Place::Whole, &sentence);
        }
        Ok((results, points))
    }

    /// Reads the whole trace and calls `each` with its segments. `loud`: says what is wrong with
    /// the file.
    fn segments(
        &mut self,
        query: &Parsed,
        layout: Layout,
        loud: bool,
        mut each: impl FnMut(&mut Run, &Tables, &Dictionary, &Segment) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let Self { source, limits, run, missing, why_none } = self;
        let mut loader = Loader::new(layout, *limits);
        segments(source, &mut loader, loud, |tables, dictionary, segment| {
            let run = run.get_or_insert_with(|| {
                *missing = query.unknown(tables);
                Run::new(query, tables)
            });
            each(run, tables, dictionary, segment)
        })?;
        if let (Some(run), Some(tables)) = (run, loader.tables()) {
            *why_none = run.why_none(query, tables);
        }
        Ok(())
    }
}

fn print(
    out: &mut impl Write,
    trace: &str,
    naming: &Naming,
    tables: &Tables,
    dictionary: &Dictionary,
    found: &Match<'_>,
) -> io::Result<()> {
    let Match { segment, point, variables, is_bare } = found;
    let variable = |index: &u32| {
        let index = *index as usize;
        let (name, of_type) = dictionary.key(segment.key(index));
        let value = segment.value(index);
        let (size, text) = match value {
            Value::Bytes(bytes, len) => (len, printed(bytes, len.into())),
            Value::Number(_) => (tables.types().get(of_type as usize).map_or(0, |t| t.size), None),
        };
        Variable {
            name: tables.text(name).unwrap_or_default(),
            of_type: tables.type_name(of_type),
            value: value.into(),
            text,
            size,
            buffer_size: segment.buffer_size(index),
        }
    };
    let statement = dictionary.statement(segment.statement(*point)).map(|id| id.bits());
    let named = statement.and_then(|id| naming.of(Key::Statement(id)));
    let row = Row {
        trace,
        point: segment.first + *point as u64,
        statement,
        name: named.map(|it| it.place.text.as_str()),
        source: named.map(|it| it.place.source.as_str()).filter(|it| !it.is_empty()),
        vars: variables.iter().map(variable).collect(),
        aux: if *is_bare { &[] } else { segment.auxiliary(*point) },
    };
    json::print_line(out, &row)
}
