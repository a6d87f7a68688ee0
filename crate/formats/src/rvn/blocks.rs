//! Blocks of code: where the instructions of each begin, and where the last one goes. Both are
//! found once for each block, not for each run.

use alloc::vec::Vec;

use hashbrown::HashMap;
use unspool_stacks::flow::{Flow, Opening, Reading, flow, opening};
use unspool_stacks::isa::Isa;
use unspool_trace::Instructions;
use unspool_trace::kept;

use super::wire::{Block, INTERRUPT, INTERRUPT_BLOCK, Mode};

/// Longest instruction of x86 in bytes.
pub(super) const LONGEST: usize = 15;
const NONE: u32 = u32::MAX;

/// A compact [`Flow`]: there are many blocks, and each run reads one of them.
#[derive(Clone, Copy, Debug)]
struct Ending {
    to: u64,
    /// Offset of the last instruction.
    last: u32,
    goes: Goes,
}

#[derive(Clone, Copy, Debug)]
enum Goes {
    Next,
    Branch { maybe: bool },
    Call { direct: bool },
    Return,
    Jump,
    SystemCall,
    SystemReturn,
    Unknown,
}

impl Ending {
    const UNKNOWN: Self = Self { to: 0, last: 0, goes: Goes::Unknown };

    /// Where the last instruction goes, and its offset. `back` is the address after the block.
    #[inline]
    fn flow(self, back: u64) -> (Flow, u64) {
        let Self { goes, to, last } = self;
        let flow = match goes {
            Goes::Next => Flow::Next,
            Goes::Branch { maybe } => Flow::Branch { to, maybe, slot: false },
            Goes::Call { direct } => Flow::Call { to: direct.then_some(to), back, slot: false },
            Goes::Return => Flow::Return { maybe: false, slot: false },
            Goes::Jump => Flow::Jump { slot: false },
            Goes::SystemCall => Flow::SystemCall,
            Goes::SystemReturn => Flow::SystemReturn,
            Goes::Unknown => Flow::Unknown,
        };
        (flow, last.into())
    }
}

/// What each run of a block needs to know of it: less than a cache line, instead of an [`Entry`]
/// with its vectors. A trace has tens of millions of runs of some thousand blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compact {
    /// Number of the block; 0 in an empty slot of the table.
    id: i64,
    pub(super) pc: u64,
    ending: Ending,
    /// Length in bytes.
    len: u32,
    /// Number of instructions.
    count: u32,
    /// Number of its name.
    pub(super) name: u32,
    pub(super) opening: Opening,
    /// Mode and privilege: bits of the mode, plus 1 in the kernel.
    pub(super) lane: u8,
}

impl Compact {
    /// The address after the block, without wrapping around at 32 bits.
    pub(super) fn next(&self) -> u64 {
        self.pc.wrapping_add(self.len.into())
    }

    /// The addresses at which execution may continue after a run of `ran` transitions without a
    /// change of the stack. `None` if the last instruction may change it, or did not run.
    #[inline]
    pub(super) fn goes_along(&self, ran: u64) -> Option<(u64, u64)> {
        let next = self.next();
        match self.ending.goes {
            _ if ran < u64::from(self.count) => None,
            Goes::Next => Some((next, next)),
            Goes::Branch { maybe } => Some((self.ending.to, if maybe { next } else { self.ending.to })),
            _ => None,
        }
    }

    /// Where a run of `ran` transitions ends: the flow of its last instruction and that
    /// instruction's offset. Unknown if it did not run to the end of the block.
    #[inline]
    pub(super) fn flow(&self, ran: u64) -> (Flow, u64) {
        if ran < u64::from(self.count) {
            return (Flow::Unknown, 0);
        }
        self.ending.flow(end_address(self.lane & !1 == 32, self.next()))
    }
}

/// The address after a block. 32-bit addresses wrap around.
fn end_address(is_32_bit: bool, end: u64) -> u64 {
    if is_32_bit && end >> 32 == 1 { end & 0xffff_ffff } else { end }
}

