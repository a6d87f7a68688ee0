//! Signatures: a stream defines each at its first use and refers to it by id afterwards.
//!
//! There are five spaces of ids, each for the whole stream. Ids are small but sparse (function ids
//! up to 2349 for 86 functions). The format does not limit them.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use unspool_trace::kept;
use unspool_trace::records::FieldValue;

use super::functions::NameFlags;
use super::records::Scalar;
use super::wire::StreamOffset;

/// Ids below this are looked up in an array.
const SMALL: u64 = 1 << 14;
const NONE: u32 = u32::MAX;

/// Bytes of names and values of constants that readers get although they do not need them: those of
/// OpenGL are a tenth of it.
const FEW_NAMES: usize = 2 << 20;

/// The signatures of one kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Vec<(u64, StreamOffset, T)>", bound(deserialize = "T: Deserialize<'de> + Refers"))]
pub(crate) struct Space<T> {
    /// Signatures with their ids and the offsets of their definitions in the stream.
    items: Vec<(u64, StreamOffset, T)>,
    #[serde(skip)]
    small: Vec<u32>,
    #[serde(skip)]
    large: HashMap<u64, u32>,
    /// Bytes of memory of what the signatures refer to.
    #[serde(skip)]
    referred: u64,
}

/// A signature, which refers to names and values.
pub(crate) trait Refers {
    /// Bytes of memory of these.
    fn referred(&self) -> u64;
}

/// Only the signatures are handed over; the indexes by id are made again.
impl<T: Refers> From<Vec<(u64, StreamOffset, T)>> for Space<T> {
    fn from(items: Vec<(u64, StreamOffset, T)>) -> Self {
        let mut space = Self::default();
        for (id, at, item) in items {
            space.add(id, at, item);
        }
        space
    }
}

impl<T> Default for Space<T> {
    fn default() -> Self {
        Self { small: Vec::new(), large: HashMap::new(), items: Vec::new(), referred: 0 }
    }
}

impl<T> Space<T> {
    /// Bytes of memory.
    fn bytes(&self) -> u64 {
        let found = kept::list(&self.small) + kept::table::<(u64, u32)>(self.large.capacity());
        kept::list(&self.items) + found + self.referred
    }

    /// The index of the signature with this id.
    #[inline]
    pub(crate) fn index(&self, id: u64) -> Option<u32> {
        if id < SMALL {
            return self.small_index(id);
        }
        self.large.get(&id).copied()
    }

    /// As [`Space::index`], of ids of at most 14 bits: two bytes in the stream.
    #[inline]
    pub(crate) fn small_index(&self, id: u64) -> Option<u32> {
        self.small.get(id as usize).copied().filter(|index| *index != NONE)
    }

    /// The index of the signature with this id, unless the id's definition is at offset `at` of the
    /// stream. Definitions are inline, so a walk that resumes in the middle of the stream meets the
    /// known ones again.
    pub(crate) fn known(&self, id: u64, at: StreamOffset) -> Option<u32> {
        let index = self.index(id)?;
        self.items.get(index as usize).filter(|(_, defined, _)| *defined != at).map(|_| index)
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        self.items.get(index as usize).map(|(.., item)| item)
    }

    /// All signatures, by index.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter().map(|(.., item)| item)
    }

    /// What is handed over of signatures, each changed by `change`.
    fn changed(&self, change: impl Fn(&T) -> T) -> Self {
        let items = self.items.iter().map(|(id, at, item)| (*id, *at, change(item))).collect();
        Self { items, ..Self::default() }
    }

    fn add(&mut self, id: u64, at: StreamOffset, item: T) -> u32
    where
        T: Refers,
    {
        let index = self.items.len() as u32;
        self.referred += item.referred();
        self.items.push((id, at, item));
        if id < SMALL {
            let i = id as usize;
            if self.small.len() <= i {
                self.small.resize(i + 1, NONE);
            }
            if let Some(slot) = self.small.get_mut(i) {
                *slot = index;
            }
        } else {
            self.large.insert(id, index);
        }
        index
    }
}

/// Strings in one allocation: the GLenum signature has 3,514.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Strings {
    text: String,
    ends: Vec<u32>,
}

impl Strings {
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Bytes of memory.
    fn memory(&self) -> u64 {
        self.text.capacity() as u64 + kept::list(&self.ends)
    }

    pub(crate) fn get(&self, i: usize) -> Option<&str> {
        let end = *self.ends.get(i)? as usize;
        let start = match i.checked_sub(1) {
            Some(before) => *self.ends.get(before)? as usize,
            None => 0,
        };
        self.text.get(start..end)
    }

    /// Index of the first of these texts that is `text`.
    #[cfg(feature = "text")]
    pub(crate) fn first(&self, text: &str) -> Option<usize> {
        (0..self.len()).find(|i| self.get(*i) == Some(text))
    }
}

/// A function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) args: Strings,
    pub(crate) flags: NameFlags,
}

impl Refers for Function {
    fn referred(&self) -> u64 {
        self.name.capacity() as u64 + self.args.memory()
    }
}

