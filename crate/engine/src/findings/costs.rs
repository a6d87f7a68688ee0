//! Costs of functions by themselves: a cost that grows, calls that are shorter than their
//! recording, calls that are the same each time.
//!
//! The sample of a function proposes it; its exact figures are what is said.

use unspool_trace::figures::three_digits;
use unspool_trace::finding::{Claim, Kind, Sentence};
use unspool_trace::{Clock, Finding};

use super::exact::{Figures, PARTS};
use super::functions::{ENOUGH, Function};
use super::{count_of, share_of, time_of};

/// Pairs of parts, of 28, of which the later one must be the slower.
const RISING: usize = 25;
/// Least share of the trace that growth adds, and that repeated work takes.
const LEAST_COST: f64 = 0.01;
/// Cost of two records of a call, in seconds: 30 to 60 ns each with XRay's flight data recorder on
/// current processors.
const RECORDING: f64 = 100e-9;
/// Short calls are listed from this number on, and from this share of all calls on.
const MANY: u64 = 1000;
const LEAST_SHORT: f64 = 0.1;
/// Calls are the same each time if this share is this near to the median.
const MOST_OF_THEM: f64 = 0.9;
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
    why: "Each of its calls is at the same depth and makes the same calls, and nine in ten take the same time within 3 %.",
};

/// A cost of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    Growth,
    Short,
    Repeated,
}

/// Growth: the first and last median self time, and the share of the trace.
fn growth(parts: &[u64], own: u64, calls: u64, extent: u64) -> Option<(u64, u64, f64)> {
    let (first, last) = (*parts.first()?, *parts.last()?);
    let later = |at: usize| parts.iter().skip(at + 1);
    let rising: usize = parts.iter().enumerate().map(|(at, it)| later(at).filter(|after| *after > it).count()).sum();
    let share = own.saturating_sub(first.saturating_mul(calls)) as f64 / extent as f64;
    let is_growth = rising >= RISING && last >= first.max(1).saturating_mul(2) && share >= LEAST_COST;
    is_growth.then_some((first, last, share))
}

/// Whether calls of a median are shorter than their recording, and many.
fn is_short((calls, callers): (u64, u64), median: u64, clock: Clock, all: u64) -> bool {
    let Clock::Seconds { frequency } = clock else { return false };
    let share = calls as f64 / all.max(1) as f64;
    callers == 0 && calls >= MANY && share >= LEAST_SHORT && (median as f64) < RECORDING * frequency as f64
}

impl Cost {
    pub(super) const ALL: [Self; 3] = [Self::Growth, Self::Short, Self::Repeated];

    /// Whether the sample of a function proposes it. `all` are the length of the trace and its
    /// calls.
    pub(super) fn may_be(self, it: &Function, clock: Clock, (extent, calls): (u64, u64)) -> bool {
        match self {
            Self::Growth => it.over_time().and_then(|parts| growth(&parts, it.own, it.count, extent)).is_some(),
            Self::Short => is_short((it.count, it.callers), it.median, clock, calls),
            Self::Repeated => {
                let is_enough = it.count >= ENOUGH && it.calls == it.count && it.callers == it.count && it.is_same;
                is_enough
                    && it.total as f64 / extent as f64 >= LEAST_COST
                    && it.distance(it.median, MOST_OF_THEM) as f64 <= ALIKE * it.median as f64
            }
        }
    }

    /// The finding with exact figures, if it holds with them. `span` is where the function is
    /// called first and where its last call ends.
    pub(super) fn said(
        self,
        name: &str,
        it: &Figures,
        span: (u64, u64),
        clock: Clock,
        (extent, calls): (u64, u64),
    ) -> Option<Finding> {
        let finding = match self {
            Self::Growth => growing(name, it, clock, extent),
            Self::Short => short(name, it, clock, calls),
            Self::Repeated => repeated(name, it, clock, extent),
        }?;
        Some(finding.within(span.0, span.1).about([name]))
    }
}

fn growing(name: &str, it: &Figures, clock: Clock, extent: u64) -> Option<Finding> {
    let parts: Vec<u64> = it.parts.iter().map(super::exact::Times::median).collect();
    let (first, last, share) = growth(&parts, it.own, it.whole, extent).filter(|_| parts.len() == PARTS)?;
    let times = last as f64 / first.max(1) as f64;
    let mut sentence = Sentence::default();
    sentence
        .say(name)
        .say(" grows slower over the run: its calls take ")
        .say(if it.parts.iter().all(super::exact::Times::is_all) { "" } else { "about " })
        .claim(time_of("median-self-first-eighth", first, clock, name))
        .say(" by themselves at the beginning and ")
        .claim(time_of("median-self-last-eighth", last, clock, name))
        .say(" at the end, ")
        .claim(Claim::new("times", times, "", three_digits(times)).of(name))
        .say(" times as long");
    Some(Finding::new(&GROWTH, share.min(1.0), sentence))
}

fn short(name: &str, it: &Figures, clock: Clock, calls: u64) -> Option<Finding> {
    let median = it.times.median();
    let share = it.calls as f64 / calls.max(1) as f64;
    let mut sentence = Sentence::default();
    sentence
        .say(name)
        .say(" is called ")
        .claim(count_of("calls", it.calls, "time", name))
        .say(", ")
        .claim(share_of("share-of-calls", share, name))
        .say(" of all calls, and takes ")
        .say(if it.times.is_all() { "" } else { "about " })
        .claim(time_of("median", median, clock, name))
        .say(" in the median: less than it costs to record a call");
    is_short((it.whole, it.callers), median, clock, calls).then(|| Finding::new(&SHORT, share * 0.3, sentence))
}

fn repeated(name: &str, it: &Figures, clock: Clock, extent: u64) -> Option<Finding> {
    let (median, share) = (it.times.median(), it.total as f64 / extent as f64);
    // Rounded up to a tenth of a percent, as it is said.
    let spread = it.times.distance(median, MOST_OF_THEM) as f64 / median.max(1) as f64;
    let spread = ((spread * 1000.0).ceil() / 1000.0).max(0.001);
    let is_enough = it.whole >= ENOUGH && it.calls == it.whole && it.callers == it.whole && it.is_alike;
    if !is_enough || spread > ALIKE || share < LEAST_COST {
        return None;
    }
    let (near, all) = (it.times.within(median, spread * median as f64), it.calls);
    let mut sentence = Sentence::default();
    sentence.say(name).say(" does the same each time: ");
    match (it.times.is_all(), near == all) {
        (true, true) => sentence.claim(count_of("calls", all, "call", name)).say(" take "),
        (true, false) => sentence
            .claim(
                Claim::new("calls-within", near as f64, "call", unspool_trace::problem::grouped(near).to_string())
                    .of(name),
            )
            .say(" of ")
            .claim(count_of("calls", all, "call", name))
            .say(" lie within "),
        (false, _) => {
            sentence.say("nine in ten of ").claim(count_of("calls", all, "call", name)).say(" lie within about ")
        }
    };
    if it.times.is_all() && near == all {
        sentence.claim(time_of("median", median, clock, name)).say(" within ").claim(share_of("spread", spread, name));
    } else {
        sentence.claim(share_of("spread", spread, name)).say(" of ").claim(time_of("median", median, clock, name));
    }
    sentence.say(", with the same callees; if its arguments are the same, its result can be kept");
    Some(Finding::new(&REPEATED, share.min(1.0), sentence))
}
