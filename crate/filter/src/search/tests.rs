//! Searches over records of every kind.

use unspool_trace::{Locator, Operand, Taint, Use};

use super::*;
use crate::pattern::Linked;
use crate::{Context, Filter, Name, Offers, Track};

struct Words;

impl Instructions for Words {
    fn text(&self, _isa: &str, _address: u64, bytes: &[u8]) -> Option<String> {
        match bytes {
            [0x0f, 0x05] => Some("syscall".into()),
            [0xf3, 0xa4] => Some("rep movsb".into()),
            [0x31, 0xf6] => Some("xor esi, esi".into()),
            [0xe8, target] => Some(format!("call 0x{target:x}")),
            _ => None,
        }
    }
}

fn context() -> Context {
    let name = |text: &str, id| Name { text: text.into(), key: String::new(), id };
    let track = |name: &str, thread| Track { name: name.into(), thread };
    Context {
        names: vec![name("draw", None), name("main", Some(12)), name("#13", Some(13))],
        tracks: vec![track("frames", None), track("worker", Some(77))],
        begin: 1000,
        frequency: Some(1_000_000),
        frames: vec![1000, 1010, 1030],
        has_calls_across_frames: false,
        offers: Offers { code: true, state: true, calls: true },
    }
}

fn filter(text: &str) -> RecordQuery {
    let Filter { records, begins } = Filter::new(text, &context()).expect(text);
    assert!(begins.is_empty());
    records
}

/// Whether an expression about records holds for one, and what matched.
fn found(text: &str, name: RecordName<'_>, fields: impl Fn(&mut dyn Visitor)) -> Option<String> {
    let mut search = Search::new(&filter(text), &[], Some(Box::new(Words)), &Linked, |n| n.to_string()).unwrap();
    let record = Record { locator: Locator::at(5), lane: 0, row: 0, x: 1015, track: 1, name };
    if search.begin(&record) {
        fields(&mut search);
        search.end();
    }
    let found = search.take();
    assert_eq!(found.x.len() as u64, search.count());
    let text = *found.matched.first()?;
    Some(found.texts.get(text as usize).cloned().unwrap_or_default())
}

fn call(v: &mut dyn Visitor) {
    v.field("call", FieldValue::U64(7));
    v.open("args", false);
    v.field("count", FieldValue::I64(-3));
    v.field("mode", FieldValue::Symbol { name: "GL_A | GL_B", value: &FieldValue::U64(3) });
    v.open("sizes", true);
    v.field("", FieldValue::U64(10));
    v.field("", FieldValue::U64(u64::MAX));
    v.close();
    v.open("box", false);
    v.field("x", FieldValue::F32(0.1));
    v.close();
    v.field("source", FieldValue::Text("void main()\n{ gl_Position = x; }"));
    v.field("data", FieldValue::Bytes { bytes: &[1, 0x90, 0x90], len: 3 });
    v.field("payload", FieldValue::Bytes { bytes: b"GET /\r\n", len: 7 });
    v.field("flag", FieldValue::Bool(true));
    v.field("none", FieldValue::Null);
    v.close();
    v.field("ret", FieldValue::I64(0));
}

