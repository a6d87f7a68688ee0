//! xz: streams back-to-back, with padding between them. The check that a stream carries is
//! verified.

use alloc::boxed::Box;

use unspool_containers::Buffer;
use xz4rust::{XzDecoder, XzError, XzNextBlockResult};

use crate::decode::Decode;
use crate::{Fault, Why};

/// `xz -9` needs 64 MiB.
const MAX_WINDOW: usize = 128 << 20;
const SMALLEST_WINDOW: usize = 4096;
/// Bytes of output per call of the decompressor. It loses as many where it fails.
const PART: usize = 1024;
/// Bytes of output after which a call returns.
const PIECE: usize = 256 * 1024;
/// The decompressor gets its input up to multiples of this many bytes, except the last. It does not
/// say where it fails, and what it gives out before depends on how much it was given.
const STEP: u64 = 4096;
/// What the room for output is filled with, see [`written`].
const UNWRITTEN: u8 = 0xa5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Stream,
    /// After a stream: zeros, or another stream.
    Between,
}

/// Unpacks xz.
pub(crate) struct Xz {
    decoder: Box<XzDecoder<'static>>,
    state: State,
    at: u64,
    /// Offset of the end of the input that the decompressor gets.
    until: u64,
    /// The input goes up to the end of the container.
    last: bool,
}

impl Xz {
    pub(crate) fn new() -> Self {
        let decoder = XzDecoder::in_heap_with_alloc_dict_size(SMALLEST_WINDOW, MAX_WINDOW);
        Self { decoder, state: State::Stream, at: 0, until: STEP, last: false }
    }

    fn fault(&self, why: Why) -> Fault {
        Fault { at: self.at, why }
    }
}

impl Decode for Xz {
    fn run(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Fault> {
        loop {
            while self.until <= self.at {
                self.until += STEP;
            }
            let wanted = usize::try_from(self.until - self.at).unwrap_or(usize::MAX);
            let Some(offered) = input.get(..wanted).or(self.last.then_some(input)) else { return Ok(0) };
            let before = out.data().len();
            let taken = self.part(offered, out)?;
            if taken > 0 || out.data().len() > before || offered.len() < wanted {
                return Ok(taken);
            }
            // It needs more at once.
            self.until += STEP;
        }
    }

    fn last(&mut self) {
        self.last = true;
    }

    fn end(&mut self, _out: &mut Buffer) -> Result<(), Fault> {
        match self.state {
            State::Between => Ok(()),
            State::Stream => Err(self.fault(Why::Truncated)),
        }
    }
}

impl Xz {
    /// Unpacks bytes from the front of `input`. Returns how many it took.
    fn part(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Fault> {
        if input.is_empty() {
            return Ok(0);
        }
        if self.state == State::Between {
            let padding = input.iter().take_while(|b| **b == 0).count();
            self.at += padding as u64;
            if padding == 0 {
                self.decoder.reset();
                self.state = State::Stream;
            } else {
                return Ok(padding);
            }
        }
        let (mut taken, mut added) = (0, 0);
        while added < PIECE {
            let rest = input.get(taken..).unwrap_or_default();
            let room = out.room(PART).get_mut(..PART).unwrap_or_default();
            room.fill(UNWRITTEN);
            match self.decoder.decode(rest, room) {
                Ok(result) => {
                    out.added(result.output_produced());
                    added += result.output_produced();
                    taken += result.input_consumed();
                    self.at += result.input_consumed() as u64;
                    if matches!(result, XzNextBlockResult::EndOfStream(..)) {
                        self.state = State::Between;
                        break;
                    }
                    if result.input_consumed() == 0 && result.output_produced() == 0 {
                        break;
                    }
                }
                Err(XzError::NeedsLargerInputBuffer) => break,
                Err(error) => {
                    let written = written(room);
                    out.added(written);
                    return Err(self.fault(match error {
                        XzError::ContentCrc32Mismatch(..)
                        | XzError::ContentCrc64Mismatch(..)
                        | XzError::ContentSha256Mismatch(..) => Why::Checksum,
                        XzError::DictionaryTooLarge(_) => Why::Window,
                        _ => Why::Malformed,
                    }));
                }
            }
        }
        Ok(taken)
    }
}

/// How many bytes the decompressor wrote before it failed. It does not say; a byte of the filling
/// at the end counts as not written.
fn written(room: &[u8]) -> usize {
    room.iter().rposition(|b| *b != UNWRITTEN).map_or(0, |last| last + 1)
}
