use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use std::path::{Path, PathBuf};
use std::{eprintln, fs};

use proptest::prelude::*;

use super::decode::{Bytes, Nest, Scalar};
use super::encode::{BitmaskSig, Details, EnumSig, FrameSig, FunctionSig, StructSig, Value, Writer, snappy};
use super::problems::{CUT_CALL, LEAVE_WITHOUT_ENTER, POP_WITHOUT_PUSH};
use super::skim::Event;
use super::*;
use crate::batch::{EventBatch, EventKind, TrackKind};
use crate::details::Value as Shown;
use crate::locator::Locator;
use crate::problem::{MALFORMED, Problem, TRUNCATED};
use crate::{Decoder, RecordDetails, Text, Want};

const GOOD: FunctionSig<'_> = FunctionSig { id: 4, name: "good", args: &["v"] };
const SWAP: FunctionSig<'_> = FunctionSig { id: 5, name: "glXSwapBuffers", args: &["dpy", "drawable"] };
const DRAW: FunctionSig<'_> = FunctionSig { id: 300, name: "glDrawArrays", args: &["mode", "first", "count"] };
const DATA: FunctionSig<'_> =
    FunctionSig { id: 70_000, name: "glBufferData", args: &["target", "size", "data", "usage"] };
const PUSH: FunctionSig<'_> =
    FunctionSig { id: 6, name: "glPushDebugGroup", args: &["source", "id", "length", "message"] };
const POP: FunctionSig<'_> = FunctionSig { id: 7, name: "glPopDebugGroup", args: &[] };
const MARK: FunctionSig<'_> = FunctionSig { id: 8, name: "D3DPERF_SetMarker", args: &["col", "wszName"] };
const MODE: EnumSig<'_> = EnumSig { id: 1, values: &[("GL_POINTS", 0), ("GL_TRIANGLES", 4), ("GL_NEGATIVE", -1)] };
const BITS: BitmaskSig<'_> = BitmaskSig { id: 1, flags: &[("NONE", 0), ("A", 1), ("B", 2)] };
const POINT: StructSig<'_> = StructSig { id: 9, name: "POINT", members: &["x", "y"] };

/// What a run over a file gave.
#[derive(Debug, Default, PartialEq)]
struct All {
    events: Vec<(EventKind, u32, u64, u32, Locator)>,
    tracks: Vec<(TrackKind, String)>,
    names: Vec<String>,
    problems: Vec<Problem>,
    records: u64,
}

impl All {
    /// Events of a track as text.
    fn track(&self, track: u32) -> Vec<String> {
        let of_track = self.events.iter().filter(|e| e.1 == track);
        of_track
            .map(|(kind, _, at, name, locator)| match kind {
                EventKind::Sample => format!("{} from {at}", locator.bits()),
                _ => format!("{kind:?} {} at {at}", self.names[*name as usize]),
            })
            .collect()
    }
}

/// The decoder of a trace.
fn open(head: &[u8], options: OpenOptions) -> Result<Box<dyn Decoder>> {
    Ok(super::open(head, options)?.stream().unwrap())
}

/// Reads a file as the engine does, in portions of the sizes given.
fn read(file: &[u8], mut portions: impl FnMut() -> usize, capacity: usize) -> (All, Box<dyn Decoder>) {
    let mut decoder =
        open(&file[..file.len().min(65536)], OpenOptions { size: Some(file.len() as u64), ..OpenOptions::default() })
            .unwrap();
    let mut all = All::default();
    let mut batch = EventBatch::with_capacity(capacity);
    let (mut held, mut rest) = (Vec::new(), file);
    let mut take = |batch: &mut EventBatch| {
        all.names.extend(batch.new_names.drain(..).map(|name| name.text));
        all.tracks.extend(batch.new_tracks.iter().map(|t| (t.kind, t.name.clone())));
        all.problems.append(&mut batch.problems);
        all.records += batch.records;
        for i in 0..batch.len() {
            all.events.push((batch.kinds[i], batch.tracks[i], batch.times[i], batch.names[i], batch.locators[i]));
        }
        batch.clear();
    };
    while decoder.want() == Want::Next {
        let progress = decoder.push(&held, &mut batch).unwrap();
        held.drain(..progress.used);
        let starved = progress.used == 0 && !batch.is_full();
        take(&mut batch);
        if !starved || decoder.want() != Want::Next {
            continue;
        }
        assert!(held.len() < 65536, "{} bytes are left over", held.len());
        if rest.is_empty() {
            decoder.end(&held, &mut batch).unwrap();
            take(&mut batch);
            break;
        }
        let (part, more) = rest.split_at(portions().clamp(1, rest.len()));
        held.extend_from_slice(part);
        rest = more;
    }
    assert_eq!(decoder.want(), Want::Nothing);
    (all, decoder)
}

