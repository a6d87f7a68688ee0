use alloc::vec;
use alloc::vec::Vec;
use std::fs;
use std::path::Path;

use miniz_oxide::deflate::compress_to_vec;
use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec as zstd};
use unspool_trace::problem::{MALFORMED, TRUNCATED};

use super::*;

/// Decompresses a file in portions. Returns the result and the problem, if any.
fn unpack(container: Container, file: &[u8], portion: usize) -> (Vec<u8>, Option<Problem>) {
    let mut unpacker = container.unpacker(&Limits::DEFAULT);
    let (mut out, mut all) = (Buffer::default(), Vec::new());
    let mut held: Vec<u8> = Vec::new();
    let mut parts = file.chunks(portion.max(1));
    let mut ended = false;
    loop {
        let result = unpacker.unpack(&held, &mut out);
        let added = out.data().len();
        // Snappy chunks are never split; a zstd window is collected in pieces.
        assert!(added <= PIECE || container == Container::Snappy, "{added} bytes in one call");
        all.extend_from_slice(out.data());
        out.consume(added);
        match result {
            Err(problem) => return (all, Some(problem)),
            Ok(0) if added == 0 => match parts.next() {
                Some(part) => held.extend_from_slice(part),
                None if ended => break,
                None => {
                    unpacker.last();
                    ended = true;
                }
            },
            Ok(taken) => drop(held.drain(..taken)),
        }
    }
    assert!(held.is_empty(), "everything is taken");
    let problem = unpacker.finish(&mut out).err();
    all.extend_from_slice(out.data());
    (all, problem)
}

fn gzip(data: &[u8]) -> Vec<u8> {
    // With a name, a comment and an extra field.
    let mut file = vec![0x1f, 0x8b, 8, 4 | 8 | 16, 0, 0, 0, 0, 0, 3, 3, 0, 1, 2, 3];
    file.extend_from_slice(b"name\0comment\0");
    file.extend(compress_to_vec(data, 6));
    // Checksum and length are ignored.
    file.extend([0; 8]);
    file
}

fn snappy(data: &[u8]) -> Vec<u8> {
    let mut file = b"at".to_vec();
    for part in data.chunks(1000) {
        let block = snappy_block::compress(part);
        file.extend((block.len() as u32).to_le_bytes());
        file.extend(block);
    }
    file
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/apitrace").join(name)).unwrap()
}

fn data() -> Vec<u8> {
    (0..200_000u32).map(|i| (i / 7 % 251) as u8 ^ (i.wrapping_mul(2_654_435_761) >> 29) as u8).collect()
}

/// A file in each container, with its decompressed content.
fn files() -> Vec<(Container, Vec<u8>, Vec<u8>)> {
    let data = data();
    let brotli = fixture("scene.brotli.trace");
    let stream = unpack(Container::Snappy, &fixture("scene.trace"), usize::MAX).0;
    vec![
        (Container::Snappy, snappy(&data), data.clone()),
        (Container::Gzip, gzip(&data), data.clone()),
        (Container::Zstd, zstd(&data[..], CompressionLevel::Fastest), data),
        (Container::Zstd, fixture("scene.zstd.trace"), stream.clone()),
        (Container::Zstd, fixture("scene.seekable.trace"), stream.clone()),
        (Container::Brotli, brotli, stream),
    ]
}

#[test]
fn every_container_in_any_portions() {
    for (container, file, data) in files() {
        assert_eq!(Container::of(&file), container);
        for portion in [1, 7, 1000, usize::MAX] {
            let (all, problem) = unpack(container, &file, portion);
            assert!(all == data, "{container:?} in portions of {portion}");
            assert_eq!(problem, None);
        }
    }
}

#[test]
fn truncated_files_are_salvaged() {
    for (container, file, data) in files() {
        for cut in [2, 5, 100, file.len() / 2, file.len() - 9] {
            let (all, problem) = unpack(container, &file[..cut], 999);
            assert!(data.starts_with(&all), "{container:?} cut at {cut}");
            if cut == file.len() - 9 && container == Container::Zstd && file.len() > 10_000 {
                // One block of 128 KiB is complete; its window is not held back.
                assert!(all.len() >= 128 * 1024, "{}", all.len());
            }
            // apitrace's magic number alone is a valid file; the seek table is not data.
            if cut > 2 && container != Container::Zstd {
                assert_eq!(problem.map(|p| (p.kind, p.at)), Some((&TRUNCATED, cut as u64)), "{container:?} {cut}");
            }
        }
    }
}

