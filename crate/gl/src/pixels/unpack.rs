//! Pixels in the memory of a program: format, type and pixel store.

use crate::gl;

use super::NoImage;

/// How pixels lie in memory: `glPixelStore` with `GL_UNPACK_…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PixelStore {
    /// `GL_UNPACK_ALIGNMENT`.
    pub alignment: u32,
    /// `GL_UNPACK_ROW_LENGTH`, 0 for the width of the image.
    pub row_length: u32,
    /// `GL_UNPACK_IMAGE_HEIGHT`, 0 for the height of the image.
    pub image_height: u32,
    /// `GL_UNPACK_SKIP_PIXELS`, `…_ROWS` and `…_IMAGES`.
    pub skip: [u32; 3],
    /// `GL_UNPACK_SWAP_BYTES`.
    pub swap_bytes: bool,
    /// `GL_UNPACK_LSB_FIRST`.
    pub lsb_first: bool,
}

impl Default for PixelStore {
    fn default() -> Self {
        Self { alignment: 4, row_length: 0, image_height: 0, skip: [0; 3], swap_bytes: false, lsb_first: false }
    }
}

impl PixelStore {
    /// `glPixelStore` sets a parameter. Those of packing are left out.
    pub fn set(&mut self, name: u32, value: u32) {
        match name {
            gl::UNPACK_SWAP_BYTES => self.swap_bytes = value != 0,
            gl::UNPACK_LSB_FIRST => self.lsb_first = value != 0,
            gl::UNPACK_ROW_LENGTH => self.row_length = value,
            gl::UNPACK_SKIP_ROWS => self.skip[1] = value,
            gl::UNPACK_SKIP_PIXELS => self.skip[0] = value,
            gl::UNPACK_ALIGNMENT => self.alignment = value.clamp(1, 8),
            gl::UNPACK_SKIP_IMAGES => self.skip[2] = value,
            gl::UNPACK_IMAGE_HEIGHT => self.image_height = value,
            _ => {}
        }
    }
}

/// What the components of a pixel are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceFormat {
    /// For each component in memory, which number of the texel it is: 0 to 3 for red to alpha, 4
    /// for luminance (red, green and blue), 5 for intensity (all four), 6 for depth, 7 for stencil.
    components: &'static [u8],
    /// Integers stay integers.
    is_integer: bool,
}

impl SourceFormat {
    /// The format with this number, as `GL_BGRA`. `None` if it is not one.
    pub fn of(format: u32) -> Option<Self> {
        let (components, is_integer): (&[u8], bool) = match format {
            gl::RED => (&[0], false),
            gl::GREEN => (&[1], false),
            gl::BLUE => (&[2], false),
            gl::ALPHA => (&[3], false),
            gl::RGB => (&[0, 1, 2], false),
            gl::RGBA => (&[0, 1, 2, 3], false),
            gl::LUMINANCE => (&[4], false),
            gl::LUMINANCE_ALPHA => (&[4, 3], false),
            gl::RG => (&[0, 1], false),
            gl::BGR => (&[2, 1, 0], false),
            gl::BGRA => (&[2, 1, 0, 3], false),
            gl::ABGR_EXT => (&[3, 2, 1, 0], false),
            gl::INTENSITY => (&[5], false),
            gl::DEPTH_COMPONENT => (&[6], false),
            gl::STENCIL_INDEX => (&[7], true),
            gl::DEPTH_STENCIL => (&[6, 7], false),
            gl::RED_INTEGER => (&[0], true),
            gl::GREEN_INTEGER => (&[1], true),
            gl::BLUE_INTEGER => (&[2], true),
            gl::ALPHA_INTEGER => (&[3], true),
            gl::RGB_INTEGER => (&[0, 1, 2], true),
            gl::RGBA_INTEGER => (&[0, 1, 2, 3], true),
            gl::BGR_INTEGER => (&[2, 1, 0], true),
            gl::BGRA_INTEGER => (&[2, 1, 0, 3], true),
            gl::LUMINANCE_INTEGER_EXT => (&[4], true),
            gl::LUMINANCE_ALPHA_INTEGER_EXT => (&[4, 3], true),
            gl::RG_INTEGER => (&[0, 1], true),
            _ => return None,
        };
        Some(Self { components, is_integer })
    }
}