fn whole(file: &[u8]) -> (All, Box<dyn Decoder>) {
    read(file, || usize::MAX, usize::MAX >> 8 & 0xffff)
}

/// Everything there is to know of the call or frame at a locator, asked for as a host does.
fn details(decoder: &dyn Decoder, file: &[u8], locator: Locator) -> Result<RecordDetails> {
    let cut = |range: crate::decoder::Range| {
        let rest = file.get(range.at as usize..).unwrap_or_default();
        &rest[..rest.len().min(range.len as usize)]
    };
    let Some(range) = decoder.details_range(locator) else { return decoder.details(locator, &[]) };
    let mut bytes = cut(range).to_vec();
    let mut stretches = 1;
    while let Some(range) = decoder.details_next(locator, &bytes) {
        bytes.extend_from_slice(cut(range));
        stretches += 1;
        assert!(stretches < 10, "asks again and again");
    }
    decoder.details(locator, &bytes)
}

fn field<'a>(details: &'a RecordDetails, path: &[&str]) -> &'a Shown {
    let mut fields = &details.fields;
    let mut value = &Shown::Null;
    for name in path {
        value = &fields.iter().find(|f| f.name == *name).unwrap_or_else(|| panic!("no {name} in {fields:?}")).value;
        if let Shown::Tree(inner) = value {
            fields = inner;
        }
    }
    value
}

/// The text of `apitrace dump -v`, as we print it.
fn dump(file: &[u8], thread_ids: bool, portion: usize) -> String {
    dump_all(file, thread_ids, portion).0
}

/// What is wrong with the file when it is printed.
fn dump_problems(file: &[u8]) -> Vec<Problem> {
    dump_all(file, false, file.len()).1
}

fn dump_all(file: &[u8], thread_ids: bool, portion: usize) -> (String, Vec<Problem>) {
    let options = OpenOptions { size: Some(file.len() as u64), ..OpenOptions::default() };
    let mut dump =
        super::text::open(&file[..file.len().min(65536)], Text::Apitrace { thread_ids }, options).unwrap().unwrap();
    let (mut all, mut out, mut held) = (String::new(), String::new(), Vec::new());
    for part in file.chunks(portion.max(1)) {
        held.extend_from_slice(part);
        let used = dump.push(&held, &mut out).unwrap().used;
        held.drain(..used);
        all.push_str(&out);
        out.clear();
    }
    dump.end(&held, &mut out).unwrap();
    (all + &out, dump.take_problems())
}

