//! Deflate (RFC 1951): the data of a gzip member, and of an entry of a zip archive.

use alloc::boxed::Box;
use alloc::vec;

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
}

impl Default for Inflate {
    fn default() -> Self {
        Self { state: Box::default(), window: vec![0; WINDOW].into_boxed_slice(), at: 0 }
    }
}

impl Inflate {
    /// Begins another stream.
    pub fn reset(&mut self) {
        self.state.init();
        self.at = 0;
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
            out.append(self.window.get(self.at..self.at + written).unwrap_or_default());
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
