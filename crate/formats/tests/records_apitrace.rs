//! The record pass over apitrace traces: the same calls as the text dump, in any portions and from
//! any piece.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use proptest::prelude::*;
use unspool_records::memory::read_all;
use unspool_trace::records::Rows;
use unspool_trace::{
    Cause, EventBatch, FieldValue, Limits, Locator, OpenOptions, Record, RecordName, Records, Text, TrackKind, Value,
    Visitor,
};

use crate::common;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::apitrace_traces::{DATA, DRAW, GOOD, POP, PUSH, SWAP, corpus, sample, stream};
use crate::common::{Delivered, decode, reader};
use unspool_formats::apitrace::encode::{
    BitmaskSig, Details, EnumSig, FunctionSig, StructSig, Value as Arg, Writer, snappy,
};

/// Calls as JSON lines, in the order in which they were passed on.
#[derive(Default)]
struct Lines {
    calls: Vec<Call>,
    line: String,
    /// Whether each open container is a list.
    open: Vec<bool>,
    /// Stops after this many calls.
    most: Option<usize>,
    /// Ask for no fields.
    names_only: bool,
    /// Symbols as their numbers.
    numbers: bool,
    /// Wants calls of functions with this argument only.
    argument: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
struct Call {
    row: u64,
    track: u32,
    locator: Locator,
    json: String,
}

impl Call {
    fn is_incomplete(&self) -> bool {
        self.json.contains("\"incomplete\"")
    }
}

fn text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => write!(out, "\\u{:04x}", u32::from(c)).unwrap(),
            c => out.push(c),
        }
    }
    out.push('"');
}

impl Lines {
    fn key(&mut self, key: &str) {
        if !self.line.ends_with(['{', '[']) {
            self.line.push(',');
        }
        if self.open.last() == Some(&true) {
            assert_eq!(key, "", "an element of a list has no key");
        } else {
            text(&mut self.line, key);
            self.line.push(':');
        }
    }
}

impl Visitor for Lines {
    fn may_want(&mut self, _name: RecordName<'_>, keys: &mut dyn Iterator<Item = &str>) -> bool {
        let Some(argument) = &self.argument else { return true };
        let mut is_there = false;
        for key in keys {
            is_there |= key == argument;
        }
        is_there
    }

    fn begin(&mut self, record: &Record<'_>) -> bool {
        assert!(!self.is_full(), "a record for a visitor that is full");
        let &Record { locator, lane, row, x, track, name } = record;
        assert_eq!((lane, x), (0, row));
        assert!(self.line.is_empty(), "the previous record has not ended");
        let RecordName::Text(name) = name else { panic!("{name:?}") };
        self.calls.push(Call { row, track, locator, json: name.into() });
        if !self.names_only {
            self.line.push('{');
        }
        !self.names_only
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        if key == "frame" && self.open.is_empty() {
            self.key(key);
            let FieldValue::U64(frame) = value else { panic!("{value:?}") };
            write!(self.line, "{frame},\"name\":").unwrap();
            text(&mut self.line, &self.calls.last().unwrap().json);
            return;
        }
        self.key(key);
        let out = &mut self.line;
        match value {
            FieldValue::Null => out.push_str("null"),
            FieldValue::Bool(b) => write!(out, "{b}").unwrap(),
            FieldValue::U64(n) => write!(out, "{n}").unwrap(),
            FieldValue::I64(n) | FieldValue::Id(n) => write!(out, "{n}").unwrap(),
            FieldValue::Hex(n) => write!(out, "\"{n:#x}\"").unwrap(),
            FieldValue::F32(x) if x.is_finite() => write!(out, "{x:?}").unwrap(),
            FieldValue::F64(x) if x.is_finite() => write!(out, "{x:?}").unwrap(),
            FieldValue::F32(_) | FieldValue::F64(_) => {
                let x = if let FieldValue::F32(x) = value { f64::from(x) } else { f64_of(value) };
                let name = if x.is_nan() { "nan" } else { ["-inf", "inf"][usize::from(x > 0.0)] };
                write!(out, "\"{name}\"").unwrap();
            }
            FieldValue::Text(value) => text(out, value),
            FieldValue::Symbol { name, value } => match value {
                FieldValue::I64(n) if self.numbers => write!(out, "{n}").unwrap(),
                FieldValue::Hex(n) if self.numbers => write!(out, "\"{n:#x}\"").unwrap(),
                FieldValue::I64(_) | FieldValue::Hex(_) => text(out, name),
                _ => panic!("{value:?}"),
            },
            FieldValue::Bytes { bytes, len } => {
                assert_eq!(bytes.len() as u64, len.min(64 * 1024));
                write!(out, "{{\"bytes\":{len}}}").unwrap();
            }
            FieldValue::Code { .. } => panic!(),
        }
    }

