//! The schema of the messages, and what is invalid in them.
//!
//! The schema is `frame.piqi` of bap-frames with the numbers assigned by `piqi`. A field whose wire
//! type differs from the schema is skipped like an unknown field, as protobuf's own parsers do.
//! [`super::records`] has the values of the fields.

use super::wire::{Fault, Wire, take_field, varint};

/// The messages of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    Frame,
    Std,
    Operands,
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

/// What the bytes of a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Part of the trace itself: instructions, names of registers and modes. Also a version or a
    /// sum, which identifies a program, not who ran it.
    Trace,
    /// A value of an operand, or of taint.
    Value,
    /// A variable of an environment.
    Variable,
    /// Another text.
    Text,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Bytes(Holds),
    Message(Message),
    /// A repeated number, packed or not.
    Numbers,
}

/// The schema: the type of a field, or `None` if it is unknown.
#[inline]
pub(super) fn field(message: Message, number: u64) -> Option<Kind> {
    use Holds::{Text, Trace, Value, Variable};
    use Kind::{Bytes, Message as Sub, Number, Numbers};
    use Message as M;
    Some(match (message, number) {
        (M::Operands, 1) => Sub(M::Operand),
        (M::Operand, 1) | (M::ValueInfo, 1) => Sub(M::Specific),
        (M::Operand, 2) | (M::ValueInfo, 2) => Number,
        (M::Operand, 3) => Sub(M::Usage),
        (M::Operand, 4) | (M::ValueInfo, 3) => Sub(M::Taint),
        (M::Operand, 5) | (M::ValueInfo, 4) => Bytes(Value),
        (M::Specific, 1) => Sub(M::Memory),
        (M::Specific, 2) => Sub(M::Register),
        (M::Memory, 1) => Number,
        (M::Register, 1) => Bytes(Trace),
        (M::Usage, 1..=4) | (M::Taint, 1..=3) | (M::SourceTag, 1..=2) => Number,
        (M::Frame, 1) => Sub(M::Std),
        (M::Frame, 2) => Sub(M::Syscall),
        (M::Frame, 3) => Sub(M::Exception),
        (M::Frame, 4) => Sub(M::TaintIntro),
        (M::Frame, 5) => Sub(M::ModLoad),
        (M::Frame, 6) => Sub(M::Key),
        (M::Std, 1 | 2) | (M::Syscall, 1..=3) | (M::Exception, 1..=4) => Number,
        (M::Std, 3 | 6) => Bytes(Trace),
        (M::Std, 4 | 5) => Sub(M::Operands),
        (M::Syscall, 4) => Sub(M::Arguments),
        (M::Arguments, 1) => Numbers,
        (M::TaintIntro, 1) => Sub(M::TaintIntroList),
        (M::TaintIntroList, 1) => Sub(M::TaintIntroElem),
        (M::TaintIntroElem, 1 | 2 | 5) => Number,
        (M::TaintIntroElem, 3) => Bytes(Value),
        (M::TaintIntroElem, 4) | (M::ModLoad, 1) => Bytes(Text),
        (M::ModLoad, 2 | 3) => Number,
        (M::Key, 1) => Sub(M::TaggedLists),
        (M::TaggedLists, 1) => Sub(M::TaggedList),
        (M::TaggedList, 1) => Sub(M::SourceTag),
        (M::TaggedList, 2) => Sub(M::Values),
        (M::Values, 1) => Sub(M::ValueInfo),
        (M::Meta, 1) => Sub(M::Tracer),
        (M::Meta, 2) => Sub(M::Target),
        (M::Meta, 3) => Sub(M::FileStats),
        (M::Meta, 4 | 5) | (M::Tracer | M::Target, 1 | 2) => Bytes(Text),
        (M::Meta, 6) | (M::FileStats, 1..=4) => Number,
        (M::Tracer | M::Target, 3) => Bytes(Variable),
        (M::Tracer | M::Target, 4) => Bytes(Trace),
        _ => return None,
    })
}