/// A trace with a bit of everything.
fn sample() -> Writer {
    let mut w = Writer::new(&[("process.name", "/usr/bin/sample"), ("a", "b")]);
    w.call(0, &GOOD, vec![Value::Int(-5)], Some(Value::Uint(7)));
    let push = |text: &'static [u8]| Details::args([Value::Null, Value::Uint(1), Value::Int(-1), Value::Text(text)]);
    let call = w.enter(0, &PUSH, &push(b"sky"));
    w.leave(call, &Details::default());
    w.call(0, &DRAW, vec![Value::Enum(&MODE, 4), Value::Uint(0), Value::Bitmask(&BITS, 5)], None);
    let outer = w.enter(0, &SWAP, &Details::args([Value::Pointer(0x1234), Value::Uint(1)]));
    let other = w.enter(
        9,
        &DATA,
        &Details { fake: true, ..Details::args([Value::Enum(&MODE, 99), Value::Uint(256), Value::Blob(&[7; 256])]) },
    );
    w.leave(outer, &Details { args: vec![(1, Value::Uint(2))], ..Details::default() });
    w.call(0, &POP, vec![], None);
    w.leave(
        other,
        &Details { args: vec![(3, Value::Float(0.1))], result: Some(Value::Bool(true)), ..Details::default() },
    );
    w.call(9, &MARK, vec![Value::Uint(3), Value::Wide("märk")], None);
    let nested = Value::Array(vec![
        Value::Struct(&POINT, vec![Value::Double(0.5), Value::Array(vec![Value::Text(b"one")])]),
        Value::Repr(Box::new((Value::Text(b"human"), Value::Blob(b"machine")))),
    ]);
    let backtrace = vec![FrameSig { id: 1, module: Some("libGL.so"), offset: Some(0x10), ..FrameSig::default() }];
    let last = w.enter(9, &GOOD, &Details { backtrace, ..Details::args([nested]) });
    w.leave(last, &Details::default());
    w.enter(0, &GOOD, &Details::args([Value::Text(b"open")]));
    w
}

#[test]
fn calls_groups_frames_markers_and_counters_become_events() {
    let (all, _) = whole(&sample().finish());
    assert_eq!(all.records, 9);
    let tracks: Vec<_> = all.tracks.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(tracks, ["frames", "draw calls per frame", "blob bytes per frame", "thread 0", "thread 9"]);
    // Call 4 leaves after the swap, so its blob counts for the frame after it.
    assert_eq!(all.track(0), ["Begin frame 0 at 0", "EndOf frame 0 at 5", "Begin frame 1 at 5"]);
    assert_eq!(all.track(1), ["1 from 0", "0 from 5"]);
    assert_eq!(all.track(2), ["0 from 0", "263 from 5"]);
    assert_eq!(
        all.track(3),
        [
            "Begin good at 0",
            "EndOf good at 1",
            "Begin sky at 1",
            "Begin glPushDebugGroup at 1",
            "EndOf glPushDebugGroup at 2",
            "Begin glDrawArrays at 2",
            "EndOf glDrawArrays at 3",
            "Begin glXSwapBuffers at 3",
            "EndOf glXSwapBuffers at 5",
            "Begin glPopDebugGroup at 5",
            "EndOf glPopDebugGroup at 6",
            "EndOf sky at 6",
            "Begin good at 8",
        ]
    );
    assert_eq!(
        all.track(4),
        [
            "Begin glBufferData at 4",
            "EndOf glBufferData at 6",
            "Begin D3DPERF_SetMarker at 6",
            "Instant märk at 6",
            "EndOf D3DPERF_SetMarker at 7",
            "Begin good at 7",
            "EndOf good at 8",
        ]
    );
    assert_eq!(all.problems, []);
}

