//! Lists of tokens that take two bytes a token as long as all of them fit.
//!
//! Ten million records of either side are 82 MB of numbers of four bytes, and most traces have
//! fewer than 65 thousand different records, or differ in fewer.

use std::ops::Range;

/// No record has been seen here yet.
pub(crate) const HOLE: u32 = u32::MAX;
/// The record here is to be ignored.
pub const LEFT_OUT: u32 = u32::MAX - 1;

/// The least token that takes four bytes, but for [`LEFT_OUT`] and [`HOLE`]: these are the last two
/// numbers of two bytes, too.
const WIDE: u32 = LEFT_OUT & 0xFFFF;

/// A token in fewer bytes, if it fits.
#[inline]
fn narrowed(token: u32) -> Option<u16> {
    (!(WIDE..LEFT_OUT).contains(&token)).then_some(token as u16)
}

/// The token that two bytes stand for.
#[inline]
pub(crate) fn widened(token: u16) -> u32 {
    let token = u32::from(token);
    if token < WIDE { token } else { token | !0xFFFF }
}

/// Tokens, of two bytes each if all of them fit.
#[derive(Clone, Debug, Default)]
pub struct TokenList {
    narrow: Vec<u16>,
    /// All of them, once one does not fit.
    wide: Option<Vec<u32>>,
}

/// A part of a list of tokens, or of numbers like them.
#[derive(Clone, Copy, Debug)]
pub enum TokenSlice<'t> {
    /// Of two bytes each.
    Narrow(&'t [u16]),
    /// Of four bytes each.
    Wide(&'t [u32]),
}

impl TokenList {
    /// With memory for a number of tokens of two bytes: a list that grows takes three times as much
    /// meanwhile. What is not used of it remains virtual. Without the memory, the list grows.
    #[must_use]
    pub fn with_room(expected: usize) -> Self {
        let mut narrow = Vec::new();
        let _ = narrow.try_reserve_exact(expected);
        Self { narrow, wide: None }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of them.
    #[must_use]
    pub fn as_slice(&self) -> TokenSlice<'_> {
        self.wide.as_deref().map_or(TokenSlice::Narrow(&self.narrow), TokenSlice::Wide)
    }

    /// Adds one at the end.
    #[inline]
    pub fn push(&mut self, token: u32) {
        match (&mut self.wide, narrowed(token)) {
            (None, Some(token)) => self.narrow.push(token),
            (Some(tokens), _) => tokens.push(token),
            (None, None) => self.wide().push(token),
        }
    }

    /// Puts a token in place of that at an index, if there is one.
    pub(crate) fn set(&mut self, index: usize, token: u32) {
        match (&mut self.wide, narrowed(token)) {
            (None, Some(token)) => self.narrow.get_mut(index).into_iter().for_each(|place| *place = token),
            (Some(tokens), _) => tokens.get_mut(index).into_iter().for_each(|place| *place = token),
            (None, None) => self.wide().get_mut(index).into_iter().for_each(|place| *place = token),
        }
    }

    /// Puts tokens in place of those at an index, and behind the end; between the end and an index
    /// beyond it is [`HOLE`].
    pub(crate) fn put(&mut self, first: usize, tokens: &[u32]) {
        let fitting = match self.wide {
            Some(_) => None,
            None => tokens.iter().map(|token| narrowed(*token)).collect::<Option<Vec<u16>>>(),
        };
        match fitting {
            Some(tokens) => put(&mut self.narrow, first, &tokens, HOLE as u16),
            None => put(self.wide(), first, tokens, HOLE),
        }
    }

    /// Drops those behind a number of them.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.narrow.truncate(count);
        self.wide.iter_mut().for_each(|tokens| tokens.truncate(count));
    }

    /// Drops those that are not to be kept.
    pub(crate) fn retain(&mut self, keeps: impl Fn(u32) -> bool) {
        match &mut self.wide {
            None => self.narrow.retain(|token| keeps(widened(*token))),
            Some(tokens) => tokens.retain(|token| keeps(*token)),
        }
    }

    /// Puts another token in place of each.
    pub fn replace(&mut self, other: impl Fn(u32) -> u32) {
        let mut done = 0;
        if self.wide.is_none() {
            for token in &mut self.narrow {
                let Some(fitting) = narrowed(other(widened(*token))) else { break };
                *token = fitting;
                done += 1;
            }
            if done == self.narrow.len() {
                return;
            }
        }
        for token in self.wide().iter_mut().skip(done) {
            *token = other(*token);
        }
    }

    /// Makes each take four bytes.
    #[inline(never)]
    fn wide(&mut self) -> &mut Vec<u32> {
        let Self { narrow, wide } = self;
        wide.get_or_insert_with(|| {
            let narrow = std::mem::take(narrow);
            let mut wide = Vec::new();
            let _ = wide.try_reserve_exact(narrow.capacity());
            wide.extend(narrow.iter().map(|token| widened(*token)));
            wide
        })
    }
}

