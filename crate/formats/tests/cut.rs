//! Parts of traces: the same in any portions, and no panic whatever the damage.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use unspool_cut::clean::{Choice, Choices, Cleaner};
use unspool_cut::{CutOptions, Selection};
use unspool_trace::{Limits, Probe};

use unspool_formats::apitrace::encode::{FunctionSig, Writer};
use unspool_formats::begin_cut;

const FIXTURES: [&str; 9] = [
    "apitrace/scene.trace",
    "apitrace/values.trace",
    "frames/calls.frames",
    "frames/plugin.frames",
    "trace_db/variables.trace",
    "trace_db/narrow.trace",
    "xray/threads.xray",
    "xray/events.xray",
    "xray/copies.xray",
];

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)).unwrap()
}

/// The part of a file that comes in portions, with the number of its records.
fn stretch(file: &[u8], (from, to): (u64, u64), portion: usize, choice: Choice) -> Option<(Vec<u8>, u64)> {
    let choices = Choices { environment: choice, paths: choice, texts: choice, payloads: choice };
    let cleaner = Cleaner::new(choices, [7; 16]);
    let (size, texts) = (Some(file.len() as u64), Selection::default());
    let options = CutOptions { from, to, size, limits: Limits::DEFAULT, cleaner, only: None, texts };
    let head = &file[..file.len().min(64 * 1024)];
    let tail = &file[file.len() - head.len()..];
    let probe = Probe { head, tail, size: file.len() as u64, name: "" };
    let mut cut = begin_cut(&probe, options)?.ok()?;
    let (mut out, mut used, mut end) = (Vec::new(), 0, 0);
    for _ in 0..100 * (file.len() + 100) {
        let before = out.len();
        let Ok(progress) = cut.push(&file[used..end], &mut out) else { break };
        used += progress.used;
        if progress.used > 0 || out.len() > before {
            continue;
        }
        if end == file.len() || cut.is_done() {
            break;
        }
        assert!(end - used < 64 * 1024 * 1024 + 64, "too much is left over");
        end = (end + portion).min(file.len());
    }
    let _ = cut.end(&file[used..end], &mut out);
    if let Some(head) = cut.head() {
        let len = head.len().min(out.len());
        out[..len].copy_from_slice(&head[..len]);
    }
    Some((out, cut.records()))
}

#[test]
fn portions_do_not_matter() {
    for name in FIXTURES {
        let file = fixture(name);
        for choice in [Choice::Keep, Choice::Hash, Choice::Omit] {
            let whole = stretch(&file, (0, u64::MAX), usize::MAX / 2, choice).unwrap();
            assert!(whole.1 > 0, "{name}");
            for portion in [1, 61, 4096] {
                assert!(
                    stretch(&file, (0, u64::MAX), portion, choice).unwrap() == whole,
                    "{name} in portions of {portion}"
                );
            }
            // A part of the part is the same again, once everything is clean.
            if choice == Choice::Keep {
                assert!(stretch(&whole.0, (0, u64::MAX), 1000, choice).unwrap() == whole, "{name}");
            }
        }
    }
}

#[test]
fn a_stretch_without_records_ends() {
    for name in FIXTURES {
        let file = fixture(name);
        for portion in [1, 4096, usize::MAX / 2] {
            let (_, records) = stretch(&file, (0, 0), portion, Choice::Keep).unwrap();
            assert_eq!(records, 0, "{name} in portions of {portion}");
        }
    }
}

/// A name that begins with NUL is shown as if it were empty, and an empty one ends the properties.
#[test]
fn properties_of_apitrace_keep_the_bytes_of_their_names() {
    let function = FunctionSig { id: 0, name: "glFlush", args: &[] };
    let mut writer = Writer::new(&[("\0a", "1"), ("process.name", "2")]);
    writer.call(0, &function, Vec::new(), None);
    let part = stretch(&writer.finish(), (0, u64::MAX), 1000, Choice::Keep).unwrap();
    assert_eq!(part.1, 1);
    assert_eq!(stretch(&part.0, (0, u64::MAX), 1000, Choice::Keep), Some(part));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damage_does_no_harm(
        which in 0..FIXTURES.len(),
        at in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 1..12),
        from in 0..2000u64,
        len in 1..2000u64,
        hash in any::<bool>(),
    ) {
        let mut file = fixture(FIXTURES[which]);
        let at = at.index(file.len());
        for (to, byte) in file[at..].iter_mut().zip(&bytes) {
            *to = *byte;
        }
        let choice = if hash { Choice::Hash } else { Choice::Keep };
        let once = stretch(&file, (from, from + len), 1 << 20, choice);
        prop_assert!(once == stretch(&file, (from, from + len), 97, choice));
    }
}
