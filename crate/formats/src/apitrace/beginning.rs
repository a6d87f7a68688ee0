//! The beginning of a file: enough of the stream to recognise it.

use crate::container::{Container, peek};
use crate::error::{Cause, Error, Result};

use super::decode::{Broken, Sink, Walk};
use super::records::Enter;
use super::tables::Tables;

/// How much of the stream is looked at to recognise it: a header with its properties, and the first calls.
pub(super) const PEEK: usize = 64 * 1024;

/// What the beginning of a file holds.
pub(super) struct Beginning {
    pub(super) container: Container,
    pub(super) walk: Walk,
    pub(super) tables: Tables,
    pub(super) broken: Option<Broken>,
    /// Bytes of stream that could be had.
    pub(super) len: usize,
}

/// Looks at nothing.
struct Blind;

impl Sink for Blind {
    fn enter(&mut self, _tables: &Tables, _enter: Enter) {}
    fn leave(&mut self, _tables: &Tables, _at: u64, _call: u64) {}
    fn event_end(&mut self, _tables: &Tables, _end: u64) {}
}

impl Beginning {
    pub(super) fn of(head: &[u8]) -> Self {
        let container = Container::of(head);
        let stream = peek(container, head, PEEK);
        let (mut walk, mut tables) = (Walk::new(), Tables::default());
        let broken = walk.run(&stream, &mut tables, &mut Blind).err();
        Self { container, walk, tables, broken, len: stream.len() }
    }

    pub(super) fn check_version(&self) -> Result<()> {
        if self.broken.is_some_and(|b| b.version) {
            return Err(unsupported(self.walk.header().version));
        }
        Ok(())
    }

    /// The names of the first functions, when all of them could be.
    pub(super) fn first_function(&self) -> Option<&str> {
        let mut names = (0..).map_while(|i| self.tables.functions.get(i)).map(|f| f.name.as_str());
        let first = names.next()?;
        let plausible = |name: &str| {
            // Methods are `interface::method`; a template's name has more.
            !name.is_empty() && name.len() < 256 && name.bytes().all(|b| b.is_ascii_graphic() || b == b' ')
        };
        (plausible(first) && names.all(plausible)).then_some(first)
    }
}

pub(super) fn unsupported(version: u32) -> Error {
    Error::new(0, Cause::UnsupportedVersion { format: "apitrace trace", version, supported: "0 to 6" })
}
