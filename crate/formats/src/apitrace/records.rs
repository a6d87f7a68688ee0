//! Events and values. The bytes of strings and blobs are not here: a sink gets them in portions.

use super::wire::StreamOffset;

/// A value other than a string, a blob or a container of values.
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

/// The kind of a string or blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bytes {
    String,
    Blob,
    /// A wide string, which consists of units instead of bytes.
    Wide,
}

/// A container of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nest {
    /// An array of this length.
    Array(u64),
    /// A struct with the signature of this index.
    Struct(u32),
    /// Two values: one for people, one for machines.
    Repr,
}

/// The beginning of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Enter {
    /// Offset of the event in the decompressed stream.
    pub(crate) at: StreamOffset,
    /// Number of the call, from 0.
    pub(crate) call: u64,
    /// Number of the thread, as apitrace counts them.
    pub(crate) thread: u64,
    /// Index of the function's signature.
    pub(crate) function: u32,
}

/// An event without its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Enter(Enter),
    Leave { at: StreamOffset, call: u64 },
}
