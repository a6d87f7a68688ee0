//! One open trace: a decoder, a store, and the loop between them.

use std::sync::Arc;

use unspool_filter::{Context, Offers};
use unspool_formats::recognise;
use unspool_records::RowSource;
use unspool_records::TraceErrorOut;
use unspool_trace::{
    Capability, Clock, EventBatch, Format, Info, Instructions, Jumps, Naming, OpenOptions, Opened, Probe, TrackId,
    ValueKind, Want,
};

use crate::details::{Described, Item};
use crate::neighbours::{Found, Neighbour};
use crate::overview::Overview;
use crate::pull::Pull;
use crate::report::{ExtentOut, ProblemOut, ProgressOut, TraceInfo, TrackOut, refusal};
use crate::statistics::Weights;
use crate::store::Store;
use crate::store::problems::is_limit;
use crate::store::query::{QueryAnswer, TrackRows};
use crate::store::shelf::{ShelfFile, Shelving};
use crate::stream::Stream;
use crate::turn::Turn;

/// Capacity of the batch between decoder and store, in events.
const BATCH: usize = 4096;

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// More bytes are needed; [`Session::wants`] says which.
    NeedsBytes,
    /// There is more to decode in what was pushed.
    More,
    /// Everything is decoded.
    Done,
    /// Decoding stopped at an error, which [`Session::error`] returns. Everything before it is in
    /// the store.
    Broken,
}

/// How the trace comes in.
enum Path {
    Stream(Stream),
    Rows(Pull),
}

/// One open trace. Push bytes, step until it needs more, and query at any time in between.
///
/// [`crate::read::session`] is this loop for files that can be read synchronously:
///
/// ```no_run
/// use unspool_engine::{Session, Step};
///
/// let file = std::fs::read("threads.xray")?;
/// let mut session = Session::new("threads.xray", file.len() as u64, &file, &file).expect("an XRay log");
/// loop {
///     match session.step(100_000) {
///         Step::NeedsBytes => match file.get(session.wants().0 as usize..) {
///             Some(bytes) if !bytes.is_empty() => session.push(bytes),
///             _ => session.end(),
///         },
///         Step::More => {}
///         Step::Done | Step::Broken => break,
///     }
/// }
/// println!("{} slices", session.store().slices());
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Session {
    format: &'static Format,
    path: Path,
    store: Store,
    /// What calls weigh in a replay, if known.
    weights: Option<Arc<Weights>>,
    batch: EventBatch,
    size: u64,
    state: Step,
    error: Option<TraceErrorOut>,
    /// How many names [`Session::take_names`] has returned.
    names_taken: usize,
    /// The version of each track that [`Session::take_tracks`] has returned.
    versions_taken: Vec<u64>,
}

impl Session {
    /// Recognises a file by its head and tail and prepares to read it. 64 KiB of each are enough.
    /// `size` is `u64::MAX` if it is unknown, because the file is still being unpacked.
    ///
    /// # Errors
    ///
    /// Returns an error if no format recognises the file, or if its head is damaged.
    pub fn new(name: &str, size: u64, head: &[u8], tail: &[u8]) -> Result<Self, TraceErrorOut> {
        Self::with(OpenOptions::default(), name, size, head, tail)
    }

    /// As [`Session::new`], opened in another way, such as with [`unspool_trace::Limits::LIFTED`]
    /// for a person who wants to go on after a limit. The size among the options does not count.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Session::new`].
    pub fn with(options: OpenOptions, name: &str, size: u64, head: &[u8], tail: &[u8]) -> Result<Self, TraceErrorOut> {
        let (format, _) = recognise(&Probe { head, tail, size, name }).ok_or_else(|| refusal(head, size))?;
        let options = OpenOptions { size: (size != u64::MAX).then_some(size), ..options };
        let path = match (format.open)(head, options)? {
            Opened::Stream(decoder) => Path::Stream(Stream::new(decoder)),
            Opened::Rows(decoder) => Path::Rows(Pull::new(decoder, size)),
        };
        Ok(Self {
            format,
            path,
            store: Store::default(),
            weights: None,
            batch: EventBatch::with_capacity(BATCH),
            size,
            state: Step::NeedsBytes,
            error: None,
            names_taken: 0,
            versions_taken: Vec::new(),
        })
    }

    /// The format of the file.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// What the file's head says.
    pub fn info(&self) -> TraceInfo {
        let companions = self.format.companions.iter().map(|kind| kind.id()).collect();
        TraceInfo { companions, ..self.head().into() }
    }

