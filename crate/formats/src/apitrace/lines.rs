//! The sink that prints a line for each call.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use super::decode::Sink;
use super::numbers::{put_float, put_int, put_uint};
use super::pending::Pending;
use super::records::{Bytes, Enter, Nest, Scalar};
use super::tables::{Frame, Struct, Tables};
use super::wire::FLAG_FAKE;

/// Approximate size of a portion of text, in bytes.
const PORTION: usize = 1 << 20;

/// A call whose line is not yet printed, with its values as text in stream order.
#[derive(Debug, Default)]
struct Line {
    thread: u64,
    function: u32,
    text: String,
    /// Index, and beginning and end in `text`, of each argument in stream order.
    args: Vec<(u32, u32, u32)>,
    /// Beginning and end of the return value in `text`.
    result: (u32, u32),
    fake: bool,
    /// Indexes of the frames of the backtrace.
    frames: Vec<u32>,
    has_frames: bool,
}

/// A container of values that is being printed.
#[derive(Debug)]
struct Level {
    kind: Nest,
    /// Values so far.
    count: u32,
    /// The next member needs a comma. A struct in an unnamed member shares this with the struct around it.
    comma: bool,
    /// A struct in an unnamed member: its members are printed like those of the struct around it.
    inline: bool,
    /// Beginning of the text of a GUID, or of the second part of a repr, which is removed.
    mark: usize,
    is_guid: bool,
    /// Beginning of the text of an unnamed member that is not a struct. apitrace does not print it.
    hide: Option<usize>,
}

/// The sink that prints.
#[derive(Default)]
pub(super) struct Lines {
    thread_ids: bool,
    pub(super) out: String,
    pending: Pending<Line>,
    /// Lines to reuse.
    spare: Vec<Line>,
    /// The current call, taken from the pending ones.
    line: Line,
    call: u64,
    leaving: bool,
    /// The call of the current LEAVE event is open.
    known: bool,
    /// Index of the current argument; `None` for the return value.
    target: Option<u32>,
    /// Beginning of the current value in the line's text.
    begin: usize,
    levels: Vec<Level>,
    /// Parts of the current GUID.
    guid: Vec<u64>,
    escaper: Escaper,
    in_blob: bool,
    pub(super) closing: bool,
}

impl Lines {
    pub(super) fn new(thread_ids: bool) -> Self {
        Self { thread_ids, ..Self::default() }
    }

    /// Forgets an open call: its line is not printed.
    pub(super) fn forget(&mut self, call: u64) {
        self.pending.take(call);
    }

    /// Prints what precedes a value: a comma, the name of a member. Returns whether the value is an inline struct.
    fn before(&mut self, tables: &Tables, is_struct: bool) -> bool {
        let Some(level) = self.levels.last_mut() else { return false };
        let index = level.count;
        level.count += 1;
        match level.kind {
            Nest::Array(_) => {
                if index > 0 {
                    self.line.text.push_str(", ");
                }
            }
            Nest::Repr => {
                if index == 1 {
                    level.mark = self.line.text.len();
                }
            }
            Nest::Struct(signature) => {
                let name = tables.structs.get(signature).and_then(|s| s.members.get(index as usize));
                let name = name.unwrap_or_default();
                if name.is_empty() {
                    level.hide = (!is_struct).then_some(self.line.text.len());
                    return is_struct;
                }
                if level.comma {
                    self.line.text.push_str(", ");
                }
                level.comma = true;
                self.line.text.push_str(name);
                self.line.text.push_str(" = ");
            }
        }
        false
    }

