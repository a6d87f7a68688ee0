//! Machine code: instruction sets, where instructions go, and the call stacks that are rebuilt from that.
//!
//! Decoders have no disassembler. [`Instructions`] is the trait that finds instruction boundaries for them.

pub(crate) mod flow;
pub(crate) mod isa;
pub(crate) mod pointer;
pub mod problems;
pub(crate) mod stack;
mod state;
mod syscalls;

pub(crate) use syscalls::loaded;

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
