//! The walk over a log of any form.

use super::basic::BasicWalk;
use super::decode::{FdrWalk, Sink};
use super::wire::{HEADER_LEN, Header, Mode};
use super::yaml::YamlWalk;

/// A walk over the records of a log.
pub(super) enum Walk {
    Fdr(FdrWalk),
    Basic(BasicWalk),
    Yaml(YamlWalk),
}

impl Walk {
    /// A walk over a binary log that begins after its header. `size` is that of the file, if known.
    pub(super) fn new(header: &Header, size: Option<u64>) -> Self {
        match header.mode {
            Mode::Fdr => Self::Fdr(FdrWalk::new(header, size)),
            Mode::Basic => Self::Basic(BasicWalk::new(header, HEADER_LEN)),
        }
    }

    /// Walks over `input`. Returns the number of bytes used.
    pub(super) fn run(&mut self, input: &[u8], sink: &mut impl Sink) -> usize {
        match self {
            Self::Fdr(walk) => walk.run(input, sink),
            Self::Basic(walk) => walk.run(input, sink),
            Self::Yaml(walk) => walk.run(input, sink),
        }
    }

    /// The file ends after `rest`, which the last [`Walk::run`] did not use.
    pub(super) fn end(&mut self, rest: &[u8], sink: &mut impl Sink) {
        match self {
            Self::Fdr(walk) => walk.end(rest, sink),
            Self::Basic(walk) => walk.end(rest, sink),
            Self::Yaml(walk) => walk.end(sink),
        }
    }
}
