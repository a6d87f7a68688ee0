//! The small apitrace traces of `tests/fixtures/apitrace` and `web/public/samples`, as the encoder
//! writes them.
//!
//! `UNSPOOL_WRITE_FIXTURES=1 cargo test -p unspool-formats --test apitrace_fixtures` writes them.
//! Without the variable, the files must equal what the encoder writes. The output of
//! `apitrace dump` is next to each, and is checked if apitrace is installed.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use crate::apitrace_traces;
use crate::common;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use unspool_formats::apitrace::encode::{
    BitmaskSig, Details, EnumSig, FrameSig, FunctionSig, StructSig, Value, Writer, snappy,
};

#[test]
fn fixtures_are_what_the_encoder_writes() {
    let (short, values) = (scene(12), values());
    // The fixture has small chunks, like those of a tracer that flushes often. The sample is longer
    // and has one chunk.
    let chunks = snappy(&short, 4000);
    let cut = chunks[..chunks.len() - 1234].to_vec();
    let files = [
        ("tests/fixtures/apitrace/scene.trace", chunks),
        ("tests/fixtures/apitrace/values.trace", snappy(&values, 1 << 20)),
        ("tests/fixtures/apitrace/cut.trace", cut),
        ("tests/fixtures/apitrace/before_first_flush.trace", b"at".to_vec()),
        ("web/public/samples/scene.trace", snappy(&scene(40), 1 << 20)),
        ("web/public/samples/values.trace", snappy(&values, 1 << 20)),
    ];
    for (name, bytes) in &files {
        assert!(bytes.len() < 50_000, "{name} has {} bytes", bytes.len());
    }
    common::are_written(&files.each_ref().map(|(name, bytes)| (*name, bytes.as_slice())));
}

#[test]
fn the_text_is_that_of_apitrace() {
    for name in ["scene", "values", "cut", "before_first_flush"] {
        let path = root().join(format!("tests/fixtures/apitrace/{name}.trace"));
        let ours = dump(&fs::read(&path).unwrap());
        let golden = path.with_extension("txt");
        let theirs =
            Command::new("apitrace").args(["dump", "-v", "--color=never", "--thread-ids=yes"]).arg(&path).output();
        match theirs {
            Ok(output) => {
                let theirs = String::from_utf8(output.stdout).unwrap();
                if std::env::var_os("UNSPOOL_WRITE_FIXTURES").is_some() {
                    fs::write(&golden, &theirs).unwrap();
                }
                assert_eq!(ours, theirs, "{name}");
            }
            Err(_) => eprintln!("skipped: apitrace is not installed; compared with its stored output only"),
        }
        assert_eq!(ours, fs::read_to_string(&golden).unwrap(), "{name}");
    }
}

/// The same stream, repacked by apitrace and by zstd: see the README of the fixtures.
#[test]
fn every_container_holds_the_same() {
    let golden = fs::read_to_string(root().join("tests/fixtures/apitrace/scene.txt")).unwrap();
    for container in ["gzip", "brotli", "zstd", "seekable"] {
        let path = root().join(format!("tests/fixtures/apitrace/scene.{container}.trace"));
        assert_eq!(dump(&fs::read(&path).unwrap()), golden, "{container}");
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn dump(file: &[u8]) -> String {
    apitrace_traces::dump(file, true, usize::MAX).0
}

const CAP: EnumSig<'_> = EnumSig {
    id: 1,
    values: &[
        ("GL_NONE", 0),
        ("GL_TRIANGLES", 4),
        ("GL_TEXTURE_2D", 0x0de1),
        ("GL_DEPTH_TEST", 0x0b71),
        ("GL_BLEND", 0x0be2),
        ("GL_UNSIGNED_SHORT", 0x1403),
        ("GL_ARRAY_BUFFER", 0x8892),
        ("GL_DYNAMIC_DRAW", 0x88e8),
        ("GL_DEBUG_SOURCE_APPLICATION", 0x824a),
        ("GL_DEBUG_TYPE_MARKER", 0x8268),
        ("GL_DEBUG_SEVERITY_NOTIFICATION", 0x826b),
        ("GL_FRAGMENT_SHADER", 0x8b30),
        ("GL_INVALID_OPERATION", 0x0502),
    ],
};
const CLEAR: BitmaskSig<'_> = BitmaskSig {
    id: 1,
    flags: &[("GL_DEPTH_BUFFER_BIT", 0x100), ("GL_STENCIL_BUFFER_BIT", 0x400), ("GL_COLOR_BUFFER_BIT", 0x4000)],
};

fn gl(name: &str) -> Value<'static> {
    let value = CAP.values.iter().find(|(n, _)| *n == name).unwrap().1;
    Value::Enum(&CAP, value)
}

