//! A part of a trace: calls by number, with all signatures that they use. They are numbered from 0
//! again, because the format has no other numbers, and the new file is of version 6 in Snappy.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use hashbrown::HashSet;
use unspool_cut::clean::{Choice, Class, Cleaner, Payload};
use unspool_cut::{Cut, CutOptions, PORTION, Selection};
use unspool_trace::decoder::Progress;
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::problem::{Problem, TRUNCATED};

use super::beginning::{Beginning, unsupported};
use super::decode;
use super::encode::{CHUNK, Space, snappy_chunk};
use super::problems::CUT_CALL;
use super::records::{Bytes, Enter, Event, Nest, Scalar};
use super::stream::Stream;
use super::tables::{Strings, Tables};
use super::wire::{self, Header, StreamOffset, frame_tag, put_sint, put_text, put_uint, tag};

/// Begins to cut a trace.
pub(super) fn cut(head: &[u8], options: CutOptions) -> Result<Box<dyn Cut>> {
    let beginning = Beginning::of(head);
    beginning.check_version()?;
    let calls = Calls {
        begin: options.from,
        end: options.to,
        only: options.only,
        texts: options.texts,
        keeps_texts: false,
        cleaner: options.cleaner,
        out: Vec::new(),
        defined: HashSet::new(),
        new: Vec::new(),
        event: 0,
        open: BTreeMap::new(),
        written: 0,
        next: 0,
        wanted: false,
        frames: None,
        string: Text::None,
        found: 0,
        closing: false,
        has_header: false,
    };
    Ok(Box::new(ApitraceCut {
        stream: Stream::new(beginning.container, &options.limits, None),
        before: Before { end: options.from, calls: 0 },
        calls,
        size: options.size,
        head: false,
        problems: Vec::new(),
    }))
}

struct ApitraceCut {
    stream: Stream,
    before: Before,
    calls: Calls,
    size: Option<u64>,
    /// Whether the header is written.
    head: bool,
    problems: Vec<Problem>,
}

impl ApitraceCut {
    /// Writes what the header says, once it is read.
    fn header(&mut self, out: &mut Vec<u8>) {
        if self.stream.walk.has_header() && !core::mem::replace(&mut self.head, true) {
            out.extend_from_slice(b"at");
            let mut stream = Vec::new();
            put_header(&mut stream, self.stream.walk.header(), &mut self.calls.cleaner);
            out.append(&mut snappy_chunk(&stream));
        }
    }

    /// Moves whole chunks to `out`; all of them if `is_last`.
    fn take(&mut self, out: &mut Vec<u8>, is_last: bool) {
        let whole = if is_last { self.calls.out.len() } else { self.calls.event };
        if whole == 0 || whole < CHUNK && !is_last {
            return;
        }
        let stream: Vec<u8> = self.calls.out.drain(..whole).collect();
        stream.chunks(CHUNK).for_each(|part| out.append(&mut snappy_chunk(part)));
        self.calls.event = 0;
    }
}

fn put_header(out: &mut Vec<u8>, header: &Header, cleaner: &mut Cleaner) {
    put_uint(out, wire::VERSION.into());
    put_uint(out, header.semantic_version.into());
    for (name, value) in &header.properties {
        put_text(out, name);
        put_text(out, &cleaner.bytes(value));
    }
    put_text(out, b"");
}

