//! Bursts of exceptions, interrupts and page faults.

use unspool_trace::Finding;
use unspool_trace::figures::counted;
use unspool_trace::finding::{Claim, Kind, Sentence};
use unspool_trace::problem::grouped;

use super::Place;

/// Kinds of events that are told apart, and events of each.
const MOST_KINDS: usize = 256;
const MOST_EVENTS: usize = 1 << 20;
/// Events of a burst.
const ENOUGH: usize = 20;
/// In a burst, events come this many times as often as in the whole trace while its extent is
/// looked for, and as in the rest of it.
const DENSE: f64 = 3.0;
const DENSER: f64 = 5.0;

/// Many events in a short stretch.
pub(super) static BURST: Kind = Kind {
    word: "burst",
    title: "Bursts of exceptions and interrupts",
    why: "At least 20 events of one kind come at least five times as often in this stretch as in the rest of the trace.",
};

/// Positions of events, by kind.
#[derive(Debug, Default)]
pub(super) struct Bursts {
    kinds: Vec<(String, Vec<u64>)>,
    is_cut: bool,
}

impl Bursts {
    /// An event. `name` is what several are called.
    pub(super) fn add(&mut self, name: &str, at: u64) {
        let known = self.kinds.iter().position(|(known, _)| known == name);
        if known.is_none() && self.kinds.len() < MOST_KINDS {
            self.kinds.push((name.into(), Vec::new()));
        }
        let number = known.unwrap_or(self.kinds.len().saturating_sub(1));
        match self.kinds.get_mut(number) {
            Some((known, events)) if known == name && events.len() < MOST_EVENTS => events.push(at),
            _ => self.is_cut = true,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.kinds.iter().map(|(_, events)| events.capacity() * 8).sum()
    }

    /// `end` is the number of steps of the trace.
    pub(super) fn found(&self, place: Place, end: u64, found: &mut Vec<Finding>) {
        for (name, events) in &self.kinds {
            let Some((first, last, count)) = densest(events, end) else { continue };
            let inside = count as f64 / (last - first).max(1) as f64;
            let outside = (events.len() - count) as f64 / end.saturating_sub(last - first).max(1) as f64;
            if count < ENOUGH || inside < outside * DENSER || (last - first) * 2 > end {
                continue;
            }
            let number = |quantity, value: u64, unit| {
                Claim::new(quantity, value as f64, unit, grouped(value).to_string()).of(name)
            };
            let length =
                Claim { text: counted(last - first, place.unit), ..number("length", last - first, place.unit) };
            let mut sentence = Sentence::default();
            sentence.claim(number("events", count as u64, "").at(first)).say(" ").say(name).say(" come within ");
            sentence.claim(length.at(first)).say(", one in ");
            sentence.claim(number("steps-each", (1.0 / inside).round() as u64, place.unit).at(first)).say("; ");
            match (events.len() - count) as u64 {
                0 => sentence.say("there are none"),
                1 => sentence.say("there is ").claim(number("elsewhere", 1, "")),
                others => sentence.say("there are ").claim(number("elsewhere", others, "")),
            };
            sentence.say(" elsewhere");
            // How much of the trace it disturbs.
            let weight = 0.5 + 0.4 * ((last - first) as f64 / end.max(1) as f64);
            let mut it = Finding::new(&BURST, weight, sentence).within(first, last).about([name.as_str()]);
            it.places = events.iter().copied().filter(|at| (first..=last).contains(at)).take(64).collect();
            it.part =
                self.is_cut.then(|| format!("only {} of a kind were looked at", counted(MOST_EVENTS as u64, "event")));
            found.push(it);
        }
    }
}

/// The stretch with the most events above what [`DENSE`] times the usual rate would give: its first
/// and last event, and how many there are.
fn densest(events: &[u64], end: u64) -> Option<(u64, u64, usize)> {
    let rate = events.len() as f64 / end.max(1) as f64 * DENSE;
    let (mut best, mut open) = (None, (0usize, 0.0));
    let mut most = 0.0;
    let mut before = None;
    for (at, event) in events.iter().enumerate() {
        let gap = before.map_or(0, |before| event - before);
        before = Some(*event);
        let score = open.1 - gap as f64 * rate;
        open = if score > 0.0 { (open.0, score + 1.0) } else { (at, 1.0) };
        if open.1 > most {
            most = open.1;
            best = Some((*events.get(open.0)?, *event, at + 1 - open.0));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_told_from_events_now_and_then() {
        let mut bursts = Bursts::default();
        (0..60).for_each(|i| bursts.add("rare", i * 1000));
        let mut events: Vec<u64> = (0..60).map(|i| i * 1000).chain((0..100).map(|i| 30_500 + i * 7)).collect();
        events.sort_unstable();
        events.into_iter().for_each(|at| bursts.add("dense", at));
        let mut found = Vec::new();
        bursts.found(Place { unit: "step" }, 60_000, &mut found);
        let [it] = &*found else { panic!("{found:?}") };
        assert!(it.sentence.contains("dense") && it.at >= Some(30_000) && it.end <= Some(32_000), "{it:?}");
    }
}
