//! Instruction sets: what they are called, in which order their bytes lie, and which register is the stack pointer.

/// Instruction sets in which calls and returns are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Isa {
    /// x86 of this many bits.
    X86(u32),
    Arm,
    Aarch64,
    Mips,
    PowerPc,
    #[default]
    Other,
}

impl Isa {
    /// How a disassembler calls it; nothing where there is none. `thumb` and `big` are of use on ARM alone.
    pub(crate) fn code(self, thumb: bool, big: bool) -> Option<&'static str> {
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

    pub(crate) fn has_stack(self) -> bool {
        self != Self::Other
    }

    /// Whether a register of this name is the stack pointer. Names are those of QEMU, GDB and the manuals, in either case.
    #[inline]
    pub(crate) fn is_stack_pointer(self, name: &[u8]) -> bool {
        // Nearly all names are asked in vain: a comparison of one number each.
        if name.len() > 4 {
            return false;
        }
        let packed = name.iter().fold(0u32, |packed, byte| packed << 8 | u32::from(byte | 0x20));
        let is = |names: &[&[u8]]| {
            names.iter().any(|n| packed == n.iter().fold(0u32, |packed, byte| packed << 8 | u32::from(*byte)))
        };
        match self {
            Self::X86(64) => is(&[b"rsp"]),
            Self::X86(32) => is(&[b"esp"]),
            Self::X86(_) => is(&[b"sp", b"esp"]),
            Self::Arm => is(&[b"sp", b"r13"]),
            Self::Aarch64 => is(&[b"sp", b"x31"]),
            Self::Mips => is(&[b"sp", b"r29", b"$29", b"$sp"]),
            Self::PowerPc => is(&[b"r1", b"gpr1", b"sp"]),
            Self::Other => false,
        }
    }

    /// Bytes by which a return moves the stack pointer beyond where it was when the callee began: the return address, where
    /// calls push it; 0 where they leave it in a register.
    pub(crate) fn pushed(self) -> u64 {
        match self {
            Self::X86(bits) => u64::from(bits / 8),
            _ => 0,
        }
    }

    /// Whether an address is the kernel's, as common systems lay memory out. 64 bits: the upper half. 32 bits: from 3 GiB
    /// on; MIPS from 2 GiB on, where the processor itself divides it.
    pub(crate) fn is_kernel(self, address: u64) -> bool {
        match self {
            Self::X86(64) | Self::Aarch64 | Self::PowerPc if address > 0xffff_ffff => address >> 63 == 1,
            Self::X86(32) | Self::Arm => address >= 0xc000_0000,
            Self::Mips => address & 0x8000_0000 != 0,
            _ => false,
        }
    }
}

/// The byte order of instructions, which no header tells: found by what real code consists of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ByteOrder {
    little: u32,
    big: u32,
}

impl ByteOrder {
    /// Looks at an instruction. Some tracers store them as the numbers that manuals print, some as they lie in memory.
    #[inline]
    pub(crate) fn look(&mut self, isa: Isa, bytes: &[u8]) {
        let common: fn([u8; 4]) -> bool = match isa {
            // Executed always: nearly every instruction.
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

    /// The most significant byte comes first.
    #[inline]
    pub(crate) fn is_big(&self, isa: Isa) -> bool {
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
        assert!(Isa::X86(64).is_stack_pointer(b"RSP"));
        assert!(Isa::X86(64).is_stack_pointer(b"rsp"));
        assert!(Isa::X86(32).is_stack_pointer(b"ESP"));
        assert!(Isa::Mips.is_stack_pointer(b"$29"));
        assert!(Isa::Arm.is_stack_pointer(b"R13"));
        assert!(Isa::PowerPc.is_stack_pointer(b"r1"));
        for other in [&b"RBP"[..], b"SP", b"", b"RSPX", b"\0RSP", b"R10"] {
            assert!(!Isa::X86(64).is_stack_pointer(other), "{other:?}");
        }
    }

    #[test]
    fn byte_order_is_found() {
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
