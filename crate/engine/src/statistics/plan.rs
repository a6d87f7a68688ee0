//! Which slices a range holds, and in which order they are visited.

use unspool_trace::TrackId;

use crate::call_tree::NodeId;
use crate::store::Store;
use crate::store::column::{STRETCH, Stretch};

/// Most slices of partly filled stretches that are visited before all others.
const SURE: u64 = 1 << 20;

/// What statistics are about. A slice belongs to the range if it overlaps with `from..to`, or lies
/// in it without duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// First absolute position, in ticks.
    pub from: u64,
    /// Absolute position after the last, in ticks. `u64::MAX` for no limit; what begins there
    /// belongs to no range.
    pub to: u64,
    /// Numbers of the tracks. Those without slices add nothing.
    pub tracks: Vec<TrackId>,
}

/// Consecutive slices of one column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    pub(super) track: TrackId,
    pub(super) depth: i32,
    pub(super) stretch: Stretch,
}

/// A slice that is partly outside of the range, or open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Single {
    pub(super) track: TrackId,
    pub(super) depth: i32,
    pub(super) node: NodeId,
    pub(super) start: u64,
    pub(super) end: u64,
}

/// The slices of a range at the time of planning.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) question: Question,
    /// In the order to visit them: each prefix of the list is a sample of all.
    pub(super) chunks: Vec<Chunk>,
    /// How many of the first chunks are visited completely before anything is estimated: those of
    /// columns with few slices, which a sample would miss or overcount.
    pub(super) sure: usize,
    pub(super) singles: Vec<Single>,
    /// How many slices there are.
    pub(super) slices: u64,
    /// How many slices the chunks that are not sure hold.
    pub(super) sampled: u64,
    restarts: u64,
    /// Whether the whole trace had been read.
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
        // A block that is loaded from a file is visited as a whole.
        let together = store.has_shelf();
        if count(&small) <= SURE {
            plan.sure = small.len();
            plan.sampled = count(&large);
            plan.chunks = small;
            plan.chunks.extend(spread(&large, together));
        } else {
            plan.sampled = count(&plan.chunks);
            plan.chunks = spread(&plan.chunks, together).collect();
        }
        plan
    }

    /// Whether the planned slices have moved: a track was delivered again, or the trace was
    /// finished and its short columns were merged. Slices that were only added change nothing.
    pub(super) fn is_outdated(&self, store: &Store) -> bool {
        self.restarts != store.restarts || self.complete != store.is_finished()
    }

    /// Allocated memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.chunks.capacity() * size_of::<Chunk>()
            + self.singles.capacity() * size_of::<Single>()
            + self.question.tracks.capacity() * size_of::<TrackId>()
    }

    fn add_track(&mut self, store: &Store, id: TrackId) {
        let Some(track) = store.tracks.get(id as usize) else { return };
        let Question { from, to, .. } = self.question;
        for (depth, column) in track.columns() {
            let mut range = column.overlapping(from, to);
            // Slices of a column do not overlap: only the first and the last can reach beyond the
            // range.
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
    /// How much of it lies within the range.
    pub(super) fn inside(&self, question: &Question) -> u64 {
        self.end.min(question.to).saturating_sub(self.start.max(question.from))
    }
}

fn count(chunks: &[Chunk]) -> u64 {
    chunks.iter().map(|c| c.stretch.len() as u64).sum()
}

/// The same chunks in steps of the golden section: no part is left out for long. With `together`,
/// those of a block follow each other.
fn spread(chunks: &[Chunk], together: bool) -> impl Iterator<Item = Chunk> {
    let in_one_block = |a: &Chunk, b: &Chunk| {
        together && (a.track, a.depth, a.stretch.block()) == (b.track, b.depth, b.stretch.block())
    };
    let runs: Vec<&[Chunk]> = chunks.chunk_by(in_one_block).collect();
    let n = runs.len();
    let mut stride = ((n as f64 * 0.618_034) as usize).max(1);
    while greatest_common_divisor(stride, n) > 1 {
        stride += 1;
    }
    (0..n).filter_map(move |i| runs.get((i as u64 * stride as u64 % n as u64) as usize).copied()).flatten().copied()
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
