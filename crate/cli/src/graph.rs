//! `unspool graph`: which function called which, with counts and times.

use std::collections::HashMap;
use std::io::{self, Write};

use serde::Serialize;
use unspool_engine::Store;
use unspool_engine::statistics::{CallGraph, Edge, Function, Summary};
use unspool_trace::batch::Key;

use crate::console;
use crate::limit::{LimitArgs, Listed};
use crate::listing::{Form as Printed, Listing, column, key_columns};
use crate::read_whole::{complete, read_named};
use crate::scope::ScopeArgs;
use crate::stats::{FIGURES, figures, unit};
use crate::{Failure, NameArgs, TraceArgs, json};

/// Prints which function called which, with counts and times: the edges of the call graph.
///
/// Times are in the trace's ticks, calls or steps, and defined as in `unspool stats`: the total of
/// an edge counts a call within another one of the same edge once. Nodes in DOT are named F and the
/// function's id, as in `llvm-xray graph`, or F and a number if the trace has no ids. F0 is the
/// root, which calls the outermost functions. Each edge and node has all figures as attributes. The
/// label of an edge is its count, that of a node its name and total.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Graph {
    #[command(flatten)]
    trace: TraceArgs,
    /// Output format.
    #[arg(long = "as", value_enum, default_value = "dot")]
    form: Form,
    /// Print one JSON object: --as json.
    #[arg(long, conflicts_with = "form")]
    json: bool,
    #[command(flatten)]
    limit: LimitArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    names: NameArgs,
}

/// The output format.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Form {
    /// A directed graph for Graphviz
    Dot,
    /// One JSON object
    Json,
}

/// What `--as json` prints.
#[derive(Serialize)]
struct Report<'a, F, E> {
    file: &'a str,
    /// Time in which any call was open, summed over the tracks, in ticks.
    covered: u64,
    /// Of all times.
    unit: &'static str,
    /// Each function once, in the order of the numbers that edges refer to.
    functions: F,
    /// Heaviest first.
    edges: E,
    /// Of the edges.
    #[serde(flatten)]
    listed: Listed,
}

pub(crate) fn run(what: &Graph) -> Result<(), Failure> {
    let (source, session) = read_named(&what.trace, &what.names)?;
    let store = session.store();
    let question = what.scope.question(&session)?;
    let functions = Summary::of(store, &question).functions;
    let CallGraph { mut edges, covered } = CallGraph::of(store, &question);
    edges.sort_by_key(|edge| (std::cmp::Reverse(edge.callee.total), edge.caller, edge.callee.name));
    let form = if what.json { Form::Json } else { what.form };
    let (edges, listed) = what.limit.first(&edges, Printed::Json, usize::MAX);
    let mut out = console::data_or_text(matches!(form, Form::Json));
    match form {
        Form::Dot => print_dot(&mut out, store, &functions, edges, listed)?,
        Form::Json => {
            let (nodes, lines) = (node_listing(store), edge_listing(&functions));
            let (functions, edges) = (nodes.records(&functions), lines.records(edges));
            json::print(
                &mut out,
                &Report { file: &source.name, covered, unit: unit(&session), functions, edges, listed },
            )?
        }
    }
    out.flush()?;
    complete(&session)
}

fn node_listing(store: &Store) -> Listing<'_, Function> {
    let mut columns = vec![column("name", |function: &Function| store.name(function.name).into())];
    columns.extend(key_columns(|function: &Function| store.key(function.name).1));
    columns.extend(figures(|function| function));
    Listing::new(columns)
}

fn edge_listing(functions: &[Function]) -> Listing<'static, Edge> {
    let callers: HashMap<u32, u32> = functions.iter().map(|function| function.name).zip(0..).collect();
    let callees = callers.clone();
    let mut columns = vec![
        // Index of the calling function; null for the root.
        column("caller", move |edge: &Edge| callers.get(&edge.caller).copied().into()),
        // Index of the function that is called.
        column("callee", move |edge: &Edge| callees.get(&edge.callee.name).copied().into()),
    ];
    columns.extend(figures(|edge: &Edge| &edge.callee));
    Listing::new(columns)
}

fn print_dot(
    out: &mut impl Write,
    store: &Store,
    functions: &[Function],
    edges: &[Edge],
    listed: Listed,
) -> io::Result<()> {
    // Ids of XRay are positive. Those of other traces may not be, and two kinds of slices may have
    // one id.
    let id = |name: u32| match store.key(name).1 {
        Key::Id(id) if id > 0 => Some(id as u64),
        _ => None,
    };
    let mut ids: Vec<_> = functions.iter().filter_map(|function| id(function.name)).collect();
    ids.sort_unstable();
    ids.dedup();
    let have_ids = ids.len() == functions.len();
    let number = |name: u32| match id(name) {
        _ if name == u32::MAX => 0,
        Some(id) if have_ids => id,
        _ => u64::from(name) + 1,
    };
    writeln!(out, "digraph xray {{\nnode [shape=record];")?;
    if edges.iter().any(|edge| edge.caller == u32::MAX) {
        writeln!(out, "F0 [label=\"root\"];")?;
    }
    for function in functions {
        let (name, total) = (escaped(store.name(function.name)), function.total);
        writeln!(out, "F{} [label=\"{{{name}|{total}}}\"{}];", number(function.name), attributes(function))?;
    }
    for Edge { caller, callee } in edges {
        let (from, to) = (number(*caller), number(callee.name));
        writeln!(out, "F{from} -> F{to} [label=\"{}\"{}];", callee.count, attributes(callee))?;
    }
    if listed.truncated {
        writeln!(out, "// {} of {} edges; --limit 0 has all.", listed.listed, listed.total)?;
    }
    writeln!(out, "}}")
}

/// All figures as attributes of DOT, which programs that draw it leave alone.
fn attributes(function: &Function) -> String {
    FIGURES.map(|(key, figure)| format!(" {key}={}", figure(function))).concat()
}

/// A name within the label of a record: these characters would divide it.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            '"' | '\\' | '{' | '}' | '|' | '<' | '>' => text.extend(['\\', letter]),
            '\n' | '\r' => text.push(' '),
            _ => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_divide_a_record() {
        assert_eq!(escaped("f<int>(a | b)"), "f\\<int\\>(a \\| b)");
        assert_eq!(escaped("say \"{no}\"\n\\"), "say \\\"\\{no\\}\\\" \\\\");
    }
}
