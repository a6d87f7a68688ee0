//! A buffer for decompressed bytes.

use alloc::vec::Vec;

/// A buffer that grows at the back and is consumed at the front. Its memory is reused without
/// clearing: decompressors overwrite it.
#[derive(Debug, Default)]
pub struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Buffer {
    /// The bytes that have not been consumed.
    pub fn data(&self) -> &[u8] {
        self.bytes.get(self.start..self.end).unwrap_or_default()
    }

    /// Consumes `n` bytes at the front, or all if there are fewer.
    pub fn consume(&mut self, n: usize) {
        self.start = (self.start + n).min(self.end);
    }

    /// Space for `n` bytes after the data. The caller writes to it and then calls
    /// [`Buffer::added`].
    pub fn room(&mut self, n: usize) -> &mut [u8] {
        if self.start > 0 {
            // As a rule a few bytes: part of a number.
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

    /// Makes the first `n` bytes of the space part of the data.
    pub fn added(&mut self, n: usize) {
        self.end = (self.end + n).min(self.bytes.len());
    }

    /// Drops the last `n` bytes, or all if there are fewer.
    pub fn shorten(&mut self, n: usize) {
        self.end = self.end.saturating_sub(n).max(self.start);
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
    fn keeps_what_is_not_consumed() {
        let mut buffer = Buffer::default();
        buffer.append(b"abcdef");
        buffer.consume(4);
        buffer.room(10)[..2].copy_from_slice(b"gh");
        buffer.added(2);
        assert_eq!(buffer.data(), b"efgh");
        buffer.shorten(1);
        assert_eq!(buffer.data(), b"efg");
        buffer.consume(100);
        assert!(buffer.data().is_empty());
    }
}
