//! The slices of a track in the order in which they are entered: each after the one that encloses
//! it.
//!
//! The slices of one depth are a sequence. Those that a slice encloses are consecutive in the
//! sequence below, so walking down and across finds them without comparing all sequences. What
//! nothing encloses waits in a heap, by its position.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::{Slice, Source};

/// A sequence: a part of the source.
#[derive(Debug)]
struct Depth {
    part: usize,
    len: u64,
    /// The index of the head, the next slice.
    next: u64,
    head: Option<Slice>,
    /// The head is to be fetched.
    stale: bool,
    /// The row of the latest slice that was passed on.
    passed: Option<u64>,
}

/// Slices of one track, in order.
#[derive(Debug)]
pub(crate) struct Order {
    depths: Vec<Depth>,
    /// The slices that enclose the next one, as places in `depths` with their rows.
    open: Vec<(usize, u64)>,
    /// Heads that nothing encloses, by position, then the outer one first. Each is there once.
    roots: BinaryHeap<Reverse<(u64, usize)>>,
    /// Places in `depths` whose heads are to be fetched.
    stale: Vec<usize>,
}

/// What [`Order::next`] returns.
pub(crate) enum Next {
    /// A slice with its part and index.
    Slice(Slice, usize, u64),
    /// A slice is not loaded yet.
    Stalled,
    /// There are no more.
    End,
}

impl Order {
    /// Those of the parts with these numbers and lengths, from depth 0 on.
    pub(crate) fn new(parts: impl Iterator<Item = (usize, u64)>) -> Self {
        let depths: Vec<Depth> =
            parts.map(|(part, len)| Depth { part, len, next: 0, head: None, stale: len > 0, passed: None }).collect();
        let stale = (0..depths.len()).rev().filter(|place| depths.get(*place).is_some_and(|it| it.stale)).collect();
        Self { depths, open: Vec::new(), roots: BinaryHeap::new(), stale }
    }

    /// Fetches heads that are missing. Returns whether all are there.
    fn fetch(&mut self, source: &mut dyn Source) -> bool {
        while let Some(place) = self.stale.last().copied() {
            let above = place.checked_sub(1).and_then(|above| self.depths.get(above)).and_then(|above| above.passed);
            let Some(depth) = self.depths.get_mut(place) else { return true };
            let Some(head) = source.slice(depth.part, depth.next) else { return false };
            depth.head = Some(head);
            depth.stale = false;
            self.stale.pop();
            let encloses = self.open.iter().rev().find(|(at, _)| at + 1 == place).map(|(_, row)| *row);
            // The enclosing slice is still to come, or open: the walk comes here by it.
            let waits =
                head.parent.is_some_and(|parent| Some(parent) == encloses || above.is_none_or(|row| row < parent));
            if !waits {
                self.roots.push(Reverse((head.start, place)));
            }
        }
        true
    }

    /// The head of a sequence, if this slice encloses it.
    fn child(&self, place: usize, row: u64) -> Option<Slice> {
        self.depths.get(place).and_then(|depth| depth.head).filter(|head| head.parent == Some(row))
    }

    fn take(&mut self, place: usize) -> Next {
        let Some(depth) = self.depths.get_mut(place) else { return Next::End };
        let Some(slice) = depth.head.take() else { return Next::End };
        let index = depth.next;
        depth.next += 1;
        depth.passed = Some(slice.row);
        if depth.next < depth.len {
            depth.stale = true;
            self.stale.push(place);
        }
        self.open.push((place, slice.row));
        Next::Slice(slice, depth.part, index)
    }

    pub(crate) fn next(&mut self, source: &mut dyn Source) -> Next {
        if !self.fetch(source) {
            return Next::Stalled;
        }
        loop {
            let root = self.roots.peek().map(|Reverse(root)| *root);
            if let Some((place, row)) = self.open.last().copied() {
                match self.child(place + 1, row) {
                    // What nothing encloses may begin within a slice nevertheless.
                    Some(child) if root.is_none_or(|(start, _)| start >= child.start) => return self.take(place + 1),
                    Some(_) => {}
                    None => {
                        self.open.pop();
                        continue;
                    }
                }
            }
            let Some((_, place)) = root else {
                // Nothing is lost if the source numbers what encloses a slice wrongly.
                let left = self.depths.iter().enumerate().find_map(|(place, depth)| Some((depth.head?.start, place)));
                let Some(left) = left else { return Next::End };
                self.roots.push(Reverse(left));
                continue;
            };
            self.roots.pop();
            while self.open.last().is_some_and(|(at, _)| *at >= place) {
                self.open.pop();
            }
            return self.take(place);
        }
    }
}
