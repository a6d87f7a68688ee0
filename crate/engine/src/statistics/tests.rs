use std::collections::BTreeMap;

use proptest::prelude::*;
use unspool_trace::{EventBatch, EventKind, Locator, Stacking, TrackDef, TrackKind};

use super::buckets::rank_of;
use super::*;

mod jobs;
mod lists;
mod orphans;
mod shapes;
mod weights;

const ALL: (u64, u64) = (0, u64::MAX);

fn question((from, to): (u64, u64), tracks: &[u32]) -> Question {
    Question { from, to, tracks: tracks.to_vec() }
}

/// A store with these tracks: each nested or not, with `+name@time` and `-name@time` as its events.
fn store(tracks: &[(Stacking, &str)]) -> Store {
    let events = tracks.iter().map(|(stacking, text)| {
        let events = text.split_whitespace().map(|word| {
            let (name, time) = word.get(1..).unwrap().split_once('@').unwrap();
            (word.starts_with('+'), u32::from(name.as_bytes()[0] - b'a'), time.parse().unwrap())
        });
        (*stacking, events.collect())
    });
    store_of(&events.collect::<Vec<_>>())
}

/// Whether it is a begin, the name, and the time.
type Event = (bool, u32, u64);

fn store_of(tracks: &[(Stacking, Vec<Event>)]) -> Store {
    let mut store = Store::default();
    let mut batch = EventBatch::with_capacity(1 << 20);
    for (stacking, _) in tracks {
        batch.new_tracks.push(TrackDef { stacking: *stacking, ..TrackDef::new(TrackKind::Thread, "t") });
    }
    for (id, (_, events)) in (0..).zip(tracks) {
        for (begin, name, time) in events {
            batch.push(if *begin { EventKind::Begin } else { EventKind::End }, id, *time, *name, Locator::default());
        }
    }
    store.apply(&mut batch);
    store
}

fn scanned(store: &Store, range: (u64, u64), tracks: &[u32]) -> Statistics {
    let mut statistics = Statistics::new(store, question(range, tracks));
    while !statistics.step(store, 1) {}
    statistics
}

/// The flame graph below a path of names.
fn flame(statistics: &mut Statistics, store: &Store, path: &[u32]) -> FlameColumns {
    statistics.flames(store, &FlameView::Down { path: path.to_vec() }, &[]).flame
}

/// `name count total self min..max`, name by name.
fn listed(store: &Store, range: (u64, u64), tracks: &[u32]) -> Vec<String> {
    let f = scanned(store, range, tracks).functions(store);
    let name = |i: usize| char::from_u32(f.name[i] + 97).unwrap();
    let line = |i: usize| format!("{} {} {} {} {}..{}", name(i), f.count[i], f.total[i], f.own[i], f.min[i], f.max[i]);
    (0..f.name.len()).map(line).collect()
}

/// `index<parent name total self count`, node by node.
fn drawn(flame: &FlameColumns) -> Vec<String> {
    let name = |i: usize| char::from_u32(flame.name[i].wrapping_add(97)).map_or('*', |c| if c < 'a' { '*' } else { c });
    let line = |i: usize| {
        format!("{i}<{} {} {} {} {}", flame.parent[i], name(i), flame.total[i], flame.own[i], flame.count[i])
    };
    (0..flame.name.len()).map(line).collect()
}

const CALLS: &str = "+a@0 +b@10 -b@20 +b@30 +c@35 -c@36 -b@50 -a@100 +b@100 +b@110 -b@150 -b@200";

#[test]
fn functions_of_a_whole_trace() {
    let mut store = store(&[(Stacking::Nested, CALLS), (Stacking::Nested, "+c@0 -c@7")]);
    store.finish(false);
    assert_eq!(
        listed(&store, ALL, &[0, 1]),
        // What b does within itself is part of its total already.
        ["a 1 100 70 100..100", "b 4 130 129 10..100", "c 2 8 8 1..7"]
    );
    assert_eq!(listed(&store, ALL, &[1]), ["c 1 7 7 7..7"]);
    assert_eq!(listed(&store, ALL, &[]), [""; 0]);
    assert_eq!(listed(&store, ALL, &[7]), [""; 0]);
}