    fn open(&mut self, key: &str, is_list: bool) {
        self.key(key);
        self.line.push(if is_list { '[' } else { '{' });
        self.open.push(is_list);
    }

    fn close(&mut self) {
        self.line.push(if self.open.pop().unwrap() { ']' } else { '}' });
    }

    fn end(&mut self) {
        assert!(self.open.is_empty(), "{}", self.line);
        self.line.push('}');
        self.calls.last_mut().unwrap().json = std::mem::take(&mut self.line);
    }

    fn is_full(&self) -> bool {
        self.most.is_some_and(|most| self.calls.len() >= most)
    }
}

fn f64_of(value: FieldValue<'_>) -> f64 {
    if let FieldValue::F64(x) = value { x } else { panic!() }
}

fn records(reader: &dyn Records, file: &[u8], portion: usize, pieces: std::ops::Range<u32>) -> Vec<Call> {
    let mut lines = Lines::default();
    let mut pass = reader.pass(pieces);
    read_all(pass.as_mut(), file, portion, &mut lines).unwrap();
    assert_eq!(pass.want(), None);
    lines.calls
}

fn by_row(mut calls: Vec<Call>) -> Vec<Call> {
    calls.sort_by_key(|call| call.row);
    calls
}

/// The JSON lines of the text dump, by the number of the call, and whether it found problems.
fn dumped(file: &[u8]) -> (BTreeMap<u64, String>, bool) {
    let head = &file[..file.len().min(64 * 1024)];
    let mut dump =
        (common::format("apitrace").text)(head, Text::Jsonl { blobs: false }, common::options(file)).unwrap().unwrap();
    let (mut all, mut at) = (String::new(), 0);
    loop {
        let used = dump.push(&file[at..], &mut all).unwrap().used;
        at += used;
        if used == 0 {
            break;
        }
    }
    dump.end(&file[at..], &mut all).unwrap();
    let number = |line: &str| line.strip_prefix("{\"call\":").unwrap().split_once(',').unwrap().0.parse().unwrap();
    let lines = all.lines().map(|line| (number(line), line.to_string())).collect();
    (lines, !dump.take_problems().is_empty())
}

