//! Events as columns, passed from a decoder to the store.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::locator::Locator;
use crate::problem::Problem;
use crate::statement::StatementId;

/// Number of a track, counted from 0 in the order of definition.
pub type TrackId = u32;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EventKind {
    /// Begins a slice.
    Begin,
    /// A complete slice, from `time` to the next of [`EventBatch::ends`].
    Whole,
    /// Ends the innermost open slice with this `name`, and every slice above it. If there is none,
    /// the slice began before the recording. For records that name the function that was left, but
    /// not the call.
    End,
    /// Ends the open slice that began with this `name` and locator, and every slice above it.
    /// Ignored if there is none.
    EndOf,
    /// The open slice that began with this `name` and locator, and every slice above it, ended at
    /// `time` or before without a record of it. What began within them may have begun after that,
    /// so it is uncertain. Ignored if there is none.
    Left,
    /// Adds flags to the open slice that began with this `name` and locator: `time` holds the bits
    /// of [`flags`].
    Flag,
    /// Begins a slice that has been open since the track began. It lies below everything on the
    /// track and is flagged [`flags::BEGAN_BEFORE`]. While a slice is open, this is a
    /// [`EventKind::Begin`].
    Uncover,
    /// A point in time.
    Instant,
    /// The thread of the track was last recorded at `time`, where no slice need begin or end. What
    /// is still open ends there, unless more events come. `name` is unused.
    LastRecord,
    /// Open slices of the track may have lost their ends. From here on, an orphaned end reaches
    /// back to the track's previous event at most. `name` is unused.
    StackLost,
    /// Parts of the track are skipped from here on because they are out of order. `Restart` follows
    /// at the end.
    Disordered,
    /// The track is delivered again from its beginning, which is at `time`.
    Restart,
    /// A counter's value from `time` on. The locator's bits are the value's, as [`ValueKind`] says.
    /// `name` is unused. The times of a counter ascend, but a sample may be delivered late: a sum
    /// over a frame is known when the frame ends.
    Sample,
}

impl EventKind {
    /// Whether such an event is a record of its track at its time, rather than something that is
    /// known of other events.
    pub fn is_record(self) -> bool {
        use EventKind::{Begin, End, EndOf, Instant, Left, Uncover, Whole};
        matches!(self, Begin | Whole | End | EndOf | Left | Uncover | Instant)
    }
}

/// Flags of a slice.
pub mod flags {
    /// The beginning of the slice was not recorded: it began before the recording, or among records
    /// that were lost.
    pub const BEGAN_BEFORE: u8 = 1;
    /// The slice never ended. It is shown up to the last record of its thread, or to the end of the
    /// trace if its track is not that of a thread.
    pub const NEVER_ENDED: u8 = 2;
    /// The slice's end is not in the trace. It is inferred from later events.
    pub const END_INFERRED: u8 = 4;
    /// The slice, or its extent, is a guess.
    pub const UNCERTAIN: u8 = 8;

    /// Stable words for flags: `began-before`, `never-ended`, `end-inferred` and `uncertain`.
    pub fn words(flags: u8) -> impl Iterator<Item = &'static str> {
        let all = [
            (BEGAN_BEFORE, "began-before"),
            (NEVER_ENDED, "never-ended"),
            (END_INFERRED, "end-inferred"),
            (UNCERTAIN, "uncertain"),
        ];
        all.into_iter().filter_map(move |(flag, word)| (flags & flag != 0).then_some(word))
    }
}

/// The kind of slice or instant that a name belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SliceKind {
    /// A call of a function, or the track's usual slice.
    #[default]
    Call,
    /// The handler of a recorded interrupt or exception.
    Interrupt,
    /// The handler of a signal, or of another diversion of execution that was not recorded.
    Signal,
    /// Kernel code that executes a system call.
    SystemCall,
    /// A group of calls, such as a debug group. Its name is a text of the traced program.
    Group,
    /// An instant with a text of the traced program.
    Marker,
    /// An event with a payload, which is its name.
    Event,
    /// A point at a statement of the traced program, or at none.
    Statement,
    /// A buffer while it has one size.
    Buffer,
    /// A number without a variable.
    Auxiliary,
    /// Time of a thread without records, which were lost.
    Lost,
}

impl SliceKind {
    /// A stable word: `call`, `interrupt`, `signal`, `system-call`, `group`, `marker`, `event`,
    /// `statement`, `buffer`, `auxiliary` or `lost`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Interrupt => "interrupt",
            Self::Signal => "signal",
            Self::SystemCall => "system-call",
            Self::Group => "group",
            Self::Marker => "marker",
            Self::Event => "event",
            Self::Statement => "statement",
            Self::Buffer => "buffer",
            Self::Auxiliary => "auxiliary",
            Self::Lost => "lost",
        }
    }
}

/// What identifies a name in the file, if it is not the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Key {
    /// The text itself.
    #[default]
    None,
    /// A function id, as in XRay.
    Id(i64),
    /// The address of the function.
    Address(u64),
    /// The number of a statement: the bits of a [`StatementId`].
    Statement(u64),
}