#[test]
fn a_range_cuts_times_but_neither_counts_nor_durations() {
    let mut store = store(&[(Stacking::Nested, CALLS)]);
    store.finish(false);
    assert_eq!(listed(&store, (15, 40), &[0]), ["a 1 25 10 100..100", "b 2 15 14 10..20", "c 1 1 1 1..1"],);
    assert_eq!(listed(&store, (100, 110), &[0]), ["b 1 10 10 100..100"]);
    assert_eq!(listed(&store, (99, 100), &[0]), ["a 1 1 1 100..100"]);
    assert_eq!(listed(&store, (200, 300), &[0]), [""; 0]);
}

/// While the trace is read, calls are open up to the end of what has been read. Then they end with
/// the last record of their thread, and lifetimes with the trace.
#[test]
fn open_slices_reach_to_the_end_of_their_thread() {
    let mut unfinished = store(&[(Stacking::Nested, "+a@0 +b@10 -b@20 +b@30"), (Stacking::Overlapping, "+x@5 +y@40")]);
    let open = ["a 1 40 20 40..40", "b 2 20 20 10..10", "x 1 35 35 35..35", "y 1 0 0 0..0"];
    assert_eq!(listed(&unfinished, ALL, &[0, 1]), open);
    assert!(!scanned(&unfinished, ALL, &[0]).is_complete());
    unfinished.finish(false);
    let ended = ["a 1 30 20 30..30", "b 2 10 10 0..10", "x 1 35 35 35..35", "y 1 0 0 0..0"];
    assert_eq!(listed(&unfinished, ALL, &[0, 1]), ended);
    assert!(scanned(&unfinished, ALL, &[0]).is_complete());
}

#[test]
fn lifetimes_do_not_call_one_another() {
    let mut store = store(&[(Stacking::Overlapping, "+a@1 +b@2 +c@3 -a@4 -c@9 -b@10")]);
    store.finish(false);
    assert_eq!(listed(&store, ALL, &[0]), ["a 1 3 3 3..3", "b 1 8 8 8..8", "c 1 6 6 6..6"]);
}

#[test]
fn the_heaviest_callees_come_first() {
    let mut store = store(&[(Stacking::Nested, "+a@0 +b@0 -b@1 +c@1 +d@2 -d@4 -c@10 -a@12 +b@20 -b@60")]);
    store.finish(false);
    let mut statistics = scanned(&store, ALL, &[0]);
    assert_eq!(
        drawn(&flame(&mut statistics, &store, &[])),
        ["0<0 * 52 0 2", "1<0 b 40 40 1", "2<0 a 12 2 1", "3<2 c 9 7 1", "4<3 d 2 2 1", "5<2 b 1 1 1"]
    );
    let below = flame(&mut statistics, &store, &[0, 2]);
    assert_eq!(drawn(&below), ["0<0 * 52 0 2", "1<0 a 12 2 1", "2<1 c 9 7 1", "3<2 d 2 2 1"]);
    assert_eq!(below.focus, 2);
    // Without such calls in the range, the path is there all the same.
    assert_eq!(drawn(&flame(&mut statistics, &store, &[1, 3])), ["0<0 * 52 0 2", "1<0 b 40 40 1", "2<1 d 0 0 0"]);
}

