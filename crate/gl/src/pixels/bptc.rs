//! BPTC, by bcdec.

use super::compressed::Block;

/// A block of colours with alpha.
pub(super) fn colours(block: &[u8; 16]) -> Block {
    let mut bytes = [0; 64];
    bcdec_rs::bc7(block, &mut bytes, 16);
    let mut texels = [[0; 4]; 16];
    for (texel, bytes) in texels.iter_mut().zip(bytes.chunks_exact(4)) {
        for (slot, byte) in texel.iter_mut().zip(bytes) {
            *slot = u32::from(*byte);
        }
    }
    texels
}

/// A block of floating point numbers, opaque.
pub(super) fn floats(block: &[u8; 16], signed: bool) -> Block {
    let mut numbers = [0.0f32; 48];
    bcdec_rs::bc6h_float(block, &mut numbers, 12, signed);
    let mut texels = [[1f32.to_bits(); 4]; 16];
    for (texel, numbers) in texels.iter_mut().zip(numbers.chunks_exact(3)) {
        for (slot, number) in texel.iter_mut().zip(numbers) {
            *slot = number.to_bits();
        }
    }
    texels
}
