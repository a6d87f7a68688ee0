//! The sink that prints a line for each call, in some [`Notation`].

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use unspool_trace::part::{Blob, Part};

use super::decode::Sink;
use super::lists::{DisplayLists, ListArgs, Rendered};
use super::numbers::{put_int, put_uint};
use super::pending::Pending;
use super::records::{Bytes, Enter, Nest, Scalar};
use super::tables::{Function, Struct, Tables};
use super::wire::{FLAG_FAKE, Header, StreamOffset};

/// Approximate size of a portion of text, in bytes.
const PORTION: usize = 1 << 20;
/// Limit for the number of open calls, because the line of each is in memory. A file of a megabyte
/// can hold a hundred million.
pub(super) const MAX_OPEN: usize = 1 << 20;
/// Limit for the bytes of the blobs of a call whose contents are wanted.
const MAX_BLOBS: u64 = 64 << 20;

/// How values and calls look. Each method appends to `out`.
pub(super) trait Notation {
    /// What is between two values.
    const SEPARATOR: &'static str;
    /// What precedes the calls.
    fn header(&mut self, _out: &mut String, _header: &Header) {}
    fn null(&mut self, out: &mut String);
    fn float(&mut self, out: &mut String, x: f32);
    fn double(&mut self, out: &mut String, x: f64);
    fn pointer(&mut self, out: &mut String, address: u64);
    /// What precedes and follows the names of a constant or of flags.
    fn quote(&mut self, _out: &mut String) {}
    /// The name of a constant or of a flag.
    fn name(&mut self, out: &mut String, name: &str) {
        out.push_str(name);
    }
    /// The name of the member with this index, which follows. An empty one may be left out.
    fn member(&mut self, out: &mut String, name: &str, index: u32);
    /// Whether unnamed members that are not structs are left out.
    fn hides_unnamed(&self) -> bool;
    fn open_array(&mut self, out: &mut String, len: u64);
    fn close_array(&mut self, out: &mut String, len: u64);
    /// A string or blob of `len` bytes or units begins.
    fn begin_bytes(&mut self, out: &mut String, kind: Bytes, len: u64);
    fn bytes(&mut self, out: &mut String, bytes: &[u8]);
    fn unit(&mut self, out: &mut String, unit: u32);
    fn end_bytes(&mut self, out: &mut String);
    /// Words around the two forms of a value that is recorded for people and for machines, and
    /// between them. `None` if the second one is not printed.
    fn both_forms(&self) -> Option<[&'static str; 3]> {
        None
    }
    /// A struct that is a GUID, by its parts: a number of 32 bits, two of 16, and eight bytes.
    fn guid(&mut self, out: &mut String, parts: &[u64]);
    /// A call, with its line end.
    fn call(&mut self, out: &mut String, call: &Call<'_>);
    /// Number of bytes left out since the last call of this method, because they were too many.
    fn take_left_out(&mut self) -> u64 {
        0
    }
}

/// A call to print.
pub(super) struct Call<'a> {
    pub(super) tables: &'a Tables,
    pub(super) function: &'a Function,
    pub(super) number: u64,
    /// Number of the frame that it belongs to.
    pub(super) frame: u64,
    /// It never returned within the trace.
    pub(super) incomplete: bool,
    pub(super) line: &'a Line,
}

impl Call<'_> {
    /// The name of each argument and its value. An argument beyond those of the function has no
    /// name; one that was not recorded has no value.
    pub(super) fn arguments(&self) -> impl Iterator<Item = (Option<&str>, Option<&str>)> {
        let line = self.line;
        let beyond = line.args.last().map_or(0, |arg| arg.0 as usize + 1);
        let mut args = line.args.iter().peekable();
        (0..beyond.max(self.function.args.len())).map(move |i| {
            let value = args.next_if(|arg| arg.0 as usize == i).and_then(|arg| line.part((arg.1, arg.2)));
            (self.function.args.get(i), value)
        })
    }

    /// The return value, if there is one.
    pub(super) fn result(&self) -> Option<&str> {
        self.line.part(self.line.result).filter(|text| !text.is_empty())
    }
}

