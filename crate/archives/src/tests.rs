//! Every container in any portions, cut anywhere, and damaged.

use std::fs;
use std::vec::Vec;

use crate::*;

fn fixture(name: &str) -> Vec<u8> {
    fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/containers/").to_string() + name).unwrap()
}

const KINDS: [(Kind, &str); 4] = [(Kind::Gzip, "gz"), (Kind::Zstd, "zst"), (Kind::Xz, "xz"), (Kind::Brotli, "br")];

/// What the fixtures hold.
fn content_of_fixtures() -> Vec<u8> {
    fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/xray/threads.xray")).unwrap()
}

fn unpacked(mut stream: Stream, portions: impl Iterator<Item = Vec<u8>>) -> (Vec<u8>, Option<Fault>) {
    let mut found = Vec::new();
    for portion in portions {
        stream.push(&portion);
        loop {
            match stream.unpack() {
                [] => break,
                bytes => found.extend_from_slice(bytes),
            }
        }
    }
    stream.end();
    loop {
        let bytes = stream.unpack();
        if bytes.is_empty() {
            break;
        }
        found.extend_from_slice(bytes);
    }
    assert!(stream.is_over());
    (found, stream.fault())
}

fn whole(kind: Kind, packed: &[u8]) -> (Vec<u8>, Option<Fault>) {
    unpacked(Stream::new(kind).unwrap(), [packed.to_vec()].into_iter())
}

fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

struct File(Vec<u8>);

impl Random for File {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&mut self, at: u64, len: usize) -> Option<Vec<u8>> {
        let rest = self.0.get(at as usize..).unwrap_or_default();
        Some(rest.get(..len).unwrap_or(rest).to_vec())
    }
}

/// The content of an entry.
fn extracted(kind: Kind, file: &mut File, entry: &Entry) -> (Vec<u8>, Option<Fault>) {
    let (at, len) = match content(kind, file, entry) {
        Ok(content) => content,
        Err(fault) => return (Vec::new(), Some(fault)),
    };
    let packed = file.read(at, len as usize).unwrap();
    match Stream::of_entry(entry) {
        Some(stream) => unpacked(stream, [packed].into_iter()),
        None => (packed, None),
    }
}

#[test]
fn checks_what_is_stored_as_it_is() {
    let content = content_of_fixtures();
    let (crc, size) = (crc32fast::hash(&content), content.len() as u64);
    let found = |crc, size| {
        let entry = Entry { name: "a.xray".into(), size, at: 0, packed: 0, method: Method::Stored, crc };
        let stream = Stream::of_entry(&entry)?;
        let (found, fault) = unpacked(stream, content.chunks(1000).map(<[u8]>::to_vec));
        assert!(found == content);
        Some(fault.map(|fault| (fault.at, fault.why)))
    };
    assert_eq!(found(Some(crc), Some(size)), Some(None));
    assert_eq!(found(Some(crc ^ 1), Some(size)), Some(Some((size, Why::Checksum))));
    assert_eq!(found(Some(crc), Some(size - 1)), Some(Some((size, Why::Checksum))));
    assert_eq!(found(Some(crc), Some(size + 1)), Some(Some((size, Why::Truncated))));
    assert_eq!(found(None, Some(size)), None, "there is nothing to compare with");
}

#[test]
fn unpacks_in_any_portions() {
    let expected = content_of_fixtures();
    for (kind, extension) in KINDS {
        let packed = fixture(&format!("threads.xray.{extension}"));
        assert_eq!(Kind::of(&packed, "threads.xray.br"), Some(kind));
        for size in [1, 7, 100, packed.len()] {
            let (found, fault) = unpacked(Stream::new(kind).unwrap(), packed.chunks(size).map(<[u8]>::to_vec));
            assert!(found == expected, "{kind:?} in portions of {size}");
            assert_eq!(fault, None, "{kind:?} in portions of {size}");
        }
    }
}

#[test]
fn unpacks_streams_back_to_back() {
    let expected = [content_of_fixtures(), content_of_fixtures()].concat();
    for (kind, extension) in KINDS {
        let packed = fixture(&format!("threads.xray.{extension}"));
        // Brotli has no magic number, so nothing can follow it.
        if kind == Kind::Brotli {
            continue;
        }
        let padding: &[u8] = if kind == Kind::Xz { &[0; 8] } else { &[] };
        let (found, fault) = whole(kind, &[&packed, padding, &packed].concat());
        assert!(found == expected, "{kind:?}");
        assert_eq!(fault, None, "{kind:?}");
    }
}

