//! The state machine that walks over a stream: one grammar for events, details and text.
//!
//! It is handed the decompressed stream in portions, restarts at primitives (a number, a tag, a part of a string or blob) and
//! tells a [`Sink`] what it meets. A sink that only wants events says [`Sink::SKIM`]; then whole events are passed over in
//! one go where they are all in sight and define nothing (`skim.rs`), and by this machine where not.
//!
//! ```text
//! ENTER [thread] function { detail }* 0      function, enum, bitmask, struct, frame: an id, and a definition
//! LEAVE call     { detail }* 0               the first time the id comes
//! ```

use alloc::string::String;
use alloc::vec::Vec;

use crate::input::Cursor;

use super::functions::NameFlags;
use super::skim;
use super::tables::{Bitmask, Definitions, Enum, Frame, Function, Signature, Strings, Struct, Tables};
use super::wire::{self, Header, MAX_ARGS, MAX_DEPTH, Stop, frame_tag, tag, text_of, uint};

/// A value that is no string and holds no others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scalar {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f32),
    Double(f64),
    Pointer(u64),
    Enum { signature: u32, value: i64 },
    Bitmask { signature: u32, value: u64 },
}

/// What bytes are about to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bytes {
    String,
    Blob,
    /// Not bytes but units of a wide string.
    Wide,
}

/// What holds other values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nest {
    Array(u64),
    Struct(u32),
    Repr,
}

/// The beginning of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Enter {
    /// Offset of the event in the stream.
    pub(crate) at: u64,
    pub(crate) call: u64,
    pub(crate) thread: u64,
    pub(crate) function: u32,
}

/// What a walk tells. Values come after what they are the value of, depth first.
#[allow(unused_variables)]
pub(crate) trait Sink {
    /// Whole events may be told at once, without their values.
    const SKIM: bool = false;
    /// The sink cannot take more now: the walk stops before the next event.
    fn is_full(&self) -> bool {
        false
    }
    fn enter(&mut self, tables: &Tables, enter: Enter);
    fn leave(&mut self, tables: &Tables, at: u64, call: u64);
    /// The event is over; `end` is the offset behind it.
    fn event_end(&mut self, tables: &Tables, end: u64);
    /// A whole event: `blobs` is how many bytes its blobs have.
    fn whole(&mut self, tables: &Tables, event: skim::Event, end: u64, blobs: u64) {}
    fn flags(&mut self, flags: u64) {}
    fn backtrace(&mut self) {}
    fn frame(&mut self, tables: &Tables, frame: u32) {}
    /// The next value is this argument.
    fn argument(&mut self, tables: &Tables, index: u32) {}
    /// The next value is what the call returned.
    fn result(&mut self) {}
    fn scalar(&mut self, tables: &Tables, value: Scalar) {}
    fn begin_bytes(&mut self, tables: &Tables, kind: Bytes, len: u64) {}
    fn bytes(&mut self, bytes: &[u8]) {}
    fn unit(&mut self, unit: u32) {}
    fn end_bytes(&mut self) {}
    fn open(&mut self, tables: &Tables, nest: Nest) {}
    fn close(&mut self) {}
}

/// Where the walk is: what comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Version,
    Semantic,
    PropertyName,
    PropertyValue,
    Event,
    Thread,
    Function { thread: u64 },
    Call,
    Detail,
    Argument,
    Flags,
    Frames,
    Frame { left: u64 },
    Value,
    Number { tag: u8 },
    Float,
    Double,
    BytesLen(Bytes),
    Bytes { left: u64 },
    Units { left: u64 },
    EnumId,
    EnumTag { signature: u32 },
    EnumValue { signature: u32, negative: bool },
    BitmaskId,
    BitmaskValue { signature: u32 },
    ArrayLen,
    StructId,
    // In a definition, or in a property.
    TextLen,
    Text { left: u64 },
    Count,
    SintTag,
    Sint { negative: bool },
    Bits,
    FrameTag,
    FrameNumber { tag: u8 },
}