    /// A value ends. At the outermost level it is an argument or the return value.
    fn after(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            if let Some(begin) = level.hide.take() {
                self.line.text.truncate(begin);
            }
            return;
        }
        let stretch = (self.begin as u32, self.line.text.len() as u32);
        match self.target {
            None => self.line.result = stretch,
            Some(index) => self.line.args.push((index, stretch.0, stretch.1)),
        }
    }

    fn target(&mut self, target: Option<u32>) {
        self.target = target;
        self.begin = self.line.text.len();
    }

    fn print(&mut self, tables: &Tables, incomplete: bool) {
        let (out, line) = (&mut self.out, &mut self.line);
        let Some(function) = tables.functions.get(line.function) else { return };
        put_uint(out, self.call);
        out.push(' ');
        if self.thread_ids {
            let _ = write!(out, "@{:x} ", line.thread);
        }
        out.push_str(&function.name);
        out.push('(');
        // Arguments are nearly always in order. The later one of a repeated argument wins.
        if !line.args.is_sorted_by(|a, b| a.0 < b.0) {
            line.args.reverse();
            line.args.sort_by_key(|arg| arg.0);
            line.args.dedup_by_key(|arg| arg.0);
        }
        let beyond = line.args.last().map_or(0, |arg| arg.0 as usize + 1);
        let mut args = line.args.iter().peekable();
        for i in 0..beyond.max(function.args.len()) {
            if i > 0 {
                out.push_str(", ");
            }
            if let Some(name) = function.args.get(i) {
                out.push_str(name);
                out.push_str(" = ");
            }
            let value =
                args.next_if(|arg| arg.0 as usize == i).and_then(|arg| line.text.get(arg.1 as usize..arg.2 as usize));
            out.push_str(value.unwrap_or("?"));
        }
        out.push(')');
        if line.result.1 > line.result.0 {
            out.push_str(" = ");
            out.push_str(line.text.get(line.result.0 as usize..line.result.1 as usize).unwrap_or_default());
        }
        if line.fake || incomplete {
            out.push_str(" //");
            out.push_str(if line.fake { " fake" } else { "" });
            out.push_str(if incomplete { " incomplete" } else { "" });
        }
        out.push('\n');
        if line.has_frames {
            out.push_str("Backtrace:\n");
            for frame in &line.frames {
                out.push_str(&tables.frames.get(*frame).map(Frame::text).unwrap_or_default());
                out.push('\n');
            }
        }
        if function.flags.frame_end {
            out.push('\n');
        }
    }

    fn recycle(&mut self) {
        let mut line = core::mem::take(&mut self.line);
        // A line with a lot of text is dropped to free its memory.
        if line.text.capacity() <= 1 << 16 && self.spare.len() < 64 {
            line.text.clear();
            line.args.clear();
            line.frames.clear();
            (line.result, line.fake, line.has_frames) = ((0, 0), false, false);
            self.spare.push(line);
        }
    }

    /// Prints the open calls in the order in which they began.
    pub(super) fn finish(&mut self, tables: &Tables) {
        let open: Vec<_> = self.pending.drain().collect();
        for (call, line) in open {
            (self.call, self.line) = (call, line);
            self.print(tables, true);
        }
    }

    fn symbol(&mut self, tables: &Tables, value: Scalar) {
        let text = &mut self.line.text;
        match value {
            Scalar::Enum { signature, value } => match tables.enums.get(signature).and_then(|e| e.name(value)) {
                Some(name) => text.push_str(name),
                None => put_int(text, value),
            },
            Scalar::Bitmask { signature, value } => {
                let mut first = true;
                let left = tables.bitmasks.get(signature).map_or(value, |mask| {
                    mask.split(value, |name| {
                        text.push_str(if core::mem::take(&mut first) { "" } else { " | " });
                        text.push_str(name);
                    })
                });
                if left != 0 || first {
                    let _ = write!(text, "{}{left:#x}", if first { "" } else { " | " });
                }
            }
            _ => {}
        }
    }
}

impl Sink for Lines {
    fn is_full(&self) -> bool {
        self.out.len() >= PORTION && !self.closing
    }

    fn enter(&mut self, _tables: &Tables, enter: Enter) {
        self.line = self.spare.pop().unwrap_or_default();
        (self.line.thread, self.line.function) = (enter.thread, enter.function);
        (self.call, self.leaving, self.known) = (enter.call, false, true);
    }

    fn leave(&mut self, _tables: &Tables, _at: u64, call: u64) {
        let line = self.pending.take(call);
        self.known = line.is_some();
        self.line = line.or_else(|| self.spare.pop()).unwrap_or_default();
        (self.call, self.leaving) = (call, true);
    }

    fn event_end(&mut self, tables: &Tables, _end: u64) {
        if !self.leaving {
            self.pending.push(self.call, core::mem::take(&mut self.line));
            return;
        }
        if self.known {
            self.print(tables, false);
        }
        self.recycle();
    }

    fn flags(&mut self, flags: u64) {
        self.line.fake |= flags & FLAG_FAKE != 0;
    }

    fn backtrace(&mut self) {
        self.line.has_frames = true;
        self.line.frames.clear();
    }

    fn frame(&mut self, _tables: &Tables, frame: u32) {
        self.line.frames.push(frame);
    }

    fn argument(&mut self, _tables: &Tables, index: u32) {
        self.target(Some(index));
    }

    fn result(&mut self) {
        self.target(None);
    }

