//! Fast path for instructions as every tracer writes them.
//!
//! Nearly all frames are one instruction with its fields in the order of the schema, and most of
//! its bytes are operands, which events hardly need. [`parse`] reads such a frame several times
//! faster than [`super::message::broken`] checks it. It returns `None` for everything else: unusual
//! and damaged frames are left to [`super::records`], and to the check, which reports what is
//! wrong. So it must not accept a frame that is broken.

use unspool_stacks::isa::StackPointer;

use super::records::{Operand, Place, Taint, Usage};
use super::wire::{varint, zigzag};

/// The fields of an instruction that events need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction<'a> {
    pub(crate) address: u64,
    pub(crate) thread: u64,
    pub(crate) bytes: &'a [u8],
    pub(crate) mode: &'a [u8],
    /// The encoded lists of operands read and written.
    pub(crate) read: &'a [u8],
    pub(crate) written: &'a [u8],
}

/// Reads a complete frame if it is a usual instruction.
#[inline]
pub(crate) fn parse(frame: &[u8]) -> Option<Instruction<'_>> {
    parse_with(frame, |list, _| check(list))
}

/// Reads a complete frame if it is a usual instruction. `check` gets the list of operands that are
/// read and the one of those that are written, for which it gets `true`. It returns `None` unless a
/// list consists of usual operands up to its end.
#[inline(always)]
pub(crate) fn parse_with<'a>(
    frame: &'a [u8],
    mut check: impl FnMut(&'a [u8], bool) -> Option<()>,
) -> Option<Instruction<'a>> {
    let body = rest_of(frame, 0x0a)?;
    let (address, rest) = number(body, 0x08)?;
    let (thread, rest) = number(rest, 0x10)?;
    let (bytes, rest) = sized(rest, 0x1a)?;
    let (read, mut rest) = sized(rest, 0x22)?;
    check(read, false)?;
    let mut written: &[u8] = &[];
    if let Some((list, tail)) = sized(rest, 0x2a) {
        check(list, true)?;
        (written, rest) = (list, tail);
    }
    let mode = if rest.is_empty() { rest } else { rest_of(rest, 0x32)? };
    Some(Instruction { address, thread, bytes, mode, read, written })
}

/// Checks that a list consists of usual operands up to its end.
#[inline]
fn check(mut list: &[u8]) -> Option<()> {
    while !list.is_empty() {
        (_, list) = operand(list)?;
    }
    Some(())
}

/// Reads the usual operand at the beginning of a list. Returns it with the bytes after it.
#[inline(always)]
pub(crate) fn operand(list: &[u8]) -> Option<(Operand<'_>, &[u8])> {
    let (operand, rest) = sized(list, 0x0a)?;
    Some((operand_of(operand)?, rest))
}

/// Reads an operand that has its five fields in order.
#[inline(always)]
fn operand_of(operand: &[u8]) -> Option<Operand<'_>> {
    let (place, rest) = sized(operand, 0x0a)?;
    let place = place_of(place)?;
    let (bits, rest) = number(rest, 0x10)?;
    // The four flags with their tags, compared at once: 08 _ 10 _ 18 _ 20 _.
    let ([0x1a, 8], rest) = rest.split_first_chunk()? else { return None };
    let (flags, rest) = rest.split_first_chunk()?;
    if u64::from_le_bytes(*flags) & 0x80ff_80ff_80ff_80ff != 0x0020_0018_0010_0008 {
        return None;
    }
    let [_, read, _, written, _, index, _, base] = flags.map(|flag| Some(flag != 0));
    let (taint, rest) = sized(rest, 0x22)?;
    let tag = *taint.first().filter(|tag| matches!(tag, 0x08 | 0x10 | 0x18))?;
    let (tainted, _) = number(taint, tag).filter(|(_, rest)| rest.is_empty())?;
    let taint = match tag {
        0x08 => Taint { no_taint: Some(tainted != 0), ..Taint::default() },
        0x10 => Taint { id: Some(tainted), ..Taint::default() },
        _ => Taint { multiple: Some(tainted != 0), ..Taint::default() },
    };
    Some(Operand {
        place: Some(place),
        // sint32, as in `records`.
        bits: Some(zigzag(bits & 0xffff_ffff) as i32),
        usage: Some(Usage { read, written, index, base }),
        taint: Some(taint),
        value: Some(rest_of(rest, 0x2a)?),
    })
}

