//! Views of the call paths, compared with stacks that are put together slice by slice.

use super::*;
use crate::statistics::flame::MOST_WORK;
use crate::statistics::tree::TreeColumns;

/// A slice: the names of its callers and its own, its time in the range without that of its
/// callees, and that time with it.
#[derive(Clone, Debug)]
struct Call {
    stack: Vec<u32>,
    own: u64,
    /// The slice itself, and not only its own time, is part of the view.
    counted: bool,
}

/// All calls of the tracks in the range.
fn calls(store: &Store, (from, to): (u64, u64)) -> Vec<Call> {
    let mut calls = Vec::new();
    for (id, _) in (0..).zip(&store.tracks) {
        let mut slices = Vec::new();
        store.for_each_slice(id, |depth, _, s| slices.push((depth, s.start, s.end, store.calls.name(s.node))));
        let inside = |start: u64, end: u64| end.min(to).saturating_sub(start.max(from));
        for (depth, start, end, name) in slices.iter().filter(|(_, s, e, _)| *s < to && (*e > from || *s >= from)) {
            let within = |(d, s, e, _): &&(i32, u64, u64, u32)| d > depth && s >= start && e <= end;
            let own = slices.iter().filter(within).filter(|(d, ..)| *d == depth + 1);
            let own = inside(*start, *end) - own.map(|(_, s, e, _)| inside(*s, *e)).sum::<u64>();
            let mut above: Vec<_> = slices.iter().filter(|(d, s, e, _)| d < depth && s <= start && e >= end).collect();
            above.sort_by_key(|(d, ..)| *d);
            // At one depth, only one of several without duration at the same tick can be the
            // caller. Names tell which stack the engine gave it, so such traces are left to the
            // other tests.
            above.dedup_by_key(|(d, ..)| *d);
            let stack = above.iter().map(|(.., name)| *name).chain([*name]).collect();
            calls.push(Call { stack, own, counted: true });
        }
    }
    calls
}

/// What a transform makes of a call, by its definition.
fn changed(call: &Call, transform: &Transform) -> Option<Call> {
    let Call { stack, own, counted } = call;
    let last = stack.len().saturating_sub(1);
    let keep = |keeps: &dyn Fn(usize) -> bool| {
        let left = stack.iter().enumerate().filter(|(i, _)| keeps(*i)).map(|(_, name)| *name).collect();
        Some(Call { stack: left, own: *own, counted: *counted && keeps(last) })
    };
    match transform {
        Transform::Collapse => keep(&|i| !stack[..i].contains(&stack[i])),
        Transform::Hide(names) => keep(&|i| !names.contains(&stack[i])),
        Transform::Focus(names) => {
            let first = stack.iter().position(|name| names.contains(name))?;
            keep(&|i| i >= first)
        }
        Transform::Only(names) => {
            let holds = stack.iter().any(|name| names.contains(name));
            Some(Call { own: if holds { *own } else { 0 }, ..call.clone() })
        }
    }
}

fn all_changed(calls: &[Call], transforms: &[Transform]) -> Vec<Call> {
    transforms.iter().fold(calls.to_vec(), |calls, transform| {
        let changed: Vec<_> = calls.iter().filter_map(|call| changed(call, transform)).collect();
        let Transform::Only(names) = transform else { return changed };
        // Callers of what matches stay.
        let matching = |call: &&Call| call.stack.iter().any(|name| names.contains(name));
        let kept: Vec<_> = changed.iter().filter(matching).cloned().collect();
        changed.into_iter().filter(|call| kept.iter().any(|k| k.stack.starts_with(&call.stack))).collect()
    })
}

/// Total, self and count by path.
type Sums = BTreeMap<Vec<u32>, (u64, u64, u64)>;

