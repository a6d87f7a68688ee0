//! The state machine that walks over the container: header, meta frame, frames, table of contents.
//!
//! The table of contents is no more than a hint: three families of writers fill it differently, and
//! libtrace's current reader rejects files of its current writer. So the walk finds frames by their
//! lengths and only compares the table with them.

use alloc::vec::Vec;

use unspool_trace::decoder::Range;
use unspool_trace::input::Cursor;
use unspool_trace::problem::{MALFORMED, Problem, TRUNCATED};

use crate::pieces::Stretch;

use super::message::{Message, broken};
use super::problems::{BAD_TABLE, WRONG_COUNT};
use super::wire::{Fields, Header, META_AT, table_fits};

/// A meta frame or a frame, without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// Number of the frame; `None` for the meta frame.
    pub(crate) index: Option<u64>,
    /// Absolute offset of its length field.
    pub(crate) at: u64,
    /// Length of its message in bytes, without the length field.
    pub(crate) len: u64,
}

impl Record {
    /// Absolute offset of its message.
    pub(crate) fn body(&self) -> u64 {
        self.at.wrapping_add(8)
    }

    /// The fields of its message that come before the first defect, and the defect. `bytes` are the
    /// message, or its beginning.
    pub(crate) fn checked<'a>(&self, bytes: &'a [u8]) -> (Fields<'a>, Option<Problem>) {
        let message = if self.index.is_some() { Message::Frame } else { Message::Meta };
        let Some(broken) = broken(message, bytes, self.len) else {
            let is_whole = bytes.len() as u64 == self.len;
            return (if is_whole { Fields::new(bytes) } else { Fields::of_beginning(bytes) }, None);
        };
        let (at, value) = (self.body().saturating_add(broken as u64), self.len.saturating_sub(broken as u64));
        let valid = Fields::of_beginning(bytes.get(..broken).unwrap_or(bytes));
        (valid, Some(Problem { at, kind: &MALFORMED, value }))
    }
}

/// Limit for the length in bytes of a frame whose fields are passed on or printed: a frame must be
/// in memory for that. Of larger ones, only so many bytes are looked at.
pub(super) const MAX_FRAME: u64 = 64 << 20;
/// Room for a frame that arrives in portions is kept for the next one, up to this size in bytes.
const KEPT: usize = 1 << 20;

/// Receives the records of a container.
pub(crate) trait Sink {
    /// If true, the walk returns after the current record.
    fn is_full(&self) -> bool;
    /// A frame or meta frame begins that is longer than [`MAX_FRAME`].
    fn long(&mut self, _record: Record) {}
    /// The meta frame, or as much of it as [`MAX_FRAME`] allows.
    fn meta(&mut self, _record: Record, _message: &[u8]) {}
    /// A complete frame.
    fn frame(&mut self, record: Record, message: &[u8]);
    /// The beginning of a frame that is longer than [`MAX_FRAME`].
    fn long_frame(&mut self, record: Record, beginning: &[u8]);
    /// Bytes of a frame beyond its beginning, before [`Sink::long_frame`].
    fn beyond(&mut self, _bytes: &[u8]) {}
    fn problem(&mut self, _problem: Problem) {}
}

/// A record may claim this length in bytes even if the file is shorter.
const PLAUSIBLE: u64 = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Header,
    /// At the length field of a record.
    Length,
    Body(Record),
    /// At the table's first field: the number of frames for each entry.
    Table,
    /// At an entry of the table: its number, the previous entry, the number of frames for each
    /// entry.
    Entry {
        number: u64,
        previous: u64,
        every: u64,
    },
    /// After an impossible length at offset `from`.
    Invalid {
        from: u64,
    },
}

/// A walk over a container.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    header: Header,
    size: Option<u64>,
    state: State,
    at: u64,
    /// Number of complete frames, and the number at which it stops.
    frames: u64,
    until: u64,
    /// Absolute offset of the end of the last frame of its stretch.
    end: u64,
    /// Absolute offset of the table, unless a frame contradicts it.
    table: Option<u64>,
    /// Whether the table contradicts the frames.
    bad_table: bool,
    /// Whether the meta frame comes next.
    meta: bool,
    /// The beginning of the current record, if it arrives in portions.
    held: Vec<u8>,
}

