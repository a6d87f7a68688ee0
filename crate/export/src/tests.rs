//! What is written, read back by other programs' readers of the same formats.

use prost::Message;
use unspool_trace::batch::{Key, SliceKind};
use unspool_trace::{StatementId, TrackDef, TrackKind, ValueKind};

use super::*;

/// A trace in memory: a thread that calls, a track of lifetimes, and a counter.
struct Memory {
    parts: Vec<Part>,
    slices: Vec<Slice>,
    instants: Vec<Instant>,
    samples: Vec<Sample>,
    /// Every row is missing when it is first asked for.
    missing: bool,
}

fn trace() -> Trace {
    let below = |kind, name| TrackDef { parent: Some(0), ..TrackDef::new(kind, name) };
    let head = Head {
        title: "XRay".into(),
        frequency: Some(2_000_000_000),
        unit: "tick".into(),
        origin: 1000,
        end: 3000,
        tracks: vec![
            TrackDef { id: Some(7), ..TrackDef::new(TrackKind::Process, "app") },
            TrackDef { id: Some(7), ..below(TrackKind::Thread, "main") },
            TrackDef { stacking: Stacking::Overlapping, ..below(TrackKind::Lane, "buffers") },
            below(TrackKind::Counter, "n"),
            TrackDef { values: ValueKind::Float, ..TrackDef::new(TrackKind::Counter, "a load") },
        ],
    };
    let names = ["main", "=draw;\"all\"", "flush", "buffer"].map(|name| name.to_string().into());
    Trace { name: "app.xray".into(), head, range: None, names: names.into() }
}

fn memory() -> Memory {
    let slice =
        |row, parent, depth, (start, end), name| Slice { row, parent, depth, start, end, name, ..Slice::default() };
    Memory {
        parts: vec![
            Part { table: Table::Slices, track: 1, depth: 0, first: 0, len: 2 },
            Part { table: Table::Slices, track: 1, depth: 1, first: 2, len: 3 },
            Part { table: Table::Slices, track: 1, depth: 2, first: 5, len: 1 },
            Part { table: Table::Slices, track: 2, depth: 0, first: 6, len: 1 },
            Part { table: Table::Slices, track: 2, depth: 1, first: 7, len: 1 },
            Part { table: Table::Instants, track: 1, depth: 0, first: 0, len: 1 },
            Part { table: Table::Counters, track: 3, depth: 0, first: 0, len: 2 },
            Part { table: Table::Counters, track: 4, depth: 0, first: 2, len: 1 },
        ],
        slices: vec![
            slice(0, None, 0, (1000, 3000), 0),
            slice(1, None, 0, (3000, 3000), 0),
            slice(2, Some(0), 1, (1000, 2000), 1),
            slice(3, Some(0), 1, (2000, 3000), 2),
            // Within the second call of main, which has no duration either.
            slice(4, Some(1), 1, (3000, 3000), 2),
            slice(5, Some(2), 2, (1200, 1400), 2),
            slice(6, None, 0, (1100, 2500), 3),
            Slice { flags: 2, ..slice(7, None, 1, (1500, 3000), 3) },
        ],
        instants: vec![Instant { time: 1300, name: 2, locator: 9 }],
        samples: vec![
            Sample { time: 1000, value: Number::Int(-4) },
            Sample { time: 2000, value: Number::Unsigned(u64::MAX) },
            Sample { time: 1500, value: Number::Real(-0.25) },
        ],
        missing: false,
    }
}

impl Source for Memory {
    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn slice(&mut self, part: usize, index: u64) -> Option<Slice> {
        self.missing = !self.missing;
        if self.missing {
            return None;
        }
        Some(self.slices[(self.parts[part].first + index) as usize])
    }

    fn instant(&mut self, part: usize, index: u64) -> Option<Instant> {
        Some(self.instants[(self.parts[part].first + index) as usize])
    }

    fn sample(&mut self, part: usize, index: u64) -> Option<Sample> {
        Some(self.samples[(self.parts[part].first + index) as usize])
    }

