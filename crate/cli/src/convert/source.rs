//! A store as the source of an export.

use std::io;

use unspool_engine::Session;
use unspool_engine::find::Hits;
use unspool_engine::tables::{View, ViewTable, ViewValue};
use unspool_export::{
    Arg, Arguments, Clock, Instant, Name, Number, Part, Sample, Slice, Source, Table, Trace, Track, TrackKind,
};
use unspool_trace::batch::Key;

/// What is the same for all of an export of a trace.
pub(super) fn trace_of(session: &Session, name: &str, range: Option<(u64, u64)>) -> Trace {
    let store = session.store();
    let clock = match session.clock() {
        unspool_trace::Clock::Seconds { frequency } => Clock::Seconds { frequency },
        unspool_trace::Clock::Ticks => Clock::Other { unit: "tick".into() },
        unspool_trace::Clock::Ordinal { unit } => Clock::Other { unit: unit.into() },
    };
    let tracks = store.track_report().into_iter().map(|track| Track {
        kind: match track.kind {
            "process" => TrackKind::Process,
            "thread" => TrackKind::Thread,
            "counter" => TrackKind::Counter,
            _ => TrackKind::Lane,
        },
        number: track.thread,
        parent: u32::try_from(track.parent).ok(),
        overlapping: track.overlapping,
        real: track.values == "float",
        lowest: track.lowest,
        name: track.name,
    });
    let names = (0..).zip(store.names()).map(|(number, text)| {
        let (kind, key) = store.key(number);
        let key = match key {
            Key::None => None,
            Key::Id(id) => Some(id),
            Key::Address(number) | Key::Statement(number) => Some(number as i64),
        };
        Name { text: text.clone(), kind: kind.word().into(), key }
    });
    Trace {
        name: name.into(),
        title: session.info().title,
        clock,
        origin: store.extent().map_or(0, |(first, _)| first),
        end: store.extent().map_or(0, |(_, last)| last),
        range,
        tracks: tracks.collect(),
        names: names.collect(),
    }
}

/// The rows of a store.
pub(super) struct Rows<'a> {
    view: View<'a>,
    parts: Vec<Part>,
    /// Only these are exported.
    hits: Option<&'a Hits>,
    args: Option<Arguments>,
}

impl<'a> Rows<'a> {
    /// The rows of a range: only hits, if there are some to go by, and with these arguments.
    pub(super) fn new(
        session: &'a Session,
        range: Option<(u64, u64)>,
        hits: Option<&'a Hits>,
        args: Option<Arguments>,
    ) -> Self {
        let view = View::new(session.store(), range);
        let parts = view.parts().iter().map(|part| Part {
            table: match part.table {
                ViewTable::Slices => Table::Slices,
                ViewTable::Instants => Table::Instants,
                ViewTable::Counters => Table::Counters,
            },
            track: part.track,
            depth: part.depth,
            first: part.first,
            len: part.len,
        });
        Self { parts: parts.collect(), view, hits, args }
    }

    /// The error of the file that arguments are in.
    pub(super) fn take_error(&mut self) -> Option<io::Error> {
        self.args.as_mut()?.take_error()
    }

    fn row(&self, part: usize, index: u64) -> Option<u64> {
        self.parts.get(part).map(|part| part.first + index)
    }
}

impl Source for Rows<'_> {
    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn slice(&mut self, part: usize, index: u64) -> Option<Slice> {
        let depth = self.parts.get(part)?.depth;
        let it = self.view.slice(part, index)?;
        Some(Slice {
            row: it.row,
            parent: it.parent,
            depth,
            start: it.start,
            end: it.end,
            name: it.name,
            flags: it.flags,
            locator: it.locator,
        })
    }

    fn instant(&mut self, part: usize, index: u64) -> Option<Instant> {
        let (time, name, locator) = self.view.instant(self.row(part, index)?)?;
        Some(Instant { time, name, locator })
    }

    fn sample(&mut self, part: usize, index: u64) -> Option<Sample> {
        let (time, value) = self.view.sample(self.row(part, index)?)?;
        let value = match value {
            ViewValue::Int(number) => Number::Int(number),
            ViewValue::Unsigned(number) => Number::Unsigned(number),
            ViewValue::Real(number) => Number::Real(number),
        };
        Some(Sample { time, value })
    }

    fn is_wanted(&mut self, part: usize, index: u64) -> bool {
        let Some(hits) = self.hits else { return true };
        match self.parts.get(part).map(|part| part.table) {
            Some(Table::Slices) => self.view.is_hit(hits, part, index),
            Some(Table::Instants) => self.row(part, index).is_some_and(|row| self.view.is_hit_instant(hits, row)),
            _ => false,
        }
    }

    fn args(&mut self, track: u32, locator: u64, into: &mut Vec<Arg>) {
        if let Some(args) = &mut self.args {
            args.get(track, locator, into);
        }
    }
}
