//! The store, its pictures and its statistics.

use std::collections::BTreeMap;

use unspool_engine::jobs::{Job, Step};
use unspool_engine::statistics::{
    CallOrder, Calls, CallsQuestion, CallsView, Exact, FlameView, Question, Statistics, Summary, TimeOrder, Transform,
};
use unspool_engine::{Item, MANY, Neighbour, Store, TrackRows};
use unspool_trace::batch::Name;
use unspool_trace::{EventBatch, EventKind, Locator, Orphans, Stacking, TrackDef, TrackKind, ValueKind};

use crate::choices::Choices;

/// Slices of a store whose statistics are counted one by one.
const COUNTED: u64 = 20_000;

/// A store takes any events of a decoder, and answers for them.
pub(crate) fn applied(bytes: &[u8]) {
    let mut choices = Choices::of(bytes);
    let mut input = bytes.iter().copied();
    let Some(head) = input.next() else { return };
    let mut store = Store::default();
    let mut batch = EventBatch::with_capacity(64);
    let (tracks, names) = (1 + u32::from(head & 7), 1 + u32::from(head >> 3));
    for id in 0..tracks {
        let Some(bits) = input.next() else { return };
        batch.new_tracks.push(track(id, bits));
    }
    batch.new_names.extend((0..names).map(|name| Name::from(format!("f{name}"))));
    let mut times = vec![0_u64; tracks as usize];
    let mut disordered = vec![false; tracks as usize];
    while let (Some(what), Some(whose), Some(value)) = (input.next(), input.next(), input.next()) {
        let (track, name) = (u32::from(whose & 7) % tracks, u32::from(whose >> 3) % names);
        let i = track as usize;
        let kind = match what & 15 {
            0..=3 => EventKind::Begin,
            4..=6 => EventKind::End,
            7 => EventKind::EndOf,
            8 | 9 => EventKind::Whole,
            10 => EventKind::Instant,
            11 => EventKind::Uncover,
            12 => EventKind::StackLost,
            13 => EventKind::Sample,
            14 if !disordered[i] => EventKind::Disordered,
            15 if disordered[i] => EventKind::Restart,
            _ => EventKind::Flag,
        };
        match kind {
            EventKind::Disordered => disordered[i] = true,
            EventKind::Restart => (disordered[i], times[i]) = (false, 0),
            _ => {}
        }
        let value = u64::from(value);
        times[i] = match what >> 4 {
            0..=9 => times[i].saturating_add(value),
            10 => times[i].saturating_add(value << 24),
            11 => times[i].saturating_add(value << 48),
            12 => times[i].saturating_sub(value),
            13 => u64::MAX - value,
            14 => value,
            _ => times[i],
        };
        let locator = Locator::from_bits(value);
        match kind {
            EventKind::Flag => batch.push_flags(1 << (what >> 4 & 3), track, name, locator),
            EventKind::Whole => batch.push_whole(track, times[i], times[i].saturating_add(value & 63), name, locator),
            _ => batch.push(kind, track, times[i], name, locator),
        }
        if batch.len() > 40 {
            store.apply(&mut batch);
            batch.clear();
            if choices.below(8) == 0 {
                answers(&store, &mut choices);
            }
        }
    }
    store.apply(&mut batch);
    store.finish(head & 1 == 0);
    answers(&store, &mut choices);
}

fn track(id: u32, bits: u8) -> TrackDef {
    let kinds = [TrackKind::Thread, TrackKind::Lane, TrackKind::Counter, TrackKind::Process];
    let mut track = TrackDef::new(kinds[usize::from(bits & 3)], format!("track {id}"));
    track.parent = id.checked_sub(1).filter(|_| bits & 4 != 0);
    if bits & 8 != 0 {
        track.orphans = Orphans::FromPrevious;
    }
    if bits & 16 != 0 {
        track.stacking = Stacking::Overlapping;
    }
    track.start = (bits & 32 != 0).then_some(u64::from(bits >> 6) << 62);
    if bits & 64 != 0 {
        track.values = ValueKind::Float;
    }
    track
}

/// Pictures, neighbours and statistics of a store agree with its slices.
pub(crate) fn answers(store: &Store, choices: &mut Choices) {
    let tracks: Vec<u32> = (0..store.track_count() as u32).collect();
    in_order(store, &tracks);
    let items = pictures(store, &tracks, choices);
    for item in items {
        for what in [
            Neighbour::Next { item },
            Neighbour::Previous { item },
            Neighbour::Caller { item },
            Neighbour::Callee { item },
        ] {
            if let Some(found) = store.neighbour(what) {
                assert!(found.end.is_none_or(|end| end >= found.start), "{what:?} is {found:?}");
            }
        }
    }
    let _ = store.neighbour(Neighbour::At { time: choices.extreme(), track: None });
    let time = choices.extreme();
    let _ = store.neighbour(Neighbour::Named { name: choices.index(store.names().len()) as u32, time });
    store.overview(1 + choices.index(300) as u32);
    statistics(store, &tracks, choices);
}

