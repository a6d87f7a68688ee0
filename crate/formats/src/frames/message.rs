//! A walk over a protobuf message that arrives in portions.
//!
//! This is the only grammar. It finds where a message breaks, even for code that reads complete
//! messages with [`super::wire::Fields`]. The schema is `frame.piqi` of bap-frames with the numbers
//! assigned by `piqi`. A field whose wire type differs from the schema is skipped like an unknown
//! field, as protobuf's own parsers do.

use super::wire::{Fault, varint};

/// The messages of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    Frame,
    Std,
    /// The list of values read.
    Operands,
    /// The list of values written.
    Written,
    Operand,
    Specific,
    Memory,
    Register,
    Usage,
    Taint,
    Syscall,
    Arguments,
    Exception,
    TaintIntro,
    TaintIntroList,
    TaintIntroElem,
    ModLoad,
    Key,
    TaggedLists,
    TaggedList,
    SourceTag,
    Values,
    ValueInfo,
    Meta,
    Tracer,
    Target,
    FileStats,
    /// Packed numbers, without tags.
    Packed,
}

/// The fields that a [`Capture`] can receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// Not needed.
    Nothing,
    Address,
    Thread,
    RawBytes,
    /// The name of a register operand.
    Register,
    /// The value of an operand.
    Value,
    Mode,
    Number,
    From,
    To,
    SourceName,
    ModuleName,
    ModuleLow,
    TracerName,
    TracerArgument,
    TracerVariable,
    TracerVersion,
    TargetPath,
    TargetArgument,
    TargetVariable,
    TargetMd5,
    Size,
    AccessTime,
    ModificationTime,
    ChangeTime,
    User,
    Host,
    Time,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number(Slot),
    Double(Slot),
    Bytes(Slot),
    Message(Message),
    /// A repeated number, packed or not.
    Numbers,
}

