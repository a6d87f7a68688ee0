//! The layout of apitrace streams, versions 0 to 6.
//!
//! Sources: apitrace `lib/trace/trace_format.hpp`, `trace_parser.cpp`, `trace_writer.cpp` at
//! 18cfd388, and files written by releases 1.0 to 11.1. `docs/FORMAT.markdown` has errors: bitmask
//! values are bare numbers, a struct signature has a name, and call detail 3 was never written.
//! apitrace's parser tests the version in three places, and so does this one.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};
use unspool_trace::input::Cursor;

/// The newest version.
pub const VERSION: u32 = 6;
/// First version in which an enum's signature is its whole table. Before, each value has its own
/// signature.
pub const ENUM_TABLES: u32 = 3;
/// First version in which ENTER has a thread.
pub const THREADS: u32 = 4;
/// First version in which the header has a semantic version and properties.
pub const PROPERTIES: u32 = 6;

/// A call begins.
pub const ENTER: u8 = 0x00;
/// A call ends.
pub const LEAVE: u8 = 0x01;

/// The event ends.
pub const DETAIL_END: u8 = 0x00;
/// An argument.
pub const DETAIL_ARG: u8 = 0x01;
/// The return value.
pub const DETAIL_RET: u8 = 0x02;
/// Stack frames.
pub const DETAIL_BACKTRACE: u8 = 0x04;
/// Flags of the call.
pub const DETAIL_FLAGS: u8 = 0x05;

/// Bit of [`DETAIL_FLAGS`]: the tracer made this call, not the program.
pub const FLAG_FAKE: u64 = 1;

/// Offset of a byte in the decompressed stream. Offsets in the file, which is compressed, are plain
/// `u64`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(transparent)]
pub struct StreamOffset(pub u64);

impl StreamOffset {
    /// How many bytes it is after another offset: 0 if it is before.
    #[inline]
    pub(crate) fn since(self, other: Self) -> u64 {
        self.0.saturating_sub(other.0)
    }
}

/// The offset so many bytes later. No stream is so long that there is none.
impl Add<u64> for StreamOffset {
    type Output = Self;

    #[inline]
    fn add(self, bytes: u64) -> Self {
        Self(self.0.saturating_add(bytes))
    }
}

impl AddAssign<u64> for StreamOffset {
    #[inline]
    fn add_assign(&mut self, bytes: u64) {
        *self = *self + bytes;
    }
}

/// Tags of values.
#[allow(missing_docs)]
pub mod tag {
    pub const NULL: u8 = 0x00;
    pub const FALSE: u8 = 0x01;
    pub const TRUE: u8 = 0x02;
    /// The magnitude of a negative number.
    pub const NEGATIVE: u8 = 0x03;
    pub const UINT: u8 = 0x04;
    pub const FLOAT: u8 = 0x05;
    pub const DOUBLE: u8 = 0x06;
    pub const STRING: u8 = 0x07;
    pub const BLOB: u8 = 0x08;
    pub const ENUM: u8 = 0x09;
    pub const BITMASK: u8 = 0x0a;
    pub const ARRAY: u8 = 0x0b;
    pub const STRUCT: u8 = 0x0c;
    pub const POINTER: u8 = 0x0d;
    pub const REPR: u8 = 0x0e;
    pub const WIDE: u8 = 0x0f;
}

/// Tags of the parts of a stack frame.
#[allow(missing_docs)]
pub mod frame_tag {
    pub const END: u8 = 0x00;
    pub const MODULE: u8 = 0x01;
    pub const FUNCTION: u8 = 0x02;
    pub const FILE: u8 = 0x03;
    pub const LINE: u8 = 0x04;
    pub const OFFSET: u8 = 0x05;
}

/// Limit for the entries of all definitions together: names of enums, bitmasks, members and
/// arguments.
pub(crate) const MAX_ENTRIES: u64 = 1 << 24;

/// Maximum depth of nested arrays, structs and reprs. Real calls have a handful.
pub const MAX_DEPTH: usize = 1000;
/// Maximum number of arguments: a greater index means damage.
pub const MAX_ARGS: u64 = 1 << 16;
/// Maximum length of a number in bytes: a longer one means damage. apitrace has no limit; it drops
/// bits beyond 64.
const MAX_UINT: usize = 32;

