//! Reads a whole trace into memory, for commands that need all of it.

use std::fs::File;
use std::io;
use std::path::Path;

use unspool_engine::store::shelf::{Levels, ShelfFile, Shelving};
use unspool_engine::{Session, Step, Uncertainty, read};
use unspool_records::TraceErrorOut;
use unspool_trace::{Capability, Jumps, NamesFile, Naming};

use crate::binaries::Binaries;
use crate::console;
use crate::sqlite::{Database, Disassembler};
use crate::{Failure, GO_ON, NameArgs, Place, Source, TraceArgs, complain, scratch};

/// Opens a trace and reads all of it.
///
/// An error that stops the reading goes to stderr.
///
/// # Errors
///
/// Returns an error if the trace cannot be opened, or if nothing could be read before an error.
pub(crate) fn read_whole(trace: &TraceArgs) -> Result<(Source, Session), Failure> {
    let (source, session) = read_with(trace, Some(Levels::Kept))?;
    say_problems(&source.name, &session, false);
    Ok((source, session))
}

/// Says what is wrong with a trace, on stderr: what a command answers is about what could be read.
/// Remarks are for `unspool info`, which lists them all. `takes_binary`: the command could be given
/// the program, and was not.
fn say_problems(name: &str, session: &Session, takes_binary: bool) {
    let noun = session.info().place_noun;
    let limits = session.stopped_at_limit();
    let progress = session.progress();
    for problem in progress.problems.iter().filter(|it| it.serious && !(limits && it.is_limit)) {
        complain(name, Place::At { noun, at: problem.first.offset }, &problem.summary);
    }
    if let Some(Uncertainty { sentence, remedy }) = progress.uncertainty {
        let more = if takes_binary { format!(" {remedy} Add it with --binary.") } else { String::new() };
        console::say(format_args!("unspool: {}: {sentence}{more}", console::one_line(name)));
    }
}

/// As [`read_whole`]. Without `levels`, slices are not kept. Without levels of detail, all slices
/// are in a temporary file, and otherwise those of a trace that would take a large part of the
/// memory. [`complete`] says whether the file could be read.
fn read_with(trace: &TraceArgs, levels: Option<Levels>) -> Result<(Source, Session), Failure> {
    let mut source = Source::open(trace)?;
    let session = read_from(&mut source, trace, levels, None)?;
    Ok((source, session))
}

/// As [`read_with`]. With `jumps`, it is known what is wrong with the trace, so that is not said
/// again.
fn read_from(
    source: &mut Source,
    trace: &TraceArgs,
    levels: Option<Levels>,
    jumps: Option<Jumps>,
) -> Result<Session, Failure> {
    let name = source.name.clone();
    let refused = |error: &TraceErrorOut| Failure::trace(&name, error);
    let mut session = Session::with(trace.options(), &name, source.size, &source.head, &source.tail)
        .map_err(|error| refused(&error))?;
    let free = free_memory();
    if let Some(free) = free.filter(|_| !trace.no_limits) {
        // The rest is for names, the call tree, and what else runs here.
        session.limit_memory(free / 4 * 3);
    }
    if let Some(levels) = levels {
        // A file is slower, and half of the memory is others'.
        let beyond = if levels == Levels::Dropped { 0 } else { trace.max_memory.unwrap_or(most_in_memory(free)) };
        session.shelve(Box::<Scratch>::default(), Shelving::patient(levels, beyond));
    } else {
        session.leave_out_events();
    }
    if session.is_pulled() {
        let opened = Database::open(&source.path).map_err(TraceErrorOut::from);
        opened
            .and_then(|database| session.attach(Box::new(database), Some(Box::new(Disassembler))))
            .map_err(|error| refused(&error))?;
    }
    let is_again = jumps.is_some();
    if let Some(jumps) = jumps {
        session.rule_out(jumps);
    }
    if trace.nest_tail_calls && !is_again {
        no_tail_calls(&name, session.info().offers.contains(&Capability::TailCalls.word()));
    }
    let bar = source.bar.clone();
    read::session(&mut session, source, |session| bar.set(session.bytes_read()))?;
    bar.finish();
    if is_again {
        return Ok(session);
    }
    if let Some(error) = session.error() {
        if session.store().records() == 0 {
            return Err(refused(error));
        }
        match error.offset {
            Some(at) => complain(&name, Place::At { noun: "byte", at }, &error.sentence),
            None => complain(&name, Place::Whole, &error.sentence),
        }
    }
    if session.stopped_at_limit() && !trace.no_limits {
        complain(&name, Place::Whole, &format!("reading stopped at a limit.{GO_ON}"));
    }
    debug_assert!(matches!(session.step(0), Step::Done | Step::Broken), "the whole file was read");
    Ok(session)
}

/// A temporary file that is made when slices are moved to it: most traces need none.
#[derive(Default)]
struct Scratch(Option<File>);

impl ShelfFile for Scratch {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.0 {
            Some(file) => file,
            none => none.insert(scratch::unnamed()?),
        };
        file.write_at(at, bytes)
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.0.as_mut().ok_or(io::ErrorKind::NotFound)?.read_at(at, bytes)
    }
}

/// Says that an option has no effect, unless the trace has what it is about.
pub(crate) fn no_tail_calls(name: &str, has_tail_calls: bool) {
    if !has_tail_calls {
        complain(
            name,
            Place::Whole,
            "--nest-tail-calls has no effect: this trace does not say which calls are tail calls.",
        );
    }
}

