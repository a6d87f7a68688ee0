//! What threads show: uneven work, and lost records.

use unspool_trace::figures::{counted, percent};
use unspool_trace::finding::Kind;
use unspool_trace::problem::grouped;
use unspool_trace::{Clock, Finding};

use super::calls::{Calls, Thread};
use super::median;

/// Workers begin within this share of the trace.
const TOGETHER: f64 = 0.05;
/// The busiest thread runs alone for at least this share of the trace.
const ALONE: f64 = 0.25;

/// Threads that do the same have uneven work.
pub(super) static IMBALANCE: Kind = Kind {
    word: "imbalance",
    title: "Uneven work",
    why: "At least three threads begin together in the same function, and one of them works at least twice as long as the others, alone at the end.",
};
/// The recorder has lost records.
pub(super) static LOST: Kind = Kind {
    word: "lost-records",
    title: "Lost records",
    why: "Calls end that never began within a thread that was recorded before, so the recorder has lost what is between.",
};

/// The outermost calls of a thread: their function, where they begin and end.
fn outermost(calls: &impl Calls, thread: &Thread) -> Option<(u32, u64, u64)> {
    let (from, to) = thread.extent?;
    let mut first = None;
    calls.visit(&[thread.id], from, u64::MAX, &mut |call| {
        first = (call.depth == thread.lowest).then_some(call.name);
        first.is_none()
    });
    Some((first?, from, to))
}

/// One of several workers that works far longer than the others.
pub(super) fn imbalance(calls: &impl Calls, clock: Clock, threads: &[Thread], extent: u64) -> Vec<Finding> {
    let all: Vec<(&Thread, u32, u64, u64)> =
        threads.iter().filter_map(|it| outermost(calls, it).map(|(name, from, to)| (it, name, from, to))).collect();
    let mut found = Vec::new();
    let mut names: Vec<u32> = all.iter().map(|it| it.1).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let mut workers: Vec<(u64, &Thread, u64, u64)> = all
            .iter()
            .filter(|it| it.1 == name)
            .map(|(thread, _, from, to)| (*to, *thread, *from, to - from))
            .collect();
        workers.sort_unstable_by_key(|it| std::cmp::Reverse(it.0));
        let [(end, thread, from, work), others @ ..] = &*workers else { continue };
        let first = workers.iter().map(|it| it.2).min().unwrap_or(0);
        let last = workers.iter().map(|it| it.2).max().unwrap_or(0);
        let second = others.first().map_or(0, |it| it.0);
        let mut times: Vec<u64> = others.iter().map(|it| it.3).collect();
        let (least, most) = (times.iter().min().copied().unwrap_or(0), times.iter().max().copied().unwrap_or(0));
        let usual = median(&mut times);
        let alone = end.saturating_sub(second) as f64 / extent as f64;
        let is_together = (last - first) as f64 <= TOGETHER * extent as f64;
        if others.len() < 2 || !is_together || work / 2 < usual || alone < ALONE || most / 2 > least {
            continue;
        }
        let function = calls.name(name);
        let sentence = format!(
            "{} works {}, and {} that begin with it in {} work {} to {}: it is alone for {} of the run",
            thread.name,
            clock.amount(*work),
            counted(others.len() as u64, "other thread"),
            function,
            clock.amount(least),
            clock.amount(most),
            percent(alone)
        );
        let it = Finding::new(&IMBALANCE, alone.min(1.0), sentence).within(*from, *end).on(thread.id);
        let it = it.about([thread.name.as_str(), &*function]);
        found.push(it.figure("longest", *work as f64, "tick").figure("others", usual as f64, "tick"));
    }
    found
}

/// Gaps in the middle of threads.
pub(super) fn lost(clock: Clock, threads: &[Thread], extent: u64) -> Vec<Finding> {
    let mut found = Vec::new();
    for thread in threads {
        let start = thread.extent.map_or(0, |(from, _)| from);
        let gaps: Vec<(u64, u64)> = thread.gaps.iter().copied().filter(|(from, _)| *from > start).collect();
        let Some((from, to)) = gaps.iter().copied().max_by_key(|(from, to)| to - from) else { continue };
        let all: u64 = gaps.iter().map(|(from, to)| to - from).sum();
        let places = match gaps.len() {
            1 => String::new(),
            more => format!(" in {} places, {} in the longest", grouped(more as u64), clock.amount(to - from)),
        };
        let share = (all as f64 / extent as f64).min(1.0);
        let sentence = format!(
            "Records of {} are lost: nothing is known of {}{places}, {} of the run, after which calls end that never began",
            thread.name,
            clock.amount(all),
            percent(share)
        );
        // What is missing makes all figures doubtful.
        let mut it = Finding::new(&LOST, (0.2 + share).min(1.0), sentence).within(from, to).on(thread.id);
        it.places = gaps.iter().map(|gap| gap.0).collect();
        found.push(it.about([thread.name.as_str()]).figure("lost", all as f64, "tick"));
    }
    found
}
