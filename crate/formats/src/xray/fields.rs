//! The sink that passes records with their fields to a visitor.
//!
//! Fields: `kind`, `cpu`, then of a function `args`, of an event `type` and `data`. The function
//! itself is the name; if that is a text, `func_id` is a field, too. The name of an event is what
//! its payload says.

use alloc::string::String;
use alloc::vec::Vec;

use unspool_trace::batch::TrackId;
use unspool_trace::locator::Locator;
use unspool_trace::records::{Extent, FieldValue, Record, RecordName, Visitor};

use super::checkpoints::Checkpoint;
use super::decode::{Event, Function, Sink, Taken};
use super::labels::record_name;
use super::record::{self, Head, kind_of, kind_of_event};
use super::wire::{FUNCTION_LEN, FunctionKind};

/// Limit for the arguments of a function that are passed on.
const MAX_ARGUMENTS: usize = 1 << 16;

/// Limit for the bytes of an event that are passed on to what looks into them.
const MAX_PAYLOAD: usize = 64 << 20;

/// What [`Fields`] keeps from one portion to the next: the record that is not complete, and where
/// it belongs.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) lane: u32,
    pub(super) track: TrackId,
    /// The row of the next record.
    pub(super) row: u64,
    /// Number of records that are still to come.
    pub(super) left: u64,
    /// The least position that the next record may have on the x axis, in a lane that is sorted.
    pub(super) latest: u64,
    pub(super) sorted: bool,
    /// The name of the next functions, if the log records it, and their id.
    pub(super) named: Option<(i32, String)>,
    pub(super) record: record::Record,
    /// Limit for a payload that is shown, in bytes.
    pub(super) limit: usize,
    /// The extent to which the visitor needs it.
    pub(super) extent: Extent,
    /// All records have been passed on.
    pub(super) done: bool,
    /// Tracks of threads by process and thread id, sorted: for logs whose threads change from
    /// record to record.
    pub(super) threads: Vec<(i32, i32, TrackId)>,
}

/// The sink.
pub(super) struct Fields<'a> {
    pub(super) held: &'a mut Held,
    pub(super) visitor: &'a mut dyn Visitor,
}

impl<'a> Fields<'a> {
    pub(super) fn new(held: &'a mut Held, visitor: &'a mut dyn Visitor) -> Self {
        held.extent = visitor.extent();
        held.record.digests = held.extent == Extent::Digested;
        Self { held, visitor }
    }

    /// Passes on the record that was held back for its arguments or its payload.
    pub(super) fn flush(&mut self) {
        let held = &mut *self.held;
        let Some(head) = held.record.head.take() else { return };
        let record::Record { arguments, payload, left_out, .. } = &held.record;
        let label;
        let (at, clock, cpu, name) = match head {
            Head::Function(f) => {
                let name = match &held.named {
                    Some((func, name)) if *func == f.func => RecordName::Text(name),
                    _ => RecordName::Id(f.func.into()),
                };
                (f.at, f.clock, f.cpu, name)
            }
            Head::Event(e) => {
                label = record_name(&e, payload);
                (e.at, e.clock, e.cpu, RecordName::Text(&label))
            }
        };
        let x = if held.sorted { clock.max(held.latest) } else { clock };
        held.latest = x;
        let (lane, row, track) = (held.lane, held.row, held.track);
        held.row += 1;
        held.left = held.left.saturating_sub(1);
        held.done = held.left == 0;
        if self.visitor.begin(&Record { locator: Locator::at(at), lane, row, x, track, name }) {
            let kind = match head {
                Head::Function(f) => kind_of(f.kind, !arguments.is_empty()),
                Head::Event(event) => kind_of_event(&event),
            };
            self.visitor.field("kind", FieldValue::Text(kind));
            self.visitor.field("cpu", FieldValue::Id(cpu.into()));
            if let (Head::Function(f), RecordName::Text(_)) = (head, name) {
                self.visitor.field("func_id", FieldValue::Id(f.func.into()));
            }
            if let Head::Event(event) = head {
                if let Some(kind) = event.kind {
                    self.visitor.field("type", FieldValue::Id(kind.into()));
                }
                let data = FieldValue::Bytes { bytes: payload, len: event.size.into() };
                self.visitor.field("data", if event.overwritten { FieldValue::Null } else { data });
            } else if !arguments.is_empty() {
                self.visitor.open("args", true);
                for argument in arguments {
                    self.visitor.field("", FieldValue::Hex(*argument));
                }
                self.visitor.close();
            }
            if let Some(digest) = left_out {
                self.visitor.left_out(digest.finish());
            }
            self.visitor.end();
        }
    }

