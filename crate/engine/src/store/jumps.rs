//! Calls that may have been left by a jump.

use unspool_trace::batch::Key;
use unspool_trace::batch::flags::{END_INFERRED, NEVER_ENDED};
use unspool_trace::{Callees, Jumps, TrackId};

use super::Store;
use super::track::Track;

impl Store {
    /// How many calls ended without a record of it, or were open when recording ended.
    pub fn unended(&self) -> u64 {
        self.tracks.iter().map(Track::unended).sum()
    }

    /// How to read the trace again so that its stacks are cut where calls were left by jumps.
    /// `None` if the calls without an end can have made all calls that are shown below them: then
    /// reading again would show the same.
    pub fn jumps(&self, callees: Callees) -> Option<Jumps> {
        if callees.is_empty() {
            return None;
        }
        let has_impossible = self.with_impossible_calls(&callees);
        let (mut lost, mut is_wrong) = (Vec::new(), false);
        for track in 0..self.track_count() as TrackId {
            self.for_each_slice(track, |_, _, slice| {
                if slice.flags & (END_INFERRED | NEVER_ENDED) != 0 {
                    lost.push(slice.locator.position());
                    is_wrong |= has_impossible.get(slice.node as usize).is_some_and(|it| *it);
                }
            });
        }
        lost.sort_unstable();
        is_wrong.then_some(Jumps { callees, lost })
    }

    /// For each node of the call tree, whether it makes calls that its function cannot make once it
    /// has made others.
    fn with_impossible_calls(&self, callees: &Callees) -> Vec<bool> {
        let id = |name: u32| match self.key(name).1 {
            Key::Id(id) => Some(id),
            _ => None,
        };
        let calls = self.calls();
        let mut found = vec![false; calls.len()];
        for node in 1..calls.len() as u32 {
            let caller = calls.parent(node);
            if let (Some(by), Some(callee), Some(found)) =
                (id(calls.name(caller)), id(calls.name(node)), found.get_mut(caller as usize))
            {
                *found |= !callees.may_call(by, true, callee);
            }
        }
        found
    }
}
