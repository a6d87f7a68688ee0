//! The sink that turns records into events of a batch.

use alloc::format;
use alloc::string::{String, ToString};

use unspool_trace::batch::{EventBatch, EventKind, Key, Name, SliceKind};
use unspool_trace::error::Error;
use unspool_trace::limits::Limits;
use unspool_trace::locator::Locator;
use unspool_trace::problem::Problem;

use crate::names::{NONE as NO_NAME, Names};
use crate::pieces::Pieces;

use super::checkpoints::{Checkpoint, Checkpoints, Entry};
use super::decode::{Event, Function, Sink, Taken};
use super::labels::{Held, Labels};
use super::left_calls::LeftCalls;
use super::plan::{Plan, Planned};
use super::problems::COPIED_RECORD;
use super::tail_calls::TailCalls;
use super::threads::Threads;
use super::wire::{FUNCTION_LEN, FunctionKind, Header};

/// Function records that are decoded together.
const RUN: usize = 64;
/// Bits of a record's first word that no function has: metadata has bit 0, an invalid kind bit 3.
const NO_FUNCTION: u32 = 0b1001;
/// Key of the name of time without records.
const LOST: u64 = u64::MAX;

/// What the sink keeps from one batch to the next.
pub(super) struct State {
    pub(super) limits: Limits,
    pub(super) threads: Threads,
    pub(super) checkpoints: Checkpoints,
    names: Names,
    /// Name of the next function, if the log records it.
    named: Option<String>,
    labels: Labels,
    /// If callees of tail calls are put under the functions that left.
    pub(super) tail_calls: Option<TailCalls>,
    /// If stacks are cut where the program's code says so.
    pub(super) left_calls: Option<LeftCalls>,
    /// An event whose payload is not complete.
    held: Option<Held>,
    /// Index of the current thread.
    current: u32,
    /// Number of the checkpoint that the current records come after.
    checkpoint: u32,
    /// Pieces of a log that has no buffers.
    pub(super) pieces: Pieces,
    /// Planned buffers are being delivered.
    in_order: bool,
    /// The current buffer is out of time order: only its problems and the buffers within it are of
    /// interest, until its thread is delivered again.
    later: bool,
    /// What is being delivered has already been counted.
    again: bool,
    error: Option<Error>,
}

impl State {
    /// Bytes of memory of names, threads, their open calls, and checkpoints.
    pub(super) fn kept_bytes(&self) -> u64 {
        let open = self.tail_calls.as_ref().map_or(0, TailCalls::bytes);
        let open = open + self.left_calls.as_ref().map_or(0, LeftCalls::bytes);
        let places = self.checkpoints.bytes() + self.pieces.bytes();
        self.names.bytes() + self.labels.bytes() + self.threads.bytes() + open + places
    }

    pub(super) fn new(header: &Header, limits: Limits) -> Self {
        Self {
            limits,
            threads: Threads::new(header, limits),
            checkpoints: Checkpoints::default(),
            names: Names::default(),
            named: None,
            labels: Labels::new(limits),
            tail_calls: None,
            left_calls: None,
            held: None,
            current: 0,
            checkpoint: 0,
            pieces: Pieces::default(),
            in_order: false,
            later: false,
            again: false,
            error: None,
        }
    }

    /// Takes the first error about an exceeded limit.
    pub(super) fn take_error(&mut self) -> Option<Error> {
        self.error.take()
    }

    /// Plans the buffers of disordered threads. From here on only planned buffers are delivered.
    pub(super) fn begin_plan(&mut self, out: &mut EventBatch) -> Plan {
        (self.in_order, self.later) = (true, false);
        // Disordered threads are delivered from their beginnings.
        self.tail_calls = self.tail_calls.take().map(|_| TailCalls::default());
        self.left_calls.iter_mut().for_each(LeftCalls::restart);
        self.threads.plan(&self.checkpoints, out)
    }