/// The schema: the type of a field, or `None` if it is unknown.
#[inline]
pub(super) fn field(message: Message, number: u64) -> Option<Kind> {
    use Kind::{Bytes, Double, Message as Sub, Number, Numbers};
    use Message as M;
    use Slot as S;
    Some(match (message, number) {
        (M::Operands | M::Written, 1) => Sub(M::Operand),
        (M::Operand, 1) | (M::ValueInfo, 1) => Sub(M::Specific),
        (M::Operand, 2) | (M::ValueInfo, 2) => Number(S::Nothing),
        (M::Operand, 3) => Sub(M::Usage),
        (M::Operand, 4) | (M::ValueInfo, 3) => Sub(M::Taint),
        (M::Operand, 5) => Bytes(S::Value),
        (M::ValueInfo, 4) => Bytes(S::Nothing),
        (M::Specific, 1) => Sub(M::Memory),
        (M::Specific, 2) => Sub(M::Register),
        (M::Memory, 1) => Number(S::Nothing),
        (M::Register, 1) => Bytes(S::Register),
        (M::Usage, 1..=4) | (M::Taint, 1..=3) | (M::SourceTag, 1..=2) => Number(S::Nothing),
        (M::Frame, 1) => Sub(M::Std),
        (M::Frame, 2) => Sub(M::Syscall),
        (M::Frame, 3) => Sub(M::Exception),
        (M::Frame, 4) => Sub(M::TaintIntro),
        (M::Frame, 5) => Sub(M::ModLoad),
        (M::Frame, 6) => Sub(M::Key),
        (M::Std, 1) | (M::Syscall, 1) => Number(S::Address),
        (M::Std, 2) | (M::Syscall, 2) | (M::Exception, 2) => Number(S::Thread),
        (M::Std, 3) => Bytes(S::RawBytes),
        (M::Std, 4) => Sub(M::Operands),
        (M::Std, 5) => Sub(M::Written),
        (M::Std, 6) => Bytes(S::Mode),
        (M::Syscall, 3) | (M::Exception, 1) => Number(S::Number),
        (M::Syscall, 4) => Sub(M::Arguments),
        (M::Arguments, 1) => Numbers,
        (M::Exception, 3) => Number(S::From),
        (M::Exception, 4) => Number(S::To),
        (M::TaintIntro, 1) => Sub(M::TaintIntroList),
        (M::TaintIntroList, 1) => Sub(M::TaintIntroElem),
        (M::TaintIntroElem, 1 | 2 | 5) => Number(S::Nothing),
        (M::TaintIntroElem, 3) => Bytes(S::Nothing),
        (M::TaintIntroElem, 4) => Bytes(S::SourceName),
        (M::ModLoad, 1) => Bytes(S::ModuleName),
        (M::ModLoad, 2) => Number(S::ModuleLow),
        (M::ModLoad, 3) => Number(S::Nothing),
        (M::Key, 1) => Sub(M::TaggedLists),
        (M::TaggedLists, 1) => Sub(M::TaggedList),
        (M::TaggedList, 1) => Sub(M::SourceTag),
        (M::TaggedList, 2) => Sub(M::Values),
        (M::Values, 1) => Sub(M::ValueInfo),
        (M::Meta, 1) => Sub(M::Tracer),
        (M::Meta, 2) => Sub(M::Target),
        (M::Meta, 3) => Sub(M::FileStats),
        (M::Meta, 4) => Bytes(S::User),
        (M::Meta, 5) => Bytes(S::Host),
        (M::Meta, 6) => Double(S::Time),
        (M::Tracer, 1) => Bytes(S::TracerName),
        (M::Tracer, 2) => Bytes(S::TracerArgument),
        (M::Tracer, 3) => Bytes(S::TracerVariable),
        (M::Tracer, 4) => Bytes(S::TracerVersion),
        (M::Target, 1) => Bytes(S::TargetPath),
        (M::Target, 2) => Bytes(S::TargetArgument),
        (M::Target, 3) => Bytes(S::TargetVariable),
        (M::Target, 4) => Bytes(S::TargetMd5),
        (M::FileStats, 1) => Number(S::Size),
        (M::FileStats, 2) => Double(S::AccessTime),
        (M::FileStats, 3) => Double(S::ModificationTime),
        (M::FileStats, 4) => Double(S::ChangeTime),
        _ => return None,
    })
}

/// Receives the fields of a message.
pub(crate) trait Capture {
    /// A message begins, or a message within it.
    fn message(&mut self, _message: Message) {}
    /// A number. For a fixed-size number, its bits.
    fn number(&mut self, _slot: Slot, _value: u64) {}
    /// A string of `len` bytes begins; its bytes follow.
    fn begin_bytes(&mut self, _slot: Slot, _len: u64) {}
    /// A portion of the current string.
    fn bytes(&mut self, _slot: Slot, _portion: &[u8]) {}
}

/// Ignores all fields.
pub(crate) struct Ignore;

impl Capture for Ignore {}

/// The deepest message is a register in a key frame: frame, key frame, lists, list, values, value,
/// operand, register.
const DEPTH: usize = 9;

#[derive(Clone, Copy, Debug)]
struct Level {
    message: Message,
    end: u64,
}

/// A walk over one message. It restarts at fields and within strings, so it leaves over fewer than
/// 21 bytes.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    at: u64,
    levels: [Level; DEPTH],
    depth: usize,
    /// The current string and its absolute end.
    string: Option<(Slot, u64)>,
    /// Open groups. Protobuf deprecated groups long ago, but parsers still skip them.
    groups: u32,
    broken: Option<u64>,
}

/// The result of reading a field.
enum Step {
    /// The field took this many bytes.
    Took(usize),
    Broken,
    /// The bytes end within the field.
    More,
}

