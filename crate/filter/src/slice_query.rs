//! What the store is asked.

use serde::{Deserialize, Serialize};
use unspool_trace::bytes::to_bytes;

use crate::record_query::Span;

/// A condition on one slice, besides its name. `None` in place of a span holds for no slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SliceTest {
    /// It is on one of these tracks, ascending.
    Tracks(Vec<u32>),
    /// It begins in one of these ranges.
    At(Vec<Span>),
    /// The last position of it is in one of these ranges; of a group of calls, the first.
    Ends(Vec<Span>),
    /// It touches this range.
    Touches(Span),
    /// Its duration in ticks.
    Duration(Option<Span>),
    /// Its depth, 0 for the outermost.
    Depth(Option<(i64, i64)>),
    /// It has one of these bits of [`unspool_trace::batch::flags`].
    Flag(u8),
}

/// Conditions that hold together. Each is to hold, or not.
pub type SliceTests = Vec<(bool, SliceTest)>;

/// What the store is asked, besides what a pass over the records finds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceQuery {
    /// Alternatives that the store answers alone.
    pub branches: Vec<SliceTests>,
    /// For each name, those of them whose conditions on names hold, as bits.
    pub names: Vec<u8>,
    /// Of each alternative that the pass answers, what the store has to check: duration, depth and
    /// flags.
    pub checks: Vec<SliceTests>,
}

impl SliceQuery {
    /// Most alternatives.
    pub const MOST: usize = 8;

    /// As bytes, for a module of the same build.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// The mirror of [`SliceQuery::to_bytes`]. `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok().filter(|query: &Self| query.branches.len() <= Self::MOST)
    }
}