/// Why a primitive could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The input ends inside the primitive.
    Short,
    /// The format does not allow these bytes.
    Bad,
    /// The definitions have more than [`MAX_ENTRIES`] entries.
    TooMany,
}

impl From<unspool_trace::error::Error> for Stop {
    fn from(_: unspool_trace::error::Error) -> Self {
        Self::Short
    }
}

/// Reads a number in LEB128.
#[inline]
pub(crate) fn uint(c: &mut Cursor<'_>) -> Result<u64, Stop> {
    match c.peek() {
        // Most numbers fit one byte.
        Some(byte) if byte < 0x80 => {
            c.u8()?;
            Ok(byte.into())
        }
        _ => {
            let (value, len) = long_uint(c.rest())?;
            c.take(len)?;
            Ok(value)
        }
    }
}

fn long_uint(bytes: &[u8]) -> Result<(u64, usize), Stop> {
    let mut value = 0u64;
    for (i, byte) in bytes.iter().take(MAX_UINT).enumerate() {
        if i < 10 {
            // Only the lowest bit of the tenth byte remains, as in apitrace.
            value |= u64::from(byte & 0x7f) << (7 * i);
        }
        if byte & 0x80 == 0 {
            return Ok((value, i + 1));
        }
    }
    Err(if bytes.len() < MAX_UINT { Stop::Short } else { Stop::Bad })
}

/// The value of a truncated number: like apitrace, the bits that exist.
pub(crate) fn cut_uint(bytes: &[u8]) -> u64 {
    bytes.iter().take(10).enumerate().fold(0, |v, (i, b)| v | u64::from(b & 0x7f) << (7 * i))
}

/// Appends a number in LEB128.
pub(crate) fn put_uint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a tagged whole number.
pub(crate) fn put_sint(out: &mut Vec<u8>, value: i64) {
    out.push(if value < 0 { tag::NEGATIVE } else { tag::UINT });
    put_uint(out, value.unsigned_abs());
}

/// Appends a string, or a blob.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    put_uint(out, text.len() as u64);
    out.extend_from_slice(text);
}

/// Bytes of unknown encoding as text: UTF-8 if valid, otherwise Latin-1, up to a NUL (apitrace
/// records C strings).
pub(crate) fn text_of(bytes: &[u8]) -> String {
    let bytes = bytes.split(|b| *b == 0).next().unwrap_or_default();
    match core::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|b| char::from(*b)).collect(),
    }
}

/// The character that a unit of a wide string completes. Units are UTF-16 if the recorder ran on
/// Windows, otherwise code points. `high` keeps a high surrogate between calls.
pub(crate) fn wide_char(high: &mut Option<u32>, unit: u32) -> Option<char> {
    match (high.take(), unit) {
        (_, 0xd800..=0xdbff) => {
            *high = Some(unit);
            None
        }
        (Some(high), 0xdc00..=0xdfff) => char::from_u32(0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00)),
        (_, unit) => Some(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)),
    }
}

/// The header, which precedes the events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the layout, 0 to 6.
    pub version: u32,
    /// Version of the semantics of the calls for a replay. Equal to `version` unless a tool rewrote
    /// the trace.
    pub semantic_version: u32,
    /// Names and values, in file order, as they are in the file. No name is empty: that ends them.
    pub properties: Vec<(Vec<u8>, Vec<u8>)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<u64, Stop> {
        uint(&mut Cursor::new(bytes, 0))
    }

    #[test]
    fn numbers_beyond_64_bits_lose_their_top() {
        assert_eq!(read(&[0x7f]), Ok(127));
        assert_eq!(read(&[0x80, 0x01]), Ok(128));
        assert_eq!(read(&[0x80]), Err(Stop::Short));
        let max = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(read(&max), Ok(u64::MAX));
        let over = [0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02];
        assert_eq!(read(&over), Ok(1));
        let longer = [0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01];
        assert_eq!(read(&longer), Ok(1));
        assert_eq!(read(&[0x80; 32]), Err(Stop::Bad));
        let mut out = Vec::new();
        put_uint(&mut out, u64::MAX);
        assert_eq!(out, max);
    }

    #[test]
    fn text_is_utf_8_or_latin_1_up_to_a_nul() {
        assert_eq!(text_of("é\0rest".as_bytes()), "é");
        assert_eq!(text_of(b"\xe9"), "é");
    }
}
