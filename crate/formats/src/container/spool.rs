//! A copy of a decompressed stream for random access, which gzip, Brotli and plain zstd lack.

use alloc::vec::Vec;

use super::snappy_block::{Block, compress};

/// Bytes of the stream per chunk.
const CHUNK: usize = 1 << 20;

/// A stream, kept in memory as Snappy blocks of 1 MiB each.
#[derive(Debug)]
pub struct Spool {
    blocks: Vec<Vec<u8>>,
    /// The incomplete last chunk.
    tail: Vec<u8>,
    bytes: usize,
    limit: usize,
    full: bool,
}

impl Spool {
    /// An empty spool that keeps at most `limit` bytes of compressed blocks.
    pub fn new(limit: usize) -> Self {
        Self { blocks: Vec::new(), tail: Vec::new(), bytes: 0, limit, full: false }
    }

    /// Appends the next piece of the stream. Nothing is kept beyond the limit.
    pub fn append(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() && !self.full {
            let n = piece.len().min(CHUNK - self.tail.len());
            let (head, rest) = piece.split_at_checked(n).unwrap_or((piece, &[]));
            self.tail.extend_from_slice(head);
            piece = rest;
            if self.tail.len() == CHUNK {
                let block = compress(&self.tail);
                self.tail.clear();
                self.bytes += block.len();
                self.blocks.push(block);
                self.full = self.bytes >= self.limit;
            }
        }
    }

    /// Number of bytes of the stream that are kept.
    pub fn len(&self) -> u64 {
        (self.blocks.len() * CHUNK + self.tail.len()) as u64
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the limit was reached.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The chunk that contains byte `at` of the stream, and the offset of its first byte. `None` if it is not kept.
    pub(crate) fn chunk(&self, at: u64) -> Option<(u64, Kept<'_>)> {
        let i = usize::try_from(at / CHUNK as u64).ok()?;
        let begin = i as u64 * CHUNK as u64;
        match self.blocks.get(i) {
            Some(block) => Block::new(block, CHUNK as u64).map(|b| (begin, Kept::Block(b))),
            None if i == self.blocks.len() && at - begin < self.tail.len() as u64 => {
                Some((begin, Kept::Plain(&self.tail)))
            }
            None => None,
        }
    }
}

/// A chunk of the spool.
#[derive(Clone, Debug)]
pub(crate) enum Kept<'a> {
    Block(Block<'a>),
    Plain(&'a [u8]),
}
