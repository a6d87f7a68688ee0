//! The decompressor of Brotli, for the other wasm modules.
//!
//! A wasm module of its own: most of it is Brotli's dictionary, and few traces are in Brotli, so the page loads it on
//! demand. `crate/browser/src/brotli.rs` calls it through JavaScript.

use unspool_formats::container::{self, Buffer, Unpack};
use wasm_bindgen::prelude::*;

/// Decompresses one file. The calls are those of [`Unpack`].
#[wasm_bindgen]
pub struct Brotli {
    unpacker: Box<dyn Unpack>,
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
        Self { unpacker: container::brotli(), out: Buffer::default(), problem: None }
    }

    /// Decompresses bytes from the front of `input` and returns the number of bytes taken.
    pub fn unpack(&mut self, input: &[u8]) -> u32 {
        match self.unpacker.unpack(input, &mut self.out) {
            Ok(taken) => taken as u32,
            Err(problem) => {
                self.problem = Some(problem.at);
                0
            }
        }
    }

    /// Marks the end of the file.
    pub fn finish(&mut self) {
        if let Err(problem) = self.unpacker.finish(&mut self.out) {
            self.problem = Some(problem.at);
        }
    }

    /// Takes the bytes decompressed by the last call.
    pub fn output(&mut self) -> Vec<u8> {
        let bytes = self.out.data().to_vec();
        self.out.consume(bytes.len());
        bytes
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
        let mut expected = Buffer::default();
        assert_eq!(container::brotli().unpack(&file, &mut expected), Ok(file.len()));

        let (mut brotli, mut found) = (Brotli::new(), Vec::new());
        for portion in file.chunks(100) {
            assert_eq!(brotli.unpack(portion) as usize, portion.len());
            found.extend(brotli.output());
        }
        brotli.finish();
        assert_eq!((found.as_slice(), brotli.problem()), (expected.data(), None));
    }

    #[test]
    fn fails_where_the_file_is_damaged_or_ends() {
        let mut brotli = Brotli::new();
        brotli.finish();
        assert_eq!(brotli.problem(), Some(0.0));
        assert_eq!(brotli.unpack(&[0x11, 0, 0, 0]), 0);
        assert!(brotli.problem().is_some());
    }
}