#[test]
fn callees_too_narrow_to_see_are_merged() {
    let mut events = vec![(true, 0, 0)];
    for i in 0..1000 {
        events.extend([(true, i + 1, u64::from(i) * 10), (false, i + 1, u64::from(i) * 10 + 1)]);
    }
    events.push((false, 0, 100_000_000));
    let mut store = store_of(&[(Stacking::Nested, events)]);
    store.finish(false);
    let mut statistics = scanned(&store, ALL, &[0]);
    let all = flame(&mut statistics, &store, &[]);
    assert_eq!((all.name.len(), all.total[1], all.own[1]), (2, 1e8, 1e8 - 1000.0), "not even together");
    // In a range in which they matter, they are separate.
    let mut statistics = scanned(&store, (0, 10_000), &[0]);
    let narrow = flame(&mut statistics, &store, &[0]);
    assert_eq!((narrow.name[2], narrow.count[2], narrow.total[2]), (u32::MAX, 1000.0, 1000.0));
    let mut statistics = scanned(&store, (0, 1000), &[0]);
    assert_eq!(flame(&mut statistics, &store, &[0]).name.len(), 2 + 100);
}

#[test]
fn a_deeply_recursive_function_counts_once() {
    // a, then 200 others each calling the next, and a again.
    let down = (0..=200).map(|depth| (true, depth % 200, u64::from(depth)));
    let up = (0..=200).rev().map(|depth| (false, depth % 200, 402 - u64::from(depth)));
    let mut store = store_of(&[(Stacking::Nested, down.chain(up).collect())]);
    store.finish(false);
    let f = scanned(&store, ALL, &[0]).functions(&store);
    assert_eq!((f.count[0], f.total[0], f.own[0]), (2.0, 402.0, 4.0));
    assert_eq!((f.count[150], f.total[150], f.own[150]), (1.0, 102.0, 2.0));
}

/// Calls of a few functions in loops, on several tracks.
fn program(tracks: u32, calls: u64) -> Store {
    let mut random = 88_172_645_463_325_252u64;
    let tracks: Vec<_> = (0..tracks)
        .map(|_| {
            let mut events = Vec::new();
            let mut time = 0;
            for _ in 0..calls / 4 {
                events.push((true, 0, time));
                for name in 1..4 {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    events.push((true, name, time + 1));
                    time += 2 + random % 1000 * u64::from(name);
                    events.push((false, name, time));
                }
                time += 5;
                events.push((false, 0, time));
                time += 5;
            }
            (Stacking::Nested, events)
        })
        .collect();
    let mut store = store_of(&tracks);
    store.finish(false);
    store
}

#[test]
fn slices_outside_the_range_are_not_visited() {
    let store = program(3, 100_000);
    let (_, end) = store.extent().unwrap();
    for (from, to) in [ALL, (end / 3, end / 2), (end / 3, end / 3 + 1), (end, end + 10)] {
        let mut within = 0;
        for track in [0, 2] {
            store.for_each_slice(track, |_, _, s| {
                within += u64::from(s.start < to && (s.end > from || s.start >= from))
            });
        }
        let mut statistics = Statistics::new(&store, question((from, to), &[0, 2]));
        while !statistics.step(&store, 10_000) {}
        assert_eq!((statistics.visited(), statistics.slices()), (within, within), "{from}..{to}");
        // Nothing is kept for each slice.
        let durations: usize = statistics.functions.iter().map(|f| f.buckets.bytes()).sum();
        assert!(durations < 4 * (24 << 10));
        assert_eq!(statistics.nodes.len(), 5);
    }
}

