//! trace-db traces that the encoder wrote: every format of values, both layouts, any portions, any
//! damage.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use proptest::prelude::*;
use unspool_trace::problem::TRUNCATED;
use unspool_trace::{Decoder, Error, EventKind, Limits, Locator, Probe, Problem, ProblemKind, RecordDetails, Value};

use crate::common;
use crate::common::Delivered;
use crate::records_common::full_pass;
use unspool_formats::FORMATS;
use unspool_formats::trace_db::encode::Writer;
use unspool_formats::trace_db::point::{Content, Point, Reader, Variable};
use unspool_formats::trace_db::problems::{CUT_POINT, NOT_SHOWN};
use unspool_formats::trace_db::wire::{Layout, Number, StatementId, Tables, Type};

const LAYOUTS: [Layout; 2] = [Layout::Wide, Layout::Narrow];

/// Names, and types of every format and size. Types 0 to 13 have names 0 to 13.
fn tables() -> Tables {
    let names = "u8 u16 u24 u32 u64 s8 s16 s32 s64 float double *char char[10] string i x y α";
    let types = [
        (0, 1),
        (0, 2),
        (0, 3),
        (0, 4),
        (0, 8),
        (1, 1),
        (1, 2),
        (1, 4),
        (1, 8),
        (2, 4),
        (2, 8),
        (3, 8),
        (4, 10),
        (4, 0),
    ];
    Tables::new(
        names.split(' ').map(str::as_bytes).chain([&b""[..]]),
        (0..).zip(types).map(|(name, (format, size))| Type { name, format, size }),
    )
}

const I: u32 = 14;
const X: u32 = 15;
const Y: u32 = 16;

impl Delivered {
    /// Events of the track with this name (and this detail), as `!name@time` or `value@time`.
    fn values_of(&self, name: &str, detail: &str) -> Vec<String> {
        let id = self.tracks.iter().position(|t| t.name == name && t.detail.starts_with(detail)).unwrap() as u32;
        let shown = |(kind, _, time, name, locator): &(EventKind, u32, u64, u32, Locator)| match kind {
            EventKind::Sample => format!("{}@{time}", locator.bits()),
            EventKind::Begin => format!("+{}@{time}", self.names[*name as usize]),
            EventKind::End => format!("-{}@{time}", self.names[*name as usize]),
            _ => format!("!{}@{time}", self.names[*name as usize]),
        };
        self.events.iter().filter(|e| e.1 == id).map(shown).collect()
    }
}

/// Decodes a file in portions of the given sizes, in turn, with batches of the given capacity.
fn decode(file: &[u8], portions: &[usize], capacity: usize) -> (Delivered, Box<dyn Decoder>) {
    common::decode("trace-db", file, portions, capacity)
}

fn whole(file: &[u8]) -> Delivered {
    decode(file, &[usize::MAX], 1 << 16).0
}

/// Reads all points in full, in portions of this size. Returns them, the number of bytes used, the
/// problems, and the error.
fn points(file: &[u8], layout: Layout, portion: usize) -> (Vec<Point>, u64, Vec<&'static ProblemKind>, Option<Error>) {
    let mut reader = Reader::new(layout, Limits::DEFAULT, 1 << 20);
    let (mut all, mut at, mut pending) = (Vec::new(), 0, Vec::new());
    loop {
        let result = reader.push(&pending, |_, point, _| {
            all.push(point.clone());
            all.len() % 3 != 0
        });
        let used = match result {
            Ok(progress) => progress.used,
            Err(error) => return (all, error.at, reader.cut(0).iter().map(|p| p.kind).collect(), Some(error)),
        };
        pending.drain(..used);
        if used > 0 {
            continue;
        }
        if at == file.len() {
            let consumed = (at - pending.len()) as u64;
            return match reader.end(&pending) {
                Ok(problems) => (all, consumed, problems.iter().map(|p| p.kind).collect(), None),
                Err(error) => (all, consumed, Vec::new(), Some(error)),
            };
        }
        let n = portion.min(file.len() - at);
        pending.extend_from_slice(&file[at..at + n]);
        at += n;
    }
}