/// A call whose line is not yet printed, with its values as text in stream order.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) thread: u64,
    function: u32,
    text: String,
    /// Index, and beginning and end in `text`, of each argument: in stream order, and by index when
    /// it is printed.
    args: Vec<(u32, u32, u32)>,
    /// Beginning and end of the return value in `text`.
    result: (u32, u32),
    pub(super) fake: bool,
    pub(super) rendered: Rendered,
    /// Indexes of the frames of the backtrace, if there is one.
    pub(super) backtrace: Option<Vec<u32>>,
    /// It does not belong to the part that is printed: its values are not kept.
    is_left_out: bool,
    /// The contents of its blobs if they are wanted, each with the index of its argument.
    blobs: Vec<(Option<u32>, Vec<u8>)>,
    /// Bytes that were left out, because they are too many.
    omitted: u64,
}

impl Line {
    fn part(&self, (begin, end): (u32, u32)) -> Option<&str> {
        self.text.get(begin as usize..end as usize)
    }
}

/// A container of values that is being printed.
#[derive(Debug)]
struct Level {
    kind: Nest,
    /// Values so far.
    count: u32,
    /// The next member needs a comma. A struct in an unnamed member shares this with the struct
    /// around it.
    comma: bool,
    /// A struct in an unnamed member: its members are printed like those of the struct around it.
    inline: bool,
    /// Beginning of the text of a GUID, or of the second part of a repr, which is removed.
    mark: usize,
    is_guid: bool,
    /// Beginning of the text of an unnamed member that is left out.
    hide: Option<usize>,
}

/// The sink that prints.
pub(super) struct Lines<N> {
    pub(super) notation: N,
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
    list: ListArgs,
    lists: DisplayLists,
    /// Number of frames that have ended.
    frames: u64,
    pub(super) part: Part,
    /// Number of open calls that may belong to the part.
    kept: usize,
    /// The contents of the current blob are wanted.
    keeps_blob: bool,
    /// Bytes of the blobs that the caller has yet to take.
    blob_bytes: usize,
    /// Bytes that were left out of printed calls, because they are too many.
    omitted: u64,
    /// Calls were left out, because [`MAX_OPEN`] others were open.
    pub(super) too_many: bool,
    pub(super) closing: bool,
}

impl<N: Notation> Lines<N> {
    pub(super) fn new(notation: N) -> Self {
        Self {
            notation,
            out: String::new(),
            pending: Pending::default(),
            spare: Vec::new(),
            line: Line::default(),
            call: 0,
            leaving: false,
            known: false,
            target: None,
            begin: 0,
            levels: Vec::new(),
            guid: Vec::new(),
            list: ListArgs::default(),
            lists: DisplayLists::default(),
            frames: 0,
            part: Part::default(),
            kept: 0,
            keeps_blob: false,
            blob_bytes: 0,
            omitted: 0,
            too_many: false,
            closing: false,
        }
    }

    /// Forgets an open call: its line is not printed.
    pub(super) fn forget(&mut self, call: u64) {
        self.pending.take(call);
    }

    /// Number of bytes left out of calls that were printed since the last call of this method,
    /// because they were too many.
    pub(super) fn take_left_out(&mut self) -> u64 {
        core::mem::take(&mut self.omitted)
    }

    /// The caller has taken the contents of blobs.
    pub(super) fn blobs_taken(&mut self) {
        if !self.has_blobs() {
            self.blob_bytes = 0;
        }
    }

    /// Whether there are contents of blobs for the caller to take.
    pub(super) fn has_blobs(&self) -> bool {
        self.part.blobs.as_ref().is_some_and(|blobs| !blobs.is_empty())
    }

