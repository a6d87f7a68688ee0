//! ASTC, by astc-decode.

/// Decodes a block of a size, 1 to 12 each, and passes its texels on. Those of blocks that are not
/// valid, or have high dynamic range, are magenta, as the specification says.
pub(super) fn decode(block: &[u8; 16], [width, height]: [u32; 2], mut texel: impl FnMut(u32, u32, [u32; 4])) {
    let footprint = astc_decode::Footprint::new(width.max(1), height.max(1));
    astc_decode::astc_decode_block(block, footprint, |x, y, colours| texel(x, y, colours.map(u32::from)));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The decoder ends the module if it panics, and blocks of a file may be anything.
    #[test]
    fn any_block_decodes() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for (i, size) in [[4, 4], [5, 4], [6, 5], [8, 8], [12, 10], [12, 12]].into_iter().enumerate() {
            for round in 0..20_000u64 {
                let mut block = [0; 16];
                block[..8].copy_from_slice(&next().to_le_bytes());
                block[8..].copy_from_slice(&next().to_le_bytes());
                if round % 4 == 0 {
                    // One colour for all, with any extent.
                    block[0] = 0xfc;
                    block[1] |= i as u8 % 2;
                }
                let mut count = 0;
                decode(&block, size, |x, y, _| count += u32::from(x < size[0] && y < size[1]));
                assert_eq!(count, size[0] * size[1]);
            }
        }
    }
}
