//! Integration tests of the decoders and encoders, one program: each file of its own would be
//! linked by itself, which takes longer than the tests.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that panics has done its work"
)]

mod apitrace_traces;
mod common;
mod frames_common;
mod records_common;

mod apitrace;
mod apitrace_details;
mod apitrace_direct3d;
mod apitrace_fixtures;
mod cut;
mod frames;
mod frames_fixtures;
mod frames_memory;
mod frames_properties;
mod frames_signals;
mod frames_stacks;
mod left_out;
mod limits;
mod records_apitrace;
mod records_frames;
mod records_trace_db;
mod records_xray;
mod replay_fixtures;
mod trace_db;
mod trace_db_fixtures;
mod trace_db_sniff;
mod xray;
mod xray_fixtures;

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
