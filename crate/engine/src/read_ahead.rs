//! Prefetches a file that is read page by page, mostly in order.

use core::mem;

use unspool_trace::decoder::Range;

/// Bytes of one read where pages are back-to-back. Each read costs about a millisecond in a
/// browser.
const LARGEST: usize = 8 << 20;
/// Bytes of one read elsewhere.
const SMALLEST: usize = 64 << 10;

/// The pieces of the file that were read last.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    /// The sequential run.
    ahead: Piece,
    /// The piece before it. Pages near its end may come after the first ones of the next: a table
    /// that has grown among others has its pages in order only roughly.
    behind: Piece,
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
    /// `read_at` reads from an absolute offset and returns how many bytes it read, 0 at the end of
    /// the file.
    pub(crate) fn read(
        &mut self,
        range: Range,
        mut read_at: impl FnMut(u64, &mut [u8]) -> Option<usize>,
    ) -> Option<&[u8]> {
        if self.pieces().all(|piece| piece.get(range).is_none()) {
            let end = self.pieces().find_map(|piece| piece.end_before(range.at));
            if let Some(end) = end {
                self.step = (2 * self.step).clamp(4 * SMALLEST, LARGEST);
                mem::swap(&mut self.ahead, &mut self.behind);
                // From there on, because what lies between often comes next.
                let gap = range.at - end;
                self.ahead.fill(Range { at: end, len: gap + range.len }, self.step, &mut read_at)?;
            } else {
                self.step /= 2;
                self.aside.fill(range, SMALLEST, &mut read_at)?;
            }
        }
        // Where the file ends within the range, the piece read just now has the most of it.
        let whole = self.pieces().find_map(|piece| piece.get(range));
        let part = || self.pieces().filter_map(|piece| piece.from(range.at)).max_by_key(|bytes| bytes.len());
        whole.or_else(part).or(Some(&[]))
    }

    fn pieces(&self) -> impl Iterator<Item = &Piece> {
        [&self.ahead, &self.aside, &self.behind].into_iter()
    }
}

impl Piece {
    fn get(&self, range: Range) -> Option<&[u8]> {
        self.from(range.at)?.get(..usize::try_from(range.len).ok()?)
    }

    fn from(&self, at: u64) -> Option<&[u8]> {
        self.bytes.get(usize::try_from(at.checked_sub(self.at)?).ok()?..)
    }

    /// The end of this piece, if `at` is at most 256 KiB after it: pages of other tables may lie
    /// between two pages of a run.
    fn end_before(&self, at: u64) -> Option<u64> {
        let end = self.at + self.bytes.len() as u64;
        (!self.bytes.is_empty() && (end..end + SMALLEST as u64 * 4).contains(&at)).then_some(end)
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

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1024;
    const PAGE: u64 = 4 * KIB;
    const SIZE: u64 = 40_000 * KIB;

    /// Reads these pages of a file of 40,000 KiB whose bytes are the numbers of their pages, 1 MiB
    /// at a time as the page does where nothing was prefetched. Returns the offset and the length
    /// of each read, in KiB.
    fn reads(pages: impl Iterator<Item = u64>) -> Vec<(u64, usize)> {
        let mut ahead = ReadAhead::default();
        let mut reads = Vec::new();
        for page in pages {
            let bytes = ahead.read(Range { at: page * PAGE, len: PAGE }, |at, buffer| {
                let len = buffer.len().min(1 << 20).min(SIZE.saturating_sub(at) as usize);
                for (i, byte) in buffer.iter_mut().take(len).enumerate() {
                    *byte = ((at + i as u64) / PAGE) as u8;
                }
                reads.push((at / KIB, len / KIB as usize));
                Some(len)
            });
            assert_eq!(bytes.unwrap_or_default(), [page as u8; PAGE as usize], "page {page}");
        }
        reads
    }

    #[test]
    fn reads_grow_along_a_run() {
        let reads = reads(0..SIZE / PAGE);
        assert_eq!(reads.get(..4), Some(&[(0, 64), (64, 256), (320, 512), (832, 1024)][..]));
        assert_eq!(reads.iter().map(|(_, len)| *len as u64).sum::<u64>(), SIZE / KIB, "each byte once");
    }

    #[test]
    fn pages_that_are_in_order_only_roughly_are_read_once() {
        // After 4 MB in order, runs of 50 pages, each swapped with its neighbour: 200 KiB back and
        // forth.
        let swapped = (1000..SIZE / PAGE).map(|page| page / 100 * 100 + (page + 50) % 100);
        let reads = reads((0..1000).chain(swapped));
        let read = reads.iter().map(|(_, len)| *len as u64).sum::<u64>();
        assert!(read < SIZE / KIB * 21 / 20, "{read} KiB of {} in {} reads: {reads:?}", SIZE / KIB, reads.len());
    }

    #[test]
    fn the_end_of_the_file_cuts_a_range() {
        let mut ahead = ReadAhead::default();
        let mut end = |at: u64, len| {
            ahead
                .read(Range { at, len }, |at, buffer| {
                    let left = 100_000_usize.saturating_sub(at as usize).min(buffer.len());
                    Some(left)
                })
                .map(<[u8]>::len)
        };
        assert_eq!(
            [end(0, 4096), end(98_304, 4096), end(99_000, 5000), end(200_000, 1)],
            [Some(4096), Some(1696), Some(1000), Some(0)]
        );
        assert_eq!(ahead.read(Range { at: 1 << 30, len: 1 }, |_, _| None), None);
    }
}