/// Whether the code at `pc` is the kernel's. `None` if that is unknown.
///
/// 64 bit: the upper half, by convention of x86-64 systems. 32 bit: from 2 GiB on, as in Windows;
/// Linux begins at 3 GiB. 16 bit: there is no such convention.
pub(super) fn is_kernel(pc: u64, mode: Mode) -> Option<bool> {
    match mode {
        Mode::Bits64 => Some(pc >> 63 == 1),
        Mode::Bits32 => Some(pc >= 0x8000_0000),
        Mode::Bits16 | Mode::Unknown(_) => None,
    }
}

/// A block and what is known of it.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) id: i64,
    pub(super) block: Block,
    /// Whether the block is longer than what is kept of it.
    pub(super) cut: bool,
    /// Offsets of the instructions that were executed at least once, ascending, without the first
    /// one, which has offset 0.
    pub(super) known: Vec<u32>,
    /// The result of [`Entry::ending`], once computed.
    ending: Option<Ending>,
    opening: Opening,
    /// Number of the name of the block, once it has one.
    pub(super) name: Option<u32>,
}

impl Entry {
    pub(super) fn new(id: i64, block: Block, cut: bool) -> Self {
        let isa = block.mode.bits().map_or(Isa::Other, Isa::X86);
        let opening = opening(isa, &block.data);
        Self { id, block, cut, known: Vec::new(), ending: None, opening, name: None }
    }

    /// Whether this block stands for transitions that are not instructions. Block 1 should, but
    /// only its content proves it.
    pub(super) fn is_interrupt(&self) -> bool {
        self.id == INTERRUPT_BLOCK && self.block.data == INTERRUPT
    }

    /// Where the last instruction goes, and the offset of that instruction.
    #[inline]
    pub(super) fn ending(&mut self, instructions: &dyn Instructions) -> (Flow, u64) {
        let back = self.end_address();
        self.known_ending(instructions).flow(back)
    }

    #[inline]
    fn known_ending(&mut self, instructions: &dyn Instructions) -> Ending {
        match self.ending {
            Some(ending) => ending,
            None => {
                let ending = self.find_ending(instructions);
                self.ending = Some(ending);
                ending
            }
        }
    }

    /// `None` until it has a name, for the interrupt block, and if a number is too large or the
    /// mode unknown.
    fn compact(&mut self, instructions: &dyn Instructions) -> Option<Compact> {
        let name = self.name.filter(|_| !self.is_interrupt())?;
        let Block { pc, count, mode, ref data } = self.block;
        let (len, count) = (u32::try_from(data.len()).ok()?, u32::try_from(count).ok()?);
        let lane = mode.bits()? as u8 | u8::from(is_kernel(pc, mode) == Some(true));
        let ending = self.known_ending(instructions);
        Some(Compact { id: self.id, pc, ending, len, count, name, opening: self.opening, lane })
    }

    /// What the first instructions do with a return address.
    pub(super) fn opening(&self) -> Opening {
        self.opening
    }

    /// The address after the block. 32-bit addresses wrap around.
    fn end_address(&self) -> u64 {
        end_address(self.block.mode.bits() == Some(32), self.block.pc.wrapping_add(self.block.data.len() as u64))
    }

    #[cold]
    fn find_ending(&self, instructions: &dyn Instructions) -> Ending {
        let data = &self.block.data;
        let (Some(bits), false, Some(last)) = (self.block.mode.bits(), self.cut, self.last(instructions)) else {
            return Ending::UNKNOWN;
        };
        let (Some(bytes), Ok(offset)) = (data.get(last..), u32::try_from(last)) else { return Ending::UNKNOWN };
        let address = self.block.pc.wrapping_add(last as u64);
        let (goes, to) = match flow(Reading::x86(bits), address, bytes, bytes.len() as u64) {
            Flow::Next => (Goes::Next, 0),
            Flow::Branch { to, maybe, .. } => (Goes::Branch { maybe }, to),
            Flow::Call { to, .. } => (Goes::Call { direct: to.is_some() }, to.unwrap_or(0)),
            Flow::Return { .. } => (Goes::Return, 0),
            Flow::Jump { .. } => (Goes::Jump, 0),
            Flow::SystemCall => (Goes::SystemCall, 0),
            Flow::SystemReturn => (Goes::SystemReturn, 0),
            Flow::Unknown => (Goes::Unknown, 0),
        };
        Ending { goes, to, last: offset }
    }