#[test]
fn fields_are_found_by_path_and_value() {
    let is = |text: &str| found(text, RecordName::Text("draw"), call).is_some();
    for text in [
        "arg.count:-3",
        "arg.count<0",
        "arg.count:-5..-1",
        "arg.count>=-3",
        "arg.mode:GL_A",
        "arg.mode:GL_*",
        "arg.mode:3",
        "arg.sizes:10",
        "arg.sizes.1:0xffffffffffffffff",
        "arg.sizes>10",
        "arg.box.x:0.1",
        "arg.box:0.1",
        "arg.flag:true",
        "arg.none:null",
        "ret:0",
        "arg.call:7",
        "text:gl_position",
        "text:\"gl_Position\"",
        "text:/gl_[A-Z]/",
        "bytes:90 90",
        "bytes:9090",
        "text:\"GET /\"",
        "arg.data:*",
        // Bytes that lists show as text are text.
        "arg.payload:GET*",
        "-arg.none:*",
        "-arg.count:4",
        "-arg.nothing:1",
        "arg.count:1 or ret:0",
        "name:draw -ret:1",
        "main()",
        "draw",
        "thread:77 ret:0",
        "thread:work* ret:0",
        "start:15us ret:0",
        "frame:1 ret:0",
        "arg.source:\"void main()\\n{ gl_Position = x; }\"",
    ] {
        assert!(is(text), "{text}");
    }
    for text in [
        "arg.count:3",
        "arg.count>-3",
        "arg.mode:GL_C",
        "arg.sizes.0:11",
        "arg.sizes.2:10",
        "arg.x:0.1",
        "arg.none:0",
        "ret:1",
        "arg.ret:1",
        "text:\"gl_position\"",
        "text:GL_Position",
        "bytes:90 91",
        "-ret:0",
        "name:dra ret:0",
        "thread:78 ret:0",
        "frame:0 ret:0",
        "frame:2.. ret:0",
        "start>15us ret:0",
        "nothing",
        "insn:call",
        "addr:5",
        "arg.count:abc",
    ] {
        assert!(!is(text), "{text}");
    }
}

#[test]
fn records_that_cannot_match_are_known_by_name_and_keys() {
    let may = |text: &str, keys: &[&str]| {
        let mut search = Search::new(&filter(text), &[], None, &Linked, |n| n.to_string()).unwrap();
        search.may_want(RecordName::Text("draw"), &mut keys.iter().copied())
    };
    assert!(may("name:draw", &[]) && !may("name:other", &["x"]) && may("-name:other", &[]));
    assert!(may("arg.x:1", &["y", "x"]) && !may("arg.x:1", &["y"]) && may("arg.x.y:1", &["x"]));
    assert!(may("-arg.x:1", &["y"]) && may("arg.x:1 or thread:77", &[]) && !may("arg.x:1 thread:77", &[]));
    assert!(may("ret:0", &["ret"]) && !may("ret:0", &["x"]) && may("text:x", &[]) && may("bytes:00", &[]));
    assert!(!may("name:other or arg.x:1 arg.y:1", &["x"]) && may("dra or arg.x:1", &[]));
}

#[test]
fn what_matched_is_told() {
    let what = |text: &str| found(text, RecordName::Text("draw"), call).unwrap();
    assert_eq!(what("arg.count<0"), "count: -3");
    assert_eq!(what("arg.sizes>10"), "sizes: 18446744073709551615");
    assert_eq!(what("text:gl_position"), "source: void main() { gl_Position = x; }");
    assert_eq!(what("arg.box.x>0"), "x: 0.10000000149011612");
    assert_eq!(what("name:draw"), "");
    assert_eq!(what("arg.count<0 arg.mode:GL_A"), "count: -3, mode: GL_A | GL_B");
}

#[test]
fn instructions_and_addresses() {
    let code = |bytes: &'static [u8]| {
        move |v: &mut dyn Visitor| {
            v.field("address", FieldValue::Hex(0x40_1000));
            v.field("instruction", FieldValue::Code { isa: "x86-64", address: 0x40_1000, bytes });
            v.open("read", false);
            v.field("address", FieldValue::Hex(0x99));
            v.close();
        }
    };
    let is = |text: &str, bytes| found(text, RecordName::None, code(bytes));
    assert_eq!(is("insn:syscall", &[0x0f, 5]).as_deref(), Some("instruction: syscall"));
    assert!(is("insn:movsb", &[0xf3, 0xa4]).is_some() && is("insn:rep", &[0xf3, 0xa4]).is_some());
    assert!(is("insn:\"call 0x7\"", &[0xe8, 7]).is_some() && is("insn:\"call 0x7\"", &[0xe8, 8]).is_none());
    assert!(is("insn:call", &[0xe8, 7]).is_some() && is("insn:/0x8$/", &[0xe8, 8]).is_some());
    assert!(is("addr:0x401000", &[1]).is_some() && is("addr:0x401001..", &[1]).is_none());
    assert!(is("addr:0x99", &[1]).is_none() && is("arg.read.address:0x99", &[1]).is_some());
    assert!(is("bytes:0f", &[0x0f, 5]).is_some());
}

