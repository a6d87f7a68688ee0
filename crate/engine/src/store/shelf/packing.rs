//! Blocks as bytes: what a shelf's file holds of them.
//!
//! The words of a kind are packed in groups of 64, each word as wide as the widest of its group:
//! zero to four bytes. Starts are kept as differences, and so are locators. A slice that takes 16
//! bytes in memory takes about 8 in the file. Durations and nodes come first: what counts or
//! measures all slices reads no more.

use super::super::block::{LOCATOR, NODE, START};

/// Words of a group.
const GROUP: usize = 64;

/// Appends the words of a block to `out`. `capacity` is how many words there are of each kind.
/// Returns how many bytes the durations and nodes take.
pub(super) fn pack(words: &[u32], capacity: usize, out: &mut Vec<u8>) -> usize {
    let (from, mut measures) = (out.len(), 0);
    for (kind, words) in words.chunks_exact(capacity.max(1)).enumerate() {
        let mut before = 0;
        for group in words.chunks(GROUP) {
            let mut packed = [0u32; GROUP];
            let mut any = 0;
            for (place, word) in packed.iter_mut().zip(group) {
                *place = match kind {
                    START => word.wrapping_sub(before),
                    LOCATOR => zigzag(word.wrapping_sub(before)),
                    _ => *word,
                };
                any |= *place;
                before = *word;
            }
            let width = (u32::BITS - any.leading_zeros()).div_ceil(8) as u8;
            out.push(width);
            let packed = packed.get(..group.len()).unwrap_or_default();
            match width {
                0 => {}
                1 => put::<1>(packed, out),
                2 => put::<2>(packed, out),
                3 => put::<3>(packed, out),
                _ => put::<4>(packed, out),
            }
        }
        if kind == NODE {
            measures = out.len() - from;
        }
    }
    measures
}

/// The words that [`pack`] was given, or the first kinds of them. `None` if the bytes are not what
/// it has made of as many as there is room for in `all`.
pub(super) fn unpack(mut bytes: &[u8], capacity: usize, all: &mut [u32]) -> Option<()> {
    for (kind, words) in all.chunks_exact_mut(capacity.max(1)).enumerate() {
        let mut before = 0u32;
        for group in words.chunks_mut(GROUP) {
            let (width, rest) = bytes.split_first()?;
            let (packed, rest) = rest.split_at_checked(usize::from(*width) * group.len())?;
            bytes = rest;
            match width {
                0 => group.fill(0),
                1..=4 => take((*width).into(), packed, group),
                _ => return None,
            }
            match kind {
                START => group.iter_mut().for_each(|word| {
                    *word = word.wrapping_add(before);
                    before = *word;
                }),
                LOCATOR => group.iter_mut().for_each(|word| {
                    *word = zagzig(*word).wrapping_add(before);
                    before = *word;
                }),
                _ => {}
            }
        }
    }
    bytes.is_empty().then_some(())
}

/// A difference as a small number, whatever its sign.
fn zigzag(difference: u32) -> u32 {
    difference << 1 ^ 0u32.wrapping_sub(difference >> 31)
}

fn zagzig(number: u32) -> u32 {
    number >> 1 ^ 0u32.wrapping_sub(number & 1)
}

#[inline]
fn put<const WIDTH: usize>(words: &[u32], out: &mut Vec<u8>) {
    let at = out.len();
    out.resize(at + WIDTH * words.len(), 0);
    let places = out.get_mut(at..).unwrap_or_default().as_chunks_mut::<WIDTH>().0;
    for (place, word) in places.iter_mut().zip(words) {
        if let Some(low) = word.to_le_bytes().first_chunk() {
            *place = *low;
        }
    }
}

/// One loop for all widths: four of them make the page's module a kilobyte larger.
fn take(width: usize, bytes: &[u8], words: &mut [u32]) {
    let mask = u32::MAX >> (u32::BITS as usize - 8 * width);
    let mut at = 0;
    for word in words {
        let rest = bytes.get(at..).unwrap_or_default();
        let four = rest.first_chunk().copied().unwrap_or_else(|| {
            let mut four = [0; 4];
            four.iter_mut().zip(rest).for_each(|(place, byte)| *place = *byte);
            four
        });
        // The upper bytes are those of the next word.
        *word = u32::from_le_bytes(four) & mask;
        at += width;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_round_trip(
            words in prop::collection::vec((any::<u32>(), 0u32..33), 0..700),
            kinds in prop::sample::select(vec![4usize, 7]),
        ) {
            // Words of all widths.
            let words: Vec<u32> = words.into_iter().map(|(word, bits)| word.checked_shr(bits).unwrap_or(0)).collect();
            let capacity = words.len() / kinds;
            let words = &words[..capacity * kinds];
            let mut packed = vec![9];
            let measures = pack(words, capacity, &mut packed);
            packed.remove(0);
            let mut unpacked = vec![7; words.len()];
            prop_assert!(unpack(&packed, capacity, &mut unpacked).is_some());
            prop_assert_eq!(&*unpacked, words);
            // Durations and nodes alone.
            let mut unpacked = vec![7; 2 * capacity];
            prop_assert!(unpack(&packed[..measures], capacity, &mut unpacked).is_some());
            prop_assert_eq!(&*unpacked, &words[..2 * capacity]);
            // Bytes that are missing or left over are noticed.
            let mut unpacked = vec![7; words.len()];
            packed.push(0);
            prop_assert!(unpack(&packed, capacity, &mut unpacked).is_none());
            if !words.is_empty() {
                packed.truncate(packed.len() - 2);
                prop_assert!(unpack(&packed, capacity, &mut unpacked).is_none());
            }
        }
    }
}
