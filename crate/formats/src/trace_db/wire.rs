//! The two layouts of trace-db traces: header, types, entries, and numbers.
//!
//! Sources: GrammaTech trace-db at 405d681 (2023, `TypeDescription.hpp`, `TraceVarInfo`, `Trace`)
//! for the wide layout, its C library at 2bc59a7 (2017) for the narrow one, and traces that both
//! wrote. All numbers are little-endian.
//!
//! ```text
//!            count of bytes  names            count of types  types of 12 bytes            points
//! wide       u64             NUL-terminated   u32             u32 name, u32 format, u32 size   …
//! narrow     u16             NUL-terminated   u16             u16 name, u32 format, u8 size    …  (padded like a C struct)
//! ```

use alloc::borrow::Cow;
use alloc::vec::Vec;
use unspool_trace::kept;

use serde::{Deserialize, Serialize};

pub use unspool_trace::statement::StatementId;

/// Length of a type record in bytes, in both layouts.
pub(crate) const TYPE_LEN: usize = 12;
/// Length of the longest entry in bytes, without the bytes of a blob.
pub(crate) const LONGEST: usize = 17;

/// Ends a point.
pub(crate) const END_ENTRY: u8 = 0;
/// Names the statement of the point.
pub(crate) const STATEMENT: u8 = 1;
/// A variable and its value.
pub(crate) const VARIABLE: u8 = 2;
/// The address of a buffer and its size in bytes; size 0 frees the buffer.
pub(crate) const BUFFER_SIZE: u8 = 3;
/// A number without a variable.
pub(crate) const AUXILIARY: u8 = 4;

/// One of the two layouts. A file does not say which it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Layout {
    /// Written since 9 November 2017 (4796e7b), although trace-db's documentation still describes
    /// the other one.
    Wide,
    /// Written from 8 September to 9 November 2017.
    Narrow,
}

impl Layout {
    /// The layout's name: `wide` or `narrow`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Narrow => "narrow",
        }
    }

    /// Width in bytes of the count before the names.
    pub(crate) fn count_len(self) -> usize {
        match self {
            Self::Wide => 8,
            Self::Narrow => 2,
        }
    }

    /// Width in bytes of the count before the types.
    pub(crate) fn types_len(self) -> usize {
        self.index_len()
    }

    /// Width in bytes of an index, and of the length before a blob.
    pub(crate) fn index_len(self) -> usize {
        match self {
            Self::Wide => 4,
            Self::Narrow => 2,
        }
    }

    /// Width in bytes of a statement id.
    pub(crate) fn statement_len(self) -> usize {
        match self {
            Self::Wide => 8,
            Self::Narrow => 4,
        }
    }

    pub(crate) fn parse_type(self, b: &[u8; TYPE_LEN]) -> Type {
        let [a0, a1, a2, a3, f0, f1, f2, f3, s0, s1, s2, s3] = *b;
        let format = u32::from_le_bytes([f0, f1, f2, f3]);
        match self {
            Self::Wide => {
                Type { name: u32::from_le_bytes([a0, a1, a2, a3]), format, size: u32::from_le_bytes([s0, s1, s2, s3]) }
            }
            // The rest is padding with undefined content.
            Self::Narrow => Type { name: u16::from_le_bytes([a0, a1]).into(), format, size: s0.into() },
        }
    }

    pub(crate) fn type_bytes(self, t: &Type) -> [u8; TYPE_LEN] {
        let [a0, a1, a2, a3] = t.name.to_le_bytes();
        let [f0, f1, f2, f3] = t.format.to_le_bytes();
        let [s0, s1, s2, s3] = t.size.to_le_bytes();
        match self {
            Self::Wide => [a0, a1, a2, a3, f0, f1, f2, f3, s0, s1, s2, s3],
            Self::Narrow => [a0, a1, 0, 0, f0, f1, f2, f3, s0, 0, 0, 0],
        }
    }
}

/// What the values of a type are: the type's `format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 0: unsigned.
    Unsigned,
    /// 1: two's complement.
    Signed,
    /// 2: a float if the size is 4, otherwise a double.
    Float,
    /// 3: an address.
    Pointer,
    /// 4: bytes. Their number is the type's size or, if that is 0, comes with each value.
    Blob,
}

