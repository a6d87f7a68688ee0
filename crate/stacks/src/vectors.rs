//! Names of the vectors of interrupts and exceptions.

use super::isa::Isa;

/// The vectors of x86 processors (Intel SDM volume 3, table 6-1).
const VECTORS: [&str; 22] = [
    "divide error",
    "debug",
    "non-maskable interrupt",
    "breakpoint",
    "overflow",
    "bound range exceeded",
    "invalid opcode",
    "device not available",
    "double fault",
    "coprocessor segment overrun",
    "invalid TSS",
    "segment not present",
    "stack fault",
    "general protection",
    "page fault",
    "",
    "floating-point error",
    "alignment check",
    "machine check",
    "SIMD floating-point exception",
    "virtualization exception",
    "control protection exception",
];

/// The name of a vector. `None` for those that the operating system assigns, and for other
/// processors than x86: their tracers number exceptions each in its way.
pub fn name(isa: Isa, number: u64) -> Option<&'static str> {
    let Isa::X86(_) = isa else { return None };
    let name = usize::try_from(number).ok().and_then(|n| VECTORS.get(n));
    name.copied().filter(|name| !name.is_empty())
}
