//! Hits of random stores, compared with a list of all slices and instants.

use proptest::prelude::*;
use unspool_filter::{FoundRecords, SliceQuery, SliceTest};
use unspool_trace::{EventBatch, EventKind, Locator, TrackDef, TrackKind};

use super::*;
use crate::find::Find;
use crate::jobs::{Job, Step};

/// Names of the store.
const NAMES: u32 = 5;

/// Calls and instants on three tracks. Each step is a track, a pause and what happens.
fn store(steps: &[(u32, u64, u8)]) -> Store {
    let mut store = Store::default();
    let mut batch = EventBatch::with_capacity(steps.len() + 1);
    batch.new_tracks.extend(["a", "b", "c"].map(|name| TrackDef::new(TrackKind::Thread, name)));
    batch.new_names.extend((0..NAMES).map(|i| format!("f{i}").into()));
    let mut open = [const { Vec::new() }; 3];
    let mut time = 100;
    for (i, (track, pause, what)) in (0u64..).zip(steps) {
        time += pause;
        let name = u32::from(what / 3) % NAMES;
        let stack = &mut open[*track as usize];
        match what % 3 {
            0 => {
                batch.push(EventKind::Instant, *track, time, name, Locator::at(i));
            }
            1 if !stack.is_empty() => {
                let name = stack.pop().unwrap();
                batch.push(EventKind::End, *track, time, name, Locator::at(i));
            }
            _ => {
                stack.push(name);
                batch.push(EventKind::Begin, *track, time, name, Locator::at(i));
            }
        }
    }
    batch.records = steps.len() as u64;
    store.apply(&mut batch);
    store.finish(false);
    store
}

/// Everything that can be a hit, in the order of hits: start, end, track, depth, name, locator,
/// item.
type One = (u64, Option<u64>, u32, Option<i32>, u32, u64, Item);

fn all(store: &Store) -> Vec<One> {
    let mut all = Vec::new();
    for track in 0..3 {
        store.for_each_slice(track, |depth, index, slice| {
            let item = Item::Slice { track, depth, index: index as u32 };
            let name = store.calls.name(slice.node);
            all.push((slice.start, Some(slice.end), track, Some(depth), name, slice.locator.bits(), item));
        });
        let instants = &store.tracks[track as usize].instants;
        for index in 0..instants.len() {
            let instant = instants.get(index).unwrap();
            let item = Item::Instant { track, index: index as u32 };
            all.push((instant.time, None, track, None, instant.name, instant.locator.bits(), item));
        }
    }
    all.sort_by_key(|(start, _, track, depth, ..)| (*start, *track, depth.is_none(), depth.unwrap_or(0)));
    all
}

fn searched(store: &Store, query: SliceQuery) -> Find {
    let mut find = Find::new(store, query);
    while find.step(store, 7) == Step::More {}
    assert_eq!(find.progress().done, find.progress().of);
    find
}

#[test]
fn names_of_hits_are_those_of_all_of_them() {
    const COUNT: u32 = 10_000;
    let mut batch = EventBatch::with_capacity(2 * COUNT as usize);
    batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "a"));
    batch.new_names.extend((0..COUNT).map(|i| format!("f{i}").into()));
    for name in 0..COUNT {
        batch.push(EventKind::Begin, 0, u64::from(name) * 2, name, Locator::at(0));
        batch.push(EventKind::End, 0, u64::from(name) * 2 + 1, name, Locator::at(0));
    }
    let mut store = Store::default();
    store.apply(&mut batch);
    store.finish(false);
    let wanted = |name: u32| !name.is_multiple_of(3);
    let names = (0..COUNT).map(|name| u8::from(wanted(name))).collect();
    let mut find = searched(&store, SliceQuery { branches: vec![Vec::new()], names, checks: Vec::new() });
    assert_eq!(find.hits().names(), (0..COUNT).filter(|name| wanted(*name)).collect::<Vec<_>>());
}