#[test]
fn memory_and_taint() {
    let operand =
        |name, address, value, used, taint| Operand { name, address, value, is_big_endian: false, used, taint };
    let frame = move |v: &mut dyn Visitor| {
        v.open("read", false);
        v.operand(&operand("RAX", None, &[1; 8], Use::Read, Some(Taint::Of(3))));
        v.field("RAX", FieldValue::Hex(0x10));
        v.operand(&operand("[0x10]", Some(0x10), &[1, 2, 3, 4], Use::Read, Some(Taint::Several)));
        v.close();
        v.open("written", false);
        v.operand(&operand("[0x20]", Some(0x20), &[5], Use::Written, None));
        v.close();
    };
    let is = |text: &str| found(text, RecordName::None, frame);
    let all = ["mem:0x13", "mem:0..0x10", "mem.read:0x12..0x12", "mem.read>=0x13", "mem:0x20", "mem.written:0x20"];
    for text in all.into_iter().chain(["taint:3", "taint>2", "taint:*", "mem.read<0x11", "-mem:0x14", "-mem.read:0x20"])
    {
        assert!(is(text).is_some(), "{text}");
    }
    for text in
        ["mem:0x14", "mem.written:0x10", "mem:0x21..", "mem<0x10", "mem.read>0x13", "taint:2", "-mem:0x13", "taint>3"]
    {
        assert!(is(text).is_none(), "{text}");
    }
    assert_eq!(is("mem:0x11").as_deref(), Some("reads [0x10]: 01 02 03 04"));
    assert_eq!(is("mem.written:0x20").as_deref(), Some("writes [0x20]: 05"));
    assert_eq!(is("taint:3").as_deref(), Some("RAX: taint 3"));
    assert_eq!(is("taint:*").as_deref(), Some("RAX: taint 3, [0x10]: several taints"));
}

#[test]
fn values_of_registers_and_memory() {
    let operand =
        |name, address, value, used| Operand { name, address, value, is_big_endian: false, used, taint: None };
    let frame = move |v: &mut dyn Visitor| {
        v.open("read", false);
        v.operand(&operand("RAX", None, &[0x12, 0x34], Use::Read));
        v.field("RAX", FieldValue::Hex(0x3412));
        v.operand(&operand("XMM0", None, &[7; 16], Use::Read));
        v.field("XMM0", FieldValue::Text("0x00000000000000000000000000000707"));
        v.close();
        v.open("written", false);
        v.operand(&operand("[0x20]", Some(0x20), &[5, 6], Use::Written));
        v.field("[0x20]", FieldValue::Hex(0x605));
        v.close();
        v.open("other", false);
        v.field("RBX", FieldValue::Hex(9));
        v.close();
    };
    let is = |text: &str| found(text, RecordName::None, frame);
    let all = [
        "reg.rax:0x3412",
        "reg.RAX=13330",
        "reg.rax:*",
        "reg:0x3412",
        "reg>0x3411",
        "reg.xmm0:0x707",
        "reg.xmm0:*0707",
    ];
    for text in all.into_iter().chain(["mem.value:0x605", "mem.value>5", "-reg.rax:1", "-reg:0x605", "bytes:05 06"]) {
        assert!(is(text).is_some(), "{text}");
    }
    for text in
        ["reg.rax:1", "reg.rbx:*", "reg:9", "reg:0x605", "mem.value:0x3412", "-reg.rax:*", "reg.rax<3", "bytes:06 05"]
    {
        assert!(is(text).is_none(), "{text}");
    }
    assert_eq!(is("reg.rax:0x3412").as_deref(), Some("reads RAX: 0x3412"));
    assert_eq!(is("mem.value:0x605").as_deref(), Some("writes [0x20]: 0x605"));
    assert_eq!(is("bytes:12 34").as_deref(), Some("reads RAX: 12 34"));
}

