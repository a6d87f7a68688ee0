//! Pixels of the trace's formats as those of WebGL2.

use std::borrow::Cow;

use unspool_gl::gl;
use unspool_gl::pixels::{Base, Layout, PixelStore};

use crate::content::Content;

/// What a texture is stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Storage {
    /// The internal format, sized.
    pub(crate) internal: u32,
    /// Format and type that are uploaded.
    pub(crate) format: u32,
    pub(crate) kind: u32,
    /// Bytes of a pixel.
    pub(crate) bytes: u32,
    /// What the channels mean in the trace.
    pub(crate) base: Base,
}

impl Storage {
    /// Whether it holds depths, with or without stencils.
    pub(crate) fn is_depth(&self) -> bool {
        matches!(self.base, Base::Depth | Base::DepthStencil)
    }

    /// Whether it holds whole numbers.
    pub(crate) fn is_integer(&self) -> bool {
        matches!(self.format, gl::RED_INTEGER | gl::RG_INTEGER | gl::RGBA_INTEGER)
    }
}

const fn storage(internal: u32, format: u32, kind: u32, bytes: u32, base: Base) -> Storage {
    Storage { internal, format, kind, bytes, base }
}

/// How a texture of an internal format is stored. `None` if WebGL2 has nothing like it. `kind` is
/// the type of the upload.
pub(crate) fn storage_of(internal: u32, kind: u32) -> Option<Storage> {
    let rgba8 = |base| storage(gl::RGBA8, gl::RGBA, gl::UNSIGNED_BYTE, 4, base);
    let whole = |format, kind, bytes| storage(internal, format, kind, bytes, Base::Rgba);
    let floats = matches!(kind, gl::FLOAT | gl::HALF_FLOAT | gl::HALF_FLOAT_OES);
    Some(match internal {
        // Unsized formats of OpenGL ES take the type of the upload.
        gl::RGBA if floats => storage(gl::RGBA16F, gl::RGBA, gl::FLOAT, 16, Base::Rgba),
        gl::RGB if floats => storage(gl::RGBA16F, gl::RGBA, gl::FLOAT, 16, Base::Rgb),
        4
        | gl::RGBA
        | gl::RGBA8
        | gl::RGBA2
        | gl::RGBA4
        | gl::RGB5_A1
        | gl::COMPRESSED_RGBA
        | gl::BGRA
        | gl::BGRA8_EXT => rgba8(Base::Rgba),
        // Decoded: see `s3tc.rs`.
        _ if crate::s3tc::is_known(internal) => rgba8(Base::Rgba),
        3
        | gl::RGB
        | gl::RGB8
        | gl::RGB5
        | gl::RGB4
        | gl::R3_G3_B2
        | gl::COMPRESSED_RGB
        | gl::RGB565
        | gl::RGB10
        | gl::RGB12 => storage(gl::RGB8, gl::RGB, gl::UNSIGNED_BYTE, 3, Base::Rgb),
        gl::RGB10_A2 => storage(gl::RGB10_A2, gl::RGBA, gl::UNSIGNED_INT_2_10_10_10_REV, 4, Base::Rgba),
        gl::SRGB8_ALPHA8 | gl::SRGB_ALPHA | gl::COMPRESSED_SRGB_ALPHA => {
            storage(gl::SRGB8_ALPHA8, gl::RGBA, gl::UNSIGNED_BYTE, 4, Base::Rgba)
        }
        gl::COMPRESSED_SRGB | gl::SRGB8 | gl::SRGB => {
            storage(gl::SRGB8_ALPHA8, gl::RGBA, gl::UNSIGNED_BYTE, 4, Base::Rgb)
        }
        gl::RED | gl::R8 | gl::COMPRESSED_RED | gl::R16 => storage(gl::R8, gl::RED, gl::UNSIGNED_BYTE, 1, Base::Red),
        gl::RG | gl::RG8 | gl::COMPRESSED_RG | gl::RG16 => storage(gl::RG8, gl::RG, gl::UNSIGNED_BYTE, 2, Base::Rg),
        1
        | gl::LUMINANCE
        | gl::LUMINANCE4
        | gl::LUMINANCE8
        | gl::LUMINANCE12
        | gl::LUMINANCE16
        | gl::COMPRESSED_LUMINANCE => rgba8(Base::Luminance),
        gl::ALPHA | gl::ALPHA4 | gl::ALPHA8 | gl::ALPHA12 | gl::ALPHA16 | gl::COMPRESSED_ALPHA => rgba8(Base::Alpha),
        2 | gl::LUMINANCE_ALPHA | gl::LUMINANCE4_ALPHA4..=gl::LUMINANCE16_ALPHA16 | gl::COMPRESSED_LUMINANCE_ALPHA => {
            rgba8(Base::LuminanceAlpha)
        }
        gl::INTENSITY..=gl::INTENSITY16 | gl::COMPRESSED_INTENSITY => rgba8(Base::Intensity),
        gl::RGBA12 | gl::RGBA16 | gl::RGBA16F | gl::RGBA32F => {
            // Sixteen bits normalised have no format without an extension; half floats are nearest.
            let wide = internal == gl::RGBA32F;
            storage(if wide { gl::RGBA32F } else { gl::RGBA16F }, gl::RGBA, gl::FLOAT, 16, Base::Rgba)
        }
        gl::RGB16 | gl::RGB16F | gl::RGB32F => storage(gl::RGBA16F, gl::RGBA, gl::FLOAT, 16, Base::Rgb),
        gl::R16F | gl::R32F => storage(internal, gl::RED, gl::FLOAT, 4, Base::Red),
        gl::RG16F | gl::RG32F => storage(internal, gl::RG, gl::FLOAT, 8, Base::Rg),
        gl::R11F_G11F_B10F => storage(gl::R11F_G11F_B10F, gl::RGB, gl::FLOAT, 12, Base::Rgb),
        gl::RGB9_E5 => storage(gl::RGB9_E5, gl::RGB, gl::FLOAT, 12, Base::Rgb),
        gl::DEPTH_COMPONENT | gl::DEPTH_COMPONENT16 | gl::DEPTH_COMPONENT24 | gl::DEPTH_COMPONENT32 => {
            storage(gl::DEPTH_COMPONENT24, gl::DEPTH_COMPONENT, gl::UNSIGNED_INT, 4, Base::Depth)
        }
        gl::DEPTH_COMPONENT32F => storage(gl::DEPTH_COMPONENT32F, gl::DEPTH_COMPONENT, gl::FLOAT, 4, Base::Depth),
        gl::DEPTH_STENCIL | gl::DEPTH24_STENCIL8 | gl::DEPTH32F_STENCIL8 => {
            storage(gl::DEPTH24_STENCIL8, gl::DEPTH_STENCIL, gl::UNSIGNED_INT_24_8, 4, Base::DepthStencil)
        }
        // Whole numbers: 8, 16 and 32 bits of one, two and four channels.
        gl::R8I => whole(gl::RED_INTEGER, gl::BYTE, 1),
        gl::R8UI => whole(gl::RED_INTEGER, gl::UNSIGNED_BYTE, 1),
        gl::R16I => whole(gl::RED_INTEGER, gl::SHORT, 2),
        gl::R16UI => whole(gl::RED_INTEGER, gl::UNSIGNED_SHORT, 2),
        gl::R32I => whole(gl::RED_INTEGER, gl::INT, 4),
        gl::R32UI => whole(gl::RED_INTEGER, gl::UNSIGNED_INT, 4),
        gl::RG8I => whole(gl::RG_INTEGER, gl::BYTE, 2),
        gl::RG8UI => whole(gl::RG_INTEGER, gl::UNSIGNED_BYTE, 2),
        gl::RG16I => whole(gl::RG_INTEGER, gl::SHORT, 4),
        gl::RG16UI => whole(gl::RG_INTEGER, gl::UNSIGNED_SHORT, 4),
        gl::RG32I => whole(gl::RG_INTEGER, gl::INT, 8),
        gl::RG32UI => whole(gl::RG_INTEGER, gl::UNSIGNED_INT, 8),
        gl::RGBA16I => whole(gl::RGBA_INTEGER, gl::SHORT, 8),
        // Negative numbers: WebGL2 draws to no normalised format that has them.
        gl::RGBA8_SNORM | gl::RGBA16_SNORM => storage(gl::RGBA16F, gl::RGBA, gl::FLOAT, 16, Base::Rgba),
        gl::RGB8_SNORM | gl::RGB16_SNORM => storage(gl::RGBA16F, gl::RGBA, gl::FLOAT, 16, Base::Rgb),
        gl::RG8_SNORM | gl::RG16_SNORM => storage(gl::RG16F, gl::RG, gl::FLOAT, 8, Base::Rg),
        gl::R8_SNORM | gl::R16_SNORM => storage(gl::R16F, gl::RED, gl::FLOAT, 4, Base::Red),
        gl::RGBA8UI => whole(gl::RGBA_INTEGER, gl::UNSIGNED_BYTE, 4),
        gl::RGBA8I => whole(gl::RGBA_INTEGER, gl::BYTE, 4),
        gl::RGBA16UI => whole(gl::RGBA_INTEGER, gl::UNSIGNED_SHORT, 8),
        gl::RGBA32UI => whole(gl::RGBA_INTEGER, gl::UNSIGNED_INT, 16),
        gl::RGBA32I => whole(gl::RGBA_INTEGER, gl::INT, 16),
        _ => return None,
    })
}

