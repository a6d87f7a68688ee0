//! Shared by the tests: traces that are made of calls, the index of a trace in memory, and the
//! files of the corpus.

#![allow(dead_code, reason = "each test uses a part of this")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use std::collections::HashMap;
use std::path::Path;

use unspool_formats::apitrace;
use unspool_formats::apitrace::encode::{FunctionSig, Value as Arg, Writer, snappy};
use unspool_gl::functions;
use unspool_graphics::{Reader, Survey};
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

/// Writes calls by name; the parameters are those of gl.xml.
pub(crate) struct Calls {
    writer: Writer,
    ids: HashMap<String, u64>,
}

impl Calls {
    pub(crate) fn new() -> Self {
        Self { writer: Writer::new(&[]), ids: HashMap::new() }
    }

    pub(crate) fn call(&mut self, name: &str, numbers: &[u32]) -> &mut Self {
        self.with(name, numbers.iter().map(|number| Arg::Int((*number).into())).collect())
    }

    /// A call whose last argument is a blob.
    pub(crate) fn bytes(&mut self, name: &str, numbers: &[u32], bytes: &[u8]) -> &mut Self {
        self.with(name, numbers.iter().map(|number| Arg::Int((*number).into())).chain([Arg::Blob(bytes)]).collect())
    }

    /// A call of arguments of any kind. A mapping returns address 0x1000.
    pub(crate) fn with(&mut self, name: &str, arguments: Vec<Arg<'_>>) -> &mut Self {
        let result = name.contains("Map").then_some(Arg::Pointer(0x1000));
        self.returning(name, arguments, result)
    }

    pub(crate) fn returning(&mut self, name: &str, arguments: Vec<Arg<'_>>, result: Option<Arg<'_>>) -> &mut Self {
        let next = self.ids.len() as u64;
        let id = *self.ids.entry(name.into()).or_insert(next);
        let parameters: Vec<&str> = functions()
            .find(name)
            .map_or(vec!["dest", "src", "n", "d"], |it| it.parameters().map(|it| it.name).collect());
        self.writer.call(0, &FunctionSig { id, name, args: &parameters }, arguments, result);
        self
    }

    pub(crate) fn file(&self) -> Vec<u8> {
        snappy(self.writer.stream(), 1 << 20)
    }
}

/// The survey of a whole trace.
pub(crate) fn surveyed(index: &[u8], file: &[u8]) -> Survey<Vec<u8>> {
    let mut survey = Survey::open(index, file.to_vec()).unwrap();
    while !survey.step(1).unwrap() {}
    survey
}
