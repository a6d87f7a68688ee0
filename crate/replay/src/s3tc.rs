//! Textures in S3TC (DXT1, DXT3, DXT5), decoded: WebGL2 has them by an extension alone.

use unspool_gl::gl;
use unspool_gl::pixels::Compressed;

/// A compressed texture whose bytes are all there.
pub(crate) struct Blocks<'a> {
    how: Compressed,
    width: u32,
    blocks: &'a [u8],
}

/// How a format is decoded. `None` for all but S3TC.
fn how(internal: u32) -> Option<Compressed> {
    Some(match internal {
        gl::COMPRESSED_RGB_S3TC_DXT1_EXT | gl::COMPRESSED_SRGB_S3TC_DXT1_EXT => Compressed::Bc1 { alpha: false },
        gl::COMPRESSED_RGBA_S3TC_DXT1_EXT | gl::COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT => Compressed::Bc1 { alpha: true },
        gl::COMPRESSED_RGBA_S3TC_DXT3_EXT | gl::COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT => Compressed::Bc2,
        gl::COMPRESSED_RGBA_S3TC_DXT5_EXT | gl::COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT => Compressed::Bc3,
        _ => return None,
    })
}

/// Whether textures in a format are decoded.
pub(crate) fn is_known(internal: u32) -> bool {
    how(internal).is_some()
}

impl<'a> Blocks<'a> {
    /// `None` for other formats, or if bytes are missing.
    pub(crate) fn new(internal: u32, width: u32, height: u32, blocks: &'a [u8]) -> Option<Self> {
        let how = how(internal)?;
        let count = (width.div_ceil(4) as usize).checked_mul(height.div_ceil(4) as usize)?;
        Some(Self { how, width, blocks: blocks.get(..count.checked_mul(how.block_bytes())?)? })
    }

    /// The pixels of some rows, four bytes each. The first one is a multiple of four.
    pub(crate) fn rows(&self, first: u32, rows: u32) -> Option<Vec<u8>> {
        let (width, rows, across) = (self.width as usize, rows as usize, self.width.div_ceil(4) as usize);
        let blocks = self.blocks.chunks_exact(self.how.block_bytes()).skip((first / 4) as usize * across);
        let mut out = vec![0; 4 * width * rows];
        let mut count = 0;
        for (number, block) in blocks.take(across * rows.div_ceil(4)).enumerate() {
            let (x, y) = (number % across * 4, number / across * 4);
            for (i, texel) in self.how.s3tc(block)?.into_iter().enumerate() {
                let (x, y) = (x + i % 4, y + i / 4);
                if x < width && y < rows {
                    let at = 4 * (y * width + x);
                    out.get_mut(at..at + 4)?.iter_mut().zip(&texel).for_each(|(slot, number)| *slot = *number as u8);
                }
            }
            count += 1;
        }
        (count == across * rows.div_ceil(4)).then_some(out)
    }
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
