//! The record pass over XRay logs: the same records as the text dump, in any portions and from any
//! piece.

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that panics has done its work"
)]

use proptest::prelude::*;
use unspool_records::memory::read_all;
use unspool_trace::{
    EventKind, FieldValue, Locator, OpenOptions, Probe, Record, RecordName, Records, Text, Value, Visitor, Want,
};

use crate::common;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use crate::common::Delivered;
use unspool_formats::xray::encode::{FdrBuffer, basic_log, header};
use unspool_formats::xray::wire::{Basic, FunctionKind, Mode};
use unspool_formats::{recognise, xray};

/// Records as the text dump prints them, by lane and row. The process and thread of a track are
/// found later.
#[derive(Default)]
struct Lines {
    records: Vec<(u32, u64, u32, Locator, String)>,
    line: String,
    tail: String,
    in_list: bool,
}

impl Visitor for Lines {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        let &Record { lane, row, x, track, locator, name } = record;
        self.records.push((lane, row, track, locator, String::new()));
        let func = if let RecordName::Id(id) = name { id } else { 0 };
        self.line = format!("\"func_id\":{func},\"tsc\":{x}");
        self.tail.clear();
        true
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        match (key, value) {
            ("cpu", FieldValue::Id(cpu)) => self.line = format!("\"cpu\":{cpu},{}", self.line),
            ("kind", FieldValue::Text(kind)) => self.line = format!("\"kind\":\"{kind}\",{}", self.line),
            ("func_id", FieldValue::Id(id)) => {
                self.line = self.line.replace("\"func_id\":0,", &format!("\"func_id\":{id},"))
            }
            ("type", FieldValue::Id(kind)) => self.tail = format!(",\"type\":{kind}"),
            ("data", FieldValue::Bytes { bytes, .. }) => {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                write!(self.line, ",\"data\":\"{hex}\"").unwrap();
            }
            ("data", FieldValue::Null) => self.line.push_str(",\"data\":\"\""),
            ("", FieldValue::Hex(value)) => {
                write!(self.line, "{}{value}", if self.in_list { "," } else { "" }).unwrap();
                self.in_list = true;
            }
            _ => panic!("{key} {value:?}"),
        }
    }

    fn open(&mut self, key: &str, is_list: bool) {
        assert_eq!((key, is_list), ("args", true));
        self.line.push_str(",\"args\":[");
        self.in_list = false;
    }

    fn close(&mut self) {
        self.line.push(']');
    }

    fn end(&mut self) {
        let line = format!("{}{}", self.line, self.tail);
        self.records.last_mut().unwrap().4 = line;
    }
}

fn records(reader: &dyn Records, file: &[u8], portion: usize, pieces: std::ops::Range<u32>) -> Lines {
    let mut lines = Lines::default();
    read_all(reader.pass(pieces).as_mut(), file, portion, &mut lines).unwrap();
    lines
}

/// The text dump, in a form that can be compared: the lines of each thread.
fn dumped(file: &[u8]) -> BTreeMap<String, Vec<String>> {
    let head = &file[..file.len().min(64 * 1024)];
    let options = OpenOptions { size: Some(file.len() as u64), ..OpenOptions::default() };
    let mut dump = (common::format("xray").text)(head, Text::Jsonl { blobs: false }, options).unwrap().unwrap();
    let mut text = String::new();
    let (mut at, mut left) = (0, 0);
    loop {
        let want = dump.want();
        match want {
            Want::Nothing => break,
            Want::Seek { at: seek, .. } if seek as usize != at => (at, left) = (seek as usize, 0),
            Want::Next | Want::Seek { .. } => {}
        }
        let _ = left;
        let end = if let Want::Seek { at, len } = want { (at + len) as usize } else { file.len() };
        let bytes = &file[at.min(file.len())..end.min(file.len())];
        let used = dump.push(bytes, &mut text).unwrap().used;
        at += used;
        if used == 0 && dump.want() == want {
            left = bytes.len();
            dump.end(bytes, &mut text).unwrap();
            if want == Want::Next {
                at += left;
            }
        }
    }
    let mut threads: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in text.lines() {
        let line = line.strip_prefix("{\"thread\":").unwrap().strip_suffix('}').unwrap();
        let (thread, rest) = line.split_once(",\"cpu\":").unwrap();
        // The record pass has no type for custom events.
        let rest = rest.strip_suffix(",\"type\":null").unwrap_or(rest);
        threads.entry(thread.into()).or_default().push(format!("\"cpu\":{rest}"));
    }
    threads
}

/// Where the clock of a line is.
fn clock_range(line: &str) -> std::ops::Range<usize> {
    let from = line.find("\"tsc\":").unwrap() + 6;
    let len = line[from..].find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len() - from);
    from..from + len
}

