//! The machine of a trace: its name, instruction set, and byte order.

use alloc::format;
use alloc::string::{String, ToString};

use unspool_stacks::isa::{ByteOrder, Isa};

use super::memory_order::{MemoryOrder, MemoryVotes};
use super::wire::Header;

/// `frame_architecture`, in the order of `frame_arch.h`: the frozen enumeration of an old BFD, with
/// additions at the end. The last two were added in this order by the requests 29 and 30 of
/// `bap-frames`.
const ARCHITECTURES: [&str; 84] = [
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
    "tricore",
    "riscv",
];

/// Names of machines: architecture, machine, name.
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

/// The machine that a trace was recorded on, according to the header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    architecture: u64,
    number: u64,
    pub(crate) isa: Isa,
}

impl Machine {
    pub(crate) fn of(header: &Header) -> Self {
        let (architecture, number) = (header.architecture, header.machine);
        let isa = match (architecture, number) {
            (9, 2) => Isa::X86(16),
            (9, 64 | 65) => Isa::X86(64),
            (9, _) => Isa::X86(32),
            (35, _) => Isa::Arm,
            (78, _) => Isa::Aarch64,
            (8, _) => Isa::Mips,
            (23 | 24, _) => Isa::PowerPc,
            _ => Isa::Other,
        };
        Self { architecture, number, isa }
    }

    /// The name of the architecture and the machine.
    pub(crate) fn name(&self) -> String {
        let Self { architecture, number, .. } = *self;
        let known = usize::try_from(architecture).ok().and_then(|i| ARCHITECTURES.get(i));
        let Some(known) = known else {
            return format!("architecture {architecture}, machine {number} (unknown)");
        };
        let machine = match MACHINES.iter().find(|m| m.0 == architecture && m.1 == number) {
            Some((_, _, name)) => name.to_string(),
            None if number == 0 => return known.to_string(),
            None => format!("machine {number}"),
        };
        format!("{known}, {machine}")
    }

    /// Whether memory may be big-endian.
    pub(super) fn may_be_big_endian(&self) -> bool {
        matches!(self.isa, Isa::Mips | Isa::PowerPc) || self.is_always_big_endian()
    }

    /// m68k, sparc, i370, m88k, hppa, s390, openrisc.
    fn is_always_big_endian(&self) -> bool {
        self.isa == Isa::Other && matches!(self.architecture, 2 | 6 | 14 | 17 | 25 | 66 | 68)
    }

    /// The order of the bytes of memory. If the machine has both, operands decide, and instructions
    /// if operands do not.
    pub(super) fn memory_order(&self, order: &ByteOrder, votes: MemoryVotes) -> MemoryOrder {
        let is_certain = self.is_always_big_endian();
        let expects_big = is_certain || (self.may_be_big_endian() && order.is_big(self.isa));
        votes.order(expects_big, is_certain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_have_names() {
        let name = |architecture, machine| {
            Machine::of(&Header { version: 3, architecture, machine, frames: 0, table: 0 }).name()
        };
        assert_eq!(name(9, 64), "i386, x86-64");
        assert_eq!(name(78, 0), "aarch64");
        assert_eq!(name(81, 68), "hexagon, machine 68");
        assert_eq!(name(82, 162), "tricore, machine 162");
        assert_eq!(name(83, 0), "riscv");
        assert_eq!(name(84, 0), "architecture 84, machine 0 (unknown)");
        assert_eq!(name(999, 1), "architecture 999, machine 1 (unknown)");
    }
}
