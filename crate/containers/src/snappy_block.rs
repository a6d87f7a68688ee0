//! Raw Snappy blocks: a decoder that salvages damaged blocks, and a compressor.
//!
//! The last block of a trace is often truncated because the traced program was killed. The `snap`
//! crate returns nothing of such a block. This decoder does. It can also pause and resume, and
//! needs no std. Layout: <https://github.com/google/snappy/blob/main/format_description.txt>.

use alloc::vec::Vec;

/// Maximum expansion of an element, rounded up: a copy of 64 bytes takes 3 (with a one-byte offset,
/// 11 bytes take 2).
const MOST_PER_BYTE: u64 = 22;

/// The uncompressed length at the beginning of a block, and the number of bytes that encode it.
/// `None` if it is truncated or exceeds 32 bits.
///
/// `snap` is less strict: it accepts ten bytes and drops the top bits.
pub fn length(block: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (i, byte) in block.iter().take(5).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return (value <= u64::from(u32::MAX)).then_some((value, i + 1));
        }
    }
    None
}

/// Where decoding stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// After the wanted number of bytes; more follow.
    Wanted,
    /// At the end of the block.
    End,
    /// At the end of the bytes, before the end of the block.
    Cut,
    /// At invalid bytes.
    Corrupt,
}

/// Decodes one block, in steps.
#[derive(Clone, Debug)]
pub struct Block<'a> {
    input: &'a [u8],
    len: usize,
    out: Vec<u8>,
}

impl<'a> Block<'a> {
    /// A block, complete or not. `None` if its uncompressed length is invalid or exceeds `limit`.
    pub fn new(input: &'a [u8], limit: u64) -> Option<Self> {
        let (len, used) = length(input)?;
        let input = input.get(used..)?;
        (len <= limit).then_some(Self { input, len: usize::try_from(len).ok()?, out: Vec::new() })
    }

    /// Uncompressed length in bytes, as stated by the block.
    #[expect(clippy::len_without_is_empty, reason = "an empty block is like any other")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The bytes decoded so far.
    pub fn data(&self) -> &[u8] {
        &self.out
    }

    /// Decodes until there are at least `wanted` bytes.
    pub fn decode(&mut self, wanted: usize) -> Reached {
        let wanted = wanted.min(self.len);
        // Never reserve more than the input can expand to.
        let possible = (self.input.len() as u64).saturating_mul(MOST_PER_BYTE);
        let missing = wanted.saturating_sub(self.out.len());
        self.out.reserve(missing.min(usize::try_from(possible).unwrap_or(usize::MAX)));
        while self.out.len() < wanted {
            match self.element() {
                Ok(()) => {}
                Err(reached) => return reached,
            }
        }
        match (self.out.len() == self.len, self.input.is_empty()) {
            (true, true) => Reached::End,
            (true, false) => Reached::Corrupt,
            (false, _) => Reached::Wanted,
        }
    }

    /// Decodes an element (`format_description.txt` of Snappy, 2): the lower two bits of its tag
    /// say whether it is a literal, or a copy from 1, 2 or 4 bytes of offset.
    fn element(&mut self) -> Result<(), Reached> {
        let (tag, rest) = self.input.split_first().ok_or(Reached::Cut)?;
        // Bytes that follow the tag, and the length as far as the tag has it.
        let (extra, len) = match tag & 3 {
            0 if *tag < 60 << 2 => (0, usize::from(tag >> 2) + 1),
            0 => (usize::from(tag >> 2) - 59, 0),
            1 => (1, usize::from(tag >> 2 & 7) + 4),
            2 => (2, usize::from(tag >> 2) + 1),
            _ => (4, usize::from(tag >> 2) + 1),
        };
        let (number, rest) = rest.split_at_checked(extra).ok_or(Reached::Cut)?;
        let number = number.iter().rev().fold(0usize, |n, b| n << 8 | usize::from(*b));
        if tag & 3 == 0 {
            let len = if extra == 0 { len } else { number.checked_add(1).ok_or(Reached::Corrupt)? };
            if len > self.len - self.out.len() {
                return Err(Reached::Corrupt);
            }
            let (literal, rest) = rest.split_at_checked(len).unwrap_or((rest, &[]));
            self.out.extend_from_slice(literal);
            self.input = rest;
            return if literal.len() == len { Ok(()) } else { Err(Reached::Cut) };
        }
        let offset = if tag & 3 == 1 { usize::from(tag >> 5) << 8 | number } else { number };
        let from = self.out.len().checked_sub(offset).filter(|_| offset > 0).ok_or(Reached::Corrupt)?;
        if len > self.len - self.out.len() {
            return Err(Reached::Corrupt);
        }
        if offset >= len {
            self.out.extend_from_within(from..from + len);
        } else {
            // The copy overlaps its own output: a repeated pattern.
            for i in from..from + len {
                let byte = self.out.get(i).copied().unwrap_or_default();
                self.out.push(byte);
            }
        }
        self.input = rest;
        Ok(())
    }
}