#[inline(always)]
fn place_of(place: &[u8]) -> Option<Place<'_>> {
    Some(match place {
        // A register's name.
        [0x12, ..] => Place { memory: None, register: Some(Some(rest_of(rest_of(place, 0x12)?, 0x0a)?)) },
        // An address in memory.
        _ => {
            let (address, _) = number(rest_of(place, 0x0a)?, 0x08).filter(|(_, rest)| rest.is_empty())?;
            Place { memory: Some(Some(address)), register: None }
        }
    })
}

/// Places and values of a list of usual operands. What lies between is passed over: [`parse`] has
/// checked it.
#[inline]
pub(crate) fn values(mut list: &[u8]) -> impl Iterator<Item = (Place<'_>, &[u8])> {
    core::iter::from_fn(move || {
        let (operand, rest) = sized(list, 0x0a)?;
        list = rest;
        let (place, rest) = sized(operand, 0x0a)?;
        let (_, rest) = number(rest, 0x10)?;
        // The flags.
        let (_, rest) = rest.split_at_checked(10)?;
        let (_, rest) = sized(rest, 0x22)?;
        Some((place_of(place)?, rest_of(rest, 0x2a)?))
    })
}

/// The operands of a list of usual operands.
#[inline]
pub(crate) fn operands(mut list: &[u8]) -> impl Iterator<Item = Operand<'_>> {
    core::iter::from_fn(move || {
        let (operand, rest) = operand(list)?;
        list = rest;
        Some(operand)
    })
}

/// Values of the stack pointer in a list of usual operands.
pub(crate) fn stack_pointers(mut list: &[u8], pointer: StackPointer) -> impl Iterator<Item = u64> {
    core::iter::from_fn(move || {
        loop {
            let (operand, rest) = sized(list, 0x0a)?;
            list = rest;
            let (place, rest) = sized(operand, 0x0a)?;
            let name = rest_of(place, 0x12).and_then(|register| rest_of(register, 0x0a));
            if !name.is_some_and(|name| pointer.is(name)) {
                continue;
            }
            let value =
                number(rest, 0x10).and_then(|(_, rest)| sized(rest, 0x1a)).and_then(|(_, rest)| sized(rest, 0x22));
            if let Some(value) = value.and_then(|(_, rest)| rest_of(rest, 0x2a)).and_then(register_value) {
                return Some(value);
            }
        }
    })
}

