//! A call with its values, as a type: what everything that knows apitrace works with.
//! [`Call::visit`] makes fields of it, for what treats records of all formats alike.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use core::slice;

use unspool_trace::Digest;
use unspool_trace::records::{Delivery, Extent, FieldValue, Record, RecordName, Visitor};

use super::describe::{put_guid, shown};
use super::functions::{Marker, NameFlags};
use super::lists::Rendered;
use super::records::Scalar;
use super::tables::{Function, Strings, Struct, Tables};
use super::tape::{Item, Part, Tape};

/// A call that has returned, or never will within the trace, with its values borrowed from where
/// they were recorded.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Its number, from 0 over all threads.
    pub number: u64,
    /// Number of the frame that it belongs to, from 0.
    pub frame: u64,
    /// It never returned within the trace.
    pub is_incomplete: bool,
    /// What it does to a framebuffer.
    pub rendered: Rendered,
    pub(super) function: &'a Function,
    /// Keys of the arguments.
    pub(super) keys: Option<&'a Strings>,
    pub(super) tables: &'a Tables,
    /// Its arguments are sorted.
    pub(super) tape: &'a Tape,
}

/// Receives the calls of a pass.
pub trait CallVisitor {
    /// Whether calls of a function can be wanted. `keys` are those of the fields that its calls may
    /// have, as in [`Visitor::may_want`]. May be asked at any time and as often as needed.
    fn may_want(&mut self, _name: &str, _keys: &mut dyn Iterator<Item = &str>) -> bool {
        true
    }
    /// A call has returned, or never will. Returns whether it is wanted.
    fn begin(&mut self, _record: &Record<'_>) -> bool {
        true
    }
    /// A call that is wanted.
    fn call(&mut self, call: &Call<'_>);
    /// The extent to which bytes of values are needed, as in [`Visitor::extent`].
    fn extent(&self) -> Extent {
        Extent::Shown
    }
    /// Whether the pass must stop after the current call. It can be continued.
    fn is_full(&self) -> bool {
        false
    }
}

/// Calls as their own type, to a [`CallVisitor`]: what a [`Pass`](unspool_trace::Pass) may deliver.
#[derive(Clone, Copy, Debug)]
pub enum Calls {}

impl Delivery for Calls {
    type Visitor<'v> = dyn CallVisitor + 'v;

    fn is_full(visitor: &Self::Visitor<'_>) -> bool {
        visitor.is_full()
    }
}

/// Passes calls on with their fields.
pub(super) struct ToFields<'a>(pub(super) &'a mut dyn Visitor);

impl CallVisitor for ToFields<'_> {
    fn may_want(&mut self, name: &str, keys: &mut dyn Iterator<Item = &str>) -> bool {
        self.0.may_want(RecordName::Text(name), keys)
    }

    fn begin(&mut self, record: &Record<'_>) -> bool {
        self.0.begin(record)
    }

    fn call(&mut self, call: &Call<'_>) {
        call.visit(self.0);
        self.0.end();
    }

    fn extent(&self) -> Extent {
        self.0.extent()
    }

    fn is_full(&self) -> bool {
        self.0.is_full()
    }
}

