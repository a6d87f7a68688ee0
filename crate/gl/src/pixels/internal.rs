//! Internal formats: what a texture keeps of the pixels that it gets.

use crate::gl;

use super::Compressed;

/// Which numbers a texture keeps: OpenGL 4.6, table 8.11, and OpenGL 2.1, table 3.15.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Red.
    Red,
    /// Red and green.
    Rg,
    /// Three colours.
    Rgb,
    /// Three colours and alpha.
    Rgba,
    /// One number for three colours.
    Luminance,
    /// One number for three colours, and alpha.
    LuminanceAlpha,
    /// Alpha only; colours are black.
    Alpha,
    /// One number for all four.
    Intensity,
    /// Depth, as red.
    Depth,
    /// Depth as red, stencil as green.
    DepthStencil,
    /// Stencil, as red.
    Stencil,
}

impl Base {
    /// What its numbers are called, and which of the four they are.
    pub fn channels(self) -> &'static [(&'static str, usize)] {
        match self {
            Self::Red => &[("R", 0)],
            Self::Rg => &[("R", 0), ("G", 1)],
            Self::Rgb => &[("R", 0), ("G", 1), ("B", 2)],
            Self::Rgba => &[("R", 0), ("G", 1), ("B", 2), ("A", 3)],
            Self::Luminance => &[("L", 0)],
            Self::LuminanceAlpha => &[("L", 0), ("A", 3)],
            Self::Alpha => &[("A", 3)],
            Self::Intensity => &[("I", 0)],
            Self::Depth => &[("Depth", 0)],
            Self::DepthStencil => &[("Depth", 0), ("Stencil", 1)],
            Self::Stencil => &[("Stencil", 0)],
        }
    }

    /// The places of the numbers that the range from black to white is that of, among those of the
    /// channels that `mask` has a bit for: all if it has none. Neither opacity nor stencil values
    /// are on the scale of what is beside them.
    pub fn ranged(self, mask: u32) -> Vec<usize> {
        let channels = self.channels();
        let of = |mask: u32| channels.iter().enumerate().filter(move |(i, _)| mask >> i & 1 == 1).map(|(_, it)| *it);
        let mask = if of(mask).next().is_some() { mask } else { u32::MAX };
        let is_apart = |name: &str| matches!(name, "A" | "Stencil");
        let is_alone = of(mask).all(|(name, _)| is_apart(name));
        of(mask).filter(|(name, _)| is_alone || !is_apart(name)).map(|(_, place)| place).collect()
    }

    /// What is left of a texel.
    pub fn keep(self, [r, g, b, a]: [f64; 4]) -> [f64; 4] {
        match self {
            Self::Red => [r, 0.0, 0.0, 1.0],
            Self::Rg => [r, g, 0.0, 1.0],
            Self::Rgb => [r, g, b, 1.0],
            Self::Rgba => [r, g, b, a],
            // Luminance and intensity are taken from red.
            Self::Luminance => [r, r, r, 1.0],
            Self::LuminanceAlpha => [r, r, r, a],
            Self::Alpha => [0.0, 0.0, 0.0, a],
            Self::Intensity => [r; 4],
            Self::Depth | Self::Stencil => [r, 0.0, 0.0, 1.0],
            Self::DepthStencil => [r, g, 0.0, 1.0],
        }
    }
}

/// How a texture keeps a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// 0 to 1 in this number of bits.
    Unorm(u8),
    /// -1 to 1 in this number of bits.
    Snorm(u8),
    /// Floating point: 32 bits.
    Float,
    /// Floating point of 16 bits.
    Half,
    /// Without a sign: 11 bits, blue 10.
    Float11,
    /// Three numbers with one exponent.
    Shared,
    /// An integer with a sign, in this number of bits.
    Int(u8),
    /// An integer without a sign, in this number of bits.
    Uint(u8),
    /// Bits of the four numbers, 0 to 1.
    Packed([u8; 4]),
}

/// What words of 32 bits are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Floating point numbers.
    Numbers,
    /// Integers with a sign.
    Int,
    /// Integers without a sign.
    Uint,
}

