//! Internal formats: what a texture keeps of the pixels that it gets.

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

    /// What is left of a texel.
    fn keep(self, [r, g, b, a]: [f64; 4]) -> [f64; 4] {
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
    /// Its name without `GL_`.
    pub name: &'static str,
    base: Base,
    number: Number,
    /// Colours are encoded as sRGB. They are shown as they are kept.
    pub is_srgb: bool,
    /// How its blocks are compressed.
    pub compressed: Option<Compressed>,
}

const fn plain(name: &'static str, base: Base, number: Number) -> Internal {
    Internal { name, base, number, is_srgb: false, compressed: None }
}

const fn srgb(name: &'static str, base: Base) -> Internal {
    Internal { is_srgb: true, ..plain(name, base, Number::Unorm(8)) }
}

const fn blocks(name: &'static str, base: Base, compressed: Compressed) -> Internal {
    Internal { compressed: Some(compressed), ..plain(name, base, Number::Unorm(8)) }
}

const fn srgb_blocks(name: &'static str, base: Base, compressed: Compressed) -> Internal {
    Internal { is_srgb: true, ..blocks(name, base, compressed) }
}

use Base::{Alpha, Depth, DepthStencil, Intensity, Luminance, LuminanceAlpha, Red, Rg, Rgb, Rgba, Stencil};
use Number::{Float, Float11, Half, Int, Packed, Shared, Snorm, Uint, Unorm};

