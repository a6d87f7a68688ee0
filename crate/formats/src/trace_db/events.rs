//! The decoder: drives the walk over a trace.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use unspool_trace::batch::EventBatch;
use unspool_trace::decoder::{Decoder, Progress, Want};
use unspool_trace::error::{Error, Result};
use unspool_trace::info::{Capability, Clock, Column, Info, Shows};
use unspool_trace::problem::Problem;
use unspool_trace::problem::grouped;
use unspool_trace::sniff::OpenOptions;

use super::FORMAT;
use super::decode::{Ignore, Walk};
use super::problems::CUT_POINT;
use super::to_batch::{State, ToBatch};
use super::wire::Layout;

/// Decodes a trace into events.
pub(crate) struct TraceDbDecoder {
    pub(super) layout: Layout,
    pub(super) walk: Walk,
    pub(super) state: State,
    pub(super) options: OpenOptions,
    /// The numbers of names and types in the head of the file, for `info` before the header has
    /// been decoded.
    counts: (usize, usize),
    done: bool,
    failed: Option<Error>,
}

/// The columns of the list of records.
pub(super) const COLUMNS: &[Column] = &[
    Column { label: "Point", shows: Shows::Position },
    Column { label: "Statement", shows: Shows::Field("statement") },
    Column { label: "Variables", shows: Shows::Field("vars") },
    Column { label: "Other", shows: Shows::Rest },
];

impl TraceDbDecoder {
    pub(super) fn new(layout: Layout, head: &[u8], options: OpenOptions) -> Self {
        let mut peek = Walk::new(layout, options.limits);
        // Errors in the head are reported when it is decoded.
        let _ = peek.run(head, &mut Ignore);
        Self {
            layout,
            walk: Walk::new(layout, options.limits),
            state: State::new(options.limits),
            options,
            counts: (peek.tables.names(), peek.tables.types().len()),
            done: false,
            failed: None,
        }
    }

    /// No more bytes will come. Emits the incomplete last point; `rest` bytes after the last one
    /// used have been seen.
    fn finish(&mut self, rest: u64, out: &mut EventBatch) -> Result<()> {
        self.done = true;
        if !self.walk.points.open {
            return Ok(());
        }
        let at = self.walk.points.at.saturating_add(rest);
        out.problems.push(Problem { at, kind: &CUT_POINT, value: self.state.point.number });
        self.state.point(true, out)
    }
}

impl Decoder for TraceDbDecoder {
    fn info(&self) -> Info {
        let (names, types) = match self.walk.has_header() {
            true => (self.walk.tables.names(), self.walk.tables.types().len()),
            false => self.counts,
        };
        let layout = match self.layout {
            Layout::Wide => "wide, as written since November 2017",
            Layout::Narrow => "narrow, as written from September to November 2017",
        };
        Info {
            format: &FORMAT,
            title: format!("trace-db, {} layout", self.layout.name()),
            version: self.layout.name().to_string(),
            container: None,
            clock: Clock::Ordinal { unit: "point" },
            offers: &[Capability::Values, Capability::Stretches],
            properties: [
                ("Layout", layout.to_string()),
                ("Names", grouped(names as u64).to_string()),
                ("Types", grouped(types as u64).to_string()),
            ]
            .into(),
        }
    }

    fn push(&mut self, input: &[u8], out: &mut EventBatch) -> Result<Progress> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        // The walk lends its tables to the sink, so the header and the points are decoded
        // separately.
        let mut used = 0;
        let mut result = Ok(());
        if !self.walk.has_header() {
            match self.walk.header(input) {
                Ok(n) => used = n,
                Err(error) => result = Err(error),
            }
        }
        if result.is_ok() && self.walk.has_header() {
            let Walk { points, tables, .. } = &mut self.walk;
            let mut sink = ToBatch { state: &mut self.state, tables, out };
            match points.run(tables, input.get(used..).unwrap_or_default(), &mut sink) {
                Ok(n) => used += n,
                Err(error) => result = Err(error),
            }
        }
        if let Some(error) = self.state.error.take() {
            result = Err(error);
        }
        if let Err(error) = result {
            self.failed = Some(error);
            self.finish(0, out)?;
            return Err(error);
        }
        Ok(Progress { used })
    }

    fn end(&mut self, rest: &[u8], out: &mut EventBatch) -> Result<()> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        match self.walk.end(rest) {
            Ok(problem) => out.problems.extend(problem),
            Err(error) => {
                self.failed = Some(error);
                return Err(error);
            }
        }
        self.finish(rest.len() as u64, out)
    }

    fn want(&self) -> Want {
        if self.done { Want::Nothing } else { Want::Next }
    }

    fn kept_bytes(&self) -> u64 {
        self.state.kept_bytes() + self.walk.tables.kept_bytes()
    }

    fn index(&self) -> Vec<u8> {
        self.index_bytes()
    }
}
