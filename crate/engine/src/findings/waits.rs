//! Threads that wait for one another: calls that call nothing and end when a call of another thread
//! ends, again and again.

use hashbrown::{HashMap, HashSet};
use unspool_trace::figures::{counted, percent};
use unspool_trace::finding::Kind;
use unspool_trace::{Clock, Finding, TrackId};

use super::calls::{Call as Visited, Calls, Thread};
use super::functions::Functions;

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
    time: u64,
    /// Where these waits begin and end.
    spans: Vec<(u64, u64)>,
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

    /// Pairs of functions that end together.
    pub(super) fn findings(&mut self, calls: &impl Calls, tracks: &[Thread], clock: Clock) -> Vec<Finding> {
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
                pair.time = pair.time.saturating_add(length);
                pair.spans.push((wait.start, wait.end));
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
        for (wait, (other, mut pair)) in best {
            pair.spans.sort_unstable();
            let (Some(first), Some(last)) = (pair.spans.first(), pair.spans.iter().map(|it| it.1).max()) else {
                continue;
            };
            let (of_wait, of_other) = (threads(wait), threads(other));
            let names = |ids: &[TrackId]| -> Vec<String> {
                let of = |id: &TrackId| tracks.iter().find(|it| it.id == *id).map(|it| it.name.clone());
                ids.iter().filter_map(of).take(4).collect()
            };
            let who = if of_wait == of_other && of_wait.len() > 1 {
                format!("{} wait for one another, taking turns", names(&of_wait).join(" and "))
            } else {
                format!("{} waits for {}", names(&of_wait).join(", "), names(&of_other).join(", "))
            };
            let (waits, works) = (calls.name(wait), calls.name(other));
            let share = (pair.time as f64 / (last - first.0).max(1) as f64).min(1.0);
            let sentence = format!(
                "{who}: {} of {waits} last until a call of {works} ends in another thread, {} in all, {} of that stretch",
                counted(pair.count, "call"),
                clock.amount(pair.time),
                percent(share)
            );
            let it = Finding::new(&WAITS, (pair.time as f64 / extent as f64).min(1.0), sentence).within(first.0, last);
            let mut it = it.about([waits, works]).about(names(&of_wait)).figure("calls", pair.count as f64, "call");
            it = it.figure("time", pair.time as f64, "tick");
            it.part =
                self.is_cut.then(|| format!("only the first {} were compared", counted(MOST_CALLS as u64, "call")));
            found.push(it);
        }
        // A hash map has no order.
        found.sort_by(|a, b| a.sentence.cmp(&b.sentence));
        found
    }
}
