//! One record in full, for the details pane.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// A value with its unit, so that whoever shows it knows how.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An unsigned number.
    U64(u64),
    /// A signed number.
    I64(i64),
    /// A number that stands for something, such as a thread: not to be grouped or rounded.
    Id(i64),
    /// A number that people read in hexadecimal: an address, an opaque argument.
    Hex(u64),
    /// A floating point number.
    F64(f64),
    /// Text.
    Text(String),
    /// A number with a name: a constant, or flags joined by ` | `.
    Symbol {
        /// The name.
        name: String,
        /// The number: signed, unsigned, or hexadecimal.
        value: Box<Value>,
    },
    /// Bytes; `len` is how many there are in the file, `bytes` may be fewer.
    Bytes {
        /// The first of the bytes.
        bytes: Vec<u8>,
        /// How many there are in the file.
        len: u64,
    },
    /// An instruction, for a disassembler.
    Code {
        /// `x86-16`, `x86-32`, `x86-64`, `arm`, `arm-big`, `thumb`, `thumb-big` or `aarch64`.
        isa: &'static str,
        /// Where it lies.
        address: u64,
        /// Its bytes as they lie there.
        bytes: Vec<u8>,
    },
    /// A position on the x axis.
    Ticks(u64),
    /// A length on the x axis.
    Duration(u64),
    /// Several values.
    List(Vec<Value>),
    /// Named members.
    Tree(Vec<Field>),
    /// Nothing.
    Null,
}

/// A named value.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name as people read it.
    pub name: Cow<'static, str>,
    /// The value.
    pub value: Value,
}

impl Field {
    /// A field with a name known when this was compiled.
    pub fn new(name: &'static str, value: Value) -> Self {
        Self { name: Cow::Borrowed(name), value }
    }
}

/// What a format knows of one record beyond its name and time.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RecordDetails {
    /// Absolute offset of the record in the file (in the decompressed stream, where the file is compressed).
    pub offset: u64,
    /// In the order to show them.
    pub fields: Vec<Field>,
    /// Doubts and peculiarities, in whole sentences.
    pub remarks: Vec<String>,
}
