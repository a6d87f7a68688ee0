//! What tokens stand for.

use std::collections::HashMap;
use std::hash::{BuildHasher, DefaultHasher, Hasher};

use hashbrown::{DefaultHashBuilder, HashTable};
use unspool_trace::records::Same;

/// The greatest number of a content. Those above stand for records without one.
const MOST_NUMBERS: u32 = u32::MAX - 2;

/// Bytes of contents that are kept. What comes after is known by 128 bits of hash.
const MOST_KEPT: usize = 48 << 20;

/// What records say, numbered in the order in which it is first seen.
///
/// Contents are kept and compared, so that those with equal hashes are told apart. Only of those
/// that are seen first when 48 MB are kept is a digest kept instead: 128 bits of hash.
#[derive(Debug, Default)]
pub struct Contents {
    numbers: HashTable<u32>,
    /// Where each ends in `bytes`.
    ends: Vec<usize>,
    bytes: Vec<u8>,
    hasher: DefaultHashBuilder,
    /// What came after each content the last time, by the lowest bits of its number: a guess at
    /// what comes next, which saves the hash of it in code that is executed again.
    next: Vec<u32>,
    /// The number of the latest content.
    latest: u32,
    writing: Writing,
}

/// The content that is being written. As long as it agrees with the guess, nothing is copied.
#[derive(Debug, Default)]
struct Writing {
    /// Where the guess begins in `Contents::bytes`, how far the content agrees with it, and where
    /// it ends. All are the same once the content differs.
    guess: usize,
    at: usize,
    end: usize,
    /// The number of the guess.
    number: u32,
    /// What was written, if it differs from the guess.
    bytes: Vec<u8>,
    differs: bool,
}

/// How many guesses there are, in 512 KiB: as many as contents of most traces. Those of neighbours
/// lie beside each other.
const GUESSES: u32 = 1 << 17;

/// No content begins with this byte.
const DIGEST: u8 = 0xFF;

/// What stands for a content that is not kept, the same in each trace.
fn digest_of(content: &[u8]) -> [u8; 17] {
    let mut digest = [DIGEST; 17];
    if let Ok(known) = content.try_into()
        && content.first() == Some(&DIGEST)
    {
        return known;
    }
    let mut hasher = DefaultHasher::new();
    for half in digest.get_mut(1..).unwrap_or_default().chunks_exact_mut(8) {
        // The second hash is that of the content twice.
        hasher.write(content);
        half.copy_from_slice(&hasher.finish().to_le_bytes());
    }
    digest
}

impl Contents {
    /// The number of a content.
    pub fn number(&mut self, content: &[u8]) -> u32 {
        self.begin();
        self.put_apart(content);
        self.finish()
    }

    /// Begins to write a content.
    #[inline]
    pub(crate) fn begin(&mut self) {
        let number = self.next.get(self.slot()).copied().unwrap_or(u32::MAX);
        let writing = &mut self.writing;
        (writing.number, writing.differs) = (number, false);
        (writing.guess, writing.end) = range_of(&self.ends, number);
        writing.at = writing.guess;
    }

    /// Writes a byte.
    #[inline]
    pub(crate) fn put_byte(&mut self, byte: u8) {
        if self.expected().first() == Some(&byte) {
            self.writing.at += 1;
        } else {
            self.put_apart(&[byte]);
        }
    }

    /// Writes a kind and a number.
    #[inline]
    pub(crate) fn put_number(&mut self, kind: u8, number: u64) {
        // Bytes that are put together in memory can be compared only once they are written there.
        if let Some([of, bytes @ ..]) = self.expected().first_chunk::<9>()
            && (*of, u64::from_le_bytes(*bytes)) == (kind, number)
        {
            self.writing.at += 9;
        } else {
            let [a, b, c, d, e, f, g, h] = number.to_le_bytes();
            self.put_apart(&[kind, a, b, c, d, e, f, g, h]);
        }
    }

    /// Writes a kind, a length, and as many bytes.
    #[inline]
    pub(crate) fn put_text(&mut self, kind: u8, text: &[u8]) {
        let length = text.len() as u32;
        if let Some(([of, bytes @ ..], rest)) = self.expected().split_first_chunk::<5>()
            && (*of, u32::from_le_bytes(*bytes)) == (kind, length)
            && rest.get(..text.len()).is_some_and(|rest| is_same(rest, text))
        {
            self.writing.at += 5 + text.len();
        } else {
            let [a, b, c, d] = length.to_le_bytes();
            self.put_apart(&[kind, a, b, c, d]);
            self.put_apart(text);
        }
    }

