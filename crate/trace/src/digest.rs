//! A digest of bytes: what stands for them where they are compared and not kept.

use core::hash::Hasher;

use siphasher::sip128::{Hasher128, SipHasher24};

/// A digest of bytes that arrive in any portions: SipHash-2-4 of 128 bits, with the key 0, so that
/// equal bytes have equal digests in each trace and each run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Digest(SipHasher24);

impl Digest {
    /// The digest of bytes that are all there.
    #[must_use]
    pub fn of(bytes: &[u8]) -> [u64; 2] {
        let mut digest = Self::default();
        digest.write(bytes);
        digest.finish()
    }

    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// Adds a number, with what kind of value it is.
    pub fn write_number(&mut self, kind: u8, number: u64) {
        self.write(&[kind]);
        self.write(&number.to_le_bytes());
    }

    /// The digest of the bytes so far.
    #[must_use]
    pub fn finish(self) -> [u64; 2] {
        let hash = self.0.finish128();
        [hash.h1, hash.h2]
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
            let mut digest = Digest(SipHasher24::new_with_keys(KEY[0], KEY[1]));
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