/// An internal format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Internal {
    constant: u32,
    base: Base,
    number: Number,
    /// Colours are encoded as sRGB. They are shown as they are kept.
    pub is_srgb: bool,
    /// How its blocks are compressed.
    pub compressed: Option<Compressed>,
}

const fn plain(base: Base, number: Number) -> Internal {
    Internal { constant: 0, base, number, is_srgb: false, compressed: None }
}

const fn srgb(base: Base) -> Internal {
    Internal { is_srgb: true, ..plain(base, Number::Unorm(8)) }
}

const fn blocks_of(base: Base, number: Number, compressed: Compressed) -> Internal {
    Internal { compressed: Some(compressed), ..plain(base, number) }
}

const fn blocks(base: Base, compressed: Compressed) -> Internal {
    blocks_of(base, Number::Unorm(8), compressed)
}

const fn srgb_blocks(base: Base, compressed: Compressed) -> Internal {
    Internal { is_srgb: true, ..blocks(base, compressed) }
}

use Base::{Alpha, Depth, DepthStencil, Intensity, Luminance, LuminanceAlpha, Red, Rg, Rgb, Rgba, Stencil};
use Number::{Float, Float11, Half, Int, Packed, Shared, Snorm, Uint, Unorm};

/// The name of a row: that of its constant, or the one that follows.
macro_rules! shown {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:ident $shown:literal) => {
        $shown
    };
}

/// Makes the table of formats, and that of their names apart: who needs no names does not load
/// them.
macro_rules! formats {
    ($($name:ident $(as $shown:literal)?: $make:ident($($how:expr),*)),* $(,)?) => {
        const FORMATS: &[(u32, Internal)] = &[$((gl::$name, $make($($how),*))),*];
        const NAMES: &[&str] = &[$(shown!($name $($shown)?)),*];
    };
}

