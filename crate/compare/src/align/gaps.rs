//! Areas without anchors, compared by a matrix of bits.
//!
//! The longest common subsequence of two sequences is a row of bits that is updated by one addition
//! for each token of the other side (Hyyrö, *Bit-parallel LCS-length computation revisited*, 2004).
//! Rows are kept, and the way back through them gives the pairs. A matrix of 11 thousand tokens by
//! as many takes 16 MB and two million steps. Before a large one, a greedy search looks whether the
//! two differ in little (Myers, *An O(ND) difference algorithm and its variations*, 1986), which
//! finds a subsequence that is as long.

use std::collections::HashMap;
use std::mem;

use super::anchors::Quick;
use super::{Area, Run, keep};
use crate::token_list::{TokenList, TokenSlice, common};

/// Bits of the largest matrix: 16 MB. An area with at most this number of pairs of tokens is
/// compared exactly.
pub(super) const MOST_BITS: u64 = 1 << 27;

/// Tokens of either side that are compared at once where the whole is larger.
const LEAST_PART: usize = 256;
const MOST_PART: usize = 4096;
/// The same where they have little in common.
const LAST_PART: usize = 2048;

/// Words of a matrix from which on the greedy search comes first.
const SEARCHED: u64 = 1 << 15;

/// Tokens of an area that the greedy search looks at as a whole, and its steps for each of them. It
/// keeps a place of 4 bytes for each step: 16 MiB.
const SEARCHED_WHOLE: usize = 1 << 19;
const SEARCHED_STEPS: u64 = 8;

/// An area that is being compared.
#[derive(Debug)]
pub(super) struct Gap {
    a: Side,
    b: Side,
    /// Pairs from the end of the area on, backwards.
    tail: Vec<Run>,
    /// Nothing more can be taken from the end.
    is_stuck: bool,
    /// How often in a row no change was small.
    misses: u32,
    /// Whether it was looked at as a whole.
    was_searched: bool,
}

/// What is left of one side.
#[derive(Debug, Default)]
struct Side {
    /// The tokens that occur on both sides, renumbered from 0.
    tokens: TokenList,
    /// Their numbers in the sequence: the index of the first of each stretch without others between
    /// them, and its number.
    places: Vec<(u32, u32)>,
    /// How many of them are done.
    at: usize,
}

impl Side {
    /// The tokens of a stretch that begins at `from`, as far as they have a number.
    fn of(stretch: TokenSlice<'_>, from: u32, mut number: impl FnMut(u32) -> Option<u32>) -> Self {
        let mut side = Self { tokens: TokenList::with_room(stretch.len()), ..Self::default() };
        let mut next = None;
        for (place, token) in (from..).zip(stretch.iter()) {
            if let Some(number) = number(token) {
                if next != Some(place) {
                    side.places.push((side.tokens.len() as u32, place));
                }
                side.tokens.push(number);
                next = Some(place + 1);
            }
        }
        side
    }

    fn rest(&self) -> TokenSlice<'_> {
        self.tokens.as_slice().range(self.at..self.tokens.len())
    }

    /// The number in the sequence of the token at an index, and how many tokens before it and after
    /// it belong to its stretch.
    fn place(&self, index: usize) -> (u32, u32, u32) {
        let next = self.places.partition_point(|(first, _)| *first as usize <= index);
        let end = self.places.get(next).map_or(self.tokens.len() as u32, |(first, _)| *first);
        let (first, number) = next.checked_sub(1).and_then(|at| self.places.get(at)).copied().unwrap_or_default();
        let before = (index as u32).saturating_sub(first);
        (number + before, before, end.saturating_sub(index as u32 + 1))
    }

    /// The place of the token `k` before the last one.
    fn before_end(&self, k: usize) -> (u32, u32, u32) {
        self.place(self.tokens.len().saturating_sub(k + 1))
    }

    /// Drops tokens at the end.
    fn shorten(&mut self, count: usize) {
        let left = self.tokens.len().saturating_sub(count);
        self.tokens.truncate(left);
        self.places.truncate(self.places.partition_point(|(first, _)| (*first as usize) < left));
    }
}

