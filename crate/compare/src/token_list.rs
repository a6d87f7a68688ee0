//! Lists of tokens that take two bytes a token as long as nearly all of them fit.
//!
//! Ten million records of either side are 82 MB of numbers of four bytes, and most traces have
//! fewer than 65 thousand different records, or few of the others.

use std::ops::Range;

/// No record has been seen here yet.
pub(crate) const HOLE: u32 = u32::MAX;
/// The record here is to be ignored.
pub const LEFT_OUT: u32 = u32::MAX - 1;

/// The least token that does not fit into two bytes. Only [`LEFT_OUT`] and [`HOLE`] do beyond it,
/// as the last two numbers.
const LEAST_FAR: u32 = FAR as u32;
/// A token that does not fit is here.
const FAR: u16 = u16::MAX - 2;

/// A token that does not fit into two bytes, after its index in the list.
type Far = (u32, u32);

/// How many tokens of a list with `tokens` need not fit.
fn most_far(tokens: usize) -> usize {
    tokens / 16 + 16
}

/// A token in two bytes, if it fits.
#[inline]
fn narrowed(token: u32) -> Option<u16> {
    (!(LEAST_FAR..LEFT_OUT).contains(&token)).then_some(token as u16)
}

/// The token that two bytes stand for. Of [`FAR`], a number that no token has.
#[inline]
pub(crate) fn widened(token: u16) -> u32 {
    let token = u32::from(token);
    if token < LEAST_FAR { token } else { token | !0xFFFF }
}

/// Tokens, of two bytes each if nearly all of them fit.
#[derive(Clone, Debug, Default)]
pub struct TokenList {
    narrow: Vec<u16>,
    /// Those that do not fit, ascending by index.
    far: Vec<Far>,
    /// All of them, once too many do not fit.
    wide: Option<Vec<u32>>,
}

/// A part of a list of tokens, or of numbers like them.
#[derive(Clone, Copy, Debug)]
pub enum TokenSlice<'t> {
    /// Of two bytes each, and those that do not fit.
    Narrow(Narrow<'t>),
    /// Of four bytes each.
    Wide(&'t [u32]),
}

/// A part of a list of tokens of two bytes each.
#[derive(Clone, Copy, Debug)]
pub struct Narrow<'t> {
    pub(crate) tokens: &'t [u16],
    far: &'t [Far],
    /// The index of the first token in the list.
    first: u32,
}

impl TokenList {
    /// With memory for a number of tokens of two bytes: a list that grows takes three times as much
    /// meanwhile. What is not used of it remains virtual. Without the memory, the list grows.
    #[must_use]
    pub fn with_room(expected: usize) -> Self {
        let mut narrow = Vec::new();
        let _ = narrow.try_reserve_exact(expected);
        Self { narrow, ..Self::default() }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.wide.as_ref().map_or(self.narrow.len(), Vec::len)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of them.
    #[must_use]
    pub fn as_slice(&self) -> TokenSlice<'_> {
        match &self.wide {
            None => TokenSlice::Narrow(Narrow { tokens: &self.narrow, far: &self.far, first: 0 }),
            Some(tokens) => TokenSlice::Wide(tokens),
        }
    }

    /// Adds one at the end.
    #[inline]
    pub fn push(&mut self, token: u32) {
        match (&mut self.wide, narrowed(token)) {
            (None, Some(token)) => self.narrow.push(token),
            (Some(tokens), _) => tokens.push(token),
            (None, None) => self.push_far(token),
        }
    }

    #[inline(never)]
    fn push_far(&mut self, token: u32) {
        if self.far.len() < most_far(self.narrow.len()) {
            self.far.push((self.narrow.len() as u32, token));
            self.narrow.push(FAR);
        } else {
            self.wide().push(token);
        }
    }

    /// Puts a token in place of that at an index, if there is one.
    pub(crate) fn set(&mut self, index: usize, token: u32) {
        if let (None, Some(token)) = (&self.wide, narrowed(token))
            && let Some(place) = self.narrow.get_mut(index).filter(|place| **place != FAR)
        {
            *place = token;
        } else {
            self.wide().get_mut(index).into_iter().for_each(|place| *place = token);
        }
    }

