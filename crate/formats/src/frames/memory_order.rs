//! The order in which a tracer wrote the bytes of memory operands, inferred from their values.
//!
//! The format leaves it open, and its readers take bytes in the order of addresses. QEMU's tracers
//! write every value lowest byte first, on big-endian machines as well, so that the store of
//! 0x11223344 has the bytes 44 33 22 11. Two kinds of evidence tell the cases apart:
//!
//! - **Registers**, which every tracer writes lowest byte first. The value that a load reads is in
//!   the register that it writes, and the value that a store writes in one that it reads: either as
//!   the bytes stand, or with the bytes reversed.
//! - **Parts.** If four bytes were accessed, and then one of them by itself, its address shows
//!   which it is.
//!
//! | registers | parts | memory |
//! |---|---|---|
//! | reversed | | big-endian, in the order of addresses |
//! | as they stand | from the front | little-endian |
//! | as they stand | from the back | big-endian, lowest byte first |
//!
//! Without evidence, bytes stay as they are in the file.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use unspool_trace::problem::grouped;

use super::records::Place;

/// Votes after which nothing more is looked at: the tracer does not change its mind.
const ENOUGH: u32 = 1024;
/// Instructions after which nothing more is looked at, with or without votes.
const LOOKED_AT: u32 = 1 << 22;
/// Registers of one instruction that are compared with memory at most.
const REGISTERS: usize = 64;
/// Longest value that is compared, in bytes.
const LONGEST: usize = 16;
/// Blocks of eight bytes whose latest access is remembered, by address.
const BLOCKS: usize = 64;

/// The order of the bytes of memory operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemoryOrder {
    /// Whether memory is big-endian.
    pub(super) is_big: bool,
    /// Whether the bytes of each value have to be reversed to be in the order of addresses.
    pub(super) is_reversed: bool,
    /// The number of values that show it. 0 if it is assumed.
    pub(super) shown_by: u32,
}

impl MemoryOrder {
    /// The bytes of an operand: a register's as they are, memory's in the order of addresses.
    /// `turned` may be used for them.
    #[inline]
    pub(super) fn ordered<'v>(self, is_memory: bool, value: &'v [u8], turned: &'v mut Vec<u8>) -> &'v [u8] {
        if !(self.is_reversed && is_memory) {
            return value;
        }
        turned.clear();
        turned.extend(value.iter().rev());
        turned
    }

    /// A sentence of how values in memory are recorded.
    pub(super) fn sentence(self) -> String {
        let Self { is_big, is_reversed, shown_by } = self;
        let order = match (is_big, is_reversed) {
            (true, false) => "big-endian, recorded in the order of addresses",
            (true, true) => "big-endian, recorded lowest byte first, and turned round here",
            (false, _) => "little-endian",
        };
        match shown_by {
            0 => format!("taken to be {order}; no value shows it"),
            1 => format!("{order}, as a value shows"),
            _ => format!("{order}, as {} values show", grouped(shown_by.into())),
        }
    }
}

/// Counts of what was seen so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MemoryVotes {
    /// Values that a register has as they stand, and values that it has reversed.
    same: u32,
    reversed: u32,
    /// Parts that are where their address says, counted from the front, and from the back.
    front: u32,
    back: u32,
}

impl MemoryVotes {
    /// The order, if `expects_big` says whether the machine is big-endian as far as is known
    /// otherwise, and `is_certain` whether it can be nothing else.
    pub(super) fn order(self, expects_big: bool, is_certain: bool) -> MemoryOrder {
        let Self { same, reversed, front, back } = self;
        let is_big = match reversed.cmp(&same) {
            core::cmp::Ordering::Greater => true,
            core::cmp::Ordering::Less if front > back && !is_certain => false,
            core::cmp::Ordering::Less | core::cmp::Ordering::Equal => expects_big || back > front,
        };
        let is_seen = same != reversed || front != back;
        let from_back = same > reversed || (same == reversed && back > front);
        let is_reversed = is_big && from_back;
        let shown_by = match (is_big, is_reversed) {
            _ if !is_seen => 0,
            (true, false) => reversed + front,
            (true, true) => same + back,
            (false, _) => same + front,
        };
        MemoryOrder { is_big, is_reversed, shown_by }
    }
}

