//! Which records of two sequences belong together.
//!
//! A sequence is a slice of tokens: numbers that are equal where records are equal. The answer is a
//! list of [`Run`]s of equal tokens that rises in both, and what lies between them as [`Hunk`]s. It
//! is not always the longest possible list, but near it: see the steps below.
//!
//! 1. **Ends**: what is equal at the beginning and at the end of a gap is matched at once. A loop
//!    with another number of turns is matched here: what remains is a number of whole turns.
//! 2. **Anchors** (`anchors.rs`): windows of tokens that occur once on both sides, the longest
//!    rising chain of them, grown both ways. The gaps between are done again, with shorter windows.
//!    Where anchors leave much on both sides they may be there by chance, as in a loop whose turns
//!    differ in a step each (`doubt.rs`): such a part is compared without them, too, and the better
//!    of both counts.
//! 3. **Gaps** (`gaps.rs`): what is small, or has no anchors, is compared by a matrix of bits,
//!    exactly where the matrix has at most `MOST_BITS` bits, and otherwise a part at a time.
//!
//! Time is linear in the number of tokens on any input: a level of anchors looks at each token of
//! its gap a few times, there are `LEVELS` of them, and the matrices cost a bounded number of words
//! for each token. A part in doubt is compared once more at each level at most: work is at most
//! four times that of gaps. Periodic sequences have no anchors, and traces that share nothing have
//! nothing else; both end in step 3. [`Alignment::work`] counts, for tests.
//!
//! Memory is that of the runs, some 20 bytes for each sampled window of a gap's first side, two
//! bytes or four for each token of a gap without anchors, and at most two matrices.

mod anchors;
mod doubt;
mod gaps;

use std::mem;

use anchors::Anchors;
use doubt::{Doubt, Without, matched};
use gaps::Gap;

use crate::token_list::TokenSlice;

/// A stretch of equal tokens: `a + k` belongs to `b + k` for each `k` below `length`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Number of the first token on the first side.
    pub a: u32,
    /// Number of the first token on the second side.
    pub b: u32,
    /// How many tokens, at least one.
    pub length: u32,
}

/// What lies between two runs: tokens that have no counterpart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Numbers of the tokens on the first side: from, to.
    pub a: (u32, u32),
    /// Numbers of the tokens on the second side: from, to.
    pub b: (u32, u32),
}

/// A rectangle of both sequences that is still to be compared.
#[derive(Clone, Copy, Debug)]
struct Area {
    a: (u32, u32),
    b: (u32, u32),
}

impl Area {
    fn of<'t>(&self, tokens: [TokenSlice<'t>; 2]) -> [TokenSlice<'t>; 2] {
        let cut = |tokens: TokenSlice<'t>, (from, to): (u32, u32)| tokens.range(from as usize..to as usize);
        [cut(tokens[0], self.a), cut(tokens[1], self.b)]
    }

    fn is_empty(&self) -> bool {
        self.a.0 >= self.a.1 || self.b.0 >= self.b.1
    }
}

/// What is left to be done, the next at the end.
#[derive(Debug)]
enum Task {
    /// Compares an area, by windows from a level on.
    Compare(Area, usize),
    /// Goes on looking for anchors.
    Anchor(Box<Anchors>),
    /// Goes on comparing a gap by matrices.
    Fill(Box<Gap>),
    /// Compares an area in two ways, the first of which was not begun, is done, or both are.
    Doubt(Box<Doubt>),
    /// A run that is known, and comes after what is above it.
    Keep(Run),
}

/// An alignment that is under way. The two sequences are handed over with each turn, and must be
/// the same each time.
#[derive(Debug)]
pub struct Alignment {
    tasks: Vec<Task>,
    runs: Vec<Run>,
    work: u64,
    lengths: [u32; 2],
}

impl Alignment {
    /// Of sequences with these numbers of tokens.
    #[must_use]
    pub fn new(lengths: [u32; 2]) -> Self {
        let whole = Area { a: (0, lengths[0]), b: (0, lengths[1]) };
        Self { tasks: vec![Task::Compare(whole, 0)], runs: Vec::new(), work: 0, lengths }
    }