/// The type of the components, or of a whole pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
    F16,
    /// Signed, with 16 bits after the point.
    Fixed,
    /// Fields of a number of this many bytes: their bits, the first component in the highest ones,
    /// or in the lowest if reversed.
    Packed {
        bytes: u8,
        bits: &'static [u8],
        is_reversed: bool,
    },
    /// `GL_UNSIGNED_INT_10F_11F_11F_REV`.
    Float11,
    /// `GL_UNSIGNED_INT_5_9_9_9_REV`.
    SharedExponent,
    /// `GL_UNSIGNED_INT_24_8`.
    Depth24Stencil8,
    /// `GL_FLOAT_32_UNSIGNED_INT_24_8_REV`.
    Float32Stencil8,
    /// `GL_BITMAP`.
    Bit,
}

impl Type {
    fn of(number: u32) -> Option<Self> {
        let packed = |bytes, bits, is_reversed| Self::Packed { bytes, bits, is_reversed };
        Some(match number {
            gl::BYTE => Self::I8,
            gl::UNSIGNED_BYTE => Self::U8,
            gl::SHORT => Self::I16,
            gl::UNSIGNED_SHORT => Self::U16,
            gl::INT => Self::I32,
            gl::UNSIGNED_INT => Self::U32,
            gl::FLOAT => Self::F32,
            gl::DOUBLE => Self::F64,
            gl::HALF_FLOAT | gl::HALF_FLOAT_OES => Self::F16,
            gl::FIXED => Self::Fixed,
            gl::BITMAP => Self::Bit,
            gl::UNSIGNED_BYTE_3_3_2 => packed(1, &[3, 3, 2], false),
            gl::UNSIGNED_BYTE_2_3_3_REV => packed(1, &[3, 3, 2], true),
            gl::UNSIGNED_SHORT_5_6_5 => packed(2, &[5, 6, 5], false),
            gl::UNSIGNED_SHORT_5_6_5_REV => packed(2, &[5, 6, 5], true),
            gl::UNSIGNED_SHORT_4_4_4_4 => packed(2, &[4, 4, 4, 4], false),
            gl::UNSIGNED_SHORT_4_4_4_4_REV => packed(2, &[4, 4, 4, 4], true),
            gl::UNSIGNED_SHORT_5_5_5_1 => packed(2, &[5, 5, 5, 1], false),
            gl::UNSIGNED_SHORT_1_5_5_5_REV => packed(2, &[5, 5, 5, 1], true),
            gl::UNSIGNED_INT_8_8_8_8 => packed(4, &[8, 8, 8, 8], false),
            gl::UNSIGNED_INT_8_8_8_8_REV => packed(4, &[8, 8, 8, 8], true),
            gl::UNSIGNED_INT_10_10_10_2 => packed(4, &[10, 10, 10, 2], false),
            gl::UNSIGNED_INT_2_10_10_10_REV => packed(4, &[10, 10, 10, 2], true),
            gl::UNSIGNED_INT_10F_11F_11F_REV => Self::Float11,
            gl::UNSIGNED_INT_5_9_9_9_REV => Self::SharedExponent,
            gl::UNSIGNED_INT_24_8 => Self::Depth24Stencil8,
            gl::FLOAT_32_UNSIGNED_INT_24_8_REV => Self::Float32Stencil8,
            _ => return None,
        })
    }

    /// The number that a component of these bits is. `None` for types of whole pixels.
    fn number(self, bits: u64, normal: bool) -> Option<f64> {
        Some(match self {
            Self::U8 => unsigned(bits, 8, normal),
            Self::I8 => signed(bits as u8 as i8 as i64, 8, normal),
            Self::U16 => unsigned(bits, 16, normal),
            Self::I16 => signed(bits as u16 as i16 as i64, 16, normal),
            Self::U32 => unsigned(bits, 32, normal),
            Self::I32 => signed(bits as u32 as i32 as i64, 32, normal),
            Self::F32 => f32::from_bits(bits as u32).into(),
            Self::F64 => f64::from_bits(bits),
            Self::F16 => half(bits as u16).into(),
            Self::Fixed => f64::from(bits as u32 as i32) / 65536.0,
            _ => return None,
        })
    }

    /// Bytes of a component, and whether it is a whole pixel.
    fn size(self) -> (usize, bool) {
        match self {
            Self::I8 | Self::U8 => (1, false),
            Self::I16 | Self::U16 | Self::F16 => (2, false),
            Self::I32 | Self::U32 | Self::F32 | Self::Fixed => (4, false),
            Self::F64 => (8, false),
            Self::Packed { bytes, .. } => (bytes.into(), true),
            Self::Float11 | Self::SharedExponent | Self::Depth24Stencil8 => (4, true),
            Self::Float32Stencil8 => (8, true),
            Self::Bit => (0, false),
        }
    }
}

