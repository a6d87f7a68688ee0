//! How much a file may ask for.

use crate::error::{Cause, Error, Result};

/// Bounds that hold whatever a file says; counts and lengths are checked against them before anything is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Threads, lanes and other tracks of one trace.
    pub tracks: u32,
    /// Different names of one trace.
    pub names: u32,
    /// Bytes of one event's payload that details show; more is counted but not kept.
    pub payload: usize,
    /// Bytes of one compressed chunk, and of what it holds, where a container has chunks.
    pub chunk: u64,
    /// Bytes of memory for a stream that is kept for details, because its container has no random access.
    pub spool: usize,
}

impl Limits {
    /// What the page and the native command use.
    pub const DEFAULT: Self =
        Self { tracks: 1_000_000, names: 1 << 24, payload: 64 * 1024, chunk: 256 << 20, spool: 256_000_000 };

    /// Fails when `count` tracks are more than allowed; `at` is where the file asks for one more.
    pub fn check_tracks(&self, count: usize, at: u64) -> Result<()> {
        if count > self.tracks as usize {
            return Err(Error::new(at, Cause::Limit { what: "threads", limit: u64::from(self.tracks) }));
        }
        Ok(())
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
