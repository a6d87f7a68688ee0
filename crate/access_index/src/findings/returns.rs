//! Returns that match no call.

use hashbrown::HashMap;
use unspool_trace::Finding;
use unspool_trace::figures::counted;
use unspool_trace::finding::{Claim, Kind, Sentence};

use super::{Place, code_at, position};

/// Calls of a thread that are kept.
const MOST_CALLS: usize = 1 << 14;
/// Places of stray returns that are kept.
const MOST_FOUND: usize = 1 << 10;
/// If more than one return in this number matches no call, stacks are switched in a way that is not
/// known, and nothing is said.
const USUAL: u64 = 50;

/// A return that goes elsewhere.
pub(super) static STRAY: Kind = Kind {
    word: "stray-return",
    title: "Returns that match no call",
    why: "It goes to an address that is behind none of the calls that are open, and nearly all other returns go behind their call.",
};

/// A call that has not returned.
#[derive(Clone, Copy, Debug)]
struct Call {
    /// The address behind it.
    back: u64,
    /// Where the return address is in memory, if that is known.
    slot: Option<u64>,
    /// The function that it calls.
    to: Option<u64>,
}

/// Where a return went.
#[derive(Clone, Copy, Debug)]
struct Stray {
    step: u64,
    from: u64,
    to: u64,
    expected: u64,
    /// Its return address was overwritten: it is in the place where the call had put another one.
    is_overwritten: bool,
}

/// Open calls by thread.
#[derive(Debug, Default)]
pub(super) struct Returns {
    threads: HashMap<Option<u64>, Vec<Call>>,
    returns: u64,
    strays: u64,
    found: Vec<Stray>,
}

impl Returns {
    /// A call that returns to `back`. `slot` is where its return address is, `to` where it went.
    pub(super) fn call(&mut self, thread: Option<u64>, back: u64, slot: Option<u64>, to: Option<u64>) {
        let open = self.threads.entry(thread).or_default();
        if open.len() == MOST_CALLS {
            open.drain(..MOST_CALLS / 2);
        }
        open.push(Call { back, slot, to });
    }

    /// The function that a thread is in.
    pub(super) fn function(&self, thread: Option<u64>) -> Option<u64> {
        self.threads.get(&thread)?.last()?.to
    }

    /// A return at a step from an address to another one. `slot` is where it read the address.
    pub(super) fn returned(&mut self, thread: Option<u64>, step: u64, from: u64, to: u64, slot: Option<u64>) {
        self.returns += 1;
        let Some(open) = self.threads.get_mut(&thread) else { return };
        if let Some(at) = open.iter().rposition(|call| call.back == to) {
            open.truncate(at);
            return;
        }
        // A caller from before the recording.
        let Some(top) = open.last().copied() else { return };
        let of_slot = slot.and_then(|slot| open.iter().rposition(|call| call.slot == Some(slot)));
        let expected = match (slot, of_slot) {
            (Some(_), Some(at)) => {
                let expected = open.get(at).map_or(top.back, |call| call.back);
                open.truncate(at);
                expected
            }
            // A push and a return, in place of a jump.
            (Some(_), None) if top.slot.is_some() => return,
            _ => {
                open.pop();
                top.back
            }
        };
        self.strays += 1;
        if self.found.len() < MOST_FOUND {
            self.found.push(Stray { step, from, to, expected, is_overwritten: of_slot.is_some() });
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.threads.values().map(|calls| calls.capacity() * size_of::<Call>()).sum::<usize>()
            + self.found.capacity() * size_of::<Stray>()
    }

    pub(super) fn found(&self, place: Place, found: &mut Vec<Finding>) {
        if self.strays > 1 && self.strays * USUAL > self.returns {
            return;
        }
        let mut by_address: Vec<(u64, u64, Stray)> = Vec::new();
        for it in &self.found {
            match by_address.iter_mut().find(|(from, ..)| *from == it.from) {
                Some((_, count, _)) => *count += 1,
                None => by_address.push((it.from, 1, *it)),
            }
        }
        for (from, count, Stray { step, to, expected, is_overwritten, .. }) in by_address {
            let mut sentence = Sentence::default();
            sentence.say("The return at ").claim(code_at(from)).say(" goes to ").claim(code_at(to));
            sentence
                .say(" and not behind its call, to ")
                .claim(code_at(expected))
                .say(", at ")
                .say(place.unit)
                .say(" ");
            sentence.claim(position(step, place.unit));
            if count > 1 {
                let times = Claim::new("times", count as f64, "", counted(count, "time"));
                sentence.say(", ").claim(times.of(format!("{from:#x}"))).say(" in all");
            }
            sentence.say(if is_overwritten { ": its return address was overwritten" } else { "" });
            let it = Finding::new(&STRAY, 0.97, sentence).within(step, step);
            found.push(it.about([from, to, expected].map(|at| format!("{at:#x}"))));
        }
    }
}
