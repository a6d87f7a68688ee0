//! What threads show: uneven work, and lost records.

use unspool_trace::finding::{Claim, Kind, Sentence};
use unspool_trace::problem::grouped;
use unspool_trace::{Clock, Finding};

use super::calls::{Calls, Thread};
use super::exact::Seen;
use super::{count_of, median, share_of, time_of};

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

/// A thread, the function of its outermost calls, where they begin and end.
pub(super) type Worker<'a> = (&'a Thread, u32, u64, u64);

/// The threads with their outermost calls.
pub(super) fn workers<'a>(calls: &impl Calls, threads: &'a [Thread]) -> Vec<Worker<'a>> {
    threads.iter().filter_map(|it| outermost(calls, it).map(|(name, from, to)| (it, name, from, to))).collect()
}

/// The same, as a scan has seen them.
pub(super) fn workers_seen<'a>(threads: &'a [Thread], seen: &[Seen]) -> Vec<Worker<'a>> {
    let of = |(thread, seen): (&'a Thread, &Seen)| {
        let (name, depth) = seen.first?;
        let (from, to) = seen.extent?;
        (depth == thread.lowest).then_some((thread, name, from, to))
    };
    threads.iter().zip(seen).filter_map(of).collect()
}

/// One of several workers that works far longer than the others.
pub(super) fn imbalance(calls: &impl Calls, clock: Clock, all: &[Worker<'_>], extent: u64) -> Vec<Finding> {
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
        let mut sentence = Sentence::default();
        sentence
            .say(&thread.name)
            .say(" works ")
            .claim(time_of("length-of-thread", *work, clock, &thread.name))
            .say(", and ")
            .claim(count_of("threads", others.len() as u64, "other thread", &function))
            .say(" that begin with it in ")
            .say(&function)
            .say(" work ")
            .claim(time_of("least-of-others", least, clock, &function))
            .say(" to ")
            .claim(time_of("most-of-others", most, clock, &function))
            .say(": it is alone for ")
            .claim(share_of("share-alone", alone, &thread.name))
            .say(" of the run");
        let it = Finding::new(&IMBALANCE, alone.min(1.0), sentence).within(*from, *end).on(thread.id);
        found.push(it.about([thread.name.as_str(), &*function]));
    }
    found
}

/// Gaps in the middle of threads.
pub(super) fn lost(clock: Clock, threads: &[Thread], extent: u64) -> Vec<Finding> {
    let of = |it: &Thread| lost_of(clock, it, it.extent, &it.gaps, extent);
    threads.iter().filter_map(of).collect()
}

/// The same, of the gaps in which a scan has seen no call begin or end.
pub(super) fn lost_seen(clock: Clock, threads: &[Thread], seen: &[Seen], extent: u64) -> Vec<Finding> {
    let of = |(thread, seen): (&Thread, &Seen)| {
        let gaps: Vec<(u64, u64)> = seen.gaps.iter().filter(|(_, is_empty)| *is_empty).map(|it| it.0).collect();
        lost_of(clock, thread, seen.extent, &gaps, extent)
    };
    threads.iter().zip(seen).filter_map(of).collect()
}

fn lost_of(
    clock: Clock,
    thread: &Thread,
    seen: Option<(u64, u64)>,
    gaps: &[(u64, u64)],
    extent: u64,
) -> Option<Finding> {
    let start = seen.map_or(0, |(from, _)| from);
    let gaps: Vec<(u64, u64)> = gaps.iter().copied().filter(|(from, _)| *from > start).collect();
    let (from, to) = gaps.iter().copied().max_by_key(|(from, to)| to - from)?;
    let all: u64 = gaps.iter().map(|(from, to)| to - from).sum();
    let share = (all as f64 / extent as f64).min(1.0);
    let mut sentence = Sentence::default();
    sentence.say("Records of ").say(&thread.name).say(" are lost: nothing is known of ");
    sentence.claim(time_of("lost", all, clock, &thread.name));
    if gaps.len() > 1 {
        let count = gaps.len() as u64;
        let text = grouped(count).to_string();
        sentence.say(" in ").claim(Claim::new("gaps", count as f64, "", text).of(&*thread.name)).say(" places, ");
        sentence.claim(time_of("longest-gap", to - from, clock, &thread.name).at(from)).say(" in the longest");
    }
    sentence.say(", ").claim(share_of("share-lost", share, &thread.name));
    sentence.say(" of the run, after which calls end that never began");
    // What is missing makes all figures doubtful.
    let mut it = Finding::new(&LOST, (0.2 + share).min(1.0), sentence).within(from, to).on(thread.id);
    it.places = gaps.iter().map(|gap| gap.0).collect();
    Some(it.about([thread.name.as_str()]))
}
