//! Limits on what a file may demand.
//!
//! `docs/limits.md` lists all of them. Where one ends the reading although the bytes are valid, it
//! is a problem whose kind `offers_to_go_on`, or an error of the kind `limit`. The page then opens
//! the file again with `Limits::LIFTED` (`Workbench.goOn`). The store bounds depths for every
//! format (`store/track.rs`).

use crate::error::{Cause, Error, Result};

/// Number of depths of calls shown. Deeper calls are followed but not shown, because each depth
/// costs the store a column.
pub const SHOWN: usize = 10_000;

/// Limits that hold for any file. Counts and lengths are checked against them before anything is
/// allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of threads with a track of their own. Further threads share one.
    pub tracks: u32,
    /// Maximum number of threads.
    pub threads: u32,
    /// Maximum number of different names.
    pub names: u32,
    /// Maximum number of bytes of one payload that details show. The rest is counted but not kept.
    pub payload: usize,
    /// Maximum size in bytes of a container's chunk, both compressed and decompressed.
    pub chunk: u64,
    /// Maximum memory in bytes for a stream that is kept for details because its container has no
    /// random access.
    pub spool: usize,
    /// How much a compressed file may unpack to.
    pub expansion: Expansion,
}

impl Limits {
    /// The limits of the page and the native command.
    pub const DEFAULT: Self = Self {
        tracks: 20_000,
        threads: 1_000_000,
        names: 1 << 24,
        payload: 64 * 1024,
        chunk: 256 << 20,
        spool: 256_000_000,
        expansion: Expansion::DEFAULT,
    };

    /// [`Limits::DEFAULT`] without those that end the reading of a trace although its bytes are
    /// valid: for a person who wants to go on.
    pub const LIFTED: Self =
        Self { threads: u32::MAX, names: u32::MAX, expansion: Expansion::UNLIMITED, ..Self::DEFAULT };

    /// Checks a number of threads. `at` is the offset of the record that needs one more.
    ///
    /// # Errors
    ///
    /// Fails with [`Cause::Limit`] if `count` exceeds the limit.
    pub fn check_threads(&self, count: usize, at: u64) -> Result<()> {
        if count > self.threads as usize {
            return Err(Error::new(at, Cause::Limit { what: "threads", limit: u64::from(self.threads) }));
        }
        Ok(())
    }
}

/// How much a compressed file may unpack to, against decompression bombs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// Bytes that any file may unpack to. Below this the ratio does not matter: a few small files
    /// have a high one.
    pub free: u64,
    /// Beyond [`Expansion::free`]: maximum number of unpacked bytes for each byte of the file.
    pub ratio: u64,
    /// Maximum number of unpacked bytes.
    pub total: u64,
}

impl Expansion {
    /// The limit of the page and the native command. Recorded traces shrink by a factor of 5
    /// to 100. Deflate cannot exceed 1032, and only files of equal bytes come near that.
    pub const DEFAULT: Self = Self { free: 64 << 20, ratio: 500, total: 64 << 30 };
    /// No limit.
    pub const UNLIMITED: Self = Self { free: u64::MAX, ratio: u64::MAX, total: u64::MAX };

    /// How many of `added` further bytes are within the limit, if `before` bytes were unpacked so
    /// far and all of it came from `packed` bytes of the file.
    ///
    /// The limit is checked at multiples of 16 MiB only. Decompressors run ahead of their output by
    /// a few bytes, more or less depending on the portions in which they get the file, and the
    /// result must not depend on that.
    pub fn admits(&self, packed: u64, before: u64, added: u64) -> u64 {
        const STRIDE: u64 = 16 << 20;
        let after = before.saturating_add(added);
        // The last multiple that bytes come after.
        let boundary = after.saturating_sub(1) / STRIDE * STRIDE;
        let exceeds = boundary >= self.total || boundary >= self.free && boundary / self.ratio > packed;
        if boundary >= before && exceeds { boundary - before } else { added }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn small_files_may_unpack_to_anything() {
        let limit = Expansion::DEFAULT;
        assert_eq!(limit.admits(10, 0, 16 * MIB), 16 * MIB);
        assert_eq!(limit.admits(10, 48 * MIB, 15 * MIB), 15 * MIB);
    }

    #[test]
    fn larger_ones_end_at_the_ratio_and_all_at_the_total() {
        let limit = Expansion::DEFAULT;
        assert_eq!(limit.admits(1000, 63 * MIB, 3 * MIB), MIB);
        assert_eq!((limit.admits(1000, 63 * MIB, MIB), limit.admits(1000, 64 * MIB, MIB)), (MIB, 0));
        assert_eq!(limit.admits(MIB, 63 * MIB, 3 * MIB), 3 * MIB);
        assert_eq!(limit.admits(u64::MAX, limit.total - 5, 10), 5);
        assert_eq!(Expansion::UNLIMITED.admits(1, limit.total - 5, 10), 10);
    }

    #[test]
    fn a_limit_of_threads_is_an_error() {
        assert!(Limits::DEFAULT.check_threads(1_000_000, 7).is_ok());
        let error = Limits::DEFAULT.check_threads(1_000_001, 7).err();
        assert_eq!(error.map(|e| e.at), Some(7));
    }
}
