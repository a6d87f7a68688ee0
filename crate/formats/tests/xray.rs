//! Logs from the encoder, decoded again: every kind of record, any portions, any damage.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use proptest::prelude::*;
use unspool_trace::problem::{MALFORMED, TRUNCATED};
use unspool_trace::{Decoder, EventKind, Locator, Problem, Value};

use crate::common;
use crate::common::Delivered;
use unspool_formats::xray::encode::{FdrBuffer, basic_log, basic_log_of, header};
use unspool_formats::xray::problems::{
    COPIED_BUFFER, COPIED_RECORD, CUT_BUFFER, OVERWRITTEN_PAYLOAD, STRAY_ARGUMENT, WRONG_EXTENTS,
};
use unspool_formats::xray::wire::{Basic, FunctionKind, Header, Mode};

impl Delivered {
    /// Events of one track since its last restart, as `+name@time`.
    fn since_restart(&self, track: u32) -> Vec<String> {
        let from = self.events.iter().rposition(|e| e.0 == EventKind::Restart && e.1 == track).unwrap_or(0);
        let events = self.events[from..].iter().filter(|e| e.1 == track);
        events
            .filter_map(|(kind, _, time, name, _)| {
                let sign = match kind {
                    EventKind::Begin => '+',
                    EventKind::End => '-',
                    EventKind::Instant => '!',
                    _ => return None,
                };
                Some(format!("{sign}{}@{time}", self.names[*name as usize]))
            })
            .collect()
    }
}

/// Decodes a file without an error: portions of these sizes in turn, batches of `capacity` events.
fn decode(file: &[u8], portions: &[usize], capacity: usize) -> (Delivered, Box<dyn Decoder>) {
    let (all, decoder) = common::decode("xray", file, portions, capacity);
    assert_eq!(all.error, None);
    (all, decoder)
}

fn whole(file: &[u8]) -> Delivered {
    decode(file, &[usize::MAX], 1 << 16).0
}

fn log(buffers: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut file = header(Mode::Fdr, 1_000_000_000, 4096).to_bytes().to_vec();
    file.extend(buffers.into_iter().flatten());
    file
}

fn calls(pid: i32, tid: i32, clock: u64, ids: &[u32]) -> FdrBuffer {
    let mut buffer = FdrBuffer::new(pid, tid, 0, clock, (1, 2));
    let mut time = clock;
    for id in ids {
        buffer.function(FunctionKind::Enter, *id, time);
        time += 10;
        buffer.function(FunctionKind::Exit, *id, time);
    }
    buffer
}

#[test]
fn every_record_kind_round_trips() {
    let mut b = FdrBuffer::new(7, 8, 3, 1000, (5, 6));
    b.function(FunctionKind::EnterArgs, 1, 1000);
    b.argument(u64::MAX);
    b.argument(42);
    b.function(FunctionKind::Enter, 0x0fff_ffff, 1010);
    b.function(FunctionKind::TailExit, 0x0fff_ffff, 1020);
    b.event(None, 1030, b"hello");
    b.event(Some(9), 1040, &[0; 300]);
    b.cpu(5, 1 << 62);
    b.function(FunctionKind::Exit, 1, (1 << 62) + 5);
    // Too far ahead for 32 bits: an absolute clock precedes it.
    b.function(FunctionKind::Enter, 2, (1 << 62) + (1 << 40));
    b.event(Some(0), (1 << 62) + (1 << 41), b"");
    let all = whole(&log([b.finish()]));
    assert_eq!(all.problems, []);
    assert_eq!(
        all.since_restart(1),
        [
            "+#1@1000",
            "+#268435455@1010",
            "-#268435455@1020",
            "!hello@1030",
            "!9: 00 00 00 00 00 00 00 00 …@1040",
            "-#1@4611686018427387909",
            "+#2@4611687117939015680",
            "!typed event 0@4611688217450643456",
        ]
    );
    assert_eq!(all.records, 8);
    let names: Vec<_> = all.tracks.iter().map(|t| (t.name.as_str(), t.parent)).collect();
    assert_eq!(names, [("process 7", None), ("thread 8", Some(0))]);
}