    /// Another record begins. Returns whether it is one of those wanted.
    fn next(&mut self) -> bool {
        self.flush();
        !self.held.done
    }
}

impl Sink for Fields<'_> {
    fn is_full(&self) -> bool {
        self.held.done || self.visitor.is_full()
    }

    // Another thread's records within the buffer are another piece.
    fn buffer(&mut self, _start: Checkpoint, _clock: Option<u64>) -> Option<u64> {
        None
    }

    fn thread(&mut self, pid: i32, tid: i32, _at: u64) {
        self.flush();
        let threads = &self.held.threads;
        if let Ok(i) = threads.binary_search_by_key(&(pid, tid), |(pid, tid, _)| (*pid, *tid)) {
            self.held.track = threads.get(i).map_or(0, |(.., track)| *track);
        }
    }

    fn name(&mut self, func: i32, name: &str) {
        self.flush();
        let known = self.held.named.as_ref().is_some_and(|(id, text)| *id == func && text == name);
        if !known {
            self.held.named = Some((func, name.into()));
        }
    }

    fn function(&mut self, function: Function) {
        if self.next() {
            self.held.record.begin(Head::Function(function));
        }
    }

    // A record that another function record follows has no arguments, so nothing is held back.
    fn functions(&mut self, records: &[[u8; FUNCTION_LEN]], at: u64, mut clock: u64, cpu: u16) -> Option<Taken> {
        let word = |record: &[u8; FUNCTION_LEN]| {
            let [a, b, c, d, ..] = *record;
            // Metadata has bit 0, an invalid kind bit 3.
            Some(u32::from_le_bytes([a, b, c, d])).filter(|word| word & 0b1001 == 0)
        };
        let mut next = word(records.first()?)?;
        self.flush();
        let held = &mut *self.held;
        let mut taken: Option<Taken> = None;
        for (i, record) in records.iter().enumerate() {
            let Some(following) = records.get(i + 1).and_then(word) else { break };
            if held.done || held.named.is_some() || self.visitor.is_full() {
                break;
            }
            let this = core::mem::replace(&mut next, following);
            let Some(kind) = FunctionKind::from_bits(this >> 1 & 7) else { break };
            let [.., e, f, g, h] = *record;
            clock = clock.wrapping_add(u32::from_le_bytes([e, f, g, h]).into());
            let x = if held.sorted { clock.max(held.latest) } else { clock };
            let locator = Locator::at(at + (i * FUNCTION_LEN) as u64);
            let (lane, row, track) = (held.lane, held.row, held.track);
            held.latest = x;
            held.row += 1;
            held.left = held.left.saturating_sub(1);
            held.done = held.left == 0;
            let name = RecordName::Id((this >> 4).into());
            let record = Record { locator, lane, row, x, track, name };
            self.visitor.record(&record, kind_of(kind, false), &[("cpu", FieldValue::Id(cpu.into()))]);
            taken = Some(Taken { count: i + 1, clock, kind });
        }
        taken
    }

    fn argument(&mut self, value: u64) {
        // A call has a few; a file may give it millions.
        self.held.record.argument(value, MAX_ARGUMENTS);
    }

    fn event(&mut self, event: Event) {
        if self.next() {
            self.held.record.begin(Head::Event(event));
        }
    }

    fn payload(&mut self, bytes: &[u8]) {
        let held = &mut *self.held;
        let limit = if held.extent == Extent::Held { held.limit.max(MAX_PAYLOAD) } else { held.limit };
        let is_long = held.record.payload(bytes, limit);
        // The rest of a long payload need not be read for its last record, unless it has a digest.
        if is_long && held.left == 1 && !held.record.digests {
            self.flush();
        }
    }
}
