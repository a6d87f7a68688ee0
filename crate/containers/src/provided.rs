//! Decompressors that the program provides, because it was built without the feature
//! `decompressors`, or for wasm.

use alloc::boxed::Box;

use unspool_trace::problem::{MALFORMED, Problem};

use super::{Buffer, Container, Unpack};

/// Returns a decompressor for a file in a container.
#[cfg(feature = "std")]
type Make = fn(Container) -> Box<dyn Unpack>;

#[cfg(feature = "std")]
static MAKE: std::sync::OnceLock<Make> = std::sync::OnceLock::new();

/// Provides the decompressors of all containers but Snappy, once for the whole program. With the
/// feature `decompressors` there is no need to but in wasm, and they are not used.
/// `needs_decompressor` and [`unspool_trace::Records::needs_decompressor`] return when they are
/// needed.
#[cfg(feature = "std")]
pub fn provide(make: Make) {
    // Second ones are as good as the first.
    let _ = MAKE.set(make);
}

#[cfg(feature = "std")]
pub(super) fn provided(container: Container) -> Option<Box<dyn Unpack>> {
    MAKE.get().map(|make| make(container))
}

#[cfg(not(feature = "std"))]
pub(super) fn provided(_: Container) -> Option<Box<dyn Unpack>> {
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
