//! A part of a log: buffers with the records whose clock is in it. Each buffer gets a preamble for
//! its first record, so a part may begin anywhere in a buffer.
//!
//! Calls that are open where the part begins are entered there, and those that are open where it
//! ends are left there, so its figures are those of the range in the whole log. `open_calls.rs`
//! follows them. A thread's buffers in the part:
//!
//! ```text
//! clock of the preamble | records
//! from                  | none: the thread begins here
//! from + 1, then from   | enters of calls that are open at `from`, records of the first buffer
//! ...                   | records of other buffers
//! from                  | enters of calls that only earlier buffers, which come later in the file, have
//! to                    | exits of calls that are open at `to`
//! ```
//!
//! Readers put the buffers of a thread in order of the clocks in their preambles, so the last but
//! one is the second. Logs of basic mode have no buffers, and are in order.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;

use hashbrown::HashMap;
use unspool_cut::clean::Cleaner;
use unspool_cut::{Cut, CutOptions, PORTION};
use unspool_trace::decoder::Progress;
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::problem::Problem;

use super::checkpoints::Checkpoint;
use super::decode::{Event, Function, Sink};
use super::encode::FdrBuffer;
use super::open_calls::{Call, Closing, Ended, OpenCalls, Phase, Stack, Step, Stray};
use super::walk::Walk;
use super::wire::{Basic, FunctionKind, HEADER_LEN, Header, Mode};

/// Most records at the first tick of the part that wait until it is known which calls end there.
const MOST_HELD: usize = 4096;

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
        threads: Vec::new(),
        by_id: HashMap::new(),
        current: 0,
        last: Last::Elsewhere,
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

/// A thread of the log.
struct Thread {
    /// The preamble of its latest buffer.
    start: Start,
    cpu: u16,
    calls: OpenCalls,
    /// Its latest clock, where buffers without one continue.
    latest: u64,
    /// Its latest clock before the end of the part.
    latest_within: u64,
    /// The clock that its first buffer begins with.
    begins: u64,
    /// It has records or a buffer before the part.
    has_before: bool,
    has_after: bool,
    /// Records are missing between the latest one before the part and the next.
    is_lost: bool,
    /// Records at the first tick of the part that wait, with their arguments.
    held: Vec<(Function, Vec<u64>)>,
    /// Once it has records in the part.
    opened: Option<Opened>,
}

/// A thread that has records in the part.
struct Opened {
    /// Its calls, in the order of the file.
    stack: Stack,
    /// The functions that were entered at the beginning of the part.
    entered: Vec<i32>,
    /// Readers of the part know that records of the thread are missing.
    is_lost: bool,
    /// The part has records of it.
    has_records: bool,
    /// A later buffer of the file has records before the part.
    is_late: bool,
    /// The time in the preamble of the buffer that it begins with.
    wall: (i64, i32),
    /// Records at the first tick that are written at the end of the file: only then it is known
    /// which calls they end.
    deferred: Vec<(Function, Vec<u64>)>,
}

/// The destination of the last function record.
#[derive(Clone, Copy, Debug)]
enum Last {
    Written(Function),
    Held,
    Deferred,
    Before,
    Elsewhere,
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
    threads: Vec<Thread>,
    by_id: HashMap<(i32, i32), usize>,
    /// Index of the current thread.
    current: usize,
    last: Last,
    /// The event whose payload is being read, if it is in the part.
    event: Option<(Event, Vec<u8>)>,
    written: u64,
    problems: Vec<Problem>,
}

impl Records {
    fn is_basic(&self) -> bool {
        self.header.mode == Mode::Basic
    }

    /// The phase of a record at this clock.
    fn phase(&self, clock: u64) -> Phase {
        match clock {
            _ if clock < self.options.from => Phase::Before,
            _ if clock < self.options.to => Phase::Within,
            _ => Phase::After,
        }
    }

    /// The current thread.
    fn here(&self) -> Option<&Thread> {
        self.threads.get(self.current)
    }

    fn here_mut(&mut self) -> Option<&mut Thread> {
        self.threads.get_mut(self.current)
    }