/// Checks everything that must hold for a trace. Returns the calls by row.
fn check(file: &[u8], portions: &[usize], most_pieces: usize) -> Vec<Call> {
    let (all, decoder): (Delivered, _) = decode("apitrace", file, &[usize::MAX], 1 << 16);
    assert_eq!(all.error, None);
    let reader = reader("apitrace", decoder.as_ref());
    let reader = reader.as_ref();
    let [lane] = reader.lanes() else { panic!("one lane") };
    assert!(lane.rows == all.records && lane.sorted && lane.track.is_none());

    let passed = records(reader, file, usize::MAX, 0..u32::MAX);
    let whole = by_row(passed.clone());
    let rows: Vec<u64> = whole.iter().map(|call| call.row).collect();
    assert_eq!(rows, (0..all.records).collect::<Vec<_>>(), "each call of the timeline once");

    for portion in portions {
        assert!(records(reader, file, *portion, 0..u32::MAX) == passed, "portions of {portion} bytes");
    }

    // Readers that know what numbers mean may have no names of symbols.
    let numbers = |reader: &dyn Records| {
        let mut lines = Lines { numbers: true, ..Lines::default() };
        read_all(reader.pass(0..u32::MAX).as_mut(), file, usize::MAX, &mut lines).unwrap();
        lines.calls
    };
    let short = unspool_formats::open_records("apitrace", &decoder.index_of_numbers()).unwrap();
    assert!(numbers(reader) == numbers(short.as_ref()));

    // Calls that cannot be wanted may be left out, but no others.
    for portion in [usize::MAX, 1000] {
        let mut some = Lines { argument: Some("count".into()), ..Lines::default() };
        read_all(reader.pass(0..u32::MAX).as_mut(), file, portion, &mut some).unwrap();
        let has_count = |call: &&Call| call.json.contains("\"count\":");
        assert!(some.calls.iter().filter(has_count).eq(passed.iter().filter(has_count)));
        assert!(some.calls.len() < passed.len() || passed.iter().all(|call| has_count(&call)), "nothing was left out");
    }

    // The dump drops truncated calls, and after damage all that are open.
    let (mut lines, has_problems) = dumped(file);
    for call in &whole {
        match lines.remove(&call.row) {
            // A truncated swap that was dropped is missed in the number of the frame.
            Some(_) if has_problems && call.is_incomplete() => {}
            Some(line) => assert_eq!(call.json, line),
            None => assert!(has_problems && call.is_incomplete(), "not in the dump: {}", call.json),
        }
    }
    assert!(lines.is_empty(), "only in the dump: {lines:?}");

    // Each piece on its own, and ranges of pieces.
    let pieces = lane.pieces.len();
    let step = pieces.div_ceil(most_pieces).max(1);
    for (first, many) in (0..pieces).step_by(step).flat_map(|first| [(first, 1), (first, 3)]) {
        let end = (first + many).min(pieces);
        let from = lane.pieces[first].row as usize;
        let to = lane.pieces.get(end).map_or(whole.len(), |piece| piece.row as usize);
        let some = by_row(records(reader, file, 64 * 1024, first as u32..end as u32));
        assert_eq!(some, whole[from..to], "pieces {first} to {end}");
    }

    // Tracks, and the calls of the timeline: some are too deep to be shown there.
    let begins: BTreeMap<u64, u32> = all
        .events
        .iter()
        .filter(|e| e.0 == unspool_trace::EventKind::Begin && all.tracks[e.1 as usize].kind == TrackKind::Thread)
        .map(|e| (e.4.position(), e.1))
        .collect();
    for call in &whole {
        if let Some(track) = begins.get(&call.locator.position()) {
            assert_eq!(*track, call.track, "{}", call.json);
        }
    }
    whole
}

#[test]
fn the_pass_says_what_the_dump_says_of_the_sample() {
    for chunk in [40, 1 << 20] {
        let calls = check(&snappy(sample().stream(), chunk), &[1, 7, 64 * 1024], 100);
        assert_eq!(calls.len(), 9);
        assert!(calls[8].is_incomplete());
        let (_, decoder) = decode("apitrace", &snappy(sample().stream(), chunk), &[usize::MAX], 1 << 16);
        let names = |index: Vec<u8>| index.windows(12).any(|at| at == b"GL_TRIANGLES");
        assert!(names(decoder.index()) && names(decoder.index_of_numbers()));
    }
}

#[test]
fn the_pass_says_what_the_dump_says_of_the_fixtures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/apitrace");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "trace"));
    assert!(files.len() >= 8);
    for path in files {
        eprintln!("{}", path.display());
        check(&fs::read(path).unwrap(), &[1, 7, 64 * 1024], 100);
    }
}

#[test]
fn the_pass_says_what_the_dump_says_of_the_corpus() {
    for path in corpus() {
        let file = fs::read(&path).unwrap();
        let opens = (common::format("apitrace").open)(&file[..file.len().min(65536)], OpenOptions::default()).is_ok();
        if !opens || file.len() > 12 << 20 {
            continue;
        }
        eprintln!("{}", path.display());
        let portions: &[usize] = if file.len() < 100_000 { &[1, 7, 64 * 1024] } else { &[64 * 1024] };
        check(&file, portions, 6);
    }
}

