//! Calls one by one: lists of a function's calls, and calls in the order of time.

use super::*;
use crate::jobs::{Job, Step};
use crate::statistics::calls::MOST_BY_DURATION;

fn listed_calls(store: &Store, name: u32, durations: (u64, u64), view: CallsView) -> CallColumns {
    listed_in(store, ALL, name, durations, view, None).1
}

fn listed_in(
    store: &Store,
    range: (u64, u64),
    name: u32,
    durations: (u64, u64),
    view: CallsView,
    previous: Option<Calls>,
) -> (Calls, CallColumns) {
    let tracks = (0..store.tracks.len() as u32).collect::<Vec<_>>();
    let question = CallsQuestion { range: question(range, &tracks), name, path: Vec::new(), durations };
    let mut job = Calls::new(store, question, view, previous);
    while job.step(store, 100) == Step::More {}
    assert_eq!(job.progress().done, job.progress().of);
    let columns = job.found(store).unwrap();
    (job, columns)
}

/// Start, track, depth, index and duration of all calls of a name, in the order of starts.
fn by_visiting(store: &Store, (from, to): (u64, u64), name: u32) -> Vec<(u64, u32, i32, u32, u64)> {
    let mut all = Vec::new();
    for (id, track) in (0..).zip(&store.tracks) {
        for (depth, column) in track.columns() {
            column.scan(0, usize::MAX, |index, s| {
                if store.calls.name(s.node) == name && s.start < to && (s.end > from || s.start >= from) {
                    all.push((s.start, id, depth, index as u32, s.end - s.start));
                }
                true
            });
        }
    }
    all.sort_unstable();
    all
}

fn found(columns: &CallColumns) -> Vec<(u64, u32, i32, u32, u64)> {
    let row = |i: usize| {
        let duration = columns.end[i] - columns.start[i];
        (columns.start[i], columns.track[i], columns.depth[i], columns.index[i], duration)
    };
    (0..columns.start.len()).map(row).collect()
}

const ANY: (u64, u64) = (0, u64::MAX);

fn view(order: CallOrder, first: u64, rows: u32) -> CallsView {
    CallsView { order, first, rows, of: None }
}

proptest! {
    #[test]
    fn lists_match_a_visit_of_every_slice(
        tracks in prop::collection::vec((any::<bool>(), events()), 1..4),
        range in prop_oneof![Just(ALL), (90u64..400, 0u64..200).prop_map(|(from, length)| (from, from + length))],
        durations in prop_oneof![Just(ANY), (0u64..10, 0u64..20).prop_map(|(least, more)| (least, least + more))],
        name in 0u32..4,
        (first, rows) in (0u64..20, 1u32..20),
    ) {
        let stacking = |overlapping| if overlapping { Stacking::Overlapping } else { Stacking::Nested };
        let tracks: Vec<_> = tracks.into_iter().map(|(o, events)| (stacking(o), events)).collect();
        let mut store = store_of(&tracks);
        store.finish(false);
        let all = by_visiting(&store, range, name);
        let mut expected: Vec<_> =
            all.iter().copied().filter(|call| (durations.0..=durations.1).contains(&call.4)).collect();
        let (job, columns) = listed_in(&store, range, name, durations, view(CallOrder::Start, 0, 1000), None);
        prop_assert_eq!((columns.all, columns.chosen, columns.listed), (all.len() as u64, expected.len() as u64, expected.len() as u64));
        prop_assert_eq!(&found(&columns), &expected);
        let counted: u64 = columns.bucket.iter().map(|(.., count)| count).sum();
        prop_assert_eq!(counted, columns.all);
        for (low, above, count) in &columns.bucket {
            let within = all.iter().filter(|call| (*low..*above).contains(&call.4)).count();
            prop_assert_eq!(within as u64, *count);
        }
        // A window of it, from the same scan.
        let again = job.progress();
        let (mut job, columns) = listed_in(&store, range, name, durations, view(CallOrder::Start, first, rows), Some(job));
        prop_assert_eq!(job.progress(), again);
        let window: Vec<_> = expected.iter().copied().skip(first as usize).take(rows as usize).collect();
        prop_assert_eq!(found(&columns), window);
        // The place of each call, and of every other slice.
        for (id, track) in (0..).zip(&store.tracks) {
            for (depth, column) in track.columns() {
                column.scan(0, usize::MAX, |index, s| {
                    let of = Some((id, depth, index as u32));
                    let (same, columns) = listed_in(
                        &store, range, name, durations, CallsView { of, ..CallsView::default() }, Some(std::mem::replace(
                            &mut job, Calls::new(&store, CallsQuestion { range: question((0, 0), &[]), name, path: Vec::new(), durations }, CallsView::default(), None)
                        )),
                    );
                    job = same;
                    let before = |call: &&(u64, u32, i32, u32, u64)| (call.0, call.1, call.2, call.3) < (s.start, id, depth, index as u32);
                    let rank = expected.iter().filter(before).count() as u64;
                    let within = expected.iter().any(|call| (call.1, call.2, call.3) == (id, depth, index as u32));
                    assert_eq!((columns.at, columns.found), (rank, within));
                    true
                });
            }
        }
        expected.sort_by_key(|call| (call.4, call.0));
        let ascending = |columns: &CallColumns| found(columns).iter().map(|call| (call.4, call.0)).collect::<Vec<_>>();
        let (job, columns) = listed_in(&store, range, name, durations, view(CallOrder::Shortest, 0, 1000), Some(job));
        prop_assert_eq!(ascending(&columns), expected.iter().map(|call| (call.4, call.0)).collect::<Vec<_>>());
        expected.sort_by_key(|call| (std::cmp::Reverse(call.4), call.0));
        let (_, columns) = listed_in(&store, range, name, durations, view(CallOrder::Longest, 0, 1000), Some(job));
        prop_assert_eq!(ascending(&columns), expected.iter().map(|call| (call.4, call.0)).collect::<Vec<_>>());
    }
}