impl Walk {
    pub(crate) fn new(header: Header, size: Option<u64>) -> Self {
        let fits = header.table >= header.len() && size.is_none_or(|size| header.table <= size);
        Self {
            header,
            size,
            state: State::Header,
            at: 0,
            frames: 0,
            until: u64::MAX,
            end: u64::MAX,
            table: fits.then_some(header.table),
            bad_table: !fits && header.table != 0,
            meta: header.has_meta(),
            held: Vec::new(),
        }
    }

    /// A walk over a stretch of frames. It finds no table of contents: it is known how many frames
    /// there are.
    pub(crate) fn over(header: Header, stretch: Stretch) -> Self {
        let Stretch { at, end, rows } = stretch;
        let (frames, until) = (rows.start, rows.end);
        let walk = Self::new(header, None);
        Self { state: State::Length, at, end, frames, until, table: None, bad_table: false, meta: false, ..walk }
    }

    /// Where the rest of its stretch is. `None` if no frame is still to come.
    pub(crate) fn wanted(&self) -> Option<Range> {
        // If frames are still to come at the end, the file is not the one that was decoded.
        (self.frames < self.until && self.at < self.end).then(|| Range { at: self.at, len: self.end - self.at })
    }

    /// The rest of its stretch is not to be had.
    pub(crate) fn give_up(&mut self) {
        self.until = self.frames;
    }

    /// Number of complete frames so far.
    pub(crate) fn frames(&self) -> u64 {
        self.frames
    }

    /// Absolute offset of the next byte.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Walks over `input`, which begins at the walk's position. Returns the number of bytes used.
    /// Only a few bytes are left over unless the sink is full.
    pub(crate) fn run(&mut self, input: &[u8], sink: &mut impl Sink) -> usize {
        let mut c = Cursor::new(input, self.at);
        while self.frames < self.until && !sink.is_full() && self.step(&mut c, sink) {}
        self.at = c.at();
        input.len() - c.len()
    }

    /// The file ends after `rest`, which the last [`Walk::run`] left over.
    pub(crate) fn end(&mut self, rest: &[u8], sink: &mut impl Sink) {
        let eof = self.at.saturating_add(rest.len() as u64);
        let truncated = |value| Problem { at: eof, kind: &TRUNCATED, value };
        let problem = match self.state {
            State::Header => Some(truncated(self.header.len().saturating_sub(eof))),
            State::Length if self.meta => Some(truncated(8 - rest.len().min(7) as u64)),
            State::Length if !rest.is_empty() => Some(truncated(8 - rest.len().min(7) as u64)),
            // Truncated between two frames.
            State::Length if self.header.table > eof && self.header.frames > self.frames => {
                Some(truncated(self.header.table - eof))
            }
            State::Length => None,
            State::Body(record) => Some(truncated(record.body().saturating_add(record.len).saturating_sub(eof))),
            State::Invalid { from } => Some(Problem { at: from, kind: &MALFORMED, value: eof.saturating_sub(from) }),
            State::Table => {
                self.bad_table = true;
                None
            }
            State::Entry { number, every, .. } => {
                self.bad_table |= !rest.is_empty() || !table_fits(number, every, self.frames);
                None
            }
        };
        let whole = problem.is_none();
        if let Some(problem) = problem {
            sink.problem(problem);
        }
        self.at = eof;
        if whole && self.header.frames != self.frames && (self.header.frames != 0 || self.header.table != 0) {
            sink.problem(Problem { at: self.header.len() - 16, kind: &WRONG_COUNT, value: self.header.frames });
        }
        // A truncated file has no table; the truncation has been reported.
        if self.bad_table && whole {
            sink.problem(Problem { at: self.header.table, kind: &BAD_TABLE, value: self.frames });
        }
    }

