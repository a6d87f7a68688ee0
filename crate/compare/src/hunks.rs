//! What a hunk is, and which of its records are alike.
//!
//! Records are *alike* if they are the same but for their arguments: calls of one function, or
//! steps at one address. [`Stems`] numbers what alike records share, as tokens number what equal
//! ones share. Within a hunk, records that are alike are paired by the same alignment, so time
//! stays linear in the length of both sequences.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use crate::align::{Alignment, Hunk, Run};
use crate::tokens::{Contents, stem_of};

/// Tokens of the longest repetition that is looked for.
const MOST_REPEATED: usize = 1 << 22;
/// A hunk of fewer than `FEW` tokens counts as moved only if it is at most `NEAR` tokens away.
const FEW: u32 = 4;
const NEAR: u32 = 32;

/// What a hunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Records of A alone.
    OnlyA,
    /// Records of B alone.
    OnlyB,
    /// The same records but for their arguments.
    Arguments,
    /// The same records in another order. The other half may be another hunk.
    Order,
    /// A loop, whose turns have this many tokens, has more turns on this side.
    Iterations(u32),
    /// Other records.
    Other,
}

/// What records have in common that are the same but for their arguments.
#[derive(Debug, Default)]
pub struct Stems {
    numbers: Contents,
    /// The stem of each token.
    of: Vec<u32>,
}

impl Stems {
    /// Takes what a token stands for, of all tokens in their order.
    pub fn take(&mut self, token: u32, content: &[u8]) {
        if token as usize == self.of.len() {
            let stem = self.numbers.number(stem_of(content));
            self.of.push(stem);
        }
    }

    fn of(&self, tokens: &[u32]) -> Vec<u32> {
        tokens.iter().map(|token| self.of.get(*token as usize).copied().unwrap_or(u32::MAX)).collect()
    }
}

/// What each hunk of two sequences is, and the records of all hunks that are alike: found in turns,
/// for which the sequences and their hunks are handed over again.
#[derive(Debug, Default)]
pub struct Kinds {
    kinds: Vec<Kind>,
    alike: Vec<Run>,
    /// Of the next hunk: the stems of both sides, and their alignment.
    under_way: Option<([Vec<u32>; 2], Alignment)>,
    is_done: bool,
}

impl Kinds {
    /// Works for about `budget` steps, each of which looks at a token. Returns true at the end.
    pub fn turn(&mut self, tokens: [&[u32]; 2], hunks: &[Hunk], stems: &Stems, mut budget: u64) -> bool {
        while let Some(hunk) = hunks.get(self.kinds.len()) {
            if budget == 0 {
                return false;
            }
            let [a, b] = sides(tokens, hunk);
            let kind = match (a.is_empty(), b.is_empty()) {
                (false, true) => repeated(tokens[0], hunk.a).map_or(Kind::OnlyA, Kind::Iterations),
                (true, _) => repeated(tokens[1], hunk.b).map_or(Kind::OnlyB, Kind::Iterations),
                (false, false) => {
                    let ([x, y], alignment) = self.under_way.get_or_insert_with(|| {
                        let stems = [stems.of(a), stems.of(b)];
                        let lengths = [a, b].map(|side| u32::try_from(side.len()).unwrap_or(u32::MAX));
                        (stems, Alignment::new(lengths))
                    });
                    let before = alignment.work();
                    let is_aligned = alignment.turn([x, y], budget);
                    budget = budget.saturating_sub(alignment.work() - before);
                    if !is_aligned {
                        return false;
                    }
                    let runs = alignment.runs();
                    let all = runs.iter().map(|run| run.length as usize).sum::<usize>();
                    self.alike.extend(runs.iter().map(|run| Run { a: hunk.a.0 + run.a, b: hunk.b.0 + run.b, ..*run }));
                    self.under_way = None;
                    if is_permuted(a, b) {
                        Kind::Order
                    } else if all == a.len() && all == b.len() {
                        Kind::Arguments
                    } else {
                        Kind::Other
                    }
                }
            };
            budget = budget.saturating_sub((a.len() + b.len()) as u64 + 1);
            self.kinds.push(kind);
        }
        if !self.is_done {
            moved(tokens, hunks, &mut self.kinds);
            self.is_done = true;
        }
        true
    }

