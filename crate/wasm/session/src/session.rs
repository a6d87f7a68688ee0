//! The session of a trace, for JavaScript.

use js_sys::Uint8Array;
use tsify::Ts;
use unspool_engine::derived::{self, Origin, Place};
use unspool_engine::tables::portions::Answer;
use unspool_engine::{
    Described, Found, Item, ProgressOut, Session as Engine, Step, TraceInfo, TrackOut, ledger, tables,
};
use unspool_formats::recognise;
use unspool_js::{JsDisassembler, columns, thrown, to_js, typed};
use unspool_records::TraceErrorOut;
use unspool_sqlite::{SqlFile, SqlRows};
use unspool_sqlite_pages::PAGE;
use unspool_trace::{Callees, Instructions, Jumps, Limits, Naming, OpenOptions, Probe, ValueKind, sniff};
use wasm_bindgen::prelude::*;

use crate::items::{JsFind, JsItem};
use crate::jobs;
use crate::protocol::{NewNames, OtherNames, Overview, Problems, Renamed, Seen, TablePages, Texts, WindowAnswer};
use crate::shelf::{self, JsShelf};

/// Names that the page takes at once: some milliseconds.
const NAMES: usize = 10_000;

/// Whether [`crate::provide_decompressors`] must come before `new Session(…)` with these arguments.
#[wasm_bindgen(js_name = needsDecompressor)]
pub fn needs_decompressor(name: &str, size: f64, head: &[u8], tail: &[u8]) -> bool {
    unspool_formats::needs_decompressor(&Probe { head, tail, size: size as u64, name })
}

/// What a file is, by the same arguments as `new Session(…)`.
#[wasm_bindgen(js_name = lookAt)]
pub fn look_at(name: &str, size: f64, head: &[u8], tail: &[u8]) -> Ts<Seen> {
    let probe = Probe { head, tail, size: size as u64, name };
    let guess = recognise(&probe);
    let format = guess.as_ref().map(|(format, _)| format);
    let seen = Seen {
        format: format.map(|format| format.id),
        name: format.map(|format| format.name),
        confidence: guess.as_ref().map_or(0, |(_, guess)| 1 + guess.confidence as u32),
        looks: sniff::looks_like(head),
    };
    seen.cross()
}

/// One open trace. The worker owns the file and the loop: it pushes bytes, steps, and queries in
/// between.
#[wasm_bindgen]
pub struct Session {
    pub(crate) engine: Engine,
    pub(crate) jobs: jobs::Jobs,
    /// What functions can call, as was known when reading began.
    callees: Callees,
    /// What all pages of the database for SQL have in common, while they are fetched.
    lists: Option<tables::Lists>,
}

#[wasm_bindgen]
impl Session {
    /// Recognises a file by its name, its size in bytes, its head and its tail. 64 KiB of each are
    /// enough. The size is infinite while it is unknown. `limit` is the most bytes of the trace,
    /// and of all results, for machines with less memory than usual. `lifted` lifts the limits that
    /// end the reading of a trace although its bytes are valid. `tail_calls` puts the callees of
    /// tail calls under their callers.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if no format recognises the file, or if its head is damaged.
    #[wasm_bindgen(constructor)]
    pub fn new(
        name: &str,
        size: f64,
        head: &[u8],
        tail: &[u8],
        limit: Option<f64>,
        lifted: Option<bool>,
        tail_calls: Option<bool>,
    ) -> Result<Session, JsValue> {
        let limits = if lifted == Some(true) { Limits::LIFTED } else { Limits::DEFAULT };
        let options = OpenOptions { size: None, limits, nest_tail_calls: tail_calls == Some(true) };
        let mut engine = Engine::with(options, name, size as u64, head, tail).map_err(|error| to_js(&error))?;
        let limit = limit.map(|bytes| bytes as u64);
        if let Some(bytes) = limit {
            engine.limit_memory(bytes);
        }
        let jobs = jobs::Jobs::new(limit.map_or(ledger::LIMIT, |bytes| bytes.min(ledger::LIMIT)));
        Ok(Self { engine, jobs, callees: Callees::default(), lists: None })
    }

    /// What the file's head says.
    pub fn info(&self) -> Ts<TraceInfo> {
        typed(&self.engine.info())
    }

    /// Whether the trace is a database: [`Session::attach`] then comes before the first step, and
    /// no bytes are pushed.
    #[wasm_bindgen(js_name = isDatabase)]
    pub fn is_database(&self) -> bool {
        self.engine.is_pulled()
    }

