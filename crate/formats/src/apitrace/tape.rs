//! The values of an open call, kept until the call returns.
//!
//! ```text
//! ENTER 7: argument 0 = 5, argument 1 = {1, "x"}      items  5 [ 1 text ]        arguments  0 at 0, 1 at 1
//! ENTER 8 ... LEAVE 8                                 bytes  x                   (another tape)
//! LEAVE 7: result = true                              items  5 [ 1 text ] true   result at 5
//! ```

use alloc::boxed::Box;
use alloc::vec::Vec;

use unspool_trace::{Digest, sort};

use super::records::{Bytes, Enter, Nest, Scalar};
use super::wire::{FLAG_FAKE, StreamOffset, wide_char};

/// Limit for the values of a call. Further ones are left out.
const MAX_ITEMS: usize = 1 << 20;
/// Limit for the strings and blobs of a call together, in bytes.
const MAX_BYTES: usize = 64 << 20;
/// Limit for the stack frames of a call.
const MAX_FRAMES: usize = 1 << 16;
/// A tape with more room than this, in items or bytes, is not reused, to free its memory.
const LARGE: usize = 1 << 16;

/// A part of a value. Values are in stream order, depth first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Item {
    Scalar(Scalar),
    /// A string. Its next `len` bytes are those of the tape.
    Text {
        len: u32,
    },
    /// A blob of `len` bytes, of which the next `kept` bytes of the tape are the first.
    Blob {
        kept: u32,
        len: u64,
    },
    Array,
    /// A struct. It is not one that is inlined if it is in a repr.
    Struct {
        signature: u32,
        in_repr: bool,
    },
    /// The innermost array or struct ends.
    Close,
    /// A digest of what is not kept of the value before, or of the array or struct that ended last.
    LeftOut([u64; 2]),
}

/// Where the value of an argument begins, or the return value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// Index of the argument.
    pub(super) index: u32,
    /// Indexes of its first item and of its first byte.
    pub(super) item: u32,
    pub(super) byte: u32,
}

/// A container that is being recorded. Of a repr, only the first value is kept: the one for people.
#[derive(Clone, Copy, Debug)]
struct Level {
    is_repr: bool,
    /// Values so far.
    count: u8,
}

/// The values of a call so far.
#[derive(Debug, Default)]
pub(super) struct Tape {
    /// Offset in the stream of the call's ENTER event.
    pub(super) at: StreamOffset,
    pub(super) thread: u64,
    pub(super) function: u32,
    /// The tracer made the call, not the program.
    pub(super) fake: bool,
    /// Values were left out.
    pub(super) shortened: bool,
    /// Bytes of blobs that are not kept: those of reprs for machines, and those without room.
    pub(super) unseen: u64,
    pub(super) items: Vec<Item>,
    pub(super) bytes: Vec<u8>,
    /// In stream order until [`Tape::sort`].
    pub(super) arguments: Vec<Part>,
    pub(super) result: Option<Part>,
    /// Indexes of the frames of the backtrace.
    pub(super) frames: Vec<u32>,
    pub(super) has_backtrace: bool,
    /// Arguments are not ascending.
    unsorted: bool,
    levels: Vec<Level>,
    /// Values are left out until there are fewer than this many levels.
    muted: Option<usize>,
    /// Nothing is kept of this call but its name.
    mute_all: bool,
    /// The string or blob that is not complete: its kind, its length, and where its bytes begin.
    coming: Option<(Bytes, u64, usize)>,
    high: Option<u32>,
    /// An argument or the result has begun and is not complete. The second: it is the result.
    awaits: bool,
    awaits_result: bool,
    /// Whether what is not kept has a digest.
    digests: bool,
    /// Of what was not kept since the latest [`Item::LeftOut`]; of a call of which nothing is kept,
    /// since it began.
    pub(super) left_out: Option<Digest>,
    mark: Mark,
}

/// The parts of a call that a tape keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Keeps {
    /// Nothing of the call but its name.
    pub(super) no_values: bool,
    /// A digest of the rest.
    pub(super) digests: bool,
}

/// What a tape had when its LEAVE event began.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    items: usize,
    bytes: usize,
    arguments: usize,
    result: Option<Part>,
    fake: bool,
    shortened: bool,
    unseen: u64,
    left_out: Option<Digest>,
}

impl Tape {
    /// A call begins.
    pub(super) fn begin(&mut self, enter: Enter, keeps: Keeps) {
        (self.at, self.thread, self.function) = (enter.at, enter.thread, enter.function);
        (self.mute_all, self.shortened, self.digests) = (keeps.no_values, keeps.no_values, keeps.digests);
    }