/// Compresses into one block. Without std it writes literals only: valid, but not smaller.
pub fn compress(data: &[u8]) -> Vec<u8> {
    #[cfg(feature = "std")]
    if let Ok(block) = snap::raw::Encoder::new().compress_vec(data) {
        return block;
    }
    literals(data)
}

fn literals(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() + data.len() / 60_000 * 3 + 16);
    let mut len = data.len();
    while len >= 0x80 {
        out.push(len as u8 | 0x80);
        len >>= 7;
    }
    out.push(len as u8);
    for part in data.chunks(1 << 16) {
        out.push(61 << 2);
        out.extend_from_slice(&((part.len() - 1) as u16).to_le_bytes());
        out.extend_from_slice(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use alloc::vec;

    fn whole(block: &[u8]) -> Option<Vec<u8>> {
        let mut block = Block::new(block, 1 << 24)?;
        if block.decode(usize::MAX) == Reached::End { Some(block.out) } else { None }
    }

    #[test]
    fn lengths_beyond_32_bits_are_invalid() {
        assert_eq!(length(&[0xff, 0xff, 0xff, 0xff, 0x0f]), Some((u64::from(u32::MAX), 5)));
        assert_eq!(length(&[0xff, 0xff, 0xff, 0xff, 0x1f]), None);
        // Ten bytes whose top bits overflow: snap reads this as 1.
        assert_eq!(length(&[0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02]), None);
        assert_eq!(length(&[0x80]), None);
    }

    #[test]
    fn a_truncated_literal_is_salvaged() {
        let mut block = Block::new(&[10, 9 << 2, b'a', b'b', b'c'], 100).unwrap();
        assert_eq!(block.decode(usize::MAX), Reached::Cut);
        assert_eq!(block.data(), b"abc");
    }

    #[test]
    fn copies_may_overlap_but_not_start_before_the_block() {
        assert_eq!(whole(&[8, 0, b'x', 6 << 2 | 2, 1, 0]), Some(vec![b'x'; 8]));
        let mut block = Block::new(&[8, 0, b'x', 6 << 2 | 2, 2, 0], 100).unwrap();
        assert_eq!(block.decode(usize::MAX), Reached::Corrupt);
        assert_eq!(block.data(), b"x");
    }

    #[test]
    fn a_length_alone_reserves_nothing() {
        let mut block = Block::new(&[0xff, 0xff, 0xff, 0xff, 0x0f, 0], u64::MAX).unwrap();
        assert_eq!(block.decode(usize::MAX), Reached::Cut);
        assert!(block.out.capacity() < 1000);
    }

    fn compressible() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec((0u8..4, 1usize..90), 0..200)
            .prop_map(|runs| runs.into_iter().flat_map(|(b, n)| (0..n).map(move |i| b + (i % 3) as u8)).collect())
    }

    proptest! {
        #[test]
        fn agrees_with_snap(data in compressible(), step in 1usize..5000) {
            let block = snap::raw::Encoder::new().compress_vec(&data).unwrap();
            let mut mine = Block::new(&block, 1 << 24).unwrap();
            while mine.decode(mine.data().len() + step) == Reached::Wanted {}
            prop_assert_eq!(mine.data(), &data[..]);
            prop_assert_eq!(whole(&literals(&data)), Some(data.clone()));
            prop_assert_eq!(snap::raw::Decoder::new().decompress_vec(&literals(&data)).unwrap(), data);
        }

        #[test]
        fn agrees_with_snap_on_damage(data in compressible(), at: proptest::sample::Index, bit in 0u8..8) {
            let mut block = snap::raw::Encoder::new().compress_vec(&data).unwrap();
            let i = at.index(block.len());
            block[i] ^= 1 << bit;
            if length(&block).is_some_and(|(len, _)| len < 1 << 24) {
                prop_assert_eq!(whole(&block), snap::raw::Decoder::new().decompress_vec(&block).ok());
            }
        }

        #[test]
        fn a_truncated_block_decodes_to_a_prefix(data in compressible(), at: proptest::sample::Index) {
            let block = snap::raw::Encoder::new().compress_vec(&data).unwrap();
            if let Some(mut part) = Block::new(&block[..at.index(block.len())], 1 << 24) {
                prop_assert_ne!(part.decode(usize::MAX), Reached::Corrupt);
                prop_assert!(data.starts_with(part.data()));
            }
        }
    }
}
