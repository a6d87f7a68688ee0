//! Points in full, for the text, for details and for whoever asks about values.

use alloc::vec::Vec;

use crate::decoder::Progress;
use crate::error::{Cause, Error, Result};
use crate::limits::Limits;
use crate::problem::Problem;

use super::decode::{Sink, VariableHeader, Walk};
use super::memory::MemoryMap;
use super::problems::CUT_POINT;
use super::wire::{Layout, Number, StatementId, Tables};

/// Entries of one point that are kept; any number of them can stand in a file.
const MOST_ENTRIES: usize = 1 << 20;
/// Buffers at a time.
pub(crate) const MOST_BUFFERS: usize = 1 << 22;

/// What a variable holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A number.
    Number(Number),
    /// Bytes; of a long blob only the first.
    Bytes(Vec<u8>),
}

/// A variable at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Index of its name.
    pub name: u32,
    /// Index of its type.
    pub of_type: u32,
    /// What it holds.
    pub content: Content,
    /// Bytes of it in the file.
    pub size: u32,
    /// Bytes from where it points to the end of the buffer, where it is a pointer into one.
    pub buffer_size: Option<u64>,
}

/// A point: what was seen when a statement was reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Offset of its first entry.
    pub at: u64,
    /// Which statement, if it says so.
    pub statement: Option<StatementId>,
    /// In file order.
    pub variables: Vec<Variable>,
    /// Addresses and sizes of buffers, in file order.
    pub buffer_sizes: Vec<(u64, u64)>,
    /// Numbers of their own, in file order.
    pub auxiliary: Vec<u64>,
    /// How many entries the point has in the file that are not here.
    pub entries_left_out: u64,
    /// How many bytes of blobs the point has in the file that are not here; those of entries left out do not count.
    pub bytes_left_out: u64,
}

/// The sink that collects one point after the other.
#[derive(Debug, Default)]
pub(crate) struct Collect {
    pub(crate) point: Point,
    pub(crate) map: MemoryMap,
    /// Bytes of blobs to keep of a point.
    keep: usize,
    kept: usize,
    /// The blob at hand has no room.
    blob_left_out: bool,
    pub(crate) done: bool,
}

impl Collect {
    pub(crate) fn new(map: MemoryMap, keep: usize) -> Self {
        Self { map, keep, ..Self::default() }
    }

    fn has_room(&mut self) -> bool {
        let p = &mut self.point;
        let room = p.variables.len() + p.buffer_sizes.len() + p.auxiliary.len() < MOST_ENTRIES;
        p.entries_left_out += u64::from(!room);
        room
    }

    /// Keeps a variable if there is room.
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
        self.done || self.map.len() > MOST_BUFFERS
    }

    fn begin(&mut self, at: u64) {
        let mut old = core::mem::take(&mut self.point);
        old.variables.clear();
        old.buffer_sizes.clear();
        old.auxiliary.clear();
        self.point = Point { at, statement: None, entries_left_out: 0, bytes_left_out: 0, ..old };
        self.kept = 0;
    }

    fn statement(&mut self, id: StatementId) {
        self.point.statement = Some(id);
    }

    fn number(&mut self, header: VariableHeader, value: Number, size: u8) {
        let buffer_size = match value {
            Number::Pointer(pointer) => self.map.bytes_from(pointer),
            _ => None,
        };
        self.add(header, Content::Number(value), size.into(), buffer_size);
    }

    fn blob(&mut self, header: VariableHeader, len: u32) {
        self.blob_left_out = !self.add(header, Content::Bytes(Vec::new()), len, None);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        // The last variable belongs to an earlier entry.
        if self.blob_left_out {
            return;
        }
        let Some(Content::Bytes(to)) = self.point.variables.last_mut().map(|v| &mut v.content) else { return };
        let kept = self.keep.saturating_sub(self.kept).min(bytes.len());
        to.extend_from_slice(bytes.get(..kept).unwrap_or_default());
        self.kept += kept;
        self.point.bytes_left_out += (bytes.len() - kept) as u64;
    }

    fn buffer_size(&mut self, _at: u64, address: u64, size: u64) {
        self.map.set(address, size);
        if self.has_room() {
            self.point.buffer_sizes.push((address, size));
        }
    }

    fn auxiliary(&mut self, value: u64) {
        if self.has_room() {
            self.point.auxiliary.push(value);
        }
    }

    fn end(&mut self, _next: u64) {
        self.done = true;
    }
}

/// Reads a trace point by point, all of each.
#[derive(Debug)]
pub struct Reader {
    walk: Walk,
    collect: Collect,
    points: u64,
    failed: Option<Error>,
}

impl Reader {
    /// Prepares to read a trace of this layout from its first byte. Of the blobs of a point `keep` bytes are kept.
    pub fn new(layout: Layout, limits: Limits, keep: usize) -> Self {
        let collect = Collect::new(MemoryMap::default(), keep);
        Self { walk: Walk::new(layout, limits), collect, points: 0, failed: None }
    }

    /// What stands before the points, once all of it has been read.
    pub fn tables(&self) -> Option<&Tables> {
        self.walk.has_header().then_some(&self.walk.tables)
    }

    /// What there is of it by now; nothing before the names have been read.
    pub fn tables_so_far(&self) -> Option<&Tables> {
        self.walk.has_names().then_some(&self.walk.tables)
    }

    /// Reads a portion. `each` gets the point and its number, and says whether to go on.
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
            if self.collect.map.len() > MOST_BUFFERS {
                let limit = MOST_BUFFERS as u64;
                return self.fail(Error::new(self.walk.points.at, Cause::Limit { what: "buffers at a time", limit }));
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

    /// Says that the file ends behind `rest`, which the last push left over. Answers what is missing.
    pub fn end(&mut self, rest: &[u8]) -> Result<Vec<Problem>> {
        let mut problems = Vec::new();
        if self.failed.is_none() {
            problems.extend(self.walk.end(rest)?);
        }
        problems.extend(self.cut(rest.len() as u64));
        Ok(problems)
    }

    /// That the point at hand breaks off, if there is one; `rest` bytes have been looked at beyond it.
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
    fn what_is_left_out_of_a_point_is_counted_by_kind_and_goes_nowhere_else() {
        let mut collect = Collect::new(MemoryMap::default(), 5);
        let header = VariableHeader { at: 0, name: 0, of_type: 0 };
        collect.begin(0);
        collect.blob(header, 3);
        collect.bytes(b"abc");
        (1..MOST_ENTRIES as u64).for_each(|n| collect.auxiliary(n));
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