    /// Says which calls were left without a record and what functions can call, before the first
    /// step: what [`Store::jumps`] found when the trace was read before. Stacks are cut there, in
    /// formats that record exits.
    pub fn rule_out(&mut self, jumps: Jumps) {
        if let Path::Stream(stream) = &mut self.path {
            stream.decoder.rule_out(jumps);
        }
    }

    /// Limits the memory of all that is kept of the trace, in bytes. Reading ends when it is used
    /// up. There is a limit anyway, by the number of slices that an index can address.
    pub fn limit_memory(&mut self, bytes: u64) {
        self.store.limit_memory(bytes);
    }

    /// Notes how many bytes other traces and results hold that share the limit of this one. A small
    /// part of it is this trace's own however much they hold.
    pub fn set_elsewhere(&mut self, bytes: u64) {
        self.store.set_elsewhere(bytes);
    }

    /// Keeps names, tracks and problems of the trace, but no slices, instants or samples: for what
    /// goes through its records alone. Called before the first step.
    pub fn leave_out_events(&mut self) {
        self.store.leave_out_events();
    }

    /// Has slices moved to a file while the trace is read. Called before the first step, or between
    /// two: slices that there are then stay in memory. What visits slices anywhere becomes slower.
    /// [`Store::take_shelf_error`] says whether the file failed.
    pub fn shelve(&mut self, file: Box<dyn ShelfFile>, how: Shelving) {
        self.store.shelve(file, how);
    }

    /// Whether reading stopped at a limit and not at the end of the file.
    pub fn stopped_at_limit(&self) -> bool {
        let counts = self.store.problem_counts();
        counts.into_iter().any(|(kind, _)| is_limit(kind))
    }

    /// What has been decoded so far.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Keeps what calls weigh, in place of earlier weights: of those that begin at `at`, absolute
    /// positions in ticks, ascending. Calls without a weight count as not measured.
    pub fn weigh(&mut self, at: Vec<u64>, weights: Vec<u64>) {
        self.weights = Some(Arc::new(Weights::new(at, weights)));
    }

    /// What calls weigh, if that is known, for [`Wanted`](crate::statistics::Wanted).
    pub fn weights(&self) -> Option<Arc<Weights>> {
        self.weights.clone()
    }

    /// Whether the trace is a database: [`Session::attach`] then comes before the first step, and
    /// no bytes are pushed.
    pub fn is_pulled(&self) -> bool {
        matches!(self.path, Path::Rows(_))
    }

    /// Attaches the database that rows come from, and reads the tables that concern the whole
    /// trace. Does nothing for a trace that is read as bytes.
    ///
    /// `instructions` finds the instruction boundaries of a block where the trace does not list all
    /// of them.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be read, or is not a trace.
    pub fn attach(
        &mut self,
        source: Box<dyn RowSource>,
        instructions: Option<Box<dyn Instructions>>,
    ) -> Result<(), TraceErrorOut> {
        match &mut self.path {
            Path::Rows(pull) => Ok(pull.attach(source, instructions)?),
            Path::Stream(_) => Ok(()),
        }
    }

    /// The absolute offset that the next bytes pushed must start at, and how many are useful there.
    /// A length of 0 means no limit.
    pub fn wants(&self) -> (u64, u64) {
        match &self.path {
            Path::Stream(stream) => stream.wants(),
            Path::Rows(_) => (0, 0),
        }
    }

    /// Appends bytes from where [`Session::wants`] said.
    pub fn push(&mut self, bytes: &[u8]) {
        self.push_with(bytes.len(), |room| {
            room.copy_from_slice(bytes);
            bytes.len()
        });
    }

    /// Like [`Session::push`], without a copy: `fill` gets a buffer of `most` bytes, writes to its
    /// beginning, and returns how many bytes it wrote.
    pub fn push_with(&mut self, most: usize, fill: impl FnOnce(&mut [u8]) -> usize) {
        if let Path::Stream(stream) = &mut self.path {
            stream.push_with(most, fill);
        }
    }

    /// Notes that the file has no more bytes where they were wanted.
    pub fn end(&mut self) {
        if let Path::Stream(stream) = &mut self.path {
            stream.end();
        }
    }

    /// Decodes what has been pushed, or fetches rows and decodes them, up to about `max_events`
    /// events.
    pub fn step(&mut self, max_events: usize) -> Step {
        if !matches!(self.state, Step::Done | Step::Broken) {
            self.state = self.advance(max_events);
        }
        self.state
    }

