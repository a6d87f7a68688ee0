//! Events and values. The bytes of strings and blobs are not here: a sink gets them in portions.

use super::wire::StreamOffset;

/// A value other than a string, a blob or a container of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A null pointer.
    Null,
    /// A truth value.
    Bool(bool),
    /// A negative number: writers store others as unsigned ones.
    Int(i64),
    /// A number.
    Uint(u64),
    /// A floating point number of 32 bits.
    Float(f32),
    /// A floating point number of 64 bits.
    Double(f64),
    /// An address, or an opaque value.
    Pointer(u64),
    /// A constant of an enumeration.
    Enum {
        /// Index of the enumeration's signature in the trace.
        signature: u32,
        /// The number.
        value: i64,
    },
    /// Flags.
    Bitmask {
        /// Index of the signature of the flags in the trace.
        signature: u32,
        /// The number.
        value: u64,
    },
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
