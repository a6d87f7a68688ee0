//! Anchors: windows of tokens that occur once in each of two areas.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::{Area, Run};
use crate::token_list::{TokenSlice, widened};

/// How many sizes of windows there are.
pub(super) const LEVELS: usize = 3;

/// Tokens of a window, and the bits of its hash that are zero in those that are looked at: one in
/// 16, one in 4, all.
const WINDOWS: [(usize, u64); LEVELS] = [(64, 15), (24, 3), (8, 0)];

/// Windows for which there is room from the beginning: 14 MB, as much as those of ten million
/// tokens need.
const AT_ONCE: usize = 7 << 17;

/// No such place, and more than one.
const NONE: u32 = u32::MAX;
const MANY: u32 = u32::MAX - 1;

/// The multiplier of the rolling hash: 2^64 divided by the golden ratio.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Anchors of an area that are being looked for.
#[derive(Debug)]
pub(super) struct Anchors {
    pub(super) area: Area,
    pub(super) level: usize,
    /// What was found in the end: stretches of equal tokens that rise in both.
    pub(super) chain: Vec<Run>,
    /// Whether nearly all windows of the first side occur more than once. Then shorter ones do so
    /// too.
    pub(super) is_periodic: bool,
    /// How many windows of the first side were looked at.
    looked_at: usize,
    /// Places of the windows by their hashes, of which half is kept: of a million windows some
    /// hundred are lost to another one. What is found is verified.
    places: HashMap<u32, [u32; 2], Quick>,
    /// The side that is read, or 2 after both.
    side: usize,
    rolling: Rolling,
}

/// The hash of the window that ends before a token.
#[derive(Clone, Copy, Debug, Default)]
struct Rolling {
    at: u32,
    hash: u64,
}

impl Anchors {
    pub(super) fn new(area: Area, level: usize) -> Self {
        let rolling = Rolling { at: area.a.0, hash: 0 };
        Self {
            area,
            level,
            chain: Vec::new(),
            is_periodic: false,
            looked_at: 0,
            places: HashMap::default(),
            side: 0,
            rolling,
        }
    }

