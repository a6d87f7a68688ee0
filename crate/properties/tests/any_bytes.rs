//! Every property holds for the fixtures, and for what is left of them after any damage.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that panics has done its work"
)]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;
use unspool_properties::{PROPERTIES, Property, check, seeds};

/// Changes a few bytes, cuts out a part or repeats it, and truncates what is left.
fn damaged(
    mut file: Vec<u8>,
    bytes: Vec<(Index, u8)>,
    part: (Index, Index),
    twice: Option<bool>,
    end: Index,
) -> Vec<u8> {
    if file.is_empty() {
        return file;
    }
    for (at, byte) in bytes {
        let at = at.index(file.len());
        file[at] = byte;
    }
    let (a, b) = (part.0.index(file.len()), part.1.index(file.len()));
    let part = a.min(b)..a.max(b).min(a.min(b) + 64);
    match twice {
        Some(true) => drop(file.splice(part.start..part.start, file[part].to_vec())),
        Some(false) => drop(file.drain(part)),
        None => {}
    }
    file.truncate(1 + end.index(2 * file.len()));
    file
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn properties_hold_for_damaged_files(
        property in 0..PROPERTIES.len(),
        seed: Index,
        bytes in prop::collection::vec((any::<Index>(), any::<u8>()), 0..8),
        part: (Index, Index),
        twice: Option<bool>,
        end: Index,
    ) {
        let name = PROPERTIES[property].name;
        let files = seeds(name);
        let (_, file) = &files[seed.index(files.len())];
        check(name, &damaged(file.clone(), bytes, part, twice, end));
    }
}

#[test]
fn properties_hold_for_the_fixtures() {
    for property in PROPERTIES {
        let files = seeds(property.name);
        assert!(!files.is_empty(), "{} has seeds", property.name);
        for (name, file) in files {
            println!("{} {name}", property.name);
            check(property.name, &file);
        }
    }
}

#[test]
fn every_property_is_a_fuzz_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for Property { name, .. } in PROPERTIES {
        let target = fs::read_to_string(folder.join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(target.contains(&format!("check(\"{name}\", bytes)")), "{name}");
        assert!(manifest.contains(&format!("[[bin]]\nname = \"{name}\"\n")), "{name}");
    }
    assert_eq!(fs::read_dir(folder.join("fuzz_targets")).unwrap().count(), PROPERTIES.len());
}
