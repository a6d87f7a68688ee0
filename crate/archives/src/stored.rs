//! An entry of a zip archive that is stored as it is, with a checksum.

use crc32fast::Hasher;
use unspool_containers::Buffer;

use crate::decode::Decode;
use crate::{Fault, Why};

/// Bytes that are passed on at once.
const PIECE: usize = 1 << 16;

/// Passes the bytes on, and compares their checksum and number at the end.
pub(crate) struct Stored {
    sum: Hasher,
    at: u64,
    /// Checksum and length of the content.
    expected: (u32, u64),
}

impl Stored {
    pub(crate) fn new(expected: (u32, u64)) -> Self {
        Self { sum: Hasher::new(), at: 0, expected }
    }
}

impl Decode for Stored {
    fn run(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Fault> {
        let piece = input.get(..PIECE).unwrap_or(input);
        self.sum.update(piece);
        self.at += piece.len() as u64;
        out.append(piece);
        Ok(piece.len())
    }

    fn end(&mut self, _out: &mut Buffer) -> Result<(), Fault> {
        let why = match self.expected {
            (_, length) if self.at < length => Why::Truncated,
            expected if expected != (self.sum.clone().finalize(), self.at) => Why::Checksum,
            _ => return Ok(()),
        };
        Err(Fault { at: self.at, why })
    }
}
