//! Textures in S3TC (DXT1, DXT3, DXT5), decoded: WebGL2 has them by an extension alone.
//!
//! `crate/graphics` has a decoder, too, as numbers of 32 bits beside those of a dozen other
//! formats. The two rooms are wasm modules of their own that no worker loads both of, so that
//! sharing these lines would save nothing that is loaded. A module also cannot depend on another
//! one: with the crate of the other, cargo makes that module as well, and `xtask` would take it for
//! this one.

use unspool_gl::gl;

/// A compressed texture whose bytes are all there.
pub(crate) struct Blocks<'a> {
    format: u32,
    width: u32,
    size: usize,
    blocks: &'a [u8],
}

impl<'a> Blocks<'a> {
    /// `None` for other formats, or if bytes are missing.
    pub(crate) fn new(internal: u32, width: u32, height: u32, blocks: &'a [u8]) -> Option<Self> {
        // The formats for sRGB are those minus 0x5C.
        let format =
            if (gl::COMPRESSED_SRGB_S3TC_DXT1_EXT..=gl::COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT).contains(&internal) {
                internal - gl::COMPRESSED_SRGB_S3TC_DXT1_EXT + gl::COMPRESSED_RGB_S3TC_DXT1_EXT
            } else {
                internal
            };
        let size = match format {
            gl::COMPRESSED_RGB_S3TC_DXT1_EXT | gl::COMPRESSED_RGBA_S3TC_DXT1_EXT => 8,
            gl::COMPRESSED_RGBA_S3TC_DXT3_EXT | gl::COMPRESSED_RGBA_S3TC_DXT5_EXT => 16,
            _ => return None,
        };
        let needed = (width.div_ceil(4) as usize).checked_mul(height.div_ceil(4) as usize)?.checked_mul(size)?;
        Some(Self { format, width, size, blocks: blocks.get(..needed)? })
    }

    /// The pixels of some rows, four bytes each. The first one is a multiple of four.
    pub(crate) fn rows(&self, first: u32, rows: u32) -> Option<Vec<u8>> {
        let before = (first / 4) as usize * self.width.div_ceil(4) as usize * self.size;
        decoded(self.format, self.size, self.width, rows, self.blocks.get(before..)?)
    }
}

fn decoded(format: u32, size: usize, width: u32, height: u32, blocks: &[u8]) -> Option<Vec<u8>> {
    let (width, height) = (width as usize, height as usize);
    let across = width.div_ceil(4);
    let blocks = blocks.get(..across * height.div_ceil(4) * size)?;
    let mut out = vec![0; width * height * 4];
    for (number, block) in blocks.chunks_exact(size).enumerate() {
        let (x, y) = (number % across * 4, number / across * 4);
        let (alpha, colors) = block.split_at_checked(size - 8)?;
        let texels = color_block(colors, format);
        for (i, mut texel) in texels.into_iter().enumerate() {
            match format {
                gl::COMPRESSED_RGBA_S3TC_DXT3_EXT => texel[3] = (alpha.get(i / 2)? >> (i % 2 * 4) & 15) * 17,
                gl::COMPRESSED_RGBA_S3TC_DXT5_EXT => texel[3] = interpolated(alpha, i),
                _ => {}
            }
            let (px, py) = (x + i % 4, y + i / 4);
            if px < width && py < height {
                let at = (py * width + px) * 4;
                out.get_mut(at..at + 4)?.copy_from_slice(&texel);
            }
        }
    }
    Some(out)
}

/// The sixteen colours of a block.
fn color_block(block: &[u8], format: u32) -> [[u8; 4]; 16] {
    let [a0, a1, b0, b1, bits @ ..] = block else { return [[0; 4]; 16] };
    let (a, b) = (u16::from_le_bytes([*a0, *a1]), u16::from_le_bytes([*b0, *b1]));
    let wide = |c: u16| {
        let (r, g, b) = (u32::from(c >> 11), u32::from(c >> 5 & 63), u32::from(c & 31));
        [r * 255 / 31, g * 255 / 63, b * 255 / 31]
    };
    let (first, second) = (wide(a), wide(b));
    let mix = |x: u32, y: u32, of: u32| -> [u8; 4] {
        let mut out = [255; 4];
        for (slot, (p, q)) in out.iter_mut().zip(first.iter().zip(second)) {
            *slot = ((p * x + q * y) / of) as u8;
        }
        out
    };
    let opaque = a > b || format == gl::COMPRESSED_RGBA_S3TC_DXT3_EXT || format == gl::COMPRESSED_RGBA_S3TC_DXT5_EXT;
    let last = if format == gl::COMPRESSED_RGBA_S3TC_DXT1_EXT { [0; 4] } else { [0, 0, 0, 255] };
    let palette = match opaque {
        true => [mix(1, 0, 1), mix(0, 1, 1), mix(2, 1, 3), mix(1, 2, 3)],
        false => [mix(1, 0, 1), mix(0, 1, 1), mix(1, 1, 2), last],
    };
    core::array::from_fn(|i| {
        let byte = bits.get(i / 4).copied().unwrap_or(0);
        palette.get(usize::from(byte >> (i % 4 * 2) & 3)).copied().unwrap_or_default()
    })
}

/// The alpha of a texel of DXT5.
fn interpolated(block: &[u8], i: usize) -> u8 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(block.get(..8).unwrap_or(&[0; 8]));
    let bits = u64::from_le_bytes(bytes);
    let (a, b) = (bits & 255, bits >> 8 & 255);
    let code = bits >> (16 + 3 * i) & 7;
    let value = match code {
        0 => a,
        1 => b,
        _ if a > b => ((8 - code) * a + (code - 1) * b) / 7,
        6 => 0,
        7 => 255,
        _ => ((6 - code) * a + (code - 1) * b) / 5,
    };
    value as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_decoded_and_cut_at_the_edge() {
        // Red and blue, then the four codes in a row.
        let block = [0x00, 0xF8, 0x1F, 0x00, 0b1110_0100, 0, 0, 0];
        let decoded = |format, width, block: &[u8]| Blocks::new(format, width, 1, block)?.rows(0, 1);
        let all = decoded(gl::COMPRESSED_RGB_S3TC_DXT1_EXT, 4, &block).unwrap();
        assert_eq!(all, [255, 0, 0, 255, 0, 0, 255, 255, 170, 0, 85, 255, 85, 0, 170, 255]);
        assert_eq!(decoded(gl::COMPRESSED_RGB_S3TC_DXT1_EXT, 8, &block), None);
        let mut block = [0; 16];
        block[0] = 255;
        block[2] = 1;
        assert_eq!(decoded(gl::COMPRESSED_RGBA_S3TC_DXT5_EXT, 2, &block).unwrap(), [0, 0, 0, 0, 0, 0, 0, 255]);
    }

    #[test]
    fn rows_are_those_of_the_whole() {
        let blocks: Vec<u8> = (0..6 * 8).map(|i| (i * 37) as u8).collect();
        let blocks = Blocks::new(gl::COMPRESSED_RGB_S3TC_DXT1_EXT, 5, 10, &blocks).unwrap();
        let parts = [(0, 4), (4, 4), (8, 2)].map(|(first, rows)| blocks.rows(first, rows).unwrap());
        assert_eq!(parts.concat(), blocks.rows(0, 10).unwrap());
    }
}
