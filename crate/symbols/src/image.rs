//! What is where in a binary, whatever its format.

use std::fmt;

use crate::fault::{Fault, Why};
use crate::file::{File, Range, Stop};
use crate::wire::Wire;
use crate::{elf, macho};

/// The section with a row for each place that XRay can patch.
pub(crate) const INSTRUMENTATION_MAP: &str = "xray_instr_map";
/// A compressed ELF file with symbols that `.dynsym` lacks (Fedora's MiniDebugInfo).
pub(crate) const MINI_DEBUG_INFO: &str = ".gnu_debugdata";

/// The sorts of binaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// It can be run.
    #[default]
    Program,
    /// It is loaded by a program.
    Library,
    /// It is not linked yet.
    Object,
    /// The debug information of another binary, such as `objcopy --only-keep-debug` and dsymutil
    /// write.
    Debug,
}

/// The parts of a binary that matter here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Image {
    pub(crate) wire: Wire,
    pub(crate) format: Format,
    pub(crate) sort: Sort,
    /// Identifies what the linker wrote: the same in the binary and in its debug file. Empty if
    /// unknown.
    pub(crate) build_id: Vec<u8>,
    pub(crate) sections: Vec<Section>,
    /// The addresses that are loaded: the first, at the beginning of a page, and the one after the
    /// last. Empty if unknown.
    pub(crate) span: (u64, u64),
    /// It is loaded at the addresses that it has, and at no others.
    pub(crate) is_fixed: bool,
    /// The best first.
    pub(crate) symbols: Vec<SymbolTable>,
    pub(crate) architecture: Architecture,
    /// The other architectures that a Mach-O file has code for.
    pub(crate) others: Vec<Architecture>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    #[default]
    Elf,
    MachO,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    /// As ELF has it. `.debug_info` for `__debug_info` of Mach-O.
    pub(crate) name: String,
    pub(crate) address: u64,
    /// Absolute offset in the file.
    pub(crate) at: u64,
    pub(crate) size: u64,
    /// The file has its bytes.
    pub(crate) is_present: bool,
    pub(crate) is_compressed: bool,
    /// Holds relocations with addends.
    pub(crate) is_rela: bool,
    /// Holds functions, and not only stubs that lead to other binaries.
    pub(crate) is_code: bool,
}

/// Bytes of the smallest page. Binaries are loaded at multiples of it.
pub(crate) const PAGE: u64 = 4096;

/// Adds a segment to the addresses that are loaded.
pub(crate) fn widen(span: &mut (u64, u64), from: u64, len: u64) {
    if len == 0 {
        return;
    }
    let (from, to) = (from & !(PAGE - 1), from.saturating_add(len));
    *span = if span.1 == 0 { (from, to) } else { (span.0.min(from), span.1.max(to)) };
}

/// A table of symbols, with the text of their names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SymbolTable {
    /// Absolute offset.
    pub(crate) at: u64,
    pub(crate) count: u64,
    /// Absolute.
    pub(crate) strings: Range,
}

/// The processor that a binary is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Architecture {
    /// `e_machine` of ELF.
    Elf(u16),
    /// `cputype` of Mach-O.
    MachO(u32),
    #[default]
    Unknown,
}

impl fmt::Display for Architecture {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match *self {
            Self::Elf(62) | Self::MachO(0x0100_0007) => "x86_64",
            Self::Elf(3) | Self::MachO(7) => "x86",
            Self::Elf(183) | Self::MachO(0x0100_000c) => "arm64",
            Self::Elf(40) | Self::MachO(12) => "arm",
            Self::Elf(21) | Self::MachO(0x0100_0012) => "ppc64",
            Self::Elf(243) => "riscv",
            Self::Elf(258) => "loongarch",
            Self::Elf(8) => "mips",
            Self::Elf(22) => "s390x",
            Self::Elf(164) => "hexagon",
            Self::Elf(machine) => return write!(out, "machine {machine}"),
            Self::MachO(cpu) => return write!(out, "processor {cpu:#x}"),
            Self::Unknown => "an unknown processor",
        };
        out.write_str(name)
    }
}

impl Image {
    /// Reads the tables at the beginning and the end of a file.
    pub(crate) fn read(file: &File) -> Result<Self, Stop> {
        let unknown = Fault { at: 0, why: Why::Unknown };
        if file.size() < 4 {
            return Err(unknown.into());
        }
        let head = file.bytes(0, file.size().min(64))?;
        if head.starts_with(b"\x7fELF") {
            return elf::read(file);
        }
        if macho::is_macho(&head) {
            return macho::read(file);
        }
        Err(unknown.into())
    }

    /// The addresses of its functions: of each section the first, and the one after the last.
    pub(crate) fn code(&self) -> impl Iterator<Item = (u64, u64)> {
        let sections = self.sections.iter().filter(|section| section.is_code);
        sections.map(|section| (section.address, section.address.saturating_add(section.size)))
    }

    /// The section with a name whose bytes the file has.
    pub(crate) fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.is_present && section.name == name)
    }
}

/// A fault for a structure that contradicts the format.
pub(crate) fn malformed(at: u64, what: &'static str) -> Stop {
    Stop::Fault(Fault { at, why: Why::Malformed(what) })
}
