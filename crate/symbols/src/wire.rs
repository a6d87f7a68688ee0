//! Numbers of a binary: of either byte order, and words of 32 or 64 bits.

/// How a binary stores numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wire {
    pub(crate) big_endian: bool,
    /// Words have 64 bits, else 32.
    pub(crate) wide: bool,
}

impl Wire {
    fn array<const N: usize>(self, bytes: &[u8], at: usize) -> Option<[u8; N]> {
        let mut array = *bytes.get(at..)?.first_chunk::<N>()?;
        if self.big_endian {
            array.reverse();
        }
        Some(array)
    }

    pub(crate) fn u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        self.array(bytes, at).map(u16::from_le_bytes)
    }

    pub(crate) fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        self.array(bytes, at).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(self, bytes: &[u8], at: usize) -> Option<u64> {
        self.array(bytes, at).map(u64::from_le_bytes)
    }

    /// A word at `narrow` if words have 32 bits, at `wide` if they have 64.
    pub(crate) fn word(self, bytes: &[u8], narrow: usize, wide: usize) -> Option<u64> {
        if self.wide { self.u64(bytes, wide) } else { self.u32(bytes, narrow).map(u64::from) }
    }

    /// An address within the words of the binary.
    pub(crate) fn address(self, address: u64) -> u64 {
        if self.wide { address } else { address & 0xffff_ffff }
    }
}
