//! Traces that are read as bytes: a decoder and the bytes that were pushed and not decoded yet.

use unspool_formats::{Decoder, Error, EventBatch, Want};

use crate::turn::Turn;

/// A decoder and its input.
pub(crate) struct Stream {
    pub(crate) decoder: Box<dyn Decoder>,
    input: Input,
    /// How much of the file the main pass has read, in bytes. Later passes, out of file order, do not count.
    pub(crate) read: u64,
}

impl Stream {
    pub(crate) fn new(decoder: Box<dyn Decoder>) -> Self {
        Self { decoder, input: Input::default(), read: 0 }
    }

    /// Where the next bytes pushed must come from, and how many are useful there. 0 means no limit.
    pub(crate) fn wants(&self) -> (u64, u64) {
        let position = self.input.position;
        match self.decoder.want() {
            Want::Seek { at, len } if at == self.here() => (position, at.saturating_add(len).saturating_sub(position)),
            Want::Seek { at, len } => (at, len),
            Want::Next | Want::Nothing => (position, 0),
        }
    }

    /// Appends up to `most` bytes of input; `fill` writes them and returns how many.
    pub(crate) fn push_with(&mut self, most: usize, fill: impl FnOnce(&mut [u8]) -> usize) {
        self.input.push_with(most, fill);
        if self.decoder.want() == Want::Next {
            self.read = self.input.position;
        }
    }

    /// Notes that the file has no more bytes where they were wanted.
    pub(crate) fn end(&mut self) {
        self.input.ended = true;
    }

    /// Decodes input until the batch is full, or more input is needed.
    pub(crate) fn turn(&mut self, batch: &mut EventBatch) -> Result<Turn, Error> {
        match self.decoder.want() {
            Want::Nothing => return Ok(Turn::Finished),
            Want::Seek { at, .. } if at != self.here() => {
                self.input = Input { position: at, bytes: std::mem::take(&mut self.input.bytes), ..Input::default() };
                return Ok(Turn::Starved);
            }
            Want::Seek { .. } | Want::Next => {}
        }
        let starved = self.decode(batch)?;
        Ok(if starved && self.wants_more_here() { Turn::Starved } else { Turn::Progressed })
    }

    /// Gives the decoder what there is, and at the end of the file says so. Returns whether it made no progress with that.
    fn decode(&mut self, batch: &mut EventBatch) -> Result<bool, Error> {
        let want = self.decoder.want();
        let used = self.decoder.push(self.input.left(), batch)?.used;
        self.input.used += used;
        let starved = used == 0 && !batch.is_full() && self.decoder.want() == want;
        if starved && self.input.ended {
            let result = self.decoder.end(self.input.left(), batch);
            self.input.drain();
            result?;
        }
        Ok(starved)
    }

    fn wants_more_here(&self) -> bool {
        match self.decoder.want() {
            Want::Next => true,
            Want::Seek { at, .. } => at == self.here(),
            Want::Nothing => false,
        }
    }

    /// Absolute offset of the first byte that is not decoded.
    pub(crate) fn here(&self) -> u64 {
        self.input.position - self.input.left().len() as u64
    }

    /// Frees the input: nothing more is decoded.
    pub(crate) fn close(&mut self) {
        self.input = Input { position: self.input.position, ..Input::default() };
    }
}

/// Bytes on their way to the decoder.
///
/// ```text
///   bytes   |  decoded  |  left  |  room  |
///           0         used    filled
/// ```
#[derive(Debug, Default)]
struct Input {
    bytes: Vec<u8>,
    used: usize,
    filled: usize,
    /// Absolute offset of the end of what is filled.
    position: u64,
    /// The file ends here.
    ended: bool,
}

impl Input {
    fn left(&self) -> &[u8] {
        self.bytes.get(self.used..self.filled).unwrap_or_default()
    }

    fn push_with(&mut self, most: usize, fill: impl FnOnce(&mut [u8]) -> usize) {
        self.bytes.copy_within(self.used..self.filled, 0);
        self.filled -= self.used;
        self.used = 0;
        let end = self.filled + most;
        // Bytes are zeroed once, when the buffer grows, and not again for each portion.
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        let n = fill(&mut self.bytes[self.filled..end]).min(most);
        self.filled += n;
        self.position += n as u64;
    }

    /// Forgets what is left: the decoder has taken it as the end of the file.
    fn drain(&mut self) {
        (self.used, self.filled, self.ended) = (0, 0, false);
    }
}
