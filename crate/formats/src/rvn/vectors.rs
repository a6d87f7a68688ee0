//! Names of interrupts.

use alloc::format;
use alloc::string::String;

use unspool_stacks::isa::Isa;
use unspool_stacks::vectors;

use super::wire::Interrupt;

/// The name of an interrupt. The operating system assigns the vectors of devices.
pub(super) fn name(interrupt: &Interrupt) -> String {
    let name = u64::try_from(interrupt.number).ok().and_then(|number| vectors::name(Isa::X86(64), number));
    match name {
        Some(name) => format!("{name} ({})", interrupt.number),
        None => format!("interrupt {}", interrupt.number),
    }
}
