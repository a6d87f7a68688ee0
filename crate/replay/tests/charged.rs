//! What is impossible is charged to the draw, program, texture or framebuffer that needs it, and to
//! nothing else.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod calls;

use calls::{after, call, execute, program, program_of, reasons, returning, with};
use unspool_gl::example::{Example, Value};
use unspool_gl::gl;

const DRAW: [&str; 1] = ["glDrawArrays"];

fn draw() -> Example {
    call(DRAW[0], &[gl::TRIANGLES, 0, 3])
}

/// Reasons and unshown draws after some calls and a draw of a program that needs none of them.
fn after_all(calls: &[Example]) -> (Vec<String>, u64) {
    let replay = after(&[program(), calls.to_vec(), vec![draw()]].concat());
    (reasons(&replay).into_iter().map(str::to_owned).collect(), replay.verdict.unshown)
}

/// A program that samples one texture, by the uniform at location 7.
fn sampling(kind: &str) -> Vec<Example> {
    let mut calls = program_of(["gl_Position = vec4(p, 0, 1);", "o = vec4(texelFetch(t, ivec2(0), 0));"]);
    if let Some(Value::List(list)) = calls[4].args.get_mut(2) {
        let fetch = if kind == "samplerBuffer" { "texelFetch(t, 0)" } else { "texture(t, vec2(0))" };
        let source = format!("#version 150\nuniform {kind} t;\nout vec4 o;\nvoid main() {{ o = {fetch}; }}");
        list[0] = Value::Text(source);
    }
    let location = with(call("glGetUniformLocation", &[3]), 1, Value::Text("t".into()));
    calls.push(returning(location, 7));
    calls
}

/// A texture in a format that nothing decodes, bound to a unit.
fn unknown_texture(name: u32, unit: u32) -> Vec<Example> {
    vec![
        call("glActiveTexture", &[gl::TEXTURE0 + unit]),
        call("glBindTexture", &[gl::TEXTURE_2D, name]),
        call("glCompressedTexImage2D", &[gl::TEXTURE_2D, 0, gl::COMPRESSED_RGBA_ASTC_4x4, 4, 4, 0, 16]),
    ]
}

#[test]
fn a_call_that_cannot_be_replayed_does_not_spoil_other_draws() {
    let all = [
        // A buffer texture, bound, filled and unbound.
        call("glBindTexture", &[gl::TEXTURE_BUFFER, 5]),
        call("glTexBuffer", &[gl::TEXTURE_BUFFER, gl::RGBA32F, 1]),
        call("glBindTexture", &[gl::TEXTURE_BUFFER, 0]),
        call("glBindTexture", &[gl::TEXTURE_CUBE_MAP_ARRAY, 6]),
        call("glBindImageTexture", &[0, 5, 0, 0, 0, gl::WRITE_ONLY, gl::RGBA8]),
        call("glShaderStorageBlockBinding", &[3, 0, 0]),
        call("glProgramStringARB", &[gl::VERTEX_PROGRAM_ARB]),
        call("glEnable", &[gl::VERTEX_PROGRAM_ARB]),
        call("glBindProgramPipeline", &[4]),
        call("glMap1f", &[gl::MAP1_VERTEX_3]),
        call("glBeginTransformFeedback", &[gl::POINTS]),
        call("glEnable", &[gl::COLOR_LOGIC_OP]),
        call("glLogicOp", &[gl::COPY]),
        call("glEnable", &[gl::LINE_STIPPLE]),
        call("glLineStipple", &[1, 0x00FF]),
        call("glNamedBufferData", &[9, 64, 0, gl::STATIC_DRAW]),
    ];
    for each in &all {
        assert_eq!(after_all(core::slice::from_ref(each)), (vec![], 0), "{}", each.name);
    }
    assert_eq!(after_all(&all), (vec![], 0));
}

#[test]
fn draws_that_need_what_is_lacking_say_so() {
    for (before, draw, reason) in [
        (
            vec![call("glEnable", &[gl::COLOR_LOGIC_OP]), call("glLogicOp", &[gl::XOR])],
            draw(),
            "logical operations are not in WebGL2",
        ),
        (
            vec![call("glEnable", &[gl::LINE_STIPPLE]), call("glLineStipple", &[1, 0x00FF])],
            call("glDrawArrays", &[gl::LINES, 0, 2]),
            "line stipple of polygons and programs is not replayed",
        ),
        (
            vec![call("glUseProgram", &[0]), call("glEnable", &[gl::FRAGMENT_PROGRAM_ARB])],
            call("glRecti", &[0, 0, 1, 1]),
            "assembly programs are not replayed",
        ),
        (
            vec![call("glUseProgram", &[0]), call("glBindProgramPipeline", &[4])],
            draw(),
            "program pipelines are not replayed",
        ),
        (
            vec![
                call("glBindBufferBase", &[gl::TRANSFORM_FEEDBACK_BUFFER, 0, 1]),
                call("glBeginTransformFeedback", &[0]),
            ],
            draw(),
            "it reads what transform feedback has written, which is not replayed",
        ),
        (
            vec![call("glUseProgram", &[0]), call("glBegin", &[gl::TRIANGLES]), call("glEvalCoord1f", &[0])],
            call("glEnd", &[]),
            "evaluators are not replayed",
        ),
    ] {
        let replay = after(&[program(), before, vec![draw]].concat());
        assert_eq!(reasons(&replay), [reason]);
    }
    // What is uploaded once more is known again.
    let feedback =
        [call("glBindBufferBase", &[gl::TRANSFORM_FEEDBACK_BUFFER, 0, 1]), call("glBeginTransformFeedback", &[0])];
    let again = with(call("glBufferData", &[gl::ARRAY_BUFFER, 1 << 16, 0, gl::STATIC_DRAW]), 2, Value::Null);
    assert_eq!(after_all(&[&feedback[..], &[again]].concat()), (vec![], 0));
}

