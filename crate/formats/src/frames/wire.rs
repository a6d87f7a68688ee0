//! The layout: the container's header, and the primitives of protobuf.
//!
//! Header: `libtrace/src/trace.container.hpp` of bap-frames. Protobuf:
//! <https://protobuf.dev/programming-guides/encoding/>.

use serde::{Deserialize, Serialize};
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::input::Cursor;

/// The first eight bytes of every file, little-endian.
pub const MAGIC: u64 = 0x677C_2882_8AAF_6025;
/// Length in bytes of the header from version 1 on.
pub const HEADER_LEN: u64 = 48;
/// Length in bytes of the header of BAP 0.x containers, which have no version: magic, count, table.
pub const OLD_HEADER_LEN: u64 = 24;
/// Absolute offset of the meta frame's length, from version 2 on.
pub const META_AT: u64 = HEADER_LEN;
/// The highest architecture in `frame_arch.h`.
const LAST_ARCHITECTURE: u64 = 81;

/// The container's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// 1 or higher; 0 for containers without a version.
    pub version: u64,
    /// `frame_architecture`: an index into an enumeration of an old BFD.
    pub architecture: u64,
    /// `frame_machine`; 0 if unspecified.
    pub machine: u64,
    /// Number of frames without the meta frame; 0 until the tracer finishes.
    pub frames: u64,
    /// Absolute offset of the table of contents; 0 until the tracer finishes.
    pub table: u64,
}

impl Header {
    /// Parses the header at the beginning of a file. `size` is the file's size in bytes, if known.
    ///
    /// # Errors
    ///
    /// Fails if the magic number is wrong or `head` ends within the header.
    pub fn parse(head: &[u8], size: Option<u64>) -> Result<Self> {
        let mut c = Cursor::new(head, 0);
        let magic = c.u64()?;
        if magic != MAGIC {
            return Err(Error::new(
                0,
                Cause::BadHeader { what: "it must begin with the magic number of BAP frames", value: magic },
            ));
        }
        let (first, second) = (c.u64()?, c.u64()?);
        if Self::is_old(head, size, first, second) {
            return Ok(Self { version: 0, architecture: 0, machine: 0, frames: first, table: second });
        }
        Ok(Self { version: first, architecture: second, machine: c.u64()?, frames: c.u64()?, table: c.u64()? })
    }

    /// Whether the container has no version, and therefore a shorter header.
    fn is_old(head: &[u8], size: Option<u64>, first: u64, second: u64) -> bool {
        let size = size.unwrap_or(u64::MAX);
        let word = |at: u64| {
            let rest = head.get(usize::try_from(at).ok()?..)?;
            rest.first_chunk().map(|b| u64::from_le_bytes(*b))
        };
        if first == 0 {
            // Streamed or empty: version 0 does not exist in newer headers.
            return true;
        }
        let fits = |at: u64| at == 0 || (HEADER_LEN..=size).contains(&at);
        if first <= 3 && second <= LAST_ARCHITECTURE {
            // A newer header, unless this is an old file so small that its table's offset is a
            // valid architecture.
            let entries =
                size.checked_sub(second).filter(|rest| rest % 8 == 0).and_then(|rest| (rest / 8).checked_sub(1));
            // With an empty first frame, this would be machine 0.
            let room = second.saturating_sub(OLD_HEADER_LEN + 8);
            return word(OLD_HEADER_LEN).is_some_and(|len| (1..=room).contains(&len))
                && entries.zip(word(second)).is_some_and(|(entries, every)| table_fits(entries, every, first));
        }
        if first <= 3 && word(40).is_some_and(fits) {
            return false;
        }
        // An old header: the first frame ends before the table, and so may all others.
        (OLD_HEADER_LEN..=size).contains(&second)
            && word(OLD_HEADER_LEN).is_none_or(|len| len <= second.saturating_sub(OLD_HEADER_LEN + 8))
            && first <= second / 8
    }