impl Walk {
    /// A walk over `message`, whose `len` bytes begin at absolute offset `at`.
    pub(crate) fn new(message: Message, at: u64, len: u64) -> Self {
        let level = Level { message, end: at.saturating_add(len) };
        Self { at, levels: [level; DEPTH], depth: 1, string: None, groups: 0, broken: None }
    }

    /// Absolute offset where the message is invalid. Everything after it is skipped.
    pub(crate) fn broken(&self) -> Option<u64> {
        self.broken
    }

    fn level(&self) -> Level {
        // At depth 0 the message is over, and any level will do.
        let top = self.depth.saturating_sub(1);
        self.levels.get(top).copied().unwrap_or(Level { message: Message::Packed, end: 0 })
    }

    /// Walks over `input`, which begins at the walk's position and must not exceed the message.
    /// Returns the number of bytes used.
    #[inline]
    pub(crate) fn run(&mut self, input: &[u8], capture: &mut impl Capture) -> usize {
        let base = self.at;
        let mut pos = 0usize;
        // The end of the current level, relative to `input`.
        let mut level = self.level();
        let limit_of = |end: u64| usize::try_from(end.saturating_sub(base)).unwrap_or(usize::MAX);
        let mut limit = limit_of(level.end);
        loop {
            if self.broken.is_some() {
                pos = input.len();
                break;
            }
            if let Some((slot, end)) = self.string {
                let to = limit_of(end).min(input.len());
                capture.bytes(slot, input.get(pos..to).unwrap_or_default());
                pos = to;
                if to < limit_of(end) {
                    break;
                }
                self.string = None;
            }
            while pos >= limit && self.depth > 0 && self.groups == 0 {
                self.depth -= 1;
                level = self.level();
                limit = limit_of(level.end);
            }
            if self.depth == 0 {
                break;
            }
            let window = input.get(pos..limit.min(input.len())).unwrap_or_default();
            let whole = limit <= input.len();
            match self.step(level.message, window, base.wrapping_add(pos as u64), level.end, capture) {
                Step::Took(n) => {
                    pos += n;
                    level = self.level();
                    limit = limit_of(level.end);
                }
                Step::More if !whole => break,
                Step::More | Step::Broken => self.broken = Some(base.wrapping_add(pos as u64)),
            }
        }
        self.at = base.wrapping_add(pos as u64);
        pos
    }

    /// Reads one field, or the beginning of a string or message.
    #[inline]
    fn step(&mut self, message: Message, window: &[u8], at: u64, end: u64, capture: &mut impl Capture) -> Step {
        let next = |from: usize| match varint(window.get(from..).unwrap_or_default()) {
            Ok((value, len)) => Ok((value, from + len)),
            Err(Fault::Short) => Err(Step::More),
            Err(Fault::TooLong) => Err(Step::Broken),
        };
        let (tag, n) = match next(0) {
            Ok(found) => found,
            Err(step) => return step,
        };
        if message == Message::Packed {
            return Step::Took(n);
        }
        let number = tag >> 3;
        // Fields may come in any order, and unknown ones are skipped by their wire type, as
        // protobuf's own parsers do. piqi has no groups; nothing in one is of the schema.
        let kind = if self.groups > 0 { None } else { field(message, number) };
        // protobuf has no field 0.
        if number == 0 {
            return Step::Broken;
        }
        match tag & 7 {
            0 => match next(n) {
                Ok((value, n)) => {
                    if let Some(Kind::Number(slot)) = kind {
                        capture.number(slot, value);
                    }
                    Step::Took(n)
                }
                Err(step) => step,
            },
            2 => {
                let (len, n) = match next(n) {
                    Ok(found) => found,
                    Err(step) => return step,
                };
                let from = at.wrapping_add(n as u64);
                let Some(to) = from.checked_add(len).filter(|to| *to <= end) else { return Step::Broken };
                match kind {
                    Some(Kind::Message(sub)) => {
                        capture.message(sub);
                        self.enter(sub, to);
                    }
                    // piqi packs numbers, protobuf's proto2 does not; both are taken.
                    Some(Kind::Numbers) => self.enter(Message::Packed, to),
                    kind => {
                        let slot = if let Some(Kind::Bytes(slot)) = kind { slot } else { Slot::Nothing };
                        // Unneeded bytes that are complete here take no further step.
                        if slot == Slot::Nothing && len <= (window.len() - n) as u64 {
                            return Step::Took(n + len as usize);
                        }
                        capture.begin_bytes(slot, len);
                        self.string = Some((slot, to));
                    }
                }
                Step::Took(n)
            }
            1 => {
                // piqi's `float` is a double.
                let Some(bits) = window.get(n..).and_then(|w| w.first_chunk()) else { return Step::More };
                if let Some(Kind::Double(slot)) = kind {
                    capture.number(slot, u64::from_le_bytes(*bits));
                }
                Step::Took(n + 8)
            }
            3 => {
                let Some(groups) = self.groups.checked_add(1) else { return Step::Broken };
                self.groups = groups;
                Step::Took(n)
            }
            4 => {
                let Some(groups) = self.groups.checked_sub(1) else { return Step::Broken };
                self.groups = groups;
                Step::Took(n)
            }
            5 if window.len() >= n + 4 => Step::Took(n + 4),
            5 => Step::More,
            _ => Step::Broken,
        }
    }