/// By number: OpenGL 4.6, tables 8.12 to 8.14, the extensions that brought the older ones, and ES 3.2, table 8.10. Generic formats
/// are those that Mesa chooses, which is what programs get nearly everywhere.
#[rustfmt::skip]
const FORMATS: &[(u32, Internal)] = &[
    // Base formats, and numbers of components.
    (1, plain("LUMINANCE", Luminance, Unorm(8))), (2, plain("LUMINANCE_ALPHA", LuminanceAlpha, Unorm(8))),
    (3, plain("RGB", Rgb, Unorm(8))), (4, plain("RGBA", Rgba, Unorm(8))),
    (0x1903, plain("RED", Red, Unorm(8))), (0x1906, plain("ALPHA", Alpha, Unorm(8))), (0x1907, plain("RGB", Rgb, Unorm(8))),
    (0x1908, plain("RGBA", Rgba, Unorm(8))), (0x1909, plain("LUMINANCE", Luminance, Unorm(8))),
    (0x190a, plain("LUMINANCE_ALPHA", LuminanceAlpha, Unorm(8))), (0x8049, plain("INTENSITY", Intensity, Unorm(8))),
    (0x8227, plain("RG", Rg, Unorm(8))), (0x80e1, plain("BGRA", Rgba, Unorm(8))), (0x93a1, plain("BGRA8", Rgba, Unorm(8))),
    (0x1902, plain("DEPTH_COMPONENT", Depth, Unorm(24))), (0x84f9, plain("DEPTH_STENCIL", DepthStencil, Unorm(24))),
    (0x1901, plain("STENCIL_INDEX", Stencil, Uint(8))),
    // Normalised.
    (0x8229, plain("R8", Red, Unorm(8))), (0x822a, plain("R16", Red, Unorm(16))),
    (0x822b, plain("RG8", Rg, Unorm(8))), (0x822c, plain("RG16", Rg, Unorm(16))),
    (0x2a10, plain("R3_G3_B2", Rgb, Packed([3, 3, 2, 0]))), (0x804f, plain("RGB4", Rgb, Packed([4, 4, 4, 0]))),
    (0x8050, plain("RGB5", Rgb, Packed([5, 5, 5, 0]))), (0x8d62, plain("RGB565", Rgb, Packed([5, 6, 5, 0]))),
    (0x8051, plain("RGB8", Rgb, Unorm(8))), (0x8052, plain("RGB10", Rgb, Packed([10, 10, 10, 0]))),
    (0x8053, plain("RGB12", Rgb, Unorm(16))), (0x8054, plain("RGB16", Rgb, Unorm(16))),
    (0x8055, plain("RGBA2", Rgba, Packed([4, 4, 4, 4]))), (0x8056, plain("RGBA4", Rgba, Packed([4, 4, 4, 4]))),
    (0x8057, plain("RGB5_A1", Rgba, Packed([5, 5, 5, 1]))), (0x8058, plain("RGBA8", Rgba, Unorm(8))),
    (0x8059, plain("RGB10_A2", Rgba, Packed([10, 10, 10, 2]))), (0x805a, plain("RGBA12", Rgba, Unorm(16))),
    (0x805b, plain("RGBA16", Rgba, Unorm(16))),
    (0x803b, plain("ALPHA4", Alpha, Unorm(8))), (0x803c, plain("ALPHA8", Alpha, Unorm(8))),
    (0x803e, plain("ALPHA16", Alpha, Unorm(16))),
    (0x803f, plain("LUMINANCE4", Luminance, Unorm(8))), (0x8040, plain("LUMINANCE8", Luminance, Unorm(8))),
    (0x8042, plain("LUMINANCE16", Luminance, Unorm(16))),
    (0x8043, plain("LUMINANCE4_ALPHA4", LuminanceAlpha, Packed([4, 4, 4, 4]))),
    (0x8045, plain("LUMINANCE8_ALPHA8", LuminanceAlpha, Unorm(8))),
    (0x8048, plain("LUMINANCE16_ALPHA16", LuminanceAlpha, Unorm(16))),
    (0x804a, plain("INTENSITY4", Intensity, Unorm(8))), (0x804b, plain("INTENSITY8", Intensity, Unorm(8))),
    (0x804d, plain("INTENSITY16", Intensity, Unorm(16))),
    (0x8f94, plain("R8_SNORM", Red, Snorm(8))), (0x8f95, plain("RG8_SNORM", Rg, Snorm(8))),
    (0x8f96, plain("RGB8_SNORM", Rgb, Snorm(8))), (0x8f97, plain("RGBA8_SNORM", Rgba, Snorm(8))),
    (0x8f98, plain("R16_SNORM", Red, Snorm(16))), (0x8f99, plain("RG16_SNORM", Rg, Snorm(16))),
    (0x8f9a, plain("RGB16_SNORM", Rgb, Snorm(16))), (0x8f9b, plain("RGBA16_SNORM", Rgba, Snorm(16))),
    // sRGB.
    (0x8c40, srgb("SRGB", Rgb)), (0x8c41, srgb("SRGB8", Rgb)), (0x8c42, srgb("SRGB_ALPHA", Rgba)),
    (0x8c43, srgb("SRGB8_ALPHA8", Rgba)), (0x8c44, srgb("SLUMINANCE_ALPHA", LuminanceAlpha)),
    (0x8c45, srgb("SLUMINANCE8_ALPHA8", LuminanceAlpha)), (0x8c46, srgb("SLUMINANCE", Luminance)),
    (0x8c47, srgb("SLUMINANCE8", Luminance)), (0x8fbd, srgb("SR8", Red)), (0x8fbe, srgb("SRG8", Rg)),
    // Floating point.
    (0x822d, plain("R16F", Red, Half)), (0x822e, plain("R32F", Red, Float)), (0x822f, plain("RG16F", Rg, Half)),
    (0x8230, plain("RG32F", Rg, Float)), (0x881b, plain("RGB16F", Rgb, Half)), (0x8815, plain("RGB32F", Rgb, Float)),
    (0x881a, plain("RGBA16F", Rgba, Half)), (0x8814, plain("RGBA32F", Rgba, Float)),
    (0x8816, plain("ALPHA32F", Alpha, Float)), (0x8817, plain("INTENSITY32F", Intensity, Float)),
    (0x8818, plain("LUMINANCE32F", Luminance, Float)), (0x8819, plain("LUMINANCE_ALPHA32F", LuminanceAlpha, Float)),
    (0x881c, plain("ALPHA16F", Alpha, Half)), (0x881d, plain("INTENSITY16F", Intensity, Half)),
    (0x881e, plain("LUMINANCE16F", Luminance, Half)), (0x881f, plain("LUMINANCE_ALPHA16F", LuminanceAlpha, Half)),
    (0x8c3a, plain("R11F_G11F_B10F", Rgb, Float11)), (0x8c3d, plain("RGB9_E5", Rgb, Shared)),
    // Integers.
    (0x8231, plain("R8I", Red, Int(8))), (0x8232, plain("R8UI", Red, Uint(8))), (0x8233, plain("R16I", Red, Int(16))),
    (0x8234, plain("R16UI", Red, Uint(16))), (0x8235, plain("R32I", Red, Int(32))), (0x8236, plain("R32UI", Red, Uint(32))),
    (0x8237, plain("RG8I", Rg, Int(8))), (0x8238, plain("RG8UI", Rg, Uint(8))), (0x8239, plain("RG16I", Rg, Int(16))),
    (0x823a, plain("RG16UI", Rg, Uint(16))), (0x823b, plain("RG32I", Rg, Int(32))), (0x823c, plain("RG32UI", Rg, Uint(32))),
    (0x8d70, plain("RGBA32UI", Rgba, Uint(32))), (0x8d71, plain("RGB32UI", Rgb, Uint(32))),
    (0x8d76, plain("RGBA16UI", Rgba, Uint(16))), (0x8d77, plain("RGB16UI", Rgb, Uint(16))),
    (0x8d7c, plain("RGBA8UI", Rgba, Uint(8))), (0x8d7d, plain("RGB8UI", Rgb, Uint(8))),
    (0x8d82, plain("RGBA32I", Rgba, Int(32))), (0x8d83, plain("RGB32I", Rgb, Int(32))),
    (0x8d88, plain("RGBA16I", Rgba, Int(16))), (0x8d89, plain("RGB16I", Rgb, Int(16))),
    (0x8d8e, plain("RGBA8I", Rgba, Int(8))), (0x8d8f, plain("RGB8I", Rgb, Int(8))),
    (0x906f, plain("RGB10_A2UI", Rgba, Uint(10))),
    // Depth and stencil.
    (0x81a5, plain("DEPTH_COMPONENT16", Depth, Unorm(16))), (0x81a6, plain("DEPTH_COMPONENT24", Depth, Unorm(24))),
    (0x81a7, plain("DEPTH_COMPONENT32", Depth, Unorm(32))), (0x8cac, plain("DEPTH_COMPONENT32F", Depth, Float)),
    (0x88f0, plain("DEPTH24_STENCIL8", DepthStencil, Unorm(24))), (0x8cad, plain("DEPTH32F_STENCIL8", DepthStencil, Float)),
    (0x8d48, plain("STENCIL_INDEX8", Stencil, Uint(8))),
    // Compressed.
    (0x83f0, blocks("COMPRESSED_RGB_S3TC_DXT1_EXT", Rgb, Compressed::Bc1 { alpha: false })),
    (0x83f1, blocks("COMPRESSED_RGBA_S3TC_DXT1_EXT", Rgba, Compressed::Bc1 { alpha: true })),
    (0x83f2, blocks("COMPRESSED_RGBA_S3TC_DXT3_EXT", Rgba, Compressed::Bc2)),
    (0x83f3, blocks("COMPRESSED_RGBA_S3TC_DXT5_EXT", Rgba, Compressed::Bc3)),
    (0x8c4c, srgb_blocks("COMPRESSED_SRGB_S3TC_DXT1_EXT", Rgb, Compressed::Bc1 { alpha: false })),
    (0x8c4d, srgb_blocks("COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT", Rgba, Compressed::Bc1 { alpha: true })),
    (0x8c4e, srgb_blocks("COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT", Rgba, Compressed::Bc2)),
    (0x8c4f, srgb_blocks("COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT", Rgba, Compressed::Bc3)),
    (0x8dbb, blocks("COMPRESSED_RED_RGTC1", Red, Compressed::Bc4)),
    (0x8dbc, Internal { compressed: Some(Compressed::Bc4Signed), ..plain("COMPRESSED_SIGNED_RED_RGTC1", Red, Snorm(8)) }),
    (0x8dbd, blocks("COMPRESSED_RG_RGTC2", Rg, Compressed::Bc5)),
    (0x8dbe, Internal { compressed: Some(Compressed::Bc5Signed), ..plain("COMPRESSED_SIGNED_RG_RGTC2", Rg, Snorm(8)) }),
    (0x8c70, blocks("COMPRESSED_LUMINANCE_LATC1_EXT", Luminance, Compressed::Bc4)),
    (0x8c71, Internal { compressed: Some(Compressed::Bc4Signed), ..plain("COMPRESSED_SIGNED_LUMINANCE_LATC1_EXT", Luminance, Snorm(8)) }),
    (0x8c72, blocks("COMPRESSED_LUMINANCE_ALPHA_LATC2_EXT", LuminanceAlpha, Compressed::Latc2)),
    (0x8c73, Internal { compressed: Some(Compressed::Latc2Signed), ..plain("COMPRESSED_SIGNED_LUMINANCE_ALPHA_LATC2_EXT", LuminanceAlpha, Snorm(8)) }),
    (0x8e8c, blocks("COMPRESSED_RGBA_BPTC_UNORM", Rgba, Compressed::Bc7)),
    (0x8e8d, srgb_blocks("COMPRESSED_SRGB_ALPHA_BPTC_UNORM", Rgba, Compressed::Bc7)),
    (0x8e8e, Internal { compressed: Some(Compressed::Bc6 { signed: true }), ..plain("COMPRESSED_RGB_BPTC_SIGNED_FLOAT", Rgb, Half) }),
    (0x8e8f, Internal { compressed: Some(Compressed::Bc6 { signed: false }), ..plain("COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT", Rgb, Half) }),
    (0x8d64, blocks("ETC1_RGB8_OES", Rgb, Compressed::Etc1)),
    (0x9274, blocks("COMPRESSED_RGB8_ETC2", Rgb, Compressed::Etc2)),
    (0x9275, srgb_blocks("COMPRESSED_SRGB8_ETC2", Rgb, Compressed::Etc2)),
    (0x9276, blocks("COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2", Rgba, Compressed::Etc2Punch)),
    (0x9277, srgb_blocks("COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2", Rgba, Compressed::Etc2Punch)),
    (0x9278, blocks("COMPRESSED_RGBA8_ETC2_EAC", Rgba, Compressed::Etc2Alpha)),
    (0x9279, srgb_blocks("COMPRESSED_SRGB8_ALPHA8_ETC2_EAC", Rgba, Compressed::Etc2Alpha)),
    (0x9270, Internal { compressed: Some(Compressed::EacR), ..plain("COMPRESSED_R11_EAC", Red, Unorm(16)) }),
    (0x9271, Internal { compressed: Some(Compressed::EacRSigned), ..plain("COMPRESSED_SIGNED_R11_EAC", Red, Snorm(16)) }),
    (0x9272, Internal { compressed: Some(Compressed::EacRg), ..plain("COMPRESSED_RG11_EAC", Rg, Unorm(16)) }),
    (0x9273, Internal { compressed: Some(Compressed::EacRgSigned), ..plain("COMPRESSED_SIGNED_RG11_EAC", Rg, Snorm(16)) }),
    // ASTC, KHR_texture_compression_astc_ldr.
    (0x93b0, blocks("COMPRESSED_RGBA_ASTC_4x4_KHR", Rgba, Compressed::Astc([4, 4]))),
    (0x93b1, blocks("COMPRESSED_RGBA_ASTC_5x4_KHR", Rgba, Compressed::Astc([5, 4]))),
    (0x93b2, blocks("COMPRESSED_RGBA_ASTC_5x5_KHR", Rgba, Compressed::Astc([5, 5]))),
    (0x93b3, blocks("COMPRESSED_RGBA_ASTC_6x5_KHR", Rgba, Compressed::Astc([6, 5]))),
    (0x93b4, blocks("COMPRESSED_RGBA_ASTC_6x6_KHR", Rgba, Compressed::Astc([6, 6]))),
    (0x93b5, blocks("COMPRESSED_RGBA_ASTC_8x5_KHR", Rgba, Compressed::Astc([8, 5]))),
    (0x93b6, blocks("COMPRESSED_RGBA_ASTC_8x6_KHR", Rgba, Compressed::Astc([8, 6]))),
    (0x93b7, blocks("COMPRESSED_RGBA_ASTC_8x8_KHR", Rgba, Compressed::Astc([8, 8]))),
    (0x93b8, blocks("COMPRESSED_RGBA_ASTC_10x5_KHR", Rgba, Compressed::Astc([10, 5]))),
    (0x93b9, blocks("COMPRESSED_RGBA_ASTC_10x6_KHR", Rgba, Compressed::Astc([10, 6]))),
    (0x93ba, blocks("COMPRESSED_RGBA_ASTC_10x8_KHR", Rgba, Compressed::Astc([10, 8]))),
    (0x93bb, blocks("COMPRESSED_RGBA_ASTC_10x10_KHR", Rgba, Compressed::Astc([10, 10]))),
    (0x93bc, blocks("COMPRESSED_RGBA_ASTC_12x10_KHR", Rgba, Compressed::Astc([12, 10]))),
    (0x93bd, blocks("COMPRESSED_RGBA_ASTC_12x12_KHR", Rgba, Compressed::Astc([12, 12]))),
    (0x93d0, srgb_blocks("COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR", Rgba, Compressed::Astc([4, 4]))),
    (0x93d1, srgb_blocks("COMPRESSED_SRGB8_ALPHA8_ASTC_5x4_KHR", Rgba, Compressed::Astc([5, 4]))),
    (0x93d2, srgb_blocks("COMPRESSED_SRGB8_ALPHA8_ASTC_5x5_KHR", Rgba, Compressed::Astc([5, 5]))),
    (0x93d3, srgb_blocks("COMPRESSED_SRGB8_ALPHA8_ASTC_6x5_KHR", Rgba, Compressed::Astc([6, 5]))),
    (0x93d4, srgb_blocks("COMPRESSED_SRGB8_ALPHA8_ASTC_6x6_KHR", Rgba, Compressed::Astc([6, 6]))),
    (0x93d5, srgb_blocks("COMPRESSED_SRGB8_ALPHA8_ASTC_8x5_KHR", Rgba, Compressed::Astc([8, 5]))),
    (0x93d6, srgb_blocks("COMPRESSED_SRGB8_ALPHA8_ASTC_8x6_KHR", Rgba, Compressed::Astc([8, 6]))),
    (0x93d7, srgb_blocks("COMPRESSED_SRGB8_ALPHA8_ASTC_8x8_KHR", Rgba, Compressed::Astc([8, 8]))),
    (0x93d8, srgb_blocks("COMPRESSED_SRGB8_ALPHA8_ASTC_10x5_KHR", Rgba, Compressed::Astc([10, 5]))),
    (0x93d9, srgb_blocks("COMPRESSED_SRGB8_ALPHA8_ASTC_10x6_KHR", Rgba, Compressed::Astc([10, 6]))),
    (0x93da, srgb_blocks("COMPRESSED_SRGB8_ALPHA8_ASTC_10x8_KHR", Rgba, Compressed::Astc([10, 8]))),
    (0x93db, srgb_blocks("COMPRESSED_SRGB8_ALPHA8_ASTC_10x10_KHR", Rgba, Compressed::Astc([10, 10]))),
    (0x93dc, srgb_blocks("COMPRESSED_SRGB8_ALPHA8_ASTC_12x10_KHR", Rgba, Compressed::Astc([12, 10]))),
    (0x93dd, srgb_blocks("COMPRESSED_SRGB8_ALPHA8_ASTC_12x12_KHR", Rgba, Compressed::Astc([12, 12]))),
    // Compression that the driver chooses; most keep the pixels as they are.
    (0x84e9, plain("COMPRESSED_ALPHA", Alpha, Unorm(8))), (0x84ea, plain("COMPRESSED_LUMINANCE", Luminance, Unorm(8))),
    (0x84eb, plain("COMPRESSED_LUMINANCE_ALPHA", LuminanceAlpha, Unorm(8))), (0x84ec, plain("COMPRESSED_INTENSITY", Intensity, Unorm(8))),
    (0x84ed, plain("COMPRESSED_RGB", Rgb, Unorm(8))), (0x84ee, plain("COMPRESSED_RGBA", Rgba, Unorm(8))),
    (0x8225, plain("COMPRESSED_RED", Red, Unorm(8))), (0x8226, plain("COMPRESSED_RG", Rg, Unorm(8))),
    (0x8c48, srgb("COMPRESSED_SRGB", Rgb)), (0x8c49, srgb("COMPRESSED_SRGB_ALPHA", Rgba)),
];

