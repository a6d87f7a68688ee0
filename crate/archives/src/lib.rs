//! Containers around a trace: compressed streams ([`Stream`]) and archives ([`list`]).
//!
//! No I/O: a stream takes bytes and returns bytes, in any portions; an archive is read through
//! [`Random`]. Whatever precedes damage is returned, and a [`Fault`] says where the damage is.
//! Containers inside a format are the format's own: `crate/containers`.
//!
//! # Containers in the page
//!
//! Formats are asked first, because an apitrace has containers of its own. If none claims the file
//! and its head is that of gzip, zstd, xz, zip or tar (or its name ends in `.br`), `openPacked`
//! (`web/trace/worker/packed.ts`, itself loaded then) loads this module and takes off one layer
//! after the other. `Unpacked` (`unpacked.ts`) is the content of a compressed stream: it is
//! unpacked in the trace's worker as the session asks for bytes, so the first picture appears
//! meanwhile. A `Spool` (`spool.ts`) keeps it for buffers out of order and for records: in memory
//! up to 8 MiB, then in the origin's private file system, or up to 256 MB in memory where there is
//! none. Web locks mark its files as used, and `sweepSpools` deletes the others. The size is
//! unknown until the end (`Session::new` gets infinity), and progress counts compressed bytes.
//! Databases and tar archives are unpacked as a whole first. The page gets the content by
//! `unpacked`; record worker and SQL panel read that instead of the file. An archive with several
//! traces sends `archive`, and the page shows `Entries`. Damage ends a trace as `broken`, with the
//! offset in the container. The native command unpacks to temporary files.
//!
//! Damage never costs what was decoded before it: `Inflate`, `Brotli` and `Zstd` drain their
//! decompressors first. What is read of a damaged file, and where the damage is, does not depend on
//! portions. Decompressors of gzip, Brotli and xz therefore get the file in steps of 4 KiB, and
//! `last` says that no more will come.

#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod decode;
mod deflate;
mod entry;
mod fault;
mod gzip;
mod kind;
mod stored;
mod stream;
mod tar;
mod wrapped;
mod xz;
mod zip;

pub use entry::{Entry, Listing, MAX_ENTRIES, Method, Random, content, list};
pub use fault::{Fault, Why};
pub use kind::{HEAD, Kind, inner_name};
pub use stream::{Stream, peek};

#[cfg(test)]
mod tests;
