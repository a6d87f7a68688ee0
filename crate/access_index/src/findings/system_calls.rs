//! System calls that fail again and again.

use hashbrown::HashMap;
use unspool_trace::Finding;
use unspool_trace::figures::counted;
use unspool_trace::finding::{Claim, Kind, Sentence};
use unspool_trace::problem::grouped;

use super::{Place, position};

/// Numbers and errors that are told apart.
const MOST: usize = 1 << 12;
/// Failures of one call with one error, and their share of its calls.
const ENOUGH: u64 = 8;
const LEAST: f64 = 0.5;

/// A system call that fails often.
pub(super) static FAILING: Kind = Kind {
    word: "failing-call",
    title: "System calls that fail",
    why: "It fails at least eight times with the same error, and at least half of the times that it is made.",
};

/// How often a system call failed in one way.
#[derive(Clone, Copy, Debug)]
struct Failure {
    count: u64,
    first: u64,
    last: u64,
}

/// System calls with their results.
#[derive(Debug, Default)]
pub(super) struct SystemCalls {
    /// By number: how often, and its name.
    calls: HashMap<u64, (u64, Option<&'static str>)>,
    failures: HashMap<(u64, i64), Failure>,
}

impl SystemCalls {
    /// A system call at a step returned a value of 64 bits.
    pub(super) fn returned(&mut self, number: u64, name: Option<&'static str>, step: u64, result: i64) {
        if self.calls.len() >= MOST || self.failures.len() >= MOST {
            return;
        }
        self.calls.entry(number).or_insert((0, name)).0 += 1;
        // Linux returns minus the number of the error, which is at most 4095.
        if (-4095..0).contains(&result) {
            let failure =
                self.failures.entry((number, result)).or_insert(Failure { count: 0, first: step, last: step });
            (failure.count, failure.last) = (failure.count + 1, step);
        }
    }

    pub(super) fn found(&self, place: Place, found: &mut Vec<Finding>) {
        let mut all: Vec<_> = self.failures.iter().collect();
        all.sort_unstable_by_key(|(key, _)| **key);
        for ((number, error), it) in all {
            let (count, name) = self.calls.get(number).copied().unwrap_or((1, None));
            if it.count < ENOUGH || (it.count as f64) < LEAST * count as f64 {
                continue;
            }
            let name = name.map_or(format!("{number}"), |name| format!("{number} ({name})"));
            let mut sentence = Sentence::default();
            sentence.say("System call ").say(&name).say(" fails ");
            sentence.claim(Claim::new("failures", it.count as f64, "", grouped(it.count).to_string()).of(&name));
            sentence.say(" of ").claim(Claim::new("calls", count as f64, "", counted(count, "time")).of(&name));
            sentence
                .say(" with ")
                .claim(Claim::new("result", *error as f64, "", format!("{error}")).of(&name).at(it.first));
            sentence.say(", from ").say(place.unit).say(" ").claim(position(it.first, place.unit)).say(" to ");
            sentence.claim(position(it.last, place.unit));
            found.push(Finding::new(&FAILING, 0.6, sentence).within(it.first, it.last).about([name]));
        }
    }
}
