//! Buffers that the writer has put into the log twice.
//!
//! The runtime's queue (compiler-rt `lib/xray/xray_buffer_queue.cpp`) gives out buffers in one
//! order and takes them back in another: `releaseBuffer` stores a buffer in the slot at its
//! `First`, whatever slot `getBuffer` took it from. If a thread still holds a buffer then, two
//! slots refer to the same bytes and to the same extents, and a flush writes both. Extents only
//! grow, so the later one is equal, or longer if its thread has written on in between.

use hashbrown::HashMap;

use super::checkpoints::Checkpoint;

/// Bytes at the beginning of a buffer that find an earlier one: the preamble of today's logs, with
/// thread, times and clock.
pub(super) const PREAMBLE: u64 = 64;
/// Bytes of a buffer that are compared. A copy is judged when that many are there.
pub(super) const COMPARED: u64 = 1 << 20;
/// Most buffers that are remembered: those of a log of 16 GiB with buffers of the usual size.
const REMEMBERED: usize = 1 << 20;

/// A buffer that was delivered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// Absolute offset of its extents, or of its first record where there are none.
    pub(super) at: u64,
    /// Length of its records in bytes, stale ones included.
    pub(super) len: u64,
    /// Hash of its first [`COMPARED`] bytes.
    pub(super) hash: u128,
    /// Where its records end, as an offset in it, and the state of the walk there.
    pub(super) records: u64,
    pub(super) end: Checkpoint,
}

/// The buffers of a log so far, by hashes of their preambles.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    known: HashMap<u64, Known>,
}

impl Copies {
    /// The buffer that begins with these bytes.
    pub(super) fn get(&self, preamble: &[u8]) -> Option<Known> {
        if self.known.is_empty() {
            return None;
        }
        self.known.get(&key(preamble)).copied()
    }

    /// Remembers a buffer that begins with these bytes.
    pub(super) fn insert(&mut self, key: u64, known: Known) {
        if self.known.len() < REMEMBERED || self.known.contains_key(&key) {
            self.known.insert(key, known);
        }
    }
}

/// What a preamble is found by.
pub(super) fn key(preamble: &[u8]) -> u64 {
    let mut hash = Hash::default();
    hash.update(preamble);
    hash.finish() as u64
}

/// Whether `bytes` begin with what has this hash and length.
pub(super) fn begin_with(bytes: &[u8], len: u64, expected: u128) -> bool {
    let len = usize::try_from(len.min(COMPARED)).unwrap_or(usize::MAX);
    bytes.get(..len).is_some_and(|bytes| {
        let mut hash = Hash::default();
        hash.update(bytes);
        hash.finish() == expected
    })
}

/// Four lanes, so that multiplications need not wait for each other.
const LANES: usize = 4;
const BLOCK: usize = LANES * 8;
/// Odd numbers with random bits: digits of π.
const KEYS: [u64; LANES] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7345, 0xa409_3822_299f_31d1, 0x082e_fa98_ec4e_6c89];

/// A hash of 128 bits that keeps up with the decoder. It finds equal bytes; it does not withstand
/// who makes different ones collide, which gains them nothing: their log has a buffer less.
#[derive(Clone, Debug)]
pub(super) struct Hash {
    lanes: [u64; LANES],
    /// What is left of a block.
    part: [u8; BLOCK],
    filled: usize,
    len: u64,
}

impl Default for Hash {
    fn default() -> Self {
        Self { lanes: KEYS, part: [0; BLOCK], filled: 0, len: 0 }
    }
}

impl Hash {
    /// Number of bytes so far.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Adds bytes, in any portions.
    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        self.len += bytes.len() as u64;
        if self.filled > 0 {
            let (here, rest) = bytes.split_at_checked(BLOCK - self.filled).unwrap_or((bytes, &[]));
            self.part.iter_mut().skip(self.filled).zip(here).for_each(|(to, from)| *to = *from);
            self.filled += here.len();
            bytes = rest;
            if self.filled < BLOCK {
                return;
            }
            let part = self.part;
            self.block(&part);
        }
        let (blocks, rest) = bytes.as_chunks();
        for block in blocks {
            self.block(block);
        }
        self.part.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        self.filled = rest.len();
    }

    #[inline]
    fn block(&mut self, block: &[u8; BLOCK]) {
        let (words, _) = block.as_chunks();
        for ((lane, word), key) in self.lanes.iter_mut().zip(words).zip(KEYS) {
            let product = (*lane ^ u64::from_le_bytes(*word)).wrapping_mul(key);
            // Multiplication carries upwards only.
            *lane = product ^ product >> 32;
        }
    }

    /// The hash of all bytes.
    pub(super) fn finish(&self) -> u128 {
        let mut hash = self.clone();
        hash.part.iter_mut().skip(hash.filled).for_each(|byte| *byte = 0);
        let part = hash.part;
        hash.block(&part);
        let [a, b, c, d] = hash.lanes;
        let mix = |x: u64, y: u64| {
            let product = u128::from(x ^ self.len) * u128::from(y | 1);
            product as u64 ^ (product >> 64) as u64
        };
        u128::from(mix(a, b) ^ c) << 64 | u128::from(mix(c, d) ^ a.rotate_left(32))
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn a_hash_depends_on_all_bytes_and_not_on_portions() {
        let bytes: Vec<u8> = (0..200_u8).map(|i| i.wrapping_mul(37)).collect();
        let whole = |bytes: &[u8]| {
            let mut hash = Hash::default();
            hash.update(bytes);
            hash.finish()
        };
        for portion in 1..70 {
            let mut hash = Hash::default();
            bytes.chunks(portion).for_each(|part| hash.update(part));
            assert_eq!((hash.finish(), hash.len()), (whole(&bytes), 200));
        }
        let mut all = BTreeSet::new();
        for len in 0..=bytes.len() {
            assert!(all.insert(whole(&bytes[..len])), "{len} bytes");
            assert!(all.insert(whole(&[&bytes[..len], &[0; 300]].concat())));
        }
        for bit in 0..8 * bytes.len() {
            let mut other = bytes.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(all.insert(whole(&other)), "bit {bit}");
            assert!(begin_with(&other, 200, whole(&other)) && !begin_with(&other, 200, whole(&bytes)));
        }
    }
}
