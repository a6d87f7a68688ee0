//! Drives sessions over files in memory, for tests and benches.

// Each test and bench compiles this module for itself and uses a part of it.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use unspool_engine::{Session, Step, read};
use unspool_records::RecordReader;

/// Bytes of head and tail that a file is recognised by.
const HEAD: usize = 64 * 1024;

/// A session that has recognised the file and read nothing yet.
pub(crate) fn open(file: &[u8]) -> Session {
    try_open(file).expect("a trace")
}

/// [`open`], or `None` if no format recognises the file.
fn try_open(file: &[u8]) -> Option<Session> {
    let head = &file[..file.len().min(HEAD)];
    let tail = &file[file.len().saturating_sub(HEAD)..];
    Session::new("", file.len() as u64, head, tail).ok()
}

/// A reader of the records that a session has decoded.
pub(crate) fn reader(session: &Session, file: &[u8]) -> RecordReader {
    RecordReader::open(session.format().id, &session.index(), Box::new(file.to_vec())).expect("an index")
}

/// Reads all of a file.
pub(crate) fn read_whole(file: &[u8]) -> Session {
    let mut session = open(file);
    read::session(&mut session, &mut &*file, |_| {}).expect("memory can be read");
    session
}

/// Reads all of a file in portions of at most `portion` bytes, in steps of about `budget` events.
pub(crate) fn read_in_portions(file: &[u8], portion: usize, budget: usize) -> Session {
    let mut session = open(file);
    loop {
        match session.step(budget) {
            Step::More => {}
            Step::NeedsBytes => {
                let at = session.wants().0 as usize;
                match file.get(at..(at + portion).min(file.len())) {
                    Some(bytes) if !bytes.is_empty() => session.push(bytes),
                    _ => session.end(),
                }
            }
            Step::Done | Step::Broken => return session,
        }
    }
}

/// Reads a file in portions and steps of several sizes, and compares everything that each session
/// knows with that of a session that read it whole.
#[track_caller]
pub(crate) fn assert_portions_do_not_matter(name: &str, file: &[u8]) {
    let whole = everything(&read_whole(file));
    for portion in [1, 2, 7, 31, 1000] {
        for budget in [1, 100] {
            let session = read_in_portions(file, portion, budget);
            assert_eq!(everything(&session), whole, "{name}: portions of {portion}, {budget} events a step");
        }
    }
}

/// Everything that a session knows, in a form that can be compared.
pub(crate) fn everything(session: &Session) -> Vec<String> {
    let store = session.store();
    let mut all = Vec::new();
    for track in store.track_report() {
        all.push(format!("{track:?}"));
        store.for_each_slice(track.id, |depth, i, s| all.push(format!("{} {depth} {i} {s:?}", track.id)));
        let (from, to) = store.extent().unwrap_or_default();
        let answer = session.query(from, to + 1, 1, &[track.id]);
        all.push(format!("{:?} {:?}", answer.counters, answer.instants));
    }
    all.push(format!("{:?} {:?} {}", store.problem_report(), store.extent(), store.records()));
    all
}

/// A file in `tests/fixtures`.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Every file of the corpus of at most `largest` bytes that is recognised as `format` (an id), in
/// order. None without a corpus.
pub(crate) fn corpus_of(format: &str, largest: u64) -> Vec<(PathBuf, Vec<u8>)> {
    let all = unspool_corpus::files("", largest);
    let is_there = !all.is_empty();
    let files = all.into_iter().map(|path| (std::fs::read(&path).unwrap(), path)).map(|(file, path)| (path, file));
    let is_of = |file: &[u8]| try_open(file).is_some_and(|session| session.info().format == format);
    let files: Vec<_> = files.filter(|(_, file)| is_of(file)).collect();
    assert!(!is_there || !files.is_empty(), "the corpus has no {format} file of at most {largest} bytes");
    files
}
