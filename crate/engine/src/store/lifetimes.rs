//! Open slices that overlap: each begins and ends independently.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use super::slice::Open;

/// The open slices of one track, by depth and by name.
#[derive(Debug, Default)]
pub(super) struct Lifetimes {
    open: BTreeMap<i32, Open>,
    by_name: HashMap<u32, i32>,
    /// Free depths below `depths`.
    free: BinaryHeap<Reverse<i32>>,
    /// How many depths have been in use at once.
    depths: i32,
}

impl Lifetimes {
    /// Begins a slice at the lowest free depth. Returns the open slice of the same name, which ends with that.
    pub(super) fn begin(&mut self, slice: Open) -> Option<Open> {
        let old = self.end(slice.name);
        let depth = match self.free.pop() {
            Some(Reverse(depth)) => depth,
            None => {
                self.depths += 1;
                self.depths - 1
            }
        };
        self.by_name.insert(slice.name, depth);
        self.open.insert(depth, Open { depth, ..slice });
        old
    }

    /// Ends the slice of this name and returns it.
    pub(super) fn end(&mut self, name: u32) -> Option<Open> {
        let depth = self.by_name.remove(&name)?;
        self.free.push(Reverse(depth));
        self.open.remove(&depth)
    }

    /// Ends and returns all slices.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Open> + use<> {
        std::mem::take(self).open.into_values()
    }

    /// The open slices, from the lowest depth.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Open> {
        self.open.values()
    }

    /// The highest depth of an open slice.
    pub(super) fn highest(&self) -> Option<i32> {
        self.open.last_key_value().map(|(depth, _)| *depth)
    }
}
