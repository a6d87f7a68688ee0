//! Decompressors behind one interface: bytes in portions in, decompressed bytes in portions out, no I/O.
//!
//! apitrace wraps one stream of events in one of four containers, told apart by magic numbers alone
//! (`lib/trace/trace_file_read.cpp`). Each [`Unpack`] hands out a bounded amount a call, so that whoever owns the loop can
//! stop a decompression bomb between two of them.

mod brotli;
mod buffer;
mod gzip;
mod snappy;
pub(crate) mod snappy_block;
mod spool;
mod zstd;

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::limits::Limits;
use crate::problem::Problem;

pub use buffer::Buffer;
pub(crate) use spool::Kept;
pub use spool::Spool;

/// How much a call of [`Unpack::unpack`] adds at most; only a Snappy chunk is never handed out in parts.
pub const PIECE: usize = 1 << 20;

/// The containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// "at", then Snappy blocks with a length before each: what every tracer since 2.0 writes.
    Snappy,
    /// RFC 1952: tracers up to 1.0 and `repack --zlib`.
    Gzip,
    /// RFC 8878, also with the seek table of zstd's "seekable" format: `repack --zstd`.
    Zstd,
    /// RFC 7932; no magic number: `repack --brotli`.
    Brotli,
}

impl Container {
    /// The container that a file with this beginning has, if it has one at all: what is nothing else counts as Brotli.
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

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Snappy => "Snappy",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Brotli => "Brotli",
        }
    }

    /// A decompressor that begins at the first byte of the file.
    pub fn unpacker(self, limits: &Limits) -> Box<dyn Unpack> {
        match self {
            Self::Snappy => Box::new(snappy::SnappyChunks::new(limits)),
            Self::Gzip => Box::new(gzip::Gzip::new()),
            Self::Zstd => Box::new(zstd::Zstd::new()),
            Self::Brotli => Box::new(brotli::Brotli::new()),
        }
    }
}

/// Decompresses a file.
pub trait Unpack {
    /// Takes bytes from the front of `input` and appends what they hold to `out`. Answers how many were taken. When nothing
    /// is taken and nothing added it needs more input. An error is a break in the file: what could be saved has been added,
    /// and no more will come. Its value is 0 where all the rest of the file is lost, whose size the decompressor does not know.
    fn unpack(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Problem>;

    /// Says that the file is over; what can be saved of a part at its end is added.
    fn finish(&mut self, out: &mut Buffer) -> Result<(), Problem>;

    /// Where in the file the piece begins that was added last.
    fn piece_at(&self) -> u64;
}

/// Decompresses the beginning of a file, about `wanted` bytes of it or what there is of them.
pub fn peek(container: Container, head: &[u8], wanted: usize) -> Vec<u8> {
    let mut unpacker = container.unpacker(&Limits::DEFAULT);
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
