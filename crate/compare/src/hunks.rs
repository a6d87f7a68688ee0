//! Says what each difference is, and which of its records are alike: in turns of bounded work.
//!
//! Records are *alike* if they are the same but for their arguments ([`Kinds`]). Within a hunk,
//! those are paired by the same alignment as whole records are.
//!
//! Time is linear in the number of tokens: hunks do not overlap, and how far loops go on around
//! them is looked at for `PER_TOKEN` steps for each token at most. What is left over then is not
//! told apart.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};

use crate::align::{Alignment, Hunk, Run};
use crate::calls::Wrapper;
use crate::kinds::Kinds;
use crate::token_list::TokenSlice;
use crate::what::What;

/// Records of a hunk that are looked at for an order or a loop, at most.
const MOST: usize = 1 << 20;
/// Steps for each token.
const PER_TOKEN: u64 = 8;
/// A hunk of fewer than `FEW` tokens counts as moved only if it is at most `NEAR` tokens away.
const FEW: usize = 4;
const NEAR: u32 = 32;

/// What each hunk of two sequences is. The sequences, their kinds and their hunks are handed over
/// with each turn, and must be the same each time.
#[derive(Debug)]
pub struct Classifier {
    found: Vec<What>,
    /// Where wrappers begin and end, by side.
    ends: BTreeMap<(usize, u32), Wrapper>,
    /// Steps that are left for loops.
    left: u64,
    /// Of the next hunk, if it may be a loop.
    looped: Option<Loop>,
    moved: Moved,
    /// The records of hunks that are alike, if they are wanted.
    alike: Option<Alike>,
}

impl Classifier {
    /// Of sequences with these numbers of tokens. With `alike`, also which records of hunks are.
    #[must_use]
    pub fn new(lengths: [u32; 2], wrappers: &[Wrapper], alike: bool) -> Self {
        let mut ends = BTreeMap::new();
        for wrapper in wrappers {
            for at in [Some(wrapper.begin), wrapper.end].into_iter().flatten() {
                ends.insert((wrapper.side, at), *wrapper);
            }
        }
        Self {
            found: Vec::new(),
            ends,
            left: PER_TOKEN * lengths.iter().map(|length| u64::from(*length)).sum::<u64>(),
            looped: None,
            moved: Moved::default(),
            alike: alike.then(Alike::default),
        }
    }