fn query(names: &[u32], tests: Vec<(bool, SliceTest)>) -> SliceQuery {
    let names = (0..NAMES).map(|name| u8::from(names.contains(&name))).collect();
    SliceQuery { branches: vec![tests], names, checks: Vec::new() }
}

proptest! {
    #[test]
    fn pages_ranks_and_marks_are_those_of_a_list(
        steps in prop::collection::vec((0u32..3, 0u64..6, any::<u8>()), 1..400),
        names in prop::collection::vec(0..NAMES, 1..4),
        low in 0u64..12,
        step in 1u64..60,
    ) {
        let store = store(&steps);
        let durations = SliceTest::Duration(Some((low, u64::MAX)));
        let tests = if low < 6 { vec![(true, durations)] } else { Vec::new() };
        let mut find = searched(&store, query(&names, tests.clone()));
        let expected: Vec<One> = all(&store)
            .into_iter()
            .filter(|(start, end, _, _, name, ..)| {
                let is_long = end.map_or(tests.is_empty(), |end| tests.is_empty() || end - start >= low);
                names.contains(name) && is_long
            })
            .collect();
        let hits = find.hits();
        prop_assert_eq!(hits.len(), expected.len() as u64);
        let page = hits.page(&store, 0..u64::MAX, 0, usize::MAX, Order::Position);
        let items = |hits: &[Hit]| hits.iter().map(|hit| hit.item.unwrap()).collect::<Vec<_>>();
        prop_assert_eq!(items(&page), expected.iter().map(|one| one.6).collect::<Vec<_>>());
        for (rank, one) in (0..).zip(&expected) {
            let hit = &page[rank as usize];
            prop_assert_eq!((hit.start, hit.end, hit.track, hit.name, hit.locator), (one.0, one.1, one.2, Some(one.4), one.5));
            prop_assert_eq!(hits.rank(&store, one.0, Some(one.6), None), (rank, true));
        }
        for first in [1, expected.len() as u64 / 2, expected.len() as u64] {
            let part = hits.page(&store, 0..u64::MAX, first, 5, Order::Position);
            prop_assert_eq!(&page[(first as usize).min(page.len())..page.len().min(first as usize + 5)], &part[..]);
        }
        // Those of a range, in any order.
        let (from, end) = (expected.len() / 3, expected.len() * 2 / 3);
        let among = from as u64..end as u64;
        prop_assert_eq!(&hits.page(&store, among.clone(), 0, usize::MAX, Order::Position)[..], &page[from..end]);
        let part = hits.page(&store, among.clone(), 1, 2, Order::Position);
        prop_assert_eq!(&part[..], &page[(from + 1).min(end)..(from + 3).min(end)]);
        let mut longest = page[from..end].to_vec();
        longest.sort_by_key(|hit| std::cmp::Reverse(hit.end.map_or(0, |end| end - hit.start)));
        prop_assert_eq!(hits.page(&store, among, 0, usize::MAX, Order::Duration), longest);
        // Other orders: the same hits, in order.
        let by_duration = hits.page(&store, 0..u64::MAX, 0, usize::MAX, Order::Duration);
        prop_assert!(by_duration.is_sorted_by_key(|hit| std::cmp::Reverse(hit.end.map_or(0, |end| end - hit.start))));
        let by_name = hits.page(&store, 0..u64::MAX, 0, usize::MAX, Order::Name);
        prop_assert!(by_name.is_sorted_by_key(|hit| hit.name) && by_name.len() == page.len());
        let by_thread = hits.page(&store, 0..u64::MAX, 0, usize::MAX, Order::Thread);
        prop_assert!(by_thread.is_sorted_by_key(|hit| (hit.track, hit.start)) && by_thread.len() == page.len());
        // Marks.
        let (from, to) = store.extent().map(|(from, to)| (from, to + 1)).unwrap();
        let rows: Vec<_> = (0..3).map(|track| TrackRows { track, depths: i32::MIN..i32::MAX }).collect();
        for merged in [false, true] {
            let (marks, width) = hits.marks(&store, (from, to), step, &rows, merged);
            prop_assert_eq!(width, step);
            let mut cells = std::collections::BTreeMap::new();
            for (start, end, track, depth, ..) in &expected {
                let row = if merged { 0 } else { depth.unwrap_or(store.tracks[*track as usize].lowest()) };
                let last = end.unwrap_or(*start).saturating_sub(1).max(*start);
                for cell in (start - from) / step..=(last - from) / step {
                    *cells.entry((*track, row, cell as u32)).or_insert(0u32) += 1;
                }
            }
            let found: Vec<_> = (0..marks.cell.len()).map(|i| (marks.track[i], marks.depth[i], marks.cell[i])).collect();
            prop_assert_eq!(found, cells.keys().copied().collect::<Vec<_>>());
            prop_assert_eq!(marks.count, cells.values().copied().collect::<Vec<_>>());
        }
    }
}

