//! Areas without anchors, compared by a matrix of bits.
//!
//! The longest common subsequence of two sequences is a row of bits that is updated by one addition
//! for each token of the other side (Hyyrö, *Bit-parallel LCS-length computation revisited*, 2004).
//! Rows are kept, and the way back through them gives the pairs. A matrix of 11 thousand tokens by
//! as many takes 16 MB and two million steps.

use std::collections::HashMap;

use super::anchors::Quick;
use super::{Area, Run, common};

/// Bits of the largest matrix: 16 MB. An area with at most this number of pairs of tokens is
/// compared exactly.
pub(super) const MOST_BITS: u64 = 1 << 27;

/// Tokens of either side that are compared at once where the whole is larger.
const LEAST_PART: usize = 256;
const MOST_PART: usize = 4096;

/// An area that is being compared.
#[derive(Debug)]
pub(super) struct Gap {
    a: Side,
    b: Side,
}

/// What is left of one side.
#[derive(Debug, Default)]
struct Side {
    /// The tokens that occur on both sides, renumbered from 0, and their numbers in the sequence.
    tokens: Vec<u32>,
    places: Vec<u32>,
    /// How many of them are done.
    at: usize,
}

impl Side {
    /// The tokens of a stretch that begins at `from`, as far as they have a number.
    fn of(stretch: &[u32], from: u32, mut number: impl FnMut(u32) -> Option<u32>) -> Self {
        let mut side = Self::default();
        for (place, token) in (from..).zip(stretch) {
            if let Some(number) = number(*token) {
                side.tokens.push(number);
                side.places.push(place);
            }
        }
        side
    }

    fn rest(&self) -> &[u32] {
        self.tokens.get(self.at..).unwrap_or_default()
    }

    /// The number in the sequence of the token `k` from where the side is.
    fn place(&self, k: usize) -> u32 {
        self.places.get(self.at + k).copied().unwrap_or_default()
    }
}

impl Gap {
    /// What occurs on one side only is left out: it has no counterpart.
    pub(super) fn new(tokens: [&[u32]; 2], area: Area) -> Self {
        let [a, b] = area.of(tokens);
        if b.len() > a.len() {
            let Self { a, b } = Self::new([tokens[1], tokens[0]], Area { a: area.b, b: area.a });
            return Self { a: b, b: a };
        }
        // The kinds of the shorter side, numbered in the order in which the other one has them.
        let mut kinds: HashMap<u32, Option<u32>, Quick> = b.iter().map(|token| (*token, None)).collect();
        let mut count = 0;
        let a = Side::of(a, area.a.0, |token| {
            let kind = kinds.get_mut(&token)?;
            Some(*kind.get_or_insert_with(|| {
                count += 1;
                count - 1
            }))
        });
        let b = Side::of(b, area.b.0, |token| kinds.get(&token).copied().flatten());
        Self { a, b }
    }

    /// Goes on until `work` reaches `end`, and adds the pairs that it finds to `found`. Returns
    /// true once all is compared.
    pub(super) fn turn(&mut self, work: &mut u64, end: u64, found: &mut Vec<Run>) -> bool {
        loop {
            let [a, b] = self.rest();
            let equal = common(a.iter().zip(b)) as usize;
            *work += equal as u64 + 1;
            self.take(&(0..equal).map(|k| (k, k)).collect::<Vec<_>>(), found);
            self.skip(equal, equal);
            let [a, b] = self.rest();
            if a.is_empty() || b.is_empty() {
                return true;
            }
            if *work >= end {
                return false;
            }
            if self.resume(work, found) {
                continue;
            }
            let is_whole = self.pairs() <= MOST_BITS;
            let (mut pairs, sizes) = self.part(if is_whole { usize::MAX } else { MOST_PART }, work);
            if is_whole {
                self.take(&pairs, found);
                return true;
            }
            // What is near the end of a part may have a better counterpart beyond it.
            let kept = pairs.partition_point(|(a, b)| a + b < (sizes[0] + sizes[1]) / 2);
            let next = pairs.get(kept).copied().unwrap_or((sizes[0] / 2, sizes[1] / 2));
            pairs.truncate(kept);
            self.take(&pairs, found);
            // Parts that have little in common end at once.
            let (a, b) = if next == (0, 0) { (sizes[0].div_ceil(2), sizes[1].div_ceil(2)) } else { next };
            self.skip(a, b);
        }
    }

    /// Goes on behind a small change in what is otherwise equal, such as a turn of a long loop:
    /// compares parts of growing size, and takes the pairs up to the end of the first long run of
    /// neighbours, if few tokens before it have no counterpart. Returns false if there is no such
    /// run: in a part, the best pairs are not those of the whole.
    fn resume(&mut self, work: &mut u64, found: &mut Vec<Run>) -> bool {
        let mut size = LEAST_PART;
        while size <= MOST_PART && self.pairs() > MOST_BITS {
            let (mut pairs, _) = self.part(size, work);
            let mut run = 0;
            let mut before = None;
            let end = pairs.iter().position(|&(a, b)| {
                run = if before == a.checked_sub(1).zip(b.checked_sub(1)) { run + 1 } else { 1 };
                before = Some((a, b));
                run >= size / 4
            });
            pairs.truncate(end.map_or(0, |end| end + 1));
            if let Some(&(a, b)) = pairs.last()
                && a + b + 2 <= 2 * pairs.len() + size / 4
            {
                self.take(&pairs, found);
                self.skip(a + 1, b + 1);
                return true;
            }
            size *= 2;
        }
        false
    }

