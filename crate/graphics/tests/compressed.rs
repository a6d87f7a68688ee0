//! Compressed blocks decode to what an independent decoder makes of them.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test that panics has done its work")]

use texture2ddecoder as other;
use unspool_gl::gl;
use unspool_gl::pixels::{Image, Internal};

/// Blocks of random bytes, 64 by 64 of them.
fn blocks(len: usize, seed: u64, is_s3tc: bool) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    let mut bytes: Vec<u8> = (0..64 * 64 * len).map(|_| next()).collect();
    // Some blocks whose two ends are equal or nearly so.
    for block in bytes.chunks_exact_mut(len).step_by(7) {
        block[1] = block[0];
        block[2] = block[0];
        block[3] = block[1];
    }
    if len == 16 && is_s3tc {
        // The other decoder takes the three colours of DXT1 where the first is not the greater one.
        // The specification of EXT_texture_compression_s3tc says that there are always four.
        for block in bytes.chunks_exact_mut(len) {
            let colour = |at: usize| u16::from_le_bytes([block[at], block[at + 1]]);
            if colour(8) <= colour(10) {
                block[8..12].rotate_left(2);
                block[9] |= 1;
                block[11] &= 0xfe;
            }
        }
    }
    bytes
}

type Decode = fn(&[u8], usize, usize, &mut [u32]) -> Result<(), &'static str>;

/// Compares the channels with these indices, as numbers of 8 bits that differ by at most `most`.
fn compare(number: u32, len: usize, decode: Decode, channels: &[usize], most: f64) {
    let internal = Internal::of(number, 0).unwrap();
    let bytes = blocks(len, 0x9e37_79b9_7f4a_7c15 ^ u64::from(number), internal.name().contains("S3TC"));
    let mut image = Image::new(internal, 256, 256, 1).unwrap();
    image.upload_blocks([0; 3], [256, 256, 1], internal.compressed.unwrap(), &bytes);
    assert!(image.is_known(0));
    let mut theirs = vec![0; 256 * 256];
    decode(&bytes, 256, 256, &mut theirs).unwrap();
    let mut seen = std::collections::HashSet::new();
    for y in 0..256 {
        for x in 0..256 {
            let ours = image.texel(x, y, 0).unwrap();
            let [b, g, r, a] = theirs[(y * 256 + x) as usize].to_le_bytes();
            let theirs = [r, g, b, a];
            // ES 3.2 says that the colours of transparent texels are 0; the other decoder leaves
            // some.
            let is_clear = internal.name().contains("PUNCHTHROUGH") && a == 0;
            for &channel in channels.iter().filter(|channel| !is_clear || **channel == 3) {
                let number = (ours[channel].clamp(0.0, 1.0)) * 255.0;
                let apart = (number - f64::from(theirs[channel])).abs();
                assert!(
                    apart <= most,
                    "{} at {x}, {y}: {ours:?} and {theirs:?}, block {:02x?}",
                    internal.name(),
                    &bytes[((y / 4 * 64 + x / 4) as usize * len)..][..len],
                );
                seen.insert(theirs[channel]);
            }
        }
    }
    assert!(seen.len() > 10, "{}", internal.name());
}

#[test]
fn blocks_decode_as_elsewhere() {
    let rgb = &[0, 1, 2];
    let rgba = &[0, 1, 2, 3];
    compare(gl::COMPRESSED_RGB_S3TC_DXT1_EXT, 8, other::decode_bc1, rgb, 0.001);
    compare(gl::COMPRESSED_RGBA_S3TC_DXT5_EXT, 16, other::decode_bc3, rgba, 0.001);
    compare(gl::COMPRESSED_RGBA_S3TC_DXT3_EXT, 16, other::decode_bc2, rgba, 0.001);
    compare(gl::COMPRESSED_RED_RGTC1, 8, other::decode_bc4, &[0], 0.001);
    compare(gl::COMPRESSED_RG_RGTC2, 16, other::decode_bc5, &[0, 1], 0.001);
    compare(gl::COMPRESSED_RGBA_BPTC_UNORM, 16, other::decode_bc7, rgba, 0.001);
    compare(gl::ETC1_RGB8_OES, 8, other::decode_etc1, rgb, 0.001);
    compare(gl::COMPRESSED_RGB8_ETC2, 8, other::decode_etc2_rgb, rgb, 0.001);
    compare(gl::COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2, 8, other::decode_etc2_rgba1, rgba, 0.001);
    compare(gl::COMPRESSED_RGBA8_ETC2_EAC, 16, other::decode_etc2_rgba8, rgba, 0.001);
}

/// Of the modes whose numbers are differences, random bytes overflow, and decoders differ on what
/// becomes of them. In the others, and in most blocks of these, they agree.
#[test]
fn blocks_of_floating_point_numbers_decode_as_elsewhere() {
    let internal = Internal::of(gl::COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT, 0).unwrap();
    let bytes = blocks(16, 0x1234_5678_9abc_def1, false);
    let mut image = Image::new(internal, 256, 256, 1).unwrap();
    image.upload_blocks([0; 3], [256, 256, 1], internal.compressed.unwrap(), &bytes);
    let mut theirs = vec![0; 256 * 256];
    other::decode_bc6_unsigned(&bytes, 256, 256, &mut theirs).unwrap();
    let mut compared = 0;
    for y in 0..256 {
        for x in 0..256 {
            let mode = bytes[(y / 4 * 64 + x / 4) as usize * 16] & 31;
            if !matches!(mode, 2 | 3 | 6 | 7 | 10 | 11) {
                continue;
            }
            let ours = image.texel(x, y, 0).unwrap();
            let [b, g, r, _] = theirs[(y * 256 + x) as usize].to_le_bytes();
            for (ours, theirs) in ours.iter().zip([r, g, b]) {
                assert!((ours.clamp(0.0, 1.0) * 255.0 - f64::from(theirs)).abs() <= 1.0, "mode {mode} at {x}, {y}");
                compared += 1;
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

/// Numbers of 11 bits are the alphas of ETC2 with three more bits. The other decoder has these
/// right; what it has for EAC itself is in another order of bytes.
#[test]
fn numbers_of_11_bits_are_finer_alphas() {
    let bytes = blocks(8, 0x0f0f_1234_5678_9abc, false);
    let internal = Internal::of(gl::COMPRESSED_R11_EAC, 0).unwrap();
    let mut image = Image::new(internal, 256, 256, 1).unwrap();
    image.upload_blocks([0; 3], [256, 256, 1], internal.compressed.unwrap(), &bytes);
    let doubled: Vec<u8> = bytes.chunks_exact(8).flat_map(|block| [block, &[0; 8]].concat()).collect();
    let mut theirs = vec![0; 256 * 256];
    other::decode_etc2_rgba8(&doubled, 256, 256, &mut theirs).unwrap();
    let mut compared = 0;
    for y in 0..256 {
        for x in 0..256 {
            // A factor of 0 is an eighth here.
            if bytes[(y / 4 * 64 + x / 4) as usize * 8 + 1] >> 4 == 0 {
                continue;
            }
            let number = (image.texel(x, y, 0).unwrap()[0] * 2047.0).round() as u32;
            assert_eq!(number >> 3, theirs[(y * 256 + x) as usize] >> 24, "{x}, {y}");
            compared += 1;
        }
    }
    assert!(compared > 10_000, "{compared}");
}
