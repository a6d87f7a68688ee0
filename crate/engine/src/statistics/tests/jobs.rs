//! Scans as jobs: what is reused, what is counted, what is freed.

use super::*;
use crate::jobs::{Job, Progress, Step};

fn scan(store: &Store, range: (u64, u64), previous: Option<Scan>) -> Scan {
    Scan::new(store, question(range, &[0, 1]), Wanted { functions: true, ..Wanted::default() }, previous)
}

fn finished(store: &Store, mut scan: Scan) -> Scan {
    while scan.step(store, 1000) == Step::More {}
    scan
}

#[test]
fn a_repeated_question_is_not_scanned_again() {
    let store = program(2, 10_000);
    let done = finished(&store, scan(&store, ALL, None));
    let slices = done.progress().of;
    assert_eq!(done.progress(), Progress { done: slices, of: slices });
    assert!(slices > 1000);

    let again = scan(&store, ALL, Some(done));
    assert_eq!(again.progress().done, slices, "nothing is left to do");
    let other = scan(&store, (0, 5000), Some(again));
    assert!(other.progress().done < other.progress().of);
    let mut cancelled = finished(&store, other);
    cancelled.release();
    assert!(cancelled.part(&store).is_none());
    let anew = scan(&store, (0, 5000), Some(cancelled));
    assert!(anew.progress().done < anew.progress().of, "a released scan has no answer");
}

#[test]
fn a_scan_is_not_reused_for_a_trace_that_grows() {
    let mut store = store(&[(Stacking::Nested, "+a@1 +b@2 -b@3 -a@4 +c@5 -c@7")]);
    let done = finished(&store, scan(&store, ALL, None));
    let mut again = scan(&store, ALL, Some(done));
    assert!(again.progress().done < again.progress().of);
    assert!(again.part(&store).is_none(), "nothing is sampled yet");
    let done = finished(&store, again);
    store.finish(false);
    let again = scan(&store, ALL, Some(done));
    assert!(again.progress().done < again.progress().of);
}

#[test]
fn a_part_has_the_wanted_figures() {
    let store = program(2, 1000);
    let mut previous = None;
    for i in 0..8 {
        let wanted = Wanted {
            functions: i & 1 != 0,
            flame: (i & 2 != 0).then(|| FlameView::Down { path: Vec::new() }),
            tree: (i & 4 != 0).then(TreeView::default),
            ..Wanted::default()
        };
        // The figures of one and the same scan.
        let scan = Scan::new(&store, question(ALL, &[0, 1]), wanted, previous.take());
        assert_eq!(scan.progress().done > 0, i > 0);
        let mut scan = finished(&store, scan);
        let part = scan.part(&store).unwrap();
        assert!(part.exact && part.complete);
        let has = [part.functions.is_some(), part.flames.is_some(), part.tree.is_some()];
        assert_eq!(has, [i & 1 != 0, i & 2 != 0, i & 4 != 0]);
        previous = Some(scan);
    }
}

#[test]
fn a_flame_graph_is_made_step_by_step() {
    let store = program(2, 1000);
    for view in [FlameView::Up { path: Vec::new() }, FlameView::Sandwich { name: 1 }] {
        let wanted = Wanted { flame: Some(view.clone()), ..Wanted::default() };
        let mut scan = Scan::new(&store, question(ALL, &[0, 1]), wanted, None);
        let (mut last, mut growing) = (0, 0);
        // Each step visits a slice, or does the work of a node at least.
        while Job::step(&mut scan, &store, 1) == Step::More {
            let Progress { done, of } = scan.progress();
            assert!(done >= last && done <= of, "{done} of {of} after {last}");
            last = done;
            if scan.part(&store).is_some_and(|part| part.exact && part.flames.is_some()) {
                growing += 1;
            }
        }
        assert!(growing > 0, "what is asked in between ends nothing");
        assert_eq!(scan.progress().done, scan.progress().of);
        let whole = scanned(&store, ALL, &[0, 1]).flames(&store, &view, &[]);
        assert_eq!(scan.part(&store).unwrap().flames, Some(whole));
    }
}

