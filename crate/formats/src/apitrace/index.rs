//! What a reader needs to begin anywhere in a trace, and the reader.
//!
//! A trace has one lane: the row of a call is its number. Pieces begin at ENTER events and are
//! found by offsets in the stream.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range as Numbers;

use hashbrown::HashSet;
use serde::{Deserialize, Serialize};
use unspool_containers::Container;
use unspool_trace::batch::TrackId;
use unspool_trace::bytes::to_bytes;
use unspool_trace::decoder::Range;
use unspool_trace::details::RecordDetails;
use unspool_trace::error::Result;
use unspool_trace::locator::Locator;
use unspool_trace::records::{Lane, Pass, Records};

use crate::pieces::{Pieces, from_index};

use super::call::Calls;
use super::calls::FrameFacts;
use super::events::ApitraceDecoder;
use super::functions::NameFlags;
use super::lists::{ListFacts, Rendered};
use super::pass::CallPass;
use super::random_access::RandomAccess;
use super::tables::{Strings, Tables};
use super::wire::{Header, StreamOffset};

/// What is handed over.
#[derive(Serialize, Deserialize)]
pub(super) struct Index<'a> {
    pub(super) container: Container,
    pub(super) header: Cow<'a, Header>,
    pub(super) tables: Cow<'a, Tables>,
    pub(super) access: Cow<'a, RandomAccess>,
    /// By offsets in the stream.
    pub(super) pieces: Cow<'a, Pieces>,
    /// Frames that have ended, and the current one.
    pub(super) frames: Cow<'a, [FrameFacts]>,
    pub(super) last_frame: FrameFacts,
    /// Number of frames that ended with the return of a call.
    returned: u64,
    /// Calls whose LEAVE event does not immediately follow: offsets of ENTER and LEAVE in the
    /// stream, by LEAVE. The reader sorts them by ENTER.
    far: Cow<'a, [(StreamOffset, StreamOffset)]>,
    /// Calls that did not return, by number.
    open: Vec<OpenCall>,
    /// Calls that do not do what their functions say. The reader sorts them.
    lists: ListFacts,
    /// Numbers of the threads and their tracks. The reader sorts them by number.
    threads: Vec<(u64, TrackId)>,
    /// Limit for payloads in bytes.
    pub(super) payload: u64,
    /// Limit for a chunk in bytes.
    pub(super) chunk: u64,
    /// Offset in the stream of the first byte that was not decoded: the end, or damage.
    pub(super) end: StreamOffset,
    /// Absolute offset in the file of the end of what was decompressed, or [`u64::MAX`] if that is
    /// unknown.
    pub(super) file_end: u64,
}

/// A call that did not return.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct OpenCall {
    /// Offset in the stream of its ENTER event.
    at: StreamOffset,
    call: u64,
    ends_frame: bool,
}

impl ApitraceDecoder {
    /// The index, with all signatures or [`Tables::of_numbers`].
    pub(super) fn index_bytes(&self, tables: Cow<'_, Tables>) -> Vec<u8> {
        let (stream, calls, limits) = (&self.stream, &self.calls, &self.options.limits);
        let function = |index| stream.tables.functions.get(index);
        let open = calls.pending.iter().map(|(call, open)| {
            let ends_frame = function(open.function).is_some_and(|f| f.flags.frame_end);
            OpenCall { at: open.at, call, ends_frame }
        });
        let access =
            stream.access.as_ref().map_or_else(|| Cow::Owned(RandomAccess::new(self.container, limits)), Cow::Borrowed);
        to_bytes(&Index {
            container: self.container,
            header: Cow::Borrowed(self.header()),
            tables,
            access,
            pieces: Cow::Borrowed(&calls.pieces),
            frames: Cow::Borrowed(&calls.frames),
            last_frame: calls.last_frame(),
            returned: calls.returned,
            far: Cow::Borrowed(&calls.far),
            open: open.collect(),
            lists: calls.lists.all_facts(calls.last_frame().to),
            threads: calls.tracks(),
            payload: limits.payload as u64,
            chunk: limits.chunk,
            end: stream.end_of_walk(),
            file_end: stream.end_in_file(),
        })
    }
}

/// The reader of a trace.
pub struct ApitraceRecords {
    pub(super) index: Index<'static>,
    lanes: [Lane; 1],
    /// The keys of the arguments of each function, by the index of its signature.
    keys: Vec<Strings>,
    /// Numbers of the calls that did not return and would have ended a frame, ascending.
    open_swaps: Vec<u64>,
}

/// Opens the reader.
///
/// # Errors
///
/// These bytes are not an index.
pub fn open_records(index: &[u8]) -> Result<Box<dyn Records>> {
    ApitraceRecords::open(index).map(|records| Box::new(records) as Box<dyn Records>)
}

