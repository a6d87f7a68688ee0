//! Which slices a range holds, and in which order they are read.

use unspool_formats::TrackId;

use crate::call_tree::NodeId;
use crate::store::Store;
use crate::store::column::{STRETCH, Stretch};

/// Up to so many slices in stretches that are not full are read before all others.
const SURE: u64 = 1 << 20;

/// What statistics are about. A slice belongs to it when it overlaps with `from..to`; one without duration when it stands
/// there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Absolute.
    pub from: u64,
    /// Absolute, not in the range itself; `u64::MAX` for all.
    pub to: u64,
    /// Tracks; those without slices add nothing.
    pub tracks: Vec<TrackId>,
}

/// Slices of one column that lie together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    pub(super) track: TrackId,
    pub(super) depth: i32,
    pub(super) stretch: Stretch,
}

/// A slice that is not wholly in the range, or has not ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Single {
    pub(super) track: TrackId,
    pub(super) depth: i32,
    pub(super) node: NodeId,
    pub(super) start: u64,
    pub(super) end: u64,
}

/// The slices of a range as they are now: what is read later on is not among them.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) question: Question,
    /// In the order to read them: each beginning of the list is a sample of all.
    pub(super) chunks: Vec<Chunk>,
    /// The first of them, which are read whole before anything is estimated: columns with few slices, which a sample would
    /// miss or count many times over.
    pub(super) sure: usize,
    pub(super) singles: Vec<Single>,
    /// How many slices there are.
    pub(super) slices: u64,
    /// Slices in the chunks that are not sure.
    pub(super) sampled: u64,
    restarts: u64,
    /// The whole trace had been read.
    pub(super) complete: bool,
}

impl Plan {
    pub(super) fn new(store: &Store, question: Question) -> Self {
        let mut plan = Self {
            question,
            chunks: Vec::new(),
            sure: 0,
            singles: Vec::new(),
            slices: 0,
            sampled: 0,
            restarts: store.restarts,
            complete: store.is_finished(),
        };
        for i in 0..plan.question.tracks.len() {
            if let Some(track) = plan.question.tracks.get(i).copied() {
                plan.add_track(store, track);
            }
        }
        plan.slices = plan.singles.len() as u64 + count(&plan.chunks);
        let (small, large): (Vec<_>, Vec<_>) = plan.chunks.iter().partition(|c| c.stretch.len() < STRETCH);
        if count(&small) <= SURE {
            plan.sure = small.len();
            plan.sampled = count(&large);
            plan.chunks = small;
            plan.chunks.extend(spread(&large));
        } else {
            plan.sampled = count(&plan.chunks);
            plan.chunks = spread(&plan.chunks).collect();
        }
        plan
    }

    /// The slices that were planned are somewhere else: a track was delivered anew, or the trace was finished and its short
    /// columns merged. Slices that came in addition change nothing.
    pub(super) fn is_outdated(&self, store: &Store) -> bool {
        self.restarts != store.restarts || self.complete != store.is_finished()
    }

    fn add_track(&mut self, store: &Store, id: TrackId) {
        let Some(track) = store.tracks.get(id as usize) else { return };
        let Question { from, to, .. } = self.question;
        for (depth, column) in track.columns() {
            let mut range = column.overlapping(from, to);
            // Slices of a column do not overlap: only the first and the last can reach beyond the range.
            for last in [false, true] {
                let edge = if last { range.end.checked_sub(1) } else { Some(range.start) };
                let Some(slice) = edge.filter(|i| range.contains(i)).and_then(|i| column.get(i)) else { continue };
                if slice.start >= from && slice.end <= to {
                    continue;
                }
                self.singles.push(Single { track: id, depth, node: slice.node, start: slice.start, end: slice.end });
                range = if last { range.start..range.end - 1 } else { range.start + 1..range.end };
            }
            self.chunks.extend(column.stretches(range).map(|stretch| Chunk { track: id, depth, stretch }));
        }
        let now = store.extent().map_or(0, |(_, now)| now);
        for open in track.open() {
            let (start, end) = (open.start, now.max(open.start));
            if start < to && (end > from || start >= from) {
                self.singles.push(Single { track: id, depth: open.depth, node: open.node, start, end });
            }
        }
    }
}

impl Single {
    /// How much of it lies in the range.
    pub(super) fn inside(&self, question: &Question) -> u64 {
        self.end.min(question.to).saturating_sub(self.start.max(question.from))
    }
}

fn count(chunks: &[Chunk]) -> u64 {
    chunks.iter().map(|c| c.stretch.len() as u64).sum()
}

/// The same chunks in steps of the golden section, which leave no part out for long.
fn spread(chunks: &[Chunk]) -> impl Iterator<Item = Chunk> {
    let n = chunks.len();
    let mut stride = ((n as f64 * 0.618_034) as usize).max(1);
    while greatest_common_divisor(stride, n) > 1 {
        stride += 1;
    }
    (0..n).filter_map(move |i| chunks.get((i as u64 * stride as u64 % n as u64) as usize)).copied()
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
