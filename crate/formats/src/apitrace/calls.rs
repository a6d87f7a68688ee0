//! Threads, calls, groups and frames: turns ENTER and LEAVE into events of a batch.
//!
//! ```text
//! call      0      1      2      3      4      5
//! thread 0  glClear       glPushDebugGroup ("sky")   ...
//! group                   sky begins, and ends with the glPopDebugGroup of the same thread
//! frames    frame 0 .... ends with the LEAVE of a swap; frame 1 begins with the next call
//! ```

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use unspool_trace::batch::{EventBatch, EventKind, Orphans, Payload, SliceKind, TrackDef, TrackId, TrackKind};
use unspool_trace::error::{Error, Result};
use unspool_trace::kept;
use unspool_trace::limits::{Limits, SHOWN};
use unspool_trace::locator::Locator;
use unspool_trace::problem::{MANY_THREADS, ProblemKind, TOO_DEEP};

use crate::names::Texts;
use crate::pieces::Pieces;

use super::Located;
use super::functions::{Marker, Uploads};
use super::lists::{DisplayLists, ListArgs, Rendered};
use super::pending::Pending;
use super::problems::{LEAVE_WITHOUT_ENTER, POP_WITHOUT_PUSH};
use super::records::Enter;
use super::tables::{Function, Tables};
use super::wire::StreamOffset;

const NONE: u32 = u32::MAX;
/// Threads with numbers below this are looked up in an array.
const SMALL: u64 = 1 << 10;

const FRAMES: TrackId = 0;
const DRAWS: TrackId = 1;
const UPLOADED: TrackId = 2;
const FIRST_THREAD: TrackId = 3;

/// A call that has begun and not ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenCall {
    /// Offsets in the stream of its ENTER event and of the end of that event.
    pub(crate) at: StreamOffset,
    end: StreamOffset,
    thread: u32,
    pub(crate) function: u32,
    /// Bytes in blobs of its ENTER event.
    blobs: u64,
    rendered: Rendered,
}

/// What the values of a call say about it.
#[derive(Debug, Default)]
pub(crate) struct Said<'a> {
    /// The label of a marker.
    pub(crate) label: Option<String>,
    /// Which display lists it is about.
    pub(crate) list: Option<&'a ListArgs>,
}

/// A frame and its counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FrameFacts {
    /// Beginning and end on the x axis, as numbers of calls.
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) calls: u64,
    pub(crate) draws: u64,
    pub(crate) uploaded: u64,
    /// Offset in the stream of the end of the LEAVE event that ends the frame.
    pub(crate) end: StreamOffset,
}

/// What is wrong with the nesting of calls or groups, or with the number of threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Misnested {
    /// Offset of the event.
    pub(crate) at: StreamOffset,
    pub(crate) kind: &'static ProblemKind,
    /// The value of the problem.
    pub(crate) value: u64,
}

struct Thread {
    track: TrackId,
    /// Open groups, outermost first.
    groups: Vec<Group>,
    /// Number of calls shown that are open.
    open: usize,
    /// Whether [`TOO_DEEP`] was reported.
    is_too_deep: bool,
}

/// An open debug group.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// The call that pushed it, and the offset in the stream of that call's ENTER event.
    call: u64,
    at: StreamOffset,
    name: u32,
}

