//! `unspool stats --by stack`: the call stacks of a trace.

use std::cmp::Reverse;
use std::io::{self, Write};

use serde::{Serialize, Serializer};
use unspool_engine::statistics::{CallPath, CallPaths, Question};
use unspool_engine::{Session, Store};

use super::{Form, print_more};
use crate::console::one_line;
use crate::csv::write_row;
use crate::json;

/// Most stacks in the table.
const LISTED: usize = 20;

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    file: &'a str,
    /// How many tracks the statistics cover.
    tracks: usize,
    /// Time in which any call was open, summed over the tracks, in ticks.
    covered: u64,
    /// Sorted by descending self time.
    stacks: Vec<Line<'a>>,
}

/// Statistics of one stack. Times are in ticks.
#[derive(Serialize)]
struct Line<'a> {
    /// Calls of the innermost function from this stack.
    count: u64,
    /// Time in the innermost function and its callees.
    total: u64,
    /// Time in the innermost function itself.
    #[serde(rename = "self")]
    own: u64,
    /// Names from the outermost function to the innermost one.
    stack: Frames<'a>,
}

/// The names of a stack. They are looked up when they are printed: all stacks of a deep recursion
/// at once would take the square of its depth.
struct Frames<'a> {
    store: &'a Store,
    paths: &'a CallPaths,
    path: CallPath,
}

impl<'a> Frames<'a> {
    /// From the innermost function to the outermost one.
    fn inner_first(&self) -> impl Iterator<Item = &'a str> {
        let Self { store, paths, path } = *self;
        let above = move |path: &CallPath| paths.get(path.parent).filter(|_| path.parent != 0);
        let name = move |path: CallPath| store.names().get(path.name as usize).map_or("", String::as_str);
        std::iter::successors(Some(path), above).map(name)
    }

    fn outer_first(&self) -> Vec<&'a str> {
        let mut names: Vec<_> = self.inner_first().collect();
        names.reverse();
        names
    }
}

impl Serialize for Frames<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.outer_first().serialize(serializer)
    }
}

pub(super) fn print(
    out: &mut impl Write,
    form: Form,
    file: &str,
    session: &Session,
    question: &Question,
) -> io::Result<()> {
    let store = session.store();
    let paths = CallPaths::of(store, question);
    let line = |path: CallPath| {
        let CallPath { count, total, own, .. } = path;
        Line { count, total, own, stack: Frames { store, paths: &paths, path } }
    };
    let mut stacks: Vec<Line<'_>> = paths.iter().skip(1).filter(|path| path.count > 0).map(line).collect();
    stacks.sort_by_key(|line| (Reverse(line.own), Reverse(line.total)));
    match form {
        Form::Json => {
            let covered = paths.get(0).map_or(0, |root| root.total);
            json::print(out, &Report { file, tracks: question.tracks.len(), covered, stacks })
        }
        Form::Csv => {
            write_row(out, &["count", "total", "self", "stack"].map(String::from))?;
            stacks.iter().try_for_each(|Line { count, total, own, stack }| {
                let figures = [count, total, own].map(ToString::to_string);
                write_row(out, &[&figures[..], &[stack.outer_first().join(";")]].concat())
            })
        }
        Form::Table if stacks.is_empty() => writeln!(out, "No {} to list.", session.info().slice_noun),
        Form::Table => {
            let listed = stacks.get(..LISTED).unwrap_or(&stacks);
            for (number, Line { count, total, own, stack }) in listed.iter().enumerate() {
                let above = if number > 0 { "\n" } else { "" };
                writeln!(out, "{above}self {own}, total {total}, count {count}")?;
                print_frames(out, stack)?;
            }
            print_more(out, stacks.len() - listed.len())
        }
    }
}

/// Most lines of a stack in the table: its outer and its inner half. A recursion may be a million
/// calls deep.
const FRAMES: usize = 40;

fn print_frames(out: &mut impl Write, stack: &Frames<'_>) -> io::Result<()> {
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