    /// Puts tokens in place of those at an index, and behind the end; between the end and an index
    /// beyond it is [`HOLE`].
    pub(crate) fn put(&mut self, first: usize, tokens: &[u32]) {
        let known = self.len().saturating_sub(first).min(tokens.len());
        let (over, beyond) = tokens.split_at_checked(known).unwrap_or((&[], tokens));
        for (index, token) in (first..).zip(over) {
            self.set(index, *token);
        }
        for _ in self.len()..first {
            self.push(HOLE);
        }
        for token in beyond {
            self.push(*token);
        }
    }

    /// Drops those behind a number of them.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.narrow.truncate(count);
        self.far.truncate(self.far.partition_point(|(index, _)| (*index as usize) < count));
        self.wide.iter_mut().for_each(|tokens| tokens.truncate(count));
    }

    /// Drops those that are not to be kept.
    pub(crate) fn retain(&mut self, keeps: impl Fn(u32) -> bool) {
        if self.as_slice().iter().all(&keeps) {
            return;
        }
        match &mut self.wide {
            Some(tokens) => tokens.retain(|token| keeps(*token)),
            None => {
                let mut before = std::mem::take(&mut self.far).into_iter();
                let mut kept = 0;
                self.narrow.retain(|token| {
                    let far = if *token == FAR { before.next() } else { None };
                    let is_kept = keeps(far.map_or(widened(*token), |(_, token)| token));
                    if is_kept {
                        self.far.extend(far.map(|(_, token)| (kept, token)));
                        kept += 1;
                    }
                    is_kept
                });
            }
        }
    }

    /// Puts another token in place of each.
    pub fn replace(&mut self, other: impl Fn(u32) -> u32) {
        let mut done = 0;
        if self.wide.is_none() {
            let most = most_far(self.narrow.len());
            let before = std::mem::take(&mut self.far);
            let mut before = before.into_iter();
            for place in self.narrow.iter_mut() {
                if self.far.len() == most {
                    break;
                }
                let token =
                    if *place == FAR { before.next().map_or(HOLE, |(_, token)| token) } else { widened(*place) };
                let token = other(token);
                *place = narrowed(token).unwrap_or_else(|| {
                    self.far.push((done, token));
                    FAR
                });
                done += 1;
            }
            if done as usize == self.narrow.len() {
                return;
            }
            self.far.extend(before);
        }
        for token in self.wide().iter_mut().skip(done as usize) {
            *token = other(*token);
        }
    }

    /// Makes each take four bytes.
    #[inline(never)]
    fn wide(&mut self) -> &mut Vec<u32> {
        let Self { narrow, far, wide } = self;
        wide.get_or_insert_with(|| {
            let (narrow, far) = (std::mem::take(narrow), std::mem::take(far));
            let mut wide = Vec::new();
            let _ = wide.try_reserve_exact(narrow.capacity());
            wide.extend(TokenSlice::Narrow(Narrow { tokens: &narrow, far: &far, first: 0 }).iter());
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

impl<'t> TokenSlice<'t> {
    /// None.
    pub const EMPTY: Self = Self::Wide(&[]);

    /// How many there are.
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Self::Narrow(slice) => slice.tokens.len(),
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
            Self::Narrow(slice) => match *slice.tokens.get(index)? {
                FAR => slice.far_at(index),
                token => Some(widened(token)),
            },
            Self::Wide(tokens) => tokens.get(index).copied(),
        }
    }

    /// Those of a range; none if it goes beyond the end.
    #[must_use]
    pub fn range(self, range: Range<usize>) -> Self {
        match self {
            Self::Narrow(slice) => Self::Narrow(slice.range(range)),
            Self::Wide(tokens) => Self::Wide(tokens.get(range).unwrap_or_default()),
        }
    }

    /// Each of them.
    #[must_use]
    pub fn iter(self) -> Iter<'t> {
        match self {
            Self::Narrow(Narrow { tokens, far, .. }) => Iter::Narrow(tokens.iter(), far.iter()),
            Self::Wide(tokens) => Iter::Wide(tokens.iter()),
        }
    }

    /// How many are equal from the beginning on.
    pub(crate) fn common(self, other: Self) -> usize {
        // Not by iterators of either width: those of one width are compared several at a time.
        match (self, other) {
            (Self::Narrow(a), Self::Narrow(b)) => {
                let equal = common(a.tokens.iter().zip(b.tokens));
                // Up to there both have others at the same places.
                let mut far =
                    a.far.iter().zip(b.far).map(|(a_far, b_far)| ((a_far.0 - a.first) as usize, a_far.1 == b_far.1));
                far.find(|(at, is_equal)| *at >= equal || !is_equal).map_or(equal, |(at, _)| at.min(equal))
            }
            (Self::Wide(a), Self::Wide(b)) => common(a.iter().zip(b)),
            (a, b) => a.iter().zip(b.iter()).take_while(|(a, b)| a == b).count(),
        }
    }

    /// How many are equal from the end on.
    pub(crate) fn common_at_end(self, other: Self) -> usize {
        match (self, other) {
            (Self::Narrow(a), Self::Narrow(b)) => {
                let equal = common(a.tokens.iter().rev().zip(b.tokens.iter().rev()));
                let last = a.first as usize + a.tokens.len();
                let far = a.far.iter().rev().zip(b.far.iter().rev());
                let mut far = far.map(|(a_far, b_far)| (last - 1 - a_far.0 as usize, a_far.1 == b_far.1));
                far.find(|(at, is_equal)| *at >= equal || !is_equal).map_or(equal, |(at, _)| at.min(equal))
            }
            (Self::Wide(a), Self::Wide(b)) => common(a.iter().rev().zip(b.iter().rev())),
            (a, b) => a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count(),
        }
    }
}

