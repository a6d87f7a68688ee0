//! The record pass of frames: it says the same as the dump, the details and the timeline, wherever
//! it begins.

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that panics has done its work"
)]

use serde_json::Value as Json;
use unspool_trace::records::Row;
use unspool_trace::{Field, FieldValue, Locator, Record, Value, Visitor};

use crate::frames_common::{decode, details, format, options, reader, text};
use crate::records_common::{bytes_of, corpus, full_pass, pass, tree, value};
use unspool_formats::frames::encode::{Frame, Meta, Operand, Place, Std, Table, Taint, TaintIntro, Writer};
use unspool_formats::frames::wire::Header;

fn field(name: &str, value: Value) -> Field {
    Field { name: name.to_owned().into(), value }
}

fn id(json: &Json) -> Value {
    let id = json.as_u64().unwrap();
    i64::try_from(id).map_or(Value::Hex(id), Value::Id)
}

fn hex(json: &Json) -> Value {
    Value::Hex(json.as_u64().unwrap())
}

/// A value according to the dump: `digits` in memory order, of which `bits` are significant.
fn number(digits: &str, bits: Option<i64>, big: bool) -> Value {
    let mut bytes = bytes_of(digits);
    if bytes.len() > 64 {
        return Value::Bytes { len: bytes.len() as u64, bytes: bytes[..bytes.len().min(64 * 1024)].into() };
    }
    if !big {
        bytes.reverse();
    }
    let total = 8 * bytes.len() as i64;
    let kept = bits.filter(|bits| (1..total).contains(bits)).unwrap_or(total) as usize;
    let binary: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
    let binary = &binary[total as usize - kept..];
    if bytes.len() <= 8 {
        return Value::Hex(u64::from_str_radix(binary, 2).unwrap_or(0));
    }
    let padded = format!("{}{binary}", "0".repeat(kept.next_multiple_of(8) - kept));
    let digits = (0..padded.len() / 4).map(|i| u8::from_str_radix(&padded[4 * i..4 * i + 4], 2).unwrap());
    Value::Text(digits.fold("0x".into(), |text, digit| format!("{text}{digit:x}")))
}

/// The name of an operand in the dump, and whether it is in memory.
fn place_of(operand: &Json) -> (String, bool) {
    let place = &operand["operand_info_specific"];
    match (place.get("reg_operand"), place.get("mem_operand")) {
        (Some(register), _) => (register["name"].as_str().unwrap_or("").to_owned(), false),
        (None, Some(memory)) => (format!("[{:#x}]", memory["address"].as_u64().unwrap_or(0)), true),
        (None, None) => ("(no place)".into(), false),
    }
}

/// The taint of the operands of a list in the dump, if there is any.
fn taints(list: &Json) -> Vec<Field> {
    let taint = |operand: &Json| {
        let taint = &operand["taint_info"];
        let several = (taint["taint_multiple"] == true).then(|| Value::Text("several".into()));
        taint.get("taint_id").map(id).or(several).map(|value| field(&place_of(operand).0, value))
    };
    list["elem"].as_array().into_iter().flatten().filter_map(taint).collect()
}

/// The values of a list in the dump. `found` is what the pass found, which decides the byte order
/// of memory.
fn operands(list: &Json, found: &[Field]) -> Value {
    let empty = vec![];
    let list = list["elem"].as_array().unwrap_or(&empty);
    let fields = list.iter().enumerate().map(|(i, operand)| {
        let (name, is_memory) = place_of(operand);
        let Some(digits) = operand["value"].as_str() else { return field(&name, Value::Null) };
        let [little, big] = [false, true].map(|big| number(digits, operand["bit_length"].as_i64(), big));
        let is_big = is_memory && found.get(i).is_some_and(|field| field.value == big);
        field(&name, if is_big { big } else { little })
    });
    Value::Tree(fields.collect())
}

