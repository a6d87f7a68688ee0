//! Calls that may have been left by a jump.

use serde::Serialize;
use unspool_trace::batch::Key;
use unspool_trace::batch::flags::{END_INFERRED, NEVER_ENDED};
use unspool_trace::figures::counted;
use unspool_trace::{Callees, Jumps, TrackId};

use super::Store;
use super::problems;
use super::track::Track;

/// The fewest calls of a thread that are open when recording ends and make its stack doubtful. A
/// program that is stopped has about ten; one that jumps out of its calls leaves more and more.
const MANY_OPEN: u64 = 64;

/// Why figures of functions may not be those of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Uncertainty {
    /// A sentence.
    pub sentence: String,
    /// The companion that may settle it, as a sentence.
    pub remedy: &'static str,
}

impl Store {
    /// Why figures of a trace that records exits may be wrong: calls without an exit. What follows
    /// them is below them, whether they made those calls or had been left by a jump.
    pub(crate) fn uncertainty(&self) -> Option<Uncertainty> {
        let closed = self.problem_counts().into_iter().find(|(kind, _)| *kind == &problems::END_INFERRED);
        let open = self.tracks.iter().map(Track::open_at_end).filter(|open| *open >= MANY_OPEN).sum::<u64>();
        let count = open + closed.map_or(0, |(_, count)| count.sum);
        let calls = counted(count, "call");
        (count > 0).then(|| Uncertainty {
            sentence: format!(
                "Figures are uncertain: the log has no exit of {calls}. Where one was left, what was called afterwards counts as below it."
            ),
            remedy: "If a jump or an exception did it, the program that wrote the log shows where.",
        })
    }

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

#[cfg(test)]
mod tests {
    use unspool_trace::{EventBatch, EventKind, Locator, TrackDef, TrackKind};

    use super::*;

    /// The store after `+name` and `-name` of one thread, at ticks from 1 on.
    fn store(records: &str) -> Store {
        let mut store = Store::default();
        let mut batch = EventBatch::with_capacity(512);
        batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "t"));
        batch.new_names.extend((0..26).map(|i| char::from(b'a' + i).to_string().into()));
        for (record, time) in records.split_whitespace().zip(1..) {
            let kind = if record.starts_with('+') { EventKind::Begin } else { EventKind::End };
            batch.push(kind, 0, time, u32::from(record.as_bytes()[1] - b'a'), Locator::at(time));
        }
        store.apply(&mut batch);
        store.finish(false);
        store
    }

    fn sentence(records: &str) -> Option<String> {
        store(records).uncertainty().map(|it| it.sentence)
    }

    #[test]
    fn calls_that_are_never_left_make_figures_uncertain() {
        assert_eq!(sentence("+a +b -b -a"), None);
        assert_eq!(sentence("+a +b"), None, "the program was stopped");
        // c was called by a, after a jump out of b.
        let one = sentence("+a +b +c -c -a").unwrap();
        assert!(one.contains("no exit of 1 call.") && one.contains("counts as below it."), "{one}");
        let two = sentence("+a +b +b -a").unwrap();
        assert!(two.contains("no exit of 2 calls."), "{two}");
    }

    #[test]
    fn so_does_a_stack_that_only_grows() {
        let grown = |n: usize| sentence(&["+a +b +c -c"].repeat(n).join(" "));
        assert_eq!(grown(31), None);
        assert!(grown(32).unwrap().contains("no exit of 64 calls"));
    }
}
