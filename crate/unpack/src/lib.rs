//! Containers around a trace: compressed streams ([`Stream`]) and archives ([`list`]).
//!
//! No I/O: a stream takes bytes and returns bytes, in any portions; an archive is read through [`Random`]. Whatever precedes
//! damage is returned, and a [`Fault`] says where the damage is. Containers inside a format are the format's own:
//! `crate/formats/src/container`.

#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod deflate;
mod entry;
mod fault;
mod gzip;
mod kind;
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
