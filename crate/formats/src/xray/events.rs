//! Turns XRay records into trace events, and puts a thread's buffers in order.
//!
//! Buffers come in the order of a queue. One that begins before its thread's latest record is passed over in the main pass
//! and remembered; at the end such a thread alone is delivered anew, all its buffers by their first clock:
//!
//! ```text
//! file      | A 10..20 | B 12..18 | A 40..50 | A 20..30 | B 18..25 |
//! main pass   A          B          A          (later)    B
//! at the end  Restart A, then A 10..20, A 20..30, A 40..50
//! ```
//!
//! The order of reading is that of `order.rs`.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use hashbrown::HashMap;

use crate::batch::{EventBatch, EventKind, Key, Name, Orphans, TrackDef, TrackId, TrackKind};
use crate::decoder::{Decoder, Progress, Range, Want};
use crate::details::{Field, RecordDetails, Value};
use crate::error::{Error, Result};
use crate::info::{Capability, Clock, Info, Tab};
use crate::limits::Limits;
use crate::locator::Locator;
use crate::names::Names;
use crate::problem::Problem;
use crate::sniff::OpenOptions;

use super::decode::{BasicWalk, Event, FdrWalk, Function, PLACE_EVERY, Place, Sink};
use super::order::{Plan, Planned};
use super::wire::{BASIC_LEN, FunctionKind, HEADER_LEN, Header, Mode};
use super::yaml::YamlWalk;

/// Keys of names beyond the 32 bits of function ids.
const CUSTOM_EVENT: u64 = 1 << 32;
const TYPED_EVENT: u64 = 2 << 32;

/// Decodes logs of all versions into events.
pub(crate) struct XrayDecoder {
    header: Header,
    walk: Walk,
    at: u64,
    phase: Phase,
    plan: Plan,
    state: Tracks,
    failed: Option<Error>,
}

enum Walk {
    Fdr(FdrWalk),
    Basic(BasicWalk),
    Yaml(YamlWalk),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Header,
    Main,
    /// Delivers anew the threads whose buffers did not come in order.
    Order,
}

/// A place to take a buffer up again, and what became of it so far.
#[derive(Clone, Copy, Debug)]
struct Entry {
    place: Place,
    /// The first of its buffer.
    begins: bool,
    /// Decoded in the main pass: its records and problems have been counted.
    delivered: bool,
    thread: u32,
}

struct Thread {
    track: TrackId,
    /// Clock of its latest record.
    latest: u64,
    disordered: bool,
}

/// What the decoder knows of threads, names and buffers; together with a batch it is the walk's sink.
struct Tracks {
    limits: Limits,
    mode: Mode,
    /// The version tells processes.
    has_process: bool,
    names: Names,
    /// The name of the next function, where the log has it.
    named: Option<String>,
    processes: HashMap<i32, TrackId>,
    by_id: HashMap<(i32, i32), u32>,
    threads: Vec<Thread>,
    tracks: u32,
    current: u32,
    entries: Vec<Entry>,
    /// Planned buffers are being delivered.
    in_order: bool,
    /// What is delivered now has been counted before.
    again: bool,
    error: Option<Error>,
}

impl XrayDecoder {
    /// For a log in YAML with this header.
    pub(crate) fn yaml(header: Header, options: OpenOptions) -> Self {
        let mut decoder = Self::new(header, options);
        decoder.walk = Walk::Yaml(YamlWalk::new(0));
        // Its header is a few lines that the walk passes over. Processes may be told in any version.
        decoder.phase = Phase::Main;
        decoder.state.has_process = true;
        decoder
    }

    pub(crate) fn new(header: Header, options: OpenOptions) -> Self {
        let walk = match header.mode {
            Mode::Fdr => Walk::Fdr(FdrWalk::new(&header, options.size)),
            Mode::Basic => Walk::Basic(BasicWalk::new(&header, HEADER_LEN)),
        };
        let state = Tracks {
            limits: options.limits,
            mode: header.mode,
            has_process: header.version >= 3,
            names: Names::default(),
            named: None,
            processes: HashMap::new(),
            by_id: HashMap::new(),
            threads: Vec::new(),
            tracks: 0,
            current: 0,
            entries: Vec::new(),
            in_order: false,
            again: false,
            error: None,
        };
        Self { header, walk, at: 0, phase: Phase::Header, plan: Plan::default(), state, failed: None }
    }

