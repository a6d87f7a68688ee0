//! Pages of a database's file, read in large pieces.

use unspool_formats::decoder::Range;

use crate::rows::RowSource;

/// What is read at once where pages follow upon one another: each read costs about a millisecond in a browser.
const LARGEST: usize = 8 << 20;
/// What is read at once elsewhere.
const SMALLEST: usize = 64 << 10;

/// The pieces that were read last.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    /// Where reading goes on and on.
    ahead: Piece,
    /// Somewhere else: an interior page, or the first page of a stretch.
    aside: Piece,
    /// How much is read ahead next time.
    step: usize,
}

#[derive(Debug, Default)]
struct Piece {
    at: u64,
    bytes: Vec<u8>,
}

impl Pages {
    /// The bytes of a range; fewer where the file ends, nothing where they cannot be read.
    pub(crate) fn read(&mut self, range: Range, source: &dyn RowSource) -> Option<&[u8]> {
        if self.ahead.get(range).is_none() && self.aside.get(range).is_none() {
            // Pages of other tables may lie in between.
            if self.ahead.is_before(range.at) || self.aside.is_before(range.at) {
                self.step = (2 * self.step).clamp(4 * SMALLEST, LARGEST);
                self.ahead.fill(range, self.step, source)?;
            } else {
                self.step /= 2;
                self.aside.fill(range, SMALLEST, source)?;
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

    /// Whether a place lies behind this piece, and near.
    fn is_before(&self, at: u64) -> bool {
        let end = self.at + self.bytes.len() as u64;
        !self.bytes.is_empty() && (end..end + SMALLEST as u64 * 4).contains(&at)
    }

    fn fill(&mut self, range: Range, most: usize, source: &dyn RowSource) -> Option<()> {
        let least = usize::try_from(range.len).ok()?;
        self.at = range.at;
        self.bytes.resize(most.max(least), 0);
        let mut filled = 0;
        while filled < least {
            match source.read_at(range.at + filled as u64, self.bytes.get_mut(filled..)?) {
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