    /// Turns of the decoder until `max_events` are in the store, or a turn says that there is
    /// nothing more to do now.
    fn advance(&mut self, max_events: usize) -> Step {
        let mut events = 0;
        loop {
            self.batch.clear();
            let turn = match &mut self.path {
                Path::Stream(stream) => stream.turn(&mut self.batch).map_err(TraceErrorOut::from),
                Path::Rows(pull) => pull.turn(max_events, &mut self.batch).map_err(TraceErrorOut::from),
            };
            events += self.batch.len();
            self.store.set_decoder_bytes(self.kept_by_decoder());
            // Events before an error count, too.
            let has_room = self.store.apply(&mut self.batch);
            self.store.note_full_disk(self.here());
            match turn {
                Err(error) => {
                    self.error = Some(error);
                    return self.finish(Step::Broken);
                }
                Ok(Turn::Finished) => return self.finish(Step::Done),
                Ok(_) if !has_room => {
                    self.store.note_out_of_room(self.here());
                    return self.finish(Step::Done);
                }
                Ok(Turn::Starved) => return Step::NeedsBytes,
                Ok(Turn::Progressed) if events >= max_events => return Step::More,
                Ok(Turn::Progressed) => {}
            }
        }
    }

    /// Bytes of what the decoder keeps.
    fn kept_by_decoder(&self) -> u64 {
        match &self.path {
            Path::Stream(stream) => stream.decoder.kept_bytes(),
            Path::Rows(pull) => pull.decoder.kept_bytes(),
        }
    }

    /// Stops reading. What was decoded stays.
    pub fn cancel(&mut self) {
        if !matches!(self.state, Step::Done | Step::Broken) {
            self.state = self.finish(Step::Done);
        }
    }

    /// Why decoding stopped, after [`Step::Broken`].
    pub fn error(&self) -> Option<&TraceErrorOut> {
        self.error.as_ref()
    }

    /// How many bytes of the file the main pass has read. For a database, the file's size times the
    /// share of its rows.
    pub fn bytes_read(&self) -> u64 {
        match &self.path {
            Path::Stream(stream) => stream.read,
            Path::Rows(pull) => pull.read,
        }
    }

    /// How far reading has come.
    pub fn progress(&self) -> ProgressOut {
        let seeks = matches!(&self.path, Path::Stream(s) if matches!(s.decoder.want(), Want::Seek { .. }));
        ProgressOut {
            bytes_read: self.bytes_read() as f64,
            bytes: self.size as f64,
            events: self.store.records() as f64,
            slices: self.store.slices() as f64,
            store_bytes: self.store.kept_bytes() as f64,
            extent: self.store.extent().map(|(from, to)| ExtentOut { from, to }),
            problems: self.store.problem_report(),
            stage: (seeks && !self.store.is_finished()).then_some("putting buffers in order"),
            uncertainty: if self.format.id == "xray" { self.store.uncertainty() } else { None },
        }
    }

    /// At most `most` of the names that are new since the last call: the number of the first, and
    /// the names.
    pub fn take_names(&mut self, most: usize) -> (usize, &[String]) {
        let first = self.names_taken;
        self.names_taken = self.store.names().len().min(first.saturating_add(most));
        (first, self.store.names().get(first..self.names_taken).unwrap_or_default())
    }

    /// Shows names with the texts of a companion, which the caller numbers. Names that are read
    /// later get theirs, too.
    pub fn name_by(&mut self, companion: u32, naming: Naming) {
        self.store.texts.set(companion, naming);
    }

    /// The ids of functions that the trace has so far, in place of names.
    pub fn ids(&self) -> Vec<i64> {
        self.store.texts.ids().collect()
    }

    /// The addresses that names have so far, such as those of functions and blocks. Only those that
    /// were called from within the trace if `called`: functions begin there.
    pub fn addresses(&self, called: bool) -> Vec<u64> {
        self.store.addresses(called)
    }

    /// The binaries that the trace says were loaded: the first address of each, and its path.
    pub fn modules(&self) -> Vec<(u64, &str)> {
        self.store.texts.modules().collect()
    }

    /// How many names have a text of this companion.
    pub fn named_by(&self, companion: u32) -> usize {
        self.store.texts.named_by(companion)
    }

    /// Forgets the texts of a companion.
    pub fn forget_names(&mut self, companion: u32) {
        self.store.texts.remove(companion);
    }

    /// The numbers of the names whose texts have changed since the last call. Names that
    /// [`Session::take_names`] has not returned yet may be among them.
    pub fn take_renamed(&mut self) -> Vec<u32> {
        self.store.texts.take_changed()
    }

    /// The texts that companions give to functions of this trace, in the order of the names.
    pub fn function_texts(&self) -> impl Iterator<Item = &str> {
        self.store.texts.functions()
    }

    /// The numbers of the names that change if functions have other texts, in the order of
    /// [`Session::function_texts`], and what they are then.
    pub fn with_function_texts<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Vec<(u32, String)> {
        self.store.texts.with_functions(texts)
    }

