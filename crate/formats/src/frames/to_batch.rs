//! The sink that turns frames into events of a batch.

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use unspool_stacks::flow::LOOKED_AT;
use unspool_trace::batch::{EventBatch, EventKind, Key, Orphans, SliceKind, TrackDef, TrackId, TrackKind};
use unspool_trace::error::Error;
use unspool_trace::limits::Limits;
use unspool_trace::locator::Locator;
use unspool_trace::problem::Problem;

use crate::names::Texts;
use crate::pieces::Pieces;

use super::decode::{Record, Sink};
use super::instruction::{self, Instruction};
use super::machine::Machine;
use super::memory_order::{MemoryEvidence, MemoryVotes};
use super::meta::properties;
use super::problems::UNKNOWN_RECORD;
use super::records::{Exception, Frame, Meta, Std, Syscall};
use super::threads::{Context, Pointer, Step, Threads, keep_error};
use super::wire::Fields;

/// Bytes of a mode that are looked at. All known modes are shorter.
const LONGEST_MODE: usize = 16;
/// Limit for the name of a module or source, in bytes.
const MAX_NAME: usize = 200;

/// What the decoder keeps from batch to batch.
pub(super) struct State {
    limits: Limits,
    pub(super) threads: Threads,
    names: Texts,
    tracks: u32,
    pub(super) lanes: [Option<TrackId>; 3],
    /// The frames, and the absolute offset of the end of the last one.
    pub(super) pieces: Pieces,
    pub(super) frames_end: u64,
    /// Properties of the trace from the meta frame.
    pub(super) meta: Vec<(&'static str, String)>,
    /// `None` if memory can only be little-endian.
    memory: Option<MemoryEvidence>,
    pub(super) failed: Option<Error>,
}

/// Tracks that do not belong to a thread.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lane {
    Modules,
    Taint,
    /// Events of all threads, or of none.
    Recording,
}

impl Lane {
    fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Modules => ("modules", "when they are loaded"),
            Self::Taint => ("taint", "when it is introduced"),
            Self::Recording => ("recording", "events of no particular thread"),
        }
    }
}

impl State {
    /// Bytes of memory of names, threads and their stacks.
    pub(super) fn kept_bytes(&self) -> u64 {
        self.names.bytes() + self.threads.bytes() + self.pieces.bytes()
    }

    pub(super) fn new(machine: Machine, limits: Limits) -> Self {
        Self {
            limits,
            threads: Threads::new(machine.isa),
            names: Texts::default(),
            tracks: 0,
            lanes: [None; 3],
            pieces: Pieces::default(),
            frames_end: 0,
            meta: Vec::new(),
            memory: machine.may_be_big_endian().then(MemoryEvidence::default),
            failed: None,
        }
    }

    /// Evidence, from operands, of the order of the bytes of memory.
    pub(super) fn memory_votes(&self) -> MemoryVotes {
        self.memory.as_ref().map(MemoryEvidence::votes).unwrap_or_default()
    }

    /// The trace is complete.
    pub(super) fn finish(&mut self, out: &mut EventBatch) {
        let Self { threads, names, tracks, limits, .. } = self;
        threads.finish(&mut Context { names, tracks, limits, out });
    }

    /// The rest of the trace will not be read.
    pub(super) fn settle(&mut self, out: &mut EventBatch) {
        let Self { threads, names, tracks, limits, .. } = self;
        threads.settle(&mut Context { names, tracks, limits, out });
    }

    /// Adds the events of a frame that is not a usual instruction, as far as it is valid.
    fn unusual(&mut self, record: Record, message: &[u8], out: &mut EventBatch) {
        let (fields, defect) = record.checked(message);
        let is_valid = defect.is_none();
        out.problems.extend(defect);
        self.count(record, out);
        let frame = Frame::of(fields);
        if let Some(Std { address: Some(address), thread: Some(thread), bytes, mode, .. }) = frame.std {
            let (bytes, mode) = (bytes.unwrap_or_default(), mode.unwrap_or_default());
            let pointer = Pointer::Within(fields);
            self.step(&step_of(record, (address, thread), bytes, mode, pointer), out);
        } else if is_valid && frame.is_unknown() {
            out.problems.push(Problem { at: record.at, kind: &UNKNOWN_RECORD, value: record.len });
        }
        self.other_kinds(record, &frame, fields, out);
    }

    /// Counts a complete frame.
    #[inline]
    fn count(&mut self, record: Record, out: &mut EventBatch) {
        out.records += 1;
        self.pieces.add(record.at, record.index.unwrap_or(0));
        self.frames_end = record.body().saturating_add(record.len);
    }

    #[inline]
    fn step(&mut self, step: &Step<'_>, out: &mut EventBatch) {
        if let Some(evidence) = &mut self.memory {
            step.pointer.show(evidence);
        }
        let limits = &self.limits;
        let mut cx = Context { names: &mut self.names, tracks: &mut self.tracks, limits, out };
        keep_error(self.threads.step(step, &mut cx), &mut self.failed);
    }

