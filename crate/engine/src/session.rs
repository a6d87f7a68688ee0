//! One open trace: a decoder, a store, and what is between them.

use unspool_formats::decoder::Range;
use unspool_formats::rows::PAGE;
use unspool_formats::{
    Clock, Decoder, EventBatch, Format, Info, Instructions, OpenOptions, Opened, Probe, Want, recognise,
};

use crate::details::{Details, Item};
use crate::find::{Find, Found};
use crate::overview::Overview;
use crate::report::{ClockOut, ExtentOut, ProblemOut, ProgressOut, TraceErrorOut, TraceInfo, TrackOut, refusal};
use crate::rows::{RowPath, RowSource};
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

/// How the trace comes in.
enum Path {
    Stream(Box<dyn Decoder>),
    Rows(RowPath),
}

/// One open trace. Push bytes, step until it needs more, and ask whatever you like in between.
pub struct Session {
    format: &'static Format,
    path: Path,
    store: Store,
    batch: EventBatch,
    /// Bytes pushed and not yet used up are those from `used` up to `filled`; behind them is room for more.
    input: Vec<u8>,
    used: usize,
    filled: usize,
    /// Absolute offset of the end of what is filled.
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
        let path = match (format.open)(head, options)? {
            Opened::Stream(decoder) => Path::Stream(decoder),
            Opened::Rows(decoder) => Path::Rows(RowPath::new(decoder)),
        };
        Ok(Self {
            format,
            path,
            store: Store::default(),
            batch: EventBatch::with_capacity(BATCH),
            input: Vec::new(),
            used: 0,
            filled: 0,
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
        let mut info: TraceInfo = self.head().into();
        if self.is_database()
            && let ClockOut::Ordinal { unit } = info.clock
        {
            info.place_noun = unit;
        }
        info
    }

    /// What is known so far.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Whether it is a database, and wants [`Session::attach`] before its first step instead of bytes.
    pub fn is_database(&self) -> bool {
        matches!(self.path, Path::Rows(_))
    }

    /// Says where the rows of a database come from, and reads what concerns the whole trace.
    ///
    /// `instructions` finds the instructions of a block where the trace does not tell all of them.
    pub fn attach(
        &mut self,
        source: Box<dyn RowSource>,
        instructions: Option<Box<dyn Instructions>>,
    ) -> Result<(), TraceErrorOut> {
        if let (Path::Rows(path), Some(instructions)) = (&mut self.path, instructions) {
            path.set_instructions(instructions);
        }
        match &mut self.path {
            Path::Rows(path) => Ok(path.attach(source)?),
            Path::Stream(_) => Ok(()),
        }
    }

    /// Where the next bytes pushed must come from, and how many are useful there (0: all that there are).
    pub fn wants(&self) -> (u64, u64) {
        match self.want() {
            Want::Seek { at, len } if at == self.here() => {
                (self.position, at.saturating_add(len).saturating_sub(self.position))
            }
            Want::Seek { at, len } => (at, len),
            Want::Next | Want::Nothing => (self.position, 0),
        }
    }

    /// Takes in bytes from where [`Session::wants`] said.
    pub fn push(&mut self, bytes: &[u8]) {
        self.push_with(bytes.len(), |room| {
            room.copy_from_slice(bytes);
            bytes.len()
        });
    }

    /// The same without a copy in between: `fill` puts up to `most` bytes where it is told, and answers how many.
    pub fn push_with(&mut self, most: usize, fill: impl FnOnce(&mut [u8]) -> usize) {
        self.input.copy_within(self.used..self.filled, 0);
        self.filled -= self.used;
        self.used = 0;
        let end = self.filled + most;
        // What was filled once is not made zero again for the next portion.
        if self.input.len() < end {
            self.input.resize(end, 0);
        }
        let n = fill(&mut self.input[self.filled..end]).min(most);
        self.filled += n;
        self.position += n as u64;
        if self.want() == Want::Next {
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
        self.state = if self.is_database() { self.step_rows(max_events) } else { self.step_bytes(max_events) };
        self.state
    }

    /// Fetches rows and decodes them, a page at the most.
    fn step_rows(&mut self, max_events: usize) -> Step {
        let Path::Rows(path) = &mut self.path else { return Step::Done };
        let mut events = 0;
        let broken = loop {
            self.batch.clear();
            let worked = path.decoder.work(&mut self.batch);
            events += self.batch.len();
            if !self.store.apply(&mut self.batch) {
                self.store.note_out_of_room(path.decoder.progress().0);
                break None;
            }
            match worked {
                Err(error) => break Some(error),
                Ok(true) if events < max_events => {}
                Ok(true) => return Step::More,
                Ok(false) => {
                    // A row is some three events.
                    let most = (max_events / 3).clamp(1024, PAGE);
                    let fetched = path.fetch(most);
                    let (done, of) = path.decoder.progress();
                    let share = if of == 0 { 0.0 } else { done as f64 / of as f64 };
                    self.read = self.read.max((self.size as f64 * share) as u64);
                    match fetched {
                        Err(error) => break Some(error),
                        Ok(true) if events < max_events => {}
                        Ok(true) => return Step::More,
                        Ok(false) => break path.take_failure(),
                    }
                }
            }
        };
        match broken {
            None => {
                self.read = self.size;
                self.finish(Step::Done)
            }
            Some(error) => {
                self.error = Some(error.into());
                self.finish(Step::Broken)
            }
        }
    }

    fn step_bytes(&mut self, max_events: usize) -> Step {
        let mut events = 0;
        loop {
            let here = self.here();
            let Path::Stream(decoder) = &mut self.path else { return Step::Done };
            let want = decoder.want();
            match want {
                Want::Nothing => break self.finish(Step::Done),
                Want::Seek { at, .. } if at != here => {
                    (self.used, self.filled, self.position, self.ended) = (0, 0, at, false);
                    break Step::NeedsBytes;
                }
                Want::Seek { .. } | Want::Next => {}
            }
            self.batch.clear();
            let input = self.input.get(self.used..self.filled).unwrap_or_default();
            let mut result = decoder.push(input, &mut self.batch).map(|p| p.used);
            let used = result.unwrap_or(0);
            self.used += used;
            let starved = result.is_ok() && used == 0 && !self.batch.is_full() && decoder.want() == want;
            if starved && self.ended {
                let rest = self.input.get(self.used..self.filled).unwrap_or_default();
                result = decoder.end(rest, &mut self.batch).map(|()| 0);
                (self.used, self.filled, self.ended) = (0, 0, false);
            }
            let want = decoder.want();
            events += self.batch.len();
            let room = self.store.apply(&mut self.batch);
            if let Err(error) = result {
                self.error = Some(error.into());
                break self.finish(Step::Broken);
            }
            if !room {
                self.store.note_out_of_room(self.here());
                break self.finish(Step::Done);
            }
            if starved && want == Want::Next {
                break Step::NeedsBytes;
            }
            if starved && matches!(want, Want::Seek { at, .. } if at == self.here()) {
                break Step::NeedsBytes;
            }
            if events >= max_events {
                break Step::More;
            }
        }
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

    /// How much of the file the main pass has read; of a database the share of its rows.
    pub fn bytes_read(&self) -> u64 {
        self.read
    }

    /// How far reading has come.
    pub fn progress(&self) -> ProgressOut {
        let stage = matches!(self.want(), Want::Seek { .. }).then_some("putting buffers in order");
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

    /// A slice or an instant by where it stands.
    pub fn find(&self, what: Find) -> Option<Found> {
        self.store.find(what)
    }

    /// Which bytes of the file the details of an item are decoded from; nothing if there is no such item.
    pub fn details_range(&self, item: Item) -> Option<Range> {
        let locator = self.store.locate(item)?;
        match &self.path {
            Path::Stream(decoder) => decoder.details_range(locator),
            // Its rows are fetched when the details are asked for.
            Path::Rows(_) => Some(Range { at: 0, len: 0 }),
        }
    }

    /// A further stretch that the details need, behind `bytes` of those before; ask until there is none.
    pub fn details_next(&self, item: Item, bytes: &[u8]) -> Option<Range> {
        match &self.path {
            Path::Stream(decoder) => decoder.details_next(self.store.locate(item)?, bytes),
            Path::Rows(_) => None,
        }
    }

    /// Everything known of an item, decoded from the bytes of [`Session::details_range`] and [`Session::details_next`].
    pub fn details(&self, item: Item, bytes: &[u8]) -> Result<Option<Details>, TraceErrorOut> {
        let Some(locator) = self.store.locate(item) else { return Ok(None) };
        let record = match &self.path {
            Path::Stream(decoder) => decoder.details(locator, bytes)?,
            Path::Rows(path) => {
                let rows = path.rows_of(&path.decoder.details_queries(locator))?;
                path.decoder.details(locator, &rows)
            }
        };
        let details = self.store.describe(item, record, self.is_counted());
        Ok(details.map(|details| Details { offset: details.offset.filter(|_| !self.is_database()), ..details }))
    }

    /// Single problems from the `first` on, `max` at the most, and how many there are to list.
    pub fn problems(&self, first: usize, max: usize) -> (Vec<ProblemOut>, usize) {
        let (page, total) = self.store.problems(first, max);
        (page.into_iter().map(ProblemOut::from).collect(), total)
    }

    /// The x axis counts calls, steps or the like.
    fn is_counted(&self) -> bool {
        matches!(self.head().clock, Clock::Ordinal { .. })
    }

    fn head(&self) -> Info {
        match &self.path {
            Path::Stream(decoder) => decoder.info(),
            Path::Rows(path) => path.decoder.info(),
        }
    }

    fn want(&self) -> Want {
        match &self.path {
            Path::Stream(decoder) => decoder.want(),
            Path::Rows(_) => Want::Nothing,
        }
    }

    /// Absolute offset of the first byte that has not been used up.
    fn here(&self) -> u64 {
        self.position - (self.filled - self.used) as u64
    }

    fn finish(&mut self, how: Step) -> Step {
        self.batch.clear();
        match &mut self.path {
            Path::Stream(decoder) => decoder.finish(&mut self.batch),
            Path::Rows(path) => path.decoder.finish(&mut self.batch),
        }
        self.store.apply(&mut self.batch);
        self.store.finish(self.is_counted());
        self.input = Vec::new();
        (self.used, self.filled) = (0, 0);
        how
    }
}
