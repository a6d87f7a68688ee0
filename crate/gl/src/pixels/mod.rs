//! Pixels as programs hand them over, and textures as they hold them.
//!
//! ```text
//! bytes ── unpack ──▶ source texels ── store ──▶ an image of the internal format
//!          format, type,  four numbers           bytes, or words of 32 bits
//!          pixel store
//!    └──── compressed: blocks of 4 x 4 ───────────▲
//! ```
//!
//! OpenGL 4.6, 8.4.4 "Transfer of Pixel Rectangles" and 8.5 "Texture Image Specification", are what
//! `unpack` and `store` follow. Texels are in the order of memory: the first row is the one at
//! texture coordinate 0.

mod astc;
mod bptc;
mod compressed;
mod etc;
mod internal;
mod rgtc;
mod s3tc;
mod unpack;

pub use compressed::{Block, Compressed};
pub use internal::with_name;
pub use internal::{Base, Holds, Internal, Number};
pub use unpack::{Layout, PixelStore, SourceFormat, component, half};

/// Limit for the number of texels of an image: those of 16384 by 16384.
pub const MOST_TEXELS: usize = 1 << 28;

/// The texels of one level of a texture: of a slice after the other, of a row after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// In texels.
    pub width: u32,
    /// In texels.
    pub height: u32,
    /// Slices or layers. Cube maps have their faces as layers, in the order of their targets.
    pub depth: u32,
    /// The internal format.
    pub internal: Internal,
    /// The texels.
    pub texels: Texels,
    /// Whether each row of texels was uploaded, by number over all slices. What was not is unknown.
    pub known: Vec<bool>,
}

/// Texels, four numbers each.
#[derive(Clone, Debug, PartialEq)]
pub enum Texels {
    /// Numbers of 8 bits that stand for 0 to 1.
    Bytes(Vec<[u8; 4]>),
    /// Numbers of 32 bits: floating point ones, or integers if [`Holds`] says so.
    Words(Vec<[u32; 4]>),
}

/// Why there is no image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoImage {
    /// The number of an internal format that is not supported.
    Format(u32),
    /// The numbers of a format and a type that do not belong together, or are not supported.
    Source(u32, u32),
    /// It would have more than [`MOST_TEXELS`].
    TooLarge,
}

impl core::fmt::Display for NoImage {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Format(number) => write!(f, "Textures of the internal format {number:#06x} are not supported."),
            Self::Source(format, of) => {
                write!(f, "Pixels of the format {format:#06x} and the type {of:#06x} are not supported.")
            }
            Self::TooLarge => write!(f, "The image has more than {MOST_TEXELS} texels."),
        }
    }
}

impl Image {
    /// An image of zeros, none of which is known.
    ///
    /// # Errors
    ///
    /// Fails if the image is too large.
    pub fn new(internal: Internal, width: u32, height: u32, depth: u32) -> Result<Self, NoImage> {
        let count = [width, height, depth].iter().try_fold(1usize, |count, side| count.checked_mul(*side as usize));
        let count = count.filter(|count| *count <= MOST_TEXELS).ok_or(NoImage::TooLarge)?;
        let texels = match internal.is_bytes() {
            true => Texels::Bytes(vec![[0; 4]; count]),
            false => Texels::Words(vec![[0; 4]; count]),
        };
        let known = vec![false; height as usize * depth as usize];
        Ok(Self { width, height, depth, internal, texels, known })
    }

    /// The place of a texel. `None` outside.
    fn at(&self, x: u32, y: u32, z: u32) -> Option<usize> {
        let is_inside = x < self.width && y < self.height && z < self.depth;
        is_inside.then(|| (z as usize * self.height as usize + y as usize) * self.width as usize + x as usize)
    }

    /// Stores a texel in the internal format.
    fn put(&mut self, x: u32, y: u32, z: u32, texel: [f64; 4]) {
        self.put_exact([x, y, z], self.internal.stored(texel));
    }

    /// Stores a rectangle of pixels, its corner at `x`, `y`, `z`. `bytes` begin where the program's
    /// pointer points to. Pixels for which there are no bytes stay as they were.
    pub fn upload(&mut self, corner: [u32; 3], size: [u32; 3], layout: &Layout, bytes: &[u8]) {
        let [left, top, front] = corner;
        for z in 0..size[2].min(self.depth) {
            for y in 0..size[1].min(self.height) {
                for x in 0..size[0].min(self.width) {
                    let Some(texel) = layout.texel(bytes, size, [x, y, z]) else { continue };
                    let place = (left.checked_add(x), top.checked_add(y), front.checked_add(z));
                    if let (Some(x), Some(y), Some(z)) = place {
                        self.put(x, y, z, texel);
                    }
                }
            }
        }
    }

