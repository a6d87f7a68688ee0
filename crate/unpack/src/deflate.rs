//! Deflate (RFC 1951) without a header: an entry of a zip archive, and the data of a gzip member.

use alloc::boxed::Box;

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};
use unspool_formats::container::Buffer;

use crate::stream::{Decode, PIECE};
use crate::{Fault, Why};

/// Unpacks one Deflate stream and computes its checksum.
pub(crate) struct Deflate {
    state: Box<InflateState>,
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
        let state = InflateState::new_boxed(DataFormat::Raw);
        Self { state, at: 0, over: false, crc: crc32fast::Hasher::new(), added: 0, expected }
    }

    /// Begins another stream.
    pub(crate) fn reset(&mut self) {
        self.state.reset(DataFormat::Raw);
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
        let result = inflate(&mut self.state, input, out.room(PIECE), MZFlush::None);
        out.added(result.bytes_written);
        self.crc.update(out.data().get(before..).unwrap_or_default());
        self.added += result.bytes_written as u64;
        self.at += result.bytes_consumed as u64;
        match result.status {
            Ok(MZStatus::StreamEnd) => {
                self.over = true;
                if self.expected.is_some_and(|expected| expected != self.sum()) {
                    return Err(Fault { at: self.at, why: Why::Checksum });
                }
            }
            // `Buf`: no progress without more input.
            Ok(_) | Err(MZError::Buf) => {}
            Err(_) => return Err(Fault { at: self.at, why: Why::Malformed }),
        }
        Ok(result.bytes_consumed)
    }

    fn end(&mut self, _out: &mut Buffer) -> Result<(), Fault> {
        if self.over { Ok(()) } else { Err(Fault { at: self.at, why: Why::Truncated }) }
    }

    fn is_over(&self) -> bool {
        self.over
    }
}
