//! One record in full, for the Details pane.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// A value, with its unit or notation.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An unsigned number.
    U64(u64),
    /// A signed number.
    I64(i64),
    /// A number that identifies something, such as a thread. Shown without thousands separators.
    Id(i64),
    /// A number shown in hexadecimal: an address, an opaque argument.
    Hex(u64),
    /// A floating point number.
    F64(f64),
    /// Text.
    Text(String),
    /// A number with a name: an enum constant, or flags joined by ` | `.
    Symbol {
        /// The name.
        name: String,
        /// The number: signed, unsigned, or hexadecimal.
        value: Box<Value>,
    },
    /// Bytes, possibly shortened.
    Bytes {
        /// The first bytes, at most [`crate::Limits::payload`].
        bytes: Vec<u8>,
        /// Number of bytes in the file.
        len: u64,
    },
    /// A machine instruction, for a disassembler.
    Code {
        /// `x86-16`, `x86-32`, `x86-64`, `arm`, `arm-big`, `thumb`, `thumb-big` or `aarch64`.
        isa: &'static str,
        /// Its address.
        address: u64,
        /// Its bytes, in memory order.
        bytes: Vec<u8>,
    },
    /// A position on the x axis, in ticks or ordinals.
    Ticks(u64),
    /// A length on the x axis, in ticks or ordinals.
    Duration(u64),
    /// A list of values.
    List(Vec<Value>),
    /// Named members.
    Tree(Vec<Field>),
    /// No value.
    Null,
}

/// A named value.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name shown.
    pub name: Cow<'static, str>,
    /// The value.
    pub value: Value,
}

impl Field {
    /// A field with a constant name.
    pub fn new(name: &'static str, value: Value) -> Self {
        Self { name: Cow::Borrowed(name), value }
    }
}

/// What a format knows about one record beyond its name and time.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RecordDetails {
    /// Absolute offset of the record in the file, or in the decompressed stream if the file is
    /// compressed. `None` if it has none of its own: a row of a database, or a frame, which is made
    /// of many records.
    pub offset: Option<u64>,
    /// The fields, in display order.
    pub fields: Vec<Field>,
    /// Doubts and peculiarities, in full sentences.
    pub remarks: Vec<String>,
}
