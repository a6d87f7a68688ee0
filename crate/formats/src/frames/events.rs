//! The decoder: drives the walk over a trace.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use unspool_trace::batch::EventBatch;
use unspool_trace::decoder::{Decoder, Progress, Want};
use unspool_trace::error::{Error, Result};
use unspool_trace::info::{Capability, Clock, Column, Info, Shows};
use unspool_trace::problem::grouped;
use unspool_trace::sniff::OpenOptions;

use super::FORMAT;
use super::decode::{Record, Walk};
use super::machine::Machine;
use super::meta::properties;
use super::records::Meta;
use super::to_batch::{Lane, State, ToBatch};
use super::wire::{Header, META_AT};

/// Decodes a trace into events.
pub(crate) struct FramesDecoder {
    pub(super) header: Header,
    pub(super) machine: Machine,
    pub(super) options: OpenOptions,
    pub(super) walk: Walk,
    pub(super) state: State,
    /// Absolute offset of the end of the trace, once known.
    pub(super) end: Option<u64>,
    failed: Option<Error>,
}

/// The columns of the list of records.
pub(super) const COLUMNS: &[Column] = &[
    Column { label: "Step", shows: Shows::Position },
    Column { label: "Thread", shows: Shows::Thread },
    Column { label: "Address", shows: Shows::Field("address") },
    Column { label: "Instruction", shows: Shows::Field("instruction") },
    Column { label: "Read", shows: Shows::Field("read") },
    Column { label: "Written", shows: Shows::Field("written") },
    Column { label: "Other", shows: Shows::Rest },
];

impl FramesDecoder {
    pub(super) fn new(header: Header, head: &[u8], options: OpenOptions) -> Self {
        let machine = Machine::of(&header);
        let mut state = State::new(machine, options.limits);
        // `info` needs the meta frame before it has been decoded. It is usually in the head.
        if header.has_meta() {
            let body = usize::try_from(META_AT).ok().and_then(|at| head.get(at..)).and_then(|b| b.split_first_chunk());
            if let Some((len, body)) = body {
                let record = Record { index: None, at: META_AT, len: u64::from_le_bytes(*len) };
                let body = usize::try_from(record.len).ok().and_then(|len| body.get(..len)).unwrap_or(body);
                state.meta = properties(&Meta::of(record.checked(body).0));
            }
        }
        Self { header, machine, options, walk: Walk::new(header, options.size), state, end: None, failed: None }
    }

    fn check(&mut self) -> Result<()> {
        if let Some(error) = self.state.failed {
            self.failed.get_or_insert(error);
        }
        self.failed.map_or(Ok(()), Err)
    }
}

impl Decoder for FramesDecoder {
    fn info(&self) -> Info {
        let header = &self.header;
        let mut properties: Vec<(&'static str, String)> = Vec::new();
        if header.version > 0 {
            properties.push(("Machine", self.machine.name()));
        }
        properties.extend(self.state.meta.iter().cloned());
        let counted = match (header.frames, header.table) {
            (0, 0) => "not given: streamed, or the tracer did not finish".into(),
            (frames, _) => grouped(frames).to_string(),
        };
        properties.push(("Frames in header", counted));
        if self.machine.may_be_big_endian() && self.end.is_some() {
            let order = self.machine.memory_order(self.state.threads.order(), self.state.memory_votes());
            properties.push(("Values in memory", order.sentence()));
        }
        let isa = self.machine.isa;
        if !isa.has_stack() {
            let why = "not available: the calls and returns of this machine are unknown";
            properties.push(("Call stack", why.into()));
        }
        if header.version > 3 {
            properties
                .push(("Version", format!("{}, newer than any known version; read as version 3", header.version)));
        }
        Info {
            format: &FORMAT,
            title: format!("BAP frames {}", header.version),
            version: header.version.to_string(),
            container: None,
            clock: Clock::Ordinal { unit: "step" },
            offers: match (isa.code(false, false).is_some(), isa.has_stack()) {
                (true, true) => {
                    &[Capability::Disassembly, Capability::CallStacks, Capability::State, Capability::Stretches]
                }
                (true, false) => &[Capability::Disassembly, Capability::State, Capability::Stretches],
                (false, true) => &[Capability::CallStacks, Capability::State, Capability::Stretches],
                (false, false) => &[Capability::State, Capability::Stretches],
            },
            properties,
        }
    }

    fn push(&mut self, input: &[u8], out: &mut EventBatch) -> Result<Progress> {
        self.check()?;
        let used = self.walk.run(input, &mut ToBatch { state: &mut self.state, out });
        self.check()?;
        Ok(Progress { used })
    }

    fn end(&mut self, rest: &[u8], out: &mut EventBatch) -> Result<()> {
        self.check()?;
        if self.end.is_some() {
            return Ok(());
        }
        self.walk.end(rest, &mut ToBatch { state: &mut self.state, out });
        self.end = Some(self.walk.at());
        self.state.finish(out);
        let frames = self.walk.frames();
        if frames > 0 {
            // Extends the trace to its last step. Otherwise it would end at the last event.
            self.state.lane(Lane::Recording, "end of the trace", frames, self.walk.at(), out);
        }
        self.check()
    }

    fn finish(&mut self, out: &mut EventBatch) {
        self.state.settle(out);
    }

    fn want(&self) -> Want {
        if self.end.is_some() { Want::Nothing } else { Want::Next }
    }

    fn kept_bytes(&self) -> u64 {
        self.state.kept_bytes()
    }

    fn index(&self) -> Vec<u8> {
        self.index_bytes()
    }
}
