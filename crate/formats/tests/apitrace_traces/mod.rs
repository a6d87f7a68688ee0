//! Traces for the tests of apitrace: one with every feature, generated ones, and those of the
//! corpus.

#![allow(dead_code, reason = "each test uses a part of this")]

use std::path::PathBuf;
use std::prelude::v1::*;
use std::vec;

use proptest::prelude::*;
use unspool_trace::{OpenOptions, Problem, Text};

use unspool_formats::FORMATS;
use unspool_formats::apitrace::encode::{
    BitmaskSig, Details, EnumSig, FrameSig, FunctionSig, StructSig, Value, Writer,
};

pub(crate) const GOOD: FunctionSig<'_> = FunctionSig { id: 4, name: "good", args: &["v"] };
pub(crate) const SWAP: FunctionSig<'_> = FunctionSig { id: 5, name: "glXSwapBuffers", args: &["dpy", "drawable"] };
pub(crate) const DRAW: FunctionSig<'_> =
    FunctionSig { id: 300, name: "glDrawArrays", args: &["mode", "first", "count"] };
pub(crate) const DATA: FunctionSig<'_> =
    FunctionSig { id: 70_000, name: "glBufferData", args: &["target", "size", "data", "usage"] };
pub(crate) const PUSH: FunctionSig<'_> =
    FunctionSig { id: 6, name: "glPushDebugGroup", args: &["source", "id", "length", "message"] };
pub(crate) const POP: FunctionSig<'_> = FunctionSig { id: 7, name: "glPopDebugGroup", args: &[] };
pub(crate) const MARK: FunctionSig<'_> = FunctionSig { id: 8, name: "D3DPERF_SetMarker", args: &["col", "wszName"] };
pub(crate) const NEW_LIST: FunctionSig<'_> = FunctionSig { id: 9, name: "glNewList", args: &["list", "mode"] };
pub(crate) const END_LIST: FunctionSig<'_> = FunctionSig { id: 10, name: "glEndList", args: &[] };
pub(crate) const CALL_LIST: FunctionSig<'_> = FunctionSig { id: 11, name: "glCallList", args: &["list"] };
pub(crate) const CALL_LISTS: FunctionSig<'_> =
    FunctionSig { id: 12, name: "glCallLists", args: &["n", "type", "lists"] };
pub(crate) const MODE: EnumSig<'_> =
    EnumSig { id: 1, values: &[("GL_POINTS", 0), ("GL_TRIANGLES", 4), ("GL_NEGATIVE", -1)] };
pub(crate) const BITS: BitmaskSig<'_> = BitmaskSig { id: 1, flags: &[("NONE", 0), ("A", 1), ("B", 2)] };
pub(crate) const POINT: StructSig<'_> = StructSig { id: 9, name: "POINT", members: &["x", "y"] };

/// A trace with groups, frames, markers, every kind of value, and calls that overlap.
pub(crate) fn sample() -> Writer {
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

/// A value with at most `depth` levels of containers.
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

/// Streams of up to 30 calls, some of which overlap or never end.
pub(crate) fn stream() -> impl Strategy<Value = Vec<u8>> {
    let functions = proptest::sample::select(vec![
        GOOD, SWAP, DRAW, DRAW, DATA, PUSH, POP, MARK, NEW_LIST, END_LIST, CALL_LIST, CALL_LISTS,
    ]);
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

/// Every apitrace of the corpus, in any folder. None without a corpus.
pub(crate) fn corpus() -> Vec<PathBuf> {
    let mut files = unspool_corpus::files("apitrace", u64::MAX);
    files.retain(|path| path.extension().is_some_and(|e| e == "trace"));
    files
}

/// The text of a trace, and the problems found. The file comes in portions of `portion` bytes.
pub(crate) fn dump(file: &[u8], thread_ids: bool, portion: usize) -> (String, Vec<Problem>) {
    let format = FORMATS.iter().find(|f| f.id == "apitrace").unwrap();
    let options = OpenOptions { size: Some(file.len() as u64), ..OpenOptions::default() };
    let head = &file[..file.len().min(65536)];
    let mut dump = (format.text)(head, Text::Apitrace { thread_ids }, options).unwrap().unwrap();
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
