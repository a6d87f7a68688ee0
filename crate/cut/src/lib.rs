//! A part of a trace as a trace of its own, in the same format.
//!
//! A [`Cut`] takes the bytes of a file from its beginning and appends the new file to a buffer.
//! Records stay as they are, in the order of the file; the encoder of the format writes them with
//! what they need from before: signatures of an apitrace, the preamble of an XRay buffer, headers.
//! What was made before, such as objects of OpenGL, is not in the new file, unless a [`Selection`]
//! has the calls that made it.
//!
//! A `Cut` is a sink of the format's walk (`cut.rs` of each folder) that feeds its encoder, and
//! needs no index and no store. What should not leave is hashed or left out by a `Cleaner`
//! (`clean.rs`). In the page `web/features/export/worker/cut.ts` reads the file for it.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod clean;

use alloc::vec::Vec;
use core::ops::Range;

use unspool_trace::decoder::Progress;
use unspool_trace::error::Result;
use unspool_trace::limits::Limits;
use unspool_trace::problem::Problem;

use crate::clean::Cleaner;

/// What to cut out.
#[derive(Clone, Debug)]
pub struct CutOptions {
    /// The first position: the number of a call, frame or point from 0, or a clock in ticks.
    pub from: u64,
    /// The position after the last one.
    pub to: u64,
    /// Size of the file in bytes, if known.
    pub size: Option<u64>,
    /// Limits on what the file may demand.
    pub limits: Limits,
    /// What is hashed and left out.
    pub cleaner: Cleaner,
    /// Of the calls of an apitrace only these.
    pub only: Option<Selection>,
    /// Calls of an apitrace whose texts stay as they are, because a replay needs them.
    pub texts: Selection,
}

impl CutOptions {
    /// Whether a position is in the part.
    pub fn has(&self, at: u64) -> bool {
        (self.from..self.to).contains(&at)
    }
}

/// Positions that are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Ascending, with gaps between them.
    runs: Vec<Range<u64>>,
}

impl Selection {
    /// A selection of these positions, which ascend.
    pub fn of(positions: &[u64]) -> Self {
        let mut runs: Vec<Range<u64>> = Vec::new();
        for at in positions {
            match runs.last_mut() {
                Some(run) if run.contains(at) => {}
                Some(run) if run.end == *at => run.end += 1,
                _ => runs.push(*at..at.saturating_add(1)),
            }
        }
        Self { runs }
    }

    /// Whether a position is wanted.
    pub fn has(&self, at: u64) -> bool {
        let next = self.runs.partition_point(|run| run.end <= at);
        self.runs.get(next).is_some_and(|run| run.contains(&at))
    }

    /// Stretches of positions that follow each other, ascending.
    pub fn runs(&self) -> &[Range<u64>] {
        &self.runs
    }

    /// How many positions there are.
    pub fn count(&self) -> u64 {
        self.runs.iter().map(|run| run.end - run.start).sum()
    }
}

/// Of stretches that ascend.
impl FromIterator<Range<u64>> for Selection {
    fn from_iter<I: IntoIterator<Item = Range<u64>>>(runs: I) -> Self {
        Self { runs: runs.into_iter().collect() }
    }
}

/// Approximate size of a portion of the new file, in bytes.
pub const PORTION: usize = 1 << 20;

/// Writes a part of a trace. The caller calls [`Cut::push`] with the rest of the previous portion
/// followed by more bytes, until [`Cut::is_done`], or [`Cut::end`] if there are no more.
pub trait Cut {
    /// Takes a portion and appends to `out`. Returns early after about 1 MiB. If it used nothing
    /// and appended nothing, it needs more bytes.
    ///
    /// # Errors
    ///
    /// Fails if decoding cannot continue. `out` has what came before.
    fn push(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Progress>;

    /// Completes the file. `rest` is what the last [`Cut::push`] did not use: the file ends there,
    /// or an error was returned.
    ///
    /// # Errors
    ///
    /// Fails if there was nothing to cut from.
    fn end(&mut self, rest: &[u8], out: &mut Vec<u8>) -> Result<()>;

    /// Whether the part is over, so that no more bytes are needed. [`Cut::end`] must follow.
    fn is_done(&self) -> bool {
        false
    }

    /// After [`Cut::end`]: bytes to write over the first ones of the new file, if its header says
    /// how long it is.
    fn head(&self) -> Option<Vec<u8>> {
        None
    }

    /// How many records are in the stretch: calls, frames, points; of an XRay log enters, exits and
    /// events.
    fn records(&self) -> u64;

    /// What was hashed and left out.
    fn cleaner(&self) -> &Cleaner;

    /// Returns the problems found since the last call.
    fn take_problems(&mut self) -> Vec<Problem>;
}