/// The signature of a function. Its id depends on the position in the list.
fn function(name: &str) -> FunctionSig<'static> {
    const ALL: &[(&str, &[&str])] = &[
        ("glXMakeCurrent", &["dpy", "drawable", "ctx"]),
        ("glXSwapBuffers", &["dpy", "drawable"]),
        ("glClear", &["mask"]),
        ("glEnable", &["cap"]),
        ("glDisable", &["cap"]),
        ("glUseProgram", &["program"]),
        ("glBindTexture", &["target", "texture"]),
        ("glUniformMatrix4fv", &["location", "count", "transpose", "value"]),
        ("glBufferData", &["target", "size", "data", "usage"]),
        ("glDrawElements", &["mode", "count", "type", "indices"]),
        ("glPushDebugGroup", &["source", "id", "length", "message"]),
        ("glPopDebugGroup", &[]),
        ("glDebugMessageInsert", &["source", "type", "id", "severity", "length", "buf"]),
        ("glCreateShader", &["type"]),
        ("glShaderSource", &["shader", "count", "string", "length"]),
        ("glCompileShader", &["shader"]),
        ("glGetError", &[]),
        ("glFlush", &[]),
    ];
    let id = ALL.iter().position(|(n, _)| *n == name).unwrap();
    FunctionSig { id: id as u64 + 10, name: ALL[id].0, args: ALL[id].1 }
}

/// A small game: frames with groups for sky, terrain and interface, and a second thread that
/// uploads during draws.
fn scene(frames: u64) -> Vec<u8> {
    let mut w = Writer::new(&[("process.name", "/usr/games/meadow"), ("process.commandLine", "meadow --demo")]);
    let display = || Value::Pointer(0x55d0_c0de_1000);
    let window = || Value::Uint(0x0460_0002);
    w.call(
        0,
        &function("glXMakeCurrent"),
        vec![display(), window(), Value::Pointer(0x55d0_c0de_8000)],
        Some(Value::Int(1)),
    );
    w.call(0, &function("glCreateShader"), vec![gl("GL_FRAGMENT_SHADER")], Some(Value::Uint(3)));
    let source = b"#version 330\nuniform sampler2D grass;\nin vec2 uv;\nout vec4 colour;\n\nvoid main() {\n\tcolour = texture(grass, uv);\n}\n";
    let sources = Value::Array(vec![Value::Text(source)]);
    w.call(0, &function("glShaderSource"), vec![Value::Uint(3), Value::Int(1), sources, Value::Null], None);
    w.call(0, &function("glCompileShader"), vec![Value::Uint(3)], None);
    let mut upload = None;
    for frame in 0..frames {
        w.call(0, &function("glClear"), vec![Value::Bitmask(&CLEAR, 0x4100)], None);
        for (group, program, draws) in [("sky", 3, 1), ("terrain", 5, 4 + frame % 5), ("interface", 8, 3)] {
            push(&mut w, group);
            w.call(0, &function("glUseProgram"), vec![Value::Uint(program)], None);
            let cap = if group == "interface" { "GL_BLEND" } else { "GL_DEPTH_TEST" };
            w.call(0, &function("glEnable"), vec![gl(cap)], None);
            for draw in 0..draws {
                if group == "terrain" {
                    let angle = (frame * 10 + draw) as f32 / 16.0;
                    let matrix = (0..16).map(|i| Value::Float(if i % 5 == 0 { angle } else { i as f32 / 8.0 }));
                    let args = vec![Value::Int(2), Value::Int(1), Value::Bool(false), Value::Array(matrix.collect())];
                    w.call(0, &function("glUniformMatrix4fv"), args, None);
                }
                // Redundant binds of the same texture.
                w.call(0, &function("glBindTexture"), vec![gl("GL_TEXTURE_2D"), Value::Uint(program * 2)], None);
                let args =
                    [gl("GL_TRIANGLES"), Value::Int(36 * (1 + draw as i64)), gl("GL_UNSIGNED_SHORT"), Value::Null];
                let call = w.enter(0, &function("glDrawElements"), &Details::args(args));
                if let Some(begun) = upload.take() {
                    // The uploading call returns during this draw.
                    w.leave(begun, &Details::default());
                }
                w.leave(call, &Details::default());
            }
            w.call(0, &function("glDisable"), vec![gl(cap)], None);
            pop(&mut w);
        }
        if frame % 4 == 1 {
            let data = [frame as u8; 64];
            let args = [gl("GL_ARRAY_BUFFER"), Value::Int(64), Value::Blob(&data), gl("GL_DYNAMIC_DRAW")];
            upload = Some(w.enter(1, &function("glBufferData"), &Details::args(args)));
        }
        if frame % 10 == 7 {
            let args = vec![
                gl("GL_DEBUG_SOURCE_APPLICATION"),
                gl("GL_DEBUG_TYPE_MARKER"),
                Value::Uint(1),
                gl("GL_DEBUG_SEVERITY_NOTIFICATION"),
                Value::Int(-1),
                Value::Text(b"a cloud comes in"),
            ];
            w.call(0, &function("glDebugMessageInsert"), args, None);
            w.call(0, &function("glGetError"), vec![], Some(gl("GL_INVALID_OPERATION")));
        }
        w.call(0, &function("glXSwapBuffers"), vec![display(), window()], None);
    }
    // The program was stopped during a flush.
    push(&mut w, "sky");
    w.enter(0, &function("glFlush"), &Details::default());
    w.stream().to_vec()
}

