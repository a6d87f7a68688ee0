//! The values of a trace as columns, in segments that are evaluated one after the other.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use unspool_formats::trace_db::point::{Content, Point};
use unspool_formats::trace_db::wire::{Number as Raw, StatementId};
use unspool_trace::{printed, put_quoted};

/// Points of a segment at most.
const MOST_POINTS: usize = 1 << 14;
/// A segment with more bytes than this takes no further point.
const LONG: usize = 8 << 20;

/// Bytes of a value that are shown as digits, and of one that is shown as text.
const MOST_BYTES: usize = 24;
const MOST_TEXT: usize = 64;

/// Whether the high bit of a key says that the buffer of a pointer is known.
pub(crate) const IN_BUFFER: u32 = 1 << 31;

/// Statements, and names of variables with their types, numbered as they occur. Segments refer to
/// them.
#[derive(Debug, Default)]
pub struct Dictionary {
    statements: Vec<Option<StatementId>>,
    statement_of: HashMap<Option<StatementId>, u32>,
    keys: Vec<(u32, u32)>,
    key_of: HashMap<(u32, u32), u32>,
    /// For each key, the one that came after it. Statements list their variables in the same order
    /// each time.
    next: Vec<u32>,
    latest: u32,
}

impl Dictionary {
    /// The statement with a number.
    pub fn statement(&self, number: u32) -> Option<StatementId> {
        self.statements.get(number as usize).copied().flatten()
    }

    /// All statements by number; `None` for points that name none.
    pub fn statements(&self) -> &[Option<StatementId>] {
        &self.statements
    }

    /// The indices of the name and the type of a variable.
    pub fn key(&self, number: u32) -> (u32, u32) {
        self.keys.get(number as usize).copied().unwrap_or_default()
    }

    /// The indices of name and type of every key.
    pub fn keys(&self) -> &[(u32, u32)] {
        &self.keys
    }

    fn statement_number(&mut self, id: Option<StatementId>) -> u32 {
        let next = self.statements.len() as u32;
        let number = *self.statement_of.entry(id).or_insert(next);
        if number == next {
            self.statements.push(id);
        }
        number
    }

    #[inline]
    fn key_number(&mut self, name: u32, of_type: u32) -> u32 {
        let guess = self.next.get(self.latest as usize).copied().unwrap_or(0);
        if self.keys.get(guess as usize) == Some(&(name, of_type)) {
            self.latest = guess;
            return guess;
        }
        let next = self.keys.len() as u32;
        let number = *self.key_of.entry((name, of_type)).or_insert(next);
        if number == next {
            self.keys.push((name, of_type));
            self.next.push(0);
        }
        if let Some(slot) = self.next.get_mut(self.latest as usize) {
            *slot = number;
        }
        self.latest = number;
        number
    }
}

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A number.
    Number(Raw),
    /// Bytes, and how many there are in the file.
    Bytes(&'a [u8], u32),
}

/// Consecutive points.
#[derive(Debug, Default)]
pub struct Segment {
    /// The number of the first point.
    pub first: u64,
    /// For each point, the absolute offset of its first entry.
    at: Vec<u64>,
    /// For each point, the number of its statement.
    statement: Vec<u32>,
    /// For each point, where its variables end.
    ends: Vec<u32>,
    /// For each variable, its key in the dictionary, with [`IN_BUFFER`].
    pub(crate) key: Vec<u32>,
    /// For each variable, its kind, and its number as 64 bits, or where its bytes are.
    pub(crate) kind: Vec<Kind>,
    pub(crate) value: Vec<u64>,
    /// For pointers into buffers, the bytes from there to the end; for bytes, how many the file
    /// has. Ends after the last of them.
    pub(crate) extra: Vec<u64>,
    bytes: Vec<u8>,
    auxiliary: Vec<u64>,
    /// Points with auxiliary numbers, and where these end.
    auxiliary_of: Vec<(u32, u32)>,
    /// Sizes of buffers: the point, counted from the first, the address, and the size in bytes.
    buffers: Vec<(u32, u64, u64)>,
}

/// How the 64 bits of a value are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Kind {
    Unsigned,
    Signed,
    Float,
    Pointer,
    Bytes,
}

impl Kind {
    pub(crate) fn of(number: Raw) -> Self {
        match number {
            Raw::Unsigned(_) => Self::Unsigned,
            Raw::Signed(_) => Self::Signed,
            Raw::Float(_) => Self::Float,
            Raw::Pointer(_) => Self::Pointer,
        }
    }
}

impl Segment {
    /// Before point `first`.
    pub fn new(first: u64) -> Self {
        Self { first, ..Self::default() }
    }

    /// Adds a point.
    pub fn push(&mut self, dictionary: &mut Dictionary, point: &Point) {
        self.at.push(point.at);
        self.statement.push(dictionary.statement_number(point.statement));
        for variable in &point.variables {
            let mut key = dictionary.key_number(variable.name, variable.of_type);
            let (kind, value) = match &variable.content {
                Content::Number(number) => (Kind::of(*number), number.bits()),
                Content::Bytes(bytes) => {
                    let from = self.bytes.len() as u64;
                    self.bytes.extend_from_slice(bytes);
                    self.put_extra(variable.size.into());
                    (Kind::Bytes, from << 32 | bytes.len() as u64)
                }
            };
            if let Some(left) = variable.buffer_size {
                self.put_extra(left);
                key |= IN_BUFFER;
            }
            self.key.push(key);
            self.kind.push(kind);
            self.value.push(value);
        }
        self.ends.push(self.key.len() as u32);
        if !point.auxiliary.is_empty() {
            self.auxiliary.extend_from_slice(&point.auxiliary);
            self.auxiliary_of.push((self.at.len() as u32 - 1, self.auxiliary.len() as u32));
        }
        let number = self.at.len() as u32 - 1;
        self.buffers.extend(point.buffer_sizes.iter().map(|(address, size)| (number, *address, *size)));
    }

