//! Random access to the decompressed stream, for details.
//!
//! For a Snappy file, a list of chunks maps offsets in the stream to offsets in the file. The other
//! containers have no random access, so the stream itself is kept.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use unspool_containers::snappy_block::Block;
use unspool_containers::{Container, Kept, Spool};
use unspool_trace::decoder::Range;
use unspool_trace::limits::Limits;

use super::wire::StreamOffset;

/// Minimum distance of listed chunks in the stream, in bytes: a file may have chunks of one byte.
const APART: u64 = 256 * 1024;
/// Bytes of the file to read at the last listed chunk: an incompressible chunk of 1 MiB.
const LAST: u64 = (1 << 20) + (1 << 18);
/// Bytes to decode at a time: most calls are small.
const STEP: usize = 16 * 1024;

/// Finds a part of the stream again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum RandomAccess {
    /// Beginnings of chunks in the stream and in the file. A chunk may have at most `limit` bytes.
    Chunks { list: Vec<(StreamOffset, u64)>, limit: u64 },
    /// The stream itself.
    Kept(Spool),
}

/// Why a part of the stream is unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// These bytes of the file are needed first.
    Bytes(Range),
    /// The stream ends before.
    End,
    /// The stream was not kept that far.
    NotKept,
}

impl RandomAccess {
    pub(crate) fn new(container: Container, limits: &Limits) -> Self {
        match container {
            Container::Snappy => Self::Chunks { list: Vec::new(), limit: limits.chunk },
            _ => Self::Kept(Spool::new(limits.spool)),
        }
    }

    /// Records a piece of the stream. It begins at `stream_at` and was decompressed from offset
    /// `file_at` of the file.
    pub(crate) fn add(&mut self, stream_at: StreamOffset, file_at: u64, piece: &[u8]) {
        match self {
            Self::Chunks { list, .. } => {
                if list.last().is_none_or(|(last, _)| stream_at.since(*last) >= APART) {
                    list.push((stream_at, file_at));
                }
            }
            Self::Kept(spool) => spool.append(piece),
        }
    }

    /// The last listed chunk at or before an offset in the stream: where it begins, and the bytes
    /// of the file up to the next.
    pub(crate) fn chunk(&self, at: StreamOffset) -> Option<(StreamOffset, Range)> {
        let Self::Chunks { list, .. } = self else { return None };
        let i = list.partition_point(|(stream, _)| *stream <= at).checked_sub(1)?;
        let (stream_at, file_at) = *list.get(i)?;
        let len = list.get(i + 1).map_or(LAST, |(_, next)| next - file_at);
        Some((stream_at, Range { at: file_at, len }))
    }

    /// Offset in the file of the first listed chunk that begins at `at` in the stream or later, if
    /// there is one.
    pub(crate) fn file_bound(&self, at: StreamOffset) -> Option<u64> {
        let Self::Chunks { list, .. } = self else { return None };
        list.get(list.partition_point(|(stream, _)| *stream < at)).map(|(_, file)| *file)
    }

    /// The bytes of the file that are needed to read the stream from an offset on. Empty if the
    /// stream is kept.
    pub(crate) fn range(&self, at: StreamOffset) -> Option<Range> {
        match self {
            Self::Chunks { .. } => self.chunk(at).map(|(_, range)| range),
            Self::Kept(_) => Some(Range { at: 0, len: 0 }),
        }
    }
}

/// Reads the stream again from several offsets. `given` is the concatenation of the ranges that it
/// asked for.
pub(crate) struct Reader<'a> {
    access: &'a RandomAccess,
    given: &'a [u8],
    /// Where the current range of the file begins in the stream, and its bytes after the current
    /// chunk.
    stretch: Option<StreamOffset>,
    rest: &'a [u8],
    /// The current chunk, and where it begins in the stream.
    chunk: Option<Kept<'a>>,
    begin: StreamOffset,
    /// The next byte of the stream.
    at: StreamOffset,
    /// Bytes decoded so far.
    #[cfg(test)]
    pub(crate) decoded: u64,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(access: &'a RandomAccess, given: &'a [u8]) -> Self {
        Self {
            access,
            given,
            stretch: None,
            rest: &[],
            chunk: None,
            begin: StreamOffset(0),
            at: StreamOffset(0),
            #[cfg(test)]
            decoded: 0,
        }
    }

    /// Moves to an offset of the stream at or after the current one.
    pub(crate) fn seek(&mut self, at: StreamOffset) {
        self.at = at;
    }

    /// The next bytes of the stream: at least one, usually thousands.
    ///
    /// # Errors
    ///
    /// The bytes are unavailable.
    pub(crate) fn next(&mut self) -> Result<&[u8], Missing> {
        loop {
            let end = self.begin + self.chunk.as_ref().map_or(0, |c| c.len() as u64);
            if self.chunk.is_some() && (self.begin..end).contains(&self.at) {
                break;
            }
            self.next_chunk()?;
        }
        let from = self.at.since(self.begin) as usize;
        let Some(chunk) = &mut self.chunk else { return Err(Missing::End) };
        #[cfg(test)]
        let before = chunk.data().len();
        let data = chunk.decode(from + STEP);
        #[cfg(test)]
        {
            self.decoded += (data.len() - before) as u64;
        }
        let piece = data.get(from..).unwrap_or_default();
        if piece.is_empty() {
            // The chunk is truncated or damaged.
            return Err(Missing::End);
        }
        self.at += piece.len() as u64;
        Ok(piece)
    }

    /// Moves to the chunk that holds the next byte, or closer to it.
    fn next_chunk(&mut self) -> Result<(), Missing> {
        let limit = match self.access {
            RandomAccess::Kept(spool) => {
                let missing = if spool.is_full() { Missing::NotKept } else { Missing::End };
                let (begin, chunk) = spool.chunk(self.at.0).ok_or(missing)?;
                (self.begin, self.chunk) = (StreamOffset(begin), Some(chunk));
                return Ok(());
            }
            RandomAccess::Chunks { limit, .. } => *limit,
        };
        let (stretch, range) = self.access.chunk(self.at).ok_or(Missing::End)?;
        if self.stretch != Some(stretch) {
            if self.given.is_empty() {
                return Err(Missing::Bytes(range));
            }
            // Only the last range may be incomplete: the file ends there.
            let len = usize::try_from(range.len).unwrap_or(usize::MAX);
            let (bytes, given) = self.given.split_at_checked(len).unwrap_or((self.given, &[]));
            (self.rest, self.given) = (bytes, given);
            (self.stretch, self.begin, self.chunk) = (Some(stretch), stretch, None);
        }
        self.begin.0 += self.chunk.take().map_or(0, |c| c.len() as u64);
        let (len, rest) = self.rest.split_first_chunk::<4>().ok_or(Missing::End)?;
        let len = u32::from_le_bytes(*len) as usize;
        let (block, rest) = rest.split_at_checked(len).unwrap_or((rest, &[]));
        self.rest = rest;
        self.chunk = Some(Kept::Block(Block::new(block, limit).ok_or(Missing::End)?));
        Ok(())
    }
}