    /// What is special about the form of the log, behind its version.
    fn form(&self) -> &'static str {
        match self.walk {
            Walk::Yaml(_) => ", YAML",
            _ if self.header.big_endian => ", big-endian",
            _ => "",
        }
    }

    fn check(&mut self) -> Result<()> {
        if let Some(error) = self.state.error.take() {
            self.failed = Some(error);
        }
        self.failed.map_or(Ok(()), Err)
    }

    fn main(&mut self, input: &[u8], out: &mut EventBatch) -> usize {
        let mut sink = ToBatch { tracks: &mut self.state, out };
        match &mut self.walk {
            Walk::Fdr(walk) => walk.run(input, &mut sink),
            Walk::Basic(walk) => walk.run(input, &mut sink),
            Walk::Yaml(walk) => walk.run(input, &mut sink),
        }
    }
}

impl Decoder for XrayDecoder {
    fn info(&self) -> Info {
        let h = &self.header;
        let clock = match h.frequency {
            0 => Clock::Ticks,
            frequency => Clock::Seconds { frequency },
        };
        let mut properties = Vec::new();
        let frequency = match h.frequency {
            0 => "unknown: times are shown in ticks".to_string(),
            1_000_000_000 => "1 GHz (the clock of the operating system, not the TSC)".to_string(),
            hz if hz % 1_000_000_000 == 0 => format!("{} GHz", hz / 1_000_000_000),
            hz => format!("{}.{:03} MHz", hz / 1_000_000, hz / 1_000 % 1_000),
        };
        properties.push(("Clock", frequency));
        if h.mode == Mode::Fdr {
            properties.push(("Buffer size", format!("{} bytes", h.buffer_size)));
        }
        properties.push(("Constant TSC", if h.constant_tsc { "yes" } else { "no" }.to_string()));
        properties.push(("Nonstop TSC", if h.nonstop_tsc { "yes" } else { "no" }.to_string()));
        Info {
            format: "xray",
            title: format!("XRay {} {}{}", h.mode.name(), h.version, self.form()),
            version: h.version.to_string(),
            container: None,
            clock,
            place_noun: "byte",
            event_noun: "record",
            slice_noun: "call",
            when_empty: "The log has a header and no records: nothing was recorded, or the program ended before its \
                         buffers were written.",
            offers: match clock {
                Clock::Seconds { .. } => &[Capability::CallStacks, Capability::Time],
                Clock::Ticks | Clock::Ordinal { .. } => &[Capability::CallStacks],
            },
            first_tab: Tab::Functions,
            properties,
        }
    }

    fn push(&mut self, input: &[u8], out: &mut EventBatch) -> Result<Progress> {
        self.check()?;
        let mut used = 0;
        if self.phase == Phase::Header {
            let left = usize::try_from(HEADER_LEN - self.at).unwrap_or(usize::MAX);
            used = left.min(input.len());
            self.at += used as u64;
            if self.at < HEADER_LEN {
                return Ok(Progress { used });
            }
            self.phase = Phase::Main;
        }
        let rest = input.get(used..).unwrap_or_default();
        let n = match self.phase {
            Phase::Main => {
                let n = self.main(rest, out);
                self.at += n as u64;
                n
            }
            Phase::Order => match &mut self.walk {
                Walk::Fdr(walk) => {
                    let mut sink = ToBatch { tracks: &mut self.state, out };
                    self.plan.run(&self.header, walk, rest, &mut sink, ToBatch::begin_again)
                }
                Walk::Basic(_) | Walk::Yaml(_) => rest.len(),
            },
            Phase::Header => 0,
        };
        self.check()?;
        Ok(Progress { used: used + n })
    }

    fn end(&mut self, rest: &[u8], out: &mut EventBatch) -> Result<()> {
        self.check()?;
        match self.phase {
            Phase::Header => {
                let needed = HEADER_LEN - self.at;
                self.failed = Some(Error::new(self.at, crate::error::Cause::UnexpectedEnd { needed }));
            }
            Phase::Main => {
                let mut sink = ToBatch { tracks: &mut self.state, out };
                match &mut self.walk {
                    Walk::Fdr(walk) => walk.end(rest, &mut sink),
                    Walk::Basic(walk) => walk.end(rest, &mut sink),
                    Walk::Yaml(walk) => walk.end(&mut sink),
                }
                self.plan = self.state.make_plan(out);
                self.phase = Phase::Order;
            }
            Phase::Order => {
                if let Walk::Fdr(walk) = &mut self.walk {
                    self.plan.end(walk, rest, &mut ToBatch { tracks: &mut self.state, out });
                }
            }
        }
        self.check()
    }

