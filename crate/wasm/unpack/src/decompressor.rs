//! The decompressors of an apitrace, for the other wasm modules.
//!
//! Most traces are in Snappy. The others' decompressors are large, that of Brotli for its
//! dictionary, so the page loads them on demand, with what else unpacks files.
//! `crate/wasm/decompressors` calls them through JavaScript.

use js_sys::Uint8Array;
use unspool_containers::{Buffer, Container, Unpack};
use wasm_bindgen::prelude::*;

/// Decompresses one file. The calls are those of [`Unpack`].
#[wasm_bindgen]
pub struct Decompressor {
    unpacker: Box<dyn Unpack>,
    /// Bytes that were passed in and not taken: they are copied only once, however often they are
    /// offered.
    input: Buffer,
    out: Buffer,
    /// Absolute offset in the file of the problem that the last call met, and its value.
    problem: Option<(u64, u64)>,
}

#[wasm_bindgen]
impl Decompressor {
    /// A decompressor for a file in the container of this [name](Container::name), from its first
    /// byte.
    #[wasm_bindgen(constructor)]
    pub fn new(container: &str) -> Self {
        let named = |known: &Container| known.name() == container;
        let container = [Container::Gzip, Container::Zstd].into_iter().find(named).unwrap_or(Container::Brotli);
        let unpacker = container.built_in();
        Self { unpacker, input: Buffer::default(), out: Buffer::default(), problem: None }
    }

    /// Appends `more` to the bytes that were not taken, and decompresses the first `len` of them.
    /// Returns the number of bytes taken.
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
                self.problem = Some((problem.at, problem.value));
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
            self.problem = Some((problem.at, problem.value));
        }
    }

    /// The bytes decompressed by the last call, as a view of this module's memory. The next call of
    /// any method ends its validity.
    #[allow(unsafe_code, reason = "a view instead of a copy")]
    pub fn output(&self) -> Uint8Array {
        // SAFETY: `crate/wasm/decompressors`, the only caller, copies the bytes at once. A copy
        // here would be one more of the whole stream.
        unsafe { Uint8Array::view(self.out.data()) }
    }

    /// Absolute offset in the file where the last call failed, if it did, and the value of the
    /// problem.
    pub fn problem(&mut self) -> Option<Box<[f64]>> {
        self.problem.take().map(|(at, value)| [at as f64, value as f64].into())
    }

    /// [`Unpack::piece_at`].
    #[wasm_bindgen(js_name = pieceAt)]
    pub fn piece_at(&self) -> f64 {
        self.unpacker.piece_at() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture(name: &str) -> Vec<u8> {
        std::fs::read(format!("{}/../../../tests/fixtures/apitrace/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    #[test]
    fn decompresses_as_the_linked_ones_do() {
        for (name, container) in [
            ("scene.brotli.trace", Container::Brotli),
            ("scene.gzip.trace", Container::Gzip),
            ("scene.zstd.trace", Container::Zstd),
        ] {
            let file = fixture(name);
            let (mut linked, mut expected) = (container.built_in(), Buffer::default());
            let (mut decompressor, mut found) = (Decompressor::new(container.name()), Vec::new());
            // They wait for no more than there is.
            linked.last();
            decompressor.last();
            let (mut at, mut passed) = (0, 0);
            while at < file.len() {
                // Passed once, and offered in two parts.
                let end = file.len().min(at + 100);
                let offered = (end - at).min(50);
                let taken = decompressor.unpack(&file[passed.min(end)..end], offered as u32) as usize;
                passed = passed.max(end);
                found.extend_from_slice(decompressor.out.data());
                assert!(decompressor.problem().is_none());
                assert_eq!(linked.unpack(&file[at..at + offered], &mut expected), Ok(taken), "{name}");
                assert_eq!(decompressor.piece_at(), linked.piece_at() as f64, "{name}");
                at += taken;
            }
            linked.finish(&mut expected).unwrap();
            decompressor.finish();
            found.extend_from_slice(decompressor.out.data());
            assert!(!found.is_empty() && found == expected.data(), "{name}");
            assert!(decompressor.problem().is_none(), "{name}");
        }
    }

    #[test]
    fn fails_where_the_file_is_damaged_or_ends() {
        let mut brotli = Decompressor::new("Brotli");
        brotli.finish();
        assert_eq!(brotli.problem().as_deref(), Some(&[0.0, 0.0][..]));
        brotli.last();
        assert_eq!(brotli.unpack(&[0x11, 0, 0, 0], 4), 0);
        assert!(brotli.problem().is_some());

        let mut zstd = Decompressor::new("zstd");
        // The head of a frame without its last byte.
        assert_eq!(zstd.unpack(&[0x28, 0xb5, 0x2f, 0xfd, 0], 5), 5);
        zstd.last();
        zstd.finish();
        assert_eq!(zstd.problem().as_deref(), Some(&[5.0, 1.0][..]));
    }
}
