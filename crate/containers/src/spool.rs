//! A copy of a decompressed stream for random access, which gzip, Brotli and plain zstd lack.

use alloc::vec::Vec;
use core::fmt;

use crate::snappy_block::{Block, Reached, compress};
use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

/// Bytes of the stream per chunk.
const CHUNK: usize = 1 << 20;

/// A stream, kept in memory as Snappy blocks of 1 MiB each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spool {
    blocks: Vec<Bytes>,
    /// The incomplete last chunk.
    tail: Bytes,
    bytes: usize,
    limit: usize,
    full: bool,
}

impl Spool {
    /// An empty spool that keeps at most `limit` bytes of compressed blocks.
    pub fn new(limit: usize) -> Self {
        Self { blocks: Vec::new(), tail: Bytes::default(), bytes: 0, limit, full: false }
    }

    /// Appends the next piece of the stream. Nothing is kept beyond the limit.
    pub fn append(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() && !self.full {
            let n = piece.len().min(CHUNK - self.tail.0.len());
            let (head, rest) = piece.split_at_checked(n).unwrap_or((piece, &[]));
            self.tail.0.extend_from_slice(head);
            piece = rest;
            if self.tail.0.len() == CHUNK {
                let block = compress(&self.tail.0);
                self.tail.0.clear();
                self.bytes += block.len();
                self.blocks.push(Bytes(block));
                self.full = self.bytes >= self.limit;
            }
        }
    }

    /// Number of bytes of the stream that are kept.
    pub fn len(&self) -> u64 {
        (self.blocks.len() * CHUNK + self.tail.0.len()) as u64
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the limit was reached.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The chunk that contains byte `at` of the stream, and the offset of its first byte. `None` if
    /// it is not kept.
    pub fn chunk(&self, at: u64) -> Option<(u64, Kept<'_>)> {
        let i = usize::try_from(at / CHUNK as u64).ok()?;
        let begin = i as u64 * CHUNK as u64;
        match self.blocks.get(i) {
            Some(block) => Block::new(&block.0, CHUNK as u64).map(|b| (begin, Kept::Block(b))),
            None if i == self.blocks.len() && at - begin < self.tail.0.len() as u64 => {
                Some((begin, Kept::Plain(&self.tail.0)))
            }
            None => None,
        }
    }
}

/// Bytes that are serialised at once: as a sequence, each byte would be a call.
#[derive(Clone, Debug, Default)]
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Copy;
        impl Visitor<'_> for Copy {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.into()))
            }
        }
        deserializer.deserialize_bytes(Copy)
    }
}

/// A chunk of the spool.
#[derive(Clone, Debug)]
pub enum Kept<'a> {
    /// Compressed by Snappy.
    Block(Block<'a>),
    /// As it is.
    Plain(&'a [u8]),
}

impl Kept<'_> {
    /// Bytes of the chunk, once it is decoded.
    #[expect(clippy::len_without_is_empty, reason = "a chunk of a spool is never empty")]
    pub fn len(&self) -> usize {
        match self {
            Self::Block(block) => block.len(),
            Self::Plain(bytes) => bytes.len(),
        }
    }

    /// What is decoded of it.
    pub fn data(&self) -> &[u8] {
        match self {
            Self::Block(block) => block.data(),
            Self::Plain(bytes) => bytes,
        }
    }

    /// Decodes up to about `wanted` bytes. Returns everything decoded so far.
    pub fn decode(&mut self, wanted: usize) -> &[u8] {
        if let Self::Block(block) = self
            && block.data().len() < wanted
        {
            let _: Reached = block.decode(wanted);
        }
        self.data()
    }
}