#[test]
fn details_hold_every_argument_and_payload() {
    let mut b = FdrBuffer::new(7, 8, 3, 1000, (5, 6));
    b.function(FunctionKind::EnterArgs, 1, 1000);
    b.argument(u64::MAX);
    b.argument(42);
    b.event(Some(9), 1040, b"payload");
    b.cpu(5, 1050);
    b.function(FunctionKind::TailExit, 1, 1060);
    let file = log([b.finish()]);
    let (all, decoder) = decode(&file, &[17], 1);
    let reader = common::reader("xray", decoder.as_ref());
    let details = |i: usize| common::details(&file, reader.as_ref(), all.events[i].4).0.unwrap();
    let field = |i: usize, name: &str| details(i).fields.into_iter().find(|f| f.name == name).map(|f| f.value);
    assert_eq!(field(0, "Arguments"), Some(Value::List(vec![Value::Hex(u64::MAX), Value::Hex(42)])));
    assert_eq!(field(0, "Function id"), Some(Value::Id(1)));
    assert_eq!(field(0, "CPU"), Some(Value::Id(3)));
    assert_eq!((field(0, "Thread"), field(0, "Process")), (Some(Value::Id(8)), Some(Value::Id(7))));
    assert_eq!(field(1, "Payload"), Some(Value::Bytes { bytes: b"payload".to_vec(), len: 7 }));
    assert_eq!(field(1, "Event type"), Some(Value::Id(9)));
    assert_eq!(field(2, "CPU"), Some(Value::Id(5)));
    assert_eq!(details(2).remarks.len(), 1, "a remark about the tail call");
    assert!(reader.details(Locator::at(1), &[]).is_err());
}

#[test]
fn a_click_in_a_huge_buffer_decodes_little() {
    let file = log([calls(1, 1, 1000, &vec![5; 200_000]).finish()]);
    let (all, decoder) = decode(&file, &[1 << 20], 4096);
    let reader = common::reader("xray", decoder.as_ref());
    for i in [0, 1000, 199_999, 399_999] {
        let locator = all.events[i].4;
        let (details, bytes) = common::details(&file, reader.as_ref(), locator);
        assert!(bytes <= 1 << 20, "{bytes} bytes");
        assert_eq!(details.unwrap().offset, Some(locator.position()));
    }
}

#[test]
fn disordered_buffers_are_delivered_again_and_counted_once() {
    let a = |clock: u64, id: u32| calls(1, 10, clock, &[id]).finish();
    let b = |clock: u64, id: u32| calls(1, 11, clock, &[id]).finish();
    let all = whole(&log([a(3000, 3), b(100, 1), a(4000, 4), a(1000, 1), b(200, 2), a(2000, 2)]));
    assert_eq!(
        all.since_restart(1),
        ["+#1@1000", "-#1@1010", "+#2@2000", "-#2@2010", "+#3@3000", "-#3@3010", "+#4@4000", "-#4@4010"]
    );
    assert_eq!(all.since_restart(2), ["+#1@100", "-#1@110", "+#2@200", "-#2@210"]);
    assert_eq!(all.records, 12);
    let restarts: Vec<_> = all.events.iter().filter(|e| e.0 == EventKind::Restart).map(|e| (e.1, e.2)).collect();
    assert_eq!(restarts, [(1, 1000)]);
}