fn clock_of(line: &str) -> u64 {
    line[clock_range(line)].parse().unwrap()
}

/// A line with another clock.
fn with_clock(line: &str, clock: u64) -> String {
    let mut line = line.to_string();
    line.replace_range(clock_range(&line), &clock.to_string());
    line
}

/// Checks everything that must hold for a log. Returns the number of records.
fn check(file: &[u8], portions: &[usize]) -> usize {
    let (all, decoder): (Delivered, _) = common::decode("xray", file, &[usize::MAX], 1 << 16);
    if all.error.is_some() {
        return 0;
    }
    let reader = common::reader("xray", decoder.as_ref());
    let lanes = reader.lanes();
    let whole = records(reader.as_ref(), file, usize::MAX, 0..u32::MAX);
    assert_eq!(whole.records.len() as u64, all.records, "as many as in the timeline");
    assert_eq!(lanes.iter().map(|lane| lane.rows).sum::<u64>(), all.records);

    let mut by_row = whole.records.clone();
    by_row.sort_by_key(|record| (record.0, record.1));
    let rows: Vec<_> = by_row.iter().map(|record| (record.0, record.1)).collect();
    let expected: Vec<_> = (0..).zip(lanes).flat_map(|(i, lane)| (0..lane.rows).map(move |row| (i, row))).collect();
    assert_eq!(rows, expected, "each row once");

    // The dump and the pass say the same of every record, thread by thread.
    let mut threads: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (.., track, _, line) in &by_row {
        let track = &all.tracks[*track as usize];
        let process = track.parent.and_then(|parent| all.tracks[parent as usize].id).unwrap_or(0);
        let key = format!("{},\"process\":{process}", track.id.unwrap());
        threads.entry(key).or_default().push(line.clone());
    }
    let mut dumped = dumped(file);
    // A buffer without a clock continues at its thread's latest time in the timeline. The dump
    // begins with it, at 0. Where clocks go back within a buffer, the dump may sort buffers that
    // the timeline leaves in file order.
    let mut in_any_order = all.problems.iter().any(|problem| problem.kind.id() == "bad-preamble");
    let moves = lanes.first().is_some_and(|lane| lane.sorted && lane.track.is_some());
    for lines in dumped.values_mut() {
        let mut latest = 0;
        for line in lines {
            let clock = clock_of(line);
            in_any_order |= clock < latest;
            // The timeline moves a record to the latest position of its thread.
            latest = if moves { clock.max(latest) } else { clock };
            *line = with_clock(line, latest);
        }
    }
    if in_any_order {
        for lines in threads.values_mut().chain(dumped.values_mut()) {
            lines.iter_mut().for_each(|line| *line = with_clock(line, 0));
            lines.sort();
        }
    }
    assert_eq!(threads.keys().collect::<Vec<_>>(), dumped.keys().collect::<Vec<_>>());
    for (ours, theirs) in threads.values().zip(dumped.values()) {
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(theirs) {
            assert_eq!(ours, theirs);
        }
    }

    // Every event of the timeline is a record at the same place.
    let mut at: Vec<_> = by_row.iter().map(|record| record.3).collect();
    at.sort();
    for event in all.events.iter().filter(|e| matches!(e.0, EventKind::Begin | EventKind::End | EventKind::Instant)) {
        assert!(at.binary_search(&event.4).is_ok(), "{event:?}");
    }

    for portion in portions {
        let other = records(reader.as_ref(), file, *portion, 0..u32::MAX);
        assert!(other.records == whole.records, "portions of {portion} bytes");
    }
    for (number, lane) in (0..).zip(lanes) {
        for (i, piece) in lane.pieces.iter().enumerate() {
            let end = lane.pieces.get(i + 1).map_or(lane.rows, |next| next.row);
            let mut alone = records(reader.as_ref(), file, 4096, piece.number..piece.number + 1).records;
            alone.sort_by_key(|record| record.1);
            let begin = by_row.partition_point(|record| (record.0, record.1) < (number, piece.row));
            let range = &by_row[begin..begin + (end - piece.row) as usize];
            assert!(alone == range, "piece {piece:?} alone: {alone:?} and {range:?}");
        }
    }
    whole.records.len()
}

#[test]
fn every_log_of_the_corpus() {
    let (mut logs, mut count) = (0, 0);
    let files = unspool_corpus::files("xray", 300_000);
    if files.is_empty() {
        return;
    }
    for path in files {
        let file = fs::read(&path).unwrap();
        let probe = Probe { head: &file[..file.len().min(64 * 1024)], tail: &[], size: file.len() as u64, name: "" };
        if recognise(&probe).is_some_and(|(format, _)| format.id == "xray") {
            println!("{}", path.display());
            count += check(&file, &[1, 7, 64 * 1024]);
            logs += 1;
        }
    }
    assert!(logs > 50 && count > 10_000, "{logs} logs, {count} records");
}

