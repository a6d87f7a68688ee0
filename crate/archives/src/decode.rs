//! What decompressors have in common.

use unspool_containers::Buffer;

use crate::Fault;

/// A decompressor.
pub(crate) trait Decode {
    /// Decompresses bytes from the front of `input`, appends the result to `out`, and returns the
    /// number of bytes taken. If it takes and adds nothing, it needs more input. After an error
    /// nothing more will come.
    fn run(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Fault>;

    /// Marks the end of the input. Appends what can be salvaged of an incomplete part.
    fn end(&mut self, out: &mut Buffer) -> Result<(), Fault>;

    /// Notes that the input of [`Decode::run`] goes up to the end of the container from now on.
    fn last(&mut self) {}

    /// Whether the stream has ended, whatever follows it.
    fn is_over(&self) -> bool {
        false
    }
}
