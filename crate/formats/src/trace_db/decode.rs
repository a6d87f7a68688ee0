//! The walk over a trace: one grammar for skimming and for reading in full; the [`Sink`] makes the difference.
//!
//! It restarts at entries (17 bytes at the most, the bytes of a blob apart), takes names and blobs in portions, and so never
//! asks its caller to hold more than that.

use crate::error::{Cause, Error, Result};
use crate::limits::Limits;
use crate::problem::{Problem, TRUNCATED};

use super::wire::{
    AUXILIARY, BUFFER_SIZE, END_ENTRY, LONGEST, Layout, Number, STATEMENT, Shape, StatementId, TYPE_LEN, Tables,
    VARIABLE,
};

/// Who listens to a walk. What is told between two ends belongs to one point.
pub(crate) trait Sink {
    /// The walk stops here and goes on when it is called again.
    fn is_full(&self) -> bool;
    /// A point begins with the entry at `at`.
    fn begin(&mut self, at: u64);
    /// Of several in a point the last counts.
    fn statement(&mut self, id: StatementId);
    /// A variable that holds a number of `size` bytes.
    fn number(&mut self, variable: VariableHeader, value: Number, size: u8);
    /// A variable that holds `len` bytes, which follow in portions.
    fn blob(&mut self, variable: VariableHeader, len: u32);
    /// Bytes of the blob.
    fn bytes(&mut self, bytes: &[u8]);
    /// From `address` on there are `size` bytes; none means that the buffer is no more.
    fn buffer_size(&mut self, at: u64, address: u64, size: u64);
    /// A number of its own.
    fn auxiliary(&mut self, value: u64);
    /// The point is complete; the next begins at `next`.
    fn end(&mut self, next: u64);
}

/// Which variable: indices that have been checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VariableHeader {
    pub(crate) at: u64,
    pub(crate) name: u32,
    pub(crate) of_type: u32,
}

/// A walk over the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Points {
    layout: Layout,
    /// Absolute offset of the next byte.
    pub(crate) at: u64,
    /// Bytes of a blob that are still to come.
    blob: u32,
    /// An entry of the point at hand has come.
    pub(crate) open: bool,
}

/// An entry that is not all there.
struct Short {
    /// How many more bytes it takes, at least.
    needed: u64,
}

impl Points {
    /// A walk that begins with the point, or any entry, at `at`.
    pub(crate) fn new(layout: Layout, at: u64) -> Self {
        Self { layout, at, blob: 0, open: false }
    }

    /// Walks over `input`; answers how much of it is used up. What comes before an error has been told.
    pub(crate) fn run<S: Sink>(&mut self, tables: &Tables, input: &[u8], sink: &mut S) -> Result<usize> {
        let mut rest = input;
        while !sink.is_full() {
            if self.blob > 0 {
                let n = rest.len().min(usize::try_from(self.blob).unwrap_or(usize::MAX));
                let (here, behind) = rest.split_at_checked(n).unwrap_or((rest, &[]));
                if here.is_empty() {
                    break;
                }
                sink.bytes(here);
                self.blob -= here.len() as u32;
                self.at += here.len() as u64;
                rest = behind;
                continue;
            }
            let used = match rest.first_chunk::<LONGEST>() {
                Some(window) => self.entry(tables, window, LONGEST, sink)?,
                None => {
                    let mut window = [0; LONGEST];
                    window.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
                    self.entry(tables, &window, rest.len(), sink)?
                }
            };
            let Ok(used) = used else { break };
            self.at += used as u64;
            rest = rest.get(used..).unwrap_or_default();
        }
        Ok(input.len() - rest.len())
    }

    /// Says that the file ends behind `rest`, which [`Points::run`] left over: what is missing there.
    pub(crate) fn end(&self, tables: &Tables, rest: &[u8]) -> Option<Problem> {
        let at = self.at.saturating_add(rest.len() as u64);
        let needed = if self.blob > 0 {
            u64::from(self.blob).saturating_sub(rest.len() as u64)
        } else if rest.is_empty() {
            return None;
        } else {
            let mut window = [0; LONGEST];
            window.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            let mut copy = *self;
            match copy.entry(tables, &window, rest.len(), &mut Blind) {
                Ok(Err(short)) => short.needed,
                _ => 0,
            }
        };
        Some(Problem { at, kind: &TRUNCATED, value: needed })
    }

