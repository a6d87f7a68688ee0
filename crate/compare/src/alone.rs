//! Coverage of two executions: which instructions only one of them has executed, anywhere.
//!
//! A stretch that has no counterpart may be code that the other side has executed elsewhere. Here,
//! an instruction counts by its address, relative to its module if that is known.

use crate::kinds::Kinds;
use crate::sequence::Sequence;
use crate::token_list::TokenSlice;

/// What each side has executed: by stem, a bit for A and one for B.
#[derive(Clone, Debug, Default)]
pub struct Alone {
    sides: Vec<u8>,
}

impl Alone {
    /// Of the tokens of all threads of A, and of B.
    #[must_use]
    pub fn of(kinds: &Kinds, sides: [&mut dyn Iterator<Item = TokenSlice<'_>>; 2]) -> Self {
        let mut found = Self::default();
        for (bit, side) in [1, 2].into_iter().zip(sides) {
            for token in side.flat_map(TokenSlice::iter) {
                let name = kinds.name(token) as usize;
                if name >= found.sides.len() && name != u32::MAX as usize {
                    found.sides.resize(name + 1, 0);
                }
                if let Some(sides) = found.sides.get_mut(name) {
                    *sides |= bit;
                }
            }
        }
        found
    }

    /// How many instructions only this side, 0 or 1, has executed.
    #[must_use]
    pub fn count(&self, side: usize) -> u32 {
        self.sides.iter().filter(|bits| usize::from(**bits) == side + 1).count() as u32
    }

    /// The stretches of records of a thread of this side that are such instructions: from and to.
    #[must_use]
    pub fn stretches(&self, kinds: &Kinds, side: usize, sequence: &Sequence) -> Vec<(u32, u32)> {
        let is_alone = |token: u32| self.sides.get(kinds.name(token) as usize).map(|bits| usize::from(*bits));
        let mut found: Vec<(u32, u32)> = Vec::new();
        let mut before = None;
        for (index, _) in
            (0..).zip(sequence.tokens.as_slice().iter()).filter(|(_, token)| is_alone(*token) == Some(side + 1))
        {
            match found.last_mut() {
                Some(last) if before == Some(index) => last.1 = index + 1,
                _ => found.push((index, index + 1)),
            }
            before = Some(index + 1);
        }
        found.into_iter().map(|range| sequence.numbers(range)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_that_the_other_side_has_elsewhere_are_not_alone() {
        // Tokens 0 and 1 are two cases of one instruction.
        let kinds = Kinds::of_names(vec![0, 0, 1, 2, 3], Vec::new(), Vec::new());
        let a = Sequence { tokens: [3, 0, 2, 2, 3].into_iter().collect(), left_out: vec![3], ..Sequence::default() };
        let b = Sequence { tokens: [1, 4].into_iter().collect(), ..Sequence::default() };
        let other = [2_u32];
        let found = Alone::of(
            &kinds,
            [&mut [a.tokens.as_slice()].into_iter(), &mut [b.tokens.as_slice(), (&other).into()].into_iter()],
        );
        assert_eq!([found.count(0), found.count(1)], [1, 1]);
        assert_eq!(found.stretches(&kinds, 0, &a), [(0, 1), (5, 6)]);
        assert_eq!(found.stretches(&kinds, 1, &b), [(1, 2)]);
        let found = Alone::of(&kinds, [&mut [a.tokens.as_slice()].into_iter(), &mut [].into_iter()]);
        assert_eq!(found.stretches(&kinds, 0, &a), [(0, 6)]);
    }
}
