//! The details of a record, decoded again from the nearest checkpoint before it.

use alloc::format;
use alloc::string::ToString;

use unspool_trace::decoder::Range;
use unspool_trace::details::{Field, RecordDetails, Value};
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::locator::Locator;

use super::checkpoints::Checkpoint;
use super::decode::{Event, FdrWalk, Function, Sink};
use super::index::XrayRecords;
use super::record::{Head, Record};
use super::wire::{BASIC_LEN, FunctionKind, Mode};

/// Bytes from the record on that are read for its arguments, or the visible part of its payload.
const AFTER: u64 = 256 * 1024;

impl XrayRecords {
    pub(super) fn range_of(&self, locator: Locator) -> Option<Range> {
        let at = locator.position();
        if self.index.is_yaml {
            return Some(Range { at, len: AFTER });
        }
        match self.index.header.mode {
            Mode::Basic => Some(Range { at, len: 2 * BASIC_LEN as u64 }),
            Mode::Fdr => {
                let start = self.index.checkpoints.before(at)?;
                // Up to the record, then its arguments or the visible part of its payload.
                let end = at.saturating_add(AFTER).min(start.end);
                Some(Range { at: start.at, len: end - start.at })
            }
        }
    }

    pub(super) fn details_of(&self, locator: Locator, bytes: &[u8]) -> Result<RecordDetails> {
        let at = locator.position();
        let mut sink = OneRecord {
            wanted: at,
            has_process: self.index.has_process,
            limit: usize::try_from(self.index.payload).unwrap_or(usize::MAX),
            ..OneRecord::default()
        };
        if let Some(mut walk) = self.line_walk(at) {
            walk.run(bytes, &mut sink);
            // The last line of a log in YAML need not have an end.
            walk.end(&[], &mut sink);
        } else {
            let misuse = Cause::Misuse("there is no record at this offset");
            let start = self.index.checkpoints.before(at).ok_or(Error::new(at, misuse))?;
            (sink.pid, sink.tid) = (start.pid, start.tid);
            FdrWalk::resume(&self.index.header, start).run(bytes, &mut sink);
        }
        sink.finish()
    }
}

/// The sink that collects one record.
#[derive(Default)]
struct OneRecord {
    /// Absolute offset of the record.
    wanted: u64,
    has_process: bool,
    /// Bytes of payload to keep.
    limit: usize,
    pid: i32,
    tid: i32,
    record: Record,
    done: bool,
}

impl Sink for OneRecord {
    fn is_full(&self) -> bool {
        self.done
    }

    fn buffer(&mut self, _start: Checkpoint, _clock: Option<u64>) -> Option<u64> {
        self.done = true;
        None
    }

    fn thread(&mut self, pid: i32, tid: i32, _at: u64) {
        if !matches!(self.record.head, Some(Head::Function(_))) {
            (self.pid, self.tid) = (pid, tid);
        }
    }

    fn function(&mut self, f: Function) {
        if f.at == self.wanted {
            self.record.begin(Head::Function(f));
        }
        self.done |= f.at > self.wanted;
    }

    fn argument(&mut self, value: u64) {
        self.record.argument(value, usize::MAX);
    }

    fn event(&mut self, event: Event) {
        if event.at == self.wanted {
            self.record.begin(Head::Event(event));
        }
        self.done |= event.at > self.wanted;
    }

    fn payload(&mut self, bytes: &[u8]) {
        self.record.payload(bytes, self.limit);
    }
}

impl OneRecord {
    fn finish(self) -> Result<RecordDetails> {
        let mut details = RecordDetails { offset: Some(self.wanted), ..RecordDetails::default() };
        let mut add = |name, value| details.fields.push(Field::new(name, value));
        let Record { head, arguments, payload, .. } = self.record;
        let cpu = match head {
            Some(Head::Function(f)) => {
                add("Function id", Value::Id(f.func.into()));
                if !arguments.is_empty() {
                    add("Arguments", Value::List(arguments.into_iter().map(Value::Hex).collect()));
                }
                if f.kind == FunctionKind::TailExit {
                    details.remarks.push("The function made a tail call; the callee comes next.".to_string());
                }
                f.cpu
            }
            Some(Head::Event(event)) => {
                let kind = if event.kind.is_some() { "typed event" } else { "custom event" };
                add("Kind", Value::Text(kind.to_string()));
                if let Some(kind) = event.kind {
                    add("Event type", Value::Id(kind.into()));
                }
                if event.overwritten {
                    details.remarks.push(format!(
                        "The payload of {} bytes is lost: LLVM writers of 2017 and 2018 overwrote it with the next records.",
                        event.size
                    ));
                } else {
                    add("Payload", Value::Bytes { len: event.size.into(), bytes: payload });
                }
                event.cpu
            }
            None => {
                let cause = Cause::Gone("the record was not found; the file may have changed");
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