    /// Whether a meta frame comes before the first frame.
    pub fn has_meta(&self) -> bool {
        self.version >= 2
    }

    /// Length of the header in bytes.
    pub fn len(&self) -> u64 {
        if self.version == 0 { OLD_HEADER_LEN } else { HEADER_LEN }
    }

    /// Always false.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Encodes the header.
    pub fn to_bytes(&self) -> alloc::vec::Vec<u8> {
        let words: &[u64] = match self.version {
            0 => &[MAGIC, self.frames, self.table],
            _ => &[MAGIC, self.version, self.architecture, self.machine, self.frames, self.table],
        };
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }
}

/// Whether a table of contents with `entries` entries, one for `every` frames, fits `frames`
/// frames. libtrace writes an entry for each block but the first, QEMU's tracewrap for each full
/// block, and QEMU's TCG plugin for each block, full or not.
pub(crate) fn table_fits(entries: u64, every: u64, frames: u64) -> bool {
    let Some(whole) = frames.checked_div(every) else { return false };
    entries == whole || entries == frames.div_ceil(every) || entries == frames.saturating_sub(1) / every
}

/// Why a number or a field could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The bytes end within it.
    Short,
    /// It is impossible: a number that does not fit into 64 bits, a wire type that does not exist,
    /// or bytes beyond the end of the message.
    Invalid,
}

/// Takes a variable-length number from the beginning of some bytes. Returns it with the bytes after
/// it.
#[inline]
pub(crate) fn varint(bytes: &[u8]) -> Result<(u64, &[u8]), Fault> {
    match bytes {
        // Tags, lengths, flags: nearly all numbers take one byte.
        [value @ 0..0x80, rest @ ..] => Ok(((*value).into(), rest)),
        [low, high @ 0..0x80, rest @ ..] => Ok((u64::from(low & 0x7f) | u64::from(*high) << 7, rest)),
        _ => {
            let (value, len) = long_varint(bytes)?;
            Ok((value, bytes.get(len..).unwrap_or_default()))
        }
    }
}

fn long_varint(bytes: &[u8]) -> Result<(u64, usize), Fault> {
    // Addresses have up to eight bytes, which are looked at together.
    if let Some(bytes) = bytes.first_chunk::<8>() {
        let word = u64::from_le_bytes(*bytes);
        // The lowest of these bits is the one that the last byte does not have.
        let ends = !word & 0x8080_8080_8080_8080;
        if ends != 0 {
            let len = ends.trailing_zeros() / 8 + 1;
            let bits = word & u64::MAX >> (64 - 8 * len) & 0x7f7f_7f7f_7f7f_7f7f;
            let bits = bits & 0x007f_007f_007f_007f | (bits & 0x7f00_7f00_7f00_7f00) >> 1;
            let bits = bits & 0x0000_3fff_0000_3fff | (bits & 0x3fff_0000_3fff_0000) >> 2;
            let bits = bits & 0x0fff_ffff | (bits & 0x0fff_ffff_0000_0000) >> 4;
            return Ok((bits, len as usize));
        }
    }
    let mut value = 0u64;
    for (i, byte) in bytes.iter().take(10).enumerate() {
        if i == 9 && *byte > 1 {
            // C++ truncates such a number to 64 bits; no writer emits one.
            return Err(Fault::Invalid);
        }
        value |= u64::from(byte & 0x7f) << (7 * i);
        if *byte < 0x80 {
            return Ok((value, i + 1));
        }
    }
    Err(Fault::Short)
}

