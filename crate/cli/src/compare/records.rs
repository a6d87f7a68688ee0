//! `unspool compare --records`: which records of two traces have no counterpart.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;
use unspool_compare::align::{Alignment, Hunk};
use unspool_compare::tokens::{Contents, Sequence, Tokens};
use unspool_engine::{Session, TrackOut};
use unspool_formats::table::{has_blocks, same};
use unspool_trace::batch::Key;
use unspool_trace::records::Same;

use super::lines::{Lines, Printed};
use super::{Compare, side_args};
use crate::binaries::Argument;
use crate::find::{reader_of, visit_records};
use crate::listing::Form;
use crate::read_whole::{complete, read_named};
use crate::sqlite::block_runs;
use crate::{Failure, Source, console, json};

/// Hunks of a track that are printed as text, and records of each on either side.
const MOST_HUNKS: usize = 100;
pub(super) const MOST_LINES: u32 = 40;
/// Equal records that are printed before and after a hunk.
const CONTEXT: u32 = 3;

/// A trace whose records are tokens.
struct Trace {
    source: Source,
    session: Session,
    same: Same,
    /// In the order in which threads are paired.
    sequences: Vec<Named>,
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
}

#[derive(Serialize)]
struct Thread<'a> {
    name: &'a str,
    records: [usize; 2],
    /// Numbers of the first records that differ.
    first: Option<[u32; 2]>,
    /// What has no counterpart: from and to in A, from and to in B.
    hunks: Vec<[u32; 4]>,
}

/// Two threads that belong together, and what differs in them.
struct Pair<'a> {
    a: Option<&'a Named>,
    b: Option<&'a Named>,
    hunks: Vec<Hunk>,
}

impl Pair<'_> {
    fn name(&self) -> &str {
        self.a.or(self.b).map_or("", |named| &named.name)
    }

    fn records(&self) -> [usize; 2] {
        [self.a, self.b].map(|named| named.map_or(0, |named| named.sequence.tokens.len()))
    }
}

/// Compares the records of two traces, and returns the exit status.
///
/// # Errors
///
/// Returns an error if a trace cannot be read, or the two are of different formats.
pub(super) fn run(what: &Compare, a: &Path, b: &Path) -> Result<ExitCode, Failure> {
    let mut contents = Contents::default();
    let a = read(what, a, &what.names_a, &what.binary_a, &mut contents)?;
    let b = read(what, b, &what.names_b, &what.binary_b, &mut contents)?;
    if a.session.format().id != b.session.format().id {
        return Err(Failure::new(super::of_two_formats(
            (&a.source.name, &a.session.info().title),
            (&b.source.name, &b.session.info().title),
        )));
    }
    drop(contents);
    let pairs: Vec<Pair<'_>> = paired(&a, &b).into_iter().map(|(a, b)| compared(a, b)).collect();
    let form = Form::of(what.json, false);
    let mut out = form.out();
    match form {
        Form::Json => json::print(&mut out, &report(&a, &b, &pairs))?,
        _ => print(&mut out, &a, &b, &pairs)?,
    }
    out.flush()?;
    Ok(ExitCode::from(u8::from(pairs.iter().any(|pair| !pair.hunks.is_empty()))))
}

/// Reads a trace, and its records as tokens.
fn read(
    what: &Compare,
    file: &Path,
    names: &Option<PathBuf>,
    binaries: &[Argument],
    contents: &mut Contents,
) -> Result<Trace, Failure> {
    let (trace, names) = side_args(what, file, names, binaries);
    let (source, session) = read_named(&trace, &names)?;
    let same = same(session.format().id).ok_or_else(|| Failure::new("This format has no records."))?;
    let found = tokens_of(&source, &session, same, !what.exact, contents)?;
    complete(&session)?;
    let tracks = session.store().track_report();
    let is_runs = has_blocks(session.format().id);
    let name_of = |of: Option<&TrackOut>| match of {
        _ if is_runs => format!("{}s", session.format().nouns.event),
        of => of.map_or_else(String::new, |it| it.name.clone()),
    };
    let named = found.into_iter().map(|(track, sequence)| {
        let of = tracks.get(track as usize);
        Named { name: name_of(of), track, id: of.and_then(|it| it.thread), sequence }
    });
    let mut sequences: Vec<Named> = named.collect();
    sequences.sort_by_key(|it| if same.threads_by_id { (it.id, 0, 0) } else { (None, it.sequence.begin, it.track) });
    Ok(Trace { source, session, same, sequences })
}

/// The records of a trace as tokens, by track.
///
/// # Errors
///
/// Returns an error if the file cannot be read again.
pub(crate) fn tokens_of(
    source: &Source,
    session: &Session,
    same: Same,
    with_blobs: bool,
    contents: &mut Contents,
) -> Result<BTreeMap<u32, Sequence>, Failure> {
    if has_blocks(session.format().id) {
        let mut tokens = Tokens::new(same, with_blobs, &[], contents, names_of(session));
        block_runs(&source.path, |begin, length, address, bytes| tokens.run(0, begin, address, bytes, length))
            .map_err(|error| Failure::new(format!("{}: {}", source.name, error.sentence)))?;
        return Ok(tokens.finish().0);
    }
    let mut reader = reader_of(session, source)?;
    let mut tokens = Tokens::new(same, with_blobs, reader.lanes(), contents, names_of(session));
    visit_records(&mut reader, source, &mut tokens)?;
    Ok(tokens.finish().0)
}