impl Narrow<'_> {
    /// The token at an index that does not fit.
    #[inline(never)]
    fn far_at(self, index: usize) -> Option<u32> {
        let place = self.far.binary_search_by_key(&(self.first + index as u32), |(index, _)| *index).ok()?;
        self.far.get(place).map(|(_, token)| *token)
    }

    fn range(self, range: Range<usize>) -> Self {
        let first = self.first + range.start as u32;
        let far = |end: usize| self.far.partition_point(|(index, _)| ((index - self.first) as usize) < end);
        let far = self.far.get(far(range.start)..far(range.end)).unwrap_or_default();
        match self.tokens.get(range) {
            Some(tokens) => Self { tokens, far, first },
            None => Self { tokens: &[], far: &[], first },
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
    /// Of two bytes each, and those that do not fit.
    Narrow(std::slice::Iter<'t, u16>, std::slice::Iter<'t, (u32, u32)>),
    /// Of four bytes each.
    Wide(std::slice::Iter<'t, u32>),
}

impl Iterator for Iter<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        match self {
            Self::Narrow(tokens, far) => match *tokens.next()? {
                FAR => far.next().map(|(_, token)| *token),
                token => Some(widened(token)),
            },
            Self::Wide(tokens) => tokens.next().copied(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Narrow(tokens, _) => tokens.size_hint(),
            Self::Wide(tokens) => tokens.size_hint(),
        }
    }
}

impl DoubleEndedIterator for Iter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<u32> {
        match self {
            Self::Narrow(tokens, far) => match *tokens.next_back()? {
                FAR => far.next_back().map(|(_, token)| *token),
                token => Some(widened(token)),
            },
            Self::Wide(tokens) => tokens.next_back().copied(),
        }
    }
}