    /// The index of a thread, or that of the current thread if the limit of tracks is reached.
    fn thread_index(&mut self, pid: i32, tid: i32, at: u64, start: Option<u64>, out: &mut EventBatch) -> u32 {
        // The store makes slices of gaps, but the decoder numbers all names.
        let lost = || Name { text: "time without records".into(), kind: SliceKind::Lost, key: Key::None };
        let name = self.names.number(LOST, at, self.limits.names, out, |_| lost());
        let index = name.and_then(|name| {
            self.threads.lost = Some(name);
            self.threads.index(pid, tid, at, start, out)
        });
        index.unwrap_or_else(|error| {
            self.error.get_or_insert(error);
            self.current
        })
    }
}

/// The sink that fills a batch.
pub(super) struct ToBatch<'a> {
    pub(super) state: &'a mut State,
    pub(super) out: &'a mut EventBatch,
}

impl ToBatch<'_> {
    /// The next records are those of this buffer.
    pub(super) fn begin_planned(&mut self, planned: Planned) {
        self.flush();
        if let Some(entry) = self.state.checkpoints.get_mut(planned.number) {
            self.state.current = entry.thread;
            self.state.checkpoint = planned.number;
            self.state.again = entry.delivered;
            entry.delivered = true;
        }
    }

    /// Adds the event that was held back for its payload. Nothing comes after the last one of the
    /// file, so the decoder calls this at the end.
    #[inline]
    pub(super) fn flush(&mut self) {
        if let Some(held) = self.state.held.take() {
            let (key, text) = self.state.labels.of(&held);
            self.add(EventKind::Instant, key, held.event.clock, held.event.at, || Name {
                kind: SliceKind::Event,
                ..Name::from(text)
            });
        }
    }

    #[inline]
    fn add(&mut self, kind: EventKind, key: u64, clock: u64, at: u64, name: impl FnOnce() -> Name) {
        if self.put(kind, key, clock, at, name) {
            self.count(at, (clock, clock), 1);
        }
    }

    /// Adds an event. Returns false if the limit of names is reached.
    #[inline]
    fn put(&mut self, kind: EventKind, key: u64, clock: u64, at: u64, name: impl FnOnce() -> Name) -> bool {
        let limit = self.state.limits.names;
        let name = match self.state.names.number(key, at, limit, self.out, |_| name()) {
            Ok(name) => name,
            Err(error) => {
                self.state.error.get_or_insert(error);
                return false;
            }
        };
        let Some(thread) = self.state.threads.get_mut(self.state.current) else { return false };
        thread.latest = clock;
        if !thread.is_beyond {
            self.out.push(kind, thread.track, clock, name, Locator::at(at));
        }
        true
    }

    /// Ends the calls that are held back at the end of the log.
    pub(super) fn end(&mut self) {
        self.flush();
        for thread in 0..self.state.tail_calls.as_ref().map_or(0, TailCalls::threads) {
            self.state.current = thread;
            self.interrupt();
        }
    }

    /// Ends the calls of the current thread that are held back.
    #[cold]
    fn interrupt(&mut self) {
        if let Some(calls) = &mut self.state.left_calls {
            calls.interrupt(self.state.current);
        }
        let Some(mut tails) = self.state.tail_calls.take() else { return };
        tails.interrupt(self.state.current, |kind, f| self.call(kind, f));
        self.state.tail_calls = Some(tails);
    }

    /// Adds the begin or the end of a call whose record is counted elsewhere.
    fn call(&mut self, kind: EventKind, f: Function) {
        let calls = self.state.left_calls.as_mut();
        if let Some((func, at)) = calls.and_then(|calls| calls.take(self.state.current, kind, f)) {
            self.put(EventKind::Left, u64::from(func as u32), f.clock, at, || name_of(func, None));
        }
        self.put(kind, u64::from(f.func as u32), f.clock, f.at, || name_of(f.func, None));
    }

    /// Counts records that were added. The first one is at absolute offset `at`. Their clocks
    /// ascend from the first to the second of `clocks`.
    #[inline]
    fn count(&mut self, at: u64, (first, clock): (u64, u64), records: u32) {
        if self.state.again {
            return;
        }
        self.out.records += u64::from(records);
        match self.state.checkpoints.get_mut(self.state.checkpoint) {
            Some(entry) => {
                if entry.records == 0 {
                    entry.from = first;
                }
                entry.records += records;
                entry.until = entry.until.max(clock);
            }
            None => self.state.pieces.add(at, clock),
        }
    }
}