/// The writer puts a buffer into the log twice if its thread was still using one. The second one is
/// longer if the thread has written on in between.
#[test]
fn a_copy_of_a_buffer_is_left_out() {
    let mut first = calls(1, 10, 1000, &[1, 2]);
    first.event(Some(7), 1050, b"event");
    first.function(FunctionKind::Enter, 3, 1060);
    let other = calls(1, 11, 900, &[8]).finish();
    let mut longer = first.clone();
    longer.cpu(3, 1070);
    longer.function(FunctionKind::Exit, 3, 1080);
    longer.function(FunctionKind::Enter, 4, 1090);
    let (first, longer) = (first.finish(), longer.finish());
    let next = calls(1, 10, 2000, &[5]).finish();
    let once = whole(&log([first.clone(), other.clone(), next.clone()]));
    let grown = whole(&log([longer.clone(), other.clone(), next.clone()]));
    let logs = [
        (log([first.clone(), first.clone(), other.clone(), next.clone()]), &once, 1),
        (log([first.clone(), other.clone(), first.clone(), next.clone()]), &once, 1),
        (log([first.clone(), other.clone(), next.clone(), first.clone(), first.clone()]), &once, 2),
        (log([other.clone(), first.clone(), next.clone(), other.clone()]), &once, 1),
        (log([first.clone(), longer.clone(), other.clone(), next.clone()]), &grown, 1),
        (log([first.clone(), other.clone(), longer.clone(), longer.clone(), next.clone(), longer]), &grown, 3),
    ];
    for (i, (file, expected, copies)) in logs.iter().enumerate() {
        let all = whole(file);
        for thread in ["thread 10", "thread 11"] {
            let track = |of: &Delivered| of.tracks.iter().position(|track| track.name == thread).unwrap() as u32;
            assert_eq!(all.since_restart(track(&all)), expected.since_restart(track(expected)), "log {i}");
        }
        assert_eq!(all.records, expected.records, "log {i}");
        assert_eq!(all.problems.iter().map(|p| p.kind).collect::<Vec<_>>(), vec![&COPIED_BUFFER; *copies], "log {i}");
        assert!(all.events.iter().all(|e| e.0 != EventKind::Restart), "log {i}");
        for portion in [1, 7, 64, 300] {
            assert_eq!(decode(file, &[portion], 3).0, all, "log {i} in portions of {portion}");
        }
    }
    let problem = whole(&logs[1].0).problems[0];
    let (at, value) = (32 + first.len() + other.len(), 32);
    assert_eq!(problem, Problem { at: at as u64, kind: &COPIED_BUFFER, value });
    // A copy at which the file ends.
    let file = &logs[1].0;
    for missing in 1..first.len() - 100 {
        let len = file.len() - next.len() - missing;
        let all = whole(&file[..len]);
        assert_eq!((all.kinds(), all.records), (vec![&COPIED_BUFFER, &TRUNCATED], once.records - 2), "{missing} bytes");
    }
}

/// The same thread, clock and times, and other records.
#[test]
fn a_buffer_that_only_begins_as_another_one_is_no_copy() {
    let buffer = |ids: &[u32]| calls(1, 10, 1000, ids).finish();
    for (first, second) in [(&[1, 2, 3][..], &[1, 2, 4][..]), (&[1, 2], &[3, 4, 5]), (&[1, 2], &[1])] {
        let all = whole(&log([buffer(first), buffer(second)]));
        assert_eq!((all.problems.len(), all.records as usize), (0, 2 * (first.len() + second.len())));
    }
    let preamble = FdrBuffer::new(1, 10, 0, 1000, (1, 2)).finish();
    let all = whole(&log([preamble.clone(), buffer(&[1])]));
    assert_eq!((all.kinds(), all.records), (vec![&COPIED_BUFFER], 2), "its thread has written on");
}

#[test]
fn finds_the_next_buffer_after_typed_events_shortened_one() {
    let mut b = FdrBuffer::new(1, 1, 0, 1000, (0, 0));
    b.function(FunctionKind::Enter, 1, 1000);
    b.event(Some(1), 1010, b"abc");
    b.function(FunctionKind::Exit, 1, 1020);
    b.function(FunctionKind::Enter, 2, 1030);
    let all = whole(&log([b.finish_as_llvm(), calls(1, 1, 2000, &[9]).finish()]));
    // 16 bytes are missing: the last two records are gone, exactly.
    assert_eq!(all.since_restart(1), ["+#1@1000", "!1: abc@1010", "+#9@2000", "-#9@2010"]);
    let mut b = FdrBuffer::new(1, 1, 0, 1000, (0, 0));
    b.event(Some(1), 1010, b"abc");
    b.function(FunctionKind::Enter, 1, 1020);
    b.event(None, 1030, b"cut in the middle");
    let all = whole(&log([b.finish_as_llvm(), calls(1, 1, 2000, &[9]).finish()]));
    assert_eq!(all.kinds(), [&CUT_BUFFER]);
    let event = all.events.iter().filter(|e| e.0 == EventKind::Instant).nth(1).unwrap();
    assert_eq!(
        (all.problems[0].at, all.problems[0].value),
        (event.4.position(), 16 + 1),
        "its record and the part of the payload that exists"
    );
    assert_eq!(all.since_restart(1), ["!1: abc@1010", "+#1@1020", "!c…@1030", "+#9@2000", "-#9@2010"]);
    assert!(all.events.iter().any(|e| e.0 == EventKind::StackLost));
}

