//! Prefetches a file that is read page by page, mostly in order.

use unspool_formats::decoder::Range;

/// Bytes of one read where pages are back-to-back. Each read costs about a millisecond in a browser.
const LARGEST: usize = 8 << 20;
/// Bytes of one read elsewhere.
const SMALLEST: usize = 64 << 10;

/// The two pieces of the file that were read last.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    /// The sequential run.
    ahead: Piece,
    /// A page elsewhere: an interior page, or the first page of a new run.
    aside: Piece,
    /// Size of the next read of the run, in bytes.
    step: usize,
}

#[derive(Debug, Default)]
struct Piece {
    /// Absolute offset of the first byte.
    at: u64,
    bytes: Vec<u8>,
}

impl ReadAhead {
    /// The bytes of a range, fewer if the file ends within it. `None` if they cannot be read.
    ///
    /// `read_at` reads from an absolute offset and returns how many bytes it read, 0 at the end of the file.
    pub(crate) fn read(
        &mut self,
        range: Range,
        mut read_at: impl FnMut(u64, &mut [u8]) -> Option<usize>,
    ) -> Option<&[u8]> {
        if self.ahead.get(range).is_none() && self.aside.get(range).is_none() {
            // Pages of other tables may lie between two pages of a run.
            if self.ahead.is_before(range.at) || self.aside.is_before(range.at) {
                self.step = (2 * self.step).clamp(4 * SMALLEST, LARGEST);
                self.ahead.fill(range, self.step, &mut read_at)?;
            } else {
                self.step /= 2;
                self.aside.fill(range, SMALLEST, &mut read_at)?;
            }
        }
        let piece = if self.ahead.get(range).is_some() { &self.ahead } else { &self.aside };
        piece.get(range).or_else(|| piece.from(range.at))
    }
}

impl Piece {
    fn get(&self, range: Range) -> Option<&[u8]> {
        self.from(range.at)?.get(..usize::try_from(range.len).ok()?)
    }

    fn from(&self, at: u64) -> Option<&[u8]> {
        self.bytes.get(usize::try_from(at.checked_sub(self.at)?).ok()?..)
    }

    /// Whether `at` is at most 256 KiB after the end of this piece.
    fn is_before(&self, at: u64) -> bool {
        let end = self.at + self.bytes.len() as u64;
        !self.bytes.is_empty() && (end..end + SMALLEST as u64 * 4).contains(&at)
    }

    /// Reads the range, and up to `most` bytes with it.
    fn fill(
        &mut self,
        range: Range,
        most: usize,
        mut read_at: impl FnMut(u64, &mut [u8]) -> Option<usize>,
    ) -> Option<()> {
        let least = usize::try_from(range.len).ok()?;
        self.at = range.at;
        self.bytes.resize(most.max(least), 0);
        let mut filled = 0;
        while filled < least {
            match read_at(range.at + filled as u64, self.bytes.get_mut(filled..)?) {
                Some(0) => break,
                Some(n) => filled += n,
                None => {
                    self.bytes.clear();
                    return None;
                }
            }
        }
        self.bytes.truncate(filled);
        Some(())
    }
}