/// An enum: names and values.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "(Strings, Vec<i64>)")]
pub(crate) struct Enum {
    names: Strings,
    values: Vec<i64>,
    #[serde(skip)]
    by_value: HashMap<u64, u32>,
}

impl From<(Strings, Vec<i64>)> for Enum {
    fn from((names, values): (Strings, Vec<i64>)) -> Self {
        Self::new(names, values)
    }
}

impl Enum {
    pub(crate) fn new(names: Strings, values: Vec<i64>) -> Self {
        let mut by_value = HashMap::with_capacity(values.len());
        for (i, value) in (0..).zip(&values) {
            // The first of several names wins.
            by_value.entry(*value as u64).or_insert(i);
        }
        Self { names, values, by_value }
    }

    /// The name of a value, if it has one.
    pub(crate) fn name(&self, value: i64) -> Option<&str> {
        self.names.get(*self.by_value.get(&(value as u64))? as usize)
    }

    /// All names and values.
    pub(crate) fn entries(&self) -> impl ExactSizeIterator<Item = (&str, i64)> {
        self.values.iter().enumerate().map(|(i, value)| (self.names.get(i).unwrap_or_default(), *value))
    }

    /// The only value of a signature of versions 0 to 2.
    pub(crate) fn first(&self) -> i64 {
        self.values.first().copied().unwrap_or_default()
    }
}

impl Refers for Enum {
    fn referred(&self) -> u64 {
        let found = kept::table::<(u64, u32)>(self.by_value.capacity());
        self.names.memory() + kept::list(&self.values) + found
    }
}

/// A bitmask: names and bits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Bitmask {
    pub(crate) names: Strings,
    pub(crate) bits: Vec<u64>,
}

impl Bitmask {
    /// Calls `name` with the names of the set bits, in the order of the table. Returns the bits
    /// that have no name. A flag of several bits hides later flags for these bits. A flag of zero
    /// matches only a value of 0, and only if it is first.
    pub(crate) fn split(&self, value: u64, mut name: impl FnMut(&str)) -> u64 {
        let mut left = value;
        for (i, bits) in self.bits.iter().enumerate() {
            if (*bits != 0 && left & bits == *bits) || (*bits == 0 && value == 0) {
                name(self.names.get(i).unwrap_or_default());
                left &= !bits;
            }
            if left == 0 {
                break;
            }
        }
        left
    }
}

impl Refers for Bitmask {
    fn referred(&self) -> u64 {
        self.names.memory() + kept::list(&self.bits)
    }
}

/// A struct.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Struct {
    pub(crate) name: String,
    pub(crate) members: Strings,
}

impl Refers for Struct {
    fn referred(&self) -> u64 {
        self.name.capacity() as u64 + self.members.memory()
    }
}

/// A stack frame; the recorder may not know all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Frame {
    pub(crate) module: Option<String>,
    pub(crate) function: Option<String>,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u64>,
    pub(crate) offset: Option<u64>,
}

impl Frame {
    /// The frame as apitrace prints it.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.put_text(&mut text);
        text
    }

    /// Appends [`Frame::text`].
    pub(crate) fn put_text(&self, text: &mut String) {
        text.push_str(self.module.as_deref().unwrap_or("?"));
        if let Some(function) = &self.function {
            text.push_str(": ");
            text.push_str(function);
        }
        if let Some(offset) = self.offset {
            // Writing to a String cannot fail.
            let _ = write!(text, "+{offset:#x}");
        }
        if let Some(file) = &self.file {
            text.push_str(": ");
            text.push_str(file);
            if let Some(line) = self.line {
                let _ = write!(text, ":{line}");
            }
        }
    }
}

impl Refers for Frame {
    fn referred(&self) -> u64 {
        let texts = [&self.module, &self.function, &self.file];
        texts.into_iter().flatten().map(|text| text.capacity() as u64).sum()
    }
}

/// All signatures of a stream so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tables {
    pub(crate) functions: Space<Function>,
    pub(crate) enums: Space<Enum>,
    pub(crate) bitmasks: Space<Bitmask>,
    pub(crate) structs: Space<Struct>,
    pub(crate) frames: Space<Frame>,
}

impl Tables {
    /// Bytes of memory.
    pub(crate) fn kept_bytes(&self) -> u64 {
        let spaces = [self.functions.bytes(), self.enums.bytes(), self.bitmasks.bytes(), self.structs.bytes()];
        spaces.iter().sum::<u64>() + self.frames.bytes()
    }