/// The value of a register, which tracers write in little-endian order. `None` if it is empty or
/// longer than 64 bits.
#[inline]
pub(crate) fn register_value(value: &[u8]) -> Option<u64> {
    if value.is_empty() || value.len() > 8 {
        return None;
    }
    Some(value.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
}

/// A number with this tag, and the bytes after it.
#[inline(always)]
fn number(bytes: &[u8], tag: u8) -> Option<(u64, &[u8])> {
    match bytes {
        // Nearly all numbers take one or two bytes. Must be inlined: in wasm, a call returns such a
        // pair through memory.
        [first, value @ 0..0x80, rest @ ..] if *first == tag => Some(((*value).into(), rest)),
        [first, low, high @ 0..0x80, rest @ ..] if *first == tag => {
            Some((u64::from(low & 0x7f) | u64::from(*high) << 7, rest))
        }
        _ => long_number(bytes, tag),
    }
}

#[inline(never)]
fn long_number(bytes: &[u8], tag: u8) -> Option<(u64, &[u8])> {
    let (_, rest) = bytes.split_first().filter(|(first, _)| **first == tag)?;
    varint(rest).ok()
}

/// Length-prefixed bytes with this tag, and the bytes after them.
#[inline(always)]
fn sized(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (len, rest) = number(bytes, tag)?;
    rest.split_at_checked(usize::try_from(len).ok()?)
}

/// Length-prefixed bytes with this tag, if no bytes come after them.
#[inline(always)]
fn rest_of(bytes: &[u8], tag: u8) -> Option<&[u8]> {
    let (content, rest) = sized(bytes, tag)?;
    rest.is_empty().then_some(content)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use unspool_stacks::isa::Isa;

    use super::*;

    /// `nop` at 0x85. Reads memory and a tainted register, and writes nothing.
    #[rustfmt::skip]
    const USUAL: &[u8] = &[
        0x0a, 74,
        0x08, 0x85, 0x01, // address
        0x10, 7, // thread
        0x1a, 1, 0x90, // bytes
        0x22, 58, // read
            0x0a, 27,
                0x0a, 5, 0x0a, 3, 0x08, 0x80, 0x20, // memory
                0x10, 0x10, // bits
                0x1a, 8, 0x08, 1, 0x10, 0, 0x18, 0, 0x20, 0,
                0x22, 2, 0x08, 1, // taint
                0x2a, 2, 0xaa, 0xbb,
            0x0a, 27,
                0x0a, 5, 0x12, 3, 0x0a, 1, b'A',
                0x10, 0x10,
                0x1a, 8, 0x08, 1, 0x10, 0, 0x18, 0, 0x20, 1,
                0x22, 3, 0x10, 0x80, 1,
                0x2a, 1, 0xaa,
        0x2a, 0, // written
        0x32, 2, b'x', b'y', // mode
    ];

    #[test]
    fn parses_a_usual_instruction() {
        let found =
            Instruction { address: 0x85, thread: 7, bytes: &[0x90], mode: b"xy", read: &USUAL[12..70], written: &[] };
        assert_eq!(parse(USUAL), Some(found));
    }

    #[test]
    fn finds_the_stack_pointer() {
        let mut list = Vec::from(&USUAL[12..70]);
        assert_eq!(stack_pointers(&list, Isa::X86(64).stack_pointer()).count(), 0);
        let name = list.iter().position(|b| *b == b'A').unwrap();
        // A name of three letters, with adjusted lengths.
        list.splice(name..=name, *b"RSP");
        list[name - 1] += 2;
        list[name - 3] += 2;
        list[name - 5] += 2;
        list[name - 7] += 2;
        assert_eq!(stack_pointers(&list, Isa::X86(64).stack_pointer()).collect::<Vec<_>>(), [0xaa]);
    }

    #[test]
    fn accepts_no_broken_frame() {
        use super::super::message::{Message, broken};
        use super::super::records::{Frame, List};

        let mut accepted = 0;
        let mut check = |frame: &[u8]| {
            if let Some(found) = parse(frame) {
                // The view reads the same operands.
                let std = Frame::new(frame).std.unwrap();
                for (list, view) in [(found.read, std.pre), (found.written, std.post)] {
                    assert!(operands(list).eq(view.into_iter().flat_map(List::operands)), "{frame:02x?}");
                    let both = operands(list).map(|operand| (operand.place.unwrap(), operand.value.unwrap()));
                    assert!(values(list).eq(both), "{frame:02x?}");
                }
                assert_eq!(broken(Message::Frame, frame, frame.len() as u64), None, "{frame:02x?}");
                accepted += 1;
            }
        };
        for at in 0..USUAL.len() {
            check(&USUAL[..at]);
            for byte in 0..=255 {
                let mut frame = Vec::from(USUAL);
                frame[at] = byte;
                check(&frame);
                frame[at] = USUAL[at];
                frame.insert(at, byte);
                check(&frame);
            }
        }
        assert!(accepted > 1000, "{accepted}: any value is accepted");
    }
}