#[test]
fn alternatives_say_what_they_are_about() {
    use crate::About::{Executed, Other, Read, Tainted, Written};
    let of = |text: &str| crate::Bound::new(text, &context()).unwrap().abouts();
    assert_eq!(of("mem:5"), [Read, Written]);
    assert_eq!(of("reg.rax:5"), [Read, Written]);
    assert_eq!(of("arg.read.RAX:* or arg.written.RAX:*"), [Read, Written]);
    assert_eq!(of("addr:5 mem.written:5 or addr:5 or taint:1 or arg.x:1"), [Written, Executed, Tainted, Other]);
    assert_eq!(of("-mem:5 ret:0"), [Other]);
    assert_eq!(of("name:main"), []);
}

#[test]
fn conditions_on_slices_hold_for_records_that_begin_them() {
    let Filter { records, begins } = Filter::new("ret:0 -dur>1ms or depth:2 name:draw", &context()).unwrap();
    let of = |query: &crate::SliceQuery| (query.branches[0].len(), query.names.clone());
    assert_eq!(begins.iter().map(of).collect::<Vec<_>>(), [(1, vec![1, 1, 1]), (1, vec![1, 0, 0])]);
    let begins = [vec![(7, 1)], vec![(8, 2), (9, 3)]];
    let mut search = Search::new(&records, &begins, None, &Linked, |n| n.to_string()).unwrap().only_counting();
    let mut holds = |at, x, ret| {
        let name = RecordName::Text("draw");
        let before = search.count();
        if search.begin(&Record { locator: Locator::at(at), lane: 0, row: x, x, track: 0, name }) {
            search.field("ret", FieldValue::U64(ret));
            search.end();
        }
        search.count() > before
    };
    let bits = |at| Locator::at(at).bits();
    assert_eq!([bits(7), bits(8), bits(9)], [7, 8, 9], "as in the sets");
    assert!(!holds(7, 1, 0) && holds(7, 2, 0) && !holds(7, 2, 1));
    assert!(holds(8, 2, 1) && holds(9, 3, 1) && !holds(9, 2, 1));
    assert!(Search::new(&records, &begins[..1], None, &Linked, |n| n.to_string()).is_none());
    assert!(search.take().x.is_empty());
}

#[test]
fn ids_have_the_names_of_companions() {
    let is = |text: &str, id| found(text, RecordName::Id(id), |_| ()).is_some();
    assert!(is("name:main", 12) && !is("name:main", 13) && is("name:#13", 13) && is("-name:main", 13));
}

#[test]
fn records_beyond_the_limit_are_counted() {
    let mut search = Search::new(&filter("ret:0"), &[], None, &Linked, |n| n.to_string()).unwrap();
    search.listed = MOST - 1;
    for x in 0..3 {
        let record = Record { locator: Locator::at(x), lane: 0, row: x, x, track: 0, name: RecordName::None };
        assert!(search.begin(&record));
        search.field("ret", FieldValue::U64(0));
        search.end();
    }
    assert_eq!((search.count(), search.take().x), (3, vec![0]));
}

#[test]
fn a_record_keeps_its_name_when_too_many_texts_matched() {
    let mut search = Search::new(&filter("arg.count>0"), &[], None, &Linked, |n| n.to_string()).unwrap();
    let mut found = |x: u64, name: &str| {
        let name = RecordName::Text(name);
        assert!(search.begin(&Record { locator: Locator::at(x), lane: 0, row: x, x, track: 0, name }));
        search.open("args", false);
        search.field("count", FieldValue::U64(x + 1));
        search.close();
        search.end();
        let found = search.take();
        (found.name[0], found.matched[0])
    };
    let last = (0..=MOST_MATCHES as u64).map(|x| found(x, "draw")).last().unwrap();
    assert_eq!(last, (1, u32::MAX));
    assert_eq!(found(0, "late"), (MOST_MATCHES as u32, 0));
}

