//! Drives a file through its container and the walk to a sink.

use alloc::boxed::Box;
use alloc::vec::Vec;

use unspool_containers::{Buffer, Container, Unpack};
use unspool_trace::limits::{Expansion, Limits};
use unspool_trace::problem::{MALFORMED, Problem, UNPACKS_TO_MORE};

use super::decode::{Broken, Cut, Sink, Walk};
use super::problems::TOO_MANY_DEFINITIONS;
use super::random_access::RandomAccess;
use super::tables::Tables;
use super::wire::{MAX_ENTRIES, StreamOffset};

/// Bytes to decompress before control returns to the caller: a decompression bomb expands a portion
/// to gigabytes.
const BUDGET: u64 = 16 << 20;

/// Minimum distance of listed pieces in the stream, in bytes.
const APART: u64 = 256 * 1024;

/// What became of a portion.
pub(crate) struct Fed {
    /// Number of bytes used.
    pub(crate) used: usize,
    /// The bytes used have more output.
    pub(crate) more: bool,
}

/// Decompresses a file and walks over the stream.
pub(crate) struct Stream {
    unpacker: Box<dyn Unpack>,
    expansion: Expansion,
    buffer: Buffer,
    pub(crate) walk: Walk,
    pub(crate) tables: Tables,
    /// Where pieces begin in the stream and in the file.
    pieces: Vec<(StreamOffset, u64)>,
    /// Random access for details; `None` if none are needed.
    pub(crate) access: Option<RandomAccess>,
    /// Number of bytes at the front of the next portion that have already been taken. One byte is
    /// held back while there is more output, so that the caller does not consider the file decoded.
    seen: usize,
    /// Bytes of the file taken so far.
    taken: u64,
    /// Bytes of the stream decompressed so far.
    unpacked: StreamOffset,
    /// The stream has ended, or cannot continue.
    over: bool,
    broken: Option<Broken>,
    /// The problem at which the container stopped; reported after everything before it has been
    /// decoded.
    problem: Option<Problem>,
    /// The container stopped at a damaged part or a limit, and how long the rest is, is unknown.
    damaged: bool,
}

impl Stream {
    pub(crate) fn new(container: Container, limits: &Limits, access: Option<RandomAccess>) -> Self {
        Self {
            unpacker: container.unpacker(limits),
            expansion: limits.expansion,
            buffer: Buffer::default(),
            walk: Walk::new(),
            tables: Tables::default(),
            pieces: Vec::new(),
            access,
            seen: 0,
            taken: 0,
            unpacked: StreamOffset(0),
            over: false,
            broken: None,
            problem: None,
            damaged: false,
        }
    }

    /// Takes a portion of the file.
    pub(crate) fn feed(&mut self, input: &[u8], sink: &mut impl Sink) -> Fed {
        let mut fresh = input.get(self.seen..).unwrap_or_default();
        let begin = self.unpacked;
        let more = loop {
            self.walk(sink);
            if self.over {
                fresh = &[];
                break false;
            }
            // A full sink may leave bytes in the buffer and in the decompressor.
            if sink.is_full() || self.unpacked.since(begin) >= BUDGET {
                break true;
            }
            if self.problem.is_some() {
                self.over = true;
                fresh = &[];
                break false;
            }
            let before = self.buffer.data().len();
            let result = self.unpacker.unpack(fresh, &mut self.buffer);
            let taken = *result.as_ref().unwrap_or(&0);
            fresh = fresh.get(taken..).unwrap_or_default();
            self.taken += taken as u64;
            let added = self.added(before);
            if let Err(problem) = result {
                // Everything before the damage is walked over first, however often the sink is
                // full.
                self.problem.get_or_insert(problem);
                self.damaged = true;
            } else if taken == 0 && added == 0 && self.problem.is_none() {
                break false;
            }
        };
        let gone = input.len() - fresh.len();
        self.seen = usize::from(more && gone > 0);
        Fed { used: gone - self.seen, more }
    }

    /// The file ends after `rest`, which the last [`Stream::feed`] did not use. Delivers everything
    /// that is left, even to a full sink.
    pub(crate) fn end(&mut self, rest: &[u8], sink: &mut impl Sink) {
        let mut rest = rest;
        self.unpacker.last();
        while !self.over {
            let fed = self.feed(rest, sink);
            rest = rest.get(fed.used..).unwrap_or_default();
            if !fed.more && !self.over {
                let before = self.buffer.data().len();
                let result = self.unpacker.finish(&mut self.buffer);
                self.added(before);
                if let Err(problem) = result {
                    self.problem.get_or_insert(problem);
                }
                self.walk_to_the_end(sink);
            }
        }
    }

