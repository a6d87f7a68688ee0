//! Findings are what the calls prove, and nothing that they do not.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test that panics has done its work")]

use std::collections::HashMap;

use crate::common::{corpus, indexed};
use unspool_formats::apitrace::encode::{FunctionSig, Value as Arg, Writer, snappy};
use unspool_graphics::findings::{Findings, Kind};
use unspool_graphics::functions;

/// Writes calls by name, in a context that the first two calls make; the parameters are those of gl.xml.
struct Calls {
    writer: Writer,
    ids: HashMap<String, u64>,
}

type Found = Vec<(Kind, String, u64, u64, Vec<u64>)>;

impl Calls {
    fn new() -> Self {
        let mut calls = Self { writer: Writer::new(&[]), ids: HashMap::new() };
        let zeros = || vec![Arg::Pointer(1), Arg::Pointer(2), Arg::Pointer(0), Arg::Bool(true)];
        calls.returning("glXCreateContext", zeros(), Some(Arg::Pointer(9)));
        calls.returning("glXMakeCurrent", vec![Arg::Pointer(1), Arg::Int(1), Arg::Pointer(9)], Some(Arg::Bool(true)));
        calls
    }

    fn call(&mut self, name: &str, numbers: &[i64]) -> &mut Self {
        self.returning(name, numbers.iter().map(|number| Arg::Int(*number)).collect(), None)
    }

    /// A call whose last argument is a blob.
    fn bytes(&mut self, name: &str, numbers: &[i64], bytes: &[u8]) -> &mut Self {
        self.returning(name, numbers.iter().map(|number| Arg::Int(*number)).chain([Arg::Blob(bytes)]).collect(), None)
    }

    fn error(&mut self, error: i64) -> &mut Self {
        self.returning("glGetError", Vec::new(), Some(Arg::Int(error)))
    }

    fn returning(&mut self, name: &str, arguments: Vec<Arg<'_>>, result: Option<Arg<'_>>) -> &mut Self {
        let next = self.ids.len() as u64;
        let id = *self.ids.entry(name.into()).or_insert(next);
        let parameters: Vec<&str> =
            functions().find(name).map_or(vec!["a", "b", "c", "d"], |it| it.parameters().map(|it| it.name).collect());
        self.writer.call(0, &FunctionSig { id, name, args: &parameters }, arguments, result);
        self
    }

    fn find(&self) -> Found {
        found(snappy(self.writer.stream(), 1 << 20))
    }

    /// The findings of a kind: sentence, count, cost, and calls counted after the first two.
    fn of(&self, kind: Kind) -> Vec<(String, u64, u64, Vec<u64>)> {
        let own = self.find().into_iter().filter(|one| one.0 == kind);
        own.map(|(_, text, count, cost, calls)| (text, count, cost, calls.iter().map(|call| call - 2).collect()))
            .collect()
    }
}

fn found(file: Vec<u8>) -> Found {
    let (index, file) = indexed(file);
    let mut search = Findings::open(&index, file).unwrap();
    while !search.step(1).unwrap() {}
    search.all().into_iter().map(|it| (it.kind, it.sentence, it.count, it.cost, it.calls)).collect()
}

const TEXTURE_2D: i64 = 0xde1;
const RGBA: i64 = 0x1908;
const BYTE: i64 = 0x1401;
const COLOUR: i64 = 0x4000;
const DEPTH: i64 = 0x100;
const DEPTH_TEST: i64 = 0xb71;

#[test]
fn binds_and_state_that_change_nothing() {
    let mut calls = Calls::new();
    for _ in 0..3 {
        calls.call("glBindTexture", &[TEXTURE_2D, 7]).call("glEnable", &[0xbe2]).call("glUseProgram", &[3]);
    }
    let text = |text: &str| text.to_owned();
    assert_eq!(
        calls.of(Kind::Bind),
        [
            (text("glBindTexture(GL_TEXTURE_2D): the texture is bound already"), 2, 2, vec![3, 6]),
            (text("glUseProgram: the program is in use already"), 2, 2, vec![5, 8]),
        ]
    );
    assert_eq!(calls.of(Kind::State), [(text("glEnable(GL_BLEND): it is enabled already"), 2, 2, vec![4, 7])]);
    // What failed has set nothing.
    let mut calls = Calls::new();
    calls.call("glDepthFunc", &[0x201]).error(0x500).call("glDepthFunc", &[0x201]);
    assert_eq!(calls.of(Kind::State), []);
}

#[test]
fn errors_name_the_call_if_there_is_one() {
    let mut calls = Calls::new();
    calls.error(0).call("glEnable", &[1]).error(0x500).error(0);
    calls.call("glEnable", &[1]).call("glDisable", &[2]).error(0x500).error(0x502);
    assert_eq!(
        calls.of(Kind::Error),
        [
            ("glEnable raises GL_INVALID_ENUM".into(), 1, 1, vec![1]),
            ("GL_INVALID_ENUM, raised by one of the calls since the previous glGetError".into(), 1, 1, vec![6]),
            ("GL_INVALID_OPERATION, raised by one of the calls since the previous glGetError".into(), 1, 1, vec![7]),
        ]
    );
    // EGL has a number for success.
    let mut calls = Calls::new();
    calls.returning("eglGetError", Vec::new(), Some(Arg::Int(0x3000)));
    assert_eq!(calls.find(), []);
}

