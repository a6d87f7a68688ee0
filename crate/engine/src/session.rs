//! One open trace: a decoder, a store, and what is between them.

use unspool_formats::decoder::Range;
use unspool_formats::{Clock, Decoder, EventBatch, Format, OpenOptions, Probe, Want, recognise};

use crate::details::{Details, Item};
use crate::overview::Overview;
use crate::report::{ExtentOut, ProblemOut, ProgressOut, TraceErrorOut, TraceInfo, TrackOut, refusal};
use crate::store::Store;
use crate::store::query::{QueryAnswer, TrackRows};

/// Events decoded before they go to the store.
const BATCH: usize = 4096;

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// More bytes are needed: [`Session::wants`].
    NeedsBytes,
    /// There is more to do with what was pushed.
    More,
    /// All is decoded.
    Done,
    /// Decoding broke off; what came before is there. [`Session::error`] tells why.
    Broken,
}

/// One open trace. Push bytes, step until it needs more, and ask whatever you like in between.
pub struct Session {
    format: &'static Format,
    decoder: Box<dyn Decoder>,
    store: Store,
    batch: EventBatch,
    /// Bytes pushed and not yet used up are those from `used` on.
    input: Vec<u8>,
    used: usize,
    /// Absolute offset of the end of `input`.
    position: u64,
    size: u64,
    /// How much of the file the main pass has read.
    read: u64,
    ended: bool,
    state: Step,
    error: Option<TraceErrorOut>,
    names_told: usize,
    versions_told: Vec<u64>,
}

impl Session {
    /// Recognises a file by its head and tail (64 KiB of either are plenty) and prepares to read it.
    pub fn new(name: &str, size: u64, head: &[u8], tail: &[u8]) -> Result<Self, TraceErrorOut> {
        let (format, _) = recognise(&Probe { head, tail, size, name }).ok_or_else(|| refusal(head, size))?;
        let options = OpenOptions { size: Some(size), ..OpenOptions::default() };
        let decoder = (format.open)(head, options)?;
        Ok(Self {
            format,
            decoder,
            store: Store::default(),
            batch: EventBatch::with_capacity(BATCH),
            input: Vec::new(),
            used: 0,
            position: 0,
            size,
            read: 0,
            ended: false,
            state: Step::NeedsBytes,
            error: None,
            names_told: 0,
            versions_told: Vec::new(),
        })
    }

    /// The format of the file.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// What the file's head says.
    pub fn info(&self) -> TraceInfo {
        self.decoder.info().into()
    }

    /// What is known so far.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Where the next bytes pushed must come from, and how many are useful there (0: all that there are).
    pub fn wants(&self) -> (u64, u64) {
        match self.decoder.want() {
            Want::Seek { at, len } if at == self.here() => {
                (self.position, at.saturating_add(len).saturating_sub(self.position))
            }
            Want::Seek { at, len } => (at, len),
            Want::Next | Want::Nothing => (self.position, 0),
        }
    }

    /// Takes in bytes from where [`Session::wants`] said.
    pub fn push(&mut self, bytes: &[u8]) {
        self.input.drain(..self.used);
        self.used = 0;
        self.input.extend_from_slice(bytes);
        self.position += bytes.len() as u64;
        if self.decoder.want() == Want::Next {
            self.read = self.position;
        }
    }

    /// Says that there are no more bytes where they were wanted.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Decodes what has been pushed, up to about `max_events` events.
    pub fn step(&mut self, max_events: usize) -> Step {
        if matches!(self.state, Step::Done | Step::Broken) {
            return self.state;
        }
        let mut events = 0;
        self.state = loop {
            let want = self.decoder.want();
            match want {
                Want::Nothing => break self.finish(Step::Done),
                Want::Seek { at, .. } if at != self.here() => {
                    self.input.clear();
                    (self.used, self.position, self.ended) = (0, at, false);
                    break Step::NeedsBytes;
                }
                Want::Seek { .. } | Want::Next => {}
            }
            self.batch.clear();
            let mut result =
                self.decoder.push(self.input.get(self.used..).unwrap_or_default(), &mut self.batch).map(|p| p.used);
            let used = result.unwrap_or(0);
            self.used += used;
            let starved = result.is_ok() && used == 0 && !self.batch.is_full() && self.decoder.want() == want;
            if starved && self.ended {
                let rest = self.input.get(self.used..).unwrap_or_default();
                result = self.decoder.end(rest, &mut self.batch).map(|()| 0);
                self.input.clear();
                (self.used, self.ended) = (0, false);
            }
            events += self.batch.len();
            let room = self.store.apply(&mut self.batch);
            if let Err(error) = result {
                self.error = Some(error.into());
                break self.finish(Step::Broken);
            }
            if !room {
                break self.finish(Step::Done);
            }
            if starved && self.decoder.want() == Want::Next {
                break Step::NeedsBytes;
            }
            if starved && matches!(self.decoder.want(), Want::Seek { at, .. } if at == self.here()) {
                break Step::NeedsBytes;
            }
            if events >= max_events {
                break Step::More;
            }
        };
        self.state
    }

