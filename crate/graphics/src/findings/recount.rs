//! Findings computed once more, by another way than the search, before they are said.
//!
//! ```text
//! redundant   no cell of the machine was written, however the handlers compare what they set
//! uploads     another digest of the bytes, and Resources have counted no write in between
//! clears      as many draws have passed since the list of draws began
//! errors      as many as the figures of frames add up to
//! all         no more calls than the function has; the first and the last call are within the
//!             frames that are said; calls and costs of a kind add up
//! ```
//!
//! What does not hold is not said, and is counted.

use unspool_gl::call::Call;
use unspool_gl::machine::Machine;

use super::{Found, KINDS, Kind};
use crate::frames::{FIGURES, Frame};

/// Counts of what passes by, apart from the search.
#[derive(Debug, Default)]
pub(super) struct Recount {
    /// Calls of each function, by its number.
    calls: Vec<u64>,
    /// Draws so far.
    draws: u64,
    /// [`Machine::writes`] before the call.
    writes: u64,
    /// Calls and costs of each kind, in the order of [`KINDS`].
    kinds: [(u64, u64); KINDS.len()],
    /// Proposals that did not hold.
    refuted: u64,
}

impl Recount {
    /// Notes a call that the machine is about to execute.
    pub(super) fn begin(&mut self, call: &Call, machine: &Machine) {
        let at = call.function as usize;
        if self.calls.len() <= at {
            self.calls.resize(at + 1, 0);
        }
        if let Some(count) = self.calls.get_mut(at) {
            *count += 1;
        }
        self.draws += call.rendered.draws();
        self.writes = machine.writes();
    }

    /// Draws so far, those of the call included.
    pub(super) fn draws(&self) -> u64 {
        self.draws
    }

    /// Whether the call has written nothing. Counts it as refuted otherwise.
    pub(super) fn confirms_repeat(&mut self, machine: &Machine) -> bool {
        self.confirms(machine.writes() == self.writes)
    }

    /// Counts what does not hold. Returns whether it does.
    pub(super) fn confirms(&mut self, holds: bool) -> bool {
        self.refuted += u64::from(!holds);
        holds
    }

    /// Adds a call of a finding to what its kind adds up to.
    pub(super) fn add(&mut self, kind: Kind, cost: u64) {
        let at = KINDS.iter().position(|row| row.0 == kind);
        if let Some((count, sum)) = at.and_then(|at| self.kinds.get_mut(at)) {
            *count += 1;
            *sum = sum.saturating_add(cost);
        }
    }

    /// For each finding, whether it holds; and how many proposals do not, those of single calls
    /// included.
    pub(super) fn judged(&self, found: &Found, frames: &[Frame]) -> (Vec<bool>, u64) {
        let is_whole: Vec<bool> = KINDS.iter().map(|row| self.adds_up(row.0, found, frames)).collect();
        let of_kind = |kind| KINDS.iter().position(|row| row.0 == kind).and_then(|at| is_whole.get(at)) == Some(&true);
        let judged: Vec<bool> = found
            .all
            .iter()
            .zip(&found.functions)
            .map(|(finding, function)| {
                let most = function.map_or(u64::MAX, |at| self.calls.get(at as usize).copied().unwrap_or(0));
                // Frames overlap where a call of another thread returns after a swap.
                let ends = frames.get(finding.frames.0 as usize).zip(frames.get(finding.frames.1 as usize));
                let is_framed = ends.is_some_and(|(one, other)| {
                    one.first.min(other.first) <= finding.reach.0 && finding.reach.1 <= one.last.max(other.last)
                });
                finding.count <= most && is_framed && of_kind(finding.kind)
            })
            .collect();
        let refuted = self.refuted + judged.iter().filter(|holds| !**holds).count() as u64;
        (judged, refuted)
    }

    /// Whether a number is one that half of the numbers do not exceed, and no smaller one is; and
    /// whether the draws of frames, if it is about these, are those that have passed.
    pub(super) fn confirms_median(&self, key: &str, all: &[u64], median: u64) -> bool {
        let below = all.iter().filter(|value| **value < median).count();
        let within = all.iter().filter(|value| **value <= median).count();
        let is_sum = key != "draws" || all.iter().sum::<u64>() == self.draws;
        is_sum && 2 * within >= all.len() && 2 * below < all.len()
    }

