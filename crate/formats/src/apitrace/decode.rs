//! The state machine that walks over a stream: one grammar for events, details and text.
//!
//! It takes the decompressed stream in portions, restarts at primitives (a number, a tag, a part of
//! a string or blob) and feeds a [`Sink`]. For a sink that needs no values ([`Sink::SKIM`]) or can
//! forget an event ([`Sink::REPEAT`]), `skim.rs` takes events that are complete in the input and
//! define nothing; this machine takes all others.
//!
//! ```text
//! ENTER [thread] function { detail }* 0      function, enum, bitmask, struct, frame: an id, and a definition
//! LEAVE call     { detail }* 0               the first time the id comes
//! ```

mod definitions;

use alloc::vec::Vec;

use definitions::{Draft, Kind};
use unspool_trace::input::Cursor;

use super::records::{Bytes, Enter, Event, Nest, Scalar};
use super::shapes::Shapes;
use super::skim::{Known, Skimmer};
use super::tables::{Definitions, Enum, Tables};
use super::wire::{self, Header, MAX_ARGS, MAX_DEPTH, Stop, StreamOffset, tag, uint};

/// Receives what a walk finds. Values follow the argument, result or container that they belong to,
/// depth first.
#[allow(unused_variables)]
pub(crate) trait Sink {
    /// Whole events may be delivered by [`Sink::whole`], without their values.
    const SKIM: bool = false;
    /// An event may be delivered again from its beginning, after [`Sink::again`]. This is faster.
    const REPEAT: bool = false;
    /// Whether the walk must stop before the next event.
    fn is_full(&self) -> bool {
        false
    }
    /// Whether the end of a call is wanted with its values, although other events are delivered
    /// without.
    fn wants_leave(&self, call: u64) -> bool {
        false
    }
    /// The beginning of a call.
    fn enter(&mut self, tables: &Tables, enter: Enter);
    /// The end of call number `call`; the event is at offset `at` of the stream.
    fn leave(&mut self, tables: &Tables, at: StreamOffset, call: u64);
    /// The event ends at offset `end` of the stream.
    fn event_end(&mut self, tables: &Tables, end: StreamOffset);
    /// The current event is forgotten. It is delivered again from its beginning.
    fn again(&mut self) {}
    /// A whole event, which ends at offset `end` of the stream and has `blobs` bytes in blobs.
    fn whole(&mut self, tables: &Tables, event: Event, end: StreamOffset, blobs: u64) {}
    /// Two whole events that begin and end a call, the second without details. They end at these
    /// offsets of the stream.
    #[inline]
    fn call(&mut self, tables: &Tables, enter: Enter, ends: (StreamOffset, StreamOffset), blobs: u64) {
        self.whole(tables, Event::Enter(enter), ends.0, blobs);
        self.whole(tables, Event::Leave { at: ends.0, call: enter.call }, ends.1, 0);
    }
    fn flags(&mut self, flags: u64) {}
    /// The frames of a backtrace follow.
    fn backtrace(&mut self) {}
    fn frame(&mut self, tables: &Tables, frame: u32) {}
    /// The next value is the argument with this index.
    fn argument(&mut self, tables: &Tables, index: u32) {}
    /// The next value is the return value.
    fn result(&mut self) {}
    fn scalar(&mut self, tables: &Tables, value: Scalar) {}
    /// A string or blob of `len` bytes or units begins.
    fn begin_bytes(&mut self, tables: &Tables, kind: Bytes, len: u64) {}
    fn bytes(&mut self, bytes: &[u8]) {}
    fn unit(&mut self, unit: u32) {}
    fn end_bytes(&mut self) {}
    fn open(&mut self, tables: &Tables, nest: Nest) {}
    fn close(&mut self, tables: &Tables) {}
}

/// What the walk expects next.
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
    // In a definition or a property.
    TextLen,
    Text { left: u64 },
    Count,
    SintTag,
    Sint { negative: bool },
    Bits,
    FrameTag,
    FrameNumber { tag: u8 },
}

/// Where the stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Between two events.
    Nothing,
    /// Inside the header.
    Header,
    /// Inside an ENTER event.
    Enter,
    /// Inside the LEAVE event of this call.
    Leave { call: u64 },
    /// Inside the call number of a LEAVE event; `call` is the truncated number.
    Number { call: u64 },
}