impl Cut for ApitraceCut {
    fn push(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Progress> {
        let mut used = 0;
        loop {
            let rest = input.get(used..).unwrap_or_default();
            let fed = if self.before.calls < self.before.end {
                let fed = self.stream.feed(rest, &mut self.before);
                self.calls.next = self.before.calls;
                fed
            } else {
                self.stream.feed(rest, &mut self.calls)
            };
            used += fed.used;
            self.calls.has_header = self.stream.walk.has_header();
            if self.stream.broken().is_some_and(|broken| broken.version) {
                return Err(unsupported(self.stream.walk.header().version));
            }
            self.header(out);
            self.take(out, false);
            if !fed.more || !out.is_empty() || self.is_done() {
                return Ok(Progress { used });
            }
        }
    }

    fn end(&mut self, rest: &[u8], out: &mut Vec<u8>) -> Result<()> {
        if !self.is_done() {
            self.calls.closing = true;
            self.stream.end(rest, &mut self.calls);
            self.calls.forget();
            if let Some(problem) = self.stream.malformed(self.size).or_else(|| self.stream.take_problem(self.size)) {
                self.problems.push(problem);
            }
            match self.stream.cut() {
                decode::Cut::Nothing => {}
                cut => {
                    let at = self.stream.file_at();
                    let of_call = |value| Problem { at, kind: &CUT_CALL, value };
                    self.problems.push(match cut {
                        decode::Cut::Enter => of_call(self.stream.walk.calls().saturating_sub(1)),
                        decode::Cut::Leave { call } => of_call(call),
                        _ => Problem { at, kind: &TRUNCATED, value: 0 },
                    });
                }
            }
        }
        self.header(out);
        if !self.head && self.problems.is_empty() {
            return Err(Error::new(self.stream.file_at(), Cause::UnexpectedEnd { needed: 1 }));
        }
        self.take(out, true);
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.head && self.calls.is_over()
    }

    fn records(&self) -> u64 {
        self.calls.written
    }

    fn cleaner(&self) -> &Cleaner {
        &self.calls.cleaner
    }

    fn take_problems(&mut self) -> Vec<Problem> {
        core::mem::take(&mut self.problems)
    }
}

/// The sink that passes over what comes before the part, as fast as reading goes.
struct Before {
    end: u64,
    calls: u64,
}

impl decode::Sink for Before {
    const SKIM: bool = true;

    fn is_full(&self) -> bool {
        self.calls >= self.end
    }

    fn enter(&mut self, _tables: &Tables, _enter: Enter) {
        self.calls += 1;
    }

    fn whole(&mut self, _tables: &Tables, event: Event, _end: StreamOffset, _blobs: u64) {
        self.calls += u64::from(matches!(event, Event::Enter(_)));
    }

    fn leave(&mut self, _tables: &Tables, _at: StreamOffset, _call: u64) {}

    fn event_end(&mut self, _tables: &Tables, _end: StreamOffset) {}
}

/// A string or blob that is being read.
enum Text {
    None,
    /// It is written as it comes.
    Kept,
    /// It is cleaned when all of it is there.
    Held(Bytes, Vec<u8>),
    /// A blob that is hashed or left out, and its length.
    Payload(Payload, u64),
}

/// The sink that writes the calls of the part.
struct Calls {
    begin: u64,
    end: u64,
    only: Option<Selection>,
    texts: Selection,
    /// Texts of the current event stay as they are.
    keeps_texts: bool,
    cleaner: Cleaner,
    /// The stream of the new file.
    out: Vec<u8>,
    /// What the new file has defined, by indexes of signatures, which are the ids there.
    defined: HashSet<(Space, u32)>,
    /// What the current event has defined.
    new: Vec<(Space, u32)>,
    /// Where the current event begins in `out`.
    event: usize,
    /// Calls of the part that have not returned, with their numbers in the new file.
    open: BTreeMap<u64, u64>,
    written: u64,
    /// Number of the next call.
    next: u64,
    /// Whether the current event belongs to the part.
    wanted: bool,
    /// The frames of a backtrace that are to be written.
    frames: Option<Vec<u32>>,
    string: Text,
    /// Calls of the part that have begun, the current one included.
    found: u64,
    /// Takes all that is left.
    closing: bool,
    /// The header is read, which a part without calls has as well.
    has_header: bool,
}

impl Calls {
    fn is_over(&self) -> bool {
        self.next >= self.end && self.open.is_empty()
    }

    fn uint(&mut self, n: u64) {
        put_uint(&mut self.out, n);
    }

    fn text(&mut self, text: &str) {
        put_text(&mut self.out, text.as_bytes());
    }

    fn tagged(&mut self, tag: u8, n: u64) {
        self.out.push(tag);
        self.uint(n);
    }

    /// Writes an id. Returns whether its definition must follow.
    fn begins(&mut self, space: Space, index: u32) -> bool {
        self.uint(index.into());
        let is_new = self.defined.insert((space, index));
        if is_new {
            self.new.push((space, index));
        }
        is_new
    }

    fn names(&mut self, names: &Strings) {
        self.uint(names.len() as u64);
        for i in 0..names.len() {
            self.text(names.get(i).unwrap_or_default());
        }
    }