impl PartialEq for TokenList {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for TokenList {}

impl<const N: usize> PartialEq<[u32; N]> for TokenList {
    fn eq(&self, other: &[u32; N]) -> bool {
        self.as_slice() == TokenSlice::from(other)
    }
}

impl FromIterator<u32> for TokenList {
    fn from_iter<I: IntoIterator<Item = u32>>(tokens: I) -> Self {
        let mut list = Self::default();
        for token in tokens {
            list.push(token);
        }
        list
    }
}

/// Puts items in place of those at an index, and behind the end.
fn put<T: Copy>(list: &mut Vec<T>, first: usize, items: &[T], hole: T) {
    if first > list.len() {
        list.resize(first, hole);
    }
    let known = (list.len() - first).min(items.len());
    let (over, beyond) = items.split_at_checked(known).unwrap_or((items, &[]));
    if let Some(places) = list.get_mut(first..first + known) {
        places.copy_from_slice(over);
    }
    list.extend_from_slice(beyond);
}

impl<'t> TokenSlice<'t> {
    /// None.
    pub const EMPTY: Self = Self::Narrow(&[]);

    /// How many there are.
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Self::Narrow(tokens) => tokens.len(),
            Self::Wide(tokens) => tokens.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// That at an index.
    #[inline]
    #[must_use]
    pub fn get(self, index: usize) -> Option<u32> {
        match self {
            Self::Narrow(tokens) => tokens.get(index).map(|token| widened(*token)),
            Self::Wide(tokens) => tokens.get(index).copied(),
        }
    }

    /// Those of a range; none if it goes beyond the end.
    #[must_use]
    pub fn range(self, range: Range<usize>) -> Self {
        match self {
            Self::Narrow(tokens) => Self::Narrow(tokens.get(range).unwrap_or_default()),
            Self::Wide(tokens) => Self::Wide(tokens.get(range).unwrap_or_default()),
        }
    }

    /// Each of them.
    #[must_use]
    pub fn iter(self) -> Iter<'t> {
        match self {
            Self::Narrow(tokens) => Iter::Narrow(tokens.iter()),
            Self::Wide(tokens) => Iter::Wide(tokens.iter()),
        }
    }

    /// How many are equal from the beginning on.
    pub(crate) fn common(self, other: Self) -> usize {
        // Not by iterators of either width: those of one width are compared several at a time.
        match (self, other) {
            (Self::Narrow(a), Self::Narrow(b)) => common(a.iter().zip(b)),
            (Self::Wide(a), Self::Wide(b)) => common(a.iter().zip(b)),
            (Self::Narrow(a), Self::Wide(b)) | (Self::Wide(b), Self::Narrow(a)) => {
                a.iter().zip(b).take_while(|(a, b)| widened(**a) == **b).count()
            }
        }
    }

    /// How many are equal from the end on.
    pub(crate) fn common_at_end(self, other: Self) -> usize {
        match (self, other) {
            (Self::Narrow(a), Self::Narrow(b)) => common(a.iter().rev().zip(b.iter().rev())),
            (Self::Wide(a), Self::Wide(b)) => common(a.iter().rev().zip(b.iter().rev())),
            (Self::Narrow(a), Self::Wide(b)) | (Self::Wide(b), Self::Narrow(a)) => {
                a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| widened(**a) == **b).count()
            }
        }
    }
}

/// How many pairs from the first one on are equal.
pub(crate) fn common<'t, T: PartialEq + 't>(pairs: impl Iterator<Item = (&'t T, &'t T)>) -> usize {
    pairs.take_while(|(a, b)| a == b).count()
}

impl Default for TokenSlice<'_> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl PartialEq for TokenSlice<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.common(*other) == self.len()
    }
}

impl<'t> From<&'t [u32]> for TokenSlice<'t> {
    fn from(tokens: &'t [u32]) -> Self {
        Self::Wide(tokens)
    }
}

impl<'t> From<&'t Vec<u32>> for TokenSlice<'t> {
    fn from(tokens: &'t Vec<u32>) -> Self {
        Self::Wide(tokens)
    }
}

impl<'t, const N: usize> From<&'t [u32; N]> for TokenSlice<'t> {
    fn from(tokens: &'t [u32; N]) -> Self {
        Self::Wide(tokens)
    }
}

impl<'t> From<&'t TokenList> for TokenSlice<'t> {
    fn from(tokens: &'t TokenList) -> Self {
        tokens.as_slice()
    }
}

