//! Places and values of the operands of usual instructions, for a pass that takes all of them.
//!
//! The same bytes stand before the value of a register each time that it is accessed in the same
//! way: lengths, its name, the number of bits, flags, taint. [`Heads`] remembers them, so that
//! comparing a few words replaces reading an operand.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use unspool_trace::steps::Place;

use super::instruction::{self, Instruction};
use super::records;

/// Bytes at the beginning of a head that are compared, and bytes at its end. They may overlap.
const FRONT: usize = 16;
const BACK: usize = 24;
/// Heads that are remembered at most, by a number of one byte: several times as many as a processor
/// has registers.
const SLOTS: usize = 1 << 8;
/// Slots in which a head may be.
const PROBES: u8 = 4;

/// The operands of one instruction.
#[derive(Default)]
pub(super) struct Operands {
    heads: Heads,
    read: Vec<Operand>,
    written: Vec<Operand>,
}

impl Operands {
    /// Reads a complete frame if it is a usual instruction, as [`instruction::parse`] does, and
    /// remembers its operands.
    #[inline]
    pub(super) fn parse<'a>(&mut self, frame: &'a [u8]) -> Option<Instruction<'a>> {
        let Self { heads, read, written } = self;
        read.clear();
        written.clear();
        instruction::parse_with(frame, |list, is_written| heads.list(list, if is_written { written } else { read }))
    }

    /// Passes on the operands of the instruction that was parsed last, the values read before those
    /// written.
    #[inline]
    pub(super) fn visit(&self, instruction: &Instruction<'_>, mut each: impl FnMut(Place<'_>, &[u8], bool)) {
        for (operands, list, is_written) in
            [(&self.read, instruction.read, false), (&self.written, instruction.written, true)]
        {
            for Operand { place, at, len } in operands {
                let Some((_, rest)) = list.split_at_checked(*at as usize) else { return };
                match place {
                    Where::Head(slot) => {
                        let Some(value) = rest.get(..*len as usize) else { return };
                        each(Place::Register(&self.heads.head(*slot).name), value, is_written);
                    }
                    Where::Memory(address) => {
                        let Some(value) = rest.get(..*len as usize) else { return };
                        each(Place::Memory(*address), value, is_written);
                    }
                    Where::Name => {
                        let Some((place, value)) = instruction::values(rest).next() else { return };
                        let name = String::from_utf8_lossy(place.register.flatten().unwrap_or_default());
                        each(Place::Register(&name), value, is_written);
                    }
                }
            }
        }
    }
}

/// Where the value of an operand is.
struct Operand {
    place: Where,
    /// Offset in its list of the value, or of the operand if the name must be read again.
    at: u32,
    /// Length of the value in bytes.
    len: u32,
}

enum Where {
    /// A register, by the slot of its head.
    Head(u8),
    /// A register whose name is in the operand only.
    Name,
    /// An address in memory.
    Memory(u64),
}

/// What comes before the value of a register: at least [`BACK`] bytes, and at most [`FRONT`] more.
struct Head {
    front: [u8; FRONT],
    back: [u8; BACK],
    /// Its length in bytes. 0 in a slot without a head.
    len: u8,
    /// Length in bytes of the value.
    value: u8,
    name: String,
}

impl Head {
    const NONE: &Self = &Self::none();

    const fn none() -> Self {
        Self { front: [0; FRONT], back: [0; BACK], len: 0, value: 0, name: String::new() }
    }

    /// Whether a list begins with it.
    #[inline(always)]
    fn is_of(&self, list: &[u8]) -> bool {
        let back = list.get(..self.len.into()).and_then(|head| head.last_chunk());
        list.first_chunk() == Some(&self.front) && back == Some(&self.back)
    }
}

/// The heads that have occurred.
struct Heads(Box<[Head; SLOTS]>);

impl Default for Heads {
    fn default() -> Self {
        Self(Box::new([const { Head::none() }; SLOTS]))
    }
}

