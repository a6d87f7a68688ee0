use unspool_trace::TrackKind;

use super::*;

fn track(orphans: Orphans, start: Option<u64>) -> (Track, CallTree) {
    let def = TrackDef { orphans, start, ..TrackDef::new(TrackKind::Thread, "t") };
    (Track::new(def), CallTree::default())
}

/// Replays `+name@time` and `-name@time`.
pub(super) fn play(track: &mut Track, calls: &mut CallTree, text: &str) {
    for word in text.split_whitespace() {
        let (name, time) = word.get(1..).unwrap().split_once('@').unwrap();
        let (name, time) = (u32::from(name.as_bytes()[0]), time.parse().unwrap());
        match word.as_bytes()[0] {
            b'+' => track.begin(time, name, Locator::at(time), calls),
            _ => track.end(time, name, Locator::at(time), calls),
        };
    }
}

/// All slices as `depth:name start..end flags`.
pub(super) fn shown(track: &Track, calls: &CallTree) -> Vec<String> {
    let mut out = Vec::new();
    for (depth, column) in track.columns() {
        column.scan(0, usize::MAX, |_, s| {
            let name = char::from_u32(calls.name(s.node)).unwrap();
            out.push(format!("{depth}:{name} {}..{} {}", s.start, s.end, s.flags));
            true
        });
    }
    out
}

#[test]
fn calls_nest() {
    let (mut t, mut calls) = track(Orphans::FromStart, None);
    play(&mut t, &mut calls, "+a@1 +b@2 -b@3 +b@3 +c@4 -c@5 -b@6 -a@7");
    assert_eq!(shown(&t, &calls), ["0:a 1..7 0", "1:b 2..3 0", "1:b 3..6 0", "2:c 4..5 0"]);
    assert_eq!(t.extent(), Some((1, 7)));
    assert_eq!(calls.len(), 4, "both calls of b are one node");
}

#[test]
fn calls_begun_before_the_recording_enclose_earlier_slices() {
    let (mut t, mut calls) = track(Orphans::FromStart, Some(10));
    play(&mut t, &mut calls, "+c@11 -c@12 -b@13 +d@14 -d@15 -a@16 +e@17 -e@18");
    // a called b and d; b called c. After a returned, e takes the lowest depth.
    assert_eq!(shown(&t, &calls), ["-2:a 10..16 1", "-2:e 17..18 0", "-1:b 10..13 1", "-1:d 14..15 0", "0:c 11..12 0"]);
    assert_eq!((t.lowest(), t.rows()), (-2, 3));
    let counts: Vec<_> = t.problem_counts().map(|(k, c)| (k, c.count)).collect();
    assert_eq!(counts, [(&EXIT_WITHOUT_ENTER, 2)]);
}

#[test]
fn basic_mode_reaches_back_to_the_previous_event() {
    let (mut t, mut calls) = track(Orphans::FromPrevious, None);
    play(&mut t, &mut calls, "+a@1 -x@5 -a@9 -y@12");
    assert_eq!(shown(&t, &calls), ["0:a 1..9 0", "0:y 9..12 1", "1:x 1..5 1"]);
    // Within a recorded call nothing can have begun before the recording.
    let counts: Vec<_> = t.problem_counts().map(|(k, c)| (k, c.count)).collect();
    assert_eq!(counts, [(&EXIT_WITHOUT_ENTER, 1), (&ENTER_LOST, 1)]);
}

#[test]
fn an_end_further_down_closes_inner_slices() {
    let (mut t, mut calls) = track(Orphans::FromStart, Some(0));
    play(&mut t, &mut calls, "+a@1 +b@2 +c@3 -a@9 -z@12");
    // From then on the stack is unreliable: z reaches back to the previous event only.
    assert_eq!(shown(&t, &calls), ["0:a 1..9 0", "0:z 9..12 1", "1:b 2..9 12", "2:c 3..9 12"]);
}