/// What is being defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    PropertyName,
    PropertyValue,
    Function {
        thread: u64,
    },
    Enum,
    /// Versions 0 to 2: one name and one value.
    EnumValue,
    Bitmask,
    Struct,
    /// `left` more follow this one.
    Frame {
        left: u64,
        tag: u8,
    },
}

/// A definition, as far as it has come.
#[derive(Debug)]
struct Draft {
    kind: Kind,
    id: u64,
    at: u64,
    name: Option<String>,
    count: u64,
    names: Strings,
    numbers: Vec<u64>,
    frame: Frame,
}

impl Draft {
    fn new(kind: Kind, id: u64, at: u64) -> Self {
        let (names, numbers, frame) = Default::default();
        Self { kind, id, at, name: None, count: 0, names, numbers, frame }
    }
}

/// What a walk broke off in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Nothing: all is whole.
    Nothing,
    /// The header.
    Header,
    /// The beginning of a call.
    Enter,
    /// The end of this call.
    Leave { call: u64 },
}

/// Walking cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    /// Offset in the stream of what is wrong.
    pub(crate) at: u64,
    /// It is the version in the header.
    pub(crate) version: bool,
}

/// A definition's strings together.
const MAX_TEXT: usize = 1 << 26;
/// The entries of a definition.
const MAX_COUNT: u64 = 1 << 22;

/// Walks over a stream.
#[derive(Debug)]
pub(crate) struct Walk {
    header: Header,
    state: State,
    at: u64,
    /// Calls begun so far: the number of the next.
    calls: u64,
    /// The event at hand.
    event_at: u64,
    leaving: Option<u64>,
    /// How many values are still to come in each of the things that hold values.
    nest: Vec<u64>,
    text: Vec<u8>,
    draft: Draft,
}

impl Walk {
    /// A walk that begins at the header.
    pub(crate) fn new() -> Self {
        Self {
            header: Header::default(),
            state: State::Version,
            at: 0,
            calls: 0,
            event_at: 0,
            leaving: None,
            nest: Vec::new(),
            text: Vec::new(),
            draft: Draft::new(Kind::PropertyName, 0, 0),
        }
    }

    /// A walk that begins at the event at offset `at`; a call that begins there gets the number `call`.
    pub(crate) fn resume(header: Header, at: u64, call: u64) -> Self {
        Self { header, state: State::Event, at, calls: call, ..Self::new() }
    }

    /// What stands before the events, as far as it has come.
    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// The header is all there.
    pub(crate) fn has_header(&self) -> bool {
        match self.state {
            State::Version | State::Semantic | State::PropertyName | State::PropertyValue => false,
            State::Text { .. } => !matches!(self.draft.kind, Kind::PropertyName | Kind::PropertyValue),
            _ => true,
        }
    }

    /// Offset in the stream of the byte that comes next.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Calls begun so far.
    pub(crate) fn calls(&self) -> u64 {
        self.calls
    }

    /// Bytes of the string or blob at hand that are still to come: [`Walk::jump`] passes over them.
    pub(crate) fn bytes_left(&self) -> u64 {
        if let State::Bytes { left } = self.state { left } else { 0 }
    }

    /// Passes over all but the last byte of the string or blob at hand.
    pub(crate) fn jump(&mut self) {
        if let State::Bytes { left } = self.state
            && left > 1
        {
            self.at += left - 1;
            self.state = State::Bytes { left: 1 };
        }
    }

    /// What the stream broke off in, if it ends behind `rest`, which [`Walk::run`] left over.
    pub(crate) fn cut(&self, rest: &[u8]) -> Cut {
        match self.state {
            State::Event => Cut::Nothing,
            // A number that is cut reads as the bits that are there.
            State::Call => Cut::Leave { call: wire::cut_uint(rest) },
            _ if !self.has_header() => Cut::Header,
            _ => self.leaving.map_or(Cut::Enter, |call| Cut::Leave { call }),
        }
    }