    /// Stores compressed blocks, the corner of the first at `x`, `y`, `z`.
    pub fn upload_blocks(&mut self, corner: [u32; 3], size: [u32; 3], compressed: Compressed, bytes: &[u8]) {
        let [width, height] = compressed.block_size();
        let (across, down) = (size[0].div_ceil(width), size[1].div_ceil(height));
        let mut blocks = bytes.chunks_exact(compressed.block_bytes());
        for z in 0..size[2].min(self.depth) {
            for block_y in 0..down {
                for block_x in 0..across {
                    let Some(block) = blocks.next() else { return };
                    compressed.decode(block, |x, y, texel| {
                        let (x, y) = (width * block_x + x, height * block_y + y);
                        if x < size[0] && y < size[1] {
                            let place =
                                [corner[0].saturating_add(x), corner[1].saturating_add(y), corner[2].saturating_add(z)];
                            self.put_exact(place, texel);
                        }
                    });
                }
            }
        }
    }

    /// Stores a texel that is in the internal format, such as one that a block decodes to. One
    /// outside is left out.
    fn put_exact(&mut self, [x, y, z]: [u32; 3], texel: [u32; 4]) {
        let Some(at) = self.at(x, y, z) else { return };
        match &mut self.texels {
            Texels::Bytes(bytes) => {
                if let Some(slot) = bytes.get_mut(at) {
                    *slot = texel.map(|number| number as u8);
                }
            }
            Texels::Words(words) => {
                if let Some(slot) = words.get_mut(at) {
                    *slot = texel;
                }
            }
        }
        let row = z as usize * self.height as usize + y as usize;
        if let Some(known) = self.known.get_mut(row) {
            *known = true;
        }
    }

    /// Makes a row unknown: what was uploaded to it is not known. One outside is left out.
    pub fn forget_row(&mut self, y: u32, z: u32) {
        let row = (y < self.height).then(|| z as usize * self.height as usize + y as usize);
        if let Some(known) = row.and_then(|row| self.known.get_mut(row)) {
            *known = false;
        }
    }

    /// Whether each row of a slice was uploaded.
    pub fn is_known(&self, z: u32) -> bool {
        let from = z as usize * self.height as usize;
        self.known.get(from..from + self.height as usize).is_some_and(|rows| rows.iter().all(|known| *known))
    }

    /// The numbers of a texel as shaders get them: 0 to 1 of normalised formats. `None` outside.
    pub fn texel(&self, x: u32, y: u32, z: u32) -> Option<[f64; 4]> {
        let at = self.at(x, y, z)?;
        Some(match &self.texels {
            Texels::Bytes(bytes) => bytes.get(at)?.map(|number| f64::from(number) / 255.0),
            Texels::Words(words) => words.get(at)?.map(|bits| match self.internal.holds() {
                Holds::Int => f64::from(bits as i32),
                Holds::Uint => f64::from(bits),
                Holds::Numbers => f64::from(f32::from_bits(bits)),
            }),
        })
    }

    /// A slice as pixels of four bytes. Numbers from `range.0` to `range.1` become 0 to 255.
    /// `channels` says which of the four numbers is shown as red, green, blue and opacity; `None`
    /// of opacity is opaque.
    pub fn pixels(&self, z: u32, range: (f64, f64), channels: [Option<usize>; 4]) -> Vec<u8> {
        let mut pixels = Vec::with_capacity(4 * self.width as usize * self.height as usize);
        let scale = 255.0 / if range.1 == range.0 { 1.0 } else { range.1 - range.0 };
        let is_plain = range == (0.0, 1.0);
        for y in 0..self.height {
            for x in 0..self.width {
                let Some(at) = self.at(x, y, z) else { continue };
                if let (Texels::Bytes(bytes), true) = (&self.texels, is_plain) {
                    let texel = bytes.get(at).copied().unwrap_or_default();
                    for (i, channel) in channels.iter().enumerate() {
                        let number = channel.and_then(|channel| texel.get(channel).copied());
                        pixels.push(number.unwrap_or(if i == 3 { 255 } else { 0 }));
                    }
                    continue;
                }
                let texel = self.texel(x, y, z).unwrap_or_default();
                for (i, channel) in channels.iter().enumerate() {
                    let number = channel.and_then(|channel| texel.get(channel).copied());
                    pixels.push(match number {
                        // Opacity is not stretched.
                        Some(number) if i == 3 => (number * 255.0).round().clamp(0.0, 255.0) as u8,
                        Some(number) => ((number - range.0) * scale).round().clamp(0.0, 255.0) as u8,
                        None if i == 3 => 255,
                        None => 0,
                    });
                }
            }
        }
        pixels
    }