/// Uploads four bytes to a texel of texture 1.
fn texel(calls: &mut Calls, x: i64, byte: u8) {
    calls.bytes("glTexSubImage2D", &[TEXTURE_2D, 0, x, 0, 1, 1, RGBA, BYTE], &[byte; 4]);
}

#[test]
fn uploads_of_what_is_there() {
    let mut calls = Calls::new();
    calls.call("glBindTexture", &[TEXTURE_2D, 1]);
    calls.bytes("glTexImage2D", &[TEXTURE_2D, 0, RGBA, 2, 1, 0, RGBA, BYTE], &[1; 8]);
    // Other regions and other bytes are not findings; a region stays what it is when its neighbour changes.
    for (x, byte) in [(0, 2), (1, 3), (0, 2), (0, 4), (1, 3)] {
        texel(&mut calls, x, byte);
    }
    let found = calls.of(Kind::Upload);
    assert_eq!(found, [("Texture 1 (2D 2 × 1 RGBA) gets the bytes that it has".into(), 2, 8, vec![4, 6])]);
    // Smaller levels are made of the first, which stays.
    calls.call("glGenerateMipmap", &[TEXTURE_2D]);
    texel(&mut calls, 1, 3);
    assert_eq!(calls.of(Kind::Upload)[0].1, 3);
}

#[test]
fn uploads_after_other_writes_are_none() {
    let between: [(&str, &[i64]); 5] = [
        ("glCopyTexSubImage2D", &[TEXTURE_2D, 0, 0, 0, 0, 0, 1, 1]),
        ("glClearTexImage", &[1, 0, RGBA, BYTE, 0]),
        ("glPixelTransferf", &[0xd14, 2]),
        ("glPixelStorei", &[0xcf5, 1]),
        ("glBindImageTexture", &[0, 1, 0, 0, 0, 0x88ba, 0x8058]),
    ];
    for (name, arguments) in between {
        let mut calls = Calls::new();
        calls.call("glBindTexture", &[TEXTURE_2D, 1]);
        texel(&mut calls, 0, 1);
        calls.call(name, arguments);
        texel(&mut calls, 0, 1);
        assert_eq!(calls.of(Kind::Upload), [], "{name}");
    }
    // A draw to a texture.
    let mut calls = Calls::new();
    calls.call("glBindTexture", &[TEXTURE_2D, 1]);
    texel(&mut calls, 0, 1);
    calls.call("glBindFramebuffer", &[0x8d40, 1]);
    calls.call("glFramebufferTexture2D", &[0x8d40, 0x8ce0, TEXTURE_2D, 1, 0]).call("glDrawArrays", &[4, 0, 3]);
    texel(&mut calls, 0, 1);
    assert_eq!(calls.of(Kind::Upload), []);
    // Buffers: the same part, unless it was mapped, or shaders write to it.
    let part = |calls: &mut Calls| {
        calls.bytes("glBufferSubData", &[0x8892, 4, 2], &[5, 6]);
    };
    for (name, arguments, count) in [
        ("glFlush", &[][..], 1),
        ("glMapBuffer", &[0x8892, 0x88b9], 0),
        ("glBindBufferBase", &[0x90d2, 0, 1], 0),
        ("glCopyBufferSubData", &[0x8f36, 0x8892, 0, 0, 8], 0),
    ] {
        let mut calls = Calls::new();
        calls.call("glBindBuffer", &[0x8892, 1]);
        part(&mut calls);
        calls.call(name, arguments);
        part(&mut calls);
        assert_eq!(calls.of(Kind::Upload).len(), count, "{name}");
    }
}

#[test]
fn a_clear_throws_draws_away_if_nothing_used_them() {
    let mut calls = Calls::new();
    calls.call("glClear", &[COLOUR | DEPTH]).call("glDrawArrays", &[4, 0, 3]).call("glDrawArrays", &[4, 0, 3]);
    calls.call("glClear", &[COLOUR | DEPTH]).call("glClear", &[COLOUR | DEPTH]);
    assert_eq!(calls.of(Kind::Clear), [("glClear throws away draws to the window".into(), 1, 2, vec![3])]);

    let between: [(&str, &[i64]); 9] = [
        ("glXSwapBuffers", &[1, 1]),
        ("glFlush", &[]),
        ("glReadPixels", &[0, 0, 1, 1, RGBA, BYTE, 0]),
        ("glCopyTexImage2D", &[TEXTURE_2D, 0, RGBA, 0, 0, 1, 1, 0]),
        ("glBindFramebuffer", &[0x8d40, 1]),
        ("glBlitFramebuffer", &[0, 0, 1, 1, 0, 0, 1, 1, COLOUR, 0x2600]),
        ("glEnable", &[0xc11]),
        ("glColorMask", &[1, 1, 1, 0]),
        ("glCallList", &[1]),
    ];
    for (name, arguments) in between {
        let mut calls = Calls::new();
        calls.call("glDrawArrays", &[4, 0, 3]).call(name, arguments).call("glClear", &[COLOUR]);
        assert_eq!(calls.of(Kind::Clear), [], "{name}");
    }
    // Depth that was written stays, unless it is cleared as well.
    for (buffers, count) in [(COLOUR, 0), (COLOUR | DEPTH, 1)] {
        let mut calls = Calls::new();
        calls.call("glEnable", &[DEPTH_TEST]).call("glDrawArrays", &[4, 0, 3]).call("glClear", &[buffers]);
        assert_eq!(calls.of(Kind::Clear).len(), count);
    }
    // A query counts what is drawn.
    let mut calls = Calls::new();
    calls.call("glBeginQuery", &[0x8914, 1]).call("glDrawArrays", &[4, 0, 3]).call("glEndQuery", &[0x8914]);
    calls.call("glClear", &[COLOUR]);
    assert_eq!(calls.of(Kind::Clear), []);
}