    /// Attaches the database, and the disassembler if it could be loaded. Reads the tables that
    /// concern the whole trace.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the database cannot be read, or is not a trace.
    pub fn attach(&mut self, file: SqlFile, disassembler: Option<JsDisassembler>) -> Result<(), JsValue> {
        let instructions = disassembler.map(|it| Box::new(it) as Box<dyn Instructions>);
        self.engine.attach(Box::new(SqlRows(file)), instructions).map_err(|error| to_js(&error))
    }

    /// Appends bytes from where [`Session::wants_at`] said.
    pub fn push(&mut self, bytes: &Uint8Array) {
        let len = bytes.length() as usize;
        // Copied straight to where they are decoded: a slice parameter would be one more copy.
        self.engine.push_with(len, |room| {
            bytes.copy_to(room);
            len
        });
    }

    /// Notes that the file has no more bytes where they were wanted.
    pub fn end(&mut self) {
        self.engine.end();
    }

    /// Decodes up to about `max_events` events of what was pushed. Returns 0 if bytes are needed, 1
    /// if there is more to do, 2 if everything is decoded, and 3 if decoding stopped at
    /// [`Session::error`].
    pub fn step(&mut self, max_events: u32) -> u32 {
        match self.engine.step(max_events as usize) {
            Step::NeedsBytes => 0,
            Step::More => 1,
            Step::Done => 2,
            Step::Broken => 3,
        }
    }

    /// Whether the trace takes so much of its memory that slices should go to disk, and none do.
    #[wasm_bindgen(js_name = wantsShelf)]
    pub fn wants_shelf(&self) -> bool {
        let store = self.engine.store();
        !store.has_shelf() && store.kept_bytes() > self.jobs.limit() / 5 * 2
    }

    /// Has slices that are read from now on go to disk.
    pub fn shelve(&mut self, files: JsShelf) {
        self.engine.shelve(Box::new(files), shelf::shelving());
    }

    /// Absolute offset that the next bytes pushed must start at.
    #[wasm_bindgen(js_name = wantsAt)]
    pub fn wants_at(&self) -> f64 {
        self.engine.wants().0 as f64
    }

    /// How many bytes are useful there. 0 means no limit.
    #[wasm_bindgen(js_name = wantsLength)]
    pub fn wants_length(&self) -> f64 {
        self.engine.wants().1 as f64
    }

    /// Why decoding stopped. `undefined` if it did not.
    pub fn error(&self) -> Option<Ts<TraceErrorOut>> {
        self.engine.error().map(typed)
    }

    /// Stops reading. What was decoded stays.
    pub fn cancel(&mut self) {
        self.engine.cancel();
    }

    /// How far reading has come.
    pub fn progress(&self) -> Ts<ProgressOut> {
        typed(&self.engine.progress())
    }

    /// The next names that are new since the last call, as many as the page takes between two
    /// frames. `undefined` without any.
    #[wasm_bindgen(js_name = takeNames)]
    pub fn take_names(&mut self) -> Option<Ts<NewNames>> {
        let (first, names) = self.engine.take_names(NAMES);
        if names.is_empty() {
            return None;
        }
        let count = names.len();
        let names = Texts::of(names.iter().map(String::as_str));
        let keys = self.keys(first as u32..(first + count) as u32);
        Some(NewNames { first: first as f64, names, keys }.cross())
    }

    /// Shows names with the texts of a companion, given as [`Naming::to_bytes`] of the same build.
    /// The caller numbers companions.
    ///
    /// # Errors
    ///
    /// Throws a text for other bytes.
    #[wasm_bindgen(js_name = nameBy)]
    pub fn name_by(&mut self, companion: u32, naming: &[u8]) -> Result<(), JsValue> {
        let naming = Naming::from_bytes(naming).ok_or_else(|| thrown("these bytes are no names"))?;
        self.engine.name_by(companion, naming);
        Ok(())
    }

    /// Says, before the first step, what [`Session::jumps`] returned when the trace was read
    /// before.
    ///
    /// # Errors
    ///
    /// Throws a text for other bytes.
    #[wasm_bindgen(js_name = ruleOut)]
    pub fn rule_out(&mut self, jumps: &[u8]) -> Result<(), JsValue> {
        let jumps = Jumps::from_bytes(jumps).ok_or_else(|| thrown("these bytes are no jumps"))?;
        self.callees = jumps.callees.clone();
        self.engine.rule_out(jumps);
        Ok(())
    }

    /// How many calls have no end. What functions can call matters only if there are any.
    pub fn unended(&self) -> f64 {
        self.engine.store().unended() as f64
    }

    /// How to read the trace again so that no call is below one that cannot have made it, given
    /// [`Callees::to_bytes`] of the same build. Empty to read it without that knowledge.
    /// `undefined` if it has been read as it should.
    pub fn jumps(&self, callees: &[u8]) -> Option<Vec<u8>> {
        let callees = Callees::from_bytes(callees)?;
        if self.callees.is_empty() {
            return self.engine.store().jumps(callees).map(|jumps| jumps.to_bytes());
        }
        // What ends in this reading is not what ends in the log.
        (callees != self.callees).then(Vec::new)
    }