/// How pixels lie in memory: `GL_UNPACK_…`, and what becomes of them: `glPixelTransfer`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unpack {
    pub(crate) store: PixelStore,
    /// Each channel is multiplied, and then increased.
    pub(crate) scale: [f64; 4],
    pub(crate) bias: [f64; 4],
}

impl Default for Unpack {
    fn default() -> Self {
        Self { store: PixelStore::default(), scale: [1.0; 4], bias: [0.0; 4] }
    }
}

/// Where the pixels of an upload are in the trace.
pub(crate) enum Pixels<'a> {
    /// In memory that the call has.
    Memory(&'a [u8]),
    /// In a buffer, from an offset on.
    Buffer(Content, usize),
}

impl Pixels<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Memory(bytes) => bytes.len(),
            Self::Buffer(content, at) => content.len().saturating_sub(*at),
        }
    }

    fn get(&self, at: usize, len: usize) -> Option<Cow<'_, [u8]>> {
        match self {
            Self::Memory(bytes) => bytes.get(at..at.checked_add(len)?).map(Cow::Borrowed),
            Self::Buffer(content, begin) => content.get(begin.checked_add(at)?, len),
        }
    }
}

/// An upload in the trace: pixels, their format and type, and how they lie in memory.
pub(crate) struct Upload<'a> {
    pixels: Pixels<'a>,
    size: [u32; 3],
    kind: (u32, u32),
    layout: Layout,
    unpack: Unpack,
}

