//! The part of the state machine that reads the header and the definitions.

use alloc::string::String;
use alloc::vec::Vec;

use unspool_trace::input::Cursor;

use super::super::functions::NameFlags;
use super::super::tables::{Bitmask, Definitions, Enum, Frame, Function, Signature, Strings, Struct};
use super::super::wire::{self, MAX_ENTRIES, Stop, StreamOffset, frame_tag, text_of, uint};
use super::{Sink, State, Walk, sint, sint_tag};

/// Maximum length of the strings of a definition together, in bytes.
const MAX_TEXT: usize = 1 << 26;
/// Maximum number of entries of a definition.
const MAX_COUNT: u64 = 1 << 22;

/// What is being read: a part of the header, or a definition and where to continue after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    PropertyName,
    PropertyValue,
    Function {
        thread: u64,
    },
    Enum,
    /// Versions 0 to 2: one name with its value.
    EnumValue,
    Bitmask,
    Struct,
    /// `left` more frames follow this one.
    Frame {
        left: u64,
        tag: u8,
    },
}

/// An incomplete definition.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) kind: Kind,
    id: u64,
    /// Offset in the stream, after the id.
    at: StreamOffset,
    name: Option<String>,
    count: u64,
    names: Strings,
    numbers: Vec<u64>,
    frame: Frame,
}

impl Draft {
    pub(super) fn new(kind: Kind, id: u64, at: StreamOffset) -> Self {
        let (names, numbers, frame) = Default::default();
        Self { kind, id, at, name: None, count: 0, names, numbers, frame }
    }
}

impl Walk {
    /// Begins a definition.
    pub(super) fn define(&mut self, kind: Kind, id: u64, at: StreamOffset) {
        self.draft = Draft::new(kind, id, at);
        self.state = match kind {
            Kind::Enum | Kind::Bitmask => State::Count,
            Kind::Frame { .. } => State::FrameTag,
            _ => State::TextLen,
        };
    }

    /// Takes one primitive of the header or of a definition.
    pub(super) fn definition<D: Definitions, S: Sink>(
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
            State::PropertyName | State::PropertyValue | State::TextLen => self.text_begin(c, defs, sink)?,
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
                self.entries += count;
                if self.entries > MAX_ENTRIES {
                    return Err(Stop::TooMany);
                }
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
            State::FrameTag | State::FrameNumber { .. } => self.frame_part(c, defs, sink)?,
            _ => return Err(Stop::Bad),
        }
        Ok(())
    }

    /// Takes the length of a string of a definition or of the header.
    fn text_begin<D: Definitions, S: Sink>(
        &mut self,
        c: &mut Cursor<'_>,
        defs: &mut D,
        sink: &mut S,
    ) -> Result<(), Stop> {
        let left = uint(c)?;
        self.draft.kind = match self.state {
            // An empty name ends the properties.
            State::PropertyName if left == 0 => {
                self.state = State::Event;
                return Ok(());
            }
            State::PropertyName => Kind::PropertyName,
            State::PropertyValue => Kind::PropertyValue,
            _ => self.draft.kind,
        };
        self.text.clear();
        if left == 0 {
            return self.text_end(defs, sink);
        }
        self.state = State::Text { left };
        Ok(())
    }

    /// Takes the tag of a part of a stack frame, or a number of it.
    fn frame_part<D: Definitions, S: Sink>(
        &mut self,
        c: &mut Cursor<'_>,
        defs: &mut D,
        sink: &mut S,
    ) -> Result<(), Stop> {
        if let State::FrameNumber { tag } = self.state {
            let number = Some(uint(c)?);
            match tag {
                frame_tag::LINE => self.draft.frame.line = number,
                _ => self.draft.frame.offset = number,
            }
            self.state = State::FrameTag;
            return Ok(());
        }
        let tag = c.u8()?;
        let Kind::Frame { left, .. } = self.draft.kind else { return Err(Stop::Bad) };
        self.draft.kind = Kind::Frame { left, tag };
        self.state = match tag {
            frame_tag::MODULE | frame_tag::FUNCTION | frame_tag::FILE => State::TextLen,
            frame_tag::LINE | frame_tag::OFFSET => State::FrameNumber { tag },
            frame_tag::END => return self.defined(defs, sink),
            _ => return Err(Stop::Bad),
        };
        Ok(())
    }

    /// A string of a definition or of the header ends.
    fn text_end<D: Definitions, S: Sink>(&mut self, defs: &mut D, sink: &mut S) -> Result<(), Stop> {
        let text = text_of(&self.text);
        match self.draft.kind {
            Kind::PropertyName => {
                self.header.properties.push((core::mem::take(&mut self.text), Vec::new()));
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

    /// A definition ends; the walk continues after its id.
    fn defined<D: Definitions, S: Sink>(&mut self, defs: &mut D, sink: &mut S) -> Result<(), Stop> {
        let draft = core::mem::replace(&mut self.draft, Draft::new(Kind::Enum, 0, StreamOffset(0)));
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