    /// The ids of functions that the trace has so far, in place of names.
    #[wasm_bindgen(js_name = functionIds)]
    pub fn function_ids(&self) -> Vec<i32> {
        self.engine.ids().into_iter().filter_map(|id| id.try_into().ok()).collect()
    }

    /// The addresses that names have so far, only those of functions that were called if `called`.
    pub fn addresses(&self, called: bool) -> Vec<u64> {
        self.engine.addresses(called)
    }

    /// The binaries that the trace says were loaded: the first address in hexadecimal, a space, and
    /// the path.
    pub fn modules(&self) -> Vec<String> {
        self.engine.modules().into_iter().map(|(base, path)| format!("{base:x} {path}")).collect()
    }

    /// How many names have a text of this companion.
    #[wasm_bindgen(js_name = namedBy)]
    pub fn named_by(&self, companion: u32) -> u32 {
        self.engine.named_by(companion) as u32
    }

    /// Forgets the texts of a companion.
    #[wasm_bindgen(js_name = forgetNames)]
    pub fn forget_names(&mut self, companion: u32) {
        self.engine.forget_names(companion);
    }

    /// The names whose texts have changed since the last call. `undefined` without any. Call
    /// [`Session::take_names`] before.
    #[wasm_bindgen(js_name = takeRenamed)]
    pub fn take_renamed(&mut self) -> Option<Ts<Renamed>> {
        let ids = self.engine.take_renamed();
        if ids.is_empty() {
            return None;
        }
        let all = self.engine.store().names();
        let names = Texts::of(ids.iter().map(|id| all.get(*id as usize).map_or("", String::as_str)));
        let keys = self.keys(ids.iter().copied());
        Some(Renamed { ids: columns::Uint32Array(ids), names, keys }.cross())
    }

    /// The texts that companions give to functions of this trace, with a NUL after each.
    #[wasm_bindgen(js_name = functionTexts)]
    pub fn function_texts(&self) -> String {
        self.engine.function_texts().flat_map(|text| [text, "\0"]).collect()
    }

    /// The names that change if functions have these texts, given as [`Session::function_texts`]
    /// has them, and what they are then. `undefined` if none does.
    #[wasm_bindgen(js_name = withFunctionTexts)]
    pub fn with_function_texts(&self, texts: &str) -> Option<Ts<OtherNames>> {
        // A text with a NUL in it would shift those that follow.
        if texts.split_terminator('\0').count() != self.engine.function_texts().count() {
            return None;
        }
        let (ids, names): (Vec<u32>, Vec<String>) =
            self.engine.with_function_texts(texts.split_terminator('\0')).into_iter().unzip();
        if ids.is_empty() {
            return None;
        }
        let names = Texts::of(names.iter().map(String::as_str));
        Some(OtherNames { ids: columns::Uint32Array(ids), names }.cross())
    }

    /// The keys of names, empty where the name is simply its key. `None` if all are.
    fn keys(&self, names: impl IntoIterator<Item = u32>) -> Option<Texts> {
        let keys: Vec<String> = names.into_iter().map(|name| self.engine.store().key_text(name)).collect();
        if keys.iter().all(String::is_empty) {
            return None;
        }
        Some(Texts::of(keys.iter().map(String::as_str)))
    }

    /// The tracks that are new or have changed since the last call.
    #[wasm_bindgen(js_name = takeTracks)]
    pub fn take_tracks(&mut self) -> Vec<Ts<TrackOut>> {
        self.engine.take_tracks().iter().map(typed).collect()
    }

    /// Shows the values of a counter as unsigned (0), signed (1) or floating-point (2) numbers,
    /// made from the same bytes of the file. The track comes with the next
    /// [`Session::take_tracks`].
    #[wasm_bindgen(js_name = showValues)]
    pub fn show_values(&mut self, track: u32, kind: u32) {
        let kinds = [ValueKind::Unsigned, ValueKind::Signed, ValueKind::Float];
        if let Some(kind) = kinds.get(kind as usize) {
            self.engine.show_values(track, *kind);
        }
    }

    /// What calls weigh in statistics that ask for it, in place of earlier weights: those that
    /// begin at `at`, ascending.
    pub fn weigh(&mut self, at: Vec<u64>, weights: Vec<u64>) {
        self.engine.weigh(at, weights);
    }

    /// Notes how many bytes other traces and workers hold: all share one limit, of what is read as
    /// well as of results.
    #[wasm_bindgen(js_name = setElsewhere)]
    pub fn set_elsewhere(&mut self, bytes: f64) {
        self.engine.set_elsewhere(bytes as u64);
        self.jobs.set_elsewhere(self.engine.store(), bytes as u64);
    }