/// How the pixels of an image lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    store: PixelStore,
    format: SourceFormat,
    of: Type,
}

impl Layout {
    /// The layout of pixels of a format and a type, both as numbers of OpenGL.
    ///
    /// # Errors
    ///
    /// Fails for a format and a type that do not belong together.
    pub fn new(format: u32, of: u32, store: PixelStore) -> Result<Self, NoImage> {
        let wrong = NoImage::Source(format, of);
        let source = SourceFormat::of(format).ok_or(wrong)?;
        let kind = Type::of(of).ok_or(wrong)?;
        let fits = match kind {
            Type::Packed { bits, .. } => bits.len() == source.components.len(),
            Type::Float11 | Type::SharedExponent => source.components.len() == 3,
            Type::Depth24Stencil8 | Type::Float32Stencil8 => source.components == [6, 7],
            Type::Bit => source.components.len() == 1,
            _ => source.components != [6, 7],
        };
        if fits { Ok(Self { store, format: source, of: kind }) } else { Err(wrong) }
    }

    /// Bytes of a pixel, 0 for bitmaps.
    pub fn pixel_bytes(&self) -> usize {
        let (size, is_whole) = self.of.size();
        if is_whole { size } else { size * self.format.components.len() }
    }

    /// Bytes from one row to the next: OpenGL 4.6, equation 8.2. `None` beyond memory.
    fn row_bytes(&self, width: u32) -> Option<usize> {
        let length = if self.store.row_length > 0 { self.store.row_length } else { width } as usize;
        let alignment = self.store.alignment.max(1) as usize;
        let bytes = match self.of {
            Type::Bit => length.div_ceil(8),
            _ => length.checked_mul(self.pixel_bytes())?,
        };
        // Components that are larger than the alignment are aligned by themselves.
        if self.of.size().0 >= alignment { Some(bytes) } else { bytes.checked_next_multiple_of(alignment) }
    }

    /// Where a row of an image of `size` begins, without `GL_UNPACK_SKIP_PIXELS`. `None` beyond
    /// memory.
    fn line(&self, size: [u32; 3], y: u32, z: u32) -> Option<usize> {
        let rows = if self.store.image_height > 0 { self.store.image_height } else { size[1] } as usize;
        let [_, skip_y, skip_z] = self.store.skip.map(|skip| skip as usize);
        let image = (z as usize).checked_add(skip_z)?.checked_mul(rows)?;
        image.checked_add(y as usize)?.checked_add(skip_y)?.checked_mul(self.row_bytes(size[0])?)
    }

    /// The offset of the first pixel of a row of an image of `size`. `None` beyond memory, and for
    /// bitmaps.
    pub fn row(&self, size: [u32; 3], y: u32, z: u32) -> Option<usize> {
        let pixel = Some(self.pixel_bytes()).filter(|pixel| *pixel > 0)?;
        self.line(size, y, z)?.checked_add((self.store.skip[0] as usize).checked_mul(pixel)?)
    }

    /// The numbers of a pixel of an image of `size`. `None` if `bytes` do not reach so far.
    pub fn texel(&self, bytes: &[u8], size: [u32; 3], [x, y, z]: [u32; 3]) -> Option<[f64; 4]> {
        if self.of == Type::Bit {
            let column = (x as usize).checked_add(self.store.skip[0] as usize)?;
            let byte = *bytes.get(self.line(size, y, z)?.checked_add(column / 8)?)?;
            let bit = if self.store.lsb_first { column % 8 } else { 7 - column % 8 };
            return Some(self.placed(&[f64::from(byte >> bit & 1)]));
        }
        let at = self.row(size, y, z)?.checked_add((x as usize).checked_mul(self.pixel_bytes())?)?;
        self.pixel(bytes.get(at..)?.get(..self.pixel_bytes())?)
    }

    /// The numbers of a pixel of [`Layout::pixel_bytes`].
    pub fn pixel(&self, pixel: &[u8]) -> Option<[f64; 4]> {
        let mut numbers = [0.0; 4];
        let count = self.numbers(pixel, &mut numbers)?;
        Some(self.placed(numbers.get(..count)?))
    }

