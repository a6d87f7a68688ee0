//! XRay logs from bytes to the store, with those of the corpus if there is one.

use unspool_engine::{Item, MANY, Session, Step};
use unspool_trace::Locator;

use crate::common::{assert_portions_do_not_matter, corpus_of, fixture, open, read_whole, reader};

fn threads(session: &Session) -> usize {
    session.store().track_report().iter().filter(|t| t.kind == "thread").count()
}

#[test]
fn portions_do_not_matter() {
    for name in ["threads.xray", "events.xray", "truncated.xray"] {
        assert_portions_do_not_matter(name, &fixture(&format!("xray/{name}")));
    }
    for (path, file) in corpus_of("xray", 20_000) {
        assert_portions_do_not_matter(&path.display().to_string(), &file);
    }
}

#[test]
fn every_slice_and_instant_has_details() {
    for name in ["threads.xray", "events.xray", "truncated.xray"] {
        let file = fixture(&format!("xray/{name}"));
        let session = read_whole(&file);
        let mut items = Vec::new();
        for track in session.store().track_report() {
            session.store().for_each_slice(track.id, |depth, i, _| {
                items.push(Item::Slice { track: track.id, depth, index: i as u32 });
            });
            items.extend((0..track.instants as u32).map(|index| Item::Instant { track: track.id, index }));
        }
        assert!(items.len() > 100);
        let mut reader = reader(&session, &file);
        for item in items {
            let details = session.describe(item).unwrap();
            let record = reader.details(Locator::from_bits(details.locator)).unwrap();
            // Events are named by their payload.
            assert_eq!(details.title.starts_with('#'), details.end.is_some(), "{}", details.title);
            assert!(details.fields.len() + record.fields.len() >= 5, "{details:?} {record:?}");
        }
    }
}

#[test]
fn self_time_is_what_callees_do_not_cover() {
    let file = fixture("xray/threads.xray");
    let session = read_whole(&file);
    let store = session.store();
    for track in store.track_report() {
        let mut slices = Vec::new();
        store.for_each_slice(track.id, |depth, i, s| slices.push((depth, i, s)));
        for (depth, index, slice) in &slices {
            let below =
                slices.iter().filter(|(d, _, s)| *d == depth + 1 && s.start >= slice.start && s.end <= slice.end);
            let callees: u64 = below.map(|(_, _, s)| s.end - s.start).sum();
            let item = Item::Slice { track: track.id, depth: *depth, index: *index as u32 };
            let details = session.describe(item).unwrap();
            let shown = format!("{:?}", details.fields.iter().find(|f| format!("{f:?}").contains("\"Self\"")).unwrap());
            let own = slice.end - slice.start - callees;
            assert!(shown.contains(&format!("v: {own} ")), "{shown}, expected {own}");
        }
    }
}

#[test]
fn problems_have_positions() {
    let session = read_whole(&fixture("xray/truncated.xray"));
    let report = session.store().problem_report();
    assert_eq!((report[0].kind, report[0].count, report[0].first.offset), ("truncated", 1, 9851));
    let error = Session::new("x", 5, b"hello", b"hello").err().unwrap();
    assert_eq!(error.kind, "unrecognised");
    assert!(
        error
            .sentence
            .starts_with("The file looks like plain text, not like a trace. Supported formats: LLVM XRay log")
    );
    assert_eq!(Session::new("x", 0, b"", b"").err().unwrap().kind, "empty");
}

#[test]
fn a_cancelled_session_keeps_what_it_has() {
    let file = fixture("xray/threads.xray");
    let mut session = open(&file);
    session.push(&file[..5000]);
    while session.step(10) == Step::More {}
    session.cancel();
    assert_eq!(session.step(10), Step::Done);
    let (from, to) = session.store().extent().unwrap();
    let answer = session.query(from, to, 1 << 12, &(0..5).collect::<Vec<_>>());
    assert!(answer.complete && !answer.rects.track.is_empty());
}

#[test]
fn the_recorded_log_of_five_threads_is_complete() {
    let Some(file) = unspool_corpus::read("xray/recorded/fdr-v5-threads.xray") else { return };
    let session = read_whole(&file);
    assert_eq!((threads(&session), session.store().slices()), (5, 596));
    assert!(session.store().problem_report().is_empty());
}

#[test]
fn recorded_ring_logs_are_sorted_and_flagged() {
    let logs = [("fdr-v5-ring-out-of-order", 2, 0), ("fdr-v5-buffers-exhausted", 4, 0), ("fdr-v5-missing-exits", 0, 1)];
    for (name, orphans, never_ended) in logs {
        let Some(file) = unspool_corpus::read(&format!("xray/recorded/{name}.xray")) else { return };
        let session = read_whole(&file);
        let store = session.store();
        let (mut began_before, mut open) = (0, 0);
        for track in store.track_report() {
            let mut last = (i32::MIN, 0);
            store.for_each_slice(track.id, |depth, _, s| {
                assert!(depth != last.0 || s.start >= last.1, "{name}: slices of a column overlap");
                last = (depth, s.end);
                began_before += u32::from(s.flags & unspool_trace::batch::flags::BEGAN_BEFORE != 0);
                open += u32::from(s.flags & unspool_trace::batch::flags::NEVER_ENDED != 0);
            });
            assert!(!track.reordering);
        }
        assert_eq!(began_before, orphans, "{name}");
        assert_eq!(open, never_ended, "{name}");
    }
}

#[test]
fn full_zoom_draws_every_slice() {
    let session = read_whole(&fixture("xray/threads.xray"));
    let (from, to) = session.store().extent().unwrap();
    let tracks: Vec<u32> = (0..session.store().track_count() as u32).collect();
    let answer = session.query(from, to + 1, 1, &tracks);
    assert!(answer.rects.index.iter().all(|i| *i != MANY));
    assert_eq!(answer.rects.track.len() as u64, session.store().slices());
}
