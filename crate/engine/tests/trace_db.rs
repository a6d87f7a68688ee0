//! trace-db traces from bytes to the store: value tracks, lifetimes, details.

use unspool_engine::{Item, Session};
use unspool_records::RecordReader;
use unspool_trace::{Locator, ValueKind};

use crate::common::{assert_portions_do_not_matter, corpus_of, fixture, read_whole, reader};

fn item_details(session: &Session, reader: &mut RecordReader, item: Item) -> String {
    let described = session.describe(item).unwrap();
    let record = reader.details(Locator::from_bits(described.locator)).unwrap();
    format!("{described:?} {record:?}")
}

#[test]
fn portions_do_not_matter() {
    for name in ["variables.trace", "narrow.trace", "cut.trace", "values.trace"] {
        assert_portions_do_not_matter(name, &fixture(&format!("trace_db/{name}")));
    }
    for (path, file) in corpus_of("trace-db", 60_000) {
        assert_portions_do_not_matter(&path.display().to_string(), &file);
    }
}

#[test]
fn values_have_the_extremes_of_their_kind() {
    let session = read_whole(&fixture("trace_db/values.trace"));
    let tracks = session.store().track_report();
    let of = |detail: &str| tracks.iter().find(|t| t.name == "v" && t.detail == detail).unwrap();
    let shown = |detail: &str| (of(detail).values, of(detail).lowest_value, of(detail).highest);
    assert_eq!(shown("s64"), ("signed", i64::MIN as f64, i64::MAX as f64));
    assert_eq!(shown("u64"), ("unsigned", u64::MAX as f64, u64::MAX as f64));
    assert_eq!(shown("double"), ("float", -0.0, 1e300));
    let (from, to) = session.store().extent().unwrap();
    let counters = session.query(from, to + 1, 1, &[of("double").id]).counters;
    assert_eq!((counters.min[0], counters.max[0]), (f64::NEG_INFINITY, f64::INFINITY));
    assert!(counters.last[0].is_nan());
}

#[test]
fn values_are_shown_as_those_of_another_type() {
    let mut session = read_whole(&fixture("trace_db/variables.trace"));
    let digest = session.store().digest();
    let of = |session: &Session| session.store().track_report().into_iter().find(|t| t.name == "key").unwrap();
    let key = of(&session);
    let shown = |session: &Session| (of(session).values, of(session).lowest_value, of(session).highest);
    assert_eq!((key.width, shown(&session)), (4.0, ("signed", -42.0, 120.0)));
    session.take_tracks();
    session.show_values(key.id, ValueKind::Unsigned);
    assert_eq!(shown(&session), ("unsigned", 0.0, 4_294_967_289.0));
    assert_eq!(session.take_tracks().into_iter().map(|t| t.name).collect::<Vec<_>>(), ["key"]);
    let (from, to) = session.store().extent().unwrap();
    let counters = session.query(from, to + 1, 1 << 20, &[key.id]).counters;
    assert_eq!((counters.min[0], counters.max[0]), (0.0, 4_294_967_289.0));
    assert_eq!(session.store().digest(), digest, "the trace itself stays as it is");
    session.show_values(key.id, ValueKind::Signed);
    assert_eq!(shown(&session), ("signed", -42.0, 120.0));
    // Addresses stay addresses.
    let values = session.store().track_report().into_iter().find(|t| t.name == "values").unwrap();
    session.show_values(values.id, ValueKind::Signed);
    let shown = session.store().track_report().into_iter().find(|t| t.name == "values").unwrap();
    assert_eq!((shown.values, shown.width), ("address", 0.0));
}

#[test]
fn buffers_are_slices_that_overlap() {
    let file = fixture("trace_db/variables.trace");
    let session = read_whole(&file);
    let buffers = session.store().track_report().into_iter().find(|t| t.name == "buffers").unwrap();
    assert!(buffers.overlapping && buffers.kind == "lane" && buffers.rows == 2);
    let mut slices = Vec::new();
    session.store().for_each_slice(buffers.id, |depth, _, s| slices.push((depth, s.start, s.end, s.flags)));
    assert_eq!(slices, [(0, 1, 78, 0), (1, 49, 62, 0)]);
    let item = Item::Slice { track: buffers.id, depth: 1, index: 0 };
    let details = item_details(&session, &mut reader(&session, &file), item);
    assert!(details.contains("0x55d0c0de12e0, 96 bytes") && !details.contains("\"Self\""), "{details}");
}

#[test]
fn every_instant_has_details() {
    for name in ["variables.trace", "narrow.trace", "cut.trace", "values.trace"] {
        let file = fixture(&format!("trace_db/{name}"));
        let session = read_whole(&file);
        let mut changed = 0;
        for track in session.store().track_report() {
            for index in 0..track.instants as u32 {
                let details =
                    item_details(&session, &mut reader(&session, &file), Item::Instant { track: track.id, index });
                assert!(details.contains("Statement") && details.contains("Variables"), "{details}");
                changed += usize::from(details.contains("Changed since"));
            }
        }
        assert!(changed > 60 || name == "values.trace", "{changed}");
    }
}

#[test]
fn a_truncated_trace_reports_it_and_shows_the_rest() {
    let file = fixture("trace_db/cut.trace");
    let session = read_whole(&file);
    let kinds: Vec<_> = session.store().problem_report().iter().map(|p| p.kind).collect();
    assert_eq!(kinds, ["cut-point", "truncated"]);
    assert!(session.store().names().iter().any(|n| n == "statement 1:63 (incomplete)"));
    assert_eq!(session.store().records(), 79);
}

#[test]
fn without_threads_the_overview_shows_where_statements_are() {
    let session = read_whole(&fixture("trace_db/variables.trace"));
    let overview = session.overview(16);
    let tracks = session.store().track_report();
    let shown: Vec<&str> = overview.rows.iter().map(|id| tracks[*id as usize].name.as_str()).collect();
    assert_eq!(shown, ["statements", "buffers", "statements", "auxiliary"]);
    let row = |i: usize| &overview.density[16 * i..16 * (i + 1)];
    assert!(row(0)[..12].iter().all(|d| *d > 0), "sort.c runs first: {:?}", row(0));
    assert!(row(2)[..12].iter().all(|d| *d == 0) && row(2)[13] > 0, "then gcd.c: {:?}", row(2));
}

#[test]
fn a_recorded_execution_is_complete() {
    let Some(file) = unspool_corpus::read("trace-db/real-gcd-16777216-512.trace") else { return };
    let session = read_whole(&file);
    let store = session.store();
    assert_eq!((store.records(), store.extent()), (65_543, Some((0, 65_542))));
    let tracks = store.track_report();
    let a = tracks.iter().find(|t| t.name == "a").unwrap();
    assert_eq!((a.values, a.highest), ("float", 16_777_216.0));
    assert!(store.problem_report().is_empty());
}
