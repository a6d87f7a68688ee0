//! A decompressor of Brotli that the program provides, because it was built without the feature `brotli`.

use alloc::boxed::Box;

use crate::problem::{MALFORMED, Problem};

use super::{Buffer, Unpack};

#[cfg(feature = "std")]
static BROTLI: std::sync::OnceLock<fn() -> Box<dyn Unpack>> = std::sync::OnceLock::new();

/// Provides the decompressor of Brotli, once for the whole program. With the feature `brotli` there is no need to, and it is
/// not used. [`crate::sniff::needs_brotli`] and [`crate::Records::needs_brotli`] return when it is needed.
#[cfg(feature = "std")]
pub fn provide_brotli(make: fn() -> Box<dyn Unpack>) {
    // A second one is as good as the first.
    let _ = BROTLI.set(make);
}

#[cfg(feature = "std")]
pub(super) fn brotli() -> Option<Box<dyn Unpack>> {
    BROTLI.get().map(|make| make())
}

#[cfg(not(feature = "std"))]
pub(super) fn brotli() -> Option<Box<dyn Unpack>> {
    None
}

/// Stands for a decompressor that was not provided.
pub(super) struct Missing;

impl Unpack for Missing {
    fn unpack(&mut self, _input: &[u8], _out: &mut Buffer) -> Result<usize, Problem> {
        Err(Problem { at: 0, kind: &MALFORMED, value: 0 })
    }

    fn finish(&mut self, _out: &mut Buffer) -> Result<(), Problem> {
        Err(Problem { at: 0, kind: &MALFORMED, value: 0 })
    }

    fn piece_at(&self) -> u64 {
        0
    }
}
