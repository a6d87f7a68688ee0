//! What a stream is made of: events and values, apart from strings and blobs, which come in portions.

/// A value that is no string and holds no others.
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

/// What bytes are about to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bytes {
    String,
    Blob,
    /// Not bytes but units of a wide string.
    Wide,
}

/// What holds other values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nest {
    Array(u64),
    Struct(u32),
    Repr,
}

/// The beginning of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Enter {
    /// Offset of the event in the stream.
    pub(crate) at: u64,
    pub(crate) call: u64,
    pub(crate) thread: u64,
    pub(crate) function: u32,
}

/// An event without its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Enter(Enter),
    Leave { at: u64, call: u64 },
}