/// The details of a record, and the number of bytes read for them.
fn details(file: &[u8], decoder: &dyn Decoder, locator: Locator) -> (RecordDetails, u64) {
    let (details, bytes) = common::details(file, common::reader("trace-db", decoder).as_ref(), locator);
    (details.unwrap(), bytes as u64)
}

fn field<'a>(fields: &'a [unspool_trace::Field], name: &str) -> &'a Value {
    &fields.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("no {name} in {fields:?}")).value
}

fn tree<'a>(value: &'a Value, name: &str) -> &'a Value {
    let Value::Tree(fields) = value else { panic!("{value:?} is no tree") };
    field(fields, name)
}

#[test]
fn numbers_of_every_format_and_size_come_back_exactly() {
    let numbers = [
        (0, Number::Unsigned(255)),
        (2, Number::Unsigned(0xff_ffff)),
        (4, Number::Unsigned(u64::MAX)),
        (5, Number::Signed(-128)),
        (6, Number::Signed(-1)),
        (7, Number::Signed(i32::MIN.into())),
        (8, Number::Signed(i64::MIN)),
        (9, Number::Float(0.1f32.into())),
        (10, Number::Float(0.1)),
        (10, Number::Float(f64::NAN)),
        (11, Number::Pointer(u64::MAX)),
    ];
    for layout in LAYOUTS {
        let mut w = Writer::new(layout, tables());
        w.statement(1);
        numbers.iter().for_each(|(of_type, number)| w.number(X, *of_type, *number));
        w.end();
        let file = w.finish();
        let (all, _, problems, error) = points(&file, layout, usize::MAX);
        assert_eq!((problems, error), (vec![], None));
        let read: Vec<_> = all[0].variables.iter().map(|v| (v.of_type, v.content.clone())).collect();
        assert_eq!(read, numbers.map(|(of_type, n)| (of_type, Content::Number(n))), "{layout:?}");
        let events = whole(&file);
        assert_eq!(events.values_of("x", "u64"), ["18446744073709551615@0"]);
        assert_eq!(events.values_of("x", "s64"), [format!("{}@0", i64::MIN as u64)]);
        assert_eq!(
            events.values_of("x", "double"),
            [0.1f64.to_bits(), f64::NAN.to_bits()].map(|bits| format!("{bits}@0"))
        );
    }
}

#[test]
fn a_value_track_has_a_sample_for_each_change() {
    let mut w = Writer::new(Layout::Wide, tables());
    for (n, value) in [5, 5, -7, -7, 5].into_iter().enumerate() {
        w.statement(10 + n as u64 % 2);
        w.number(X, 7, Number::Signed(value));
        w.number(Y, 4, Number::Unsigned(0));
        w.end();
    }
    let all = whole(&w.finish());
    assert_eq!(all.values_of("x", "s32"), ["5@0".to_string(), format!("{}@2", -7i64 as u64), "5@4".to_string()]);
    assert_eq!(all.values_of("y", "u64"), ["0@0"], "the first value is a sample even if it is 0");
    assert_eq!(
        all.values_of("statements", ""),
        [10, 11, 10, 11, 10].into_iter().zip(0..).map(|(s, t)| format!("!statement {s}@{t}")).collect::<Vec<_>>()
    );
    assert_eq!(all.records, 5);
}

#[test]
fn statements_belong_to_their_file_and_variables_to_the_trace() {
    let mut w = Writer::new(Layout::Wide, tables());
    for file in [3, 4, 3] {
        w.statement(StatementId::in_file(file, 77));
        w.number(X, 0, Number::Unsigned(file.into()));
        w.end();
    }
    w.number(X, 0, Number::Unsigned(9));
    w.end();
    let all = whole(&w.finish());
    let shown: Vec<_> = all.tracks.iter().map(|t| (t.name.as_str(), t.parent)).collect();
    assert_eq!(
        shown,
        [
            ("file 3", None),
            ("statements", Some(0)),
            ("variables", None),
            ("x", Some(2)),
            ("file 4", None),
            ("statements", Some(4)),
            ("statements", None),
        ]
    );
    // One track, as one row in the table of variables.
    let samples = all.events.iter().filter(|event| event.0 == EventKind::Sample);
    assert_eq!(
        samples.map(|e| (e.1, e.2, e.4.bits())).collect::<Vec<_>>(),
        [(3, 0, 3), (3, 1, 4), (3, 2, 3), (3, 3, 9)]
    );
    assert_eq!(all.values_of("statements", ""), ["!statement 3:77@0", "!statement 3:77@2"]);
    assert_eq!(all.names, ["statement 3:77", "statement 4:77", "no statement"]);
}

