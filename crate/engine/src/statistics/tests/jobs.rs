//! Scans as jobs: what is reused, what is counted, what is freed.

use super::*;
use crate::jobs::{Job, Progress, Step};

fn scan(store: &Store, range: (u64, u64), previous: Option<Scan>) -> Scan {
    Scan::new(store, question(range, &[0, 1]), true, None, previous)
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
    for (functions, flame) in [(true, None), (false, Some(ROOT)), (true, Some(ROOT))] {
        let part = |scan: &mut Scan| scan.part(&store).unwrap();
        let mut scan = finished(&store, Scan::new(&store, question(ALL, &[0, 1]), functions, flame, None));
        let first = part(&mut scan);
        assert!(first.exact && first.complete);
        assert_eq!((first.functions.is_some(), first.flame.is_some()), (functions, flame.is_some()));
        // The other figures of the same scan.
        let mut scan = Scan::new(&store, question(ALL, &[0, 1]), !functions, None, Some(scan));
        assert_eq!(part(&mut scan).functions.is_some(), !functions);
    }
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