    fn want(&self) -> Want {
        match self.phase {
            Phase::Header | Phase::Main => Want::Next,
            Phase::Order => self.plan.want(),
        }
    }

    fn details_range(&self, locator: Locator) -> Option<Range> {
        let at = locator.position();
        if let Walk::Yaml(_) = self.walk {
            return Some(Range { at, len: PLACE_EVERY });
        }
        match self.header.mode {
            Mode::Basic => Some(Range { at, len: 2 * BASIC_LEN as u64 }),
            Mode::Fdr => {
                let entry = self.state.entry_before(at)?;
                // The record itself with its arguments or the part of its payload that is shown.
                let end = at.saturating_add(PLACE_EVERY).min(entry.place.end);
                Some(Range { at: entry.place.at, len: end - entry.place.at })
            }
        }
    }

    fn details(&self, locator: Locator, bytes: &[u8]) -> Result<RecordDetails> {
        let at = locator.position();
        let mut sink = OneRecord {
            wanted: at,
            has_process: self.state.has_process,
            limit: self.state.limits.payload,
            ..OneRecord::default()
        };
        match self.header.mode {
            _ if matches!(self.walk, Walk::Yaml(_)) => {
                let mut walk = YamlWalk::new(at);
                walk.run(bytes, &mut sink);
                walk.end(&mut sink);
            }
            Mode::Basic => {
                BasicWalk::new(&self.header, at).run(bytes, &mut sink);
            }
            Mode::Fdr => {
                let misuse = crate::error::Cause::Misuse("there is no record at this place");
                let entry = self.state.entry_before(at).ok_or(Error::new(at, misuse))?;
                (sink.pid, sink.tid) = (entry.place.pid, entry.place.tid);
                FdrWalk::resume(&self.header, entry.place).run(bytes, &mut sink);
            }
        }
        sink.finish()
    }
}

impl Tracks {
    /// The last place at or before a record, in the record's own buffer.
    fn entry_before(&self, at: u64) -> Option<Entry> {
        let i = self.entries.partition_point(|e| e.place.at <= at).checked_sub(1)?;
        self.entries.get(i).copied().filter(|e| at < e.place.end)
    }

    fn thread_index(&mut self, pid: i32, tid: i32, at: u64, start: Option<u64>, out: &mut EventBatch) -> u32 {
        if let Some(index) = self.by_id.get(&(pid, tid)) {
            return *index;
        }
        if let Err(error) = self.limits.check_tracks(self.threads.len() + 1, at) {
            self.error.get_or_insert(error);
            return self.current;
        }
        let process = *self.processes.entry(pid).or_insert_with(|| {
            let name = if self.has_process { format!("process {pid}") } else { "process not recorded".to_string() };
            let id = self.has_process.then_some(i64::from(pid));
            out.new_tracks.push(TrackDef { id, ..TrackDef::new(TrackKind::Process, name) });
            self.tracks += 1;
            self.tracks - 1
        });
        let name = if pid == tid { format!("main thread {tid}") } else { format!("thread {tid}") };
        out.new_tracks.push(TrackDef {
            parent: Some(process),
            id: Some(tid.into()),
            orphans: match self.mode {
                Mode::Fdr => Orphans::FromStart,
                Mode::Basic => Orphans::FromPrevious,
            },
            start,
            ..TrackDef::new(TrackKind::Thread, name)
        });
        let index = self.threads.len() as u32;
        self.threads.push(Thread { track: self.tracks, latest: start.unwrap_or(0), disordered: false });
        self.tracks += 1;
        self.by_id.insert((pid, tid), index);
        index
    }