    /// What comes next if the content agrees with the guess. Empty if it does not.
    #[inline]
    fn expected(&self) -> &[u8] {
        self.bytes.get(self.writing.at..self.writing.end).unwrap_or_default()
    }

    /// Writes bytes that are not those of the guess.
    #[inline(never)]
    fn put_apart(&mut self, bytes: &[u8]) {
        let Writing { guess, at, end, differs, bytes: written, .. } = &mut self.writing;
        if !*differs {
            written.clear();
            written.extend_from_slice(self.bytes.get(*guess..*at).unwrap_or_default());
            (*at, *differs) = (*end, true);
        }
        written.extend_from_slice(bytes);
    }

    /// What was written of the content.
    pub(crate) fn written(&self) -> &[u8] {
        let Writing { guess, at, differs, ref bytes, .. } = self.writing;
        if differs { bytes } else { self.bytes.get(guess..at).unwrap_or_default() }
    }

    /// The number of the content that was written.
    #[inline]
    pub(crate) fn finish(&mut self) -> u32 {
        let Writing { at, end, number, differs, .. } = self.writing;
        if !differs && at == end && number != u32::MAX {
            self.latest = number;
            return number;
        }
        self.look_up_written()
    }

    #[inline(never)]
    fn look_up_written(&mut self) -> u32 {
        // What differs is written apart, and what ends too soon is not yet.
        self.put_apart(&[]);
        let content = std::mem::take(&mut self.writing.bytes);
        let number = self.look_up(&content);
        self.writing.bytes = content;
        if self.next.is_empty() {
            self.next.resize(GUESSES as usize, u32::MAX);
        }
        let slot = self.slot();
        if let Some(next) = self.next.get_mut(slot) {
            *next = number;
        }
        self.latest = number;
        number
    }

    /// The number of the latest content.
    pub(crate) fn latest(&self) -> u32 {
        self.latest
    }

    /// Goes on from a content whose number is known.
    #[inline]
    pub(crate) fn went_on(&mut self, number: u32) {
        self.latest = number;
    }

    /// Where the guess at what follows the latest content is.
    fn slot(&self) -> usize {
        (self.latest % GUESSES) as usize
    }

    fn look_up(&mut self, content: &[u8]) -> u32 {
        let hash = self.hasher.hash_one(content);
        if let Some(number) = self.find(hash, content) {
            return number;
        }
        if self.bytes.len() + content.len() > MOST_KEPT && content.len() > 17 {
            let digest = digest_of(content);
            let hash = self.hasher.hash_one(&digest[..]);
            return self.find(hash, &digest).unwrap_or_else(|| self.add(hash, &digest));
        }
        self.add(hash, content)
    }

    /// Adds contents with numbers of their own, those of another trace, and returns their numbers
    /// here.
    pub fn merge<'c>(&mut self, others: impl Iterator<Item = &'c [u8]> + Clone) -> Vec<u32> {
        let is_digest = |content: &[u8]| content.first() == Some(&DIGEST);
        if !self.iter().any(is_digest) && !others.clone().any(is_digest) {
            return others.map(|content| self.number(content)).collect();
        }
        // What one of them keeps may have a digest in the other.
        let mut known: HashMap<[u8; 17], u32> = self.iter().map(digest_of).zip(0..).collect();
        let numbers = others.map(|content| {
            *known.entry(digest_of(content)).or_insert_with(|| self.add(self.hasher.hash_one(content), content))
        });
        numbers.collect()
    }

    fn add(&mut self, hash: u64, content: &[u8]) -> u32 {
        let number = u32::try_from(self.ends.len()).unwrap_or(u32::MAX).min(MOST_NUMBERS);
        self.bytes.extend_from_slice(content);
        self.ends.push(self.bytes.len());
        let (ends, bytes, hasher) = (&self.ends, &self.bytes, &self.hasher);
        self.numbers.insert_unique(hash, number, |number| hasher.hash_one(content_of(ends, bytes, *number)));
        number
    }

    fn find(&self, hash: u64, content: &[u8]) -> Option<u32> {
        self.numbers.find(hash, |number| content_of(&self.ends, &self.bytes, *number) == content).copied()
    }

    /// The contents by their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> + Clone {
        (0..self.ends.len() as u32).map(|number| content_of(&self.ends, &self.bytes, number))
    }
}

