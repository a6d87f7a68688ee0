//! Which thread of one trace is which of another, by what they do.
//!
//! Ids of threads are a matter of chance: in two runs of a program, 1 and 2 may be exchanged. Of
//! each thread, a [`Sketch`] has the smallest hashes of three tokens in a row. The share of them
//! that two threads have in common estimates how much of both is the same (Broder, *On the
//! resemblance and containment of documents*, 1997).

use std::collections::HashMap;

use unspool_trace::TrackId;
use unspool_trace::records::Same;

use crate::token_list::TokenSlice;

/// Hashes of a sketch.
const KEPT: usize = 128;
/// Pairs of threads that are looked at. With more, threads are paired by their order.
const MOST_PAIRS: usize = 1 << 16;

/// What a thread does, in a few numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Ascending.
    hashes: Vec<u64>,
}

impl Sketch {
    /// Of the tokens of a thread.
    #[must_use]
    pub fn of(tokens: TokenSlice<'_>) -> Self {
        let mut hashes: Vec<u64> = Vec::with_capacity(2 * KEPT);
        let mut most = u64::MAX;
        let tidy = |hashes: &mut Vec<u64>| {
            hashes.sort_unstable();
            hashes.dedup();
            hashes.truncate(KEPT);
            if hashes.len() == KEPT { hashes.last().copied().unwrap_or(u64::MAX) } else { u64::MAX }
        };
        let mut before = [u32::MAX; 2];
        for token in tokens.iter() {
            let hash = mixed(before, token);
            before = [before[1], token];
            if hash < most {
                hashes.push(hash);
                if hashes.len() == 2 * KEPT {
                    most = tidy(&mut hashes);
                }
            }
        }
        tidy(&mut hashes);
        Self { hashes }
    }

    /// How much two threads have in common, from 0 to [`KEPT`]: of the smallest hashes of both.
    fn common(&self, other: &Self) -> usize {
        let (mut a, mut b) = (self.hashes.iter().peekable(), other.hashes.iter().peekable());
        let (mut seen, mut common) = (0, 0);
        while seen < KEPT {
            match (a.peek(), b.peek()) {
                (Some(x), Some(y)) if x == y => {
                    common += 1;
                    a.next();
                    b.next();
                }
                (Some(x), Some(y)) if x < y => drop(a.next()),
                (Some(_), Some(_)) => drop(b.next()),
                _ => break,
            }
            seen += 1;
        }
        common
    }
}

/// By what threads are ordered: by their ids, or by when they began.
#[must_use]
pub fn order(same: &Same, id: Option<i64>, begin: u64, track: TrackId) -> (Option<i64>, u64, TrackId) {
    if same.threads_by_id { (id, 0, 0) } else { (None, begin, track) }
}

