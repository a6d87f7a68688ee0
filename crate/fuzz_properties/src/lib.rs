//! What must hold for any bytes.
//!
//! Each [`Property`] takes bytes and panics if something is wrong with what the program makes of
//! them: a panic or an overflow, a reader that makes no progress, results that depend on the
//! portions in which the bytes arrive, or two readers that disagree. Property tests
//! (`tests/any_bytes.rs`) pass damaged [`seeds`], the fuzz targets in `fuzz` whatever libFuzzer
//! comes up with.
//!
//! Portions and capacities are chosen by a hash of the bytes ([`Choices`]). A file that fails
//! always fails, and any trace is a seed as it is.

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a property that does not hold panics"
)]

mod align;
mod choices;
mod code;
mod containers;
mod cuts;
mod drive;
mod events;
mod export;
mod file;
mod graphics;
mod index;
mod language;
mod names;
mod replay;
mod rows;
mod schema;
mod seeds;
mod session;
mod stream;
mod symbols;
mod values;

pub use choices::Choices;
pub use seeds::seeds;
use stream::agrees;

/// Something that holds for any bytes.
#[derive(Clone, Copy, Debug)]
pub struct Property {
    /// Its name, and that of its fuzz target.
    pub name: &'static str,
    /// Panics if it does not hold for these bytes.
    pub check: fn(&[u8]),
}

/// All properties.
pub static PROPERTIES: &[Property] = &[
    Property { name: "xray", check: |file| agrees("xray", file) },
    Property { name: "apitrace", check: |file| agrees("apitrace", file) },
    Property { name: "apitrace_stream", check: stream::apitrace_stream },
    Property { name: "frames", check: |file| agrees("frames", file) },
    Property { name: "trace_db", check: |file| agrees("trace-db", file) },
    Property { name: "rvn_rows", check: rows::decoded },
    Property { name: "rvn_scan", check: rows::scanned },
    Property { name: "rvn_schema", check: schema::read },
    Property { name: "container", check: containers::in_a_trace },
    Property { name: "unpack", check: containers::around_a_trace },
    Property { name: "events", check: events::applied },
    Property { name: "session", check: session::opened },
    Property { name: "code", check: code::disassembled },
    Property { name: "names", check: names::read },
    Property { name: "symbols", check: symbols::read },
    Property { name: "language", check: language::understood },
    Property { name: "align", check: align::aligned },
    Property { name: "differ", check: align::told_apart },
    Property { name: "cut", check: cuts::stretched },
    Property { name: "export", check: export::written },
    Property { name: "survey", check: graphics::surveyed },
    Property { name: "gl_state", check: graphics::state },
    Property { name: "replay", check: replay::played },
    Property { name: "glsl", check: replay::translated },
    Property { name: "steps", check: index::stepped },
    Property { name: "runs", check: index::runs },
    Property { name: "coverage_lists", check: index::lists },
    Property { name: "query", check: values::asked },
    Property { name: "values", check: values::damaged },
];

/// The check of the property with this name.
///
/// # Panics
///
/// If there is none.
pub fn check(name: &str, bytes: &[u8]) {
    let property = PROPERTIES.iter().find(|property| property.name == name);
    (property.unwrap_or_else(|| panic!("no property {name}")).check)(bytes);
}
