//! A part of a trace: names and types as they are, and some of the points. The first of these also
//! has the sizes of the buffers that are live before it, by which pointers know how much they point
//! to.

use alloc::boxed::Box;
use alloc::vec::Vec;

use unspool_cut::clean::{Choice, Class, Cleaner, Payload};
use unspool_cut::{Cut, CutOptions, PORTION};
use unspool_trace::decoder::Progress;
use unspool_trace::error::Result;
use unspool_trace::problem::Problem;
use unspool_trace::sniff::OpenOptions;

use super::decode::{Sink, VariableHeader, Walk};
use super::encode::Writer;
use super::memory::MemoryMap;
use super::point::MAX_BUFFERS;
use super::wire::{Number, StatementId};

/// Begins to cut a trace.
pub(super) fn cut(head: &[u8], options: CutOptions) -> Result<Box<dyn Cut>> {
    let open = OpenOptions { size: options.size, limits: options.limits, ..OpenOptions::default() };
    let layout = super::layout(head, &open)?;
    let walk = Walk::new(layout, options.limits);
    let points = Points { options, writer: None, buffers: MemoryMap::default(), next: 0, written: 0, blob: None };
    Ok(Box::new(TraceDbCut { walk, points, problems: Vec::new(), failed: false }))
}

struct TraceDbCut {
    walk: Walk,
    points: Points,
    problems: Vec<Problem>,
    /// Reading stopped at an error, which says where.
    failed: bool,
}

/// The sink that writes the points of the part.
struct Points {
    options: CutOptions,
    /// `None` until the header is read.
    writer: Option<Writer>,
    /// Buffers that are live before the part.
    buffers: MemoryMap,
    /// Number of the next point.
    next: u64,
    written: u64,
    /// The blob that is hashed or left out: what came, its length, and how many bytes are to come.
    blob: Option<(Payload, u32, u32)>,
}

impl Points {
    /// The writer, if the current point is in the part.
    fn writer(&mut self) -> Option<&mut Writer> {
        if self.options.has(self.next) { self.writer.as_mut() } else { None }
    }

    fn is_over(&self) -> bool {
        self.next >= self.options.to
    }
}

impl TraceDbCut {
    /// Begins the new file once the header is read.
    fn begin(&mut self) {
        if self.points.writer.is_none() && self.walk.has_header() {
            self.points.writer = Some(Writer::new(self.walk.layout(), self.walk.tables.clone()));
        }
    }

    fn take(&mut self, out: &mut Vec<u8>) {
        if let Some(writer) = &mut self.points.writer {
            out.append(&mut writer.take());
        }
    }
}

impl Cut for TraceDbCut {
    fn push(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Progress> {
        let mut used = 0;
        if !self.walk.has_header() {
            used = self.walk.header(input)?;
        }
        self.begin();
        let rest = input.get(used..).unwrap_or_default();
        let result = self.walk.run(rest, &mut self.points);
        self.take(out);
        self.failed |= result.is_err();
        Ok(Progress { used: used + result? })
    }

    fn end(&mut self, rest: &[u8], out: &mut Vec<u8>) -> Result<()> {
        if !self.is_done() && !self.failed {
            self.problems.extend(self.walk.end(rest)?);
        }
        // A point without an end is left as it is: its entries are in the new file, too.
        self.begin();
        self.take(out);
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.points.is_over() && self.points.writer.is_some()
    }

    fn records(&self) -> u64 {
        self.points.written
    }

    fn cleaner(&self) -> &Cleaner {
        &self.points.options.cleaner
    }

    fn take_problems(&mut self) -> Vec<Problem> {
        core::mem::take(&mut self.problems)
    }
}

impl Sink for Points {
    fn is_full(&self) -> bool {
        self.is_over() || self.writer.as_ref().is_none_or(|writer| writer.len() >= PORTION)
    }

    fn begin(&mut self, _at: u64) {
        if self.next == self.options.from
            && let Some(writer) = &mut self.writer
        {
            self.buffers.iter().for_each(|(address, size)| writer.buffer_size(address, size));
        }
    }

    fn statement(&mut self, id: StatementId) {
        if let Some(writer) = self.writer() {
            writer.statement(id);
        }
    }

    fn number(&mut self, variable: VariableHeader, value: Number, _size: u8) {
        if let Some(writer) = self.writer() {
            writer.number(variable.name, variable.of_type, value);
        }
    }

    fn blob(&mut self, variable: VariableHeader, len: u32) {
        let Some(writer) = self.writer() else { return };
        writer.begin_blob(variable.name, variable.of_type, len);
        let cleaner = &mut self.options.cleaner;
        if cleaner.choice(Class::Payload) == Choice::Keep {
            cleaner.note_payload(len.into());
        } else if len > 0 {
            self.blob = Some((cleaner.begin_payload(), len, len));
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let Some((mut payload, len, left)) = self.blob.take() else {
            if let Some(writer) = self.writer() {
                writer.raw(bytes);
            }
            return;
        };
        payload.add(bytes);
        let left = left.saturating_sub(bytes.len() as u32);
        if left > 0 {
            self.blob = Some((payload, len, left));
            return;
        }
        let filling = self.options.cleaner.end_payload(payload, len.into());
        let filled: Vec<u8> = filling.into_iter().cycle().take(len as usize).collect();
        if let Some(writer) = self.writer() {
            writer.raw(&filled);
        }
    }

    fn buffer_size(&mut self, _at: u64, address: u64, size: u64) {
        if self.next < self.options.from && (size == 0 || self.buffers.len() < MAX_BUFFERS) {
            self.buffers.set(address, size);
        }
        if let Some(writer) = self.writer() {
            writer.buffer_size(address, size);
        }
    }

    fn auxiliary(&mut self, value: u64) {
        if let Some(writer) = self.writer() {
            writer.auxiliary(value);
        }
    }

    fn end(&mut self, _next: u64) {
        if let Some(writer) = self.writer() {
            writer.end();
            self.written += 1;
        }
        self.next += 1;
    }
}