impl<'a> Upload<'a> {
    /// `size`: width, height and depth. `None` if memory is missing that the call must have read,
    /// and for a format and a type that do not belong together.
    pub(crate) fn new(pixels: Pixels<'a>, size: [u32; 3], kind: (u32, u32), unpack: &Unpack) -> Option<Self> {
        let layout = Layout::new(kind.0, kind.1, unpack.store).ok()?;
        let [width, height, depth] = size;
        let last = layout.row(size, height.saturating_sub(1), depth.saturating_sub(1))?;
        let end = last.checked_add((width as usize).checked_mul(layout.pixel_bytes())?)?;
        (end <= pixels.len()).then_some(Self { pixels, size, kind, layout, unpack: *unpack })
    }

    /// The pixels of a part as the storage of the texture has them, tightly packed.
    pub(crate) fn part(&self, part: Part, to: &Storage) -> Option<Vec<u8>> {
        let (width, pixel) = (self.size[0] as usize, self.layout.pixel_bytes());
        let (rows, layers) = (part.row..part.row.checked_add(part.rows)?, part.layers.max(1));
        let total = width.checked_mul(rows.len())?.checked_mul(layers as usize)?.checked_mul(to.bytes as usize)?;
        if total == 0 {
            return Some(Vec::new());
        }
        let (format, kind) = self.kind;
        let is_plain = (self.unpack.scale, self.unpack.bias) == ([1.0; 4], [0.0; 4]);
        let is_bytes = is_plain && to.kind == gl::UNSIGNED_BYTE && to.base == Base::Rgba;
        let keeps_all = match to.base {
            Base::Rgb => to.format == gl::RGB,
            base => !matches!(base, Base::Alpha | Base::Luminance | Base::LuminanceAlpha | Base::Intensity),
        };
        let is_same = is_plain && keeps_all && (to.format, to.kind) == self.kind && !self.unpack.store.swap_bytes
            || is_bytes && format == gl::RGBA && matches!(kind, gl::UNSIGNED_BYTE | gl::UNSIGNED_INT_8_8_8_8_REV);
        let mut out = Vec::with_capacity(total);
        for z in part.layer..part.layer.checked_add(layers)? {
            for y in rows.clone() {
                let row = self.pixels.get(self.layout.row(self.size, y, z)?, width * pixel)?;
                if is_same && to.bytes as usize == pixel {
                    out.extend_from_slice(&row);
                } else if is_bytes && self.kind == (gl::BGRA, gl::UNSIGNED_BYTE) {
                    out.extend(row.as_chunks().0.iter().flat_map(|[b, g, r, a]| [*r, *g, *b, *a]));
                } else {
                    for pixel in row.chunks_exact(pixel) {
                        self.put(&mut out, self.layout.pixel(pixel)?, to);
                    }
                }
            }
        }
        Some(out)
    }

