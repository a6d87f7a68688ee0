//! Pixels of the trace's formats as those of WebGL2.

use std::borrow::Cow;

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

const RGBA: u32 = 0x1908;
const UNSIGNED_BYTE: u32 = 0x1401;
const FLOAT: u32 = 0x1406;

const fn storage(internal: u32, format: u32, kind: u32, bytes: u32, base: Base) -> Storage {
    Storage { internal, format, kind, bytes, base }
}

/// How a texture of an internal format is stored. `None` if WebGL2 has nothing like it. `kind` is the type of the upload.
pub(crate) fn storage_of(internal: u32, kind: u32) -> Option<Storage> {
    let rgba8 = |base| storage(0x8058, RGBA, UNSIGNED_BYTE, 4, base);
    let floats = matches!(kind, FLOAT | 0x140B | 0x8D61);
    Some(match internal {
        // Unsized formats of OpenGL ES take the type of the upload.
        0x1908 if floats => storage(0x881A, RGBA, FLOAT, 16, Base::Rgba),
        0x1907 if floats => storage(0x881A, RGBA, FLOAT, 16, Base::Rgb),
        4 | 0x1908 | 0x8058 | 0x8055 | 0x8056 | 0x8057 | 0x84EE | 0x80E1 | 0x93A1 | 0x8F97 => rgba8(Base::Rgba),
        3 | 0x1907 | 0x8051 | 0x8050 | 0x804F | 0x2A10 | 0x84ED | 0x8D62 | 0x8052 | 0x8053 => {
            storage(0x8051, 0x1907, UNSIGNED_BYTE, 3, Base::Rgb)
        }
        0x8059 => storage(0x8059, RGBA, 0x8368, 4, Base::Rgba),
        0x8C43 | 0x8C42 | 0x8C49 | 0x8C48 | 0x8C41 | 0x8C40 => storage(0x8C43, RGBA, UNSIGNED_BYTE, 4, Base::Rgba),
        0x1903 | 0x8229 | 0x8225 | 0x822A => storage(0x8229, 0x1903, UNSIGNED_BYTE, 1, Base::Red),
        0x8227 | 0x822B | 0x8226 | 0x822C => storage(0x822B, 0x8227, UNSIGNED_BYTE, 2, Base::Rg),
        1 | 0x1909 | 0x803F | 0x8040 | 0x8041 | 0x8042 | 0x84EA => rgba8(Base::Luminance),
        0x1906 | 0x803B | 0x803C | 0x803D | 0x803E | 0x84E9 => rgba8(Base::Alpha),
        2 | 0x190A | 0x8043..=0x8048 | 0x84EB => rgba8(Base::LuminanceAlpha),
        0x8049..=0x804D | 0x84EC => rgba8(Base::Intensity),
        0x805A | 0x805B | 0x881A | 0x8814 => {
            // Sixteen bits normalised have no format without an extension; half floats are nearest.
            let wide = internal == 0x8814;
            storage(if wide { 0x8814 } else { 0x881A }, RGBA, FLOAT, 16, Base::Rgba)
        }
        0x8054 | 0x881B | 0x8815 => storage(0x881A, RGBA, FLOAT, 16, Base::Rgb),
        0x822D | 0x822E => storage(internal, 0x1903, FLOAT, 4, Base::Red),
        0x822F | 0x8230 => storage(internal, 0x8227, FLOAT, 8, Base::Rg),
        0x8C3A => storage(0x8C3A, 0x1907, FLOAT, 12, Base::Rgb),
        0x8C3D => storage(0x8C3D, 0x1907, FLOAT, 12, Base::Rgb),
        0x1902 | 0x81A5 | 0x81A6 | 0x81A7 => storage(0x81A6, 0x1902, 0x1405, 4, Base::Depth),
        0x8CAC => storage(0x8CAC, 0x1902, FLOAT, 4, Base::Depth),
        0x84F9 | 0x88F0 | 0x8CAD => storage(0x88F0, 0x84F9, 0x84FA, 4, Base::Depth),
        // Whole numbers: 8, 16 and 32 bits of one, two and four channels.
        0x8231 | 0x8232 => {
            storage(internal, 0x8D94, if internal == 0x8231 { 0x1400 } else { 0x1401 }, 1, Base::Integer)
        }
        0x8233 | 0x8234 => {
            storage(internal, 0x8D94, if internal == 0x8233 { 0x1402 } else { 0x1403 }, 2, Base::Integer)
        }
        0x8235 | 0x8236 => {
            storage(internal, 0x8D94, if internal == 0x8235 { 0x1404 } else { 0x1405 }, 4, Base::Integer)
        }
        0x8D7C => storage(internal, 0x8D99, 0x1401, 4, Base::Integer),
        0x8D8E => storage(internal, 0x8D99, 0x1400, 4, Base::Integer),
        0x8D76 => storage(internal, 0x8D99, 0x1403, 8, Base::Integer),
        0x8D70 => storage(internal, 0x8D99, 0x1405, 16, Base::Integer),
        0x8D82 => storage(internal, 0x8D99, 0x1404, 16, Base::Integer),
        _ => return None,
    })
}

