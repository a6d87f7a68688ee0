//! A burst of calls of a function that is otherwise called evenly.

use unspool_trace::figures::{counted, three_digits};
use unspool_trace::finding::{Claim, Kind, Sentence};
use unspool_trace::{Clock, Finding};

use super::functions::Function;
use super::{count_of, time_of};

/// Parts of the time between the first and the last call of a function.
const PARTS: usize = 64;
/// The most parts of a burst: a function that is called more often for longer has two phases.
const LONGEST: usize = 6;
/// Calls of the function and of the median part, at least: fewer come unevenly by chance.
const MANY: u64 = 400;
const USUAL: u64 = 4;
/// A part belongs to the burst from this number of times the median on.
const TIMES: u64 = 4;
/// A sample is small, so that it proposes more than holds.
const TIMES_OF_SAMPLE: u64 = 3;
/// Share of the other parts that have half to twice the median.
const EVEN: f64 = 0.9;

/// A burst of calls.
pub(super) static BURST: Kind = Kind {
    word: "call-burst",
    title: "Bursts of calls",
    why: "Of 64 equally long parts of the time between its first and last call, nine in ten have half to twice the median number of calls, and up to six in a row have at least four times as many.",
};

/// The calls of a function by the part of its time in which they begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    first: u64,
    width: u64,
    counts: Vec<u64>,
}

impl Parts {
    /// Parts of the time of a function, without calls.
    fn of(function: &Function) -> Self {
        let width = (function.last.saturating_sub(function.first) + 1).div_ceil(PARTS as u64);
        Self { first: function.first, width, counts: vec![0; PARTS] }
    }

    /// Counts a call.
    pub(super) fn add(&mut self, start: u64) {
        let part = start.checked_sub(self.first).and_then(|offset| offset.checked_div(self.width));
        let count = part.and_then(|part| self.counts.get_mut(usize::try_from(part).ok()?));
        count.into_iter().for_each(|count| *count += 1);
    }

    fn all(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn median(&self) -> u64 {
        super::median(&mut self.counts.clone())
    }

    /// The parts in a row that have `times` the median, around the fullest one.
    fn burst(&self, times: u64) -> Option<std::ops::Range<usize>> {
        let least = self.median().max(1) * times;
        let (fullest, most) =
            (0..).zip(&self.counts).max_by_key(|(part, count)| (**count, std::cmp::Reverse(*part)))?;
        let is_full = |count: &&u64| **count >= least;
        let before = self.counts.get(..fullest)?.iter().rev().take_while(is_full).count();
        let behind = self.counts.get(fullest..)?.iter().take_while(is_full).count();
        (*most >= least).then(|| fullest - before..fullest + behind)
    }

    /// The burst, if calls come evenly around it. The parts beside it may have some of its calls.
    fn found(&self) -> Option<std::ops::Range<usize>> {
        let (burst, median) = (self.burst(TIMES)?, self.median());
        let beside = burst.start.saturating_sub(1)..burst.end + 1;
        let others = (0..).zip(&self.counts).filter(|(part, _)| !beside.contains(part));
        let is_even = |count: u64| count * 2 >= median && count <= median * 2;
        let (even, all) = others.fold((0, 0), |(even, all), (_, count)| (even + usize::from(is_even(*count)), all + 1));
        let holds = self.all() >= MANY && median >= USUAL && burst.len() <= LONGEST && even as f64 >= all as f64 * EVEN;
        holds.then_some(burst)
    }
}

/// Whether the sample of a function proposes a burst. Returns its parts, to be counted.
pub(super) fn proposed(function: &Function) -> Option<Parts> {
    let starts = || function.starts();
    let mut parts = Parts::of(function);
    starts().for_each(|start| parts.add(start));
    let burst = parts.burst(TIMES_OF_SAMPLE).filter(|_| function.count >= MANY)?;
    (burst.len() <= LONGEST).then(|| Parts { counts: vec![0; PARTS], ..parts })
}

/// The finding, if it holds with all calls counted.
pub(super) fn said(name: &str, parts: &Parts, clock: Clock) -> Option<Finding> {
    let burst = parts.found()?;
    let calls: u64 = parts.counts.get(burst.clone())?.iter().sum();
    let (length, rest) = (burst.len() as u64 * parts.width, (PARTS - burst.len()) as u64 * parts.width);
    let from = parts.first + burst.start as u64 * parts.width;
    // As many as there are elsewhere in as long, in the mean.
    let elsewhere = (parts.all() - calls) as f64 * length as f64 / rest as f64;
    let times = calls as f64 / elsewhere.max(1.0);
    let mut sentence = Sentence::default();
    sentence
        .say(name)
        .say(" is called ")
        .claim(count_of("calls-in-burst", calls, "time", name).at(from))
        .say(" within ")
        .claim(time_of("length-of-burst", length, clock, name).at(from))
        .say(", ");
    let text = format!("{} times", three_digits(times));
    sentence.claim(Claim::new("times", times, "", text).of(name).at(from)).say(" as often as before and after: ");
    let usual = elsewhere.round() as u64;
    sentence.claim(Claim::new("calls-elsewhere", elsewhere, "call", counted(usual, "call")).of(name).at(from));
    sentence.say(" in as long there, in the mean");
    let weight = 0.2 + 0.2 * (calls as f64 / parts.all() as f64);
    Some(Finding::new(&BURST, weight, sentence).within(from, from + length).about([name]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts with this number of calls each.
    fn parts(counts: impl IntoIterator<Item = u64>) -> Parts {
        Parts { first: 1000, width: 10, counts: counts.into_iter().collect() }
    }

    #[test]
    fn calls_are_counted_where_they_begin() {
        let mut all = parts([0; PARTS]);
        [1000, 1009, 1010, 1639, 1640, 999, u64::MAX].into_iter().for_each(|start| all.add(start));
        assert_eq!((all.counts[0], all.counts[1], all.counts[63], all.all()), (2, 1, 1, 4));
    }

    #[test]
    fn a_burst_is_what_is_rare_and_dense() {
        let even = |part: usize| 8 + part as u64 % 5;
        let clock = Clock::Ticks;
        assert_eq!(said("f", &parts((0..PARTS).map(even)), clock), None);
        let one = |part| if (20..22).contains(&part) { 200 } else { even(part) };
        let it = said("f", &parts((0..PARTS).map(one)), clock).unwrap();
        assert_eq!((it.at, it.end), (Some(1200), Some(1220)));
        assert!(it.sentence.contains("f is called 400 times within 20 ticks"), "{}", it.sentence);
        assert!(it.sentence.contains("20 calls in as long there"), "{}", it.sentence);
        // Half of the time it is called often.
        let phases = |part| if part < 32 { 100 } else { 10 };
        assert_eq!(said("f", &parts((0..PARTS).map(phases)), clock), None);
        // It comes in bursts.
        let bursts = |part| if part % 4 == 0 { 100 } else { 10 };
        assert_eq!(said("f", &parts((0..PARTS).map(bursts)), clock), None);
        // It is called in the burst alone.
        let alone = |part| if part == 9 { 1000 } else { 0 };
        assert_eq!(said("f", &parts((0..PARTS).map(alone)), clock), None);
    }
}