#[test]
fn part_of_a_scan_estimates_the_whole() {
    let store = program(4, 400_000);
    let tracks = [0, 1, 2, 3];
    let exact = scanned(&store, ALL, &tracks).functions(&store);
    let mut statistics = Statistics::new(&store, question(ALL, &tracks));
    assert!(!statistics.can_estimate());
    assert!(!statistics.step(&store, 50_000));
    assert!(!statistics.can_estimate(), "that is too few");
    assert!(!statistics.step(&store, statistics.slices() / 4));
    assert!(statistics.can_estimate() && !statistics.is_exact());
    let estimate = statistics.functions(&store);
    assert_eq!(exact.name, estimate.name);
    let pairs = |of: fn(&FunctionColumns) -> &Vec<f64>| of(&exact).iter().zip(of(&estimate)).collect::<Vec<_>>();
    for (exact, estimate) in
        [pairs(|f| &f.count), pairs(|f| &f.total), pairs(|f| &f.median), pairs(|f| &f.p99)].concat()
    {
        assert!((exact - estimate).abs() < 0.05 * exact, "{estimate}, exactly {exact}");
    }
    let flame = flame(&mut statistics, &store, &[]);
    for (i, parent) in flame.parent.iter().enumerate().skip(1) {
        assert!(flame.total[i] <= flame.total[*parent as usize], "a callee longer than its caller");
    }
}

#[test]
fn a_finished_scan_still_answers_its_question() {
    let mut store = program(1, 1000);
    let mut statistics = Statistics::new(&store, question(ALL, &[0]));
    assert!(!statistics.answers(&store, &question(ALL, &[0])), "nothing was visited yet");
    while !statistics.step(&store, 1000) {}
    assert!(statistics.answers(&store, &question(ALL, &[0])));
    assert!(!statistics.answers(&store, &question((0, 100), &[0])));
    store.restarts += 1;
    assert!(!statistics.answers(&store, &question(ALL, &[0])));
}

#[test]
fn a_track_delivered_anew_is_scanned_anew() {
    let mut store = program(2, 100_000);
    let mut statistics = Statistics::new(&store, question(ALL, &[0, 1]));
    let mut exact = Exact::new(&store, question(ALL, &[0, 1]), 9);
    assert!(!statistics.step(&store, 1000));
    assert_eq!(exact.step(&store, 1000), None);
    let mut batch = EventBatch::with_capacity(16);
    batch.push(EventKind::Restart, 0, 5, 0, Locator::default());
    batch.push(EventKind::Begin, 0, 5, 9, Locator::default());
    batch.push(EventKind::End, 0, 8, 9, Locator::default());
    store.apply(&mut batch);
    while !statistics.step(&store, 1000) {}
    assert_eq!(statistics.slices(), 100_001);
    assert_eq!(statistics.functions(&store).count.last(), Some(&1.0));
    let found = std::iter::repeat_with(|| exact.step(&store, 1000)).find_map(|found| found);
    assert_eq!(found, Some(Some(Percentiles { median: 3, p90: 3, p99: 3 })));
}

#[test]
fn sums_saturate_at_64_bits() {
    let long = format!("+a@0 -a@{}", u64::MAX - 1);
    let mut store = store(&[(Stacking::Nested, &long), (Stacking::Nested, &long)]);
    store.finish(false);
    let f = scanned(&store, ALL, &[0, 1]).functions(&store);
    assert_eq!((f.total[0], f.own[0], f.count[0]), (u64::MAX as f64, u64::MAX as f64, 2.0));
    assert!(f.median[0] > 0.99 * u64::MAX as f64);
}

#[derive(Debug, Default, PartialEq)]
struct Line {
    count: u64,
    total: u64,
    own: u64,
    durations: Vec<u64>,
}