    /// Plans the buffers of the threads that did not come in order, and says that these begin anew.
    fn make_plan(&mut self, out: &mut EventBatch) -> Plan {
        let mut queues: HashMap<u32, Vec<Planned>> = HashMap::new();
        for (number, entry) in (0..).zip(&self.entries) {
            if entry.begins && self.threads.get(entry.thread as usize).is_some_and(|t| t.disordered) {
                queues.entry(entry.thread).or_default().push(Planned { place: entry.place, number });
            }
        }
        let mut first: Vec<(u32, u64)> = Vec::new();
        for (thread, queue) in &queues {
            first.extend(queue.iter().map(|b| b.place.clock).min().map(|clock| (*thread, clock)));
        }
        first.sort_unstable();
        for (thread, clock) in first {
            if let Some(thread) = self.threads.get(thread as usize) {
                out.push(EventKind::Restart, thread.track, clock, 0, Locator::default());
            }
        }
        self.in_order = true;
        Plan::new(queues.into_values())
    }
}

/// The sink that fills a batch.
struct ToBatch<'a> {
    tracks: &'a mut Tracks,
    out: &'a mut EventBatch,
}

impl ToBatch<'_> {
    /// A planned buffer comes now.
    fn begin_again(&mut self, planned: Planned) {
        if let Some(entry) = self.tracks.entries.get_mut(planned.number as usize) {
            self.tracks.current = entry.thread;
            self.tracks.again = entry.delivered;
            entry.delivered = true;
        }
    }

    fn track(&self) -> TrackId {
        self.tracks.threads.get(self.tracks.current as usize).map_or(0, |t| t.track)
    }

    #[inline]
    fn add(&mut self, kind: EventKind, key: u64, clock: u64, at: u64) {
        let limit = self.tracks.limits.names;
        let named = &mut self.tracks.named;
        let name = |key| {
            let text = named.take().unwrap_or_else(|| name_of(key));
            let key = if key >> 32 == 0 { Key::Id((key as u32 as i32).into()) } else { Key::None };
            Name { text, key, ..Name::default() }
        };
        let name = match self.tracks.names.number(key, at, limit, self.out, name) {
            Ok(name) => name,
            Err(error) => {
                self.tracks.error.get_or_insert(error);
                return;
            }
        };
        let Some(thread) = self.tracks.threads.get_mut(self.tracks.current as usize) else { return };
        thread.latest = clock;
        self.out.push(kind, thread.track, clock, name, Locator::at(at));
        if !self.tracks.again {
            self.out.records += 1;
        }
    }
}

/// XRay's own tools write `#12` for a function whose name they do not know.
fn name_of(key: u64) -> String {
    match key >> 32 {
        0 => format!("#{}", key as u32 as i32),
        1 => "custom event".to_string(),
        _ => format!("typed event {}", key as u32),
    }
}

impl Sink for ToBatch<'_> {
    #[inline]
    fn is_full(&self) -> bool {
        self.out.is_full() || self.tracks.error.is_some()
    }

    fn buffer(&mut self, place: Place, clock: Option<u64>) -> Option<u64> {
        if self.tracks.in_order {
            // Records of another thread within a planned buffer: they have been delivered, or are planned by themselves.
            return None;
        }
        let thread = self.tracks.thread_index(place.pid, place.tid, place.at, clock, self.out);
        self.tracks.current = thread;
        let state = self.tracks.threads.get_mut(thread as usize)?;
        // Without a clock of its own a buffer goes on where its thread was.
        let begin = clock.unwrap_or(state.latest);
        let delivered = begin >= state.latest;
        if !delivered && !state.disordered {
            state.disordered = true;
            self.out.push(EventKind::Disordered, state.track, begin, 0, Locator::at(place.at));
        }
        let place = Place { clock: begin, ..place };
        self.tracks.entries.push(Entry { place, begins: true, delivered, thread });
        delivered.then_some(begin)
    }

    fn place(&mut self, place: Place) {
        // Those of a buffer that is delivered anew are known already, and the list is in file order.
        if self.tracks.entries.last().is_none_or(|e| e.place.at < place.at) {
            let thread = self.tracks.current;
            self.tracks.entries.push(Entry { place, begins: false, delivered: true, thread });
        }
    }

    fn thread(&mut self, pid: i32, tid: i32, at: u64) {
        self.tracks.current = self.tracks.thread_index(pid, tid, at, None, self.out);
    }

    #[inline]
    fn function(&mut self, f: Function) {
        let kind = if f.kind.is_enter() { EventKind::Begin } else { EventKind::End };
        self.add(kind, u64::from(f.func as u32), f.clock, f.at);
    }

    fn name(&mut self, func: i32, name: &str) {
        if !self.tracks.names.knows(u64::from(func as u32)) {
            self.tracks.named = Some(name.to_string());
        }
    }

    fn argument(&mut self, _value: u64) {}

    fn event(&mut self, event: Event) {
        let key = event.kind.map_or(CUSTOM_EVENT, |kind| TYPED_EVENT | u64::from(kind));
        self.add(EventKind::Instant, key, event.clock, event.at);
    }

    fn payload(&mut self, _bytes: &[u8]) {}

    fn problem(&mut self, problem: Problem) {
        if !self.tracks.again {
            self.out.problems.push(problem);
        }
    }

    fn lost(&mut self, at: u64) {
        if !self.tracks.threads.is_empty() {
            let latest = self.tracks.threads.get(self.tracks.current as usize).map_or(0, |t| t.latest);
            self.out.push(EventKind::StackLost, self.track(), latest, 0, Locator::at(at));
        }
    }
}