/// Opens a trace and reads all of it, as [`read_whole`], and shows names with the texts of a names
/// file and of binaries.
///
/// What is wrong with a binary goes to stderr.
///
/// # Errors
///
/// Returns the errors of [`read_whole`], and one for a names file or a binary that cannot be read
/// or has no names.
pub(crate) fn read_named(trace: &TraceArgs, names: &NameArgs) -> Result<(Source, Session), Failure> {
    named(trace, names, Some(Levels::Kept))
}

/// As [`read_named`], with slices in a temporary file: for commands that go through them once.
pub(crate) fn read_spilled(trace: &TraceArgs, names: &NameArgs) -> Result<(Source, Session), Failure> {
    named(trace, names, Some(Levels::Dropped))
}

/// As [`read_named`], without slices: for commands that go through the records. Binaries say by the
/// calls what else to name, so with them there are slices, in a temporary file.
pub(crate) fn read_for_records(trace: &TraceArgs, names: &NameArgs) -> Result<(Source, Session), Failure> {
    named(trace, names, (!names.binary.is_empty()).then_some(Levels::Dropped))
}

fn named(trace: &TraceArgs, names: &NameArgs, levels: Option<Levels>) -> Result<(Source, Session), Failure> {
    names.check()?;
    let naming = names.names.as_deref().map(read_names).transpose()?;
    let mut binaries = Binaries::read(names)?;
    let (mut source, mut session) = read_with(trace, levels)?;
    if !names.binary.is_empty() {
        binaries.name_or_fail(&mut session)?;
        session = read_again(&mut source, session, trace, levels, &mut binaries)?;
    }
    say_problems(&source.name, &session, names.binary.is_empty());
    if let (Some(naming), Some(path)) = (naming, &names.names) {
        let naming = names.shown(naming, session.info().format);
        name_by(&mut session, path, naming);
    }
    Ok((source, session))
}

/// Shows the names of a file, and says so if there is nothing that it names.
fn name_by(session: &mut Session, path: &Path, naming: Naming) {
    session.name_by(0, naming);
    if session.named_by(0) == 0 {
        complain(&path.display().to_string(), Place::Whole, "nothing in the trace has one of these keys.");
    }
}

/// Reads a trace again if its binaries say that calls are below others that cannot have made them,
/// and shows it with their names.
///
/// # Errors
///
/// Returns an error if a file cannot be read again.
fn read_again(
    source: &mut Source,
    session: Session,
    trace: &TraceArgs,
    levels: Option<Levels>,
    binaries: &mut Binaries,
) -> Result<Session, Failure> {
    let Some(jumps) = binaries.jumps(&session)? else { return Ok(session) };
    drop(session);
    let mut session = read_from(source, trace, levels, Some(jumps))?;
    binaries.name(&mut session)?;
    Ok(session)
}

/// As [`read_named`], also if the binaries name nothing. What became of them is in their reports.
pub(crate) fn read_with_binaries(
    trace: &TraceArgs,
    names: &NameArgs,
) -> Result<(Source, Session, Option<Binaries>), Failure> {
    names.check()?;
    let (mut source, mut session) = read_with(trace, Some(Levels::Kept))?;
    let mut binaries = None;
    if !names.binary.is_empty() {
        let mut read = Binaries::read(names)?;
        read.name(&mut session)?;
        session = read_again(&mut source, session, trace, Some(Levels::Kept), &mut read)?;
        binaries = Some(read);
    }
    if let Some(path) = &names.names {
        let naming = names.shown(read_names(path)?, session.info().format);
        name_by(&mut session, path, naming);
    }
    Ok((source, session, binaries))
}

/// Fails if slices could not be read from the temporary file again: what was printed of them is
/// incomplete. Called at the end of a command.
///
/// # Errors
///
/// Returns the error of the file.
pub(crate) fn complete(session: &Session) -> Result<(), Failure> {
    let failed = |error| Failure::new(format!("the temporary file of this trace cannot be read: {error}"));
    session.store().take_shelf_error().map_or(Ok(()), |error| Err(failed(error)))
}

/// Bytes of slices that stay in memory: an eighth of what is free, so that a command takes less
/// than half of that with everything else that it needs.
fn most_in_memory(free: Option<u64>) -> u64 {
    free.map_or(1 << 30, |free| free / 8)
}

/// Memory in bytes that programs can use before the system swaps, if known: on Linux.
pub(crate) fn free_memory() -> Option<u64> {
    available(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

pub(crate) fn read_names(path: &Path) -> Result<Naming, Failure> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|error| Failure::of(&name, error))?;
    let file = NamesFile::read(&bytes);
    if file.naming.is_empty() {
        return Err(Failure::of(name, "no line is `key,name` or `start size name`"));
    }
    if file.skipped > 0 {
        let sentence = match file.skipped {
            1 => "this line has no name and is left out".to_string(),
            more => format!("this line has no name and is left out, with {} more", more - 1),
        };
        complain(&name.to_string(), Place::At { noun: "line", at: file.first_skipped }, &sentence);
    }
    Ok(file.naming)
}

/// The threads. If no thread has slices, all tracks that have some.
pub(crate) fn threads(session: &Session) -> Vec<u32> {
    let mut all = session.store().track_report();
    all.retain(|track| track.slices > 0.0);
    if all.iter().any(|track| track.kind == "thread") {
        all.retain(|track| track.kind == "thread");
    }
    all.iter().map(|track| track.id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_is_what_linux_says() {
        assert_eq!(available("MemTotal:  9 kB\nMemAvailable:   12345 kB\n"), Some(12_345 * 1024));
        assert_eq!(available("MemTotal:  9 kB\n"), None);
        assert_eq!(available("MemAvailable: much\n"), None);
    }
}
