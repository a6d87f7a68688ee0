//! Where a function is called, at places where its calls are too short to be drawn on their own.

use unspool_trace::TrackId;

use crate::jobs::{Job, Progress, Step};
use crate::store::Store;
use crate::store::column::Column;
use crate::store::query::TrackRows;

/// Most cells of a row.
pub(crate) const MOST_CELLS: u64 = 1 << 14;

/// Which calls to mark, and how finely.
#[derive(Clone, Debug)]
pub struct MarksQuestion {
    /// Number of their name.
    pub name: u32,
    /// First absolute position, in ticks.
    pub from: u64,
    /// Absolute position after the last, in ticks.
    pub to: u64,
    /// Width of a cell, in ticks.
    pub step: u64,
    /// The rows to mark.
    pub rows: Vec<TrackRows>,
    /// Marks all depths of a track in one row, and in it every cell that a call touches. Otherwise
    /// calls of a step or longer are left out: they are drawn.
    pub merged: bool,
}

/// Cells with what is marked, such as calls of a function, sorted by track, depth and cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarksColumns {
    /// Number of the track.
    pub track: Vec<u32>,
    /// Signed depth; 0 if depths were merged.
    pub depth: Vec<i32>,
    /// Number of the cell: it begins that many steps after [`MarksQuestion::from`].
    pub cell: Vec<u32>,
    /// How many there are in the cell.
    pub count: Vec<u32>,
}

/// Counts the calls of a name by cells of the rows on the screen. One scan over the slices of these
/// rows in the range, in memory that depends on the number of cells alone.
#[derive(Debug)]
pub struct Marks {
    question: MarksQuestion,
    /// For each call-tree node, whether it has the name.
    wanted: Vec<bool>,
    /// The columns that are still to be scanned, the last one first.
    columns: Vec<(TrackId, i32)>,
    /// The next slice of the current column, once it has begun.
    next: Option<usize>,
    /// The track and depth that `cells` count, and the counts.
    row: Option<(TrackId, i32)>,
    cells: Vec<u32>,
    columns_found: MarksColumns,
    progress: Progress,
    done: bool,
}

impl Marks {
    /// Plans the scan.
    pub fn new(store: &Store, question: MarksQuestion) -> Self {
        let mut question = question;
        question.step = question.step.max(1).max(question.to.saturating_sub(question.from).div_ceil(MOST_CELLS));
        let mut columns = Vec::new();
        let mut of = 0;
        for TrackRows { track: id, depths } in &question.rows {
            let Some(track) = store.tracks.get(*id as usize) else { continue };
            for (depth, column) in track.columns_within(depths) {
                let here = column.overlapping(question.from, question.to).len();
                if here > 0 {
                    columns.push((*id, depth));
                    of += here as u64;
                }
            }
        }
        columns.reverse();
        let cells = question.to.saturating_sub(question.from).div_ceil(question.step).min(MOST_CELLS);
        Self {
            wanted: store.calls.with_name(question.name),
            question,
            columns,
            next: None,
            row: None,
            cells: vec![0; cells as usize],
            columns_found: MarksColumns::default(),
            progress: Progress { done: 0, of },
            done: false,
        }
    }

    /// The marks and the width of a cell, once the scan is over.
    pub fn found(&self) -> Option<(&MarksColumns, u64)> {
        self.done.then_some((&self.columns_found, self.question.step))
    }

    /// Counts the slices of the current column. Returns whether these were all.
    fn count(&mut self, column: &Column, until: u64) -> bool {
        let MarksQuestion { from, to, step, merged, .. } = self.question;
        let range = column.overlapping(from, to);
        let last = self.cells.len().saturating_sub(1);
        let next = self.next.get_or_insert(range.start);
        column.sweep(next, range.end, &mut self.progress, until, &mut |index, duration, node| {
            if self.wanted.get(node as usize).is_some_and(|wanted| *wanted)
                && (merged || duration < step)
                && let Some(slice) = column.get(index)
            {
                let cell = |time: u64| ((time.saturating_sub(from) / step) as usize).min(last);
                let begin = cell(slice.start);
                let end = if merged { cell(slice.end.saturating_sub(1)).max(begin) } else { begin };
                for cell in self.cells.get_mut(begin..=end).unwrap_or_default() {
                    *cell = cell.saturating_add(1);
                }
            }
        })
    }

    /// Appends the cells of the current row to the result, and clears them.
    fn flush(&mut self) {
        let Some((track, depth)) = self.row.take() else { return };
        for (cell, count) in (0..).zip(&mut self.cells) {
            if *count > 0 {
                self.columns_found.track.push(track);
                self.columns_found.depth.push(depth);
                self.columns_found.cell.push(cell);
                self.columns_found.count.push(std::mem::take(count));
            }
        }
    }
}