/// A trace of many pieces: calls that return at once, soon, 700 KB later, or never, and blobs.
fn long(calls: u64) -> Writer {
    let mut w = Writer::new(&[]);
    let blob = [9; 2000];
    let mut open = Vec::new();
    w.enter(3, &GOOD, &Details::args([Arg::Text(b"never returns")]));
    let early = w.enter(2, &GOOD, &Details::args([Arg::Text(b"returns last")]));
    for i in 0..calls {
        match i % 100 {
            50 => {
                w.call(0, &DATA, vec![Arg::Null, Arg::Uint(2000), Arg::Blob(&blob), Arg::Int(-1)], Some(Arg::Uint(i)));
            }
            70 => open.push(w.enter(1, &DRAW, &Details::args([Arg::Uint(i)]))),
            99 => w.call(0, &SWAP, vec![Arg::Pointer(1), Arg::Uint(i)], None),
            _ => w.call(0, &GOOD, vec![Arg::Uint(i)], Some(Arg::Text(b"result"))),
        }
        if i % 100 == 70 && open.len() > 100 {
            let call = open.remove(0);
            w.leave(call, &Details { args: vec![(2, Arg::Uint(call))], ..Details::result(Arg::Bool(true)) });
        }
    }
    w.leave(early, &Details::result(Arg::Text(b"far")));
    w
}

#[test]
fn calls_that_return_in_another_piece_are_read_there() {
    let file = long(30_000).finish();
    let calls = check(&file, &[64 * 1024, 1 << 20], 12);
    assert_eq!(
        calls[1].json,
        "{\"call\":1,\"thread\":2,\"frame\":300,\"name\":\"good\",\"args\":{\"v\":\"returns last\"},\"ret\":\"far\",\"flags\":[]}"
    );
    assert!(calls[0].is_incomplete());
    assert!(
        calls.iter().filter(|call| call.json.contains("glDrawArrays") && call.json.contains("\"ret\":true")).count()
            > 100
    );
}

#[test]
fn a_piece_needs_little_of_the_file() {
    let file = snappy(long(150_000).stream(), 64 * 1024);
    let (_, decoder) = decode("apitrace", &file, &[usize::MAX], 1 << 16);
    let reader = reader("apitrace", decoder.as_ref());
    let pieces = &reader.lanes()[0].pieces;
    assert!(pieces.len() > 5 && file.len() > 50_000);
    // The first piece has a call that returns at the end of the trace; the second ends soon.
    let mut pass = reader.pass(1..2);
    let (mut lines, mut ranges, mut bytes) = (Lines::default(), Vec::new(), 0);
    while let Some(range) = pass.want() {
        let rest = &file[range.at as usize..(range.at + range.len).min(file.len() as u64) as usize];
        bytes += rest.len();
        ranges.push(range);
        assert!(ranges.len() < 10, "{ranges:?}");
        pass.push(rest, &mut lines).unwrap();
    }
    assert_eq!(lines.calls.len() as u64, pieces[2].row - pieces[1].row);
    assert!(bytes < file.len() / 2, "{bytes} of {} bytes: {ranges:?}", file.len());
}

#[test]
fn a_whole_pass_uses_each_byte_of_the_file_once() {
    let file = snappy(long(30_000).stream(), 64 * 1024);
    let (_, decoder) = decode("apitrace", &file, &[usize::MAX], 1 << 16);
    let reader = reader("apitrace", decoder.as_ref());
    let mut pass = reader.pass(0..u32::MAX);
    let (mut lines, mut at) = (Lines::default(), 0);
    while let Some(range) = pass.want() {
        assert_eq!(range.at, at, "bytes that follow those used");
        let rest = &file[at as usize..];
        at += pass.push(&rest[..rest.len().min(10_000)], &mut lines).unwrap() as u64;
    }
    assert_eq!((at as usize, lines.calls.len()), (file.len(), 30_002));
}