    /// What to draw for a window. `depths` holds two numbers for each track: its first signed depth
    /// in sight, and the depth after its last.
    pub fn query(&mut self, from: u64, to: u64, step: u64, tracks: &[u32], depths: &[i32]) -> Ts<WindowAnswer> {
        let rows = jobs::rows_of(tracks, depths);
        // Derived tracks on the screen are in use.
        tracks.iter().filter_map(|track| derived::job_of(*track)).for_each(|job| self.jobs.touch(job));
        let answer = self.jobs.query(self.engine.store(), from, to, step, &rows);
        WindowAnswer::new(from, to, step, answer).cross()
    }

    /// Density over the whole trace.
    pub fn overview(&self, buckets: u32) -> Ts<Overview> {
        Overview::from(self.engine.overview(buckets)).cross()
    }

    /// The slice or instant at a position, or next to another one.
    pub fn find(&self, what: &JsFind) -> Option<Ts<Found>> {
        self.engine.neighbour(what.into()).as_ref().map(typed)
    }

    /// What the store knows about an item. An item of a derived track is described as the one that
    /// it was made from.
    pub fn describe(&self, item: &JsItem) -> Option<Ts<Described>> {
        let item = Item::from(item);
        let item = match derived::job_of(item.track()) {
            None => Some(item),
            Some(_) => {
                self.jobs.origin(self.engine.store(), Place::Item(item)).and_then(|origin| origin.found?.item.into())
            }
        };
        self.engine.describe(item?).as_ref().map(typed)
    }

    /// Where a place on a derived track comes from. Without an item, the value that holds at
    /// `time`.
    pub fn origin(&self, track: u32, time: u64, item: Option<JsItem>) -> Option<Ts<Origin>> {
        let place = item.map_or(Place::Value { track, time }, |item| Place::Item((&item).into()));
        self.jobs.origin(self.engine.store(), place).as_ref().map(typed)
    }

    /// How many rows the tables for SQL have between two positions, `to` exclusive, or in all.
    #[wasm_bindgen(js_name = tableRows)]
    pub fn table_rows(&self, from: Option<u64>, to: Option<u64>) -> f64 {
        tables::rows_of(self.engine.store(), from.zip(to)) as f64
    }

    /// What an export of the same build asks for: an [`Answer`] as bytes.
    #[wasm_bindgen(js_name = exportRows, unchecked_return_type = "Uint8Array<ArrayBuffer>")]
    pub fn export_rows(&self, ask: &[u8]) -> Vec<u8> {
        Answer::to(ask, &self.engine)
    }

    /// At most `most` pages of the database for SQL, from number `first` on, counted from 0. The
    /// first of them decide which names the others have.
    #[wasm_bindgen(js_name = tablePages)]
    pub fn table_pages(&mut self, from: Option<u64>, to: Option<u64>, first: f64, most: u32) -> Ts<TablePages> {
        let store = self.engine.store();
        let known = self.lists.take().filter(|_| first > 0.0);
        let lists = known.unwrap_or_else(|| tables::Lists::of(store));
        let database = tables::database(store, self.engine.clock(), from.zip(to), &lists);
        let (mut pages, mut size) = (Vec::new(), 0);
        if let Some(database) = database {
            size = database.size();
            let first = first as u64;
            let count = (size / PAGE as u64).saturating_sub(first).min(most.into());
            pages = vec![0; count as usize * PAGE];
            for (number, page) in (first + 1..).zip(pages.chunks_exact_mut(PAGE)) {
                if let Ok(page) = page.try_into() {
                    database.page(number, page);
                }
            }
        }
        if first as u64 + u64::from(most) < size / PAGE as u64 {
            self.lists = Some(lists);
        }
        TablePages { size: size as f64, pages: columns::Uint8Array(pages) }.cross()
    }

    /// What a `RecordReader` needs to read the records decoded so far. `numbers`: for readers that
    /// know what numbers mean, so that symbols may come without their names.
    pub fn index(&self, numbers: bool) -> Vec<u8> {
        if numbers { self.engine.index_of_numbers() } else { self.engine.index() }
    }

    /// At most `max` single problems, starting with number `first`.
    pub fn problems(&self, first: u32, max: u32) -> Ts<Problems> {
        let (problems, total) = self.engine.problems(first as usize, max as usize);
        Problems { problems, total: total as f64 }.cross()
    }

    /// The trace's digest in hexadecimal, as `unspool info --json` prints it.
    pub fn digest(&self) -> String {
        format!("{:016x}", self.engine.store().digest())
    }
}
