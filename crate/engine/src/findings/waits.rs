//! Threads that wait for one another: calls that call nothing and end when a call of another thread
//! ends, again and again.

use hashbrown::{HashMap, HashSet};
use unspool_trace::figures::counted;
use unspool_trace::finding::{Kind, Sentence};
use unspool_trace::{Clock, Finding, TrackId};

use super::calls::{Call as Visited, Calls, Thread};
use super::functions::Functions;
use super::{count_of, share_of, time_of};

/// Calls that are compared.
const MOST_CALLS: usize = 1 << 20;
/// A wait ends when another call ends: within this share of its length.
const NEAR: f64 = 0.05;
/// Calls of a function that end so, at least, and the share of all its calls.
const LEAST: u64 = 10;
const LEAST_SHARE: f64 = 0.5;
/// The calls of a function that waits take this share of the trace together, at least.
const LEAST_TIME: f64 = 0.02;
/// Ends of calls that are compared with the end of a wait.
const LOOKED_AT: usize = 64;

/// A function in which threads wait for one another.
pub(super) static WAITS: Kind = Kind {
    word: "waits",
    title: "Threads that wait for one another",
    why: "Most calls of a function that calls nothing begin while another thread is in a call of another function, and end when that ends.",
};

/// A call.
#[derive(Clone, Copy, Debug)]
struct Call {
    end: u64,
    start: u64,
    name: u32,
    track: TrackId,
}

/// The calls that may be waits, and those that may be waited for.
#[derive(Debug, Default)]
pub(super) struct Waits {
    /// Functions that may wait.
    waiting: HashSet<u32>,
    /// Those that are compared with them.
    working: HashSet<u32>,
    calls: Vec<Call>,
    is_cut: bool,
}

/// How often a function ends with another one.
#[derive(Debug, Default)]
struct Together {
    count: u64,
    /// How often it ends after the other one.
    after: u64,
}

impl Waits {
    /// Which functions are to be compared.
    pub(super) fn new(functions: &Functions, calls: &impl Calls, threads: usize) -> Self {
        let mut waits = Self::default();
        if threads < 2 {
            return waits;
        }
        let extent = calls.length();
        let enough = |own: u64| own as f64 >= LEAST_TIME * extent as f64;
        for (name, it) in functions.all().filter(|(_, it)| it.count >= LEAST && it.callers == 0 && enough(it.total)) {
            waits.waiting.insert(*name);
            for (other, that) in functions.all().filter(|(_, that)| that.count >= LEAST) {
                if other != name && that.median >= it.median / 4 && that.median <= it.median.saturating_mul(4) {
                    waits.working.insert(*other);
                }
            }
        }
        waits
    }