/// A number, or what was found if that is the number with a name.
fn perhaps_named(number: Value, found: Option<&Value>) -> Value {
    match found {
        Some(Value::Symbol { name, value }) if **value == number && !name.is_empty() => {
            Value::Symbol { name: name.clone(), value: value.clone() }
        }
        _ => number,
    }
}

/// The fields of a frame according to its line of the dump, in the order of the pass. `is_code`:
/// the machine has a name.
fn expected(line: &Json, found: &Row, is_code: bool) -> Vec<Field> {
    let [std, call, exception, load] =
        ["std_frame", "syscall_frame", "exception_frame", "modload_frame"].map(|key| &line[key]);
    let mut fields = Vec::new();
    let mut put = |name: &str, value: Option<Value>| fields.extend(value.map(|value| field(name, value)));
    put("address", std.get("address").or(call.get("address")).map(hex));
    put("thread", std.get("thread_id").or(call.get("thread_id")).or(exception.get("thread_id")).map(id));
    if let Some(bytes) = std["rawbytes"].as_str().map(bytes_of) {
        let isa = match value(&found.fields, "instruction") {
            Some(Value::Code { isa, .. }) => Some(*isa),
            _ => None,
        };
        let address = std["address"].as_u64().unwrap_or(0);
        put(
            "instruction",
            Some(match isa.filter(|_| is_code && !bytes.is_empty()) {
                Some(isa) => Value::Code { isa, address, bytes },
                None => {
                    assert!(!is_code || bytes.is_empty());
                    Value::Bytes { len: bytes.len() as u64, bytes }
                }
            }),
        );
    }
    let mode = std["mode"].as_str().filter(|mode| !mode.is_empty());
    put("mode", mode.map(|mode| Value::Text(mode.into())));
    for (name, key) in [("read", "operand_pre_list"), ("written", "operand_post_list")] {
        let list = operands(&std[key], tree(&found.fields, name));
        put(name, Some(list).filter(|list| *list != Value::Tree(vec![])));
    }
    let both = [("read", "operand_pre_list"), ("written", "operand_post_list")];
    let tainted = both.map(|(name, key)| (name, taints(&std[key]))).into_iter().filter(|(_, all)| !all.is_empty());
    let tainted: Vec<Field> = tainted.map(|(name, all)| field(name, Value::Tree(all))).collect();
    put("taint", Some(Value::Tree(tainted)).filter(|all| *all != Value::Tree(vec![])));
    if call.is_object() {
        let number = call.get("number").map_or(Value::Null, |n| Value::U64(n.as_u64().unwrap()));
        put("syscall", Some(perhaps_named(number, value(&found.fields, "syscall"))));
        let elements = |list: &Json| list["elem"].as_array().cloned().unwrap_or_default();
        let arguments = call.get("argument_list").map(|list| elements(list).into_iter().map(|n| n.as_i64().unwrap()));
        let shown = |n: i64| if n.unsigned_abs() <= 4096 { Value::I64(n) } else { Value::Hex(n as u64) };
        put("args", arguments.map(|all| Value::List(all.map(shown).collect())));
    }
    let part = |name: &str, value: Option<Value>| value.map(|value| field(name, value));
    let lossy = |json: &Json| Value::Text(json.as_str().unwrap().into());
    let number_of = |json: &Json| Value::U64(json.as_u64().unwrap());
    if exception.is_object() {
        let vector = value(tree(&found.fields, "exception"), "number");
        let parts = [
            part("number", exception.get("exception_number").map(|number| perhaps_named(number_of(number), vector))),
            part("from", exception.get("from_addr").map(hex)),
            part("to", exception.get("to_addr").map(hex)),
        ];
        put("exception", Some(Value::Tree(parts.into_iter().flatten().collect())));
    }
    if load.is_object() {
        let parts = [
            part("name", load.get("module_name").map(lossy)),
            part("low", load.get("low_address").map(hex)),
            part("high", load.get("high_address").map(hex)),
        ];
        put("modload", Some(Value::Tree(parts.into_iter().flatten().collect())));
    }
    if let Some(intro) = line.get("taint_intro_frame") {
        let list = intro["taint_intro_list"]["elem"].as_array().cloned().unwrap_or_default();
        let all = list.iter().map(|intro| {
            let parts = [
                part("id", intro.get("taint_id").map(id)),
                part("value", intro["value"].as_str().map(|digits| number(digits, None, false))),
                part("source", intro.get("source_name").map(lossy)),
                part("offset", intro.get("offset").map(number_of)),
            ];
            let name = format!("[{:#x}]", intro["addr"].as_u64().unwrap_or(0));
            field(&name, Value::Tree(parts.into_iter().flatten().collect()))
        });
        put("taint", Some(Value::Tree(all.collect())));
    }
    if let Some(key) = line.get("key_frame") {
        let list = key["tagged_value_lists"]["elem"].as_array().cloned().unwrap_or_default();
        let found = tree(&found.fields, "key");
        let all = list.iter().enumerate().map(|(i, list)| {
            let name = match list["value_source_tag"]["thread_id"].as_u64() {
                Some(id) => format!("thread {id}"),
                None => "no thread".into(),
            };
            let found = found.get(i).map_or(&[][..], |field| match &field.value {
                Value::Tree(fields) => fields,
                other => panic!("{other:?}"),
            });
            field(&name, operands(&list["value_list"], found))
        });
        put("key", Some(Value::Tree(all.collect())));
    }
    fields
}