/// An operand: where it is, and its value.
pub(super) type Value<'a> = (Place<'a>, &'a [u8]);

/// An access of memory.
#[derive(Clone, Copy, Debug, Default)]
struct Accessed {
    address: u64,
    /// Its length in bytes; 0 for none.
    len: u8,
    value: [u8; 8],
}

impl Accessed {
    fn value(&self) -> &[u8] {
        self.value.get(..self.len.into()).unwrap_or_default()
    }
}

/// Collects the votes of instructions.
#[derive(Debug)]
pub(super) struct MemoryEvidence {
    votes: MemoryVotes,
    looked_at: u32,
    latest: [Accessed; BLOCKS],
}

impl Default for MemoryEvidence {
    fn default() -> Self {
        Self { votes: MemoryVotes::default(), looked_at: 0, latest: [Accessed::default(); BLOCKS] }
    }
}

impl MemoryEvidence {
    /// The votes so far.
    pub(super) fn votes(&self) -> MemoryVotes {
        self.votes
    }

    /// Whether more operands would show nothing new.
    pub(super) fn is_complete(&self) -> bool {
        let MemoryVotes { same, reversed, front, back } = self.votes;
        self.looked_at >= LOOKED_AT || (same.max(reversed) >= ENOUGH && front.max(back) >= ENOUGH)
    }

    /// Looks at the operands of an instruction: those it reads, and those it writes.
    pub(super) fn look(&mut self, read: &[Value<'_>], written: &[Value<'_>]) {
        self.looked_at += 1;
        for (place, value) in read {
            self.memory(*place, value, false, written);
        }
        for (place, value) in written {
            self.memory(*place, value, true, read);
        }
    }

