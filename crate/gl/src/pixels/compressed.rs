//! Blocks of texels: four by four, but those of ASTC.

use super::{astc, bptc, etc, rgtc, s3tc};

/// A block of four by four: its texels row by row, each as bytes for 0 to 1, or as floating point
/// numbers of formats that have more.
pub type Block = [[u32; 4]; 16];

/// How blocks are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compressed {
    /// DXT1: two colours and their mixes. With `alpha`, one of them may be transparent.
    Bc1 {
        /// The fourth colour is transparent instead of black.
        alpha: bool,
    },
    /// DXT3: four bits of alpha a texel.
    Bc2,
    /// DXT5: two alphas and their mixes.
    Bc3,
    /// One channel of 8 bits.
    Bc4,
    /// The same with a sign.
    Bc4Signed,
    /// Two channels of 8 bits.
    Bc5,
    /// The same with a sign.
    Bc5Signed,
    /// Two channels: luminance and alpha.
    Latc2,
    /// The same with a sign.
    Latc2Signed,
    /// Floating point of 16 bits.
    Bc6 {
        /// Numbers may be negative.
        signed: bool,
    },
    /// Eight modes of colours with alpha.
    Bc7,
    /// ETC1.
    Etc1,
    /// ETC2 without alpha.
    Etc2,
    /// ETC2 with transparent texels.
    Etc2Punch,
    /// ETC2 with alpha.
    Etc2Alpha,
    /// One channel of 11 bits.
    EacR,
    /// The same with a sign.
    EacRSigned,
    /// Two channels of 11 bits.
    EacRg,
    /// The same with a sign.
    EacRgSigned,
    /// ASTC with the size of its blocks. Colours are those of the profile without high dynamic
    /// range.
    Astc([u32; 2]),
}

impl Compressed {
    /// Bytes of a block.
    pub fn block_bytes(self) -> usize {
        match self {
            Self::Bc1 { .. }
            | Self::Bc4
            | Self::Bc4Signed
            | Self::Etc1
            | Self::Etc2
            | Self::Etc2Punch
            | Self::EacR
            | Self::EacRSigned => 8,
            _ => 16,
        }
    }

    /// Width and height of a block in texels.
    pub fn block_size(self) -> [u32; 2] {
        if let Self::Astc(size) = self { size } else { [4, 4] }
    }

    /// Decodes a block and passes its texels on, each with its place in the block. Missing bytes
    /// are 0.
    pub(super) fn decode(self, block: &[u8], mut texel: impl FnMut(u32, u32, [u32; 4])) {
        let mut bytes = [0; 16];
        for (to, from) in bytes.iter_mut().zip(block) {
            *to = *from;
        }
        if let Self::Astc(size) = self {
            return astc::decode(&bytes, size, texel);
        }
        for (i, colours) in (0u32..).zip(self.four_by_four(&bytes)) {
            texel(i % 4, i / 4, colours);
        }
    }

    /// The texels of a block of S3TC, row by row. Missing bytes are 0. `None` for others.
    pub fn s3tc(self, block: &[u8]) -> Option<Block> {
        let (low, high) = (half(block, 0), half(block, 8));
        Some(match self {
            Self::Bc1 { alpha } => s3tc::colours(low, s3tc::Fourth::of(alpha)),
            Self::Bc2 => s3tc::with_alpha(high, |i| (low >> (4 * i) & 15) as u32 * 17),
            Self::Bc3 => {
                let alphas = rgtc::unsigned(low);
                s3tc::with_alpha(high, |i| alphas.get(i).copied().unwrap_or_default().into())
            }
            _ => return None,
        })
    }

    fn four_by_four(self, bytes: &[u8; 16]) -> Block {
        let (low, high) = (half(bytes, 0), half(bytes, 8));
        // Etc has the order of networks.
        let (first, second) = (low.swap_bytes(), high.swap_bytes());
        match self {
            Self::Bc1 { .. } | Self::Bc2 | Self::Bc3 => self.s3tc(bytes).unwrap_or_default(),
            Self::Bc4 => one(rgtc::unsigned(low).map(u32::from), 255),
            Self::Bc5 => two(rgtc::unsigned(low).map(u32::from), rgtc::unsigned(high).map(u32::from), 255),
            Self::Latc2 => luminance(rgtc::unsigned(low).map(u32::from), rgtc::unsigned(high).map(u32::from)),
            Self::Latc2Signed => luminance(rgtc::signed(low).map(f32::to_bits), rgtc::signed(high).map(f32::to_bits)),
            Self::Bc4Signed => one(rgtc::signed(low).map(f32::to_bits), 1f32.to_bits()),
            Self::Bc5Signed => {
                two(rgtc::signed(low).map(f32::to_bits), rgtc::signed(high).map(f32::to_bits), 1f32.to_bits())
            }
            Self::Bc6 { signed } => bptc::floats(bytes, signed),
            Self::Bc7 => bptc::colours(bytes),
            Self::Etc1 => etc::colours(first, etc::Kind::Etc1),
            Self::Etc2 => etc::colours(first, etc::Kind::Etc2),
            Self::Etc2Punch => etc::colours(first, etc::Kind::Punch),
            Self::Etc2Alpha => {
                let alphas = etc::alphas(first);
                let mut texels = etc::colours(second, etc::Kind::Etc2);
                for (texel, alpha) in texels.iter_mut().zip(alphas) {
                    texel[3] = alpha;
                }
                texels
            }
            Self::EacR => one(etc::numbers(first, false).map(f32::to_bits), 1f32.to_bits()),
            Self::EacRSigned => one(etc::numbers(first, true).map(f32::to_bits), 1f32.to_bits()),
            Self::EacRg => two(
                etc::numbers(first, false).map(f32::to_bits),
                etc::numbers(second, false).map(f32::to_bits),
                1f32.to_bits(),
            ),
            Self::EacRgSigned => two(
                etc::numbers(first, true).map(f32::to_bits),
                etc::numbers(second, true).map(f32::to_bits),
                1f32.to_bits(),
            ),
            Self::Astc(_) => [[0; 4]; 16],
        }
    }
}

/// Eight bytes as a little-endian number.
fn half(bytes: &[u8], from: usize) -> u64 {
    bytes.iter().skip(from).take(8).rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// Texels of one channel. `opaque` is 1.
fn one(red: [u32; 16], opaque: u32) -> Block {
    red.map(|red| [red, 0, 0, opaque])
}

/// Texels of two channels.
fn two(red: [u32; 16], green: [u32; 16], opaque: u32) -> Block {
    let mut texels = [[0; 4]; 16];
    for ((texel, red), green) in texels.iter_mut().zip(red).zip(green) {
        *texel = [red, green, 0, opaque];
    }
    texels
}

/// The texels of a block that has luminance and alpha: luminance is red, green and blue.
fn luminance(luminance: [u32; 16], alpha: [u32; 16]) -> Block {
    let mut texels = [[0; 4]; 16];
    for ((texel, l), a) in texels.iter_mut().zip(luminance).zip(alpha) {
        *texel = [l, l, l, a];
    }
    texels
}
