//! Points in full, for the dump and for details.

use alloc::vec::Vec;

use unspool_trace::Digest;
use unspool_trace::decoder::Progress;
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::limits::Limits;
use unspool_trace::problem::Problem;
use unspool_trace::records::FieldValue;

use super::decode::{Sink, VariableHeader, Walk};
use super::memory::MemoryMap;
use super::problems::CUT_POINT;
use super::wire::{Layout, Number, StatementId, Tables};

/// Entries kept of a point. A file may have any number of them.
pub(super) const MAX_ENTRIES: usize = 1 << 20;
/// Limit for buffers that are live at the same time.
pub(crate) const MAX_BUFFERS: usize = 1 << 22;

/// What a variable holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A number.
    Number(Number),
    /// Bytes; only the first ones of a long blob.
    Bytes(Vec<u8>),
}

/// A variable at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Index of its name; see [`Tables::name`].
    pub name: u32,
    /// Index of its type; see [`Tables::types`].
    pub of_type: u32,
    /// Its value.
    pub content: Content,
    /// Size of the value in the file, in bytes.
    pub size: u32,
    /// For a pointer into a buffer: bytes from there to the buffer's end.
    pub buffer_size: Option<u64>,
}

impl Variable {
    /// Its value as that of a field.
    pub fn value(&self) -> FieldValue<'_> {
        match &self.content {
            Content::Number(Number::Unsigned(n)) => FieldValue::U64(*n),
            Content::Number(Number::Signed(n)) => FieldValue::I64(*n),
            Content::Number(Number::Float(n)) => FieldValue::F64(*n),
            Content::Number(Number::Pointer(n)) => FieldValue::Hex(*n),
            Content::Bytes(bytes) => FieldValue::Bytes { bytes, len: self.size.into() },
        }
    }
}

/// A point: the values recorded when execution reached a statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Absolute offset of its first entry.
    pub at: u64,
    /// The statement, if the point names one.
    pub statement: Option<StatementId>,
    /// Variables in file order.
    pub variables: Vec<Variable>,
    /// Addresses and sizes of buffers in bytes, in file order. Size 0 frees a buffer.
    pub buffer_sizes: Vec<(u64, u64)>,
    /// Numbers without a variable, in file order.
    pub auxiliary: Vec<u64>,
    /// Entries of this point in the file that were left out here.
    pub entries_left_out: u64,
    /// Bytes of blobs of this point in the file that were left out here, not counting blobs of
    /// entries left out.
    pub bytes_left_out: u64,
}

/// The sink that collects one point at a time.
#[derive(Debug, Default)]
pub(crate) struct Collect {
    pub(crate) point: Point,
    /// The live buffers, if sizes of buffers are wanted.
    pub(crate) map: Option<MemoryMap>,
    /// Bytes of blobs to keep of a point.
    keep: usize,
    kept: usize,
    /// The current blob was left out.
    blob_left_out: bool,
    pub(crate) done: bool,
    /// Room for blobs, to reuse.
    spare: Vec<Vec<u8>>,
    /// Whether what is left out has a digest.
    pub(crate) digests: bool,
    /// Of what is left out of the point.
    pub(crate) left_out: Option<Digest>,
}

/// A blob with more room than this, in bytes, is not reused, to free its memory.
const LARGE: usize = 1 << 12;

impl Collect {
    pub(crate) fn new(map: Option<MemoryMap>, keep: usize) -> Self {
        Self { map, keep, ..Self::default() }
    }

    /// Whether more buffers are live than a trace may have.
    fn has_too_many_buffers(&self) -> bool {
        self.map.as_ref().is_some_and(|map| map.len() > MAX_BUFFERS)
    }

    fn has_room(&mut self) -> bool {
        let p = &mut self.point;
        let room = p.variables.len() + p.buffer_sizes.len() + p.auxiliary.len() < MAX_ENTRIES;
        p.entries_left_out += u64::from(!room);
        room
    }

    /// Something is left out.
    #[cold]
    fn leave_out(&mut self, write: impl FnOnce(&mut Digest)) {
        if self.digests {
            write(self.left_out.get_or_insert_default());
        }
    }

    /// Keeps a variable if there is room, and returns whether it did.
    fn add(&mut self, header: VariableHeader, content: Content, size: u32, buffer_size: Option<u64>) -> bool {
        let room = self.has_room();
        if room {
            let VariableHeader { name, of_type, .. } = header;
            self.point.variables.push(Variable { name, of_type, content, size, buffer_size });
        }
        room
    }
}

impl Sink for Collect {
    fn is_full(&self) -> bool {
        self.done || self.has_too_many_buffers()
    }

    fn begin(&mut self, at: u64) {
        let mut old = core::mem::take(&mut self.point);
        let blobs = old.variables.drain(..).filter_map(|variable| match variable.content {
            Content::Bytes(bytes) if bytes.capacity() <= LARGE => Some(bytes),
            _ => None,
        });
        self.spare.extend(blobs.take(LARGE - self.spare.len().min(LARGE)));
        old.buffer_sizes.clear();
        old.auxiliary.clear();
        self.point = Point { at, statement: None, entries_left_out: 0, bytes_left_out: 0, ..old };
        (self.kept, self.left_out) = (0, None);
    }

    fn statement(&mut self, id: StatementId) {
        self.point.statement = Some(id);
    }

    fn number(&mut self, header: VariableHeader, value: Number, size: u8) {
        let buffer_size = match value {
            Number::Pointer(pointer) => self.map.as_ref().and_then(|map| map.bytes_from(pointer)),
            _ => None,
        };
        if !self.add(header, Content::Number(value), size.into(), buffer_size) {
            let (kind, bits) = match value {
                Number::Unsigned(number) => (1, number),
                Number::Signed(number) => (2, number as u64),
                Number::Float(number) => (3, number.to_bits()),
                Number::Pointer(number) => (4, number),
            };
            self.leave_out(|digest| digest.write_number(kind, bits));
        }
    }

