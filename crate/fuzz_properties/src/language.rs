//! Expressions of the filter language.

use unspool_engine::find::{Find, Order};
use unspool_engine::jobs::{Job, Step};
use unspool_engine::{Store, TrackRows};
use unspool_filter::pattern::Linked;
use unspool_filter::{Bound, Filter, RecordQuery, Search, SliceQuery};
use unspool_trace::records::RecordName;
use unspool_trace::{EventBatch, EventKind, FieldValue, Locator, Record, TrackDef, TrackKind, Visitor};

use crate::Choices;

/// An expression is refused at a place within it, or finds the same whether it crosses as bytes or
/// not. What it finds is listed and marked completely.
pub(crate) fn understood(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut choices = Choices::of(bytes);
    let store = store(&mut choices);
    let frequency = (choices.below(2) == 0).then(|| choices.extreme().max(1));
    let context = store.find_context(frequency, true);
    let bound = match Bound::new(&text, &context) {
        Err(error) => {
            assert!(text.get(error.at..error.at + error.len).is_some(), "the place of an error is in the text");
            assert!(!error.sentence.is_empty());
            return;
        }
        Ok(bound) => bound,
    };
    assert_eq!(SliceQuery::from_bytes(&bound.slices.to_bytes()).as_ref(), Some(&bound.slices));
    let crossed = RecordQuery::from_bytes(&bound.records.to_bytes());
    // A number that is not one differs from itself.
    assert!(crossed.is_some_and(|it| it.to_bytes() == bound.records.to_bytes()));
    let mut find = Find::new(&store, bound.slices.clone());
    while find.step(&store, 1 + choices.below(50)) == Step::More {}
    let filter = Filter::new(&text, &context).unwrap_or_default();
    let begins = vec![vec![(1, 10), (2, 20)]; filter.begins.len()];
    for query in [&bound.records, &filter.records] {
        let Some(mut search) = Search::new(query, &begins, None, &Linked, |n| n.to_string()) else { continue };
        for x in 0..20 {
            visit(&mut search, x, &mut choices);
        }
        let found = search.take();
        assert!(found.x.len() as u64 == search.count() && search.count() <= 20);
        if std::ptr::eq(query, &bound.records) {
            find.add(&store, &found);
        }
    }
    let hits = find.hits();
    let all = hits.page(&store, 0..u64::MAX, 0, usize::MAX, Order::Position);
    assert_eq!(all.len() as u64, hits.len());
    assert!(all.is_sorted_by_key(|hit| hit.start), "hits are in the order of their positions");
    for (rank, hit) in (0..).zip(&all) {
        assert_eq!(hits.rank(&store, hit.start, hit.item, Some(hit.locator)), (rank, true));
    }
    let Some((from, to)) = store.extent() else { return };
    let rows: Vec<_> = (0..2).map(|track| TrackRows { track, depths: i32::MIN..i32::MAX }).collect();
    let (marks, _) = hits.marks(&store, (from, to.saturating_add(1)), (to - from) / 50 + 1, &rows, true);
    assert_eq!(marks.cell.is_empty(), all.is_empty(), "every hit is marked");
}

fn store(choices: &mut Choices) -> Store {
    let mut store = Store::default();
    let mut batch = EventBatch::with_capacity(200);
    batch.new_tracks.push(TrackDef { has_frames: true, ..TrackDef::new(TrackKind::Lane, "frames") });
    batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "t1"));
    batch.new_names.extend(["main", "f", "a b", "xxy"].map(|name| String::from(name).into()));
    for i in 0..20u64 {
        let (name, time) = (choices.index(4) as u32, i * 10);
        batch.push(EventKind::Begin, 0, time, name, Locator::at(i));
        batch.push(EventKind::End, 0, time + 10, name, Locator::at(i));
        batch.push(EventKind::Begin, 1, time, name, Locator::at(i));
        batch.push(EventKind::Instant, 1, time + 1, name, Locator::at(i));
        if choices.below(3) > 0 {
            batch.push(EventKind::End, 1, time + choices.below(9), name, Locator::at(i));
        }
    }
    batch.records = 100;
    store.apply(&mut batch);
    store.finish(false);
    store
}

/// A record with a field of each kind.
fn visit(search: &mut Search, x: u64, choices: &mut Choices) {
    let name = [RecordName::None, RecordName::Text("main"), RecordName::Id(7)][choices.index(3)];
    let record = Record { locator: Locator::at(x), lane: 0, row: x, x: x * 10, track: 1, name };
    if !search.begin(&record) {
        return;
    }
    search.field("address", FieldValue::Hex(choices.extreme()));
    search.open("args", false);
    search.open("size", true);
    search.field("", FieldValue::U64(choices.extreme()));
    search.field("", FieldValue::F64(f64::from_bits(choices.extreme())));
    search.close();
    search.field("text", FieldValue::Text("gl\nxxy\u{e9}"));
    search.field("mode", FieldValue::Symbol { name: "A | B", value: &FieldValue::I64(choices.extreme() as i64) });
    search.field("none", FieldValue::Null);
    search.close();
    search.field("ret", FieldValue::I64(-1));
    search.field("instruction", FieldValue::Code { isa: "x86-64", address: 0x40, bytes: &[0x0f, 5] });
    search.field("data", FieldValue::Bytes { bytes: b"GET /", len: 5 });
    search.end();
}
