//! Reads the values of trace-db traces.

use std::io;

use unspool_engine::read::ReadAt;
use unspool_formats::trace_db::wire::{Layout, Tables};
use unspool_formats::{recognise, trace_db};
use unspool_trace::{Limits, Probe};
use unspool_values::{Dictionary, Loader, Profile, Profiling, Segment};

use crate::{Failure, Place, Source, complain};

/// Bytes that are read at once.
const PORTION: usize = 4 << 20;

/// How points are laid out. `None` of a trace that has no values.
///
/// # Errors
///
/// Returns an error if the header is damaged.
pub(crate) fn layout_of(source: &Source) -> Result<Option<Layout>, Failure> {
    let Source { name, head, tail, size, .. } = source;
    let probe = Probe { head, tail, size: *size, name };
    if recognise(&probe).is_none_or(|(format, _)| format.id != trace_db::ROW.format.id) {
        return Ok(None);
    }
    let layout = trace_db::layout_of(head, Some(*size));
    layout.map(Some).map_err(|error| Failure::of(name, error))
}

/// Reads the whole trace by a loader of it, and calls `each` with its segments. `loud`: says what
/// is wrong with the file.
///
/// # Errors
///
/// Returns an error if the file cannot be read, or that of `each`.
pub(crate) fn segments(
    source: &mut Source,
    loader: &mut Loader,
    loud: bool,
    mut each: impl FnMut(&Tables, &Dictionary, &Segment) -> io::Result<()>,
) -> Result<(), Failure> {
    let name = source.name.clone();
    let mut buffer = vec![0; PORTION];
    let mut full = Vec::new();
    let (mut at, mut ended) = (0, false);
    while !ended {
        let n = source.read_at(at, &mut buffer)?;
        at += n as u64;
        let error = match n {
            0 => None,
            n => loader.push(buffer.get(..n).unwrap_or_default(), |segment| full.push(segment)).err(),
        };
        ended = n == 0 || error.is_some();
        let mut problems = Vec::new();
        if ended {
            let (last, found) = loader.end();
            full.push(last);
            problems = found;
        }
        if let Some(tables) = loader.tables() {
            for segment in full.drain(..) {
                each(tables, loader.dictionary(), &segment)?;
            }
        }
        if loud {
            for problem in problems {
                complain(&name, Place::At { noun: "byte", at: problem.at }, &problem.to_string());
            }
            if let Some(error) = error {
                complain(&name, Place::At { noun: "byte", at: error.at }, &error.cause.to_string());
            }
        }
    }
    source.bar.finish();
    Ok(())
}

/// What runs are compared by. `None` of a trace that has no values. `loud`: says what is wrong with
/// the file.
///
/// # Errors
///
/// Returns an error if the file cannot be read.
pub(crate) fn profile_of(source: &mut Source, limits: Limits, loud: bool) -> Result<Option<Profile>, Failure> {
    let Some(layout) = layout_of(source)? else { return Ok(None) };
    let mut loader = Loader::new(layout, limits);
    let mut profiling = Profiling::new(0..u64::MAX);
    segments(source, &mut loader, loud, |_, dictionary, segment| {
        profiling.add(segment, dictionary);
        Ok(())
    })?;
    // A trace without a whole header has no points.
    Ok(Some(
        loader.tables().map_or_else(Profile::default, |tables| profiling.profile(loader.dictionary(), tables, |_| 0)),
    ))
}
