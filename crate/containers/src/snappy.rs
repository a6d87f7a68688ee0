//! apitrace's container of Snappy blocks: "at", then repeatedly `u32 length, block`.
//!
//! There is no index, total length or checksum. As in apitrace (`lib/trace/trace_file_snappy.cpp`),
//! a file ends at fewer than four bytes, at a length of zero, or at a truncated block, which is
//! decoded as far as possible.

use alloc::vec::Vec;

use unspool_trace::limits::Limits;
use unspool_trace::problem::{MALFORMED, Problem, TRUNCATED};

use super::snappy_block::{Block, Reached};
use super::{Buffer, Unpack};

const MAGIC: u64 = 2;

/// Unpacks the chunks.
#[derive(Debug)]
pub(crate) struct SnappyChunks {
    /// Offset in the file of the current chunk, or of the next byte of the magic number.
    at: u64,
    /// An incomplete chunk.
    held: Vec<u8>,
    limit: u64,
    piece_at: u64,
    /// After a length of zero: the number of bytes that followed.
    over: Option<u64>,
    #[cfg(feature = "std")]
    snap: Snap,
}

#[cfg(feature = "std")]
#[derive(Default)]
struct Snap(snap::raw::Decoder);

#[cfg(feature = "std")]
impl core::fmt::Debug for Snap {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Snap")
    }
}

impl SnappyChunks {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self::from(0, limits.chunk)
    }

    /// Begins at offset `at` of the file, where a chunk of at most `limit` bytes begins.
    pub(crate) fn from(at: u64, limit: u64) -> Self {
        Self {
            at,
            held: Vec::new(),
            limit,
            piece_at: 0,
            over: None,
            #[cfg(feature = "std")]
            snap: Snap::default(),
        }
    }

    /// Everything from the current chunk on is lost. Only the caller knows how much that is.
    fn broken(&self) -> Problem {
        Problem { at: self.at, kind: &MALFORMED, value: 0 }
    }

    /// Length of the chunk at the beginning of `bytes`, including its 4-byte length. `None` if that
    /// is incomplete.
    fn chunk_len(&self, bytes: &[u8]) -> Result<Option<u64>, Problem> {
        let Some(len) = bytes.first_chunk::<4>() else { return Ok(None) };
        let len = u64::from(u32::from_le_bytes(*len));
        if len > self.limit {
            return Err(self.broken());
        }
        Ok(Some(len + 4))
    }

    /// Decompresses a complete block.
    fn whole(&mut self, block: &[u8], out: &mut Buffer) -> Result<(), Problem> {
        self.piece_at = self.at;
        #[cfg(feature = "std")]
        if let Some((len, _)) = super::snappy_block::length(block)
            && len <= self.limit
            // A block cannot expand much more than this. Allocate nothing for one that claims to.
            && len <= block.len() as u64 * 32
            && let Ok(n) = self.snap.0.decompress(block, out.room(len as usize))
        {
            out.added(n);
            return Ok(());
        }
        match self.salvage(block, out) {
            Some(Reached::End) => Ok(()),
            _ => Err(self.broken()),
        }
    }

    fn salvage(&mut self, block: &[u8], out: &mut Buffer) -> Option<Reached> {
        self.piece_at = self.at;
        let mut block = Block::new(block, self.limit)?;
        let reached = block.decode(usize::MAX);
        out.append(block.data());
        Some(reached)
    }
}

impl Unpack for SnappyChunks {
    fn unpack(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Problem> {
        if let Some(n) = &mut self.over {
            *n += input.len() as u64;
            return Ok(input.len());
        }
        if self.at < MAGIC {
            let n = (MAGIC - self.at).min(input.len() as u64);
            self.at += n;
            return Ok(n as usize);
        }
        if self.held.is_empty()
            && let Some(len) = self.chunk_len(input)?
            && let Some(chunk) = input.get(4..len as usize)
        {
            // The common case with large portions: no copy.
            if chunk.is_empty() {
                self.over = Some(0);
                return Ok(4);
            }
            self.whole(chunk, out)?;
            self.at += len;
            return Ok(len as usize);
        }
        let wanted = self.chunk_len(&self.held)?.unwrap_or(4);
        let missing = wanted - self.held.len() as u64;
        let part = input.get(..usize::try_from(missing).unwrap_or(usize::MAX)).unwrap_or(input);
        self.held.extend_from_slice(part);
        match self.chunk_len(&self.held)? {
            Some(4) => {
                self.held.clear();
                self.over = Some(0);
            }
            Some(len) if len == self.held.len() as u64 => {
                let held = core::mem::take(&mut self.held);
                self.whole(held.get(4..).unwrap_or_default(), out)?;
                self.at += len;
                self.held = held;
                self.held.clear();
            }
            _ => {}
        }
        Ok(part.len())
    }

    fn finish(&mut self, out: &mut Buffer) -> Result<(), Problem> {
        if let Some(n) = self.over {
            return if n == 0 { Ok(()) } else { Err(Problem { at: self.at + 4, kind: &MALFORMED, value: n }) };
        }
        let Some(len) = self.chunk_len(&self.held)? else {
            return match self.held.len() as u64 {
                0 => Ok(()),
                n => Err(Problem { at: self.at + n, kind: &TRUNCATED, value: 4 - n }),
            };
        };
        let held = core::mem::take(&mut self.held);
        let have = held.len() as u64;
        match self.salvage(held.get(4..).unwrap_or_default(), out) {
            Some(Reached::Corrupt) => Err(Problem { at: self.at, kind: &MALFORMED, value: have }),
            _ => Err(Problem { at: self.at + have, kind: &TRUNCATED, value: len - have }),
        }
    }

    fn piece_at(&self) -> u64 {
        self.piece_at
    }
}
