//! XRay logs all the way into the store, and the corpus where it is there.

use std::path::{Path, PathBuf};

use unspool_engine::{Item, MANY, Session, Step, read};

fn read_whole(bytes: &[u8]) -> Session {
    let len = bytes.len().min(65536);
    let mut session = Session::new("", bytes.len() as u64, &bytes[..len], &bytes[bytes.len() - len..]).unwrap();
    read::session(&mut session, &mut &*bytes, |_| {}).unwrap();
    session
}

fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/xray").join(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A file of the corpus; says so and answers nothing where there is none.
fn corpus(name: &str) -> Option<Vec<u8>> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/xray").join(name);
    let file = std::fs::read(&path).ok();
    if file.is_none() {
        println!("skipped: no {name} in the corpus");
    }
    file
}

/// Everything that a session knows, in a form that can be compared.
fn everything(session: &Session) -> Vec<String> {
    let store = session.store();
    let mut all = Vec::new();
    for track in store.track_report() {
        all.push(format!("{track:?}"));
        store.for_each_slice(track.id, |depth, i, s| all.push(format!("{} {depth} {i} {s:?}", track.id)));
    }
    all.push(format!("{:?} {:?} {}", store.problem_report(), store.extent(), store.records()));
    all
}

fn threads(session: &Session) -> usize {
    session.store().track_report().iter().filter(|t| t.kind == "thread").count()
}

#[test]
fn any_cutting_of_the_bytes_gives_the_same_trace() {
    let mut files = vec![fixture("threads.xray"), fixture("events.xray"), fixture("truncated.xray")];
    files.extend(corpus("recorded/fdr-v5-ring-out-of-order.xray"));
    files.extend(corpus("recorded/basic-v3-args.xray"));
    for file in files {
        let whole = everything(&read_whole(&file));
        for portion in [1, 2, 7, 31, 1000] {
            for budget in [1, 100] {
                let mut session = Session::new("", file.len() as u64, &file, &file).unwrap();
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
                        Step::Done | Step::Broken => break,
                    }
                }
                assert_eq!(everything(&session), whole, "portions of {portion}, {budget} events a step");
            }
        }
    }
}

#[test]
fn details_of_every_slice_and_instant_are_there() {
    for name in ["threads.xray", "events.xray", "truncated.xray"] {
        let file = fixture(name);
        let session = read_whole(&file);
        let mut items = Vec::new();
        for track in session.store().track_report() {
            session.store().for_each_slice(track.id, |depth, i, _| {
                items.push(Item::Slice { track: track.id, depth, index: i as u32 });
            });
            items.extend((0..track.instants as u32).map(|index| Item::Instant { track: track.id, index }));
        }
        assert!(items.len() > 100);
        for item in items {
            let range = session.details_range(item).unwrap();
            let end = ((range.at + range.len) as usize).min(file.len());
            let details = session.details(item, &file[range.at as usize..end]).unwrap().unwrap();
            assert!(
                details.title.starts_with('#') || details.title.ends_with("event") || details.title.contains("typed")
            );
            assert!(details.fields.len() >= 5, "{details:?}");
        }
    }
}

#[test]
fn self_time_is_what_the_callees_leave() {
    let file = fixture("threads.xray");
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
            let range = session.details_range(item).unwrap();
            let end = ((range.at + range.len) as usize).min(file.len());
            let details = session.details(item, &file[range.at as usize..end]).unwrap().unwrap();
            let shown = format!("{:?}", details.fields.iter().find(|f| format!("{f:?}").contains("\"Self\"")).unwrap());
            let own = slice.end - slice.start - callees;
            assert!(shown.contains(&format!("v: {own} ")), "{shown}, expected {own}");
        }
    }
}

#[test]
fn problems_come_with_their_place() {
    let session = read_whole(&fixture("truncated.xray"));
    let report = session.store().problem_report();
    assert_eq!((report[0].kind, report[0].count, report[0].first.offset), ("truncated", 1, 9851));
    let error = Session::new("x", 5, b"hello", b"hello").err().unwrap();
    assert_eq!(error.kind, "unrecognised");
    assert!(
        error.sentence.starts_with("It looks like plain text, not like a trace. What can be opened: LLVM XRay log")
    );
    assert_eq!(Session::new("x", 0, b"", b"").err().unwrap().kind, "empty");
}

#[test]
fn a_cancelled_session_keeps_what_it_has() {
    let file = fixture("threads.xray");
    let mut session = Session::new("", file.len() as u64, &file, &file).unwrap();
    session.push(&file[..5000]);
    while session.step(10) == Step::More {}
    session.cancel();
    assert_eq!(session.step(10), Step::Done);
    let (from, to) = session.store().extent().unwrap();
    let answer = session.query(from, to, 1 << 12, &(0..5).collect::<Vec<_>>());
    assert!(answer.complete && !answer.rects.track.is_empty());
}

#[test]
fn the_recorded_log_of_five_threads_is_whole() {
    let Some(file) = corpus("recorded/fdr-v5-threads.xray") else { return };
    let session = read_whole(&file);
    assert_eq!((threads(&session), session.store().slices()), (5, 596));
    assert!(session.store().problem_report().is_empty());
}

#[test]
fn recorded_ring_logs_come_out_in_time_order_with_orphans_and_open_calls_marked() {
    let logs = [("fdr-v5-ring-out-of-order", 2, 0), ("fdr-v5-buffers-exhausted", 4, 0), ("fdr-v5-missing-exits", 0, 1)];
    for (name, orphans, never_ended) in logs {
        let Some(file) = corpus(&format!("recorded/{name}.xray")) else { return };
        let session = read_whole(&file);
        let store = session.store();
        let (mut began_before, mut open) = (0, 0);
        for track in store.track_report() {
            let mut last = (i32::MIN, 0);
            store.for_each_slice(track.id, |depth, _, s| {
                assert!(depth != last.0 || s.start >= last.1, "{name}: slices of a column overlap");
                last = (depth, s.end);
                began_before += u32::from(s.flags & unspool_formats::batch::flags::BEGAN_BEFORE != 0);
                open += u32::from(s.flags & unspool_formats::batch::flags::NEVER_ENDED != 0);
            });
            assert!(!track.reordering);
        }
        assert_eq!(began_before, orphans, "{name}");
        assert_eq!(open, never_ended, "{name}");
    }
}

#[test]
fn what_is_drawn_at_full_zoom_are_the_slices() {
    let session = read_whole(&fixture("threads.xray"));
    let (from, to) = session.store().extent().unwrap();
    let tracks: Vec<u32> = (0..session.store().track_count() as u32).collect();
    let answer = session.query(from, to + 1, 1, &tracks);
    assert!(answer.rects.index.iter().all(|i| *i != MANY));
    assert_eq!(answer.rects.track.len() as u64, session.store().slices());
}
