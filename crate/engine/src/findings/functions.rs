//! What is known of each function after one scan: a sample of its calls, the longest ones, whether
//! all of them are alike. And what functions show by that: a cost that grows, calls that are
//! shorter than their recording, calls that are the same each time.

use unspool_trace::figures::{counted, percent};
use unspool_trace::finding::Kind;
use unspool_trace::{Clock, Finding, TrackId};

use super::calls::{Call, Calls, Thread};
use super::median;
use super::slow::Because;

/// Functions that are followed.
const MOST_FUNCTIONS: usize = 1 << 14;
/// Calls of a function that are sampled, evenly. Twice as many are kept before every second goes.
const SAMPLED: usize = 256;
/// Longest calls of a function that are kept.
const LONGEST: usize = 8;
/// Calls that a function needs before one is called slow.
const ENOUGH: u64 = 20;
/// A slow call is this many times as long as the median, and as the 95th percentile.
const TIMES_MEDIAN: u64 = 10;
const TIMES_LONG: u64 = 4;
/// A slow call takes at least this share of the trace more than its function's others.
const LEAST_SHARE: f64 = 0.001;
/// Slow calls that are explained.
const MOST_SLOW: usize = 256;
/// Parts of the run in which the cost of a function is compared.
const PARTS: usize = 8;
/// Pairs of parts, of 28, of which the later one must be the slower.
const RISING: usize = 25;
/// What two records of a call cost about, in seconds: 30 to 60 ns each with XRay's flight data
/// recorder on current processors.
const RECORDING: f64 = 100e-9;
/// Short calls are listed from this share of all calls on.
const LEAST_SHORT: f64 = 0.1;
/// Calls are the same each time if nine in ten are within this share of the median.
const ALIKE: f64 = 0.03;

/// A function whose cost grows.
pub(super) static GROWTH: Kind = Kind {
    word: "growth",
    title: "Cost that grows",
    why: "The median self time of its calls rises nearly all the time over eight parts of the run, to at least twice what it was.",
};
/// Calls that are shorter than their recording.
pub(super) static SHORT: Kind = Kind {
    word: "short-calls",
    title: "Calls shorter than their recording",
    why: "Its calls make up at least a tenth of all, call nothing, and take less time than the two records of a call cost, about 100 ns.",
};
/// Calls that do the same each time.
pub(super) static REPEATED: Kind = Kind {
    word: "repeated-work",
    title: "The same work each time",
    why: "Each of its calls is at the same depth, makes the same calls, and takes the same time within 3 %.",
};

/// A call of a sample.
#[derive(Clone, Copy, Debug)]
struct Sample {
    start: u64,
    total: u64,
    own: u64,
}

/// A call that may be slow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Long {
    pub(super) track: TrackId,
    pub(super) depth: i32,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) name: u32,
}

impl Long {
    pub(super) fn duration(&self) -> u64 {
        self.end - self.start
    }
}

/// What is known of a function.
#[derive(Debug, Default)]
pub(super) struct Function {
    pub(super) count: u64,
    pub(super) total: u64,
    pub(super) own: u64,
    /// Calls that call something.
    pub(super) callers: u64,
    /// Where it is called first, and where its last call ends.
    pub(super) first: u64,
    pub(super) last: u64,
    depth: i32,
    signature: u64,
    /// All its calls are at one depth and make the same calls.
    is_same: bool,
    sample: Vec<Sample>,
    /// One call in this number is sampled; 0 before the first.
    every: u64,
    /// The longest calls, the longest first.
    longest: Vec<Long>,
    /// The medians of total and self times, once the scan is over.
    pub(super) median: u64,
    pub(super) median_own: u64,
}

impl Function {
    fn add(&mut self, call: &Open, end: u64) {
        let (total, own) = (end - call.start, (end - call.start).saturating_sub(call.inside));
        if self.count == 0 {
            (self.depth, self.signature, self.is_same, self.every) = (call.depth, call.signature, true, 1);
            self.first = call.start;
        }
        self.is_same &= self.depth == call.depth && self.signature == call.signature;
        (self.first, self.last) = (self.first.min(call.start), self.last.max(end));
        if self.count.is_multiple_of(self.every.max(1)) {
            self.sample.push(Sample { start: call.start, total, own });
            if self.sample.len() == 2 * SAMPLED {
                let mut is_kept = false;
                self.sample.retain(|_| {
                    is_kept = !is_kept;
                    is_kept
                });
                self.every *= 2;
            }
        }
        self.count += 1;
        self.callers += u64::from(call.calls > 0);
        self.total = self.total.saturating_add(total);
        self.own = self.own.saturating_add(own);
        let place = self.longest.partition_point(|it| it.duration() >= total);
        if place < LONGEST {
            self.longest.truncate(LONGEST - 1);
            let Open { track, depth, start, name, .. } = *call;
            self.longest.insert(place, Long { track, depth, start, end, name });
        }
    }

