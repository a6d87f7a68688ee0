//! A record in full, for serialisation.

use serde::{Serialize, Serializer};
use unspool_trace::{RecordDetails, Value};

/// The fields of one record, for serialisation.
#[derive(Clone, Debug, Serialize)]
pub struct RecordOut {
    /// Doubts and peculiarities, in whole sentences.
    pub remarks: Vec<String>,
    /// Its fields, in display order.
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
pub struct FieldOut {
    name: String,
    value: ValueOut,
}

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "t", rename_all = "camelCase")]
enum ValueOut {
    #[serde(rename = "int")]
    Unsigned {
        v: u64,
        hex: bool,
    },
    #[serde(rename = "int")]
    Signed {
        v: i64,
        hex: bool,
    },
    Id {
        v: i64,
    },
    Float {
        v: f64,
    },
    Text {
        v: String,
    },
    Bytes {
        v: Bytes,
        length: u64,
    },
    Code {
        isa: &'static str,
        address: u64,
        v: Bytes,
    },
    Ticks {
        v: u64,
    },
    Duration {
        v: u64,
    },
    Symbol {
        name: String,
        v: Box<ValueOut>,
    },
    List {
        v: Vec<ValueOut>,
    },
    Tree {
        v: Vec<FieldOut>,
    },
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