impl Kind {
    /// The kind with this number. `None` if there is none.
    pub fn from_format(format: u32) -> Option<Self> {
        [Self::Unsigned, Self::Signed, Self::Float, Self::Pointer, Self::Blob].get(format as usize).copied()
    }
}

/// A type record. Several types may share a name; the index identifies a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Type {
    /// Index of its name. Not validated: some writers get it wrong, so it may be out of range.
    pub name: u32,
    /// What its values are; see [`Kind::from_format`].
    pub format: u32,
    /// Size of a value in bytes; for blobs, 0 if each value has its own.
    pub size: u32,
}

/// How values of a type are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Shape {
    /// A number of `size` bytes, at most 8.
    Number { size: u8, number: NumberShape },
    /// This many bytes.
    FixedBlob(u32),
    /// Bytes with their number before them.
    Blob,
    /// An unknown format, or a size that the format does not allow.
    Bad,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum NumberShape {
    Unsigned,
    Signed,
    Float,
    Double,
    Pointer,
}

impl Type {
    pub(crate) fn shape(&self) -> Shape {
        let number = |number| match u8::try_from(self.size) {
            Ok(size @ 0..=8) => Shape::Number { size, number },
            // The reference overruns its 8-byte buffer here.
            _ => Shape::Bad,
        };
        match (Kind::from_format(self.format), self.size) {
            (Some(Kind::Unsigned), _) => number(NumberShape::Unsigned),
            (Some(Kind::Signed), 1 | 2 | 4 | 8) => number(NumberShape::Signed),
            (Some(Kind::Float), 4) => number(NumberShape::Float),
            (Some(Kind::Float), _) => number(NumberShape::Double),
            (Some(Kind::Pointer), _) => number(NumberShape::Pointer),
            (Some(Kind::Blob), 0) => Shape::Blob,
            (Some(Kind::Blob), size) => Shape::FixedBlob(size),
            (Some(Kind::Signed), _) | (None, _) => Shape::Bad,
        }
    }
}

impl Type {
    /// Bytes of a number that can be read as one of another type of this size; 0 for all others.
    /// Addresses stay addresses.
    pub(crate) fn width(&self) -> u8 {
        match self.shape() {
            Shape::Number { size: size @ (1 | 2 | 4 | 8), number: NumberShape::Unsigned | NumberShape::Signed } => size,
            Shape::Number { size: 4, number: NumberShape::Float } => 4,
            Shape::Number { size: 8, number: NumberShape::Double } => 8,
            _ => 0,
        }
    }
}

impl NumberShape {
    /// The number in the lower `size` bytes of `raw`; the upper ones are 0.
    #[inline]
    pub(crate) fn number(self, raw: u64, size: u8) -> Number {
        match self {
            Self::Unsigned => Number::Unsigned(raw),
            Self::Pointer => Number::Pointer(raw),
            Self::Signed => {
                let unused = 64 - 8 * u32::from(size.clamp(1, 8));
                Number::Signed(((raw << unused) as i64) >> unused)
            }
            Self::Float => Number::Float(f32::from_bits(raw as u32).into()),
            Self::Double => Number::Float(f64::from_bits(raw)),
        }
    }
}

/// A number, without loss.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// Of an unsigned type.
    Unsigned(u64),
    /// Of a signed type.
    Signed(i64),
    /// A float or a double.
    Float(f64),
    /// An address.
    Pointer(u64),
}

impl Number {
    /// The value as 64 bits, whatever its type.
    pub fn bits(self) -> u64 {
        match self {
            Self::Unsigned(v) | Self::Pointer(v) => v,
            Self::Signed(v) => v as u64,
            Self::Float(v) => v.to_bits(),
        }
    }
}

/// Compares bits, so a NaN equals itself.
impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        core::mem::discriminant(self) == core::mem::discriminant(other) && self.bits() == other.bits()
    }
}

/// The header: names and types.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tables {
    /// The names, each followed by NUL.
    pub(crate) dictionary: Vec<u8>,
    /// Where each name ends: the offset of its NUL in `dictionary`.
    ends: Vec<u32>,
    types: Vec<Type>,
    pub(crate) shapes: Vec<Shape>,
}