    /// The least and the greatest number of a slice, in those of the format's channels that `mask`
    /// has a bit for: all if it has none. Opacity counts where there is no colour, and stencil
    /// values where there is no depth. Infinite numbers and those that are not numbers do not
    /// count. `None` without any.
    pub fn range(&self, z: u32, mask: u32) -> Option<(f64, f64)> {
        let places = self.internal.base().ranged(mask);
        let mut range: Option<(f64, f64)> = None;
        for y in 0..self.height {
            for x in 0..self.width {
                let texel = self.texel(x, y, z).unwrap_or_default();
                let numbers = places.iter().filter_map(|place| texel.get(*place).copied());
                for number in numbers.filter(|number| number.is_finite()) {
                    let (low, high) = range.unwrap_or((number, number));
                    range = Some((low.min(number), high.max(number)));
                }
            }
        }
        range
    }

    /// The numbers that are shown from black to white unless others are chosen: 0 to 1, or those of
    /// integers from the least to the greatest in the channels of a mask.
    pub fn natural_range(&self, z: u32, mask: u32) -> (f64, f64) {
        match self.internal.holds() {
            Holds::Numbers => (0.0, 1.0),
            _ => self.range(z, mask).filter(|(low, high)| low < high).unwrap_or((0.0, 1.0)),
        }
    }

    /// Its memory in bytes.
    pub fn size(&self) -> usize {
        match &self.texels {
            Texels::Bytes(bytes) => 4 * bytes.len(),
            Texels::Words(words) => 16 * words.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gl;

    /// The range of an image of two texels, for a mask of channels.
    fn range_of(format: u32, texels: [[f64; 4]; 2], mask: u32) -> Option<(f64, f64)> {
        let mut image = Image::new(Internal::of(format, 0)?, 2, 1, 1).ok()?;
        for (x, texel) in (0..).zip(texels) {
            image.put(x, 0, 0, texel);
        }
        image.range(0, mask)
    }

    #[test]
    fn ranges_are_those_of_the_channels_that_there_are() {
        const ALL: u32 = u32::MAX;
        let texels = [[0.2, 0.4, 0.6, 0.8], [0.0, 1.0, 0.0, 1.0]];
        for (format, mask, expected) in [
            (gl::ALPHA32F_ARB, ALL, (0.8, 1.0)),
            (gl::LUMINANCE32F_ARB, ALL, (0.0, 0.2)),
            (gl::LUMINANCE_ALPHA32F_ARB, ALL, (0.0, 0.2)),
            (gl::LUMINANCE_ALPHA32F_ARB, 2, (0.8, 1.0)),
            (gl::INTENSITY32F_ARB, ALL, (0.0, 0.2)),
            (gl::R32F, ALL, (0.0, 0.2)),
            (gl::RG32F, ALL, (0.0, 1.0)),
            (gl::RG32F, 2, (0.4, 1.0)),
            // Opacity is not among what is black and white, unless it is all that is shown.
            (gl::RGBA32F, ALL, (0.0, 1.0)),
            (gl::RGBA32F, 0b1100, (0.0, 0.6)),
            (gl::RGBA32F, 0b1000, (0.8, 1.0)),
            (gl::RGBA32F, 0, (0.0, 1.0)),
            (gl::DEPTH_COMPONENT32F, ALL, (0.0, 0.2)),
        ] {
            let (low, high) = range_of(format, texels, mask).unwrap();
            let is_near = (low - expected.0).abs() < 1e-6 && (high - expected.1).abs() < 1e-6;
            assert!(is_near, "{format:#x} {mask:#b}: {low} to {high}");
        }
        let whole = [[0.25, 7.0, 3.0, 200.0], [0.5, 255.0, 9.0, 100.0]];
        assert_eq!(range_of(gl::DEPTH32F_STENCIL8, whole, ALL), Some((0.25, 0.5)));
        assert_eq!(range_of(gl::DEPTH32F_STENCIL8, whole, 2), Some((7.0, 255.0)));
        assert_eq!(range_of(gl::RGBA8UI, whole.map(|texel| texel.map(f64::round)), 4), Some((3.0, 9.0)));
        assert_eq!(range_of(gl::STENCIL_INDEX8, [[3.0; 4], [9.0; 4]], ALL), Some((3.0, 9.0)));
        assert_eq!(range_of(gl::R32F, [[f64::NAN; 4], [f64::INFINITY; 4]], ALL), None);
        assert_eq!(range_of(gl::ALPHA8, [[0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 0.0]], ALL), Some((0.0, 1.0)));
    }

    #[test]
    fn integers_are_shown_from_the_least_to_the_greatest_of_what_is_shown() {
        let mut image = Image::new(Internal::of(gl::RGBA8UI, 0).unwrap(), 2, 1, 1).unwrap();
        image.put(0, 0, 0, [1.0, 2.0, 3.0, 40.0]);
        image.put(1, 0, 0, [9.0, 2.0, 3.0, 50.0]);
        assert_eq!(image.natural_range(0, u32::MAX), (1.0, 9.0));
        assert_eq!(image.natural_range(0, 8), (40.0, 50.0));
    }
}
