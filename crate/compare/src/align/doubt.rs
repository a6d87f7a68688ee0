//! Anchors that may be there by chance.
//!
//! A loop whose turns differ in a step each has windows that occur once on both sides although they
//! do not belong together: the steps of a few turns are the same by chance. A chain of such anchors
//! goes to and fro between diagonals, and what it passes over on either side has no counterpart. So
//! a part of a chain is in doubt if it leaves tokens on both sides that the diagonals at its ends
//! would not leave. A change of the traces, such as a stretch that moved, can look like that, too.

use std::ops::Range;

use super::{Area, Run};

/// A diagonal that a chain follows for this number of tokens is not there by chance.
const CALM: u32 = 1 << 15;
/// Tokens on each side that a part must leave without need to be in doubt: this many, and this part
/// of its shorter side.
const LEAST: u64 = 64;
const LEAST_PART: u64 = 256;

/// A part of a chain that is in doubt.
#[derive(Debug)]
pub(super) struct Part {
    /// Its runs, by their indices in the chain.
    pub(super) runs: Range<usize>,
    /// From the end of the run before it to the begin of the run after it.
    pub(super) area: Area,
    /// Pairs of tokens at most if it is followed.
    most: u64,
}

/// The comparison of an area in two ways.
#[derive(Debug)]
pub(super) struct Doubt {
    pub(super) area: Area,
    pub(super) chain: Vec<Run>,
    pub(super) level: usize,
    most: u64,
    /// The runs before the area.
    pub(super) before: Vec<Run>,
    pub(super) without: Without,
}

/// The comparison without anchors.
#[derive(Debug)]
pub(super) enum Without {
    Open,
    Begun,
    Found(Vec<Run>),
}

impl Doubt {
    pub(super) fn new(part: Part, chain: Vec<Run>, level: usize) -> Self {
        let Part { area, most, .. } = part;
        Self { area, chain, level, most, before: Vec::new(), without: Without::Open }
    }

    /// Pairs of tokens at most if the chain is followed.
    pub(super) fn most(&self) -> u64 {
        self.most
    }
}

/// Pairs of tokens in runs.
pub(super) fn matched(runs: &[Run]) -> u64 {
    runs.iter().map(|run| u64::from(run.length)).sum()
}

fn diagonal(a: u32, b: u32) -> i64 {
    i64::from(a) - i64::from(b)
}

/// The parts of the chain of an area that are in doubt, in order.
pub(super) fn doubtful(area: Area, chain: &[Run]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut walk = Walk::new(0, (area.a.0, area.b.0));
    let mut from = 0;
    for group in chain.chunk_by(|one, next| diagonal(one.a, one.b) == diagonal(next.a, next.b)) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        walk.go(first.a, first.b);
        let end = (last.a + last.length, last.b + last.length);
        if end.0 - first.a >= CALM {
            parts.extend(walk.part(from, (first.a, first.b)));
            walk = Walk::new(from + group.len(), end);
        }
        from += group.len();
    }
    walk.go(area.a.1, area.b.1);
    parts.extend(walk.part(from, (area.a.1, area.b.1)));
    parts
}

/// The diagonals of a chain from a place on.
struct Walk {
    first: usize,
    start: (u32, u32),
    at: i64,
    /// Tokens that changes of the diagonal leave without a counterpart.
    left: u64,
}

impl Walk {
    fn new(first: usize, start: (u32, u32)) -> Self {
        Self { first, start, at: diagonal(start.0, start.1), left: 0 }
    }

    fn go(&mut self, a: u32, b: u32) {
        let to = diagonal(a, b);
        self.left += self.at.abs_diff(to);
        self.at = to;
    }

    /// The part up to a place before run `end`, if it is in doubt.
    fn part(&self, end: usize, place: (u32, u32)) -> Option<Part> {
        let area = Area { a: (self.start.0, place.0), b: (self.start.1, place.1) };
        let (a, b) = (u64::from(area.a.1 - area.a.0), u64::from(area.b.1 - area.b.0));
        let needless = self.left.saturating_sub(a.abs_diff(b)) / 2;
        let is_doubtful = needless >= LEAST && needless * LEAST_PART >= a.min(b);
        is_doubtful.then(|| Part { runs: self.first..end, area, most: (a + b).saturating_sub(self.left) / 2 })
    }
}