    #[inline]
    fn enter(&mut self, message: Message, end: u64) {
        // The schema is not recursive, so there is room.
        if let Some(level) = self.levels.get_mut(self.depth) {
            *level = Level { message, end };
            self.depth += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(message: Message, bytes: &[u8]) -> Option<u64> {
        let mut whole = Walk::new(message, 100, bytes.len() as u64);
        let used = whole.run(bytes, &mut Ignore);
        assert_eq!(used, bytes.len());
        // The result is the same byte by byte.
        let mut slow = Walk::new(message, 100, bytes.len() as u64);
        let (mut from, mut to) = (0, 0);
        while to < bytes.len() {
            to += 1;
            from += slow.run(&bytes[from..to], &mut Ignore);
            assert!(to - from < 21);
        }
        assert_eq!(from, bytes.len());
        assert_eq!(slow.broken(), whole.broken());
        whole.broken()
    }

    #[test]
    fn a_walk_finds_where_a_message_breaks() {
        // An instruction: address, thread, bytes.
        let good = [0x0a, 0x08, 0x08, 0x85, 0x01, 0x10, 0x01, 0x1a, 0x01, 0x90];
        assert_eq!(broken(Message::Frame, &good), None);
        assert_eq!(broken(Message::Frame, &[]), None);
        assert_eq!(broken(Message::Frame, &good[..9]), Some(100), "a message beyond the end of its parent");
        assert_eq!(broken(Message::Std, &good[2..4]), Some(100), "a truncated number");
        assert_eq!(broken(Message::Std, &[0x10, 1, 0x1a, 2, 9]), Some(102), "a truncated string");
        assert_eq!(broken(Message::Std, &[0x0e, 1]), Some(100), "a wire type that does not exist");
        assert_eq!(broken(Message::Std, &[0x00, 1]), Some(100), "field 0");
        assert_eq!(broken(Message::Std, &[0x0c]), Some(100), "the end of a group that did not begin");
        assert_eq!(broken(Message::Std, &[0x0b, 0x08, 1]), Some(103), "a group without an end");
        assert_eq!(broken(Message::Std, &[0x0b, 0x08, 1, 0x0c]), None);
        assert_eq!(broken(Message::Arguments, &[0x0a, 2, 0x80, 0x80]), Some(102), "truncated packed numbers");
        assert_eq!(broken(Message::Arguments, &[0x0a, 3, 0x80, 0x01, 0x02, 0x08, 7]), None);
        assert_eq!(broken(Message::Meta, &[0x31, 1, 2, 3]), Some(100), "a truncated double");
    }
}