/// Offset in a message of `len` bytes from which on it is invalid, as far as `bytes` show, which
/// are all of it or its first ones. `None` if these are valid.
pub(crate) fn broken(message: Message, bytes: &[u8], len: u64) -> Option<usize> {
    let is_whole = bytes.len() as u64 >= len;
    let mut rest = bytes;
    // Of groups that are open. piqi has no groups; nothing in one is of the schema.
    let mut groups = 0u32;
    while !rest.is_empty() {
        let at = bytes.len() - rest.len();
        let taken = match message {
            Message::Packed => varint(rest).map(|(value, after)| {
                rest = after;
                (1, Wire::Number(value))
            }),
            _ => take_field(&mut rest, len.saturating_sub(at as u64)),
        };
        let (number, wire) = match taken {
            Err(Fault::Short) if !is_whole => return None,
            // protobuf has no field 0.
            Err(_) | Ok((0, _)) => return Some(at),
            Ok(found) => found,
        };
        let open = match wire {
            Wire::Begin => groups.checked_add(1),
            Wire::End => groups.checked_sub(1),
            _ => Some(groups),
        };
        let Some(open) = open else { return Some(at) };
        groups = open;
        // Fields may come in any order, and unknown ones are skipped by their wire type, as
        // protobuf's own parsers do.
        let (Wire::Bytes(content, len), 0) = (wire, groups) else { continue };
        let sub = match field(message, number) {
            Some(Kind::Message(sub)) => sub,
            // piqi packs numbers, protobuf's proto2 does not; both are taken.
            Some(Kind::Numbers) => Message::Packed,
            _ => continue,
        };
        // The schema is not recursive, so this ends.
        if let Some(within) = broken(sub, content, len) {
            return Some(bytes.len() - rest.len() - content.len() + within);
        }
    }
    (groups > 0 && is_whole).then_some(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a message is invalid, which its beginning does not show otherwise.
    fn whole(message: Message, bytes: &[u8]) -> Option<usize> {
        let found = broken(message, bytes, bytes.len() as u64);
        for n in 0..bytes.len() {
            let shown = broken(message, &bytes[..n], bytes.len() as u64);
            assert!(shown.is_none() || shown == found, "{n} of {bytes:x?}");
        }
        found
    }

    #[test]
    fn shows_where_a_message_is_invalid() {
        // An instruction: address, thread, bytes.
        let good = [0x0a, 0x08, 0x08, 0x85, 0x01, 0x10, 0x01, 0x1a, 0x01, 0x90];
        assert_eq!(whole(Message::Frame, &good), None);
        assert_eq!(whole(Message::Frame, &[]), None);
        assert_eq!(whole(Message::Frame, &good[..9]), Some(0), "a message beyond the end of its parent");
        assert_eq!(whole(Message::Std, &good[2..4]), Some(0), "a truncated number");
        assert_eq!(whole(Message::Std, &[0x10, 1, 0x1a, 2, 9]), Some(2), "a truncated string");
        assert_eq!(whole(Message::Std, &[0x0e, 1]), Some(0), "a wire type that does not exist");
        assert_eq!(whole(Message::Std, &[0x00, 1]), Some(0), "field 0");
        assert_eq!(whole(Message::Std, &[0x0c]), Some(0), "the end of a group that did not begin");
        assert_eq!(whole(Message::Std, &[0x0b, 0x08, 1]), Some(3), "a group without an end");
        assert_eq!(whole(Message::Std, &[0x0b, 0x08, 1, 0x0c]), None);
        assert_eq!(whole(Message::Arguments, &[0x0a, 2, 0x80, 0x80]), Some(2), "truncated packed numbers");
        assert_eq!(whole(Message::Arguments, &[0x0a, 3, 0x80, 0x01, 0x02, 0x08, 7]), None);
        assert_eq!(whole(Message::Meta, &[0x31, 1, 2, 3]), Some(0), "a truncated double");
        assert_eq!(whole(Message::Frame, &[0x0a, 4, 0x22, 2, 0x0a, 9, 0x12, 0]), Some(4), "in a message in a message");
    }
}