/// The name of a record and that of its track according to the dump.
fn names(line: &Json) -> (&'static str, String) {
    let thread = |frame: &Json| match frame["thread_id"].as_u64() {
        Some(id) => format!("thread {id}"),
        None => "recording".into(),
    };
    let kinds = [
        ("std_frame", ""),
        ("syscall_frame", "system call"),
        ("exception_frame", "exception"),
        ("taint_intro_frame", "taint"),
        ("modload_frame", "module"),
        ("key_frame", "key frame"),
    ];
    let mut present = kinds.into_iter().filter(|(kind, _)| line.get(kind).is_some()).peekable();
    let name = present.peek().map_or("unknown frame", |(_, name)| name);
    // An instruction without an address or a thread is not in the timeline, but the other kinds of
    // its frame are.
    let std = &line["std_frame"];
    let is_step = std.get("address").is_some() && std.get("thread_id").is_some();
    let track = match present.find(|(kind, _)| is_step || *kind != "std_frame").map(|(kind, _)| kind) {
        Some(kind @ ("std_frame" | "syscall_frame" | "exception_frame")) => thread(&line[kind]),
        Some("taint_intro_frame") => "taint".into(),
        Some("modload_frame") => "modules".into(),
        _ => "recording".into(),
    };
    (name, track)
}

/// The fields of the pass agree with the details.
fn agrees_with_details(row: &Row, details: &[Field]) {
    let plain = |fields: &[Field]| -> Vec<Field> {
        let plain = |value: &Value| match value {
            Value::Tree(parts) => value_of(parts),
            other => other.clone(),
        };
        fine(fields).iter().map(|f| Field { name: f.name.clone(), value: plain(&f.value) }).collect()
    };
    for (key, label) in [("address", "Address"), ("thread", "Thread"), ("mode", "Mode"), ("syscall", "System call")] {
        let shown = value(details, label);
        // A frame of several kinds has several of some of these.
        if !(key == "mode" && shown == Some(&Value::Text(String::new()))) {
            assert_eq!(value(&row.fields, key).filter(|value| **value != Value::Null), shown, "{key}");
        }
    }
    if let Some(code @ Value::Code { .. }) = value(&row.fields, "instruction") {
        assert_eq!(Some(code), value(details, "Instruction"));
    } else {
        assert_eq!(value(&row.fields, "instruction"), value(details, "Bytes"));
    }
    for (key, label) in [("read", "Read"), ("written", "Written")] {
        assert_eq!(fine(tree(&row.fields, key)), plain(tree(details, label)), "{key}");
    }
    assert_eq!(value(&row.fields, "args"), value(details, "Arguments"));
    for (key, parts) in [
        ("exception", &[("number", "Exception"), ("from", "From"), ("to", "To")][..]),
        ("modload", &[("name", "Module")]),
    ] {
        for (part, label) in parts {
            assert_eq!(value(tree(&row.fields, key), part), value(details, label), "{label}");
        }
    }
}

