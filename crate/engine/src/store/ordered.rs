//! Slices of several tracks, in time order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use unspool_trace::TrackId;

use super::Store;
use super::column::Column;
use super::slice::Slice;

/// A slice with its position in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Number of its track.
    pub track: TrackId,
    /// Its signed depth.
    pub depth: i32,
    /// Its index in the column.
    pub index: usize,
    /// The slice.
    pub slice: Slice,
}

/// The next slice of a column, in the order to compare by: start, end, depth, then column and
/// index.
type Next = (u64, Reverse<u64>, i32, usize, usize);

/// Iterates over slices by start; among those that start together, the longer comes first, then the
/// one at the lower depth. Merges the columns, holding one slice of each.
pub struct Ordered<'a> {
    columns: Vec<(TrackId, i32, &'a Column, usize)>,
    next: BinaryHeap<Reverse<Next>>,
}

impl Store {
    /// The slices of some tracks that overlap with `from..to` (absolute, in ticks), in time order.
    /// Slices that are still open are not included.
    pub fn ordered(&self, tracks: &[TrackId], from: u64, to: u64) -> Ordered<'_> {
        let mut ordered = Ordered { columns: Vec::new(), next: BinaryHeap::new() };
        for id in tracks {
            let Some(track) = self.tracks.get(*id as usize) else { continue };
            for (depth, column) in track.columns() {
                let range = column.overlapping(from, to);
                let i = ordered.columns.len();
                ordered.columns.push((*id, depth, column, range.end));
                ordered.offer(i, range.start);
            }
        }
        ordered
    }
}

impl Ordered<'_> {
    fn offer(&mut self, i: usize, index: usize) {
        let Some((_, depth, column, end)) = self.columns.get(i) else { return };
        if let Some(slice) = column.get(index).filter(|_| index < *end) {
            self.next.push(Reverse((slice.start, Reverse(slice.end), *depth, i, index)));
        }
    }
}

impl Iterator for Ordered<'_> {
    type Item = Placed;

    fn next(&mut self) -> Option<Placed> {
        let Reverse((_, _, _, i, index)) = self.next.pop()?;
        self.offer(i, index + 1);
        let (track, depth, column, _) = self.columns.get(i)?;
        Some(Placed { track: *track, depth: *depth, index, slice: column.get(index)? })
    }
}

#[cfg(test)]
mod tests {
    use unspool_trace::{EventBatch, EventKind, Locator, TrackDef, TrackKind};

    use super::*;

    #[test]
    fn slices_are_sorted_by_start_outermost_first() {
        let mut store = Store::default();
        let mut batch = EventBatch::with_capacity(100);
        batch.new_names.extend(["a", "b", "c"].map(|name| String::from(name).into()));
        batch.new_tracks.extend(["t", "u"].map(|name| TrackDef::new(TrackKind::Thread, name)));
        let (begin, end) = (EventKind::Begin, EventKind::End);
        for (kind, track, time, name) in
            [(begin, 0, 1, 0), (begin, 0, 1, 1), (end, 0, 4, 1), (end, 0, 9, 0), (begin, 1, 2, 2), (end, 1, 3, 2)]
        {
            batch.push(kind, track, time, name, Locator::default());
        }
        store.apply(&mut batch);
        store.finish(false);
        let shown = |tracks: &[TrackId], from, to| -> Vec<_> {
            store.ordered(tracks, from, to).map(|p| (p.track, p.depth, p.slice.start, p.slice.end)).collect()
        };
        assert_eq!(shown(&[0, 1], 0, u64::MAX), [(0, 0, 1, 9), (0, 1, 1, 4), (1, 0, 2, 3)]);
        assert_eq!(shown(&[0, 1], 5, 6), [(0, 0, 1, 9)]);
        assert_eq!(shown(&[1, 7], 0, u64::MAX), [(1, 0, 2, 3)]);
    }
}