/// From outermost calls to callees.
fn down(calls: &[Call]) -> Sums {
    let mut sums = Sums::new();
    for Call { stack, own, counted } in calls {
        for end in 1..=stack.len() {
            let sum = sums.entry(stack[..end].to_vec()).or_default();
            sum.0 += own;
            if end == stack.len() {
                sum.1 += own;
                sum.2 += u64::from(*counted);
            }
        }
    }
    sums
}

/// From functions to callers.
fn up(calls: &[Call]) -> Sums {
    let mut sums = Sums::new();
    for (stack, (total, own, count)) in down(calls) {
        let (name, above) = stack.split_last().unwrap();
        let total = if above.contains(name) { 0 } else { total };
        for from in 0..stack.len() {
            let sum = sums.entry(stack[from..].iter().rev().copied().collect()).or_default();
            *sum = (sum.0 + total, sum.1 + own, sum.2 + count);
        }
    }
    sums
}

fn tree_sums(rows: &TreeColumns) -> Sums {
    let mut paths: Vec<Vec<u32>> = Vec::new();
    let mut sums = Sums::new();
    for i in 0..rows.name.len() {
        let mut path = paths.get(rows.parent[i] as usize).cloned().unwrap_or_default();
        path.push(rows.name[i]);
        sums.insert(path.clone(), (rows.total[i] as u64, rows.own[i] as u64, rows.count[i] as u64));
        paths.push(path);
    }
    sums
}

/// Widths and counts by path, without merged nodes.
fn flame_sums(flame: &FlameColumns) -> BTreeMap<Vec<u32>, (u64, u64)> {
    let mut paths: Vec<Vec<u32>> = vec![Vec::new()];
    let mut sums = BTreeMap::new();
    for i in 1..flame.name.len() {
        let mut path = paths[flame.parent[i] as usize].clone();
        path.push(flame.name[i]);
        sums.insert(path.clone(), (flame.total[i] as u64, flame.count[i] as u64));
        paths.push(path);
    }
    sums
}

/// All rows of a view.
fn everything(shape: &shape::Shape, inverted: bool) -> TreeColumns {
    let rows = shape.rows(&TreeView { inverted, everything: Some(0), ..TreeView::default() });
    assert_eq!(rows.cut, 0);
    assert!(!rows.state.contains(&1), "all are open");
    rows
}

fn transforms() -> impl Strategy<Value = Vec<Transform>> {
    let names = || prop::collection::vec(0u32..5, 1..3);
    let one = prop_oneof![
        Just(Transform::Collapse),
        names().prop_map(Transform::Focus),
        names().prop_map(Transform::Hide),
        names().prop_map(Transform::Only),
    ];
    prop::collection::vec(one, 0..4)
}

/// Nested calls on one thread, each with a duration of its own.
fn thread() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec((prop::bool::weighted(0.55), 0u32..4, 1u64..5), 1..60).prop_map(|steps| {
        let (mut time, mut open, mut events) = (100, Vec::new(), Vec::new());
        for (begin, name, pause) in steps {
            time += pause;
            if begin {
                open.push(name);
                events.push((true, name, time));
            } else if let Some(name) = open.pop() {
                events.push((false, name, time));
            }
        }
        while let Some(name) = open.pop() {
            time += 1;
            events.push((false, name, time));
        }
        events
    })
}