/// How pixels lie in memory: `GL_UNPACK_…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unpack {
    pub(crate) alignment: u32,
    pub(crate) row_length: u32,
    pub(crate) image_height: u32,
    pub(crate) skip_pixels: u32,
    pub(crate) skip_rows: u32,
    pub(crate) skip_images: u32,
    pub(crate) swap: bool,
}

impl Default for Unpack {
    fn default() -> Self {
        Self { alignment: 4, row_length: 0, image_height: 0, skip_pixels: 0, skip_rows: 0, skip_images: 0, swap: false }
    }
}

/// Where each channel of a pixel of this format goes: red, green, blue, alpha. `None` for formats without colours.
fn channels(format: u32) -> Option<&'static [usize]> {
    Some(match format {
        0x1903 | 0x8D94 => &[0],
        0x1904 => &[1],
        0x1905 => &[2],
        0x1906 => &[3],
        0x8227 | 0x8228 => &[0, 1],
        0x1907 | 0x8D98 => &[0, 1, 2],
        0x80E0 | 0x8D9A => &[2, 1, 0],
        0x1908 | 0x8D99 => &[0, 1, 2, 3],
        0x80E1 | 0x8D9B => &[2, 1, 0, 3],
        0x8000 => &[3, 2, 1, 0],
        // Luminance is in all three.
        0x1909 => &[4],
        0x190A => &[4, 3],
        _ => return None,
    })
}

/// The fields of a packed type: bytes of a pixel, then shift and bits of each channel in the order of the format.
fn packed(kind: u32) -> Option<(usize, &'static [(u32, u32)])> {
    Some(match kind {
        0x8032 => (1, &[(5, 3), (2, 3), (0, 2)]),
        0x8362 => (1, &[(0, 3), (3, 3), (6, 2)]),
        0x8363 => (2, &[(11, 5), (5, 6), (0, 5)]),
        0x8364 => (2, &[(0, 5), (5, 6), (11, 5)]),
        0x8033 => (2, &[(12, 4), (8, 4), (4, 4), (0, 4)]),
        0x8365 => (2, &[(0, 4), (4, 4), (8, 4), (12, 4)]),
        0x8034 => (2, &[(11, 5), (6, 5), (1, 5), (0, 1)]),
        0x8366 => (2, &[(0, 5), (5, 5), (10, 5), (15, 1)]),
        0x8035 => (4, &[(24, 8), (16, 8), (8, 8), (0, 8)]),
        0x8367 => (4, &[(0, 8), (8, 8), (16, 8), (24, 8)]),
        0x8036 => (4, &[(22, 10), (12, 10), (2, 10), (0, 2)]),
        0x8368 => (4, &[(0, 10), (10, 10), (20, 10), (30, 2)]),
        _ => return None,
    })
}