    fn scalar(&mut self, tables: &Tables, value: Scalar) {
        self.before(tables, false);
        let text = &mut self.line.text;
        match value {
            Scalar::Null => text.push_str("NULL"),
            Scalar::Bool(b) => text.push_str(if b { "true" } else { "false" }),
            Scalar::Int(n) => put_int(text, n),
            Scalar::Uint(n) => put_uint(text, n),
            Scalar::Float(x) => put_float(text, x.into(), 7),
            Scalar::Double(x) => put_float(text, x, 16),
            Scalar::Pointer(p) => {
                let _ = write!(text, "{p:#x}");
            }
            Scalar::Enum { .. } | Scalar::Bitmask { .. } => self.symbol(tables, value),
        }
        if self.levels.iter().any(|level| level.is_guid) && self.guid.len() < 11 {
            self.guid.push(match value {
                Scalar::Uint(n) => n,
                Scalar::Int(n) => n as u64,
                _ => 0,
            });
        }
        self.after();
    }

    fn begin_bytes(&mut self, tables: &Tables, kind: Bytes, len: u64) {
        self.before(tables, false);
        self.escaper = Escaper::default();
        self.in_blob = kind == Bytes::Blob;
        let text = &mut self.line.text;
        match kind {
            Bytes::String => text.push('"'),
            Bytes::Wide => text.push_str("L\""),
            Bytes::Blob => {
                let _ = write!(text, "blob({len})");
            }
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if !self.in_blob {
            bytes.iter().for_each(|byte| self.escaper.byte(&mut self.line.text, *byte));
        }
    }

    fn unit(&mut self, unit: u32) {
        self.escaper.unit(&mut self.line.text, unit);
    }

    fn end_bytes(&mut self) {
        if !self.in_blob {
            self.line.text.push('"');
        }
        self.in_blob = false;
        self.after();
    }

    fn open(&mut self, tables: &Tables, kind: Nest) {
        let mark = self.line.text.len();
        let inline = self.before(tables, matches!(kind, Nest::Struct(_)));
        let comma = inline && self.levels.last().is_some_and(|level| level.comma);
        let mut level = Level { kind, count: 0, comma, inline, mark, is_guid: false, hide: None };
        let text = &mut self.line.text;
        match kind {
            Nest::Array(1) => text.push('&'),
            Nest::Array(_) => text.push('{'),
            Nest::Struct(signature) => {
                let guid = |s: &Struct| s.name == "GUID" && s.members.len() == 4;
                level.is_guid = !inline && tables.structs.get(signature).is_some_and(guid);
                if level.is_guid {
                    level.mark = text.len();
                    self.guid.clear();
                }
                if !inline {
                    text.push('{');
                }
            }
            Nest::Repr => {}
        }
        self.levels.push(level);
    }

    fn close(&mut self, _tables: &Tables) {
        let Some(level) = self.levels.pop() else { return };
        let text = &mut self.line.text;
        match level.kind {
            Nest::Array(1) => {}
            Nest::Array(_) => text.push('}'),
            // The part for machines is not printed.
            Nest::Repr => text.truncate(level.mark),
            Nest::Struct(_) if level.is_guid => {
                text.truncate(level.mark);
                put_guid(text, &self.guid);
            }
            Nest::Struct(_) if level.inline => {
                if let Some(around) = self.levels.last_mut() {
                    around.comma = level.comma;
                }
            }
            Nest::Struct(_) => text.push('}'),
        }
        self.after();
    }
}

fn put_guid(out: &mut String, parts: &[u64]) {
    let part = |i: usize| parts.get(i).copied().unwrap_or(0);
    let _ = write!(out, "uuid({:08x}-{:04x}-{:04x}-", part(0) as u32, part(1) as u16, part(2) as u16);
    for i in 3..11 {
        let _ = write!(out, "{}{:02x}", if i == 5 { "-" } else { "" }, part(i) as u8);
    }
    out.push(')');
}

/// Escapes a string as apitrace does, up to a NUL.
#[derive(Debug, Default)]
pub(super) struct Escaper {
    over: bool,
}

impl Escaper {
    #[inline]
    pub(super) fn byte(&mut self, out: &mut String, byte: u8) {
        if self.over {
            return;
        }
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x20..=0x7e | b'\t' | b'\n' => out.push(char::from(byte)),
            b'\r' => {}
            0 => self.over = true,
            _ => {
                // apitrace's bug: the second octal digit is printed in place of the first, too.
                let (high, low) = (byte >> 3 & 7, byte & 7);
                out.push('\\');
                if high != 0 {
                    out.push(char::from(b'0' + high));
                    out.push(char::from(b'0' + high));
                }
                out.push(char::from(b'0' + low));
            }
        }
    }

    /// Escapes a unit of a wide string. Only the lower bits of a unit that does not fit a byte remain.
    fn unit(&mut self, out: &mut String, unit: u32) {
        match u8::try_from(unit) {
            Ok(byte) => self.byte(out, byte),
            // Never a NUL, a quote or a letter, whatever the lower bits are.
            Err(_) => self.byte(out, unit as u8 & 0x3f | 0x80),
        }
    }
}