    /// The kind of each hunk. Of a finished one.
    #[must_use]
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// The records of hunks that are alike, in order. Of a finished one.
    #[must_use]
    pub fn alike(&self) -> &[Run] {
        &self.alike
    }
}

fn sides<'t>([a, b]: [&'t [u32]; 2], hunk: &Hunk) -> [&'t [u32]; 2] {
    let cut = |tokens: &'t [u32], (from, to): (u32, u32)| tokens.get(from as usize..to as usize).unwrap_or_default();
    [cut(a, hunk.a), cut(b, hunk.b)]
}

fn is_permuted(a: &[u32], b: &[u32]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let [mut a, mut b] = [a.to_vec(), b.to_vec()];
    a.sort_unstable();
    b.sort_unstable();
    a == b
}

/// The length of a turn, if a part of a sequence consists of whole turns of a loop, and the same
/// turn is before or after it.
fn repeated(tokens: &[u32], (from, to): (u32, u32)) -> Option<u32> {
    let (from, to) = (from as usize, to as usize);
    let part = tokens.get(from..to).filter(|part| part.len() <= MOST_REPEATED)?;
    let turn = period(part);
    let one = part.get(..turn)?;
    let before = from.checked_sub(turn).and_then(|begin| tokens.get(begin..from));
    let after = tokens.get(to..to + turn);
    (before == Some(one) || after == Some(one)).then_some(turn as u32)
}

/// The shortest beginning that the whole consists of.
fn period(part: &[u32]) -> usize {
    // By the longest border of each beginning, as Knuth, Morris and Pratt have it.
    let mut borders = vec![0_u32; part.len()];
    let mut border = 0;
    for at in 1..part.len() {
        while border > 0 && part.get(border) != part.get(at) {
            border = borders.get(border - 1).map_or(0, |shorter| *shorter as usize);
        }
        border += usize::from(part.get(border) == part.get(at));
        if let Some(place) = borders.get_mut(at) {
            *place = border as u32;
        }
    }
    let turn = part.len() - border;
    if turn > 0 && part.len().is_multiple_of(turn) { turn } else { part.len() }
}