/// Details list at most 1024 values.
fn fine(fields: &[Field]) -> &[Field] {
    &fields[..fields.len().min(1024)]
}

fn value_of(parts: &[Field]) -> Value {
    value(parts, "Value").unwrap().clone()
}

/// Checks a file against the timeline, the dump and, for one in `every` record, the details.
/// Returns the records.
fn check(file: &[u8], portions: &[usize], every: usize) -> Vec<Row> {
    let (all, decoder) = decode(file, &[usize::MAX], 1 << 16);
    let reader = reader(decoder.as_ref());
    let rows = full_pass(reader.as_ref(), file, portions);
    assert_eq!(rows.len() as u64, all.records);
    let (lines, ..) = text(file, 1 << 20);
    assert_eq!(rows.len(), lines.lines().count());
    let header = Header::parse(file, Some(file.len() as u64)).unwrap();
    let is_code = matches!(header.architecture, 9 | 35 | 78);
    for (i, (row, line)) in rows.iter().zip(lines.lines()).enumerate() {
        let line: Json = serde_json::from_str(line).unwrap();
        assert_eq!((line["i"].as_u64(), line["offset"].as_u64()), (Some(row.row), Some(row.locator.position())));
        let is_known = line.as_object().unwrap().len() > 3;
        if is_known {
            assert_eq!(row.fields, expected(&line, row, is_code), "{line}");
            let (name, track) = names(&line);
            assert_eq!((row.name.as_str(), all.tracks[row.track as usize].name.as_str()), (name, track.as_str()));
        } else {
            // An invalid frame, of which the dump says nothing.
            assert!(row.fields.iter().all(|field| ["address", "thread"].contains(&field.name.as_ref())));
        }
        if is_known && i % every == 0 && line.as_object().unwrap().len() == 4 {
            agrees_with_details(row, &details(file, decoder.as_ref(), row.locator).fields);
        }
    }
    rows
}

/// Frames of all kinds.
fn kinds() -> Vec<Frame> {
    let wide = Operand { bits: 100, value: (1..=16).collect(), ..Operand::read("XMM0", 0) };
    let long = Operand { bits: 0, value: vec![7; 70], ..Operand::read("MEM", 0) };
    let flag = Operand { bits: 1, ..Operand::written("ZF", 3) };
    let none = Operand { place: Place::Register(String::new()), ..Operand::loaded(0, 9) };
    vec![
        Frame::Std(Std {
            address: 0x40_1000,
            thread: 1,
            bytes: vec![0x48, 0x89, 0xe5],
            pre: vec![Operand::read("RSP", 0x7ffe_0010), Operand::loaded(0x7ffe_0010, 5).tainted(Taint::Id(3)), wide],
            post: Some(vec![flag, Operand::stored(u64::MAX, 8), none, long]),
            mode: Some("some mode".into()),
        }),
        Frame::Std(Std { address: 0, thread: u64::MAX, bytes: vec![], pre: vec![], post: None, mode: None }),
        Frame::Std(Std { address: 1, thread: 2, bytes: vec![0x90], pre: vec![], post: Some(vec![]), mode: None }),
        Frame::Syscall { address: 0x40_1003, thread: 2, number: 60, arguments: vec![0, -4096, 4097, i64::MIN] },
        Frame::Exception { number: 14, thread: Some(2), from: Some(0x1000), to: None },
        Frame::Exception { number: 3, thread: None, from: None, to: Some(9) },
        Frame::TaintIntro(vec![
            TaintIntro { address: 0x10, id: 7, value: Some(vec![1, 2]), source: Some("stdin".into()), offset: Some(4) },
            TaintIntro { address: 0, id: u64::MAX, value: None, source: None, offset: None },
        ]),
        Frame::ModLoad { name: "libc.so.6".into(), low: 0x7f00_0000, high: 0x7f00_ffff },
        Frame::Key(vec![(Some(2), vec![Operand::read("RAX", 1)]), (None, vec![Operand::loaded(0x20, 2)])]),
        Frame::Raw(vec![]),
        Frame::Raw(vec![0x3a, 1, 0]),
        // An address and a thread, then a string beyond the end of its message.
        Frame::Raw(vec![0x0a, 6, 0x08, 0x85, 0x01, 0x10, 7, 0x1a]),
    ]
}

