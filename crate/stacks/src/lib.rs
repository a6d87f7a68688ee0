//! Machine code: instruction sets, control flow, and call stacks rebuilt from it.
//!
//! Instructions leave decoders as bytes (`Value::Code`). This crate rebuilds call stacks for frames
//! and rvn: `flow` knows where an instruction continues, `stack` follows execution, `state` is one
//! hypothesis of a stack (a jump out of recursion leaves several), `execution` has their common
//! vocabulary. `docs/stacks.md` separates what is exact from what is a guess.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod execution;
pub mod flow;
pub mod isa;
pub mod pointer;
pub mod problems;
pub mod stack;
mod state;
pub mod syscalls;
pub mod vectors;

pub use flow::{Flow, flow_of_x86_64};
pub use syscalls::loaded;
