//! Each function after one scan: a sample of its calls, the longest ones, whether all of them are
//! alike. That proposes what may be said of it.

use unspool_trace::even_sample::EvenSample;
use unspool_trace::{Clock, TrackId};

use super::calls::{Call, Thread};
use super::costs::Cost;
use super::exact::PARTS;
use super::slow::Path;
use super::{median, percentile};

/// Functions that are followed.
pub(super) const MOST_FUNCTIONS: usize = 1 << 14;
/// Calls of a function that are sampled, evenly. Twice as many are kept before every second goes.
const SAMPLED: usize = 256;
/// Longest calls of a function that are kept.
const LONGEST: usize = 8;
/// Calls that a function needs before one is called slow.
pub(super) const ENOUGH: u64 = 20;
/// A slow call is this many times as long as the median, and as the 95th percentile.
pub(super) const TIMES_MEDIAN: u64 = 10;
pub(super) const TIMES_LONG: u64 = 4;
/// A slow call takes at least this share of the trace more than its function's others.
const LEAST_SHARE: f64 = 0.001;
/// Slow calls that are explained.
const MOST_SLOW: usize = 256;
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
    /// All calls, and those of which both ends were recorded. Times and sums are of these.
    pub(super) calls: u64,
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
    pub(super) is_same: bool,
    sample: EvenSample<Sample>,
    /// The longest calls, the longest first.
    longest: Vec<Long>,
    /// The median of the sampled total times, once the scan is over.
    pub(super) median: u64,
    /// Calls that are open in the current thread, and the outermost of them.
    open: u32,
    outer: Option<Long>,
    /// The most that were open at the same time, and the outermost of these.
    pub(super) levels: u32,
    pub(super) deepest: Option<Long>,
}

impl Function {
    fn add(&mut self, call: &Open, end: u64) {
        let (total, own) = (end - call.start, (end - call.start).saturating_sub(call.inside));
        if self.count == 0 {
            (self.depth, self.signature, self.is_same) = (call.depth, call.signature, true);
            self.first = call.start;
        }
        self.is_same &= self.depth == call.depth && self.signature == call.signature;
        (self.first, self.last) = (self.first.min(call.start), self.last.max(end));
        self.sample.add(Sample { start: call.start, total, own }, 2 * SAMPLED);
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

    /// Begins of the sampled calls.
    pub(super) fn starts(&self) -> impl Iterator<Item = u64> {
        self.sample.values().iter().map(|it| it.start)
    }

    /// The total time that a share of the sampled calls does not exceed.
    fn percentile(&self, share: f64) -> u64 {
        percentile(&mut self.sample.values().iter().map(|it| it.total).collect::<Vec<_>>(), share)
    }

    /// How far the nearest share of the sampled calls is from a time.
    pub(super) fn distance(&self, from: u64, share: f64) -> u64 {
        percentile(&mut self.sample.values().iter().map(|it| it.total.abs_diff(from)).collect::<Vec<_>>(), share)
    }

    /// Medians of the self time in [`PARTS`] parts of the run, if it has enough calls.
    pub(super) fn over_time(&self) -> Option<Vec<u64>> {
        if self.sample.values().len() < 8 * PARTS {
            return None;
        }
        let mut sample: Vec<(u64, u64)> = self.sample.values().iter().map(|it| (it.start, it.own)).collect();
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

/// A hash of callees in their order, with one more.
pub(super) fn signature_with(signature: u64, callee: u32) -> u64 {
    (signature ^ u64::from(callee)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17)
}

/// All functions.
#[derive(Debug)]
pub(super) struct Functions {
    /// By name, the index in `all`; `u32::MAX` for none.
    of_name: Vec<u32>,
    all: Vec<(u32, Function)>,
    open: Vec<Open>,
    calls: u64,
    slow: Vec<(Long, Option<Path>)>,
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
            + self.all.iter().map(|(_, it)| size_of_val(it) + it.sample.bytes()).sum::<usize>()
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
        if let Some(function) = self.function(call.name) {
            let Call { track, depth, start, end, name, .. } = *call;
            if function.open == 0 {
                function.outer = Some(Long { track, depth, start, end, name });
            }
            function.calls += 1;
            function.open += 1;
            if function.open > function.levels {
                (function.levels, function.deepest) = (function.open, function.outer);
            }
        }
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
                caller.signature = signature_with(caller.signature, call.name);
            }
            self.calls += 1;
            if let Some(function) = self.function(call.name) {
                function.open = function.open.saturating_sub(1);
                if call.is_whole {
                    function.add(&call, call.end);
                }
            }
        }
    }

    /// A function, as long as there is room for it.
    fn function(&mut self, name: u32) -> Option<&mut Function> {
        let place = self.of_name.get_mut(name as usize)?;
        if *place == u32::MAX {
            if self.all.len() == MOST_FUNCTIONS {
                self.is_cut = true;
                return None;
            }
            *place = self.all.len() as u32;
            self.all.push((name, Function::default()));
        }
        self.all.get_mut(*place as usize).map(|(_, function)| function)
    }

    /// There were more functions than are followed.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// What may be said of functions by themselves. Computes the medians.
    pub(super) fn costs(&mut self, clock: Clock, extent: u64) -> Vec<(u32, Cost)> {
        let mut costs = Vec::new();
        for (name, function) in &mut self.all {
            let mut totals: Vec<u64> = function.sample.values().iter().map(|it| it.total).collect();
            function.median = median(&mut totals);
            let proposed = Cost::ALL.into_iter().filter(|it| it.may_be(function, clock, (extent, self.calls)));
            costs.extend(proposed.map(|it| (*name, it)));
        }
        costs
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

    /// The ways down from slow calls to what explains them.
    pub(super) fn slow_paths(&self) -> impl Iterator<Item = &Path> {
        self.slow.iter().filter_map(|(_, path)| path.as_ref())
    }

    /// Takes the slow calls with the ways down from them.
    pub(super) fn take_slow(&mut self) -> Vec<(Long, Option<Path>)> {
        std::mem::take(&mut self.slow)
    }

    /// Notes the way down from a slow call.
    pub(super) fn explained(&mut self, at: usize, path: Path) {
        if let Some((_, place)) = self.slow.get_mut(at) {
            *place = Some(path);
        }
    }
}