#[test]
fn lists_by_duration_hold_the_extremes_of_many_calls() {
    let store = program(3, 400_000);
    let all = by_visiting(&store, ALL, 3);
    assert!(all.len() > 4 * MOST_BY_DURATION);
    for (order, sign) in [(CallOrder::Longest, -1), (CallOrder::Shortest, 1)] {
        let mut expected: Vec<_> = all.iter().map(|call| (i128::from(call.4) * sign, call.0)).collect();
        expected.sort_unstable();
        expected.truncate(MOST_BY_DURATION);
        let columns = listed_calls(&store, 3, ANY, view(order, 0, u32::MAX));
        let found: Vec<_> = found(&columns).iter().map(|call| (i128::from(call.4) * sign, call.0)).collect();
        assert!(found == expected);
        assert_eq!((columns.chosen, columns.listed), (all.len() as u64, MOST_BY_DURATION as u64));
    }
    // The others are reached by their durations.
    let middle = all.iter().filter(|call| call.4 == 1500).count() as u64;
    let columns = listed_calls(&store, 3, (1500, 1500), view(CallOrder::Longest, 0, 10));
    assert_eq!((columns.all, columns.chosen, columns.listed), (all.len() as u64, middle, middle));
}

#[test]
fn many_calls_at_one_tick_are_in_the_order_of_their_columns() {
    // 1000 calls without duration at one time, on each of two threads.
    let events: Vec<Event> = (0..2000).map(|i| (i % 2 == 0, 0, 50)).collect();
    let mut store = store_of(&[(Stacking::Nested, events.clone()), (Stacking::Nested, events)]);
    store.finish(false);
    for first in [0, 1, 999, 1000, 1001, 1999, 2000] {
        let columns = listed_calls(&store, 0, ANY, view(CallOrder::Start, first, 2));
        let expected: Vec<_> = (first..2000).take(2).map(|i| (50, i as u32 / 1000, 0, i as u32 % 1000, 0)).collect();
        assert_eq!(found(&columns), expected);
    }
}

#[test]
fn a_slice_outside_of_the_range_has_its_place_by_start() {
    // The first thread has nothing in the range; calls of the second begin with it.
    let mut store = store(&[(Stacking::Nested, "+b@10 -b@20"), (Stacking::Nested, "+a@10 -a@40 +a@40 -a@50")]);
    store.finish(false);
    let of = Some((0, 0, 0));
    let (_, columns) = listed_in(&store, (30, 60), 0, ANY, CallsView { of, ..CallsView::default() }, None);
    assert_eq!((columns.chosen, columns.at, columns.found), (2, 0, false));
}

