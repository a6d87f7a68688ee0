//! S3TC, as `EXT_texture_compression_s3tc` specifies it.

use super::compressed::Block;

/// What the fourth colour is where the first is not the greater one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fourth {
    /// Opaque black.
    Black,
    /// Transparent black.
    Transparent,
    /// A mix, whatever the order of the colours: DXT3 and DXT5.
    Mix,
}

impl Fourth {
    /// Of DXT1.
    pub(super) fn of(alpha: bool) -> Self {
        if alpha { Self::Transparent } else { Self::Black }
    }
}

/// A block of colours: two of 5, 6 and 5 bits, then two bits a texel.
pub(super) fn colours(block: u64, fourth: Fourth) -> Block {
    let (first, second) = (block as u16, (block >> 16) as u16);
    let (c0, c1) = (expand(first), expand(second));
    let mix = |a: u32, b: u32| {
        let mut mixed = [255; 4];
        for ((slot, x), y) in mixed.iter_mut().zip(c0).zip(c1).take(3) {
            *slot = (a * x + b * y) / (a + b);
        }
        mixed
    };
    let palette = if first > second || fourth == Fourth::Mix {
        [c0, c1, mix(2, 1), mix(1, 2)]
    } else {
        let last = if fourth == Fourth::Transparent { [0; 4] } else { [0, 0, 0, 255] };
        [c0, c1, mix(1, 1), last]
    };
    let mut texels = [[0; 4]; 16];
    for (i, texel) in texels.iter_mut().enumerate() {
        let index = (block >> (32 + 2 * i) & 3) as usize;
        *texel = palette.get(index).copied().unwrap_or_default();
    }
    texels
}

/// A block of colours with an alpha for each texel.
pub(super) fn with_alpha(block: u64, alpha: impl Fn(usize) -> u32) -> Block {
    let mut texels = colours(block, Fourth::Mix);
    for (i, texel) in texels.iter_mut().enumerate() {
        texel[3] = alpha(i);
    }
    texels
}

/// 5, 6 and 5 bits as bytes: the highest bits are repeated below.
fn expand(colour: u16) -> [u32; 4] {
    let (r, g, b) = (u32::from(colour >> 11), u32::from(colour >> 5 & 63), u32::from(colour & 31));
    [r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2, 255]
}