#[test]
fn programs_and_textures_spoil_the_draws_that_use_them() {
    let bound = vec![
        call("glBindTexture", &[gl::TEXTURE_BUFFER, 5]),
        call("glBindBuffer", &[gl::TEXTURE_BUFFER, 9]),
        with(call("glBufferData", &[gl::TEXTURE_BUFFER, 64, 0, gl::STATIC_DRAW]), 2, Value::Null),
        call("glTexBuffer", &[gl::TEXTURE_BUFFER, gl::ALPHA8, 9]),
        draw(),
        call("glUseProgram", &[0]),
        call("glRecti", &[0, 0, 1, 1]),
    ];
    let buffer = after(&[sampling("samplerBuffer"), bound].concat());
    assert_eq!(reasons(&buffer), ["a buffer texture has a format that WebGL2 lacks"]);
    assert_eq!((buffer.verdict.draws, buffer.verdict.unshown), (2, 1));
    // A texture that cannot be decoded in a unit that is not sampled, then in the one that is. With
    // commands or without, as a survey is made.
    let unit = |unit| call("glUniform1i", &[7, unit]);
    let calls = [sampling("sampler2D"), unknown_texture(5, 3), vec![draw(), unit(3), draw(), unit(0), draw()]].concat();
    for emits in [true, false] {
        let mut replay = unspool_replay::Replay::new(unspool_replay::Bounds::default(), emits);
        let before = [call("glXMakeCurrent", &[1, 2, 3]), call("glViewport", &[0, 0, 64, 64])];
        for (number, call) in before.iter().chain(&calls).enumerate() {
            execute(&mut replay, &Example { number: number as u64, ..call.clone() });
        }
        assert_eq!(reasons(&replay), ["a texture is compressed in a way that is not decoded"]);
        assert_eq!((replay.verdict.draws, replay.verdict.unshown), (3, 1), "{emits}");
    }
    // The fixed function samples what is enabled.
    let fixed = |enabled: &[u32]| {
        let enable = enabled
            .iter()
            .map(|unit| [call("glActiveTexture", &[gl::TEXTURE0 + unit]), call("glEnable", &[gl::TEXTURE_2D])]);
        let calls = [unknown_texture(5, 1), enable.flatten().collect(), vec![call("glRecti", &[0, 0, 1, 1])]].concat();
        after(&calls).verdict.unshown
    };
    assert_eq!([fixed(&[]), fixed(&[0]), fixed(&[1])], [0, 0, 1]);
}

#[test]
fn framebuffers_are_what_is_attached_to_them_now() {
    let attach =
        |name| call("glFramebufferTexture2D", &[gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, name, 0]);
    let image = |name| {
        let image = call("glTexImage2D", &[gl::TEXTURE_2D, 0, gl::RGBA8, 8, 8, 0, gl::RGBA, gl::UNSIGNED_BYTE]);
        vec![call("glBindTexture", &[gl::TEXTURE_2D, name]), with(image, 8, Value::Null)]
    };
    let bind = call("glBindFramebuffer", &[gl::FRAMEBUFFER, 1]);
    let rectangle = call("glRecti", &[0, 0, 1, 1]);
    let bad = after(&[unknown_texture(5, 0), vec![bind.clone(), attach(5), rectangle.clone()]].concat());
    assert_eq!(
        reasons(&bad),
        ["WebGL2 cannot draw to its framebuffer: a texture is compressed in a way that is not decoded"]
    );
    let other =
        after(&[unknown_texture(5, 0), image(6), vec![bind.clone(), attach(5), attach(6), rectangle.clone()]].concat());
    assert_eq!(reasons(&other), Vec::<&str>::new());
    // It gets its size after it was attached.
    let mut late = after(
        &[vec![call("glBindTexture", &[gl::TEXTURE_2D, 6]), bind, attach(6)], image(6), vec![rectangle]].concat(),
    );
    assert_eq!(reasons(&late), Vec::<&str>::new());
    assert_eq!(late.target().map(|(_, width, height)| (width, height)), Some((8, 8)));
}

#[test]
fn functions_of_unknown_effect_are_listed() {
    let replay =
        after(&[call("glFooBar", &[1]), call("glFooBar", &[2]), call("glFlush", &[]), call("glRecti", &[0, 0, 1, 1])]);
    assert_eq!(replay.verdict.ignored, [("glFooBar: it is not known what it does".to_owned(), 2, 2)]);
    assert_eq!(replay.verdict.unshown, 0);
    // What a list cannot draw is missing where it is called.
    let list = [call("glNewList", &[1, gl::COMPILE]), call("glBitmap", &[0; 6]), call("glEndList", &[])];
    assert_eq!(after(&list).verdict.draws, 0);
    let called = after(&[&list[..], &[call("glCallList", &[1])]].concat());
    assert_eq!((reasons(&called), called.verdict.unshown), (vec!["pixel rectangles are not replayed"], 1));
}