#[test]
fn keeps_what_precedes_the_end_of_a_truncated_stream() {
    let expected = content_of_fixtures();
    for (kind, extension) in KINDS {
        let packed = fixture(&format!("threads.xray.{extension}"));
        let mut longest = 0;
        for len in 1..packed.len() {
            let (found, fault) = whole(kind, &packed[..len]);
            assert!(expected.starts_with(&found), "{kind:?} cut at {len}");
            let at = fault.unwrap_or_else(|| panic!("{kind:?} cut at {len}")).at;
            assert!(at <= len as u64, "{kind:?} cut at {len}: fault at {at}");
            longest = longest.max(found.len());
        }
        // The whole fixture is one block of zstd, which is unpacked as a whole.
        assert!(kind == Kind::Zstd || longest * 10 > expected.len() * 9, "{kind:?} gives at most {longest} bytes");
    }
}

#[test]
fn survives_damage() {
    let expected = content_of_fixtures();
    let mut seed = 1;
    for (kind, extension) in KINDS {
        let packed = fixture(&format!("threads.xray.{extension}"));
        let mut kept = 0;
        for _ in 0..600 {
            let mut damaged = packed.clone();
            let at = random(&mut seed) as usize % damaged.len();
            damaged[at] ^= 1 << (random(&mut seed) % 8);
            let (found, fault) = whole(kind, &damaged);
            kept += usize::from(!found.is_empty());
            // zstd and Brotli have no checksum here, and some bits mean nothing.
            if matches!(kind, Kind::Gzip | Kind::Xz) && found != expected {
                assert!(fault.is_some(), "{kind:?} damaged at {at}");
            }
        }
        assert!(kept > if kind == Kind::Zstd { 0 } else { 250 }, "{kind:?} keeps something of {kept}");
        for _ in 0..200 {
            let junk: Vec<u8> = (0..400).map(|_| random(&mut seed) as u8).collect();
            whole(kind, &[&packed[..packed.len().min(12)], &junk].concat());
            whole(kind, &junk);
        }
    }
}

#[test]
fn finds_damage_at_the_same_place_in_any_portions() {
    for (kind, ending) in KINDS {
        let packed = fixture(&format!("threads.xray.{ending}"));
        for at in (10..packed.len()).step_by(packed.len() / 60) {
            let mut bad = packed.clone();
            bad[at] ^= 0x55;
            let expected = whole(kind, &bad);
            for portion in [700, 33] {
                let portions = bad.chunks(portion).map(<[u8]>::to_vec);
                let found = unpacked(Stream::new(kind).unwrap(), portions);
                assert_eq!(expected.1, found.1, "{kind:?} damaged at {at}, in portions of {portion}");
                assert!(expected.0 == found.0, "{kind:?} damaged at {at}, in portions of {portion}");
            }
        }
    }
}

#[test]
fn checks_the_checksum_of_each_gzip_member() {
    let packed = fixture("threads.xray.gz");
    let mut wrong = packed.clone();
    let at = wrong.len() - 8;
    wrong[at] ^= 1;
    let (found, fault) = whole(Kind::Gzip, &[wrong, packed].concat());
    assert_eq!(found.len(), 2 * content_of_fixtures().len());
    assert_eq!(fault, Some(Fault { at: at as u64, why: Why::Checksum }));
}

const NAMES: [&str; 3] = ["notes.txt", "traces/events.xray", "traces/threads.xray"];

#[test]
fn lists_and_extracts() {
    for (kind, name) in [(Kind::Zip, "traces.zip"), (Kind::Tar, "traces.tar"), (Kind::Tar, "pax.tar")] {
        let mut file =
            File(if kind == Kind::Zip { fixture(name) } else { whole(Kind::Xz, &fixture(&format!("{name}.xz"))).0 });
        assert_eq!(Kind::of(&file.0, name), Some(kind));
        let listing = list(kind, &mut file);
        assert_eq!(listing.fault, None, "{name}");
        let long = "long/".repeat(30);
        let names: Vec<&str> =
            listing.entries.iter().map(|entry| entry.name.strip_prefix(&long).unwrap_or(&entry.name)).collect();
        assert_eq!(names, NAMES, "{name}");
        let (found, fault) = extracted(kind, &mut file, &listing.entries[2]);
        assert_eq!((found == content_of_fixtures(), fault), (true, None), "{name}");
        assert_eq!(listing.entries[2].size, Some(found.len() as u64));
    }
}

