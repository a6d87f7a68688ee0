//! Deflate (RFC 1951): the data of a gzip member, and of an entry of a zip archive.

use alloc::boxed::Box;
use alloc::vec;

use crc32fast::Hasher;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

use super::{Buffer, PIECE};

/// Deflate refers back by at most this many bytes.
const WINDOW: usize = 32 * 1024;

/// How a call of [`Inflate::run`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inflated {
    /// More input is needed, or a [`PIECE`] was added.
    Going,
    /// The stream is complete.
    Ended,
    /// The stream is damaged. Everything decoded before the damage was added.
    Damaged,
}

/// Unpacks one Deflate stream at a time.
///
/// The decompressor's own stream interface keeps up to a window of decoded bytes back when it meets
/// damage, depending on the portions of the input. This one returns them.
pub struct Inflate {
    state: Box<DecompressorOxide>,
    window: Box<[u8]>,
    /// Where in the window the next byte goes.
    at: usize,
    /// Checksum and length of what was unpacked, if they are wanted.
    sum: Option<(Hasher, u64)>,
}

impl Default for Inflate {
    fn default() -> Self {
        Self { state: Box::default(), window: vec![0; WINDOW].into_boxed_slice(), at: 0, sum: None }
    }
}

impl Inflate {
    /// One that adds up what it unpacks.
    pub fn with_sum() -> Self {
        Self { sum: Some((Hasher::new(), 0)), ..Self::default() }
    }

    /// Begins another stream.
    pub fn reset(&mut self) {
        self.state.init();
        self.at = 0;
        self.sum = self.sum.take().map(|_| (Hasher::new(), 0));
    }

    /// CRC-32 and length of what was unpacked of the stream. `None` unless made by
    /// [`Inflate::with_sum`].
    pub fn sum(&self) -> Option<(u32, u64)> {
        self.sum.as_ref().map(|(hasher, len)| (hasher.clone().finalize(), *len))
    }

    /// Unpacks bytes from the front of `input` and appends them to `out`: about a [`PIECE`] at
    /// most. Returns the number of bytes taken.
    pub fn run(&mut self, input: &[u8], out: &mut Buffer) -> (usize, Inflated) {
        let (mut taken, mut added) = (0, 0);
        loop {
            let rest = input.get(taken..).unwrap_or_default();
            let flags = inflate_flags::TINFL_FLAG_HAS_MORE_INPUT;
            let (status, used, written) = decompress(&mut self.state, rest, &mut self.window, self.at, flags);
            taken += used;
            added += written;
            let unpacked = self.window.get(self.at..self.at + written).unwrap_or_default();
            if let Some((hasher, len)) = &mut self.sum {
                hasher.update(unpacked);
                *len += unpacked.len() as u64;
            }
            out.append(unpacked);
            self.at = (self.at + written) % WINDOW;
            match status {
                TINFLStatus::Done => return (taken, Inflated::Ended),
                TINFLStatus::HasMoreOutput if added + WINDOW <= PIECE => {}
                TINFLStatus::HasMoreOutput | TINFLStatus::NeedsMoreInput => return (taken, Inflated::Going),
                _ => return (taken, Inflated::Damaged),
            }
        }
    }
}
