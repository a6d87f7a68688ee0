//! Where most steps are: loops of code, by the addresses between a jump back and its target.

use hashbrown::HashMap;
use unspool_trace::Finding;
use unspool_trace::figures::{counted, percent};
use unspool_trace::finding::{Claim, Kind, Sentence};

use super::{Place, code_at};

/// Pieces of code that are counted, and loops.
const MOST: usize = 1 << 20;
/// Most bytes of a loop. Longer jumps back are taken for those between functions.
const LONGEST: u64 = 4096;
/// A loop is listed if at least this share of all steps is in it, and in no loop within it.
const LEAST: f64 = 0.3;
/// Iterations that it needs.
const ITERATIONS: u64 = 100;

/// A loop with many steps.
pub(super) static HOT: Kind = Kind {
    word: "hot-loop",
    title: "Where most steps are",
    why: "At least 30 % of all steps execute code of this loop, and of no loop within it.",
};

/// A piece of code that runs at once: an instruction or a block.
#[derive(Clone, Copy, Debug)]
struct Code {
    /// Number of its executions.
    runs: u64,
    steps: u64,
    first: u64,
    last: u64,
}

/// A loop by where it begins.
#[derive(Clone, Copy, Debug)]
struct Back {
    /// Where its last jump back is.
    end: u64,
    /// How often it was taken.
    count: u64,
    /// The function around it, if a call of it was seen.
    function: Option<u64>,
}

/// Counts what is executed.
#[derive(Debug, Default)]
pub(super) struct Hot {
    code: HashMap<u64, Code>,
    loops: HashMap<u64, Back>,
    is_cut: bool,
}

impl Hot {
    /// Code at an address is executed, in a number of steps from `at` on.
    #[inline]
    pub(super) fn executed(&mut self, address: u64, at: u64, steps: u64) {
        let has_room = self.code.len() < MOST;
        match self.code.get_mut(&address) {
            Some(code) => (code.runs, code.steps, code.last) = (code.runs + 1, code.steps + steps, at + steps),
            None if has_room => {
                self.code.insert(address, Code { runs: 1, steps, first: at, last: at + steps });
            }
            None => self.is_cut = true,
        }
    }

    /// A jump from the instruction at one address to another one.
    #[inline]
    pub(super) fn jump(&mut self, from: u64, to: u64, function: Option<u64>) {
        if to > from || from - to > LONGEST {
            return;
        }
        let has_room = self.loops.len() < MOST;
        match self.loops.get_mut(&to) {
            Some(back) => {
                back.end = back.end.max(from);
                back.count += 1;
            }
            None if has_room => {
                self.loops.insert(to, Back { end: from, count: 1, function });
            }
            None => self.is_cut = true,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.code.capacity() * 33 + self.loops.capacity() * 41
    }

    /// `total` is the number of steps of the trace, also of those that execute no code.
    pub(super) fn found(&self, place: Place, total: u64, found: &mut Vec<Finding>) {
        let mut code: Vec<(u64, Code)> = self.code.iter().map(|(address, code)| (*address, *code)).collect();
        code.sort_unstable_by_key(|(address, _)| *address);
        let mut loops: Vec<(u64, Back)> = self.loops.iter().map(|(address, back)| (*address, *back)).collect();
        // Shorter ones first: these take their code from those around them.
        loops.sort_unstable_by_key(|(start, back)| (back.end - start, *start));
        let mut is_taken = vec![false; code.len()];
        for (start, back) in loops {
            let range = code.partition_point(|it| it.0 < start)..code.partition_point(|it| it.0 <= back.end);
            // The steps of the loop with those of loops within it, and without.
            let (mut all, mut own) = ((0, u64::MAX, 0), 0);
            for at in range {
                let (Some((_, it)), Some(taken)) = (code.get(at), is_taken.get_mut(at)) else { continue };
                all = (all.0 + it.steps, all.1.min(it.first), all.2.max(it.last));
                if !std::mem::replace(taken, true) {
                    own += it.steps;
                }
            }
            // The first iteration comes from before the loop.
            let iterations = self.code.get(&start).map_or(back.count + 1, |it| it.runs);
            if (own as f64) < LEAST * total as f64 || iterations < ITERATIONS {
                continue;
            }
            let share = all.0 as f64 / total.max(1) as f64;
            let name = format!("{start:#x}");
            let mut sentence = Sentence::default();
            sentence.claim(Claim::new("share-of-steps", share, "", percent(share)).of(&name)).say(" of all ");
            sentence
                .say(place.unit)
                .say("s are in the loop at ")
                .claim(code_at(start))
                .say(" to ")
                .claim(code_at(back.end));
            if let Some(function) = back.function {
                sentence.say(", in the function at ").claim(code_at(function));
            }
            let (count, each) = (iterations, all.0 as f64 / iterations as f64);
            sentence.say(": ").claim(Claim::new("iterations", count as f64, "", counted(count, "iteration")).of(&name));
            sentence.say(", ").claim(Claim::new("steps-each", each, place.unit, format!("{each:.1}")).of(&name));
            sentence.say(" ").say(place.unit).say("s each");
            let mut it = Finding::new(&HOT, share, sentence).within(all.1, all.2.saturating_sub(1));
            it = it.about([name]).about(back.function.map(|at| format!("{at:#x}")));
            it.part = self.is_cut.then(|| format!("only {} were counted", counted(MOST as u64, "address")));
            found.push(it);
        }
    }
}