#[test]
fn arguments_beyond_a_checkpoint_belong_to_the_call_before() {
    // Calls with arguments across several checkpoints of one buffer.
    let mut b = FdrBuffer::new(1, 2, 0, 1000, (1, 2));
    let mut time = 1000;
    for i in 0..40_000 {
        b.function(FunctionKind::EnterArgs, 5, time);
        b.argument(i);
        time += 10;
        b.function(FunctionKind::Exit, 5, time);
    }
    let mut file = header(Mode::Fdr, 1_000_000_000, 1 << 21).to_bytes().to_vec();
    file.extend(b.finish());
    assert_eq!(check(&file, &[100, 1 << 16]), 80_000);
}

#[test]
fn a_log_without_buffers_has_one_lane_in_file_order() {
    let mut records = Vec::new();
    for i in 0..9000_u64 {
        let tid = (i % 3) as u32 + 1;
        let kind = if i % 6 < 3 { FunctionKind::EnterArgs } else { FunctionKind::Exit };
        records.push(Basic::Function { cpu: 1, kind: Ok(kind), func: 7, clock: 1000 + i * 10, tid, pid: 9 });
        if i % 6 < 3 {
            records.push(Basic::Argument { func: 7, tid, pid: 9, value: i });
        }
    }
    let file = basic_log(0, &records);
    assert_eq!(check(&file, &[33, 4096]), 9000);
    let (_, decoder) = common::decode("xray", &file, &[usize::MAX], 1 << 16);
    let reader = common::reader("xray", decoder.as_ref());
    let [lane] = reader.lanes() else { panic!("one lane") };
    assert!(lane.sorted && lane.track.is_none() && lane.pieces.len() == 3, "{} pieces", lane.pieces.len());
}

#[test]
fn details_agree_with_the_fields() {
    let mut b = FdrBuffer::new(7, 8, 3, 1000, (5, 6));
    b.function(FunctionKind::EnterArgs, 1, 1000);
    b.argument(u64::MAX);
    b.argument(42);
    b.event(Some(9), 1040, b"payload");
    let mut file = header(Mode::Fdr, 1_000_000_000, 4096).to_bytes().to_vec();
    file.extend(b.finish());
    let (_, decoder) = common::decode("xray", &file, &[usize::MAX], 16);
    let reader = common::reader("xray", decoder.as_ref());
    let lines = records(reader.as_ref(), &file, 5, 0..1);
    let details = |i: usize| common::details(&file, reader.as_ref(), lines.records[i].3).0.unwrap();
    assert_eq!(
        lines.records[0].4,
        "\"cpu\":3,\"kind\":\"function-enter-arg\",\"func_id\":1,\"tsc\":1000,\"args\":[18446744073709551615,42]"
    );
    let arguments = Value::List(vec![Value::Hex(u64::MAX), Value::Hex(42)]);
    assert!(details(0).fields.iter().any(|field| field.value == arguments));
    assert!(lines.records[1].4.ends_with("\"data\":\"7061796c6f6164\",\"type\":9"));
    assert!(details(1).fields.iter().any(|f| f.value == Value::Bytes { bytes: b"payload".to_vec(), len: 7 }));
}

#[test]
fn a_piece_begins_where_its_first_record_is() {
    // An event of this version has a clock of its own, here before that of its buffer.
    let old = xray::wire::Header { version: 3, ..header(Mode::Fdr, 1_000_000_000, 4096) };
    let mut b = FdrBuffer::of(&old, 1, 2, 0, 5000, (1, 2));
    b.event(None, 4000, b"early");
    let mut file = old.to_bytes().to_vec();
    file.extend(b.finish());
    assert_eq!(check(&file, &[1]), 1);
}