    /// Walks over `input`, which lies at [`Walk::at`]; answers how much of it is used up. What is left is less than a
    /// primitive, a few bytes, unless the sink is full.
    pub(crate) fn run<D: Definitions, S: Sink>(
        &mut self,
        input: &[u8],
        defs: &mut D,
        sink: &mut S,
    ) -> Result<usize, Broken> {
        let mut c = Cursor::new(input, self.at);
        let result = loop {
            if self.state == State::Event {
                if S::SKIM {
                    self.skim(&mut c, defs.tables(), sink);
                }
                if sink.is_full() {
                    break Ok(());
                }
            }
            let before = c.at();
            match self.step(&mut c, defs, sink) {
                Ok(()) => {}
                Err(Stop::Short) => break Ok(()),
                Err(Stop::Bad) => break Err(Broken { at: before, version: self.state == State::Version }),
            }
        };
        self.at = c.at();
        result.map(|()| input.len() - c.len())
    }

    /// Tells whole events as long as they are all in sight.
    fn skim(&mut self, c: &mut Cursor<'_>, tables: &Tables, sink: &mut impl Sink) {
        let mut skimmer = skim::Skimmer::new(c.rest(), self.header.version);
        while !sink.is_full() {
            let at = c.at() + skimmer.position() as u64;
            let Some((event, blobs)) = skimmer.event(tables, at, self.calls) else { break };
            if let skim::Event::Enter(_) = event {
                self.calls += 1;
            }
            sink.whole(tables, event, c.at() + skimmer.position() as u64, blobs);
        }
        c.take_up_to(skimmer.position() as u64);
    }

    /// One primitive. Nothing is changed when it is not all there.
    fn step<D: Definitions, S: Sink>(&mut self, c: &mut Cursor<'_>, defs: &mut D, sink: &mut S) -> Result<(), Stop> {
        match self.state {
            State::Event => {
                let at = c.at();
                match c.peek().ok_or(Stop::Short)? {
                    wire::ENTER => {
                        self.leaving = None;
                        self.calls += 1;
                        self.state = match self.header.version {
                            0..wire::THREADS => State::Function { thread: 0 },
                            _ => State::Thread,
                        };
                    }
                    wire::LEAVE => self.state = State::Call,
                    _ => return Err(Stop::Bad),
                }
                self.event_at = at;
                c.u8()?;
            }
            State::Thread => self.state = State::Function { thread: uint(c)? },
            State::Function { thread } => {
                let id = uint(c)?;
                match defs.tables().functions.known(id, c.at()) {
                    Some(function) => self.entered(thread, function, defs.tables(), sink),
                    None => self.define(Kind::Function { thread }, id, c.at()),
                }
            }
            State::Call => {
                let call = uint(c)?;
                self.leaving = Some(call);
                self.state = State::Detail;
                sink.leave(defs.tables(), self.event_at, call);
            }
            State::Detail => {
                self.state = match c.peek().ok_or(Stop::Short)? {
                    wire::DETAIL_END => {
                        sink.event_end(defs.tables(), c.at() + 1);
                        State::Event
                    }
                    wire::DETAIL_ARG => State::Argument,
                    wire::DETAIL_RET => {
                        sink.result();
                        State::Value
                    }
                    wire::DETAIL_BACKTRACE => State::Frames,
                    wire::DETAIL_FLAGS => State::Flags,
                    // 3 would be a thread's number; no writer ever wrote it, no parser takes it.
                    _ => return Err(Stop::Bad),
                };
                c.u8()?;
            }
            State::Argument => {
                let index = uint(c)?;
                if index >= MAX_ARGS {
                    return Err(Stop::Bad);
                }
                self.state = State::Value;
                sink.argument(defs.tables(), index as u32);
            }
            State::Flags => {
                sink.flags(uint(c)?);
                self.state = State::Detail;
            }
            State::Frames => {
                let left = uint(c)?;
                sink.backtrace();
                self.state = if left == 0 { State::Detail } else { State::Frame { left } };
            }
            State::Frame { left } => {
                let id = uint(c)?;
                match defs.tables().frames.known(id, c.at()) {
                    Some(frame) => self.framed(frame, left - 1, defs.tables(), sink),
                    None => self.define(Kind::Frame { left: left - 1, tag: 0 }, id, c.at()),
                }
            }
            State::Value => self.value(c, defs.tables(), sink)?,
            State::Number { .. }
            | State::Float
            | State::Double
            | State::BytesLen(_)
            | State::Bytes { .. }
            | State::Units { .. }
            | State::EnumId
            | State::EnumTag { .. }
            | State::EnumValue { .. }
            | State::BitmaskId
            | State::BitmaskValue { .. }
            | State::ArrayLen
            | State::StructId => self.payload(c, defs.tables(), sink)?,
            _ => self.definition(c, defs, sink)?,
        }
        Ok(())
    }

