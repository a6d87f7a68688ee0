//! Deflate (RFC 1951) without a header: an entry of a zip archive.

use unspool_containers::{Buffer, Inflate, Inflated};

use crate::decode::Decode;
use crate::{Fault, Why};

/// Unpacks one Deflate stream.
pub(crate) struct Deflate {
    inflate: Inflate,
    /// Bytes taken.
    at: u64,
    over: bool,
    /// Checksum and length that the stream should have.
    expected: Option<(u32, u64)>,
}

impl Deflate {
    pub(crate) fn new(expected: Option<(u32, u64)>) -> Self {
        let inflate = if expected.is_some() { Inflate::with_sum() } else { Inflate::default() };
        Self { inflate, at: 0, over: false, expected }
    }
}

impl Decode for Deflate {
    fn run(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Fault> {
        let (taken, result) = self.inflate.run(input, out);
        self.at += taken as u64;
        match result {
            Inflated::Going => {}
            Inflated::Ended => {
                self.over = true;
                if self.expected != self.inflate.sum() {
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
