//! Writers of formats that other programs read: Chrome JSON, Perfetto, speedscope, folded stacks,
//! pprof, VCD and CSV.
//!
//! A [`Source`] is a read-only view of a trace. [`Export`] takes slices, instants and samples from
//! it, track by track, the slices in the order in which they are entered, and passes them to a
//! [`Writer`], which appends bytes to a buffer. The caller empties the buffer after each step, so
//! an export needs no memory in proportion to the trace. (Formats of call stacks need some for each
//! stack.)
//!
//! # Natively and in the page
//!
//! `docs/export.md` describes the formats. The rows are those of `View`
//! (`crate/engine/src/tables/view.rs`), as SQL sees them. Natively the source is [`Stored`], the
//! view itself. In the page it is [`Portions`]: a worker of its own
//! (`web/features/export/worker/export.ts`) asks for the rows that it needs next (`Ask`, answered
//! by `Session.exportRows`). `web/features/export/export.ts` passes rows and bytes on, and the
//! worker waits until its bytes are in the file. Arguments come by a pass over all records before,
//! through a temporary file (`arguments.rs`; in the page `web/features/export/worker/scratch.ts`),
//! and are found by the locators of slices.

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
mod perfetto;
mod portions;
mod pprof;
mod protobuf;
mod speedscope;
mod stacks;
mod stored;
mod vcd;

pub use arguments::{Arguments, Collector, Scratch};
pub use csv::text as csv_text;
pub use export::{Export, Step};
pub use ids::Ids;
pub use portions::Portions;
pub use stored::Stored;
pub use unspool_engine::tables::view::{Head, Instant, Number, Part, Sample, Slice, Table};

use unspool_engine::Session;
use unspool_engine::tables::portions::names;
use unspool_trace::Stacking;
use unspool_trace::batch::Name;

/// Bytes that a writer with much left at the end writes at once.
const AT_ONCE: usize = 1 << 20;

/// What is the same for all of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The file's name.
    pub name: String,
    /// Unit, extent and tracks. Formats that have times have them from the origin on.
    pub head: Head,
    /// Positions that are exported, the end exclusive; `None` for all. Slices that overlap with it
    /// are exported whole, but counted in stacks with their part in it.
    pub range: Option<(u64, u64)>,
    /// All names, by their numbers.
    pub names: Vec<Name>,
}

impl Trace {
    /// A trace that was read, by the file's name.
    pub fn of(session: &Session, name: &str, range: Option<(u64, u64)>) -> Self {
        Self { name: name.into(), head: Head::of(session), range, names: names(session.store(), 0).collect() }
    }

    /// A name's text, empty if there is no such name.
    pub fn text(&self, name: u32) -> &str {
        self.names.get(name as usize).map_or("", |name| name.text.as_str())
    }

    /// A track's name, empty if there is no such track.
    pub fn track_name(&self, track: u32) -> &str {
        self.head.tracks.get(track as usize).map_or("", |track| track.name.as_str())
    }

    /// Whether the slices of a track overlap, as lifetimes do, instead of nesting.
    pub fn is_overlapping(&self, track: u32) -> bool {
        self.head.tracks.get(track as usize).is_some_and(|track| track.stacking == Stacking::Overlapping)
    }

    /// A position in nanoseconds from the origin, rounded down. Without a clock in seconds, a unit
    /// counts as a nanosecond.
    pub fn nanoseconds(&self, at: u64) -> u64 {
        let at = at.saturating_sub(self.head.origin);
        match self.head.frequency {
            None | Some(1_000_000_000) => at,
            Some(frequency) => {
                let exact = u128::from(at) * 1_000_000_000 / u128::from(frequency.max(1));
                u64::try_from(exact).unwrap_or(u64::MAX)
            }
        }
    }

    /// Whether positions are in seconds.
    pub fn is_timed(&self) -> bool {
        self.head.frequency.is_some()
    }

    /// The part of a slice that is in the range.
    pub(crate) fn cut(&self, slice: &Slice) -> (u64, u64) {
        let (from, to) = self.range.unwrap_or((0, u64::MAX));
        let start = slice.start.clamp(from, to);
        (start, slice.end.clamp(start, to.max(start)))
    }
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

    /// Whether [`Writer::statement`] is to be called with all instants, whatever is exported,
    /// before the first track.
    fn wants_statements(&self, _trace: &Trace) -> bool {
        false
    }

    /// An instant, which may be a point at a statement.
    fn statement(&mut self, _trace: &Trace, _instant: &Instant) {}

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

    /// The bytes of call paths that [`Writer::finish`] writes, before they are compressed. Asked
    /// after the last track; more than [`unspool_trace::MOST_PATH_BYTES`] are not written.
    fn path_bytes(&self, _trace: &Trace) -> u64 {
        0
    }

    /// The file ends: writes what is left, or, where that is long, the next part of it. Returns
    /// whether there is more.
    fn finish(&mut self, trace: &Trace, out: &mut Vec<u8>) -> bool;
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
            Self::Csv => Box::<csv::Csv>::default(),
        }
    }

    /// Whether its files have arguments of slices and instants.
    pub fn has_args(self) -> bool {
        matches!(self, Self::Chrome | Self::Perfetto)
    }
}

#[cfg(test)]
mod tests;