impl ExactSizeIterator for Iter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some token of two bytes, the last one, the first that does not fit, and what stands for no
    /// token.
    const EDGES: [u32; 5] = [0, LEAST_FAR - 1, LEAST_FAR, LEFT_OUT, HOLE];

    fn all(list: &TokenList) -> Vec<u32> {
        list.as_slice().iter().collect()
    }

    #[test]
    fn a_list_takes_two_bytes_a_token_until_too_many_do_not_fit() {
        let mut list = TokenList::default();
        let mut wanted = Vec::new();
        for round in 0..40 {
            for token in EDGES {
                list.push(token + if token == LEAST_FAR { round } else { 0 });
                wanted.push(token + if token == LEAST_FAR { round } else { 0 });
                assert_eq!((list.len(), all(&list).len()), (wanted.len(), wanted.len()));
            }
            assert_eq!(list.wide.is_some(), round > 22, "{round}");
            assert_eq!(all(&list), wanted);
            assert!((0..=wanted.len()).all(|at| list.as_slice().get(at) == wanted.get(at).copied()));
        }
        for token in EDGES {
            assert_eq!(TokenList::from_iter([token]), [token]);
        }
        assert!(TokenList::default().is_empty());
    }

    #[test]
    fn tokens_are_put_over_and_beyond_others() {
        for far in [5, LEAST_FAR + 5] {
            let mut list = TokenList::with_room(4);
            list.put(2, &[far, LEFT_OUT]);
            list.put(0, &[1]);
            assert_eq!(list, [1, HOLE, far, LEFT_OUT]);
            list.put(3, &[LEAST_FAR - 1, 9]);
            assert_eq!(list, [1, HOLE, far, LEAST_FAR - 1, 9]);
            list.retain(|token| token != HOLE);
            assert_eq!(list, [1, far, LEAST_FAR - 1, 9]);
            list.replace(|token| if token == 9 { LEAST_FAR } else { token + 1 });
            assert_eq!(list, [2, far + 1, LEAST_FAR, LEAST_FAR]);
            assert!(list.wide.is_none());
            list.put(0, &[3]);
            assert_eq!(list, [3, far + 1, LEAST_FAR, LEAST_FAR]);
            list.put(1, &[far + 2, 4]);
            assert_eq!(list, [3, far + 2, 4, LEAST_FAR]);
            list.truncate(2);
            assert_eq!(list, [3, far + 2]);
        }
    }

    #[test]
    fn a_token_is_replaced_once() {
        // The first 17 do not fit any more, and then too many.
        let mut list: TokenList = (0..100).collect();
        list.replace(|token| token + LEAST_FAR);
        assert!(list.wide.is_some());
        assert_eq!(all(&list), (LEAST_FAR..LEAST_FAR + 100).collect::<Vec<_>>());
        // Those that did not fit do.
        let mut list: TokenList = (0..400).map(|at| if at % 40 == 7 { LEAST_FAR + at } else { at }).collect();
        assert!(list.wide.is_none());
        list.replace(|token| if token >= LEAST_FAR { token - LEAST_FAR } else { token });
        assert_eq!((all(&list), list.far.len()), ((0..400).collect(), 0));
    }

    #[test]
    fn what_is_dropped_leaves_the_others_in_two_bytes() {
        // Those that do not fit come first, more than a list without the others may have.
        let far = |at: u32| LEAST_FAR + at;
        let mut list = TokenList::default();
        list.put(0, &[0; 800]);
        list.put(0, &[1, 2]);
        for at in 0..40 {
            list.push(far(at));
        }
        list.retain(|token| token != 0 && token != far(3));
        let wanted: Vec<u32> = [1, 2].into_iter().chain((0..40).filter(|at| *at != 3).map(far)).collect();
        assert_eq!((all(&list), list.wide.is_none()), (wanted, true));
    }

    #[test]
    fn slices_are_compared_whatever_they_take() {
        let far = LEAST_FAR + 7;
        let texts =
            [[1, far, 2, HOLE, 4, far, 5], [1, far, 2, LEFT_OUT, 4, far, 5], [1, far + 1, 2, HOLE, 4, far + 1, 5]];
        let narrow = texts.map(TokenList::from_iter);
        let wide = texts.each_ref().map(TokenSlice::from);
        for [x, y] in [[0, 0], [0, 1], [1, 2], [0, 2]] {
            let plain = |from: usize, to: usize| {
                let (a, b) = (&texts[x][from..to], &texts[y][from..to]);
                (common(a.iter().zip(b)), common(a.iter().rev().zip(b.iter().rev())))
            };
            for (a, b) in [
                (narrow[x].as_slice(), narrow[y].as_slice()),
                (narrow[x].as_slice(), wide[y]),
                (wide[x], narrow[y].as_slice()),
                (wide[x], wide[y]),
            ] {
                for (from, to) in (0..=7).flat_map(|to| (0..=to).map(move |from| (from, to))) {
                    let (a, b) = (a.range(from..to), b.range(from..to));
                    assert_eq!((a.common(b), a.common_at_end(b)), plain(from, to));
                    assert_eq!(a == b, texts[x][from..to] == texts[y][from..to]);
                    assert!(a.iter().rev().eq(texts[x][from..to].iter().rev().copied()));
                    assert!((from..to).all(|at| a.get(at - from) == Some(texts[x][at])));
                    assert_eq!((a.iter().len(), a.range(0..a.len() + 1).len()), (to - from, 0));
                }
                assert_eq!(a.range(2..7).range(1..4).common(b.range(3..6)), plain(3, 6).0);
            }
        }
    }
}
