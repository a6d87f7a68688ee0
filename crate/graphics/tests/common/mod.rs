//! Shared by the tests: the index of a trace in memory, and the files of the corpus.

#![allow(dead_code, reason = "each test uses a part of this")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use std::path::Path;

use unspool_formats::apitrace;
use unspool_graphics::Reader;
use unspool_records::memory;

/// A reader of a file in memory.
pub(crate) fn reader(file: Vec<u8>) -> Reader<Vec<u8>> {
    let index = index_of(&file);
    Reader::open("apitrace", &index, file).unwrap()
}

/// The index of a file, and the file.
pub(crate) fn indexed(file: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    (index_of(&file), file)
}

/// The index that the decoder makes of a file.
pub(crate) fn index_of(file: &[u8]) -> Vec<u8> {
    memory::index_of(&apitrace::ROW.format, file).unwrap()
}

/// An apitrace of the corpus, or what is said of one there.
pub(crate) fn corpus(name: &str) -> Option<Vec<u8>> {
    unspool_corpus::read(&format!("apitrace/{name}"))
}

/// A fixture, with its folder.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)).unwrap()
}