    fn blob(&mut self, header: VariableHeader, len: u32) {
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.clear();
        self.blob_left_out = !self.add(header, Content::Bytes(bytes), len, None);
        if self.blob_left_out {
            self.leave_out(|digest| digest.write_number(5, len.into()));
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        // The last variable belongs to an earlier entry.
        if self.blob_left_out {
            return self.leave_out(|digest| digest.write(bytes));
        }
        let Some(Content::Bytes(to)) = self.point.variables.last_mut().map(|v| &mut v.content) else { return };
        let kept = self.keep.saturating_sub(self.kept).min(bytes.len());
        to.extend_from_slice(bytes.get(..kept).unwrap_or_default());
        if let Some(rest) = bytes.get(kept..).filter(|rest| !rest.is_empty()) {
            self.leave_out(|digest| digest.write(rest));
        }
        self.kept += kept;
        self.point.bytes_left_out += (bytes.len() - kept) as u64;
    }

    fn buffer_size(&mut self, _at: u64, address: u64, size: u64) {
        if let Some(map) = &mut self.map {
            map.set(address, size);
        }
        if self.has_room() {
            self.point.buffer_sizes.push((address, size));
        } else {
            self.leave_out(|digest| {
                digest.write_number(6, address);
                digest.write_number(7, size);
            });
        }
    }

    fn auxiliary(&mut self, value: u64) {
        if self.has_room() {
            self.point.auxiliary.push(value);
        } else {
            self.leave_out(|digest| digest.write_number(8, value));
        }
    }

    fn end(&mut self, _next: u64) {
        self.done = true;
    }
}

/// Reads a trace point by point, each in full.
#[derive(Debug)]
pub struct Reader {
    walk: Walk,
    collect: Collect,
    points: u64,
    failed: Option<Error>,
}

impl Reader {
    /// A reader of a trace of this layout, from its first byte. It keeps `keep` bytes of the blobs
    /// of each point.
    pub fn new(layout: Layout, limits: Limits, keep: usize) -> Self {
        let collect = Collect::new(Some(MemoryMap::default()), keep);
        Self { walk: Walk::new(layout, limits), collect, points: 0, failed: None }
    }

    /// The header, once all of it has been read.
    pub fn tables(&self) -> Option<&Tables> {
        self.walk.has_header().then_some(&self.walk.tables)
    }

    /// The header as far as it has been read. `None` before the names are complete.
    pub fn tables_so_far(&self) -> Option<&Tables> {
        self.walk.has_names().then_some(&self.walk.tables)
    }

    /// Reads a portion. Calls `each` with every point and its number; stops when it returns false.
    ///
    /// # Errors
    ///
    /// Returns the error that ends the trace, now and at every further call. Points before it have
    /// been passed to `each`.
    pub fn push(&mut self, input: &[u8], mut each: impl FnMut(&Tables, &Point, u64) -> bool) -> Result<Progress> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let mut used = 0;
        loop {
            match self.walk.run(input.get(used..).unwrap_or_default(), &mut self.collect) {
                Ok(n) => used += n,
                Err(error) => return self.fail(error),
            }
            if self.collect.has_too_many_buffers() {
                let limit = MAX_BUFFERS as u64;
                return self.fail(Error::new(self.walk.points.at, Cause::Limit { what: "live buffers", limit }));
            }
            if !self.collect.done {
                return Ok(Progress { used });
            }
            self.collect.done = false;
            self.points += 1;
            if !each(&self.walk.tables, &self.collect.point, self.points - 1) {
                return Ok(Progress { used });
            }
        }
    }

    /// The file ends after `rest`, which the last push left over. Returns what is missing.
    ///
    /// # Errors
    ///
    /// Fails if the header is incomplete.
    pub fn end(&mut self, rest: &[u8]) -> Result<Vec<Problem>> {
        let mut problems = Vec::new();
        if self.failed.is_none() {
            problems.extend(self.walk.end(rest)?);
        }
        problems.extend(self.cut(rest.len() as u64));
        Ok(problems)
    }

    /// The problem of an incomplete last point, if there is one. Its offset is `rest` bytes after
    /// the last byte used.
    pub fn cut(&self, rest: u64) -> Option<Problem> {
        let at = self.walk.points.at.saturating_add(rest);
        self.walk.points.open.then_some(Problem { at, kind: &CUT_POINT, value: self.points })
    }

    fn fail<T>(&mut self, error: Error) -> Result<T> {
        self.failed = Some(error);
        Err(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_bytes_left_out_are_counted_and_leave_other_variables_alone() {
        let mut collect = Collect::new(Some(MemoryMap::default()), 5);
        let header = VariableHeader { at: 0, name: 0, of_type: 0 };
        collect.begin(0);
        collect.blob(header, 3);
        collect.bytes(b"abc");
        (1..MAX_ENTRIES as u64).for_each(|n| collect.auxiliary(n));
        collect.blob(header, 2);
        collect.bytes(b"de");
        collect.auxiliary(0);
        assert_eq!((collect.point.entries_left_out, collect.point.bytes_left_out), (2, 0));
        assert_eq!(collect.point.variables[0].content, Content::Bytes(b"abc".to_vec()));
        collect.begin(1);
        collect.blob(header, 7);
        collect.bytes(b"abcd");
        collect.bytes(b"efg");
        assert_eq!((collect.point.entries_left_out, collect.point.bytes_left_out), (0, 2));
    }
}