#[test]
fn one_bad_byte_costs_one_buffer() {
    let good = calls(1, 1, 1000, &[1, 2, 3]).finish();
    let mut bad = good.clone();
    let at = bad.len() - 8;
    // A function record of a kind that does not exist.
    bad[at] = 0x0e;
    let after = calls(1, 1, 5000, &[7]).finish();
    let all = whole(&log([bad, after.clone()]));
    assert_eq!(all.kinds(), [&MALFORMED]);
    assert_eq!(all.problems[0].value, 8);
    assert!(all.since_restart(1).ends_with(&["+#7@5000".to_string(), "-#7@5010".to_string()]));
    // Invalid bytes between buffers are skipped.
    let all = whole(&log([good, vec![0xee; 77], after]));
    assert_eq!(all.kinds(), [&MALFORMED]);
    assert_eq!(all.problems[0].value, 77);
    assert_eq!(all.since_restart(1).len(), 8);
}

#[test]
fn extents_beyond_the_next_buffer_are_reported_with_the_excess() {
    let mut long = calls(1, 1, 1000, &[1]).finish();
    let next = 32 + long.len() as u64;
    let extents = u64::from_le_bytes(long[1..9].try_into().unwrap());
    for beyond in [16, 24, 1 << 40] {
        long[1..9].copy_from_slice(&(extents + beyond).to_le_bytes());
        let all = whole(&log([long.clone(), calls(1, 1, 5000, &[7]).finish()]));
        assert_eq!(all.problems, [Problem { at: next, kind: &WRONG_EXTENTS, value: beyond }]);
        assert_eq!(all.since_restart(1), ["+#1@1000", "-#1@1010", "+#7@5000", "-#7@5010"]);
    }
}

#[test]
fn impossible_extents_cost_one_buffer() {
    let mut bad = calls(1, 1, 1000, &[1]).finish();
    bad[1..9].copy_from_slice(&u64::MAX.to_le_bytes());
    let all = whole(&log([bad, calls(1, 1, 5000, &[7]).finish()]));
    assert_eq!(all.since_restart(1), ["+#1@1000", "-#1@1010", "+#7@5000", "-#7@5010"]);
    assert!(all.kinds().contains(&&WRONG_EXTENTS), "{:?}", all.problems);
}

#[test]
fn a_truncated_file_keeps_everything_before_its_end() {
    let file = log([calls(1, 1, 1000, &[1, 2]).finish(), calls(1, 2, 1000, &[3, 4]).finish()]);
    let complete = whole(&file);
    assert_eq!(complete.problems, []);
    for len in 33..file.len() {
        let all = whole(&file[..len]);
        assert!(all.events.iter().zip(&complete.events).all(|(a, b)| a == b), "cut at {len}");
        let boundary = len == file.len() / 2 + 16;
        assert_eq!(all.kinds(), if boundary { vec![] } else { vec![&TRUNCATED] }, "cut at {len}");
        assert!(boundary || all.problems[0].at == len as u64, "cut at {len}: {:?}", all.problems);
    }
}

#[test]
fn a_buffer_may_have_only_a_preamble() {
    let all = whole(&log([FdrBuffer::new(1, 1, 0, 1000, (0, 0)).finish()]));
    assert_eq!((all.problems.len(), all.records, all.tracks.len()), (0, 0, 2));
}

#[test]
fn basic_logs_round_trip() {
    let f = |kind, func, clock, tid| Basic::Function { cpu: 2, kind, func, clock, tid, pid: 40 };
    let records = [
        f(Ok(FunctionKind::EnterArgs), 5, 100, 41),
        Basic::Argument { func: 5, tid: 41, pid: 40, value: 77 },
        f(Ok(FunctionKind::Enter), 6, 50, 42),
        f(Ok(FunctionKind::Exit), 5, 110, 41),
        Basic::Argument { func: 5, tid: 41, pid: 40, value: 78 },
        f(Err(7), 5, 120, 41),
        f(Ok(FunctionKind::TailExit), 6, 60, 42),
    ];
    let file = basic_log(0, &records);
    let (all, decoder) = decode(&file, &[5], 2);
    assert_eq!(all.since_restart(1), ["+#5@100", "-#5@110"]);
    assert_eq!(all.since_restart(2), ["+#6@50", "-#6@60"]);
    assert_eq!(all.kinds(), [&STRAY_ARGUMENT, &MALFORMED]);
    let reader = common::reader("xray", decoder.as_ref());
    let details = common::details(&file, reader.as_ref(), Locator::at(32)).0.unwrap();
    assert!(details.fields.iter().any(|f| f.name == "Arguments" && f.value == Value::List(vec![Value::Hex(77)])));
    assert_eq!(whole(&file[..file.len() - 1]).kinds().last(), Some(&&TRUNCATED));
    assert_eq!(whole(&file[..32]), Delivered::default(), "a header alone is a log without records");
}

