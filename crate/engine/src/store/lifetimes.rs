//! Open slices that overlap: each begins and ends independently.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;
use unspool_trace::kept;

use super::slice::Open;

/// The open slices of one track, by depth and by name.
#[derive(Debug, Default)]
pub(super) struct Lifetimes {
    /// By depth; the last is in use.
    open: Vec<Option<Open>>,
    by_name: HashMap<u32, u32>,
    /// Free depths below `depths`.
    free: BinaryHeap<Reverse<i32>>,
    /// How many depths have been in use at once.
    depths: i32,
}

impl Lifetimes {
    /// Bytes of memory.
    pub(super) fn bytes(&self) -> u64 {
        let free = (self.free.capacity() * size_of::<Reverse<i32>>()) as u64;
        kept::table::<(u32, u32)>(self.by_name.capacity()) + kept::list(&self.open) + free
    }

    /// Begins a slice at the lowest free depth. Returns the open slice of the same name, which ends
    /// with that.
    pub(super) fn begin(&mut self, slice: Open) -> Option<Open> {
        let old = self.end(slice.name);
        let depth = match self.free.pop() {
            Some(Reverse(depth)) => depth,
            None => {
                self.depths += 1;
                self.depths - 1
            }
        };
        self.by_name.insert(slice.name, depth as u32);
        let row = depth as usize;
        if self.open.len() <= row {
            self.open.resize(row + 1, None);
        }
        if let Some(place) = self.open.get_mut(row) {
            *place = Some(Open { depth, ..slice });
        }
        old
    }

    /// Ends the slice of this name and returns it.
    pub(super) fn end(&mut self, name: u32) -> Option<Open> {
        let depth = self.by_name.remove(&name)? as i32;
        self.free.push(Reverse(depth));
        let ended = self.open.get_mut(depth as usize)?.take();
        while self.open.last().is_some_and(Option::is_none) {
            self.open.pop();
        }
        ended
    }

    /// Ends and returns all slices.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Open> + use<> {
        std::mem::take(self).open.into_iter().flatten()
    }

    /// The open slices, from the lowest depth.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Open> {
        self.open.iter().flatten()
    }

    /// How many depths are in use, up to the highest.
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether a slice of this name is open.
    pub(super) fn has(&self, name: u32) -> bool {
        self.by_name.contains_key(&name)
    }

    /// The highest depth of an open slice.
    pub(super) fn highest(&self) -> Option<i32> {
        self.open.len().checked_sub(1).map(|depth| depth as i32)
    }
}
