//! Exports, for JavaScript.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;

use unspool_formats::clean::Cleaner;

use crate::pages::{AT_ONCE, Pages};
use crate::{Clock, Export, FORMATS, Part, Step, Table, Trace, Track, TrackKind};

/// An export of a trace whose tables another worker has.
///
/// The worker steps it, fetches the pages that it wants, and takes the bytes that it has written.
#[wasm_bindgen]
pub struct Exporter {
    pages: Pages,
    now: Now,
    out: Vec<u8>,
    rows: u64,
    cleaner: Cleaner,
}

enum Now {
    /// Names come first: all but the tracks to export, the format and its tracks.
    Names(Trace, crate::Format, Vec<u32>),
    Rows(Box<Export>),
    Failed,
}

#[wasm_bindgen]
impl Exporter {
    /// An export to a format by its id. `frequency` is that of the clock in ticks per second, or 0 if positions are not in seconds
    /// but in `unit`. `parts` has five numbers for each part: table (0 slices, 1 instants, 2 counters), track, depth, first row, and
    /// how many rows there are. Bits of `kinds`: 0 to 1 are the kind (0 process, 1 thread, 2 lane, 3 counter), 2 says that slices
    /// overlap, 3 that the track has a number, and 4 that its values are floating point numbers. `wanted` are the tracks to export.
    /// `choices` and `key` are those of [`Cleaner::of`].
    ///
    /// # Errors
    ///
    /// Throws a text for an unknown format.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::too_many_arguments, reason = "each is a column, or an argument of JavaScript")]
    pub fn new(
        format: &str,
        name: String,
        title: String,
        frequency: f64,
        unit: String,
        origin: u64,
        end: u64,
        from: Option<u64>,
        to: Option<u64>,
        parts: &[f64],
        kinds: &[u8],
        names: Vec<String>,
        numbers: &[i64],
        parents: &[i32],
        wanted: Vec<u32>,
        choices: &[u8],
        key: &[u8],
    ) -> Result<Exporter, JsValue> {
        let format = FORMATS.into_iter().find(|it| it.id() == format);
        let format = format.ok_or_else(|| JsValue::from_str("there is no such format"))?;
        let tracks =
            kinds.iter().zip(names).zip(numbers.iter().zip(parents)).map(|((kind, name), (number, parent))| Track {
                kind: match kind & 3 {
                    0 => TrackKind::Process,
                    1 => TrackKind::Thread,
                    2 => TrackKind::Lane,
                    _ => TrackKind::Counter,
                },
                name,
                number: (kind & 8 != 0).then_some(*number),
                parent: u32::try_from(*parent).ok(),
                overlapping: kind & 4 != 0,
                real: kind & 16 != 0,
                // No format that the page writes has it.
                lowest: 0,
            });
        let clock =
            if frequency > 0.0 { Clock::Seconds { frequency: frequency as u64 } } else { Clock::Other { unit } };
        let trace =
            Trace { name, title, clock, origin, end, range: from.zip(to), tracks: tracks.collect(), names: Vec::new() };
        let parts = parts.as_chunks().0.iter().map(|[table, track, depth, first, len]: &[f64; 5]| Part {
            table: match *table as u32 {
                0 => Table::Slices,
                1 => Table::Instants,
                _ => Table::Counters,
            },
            track: *track as u32,
            depth: *depth as u32,
            first: *first as u64,
            len: *len as u64,
        });
        let pages = Pages::new(parts.collect());
        Ok(Self {
            pages,
            now: Now::Names(trace, format, wanted),
            out: Vec::new(),
            rows: 0,
            cleaner: Cleaner::of(choices, key),
        })
    }

    /// Writes up to `budget` rows. Returns 0 if there is more to do, 1 if it wants pages, 2 if the file is complete, and 3 if the
    /// pages cannot be read.
    pub fn step(&mut self, budget: u32) -> u32 {
        if let Now::Names(trace, ..) = &mut self.now {
            if !self.pages.read_names(&mut trace.names) {
                return self.stalled();
            }
            let Now::Names(mut trace, format, wanted) = std::mem::replace(&mut self.now, Now::Failed) else { return 3 };
            trace.clean(&mut self.cleaner);
            let export = Export::new(trace, format.writer(), wanted, false);
            self.rows = export.rows(&self.pages);
            self.now = Now::Rows(Box::new(export));
        }
        let Now::Rows(export) = &mut self.now else { return 3 };
        match export.step(&mut self.pages, budget, &mut self.out) {
            Step::More => 0,
            Step::Stalled => self.stalled(),
            Step::Done => 2,
        }
    }

    fn stalled(&self) -> u32 {
        if self.pages.is_damaged() || self.pages.wanted().is_none() { 3 } else { 1 }
    }

    /// The first of the pages that it wants, counted from 0.
    pub fn wanted(&self) -> f64 {
        self.pages.wanted().unwrap_or(0) as f64
    }

    /// How many pages it takes at once.
    #[wasm_bindgen(js_name = atOnce)]
    pub fn at_once() -> u32 {
        AT_ONCE as u32
    }

    /// Takes the pages that it wants.
    pub fn give(&mut self, first: f64, pages: Vec<u8>) {
        self.pages.give(first as u64, pages.into());
    }

    /// How many bytes are written and not taken yet.
    pub fn waiting(&self) -> u32 {
        self.out.len() as u32
    }

    /// Takes what was written.
    pub fn take(&mut self) -> Uint8Array {
        let bytes = Uint8Array::from(&self.out[..]);
        self.out.clear();
        bytes
    }

    /// How many rows were written.
    pub fn done(&self) -> f64 {
        if let Now::Rows(export) = &self.now { export.passed() as f64 } else { 0.0 }
    }

    /// How many rows there are; 0 until that is known.
    pub fn rows(&self) -> f64 {
        self.rows as f64
    }
    /// How many texts there are of each class, once the names are read: environment variables, paths, texts, payloads.
    pub fn found(&self) -> Vec<f64> {
        self.cleaner.found().map(|count| count as f64).into()
    }

    /// Examples, three after the other: the class, a text, and what is written in its place.
    pub fn examples(&self) -> Array {
        let all = self.cleaner.examples().iter();
        all.flat_map(|it| [JsValue::from(it.class as u32), it.before.as_str().into(), it.after.as_str().into()])
            .collect()
    }
}
