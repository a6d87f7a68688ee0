//! Logs that begin within calls: the callers arrive after the calls they made.

use unspool_trace::Locator;
use unspool_trace::batch::{Key, Name, SliceKind};

use super::*;
use crate::details::Item;

/// A thread of `+name@time` and `-name@time`, finished.
fn finished(threads: &[&str]) -> Store {
    let threads: Vec<_> = threads.iter().map(|text| (Stacking::Nested, *text)).collect();
    let mut store = store(&threads);
    store.finish(false);
    store
}

/// The flame graph of all tracks, node by node: `a>b total self count`.
fn paths(statistics: &mut Statistics, store: &Store) -> Vec<String> {
    let flame = flame(statistics, store, &[]);
    let mut paths: Vec<String> = Vec::new();
    for i in 0..flame.name.len() {
        let name = char::from_u32(flame.name[i].wrapping_add(97)).filter(|c| *c >= 'a').unwrap_or('*');
        let caller = paths.get(flame.parent[i] as usize).map(|path| format!("{path}>")).unwrap_or_default();
        paths.push(format!("{caller}{name}"));
    }
    let line = |i: usize| format!("{} {} {} {}", paths[i], flame.total[i], flame.own[i], flame.count[i]);
    (0..paths.len()).map(line).collect()
}

fn all_paths(store: &Store, range: (u64, u64)) -> Vec<String> {
    let tracks: Vec<u32> = (0..store.tracks.len() as u32).collect();
    paths(&mut scanned(store, range, &tracks), store)
}

/// a called b and d, and b called c, but only the ends of a and b were recorded.
const WITHIN: &str = "+c@11 -c@12 -b@13 +d@14 -d@15 -a@16 +e@17 -z@18 -e@19";

#[test]
fn late_callers_contain_their_callees() {
    let store = finished(&[WITHIN]);
    assert_eq!(
        listed(&store, ALL, &[0]),
        ["a 1 5 2 5..5", "b 1 2 1 2..2", "c 1 1 1 1..1", "d 1 1 1 1..1", "e 1 2 1 2..2", "z 1 1 1 1..1"]
    );
    assert_eq!(
        all_paths(&store, ALL),
        ["* 7 0 2", "*>a 5 2 1", "*>a>b 2 1 1", "*>a>b>c 1 1 1", "*>a>d 1 1 1", "*>e 2 1 1", "*>e>z 1 1 1"]
    );
}

#[test]
fn recursion_through_an_unrecorded_caller_counts_once() {
    // f > g > f > g, where the begins of the outer f and g are before the log.
    let store = finished(&["+f@10 +g@20 -g@30 -f@40 -g@50 -f@60"]);
    assert_eq!(listed(&store, ALL, &[0]), ["f 2 50 30 30..50", "g 2 40 20 10..40"]);
    assert_eq!(
        all_paths(&store, ALL),
        ["* 50 0 1", "*>f 50 10 1", "*>f>g 40 10 1", "*>f>g>f 30 20 1", "*>f>g>f>g 10 10 1"]
    );
}

#[test]
fn a_range_cuts_unrecorded_callers() {
    let store = finished(&[WITHIN]);
    assert_eq!(all_paths(&store, (12, 15)), ["* 3 0 1", "*>a 3 1 1", "*>a>b 1 1 1", "*>a>d 1 1 1"]);
    assert_eq!(all_paths(&store, (17, 18)), ["* 1 0 1", "*>e 1 0 1", "*>e>z 1 1 1"]);
}

#[test]
fn threads_with_the_same_path_share_nodes() {
    // The second thread has the begins of a and b, the third only the end of a, the fourth has
    // other callers.
    let store = finished(&[
        "+c@10 -c@11 -b@12 -a@13",
        "+a@10 +b@10 +c@10 -c@11 -b@12 -a@13",
        "+b@10 +c@10 -c@14 -b@14 -a@14",
        "+c@10 -c@11 -d@13",
    ]);
    let mut statistics = scanned(&store, ALL, &[0, 1, 2, 3]);
    assert_eq!(
        paths(&mut statistics, &store),
        ["* 13 0 4", "*>a 10 2 3", "*>a>b 8 2 3", "*>a>b>c 6 6 3", "*>d 3 2 1", "*>d>c 1 1 1"]
    );
    // The store has a, a>b and a>b>c; only d>c is added.
    assert_eq!(statistics.paths.len(), store.calls.len() + 1);
}