    /// Adds a texel.
    fn put(&self, out: &mut Vec<u8>, mut texel: [f64; 4], to: &Storage) {
        let whole = |number: f64, most: f64| (number.clamp(0.0, 1.0) * most).round();
        if !to.is_depth() && !to.is_integer() {
            let Unpack { scale, bias, .. } = &self.unpack;
            for (i, x) in texel.iter_mut().enumerate() {
                *x = *x * scale.get(i).unwrap_or(&1.0) + bias.get(i).unwrap_or(&0.0);
            }
        }
        let texel = to.base.keep(texel);
        let [r, g, b, a] = texel;
        let word = match to.kind {
            gl::UNSIGNED_INT_2_10_10_10_REV => {
                let ten = |number| whole(number, 1023.0) as u32;
                ten(r) | ten(g) << 10 | ten(b) << 20 | (whole(a, 3.0) as u32) << 30
            }
            gl::UNSIGNED_INT_24_8 => (whole(r, 16777215.0) as u32) << 8 | g as u32,
            gl::UNSIGNED_INT if to.is_depth() => whole(r, 4294967295.0) as u32,
            kind => {
                let count = match to.format {
                    gl::RED | gl::RED_INTEGER | gl::DEPTH_COMPONENT => 1,
                    gl::RG | gl::RG_INTEGER => 2,
                    gl::RGB => 3,
                    _ => 4,
                };
                for x in texel.into_iter().take(count) {
                    match kind {
                        gl::FLOAT => out.extend_from_slice(&(x as f32).to_le_bytes()),
                        _ if to.is_integer() => {
                            let bytes = (x as i64).to_le_bytes();
                            out.extend_from_slice(bytes.get(..to.bytes as usize / count).unwrap_or_default());
                        }
                        _ => out.push(whole(x, 255.0) as u8),
                    }
                }
                return;
            }
        };
        out.extend_from_slice(&word.to_le_bytes());
    }
}