/// Where a call was left without an end, what follows may have been called by any caller of it.
#[test]
fn what_is_within_a_call_without_an_end_is_uncertain() {
    let (mut t, mut calls) = track(Orphans::FromStart, Some(0));
    play(&mut t, &mut calls, "+a@1 +d@2 +e@3 -e@4 -d@5 +b@6 +c@7 -c@8 +d@9 +e@10 -e@11 -a@12 +a@13 +d@14 -d@15 -a@16");
    assert_eq!(
        shown(&t, &calls),
        [
            "0:a 1..12 0",
            "0:a 13..16 0",
            "1:d 2..5 0",
            "1:b 6..12 12",
            "1:d 14..15 0",
            "2:e 3..4 0",
            "2:c 7..8 8",
            "2:d 9..12 12",
            "3:e 10..11 8",
        ]
    );
    // Also where the end is that of a certain slice.
    let (mut t, mut calls) = track(Orphans::FromStart, Some(0));
    play(&mut t, &mut calls, "+a@1 +b@2 +c@3 -c@4");
    t.end_of(5, b'a'.into(), Locator::at(1));
    assert_eq!(shown(&t, &calls), ["0:a 1..5 0", "1:b 2..5 12", "2:c 3..4 8"]);
}

#[test]
fn calls_nested_too_deep_are_counted_and_not_shown() {
    let (mut t, mut calls) = track(Orphans::FromStart, Some(0));
    let deep = SHOWN as u64 + 50;
    for i in 1..=deep {
        t.begin(i, b'a'.into(), Locator::at(i), &mut calls);
    }
    assert_eq!((t.rows() as usize, t.slices() as usize), (SHOWN, SHOWN));
    for i in 1..deep {
        t.end(deep + i, b'a'.into(), Locator::at(i), &mut calls);
    }
    play(&mut t, &mut calls, "+b@90000 -b@90001");
    t.finish(90_002);
    let counts: Vec<_> = t.problem_counts().map(|(k, c)| (k, c.count)).collect();
    assert_eq!(counts, [(&TOO_DEEP, 1)]);
    let first = shown(&t, &calls);
    assert_eq!(first[..3], ["0:a 1..90002 2", "1:a 2..20099 0", "1:b 90000..90001 0"], "hidden calls end first");
}

#[test]
fn a_call_at_the_limit_is_hidden_in_any_portions() {
    let (mut t, mut calls) = track(Orphans::FromStart, Some(0));
    for i in 1..=SHOWN as u64 {
        t.begin(i, b'a'.into(), Locator::at(i), &mut calls);
    }
    let mut batch = EventBatch::with_capacity(4);
    batch.push(EventKind::Begin, 0, 20_000, b'b'.into(), Locator::at(1));
    batch.push(EventKind::End, 0, 20_001, b'b'.into(), Locator::at(2));
    assert_eq!(t.run(&Run::of(&batch, 0..2), &mut calls), 0);
}

#[test]
fn callers_from_before_the_recording_have_a_limit_too() {
    let (mut t, mut calls) = track(Orphans::FromStart, Some(0));
    for i in 1..SHOWN as u64 + 50 {
        t.end(i, b'a'.into(), Locator::at(i), &mut calls);
    }
    assert_eq!(t.lowest(), -(SHOWN as i32));
    let (mut t, mut calls) = lifetimes();
    for i in 1..SHOWN as u64 + 50 {
        t.begin(i, i as u32, Locator::at(i), &mut calls);
    }
    assert_eq!(t.rows() as usize, SHOWN);
    for name in 1..SHOWN as u32 + 50 {
        t.end(30_000, name, Locator::at(0), &mut calls);
    }
    assert_eq!((t.open().count(), t.slices() as usize), (0, SHOWN));
    for i in 0..SHOWN as u64 + 50 {
        t.end(40_000, i as u32, Locator::at(i), &mut calls);
    }
    assert_eq!(t.lowest(), -(SHOWN as i32));
}

#[test]
fn an_orphan_end_does_not_move_open_calls() {
    let (mut t, mut calls) = track(Orphans::FromStart, Some(0));
    play(&mut t, &mut calls, "+a@1 -z@5 +b@6 -b@7");
    t.finish(20);
    assert_eq!(shown(&t, &calls), ["0:a 1..20 2", "1:z 1..5 1", "1:b 6..7 0"]);
}