    fn walk_to_the_end(&mut self, sink: &mut impl Sink) {
        self.walk(sink);
        self.over = true;
    }

    fn walk(&mut self, sink: &mut impl Sink) {
        if self.broken.is_some() {
            return;
        }
        match self.walk.run(self.buffer.data(), &mut self.tables, sink) {
            Ok(used) => self.buffer.consume(used),
            Err(broken) => {
                self.broken = Some(broken);
                self.over = true;
            }
        }
    }

    /// Records what was appended to the buffer after its first `before` bytes, and drops what
    /// exceeds the limit. Returns the number of bytes.
    fn added(&mut self, before: usize) -> usize {
        let all = self.buffer.data().len().saturating_sub(before) as u64;
        let within = self.expansion.admits(self.taken, self.unpacked.0, all);
        if within < all {
            self.buffer.shorten((all - within) as usize);
            let value = self.unpacked.0 + within;
            self.problem = Some(Problem { at: self.taken, kind: &UNPACKS_TO_MORE, value });
            self.damaged = true;
        }
        let added = self.buffer.data().get(before..).unwrap_or_default();
        let piece_at = self.unpacker.piece_at();
        if !added.is_empty() && self.pieces.last().is_none_or(|(last, _)| self.unpacked.since(*last) >= APART) {
            self.pieces.push((self.unpacked, piece_at));
        }
        if !added.is_empty()
            && let Some(access) = &mut self.access
        {
            access.add(self.unpacked, piece_at, added);
        }
        self.unpacked += added.len() as u64;
        added.len()
    }

    /// Whether the stream has ended or cannot continue.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// Where in the stream the walk met invalid bytes.
    pub(crate) fn broken(&self) -> Option<Broken> {
        self.broken
    }

    /// Takes the problem at which the container stopped, unless the walk stopped before. `size` is
    /// that of the file, if known; the container does not know how many bytes are lost if the rest
    /// of the file is malformed.
    pub(crate) fn take_problem(&mut self, size: Option<u64>) -> Option<Problem> {
        let mut problem = self.problem.take().filter(|_| self.broken.is_none())?;
        if problem.kind == &MALFORMED && problem.value == 0 {
            problem.value = size.unwrap_or(0).saturating_sub(problem.at);
        }
        Some(problem)
    }

    /// Where the stream ends.
    pub(crate) fn cut(&self) -> Cut {
        if self.broken.is_some() { Cut::Nothing } else { self.walk.cut(self.buffer.data()) }
    }

    /// Offset in the file of the piece decompressed last: that of the walk or shortly before.
    pub(crate) fn file_at(&self) -> u64 {
        self.unpacker.piece_at()
    }

    /// Approximate offset in the file of a byte of the stream: that of the last listed piece.
    pub(crate) fn file_offset(&self, at: StreamOffset) -> u64 {
        let piece = self.pieces.partition_point(|(begin, _)| *begin <= at).checked_sub(1);
        piece.and_then(|piece| self.pieces.get(piece)).map_or(0, |(_, file_at)| *file_at)
    }

    /// Absolute offset in the file of the end of what gave the stream, or [`u64::MAX`] if that is
    /// unknown.
    pub(crate) fn end_in_file(&self) -> u64 {
        if self.damaged { u64::MAX } else { self.taken }
    }

    /// Offset in the stream of the first byte that the walk did not take: where it is, or where it
    /// met invalid bytes.
    pub(crate) fn end_of_walk(&self) -> StreamOffset {
        self.broken.map_or(self.walk.at(), |broken| broken.at)
    }

    /// Bytes of the stream decompressed so far.
    pub(crate) fn len(&self) -> u64 {
        self.unpacked.0
    }

    /// The problem at which the walk stopped, if any. `size` is that of the file, if known.
    pub(crate) fn malformed(&self, size: Option<u64>) -> Option<Problem> {
        let broken = self.broken?;
        let at = self.file_at();
        if broken.too_many {
            return Some(Problem { at, kind: &TOO_MANY_DEFINITIONS, value: MAX_ENTRIES });
        }
        let value = size.unwrap_or(self.taken).saturating_sub(at);
        Some(Problem { at, kind: &MALFORMED, value })
    }
}
