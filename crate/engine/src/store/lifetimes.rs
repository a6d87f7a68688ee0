//! Slices that overlap and are open: each begins and ends for itself.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use super::slice::Open;

/// Open slices of one track, by depth and by name.
#[derive(Debug, Default)]
pub(super) struct Lifetimes {
    open: BTreeMap<i32, Open>,
    by_name: HashMap<u32, i32>,
    /// Depths below `depths` that are free.
    free: BinaryHeap<Reverse<i32>>,
    /// How many depths have been in use at a time.
    depths: i32,
}

impl Lifetimes {
    /// A slice begins at the lowest depth that is free. Answers the one of the same name that was open, and is no more.
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

    /// The slice of this name ends.
    pub(super) fn end(&mut self, name: u32) -> Option<Open> {
        let depth = self.by_name.remove(&name)?;
        self.free.push(Reverse(depth));
        self.open.remove(&depth)
    }

    /// Ends all.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Open> + use<> {
        std::mem::take(self).open.into_values()
    }

    /// What is open, from the lowest depth.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Open> {
        self.open.values()
    }

    /// The highest depth at which something is open.
    pub(super) fn highest(&self) -> Option<i32> {
        self.open.last_key_value().map(|(depth, _)| *depth)
    }
}