    fn entered(&mut self, thread: u64, function: u32, tables: &Tables, sink: &mut impl Sink) {
        self.state = State::Detail;
        sink.enter(tables, Enter { at: self.event_at, call: self.calls - 1, thread, function });
    }

    fn framed(&mut self, frame: u32, left: u64, tables: &Tables, sink: &mut impl Sink) {
        sink.frame(tables, frame);
        self.state = if left == 0 { State::Detail } else { State::Frame { left } };
    }

    /// The tag of a value.
    fn value(&mut self, c: &mut Cursor<'_>, tables: &Tables, sink: &mut impl Sink) -> Result<(), Stop> {
        let tag = c.peek().ok_or(Stop::Short)?;
        self.state = match tag {
            tag::NULL | tag::FALSE | tag::TRUE => {
                let scalar = if tag == tag::NULL { Scalar::Null } else { Scalar::Bool(tag == tag::TRUE) };
                c.u8()?;
                self.scalar(scalar, tables, sink);
                return Ok(());
            }
            tag::NEGATIVE | tag::UINT | tag::POINTER => State::Number { tag },
            tag::FLOAT => State::Float,
            tag::DOUBLE => State::Double,
            tag::STRING => State::BytesLen(Bytes::String),
            tag::BLOB => State::BytesLen(Bytes::Blob),
            tag::WIDE => State::BytesLen(Bytes::Wide),
            tag::ENUM => State::EnumId,
            tag::BITMASK => State::BitmaskId,
            tag::ARRAY => State::ArrayLen,
            tag::STRUCT => State::StructId,
            tag::REPR => {
                self.open(Nest::Repr, 2, tables, sink)?;
                State::Value
            }
            _ => return Err(Stop::Bad),
        };
        c.u8()?;
        Ok(())
    }

