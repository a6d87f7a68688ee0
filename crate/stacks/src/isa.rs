//! Instruction sets: names, byte order, and stack pointers.

use serde::{Deserialize, Serialize};

/// The instruction sets whose calls and returns are recognised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isa {
    /// x86 of 16, 32 or 64 bits.
    X86(u32),
    /// ARM of 32 bits, with Thumb.
    Arm,
    /// ARM of 64 bits.
    Aarch64,
    /// MIPS.
    Mips,
    /// PowerPC.
    PowerPc,
    /// Another one, whose calls are not recognised.
    #[default]
    Other,
}

impl Isa {
    /// The disassembler's name for it, or `None` if it has no disassembler. `thumb` and `big`
    /// matter for ARM only.
    pub fn code(self, thumb: bool, big: bool) -> Option<&'static str> {
        Some(match (self, thumb, big) {
            (Self::X86(16), ..) => "x86-16",
            (Self::X86(32), ..) => "x86-32",
            (Self::X86(_), ..) => "x86-64",
            (Self::Arm, false, false) => "arm",
            (Self::Arm, false, true) => "arm-big",
            (Self::Arm, true, false) => "thumb",
            (Self::Arm, true, true) => "thumb-big",
            (Self::Aarch64, ..) => "aarch64",
            (Self::Mips | Self::PowerPc | Self::Other, ..) => return None,
        })
    }

    /// Whether call stacks can be rebuilt.
    pub fn has_stack(self) -> bool {
        self != Self::Other
    }

    /// The names of its stack pointer.
    pub fn stack_pointer(self) -> StackPointer {
        let names: &[&[u8]] = match self {
            Self::X86(64) => &[b"rsp"],
            Self::X86(32) => &[b"esp"],
            Self::X86(_) => &[b"sp", b"esp"],
            Self::Arm => &[b"sp", b"r13"],
            Self::Aarch64 => &[b"sp", b"x31"],
            Self::Mips => &[b"sp", b"r29", b"$29", b"$sp"],
            Self::PowerPc => &[b"r1", b"gpr1", b"sp"],
            Self::Other => &[],
        };
        let mut packed = [0; 4];
        for (to, name) in packed.iter_mut().zip(names) {
            *to = pack(name);
        }
        StackPointer(packed)
    }

    /// Size in bytes of the return address that a call pushes and a return pops. 0 if calls keep it
    /// in a register.
    pub fn pushed(self) -> u64 {
        match self {
            Self::X86(bits) => u64::from(bits / 8),
            _ => 0,
        }
    }

    /// Whether an address belongs to the kernel in the usual memory layouts. 64 bits: the upper
    /// half. 32 bits: from 3 GiB on. MIPS: from 2 GiB on, where the architecture itself divides the
    /// address space.
    pub fn is_kernel(self, address: u64) -> bool {
        match self {
            Self::X86(64) | Self::Aarch64 | Self::PowerPc if address > 0xffff_ffff => address >> 63 == 1,
            Self::X86(32) | Self::Arm => address >= 0xc000_0000,
            Self::Mips => address & 0x8000_0000 != 0,
            _ => false,
        }
    }
}

/// Names of a stack pointer in QEMU, GDB and the manuals. Case is ignored.
#[derive(Clone, Copy, Debug, Default)]
pub struct StackPointer([u32; 4]);

impl StackPointer {
    /// Whether `name` is one of them.
    #[inline(always)]
    pub fn is(&self, name: &[u8]) -> bool {
        let packed = pack(name);
        packed != 0 && self.0.contains(&packed)
    }
}

/// A name of two to four letters as a number, in lower case; 0 for others. Nearly all names are of
/// other registers: packing makes rejection cheap.
#[inline(always)]
fn pack(name: &[u8]) -> u32 {
    let lower = 0x2020_2020;
    match *name {
        [a, b, c] => u32::from_le_bytes([a, b, c, 0]) | lower,
        [a, b] => u32::from_le_bytes([a, b, 0, 0]) | lower,
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]) | lower,
        _ => 0,
    }
}

/// The byte order of instructions. No header states it, so it is inferred from common opcodes.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct ByteOrder {
    little: u32,
    big: u32,
}

impl ByteOrder {
    /// Counts an instruction's evidence. Some tracers write instructions most significant byte
    /// first, others in memory order.
    #[inline]
    pub fn look(&mut self, isa: Isa, bytes: &[u8]) {
        let common: fn([u8; 4]) -> bool = match isa {
            // Condition "always": nearly every instruction.
            Isa::Arm => |b| b[0] >> 4 == 0xe,
            // addiu lw sw lui beq bne jal lhu lbu ori andi daddiu ld sd.
            Isa::Mips => |b| matches!(b[0] >> 2, 9 | 35 | 43 | 15 | 4 | 5 | 3 | 37 | 36 | 13 | 12 | 25 | 55 | 63),
            // cmpli cmpi addi addis bc b bclr… ori rlwinm 31-forms loads and stores.
            Isa::PowerPc => |b| {
                matches!(b[0] >> 2, 10 | 11 | 14 | 15 | 16 | 18 | 19 | 21 | 24 | 31 | 32 | 34 | 36 | 37 | 38 | 58 | 62)
            },
            Isa::X86(_) | Isa::Aarch64 | Isa::Other => return,
        };
        let &[a, b, c, d] = bytes else { return };
        match (common([d, c, b, a]), common([a, b, c, d])) {
            (true, false) => self.little = self.little.saturating_add(1),
            (false, true) => self.big = self.big.saturating_add(1),
            _ => {}
        }
    }

    /// Whether the most significant byte comes first.
    #[inline]
    pub fn is_big(&self, isa: Isa) -> bool {
        match isa {
            Isa::Mips | Isa::PowerPc => self.big >= self.little,
            _ => self.big > self.little,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stack_pointers_have_many_names() {
        assert!(Isa::X86(64).stack_pointer().is(b"RSP"));
        assert!(Isa::X86(64).stack_pointer().is(b"rsp"));
        assert!(Isa::X86(32).stack_pointer().is(b"ESP"));
        assert!(Isa::Mips.stack_pointer().is(b"$29"));
        assert!(Isa::Arm.stack_pointer().is(b"R13"));
        assert!(Isa::PowerPc.stack_pointer().is(b"r1"));
        for other in [&b"RBP"[..], b"SP", b"", b"RSPX", b"\0RSP", b"R10"] {
            assert!(!Isa::X86(64).stack_pointer().is(other), "{other:?}");
        }
    }

    #[test]
    fn byte_order_is_inferred() {
        let mut order = ByteOrder::default();
        assert!(order.is_big(Isa::Mips));
        order.look(Isa::Mips, &[0xe0, 0xff, 0xbd, 0x27]);
        assert!(!order.is_big(Isa::Mips));
        let mut order = ByteOrder::default();
        assert!(!order.is_big(Isa::Arm));
        order.look(Isa::Arm, &[0xe3, 0xa0, 0x00, 0x01]);
        assert!(order.is_big(Isa::Arm));
    }
}