proptest! {
    #[test]
    fn views_match_stacks_put_together_by_hand(
        threads in prop::collection::vec(thread(), 1..3),
        range in prop_oneof![Just(ALL), (90u64..200, 1u64..100).prop_map(|(from, length)| (from, from + length))],
        transforms in transforms(),
    ) {
        let tracks: Vec<_> = threads.into_iter().map(|events| (Stacking::Nested, events)).collect();
        let mut store = store_of(&tracks);
        store.finish(false);
        let all: Vec<u32> = (0..tracks.len() as u32).collect();
        let mut statistics = scanned(&store, range, &all);
        let shape = statistics.shape(&store.calls, &transforms);
        let calls = all_changed(&calls(&store, range), &transforms);
        // Nothing is left of paths that lost all of their functions.
        let calls: Vec<Call> = calls.into_iter().filter(|call| !call.stack.is_empty()).collect();
        let (down, up) = (down(&calls), up(&calls));
        prop_assert_eq!(tree_sums(&everything(&shape, false)), down.clone());
        prop_assert_eq!(tree_sums(&everything(&shape, true)), up.clone());

        let left_heavy = shape.flames(&FlameView::Down { path: Vec::new() }, MOST_WORK).flame;
        let wide = |total: u64, count| (total > 0).then_some((total, count));
        let by = |sums: &Sums, width: fn(&(u64, u64, u64)) -> u64| -> BTreeMap<Vec<u32>, (u64, u64)> {
            sums.iter().filter_map(|(path, sum)| Some((path.clone(), wide(width(sum), sum.2)?))).collect()
        };
        prop_assert_eq!(flame_sums(&left_heavy), by(&down, |sum| sum.0));
        let inverted = shape.flames(&FlameView::Up { path: Vec::new() }, MOST_WORK).flame;
        prop_assert_eq!(flame_sums(&inverted), by(&up, |sum| sum.1));
        prop_assert!(!inverted.partial);
        for name in 0..4 {
            let Flames { flame, callers } = shape.flames(&FlameView::Sandwich { name }, MOST_WORK);
            let callers = callers.unwrap();
            let mut both = by(&up, |sum| sum.0);
            both.retain(|path, _| path[0] == name && path.len() > 1);
            let found = flame_sums(&callers).into_iter().map(|(path, sum)| ([vec![name], path].concat(), sum));
            prop_assert_eq!(found.collect::<BTreeMap<_, _>>(), both);
            // Both halves have the width of the function.
            prop_assert_eq!(callers.total[0], flame.total[flame.focus as usize]);
            prop_assert_eq!(callers.total[0] as u64, up.get(&vec![name]).map_or(0, |sum| sum.0));
            let focused = all_changed(&calls, &[Transform::Focus(vec![name])]);
            let mut below = by(&super::shapes::down(&focused), |sum| sum.0);
            below.entry(vec![name]).or_insert((0, 0));
            let mut found = flame_sums(&flame);
            found.entry(vec![name]).and_modify(|sum| if sum.0 == 0 { sum.1 = 0 });
            below.entry(vec![name]).and_modify(|sum| if sum.0 == 0 { sum.1 = 0 });
            prop_assert_eq!(found, below);
        }
    }

    #[test]
    fn rows_below_closed_ones_are_left_out(events in thread(), inverted in any::<bool>(), pick in 0usize..100) {
        let mut store = store_of(&[(Stacking::Nested, events)]);
        store.finish(false);
        let shape = scanned(&store, ALL, &[0]).shape(&store.calls, &[]);
        let all = tree_sums(&everything(&shape, inverted));
        prop_assume!(!all.is_empty());
        let path = all.keys().nth(pick % all.len()).unwrap().clone();
        // Open are the rows of the path.
        let view = TreeView {
            listing: Listing::Tree,
            inverted,
            open_parents: (0..path.len() as u32).collect(),
            open_names: path.clone(),
            everything: None,
        };
        let rows = shape.rows(&view);
        let shown = |other: &Vec<u32>| path.starts_with(&other[..other.len() - 1]);
        let expected: Sums = all.into_iter().filter(|(other, _)| shown(other)).collect();
        prop_assert_eq!(tree_sums(&rows), expected);
        // The heaviest first among those of one parent.
        let weight = if inverted { &rows.own } else { &rows.total };
        for i in 0..rows.name.len() {
            if let Some(next) = (i + 1..rows.name.len()).find(|j| rows.parent[*j] == rows.parent[i]) {
                prop_assert!(weight[i] >= weight[next]);
            }
        }
    }
}

