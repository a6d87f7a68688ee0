//! A part of a log: buffers with the records whose clock is in it. Each buffer gets a preamble for
//! its first record, so a part may begin anywhere in a buffer.

use alloc::boxed::Box;
use alloc::vec::Vec;

use hashbrown::HashMap;
use unspool_cut::clean::Cleaner;
use unspool_cut::{Cut, CutOptions, PORTION};
use unspool_trace::decoder::Progress;
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::problem::Problem;

use super::checkpoints::Checkpoint;
use super::decode::{Event, Function, Sink};
use super::encode::FdrBuffer;
use super::walk::Walk;
use super::wire::{Basic, HEADER_LEN, Header, Mode};

/// Begins to cut a log.
pub(super) fn cut(head: &[u8], options: CutOptions) -> Result<Box<dyn Cut>> {
    if super::yaml::header(head).is_some() {
        let what = "a log in llvm-xray's YAML cannot be cut, only the log itself";
        return Err(Error::new(0, Cause::BadHeader { what, value: 0 }));
    }
    let header = Header::parse(head)?;
    let walk = Walk::new(&header, options.size);
    // Buffers of version 1 have one size, which those of a part need not have. Version 2 differs
    // in nothing else.
    let version = if header.mode == Mode::Fdr { header.version.max(2) } else { header.version };
    let records = Records {
        options,
        header: Header { version, ..header },
        out: Vec::new(),
        buffer: None,
        start: Start::default(),
        clocks: HashMap::new(),
        last: None,
        event: None,
        written: 0,
        problems: Vec::new(),
    };
    Ok(Box::new(XrayCut { walk, at: 0, records }))
}

struct XrayCut {
    walk: Walk,
    /// Bytes of the header that were passed over.
    at: u64,
    records: Records,
}

/// What the preamble of the current buffer says.
#[derive(Clone, Copy, Debug, Default)]
struct Start {
    pid: i32,
    tid: i32,
    /// Seconds and microseconds since boot at `clock`.
    wall: (i64, i32),
    clock: u64,
}

/// The sink that writes the records of the part.
struct Records {
    options: CutOptions,
    /// Of the new file.
    header: Header,
    out: Vec<u8>,
    /// The new buffer, if it has records, and its CPU.
    buffer: Option<(FdrBuffer, u16)>,
    start: Start,
    /// The latest clock of each thread, where buffers without one continue.
    clocks: HashMap<(i32, i32), u64>,
    /// The last function record, if it is in the part.
    last: Option<Function>,
    /// The event whose payload is being read, if it is in the part.
    event: Option<(Event, Vec<u8>)>,
    written: u64,
    problems: Vec<Problem>,
}

impl Records {
    /// The new buffer, running on a CPU at a clock.
    fn buffer_at(&mut self, cpu: u16, clock: u64) -> &mut FdrBuffer {
        let Self { header, start, buffer, .. } = self;
        let (buffer, now) = buffer.get_or_insert_with(|| {
            let wall = wall_at(start, clock, header.frequency);
            (FdrBuffer::of(header, start.pid, start.tid, cpu, clock, wall), cpu)
        });
        if *now != cpu {
            *now = cpu;
            buffer.cpu(cpu, clock);
        }
        buffer.set_event_cpu(cpu);
        buffer
    }

    fn end_event(&mut self) {
        let Some((event, mut payload)) = self.event.take() else { return };
        self.options.cleaner.payload(&mut payload);
        self.buffer_at(event.cpu, event.clock).event(event.kind, event.clock, &payload);
    }

    fn end_buffer(&mut self) {
        self.end_event();
        if let Some((buffer, _)) = self.buffer.take() {
            self.out.append(&mut buffer.finish());
        }
    }

    fn basic(&mut self, record: Basic) {
        self.out.extend(record.to_bytes(self.header.wire()));
    }
}

/// Seconds and microseconds since boot at `clock`. The time of the buffer's beginning, if the
/// frequency of the clock is unknown.
fn wall_at(start: &Start, clock: u64, frequency: u64) -> (i64, i32) {
    let ticks = u128::from(clock.saturating_sub(start.clock)) * 1_000_000;
    let elapsed = ticks.checked_div(frequency.into()).unwrap_or(0);
    let (seconds, micros) = start.wall;
    let micros = i128::try_from(elapsed).unwrap_or(0) + i128::from(micros);
    let seconds = i128::from(seconds) + micros.div_euclid(1_000_000);
    (i64::try_from(seconds).unwrap_or(start.wall.0), micros.rem_euclid(1_000_000) as i32)
}