#[test]
fn damage_is_found_at_the_same_place_in_any_portions() {
    for (container, file, _) in files() {
        for at in (10..file.len()).step_by(file.len() / 40) {
            let mut bad = file.clone();
            bad[at] ^= 0x55;
            let whole = unpack(container, &bad, usize::MAX);
            for portion in [1000, 77] {
                let parts = unpack(container, &bad, portion);
                assert_eq!(whole.1, parts.1, "{container:?} damaged at {at}, in portions of {portion}");
                assert!(whole.0 == parts.0, "{container:?} damaged at {at}, in portions of {portion}");
            }
        }
    }
}

#[test]
fn pieces_come_from_the_same_places_in_any_portions() {
    let places = |container: Container, file: &[u8], portion: usize| {
        let mut unpacker = container.unpacker(&Limits::DEFAULT);
        let (mut out, mut places) = (Buffer::default(), Vec::new());
        let (mut from, mut to) = (0, 0);
        loop {
            let taken = unpacker.unpack(&file[from..to], &mut out).unwrap();
            let added = out.data().len();
            out.consume(added);
            places.extend((added > 0).then(|| (unpacker.piece_at(), added)));
            from += taken;
            match taken + added {
                0 if from == file.len() => return places,
                0 if to == file.len() => unpacker.last(),
                0 => to = to.saturating_add(portion).min(file.len()),
                _ => {}
            }
        }
    };
    for (container, file, _) in files() {
        let whole = places(container, &file, usize::MAX);
        assert!(!whole.is_empty());
        assert_eq!(places(container, &file, 1000), whole, "{container:?}");
    }
}

#[test]
fn gzip_members_are_back_to_back_and_the_last_trailer_may_be_missing() {
    let (one, two) = (gzip(b"one"), gzip(b"two"));
    let both = [one.as_slice(), &two].concat();
    assert_eq!(unpack(Container::Gzip, &both, 3), (b"onetwo".to_vec(), None));
    assert_eq!(unpack(Container::Gzip, &both[..both.len() - 8], 3), (b"onetwo".to_vec(), None));
    assert_eq!(unpack(Container::Gzip, &both[..both.len() - 3], 3), (b"onetwo".to_vec(), None));
    let padded = [one.as_slice(), &[0; 100]].concat();
    assert_eq!(unpack(Container::Gzip, &padded, 3), (b"one".to_vec(), None));
}

#[test]
fn zstd_ignores_skippable_frames() {
    let skip = |n: u8| [&[0x50 + n, 0x2a, 0x4d, 0x18, n, 0, 0, 0], vec![9; n.into()].as_slice()].concat();
    let data = data();
    let frame = zstd(&data[..5000], CompressionLevel::Fastest);
    let file = [skip(0), frame.clone(), skip(3), frame, skip(15)].concat();
    let (all, problem) = unpack(Container::Zstd, &file, 11);
    assert_eq!((all.len(), problem), (10_000, None));
    // A block of one byte, repeated 100,000 times, in a single-segment frame without a checksum.
    let header = (100_000u32 << 3 | 1 << 1 | 1).to_le_bytes();
    let rle = [&[0x28, 0xb5, 0x2f, 0xfd, 0xa0], &100_000u32.to_le_bytes()[..], &header[..3], &[7]].concat();
    assert_eq!(unpack(Container::Zstd, &rle, 4), (vec![7; 100_000], None));
}

#[test]
fn a_bomb_is_decompressed_in_pieces() {
    let zeros = vec![0u8; 50 << 20];
    let file = gzip(&zeros);
    assert!(file.len() < 100_000);
    let mut unpacker = Container::Gzip.unpacker(&Limits::DEFAULT);
    let mut out = Buffer::default();
    let (mut taken, mut pieces) = (0, 0);
    loop {
        let n = unpacker.unpack(&file[taken..], &mut out).unwrap();
        assert!(out.data().len() <= PIECE);
        if n == 0 && out.data().is_empty() {
            break;
        }
        pieces += usize::from(!out.data().is_empty());
        out.consume(usize::MAX >> 1);
        taken += n;
    }
    assert!(pieces >= 50, "{pieces}");
}

