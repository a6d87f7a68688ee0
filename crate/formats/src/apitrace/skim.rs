//! Takes whole events at once, with or without their values. Without them, most are recognised by
//! their shape (`shapes.rs`).
//!
//! The same grammar as in `decode.rs`, for the most frequent case only: the event is complete in
//! the input and defines nothing. Otherwise the state machine takes the event from its beginning. A
//! test checks that both use the same bytes and deliver the same.

use super::decode::Sink;
use super::records::{Bytes, Enter, Event, Nest, Scalar};
use super::shapes::{LONGEST, Mask, Shapes};
use super::tables::{Enum, Space, Tables};
use super::wire::{self, MAX_ARGS, StreamOffset, tag};

/// Maximum depth of nested values. The state machine, which does not recurse, takes deeper ones.
const DEPTH: u32 = 16;

/// Takes events from `bytes`. With `VALUES`, a sink gets what is in them.
pub(crate) struct Skimmer<'a, const VALUES: bool> {
    bytes: &'a [u8],
    /// Offset of the bytes in the stream.
    begin: StreamOffset,
    /// Position after the last whole event.
    done: usize,
    pos: usize,
    version: u32,
    blobs: u64,
    /// The function whose shape is learned from the current event, and the mask so far. Never with
    /// `VALUES`.
    learning: Option<u32>,
    mask: Mask,
}

/// An ENTER event that was recognised by its shape.
pub(crate) struct Known {
    pub(crate) enter: Enter,
    /// Bytes in its blobs.
    pub(crate) blobs: u64,
    /// Offset in the stream of its end.
    pub(crate) end: StreamOffset,
    /// A LEAVE event without details follows, and was taken with it.
    pub(crate) has_left: bool,
}

impl<'a, const VALUES: bool> Skimmer<'a, VALUES> {
    /// `bytes` begin at offset `begin` of the stream.
    pub(crate) fn new(bytes: &'a [u8], begin: StreamOffset, version: u32) -> Self {
        Self { bytes, begin, done: 0, pos: 0, version, blobs: 0, learning: None, mask: [0; LONGEST] }
    }

    /// Takes the next event if it begins a call and has the latest shape of its function, and with
    /// it the end of the call if that immediately follows. Otherwise [`Skimmer::event`] must take
    /// it, and then [`Skimmer::learn`] may look at it.
    #[inline]
    pub(crate) fn known(&mut self, tables: &Tables, call: u64, shapes: &mut Shapes) -> Option<Known> {
        let bytes = self.bytes.get(self.done..)?;
        let head = u64::from_le_bytes(*bytes.first_chunk()?);
        // An ENTER, and a thread whose number is a byte.
        if head & 0x80ff != u64::from(wire::ENTER) || self.version < wire::THREADS {
            return None;
        }
        let id = match head >> 16 {
            rest if rest & 0x80 == 0 => rest & 0x7f,
            rest if rest & 0x8000 == 0 => rest & 0x7f | rest >> 1 & 0x3f80,
            _ => return None,
        };
        let function = tables.functions.small_index(id)?;
        let Some((len, blobs)) = shapes.matching(function, bytes) else {
            if shapes.miss(function) {
                (self.learning, self.mask) = (Some(function), [0xff; LONGEST]);
            }
            return None;
        };
        let enter = Enter { at: self.at(), call, thread: head >> 8 & 0x7f, function };
        self.done += len;
        let end = self.at();
        let left = bytes.get(len..).and_then(|bytes| shapes.plain_leave(call, bytes));
        self.done += left.unwrap_or(0);
        Some(Known { enter, blobs, end, has_left: left.is_some() })
    }

    /// Learns the shape of the event from position `from` on, which was taken last, if
    /// [`Skimmer::known`] wanted that.
    #[inline]
    pub(crate) fn learn(&mut self, from: usize, blobs: u64, shapes: &mut Shapes) {
        if let Some(function) = self.learning.take() {
            shapes.learn(function, self.bytes.get(from..self.done).unwrap_or_default(), &self.mask, blobs);
        }
    }

