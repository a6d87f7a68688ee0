//! A cursor over bytes of a file.

use crate::error::{Cause, Error, Result};

/// Reads little-endian primitives from a slice and keeps track of the offset in the file.
///
/// Every read can fail with [`Cause::UnexpectedEnd`]. A failed read does not move the cursor, so
/// the caller can retry with more bytes.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    rest: &'a [u8],
    at: u64,
}

impl<'a> Cursor<'a> {
    /// A cursor over `bytes`, which begin at offset `at` of the file.
    pub fn new(bytes: &'a [u8], at: u64) -> Self {
        Self { rest: bytes, at }
    }

    /// Absolute offset of the next byte.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// The bytes that have not been read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Number of bytes that have not been read yet.
    pub fn len(&self) -> usize {
        self.rest.len()
    }

    /// Whether all bytes have been read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next byte, without moving the cursor.
    pub fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// The next `N` bytes, without moving the cursor. `None` if there are fewer.
    #[inline]
    pub fn peek_array<const N: usize>(&self) -> Option<&'a [u8; N]> {
        self.rest.first_chunk::<N>()
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    ///
    /// Fails if there are fewer.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<&'a [u8; N]> {
        let Some((head, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(self.short(N));
        };
        self.rest = rest;
        self.at = self.at.wrapping_add(N as u64);
        Ok(head)
    }

    /// The next `n` bytes.
    ///
    /// # Errors
    ///
    /// Fails if there are fewer.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let Some((head, rest)) = self.rest.split_at_checked(n) else {
            return Err(self.short(n));
        };
        self.rest = rest;
        self.at = self.at.wrapping_add(n as u64);
        Ok(head)
    }

    /// The next `n` bytes, or all remaining bytes if there are fewer.
    pub fn take_up_to(&mut self, n: u64) -> &'a [u8] {
        let n = usize::try_from(n).map_or(self.rest.len(), |n| n.min(self.rest.len()));
        let (head, rest) = self.rest.split_at_checked(n).unwrap_or((self.rest, &[]));
        self.rest = rest;
        self.at = self.at.wrapping_add(head.len() as u64);
        head
    }

    /// The next byte.
    ///
    /// # Errors
    ///
    /// Fails at the end.
    pub fn u8(&mut self) -> Result<u8> {
        self.array::<1>().map(|[b]| *b)
    }

    /// The next two bytes, little-endian.
    ///
    /// # Errors
    ///
    /// Fails if there are fewer.
    pub fn u16(&mut self) -> Result<u16> {
        self.array().map(|b| u16::from_le_bytes(*b))
    }

    /// The next four bytes, little-endian.
    ///
    /// # Errors
    ///
    /// Fails if there are fewer.
    pub fn u32(&mut self) -> Result<u32> {
        self.array().map(|b| u32::from_le_bytes(*b))
    }

    /// The next four bytes, little-endian, two's complement.
    ///
    /// # Errors
    ///
    /// Fails if there are fewer.
    pub fn i32(&mut self) -> Result<i32> {
        self.array().map(|b| i32::from_le_bytes(*b))
    }

    /// The next eight bytes, little-endian.
    ///
    /// # Errors
    ///
    /// Fails if there are fewer.
    pub fn u64(&mut self) -> Result<u64> {
        self.array().map(|b| u64::from_le_bytes(*b))
    }

    /// The next eight bytes, little-endian, two's complement.
    ///
    /// # Errors
    ///
    /// Fails if there are fewer.
    pub fn i64(&mut self) -> Result<i64> {
        self.array().map(|b| i64::from_le_bytes(*b))
    }

    fn short(&self, wanted: usize) -> Error {
        let needed = wanted.saturating_sub(self.rest.len());
        Error::new(self.at, Cause::UnexpectedEnd { needed: needed as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_little_endian_and_tracks_the_offset() {
        let mut c = Cursor::new(&[1, 2, 0, 3, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], 100);
        assert_eq!(c.u8(), Ok(1));
        assert_eq!(c.u16(), Ok(2));
        assert_eq!(c.u32(), Ok(3));
        assert_eq!(c.at(), 107);
        assert_eq!(c.i32(), Ok(-1));
        assert!(c.is_empty());
    }

    #[test]
    fn a_failed_read_does_not_move_the_cursor() {
        let mut c = Cursor::new(&[1, 2, 3], 7);
        assert_eq!(c.u64(), Err(Error::new(7, Cause::UnexpectedEnd { needed: 5 })));
        assert_eq!(c.at(), 7);
        assert_eq!(c.take(2), Ok(&[1u8, 2][..]));
        assert_eq!(c.take(2), Err(Error::new(9, Cause::UnexpectedEnd { needed: 1 })));
        assert_eq!(c.take_up_to(u64::MAX), &[3]);
        assert_eq!(c.at(), 10);
    }
}