impl Key {
    /// The key as a number of SQL: an address or a statement with a highest bit is negative.
    pub fn number(self) -> Option<i64> {
        match self {
            Self::None => None,
            Self::Id(id) => Some(id),
            Self::Address(bits) | Self::Statement(bits) => Some(bits as i64),
        }
    }
}

/// The key as texts have it: `#12`, `0x401000`. Empty if there is none.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Id(id) => write!(f, "#{id}"),
            Self::Address(address) => write!(f, "{address:#x}"),
            Self::Statement(bits) => StatementId::from_bits(*bits).fmt(f),
        }
    }
}

/// The definition of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// The text shown.
    pub text: String,
    /// The kind of slice.
    pub kind: SliceKind,
    /// What the file has. Names with equal texts and different keys are different functions.
    pub key: Key,
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Self { text, kind: SliceKind::Call, key: Key::None }
    }
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

/// How far an orphan, an end without a beginning, reaches back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orphans {
    /// To the beginning of the track: only the time before the recording is missing.
    FromStart,
    /// To the track's previous event: the recording also drops calls in the middle.
    FromPrevious,
}

/// The type of a counter's samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueKind {
    /// A `u64`.
    #[default]
    Unsigned,
    /// A `u64` that is an address.
    Address,
    /// An `i64`.
    Signed,
    /// An `f64`.
    Float,
}

/// How the slices of a track are stacked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stacking {
    /// Like calls: a slice ends before the one below it.
    #[default]
    Nested,
    /// Like lifetimes: slices begin and end independently, each at the lowest free depth. An end
    /// closes only the open slice with its name. At most one slice of a name is open at a time.
    Overlapping,
}

/// The definition of a track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackDef {
    /// The parent track, which must be defined earlier.
    pub parent: Option<TrackId>,
    /// Its kind.
    pub kind: TrackKind,
    /// Number of the thread or process, if the trace has one.
    pub id: Option<i64>,
    /// The name shown.
    pub name: String,
    /// One line shown below the name. May be empty.
    pub detail: String,
    /// How far orphaned ends reach back.
    pub orphans: Orphans,
    /// Number of the name of [`SliceKind::Lost`] slices, if time without records is to be one. It
    /// is then added up like calls, and no call is charged with it.
    pub lost: Option<u32>,
    /// Where the track begins, in ticks, if that is before its first event.
    pub start: Option<u64>,
    /// The type of a counter's samples.
    pub values: ValueKind,
    /// Bytes that each of them takes in the file: 1, 2, 4 or 8. 0 if their bits mean nothing of
    /// another type.
    pub width: u8,
    /// How its slices are stacked.
    pub stacking: Stacking,
    /// One of its slices, in a word or two, if [`crate::Nouns::slice`] does not fit.
    pub noun: Option<&'static str>,
    /// Whether its slices are the frames of the trace, which a search for `frame:` counts.
    pub has_frames: bool,
}

impl TrackDef {
    /// A track without a parent, with default values for everything else.
    pub fn new(kind: TrackKind, name: impl Into<String>) -> Self {
        Self {
            parent: None,
            kind,
            id: None,
            name: name.into(),
            detail: String::new(),
            orphans: Orphans::FromStart,
            lost: None,
            start: None,
            values: ValueKind::Unsigned,
            width: 0,
            stacking: Stacking::Nested,
            noun: None,
            has_frames: false,
        }
    }

    /// The track that the threads beyond [`Limits::tracks`](crate::Limits::tracks) share. Their
    /// calls overlap.
    pub fn other_threads(detail: &str) -> Self {
        Self {
            detail: detail.into(),
            orphans: Orphans::FromPrevious,
            stacking: Stacking::Overlapping,
            noun: Some("other call"),
            ..Self::new(TrackKind::Lane, "other threads")
        }
    }
}

/// Bytes of data that a call takes or returns: images, buffers, the code of shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload {
    /// Position of the call's begin on the x axis: absolute.
    pub x: u64,
    /// Its track.
    pub track: TrackId,
    /// Number of its name.
    pub name: u32,
    /// How many bytes. Not 0.
    pub bytes: u64,
}

/// Events as columns, with definitions and problems. A name or track is defined at the latest in
/// the batch of its first use. A batch is reused from portion to portion.
#[derive(Debug, Default)]
pub struct EventBatch {
    /// Kind of each event.
    pub kinds: Vec<EventKind>,
    /// Track of each event.
    pub tracks: Vec<TrackId>,
    /// Position of each event on the x axis: absolute, in ticks or ordinals. Those of a track
    /// should ascend. The store moves an earlier one to the track's latest position and counts a
    /// problem.
    pub times: Vec<u64>,
    /// Number of each event's name, counted from 0 in the order of definition.
    pub names: Vec<u32>,
    /// Locator of each event's record.
    pub locators: Vec<Locator>,
    /// Ends of [`EventKind::Whole`] slices, in the order of those events: absolute, at least the
    /// slice's `time`.
    pub ends: Vec<u64>,
    /// Data of calls that ended since the batch was cleared.
    pub payloads: Vec<Payload>,
    /// Tracks defined since the batch was cleared.
    pub new_tracks: Vec<TrackDef>,
    /// Names defined since the batch was cleared.
    pub new_names: Vec<Name>,
    /// Problems found since the batch was cleared.
    pub problems: Vec<Problem>,
    /// Number of records decoded since the batch was cleared. Records that are delivered again do
    /// not count.
    pub records: u64,
    capacity: usize,
    paused: bool,
}