    /// What follows a value's tag.
    fn payload(&mut self, c: &mut Cursor<'_>, tables: &Tables, sink: &mut impl Sink) -> Result<(), Stop> {
        match self.state {
            State::Number { tag } => {
                let n = uint(c)?;
                let scalar = match tag {
                    tag::UINT => Scalar::Uint(n),
                    tag::POINTER => Scalar::Pointer(n),
                    _ => Scalar::Int(0i64.wrapping_sub(n as i64)),
                };
                self.scalar(scalar, tables, sink);
            }
            State::Float => {
                let value = f32::from_bits(c.u32()?);
                self.scalar(Scalar::Float(value), tables, sink);
            }
            State::Double => {
                let value = f64::from_bits(c.u64()?);
                self.scalar(Scalar::Double(value), tables, sink);
            }
            State::BytesLen(kind) => {
                let left = uint(c)?;
                sink.begin_bytes(tables, kind, left);
                if left == 0 {
                    self.bytes_end(sink);
                } else {
                    self.state = if kind == Bytes::Wide { State::Units { left } } else { State::Bytes { left } };
                }
            }
            State::Bytes { left } => {
                let here = c.take_up_to(left);
                if here.is_empty() {
                    return Err(Stop::Short);
                }
                sink.bytes(here);
                let left = left - here.len() as u64;
                if left == 0 {
                    self.bytes_end(sink);
                } else {
                    self.state = State::Bytes { left };
                }
            }
            State::Units { left } => {
                sink.unit(uint(c)? as u32);
                if left == 1 {
                    self.bytes_end(sink);
                } else {
                    self.state = State::Units { left: left - 1 };
                }
            }
            State::EnumId => {
                let id = uint(c)?;
                let whole = self.header.version >= wire::ENUM_TABLES;
                match tables.enums.known(id, c.at()) {
                    Some(signature) if whole => self.state = State::EnumTag { signature },
                    Some(signature) => self.old_enum(signature, tables, sink),
                    None => self.define(if whole { Kind::Enum } else { Kind::EnumValue }, id, c.at()),
                }
            }
            State::EnumTag { signature } => {
                let negative = sint_tag(c)?;
                self.state = State::EnumValue { signature, negative };
            }
            State::EnumValue { signature, negative } => {
                let value = sint(uint(c)?, negative);
                self.scalar(Scalar::Enum { signature, value }, tables, sink);
            }
            State::BitmaskId => {
                let id = uint(c)?;
                match tables.bitmasks.known(id, c.at()) {
                    Some(signature) => self.state = State::BitmaskValue { signature },
                    None => self.define(Kind::Bitmask, id, c.at()),
                }
            }
            State::BitmaskValue { signature } => {
                let value = uint(c)?;
                self.scalar(Scalar::Bitmask { signature, value }, tables, sink);
            }
            State::ArrayLen => {
                if self.nest.len() >= MAX_DEPTH {
                    return Err(Stop::Bad);
                }
                let count = uint(c)?;
                self.open(Nest::Array(count), count, tables, sink)?;
            }
            State::StructId => {
                if self.nest.len() >= MAX_DEPTH {
                    return Err(Stop::Bad);
                }
                let id = uint(c)?;
                match tables.structs.known(id, c.at()) {
                    Some(signature) => self.open_struct(signature, tables, sink)?,
                    None => self.define(Kind::Struct, id, c.at()),
                }
            }
            _ => return Err(Stop::Bad),
        }
        Ok(())
    }

    fn old_enum(&mut self, signature: u32, tables: &Tables, sink: &mut impl Sink) {
        let value = tables.enums.get(signature).map_or(0, Enum::first);
        self.scalar(Scalar::Enum { signature, value }, tables, sink);
    }

    fn scalar(&mut self, scalar: Scalar, tables: &Tables, sink: &mut impl Sink) {
        sink.scalar(tables, scalar);
        self.value_end(sink);
    }

    fn bytes_end(&mut self, sink: &mut impl Sink) {
        sink.end_bytes();
        self.value_end(sink);
    }

    fn open_struct(&mut self, signature: u32, tables: &Tables, sink: &mut impl Sink) -> Result<(), Stop> {
        let count = tables.structs.get(signature).map_or(0, |s| s.members.len());
        self.open(Nest::Struct(signature), count as u64, tables, sink)
    }

    fn open(&mut self, nest: Nest, count: u64, tables: &Tables, sink: &mut impl Sink) -> Result<(), Stop> {
        if self.nest.len() >= MAX_DEPTH {
            return Err(Stop::Bad);
        }
        sink.open(tables, nest);
        if count == 0 {
            sink.close();
            self.value_end(sink);
        } else {
            self.nest.push(count);
            self.state = State::Value;
        }
        Ok(())
    }

    /// A value is over, and perhaps what holds it.
    fn value_end(&mut self, sink: &mut impl Sink) {
        while let Some(left) = self.nest.last_mut() {
            *left -= 1;
            if *left > 0 {
                self.state = State::Value;
                return;
            }
            self.nest.pop();
            sink.close();
        }
        self.state = State::Detail;
    }