impl Cut for XrayCut {
    fn push(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Progress> {
        let mut used = 0;
        if self.at < HEADER_LEN {
            used = usize::try_from(HEADER_LEN - self.at).unwrap_or(usize::MAX).min(input.len());
            self.at += used as u64;
            if self.at < HEADER_LEN {
                return Ok(Progress { used });
            }
            out.extend(self.records.header.to_bytes());
        }
        let rest = input.get(used..).unwrap_or_default();
        used += self.walk.run(rest, &mut self.records);
        out.append(&mut self.records.out);
        Ok(Progress { used })
    }

    fn end(&mut self, rest: &[u8], out: &mut Vec<u8>) -> Result<()> {
        if self.at < HEADER_LEN {
            return Err(Error::new(self.at, Cause::UnexpectedEnd { needed: HEADER_LEN - self.at }));
        }
        self.walk.end(rest, &mut self.records);
        self.records.end_buffer();
        out.append(&mut self.records.out);
        Ok(())
    }

    fn records(&self) -> u64 {
        self.records.written
    }

    fn cleaner(&self) -> &Cleaner {
        &self.records.options.cleaner
    }

    fn take_problems(&mut self) -> Vec<Problem> {
        core::mem::take(&mut self.records.problems)
    }
}

impl Sink for Records {
    fn is_full(&self) -> bool {
        self.out.len() >= PORTION
    }

    fn wall_time(&mut self, seconds: i64, micros: i32) {
        // It comes before the clock that completes the preamble.
        self.end_buffer();
        self.start.wall = (seconds, micros);
    }

    fn buffer(&mut self, start: Checkpoint, clock: Option<u64>) -> Option<u64> {
        self.end_buffer();
        let thread = (start.pid, start.tid);
        let clock = clock.or_else(|| self.clocks.get(&thread).copied()).unwrap_or(0);
        self.start = Start { pid: start.pid, tid: start.tid, clock, ..self.start };
        self.clocks.insert(thread, clock);
        Some(clock)
    }

    fn thread(&mut self, pid: i32, tid: i32, _at: u64) {
        self.start = Start { pid, tid, ..self.start };
    }

    fn function(&mut self, function: Function) {
        self.end_event();
        if self.header.mode == Mode::Fdr {
            self.clocks.insert((self.start.pid, self.start.tid), function.clock);
        }
        self.last = self.options.has(function.clock).then_some(function);
        let Function { kind, func, clock, cpu, .. } = function;
        if self.last.is_none() {
            return;
        }
        self.written += 1;
        let (tid, pid) = (self.start.tid as u32, self.start.pid as u32);
        match self.header.mode {
            Mode::Fdr => self.buffer_at(cpu, clock).function(kind, func as u32, clock),
            Mode::Basic => self.basic(Basic::Function { cpu: cpu as u8, kind: Ok(kind), func, clock, tid, pid }),
        }
    }

    fn argument(&mut self, value: u64) {
        let Some(Function { func, clock, cpu, .. }) = self.last else { return };
        match self.header.mode {
            Mode::Fdr => self.buffer_at(cpu, clock).argument(value),
            Mode::Basic => {
                let (tid, pid) = (self.start.tid as u32, self.start.pid as u32);
                self.basic(Basic::Argument { func, tid, pid, value });
            }
        }
    }

    fn event(&mut self, event: Event) {
        self.end_event();
        self.last = None;
        if !self.options.has(event.clock) {
            return;
        }
        self.written += 1;
        if event.overwritten {
            self.buffer_at(event.cpu, event.clock).overwritten_event(event.kind, event.clock, event.size);
        } else {
            self.event = Some((event, Vec::new()));
        }
    }

    fn payload(&mut self, bytes: &[u8]) {
        if let Some((_, payload)) = &mut self.event {
            payload.extend_from_slice(bytes);
        }
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }
}
