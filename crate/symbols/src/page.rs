//! Names of functions, from files that belong to a trace.
//!
//! A wasm module of its own, because few traces have such a file: the page loads it on demand. What it reads crosses to the
//! session's module as bytes ([`unspool_formats::Naming::to_bytes`]).

use unspool_formats::{Companion, NamesFile, Probe};
use wasm_bindgen::prelude::*;

/// The kind of companion that a file is, by its name, its size in bytes, its head and its tail: its id, and what it is in a
/// few words. `undefined` if it is none.
#[wasm_bindgen(js_name = companionOf)]
pub fn companion_of(name: &str, size: f64, head: &[u8], tail: &[u8]) -> Option<Vec<String>> {
    let kind = Companion::recognise(&Probe { head, tail, size: size as u64, name })?;
    Some(vec![kind.id().into(), kind.what().into()])
}

/// The names of one file.
#[wasm_bindgen]
pub struct Symbols {
    file: NamesFile,
}

#[wasm_bindgen]
impl Symbols {
    /// Reads a whole names file.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: &[u8]) -> Self {
        Self { file: NamesFile::read(bytes) }
    }

    /// For the session of the trace.
    pub fn naming(&self) -> Vec<u8> {
        self.file.naming.to_bytes()
    }

    /// How many names there are.
    pub fn count(&self) -> u32 {
        self.file.naming.len() as u32
    }

    /// How many lines were left out because they could not be read.
    pub fn skipped(&self) -> f64 {
        self.file.skipped as f64
    }

    /// Number of the first of these lines, counted from 1.
    #[wasm_bindgen(js_name = firstSkipped)]
    pub fn first_skipped(&self) -> f64 {
        self.file.first_skipped as f64
    }
}

#[cfg(test)]
mod tests {
    use unspool_formats::Naming;
    use unspool_formats::batch::Key;

    use super::*;

    #[test]
    fn names_cross_as_bytes() {
        let symbols = Symbols::new(b"1,main\nnonsense\n2,f\n");
        assert_eq!((symbols.count(), symbols.skipped(), symbols.first_skipped()), (2, 1.0, 2.0));
        let naming = Naming::from_bytes(&symbols.naming()).unwrap();
        assert_eq!(naming.of(Key::Id(2)).map(|it| it.place.text.as_str()), Some("f"));
    }
}