// By number: OpenGL 4.6, tables 8.12 to 8.14, the extensions that brought the older ones, and ES
// 3.2, table 8.10. Generic formats are those that Mesa chooses, which is what programs get nearly
// everywhere.
#[rustfmt::skip]
formats! {
    // Base formats.
    RED: plain(Red, Unorm(8)), ALPHA: plain(Alpha, Unorm(8)), RGB: plain(Rgb, Unorm(8)),
    RGBA: plain(Rgba, Unorm(8)), LUMINANCE: plain(Luminance, Unorm(8)),
    LUMINANCE_ALPHA: plain(LuminanceAlpha, Unorm(8)), INTENSITY: plain(Intensity, Unorm(8)),
    RG: plain(Rg, Unorm(8)), BGRA: plain(Rgba, Unorm(8)), BGRA8_EXT as "BGRA8": plain(Rgba, Unorm(8)),
    DEPTH_COMPONENT: plain(Depth, Unorm(24)), DEPTH_STENCIL: plain(DepthStencil, Unorm(24)),
    STENCIL_INDEX: plain(Stencil, Uint(8)),
    // Normalised.
    R8: plain(Red, Unorm(8)), R16: plain(Red, Unorm(16)),
    RG8: plain(Rg, Unorm(8)), RG16: plain(Rg, Unorm(16)),
    R3_G3_B2: plain(Rgb, Packed([3, 3, 2, 0])), RGB4: plain(Rgb, Packed([4, 4, 4, 0])),
    RGB5: plain(Rgb, Packed([5, 5, 5, 0])), RGB565: plain(Rgb, Packed([5, 6, 5, 0])),
    RGB8: plain(Rgb, Unorm(8)), RGB10: plain(Rgb, Packed([10, 10, 10, 0])),
    RGB12: plain(Rgb, Unorm(16)), RGB16: plain(Rgb, Unorm(16)),
    RGBA2: plain(Rgba, Packed([4, 4, 4, 4])), RGBA4: plain(Rgba, Packed([4, 4, 4, 4])),
    RGB5_A1: plain(Rgba, Packed([5, 5, 5, 1])), RGBA8: plain(Rgba, Unorm(8)),
    RGB10_A2: plain(Rgba, Packed([10, 10, 10, 2])), RGBA12: plain(Rgba, Unorm(16)),
    RGBA16: plain(Rgba, Unorm(16)),
    ALPHA4: plain(Alpha, Unorm(8)), ALPHA8: plain(Alpha, Unorm(8)),
    ALPHA12: plain(Alpha, Unorm(16)), ALPHA16: plain(Alpha, Unorm(16)),
    LUMINANCE4: plain(Luminance, Unorm(8)), LUMINANCE8: plain(Luminance, Unorm(8)),
    LUMINANCE12: plain(Luminance, Unorm(16)), LUMINANCE16: plain(Luminance, Unorm(16)),
    LUMINANCE4_ALPHA4: plain(LuminanceAlpha, Packed([4, 4, 4, 4])),
    LUMINANCE6_ALPHA2: plain(LuminanceAlpha, Unorm(8)), LUMINANCE8_ALPHA8: plain(LuminanceAlpha, Unorm(8)),
    LUMINANCE12_ALPHA4: plain(LuminanceAlpha, Unorm(16)), LUMINANCE12_ALPHA12: plain(LuminanceAlpha, Unorm(16)),
    LUMINANCE16_ALPHA16: plain(LuminanceAlpha, Unorm(16)),
    INTENSITY4: plain(Intensity, Unorm(8)), INTENSITY8: plain(Intensity, Unorm(8)),
    INTENSITY12: plain(Intensity, Unorm(16)), INTENSITY16: plain(Intensity, Unorm(16)),
    R8_SNORM: plain(Red, Snorm(8)), RG8_SNORM: plain(Rg, Snorm(8)),
    RGB8_SNORM: plain(Rgb, Snorm(8)), RGBA8_SNORM: plain(Rgba, Snorm(8)),
    R16_SNORM: plain(Red, Snorm(16)), RG16_SNORM: plain(Rg, Snorm(16)),
    RGB16_SNORM: plain(Rgb, Snorm(16)), RGBA16_SNORM: plain(Rgba, Snorm(16)),
    // sRGB.
    SRGB: srgb(Rgb), SRGB8: srgb(Rgb), SRGB_ALPHA: srgb(Rgba),
    SRGB8_ALPHA8: srgb(Rgba), SLUMINANCE_ALPHA: srgb(LuminanceAlpha),
    SLUMINANCE8_ALPHA8: srgb(LuminanceAlpha), SLUMINANCE: srgb(Luminance),
    SLUMINANCE8: srgb(Luminance), SR8_EXT as "SR8": srgb(Red), SRG8_EXT as "SRG8": srgb(Rg),
    // Floating point.
    R16F: plain(Red, Half), R32F: plain(Red, Float), RG16F: plain(Rg, Half),
    RG32F: plain(Rg, Float), RGB16F: plain(Rgb, Half), RGB32F: plain(Rgb, Float),
    RGBA16F: plain(Rgba, Half), RGBA32F: plain(Rgba, Float),
    ALPHA32F_ARB as "ALPHA32F": plain(Alpha, Float), INTENSITY32F_ARB as "INTENSITY32F": plain(Intensity, Float),
    LUMINANCE32F_ARB as "LUMINANCE32F": plain(Luminance, Float), LUMINANCE_ALPHA32F_ARB as "LUMINANCE_ALPHA32F": plain(LuminanceAlpha, Float),
    ALPHA16F_ARB as "ALPHA16F": plain(Alpha, Half), INTENSITY16F_ARB as "INTENSITY16F": plain(Intensity, Half),
    LUMINANCE16F_ARB as "LUMINANCE16F": plain(Luminance, Half), LUMINANCE_ALPHA16F_ARB as "LUMINANCE_ALPHA16F": plain(LuminanceAlpha, Half),
    R11F_G11F_B10F: plain(Rgb, Float11), RGB9_E5: plain(Rgb, Shared),
    // Integers.
    R8I: plain(Red, Int(8)), R8UI: plain(Red, Uint(8)), R16I: plain(Red, Int(16)),
    R16UI: plain(Red, Uint(16)), R32I: plain(Red, Int(32)), R32UI: plain(Red, Uint(32)),
    RG8I: plain(Rg, Int(8)), RG8UI: plain(Rg, Uint(8)), RG16I: plain(Rg, Int(16)),
    RG16UI: plain(Rg, Uint(16)), RG32I: plain(Rg, Int(32)), RG32UI: plain(Rg, Uint(32)),
    RGBA32UI: plain(Rgba, Uint(32)), RGB32UI: plain(Rgb, Uint(32)),
    RGBA16UI: plain(Rgba, Uint(16)), RGB16UI: plain(Rgb, Uint(16)),
    RGBA8UI: plain(Rgba, Uint(8)), RGB8UI: plain(Rgb, Uint(8)),
    RGBA32I: plain(Rgba, Int(32)), RGB32I: plain(Rgb, Int(32)),
    RGBA16I: plain(Rgba, Int(16)), RGB16I: plain(Rgb, Int(16)),
    RGBA8I: plain(Rgba, Int(8)), RGB8I: plain(Rgb, Int(8)),
    RGB10_A2UI: plain(Rgba, Uint(10)),
    // Depth and stencil.
    DEPTH_COMPONENT16: plain(Depth, Unorm(16)), DEPTH_COMPONENT24: plain(Depth, Unorm(24)),
    DEPTH_COMPONENT32: plain(Depth, Unorm(32)), DEPTH_COMPONENT32F: plain(Depth, Float),
    DEPTH24_STENCIL8: plain(DepthStencil, Unorm(24)), DEPTH32F_STENCIL8: plain(DepthStencil, Float),
    STENCIL_INDEX8: plain(Stencil, Uint(8)),
    // Compressed.
    COMPRESSED_RGB_S3TC_DXT1_EXT: blocks(Rgb, Compressed::Bc1 { alpha: false }),
    COMPRESSED_RGBA_S3TC_DXT1_EXT: blocks(Rgba, Compressed::Bc1 { alpha: true }),
    COMPRESSED_RGBA_S3TC_DXT3_EXT: blocks(Rgba, Compressed::Bc2),
    COMPRESSED_RGBA_S3TC_DXT5_EXT: blocks(Rgba, Compressed::Bc3),
    COMPRESSED_SRGB_S3TC_DXT1_EXT: srgb_blocks(Rgb, Compressed::Bc1 { alpha: false }),
    COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT: srgb_blocks(Rgba, Compressed::Bc1 { alpha: true }),
    COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT: srgb_blocks(Rgba, Compressed::Bc2),
    COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT: srgb_blocks(Rgba, Compressed::Bc3),
    COMPRESSED_RED_RGTC1: blocks(Red, Compressed::Bc4),
    COMPRESSED_SIGNED_RED_RGTC1: blocks_of(Red, Snorm(8), Compressed::Bc4Signed),
    COMPRESSED_RG_RGTC2: blocks(Rg, Compressed::Bc5),
    COMPRESSED_SIGNED_RG_RGTC2: blocks_of(Rg, Snorm(8), Compressed::Bc5Signed),
    COMPRESSED_LUMINANCE_LATC1_EXT: blocks(Luminance, Compressed::Bc4),
    COMPRESSED_SIGNED_LUMINANCE_LATC1_EXT: blocks_of(Luminance, Snorm(8), Compressed::Bc4Signed),
    COMPRESSED_LUMINANCE_ALPHA_LATC2_EXT: blocks(LuminanceAlpha, Compressed::Latc2),
    COMPRESSED_SIGNED_LUMINANCE_ALPHA_LATC2_EXT: blocks_of(LuminanceAlpha, Snorm(8), Compressed::Latc2Signed),
    COMPRESSED_RGBA_BPTC_UNORM: blocks(Rgba, Compressed::Bc7),
    COMPRESSED_SRGB_ALPHA_BPTC_UNORM: srgb_blocks(Rgba, Compressed::Bc7),
    COMPRESSED_RGB_BPTC_SIGNED_FLOAT: blocks_of(Rgb, Half, Compressed::Bc6 { signed: true }),
    COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT: blocks_of(Rgb, Half, Compressed::Bc6 { signed: false }),
    ETC1_RGB8_OES: blocks(Rgb, Compressed::Etc1),
    COMPRESSED_RGB8_ETC2: blocks(Rgb, Compressed::Etc2),
    COMPRESSED_SRGB8_ETC2: srgb_blocks(Rgb, Compressed::Etc2),
    COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2: blocks(Rgba, Compressed::Etc2Punch),
    COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2: srgb_blocks(Rgba, Compressed::Etc2Punch),
    COMPRESSED_RGBA8_ETC2_EAC: blocks(Rgba, Compressed::Etc2Alpha),
    COMPRESSED_SRGB8_ALPHA8_ETC2_EAC: srgb_blocks(Rgba, Compressed::Etc2Alpha),
    COMPRESSED_R11_EAC: blocks_of(Red, Unorm(16), Compressed::EacR),
    COMPRESSED_SIGNED_R11_EAC: blocks_of(Red, Snorm(16), Compressed::EacRSigned),
    COMPRESSED_RG11_EAC: blocks_of(Rg, Unorm(16), Compressed::EacRg),
    COMPRESSED_SIGNED_RG11_EAC: blocks_of(Rg, Snorm(16), Compressed::EacRgSigned),
    // ASTC, KHR_texture_compression_astc_ldr.
    COMPRESSED_RGBA_ASTC_4x4 as "COMPRESSED_RGBA_ASTC_4x4_KHR": blocks(Rgba, Compressed::Astc([4, 4])),
    COMPRESSED_RGBA_ASTC_5x4 as "COMPRESSED_RGBA_ASTC_5x4_KHR": blocks(Rgba, Compressed::Astc([5, 4])),
    COMPRESSED_RGBA_ASTC_5x5 as "COMPRESSED_RGBA_ASTC_5x5_KHR": blocks(Rgba, Compressed::Astc([5, 5])),
    COMPRESSED_RGBA_ASTC_6x5 as "COMPRESSED_RGBA_ASTC_6x5_KHR": blocks(Rgba, Compressed::Astc([6, 5])),
    COMPRESSED_RGBA_ASTC_6x6 as "COMPRESSED_RGBA_ASTC_6x6_KHR": blocks(Rgba, Compressed::Astc([6, 6])),
    COMPRESSED_RGBA_ASTC_8x5 as "COMPRESSED_RGBA_ASTC_8x5_KHR": blocks(Rgba, Compressed::Astc([8, 5])),
    COMPRESSED_RGBA_ASTC_8x6 as "COMPRESSED_RGBA_ASTC_8x6_KHR": blocks(Rgba, Compressed::Astc([8, 6])),
    COMPRESSED_RGBA_ASTC_8x8 as "COMPRESSED_RGBA_ASTC_8x8_KHR": blocks(Rgba, Compressed::Astc([8, 8])),
    COMPRESSED_RGBA_ASTC_10x5 as "COMPRESSED_RGBA_ASTC_10x5_KHR": blocks(Rgba, Compressed::Astc([10, 5])),
    COMPRESSED_RGBA_ASTC_10x6 as "COMPRESSED_RGBA_ASTC_10x6_KHR": blocks(Rgba, Compressed::Astc([10, 6])),
    COMPRESSED_RGBA_ASTC_10x8 as "COMPRESSED_RGBA_ASTC_10x8_KHR": blocks(Rgba, Compressed::Astc([10, 8])),
    COMPRESSED_RGBA_ASTC_10x10 as "COMPRESSED_RGBA_ASTC_10x10_KHR": blocks(Rgba, Compressed::Astc([10, 10])),
    COMPRESSED_RGBA_ASTC_12x10 as "COMPRESSED_RGBA_ASTC_12x10_KHR": blocks(Rgba, Compressed::Astc([12, 10])),
    COMPRESSED_RGBA_ASTC_12x12 as "COMPRESSED_RGBA_ASTC_12x12_KHR": blocks(Rgba, Compressed::Astc([12, 12])),
    COMPRESSED_SRGB8_ALPHA8_ASTC_4x4 as "COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR": srgb_blocks(Rgba, Compressed::Astc([4, 4])),
    COMPRESSED_SRGB8_ALPHA8_ASTC_5x4 as "COMPRESSED_SRGB8_ALPHA8_ASTC_5x4_KHR": srgb_blocks(Rgba, Compressed::Astc([5, 4])),
    COMPRESSED_SRGB8_ALPHA8_ASTC_5x5 as "COMPRESSED_SRGB8_ALPHA8_ASTC_5x5_KHR": srgb_blocks(Rgba, Compressed::Astc([5, 5])),
    COMPRESSED_SRGB8_ALPHA8_ASTC_6x5 as "COMPRESSED_SRGB8_ALPHA8_ASTC_6x5_KHR": srgb_blocks(Rgba, Compressed::Astc([6, 5])),
    COMPRESSED_SRGB8_ALPHA8_ASTC_6x6 as "COMPRESSED_SRGB8_ALPHA8_ASTC_6x6_KHR": srgb_blocks(Rgba, Compressed::Astc([6, 6])),
    COMPRESSED_SRGB8_ALPHA8_ASTC_8x5 as "COMPRESSED_SRGB8_ALPHA8_ASTC_8x5_KHR": srgb_blocks(Rgba, Compressed::Astc([8, 5])),
    COMPRESSED_SRGB8_ALPHA8_ASTC_8x6 as "COMPRESSED_SRGB8_ALPHA8_ASTC_8x6_KHR": srgb_blocks(Rgba, Compressed::Astc([8, 6])),
    COMPRESSED_SRGB8_ALPHA8_ASTC_8x8 as "COMPRESSED_SRGB8_ALPHA8_ASTC_8x8_KHR": srgb_blocks(Rgba, Compressed::Astc([8, 8])),
    COMPRESSED_SRGB8_ALPHA8_ASTC_10x5 as "COMPRESSED_SRGB8_ALPHA8_ASTC_10x5_KHR": srgb_blocks(Rgba, Compressed::Astc([10, 5])),
    COMPRESSED_SRGB8_ALPHA8_ASTC_10x6 as "COMPRESSED_SRGB8_ALPHA8_ASTC_10x6_KHR": srgb_blocks(Rgba, Compressed::Astc([10, 6])),
    COMPRESSED_SRGB8_ALPHA8_ASTC_10x8 as "COMPRESSED_SRGB8_ALPHA8_ASTC_10x8_KHR": srgb_blocks(Rgba, Compressed::Astc([10, 8])),
    COMPRESSED_SRGB8_ALPHA8_ASTC_10x10 as "COMPRESSED_SRGB8_ALPHA8_ASTC_10x10_KHR": srgb_blocks(Rgba, Compressed::Astc([10, 10])),
    COMPRESSED_SRGB8_ALPHA8_ASTC_12x10 as "COMPRESSED_SRGB8_ALPHA8_ASTC_12x10_KHR": srgb_blocks(Rgba, Compressed::Astc([12, 10])),
    COMPRESSED_SRGB8_ALPHA8_ASTC_12x12 as "COMPRESSED_SRGB8_ALPHA8_ASTC_12x12_KHR": srgb_blocks(Rgba, Compressed::Astc([12, 12])),
    // Compression that the driver chooses; most keep the pixels as they are.
    COMPRESSED_ALPHA: plain(Alpha, Unorm(8)), COMPRESSED_LUMINANCE: plain(Luminance, Unorm(8)),
    COMPRESSED_LUMINANCE_ALPHA: plain(LuminanceAlpha, Unorm(8)), COMPRESSED_INTENSITY: plain(Intensity, Unorm(8)),
    COMPRESSED_RGB: plain(Rgb, Unorm(8)), COMPRESSED_RGBA: plain(Rgba, Unorm(8)),
    COMPRESSED_RED: plain(Red, Unorm(8)), COMPRESSED_RG: plain(Rg, Unorm(8)),
    COMPRESSED_SRGB: srgb(Rgb), COMPRESSED_SRGB_ALPHA: srgb(Rgba),
}

