//! Deflate (RFC 1951) without a header: an entry of a zip archive, and the data of a gzip member.

use unspool_containers::{Buffer, Inflate, Inflated};

use crate::stream::Decode;
use crate::{Fault, Why};

/// Unpacks one Deflate stream and computes its checksum.
pub(crate) struct Deflate {
    inflate: Inflate,
    /// Bytes taken.
    at: u64,
    over: bool,
    crc: crc32fast::Hasher,
    /// Bytes added.
    added: u64,
    /// Checksum and length that the stream should have.
    expected: Option<(u32, u64)>,
}

impl Deflate {
    pub(crate) fn new(expected: Option<(u32, u64)>) -> Self {
        Self { inflate: Inflate::default(), at: 0, over: false, crc: crc32fast::Hasher::new(), added: 0, expected }
    }

    /// Begins another stream.
    pub(crate) fn reset(&mut self) {
        self.inflate.reset();
        (self.at, self.over, self.added) = (0, false, 0);
        self.crc.reset();
    }

    /// Checksum and length of what was unpacked.
    pub(crate) fn sum(&self) -> (u32, u64) {
        (self.crc.clone().finalize(), self.added)
    }
}

impl Decode for Deflate {
    fn run(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Fault> {
        let before = out.data().len();
        let (taken, result) = self.inflate.run(input, out);
        let added = out.data().get(before..).unwrap_or_default();
        self.crc.update(added);
        self.added += added.len() as u64;
        self.at += taken as u64;
        match result {
            Inflated::Going => {}
            Inflated::Ended => {
                self.over = true;
                if self.expected.is_some_and(|expected| expected != self.sum()) {
                    return Err(Fault { at: self.at, why: Why::Checksum });
                }
            }
            Inflated::Damaged => return Err(Fault { at: self.at, why: Why::Malformed }),
        }
        Ok(taken)
    }

    fn end(&mut self, _out: &mut Buffer) -> Result<(), Fault> {
        if self.over { Ok(()) } else { Err(Fault { at: self.at, why: Why::Truncated }) }
    }

    fn is_over(&self) -> bool {
        self.over
    }
}
