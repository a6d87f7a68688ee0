//! Checkpoints: records of an FDR buffer at which decoding can resume.
//!
//! Each buffer has one at the first record after its preamble, and another every
//! [`CHECKPOINT_EVERY`] bytes.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use unspool_trace::{kept, sort};

/// Distance between the checkpoints of a large buffer, in bytes. It limits what one click decodes,
/// and what is merged for one screen of a list.
pub(crate) const CHECKPOINT_EVERY: u64 = 32 * 1024;

/// A record at which decoding can resume, with the state of the walk before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    /// Absolute offset of the record.
    pub(crate) at: u64,
    /// Absolute offset of the end of its buffer.
    pub(crate) end: u64,
    /// Clock before the record, in ticks.
    pub(crate) clock: u64,
    /// Process id; 0 if the version does not record it.
    pub(crate) pid: i32,
    /// Thread id.
    pub(crate) tid: i32,
    /// CPU at the record.
    pub(crate) cpu: u16,
    /// No function record of the buffer comes before it.
    pub(crate) first: bool,
}

/// A checkpoint in the list, and what became of its buffer.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) checkpoint: Checkpoint,
    /// The checkpoint is the first of its buffer.
    pub(super) begins: bool,
    /// The buffer has been delivered once: its records and problems have been counted.
    pub(super) delivered: bool,
    /// Index of the thread, in the order of first records.
    pub(super) thread: u32,
    /// Number of records from here to the next checkpoint of the buffer or to its end.
    pub(super) records: u32,
    /// The clock of the first of these records, in ticks. It may be before that of the checkpoint:
    /// an event or another CPU brings its own.
    pub(super) from: u64,
    /// The greatest clock of these records, in ticks.
    pub(super) until: u64,
}

/// All checkpoints of a log. While buffers are delivered in order of time, those within them are
/// appended as they come; [`Checkpoints::sorted`] has all in file order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Checkpoints {
    entries: Vec<Entry>,
}

impl Checkpoints {
    /// Bytes of memory.
    pub(super) fn bytes(&self) -> u64 {
        kept::list(&self.entries)
    }

    /// Appends a checkpoint. Returns its number.
    pub(super) fn push(&mut self, entry: Entry) -> u32 {
        self.entries.push(entry);
        self.entries.len() as u32 - 1
    }

    /// These checkpoints in file order.
    pub(super) fn sorted(&self) -> Self {
        let mut order: Vec<(u64, u32)> = self.entries.iter().map(|entry| entry.checkpoint.at).zip(0..).collect();
        sort::pairs(&mut order);
        Self { entries: order.iter().filter_map(|(_, i)| self.entries.get(*i as usize).copied()).collect() }
    }

    /// All checkpoints.
    pub(super) fn all(&self) -> &[Entry] {
        &self.entries
    }

    /// The last checkpoint at or before the record at absolute offset `at`, in that record's own
    /// buffer.
    pub(super) fn before(&self, at: u64) -> Option<Checkpoint> {
        let i = self.entries.partition_point(|e| e.checkpoint.at <= at).checked_sub(1)?;
        self.entries.get(i).map(|e| e.checkpoint).filter(|c| at < c.end)
    }

    /// The checkpoints that begin a buffer, with their numbers.
    pub(super) fn buffers(&self) -> impl Iterator<Item = (u32, &Entry)> {
        (0..).zip(&self.entries).filter(|(_, entry)| entry.begins)
    }

    /// The checkpoint with this number.
    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut Entry> {
        self.entries.get_mut(number as usize)
    }
}
