//! Reads a whole trace into memory, for commands that need all of it.

use std::path::Path;

use unspool_engine::{Session, Step, TraceErrorOut, read};
use unspool_formats::{NamesFile, Naming};

use crate::binaries::Binaries;
use crate::sqlite::{Database, Disassembler};
use crate::{Failure, GO_ON, NameArgs, Place, Source, TraceArgs, complain};

/// Opens a trace and reads all of it.
///
/// An error that stops the reading goes to stderr.
///
/// # Errors
///
/// Returns an error if the trace cannot be opened, or if nothing could be read before an error.
pub(crate) fn read_whole(trace: &TraceArgs) -> Result<(Source, Session), Failure> {
    read_with(trace, false)
}

/// As [`read_whole`], with slices in a temporary file if `spill`.
fn read_with(trace: &TraceArgs, spill: bool) -> Result<(Source, Session), Failure> {
    let mut source = Source::open(trace)?;
    let name = source.name.clone();
    let refused = |error: &TraceErrorOut| match error.offset {
        Some(at) => Failure::new(format!("{name}: at byte {at}: {}", error.sentence)),
        None => Failure::new(format!("{name}: {}", error.sentence)),
    };
    let mut session = Session::with(trace.options(), &name, source.size, &source.head, &source.tail)
        .map_err(|error| refused(&error))?;
    if let Some(free) = free_memory().filter(|_| !trace.no_limits) {
        // The rest is for names, the call tree, and what else runs here.
        session.limit_memory(free / 4 * 3);
    }
    if spill {
        session.spill_to(Box::new(tempfile::tempfile()?));
    }
    if session.is_pulled() {
        let opened = Database::open(&source.path).map_err(TraceErrorOut::from);
        opened
            .and_then(|database| session.attach(Box::new(database), Some(Box::new(Disassembler))))
            .map_err(|error| refused(&error))?;
    }
    let bar = source.bar.clone();
    read::session(&mut session, &mut source, |session| bar.set(session.bytes_read()))?;
    bar.finish();
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
    Ok((source, session))
}

/// Opens a trace and reads all of it, as [`read_whole`], and shows names with the texts of a names file and of binaries.
///
/// What is wrong with a binary goes to stderr.
///
/// # Errors
///
/// Returns the errors of [`read_whole`], and one for a names file or a binary that cannot be read or has no names.
pub(crate) fn read_named(trace: &TraceArgs, names: &NameArgs) -> Result<(Source, Session), Failure> {
    named(trace, names, false)
}

/// As [`read_named`], with slices in a temporary file: for commands that go through them once.
pub(crate) fn read_spilled(trace: &TraceArgs, names: &NameArgs) -> Result<(Source, Session), Failure> {
    named(trace, names, true)
}

fn named(trace: &TraceArgs, names: &NameArgs, spill: bool) -> Result<(Source, Session), Failure> {
    let naming = names.names.as_deref().map(read_names).transpose()?;
    let mut binaries = Binaries::read(&names.binary)?;
    let (source, mut session) = read_with(trace, spill)?;
    if let Some(naming) = naming {
        session.name_by(0, naming);
    }
    if !names.binary.is_empty() {
        binaries.name_or_fail(&mut session)?;
    }
    Ok((source, session))
}

/// Memory in bytes that programs can use before the system swaps, where it tells: on Linux.
fn free_memory() -> Option<u64> {
    available(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

pub(crate) fn read_names(path: &Path) -> Result<Naming, Failure> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|error| Failure::new(format!("{name}: {error}")))?;
    let file = NamesFile::read(&bytes);
    if file.naming.is_empty() {
        return Err(Failure::new(format!("{name}: no line is `key,name` or `start size name`")));
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