    pub(super) fn has_any(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether there is no room for further calls, of which there is one at least.
    pub(super) fn is_full(&self) -> bool {
        self.is_cut
    }

    pub(super) fn bytes(&self) -> usize {
        self.calls.capacity() * size_of::<Call>() + (self.waiting.capacity() + self.working.capacity()) * 8
    }

    /// The next call of any thread.
    pub(super) fn add(&mut self, call: &Visited) {
        let Visited { track, start, end, name, is_whole, .. } = *call;
        if !is_whole || !(self.waiting.contains(&name) || self.working.contains(&name)) {
            return;
        }
        if self.calls.len() == MOST_CALLS {
            self.is_cut = true;
            return;
        }
        self.calls.push(Call { end, start, name, track });
    }

    /// The calls of a function that last until a call of another one ends in another thread: where
    /// they begin and end. Looks at all calls of the other function, not at the nearest ends only.
    fn until(&self, wait: u32, other: u32) -> Vec<(u64, u64)> {
        let others: Vec<&Call> = self.calls.iter().filter(|it| it.name == other).collect();
        let lasts = |it: &&Call| {
            let length = it.end - it.start;
            let near = (length as f64 * NEAR) as u64;
            let first = others.partition_point(|that| that.end < it.end.saturating_sub(near));
            let ends = others.get(first..).unwrap_or_default().iter();
            ends.take_while(|that| that.end <= it.end.saturating_add(near))
                .any(|that| that.track != it.track && that.start <= it.start.saturating_add(length / 2))
        };
        let own = self.calls.iter().filter(|it| it.name == wait);
        let mut spans: Vec<(u64, u64)> = own.filter(lasts).map(|it| (it.start, it.end)).collect();
        spans.sort_unstable();
        spans
    }

    /// Pairs of functions that end together, and how many do not hold.
    pub(super) fn findings(&mut self, calls: &impl Calls, tracks: &[Thread], clock: Clock) -> (Vec<Finding>, u64) {
        self.calls.sort_unstable_by_key(|call| (call.end, call.start));
        let mut pairs: HashMap<(u32, u32), Together> = HashMap::new();
        let mut counts: HashMap<u32, u64> = HashMap::new();
        for (at, wait) in self.calls.iter().enumerate().filter(|(_, call)| self.waiting.contains(&call.name)) {
            *counts.entry(wait.name).or_default() += 1;
            let length = wait.end - wait.start;
            let near = (length as f64 * NEAR) as u64;
            let before = self.calls.get(..at).unwrap_or_default().iter().rev().take(LOOKED_AT);
            let after = self.calls.get(at + 1..).unwrap_or_default().iter().take(LOOKED_AT);
            let mut ended: Vec<(u32, bool)> = before
                .take_while(|it| wait.end - it.end <= near)
                .chain(after.take_while(|it| it.end - wait.end <= near))
                // It was running for most of the wait.
                .filter(|it| it.track != wait.track && it.name != wait.name)
                .filter(|it| it.start <= wait.start.saturating_add(length / 2))
                .map(|it| (it.name, it.end <= wait.end))
                .collect();
            ended.sort_unstable();
            ended.dedup_by_key(|it| it.0);
            for (name, is_after) in ended {
                let pair = pairs.entry((wait.name, name)).or_default();
                pair.count += 1;
                pair.after += u64::from(is_after);
            }
        }
        let extent = calls.length();
        let of = |name: &u32| counts.get(name).copied().unwrap_or(1) as f64;
        let mut best: HashMap<u32, (u32, Together)> = HashMap::new();
        for ((wait, other), pair) in pairs {
            if pair.count < LEAST || (pair.count as f64) < LEAST_SHARE * of(&wait) {
                continue;
            }
            if best.get(&wait).is_none_or(|(name, known)| (known.count, *name) < (pair.count, other)) {
                best.insert(wait, (other, pair));
            }
        }
        // A wait ends after what it waits for. Two functions that call nothing match both ways.
        let after: HashMap<(u32, u32), u64> =
            best.iter().map(|(wait, (other, it))| ((*wait, *other), it.after)).collect();
        best.retain(|wait, (other, it)| {
            after.get(&(*other, *wait)).is_none_or(|back| (it.after, *wait) > (*back, *other))
        });
        let threads = |name: u32| {
            let mut all: Vec<TrackId> = self.calls.iter().filter(|it| it.name == name).map(|it| it.track).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let mut found = Vec::new();
        let mut refuted = 0;
        for (wait, (other, _)) in best {
            let spans = self.until(wait, other);
            let (Some(first), Some(last)) = (spans.first(), spans.iter().map(|it| it.1).max()) else {
                refuted += 1;
                continue;
            };
            let count = spans.len() as u64;
            let time: u64 = spans.iter().map(|(from, to)| to - from).sum();
            if count < LEAST || (count as f64) < LEAST_SHARE * of(&wait) {
                refuted += 1;
                continue;
            }
            let (of_wait, of_other) = (threads(wait), threads(other));
            let names = |ids: &[TrackId]| -> Vec<String> {
                let of = |id: &TrackId| tracks.iter().find(|it| it.id == *id).map(|it| it.name.clone());
                ids.iter().filter_map(of).take(4).collect()
            };
            let (waits, works) = (calls.name(wait), calls.name(other));
            let share = (time as f64 / (last - first.0).max(1) as f64).min(1.0);
            let mut sentence = Sentence::default();
            if of_wait == of_other && of_wait.len() > 1 {
                sentence.say(names(&of_wait).join(" and ")).say(" wait for one another, taking turns");
            } else {
                sentence.say(names(&of_wait).join(", ")).say(" waits for ").say(names(&of_other).join(", "));
            }
            sentence.say(": ").claim(count_of("waits", count, "call", &waits)).say(" of ").say(&waits);
            sentence.say(" last until a call of ").say(&works).say(" ends in another thread, ");
            sentence.claim(time_of("time-of-waits", time, clock, &waits)).say(" in all, ");
            sentence.claim(share_of("share-of-stretch", share, &waits)).say(" of that stretch");
            let it = Finding::new(&WAITS, (time as f64 / extent as f64).min(1.0), sentence).within(first.0, last);
            let others: Vec<TrackId> = of_other.iter().copied().filter(|it| !of_wait.contains(it)).collect();
            let mut it = it.about([waits, works]).about(names(&of_wait)).about(names(&others));
            it.part =
                self.is_cut.then(|| format!("only the first {} were compared", counted(MOST_CALLS as u64, "call")));
            found.push(it);
        }
        // A hash map has no order.
        found.sort_by(|a, b| a.sentence.cmp(&b.sentence));
        (found, refuted)
    }
}
