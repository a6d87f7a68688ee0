//! Frames as every tracer writes them, read at once.
//!
//! Nearly all frames are one instruction whose fields come in the order of the schema, and nearly all of its bytes are
//! operands, of which the events need nothing. [`parse`] reads such a frame a dozen times faster than
//! [`super::message::Walk`] does. It has no opinion on any other: whatever is unusual, damaged or split over two portions
//! goes to the walk, which alone says what is wrong. So it must never accept what the walk calls broken.

use super::wire::varint;
use crate::code::isa::StackPointer;

/// What the events need of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction<'a> {
    pub(crate) address: u64,
    pub(crate) thread: u64,
    pub(crate) bytes: &'a [u8],
    pub(crate) mode: &'a [u8],
    /// The operands read and those written, as lists.
    pub(crate) read: &'a [u8],
    pub(crate) written: &'a [u8],
}

/// Reads a whole frame, if it is a usual one.
#[inline]
pub(crate) fn parse(frame: &[u8]) -> Option<Instruction<'_>> {
    let body = rest_of(frame, 0x0a)?;
    let (address, rest) = number(body, 0x08)?;
    let (thread, rest) = number(rest, 0x10)?;
    let (bytes, rest) = sized(rest, 0x1a)?;
    let (read, mut rest) = sized(rest, 0x22)?;
    operands(read)?;
    let mut written: &[u8] = &[];
    if let Some((after, behind)) = sized(rest, 0x2a) {
        operands(after)?;
        (written, rest) = (after, behind);
    }
    let mode = if rest.is_empty() { rest } else { rest_of(rest, 0x32)? };
    Some(Instruction { address, thread, bytes, mode, read, written })
}

/// A list of usual operands, the last of which ends where the list does.
#[inline]
fn operands(mut list: &[u8]) -> Option<()> {
    while !list.is_empty() {
        let (operand, rest) = sized(list, 0x0a)?;
        is_operand(operand)?;
        list = rest;
    }
    Some(())
}

/// Whether an operand has its five fields in their order.
#[inline]
fn is_operand(operand: &[u8]) -> Option<()> {
    let (place, rest) = sized(operand, 0x0a)?;
    match place {
        // A register's name.
        [0x12, ..] => _ = rest_of(rest_of(place, 0x12)?, 0x0a)?,
        // An address in memory.
        _ => _ = number(rest_of(place, 0x0a)?, 0x08).filter(|(_, rest)| rest.is_empty())?,
    }
    let (_bits, rest) = number(rest, 0x10)?;
    // Four flags with their tags, all looked at together: 08 _ 10 _ 18 _ 20 _.
    let ([0x1a, 8], rest) = rest.split_first_chunk()? else { return None };
    let (flags, rest) = rest.split_first_chunk()?;
    if u64::from_le_bytes(*flags) & 0x80ff_80ff_80ff_80ff != 0x0020_0018_0010_0008 {
        return None;
    }
    let (taint, rest) = sized(rest, 0x22)?;
    let tag = *taint.first().filter(|tag| matches!(tag, 0x08 | 0x10 | 0x18))?;
    let _ = number(taint, tag).filter(|(_, rest)| rest.is_empty())?;
    rest_of(rest, 0x2a).map(|_value| ())
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

/// A stack pointer as tracers write registers: the least significant byte first. None if it is longer than any.
#[inline]
pub(crate) fn register_value(value: &[u8]) -> Option<u64> {
    if value.is_empty() || value.len() > 8 {
        return None;
    }
    Some(value.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
}

/// A number with this tag, and what follows.
#[inline(always)]
fn number(bytes: &[u8], tag: u8) -> Option<(u64, &[u8])> {
    match bytes {
        // Nearly all take a byte or two. In wasm, where a call answers such a pair by way of memory, this must be no call.
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
    let (value, len) = varint(rest).ok()?;
    Some((value, rest.get(len..)?))
}

/// Bytes with this tag and their length before them, and what follows.
#[inline(always)]
fn sized(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (len, rest) = number(bytes, tag)?;
    rest.split_at_checked(usize::try_from(len).ok()?)
}

/// The same where nothing follows.
#[inline(always)]
fn rest_of(bytes: &[u8], tag: u8) -> Option<&[u8]> {
    let (content, rest) = sized(bytes, tag)?;
    rest.is_empty().then_some(content)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::code::isa::Isa;

    /// `nop` at 0x85 that reads memory and a tainted register, and writes none.
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
    fn reads_what_is_usual() {
        let found =
            Instruction { address: 0x85, thread: 7, bytes: &[0x90], mode: b"xy", read: &USUAL[12..70], written: &[] };
        assert_eq!(parse(USUAL), Some(found));
    }

    #[test]
    fn finds_the_stack_pointer() {
        let mut list = Vec::from(&USUAL[12..70]);
        assert_eq!(stack_pointers(&list, Isa::X86(64).stack_pointer()).count(), 0);
        let name = list.iter().position(|b| *b == b'A').unwrap();
        // A name of three letters, with all lengths around it.
        list.splice(name..=name, *b"RSP");
        list[name - 1] += 2;
        list[name - 3] += 2;
        list[name - 5] += 2;
        list[name - 7] += 2;
        assert_eq!(stack_pointers(&list, Isa::X86(64).stack_pointer()).collect::<Vec<_>>(), [0xaa]);
    }

    #[test]
    fn leaves_to_the_walk_what_it_calls_broken() {
        use super::super::message::{Ignore, Message, Walk};

        let mut accepted = 0;
        let mut check = |frame: &[u8]| {
            if parse(frame).is_some() {
                let mut walk = Walk::new(Message::Frame, 0, frame.len() as u64);
                walk.run(frame, &mut Ignore);
                assert_eq!(walk.broken(), None, "{frame:02x?}");
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
        assert!(accepted > 1000, "{accepted}: values may be any");
    }
}
