//! Where the pieces of a stream are to be found again, for details.
//!
//! A locator is an offset in the decompressed stream. In a Snappy file a list of chunks leads from it to the file; any other
//! container has no random access, and the stream itself is kept.

use alloc::vec::Vec;

use crate::container::snappy_block::{Block, Reached};
use crate::container::{Container, Kept, Spool};
use crate::decoder::Range;
use crate::limits::Limits;

use super::wire::StreamOffset;

/// A place in the list stands for at least so many bytes of stream: a file may have chunks of a byte each.
const APART: u64 = 256 * 1024;
/// Bytes of file to read at the last place of the list: a chunk of 1 MiB that Snappy could not make smaller.
const LAST: u64 = (1 << 20) + (1 << 18);
/// Bytes decoded at a time: most calls are small.
const STEP: usize = 16 * 1024;

/// Where pieces are.
#[derive(Debug)]
pub(crate) enum RandomAccess {
    /// Beginnings of chunks: offset in the stream, offset in the file.
    Chunks { list: Vec<(StreamOffset, u64)>, limit: u64 },
    /// The stream itself.
    Kept(Spool),
}

/// Details cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Without these bytes of the file.
    Bytes(Range),
    /// Because the stream ends before.
    End,
    /// Because no more of the stream was kept.
    NotKept,
}

impl RandomAccess {
    pub(crate) fn new(container: Container, limits: &Limits) -> Self {
        match container {
            Container::Snappy => Self::Chunks { list: Vec::new(), limit: limits.chunk },
            _ => Self::Kept(Spool::new(limits.spool)),
        }
    }

    /// Takes note of a piece that begins at `stream_at` in the stream and was unpacked from `file_at` on.
    pub(crate) fn add(&mut self, stream_at: StreamOffset, file_at: u64, piece: &[u8]) {
        match self {
            Self::Chunks { list, .. } => {
                if list.last().is_none_or(|(last, _)| stream_at.0 - last.0 >= APART) {
                    list.push((stream_at, file_at));
                }
            }
            Self::Kept(spool) => spool.append(piece),
        }
    }

    /// The place at or before an offset in the stream: its offset in the stream, and what to read of the file.
    fn chunk(&self, at: StreamOffset) -> Option<(StreamOffset, Range)> {
        let Self::Chunks { list, .. } = self else { return None };
        let i = list.partition_point(|(stream, _)| *stream <= at).checked_sub(1)?;
        let (stream_at, file_at) = *list.get(i)?;
        let len = list.get(i + 1).map_or(LAST, |(_, next)| next - file_at);
        Some((stream_at, Range { at: file_at, len }))
    }

    /// Where in the file the piece begins that holds an offset in the stream, where that is known.
    pub(crate) fn file_offset(&self, at: StreamOffset) -> Option<u64> {
        self.chunk(at).map(|(_, range)| range.at)
    }

    /// What to read of the file for the piece at an offset in the stream.
    pub(crate) fn range(&self, at: StreamOffset) -> Option<Range> {
        match self {
            Self::Chunks { .. } => self.chunk(at).map(|(_, range)| range),
            // All is here.
            Self::Kept(_) => Some(Range { at: 0, len: 0 }),
        }
    }
}

/// Reads the stream again, from several places. `given` is what was read of the file for them, one behind the other.
pub(crate) struct Reader<'a> {
    access: &'a RandomAccess,
    given: &'a [u8],
    /// The place whose bytes are at hand, and what is left of them behind the chunk at hand.
    stretch: Option<StreamOffset>,
    rest: &'a [u8],
    /// The chunk at hand, and where it begins in the stream.
    chunk: Option<Kept<'a>>,
    begin: StreamOffset,
    /// The byte of the stream that comes next.
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

    /// Goes to an offset of the stream, at or behind the one at hand.
    pub(crate) fn seek(&mut self, at: StreamOffset) {
        self.at = at;
    }

    /// The next bytes of the stream, some thousands.
    pub(crate) fn next(&mut self) -> Result<&[u8], Missing> {
        loop {
            let end = StreamOffset(self.begin.0 + self.chunk.as_ref().map_or(0, |c| c.len() as u64));
            if self.chunk.is_some() && (self.begin..end).contains(&self.at) {
                break;
            }
            self.next_chunk()?;
        }
        let from = (self.at.0 - self.begin.0) as usize;
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
            // The chunk is cut, or damaged.
            return Err(Missing::End);
        }
        self.at.0 += piece.len() as u64;
        Ok(piece)
    }

    /// Goes on to the chunk that the next byte is in, or towards it.
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
            // Only the last place may have fewer bytes than its range: the file ends there.
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

impl Kept<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Block(block) => block.len(),
            Self::Plain(bytes) => bytes.len(),
        }
    }

    fn data(&self) -> &[u8] {
        match self {
            Self::Block(block) => block.data(),
            Self::Plain(bytes) => bytes,
        }
    }

    /// What there is up to about `wanted`, decoded.
    fn decode(&mut self, wanted: usize) -> &[u8] {
        if let Self::Block(block) = self
            && block.data().len() < wanted
        {
            let _: Reached = block.decode(wanted);
        }
        self.data()
    }
}
