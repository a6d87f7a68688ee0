//! Files that are read while they are written: what is there is in the store, and nothing is said
//! of an end that is not one.

use unspool_engine::{Session, Step};

use crate::common::{everything, fixture, read_whole};

/// Steps until the session needs bytes.
fn settle(session: &mut Session) -> Step {
    loop {
        match session.step(100_000) {
            Step::More => {}
            step => return step,
        }
    }
}

/// Reads a file that ends at each of `cuts` for a while.
fn grow(name: &str, file: &[u8], cuts: &[usize]) {
    let whole = read_whole(file);
    let kinds = |session: &Session| -> Vec<_> {
        session.progress().problems.iter().map(|problem| problem.kind.to_string()).collect()
    };
    let known = kinds(&whole);
    let mut session: Option<Session> = None;
    for &cut in cuts.iter().chain([&file.len()]) {
        let there = &file[..cut];
        // A file without all of its head may be anything.
        let Some(open) = session.as_mut() else {
            session = Session::new("", u64::MAX, there, there).ok();
            continue;
        };
        let at = open.wants().0 as usize;
        assert!(at <= cut, "{name}: nothing beyond the end is wanted");
        open.push(&there[at..]);
        assert_eq!(settle(open), Step::NeedsBytes, "{name} at {cut}");
        assert!(kinds(open).iter().all(|kind| known.contains(kind)), "{name} at {cut}: {:?}", kinds(open));
        // What there is can be asked for.
        let (from, to) = open.store().extent().unwrap_or_default();
        let tracks: Vec<u32> = open.store().track_report().iter().map(|track| track.id).collect();
        assert!(!open.query(from, to + 1, 1, &tracks).complete);
        assert!(!open.index().is_empty());
    }
    let mut session = session.expect("it is recognised");
    let at = session.wants().0 as usize;
    session.push(&file[at..]);
    session.end();
    // Buffers in another order are read again.
    while settle(&mut session) == Step::NeedsBytes {
        match file.get(session.wants().0 as usize..) {
            Some(bytes) if !bytes.is_empty() => session.push(bytes),
            _ => session.end(),
        }
    }
    assert_eq!(everything(&session), everything(&whole), "{name}");
    assert_eq!(session.store().digest(), whole.store().digest(), "{name}");
}

#[test]
fn a_file_that_grows_ends_as_the_whole_file() {
    let mut state = 1_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state >> 33
    };
    for name in ["xray/threads.xray", "apitrace/scene.trace", "frames/calls.frames", "trace_db/variables.trace"] {
        let file = fixture(name);
        let mut cuts: Vec<usize> = (0..100).map(|_| 1 + random() as usize % (file.len() - 1)).collect();
        cuts.sort_unstable();
        grow(name, &file, &cuts);
    }
}
