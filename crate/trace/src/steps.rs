//! What each step of a trace read and wrote, with the bytes as they are in the file: what an index
//! of accesses is built from.
//!
//! [`crate::records`] passes values on as people read them. An index needs every byte of a value,
//! so it has a pass of its own over the same pieces. Steps are numbered as the x axis is.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range as Numbers;

use crate::records::{Delivery, Pass};

/// What was read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place<'a> {
    /// A register, by the name that it has in the file.
    Register(&'a str),
    /// Memory from this address on. Byte `i` of the value is that of address + `i`.
    Memory(u64),
}

/// A value that a step read or wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access<'a> {
    /// Where it is.
    pub place: Place<'a>,
    /// The thread whose register this is. `None` if the file does not say. Memory belongs to all
    /// threads.
    pub thread: Option<u64>,
    /// It was written. Otherwise it was read.
    pub written: bool,
    /// Its bytes as in the file: a register's in little-endian order, memory's in the order of
    /// addresses.
    pub value: &'a [u8],
}

/// Something besides an ordinary instruction that happens at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepEvent {
    /// A system call: its instruction, or a record of the call.
    SystemCall,
    /// An interrupt, a fault or another exception.
    Interrupt,
}

/// A step, without what it accessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its number: its position on the x axis.
    pub number: u64,
    /// Its thread.
    pub thread: Option<u64>,
    /// The address of the instruction that it executes. `None` for steps that are not instructions.
    pub address: Option<u64>,
    /// Length of that instruction in bytes.
    pub length: u32,
    /// A number for the mode of the processor: equal modes have equal numbers. 0 if the file does
    /// not say.
    pub mode: u32,
    /// Whether the instruction belongs to the kernel, by its address.
    pub is_kernel: bool,
    /// What else happens.
    pub event: Option<StepEvent>,
}

/// A system call, by the registers before its instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemCall {
    /// Its number.
    pub number: u64,
    /// Its name under Linux, if the number has one.
    pub name: Option<&'static str>,
    /// The registers that have its arguments, as far as they are known, with their values.
    pub arguments: Vec<(&'static str, u64)>,
}

/// Receives the steps of a pass, ascending.
pub trait StepVisitor {
    /// A step. Returns whether its accesses are wanted.
    fn begin(&mut self, step: &Step) -> bool;
    /// One of its accesses, in the order of the file: reads before writes.
    fn access(&mut self, access: &Access<'_>);
    /// The instruction of the step: the disassembler's name for its code, if it has one, and its
    /// bytes. Comes before the accesses.
    fn code(&mut self, _isa: Option<&'static str>, _bytes: &[u8]) {}
    /// The name of a mode of the processor, before the first step in it. May come again.
    fn mode(&mut self, _number: u32, _name: &[u8]) {}
    /// The step loads a module, whether its accesses are wanted or not: its name, its first
    /// address, and its last one.
    fn module(&mut self, _name: &str, _low: u64, _high: u64) {}
    /// Whether the pass must stop after the current step. It can be continued.
    fn is_full(&self) -> bool {
        false
    }
}

/// Steps with what they read and wrote, to a [`StepVisitor`]: what a [`Pass`] may deliver.
#[derive(Clone, Copy, Debug)]
pub enum Accesses {}

impl Delivery for Accesses {
    type Visitor<'v> = dyn StepVisitor + 'v;

    fn is_full(visitor: &Self::Visitor<'_>) -> bool {
        visitor.is_full()
    }
}

/// Reads the steps of a trace anywhere.
pub trait Steps {
    /// The first step of each piece, ascending.
    fn pieces(&self) -> Vec<u64>;
    /// Number of steps.
    fn count(&self) -> u64;
    /// A pass over the pieces with these numbers, as far as they exist.
    fn pass(&self, pieces: Numbers<u32>) -> Box<dyn Pass<Accesses> + '_>;
    /// Whether numbers in memory have their most significant byte first.
    fn is_big_endian(&self) -> bool;
    /// Whether the register with this name is the stack pointer.
    fn is_stack_pointer(&self, name: &str) -> bool;
    /// The system call of an instruction that makes one. `register` returns the value of a
    /// register, whose name it compares without regard to case. `None` if its number is not known.
    fn system_call(&self, _register: &dyn Fn(&str) -> Option<u64>) -> Option<SystemCall> {
        None
    }
}
