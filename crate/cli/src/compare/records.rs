//! `unspool compare --records`: which records of two traces have no counterpart.

mod first;

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;
use unspool_compare::Ignore;
use unspool_compare::align::Hunk;
use unspool_compare::differ::{Differ, Differences, How};
use unspool_compare::kinds::Kinds;
use unspool_compare::sentence::grouped;
use unspool_compare::sequence::{Numbering, Sequence};
use unspool_compare::threads;
use unspool_compare::token_list::TokenSlice;
use unspool_compare::tokens::{Contents, Tokens};
use unspool_compare::what::What;
use unspool_engine::Session;
use unspool_formats::table::{has_blocks, same};
use unspool_trace::Lane;
use unspool_trace::batch::Key;
use unspool_trace::records::Same;

use super::lines::{Lines, Printed};
use super::{Compare, side_args};
use crate::binaries::Argument;
use crate::find::{reader_with, visit_pieces, visit_records};
use crate::limit::Listed;
use crate::listing::Form;
use crate::read_whole::{complete, read_for_records};
use crate::sqlite::block_runs;
use crate::{Failure, Place, Source, complain, console, json};

/// Hunks of a track that are printed as text, and records of each on either side.
const MOST_HUNKS: usize = 100;
pub(super) const MOST_LINES: u32 = 40;
/// Records of a trace at most, each of which takes four bytes.
const MOST_RECORDS: u64 = 1 << 30;
/// Equal records that are printed before and after a hunk.
const CONTEXT: u32 = 3;

/// A trace whose records are tokens.
struct Trace {
    source: Source,
    format: &'static str,
    title: String,
    machine: Option<String>,
    /// What a record is called.
    noun: &'static str,
    /// Whether runs of blocks are compared in place of records.
    is_runs: bool,
    same: Same,
    /// Where reading begins again. `None` of a database.
    index: Option<Vec<u8>>,
    names: HashMap<i64, String>,
    /// In the order of their ids, or in that in which they began.
    sequences: Vec<Named>,
    contents: Contents,
}

/// The records of a thread.
struct Named {
    name: String,
    track: u32,
    /// The id by which it is paired, if it has one.
    id: Option<i64>,
    sequence: Sequence,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    a: &'a str,
    b: &'a str,
    format: &'a str,
    tracks: Vec<Thread<'a>>,
    /// Whether the hunks of a track are.
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    rest: Option<&'static str>,
}

#[derive(Serialize)]
struct Thread<'a> {
    name: &'a str,
    records: [usize; 2],
    /// Numbers of the first records that differ.
    first: Option<[u32; 2]>,
    /// What has no counterpart: from and to in A, from and to in B.
    hunks: Vec<[u32; 4]>,
    /// Of the hunks.
    #[serde(flatten)]
    listed: Listed,
    /// What each of them is.
    what: Vec<Kind>,
}

#[derive(Serialize)]
struct Kind {
    kind: &'static str,
    says: String,
}

/// Two threads that belong together, and what differs in them.
struct Pair<'a> {
    a: Option<&'a Named>,
    b: Option<&'a Named>,
    /// In numbers of records.
    hunks: Vec<Hunk>,
    what: Vec<What>,
}

impl Pair<'_> {
    fn name(&self) -> &str {
        self.a.or(self.b).map_or("", |named| &named.name)
    }

    fn records(&self) -> [usize; 2] {
        [self.a, self.b]
            .map(|named| named.map_or(0, |Named { sequence, .. }| sequence.tokens.len() + sequence.left_out.len()))
    }
}

/// Compares the records of two traces, and returns the exit status.
///
/// # Errors
///
/// Returns an error if a trace cannot be read, or the two are of different formats.
pub(super) fn run(what: &Compare, a: &Path, b: &Path) -> Result<ExitCode, Failure> {
    // A rule with a mistake is refused before anything is read.
    rules(what)?;
    let form = Form::of(what.json, false);
    let mut out = form.out();
    if matches!(form, Form::Text)
        && let Some(line) = first::line(what, a, b)
    {
        // It is read while the rest is compared.
        writeln!(out, "{line}")?;
        out.flush()?;
    }
    let (a, b) =
        console::both(|| read(what, a, &what.names_a, &what.binary_a), || read(what, b, &what.names_b, &what.binary_b));
    let (mut a, mut b) = (a?, b?);
    if a.format != b.format {
        return Err(Failure::new(super::of_two_formats((&a.source.name, &a.title), (&b.source.name, &b.title))));
    }
    if let (Some(of_a), Some(of_b)) = (&a.machine, &b.machine)
        && of_a != of_b
    {
        complain(&a.source.name, Place::Whole, &super::of_two_machines(of_a, of_b));
    }
    in_common(&mut a, &mut b);
    let kinds = Kinds::of(&std::mem::take(&mut a.contents), &a.same);
    let pairs = paired(what, &a, &b).into_iter().map(|(a, b)| compared(what, &kinds, a, b));
    let pairs: Vec<Pair<'_>> = pairs.collect();
    match form {
        Form::Json => json::print(&mut out, &report(&a, &b, &pairs, what.limit.most(form, usize::MAX)))?,
        _ => print(&mut out, &a, &b, &pairs, what.limit.most(form, MOST_HUNKS))?,
    }
    out.flush()?;
    Ok(ExitCode::from(u8::from(pairs.iter().any(|pair| !pair.hunks.is_empty()))))
}