#[test]
fn recursion_can_be_collapsed() {
    let mut store = store(&[(Stacking::Nested, "+a@0 +b@10 +a@20 +a@30 +c@40 -c@50 -a@60 -a@70 -b@80 -a@100")]);
    store.finish(false);
    let mut statistics = scanned(&store, ALL, &[0]);
    let view = FlameView::Down { path: Vec::new() };
    let collapsed = statistics.flames(&store, &view, &[Transform::Collapse]).flame;
    // What the inner calls of a did themselves is time of b.
    assert_eq!(drawn(&collapsed), ["0<0 * 100 0 1", "1<0 a 100 30 1", "2<1 b 70 60 1", "3<2 c 10 10 1"]);
    let hidden = statistics.flames(&store, &view, &[Transform::Hide(vec![0])]).flame;
    assert_eq!(drawn(&hidden), ["0<0 * 100 30 1", "1<0 b 70 60 1", "2<1 c 10 10 1"]);
}

#[test]
fn deep_recursion_takes_bounded_work() {
    // Callers of callers of … : the square of the depth, without the limit.
    let depth = 20_000u32;
    let events = (0..depth).map(|i| (true, 0, u64::from(i) * 10));
    let back = (0..depth).map(|i| (false, 0, u64::from(depth + i) * 10));
    let mut store = store_of(&[(Stacking::Nested, events.chain(back).collect())]);
    store.finish(false);
    let mut statistics = scanned(&store, ALL, &[0]);
    let inverted = statistics.flames(&store, &FlameView::Up { path: Vec::new() }, &[]).flame;
    assert!(inverted.partial);
    assert!((100..1000).contains(&inverted.name.len()), "{}", inverted.name.len());
    let collapsed = statistics.flames(&store, &FlameView::Up { path: Vec::new() }, &[Transform::Collapse]).flame;
    assert_eq!((collapsed.partial, collapsed.name.len()), (false, 2));
    let rows = everything_below(&mut statistics, &store, true);
    assert!(rows.name.len() <= 2001 && rows.state.last() == Some(&1), "{} rows", rows.name.len());
}

/// The rows when everything is to be opened.
fn everything_below(statistics: &mut Statistics, store: &Store, inverted: bool) -> TreeColumns {
    let view = TreeView { inverted, everything: Some(0), ..TreeView::default() };
    statistics.shape(&store.calls, &[]).rows(&view)
}

/// `caller>callee total self count`, edge by edge.
fn edges_of(store: &Store, tracks: &[u32]) -> Vec<String> {
    let mut statistics = scanned(store, ALL, tracks);
    let edges = statistics.shape(&store.calls, &[]).edges();
    let name = |number: u32| char::from_u32(number.wrapping_add(97)).filter(|c| *c >= 'a').unwrap_or('*');
    let line = |i: usize| {
        let (caller, callee) = (name(edges.parent[i]), name(edges.name[i]));
        format!("{caller}>{callee} {} {} {}", edges.total[i], edges.own[i], edges.count[i])
    };
    (0..edges.name.len()).map(line).collect()
}

#[test]
fn edges_add_up_calls_by_caller_and_callee() {
    let store = store(&[(Stacking::Nested, CALLS)]);
    assert_eq!(edges_of(&store, &[0]), ["*>a 100 70 1", "a>b 30 29 2", "b>c 1 1 1", "*>b 100 60 1", "b>b 40 40 1"]);
}

#[test]
fn a_recursive_edge_counts_its_time_once() {
    // a > b > a > b > a: the inner b is part of the outer one's time already.
    let store = store(&[(Stacking::Nested, "+a@0 +b@1 +a@2 +b@3 +a@4 -a@5 -b@6 -a@7 -b@8 -a@9")]);
    assert_eq!(edges_of(&store, &[0]), ["*>a 9 2 1", "a>b 7 4 2", "b>a 5 3 2"]);
}

