//! A record in full, for serialisation.

use serde::{Serialize, Serializer};
use unspool_trace::{RecordDetails, Value};

/// The fields of one record, for serialisation.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
pub struct RecordOut {
    /// Doubts and peculiarities, in whole sentences.
    #[cfg_attr(feature = "typescript", tsify(type = "readonly string[]"))]
    pub remarks: Vec<String>,
    /// Its fields, in display order.
    #[cfg_attr(feature = "typescript", tsify(type = "readonly FieldOut[]"))]
    pub fields: Vec<FieldOut>,
    /// Absolute offset of the record in the file. `None` if it has none of its own.
    pub offset: Option<u64>,
}

impl From<RecordDetails> for RecordOut {
    fn from(record: RecordDetails) -> Self {
        Self {
            remarks: record.remarks,
            fields: record.fields.into_iter().map(FieldOut::from).collect(),
            offset: record.offset,
        }
    }
}

/// A field, for serialisation.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
pub struct FieldOut {
    /// What it is called.
    name: String,
    /// What it holds.
    value: ValueOut,
}

/// A value, for serialisation.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
#[serde(tag = "t", rename_all = "camelCase")]
enum ValueOut {
    /// A number that may exceed 2^63.
    #[serde(rename = "int")]
    Unsigned {
        v: u64,
        #[cfg_attr(feature = "typescript", tsify(optional))]
        hex: bool,
    },
    /// A number.
    #[serde(rename = "int")]
    Signed {
        v: i64,
        #[cfg_attr(feature = "typescript", tsify(optional))]
        hex: bool,
    },
    /// An identifier, such as that of a thread: shown without thousands separators.
    Id { v: i64 },
    /// A floating-point number.
    Float { v: f64 },
    /// A text.
    Text { v: String },
    /// Bytes. `length` is the whole size; `v` may hold fewer.
    Bytes {
        #[cfg_attr(feature = "typescript", tsify(type = "Uint8Array"))]
        v: Bytes,
        length: u64,
    },
    /// An instruction that is not disassembled. `isa` is `x86-64`, `thumb`, …
    Code {
        isa: &'static str,
        address: u64,
        #[cfg_attr(feature = "typescript", tsify(type = "Uint8Array"))]
        v: Bytes,
    },
    /// A position on the x axis.
    Ticks { v: u64 },
    /// A length on the x axis.
    Duration { v: u64 },
    /// A named number: a constant, or flags joined by ` | `.
    Symbol {
        name: String,
        #[cfg_attr(feature = "typescript", tsify(type = "ValueOut"))]
        v: Box<ValueOut>,
    },
    /// A list.
    List {
        #[cfg_attr(feature = "typescript", tsify(type = "readonly ValueOut[]"))]
        v: Vec<ValueOut>,
    },
    /// Values with names.
    Tree {
        #[cfg_attr(feature = "typescript", tsify(type = "readonly FieldOut[]"))]
        v: Vec<FieldOut>,
    },
    /// No value.
    Null,
}

#[derive(Clone, Debug)]
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl From<Value> for ValueOut {
    fn from(value: Value) -> Self {
        match value {
            Value::U64(v) => Self::Unsigned { v, hex: false },
            Value::Hex(v) => Self::Unsigned { v, hex: true },
            Value::I64(v) => Self::Signed { v, hex: false },
            Value::Id(v) => Self::Id { v },
            Value::F64(v) => Self::Float { v },
            Value::Text(v) => Self::Text { v },
            Value::Symbol { name, value } => Self::Symbol { name, v: Box::new((*value).into()) },
            Value::Bytes { bytes, len } => Self::Bytes { v: Bytes(bytes), length: len },
            Value::Code { isa, address, bytes } => Self::Code { isa, address, v: Bytes(bytes) },
            Value::Ticks(v) => Self::Ticks { v },
            Value::Duration(v) => Self::Duration { v },
            Value::List(v) => Self::List { v: v.into_iter().map(Self::from).collect() },
            Value::Tree(v) => Self::Tree { v: v.into_iter().map(FieldOut::from).collect() },
            Value::Null => Self::Null,
        }
    }
}

impl From<unspool_trace::Field> for FieldOut {
    fn from(field: unspool_trace::Field) -> Self {
        Self { name: field.name.into_owned(), value: field.value.into() }
    }
}