fn content_of<'b>(ends: &[usize], bytes: &'b [u8], number: u32) -> &'b [u8] {
    let (from, to) = range_of(ends, number);
    bytes.get(from..to).unwrap_or_default()
}

/// Where a content begins and ends: the same if there is none with this number.
#[inline]
fn range_of(ends: &[usize], number: u32) -> (usize, usize) {
    let number = number as usize;
    let from = number.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
    (from, ends.get(number).copied().unwrap_or(from))
}

/// Whether two texts are equal, which for short ones is known sooner than `memcmp` is called.
#[inline]
pub(crate) fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len()
        && match (short(one), short(other)) {
            (Some(one), Some(other)) => one == other,
            _ => one == other,
        }
}

/// Four to 16 bytes, and zeros after them.
#[inline]
fn short(bytes: &[u8]) -> Option<[u64; 2]> {
    let length = bytes.len();
    if length > 16 {
        return None;
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let shift = 8 * (16 - length) as u32;
        return Some([u64::from_le_bytes(*first), u64::from_le_bytes(*last).checked_shr(shift).unwrap_or(0)]);
    }
    let (first, last) = (bytes.first_chunk()?, bytes.last_chunk()?);
    let [first, last] = [*first, *last].map(|four| u64::from(u32::from_le_bytes(four)));
    Some([first | last << (8 * (length - 4)), 0])
}

/// Of the content of a record whose name counts: the bytes of that name, and its text.
pub(crate) fn name_of(content: &[u8]) -> Option<(&[u8], String)> {
    let (bytes, _) = name_in(content)?;
    let text = match (bytes.first()?, bytes.get(1..)?) {
        (2, id) => format!("#{}", i64::from_le_bytes(*id.first_chunk()?)),
        (_, text) => String::from_utf8_lossy(text.get(4..)?).into_owned(),
    };
    Some((bytes, text))
}

/// The field `kind` of a record, if it comes first.
pub(crate) fn kind_of<'c>(content: &'c [u8], same: &Same) -> Option<&'c [u8]> {
    let after_name = || name_in(content).map_or(content.get(1..), |(_, rest)| Some(rest));
    let rest = if same.name { after_name()? } else { content };
    let (key, rest) = rest.split_first()?;
    let is_kind = same.fields.get(usize::from(key.checked_sub(KEYS)?)) == Some(&"kind");
    if is_kind { text_in(rest.strip_prefix(&[7])?).map(|(kind, _)| kind) } else { None }
}

/// The name at the beginning of a content, and what follows.
fn name_in(content: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = match content.first()? {
        1 => 1 + 4 + text_in(content.get(1..)?)?.0.len(),
        2 => 1 + 8,
        _ => return None,
    };
    content.split_at_checked(length)
}