fn of_version(version: u16, big_endian: bool) -> Header {
    Header { version, big_endian, ..header(Mode::Fdr, 2_000_000_000, 512) }
}

fn log_of(header: &Header, buffers: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut file = header.to_bytes().to_vec();
    file.extend(buffers.into_iter().flatten());
    file
}

#[test]
fn every_version_in_both_byte_orders_gives_the_same_events() {
    for big_endian in [false, true] {
        for version in 1..=5 {
            let header = of_version(version, big_endian);
            let buffer = |clock: u64, id: u32| {
                let mut b = FdrBuffer::of(&header, 7, 70_000, 3, clock, (5, 6));
                b.function(FunctionKind::EnterArgs, id, clock);
                b.argument(u64::MAX);
                b.event(None, clock + 5, b"hello");
                b.function(FunctionKind::Enter, 0x0fff_ffff, clock + 10);
                b.cpu(2, clock + 15);
                b.function(FunctionKind::TailExit, 0x0fff_ffff, clock + 20);
                b.function(FunctionKind::Exit, id, clock + 30);
                b.finish()
            };
            let file = log_of(&header, [buffer(1 << 40, 1), buffer(1 << 41, 2)]);
            let all = whole(&file);
            // The payload is lost in early versions.
            let event = if version <= 2 { "custom event" } else { "hello" };
            let at = |clock: u64, id: u32| {
                [
                    format!("+#{id}@{clock}"),
                    format!("!{event}@{}", clock + 5),
                    format!("+#268435455@{}", clock + 10),
                    format!("-#268435455@{}", clock + 20),
                    format!("-#{id}@{}", clock + 30),
                ]
            };
            assert_eq!(all.since_restart(1), [at(1 << 40, 1), at(1 << 41, 2)].concat(), "version {version}");
            let lost = if version <= 2 { vec![&OVERWRITTEN_PAYLOAD; 2] } else { vec![] };
            assert_eq!(all.kinds(), lost, "version {version}");
            let process = if version >= 3 { "process 7" } else { "process not recorded" };
            assert_eq!((all.tracks[0].name.as_str(), all.tracks[1].name.as_str()), (process, "thread 70000"));
            assert_eq!(decode(&file, &[1, 3, 50], 2).0, all, "version {version} in portions");
        }
    }
}

#[test]
fn versions_1_to_3_ignore_the_first_difference_of_a_buffer() {
    for (version, time) in [(1, 5000), (2, 5000), (3, 5000), (4, 5150)] {
        let header = of_version(version, false);
        let mut b = FdrBuffer::of(&header, 1, 1, 0, 5000, (0, 0));
        // Those writers put this record's clock into the preamble and still wrote a difference.
        b.function(FunctionKind::Exit, 6, 5150);
        let all = whole(&log_of(&header, [b.finish()]));
        assert_eq!(all.since_restart(1), [format!("-#6@{time}")]);
    }
}

#[test]
fn events_of_llvm_7_are_distinguished_from_those_of_later_writers() {
    let header = of_version(3, false);
    let calls = |b: &mut FdrBuffer, from: u32| {
        for id in from..from + 6 {
            b.function(FunctionKind::Enter, id, 2000 + u64::from(id) * 10);
            b.function(FunctionKind::Exit, id, 2005 + u64::from(id) * 10);
        }
    };
    let mut early = FdrBuffer::of(&header, 1, 1, 0, 1000, (0, 0));
    calls(&mut early, 1);
    early.overwritten_event(None, 2100, 40);
    calls(&mut early, 20);
    let mut late = FdrBuffer::of(&header, 1, 1, 0, 5000, (0, 0));
    calls(&mut late, 1001);
    late.event(None, 12_500, b"GET /index.html HTTP/1.1 Host: example.org");
    calls(&mut late, 1020);
    let all = whole(&log_of(&header, [early.finish(), late.finish()]));
    assert_eq!(all.kinds(), [&OVERWRITTEN_PAYLOAD]);
    assert_eq!(all.since_restart(1).len(), 2 * 25);
}