/// The constant of an internal format. OpenGL 1.0 has numbers of components in its place.
pub fn with_name(internal: u32) -> u32 {
    match internal {
        1 => gl::LUMINANCE,
        2 => gl::LUMINANCE_ALPHA,
        3 => gl::RGB,
        4 => gl::RGBA,
        other => other,
    }
}

impl Internal {
    /// The format with this number. `of` is the type of the pixels that came with an unsized
    /// format, or 0: ES says which number they have then. `None` if it is not supported.
    pub fn of(number: u32, of: u32) -> Option<Self> {
        let constant = with_name(number);
        let (_, format) = FORMATS.iter().find(|(known, _)| *known == constant)?;
        let is_unsized = (gl::STENCIL_INDEX..=gl::LUMINANCE_ALPHA).contains(&constant)
            || matches!(constant, gl::RG | gl::BGRA | gl::DEPTH_STENCIL);
        let is_half = matches!(of, gl::HALF_FLOAT | gl::HALF_FLOAT_OES);
        // OES_texture_float and OES_texture_half_float.
        let number = match format.number {
            _ if !is_unsized => format.number,
            Number::Unorm(8) if of == gl::FLOAT => Number::Float,
            Number::Unorm(8) if is_half => Number::Half,
            other => other,
        };
        Some(Self { constant, number, ..*format })
    }