/// The names of the ids that the records of a trace have.
fn names_of(session: &Session) -> HashMap<i64, &str> {
    let store = session.store();
    let names = store.names().iter().zip(0..);
    let of_ids = names.filter_map(|(name, number)| match store.key(number).1 {
        Key::Id(id) => Some((id, name.as_str())),
        _ => None,
    });
    of_ids.collect()
}

/// Threads of both sides: by their ids, or by the order in which they began.
fn paired<'t>(a: &'t Trace, b: &'t Trace) -> Vec<(Option<&'t Named>, Option<&'t Named>)> {
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

fn compared<'t>(a: Option<&'t Named>, b: Option<&'t Named>) -> Pair<'t> {
    let [x, y] = [a, b].map(|named| named.map_or(&[][..], |named| &named.sequence.tokens));
    Pair { a, b, hunks: Alignment::of(x, y).hunks() }
}

fn report<'t>(a: &'t Trace, b: &'t Trace, pairs: &'t [Pair<'t>]) -> Report<'t> {
    let tracks = pairs.iter().map(|pair| Thread {
        name: pair.name(),
        records: pair.records(),
        first: pair.hunks.first().map(|hunk| [hunk.a.0, hunk.b.0]),
        hunks: pair.hunks.iter().map(|hunk| [hunk.a.0, hunk.a.1, hunk.b.0, hunk.b.1]).collect(),
    });
    Report { a: &a.source.name, b: &b.source.name, format: a.session.format().id, tracks: tracks.collect() }
}

/// Prints what differs, as diff does with context.
fn print(out: &mut impl Write, a: &Trace, b: &Trace, pairs: &[Pair<'_>]) -> Result<(), Failure> {
    let noun = a.session.format().nouns.record;
    let total: usize = pairs.iter().map(|pair| pair.hunks.len()).sum();
    if total == 0 {
        writeln!(out, "No {noun} differs.")?;
        return Ok(());
    }
    let lines =
        [lines_of(a, pairs, |pair| (pair.a, |hunk| hunk.a))?, lines_of(b, pairs, |pair| (pair.b, |hunk| hunk.b))?];
    for pair in pairs.iter().filter(|pair| !pair.hunks.is_empty()) {
        let name = |named: Option<&Named>| named.map_or("(no such thread)", |named| &named.name).to_string();
        writeln!(out, "--- {} {}", console::one_line(&a.source.name), console::one_line(&name(pair.a)))?;
        writeln!(out, "+++ {} {}", console::one_line(&b.source.name), console::one_line(&name(pair.b)))?;
        for (number, hunk) in pair.hunks.iter().enumerate().take(MOST_HUNKS) {
            let before = number.checked_sub(1).and_then(|before| pair.hunks.get(before)).map_or(0, |before| before.a.1);
            let after = pair.hunks.get(number + 1).map_or(u32::MAX, |after| after.a.0);
            print_hunk(out, pair, hunk, (before, after), [&lines[0], &lines[1]])?;
        }
        if let Some(more) = pair.hunks.len().checked_sub(MOST_HUNKS).filter(|more| *more > 0) {
            writeln!(out, "{more} more differences; --json lists all.")?;
        }
    }
    Ok(())
}

fn print_hunk(
    out: &mut impl Write,
    pair: &Pair<'_>,
    hunk: &Hunk,
    (before, after): (u32, u32),
    lines: [&Printed; 2],
) -> io::Result<()> {
    let [length, _] = pair.records().map(|records| u32::try_from(records).unwrap_or(u32::MAX));
    let [a, b] = [pair.a, pair.b].map(|named| named.map(|named| named.track));
    writeln!(out, "@@ -{},{} +{},{} @@", hunk.a.0, hunk.a.1 - hunk.a.0, hunk.b.0, hunk.b.1 - hunk.b.0)?;
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
    side: impl for<'p> Fn(&'p Pair<'p>) -> (Option<&'p Named>, fn(&Hunk) -> (u32, u32)),
) -> Result<Printed, Failure> {
    let mut wanted: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for pair in pairs {
        let (Some(named), range) = side(pair) else { continue };
        let ranges = wanted.entry(named.track).or_default();
        for (from, to) in pair.hunks.iter().take(MOST_HUNKS).map(range) {
            let shown = to.min(from.saturating_add(MOST_LINES));
            ranges.push((from.saturating_sub(CONTEXT), shown));
            ranges.push((to, to.saturating_add(CONTEXT)));
        }
        ranges.sort_unstable();
    }
    if has_blocks(trace.session.format().id) {
        let mut lines = Lines::new(wanted, trace.same, &[], &|_| None);
        block_runs(&trace.source.path, |_, length, address, _| lines.run(0, address, length))
            .map_err(|error| Failure::new(format!("{}: {}", trace.source.name, error.sentence)))?;
        return Ok(lines.finish());
    }
    let named = names_of(&trace.session);
    let name_of = |id: i64| named.get(&id).copied();
    let mut reader = reader_of(&trace.session, &trace.source)?;
    let mut lines = Lines::new(wanted, trace.same, reader.lanes(), &name_of);
    visit_records(&mut reader, &trace.source, &mut lines)?;
    Ok(lines.finish())
}
