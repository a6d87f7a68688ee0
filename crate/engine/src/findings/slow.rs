//! Why a call is slow: the callee, the many callees or the gap that makes up the difference.

use hashbrown::HashMap;
use unspool_trace::figures::{counted, percent};
use unspool_trace::finding::Kind;
use unspool_trace::problem::grouped;
use unspool_trace::{Clock, Finding};

use super::calls::{Call, Calls};
use super::functions::{Functions, Long};

/// Slices below a slow call that are looked at.
const MOST_BELOW: u64 = 1 << 18;
/// Calls on the way down.
const DEEPEST: usize = 64;

/// A call that takes far longer than others of its function.
pub(super) static SLOW: Kind = Kind {
    word: "slow-call",
    title: "Slow calls",
    why: "It takes at least ten times the median of its function and four times what 95 % of the calls take, and few others do.",
};

/// What makes up the difference.
#[derive(Clone, Debug)]
pub(super) struct Because {
    /// From the slow call down to the one whose own time it is.
    pub(super) path: Vec<Long>,
    why: Why,
    is_cut: bool,
}

#[derive(Clone, Copy, Debug)]
enum Why {
    /// The last call itself: the longest stretch without callees.
    Gap(u64, u64),
    /// It makes many calls of a function: how many, and the time that these take.
    Many(u32, u64, u64),
}

/// What explains a slow call, and how many slices were visited.
pub(super) fn explain(calls: &impl Calls, functions: &Functions, call: &Long) -> (Because, u64) {
    let mut path = vec![*call];
    let (mut visited, mut is_cut) = (0, false);
    while let Some(at) = path.last().copied() {
        let median = |name| functions.get(name).map_or(0, |function| function.median);
        let excess = at.duration().saturating_sub(median(at.name));
        // The callee that exceeds its function's median most, the sums of the others by function,
        // and the longest gap.
        let mut most: Option<(u64, Long)> = None;
        let mut sums: HashMap<u32, (u64, u64)> = HashMap::new();
        let (mut latest, mut gap) = (at.start, (at.start, at.start));
        calls.visit(&[at.track], at.start, at.end, &mut |call| {
            visited += 1;
            if visited > MOST_BELOW {
                is_cut = true;
                return false;
            }
            let Call { start, end, name, .. } = *call;
            if call.depth != at.depth + 1 || start < at.start || end > at.end {
                return true;
            }
            let below = Long { track: at.track, depth: call.depth, start, end, name };
            let more = below.duration().saturating_sub(median(name));
            if most.is_none_or(|(known, _)| more > known) {
                most = Some((more, below));
            }
            let sum = sums.entry(name).or_default();
            *sum = (sum.0 + 1, sum.1.saturating_add(below.duration()));
            if start.saturating_sub(latest) > gap.1 - gap.0 {
                gap = (latest, start);
            }
            latest = latest.max(end);
            true
        });
        if at.end.saturating_sub(latest) > gap.1 - gap.0 {
            gap = (latest, at.end);
        }
        match most.filter(|(more, _)| *more >= excess / 2) {
            Some((_, below)) if path.len() < DEEPEST && !is_cut => path.push(below),
            _ => {
                let many = sums.iter().max_by_key(|(name, (_, time))| (*time, u32::MAX - **name));
                let why = match many {
                    Some((name, (count, time))) if *time >= excess / 2 && *count > 1 => Why::Many(*name, *count, *time),
                    _ => Why::Gap(gap.0, gap.1),
                };
                return (Because { path, why, is_cut }, visited);
            }
        }
    }
    (Because { path, why: Why::Gap(call.start, call.end), is_cut }, visited)
}

/// The slow calls by what explains them: several calls on one path are one finding.
pub(super) fn findings(functions: &mut Functions, calls: &impl Calls, clock: Clock) -> Vec<Finding> {
    let extent = calls.length();
    let mut causes: Vec<(u32, i32, u64)> = Vec::new();
    let mut found = Vec::new();
    for (call, because) in functions.take_slow() {
        let Some(Because { path, why, is_cut }) = because else { continue };
        let Some(cause) = path.last().copied() else { continue };
        let id = (cause.track, cause.depth, cause.start);
        if causes.contains(&id) {
            continue;
        }
        causes.push(id);
        let of_cause = functions.get(cause.name);
        let median = of_cause.map_or(0, |it| it.median);
        let excess = cause.duration().saturating_sub(median);
        let name = calls.name(cause.name);
        let times = cause.duration() as f64 / median.max(1) as f64;
        let mut sentence = format!("A call of {name} takes {}", clock.amount(cause.duration()));
        if of_cause.is_some_and(|it| it.count > 1) && times >= 1.5 {
            sentence += &format!(", {} times its median of {}", grouped(times.round() as u64), clock.amount(median));
        }
        match why {
            Why::Gap(from, to) if to > from && path.len() > 1 && from == cause.start && to == cause.end => {}
            Why::Gap(from, to) if to > from && to - from >= excess / 2 && (from, to) != (cause.start, cause.end) => {
                sentence += &format!(": {} of that pass between two of its callees", clock.amount(to - from));
            }
            Why::Gap(..) => sentence += " by itself",
            Why::Many(name, count, time) => {
                sentence +=
                    &format!(": it makes {} of {}, {}", counted(count, "call"), calls.name(name), clock.amount(time));
            }
        }
        if path.len() > 1 {
            let between: Vec<_> = path.iter().skip(1).rev().skip(1).map(|it| calls.name(it.name)).collect();
            let way = if between.is_empty() { String::new() } else { format!(", in {}", between.join(", in ")) };
            sentence += &format!(
                "{way}; that is {} of a slow call of {}",
                percent(cause.duration() as f64 / call.duration().max(1) as f64),
                calls.name(call.name)
            );
        }
        let names = path.iter().rev().map(|it| calls.name(it.name));
        let mut it = Finding::new(&SLOW, (excess as f64 / extent as f64).min(1.0), sentence)
            .within(cause.start, cause.end)
            .on(cause.track)
            .about(names)
            .figure("time", cause.duration() as f64, "tick")
            .figure("median", median as f64, "tick");
        it.part = is_cut.then(|| format!("only {} below it were looked at", counted(MOST_BELOW, "call")));
        found.push(it);
    }
    found
}