    /// Notes that of the bytes from position `from` on, only the bits of `mask` are part of the
    /// event's shape.
    #[inline(always)]
    fn vary(&mut self, from: usize, mask: u8) {
        if !VALUES && self.learning.is_some() {
            self.vary_here(from, mask);
        }
    }

    #[cold]
    fn vary_here(&mut self, from: usize, mask: u8) {
        // A longer event has no shape.
        if let Some(places) = self.mask.get_mut(from - self.done..self.pos - self.done) {
            places.fill(mask);
        }
    }

    /// Number of bytes of the events that were taken.
    pub(crate) fn position(&self) -> usize {
        self.done
    }

    /// Offset in the stream of the end of these events.
    pub(crate) fn at(&self) -> StreamOffset {
        self.begin + self.done as u64
    }

    /// Takes the next event. Returns it with the number of bytes in its blobs, or `None` if the
    /// state machine must take it. `call` is the number of the call if it begins one. With
    /// `VALUES`, `sink` gets everything but the end of the event, possibly only some of it if the
    /// state machine must take it.
    #[inline]
    pub(crate) fn event(&mut self, tables: &Tables, call: u64, sink: &mut impl Sink) -> Option<(Event, u64)> {
        let at = self.at();
        self.pos = self.done;
        self.blobs = 0;
        let event = match self.byte()? {
            wire::ENTER => {
                let thread = if self.version >= wire::THREADS { self.number()? } else { 0 };
                let function = self.signature(&tables.functions)?;
                if !VALUES && tables.functions.get(function)?.flags.needs_values() {
                    return None;
                }
                let enter = Enter { at, call, thread, function };
                if VALUES {
                    sink.enter(tables, enter);
                }
                Event::Enter(enter)
            }
            wire::LEAVE => {
                let call = self.uint()?;
                if !VALUES && sink.wants_leave(call) {
                    return None;
                }
                if VALUES {
                    sink.leave(tables, at, call);
                }
                Event::Leave { at, call }
            }
            _ => return None,
        };
        loop {
            match self.byte()? {
                wire::DETAIL_END => break,
                wire::DETAIL_ARG => {
                    let index = self.uint()?;
                    if index >= MAX_ARGS {
                        return None;
                    }
                    if VALUES {
                        sink.argument(tables, index as u32);
                    }
                }
                wire::DETAIL_RET => {
                    if VALUES {
                        sink.result();
                    }
                }
                wire::DETAIL_FLAGS => {
                    let flags = self.number()?;
                    if VALUES {
                        sink.flags(flags);
                    }
                    continue;
                }
                _ => return None,
            }
            self.value(tables, DEPTH, sink)?;
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

    /// A number that is a value: nothing else in the event depends on it but for its length.
    #[inline(always)]
    fn number(&mut self) -> Option<u64> {
        let from = self.pos;
        let number = self.uint()?;
        self.vary(from, 0x80);
        Some(number)
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

    /// The index of the next signature. With `VALUES`, the stream may be walked again, and the
    /// tables are complete: then its definition may follow.
    #[inline(always)]
    fn signature<T>(&mut self, space: &Space<T>) -> Option<u32> {
        let id = self.uint()?;
        if VALUES { space.known(id, self.begin + self.pos as u64) } else { space.index(id) }
    }

    /// The next `N` bytes. Zeros without `VALUES`.
    #[inline(always)]
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        if !VALUES {
            let from = self.pos;
            self.skip(N as u64)?;
            self.vary(from, 0);
            return Some([0; N]);
        }
        let bytes = *self.bytes.get(self.pos..)?.first_chunk::<N>()?;
        self.pos += N;
        Some(bytes)
    }

    /// A string or blob.
    #[inline(always)]
    fn text(&mut self, kind: Bytes, tables: &Tables, sink: &mut impl Sink) -> Option<()> {
        let n = self.uint()?;
        if kind == Bytes::Blob {
            self.blobs = self.blobs.saturating_add(n);
        }
        if VALUES {
            let bytes = self.bytes.get(self.pos..)?.get(..usize::try_from(n).ok()?)?;
            sink.begin_bytes(tables, kind, n);
            if n > 0 {
                sink.bytes(bytes);
            }
            sink.end_bytes();
        }
        let from = self.pos;
        self.skip(n)?;
        self.vary(from, 0);
        Some(())
    }

    #[inline]
    fn value(&mut self, tables: &Tables, depth: u32, sink: &mut impl Sink) -> Option<()> {
        let scalar = match self.byte()? {
            tag::NULL => Scalar::Null,
            tag::FALSE => Scalar::Bool(false),
            tag::TRUE => Scalar::Bool(true),
            tag::NEGATIVE => Scalar::Int(0i64.wrapping_sub(self.number()? as i64)),
            tag::UINT => Scalar::Uint(self.number()?),
            tag::POINTER => Scalar::Pointer(self.number()?),
            tag::FLOAT => Scalar::Float(f32::from_le_bytes(self.array()?)),
            tag::DOUBLE => Scalar::Double(f64::from_le_bytes(self.array()?)),
            tag::STRING => return self.text(Bytes::String, tables, sink),
            tag::BLOB => return self.text(Bytes::Blob, tables, sink),
            tag::ENUM => {
                let signature = self.signature(&tables.enums)?;
                let value = if self.version >= wire::ENUM_TABLES {
                    let tag = self.byte()?;
                    let magnitude = self.number()? as i64;
                    match tag {
                        tag::NEGATIVE => 0i64.wrapping_sub(magnitude),
                        tag::UINT => magnitude,
                        _ => return None,
                    }
                } else if VALUES {
                    tables.enums.get(signature).map_or(0, Enum::first)
                } else {
                    0
                };
                Scalar::Enum { signature, value }
            }
            tag::BITMASK => {
                let signature = self.signature(&tables.bitmasks)?;
                Scalar::Bitmask { signature, value: self.number()? }
            }
            tag => return self.nested(tag, tables, depth.checked_sub(1)?, sink),
        };
        if VALUES {
            sink.scalar(tables, scalar);
        }
        Some(())
    }

    fn nested(&mut self, tag: u8, tables: &Tables, depth: u32, sink: &mut impl Sink) -> Option<()> {
        let (nest, count) = match tag {
            tag::ARRAY => {
                let count = self.uint()?;
                (Nest::Array(count), count)
            }
            tag::STRUCT => {
                let signature = self.signature(&tables.structs)?;
                (Nest::Struct(signature), tables.structs.get(signature)?.members.len() as u64)
            }
            tag::REPR => (Nest::Repr, 2),
            tag::WIDE => {
                let len = self.uint()?;
                if VALUES {
                    sink.begin_bytes(tables, Bytes::Wide, len);
                }
                for _ in 0..len {
                    let unit = self.number()? as u32;
                    if VALUES {
                        sink.unit(unit);
                    }
                }
                if VALUES {
                    sink.end_bytes();
                }
                return Some(());
            }
            _ => return None,
        };
        if VALUES {
            sink.open(tables, nest);
        }
        for _ in 0..count {
            self.value(tables, depth, sink)?;
        }
        if VALUES {
            sink.close(tables);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;
    use alloc::vec;
    use alloc::vec::Vec;
    use std::fs;

    use proptest::prelude::*;
    use unspool_containers::{Container, peek};

    use super::super::decode::{Broken, Cut, Sink, Walk};
    use super::super::encode::{Value, Writer};
    use super::super::records::{Bytes, Nest, Scalar};
    use super::super::traces::{BITS, DRAW, GOOD, MODE, POINT, SWAP, corpus, stream};
    use super::*;

    /// A sink that logs everything as words, and separately the events that a skimming sink gets.
    #[derive(Default)]
    struct Log {
        words: Vec<String>,
        events: Vec<String>,
        blobs: u64,
        /// Hash of the current string or blob.
        sum: u64,
        event: String,
    }

    impl Sink for Log {
        fn enter(&mut self, _: &Tables, enter: Enter) {
            self.event = format!("{enter:?}");
            self.blobs = 0;
        }
        fn leave(&mut self, _: &Tables, at: StreamOffset, call: u64) {
            self.event = format!("leave {call} at {at:?}");
            self.blobs = 0;
        }
        fn event_end(&mut self, _: &Tables, end: StreamOffset) {
            self.events.push(format!("{} to {end:?} with {}", self.event, self.blobs));
        }
        fn flags(&mut self, flags: u64) {
            self.words.push(format!("flags {flags}"));
        }
        fn argument(&mut self, _: &Tables, index: u32) {
            self.words.push(format!("argument {index}"));
        }
        fn result(&mut self) {
            self.words.push("result".into());
        }
        fn bytes(&mut self, bytes: &[u8]) {
            self.sum = bytes.iter().fold(self.sum, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
        }
        fn unit(&mut self, unit: u32) {
            self.sum = self.sum.wrapping_mul(31).wrapping_add(u64::from(unit));
        }
        fn end_bytes(&mut self) {
            // The portions in which bytes come do not matter.
            self.words.push(format!("end of {:#x}", core::mem::take(&mut self.sum)));
        }
        fn scalar(&mut self, _: &Tables, value: Scalar) {
            // As text, because a NaN does not equal itself.
            self.words.push(format!("{value:?}"));
        }
        fn begin_bytes(&mut self, _: &Tables, kind: Bytes, len: u64) {
            self.words.push(format!("{kind:?} {len}"));
            self.sum = 0;
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
    struct Skim {
        log: Log,
        /// Number of calls that came as one.
        calls: usize,
    }

    /// A sink that forgets events that are delivered again.
    #[derive(Default)]
    struct Again {
        log: Log,
        /// Number of words at the end of the latest event.
        words: usize,
    }

    impl Sink for Again {
        const REPEAT: bool = true;
        fn again(&mut self) {
            self.log.words.truncate(self.words);
        }
        fn enter(&mut self, tables: &Tables, enter: Enter) {
            self.log.enter(tables, enter);
        }
        fn leave(&mut self, tables: &Tables, at: StreamOffset, call: u64) {
            self.log.leave(tables, at, call);
        }
        fn event_end(&mut self, tables: &Tables, end: StreamOffset) {
            self.log.event_end(tables, end);
            self.words = self.log.words.len();
        }
        fn flags(&mut self, flags: u64) {
            self.log.flags(flags);
        }
        fn argument(&mut self, tables: &Tables, index: u32) {
            self.log.argument(tables, index);
        }
        fn result(&mut self) {
            self.log.result();
        }
        fn scalar(&mut self, tables: &Tables, value: Scalar) {
            self.log.scalar(tables, value);
        }
        fn begin_bytes(&mut self, tables: &Tables, kind: Bytes, len: u64) {
            self.log.begin_bytes(tables, kind, len);
        }
        fn bytes(&mut self, bytes: &[u8]) {
            self.log.bytes(bytes);
        }
        fn unit(&mut self, unit: u32) {
            self.log.unit(unit);
        }
        fn end_bytes(&mut self) {
            self.log.end_bytes();
        }
        fn open(&mut self, tables: &Tables, nest: Nest) {
            self.log.open(tables, nest);
        }
        fn close(&mut self, tables: &Tables) {
            self.log.close(tables);
        }
    }

    impl Sink for Skim {
        const SKIM: bool = true;
        fn enter(&mut self, tables: &Tables, enter: Enter) {
            self.log.enter(tables, enter);
        }
        fn leave(&mut self, tables: &Tables, at: StreamOffset, call: u64) {
            self.log.leave(tables, at, call);
        }
        fn event_end(&mut self, tables: &Tables, end: StreamOffset) {
            self.log.event_end(tables, end);
        }
        fn whole(&mut self, _: &Tables, event: Event, end: StreamOffset, blobs: u64) {
            self.log.events.push(match event {
                Event::Enter(enter) => format!("{enter:?} to {end:?} with {blobs}"),
                Event::Leave { at, call } => format!("leave {call} at {at:?} to {end:?} with {blobs}"),
            });
        }
        fn call(&mut self, tables: &Tables, enter: Enter, ends: (StreamOffset, StreamOffset), blobs: u64) {
            self.calls += 1;
            self.whole(tables, Event::Enter(enter), ends.0, blobs);
            self.whole(tables, Event::Leave { at: ends.0, call: enter.call }, ends.1, 0);
        }
        fn begin_bytes(&mut self, tables: &Tables, kind: Bytes, len: u64) {
            self.log.begin_bytes(tables, kind, len);
        }
    }

    /// Walks over a stream in portions. Returns the offset reached, the error, where the stream
    /// ends, and the number of calls.
    fn walk(
        stream: &[u8],
        sink: &mut impl Sink,
        mut portion: impl FnMut() -> usize,
    ) -> (StreamOffset, Option<Broken>, Cut, u64) {
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

    /// Checks that skimming and decoding use the same bytes and deliver the same events, whole and
    /// in portions. Returns how many calls came as one.
    fn agree(stream: &[u8], mut portion: impl FnMut() -> usize) -> usize {
        let (mut full, mut skim, mut parts, mut skim_parts) =
            (Log::default(), Skim::default(), Log::default(), Skim::default());
        let by_full = walk(stream, &mut full, || usize::MAX >> 1);
        assert_eq!(by_full, walk(stream, &mut skim, || usize::MAX >> 1));
        assert_eq!(by_full, walk(stream, &mut parts, &mut portion));
        assert_eq!(by_full, walk(stream, &mut skim_parts, &mut portion));
        let (mut again, mut again_parts) = (Again::default(), Again::default());
        assert_eq!(by_full, walk(stream, &mut again, || usize::MAX >> 1));
        assert_eq!(by_full, walk(stream, &mut again_parts, &mut portion));
        assert_eq!((&full.words, &full.events), (&again.log.words, &again.log.events));
        assert_eq!((&full.words, &full.events), (&again_parts.log.words, &again_parts.log.events));
        assert_eq!(full.events, skim.log.events);
        assert_eq!(full.events, skim_parts.log.events);
        assert_eq!((full.words, full.events), (parts.words, parts.events));
        skim.calls
    }

    /// A stream of calls of which many differ in values only.
    fn similar() -> impl Strategy<Value = Vec<u8>> {
        let kinds = proptest::collection::vec((0usize..3, 0u8..9), 0..4);
        let values = proptest::collection::vec((any::<proptest::sample::Index>(), any::<u64>(), 0u32..64), 0..300);
        (proptest::collection::vec(kinds, 1..5), values).prop_map(|(shapes, calls)| {
            let mut w = Writer::new(&[]);
            for (which, bits, shift) in calls {
                let n = bits >> shift;
                let value = |kind| match kind {
                    0 => Value::Uint(n),
                    1 => Value::Uint(n % 128),
                    2 => Value::Float(n as f32),
                    3 => Value::Double(n as f64),
                    4 => Value::Enum(&MODE, n as i64 % 6),
                    5 => Value::Bitmask(&BITS, n),
                    6 => Value::Array(vec![Value::Pointer(n), Value::Bool(n > 99), Value::Int(n as i64)]),
                    7 => Value::Struct(&POINT, vec![Value::Text(b"text"), Value::Blob(&[0; 9])]),
                    _ => Value::Blob(&[1; 40]),
                };
                let shape = which.get(&shapes);
                let function = shape.first().map_or(GOOD, |(function, _)| [GOOD, DRAW, SWAP][*function]);
                let args = shape.iter().map(|(_, kind)| value(*kind)).collect();
                w.call(n % 3, &function, args, (n % 16 == 0).then_some(Value::Uint(n)));
            }
            w.stream().to_vec()
        })
    }

    #[test]
    fn calls_that_differ_in_values_come_as_one() {
        let mut w = Writer::new(&[]);
        for i in 0..300 {
            w.call(0, &DRAW, vec![Value::Enum(&MODE, 4), Value::Float(i as f32), Value::Uint(200 + i)], None);
        }
        assert_eq!(agree(w.stream(), || 7), 297, "all but the definition, the one that is learned, and the last");
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

        #[test]
        fn skimming_and_decoding_agree_on_similar_calls(
            stream in similar(),
            damage in proptest::collection::vec((any::<proptest::sample::Index>(), 0u8..8), 0..3),
            sizes in proptest::collection::vec(1usize..400, 1..20),
        ) {
            let mut stream = stream;
            for (at, bit) in damage {
                let i = at.index(stream.len());
                stream[i] ^= 1 << bit;
            }
            let mut n = 0;
            agree(&stream, || { n += 1; sizes[n % sizes.len()] });
        }
    }
}