/// The stream is invalid; the walk cannot continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    /// Offset in the stream of the invalid primitive.
    pub(crate) at: StreamOffset,
    /// The primitive is the version in the header.
    pub(crate) version: bool,
    /// The bytes are valid, but there are too many definitions.
    pub(crate) too_many: bool,
}

/// Walks over a stream.
#[derive(Debug)]
pub(crate) struct Walk {
    header: Header,
    state: State,
    /// Offset in the stream of the next byte.
    at: StreamOffset,
    /// Calls begun so far, which is the number of the next call.
    calls: u64,
    /// Offset in the stream of the current event.
    event_at: StreamOffset,
    /// The current event is the LEAVE of this call.
    leaving: Option<u64>,
    /// Number of values still to come in each open container of values.
    nest: Vec<u64>,
    /// Entries of all definitions so far.
    entries: u64,
    text: Vec<u8>,
    draft: Draft,
    shapes: Shapes,
}

impl Walk {
    /// A walk that begins at the header.
    pub(crate) fn new() -> Self {
        Self {
            header: Header::default(),
            state: State::Version,
            at: StreamOffset(0),
            calls: 0,
            event_at: StreamOffset(0),
            leaving: None,
            nest: Vec::new(),
            entries: 0,
            text: Vec::new(),
            draft: Draft::new(Kind::PropertyName, 0, StreamOffset(0)),
            shapes: Shapes::default(),
        }
    }

    /// A walk that begins at the event at offset `at` of the stream. A call that begins there gets
    /// the number `call`.
    pub(crate) fn resume(header: Header, at: StreamOffset, call: u64) -> Self {
        Self { header, state: State::Event, at, calls: call, ..Self::new() }
    }

    /// The header, or as much of it as has been read.
    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Whether the header is complete.
    pub(crate) fn has_header(&self) -> bool {
        match self.state {
            State::Version | State::Semantic | State::PropertyName | State::PropertyValue => false,
            State::Text { .. } => !matches!(self.draft.kind, Kind::PropertyName | Kind::PropertyValue),
            _ => true,
        }
    }

    /// Offset in the stream of the next byte.
    pub(crate) fn at(&self) -> StreamOffset {
        self.at
    }

    /// Calls begun so far.
    pub(crate) fn calls(&self) -> u64 {
        self.calls
    }

    /// Bytes of the current string or blob that are still to come. [`Walk::jump`] skips them.
    pub(crate) fn bytes_left(&self) -> u64 {
        if let State::Bytes { left } = self.state { left } else { 0 }
    }

    /// Skips all but the last byte of the current string or blob.
    pub(crate) fn jump(&mut self) {
        if let State::Bytes { left } = self.state
            && left > 1
        {
            self.at += left - 1;
            self.state = State::Bytes { left: 1 };
        }
    }

    /// Where the stream ends if it ends after `rest`, which the last [`Walk::run`] did not use.
    pub(crate) fn cut(&self, rest: &[u8]) -> Cut {
        match self.state {
            State::Event => Cut::Nothing,
            State::Call => Cut::Number { call: wire::cut_uint(rest) },
            _ if !self.has_header() => Cut::Header,
            _ => self.leaving.map_or(Cut::Enter, |call| Cut::Leave { call }),
        }
    }

    /// Walks over `input`, which begins at [`Walk::at`]. Returns the number of bytes used. The rest
    /// is shorter than a primitive, a few bytes, unless the sink is full.
    ///
    /// # Errors
    ///
    /// The stream is invalid.
    pub(crate) fn run<D: Definitions, S: Sink>(
        &mut self,
        input: &[u8],
        defs: &mut D,
        sink: &mut S,
    ) -> Result<usize, Broken> {
        let mut c = Cursor::new(input, self.at.0);
        let result = loop {
            if self.state == State::Event {
                if S::SKIM {
                    self.skim(&mut c, defs.tables(), sink);
                } else if S::REPEAT {
                    self.take_whole(&mut c, defs.tables(), sink);
                }
                if sink.is_full() {
                    break Ok(());
                }
            }
            let before = offset(&c);
            match self.step(&mut c, defs, sink) {
                Ok(()) => {}
                Err(Stop::Short) => break Ok(()),
                Err(Stop::Bad) => {
                    break Err(Broken { at: before, version: self.state == State::Version, too_many: false });
                }
                Err(Stop::TooMany) => break Err(Broken { at: before, version: false, too_many: true }),
            }
        };
        self.at = offset(&c);
        result.map(|()| input.len() - c.len())
    }

