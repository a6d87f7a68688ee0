//! The first record that differs, said before all of both traces has been read.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use unspool_compare::differ::{self, How};
use unspool_compare::kinds::Kinds;
use unspool_compare::sentence::grouped;
use unspool_engine::read::ReadAt;
use unspool_engine::{Session, Step};

use super::{Named, Trace, in_common, of_session, paired};
use crate::binaries::Argument;
use crate::compare::{Compare, side_args};
use crate::{Source, TraceArgs, console};

/// Bytes at the beginning of both that are looked at, at most.
const MOST: u64 = 50 << 20;
/// Bytes beyond the first that differ, which are looked at first.
const BEYOND: u64 = 2 << 20;
/// Bytes that are read at once.
const PORTION: usize = 1 << 20;

/// A sentence about the first record that differs, if it is near the beginning of large files and
/// can be found without reading more. What is wrong with the files is said later.
pub(super) fn line(what: &Compare, a: &Path, b: &Path) -> Option<String> {
    // Names come from these once all is read.
    let has_names = |names: &Option<_>, binaries: &[Argument]| names.is_some() || !binaries.is_empty();
    if has_names(&what.names_a, &what.binary_a) || has_names(&what.names_b, &what.binary_b) {
        return None;
    }
    let equal = equal_bytes(a, b).ok().flatten()?;
    [equal + BEYOND, MOST].into_iter().find_map(|until| look(what, [a, b], until.min(MOST)))
}

/// How many bytes are equal, if the files are large and differ in those that are looked at.
fn equal_bytes(a: &Path, b: &Path) -> io::Result<Option<u64>> {
    let files = [File::open(a)?, File::open(b)?];
    for file in &files {
        let known = file.metadata()?;
        if !known.is_file() || known.len() < 2 * BEYOND {
            return Ok(None);
        }
    }
    let [mut a, mut b] = files.map(|file| BufReader::with_capacity(PORTION, file.take(MOST)));
    let mut equal = 0;
    let (mut one, mut two) = (vec![0; PORTION], vec![0; PORTION]);
    loop {
        let (read, other) = (filled(&mut a, &mut one)?, filled(&mut b, &mut two)?);
        let (one, two) = (one.get(..read).unwrap_or_default(), two.get(..other).unwrap_or_default());
        if one == two && read == PORTION {
            equal += PORTION as u64;
            continue;
        }
        let common = one.iter().zip(two).take_while(|(one, two)| one == two).count();
        equal += common as u64;
        return Ok(Some(equal).filter(|equal| *equal < MOST));
    }
}

/// Reads until a buffer is full or the file ends. Returns how many bytes there are.
fn filled(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut at = 0;
    loop {
        match file.read(buffer.get_mut(at..).unwrap_or_default()) {
            Ok(0) => return Ok(at),
            Ok(read) => at += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// What differs first in this many bytes of both.
fn look(what: &Compare, [a, b]: [&Path; 2], until: u64) -> Option<String> {
    let (a, b) = console::both(|| beginning(what, a, until), || beginning(what, b, until));
    let (mut a, mut b) = (a?, b?);
    if a.format != b.format {
        return None;
    }
    in_common(&mut a, &mut b);
    let kinds = Kinds::of(&a.contents, &a.same);
    let how = How { flat: what.exact, alike: false };
    let pairs = paired(what, &a, &b).into_iter().filter_map(|(a, b)| Some((a?, b?)));
    let differs = |(a, b): (&'_ Named, &'_ Named)| {
        let numbers = differ::first([&a.sequence, &b.sequence], &kinds, how)?;
        let place = numbers[0] as usize >> a.sequence.positions.shift();
        Some((a.sequence.positions.every().get(place).copied(), numbers, a.name.clone()))
    };
    let (_, [in_a, in_b], name) = pairs.filter_map(differs).min()?;
    let number = |number: u32| grouped(u64::from(number));
    let of_b = if in_a == in_b { String::new() } else { format!(" in A, {} in B", number(in_b)) };
    let name = console::one_line(&name);
    Some(format!("First difference: {} {}{of_b} of {name}.", a.noun, number(in_a)))
}

/// The records of the first bytes of a file.
fn beginning(what: &Compare, file: &Path, until: u64) -> Option<Trace> {
    let (trace, _): (TraceArgs, _) = side_args(what, file, &None, &[]);
    let mut source = Source::open(&trace).ok()?;
    let options = trace.options();
    let mut session = Session::with(options, &source.name, source.size, &source.head, &source.tail).ok()?;
    if session.is_pulled() {
        return None;
    }
    session.leave_out_events();
    while session.bytes_read() < until {
        match session.step(usize::MAX) {
            Step::Done | Step::Broken => break,
            Step::More => {}
            Step::NeedsBytes => {
                let (at, length) = session.wants();
                let mut read = 0;
                let length =
                    if length == 0 { PORTION } else { usize::try_from(length).unwrap_or(PORTION).min(PORTION) };
                session.push_with(length, |room| {
                    read = source.read_at(at, room).unwrap_or(0);
                    read
                });
                if read == 0 {
                    session.end();
                }
            }
        }
    }
    of_session(what, source, session).ok()
}