impl Heads {
    /// Reads a list. `None` if an operand is unusual.
    #[inline]
    fn list(&mut self, list: &[u8], operands: &mut Vec<Operand>) -> Option<()> {
        // Offsets have 32 bits.
        u32::try_from(list.len()).ok()?;
        let mut rest = list;
        while !rest.is_empty() {
            let at = list.len() - rest.len();
            rest = match self.find(rest) {
                Some(slot) => {
                    let Head { len, value, .. } = self.head(slot);
                    let place = Where::Head(slot);
                    operands.push(Operand { place, at: (at + usize::from(*len)) as u32, len: u32::from(*value) });
                    rest.get(usize::from(*len) + usize::from(*value)..)?
                }
                None => {
                    let (operand, rest) = self.other(rest, at)?;
                    operands.push(operand);
                    rest
                }
            };
        }
        Some(())
    }

    /// Reads the operand at the beginning of `list`, whose head is not known. Returns it with the
    /// bytes after it.
    #[inline(never)]
    fn other<'a>(&mut self, list: &'a [u8], at: usize) -> Option<(Operand, &'a [u8])> {
        let (records::Operand { place, value, .. }, rest) = instruction::operand(list)?;
        let (value, end) = (value?, list.len() - rest.len());
        let (len, at_value) = (value.len() as u32, (at + end - value.len()) as u32);
        let operand = match place? {
            records::Place { register: Some(name), .. } => {
                self.learn(list, end, name?, value);
                Operand { place: Where::Name, at: at as u32, len }
            }
            records::Place { memory, .. } => Operand { place: Where::Memory(memory??), at: at_value, len },
        };
        Some((operand, rest))
    }

    #[inline(always)]
    fn head(&self, slot: u8) -> &Head {
        // A slot of one byte is always there, so this is not a test in the program.
        self.0.get(usize::from(slot)).unwrap_or(Head::NONE)
    }

    /// The slot of the head of the operand at the beginning of a list. `None` if the head is not
    /// known.
    #[inline(always)]
    fn find(&self, list: &[u8]) -> Option<u8> {
        slots(list)?.find(|slot| self.head(*slot).is_of(list))
    }

    /// Remembers the head of the usual operand of `len` bytes at the beginning of a list, unless it
    /// is too long or there are too many.
    fn learn(&mut self, list: &[u8], len: usize, name: &[u8], value: &[u8]) {
        let head = list.get(..len.saturating_sub(value.len())).unwrap_or_default();
        let (Some(front), Some(back)) = (head.first_chunk(), head.last_chunk()) else { return };
        let (Ok(value), Ok(name)) = (u8::try_from(value.len()), core::str::from_utf8(name)) else { return };
        let free = slots(list).and_then(|mut slots| slots.find(|slot| self.head(*slot).len == 0));
        let slot = free.filter(|_| head.len() <= FRONT + BACK).and_then(|slot| self.0.get_mut(usize::from(slot)));
        if let Some(slot) = slot {
            *slot = Head { front: *front, back: *back, len: head.len() as u8, value, name: name.into() };
        }
    }
}

/// The slots in which the head of the operand at the beginning of a list may be. `None` if that is
/// too short.
#[inline(always)]
fn slots(list: &[u8]) -> Option<impl Iterator<Item = u8> + use<>> {
    let (words, _) = list.first_chunk::<24>()?.as_chunks();
    let [lengths, name, flags] = words else { return None };
    // What distinguishes registers and ways to access them. The numbers are arbitrary, but odd.
    let mixed = u64::from_le_bytes(*lengths).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ u64::from_le_bytes(*name).wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
        ^ u64::from_le_bytes(*flags).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let first = (mixed >> 56) as u8;
    Some((0..PROBES).map(move |probe| first.wrapping_add(probe)))
}

#[cfg(test)]
mod tests {
    use super::super::wire::put_varint;
    use super::*;

    /// `len` and the content behind it.
    fn sized(tag: u8, content: &[u8]) -> Vec<u8> {
        let mut out = alloc::vec![tag];
        put_varint(&mut out, content.len() as u64);
        out.extend_from_slice(content);
        out
    }

    fn operand(place: &[u8], written: bool, value: &[u8]) -> Vec<u8> {
        let flags = [0x08, u8::from(!written), 0x10, u8::from(written), 0x18, 0, 0x20, 0];
        let bits = [&[0x10][..], if value.len() == 8 { &[0x80, 1] } else { &[0x40] }].concat();
        let parts = [sized(0x0a, place), bits, sized(0x1a, &flags), sized(0x22, &[0x08, 1]), sized(0x2a, value)];
        sized(0x0a, &parts.concat())
    }

