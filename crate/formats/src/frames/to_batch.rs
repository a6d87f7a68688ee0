//! The sink that turns frames into events of a batch.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use unspool_stacks::flow::LOOKED_AT;
use unspool_stacks::isa::Isa;
use unspool_trace::batch::{EventBatch, EventKind, Key, Orphans, SliceKind, TrackDef, TrackId, TrackKind};
use unspool_trace::error::Error;
use unspool_trace::limits::Limits;
use unspool_trace::locator::Locator;
use unspool_trace::problem::{MALFORMED, Problem};

use crate::names::Texts;
use crate::pieces::Pieces;

use super::decode::{Record, Sink};
use super::frame_fields::{FrameFields, Kinds, LONGEST_MODE};
use super::instruction;
use super::message::{self, Message};
use super::meta::Summary;
use super::problems::UNKNOWN_RECORD;
use super::threads::{Context, Pointer, Step, Threads, keep_error};

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
    message: message::Walk,
    fields: FrameFields,
    pub(super) meta: Summary,
    in_meta: bool,
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
    pub(super) fn new(isa: Isa, limits: Limits) -> Self {
        Self {
            limits,
            threads: Threads::new(isa),
            names: Texts::default(),
            tracks: 0,
            lanes: [None; 3],
            pieces: Pieces::default(),
            frames_end: 0,
            message: message::Walk::new(Message::Frame, 0, 0),
            fields: FrameFields::new(isa.stack_pointer()),
            meta: Summary::default(),
            in_meta: false,
            failed: None,
        }
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

    /// The current frame is complete, or decoded as far as it is valid.
    #[inline]
    fn frame(&mut self, index: u64, record: Record, out: &mut EventBatch) {
        self.fields.end_operand();
        let fields = &self.fields;
        if fields.kinds.std
            && let (Some(address), Some(thread)) = (fields.address, fields.thread)
        {
            let step = Step {
                index,
                locator: Locator::at(record.at),
                address,
                thread,
                bytes: fields.bytes.get(),
                len: fields.bytes.len,
                mode: fields.mode.get(),
                pointer: Pointer::Known { read: fields.read, written: fields.written },
            };
            let limits = &self.limits;
            let mut cx = Context { names: &mut self.names, tracks: &mut self.tracks, limits, out };
            keep_error(self.threads.step(&step, &mut cx), &mut self.failed);
            if fields.kinds == (Kinds { std: true, ..Kinds::default() }) {
                return;
            }
        } else if fields.kinds.std || fields.kinds == Kinds::default() {
            // An invalid frame has already been reported.
            if self.message.broken().is_none() {
                out.problems.push(Problem { at: record.at, kind: &UNKNOWN_RECORD, value: record.len });
            }
        }
        self.other_kinds(index, record.at, out);
    }

    /// Counts a complete frame.
    #[inline]
    fn count(&mut self, index: u64, record: Record, out: &mut EventBatch) {
        out.records += 1;
        self.pieces.add(record.at, index);
        self.frames_end = record.body().saturating_add(record.len);
    }

    #[inline]
    fn step(&mut self, step: &Step<'_>, out: &mut EventBatch) {
        let limits = &self.limits;
        let mut cx = Context { names: &mut self.names, tracks: &mut self.tracks, limits, out };
        keep_error(self.threads.step(step, &mut cx), &mut self.failed);
    }

    /// Adds the events of a frame that is not an instruction.
    fn other_kinds(&mut self, index: u64, at: u64, out: &mut EventBatch) {
        let kinds = self.fields.kinds;
        if kinds.syscall {
            let name = self.fields.number.map_or("system call".to_owned(), |n| format!("system call {n}"));
            self.instant(self.fields.call_thread, &name, index, at, out);
            if let (Some(thread), Some(number)) = (self.fields.call_thread, self.fields.number) {
                self.threads.system_call(thread, number);
            }
        }
        if kinds.exception {
            let name = self.fields.exception.map_or("exception".to_owned(), |n| format!("exception {n}"));
            self.instant(self.fields.exception_thread, &name, index, at, out);
            let FrameFields { exception_thread, exception, from, to, .. } = self.fields;
            self.threads.except(exception_thread, exception, from, to);
        }
        if kinds.taint_intro {
            let name = match self.fields.source.take() {
                Some(source) => format!("taint from {}", String::from_utf8_lossy(&source)),
                None => "taint".into(),
            };
            self.lane(Lane::Taint, &name, index, at, out);
        }
        if kinds.mod_load {
            let name = self.fields.module.take().unwrap_or_default();
            // Companions find a binary's base by its name.
            let (names, low) = (out.new_names.len(), self.fields.low);
            self.lane(Lane::Modules, &String::from_utf8_lossy(&name), index, at, out);
            if let (Some(name), Some(low)) = (out.new_names.get_mut(names), low) {
                name.key = Key::Address(low);
            }
        }
        if kinds.key {
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

    #[inline]
    fn whole(&mut self, record: Record, bytes: &[u8]) -> bool {
        let Some(frame) = instruction::parse(bytes) else { return false };
        let step = Step {
            index: record.index.unwrap_or(0),
            locator: Locator::at(record.at),
            address: frame.address,
            thread: frame.thread,
            bytes: frame.bytes.get(..LOOKED_AT).unwrap_or(frame.bytes),
            len: frame.bytes.len() as u64,
            mode: frame.mode.get(..LONGEST_MODE).unwrap_or(frame.mode),
            pointer: Pointer::Listed { read: frame.read, written: frame.written },
        };
        self.state.count(step.index, record, self.out);
        self.state.step(&step, self.out);
        true
    }

    #[inline]
    fn begin(&mut self, record: Record) {
        let state = &mut *self.state;
        state.in_meta = record.index.is_none();
        let message = if state.in_meta { Message::Meta } else { Message::Frame };
        state.message = message::Walk::new(message, record.body(), record.len);
        if state.in_meta {
            // The summary may come from an incomplete meta frame in the head.
            state.meta = Summary::default();
        } else {
            state.fields.clear();
        }
    }

    #[inline]
    fn body(&mut self, bytes: &[u8], _last: bool) -> usize {
        let state = &mut *self.state;
        if state.in_meta {
            state.message.run(bytes, &mut state.meta)
        } else {
            state.message.run(bytes, &mut state.fields)
        }
    }

    #[inline]
    fn finish(&mut self, record: Record) {
        if let Some(at) = self.state.message.broken() {
            let value = record.body().saturating_add(record.len).saturating_sub(at);
            self.out.problems.push(Problem { at, kind: &MALFORMED, value });
        }
        match record.index {
            Some(index) => {
                self.state.count(index, record, self.out);
                self.state.frame(index, record, self.out);
            }
            None => self.state.lane(Lane::Recording, "meta frame", 0, record.at, self.out),
        }
    }

    fn problem(&mut self, problem: Problem) {
        self.out.problems.push(problem);
    }
}