impl Job for Marks {
    fn noun(&self) -> &'static str {
        "marks"
    }

    fn step(&mut self, store: &Store, budget: u64) -> Step {
        let until = self.progress.done.saturating_add(budget);
        while let Some((track, depth)) = self.columns.last().copied() {
            let row = (track, if self.question.merged { 0 } else { depth });
            if self.row != Some(row) {
                self.flush();
                self.row = Some(row);
            }
            if let Some(column) = store.tracks.get(track as usize).and_then(|track| track.column(depth))
                && !self.count(column, until)
            {
                return Step::More;
            }
            self.columns.pop();
            self.next = None;
        }
        self.flush();
        (self.wanted, self.cells) = (Vec::new(), Vec::new());
        self.progress.of = self.progress.done;
        self.done = true;
        Step::Done
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn bytes(&self) -> u64 {
        let lists = self.wanted.capacity()
            + self.columns.capacity() * size_of::<(TrackId, i32)>()
            + self.cells.capacity() * size_of::<u32>()
            + self.columns_found.cell.capacity() * 4 * size_of::<u32>();
        lists as u64
    }

    fn release(&mut self) {
        (self.wanted, self.columns, self.cells) = (Vec::new(), Vec::new(), Vec::new());
        self.columns_found = MarksColumns::default();
        self.done = true;
    }
}

#[cfg(test)]
mod tests {
    use unspool_trace::{EventBatch, EventKind, Locator, TrackDef, TrackKind};

    use super::*;

    /// 100,000 calls of f0 of 3 ticks in a call of f1, one in a thousand of them f2.
    fn store() -> Store {
        let mut store = Store::default();
        let mut batch = EventBatch::with_capacity(300_000);
        batch.new_tracks.extend(["t", "u"].map(|name| TrackDef::new(TrackKind::Thread, name)));
        batch.new_names.extend(["f0", "f1", "f2"].map(|name| String::from(name).into()));
        for track in 0..2 {
            batch.push(EventKind::Begin, track, 0, 1, Locator::default());
            for i in 0..100_000u64 {
                let name = if i % 1000 == 500 { 2 } else { 0 };
                batch.push(EventKind::Begin, track, i * 10, name, Locator::at(i));
                batch.push(EventKind::End, track, i * 10 + 3, name, Locator::at(i));
            }
            batch.push(EventKind::End, track, 1_000_000, 1, Locator::default());
        }
        store.apply(&mut batch);
        store.finish(false);
        store
    }

    fn marks(store: &Store, question: MarksQuestion) -> (MarksColumns, Progress) {
        let mut job = Marks::new(store, question);
        while job.step(store, 1000) == Step::More {}
        (job.found().unwrap().0.clone(), job.progress())
    }

    fn question(name: u32, range: std::ops::Range<u64>, step: u64) -> MarksQuestion {
        let rows = vec![TrackRows { track: 1, depths: 1..2 }];
        MarksQuestion { name, from: range.start, to: range.end, step, rows, merged: false }
    }

    #[test]
    fn each_cell_has_the_number_of_calls_that_begin_in_it() {
        let store = store();
        let (found, progress) = marks(&store, question(2, 0..1_000_000, 4096));
        assert_eq!((found.cell.len(), found.count.iter().sum::<u32>()), (100, 100));
        assert!((0..100u64).zip(&found.cell).all(|(i, cell)| (i * 10_000 + 5_000) / 4096 == u64::from(*cell)));
        assert!(found.track.iter().all(|track| *track == 1) && found.depth.iter().all(|depth| *depth == 1));
        // Only the row and the range that were asked for are visited.
        assert_eq!(progress, Progress { done: 100_000, of: 100_000 });
        let (found, progress) = marks(&store, question(2, 500_000..520_000, 64));
        assert_eq!((found.count.len(), progress.done), (2, 2000));
    }

    #[test]
    fn what_is_drawn_is_not_marked() {
        let store = store();
        assert_eq!(marks(&store, question(2, 0..10_000, 2)).0, MarksColumns::default());
        assert_eq!(marks(&store, question(7, 0..10_000, 64)).0, MarksColumns::default());
        let (found, _) = marks(&store, question(0, 0..10_000, 100));
        assert_eq!((found.cell.len(), found.count[0]), (100, 10));
    }

    #[test]
    fn merged_rows_mark_every_cell_that_a_call_touches() {
        let store = store();
        let rows = vec![TrackRows { track: 0, depths: i32::MIN..i32::MAX }];
        let all = MarksQuestion { name: 1, from: 0, to: 1_000_000, step: 10_000, rows, merged: true };
        let (found, _) = marks(&store, all.clone());
        assert_eq!((found.cell, found.count), ((0..100).collect(), vec![1; 100]));
        let (found, _) = marks(&store, MarksQuestion { name: 2, ..all });
        assert_eq!((found.cell.len(), found.depth[0]), (100, 0));
    }
}