impl Gap {
    /// What occurs on one side only is left out: it has no counterpart.
    pub(super) fn new(tokens: [TokenSlice<'_>; 2], area: Area) -> Self {
        let [a, b] = area.of(tokens);
        if b.len() > a.len() {
            let Self { a, b, .. } = Self::new([tokens[1], tokens[0]], Area { a: area.b, b: area.a });
            return Self { a: b, b: a, tail: Vec::new(), is_stuck: false, misses: 0, was_searched: false };
        }
        // The kinds of the shorter side, numbered in the order in which the other one has them.
        let mut kinds: HashMap<u32, Option<u32>, Quick> = HashMap::default();
        // One by one, as room for all is much more than that for the kinds.
        for token in b.iter() {
            kinds.entry(token).or_default();
        }
        let mut count = 0;
        let a = Side::of(a, area.a.0, |token| {
            let kind = kinds.get_mut(&token)?;
            Some(*kind.get_or_insert_with(|| {
                count += 1;
                count - 1
            }))
        });
        let b = Side::of(b, area.b.0, |token| kinds.get(&token).copied().flatten());
        Self { a, b, tail: Vec::new(), is_stuck: false, misses: 0, was_searched: false }
    }

    /// Goes on until `work` reaches `end`, and adds the pairs that it finds to `found`. Returns
    /// true once all is compared.
    pub(super) fn turn(&mut self, work: &mut u64, end: u64, found: &mut Vec<Run>) -> bool {
        loop {
            let [a, b] = self.rest();
            let equal = a.common(b);
            *work += equal as u64 + 1;
            self.take_equal(equal, found);
            self.skip(equal, equal);
            let [a, b] = self.rest();
            if a.is_empty() || b.is_empty() {
                found.extend(self.tail.drain(..).rev());
                return true;
            }
            if *work >= end {
                return false;
            }
            if !mem::replace(&mut self.was_searched, true)
                && let Some(pairs) = self.whole(work)
            {
                self.take(&pairs, found);
                return true;
            }
            if self.resume(work, found) || self.resume_from_end(work) {
                self.misses = 0;
                continue;
            }
            self.misses += 1;
            if self.pairs() <= MOST_BITS {
                let pairs = self.part(usize::MAX, work);
                self.take(&pairs, found);
                found.extend(self.tail.drain(..).rev());
                return true;
            }
            // At the end that has more in common. What is far in a part may have a better
            // counterpart beyond it, so half of it counts.
            let (front, back) = (self.part(LAST_PART, work), self.part_from_end(LAST_PART, work));
            let (front, back) = (near(&front), near(&back));
            if back.len() > front.len() {
                self.take_from_end(back);
                self.is_stuck = false;
            } else {
                self.take(front, found);
                let (a, b) = front.last().map_or((0, 0), |(a, b)| (a + 1, b + 1));
                // Parts that have nothing in common end, too.
                let rest = (LAST_PART - a - b) / 2;
                self.skip(a + rest, b + rest);
            }
        }
    }

    /// All pairs, where the sides are not too long and differ in little.
    fn whole(&self, work: &mut u64) -> Option<Vec<(usize, usize)>> {
        let [a, b] = self.rest();
        if self.pairs() <= MOST_BITS || a.len() + b.len() > SEARCHED_WHOLE {
            return None;
        }
        let [a, b] = [a, b].map(|side| side.iter().collect::<Vec<u32>>());
        nearly_equal(&a, &b, (a.len() + b.len()) as u64 * SEARCHED_STEPS, work)
    }

    /// Goes on behind a small change in what is otherwise equal, such as a turn of a long loop:
    /// compares parts of growing size, and takes the pairs up to the end of the first long run of
    /// neighbours, if few tokens before it have no counterpart. Returns false if there is no such
    /// run: in a part, the best pairs are not those of the whole.
    fn resume(&mut self, work: &mut u64, found: &mut Vec<Run>) -> bool {
        let mut size = LEAST_PART;
        while size <= self.most_part() && self.pairs() > MOST_BITS {
            let pairs = self.part(size, work);
            let pairs = up_to_long_run(&pairs, size);
            if let Some(&(a, b)) = pairs.last() {
                self.take(pairs, found);
                self.skip(a + 1, b + 1);
                return true;
            }
            size *= 2;
        }
        false
    }

    /// The same from the end on, backwards: of a loop behind something long that only one side has.
    fn resume_from_end(&mut self, work: &mut u64) -> bool {
        let mut size = LEAST_PART;
        while size <= self.most_part() && !self.is_stuck && self.pairs() > MOST_BITS {
            let pairs = self.part_from_end(size, work);
            let pairs = up_to_long_run(&pairs, size);
            if !pairs.is_empty() {
                self.take_from_end(pairs);
                return true;
            }
            size *= 2;
        }
        self.is_stuck = true;
        false
    }

    /// How many tokens are worth a look: few where the last looks have found nothing.
    fn most_part(&self) -> usize {
        if self.misses < 4 || self.misses.is_multiple_of(8) { MOST_PART } else { LEAST_PART }
    }

    /// How many pairs of tokens are left.
    fn pairs(&self) -> u64 {
        let [a, b] = self.rest();
        (a.len() as u64).saturating_mul(b.len() as u64)
    }

    /// The pairs of the next tokens, at most `most` of either side.
    fn part(&self, most: usize, work: &mut u64) -> Vec<(usize, usize)> {
        let [a, b] = self.rest().map(|side| side.iter().take(most).collect::<Vec<u32>>());
        longest(&a, &b, work)
    }

    /// The pairs of the last tokens, counted from the end.
    fn part_from_end(&self, most: usize, work: &mut u64) -> Vec<(usize, usize)> {
        let [a, b] = self.rest().map(|side| side.iter().rev().take(most).collect::<Vec<u32>>());
        longest(&a, &b, work)
    }

    /// Takes pairs, which count from the end, and what is equal before them.
    fn take_from_end(&mut self, pairs: &[(usize, usize)]) {
        for &(a, b) in pairs {
            self.take_last(a, b, 1);
        }
        let (a, b) = pairs.last().map_or((0, 0), |(a, b)| (a + 1, b + 1));
        self.a.shorten(a);
        self.b.shorten(b);
        let [a, b] = self.rest();
        let equal = a.common_at_end(b);
        let mut k = 0;
        while k < equal {
            k += self.take_last(k, k, equal - k);
        }
        self.a.shorten(equal);
        self.b.shorten(equal);
    }

    /// Takes a pair, which counts from the end, and at most `most` with those before it, as far as
    /// they are neighbours. Returns how many.
    fn take_last(&mut self, a: usize, b: usize, most: usize) -> usize {
        let ((a, before_a, _), (b, before_b, _)) = (self.a.before_end(a), self.b.before_end(b));
        let more = before_a.min(before_b).min(most as u32 - 1);
        match self.tail.last_mut() {
            Some(run) if (run.a, run.b) == (a + 1, b + 1) => {
                *run = Run { a: a - more, b: b - more, length: run.length + more + 1 };
            }
            _ => self.tail.push(Run { a: a - more, b: b - more, length: more + 1 }),
        }
        more as usize + 1
    }

    fn rest(&self) -> [TokenSlice<'_>; 2] {
        [self.a.rest(), self.b.rest()]
    }

    fn skip(&mut self, a: usize, b: usize) {
        self.a.at += a;
        self.b.at += b;
    }

    /// Adds pairs, which count from where the gap is.
    fn take(&self, pairs: &[(usize, usize)], found: &mut Vec<Run>) {
        for &(a, b) in pairs {
            self.take_pairs(a, b, 1, found);
        }
    }

    /// Adds a number of pairs from where the gap is on: of a long loop, millions.
    fn take_equal(&self, count: usize, found: &mut Vec<Run>) {
        let mut k = 0;
        while k < count {
            k += self.take_pairs(k, k, count - k, found);
        }
    }

    /// Adds a pair, which counts from where the gap is, and at most `most` with those behind it, as
    /// far as they are neighbours. Returns how many.
    fn take_pairs(&self, a: usize, b: usize, most: usize, found: &mut Vec<Run>) -> usize {
        let ((a, _, more_a), (b, _, more_b)) = (self.a.place(self.a.at + a), self.b.place(self.b.at + b));
        let more = more_a.min(more_b).min(most as u32 - 1);
        keep(found, Run { a, b, length: more + 1 });
        more as usize + 1
    }
}

/// The pairs in the nearer half of a part of [`LAST_PART`] tokens.
fn near(pairs: &[(usize, usize)]) -> &[(usize, usize)] {
    let count = pairs.partition_point(|(a, b)| a + b + 2 <= LAST_PART);
    pairs.get(..count).unwrap_or_default()
}

/// The pairs of a part up to the end of the first long run of neighbours, if few tokens before it
/// have no counterpart; else none.
fn up_to_long_run(pairs: &[(usize, usize)], size: usize) -> &[(usize, usize)] {
    let mut run = 0;
    let mut before = None;
    let end = pairs.iter().position(|&(a, b)| {
        run = if before == a.checked_sub(1).zip(b.checked_sub(1)) { run + 1 } else { 1 };
        before = Some((a, b));
        run >= size / 4
    });
    let pairs = end.and_then(|end| pairs.get(..=end)).unwrap_or_default();
    let is_near = pairs.last().is_some_and(|(a, b)| a + b + 2 <= 2 * pairs.len() + size / 4);
    if is_near { pairs } else { &[] }
}

/// The pairs of a longest common subsequence of two sequences.
pub(super) fn longest(a: &[u32], b: &[u32], work: &mut u64) -> Vec<(usize, usize)> {
    // The shorter side makes the rows.
    if b.len() > a.len() {
        return longest(b, a, work).into_iter().map(|(b, a)| (a, b)).collect();
    }
    if b.is_empty() {
        return Vec::new();
    }
    let words = b.len().div_ceil(64);
    let steps = (a.len() * words) as u64;
    if steps > SEARCHED
        && let Some(pairs) = nearly_equal(a, b, steps / 4, work)
    {
        return pairs;
    }
    *work += steps + (a.len() + b.len()) as u64;
    // Where each token is in `b`: a row of bits for a token that is there often, else its places.
    let mut places: Vec<(u32, u32)> = b.iter().zip(0..).map(|(token, place)| (*token, place)).collect();
    places.sort_unstable();
    let mut matches: HashMap<u32, Matches<'_>, Quick> = HashMap::default();
    for places in places.chunk_by(|one, next| one.0 == next.0) {
        let of = if places.len() > words { Matches::Row(row_of(places, words)) } else { Matches::Places(places) };
        matches.insert(places.first().map_or(0, |(token, _)| *token), of);
    }
    // A zero stands where the subsequence is longer by one than before. Each row lies behind the
    // one above it.
    let mut kept = vec![u64::MAX; (a.len() + 1) * words];
    let mut rest = kept.as_mut_slice();
    let mut scratch = vec![0_u64; words];
    for token in a {
        let Some((above, below)) = rest.split_at_mut_checked(words) else { break };
        let next = below.get_mut(..words).unwrap_or_default();
        match matches.get(token) {
            None => next.copy_from_slice(above),
            Some(Matches::Row(row)) => update(above, next, row),
            Some(Matches::Places(places)) => {
                mark(&mut scratch, places);
                update(above, next, &scratch);
                unmark(&mut scratch, places);
            }
        }
        rest = below;
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

/// The pairs of a longest common subsequence, if it is found in about `most` steps: where the
/// number of tokens without a counterpart is small.
fn nearly_equal(a: &[u32], b: &[u32], most: u64, work: &mut u64) -> Option<Vec<(usize, usize)>> {
    // With a number of tokens left out, the furthest place in `a` on each diagonal (the place in
    // `a` minus that in `b`). Rows are one behind the other; row `d` has the diagonals -d, 2 - d,
    // ... d.
    let mut furthest: Vec<u32> = Vec::new();
    let row = |d: usize| d * (d + 1) / 2;
    let (length_a, length_b) = (a.len() as i64, b.len() as i64);
    // Where a diagonal is reached from: from the row above, by leaving out a token of `b` or of
    // `a`.
    let reached = |furthest: &[u32], d: usize, n: usize| -> (i64, bool) {
        let above = |n: usize| furthest.get(row(d - 1) + n).map_or(-1, |at| i64::from(*at));
        let by_b = if n < d { above(n) } else { -1 };
        let by_a = n.checked_sub(1).map_or(-1, |n| above(n) + 1);
        if by_b >= by_a { (by_b, true) } else { (by_a, false) }
    };
    let mut steps = 0;
    let mut d = 0;
    let mut n = 'found: loop {
        for n in 0..=d {
            let diagonal = 2 * n as i64 - d as i64;
            let from = if d == 0 { 0 } else { reached(&furthest, d, n).0 };
            let from_b = from - diagonal;
            // Beyond an end a diagonal goes on as if nothing were equal there.
            let rest = |side: &[u32], from: i64| usize::try_from(from).unwrap_or(0).min(side.len());
            let (rest_a, rest_b) = (a.get(rest(a, from)..)?, b.get(rest(b, from_b)..)?);
            let equal = common(rest_a.iter().zip(rest_b)) as i64;
            furthest.push(u32::try_from(from + equal).unwrap_or(u32::MAX));
            steps += equal as u64 + 1;
            if from + equal == length_a && from_b + equal == length_b {
                break 'found n;
            }
        }
        d += 1;
        if steps > most {
            *work += steps;
            return None;
        }
    };
    *work += steps;
    let mut pairs = Vec::new();
    loop {
        let end = furthest.get(row(d) + n).map_or(0, |at| i64::from(*at));
        let diagonal = 2 * n as i64 - d as i64;
        let (from, by_b) = if d == 0 { (0, false) } else { reached(&furthest, d, n) };
        pairs.extend((from..end).rev().map(|at| (at as usize, (at - diagonal) as usize)));
        if d == 0 {
            break;
        }
        d -= 1;
        n -= usize::from(!by_b);
    }
    pairs.reverse();
    Some(pairs)
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
        carry = over | more;
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
            let found = [longest(&a, &b, &mut 0), nearly_equal(&a, &b, u64::MAX, &mut 0).unwrap()];
            for pairs in found {
                assert_eq!(pairs.len(), plain(&a, &b), "{a:?} {b:?}");
                assert!(pairs.iter().all(|(i, j)| a[*i] == b[*j]));
                assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
            }
        }
        // It gives up in time.
        let (a, b) = (vec![1; 3000], vec![2; 3000]);
        let mut work = 0;
        assert_eq!(nearly_equal(&a, &b, 10_000, &mut work), None);
        assert!(work < 11_000);
    }
}