#[test]
fn buffers_live_from_one_size_to_the_next() {
    let mut w = Writer::new(Layout::Wide, tables());
    let sizes = [(0x10, 4), (0x20, 1), (0x10, 4), (0x10, 9), (0x20, 0), (0x99, 0), (u64::MAX, 5)];
    for (n, (address, size)) in sizes.into_iter().enumerate() {
        w.statement(n as u64);
        w.buffer_size(address, size);
        w.end();
    }
    let file = w.finish();
    let (all, decoder) = decode(&file, &[usize::MAX], 1 << 16);
    assert_eq!(
        all.values_of("buffers", ""),
        ["+0x10, 4 bytes@0", "+0x20, 1 byte@1", "-0x10, 4 bytes@3", "+0x10, 9 bytes@3", "-0x20, 1 byte@4"]
    );
    let begin = all.events.iter().find(|e| e.0 == EventKind::Begin && e.2 == 3).unwrap();
    let (d, _) = details(&file, decoder.as_ref(), begin.4);
    assert_eq!((field(&d.fields, "Address"), field(&d.fields, "Size")), (&Value::Hex(0x10), &Value::U64(9)));
}

#[test]
fn auxiliary_values_are_instants_and_samples() {
    let mut w = Writer::new(Layout::Narrow, tables());
    w.statement(1);
    [7, u64::MAX].into_iter().for_each(|v| w.auxiliary(v));
    w.end();
    let file = w.finish();
    let (all, decoder) = decode(&file, &[usize::MAX], 1 << 16);
    assert_eq!(all.values_of("auxiliary", ""), ["!auxiliary@0", "!auxiliary@0"]);
    assert_eq!(all.values_of("values", ""), ["7@0", "18446744073709551615@0"]);
    let (d, _) = details(&file, decoder.as_ref(), all.events[0].4);
    assert_eq!(field(&d.fields, "Auxiliary"), &Value::List(vec![Value::U64(7), Value::U64(u64::MAX)]));
}

#[test]
fn details_show_all_values_and_what_changed() {
    let mut w = Writer::new(Layout::Wide, tables());
    w.buffer_size(0x1000, 16);
    for n in 0..3u64 {
        w.statement(StatementId::in_file(2, n % 2));
        w.number(I, 7, Number::Signed(n as i64 - 1));
        w.number(X, 10, Number::Float(0.5));
        w.number(Y, 11, Number::Pointer(0x1000 + n));
        w.blob(17, 13, "text".as_bytes());
        w.end();
    }
    let file = w.finish();
    let (all, decoder) = decode(&file, &[usize::MAX], 1 << 16);
    let locators: Vec<Locator> = all.events.iter().filter(|e| e.0 == EventKind::Instant).map(|e| e.4).collect();
    let (d, _) = details(&file, decoder.as_ref(), locators[2]);
    assert_eq!(field(&d.fields, "Statement"), &Value::Hex(StatementId::in_file(2, 0).bits()));
    assert_eq!(
        (field(&d.fields, "File"), field(&d.fields, "Place in the syntax tree")),
        (&Value::Id(2), &Value::Id(0))
    );
    assert_eq!(field(&d.fields, "Previous at this statement"), &Value::Ticks(0));
    let variables = field(&d.fields, "Variables");
    assert_eq!(tree(tree(variables, "i"), "Value"), &Value::I64(1));
    assert_eq!(tree(tree(variables, "i"), "Type"), &Value::Text("s32".into()));
    assert_eq!(tree(tree(variables, "y"), "Value"), &Value::Hex(0x1002));
    assert_eq!(tree(tree(variables, "y"), "Buffer size"), &Value::U64(14));
    let bytes = Value::Bytes { bytes: b"text".to_vec(), len: 4 };
    assert_eq!(tree(tree(variables, "α"), "Value"), &Value::Symbol { name: "\"text\"".into(), value: Box::new(bytes) });
    let changed = field(&d.fields, "Changed since");
    assert_eq!(tree(tree(changed, "i"), "before"), &Value::I64(-1));
    assert_eq!(tree(tree(changed, "i"), "now"), &Value::I64(1));
    assert_eq!(tree(tree(tree(changed, "y"), "now"), "Buffer size"), &Value::U64(14));
    let Value::Tree(changed) = changed else { panic!() };
    assert_eq!(changed.len(), 2, "x and the text have not changed");
    let (first, _) = details(&file, decoder.as_ref(), locators[0]);
    assert!(first.fields.iter().all(|f| f.name != "Changed since"));
}