    /// Writes the frames of a backtrace, whose number is known now.
    fn end_frames(&mut self, tables: &Tables) {
        let Some(frames) = self.frames.take() else { return };
        self.out.push(wire::DETAIL_BACKTRACE);
        self.uint(frames.len() as u64);
        for index in frames {
            if !self.begins(Space::Frame, index) {
                continue;
            }
            let Some(frame) = tables.frames.get(index) else { continue };
            let texts = [
                (frame_tag::MODULE, &frame.module, true),
                (frame_tag::FUNCTION, &frame.function, false),
                (frame_tag::FILE, &frame.file, true),
            ];
            for (tag, text, is_path) in texts {
                if let Some(text) = text {
                    self.out.push(tag);
                    if is_path {
                        put_text(&mut self.out, self.cleaner.text(text).as_bytes());
                    } else {
                        self.text(text);
                    }
                }
            }
            for (tag, number) in [(frame_tag::LINE, frame.line), (frame_tag::OFFSET, frame.offset)] {
                if let Some(number) = number {
                    self.tagged(tag, number);
                }
            }
            self.out.push(frame_tag::END);
        }
    }

    /// Forgets the current event, which is not complete.
    fn forget(&mut self) {
        self.out.truncate(self.event);
        for definition in self.new.drain(..) {
            self.defined.remove(&definition);
        }
        self.frames = None;
        self.string = Text::None;
    }
}

impl decode::Sink for Calls {
    fn is_full(&self) -> bool {
        // Not within an event, which is written as a whole.
        !self.closing && (self.is_over() && self.has_header || self.event >= PORTION)
    }

    fn enter(&mut self, tables: &Tables, enter: Enter) {
        self.next = enter.call + 1;
        self.wanted =
            (self.begin..self.end).contains(&enter.call) && self.only.as_ref().is_none_or(|only| only.has(enter.call));
        if !self.wanted {
            return;
        }
        self.keeps_texts = self.texts.has(enter.call);
        self.open.insert(enter.call, self.found);
        self.found += 1;
        self.out.push(wire::ENTER);
        self.uint(enter.thread);
        if self.begins(Space::Function, enter.function)
            && let Some(function) = tables.functions.get(enter.function)
        {
            self.text(&function.name);
            self.names(&function.args);
        }
    }

    fn leave(&mut self, _tables: &Tables, _at: StreamOffset, call: u64) {
        let number = self.open.remove(&call);
        self.wanted = number.is_some();
        self.keeps_texts = self.texts.has(call);
        if let Some(number) = number {
            self.out.push(wire::LEAVE);
            self.uint(number);
        }
    }

    fn event_end(&mut self, tables: &Tables, _end: StreamOffset) {
        if self.wanted {
            self.end_frames(tables);
            self.out.push(wire::DETAIL_END);
            self.written = self.found;
            self.event = self.out.len();
            self.new.clear();
        }
    }

    fn flags(&mut self, flags: u64) {
        if self.wanted {
            self.tagged(wire::DETAIL_FLAGS, flags);
        }
    }

    fn backtrace(&mut self) {
        if self.wanted {
            self.frames = Some(Vec::new());
        }
    }

    fn frame(&mut self, _tables: &Tables, frame: u32) {
        if let Some(frames) = &mut self.frames {
            frames.push(frame);
        }
    }

    fn argument(&mut self, tables: &Tables, index: u32) {
        if self.wanted {
            self.end_frames(tables);
            self.tagged(wire::DETAIL_ARG, index.into());
        }
    }

    fn result(&mut self) {
        if self.wanted {
            self.out.push(wire::DETAIL_RET);
        }
    }