/// Appends a variable-length number.
pub(crate) fn put_varint(out: &mut alloc::vec::Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Decodes `sint32` and `sint64`, which map small negative numbers to small unsigned ones.
pub(crate) fn zigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// The inverse of [`zigzag`].
pub(crate) fn zigzag_of(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// What follows the tag of a field, by its wire type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire<'a> {
    Number(u64),
    Fixed64(u64),
    /// Bytes or a message, as far as there is any of it, and its length in bytes.
    Bytes(&'a [u8], u64),
    Fixed32,
    /// A group begins. Protobuf deprecated groups long ago, but parsers still skip them.
    Begin,
    /// A group ends.
    End,
}

/// Takes a field from the beginning of `rest`: its number and what follows its tag. `left` is the
/// number of bytes until the end of the message, of which `rest` has all or the first ones.
///
/// # Errors
///
/// Nothing is taken if the field is invalid, or if more of `rest` is needed.
#[inline]
pub(crate) fn take_field<'a>(rest: &mut &'a [u8], left: u64) -> Result<(u64, Wire<'a>), Fault> {
    let (tag, after) = varint(rest)?;
    let (wire, after) = match tag & 7 {
        0 => {
            let (value, after) = varint(after)?;
            (Wire::Number(value), after)
        }
        2 => {
            let (len, after) = varint(after)?;
            if len > left.saturating_sub((rest.len() - after.len()) as u64) {
                return Err(Fault::Invalid);
            }
            let here = usize::try_from(len).unwrap_or(usize::MAX);
            let (bytes, after) = after.split_at_checked(here).unwrap_or((after, &[]));
            (Wire::Bytes(bytes, len), after)
        }
        1 => {
            let (bits, after) = after.split_first_chunk().ok_or(Fault::Short)?;
            (Wire::Fixed64(u64::from_le_bytes(*bits)), after)
        }
        3 => (Wire::Begin, after),
        4 => (Wire::End, after),
        5 => (Wire::Fixed32, after.get(4..).ok_or(Fault::Short)?),
        _ => return Err(Fault::Invalid),
    };
    *rest = after;
    Ok((tag >> 3, wire))
}

/// The content of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Content<'a> {
    Number(u64),
    Fixed64(u64),
    /// Bytes, or the fields of a message.
    Bytes(Fields<'a>),
    /// A wire type that no known field has: 32 bits, or a group.
    Other,
}

/// The fields of a message, in file order. Ends at the first defect, without an error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Fields<'a> {
    pub(crate) bytes: &'a [u8],
    /// Whether only the beginning of the message is here. Bytes and messages of which only the
    /// beginning is here are among the fields then.
    is_cut: bool,
}

impl<'a> Fields<'a> {
    /// The fields of a complete message.
    pub(crate) fn new(message: &'a [u8]) -> Self {
        Self { bytes: message, is_cut: false }
    }

    /// The fields of a message that has these bytes at its beginning.
    pub(crate) fn of_beginning(bytes: &'a [u8]) -> Self {
        Self { bytes, is_cut: true }
    }

    /// The bytes or messages with this number.
    pub(crate) fn repeated(self, wanted: u64) -> impl Iterator<Item = Self> {
        self.filter_map(move |(number, content)| match content {
            Content::Bytes(fields) if number == wanted => Some(fields),
            _ => None,
        })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u64, Content<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (number, wire) = self.take()?;
        let content = match wire {
            Wire::Number(value) => Content::Number(value),
            Wire::Bytes(bytes, _) => Content::Bytes(Self { bytes, ..*self }),
            Wire::Fixed64(bits) => Content::Fixed64(bits),
            Wire::Fixed32 => return Some((0, Content::Other)),
            Wire::Begin => return self.skip_group(),
            Wire::End => return None,
        };
        Some((number, content))
    }
}

impl<'a> Fields<'a> {
    #[inline]
    fn take(&mut self) -> Option<(u64, Wire<'a>)> {
        let left = if self.is_cut { u64::MAX } else { self.bytes.len() as u64 };
        take_field(&mut self.bytes, left).ok()
    }

