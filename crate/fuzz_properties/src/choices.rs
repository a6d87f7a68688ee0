//! Choices that depend on nothing but the bytes.

/// A sequence of numbers that follows from bytes.
#[derive(Clone, Debug)]
pub struct Choices(u64);

impl Choices {
    /// The sequence of these bytes. FNV-1a, continued with xorshift.
    pub fn of(bytes: &[u8]) -> Self {
        let hash = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Self(bytes.iter().fold(0xcbf2_9ce4_8422_2325, hash) | 1)
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `end`, or 0 if that is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        // The lowest bits of xorshift are the least random.
        (self.number() >> 11).checked_rem(end).unwrap_or(0)
    }

    /// An index below `len`, or 0 if that is 0.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// A number near the limits of integers, a small one, or any.
    pub fn extreme(&mut self) -> u64 {
        match self.below(8) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << 63,
            3 => u32::MAX.into(),
            4 => self.below(300),
            5 => 1 << self.below(64),
            _ => self.number(),
        }
    }

    /// The number of bytes in a portion: at least 1, more often few than many.
    pub fn portion(&mut self) -> usize {
        let most = [1, 8, 64, 1000, 20_000][self.index(5)];
        1 + self.index(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_follow_from_the_bytes() {
        let numbers = |bytes: &[u8]| {
            let mut choices = Choices::of(bytes);
            [choices.number(), choices.below(10), choices.extreme(), choices.portion() as u64]
        };
        assert_eq!(numbers(b"a"), numbers(b"a"));
        assert_ne!(numbers(b"a"), numbers(b"b"));
        assert_eq!(Choices::of(b"").below(0), 0);
    }
}
