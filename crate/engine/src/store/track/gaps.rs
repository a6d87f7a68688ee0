//! Time of a track without records, which were lost.

use unspool_trace::batch::flags::UNCERTAIN;
use unspool_trace::{Locator, Orphans};

use super::Track;
use crate::call_tree::{CallTree, ROOT};
use crate::store::slice::Slice;

/// Most gaps of a track that are listed: a damaged log may have any number.
const MOST: usize = 256;

/// The stretches of a track whose records are missing.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    /// Positions between which records are missing for certain, at most [`MOST`]; the first may
    /// begin at 0, before the trace.
    listed: Vec<(u64, u64)>,
    /// The latest event before records that are lost, until the next event.
    from: Option<u64>,
    /// The latest gap.
    latest: Option<(u64, u64)>,
    /// Number of gaps that are slices.
    slices: u64,
}

impl Track {
    /// Records from here to the next event are lost.
    pub(crate) fn stack_lost(&mut self) {
        self.lost = true;
        self.gaps.from = self.start.map(|_| self.latest);
    }

    /// Whether the next event ends a gap.
    pub(crate) fn is_in_gap(&self) -> bool {
        self.gaps.from.is_some()
    }

    /// An event ends the gap that [`Track::stack_lost`] began.
    #[cold]
    pub(crate) fn resume(&mut self, time: u64, locator: Locator, calls: &mut CallTree) {
        if let Some(from) = self.gaps.from.take() {
            self.gap(from, time, locator, calls);
        }
    }

    /// Notes that the beginning of a thread's outermost call is before its records.
    #[cold]
    pub(super) fn gap_before(&mut self, to: u64) {
        self.list(0, to);
    }

    /// The beginning of a call of which there is only the end, at `time`, within the open call if
    /// there is one. The event before the end is at `previous`.
    ///
    /// A thread drops no records but those that are lost. So the call began after the open one, and
    /// if records are known to be missing since then, its beginning is among them: several calls
    /// may have begun in one gap. Otherwise records are missing between the two events.
    #[cold]
    pub(super) fn orphan(&mut self, previous: u64, time: u64, locator: Locator, calls: &mut CallTree) -> u64 {
        if self.def.orphans == Orphans::FromStart
            && let Some(top) = self.open.last()
            && self.gaps.latest.is_none_or(|(from, _)| from < top.start)
        {
            self.gap(previous, time, locator, calls);
        }
        // The gap is a slice of its own: how much of it the call took is not known.
        let to = self.gaps.latest.filter(|_| self.def.lost.is_some()).map_or(0, |(_, to)| to);
        previous.max(to.min(time))
    }

    /// Notes that records are missing between two positions. What is open there is not charged with
    /// that time.
    fn gap(&mut self, from: u64, to: u64, locator: Locator, calls: &mut CallTree) {
        self.gaps.latest = Some((from, to));
        if from >= to {
            return;
        }
        self.list(from, to);
        let (Some(name), 0) = (self.def.lost, self.hidden) else { return };
        let (depth, caller) = self.open.last().map_or((self.lowest, ROOT), |top| (top.depth + 1, top.node));
        let node = calls.child(caller, name);
        self.gaps.slices += 1;
        self.slices += 1;
        self.version += 1;
        self.put(depth, &Slice { start: from, end: to, node, flags: UNCERTAIN, locator });
    }

    fn list(&mut self, from: u64, to: u64) {
        if from < to && self.gaps.listed.len() < MOST {
            self.gaps.listed.push((from, to));
            self.version += 1;
        }
    }

    /// Number of slices that are time without records.
    pub(crate) fn gap_slices(&self) -> u64 {
        self.gaps.slices
    }

    /// Positions between which records are missing for certain, in pairs.
    pub(crate) fn gaps(&self) -> Vec<u64> {
        self.gaps.listed.iter().flat_map(|(from, to)| [*from, *to]).collect()
    }
}

#[cfg(test)]
mod tests {
    use unspool_trace::{TrackDef, TrackKind};

    use super::super::tests::{play, shown};
    use super::*;

    fn track() -> (Track, CallTree) {
        let def = TrackDef { lost: Some('?'.into()), ..TrackDef::new(TrackKind::Thread, "t") };
        (Track::new(def), CallTree::default())
    }

    #[test]
    fn time_without_records_is_a_slice_that_no_call_is_charged_with() {
        let (mut t, mut calls) = track();
        play(&mut t, &mut calls, "+a@1 +b@2 -b@3 -c@9 +b@10 -b@11 -a@12");
        // How long c took before its end is not known.
        assert_eq!(shown(&t, &calls), ["0:a 1..12 0", "1:b 2..3 0", "1:? 3..9 8", "1:c 9..9 1", "1:b 10..11 0"]);
        assert_eq!(t.gaps(), [3, 9]);
        assert_eq!((t.slices(), t.gap_slices()), (5, 1));
    }

    #[test]
    fn calls_that_began_in_one_gap_are_no_further_ones() {
        let (mut t, mut calls) = track();
        // d called c in the gap. e is within a call that began after it, and f in another call of
        // a.
        play(&mut t, &mut calls, "+a@1 -c@9 +b@10 -b@11 -d@20 +g@21 -e@25 -g@26 -a@30 +a@31 -f@33 -a@34");
        assert_eq!(t.gaps(), [1, 9, 21, 25, 31, 33]);
        let all = shown(&t, &calls);
        assert!(all.contains(&"1:d 11..20 1".into()), "what follows the gap is known: {all:?}");
    }

    #[test]
    fn a_call_that_began_after_damage_has_no_gap_of_its_own() {
        let (mut t, mut calls) = track();
        play(&mut t, &mut calls, "+a@1 +b@2");
        t.stack_lost();
        assert!(t.is_in_gap());
        t.resume(9, Locator::at(9), &mut calls);
        play(&mut t, &mut calls, "-c@9 -d@12 -a@13");
        assert_eq!(t.gaps(), [2, 9]);
        let below = ["2:? 2..9 8", "2:c 9..9 9", "2:d 9..12 9"];
        assert_eq!(shown(&t, &calls)[2..], below);
    }

    #[test]
    fn after_damage_outside_of_all_calls_it_is_a_slice_as_well() {
        let (mut t, mut calls) = track();
        play(&mut t, &mut calls, "+a@1 -a@2");
        t.stack_lost();
        t.resume(9, Locator::at(9), &mut calls);
        play(&mut t, &mut calls, "-c@9 +a@12 -a@13");
        assert_eq!(shown(&t, &calls), ["0:a 1..2 0", "0:? 2..9 8", "0:c 9..9 1", "0:a 12..13 0"]);
    }
}
