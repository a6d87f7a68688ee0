//! `unspool stats --by stack`: the call stacks of a trace.

use std::cmp::Reverse;
use std::io::{self, Write};

use serde::Serialize;
use unspool_engine::statistics::{CallPath, CallPaths, Question};
use unspool_engine::{Session, Store};
use unspool_trace::{check_path_bytes, path_sizes};

use super::unit;
use crate::console::one_line;
use crate::json;
use crate::limit::{LimitArgs, Listed};
use crate::listing::{Cell, Form, Listing, column};

/// Most stacks in the table.
const LISTED: usize = 20;

/// About how many bytes a stack takes besides its names.
const OF_FIGURES: u64 = 80;

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a, S> {
    file: &'a str,
    /// How many tracks the statistics cover.
    tracks: usize,
    /// Time in which any call was open, summed over the tracks, in ticks.
    covered: u64,
    /// Sorted by descending self time.
    stacks: S,
    /// Of all times.
    unit: &'static str,
    #[serde(flatten)]
    listed: Listed,
}

/// A stack. Its names are looked up when they are printed: all stacks of a deep recursion at once
/// would take the square of its depth.
struct Stack<'a> {
    store: &'a Store,
    paths: &'a CallPaths,
    path: CallPath,
    /// Bytes of its names, with what separates them.
    size: u64,
}

impl<'a> Stack<'a> {
    /// From the innermost function to the outermost one.
    fn inner_first(&self) -> impl Iterator<Item = &'a str> {
        let Self { store, paths, path, .. } = *self;
        let above = move |path: &CallPath| paths.get(path.parent).filter(|_| path.parent != 0);
        let name = move |path: CallPath| store.name(path.name);
        std::iter::successors(Some(path), above).map(name)
    }

    fn outer_first(&self) -> Vec<&'a str> {
        let mut names: Vec<_> = self.inner_first().collect();
        names.reverse();
        names
    }
}

pub(super) fn print(
    out: &mut impl Write,
    form: Form,
    limit: LimitArgs,
    file: &str,
    session: &Session,
    question: &Question,
) -> io::Result<()> {
    let store = session.store();
    let paths = CallPaths::of(store, question);
    let sizes = path_sizes(paths.iter().map(|path| (path.parent, store.name(path.name).len() as u64 + 1)));
    let found = paths.iter().zip(sizes).skip(1).filter(|(path, _)| path.count > 0);
    let mut stacks: Vec<Stack<'_>> = found.map(|(path, size)| Stack { store, paths: &paths, path, size }).collect();
    stacks.sort_by_key(|stack| (Reverse(stack.path.own), Reverse(stack.path.total)));
    let (stacks, listed) = limit.first(&stacks, form, LISTED);
    if form != Form::Text {
        let bytes = stacks.iter().fold(0, |sum: u64, stack| sum.saturating_add(stack.size + OF_FIGURES));
        check_path_bytes(bytes).map_err(|too_large| io::Error::other(format!("{too_large} --limit N lists fewer.")))?;
    }
    let listing = Listing::new(vec![
        // Calls of the innermost function from this stack.
        column("count", |stack: &Stack<'_>| stack.path.count.into()),
        // Time in the innermost function and its callees, in ticks.
        column("total", |stack: &Stack<'_>| stack.path.total.into()),
        // Time in the innermost function itself.
        column("self", |stack: &Stack<'_>| stack.path.own.into()),
        // Names from the outermost function to the innermost one.
        column("stack", |stack: &Stack<'_>| Cell::Words(stack.outer_first(), ";")),
    ]);
    match form {
        Form::Json => {
            let covered = paths.get(0).map_or(0, |root| root.total);
            let (tracks, unit) = (question.tracks.len(), unit(session));
            json::print(out, &Report { file, tracks, covered, stacks: listing.records(stacks), unit, listed })
        }
        Form::Csv => {
            listed.say_more();
            listing.print(form, out, stacks)
        }
        Form::Text if stacks.is_empty() => writeln!(out, "No {} to list.", session.info().slice_noun),
        Form::Text => {
            for (number, stack) in stacks.iter().enumerate() {
                let above = if number > 0 { "\n" } else { "" };
                let CallPath { count, total, own, .. } = stack.path;
                writeln!(out, "{above}self {own}, total {total}, count {count}")?;
                print_frames(out, stack)?;
            }
            listed.print_more(out)
        }
    }
}

/// Most lines of a stack in the table: its outer and its inner half. A recursion may be a million
/// calls deep.
const FRAMES: usize = 40;

fn print_frames(out: &mut impl Write, stack: &Stack<'_>) -> io::Result<()> {
    let names = stack.outer_first();
    let left_out = names.len().saturating_sub(FRAMES);
    for (depth, name) in names.iter().enumerate() {
        match depth.checked_sub(FRAMES / 2) {
            Some(0) if left_out > 0 => writeln!(out, "  … {left_out} more calls …")?,
            Some(within) if within < left_out => {}
            _ => writeln!(out, "  #{depth} {}", one_line(name))?,
        }
    }
    Ok(())
}