/// Pairs threads by what they do: indices of both sides, as [`pair`] has them. Each thread has its
/// tokens, and an id if the trace has one.
#[must_use]
pub fn paired(same: &Same, sides: [&[(TokenSlice<'_>, Option<i64>)]; 2]) -> Vec<(Option<usize>, Option<usize>)> {
    if let [[(_, a)], [(_, b)]] = sides
        && (a == b || !same.threads_by_id)
    {
        // Whatever they do.
        return vec![(Some(0), Some(0))];
    }
    let sketches = sides.map(|side| {
        let each = side.iter().map(|(tokens, id)| (Sketch::of(*tokens), id.filter(|_| same.threads_by_id)));
        each.collect::<Vec<_>>()
    });
    let [a, b] = sketches.each_ref().map(|side| side.iter().map(|(it, id)| (it, *id)).collect::<Vec<_>>());
    pair(&a, &b)
}

/// A good mix of three numbers (the finaliser of splitmix64).
fn mixed([first, second]: [u32; 2], third: u32) -> u64 {
    let mut hash = u64::from(first) << 32 | u64::from(second);
    hash = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(third).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    hash = (hash ^ hash >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^ hash >> 31
}

/// Pairs threads: indices of `a` and `b`, in the order of `a`, and then those that only `b` has.
///
/// Each has a sketch and an id, if ids say anything: of several that are alike, those with the same
/// id belong together, else those at the same place. Threads that have nothing in common are paired
/// if they have the same id, or the same place where neither has one.
#[must_use]
pub fn pair(a: &[(&Sketch, Option<i64>)], b: &[(&Sketch, Option<i64>)]) -> Vec<(Option<usize>, Option<usize>)> {
    let ids: HashMap<i64, usize> = b.iter().zip(0..).filter_map(|((_, id), j)| Some(((*id)?, j))).collect();
    let by_id = |i: usize| match a.get(i).and_then(|(_, id)| *id) {
        Some(id) => ids.get(&id).copied(),
        None => Some(i).filter(|i| b.get(*i).is_some_and(|(_, id)| id.is_none())),
    };
    let mut of_a = vec![None; a.len()];
    let mut of_b = vec![false; b.len()];
    if a.len().saturating_mul(b.len()) <= MOST_PAIRS {
        let mut likely: Vec<(usize, bool, usize, usize, usize)> = Vec::new();
        for (i, (sketch, _)) in a.iter().enumerate() {
            for (j, (other, _)) in b.iter().enumerate() {
                let common = sketch.common(other);
                if common > 0 {
                    likely.push((KEPT - common, by_id(i) != Some(j), i.abs_diff(j), i, j));
                }
            }
        }
        likely.sort_unstable();
        for (_, _, _, i, j) in likely {
            if let (Some(place @ None), Some(taken @ false)) = (of_a.get_mut(i), of_b.get_mut(j)) {
                (*place, *taken) = (Some(j), true);
            }
        }
    }
    for (i, place) in of_a.iter_mut().enumerate().filter(|(_, place)| place.is_none()) {
        if let Some(j) = by_id(i)
            && let Some(taken @ false) = of_b.get_mut(j)
        {
            (*place, *taken) = (Some(j), true);
        }
    }
    let left = of_b.iter().enumerate().filter(|(_, taken)| !**taken).map(|(j, _)| (None, Some(j)));
    of_a.iter().enumerate().map(|(i, j)| (Some(i), *j)).chain(left).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(a: &[(&[u32], Option<i64>)], b: &[(&[u32], Option<i64>)]) -> Vec<(Option<usize>, Option<usize>)> {
        let sketches = |of: &[(&[u32], Option<i64>)]| {
            of.iter().map(|(it, id)| (Sketch::of((*it).into()), *id)).collect::<Vec<_>>()
        };
        let (a, b) = (sketches(a), sketches(b));
        pair(
            &a.iter().map(|(it, id)| (it, *id)).collect::<Vec<_>>(),
            &b.iter().map(|(it, id)| (it, *id)).collect::<Vec<_>>(),
        )
    }

    #[test]
    fn threads_that_were_exchanged_are_paired_by_what_they_do() {
        let one: Vec<u32> = (0..500).collect();
        let two: Vec<u32> = (1000..1500).collect();
        let cut = [&two[..100], &two[120..]].concat();
        let a: [(&[u32], Option<i64>); 2] = [(&one, Some(1)), (&two, Some(2))];
        assert_eq!(pairs(&a, &[(&cut, Some(1)), (&one, Some(2))]), [(Some(0), Some(1)), (Some(1), Some(0))]);
        assert_eq!(pairs(&a, &[(&cut, None), (&one, None)]), [(Some(0), Some(1)), (Some(1), Some(0))]);
    }

    #[test]
    fn threads_that_are_alike_are_paired_by_id_and_then_by_place() {
        let same: Vec<u32> = (0..50).collect();
        let ids = [(&same[..], Some(7)), (&same, Some(8)), (&same, Some(9))];
        let other = [(&same[..], Some(9)), (&same, Some(7)), (&same, Some(8))];
        assert_eq!(pairs(&ids, &other), [(Some(0), Some(1)), (Some(1), Some(2)), (Some(2), Some(0))]);
        let none = [(&same[..], None), (&same, None)];
        assert_eq!(pairs(&none, &none), [(Some(0), Some(0)), (Some(1), Some(1))]);
    }

    #[test]
    fn threads_without_anything_in_common_are_paired_by_id_alone() {
        let (one, two) = ([1, 2, 3], [4, 5, 6]);
        assert_eq!(pairs(&[(&one, Some(1))], &[(&two, Some(1))]), [(Some(0), Some(0))]);
        assert_eq!(pairs(&[(&one, Some(1))], &[(&two, Some(2))]), [(Some(0), None), (None, Some(0))]);
        assert_eq!(pairs(&[(&one, None)], &[(&two, None)]), [(Some(0), Some(0))]);
        assert_eq!(pairs(&[], &[]), []);
    }
}
