//! What is known of each statement: how often execution reached it, and when.

use alloc::vec::Vec;

use unspool_formats::trace_db::wire::StatementId;

use crate::columns::{Dictionary, Segment};

/// Cells of the heat over time.
pub const CELLS: usize = 64;

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The statement; `None` for points that name none.
    pub id: Option<StatementId>,
    /// Number of points.
    pub count: u64,
    /// Numbers of the first and the last point.
    pub first: u64,
    /// See [`Summary::first`].
    pub last: u64,
    /// Points in each of [`CELLS`] equal parts of the trace.
    pub heat: [u32; CELLS],
}

/// All statements, by their numbers in the dictionary.
#[derive(Clone, Debug, Default)]
pub struct Statements {
    summaries: Vec<Summary>,
    /// Points that were added.
    points: u64,
    /// Points of the trace.
    of: u64,
}

impl Statements {
    /// None yet, of a trace with this many points.
    pub(crate) fn new(of: u64) -> Self {
        Self { of, ..Self::default() }
    }

    /// Adds the points of a segment, unless they were added before.
    pub(crate) fn add(&mut self, segment: &Segment, dictionary: &Dictionary) {
        if segment.first < self.points {
            return;
        }
        let (of, cells) = (u128::from(self.of.max(1)), CELLS as u128);
        for point in 0..segment.len() {
            let x = segment.first + point as u64;
            let number = segment.statement(point) as usize;
            if number >= self.summaries.len() {
                // Numbers are given in the order of first points.
                let id = dictionary.statement(number as u32);
                self.summaries.resize(number + 1, Summary { id, count: 0, first: x, last: x, heat: [0; CELLS] });
            }
            let Some(summary) = self.summaries.get_mut(number) else { continue };
            summary.count += 1;
            summary.last = x;
            let cell = (u128::from(x) * cells / of) as usize;
            if let Some(cell) = summary.heat.get_mut(cell.min(CELLS - 1)) {
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
