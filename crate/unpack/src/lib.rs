//! Containers around a trace: compressed streams ([`Stream`]) and archives ([`list`]).
//!
//! No I/O: a stream takes bytes and returns bytes, in any portions; an archive is read through [`Random`]. Whatever precedes
//! damage is returned, and a [`Fault`] says where the damage is. Containers inside a format are the format's own:
//! `crate/formats/src/container`.

#![cfg_attr(not(any(feature = "page", test)), no_std)]

extern crate alloc;

#[cfg(any(feature = "page", test))]
mod decompressor;
mod deflate;
mod entry;
mod fault;
mod gzip;
mod kind;
#[cfg(feature = "page")]
mod page;
mod stream;
mod tar;
mod wrapped;
mod xz;
mod zip;

#[cfg(feature = "page")]
pub use decompressor::Decompressor;
pub use entry::{Entry, Listing, MAX_ENTRIES, Method, Random, content, list};
pub use fault::{Fault, Why};
pub use kind::{HEAD, Kind, inner_name};
#[cfg(feature = "page")]
pub use page::{Archive, Container, RandomFile, Unpacker, name_of_content};
pub use stream::{Stream, peek};

#[cfg(test)]
mod tests;
