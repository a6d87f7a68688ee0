//! Turns points into trace events.

use alloc::format;
use alloc::string::ToString;

use crate::batch::EventBatch;
use crate::decoder::{Decoder, Progress, Range, Want};
use crate::details::RecordDetails;
use crate::error::{Cause, Error, Result};
use crate::info::{Clock, Info, Tab};
use crate::locator::Locator;
use crate::problem::Problem;
use crate::sniff::OpenOptions;

use super::decode::{Blind, Sink, Variable, Walk};
use super::memory::History;
use super::places::{At, Places};
use super::point::MOST_BUFFERS;
use super::problems::CUT_POINT;
use super::tracks::Tracks;
use super::wire::{Layout, Number, Tables};

/// Decodes a trace into events.
pub(crate) struct TraceDbDecoder {
    pub(super) layout: Layout,
    pub(super) walk: Walk,
    pub(super) scene: Scene,
    pub(super) options: OpenOptions,
    /// How many names and types the header has, as far as the head of the file shows it.
    counts: (usize, usize),
    done: bool,
    failed: Option<Error>,
}

/// What is known beside the header; together with a batch it is the walk's sink.
pub(super) struct Scene {
    pub(super) tracks: Tracks,
    pub(super) places: Places,
    pub(super) history: History,
    /// The point at hand.
    point: At,
    statement: Option<u64>,
    file: Option<u32>,
    error: Option<Error>,
}

impl TraceDbDecoder {
    pub(super) fn new(layout: Layout, head: &[u8], options: OpenOptions) -> Self {
        let mut peek = Walk::new(layout, options.limits);
        // What is wrong in the head is told when it is decoded.
        let _ = peek.run(head, &mut Blind);
        let scene = Scene {
            tracks: Tracks::new(options.limits),
            places: Places::default(),
            history: History::default(),
            point: At { at: 0, number: 0 },
            statement: None,
            file: None,
            error: None,
        };
        Self {
            layout,
            walk: Walk::new(layout, options.limits),
            scene,
            options,
            counts: (peek.tables.names(), peek.tables.types().len()),
            done: false,
            failed: None,
        }
    }

    /// Nothing more will come: what there is of the point at hand is shown, `rest` bytes having been looked at beyond.
    fn finish(&mut self, rest: u64, out: &mut EventBatch) -> Result<()> {
        self.done = true;
        if !self.walk.points.open {
            return Ok(());
        }
        let at = self.walk.points.at.saturating_add(rest);
        let Scene { tracks, places, point, statement, .. } = &mut self.scene;
        out.problems.push(Problem { at, kind: &CUT_POINT, value: point.number });
        tracks.point(*statement, *point, places.stretch(), true, out)
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
            format: "trace-db",
            title: format!("trace-db, {} layout", self.layout.name()),
            version: self.layout.name().to_string(),
            container: None,
            clock: Clock::Ordinal { unit: "point" },
            place_noun: "byte",
            event_noun: "point",
            slice_noun: "buffer",
            when_empty: "The trace has a header and no points: no statement that is instrumented was reached.",
            offers: &[],
            first_tab: Tab::Functions,
            properties: [("Layout", layout.to_string()), ("Names", names.to_string()), ("Types", types.to_string())]
                .into(),
        }
    }

    fn push(&mut self, input: &[u8], out: &mut EventBatch) -> Result<Progress> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        // The walk lends its tables to the sink while it runs: the header first, then the points.
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
            let mut sink = ToBatch { scene: &mut self.scene, tables, out };
            match points.run(tables, input.get(used..).unwrap_or_default(), &mut sink) {
                Ok(n) => used += n,
                Err(error) => result = Err(error),
            }
        }
        if let Some(error) = self.scene.error.take() {
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

    fn details_range(&self, locator: Locator) -> Option<Range> {
        self.range_of(locator)
    }

    fn details_next(&self, locator: Locator, bytes: &[u8]) -> Option<Range> {
        self.next_range_of(locator, bytes)
    }

    fn details(&self, locator: Locator, bytes: &[u8]) -> Result<RecordDetails> {
        self.details_of(locator, bytes)
    }
}

/// The sink that fills a batch.
struct ToBatch<'a> {
    scene: &'a mut Scene,
    tables: &'a Tables,
    out: &'a mut EventBatch,
}

impl ToBatch<'_> {
    fn note(&mut self, result: Result<()>) {
        if let Err(error) = result {
            self.scene.error.get_or_insert(error);
        }
    }
}

impl Sink for ToBatch<'_> {
    #[inline]
    fn is_full(&self) -> bool {
        self.out.is_full() || self.scene.error.is_some()
    }

    #[inline]
    fn begin(&mut self, at: u64) {
        self.scene.point.at = at;
        self.scene.places.begin(at, self.scene.point.number);
        (self.scene.statement, self.scene.file) = (None, None);
    }

    #[inline]
    fn statement(&mut self, id: u64) {
        self.scene.statement = Some(id);
        self.scene.file = Some(self.scene.tracks.file(id, self.scene.point.at, self.out));
    }

    #[inline]
    fn number(&mut self, place: Variable, value: Number, _size: u8) {
        let file = match self.scene.file {
            Some(file) => file,
            None => *self.scene.file.insert(self.scene.tracks.no_file(place.at, self.out)),
        };
        self.scene.tracks.number(self.tables, file, place, value, self.scene.point.number, self.out);
    }

    fn blob(&mut self, _place: Variable, _len: u32) {}

    fn bytes(&mut self, _bytes: &[u8]) {}

    fn buffer_size(&mut self, at: u64, address: u64, size: u64) {
        if !self.scene.history.set(at, address, size) {
            return;
        }
        if self.scene.history.len() > MOST_BUFFERS {
            let limit = MOST_BUFFERS as u64;
            self.note(Err(Error::new(at, Cause::Limit { what: "buffers at a time", limit })));
        }
        let result = self.scene.tracks.buffer(address, size, at, self.scene.point.number, self.out);
        self.note(result);
    }

    fn auxiliary(&mut self, value: u64) {
        let result = self.scene.tracks.auxiliary(value, self.scene.point, self.out);
        self.note(result);
    }

    #[inline]
    fn end(&mut self, _next: u64) {
        let stretch = self.scene.places.stretch();
        let result = self.scene.tracks.point(self.scene.statement, self.scene.point, stretch, false, self.out);
        self.note(result);
        self.scene.point.number += 1;
    }
}
