//! Statistics of what calls weigh.

use std::sync::Arc;

use unspool_trace::batch::{Key, Name, SliceKind};

use super::*;

/// Two tracks with calls named `b` and `c`, some of them in a group `a`. As in an apitrace, a group
/// begins with its first call.
fn grouped() -> Store {
    let mut store = store(&[
        (Stacking::Nested, "+a@0 +b@0 -b@1 +c@1 -c@2 +b@2 -b@3 -a@3 +c@3 -c@4"),
        (Stacking::Nested, "+c@4 +b@5 -b@6 -c@7"),
    ]);
    let mut batch = EventBatch::with_capacity(1);
    for (text, kind) in [("group", SliceKind::Group), ("b", SliceKind::Call), ("c", SliceKind::Call)] {
        batch.new_names.push(Name { text: text.into(), kind, key: Key::default() });
    }
    store.apply(&mut batch);
    store
}

fn weights(of: &[(u64, u64)]) -> Option<Arc<Weights>> {
    let (at, weights) = of.iter().copied().unzip();
    Some(Arc::new(Weights::new(at, weights)))
}

fn weighed(store: &Store, range: (u64, u64), of: &[(u64, u64)]) -> Statistics {
    let mut statistics = Statistics::new(store, question(range, &[0, 1])).weighed(weights(of));
    assert!(!statistics.can_estimate(), "weights are not estimated");
    while !statistics.step(store, 1) {}
    statistics
}

/// Names with total, self and count, from the root on.
fn nodes(statistics: &mut Statistics, store: &Store) -> Vec<(u32, f64, f64, f64)> {
    let graph = flame(statistics, store, &[]);
    (0..graph.name.len()).map(|i| (graph.name[i], graph.total[i], graph.own[i], graph.count[i])).collect()
}

#[test]
fn calls_weigh_what_was_measured() {
    let store = grouped();
    // No call begins at 9.
    let mut found = weighed(&store, ALL, &[(0, 100), (2, 10), (4, 7), (5, 30), (9, 1000)]);
    let expected = [
        (u32::MAX, 147.0, 0.0, 3.0),
        (0, 110.0, 0.0, 1.0),
        // The call of c in the group was not measured: it is left out, not shown as 0.
        (1, 110.0, 110.0, 2.0),
        // The call that contains another one has the weight of that, too.
        (2, 37.0, 7.0, 2.0),
        (1, 30.0, 30.0, 1.0),
    ];
    assert_eq!(nodes(&mut found, &store), expected);
    assert_eq!(found.unmeasured(), Some(2), "of six calls; a group is none");
    assert_eq!(scanned(&store, ALL, &[0, 1]).unmeasured(), None);
}

#[test]
fn a_range_has_the_weights_of_its_calls() {
    let store = grouped();
    let mut found = weighed(&store, (1, 6), &[(0, 100), (2, 10), (4, 7), (5, 30), (6, 1)]);
    assert_eq!(nodes(&mut found, &store)[0].1, 47.0, "b at 2, c at 4 and b at 5");
    assert_eq!(found.unmeasured(), Some(2), "c at 1 and c at 3");
    // The call that began before the range, and goes on in it, has its whole weight.
    let mut found = weighed(&store, (6, 7), &[(4, 7), (5, 30)]);
    assert_eq!((nodes(&mut found, &store)[0].1, found.unmeasured()), (7.0, Some(0)));
}

#[test]
fn new_weights_need_a_new_scan() {
    let store = grouped();
    let wanted = |weights| Wanted { flame: Some(FlameView::Down { path: Vec::new() }), weights, ..Wanted::default() };
    let total = |store: &Store, scan: &mut Scan| {
        while crate::jobs::Job::step(scan, store, 100) == crate::jobs::Step::More {}
        let part = scan.part(store).unwrap();
        (part.flames.unwrap().flame.total[0], part.unmeasured)
    };
    let mut scan = Scan::new(&store, question(ALL, &[0, 1]), wanted(None), None);
    assert_eq!(total(&store, &mut scan), (7.0, None), "without weights there are durations");
    let mut scan = Scan::new(&store, question(ALL, &[0, 1]), wanted(weights(&[(0, 5)])), Some(scan));
    assert_eq!(total(&store, &mut scan), (5.0, Some(5)));
    let mut scan = Scan::new(&store, question(ALL, &[0, 1]), wanted(weights(&[(0, 6), (1, 1)])), Some(scan));
    assert_eq!(total(&store, &mut scan), (7.0, Some(4)));
    let mut scan = Scan::new(&store, question(ALL, &[0, 1]), wanted(None), Some(scan));
    assert_eq!(total(&store, &mut scan), (7.0, None));
}
