//! Which machine a trace is of: names, instruction sets, byte order.

use alloc::format;
use alloc::string::{String, ToString};

/// `frame_architecture`, in the order of `frame_arch.h`: an old BFD's enumeration, frozen, with five of its own at the end.
const ARCHITECTURES: [&str; 82] = [
    "unknown",
    "obscure",
    "m68k",
    "vax",
    "i960",
    "or32",
    "sparc",
    "spu",
    "mips",
    "i386",
    "l1om",
    "we32k",
    "tahoe",
    "i860",
    "i370",
    "romp",
    "convex",
    "m88k",
    "m98k",
    "pyramid",
    "h8300",
    "pdp11",
    "plugin",
    "powerpc",
    "rs6000",
    "hppa",
    "d10v",
    "d30v",
    "dlx",
    "m68hc11",
    "m68hc12",
    "z8k",
    "h8500",
    "sh",
    "alpha",
    "arm",
    "ns32k",
    "w65",
    "tic30",
    "tic4x",
    "tic54x",
    "tic6x",
    "tic80",
    "v850",
    "arc",
    "m32c",
    "m32r",
    "mn10200",
    "mn10300",
    "fr30",
    "frv",
    "moxie",
    "mcore",
    "mep",
    "ia64",
    "ip2k",
    "iq2000",
    "mt",
    "pj",
    "avr",
    "bfin",
    "cr16",
    "cr16c",
    "crx",
    "cris",
    "rx",
    "s390",
    "score",
    "openrisc",
    "mmix",
    "xstormy16",
    "msp430",
    "xc16x",
    "xtensa",
    "z80",
    "lm32",
    "microblaze",
    "6502",
    "aarch64",
    "8051",
    "sm83",
    "hexagon",
];

/// Machines that matter, by architecture.
const MACHINES: &[(u64, u64, &str)] = &[
    (9, 1, "i386"),
    (9, 2, "i8086"),
    (9, 3, "i386, Intel syntax"),
    (9, 64, "x86-64"),
    (9, 65, "x86-64, Intel syntax"),
    (35, 1, "ARMv2"),
    (35, 2, "ARMv2a"),
    (35, 3, "ARMv3"),
    (35, 4, "ARMv3M"),
    (35, 5, "ARMv4"),
    (35, 6, "ARMv4T"),
    (35, 7, "ARMv5"),
    (35, 8, "ARMv5T"),
    (35, 9, "ARMv5TE"),
    (35, 10, "XScale"),
    (35, 11, "ep9312"),
    (35, 12, "iWMMXt"),
    (35, 13, "iWMMXt2"),
    (8, 32, "MIPS32"),
    (8, 33, "MIPS32 release 2"),
    (8, 64, "MIPS64"),
    (8, 65, "MIPS64 release 2"),
    (23, 32, "32 bits"),
    (23, 64, "64 bits"),
    (23, 500, "e500"),
    (23, 5001, "e500mc"),
    (23, 5005, "e500mc64"),
    (23, 83, "titan"),
    (6, 1, "SPARC"),
    (6, 4, "v8plus"),
    (6, 5, "v8plusa"),
    (6, 7, "v9"),
    (6, 8, "v9a"),
    (6, 9, "v8plusb"),
    (6, 10, "v9b"),
    (66, 31, "31 bits"),
    (66, 64, "64 bits"),
];

/// An architecture and machine as people call them.
pub(crate) fn name(architecture: u64, machine: u64) -> String {
    let known = usize::try_from(architecture).ok().and_then(|i| ARCHITECTURES.get(i));
    let Some(known) = known else {
        return format!("architecture {architecture}, machine {machine} (not known)");
    };
    let machine = match MACHINES.iter().find(|m| m.0 == architecture && m.1 == machine) {
        Some((_, _, name)) => name.to_string(),
        None if machine == 0 => return known.to_string(),
        None => format!("machine {machine}"),
    };
    format!("{known}, {machine}")
}

/// Instruction sets in which calls and returns are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isa {
    /// x86 of so many bits.
    X86(u32),
    Arm,
    Aarch64,
    Mips,
    PowerPc,
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

    pub(crate) fn of(architecture: u64, machine: u64) -> Self {
        match (architecture, machine) {
            (9, 2) => Self::X86(16),
            (9, 64 | 65) => Self::X86(64),
            (9, _) => Self::X86(32),
            (35, _) => Self::Arm,
            (78, _) => Self::Aarch64,
            (8, _) => Self::Mips,
            (23 | 24, _) => Self::PowerPc,
            _ => Self::Other,
        }
    }

    pub(crate) fn has_stack(self) -> bool {
        self != Self::Other
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

/// Whether numbers in memory have the most significant byte first. Tells of machines that have but one order; where there are
/// two, instructions tell.
pub(crate) fn big_endian_memory(architecture: u64, order: &ByteOrder) -> bool {
    let isa = Isa::of(architecture, 0);
    match isa {
        Isa::Mips | Isa::PowerPc => order.is_big(isa),
        // m68k, sparc, i370, m88k, hppa, s390, openrisc.
        Isa::Other => matches!(architecture, 2 | 6 | 14 | 17 | 25 | 66 | 68),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_have_names() {
        assert_eq!(name(9, 64), "i386, x86-64");
        assert_eq!(name(78, 0), "aarch64");
        assert_eq!(name(81, 68), "hexagon, machine 68");
        assert_eq!(name(999, 1), "architecture 999, machine 1 (not known)");
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
