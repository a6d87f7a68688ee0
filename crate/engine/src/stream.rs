//! Traces that are read as bytes: a decoder and the bytes that were pushed and not decoded yet.

use unspool_trace::{Decoder, Error, EventBatch, Want};

use crate::input::Input;
use crate::turn::Turn;

/// A decoder and its input.
pub(crate) struct Stream {
    pub(crate) decoder: Box<dyn Decoder>,
    input: Input,
    /// How much of the file the main pass has read, in bytes. Later passes, out of file order, do
    /// not count.
    pub(crate) read: u64,
}

impl Stream {
    pub(crate) fn new(decoder: Box<dyn Decoder>) -> Self {
        Self { decoder, input: Input::default(), read: 0 }
    }

    /// Where the next bytes pushed must come from, and how many are useful there. 0 means no limit.
    pub(crate) fn wants(&self) -> (u64, u64) {
        self.input.wants(self.decoder.want())
    }

    /// Appends up to `most` bytes of input; `fill` writes them and returns how many.
    pub(crate) fn push_with(&mut self, most: usize, fill: impl FnOnce(&mut [u8]) -> usize) {
        self.input.push_with(most, fill);
        if self.decoder.want() == Want::Next {
            self.read = self.input.position();
        }
    }

    /// Notes that the file has no more bytes where they were wanted.
    pub(crate) fn end(&mut self) {
        self.input.end();
    }

    /// Decodes input until the batch is full, or more input is needed.
    pub(crate) fn turn(&mut self, batch: &mut EventBatch) -> Result<Turn, Error> {
        match self.decoder.want() {
            Want::Nothing => return Ok(Turn::Finished),
            Want::Seek { at, .. } if at != self.here() => {
                self.input.seek(at);
                return Ok(Turn::Starved);
            }
            Want::Seek { .. } | Want::Next => {}
        }
        let starved = self.decode(batch)?;
        Ok(if starved && self.wants_more_here() { Turn::Starved } else { Turn::Progressed })
    }

    /// Gives the decoder what is left, and at the end of the file says so. Returns true if the
    /// decoder made no progress.
    fn decode(&mut self, batch: &mut EventBatch) -> Result<bool, Error> {
        let want = self.decoder.want();
        let used = self.decoder.push(self.input.left(), batch)?.used;
        self.input.consume(used);
        let starved = used == 0 && !batch.is_full() && self.decoder.want() == want;
        if starved && self.input.has_ended() {
            let result = self.decoder.end(self.input.left(), batch);
            self.input.clear();
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
        self.input.here()
    }

    /// Frees the input: nothing more is decoded.
    pub(crate) fn close(&mut self) {
        self.input.free();
    }
}