#[test]
fn open_slices_have_callers() {
    let mut unfinished = store(&[(Stacking::Nested, "+c@5 -c@6 -b@7 +d@8 +e@9 -e@10 +f@12")]);
    let expected = ["* 6 0 2", "*>d 4 3 1", "*>d>e 1 1 1", "*>b 2 1 1", "*>b>c 1 1 1"];
    assert_eq!(all_paths(&unfinished, ALL), expected);
    unfinished.finish(false);
    assert_eq!(all_paths(&unfinished, ALL), expected);
}

#[test]
fn an_open_late_caller_contains_earlier_calls() {
    let (begin, end) = (EventKind::Begin, EventKind::End);
    let mut batch = EventBatch::with_capacity(16);
    batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "t"));
    let uncover = EventKind::Uncover;
    let events =
        [(begin, 10, 2), (end, 12, 2), (uncover, 13, 1), (begin, 14, 2), (end, 15, 2), (end, 16, 1), (uncover, 17, 0)];
    for (kind, time, name) in events {
        batch.push(kind, 0, time, name, Locator::default());
    }
    let mut store = Store::default();
    store.apply(&mut batch);
    let expected = ["* 7 0 1", "*>a 7 1 1", "*>a>b 6 3 1", "*>a>b>c 3 3 2"];
    assert_eq!(all_paths(&store, ALL), expected);
    store.finish(false);
    assert_eq!(all_paths(&store, ALL), expected);
}

/// `rounds` calls of b and c in each of a thread's `callers`, whose begins are not recorded.
fn within(callers: u32, rounds: u64) -> Store {
    let mut events = Vec::new();
    let mut time = 0;
    for caller in 0..callers {
        for _ in 0..rounds {
            events.extend([(true, 1, time + 1), (true, 2, time + 2), (false, 2, time + 3), (false, 1, time + 4)]);
            time += 5;
        }
        events.push((false, 10 + caller, time));
    }
    let mut store = store_of(&[(Stacking::Nested, events)]);
    store.finish(false);
    store
}

#[test]
fn part_of_a_scan_estimates_the_same_tree() {
    let store = within(4, 50_000);
    let exact = flame(&mut scanned(&store, ALL, &[0]), &store, &[]);
    assert_eq!(exact.name.len(), 1 + 4 * 3);
    assert_eq!(exact.total[0], 5.0 * 200_000.0 - 1.0, "from the first event on");
    let mut statistics = Statistics::new(&store, question(ALL, &[0]));
    assert!(!statistics.step(&store, 100_000));
    let estimate = flame(&mut statistics, &store, &[]);
    assert!(!statistics.is_exact());
    let by_path = |flame: &FlameColumns| -> BTreeMap<Vec<u32>, f64> {
        let mut paths: Vec<Vec<u32>> = Vec::new();
        for i in 0..flame.name.len() {
            let mut path = paths.get(flame.parent[i] as usize).cloned().unwrap_or_default();
            path.push(flame.name[i]);
            paths.push(path);
        }
        paths.into_iter().zip(flame.total.iter().copied()).collect()
    };
    let (exact, estimate) = (by_path(&exact), by_path(&estimate));
    assert_eq!(exact.keys().collect::<Vec<_>>(), estimate.keys().collect::<Vec<_>>());
    for (path, total) in &exact {
        let about = estimate[path];
        assert!((about - total).abs() < 0.05 * total, "{path:?}: {about}, exactly {total}");
    }
}

#[test]
fn a_focus_below_an_unrecorded_caller_stays_in_other_ranges() {
    let mut store = store(&[(Stacking::Nested, "+c@11 -c@12 -b@13 +d@14 -d@15 -a@16")]);
    let focused = |store: &Store, range| {
        let flame = flame(&mut scanned(store, range, &[0]), store, &[0, 1, 2]);
        (flame.name[1..].to_vec(), flame.focus, flame.total)
    };
    assert_eq!(focused(&store, ALL), (vec![0, 1, 2], 3, vec![5.0, 5.0, 2.0, 1.0]));
    assert_eq!(focused(&store, (11, 12)), (vec![0, 1, 2], 3, vec![1.0; 4]));
    assert_eq!(focused(&store, (13, 16)), (vec![0, 1, 2], 3, vec![3.0, 3.0, 0.0, 0.0]));
    // One more caller of all of them.
    let mut batch = EventBatch::with_capacity(1);
    batch.push(EventKind::End, 0, 20, 4, Locator::default());
    store.apply(&mut batch);
    assert_eq!(focused(&store, ALL).2, [9.0, 0.0, 0.0, 0.0], "now they are below another one");
}

