//! Writers of formats that other programs read: Chrome JSON, Perfetto, speedscope, folded stacks,
//! pprof, VCD and CSV.
//!
//! A [`Source`] is a read-only view of a trace: of the store, natively, or of the pages that the
//! page fetches from the worker which has the store. [`Export`] takes slices, instants and samples
//! from it, track by track, the slices in the order in which they are entered, and passes them to a
//! [`Writer`], which appends bytes to a buffer. The caller empties the buffer after each step, so
//! an export needs no memory in proportion to the trace. (Formats of call stacks need some for each
//! stack.)
//!
//! # Natively and in the page
//!
//! `docs/export.md` describes the formats. Natively the source is `View`
//! (`crate/engine/src/tables/view.rs`), the rows that SQL sees. In the page it is `Pages`: a worker
//! of its own (`web/worker/export.ts`) asks for those pages of the tables for SQL that it needs
//! next (`Trace.tables`, `Session.tableParts`) and keeps at most 64 MiB of them.
//! `web/model/export.ts` passes pages and bytes on, and the worker waits until its bytes are in the
//! file. Arguments come by a pass over all records before, through a temporary file
//! (`arguments.rs`; in the page `web/worker/scratch.ts`), and are found by the locators of slices,
//! which the pages have then, too.

mod arguments;
mod chrome;
mod clean;
mod csv;
mod export;
mod folded;
mod ids;
mod json;
mod merge;
mod nest;
mod order;
mod pages;
mod perfetto;
mod pprof;
mod protobuf;
mod speedscope;
mod stacks;
mod vcd;

pub use arguments::{Arguments, Collector, Scratch};
pub use csv::text as csv_text;
pub use export::{Export, Step};
pub use ids::Ids;
pub use pages::{AT_ONCE, Pages};

/// The unit of positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Ticks of a clock with a known frequency.
    Seconds {
        /// Ticks per second; never 0.
        frequency: u64,
    },
    /// Not seconds: ticks of a clock of unknown frequency, or numbers of calls, steps or points.
    Other {
        /// The unit's name, in the singular.
        unit: String,
    },
}

/// The kind of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackKind {
    /// A process: parent of its threads' tracks.
    Process,
    /// Slices and instants of a thread.
    Thread,
    /// Slices and instants of something other than a thread.
    Lane,
    /// A value over time.
    Counter,
}

impl TrackKind {
    /// A stable word: `process`, `thread`, `lane` or `counter`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Thread => "thread",
            Self::Lane => "lane",
            Self::Counter => "counter",
        }
    }
}

/// A track. Its number is its place in [`Trace::tracks`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// Its kind.
    pub kind: TrackKind,
    /// The name shown.
    pub name: String,
    /// Number of the thread or process, if the trace has one.
    pub number: Option<i64>,
    /// Number of the parent track, which comes earlier.
    pub parent: Option<u32>,
    /// Whether its slices overlap, as lifetimes do, instead of nesting.
    pub overlapping: bool,
    /// Whether its samples are floating point numbers.
    pub real: bool,
    /// The depth that the page has for slices of depth 0: negative if calls have no begin.
    pub lowest: i32,
}

/// A name of slices or instants. Its number is its place in [`Trace::names`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// The text shown.
    pub text: String,
    /// What it is the name of: `call`, `interrupt`, `signal`, `system-call`, `group`, `marker` or
    /// `event`.
    pub kind: String,
    /// The id or address that the file has in place of the text.
    pub key: Option<i64>,
}

/// What is the same for all of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The file's name.
    pub name: String,
    /// Format and version, as shown.
    pub title: String,
    /// The unit of positions.
    pub clock: Clock,
    /// The first position of the trace. Formats that have times have them from here on.
    pub origin: u64,
    /// The last position of the trace.
    pub end: u64,
    /// Positions that are exported, the end exclusive; `None` for all. Slices that overlap with it
    /// are exported whole, but counted in stacks with their part in it.
    pub range: Option<(u64, u64)>,
    /// All tracks.
    pub tracks: Vec<Track>,
    /// All names.
    pub names: Vec<Name>,
}

impl Trace {
    /// A name's text, empty if there is no such name.
    pub fn text(&self, name: u32) -> &str {
        self.names.get(name as usize).map_or("", |name| name.text.as_str())
    }