/// A log of several threads, some of whose buffers are not in order.
fn any_log(seed: &[(u8, u8, u16)]) -> Vec<u8> {
    let mut file = header(Mode::Fdr, 1_000_000_000, 4096).to_bytes().to_vec();
    let mut clock = 10_000_u64;
    for chunk in seed.chunks(9) {
        let (tid, order, _) = chunk[0];
        let mut now = if order % 5 == 0 { clock / 2 } else { clock };
        let mut b = FdrBuffer::new(1, i32::from(tid % 4) + 1, u16::from(order), now, (1, 1));
        for (what, id, step) in chunk {
            now += u64::from(*step);
            match what % 7 {
                0 | 1 => b.function(FunctionKind::Enter, u32::from(*id), now),
                2 | 3 => b.function(FunctionKind::Exit, u32::from(*id), now),
                4 => {
                    b.function(FunctionKind::EnterArgs, u32::from(*id), now);
                    b.argument(u64::from(*step));
                }
                5 => b.event(Some(u16::from(*id)), now, &vec![*id; usize::from(*step) % 50]),
                _ => b.cpu(u16::from(*id), now),
            }
        }
        clock = clock.max(now) + 10;
        file.extend(if order % 3 == 0 { b.finish_as_llvm() } else { b.finish() });
    }
    file
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_damage_ends_the_pass_where_it_ends_the_timeline(
        seed in prop::collection::vec(any::<(u8, u8, u16)>(), 1..80),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
        portion in 1usize..70,
    ) {
        let mut file = any_log(&seed);
        for (at, byte) in damage {
            let at = 32 + at.index(file.len() - 32);
            file[at] = byte;
        }
        file.truncate(33 + cut.index(file.len() - 32));
        check(&file, &[portion]);
    }
}

/// Makes the extents of a buffer longer by this many bytes.
fn lengthen(buffer: &mut [u8], by: u64) {
    let extents = u64::from_le_bytes(buffer[1..9].try_into().unwrap());
    buffer[1..9].copy_from_slice(&(extents + by).to_le_bytes());
}

#[test]
fn a_buffer_whose_clock_goes_back_may_be_elsewhere_in_the_dump() {
    // Its first clock is the latest of all: the dump has it after the other, the timeline in the
    // order of the file.
    let mut early = FdrBuffer::new(1, 1, 0, 1 << 32, (1, 2));
    early.cpu(3, 10_000);
    early.function(FunctionKind::Enter, 1, 10_010);
    let mut late = FdrBuffer::new(1, 1, 0, 44_000, (1, 2));
    late.function(FunctionKind::Enter, 2, 44_010);
    let mut file = header(Mode::Fdr, 1_000_000_000, 4096).to_bytes().to_vec();
    file.extend([early.finish(), late.finish()].concat());
    assert_eq!(check(&file, &[1]), 2);
}

#[test]
fn a_buffer_out_of_order_hides_nothing_that_follows() {
    let calls = |tid: i32, clock: u64, ids: &[u32]| {
        let mut b = FdrBuffer::new(1, tid, 0, clock, (1, 2));
        for (i, id) in (0..).zip(ids) {
            b.function(FunctionKind::Enter, *id, clock + i * 10);
            b.function(FunctionKind::Exit, *id, clock + i * 10 + 5);
        }
        b.finish()
    };
    let (first, mut early) = (calls(10, 3000, &[3]), calls(10, 1000, &[1, 2]));
    let (other, last) = (calls(11, 100, &[7, 8, 9]), calls(10, 4000, &[4]));
    let log = |buffers: [&[u8]; 4]| {
        let mut file = header(Mode::Fdr, 1_000_000_000, 4096).to_bytes().to_vec();
        file.extend(buffers.concat());
        file
    };
    assert_eq!(check(&log([&first, &early, &other, &last]), &[1, 100]), 14);
    // Its extents go over the buffers after it, up to the end of the file, or beyond that.
    for by in [24, (other.len() + last.len()) as u64, 1 << 40] {
        let mut long = early.clone();
        lengthen(&mut long, by);
        assert_eq!(check(&log([&first, &long, &other, &last]), &[1, 100]), 14, "{by} bytes more");
    }
    // The preamble of another thread follows within it, because an extents record was lost.
    lengthen(&mut early, other.len() as u64 - 16);
    assert_eq!(check(&log([&first, &early, &other[16..], &last]), &[1, 100]), 14);
}

#[test]
fn the_first_difference_after_a_second_preamble_is_ignored_too() {
    let old = xray::wire::Header { version: 3, ..header(Mode::Fdr, 1_000_000_000, 4096) };
    let buffer = |tid: i32, clock: u64| {
        let mut b = FdrBuffer::of(&old, 1, tid, 0, clock, (1, 2));
        b.function(FunctionKind::Enter, 1, clock + 150);
        b.finish()
    };
    let (mut first, second) = (buffer(10, 5000), buffer(11, 7000));
    lengthen(&mut first, second.len() as u64 - 16);
    let mut file = old.to_bytes().to_vec();
    file.extend([&first, &second[16..]].concat());
    let (all, _) = common::decode("xray", &file, &[usize::MAX], 16);
    assert_eq!(all.events.iter().map(|event| event.2).collect::<Vec<_>>(), [5000, 7000]);
    assert_eq!(check(&file, &[1]), 2);
}