/// The state of all calls so far.
pub(crate) struct Calls {
    limits: Limits,
    texts: Texts,
    /// Number of the name of each function, by the index of its signature.
    functions: Vec<u32>,
    /// Indexes into `threads` by the number of the thread.
    thread_of: Vec<u32>,
    threads_beyond: HashMap<u64, u32>,
    threads: Vec<Thread>,
    /// Bytes of memory of the open groups of all threads.
    group_bytes: u64,
    pub(crate) pending: Pending<OpenCall>,
    pub(crate) lists: DisplayLists,
    /// Calls begun so far: the current position on the x axis.
    now: u64,
    /// Frames that have ended.
    pub(crate) frames: Vec<FrameFacts>,
    /// Number of frames that a call ended by its return. A swap that never returned may end one
    /// more.
    pub(crate) returned: u64,
    /// The current frame, and its name; `None` between a swap and the next event.
    frame: FrameFacts,
    frame_name: Option<u32>,
    /// Calls whose LEAVE event does not immediately follow: offsets of ENTER and LEAVE in the
    /// stream.
    pub(crate) far: Vec<(StreamOffset, StreamOffset)>,
    /// The pieces of the trace that can be read on their own, by offsets in the stream.
    pub(crate) pieces: Pieces,
    /// Wrong nesting since the decoder last took it.
    pub(crate) misnested: Vec<Misnested>,
    /// Number of the first call that was too deep to be shown, and the number of such calls that
    /// are open. They are not in `pending`: a file of a megabyte can hold a hundred million.
    hidden_from: Option<u64>,
    hidden: u64,
    error: Option<Error>,
}

