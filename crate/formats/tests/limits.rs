//! What files may demand: threads with a track of their own, and unpacked bytes.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use miniz_oxide::deflate::compress_to_vec;
use unspool_trace::limits::Expansion;
use unspool_trace::problem::{MANY_THREADS, UNPACKS_TO_MORE};
use unspool_trace::{EventBatch, EventKind, Limits, OpenOptions, Stacking, Text};

use crate::common::format;
use unspool_formats::apitrace::encode::{Details, FunctionSig, Value as Arg, Writer};
use unspool_formats::frames::encode::{Frame, Meta, Std, Table, Writer as Frames};
use unspool_formats::xray::encode::{FdrBuffer, header};
use unspool_formats::xray::wire::{FunctionKind, Mode};

/// Everything that a decoder delivers in one batch, in portions of this size.
fn decode(id: &str, file: &[u8], limits: Limits, portion: usize) -> EventBatch {
    let head = &file[..file.len().min(64 * 1024)];
    let mut decoder =
        (format(id).open)(head, OpenOptions { limits, ..OpenOptions::default() }).unwrap().stream().unwrap();
    let mut all = EventBatch::with_capacity(1 << 20);
    let mut held = Vec::new();
    let mut parts = file.chunks(portion);
    loop {
        let mut batch = EventBatch::with_capacity(1 << 20);
        let used = decoder.push(&held, &mut batch).unwrap().used;
        held.drain(..used);
        let is_idle = used == 0 && !batch.is_full();
        add(&mut all, batch);
        if is_idle {
            match parts.next() {
                Some(part) => held.extend_from_slice(part),
                None => break,
            }
        }
    }
    let mut batch = EventBatch::with_capacity(1 << 20);
    decoder.end(&held, &mut batch).unwrap();
    add(&mut all, batch);
    all
}

fn add(all: &mut EventBatch, batch: EventBatch) {
    all.kinds.extend(batch.kinds);
    all.tracks.extend(batch.tracks);
    all.new_tracks.extend(batch.new_tracks);
    all.problems.extend(batch.problems);
    all.records += batch.records;
}

const CALL: FunctionSig<'_> = FunctionSig { id: 4, name: "glFlush", args: &[] };
const DATA: FunctionSig<'_> = FunctionSig { id: 5, name: "glBufferData", args: &["data"] };
const LIMITED: Limits = Limits { tracks: 2, ..Limits::DEFAULT };

/// Names of the tracks, number of events on the last one, and number of problems, all of which are
/// about threads.
fn told(all: &EventBatch) -> (Vec<&str>, usize, usize) {
    let last = all.new_tracks.len() as u32 - 1;
    assert!(all.problems.iter().all(|p| p.kind == &MANY_THREADS && p.value == 2), "{:?}", all.problems);
    let names = all.new_tracks.iter().map(|t| t.name.as_str()).collect();
    (names, all.tracks.iter().filter(|t| **t == last).count(), all.problems.len())
}

#[test]
fn calls_of_further_threads_share_a_track() {
    let mut w = Writer::new(&[]);
    // Some numbers are looked up in an array, others are not.
    for thread in [0, 1, 2, 5000, 2, 5001] {
        w.call(thread, &CALL, vec![], None);
    }
    let all = decode("apitrace", &w.finish(), LIMITED, usize::MAX);
    let (names, events, problems) = told(&all);
    assert_eq!(names[3..], ["thread 0", "thread 1", "other threads"]);
    assert_eq!((all.records, events, problems), (6, 8, 3));
    assert_eq!(all.new_tracks.last().map(|t| t.stacking), Some(Stacking::Overlapping));
}

#[test]
fn steps_of_further_threads_share_a_track() {
    let mut writer = Frames::new(3, 9, 64, Some(&Meta::default()));
    for thread in [1, 2, 3, 4, 3, 1] {
        let address = 0x1000 * thread;
        let bytes = vec![0x90];
        writer.frame(&Frame::Std(Std { address, thread, bytes, pre: vec![], post: None, mode: None }));
    }
    let all = decode("frames", &writer.finish(Table::Libtrace(10_000)), LIMITED, usize::MAX);
    let names: Vec<_> = all.new_tracks.iter().map(|t| t.name.as_str()).filter(|name| name.contains("thread")).collect();
    assert_eq!((names, all.records), (vec!["thread 1", "thread 2", "other threads"], 6));
    assert_eq!(all.problems.iter().filter(|p| p.kind == &MANY_THREADS).count(), 2);
}

#[test]
fn records_of_further_threads_of_a_log_are_counted_and_not_drawn() {
    let mut log = header(Mode::Fdr, 1_000_000_000, 4096).to_bytes().to_vec();
    // Buffers of different threads overlap in time.
    for (tid, clock) in [(1, 100), (2, 100), (3, 500), (4, 100), (3, 50)] {
        let mut buffer = FdrBuffer::new(1, tid, 0, clock, (1, 2));
        buffer.function(FunctionKind::Enter, 7, clock);
        buffer.function(FunctionKind::Exit, 7, clock + 10);
        log.extend(buffer.finish());
    }
    let all = decode("xray", &log, LIMITED, usize::MAX);
    let (names, events, problems) = told(&all);
    assert_eq!(names, ["process 1", "main thread 1", "thread 2", "other threads"]);
    assert_eq!((all.records, events, problems), (10, 0, 2));
    assert_eq!(all.kinds.iter().filter(|k| **k == EventKind::Begin).count(), 2);
}

#[test]
fn a_stream_that_unpacks_to_too_much_ends_at_the_same_place_in_any_portions() {
    const MIB: u64 = 1 << 20;
    let mut w = Writer::new(&[]);
    w.call(0, &DATA, vec![Arg::Blob(&vec![0; 15 << 20])], None);
    w.enter(0, &CALL, &Details::default());
    w.call(0, &DATA, vec![Arg::Blob(&vec![0; 10 << 20])], None);
    w.call(0, &CALL, vec![], None);
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    file.extend(compress_to_vec(w.stream(), 1));
    file.extend([0; 8]);
    let limits = Limits { expansion: Expansion { free: MIB, ratio: 20, total: u64::MAX }, ..Limits::DEFAULT };
    let whole = decode("apitrace", &file, limits, usize::MAX);
    let problem = whole.problems.last().copied().unwrap();
    assert_eq!((problem.kind, problem.value), (&UNPACKS_TO_MORE, 16 * MIB));
    assert!(problem.kind.offers_to_go_on());
    // The call that the limit cuts is shown as far as it is known.
    assert_eq!(whole.records, 3);
    for portion in [777, 60_000] {
        let parts = decode("apitrace", &file, limits, portion);
        assert_eq!((parts.records, parts.kinds), (whole.records, whole.kinds.clone()), "portions of {portion}");
    }
    assert_eq!(decode("apitrace", &file, Limits::LIFTED, usize::MAX).records, 4);
    let options = OpenOptions { limits, ..OpenOptions::default() };
    let mut dump = (format("apitrace").text)(&file[..file.len().min(60_000)], Text::Jsonl { blobs: false }, options)
        .unwrap()
        .unwrap();
    let mut text = String::new();
    let mut used = 0;
    while used < file.len() {
        used += dump.push(&file[used..], &mut text).unwrap().used;
    }
    dump.end(&[], &mut text).unwrap();
    // A call that is cut within its arguments is shown, but not printed, as by apitrace.
    assert_eq!(text.lines().count(), 2);
    assert!(dump.take_problems().iter().any(|p| p.kind == &UNPACKS_TO_MORE));
}