/// A text after its length, and what follows.
fn text_in(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

/// The key of a field of the record itself: this and its number in [`Same::fields`]. All other
/// bytes that come before a value are less.
pub(crate) const KEYS: u8 = 32;

/// The beginning of what a token without a name stands for, which records that differ in the rest
/// share: the texts that come before anything else, such as the kind of an event, or without these
/// the first field. Of an instruction its address counts, not its bytes.
#[must_use]
pub(crate) fn stem_of(content: &[u8]) -> &[u8] {
    let begin = usize::from(content.first() == Some(&0));
    let mut end = begin;
    while let Some(size) = content.get(end..).and_then(text_field_size) {
        end += size;
    }
    if end == begin {
        end += content.get(begin..).and_then(first_size).unwrap_or(content.len());
    }
    content.get(..end).unwrap_or(content)
}

/// The size of a field with a text or a symbol, at the beginning.
fn text_field_size(content: &[u8]) -> Option<usize> {
    let key = if content.first()? >= &KEYS { 1 } else { return None };
    let value = content.get(key..)?;
    match value.first()? {
        7 => Some(key + text_size(value)?),
        // A symbol has its number after its name.
        8 => Some(key + text_size(value)? + 9),
        _ => None,
    }
}

/// The size of a number or an address at the beginning, or of a field with one. `None` of another
/// value.
fn first_size(content: &[u8]) -> Option<usize> {
    let key = usize::from(content.first()? >= &KEYS);
    let value = content.get(key..)?;
    match value.first()? {
        2..=6 | 15 => Some(key + 9),
        // An address in a module has its offset after the name of that.
        16 => Some(key + text_size(value)? + 9),
        _ => None,
    }
}

/// The size of a kind, a length, and as many bytes.
fn text_size(content: &[u8]) -> Option<usize> {
    let length = u32::from_le_bytes(*content.get(1..)?.first_chunk()?);
    Some(5 + length as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_the_limit_contents_are_known_by_a_hash() {
        let mut contents = Contents::default();
        let long = |n: u32| [&n.to_le_bytes()[..], &[7; 1 << 20]].concat();
        let numbers: Vec<u32> = (0..60).map(|n| contents.number(&long(n))).collect();
        assert_eq!(numbers, (0..60).collect::<Vec<_>>());
        assert_eq!((0..60).map(|n| contents.number(&long(n))).collect::<Vec<_>>(), numbers);
        assert!(contents.bytes.len() < MOST_KEPT + 1024);
        assert_eq!(contents.number(b"short"), 60);
        assert_eq!(contents.iter().count(), 61);
    }

    #[test]
    fn contents_of_two_traces_have_common_numbers() {
        let long = |n: u32| [&[1; 30][..], &n.to_le_bytes()].concat();
        let (mut one, mut two) = (Contents::default(), Contents::default());
        for n in [1, 2, 3] {
            one.number(&long(n));
        }
        for n in [3, 4, 1] {
            two.number(&long(n));
        }
        assert_eq!(one.merge(two.iter()), [2, 3, 0]);
        // One of them has kept enough before it sees them, and knows digests.
        let mut full = Contents::default();
        full.number(&vec![2; MOST_KEPT]);
        for n in [2, 9, 4, 9] {
            full.number(&long(n));
        }
        assert_eq!(full.ends.len(), 4);
        assert_eq!(one.merge(full.iter()), [4, 1, 5, 3]);
    }

    #[test]
    fn a_content_has_its_number_whatever_came_before() {
        let mut contents = Contents::default();
        assert_eq!(contents.number(b""), 0);
        assert_eq!(contents.number(b""), 0);
        // More contents than guesses, so that several share one.
        let many: Vec<Vec<u8>> = (0..GUESSES + 1000).map(|n| n.to_le_bytes().to_vec()).collect();
        for order in [many.iter().collect::<Vec<_>>(), many.iter().rev().collect(), many.iter().step_by(7).collect()] {
            for content in order {
                let n = u32::from_le_bytes(content[..].try_into().unwrap());
                assert_eq!(contents.number(content), n + 1);
                assert_eq!(contents.number(b""), 0);
                assert_eq!(contents.number(content), n + 1);
            }
        }
    }

    #[test]
    fn what_agrees_with_the_guess_for_a_while_is_another_content() {
        let (mut parts, mut whole) = (Contents::default(), Contents::default());
        let mut state = 3_u64;
        let mut next = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        let texts = ["", "a", "abc", "abcd", "abcde", "sixteen letters.", "seventeen letters"];
        for _ in 0..20_000 {
            let mut content = Vec::new();
            parts.begin();
            for _ in 0..next(4) {
                match next(3) {
                    0 => {
                        let byte = next(2) as u8;
                        parts.put_byte(byte);
                        content.push(byte);
                    }
                    1 => {
                        let number = next(2) << 60;
                        parts.put_number(3, number);
                        content.push(3);
                        content.extend(number.to_le_bytes());
                    }
                    _ => {
                        let text = texts[next(texts.len() as u64) as usize];
                        parts.put_text(7, text.as_bytes());
                        content.push(7);
                        content.extend((text.len() as u32).to_le_bytes());
                        content.extend(text.bytes());
                    }
                }
                assert_eq!(parts.written(), content);
            }
            assert_eq!(parts.finish(), whole.number(&content));
        }
        assert!(parts.iter().eq(whole.iter()));
    }
}