    fn define(&mut self, kind: Kind, id: u64, at: u64) {
        self.draft = Draft::new(kind, id, at);
        self.state = match kind {
            Kind::Enum | Kind::Bitmask => State::Count,
            Kind::Frame { .. } => State::FrameTag,
            _ => State::TextLen,
        };
    }

    /// The header, and definitions.
    fn definition<D: Definitions, S: Sink>(
        &mut self,
        c: &mut Cursor<'_>,
        defs: &mut D,
        sink: &mut S,
    ) -> Result<(), Stop> {
        match self.state {
            State::Version => {
                let version = uint(c)?;
                self.header.version = u32::try_from(version).unwrap_or(u32::MAX);
                self.header.semantic_version = self.header.version;
                self.state = match self.header.version {
                    0..wire::PROPERTIES => State::Event,
                    wire::PROPERTIES..=wire::VERSION => State::Semantic,
                    _ => return Err(Stop::Bad),
                };
            }
            State::Semantic => {
                self.header.semantic_version = u32::try_from(uint(c)?).unwrap_or(u32::MAX);
                self.state = State::PropertyName;
            }
            State::PropertyName | State::PropertyValue | State::TextLen => {
                let left = uint(c)?;
                let kind = match self.state {
                    State::PropertyName if left == 0 => {
                        self.state = State::Event;
                        return Ok(());
                    }
                    State::PropertyName => Kind::PropertyName,
                    State::PropertyValue => Kind::PropertyValue,
                    _ => self.draft.kind,
                };
                self.draft.kind = kind;
                self.text.clear();
                if left == 0 {
                    return self.text_end(defs, sink);
                }
                self.state = State::Text { left };
            }
            State::Text { left } => {
                let here = c.take_up_to(left);
                if here.is_empty() {
                    return Err(Stop::Short);
                }
                if self.text.len() + here.len() > MAX_TEXT {
                    return Err(Stop::Bad);
                }
                self.text.extend_from_slice(here);
                let left = left - here.len() as u64;
                self.state = State::Text { left };
                if left == 0 {
                    return self.text_end(defs, sink);
                }
            }
            State::Count => {
                let count = uint(c)?;
                if count > MAX_COUNT {
                    return Err(Stop::Bad);
                }
                self.draft.count = count;
                self.next_entry(defs, sink)?;
            }
            State::SintTag => {
                let negative = sint_tag(c)?;
                self.state = State::Sint { negative };
            }
            State::Sint { negative } => {
                let value = sint(uint(c)?, negative);
                self.draft.numbers.push(value as u64);
                self.next_entry(defs, sink)?;
            }
            State::Bits => {
                let bits = uint(c)?;
                self.draft.numbers.push(bits);
                self.next_entry(defs, sink)?;
            }
            State::FrameTag => {
                let tag = c.u8()?;
                let Kind::Frame { left, .. } = self.draft.kind else { return Err(Stop::Bad) };
                self.draft.kind = Kind::Frame { left, tag };
                self.state = match tag {
                    frame_tag::MODULE | frame_tag::FUNCTION | frame_tag::FILE => State::TextLen,
                    frame_tag::LINE | frame_tag::OFFSET => State::FrameNumber { tag },
                    frame_tag::END => return self.defined(defs, sink),
                    _ => return Err(Stop::Bad),
                };
            }
            State::FrameNumber { tag } => {
                let number = Some(uint(c)?);
                match tag {
                    frame_tag::LINE => self.draft.frame.line = number,
                    _ => self.draft.frame.offset = number,
                }
                self.state = State::FrameTag;
            }
            _ => return Err(Stop::Bad),
        }
        Ok(())
    }