/// A part of a value. A list or structure is [`Token::Open`], its values, and [`Token::Close`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'a> {
    /// A single value.
    Scalar(Scalar),
    /// A string. Nearly all are UTF-8: [`Token::text`] is for those that are not.
    Text(&'a [u8]),
    /// The first bytes of memory that the call read or wrote, and how many the trace has.
    Blob(&'a [u8], u64),
    /// A structure that is a GUID: a number of 32 bits, two of 16, and eight bytes.
    Guid([u64; 11]),
    /// A list begins, or a structure. Structures in members without a name are not among them:
    /// their members belong to the structure around them.
    Open {
        /// It is an array.
        is_list: bool,
    },
    /// The innermost list or structure ends.
    Close,
    /// A digest of what limits left out of the value before, or of the list or structure that ended
    /// last. Only with [`Extent::Digested`].
    LeftOut([u64; 2]),
}

/// What a value is called where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name<'a> {
    /// It is an element of a list, an argument or a result.
    None,
    /// A member of a structure.
    Member(&'a str),
    /// A member without a name, by its index.
    Unnamed(u32),
}

impl<'a> Call<'a> {
    /// Number of its thread, as apitrace counts them.
    pub fn thread(&self) -> u64 {
        self.tape.thread
    }

    /// Index of the function's signature in the trace: calls of one function have one.
    pub fn function(&self) -> u32 {
        self.tape.function
    }

    /// Name of the function.
    pub fn name(&self) -> &'a str {
        &self.function.name
    }

    /// What the function's name says of its calls.
    pub fn flags(&self) -> NameFlags {
        self.function.flags
    }

    /// The tracer made it, not the program.
    pub fn is_fake(&self) -> bool {
        self.tape.fake
    }

    /// Values were left out, because they were too many.
    pub fn is_shortened(&self) -> bool {
        self.tape.shortened
    }

    /// Bytes of blobs that are not among its values: those that a value has for machines beside
    /// what it has for people, and those beyond the limits.
    pub fn unseen_bytes(&self) -> u64 {
        self.tape.unseen
    }

    /// Number of arguments: those of the signature, and those beyond it that were recorded.
    pub fn len(&self) -> usize {
        let beyond = self.tape.arguments.last().map_or(0, |last| last.index as usize + 1);
        beyond.max(self.function.args.len())
    }

    /// Whether it has no arguments.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The key of an argument: its name, where that is not the name of one before it. `None` for
    /// others, which are called `argument 3`.
    pub fn key(&self, index: usize) -> Option<&'a str> {
        self.keys?.get(index)
    }

    /// The arguments in their order. `None` for one that was not recorded.
    pub fn arguments(&self) -> impl Iterator<Item = Option<Values<'a>>> + use<'a> {
        let call = *self;
        let mut parts = call.tape.arguments.iter().peekable();
        (0..call.len())
            .map(move |index| parts.next_if(|part| part.index as usize == index).map(|part| call.values(*part)))
    }

    /// What it returned. `None` if it returned nothing.
    pub fn result(&self) -> Option<Values<'a>> {
        self.tape.result.map(|part| self.values(part))
    }

    /// The frames of the stack that called it, innermost first, if the tracer recorded them.
    pub fn backtrace(&self) -> Option<impl Iterator<Item = String> + use<'a>> {
        let (tape, tables) = (self.tape, self.tables);
        let text = |frame: &u32| {
            let mut text = String::new();
            if let Some(frame) = tables.frames.get(*frame) {
                frame.put_text(&mut text);
            }
            text
        };
        tape.has_backtrace.then(|| tape.frames.iter().map(text))
    }

    fn values(&self, part: Part) -> Values<'a> {
        let items = self.tape.items.get(part.item as usize..).unwrap_or_default();
        Values {
            tables: self.tables,
            items: items.iter(),
            bytes: self.tape.bytes.get(part.byte as usize..).unwrap_or_default(),
            lists: 0,
            structures: Vec::new(),
            state: match items.first() {
                // There was no room for it.
                None | Some(Item::LeftOut(_)) => State::Missing,
                Some(_) => State::Going,
            },
        }
    }

    /// Passes a value on as a field.
    pub(super) fn field(&self, key: &str, token: Token<'_>, scratch: &mut String, visitor: &mut dyn Visitor) {
        let value = match token {
            Token::Open { is_list } => return visitor.open(key, is_list),
            Token::Close => return visitor.close(),
            Token::LeftOut(digest) => return visitor.left_out(digest),
            Token::Text(bytes) => match core::str::from_utf8(bytes) {
                Ok(text) => FieldValue::Text(text),
                Err(_) => return put_damaged(key, bytes, visitor),
            },
            Token::Blob(bytes, len) => FieldValue::Bytes { bytes, len },
            Token::Guid(parts) => {
                scratch.clear();
                put_guid(scratch, &parts);
                FieldValue::Text(scratch)
            }
            Token::Scalar(scalar) => return self.tables.visit(scalar, scratch, |value| visitor.field(key, value)),
        };
        visitor.field(key, value);
    }

    /// Passes the call on as fields. Their keys are those of the JSON lines (`json.rs`): `call`,
    /// `thread`, `frame`, `args`, `ret`, `flags`, `backtrace`. One more flag, `shortened`, says
    /// that values were left out.
    pub fn visit(&self, visitor: &mut dyn Visitor) {
        let (mut key, mut scratch) = (String::new(), String::new());
        let mut value = |name: &str, values: Values<'_>, visitor: &mut dyn Visitor| {
            let mut is_first = true;
            for (member, token) in values {
                let name = match member {
                    _ if core::mem::take(&mut is_first) => name,
                    Name::None => "",
                    Name::Member(name) => name,
                    Name::Unnamed(index) => {
                        key.clear();
                        let _ = write!(key, "member {index}");
                        &key
                    }
                };
                self.field(name, token, &mut scratch, visitor);
            }
        };
        if let Some(digest) = self.tape.left_out {
            visitor.left_out(digest.finish());
        }
        visitor.field("call", FieldValue::U64(self.number));
        visitor.field("thread", FieldValue::Id(self.thread() as i64));
        visitor.field("frame", FieldValue::U64(self.frame));
        visitor.open("args", false);
        let mut beyond = String::new();
        for (index, argument) in self.arguments().enumerate() {
            let name = self.key(index).unwrap_or_else(|| {
                beyond.clear();
                let _ = write!(beyond, "argument {index}");
                &beyond
            });
            match argument {
                Some(values) => value(name, values, visitor),
                None => visitor.field(name, FieldValue::Null),
            }
        }
        visitor.close();
        if let Some(values) = self.result() {
            value("ret", values, visitor);
        }
        visitor.open("flags", true);
        let flags = self.flags();
        let flags = [
            ("draw", self.rendered.is_draw()),
            ("clear", self.rendered.is_clear()),
            ("compiled", self.rendered == Rendered::Compiled),
            ("end-frame", flags.frame_end),
            ("marker", flags.marker == Some(Marker::Plain)),
            ("begin-group", flags.marker == Some(Marker::Push)),
            ("end-group", flags.marker == Some(Marker::Pop)),
            ("fake", self.is_fake()),
            ("incomplete", self.is_incomplete),
            ("shortened", self.is_shortened()),
        ];
        for (name, _) in flags.iter().filter(|(_, is)| *is) {
            visitor.field("", FieldValue::Text(name));
        }
        visitor.close();
        if let Some(frames) = self.backtrace() {
            visitor.open("backtrace", true);
            frames.for_each(|frame| visitor.field("", FieldValue::Text(&frame)));
            visitor.close();
        }
    }
}