    /// The LEAVE event begins.
    pub(super) fn begin_leave(&mut self) {
        self.mark = Mark {
            items: self.items.len(),
            bytes: self.bytes.len(),
            arguments: self.arguments.len(),
            result: self.result,
            fake: self.fake,
            shortened: self.shortened,
            unseen: self.unseen,
            left_out: self.left_out,
        };
    }

    /// Forgets the LEAVE event: it is truncated.
    pub(super) fn forget_leave(&mut self) {
        let Mark { items, bytes, arguments, result, fake, shortened, unseen, left_out } = self.mark;
        self.items.truncate(items);
        self.bytes.truncate(bytes);
        self.arguments.truncate(arguments);
        (self.result, self.fake, self.shortened, self.unseen) = (result, fake, shortened, unseen);
        self.end_event();
        self.left_out = left_out;
    }

    /// Forgets the call. Its ENTER event is delivered again.
    pub(super) fn forget(&mut self) {
        self.end_event();
        self.clear();
    }

    /// The ENTER event is truncated: forgets a value that is not complete.
    pub(super) fn forget_incomplete(&mut self) {
        if self.awaits && self.awaits_result {
            self.result = None;
        } else if self.awaits {
            self.arguments.pop();
        }
        self.end_event();
        // Of a call of which nothing is kept, it may have half a value.
        self.left_out = None;
    }

    fn end_event(&mut self) {
        self.levels.clear();
        (self.muted, self.coming, self.high, self.awaits) = (None, None, None, false);
    }

    /// Empties the tape, for another call.
    pub(super) fn clear(&mut self) {
        if self.items.capacity() > LARGE || self.bytes.capacity() > LARGE {
            *self = Self::default();
            return;
        }
        self.items.clear();
        self.bytes.clear();
        self.arguments.clear();
        self.frames.clear();
        (self.result, self.fake, self.shortened, self.has_backtrace) = (None, false, false, false);
        (self.unsorted, self.mute_all, self.unseen, self.left_out) = (false, false, 0, None);
        if self.awaits || self.coming.is_some() {
            self.end_event();
        }
    }

    /// Approximate memory of the values, in bytes.
    pub(super) fn size(&self) -> usize {
        size_of::<Item>() * self.items.len() + self.bytes.len() + size_of::<Part>() * self.arguments.len()
    }

    /// Sorts the arguments by index. The later one of a repeated argument wins.
    pub(super) fn sort(&mut self) {
        if core::mem::take(&mut self.unsorted) {
            self.arguments.reverse();
            let order =
                sort::order(self.arguments.len(), &[&|at| self.arguments.get(at).map_or(0, |it| it.index.into())]);
            self.arguments = sort::in_order(core::mem::take(&mut self.arguments), &order);
            self.arguments.dedup_by_key(|part| part.index);
        }
    }

    fn part(&self, index: u32) -> Part {
        Part { index, item: self.items.len() as u32, byte: self.bytes.len() as u32 }
    }

    pub(super) fn argument(&mut self, index: u32) {
        self.unsorted |= self.arguments.last().is_some_and(|last| last.index >= index);
        let part = self.part(index);
        self.arguments.push(part);
        (self.awaits, self.awaits_result) = (true, false);
    }

    pub(super) fn result(&mut self) {
        self.result = Some(self.part(0));
        (self.awaits, self.awaits_result) = (true, true);
    }

    pub(super) fn flags(&mut self, flags: u64) {
        self.fake |= flags & FLAG_FAKE != 0;
    }

    pub(super) fn backtrace(&mut self) {
        self.has_backtrace = true;
        self.frames.clear();
    }

    pub(super) fn frame(&mut self, frame: u32) {
        match self.frames.len() < MAX_FRAMES {
            true => self.frames.push(frame),
            false => self.shortened = true,
        }
    }

    /// A value begins. Returns whether it is kept.
    #[inline]
    fn value(&mut self) -> bool {
        if let Some(level) = self.levels.last_mut()
            && level.is_repr
        {
            level.count = level.count.saturating_add(1);
            if level.count == 2 && self.muted.is_none() {
                self.muted = Some(self.levels.len());
            }
        }
        if self.muted.is_some() {
            return false;
        }
        let has_room = self.items.len() < MAX_ITEMS && !self.mute_all;
        self.shortened |= !has_room;
        has_room
    }

    #[inline]
    fn value_end(&mut self) {
        if self.left_out.is_some() {
            self.put_left_out();
        }
        if self.levels.is_empty() {
            self.awaits = false;
        }
    }

