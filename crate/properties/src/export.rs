//! Exports: from the store as the native command has it, and from the pages of its tables as the
//! page has them.

use std::rc::Rc;

use unspool_engine::Session;
use unspool_engine::tables::{self, Lists, View, ViewTable, ViewValue};
use unspool_export::{
    AT_ONCE, Clock, Export, FORMATS, Format, Instant, Name, Number, Pages, Part, Sample, Slice, Source, Step, Table,
    Trace, Track, TrackKind,
};
use unspool_tables::PAGE;

use crate::choices::Choices;
use crate::session;

/// Rows of a trace that is exported at most.
const MOST: u64 = 20_000;
/// Steps of an export whose pages are damaged.
const MOST_STEPS: usize = 5000;

/// What an export has come to.
#[derive(Debug, PartialEq)]
enum Outcome {
    Written(Vec<u8>),
    /// The pages are not those of a trace.
    Damaged,
}

/// An export has the same bytes from the store and from its pages, in any steps; damaged pages end
/// it.
pub(crate) fn written(file: &[u8]) {
    let Some(session) = session::read(file, || (usize::MAX, usize::MAX), |_| {}) else { return };
    let store = session.store();
    let lists = Lists::of(store);
    let Some(database) = tables::database(store, session.clock(), None, &lists, true) else { return };
    let view = View::new(store, None);
    let parts: Vec<Part> = view.parts().iter().map(part_of).collect();
    if parts.iter().map(|part| part.len).sum::<u64>() > MOST {
        return;
    }
    let mut pages = vec![0; database.size() as usize];
    for (number, page) in (1..).zip(pages.as_chunks_mut::<PAGE>().0) {
        database.page(number, page);
    }
    let mut choices = Choices::of(file);
    let format = FORMATS[choices.index(FORMATS.len())];
    let trace = trace_of(&session);
    let tracks = tracks_of(&trace, format);
    let from_store = {
        let mut rows = Stored { view, parts: parts.clone() };
        let mut export =
            Export::new(Trace { names: names_of(&session), ..trace.clone() }, format.writer(), tracks.clone(), false);
        let mut out = Vec::new();
        while export.step(&mut rows, u32::MAX, &mut out) == Step::More {}
        Outcome::Written(out)
    };
    let of = |pages: &[u8], choices: &mut Choices| from_pages(pages, &parts, &trace, format, tracks.clone(), choices);
    let from_page = of(&pages, &mut choices);
    assert!(from_store == from_page, "{format:?}: {}", difference(&from_store, &from_page));
    for _ in 0..1 + choices.below(12) {
        let at = choices.index(pages.len());
        // Definitions and the heads of pages say where everything else is.
        let at = if choices.below(2) == 0 { at } else { at / PAGE * PAGE + choices.index(120) };
        if let Some(byte) = pages.get_mut(at) {
            *byte = choices.number() as u8;
        }
    }
    pages.truncate(if choices.below(4) == 0 { choices.index(pages.len() + 1) } else { pages.len() });
    of(&pages, &mut choices);
}

fn difference(store: &Outcome, page: &Outcome) -> String {
    let (Outcome::Written(a), Outcome::Written(b)) = (store, page) else { return "the pages cannot be read".into() };
    let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
    let around = |bytes: &[u8]| {
        let around = at.saturating_sub(40)..bytes.len().min(at + 40);
        String::from_utf8_lossy(bytes.get(around).unwrap_or_default()).into_owned()
    };
    format!("byte {at} of {} and {}: {:?} and {:?}", a.len(), b.len(), around(a), around(b))
}

/// An export that fetches pages as it wants them.
fn from_pages(
    file: &[u8],
    parts: &[Part],
    trace: &Trace,
    format: Format,
    tracks: Vec<u32>,
    choices: &mut Choices,
) -> Outcome {
    let mut pages = Pages::new(parts.to_vec());
    let fetch = |pages: &mut Pages| {
        let Some(first) = pages.wanted().filter(|_| !pages.is_damaged()) else { return false };
        let at = usize::try_from(first).ok().and_then(|first| file.get(first.checked_mul(PAGE)?..)).unwrap_or_default();
        pages.give(first, Rc::from(at.get(..AT_ONCE as usize * PAGE).unwrap_or(at)));
        true
    };
    let mut trace = trace.clone();
    while !pages.read_names(&mut trace.names) {
        if !fetch(&mut pages) {
            return Outcome::Damaged;
        }
    }
    let mut export = Export::new(trace, format.writer(), tracks, false);
    let mut out = Vec::new();
    for _ in 0..MOST_STEPS {
        match export.step(&mut pages, 1 + choices.below(2000) as u32, &mut out) {
            Step::Done => return Outcome::Written(out),
            Step::More => {}
            Step::Stalled if fetch(&mut pages) => {}
            Step::Stalled => return Outcome::Damaged,
        }
    }
    panic!("{format:?} does not end");
}

/// The tracks that a format is for.
fn tracks_of(trace: &Trace, format: Format) -> Vec<u32> {
    let of_stacks = matches!(format, Format::Speedscope | Format::Folded | Format::Pprof);
    let wanted = |track: &Track| !of_stacks || track.kind == TrackKind::Thread;
    (0..).zip(&trace.tracks).filter(|(_, track)| wanted(track)).map(|(number, _)| number).collect()
}

/// What an export knows of a trace before its names.
fn trace_of(session: &Session) -> Trace {
    let store = session.store();
    let clock = match session.clock() {
        unspool_trace::Clock::Seconds { frequency } => Clock::Seconds { frequency },
        _ => Clock::Other { unit: "step".into() },
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
    let (origin, end) = store.extent().unwrap_or((0, 0));
    let title = session.info().title;
    Trace { name: "trace".into(), title, clock, origin, end, range: None, tracks: tracks.collect(), names: Vec::new() }
}

fn names_of(session: &Session) -> Vec<Name> {
    use unspool_trace::batch::Key;
    let store = session.store();
    let name = |(number, text): (u32, &String)| {
        let (kind, key) = store.key(number);
        let key = match key {
            Key::None => None,
            Key::Id(id) => Some(id),
            Key::Address(number) | Key::Statement(number) => Some(number as i64),
        };
        Name { text: text.clone(), kind: kind.word().into(), key }
    };
    (0..).zip(store.names()).map(name).collect()
}

fn part_of(part: &tables::ViewPart) -> Part {
    let table = match part.table {
        ViewTable::Slices => Table::Slices,
        ViewTable::Instants => Table::Instants,
        ViewTable::Counters => Table::Counters,
    };
    Part { table, track: part.track, depth: part.depth, first: part.first, len: part.len }
}

/// The rows of a store.
struct Stored<'a> {
    view: View<'a>,
    parts: Vec<Part>,
}

impl Source for Stored<'_> {
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
        let (time, name, locator) = self.view.instant(self.parts.get(part)?.first + index)?;
        Some(Instant { time, name, locator })
    }

    fn sample(&mut self, part: usize, index: u64) -> Option<Sample> {
        let (time, value) = self.view.sample(self.parts.get(part)?.first + index)?;
        let value = match value {
            // SQL has no unsigned numbers.
            ViewValue::Int(number) => Number::Int(number),
            ViewValue::Unsigned(number) => Number::Int(number as i64),
            ViewValue::Real(number) => Number::Real(number),
        };
        Some(Sample { time, value })
    }
}