    /// Whether no call of this number, thread and function, in this frame or a later one, belongs
    /// to the part.
    fn leaves_out(&self, tables: &Tables, enter: &Enter) -> bool {
        let name = tables.functions.get(enter.function).map(|function| &*function.name);
        !self.part.has_position(enter.call)
            || !self.part.has_thread(Some(enter.thread))
            || !self.part.has_name(name)
            || self.part.ends_before_frame(self.frames)
    }

    /// Moves the contents of the current call's blobs to those that the caller takes.
    fn hand_out_blobs(&mut self, function: &Function) {
        let Some(blobs) = &mut self.part.blobs else { return };
        for (argument, bytes) in self.line.blobs.drain(..) {
            let argument = argument.map(|index| match function.args.get(index as usize) {
                Some(name) if !name.is_empty() => String::from(name),
                _ => format!("argument {index}"),
            });
            self.blob_bytes += bytes.len();
            blobs.push(Blob { call: self.call, argument, bytes });
        }
    }

    /// Prints what precedes a value: a comma, the name of a member. Returns whether the value is an
    /// inline struct.
    fn before(&mut self, tables: &Tables, is_struct: bool) -> bool {
        let Some(level) = self.levels.last_mut() else { return false };
        let index = level.count;
        level.count += 1;
        match level.kind {
            Nest::Array(_) => {
                if index > 0 {
                    self.line.text.push_str(N::SEPARATOR);
                }
            }
            Nest::Repr => {
                if index == 1 {
                    level.mark = self.line.text.len();
                    if let Some([_, between, _]) = self.notation.both_forms() {
                        self.line.text.push_str(between);
                    }
                }
            }
            Nest::Struct(signature) => {
                let name = tables.structs.get(signature).and_then(|s| s.members.get(index as usize));
                let name = name.unwrap_or_default();
                if name.is_empty() && is_struct {
                    return true;
                }
                if name.is_empty() && self.notation.hides_unnamed() {
                    level.hide = Some(self.line.text.len());
                    return false;
                }
                if level.comma {
                    self.line.text.push_str(N::SEPARATOR);
                }
                level.comma = true;
                self.notation.member(&mut self.line.text, name, index);
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
        let Some(function) = tables.functions.get(self.line.function) else { return };
        let is_in_part = !self.line.is_left_out && self.part.has_frame(self.frames);
        if !is_in_part {
            self.ended(function.flags.frame_end);
            return;
        }
        self.part.printed += 1;
        self.omitted += self.line.omitted;
        self.hand_out_blobs(function);
        // Arguments are nearly always in order. The later one of a repeated argument wins.
        let args = &mut self.line.args;
        if !args.is_sorted_by(|a, b| a.0 < b.0) {
            args.reverse();
            args.sort_by_key(|arg| arg.0);
            args.dedup_by_key(|arg| arg.0);
        }
        let (number, frame, line) = (self.call, self.frames, &self.line);
        self.notation.call(&mut self.out, &Call { tables, function, number, frame, incomplete, line });
        self.ended(function.flags.frame_end);
    }

    /// A call has ended, and with it perhaps a frame.
    fn ended(&mut self, is_frame_end: bool) {
        self.frames += u64::from(is_frame_end);
        self.part.is_over |= self.part.ends_before_frame(self.frames);
    }

    fn recycle(&mut self) {
        let mut line = core::mem::take(&mut self.line);
        // A line with a lot of text is dropped to free its memory.
        if line.text.capacity() <= 1 << 16 && self.spare.len() < 64 {
            line.text.clear();
            line.args.clear();
            line.blobs.clear();
            (line.is_left_out, line.omitted) = (false, 0);
            (line.result, line.fake, line.rendered, line.backtrace) = ((0, 0), false, Rendered::Nothing, None);
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
                Some(name) => {
                    self.notation.quote(text);
                    self.notation.name(text, name);
                    self.notation.quote(text);
                }
                None => put_int(text, value),
            },
            Scalar::Bitmask { signature, value } => {
                self.notation.quote(text);
                if !tables.flags(signature, value, text, |text, name| self.notation.name(text, name)) {
                    let _ = write!(text, "{value:#x}");
                }
                self.notation.quote(text);
            }
            _ => {}
        }
    }
}

impl<N: Notation> Sink for Lines<N> {
    fn is_full(&self) -> bool {
        // At the end of the file all that is left is looked at, even beyond the part.
        (self.out.len() + self.blob_bytes >= PORTION || self.part.is_over) && !self.closing
    }