/// Some rows of some layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) layer: u32,
    pub(crate) layers: u32,
    pub(crate) row: u32,
    pub(crate) rows: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All of an upload.
    fn converted(source: &[u8], size: [u32; 3], kind: (u32, u32), unpack: &Unpack, to: &Storage) -> Option<Vec<u8>> {
        let all = Part { layer: 0, layers: size[2].max(1), row: 0, rows: size[1] };
        Upload::new(Pixels::Memory(source), size, kind, unpack)?.part(all, to)
    }

    #[test]
    fn pixels_are_converted_row_by_row() {
        let to = storage_of(gl::RGB, gl::UNSIGNED_BYTE).unwrap();
        // Two rows of one BGR pixel, aligned to four bytes.
        let source = [1, 2, 3, 0, 4, 5, 6];
        let all = converted(&source, [1, 2, 0], (gl::BGR, gl::UNSIGNED_BYTE), &Unpack::default(), &to);
        assert_eq!(all, Some(vec![3, 2, 1, 6, 5, 4]));
        let to = storage_of(gl::ALPHA, gl::UNSIGNED_BYTE).unwrap();
        let unpack = Unpack {
            store: PixelStore { alignment: 1, row_length: 3, skip: [1, 1, 0], ..PixelStore::default() },
            ..Unpack::default()
        };
        let all = converted(&[0, 0, 0, 0, 7, 9], [2, 1, 0], (gl::ALPHA, gl::UNSIGNED_BYTE), &unpack, &to);
        assert_eq!(all, Some(vec![0, 0, 0, 7, 0, 0, 0, 9]));
        assert_eq!(converted(&[0; 3], [2, 2, 0], (gl::RGBA, gl::UNSIGNED_BYTE), &Unpack::default(), &to), None);
        // Without pixels there is nothing to walk through.
        let none = converted(&[], [0, 1 << 15, 1 << 15], (gl::RGBA, gl::UNSIGNED_BYTE), &Unpack::default(), &to);
        assert_eq!(none, Some(Vec::new()));
    }

    #[test]
    fn parts_of_an_upload_are_parts_of_its_pixels() {
        let to = storage_of(gl::RGBA8, gl::UNSIGNED_BYTE).unwrap();
        // Three layers of four rows of two pixels, in a buffer, from its third byte on.
        let source: Vec<u8> = (0..3 * 4 * 2 * 4 + 2).map(|i| i as u8).collect();
        let mut content = Content::zeros(source.len());
        assert!(content.put(0, &source));
        let kind = (gl::BGRA, gl::UNSIGNED_BYTE);
        let upload = Upload::new(Pixels::Buffer(content.clone(), 2), [2, 4, 3], kind, &Unpack::default()).unwrap();
        let whole = upload.part(Part { layer: 0, layers: 3, row: 0, rows: 4 }, &to).unwrap();
        assert_eq!(whole.len(), 3 * 4 * 2 * 4);
        let parts = (0..3).flat_map(|layer| (0..4).map(move |row| Part { layer, layers: 1, row, rows: 1 }));
        assert_eq!(parts.flat_map(|part| upload.part(part, &to).unwrap()).collect::<Vec<u8>>(), whole);
        assert!(Upload::new(Pixels::Buffer(content, 3), [2, 4, 3], kind, &Unpack::default()).is_none());
    }

    #[test]
    fn channels_are_scaled_and_increased() {
        let to = storage_of(gl::RGBA8, gl::UNSIGNED_BYTE).unwrap();
        let unpack = Unpack { scale: [1.0, 0.5, 1.0, 1.0], bias: [0.0, 0.0, 0.2, 0.0], ..Unpack::default() };
        let all = converted(&[255, 100, 0, 255], [1, 1, 0], (gl::RGBA, gl::UNSIGNED_BYTE), &unpack, &to);
        assert_eq!(all, Some(vec![255, 50, 51, 255]));
    }

    #[test]
    fn packed_types_and_half_floats() {
        let to = storage_of(gl::RGBA8, gl::UNSIGNED_SHORT_5_6_5).unwrap();
        let all = converted(&[0x1F, 0xF8], [1, 1, 0], (gl::RGB, gl::UNSIGNED_SHORT_5_6_5), &Unpack::default(), &to);
        assert_eq!(all, Some(vec![255, 0, 255, 255]));
    }

    #[test]
    fn what_the_format_lacks_is_left_out() {
        let of = |internal, kind, source: &[u8]| {
            let to = storage_of(internal, gl::UNSIGNED_BYTE).unwrap();
            converted(source, [1, 1, 0], kind, &Unpack::default(), &to).unwrap()
        };
        // Luminance is taken from red, whatever the order of the bytes.
        assert_eq!(of(gl::LUMINANCE8, (gl::RGBA, gl::UNSIGNED_BYTE), &[1, 2, 3, 4]), [1, 1, 1, 255]);
        assert_eq!(of(gl::LUMINANCE8_ALPHA8, (gl::BGRA, gl::UNSIGNED_BYTE), &[1, 2, 3, 4]), [3, 3, 3, 4]);
        assert_eq!(of(gl::SRGB8, (gl::RGBA, gl::UNSIGNED_BYTE), &[1, 2, 3, 4]), [1, 2, 3, 255]);
        assert_eq!(of(gl::R16I, (gl::RED_INTEGER, gl::BYTE), &[0xFE]), [0xFE, 0xFF]);
    }

    #[test]
    fn words_are_swapped_and_small_floats_read() {
        let to = storage_of(gl::R11F_G11F_B10F, gl::FLOAT).unwrap();
        let word = (15u32 << 6 | 15 << 17 | 15 << 27).to_be_bytes();
        let unpack = Unpack { store: PixelStore { swap_bytes: true, ..PixelStore::default() }, ..Unpack::default() };
        let kind = (gl::RGB, gl::UNSIGNED_INT_10F_11F_11F_REV);
        let all = converted(&word, [1, 1, 0], kind, &unpack, &to).unwrap();
        assert_eq!(all, 1f32.to_le_bytes().repeat(3));
        // A format and a type that do not belong together upload nothing.
        assert_eq!(converted(&word, [1, 1, 0], (gl::RGBA, kind.1), &unpack, &to), None);
    }
}
