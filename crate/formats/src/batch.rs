//! Events as columns, on their way from a decoder to the store.

use alloc::string::String;
use alloc::vec::Vec;

use crate::locator::Locator;
use crate::problem::Problem;

/// Number of a track: 0, 1, 2 … in the order of definition.
pub type TrackId = u32;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EventKind {
    /// A slice begins; `name` is its name.
    Begin,
    /// A slice that is known whole: it begins at its time and ends at the next of [`EventBatch::ends`].
    Whole,
    /// The innermost open slice with this `name` ends; those above it end with it. Without one it is the end of a slice
    /// whose beginning was not recorded. For records that say which function was left, and not which call of it.
    End,
    /// The open slice that began with this `name` and this locator ends; those above it end with it. Ignored if there is
    /// no such slice.
    EndOf,
    /// The open slice that began with this `name` and this locator gets flags: `time` holds the bits of [`flags`].
    Flag,
    /// A slice that has been open since the track began comes to light: it lies below everything on the track so far, and
    /// is flagged [`flags::BEGAN_BEFORE`]. Only while no slice is open; otherwise it is a [`EventKind::Begin`].
    Uncover,
    /// A point in time.
    Instant,
    /// From here on open slices of the track may have lost their ends: an end without a beginning reaches back no further
    /// than the track's previous event. `name` is unused.
    StackLost,
    /// From here on parts of the track are passed over, because they do not come in order; `Restart` follows at the end.
    Disordered,
    /// The track is about to be delivered anew from its beginning; `time` is where it begins.
    Restart,
    /// A counter has a value from here on: the bits of `locators` are its bits, see [`ValueKind`]. `name` is unused. The
    /// times of a counter ascend, but a sample may come late: what is counted over a frame is known when the frame ends.
    Sample,
}

/// What is special about a slice, as bits.
pub mod flags {
    /// The slice began before the recording.
    pub const BEGAN_BEFORE: u8 = 1;
    /// The slice never ended; it is shown up to the end of the trace.
    pub const NEVER_ENDED: u8 = 2;
    /// The end of the slice is not in the trace; it is inferred from what came after.
    pub const END_INFERRED: u8 = 4;
    /// That there is such a slice, or where it lies, is a guess.
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

/// What kind of slice goes by a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SliceKind {
    /// A call of a function, or whatever the track's slices are.
    #[default]
    Call,
    /// A handler of an interrupt or exception that the trace tells.
    Interrupt,
    /// A handler of a signal, or of whatever else diverted execution without a trace.
    Signal,
    /// The kernel at work on a system call.
    SystemCall,
    /// Calls that belong together.
    Group,
}

impl SliceKind {
    /// A stable word: `call`, `interrupt`, `signal`, `system-call` or `group`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Interrupt => "interrupt",
            Self::Signal => "signal",
            Self::SystemCall => "system-call",
            Self::Group => "group",
        }
    }
}

/// What the file has in place of a name's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Key {
    /// Nothing: the text is all there is.
    #[default]
    None,
    /// The number of a function, as XRay has it.
    Id(i64),
    /// The address where the function begins.
    Address(u64),
}

/// The definition of a name: the text for people, and what the file has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// What people read.
    pub text: String,
    /// What goes by it.
    pub kind: SliceKind,
    /// What the file has. Two names with one text are two functions where their keys differ.
    pub key: Key,
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Self { text, kind: SliceKind::Call, key: Key::None }
    }
}

/// What a track holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackKind {
    /// Holds the threads of a process.
    Process,
    /// Nested slices and instants of a thread.
    Thread,
    /// Slices of something else than a thread.
    Lane,
    /// A value over time.
    Counter,
}

/// How far an end without a beginning reaches back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orphans {
    /// To where the track begins: what is missing is what lies before the recording.
    FromStart,
    /// To the track's previous event: the recording drops calls in the middle, too.
    FromPrevious,
}

/// What the 64 bits of a counter's samples are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueKind {
    /// A `u64`.
    #[default]
    Unsigned,
    /// An `i64`.
    Signed,
    /// An `f64`.
    Float,
}

/// How slices of a track lie on one another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stacking {
    /// As calls do: one ends before the one that it lies on.
    #[default]
    Nested,
    /// Each begins and ends for itself, as lifetimes do, and takes the lowest depth that is free. An end closes the open
    /// slice with its name and no other; of one name one slice is open at a time.
    Overlapping,
}