impl Calls {
    /// Bytes of memory of names, threads, frames, and calls that are open or told apart.
    pub(crate) fn kept_bytes(&self) -> u64 {
        let threads = kept::list(&self.threads)
            + kept::list(&self.thread_of)
            + kept::table::<(u64, u32)>(self.threads_beyond.capacity());
        let calls = kept::list(&self.frames) + kept::list(&self.far) + self.lists.bytes();
        let open = self.pending.bytes() + self.group_bytes;
        self.texts.bytes() + kept::list(&self.functions) + threads + calls + open + self.pieces.bytes()
    }

    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            texts: Texts::default(),
            functions: Vec::new(),
            thread_of: Vec::new(),
            threads_beyond: HashMap::new(),
            threads: Vec::new(),
            group_bytes: 0,
            pending: Pending::default(),
            lists: DisplayLists::default(),
            now: 0,
            frames: Vec::new(),
            returned: 0,
            frame: FrameFacts::default(),
            frame_name: None,
            far: Vec::new(),
            pieces: Pieces::default(),
            misnested: Vec::new(),
            hidden_from: None,
            hidden: 0,
            error: None,
        }
    }

    /// The first error about an exceeded limit.
    pub(crate) fn error(&self) -> Option<Error> {
        self.error
    }

    /// The numbers of all threads and their tracks, in the order of the tracks.
    pub(crate) fn tracks(&self) -> Vec<(u64, TrackId)> {
        let mut tracks = Vec::new();
        tracks.resize(self.threads.len(), (0, FIRST_THREAD));
        let small = (0..).zip(&self.thread_of).filter(|(_, index)| **index != NONE);
        for (number, index) in small.chain(self.threads_beyond.iter().map(|(number, index)| (*number, index))) {
            if let (Some(slot), Some(thread)) = (tracks.get_mut(*index as usize), self.threads.get(*index as usize)) {
                *slot = (number, thread.track);
            }
        }
        tracks
    }

    /// The current frame so far, which is not in [`Calls::frames`].
    pub(crate) fn last_frame(&self) -> FrameFacts {
        FrameFacts { to: self.now, ..self.frame }
    }

    /// A call begins. `end` is the offset in the stream of the end of its event, `blobs` the number
    /// of bytes in blobs.
    #[inline]
    pub(crate) fn enter(
        &mut self,
        tables: &Tables,
        enter: Enter,
        end: StreamOffset,
        blobs: u64,
        said: &Said<'_>,
        out: &mut EventBatch,
    ) {
        let Some(function) = tables.functions.get(enter.function) else { return };
        let result = self.try_enter(function, enter, end, blobs, said, out);
        self.note(result);
    }

    /// A call begins, and ends without details: as [`Calls::enter`] up to the first of `ends`, and
    /// [`Calls::leave`] up to the second. Most calls do, and need no entry among those that are
    /// pending.
    #[inline]
    pub(crate) fn call(
        &mut self,
        tables: &Tables,
        enter: Enter,
        ends: (StreamOffset, StreamOffset),
        blobs: u64,
        out: &mut EventBatch,
    ) {
        if let Some(function) = tables.functions.get(enter.function)
            && let Some(name) = self.functions.get(enter.function as usize).copied().filter(|name| *name != NONE)
            && let Some(thread) = self.known_thread(enter.thread).and_then(|i| self.threads.get(i as usize))
            && thread.open + thread.groups.len() < SHOWN
            && self.frame_name.is_some()
            && !function.flags.needs_values()
            && !function.flags.frame_end
        {
            let track = thread.track;
            self.now = enter.call + 1;
            push(out, EventKind::Begin, track, enter.call, name, locator(enter.at));
            push(out, EventKind::EndOf, track, self.now, name, locator(enter.at));
            self.count_record(enter, out);
            if blobs > 0 {
                out.payloads.push(Payload { x: enter.call, track, name, bytes: blobs });
            }
            let rendered = self.lists.enter(function.flags, None, enter.thread, enter.call);
            self.count(function, rendered, blobs);
            return;
        }
        self.enter(tables, enter, ends.0, blobs, &Said::default(), out);
        self.leave(tables, ends.0, enter.call, ends.1, 0, out);
    }

    fn try_enter(
        &mut self,
        function: &Function,
        enter: Enter,
        end: StreamOffset,
        blobs: u64,
        said: &Said<'_>,
        out: &mut EventBatch,
    ) -> Result<()> {
        self.now = enter.call + 1;
        let label = said.label.as_deref();
        let rendered = self.lists.enter(function.flags, said.list, enter.thread, enter.call);
        if self.frame_name.is_none() {
            self.begin_frame(enter.call, enter.at, out)?;
        }
        let thread = self.thread(enter, function, out)?;
        let name = self.function_name(enter.function, function, enter.at, out)?;
        let Some(state) = self.threads.get_mut(thread as usize) else { return Ok(()) };
        if state.open + state.groups.len() >= SHOWN {
            if !core::mem::replace(&mut state.is_too_deep, true) {
                self.misnested.push(Misnested { at: enter.at, kind: &TOO_DEEP, value: SHOWN as u64 });
            }
            self.hidden_from.get_or_insert(enter.call);
            self.hidden += 1;
            self.count_record(enter, out);
            return Ok(());
        }
        state.open += 1;
        let track = state.track;
        if function.flags.marker == Some(Marker::Push) {
            let text = label.unwrap_or(&function.name);
            let group = self.texts.number_of(SliceKind::Group, text, enter.at.0, self.limits.names, out)?;
            self.group_bytes += kept::push(&mut state.groups, Group { call: enter.call, at: enter.at, name: group });
            push(out, EventKind::Begin, track, enter.call, group, locator(enter.at));
        }
        push(out, EventKind::Begin, track, enter.call, name, locator(enter.at));
        if function.flags.marker == Some(Marker::Plain) {
            let text = label.unwrap_or(&function.name);
            let marker = self.texts.number_of(SliceKind::Marker, text, enter.at.0, self.limits.names, out)?;
            push(out, EventKind::Instant, track, enter.call, marker, locator(enter.at));
        }
        self.count_record(enter, out);
        let function = enter.function;
        self.pending.push(enter.call, OpenCall { at: enter.at, end, thread, function, blobs, rendered });
        Ok(())
    }

    /// Calls are numbered as they are counted, so the row of a call is its number.
    #[inline(always)]
    fn count_record(&mut self, enter: Enter, out: &mut EventBatch) {
        self.pieces.add(enter.at.0, enter.call);
        out.records += 1;
    }

    /// A call ends with the event that extends from `at` to `end` in the stream and has `blobs`
    /// bytes in blobs.
    #[inline(never)]
    pub(crate) fn leave(
        &mut self,
        tables: &Tables,
        at: StreamOffset,
        call: u64,
        end: StreamOffset,
        blobs: u64,
        out: &mut EventBatch,
    ) {
        let Some(open) = self.pending.take(call) else {
            if self.hidden > 0 && self.hidden_from.is_some_and(|first| first <= call) {
                self.hidden -= 1;
                return;
            }
            self.misnested.push(Misnested { at, kind: &LEAVE_WITHOUT_ENTER, value: call });
            return;
        };
        let Some(function) = tables.functions.get(open.function) else { return };
        if self.frame_name.is_none() {
            let result = self.begin_frame(self.now, at, out);
            self.note(result);
        }
        let name = self.functions.get(open.function as usize).copied().unwrap_or(0);
        let Some(thread) = self.threads.get_mut(open.thread as usize) else { return };
        thread.open -= 1;
        while thread.groups.last().is_some_and(|group| group.call > call) {
            // Pushed within this call and not popped: the end of the call closes it.
            thread.groups.pop();
        }
        push(out, EventKind::EndOf, thread.track, self.now, name, locator(open.at));
        if function.flags.marker == Some(Marker::Pop) {
            match thread.groups.pop() {
                Some(group) => push(out, EventKind::EndOf, thread.track, self.now, group.name, locator(group.at)),
                None => self.misnested.push(Misnested { at, kind: &POP_WITHOUT_PUSH, value: call }),
            }
        }
        if at != open.end {
            self.far.push((open.at, at));
        }
        let bytes = open.blobs.saturating_add(blobs);
        if bytes > 0 {
            out.payloads.push(Payload { x: call, track: thread.track, name, bytes });
        }
        self.count(function, open.rendered, bytes);
        if function.flags.frame_end {
            self.end_frame(end, out);
            self.returned = self.frames.len() as u64;
        }
    }

    /// The stream ends at `end`: counts the calls that are still open, and ends the last frame if a
    /// swap is among them.
    pub(crate) fn finish(&mut self, tables: &Tables, end: StreamOffset, out: &mut EventBatch) {
        let open: Vec<(u64, OpenCall)> = self.pending.iter().map(|(call, open)| (call, *open)).collect();
        for (call, open) in open {
            let Some(function) = tables.functions.get(open.function) else { continue };
            self.count(function, open.rendered, open.blobs);
            if open.blobs > 0 {
                let track = self.threads.get(open.thread as usize).map_or(0, |thread| thread.track);
                let name = self.functions.get(open.function as usize).copied().unwrap_or(0);
                out.payloads.push(Payload { x: call, track, name, bytes: open.blobs });
            }
            // As in apitrace, a swap that never returned still ends its frame.
            if function.flags.frame_end && self.frame_name.is_some() {
                self.end_frame(end, out);
            }
        }
        if self.frame_name.is_some() {
            self.sample(out);
        }
    }

    fn count(&mut self, function: &Function, rendered: Rendered, blobs: u64) {
        self.frame.calls += 1;
        self.frame.draws = self.frame.draws.saturating_add(rendered.draws());
        if function.flags.uploads != Uploads::Nothing {
            self.frame.uploaded = self.frame.uploaded.saturating_add(blobs);
        }
    }

    fn note(&mut self, result: Result<()>) {
        if let Err(error) = result {
            self.error.get_or_insert(error);
        }
    }

    #[cold]
    fn begin_frame(&mut self, from: u64, at: StreamOffset, out: &mut EventBatch) -> Result<()> {
        if self.frames.is_empty() {
            let define = |kind, name: &str, detail: &str, out: &mut EventBatch| {
                out.new_tracks.push(TrackDef {
                    detail: detail.into(),
                    orphans: Orphans::FromPrevious,
                    has_frames: kind == TrackKind::Lane,
                    ..TrackDef::new(kind, name)
                });
            };
            define(TrackKind::Lane, "frames", "over all threads, by the end of calls", out);
            define(TrackKind::Counter, "draw calls per frame", "", out);
            define(TrackKind::Counter, "uploaded per frame", "", out);
        }
        let number = self.frames.len();
        let name = self.texts.once(format!("frame {number}"), at.0, self.limits.names, out)?;
        self.frame = FrameFacts { from, ..FrameFacts::default() };
        self.frame_name = Some(name);
        push(out, EventKind::Begin, FRAMES, from, name, Located::Frame(number as u64).into());
        Ok(())
    }

    #[cold]
    fn end_frame(&mut self, end: StreamOffset, out: &mut EventBatch) {
        let Some(name) = self.frame_name.take() else { return };
        let number = self.frames.len();
        push(out, EventKind::EndOf, FRAMES, self.now, name, Located::Frame(number as u64).into());
        self.sample(out);
        self.frames.push(FrameFacts { to: self.now, end, ..self.frame });
        self.frame = FrameFacts { from: self.now, ..FrameFacts::default() };
    }

    fn sample(&mut self, out: &mut EventBatch) {
        out.push_sample(DRAWS, self.frame.from, self.frame.draws);
        out.push_sample(UPLOADED, self.frame.from, self.frame.uploaded);
    }

    #[inline]
    fn thread(&mut self, enter: Enter, function: &Function, out: &mut EventBatch) -> Result<u32> {
        match self.known_thread(enter.thread) {
            Some(known) => Ok(known),
            None => self.new_thread(enter, function, out),
        }
    }

    /// The index of the thread with this number.
    #[inline]
    fn known_thread(&self, number: u64) -> Option<u32> {
        let known = if number < SMALL {
            self.thread_of.get(number as usize).copied().unwrap_or(NONE)
        } else {
            self.threads_beyond.get(&number).copied().unwrap_or(NONE)
        };
        (known != NONE).then_some(known)
    }

    #[cold]
    fn new_thread(&mut self, enter: Enter, function: &Function, out: &mut EventBatch) -> Result<u32> {
        self.limits.check_threads(self.threads.len() + 1, enter.at.0)?;
        let index = self.threads.len() as u32;
        let track = FIRST_THREAD + index.min(self.limits.tracks);
        self.threads.push(Thread { track, groups: Vec::new(), open: 0, is_too_deep: false });
        if enter.thread < SMALL {
            let i = enter.thread as usize;
            if self.thread_of.len() <= i {
                self.thread_of.resize(i + 1, NONE);
            }
            if let Some(slot) = self.thread_of.get_mut(i) {
                *slot = index;
            }
        } else {
            self.threads_beyond.insert(enter.thread, index);
        }
        if index >= self.limits.tracks {
            let value = u64::from(self.limits.tracks);
            self.misnested.push(Misnested { at: enter.at, kind: &MANY_THREADS, value });
            if index == self.limits.tracks {
                out.new_tracks.push(TrackDef::other_threads(""));
            }
            return Ok(index);
        }
        out.new_tracks.push(TrackDef {
            // apitrace numbers threads itself and records neither name nor id.
            detail: format!("first call {}, {}", enter.call, function.name),
            id: i64::try_from(enter.thread).ok(),
            orphans: Orphans::FromPrevious,
            ..TrackDef::new(TrackKind::Thread, format!("thread {}", enter.thread))
        });
        Ok(index)
    }

    #[inline]
    fn function_name(
        &mut self,
        index: u32,
        function: &Function,
        at: StreamOffset,
        out: &mut EventBatch,
    ) -> Result<u32> {
        match self.functions.get(index as usize) {
            Some(name) if *name != NONE => Ok(*name),
            _ => self.new_function(index, function, at, out),
        }
    }

    #[cold]
    fn new_function(&mut self, index: u32, function: &Function, at: StreamOffset, out: &mut EventBatch) -> Result<u32> {
        let name = self.texts.number(&function.name, at.0, self.limits.names, out)?;
        let i = index as usize;
        if self.functions.len() <= i {
            self.functions.resize(i + 1, NONE);
        }
        if let Some(slot) = self.functions.get_mut(i) {
            *slot = name;
        }
        Ok(name)
    }
}

/// The locator of the call with this ENTER event.
#[inline]
fn locator(enter: StreamOffset) -> Locator {
    Located::Call(enter).into()
}

/// [`EventBatch::push`] in one copy, for the size of the page's module.
#[inline(never)]
fn push(out: &mut EventBatch, kind: EventKind, track: TrackId, time: u64, name: u32, locator: Locator) {
    out.push(kind, track, time, name, locator);
}
