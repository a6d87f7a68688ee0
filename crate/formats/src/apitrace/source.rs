//! The stream from any offset on, for passes: decompressed from the file, or taken from the spool.

use alloc::boxed::Box;

use unspool_containers::{Buffer, Container, Spool, Unpack};
use unspool_trace::limits::Limits;

use super::index::Index;
use super::random_access::RandomAccess;
use super::wire::StreamOffset;

/// What became of a demand for more of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filled {
    /// There is more, or bytes of the file were taken that may give more.
    Going,
    /// More bytes of the file are needed.
    Starved,
    /// The stream ends.
    Ended,
    /// The stream was not kept that far.
    NotKept,
}

/// Delivers the stream.
pub(super) struct Source<'a> {
    from: From<'a>,
    buffer: Buffer,
    /// Offset in the stream of the first byte in the buffer.
    begin: StreamOffset,
}

enum From<'a> {
    /// `at` is the offset in the file of the next byte to decompress.
    File {
        unpacker: Box<dyn Unpack>,
        at: u64,
        finished: bool,
    },
    Spool(&'a Spool),
}

impl<'a> Source<'a> {
    /// From the spool or the nearest chunk before offset `at` of the stream. From the beginning of
    /// the file if `decompresses`, which only a container without chunks needs.
    pub(super) fn new(index: &'a Index<'static>, at: StreamOffset, decompresses: bool) -> Self {
        let from = match &*index.access {
            RandomAccess::Kept(spool) if !decompresses => From::Spool(spool),
            _ => {
                let limits = Limits { chunk: index.chunk, ..Limits::DEFAULT };
                From::File { unpacker: index.container.unpacker(&limits), at: 0, finished: false }
            }
        };
        let mut source = Self { from, buffer: Buffer::default(), begin: StreamOffset(0) };
        source.seek(index, at);
        source
    }

    /// Moves to an offset of the stream at or after the current one.
    pub(super) fn seek(&mut self, index: &Index<'static>, to: StreamOffset) {
        if let From::File { .. } = self.from
            && let Some((begin, range)) = index.access.chunk(to)
            // Chunks that have been decompressed, or are about to be, are not decompressed again.
            && begin > self.head()
        {
            let unpacker = Container::snappy_from(range.at, index.chunk);
            self.from = From::File { unpacker, at: range.at, finished: false };
            self.buffer = Buffer::default();
            self.begin = begin;
        }
        self.skip_to(to);
    }

    /// Offset in the stream of the end of what is in the buffer.
    fn head(&self) -> StreamOffset {
        self.begin + self.buffer.data().len() as u64
    }

    /// Drops what comes before offset `to` of the stream, as far as it is there.
    pub(super) fn skip_to(&mut self, to: StreamOffset) {
        let n = to.since(self.begin).min(self.buffer.data().len() as u64);
        self.consume(n as usize);
    }

    /// Drops the first `n` bytes of [`Source::data`].
    pub(super) fn consume(&mut self, n: usize) {
        self.buffer.consume(n);
        self.begin += n as u64;
    }

    /// What there is of the stream from offset `at` on, where the last [`Source::skip_to`] led.
    pub(super) fn data(&self, at: StreamOffset) -> &[u8] {
        if self.begin == at { self.buffer.data() } else { &[] }
    }

    /// Notes that the file ends after the bytes that [`Source::fill`] gets next.
    pub(super) fn last(&mut self) {
        if let From::File { unpacker, .. } = &mut self.from {
            unpacker.last();
        }
    }

    /// Offset in the file of the next byte that is needed, if the file is.
    pub(super) fn file_at(&self) -> Option<u64> {
        if let From::File { at, .. } = self.from { Some(at) } else { None }
    }

