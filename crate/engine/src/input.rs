//! Bytes of a file on their way to a decoder.

use unspool_trace::Want;

/// Bytes that were read and not decoded yet.
///
/// ```text
///   bytes   |  decoded  |  left  |  room  |
///           0         used    filled
/// ```
#[derive(Debug, Default)]
pub(crate) struct Input {
    bytes: Vec<u8>,
    used: usize,
    filled: usize,
    /// Absolute offset of the end of what is filled.
    position: u64,
    ended: bool,
}

impl Input {
    /// The bytes that are not decoded yet.
    pub(crate) fn left(&self) -> &[u8] {
        self.bytes.get(self.used..self.filled).unwrap_or_default()
    }

    /// Absolute offset of the first byte that is not decoded yet.
    pub(crate) fn here(&self) -> u64 {
        self.position - (self.filled - self.used) as u64
    }

    /// Absolute offset of the next byte to read.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Where the next bytes must come from if the decoder wants `want`, and how many are useful
    /// there. 0 means no limit.
    pub(crate) fn wants(&self, want: Want) -> (u64, u64) {
        let position = self.position;
        match want {
            Want::Seek { at, len } if at == self.here() => (position, at.saturating_add(len).saturating_sub(position)),
            Want::Seek { at, len } => (at, len),
            Want::Next | Want::Nothing => (position, 0),
        }
    }

    /// Appends up to `most` bytes; `fill` writes them and returns how many.
    pub(crate) fn push_with(&mut self, most: usize, fill: impl FnOnce(&mut [u8]) -> usize) {
        self.bytes.copy_within(self.used..self.filled, 0);
        self.filled -= self.used;
        self.used = 0;
        let end = self.filled + most;
        // Bytes are zeroed once, when the buffer grows, and not again for each portion.
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        let n = fill(self.bytes.get_mut(self.filled..end).unwrap_or_default()).min(most);
        self.filled += n;
        self.position += n as u64;
    }

    /// Notes that `n` bytes were decoded.
    pub(crate) fn consume(&mut self, n: usize) {
        self.used = (self.used + n).min(self.filled);
    }

    /// Notes that the file ends at the position.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// Whether the file ends at the position.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Drops what is left; reading continues at the position.
    pub(crate) fn clear(&mut self) {
        (self.used, self.filled, self.ended) = (0, 0, false);
    }

    /// Drops what is left; reading continues at `at`.
    pub(crate) fn seek(&mut self, at: u64) {
        self.clear();
        self.position = at;
    }

    /// Drops what is left and frees the memory.
    pub(crate) fn free(&mut self) {
        self.clear();
        self.bytes = Vec::new();
    }
}
