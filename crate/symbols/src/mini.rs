//! Compressed sections: zlib, zstd, and the ELF file in xz that distributions leave in stripped
//! binaries.

use ruzstd::io::Read;

use xz4rust::{XzDecoder, XzNextBlockResult};

use crate::fault::{Fault, Why};
use crate::file::{File, Stop};
use crate::image::{Image, MINI_DEBUG_INFO, Section};

/// Most bytes of a section that is decompressed as a whole.
pub const MAX_SECTION: usize = 64 << 20;
/// Least bytes per step of the decompressor.
const PART: usize = 256 * 1024;

const ELFCOMPRESS_ZLIB: u32 = 1;
const ELFCOMPRESS_ZSTD: u32 = 2;

/// The file with the symbols that were stripped from a binary, if it has one.
pub(crate) fn unpack(file: &File, image: &Image) -> Result<Option<Vec<u8>>, Stop> {
    let Some(section) = image.section(MINI_DEBUG_INFO) else { return Ok(None) };
    let packed = file.bytes(section.at, section.size)?;
    let unpacked = xz(&packed).map_err(|why| Fault { at: section.at, why })?;
    Ok(Some(unpacked))
}

fn xz(packed: &[u8]) -> Result<Vec<u8>, Why> {
    let mut decoder = XzDecoder::in_heap_with_alloc_dict_size(4096, MAX_SECTION);
    let (mut unpacked, mut room, mut rest) = (Vec::new(), vec![0; PART], packed);
    loop {
        let result = decoder.decode(rest, &mut room).map_err(|_| Why::Compressed)?;
        let (taken, made) = (result.input_consumed(), result.output_produced());
        unpacked.extend_from_slice(room.get(..made).unwrap_or_default());
        rest = rest.get(taken..).unwrap_or_default();
        if unpacked.len() > MAX_SECTION {
            return Err(Why::Section);
        }
        if matches!(result, XzNextBlockResult::EndOfStream(..)) {
            return Ok(unpacked);
        }
        if taken == 0 && made == 0 {
            return Err(Why::Compressed);
        }
    }
}

/// The content of a section that the linker has compressed.
pub(crate) fn inflate(file: &File, image: &Image, section: &Section) -> Result<Vec<u8>, Stop> {
    let wire = image.wire;
    let fault = |why| Stop::from(Fault { at: section.at, why });
    let bytes = file.bytes(section.at, section.size)?;
    // A header of type, padding, size and alignment.
    let header = if wire.wide { 24 } else { 12 };
    let (Some(method), Some(size), Some(packed)) = (wire.u32(&bytes, 0), wire.word(&bytes, 4, 8), bytes.get(header..))
    else {
        return Err(fault(Why::Compressed));
    };
    if size > MAX_SECTION as u64 {
        return Err(fault(Why::Section));
    }
    let size = size as usize;
    let unpacked = match method {
        ELFCOMPRESS_ZLIB => miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(packed, size).ok(),
        ELFCOMPRESS_ZSTD => ruzstd::decoding::StreamingDecoder::new(packed).ok().and_then(|stream| {
            let mut unpacked = Vec::new();
            stream.take(size as u64).read_to_end(&mut unpacked).ok().map(|_| unpacked)
        }),
        _ => None,
    };
    unpacked.filter(|unpacked| unpacked.len() == size).ok_or(fault(Why::Compressed))
}