#[test]
fn queries_cross_as_bytes() {
    let bound =
        crate::Bound::new("name:a dur>1ms arg.x:1 or insn:/x/i -text:\"y\" addr:1..2 bytes:00 thread:77", &context())
            .unwrap();
    assert_eq!(RecordQuery::from_bytes(&bound.records.to_bytes()), Some(bound.records.clone()));
    assert_eq!(crate::SliceQuery::from_bytes(&bound.slices.to_bytes()), Some(bound.slices));
    let wrong = RecordQuery { branches: vec![vec![(true, 5)]], ..RecordQuery::default() };
    assert_eq!(RecordQuery::from_bytes(&wrong.to_bytes()), None);
    assert_eq!(Context::from_bytes(&context().to_bytes()), Some(context()));
}

#[test]
fn words_are_found_as_they_are_on_the_screen() {
    let step = |text: &str| {
        found(text, RecordName::None, |v| {
            v.field("instruction", FieldValue::Code { isa: "x86_64", address: 0x40_1000, bytes: &[0x31, 0xf6] });
            v.field("rsi", FieldValue::Hex(0x2a));
        })
    };
    for text in
        ["xor esi", "XOR or esi,", "\"xor esi\"", "/xor .*esi/", "esi 0x401000", "31 f6", "0x2a", "42", "xor -eax"]
    {
        assert!(step(text).is_some(), "{text}");
    }
    assert_eq!(step("xor esi").as_deref(), Some("instruction: xor esi, esi"));
    for text in ["xor eax", "-xor", "31 f7", "0x401001", "4", "text:xor", "rsi"] {
        assert_eq!(step(text), None, "{text}");
    }
    let is = |text: &str| found(text, RecordName::Text("draw"), call).is_some();
    for text in ["count", "sizes", "GL_B", "gl_position draw", "10", "18446744073709551615", "0.1", "get", "draw"] {
        assert!(is(text), "{text}");
    }
    assert!(!is("coun") && !is("draw other"));
    // By their name alone they are found in the store.
    let in_records = |text: &str| {
        let query = crate::Bound::new(text, &context()).unwrap().records;
        let mut search = Search::new(&query, &[], None, &Linked, |n| n.to_string()).unwrap();
        let name = RecordName::Text("draw");
        if search.begin(&Record { locator: Locator::at(5), lane: 0, row: 0, x: 1015, track: 1, name }) {
            call(&mut search);
            search.end();
        }
        search.count() > 0
    };
    assert!(!in_records("draw") && in_records("draw count") && in_records("-other get"));
}

#[test]
fn an_instruction_is_found_by_words_of_it() {
    let is = |text: &str| {
        let code = FieldValue::Code { isa: "x86_64", address: 0, bytes: &[0x31, 0xf6] };
        found(text, RecordName::None, |v| v.field("instruction", code)).is_some()
    };
    for text in ["insn:xor", "insn:\"xor esi\"", "insn:\"xor esi, esi\"", "insn:\"esi, esi\"", "insn:\"xor *\""] {
        // Within quotes a `*` is itself.
        assert_eq!(is(text), !text.contains('*'), "{text}");
    }
    for text in ["insn:esi", "insn:\"xor es\"", "insn:\"or esi\""] {
        assert!(!is(text), "{text}");
    }
}

#[test]
fn only_a_search_for_bytes_needs_more_than_is_shown() {
    let extent = |text: &str| {
        Search::new(&filter(text), &[], Some(Box::new(Words)), &Linked, |n| n.to_string()).unwrap().extent()
    };
    assert_eq!([extent("bytes:90"), extent("-bytes:90 count")], [Extent::Held; 2]);
    assert_eq!([extent("text:x"), extent("arg.data:x"), extent("draw")], [Extent::Shown; 3]);
}
