//! A file on its way through container and walk to a sink.

use alloc::boxed::Box;

use crate::container::{Buffer, Container, Unpack};
use crate::limits::Limits;
use crate::problem::{MALFORMED, Problem};

use super::decode::{Broken, Cut, Sink, Walk};
use super::random_access::RandomAccess;
use super::tables::Tables;
use super::wire::StreamOffset;

/// How much is unpacked in one call before the caller is asked whether to go on: a bomb makes gigabytes of a portion.
const BUDGET: u64 = 16 << 20;

/// What became of a portion.
pub(crate) struct Fed {
    /// How many bytes are used up.
    pub(crate) used: usize,
    /// There is more to come of what was used up.
    pub(crate) more: bool,
}

/// Unpacks and walks.
pub(crate) struct Stream {
    unpacker: Box<dyn Unpack>,
    buffer: Buffer,
    pub(crate) walk: Walk,
    pub(crate) tables: Tables,
    /// Where pieces of the stream are to be found again, if anyone will ask.
    pub(crate) access: Option<RandomAccess>,
    /// How many bytes at the front of the next portion have been taken already: a byte is held back as long as there is
    /// more to come, so that nobody takes the file for decoded.
    seen: usize,
    /// Bytes of the file that were taken.
    taken: u64,
    /// Bytes of stream that were unpacked.
    unpacked: u64,
    /// The file ends here, or breaks.
    over: bool,
    broken: Option<Broken>,
    /// What the container had to say in the end: told when all before has been walked over.
    problem: Option<Problem>,
}

impl Stream {
    pub(crate) fn new(container: Container, limits: &Limits, access: Option<RandomAccess>) -> Self {
        Self {
            unpacker: container.unpacker(limits),
            buffer: Buffer::default(),
            walk: Walk::new(),
            tables: Tables::default(),
            access,
            seen: 0,
            taken: 0,
            unpacked: 0,
            over: false,
            broken: None,
            problem: None,
        }
    }

    /// Takes a portion.
    pub(crate) fn feed(&mut self, input: &[u8], sink: &mut impl Sink) -> Fed {
        let mut fresh = input.get(self.seen..).unwrap_or_default();
        let begin = self.unpacked;
        let more = loop {
            self.walk(sink);
            if self.over {
                fresh = &[];
                break false;
            }
            // With the sink full there may be more in the buffer, and in the decompressor.
            if sink.is_full() || self.unpacked - begin >= BUDGET {
                break true;
            }
            let before = self.buffer.data().len();
            let result = self.unpacker.unpack(fresh, &mut self.buffer);
            let taken = *result.as_ref().unwrap_or(&0);
            fresh = fresh.get(taken..).unwrap_or_default();
            self.taken += taken as u64;
            let added = self.added(before);
            if let Err(problem) = result {
                self.problem = Some(problem);
                self.walk_to_the_end(sink);
            } else if taken == 0 && added == 0 {
                break false;
            }
        };
        let gone = input.len() - fresh.len();
        self.seen = usize::from(more && gone > 0);
        Fed { used: gone - self.seen, more }
    }

    /// Says that the file ends behind `rest`. Everything that is left is told, however full the sink is.
    pub(crate) fn end(&mut self, rest: &[u8], sink: &mut impl Sink) {
        let mut rest = rest;
        while !self.over {
            let fed = self.feed(rest, sink);
            rest = rest.get(fed.used..).unwrap_or_default();
            if !fed.more && !self.over {
                let before = self.buffer.data().len();
                if let Err(problem) = self.unpacker.finish(&mut self.buffer) {
                    self.problem = Some(problem);
                }
                self.added(before);
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

    /// Takes note of what was appended to the buffer; answers how much.
    fn added(&mut self, before: usize) -> usize {
        let added = self.buffer.data().get(before..).unwrap_or_default();
        if !added.is_empty()
            && let Some(access) = &mut self.access
        {
            access.add(StreamOffset(self.unpacked), self.unpacker.piece_at(), added);
        }
        self.unpacked += added.len() as u64;
        added.len()
    }

    /// All is read, or nothing more can be.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// The bytes are not what the format allows: where, in the stream.
    pub(crate) fn broken(&self) -> Option<Broken> {
        self.broken
    }

    /// What the container had to say in the end. It does not know how long the file is: where all the rest of the file is
    /// malformed, `size` tells how much that is.
    pub(crate) fn take_problem(&mut self, size: Option<u64>) -> Option<Problem> {
        let mut problem = self.problem.take()?;
        if problem.kind == &MALFORMED && problem.value == 0 {
            problem.value = size.unwrap_or(0).saturating_sub(problem.at);
        }
        Some(problem)
    }

    /// What the stream broke off in.
    pub(crate) fn cut(&self) -> Cut {
        if self.broken.is_some() { Cut::Nothing } else { self.walk.cut(self.buffer.data()) }
    }

    /// Offset in the file of the piece that was unpacked last, which is where the walk is, or just before.
    pub(crate) fn file_at(&self) -> u64 {
        self.unpacker.piece_at()
    }

    /// Roughly where in the file a byte of the stream is.
    pub(crate) fn file_offset(&self, at: StreamOffset) -> u64 {
        self.access.as_ref().and_then(|p| p.file_offset(at)).unwrap_or_else(|| self.file_at())
    }

    /// Bytes of the stream so far.
    pub(crate) fn len(&self) -> u64 {
        self.unpacked
    }

    /// What is wrong with the place where the walk broke off; `size` is that of the file, where it is known.
    pub(crate) fn malformed(&self, size: Option<u64>) -> Option<Problem> {
        self.broken?;
        let at = self.file_at();
        let value = size.unwrap_or(self.taken).saturating_sub(at);
        Some(Problem { at, kind: &MALFORMED, value })
    }
}
