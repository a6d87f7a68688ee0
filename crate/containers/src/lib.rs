//! Decompressors with one interface: compressed bytes in, decompressed bytes out, both in portions,
//! no I/O.
//!
//! apitrace wraps one stream of events in one of four containers, which differ by their magic
//! numbers alone (`lib/trace/trace_file_read.cpp`). Each call of [`Unpack`] returns a bounded
//! amount, so that the caller can stop a decompression bomb.
//!
//! # Where the decompressors come from
//!
//! Nearly all apitraces are in Snappy, and those of gzip, zstd and Brotli are large. Natively they
//! are linked in (feature `decompressors`). All modules are compiled with the same features, so
//! that they share what is compiled; in wasm, what is not provided is not linked. The page's
//! modules have them provided by `crate/archives` ([`provide`]): before a worker opens a file it
//! asks `needsDecompressor`, and loads them if no format is certain about the file and its first
//! bits are those of such a stream, or may be of Brotli. The record worker needs them only for a
//! stream too long to be kept.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

#[cfg(feature = "decompressors")]
mod brotli;
mod brotli_head;
mod buffer;
#[cfg(feature = "decompressors")]
mod gzip;
#[cfg(feature = "decompressors")]
mod inflate;
#[cfg_attr(all(feature = "decompressors", not(target_family = "wasm")), allow(dead_code))]
mod provided;
mod snappy;
pub mod snappy_block;
mod spool;
#[cfg(feature = "decompressors")]
mod zstd;

use alloc::boxed::Box;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use unspool_trace::limits::Limits;
use unspool_trace::problem::Problem;

pub use brotli_head::may_be_brotli;
pub use buffer::Buffer;
#[cfg(feature = "decompressors")]
pub use gzip::Gzip;
#[cfg(feature = "decompressors")]
pub use inflate::{Inflate, Inflated};
#[cfg(feature = "std")]
pub use provided::provide;
pub use spool::Kept;
pub use spool::Spool;

/// Maximum number of bytes added by one call of [`Unpack::unpack`]. Snappy chunks are an exception:
/// they are never split.
pub const PIECE: usize = 1 << 20;

/// The containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Container {
    /// "at", then Snappy blocks, each after its length: written by every tracer since 2.0.
    Snappy,
    /// RFC 1952: written by tracers up to 1.0 and by `repack --zlib`.
    Gzip,
    /// RFC 8878, also with the seek table of zstd's "seekable" format: written by `repack --zstd`.
    Zstd,
    /// RFC 7932, without a magic number: written by `repack --brotli`.
    Brotli,
}

impl Container {
    /// The container of a file with this head. Brotli has no magic number, so it is returned for
    /// anything unknown.
    pub fn of(head: &[u8]) -> Self {
        match head {
            [b'a', b't', ..] => Self::Snappy,
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            // A skippable frame may come first in a zstd file.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            _ => Self::Brotli,
        }
    }

    /// The name shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Snappy => "Snappy",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Brotli => "Brotli",
        }
    }

    /// A decompressor for a Snappy file, from the chunk at offset `at` of the file. A chunk may
    /// have at most `limit` bytes.
    pub fn snappy_from(at: u64, limit: u64) -> Box<dyn Unpack> {
        Box::new(snappy::SnappyChunks::from(at, limit))
    }

    /// A decompressor for a file, from its first byte.
    pub fn unpacker(self, limits: &Limits) -> Box<dyn Unpack> {
        match self {
            Self::Snappy => Box::new(snappy::SnappyChunks::new(limits)),
            Self::Gzip | Self::Zstd | Self::Brotli => self.decompressor(),
        }
    }

    /// Whether [`Container::unpacker`] needs a decompressor that a program provides: one without
    /// the feature `decompressors`, or for wasm.
    pub fn is_provided(self) -> bool {
        self != Self::Snappy
    }

    /// The decompressor of this crate for a file that is not in Snappy.
    #[cfg(feature = "decompressors")]
    pub fn built_in(self) -> Box<dyn Unpack> {
        match self {
            Self::Zstd => Box::new(zstd::Zstd::new()),
            Self::Brotli => Box::new(brotli::Brotli::new()),
            Self::Snappy | Self::Gzip => Box::new(Gzip::lenient()),
        }
    }

    #[cfg(all(feature = "decompressors", not(target_family = "wasm")))]
    fn decompressor(self) -> Box<dyn Unpack> {
        self.built_in()
    }

    /// Programs for wasm consist of modules. One of them has the decompressors, whatever features
    /// all are compiled with, and provides them to the others when they are needed.
    #[cfg(any(not(feature = "decompressors"), target_family = "wasm"))]
    fn decompressor(self) -> Box<dyn Unpack> {
        provided::provided(self).unwrap_or_else(|| Box::new(provided::Missing))
    }
}

/// Decompresses a file.
pub trait Unpack {
    /// Decompresses bytes from the front of `input`, appends the result to `out`, and returns the
    /// number of bytes taken. If it takes and adds nothing, it needs more input.
    ///
    /// # Errors
    ///
    /// Fails where the file is damaged. What could be salvaged has been added, and nothing more
    /// will come. The problem's value is 0 if the rest of the file is lost: the decompressor does
    /// not know its size.
    fn unpack(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Problem>;

    /// Notes that the input of [`Unpack::unpack`] goes up to the end of the file from now on. A
    /// decompressor may have waited for more than that.
    fn last(&mut self) {}

    /// Marks the end of the file, when nothing was taken or added after [`Unpack::last`]. Appends
    /// what can be salvaged of an incomplete part.
    ///
    /// # Errors
    ///
    /// Fails if the file ends too early.
    fn finish(&mut self, out: &mut Buffer) -> Result<(), Problem>;

    /// Absolute offset in the file of the compressed bytes of the last addition, or shortly before.
    /// It does not depend on portions.
    fn piece_at(&self) -> u64;
}

/// Bytes of the file that are unpacked together from a stream without parts. If they depended on
/// portions, so would how far the stream was unpacked when damage in it was found, and where that
/// is.
#[cfg(feature = "decompressors")]
const STEP: u64 = 4096;

/// The bytes of `input` up to the end of its step, if it goes that far. It begins at offset `at` of
/// the file.
#[cfg(feature = "decompressors")]
fn within_step(input: &[u8], at: u64) -> Option<&[u8]> {
    input.get(..(STEP - at % STEP) as usize)
}

/// Decompresses the head of a file, up to about `wanted` decompressed bytes.
pub fn peek(container: Container, head: &[u8], wanted: usize) -> Vec<u8> {
    let mut unpacker = container.unpacker(&Limits::DEFAULT);
    unpacker.last();
    let (mut out, mut rest) = (Buffer::default(), head);
    while out.data().len() < wanted {
        let before = out.data().len();
        let Ok(taken) = unpacker.unpack(rest, &mut out) else { break };
        rest = rest.get(taken..).unwrap_or_default();
        if taken == 0 && out.data().len() == before {
            // The first Snappy chunk is usually longer than a head.
            let _ = unpacker.finish(&mut out);
            break;
        }
    }
    out.data().to_vec()
}

#[cfg(test)]
mod tests;