#[test]
fn records_become_the_slices_that_they_begin() {
    // f0 on track 0 at 100, an instant of f1 at 105, the end at 110, and a record that is neither.
    let store = store(&[(0, 0, 2), (0, 5, 3), (0, 5, 1), (1, 0, 5)]);
    let mut find = searched(&store, SliceQuery { checks: vec![Vec::new()], ..SliceQuery::default() });
    assert_eq!(find.hits().len(), 0);
    let found = FoundRecords {
        x: vec![100, 105, 107, 110, 100],
        track: vec![0, 0, 0, 0, 0],
        locator: vec![0, 1, 9, 2, 0],
        branches: vec![1; 5],
        name: vec![0, 1, 2, 0, 0],
        matched: vec![3, u32::MAX, 3, u32::MAX, 3],
        texts: ["f0", "f1", "other", "x: 1"].map(String::from).to_vec(),
    };
    find.add(&store, &found);
    let page = find.hits().page(&store, 0..u64::MAX, 0, 10, Order::Position);
    let items: Vec<_> = page.iter().map(|hit| (hit.start, hit.item.is_some(), hit.matched.as_str())).collect();
    assert_eq!(items, [(100, true, "x: 1"), (105, true, ""), (107, false, "x: 1"), (110, false, "")]);
    assert_eq!(page[2].title, "other");
    assert_eq!(find.hits().rank(&store, 107, None, Some(9)), (2, true));
    assert_eq!(find.hits().rank(&store, 107, None, Some(8)), (2, false));
    let rows = [TrackRows { track: 0, depths: i32::MIN..i32::MAX }];
    assert_eq!(find.hits().marks(&store, (100, 111), 1, &rows, true).0.cell, (0..=10).collect::<Vec<_>>());
    // Cells beyond a limit are wider, so that none is left out.
    let (marks, width) = find.hits().marks(&store, (0, 1 << 20), 1, &rows, true);
    assert_eq!((width, marks.cell), (64, vec![1]));
}

#[test]
fn what_only_the_store_knows_is_checked_for_records() {
    let store = store(&[(0, 0, 2), (0, 10, 1), (0, 0, 2), (0, 90, 1)]);
    let long = SliceTest::Duration(Some((50, u64::MAX)));
    let query = SliceQuery { checks: vec![vec![(true, long)]], ..SliceQuery::default() };
    let mut find = searched(&store, query);
    let found = FoundRecords {
        x: vec![100, 110, 120],
        track: vec![0; 3],
        locator: vec![0, 2, 7],
        branches: vec![1; 3],
        name: vec![0; 3],
        matched: vec![u32::MAX; 3],
        texts: vec!["f0".into()],
    };
    find.add(&store, &found);
    let page = find.hits().page(&store, 0..u64::MAX, 0, 10, Order::Position);
    assert_eq!(page.iter().map(|hit| hit.start).collect::<Vec<_>>(), [110]);
}