/// Makes the tokens of B those of A, whose contents then stand for all.
fn in_common(a: &mut Trace, b: &mut Trace) {
    let common = a.contents.merge(std::mem::take(&mut b.contents).iter());
    for named in &mut b.sequences {
        named.sequence.tokens.replace(|token| common.get(token as usize).copied().unwrap_or(u32::MAX));
    }
}

fn rules(what: &Compare) -> Result<Ignore, Failure> {
    let rules = Ignore::parse(what.ignore.iter().map(String::as_str));
    rules.map_err(Failure::usage)
}

/// Reads a trace, and its records as tokens.
fn read(what: &Compare, file: &Path, names: &Option<PathBuf>, binaries: &[Argument]) -> Result<Trace, Failure> {
    let (trace, names) = side_args(what, file, names, binaries);
    let (source, session) = read_for_records(&trace, &names)?;
    complete(&session)?;
    of_session(what, source, session)
}

/// The records that a session has read, as tokens.
fn of_session(what: &Compare, source: Source, session: Session) -> Result<Trace, Failure> {
    let format = session.format().id;
    let same = same(format).ok_or_else(|| Failure::new("This format has no records."))?;
    let same = if what.exact { same } else { same.in_full() };
    let tracks = session.store().track_report();
    let modules: Vec<(u64, String)> = session.modules().into_iter().map(|(at, path)| (at, path.into())).collect();
    let mut trace = Trace {
        format,
        title: session.info().title,
        machine: super::machine(&session),
        noun: session.format().nouns.record,
        is_runs: what.exact && has_blocks(format),
        same,
        index: (!session.is_pulled()).then(|| session.index()),
        names: names_of(&session),
        sequences: Vec::new(),
        contents: Contents::default(),
        source,
    };
    let events = format!("{}s", session.format().nouns.event);
    // Of what the timeline shows, nothing more is needed.
    drop(session);
    let found = tokens_of(what, &mut trace, &modules)?;
    let is_runs = trace.is_runs;
    let ignore = rules(what)?;
    let named = found.into_iter().map(|(track, sequence)| {
        let of = tracks.get(track as usize);
        let name = if is_runs { events.clone() } else { of.map_or_else(String::new, |it| it.name.clone()) };
        Named { name, track, id: of.and_then(|it| it.thread), sequence }
    });
    trace.sequences = named.filter(|named| !ignore.thread(&named.name)).collect();
    trace.sequences.sort_by_key(|it| threads::order(&same, it.id, it.sequence.begin, it.track));
    Ok(trace)
}

/// The records of a trace as tokens, by track.
///
/// # Errors
///
/// Returns an error if the file cannot be read again.
fn tokens_of(what: &Compare, trace: &mut Trace, modules: &[(u64, String)]) -> Result<BTreeMap<u32, Sequence>, Failure> {
    let source = &trace.source;
    let ignore = rules(what)?;
    let begin = |lanes: &[Lane]| -> Result<Tokens<Contents, &str>, Failure> {
        let named = trace.names.iter().map(|(id, name)| (*id, name.as_str())).collect();
        let tokens = Tokens::new(trace.same, !what.exact, lanes, Contents::default(), named);
        let modules = modules.iter().map(|(at, path)| (*at, path.as_str()));
        Ok(if what.exact { tokens } else { tokens.ignoring(ignore, modules) })
    };
    let (found, contents) = if trace.is_runs {
        let mut tokens = begin(&[])?;
        block_runs(&source.path, |begin, length, address, bytes| tokens.run(0, begin, address, bytes, length))
            .map_err(|error| Failure::of(&source.name, error.sentence))?;
        tokens.finish()
    } else {
        let mut reader = reader_with(trace.format, trace.index.as_deref(), source)?;
        let mut tokens = begin(reader.lanes())?;
        if tokens.expected() > MOST_RECORDS {
            let runs = if has_blocks(trace.format) { " --exact compares runs of blocks." } else { "" };
            let count = grouped(tokens.expected());
            let sentence = format!("{count} {}s are too many to be compared one by one.{runs}", trace.noun);
            return Err(Failure::of(&source.name, sentence));
        }
        visit_records(&mut reader, source, &mut tokens)?;
        tokens.finish()
    };
    trace.contents = contents;
    Ok(found)
}

