//! Findings are what the calls prove, and nothing that they do not.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test that panics has done its work")]

use std::collections::HashMap;

use crate::common::{corpus, indexed};
use unspool_formats::apitrace::encode::{Details, FunctionSig, Value as Arg, Writer, snappy};
use unspool_gl::{egl, functions, gl};
use unspool_graphics::findings::{Findings, Kind};

/// Writes calls by name, in a context that the first two calls make; the parameters are those of
/// gl.xml.
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

    fn call(&mut self, name: &str, numbers: &[u32]) -> &mut Self {
        self.returning(name, numbers.iter().map(|number| Arg::Int((*number).into())).collect(), None)
    }

    /// A call whose last argument is a blob.
    fn bytes(&mut self, name: &str, numbers: &[u32], bytes: &[u8]) -> &mut Self {
        self.returning(
            name,
            numbers.iter().map(|number| Arg::Int((*number).into())).chain([Arg::Blob(bytes)]).collect(),
            None,
        )
    }

    fn error(&mut self, error: u32) -> &mut Self {
        self.returning("glGetError", Vec::new(), Some(Arg::Int(error.into())))
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

#[test]
fn binds_and_state_that_change_nothing() {
    let mut calls = Calls::new();
    for _ in 0..3 {
        calls.call("glBindTexture", &[gl::TEXTURE_2D, 7]).call("glEnable", &[gl::BLEND]).call("glUseProgram", &[3]);
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
    calls.call("glDepthFunc", &[gl::LESS]).error(gl::INVALID_ENUM).call("glDepthFunc", &[gl::LESS]);
    assert_eq!(calls.of(Kind::State), []);
}

#[test]
fn errors_name_the_call_if_there_is_one() {
    let mut calls = Calls::new();
    calls.error(0).call("glEnable", &[1]).error(gl::INVALID_ENUM).error(0);
    calls.call("glEnable", &[1]).call("glDisable", &[2]).error(gl::INVALID_ENUM).error(gl::INVALID_OPERATION);
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
    calls.returning("eglGetError", Vec::new(), Some(Arg::Int(egl::SUCCESS.into())));
    assert_eq!(calls.find(), []);
}

/// Uploads four bytes to a texel of texture 1.
fn texel(calls: &mut Calls, x: u32, byte: u8) {
    calls.bytes("glTexSubImage2D", &[gl::TEXTURE_2D, 0, x, 0, 1, 1, gl::RGBA, gl::UNSIGNED_BYTE], &[byte; 4]);
}

#[test]
fn uploads_of_what_is_there() {
    let mut calls = Calls::new();
    calls.call("glBindTexture", &[gl::TEXTURE_2D, 1]);
    calls.bytes("glTexImage2D", &[gl::TEXTURE_2D, 0, gl::RGBA, 2, 1, 0, gl::RGBA, gl::UNSIGNED_BYTE], &[1; 8]);
    // Other regions and other bytes are not findings; a region stays what it is when its neighbour
    // changes.
    for (x, byte) in [(0, 2), (1, 3), (0, 2), (0, 4), (1, 3)] {
        texel(&mut calls, x, byte);
    }
    let found = calls.of(Kind::Upload);
    assert_eq!(found, [("Texture 1 (2D 2 × 1 RGBA) gets the bytes that it has".into(), 2, 8, vec![4, 6])]);
    // Smaller levels are made of the first, which stays.
    calls.call("glGenerateMipmap", &[gl::TEXTURE_2D]);
    texel(&mut calls, 1, 3);
    assert_eq!(calls.of(Kind::Upload)[0].1, 3);
}

#[test]
fn uploads_after_other_writes_are_none() {
    let between: [(&str, &[u32]); 5] = [
        ("glCopyTexSubImage2D", &[gl::TEXTURE_2D, 0, 0, 0, 0, 0, 1, 1]),
        ("glClearTexImage", &[1, 0, gl::RGBA, gl::UNSIGNED_BYTE, 0]),
        ("glPixelTransferf", &[gl::RED_SCALE, 2]),
        ("glPixelStorei", &[gl::UNPACK_ALIGNMENT, 1]),
        ("glBindImageTexture", &[0, 1, 0, 0, 0, gl::READ_WRITE, gl::RGBA8]),
    ];
    for (name, arguments) in between {
        let mut calls = Calls::new();
        calls.call("glBindTexture", &[gl::TEXTURE_2D, 1]);
        texel(&mut calls, 0, 1);
        calls.call(name, arguments);
        texel(&mut calls, 0, 1);
        assert_eq!(calls.of(Kind::Upload), [], "{name}");
    }
    // A draw to a texture.
    let mut calls = Calls::new();
    calls.call("glBindTexture", &[gl::TEXTURE_2D, 1]);
    texel(&mut calls, 0, 1);
    calls.call("glBindFramebuffer", &[gl::FRAMEBUFFER, 1]);
    calls
        .call("glFramebufferTexture2D", &[gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, 1, 0])
        .call("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    texel(&mut calls, 0, 1);
    assert_eq!(calls.of(Kind::Upload), []);
    // What writes to a framebuffer by its name, while another one is bound.
    for (name, attachment, arguments) in [
        ("glClearNamedFramebufferfi", gl::DEPTH_ATTACHMENT, &[1, gl::DEPTH_STENCIL, 0, 1, 0][..]),
        (
            "glBlitNamedFramebuffer",
            gl::COLOR_ATTACHMENT0,
            &[0, 1, 0, 0, 8, 8, 0, 0, 8, 8, gl::COLOR_BUFFER_BIT, gl::NEAREST],
        ),
    ] {
        let mut calls = Calls::new();
        calls.call("glBindTexture", &[gl::TEXTURE_2D, 1]);
        calls.call("glNamedFramebufferTexture", &[1, attachment, 1, 0]);
        texel(&mut calls, 0, 1);
        calls.call(name, arguments);
        texel(&mut calls, 0, 1);
        assert_eq!(calls.of(Kind::Upload), [], "{name}");
    }
    // Buffers: the same part, unless it was mapped, or shaders write to it.
    let part = |calls: &mut Calls| {
        calls.bytes("glBufferSubData", &[gl::ARRAY_BUFFER, 4, 2], &[5, 6]);
    };
    for (name, arguments, count) in [
        ("glFlush", &[][..], 1),
        ("glMapBuffer", &[gl::ARRAY_BUFFER, gl::WRITE_ONLY], 0),
        ("glBindBufferBase", &[gl::SHADER_STORAGE_BUFFER, 0, 1], 0),
        ("glCopyBufferSubData", &[gl::COPY_READ_BUFFER, gl::ARRAY_BUFFER, 0, 0, 8], 0),
    ] {
        let mut calls = Calls::new();
        calls.call("glBindBuffer", &[gl::ARRAY_BUFFER, 1]);
        part(&mut calls);
        calls.call(name, arguments);
        part(&mut calls);
        assert_eq!(calls.of(Kind::Upload).len(), count, "{name}");
    }
}

#[test]
fn a_clear_throws_draws_away_if_nothing_used_them() {
    let mut calls = Calls::new();
    calls
        .call("glClear", &[gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT])
        .call("glDrawArrays", &[gl::TRIANGLES, 0, 3])
        .call("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    calls
        .call("glClear", &[gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT])
        .call("glClear", &[gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT]);
    assert_eq!(calls.of(Kind::Clear), [("glClear throws away draws to the window".into(), 1, 2, vec![3])]);

    let between: [(&str, &[u32]); 11] = [
        ("glGetTextureSubImage", &[2, 0, 0, 0, 0, 1, 1, 1, gl::RGBA, gl::UNSIGNED_BYTE, 4, 0]),
        ("glGetnTexImage", &[gl::TEXTURE_2D, 0, gl::RGBA, gl::UNSIGNED_BYTE, 4, 0]),
        ("glXSwapBuffers", &[1, 1]),
        ("glFlush", &[]),
        ("glReadPixels", &[0, 0, 1, 1, gl::RGBA, gl::UNSIGNED_BYTE, 0]),
        ("glCopyTexImage2D", &[gl::TEXTURE_2D, 0, gl::RGBA, 0, 0, 1, 1, 0]),
        ("glBindFramebuffer", &[gl::FRAMEBUFFER, 1]),
        ("glBlitFramebuffer", &[0, 0, 1, 1, 0, 0, 1, 1, gl::COLOR_BUFFER_BIT, gl::NEAREST]),
        ("glEnable", &[gl::SCISSOR_TEST]),
        ("glColorMask", &[1, 1, 1, 0]),
        ("glCallList", &[1]),
    ];
    for (name, arguments) in between {
        let mut calls = Calls::new();
        calls
            .call("glDrawArrays", &[gl::TRIANGLES, 0, 3])
            .call(name, arguments)
            .call("glClear", &[gl::COLOR_BUFFER_BIT]);
        assert_eq!(calls.of(Kind::Clear), [], "{name}");
    }
    // Depth that was written stays, unless it is cleared as well.
    for (buffers, count) in [(gl::COLOR_BUFFER_BIT, 0), (gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT, 1)] {
        let mut calls = Calls::new();
        calls
            .call("glEnable", &[gl::DEPTH_TEST])
            .call("glDrawArrays", &[gl::TRIANGLES, 0, 3])
            .call("glClear", &[buffers]);
        assert_eq!(calls.of(Kind::Clear).len(), count);
    }
    // A query counts what is drawn.
    let mut calls = Calls::new();
    calls
        .call("glBeginQuery", &[gl::SAMPLES_PASSED, 1])
        .call("glDrawArrays", &[gl::TRIANGLES, 0, 3])
        .call("glEndQuery", &[gl::SAMPLES_PASSED]);
    calls.call("glClear", &[gl::COLOR_BUFFER_BIT]);
    assert_eq!(calls.of(Kind::Clear), []);
}

#[test]
fn a_wait_that_ends_after_a_swap_of_another_thread_is_in_the_frame_of_its_end() {
    let mut calls = Calls::new();
    let finish = FunctionSig { id: 90, name: "glFinish", args: &[] };
    let swap = FunctionSig { id: 91, name: "glXSwapBuffers", args: &["dpy", "drawable"] };
    for _ in 0..3 {
        let wait = calls.writer.enter(1, &finish, &Details::default());
        calls.writer.call(0, &swap, vec![Arg::Pointer(1), Arg::Int(1)], None);
        calls.writer.leave(wait, &Details::default());
    }
    let (index, file) = indexed(snappy(calls.writer.stream(), 1 << 20));
    let mut search = Findings::open(&index, file).unwrap();
    while !search.step(1).unwrap() {}
    let sentences: Vec<String> = search.standing_out(true).into_iter().map(|it| it.sentence).collect();
    assert_eq!(sentences, ["glFinish waits until the GPU has done everything: 3 calls in frames 1 to 3"]);
    assert_eq!(search.refuted(), 0);
}

#[test]
fn a_frame_that_stands_out_says_of_what_its_bytes_are() {
    let mut calls = Calls::new();
    let bytes = vec![7; 2 << 20];
    for frame in 0..40 {
        if frame == 5 {
            let size = Arg::Int(bytes.len() as i64);
            let (target, usage) = (Arg::Int(gl::ARRAY_BUFFER.into()), Arg::Int(gl::STATIC_DRAW.into()));
            calls.returning("glBufferData", vec![target, size, Arg::Blob(&bytes), usage], None);
        }
        calls.call("glXSwapBuffers", &[1, 1]);
    }
    let (index, file) = indexed(snappy(calls.writer.stream(), 1 << 20));
    let mut search = Findings::open(&index, file).unwrap();
    while !search.step(1).unwrap() {}
    let sentences: Vec<String> = search.standing_out(false).into_iter().map(|it| it.sentence).collect();
    let expected =
        "Frame 5 has 2,097,152 bytes of buffers, and half of the frames have at most 0: 100 % of all bytes of buffers";
    assert_eq!(sentences, [expected]);
}

#[test]
fn waits_are_calls_that_need_a_result() {
    let result = |calls: &mut Calls, name: u32, value: u32| {
        let arguments = vec![Arg::Int(1), Arg::Int(name.into()), Arg::Array(vec![Arg::Int(value.into())])];
        calls.returning("glGetQueryObjectuiv", arguments, None);
    };
    let mut calls = Calls::new();
    for is_there in [0, 1] {
        calls.call("glBeginQuery", &[gl::SAMPLES_PASSED, 1]).call("glEndQuery", &[gl::SAMPLES_PASSED]);
        result(&mut calls, gl::QUERY_RESULT_AVAILABLE, is_there);
        result(&mut calls, gl::QUERY_RESULT, 5);
        // The second time it is there.
        result(&mut calls, gl::QUERY_RESULT, 5);
    }
    calls.call("glFinish", &[]);
    let wait = |arguments: &[u32], status: u32| {
        (arguments.iter().map(|number| Arg::Int((*number).into())).collect::<Vec<_>>(), Some(Arg::Int(status.into())))
    };
    for (timeout, status) in [(0, gl::TIMEOUT_EXPIRED), (9, gl::ALREADY_SIGNALED), (9, gl::CONDITION_SATISFIED)] {
        let (arguments, status) = wait(&[1, 0, timeout], status);
        calls.returning("glClientWaitSync", arguments, status);
    }
    calls
        .bytes("glReadPixels", &[0, 0, 1, 1, gl::RGBA, gl::UNSIGNED_BYTE], &[0; 4])
        .call("glReadPixels", &[0, 0, 1, 1, gl::RGBA, gl::UNSIGNED_BYTE, 0]);
    // The trace ends within this call.
    let id = calls.ids["glFinish"];
    calls.writer.enter(0, &FunctionSig { id, name: "glFinish", args: &[] }, &Details::default());
    let found: Vec<(String, Vec<u64>)> = calls.of(Kind::Wait).into_iter().map(|it| (it.0, it.3)).collect();
    assert_eq!(
        found,
        [
            ("glFinish waits until the GPU has done everything".into(), vec![10, 16]),
            ("glGetQueryObjectuiv asks for a result that may not be available".into(), vec![3]),
            ("glClientWaitSync waited for a fence".into(), vec![13]),
            ("glReadPixels into memory waits for the pixels".into(), vec![14]),
        ]
    );
}

#[test]
fn draws_without_a_primitive() {
    let mut calls = Calls::new();
    calls
        .call("glDrawArrays", &[gl::TRIANGLES, 0, 0])
        .call("glDrawArrays", &[gl::TRIANGLES, 0, 2])
        .call("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    calls.call("glDrawArrays", &[gl::POINTS, 0, 1]).call("glDrawArraysInstanced", &[gl::TRIANGLES, 0, 6, 0]);
    // This one has begun before the trace.
    calls.call("glVertex2i", &[0, 0]).call("glEnd", &[]);
    calls.call("glBegin", &[gl::LINES]).call("glVertex2i", &[0, 0]).call("glEnd", &[]);
    calls.call("glBegin", &[gl::LINES]).call("glVertex2i", &[0, 0]).call("glVertex2i", &[1, 0]).call("glEnd", &[]);
    // Its count is in a buffer.
    calls.call("glDrawArraysIndirect", &[gl::TRIANGLES, 0]);
    // These draw pixels, or what lists hold.
    calls.call("glBlitFramebuffer", &[0, 0, 9, 9, 0, 0, 9, 9, gl::COLOR_BUFFER_BIT, gl::NEAREST]);
    calls
        .bytes("glDrawPixels", &[1, 1, gl::RGBA, gl::UNSIGNED_BYTE], &[1, 2, 3, 4])
        .call("glCopyPixels", &[0, 0, 9, 9, gl::COLOR]);
    calls
        .call("glNewList", &[1, gl::COMPILE])
        .call("glBegin", &[gl::TRIANGLES])
        .call("glEnd", &[])
        .call("glEndList", &[]);
    calls.call("glCallList", &[1]).call("glCallList", &[2]);
    let found: Vec<(String, Vec<u64>)> = calls.of(Kind::Empty).into_iter().map(|it| (it.0, it.3)).collect();
    assert_eq!(
        found,
        [
            ("glDrawArrays draws no vertices".into(), vec![0]),
            ("glDrawArrays draws 2 vertices as GL_TRIANGLES, which takes 3".into(), vec![1]),
            ("glDrawArraysInstanced draws no vertices".into(), vec![4]),
            ("glEnd draws 1 vertex as GL_LINES, which takes 2".into(), vec![9]),
        ]
    );
}

#[test]
fn findings_of_recorded_traces() {
    let Some(file) = corpus("recorded/glmix_3f.trace") else { return };
    // The program makes this error on purpose, and checks for it.
    assert_eq!(found(file), [(Kind::Error, "glEnable raises GL_INVALID_ENUM".into(), 3, 3, vec![96, 204, 312])]);
}

#[test]
fn what_costs_most_stands_out_as_one_finding_a_kind() {
    let both = |plant: fn(&mut Calls, u32)| {
        let mut calls = Calls::new();
        for frame in 0..40 {
            for draw in 0..8 + frame % 3 {
                calls.call("glBindTexture", &[gl::TEXTURE_2D, 1 + draw]);
                calls.call("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
                plant(&mut calls, frame);
            }
            calls.call("glXSwapBuffers", &[1, 1]);
        }
        let (index, file) = indexed(snappy(calls.writer.stream(), 1 << 20));
        let mut search = Findings::open(&index, file).unwrap();
        while !search.step(1).unwrap() {}
        [false, true].map(|each| search.standing_out(each))
    };
    let standing = |plant| both(plant)[0].clone();
    assert_eq!(standing(|_, _| {}), [], "ordinary frames are quiet");
    let waits = standing(|calls, frame| {
        if frame == 20 {
            calls.call("glFinish", &[]);
        }
    });
    assert_eq!(waits.len(), 1, "{waits:?}");
    assert_eq!(waits[0].kind.word, "wait");
    assert!(waits[0].sentence.ends_with("10 calls in frame 20"), "{}", waits[0].sentence);
    let many = standing(|calls, frame| {
        for _ in 0..if frame == 30 { 10 } else { 0 } {
            calls.call("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
        }
    });
    assert_eq!(many.iter().map(|it| it.kind.word).collect::<Vec<_>>(), ["frame"]);
    assert_eq!(many[0].names, ["frame 30"]);
    let redundant = standing(|calls, _| {
        calls.call("glEnable", &[gl::BLEND]).call("glEnable", &[gl::BLEND]);
    });
    assert_eq!(redundant.iter().map(|it| it.kind.word).collect::<Vec<_>>(), ["state"]);
    // What costs little does not stand out, and is listed with all others.
    let [foremost, each] = both(|calls, frame| {
        if frame == 20 {
            calls.call("glEnable", &[gl::BLEND]).call("glEnable", &[gl::DEPTH_TEST]).call("glEnable", &[gl::BLEND]);
        }
    });
    assert_eq!(foremost, []);
    assert_eq!(each.iter().map(|it| it.kind.word).collect::<Vec<_>>(), ["state", "state"]);
    assert!(each.iter().all(|it| it.sentence.contains(" calls in frame 20")), "{each:?}");
}

#[test]
fn the_numbers_of_a_sentence_are_those_of_what_it_names() {
    let mut calls = Calls::new();
    for frame in 0..12_u32 {
        // The first of these calls sets something, and so does the first of glDepthFunc.
        calls.call("glEnable", &[gl::BLEND]).call("glEnable", &[gl::BLEND]);
        if (3..=5).contains(&frame) {
            for _ in 0..3 {
                calls.call("glDepthFunc", &[gl::LESS]);
            }
        }
        if frame == 8 {
            for _ in 0..4 {
                calls.call("glCullFace", &[gl::BACK]);
            }
        }
        for texture in 1..=3 {
            calls.call("glBindTexture", &[gl::TEXTURE_2D, texture]);
            if frame < 4 + texture {
                texel(&mut calls, 0, 1);
            }
        }
        calls.call("glXSwapBuffers", &[1, 1]);
    }
    let (index, file) = indexed(snappy(calls.writer.stream(), 1 << 20));
    let mut search = Findings::open(&index, file).unwrap();
    while !search.step(1).unwrap() {}
    let said = |word: &str| {
        let all = search.standing_out(false).into_iter().filter(|it| it.kind.word == word);
        all.map(|it| (it.sentence, it.at.unwrap(), it.end, it.places, it.claims[0].value)).collect::<Vec<_>>()
    };
    // 23 of 24, 8 of 9, and 3 of 4 calls.
    let [(sentence, first, last, places, figure)] = &said("state")[..] else { panic!("{:?}", said("state")) };
    assert_eq!(
        sentence,
        "glEnable(GL_BLEND): it is enabled already: 23 calls in frames 0 to 11, and 2 others like it with 11 calls"
    );
    assert_eq!((*first, *last, places.len(), *figure), (places[0], places.last().copied(), 23, 23.0));
    // Texture 3 has its bytes again in six frames, the others in five and four.
    assert_eq!(
        said("upload")[0].0,
        "Texture 3 (2D) gets the bytes that it has: 6 calls, 24 bytes in frames 1 to 6, and 2 others like it with 9 calls \
         and 36 bytes"
    );
}

/// Calls are listed up to a limit, and counted beyond it.
#[test]
fn frames_of_a_sentence_reach_to_the_last_call() {
    let mut calls = Calls::new();
    for _ in 0..=100_000 {
        calls.call("glFinish", &[]);
    }
    calls.call("glXSwapBuffers", &[1, 1]).call("glFinish", &[]);
    let (index, file) = indexed(snappy(calls.writer.stream(), 1 << 20));
    let mut search = Findings::open(&index, file).unwrap();
    while !search.step(1).unwrap() {}
    assert_eq!(
        search.standing_out(true)[0].sentence,
        "glFinish waits until the GPU has done everything: 100,002 calls in frames 0 to 1"
    );
}
