//! Files of the corpus: real traces in `../shared/corpus`, beside the repository. Only tests use
//! it.
//!
//! The corpus is not part of the repository, so a test that wants a file of it passes without. In
//! CI, what is beside the repository is complete: there a test fails if `../shared` exists and the
//! file does not.

#![allow(clippy::panic, reason = "only tests use it, which fail by that")]

use std::fs;
use std::path::{Path, PathBuf};

/// The folder beside the repository that has the corpus.
fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

/// The path of a file or a folder of the corpus. `None` if it is missing, after a line that says
/// so.
///
/// # Panics
///
/// In CI, if it is missing and `../shared` is not.
pub fn path(name: &str) -> Option<PathBuf> {
    let is_ci = std::env::var("CI").is_ok_and(|ci| !ci.is_empty() && ci != "false");
    found(&shared(), name, is_ci)
}

fn found(shared: &Path, name: &str, is_ci: bool) -> Option<PathBuf> {
    let path = shared.join("corpus").join(name);
    if path.exists() {
        return Some(path);
    }
    assert!(!is_ci || !shared.exists(), "{} is missing", path.display());
    println!("skipped: {} is missing", path.display());
    None
}

/// A file of the corpus, as [`path`].
///
/// # Panics
///
/// As [`path`], and if the file cannot be read.
pub fn read(name: &str) -> Option<Vec<u8>> {
    let path = path(name)?;
    Some(fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The files in a folder of the corpus and below it that have at most `most` bytes, in order. None
/// without the folder, after a line that says so.
///
/// # Panics
///
/// As [`path`], and if the folder cannot be listed.
pub fn files(folder: &str, most: u64) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = path(folder).into_iter().collect();
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.metadata().is_ok_and(|metadata| metadata.len() <= most) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_fails_only_where_it_should_be() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(found(&here.join("nowhere"), "x.trace", true), None);
        assert_eq!(found(here, "x.trace", false), None);
        assert!(std::panic::catch_unwind(|| found(here, "x.trace", true)).is_err());
    }

    #[test]
    fn a_file_that_is_there_is_found() {
        // This crate is a folder named `corpus`, too.
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert_eq!(found(&crates, "src/lib.rs", true), Some(crates.join("corpus/src/lib.rs")));
    }
}