#[test]
fn open_calls_beyond_the_limit_are_passed_on_without_their_results() {
    let mut w = Writer::new(&[]);
    let many = (1 << 18) + 10;
    let calls: Vec<u64> = (0..many).map(|i| w.enter(0, &GOOD, &Details::args([Arg::Uint(i)]))).collect();
    for call in calls.iter().rev() {
        w.leave(*call, &Details::result(Arg::Null));
    }
    let file = w.finish();
    let (all, decoder) = decode("apitrace", &file, &[usize::MAX], 1 << 16);
    let calls = by_row(records(reader("apitrace", decoder.as_ref()).as_ref(), &file, 1 << 20, 0..u32::MAX));
    assert_eq!((calls.len() as u64, all.records), (many, many));
    let (kept, passed) = calls.split_at(1 << 18);
    assert!(kept.iter().all(|call| call.json.ends_with("\"ret\":null,\"flags\":[]}")));
    assert!(passed.iter().all(|call| call.json.ends_with("},\"flags\":[\"shortened\"]}")));
}

#[test]
fn a_full_visitor_stops_after_its_record_and_the_pass_can_go_on() {
    for file in [snappy(sample().stream(), 40), long(30_000).finish()] {
        let (_, decoder) = decode("apitrace", &file, &[usize::MAX], 1 << 16);
        let reader = reader("apitrace", decoder.as_ref());
        let whole = records(reader.as_ref(), &file, usize::MAX, 0..u32::MAX);
        let most = whole.len() / 7;
        let mut pass = reader.pass(0..u32::MAX);
        let mut parts = Vec::new();
        while pass.want().is_some() {
            let mut lines = Lines { most: Some(most), ..Lines::default() };
            read_all(pass.as_mut(), &file, 5000, &mut lines).unwrap();
            parts.extend(lines.calls);
        }
        assert!(parts == whole);
    }
}

#[test]
fn fields_are_passed_only_if_they_are_wanted() {
    let file = sample().finish();
    let (_, decoder) = decode("apitrace", &file, &[usize::MAX], 1 << 16);
    let reader = reader("apitrace", decoder.as_ref());
    let mut lines = Lines { names_only: true, ..Lines::default() };
    read_all(reader.pass(0..u32::MAX).as_mut(), &file, 100, &mut lines).unwrap();
    let names: Vec<_> = lines.calls.iter().map(|call| (call.row, call.json.as_str())).collect();
    assert_eq!(names[..4], [(0, "good"), (1, "glPushDebugGroup"), (2, "glDrawArrays"), (3, "glXSwapBuffers")]);
    assert_eq!(names.len(), 9);
}

fn gzip(stream: &[u8]) -> Vec<u8> {
    let mut gzip = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    gzip.extend(miniz_oxide::deflate::compress_to_vec(stream, 1));
    gzip
}

/// A reader of a trace whose spool keeps at most `spool` bytes.
fn reader_of(file: &[u8], spool: usize) -> Box<dyn Records> {
    let limits = Limits { spool, ..Limits::DEFAULT };
    let options = OpenOptions { limits, ..OpenOptions::default() };
    let mut decoder = (common::format("apitrace").open)(&file[..65536], options).unwrap().stream().unwrap();
    let mut batch = EventBatch::with_capacity(1 << 20);
    let used = decoder.push(file, &mut batch).unwrap().used;
    decoder.end(&file[used..], &mut batch).unwrap();
    reader("apitrace", decoder.as_ref())
}

