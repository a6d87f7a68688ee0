//! Names of interrupts.

use alloc::format;
use alloc::string::String;

use super::wire::Interrupt;

/// Names of the processor's own vectors (Intel SDM volume 3, table 6-1).
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

/// The name of an interrupt. The operating system assigns the vectors of devices.
pub(super) fn name(interrupt: &Interrupt) -> String {
    let name = usize::try_from(interrupt.number).ok().and_then(|n| VECTORS.get(n)).filter(|name| !name.is_empty());
    match name {
        Some(name) => format!("{name} ({})", interrupt.number),
        None => format!("interrupt {}", interrupt.number),
    }
}