    /// Delivers whole events as long as they are complete in the input.
    fn skim(&mut self, c: &mut Cursor<'_>, tables: &Tables, sink: &mut impl Sink) {
        let mut skimmer = Skimmer::<false>::new(c.rest(), offset(c), self.header.version);
        while !sink.is_full() {
            if let Some(Known { enter, blobs, end, has_left }) = skimmer.known(tables, self.calls, &mut self.shapes) {
                self.calls += 1;
                if has_left {
                    sink.call(tables, enter, (end, skimmer.at()), blobs);
                } else {
                    sink.whole(tables, Event::Enter(enter), end, blobs);
                }
                continue;
            }
            let from = skimmer.position();
            let Some((event, blobs)) = skimmer.event(tables, self.calls, sink) else { break };
            if let Event::Enter(_) = event {
                self.calls += 1;
            }
            skimmer.learn(from, blobs, &mut self.shapes);
            sink.whole(tables, event, skimmer.at(), blobs);
        }
        c.take_up_to(skimmer.position() as u64);
    }

    /// Delivers events with their values as long as they are complete in the input.
    fn take_whole(&mut self, c: &mut Cursor<'_>, tables: &Tables, sink: &mut impl Sink) {
        let mut skimmer = Skimmer::<true>::new(c.rest(), offset(c), self.header.version);
        while !sink.is_full() {
            let Some((event, _)) = skimmer.event(tables, self.calls, sink) else {
                sink.again();
                break;
            };
            if let Event::Enter(_) = event {
                self.calls += 1;
            }
            sink.event_end(tables, skimmer.at());
        }
        c.take_up_to(skimmer.position() as u64);
    }