    /// Offset of the last instruction: from the indices if all instructions were executed,
    /// otherwise by decoding.
    fn last(&self, instructions: &dyn Instructions) -> Option<usize> {
        if self.block.count == self.known.len() as u64 + 1 {
            return Some(self.known.last().map_or(0, |offset| *offset as usize));
        }
        self.starts(instructions).last().copied()
    }

    /// Offsets of all instructions, by decoding. Without a decoder, those of the indices.
    pub(super) fn starts(&self, instructions: &dyn Instructions) -> Vec<usize> {
        let bits = self.block.mode.bits();
        let starts = bits.map(|bits| instructions.starts(bits, self.block.pc, &self.block.data)).unwrap_or_default();
        if starts.is_empty() && bits.is_some() && !self.block.data.is_empty() {
            return core::iter::once(0).chain(self.known.iter().map(|offset| *offset as usize)).collect();
        }
        starts.into_iter().map(|start| start as usize).collect()
    }

    /// The bytes of the instruction at `pc`, by decoding. Also finds an instruction that never
    /// completed.
    pub(super) fn decoded_at(&self, pc: u64, instructions: &dyn Instructions) -> Option<&[u8]> {
        if self.is_interrupt() {
            return None;
        }
        let offset = usize::try_from(pc.wrapping_sub(self.block.pc)).ok()?;
        let starts = self.starts(instructions);
        let i = starts.iter().position(|start| *start == offset)?;
        self.block.data.get(offset..starts.get(i + 1).copied().unwrap_or(self.block.data.len()))
    }

    /// The bytes of the instruction at `pc`, by the reference's rule: the instruction must have
    /// been executed at least once. It ends where the next such instruction begins; the last one
    /// has up to 15 bytes.
    pub(super) fn instruction_at(&self, pc: u64) -> Option<&[u8]> {
        if self.is_interrupt() {
            return None;
        }
        let offset = usize::try_from(pc.wrapping_sub(self.block.pc)).ok()?;
        let next = if offset == 0 {
            self.known.first()
        } else {
            let i = self.known.iter().position(|known| *known as usize == offset)?;
            self.known.get(i + 1)
        };
        let rest = self.block.data.get(offset..)?;
        match next {
            Some(next) => self.block.data.get(offset..*next as usize),
            None => rest.get(..rest.len().min(LONGEST)),
        }
    }
}

/// All blocks, by number.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    entries: Vec<Entry>,
    /// Entry `i` is that of block `i + 1`, or empty.
    compact: Vec<Compact>,
    /// Index of each block whose number is not its position, counted from 1.
    elsewhere: HashMap<i64, u32>,
    /// Bytes of code in all blocks.
    pub(super) bytes: usize,
}

impl Blocks {
    /// Bytes of memory.
    pub(super) fn kept_bytes(&self) -> u64 {
        let found = kept::table::<(i64, u32)>(self.elsewhere.capacity());
        kept::list(&self.entries) + kept::list(&self.compact) + found + self.bytes as u64
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn push(&mut self, entry: Entry) {
        let place = self.entries.len();
        if entry.id != place as i64 + 1 {
            self.elsewhere.insert(entry.id, u32::try_from(place).unwrap_or(NONE));
        }
        self.bytes += entry.block.data.len();
        self.entries.push(entry);
    }

    #[inline]
    fn place(&self, id: i64) -> Option<usize> {
        let place = usize::try_from(id.wrapping_sub(1)).ok();
        match place.and_then(|i| self.entries.get(i)) {
            Some(entry) if entry.id == id => place,
            _ => self.elsewhere.get(&id).map(|i| *i as usize),
        }
    }

    /// What is known of a block, once [`Blocks::keep_compact`] was called for it.
    #[inline]
    pub(super) fn compact(&self, id: i64) -> Option<&Compact> {
        self.compact.get(usize::try_from(id.wrapping_sub(1)).ok()?).filter(|block| block.id == id)
    }

    /// Lets [`Blocks::compact`] return this block, if it has a name and its number is its position.
    pub(super) fn keep_compact(&mut self, id: i64, instructions: &dyn Instructions) {
        if self.compact(id).is_some() {
            return;
        }
        let Some(place) = self.place(id).filter(|place| *place as i64 + 1 == id) else { return };
        let Some(compact) = self.entries.get_mut(place).and_then(|entry| entry.compact(instructions)) else { return };
        if self.compact.len() < self.entries.len() {
            self.compact.resize(self.entries.len(), Compact { id: 0, ..compact });
        }
        if let Some(slot) = self.compact.get_mut(place) {
            *slot = compact;
        }
    }

    pub(super) fn get(&self, id: i64) -> Option<&Entry> {
        self.entries.get(self.place(id)?)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, id: i64) -> Option<&mut Entry> {
        let place = self.place(id)?;
        self.entries.get_mut(place)
    }
}

#[cfg(test)]
mod tests {
    use super::super::wire::Mode;
    use super::*;