/// The names of the ids that the records of a trace have.
fn names_of(session: &Session) -> HashMap<i64, String> {
    let store = session.store();
    let names = store.names().iter().zip(0..);
    let of_ids = names.filter_map(|(name, number)| match store.key(number).1 {
        Key::Id(id) => Some((id, name.as_str().to_string())),
        _ => None,
    });
    of_ids.collect()
}

/// Threads of both sides: by what they do, and exactly by their ids, or by the order in which they
/// began.
fn paired<'t>(what: &Compare, a: &'t Trace, b: &'t Trace) -> Vec<(Option<&'t Named>, Option<&'t Named>)> {
    if !what.exact {
        let [of_a, of_b] = [a, b].map(|side| -> Vec<_> {
            side.sequences.iter().map(|named| (named.sequence.tokens.as_slice(), named.id)).collect()
        });
        let pairs = threads::paired(&a.same, [&of_a, &of_b]).into_iter();
        let named = |side: &'t Trace, at: Option<usize>| at.and_then(|at| side.sequences.get(at));
        return pairs.map(|(i, j)| (named(a, i), named(b, j))).collect();
    }
    if !a.same.threads_by_id {
        let count = a.sequences.len().max(b.sequences.len());
        return (0..count).map(|n| (a.sequences.get(n), b.sequences.get(n))).collect();
    }
    let mut pairs: BTreeMap<Option<i64>, (Option<&Named>, Option<&Named>)> = BTreeMap::new();
    for named in &a.sequences {
        pairs.entry(named.id).or_default().0 = Some(named);
    }
    for named in &b.sequences {
        pairs.entry(named.id).or_default().1 = Some(named);
    }
    pairs.into_values().collect()
}

fn compared<'t>(what: &Compare, kinds: &Kinds, a: Option<&'t Named>, b: Option<&'t Named>) -> Pair<'t> {
    let tokens = [a, b].map(|named| named.map_or(TokenSlice::EMPTY, |named| named.sequence.tokens.as_slice()));
    let how = How { flat: what.exact, alike: false };
    let sequences = [a, b].map(|named| named.map(|named| &named.sequence));
    let Differences { hunks, what, .. } = Differ::of(tokens, kinds, how).numbered(sequences);
    Pair { a, b, hunks, what }
}