    /// Of whole sequences, at once.
    #[must_use]
    pub fn of<'t>(a: impl Into<TokenSlice<'t>>, b: impl Into<TokenSlice<'t>>) -> Self {
        let tokens = [a.into(), b.into()];
        let mut alignment = Self::new(tokens.map(|tokens| u32::try_from(tokens.len()).unwrap_or(u32::MAX)));
        while !alignment.turn(tokens, u64::MAX) {}
        alignment
    }

    /// Works for about `budget` steps, each of which looks at a token or a word of a matrix.
    /// Returns true at the end.
    pub fn turn(&mut self, tokens: [TokenSlice<'_>; 2], budget: u64) -> bool {
        let end = self.work.saturating_add(budget);
        while self.work < end {
            let Some(task) = self.tasks.pop() else { return true };
            match task {
                Task::Keep(run) => self.keep(run),
                Task::Compare(area, level) => self.compare(tokens, area, level),
                Task::Doubt(doubt) => self.doubt(tokens, doubt),
                Task::Anchor(mut anchors) => {
                    if anchors.turn(tokens, &mut self.work, end) {
                        self.divide(*anchors);
                    } else {
                        self.tasks.push(Task::Anchor(anchors));
                    }
                }
                Task::Fill(mut gap) => {
                    let mut found = Vec::new();
                    let done = gap.turn(&mut self.work, end, &mut found);
                    for run in found {
                        self.keep(run);
                    }
                    if !done {
                        self.tasks.push(Task::Fill(gap));
                    }
                }
            }
        }
        self.tasks.is_empty()
    }

    /// Steps so far.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.work
    }

    /// The runs that are known so far, rising in both sequences. No two touch in both.
    #[must_use]
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// What has no counterpart, in order. Of a finished alignment.
    #[must_use]
    pub fn hunks(&self) -> Vec<Hunk> {
        between(&self.runs, self.lengths)
    }

    fn keep(&mut self, run: Run) {
        keep(&mut self.runs, run);
    }

    /// Matches what is equal at both ends of an area, and leaves the middle to the next step.
    fn compare(&mut self, tokens: [TokenSlice<'_>; 2], mut area: Area, level: usize) {
        let [a, b] = area.of(tokens);
        let head = a.common(b) as u32;
        self.keep(Run { a: area.a.0, b: area.b.0, length: head });
        area.a.0 += head;
        area.b.0 += head;
        let [a, b] = area.of(tokens);
        let tail = a.common_at_end(b) as u32;
        area.a.1 -= tail;
        area.b.1 -= tail;
        self.work += u64::from(head) + u64::from(tail) + 1;
        if tail > 0 {
            self.tasks.push(Task::Keep(Run { a: area.a.1, b: area.b.1, length: tail }));
        }
        if area.is_empty() {
            return;
        }
        let sizes = u64::from(area.a.1 - area.a.0).saturating_mul(u64::from(area.b.1 - area.b.0));
        self.tasks.push(if level < anchors::LEVELS && sizes > gaps::MOST_BITS {
            Task::Anchor(Box::new(Anchors::new(area, level)))
        } else {
            self.work += u64::from(area.a.1 - area.a.0) + u64::from(area.b.1 - area.b.0);
            Task::Fill(Box::new(Gap::new(tokens, area)))
        });
    }

    /// Goes on with the gaps between the anchors of an area.
    fn divide(&mut self, anchors: Anchors) {
        let Anchors { mut area, mut chain, is_periodic, .. } = anchors;
        let level = if is_periodic { anchors::LEVELS } else { anchors.level + 1 };
        for doubtful in doubt::doubtful(area, &chain).into_iter().rev() {
            let start = (doubtful.area.a.0, doubtful.area.b.0);
            let after = chain.split_off(doubtful.runs.end);
            let behind = Area { a: (doubtful.area.a.1, area.a.1), b: (doubtful.area.b.1, area.b.1) };
            self.follow(behind, &after, level);
            let runs = chain.split_off(doubtful.runs.start);
            self.tasks.push(Task::Doubt(Box::new(Doubt::new(doubtful, runs, level))));
            (area.a.1, area.b.1) = start;
        }
        self.follow(area, &chain, level);
    }

    /// Leaves the runs of a chain and the gaps between them to the next steps.
    fn follow(&mut self, area: Area, chain: &[Run], level: usize) {
        let mut above = (area.a.1, area.b.1);
        for run in chain.iter().rev() {
            let gap = Area { a: (run.a + run.length, above.0), b: (run.b + run.length, above.1) };
            self.tasks.push(Task::Compare(gap, level));
            self.tasks.push(Task::Keep(*run));
            above = (run.a, run.b);
        }
        self.tasks.push(Task::Compare(Area { a: (area.a.0, above.0), b: (area.b.0, above.1) }, level));
    }

    /// Goes on with an area whose anchors may be there by chance: first without them, then with
    /// them if that may be better, and keeps what has more pairs.
    fn doubt(&mut self, tokens: [TokenSlice<'_>; 2], mut doubt: Box<Doubt>) {
        match mem::replace(&mut doubt.without, Without::Begun) {
            Without::Open => {
                doubt.before = mem::take(&mut self.runs);
                let area = doubt.area;
                self.tasks.push(Task::Doubt(doubt));
                self.work += u64::from(area.a.1 - area.a.0) + u64::from(area.b.1 - area.b.0);
                self.tasks.push(Task::Fill(Box::new(Gap::new(tokens, area))));
            }
            Without::Begun => {
                let found = mem::take(&mut self.runs);
                if matched(&found) < doubt.most() {
                    doubt.without = Without::Found(found);
                    let (area, chain, level) = (doubt.area, mem::take(&mut doubt.chain), doubt.level);
                    self.tasks.push(Task::Doubt(doubt));
                    self.follow(area, &chain, level);
                } else {
                    self.put_back(doubt.before, found);
                }
            }
            Without::Found(found) => {
                let with = mem::take(&mut self.runs);
                let best = if matched(&with) > matched(&found) { with } else { found };
                self.put_back(doubt.before, best);
            }
        }
    }

    /// Goes on after runs that were put aside, with those found since.
    fn put_back(&mut self, before: Vec<Run>, found: Vec<Run>) {
        self.runs = before;
        for run in found {
            self.keep(run);
        }
    }
}

/// Adds a run after others, or makes the last one longer.
pub(crate) fn keep(runs: &mut Vec<Run>, run: Run) {
    match runs.last_mut() {
        Some(last) if (last.a + last.length, last.b + last.length) == (run.a, run.b) => last.length += run.length,
        _ if run.length > 0 => runs.push(run),
        _ => {}
    }
}

/// What lies between runs, in order.
pub(crate) fn between(runs: &[Run], lengths: [u32; 2]) -> Vec<Hunk> {
    let end = Run { a: lengths[0], b: lengths[1], length: 0 };
    let mut at = (0, 0);
    let mut hunks = Vec::new();
    for run in runs.iter().chain([&end]) {
        if at != (run.a, run.b) {
            hunks.push(Hunk { a: (at.0, run.a), b: (at.1, run.b) });
        }
        at = (run.a + run.length, run.b + run.length);
    }
    hunks
}

#[cfg(test)]
mod tests;
