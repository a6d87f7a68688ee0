//! Skips whole events without reading their values.
//!
//! The same grammar as in `decode.rs`, for the most frequent case only: the event is complete in the input, defines
//! nothing, and the sink does not need its values. Otherwise the state machine takes the event from its beginning. A
//! test checks that both use the same bytes and deliver the same events.

use super::records::{Enter, Event};
use super::tables::Tables;
use super::wire::{self, MAX_ARGS, tag};

/// Maximum depth of nested values. The state machine, which does not recurse, takes deeper ones.
const DEPTH: u32 = 16;

/// Skips events in `bytes`.
pub(crate) struct Skimmer<'a> {
    bytes: &'a [u8],
    /// Position after the last whole event.
    done: usize,
    pos: usize,
    version: u32,
    blobs: u64,
}

impl<'a> Skimmer<'a> {
    pub(crate) fn new(bytes: &'a [u8], version: u32) -> Self {
        Self { bytes, done: 0, pos: 0, version, blobs: 0 }
    }

    /// Number of bytes of the skipped events.
    pub(crate) fn position(&self) -> usize {
        self.done
    }

    /// Skips the next event. Returns it with the number of bytes in its blobs, or `None` if the state machine must take
    /// it. `at` is its offset in the stream, and `call` the number of the call if it begins one.
    #[inline]
    pub(crate) fn event(&mut self, tables: &Tables, at: u64, call: u64) -> Option<(Event, u64)> {
        self.pos = self.done;
        self.blobs = 0;
        let event = match self.byte()? {
            wire::ENTER => {
                let thread = if self.version >= wire::THREADS { self.uint()? } else { 0 };
                let function = tables.functions.index(self.uint()?)?;
                if tables.functions.get(function)?.flags.marker.is_some() {
                    return None;
                }
                Event::Enter(Enter { at, call, thread, function })
            }
            wire::LEAVE => Event::Leave { at, call: self.uint()? },
            _ => return None,
        };
        loop {
            match self.byte()? {
                wire::DETAIL_END => break,
                wire::DETAIL_ARG => {
                    if self.uint()? >= MAX_ARGS {
                        return None;
                    }
                    self.value(tables, DEPTH)?;
                }
                wire::DETAIL_RET => self.value(tables, DEPTH)?,
                wire::DETAIL_FLAGS => {
                    self.uint()?;
                }
                _ => return None,
            }
        }
        if self.pos > self.bytes.len() {
            return None;
        }
        self.done = self.pos;
        Some((event, self.blobs))
    }

