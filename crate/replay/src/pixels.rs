//! Pixels of the trace's formats as those of WebGL2.

use std::borrow::Cow;

use unspool_gl::gl;
use unspool_gl::pixels::{Base, Internal, Layout, Number, PixelStore};

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

/// How a texture of an internal format is stored. `None` if WebGL2 has nothing like it. `kind` is
/// the type of the upload: `GL_RGBA` and `GL_RGB` of OpenGL ES take it.
pub(crate) fn storage_of(internal: u32, kind: u32) -> Option<Storage> {
    let of = if matches!(internal, gl::RGBA | gl::RGB) { kind } else { 0 };
    let known = Internal::of(internal, of).filter(|known| known.compressed.is_none())?;
    let base = known.base();
    let (format, channels) = match base {
        Base::Red => (gl::RED, 1),
        Base::Rg => (gl::RG, 2),
        Base::Rgb => (gl::RGB, 3),
        _ => (gl::RGBA, 4),
    };
    let made = |internal, format, kind, bytes| Some(Storage { internal, format, kind, bytes, base });
    // Three channels of floating point cannot be drawn to.
    let floats = |one, two, four| match channels {
        1 => made(one, format, gl::FLOAT, 4),
        2 => made(two, format, gl::FLOAT, 8),
        _ => made(four, gl::RGBA, gl::FLOAT, 16),
    };
    let integers = |bits: u8, kinds: [u32; 3]| {
        let kind = kinds.get((bits.ilog2() as usize).checked_sub(3)?).copied();
        let format = [gl::RED_INTEGER, gl::RG_INTEGER, 0, gl::RGBA_INTEGER].get(channels - 1).copied();
        let is_like = base != Base::Stencil && bits.is_power_of_two() && channels != 3;
        made(internal, format?, kind?, u32::from(bits / 8) * channels as u32).filter(|_| is_like)
    };
    match (base, known.number()) {
        (Base::Depth, Number::Float) => made(gl::DEPTH_COMPONENT32F, gl::DEPTH_COMPONENT, gl::FLOAT, 4),
        (Base::Depth, _) => made(gl::DEPTH_COMPONENT24, gl::DEPTH_COMPONENT, gl::UNSIGNED_INT, 4),
        (Base::DepthStencil, _) => made(gl::DEPTH24_STENCIL8, gl::DEPTH_STENCIL, gl::UNSIGNED_INT_24_8, 4),
        (_, Number::Int(bits)) => integers(bits, [gl::BYTE, gl::SHORT, gl::INT]),
        (_, Number::Uint(bits)) => integers(bits, [gl::UNSIGNED_BYTE, gl::UNSIGNED_SHORT, gl::UNSIGNED_INT]),
        (_, Number::Float11) => made(gl::R11F_G11F_B10F, gl::RGB, gl::FLOAT, 12),
        (_, Number::Shared) => made(gl::RGB9_E5, gl::RGB, gl::FLOAT, 12),
        (Base::Rgba, Number::Float) if internal == gl::RGBA32F => floats(0, 0, gl::RGBA32F),
        (_, Number::Float) => floats(gl::R32F, gl::RG32F, gl::RGBA16F),
        // Negative numbers: WebGL2 draws to no normalised format that has them.
        (_, Number::Half | Number::Snorm(_)) => floats(gl::R16F, gl::RG16F, gl::RGBA16F),
        // Sixteen bits normalised have no format without an extension; half floats are nearest.
        (Base::Rgba, Number::Unorm(16)) => floats(0, 0, gl::RGBA16F),
        (Base::Rgb, Number::Unorm(16)) if internal == gl::RGB16 => floats(0, 0, gl::RGBA16F),
        (_, Number::Packed([10, 10, 10, 2])) => made(gl::RGB10_A2, gl::RGBA, gl::UNSIGNED_INT_2_10_10_10_REV, 4),
        _ if known.is_srgb => made(gl::SRGB8_ALPHA8, gl::RGBA, gl::UNSIGNED_BYTE, 4),
        _ => made(
            [gl::R8, gl::RG8, gl::RGB8, gl::RGBA8].get(channels - 1).copied()?,
            format,
            gl::UNSIGNED_BYTE,
            channels as u32,
        ),
    }
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
            for ((x, scale), bias) in texel.iter_mut().zip(self.unpack.scale).zip(self.unpack.bias) {
                *x = *x * scale + bias;
            }
        }
        let texel = to.base.keep(texel);
        let [r, g, b, a] = texel;
        let word = match to.kind {
            gl::UNSIGNED_INT_2_10_10_10_REV => {
                let [r, g, b] = [r, g, b].map(|x| whole(x, 1023.0) as u32);
                r | g << 10 | b << 20 | (whole(a, 3.0) as u32) << 30
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