fn file(version: u64, architecture: u64, machine: u64, frames: &[Frame]) -> Vec<u8> {
    let mut writer = Writer::new(version, architecture, machine, Some(&Meta::default()));
    frames.iter().for_each(|frame| writer.frame(frame));
    writer.finish(Table::Libtrace(10_000))
}

/// Frames for several pieces, of which `big` is a value of a few hundred kilobytes.
fn many() -> Vec<Frame> {
    let mut frames: Vec<Frame> = (0..9000u64).map(|i| kinds()[(i % 12) as usize].clone()).collect();
    frames[5000] = Frame::Std(Std {
        address: 5,
        thread: 1,
        bytes: vec![0x90],
        pre: vec![Operand { bits: 0, value: vec![1; 600_000], ..Operand::read("RAX", 0) }],
        post: None,
        mode: None,
    });
    frames
}

#[test]
fn every_kind_of_frame_has_its_fields() {
    let file = file(3, 9, 64, &kinds());
    let rows = check(&file, &[1, 7, 64 * 1024], 1);
    let read = [
        field("RSP", Value::Hex(0x7ffe_0010)),
        field("[0x7ffe0010]", Value::Hex(5)),
        field("XMM0", Value::Text("0x0d0c0b0a090807060504030201".into())),
    ];
    assert_eq!(tree(&rows[0].fields, "read"), read);
    assert_eq!(value(&rows[0].fields, "mode"), Some(&Value::Text("some mode".into())));
    assert_eq!(
        rows[2].fields.iter().map(|f| f.name.as_ref()).collect::<Vec<_>>(),
        ["address", "thread", "instruction"]
    );
    assert_eq!(
        rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>()[9..],
        ["unknown frame", "unknown frame", ""]
    );
    assert_eq!(rows[11].fields, [field("address", Value::Hex(0x85)), field("thread", Value::Id(7))]);
}

#[test]
fn every_version_and_machine_agrees_with_the_dump() {
    for version in 0..4 {
        for (architecture, machine) in [(9, 1), (35, 0), (78, 0), (8, 32), (2, 0)] {
            check(&file(version, architecture, machine, &kinds()), &[7], 1);
        }
    }
}

#[test]
fn long_files_have_pieces() {
    let file = file(3, 9, 64, &many());
    let rows = check(&file, &[997, 64 * 1024], 100);
    assert_eq!(rows.len(), 9000);
    let (_, decoder) = decode(&file, &[usize::MAX], 1 << 16);
    let reader = reader(decoder.as_ref());
    // A piece ends after 4096 frames, or after a long one.
    assert_eq!(reader.lanes()[0].pieces.iter().map(|piece| piece.row).collect::<Vec<_>>(), [0, 4096, 5001]);
}

