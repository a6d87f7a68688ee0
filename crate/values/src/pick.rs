//! The point that the reference picks for a seed.

/// The number, below `count`, that the reference draws for a seed: the first one of
/// `std::uniform_int_distribution` over `std::mt19937`, as libstdc++ has implemented it since
/// version 11 (Lemire's method). `count` is at least 1 and below 2^32; a larger one is taken modulo
/// 2^32.
pub(crate) fn pick(seed: u32, count: u64) -> u64 {
    let mut random = Twister::new(seed);
    let range = count as u32;
    if range == 0 {
        return random.next().into();
    }
    let mut product = u64::from(random.next()) * u64::from(range);
    if (product as u32) < range {
        let threshold = range.wrapping_neg() % range;
        while (product as u32) < threshold {
            product = u64::from(random.next()) * u64::from(range);
        }
    }
    product >> 32
}

const N: usize = 624;

/// The Mersenne Twister of 32 bits (Matsumoto and Nishimura 1998), `std::mt19937`. Makes one batch
/// of numbers at a time.
struct Twister {
    state: [u32; N],
    next: usize,
}

impl Twister {
    fn new(seed: u32) -> Self {
        let mut state = [seed; N];
        let mut last = seed;
        for (i, slot) in (0u32..).zip(&mut state).skip(1) {
            last = (last ^ last >> 30).wrapping_mul(1_812_433_253).wrapping_add(i);
            *slot = last;
        }
        Self { state, next: N }
    }

    fn next(&mut self) -> u32 {
        if self.next >= N {
            self.twist();
        }
        let mut y = self.state.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c_5680;
        y ^= y << 15 & 0xefc6_0000;
        y ^ y >> 18
    }

    fn twist(&mut self) {
        let at = |state: &[u32; N], i: usize| state.get(i % N).copied().unwrap_or(0);
        for i in 0..N {
            let y = at(&self.state, i) & 0x8000_0000 | at(&self.state, i + 1) & 0x7fff_ffff;
            let odd = if y & 1 == 0 { 0 } else { 0x9908_b0df };
            let value = at(&self.state, i + 397) ^ y >> 1 ^ odd;
            if let Some(slot) = self.state.get_mut(i) {
                *slot = value;
            }
        }
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The C++ standard requires the last one ([rand.predef]); the others are those of every
    /// implementation.
    #[test]
    fn numbers_are_those_of_the_standard() {
        let mut random = Twister::new(5489);
        assert_eq!([random.next(), random.next(), random.next()], [3_499_211_612, 581_869_302, 3_890_346_734]);
        assert_eq!((3..10_000).map(|_| random.next()).last(), Some(4_123_659_995));
        assert_eq!(Twister::new(1).next(), 1_791_095_845);
    }

    #[test]
    fn picks_are_below_the_count() {
        assert_eq!([pick(1, 8), pick(12345, 8), pick(1, 2), pick(7, 1)], [3, 7, 0, 0]);
        for count in [1u64, 3, 1000, u32::MAX.into()] {
            assert!((1..50).all(|seed| pick(seed, count) < count));
        }
    }
}