#[test]
fn waits_are_calls_that_need_a_result() {
    let result = |calls: &mut Calls, name: i64, value: i64| {
        let arguments = vec![Arg::Int(1), Arg::Int(name), Arg::Array(vec![Arg::Int(value)])];
        calls.returning("glGetQueryObjectuiv", arguments, None);
    };
    let mut calls = Calls::new();
    for is_there in [0, 1] {
        calls.call("glBeginQuery", &[0x8914, 1]).call("glEndQuery", &[0x8914]);
        result(&mut calls, 0x8867, is_there);
        result(&mut calls, 0x8866, 5);
        // The second time it is there.
        result(&mut calls, 0x8866, 5);
    }
    calls.call("glFinish", &[]);
    let wait = |arguments: &[i64], status| {
        (arguments.iter().map(|number| Arg::Int(*number)).collect::<Vec<_>>(), Some(Arg::Int(status)))
    };
    for (timeout, status) in [(0, 0x911b), (9, 0x911a), (9, 0x911c)] {
        let (arguments, status) = wait(&[1, 0, timeout], status);
        calls.returning("glClientWaitSync", arguments, status);
    }
    calls.bytes("glReadPixels", &[0, 0, 1, 1, RGBA, BYTE], &[0; 4]).call("glReadPixels", &[0, 0, 1, 1, RGBA, BYTE, 0]);
    let found: Vec<(String, Vec<u64>)> = calls.of(Kind::Wait).into_iter().map(|it| (it.0, it.3)).collect();
    assert_eq!(
        found,
        [
            ("glGetQueryObjectuiv asks for a result that may not be available".into(), vec![3]),
            ("glFinish waits until the GPU has done everything".into(), vec![10]),
            ("glClientWaitSync waited for a fence".into(), vec![13]),
            ("glReadPixels into memory waits for the pixels".into(), vec![14]),
        ]
    );
}

#[test]
fn draws_without_a_primitive() {
    let mut calls = Calls::new();
    calls.call("glDrawArrays", &[4, 0, 0]).call("glDrawArrays", &[4, 0, 2]).call("glDrawArrays", &[4, 0, 3]);
    calls.call("glDrawArrays", &[0, 0, 1]).call("glDrawArraysInstanced", &[4, 0, 6, 0]);
    calls.call("glBegin", &[1]).call("glVertex2i", &[0, 0]).call("glEnd", &[]);
    calls.call("glBegin", &[1]).call("glVertex2i", &[0, 0]).call("glVertex2i", &[1, 0]).call("glEnd", &[]);
    // Its count is in a buffer.
    calls.call("glDrawArraysIndirect", &[4, 0]);
    // These draw pixels, or what lists hold.
    calls.call("glBlitFramebuffer", &[0, 0, 9, 9, 0, 0, 9, 9, 0x4000, 0x2600]);
    calls.bytes("glDrawPixels", &[1, 1, 0x1908, 0x1401], &[1, 2, 3, 4]).call("glCopyPixels", &[0, 0, 9, 9, 0x1800]);
    calls.call("glNewList", &[1, 0x1300]).call("glBegin", &[4]).call("glEnd", &[]).call("glEndList", &[]);
    calls.call("glCallList", &[1]).call("glCallList", &[2]);
    let found: Vec<(String, Vec<u64>)> = calls.of(Kind::Empty).into_iter().map(|it| (it.0, it.3)).collect();
    assert_eq!(
        found,
        [
            ("glDrawArrays draws no vertices".into(), vec![0]),
            ("glDrawArrays draws 2 vertices as GL_TRIANGLES, which takes 3".into(), vec![1]),
            ("glDrawArraysInstanced draws no vertices".into(), vec![4]),
            ("glEnd draws 1 vertex as GL_LINES, which takes 2".into(), vec![7]),
        ]
    );
}

#[test]
fn findings_of_recorded_traces() {
    let Some(file) = corpus("recorded/glmix_3f.trace") else { return };
    // The program makes this error on purpose, and checks for it.
    assert_eq!(found(file), [(Kind::Error, "glEnable raises GL_INVALID_ENUM".into(), 3, 3, vec![96, 204, 312])]);
}
