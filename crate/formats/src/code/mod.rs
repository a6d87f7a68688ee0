//! What decoders want to know of machine code, asked of whoever has a disassembler.

use alloc::vec::Vec;

/// Finds instructions.
pub trait Instructions {
    /// Where the instructions of x86 of so many bits (16, 32, 64) begin in `code`, which lies at `address`: offsets, ascending from
    /// 0 on, one instruction directly behind the other.
    fn starts(&self, bits: u32, address: u64, code: &[u8]) -> Vec<u32>;
}

/// For those who have no disassembler.
#[derive(Clone, Copy, Debug)]
pub struct NoInstructions;

impl Instructions for NoInstructions {
    fn starts(&self, _bits: u32, _address: u64, _code: &[u8]) -> Vec<u32> {
        Vec::new()
    }
}