    /// The tracks that are new or have changed since the last call.
    pub fn take_tracks(&mut self) -> Vec<TrackOut> {
        self.versions_taken.resize(self.store.tracks.len(), 0);
        let mut changed = Vec::new();
        for ((id, track), taken) in (0..).zip(&self.store.tracks).zip(&mut self.versions_taken) {
            if track.version != *taken {
                *taken = track.version;
                changed.push(TrackOut::of(id, track));
            }
        }
        changed
    }

    /// Shows the values of a counter as those of another type, or of its own again. Nothing happens
    /// before the end of the file, or if their bytes are not known.
    pub fn show_values(&mut self, track: TrackId, kind: ValueKind) {
        let is_finished = self.store.is_finished();
        if let Some(track) = self.store.tracks.get_mut(track as usize).filter(|_| is_finished) {
            track.show_as(kind);
        }
    }

    /// What to draw for a window; see [`Store::query`].
    pub fn query(&self, from: u64, to: u64, step: u64, tracks: &[u32]) -> QueryAnswer {
        self.store.query(from, to, step, tracks)
    }

    /// What to draw for some rows of a window; see [`Store::query_rows`].
    pub fn query_rows(&self, from: u64, to: u64, step: u64, rows: &[TrackRows]) -> QueryAnswer {
        self.store.query_rows(from, to, step, rows)
    }

    /// Density over the whole trace; see [`Store::overview`].
    pub fn overview(&self, buckets: u32) -> Overview {
        self.store.overview(buckets)
    }

    /// The slice or instant at a position, or next to another one; see [`Store::neighbour`].
    pub fn neighbour(&self, what: Neighbour) -> Option<Found> {
        self.store.neighbour(what)
    }

    /// What the store knows about an item. `None` if there is no such item.
    pub fn describe(&self, item: Item) -> Option<Described> {
        self.store.describe(item, self.is_counted())
    }

    /// What a [`RecordReader`](unspool_records::RecordReader) needs to read the records decoded so
    /// far. Empty for a database.
    pub fn index(&self) -> Vec<u8> {
        match &self.path {
            Path::Stream(stream) => stream.decoder.index(),
            Path::Rows(_) => Vec::new(),
        }
    }

    /// [`Session::index`] for readers that know what numbers mean:
    /// [`unspool_trace::Decoder::index_of_numbers`].
    pub fn index_of_numbers(&self) -> Vec<u8> {
        match &self.path {
            Path::Stream(stream) => stream.decoder.index_of_numbers(),
            Path::Rows(_) => Vec::new(),
        }
    }

    /// At most `max` single problems, starting with number `first`, and how many there are to list.
    pub fn problems(&self, first: usize, max: usize) -> (Vec<ProblemOut>, usize) {
        let (page, total) = self.store.problems(first, max);
        (page.into_iter().map(ProblemOut::from).collect(), total)
    }

    /// The unit of the x axis.
    pub fn clock(&self) -> Clock {
        self.head().clock
    }

    /// What expressions about this trace are bound to. `frames`: whether an expression needs to
    /// know where frames are.
    pub fn find_context(&self, frames: bool) -> Context {
        let info = self.head();
        let frequency = match info.clock {
            Clock::Seconds { frequency } => Some(frequency),
            _ => None,
        };
        let offers = Offers {
            code: info.offers.contains(&Capability::Disassembly),
            state: info.offers.contains(&Capability::State),
            calls: info.offers.contains(&Capability::Graphics),
        };
        Context { offers, ..self.store.find_context(frequency, frames) }
    }

    /// Whether the x axis counts calls, steps or the like.
    fn is_counted(&self) -> bool {
        matches!(self.head().clock, Clock::Ordinal { .. })
    }

    fn head(&self) -> Info {
        match &self.path {
            Path::Stream(stream) => stream.decoder.info(),
            Path::Rows(pull) => pull.decoder.info(),
        }
    }

    /// How far decoding has come, in what the positions of problems count.
    fn here(&self) -> u64 {
        match &self.path {
            Path::Stream(stream) => stream.here(),
            Path::Rows(pull) => pull.decoder.progress().0,
        }
    }

    fn finish(&mut self, how: Step) -> Step {
        self.batch.clear();
        match &mut self.path {
            Path::Stream(stream) => {
                stream.decoder.finish(&mut self.batch);
                stream.close();
            }
            Path::Rows(pull) => pull.decoder.finish(&mut self.batch),
        }
        self.store.apply(&mut self.batch);
        self.store.note_full_tree(self.here());
        self.store.finish(self.is_counted());
        how
    }
}