#[test]
fn a_damaged_buffer_of_version_1_has_the_size_of_all() {
    let header = of_version(1, false);
    let buffer = |clock: u64| {
        let mut b = FdrBuffer::of(&header, 1, 1, 0, clock, (0, 0));
        b.function(FunctionKind::Enter, 1, clock);
        b.finish()
    };
    let mut bad = buffer(1000);
    // Not a record of version 1, but the beginning of a buffer in later versions.
    bad[48] = 0x0f;
    bad[64] = 0x01;
    let file = log_of(&header, [bad, buffer(9000)]);
    let all = whole(&file);
    assert_eq!((all.kinds(), all.problems[0].value), (vec![&MALFORMED], 512 - 48));
    assert_eq!(all.since_restart(1), ["+#1@9000"]);
    assert_eq!(whole(&file[..32 + 120]).kinds(), [&MALFORMED, &TRUNCATED]);
}

#[test]
fn basic_logs_of_all_versions_round_trip() {
    for (version, big_endian) in [(1, false), (2, false), (3, true)] {
        let header = Header { version, big_endian, ..header(Mode::Basic, 1, 0) };
        let f = |kind, clock| Basic::Function { cpu: 2, kind: Ok(kind), func: 5, clock, tid: 41, pid: 40 };
        let file = basic_log_of(&header, &[f(FunctionKind::Enter, 100), f(FunctionKind::Exit, 110)]);
        let all = whole(&file);
        assert_eq!((all.since_restart(1), all.problems), (vec!["+#5@100".to_string(), "-#5@110".to_string()], vec![]));
    }
}

#[test]
fn reads_the_yaml_of_llvm_xray() {
    let yaml = br#"# a comment
---
header:
  version:         5
  type:            1
  constant-tsc:    true
  nonstop-tsc:     true
  cycle-frequency: 2000000000
records:
  - { type: 0, func-id: 1, function: 'run(int, char**)', args: [ 7, 18446744073709551615 ], cpu: 3, thread: 41, process: 40, kind: function-enter-arg, tsc: 1800000000000000001, data: '' }
  - { type: 0, func-id: 1, function: run, cpu: 3, thread: 41, process: 40, kind: custom-event, tsc: 1800000000000000005, data: "\0\x01it" }
  - { type: 9, func-id: 1, function: run, cpu: 3, thread: 41, process: 40, kind: typed-event, tsc: 1800000000000000006, data: 'a, b: {c}' }
  - { this is no record }
  - { type: 0, func-id: 1, cpu: 3, thread: 41, process: 40, kind: function-exit, tsc: 1800000000000000010 }
...
"#;
    let (all, decoder) = decode(yaml, &[13], 2);
    assert_eq!(all, whole(yaml));
    assert_eq!(
        all.since_restart(1),
        [
            "+run(int, char**)@1800000000000000001",
            "!00 01 69 74@1800000000000000005",
            "!9: a, b: {c}@1800000000000000006",
            "-run(int, char**)@1800000000000000010",
        ]
    );
    assert_eq!(all.kinds(), [&MALFORMED]);
    assert_eq!(decoder.info().title, "XRay FDR 5, YAML");
    let reader = common::reader("xray", decoder.as_ref());
    let details = |i: usize| common::details(yaml, reader.as_ref(), all.events[i].4).0.unwrap().fields;
    let arguments = Value::List(vec![Value::Hex(7), Value::Hex(u64::MAX)]);
    assert!(details(0).iter().any(|f| f.name == "Arguments" && f.value == arguments));
    let payload = Value::Bytes { bytes: b"a, b: {c}".to_vec(), len: 9 };
    assert!(details(2).iter().any(|f| f.name == "Payload" && f.value == payload));
}