    /// How many pairs of tokens are left.
    fn pairs(&self) -> u64 {
        let [a, b] = self.rest();
        (a.len() as u64).saturating_mul(b.len() as u64)
    }

    /// The pairs of the next tokens, at most `most` of either side, and how many tokens those are.
    fn part(&self, most: usize, work: &mut u64) -> (Vec<(usize, usize)>, [usize; 2]) {
        let [a, b] = self.rest();
        let (a, b) = (a.get(..most).unwrap_or(a), b.get(..most).unwrap_or(b));
        (longest(a, b, work), [a.len(), b.len()])
    }

    fn rest(&self) -> [&[u32]; 2] {
        [self.a.rest(), self.b.rest()]
    }

    fn skip(&mut self, a: usize, b: usize) {
        self.a.at += a;
        self.b.at += b;
    }

    /// Adds pairs, which count from where the gap is.
    fn take(&self, pairs: &[(usize, usize)], found: &mut Vec<Run>) {
        found.extend(pairs.iter().map(|&(a, b)| Run { a: self.a.place(a), b: self.b.place(b), length: 1 }));
    }
}

/// The pairs of a longest common subsequence of two sequences.
fn longest(a: &[u32], b: &[u32], work: &mut u64) -> Vec<(usize, usize)> {
    // The shorter side makes the rows.
    if b.len() > a.len() {
        return longest(b, a, work).into_iter().map(|(b, a)| (a, b)).collect();
    }
    if b.is_empty() {
        return Vec::new();
    }
    let words = b.len().div_ceil(64);
    *work += (a.len() * words + a.len() + b.len()) as u64;
    // Where each token is in `b`: a row of bits for a token that is there often, else its places.
    let mut places: Vec<(u32, u32)> = b.iter().zip(0..).map(|(token, place)| (*token, place)).collect();
    places.sort_unstable();
    let mut matches: HashMap<u32, Matches<'_>, Quick> = HashMap::default();
    for places in places.chunk_by(|one, next| one.0 == next.0) {
        let of = if places.len() > words { Matches::Row(row_of(places, words)) } else { Matches::Places(places) };
        matches.insert(places.first().map_or(0, |(token, _)| *token), of);
    }
    // A zero stands where the subsequence is longer by one than before.
    let mut above = vec![u64::MAX; words];
    let mut below = above.clone();
    let mut kept = above.clone();
    kept.reserve(a.len() * words);
    let mut scratch = vec![0_u64; words];
    for token in a {
        match matches.get(token) {
            None => {}
            Some(Matches::Row(row)) => {
                update(&above, &mut below, row);
                std::mem::swap(&mut above, &mut below);
            }
            Some(Matches::Places(places)) => {
                mark(&mut scratch, places);
                update(&above, &mut below, &scratch);
                std::mem::swap(&mut above, &mut below);
                unmark(&mut scratch, places);
            }
        }
        kept.extend_from_slice(&above);
    }
    let is_zero = |row: usize, column: usize| {
        kept.get(row * words + column / 64).is_some_and(|word| word >> (column % 64) & 1 == 0)
    };
    let (mut row, mut column) = (a.len(), b.len());
    let mut pairs = Vec::new();
    while row > 0 && column > 0 {
        if !is_zero(row, column - 1) {
            column -= 1;
        } else if is_zero(row - 1, column - 1) {
            row -= 1;
        } else {
            row -= 1;
            column -= 1;
            pairs.push((row, column));
        }
    }
    pairs.reverse();
    pairs
}

/// Where a token is in the shorter sequence.
enum Matches<'p> {
    /// A bit for each place.
    Row(Vec<u64>),
    /// The token and its places.
    Places(&'p [(u32, u32)]),
}

fn row_of(places: &[(u32, u32)], words: usize) -> Vec<u64> {
    let mut row = vec![0; words];
    mark(&mut row, places);
    row
}

fn mark(row: &mut [u64], places: &[(u32, u32)]) {
    for (_, place) in places {
        if let Some(word) = row.get_mut(*place as usize / 64) {
            *word |= 1 << (place % 64);
        }
    }
}

fn unmark(row: &mut [u64], places: &[(u32, u32)]) {
    for (_, place) in places {
        if let Some(word) = row.get_mut(*place as usize / 64) {
            *word = 0;
        }
    }
}

/// A row from the one above it: `matches` has the places of its token.
fn update(above: &[u64], below: &mut [u64], matches: &[u64]) {
    let mut carry = false;
    for ((above, below), matches) in above.iter().zip(below).zip(matches) {
        let found = above & matches;
        let (sum, over) = above.overflowing_add(found);
        let (sum, more) = sum.overflowing_add(u64::from(carry));
        carry = over || more;
        *below = sum | (above & !matches);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length by the textbook's table.
    fn plain(a: &[u32], b: &[u32]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut corner = 0;
            for (j, y) in b.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = if x == y { corner + 1 } else { above.max(row[j]) };
                corner = above;
            }
        }
        row[b.len()]
    }

    #[test]
    fn the_matrix_is_as_long_as_the_table() {
        let mut state = 7_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..300 {
            let kinds = 1 + next(9);
            let mut tokens = |most: u64| (0..next(most)).map(|_| next(kinds) as u32).collect::<Vec<_>>();
            let (a, b) = (tokens(200), tokens(200));
            let pairs = longest(&a, &b, &mut 0);
            assert_eq!(pairs.len(), plain(&a, &b), "{a:?} {b:?}");
            assert!(pairs.iter().all(|(i, j)| a[*i] == b[*j]));
            assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        }
    }
}