    /// The entry at the beginning of `window`, of which `have` bytes are of the file. Answers how long it is.
    #[inline(always)]
    fn entry<S: Sink>(
        &mut self,
        tables: &Tables,
        window: &[u8; LONGEST],
        have: usize,
        sink: &mut S,
    ) -> Result<core::result::Result<usize, Short>> {
        let at = self.at;
        let short = |len: usize| Ok(Err(Short { needed: len.saturating_sub(have) as u64 }));
        let Some((tag, body)) = window.split_first() else { return short(1) };
        if have == 0 {
            return short(1);
        }
        let (narrow, statement_len) = (self.layout == Layout::Narrow, self.layout.statement_len());
        let len = match *tag {
            VARIABLE => {
                let header = 1 + 2 * self.layout.index_len();
                if have < header {
                    return short(header);
                }
                let (name, of_type) =
                    if narrow { (low_16(body, 0), low_16(body, 2)) } else { (low_32(body, 0), low_32(body, 4)) };
                if name as usize >= tables.names() {
                    return Err(bad_index(at, "name", name, tables.names()));
                }
                let Some(shape) = tables.shapes.get(of_type as usize) else {
                    return Err(bad_index(at, "type", of_type, tables.shapes.len()));
                };
                let variable = VariableHeader { at, name, of_type };
                match *shape {
                    Shape::Number { size, number } => {
                        let len = header + usize::from(size);
                        if have < len {
                            return short(len);
                        }
                        let raw =
                            low_64(body, header - 1) & u64::MAX.checked_shr(64 - 8 * u32::from(size)).unwrap_or(0);
                        self.begin(at, sink);
                        sink.number(variable, number.number(raw, size), size);
                        len
                    }
                    Shape::FixedBlob(size) => {
                        self.begin(at, sink);
                        self.blob = size;
                        sink.blob(variable, size);
                        header
                    }
                    Shape::Blob => {
                        let len = header + self.layout.index_len();
                        if have < len {
                            return short(len);
                        }
                        let size = if narrow { low_16(body, header - 1) } else { low_32(body, header - 1) };
                        self.begin(at, sink);
                        self.blob = size;
                        sink.blob(variable, size);
                        len
                    }
                    Shape::Bad => return Err(bad_type(at, tables, of_type)),
                }
            }
            STATEMENT => {
                if have < 1 + statement_len {
                    return short(1 + statement_len);
                }
                self.begin(at, sink);
                let id = if narrow { low_32(body, 0).into() } else { low_64(body, 0) };
                sink.statement(StatementId::from_bits(id));
                1 + statement_len
            }
            END_ENTRY => {
                self.begin(at, sink);
                self.open = false;
                sink.end(at + 1);
                1
            }
            BUFFER_SIZE => {
                if have < 17 {
                    return short(17);
                }
                self.begin(at, sink);
                sink.buffer_size(at, low_64(body, 0), low_64(body, 8));
                17
            }
            AUXILIARY => {
                if have < 9 {
                    return short(9);
                }
                self.begin(at, sink);
                sink.auxiliary(low_64(body, 0));
                9
            }
            tag => return Err(Error::new(at, Cause::UnknownRecord { kind: tag.into() })),
        };
        Ok(Ok(len))
    }

    #[inline(always)]
    fn begin<S: Sink>(&mut self, at: u64, sink: &mut S) {
        if !self.open {
            self.open = true;
            sink.begin(at);
        }
    }
}

#[inline(always)]
fn low_16(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u16::from_le_bytes(*b).into())
}

#[inline(always)]
fn low_32(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b))
}

#[inline(always)]
fn low_64(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u64::from_le_bytes(*b))
}

#[cold]
fn bad_index(at: u64, what: &'static str, index: u32, count: usize) -> Error {
    Error::new(at, Cause::BadIndex { what, index: index.into(), count: count as u64 })
}

#[cold]
fn bad_type(at: u64, tables: &Tables, index: u32) -> Error {
    let t = tables.types().get(index as usize);
    let (format, size) = t.map_or((0, 0), |t| (t.format, t.size));
    let what = match format {
        0 => "an unsigned number (up to 8 bytes)",
        1 => "a signed number (1, 2, 4 or 8 bytes)",
        2 => "a floating point number (up to 8 bytes)",
        3 => "a pointer (up to 8 bytes)",
        _ => return Error::new(at, Cause::BadIndex { what: "format of values", index: format.into(), count: 5 }),
    };
    Error::new(at, Cause::BadLength { what, value: size.into() })
}

/// A walk over a whole trace, from its first byte.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    layout: Layout,
    limits: Limits,
    header: Header,
    pub(crate) tables: Tables,
    pub(crate) points: Points,
}

/// How much of the header has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Header {
    Count,
    Names { left: u64 },
    TypeCount,
    Types { left: u32 },
    Done,
}

impl Walk {
    pub(crate) fn new(layout: Layout, limits: Limits) -> Self {
        Self { layout, limits, header: Header::Count, tables: Tables::default(), points: Points::new(layout, 0) }
    }