fn push(w: &mut Writer, group: &'static str) {
    let text = Value::Text(group.as_bytes());
    let args = vec![gl("GL_DEBUG_SOURCE_APPLICATION"), Value::Uint(0), Value::Int(-1), text];
    w.call(0, &function("glPushDebugGroup"), args, None);
}

fn pop(w: &mut Writer) {
    w.call(0, &function("glPopDebugGroup"), vec![], None);
}

/// Every kind of value, and everything else that a call can have.
fn values() -> Vec<u8> {
    const SET: FunctionSig<'_> = FunctionSig { id: 40, name: "set", args: &["value"] };
    const GUID: StructSig<'_> = StructSig { id: 1, name: "GUID", members: &["Data1", "Data2", "Data3", "Data4"] };
    const BOX: StructSig<'_> = StructSig { id: 2, name: "BOX", members: &["left", "", "right"] };
    const INNER: StructSig<'_> = StructSig { id: 3, name: "", members: &["top", "bottom"] };
    const FLAGS: BitmaskSig<'_> = BitmaskSig { id: 7, flags: &[("NOTHING", 0), ("BOTH", 3), ("ONE", 1), ("TWO", 2)] };
    const SIGNED: EnumSig<'_> =
        EnumSig { id: 8, values: &[("MINUS", -1), ("ZERO", 0), ("NULL", 0), ("LARGE", i64::MAX)] };
    let mut w = Writer::new(&[("process.name", "values"), ("quoted \"name\"", "tab\t, quote \", backslash \\, é")]);
    let bytes = |n: u64| (0..n).map(|i| Value::Uint(i * 17 % 256)).collect();
    let guid = vec![Value::Uint(0xdead_beef), Value::Uint(0x1234), Value::Uint(0xabcd), Value::Array(bytes(8))];
    let inner = Value::Struct(&INNER, vec![Value::Double(0.1), Value::Float(0.1)]);
    let long: Vec<u8> = (0..=255).rev().chain(b"text".iter().copied()).collect();
    let all = vec![
        Value::Null,
        Value::Bool(true),
        Value::Int(i64::MIN),
        Value::Uint(u64::MAX),
        Value::Float(1.0 / 3.0),
        Value::Float(f32::NEG_INFINITY),
        Value::Double(1e-300),
        Value::Double(f64::NAN),
        Value::Text("plain, \"quoted\", back\\slash, \t tab, \u{e9}".as_bytes()),
        Value::Text(&long),
        Value::Blob(&long),
        Value::Enum(&SIGNED, -1),
        Value::Enum(&SIGNED, 0),
        Value::Enum(&SIGNED, i64::MAX),
        Value::Enum(&SIGNED, 5),
        Value::Bitmask(&FLAGS, 0),
        Value::Bitmask(&FLAGS, 2),
        Value::Bitmask(&FLAGS, 0xf3),
        Value::Array(vec![]),
        Value::Array(vec![Value::Array(vec![Value::Uint(1)])]),
        Value::Array(bytes(20)),
        Value::Struct(&GUID, guid),
        Value::Struct(&BOX, vec![Value::Int(-1), inner, Value::Null]),
        Value::Pointer(u64::MAX),
        Value::Repr(Box::new((Value::Text(b"ps_3_0\ndcl t0.xy\n"), Value::Blob(&long)))),
        Value::Wide("wide: \u{e9} \u{20ac} \u{1f600}"),
    ];
    for value in all {
        w.call(0, &SET, vec![value], None);
    }
    let frame = |id| FrameSig { id, module: Some("libvalues.so"), offset: Some(0x10 * id), ..FrameSig::default() };
    let full = FrameSig { function: Some("main"), file: Some("main.c"), line: Some(12), ..frame(3) };
    let backtrace = vec![frame(1), FrameSig { id: 2, ..FrameSig::default() }, full];
    let call = w.enter(5, &SET, &Details { backtrace: backtrace.clone(), fake: true, ..Details::default() });
    w.leave(call, &Details { args: vec![(0, Value::Uint(1))], ..Details::result(Value::Array(vec![Value::Null])) });
    // The frames have been defined; both events of the call have the argument.
    let outer = w.enter(0x1f, &SET, &Details { backtrace, ..Details::args([Value::Text(b"in")]) });
    let nested = w.enter(0x1f, &SET, &Details::default());
    w.leave(nested, &Details::default());
    w.leave(outer, &Details { args: vec![(0, Value::Text(b"out"))], ..Details::default() });
    w.enter(0, &SET, &Details { fake: true, ..Details::default() });
    w.stream().to_vec()
}