/// Finds hunks of one side whose records are on the other side elsewhere, in any rotation: where a
/// block has moved that begins as what follows it, its ends are not known.
fn moved(tokens: [&[u32]; 2], hunks: &[Hunk], kinds: &mut [Kind]) {
    let hasher = RandomState::new();
    // The sum does not depend on the order.
    let hash = |part: &[u32]| part.iter().fold(0_u64, |sum, token| sum.wrapping_add(hasher.hash_one(token)));
    let mut of_a: HashMap<(usize, u64), Vec<usize>> = HashMap::new();
    let is_whole = |kind: Option<&Kind>| matches!(kind, Some(Kind::OnlyA | Kind::OnlyB | Kind::Iterations(_)));
    let one_sided = |number: usize, kinds: &[Kind]| is_whole(kinds.get(number));
    for (number, hunk) in hunks.iter().enumerate().filter(|(number, _)| one_sided(*number, kinds)) {
        let [a, _] = sides(tokens, hunk);
        if !a.is_empty() {
            of_a.entry((a.len(), hash(a))).or_default().push(number);
        }
    }
    for (number, hunk) in hunks.iter().enumerate() {
        let [_, b] = sides(tokens, hunk);
        if b.is_empty() || !one_sided(number, kinds) {
            continue;
        }
        let Some(found) = of_a.get_mut(&(b.len(), hash(b))) else { continue };
        // The nearest of those that are left.
        let at = found.partition_point(|other| *other < number);
        let away = |other: usize| hunks.get(other).map_or(u32::MAX, |it| it.a.0.abs_diff(hunk.a.0));
        let near = [at.checked_sub(1), Some(at)].into_iter().flatten();
        let best = near.filter_map(|at| Some((away(*found.get(at)?), at))).min();
        let Some((distance, at)) = best else { continue };
        let is_loop = kinds.get(number).is_some_and(|kind| matches!(kind, Kind::Iterations(_)));
        if (b.len() as u32) < FEW && (distance > NEAR || is_loop) {
            continue;
        }
        let other = found.remove(at);
        for moved in [number, other] {
            if let Some(kind) = kinds.get_mut(moved) {
                *kind = Kind::Order;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens whose stems are their tens.
    fn of(a: &[u32], b: &[u32]) -> (Vec<(Hunk, Kind)>, Vec<Run>) {
        let mut stems = Stems::default();
        for token in 0..100_u32 {
            stems.take(token, &call(&format!("f{}", token / 10), token));
        }
        let hunks = Alignment::of(a, b).hunks();
        let mut whole = Kinds::default();
        assert!(whole.turn([a, b], &hunks, &stems, u64::MAX));
        let mut parts = Kinds::default();
        while !parts.turn([a, b], &hunks, &stems, 1) {}
        assert_eq!((parts.kinds(), parts.alike()), (whole.kinds(), whole.alike()));
        (hunks.into_iter().zip(whole.kinds().iter().copied()).collect(), whole.alike().to_vec())
    }

    /// Contents of a call, as `Tokens` writes them: its name, and an argument.
    fn call(name: &str, argument: u32) -> Vec<u8> {
        let mut content = vec![1];
        content.extend((name.len() as u32).to_le_bytes());
        content.extend(name.as_bytes());
        content.push(12);
        content.extend(4_u32.to_le_bytes());
        content.extend(b"args");
        content.push(2);
        content.extend(u64::from(argument).to_le_bytes());
        content.push(14);
        content
    }

    fn found(a: &[u32], b: &[u32]) -> Vec<Kind> {
        of(a, b).0.into_iter().map(|(_, kind)| kind).collect()
    }

    #[test]
    fn what_only_one_side_has() {
        assert_eq!(found(&[1, 2, 3], &[1, 3]), [Kind::OnlyA]);
        assert_eq!(found(&[1, 3], &[1, 2, 3]), [Kind::OnlyB]);
        assert_eq!(found(&[1, 3], &[1, 3]), []);
    }

    #[test]
    fn records_with_other_arguments_are_alike() {
        let (hunks, alike) = of(&[1, 11, 21, 31], &[1, 12, 22, 31]);
        assert_eq!(hunks.iter().map(|it| it.1).collect::<Vec<_>>(), [Kind::Arguments]);
        assert_eq!(alike, [Run { a: 1, b: 1, length: 2 }]);
        // One has no counterpart even so.
        let (hunks, alike) = of(&[1, 11, 41, 21, 31], &[1, 12, 22, 31]);
        assert_eq!(hunks.iter().map(|it| it.1).collect::<Vec<_>>(), [Kind::Other]);
        assert_eq!(alike, [Run { a: 1, b: 1, length: 1 }, Run { a: 3, b: 2, length: 1 }]);
    }

    #[test]
    fn records_in_another_order() {
        assert_eq!(found(&[1, 21, 31, 2], &[1, 31, 21, 2]), [Kind::Order, Kind::Order]);
        let block: Vec<u32> = (40..52).collect();
        let long: Vec<u32> = (60..99).collect();
        let a = [&block[..], &long].concat();
        let b = [&long[..], &block].concat();
        assert_eq!(found(&a, &b), [Kind::Order, Kind::Order]);
        // One of many that are the same, far away, has not moved.
        let a = [&[1][..], &long, &long].concat();
        let b = [&long[..], &long, &[1]].concat();
        assert_eq!(found(&a, &b), [Kind::OnlyA, Kind::OnlyB]);
    }

    #[test]
    fn turns_of_a_loop() {
        let turn = [1, 2, 3];
        let a = [&[9][..], &turn.repeat(5), &[8]].concat();
        let b = [&[9][..], &turn.repeat(2), &[8]].concat();
        assert_eq!(found(&a, &b), [Kind::Iterations(3)]);
        assert_eq!(found(&b, &a), [Kind::Iterations(3)]);
        // All turns of it: no turn is left.
        assert_eq!(found(&a, &[9, 8]), [Kind::OnlyA]);
    }

    #[test]
    fn the_shortest_turn() {
        assert_eq!(period(&[1, 2, 1, 2]), 2);
        assert_eq!(period(&[1, 2, 1]), 3);
        assert_eq!(period(&[7]), 1);
        assert_eq!(period(&[7, 7, 7]), 1);
    }
}