    /// Its name without `GL_`.
    pub fn name(&self) -> &'static str {
        let at = FORMATS.iter().position(|(known, _)| *known == self.constant);
        at.and_then(|at| NAMES.get(at).copied()).unwrap_or_default()
    }

    /// Which numbers it keeps.
    pub fn base(&self) -> Base {
        self.base
    }

    /// How it keeps them.
    pub fn number(&self) -> Number {
        self.number
    }

    /// Bytes of a texel as drivers keep it, about: 3 bytes become 4.
    pub fn texel_bytes(&self) -> u64 {
        let channels = match self.base {
            Base::DepthStencil => return if self.number == Number::Float { 8 } else { 4 },
            Base::Rgb => 4,
            base => base.channels().len() as u64,
        };
        let bits = match self.number {
            Number::Unorm(bits) | Number::Snorm(bits) | Number::Int(bits) | Number::Uint(bits) => u64::from(bits),
            Number::Float => 32,
            Number::Half => 16,
            Number::Float11 | Number::Shared => return 4,
            Number::Packed(bits) => return bits.iter().map(|bits| u64::from(*bits)).sum::<u64>().div_ceil(8),
        };
        (channels * bits).div_ceil(8)
    }

    /// Whether texels are numbers of 8 bits for 0 to 1.
    pub fn is_bytes(&self) -> bool {
        self.number == Number::Unorm(8)
    }

    /// What words of 32 bits are.
    pub fn holds(&self) -> Holds {
        match self.number {
            Number::Int(_) => Holds::Int,
            Number::Uint(_) => Holds::Uint,
            _ => Holds::Numbers,
        }
    }

    /// A texel as it is kept: OpenGL 4.6, 2.3.5. Bytes, or words of 32 bits.
    pub(super) fn stored(&self, texel: [f64; 4]) -> [u32; 4] {
        let kept = self.base.keep(texel);
        let float = |number: f64| (number as f32).to_bits();
        let rounded = |number: f64, bits: u8| {
            let most = ((1u64 << bits) - 1) as f64;
            (number.clamp(0.0, 1.0) * most).round() / most
        };
        let each = |store: &dyn Fn(f64) -> u32| kept.map(store);
        match self.number {
            Number::Unorm(8) => each(&|number| (number.clamp(0.0, 1.0) * 255.0).round() as u32),
            // Stencil stays an integer.
            Number::Unorm(bits) if self.base == Base::DepthStencil => {
                [float(rounded(kept[0], bits)), float(kept[1]), 0, float(1.0)]
            }
            Number::Unorm(bits) => each(&|number| float(rounded(number, bits))),
            Number::Snorm(bits) => {
                let most = f64::from((1u32 << (bits - 1)) - 1);
                each(&|number| float((number.clamp(-1.0, 1.0) * most).round() / most))
            }
            Number::Float => each(&float),
            Number::Half => each(&|number| float(round_to_float(number, 10, 65504.0, f64::INFINITY))),
            Number::Float11 => {
                let [r, g, b, _] = kept.map(|number| if number < 0.0 { 0.0 } else { number });
                let (r, g) = (round_to_float(r, 6, 65024.0, 65024.0), round_to_float(g, 6, 65024.0, 65024.0));
                [float(r), float(g), float(round_to_float(b, 5, 64512.0, 64512.0)), float(1.0)]
            }
            Number::Shared => shared(kept).map(float),
            Number::Int(bits) => {
                let most = ((1i64 << (bits - 1)) - 1) as f64;
                each(&|number| number.clamp(-most - 1.0, most) as i32 as u32)
            }
            Number::Uint(bits) => {
                let most = ((1u64 << bits) - 1) as f64;
                each(&|number| number.clamp(0.0, most) as u32)
            }
            Number::Packed(bits) => {
                let mut words = [0; 4];
                for ((word, number), bits) in words.iter_mut().zip(kept).zip(bits) {
                    *word = float(if bits == 0 { number } else { rounded(number, bits) });
                }
                words
            }
        }
    }
}