/// `a>b total self count` of the listed stacks, heaviest rows last as they come.
fn stacks_of(rows: &TreeColumns) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for i in 0..rows.name.len() {
        let above = paths.get(rows.parent[i] as usize).map(|path| format!("{path}>")).unwrap_or_default();
        paths.push(format!("{above}{}", char::from_u32(rows.name[i] + 97).unwrap()));
    }
    let listed = (0..paths.len()).filter(|i| rows.state[*i] == 1);
    listed.map(|i| format!("{} {} {} {}", paths[i], rows.total[i], rows.own[i], rows.count[i])).collect()
}

#[test]
fn stacks_are_the_heaviest_paths_with_their_callers() {
    let store = store(&[(Stacking::Nested, CALLS)]);
    let shape = scanned(&store, ALL, &[0]).shape(&store.calls, &[]);
    let all = ["a 100 70 1", "a>b 30 29 2", "a>b>c 1 1 1", "b 100 60 1", "b>b 40 40 1"];
    for by in [StackOrder::Total, StackOrder::Own, StackOrder::Count] {
        let rows = shape.stacks(by);
        assert_eq!((stacks_of(&rows), rows.cut, rows.whole), (all.map(String::from).to_vec(), 0, 200.0));
    }
    // A root with more callees than are listed, the later ones the heavier.
    let many = super::stacks::MOST_STACKS as u32 + 10;
    let shape = shape::Shape::of_paths((0..many).map(|i| (i, 0, u64::from(i / 2), u64::from(many - i))));
    let names = |by| shape.stacks(by).name;
    assert_eq!(shape.stacks(StackOrder::Own).cut, 10);
    assert_eq!(names(StackOrder::Own), (10..many).collect::<Vec<_>>());
    assert_eq!(names(StackOrder::Count), (0..many - 10).collect::<Vec<_>>());
}

#[test]
fn callers_of_a_listed_stack_are_rows_too() {
    // A chain of many functions without own time: only the innermost is among the heaviest by self
    // time.
    let most = super::stacks::MOST_STACKS as u32;
    let chain = (0..most).map(|i| (i, i, 0, 1)).chain([(most, most, 5, 1)]);
    let shape = shape::Shape::of_paths(chain);
    let rows = shape.stacks(StackOrder::Own);
    assert_eq!(rows.name.len() as u32, most + 1);
    assert_eq!(rows.state.iter().filter(|state| **state == 1).count() as u32, most);
    assert_eq!((rows.cut, rows.state.last()), (1, Some(&1)));
}

proptest! {
    #[test]
    fn graphs_match_a_visit_of_every_slice(threads in prop::collection::vec(thread(), 1..3), room in 1u64..9) {
        let mut store = store_of(&threads.into_iter().map(|events| (Stacking::Nested, events)).collect::<Vec<_>>());
        store.finish(false);
        let tracks: Vec<u32> = (0..store.tracks.len() as u32).collect();
        let mut expected: BTreeMap<(u32, u32), Vec<u64>> = BTreeMap::new();
        for track in &store.tracks {
            for (_, column) in track.columns() {
                column.scan(0, usize::MAX, |_, s| {
                    let edge = (store.calls.name(store.calls.parent(s.node)), store.calls.name(s.node));
                    expected.entry(edge).or_default().push(s.end - s.start);
                    true
                });
            }
        }
        let graph = CallGraph::with_room(&store, &question(ALL, &tracks), room);
        prop_assert_eq!(graph.edges.len(), expected.len());
        for Edge { caller, callee } in graph.edges {
            let durations = expected.get_mut(&(caller, callee.name)).unwrap();
            durations.sort_unstable();
            let at = |percent| durations[rank_of(percent, durations.len() as u64) as usize - 1];
            let percentiles = Percentiles { median: at(50), p90: at(90), p99: at(99) };
            prop_assert_eq!((callee.count, callee.percentiles), (durations.len() as u64, percentiles));
            prop_assert_eq!((callee.min, callee.max), (durations[0], durations[durations.len() - 1]));
        }
    }
}