    /// Takes one primitive. Changes nothing if it is incomplete.
    fn step<D: Definitions, S: Sink>(&mut self, c: &mut Cursor<'_>, defs: &mut D, sink: &mut S) -> Result<(), Stop> {
        match self.state {
            State::Event => {
                let at = offset(c);
                match c.peek().ok_or(Stop::Short)? {
                    wire::ENTER => {
                        self.leaving = None;
                        // The stream has no numbers: ENTER events count as they come, over all
                        // threads, even those that are cut.
                        self.calls += 1;
                        self.state = match self.header.version {
                            0..wire::THREADS => State::Function { thread: 0 },
                            _ => State::Thread,
                        };
                    }
                    wire::LEAVE => self.state = State::Call,
                    // Nothing marks where the next event begins, so there is no way to go on.
                    // apitrace exits, too.
                    _ => return Err(Stop::Bad),
                }
                self.event_at = at;
                c.u8()?;
            }
            State::Thread => self.state = State::Function { thread: uint(c)? },
            State::Function { thread } => {
                let id = uint(c)?;
                match defs.tables().functions.known(id, offset(c)) {
                    Some(function) => self.entered(thread, function, defs.tables(), sink),
                    None => self.define(Kind::Function { thread }, id, offset(c)),
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
                        sink.event_end(defs.tables(), offset(c) + 1);
                        State::Event
                    }
                    wire::DETAIL_ARG => State::Argument,
                    wire::DETAIL_RET => {
                        sink.result();
                        State::Value
                    }
                    // Taken in any version, as apitrace does, although releases write backtraces
                    // since version 5 and flags since 6.
                    wire::DETAIL_BACKTRACE => State::Frames,
                    wire::DETAIL_FLAGS => State::Flags,
                    // 3 would be the number of a thread. No writer wrote it and no parser accepts
                    // it.
                    _ => return Err(Stop::Bad),
                };
                c.u8()?;
            }
            State::Argument => {
                let index = uint(c)?;
                // An argument beyond those of the signature is legal, and has no name; what is kept
                // for it must not follow the number.
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
                match defs.tables().frames.known(id, offset(c)) {
                    Some(frame) => self.framed(frame, left - 1, defs.tables(), sink),
                    None => self.define(Kind::Frame { left: left - 1, tag: 0 }, id, offset(c)),
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

    /// Takes the tag of a value.
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

    /// Takes what follows a value's tag.
    fn payload(&mut self, c: &mut Cursor<'_>, tables: &Tables, sink: &mut impl Sink) -> Result<(), Stop> {
        match self.state {
            State::Number { tag } => {
                let n = uint(c)?;
                let scalar = match tag {
                    tag::UINT => Scalar::Uint(n),
                    tag::POINTER => Scalar::Pointer(n),
                    // The magnitude; apitrace's `FORMAT.markdown` leaves that open.
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
                // Nothing is allocated for it: the length is what the file says, and the bytes may
                // not be there.
                let left = uint(c)?;
                sink.begin_bytes(tables, kind, left);
                if left == 0 {
                    self.bytes_end(tables, sink);
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
                    self.bytes_end(tables, sink);
                } else {
                    self.state = State::Bytes { left };
                }
            }
            State::Units { left } => {
                // What `wchar_t` was where it was recorded: UTF-16 under Windows, code points
                // elsewhere. The sink joins surrogates.
                sink.unit(uint(c)? as u32);
                if left == 1 {
                    self.bytes_end(tables, sink);
                } else {
                    self.state = State::Units { left: left - 1 };
                }
            }
            State::EnumId => {
                let id = uint(c)?;
                // Before version 3, a signature is one name with its value, and nothing follows
                // where it is used.
                let whole = self.header.version >= wire::ENUM_TABLES;
                match tables.enums.known(id, offset(c)) {
                    Some(signature) if whole => self.state = State::EnumTag { signature },
                    Some(signature) => self.old_enum(signature, tables, sink),
                    None => self.define(if whole { Kind::Enum } else { Kind::EnumValue }, id, offset(c)),
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
                match tables.bitmasks.known(id, offset(c)) {
                    Some(signature) => self.state = State::BitmaskValue { signature },
                    None => self.define(Kind::Bitmask, id, offset(c)),
                }
            }
            State::BitmaskValue { signature } => {
                // Without the tag that `FORMAT.markdown` puts before it: no writer has ever written
                // one.
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
                match tables.structs.known(id, offset(c)) {
                    Some(signature) => self.open_struct(signature, tables, sink)?,
                    None => self.define(Kind::Struct, id, offset(c)),
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
        self.value_end(tables, sink);
    }

    fn bytes_end(&mut self, tables: &Tables, sink: &mut impl Sink) {
        sink.end_bytes();
        self.value_end(tables, sink);
    }

    fn open_struct(&mut self, signature: u32, tables: &Tables, sink: &mut impl Sink) -> Result<(), Stop> {
        // A struct has no count of its own.
        let count = tables.structs.get(signature).map_or(0, |s| s.members.len());
        self.open(Nest::Struct(signature), count as u64, tables, sink)
    }

    fn open(&mut self, nest: Nest, count: u64, tables: &Tables, sink: &mut impl Sink) -> Result<(), Stop> {
        if self.nest.len() >= MAX_DEPTH {
            return Err(Stop::Bad);
        }
        sink.open(tables, nest);
        if count == 0 {
            sink.close(tables);
            self.value_end(tables, sink);
        } else {
            self.nest.push(count);
            self.state = State::Value;
        }
        Ok(())
    }

    /// A value ends, and with it each container whose last value it was.
    fn value_end(&mut self, tables: &Tables, sink: &mut impl Sink) {
        while let Some(left) = self.nest.last_mut() {
            *left -= 1;
            if *left > 0 {
                self.state = State::Value;
                return;
            }
            self.nest.pop();
            sink.close(tables);
        }
        self.state = State::Detail;
    }
}

/// Offset in the stream of the next byte of a cursor.
fn offset(c: &Cursor<'_>) -> StreamOffset {
    StreamOffset(c.at())
}

/// Reads the tag of a signed number. Returns whether the number is negative.
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