#[test]
fn details_have_every_argument_from_both_ends_of_a_call() {
    let file = snappy(sample().stream(), 40);
    let (all, decoder) = whole(&file);
    let locator = |name: &str, nth: usize| {
        let named =
            |e: &&(EventKind, u32, u64, u32, Locator)| e.0 == EventKind::Begin && all.names[e.3 as usize] == name;
        all.events.iter().filter(named).nth(nth).unwrap().4
    };
    let of = |name: &str, nth: usize| details(decoder.as_ref(), &file, locator(name, nth)).unwrap();
    let data = of("glBufferData", 0);
    assert_eq!(field(&data, &["Call"]), &Shown::U64(4));
    assert_eq!(field(&data, &["Thread"]), &Shown::U64(9));
    assert_eq!(field(&data, &["Frame"]), &Shown::U64(1));
    assert_eq!(field(&data, &["Arguments", "target"]), &Shown::I64(99));
    assert_eq!(field(&data, &["Arguments", "data"]), &Shown::Bytes { bytes: vec![7; 256], len: 256 });
    assert_eq!(field(&data, &["Arguments", "usage"]), &Shown::F64(0.1));
    assert_eq!(field(&data, &["Return value"]), &Shown::Symbol { name: "true".into(), value: Box::new(Shown::U64(1)) });
    assert!(data.remarks[0].contains("did not make this call"));
    let swap = of("glXSwapBuffers", 0);
    assert_eq!(field(&swap, &["Arguments", "dpy"]), &Shown::Hex(0x1234));
    assert_eq!(field(&swap, &["Arguments", "drawable"]), &Shown::U64(2), "the later one wins");
    let draw = of("glDrawArrays", 0);
    assert_eq!(
        field(&draw, &["Arguments", "mode"]),
        &Shown::Symbol { name: "GL_TRIANGLES".into(), value: Box::new(Shown::I64(4)) }
    );
    assert_eq!(
        field(&draw, &["Arguments", "count"]),
        &Shown::Symbol { name: "A | 0x4".into(), value: Box::new(Shown::Hex(5)) }
    );
    let nested = of("good", 1);
    let Shown::List(parts) = field(&nested, &["Arguments", "v"]) else { panic!() };
    assert!(matches!(&parts[0], Shown::Tree(members) if members[0].name == "x" && members[0].value == Shown::F64(0.5)));
    assert!(matches!(&parts[1], Shown::Tree(both) if both[1].name == "machine form"));
    assert_eq!(field(&nested, &["Backtrace"]), &Shown::List(vec![Shown::Text("libGL.so+0x10".into())]));
    let open = of("good", 2);
    assert_eq!(field(&open, &["Call"]), &Shown::U64(8));
    assert!(open.remarks[0].contains("never returned"), "{:?}", open.remarks);
    let frame = of("frame 0", 0);
    assert_eq!(field(&frame, &["Draw calls"]), &Shown::U64(1));
    assert_eq!(field(&frame, &["Last call"]), &Shown::U64(4));
    assert_eq!(field(&of("frame 1", 0), &["Bytes in blobs"]), &Shown::U64(263));
}