    /// What is handed over to readers that do not need the names of enums and bits, but show them
    /// if they have them: without the names if those are many.
    pub(crate) fn of_numbers(&self) -> Cow<'_, Self> {
        let enums = self.enums.iter().map(|it| it.names.bytes() + size_of_val(&*it.values));
        let bitmasks = self.bitmasks.iter().map(|it| it.names.bytes() + size_of_val(&*it.bits));
        if enums.chain(bitmasks).fold(0, usize::saturating_add) <= FEW_NAMES {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self {
            functions: self.functions.changed(Function::clone),
            // The value of versions 0 to 2 is in the signature.
            enums: self
                .enums
                .changed(|it| Enum::new(Strings::default(), it.values.first().copied().into_iter().collect())),
            bitmasks: self.bitmasks.changed(|_| Bitmask { names: Strings::default(), bits: Vec::new() }),
            structs: self.structs.changed(Struct::clone),
            frames: self.frames.changed(Frame::clone),
        })
    }

    /// Passes a single value on as that of a field, with the name of a constant or flags if they
    /// have one, which may be in `scratch`.
    pub(crate) fn visit(&self, scalar: Scalar, scratch: &mut String, visit: impl FnOnce(FieldValue<'_>)) {
        let number;
        let value = match scalar {
            Scalar::Null => FieldValue::Null,
            Scalar::Bool(b) => FieldValue::Bool(b),
            Scalar::Int(n) => FieldValue::I64(n),
            Scalar::Uint(n) => FieldValue::U64(n),
            Scalar::Float(x) => FieldValue::F32(x),
            Scalar::Double(x) => FieldValue::F64(x),
            Scalar::Pointer(address) => FieldValue::Hex(address),
            Scalar::Enum { signature, value } => {
                number = FieldValue::I64(value);
                let name = self.enums.get(signature).and_then(|e| e.name(value));
                name.map_or(number, |name| FieldValue::Symbol { name, value: &number })
            }
            Scalar::Bitmask { signature, value } => {
                number = FieldValue::Hex(value);
                scratch.clear();
                let is_named = self.flags(signature, value, scratch, |out, name| out.push_str(name));
                if is_named { FieldValue::Symbol { name: scratch, value: &number } } else { number }
            }
        };
        visit(value);
    }

    /// Appends the flags of `value` of a bitmask to `out`, names by `put`, then the bits that have
    /// none, as apitrace dumps them: a name may be empty. Returns whether there was a name; if not,
    /// nothing was appended.
    pub(crate) fn flags(
        &self,
        signature: u32,
        value: u64,
        out: &mut String,
        mut put: impl FnMut(&mut String, &str),
    ) -> bool {
        let mut is_named = false;
        let left = self.bitmasks.get(signature).map_or(value, |mask| {
            mask.split(value, |name| {
                out.push_str(if core::mem::replace(&mut is_named, true) { " | " } else { "" });
                put(out, name);
            })
        });
        if is_named && left != 0 {
            // Writing to a String cannot fail.
            let _ = write!(out, " | {left:#x}");
        }
        is_named
    }
}

/// A signature of any kind.
pub(crate) enum Signature {
    Function(Function),
    Enum(Enum),
    Bitmask(Bitmask),
    Struct(Struct),
    Frame(Frame),
}

/// Receives definitions.
pub(crate) trait Definitions {
    fn tables(&self) -> &Tables;
    /// Adds a definition at offset `at` of the stream. Returns its index.
    fn define(&mut self, id: u64, at: StreamOffset, signature: Signature) -> u32;
}

impl Definitions for Tables {
    #[inline]
    fn tables(&self) -> &Tables {
        self
    }

    fn define(&mut self, id: u64, at: StreamOffset, signature: Signature) -> u32 {
        match signature {
            Signature::Function(f) => self.functions.add(id, at, f),
            Signature::Enum(e) => self.enums.add(id, at, e),
            Signature::Bitmask(b) => self.bitmasks.add(id, at, b),
            Signature::Struct(s) => self.structs.add(id, at, s),
            Signature::Frame(f) => self.frames.add(id, at, f),
        }
    }
}

/// Read-only tables, for decoding again a part of the stream whose definitions are known.
pub(crate) struct Frozen<'a>(pub(crate) &'a Tables);

impl Definitions for Frozen<'_> {
    fn tables(&self) -> &Tables {
        self.0
    }

    fn define(&mut self, id: u64, _at: StreamOffset, signature: Signature) -> u32 {
        let index = match signature {
            Signature::Function(_) => self.0.functions.index(id),
            Signature::Enum(_) => self.0.enums.index(id),
            Signature::Bitmask(_) => self.0.bitmasks.index(id),
            Signature::Struct(_) => self.0.structs.index(id),
            Signature::Frame(_) => self.0.frames.index(id),
        };
        index.unwrap_or(NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_of_numbers_get_names_unless_they_are_many() {
        let mut tables = Tables::default();
        let mut define = |id, name: &str, value| {
            let mut names = Strings::default();
            names.push(name);
            tables.define(id, StreamOffset(0), Signature::Enum(Enum::new(names, [value].into())));
            tables.of_numbers().enums.iter().map(|it| it.name(it.first()).map(String::from)).collect::<Vec<_>>()
        };
        assert_eq!(define(0, "GL_BLEND", 3042), [Some("GL_BLEND".into())]);
        assert_eq!(define(1, &"x".repeat(FEW_NAMES), 1), [None, None]);
    }
}
