//! The sink that collects one call, with its values as trees for the details pane.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use unspool_trace::details::{Field, Value};

use super::decode::Sink;
use super::records::{Bytes, Enter, Nest, Scalar};
use super::tables::{Frame, Tables};
use super::wire::{FLAG_FAKE, StreamOffset, text_of, wide_char};

/// Maximum number of values of one call. Further ones are counted, not shown.
const MAX_VALUES: usize = 1 << 16;
/// Maximum number of containers of values within each other. Browsers copy values by recursion,
/// with a stack for a few hundred.
const MAX_NESTED: usize = 64;

/// What the next value belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Argument(u32),
    Result,
}

/// A container of values that is not complete.
#[derive(Debug)]
struct Open {
    kind: Nest,
    values: Vec<Value>,
}

/// A string or blob that is not complete.
#[derive(Debug)]
struct Coming {
    kind: Bytes,
    /// Length in bytes or units.
    len: u64,
    bytes: Vec<u8>,
    /// Characters of a wide string.
    text: String,
    /// High surrogate of a wide string.
    high: Option<u32>,
}

/// A call, as far as it has been decoded.
#[derive(Debug)]
pub(crate) struct Collect {
    limit: usize,
    pub(crate) enter: Option<Enter>,
    /// Number of the call, from its LEAVE event.
    pub(crate) left: Option<u64>,
    /// End of the last event, if it is complete.
    pub(crate) end: Option<StreamOffset>,
    /// By index; `None` if not recorded.
    pub(crate) arguments: Vec<Option<Value>>,
    pub(crate) result: Option<Value>,
    /// The tracer made the call, not the program.
    pub(crate) fake: bool,
    pub(crate) backtrace: Vec<String>,
    /// Number of values beyond the limit.
    pub(crate) dropped: u64,
    /// A string was cut to the limit.
    pub(crate) shortened: bool,
    kept: usize,
    target: Target,
    open: Vec<Open>,
    coming: Option<Coming>,
}

impl Collect {
    /// Keeps at most `limit` bytes of each string and blob.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            enter: None,
            left: None,
            end: None,
            arguments: Vec::new(),
            result: None,
            fake: false,
            backtrace: Vec::new(),
            dropped: 0,
            shortened: false,
            kept: 0,
            target: Target::Result,
            open: Vec::new(),
            coming: None,
        }
    }

    /// Whether the rest of the current string or blob is not needed.
    pub(crate) fn has_enough(&self) -> bool {
        self.coming.as_ref().is_none_or(|c| c.bytes.len() >= self.limit)
    }

    /// Keeps a value unless there are too many. An argument, a return value and a container with
    /// kept values are always kept, so a long array is shortened instead of removed with its
    /// surroundings.
    fn keep(&mut self, value: Value) {
        let holds = match &value {
            Value::List(values) => !values.is_empty(),
            Value::Tree(fields) => !fields.is_empty(),
            _ => false,
        };
        let is_too_deep = self.open.len() > MAX_NESTED;
        if is_too_deep || self.kept >= MAX_VALUES && !self.open.is_empty() && !holds {
            self.dropped += 1;
            return;
        }
        self.kept += 1;
        if let Some(open) = self.open.last_mut() {
            open.values.push(value);
            return;
        }
        match self.target {
            Target::Result => self.result = Some(value),
            Target::Argument(i) => {
                let i = i as usize;
                if self.arguments.len() <= i {
                    self.arguments.resize(i + 1, None);
                }
                if let Some(slot) = self.arguments.get_mut(i) {
                    *slot = Some(value);
                }
            }
        }
    }
}

impl Sink for Collect {
    /// The walk stops after each event.
    fn is_full(&self) -> bool {
        self.end.is_some()
    }

    fn enter(&mut self, _tables: &Tables, enter: Enter) {
        self.enter = Some(enter);
    }

    fn leave(&mut self, _tables: &Tables, _at: StreamOffset, call: u64) {
        self.left = Some(call);
    }

    fn event_end(&mut self, _tables: &Tables, end: StreamOffset) {
        self.end = Some(end);
    }

    fn flags(&mut self, flags: u64) {
        self.fake |= flags & FLAG_FAKE != 0;
    }

    fn backtrace(&mut self) {
        self.backtrace.clear();
    }

    fn frame(&mut self, tables: &Tables, frame: u32) {
        if self.backtrace.len() < MAX_VALUES {
            self.backtrace.push(tables.frames.get(frame).map_or_else(|| "?".into(), Frame::text));
        }
    }

    fn argument(&mut self, _tables: &Tables, index: u32) {
        self.target = Target::Argument(index);
    }

    fn result(&mut self) {
        self.target = Target::Result;
    }

    fn scalar(&mut self, tables: &Tables, scalar: Scalar) {
        tables.visit(scalar, &mut String::new(), |value| self.keep(value.into()));
    }

    fn begin_bytes(&mut self, _tables: &Tables, kind: Bytes, len: u64) {
        self.coming = Some(Coming { kind, len, bytes: Vec::new(), text: String::new(), high: None });
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let Some(coming) = &mut self.coming else { return };
        let room = self.limit.saturating_sub(coming.bytes.len());
        coming.bytes.extend(bytes.iter().take(room));
        self.shortened |= coming.kind == Bytes::String && bytes.len() > room;
    }

    fn unit(&mut self, unit: u32) {
        let Some(coming) = &mut self.coming else { return };
        if coming.text.len() >= self.limit {
            self.shortened = true;
        } else if let Some(c) = wide_char(&mut coming.high, unit) {
            coming.text.push(c);
        }
    }

    fn end_bytes(&mut self) {
        let Some(coming) = self.coming.take() else { return };
        self.keep(match coming.kind {
            Bytes::String => Value::Text(shown(&coming.bytes)),
            Bytes::Blob => Value::Bytes { bytes: coming.bytes, len: coming.len },
            Bytes::Wide => Value::Text(coming.text),
        });
    }

    fn open(&mut self, _tables: &Tables, kind: Nest) {
        self.open.push(Open { kind, values: Vec::new() });
    }

    fn close(&mut self, tables: &Tables) {
        let Some(Open { kind, values }) = self.open.pop() else { return };
        // Names are looked up for existing values only; a signature may have many more members.
        let value = match kind {
            Nest::Array(_) => Value::List(values),
            Nest::Repr => named(values, |i| if i == 0 { "text" } else { "machine form" }),
            Nest::Struct(signature) => {
                let members = tables.structs.get(signature).map(|s| &s.members);
                named(values, |i| members.and_then(|m| m.get(i)).unwrap_or_default())
            }
        };
        self.keep(value);
    }
}

fn named<'a>(values: Vec<Value>, name: impl Fn(usize) -> &'a str) -> Value {
    let field = |(i, value)| Field { name: Cow::Owned(name(i).into()), value };
    Value::Tree(values.into_iter().enumerate().map(field).collect())
}

/// A string with NULs as text.
pub(super) fn shown(bytes: &[u8]) -> String {
    if bytes.contains(&0) {
        return bytes.split(|b| *b == 0).map(text_of).collect::<Vec<_>>().join("\0");
    }
    text_of(bytes)
}

/// Appends a GUID in its usual form.
pub(super) fn put_guid(out: &mut String, parts: &[u64]) {
    let part = |i: usize| parts.get(i).copied().unwrap_or(0);
    let _ = write!(out, "{:08x}-{:04x}-{:04x}-", part(0) as u32, part(1) as u16, part(2) as u16);
    for i in 3..11 {
        let _ = write!(out, "{}{:02x}", if i == 5 { "-" } else { "" }, part(i) as u8);
    }
}