    /// A position in nanoseconds from the origin, rounded down. Without a clock in seconds, a unit
    /// counts as a nanosecond.
    pub fn nanoseconds(&self, at: u64) -> u64 {
        let at = at.saturating_sub(self.origin);
        match self.clock {
            Clock::Seconds { frequency: 1_000_000_000 } | Clock::Other { .. } => at,
            Clock::Seconds { frequency } => {
                let exact = u128::from(at) * 1_000_000_000 / u128::from(frequency.max(1));
                u64::try_from(exact).unwrap_or(u64::MAX)
            }
        }
    }

    /// Whether positions are in seconds.
    pub fn is_timed(&self) -> bool {
        matches!(self.clock, Clock::Seconds { .. })
    }

    /// The part of a slice that is in the range.
    pub(crate) fn cut(&self, slice: &Slice) -> (u64, u64) {
        let (from, to) = self.range.unwrap_or((0, u64::MAX));
        let start = slice.start.clamp(from, to);
        (start, slice.end.clamp(start, to.max(start)))
    }
}

/// A slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// Its number among all slices of the view.
    pub row: u64,
    /// The number of the slice that encloses it, at the depth above.
    pub parent: Option<u64>,
    /// Depth from 0, the outermost.
    pub depth: u32,
    /// Absolute position.
    pub start: u64,
    /// Absolute position; at least `start`.
    pub end: u64,
    /// Number of its name.
    pub name: u32,
    /// 1: began before the recording, 2: never ended, 4: the end is inferred, 8: a guess.
    pub flags: u8,
    /// Where its record is, for [`Source::args`].
    pub locator: u64,
}

/// Words for the bits of [`Slice::flags`].
pub fn flag_words(flags: u8) -> impl Iterator<Item = &'static str> {
    const WORDS: [&str; 4] = ["began-before", "never-ended", "end-inferred", "uncertain"];
    (0..).zip(WORDS).filter_map(move |(bit, word)| (flags >> bit & 1 != 0).then_some(word))
}

/// A point in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instant {
    /// Absolute position.
    pub time: u64,
    /// Number of its name.
    pub name: u32,
    /// Where its record is, for [`Source::args`].
    pub locator: u64,
}

/// A counter's value from `time` on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Absolute position.
    pub time: u64,
    /// The value.
    pub value: Number,
}

/// A number of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A signed number.
    Int(i64),
    /// An unsigned number.
    Unsigned(u64),
    /// A floating point number.
    Real(f64),
}

/// A value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// A truth value.
    Bool(bool),
    /// An unsigned number.
    Unsigned(u64),
    /// A signed number.
    Int(i64),
    /// An address.
    Pointer(u64),
    /// A floating point number.
    Real(f64),
    /// A text.
    Text(String),
}

/// A part of the arguments of a slice or instant, which are a list of these.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A value with its key; in a list the key is empty.
    Field(String, Value),
    /// A structure, or a list if the second says so, begins. Its parts follow.
    Open(String, bool),
    /// The innermost one ends.
    Close,
}

/// What the rows of a [`Part`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Slices of one depth of a track.
    Slices,
    /// Instants of a track.
    Instants,
    /// Samples of a counter.
    Counters,
}

/// Rows of one track, and for slices of one depth, in the order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// What they are.
    pub table: Table,
    /// Number of the track.
    pub track: u32,
    /// Depth of the slices, from 0.
    pub depth: u32,
    /// The number of the first among all rows of the table.
    pub first: u64,
    /// How many there are.
    pub len: u64,
}

/// A read-only view of a trace.
pub trait Source {
    /// All rows, in parts: by table, then by track, then by depth, so that rows of a table are
    /// numbered in this order.
    fn parts(&self) -> &[Part];

    /// A slice by the number of its part and its index there. `None` if it is not loaded yet.
    fn slice(&mut self, part: usize, index: u64) -> Option<Slice>;

    /// An instant, as [`Source::slice`].
    fn instant(&mut self, part: usize, index: u64) -> Option<Instant>;

    /// A sample, as [`Source::slice`].
    fn sample(&mut self, part: usize, index: u64) -> Option<Sample>;