    /// Works for about `budget` steps, or as many as a hunk of `MOST` records needs. Returns true
    /// at the end.
    pub fn turn(&mut self, tokens: [TokenSlice<'_>; 2], kinds: &Kinds, hunks: &[Hunk], mut budget: u64) -> bool {
        while let Some(hunk) = hunks.get(self.found.len()) {
            if budget == 0 {
                return false;
            }
            let what = match inside(tokens, kinds, hunk, &self.ends) {
                None => match self.iterations(tokens, kinds, hunk, &mut budget) {
                    None => return false,
                    Some(looped) => looped.unwrap_or_else(|| plain(sides(tokens, hunk), kinds)),
                },
                Some(what) => what,
            };
            budget = budget.saturating_sub(size(hunk) + 1);
            self.found.push(what);
        }
        self.moved.turn(tokens, hunks, &mut self.found, &mut budget)
            && self.alike.as_mut().is_none_or(|alike| alike.turn(tokens, kinds, hunks, &self.found, budget))
    }

    /// What each hunk is. Of a finished one.
    #[must_use]
    pub fn found(&self) -> &[What] {
        &self.found
    }

    /// The records of hunks that are alike, in order. Of a finished one that wants them.
    #[must_use]
    pub fn alike(&self) -> &[Run] {
        self.alike.as_ref().map_or(&[], |alike| &alike.runs)
    }

    /// Whether a hunk has iterations of a loop that both sides have. `None` as long as it is not
    /// known.
    fn iterations(
        &mut self,
        tokens: [TokenSlice<'_>; 2],
        kinds: &Kinds,
        hunk: &Hunk,
        budget: &mut u64,
    ) -> Option<Option<What>> {
        let looped = match self.looped.take() {
            Some(looped) => Some(looped),
            None => {
                let body = u64::from((hunk.a.1 - hunk.a.0).max(hunk.b.1 - hunk.b.0));
                let wanted = if self.left < PER_TOKEN * body { None } else { Loop::new(tokens, kinds, hunk) };
                if wanted.is_some() {
                    self.left -= PER_TOKEN / 2 * body;
                }
                wanted
            }
        };
        let Some(mut looped) = looped else { return Some(None) };
        let before = looped.steps();
        let is_done = looped.turn(tokens, kinds, *budget);
        let steps = looped.steps() - before;
        self.left = self.left.saturating_sub(steps);
        *budget = budget.saturating_sub(steps);
        if !is_done {
            self.looped = Some(looped);
            return None;
        }
        Some(looped.what(tokens))
    }
}

/// The tokens from one number to another.
fn cut(tokens: TokenSlice<'_>, (from, to): (u32, u32)) -> TokenSlice<'_> {
    tokens.range(from as usize..to as usize)
}

fn sides<'t>(tokens: [TokenSlice<'t>; 2], hunk: &Hunk) -> [TokenSlice<'t>; 2] {
    [cut(tokens[0], hunk.a), cut(tokens[1], hunk.b)]
}

fn size(hunk: &Hunk) -> u64 {
    u64::from(hunk.a.1 - hunk.a.0) + u64::from(hunk.b.1 - hunk.b.0)
}

fn plain([a, b]: [TokenSlice<'_>; 2], kinds: &Kinds) -> What {
    match (a.len(), b.len()) {
        (_, 0) => return What::OnlyA,
        (0, _) => return What::OnlyB,
        _ => {}
    }
    if a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| kinds.stem(a) == kinds.stem(b)) {
        What::Arguments
    } else if is_permuted(a, b) {
        What::Order
    } else {
        What::Other
    }
}

fn is_permuted(a: TokenSlice<'_>, b: TokenSlice<'_>) -> bool {
    let sum = |tokens: TokenSlice<'_>| tokens.iter().map(u64::from).sum::<u64>();
    if a.len() != b.len() || a.len() > MOST || sum(a) != sum(b) {
        return false;
    }
    let [mut a, mut b] = [a, b].map(|side| side.iter().collect::<Vec<u32>>());
    a.sort_unstable();
    b.sort_unstable();
    a == b
}

/// Whether one of the calls that only one side has around others begins or ends in a hunk.
fn inside(
    tokens: [TokenSlice<'_>; 2],
    kinds: &Kinds,
    hunk: &Hunk,
    ends: &BTreeMap<(usize, u32), Wrapper>,
) -> Option<What> {
    let sides = [(0, hunk.a), (1, hunk.b)];
    let mut found = sides.iter().filter_map(|(side, (from, to))| ends.range((*side, *from)..(*side, *to)).next());
    let (_, wrapper) = found.next()?;
    let text = |side: usize, at: u32| tokens.get(side)?.get(at as usize).map(|token| kinds.text(token).to_string());
    Some(What::Inside {
        outer: text(wrapper.side, wrapper.begin)?,
        inner: text(1 - wrapper.side, wrapper.inner)?,
        in_b: wrapper.side == 1,
    })
}

/// A hunk that consists of whole iterations, and how far these go on around it on both sides.
#[derive(Debug)]
struct Loop {
    /// The longer side, 0 or 1, and what it has of the hunk. It says what an iteration is.
    side: usize,
    of: (u32, u32),
    /// What the other side has of the hunk.
    other: (u32, u32),
    /// Records of an iteration.
    period: usize,
    /// Records of the loop before and after the hunk on this side, and on the other.
    reach: [usize; 4],
    /// Which of these is being counted.
    leg: usize,
}

impl Loop {
    fn new(tokens: [TokenSlice<'_>; 2], kinds: &Kinds, hunk: &Hunk) -> Option<Self> {
        let [a, b] = [hunk.a, hunk.b];
        let (side, of, other) = if a.1 - a.0 > b.1 - b.0 { (0, a, b) } else { (1, b, a) };
        let [own, others] = if side == 0 { sides(tokens, hunk) } else { [cut(tokens[1], b), cut(tokens[0], a)] };
        if own.is_empty() || own.len() > MOST || own.len() == others.len() {
            return None;
        }
        let period = period(&own.iter().map(|token| kinds.stem(token)).collect::<Vec<_>>());
        let is_whole = own.len().is_multiple_of(period) && others.len().is_multiple_of(period);
        let body = own.range(0..period);
        let is_of = |(is, wanted): (u32, u32)| kinds.stem(is) == kinds.stem(wanted);
        let found = is_whole && others.iter().zip(body.iter().cycle()).all(is_of);
        found.then_some(Self { side, of, other, period, reach: [0; 4], leg: 0 })
    }

    fn steps(&self) -> u64 {
        self.reach.iter().map(|reach| *reach as u64).sum()
    }

    /// Counts on for `budget` records. Returns true at the end.
    fn turn(&mut self, tokens: [TokenSlice<'_>; 2], kinds: &Kinds, mut budget: u64) -> bool {
        let [here, there] = if self.side == 0 { tokens } else { [tokens[1], tokens[0]] };
        let body = cut(here, (self.of.0, self.of.0 + self.period as u32));
        while let Some(reach) = self.reach.get_mut(self.leg) {
            let (of, (from, to)) = if self.leg < 2 { (here, self.of) } else { (there, self.other) };
            let is_back = self.leg.is_multiple_of(2);
            loop {
                let (at, wanted) = if is_back {
                    ((from as usize).checked_sub(*reach + 1), self.period - 1 - *reach % self.period)
                } else {
                    (Some(to as usize + *reach), *reach % self.period)
                };
                let stem = |token: Option<u32>| token.map(|token| kinds.stem(token));
                let is = stem(at.and_then(|at| of.get(at)));
                if is.is_none() || is != stem(body.get(wanted)) {
                    break;
                }
                if budget == 0 {
                    return false;
                }
                *reach += 1;
                budget -= 1;
            }
            self.leg += 1;
        }
        true
    }

    /// What the hunk is, if both sides have the loop.
    fn what(&self, tokens: [TokenSlice<'_>; 2]) -> Option<What> {
        let [here, there] = if self.side == 0 { tokens } else { [tokens[1], tokens[0]] };
        let [back, on, other_back, other_on] = self.reach.map(|reach| reach / self.period * self.period);
        let first = (self.of.0 as usize - back, self.of.1 as usize + on);
        let second = (self.other.0 as usize - other_back, self.other.1 as usize + other_on);
        let count = |(from, to): (usize, usize)| u32::try_from((to - from) / self.period).ok();
        let (mine, others) = (count(first)?, count(second)?);
        if mine < 2 || others < 1 || mine == others {
            return None;
        }
        let is_same =
            |own: usize, other: usize| here.range(own..own + self.period) == there.range(other..other + self.period);
        let same = [is_same(first.0, second.0), is_same(first.1 - self.period, second.1 - self.period)];
        Some(What::Iterations {
            records: u32::try_from(self.period).ok()?,
            counts: if self.side == 0 { [mine, others] } else { [others, mine] },
            same,
        })
    }
}

/// The shortest period of a sequence: the failure function of Knuth, Morris and Pratt.
fn period(keys: &[u32]) -> usize {
    let mut borders = vec![0_u32; keys.len()];
    for at in 1..keys.len() {
        let mut border = borders.get(at - 1).copied().unwrap_or(0);
        while border > 0 && keys.get(border as usize) != keys.get(at) {
            border = borders.get(border as usize - 1).copied().unwrap_or(0);
        }
        if let Some(place) = borders.get_mut(at) {
            *place = border + u32::from(keys.get(border as usize) == keys.get(at));
        }
    }
    keys.len() - borders.last().copied().unwrap_or(0) as usize
}

/// Finds hunks of one side whose records are on the other side elsewhere, in any rotation: where a
/// block has moved that begins as what follows it, its ends are not known.
#[derive(Debug, Default)]
struct Moved {
    /// Hunks that only A has: how many tokens, a hash of them in any order, and the number of the
    /// hunk.
    alone: BTreeSet<(usize, u64, usize)>,
    hasher: RandomState,
    /// The hunks that were looked at, first for what only A has, and then for what only B has.
    seen: [usize; 2],
}

impl Moved {
    fn turn(&mut self, tokens: [TokenSlice<'_>; 2], hunks: &[Hunk], found: &mut [What], budget: &mut u64) -> bool {
        while let Some(hunk) = hunks.get(self.seen[0]) {
            if *budget == 0 {
                return false;
            }
            let [a, b] = sides(tokens, hunk);
            if b.is_empty() && is_movable(a, found.get(self.seen[0])) {
                self.alone.insert((a.len(), self.hash(a), self.seen[0]));
            }
            *budget = budget.saturating_sub(size(hunk) + 1);
            self.seen[0] += 1;
        }
        while let Some(hunk) = hunks.get(self.seen[1]) {
            if *budget == 0 {
                return false;
            }
            let [a, b] = sides(tokens, hunk);
            if a.is_empty() && is_movable(b, found.get(self.seen[1])) {
                self.match_with(tokens, hunks, self.seen[1], found);
            }
            *budget = budget.saturating_sub(2 * size(hunk) + 1);
            self.seen[1] += 1;
        }
        true
    }

    /// The sum does not depend on the order.
    fn hash(&self, part: TokenSlice<'_>) -> u64 {
        part.iter().fold(0_u64, |sum, token| sum.wrapping_add(self.hasher.hash_one(token)))
    }

    /// Matches what only B has with the nearest of those that are left.
    fn match_with(&mut self, tokens: [TokenSlice<'_>; 2], hunks: &[Hunk], number: usize, found: &mut [What]) {
        let Some(hunk) = hunks.get(number) else { return };
        let b = cut(tokens[1], hunk.b);
        let hash = self.hash(b);
        let before = self.alone.range((b.len(), hash, 0)..(b.len(), hash, number)).next_back();
        let after = self.alone.range((b.len(), hash, number)..=(b.len(), hash, usize::MAX)).next();
        let away = |other: usize| hunks.get(other).map_or(u32::MAX, |it| it.a.0.abs_diff(hunk.a.0));
        let near = [before, after].into_iter().flatten().map(|it| (away(it.2), *it));
        let Some((distance, other)) = near.min() else { return };
        let is_loop = matches!(found.get(number), Some(What::Iterations { .. }));
        if b.len() < FEW && (distance > NEAR || is_loop) {
            return;
        }
        let a = hunks.get(other.2).map_or(TokenSlice::EMPTY, |it| cut(tokens[0], it.a));
        if !is_permuted(a, b) {
            return;
        }
        self.alone.remove(&other);
        for moved in [number, other.2] {
            if let Some(what) = found.get_mut(moved) {
                *what = What::Order;
            }
        }
    }
}

fn is_movable(part: TokenSlice<'_>, what: Option<&What>) -> bool {
    !part.is_empty() && part.len() <= MOST && matches!(what, Some(What::OnlyA | What::OnlyB | What::Iterations { .. }))
}

/// The records of hunks that are alike.
#[derive(Debug, Default)]
struct Alike {
    runs: Vec<Run>,
    /// How many hunks were looked at.
    seen: usize,
    /// Of the next hunk: the stems of both sides, and their alignment.
    under_way: Option<([Vec<u32>; 2], Alignment)>,
}

impl Alike {
    fn turn(
        &mut self,
        tokens: [TokenSlice<'_>; 2],
        kinds: &Kinds,
        hunks: &[Hunk],
        found: &[What],
        mut budget: u64,
    ) -> bool {
        while let Some(hunk) = hunks.get(self.seen) {
            if budget == 0 {
                return false;
            }
            let [a, b] = sides(tokens, hunk);
            if found.get(self.seen) == Some(&What::Arguments) {
                self.runs.push(Run { a: hunk.a.0, b: hunk.b.0, length: hunk.a.1 - hunk.a.0 });
            } else if !a.is_empty() && !b.is_empty() {
                let ([x, y], alignment) = self.under_way.get_or_insert_with(|| {
                    let stems = [a, b].map(|side| side.iter().map(|token| kinds.stem(token)).collect::<Vec<_>>());
                    let lengths = [hunk.a.1 - hunk.a.0, hunk.b.1 - hunk.b.0];
                    (stems, Alignment::new(lengths))
                });
                let before = alignment.work();
                let is_aligned = alignment.turn([(&*x).into(), (&*y).into()], budget);
                budget = budget.saturating_sub(alignment.work() - before);
                if !is_aligned {
                    return false;
                }
                let moved = |run: &Run| Run { a: hunk.a.0 + run.a, b: hunk.b.0 + run.b, ..*run };
                self.runs.extend(alignment.runs().iter().map(moved));
                self.under_way = None;
            }
            budget = budget.saturating_sub(1);
            self.seen += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens whose names are their tens: what differs, and what is alike.
    fn of(a: &[u32], b: &[u32]) -> (Vec<(Hunk, What)>, Vec<Run>) {
        let names: Vec<u32> = (0..100).map(|token| token / 10).collect();
        let kinds = Kinds::of_names(names, Vec::new(), vec!["f".into(); 10]);
        let hunks = Alignment::of(a, b).hunks();
        let lengths = [a.len() as u32, b.len() as u32];
        let mut whole = Classifier::new(lengths, &[], true);
        assert!(whole.turn([a, b].map(TokenSlice::from), &kinds, &hunks, u64::MAX));
        let mut parts = Classifier::new(lengths, &[], true);
        while !parts.turn([a, b].map(TokenSlice::from), &kinds, &hunks, 1) {}
        assert_eq!((parts.found(), parts.alike()), (whole.found(), whole.alike()));
        (hunks.into_iter().zip(whole.found().iter().cloned()).collect(), whole.alike().to_vec())
    }

    fn found(a: &[u32], b: &[u32]) -> Vec<What> {
        of(a, b).0.into_iter().map(|(_, kind)| kind).collect()
    }

    #[test]
    fn what_only_one_side_has() {
        assert_eq!(found(&[1, 22, 33], &[1, 33]), [What::OnlyA]);
        assert_eq!(found(&[1, 33], &[1, 22, 33]), [What::OnlyB]);
        assert_eq!(found(&[1, 3], &[1, 3]), []);
    }

    #[test]
    fn records_with_other_arguments_are_alike() {
        let (hunks, alike) = of(&[1, 11, 21, 31], &[1, 12, 22, 31]);
        assert_eq!(hunks.iter().map(|it| it.1.clone()).collect::<Vec<_>>(), [What::Arguments]);
        assert_eq!(alike, [Run { a: 1, b: 1, length: 2 }]);
        // One has no counterpart even so.
        let (hunks, alike) = of(&[1, 11, 41, 21, 31], &[1, 12, 22, 31]);
        assert_eq!(hunks.iter().map(|it| it.1.clone()).collect::<Vec<_>>(), [What::Other]);
        assert_eq!(alike, [Run { a: 1, b: 1, length: 1 }, Run { a: 3, b: 2, length: 1 }]);
    }

    #[test]
    fn records_in_another_order() {
        assert_eq!(found(&[1, 21, 31, 2], &[1, 31, 21, 2]), [What::Order, What::Order]);
        let block: Vec<u32> = (40..52).collect();
        let long: Vec<u32> = (60..99).collect();
        let a = [&block[..], &long].concat();
        let b = [&long[..], &block].concat();
        assert_eq!(found(&a, &b), [What::Order, What::Order]);
        // One of many that are the same, far away, has not moved.
        let a = [&[1][..], &long, &long].concat();
        let b = [&long[..], &long, &[1]].concat();
        assert_eq!(found(&a, &b), [What::OnlyA, What::OnlyB]);
    }

    #[test]
    fn iterations_of_a_loop() {
        let turn = [1, 21, 31];
        let a = [&[91][..], &turn.repeat(5), &[81]].concat();
        let b = [&[91][..], &turn.repeat(2), &[81]].concat();
        let what = |counts| What::Iterations { records: 3, counts, same: [true, true] };
        assert_eq!(found(&a, &b), [what([5, 2])]);
        assert_eq!(found(&b, &a), [what([2, 5])]);
        // All iterations of it: none is left.
        assert_eq!(found(&a, &[91, 81]), [What::OnlyA]);
    }

    #[test]
    fn work_is_linear_where_hunks_are_many() {
        // Each hunk is alone, and is like all others.
        let count = 20_000;
        let a: Vec<u32> = (0..count).flat_map(|_| [1, 21, 31]).collect();
        let b: Vec<u32> = (0..count).flat_map(|_| [21, 1, 31]).collect();
        let hunks = (0..count).flat_map(|n| {
            let (at, end) = (3 * n, 3 * n + 2);
            [Hunk { a: (at, at + 1), b: (at, at) }, Hunk { a: (end, end), b: (at + 1, end) }]
        });
        let hunks: Vec<Hunk> = hunks.collect();
        let kinds = Kinds::of_names((0..100).collect(), Vec::new(), Vec::new());
        let mut classifier = Classifier::new([3 * count; 2], &[], false);
        let mut turns = 0;
        while !classifier.turn([&a, &b].map(TokenSlice::from), &kinds, &hunks, 1000) {
            turns += 1;
        }
        assert!(turns < 1000, "{turns} turns of 1000 steps for {} tokens", 6 * count);
        // The nearest one is that of the next place.
        assert_eq!(classifier.found().iter().filter(|what| **what != What::Order).count(), 2);
    }

    #[test]
    fn the_shortest_turn() {
        assert_eq!(period(&[1, 2, 1, 2]), 2);
        assert_eq!(period(&[1, 2, 1]), 2);
        assert_eq!(period(&[1, 2, 3]), 3);
        assert_eq!(period(&[7]), 1);
        assert_eq!(period(&[7, 7, 7]), 1);
    }
}