impl EventBatch {
    /// An empty batch that is full at `capacity` events.
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            kinds: Vec::with_capacity(capacity),
            tracks: Vec::with_capacity(capacity),
            times: Vec::with_capacity(capacity),
            names: Vec::with_capacity(capacity),
            locators: Vec::with_capacity(capacity),
            capacity,
            ..Self::default()
        }
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are no events. There may still be definitions and problems.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Whether a decoder must return. It may add a few more events, never an unbounded number.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.kinds.len() >= self.capacity || self.problems.len() >= self.capacity.max(1) || self.paused
    }

    /// Makes the batch full until it is cleared. A decoder calls this after much work that produced
    /// few events, so that the caller can stop, for example, a decompression bomb.
    pub fn pause(&mut self) {
        self.paused = true;
    }

    /// Adds an event.
    #[inline]
    pub fn push(&mut self, kind: EventKind, track: TrackId, time: u64, name: u32, locator: Locator) {
        self.kinds.push(kind);
        self.tracks.push(track);
        self.times.push(time);
        self.names.push(name);
        self.locators.push(locator);
    }

    /// Number of events until [`EventBatch::is_full`].
    #[inline]
    pub fn room(&self) -> usize {
        self.capacity.saturating_sub(self.kinds.len())
    }

    /// Adds events of one track, column by column. All columns must have the same length.
    #[inline]
    pub fn extend(
        &mut self,
        track: TrackId,
        kinds: &[EventKind],
        times: &[u64],
        names: &[u32],
        locators: impl ExactSizeIterator<Item = Locator>,
    ) {
        debug_assert!([times.len(), names.len(), locators.len()] == [kinds.len(); 3], "columns of one length");
        self.kinds.extend_from_slice(kinds);
        self.tracks.resize(self.kinds.len(), track);
        self.times.extend_from_slice(times);
        self.names.extend_from_slice(names);
        self.locators.extend(locators);
    }

    /// Adds complete slices of one track, column by column. All columns must have the same length.
    #[inline]
    pub fn extend_whole(
        &mut self,
        track: TrackId,
        starts: &[u64],
        ends: &[u64],
        names: &[u32],
        locators: impl ExactSizeIterator<Item = Locator>,
    ) {
        debug_assert!([ends.len(), names.len(), locators.len()] == [starts.len(); 3], "columns of one length");
        self.kinds.resize(self.kinds.len() + starts.len(), EventKind::Whole);
        self.tracks.resize(self.kinds.len(), track);
        self.times.extend_from_slice(starts);
        self.names.extend_from_slice(names);
        self.locators.extend(locators);
        self.ends.extend_from_slice(ends);
    }

    /// Adds a sample of a counter. `bits` is a value of the track's [`ValueKind`].
    #[inline]
    pub fn push_sample(&mut self, track: TrackId, time: u64, bits: u64) {
        self.push(EventKind::Sample, track, time, 0, Locator::from_bits(bits));
    }

    /// Adds a complete slice. `end` must be at least `start`.
    #[inline]
    pub fn push_whole(&mut self, track: TrackId, start: u64, end: u64, name: u32, locator: Locator) {
        self.push(EventKind::Whole, track, start, name, locator);
        self.ends.push(end);
    }

    /// Begins a slice that was open when the recording began. With `below`, it lies below
    /// everything on the track.
    pub fn push_begun_before(&mut self, track: TrackId, time: u64, name: u32, locator: Locator, below: bool) {
        self.push(if below { EventKind::Uncover } else { EventKind::Begin }, track, time, name, locator);
        self.push_flags(flags::BEGAN_BEFORE, track, name, locator);
    }

    /// Adds `flags` to the open slice that began with this name and locator. Does nothing if
    /// `flags` is 0.
    #[inline]
    pub fn push_flags(&mut self, flags: u8, track: TrackId, name: u32, began: Locator) {
        if flags != 0 {
            self.push(EventKind::Flag, track, flags.into(), name, began);
        }
    }

    /// Ends the slice that began with this name and locator, and adds `flags` to it.
    #[inline]
    pub fn push_end_of(&mut self, track: TrackId, time: u64, name: u32, began: Locator, flags: u8) {
        self.push_flags(flags, track, name, began);
        self.push(EventKind::EndOf, track, time, name, began);
    }

    /// Removes everything and keeps the memory.
    pub fn clear(&mut self) {
        self.kinds.clear();
        self.tracks.clear();
        self.times.clear();
        self.names.clear();
        self.locators.clear();
        self.ends.clear();
        self.payloads.clear();
        self.new_tracks.clear();
        self.new_names.clear();
        self.problems.clear();
        self.records = 0;
        self.paused = false;
    }
}
