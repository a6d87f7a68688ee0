//! Tests of the native command, one program: each file of its own would be linked by itself, which
//! takes longer than the tests.

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that panics has done its work"
)]

mod account;
mod binaries;
mod btree;
mod buffer;
mod compare;
mod compare_records;
mod console;
mod containers;
mod contract;
mod convert;
mod cut;
mod cut_open;
mod digests;
mod dump;
mod dump_part;
mod find;
mod findings;
mod generate;
mod guide;
mod help;
#[cfg(unix)]
mod interrupt;
mod jumps;
mod loops;
mod mcp;
mod memory;
mod names;
mod open;
mod outputs;
mod query;
mod rvn;
mod rvn_lists;
mod rvn_records;
mod sql;
#[path = "../src/sqlite.rs"]
#[allow(dead_code, reason = "the command uses more of it")]
mod sqlite;
mod stats;
mod steps;

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