#[test]
fn a_frame_that_is_too_large_has_an_address_and_a_thread() {
    let mut frame = vec![0x08, 0x85, 0x01, 0x10, 7, 0x1a, 0x80, 0x80, 0x80, 0x21];
    frame.resize(10 + (33 << 21), 0x90);
    let mut whole = vec![0x0a];
    let mut len = frame.len();
    while len > 0 {
        whole.push((len & 0x7f) as u8 | if len > 0x7f { 0x80 } else { 0 });
        len >>= 7;
    }
    whole.append(&mut frame);
    let file = file(3, 9, 64, &[Frame::Raw(whole), kinds().remove(0)]);
    let (_, decoder) = decode(&file, &[usize::MAX], 1 << 16);
    let rows = pass(reader(decoder.as_ref()).as_ref(), &file, 0..9, 1 << 20);
    assert_eq!(rows[0].fields, [field("address", Value::Hex(0x85)), field("thread", Value::Id(7))]);
    assert_eq!(rows[1].fields.len(), 7);
    let (lines, ..) = text(&file, 1 << 20);
    assert_eq!(
        lines.lines().next().unwrap(),
        format!("{{\"i\": 0, \"offset\": {}, \"len\": {}}}", rows[0].locator.position(), (33 << 21) + 15)
    );
}

#[test]
fn truncated_and_damaged_files_have_as_many_records_as_the_timeline() {
    let whole = file(3, 9, 64, &kinds());
    for len in 48..whole.len() {
        check(&whole[..len], &[13], 1);
    }
    for at in 8..whole.len() {
        for byte in [0, 0x0a, 0x7f, 0xff] {
            let mut file = whole.clone();
            file[at] = byte;
            if (format().open)(&file, options(&file)).is_ok() {
                check(&file, &[13], 1);
            }
        }
    }
}

#[test]
fn a_pass_stops_after_a_record_and_goes_on() {
    /// Full after every record; wants the fields of every other one.
    #[derive(Default)]
    struct One {
        rows: Vec<u64>,
        fields: usize,
        full: bool,
    }

    impl Visitor for One {
        fn begin(&mut self, record: &Record<'_>) -> bool {
            assert!(!self.full);
            self.full = true;
            self.rows.push(record.row);
            record.row % 2 == 1
        }
        fn field(&mut self, _key: &str, _value: FieldValue<'_>) {
            assert_eq!(self.rows.len() % 2, 0);
            self.fields += 1;
        }
        fn open(&mut self, _key: &str, _is_list: bool) {}
        fn close(&mut self) {}
        fn end(&mut self) {}
        fn is_full(&self) -> bool {
            self.full
        }
    }

    let file = file(3, 9, 64, &kinds());
    let (_, decoder) = decode(&file, &[usize::MAX], 1 << 16);
    let reader = reader(decoder.as_ref());
    let mut pass = reader.pass(0..1);
    let mut one = One::default();
    let mut stops = 0;
    while let Some(range) = pass.want() {
        one.full = false;
        pass.push(&file[range.at as usize..(range.at + range.len) as usize], &mut one).unwrap();
        assert!(one.full);
        stops += 1;
    }
    assert_eq!((stops, one.rows), (12, (0..12).collect()));
    assert!(one.fields > 10);
}

#[test]
fn a_file_that_became_shorter_ends_the_pass() {
    let file = file(3, 9, 64, &kinds());
    let (_, decoder) = decode(&file, &[usize::MAX], 1 << 16);
    let rows = pass(reader(decoder.as_ref()).as_ref(), &file[..file.len() - 200], 0..9, 100);
    assert!(!rows.is_empty() && rows.len() < 12);
}

#[test]
fn details_need_only_the_index() {
    let file = file(3, 9, 64, &kinds());
    let (all, decoder) = decode(&file, &[usize::MAX], 1 << 16);
    let meta = details(&file, decoder.as_ref(), Locator::at(48));
    assert!(value(&meta.fields, "Target").is_some());
    let end = all.events.iter().map(|event| event.4.position()).max().unwrap();
    assert_eq!(end, file.len() as u64);
    assert_eq!(value(&details(&file, decoder.as_ref(), Locator::at(end)).fields, "Frames"), Some(&Value::U64(12)));
}

#[test]
fn files_of_the_corpus_agree_with_the_dump() {
    for (name, file) in corpus("frames", "frames", 3_000_000) {
        if (format().open)(&file, options(&file)).is_ok() {
            eprintln!("{name}");
            check(&file, if file.len() < 30_000 { &[1, 7, 64 * 1024] } else { &[64 * 1024] }, 50);
        }
    }
}