#[test]
fn details_read_at_most_1_mib_wherever_the_previous_point_is() {
    let mut w = Writer::new(Layout::Wide, tables());
    let (mut before, mut value) = (Vec::new(), Vec::new());
    for n in 0..120_000u64 {
        // Statement 5 is at the first point and rare after that.
        let statement = if n.is_multiple_of(50_000) { 5 } else { 6 };
        w.statement(statement);
        w.number(X, 4, Number::Unsigned(n));
        if n == 70_000 {
            w.blob(Y, 13, &vec![7; 3_000_000]);
        }
        if n.is_multiple_of(1000) {
            w.buffer_size(0x5000, n + 1);
        }
        w.number(Y, 11, Number::Pointer(0x5000));
        w.end();
        before.push(statement);
        value.push(n);
    }
    let file = w.finish();
    let (all, decoder) = decode(&file, &[1 << 20], 4096);
    let locators: Vec<Locator> = all.events.iter().filter(|e| e.0 == EventKind::Instant).map(|e| e.4).collect();
    for n in [1, 2, 999, 7_777, 49_999, 50_000, 50_001, 69_999, 70_000, 70_001, 100_000, 119_999] {
        let (d, bytes) = details(&file, decoder.as_ref(), locators[n]);
        assert!(bytes <= 1 << 20, "{bytes} bytes for point {n}");
        let earlier = (0..n).rev().find(|e| before[*e] == before[n]);
        if let Some(earlier) = earlier.filter(|e| *e != 70_000) {
            assert_eq!(field(&d.fields, "Previous at this statement"), &Value::Ticks(earlier as u64), "point {n}");
            assert_eq!(tree(tree(field(&d.fields, "Changed since"), "x"), "before"), &Value::U64(earlier as u64));
        }
        if n != 70_000 {
            let size = n as u64 / 1000 * 1000 + 1;
            assert_eq!(tree(tree(field(&d.fields, "Variables"), "y"), "Buffer size"), &Value::U64(size));
        } else {
            assert!(d.remarks.iter().any(|r| r.contains("too large to be shown in full")), "{:?}", d.remarks);
        }
    }
}

#[test]
fn invalid_entries_end_the_trace_and_keep_earlier_points() {
    let points_and = |bytes: &[u8]| {
        let mut types = tables();
        types = Tables::new(
            (0..types.names() as u32)
                .map(|i| types.name(i).unwrap().to_vec())
                .collect::<Vec<_>>()
                .iter()
                .map(|n| &n[..]),
            types.types().iter().copied().chain([Type { name: 0, format: 1, size: 3 }]),
        );
        let mut w = Writer::new(Layout::Wide, types);
        w.statement(4);
        w.end();
        w.statement(5);
        let at = w.len() as u64;
        w.raw(bytes);
        (whole(&w.finish()), at)
    };
    let sentences = [
        (&[5][..], "unknown record type 0x05"),
        (&[2, 99, 0, 0, 0, 0, 0, 0, 0], "there is no name 99; the file has 19"),
        (&[2, 0, 0, 0, 0, 15, 0, 0, 0], "there is no type 15; the file has 15"),
        (&[2, 0, 0, 0, 0, 14, 0, 0, 0], "3 is not a valid length of a signed number (1, 2, 4 or 8 bytes)"),
    ];
    for (bytes, sentence) in sentences {
        let (all, at) = points_and(bytes);
        assert_eq!(all.error.map(|e| (e.at, e.cause.to_string())), Some((at, sentence.to_string())));
        assert_eq!(all.kinds(), [&CUT_POINT]);
        assert_eq!(all.values_of("statements", ""), ["!statement 4@0", "!statement 5 (incomplete)@1"]);
    }
    // A blob longer than the file.
    let (all, at) = points_and(&[2, 0, 0, 0, 0, 13, 0, 0, 0, 0xf0, 0xff, 0xff, 0xff, 1, 2, 3]);
    assert_eq!(all.error, None);
    let cut = Problem { at: at + 16, kind: &TRUNCATED, value: 0xffff_fff0 - 3 };
    assert_eq!(all.problems, [cut, Problem { at: at + 16, kind: &CUT_POINT, value: 1 }]);
}

