//! A digest of bytes: what stands for them where they are compared and not kept.

/// A digest of bytes that arrive in any portions: SipHash-2-4 of 128 bits, with the key 0, so that
/// equal bytes have equal digests in each trace and each run.
#[derive(Clone, Copy, Debug)]
pub struct Digest {
    state: [u64; 4],
    /// The latest bytes that are less than a word, from the lowest byte on.
    tail: u64,
    length: u64,
}

impl Default for Digest {
    fn default() -> Self {
        Self::new([0; 2])
    }
}

impl Digest {
    fn new([low, high]: [u64; 2]) -> Self {
        let state = [
            low ^ 0x736f_6d65_7073_6575,
            high ^ 0x646f_7261_6e64_6f6d ^ 0xee,
            low ^ 0x6c79_6765_6e65_7261,
            high ^ 0x7465_6462_7974_6573,
        ];
        Self { state, tail: 0, length: 0 }
    }

    /// The digest of bytes that are all there.
    #[must_use]
    pub fn of(bytes: &[u8]) -> [u64; 2] {
        let mut digest = Self::default();
        digest.write(bytes);
        digest.finish()
    }

    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        let lacking = (8 - self.length as usize % 8) % 8;
        let (begin, rest) = bytes.split_at_checked(lacking).unwrap_or((bytes, &[]));
        self.write_each(begin);
        let words = rest.chunks_exact(8);
        let end = words.remainder();
        for word in words {
            let mut eight = [0; 8];
            eight.copy_from_slice(word);
            self.word(u64::from_le_bytes(eight));
        }
        self.length = self.length.wrapping_add((rest.len() - end.len()) as u64);
        self.write_each(end);
    }

    /// Adds a number, with what kind of value it is.
    pub fn write_number(&mut self, kind: u8, number: u64) {
        self.write(&[kind]);
        self.write(&number.to_le_bytes());
    }

    /// The digest of the bytes so far.
    #[must_use]
    pub fn finish(mut self) -> [u64; 2] {
        self.word(self.tail | self.length << 56);
        self.state[2] ^= 0xee;
        self.rounds(4);
        let low = self.folded();
        self.state[1] ^= 0xdd;
        self.rounds(4);
        [low, self.folded()]
    }

    fn write_each(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.tail |= u64::from(*byte) << (8 * (self.length % 8));
            self.length = self.length.wrapping_add(1);
            if self.length.is_multiple_of(8) {
                let word = core::mem::take(&mut self.tail);
                self.word(word);
            }
        }
    }

    fn word(&mut self, word: u64) {
        self.state[3] ^= word;
        self.rounds(2);
        self.state[0] ^= word;
    }

    fn folded(&self) -> u64 {
        self.state.iter().fold(0, |folded, part| folded ^ part)
    }

    fn rounds(&mut self, count: u32) {
        let [mut a, mut b, mut c, mut d] = self.state;
        for _ in 0..count {
            a = a.wrapping_add(b);
            b = b.rotate_left(13) ^ a;
            a = a.rotate_left(32);
            c = c.wrapping_add(d);
            d = d.rotate_left(16) ^ c;
            a = a.wrapping_add(d);
            d = d.rotate_left(21) ^ a;
            c = c.wrapping_add(b);
            b = b.rotate_left(17) ^ c;
            c = c.rotate_left(32);
        }
        self.state = [a, b, c, d];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u64; 2] = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];

    #[test]
    fn digests_are_those_of_siphash() {
        let bytes: [u8; 23] = core::array::from_fn(|at| at as u8);
        let of = |length: usize| {
            let mut digest = Digest::new(KEY);
            digest.write(&bytes[..length]);
            digest.finish().map(u64::swap_bytes)
        };
        assert_eq!(of(0), [0xa381_7f04_ba25_a8e6, 0x6df6_7214_c755_0293]);
        assert_eq!(of(1), [0xda87_c1d8_6b99_af44, 0x3476_5911_9b22_fc45]);
        assert_eq!(of(8), [0x3b62_a9ba_6258_f561, 0x0f83_e264_f314_97b4]);
        assert_eq!(of(23), [0xc9d1_84dd_d5a9_f5e0, 0xcf8c_e29a_9abf_691c]);
    }

    #[test]
    fn a_digest_is_the_same_in_any_portions() {
        let bytes: [u8; 23] = core::array::from_fn(|at| at as u8);
        let whole = Digest::of(&bytes);
        for at in 0..=bytes.len() {
            let (one, other) = bytes.split_at(at);
            let mut digest = Digest::default();
            digest.write(one);
            digest.write(&[]);
            digest.write(other);
            assert_eq!(digest.finish(), whole, "{at}");
        }
    }
}
