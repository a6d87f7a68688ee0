//! Traces in containers: what is read of them is the same as of the bare file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use unspool_archives::{Kind, Stream, peek};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

fn unspool(arguments: &[&str], file: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unspool")).args(arguments).arg(file).output().unwrap()
}

fn info(file: &Path) -> Value {
    let output = unspool(&["info", "--json"], file);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    packed.extend(miniz_oxide::deflate::compress_to_vec(bytes, 6));
    packed.extend(crc32fast::hash(bytes).to_le_bytes());
    packed.extend((bytes.len() as u32).to_le_bytes());
    packed
}

fn written(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// Checks that a packed file gives the digest and the dump of the bare one.
fn check(packed: &Path, bare: &Path, container: &str) {
    let (found, expected) = (info(packed), info(bare));
    assert_eq!(found["digest"], expected["digest"], "{}", packed.display());
    assert_eq!(found["container"], container, "{}", packed.display());
    for command in ["dump", "stats", "slices"] {
        let (found, expected) = (unspool(&[command], packed), unspool(&[command], bare));
        assert!(found.stdout == expected.stdout, "{command} {}", packed.display());
        assert!(found.status.success());
    }
}

#[test]
fn reads_every_format_in_gzip() {
    let folder = tempfile::tempdir().unwrap();
    for (name, container) in [
        ("xray/threads.xray", "gzip"),
        ("frames/calls.frames", "gzip"),
        ("trace_db/variables.trace", "gzip"),
        ("rvn/blocks.sqlite", "SQLite in gzip"),
        ("apitrace/scene.trace", "Snappy in gzip"),
        ("apitrace/scene.gzip.trace", "gzip in gzip"),
    ] {
        let bare = fixture(name);
        if !bare.exists() {
            panic!("{name} is not here");
        }
        let own = info(&bare)["container"].as_str().map(String::from);
        let expected = own.map_or("gzip".to_string(), |own| format!("{own} in gzip"));
        assert_eq!(expected, container, "{name}");
        let packed = written(folder.path(), "packed.gz", &gzip(&fs::read(&bare).unwrap()));
        check(&packed, &bare, container);
    }
}

#[test]
fn reads_every_container() {
    let folder = tempfile::tempdir().unwrap();
    let bare = fixture("xray/threads.xray");
    for (extension, name) in [("gz", "gzip"), ("zst", "zstd"), ("xz", "xz"), ("br", "Brotli")] {
        check(&fixture(&format!("containers/threads.xray.{extension}")), &bare, name);
    }
    let zip = fixture("containers/traces.zip");
    check(&zip.join("traces/threads.xray"), &bare, "zip: traces/threads.xray");
    let tar = fs::read(fixture("containers/traces.tar.xz")).unwrap();
    let tar = peek(&mut Stream::new(Kind::Xz).unwrap(), &tar, usize::MAX);
    let tgz = written(folder.path(), "traces.tgz", &gzip(&tar));
    let tar = written(folder.path(), "traces.tar", &tar);
    check(&tar.join("traces/threads.xray"), &bare, "tar: traces/threads.xray");
    check(&tgz.join("traces/threads.xray"), &bare, "tar: traces/threads.xray in gzip");
    // A container in an archive in a container.
    let twice = written(folder.path(), "twice.gz", &gzip(&fs::read(&tgz).unwrap()));
    check(&twice.join("traces/threads.xray"), &bare, "tar: traces/threads.xray in gzip in gzip");
}

#[test]
fn lists_the_traces_of_an_archive() {
    let zip = fixture("containers/traces.zip");
    let listed = unspool(&["info"], &zip);
    assert!(listed.status.success());
    let text = String::from_utf8(listed.stdout).unwrap();
    assert!(text.contains("holds 2 traces and 1 other file."), "{text}");
    assert!(text.contains("traces.zip/traces/events.xray  (LLVM XRay log, 5424 bytes)"), "{text}");
    let json = info(&zip);
    assert_eq!(json["traces"][1]["name"], "traces/threads.xray");
    let refused = unspool(&["dump"], &zip);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("traces.zip/traces/threads.xray"));
    let missing = unspool(&["dump"], &zip.join("traces/none.xray"));
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8(missing.stderr).unwrap().contains("there is no traces/none.xray"));
}

#[test]
fn keeps_what_precedes_damage() {
    let folder = tempfile::tempdir().unwrap();
    let packed = fs::read(fixture("containers/threads.xray.gz")).unwrap();
    let cut = written(folder.path(), "cut.xray.gz", &packed[..2000]);
    let output = unspool(&["info", "--json"], &cut);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["slices"].as_f64() > Some(100.0), "{report}");
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.contains("\"at\":2000") && complaint.contains("The gzip stream ends too early."), "{complaint}");
}

/// What is in the log is not in the database itself.
#[test]
fn takes_the_log_beside_a_database_from_the_archive() {
    let folder = tempfile::tempdir().unwrap();
    let (database, log) = (folder.path().join("logged.sqlite"), folder.path().join("logged.sqlite-wal"));
    fs::copy(fixture("rvn/logged.sqlite"), &database).unwrap();
    let without = info(&database)["digest"].clone();
    fs::copy(fixture("rvn/logged.sqlite-wal"), &log).unwrap();
    let expected = info(&database)["digest"].clone();
    assert_ne!(without, expected);
    let archive: Vec<u8> = [("x/logged.sqlite", &database), ("x/logged.sqlite-wal", &log)]
        .into_iter()
        .flat_map(|(name, path)| tar_entry(name, &fs::read(path).unwrap()))
        .collect();
    let packed = written(folder.path(), "logged.tar", &archive);
    assert_eq!(info(&packed)["digest"], expected);
}

fn tar_entry(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut header = [0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[124..136].copy_from_slice(format!("{:011o}\0", bytes.len()).as_bytes());
    header[148..157].copy_from_slice(b"        0");
    let sum: u32 = header.iter().map(|b| u32::from(*b)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let padding = vec![0; (512 - bytes.len() % 512) % 512];
    [&header, bytes, &padding].concat()
}