    fn enter(&mut self, tables: &Tables, enter: Enter) {
        self.list.begin(tables.functions.get(enter.function).and_then(|function| function.flags.list));
        self.line = self.spare.pop().unwrap_or_default();
        (self.line.thread, self.line.function) = (enter.thread, enter.function);
        self.line.is_left_out = self.leaves_out(tables, &enter);
        (self.call, self.leaving, self.known) = (enter.call, false, true);
    }

    fn leave(&mut self, _tables: &Tables, _at: StreamOffset, call: u64) {
        self.list.begin(self.lists.awaited(call));
        let line = self.pending.take(call);
        self.known = line.is_some();
        self.kept -= usize::from(line.as_ref().is_some_and(|line| !line.is_left_out));
        self.line = line.or_else(|| self.spare.pop()).unwrap_or_default();
        (self.call, self.leaving) = (call, true);
    }

    fn event_end(&mut self, tables: &Tables, _end: StreamOffset) {
        if !self.leaving
            && let Some(function) = tables.functions.get(self.line.function)
        {
            self.line.rendered = self.lists.enter(function.flags, Some(&self.list), self.line.thread, self.call);
        }
        if self.leaving {
            self.lists.leave(Some(&self.list), self.call);
        }
        if !self.leaving && self.pending.len() < MAX_OPEN {
            self.kept += usize::from(!self.line.is_left_out);
            self.pending.push(self.call, core::mem::take(&mut self.line));
            self.part.is_over |= self.kept == 0 && self.part.ends_before(self.call.saturating_add(1));
            return;
        }
        if !self.leaving {
            self.too_many = true;
            self.recycle();
            return;
        }
        if self.known {
            self.print(tables, false);
        }
        self.recycle();
        // Calls that begin after this one have greater numbers. A number that never began says
        // nothing.
        let is_last = self.known && self.part.ends_before(self.call.saturating_add(1));
        self.part.is_over |= self.kept == 0 && is_last;
    }

    fn flags(&mut self, flags: u64) {
        self.line.fake |= flags & FLAG_FAKE != 0;
    }

    fn backtrace(&mut self) {
        self.line.backtrace.get_or_insert_default().clear();
    }

    fn frame(&mut self, _tables: &Tables, frame: u32) {
        self.line.backtrace.get_or_insert_default().push(frame);
    }

    fn argument(&mut self, _tables: &Tables, index: u32) {
        self.list.argument(index);
        self.target(Some(index));
    }

    fn result(&mut self) {
        self.target(None);
    }