    /// Adds to the data, from the front of `bytes` if the file is needed. The file has nothing for
    /// this range of the stream from offset `bound` on. `wanted` is the offset of the stream that
    /// is wanted.
    pub(super) fn fill(&mut self, bytes: &mut &[u8], bound: u64, wanted: StreamOffset) -> Filled {
        match &mut self.from {
            From::File { finished: true, .. } => Filled::Ended,
            From::File { unpacker, at, finished } => {
                let before = self.buffer.data().len();
                let result = unpacker.unpack(bytes, &mut self.buffer);
                let taken = *result.as_ref().unwrap_or(&0);
                *bytes = bytes.get(taken..).unwrap_or_default();
                *at += taken as u64;
                if result.is_err() {
                    // Damage ended the timeline here, too.
                    *finished = true;
                } else if taken == 0 && self.buffer.data().len() == before {
                    if !bytes.is_empty() || *at < bound {
                        return Filled::Starved;
                    }
                    *finished = true;
                    // A problem was reported when the file was decoded.
                    let _ = unpacker.finish(&mut self.buffer);
                }
                Filled::Going
            }
            From::Spool(spool) => {
                // All before is in the buffer or has been dropped.
                let from = self.begin + self.buffer.data().len() as u64;
                let from = if self.buffer.data().is_empty() { wanted.max(from) } else { from };
                let Some((begin, mut chunk)) = spool.chunk(from.0) else {
                    return if spool.is_full() { Filled::NotKept } else { Filled::Ended };
                };
                let piece = chunk.decode(usize::MAX).get((from.0 - begin) as usize..).unwrap_or_default();
                if piece.is_empty() {
                    return Filled::Ended;
                }
                if self.buffer.data().is_empty() {
                    self.begin = from;
                }
                self.buffer.append(piece);
                Filled::Going
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use unspool_trace::Decoder;
    use unspool_trace::batch::EventBatch;
    use unspool_trace::sniff::OpenOptions;

    use super::super::beginning::Beginning;
    use super::super::encode::{Value, Writer, snappy};
    use super::super::events::ApitraceDecoder;
    use super::super::index::ApitraceRecords;
    use super::super::traces::GOOD;
    use super::*;

    #[test]
    fn seeking_begins_at_the_nearest_chunk_and_decompresses_none_twice() {
        const CHUNK: usize = 300 << 10;
        let mut w = Writer::new(&[]);
        for i in 0..150_000 {
            w.call(0, &GOOD, vec![Value::Uint(i)], None);
        }
        let (stream, file) = (w.stream(), snappy(w.stream(), CHUNK));
        let mut decoder = ApitraceDecoder::new(Beginning::of(&file[..65536]), OpenOptions::default());
        let mut batch = EventBatch::with_capacity(1 << 20);
        assert_eq!(decoder.push(&file, &mut batch).unwrap().used, file.len());
        let records = ApitraceRecords::open(&decoder.index()).unwrap();
        let index = &records.index;
        let chunk_at = |n: usize| index.access.chunk(StreamOffset((n * CHUNK) as u64)).map(|(_, range)| range.at);

        let mut source = Source::new(index, StreamOffset(700_000), true);
        assert_eq!(source.file_at(), chunk_at(2));
        let from = source.file_at().unwrap() as usize;
        let mut bytes = &file[from..from + 5];
        assert_eq!(source.fill(&mut bytes, u64::MAX, StreamOffset(700_000)), Filled::Going);
        // A chunk that is partly there is continued.
        source.seek(index, StreamOffset(700_001));
        assert_eq!(source.file_at(), Some(from as u64 + 4));
        let mut bytes = &file[from + 4..];
        while source.data(StreamOffset(700_001)).is_empty() {
            assert_eq!(source.fill(&mut bytes, u64::MAX, StreamOffset(700_001)), Filled::Going);
            source.skip_to(StreamOffset(700_001));
        }
        assert_eq!(source.data(StreamOffset(700_001)), &stream[700_001..3 * CHUNK]);
        assert_eq!(source.file_at(), chunk_at(3));
        source.seek(index, StreamOffset(800_000));
        assert_eq!(source.data(StreamOffset(800_000)), &stream[800_000..3 * CHUNK]);
        // The next chunk follows anyway; one after that is begun again.
        source.seek(index, StreamOffset((3 * CHUNK) as u64 + 9));
        assert_eq!(source.file_at(), chunk_at(3));
        source.seek(index, StreamOffset((4 * CHUNK) as u64 + 9));
        assert_eq!(source.file_at(), chunk_at(4));
    }
}