    fn args(&mut self, _track: u32, locator: u64, into: &mut Vec<Arg>) {
        if locator == 9 {
            into.push(Arg::Field("mode".into(), Value::Text("GL_\u{1}\"".into())));
            into.push(Arg::Open("m".into(), true));
            into.push(Arg::Field(String::new(), Value::Real(0.5)));
            into.push(Arg::Open(String::new(), false));
            into.push(Arg::Field("p".into(), Value::Pointer(16)));
            into.push(Arg::Close);
            into.push(Arg::Close);
            into.push(Arg::Field("n".into(), Value::Int(-1)));
        }
    }
}

fn written_of(trace: Trace, format: Format) -> Vec<u8> {
    let mut source = memory();
    let mut out = Vec::new();
    let mut export = Export::new(trace, format.writer(), vec![0, 1, 2, 3, 4], true);
    for _ in 0..1000 {
        if export.step(&mut source, 1, &mut out) == Step::Done {
            return out;
        }
    }
    panic!("an export ends");
}

fn written(format: Format) -> Vec<u8> {
    written_of(trace(), format)
}

#[test]
fn chrome_has_complete_events_in_microseconds() {
    let json: serde_json::Value = serde_json::from_slice(&written(Format::Chrome)).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    let of = |phase: &str| events.iter().filter(|event| event["ph"] == phase).collect::<Vec<_>>();
    let complete: Vec<_> = of("X")
        .iter()
        .map(|e| (e["name"].as_str().unwrap(), e["ts"].as_f64().unwrap(), e["dur"].as_f64().unwrap()))
        .collect();
    assert_eq!(
        complete,
        [
            ("main", 0.0, 1.0),
            ("=draw;\"all\"", 0.0, 0.5),
            ("flush", 0.1, 0.1),
            ("flush", 0.5, 0.5),
            ("main", 1.0, 0.0),
            ("flush", 1.0, 0.0)
        ]
    );
    assert!(of("X").iter().all(|event| event["pid"] == 7 && event["tid"] == 7));
    assert_eq!((of("b").len(), of("e").len()), (2, 2));
    assert_eq!(of("b")[1]["args"]["flags"], "never-ended");
    let instant = of("i")[0];
    assert_eq!(instant["args"], serde_json::json!({"mode": "GL_\u{1}\"", "m": [0.5, {"p": "0x10"}], "n": -1}));
    assert_eq!(of("C")[1]["args"]["value"], u64::MAX);
    assert_eq!(of("M").len(), 6, "two processes, and a name and a place for each of two threads");
}

