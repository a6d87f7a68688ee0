//! The records of a thread as tokens, and which number each has.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use unspool_trace::records::Same;
use unspool_trace::{Lane, TrackId};

use crate::positions::Positions;
pub use crate::token_list::LEFT_OUT;
use crate::token_list::{HOLE, TokenList};

/// Numbers the records of each thread, from 0, in the order of its lane: records of a thread that
/// has a lane of its own may come out of order.
#[derive(Debug, Default)]
pub struct Numbering {
    /// Which lanes have the records of one thread alone, all of which count.
    own: Vec<bool>,
    /// Records of the lanes of each thread, and of those of several.
    rows: BTreeMap<Option<TrackId>, u64>,
    next: BTreeMap<TrackId, u64>,
    /// The track of the latest record and its next number, which `next` has not got yet.
    latest: Option<(TrackId, u64)>,
}

impl Numbering {
    /// Of the records of some lanes that count by `same`.
    #[must_use]
    pub fn new(lanes: &[Lane], same: &Same) -> Self {
        let own = lanes.iter().map(|lane| lane.track.is_some() && same.of.is_none());
        let mut rows = BTreeMap::new();
        for lane in lanes {
            *rows.entry(lane.track).or_default() += lane.rows;
        }
        Self { own: own.collect(), rows, next: BTreeMap::new(), latest: None }
    }

    /// Whether the numbers of each thread ascend in a pass.
    #[must_use]
    pub fn is_ascending(&self) -> bool {
        !self.own.contains(&true)
    }

    /// Which pieces of a file are to be read for records with some numbers, by track: from and to.
    /// All, if their lanes do not say where they are.
    #[must_use]
    pub fn pieces(&self, lanes: &[Lane], wanted: &BTreeMap<TrackId, Vec<(u32, u32)>>) -> Vec<Range<u64>> {
        let mut pieces = BTreeSet::new();
        for (track, ranges) in wanted.iter().filter(|(_, ranges)| !ranges.is_empty()) {
            let mut has_lane = false;
            for (lane, is_own) in lanes.iter().zip(&self.own) {
                if !is_own || lane.track != Some(*track) {
                    continue;
                }
                has_lane |= !lane.pieces.is_empty();
                for (from, to) in ranges {
                    let first = lane.pieces.partition_point(|piece| piece.row <= u64::from(*from));
                    let end = lane.pieces.partition_point(|piece| piece.row < u64::from(*to));
                    let within = lane.pieces.get(first.saturating_sub(1)..end).unwrap_or_default();
                    pieces.extend(within.iter().map(|piece| u64::from(piece.number)));
                }
            }
            if !has_lane {
                return std::iter::once(0..u64::MAX).collect();
            }
        }
        let mut runs: Vec<Range<u64>> = Vec::new();
        for piece in pieces {
            match runs.last_mut() {
                Some(run) if run.end == piece => run.end += 1,
                _ => runs.push(piece..piece + 1),
            }
        }
        runs
    }

    /// How many records all threads have, as their lanes say.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.rows.values().fold(0, |sum, rows| sum.saturating_add(*rows))
    }

    /// How many records a thread probably has whose first one is seen now: those of its own lanes,
    /// or all of the lanes of several threads, which is asked for once.
    pub(crate) fn expected(&mut self, track: TrackId) -> usize {
        let rows = self.rows.remove(&Some(track)).or_else(|| self.rows.remove(&None));
        usize::try_from(rows.unwrap_or_default()).unwrap_or_default()
    }

    /// The number of a record that counts, once: by its lane and its row there. Without them, it is
    /// the next one of its track.
    #[inline]
    pub fn take(&mut self, track: TrackId, place: Option<(u32, u64)>) -> u64 {
        if let Some((lane, row)) = place
            && self.own.get(lane as usize).copied().unwrap_or_default()
        {
            return row;
        }
        let number = match self.latest {
            Some((latest, next)) if latest == track => next,
            latest => {
                self.next.extend(latest);
                self.next.get(&track).copied().unwrap_or_default()
            }
        };
        self.latest = Some((track, number + 1));
        number
    }
}

/// The records of a thread, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    /// A token for each.
    pub tokens: TokenList,
    /// Position of the first record on the x axis.
    pub begin: u64,
    /// Where they are on the x axis.
    pub positions: Positions,
    /// Numbers of records that have no token, because they are to be ignored. Ascending.
    pub left_out: Vec<u32>,
    /// Values of other records that are ignored.
    pub values_left_out: u64,
}

impl Sequence {
    /// With memory for a number of tokens, as [`TokenList::with_room`].
    #[must_use]
    pub fn new(begin: u64, expected: usize) -> Self {
        Self { tokens: TokenList::with_room(expected), begin, ..Self::default() }
    }

    /// The number of the record with the token at an index: other than that if records before it
    /// are left out.
    #[must_use]
    pub fn number(&self, index: u32) -> u32 {
        let mut range = (0, self.left_out.len());
        while range.0 < range.1 {
            let middle = usize::midpoint(range.0, range.1);
            let before = self.left_out.get(middle).copied().unwrap_or(u32::MAX) - middle as u32;
            range = if before <= index { (middle + 1, range.1) } else { (range.0, middle) };
        }
        index + range.0 as u32
    }

    /// The numbers of records from those of tokens, as they are in a hunk: from and to.
    #[must_use]
    pub fn numbers(&self, (from, to): (u32, u32)) -> (u32, u32) {
        let first = self.number(from);
        (first, if from < to { self.number(to - 1) + 1 } else { first })
    }

    /// Adds tokens of consecutive records, by the number of the first one. Those of a thread may
    /// come in any order.
    pub fn put(&mut self, first: usize, tokens: &[u32]) {
        self.tokens.put(first, tokens);
    }

    /// Drops the tokens of records that are to be ignored, once all are there.
    pub fn leave_out(&mut self) {
        self.tokens.retain(|token| token != HOLE);
        let numbered = self.tokens.as_slice().iter().zip(0..).filter(|(token, _)| *token == LEFT_OUT);
        self.left_out = numbered.map(|(_, number)| number).collect();
        if !self.left_out.is_empty() {
            self.tokens.retain(|token| token != LEFT_OUT);
        }
    }
}

/// Tokens of consecutive records of a track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The track.
    pub track: TrackId,
    /// The number of the first record in it.
    pub first: u32,
    /// A token for each, [`LEFT_OUT`] among them.
    pub tokens: TokenList,
    /// How many records the track probably has.
    pub expected: u32,
}