    /// The numbers of the components, in the order of memory.
    fn numbers(&self, pixel: &[u8], numbers: &mut [f64; 4]) -> Option<usize> {
        let (size, is_whole) = self.of.size();
        let normal = !self.format.is_integer;
        if !is_whole {
            let count = self.format.components.len();
            for (number, bytes) in numbers.iter_mut().zip(pixel.chunks_exact(size)) {
                let bits = self.word(bytes);
                *number = self.of.number(bits, normal)?;
            }
            return Some(count);
        }
        match self.of {
            Type::Packed { bits, is_reversed, .. } => {
                let word = self.word(pixel);
                let total: u32 = bits.iter().map(|bits| u32::from(*bits)).sum();
                let mut low = if is_reversed { 0 } else { total };
                // Reversed types have the first component in the lowest bits.
                for (i, number) in numbers.iter_mut().enumerate().take(bits.len()) {
                    let width = u32::from(bits.get(i).copied().unwrap_or_default());
                    if !is_reversed {
                        low -= width;
                    }
                    *number = unsigned(word >> low & ((1 << width) - 1), width, normal);
                    if is_reversed {
                        low += width;
                    }
                }
                Some(bits.len())
            }
            Type::Float11 => {
                let word = self.word(pixel) as u32;
                numbers[0] = small_float(word & 0x7ff, 6);
                numbers[1] = small_float(word >> 11 & 0x7ff, 6);
                numbers[2] = small_float(word >> 22, 5);
                Some(3)
            }
            Type::SharedExponent => {
                let word = self.word(pixel) as u32;
                let scale = 2f64.powi((word >> 27) as i32 - 15 - 9);
                for (i, number) in numbers.iter_mut().enumerate().take(3) {
                    *number = f64::from(word >> (9 * i) & 0x1ff) * scale;
                }
                Some(3)
            }
            Type::Depth24Stencil8 => {
                let word = self.word(pixel);
                numbers[0] = unsigned(word >> 8, 24, true);
                numbers[1] = (word & 0xff) as f64;
                Some(2)
            }
            Type::Float32Stencil8 => {
                numbers[0] = f32::from_bits(self.word(pixel.get(..4)?) as u32).into();
                numbers[1] = (self.word(pixel.get(4..8)?) & 0xff) as f64;
                Some(2)
            }
            _ => None,
        }
    }

    /// A number in the order of the recorder, which is little-endian, or swapped.
    fn word(&self, bytes: &[u8]) -> u64 {
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        if self.store.swap_bytes { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
    }

    /// The components as red, green, blue and alpha. Depth is red, stencil is green, or red where
    /// it is alone.
    #[allow(clippy::indexing_slicing, reason = "an array, and indices below its length")]
    fn placed(&self, numbers: &[f64]) -> [f64; 4] {
        let mut texel = [0.0, 0.0, 0.0, 1.0];
        let is_alone = self.format.components == [7];
        for (component, number) in self.format.components.iter().zip(numbers) {
            match component {
                0 => texel[0] = *number,
                1 => texel[1] = *number,
                2 => texel[2] = *number,
                3 => texel[3] = *number,
                4 => texel[..3].fill(*number),
                5 => texel.fill(*number),
                7 if !is_alone => texel[1] = *number,
                _ => texel[0] = *number,
            }
        }
        texel
    }
}

/// The number that a component of a type is, such as `GL_SHORT`: from -1 to 1 where it is `normal`
/// and an integer. Its bytes are little-endian. `None` for types of whole pixels.
pub fn component(bytes: &[u8], of: u32, normal: bool) -> Option<f64> {
    Type::of(of)?.number(bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)), normal)
}

/// OpenGL 4.6, equation 2.1, or the number itself.
fn unsigned(bits: u64, width: u32, normal: bool) -> f64 {
    if normal { bits as f64 / ((1u64 << width) - 1) as f64 } else { bits as f64 }
}

/// OpenGL 4.6, equation 2.2, or the number itself.
fn signed(number: i64, width: u32, normal: bool) -> f64 {
    let most = (1i64 << (width - 1)) - 1;
    if normal { (number as f64 / most as f64).max(-1.0) } else { number as f64 }
}

/// A floating point number of 16 bits.
pub fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    sign * small_float(u32::from(bits & 0x7fff), 10) as f32
}