    #[inline(always)]
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.pos)?;
        self.pos += 1;
        Some(byte)
    }

    #[inline(always)]
    fn uint(&mut self) -> Option<u64> {
        let first = self.byte()?;
        if first < 0x80 {
            return Some(first.into());
        }
        self.long_uint(first)
    }

    #[inline]
    fn long_uint(&mut self, first: u8) -> Option<u64> {
        let mut value = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    #[inline(always)]
    fn skip(&mut self, n: u64) -> Option<()> {
        // The next read detects a position beyond the end: no event ends with skipped bytes.
        self.pos = self.pos.checked_add(usize::try_from(n).ok()?)?;
        Some(())
    }

    #[inline]
    fn value(&mut self, tables: &Tables, depth: u32) -> Option<()> {
        match self.byte()? {
            tag::NULL | tag::FALSE | tag::TRUE => Some(()),
            tag::NEGATIVE | tag::UINT | tag::POINTER => self.uint().map(drop),
            tag::FLOAT => self.skip(4),
            tag::DOUBLE => self.skip(8),
            tag::STRING => {
                let n = self.uint()?;
                self.skip(n)
            }
            tag::BLOB => {
                let n = self.uint()?;
                self.blobs = self.blobs.saturating_add(n);
                self.skip(n)
            }
            tag::ENUM => {
                tables.enums.index(self.uint()?)?;
                if self.version >= wire::ENUM_TABLES {
                    if !matches!(self.byte()?, tag::NEGATIVE | tag::UINT) {
                        return None;
                    }
                    self.uint()?;
                }
                Some(())
            }
            tag::BITMASK => {
                tables.bitmasks.index(self.uint()?)?;
                self.uint().map(drop)
            }
            tag => self.nested(tag, tables, depth.checked_sub(1)?),
        }
    }

    fn nested(&mut self, tag: u8, tables: &Tables, depth: u32) -> Option<()> {
        let count = match tag {
            tag::ARRAY => self.uint()?,
            tag::STRUCT => tables.structs.get(tables.structs.index(self.uint()?)?)?.members.len() as u64,
            tag::REPR => 2,
            tag::WIDE => {
                for _ in 0..self.uint()? {
                    self.uint()?;
                }
                return Some(());
            }
            _ => return None,
        };
        for _ in 0..count {
            self.value(tables, depth)?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;
    use alloc::vec::Vec;
    use std::fs;

    use proptest::prelude::*;

    use super::super::decode::{Broken, Cut, Sink, Walk};
    use super::super::records::{Bytes, Nest, Scalar};
    use super::super::traces::{corpus, stream};
    use super::*;
    use crate::container::{Container, peek};

    /// A sink that logs everything as words, and separately the events that a skimming sink gets.
    #[derive(Default)]
    struct Log {
        words: Vec<String>,
        events: Vec<String>,
        blobs: u64,
        event: String,
    }

    impl Sink for Log {
        fn enter(&mut self, _: &Tables, enter: Enter) {
            self.event = format!("{enter:?}");
            self.blobs = 0;
        }
        fn leave(&mut self, _: &Tables, at: u64, call: u64) {
            self.event = format!("leave {call} at {at}");
            self.blobs = 0;
        }
        fn event_end(&mut self, _: &Tables, end: u64) {
            self.events.push(format!("{} to {end} with {}", self.event, self.blobs));
        }
        fn scalar(&mut self, _: &Tables, value: Scalar) {
            // As text, because a NaN does not equal itself.
            self.words.push(format!("{value:?}"));
        }
        fn begin_bytes(&mut self, _: &Tables, kind: Bytes, len: u64) {
            self.words.push(format!("{kind:?} {len}"));
            if kind == Bytes::Blob {
                self.blobs += len;
            }
        }
        fn open(&mut self, _: &Tables, nest: Nest) {
            self.words.push(format!("{nest:?}"));
        }
        fn close(&mut self, _: &Tables) {
            self.words.push("close".into());
        }
    }

    #[derive(Default)]
    struct Skim(Log);

    impl Sink for Skim {
        const SKIM: bool = true;
        fn enter(&mut self, tables: &Tables, enter: Enter) {
            self.0.enter(tables, enter);
        }
        fn leave(&mut self, tables: &Tables, at: u64, call: u64) {
            self.0.leave(tables, at, call);
        }
        fn event_end(&mut self, tables: &Tables, end: u64) {
            self.0.event_end(tables, end);
        }
        fn whole(&mut self, _: &Tables, event: Event, end: u64, blobs: u64) {
            self.0.events.push(match event {
                Event::Enter(enter) => format!("{enter:?} to {end} with {blobs}"),
                Event::Leave { at, call } => format!("leave {call} at {at} to {end} with {blobs}"),
            });
        }
        fn begin_bytes(&mut self, tables: &Tables, kind: Bytes, len: u64) {
            self.0.begin_bytes(tables, kind, len);
        }
    }

    /// Walks over a stream in portions. Returns the offset reached, the error, where the stream ends, and the number of
    /// calls.
    fn walk(
        stream: &[u8],
        sink: &mut impl Sink,
        mut portion: impl FnMut() -> usize,
    ) -> (u64, Option<Broken>, Cut, u64) {
        let (mut walk, mut tables) = (Walk::new(), Tables::default());
        let (mut from, mut to) = (0, 0);
        loop {
            match walk.run(&stream[from..to], &mut tables, sink) {
                Ok(used) => from += used,
                Err(broken) => return (walk.at(), Some(broken), Cut::Nothing, walk.calls()),
            }
            assert!(to - from < 64, "a primitive is a few bytes");
            if to == stream.len() {
                return (walk.at(), None, walk.cut(&stream[from..to]), walk.calls());
            }
            to = (to + portion().max(1)).min(stream.len());
        }
    }

    /// Checks that skimming and decoding use the same bytes and deliver the same events, whole and in portions.
    fn agree(stream: &[u8], mut portion: impl FnMut() -> usize) {
        let (mut full, mut skim, mut parts, mut skim_parts) =
            (Log::default(), Skim::default(), Log::default(), Skim::default());
        let by_full = walk(stream, &mut full, || usize::MAX >> 1);
        assert_eq!(by_full, walk(stream, &mut skim, || usize::MAX >> 1));
        assert_eq!(by_full, walk(stream, &mut parts, &mut portion));
        assert_eq!(by_full, walk(stream, &mut skim_parts, &mut portion));
        assert_eq!(full.events, skim.0.events);
        assert_eq!(full.events, skim_parts.0.events);
        assert_eq!((full.words, full.events), (parts.words, parts.events));
    }

    #[test]
    fn skimming_and_decoding_use_the_same_bytes_of_every_corpus_file() {
        for path in corpus() {
            let file = fs::read(&path).unwrap();
            let stream = peek(Container::of(&file), &file, 3 << 20);
            let mut n = 0usize;
            agree(&stream, || {
                n = (n * 31 + 7) % 977;
                n + 1
            });
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

        #[test]
        fn skimming_and_decoding_agree(
            stream in stream(),
            damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..3),
            sizes in proptest::collection::vec(1usize..40, 1..20),
        ) {
            let mut stream = stream;
            for (at, byte) in damage {
                let i = at.index(stream.len());
                stream[i] = byte;
            }
            let mut n = 0;
            agree(&stream, || { n += 1; sizes[n % sizes.len()] });
        }
    }
}