    /// Looks at an operand, if it is in memory. `others` are the operands on the other side of the
    /// instruction.
    fn memory(&mut self, place: Place<'_>, value: &[u8], is_written: bool, others: &[Value<'_>]) {
        let Place { memory: Some(Some(address)), register: None } = place else { return };
        self.part(address, value, is_written);
        if (2..=LONGEST).contains(&value.len()) && !value.iter().eq(value.iter().rev()) {
            let (mut same, mut reversed) = (false, false);
            for (_, register) in others.iter().filter(|(place, _)| place.register.is_some()).take(REGISTERS) {
                let Some(low) = register.get(..value.len()) else { continue };
                same |= low == value;
                reversed |= low.iter().eq(value.iter().rev());
            }
            self.votes.same += u32::from(same && !reversed);
            self.votes.reversed += u32::from(reversed && !same);
        }
    }

    /// Compares an access with a longer one of the same memory before it, and remembers it if it is
    /// of several bytes.
    fn part(&mut self, address: u64, value: &[u8], is_written: bool) {
        let Some(latest) = self.latest.get_mut((address >> 3) as usize % BLOCKS) else { return };
        let whole = latest.value();
        let offset = usize::try_from(address.wrapping_sub(latest.address)).unwrap_or(usize::MAX);
        let is_part = value.len() < whole.len() && offset < whole.len() && value.len() <= whole.len() - offset;
        if is_part && !is_written {
            let front = whole.get(offset..offset + value.len()) == Some(value);
            let behind = whole.len() - offset - value.len();
            let back = whole.get(behind..behind + value.len()) == Some(value);
            self.votes.front += u32::from(front && !back);
            self.votes.back += u32::from(back && !front);
            if front || back {
                return;
            }
        }
        // What is not a part of it, or has changed, takes its place.
        *latest = Accessed::default();
        if let (2..=8, Some(kept)) = (value.len(), latest.value.get_mut(..value.len())) {
            kept.copy_from_slice(value);
            (latest.address, latest.len) = (address, value.len() as u8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn memory(address: u64) -> Place<'static> {
        Place { memory: Some(Some(address)), register: None }
    }

    const REGISTER: Place<'static> = Place { memory: None, register: Some(Some(b"t0")) };

    type Values = &'static [(Place<'static>, &'static [u8])];

    /// The order that instructions show, each with what it reads and what it writes.
    fn order(instructions: &[(Values, Values)], expects_big: bool) -> (bool, bool, u32) {
        let mut evidence = MemoryEvidence::default();
        for (read, written) in instructions {
            evidence.look(read, written);
        }
        let MemoryOrder { is_big, is_reversed, shown_by } = evidence.votes().order(expects_big, false);
        (is_big, is_reversed, shown_by)
    }

    const LOADS_AS_IT_STANDS: (Values, Values) =
        (&[(memory(16), &[0x44, 0x33, 0x22, 0x11])], &[(REGISTER, &[0x44, 0x33, 0x22, 0x11, 0, 0, 0, 0])]);
    const LOADS_REVERSED: (Values, Values) =
        (&[(memory(16), &[0x11, 0x22, 0x33, 0x44])], &[(REGISTER, &[0x44, 0x33, 0x22, 0x11])]);
    const FIRST_BYTE: (Values, Values) = (&[(memory(16), &[0x11])], &[]);
    const FIRST_HALF: (Values, Values) = (&[(memory(16), &[0x22, 0x11])], &[]);
    const LAST_BYTE_OF_LITTLE_ENDIAN: (Values, Values) = (&[(memory(19), &[0x11])], &[]);

    #[test]
    fn nothing_seen_is_what_the_machine_says() {
        assert_eq!(order(&[], true), (true, false, 0));
        assert_eq!(order(&[], false), (false, false, 0));
    }

    #[test]
    fn registers_and_parts_tell_the_three_orders_apart() {
        assert_eq!(order(&[LOADS_REVERSED], true), (true, false, 1));
        assert_eq!(order(&[LOADS_REVERSED, FIRST_BYTE], false), (true, false, 2));
        assert_eq!(order(&[LOADS_AS_IT_STANDS], true), (true, true, 1));
        assert_eq!(order(&[LOADS_AS_IT_STANDS, FIRST_BYTE, FIRST_HALF], true), (true, true, 3));
        assert_eq!(order(&[LOADS_AS_IT_STANDS, LAST_BYTE_OF_LITTLE_ENDIAN], true), (false, false, 2));
        assert_eq!(order(&[LOADS_AS_IT_STANDS], false), (false, false, 1));
    }

    #[test]
    fn a_store_is_compared_with_what_it_reads() {
        let store = (LOADS_AS_IT_STANDS.1, LOADS_AS_IT_STANDS.0);
        assert_eq!(order(&[store], true), (true, true, 1));
        // A register that is read says nothing of a value that is read.
        const READ: Values = &[(memory(16), &[0x44, 0x33]), (REGISTER, &[0x44, 0x33])];
        assert_eq!(order(&[(READ, &[])], true), (true, false, 0));
    }

    #[test]
    fn values_that_fit_both_ways_have_no_vote() {
        const PALINDROME: (Values, Values) = (&[(memory(16), &[7, 9, 9, 7])], &[(REGISTER, &[7, 9, 9, 7])]);
        const BOTH: (Values, Values) = (&[(memory(16), &[1, 2])], &[(REGISTER, &[1, 2]), (REGISTER, &[2, 1])]);
        const UNKNOWN_PART: (Values, Values) = (&[(memory(17), &[5])], &[]);
        assert_eq!(order(&[PALINDROME, BOTH, UNKNOWN_PART], true), (true, false, 0));
    }

    #[test]
    fn a_part_that_was_written_meanwhile_has_no_vote() {
        const WRITE_PART: (Values, Values) = (&[], &[(memory(16), &[0x55])]);
        assert_eq!(order(&[LOADS_AS_IT_STANDS, WRITE_PART, FIRST_BYTE], true), (true, true, 1));
    }

    #[test]
    fn a_machine_without_another_order_keeps_it() {
        let votes = MemoryVotes { same: 9, reversed: 1, front: 8, back: 0 };
        assert_eq!(votes.order(true, true), MemoryOrder { is_big: true, is_reversed: true, shown_by: 9 });
    }
}
