//! Why a call is slow: the callee, the many callees, the gap or the self time that makes the
//! difference.

use hashbrown::HashMap;
use unspool_trace::figures::{counted, percent};
use unspool_trace::finding::{Claim, Kind, Sentence};
use unspool_trace::problem::grouped;
use unspool_trace::{Clock, Finding};

use super::calls::{Call, Calls, Thread};
use super::exact::{Below, Exact, Place};
use super::functions::{ENOUGH, Functions, Long, TIMES_LONG, TIMES_MEDIAN};
use super::{count_of, time_of};

/// Callees of a call on the way down that are looked at.
const MOST_CALLEES: u64 = 1 << 20;
/// Calls on the way down.
const DEEPEST: usize = 64;
/// A cause makes at least this part of the difference.
const MAKES: u64 = 2;
/// A median is said of calls that are this many times as long.
const TOLD: f64 = 1.5;

/// A call that takes far longer than others of its function.
pub(super) static SLOW: Kind = Kind {
    word: "slow-call",
    title: "Slow calls",
    why: "It takes at least ten times the median of its function and four times what 95 % of the calls take, and few others do.",
};

/// The way down from a slow call to the one whose own time it is.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// At least the slow call.
    calls: Vec<Long>,
    /// There are more callees than were looked at, or the way goes on.
    is_cut: bool,
}

/// The way down from a slow call, and how many slices were visited: from each call to the callee
/// that makes at least half of the difference.
pub(super) fn explain(calls: &impl Calls, functions: &Functions, call: &Long) -> (Path, u64) {
    let median = |name| functions.get(name).map_or(0, |function| function.median);
    let mut path = Path { calls: vec![*call], is_cut: false };
    // What the last call of the path takes usually: a callee no more than its caller, however long
    // the few calls of its function are.
    let (mut usual, mut visited) = (median(call.name), 0);
    while let Some(last) = path.calls.last().copied() {
        let excess = last.duration().saturating_sub(usual);
        let mut most: Option<(u64, Long)> = None;
        let mut callees = 0;
        calls.row(last.track, last.depth.saturating_add(1), last.start, last.end, &mut |it| {
            callees += 1;
            let Call { track, depth, start, end, name, .. } = *it;
            if start < last.start || end > last.end {
                return true;
            }
            let more = (end - start).saturating_sub(median(name).min(usual));
            if most.is_none_or(|(known, _)| more > known) {
                most = Some((more, Long { track, depth, start, end, name }));
            }
            callees < MOST_CALLEES
        });
        visited += callees;
        path.is_cut |= callees >= MOST_CALLEES;
        let Some((more, below)) = most.filter(|(more, _)| more.saturating_mul(MAKES) >= excess && excess > 0) else {
            break;
        };
        if path.calls.len() == DEEPEST {
            path.is_cut = true;
            break;
        }
        usual = below.duration() - more;
        path.calls.push(below);
    }
    (path, visited)
}

/// Asks for what a sentence about a slow call says.
pub(super) fn ask(exact: &mut Exact, path: &Path) {
    let ends = [path.calls.first(), path.calls.last()];
    for it in ends.into_iter().flatten() {
        exact.ask(it.name);
        exact.ask_below(place(it), it.name);
    }
}

fn place(call: &Long) -> Place {
    (call.track, call.depth, call.start)
}

/// What makes a call long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Why {
    /// Its self time, in one piece or several.
    Own,
    /// A stretch without callees.
    Gap,
    /// Calls of a function.
    Many(u32),
    /// Callees of several functions.
    Several,
    /// Not all was looked at.
    Unknown,
}

/// What makes a call exceed its usual time by `excess`. `None` if a single callee does.
fn cause(below: &Below, excess: u64, is_cut: bool) -> Option<Why> {
    let is_enough = |time: u64| time.saturating_mul(MAKES) >= excess;
    let many = below.callees.iter().max_by_key(|(name, (_, time))| (*time, u32::MAX - **name));
    match many {
        _ if is_enough(below.own) => {
            let has_callees = !below.callees.is_empty();
            Some(if has_callees && is_enough(below.gap.1 - below.gap.0) { Why::Gap } else { Why::Own })
        }
        Some((name, (count, time))) if is_enough(*time) && *count > 1 => Some(Why::Many(*name)),
        _ if is_cut => Some(Why::Unknown),
        Some((_, (1, time))) if is_enough(*time) => None,
        _ => Some(Why::Several),
    }
}

