//! Points that a search of values has found.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use hashbrown::HashMap;
use unspool_formats::trace_db::Places;
use unspool_formats::trace_db::wire::Tables;

use crate::columns::{Dictionary, Segment, put_value};
use crate::run::Match;

/// Points that are listed, as many as of other searches.
const MOST_LISTED: u64 = 1 << 20;
/// Different texts of results.
const MOST_TEXTS: usize = 1 << 17;
/// No text.
const NONE: u32 = u32::MAX;

/// Points that were found, as columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundPoints {
    /// Numbers of points.
    pub x: Vec<u64>,
    /// Their tracks.
    pub track: Vec<u32>,
    /// Absolute offsets of their first entries.
    pub at: Vec<u64>,
    /// Numbers of the texts that say what the free variables stand for, among all texts of the
    /// question; 2^32 - 1 for none.
    pub matched: Vec<u32>,
    /// Texts that are new.
    pub texts: Vec<String>,
}

/// What a search has found so far.
#[derive(Default)]
pub(crate) struct Found {
    /// What was not taken yet.
    pub(crate) columns: FoundPoints,
    /// What the query calls its free variables.
    names: Vec<String>,
    /// Their numbers.
    texts: HashMap<String, u32>,
    /// Points found, and the latest one.
    pub(crate) count: u64,
    latest: Option<u64>,
    text: String,
}

impl Found {
    /// Nothing yet, of a query that calls its free variables like this.
    pub(crate) fn named(names: Vec<String>) -> Self {
        Self { names, ..Self::default() }
    }

    /// Nothing more will be found.
    pub(crate) fn end(&mut self) {
        self.texts = HashMap::new();
    }

    /// Adds a result. A point with several counts once, with the text of the first.
    pub(crate) fn add(&mut self, found: &Match<'_>, places: &Places, dictionary: &Dictionary) {
        let Match { segment, point, variables, .. } = found;
        let x = segment.first + *point as u64;
        if self.latest == Some(x) {
            return;
        }
        self.latest = Some(x);
        self.count += 1;
        if self.count > MOST_LISTED {
            return;
        }
        self.text.clear();
        for (name, index) in self.names.iter().zip(*variables) {
            if !self.text.is_empty() {
                self.text.push_str(", ");
            }
            put_variable(&mut self.text, name, segment, *index as usize, places.tables(), dictionary);
        }
        let number = if self.text.is_empty() { NONE } else { self.text_number() };
        let columns = &mut self.columns;
        columns.x.push(x);
        columns.track.push(places.track_of(dictionary.statement(segment.statement(*point))));
        columns.at.push(segment.at(*point));
        columns.matched.push(number);
    }

    fn text_number(&mut self) -> u32 {
        if let Some(known) = self.texts.get(&self.text) {
            return *known;
        }
        if self.texts.len() >= MOST_TEXTS {
            return NONE;
        }
        let number = self.texts.len() as u32;
        self.texts.insert(self.text.clone(), number);
        self.columns.texts.push(self.text.clone());
        number
    }
}

/// `i: 12` for the variable itself, `a = i: 12` for a free one that stands for it.
fn put_variable(
    out: &mut String,
    name: &str,
    segment: &Segment,
    index: usize,
    tables: &Tables,
    dictionary: &Dictionary,
) {
    let own = tables.text(dictionary.key(segment.key(index)).0).unwrap_or_default();
    // Writing to a String cannot fail.
    let _ = if own == name { write!(out, "{own}: ") } else { write!(out, "{name} = {own}: ") };
    put_value(out, segment.value(index));
    if let Some(left) = segment.buffer_size(index) {
        let _ = write!(out, " (size {left})");
    }
}
