//! The disassembler, for JavaScript: see [`unspool_disassembler`].

use wasm_bindgen::prelude::*;

/// An instruction as text. `undefined` if the bytes are not an instruction. Traps at some.
#[wasm_bindgen]
pub fn disassemble(isa: &str, address: u64, bytes: &[u8]) -> Option<String> {
    unspool_disassembler::disassemble(isa, address, bytes)
}

/// Offsets of the instructions in x86 code of 16, 32 or 64 bits, ascending from 0.
#[wasm_bindgen]
pub fn starts(bits: u32, address: u64, code: &[u8]) -> Vec<u32> {
    unspool_disassembler::starts(bits, address, code)
}

/// The names of the registers that an x86 instruction reads, separated by spaces, in brackets if
/// they only address memory. `undefined` if the bytes are not an x86 instruction.
#[wasm_bindgen]
pub fn reads(isa: &str, address: u64, bytes: &[u8]) -> Option<String> {
    unspool_disassembler::reads(isa, address, bytes)
}