    /// Whether a slice, or an instant, is to be exported.
    fn is_wanted(&mut self, _part: usize, _index: u64) -> bool {
        true
    }

    /// Fills in the arguments of the slice or instant of a track with this locator.
    fn args(&mut self, _track: u32, _locator: u64, _into: &mut Vec<Arg>) {}
}

/// Writes one format. Calls come in the order of the methods, those from `begin_track` to
/// `end_track` for each track that has rows.
pub trait Writer {
    /// The file begins.
    fn begin(&mut self, trace: &Trace, out: &mut Vec<u8>);

    /// Whether rows of a table of a track are wanted.
    fn wants(&self, trace: &Trace, table: Table, track: u32) -> bool;

    /// Whether samples are wanted in the order of time over all tracks, and nothing else is. No
    /// track begins or ends then.
    fn is_merged(&self) -> bool {
        false
    }

    /// A track begins.
    fn begin_track(&mut self, _trace: &Trace, _track: u32, _out: &mut Vec<u8>) {}

    /// A slice. Of a track that nests, callers come before what they call.
    fn slice(&mut self, trace: &Trace, track: u32, slice: &Slice, args: &[Arg], out: &mut Vec<u8>);

    /// An instant. Those of a track come after all of its slices.
    fn instant(&mut self, _trace: &Trace, _track: u32, _instant: &Instant, _args: &[Arg], _out: &mut Vec<u8>) {}

    /// A sample.
    fn sample(&mut self, _trace: &Trace, _track: u32, _sample: &Sample, _out: &mut Vec<u8>) {}

    /// All slices of the track were passed on. Instants and samples follow.
    fn end_slices(&mut self, _trace: &Trace, _track: u32, _out: &mut Vec<u8>) {}

    /// The track ends.
    fn end_track(&mut self, _trace: &Trace, _track: u32, _out: &mut Vec<u8>) {}

    /// The file ends.
    fn finish(&mut self, trace: &Trace, out: &mut Vec<u8>);
}

/// A format to export to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Trace Event Format, JSON: chrome://tracing, Perfetto.
    Chrome,
    /// Perfetto's protocol buffers.
    Perfetto,
    /// speedscope's JSON, a profile for each thread.
    Speedscope,
    /// Stacks as lines of text, with self times: `main;draw;flush 120`.
    Folded,
    /// Profile of pprof, compressed by gzip.
    Pprof,
    /// Value Change Dump: counters.
    Vcd,
    /// A row for each slice, instant and sample.
    Csv,
}

/// All formats.
pub const FORMATS: [Format; 7] =
    [Format::Chrome, Format::Perfetto, Format::Speedscope, Format::Folded, Format::Pprof, Format::Vcd, Format::Csv];

impl Format {
    /// A stable word.
    pub fn id(self) -> &'static str {
        match self {
            Self::Chrome => "chrome",
            Self::Perfetto => "perfetto",
            Self::Speedscope => "speedscope",
            Self::Folded => "folded",
            Self::Pprof => "pprof",
            Self::Vcd => "vcd",
            Self::Csv => "csv",
        }
    }

    /// What the names of its files end with.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Chrome => ".json",
            Self::Perfetto => ".pftrace",
            Self::Speedscope => ".speedscope.json",
            Self::Folded => ".folded.txt",
            Self::Pprof => ".pb.gz",
            Self::Vcd => ".vcd",
            Self::Csv => ".csv",
        }
    }

    /// A writer of it.
    pub fn writer(self) -> Box<dyn Writer> {
        match self {
            Self::Chrome => Box::<chrome::Chrome>::default(),
            Self::Perfetto => Box::<perfetto::Perfetto>::default(),
            Self::Speedscope => Box::<speedscope::Speedscope>::default(),
            Self::Folded => Box::<folded::Folded>::default(),
            Self::Pprof => Box::<pprof::Pprof>::default(),
            Self::Vcd => Box::<vcd::Vcd>::default(),
            Self::Csv => Box::new(csv::Csv),
        }
    }

    /// Whether its files have arguments of slices and instants.
    pub fn has_args(self) -> bool {
        matches!(self, Self::Chrome | Self::Perfetto)
    }
}

#[cfg(test)]
mod tests;
