//! The first bits of a Brotli stream, which rule out many other files without the decompressor.

/// Whether a Brotli stream of at least one byte may begin like this: RFC 7932, sections 9.1 and
/// 9.2, as far as the length of the first meta-block.
pub fn may_be_brotli(head: &[u8]) -> bool {
    let Some(bits) = head.first_chunk::<5>().map(|&[a, b, c, d, e]| u64::from_le_bytes([a, b, c, d, e, 0, 0, 0]))
    else {
        // Too short to tell.
        return !head.is_empty();
    };
    let window = match (bits & 1, bits >> 1 & 7, bits >> 4 & 7) {
        (0, _, _) => 1,
        (_, 1.., _) => 4,
        // Stands for a "large window", which is not part of the RFC.
        (_, _, 1) => return false,
        _ => 7,
    };
    let bits = bits >> window;
    let is_last = bits & 1 == 1;
    if is_last && bits >> 1 & 1 == 1 {
        // Empty.
        return false;
    }
    let bits = bits >> if is_last { 2 } else { 1 };
    let length = bits >> 2;
    match bits & 3 {
        0 => true,
        // The last of 5 or 6 nibbles is not 0.
        1 => length >> 16 & 15 != 0,
        2 => length >> 20 & 15 != 0,
        // Metadata: a reserved bit. The last meta-block has none.
        _ => !is_last && length & 1 == 0,
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use std::fs;

    use crate::{Container, peek};

    use super::*;

    #[test]
    fn accepts_what_decompresses() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/apitrace/scene.brotli.trace");
        assert!(may_be_brotli(&fs::read(path).unwrap()));
        // Any beginning of 4 bytes or less might continue.
        assert!(may_be_brotli(&[0x3f, 1, 2, 3]));
        assert!(!may_be_brotli(&[]));
    }

    #[test]
    fn rejects_other_files() {
        for head in [&b"{\"a\": 1}"[..], b"<html>", b"\x7fELF\x02\x01", b"\x11\0\0\0\0"] {
            assert!(!may_be_brotli(head), "{head:?}");
        }
    }

    /// Whatever the decompressor makes something of is accepted.
    #[cfg(feature = "decompressors")]
    #[test]
    fn agrees_with_the_decompressor() {
        let mut seed = 1_u64;
        for _ in 0..20_000 {
            let head: Vec<u8> = (0..64)
                .map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (seed >> 56) as u8
                })
                .collect();
            if !may_be_brotli(&head) {
                assert!(peek(Container::Brotli, &head, 1).is_empty(), "{head:?}");
            }
        }
    }
}