#[test]
fn a_click_decodes_little_and_jumps_over_blobs() {
    let mut w = Writer::new(&[]);
    let blob: Vec<u8> = (0..40u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for i in 0..40_000 {
        w.call(0, &GOOD, vec![Value::Uint(i)], None);
    }
    w.call(
        0,
        &DATA,
        vec![Value::Null, Value::Uint(1), Value::Blob(&blob), Value::Text(b"usage")],
        Some(Value::Uint(3)),
    );
    w.call(0, &GOOD, vec![Value::Text(b"last")], None);
    let file = w.finish();
    let (all, decoder) = whole(&file);
    let begins: Vec<_> = all.events.iter().filter(|e| e.0 == EventKind::Begin && e.1 == 3).collect();
    let big = details(decoder.as_ref(), &file, begins[40_000].4).unwrap();
    assert_eq!(field(&big, &["Arguments", "usage"]), &Shown::Text("usage".into()));
    assert_eq!(field(&big, &["Return value"]), &Shown::U64(3));
    assert!(
        matches!(field(&big, &["Arguments", "data"]), Shown::Bytes { bytes, len: 41_943_040 } if bytes[..] == blob[..65536])
    );
    let last = details(decoder.as_ref(), &file, begins[40_001].4).unwrap();
    assert_eq!(field(&last, &["Arguments", "v"]), &Shown::Text("last".into()));
    assert_eq!(last.remarks, [] as [&str; 0]);

    // The same with the decoder's own type, which counts.
    let mut decoder = events::ApitraceDecoder::new(Beginning::of(&file[..65536]), OpenOptions::default());
    let mut batch = EventBatch::with_capacity(1 << 20);
    let mut used = 0;
    while used < file.len() {
        used += decoder.push(&file[used..], &mut batch).unwrap().used;
        batch.clear();
    }
    decoder.end(&[], &mut batch).unwrap();
    for begin in [begins[0], begins[20_000], begins[39_999], begins[40_000], begins[40_001]] {
        let range = decoder.range_of(begin.4).unwrap();
        assert!(range.len <= (1 << 20) + (1 << 18));
        let mut bytes = file[range.at as usize..(range.at + range.len).min(file.len() as u64) as usize].to_vec();
        while let Some(range) = decoder.next_range_of(begin.4, &bytes) {
            bytes.extend_from_slice(&file[range.at as usize..(range.at + range.len).min(file.len() as u64) as usize]);
        }
        let decoded = decoder.decoded(begin.4, &bytes);
        // A blob of many chunks has one at its beginning and one behind it.
        let places = if begin.4 == begins[40_000].4 { 2 } else { 1 };
        assert!(decoded <= places * ((1 << 20) + 64 * 1024), "{decoded} bytes decoded for one click");
    }
}

#[test]
fn without_random_access_details_come_from_the_stream_that_is_kept() {
    let mut w = sample();
    let blob: Vec<u8> = (0..3u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    w.call(0, &DATA, vec![Value::Null, Value::Uint(1), Value::Blob(&blob), Value::Text(b"usage")], None);
    w.call(0, &GOOD, vec![Value::Text(b"last")], None);
    let snappy = snappy(w.stream(), 1 << 20);
    let mut gzip = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    gzip.extend(miniz_oxide::deflate::compress_to_vec(w.stream(), 1));
    let (by_list, listed) = whole(&snappy);
    let (by_spool, kept) = whole(&gzip);
    assert_eq!(by_list, by_spool);
    for event in by_list.events.iter().filter(|e| e.0 == EventKind::Begin) {
        let expected = details(listed.as_ref(), &snappy, event.4).unwrap();
        assert_eq!(kept.details(event.4, &[]).unwrap(), expected);
    }

    // Of a stream beyond the limit the beginning is kept.
    let limits = crate::Limits { spool: 1000, ..crate::Limits::DEFAULT };
    let mut decoder = open(&gzip, OpenOptions { size: None, limits }).unwrap();
    let mut batch = EventBatch::with_capacity(1000);
    let used = decoder.push(&gzip, &mut batch).unwrap().used;
    decoder.end(&gzip[used..], &mut batch).unwrap();
    let begins: Vec<_> =
        by_list.events.iter().filter(|e| e.0 == EventKind::Begin && !e.4.is_other()).map(|e| e.4).collect();
    assert!(decoder.details(begins[0], &[]).is_ok());
    let error = decoder.details(begins[begins.len() - 1], &[]).unwrap_err();
    assert!(error.to_string().contains("repack"), "{error}");
}

#[test]
fn empty_cut_and_broken_files_say_so() {
    let (all, decoder) = whole(b"at");
    assert_eq!((all.records, all.problems.len()), (0, 0));
    assert!(decoder.info().when_empty.contains("killed"));

    let file = sample().finish();
    let (all, _) = whole(&file[..file.len() - 3]);
    assert_eq!(all.problems.iter().map(|p| (p.kind, p.value)).collect::<Vec<_>>(), [(&CUT_CALL, 8), (&TRUNCATED, 3)]);
    assert_eq!(all.records, 9, "the call that is cut is shown all the same");

    let mut stream = sample().stream().to_vec();
    stream.push(7);
    stream.extend([0; 100]);
    let file = snappy(&stream, 1 << 20);
    let (all, _) = whole(&file);
    assert_eq!(all.problems, [Problem { at: 2, kind: &MALFORMED, value: file.len() as u64 - 2 }]);
    assert_eq!(all.records, 9);

    let mut w = Writer::new(&[]);
    w.leave(77, &Details::default());
    w.call(0, &POP, vec![], None);
    let (all, _) = whole(&w.finish());
    assert_eq!(
        all.problems.iter().map(|p| (p.kind, p.value)).collect::<Vec<_>>(),
        [(&LEAVE_WITHOUT_ENTER, 77), (&POP_WITHOUT_PUSH, 0)]
    );

    let error = open(&snappy(&[7, 0, 0], 100), OpenOptions::default()).err().unwrap();
    assert_eq!(error.to_string(), "at byte 0: apitrace trace version 7 is not supported; supported versions: 0 to 6");
}

#[test]
fn a_container_that_is_damaged_costs_the_rest_of_the_file_in_both_modes() {
    let stream = sample().stream().to_vec();
    // The second chunk is no Snappy block, and a third would be whole.
    let mut file = snappy(&stream, 1 << 20);
    let at = file.len() as u64;
    file.extend([&[3, 0, 0, 0, 9, 0xff, 0xff][..], &snappy(b"more", 100)[2..]].concat());
    let lost = Problem { at, kind: &MALFORMED, value: file.len() as u64 - at };
    assert_eq!(whole(&file).0.problems, [lost]);
    assert_eq!(dump_problems(&file), [lost]);
}

#[test]
fn a_header_that_is_cut_is_told_in_both_modes() {
    let file = snappy(&sample().stream()[..2], 100);
    let cut = Problem { at: whole(&file).0.problems[0].at, kind: &TRUNCATED, value: 0 };
    assert_eq!(whole(&file).0.problems, [cut]);
    assert_eq!(dump_problems(&file), [cut]);
}

#[test]
fn groups_end_with_the_call_they_were_pushed_in() {
    let mut w = Writer::new(&[]);
    let outer = w.enter(0, &GOOD, &Details::default());
    w.call(0, &PUSH, vec![Value::Null, Value::Null, Value::Null, Value::Text(b"inner")], None);
    w.leave(outer, &Details::default());
    w.call(0, &POP, vec![], None);
    let (all, _) = whole(&w.finish());
    assert!(!all.track(3).contains(&"EndOf inner at 3".to_string()));
    assert_eq!(all.problems.len(), 1, "the pop has no group any more");
}

/// Tells everything in words, and what a skimming sink would be told.
#[derive(Default)]
struct Log {
    words: Vec<String>,
    events: Vec<String>,
    blobs: u64,
    event: String,
}

impl Sink for Log {
    fn enter(&mut self, _: &Tables, enter: Enter) {
        self.event = format!("{enter:?}");
        self.blobs = 0;
    }
    fn leave(&mut self, _: &Tables, at: u64, call: u64) {
        self.event = format!("leave {call} at {at}");
        self.blobs = 0;
    }
    fn event_end(&mut self, _: &Tables, end: u64) {
        self.events.push(format!("{} to {end} with {}", self.event, self.blobs));
    }
    fn scalar(&mut self, _: &Tables, value: Scalar) {
        // By its bits: a NaN is not equal to itself.
        self.words.push(format!("{value:?}"));
    }
    fn begin_bytes(&mut self, _: &Tables, kind: Bytes, len: u64) {
        self.words.push(format!("{kind:?} {len}"));
        if kind == Bytes::Blob {
            self.blobs += len;
        }
    }
    fn open(&mut self, _: &Tables, nest: Nest) {
        self.words.push(format!("{nest:?}"));
    }
    fn close(&mut self, _: &Tables) {
        self.words.push("close".into());
    }
}

#[derive(Default)]
struct Skim(Log);

impl Sink for Skim {
    const SKIM: bool = true;
    fn enter(&mut self, tables: &Tables, enter: Enter) {
        self.0.enter(tables, enter);
    }
    fn leave(&mut self, tables: &Tables, at: u64, call: u64) {
        self.0.leave(tables, at, call);
    }
    fn event_end(&mut self, tables: &Tables, end: u64) {
        self.0.event_end(tables, end);
    }
    fn whole(&mut self, _: &Tables, event: Event, end: u64, blobs: u64) {
        self.0.events.push(match event {
            Event::Enter(enter) => format!("{enter:?} to {end} with {blobs}"),
            Event::Leave { at, call } => format!("leave {call} at {at} to {end} with {blobs}"),
        });
    }
    fn begin_bytes(&mut self, tables: &Tables, kind: Bytes, len: u64) {
        self.0.begin_bytes(tables, kind, len);
    }
}

/// Walks over a stream in portions; answers how far it came, and whether that is all.
fn walk(
    stream: &[u8],
    sink: &mut impl Sink,
    mut portion: impl FnMut() -> usize,
) -> (u64, Option<Broken>, decode::Cut, u64) {
    let (mut walk, mut tables) = (Walk::new(), Tables::default());
    let (mut from, mut to) = (0, 0);
    loop {
        match walk.run(&stream[from..to], &mut tables, sink) {
            Ok(used) => from += used,
            Err(broken) => return (walk.at(), Some(broken), decode::Cut::Nothing, walk.calls()),
        }
        assert!(to - from < 64, "a primitive is short");
        if to == stream.len() {
            return (walk.at(), None, walk.cut(&stream[from..to]), walk.calls());
        }
        to = (to + portion().max(1)).min(stream.len());
    }
}

/// Skimming, reading, and both in other portions: the same bytes and the same events.
fn agree(stream: &[u8], mut portion: impl FnMut() -> usize) {
    let (mut full, mut skim, mut parts, mut skim_parts) =
        (Log::default(), Skim::default(), Log::default(), Skim::default());
    let by_full = walk(stream, &mut full, || usize::MAX >> 1);
    assert_eq!(by_full, walk(stream, &mut skim, || usize::MAX >> 1));
    assert_eq!(by_full, walk(stream, &mut parts, &mut portion));
    assert_eq!(by_full, walk(stream, &mut skim_parts, &mut portion));
    assert_eq!(full.events, skim.0.events);
    assert_eq!(full.events, skim_parts.0.events);
    assert_eq!((full.words, full.events), (parts.words, parts.events));
}

/// Every trace of the corpus, in any folder.
fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/apitrace");
    if !root.is_dir() {
        eprintln!("skipped: there is no corpus beside the project");
        return Vec::new();
    }
    let (mut files, mut folders) = (Vec::new(), vec![root]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "trace") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn skimming_and_reading_use_up_the_same_bytes_of_every_corpus_file() {
    for path in corpus() {
        let file = fs::read(&path).unwrap();
        let stream = peek(Container::of(&file), &file, 3 << 20);
        let mut n = 0usize;
        agree(&stream, || {
            n = (n * 31 + 7) % 977;
            n + 1
        });
    }
}

#[test]
fn details_of_every_call_of_the_small_corpus_files() {
    for path in corpus() {
        let file = fs::read(&path).unwrap();
        let Ok(mut decoder) = open(&file, OpenOptions::default()) else { continue };
        if file.len() > 60_000 {
            continue;
        }
        let mut batch = EventBatch::with_capacity(1 << 20);
        decoder.push(&file, &mut batch).unwrap();
        decoder.end(&[], &mut batch).unwrap();
        for i in (0..batch.len()).filter(|i| batch.kinds[*i] == EventKind::Begin) {
            let name = &batch.new_names[batch.names[i] as usize].text;
            let details = details(decoder.as_ref(), &file, batch.locators[i]).unwrap();
            let is_call = !batch.locators[i].is_other();
            if is_call {
                assert_eq!(field(&details, &["Call"]), &Shown::U64(batch.times[i]), "{} {name}", path.display());
            }
        }
    }
}

#[test]
fn sniffs_every_corpus_file_and_nothing_else() {
    for path in corpus() {
        let file = fs::read(&path).unwrap();
        let head = &file[..file.len().min(65536)];
        let guess = sniff(&Probe { head, tail: head, size: file.len() as u64, name: "" });
        assert_eq!(guess.is_some(), !file.is_empty(), "{}", path.display());
    }
    let no = [
        &b"attention please, this is a text"[..],
        b"at", // with a size that says there is more
        b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x4c\x4a\x06\0",
        b"\x28\xb5\x2f\xfd",
        b"\x05\0\x01\0\x03\0\0\0",
        b"\0\0\0\0\0\0\0\0",
        b"",
    ];
    for head in no {
        assert_eq!(sniff(&Probe { head, tail: head, size: 1000, name: "x.trace" }), None, "{head:?}");
    }
}

/// One event of a generated stream.
fn value(depth: u32) -> BoxedStrategy<Value<'static>> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        any::<u64>().prop_map(Value::Uint),
        any::<f32>().prop_map(Value::Float),
        any::<f64>().prop_map(Value::Double),
        proptest::sample::select(vec![&b""[..], b"text", b"\xff\0\x1b\""]).prop_map(Value::Text),
        proptest::sample::select(vec![&b""[..], &[1; 300]]).prop_map(Value::Blob),
        any::<i64>().prop_map(|n| Value::Enum(&MODE, n % 6)),
        any::<u64>().prop_map(|n| Value::Bitmask(&BITS, n % 9)),
        any::<u64>().prop_map(Value::Pointer),
        Just(Value::Wide("wide \u{1f600}")),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    prop_oneof![
        6 => leaf,
        1 => proptest::collection::vec(value(depth - 1), 0..4).prop_map(Value::Array),
        1 => (value(depth - 1), value(depth - 1)).prop_map(|(x, y)| Value::Struct(&POINT, vec![x, y])),
        1 => (value(depth - 1), value(depth - 1)).prop_map(|both| Value::Repr(Box::new(both))),
    ]
    .boxed()
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    let functions = prop_oneof![Just(GOOD), Just(SWAP), Just(DRAW), Just(DATA), Just(PUSH), Just(POP), Just(MARK)];
    let event = (functions, 0u64..3, proptest::collection::vec(value(3), 0..4), proptest::option::of(value(1)), 0u8..8);
    proptest::collection::vec(event, 0..30).prop_map(|events| {
        let mut w = Writer::new(&[("process.name", "x")]);
        let mut open = Vec::new();
        for (function, thread, args, result, how) in events {
            let fake = how == 1;
            let backtrace =
                if how == 2 { vec![FrameSig { id: thread, line: Some(3), ..FrameSig::default() }] } else { vec![] };
            let call = w.enter(thread, &function, &Details { fake, backtrace, ..Details::args(args) });
            if how == 3 {
                open.push((call, result));
            } else {
                w.leave(call, &Details { result, ..Details::default() });
            }
            if how == 4
                && let Some((call, result)) = open.pop()
            {
                w.leave(call, &Details { result, ..Details::default() });
            }
        }
        w.stream().to_vec()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn skimming_and_reading_agree(stream in stream(), damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..3), sizes in proptest::collection::vec(1usize..40, 1..20)) {
        let mut stream = stream;
        for (at, byte) in damage {
            let i = at.index(stream.len());
            stream[i] = byte;
        }
        let mut n = 0;
        agree(&stream, || { n += 1; sizes[n % sizes.len()] });
    }

    #[test]
    fn any_portions_give_the_same_events(stream in stream(), chunk in 1usize..400, sizes in proptest::collection::vec(1usize..300, 1..20), capacity in 1usize..50) {
        let file = snappy(&stream, chunk);
        let mut n = 0;
        let (parts, _) = read(&file, || { n += 1; sizes[n % sizes.len()] }, capacity);
        let (all, decoder) = whole(&file);
        prop_assert_eq!(&parts, &all);
        prop_assert_eq!(dump(&file, true, sizes[0]), dump(&file, true, usize::MAX));
        for event in all.events.iter().filter(|e| e.0 == EventKind::Begin) {
            let details = details(decoder.as_ref(), &file, event.4).unwrap();
            if !event.4.is_other() {
                prop_assert_eq!(field(&details, &["Call"]), &Shown::U64(event.2));
            }
        }
    }

    #[test]
    fn no_damage_makes_it_panic(stream in stream(), damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6), cut: proptest::sample::Index, chunk in 1usize..400) {
        let mut file = snappy(&stream, chunk);
        for (at, byte) in damage {
            let i = at.index(file.len());
            if i > 1 {
                file[i] = byte;
            }
        }
        file.truncate(2 + cut.index(file.len()));
        if let Ok(Some(_)) = super::text::open(&file, Text::Apitrace { thread_ids: true }, OpenOptions::default()) {
            let (parts, _) = read(&file, || 3, 1000);
            let (all, decoder) = whole(&file);
            prop_assert_eq!(&parts, &all);
            dump(&file, true, 7);
            for event in &all.events {
                let _ = details(decoder.as_ref(), &file, event.4);
            }
            let _ = details(decoder.as_ref(), &file, Locator::at(all.events.len() as u64));
        }
    }
}
