//! Exports, for JavaScript.

use std::io;

use js_sys::{Array, Uint8Array};
use unspool_cut::clean::Cleaner;
use unspool_export::{Collector, Export, FORMATS, Format, Portions, Scratch, Step};
use unspool_formats::open_arguments;
use unspool_js::{JsFile, thrown};
use unspool_records::{Reads, Window, run_pass};
use unspool_trace::{Records, check_path_bytes};
use wasm_bindgen::prelude::*;

pub use unspool_decompressors::provide_decompressors;

/// Bytes that are read at once for arguments.
const AHEAD: usize = 8 << 20;

#[wasm_bindgen]
extern "C" {
    /// `Scratch` of `web/features/export/worker/scratch.ts`: a temporary file.
    pub type JsScratch;

    /// Returns false if there is no room.
    #[wasm_bindgen(method)]
    fn write(this: &JsScratch, at: f64, bytes: &[u8]) -> bool;

    /// Returns false if it cannot be read.
    #[wasm_bindgen(method)]
    fn read(this: &JsScratch, at: f64, into: &mut [u8]) -> bool;
}

impl Scratch for JsScratch {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        if self.write(at as f64, bytes) { Ok(()) } else { Err(io::ErrorKind::StorageFull.into()) }
    }

    fn read_at(&mut self, at: u64, into: &mut [u8]) -> io::Result<()> {
        if self.read(at as f64, into) { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

/// An export of a trace whose store another worker has.
///
/// The worker steps it, fetches the rows that it wants, and takes the bytes that it has written.
#[wasm_bindgen]
pub struct Exporter {
    portions: Portions,
    now: Now,
    out: Vec<u8>,
    rows: u64,
    cleaner: Cleaner,
    reading: Option<Reading>,
}

/// The records of a trace, while their arguments are collected.
struct Reading {
    records: Box<dyn Records>,
    file: JsFile,
    window: Window,
    collector: Collector,
    /// The next piece, and how many there are.
    next: u32,
    pieces: u32,
}

enum Now {
    /// What is known of the trace comes first: the file's name, the format, and the tracks to
    /// export.
    Begin(String, Format, Vec<u32>),
    Rows(Box<Export>),
}

#[wasm_bindgen]
impl Exporter {
    /// An export to a format by its id, of a file by its name: of the positions from `from` to
    /// `to`, which is exclusive, or of all. `wanted` are the tracks to export. `choices` and `key`
    /// are those of [`Cleaner::of`].
    ///
    /// # Errors
    ///
    /// Throws a text for an unknown format.
    #[wasm_bindgen(constructor)]
    pub fn new(
        format: &str,
        name: String,
        from: Option<u64>,
        to: Option<u64>,
        wanted: Vec<u32>,
        choices: &[u8],
        key: &[u8],
    ) -> Result<Exporter, JsValue> {
        let format = FORMATS.into_iter().find(|it| it.id() == format);
        let format = format.ok_or_else(|| thrown("there is no such format"))?;
        Ok(Self {
            portions: Portions::new(from.zip(to)),
            now: Now::Begin(name, format, wanted),
            out: Vec::new(),
            rows: 0,
            cleaner: Cleaner::of(choices, key),
            reading: None,
        })
    }

    /// Begins to collect the arguments of records, before the first step: from the file, with the
    /// index that the session made of it. They are kept in `scratch`. Returns whether
    /// [`provide_decompressors`] must come before the first [`Exporter::collect`].
    ///
    /// # Errors
    ///
    /// Throws a sentence if these bytes are not an index of such a format.
    #[wasm_bindgen(js_name = withArguments)]
    pub fn with_arguments(
        &mut self,
        format: &str,
        index: &[u8],
        file: JsFile,
        scratch: JsScratch,
    ) -> Result<bool, String> {
        let records = open_arguments(format, index).map_err(|error| error.to_string())?;
        let needs_decompressor = records.needs_decompressor();
        let pieces = records.lanes().iter().flat_map(|lane| &lane.pieces).map(|piece| piece.number + 1).max();
        let collector = Collector::new(Box::new(scratch), std::mem::take(&mut self.cleaner));
        let (window, pieces) = (Window::default(), pieces.unwrap_or(0));
        self.reading = Some(Reading { records, file, window, collector, next: 0, pieces });
        Ok(needs_decompressor)
    }

    /// Collects the arguments of about this share of the file. Returns how much of it is done: 1
    /// when the first step can come, which is after the last share, even if there is more.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read, or there is no room.
    pub fn collect(&mut self, share: f64, is_last: bool) -> Result<f64, String> {
        let Some(it) = &mut self.reading else { return Ok(1.0) };
        let end = it.next.saturating_add((f64::from(it.pieces) * share) as u32 + 1);
        let mut pass = it.records.pass(it.next..end);
        run_pass(&mut *pass, &it.file, &mut it.window, Reads::ahead(AHEAD), &mut it.collector)
            .map_err(|error| error.to_string())?;
        drop(pass);
        if let Some(error) = it.collector.take_error() {
            return Err(no_room(&error));
        }
        it.next = end;
        if end < it.pieces && !is_last {
            return Ok(f64::from(end) / f64::from(it.pieces));
        }
        if let Some(reading) = self.reading.take() {
            let (args, cleaner) = reading.collector.finish().map_err(|error| no_room(&error))?;
            (self.portions.args, self.cleaner) = (Some(args), cleaner);
        }
        Ok(1.0)
    }

    /// Writes up to `budget` rows. Returns 0 if there is more to do, 1 if it wants rows, and 2 if
    /// the file is complete.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the arguments cannot be read.
    pub fn step(&mut self, budget: u32) -> Result<u32, String> {
        if let Now::Begin(name, format, wanted) = &mut self.now {
            let Some(mut trace) = self.portions.trace(name) else { return Ok(1) };
            trace.clean(&mut self.cleaner);
            let with_args = self.portions.args.is_some();
            let export = Export::new(trace, format.writer(), std::mem::take(wanted), with_args);
            self.rows = export.rows(&self.portions);
            self.now = Now::Rows(Box::new(export));
        }
        let Now::Rows(export) = &mut self.now else { return Ok(1) };
        let step = export.step(&mut self.portions, budget, &mut self.out);
        if let Some(error) = self.portions.args.as_mut().and_then(|args| args.take_error()) {
            return Err(format!("The arguments cannot be read again: {error}."));
        }
        Ok(match step {
            Step::More => 0,
            Step::Stalled => 1,
            Step::Done => 2,
            Step::TooLarge(bytes) => return Err(check_path_bytes(bytes).err().unwrap_or_default()),
        })
    }

    /// What it wants, for `Session::export_rows` of the trace's worker. Empty if nothing.
    #[wasm_bindgen(unchecked_return_type = "Uint8Array<ArrayBuffer>")]
    pub fn ask(&self) -> Vec<u8> {
        self.portions.ask().unwrap_or_default()
    }

    /// Takes what `Session::export_rows` returned for [`Exporter::ask`].
    ///
    /// # Errors
    ///
    /// Throws a sentence for other bytes.
    pub fn give(&mut self, answer: &[u8]) -> Result<(), String> {
        self.portions.give(answer).map_err(String::from)
    }

    /// How many bytes are written and not taken yet.
    pub fn waiting(&self) -> u32 {
        self.out.len() as u32
    }

    /// Takes what was written.
    #[wasm_bindgen(unchecked_return_type = "Uint8Array<ArrayBuffer>")]
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

    /// How many texts there are of each class, once the names are read: environment variables,
    /// paths, texts, payloads.
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

/// The sentence for a temporary file that is full.
fn no_room(error: &io::Error) -> String {
    format!("There is no room for the arguments: {error}. Without arguments, none is needed.")
}