    /// For the variable that is added next.
    fn put_extra(&mut self, extra: u64) {
        self.extra.resize(self.key.len(), 0);
        self.extra.push(extra);
    }

    /// Whether another segment must begin.
    pub fn is_full(&self) -> bool {
        self.at.len() >= MOST_POINTS || self.size() >= LONG
    }

    /// Size in bytes, about.
    pub fn size(&self) -> usize {
        self.at.len() * 16
            + self.key.len() * 13
            + self.extra.len() * 8
            + self.bytes.len()
            + self.auxiliary.len() * 8
            + self.buffers.len() * 24
    }

    /// Releases memory that is not needed once the segment is full.
    pub fn shrink(&mut self) {
        self.at.shrink_to_fit();
        self.statement.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.key.shrink_to_fit();
        self.kind.shrink_to_fit();
        self.value.shrink_to_fit();
        self.extra.shrink_to_fit();
        self.bytes.shrink_to_fit();
        self.auxiliary.shrink_to_fit();
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// The number of a point's statement in the dictionary. `point` counts from the segment's
    /// first.
    pub fn statement(&self, point: usize) -> u32 {
        self.statement.get(point).copied().unwrap_or(0)
    }

    /// The absolute offset of a point.
    pub fn at(&self, point: usize) -> u64 {
        self.at.get(point).copied().unwrap_or(0)
    }

    /// The indices of a point's variables.
    pub fn variables(&self, point: usize) -> core::ops::Range<usize> {
        let from = point.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        from as usize..self.ends.get(point).copied().unwrap_or(from) as usize
    }

    /// The key of a variable in the dictionary.
    pub fn key(&self, variable: usize) -> u32 {
        self.key.get(variable).copied().unwrap_or(0) & !IN_BUFFER
    }

    /// What a variable holds.
    pub fn value(&self, variable: usize) -> Value<'_> {
        let bits = self.value.get(variable).copied().unwrap_or(0);
        Value::Number(match self.kind.get(variable).copied().unwrap_or(Kind::Unsigned) {
            Kind::Unsigned => Raw::Unsigned(bits),
            Kind::Signed => Raw::Signed(bits as i64),
            Kind::Float => Raw::Float(f64::from_bits(bits)),
            Kind::Pointer => Raw::Pointer(bits),
            Kind::Bytes => {
                let len = self.extra.get(variable).copied().unwrap_or(0) as u32;
                return Value::Bytes(self.bytes_of(bits), len);
            }
        })
    }

    /// The bytes at a place, which [`Segment::value`] has for them.
    pub(crate) fn bytes_of(&self, place: u64) -> &[u8] {
        let from = (place >> 32) as usize;
        self.bytes.get(from..from + (place as u32) as usize).unwrap_or_default()
    }

    /// For a pointer into a buffer, the bytes from there to its end.
    pub fn buffer_size(&self, variable: usize) -> Option<u64> {
        (self.key.get(variable)? & IN_BUFFER != 0).then(|| self.extra.get(variable).copied())?
    }

    /// The sizes of buffers that the points say, in the order of the trace: the point, counted from
    /// the segment's first, the address, and the size in bytes; 0 frees the buffer.
    pub fn buffers(&self) -> &[(u32, u64, u64)] {
        &self.buffers
    }

    /// The auxiliary numbers of a point.
    pub fn auxiliary(&self, point: usize) -> &[u64] {
        let Ok(i) = self.auxiliary_of.binary_search_by_key(&(point as u32), |(of, _)| *of) else { return &[] };
        let end = |i: usize| self.auxiliary_of.get(i).map_or(0, |(_, end)| *end as usize);
        self.auxiliary.get(i.checked_sub(1).map_or(0, end)..end(i)).unwrap_or_default()
    }
}

/// The first bytes of `len` as digits.
fn put_bytes(out: &mut String, first: &[u8], len: u32) {
    for byte in first {
        let _ = write!(out, "{byte:02x}");
    }
    if first.len() < len as usize {
        out.push('…');
    }
}

/// A value as the details show it.
pub fn put_value(out: &mut String, value: Value<'_>) {
    let _ = match value {
        Value::Number(Raw::Unsigned(n)) => write!(out, "{n}"),
        Value::Number(Raw::Signed(n)) => write!(out, "{n}"),
        Value::Number(Raw::Float(n)) if n == 0.0 || !n.is_finite() || (1e-5..1e16).contains(&n.abs()) => {
            write!(out, "{n}")
        }
        Value::Number(Raw::Float(n)) => write!(out, "{n:e}"),
        Value::Number(Raw::Pointer(n)) => write!(out, "{n:#x}"),
        Value::Bytes(bytes, len) => {
            match printed(bytes, len.into()) {
                Some(text) => put_quoted(out, text, MOST_TEXT),
                None => put_bytes(out, bytes.get(..MOST_BYTES).unwrap_or(bytes), len),
            }
            Ok(())
        }
    };
}
