//! Figures of the functions and calls that a sentence is to be about, from one scan of all calls.
//!
//! The search proposes by samples and by rows below a call. A sentence is made from these figures
//! alone, which are summed up another way: all calls in the order of time, on the stacks of their
//! threads. What does not hold with them is not said.

use hashbrown::{HashMap, HashSet};
use unspool_trace::TrackId;
use unspool_trace::even_sample::EvenSample;

use super::burst::Parts;
use super::calls::{Call, Thread};
use super::functions::{Long, signature_with};
use super::percentile;

/// Times that are kept of all functions together.
const MOST_TIMES: usize = 1 << 22;
/// Times that are kept of a function or of a part of the run, at most and at least.
const MOST_OF_ONE: usize = 1 << 18;
const LEAST_OF_ONE: usize = 1 << 12;
/// Parts of the run in which the cost of a function is compared.
pub(super) const PARTS: usize = 8;

/// Times in the order in which they come. Of too many, an even sample.
#[derive(Clone, Debug, Default)]
pub(super) struct Times(EvenSample<u64>);

impl Times {
    /// All times are kept.
    pub(super) fn is_all(&self) -> bool {
        self.0.is_all()
    }

    /// The least time that half of them do not exceed, as *Functions* has it; 0 of none.
    pub(super) fn median(&self) -> u64 {
        self.percentile(0.5)
    }

    /// The least time that a share of them does not exceed; 0 of none.
    pub(super) fn percentile(&self, share: f64) -> u64 {
        percentile(&mut self.0.values().to_vec(), share)
    }

    /// The distance within which a share of them is from a time.
    pub(super) fn distance(&self, from: u64, share: f64) -> u64 {
        percentile(&mut self.0.values().iter().map(|it| it.abs_diff(from)).collect::<Vec<_>>(), share)
    }

    /// Number of those that are at most so far from a time. Exact if all are kept.
    pub(super) fn within(&self, from: u64, distance: f64) -> u64 {
        self.0.values().iter().filter(|it| it.abs_diff(from) as f64 <= distance).count() as u64
    }
}

/// A function.
#[derive(Debug, Default)]
pub(super) struct Figures {
    /// All calls, and their times, as *Functions* has them.
    pub(super) calls: u64,
    pub(super) times: Times,
    /// Those of which both ends were recorded. What follows is of these.
    pub(super) whole: u64,
    /// Those that call something.
    pub(super) callers: u64,
    pub(super) total: u64,
    pub(super) own: u64,
    /// Self times in parts of its calls, by the order of their begins. Empty unless they are asked
    /// for.
    pub(super) parts: Vec<Times>,
    /// Calls with both ends by the time of their begins, if that is asked for.
    pub(super) begins: Option<Parts>,
    /// Calls that the parts are of, as the first scan has counted them.
    expected: u64,
    begun: u64,
    /// Depth and callees of all calls, as long as they are the same.
    alike: Option<(i32, u64)>,
    pub(super) is_alike: bool,
    /// The most calls that are open in one thread, and where the outermost of them is.
    pub(super) levels: u32,
    pub(super) deepest: Option<Place>,
}

/// A call that is to be explained, and what is directly below it.
#[derive(Debug, Default)]
pub(super) struct Below {
    /// It is there, with these ends.
    pub(super) span: Option<(u64, u64)>,
    pub(super) own: u64,
    /// The longest time without a callee.
    pub(super) gap: (u64, u64),
    /// Calls and their time by function.
    pub(super) callees: HashMap<u32, (u64, u64)>,
}

impl Below {
    /// All of the callees: how many, and their time.
    pub(super) fn all(&self) -> (u64, u64) {
        self.callees.values().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1.saturating_add(it.1)))
    }
}

/// A thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// Its first call: the function and the depth.
    pub(super) first: Option<(u32, i32)>,
    pub(super) extent: Option<(u64, u64)>,
    /// Gaps within which no call begins or ends, as far as the scan has come.
    pub(super) gaps: Vec<((u64, u64), bool)>,
    stack: Vec<Open>,
}

/// A call that has not ended.
#[derive(Debug, Clone)]
struct Open {
    depth: i32,
    start: u64,
    end: u64,
    name: u32,
    is_whole: bool,
    inside: u64,
    calls: u64,
    signature: u64,
    latest: u64,
    gap: (u64, u64),
    part: usize,
    watched: Option<usize>,
}