/// Tokens one after the other.
#[derive(Clone, Debug)]
pub enum Iter<'t> {
    /// Of two bytes each.
    Narrow(std::slice::Iter<'t, u16>),
    /// Of four bytes each.
    Wide(std::slice::Iter<'t, u32>),
}

impl Iterator for Iter<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        match self {
            Self::Narrow(tokens) => tokens.next().map(|token| widened(*token)),
            Self::Wide(tokens) => tokens.next().copied(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Narrow(tokens) => tokens.size_hint(),
            Self::Wide(tokens) => tokens.size_hint(),
        }
    }

    /// The width is looked at once.
    #[inline]
    fn fold<B, F: FnMut(B, u32) -> B>(self, init: B, mut with: F) -> B {
        match self {
            Self::Narrow(tokens) => tokens.fold(init, |so_far, token| with(so_far, widened(*token))),
            Self::Wide(tokens) => tokens.fold(init, |so_far, token| with(so_far, *token)),
        }
    }
}

impl DoubleEndedIterator for Iter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<u32> {
        match self {
            Self::Narrow(tokens) => tokens.next_back().map(|token| widened(*token)),
            Self::Wide(tokens) => tokens.next_back().copied(),
        }
    }
}

impl ExactSizeIterator for Iter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some token of two bytes, the last one, the first of four bytes, and what stands for no
    /// token.
    const EDGES: [u32; 5] = [0, WIDE - 1, WIDE, LEFT_OUT, HOLE];

    fn all(list: &TokenList) -> Vec<u32> {
        list.as_slice().iter().collect()
    }

    #[test]
    fn a_list_takes_two_bytes_a_token_until_one_does_not_fit() {
        let mut list: TokenList = [7, WIDE - 1, LEFT_OUT, HOLE].into_iter().collect();
        assert!(matches!(list.as_slice(), TokenSlice::Narrow([7, ..])));
        list.push(WIDE);
        assert!(matches!(list.as_slice(), TokenSlice::Wide([7, ..])));
        list.push(3);
        assert_eq!(list, [7, WIDE - 1, LEFT_OUT, HOLE, WIDE, 3]);
        assert_eq!(
            all(&list).into_iter().map(Some).collect::<Vec<_>>(),
            [0, 1, 2, 3, 4, 5].map(|i| list.as_slice().get(i))
        );
        assert_eq!((list.as_slice().get(6), list.len(), TokenList::default().is_empty()), (None, 6, true));
        for token in EDGES {
            assert_eq!(TokenList::from_iter([token]), [token]);
        }
    }

    #[test]
    fn tokens_are_put_over_and_beyond_others() {
        for far in [5, WIDE + 5] {
            let mut list = TokenList::with_room(4);
            list.put(2, &[far, LEFT_OUT]);
            list.put(0, &[1]);
            list.put(3, &[WIDE - 1, 9]);
            assert_eq!(list, [1, HOLE, far, WIDE - 1, 9]);
            list.retain(|token| token != HOLE);
            assert_eq!(list, [1, far, WIDE - 1, 9]);
            // Those that were replaced before one did not fit are not replaced again.
            list.replace(|token| if token == 9 { WIDE } else { token + 1 });
            let changed = [2, far + 1, WIDE, WIDE];
            assert_eq!(list, changed);
            list.put(1, &[3]);
            assert_eq!(list, [2, 3, WIDE, WIDE]);
        }
        let mut list: TokenList = [1, 2].into_iter().collect();
        list.replace(|token| token * 2);
        assert!(matches!(list.as_slice(), TokenSlice::Narrow([2, 4])));
    }

    #[test]
    fn slices_of_either_width_are_compared() {
        let narrow: TokenList = [1, 2, HOLE, 4, 5].into_iter().collect();
        let other: TokenList = [1, 2, LEFT_OUT, 4, 5].into_iter().collect();
        let wide = [[1, 2, HOLE, 4, 5], [1, 2, LEFT_OUT, 4, 5]];
        for (a, b) in [
            (narrow.as_slice(), other.as_slice()),
            (narrow.as_slice(), (&wide[1]).into()),
            ((&wide[0]).into(), other.as_slice()),
            ((&wide[0]).into(), (&wide[1]).into()),
        ] {
            assert_eq!((a.common(b), a.common_at_end(b)), (2, 2));
            assert!(a != b && a.range(0..2) == b.range(0..2) && a.range(3..5) == b.range(3..5));
            assert_eq!((a.range(3..6).len(), a.range(1..3).get(1)), (0, Some(HOLE)));
            assert_eq!(a.iter().rev().collect::<Vec<_>>(), [5, 4, HOLE, 2, 1]);
            assert_eq!((a.iter().len(), a.iter().map(u64::from).max()), (5, Some(HOLE.into())));
        }
    }
}
