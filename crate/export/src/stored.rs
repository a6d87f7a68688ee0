//! A store as the source of an export.

use std::io;

use unspool_engine::Session;
use unspool_engine::find::Hits;
use unspool_engine::tables::View;

use crate::{Arg, Arguments, Instant, Part, Sample, Slice, Source};

/// The rows of a session's store.
pub struct Stored<'a> {
    view: View<'a>,
    hits: Option<&'a Hits>,
    args: Option<Arguments>,
}

impl<'a> Stored<'a> {
    /// The rows of a range, the end exclusive, or all: only those among `hits`, if that is given,
    /// and with these arguments.
    pub fn new(
        session: &'a Session,
        range: Option<(u64, u64)>,
        hits: Option<&'a Hits>,
        args: Option<Arguments>,
    ) -> Self {
        Self { view: View::new(session.store(), range), hits, args }
    }

    /// The error of the file that arguments are in.
    pub fn take_error(&mut self) -> Option<io::Error> {
        self.args.as_mut()?.take_error()
    }
}

impl Source for Stored<'_> {
    fn parts(&self) -> &[Part] {
        self.view.parts()
    }

    fn slice(&mut self, part: usize, index: u64) -> Option<Slice> {
        self.view.slice(part, index)
    }

    fn instant(&mut self, part: usize, index: u64) -> Option<Instant> {
        self.view.instant(part, index)
    }

    fn sample(&mut self, part: usize, index: u64) -> Option<Sample> {
        self.view.sample(part, index)
    }

    fn is_wanted(&mut self, part: usize, index: u64) -> bool {
        self.hits.is_none_or(|hits| self.view.is_hit(hits, part, index))
    }

    fn args(&mut self, track: u32, locator: u64, into: &mut Vec<Arg>) {
        if let Some(args) = &mut self.args {
            args.get(track, locator, into);
        }
    }
}