/// A slow call with what is known of it.
struct Slow<'a> {
    path: &'a [Long],
    below: &'a Below,
    why: Why,
    /// The median of the last call's function, if it is said, and whether it is that of all calls.
    median: Option<u64>,
    is_exact: bool,
    excess: u64,
}

/// Computes a slow call once more. `None` if it does not hold.
fn checked<'a>(path: &'a Path, exact: &'a Exact) -> Option<Slow<'a>> {
    let (slow, last) = (path.calls.first()?, path.calls.last()?);
    let function = exact.of(slow.name)?;
    let median = function.times.median();
    let least = median.saturating_mul(TIMES_MEDIAN).max(function.times.percentile(0.95).saturating_mul(TIMES_LONG));
    if function.whole < ENOUGH || slow.duration() < least || exact.below(place(slow))?.span? != (slow.start, slow.end) {
        return None;
    }
    let (below, of_last) = (exact.below(place(last))?, exact.of(last.name)?);
    if below.span? != (last.start, last.end) {
        return None;
    }
    let median = of_last.times.median();
    let is_told = of_last.calls > 1 && last.duration() as f64 >= TOLD * median as f64;
    let median = is_told.then_some(median);
    let excess = last.duration() - median.unwrap_or(0);
    let is_exact = of_last.times.is_all();
    Some(Slow { path: &path.calls, below, why: cause(below, excess, path.is_cut)?, median, is_exact, excess })
}

