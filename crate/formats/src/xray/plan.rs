//! The order in which buffers are read when the file does not have them in order.
//!
//! The buffers of each thread are sorted by their first clock; the order between threads is free.
//! The plan therefore reads in sweeps over the file. A ring log, which begins somewhere in the
//! middle, takes two sweeps instead of one seek per buffer.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use unspool_trace::decoder::Want;
use unspool_trace::sort;

use super::checkpoints::Checkpoint;
use super::decode::{FdrWalk, Sink};
use super::wire::Header;

/// Buffers at most this many bytes apart are read in one stretch.
const GAP: u64 = 64 * 1024;
/// The longest stretch in bytes, unless a single buffer is longer.
const STRETCH: u64 = 8 * 1024 * 1024;

/// A buffer to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Planned {
    pub(crate) start: Checkpoint,
    /// The caller's number for the buffer.
    pub(crate) number: u32,
}

/// Buffers in reading order, and the position in that order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    buffers: Vec<Planned>,
    next: usize,
    /// Absolute offsets of the next byte and of the end of the current stretch.
    at: u64,
    until: u64,
    /// The current buffer has been started.
    begun: bool,
}

impl Plan {
    /// Sorts each thread's buffers by clock and arranges them in sweeps.
    pub(crate) fn new(threads: impl IntoIterator<Item = Vec<Planned>>) -> Self {
        let mut queues: Vec<Vec<Planned>> = threads.into_iter().collect();
        let mut due = BTreeSet::new();
        for (thread, queue) in queues.iter_mut().enumerate() {
            // Numbers ascend in file order, which decides between equal clocks.
            let mut order: Vec<(u64, u32)> = queue.iter().map(|buffer| buffer.start.clock).zip(0..).collect();
            sort::pairs(&mut order);
            // Descending, to pop the earliest.
            *queue = order.iter().rev().filter_map(|(_, i)| queue.get(*i as usize).copied()).collect();
            if let Some(first) = queue.last() {
                due.insert((first.start.at, thread));
            }
        }
        let mut buffers = Vec::new();
        let mut position = 0;
        while let Some((at, thread)) = due.range((position, 0)..).next().or(due.first()).copied() {
            due.remove(&(at, thread));
            position = at;
            let Some(queue) = queues.get_mut(thread) else { continue };
            buffers.extend(queue.pop());
            if let Some(next) = queue.last() {
                due.insert((next.start.at, thread));
            }
        }
        let mut plan = Self { buffers, ..Self::default() };
        plan.stretch();
        plan
    }

    /// The bytes to read next.
    pub(crate) fn want(&self) -> Want {
        if self.next >= self.buffers.len() {
            return Want::Nothing;
        }
        Want::Seek { at: self.at, len: self.until.saturating_sub(self.at) }
    }

    /// Walks over planned buffers in `input`, the bytes that [`Plan::want`] asked for. Calls
    /// `begin` before each buffer. Returns the number of bytes used.
    pub(crate) fn run<S: Sink>(
        &mut self,
        header: &Header,
        walk: &mut FdrWalk,
        input: &[u8],
        sink: &mut S,
        begin: impl Fn(&mut S, Planned),
    ) -> usize {
        let mut used = 0;
        while let Some(planned) = self.buffers.get(self.next).copied() {
            if self.at < planned.start.at && !self.begun {
                // A gap, or a preamble, which the checkpoint already reflects.
                let gap = usize::try_from(planned.start.at - self.at).unwrap_or(usize::MAX);
                let skip = gap.min(input.len() - used);
                self.at += skip as u64;
                used += skip;
                if skip < gap {
                    break;
                }
            }
            if !self.begun {
                *walk = FdrWalk::resume(header, planned.start);
                self.begun = true;
                begin(sink, planned);
            }
            let n = walk.run(input.get(used..).unwrap_or_default(), sink);
            used += n;
            self.at += n as u64;
            if !walk.is_between() {
                break;
            }
            if self.advance() {
                break;
            }
        }
        used
    }

    /// The bytes end before the buffer does: the file has shrunk or is truncated. `rest` is what
    /// the last run did not use.
    pub(crate) fn end<S: Sink>(&mut self, walk: &mut FdrWalk, rest: &[u8], sink: &mut S) {
        if self.begun {
            walk.end(rest, sink);
        }
        self.advance();
        if self.next < self.buffers.len() {
            self.stretch();
        }
    }

    /// Moves to the next buffer. Returns true if that needs another stretch.
    fn advance(&mut self) -> bool {
        self.begun = false;
        self.next += 1;
        let continues = self.buffers.get(self.next).is_some_and(|b| b.start.at >= self.at && b.start.end <= self.until);
        if !continues {
            self.stretch();
        }
        !continues
    }

    /// Starts a stretch that holds the next buffer and as many of those after it as are close
    /// enough.
    fn stretch(&mut self) {
        let mut buffers = self.buffers.iter().skip(self.next).map(|b| b.start);
        let Some(first) = buffers.next() else { return };
        (self.at, self.until) = (first.at, first.end);
        for buffer in buffers {
            let close = buffer.at >= self.until && buffer.at - self.until <= GAP;
            if !close || buffer.end - first.at > STRETCH {
                break;
            }
            self.until = buffer.end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn buffers(threads: &[&[(u64, u64)]]) -> Plan {
        let planned = |&(at, clock): &(u64, u64)| Planned {
            start: Checkpoint { at, end: at + 10, clock, pid: 1, tid: 1, cpu: 0, first: true },
            number: 0,
        };
        Plan::new(threads.iter().map(|t| t.iter().map(planned).collect::<Vec<_>>()))
    }

    fn order(plan: &Plan) -> Vec<u64> {
        plan.buffers.iter().map(|b| b.start.at).collect()
    }

    #[test]
    fn a_ring_log_is_read_in_two_sweeps() {
        let plan = buffers(&[&[(0, 30), (20, 40), (40, 10), (60, 20)], &[(10, 35), (30, 45), (50, 15)]]);
        assert_eq!(order(&plan), [40, 50, 60, 0, 10, 20, 30]);
        assert_eq!(plan.want(), Want::Seek { at: 40, len: 30 });
    }

    #[test]
    fn equal_clocks_stay_in_file_order() {
        assert_eq!(order(&buffers(&[&[(0, 5), (10, 5), (20, 1)]])), vec![20, 0, 10]);
    }

    #[test]
    fn distant_buffers_are_read_in_separate_stretches() {
        let plan = buffers(&[&[(0, 1), (10, 2), (10_000_000, 3)]]);
        assert_eq!(plan.want(), Want::Seek { at: 0, len: 20 });
        assert_eq!(buffers(&[]).want(), Want::Nothing);
    }
}