/// A log of several threads with every kind of record, generated from `seed`.
fn any_log(header: &Header, seed: &[(u8, u8, u16)]) -> Vec<u8> {
    let mut clock = 10_000u64;
    let mut buffers = Vec::new();
    for chunk in seed.chunks(9) {
        let (tid, order, _) = chunk[0];
        let start = if order % 5 == 0 { clock / 2 } else { clock };
        let mut b = FdrBuffer::of(header, 1, i32::from(tid % 4) + 1, u16::from(order), start, (1, 1));
        let mut now = start;
        for (what, id, step) in chunk {
            now += u64::from(*step);
            match what % 8 {
                0..=2 => b.function(FunctionKind::Enter, u32::from(*id), now),
                3 | 4 => b.function(FunctionKind::Exit, u32::from(*id), now),
                5 => {
                    b.function(FunctionKind::EnterArgs, u32::from(*id), now);
                    b.argument(u64::from(*step));
                }
                6 => b.event(Some(u16::from(*id)), now, &vec![*id; usize::from(*step) % 50]),
                _ => b.cpu(u16::from(*id), now),
            }
        }
        clock = clock.max(now) + 10;
        buffers.push(if order % 3 == 0 { b.finish_as_llvm() } else { b.finish() });
    }
    log_of(header, buffers)
}

proptest! {
    #![proptest_config(ProptestConfig::default())]

    #[test]
    fn portions_and_batches_do_not_matter(
        (version, big_endian) in (1u16..6, any::<bool>()),
        seed in prop::collection::vec(any::<(u8, u8, u16)>(), 1..120),
        portions in prop::collection::vec(1usize..70, 1..8),
        capacity in 1usize..20,
    ) {
        let file = any_log(&of_version(version, big_endian), &seed);
        prop_assert_eq!(decode(&file, &portions, capacity).0, whole(&file));
    }

    #[test]
    fn any_damage_in_any_portions_gives_the_same_events(
        (version, big_endian) in (1u16..6, any::<bool>()),
        seed in prop::collection::vec(any::<(u8, u8, u16)>(), 1..60),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<prop::sample::Index>(),
        portion in 1usize..70,
    ) {
        let mut file = any_log(&of_version(version, big_endian), &seed);
        for (at, byte) in damage {
            let at = 32 + at.index(file.len() - 32);
            file[at] = byte;
        }
        file.truncate(33 + cut.index(file.len() - 32));
        prop_assert_eq!(decode(&file, &[portion], 3).0, whole(&file));
    }
}

/// Without --symbolize, llvm-xray writes the id in place of a name.
#[test]
fn ids_in_yaml_are_no_names() {
    let yaml = br"---
header:
  version:         3
  type:            0
  constant-tsc:    true
  nonstop-tsc:     true
  cycle-frequency: 1000000000
records:
  - { type: 0, func-id: 1, function: '1', cpu: 0, thread: 7, process: 7, kind: function-enter, tsc: 100, data: '' }
  - { type: 0, func-id: 2, function: '1', cpu: 0, thread: 7, process: 7, kind: function-enter, tsc: 200, data: '' }
...
";
    assert_eq!(whole(yaml).since_restart(1), ["+#1@100", "+1@200"]);
}

/// A process that forks writes what its parent had not written yet, as the parent does.
#[test]
fn records_of_a_basic_log_that_a_child_wrote_again_count_once() {
    let record = |kind, func, clock, tid| Basic::Function { cpu: 0, kind: Ok(kind), func, clock, tid, pid: tid };
    let (enter, exit) = (FunctionKind::Enter, FunctionKind::Exit);
    let parent = [record(enter, 1, 100, 7), record(enter, 2, 110, 7), record(exit, 2, 120, 7)];
    let child = [record(enter, 3, 130, 8), record(exit, 3, 140, 8), record(exit, 1, 150, 8)];
    let later = [record(enter, 2, 160, 7), record(exit, 2, 170, 7), record(exit, 1, 180, 7)];
    let all = whole(&basic_log(1_000_000_000, &[&parent[..], &child, &parent, &later].concat()));
    assert_eq!(all.since_restart(1), ["+#1@100", "+#2@110", "-#2@120", "+#2@160", "-#2@170", "-#1@180"]);
    assert_eq!((all.records, all.kinds()), (12, vec![&COPIED_RECORD; 3]));
    // A clock that goes back otherwise is a problem of the log.
    let all = whole(&basic_log(1_000_000_000, &[&parent[..], &[record(exit, 1, 105, 7)]].concat()));
    assert_eq!(all.since_restart(1).len(), 4);
    assert!(!all.kinds().contains(&&COPIED_RECORD));
}