impl Tables {
    /// Bytes of memory.
    pub(crate) fn kept_bytes(&self) -> u64 {
        let names = kept::list(&self.dictionary) + kept::list(&self.ends);
        names + kept::list(&self.types) + kept::list(&self.shapes)
    }

    /// A header with these names and types. NULs within a name are dropped.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a [u8]>, types: impl IntoIterator<Item = Type>) -> Self {
        let mut tables = Self::default();
        for name in names {
            tables.dictionary.extend(name.iter().filter(|b| **b != 0));
            tables.dictionary.push(0);
        }
        tables.find_names();
        types.into_iter().for_each(|t| tables.push_type(t));
        tables
    }

    /// The number of names.
    pub fn names(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of a name, without NUL. `None` if `index` is out of range.
    pub fn name(&self, index: u32) -> Option<&[u8]> {
        let i = index as usize;
        let from = i.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).map(|end| *end as usize + 1))?;
        self.dictionary.get(from..*self.ends.get(i)? as usize)
    }

    /// A name as text. Names are C identifiers and C types, and UTF-8 in practice.
    pub fn text(&self, index: u32) -> Option<Cow<'_, str>> {
        self.name(index).map(alloc::string::String::from_utf8_lossy)
    }

    /// All types.
    pub fn types(&self) -> &[Type] {
        &self.types
    }

    /// The name of a type, or `type 7` if type 7 or its name does not exist.
    pub fn type_name(&self, index: u32) -> Cow<'_, str> {
        let name = self.types.get(index as usize).and_then(|t| self.text(t.name));
        name.unwrap_or_else(|| Cow::Owned(alloc::format!("type {index}")))
    }

    /// Finds the names once the dictionary is complete. The last name should end in NUL like the
    /// others.
    pub(crate) fn find_names(&mut self) {
        self.ends = (0u32..).zip(&self.dictionary).filter(|(_, b)| **b == 0).map(|(i, _)| i).collect();
        if self.dictionary.last().is_some_and(|b| *b != 0) {
            self.ends.push(self.dictionary.len() as u32);
        }
    }

    pub(crate) fn push_type(&mut self, t: Type) {
        self.shapes.push(t.shape());
        self.types.push(t);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_records_round_trip_in_both_layouts() {
        let t = Type { name: 0x0102, format: 4, size: 200 };
        for layout in [Layout::Wide, Layout::Narrow] {
            assert_eq!(layout.parse_type(&layout.type_bytes(&t)), t);
        }
        // The padding has undefined content.
        assert_eq!(Layout::Narrow.parse_type(&[2, 1, 9, 9, 4, 0, 0, 0, 200, 9, 9, 9]), t);
    }

    #[test]
    fn signed_numbers_of_any_size_are_sign_extended() {
        for (raw, size, value) in
            [(0x80, 1, -128), (0xffff, 2, -1), (0x7fff_ffff, 4, 0x7fff_ffff), (1 << 63, 8, i64::MIN)]
        {
            assert_eq!(NumberShape::Signed.number(raw, size), Number::Signed(value));
        }
    }

    #[test]
    fn invalid_sizes_of_numbers_are_rejected() {
        let shape = |format, size| Type { name: 0, format, size }.shape();
        assert_eq!(shape(0, 3), Shape::Number { size: 3, number: NumberShape::Unsigned });
        assert_eq!(shape(2, 2), Shape::Number { size: 2, number: NumberShape::Double });
        for (format, size) in [(0, 9), (1, 3), (1, 0), (2, 16), (3, 1 << 20), (5, 4)] {
            assert_eq!(shape(format, size), Shape::Bad);
        }
        assert_eq!((shape(4, 0), shape(4, 1 << 30)), (Shape::Blob, Shape::FixedBlob(1 << 30)));
    }

    #[test]
    fn names_may_be_empty_and_the_last_may_lack_its_nul() {
        let mut t = Tables { dictionary: b"a\0\0bc".to_vec(), ..Tables::default() };
        t.find_names();
        assert_eq!(
            (t.name(0), t.name(1), t.name(2), t.name(3)),
            (Some(&b"a"[..]), Some(&b""[..]), Some(&b"bc"[..]), None)
        );
        assert_eq!(t.type_name(0), "type 0");
    }
}