/// A positive floating point number with 5 bits of exponent and so many of mantissa: those of 10,
/// 11 and 16 bits.
pub(super) fn small_float(bits: u32, mantissa_bits: u32) -> f64 {
    let mantissa = f64::from(bits & ((1 << mantissa_bits) - 1)) / f64::from(1 << mantissa_bits);
    match bits >> mantissa_bits & 31 {
        0 => mantissa * 2f64.powi(-14),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1.0 + mantissa) * 2f64.powi(exponent as i32 - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texel(format: u32, of: u32, bytes: &[u8]) -> [f64; 4] {
        let store = PixelStore { alignment: 1, ..PixelStore::default() };
        Layout::new(format, of, store).unwrap().texel(bytes, [1, 1, 1], [0; 3]).unwrap()
    }

    #[test]
    fn components_go_to_their_places() {
        assert_eq!(texel(gl::BGRA, gl::UNSIGNED_BYTE, &[255, 0, 51, 0]), [0.2, 0.0, 1.0, 0.0]);
        assert_eq!(texel(gl::LUMINANCE_ALPHA, gl::UNSIGNED_BYTE, &[51, 255]), [0.2, 0.2, 0.2, 1.0]);
        assert_eq!(texel(gl::ALPHA, gl::UNSIGNED_BYTE, &[51]), [0.0, 0.0, 0.0, 0.2]);
        assert_eq!(
            texel(gl::RGBA_INTEGER, gl::INT, &[1, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 128, 5, 0, 0, 0])[1],
            -1.0
        );
        assert_eq!(texel(gl::DEPTH_COMPONENT, gl::UNSIGNED_SHORT, &[255, 255])[0], 1.0);
    }

    #[test]
    fn packed_types_begin_at_the_highest_bits_or_reversed_at_the_lowest() {
        // GL_UNSIGNED_SHORT_5_6_5: red is in the highest bits.
        assert_eq!(texel(gl::RGB, gl::UNSIGNED_SHORT_5_6_5, &0xf800u16.to_le_bytes()), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(texel(gl::RGB, gl::UNSIGNED_SHORT_5_6_5_REV, &0xf800u16.to_le_bytes()), [0.0, 0.0, 1.0, 1.0]);
        // GL_UNSIGNED_INT_2_10_10_10_REV: alpha is in the highest two.
        assert_eq!(
            texel(gl::RGBA, gl::UNSIGNED_INT_2_10_10_10_REV, &0xc000_03ffu32.to_le_bytes()),
            [1.0, 0.0, 0.0, 1.0]
        );
        // GL_UNSIGNED_BYTE_2_3_3_REV: blue is in the highest two.
        assert_eq!(texel(gl::RGB, gl::UNSIGNED_BYTE_2_3_3_REV, &[0b11_000_111]), [1.0, 0.0, 1.0, 1.0]);
        assert_eq!(texel(gl::DEPTH_STENCIL, gl::UNSIGNED_INT_24_8, &0xffff_ff07u32.to_le_bytes())[..2], [1.0, 7.0]);
    }

    #[test]
    fn small_floating_point_numbers_are_exact() {
        assert_eq!(half(0x3c00), 1.0);
        assert_eq!(half(0xc000), -2.0);
        assert_eq!(half(0x0001), 2f32.powi(-24));
        assert!(half(0x7c01).is_nan());
        assert_eq!(half(0xfc00), f32::NEG_INFINITY);
        // 1.0 in 11 bits, 1.5 in 10 bits.
        assert_eq!(small_float(15 << 6, 6), 1.0);
        assert_eq!(small_float(15 << 5 | 16, 5), 1.5);
        assert_eq!(texel(gl::RGB, gl::UNSIGNED_INT_5_9_9_9_REV, &(24u32 << 27 | 3).to_le_bytes())[0], 3.0);
    }

    #[test]
    fn rows_are_where_the_pixel_store_says() {
        let bytes: Vec<u8> = (0..=255).collect();
        let at = |store: PixelStore, place| {
            Layout::new(gl::LUMINANCE, gl::UNSIGNED_BYTE, store)
                .unwrap()
                .texel(&bytes, [3, 2, 2], place)
                .map(|it| it[0] * 255.0)
        };
        let plain = PixelStore::default();
        assert_eq!(at(plain, [1, 1, 0]), Some(5.0));
        assert_eq!(at(PixelStore { alignment: 1, ..plain }, [1, 1, 0]), Some(4.0));
        assert_eq!(at(PixelStore { row_length: 10, skip: [2, 1, 0], ..plain }, [1, 1, 0]), Some(27.0));
        assert_eq!(at(PixelStore { image_height: 5, skip: [0, 0, 1], ..plain }, [0, 0, 1]), Some(40.0));
        assert_eq!(at(PixelStore { row_length: 200, ..plain }, [0, 1, 1]), None);
        let swapped = PixelStore { swap_bytes: true, ..plain };
        let wide = Layout::new(gl::RED, gl::UNSIGNED_SHORT, swapped).unwrap();
        assert_eq!(wide.texel(&[1, 0], [1, 1, 1], [0; 3]).unwrap()[0] * 65535.0, 256.0);
    }
}