    /// Whether the findings of a kind add up to what passed by.
    fn adds_up(&self, kind: Kind, found: &Found, frames: &[Frame]) -> bool {
        let at = KINDS.iter().position(|row| row.0 == kind);
        let noted = at.and_then(|at| self.kinds.get(at)).copied().unwrap_or_default();
        let of_kind = found.all.iter().filter(|it| it.kind == kind);
        let sum = of_kind.fold((0, 0_u64), |sum, it| (sum.0 + it.count, sum.1.saturating_add(it.cost)));
        let errors = || {
            let figure = FIGURES.iter().position(|figure| figure.key == "errors");
            frames.iter().filter_map(|frame| frame.figures.get(figure?)).sum::<u64>()
        };
        // Beyond the limit for findings there are more calls than are listed.
        let is_sum = if found.is_full { noted.0 >= sum.0 && noted.1 >= sum.1 } else { noted == sum };
        is_sum && (kind != Kind::Error || found.is_full || errors() == sum.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Hit;
    use super::*;

    fn frame(last: u64, errors: u64) -> Frame {
        let mut frame = Frame { last, ..Frame::default() };
        let at = FIGURES.iter().position(|figure| figure.key == "errors").unwrap();
        frame.figures[at] = errors;
        frame
    }

    /// A search that has found three calls of function 0 in frames 0 and 1, and what passed by.
    fn example(kind: Kind) -> (Recount, Found) {
        let (mut recount, mut found) = (Recount::default(), Found::default());
        for number in [1, 2, 12] {
            recount.begin(&Call::default(), &Machine::default());
            recount.add(kind, 1);
            let hit = Hit { number, frame: number / 10, function: Some(0), cost: 1 };
            found.add(kind, (0, 0), hit, String::new);
        }
        (recount, found)
    }

    #[test]
    fn what_adds_up_holds() {
        let (recount, found) = example(Kind::Wait);
        assert_eq!(recount.judged(&found, &[frame(9, 0), frame(19, 0)]), (vec![true], 0));
    }

    #[test]
    fn what_does_not_add_up_is_refuted() {
        let frames = [frame(9, 0), frame(19, 0)];
        let is_refuted = |recount: &Recount, found: &Found, frames: &[Frame]| {
            assert_eq!(recount.judged(found, frames), (vec![false], 1));
        };
        // More calls than the function has.
        let (mut recount, found) = example(Kind::Wait);
        recount.calls = vec![2];
        is_refuted(&recount, &found, &frames);
        // A call is in another frame than the frames say.
        let (recount, mut found) = example(Kind::Wait);
        found.all[0].frames = (0, 0);
        is_refuted(&recount, &found, &frames);
        // What the kind adds up to.
        let (mut recount, found) = example(Kind::Wait);
        recount.add(Kind::Wait, 1);
        is_refuted(&recount, &found, &frames);
        // Errors are also a figure of frames.
        let (recount, found) = example(Kind::Error);
        is_refuted(&recount, &found, &frames);
        assert_eq!(recount.judged(&found, &[frame(9, 2), frame(19, 1)]), (vec![true], 0));
    }

    #[test]
    fn a_repeat_writes_no_cell() {
        let (mut machine, mut recount) = (Machine::observed(), Recount::default());
        let function = machine.function("glDepthFunc").unwrap();
        let mut call = Call::default();
        call.function = function;
        call.set(0, unspool_gl::call::Value::Int(513));
        for holds in [false, true] {
            recount.begin(&call, &machine);
            machine.apply(&call);
            assert_eq!(recount.confirms_repeat(&machine), holds);
        }
        assert_eq!(recount.refuted, 1);
    }

    #[test]
    fn a_median_is_in_the_middle() {
        let recount = Recount { draws: 10, ..Recount::default() };
        assert!(recount.confirms_median("draws", &[1, 2, 3, 4], 2));
        assert!(!recount.confirms_median("draws", &[1, 2, 3, 5], 2), "other draws have passed");
        assert!(!recount.confirms_median("textureBytes", &[1, 2, 3, 5], 3));
        assert!(!recount.confirms_median("textureBytes", &[1, 2, 3, 5], 1));
    }
}