/// The slow calls by what explains them, and how many do not hold: several calls on one path are
/// one finding, and so are those with the same cause.
pub(super) fn findings(
    functions: &mut Functions,
    exact: &Exact,
    threads: &[Thread],
    calls: &impl Calls,
    clock: Clock,
) -> (Vec<Finding>, u64) {
    let paths = functions.take_slow();
    let mut causes: Vec<Place> = Vec::new();
    let mut alike: HashMap<(Vec<u32>, Why), usize> = HashMap::new();
    let mut groups: Vec<Vec<(Slow<'_>, bool)>> = Vec::new();
    let mut refuted = 0;
    for path in paths.iter().filter_map(|(_, path)| path.as_ref()) {
        let Some(last) = path.calls.last() else { continue };
        if causes.contains(&place(last)) {
            continue;
        }
        causes.push(place(last));
        let Some(slow) = checked(path, exact) else {
            refuted += 1;
            continue;
        };
        let names = slow.path.iter().map(|it| it.name).collect();
        let group = *alike.entry((names, slow.why)).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        if let Some(group) = groups.get_mut(group) {
            group.push((slow, path.is_cut));
        }
    }
    let is_one = threads.len() == 1;
    let found = groups.iter().filter_map(|group| {
        let (slow, is_cut) = group.iter().max_by_key(|(it, _)| it.excess)?;
        let last = slow.path.last()?;
        let thread = threads.iter().find(|it| it.id == last.track && !is_one).map(|it| it.name.as_str());
        let mut sentence = said(slow, thread, calls, clock);
        if let Some(more @ 1..) = group.len().checked_sub(1) {
            let more = more as u64;
            sentence
                .say("; and ")
                .claim(Claim::new("alike", more as f64, "call", grouped(more).to_string()))
                .say(" alike");
        }
        let excess: u64 = group.iter().map(|(it, _)| it.excess).sum();
        let mut it = Finding::new(&SLOW, (excess as f64 / calls.length() as f64).min(1.0), sentence)
            .within(last.start, last.end)
            .on(last.track)
            .about(slow.path.iter().rev().map(|it| calls.name(it.name)))
            .about(thread);
        it.places = group.iter().filter_map(|(it, _)| Some(it.path.last()?.start)).collect();
        it.places.sort_unstable();
        it.part = is_cut.then(|| format!("only {} were looked at", counted(MOST_CALLEES, "callee")));
        Some(it)
    });
    (found.collect(), refuted)
}

/// The sentence about a slow call.
fn said(slow: &Slow<'_>, thread: Option<&str>, calls: &impl Calls, clock: Clock) -> Sentence {
    let mut sentence = Sentence::default();
    let (Some(top), Some(last)) = (slow.path.first(), slow.path.last()) else { return sentence };
    let name = calls.name(last.name);
    let time = |quantity, ticks| time_of(quantity, ticks, clock, &name).at(last.start);
    sentence.say("A call of ").say(&name);
    if let Some(thread) = thread {
        sentence.say(" in ").say(thread);
    }
    sentence.say(" takes ").claim(time("time", last.duration()));
    if let Some(median) = slow.median {
        let times = last.duration() as f64 / median.max(1) as f64;
        let text = grouped(times.round() as u64).to_string();
        sentence.say(if slow.is_exact { ", " } else { ", about " });
        sentence.claim(Claim::new("times", times, "", text).of(&*name).at(last.start));
        sentence.say(" times its median of ").claim(time_of("median", median, clock, &name));
    }
    say_cause(&mut sentence, slow, last, calls, clock);
    if let Some(levels @ 1..) = slow.path.len().checked_sub(1) {
        let (top_name, share) = (calls.name(top.name), last.duration() as f64 / top.duration().max(1) as f64);
        sentence.say("; that is ");
        sentence.claim(Claim::new("share-of-call", share, "", percent(share)).of(&*top_name).at(top.start));
        sentence.say(" of a slow call of ").say(&top_name);
        match levels as u64 {
            1 => drop(sentence.say(", its caller")),
            levels => {
                let levels = Claim::new("levels", levels as f64, "", counted(levels, "level"));
                sentence.say(", ").claim(levels.of(&*top_name).at(top.start)).say(" above");
            }
        }
    }
    sentence
}

/// Adds what makes the last call of a path long.
fn say_cause(sentence: &mut Sentence, slow: &Slow<'_>, last: &Long, calls: &impl Calls, clock: Clock) {
    let name = calls.name(last.name);
    let time = |quantity, ticks| time_of(quantity, ticks, clock, &name).at(last.start);
    let Below { own, gap, callees, .. } = slow.below;
    match slow.why {
        Why::Own if callees.is_empty() => {
            let own = Claim { text: "by itself".into(), ..time("self", *own) };
            sentence.say(" ").claim(own);
        }
        Why::Own => drop(sentence.say(", ").claim(time("self", *own)).say(" of it by itself")),
        Why::Gap => {
            let between = match (gap.0 == last.start, gap.1 == last.end) {
                (true, _) => "before its first callee",
                (_, true) => "after its last callee",
                _ => "between two of its callees",
            };
            sentence.say(": ").claim(time("gap", gap.1 - gap.0)).say(" of that pass ").say(between);
        }
        Why::Many(callee) => {
            let (count, time) = callees.get(&callee).copied().unwrap_or_default();
            let callee = calls.name(callee);
            let made = count_of("callees", count, "call", &callee).at(last.start);
            sentence.say(": it makes ").claim(made).say(" of ").say(&callee).say(", ");
            sentence.claim(time_of("time-of-callees", time, clock, &callee).at(last.start));
        }
        Why::Several => {
            let (count, sum) = slow.below.all();
            sentence.say(": its ").claim(count_of("callees", count, "callee", "").at(last.start)).say(" take ");
            sentence.claim(time_of("time-of-callees", sum, clock, "").at(last.start));
            if let Some((name, (_, most))) = callees.iter().max_by_key(|(name, (_, time))| (*time, u32::MAX - **name)) {
                let name = calls.name(*name);
                sentence.say(", those of ").say(&name).say(" the most, ");
                sentence.claim(time_of("time-of-callees", *most, clock, &name).at(last.start));
            }
        }
        Why::Unknown => {}
    }
}
