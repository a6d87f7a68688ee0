//! What is known of each statement: how often execution reached it, and when.

use alloc::vec::Vec;
use core::ops::Range;

use unspool_formats::trace_db::wire::StatementId;

use crate::columns::{Dictionary, Segment};

/// Cells of the heat over time.
pub const CELLS: usize = 64;

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The statement; `None` for points that name none.
    pub id: Option<StatementId>,
    /// Number of points in the range; 0 without any.
    pub count: u64,
    /// Numbers of the first and the last of them.
    pub first: u64,
    /// See [`Summary::first`].
    pub last: u64,
    /// Points in each of [`CELLS`] equal parts of the range.
    pub heat: [u32; CELLS],
}

/// All statements, by their numbers in the dictionary.
#[derive(Clone, Debug, Default)]
pub struct Statements {
    summaries: Vec<Summary>,
    /// Points that were looked at.
    points: u64,
    /// Numbers of the points that count.
    range: Range<u64>,
}

/// The part of a range that a point is in, of [`CELLS`] equal ones. `None` outside of the range.
pub(crate) fn cell_in(range: &Range<u64>, point: u64) -> Option<usize> {
    let at = point.checked_sub(range.start)?;
    let cell = (u128::from(at) * CELLS as u128) / u128::from(range.end.checked_sub(range.start)?.max(1));
    (point < range.end).then_some((cell as usize).min(CELLS - 1))
}

impl Statements {
    /// None yet, of the points with these numbers.
    pub(crate) fn new(range: Range<u64>) -> Self {
        Self { range, ..Self::default() }
    }

    /// Numbers of the points that count.
    pub(crate) fn range(&self) -> &Range<u64> {
        &self.range
    }

    /// Adds the points of a segment, unless they were added before.
    pub(crate) fn add(&mut self, segment: &Segment, dictionary: &Dictionary) {
        if segment.first < self.points {
            return;
        }
        for point in 0..segment.len() {
            let x = segment.first + point as u64;
            let number = segment.statement(point) as usize;
            if number >= self.summaries.len() {
                // Numbers are given in the order of first points.
                let id = dictionary.statement(number as u32);
                self.summaries.resize(number + 1, Summary { id, count: 0, first: x, last: x, heat: [0; CELLS] });
            }
            // Those without a point in the range keep their numbers.
            let Some(cell) = cell_in(&self.range, x) else { continue };
            let Some(summary) = self.summaries.get_mut(number) else { continue };
            if summary.count == 0 {
                summary.first = x;
            }
            summary.count += 1;
            summary.last = x;
            if let Some(cell) = summary.heat.get_mut(cell) {
                *cell += 1;
            }
        }
        self.points = segment.first + segment.len() as u64;
    }

    /// The statements so far.
    pub fn summaries(&self) -> &[Summary] {
        &self.summaries
    }
}