    /// Passes over a group that has begun.
    #[cold]
    fn skip_group(&mut self) -> Option<(u64, Content<'a>)> {
        let mut open = 1u32;
        while open > 0 {
            match self.take()?.1 {
                Wire::Begin => open = open.checked_add(1)?,
                Wire::End => open -= 1,
                _ => {}
            }
        }
        Some((0, Content::Other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_more_than_64_bits_are_rejected() {
        assert_eq!(varint(&[0x7f]), Ok((127, &[][..])));
        assert_eq!(varint(&[0x80, 1]), Ok((128, &[][..])));
        assert_eq!(varint(&[0x80]), Err(Fault::Short));
        assert_eq!(varint(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]), Ok((u64::MAX, &[][..])));
        assert_eq!(varint(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]), Err(Fault::Invalid));
        assert_eq!(varint(&[0xff; 10]), Err(Fault::Invalid));
        assert_eq!(varint(&[0xff; 9]), Err(Fault::Short));
    }

    #[test]
    fn numbers_of_any_length_are_read_with_and_without_bytes_behind() {
        for shift in 0..64 {
            for value in [1 << shift, u64::MAX >> shift, 0x0123_4567_89ab_cdef >> shift] {
                let mut bytes = alloc::vec::Vec::new();
                put_varint(&mut bytes, value);
                let len = bytes.len();
                assert_eq!(varint(&bytes), Ok((value, &[][..])));
                for behind in [0, 0xff] {
                    bytes.resize(len, 0);
                    bytes.resize(len + 8, behind);
                    assert_eq!(varint(&bytes), Ok((value, &[behind; 8][..])), "{behind:x} behind");
                }
            }
        }
    }

    #[test]
    fn zigzag_round_trips() {
        for value in [0, -1, 1, i64::MAX, i64::MIN] {
            assert_eq!(zigzag(zigzag_of(value)), value);
        }
        assert_eq!(zigzag(3), -2);
    }

    #[test]
    fn headers_without_a_version_are_recognised() {
        let old = Header { version: 0, architecture: 0, machine: 0, frames: 2, table: 100 };
        let mut bytes = old.to_bytes();
        bytes.extend(10u64.to_le_bytes());
        bytes.extend([7; 66]);
        assert_eq!(Header::parse(&bytes, Some(116)), Ok(old));
        for version in 1..=4 {
            let new = Header { version, architecture: 9, machine: 64, frames: 3, table: 99 };
            assert_eq!(Header::parse(&new.to_bytes(), Some(120)), Ok(new));
        }
        // An unknown architecture, which could be the offset of an old table.
        let new = Header { version: 3, architecture: 999, machine: 64, frames: 47, table: 4052 };
        assert_eq!(Header::parse(&new.to_bytes(), Some(4092)), Ok(new));
        assert!(Header::parse(&new.to_bytes()[..20], Some(20)).is_err());
    }

    #[test]
    fn fields_skip_groups_and_end_at_defects() {
        let bytes = [0x08, 5, 0x13, 0x1b, 0x08, 1, 0x1c, 0x14, 0x1d, 0, 0, 0, 0, 0x22, 1, 9, 0x2a, 7];
        let all: alloc::vec::Vec<_> = Fields::new(&bytes).collect();
        let nine = Content::Bytes(Fields::new(&[9]));
        assert_eq!(all, [(1, Content::Number(5)), (0, Content::Other), (0, Content::Other), (4, nine)]);
    }

    #[test]
    fn the_beginning_of_a_message_has_the_beginning_of_its_last_field() {
        let bytes = [0x08, 5, 0x22, 9, 0x0a, 2, 7];
        assert_eq!(Fields::new(&bytes).collect::<alloc::vec::Vec<_>>(), [(1, Content::Number(5))]);
        let mut fields = Fields::of_beginning(&bytes);
        assert_eq!(fields.next(), Some((1, Content::Number(5))));
        let inner = Fields::of_beginning(&[0x0a, 2, 7]);
        assert_eq!(fields.next(), Some((4, Content::Bytes(inner))));
        assert_eq!(fields.next(), None);
        assert_eq!(inner.repeated(1).next(), Some(Fields::of_beginning(&[7])));
    }
}
