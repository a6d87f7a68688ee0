//! Records as JSON lines, and interrupts by name.

use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

use super::code::Blocks;
use super::decode::Record;
use super::wire::Interrupt;

/// What the processor's own vectors are called (Intel SDM volume 3, table 6-1).
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

/// How people call an interrupt. Devices have vectors of their system's choice.
pub(super) fn vector(interrupt: &Interrupt) -> String {
    let name = usize::try_from(interrupt.number).ok().and_then(|n| VECTORS.get(n)).filter(|name| !name.is_empty());
    match name {
        Some(name) => format!("{name} ({})", interrupt.number),
        None => format!("interrupt {}", interrupt.number),
    }
}

/// One line for a record.
pub(super) fn record(record: &Record, blocks: &Blocks, out: &mut String) {
    // Writing into a string does not fail.
    let _ = match record {
        Record::Event(e) => writeln!(out, "{{\"begin\":{},\"end\":{},\"block\":{}}}", e.begin, e.end, e.block),
        Record::Interrupt(i) => {
            let _ = write!(
                out,
                "{{\"interrupt\":{{\"transition\":{},\"pc\":{},\"number\":{},\"mode\":{},\"is_hw\":{},\"related_bytes\":",
                i.transition,
                i.pc,
                i.number,
                i.mode.number(),
                i.is_hw
            );
            match blocks.get(i.related).and_then(|entry| entry.instruction_at(i.pc)) {
                Some(bytes) => {
                    out.push('"');
                    for byte in bytes {
                        let _ = write!(out, "{byte:02x}");
                    }
                    out.push('"');
                }
                None => out.push_str("null"),
            }
            writeln!(out, "}}}}")
        }
    };
}