    /// Makes a thread the current one.
    fn go_to(&mut self, pid: i32, tid: i32) {
        let is_basic = self.is_basic();
        let start = Start { pid, tid, ..self.start };
        self.current = *self.by_id.entry((pid, tid)).or_insert_with(|| {
            self.threads.push(Thread {
                start,
                cpu: 0,
                calls: OpenCalls::new(is_basic),
                latest: 0,
                latest_within: 0,
                begins: u64::MAX,
                has_before: false,
                has_after: false,
                is_lost: false,
                held: Vec::new(),
                opened: None,
            });
            self.threads.len() - 1
        });
        self.start = start;
    }

    /// The new buffer, running on a CPU at a clock.
    fn buffer_at(&mut self, cpu: u16, clock: u64) -> &mut FdrBuffer {
        let first = self.options.from;
        let is_opened = self.here().is_some_and(|thread| {
            thread.opened.as_ref().is_some_and(|opened| thread.has_before || !opened.deferred.is_empty())
        });
        let Self { header, start, buffer, .. } = self;
        let (buffer, now) = buffer.get_or_insert_with(|| {
            let begins = if start.clock < first { clock } else { start.clock };
            // After the buffer that the thread begins with, and any that may come later in the
            // file.
            let key = if is_opened { begins.max(first.saturating_add(1)) } else { begins };
            let wall = wall_at(start, key, header.frequency);
            let mut buffer = FdrBuffer::of(header, start.pid, start.tid, cpu, key, wall);
            // Up to version 3, the preamble has the clock of the first record.
            if key > clock || header.version <= 3 && key != clock {
                buffer.set_clock(clock);
            }
            (buffer, cpu)
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

    /// Writes a function record of the current thread.
    fn put(&mut self, (kind, func): (FunctionKind, i32), clock: u64, cpu: u16, arguments: &[u64]) {
        self.written += 1;
        let (tid, pid) = (self.start.tid as u32, self.start.pid as u32);
        if self.is_basic() {
            let record = Basic::Function { cpu: cpu as u8, kind: Ok(kind), func, clock, tid, pid };
            self.out.extend(record.to_bytes(self.header.wire()));
        } else {
            self.buffer_at(cpu, clock).function(kind, func as u32, clock);
        }
        for value in arguments {
            self.put_argument(func, *value);
        }
        if let Some(opened) = self.here_mut().and_then(|thread| thread.opened.as_mut()) {
            opened.has_records = true;
        }
    }

    /// Writes an argument of the record before.
    fn put_argument(&mut self, func: i32, value: u64) {
        if let Some((buffer, _)) = &mut self.buffer {
            buffer.argument(value);
        } else if self.is_basic() {
            let (tid, pid) = (self.start.tid as u32, self.start.pid as u32);
            self.out.extend(Basic::Argument { func, tid, pid, value }.to_bytes(self.header.wire()));
        }
    }

    /// Writes the enters of calls, from the outermost.
    fn put_enters(&mut self, calls: &[Call], clock: u64, cpu: u16) {
        for call in calls {
            self.put((call.kind, call.func), clock, cpu, &call.arguments);
        }
    }

    /// Begins the current thread in the part, with the calls that are open there. `more` says that
    /// another record follows those that wait.
    fn open(&mut self, more: bool) {
        let (from, is_basic) = (self.options.from, self.is_basic());
        let wall = self.here().map_or((0, 0), |thread| wall_at(&thread.start, from, self.header.frequency));
        let Some(thread) = self.here_mut().filter(|thread| thread.opened.is_none()) else { return };
        // An earlier buffer may follow, and have the enters of calls that end at the first tick.
        let is_first = !thread.has_before && !thread.held.is_empty();
        let is_deferred = !is_basic && (is_first || thread.has_strays());
        let held = if is_deferred { mem::take(&mut thread.held) } else { thread.end_at_first_tick(from) };
        if held.is_empty() && !more {
            return;
        }
        let (mut stack, cpu) = (thread.calls.opening(), held.first().map_or(thread.cpu, |(f, _)| f.cpu));
        let calls = if is_deferred { Vec::new() } else { stack.calls().to_vec() };
        // Records that are missing before the first tick, or before all records of the thread, do
        // not belong to the part.
        let is_lost = mem::take(&mut thread.is_lost) && held.is_empty() && thread.has_before;
        let mut deferred = Vec::new();
        if is_deferred {
            for (function, _) in &held {
                stack.take(step_of(function));
                thread.calls.take(Phase::Within, step_of(function));
            }
            deferred.clone_from(&held);
        }
        let entered = calls.iter().map(|call| call.func).collect();
        let (has_before, has_records) = (thread.has_before, is_deferred);
        thread.opened = Some(Opened { stack, entered, is_lost, has_records, is_late: false, wall, deferred });
        if has_before && !is_basic {
            self.out.append(&mut self.preamble(from, wall).finish());
        }
        self.put_enters(&calls, from, cpu);
        if is_lost {
            self.lose(cpu, from);
        }
        for (function, arguments) in held.iter().filter(|_| !is_deferred) {
            self.write(*function, arguments, from);
        }
    }

    /// A buffer of the current thread without records.
    fn preamble(&self, clock: u64, wall: (i64, i32)) -> FdrBuffer {
        let Start { pid, tid, .. } = self.here().map_or(self.start, |thread| thread.start);
        let cpu = self.here().map_or(0, |thread| thread.cpu);
        FdrBuffer::of(&self.header, pid, tid, cpu, clock, wall)
    }

    /// Begins a buffer of the current thread at the end of the file. Its time differs from that of
    /// other buffers at the same clock, as a copy's would not.
    fn begin_last(&mut self, clock: u64, wall: Option<(i64, i32)>) {
        if self.is_basic() {
            return;
        }
        let thread = self.here().map(|thread| (thread.start, thread.cpu));
        let (start, cpu) = thread.unwrap_or((self.start, 0));
        let (seconds, micros) = wall.unwrap_or_else(|| wall_at(&start, clock, self.header.frequency));
        self.buffer = Some((self.preamble(clock, (seconds, micros ^ 1)), cpu));
    }

    /// Writes that records of the current thread, which has been opened, are missing after a clock.
    fn lose(&mut self, cpu: u16, clock: u64) {
        if let Some(opened) = self.here_mut().and_then(|thread| thread.opened.as_mut()) {
            opened.is_lost = true;
            opened.stack.tell();
        }
        self.buffer_at(cpu, clock).lose();
        self.end_buffer();
    }

    /// Writes a record of the part. `previous` is the clock of the record before.
    fn write(&mut self, function: Function, arguments: &[u64], previous: u64) {
        let (from, is_basic) = (self.options.from, self.is_basic());
        let Function { kind, func, clock, cpu, .. } = function;
        let Some(thread) = self.here_mut() else { return };
        let has_before = thread.has_before;
        let Some(opened) = &mut thread.opened else { return };
        let mut begins = None;
        if kind.is_enter() {
            opened.stack.enter(Call::new(func, kind));
            thread.calls.take(Phase::Within, Step::Enter(Call::new(func, kind)));
        } else {
            let depth = opened.stack.calls().len();
            match opened.stack.ended_by(func) {
                Ended::Stray => {
                    // Readers of the part must let the call begin where those of the log do, and
                    // know of the same gaps.
                    let is_known = match depth {
                        _ if is_basic => opened.has_records,
                        0 => opened.is_lost,
                        _ => opened.stack.is_told() || opened.stack.shows_gap(),
                    };
                    begins = (!is_known && (has_before || opened.has_records)).then_some(previous.max(from));
                    if begins.is_none() {
                        opened.is_lost = true;
                        opened.stack.tell();
                    }
                }
                Ended::Open(ended) => {
                    opened.is_lost |= ended + 1 < depth;
                    opened.stack.exit(func);
                }
                Ended::Hidden | Ended::BeforeRecording => _ = opened.stack.exit(func),
            }
            thread.calls.take(Phase::Within, Step::Exit(func));
        }
        if let Some(clock) = begins {
            self.put((FunctionKind::Enter, func), clock, cpu, &[]);
        }
        self.put((kind, func), clock.max(from), cpu, arguments);
    }

    /// Writes the calls of the current thread that are open at the edges of the part, unless they
    /// were written with its records.
    fn close(&mut self) {
        let CutOptions { from, to, .. } = self.options;
        let Some(thread) = self.here_mut() else { return };
        let (start, has_after, begins) = (thread.start, thread.has_after, thread.begins);
        let mut closing = thread.calls.clone().closing();
        if begins >= to {
            closing.beyond.clear();
        }
        let opened = thread.opened.take();
        if opened.is_none() && (!has_after || closing.is_empty()) {
            return;
        }
        let is_lost = thread.is_lost;
        let (mut missing, mut held, mut wall) = (Vec::new(), Vec::new(), None);
        let mut is_missing = true;
        match &opened {
            Some(opened) if opened.is_late || !opened.deferred.is_empty() => {
                thread.held.clone_from(&opened.deferred);
                held = thread.end_at_first_tick(from);
                (missing, wall) = (missing_of(thread.calls.opening().calls(), &opened.entered), Some(opened.wall));
            }
            Some(_) => is_missing = false,
            None => missing = thread.calls.opening().calls().to_vec(),
        }
        let cpu = thread.cpu;
        self.start = Start { clock: 0, ..start };
        if is_missing {
            self.begin_last(if opened.is_some() { from } else { begins.max(from) }, wall);
            self.put_enters(&missing, from, cpu);
            for (Function { kind, func, cpu, .. }, arguments) in &held {
                self.put((*kind, *func), from, *cpu, arguments);
            }
            if is_lost && let Some((buffer, _)) = &mut self.buffer {
                buffer.lose();
            }
            self.end_buffer();
        }
        if has_after {
            self.put_exits(&closing, opened.as_ref());
        }
    }

    /// Ends the calls of the current thread that are open at the end of the part.
    fn put_exits(&mut self, closing: &Closing, opened: Option<&Opened>) {
        let CutOptions { from, to, .. } = self.options;
        let (cpu, latest) = self.here().map_or((0, 0), |thread| (thread.cpu, thread.latest_within));
        if closing.is_empty() {
            return;
        }
        let clock = latest.clamp(from, to);
        let mut stray = closing.stray.map(|stray| stray.func);
        if let Some(Stray { func, shows_gap, is_in_gap }) = closing.stray {
            let (has_calls, is_basic) = (!closing.stack.calls().is_empty(), self.is_basic());
            let is_known = match has_calls {
                true => is_basic || opened.is_some_and(|it| it.stack.is_told()),
                false => opened.is_some_and(|it| it.has_records && (is_basic || it.is_lost)),
            };
            if has_calls && !is_basic && (is_in_gap || shows_gap) {
                // The time up to the exit is a gap: how much of it the call took is not known.
                stray = None;
                if !is_in_gap && clock < to {
                    self.begin_last(clock, None);
                    self.lose(cpu, clock);
                }
            } else if !is_known {
                self.begin_last(clock, None);
                self.put((FunctionKind::Enter, func), clock, cpu, &[]);
            }
        }
        if self.buffer.is_none() {
            self.begin_last(to, None);
        }
        let ends = closing.stack.calls().iter().rev().map(|call| call.func);
        for func in stray.into_iter().chain(ends).chain(closing.beyond.iter().copied()) {
            self.put((FunctionKind::Exit, func), to, cpu, &[]);
        }
        self.end_buffer();
    }

    /// Writes what is known only at the end of the file.
    fn finish(&mut self) {
        self.end_buffer();
        if self.options.from >= self.options.to {
            return;
        }
        for current in 0..self.threads.len() {
            self.current = current;
            let Some(thread) = self.here() else { continue };
            let (start, is_over) = (thread.start, !thread.has_after && !thread.held.is_empty());
            self.start = Start { clock: 0, ..start };
            if is_over {
                self.put_last();
            } else {
                // Their thread goes on after the part, in a buffer that comes earlier in the file.
                self.open_held();
                self.end_buffer();
                self.close();
            }
        }
    }

    /// Begins the current thread in the part if records at the first tick wait.
    fn open_held(&mut self) {
        if self.here().is_some_and(|thread| !thread.held.is_empty()) {
            self.open(false);
        }
    }

    /// Writes the records of the current thread at the first tick, which are its last ones: calls
    /// that are open end there, and do not belong to the part.
    fn put_last(&mut self) {
        let from = self.options.from;
        let Some(thread) = self.here_mut() else { return };
        let held = thread.end_at_first_tick(from);
        if !held.is_empty() {
            self.begin_last(from, None);
        }
        for (Function { kind, func, cpu, .. }, arguments) in &held {
            self.put((*kind, *func), from, *cpu, arguments);
        }
        self.end_buffer();
    }
}

impl Thread {
    /// Notes a record, whose clock is the latest.
    fn pass(&mut self, phase: Phase) {
        match phase {
            Phase::Before => {
                (self.has_before, self.is_lost) = (true, false);
                if let Some(opened) = &mut self.opened {
                    opened.is_late = true;
                }
            }
            Phase::Within => {}
            Phase::After => self.has_after = true,
        }
        if phase < Phase::After {
            self.latest_within = self.latest.max(self.latest_within);
        }
    }

    /// Whether a buffer with records before the part has come after others, and there is room for
    /// records at the first tick.
    fn is_late(&self) -> bool {
        self.opened.as_ref().is_some_and(|opened| opened.is_late && opened.deferred.len() < MOST_HELD)
    }

    /// Whether the records that wait end calls that are not known to be open.
    fn has_strays(&self) -> bool {
        let mut stack = self.calls.opening();
        self.held.iter().any(|(function, _)| {
            let is_stray = matches!(stack.ended_by(function.func), Ended::BeforeRecording | Ended::Stray);
            stack.take(step_of(function));
            is_stray && !function.kind.is_enter()
        })
    }

    /// Removes the calls that end at the first tick of the part, which do not belong to it. Returns
    /// the other records there.
    fn end_at_first_tick(&mut self, from: u64) -> Vec<(Function, Vec<u64>)> {
        let mut stack = self.calls.opening();
        // How many calls are older than the part.
        let mut old = stack.calls().len();
        let mut kept: Vec<(Function, Vec<u64>)> = Vec::new();
        for (function, arguments) in mem::take(&mut self.held) {
            let Function { kind, func, .. } = function;
            if kind.is_enter() {
                stack.enter(Call::new(func, kind));
                kept.push((function, arguments));
                continue;
            }
            let is_old = match stack.ended_by(func) {
                Ended::Open(depth) => depth < old && stack.calls().len() == old,
                Ended::BeforeRecording => self.begins < from,
                Ended::Stray => self.has_before && kept.is_empty() && !stack.shows_gap(),
                Ended::Hidden => false,
            };
            stack.exit(func);
            if is_old {
                self.calls.take(Phase::Before, Step::Exit(func));
            } else {
                kept.push((function, arguments));
            }
            old = old.min(stack.calls().len());
        }
        kept
    }
}

/// The calls that are open and have not been entered in the part: the outermost ones.
fn missing_of(calls: &[Call], entered: &[i32]) -> Vec<Call> {
    let same = calls.iter().rev().zip(entered.iter().rev()).take_while(|(call, func)| call.func == **func).count();
    calls.get(..calls.len() - same).unwrap_or_default().to_vec()
}

/// The effect of a record on the open calls.
fn step_of(function: &Function) -> Step {
    let Function { kind, func, .. } = *function;
    if kind.is_enter() { Step::Enter(Call::new(func, kind)) } else { Step::Exit(func) }
}

/// Seconds and microseconds since boot at `clock`. The time of the buffer's beginning, if the
/// frequency of the clock is unknown.
fn wall_at(start: &Start, clock: u64, frequency: u64) -> (i64, i32) {
    let ticks = (i128::from(clock) - i128::from(start.clock)) * 1_000_000;
    let elapsed = if frequency == 0 { 0 } else { ticks.div_euclid(frequency.into()) };
    let (seconds, micros) = start.wall;
    let micros = elapsed + i128::from(micros);
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
        self.records.finish();
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
        self.go_to(start.pid, start.tid);
        let first = self.options.from;
        let thread = self.threads.get_mut(self.current)?;
        let clock = clock.unwrap_or(thread.latest);
        self.start.clock = clock;
        (thread.start, thread.cpu, thread.latest) = (self.start, start.cpu, clock);
        thread.begins = thread.begins.min(clock);
        thread.has_before |= clock < first;
        thread.calls.buffer(clock);
        Some(clock)
    }

    fn thread(&mut self, pid: i32, tid: i32, _at: u64) {
        self.go_to(pid, tid);
    }

    fn function(&mut self, function: Function) {
        self.end_event();
        let Function { clock, cpu, .. } = function;
        let Some(thread) = self.threads.get_mut(self.current) else { return };
        let previous = thread.latest;
        // A clock that goes back is taken to stand still.
        thread.latest = clock.max(previous);
        thread.cpu = cpu;
        let time = thread.latest;
        let phase = self.phase(time);
        let begins = self.start.clock;
        // Nothing can have begun before the first tick of all.
        let edge = (self.options.from > 0).then_some(self.options.from);
        let Some(thread) = self.here_mut() else { return };
        thread.pass(phase);
        match phase {
            Phase::Before => {
                thread.calls.take(Phase::Before, step_of(&function));
                self.last = Last::Before;
            }
            Phase::Within if Some(time) == edge && thread.opened.is_none() && thread.held.len() < MOST_HELD => {
                thread.held.push((function, Vec::new()));
                self.last = Last::Held;
            }
            Phase::Within if Some(time) == edge && Some(begins) < edge && thread.is_late() => {
                // The other records of the thread are later, so they have been written.
                thread.calls.take(Phase::Within, step_of(&function));
                if let Some(opened) = &mut thread.opened {
                    opened.deferred.push((function, Vec::new()));
                }
                self.last = Last::Deferred;
            }
            Phase::Within => {
                self.open(true);
                self.write(function, &[], previous);
                self.last = Last::Written(function);
            }
            Phase::After => {
                if !thread.held.is_empty() {
                    self.open(false);
                }
                if let Some(thread) = self.here_mut() {
                    thread.calls.take(Phase::After, step_of(&function));
                }
                self.last = Last::Elsewhere;
            }
        }
    }

    fn argument(&mut self, value: u64) {
        match self.last {
            Last::Written(Function { func, .. }) => self.put_argument(func, value),
            Last::Held => {
                let held = self.here_mut().and_then(|thread| thread.held.last_mut());
                held.into_iter().for_each(|(_, arguments)| arguments.push(value));
            }
            Last::Deferred => {
                let opened = self.here_mut().and_then(|thread| thread.opened.as_mut());
                let last = opened.and_then(|opened| opened.deferred.last_mut());
                last.into_iter().for_each(|(_, arguments)| arguments.push(value));
            }
            Last::Before => self.here_mut().into_iter().for_each(|thread| thread.calls.argument(value)),
            Last::Elsewhere => {}
        }
    }

    fn event(&mut self, event: Event) {
        self.end_event();
        self.last = Last::Elsewhere;
        let phase = self.phase(event.clock);
        let Some(thread) = self.here_mut() else { return };
        thread.latest = thread.latest.max(event.clock);
        thread.pass(phase);
        thread.calls.take(phase, Step::Event);
        if phase != Phase::Within {
            return;
        }
        self.open(true);
        self.written += 1;
        if let Some(opened) = self.here_mut().and_then(|thread| thread.opened.as_mut()) {
            opened.has_records = true;
        }
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

    fn lost(&mut self, _at: u64) {
        self.end_event();
        let Some(thread) = self.here() else { return };
        let (latest, cpu) = (thread.latest, thread.cpu);
        if !thread.held.is_empty() {
            self.open(false);
        }
        let phase = self.phase(latest);
        let Some(thread) = self.here_mut() else { return };
        thread.calls.take(phase, Step::Lost);
        match &mut thread.opened {
            Some(_) if phase == Phase::Within => self.lose(cpu, latest),
            None if phase < Phase::After => thread.is_lost = true,
            _ => {}
        }
    }
}