fn report<'t>(a: &'t Trace, b: &'t Trace, pairs: &'t [Pair<'t>], most: usize) -> Report<'t> {
    let listed = |pair: &Pair<'_>| Listed::of(pair.hunks.len() as u64, pair.hunks.len().min(most) as u64);
    let rest = pairs.iter().find_map(|pair| listed(pair).rest);
    let tracks = pairs.iter().map(|pair| Thread {
        name: pair.name(),
        records: pair.records(),
        first: pair.hunks.first().map(|hunk| [hunk.a.0, hunk.b.0]),
        hunks: pair.hunks.iter().take(most).map(|hunk| [hunk.a.0, hunk.a.1, hunk.b.0, hunk.b.1]).collect(),
        listed: listed(pair),
        what: pair.what.iter().take(most).map(|what| Kind { kind: what.word(), says: what.phrase(a.noun) }).collect(),
    });
    let (truncated, tracks) = (rest.is_some(), tracks.collect());
    Report { a: &a.source.name, b: &b.source.name, format: a.format, tracks, truncated, rest }
}

/// Prints what differs, as diff does with context.
fn print(out: &mut impl Write, a: &Trace, b: &Trace, pairs: &[Pair<'_>], most: usize) -> Result<(), Failure> {
    let noun = a.noun;
    let total: usize = pairs.iter().map(|pair| pair.hunks.len()).sum();
    if total == 0 {
        writeln!(out, "No {noun} differs.")?;
        return Ok(());
    }
    let lines = [
        lines_of(a, pairs, most, |pair| (pair.a, |hunk| hunk.a))?,
        lines_of(b, pairs, most, |pair| (pair.b, |hunk| hunk.b))?,
    ];
    for pair in pairs.iter().filter(|pair| !pair.hunks.is_empty()) {
        let name = |named: Option<&Named>| named.map_or("(no such thread)", |named| &named.name).to_string();
        writeln!(out, "--- {} {}", console::one_line(&a.source.name), console::one_line(&name(pair.a)))?;
        writeln!(out, "+++ {} {}", console::one_line(&b.source.name), console::one_line(&name(pair.b)))?;
        for (number, hunk) in pair.hunks.iter().enumerate().take(most) {
            let before = number.checked_sub(1).and_then(|before| pair.hunks.get(before)).map_or(0, |before| before.a.1);
            let after = pair.hunks.get(number + 1).map_or(u32::MAX, |after| after.a.0);
            let says = pair.what.get(number).map_or_else(String::new, |what| format!(" {}", what.phrase(noun)));
            print_hunk(out, pair, hunk, &says, (before, after), [&lines[0], &lines[1]])?;
        }
        if let Some(more) = pair.hunks.len().checked_sub(most).filter(|more| *more > 0) {
            writeln!(out, "{more} more differences; --limit 0 lists all.")?;
        }
    }
    Ok(())
}

fn print_hunk(
    out: &mut impl Write,
    pair: &Pair<'_>,
    hunk: &Hunk,
    says: &str,
    (before, after): (u32, u32),
    lines: [&Printed; 2],
) -> io::Result<()> {
    let [length, _] = pair.records().map(|records| u32::try_from(records).unwrap_or(u32::MAX));
    let [a, b] = [pair.a, pair.b].map(|named| named.map(|named| named.track));
    let (a_count, b_count) = (hunk.a.1 - hunk.a.0, hunk.b.1 - hunk.b.0);
    let says = console::one_line(says);
    writeln!(out, "@@ -{},{a_count} +{},{b_count} @@{says}", hunk.a.0, hunk.b.0)?;
    let mut print = |sign: char, lines: &Printed, track: Option<u32>, (from, to): (u32, u32)| {
        let shown = if sign == ' ' { to } else { to.min(from.saturating_add(MOST_LINES)) };
        for record in from..shown {
            let line = track.and_then(|track| lines.get(&(track, record))).map_or("", String::as_str);
            writeln!(out, "{sign} {}", console::one_line(line))?;
        }
        if shown < to { writeln!(out, "{sign} … {} more", to - shown) } else { Ok(()) }
    };
    print(' ', lines[0], a, (hunk.a.0.saturating_sub(CONTEXT).max(before), hunk.a.0))?;
    print('-', lines[0], a, hunk.a)?;
    print('+', lines[1], b, hunk.b)?;
    print(' ', lines[0], a, (hunk.a.1, hunk.a.1.saturating_add(CONTEXT).min(after).min(length)))
}

/// The records of a side that are printed.
fn lines_of(
    trace: &Trace,
    pairs: &[Pair<'_>],
    most: usize,
    side: impl for<'p> Fn(&'p Pair<'p>) -> (Option<&'p Named>, fn(&Hunk) -> (u32, u32)),
) -> Result<Printed, Failure> {
    let mut wanted: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for pair in pairs {
        let (Some(named), range) = side(pair) else { continue };
        let ranges = wanted.entry(named.track).or_default();
        let length = (named.sequence.tokens.len() + named.sequence.left_out.len()) as u32;
        for (from, to) in pair.hunks.iter().take(most).map(range) {
            let shown = to.min(from.saturating_add(MOST_LINES));
            ranges.push((from.saturating_sub(CONTEXT), shown));
            ranges.push((to, to.saturating_add(CONTEXT).min(length)));
        }
        ranges.sort_unstable();
    }
    if trace.is_runs {
        let mut lines = Lines::new(wanted, trace.same, Numbering::default(), &|_| None);
        block_runs(&trace.source.path, |_, length, address, _| lines.run(0, address, length))
            .map_err(|error| Failure::of(&trace.source.name, error.sentence))?;
        return Ok(lines.finish());
    }
    let name_of = |id: i64| trace.names.get(&id).map(String::as_str);
    let mut reader = reader_with(trace.format, trace.index.as_deref(), &trace.source)?;
    let numbering = Numbering::new(reader.lanes(), &trace.same);
    let pieces = numbering.pieces(reader.lanes(), &wanted);
    let mut lines = Lines::new(wanted, trace.same, numbering, &name_of);
    for pieces in pieces {
        visit_pieces(&mut reader, &trace.source, pieces, &mut lines)?;
    }
    Ok(lines.finish())
}