/// The nearest floating point number with 5 bits of exponent and so many of mantissa, ties to even.
/// `most` is the greatest finite one; a finite number beyond becomes `beyond`.
fn round_to_float(number: f64, mantissa: i32, most: f64, beyond: f64) -> f64 {
    if !number.is_finite() || number == 0.0 {
        return number;
    }
    let size = number.abs();
    let exponent = (size.log2().floor() as i32).max(-14);
    // log2 may round up to the next power.
    let exponent = if 2f64.powi(exponent) > size && exponent > -14 { exponent - 1 } else { exponent };
    let unit = 2f64.powi(exponent - mantissa);
    let rounded = (size / unit).round_ties_even() * unit;
    (if rounded > most { beyond } else { rounded }).copysign(number)
}

/// OpenGL 4.6, 8.5.2 "Encoding of Special Internal Formats".
fn shared([r, g, b, _]: [f64; 4]) -> [f64; 4] {
    const MOST: f64 = 65408.0;
    let clamped = [r, g, b].map(|number| if number > 0.0 { number.min(MOST) } else { 0.0 });
    let most = clamped.iter().copied().fold(0.0, f64::max);
    let unit = |exponent: i32| 2f64.powi(exponent - 15 - 9);
    let first = (if most > 0.0 { most.log2().floor() as i32 } else { -16 }).max(-16) + 16;
    let exponent = if (most / unit(first) + 0.5).floor() >= 512.0 { first + 1 } else { first };
    let [r, g, b] = clamped.map(|number| (number / unit(exponent) + 0.5).floor() * unit(exponent));
    [r, g, b, 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_distinct_and_keep_what_they_say() {
        for (i, (number, _)) in FORMATS.iter().enumerate() {
            assert!(FORMATS.iter().skip(i + 1).all(|(other, _)| other != number), "{number:#x}");
        }
        let stored = |number, texel| Internal::of(number, 0).unwrap().stored(texel);
        assert_eq!(stored(gl::RGB8, [1.0, 0.5, 0.0, 0.25]), [255, 128, 0, 255]);
        assert_eq!(stored(gl::ALPHA, [1.0, 0.5, 0.0, 0.2]), [0, 0, 0, 51]);
        assert_eq!(stored(gl::R32UI, [7.9, 4294967295.0, 0.0, 0.0])[0], 7);
        assert_eq!(stored(gl::R8I, [-300.0, 0.0, 0.0, 1.0])[0], -128i32 as u32);
        let float = |number, texel| stored(number, texel).map(f32::from_bits);
        assert_eq!(float(gl::RGB565, [0.5, 0.5, 0.0, 0.0]), [16.0 / 31.0, 32.0 / 63.0, 0.0, 1.0]);
        assert_eq!(float(gl::R16F, [1.0 / 3.0, 0.0, 0.0, 1.0])[0], 0.333_251_95);
        assert_eq!(float(gl::RGBA16F, [70000.0, -1e-8, 65519.0, 6e-8]), [f32::INFINITY, -0.0, 65504.0, 5.960_464_5e-8]);
        assert_eq!(float(gl::RGB9_E5, [1.0, 0.5, 0.25, 0.0]), [1.0, 0.5, 0.25, 1.0]);
        assert_eq!(float(gl::DEPTH24_STENCIL8, [0.5, 200.0, 0.0, 1.0])[1], 200.0);
    }
}