    /// Stops reading; what is there stays.
    pub fn cancel(&mut self) {
        if !matches!(self.state, Step::Done | Step::Broken) {
            self.state = self.finish(Step::Done);
        }
    }

    /// Why decoding broke off.
    pub fn error(&self) -> Option<&TraceErrorOut> {
        self.error.as_ref()
    }

    /// How far reading has come.
    pub fn progress(&self) -> ProgressOut {
        let stage = matches!(self.decoder.want(), Want::Seek { .. }).then_some("putting buffers in order");
        ProgressOut {
            bytes_read: self.read as f64,
            bytes: self.size as f64,
            events: self.store.records() as f64,
            slices: self.store.slices() as f64,
            store_bytes: self.store.bytes() as f64,
            extent: self.store.extent().map(|(from, to)| ExtentOut { from, to }),
            problems: self.store.problem_report(),
            stage: stage.filter(|_| !self.store.is_finished()),
        }
    }

    /// Names that are new since the last call: the number of the first, and the names.
    pub fn take_names(&mut self) -> (usize, &[String]) {
        let first = self.names_told;
        self.names_told = self.store.names().len();
        (first, self.store.names().get(first..).unwrap_or_default())
    }

    /// Tracks that are new or have changed since the last call.
    pub fn take_tracks(&mut self) -> Vec<TrackOut> {
        self.versions_told.resize(self.store.tracks.len(), 0);
        let mut changed = Vec::new();
        for ((id, track), told) in (0..).zip(&self.store.tracks).zip(&mut self.versions_told) {
            if track.version != *told {
                *told = track.version;
                changed.push(TrackOut::of(id, track));
            }
        }
        changed
    }

    /// What is to be drawn of a window; see [`Store::query`].
    pub fn query(&self, from: u64, to: u64, step: u64, tracks: &[u32]) -> QueryAnswer {
        self.store.query(from, to, step, tracks)
    }

    /// What is to be drawn of some rows of a window; see [`Store::query_rows`].
    pub fn query_rows(&self, from: u64, to: u64, step: u64, rows: &[TrackRows]) -> QueryAnswer {
        self.store.query_rows(from, to, step, rows)
    }

    /// Density over the whole trace; see [`Store::overview`].
    pub fn overview(&self, buckets: u32) -> Overview {
        self.store.overview(buckets)
    }

    /// Which bytes of the file the details of an item are decoded from; nothing if there is no such item.
    pub fn details_range(&self, item: Item) -> Option<Range> {
        self.decoder.details_range(self.store.locate(item)?)
    }

    /// A further stretch that the details need, behind `bytes` of those before; ask until there is none.
    pub fn details_next(&self, item: Item, bytes: &[u8]) -> Option<Range> {
        self.decoder.details_next(self.store.locate(item)?, bytes)
    }

    /// Everything known of an item, decoded from the bytes of [`Session::details_range`] and [`Session::details_next`].
    pub fn details(&self, item: Item, bytes: &[u8]) -> Result<Option<Details>, TraceErrorOut> {
        let Some(locator) = self.store.locate(item) else { return Ok(None) };
        let record = self.decoder.details(locator, bytes)?;
        Ok(self.store.describe(item, record, self.is_counted()))
    }

    /// Single problems from the `first` on, `max` at the most, and how many there are to list.
    pub fn problems(&self, first: usize, max: usize) -> (Vec<ProblemOut>, usize) {
        let (page, total) = self.store.problems(first, max);
        (page.into_iter().map(ProblemOut::from).collect(), total)
    }

    /// The x axis counts calls, steps or the like.
    fn is_counted(&self) -> bool {
        matches!(self.decoder.info().clock, Clock::Ordinal { .. })
    }

    /// Absolute offset of the first byte that has not been used up.
    fn here(&self) -> u64 {
        self.position - (self.input.len() - self.used) as u64
    }

    fn finish(&mut self, how: Step) -> Step {
        self.store.finish(self.is_counted());
        self.input = Vec::new();
        self.used = 0;
        how
    }
}