/// The same, computed by comparing every pair of slices.
fn by_hand(store: &Store, (from, to): (u64, u64)) -> BTreeMap<u32, Line> {
    let mut lines: BTreeMap<u32, Line> = BTreeMap::new();
    let now = store.extent().map_or(0, |(_, now)| now);
    for (id, track) in (0..).zip(&store.tracks) {
        let mut slices = Vec::new();
        store.for_each_slice(id, |depth, _, s| slices.push((depth, s.node, s.start, s.end)));
        slices.extend(track.open().map(|o| (o.depth, o.node, o.start, now.max(o.start))));
        let inside = |start: u64, end: u64| end.min(to).saturating_sub(start.max(from));
        for (depth, node, start, end) in &slices {
            if !(*start < to && (*end > from || *start >= from)) {
                continue;
            }
            let name = store.calls.name(*node);
            let nested = track.def.stacking == Stacking::Nested;
            // A slice is called by the one that contains it, even if the call tree does not say so.
            // Calls without duration add no time.
            let mut callers = slices.iter().filter(|(d, _, s, e)| nested && d < depth && s <= start && e >= end);
            let recursive = callers.any(|(_, n, ..)| store.calls.name(*n) == name);
            let callees = slices.iter().filter(|(d, _, s, e)| nested && *d == depth + 1 && s >= start && e <= end);
            let line = lines.entry(name).or_default();
            line.count += 1;
            line.total += if recursive { 0 } else { inside(*start, *end) };
            line.own += inside(*start, *end) - callees.map(|(_, _, s, e)| inside(*s, *e)).sum::<u64>();
            line.durations.push(end - start);
        }
    }
    lines.values_mut().for_each(|line| line.durations.sort_unstable());
    lines
}

/// Time in which any call was open, and the time of all lifetimes.
fn covered_by_hand(store: &Store, (from, to): (u64, u64)) -> u64 {
    let now = store.extent().map_or(0, |(_, now)| now);
    let mut covered = 0;
    for (id, track) in (0..).zip(&store.tracks) {
        let mut add = |depth: i32, start: u64, end: u64| {
            if track.def.stacking == Stacking::Overlapping || depth == track.lowest() {
                covered += end.min(to).saturating_sub(start.max(from));
            }
        };
        store.for_each_slice(id, |depth, _, s| add(depth, s.start, s.end));
        track.open().for_each(|o| add(o.depth, o.start, now.max(o.start)));
    }
    covered
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec((prop::bool::weighted(0.6), 0u32..4, 0u64..5), 0..120).prop_map(|events| {
        let mut time = 100;
        let mut open: Vec<u32> = Vec::new();
        let mut named = |(begin, name, pause): Event| {
            time += pause;
            if begin {
                open.push(name);
                return (true, name, time);
            }
            // Mostly what is open ends, so that few ends close everything or lack a begin.
            (false, if name > 0 { open.pop().unwrap_or(name) } else { 0 }, time)
        };
        events.into_iter().map(&mut named).collect()
    })
}

