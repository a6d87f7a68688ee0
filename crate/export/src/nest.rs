//! Begins and ends out of slices that nest.

use crate::Slice;

/// The open slices of a track.
#[derive(Debug, Default)]
pub(crate) struct Nest {
    /// Depth, end and name.
    open: Vec<(u32, u64, u32)>,
    /// The latest position.
    now: u64,
}

impl Nest {
    /// Ends the slices before one at this depth: `end` gets name and position, the innermost first.
    /// Returns the begin and the end of the slice, no earlier than what was before and no later
    /// than what encloses it.
    pub(crate) fn enter(
        &mut self,
        slice: &Slice,
        (start, end): (u64, u64),
        mut ends: impl FnMut(u32, u64),
    ) -> (u64, u64) {
        while let Some((_, at, name)) = self.open.pop_if(|(depth, ..)| *depth >= slice.depth) {
            self.now = self.now.max(at);
            ends(name, self.now);
        }
        let outer = self.open.last().map_or(u64::MAX, |(_, end, _)| *end);
        let start = start.max(self.now).min(outer.max(self.now));
        let end = end.min(outer).max(start);
        self.now = start;
        self.open.push((slice.depth, end, slice.name));
        (start, end)
    }

    /// Ends all that is open.
    pub(crate) fn close(&mut self, mut ends: impl FnMut(u32, u64)) {
        while let Some((_, at, name)) = self.open.pop() {
            self.now = self.now.max(at);
            ends(name, self.now);
        }
        self.now = 0;
    }
}