    /// Adds the events of what a frame is besides an instruction.
    fn other_kinds(&mut self, record: Record, frame: &Frame<'_>, fields: Fields<'_>, out: &mut EventBatch) {
        let (index, at) = (record.index.unwrap_or(0), record.at);
        if let Some(Syscall { thread, number, .. }) = frame.syscall {
            let name = number.map_or("system call".to_owned(), |n| format!("system call {n}"));
            self.instant(thread, &name, index, at, out);
            if let (Some(thread), Some(number)) = (thread, number) {
                self.threads.system_call(thread, number);
            }
        }
        if let Some(Exception { number, thread, from, to }) = frame.exception {
            let name = number.map_or("exception".to_owned(), |n| format!("exception {n}"));
            self.instant(thread, &name, index, at, out);
            self.threads.except(thread, number, from, to);
        }
        if frame.taint_intro.is_some() {
            // The first source that has a name.
            let lists = fields.repeated(4).last().into_iter().flat_map(|taint| taint.repeated(1));
            let source = lists.flat_map(|list| list.repeated(1)).flat_map(|intro| intro.repeated(4)).next();
            let name = source.map_or("taint".to_owned(), |source| format!("taint from {}", name_of(source.bytes)));
            self.lane(Lane::Taint, &name, index, at, out);
        }
        if let Some(load) = frame.mod_load {
            // Companions find a binary's base by its name.
            let names = out.new_names.len();
            self.lane(Lane::Modules, &name_of(load.name.unwrap_or_default()), index, at, out);
            if let (Some(name), Some(low)) = (out.new_names.get_mut(names), load.low) {
                name.key = Key::Address(low);
            }
        }
        if frame.key.is_some() {
            self.lane(Lane::Recording, "key frame", index, at, out);
        }
    }

    /// Adds an instant to a thread, or to the recording lane if the frame names no thread.
    fn instant(&mut self, thread: Option<u64>, name: &str, index: u64, at: u64, out: &mut EventBatch) {
        let Some(thread) = thread else { return self.lane(Lane::Recording, name, index, at, out) };
        let limits = &self.limits;
        let mut cx = Context { names: &mut self.names, tracks: &mut self.tracks, limits, out };
        let name = cx.names.number(name, at, limits.names, cx.out);
        let result = name.and_then(|name| self.threads.point(thread, name, index, at, &mut cx));
        keep_error(result, &mut self.failed);
    }

    pub(super) fn lane(&mut self, lane: Lane, name: &str, index: u64, at: u64, out: &mut EventBatch) {
        let limits = &self.limits;
        let mut cx = Context { names: &mut self.names, tracks: &mut self.tracks, limits, out };
        let Some(slot) = self.lanes.get_mut(lane as usize) else { return };
        let track = match *slot {
            Some(track) => Ok(track),
            None => {
                let (name, detail) = lane.name();
                cx.define(
                    TrackDef {
                        detail: detail.into(),
                        orphans: Orphans::FromPrevious,
                        ..TrackDef::new(TrackKind::Lane, name)
                    },
                    at,
                )
            }
        };
        let result = track.and_then(|track| {
            *slot = Some(track);
            // Taint has the name of its source.
            let kind = if matches!(lane, Lane::Taint) { SliceKind::Marker } else { SliceKind::Call };
            let name = cx.names.number_of(kind, name, at, limits.names, cx.out)?;
            cx.out.push(EventKind::Instant, track, index, name, Locator::at(at));
            Ok(())
        });
        keep_error(result, &mut self.failed);
    }
}

/// The sink, for one batch.
pub(super) struct ToBatch<'a> {
    pub(super) state: &'a mut State,
    pub(super) out: &'a mut EventBatch,
}

impl Sink for ToBatch<'_> {
    #[inline]
    fn is_full(&self) -> bool {
        self.out.is_full() || self.state.failed.is_some()
    }

    fn meta(&mut self, record: Record, message: &[u8]) {
        let (fields, defect) = record.checked(message);
        self.out.problems.extend(defect);
        self.state.meta = properties(&Meta::of(fields));
        self.state.lane(Lane::Recording, "meta frame", 0, record.at, self.out);
    }

    #[inline]
    fn frame(&mut self, record: Record, message: &[u8]) {
        let Some(Instruction { address, thread, bytes, mode, read, written }) = instruction::parse(message) else {
            return self.state.unusual(record, message, self.out);
        };
        self.state.count(record, self.out);
        let pointer = Pointer::Listed { read, written };
        self.state.step(&step_of(record, (address, thread), bytes, mode, pointer), self.out);
    }

    fn long_frame(&mut self, record: Record, beginning: &[u8]) {
        self.state.unusual(record, beginning, self.out);
    }

    fn problem(&mut self, problem: Problem) {
        self.out.problems.push(problem);
    }
}

/// The step of an instruction with an address and a thread.
#[inline]
fn step_of<'a>(
    record: Record,
    (address, thread): (u64, u64),
    bytes: &'a [u8],
    mode: &'a [u8],
    pointer: Pointer<'a>,
) -> Step<'a> {
    Step {
        index: record.index.unwrap_or(0),
        locator: Locator::at(record.at),
        address,
        thread,
        bytes: bytes.get(..LOOKED_AT).unwrap_or(bytes),
        len: bytes.len() as u64,
        mode: mode.get(..LONGEST_MODE).unwrap_or(mode),
        pointer,
    }
}

/// The name of a module or source.
fn name_of(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes.get(..MAX_NAME).unwrap_or(bytes))
}