    /// Reads a length, a portion of a record, or an entry. Returns false if that takes more bytes.
    fn step(&mut self, c: &mut Cursor<'_>, sink: &mut impl Sink) -> bool {
        match self.state {
            State::Header => {
                c.take_up_to(self.header.len() - c.at());
                let over = c.at() == self.header.len();
                if over {
                    self.state = State::Length;
                }
                over
            }
            State::Length => self.length(c, sink),
            State::Body(record) => self.body(record, c, sink),
            State::Table => {
                let Ok(every) = c.u64() else { return false };
                self.state = State::Entry { number: 0, previous: 0, every };
                true
            }
            State::Entry { number, previous, every } => {
                let Ok(entry) = c.u64() else { return false };
                let first = self.header.len();
                // The TCG plugin's first entry is the offset of the meta frame. Others pad the
                // table with its own offset.
                let end = self.table.unwrap_or(u64::MAX);
                let fits = entry >= previous && ((first..=end).contains(&entry) || (number == 0 && entry == META_AT));
                self.bad_table |= !fits;
                self.state = State::Entry { number: number + 1, previous: entry, every };
                true
            }
            State::Invalid { .. } => {
                c.take_up_to(u64::MAX);
                false
            }
        }
    }

    fn length(&mut self, c: &mut Cursor<'_>, sink: &mut impl Sink) -> bool {
        let at = c.at();
        if !self.meta && self.table == Some(at) {
            self.state = State::Table;
            return true;
        }
        let Some(bytes) = c.peek_array::<8>() else { return false };
        let len = u64::from_le_bytes(*bytes);
        if !self.meta && self.table.is_none() && self.is_table(at, len) {
            self.state = State::Table;
            return true;
        }
        let end = at.checked_add(8).and_then(|body| body.checked_add(len));
        // The table's offset shows how long a truncated file was.
        let longest = self.size.map_or(u64::MAX, |size| size.max(self.header.table).max(PLAUSIBLE));
        let Some(end) = end.filter(|_| len <= longest) else {
            // Longer than the whole file: this is not a length.
            self.state = State::Invalid { from: at };
            return true;
        };
        if self.table.is_some_and(|table| end > table) {
            // A frame covers the offset of the table, so there is no table.
            self.table = None;
            self.bad_table = true;
        }
        c.take_up_to(8);
        let index = if self.meta { None } else { Some(self.frames) };
        let record = Record { index, at, len };
        if len > MAX_FRAME {
            sink.long(record);
        }
        if let Some(bytes) = usize::try_from(len).ok().and_then(|len| c.rest().get(..len)) {
            c.take_up_to(len);
            self.pass_on(record, bytes, sink);
            return true;
        }
        self.state = State::Body(record);
        true
    }

    /// Whether a table of contents begins here although the header says otherwise: all frames of
    /// the header's count have been read, and the rest of the file has the right length for `every`
    /// frames per entry.
    fn is_table(&self, at: u64, every: u64) -> bool {
        let Some(rest) = self.size.and_then(|size| size.checked_sub(at)) else { return false };
        self.header.table != 0
            && self.header.frames == self.frames
            && rest >= 8
            && rest % 8 == 0
            && table_fits(rest / 8 - 1, every, self.frames)
    }

    /// Gathers a record that arrives in portions.
    fn body(&mut self, record: Record, c: &mut Cursor<'_>, sink: &mut impl Sink) -> bool {
        let left = record.body().saturating_add(record.len).saturating_sub(c.at());
        let here = c.rest();
        let here = usize::try_from(left).ok().and_then(|left| here.get(..left)).unwrap_or(here);
        let room = (MAX_FRAME as usize).saturating_sub(self.held.len());
        self.held.extend_from_slice(here.get(..room).unwrap_or(here));
        if let Some(rest) = here.get(room..).filter(|_| record.index.is_some()) {
            sink.beyond(rest);
        }
        c.take_up_to(here.len() as u64);
        if (here.len() as u64) < left {
            return false;
        }
        let mut held = core::mem::take(&mut self.held);
        self.pass_on(record, &held, sink);
        if held.capacity() <= KEPT {
            held.clear();
            self.held = held;
        }
        true
    }

    /// A record is complete. `bytes` are its message, or the beginning of a long one.
    #[inline]
    fn pass_on(&mut self, record: Record, bytes: &[u8], sink: &mut impl Sink) {
        self.state = State::Length;
        let is_long = record.len > MAX_FRAME;
        let (bytes, rest) = bytes.split_at_checked(MAX_FRAME as usize).unwrap_or((bytes, &[]));
        if record.index.is_none() {
            self.meta = false;
            return sink.meta(record, bytes);
        }
        self.frames += 1;
        if is_long {
            sink.beyond(rest);
            sink.long_frame(record, bytes);
        } else {
            sink.frame(record, bytes);
        }
    }
}