#[test]
fn unwinding_deep_stacks_costs_no_more_than_their_paths() {
    // 3000 returns without a call, each after a call of its own: 3000 paths of up to 3000 callers.
    let events = (0..3000u32).flat_map(|i| {
        let time = u64::from(i) * 10;
        [(true, 5000, time + 1), (false, 5000, time + 2), (false, i, time + 5)]
    });
    let mut store = store_of(&[(Stacking::Nested, events.collect())]);
    store.finish(false);
    let mut statistics = scanned(&store, ALL, &[0]);
    assert_eq!(flame(&mut statistics, &store, &[]).total[0], 29_994.0);
    let f = statistics.functions(&store);
    let position = f.name.iter().position(|name| *name == 5000).unwrap();
    assert_eq!((f.count[position], f.total[position]), (3000.0, 3000.0));
    assert!(statistics.paths.len() <= store.calls.len() + 6000);
}

#[test]
fn finishing_a_trace_restarts_the_scan() {
    // Finishing merges short columns into one block, which moves the planned stretches.
    let mut store = store(&[(Stacking::Nested, "+a@0 -a@1")]);
    let mut batch = EventBatch::with_capacity(4096);
    for i in 0..500 {
        batch.push(EventKind::Begin, 0, 10 + i * 2, 1, Locator::default());
        batch.push(EventKind::End, 0, 11 + i * 2, 1, Locator::default());
    }
    store.apply(&mut batch);
    let mut statistics = Statistics::new(&store, question(ALL, &[0]));
    assert!(!statistics.step(&store, 1));
    store.finish(false);
    while !statistics.step(&store, 1) {}
    assert_eq!(statistics.functions(&store).count, [1.0, 500.0]);
}

#[test]
fn gaps_are_where_records_must_be_missing() {
    let store = store(&[
        (Stacking::Nested, "+a@1 -a@2"),
        // In a call at its first record; the begin of x at 17 is missing after 14.
        (Stacking::Nested, "+c@11 -c@12 -b@13 +d@14 -x@17 -d@18 -a@19"),
        (Stacking::Nested, "+a@3 +b@4 -a@9"),
    ]);
    let gaps: Vec<_> = store.tracks.iter().map(|track| track.gaps()).collect();
    assert_eq!(gaps, [vec![], vec![0, 11, 14, 17], vec![]]);
}

#[test]
fn a_gap_follows_lost_records() {
    let mut store = Store::default();
    let mut batch = EventBatch::with_capacity(64);
    batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "t"));
    batch.new_names.push("f".to_string().into());
    for (kind, time) in [
        (EventKind::Begin, 10),
        (EventKind::End, 20),
        (EventKind::StackLost, 20),
        (EventKind::Begin, 50),
        (EventKind::End, 60),
        (EventKind::Begin, 70),
    ] {
        batch.push(kind, 0, time, 0, Locator::at(time));
    }
    batch.records = 5;
    store.apply(&mut batch);
    assert_eq!(store.tracks[0].gaps(), [20, 50]);
}

#[test]
fn time_without_records_is_a_function_of_its_own() {
    let mut store = Store::default();
    let mut batch = EventBatch::with_capacity(64);
    batch.new_tracks.push(TrackDef { lost: Some(0), ..TrackDef::new(TrackKind::Thread, "t") });
    let lost = Name { text: "time without records".into(), kind: SliceKind::Lost, key: Key::None };
    batch.new_names.extend([lost, "f".to_string().into(), "g".to_string().into()]);
    let (begin, end) = (EventKind::Begin, EventKind::End);
    for (kind, time, name) in [(begin, 10, 1), (begin, 12, 2), (end, 14, 2), (end, 40, 2), (end, 45, 1)] {
        batch.push(kind, 0, time, name, Locator::at(time));
    }
    store.apply(&mut batch);
    store.finish(false);
    let mut statistics = Statistics::new(&store, question(ALL, &[0]));
    while !statistics.step(&store, 1) {}
    let functions = statistics.functions(&store);
    // How much of the 26 ticks f or g took is not known.
    assert_eq!(functions.own, [26.0, 7.0, 2.0]);
    assert_eq!(functions.total, [26.0, 35.0, 2.0]);
    let gap = Item::Slice { track: 0, depth: 1, index: 1 };
    let described = store.describe(gap, false).unwrap();
    assert_eq!((described.title.as_str(), described.remarks.len()), ("time without records", 1));
    assert!(described.remarks[0].starts_with("Nothing is known of this time"), "{}", described.remarks[0]);
    assert_eq!(store.track_report()[0].gap_slices.to_string(), "1");
}