    /// Writes down the digest of what is not kept, after a value that is. Beyond the limit of
    /// values there is one for each argument.
    #[cold]
    fn put_left_out(&mut self) {
        let is_complete = self.muted.is_none() && (self.items.len() < MAX_ITEMS || self.levels.is_empty());
        if is_complete
            && !self.mute_all
            && let Some(digest) = self.left_out.take()
        {
            self.items.push(Item::LeftOut(digest.finish()));
        }
    }

    /// Something is not kept.
    #[cold]
    fn leave_out(&mut self, write: impl FnOnce(&mut Digest)) {
        if self.digests {
            write(self.left_out.get_or_insert_default());
        }
    }

    #[inline]
    pub(super) fn scalar(&mut self, value: Scalar) {
        if self.value() {
            self.items.push(Item::Scalar(value));
        } else {
            self.leave_out(|digest| put_scalar(digest, value));
        }
        self.value_end();
    }

    pub(super) fn begin_bytes(&mut self, kind: Bytes, len: u64) {
        if self.value() {
            self.coming = Some((kind, len, self.bytes.len()));
            return;
        }
        if kind == Bytes::Blob {
            self.unseen = self.unseen.saturating_add(len);
        }
        self.leave_out(|digest| digest.write_number(b'"', len));
    }

    /// Part of a string, or of a blob of which at most `limit` bytes are kept.
    pub(super) fn bytes(&mut self, bytes: &[u8], limit: usize) {
        let Some((kind, _, begin)) = self.coming else { return self.leave_out(|digest| digest.write(bytes)) };
        let most = if kind == Bytes::Blob { (begin.saturating_add(limit)).min(MAX_BYTES) } else { MAX_BYTES };
        let room = most.saturating_sub(self.bytes.len());
        let kept = bytes.get(..room).unwrap_or(bytes);
        self.bytes.extend_from_slice(kept);
        if let Some(rest) = bytes.get(room..).filter(|rest| !rest.is_empty()) {
            self.shortened |= kind != Bytes::Blob;
            self.leave_out(|digest| digest.write(rest));
        }
    }

    pub(super) fn unit(&mut self, unit: u32) {
        if self.coming.is_some()
            && let Some(c) = wide_char(&mut self.high, unit)
        {
            self.bytes(c.encode_utf8(&mut [0; 4]).as_bytes(), usize::MAX);
        } else if self.coming.is_none() {
            self.leave_out(|digest| digest.write(&unit.to_le_bytes()));
        }
    }

    pub(super) fn end_bytes(&mut self) {
        if let Some((kind, len, begin)) = self.coming.take() {
            let kept = (self.bytes.len() - begin) as u32;
            self.items.push(if kind == Bytes::Blob { Item::Blob { kept, len } } else { Item::Text { len: kept } });
        }
        self.high = None;
        self.value_end();
    }

    pub(super) fn open(&mut self, nest: Nest) {
        let in_repr = self.levels.last().is_some_and(|level| level.is_repr);
        let is_kept = self.value();
        if !is_kept {
            self.leave_out(|digest| digest.write(&[kind_of(nest)]));
        }
        self.levels.push(Level { is_repr: nest == Nest::Repr, count: 0 });
        match nest {
            _ if self.muted.is_some() => {}
            // A container that has no room takes everything in it along.
            _ if !is_kept => self.muted = Some(self.levels.len()),
            Nest::Array(_) => self.items.push(Item::Array),
            Nest::Struct(signature) => self.items.push(Item::Struct { signature, in_repr }),
            Nest::Repr => {}
        }
    }

    pub(super) fn close(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        let was_muted = self.muted.is_some();
        if self.muted.is_some_and(|depth| self.levels.len() < depth) {
            self.muted = None;
        }
        if was_muted {
            self.leave_out(|digest| digest.write(b")"));
        } else if !level.is_repr {
            self.items.push(Item::Close);
        }
        self.value_end();
    }
}

/// Adds a value to a digest. Numbers of signatures are those of a trace, and do not count.
fn put_scalar(digest: &mut Digest, value: Scalar) {
    let (kind, number) = match value {
        Scalar::Null => (0, 0),
        Scalar::Bool(is) => (1, is.into()),
        Scalar::Int(number) => (2, number as u64),
        Scalar::Uint(number) => (3, number),
        Scalar::Pointer(number) => (4, number),
        Scalar::Float(number) => (5, number.to_bits().into()),
        Scalar::Double(number) => (6, number.to_bits()),
        Scalar::Enum { value, .. } => (7, value as u64),
        Scalar::Bitmask { value, .. } => (8, value),
    };
    digest.write_number(kind, number);
}