    fn register(name: &str, written: bool, value: &[u8]) -> Vec<u8> {
        operand(&sized(0x12, &sized(0x0a, name.as_bytes())), written, value)
    }

    fn memory(address: u64, written: bool, value: &[u8]) -> Vec<u8> {
        let mut number = alloc::vec![0x08];
        put_varint(&mut number, address);
        operand(&sized(0x0a, &number), written, value)
    }

    fn frame(read: &[Vec<u8>], written: &[Vec<u8>]) -> Vec<u8> {
        let lists = [sized(0x22, &read.concat()), sized(0x2a, &written.concat())].concat();
        sized(0x0a, &[&[0x08, 0x85, 1, 0x10, 7, 0x1a, 1, 0x90][..], &lists].concat())
    }

    type Seen = Vec<(Result<String, u64>, Vec<u8>, bool)>;

    fn seen(operands: &mut Operands, frame: &[u8]) -> Option<Seen> {
        let instruction = operands.parse(frame)?;
        assert_eq!(Some(instruction), instruction::parse(frame));
        let mut seen = Vec::new();
        operands.visit(&instruction, |place, value, written| match place {
            Place::Register(name) => seen.push((Ok(name.into()), value.into(), written)),
            Place::Memory(address) => seen.push((Err(address), value.into(), written)),
        });
        Some(seen)
    }

    /// What is seen without remembering anything.
    fn read_anew(frame: &[u8]) -> Option<Seen> {
        let instruction = instruction::parse(frame)?;
        let lists = [(instruction.read, false), (instruction.written, true)];
        let all = lists.into_iter().flat_map(|(list, written)| instruction::values(list).map(move |it| (it, written)));
        let of = |((place, value), written): ((records::Place<'_>, &[u8]), bool)| {
            let place = match place.register {
                Some(name) => Ok(String::from_utf8_lossy(name.unwrap()).into()),
                None => Err(place.memory.unwrap().unwrap()),
            };
            (place, value.into(), written)
        };
        Some(all.map(of).collect())
    }

    #[test]
    fn what_is_remembered_is_what_is_read_anew() {
        let names =
            ["A", "R8", "RAX", "RBX", "EFLAGS", "CPSR_ALL", "XMM0_FOURTEEN", "a name that is too long for a head"];
        let value = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
        let all = |written| {
            names.into_iter().flat_map(move |name| [0, 4, 8, 16].map(|len| register(name, written, &value[..len])))
        };
        let places = [0, 0x7f, 0x80, 0x4a_72e4, u64::MAX].map(|address| memory(address, true, &value[..8]));
        let frame = frame(&all(false).collect::<Vec<_>>(), &all(true).chain(places).collect::<Vec<_>>());
        let mut operands = Operands::default();
        let expected = read_anew(&frame);
        assert_eq!(expected.as_ref().map(Vec::len), Some(69));
        let mut known = 0;
        for _ in 0..2 {
            known = operands.heads.0.iter().filter(|head| head.len > 0).count();
            assert_eq!(seen(&mut operands, &frame), expected);
        }
        let is_head = |operand: &Operand| matches!(operand.place, Where::Head(_));
        let used = operands.read.iter().chain(&operands.written).filter(|operand| is_head(operand)).count();
        assert_eq!(known, used);
        assert!(used > 40, "{used} of the 56 with a short name");
    }

    #[test]
    fn a_changed_byte_is_no_longer_what_was_remembered() {
        let read =
            [register("RAX", false, &[1; 8]), memory(0x4000, false, &[2; 4]), register("EFLAGS", false, &[3; 8])];
        let usual = frame(&read, &[register("RAX", true, &[4; 8])]);
        // It also remembers what is changed, until there is no room.
        let mut operands = Operands::default();
        let (mut accepted, mut refused) = (0, 0);
        for at in 0..usual.len() {
            for byte in 0..=255 {
                let mut frame = usual.clone();
                frame[at] = byte;
                assert!(seen(&mut operands, &usual).is_some());
                let expected = read_anew(&frame);
                assert_eq!(seen(&mut operands, &frame), expected, "{byte} at {at}");
                *if expected.is_some() { &mut accepted } else { &mut refused } += 1;
            }
            assert_eq!(seen(&mut operands, &usual[..at]), None);
        }
        assert!(accepted > 1000 && refused > 1000, "{accepted} {refused}");
    }
}
