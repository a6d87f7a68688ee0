//! Pixels of the trace's formats as those of WebGL2.

use std::borrow::Cow;

use unspool_gl::gl;

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
    /// What the channels mean.
    pub(crate) base: Base,
}

/// The channels of a texture in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Rgba,
    Rgb,
    Rg,
    Red,
    Alpha,
    Luminance,
    LuminanceAlpha,
    Intensity,
    /// Depth, with or without stencil.
    Depth,
    /// Whole numbers.
    Integer,
}

const fn storage(internal: u32, format: u32, kind: u32, bytes: u32, base: Base) -> Storage {
    Storage { internal, format, kind, bytes, base }
}

/// How a texture of an internal format is stored. `None` if WebGL2 has nothing like it. `kind` is
/// the type of the upload.
pub(crate) fn storage_of(internal: u32, kind: u32) -> Option<Storage> {
    let rgba8 = |base| storage(gl::RGBA8, gl::RGBA, gl::UNSIGNED_BYTE, 4, base);
    let whole = |format, kind, bytes| storage(internal, format, kind, bytes, Base::Integer);
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
        gl::SRGB8_ALPHA8 | gl::SRGB_ALPHA | gl::COMPRESSED_SRGB_ALPHA | gl::COMPRESSED_SRGB | gl::SRGB8 | gl::SRGB => {
            storage(gl::SRGB8_ALPHA8, gl::RGBA, gl::UNSIGNED_BYTE, 4, Base::Rgba)
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
            storage(gl::DEPTH24_STENCIL8, gl::DEPTH_STENCIL, gl::UNSIGNED_INT_24_8, 4, Base::Depth)
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
    pub(crate) alignment: u32,
    pub(crate) row_length: u32,
    pub(crate) image_height: u32,
    pub(crate) skip_pixels: u32,
    pub(crate) skip_rows: u32,
    pub(crate) skip_images: u32,
    pub(crate) swap: bool,
    /// Each channel is multiplied, and then increased.
    pub(crate) scale: [f32; 4],
    pub(crate) bias: [f32; 4],
}

impl Default for Unpack {
    fn default() -> Self {
        Self {
            alignment: 4,
            row_length: 0,
            image_height: 0,
            skip_pixels: 0,
            skip_rows: 0,
            skip_images: 0,
            swap: false,
            scale: [1.0; 4],
            bias: [0.0; 4],
        }
    }
}

/// Where each channel of a pixel of this format goes: red, green, blue, alpha. `None` for formats
/// without colours.
fn channels(format: u32) -> Option<&'static [usize]> {
    Some(match format {
        gl::RED | gl::RED_INTEGER => &[0],
        gl::GREEN => &[1],
        gl::BLUE => &[2],
        gl::ALPHA => &[3],
        gl::RG | gl::RG_INTEGER => &[0, 1],
        gl::RGB | gl::RGB_INTEGER => &[0, 1, 2],
        gl::BGR | gl::BGR_INTEGER => &[2, 1, 0],
        gl::RGBA | gl::RGBA_INTEGER => &[0, 1, 2, 3],
        gl::BGRA | gl::BGRA_INTEGER => &[2, 1, 0, 3],
        gl::ABGR_EXT => &[3, 2, 1, 0],
        // Luminance is in all three.
        gl::LUMINANCE => &[4],
        gl::LUMINANCE_ALPHA => &[4, 3],
        _ => return None,
    })
}

