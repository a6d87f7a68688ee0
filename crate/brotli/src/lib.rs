//! The decompressor of Brotli, for the other wasm modules.
//!
//! A wasm module of its own: most of it is Brotli's dictionary, and few traces are in Brotli, so the page loads it on
//! demand. `crate/browser/src/brotli.rs` calls it through JavaScript.

use js_sys::Uint8Array;
use unspool_formats::container::{self, Buffer, Unpack};
use wasm_bindgen::prelude::*;

/// Decompresses one file. The calls are those of [`Unpack`].
#[wasm_bindgen]
pub struct Brotli {
    unpacker: Box<dyn Unpack>,
    /// Bytes that were passed in and not taken: they are copied only once, however often they are offered.
    input: Buffer,
    out: Buffer,
    /// Absolute offset in the file of the problem that the last call met.
    problem: Option<u64>,
}

impl Default for Brotli {
    fn default() -> Self {
        Self::new()
    }
}

#[wasm_bindgen]
impl Brotli {
    /// A decompressor for a file, from its first byte.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self { unpacker: container::brotli(), input: Buffer::default(), out: Buffer::default(), problem: None }
    }

    /// Appends `more` to the bytes that were not taken, and decompresses the first `len` of them. Returns the number of bytes
    /// taken.
    pub fn unpack(&mut self, more: &[u8], len: u32) -> u32 {
        self.out.consume(self.out.data().len());
        self.input.append(more);
        let input = self.input.data();
        match self.unpacker.unpack(input.get(..len as usize).unwrap_or(input), &mut self.out) {
            Ok(taken) => {
                self.input.consume(taken);
                taken as u32
            }
            Err(problem) => {
                self.problem = Some(problem.at);
                0
            }
        }
    }

    /// Notes that what is passed in goes up to the end of the file from now on.
    pub fn last(&mut self) {
        self.unpacker.last();
    }

    /// Marks the end of the file.
    pub fn finish(&mut self) {
        self.out.consume(self.out.data().len());
        if let Err(problem) = self.unpacker.finish(&mut self.out) {
            self.problem = Some(problem.at);
        }
    }

    /// The bytes decompressed by the last call, as a view of this module's memory. The next call of any method ends its
    /// validity.
    pub fn output(&self) -> Uint8Array {
        // SAFETY: `crate/browser/src/brotli.rs`, the only caller, copies the bytes at once. A copy here would be one more of
        // the whole stream.
        unsafe { Uint8Array::view(self.out.data()) }
    }

    /// Absolute offset in the file where the last call failed, if it did.
    pub fn problem(&mut self) -> Option<f64> {
        self.problem.take().map(|at| at as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decompresses_as_the_linked_one_does() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/apitrace/scene.brotli.trace");
        let file = std::fs::read(path).unwrap();
        let (mut linked, mut expected) = (container::brotli(), Buffer::default());
        linked.last();
        assert_eq!(linked.unpack(&file, &mut expected), Ok(file.len()));

        let (mut brotli, mut found) = (Brotli::new(), Vec::new());
        // It waits for no more than there is.
        brotli.last();
        let mut rest = file.as_slice();
        for portion in file.chunks(100) {
            // Passed once, and offered in two parts.
            let mut taken = brotli.unpack(portion, 50) as usize;
            found.extend_from_slice(brotli.out.data());
            taken += brotli.unpack(&[], 50) as usize;
            found.extend_from_slice(brotli.out.data());
            assert_eq!(taken, portion.len());
            rest = &rest[taken..];
        }
        assert!(rest.is_empty());
        brotli.finish();
        assert_eq!((found.as_slice(), brotli.problem()), (expected.data(), None));
    }

    #[test]
    fn fails_where_the_file_is_damaged_or_ends() {
        let mut brotli = Brotli::new();
        brotli.finish();
        assert_eq!(brotli.problem(), Some(0.0));
        brotli.last();
        assert_eq!(brotli.unpack(&[0x11, 0, 0, 0], 4), 0);
        assert!(brotli.problem().is_some());
    }
}