#[test]
fn a_clock_that_goes_back_keeps_columns_sorted() {
    let (mut t, mut calls) = track(Orphans::FromStart, Some(0));
    play(&mut t, &mut calls, "+a@10 -a@20 +b@15 -b@30");
    assert_eq!(shown(&t, &calls), ["0:a 10..20 0", "0:b 20..30 0"]);
    assert_eq!(t.problem_counts().count(), 1);
}

fn lifetimes() -> (Track, CallTree) {
    let def = TrackDef { stacking: Stacking::Overlapping, ..TrackDef::new(TrackKind::Lane, "buffers") };
    (Track::new(def), CallTree::default())
}

#[test]
fn lifetimes_take_the_lowest_free_depth_and_end_one_by_one() {
    let (mut t, mut calls) = lifetimes();
    play(&mut t, &mut calls, "+a@1 +b@2 +c@3 -a@4 +d@4 +e@5 -c@6 -b@7 +f@7 -d@9 -e@9 +g@9 -f@10 -g@10");
    assert_eq!(
        shown(&t, &calls),
        ["0:a 1..4 0", "0:d 4..9 0", "0:g 9..10 0", "1:b 2..7 0", "1:f 7..10 0", "2:c 3..6 0", "3:e 5..9 0"]
    );
    assert_eq!((t.problem_counts().count(), t.slices(), t.rows()), (0, 7, 4));
    assert!((1..calls.len() as u32).all(|node| calls.parent(node) == ROOT), "none called another");
}

#[test]
fn an_open_lifetime_keeps_its_position() {
    let (mut t, mut calls) = lifetimes();
    play(&mut t, &mut calls, "+a@1 +b@2 +c@3 -b@4");
    let open: Vec<_> = t.open().map(|o| o.depth).collect();
    assert_eq!((open, t.rows()), (vec![0, 2], 3));
    assert_eq!(t.slice(2, 0, 50).map(|s| (s.start, s.end, s.flags)), Some((3, 50, NEVER_ENDED)));
    t.finish(60);
    assert_eq!(shown(&t, &calls), ["0:a 1..60 2", "1:b 2..4 0", "2:c 3..60 2"]);
    assert_eq!(t.open().count(), 0);
}

#[test]
fn lifetimes_may_begin_before_the_recording_or_twice() {
    let (mut t, mut calls) = lifetimes();
    play(&mut t, &mut calls, "+a@1 -z@3 +b@4 +a@6 -b@7 -a@8 -y@9");
    assert_eq!(shown(&t, &calls), ["-2:y 1..9 1", "-1:z 1..3 1", "0:a 1..6 4", "0:a 6..8 0", "1:b 4..7 0"]);
    let counts: Vec<_> = t.problem_counts().map(|(k, c)| (k, c.count)).collect();
    assert_eq!(counts, [(&EXIT_WITHOUT_ENTER, 2)]);
}

#[test]
fn a_restart_keeps_only_the_definition() {
    let (mut t, mut calls) = track(Orphans::FromStart, Some(50));
    play(&mut t, &mut calls, "+a@60 -z@61");
    let version = t.version;
    t.restart(5);
    play(&mut t, &mut calls, "-a@8");
    assert_eq!(shown(&t, &calls), ["-1:a 5..8 1"]);
    assert_eq!(t.slices(), 1);
    assert!(t.version > version);
}

#[test]
fn an_open_slice_keeps_its_position() {
    let (mut t, mut calls) = track(Orphans::FromStart, None);
    play(&mut t, &mut calls, "+a@1 +b@2 -b@3 +b@4");
    let open = t.slice(1, 1, 100).unwrap();
    assert_eq!((open.start, open.end, open.flags), (4, 100, NEVER_ENDED));
    play(&mut t, &mut calls, "-b@9");
    assert_eq!(t.slice(1, 1, 100).map(|s| s.end), Some(9));
    assert_eq!(t.slice(1, 2, 100), None);
}
