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
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{RngSeed, TestRunner};
use unspool_fuzz_properties::{PROPERTIES, Property, check, seeds};

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

/// Damaged files for each property.
const CASES: u32 = 270;

/// All properties, or the one that the variable `UNSPOOL_PROPERTY` names.
fn wanted() -> Vec<&'static Property> {
    let name = std::env::var("UNSPOOL_PROPERTY").ok();
    PROPERTIES.iter().filter(|property| name.as_ref().is_none_or(|name| name == property.name)).collect()
}

/// Checks a property of damaged seeds.
///
/// # Errors
///
/// Returns the damage for which it does not hold.
fn holds(property: &Property) -> Result<(), String> {
    let began = Instant::now();
    let files = seeds(property.name);
    let damage = (
        any::<Index>(),
        prop::collection::vec((any::<Index>(), any::<u8>()), 0..8),
        any::<(Index, Index)>(),
        any::<Option<bool>>(),
        any::<Index>(),
    );
    let config = ProptestConfig::with_cases(CASES);
    // The same files in each run. `PROPTEST_RNG_SEED=2` gives others.
    let rng_seed = match config.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1),
        given @ RngSeed::Fixed(_) => given,
    };
    let config = ProptestConfig { source_file: Some(file!()), rng_seed, ..config };
    let checked = TestRunner::new(config).run(&damage, |(seed, bytes, part, twice, end)| {
        let (_, file) = &files[seed.index(files.len())];
        check(property.name, &damaged(file.clone(), bytes, part, twice, end));
        Ok(())
    });
    println!("{} {:.1} s", property.name, began.elapsed().as_secs_f64());
    checked.map_err(|error| format!("{}: {error}", property.name))
}

#[test]
fn properties_hold_for_damaged_files() {
    let properties = wanted();
    let next = AtomicUsize::new(0);
    let work = || {
        let own = || properties.get(next.fetch_add(1, Ordering::Relaxed));
        std::iter::from_fn(own).filter_map(|property| holds(property).err()).collect::<Vec<String>>()
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let failed = std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        all.into_iter().flat_map(|one| one.join().unwrap()).collect::<Vec<String>>()
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn properties_hold_for_the_fixtures() {
    for property in wanted() {
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