#[test]
fn a_list_is_made_anew_after_it_was_released() {
    let store = program(1, 10_000);
    let (mut job, columns) = listed_in(&store, ALL, 1, ANY, view(CallOrder::Start, 0, 5), None);
    assert!(job.bytes() > 10_000);
    job.release();
    assert!(job.bytes() < 100 && job.found(&store).is_none(), "{} bytes", job.bytes());
    let (_, again) = listed_in(&store, ALL, 1, ANY, view(CallOrder::Start, 0, 5), Some(job));
    assert_eq!(again, columns);
}

fn drawn_in_order(store: &Store, range: (u64, u64), transforms: &[Transform]) -> TimeOrderColumns {
    let tracks = (0..store.tracks.len() as u32).collect::<Vec<_>>();
    let mut job = TimeOrder::new(store, question(range, &tracks), transforms.to_vec());
    assert!(job.found().is_none());
    while job.step(store, 10) == Step::More {}
    assert_eq!(job.progress().done, job.progress().of);
    job.found().unwrap().clone()
}

/// `row name start..end`, rectangle by rectangle.
fn rects(columns: &TimeOrderColumns) -> Vec<String> {
    let name = |i: usize| char::from_u32(columns.name[i] + 97).unwrap();
    let line = |i: usize| format!("{} {} {}..{}", columns.row[i], name(i), columns.start[i], columns.end[i]);
    (0..columns.row.len()).map(line).collect()
}

#[test]
fn calls_are_drawn_in_the_order_of_time() {
    let calls = "+a@0 +b@10 +a@12 +c@14 -c@16 -a@18 -b@20 +c@30 -c@40 -a@100";
    let mut store = store(&[(Stacking::Nested, calls), (Stacking::Nested, "+d@50 -d@60")]);
    store.finish(false);
    let whole = drawn_in_order(&store, ALL, &[]);
    assert_eq!((whole.from, whole.width, whole.partial), (0, 100.0, false));
    assert_eq!((&whole.tracks[..], &whole.rows[..]), (&[0, 1][..], &[4, 1][..]));
    assert_eq!(rects(&whole), ["0 a 0..100", "1 b 10..20", "1 c 30..40", "2 a 12..18", "3 c 14..16", "4 d 50..60"]);
    assert_eq!((whole.track[5], whole.depth[5], whole.index[5]), (1, 0, 0));
    let collapsed = drawn_in_order(&store, ALL, &[Transform::Collapse]);
    assert_eq!(rects(&collapsed), ["0 a 0..100", "1 b 10..20", "1 c 30..40", "2 c 14..16", "3 d 50..60"]);
    let focused = drawn_in_order(&store, ALL, &[Transform::Focus(vec![1])]);
    assert_eq!(
        (rects(&focused), &focused.tracks[..]),
        (["0 b 10..20", "1 a 12..18", "2 c 14..16"].map(String::from).to_vec(), &[0][..])
    );
    let hidden = drawn_in_order(&store, (15, 35), &[Transform::Hide(vec![0])]);
    assert_eq!((hidden.from, hidden.width), (15, 20.0));
    assert_eq!(rects(&hidden), ["0 b 0..5", "0 c 15..20", "1 c 0..1"]);
    assert_eq!(rects(&drawn_in_order(&store, ALL, &[Transform::Only(vec![3])])), ["0 d 50..60"]);
}

#[test]
fn unrecorded_callers_take_part_in_transforms() {
    let mut store = store(&[(Stacking::Nested, "+c@11 -c@12 -b@13 +d@14 -d@15 -a@16")]);
    store.finish(false);
    let plain = drawn_in_order(&store, ALL, &[]);
    assert_eq!(rects(&plain), ["0 a 0..5", "1 b 0..2", "1 d 3..4", "2 c 0..1"]);
    let hidden = drawn_in_order(&store, ALL, &[Transform::Hide(vec![0])]);
    assert_eq!(rects(&hidden), ["0 b 0..2", "0 d 3..4", "1 c 0..1"]);
}