/// The fields of a packed type: bytes of a pixel, then shift and bits of each channel in the order
/// of the format.
fn packed(kind: u32) -> Option<(usize, &'static [(u32, u32)])> {
    Some(match kind {
        gl::UNSIGNED_BYTE_3_3_2 => (1, &[(5, 3), (2, 3), (0, 2)]),
        gl::UNSIGNED_BYTE_2_3_3_REV => (1, &[(0, 3), (3, 3), (6, 2)]),
        gl::UNSIGNED_SHORT_5_6_5 => (2, &[(11, 5), (5, 6), (0, 5)]),
        gl::UNSIGNED_SHORT_5_6_5_REV => (2, &[(0, 5), (5, 6), (11, 5)]),
        gl::UNSIGNED_SHORT_4_4_4_4 => (2, &[(12, 4), (8, 4), (4, 4), (0, 4)]),
        gl::UNSIGNED_SHORT_4_4_4_4_REV => (2, &[(0, 4), (4, 4), (8, 4), (12, 4)]),
        gl::UNSIGNED_SHORT_5_5_5_1 => (2, &[(11, 5), (6, 5), (1, 5), (0, 1)]),
        gl::UNSIGNED_SHORT_1_5_5_5_REV => (2, &[(0, 5), (5, 5), (10, 5), (15, 1)]),
        gl::UNSIGNED_INT_8_8_8_8 => (4, &[(24, 8), (16, 8), (8, 8), (0, 8)]),
        gl::UNSIGNED_INT_8_8_8_8_REV => (4, &[(0, 8), (8, 8), (16, 8), (24, 8)]),
        gl::UNSIGNED_INT_10_10_10_2 => (4, &[(22, 10), (12, 10), (2, 10), (0, 2)]),
        gl::UNSIGNED_INT_2_10_10_10_REV => (4, &[(0, 10), (10, 10), (20, 10), (30, 2)]),
        _ => return None,
    })
}

/// Bytes of one channel.
fn size_of(kind: u32) -> usize {
    match kind {
        gl::BYTE | gl::UNSIGNED_BYTE => 1,
        gl::SHORT | gl::UNSIGNED_SHORT | gl::HALF_FLOAT | gl::HALF_FLOAT_OES => 2,
        _ => 4,
    }
}

/// A half float.
pub(crate) fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    sign * match exponent {
        0 => fraction * (-24f32).exp2(),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * ((exponent - 25) as f32).exp2(),
    }
}

fn little(bytes: &[u8], at: usize, len: usize) -> u32 {
    let found = bytes.get(at..at + len).unwrap_or_default();
    found.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte))
}

