//! Tests of what is known of graphics calls, one program: each file of its own would be linked by
//! itself, which takes longer than the tests.

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that panics has done its work"
)]

mod common;

mod alone;
mod compressed;
mod contexts;
mod direct3d;
mod findings;
mod frames;
mod readback;
mod reader;
mod resources;
mod state;
mod uploads;

/// A file that is not listed above would not be tested.
#[test]
fn every_file_is_a_module() {
    let listed = include_str!("all.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(module) = name.strip_suffix(".rs").filter(|name| !["all"].contains(name)) {
            assert!(listed.contains(&format!("mod {module};\n")), "tests/{name} is in no module");
        }
    }
}
