//! The sans-IO decoder: bytes in, event batches out, the caller owns the loop.

use alloc::string::String;

use crate::batch::EventBatch;
use crate::details::RecordDetails;
use crate::error::Result;
use crate::info::Info;
use crate::locator::Locator;
use crate::problem::Problem;

/// Where a decoder wants its next bytes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// From where the last portion ended.
    Next,
    /// From offset `at` of the file, `len` bytes.
    Seek {
        /// Absolute offset of the first byte.
        at: u64,
        /// How many bytes.
        len: u64,
    },
    /// From nowhere: all is decoded.
    Nothing,
}

/// What became of a portion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many bytes were used up. What is left over is to be handed in again in front of more; it is less than 64 KiB
    /// unless the batch is full.
    pub used: usize,
}

/// A stretch of the file that the details of a record are decoded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Absolute offset of the first byte.
    pub at: u64,
    /// How many bytes; the file may end earlier.
    pub len: u64,
}

/// Decodes one trace.
///
/// `push` until nothing is used up and [`Decoder::want`] stays the same: then it takes more bytes, or, where there are no
/// more, `end`. Go on as long as there is a [`Want::Seek`]. The same
/// bytes give the same events in whatever portions they arrive. After an error every further call returns it again.
pub trait Decoder {
    /// What the file's head says; complete after the first portion of 4 KiB, or the end.
    fn info(&self) -> Info;

    /// Decodes a portion. Returns early when the batch is full.
    fn push(&mut self, input: &[u8], out: &mut EventBatch) -> Result<Progress>;

    /// Says that the bytes asked for have come to an end; `rest` is what the last `push` left over.
    fn end(&mut self, rest: &[u8], out: &mut EventBatch) -> Result<()>;

    /// Says that no more will be read, whatever the reason: events that were kept back are delivered. Also after
    /// [`Decoder::end`].
    fn finish(&mut self, _out: &mut EventBatch) {}

    /// Where the next bytes are to come from.
    fn want(&self) -> Want;

    /// Which bytes the details of the record at `locator` are decoded from: about 1 MiB at most. None of them where the
    /// decoder holds what it needs.
    fn details_range(&self, locator: Locator) -> Option<Range>;

    /// A further stretch that the details need, where a record's end lies far from its beginning. `bytes` are those of
    /// [`Decoder::details_range`] with those of every further stretch behind them; ask again until there is none.
    fn details_next(&self, _locator: Locator, _bytes: &[u8]) -> Option<Range> {
        None
    }

    /// Decodes the record at `locator` in full. `bytes` are those of [`Decoder::details_range`] with those of every further
    /// stretch behind them; without the latter the details say what is missing.
    fn details(&self, locator: Locator, bytes: &[u8]) -> Result<RecordDetails>;
}

/// Prints one trace record by record, as the reference tools do. Driven like a [`Decoder`].
pub trait TextDump {
    /// Decodes a portion and appends text. Returns when about a MiB of text is there.
    fn push(&mut self, input: &[u8], out: &mut String) -> Result<Progress>;

    /// Says that the bytes asked for have come to an end.
    fn end(&mut self, rest: &[u8], out: &mut String) -> Result<()>;

    /// Where the next bytes are to come from.
    fn want(&self) -> Want;

    /// Hands over the problems met since the last call.
    fn take_problems(&mut self) -> alloc::vec::Vec<Problem>;
}