#[test]
fn snappy_lengths_beyond_the_limit_are_damage() {
    let file = [&b"at"[..], &u32::MAX.to_le_bytes(), &[0; 100]].concat();
    let (all, problem) = unpack(Container::Snappy, &file, 1000);
    assert!(all.is_empty());
    assert_eq!(problem.map(|p| (p.at, p.kind)), Some((2, &MALFORMED)));
    // A block of seven bytes that claims 200 MiB.
    let file = [&b"at"[..], &7u32.to_le_bytes(), &[0x80, 0x80, 0x80, 0x64, 0, b'x', 0]].concat();
    let (all, problem) = unpack(Container::Snappy, &file, 1000);
    assert_eq!(all, b"x");
    assert_eq!(problem.map(|p| (p.at, p.kind, p.value)), Some((2, &MALFORMED, 0)), "the rest of the file");
    // What follows a length of zero is skipped and reported.
    let file = [snappy(b"abc"), vec![0; 4], vec![1; 10]].concat();
    let (all, problem) = unpack(Container::Snappy, &file, 1);
    assert_eq!(all, b"abc");
    assert_eq!(problem.map(|p| (p.at, p.value)), Some((file.len() as u64 - 10, 10)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn damage_never_panics(which in 0usize..6, damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..5), cut: proptest::sample::Index, portion in 1usize..5000) {
        let (container, mut file, _) = files().swap_remove(which);
        for (at, byte) in damage {
            let i = at.index(file.len());
            file[i] = byte;
        }
        file.truncate(1 + cut.index(file.len()));
        let (whole, problem) = unpack(container, &file, usize::MAX);
        let (parts, other) = unpack(container, &file, portion);
        prop_assert!(whole == parts, "{:?}: {} and {} bytes", container, whole.len(), parts.len());
        prop_assert_eq!(problem.map(|p| p.kind), other.map(|p| p.kind));
    }

    #[test]
    fn everything_before_damage_is_returned(which in 0usize..6, at: proptest::sample::Index, portion in 1usize..5000) {
        let (container, mut file, _) = files().swap_remove(which);
        let at = at.index(file.len());
        // A cut file gives all that its bytes decode to.
        let (before, _) = unpack(container, &file[..at], usize::MAX);
        file[at] ^= 0xff;
        let (damaged, _) = unpack(container, &file, portion);
        let common = damaged.iter().zip(&before).take_while(|(a, b)| a == b).count();
        // Decoders look ahead by a few bytes, whose symbols they may decode wrongly.
        prop_assert!(common + 600 >= before.len(), "{:?} at {}: {} of {}", container, at, common, before.len());
    }
}

#[test]
fn brotli_keeps_what_precedes_damage_in_any_portions() {
    let file = fixture("scene.brotli.trace");
    let expected = unpack(Container::Brotli, &file, usize::MAX).0;
    let mut kept = 0;
    for at in 0..file.len() {
        let mut damaged = file.clone();
        damaged[at] ^= 0x55;
        let (whole, problem) = unpack(Container::Brotli, &damaged, usize::MAX);
        let (parts, other) = unpack(Container::Brotli, &damaged, 7);
        // A copy that exceeds its block has been given out already, or not yet.
        assert!(whole.len().abs_diff(parts.len()) < 64, "damaged at {at}: {} and {}", whole.len(), parts.len());
        assert!(whole.starts_with(&parts) || parts.starts_with(&whole), "damaged at {at}");
        assert_eq!(problem.map(|problem| problem.kind), other.map(|problem| problem.kind), "damaged at {at}");
        kept += usize::from(problem.is_some() && !whole.is_empty());
    }
    assert!(kept > 100 && !expected.is_empty(), "{kept} damaged files keep something");
}

#[test]
fn an_invalid_gzip_header_is_at_its_beginning_in_any_portions() {
    let file = [0x1f, 0x8b, 7, 0, 0, 0, 0, 0, 0, 3];
    let problem = Some(Problem { at: 0, kind: &MALFORMED, value: 0 });
    for portion in [1, 2, usize::MAX] {
        assert_eq!(unpack(Container::Gzip, &file, portion), (Vec::new(), problem), "portions of {portion}");
    }
}