    /// The total time that a share of the sampled calls does not exceed.
    fn percentile(&self, share: f64) -> u64 {
        let mut all: Vec<u64> = self.sample.iter().map(|it| it.total).collect();
        let at = ((all.len() as f64 * share) as usize).min(all.len().saturating_sub(1));
        if all.is_empty() { 0 } else { *all.select_nth_unstable(at).1 }
    }

    /// Medians of the self time in [`PARTS`] parts of the run, if it has enough calls.
    fn over_time(&self) -> Option<Vec<u64>> {
        if self.sample.len() < 8 * PARTS {
            return None;
        }
        let mut sample: Vec<(u64, u64)> = self.sample.iter().map(|it| (it.start, it.own)).collect();
        sample.sort_unstable();
        let of = |part: usize| {
            let range = sample.len() * part / PARTS..sample.len() * (part + 1) / PARTS;
            let mut own: Vec<u64> = sample.get(range).unwrap_or_default().iter().map(|it| it.1).collect();
            median(&mut own)
        };
        Some((0..PARTS).map(of).collect())
    }
}

/// A call that has not ended.
#[derive(Clone, Copy, Debug)]
struct Open {
    track: TrackId,
    depth: i32,
    start: u64,
    end: u64,
    name: u32,
    /// Time that its callees take, how many there are, and a hash of their names.
    inside: u64,
    calls: u64,
    signature: u64,
    /// Its times are certain.
    is_whole: bool,
}

/// All functions.
#[derive(Debug)]
pub(super) struct Functions {
    /// By name, the index in `all`; `u32::MAX` for none.
    of_name: Vec<u32>,
    all: Vec<(u32, Function)>,
    open: Vec<Open>,
    calls: u64,
    slow: Vec<(Long, Option<Because>)>,
    is_cut: bool,
}