    /// Walks over `input`; answers how much of it is used up.
    pub(crate) fn run<S: Sink>(&mut self, input: &[u8], sink: &mut S) -> Result<usize> {
        let used = self.header(input)?;
        if self.header != Header::Done {
            return Ok(used);
        }
        let rest = input.get(used..).unwrap_or_default();
        Ok(used + self.points.run(&self.tables, rest, sink)?)
    }

    /// Says that the file ends behind `rest`: fails if the header is not whole, and answers what is missing.
    pub(crate) fn end(&self, rest: &[u8]) -> Result<Option<Problem>> {
        let at = self.points.at.saturating_add(rest.len() as u64);
        let short =
            |len: u64| Err(Error::new(at, Cause::UnexpectedEnd { needed: len.saturating_sub(rest.len() as u64) }));
        match self.header {
            Header::Count => short(self.layout.count_len() as u64),
            Header::Names { left } => short(left),
            // The reference takes this for a trace without types and points.
            Header::TypeCount if rest.is_empty() => {
                Ok(Some(Problem { at, kind: &TRUNCATED, value: self.layout.types_len() as u64 }))
            }
            Header::TypeCount => short(self.layout.types_len() as u64),
            Header::Types { left } => short(u64::from(left) * TYPE_LEN as u64),
            Header::Done => Ok(self.points.end(&self.tables, rest)),
        }
    }

    /// All of the header has been read.
    pub(crate) fn has_header(&self) -> bool {
        self.header == Header::Done
    }

    /// The names have been read.
    pub(crate) fn has_names(&self) -> bool {
        !matches!(self.header, Header::Count | Header::Names { .. })
    }

    /// Reads of the header what is there; answers how much of `input` is used up.
    pub(crate) fn header(&mut self, input: &[u8]) -> Result<usize> {
        let mut rest = input;
        let at = &mut self.points.at;
        while self.header != Header::Done {
            match &mut self.header {
                Header::Count => {
                    let len = self.layout.count_len();
                    let Some(bytes) = take(len, &mut rest, at) else { break };
                    let left = if len == 8 { low_64(bytes, 0) } else { low_16(bytes, 0).into() };
                    if left > self.limits.chunk {
                        let limit = self.limits.chunk;
                        return Err(Error::new(0, Cause::Limit { what: "bytes of names", limit }));
                    }
                    self.header = Header::Names { left };
                }
                Header::Names { left: 0 } => {
                    self.tables.find_names();
                    if self.tables.names() as u64 > self.limits.names.into() {
                        let limit = self.limits.names.into();
                        return Err(Error::new(*at, Cause::Limit { what: "names", limit }));
                    }
                    self.header = Header::TypeCount;
                }
                Header::Names { left } => {
                    let n = usize::try_from(*left).unwrap_or(usize::MAX).min(rest.len());
                    let Some(bytes) = take(n, &mut rest, at).filter(|b| !b.is_empty()) else { break };
                    *left -= bytes.len() as u64;
                    self.tables.dictionary.extend_from_slice(bytes);
                }
                Header::TypeCount => {
                    let len = self.layout.types_len();
                    let Some(bytes) = take(len, &mut rest, at) else { break };
                    let left = if len == 4 { low_32(bytes, 0) } else { low_16(bytes, 0) };
                    if left > self.limits.names {
                        let limit = self.limits.names.into();
                        return Err(Error::new(*at, Cause::Limit { what: "types", limit }));
                    }
                    self.header = Header::Types { left };
                }
                Header::Types { left: 0 } => self.header = Header::Done,
                Header::Types { left } => {
                    let Some(bytes) = take(TYPE_LEN, &mut rest, at).and_then(|b| b.first_chunk()) else { break };
                    self.tables.push_type(self.layout.parse_type(bytes));
                    *left -= 1;
                }
                Header::Done => {}
            }
        }
        Ok(input.len() - rest.len())
    }
}

/// The next `n` bytes, if they are all there.
fn take<'a>(n: usize, rest: &mut &'a [u8], at: &mut u64) -> Option<&'a [u8]> {
    let (head, behind) = rest.split_at_checked(n)?;
    *rest = behind;
    *at += n as u64;
    Some(head)
}

/// Looks at nothing.
pub(crate) struct Blind;

impl Sink for Blind {
    fn is_full(&self) -> bool {
        false
    }
    fn begin(&mut self, _at: u64) {}
    fn statement(&mut self, _id: StatementId) {}
    fn number(&mut self, _variable: VariableHeader, _value: Number, _size: u8) {}
    fn blob(&mut self, _variable: VariableHeader, _len: u32) {}
    fn bytes(&mut self, _bytes: &[u8]) {}
    fn buffer_size(&mut self, _at: u64, _address: u64, _size: u64) {}
    fn auxiliary(&mut self, _value: u64) {}
    fn end(&mut self, _next: u64) {}
}
