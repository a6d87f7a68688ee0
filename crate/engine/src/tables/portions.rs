//! The rows of the tables in portions, for exports in another worker.
//!
//! The worker asks with an [`Ask`], and the one that has the store sends an [`Answer`], both as
//! bytes: those of the same build.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use unspool_trace::TrackId;
use unspool_trace::batch::Name;

use super::view::{Head, Instant, Part, Sample, Slice, Table, View};
use super::{SliceRows, Span, instants, samples};
use crate::session::Session;
use crate::store::Store;

/// A question about a trace that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ask {
    /// The head, and the parts of a range, `to` exclusive, or of the whole trace.
    Head {
        /// The range.
        range: Option<Span>,
    },
    /// Names.
    Names {
        /// The number of the first.
        first: u32,
        /// How many at most.
        most: u32,
    },
    /// Rows, which may be those of several parts.
    Rows {
        /// The range, as in [`Ask::Head`].
        range: Option<Span>,
        /// The table.
        table: Table,
        /// The first of them.
        first: u64,
        /// How many at most.
        most: u32,
    },
}

/// The answer to an [`Ask`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// To [`Ask::Head`].
    Head(Head, Vec<Part>),
    /// To [`Ask::Names`]. Fewer than asked for at the end.
    Names(Vec<Name>),
    /// To [`Ask::Rows`], as the next two.
    Slices(Vec<Slice>),
    /// Rows of [`Table::Instants`].
    Instants(Vec<Instant>),
    /// Rows of [`Table::Counters`].
    Samples(Vec<Sample>),
}

impl Ask {
    /// As bytes, for a module of the same build.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Plain data: only types whose serialisation fails could make this fail.
        postcard::to_allocvec(self).unwrap_or_default()
    }

    fn of(&self, session: &Session) -> Answer {
        let store = session.store();
        match *self {
            Self::Head { range } => Answer::Head(Head::of(session), View::new(store, range).parts().to_vec()),
            Self::Names { first, most } => Answer::Names(names(store, first).take(most as usize).collect()),
            Self::Rows { range, table, first, most } => {
                let rows = |len: u64| first..first.saturating_add(most.into()).min(len);
                match table {
                    Table::Slices => {
                        let all = SliceRows::new(store, range);
                        Answer::Slices(taken(rows(all.len), |row| all.slice(row)))
                    }
                    Table::Instants => {
                        let all = instants(store, range);
                        Answer::Instants(taken(rows(all.len), |row| all.instant(row)))
                    }
                    Table::Counters => {
                        let all = samples(store, range);
                        Answer::Samples(taken(rows(all.len), |row| all.sample(row)))
                    }
                }
            }
        }
    }
}

/// Rows without their tracks.
fn taken<T>(rows: Range<u64>, row: impl Fn(u64) -> Option<(TrackId, T)>) -> Vec<T> {
    rows.map_while(row).map(|(_, it)| it).collect()
}

impl Answer {
    /// The answer to [`Ask::to_bytes`], as bytes. Empty for other bytes.
    pub fn to(ask: &[u8], session: &Session) -> Vec<u8> {
        let ask: Option<Ask> = postcard::from_bytes(ask).ok();
        ask.and_then(|ask| postcard::to_allocvec(&ask.of(session)).ok()).unwrap_or_default()
    }

    /// The mirror of [`Answer::to`]. `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}

/// The names of a store as they are shown, from a number on.
pub fn names(store: &Store, first: u32) -> impl Iterator<Item = Name> {
    (first..).zip(store.names().iter().skip(first as usize)).map(|(number, text)| {
        let (kind, key) = store.key(number);
        Name { text: text.clone(), kind, key }
    })
}
