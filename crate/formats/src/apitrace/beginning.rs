//! The beginning of a file, decoded to recognise it.

use unspool_containers::{Container, peek};
use unspool_trace::batch::EventBatch;
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::limits::Limits;

use super::calls::Calls;
use super::decode::{Broken, Walk};
use super::tables::Tables;
use super::to_batch::{Current, ToBatch};

/// Bytes of the stream to decode: the header with its properties, and the first calls.
const PEEK: usize = 64 * 1024;

/// The beginning of a file, decoded.
pub(super) struct Beginning {
    pub(super) container: Container,
    pub(super) walk: Walk,
    pub(super) tables: Tables,
    pub(super) broken: Option<Broken>,
    /// Bytes of the stream that could be decompressed.
    pub(super) len: usize,
}

impl Beginning {
    /// Decodes `head`, the first bytes of the file.
    pub(super) fn of(head: &[u8]) -> Self {
        let container = Container::of(head);
        let stream = peek(container, head, PEEK);
        let (mut walk, mut tables) = (Walk::new(), Tables::default());
        // The events are dropped. A sink that ignores them would be a second copy of the walk in
        // the module.
        let (mut calls, mut current) = (Calls::new(Limits::LIFTED), Current::default());
        let mut out = EventBatch::default();
        let mut sink = ToBatch { calls: &mut calls, current: &mut current, out: &mut out, closing: true };
        let broken = walk.run(&stream, &mut tables, &mut sink).err();
        Self { container, walk, tables, broken, len: stream.len() }
    }

    /// # Errors
    ///
    /// The version is not supported.
    pub(super) fn check_version(&self) -> Result<()> {
        if self.broken.is_some_and(|b| b.version) {
            return Err(unsupported(self.walk.header().version));
        }
        Ok(())
    }

    /// The name of the first function, if the names of all functions so far are plausible, or if it
    /// is one that tracers know: what follows damage proves nothing.
    pub(super) fn first_function(&self) -> Option<&str> {
        let mut names = (0..).map_while(|i| self.tables.functions.get(i)).map(|f| f.name.as_str());
        let first = names.next()?;
        // Methods are `interface::method`; names of templates have other characters.
        let is_usual = |name: &str| name.len() < 256 && name.bytes().all(|b| b.is_ascii_graphic() || b == b' ');
        let is_text = |name: &str| !name.chars().any(char::is_control);
        // Brotli decompresses nearly anything to something, so there only the names are evidence.
        let is_brotli = self.container == Container::Brotli;
        let plausible = |name: &str| !name.is_empty() && (is_usual(name) || !is_brotli && is_text(name));
        let is_known = || KNOWN.iter().any(|prefix| first.starts_with(prefix)) && is_identifier(first);
        (plausible(first) && names.all(plausible) || is_known()).then_some(first)
    }
}

/// Beginnings of the names of functions that tracers wrap.
const KNOWN: [&str; 10] = ["gl", "egl", "wgl", "CGL", "IDirect", "IDXGI", "ID3D", "D3D", "Direct", "CreateDXGI"];

/// Whether a name is one of a function, or of a method with its interface.
fn is_identifier(name: &str) -> bool {
    name.len() < 256 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b':')
}

pub(super) fn unsupported(version: u32) -> Error {
    Error::new(0, Cause::UnsupportedVersion { format: "apitrace trace", version, supported: "0 to 6" })
}