/// Bytes of one channel.
fn size_of(kind: u32) -> usize {
    match kind {
        0x1400 | 0x1401 => 1,
        0x1402 | 0x1403 | 0x140B | 0x8D61 => 2,
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
        0x1400 => (f32::from(raw as u8 as i8) / 127.0).max(-1.0),
        0x1401 => raw as f32 / 255.0,
        0x1402 => (f32::from(raw as u16 as i16) / 32767.0).max(-1.0),
        0x1403 => raw as f32 / 65535.0,
        0x1404 => (raw as i32 as f64 / 2147483647.0) as f32,
        0x1405 => (f64::from(raw) / 4294967295.0) as f32,
        0x140B | 0x8D61 => half(raw as u16),
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
        (None, None) if kind == 0x8DAD => 8,
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

/// The pixels of an upload as the storage of the texture has them, tightly packed. `None` if memory is missing that the call must have read.
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
        || (to.kind == UNSIGNED_BYTE && kind == UNSIGNED_BYTE && to.base == Base::Rgba && format == RGBA)
        || (to.kind == UNSIGNED_BYTE && kind == 0x8367 && to.base == Base::Rgba && format == RGBA);
    let mut out = Vec::with_capacity(total);
    for z in 0..depth {
        for y in 0..height {
            let row = source.get(first + z * image + y * stride, width * pixel)?;
            if same && to.bytes as usize == pixel {
                out.extend_from_slice(&row);
            } else if let (None, Some(&[2, 1, 0, 3]), UNSIGNED_BYTE, Base::Rgba, UNSIGNED_BYTE) =
                (fields, order, kind, to.base, to.kind)
            {
                out.extend(row.chunks_exact(4).flat_map(|p| [p[2], p[1], p[0], p[3]]));
            } else {
                for pixel in row.chunks_exact(pixel) {
                    put(&mut out, pixel, format, kind, order, fields, to);
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
    format: u32,
    kind: u32,
    order: Option<&[usize]>,
    fields: Option<(usize, &[(u32, u32)])>,
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
        0x1903 => 1,
        0x8227 => 2,
        0x1907 => 3,
        _ => 4,
    };
    if to.kind == 0x8368 {
        let word = (rgba[0].clamp(0.0, 1.0) * 1023.0).round() as u32
            | ((rgba[1].clamp(0.0, 1.0) * 1023.0).round() as u32) << 10
            | ((rgba[2].clamp(0.0, 1.0) * 1023.0).round() as u32) << 20
            | ((rgba[3].clamp(0.0, 1.0) * 3.0).round() as u32) << 30;
        out.extend_from_slice(&word.to_le_bytes());
        return;
    }
    for x in rgba.iter().take(count) {
        match to.kind {
            FLOAT => out.extend_from_slice(&x.to_le_bytes()),
            _ => out.push((x.clamp(0.0, 1.0) * 255.0).round() as u8),
        }
    }
}

fn put_depth(out: &mut Vec<u8>, pixel: &[u8], format: u32, kind: u32, to: &Storage) {
    let (depth, stencil) = match (format, kind) {
        (_, 0x84FA) => (f64::from(little(pixel, 0, 4) >> 8) / 16777215.0, little(pixel, 0, 4) & 255),
        (_, 0x8DAD) => (f64::from(f32::from_bits(little(pixel, 0, 4))), little(pixel, 4, 4) & 255),
        _ => (f64::from(channel(pixel, 0, kind)), 0),
    };
    let word = match to.kind {
        FLOAT => (depth as f32).to_bits(),
        0x84FA => ((depth.clamp(0.0, 1.0) * 16777215.0).round() as u32) << 8 | stencil,
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
        let to = storage_of(0x1907, UNSIGNED_BYTE).unwrap();
        // Two rows of one BGR pixel, aligned to four bytes.
        let source = [1, 2, 3, 0, 4, 5, 6];
        let all = converted(&source, [1, 2, 0], (0x80E0, UNSIGNED_BYTE), &Unpack::default(), &to);
        assert_eq!(all, Some(vec![3, 2, 1, 6, 5, 4]));
        let to = storage_of(0x1906, UNSIGNED_BYTE).unwrap();
        let unpack = Unpack { alignment: 1, row_length: 3, skip_pixels: 1, skip_rows: 1, ..Unpack::default() };
        let all = converted(&[0, 0, 0, 0, 7, 9], [2, 1, 0], (0x1906, UNSIGNED_BYTE), &unpack, &to);
        assert_eq!(all, Some(vec![0, 0, 0, 7, 0, 0, 0, 9]));
        assert_eq!(converted(&[0; 3], [2, 2, 0], (RGBA, UNSIGNED_BYTE), &Unpack::default(), &to), None);
        // Without pixels there is nothing to walk through.
        let none = converted(&[], [0, 1 << 15, 1 << 15], (RGBA, UNSIGNED_BYTE), &Unpack::default(), &to);
        assert_eq!(none, Some(Vec::new()));
    }

    #[test]
    fn parts_of_an_upload_are_parts_of_its_pixels() {
        let to = storage_of(0x8058, UNSIGNED_BYTE).unwrap();
        // Three layers of four rows of two pixels, in a buffer, from its third byte on.
        let source: Vec<u8> = (0..3 * 4 * 2 * 4 + 2).map(|i| i as u8).collect();
        let mut content = Content::zeros(source.len());
        assert!(content.put(0, &source));
        let kind = (0x80E1, UNSIGNED_BYTE);
        let upload = Upload::new(Pixels::Buffer(content.clone(), 2), [2, 4, 3], kind, &Unpack::default()).unwrap();
        let whole = upload.part(Part { layer: 0, layers: 3, row: 0, rows: 4 }, &to).unwrap();
        assert_eq!(whole.len(), 3 * 4 * 2 * 4);
        let parts = (0..3).flat_map(|layer| (0..4).map(move |row| Part { layer, layers: 1, row, rows: 1 }));
        assert_eq!(parts.flat_map(|part| upload.part(part, &to).unwrap()).collect::<Vec<u8>>(), whole);
        assert!(Upload::new(Pixels::Buffer(content, 3), [2, 4, 3], kind, &Unpack::default()).is_none());
    }

    #[test]
    fn packed_types_and_half_floats() {
        let to = storage_of(0x8058, 0x8363).unwrap();
        let all = converted(&[0x1F, 0xF8], [1, 1, 0], (0x1907, 0x8363), &Unpack::default(), &to);
        assert_eq!(all, Some(vec![255, 0, 255, 255]));
        assert_eq!((half(0x3C00), half(0xC000), half(0x0001)), (1.0, -2.0, 2f32.powi(-24)));
    }
}
