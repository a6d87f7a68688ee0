//! The access index: what registers and memory hold at any step of a trace, who wrote it, and who
//! reads it next.
//!
//! An [`AccessIndex`] takes the steps of a trace as they come ([`unspool_trace::steps`]) and
//! answers for the part that it has. It does no I/O. Values of registers, and those of memory if
//! they are not kept, are decoded again from the file: an [`Explorer`] has the index together with
//! the file, builds the one from the other in portions, and asks both.
//!
//! What no step has read or written is unknown. It is never 0.
//!
//! # How it is built
//!
//! A trace of a format with the capability `state` says what each step read and wrote.
//! `crate/trace/src/steps.rs` has the pass that gives whole values (`StepVisitor`), over the same
//! pieces as the record pass. `AccessIndex` takes the steps:
//!
//! - *Segments* of up to 65,536 steps, append-only. A segment has the cells (8 aligned bytes of
//!   memory) and the executed addresses that occur in it, each with 16-bit distances of its steps;
//!   memory also with the bytes accessed, read or written, and the values. Each cell has a chain of
//!   its segments, from the last one back. `seal` ends a segment early, so that questions include
//!   everything so far.
//! - Registers: a step has the number of its *shape*, the list of registers that it reads and
//!   writes, in one or two bytes. An address nearly always has the shape that it had last, so that
//!   is compared before anything is looked up. Where a piece of the file ends, the values of the
//!   registers that it accessed are kept, with the latest step of each, known from the shapes of
//!   its steps. The registers at a step are those at the beginning of its piece and what decoding
//!   the piece up to the step adds.
//! - A frame repeats what stands before the value of a register, such as its name. The pass
//!   remembers these bytes (`crate/formats/src/frames/operands.rs`), and compares words where it
//!   would decode fields.
//! - Nothing is guessed: a byte that no step has read or written has no value. A read of another
//!   value than was written last is marked.
//!
//! # What is asked of it
//!
//! `Explorer` has the index and the file. In the page it lives in a worker of its own
//! (`web/features/steps/worker/steps.ts`; such workers share `web/trace/worker/building.ts` and on
//! the page `web/trace/reading_worker.ts`), started when State or Coverage is first shown. It
//! builds in turns and answers in between; `web/trace/machine.ts` asks for the selected step, and
//! again once that is indexed. `unspool state`, `history` and `coverage` use it natively. Coverage,
//! loops and walking need the executed addresses only (`Keeps::Executions`); with the first
//! question about accesses the trace is read again for those.
//!
//! **Block traces** have an index of their own (`runs.rs`): the runs of each block, from which
//! executions of any instruction are computed. The page reads the database by SQL in the same
//! worker (`web/features/steps/worker/run_steps.ts`).
//!
//! **Origins.** `origin.rs` follows a value one level at a time: from the last write of a cell to
//! what its instruction read, past those that only copy it. What an instruction reads is taken from
//! the disassembler (`reads`), because some tracers list all registers with each step; without one,
//! from the operands of the step. `web/features/steps/following.tsx` opens level by level;
//! `unspool origin` prints the tree.
//!
//! **Accesses as hits.** Fields have numbers, which say neither how long an operand is nor what
//! taint it has, so a pass passes operands on, too (`Visitor::operand`). The terms `mem:`, `reg:`
//! and `taint:` look at these, and `Wanted::Memory` collects what memory holds over time. The
//! language says what each alternative of an expression is about (`Bound::abouts`);
//! `web/trace/access_marks.ts` marks hits in the colour of that.
//!
//! **Coverage** is a list of executed addresses with counts, of all steps or of a range. `lists.rs`
//! joins it with another list, as sets of bytes: in the page that is always a drcov file, which
//! *Keep list* makes of an open trace, too.
//!
//! **Walking.** `web/features/events/walk.ts` finds the next step over, into or out of a call by
//! the calls of the timeline. Where a walk may stop otherwise (`stops.rs`: changes of thread, mode
//! and privilege, system calls, interrupts), and the next step of the same thread, is in the index.
//! The list of steps takes the depth of each row from the calls, too (`call_depths.ts`). A filter
//! of steps (`Filter` in `stops.rs`) is decided by the same runs of threads, modes and privileges:
//! `step_matches.ts` asks for the rows on the screen, `web/features/steps/worker/step_filters.ts`
//! passes over the others.
//!
//! **Loops.** `cycles.rs` finds runs of a repeated cycle in what each thread executed, segment by
//! segment (`loops.rs`), when loops are first folded. `web/features/events/folds.ts` computes the
//! rows of the list from them and from the folded calls: a fold is one row, and steps are found by
//! bisection. That needs a list whose rows are steps without gaps (`listing_folds.ts`).
//! `docs/walking.md` says what a loop is.

mod coverage;
mod cycles;
mod executed;
mod explorer;
mod findings;
mod index;
mod keys;
mod lists;
mod loops;
mod memory;
mod origin;
mod registers;
mod runs;
mod segments;
mod stops;

pub use coverage::{Block, InModule, blocks, drcov, in_modules};
pub use executed::Executed;
pub use explorer::{Detail, Explorer, State};
pub use findings::{FINDING_KINDS, RunFindings, StepFindings};
pub use index::{AccessIndex, Cell, Keeps, Module};
pub use lists::{List, NoList, With};
pub use loops::{Loop, LoopFinder, LoopsFound};
pub use memory::Byte;
pub use origin::{Cause, Code, Operand, Origin, Use, Uses};
pub use registers::Register;
pub use runs::{CodeBlock, RunIndex};
pub use segments::Segments;
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