/// The definition of a track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackDef {
    /// The track that it belongs to, defined before it.
    pub parent: Option<TrackId>,
    /// What it holds.
    pub kind: TrackKind,
    /// The number of the thread or process, where the trace has one.
    pub id: Option<i64>,
    /// How people call it.
    pub name: String,
    /// One line of identity below the name; may be empty.
    pub detail: String,
    /// How far ends without beginnings reach back.
    pub orphans: Orphans,
    /// Where the track begins, if that is before its first event.
    pub start: Option<u64>,
    /// What the samples of a counter are.
    pub values: ValueKind,
    /// How slices lie on one another.
    pub stacking: Stacking,
    /// What one of its slices is, in a word or two, where that is not what the trace says of itself or the track's name.
    pub noun: Option<&'static str>,
}

impl TrackDef {
    /// A track that belongs to no other and says no more of itself.
    pub fn new(kind: TrackKind, name: impl Into<String>) -> Self {
        Self {
            parent: None,
            kind,
            id: None,
            name: name.into(),
            detail: String::new(),
            orphans: Orphans::FromStart,
            start: None,
            values: ValueKind::Unsigned,
            stacking: Stacking::Nested,
            noun: None,
        }
    }
}

/// Events as columns, reused from portion to portion. Definitions and problems stand beside them; a name or a track is
/// defined in the batch of its first use or before.
#[derive(Debug, Default)]
pub struct EventBatch {
    /// What happened.
    pub kinds: Vec<EventKind>,
    /// On which track.
    pub tracks: Vec<TrackId>,
    /// When: absolute, in ticks or as an ordinal.
    pub times: Vec<u64>,
    /// Name, by the order of definition.
    pub names: Vec<u32>,
    /// Where the record is found again.
    pub locators: Vec<Locator>,
    /// Where the slices of [`EventKind::Whole`] end, in the order of those events: absolute, not before their beginnings.
    pub ends: Vec<u64>,
    /// Tracks defined since the batch was cleared.
    pub new_tracks: Vec<TrackDef>,
    /// Names defined since the batch was cleared.
    pub new_names: Vec<Name>,
    /// What was wrong since the batch was cleared.
    pub problems: Vec<Problem>,
    /// Records decoded since the batch was cleared, for counting; those delivered anew are not counted again.
    pub records: u64,
    capacity: usize,
    paused: bool,
}

impl EventBatch {
    /// A batch that is full at `capacity` events.
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

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// No events; there may be definitions and problems all the same.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// A decoder stops here and goes on with an empty batch. It may add a handful of events beyond, never many.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.kinds.len() >= self.capacity || self.problems.len() >= self.capacity.max(1) || self.paused
    }

    /// Makes the batch count as full until it is cleared: the decoder has done enough for one call, even though little or
    /// nothing has come of it. So the caller can stop what a few bytes have set going, a decompression bomb for one.
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

    /// Adds a sample of a counter: `bits` as its track's [`ValueKind`] says.
    #[inline]
    pub fn push_sample(&mut self, track: TrackId, time: u64, bits: u64) {
        self.push(EventKind::Sample, track, time, 0, Locator::from_bits(bits));
    }

    /// Adds a slice that is known whole.
    #[inline]
    pub fn push_whole(&mut self, track: TrackId, start: u64, end: u64, name: u32, locator: Locator) {
        self.push(EventKind::Whole, track, start, name, locator);
        self.ends.push(end);
    }

    /// Adds the beginning of a slice that was there when the recording began; `below` all that is on the track.
    pub fn push_begun_before(&mut self, track: TrackId, time: u64, name: u32, locator: Locator, below: bool) {
        self.push(if below { EventKind::Uncover } else { EventKind::Begin }, track, time, name, locator);
        self.push_flags(flags::BEGAN_BEFORE, track, name, locator);
    }

    /// Adds flags, if any, of the open slice that began with this name and locator.
    #[inline]
    pub fn push_flags(&mut self, flags: u8, track: TrackId, name: u32, began: Locator) {
        if flags != 0 {
            self.push(EventKind::Flag, track, flags.into(), name, began);
        }
    }

    /// Adds the end of the slice that began with this name and locator, and flags for it.
    #[inline]
    pub fn push_end_of(&mut self, track: TrackId, time: u64, name: u32, began: Locator, flags: u8) {
        self.push_flags(flags, track, name, began);
        self.push(EventKind::EndOf, track, time, name, began);
    }

    /// Empties everything and keeps the memory.
    pub fn clear(&mut self) {
        self.kinds.clear();
        self.tracks.clear();
        self.times.clear();
        self.names.clear();
        self.locators.clear();
        self.ends.clear();
        self.new_tracks.clear();
        self.new_names.clear();
        self.problems.clear();
        self.records = 0;
        self.paused = false;
    }
}