/// The slices of a column are sorted and do not overlap.
fn in_order(store: &Store, tracks: &[u32]) {
    for track in tracks {
        let mut last: Option<(i32, u64)> = None;
        store.for_each_slice(*track, |depth, _, slice| {
            assert!(slice.start <= slice.end, "{slice:?} ends before it begins");
            let before = last.filter(|(of, _)| *of == depth);
            assert!(before.is_none_or(|(_, end)| slice.start >= end), "{slice:?} overlaps with the one before");
            last = Some((depth, slice.end));
        });
    }
}

/// Pictures of several windows. Returns items to look at.
fn pictures(store: &Store, tracks: &[u32], choices: &mut Choices) -> Vec<Item> {
    let (from, to) = store.extent().unwrap_or_default();
    let mut items = Vec::new();
    for window in 0..3 {
        let (a, b) = if window == 0 { (from, to.saturating_add(1)) } else { (choices.extreme(), choices.extreme()) };
        let (a, b) = (a.min(b), a.max(b));
        let step = [(b - a) / 1000, choices.extreme(), (b - a) / 10][choices.index(3)];
        if (b - a) / step.max(1) > 4000 {
            continue;
        }
        let picture = store.query(a, b, step, tracks);
        let rects = &picture.rects;
        for i in 0..rects.track.len() {
            assert!(rects.start[i] <= rects.end[i], "a rectangle ends before it begins");
            if rects.index[i] != MANY && items.len() < 24 {
                items.push(Item::Slice { track: rects.track[i], depth: rects.depth[i], index: rects.index[i] });
            }
        }
        let depths = if window == 2 { i32::MIN..i32::MAX } else { -3..choices.index(20) as i32 };
        let track = choices.index(tracks.len() + 1) as u32;
        store.query_rows(a, b, step, &[TrackRows { track, depths }]);
        items.push(Item::Instant { track, index: choices.index(50) as u32 });
        items.push(Item::Slice { track, depth: choices.index(9) as i32 - 4, index: choices.extreme() as u32 });
    }
    items
}

/// A scan in steps has the counts of a scan at once, and those of the slices themselves.
fn statistics(store: &Store, tracks: &[u32], choices: &mut Choices) {
    if store.slices() > COUNTED {
        return;
    }
    let question = Question { from: 0, to: u64::MAX, tracks: tracks.to_vec() };
    let counts = |question: &Question| -> BTreeMap<u32, u64> {
        let functions = Summary::of(store, question).functions;
        functions.iter().map(|function| (function.name, function.count)).collect()
    };
    let found = counts(&question);
    if store.is_finished() {
        let mut expected = BTreeMap::new();
        for track in tracks {
            store.for_each_slice(*track, |_, _, slice| {
                // No range comprises the last position.
                if slice.start < u64::MAX {
                    *expected.entry(store.calls().name(slice.node)).or_default() += 1;
                }
            });
        }
        assert_eq!(found, expected, "counts of functions");
    }
    let (from, to) = (choices.extreme(), choices.extreme());
    let part = Question { from: from.min(to), to: from.max(to), tracks: tracks.to_vec() };
    for question in [question, part] {
        let expected = counts(&question);
        let mut scan = Statistics::new(store, question.clone());
        while !scan.step(store, 1 + choices.below(500)) {}
        let functions = scan.functions(store);
        let stepped: BTreeMap<u32, u64> =
            functions.name.iter().copied().zip(functions.count.iter().map(|n| *n as u64)).collect();
        assert_eq!(stepped, expected, "counts of a scan in steps");
        let name = choices.index(store.names().len()) as u32;
        let transform = match choices.below(4) {
            0 => Transform::Collapse,
            1 => Transform::Focus(vec![name]),
            2 => Transform::Hide(vec![name]),
            _ => Transform::Only(vec![name]),
        };
        let down = scan.flames(store, &FlameView::Down { path: vec![name] }, &[]).flame;
        let up = scan.flames(store, &FlameView::Up { path: Vec::new() }, &[]).flame;
        assert_eq!(up.total, [&down.total[..1], &up.total[1..]].concat(), "time in both directions");
        for view in [FlameView::Up { path: vec![name] }, FlameView::Sandwich { name }] {
            scan.flames(store, &view, std::slice::from_ref(&transform));
        }
        let mut drawn = TimeOrder::new(store, question.clone(), vec![transform]);
        while drawn.step(store, 1 + choices.below(5000)) == Step::More {}
        let about = CallsQuestion { range: question.clone(), name, path: Vec::new(), durations: (0, u64::MAX) };
        let view = CallsView { order: CallOrder::Start, first: choices.below(5), rows: 100, of: None };
        let mut calls = Calls::new(store, about, view, None);
        while calls.step(store, 1 + choices.below(5000)) == Step::More {}
        if let Some(listed) = calls.found(store).filter(|_| store.is_finished()) {
            assert_eq!(listed.all, expected.get(&name).copied().unwrap_or(0), "calls of a function");
            assert!(listed.start.is_sorted(), "calls in the order of starts");
        }
        let mut exact = Exact::new(store, question, name);
        let percentiles = loop {
            if let Some(found) = exact.step(store, 1 + choices.below(5000)) {
                break found;
            }
        };
        assert_eq!(percentiles.is_some(), expected.contains_key(&name), "percentiles of what is there");
    }
}