proptest! {
    #[test]
    fn statistics_match_a_pairwise_count(
        tracks in prop::collection::vec((any::<bool>(), events()), 1..4),
        range in prop_oneof![Just(ALL), (90u64..400, 0u64..200).prop_map(|(from, length)| (from, from + length))],
        finished in any::<bool>(),
    ) {
        let stacking = |overlapping| if overlapping { Stacking::Overlapping } else { Stacking::Nested };
        let tracks: Vec<_> = tracks.into_iter().map(|(o, events)| (stacking(o), events)).collect();
        let mut store = store_of(&tracks);
        if finished {
            store.finish(false);
        }
        let all: Vec<u32> = (0..tracks.len() as u32).collect();
        let expected = by_hand(&store, range);
        let mut statistics = scanned(&store, range, &all);
        let f = statistics.functions(&store);
        let flame = flame(&mut statistics, &store, &[]);
        prop_assert_eq!(flame.total[0] as u64, covered_by_hand(&store, range));
        prop_assert_eq!(&f.name, &expected.keys().copied().collect::<Vec<_>>());
        for (i, (name, line)) in expected.iter().enumerate() {
            let found = (f.count[i] as u64, f.total[i] as u64, f.own[i] as u64, f.min[i] as u64, f.max[i] as u64);
            let durations = &line.durations;
            prop_assert_eq!(found, (line.count, line.total, line.own, durations[0], durations[durations.len() - 1]));
            let at = |percent| durations[rank_of(percent, line.count) as usize - 1];
            let mut exact = Exact::new(&store, question(range, &all), *name);
            let answer = std::iter::repeat_with(|| exact.step(&store, 10)).find_map(|found| found).unwrap();
            prop_assert_eq!(answer, Some(Percentiles { median: at(50), p90: at(90), p99: at(99) }));
            for (percent, about) in [(50, f.median[i]), (90, f.p90[i]), (99, f.p99[i])] {
                prop_assert!((about - at(percent) as f64).abs() <= 0.01 * about, "{percent} %: {about}");
            }
        }
        let summary = Summary::with_room(&store, &question(range, &all), 7);
        prop_assert_eq!(summary.covered, covered_by_hand(&store, range));
        let found = summary.functions.iter().map(|f| (f.name, (f.count, f.total, f.own, f.min, f.max, f.percentiles)));
        let wanted = expected.iter().map(|(name, line)| {
            let durations = &line.durations;
            let at = |percent| durations[rank_of(percent, line.count) as usize - 1];
            let percentiles = Percentiles { median: at(50), p90: at(90), p99: at(99) };
            (*name, (line.count, line.total, line.own, durations[0], durations[durations.len() - 1], percentiles))
        });
        prop_assert_eq!(found.collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
        let nothing = std::iter::repeat_with({
            let mut exact = Exact::new(&store, question(range, &all), 77);
            move || exact.step(&store, 10)
        });
        prop_assert_eq!({ nothing }.find_map(|found| found), Some(None));
    }

    #[test]
    fn exact_percentiles_of_durations_of_any_length(lengths in prop::collection::vec((any::<u64>(), 8u32..64), 1..300)) {
        let lengths: Vec<u64> = lengths.into_iter().map(|(length, shift)| length >> shift).collect();
        let mut time = 0;
        let mut events = Vec::new();
        for length in &lengths {
            events.push((true, 0, time));
            time += length;
            events.push((false, 0, time));
        }
        let mut store = store_of(&[(Stacking::Nested, events)]);
        store.finish(false);
        let mut sorted = lengths;
        sorted.sort_unstable();
        let at = |percent| sorted[rank_of(percent, sorted.len() as u64) as usize - 1];
        let mut exact = Exact::new(&store, question(ALL, &[0]), 0);
        let answer = std::iter::repeat_with(|| exact.step(&store, 1000)).find_map(|found| found).unwrap();
        prop_assert_eq!(answer, Some(Percentiles { median: at(50), p90: at(90), p99: at(99) }));
    }
}

#[test]
fn data_of_calls_is_summed_by_function_over_range_and_tracks() {
    let mut store = store(&[(Stacking::Nested, "+a@0 -a@2 +b@2 -b@4 +a@4 -a@9"), (Stacking::Nested, "+a@1 -a@3")]);
    let mut batch = EventBatch::with_capacity(8);
    let payload = |x, track, name, bytes| unspool_trace::batch::Payload { x, track, name, bytes };
    // In the order of their ends.
    batch.payloads.extend([
        payload(0, 0, 0, 5),
        payload(1, 1, 0, 100),
        payload(2, 0, 1, 7),
        payload(4, 0, 0, u64::MAX),
    ]);
    store.apply(&mut batch);
    for name in ["a", "b"] {
        batch.new_names.push(name.to_string().into());
    }
    batch.payloads.clear();
    store.apply(&mut batch);
    let bytes = |range, tracks: &[u32]| scanned(&store, range, tracks).functions(&store).bytes;
    assert_eq!(bytes((0, 4), &[0]), [5.0, 7.0]);
    assert_eq!(bytes((0, 4), &[0, 1]), [105.0, 7.0]);
    // A call that begins before the range has its data there.
    assert_eq!(bytes((1, 4), &[0]), [0.0, 7.0]);
    assert_eq!(bytes(ALL, &[0]), [u64::MAX as f64, 7.0]);
    assert!(store.bytes() >= 4 * size_of::<unspool_trace::batch::Payload>());
}
