//! The sans-IO decoder: bytes in, event batches out. The caller owns the loop.
//!
//! `Decoder::push(bytes, batch)` decodes a portion and returns how many bytes it used. `end` marks
//! the end of the input. `want` returns where the next bytes come from; XRay requests buffers again
//! that were out of time order. A decoder restarts at primitives and keeps only a few bytes; XRay
//! leaves a buffer to the caller until it is clear whether it is a copy of an earlier one. The same
//! bytes give the same events in any portions. An `Error` ends the reading, a `Problem` does not;
//! both have an absolute offset. A kind of problem is one row of a table (`problem_kinds!`): id,
//! serious or a remark, sentence, summary. Each format, `code` and the store have a `problems.rs`
//! with their table; `problem.rs` has the kinds that they share.
//!
//! While it decodes, a decoder lists where reading can begin again. `index` returns that list with
//! the dictionaries of the file, as bytes (serde and postcard; both sides come from one build).
//!
//! A slice known as a whole is one event (`Whole`). An open slice is closed by its identity, its
//! name and locator (`EndOf`). `End` closes by name alone, for records that hold no more. A name
//! has a text, a kind (call, interrupt, signal …) and a key: the id or address that the file has in
//! place of the text.

use alloc::string::String;
use alloc::vec::Vec;

use crate::batch::EventBatch;
use crate::callees::Jumps;
use crate::error::Result;
use crate::info::Info;
use crate::naming::Naming;
use crate::part::Part;
use crate::problem::Problem;

/// Which bytes a decoder needs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Those after the last portion.
    Next,
    /// `len` bytes at offset `at` of the file.
    Seek {
        /// Absolute offset of the first byte.
        at: u64,
        /// Number of bytes.
        len: u64,
    },
    /// None: the file is decoded.
    Nothing,
}

/// What a decoder did with a portion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Number of bytes used. The caller passes the rest again, followed by more bytes. The rest is
    /// shorter than 64 KiB unless the batch is full.
    pub used: usize,
}

/// A range of bytes in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Absolute offset of the first byte.
    pub at: u64,
    /// Number of bytes. The file may end earlier.
    pub len: u64,
}

/// Decodes one trace.
///
/// The caller calls `push` until it uses no bytes and [`Decoder::want`] stays the same. Then the
/// decoder needs more bytes, or `end` if there are no more. This repeats until it wants
/// [`Want::Nothing`]. The same bytes give the same events in any portions. After an error, every
/// further call returns the same error.
pub trait Decoder {
    /// What is known about the trace. Complete after the first 4 KiB, or after `end`.
    fn info(&self) -> Info;

    /// Decodes a portion: the rest of the previous one, followed by more bytes. Returns early when
    /// the batch is full.
    ///
    /// # Errors
    ///
    /// Fails if decoding cannot continue. `out` has the events that came before.
    fn push(&mut self, input: &[u8], out: &mut EventBatch) -> Result<Progress>;

    /// Marks the end of the wanted bytes. `rest` is what the last `push` did not use.
    ///
    /// # Errors
    ///
    /// Fails if nothing could be decoded. A truncated record is a problem, not an error.
    fn end(&mut self, rest: &[u8], out: &mut EventBatch) -> Result<()>;

    /// Says, before the first `push`, which calls were left without a record, and what its
    /// functions can call. For formats that take programs as companions and record exits.
    fn rule_out(&mut self, _jumps: Jumps) {}

    /// Delivers events that were held back. The caller will push no more bytes, for whatever
    /// reason. Also called after [`Decoder::end`].
    fn finish(&mut self, _out: &mut EventBatch) {}

    /// Which bytes are needed next.
    fn want(&self) -> Want;

    /// Bytes of memory of what is kept for what differs in the file, such as names and threads.
    /// They count in the budget of the trace.
    fn kept_bytes(&self) -> u64;

    /// What a reader needs to read the records decoded so far: see [`crate::records`]. The same
    /// file gives the same index once it is decoded.
    fn index(&self) -> Vec<u8>;

    /// [`Decoder::index`] for readers that know what numbers mean: symbols may come without their
    /// names. A file can have names of hundreds of megabytes.
    fn index_of_numbers(&self) -> Vec<u8> {
        self.index()
    }
}

/// Prints a trace record by record, as the reference tools do. Driven like a [`Decoder`].
pub trait TextDump {
    /// Decodes a portion and appends text to `out`. Returns early after about 1 MiB of text.
    ///
    /// # Errors
    ///
    /// Fails if decoding cannot continue. `out` has the text that came before.
    fn push(&mut self, input: &[u8], out: &mut String) -> Result<Progress>;

    /// Marks the end of the wanted bytes. `rest` is what the last `push` did not use.
    ///
    /// # Errors
    ///
    /// Fails if nothing could be decoded.
    fn end(&mut self, rest: &[u8], out: &mut String) -> Result<()>;

    /// Which bytes are needed next.
    fn want(&self) -> Want;

    /// Returns the problems found since the last call.
    fn take_problems(&mut self) -> alloc::vec::Vec<Problem>;

    /// The part of the records that is printed: all unless the caller assigns another one before
    /// the first `push`.
    fn part(&mut self) -> &mut Part;

    /// Prints the texts of these names with the ids of records, the last first. Returns whether the
    /// records have ids.
    fn name_by(&mut self, _namings: Vec<Naming>) -> bool {
        false
    }
}