impl Sink for ToBatch<'_> {
    #[inline]
    fn is_full(&self) -> bool {
        self.out.is_full() || self.state.error.is_some()
    }

    fn buffer(&mut self, start: Checkpoint, clock: Option<u64>) -> Option<u64> {
        self.flush();
        if self.state.in_order {
            // Another thread's records within a planned buffer have been delivered or have their
            // own entry in the plan.
            return None;
        }
        let thread = self.state.thread_index(start.pid, start.tid, start.at, clock, self.out);
        self.state.current = thread;
        let state = self.state.threads.get_mut(thread)?;
        // A buffer without a clock continues at its thread's latest time.
        let begin = clock.unwrap_or(state.latest);
        let delivered = begin >= state.latest || state.is_beyond;
        if !delivered && !state.disordered {
            state.disordered = true;
            self.out.push(EventKind::Disordered, state.track, begin, 0, Locator::at(start.at));
        }
        let checkpoint = Checkpoint { clock: begin, ..start };
        let entry = Entry { checkpoint, begins: true, delivered, thread, records: 0, from: 0, until: 0 };
        self.state.checkpoint = self.state.checkpoints.push(entry);
        // Its records are walked over even if they come later: only they say where it really ends.
        self.state.later = !delivered;
        Some(begin)
    }

    fn checkpoint(&mut self, checkpoint: Checkpoint) {
        self.flush();
        if self.state.again || self.state.later {
            // It is in the list since the first time, or will be when its records are delivered.
            return;
        }
        let thread = self.state.current;
        let entry = Entry { checkpoint, begins: false, delivered: true, thread, records: 0, from: 0, until: 0 };
        self.state.checkpoint = self.state.checkpoints.push(entry);
    }

    fn thread(&mut self, pid: i32, tid: i32, at: u64) {
        self.flush();
        self.state.current = self.state.thread_index(pid, tid, at, None, self.out);
    }

    #[inline]
    fn function(&mut self, f: Function) {
        if self.state.later {
            return;
        }
        self.flush();
        let kind = if f.kind.is_enter() { EventKind::Begin } else { EventKind::End };
        let named = self.state.named.take();
        let key = u64::from(f.func as u32);
        if self.state.tail_calls.is_some() || self.state.left_calls.is_some() {
            // A name in the log precedes all events of its function.
            let limit = self.state.limits.names;
            let number = self.state.names.number(key, f.at, limit, self.out, |_| name_of(f.func, named));
            if let Err(error) = number {
                self.state.error.get_or_insert(error);
            } else {
                self.count(f.at, (f.clock, f.clock), 1);
                let Some(mut tails) = self.state.tail_calls.take() else { return self.call(kind, f) };
                tails.take(self.state.current, f, |kind, f| self.call(kind, f));
                self.state.tail_calls = Some(tails);
            }
            return;
        }
        self.add(kind, key, f.clock, f.at, || name_of(f.func, named));
    }

    fn copied(&mut self, f: Function) {
        self.flush();
        self.count(f.at, (f.clock, f.clock), 1);
        self.problem(Problem { at: f.at, kind: &COPIED_RECORD, value: 1 });
    }

    // Appending to five vectors costs more than decoding. Short columns of fixed size are filled
    // instead, and appended at once.
    #[inline]
    fn functions(&mut self, records: &[[u8; FUNCTION_LEN]], at: u64, mut clock: u64, _cpu: u16) -> Option<Taken> {
        if self.state.later {
            return pass_over(records, clock);
        }
        if self.state.tail_calls.is_some() || self.state.left_calls.is_some() {
            return None;
        }
        self.flush();
        let thread = self.state.threads.get_mut(self.state.current).filter(|thread| !thread.is_beyond)?;
        let known = self.state.names.small();
        // A clock that wraps around is no longer the greatest of the run.
        clock.checked_add(RUN as u64 * u64::from(u32::MAX))?;
        let records = records.get(..self.out.room()).unwrap_or(records);
        let (mut kinds, mut times, mut names) = ([EventKind::End; RUN], [0; RUN], [0; RUN]);
        let mut count = 0_usize;
        let columns = kinds.iter_mut().zip(&mut times).zip(&mut names);
        for (record, ((kind, time), name)) in records.iter().zip(columns) {
            let [a, b, c, d, e, f, g, h] = *record;
            let word = u32::from_le_bytes([a, b, c, d]);
            if word & NO_FUNCTION != 0 {
                break;
            }
            let Some(number) = known.get((word >> 4) as usize).copied().filter(|n| *n != NO_NAME) else { break };
            clock = clock.wrapping_add(u32::from_le_bytes([e, f, g, h]).into());
            // Kinds 0 and 3 are enters, 1 and 2 exits.
            *kind = if (word >> 1 ^ word >> 2) & 1 == 0 { EventKind::Begin } else { EventKind::End };
            *time = clock;
            *name = number;
            count += 1;
        }
        let last = records.get(count.checked_sub(1)?)?.first_chunk()?;
        let kind = FunctionKind::from_bits(u32::from_le_bytes(*last) >> 1 & 7)?;
        thread.latest = clock;
        let locators = (0..count).map(|i| Locator::at(at + (i * FUNCTION_LEN) as u64));
        self.out.extend(thread.track, kinds.get(..count)?, times.get(..count)?, names.get(..count)?, locators);
        self.count(at, (*times.first()?, clock), count as u32);
        Some(Taken { count, clock, kind })
    }

    fn name(&mut self, func: i32, name: &str) {
        if !self.state.names.knows(u64::from(func as u32)) {
            self.state.named = Some(name.to_string());
        }
    }

    fn event(&mut self, event: Event) {
        if self.state.later {
            return;
        }
        self.flush();
        self.state.held = Some(Held::new(event));
        self.payload(&[]);
    }

    fn payload(&mut self, bytes: &[u8]) {
        if self.state.held.as_mut().is_some_and(|held| held.take(bytes)) {
            self.flush();
        }
    }

    fn problem(&mut self, problem: Problem) {
        // The main pass has found the problems of all buffers.
        if !self.state.in_order {
            self.out.problems.push(problem);
        }
    }

    fn lost(&mut self, at: u64) {
        if self.state.later {
            return;
        }
        self.flush();
        self.interrupt();
        if let Some(thread) = self.state.threads.get(self.state.current).filter(|thread| !thread.is_beyond) {
            self.out.push(EventKind::StackLost, thread.track, thread.latest, 0, Locator::at(at));
        }
    }
}

/// The name of a function, whose text the log may have.
fn name_of(func: i32, named: Option<String>) -> Name {
    // LLVM's tools write `#12` for a function whose name they do not know.
    let text = named.unwrap_or_else(|| format!("#{func}"));
    Name { text, key: Key::Id(func.into()), ..Name::default() }
}

/// Takes leading records without a look at what they are. `None` if the first one is not a
/// function.
fn pass_over(records: &[[u8; FUNCTION_LEN]], mut clock: u64) -> Option<Taken> {
    let (mut count, mut last) = (0, 0);
    for [a, b, c, d, e, f, g, h] in records {
        let word = u32::from_le_bytes([*a, *b, *c, *d]);
        if word & NO_FUNCTION != 0 {
            break;
        }
        (count, last) = (count + 1, word);
        clock = clock.wrapping_add(u32::from_le_bytes([*e, *f, *g, *h]).into());
    }
    let kind = FunctionKind::from_bits(last >> 1 & 7)?;
    (count > 0).then_some(Taken { count, clock, kind })
}
