//! Names of functions, and the lines of their source, from files that belong to a trace.
//!
//! A [`Binary`] is ELF or Mach-O. It does no I/O: a step says which bytes of the file it needs, so
//! little of a large file is read. What is wrong with it is a [`Fault`].
//!
//! As a wasm module it is loaded on demand, because few traces have such a file. What it reads
//! crosses to the session's module as bytes ([`unspool_trace::Naming::to_bytes`]).

#![forbid(unsafe_code)]

mod bases;
mod binary;
mod calls;
mod demangle;
mod dwarf;
mod elf;
mod fault;
mod file;
mod image;
mod lookup;
mod macho;
mod mini;
mod naming;
mod placing;
mod programs;
mod short;
mod sleds;
mod wire;
mod x86;

pub use binary::{Binary, Step};
pub use demangle::demangle;
pub use dwarf::Source;
pub use fault::{Fault, Why};
pub use file::Range;
pub use image::Sort;
pub use lookup::Function;
pub use mini::MAX_SECTION;
pub use naming::{FUNCTIONS_PER_OBJECT, Names, object_of};
pub use placing::Called;
pub use programs::{Programs, Report, Use, Work};
pub use short::short_names;
pub use x86::length;