    /// A string of a definition or of the header is over.
    fn text_end<D: Definitions, S: Sink>(&mut self, defs: &mut D, sink: &mut S) -> Result<(), Stop> {
        let text = text_of(&self.text);
        match self.draft.kind {
            Kind::PropertyName => {
                self.header.properties.push((text, Vec::new()));
                self.state = State::PropertyValue;
            }
            Kind::PropertyValue => {
                if let Some(last) = self.header.properties.last_mut() {
                    last.1 = core::mem::take(&mut self.text);
                }
                self.state = State::PropertyName;
            }
            Kind::Function { .. } | Kind::Struct if self.draft.name.is_none() => {
                self.draft.name = Some(text);
                self.state = State::Count;
            }
            Kind::Frame { tag, .. } => {
                let frame = &mut self.draft.frame;
                match tag {
                    frame_tag::MODULE => frame.module = Some(text),
                    frame_tag::FUNCTION => frame.function = Some(text),
                    _ => frame.file = Some(text),
                }
                self.state = State::FrameTag;
            }
            kind => {
                if self.draft.names.bytes() + text.len() > MAX_TEXT {
                    return Err(Stop::Bad);
                }
                self.draft.names.push(&text);
                match kind {
                    Kind::Enum | Kind::EnumValue => self.state = State::SintTag,
                    Kind::Bitmask => self.state = State::Bits,
                    _ => self.next_entry(defs, sink)?,
                }
            }
        }
        Ok(())
    }

    fn next_entry<D: Definitions, S: Sink>(&mut self, defs: &mut D, sink: &mut S) -> Result<(), Stop> {
        if (self.draft.names.len() as u64) < self.draft.count {
            self.state = State::TextLen;
            return Ok(());
        }
        self.defined(defs, sink)
    }

    /// A definition is over; the walk goes on where its id stood.
    fn defined<D: Definitions, S: Sink>(&mut self, defs: &mut D, sink: &mut S) -> Result<(), Stop> {
        let draft = core::mem::replace(&mut self.draft, Draft::new(Kind::Enum, 0, 0));
        let Draft { kind, id, at, name, names, numbers, frame, .. } = draft;
        let name = name.unwrap_or_default();
        let signature = match kind {
            Kind::Function { .. } => {
                let flags = NameFlags::of(&name);
                Signature::Function(Function { name, args: names, flags })
            }
            Kind::Enum | Kind::EnumValue => {
                Signature::Enum(Enum::new(names, numbers.into_iter().map(|n| n as i64).collect()))
            }
            Kind::Bitmask => Signature::Bitmask(Bitmask { names, bits: numbers }),
            Kind::Struct => Signature::Struct(Struct { name, members: names }),
            Kind::Frame { .. } => Signature::Frame(frame),
            Kind::PropertyName | Kind::PropertyValue => return Err(Stop::Bad),
        };
        let index = defs.define(id, at, signature);
        match kind {
            Kind::Function { thread } => self.entered(thread, index, defs.tables(), sink),
            Kind::Enum => self.state = State::EnumTag { signature: index },
            Kind::EnumValue => self.old_enum(index, defs.tables(), sink),
            Kind::Bitmask => self.state = State::BitmaskValue { signature: index },
            Kind::Struct => self.open_struct(index, defs.tables(), sink)?,
            Kind::Frame { left, .. } => self.framed(index, left, defs.tables(), sink),
            Kind::PropertyName | Kind::PropertyValue => {}
        }
        Ok(())
    }
}

/// The tag before a signed number.
fn sint_tag(c: &mut Cursor<'_>) -> Result<bool, Stop> {
    let negative = match c.peek().ok_or(Stop::Short)? {
        tag::NEGATIVE => true,
        tag::UINT => false,
        _ => return Err(Stop::Bad),
    };
    c.u8()?;
    Ok(negative)
}

fn sint(magnitude: u64, negative: bool) -> i64 {
    if negative { 0i64.wrapping_sub(magnitude as i64) } else { magnitude as i64 }
}
