//! Limits on what a file may demand.

use crate::error::{Cause, Error, Result};

/// Number of depths of calls shown. Deeper calls are followed but not shown, because each depth costs the store a column.
pub(crate) const SHOWN: usize = 10_000;

/// Limits that hold for any file. Counts and lengths are checked against them before anything is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of tracks.
    pub tracks: u32,
    /// Maximum number of different names.
    pub names: u32,
    /// Maximum number of bytes of one payload that details show. The rest is counted but not kept.
    pub payload: usize,
    /// Maximum size in bytes of a container's chunk, both compressed and decompressed.
    pub chunk: u64,
    /// Maximum memory in bytes for a stream that is kept for details because its container has no random access.
    pub spool: usize,
}

impl Limits {
    /// The limits of the page and the native command.
    pub const DEFAULT: Self =
        Self { tracks: 1_000_000, names: 1 << 24, payload: 64 * 1024, chunk: 256 << 20, spool: 256_000_000 };

    /// Checks a number of tracks. `at` is the offset of the record that needs one more.
    ///
    /// # Errors
    ///
    /// Fails with [`Cause::Limit`] if `count` exceeds the limit.
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