impl Functions {
    pub(super) fn new(names: usize) -> Self {
        Self {
            of_name: vec![u32::MAX; names],
            all: Vec::new(),
            open: Vec::new(),
            calls: 0,
            slow: Vec::new(),
            is_cut: false,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.of_name.capacity() * 4
            + self.all.iter().map(|(_, it)| size_of_val(it) + it.sample.capacity() * size_of::<Sample>()).sum::<usize>()
            + self.all.len() * LONGEST * size_of::<Long>()
    }

    pub(super) fn get(&self, name: u32) -> Option<&Function> {
        let at = *self.of_name.get(name as usize)?;
        self.all.get(at as usize).map(|(_, function)| function)
    }

    /// All functions with their names.
    pub(super) fn all(&self) -> impl Iterator<Item = &(u32, Function)> {
        self.all.iter()
    }

    /// The next call of a track, in the order of time.
    pub(super) fn begin(&mut self, call: &Call) {
        self.end_from(call.depth);
        self.open.push(Open {
            track: call.track,
            depth: call.depth,
            start: call.start,
            end: call.end,
            name: call.name,
            inside: 0,
            calls: 0,
            signature: 0,
            is_whole: call.is_whole,
        });
    }

    /// All calls of a track were visited.
    pub(super) fn end_track(&mut self) {
        self.end_from(i32::MIN);
    }

    /// Ends the open calls at a depth and deeper.
    fn end_from(&mut self, depth: i32) {
        while let Some(call) = self.open.pop_if(|top| top.depth >= depth) {
            if let Some(caller) = self.open.last_mut() {
                caller.inside = caller.inside.saturating_add(call.end - call.start);
                caller.calls += 1;
                caller.signature =
                    (caller.signature ^ u64::from(call.name)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
            }
            self.calls += 1;
            if !call.is_whole {
                continue;
            }
            let Some(at) = self.of_name.get_mut(call.name as usize) else { continue };
            if *at == u32::MAX {
                if self.all.len() == MOST_FUNCTIONS {
                    self.is_cut = true;
                    continue;
                }
                *at = self.all.len() as u32;
                self.all.push((call.name, Function::default()));
            }
            if let Some((_, function)) = self.all.get_mut(*at as usize) {
                function.add(&call, call.end);
            }
        }
    }

    /// What functions show by themselves. Computes the medians.
    pub(super) fn findings(&mut self, calls: &impl Calls, clock: Clock, extent: u64) -> Vec<Finding> {
        let mut found = Vec::new();
        for (name, function) in &mut self.all {
            let mut totals: Vec<u64> = function.sample.iter().map(|it| it.total).collect();
            let mut own: Vec<u64> = function.sample.iter().map(|it| it.own).collect();
            (function.median, function.median_own) = (median(&mut totals), median(&mut own));
            let name = calls.name(*name);
            found.extend(growth(&name, function, clock, extent));
            found.extend(short(&name, function, clock, self.calls));
            found.extend(repeated(&name, function, clock, extent));
        }
        if self.is_cut {
            let part = format!("only {} were followed", counted(MOST_FUNCTIONS as u64, "function"));
            found.iter_mut().for_each(|it| it.part = Some(part.clone()));
        }
        found
    }

    /// Picks the calls that are far from their function's others.
    pub(super) fn choose_slow(&mut self, tracks: &[Thread], extent: u64) {
        let mut slow: Vec<(u64, Long)> = Vec::new();
        for (_, function) in self.all.iter().filter(|(_, it)| it.count >= ENOUGH) {
            let long = function.percentile(0.95);
            let least = function.median.saturating_mul(TIMES_MEDIAN).max(long.saturating_mul(TIMES_LONG));
            let far = |call: &&Long| {
                let excess = call.duration() - function.median.min(call.duration());
                call.duration() >= least && excess as f64 >= extent as f64 * LEAST_SHARE
            };
            for call in function.longest.iter().filter(far) {
                // If many are as long, that is one of the things that the function does.
                let alike = function.longest.iter().filter(|it| it.duration() >= call.duration() / 2).count();
                let is_rare = alike < LONGEST && alike as u64 * 10 <= function.count;
                // Records are missing within it, so its length says nothing.
                let gaps = tracks.iter().find(|it| it.id == call.track).map_or(&[][..], |it| &it.gaps);
                let has_gap = gaps.iter().any(|(from, to)| *from < call.end && *to > call.start);
                if is_rare && !has_gap {
                    slow.push((call.duration(), *call));
                }
            }
        }
        // The outermost call on a path comes first.
        slow.sort_unstable_by_key(|(duration, call)| (std::cmp::Reverse(*duration), call.depth));
        slow.truncate(MOST_SLOW);
        self.slow = slow.into_iter().map(|(_, call)| (call, None)).collect();
    }

    /// One of the calls that are far from their function's others, the most costly first.
    pub(super) fn slow(&self, at: usize) -> Option<Long> {
        self.slow.get(at).map(|(call, _)| *call)
    }

    /// Takes the slow calls with what explains them.
    pub(super) fn take_slow(&mut self) -> Vec<(Long, Option<Because>)> {
        std::mem::take(&mut self.slow)
    }

    /// Notes what explains a slow call.
    pub(super) fn explained(&mut self, at: usize, because: Because) {
        if let Some((_, place)) = self.slow.get_mut(at) {
            *place = Some(because);
        }
    }
}

fn growth(name: &str, function: &Function, clock: Clock, extent: u64) -> Option<Finding> {
    let parts = function.over_time()?;
    let (first, last) = (*parts.first()?, *parts.last()?);
    let later = |at: usize| parts.iter().skip(at + 1);
    let rising: usize = parts.iter().enumerate().map(|(at, it)| later(at).filter(|after| *after > it).count()).sum();
    let added = function.own.saturating_sub(first.saturating_mul(function.count));
    let share = added as f64 / extent as f64;
    if rising < RISING || last < first.max(1).saturating_mul(2) || share < 0.01 {
        return None;
    }
    let times = last as f64 / first.max(1) as f64;
    let sentence = format!(
        "{name} grows slower over the run: its calls take {} by themselves at the beginning and {} at the end, {times:.1} times as long",
        clock.amount(first),
        clock.amount(last)
    );
    let found = Finding::new(&GROWTH, share.min(1.0), sentence).within(function.first, function.last).about([name]);
    Some(found.figure("first", first as f64, "tick").figure("last", last as f64, "tick").figure("times", times, ""))
}

fn short(name: &str, function: &Function, clock: Clock, calls: u64) -> Option<Finding> {
    let Clock::Seconds { frequency } = clock else { return None };
    let share = function.count as f64 / calls.max(1) as f64;
    let is_short = (function.median as f64) < RECORDING * frequency as f64;
    if function.callers > 0 || function.count < 1000 || share < LEAST_SHORT || !is_short {
        return None;
    }
    let sentence = format!(
        "{name} is called {}, {} of all calls, and takes {} each: less than it costs to record a call",
        counted(function.count, "time"),
        percent(share),
        clock.amount(function.median)
    );
    let found = Finding::new(&SHORT, share * 0.3, sentence).within(function.first, function.last).about([name]);
    Some(found.figure("calls", function.count as f64, "call").figure("median", function.median as f64, "tick"))
}

fn repeated(name: &str, function: &Function, clock: Clock, extent: u64) -> Option<Finding> {
    let share = function.total as f64 / extent as f64;
    if function.count < ENOUGH || !function.is_same || function.callers < function.count || share < 0.01 {
        return None;
    }
    let spread = function.percentile(0.95) - function.percentile(0.05);
    if spread as f64 > 2.0 * ALIKE * function.median as f64 {
        return None;
    }
    let sentence = format!(
        "{name} does the same each time: {} take {} within {}, with the same callees; if its arguments are the same, its result can be kept",
        counted(function.count, "call"),
        clock.amount(function.median),
        percent(spread as f64 / 2.0 / function.median.max(1) as f64)
    );
    let found = Finding::new(&REPEATED, share.min(1.0), sentence).within(function.first, function.last).about([name]);
    Some(found.figure("calls", function.count as f64, "call").figure("total", function.total as f64, "tick"))
}