impl Internal {
    /// The format with this number. `of` is the type of the pixels that came with an unsized format, or 0: ES says which number
    /// they have then. `None` if it is not supported.
    pub fn of(number: u32, of: u32) -> Option<Self> {
        let (_, format) = FORMATS.iter().find(|(known, _)| *known == number)?;
        let is_unsized =
            number < 5 || (0x1901..=0x190a).contains(&number) || matches!(number, 0x8227 | 0x80e1 | 0x84f9);
        let is_half = matches!(of, 0x140b | 0x8d61);
        // OES_texture_float and OES_texture_half_float.
        let number = match format.number {
            _ if !is_unsized => format.number,
            Number::Unorm(8) if of == 0x1406 => Number::Float,
            Number::Unorm(8) if is_half => Number::Half,
            other => other,
        };
        Some(Self { number, ..*format })
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

/// The nearest floating point number with 5 bits of exponent and so many of mantissa, ties to even. `most` is the greatest finite one;
/// a finite number beyond becomes `beyond`.
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
        assert_eq!(stored(0x8051, [1.0, 0.5, 0.0, 0.25]), [255, 128, 0, 255]);
        assert_eq!(stored(0x1906, [1.0, 0.5, 0.0, 0.2]), [0, 0, 0, 51]);
        assert_eq!(stored(0x8236, [7.9, 4294967295.0, 0.0, 0.0])[0], 7);
        assert_eq!(stored(0x8231, [-300.0, 0.0, 0.0, 1.0])[0], -128i32 as u32);
        let float = |number, texel| stored(number, texel).map(f32::from_bits);
        assert_eq!(float(0x8d62, [0.5, 0.5, 0.0, 0.0]), [16.0 / 31.0, 32.0 / 63.0, 0.0, 1.0]);
        assert_eq!(float(0x822d, [1.0 / 3.0, 0.0, 0.0, 1.0])[0], 0.333_251_95);
        assert_eq!(float(0x881a, [70000.0, -1e-8, 65519.0, 6e-8]), [f32::INFINITY, -0.0, 65504.0, 5.960_464_5e-8]);
        assert_eq!(float(0x8c3d, [1.0, 0.5, 0.25, 0.0]), [1.0, 0.5, 0.25, 1.0]);
        assert_eq!(float(0x88f0, [0.5, 200.0, 0.0, 1.0])[1], 200.0);
    }
}