#[test]
fn without_random_access_the_pass_reads_the_kept_stream() {
    let mut w = long(30_000);
    let blob: Vec<u8> = (0..3u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    w.call(0, &DATA, vec![Arg::Null, Arg::Uint(1), Arg::Blob(&blob), Arg::Text(b"usage")], None);
    for i in 0..10_000 {
        w.call(0, &GOOD, vec![Arg::Uint(i)], None);
    }
    let plain = snappy(w.stream(), 1 << 20);
    let file = gzip(w.stream());
    let expected = check(&plain, &[], 4);
    assert!(check(&file, &[7, 64 * 1024], 4) == expected);
    // The spool needs no bytes of the file.
    let kept = reader_of(&file, usize::MAX);
    let calls = by_row(records(kept.as_ref(), &[], 1, 0..u32::MAX));
    assert!(calls == expected);

    // Beyond the limit of the spool, a whole pass decompresses the file, and a piece cannot be
    // read.
    let short = reader_of(&file, 1000);
    assert!(by_row(records(short.as_ref(), &file, 5000, 0..u32::MAX)) == expected);
    let pieces = &short.lanes()[0].pieces;
    let last = pieces.len() as u32 - 1;
    let mut lines = Lines::default();
    let error = read_all(short.pass(last..last + 1).as_mut(), &file, 5000, &mut lines).unwrap_err();
    assert!(matches!(error.cause, Cause::Unavailable(_)) && error.to_string().contains("repack"), "{error}");
    // What was kept can be read. The end of its second call is beyond.
    let mut first = by_row(records(short.as_ref(), &[], 1, 0..1));
    assert!(first[1].json.ends_with("\"flags\":[\"shortened\"]}"), "{}", first[1].json);
    first[1] = expected[1].clone();
    assert!(first == expected[..first.len()]);
    let mut shortened = 0;
    for piece in 1..last {
        let mut lines = Lines::default();
        if read_all(short.pass(piece..piece + 1).as_mut(), &[], 1, &mut lines).is_ok() {
            for call in by_row(lines.calls) {
                let expected = &expected[call.row as usize];
                if call != *expected {
                    assert!(call.json.ends_with("\"shortened\"]}") && !call.is_incomplete(), "{}", call.json);
                    assert!(expected.json.contains("\"ret\":true"), "it returned a bit later: {}", expected.json);
                    shortened += 1;
                }
            }
        }
    }
    assert!(shortened > 0);
}

#[test]
fn truncated_files_have_as_many_records_as_the_timeline() {
    let file = snappy(sample().stream(), 40);
    for len in 2..file.len() {
        check(&file[..len], &[1], 10);
    }
    let stream = sample().stream().to_vec();
    let gzip = gzip(&stream);
    for len in 10..gzip.len() {
        check(&gzip[..len], &[1], 10);
    }
    for len in 0..stream.len() {
        check(&snappy(&stream[..len], 50), &[7], 10);
    }
}

#[test]
fn damage_ends_the_pass_where_it_ends_the_timeline() {
    let mut stream = sample().stream().to_vec();
    stream.extend([7; 200]);
    assert_eq!(check(&snappy(&stream, 64), &[1, 64 * 1024], 10).len(), 9);
    // The only chunk is damaged near its end.
    let stream = sample().stream().to_vec();
    let mut file = snappy(&stream, 1 << 20);
    let end = file.len();
    file[end - 40..].fill(0xff);
    assert!(check(&file, &[1, 64 * 1024], 10).len() > 3);
    // The second chunk is not a Snappy block; the third is intact.
    let mut file = snappy(sample().stream(), 1 << 20);
    file.extend([&[3, 0, 0, 0, 9, 0xff, 0xff][..], &snappy(b"more", 100)[2..]].concat());
    assert_eq!(check(&file, &[1], 10).len(), 9);
}

#[test]
fn a_file_that_is_shorter_than_it_was_gives_what_it_still_has() {
    let file = snappy(sample().stream(), 40);
    let (_, decoder) = decode("apitrace", &file, &[usize::MAX], 1 << 16);
    let reader = reader("apitrace", decoder.as_ref());
    let whole = by_row(records(reader.as_ref(), &file, usize::MAX, 0..u32::MAX));
    for len in [2, 50, 100, 300, file.len() - 1] {
        let some = by_row(records(reader.as_ref(), &file[..len], 9, 0..u32::MAX));
        assert!(some.len() <= whole.len());
        for (call, expected) in some.iter().zip(&whole) {
            assert!(call == expected || call.is_incomplete(), "{}", call.json);
        }
    }
}

#[test]
fn calls_too_deep_for_the_timeline_are_records() {
    let mut w = Writer::new(&[]);
    let calls: Vec<u64> = (0..10_050).map(|_| w.enter(0, &GOOD, &Details::default())).collect();
    for call in calls.iter().rev() {
        w.leave(*call, &Details::result(Arg::Uint(*call)));
    }
    w.call(0, &GOOD, vec![], None);
    let calls = check(&w.finish(), &[64 * 1024], 10);
    assert_eq!(calls.len(), 10_051);
    assert!(calls.iter().all(|call| !call.is_incomplete()));
}

#[test]
fn an_index_of_a_part_gives_the_records_of_that_part() {
    let file = snappy(sample().stream(), 40);
    let mut before = 0;
    for len in (2..file.len()).step_by(11) {
        let mut decoder = common::open("apitrace", &file);
        let mut batch = EventBatch::with_capacity(1 << 16);
        decoder.push(&file[..len], &mut batch).unwrap();
        let reader = reader("apitrace", decoder.as_ref());
        let calls = records(reader.as_ref(), &file, usize::MAX, 0..u32::MAX);
        assert_eq!(calls.len() as u64, batch.records, "of {len} bytes");
        assert!(before <= calls.len());
        before = calls.len();
    }
    assert!(before > 5);
}

#[test]
fn keys_are_unique_and_members_have_theirs() {
    const TWICE: FunctionSig<'_> = FunctionSig { id: 1, name: "twice", args: &["x", "", "x"] };
    const OUTER: StructSig<'_> = StructSig { id: 1, name: "OUTER", members: &["a", "", ""] };
    const INNER: StructSig<'_> = StructSig { id: 2, name: "", members: &["b", ""] };
    let mut w = Writer::new(&[]);
    let inner = || Arg::Struct(&INNER, vec![Arg::Uint(1), Arg::Null]);
    let repr = Arg::Repr(Box::new((inner(), Arg::Uint(9))));
    let args = vec![Arg::Uint(1), Arg::Uint(2), Arg::Struct(&OUTER, vec![Arg::Uint(3), inner(), repr]), Arg::Uint(4)];
    w.call(0, &TWICE, args, None);
    let call = w.enter(0, &TWICE, &Details { args: vec![(2, Arg::Uint(1))], ..Details::default() });
    w.leave(call, &Details { args: vec![(0, Arg::Uint(1)), (2, Arg::Uint(2))], ..Details::default() });
    let calls = check(&w.finish(), &[1], 10);
    let args = |i: usize| calls[i].json.split_once("\"args\":").unwrap().1.to_string();
    assert_eq!(
        args(0),
        "{\"x\":1,\"argument 1\":2,\"argument 2\":{\"a\":3,\"b\":1,\"member 1\":null,\"member 2\":{\"b\":1,\
         \"member 1\":null}},\"argument 3\":4},\"flags\":[]}"
    );
    assert_eq!(args(1), "{\"x\":1,\"argument 1\":null,\"argument 2\":2},\"flags\":[]}");
}

#[test]
fn details_and_fields_have_the_same_arguments() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/apitrace");
    let traces = ["scene.trace", "scene.gzip.trace", "values.trace"];
    let mut files: Vec<Vec<u8>> = traces.iter().map(|name| fs::read(folder.join(name)).unwrap()).collect();
    files.push(snappy(sample().stream(), 40));
    for file in files {
        let (_, decoder) = decode("apitrace", &file, &[usize::MAX], 1 << 16);
        let reader = reader("apitrace", decoder.as_ref());
        let rows = reader.lanes()[0].rows;
        let mut visitor = Rows::new(0, 0..rows, usize::MAX, usize::MAX);
        read_all(reader.pass(0..u32::MAX).as_mut(), &file, 1000, &mut visitor).unwrap();
        let found = visitor.into_rows();
        assert_eq!(found.len() as u64, rows);
        for row in found {
            let details = common::details(&file, reader.as_ref(), row.locator).0.unwrap();
            let names = |fields: &[unspool_trace::Field], key: &str| {
                let field = fields.iter().find(|field| field.name == key);
                match field.map(|field| &field.value) {
                    Some(Value::Tree(fields)) => fields.iter().map(|field| field.name.to_string()).collect::<Vec<_>>(),
                    _ => Vec::new(),
                }
            };
            assert_eq!(names(&row.fields, "args"), names(&details.fields, "Arguments"), "{row:?}");
            let value = |fields: &[unspool_trace::Field], key: &str| {
                fields.iter().find(|field| field.name == key).map(|field| field.value.clone())
            };
            assert_eq!(value(&row.fields, "call"), value(&details.fields, "Call"));
            if value(&details.fields, "Return value").is_some() {
                assert!(value(&row.fields, "ret").is_some());
                assert_eq!(value(&row.fields, "frame"), value(&details.fields, "Frame"));
            }
        }
    }
}