/// The sink that keeps one record whole.
#[derive(Default)]
struct OneRecord {
    wanted: u64,
    has_process: bool,
    limit: usize,
    pid: i32,
    tid: i32,
    function: Option<Function>,
    event: Option<Event>,
    arguments: Vec<u64>,
    payload: Vec<u8>,
    done: bool,
}

impl Sink for OneRecord {
    fn is_full(&self) -> bool {
        self.done
    }

    fn buffer(&mut self, _place: Place, _clock: Option<u64>) -> Option<u64> {
        self.done = true;
        None
    }

    fn place(&mut self, _place: Place) {}

    fn thread(&mut self, pid: i32, tid: i32, _at: u64) {
        if self.function.is_none() {
            (self.pid, self.tid) = (pid, tid);
        }
    }

    fn function(&mut self, f: Function) {
        if f.at == self.wanted {
            self.function = Some(f);
        }
        self.done |= f.at > self.wanted;
    }

    fn argument(&mut self, value: u64) {
        if self.function.is_some() {
            self.arguments.push(value);
        }
    }

    fn event(&mut self, event: Event) {
        if event.at == self.wanted {
            self.event = Some(event);
        }
        self.done |= event.at > self.wanted;
    }

    fn payload(&mut self, bytes: &[u8]) {
        if self.event.is_some() {
            let room = self.limit - self.payload.len();
            self.payload.extend(bytes.iter().take(room));
        }
    }

    fn problem(&mut self, _problem: Problem) {}

    fn lost(&mut self, _at: u64) {}
}

impl OneRecord {
    fn finish(self) -> Result<RecordDetails> {
        let mut details = RecordDetails { offset: self.wanted, ..RecordDetails::default() };
        let mut add = |name, value| details.fields.push(Field::new(name, value));
        let cpu = match (self.function, self.event) {
            (Some(f), _) => {
                add("Function id", Value::Id(f.func.into()));
                if !self.arguments.is_empty() {
                    add("Arguments", Value::List(self.arguments.into_iter().map(Value::Hex).collect()));
                }
                if f.kind == FunctionKind::TailExit {
                    details.remarks.push("The function left by a tail call; the one called comes next.".to_string());
                }
                f.cpu
            }
            (None, Some(event)) => {
                if let Some(kind) = event.kind {
                    add("Event type", Value::Id(kind.into()));
                }
                if event.overwritten {
                    details.remarks.push(format!(
                        "Its payload of {} bytes is lost: writers of 2017 and 2018 let the next records overwrite it.",
                        event.size
                    ));
                } else {
                    add("Payload", Value::Bytes { len: event.size.into(), bytes: self.payload });
                }
                event.cpu
            }
            (None, None) => {
                let cause = crate::error::Cause::Misuse("the record is not where it was: has the file changed?");
                return Err(Error::new(self.wanted, cause));
            }
        };
        let mut add = |name, value| details.fields.push(Field::new(name, value));
        add("CPU", Value::Id(cpu.into()));
        add("Thread", Value::Id(self.tid.into()));
        if self.has_process {
            add("Process", Value::Id(self.pid.into()));
        }
        Ok(details)
    }
}