    fn scalar(&mut self, tables: &Tables, value: Scalar) {
        self.list.scalar(value);
        if self.line.is_left_out {
            return;
        }
        self.before(tables, false);
        let text = &mut self.line.text;
        match value {
            Scalar::Null => self.notation.null(text),
            Scalar::Bool(b) => text.push_str(if b { "true" } else { "false" }),
            Scalar::Int(n) => put_int(text, n),
            Scalar::Uint(n) => put_uint(text, n),
            Scalar::Float(x) => self.notation.float(text, x),
            Scalar::Double(x) => self.notation.double(text, x),
            Scalar::Pointer(address) => self.notation.pointer(text, address),
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
        self.keeps_blob = false;
        if self.line.is_left_out {
            return;
        }
        if kind == Bytes::Blob && self.part.blobs.is_some() {
            let held: u64 = self.line.blobs.iter().map(|(_, bytes)| bytes.len() as u64).sum();
            self.keeps_blob = len <= MAX_BLOBS.saturating_sub(held);
            if self.keeps_blob {
                self.line.blobs.push((self.target, Vec::new()));
            } else {
                self.line.omitted += len;
            }
        }
        self.before(tables, false);
        self.notation.begin_bytes(&mut self.line.text, kind, len);
        self.line.omitted += self.notation.take_left_out();
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.list.bytes(bytes);
        if self.line.is_left_out {
            return;
        }
        if self.keeps_blob
            && let Some((_, blob)) = self.line.blobs.last_mut()
        {
            blob.extend_from_slice(bytes);
        }
        self.notation.bytes(&mut self.line.text, bytes);
    }

    fn unit(&mut self, unit: u32) {
        if self.line.is_left_out {
            return;
        }
        self.notation.unit(&mut self.line.text, unit);
    }

    fn end_bytes(&mut self) {
        if self.line.is_left_out {
            return;
        }
        self.notation.end_bytes(&mut self.line.text);
        self.after();
    }

    fn open(&mut self, tables: &Tables, kind: Nest) {
        if self.line.is_left_out {
            return;
        }
        let mark = self.line.text.len();
        let inline = self.before(tables, matches!(kind, Nest::Struct(_)));
        let comma = inline && self.levels.last().is_some_and(|level| level.comma);
        let mut level = Level { kind, count: 0, comma, inline, mark, is_guid: false, hide: None };
        let text = &mut self.line.text;
        match kind {
            Nest::Array(len) => self.notation.open_array(text, len),
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
            Nest::Repr => text.push_str(self.notation.both_forms().map_or("", |[before, ..]| before)),
        }
        self.levels.push(level);
    }

    fn close(&mut self, _tables: &Tables) {
        let Some(level) = self.levels.pop() else { return };
        let text = &mut self.line.text;
        match level.kind {
            Nest::Array(len) => self.notation.close_array(text, len),
            Nest::Repr => match self.notation.both_forms() {
                Some([.., behind]) => text.push_str(behind),
                None => text.truncate(level.mark),
            },
            Nest::Struct(_) if level.is_guid => {
                text.truncate(level.mark);
                self.notation.guid(text, &self.guid);
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

#[cfg(test)]
mod tests {
    use super::super::functions::NameFlags;
    use super::super::json::Json;
    use super::super::tables::{Definitions, Signature, Strings};
    use super::*;

    /// Calls that end frames, each with a blob that is too large for the file of it, and for hex.
    #[test]
    fn only_printed_calls_have_bytes_left_out() {
        let mut tables = Tables::default();
        let name = String::from("glFrameTerminatorGREMEDY");
        let flags = NameFlags { frame_end: true, ..NameFlags::default() };
        tables.define(0, StreamOffset(0), Signature::Function(Function { name, args: Strings::default(), flags }));
        for (hex, files, expected) in [(false, true, 1), (true, false, 1), (true, true, 2), (false, false, 0)] {
            let mut lines = Lines::new(Json::new(hex));
            lines.part.frames = Some((1, 1));
            lines.part.blobs = files.then(Vec::new);
            for call in 0..2 {
                lines.enter(&tables, Enter { at: StreamOffset(0), call, thread: 0, function: 0 });
                lines.argument(&tables, 0);
                lines.begin_bytes(&tables, Bytes::Blob, MAX_BLOBS + 1);
                lines.end_bytes();
                lines.event_end(&tables, StreamOffset(0));
                assert_eq!(lines.take_left_out(), 0, "the call has not returned");
                lines.leave(&tables, StreamOffset(0), call);
                lines.event_end(&tables, StreamOffset(0));
                let omitted = if call == 1 { expected * (MAX_BLOBS + 1) } else { 0 };
                assert_eq!(lines.take_left_out(), omitted, "call {call}");
            }
        }
    }
}
