//! Traces of apitrace: calls of OpenGL, EGL and Direct3D with their arguments, versions 0 to 6.
//!
//! One stream of events in one of four containers (`crate::container`). There is no time in it: calls are numbered in the
//! order in which they begin, over all threads, and that number is the x axis.
//!
//! [`Located`] says what a locator stands for.

mod call;
mod calls;
mod decode;
mod details;
pub mod encode;

mod events;
#[cfg(feature = "text")]
mod float;
mod functions;
mod pending;
mod places;
pub mod problems;
mod skim;
mod stream;
mod tables;
#[cfg(feature = "text")]
mod text;
pub mod wire;

use alloc::boxed::Box;
use alloc::format;

use crate::container::{Container, peek};
use crate::error::{Cause, Error, Result};
use crate::locator::Locator;
use crate::sniff::{Confidence, Format, Guess, OpenOptions, Opened, Probe};

use decode::{Broken, Enter, Sink, Walk};
use tables::Tables;

pub use functions::{Marker, NameFlags};

/// What a [`Locator`] of this format stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Located {
    /// A record at a position: the call whose ENTER event begins at this offset of the decompressed stream.
    Call(u64),
    /// The second kind: the frame with this number, from 0.
    Frame(u64),
}

impl From<Locator> for Located {
    fn from(locator: Locator) -> Self {
        if locator.is_other() { Self::Frame(locator.position()) } else { Self::Call(locator.position()) }
    }
}

impl From<Located> for Locator {
    fn from(located: Located) -> Self {
        match located {
            Located::Call(at) => Self::at(at),
            Located::Frame(number) => Self::other(number),
        }
    }
}

/// The line in [`crate::FORMATS`].
pub const FORMAT: Format = Format {
    id: "apitrace",
    name: "apitrace trace",
    opens: "traces of versions 0 to 6, in Snappy, gzip, zstd or Brotli",
    problems: problems::KINDS,
    sniff,
    open,
    #[cfg(feature = "text")]
    text: text::open,
};

/// How much of the stream is looked at to recognise it: a header with its properties, and the first calls.
const PEEK: usize = 64 * 1024;

fn open(head: &[u8], options: OpenOptions) -> Result<Opened> {
    let beginning = Beginning::of(head);
    beginning.check_version()?;
    Ok(Opened::Stream(Box::new(events::ApitraceDecoder::new(beginning, options))))
}

/// What the beginning of a file holds.
struct Beginning {
    container: Container,
    walk: Walk,
    tables: Tables,
    broken: Option<Broken>,
    /// Bytes of stream that could be had.
    len: usize,
}

/// Looks at nothing.
struct Blind;

impl Sink for Blind {
    fn enter(&mut self, _tables: &Tables, _enter: Enter) {}
    fn leave(&mut self, _tables: &Tables, _at: u64, _call: u64) {}
    fn event_end(&mut self, _tables: &Tables, _end: u64) {}
}

impl Beginning {
    fn of(head: &[u8]) -> Self {
        let container = Container::of(head);
        let stream = peek(container, head, PEEK);
        let (mut walk, mut tables) = (Walk::new(), Tables::default());
        let broken = walk.run(&stream, &mut tables, &mut Blind).err();
        Self { container, walk, tables, broken, len: stream.len() }
    }

    fn check_version(&self) -> Result<()> {
        if self.broken.is_some_and(|b| b.version) {
            return Err(unsupported(self.walk.header().version));
        }
        Ok(())
    }

    /// The names of the first functions, when all of them could be.
    fn first_function(&self) -> Option<&str> {
        let mut names = (0..).map_while(|i| self.tables.functions.get(i)).map(|f| f.name.as_str());
        let first = names.next()?;
        let plausible = |name: &str| {
            // Methods are `interface::method`; a template's name has more.
            !name.is_empty() && name.len() < 256 && name.bytes().all(|b| b.is_ascii_graphic() || b == b' ')
        };
        (plausible(first) && names.all(plausible)).then_some(first)
    }
}

fn unsupported(version: u32) -> Error {
    Error::new(0, Cause::UnsupportedVersion { format: "apitrace trace", version, supported: "0 to 6" })
}

fn sniff(probe: &Probe<'_>) -> Option<Guess> {
    let beginning = Beginning::of(probe.head);
    let version = beginning.walk.header().version;
    let snappy = beginning.container == Container::Snappy;
    let guess = |confidence, reason| Some(Guess { confidence, reason });
    if let Some(function) = beginning.first_function()
        && version <= wire::VERSION
    {
        let container = beginning.container.name();
        let reason = format!("{container} holds a trace of version {version} that begins with {function}");
        // Without a magic number the stream itself is the only witness.
        let certain = beginning.container != Container::Brotli;
        return guess(if certain { Confidence::Certain } else { Confidence::Likely }, reason);
    }
    if snappy && beginning.len == 0 && probe.size < 6 {
        return guess(Confidence::Likely, format!("the {} bytes that a tracer writes first", probe.size));
    }
    let unsupported = beginning.broken.is_some_and(|b| b.version) && version < 64;
    if snappy && beginning.len > 0 && (unsupported || beginning.broken.is_none()) {
        return guess(Confidence::Likely, format!("Snappy chunks with a trace of version {version}"));
    }
    // A trace without a single call has a header at the most.
    let empty = beginning.len > 0 && beginning.len < PEEK && beginning.broken.is_none() && beginning.walk.has_header();
    if empty && beginning.container != Container::Brotli && beginning.walk.calls() == 0 {
        return guess(
            Confidence::Possible,
            format!("{} holds the header of a trace of version {version}", beginning.container.name()),
        );
    }
    None
}

#[cfg(test)]
mod tests;