/// The place of a call: track, depth, start.
pub(super) type Place = (TrackId, i32, u64);

/// Sums up what was asked for.
#[derive(Debug, Default)]
pub(super) struct Exact {
    functions: HashMap<u32, Figures>,
    /// Functions of `functions`, and those of `below`, by number: most calls are of others.
    asked: HashSet<u32>,
    places: HashMap<Place, usize>,
    below: Vec<Below>,
    threads: Vec<Seen>,
    of_track: HashMap<TrackId, usize>,
    calls: u64,
    most_times: usize,
    /// The outermost call of a recursion, and whether another function calls itself elsewhere.
    recursion: Option<(Long, bool)>,
}

impl Exact {
    /// Nothing is asked for yet.
    pub(super) fn new(threads: &[Thread]) -> Self {
        let seen = |it: &Thread| Seen { gaps: it.gaps.iter().map(|gap| (*gap, true)).collect(), ..Seen::default() };
        Self {
            threads: threads.iter().map(seen).collect(),
            of_track: threads.iter().enumerate().map(|(at, it)| (it.id, at)).collect(),
            ..Self::default()
        }
    }

    /// Asks for the figures of a function.
    pub(super) fn ask(&mut self, name: u32) {
        self.functions.entry(name).or_default();
        self.asked.insert(name);
        self.most_times = (MOST_TIMES / self.functions.len()).clamp(LEAST_OF_ONE, MOST_OF_ONE);
    }

    /// Asks for its self times in parts of the run, too. `calls` are those with both ends.
    pub(super) fn ask_parts(&mut self, name: u32, calls: u64) {
        self.ask(name);
        if let Some(it) = self.functions.get_mut(&name) {
            (it.parts, it.expected) = (vec![Times::default(); PARTS], calls);
        }
    }

    /// Asks how many of its calls begin in parts of its time.
    pub(super) fn ask_begins(&mut self, name: u32, parts: Parts) {
        self.ask(name);
        if let Some(it) = self.functions.get_mut(&name) {
            it.begins = Some(parts);
        }
    }

    /// Asks what is below a call of a function.
    pub(super) fn ask_below(&mut self, place: Place, name: u32) {
        self.asked.insert(name);
        let next = self.below.len();
        if *self.places.entry(place).or_insert(next) == next {
            self.below.push(Below::default());
        }
    }

    /// Asks for a recursion: its levels, and whether another function calls itself outside of it.
    pub(super) fn ask_recursion(&mut self, outer: Long) {
        self.ask(outer.name);
        self.recursion = Some((outer, false));
    }

    /// Whether another function calls itself outside of the call that was asked for.
    pub(super) fn has_recursion_elsewhere(&self) -> bool {
        self.recursion.is_some_and(|(_, is_elsewhere)| is_elsewhere)
    }

    /// The figures of a function that was asked for.
    pub(super) fn of(&self, name: u32) -> Option<&Figures> {
        self.functions.get(&name)
    }

    /// The callees of a call that was asked for.
    pub(super) fn below(&self, place: Place) -> Option<&Below> {
        self.below.get(*self.places.get(&place)?)
    }

    /// The threads as they were seen, in their order.
    pub(super) fn threads(&self) -> &[Seen] {
        &self.threads
    }

    /// All calls.
    pub(super) fn calls(&self) -> u64 {
        self.calls
    }

    pub(super) fn bytes(&self) -> usize {
        let of = |it: &Figures| it.times.0.bytes() + it.parts.iter().map(|it| it.0.bytes()).sum::<usize>();
        self.functions.values().map(|it| size_of::<Figures>() + of(it)).sum::<usize>()
            + self.below.len() * size_of::<Below>()
    }

