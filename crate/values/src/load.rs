//! Reads a trace into segments.

use alloc::vec::Vec;

use unspool_formats::trace_db::point::Reader;
use unspool_formats::trace_db::wire::{Layout, Tables};
use unspool_trace::{Limits, Problem, Result};

use crate::columns::{Dictionary, Segment};

/// Limit for the bytes of blobs of a point, as in the dump.
const MOST_BYTES: usize = 64 << 20;

/// Reads a trace from its first byte to its last, in portions of any size.
#[derive(Debug)]
pub struct Loader {
    reader: Reader,
    dictionary: Dictionary,
    segment: Segment,
    /// What the reader left over.
    rest: Vec<u8>,
}

impl Loader {
    /// Before the first byte.
    pub fn new(layout: Layout, limits: Limits) -> Self {
        Self {
            reader: Reader::new(layout, limits, MOST_BYTES),
            dictionary: Dictionary::default(),
            segment: Segment::new(0),
            rest: Vec::new(),
        }
    }

    /// Names and types, once they have been read.
    pub fn tables(&self) -> Option<&Tables> {
        self.reader.tables()
    }

    /// What segments refer to.
    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// Reads a portion. Calls `full` with every segment that is complete.
    ///
    /// # Errors
    ///
    /// Returns the error that ends the trace. Points before it remain valid; [`Loader::end`] has
    /// the last ones.
    pub fn push(&mut self, bytes: &[u8], mut full: impl FnMut(Segment)) -> Result<()> {
        let Self { reader, dictionary, segment, rest } = self;
        rest.extend_from_slice(bytes);
        let mut used = 0;
        loop {
            let result = reader.push(rest.get(used..).unwrap_or_default(), |_, point, _| {
                segment.push(dictionary, point);
                !segment.is_full()
            });
            match result {
                Ok(progress) => used += progress.used,
                Err(error) => {
                    rest.clear();
                    return Err(error);
                }
            }
            if !segment.is_full() {
                break;
            }
            let next = Segment::new(segment.first + segment.len() as u64);
            full(core::mem::replace(segment, next));
        }
        rest.drain(..used);
        Ok(())
    }

    /// The file has ended, or reading has: returns the last segment, and what is missing at the
    /// end. An incomplete point is left out, as the reference does.
    pub fn end(&mut self) -> (Segment, Vec<Problem>) {
        let rest = core::mem::take(&mut self.rest);
        // An incomplete header is not news: the trace has no points.
        let problems = self.reader.end(&rest).unwrap_or_default();
        let next = Segment::new(self.segment.first + self.segment.len() as u64);
        (core::mem::replace(&mut self.segment, next), problems)
    }
}
