//! The state machine that walks over a trace. The [`Sink`] decides how much is kept.
//!
//! A walk restarts at entries, which take at most 17 bytes without the bytes of a blob. Names and
//! blobs may arrive in portions.

use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::limits::Limits;
use unspool_trace::problem::{Problem, TRUNCATED};

use super::wire::{
    AUXILIARY, BUFFER_SIZE, END_ENTRY, LONGEST, Layout, Number, STATEMENT, Shape, StatementId, TYPE_LEN, Tables,
    VARIABLE,
};

/// Receives the entries of a trace. Entries between two calls of [`Sink::end`] belong to one point.
pub(crate) trait Sink {
    /// If true, the walk returns after the current entry.
    fn is_full(&self) -> bool {
        false
    }
    /// A point begins with the entry at absolute offset `at`.
    fn begin(&mut self, _at: u64) {}
    /// The point names its statement. If it does so repeatedly, the last one counts.
    fn statement(&mut self, _id: StatementId) {}
    /// A variable that holds a number of `size` bytes.
    fn number(&mut self, _variable: VariableHeader, _value: Number, _size: u8) {}
    /// A variable that holds `len` bytes, which follow in portions.
    fn blob(&mut self, _variable: VariableHeader, _len: u32) {}
    /// A portion of the current blob.
    fn bytes(&mut self, _bytes: &[u8]) {}
    /// The entry at `at` sets the size of the buffer at `address` in bytes. Size 0 frees the
    /// buffer.
    fn buffer_size(&mut self, _at: u64, _address: u64, _size: u64) {}
    /// A number without a variable.
    fn auxiliary(&mut self, _value: u64) {}
    /// The point is complete; the next one begins at `next`.
    fn end(&mut self, _next: u64) {}
}

/// The variable of an entry. Both indices have been validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VariableHeader {
    pub(crate) at: u64,
    pub(crate) name: u32,
    pub(crate) of_type: u32,
}

/// A walk over the points, without the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Points {
    layout: Layout,
    /// Absolute offset of the next byte.
    pub(crate) at: u64,
    /// Bytes of the current blob that are still missing.
    blob: u32,
    /// Whether an entry of the current point has been read.
    pub(crate) open: bool,
}

/// An entry is incomplete.
struct Short {
    /// How many more bytes it needs at least.
    needed: u64,
}

impl Points {
    /// A walk that begins at absolute offset `at`, with a point or any entry of one.
    pub(crate) fn new(layout: Layout, at: u64) -> Self {
        Self { layout, at, blob: 0, open: false }
    }

    /// Walks over `input`, which begins at the walk's position. Returns the number of bytes used.
    /// Entries before an error have been passed to the sink.
    pub(crate) fn run<S: Sink>(&mut self, tables: &Tables, input: &[u8], sink: &mut S) -> Result<usize> {
        let mut rest = input;
        while !sink.is_full() {
            if self.blob > 0 {
                let n = rest.len().min(usize::try_from(self.blob).unwrap_or(usize::MAX));
                let (here, tail) = rest.split_at_checked(n).unwrap_or((rest, &[]));
                if here.is_empty() {
                    break;
                }
                sink.bytes(here);
                self.blob -= here.len() as u32;
                self.at += here.len() as u64;
                rest = tail;
                continue;
            }
            // An entry at the end of a portion is decoded from a copy with zeros behind it, so that
            // `entry` has one window to look at.
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

    /// The file ends after `rest`, which [`Points::run`] left over. Returns what is missing there.
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
            match copy.entry(tables, &window, rest.len(), &mut Ignore) {
                Ok(Err(short)) => short.needed,
                _ => 0,
            }
        };
        Some(Problem { at, kind: &TRUNCATED, value: needed })
    }

    /// Decodes the entry at the beginning of `window`, of which the first `have` bytes are from the
    /// file. Returns its length.
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
                // The reference gives the whole trace up here. Entries before this one have been
                // passed on.
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
                    // Without a length, as the reference reads it. Its `TraceVarInfo::write` does
                    // write one, but instrumentation never makes blobs of a fixed size.
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
                // There may be several, at any place in the point: the last one counts.
                let id = if narrow { low_32(body, 0).into() } else { low_64(body, 0) };
                sink.statement(StatementId::from_bits(id));
                1 + statement_len
            }
            // Alone, it is a point without entries, which the reference counts.
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
            // 5 and 6 have names in the reference, but exist only in its memory.
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

/// The next part of the header.
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

    /// Walks over `input`, which begins at the walk's position. Returns the number of bytes used.
    pub(crate) fn run<S: Sink>(&mut self, input: &[u8], sink: &mut S) -> Result<usize> {
        let used = self.header(input)?;
        if self.header != Header::Done {
            return Ok(used);
        }
        let rest = input.get(used..).unwrap_or_default();
        Ok(used + self.points.run(&self.tables, rest, sink)?)
    }

    /// The file ends after `rest`. Fails if the header is incomplete; otherwise returns what is
    /// missing from the last entry.
    pub(crate) fn end(&self, rest: &[u8]) -> Result<Option<Problem>> {
        let at = self.points.at.saturating_add(rest.len() as u64);
        let short =
            |len: u64| Err(Error::new(at, Cause::UnexpectedEnd { needed: len.saturating_sub(rest.len() as u64) }));
        match self.header {
            Header::Count => short(self.layout.count_len() as u64),
            Header::Names { left } => short(left),
            // The reference accepts this as a trace without types and points.
            Header::TypeCount if rest.is_empty() => {
                Ok(Some(Problem { at, kind: &TRUNCATED, value: self.layout.types_len() as u64 }))
            }
            Header::TypeCount => short(self.layout.types_len() as u64),
            Header::Types { left } => short(u64::from(left) * TYPE_LEN as u64),
            Header::Done => Ok(self.points.end(&self.tables, rest)),
        }
    }

    /// The layout of the trace.
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// Whether the whole header has been read.
    pub(crate) fn has_header(&self) -> bool {
        self.header == Header::Done
    }

    /// Whether the names have been read.
    pub(crate) fn has_names(&self) -> bool {
        !matches!(self.header, Header::Count | Header::Names { .. })
    }

    /// Decodes the header as far as `input` has it. Returns the number of bytes used.
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

/// Takes the next `n` bytes of `rest` and advances `at`. `None` if there are fewer.
fn take<'a>(n: usize, rest: &mut &'a [u8], at: &mut u64) -> Option<&'a [u8]> {
    let (head, tail) = rest.split_at_checked(n)?;
    *rest = tail;
    *at += n as u64;
    Some(head)
}

/// Ignores all entries.
pub(crate) struct Ignore;

impl Sink for Ignore {}