#[test]
fn finds_the_entries_of_a_cut_archive() {
    let zip = fixture("traces.zip");
    let expected = content_of_fixtures();
    for len in 0..zip.len() {
        let mut file = File(zip[..len].to_vec());
        let listing = list(Kind::Zip, &mut file);
        if len < zip.len() - 22 {
            assert!(listing.fault.is_some(), "cut at {len}");
        }
        for (entry, name) in listing.entries.iter().zip(NAMES) {
            assert!(name.starts_with(&entry.name), "cut at {len}");
            let (found, _) = extracted(Kind::Zip, &mut file, entry);
            assert!(!name.ends_with("threads.xray") || expected.starts_with(&found), "cut at {len}");
        }
        // The directory is at the end.
        if len > zip.len() - 60 {
            assert_eq!(listing.entries.len(), 3, "cut at {len}");
        }
    }
    let tar = whole(Kind::Xz, &fixture("traces.tar.xz")).0;
    for len in (0..tar.len()).step_by(97) {
        let listing = list(Kind::Tar, &mut File(tar[..len].to_vec()));
        assert!(listing.entries.len() <= 3);
    }
}

#[test]
fn survives_damaged_archives() {
    let mut seed = 2;
    let tar = whole(Kind::Xz, &fixture("pax.tar.xz")).0;
    for (kind, archive) in [(Kind::Zip, fixture("traces.zip")), (Kind::Tar, tar)] {
        for _ in 0..1000 {
            let mut damaged = archive.clone();
            for _ in 0..8 {
                let at = random(&mut seed) as usize % damaged.len();
                damaged[at] = random(&mut seed) as u8;
            }
            let mut file = File(damaged);
            for entry in list(kind, &mut file).entries {
                extracted(kind, &mut file, &entry);
            }
        }
    }
}

/// A zip archive after other data, as in a self-extracting program, is found from its end.
#[test]
fn shifts_the_offsets_of_an_archive_after_other_data() {
    let mut file = File([&b"#!/bin/sh\n"[..], &fixture("traces.zip")].concat());
    let listing = list(Kind::Zip, &mut file);
    assert_eq!(listing.fault, None);
    assert!(extracted(Kind::Zip, &mut file, &listing.entries[2]).0 == content_of_fixtures());
}

#[test]
fn names_the_content() {
    for (name, inner) in [
        ("app.xray.gz", "app.xray"),
        ("a.b.ZST", "a.b"),
        ("traces.tgz", "traces.tar"),
        ("plain", "plain"),
        (".gz", ".gz"),
        ("x.txz", "x.tar"),
    ] {
        assert_eq!(inner_name(name), inner);
    }
}

#[test]
fn a_bomb_ends_at_the_limit_unless_that_is_lifted() {
    // Blocks of one byte, repeated 128 KiB times, in a frame without a checksum and with a window
    // of 128 KiB.
    let blocks = 600_u32;
    let mut file = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3];
    for i in 1..=blocks {
        let header = ((128 << 10) << 3 | 1 << 1 | u32::from(i == blocks)).to_le_bytes();
        file.extend([header[0], header[1], header[2], 9]);
    }
    let total = |lift: bool, portion: usize| {
        let mut stream = Stream::new(Kind::Zstd).unwrap();
        if lift {
            stream.lift_limit();
        }
        let mut all = 0;
        for part in file.chunks(portion) {
            stream.push(part);
            while let bytes @ [_, ..] = stream.unpack() {
                all += bytes.len();
            }
        }
        stream.end();
        all += stream.unpack().len();
        (all, stream.fault())
    };
    let (all, fault) = total(false, usize::MAX);
    assert_eq!((all, fault.map(|f| f.why)), (64 << 20, Some(Why::Expansion)));
    assert!(fault.unwrap().is_limit());
    assert_eq!(total(false, 100).0, 64 << 20);
    assert_eq!(total(true, 1000), ((blocks as usize) << 17, None));
}