/// Passes on a string that is not UTF-8. Its text may be that of other bytes.
#[cold]
fn put_damaged(key: &str, bytes: &[u8], visitor: &mut dyn Visitor) {
    visitor.field(key, FieldValue::Text(&shown(bytes)));
    if visitor.extent() == Extent::Digested {
        visitor.left_out(Digest::of(bytes));
    }
}

impl Token<'_> {
    /// A string or GUID as text. `None` for everything else.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Text(bytes) => Some(shown(bytes)),
            Self::Guid(parts) => {
                let mut text = String::new();
                put_guid(&mut text, parts);
                Some(text)
            }
            _ => None,
        }
    }
}

/// The parts of an argument or a result, in their order. At least one.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    tables: &'a Tables,
    items: slice::Iter<'a, Item>,
    /// The bytes of strings and blobs that are still to come.
    bytes: &'a [u8],
    /// Lists that are open within the innermost structure.
    lists: u32,
    structures: Vec<Structure>,
    state: State,
}

/// A structure that is open.
#[derive(Clone, Copy, Debug)]
struct Structure {
    signature: u32,
    /// Index of the next member.
    index: u32,
    /// Its members are those of the structure around it.
    is_inline: bool,
    /// Lists that are open around it, within the next structure.
    lists: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Missing,
    Going,
    Done,
}

impl<'a> Iterator for Values<'a> {
    type Item = (Name<'a>, Token<'a>);