#[test]
fn a_truncated_header_is_reported() {
    let file = Writer::new(Layout::Wide, tables()).finish();
    let types = file.len() - 14 * 12 - 4;
    for len in 20..file.len() {
        let head = &file[..len];
        let (all, decoder) = decode(head, &[usize::MAX], 100);
        if len == types {
            assert_eq!((all.kinds(), all.error), (vec![&TRUNCATED], None));
        } else {
            assert!(matches!(all.error, Some(e) if e.at == len as u64), "{len}: {:?}", all.error);
        }
        assert_eq!(decoder.info().format.id, "trace-db");
    }
    assert_eq!(whole(&file), Delivered::default(), "a header alone is a trace without points");
}

#[test]
fn too_many_variables_are_reported() {
    let names: Vec<String> = (0..5000).map(|i| format!("v{i}")).collect();
    let tables = Tables::new(names.iter().map(|n| n.as_bytes()), [Type { name: 0, format: 0, size: 4 }]);
    let mut w = Writer::new(Layout::Wide, tables);
    w.statement(1);
    (0..5000).for_each(|name| w.number(name, 0, Number::Unsigned(name.into())));
    w.end();
    let file = w.finish();
    let (all, decoder) = decode(&file, &[usize::MAX], 1 << 16);
    assert_eq!((all.kinds(), all.tracks.len()), (vec![&NOT_SHOWN], 4096 + 2));
    assert_eq!(all.problems[0].value, 4096);
    assert!(!&NOT_SHOWN.is_serious());
    let locator = all.events.iter().find(|e| e.0 == EventKind::Instant).unwrap().4;
    let (d, _) = details(&file, decoder.as_ref(), locator);
    assert!(d.remarks.iter().any(|r| r.contains("of 5000 entries")), "{:?}", d.remarks);
}

/// A point that the encoder can write.
fn any_point() -> impl Strategy<Value = Point> {
    let variable = (14u32..19, 0u32..14, any::<u64>(), prop::collection::vec(any::<u8>(), 0..40)).prop_map(
        |(name, of_type, raw, bytes)| {
            let t = tables().types()[of_type as usize];
            let cut = if t.size >= 8 { raw } else { raw & ((1 << (8 * t.size)) - 1) };
            let unused = 64 - 8 * t.size.clamp(1, 8);
            let content = match (t.format, t.size) {
                (0, _) => Content::Number(Number::Unsigned(cut)),
                (1, _) => Content::Number(Number::Signed(((raw << unused) as i64) >> unused)),
                (2, 4) => Content::Number(Number::Float(f64::from(f32::from_bits(raw as u32 & 0x7f7f_ffff)))),
                (2, _) => Content::Number(Number::Float(f64::from_bits(raw))),
                // Near the addresses of buffers.
                (3, _) => Content::Number(Number::Pointer(raw % 100)),
                (_, 0) => Content::Bytes(bytes),
                _ => Content::Bytes(vec![raw as u8; t.size as usize]),
            };
            let size = if let Content::Bytes(b) = &content { b.len() as u32 } else { t.size };
            Variable { name, of_type, content, size, buffer_size: None }
        },
    );
    (
        prop::option::of(any::<u32>().prop_map(|id| StatementId::from_bits(id.into()))),
        prop::collection::vec(variable, 0..6),
        prop::collection::vec((0u64..90, 0u64..20), 0..3),
        prop::collection::vec(any::<u64>(), 0..3),
    )
        .prop_map(|(statement, variables, buffer_sizes, auxiliary)| Point {
            statement,
            variables,
            buffer_sizes,
            auxiliary,
            ..Point::default()
        })
}