/// A channel as a number: normalised unless it is a float.
fn channel(bytes: &[u8], at: usize, kind: u32) -> f32 {
    let raw = little(bytes, at, size_of(kind));
    match kind {
        gl::BYTE => (f32::from(raw as u8 as i8) / 127.0).max(-1.0),
        gl::UNSIGNED_BYTE => raw as f32 / 255.0,
        gl::SHORT => (f32::from(raw as u16 as i16) / 32767.0).max(-1.0),
        gl::UNSIGNED_SHORT => raw as f32 / 65535.0,
        gl::INT => (raw as i32 as f64 / 2147483647.0) as f32,
        gl::UNSIGNED_INT => (f64::from(raw) / 4294967295.0) as f32,
        gl::HALF_FLOAT | gl::HALF_FLOAT_OES => half(raw as u16),
        _ => f32::from_bits(raw),
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

/// How the pixels of an upload lie in memory, in bytes.
#[derive(Clone, Copy, Debug)]
struct Layout {
    pixel: usize,
    /// From a row to the next one, and from an image to the next one.
    stride: usize,
    image: usize,
    /// The first byte, and the end of the last pixel.
    first: usize,
    last: usize,
}

/// `None` if a number is beyond memory.
fn layout((width, height, depth): (u32, u32, u32), (format, kind): (u32, u32), unpack: &Unpack) -> Option<Layout> {
    let (width, height, depth) = (width as usize, height as usize, depth.max(1) as usize);
    let pixel = match (packed(kind), channels(format)) {
        (Some((bytes, _)), _) => bytes,
        (None, Some(order)) => order.len() * size_of(kind),
        // Depth, or both.
        (None, None) if kind == gl::FLOAT_32_UNSIGNED_INT_24_8_REV => 8,
        (None, None) => size_of(kind),
    };
    let row_pixels = if unpack.row_length > 0 { unpack.row_length as usize } else { width };
    let stride = row_pixels.checked_mul(pixel)?.next_multiple_of(unpack.alignment.max(1) as usize);
    let image = stride.checked_mul(if unpack.image_height > 0 { unpack.image_height as usize } else { height })?;
    let first = (unpack.skip_images as usize)
        .checked_mul(image)?
        .checked_add((unpack.skip_rows as usize).checked_mul(stride)?)?
        .checked_add((unpack.skip_pixels as usize).checked_mul(pixel)?)?;
    let last = first
        .checked_add((depth - 1).checked_mul(image)?)?
        .checked_add(height.saturating_sub(1).checked_mul(stride)?)?
        .checked_add(width.checked_mul(pixel)?)?;
    Some(Layout { pixel, stride, image, first, last })
}

/// An upload in the trace: pixels, their format and type, and how they lie in memory.
pub(crate) struct Upload<'a> {
    pixels: Pixels<'a>,
    size: (u32, u32, u32),
    kind: (u32, u32),
    unpack: Unpack,
}

impl<'a> Upload<'a> {
    /// `size`: width, height and depth. `None` if memory is missing that the call must have read.
    pub(crate) fn new(pixels: Pixels<'a>, size: [u32; 3], kind: (u32, u32), unpack: &Unpack) -> Option<Self> {
        let size = size.into();
        if layout(size, kind, unpack)?.last > pixels.len() {
            return None;
        }
        // Parts have as many rows between their images as the whole.
        let image_height = if unpack.image_height > 0 { unpack.image_height } else { size.1 };
        Some(Self { pixels, size, kind, unpack: Unpack { image_height, ..*unpack } })
    }

    /// The pixels of a part as the storage of the texture has them, tightly packed.
    pub(crate) fn part(&self, part: Part, to: &Storage) -> Option<Vec<u8>> {
        let unpack = Unpack {
            skip_images: self.unpack.skip_images.checked_add(part.layer)?,
            skip_rows: self.unpack.skip_rows.checked_add(part.row)?,
            ..self.unpack
        };
        converted(&self.pixels, (self.size.0, part.rows, part.layers), self.kind, &unpack, to)
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

/// The pixels of an upload as the storage of the texture has them, tightly packed. `None` if memory
/// is missing that the call must have read.
fn converted(
    source: &Pixels<'_>,
    size: (u32, u32, u32),
    (format, kind): (u32, u32),
    unpack: &Unpack,
    to: &Storage,
) -> Option<Vec<u8>> {
    let Layout { pixel, stride, image, first, .. } = layout(size, (format, kind), unpack)?;
    let (width, height, depth) = (size.0 as usize, size.1 as usize, size.2.max(1) as usize);
    let fields = packed(kind);
    let order = channels(format);
    let total = width.checked_mul(height)?.checked_mul(depth)?.checked_mul(to.bytes as usize)?;
    if total == 0 {
        return Some(Vec::new());
    }
    let same = to.format == format && to.kind == kind && !unpack.swap
        || (to.kind == gl::UNSIGNED_BYTE && kind == gl::UNSIGNED_BYTE && to.base == Base::Rgba && format == gl::RGBA)
        || (to.kind == gl::UNSIGNED_BYTE
            && kind == gl::UNSIGNED_INT_8_8_8_8_REV
            && to.base == Base::Rgba
            && format == gl::RGBA);
    let is_plain = (unpack.scale, unpack.bias) == ([1.0; 4], [0.0; 4]);
    let mut out = Vec::with_capacity(total);
    for z in 0..depth {
        for y in 0..height {
            let row = source.get(first + z * image + y * stride, width * pixel)?;
            if is_plain && same && to.bytes as usize == pixel {
                out.extend_from_slice(&row);
            } else if let (true, None, Some(&[2, 1, 0, 3]), gl::UNSIGNED_BYTE, Base::Rgba, gl::UNSIGNED_BYTE) =
                (is_plain, fields, order, kind, to.base, to.kind)
            {
                out.extend(row.as_chunks().0.iter().flat_map(|[b, g, r, a]| [*r, *g, *b, *a]));
            } else {
                for pixel in row.chunks_exact(pixel) {
                    put(&mut out, pixel, (format, kind), order, fields, unpack, to);
                }
            }
        }
    }
    Some(out)
}

/// Converts one pixel.
fn put(
    out: &mut Vec<u8>,
    pixel: &[u8],
    (format, kind): (u32, u32),
    order: Option<&[usize]>,
    fields: Option<(usize, &[(u32, u32)])>,
    unpack: &Unpack,
    to: &Storage,
) {
    if to.base == Base::Depth {
        return put_depth(out, pixel, format, kind, to);
    }
    if to.base == Base::Integer {
        out.extend_from_slice(pixel.get(..to.bytes as usize).unwrap_or(pixel));
        out.resize(out.len().next_multiple_of(to.bytes.max(1) as usize), 0);
        return;
    }
    let mut rgba = [0.0, 0.0, 0.0, 1.0f32];
    let mut luminance = None;
    let mut value = |to: usize, x: f32| match to {
        4 => luminance = Some(x),
        _ => {
            if let Some(slot) = rgba.get_mut(to) {
                *slot = x;
            }
        }
    };
    let order = order.unwrap_or(&[0, 1, 2, 3]);
    if let Some((bytes, fields)) = fields {
        let raw = little(pixel, 0, bytes);
        for (to, (shift, bits)) in order.iter().zip(fields) {
            let most = (1u32 << bits) - 1;
            value(*to, (raw >> shift & most) as f32 / most as f32);
        }
    } else {
        for (i, to) in order.iter().enumerate() {
            value(*to, channel(pixel, i * size_of(kind), kind));
        }
    }
    if let Some(l) = luminance {
        rgba = [l, l, l, rgba[3]];
    }
    for ((x, scale), bias) in rgba.iter_mut().zip(unpack.scale).zip(unpack.bias) {
        *x = *x * scale + bias;
    }
    let [r, g, b, a] = rgba;
    let rgba = match to.base {
        Base::Rgb => [r, g, b, 1.0],
        Base::Alpha => [0.0, 0.0, 0.0, a],
        Base::Luminance => [r, r, r, 1.0],
        Base::LuminanceAlpha => [r, r, r, a],
        Base::Intensity => [r; 4],
        _ => rgba,
    };
    let count = match to.format {
        gl::RED => 1,
        gl::RG => 2,
        gl::RGB => 3,
        _ => 4,
    };
    if to.kind == gl::UNSIGNED_INT_2_10_10_10_REV {
        let word = (rgba[0].clamp(0.0, 1.0) * 1023.0).round() as u32
            | ((rgba[1].clamp(0.0, 1.0) * 1023.0).round() as u32) << 10
            | ((rgba[2].clamp(0.0, 1.0) * 1023.0).round() as u32) << 20
            | ((rgba[3].clamp(0.0, 1.0) * 3.0).round() as u32) << 30;
        out.extend_from_slice(&word.to_le_bytes());
        return;
    }
    for x in rgba.iter().take(count) {
        match to.kind {
            gl::FLOAT => out.extend_from_slice(&x.to_le_bytes()),
            _ => out.push((x.clamp(0.0, 1.0) * 255.0).round() as u8),
        }
    }
}

fn put_depth(out: &mut Vec<u8>, pixel: &[u8], format: u32, kind: u32, to: &Storage) {
    let (depth, stencil) = match (format, kind) {
        (_, gl::UNSIGNED_INT_24_8) => (f64::from(little(pixel, 0, 4) >> 8) / 16777215.0, little(pixel, 0, 4) & 255),
        (_, gl::FLOAT_32_UNSIGNED_INT_24_8_REV) => {
            (f64::from(f32::from_bits(little(pixel, 0, 4))), little(pixel, 4, 4) & 255)
        }
        _ => (f64::from(channel(pixel, 0, kind)), 0),
    };
    let word = match to.kind {
        gl::FLOAT => (depth as f32).to_bits(),
        gl::UNSIGNED_INT_24_8 => ((depth.clamp(0.0, 1.0) * 16777215.0).round() as u32) << 8 | stencil,
        _ => (depth.clamp(0.0, 1.0) * 4294967295.0).round() as u32,
    };
    out.extend_from_slice(&word.to_le_bytes());
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
        let unpack = Unpack { alignment: 1, row_length: 3, skip_pixels: 1, skip_rows: 1, ..Unpack::default() };
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
        assert_eq!((half(0x3C00), half(0xC000), half(0x0001)), (1.0, -2.0, 2f32.powi(-24)));
    }
}
