//! Decompressed bytes on their way to a decoder.

use alloc::vec::Vec;

/// Bytes that are appended at the back and used up at the front. Its memory is kept and is never cleared, because a
/// decompressor overwrites what it announces.
#[derive(Debug, Default)]
pub struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Buffer {
    /// What has not been used up.
    pub fn data(&self) -> &[u8] {
        self.bytes.get(self.start..self.end).unwrap_or_default()
    }

    /// Uses up `n` bytes at the front.
    pub fn consume(&mut self, n: usize) {
        self.start = (self.start + n).min(self.end);
    }

    /// Room for `n` bytes behind the data; [`Buffer::added`] says how many were written.
    pub fn room(&mut self, n: usize) -> &mut [u8] {
        if self.start > 0 {
            // A few bytes, as a rule: the beginning of a number.
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let wanted = self.end.saturating_add(n);
        if self.bytes.len() < wanted {
            self.bytes.resize(wanted, 0);
        }
        self.bytes.get_mut(self.end..wanted).unwrap_or_default()
    }

    /// Says that the first `n` bytes of the room are data.
    pub fn added(&mut self, n: usize) {
        self.end = (self.end + n).min(self.bytes.len());
    }

    /// Appends a copy of `bytes`.
    pub fn append(&mut self, bytes: &[u8]) {
        self.room(bytes.len()).copy_from_slice(bytes);
        self.added(bytes.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_is_not_used_up() {
        let mut buffer = Buffer::default();
        buffer.append(b"abcdef");
        buffer.consume(4);
        buffer.room(10)[..2].copy_from_slice(b"gh");
        buffer.added(2);
        assert_eq!(buffer.data(), b"efgh");
        buffer.consume(100);
        assert!(buffer.data().is_empty());
    }
}
