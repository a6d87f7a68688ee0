//! The access index: what registers and memory hold at any step of a trace, who wrote it, and who reads it next.
//!
//! An [`AccessIndex`] takes the steps of a trace as they come ([`unspool_formats::steps`]) and answers for the part that it has.
//! It does no I/O. Values of registers, and those of memory if they are not kept, are decoded again from the file: an
//! [`Explorer`] has the index together with the file, builds the one from the other in portions, and asks both.
//!
//! What no step has read or written is unknown. It is never 0.

mod coverage;
mod cycles;
mod executed;
mod explorer;
mod index;
mod keys;
mod lists;
mod loops;
mod memory;
mod origin;
mod registers;
mod runs;
mod stops;

pub use coverage::{Block, InModule, blocks, drcov, in_modules};
pub use executed::Executed;
pub use explorer::{Detail, Explorer, State};
pub use index::{AccessIndex, Cell, Keeps, Module, Segments};
pub use lists::{List, NoList, With};
pub use loops::{Loop, LoopFinder, LoopsFound};
pub use memory::Byte;
pub use origin::{Cause, Code, Operand, Origin, Use, Uses};
pub use registers::Register;
pub use runs::{CodeBlock, RunIndex};
pub use stops::{Filter, Kinds, Stop};

/// A moment in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before a step is executed. What it reads is known already.
    Before(u64),
    /// After it.
    After(u64),
}

impl Moment {
    /// Its step.
    pub fn step(self) -> u64 {
        match self {
            Self::Before(step) | Self::After(step) => step,
        }
    }

    /// Whether an access by a step comes before.
    pub(crate) fn includes(self, step: u64, written: bool) -> bool {
        match self {
            Self::Before(at) => step < at || (step == at && !written),
            Self::After(at) => step <= at,
        }
    }
}

/// Which accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Both.
    Any,
}

impl Kind {
    /// Whether a write, or a read, is of this kind.
    pub(crate) fn includes(self, written: bool) -> bool {
        match self {
            Self::Read => !written,
            Self::Write => written,
            Self::Any => true,
        }
    }
}

/// Where to look from a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    /// At earlier steps.
    Previous,
    /// At later steps.
    Next,
}