    fn scalar(&mut self, tables: &Tables, value: Scalar) {
        if !self.wanted {
            return;
        }
        match value {
            Scalar::Null => self.out.push(tag::NULL),
            Scalar::Bool(b) => self.out.push(if b { tag::TRUE } else { tag::FALSE }),
            // A negative number, as `Scalar::Int` always is.
            Scalar::Int(n) => self.tagged(tag::NEGATIVE, n.unsigned_abs()),
            Scalar::Uint(n) => self.tagged(tag::UINT, n),
            Scalar::Float(x) => {
                self.out.push(tag::FLOAT);
                self.out.extend_from_slice(&x.to_bits().to_le_bytes());
            }
            Scalar::Double(x) => {
                self.out.push(tag::DOUBLE);
                self.out.extend_from_slice(&x.to_bits().to_le_bytes());
            }
            Scalar::Pointer(p) => self.tagged(tag::POINTER, p),
            Scalar::Enum { signature, value } => {
                self.out.push(tag::ENUM);
                if self.begins(Space::Enum, signature)
                    && let Some(signature) = tables.enums.get(signature)
                {
                    let entries = signature.entries();
                    self.uint(entries.len() as u64);
                    for (name, value) in entries {
                        self.text(name);
                        put_sint(&mut self.out, value);
                    }
                }
                put_sint(&mut self.out, value);
            }
            Scalar::Bitmask { signature, value } => {
                self.out.push(tag::BITMASK);
                if self.begins(Space::Bitmask, signature)
                    && let Some(signature) = tables.bitmasks.get(signature)
                {
                    self.uint(signature.bits.len() as u64);
                    for (i, bits) in signature.bits.iter().enumerate() {
                        self.text(signature.names.get(i).unwrap_or_default());
                        self.uint(*bits);
                    }
                }
                self.uint(value);
            }
        }
    }

    fn begin_bytes(&mut self, _tables: &Tables, kind: Bytes, len: u64) {
        if !self.wanted {
            return;
        }
        let tag = match kind {
            Bytes::String => tag::STRING,
            Bytes::Blob => tag::BLOB,
            Bytes::Wide => tag::WIDE,
        };
        self.out.push(tag);
        self.string = match kind {
            Bytes::Blob if self.cleaner.choice(Class::Payload) != Choice::Keep => {
                self.uint(len);
                Text::Payload(self.cleaner.begin_payload(), len)
            }
            Bytes::String | Bytes::Wide if self.cleaner.is_active() && !self.keeps_texts => {
                Text::Held(kind, Vec::new())
            }
            _ => {
                if kind == Bytes::Blob {
                    self.cleaner.note_payload(len);
                }
                self.uint(len);
                Text::Kept
            }
        };
    }

    fn bytes(&mut self, bytes: &[u8]) {
        match &mut self.string {
            Text::None => {}
            Text::Kept => self.out.extend_from_slice(bytes),
            Text::Held(_, held) => held.extend_from_slice(bytes),
            Text::Payload(payload, _) => payload.add(bytes),
        }
    }

    fn unit(&mut self, unit: u32) {
        match &mut self.string {
            Text::Kept => self.uint(unit.into()),
            // Units of 16 bits are pairs for characters beyond 0xffff; a text with one is hashed by
            // its halves.
            Text::Held(_, held) => {
                let c = char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                held.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Text::None | Text::Payload(..) => {}
        }
    }

    fn end_bytes(&mut self) {
        match core::mem::replace(&mut self.string, Text::None) {
            Text::None | Text::Kept => {}
            Text::Held(Bytes::Wide, held) => {
                let shown = alloc::string::String::from_utf8_lossy(&held);
                let text = self.cleaner.text(&shown);
                put_uint(&mut self.out, text.chars().count() as u64);
                for c in text.chars() {
                    put_uint(&mut self.out, u32::from(c).into());
                }
            }
            Text::Held(_, held) => put_text(&mut self.out, &self.cleaner.bytes(&held)),
            Text::Payload(payload, len) => {
                let filling = self.cleaner.end_payload(payload, len);
                let filled = filling.into_iter().cycle().take(usize::try_from(len).unwrap_or(usize::MAX));
                self.out.extend(filled);
            }
        }
    }

    fn open(&mut self, tables: &Tables, nest: Nest) {
        if !self.wanted {
            return;
        }
        match nest {
            Nest::Array(count) => self.tagged(tag::ARRAY, count),
            Nest::Struct(index) => {
                self.out.push(tag::STRUCT);
                if self.begins(Space::Struct, index)
                    && let Some(signature) = tables.structs.get(index)
                {
                    self.text(&signature.name);
                    self.names(&signature.members);
                }
            }
            Nest::Repr => self.out.push(tag::REPR),
        }
    }
}