#[test]
fn a_flame_graph_starts_over_with_its_scan() {
    for view in [FlameView::Down { path: Vec::new() }, FlameView::Up { path: Vec::new() }] {
        let mut store = store(&[(Stacking::Nested, "+a@1 +b@2 -b@3 +c@4 -c@6 +d@7 -d@8")]);
        let wanted = Wanted { flame: Some(view.clone()), ..Wanted::default() };
        let mut scan = Scan::new(&store, question(ALL, &[0, 1]), wanted, None);
        // All slices so far are visited, and the graph is begun.
        while scan.progress().done < scan.progress().of {
            assert_eq!(Job::step(&mut scan, &store, 1), Step::More);
        }
        // Further calls, and the end of the trace.
        let mut batch = EventBatch::with_capacity(2);
        batch.push(EventKind::Begin, 0, 9, 4, Locator::default());
        batch.push(EventKind::End, 0, 20, 4, Locator::default());
        store.apply(&mut batch);
        store.finish(false);
        let scan = &mut finished(&store, scan);
        let whole = scanned(&store, ALL, &[0, 1]).flames(&store, &view, &[]);
        assert_eq!(scan.part(&store).unwrap().flames, Some(whole), "{view:?}");
    }
}

#[test]
fn call_paths_are_kept_while_their_transforms_are_the_same() {
    let store = program(2, 1000);
    let wanted = |transforms: &[Transform], flame: bool| Wanted {
        flame: flame.then(|| FlameView::Down { path: Vec::new() }),
        transforms: transforms.to_vec(),
        ..Wanted::default()
    };
    let widths = |scan: &mut Scan| scan.part(&store).unwrap().flames.unwrap().flame.name;
    let scan = finished(&store, Scan::new(&store, question(ALL, &[0, 1]), wanted(&[], false), None));
    let without = scan.bytes();
    let mut scan = Scan::new(&store, question(ALL, &[0, 1]), wanted(&[], true), Some(scan));
    assert_eq!(widths(&mut scan), [u32::MAX, 0, 3, 2, 1]);
    assert!(scan.bytes() > without, "they are counted");
    let mut scan = Scan::new(&store, question(ALL, &[0, 1]), wanted(&[Transform::Hide(vec![0])], true), Some(scan));
    assert_eq!(widths(&mut scan), [u32::MAX, 3, 2, 1]);
    let mut scan = Scan::new(&store, question(ALL, &[0, 1]), wanted(&[], false), Some(scan));
    assert!(scan.part(&store).is_some());
    assert_eq!(scan.bytes(), without, "and freed when nothing needs them");
}

#[test]
fn percentiles_count_the_slices_of_all_their_scans() {
    let store = program(2, 10_000);
    let mut exact = Exact::new(&store, question(ALL, &[0, 1]), 1);
    let slices = scan(&store, ALL, None).progress().of;
    assert_eq!(exact.progress(), Progress { done: 0, of: 2 * slices });
    let mut last = 0;
    while Job::step(&mut exact, &store, 1000) == Step::More {
        let Progress { done, of } = exact.progress();
        assert!(done >= last + 1000 && done <= of, "{done} of {of} after {last}");
        assert_eq!(of % slices, 0);
        last = done;
    }
    let Progress { done, of } = exact.progress();
    assert_eq!((done, of % slices), (of, 0));
    let found = exact.found().unwrap();
    assert!(found.is_some());
    // A further step changes nothing.
    assert_eq!((Job::step(&mut exact, &store, 1000), exact.found()), (Step::Done, Some(found)));
    assert_eq!(exact.progress(), Progress { done, of });
}

#[test]
fn released_jobs_hold_next_to_nothing() {
    let store = program(2, 100_000);
    let mut scan = finished(&store, scan(&store, ALL, None));
    let mut exact = Exact::new(&store, question(ALL, &[0, 1]), 1);
    assert!(scan.bytes() > 1000 && exact.bytes() > 10_000, "{} and {}", scan.bytes(), exact.bytes());
    scan.release();
    exact.release();
    assert!(scan.bytes() + exact.bytes() < 100, "{} and {}", scan.bytes(), exact.bytes());
}