    /// The next call of any thread, in the order of time.
    pub(super) fn begin(&mut self, call: &Call) {
        let Some(at) = self.of_track.get(&call.track).copied() else { return };
        self.end_from(at, call.depth);
        self.calls += 1;
        let is_asked = self.asked.contains(&call.name);
        let watched = if is_asked { self.places.get(&(call.track, call.depth, call.start)).copied() } else { None };
        let mut part = 0;
        if is_asked && let Some(it) = self.functions.get_mut(&call.name) {
            it.calls += 1;
            if call.is_whole {
                part =
                    (it.begun as u128 * PARTS as u128 / u128::from(it.expected.max(1))).min(PARTS as u128 - 1) as usize;
                it.begun += 1;
                it.begins.iter_mut().for_each(|parts| parts.add(call.start));
            }
        }
        self.count_levels(at, call);
        let Some(thread) = self.threads.get_mut(at) else { return };
        thread.first.get_or_insert((call.name, call.depth));
        let (from, to) = thread.extent.unwrap_or((call.start, call.end));
        thread.extent = Some((from.min(call.start), to.max(call.end)));
        for ((from, to), is_empty) in &mut thread.gaps {
            let is_within = |position: u64| *from < position && position < *to;
            *is_empty &= !is_within(call.start) && !is_within(call.end);
        }
        let Call { depth, start, end, name, is_whole, .. } = *call;
        let (latest, gap) = (start, (start, start));
        thread.stack.push(Open {
            depth,
            start,
            end,
            name,
            is_whole,
            inside: 0,
            calls: 0,
            signature: 0,
            latest,
            gap,
            part,
            watched,
        });
    }

    /// Counts the calls of one function that are open with a call, which is the next of a thread.
    fn count_levels(&mut self, at: usize, call: &Call) {
        let (Some((recursion, is_elsewhere)), Some(thread)) = (&mut self.recursion, self.threads.get(at)) else {
            return;
        };
        let mut open = thread.stack.iter().filter(|open| open.name == call.name);
        let outer = open.next();
        let is_within = call.track == recursion.track && (recursion.start..recursion.end).contains(&call.start);
        *is_elsewhere |= outer.is_some() && !is_within && call.name != recursion.name;
        let Some(figures) = self.functions.get_mut(&call.name).filter(|_| call.name == recursion.name) else { return };
        let (place, levels) = match outer {
            Some(outer) => ((call.track, outer.depth, outer.start), 2 + open.count() as u32),
            None => ((call.track, call.depth, call.start), 1),
        };
        if levels > figures.levels {
            (figures.levels, figures.deepest) = (levels, Some(place));
        }
    }

    /// All calls were visited.
    pub(super) fn end(&mut self) {
        (0..self.threads.len()).for_each(|at| self.end_from(at, i32::MIN));
    }

    /// Ends the open calls of a thread at a depth and deeper.
    fn end_from(&mut self, at: usize, depth: i32) {
        loop {
            let Some(thread) = self.threads.get_mut(at) else { return };
            let Some(call) = thread.stack.pop_if(|top| top.depth >= depth) else { return };
            let length = call.end - call.start;
            if let Some(caller) = thread.stack.last_mut().filter(|it| it.depth + 1 == call.depth) {
                caller.inside = caller.inside.saturating_add(length);
                caller.calls += 1;
                caller.signature = signature_with(caller.signature, call.name);
                if call.start.saturating_sub(caller.latest) > caller.gap.1 - caller.gap.0 {
                    caller.gap = (caller.latest, call.start);
                }
                caller.latest = caller.latest.max(call.end);
                if let Some(below) = caller.watched.and_then(|it| self.below.get_mut(it)) {
                    let sum = below.callees.entry(call.name).or_default();
                    *sum = (sum.0 + 1, sum.1.saturating_add(length));
                }
            }
            if let Some(below) = call.watched.and_then(|it| self.below.get_mut(it)) {
                let last = (call.latest, call.end.max(call.latest));
                below.gap = if last.1 - last.0 > call.gap.1 - call.gap.0 { last } else { call.gap };
                (below.span, below.own) = (Some((call.start, call.end)), length.saturating_sub(call.inside));
            }
            self.add(&call, length);
        }
    }

    fn add(&mut self, call: &Open, length: u64) {
        if !self.asked.contains(&call.name) {
            return;
        }
        let Some(it) = self.functions.get_mut(&call.name) else { return };
        it.times.0.add(length, self.most_times);
        if !call.is_whole {
            return;
        }
        let own = length.saturating_sub(call.inside);
        let alike = (call.depth, call.signature);
        it.is_alike = it.whole == 0 || it.is_alike && it.alike == Some(alike);
        it.alike = Some(alike);
        it.whole += 1;
        it.callers += u64::from(call.calls > 0);
        it.total = it.total.saturating_add(length);
        it.own = it.own.saturating_add(own);
        if let Some(part) = it.parts.get_mut(call.part) {
            part.0.add(own, self.most_times);
        }
    }
}