/// The keys of arguments with these names. An argument without a name has its number as key, and so
/// does a second one of the same name, which would hide the first.
fn keys(names: &Strings) -> Strings {
    let mut keys = Strings::default();
    let mut seen = HashSet::new();
    for i in 0..names.len() {
        match names.get(i).filter(|name| !name.is_empty() && seen.insert(*name)) {
            Some(name) => keys.push(name),
            None => keys.push(&format!("argument {i}")),
        }
    }
    keys
}

impl ApitraceRecords {
    /// Opens the reader.
    ///
    /// # Errors
    ///
    /// These bytes are not an index.
    pub fn open(index: &[u8]) -> Result<Self> {
        let mut index: Index<'static> = from_index(index)?;
        index.far.to_mut().sort_unstable();
        index.threads.sort_unstable();
        index.lists.sort();
        let lanes = [index.pieces.lane()];
        let keys = index.tables.functions.iter().map(|function| keys(&function.args)).collect();
        let open_swaps = index.open.iter().filter(|open| open.ends_frame).map(|open| open.call).collect();
        Ok(Self { index, lanes, keys, open_swaps })
    }

    /// Opens the reader, with another limit for the blobs of a call than that of the page:
    /// `payload` bytes of each.
    ///
    /// # Errors
    ///
    /// These bytes are not an index.
    pub fn keeping(index: &[u8], payload: u64) -> Result<Self> {
        let mut records = Self::open(index)?;
        records.index.payload = payload;
        Ok(records)
    }

    /// A pass over the calls of the pieces with these numbers, as far as they exist. Calls are
    /// passed on in the order in which they returned; those that did not return come last.
    pub fn calls(&self, pieces: Numbers<u32>) -> Box<dyn Pass<Calls> + '_> {
        Box::new(CallPass::new(self, pieces))
    }

    /// The LEAVE event of the call whose ENTER event is at `at`, unless it immediately follows
    /// that.
    pub(super) fn far_leave(&self, at: StreamOffset) -> Option<StreamOffset> {
        let far = &self.index.far;
        let i = far.binary_search_by_key(&at, |(enter, _)| *enter).ok()?;
        far.get(i).map(|(_, leave)| *leave)
    }

    /// The number of the call whose ENTER event is at `at`, if that did not return.
    pub(super) fn open_at(&self, at: StreamOffset) -> Option<u64> {
        let open = &self.index.open;
        let i = open.binary_search_by_key(&at, |open| open.at).ok()?;
        open.get(i).map(|open| open.call)
    }

    /// The number of the frame of a call whose LEAVE event is at `leave`.
    pub(super) fn frame_of(&self, leave: StreamOffset) -> usize {
        self.index.frames.partition_point(|frame| frame.end <= leave)
    }

    /// The number of the frame of a call that did not return. Such calls come after all others, and
    /// a swap among them ends a frame.
    pub(super) fn frame_of_open(&self, call: u64) -> u64 {
        self.index.returned + self.open_swaps.partition_point(|swap| *swap < call) as u64
    }

    /// What a call of a thread did to framebuffers. `flags` are those of its function.
    pub(super) fn rendered(&self, flags: NameFlags, thread: u64, call: u64) -> Rendered {
        self.index.lists.of(flags, thread, call)
    }

    /// The track of a thread.
    pub(super) fn track(&self, thread: u64) -> TrackId {
        let threads = &self.index.threads;
        let i = threads.binary_search_by_key(&thread, |(number, _)| *number).ok();
        i.and_then(|i| threads.get(i)).map_or(0, |(_, track)| *track)
    }

    /// The keys of a function's arguments.
    pub(super) fn keys(&self, function: u32) -> Option<&Strings> {
        self.keys.get(function as usize)
    }
}

impl Records for ApitraceRecords {
    fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    fn pass(&self, pieces: Numbers<u32>) -> Box<dyn Pass + '_> {
        Box::new(CallPass::new(self, pieces))
    }

    fn needs_decompressor(&self) -> bool {
        // A stream that was kept as a whole is not decompressed again.
        self.index.container.is_provided()
            && matches!(&*self.index.access, RandomAccess::Kept(spool) if spool.is_full())
    }

    fn details_range(&self, locator: Locator) -> Option<Range> {
        self.range_of(locator)
    }

    fn details_next(&self, locator: Locator, bytes: &[u8]) -> Option<Range> {
        self.next_range_of(locator, bytes)
    }

    fn details(&self, locator: Locator, bytes: &[u8]) -> Result<RecordDetails> {
        self.details_of(locator, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_argument_has_a_key_of_its_own() {
        let mut names = Strings::default();
        for name in ["x", "", "x", "y"] {
            names.push(name);
        }
        let keys = keys(&names);
        assert_eq!((0..4).map(|i| keys.get(i).unwrap()).collect::<Vec<_>>(), ["x", "argument 1", "argument 2", "y"]);
    }
}