/// The messages of Perfetto that are written, with the field numbers of its sources.
mod perfetto_proto {
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Trace {
        #[prost(message, repeated, tag = "1")]
        pub packet: Vec<Packet>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Packet {
        #[prost(uint64, optional, tag = "8")]
        pub timestamp: Option<u64>,
        #[prost(uint32, tag = "10")]
        pub sequence: u32,
        #[prost(message, optional, tag = "11")]
        pub event: Option<Event>,
        #[prost(message, optional, tag = "12")]
        pub interned: Option<Interned>,
        #[prost(uint32, tag = "13")]
        pub flags: u32,
        #[prost(message, optional, tag = "60")]
        pub track: Option<Descriptor>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Event {
        #[prost(message, repeated, tag = "4")]
        pub annotations: Vec<Annotation>,
        #[prost(int32, tag = "9")]
        pub kind: i32,
        #[prost(uint64, optional, tag = "10")]
        pub name_iid: Option<u64>,
        #[prost(uint64, tag = "11")]
        pub track: u64,
        #[prost(int64, optional, tag = "30")]
        pub value: Option<i64>,
        #[prost(double, optional, tag = "44")]
        pub double: Option<f64>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Annotation {
        #[prost(string, tag = "10")]
        pub name: String,
        #[prost(int64, optional, tag = "4")]
        pub int: Option<i64>,
        #[prost(double, optional, tag = "5")]
        pub double: Option<f64>,
        #[prost(string, optional, tag = "6")]
        pub text: Option<String>,
        #[prost(uint64, optional, tag = "7")]
        pub pointer: Option<u64>,
        #[prost(message, repeated, tag = "11")]
        pub members: Vec<Annotation>,
        #[prost(message, repeated, tag = "12")]
        pub parts: Vec<Annotation>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Interned {
        #[prost(message, repeated, tag = "2")]
        pub names: Vec<Name>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Name {
        #[prost(uint64, tag = "1")]
        pub iid: u64,
        #[prost(string, tag = "2")]
        pub name: String,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Descriptor {
        #[prost(uint64, tag = "1")]
        pub uuid: u64,
        #[prost(string, tag = "2")]
        pub name: String,
        #[prost(message, optional, tag = "3")]
        pub process: Option<Process>,
        #[prost(message, optional, tag = "4")]
        pub thread: Option<Thread>,
        #[prost(uint64, tag = "5")]
        pub parent: u64,
        #[prost(message, optional, tag = "8")]
        pub counter: Option<Counter>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Process {
        #[prost(int32, tag = "1")]
        pub pid: i32,
        #[prost(string, tag = "6")]
        pub name: String,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Thread {
        #[prost(int32, tag = "1")]
        pub pid: i32,
        #[prost(int32, tag = "2")]
        pub tid: i32,
        #[prost(string, tag = "5")]
        pub name: String,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Counter {}
}

#[test]
fn perfetto_has_begins_and_ends_that_nest() {
    let read = perfetto_proto::Trace::decode(&*written(Format::Perfetto)).unwrap();
    assert_eq!(read.packet[0].flags, 3, "names are defined again");
    assert!(read.packet.iter().skip(1).all(|packet| packet.flags == 2 && packet.sequence == 1));
    let tracks: Vec<_> = read.packet.iter().filter_map(|packet| packet.track.as_ref()).collect();
    let thread = tracks.iter().find(|track| track.thread.is_some()).unwrap();
    assert_eq!(thread.thread.as_ref().unwrap().name, "main");
    assert_eq!((thread.thread.as_ref().unwrap().pid, thread.thread.as_ref().unwrap().tid), (7, 7));
    let mut names = std::collections::HashMap::new();
    let (mut events, mut open) = (Vec::new(), Vec::new());
    for packet in &read.packet {
        for name in packet.interned.iter().flat_map(|interned| &interned.names) {
            assert!(names.insert(name.iid, name.name.clone()).is_none(), "a name is defined once");
        }
        let Some(event) = &packet.event else { continue };
        let at = packet.timestamp.unwrap();
        match event.kind {
            1 if event.track == thread.uuid => open.push((names[&event.name_iid.unwrap()].clone(), at)),
            2 if event.track == thread.uuid => {
                let (name, from) = open.pop().expect("a begin before each end");
                events.push((name, from, at));
            }
            _ => {}
        }
    }
    assert!(open.is_empty());
    let expected = [("flush", 100, 200), ("=draw;\"all\"", 0, 500), ("flush", 500, 1000), ("main", 0, 1000)];
    assert_eq!(events[..4], expected.map(|(name, from, to)| (name.to_string(), from, to)));
    assert_eq!(events[4..], [("flush", 1000, 1000), ("main", 1000, 1000)].map(|(n, a, b)| (n.to_string(), a, b)));
    // Lifetimes overlap, so that each depth has a track.
    let below: Vec<_> = tracks.iter().filter(|track| track.name == "buffers" && track.parent == 4).collect();
    assert_eq!(below.len(), 2);
    let all: Vec<_> = read.packet.iter().filter_map(|packet| packet.event.as_ref()).collect();
    let values: Vec<_> = all.iter().filter(|event| event.kind == 4).map(|event| (event.value, event.double)).collect();
    assert_eq!(values, [(Some(-4), None), (None, Some(u64::MAX as f64)), (None, Some(-0.25))]);
    let instant = all.iter().find(|event| event.kind == 3).unwrap();
    assert_eq!(instant.annotations.len(), 3);
    assert_eq!(instant.annotations[1].parts[1].members[0].pointer, Some(16));
    assert_eq!(instant.annotations[2].int, Some(-1));
}

#[test]
fn speedscope_has_a_profile_for_each_thread() {
    let json: serde_json::Value = serde_json::from_slice(&written(Format::Speedscope)).unwrap();
    let profiles = json["profiles"].as_array().unwrap();
    assert_eq!(profiles.len(), 1, "lifetimes are no calls");
    let profile = &profiles[0];
    assert_eq!((profile["startValue"].as_u64(), profile["endValue"].as_u64()), (Some(0), Some(1000)));
    let (mut open, mut last) = (Vec::new(), 0);
    for event in profile["events"].as_array().unwrap() {
        let at = event["at"].as_u64().unwrap();
        assert!(at >= last, "in the order of time");
        last = at;
        match event["type"].as_str().unwrap() {
            "O" => open.push(event["frame"].as_u64()),
            _ => assert_eq!(open.pop(), Some(event["frame"].as_u64())),
        }
    }
    assert!(open.is_empty());
    assert_eq!(json["shared"]["frames"][1]["name"], "=draw;\"all\"");
}

#[test]
fn folded_stacks_have_self_times() {
    let text = String::from_utf8(written(Format::Folded)).unwrap();
    assert_eq!(text, "main;=draw:\"all\" 400\nmain;=draw:\"all\";flush 100\nmain;flush 500\n");
    let part = written_of(Trace { range: Some((1300, 2200)), ..trace() }, Format::Folded);
    assert_eq!(
        String::from_utf8(part).unwrap(),
        "main;=draw:\"all\" 300\nmain;=draw:\"all\";flush 50\nmain;flush 100\n",
        "only what is in the range counts"
    );
}

/// The messages of pprof that are written.
mod pprof_proto {
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Profile {
        #[prost(message, repeated, tag = "1")]
        pub types: Vec<Type>,
        #[prost(message, repeated, tag = "2")]
        pub samples: Vec<Sample>,
        #[prost(message, repeated, tag = "4")]
        pub locations: Vec<Location>,
        #[prost(message, repeated, tag = "5")]
        pub functions: Vec<Function>,
        #[prost(string, repeated, tag = "6")]
        pub strings: Vec<String>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Type {
        #[prost(int64, tag = "1")]
        pub kind: i64,
        #[prost(int64, tag = "2")]
        pub unit: i64,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Sample {
        #[prost(uint64, repeated, tag = "1")]
        pub stack: Vec<u64>,
        #[prost(int64, repeated, tag = "2")]
        pub values: Vec<i64>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Location {
        #[prost(uint64, tag = "1")]
        pub id: u64,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Function {
        #[prost(uint64, tag = "1")]
        pub id: u64,
        #[prost(int64, tag = "2")]
        pub name: i64,
    }
}

#[test]
fn pprof_has_calls_and_self_times_of_stacks() {
    let file = written(Format::Pprof);
    let content = miniz_oxide::inflate::decompress_to_vec(&file[10..file.len() - 8]).unwrap();
    assert_eq!(file[file.len() - 8..file.len() - 4], crc32fast::hash(&content).to_le_bytes());
    let profile = pprof_proto::Profile::decode(&*content).unwrap();
    assert_eq!(profile.strings[0], "");
    let text = |at: i64| profile.strings[at as usize].as_str();
    let types: Vec<_> = profile.types.iter().map(|it| (text(it.kind), text(it.unit))).collect();
    assert_eq!(types, [("calls", "count"), ("time", "nanoseconds")]);
    let name = |id: u64| text(profile.functions.iter().find(|function| function.id == id).unwrap().name);
    let samples: Vec<(Vec<&str>, &[i64])> = profile
        .samples
        .iter()
        .map(|sample| (sample.stack.iter().map(|id| name(*id)).collect(), sample.values.as_slice()))
        .collect();
    assert_eq!(
        samples,
        [
            (vec!["main"], &[2, 0][..]),
            (vec!["=draw;\"all\"", "main"], &[1, 400]),
            (vec!["flush", "=draw;\"all\"", "main"], &[1, 100]),
            (vec!["flush", "main"], &[2, 500]),
        ]
    );
    assert_eq!(profile.locations.len(), 3);
}

/// Calls within calls, each of another function, whose ids take three bytes in pprof.
fn deep(calls: u32) -> (Trace, Memory) {
    const FIRST: u32 = 1 << 15;
    let names = (0..FIRST + calls).map(|name| format!("f{name:08}").into()).collect();
    let parts =
        (0..calls).map(|call| Part { table: Table::Slices, track: 1, depth: call, first: u64::from(call), len: 1 });
    let slices = (0..calls).map(|call| Slice {
        row: u64::from(call),
        parent: call.checked_sub(1).map(u64::from),
        depth: call,
        // A nanosecond is two ticks.
        start: 1000 + 2 * u64::from(call),
        end: 100_000,
        name: FIRST + call,
        ..Slice::default()
    });
    let memory =
        Memory { parts: parts.collect(), slices: slices.collect(), instants: vec![], samples: vec![], missing: false };
    (Trace { names, head: Head { end: 100_000, ..trace().head }, ..trace() }, memory)
}

/// Writes that trace, and returns the last step, and the most bytes that a step wrote.
fn written_deep(calls: u32, format: Format) -> (Step, Vec<u8>, usize) {
    let (trace, mut source) = deep(calls);
    let mut export = Export::new(trace, format.writer(), vec![1], false);
    let (mut all, mut most) = (Vec::new(), 0);
    loop {
        let mut out = Vec::new();
        let step = export.step(&mut source, 10_000, &mut out);
        most = most.max(out.len());
        all.append(&mut out);
        if !matches!(step, Step::More | Step::Stalled) {
            return (step, all, most);
        }
    }
}

#[test]
fn stacks_are_written_in_pieces() {
    let (step, text, most) = written_deep(2000, Format::Folded);
    assert_eq!((step, text.iter().filter(|byte| **byte == b'\n').count()), (Step::Done, 2000));
    // 2000 lines with 1000 names of ten bytes on average.
    assert!(text.len() > 19_000_000 && most < 1_100_000, "{most} bytes of {}", text.len());
    let (step, file, _) = written_deep(2000, Format::Pprof);
    assert_eq!(step, Step::Done);
    let content = miniz_oxide::inflate::decompress_to_vec(&file[10..file.len() - 8]).unwrap();
    assert_eq!(file[file.len() - 8..file.len() - 4], crc32fast::hash(&content).to_le_bytes());
    assert_eq!(file[file.len() - 4..], (content.len() as u32).to_le_bytes());
    let profile = pprof_proto::Profile::decode(&*content).unwrap();
    let depths: Vec<usize> = profile.samples.iter().map(|sample| sample.stack.len()).collect();
    assert_eq!(depths, (1..=2000).collect::<Vec<_>>());
}

#[test]
fn stacks_that_would_be_too_large_are_not_begun() {
    // 20,000 × 20,000 / 2 names: of ten bytes, and of three in pprof.
    for (format, least) in [(Format::Folded, 2_000_000_000), (Format::Pprof, 600_000_000)] {
        let (step, written, _) = written_deep(20_000, format);
        assert!(matches!(step, Step::TooLarge(bytes) if (least..least + least / 50).contains(&bytes)), "{step:?}");
        assert!(written.is_empty());
    }
}

#[test]
fn cells_of_csv_are_no_formulas() {
    let text = String::from_utf8(written(Format::Csv)).unwrap();
    let lines: Vec<_> = text.split("\r\n").collect();
    assert_eq!(lines[0].split(',').count(), 13);
    assert_eq!(lines[2], "slice,main,7,1000,1000,1,\"'=draw;\"\"all\"\"\",call,,,,,");
    assert_eq!(lines[7], "instant,main,7,1300,,,flush,call,,,,,");
    assert!(text.contains("slice,buffers,,1500,1500,1,buffer,call,,never-ended,,,\r\n"));
    assert!(text.contains("counter,n,,2000,,,,,,,18446744073709551615,,\r\n"));
    assert!(text.ends_with("counter,a load,,1500,,,,,,,-0.25,,\r\n"), "a number is no formula");
    for line in lines.iter().filter(|line| !line.is_empty() && !line.contains('"')) {
        assert_eq!(line.split(',').count(), 13, "{line}");
    }
}

/// Points at two statements, of which the second is in a file, and two variables that are called
/// `a`.
struct Points(Vec<Part>);

impl Points {
    fn new() -> Self {
        let part = |table, track, first, len| Part { table, track, depth: 0, first, len };
        Self(vec![
            part(Table::Instants, 0, 0, 2),
            part(Table::Instants, 3, 2, 2),
            part(Table::Counters, 1, 0, 2),
            part(Table::Counters, 2, 2, 2),
        ])
    }

    fn trace(range: Option<(u64, u64)>) -> Trace {
        let variable = |detail: &str| TrackDef { detail: detail.into(), ..TrackDef::new(TrackKind::Counter, "a") };
        let lane = || TrackDef::new(TrackKind::Lane, "statements");
        let tracks = vec![lane(), variable("int"), variable("unsigned char"), lane()];
        let statement = |text: &str, key| Name { text: text.into(), kind: SliceKind::Statement, key };
        let names = vec![
            statement("statement 70", Key::Statement(70)),
            statement("statement 7:12", Key::Statement(StatementId::in_file(7, 12).bits())),
            statement("no statement", Key::None),
        ];
        let (title, unit) = ("trace-db".into(), "point".into());
        let head = Head { title, frequency: None, unit, origin: 100, end: 103, tracks };
        Trace { name: "p.trace".into(), head, range, names }
    }
}

impl Source for Points {
    fn parts(&self) -> &[Part] {
        &self.0
    }

    fn slice(&mut self, _part: usize, _index: u64) -> Option<Slice> {
        None
    }

    /// Points 100 and 103, and in the lane of the file, which comes after the variables, 101
    /// and 102.
    fn instant(&mut self, part: usize, index: u64) -> Option<Instant> {
        let (time, name) = match (part, index) {
            (0, 0) => (100, 0),
            (0, _) => (103, 2),
            _ => (101 + index, 1),
        };
        Some(Instant { time, name, locator: 0 })
    }

    fn sample(&mut self, _part: usize, index: u64) -> Option<Sample> {
        Some(Sample { time: 100 + 2 * index, value: Number::Int(-1) })
    }
}

fn csv_of_points(range: Option<(u64, u64)>, tracks: Vec<u32>) -> String {
    let mut out = Vec::new();
    let mut export = Export::new(Points::trace(range), Format::Csv.writer(), tracks, true);
    while export.step(&mut Points::new(), 1, &mut out) != Step::Done {}
    String::from_utf8(out).unwrap()
}

#[test]
fn values_have_their_type_and_statement_in_csv() {
    let text = csv_of_points(None, vec![0, 1, 2, 3]);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "type,track,thread,time,duration,depth,name,kind,key,flags,value,value_type,statement");
    assert_eq!(lines[1], "instant,statements,,100,,,statement 70,statement,70,,,,");
    assert_eq!(lines[2], "instant,statements,,103,,,no statement,statement,,,,,");
    assert_eq!(lines[3], "counter,a,,100,,,,,,,-1,int,70");
    assert_eq!(lines[4], "counter,a,,102,,,,,,,-1,int,7:12");
    assert_eq!(lines[6], "counter,a,,102,,,,,,,-1,unsigned char,7:12");
    assert_eq!(lines[7], "instant,statements,,101,,,statement 7:12,statement,7:12,,,,");
    // The statements of tracks that are not exported, and of a range, are known, too.
    let text = csv_of_points(Some((101, 200)), vec![1]);
    assert!(text.ends_with("counter,a,,102,,,,,,,-1,int,7:12\r\n"), "{text}");
}

#[test]
fn processes_and_threads_have_numbers_of_their_own() {
    let mut trace = trace();
    let thread = |name, number| TrackDef { id: Some(number), ..TrackDef::new(TrackKind::Thread, name) };
    trace.head.tracks.push(thread("late", 7));
    trace.head.tracks.push(TrackDef { parent: Some(0), ..thread("huge", i64::MAX) });
    let ids = Ids::of(&trace);
    assert_eq!((ids.get(0), ids.get(1)), ((7, 7), (7, 7)));
    assert_ne!(ids.get(5).1, 7);
    assert_eq!(ids.get(5).0, ids.root);
    assert_eq!(ids.get(6).0, 7);
    let numbers: std::collections::HashSet<_> = (1..7).map(|track| ids.get(track).1).collect();
    assert_eq!(numbers.len(), 6);
}

#[test]
fn a_dump_has_values_of_all_counters_in_the_order_of_time() {
    let text = String::from_utf8(written(Format::Vcd)).unwrap();
    let (head, body) = text.split_once("$enddefinitions $end\n").unwrap();
    assert!(head.contains("$scope module app.xray $end\n$var real 64 % a_load $end\n"), "{head}");
    assert!(head.contains("$scope module app $end\n$var integer 64 $ n $end\n$upscope $end\n"), "{head}");
    let ones = "1".repeat(64);
    assert_eq!(body, format!("#0\nb{}00 $\n#250\nr-0.25 %\n#500\nb{ones} $\n#1000\n", "1".repeat(62)));
}