    #[inline]
    fn next(&mut self) -> Option<(Name<'a>, Token<'a>)> {
        if self.state != State::Going {
            let is_missing = self.state == State::Missing;
            self.state = if is_missing && self.has_left_out() { State::Going } else { State::Done };
            return is_missing.then_some((Name::None, Token::Scalar(Scalar::Null)));
        }
        loop {
            let Some(item) = self.items.next() else {
                self.state = State::Done;
                return None;
            };
            if *item == Item::Close {
                let is_inline = self.close();
                if is_inline {
                    continue;
                }
                self.end_if_outermost();
                return Some((Name::None, Token::Close));
            }
            if let Item::LeftOut(digest) = *item {
                self.end_if_outermost();
                return Some((Name::None, Token::LeftOut(digest)));
            }
            let name = self.name();
            let token = match *item {
                Item::Scalar(scalar) => Token::Scalar(scalar),
                Item::Text { len } => Token::Text(self.take(len)),
                Item::Blob { kept, len } => Token::Blob(self.take(kept), len),
                Item::Array => {
                    self.lists += 1;
                    Token::Open { is_list: true }
                }
                Item::Struct { signature, in_repr } => {
                    let is_inline = matches!(name, Name::Unnamed(_)) && !in_repr;
                    let is_guid = |s: &Struct| s.name == "GUID" && s.members.len() == 4;
                    if !is_inline && self.tables.structs.get(signature).is_some_and(is_guid) {
                        Token::Guid(self.guid())
                    } else {
                        self.structures.push(Structure { signature, index: 0, is_inline, lists: self.lists });
                        self.lists = 0;
                        if is_inline {
                            continue;
                        }
                        Token::Open { is_list: false }
                    }
                }
                Item::Close | Item::LeftOut(_) => continue,
            };
            self.end_if_outermost();
            return Some((name, token));
        }
    }
}

impl<'a> Values<'a> {
    /// What the next value is called.
    #[inline]
    fn name(&mut self) -> Name<'a> {
        let Some(Structure { signature, index, .. }) = self.structures.last_mut().filter(|_| self.lists == 0) else {
            return Name::None;
        };
        let at = *index;
        *index += 1;
        let members = self.tables.structs.get(*signature).map(|s| &s.members);
        match members.and_then(|members| members.get(at as usize)).filter(|name| !name.is_empty()) {
            Some(name) => Name::Member(name),
            None => Name::Unnamed(at),
        }
    }

    /// The innermost list or structure ends. Returns whether that is a structure which does not
    /// show.
    fn close(&mut self) -> bool {
        if let Some(left) = self.lists.checked_sub(1) {
            self.lists = left;
            return false;
        }
        let Some(Structure { is_inline, lists, .. }) = self.structures.pop() else { return false };
        self.lists = lists;
        is_inline
    }

    #[inline]
    fn end_if_outermost(&mut self) {
        if self.lists == 0 && self.structures.is_empty() && !self.has_left_out() {
            self.state = State::Done;
        }
    }

    /// Whether a digest of what was left out comes next.
    #[inline]
    fn has_left_out(&self) -> bool {
        matches!(self.items.as_slice().first(), Some(Item::LeftOut(_)))
    }

    /// Takes the next `len` bytes.
    fn take(&mut self, len: u32) -> &'a [u8] {
        let (taken, rest) = self.bytes.split_at_checked(len as usize).unwrap_or((self.bytes, &[]));
        self.bytes = rest;
        taken
    }

    /// The numbers of a structure, up to its end.
    fn guid(&mut self) -> [u64; 11] {
        let mut parts = [0; 11];
        let mut slots = parts.iter_mut();
        let mut depth = 1u32;
        while depth > 0
            && let Some(item) = self.items.next()
        {
            match *item {
                Item::Scalar(scalar) => {
                    if let Some(slot) = slots.next() {
                        *slot = match scalar {
                            Scalar::Uint(n) => n,
                            Scalar::Int(n) => n as u64,
                            _ => 0,
                        };
                    }
                }
                Item::Text { len } | Item::Blob { kept: len, .. } => {
                    self.take(len);
                }
                Item::Array | Item::Struct { .. } => depth += 1,
                Item::Close => depth -= 1,
                Item::LeftOut(_) => {}
            }
        }
        parts
    }
}