#[test]
fn names_of_constants_are_escaped_in_the_dump() {
    const ODD: EnumSig<'_> = EnumSig { id: 1, values: &[("a\n\"b\"", 1)] };
    const FLAGS: BitmaskSig<'_> = BitmaskSig { id: 1, flags: &[("x\\y", 1), ("z", 2)] };
    let mut w = Writer::new(&[]);
    w.call(0, &DRAW, vec![Arg::Enum(&ODD, 1), Arg::Bitmask(&FLAGS, 7)], None);
    let calls = check(&w.finish(), &[1], 10);
    assert!(calls[0].json.contains(r#""mode":"a\n\"b\"","first":"x\\y | z | 0x4""#), "{}", calls[0].json);
}

#[test]
fn flags_without_letters_are_names_too() {
    const BLANK: BitmaskSig<'_> = BitmaskSig { id: 1, flags: &[("", 0), ("", 1), ("x", 2)] };
    let mut w = Writer::new(&[]);
    w.call(0, &DRAW, vec![Arg::Bitmask(&BLANK, 0), Arg::Bitmask(&BLANK, 7)], None);
    let calls = check(&w.finish(), &[1], 10);
    assert!(calls[0].json.contains(r#""mode":"","first":" | x | 0x4""#), "{}", calls[0].json);
}

#[test]
fn groups_and_markers_have_flags() {
    let mut w = Writer::new(&[]);
    w.call(0, &PUSH, vec![Arg::Null, Arg::Null, Arg::Null, Arg::Text(b"inner")], None);
    w.call(0, &POP, vec![], None);
    let calls = check(&w.finish(), &[1], 10);
    assert!(calls[0].json.ends_with("\"flags\":[\"begin-group\"]}"));
    assert!(calls[1].json.ends_with("\"flags\":[\"end-group\"]}"));
}

#[test]
fn an_index_of_something_else_is_refused() {
    for bytes in [&[][..], &[1, 2, 3], &[0xff; 100]] {
        assert!(unspool_formats::open_records("apitrace", bytes).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn the_pass_says_what_the_dump_says(stream in stream(), chunk in 1usize..400, portion in 1usize..300) {
        check(&snappy(&stream, chunk), &[portion], 10);
    }

    #[test]
    fn any_damage_leaves_the_records_of_the_timeline(
        stream in stream(),
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
        cut: proptest::sample::Index,
        chunk in 1usize..400,
        in_stream: bool,
    ) {
        let mut bytes = if in_stream { stream } else { snappy(&stream, chunk) };
        for (at, byte) in damage {
            let i = at.index(bytes.len());
            if i > 2 {
                bytes[i] = byte;
            }
        }
        bytes.truncate(2 + cut.index(bytes.len()));
        let file = if in_stream { snappy(&bytes, chunk) } else { bytes };
        let opens = (common::format("apitrace").open)(&file, OpenOptions::default()).is_ok();
        if opens && decode("apitrace", &file, &[usize::MAX], 1 << 16).0.error.is_none() {
            check(&file, &[3], 10);
        }
    }
}
