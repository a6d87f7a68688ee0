//! The decompressors of `crate/formats`.

use alloc::boxed::Box;

use unspool_containers::{Buffer, Unpack};
use unspool_trace::problem::{Problem, TRUNCATED};

use crate::decode::Decode;
use crate::{Fault, Why};

/// One of them.
pub(crate) struct Wrapped(Box<dyn Unpack>);

impl Wrapped {
    pub(crate) fn new(unpacker: Box<dyn Unpack>) -> Self {
        Self(unpacker)
    }
}

impl Decode for Wrapped {
    fn run(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Fault> {
        self.0.unpack(input, out).map_err(fault)
    }

    fn last(&mut self) {
        self.0.last();
    }

    fn end(&mut self, out: &mut Buffer) -> Result<(), Fault> {
        self.0.finish(out).map_err(fault)
    }
}

/// What is wrong, as a fault.
pub(crate) fn fault(problem: Problem) -> Fault {
    let truncated = problem.kind.id() == TRUNCATED.id();
    Fault { at: problem.at, why: if truncated { Why::Truncated } else { Why::Malformed } }
}