#[test]
fn many_short_calls_are_merged_into_as_many_rectangles_as_there_are_steps() {
    let store = program(2, 400_000);
    for transforms in [&[][..], &[Transform::Collapse], &[Transform::Hide(vec![0])]] {
        let columns = drawn_in_order(&store, ALL, transforms);
        assert!(!columns.partial);
        assert!(columns.row.len() < 2 * 2 * 3 * 4096, "{} rectangles", columns.row.len());
        assert!(columns.index.contains(&u32::MAX));
        for i in 1..columns.row.len() {
            assert!(columns.row[i - 1] < columns.row[i] || columns.end[i - 1] <= columns.start[i], "overlap");
        }
        // The same time is covered in each row, to within a step.
        let covered: f64 = (0..columns.row.len())
            .filter(|i| columns.row[*i] == 0)
            .map(|i| (columns.end[i] - columns.start[i]) * f64::from(columns.fill[i]) / 255.0)
            .sum();
        let busy: u64 = {
            let mut busy = 0;
            store.for_each_slice(0, |_, _, s| {
                let depth = if transforms.contains(&Transform::Hide(vec![0])) { 1 } else { 0 };
                busy += if (store.calls.name(s.node) == 0) == (depth == 0) { s.end - s.start } else { 0 };
            });
            busy
        };
        assert!((covered - busy as f64).abs() < 0.02 * busy as f64, "{covered}, exactly {busy}");
    }
}

fn sorted(mut starts: Vec<u64>) -> Vec<u64> {
    starts.sort_unstable();
    starts
}

/// Starts of the longest calls of a path.
fn longest_of(store: &Store, path: &[u32]) -> Vec<u64> {
    let tracks = (0..store.tracks.len() as u32).collect::<Vec<_>>();
    let name = *path.last().unwrap();
    let question = CallsQuestion { range: question(ALL, &tracks), name, path: path.to_vec(), durations: ANY };
    let mut job = Calls::new(store, question, view(CallOrder::Longest, 0, 10), None);
    while job.step(store, 1) == Step::More {}
    job.found(store).unwrap().start
}

#[test]
fn calls_can_be_those_of_one_path() {
    let mut store = store(&[(Stacking::Nested, CALLS)]);
    store.finish(false);
    let [a, b, c] = [0, 1, 2];
    assert_eq!(longest_of(&store, &[a, b]), [30, 10]);
    assert_eq!(longest_of(&store, &[b, b]), [110]);
    assert_eq!(longest_of(&store, &[b]), [100]);
    assert_eq!(longest_of(&store, &[a, b, c]), [35]);
    assert_eq!(longest_of(&store, &[c]), [0u64; 0]);
    // From one caller, wherever that was called from.
    assert_eq!(longest_of(&store, &[ANYWHERE, a, b]), [30, 10]);
    assert_eq!(longest_of(&store, &[ANYWHERE, b, b]), [110]);
    assert_eq!(longest_of(&store, &[ANYWHERE, b, c]), [35]);
    assert_eq!(longest_of(&store, &[ANYWHERE, a, c]), [0u64; 0]);
}

#[test]
fn calls_of_a_path_are_found_below_unrecorded_callers() {
    // On the second thread a called b, which called c; the begins of a and b are missing. The third
    // one is in z.
    let within = "+c@11 -c@12 -b@13 +d@14 -d@15 -a@16 +e@17 -e@19";
    let mut store = store(&[
        (Stacking::Nested, "+a@1 +b@2 +c@3 -c@9 -b@9 -a@9"),
        (Stacking::Nested, within),
        (Stacking::Nested, "+c@21 -c@26 -b@27 -z@28"),
    ]);
    store.finish(false);
    let [a, b, c, d, e, z] = [0, 1, 2, 3, 4, 25];
    assert_eq!(longest_of(&store, &[a, b, c]), [3, 11]);
    assert_eq!(longest_of(&store, &[z, b, c]), [21]);
    assert_eq!(longest_of(&store, &[a, d]), [14]);
    assert_eq!(longest_of(&store, &[b, c]), [0u64; 0]);
    assert_eq!(longest_of(&store, &[e]), [17]);
    // The unrecorded callers themselves.
    assert_eq!(longest_of(&store, &[a, b]), [2, 11]);
    for (caller, callee, starts) in
        [(b, c, &[3, 11, 21][..]), (a, d, &[14]), (a, b, &[2, 11]), (z, b, &[21]), (c, d, &[]), (b, d, &[])]
    {
        assert_eq!(sorted(longest_of(&store, &[ANYWHERE, caller, callee])), starts, "{caller} to {callee}");
    }
}