/// Writes points. Fills in what the file does not contain: offsets of points, and buffer sizes of
/// pointers.
fn write(layout: Layout, points: &mut [Point]) -> Vec<u8> {
    let mut w = Writer::new(layout, tables());
    let mut map = unspool_formats::trace_db::memory::MemoryMap::default();
    for point in points {
        point.at = w.len() as u64;
        point.buffer_sizes.iter().for_each(|(address, size)| {
            map.set(*address, *size);
        });
        for v in &mut point.variables {
            if let Content::Number(Number::Pointer(pointer)) = v.content {
                v.buffer_size = map.bytes_from(pointer);
            }
        }
        w.point(point);
    }
    w.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn points_round_trip(
        narrow in any::<bool>(),
        mut all in prop::collection::vec(any_point(), 0..12),
        portion in 1usize..70,
    ) {
        let layout = LAYOUTS[usize::from(narrow)];
        let file = write(layout, &mut all);
        prop_assert_eq!(points(&file, layout, portion), (all, file.len() as u64, vec![], None));
    }

    #[test]
    fn events_do_not_depend_on_portions_and_batches(
        narrow in any::<bool>(),
        mut all in prop::collection::vec(any_point(), 0..12),
        portions in prop::collection::vec(1usize..70, 1..8),
        capacity in 1usize..20,
    ) {
        let file = write(LAYOUTS[usize::from(narrow)], &mut all);
        let expected = whole(&file);
        prop_assert_eq!(expected.records, all.len() as u64);
        prop_assert_eq!(decode(&file, &portions, capacity).0, expected);
    }

    #[test]
    fn damaged_traces_give_the_same_events_in_any_portions_and_the_same_points(
        narrow in any::<bool>(),
        mut all in prop::collection::vec(any_point(), 1..12),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(),
        portion in 1usize..70,
    ) {
        let layout = LAYOUTS[usize::from(narrow)];
        let header = Writer::new(layout, tables()).len();
        let mut file = write(layout, &mut all);
        for (at, byte) in damage {
            let at = header + at.index(file.len() - header);
            file[at] = byte;
        }
        file.truncate(header + cut.index(file.len() - header));
        let skimmed = whole(&file);
        let (cut, decoder) = decode(&file, &[portion], 3);
        prop_assert_eq!(&cut, &skimmed);
        let (full, _, problems, error) = points(&file, layout, portion);
        prop_assert_eq!(skimmed.error, error);
        prop_assert_eq!(skimmed.kinds(), problems);
        let instants: Vec<Locator> = skimmed.events.iter()
            .filter(|e| e.0 == EventKind::Instant && skimmed.names[e.3 as usize] != "auxiliary").map(|e| e.4).collect();
        let whole_points = instants.len() - skimmed.problems.iter().filter(|p| p.kind == &CUT_POINT).count();
        prop_assert_eq!(whole_points, full.len());
        prop_assert!(full.iter().zip(&instants).all(|(point, at)| point.at == at.position()));
        let rows = full_pass(common::reader("trace-db", decoder.as_ref()).as_ref(), &file, &[portion]);
        prop_assert!(rows.iter().map(|row| row.locator).eq(instants.iter().copied()));
        for (n, at) in instants.iter().enumerate() {
            let (d, _) = details(&file, decoder.as_ref(), *at);
            let variables = full.get(n).map(|p| p.variables.len());
            let Value::Tree(shown) = field(&d.fields, "Variables") else { panic!() };
            prop_assert!(variables.is_none_or(|v| v == shown.len()));
            prop_assert_eq!(variables.is_none(), d.remarks.iter().any(|r| r.contains("may be incomplete")));
        }
    }

    #[test]
    fn arbitrary_bytes_give_the_same_events_in_any_portions(bytes in prop::collection::vec(any::<u8>(), 0..400), count in 0u64..40) {
        let mut file = count.to_le_bytes().to_vec();
        file.extend(bytes);
        let format = FORMATS.iter().find(|f| f.id == "trace-db").unwrap();
        if (format.sniff)(&Probe { head: &file, tail: &file, size: file.len() as u64, name: "" }).is_some() {
            prop_assert_eq!(decode(&file, &[7], 3).0, whole(&file));
        }
    }
}