    /// Goes on until `work` reaches `end`. Returns true once the chain is there.
    pub(super) fn turn(&mut self, tokens: [TokenSlice<'_>; 2], work: &mut u64, end: u64) -> bool {
        if self.places.capacity() == 0 {
            let (width, mask) = self.window();
            let windows = (self.area.a.1 - self.area.a.0).saturating_sub(width as u32);
            // A table that grows is there twice meanwhile.
            self.places.reserve((windows as usize / (mask as usize + 1)).min(AT_ONCE));
        }
        while self.side < 2 {
            let (from, to) = if self.side == 0 { self.area.a } else { self.area.b };
            let left = u32::try_from(end.saturating_sub(*work)).unwrap_or(u32::MAX).max(1);
            let until = self.rolling.at.saturating_add(left).min(to);
            *work += u64::from(until - self.rolling.at);
            // A loop for each width.
            match if self.side == 0 { tokens[0] } else { tokens[1] } {
                TokenSlice::Narrow(slice) => self.read(slice.tokens, widened, from, until),
                TokenSlice::Wide(tokens) => self.read(tokens, |token| token, from, until),
            }
            if self.rolling.at < to {
                return false;
            }
            self.side += 1;
            self.rolling = Rolling { at: self.area.b.0, hash: 0 };
        }
        let places = std::mem::take(&mut self.places);
        self.is_periodic = places.values().filter(|[a, _]| *a < MANY).count() * 16 < self.looked_at;
        let is_pair = |[a, b]: &[u32; 2]| *a < MANY && *b < MANY;
        // A list that grows is there twice meanwhile.
        let mut pairs = Vec::with_capacity(places.values().copied().filter(is_pair).count());
        pairs.extend(places.into_values().filter(is_pair));
        *work += pairs.len() as u64 * 8;
        pairs.sort_unstable();
        self.grow(tokens, &rising(&pairs), work);
        true
    }

    /// Tokens of a window, and the bits of its hash that are zero.
    fn window(&self) -> (usize, u64) {
        WINDOWS.get(self.level).copied().unwrap_or(WINDOWS[0])
    }

    /// Reads tokens of the present side up to `until`.
    fn read<T: Copy>(&mut self, tokens: &[T], widened: impl Fn(T) -> u32, from: u32, until: u32) {
        let (width, mask) = self.window();
        let lead = (0..width).fold(1_u64, |power, _| power.wrapping_mul(FACTOR));
        let Rolling { at, mut hash } = self.rolling;
        let value = |token: T| u64::from(widened(token)) + 1;
        let first = from + width as u32;
        for (place, token) in (at..until).zip(tokens.get(at as usize..until as usize).unwrap_or_default()) {
            hash = hash.wrapping_mul(FACTOR).wrapping_add(value(*token));
            if place >= first {
                let gone = tokens.get(place as usize - width).map_or(0, |token| value(*token));
                hash = hash.wrapping_sub(lead.wrapping_mul(gone));
            }
            if place + 1 < first {
                continue;
            }
            let mixed = (hash ^ (hash >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = mixed ^ (mixed >> 32);
            if mixed & mask != 0 {
                continue;
            }
            let key = (mixed >> 32) as u32;
            let begin = place + 1 - width as u32;
            let once = |seen: u32| if seen == NONE { begin } else { MANY };
            if self.side == 0 {
                self.looked_at += 1;
                self.places.entry(key).and_modify(|[a, _]| *a = once(*a)).or_insert([begin, NONE]);
            } else if let Some([_, b]) = self.places.get_mut(&key) {
                *b = once(*b);
            }
        }
        self.rolling = Rolling { at: until, hash };
    }

    /// Grows each place of the chain both ways as far as tokens are equal. A place whose tokens
    /// differ, because only their hashes are equal, is left out, and so is one that lies within
    /// what another has grown over.
    fn grow(&mut self, tokens: [TokenSlice<'_>; 2], places: &[[u32; 2]], work: &mut u64) {
        let width = self.window().0 as u32;
        let mut at = (self.area.a.0, self.area.b.0);
        for &[a, b] in places {
            if a < at.0 || b < at.1 {
                continue;
            }
            let [before_a, before_b] = Area { a: (at.0, a), b: (at.1, b) }.of(tokens);
            let back = before_a.common_at_end(before_b) as u32;
            let [after_a, after_b] = Area { a: (a, self.area.a.1), b: (b, self.area.b.1) }.of(tokens);
            let length = after_a.common(after_b) as u32;
            *work += u64::from(back) + u64::from(length) + 1;
            if length < width {
                continue;
            }
            self.chain.push(Run { a: a - back, b: b - back, length: back + length });
            at = (a + length, b + length);
        }
    }
}

/// The longest chain of pairs, sorted by the first number, that rises in the second.
fn rising(pairs: &[[u32; 2]]) -> Vec<[u32; 2]> {
    // The last pair of the best chain of each length, and the pair before each.
    let mut ends: Vec<u32> = Vec::new();
    let mut before = vec![NONE; pairs.len()];
    let second = |index: u32| pairs.get(index as usize).map_or(0, |pair| pair[1]);
    for ((index, pair), before) in (0..).zip(pairs).zip(&mut before) {
        let length = ends.partition_point(|end| second(*end) < pair[1]);
        if let Some(last) = length.checked_sub(1).and_then(|last| ends.get(last)) {
            *before = *last;
        }
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut chain = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(pair) = next.and_then(|index| pairs.get(index as usize)) {
        chain.push(*pair);
        next = next.and_then(|index| before.get(index as usize).copied()).filter(|index| *index != NONE);
    }
    chain.reverse();
    chain
}

/// Of maps whose keys are numbers: parts of hashes, and tokens. Tokens count what is seen, so a
/// file cannot choose them to collide.
pub(super) type Quick = BuildHasherDefault<Mixed>;

#[derive(Default)]
pub(super) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u32(&mut self, number: u32) {
        let mixed = (u64::from(number) + 1).wrapping_mul(FACTOR);
        self.0 = mixed ^ (mixed >> 32);
    }
}
