//! The trait of a disassembler. Decoders have none: they ask it for instruction boundaries,
//! searches for text, and the access index for registers.

use alloc::string::String;
use alloc::vec::Vec;

/// A disassembler. What an implementation leaves out is unknown for every instruction.
pub trait Instructions {
    /// The offsets in `code` at which instructions begin: ascending from 0, back-to-back. `code` is
    /// x86 code of `bits` bits (16, 32 or 64) at `address`. May be empty.
    fn starts(&self, _bits: u32, _address: u64, _code: &[u8]) -> Vec<u32> {
        Vec::new()
    }

    /// The instruction at the beginning of some bytes as text, such as `mov eax, 1`. `None` if it
    /// is unknown.
    fn text(&self, _isa: &str, _address: u64, _bytes: &[u8]) -> Option<String> {
        None
    }

    /// The names of the registers that an instruction reads, in lower case and at their full width,
    /// separated by spaces. Those that only address memory are in brackets. `None` if the
    /// instruction is unknown.
    fn reads(&self, _isa: &str, _address: u64, _bytes: &[u8]) -> Option<String> {
        None
    }
}

/// Knows no instruction: for callers without a disassembler.
#[derive(Clone, Copy, Debug)]
pub struct NoInstructions;

impl Instructions for NoInstructions {}