fn kind_of(nest: Nest) -> u8 {
    match nest {
        Nest::Array(_) => b'[',
        Nest::Struct(_) => b'{',
        Nest::Repr => b'<',
    }
}

/// Tapes to reuse, so that a call needs no allocation.
#[derive(Debug, Default)]
pub(super) struct Tapes {
    #[allow(clippy::vec_box, reason = "a tape moves in and out with every call; a pointer is cheaper to move")]
    spare: Vec<Box<Tape>>,
}

impl Tapes {
    /// Tapes that are kept for reuse at most.
    const MOST: usize = 64;

    /// An empty tape.
    #[inline]
    pub(super) fn take(&mut self) -> Box<Tape> {
        self.spare.pop().unwrap_or_default()
    }

    /// Takes back an empty tape.
    #[inline]
    pub(super) fn put(&mut self, tape: Box<Tape>) {
        if self.spare.len() < Self::MOST {
            self.spare.push(tape);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn number(n: u64) -> Item {
        Item::Scalar(Scalar::Uint(n))
    }

    #[test]
    fn the_part_of_a_repr_for_machines_is_not_kept() {
        let mut tape = Tape::default();
        tape.argument(0);
        tape.open(Nest::Array(3));
        tape.open(Nest::Repr);
        tape.open(Nest::Struct(7));
        tape.scalar(Scalar::Uint(1));
        tape.close();
        tape.open(Nest::Array(2));
        tape.open(Nest::Repr);
        tape.scalar(Scalar::Uint(2));
        tape.scalar(Scalar::Uint(3));
        tape.close();
        tape.begin_bytes(Bytes::Blob, 2);
        tape.bytes(b"no", 10);
        tape.end_bytes();
        tape.close();
        tape.close();
        tape.scalar(Scalar::Uint(4));
        tape.close();
        let outer = Item::Struct { signature: 7, in_repr: true };
        assert_eq!(tape.items, [Item::Array, outer, number(1), Item::Close, number(4), Item::Close]);
        assert!(tape.bytes.is_empty() && !tape.shortened && !tape.awaits);
    }

    #[test]
    fn bytes_of_a_repr_for_machines_are_counted() {
        let mut tape = Tape::default();
        tape.argument(0);
        tape.open(Nest::Repr);
        for len in [3, 7] {
            tape.begin_bytes(Bytes::Blob, len);
            tape.bytes(&[0; 3], usize::MAX);
            tape.end_bytes();
        }
        tape.close();
        assert_eq!((tape.items.as_slice(), tape.unseen), (&[Item::Blob { kept: 3, len: 3 }][..], 7));
        tape.clear();
        assert_eq!(tape.unseen, 0);
    }

    #[test]
    fn values_beyond_the_limit_are_left_out_and_containers_stay_balanced() {
        let mut tape = Tape::default();
        tape.argument(0);
        tape.open(Nest::Array(1));
        tape.items.resize(MAX_ITEMS - 1, number(0));
        tape.scalar(Scalar::Uint(1));
        tape.scalar(Scalar::Uint(2));
        tape.open(Nest::Array(1));
        tape.scalar(Scalar::Uint(3));
        tape.close();
        tape.close();
        assert_eq!(tape.items[MAX_ITEMS - 1..], [number(1), Item::Close]);
        assert!(tape.shortened && !tape.awaits);
    }

    #[test]
    fn a_truncated_event_leaves_only_complete_values() {
        let mut tape = Tape::default();
        tape.argument(0);
        tape.scalar(Scalar::Uint(1));
        tape.argument(1);
        tape.open(Nest::Array(2));
        tape.scalar(Scalar::Uint(2));
        tape.forget_incomplete();
        assert_eq!(tape.arguments, [Part { index: 0, item: 0, byte: 0 }]);

        let before = (tape.items.clone(), tape.arguments.clone());
        tape.begin_leave();
        tape.flags(FLAG_FAKE);
        tape.argument(0);
        tape.begin_bytes(Bytes::String, 9);
        tape.bytes(b"half", 10);
        tape.forget_leave();
        assert_eq!(
            (tape.items.clone(), tape.arguments.clone(), tape.fake, tape.bytes.len()),
            (before.0, before.1, false, 0)
        );
    }

    #[test]
    fn the_later_one_of_a_repeated_argument_wins() {
        let mut tape = Tape::default();
        for (index, value) in [(1, 10), (0, 11), (1, 12)] {
            tape.argument(index);
            tape.scalar(Scalar::Uint(value));
        }
        tape.sort();
        assert_eq!(tape.arguments.iter().map(|part| (part.index, part.item)).collect::<Vec<_>>(), vec![(0, 1), (1, 2)]);
    }
}