    struct Iced;

    impl Instructions for Iced {
        fn starts(&self, bits: u32, address: u64, code: &[u8]) -> Vec<u32> {
            use iced_x86::{Decoder, DecoderOptions, Instruction};

            let mut decoder = Decoder::with_ip(bits, code, address, DecoderOptions::NONE);
            let mut instruction = Instruction::default();
            let mut starts = Vec::new();
            while decoder.can_decode() {
                starts.push(decoder.position() as u32);
                decoder.decode_out(&mut instruction);
            }
            starts
        }
    }

    fn entry(mode: Mode, data: &[u8], count: u64, known: &[u32]) -> Entry {
        let mut entry = Entry::new(2, Block { pc: 0x1000, data: data.into(), count, mode }, false);
        entry.known = known.into();
        entry
    }

    #[test]
    fn the_last_instruction_decides_how_a_block_ends() {
        let ending = |data: &[u8], count, known: &[u32]| entry(Mode::Bits64, data, count, known).ending(&Iced);
        let call = Flow::Call { to: Some(0x1006), back: 0x1006, slot: false };
        assert_eq!(ending(&[0x90, 0xe8, 0, 0, 0, 0], 2, &[1]), (call, 1));
        assert_eq!(ending(&[0x5d, 0xc3], 2, &[1]), (Flow::Return { maybe: false, slot: false }, 1));
        assert_eq!(ending(&[0x0f, 0x05], 1, &[]), (Flow::SystemCall, 0));
        let over = Flow::Branch { to: 0xfc5, maybe: true, slot: false };
        assert_eq!(ending(&[0x75, 0xc3], 1, &[]), (over, 0), "a branch over 0xc3");
        assert_eq!(ending(&[], 0, &[]), (Flow::Unknown, 0));
    }

    #[test]
    fn a_block_that_never_completed_is_decoded_to_find_its_last_instruction() {
        let bytes = [0x48, 0x89, 0xe5, 0xe8, 0, 0, 0, 0];
        let call = Flow::Call { to: Some(0x1008), back: 0x1008, slot: false };
        assert_eq!(entry(Mode::Bits64, &bytes, 2, &[]).ending(&Iced), (call, 3));
        let back = Flow::Return { maybe: false, slot: false };
        assert_eq!(entry(Mode::Bits32, &[0x40, 0xc3], 2, &[]).ending(&Iced), (back, 1), "inc eax; ret");
    }

    #[test]
    fn related_instructions_must_have_been_executed() {
        let e = entry(Mode::Bits64, &[0x90; 40], 40, &[1, 3]);
        assert_eq!(e.instruction_at(0x1000).map(<[u8]>::len), Some(1));
        assert_eq!(e.instruction_at(0x1001).map(<[u8]>::len), Some(2));
        assert_eq!(e.instruction_at(0x1003).map(<[u8]>::len), Some(15), "at most the length of an instruction");
        assert_eq!(e.instruction_at(0x1002), None);
        assert_eq!(e.instruction_at(0xfff), None);
        let e = entry(Mode::Bits64, &[0x90, 0x48, 0x8b, 0x07, 0xc3], 3, &[]);
        assert_eq!(e.instruction_at(0x1001), None, "the reference finds none");
        assert_eq!(e.decoded_at(0x1001, &Iced), Some(&[0x48, 0x8b, 0x07][..]));
        assert_eq!(e.decoded_at(0x1002, &Iced), None, "within an instruction");
        assert_eq!(e.decoded_at(0x1001, &unspool_trace::NoInstructions), None);
    }
}
