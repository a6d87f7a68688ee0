//! Functions that say the same in another way do the same.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod calls;

use calls::{after, call, commands, program, program_of, reasons, returning, with};
use unspool_gl::example::{Example, Value};
use unspool_gl::gl;
use unspool_replay::Op;

fn list(numbers: &[i64]) -> Value {
    Value::List(numbers.iter().map(|n| Value::Int(*n)).collect())
}

fn floats(name: &str, args: &[u32], numbers: &[f64]) -> Example {
    let mut call = call(name, args);
    call.args.extend(numbers.iter().map(|n| Value::Float(*n)));
    call
}

fn bytes(of: &[u8]) -> Value {
    Value::Bytes(of.to_vec())
}

/// Both make the same commands, and nothing of either is left out.
fn assert_same(one: &[Example], other: &[Example]) {
    let ((one, first), (other, second)) = (commands(one), commands(other));
    assert_eq!(one, other);
    assert_eq!((reasons(&first), &first.verdict.ignored), (vec![], &vec![]));
    assert_eq!((reasons(&second), &second.verdict.ignored), (vec![], &vec![]));
    assert!(!one.is_empty());
}

const ONE: u32 = 1 << 16;

#[test]
fn fixed_point_numbers_are_floats() {
    let rectangle = call("glRecti", &[0, 0, 1, 1]);
    let of = |calls: &[Example]| [calls, core::slice::from_ref(&rectangle)].concat();
    let fixed = [
        call("glMatrixMode", &[gl::PROJECTION]),
        call("glOrthox", &[0, 2 * ONE, 0, 4 * ONE, 0, ONE]),
        call("glColor4x", &[ONE / 2, ONE, 0, ONE]),
        call("glClearColorxOES", &[ONE, 0, 0, ONE / 4]),
        call("glEnable", &[gl::FOG]),
        call("glFogx", &[gl::FOG_MODE, gl::LINEAR]),
        call("glFogx", &[gl::FOG_END, 3 * ONE]),
        with(call("glFogxv", &[gl::FOG_COLOR]), 1, list(&[ONE.into(), 0, 0, 0])),
        call("glAlphaFuncx", &[gl::GREATER, ONE / 2]),
        call("glEnable", &[gl::ALPHA_TEST]),
        call("glLineWidthx", &[3 * ONE]),
        call("glTexParameterx", &[gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::NEAREST]),
    ];
    let plain = [
        call("glMatrixMode", &[gl::PROJECTION]),
        floats("glOrtho", &[], &[0.0, 2.0, 0.0, 4.0, 0.0, 1.0]),
        floats("glColor4f", &[], &[0.5, 1.0, 0.0, 1.0]),
        floats("glClearColor", &[], &[1.0, 0.0, 0.0, 0.25]),
        call("glEnable", &[gl::FOG]),
        call("glFogi", &[gl::FOG_MODE, gl::LINEAR]),
        floats("glFogf", &[gl::FOG_END], &[3.0]),
        with(call("glFogfv", &[gl::FOG_COLOR]), 1, list(&[1, 0, 0, 0])),
        floats("glAlphaFunc", &[gl::GREATER], &[0.5]),
        call("glEnable", &[gl::ALPHA_TEST]),
        floats("glLineWidth", &[], &[3.0]),
        call("glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::NEAREST]),
    ];
    assert_same(&of(&fixed), &of(&plain));
}

#[test]
fn packed_numbers_are_several() {
    let packed = |x: i32, y: i32, z: i32, w: i32| {
        (x & 0x3FF) as u32 | ((y & 0x3FF) as u32) << 10 | ((z & 0x3FF) as u32) << 20 | ((w & 3) as u32) << 30
    };
    let (signed, unsigned) = (gl::INT_2_10_10_10_REV, gl::UNSIGNED_INT_2_10_10_10_REV);
    let begin = call("glBegin", &[gl::POINTS]);
    let end = call("glEnd", &[]);
    let one = [
        begin.clone(),
        call("glColorP4ui", &[unsigned, packed(1023, 0, 1023, 1)]),
        call("glNormalP3ui", &[signed, packed(511, -511, 0, 0)]),
        with(call("glTexCoordP2uiv", &[unsigned]), 1, list(&[packed(3, 7, 0, 0).into()])),
        call("glVertexP3ui", &[signed, packed(-5, 6, 7, 0)]),
        end.clone(),
    ];
    let other = [
        begin,
        floats("glColor4f", &[], &[1.0, 0.0, 1.0, 1.0 / 3.0]),
        floats("glNormal3f", &[], &[1.0, -1.0, 0.0]),
        floats("glTexCoord2f", &[], &[3.0, 7.0]),
        floats("glVertex3f", &[], &[-5.0, 6.0, 7.0]),
        end,
    ];
    assert_same(&one, &other);
    // Attributes say whether they stand for 0 to 1.
    let draw = [call("glDisableVertexAttribArray", &[0]), call("glDrawArrays", &[gl::TRIANGLES, 0, 3])];
    let of = |set: Example| [program(), vec![set], draw.to_vec()].concat();
    let set = call("glVertexAttribP2ui", &[0, unsigned, 1, packed(1023, 0, 0, 0)]);
    assert_same(&of(set), &of(floats("glVertexAttrib2f", &[0], &[1.0, 0.0])));
}

#[test]
fn the_first_of_several_is_the_only_one() {
    let draw = call("glRecti", &[0, 0, 1, 1]);
    let one = [
        call("glEnableIndexedEXT", &[gl::BLEND, 0]),
        call("glBlendFuncIndexedAMD", &[0, gl::ONE, gl::ONE]),
        call("glBlendFuncIndexedAMD", &[1, gl::ZERO, gl::ZERO]),
        call("glBlendEquationSeparateiARB", &[0, gl::MAX, gl::MIN]),
        call("glColorMaskIndexedEXT", &[0, 1, 0, 1, 1]),
        call("glEnable", &[gl::SCISSOR_TEST]),
        call("glScissorIndexed", &[0, 1, 2, 3, 4]),
        call("glScissorIndexed", &[1, 9, 9, 9, 9]),
        with(call("glScissorArrayv", &[1, 1]), 2, list(&[9, 9, 9, 9])),
        floats("glDepthRangeIndexed", &[0], &[0.25, 0.5]),
        with(call("glDepthRangeArrayfvOES", &[1, 1]), 2, list(&[0, 0])),
        with(call("glViewportIndexedfv", &[0]), 1, list(&[0, 0, 32, 32])),
        draw.clone(),
    ];
    let other = [
        call("glEnable", &[gl::BLEND]),
        call("glBlendFunc", &[gl::ONE, gl::ONE]),
        call("glBlendEquationSeparate", &[gl::MAX, gl::MIN]),
        call("glColorMask", &[1, 0, 1, 1]),
        call("glEnable", &[gl::SCISSOR_TEST]),
        call("glScissor", &[1, 2, 3, 4]),
        floats("glDepthRange", &[], &[0.25, 0.5]),
        call("glViewport", &[0, 0, 32, 32]),
        draw,
    ];
    assert_same(&one, &other);
}

#[test]
fn vertex_arrays_of_the_extension_are_those_that_are_bound() {
    let data = with(call("glBufferData", &[gl::ARRAY_BUFFER, 256, 0, gl::STATIC_DRAW]), 2, Value::Null);
    let before = [call("glBindBuffer", &[gl::ARRAY_BUFFER, 1]), data, call("glBindBuffer", &[gl::ARRAY_BUFFER, 0])];
    let draw = [call("glBindVertexArray", &[5]), call("glDrawArrays", &[gl::TRIANGLES, 0, 3])];
    let one = [
        call("glVertexArrayVertexOffsetEXT", &[5, 1, 3, gl::FLOAT, 16, 4]),
        call("glVertexArrayMultiTexCoordOffsetEXT", &[5, 1, gl::TEXTURE0, 2, gl::FLOAT, 16, 0]),
        call("glEnableVertexArrayEXT", &[5, gl::VERTEX_ARRAY]),
        call("glEnableVertexArrayEXT", &[5, gl::TEXTURE0]),
    ];
    let other = [
        call("glBindBuffer", &[gl::ARRAY_BUFFER, 1]),
        call("glBindVertexArray", &[5]),
        call("glVertexPointer", &[3, gl::FLOAT, 16, 4]),
        call("glTexCoordPointer", &[2, gl::FLOAT, 16, 0]),
        call("glEnableClientState", &[gl::VERTEX_ARRAY]),
        call("glEnableClientState", &[gl::TEXTURE_COORD_ARRAY]),
    ];
    let of = |calls: &[Example]| [&before[..], calls, &draw].concat();
    assert_same(&of(&one), &of(&other));
    let generic = [
        call("glVertexArrayVertexAttribOffsetEXT", &[5, 1, 0, 2, gl::FLOAT, 0, 8, 16]),
        call("glEnableVertexArrayAttribEXT", &[5, 0]),
    ];
    let bound = [
        call("glBindBuffer", &[gl::ARRAY_BUFFER, 1]),
        call("glBindVertexArray", &[5]),
        call("glVertexAttribPointer", &[0, 2, gl::FLOAT, 0, 8, 16]),
        call("glEnableVertexAttribArray", &[0]),
    ];
    let of = |calls: &[Example]| [program(), calls.to_vec(), draw.to_vec()].concat();
    assert_same(&of(&generic), &of(&bound));
    // What is bound stays, and defaults undo all of it.
    let reset = call("glClientAttribDefaultEXT", &[gl::CLIENT_VERTEX_ARRAY_BIT]);
    let undone = [&before[..], &draw[..1], &other, &[call("glBindVertexArray", &[5]), reset], &draw[1..]].concat();
    let (all, _) = commands(&undone);
    assert!(all.iter().all(|(op, _)| *op != Op::AttribPointer as u32));
}

#[test]
fn parts_of_compressed_textures_are_decoded() {
    // Red and blue, then the four codes in a row.
    let block = [0x00, 0xF8, 0x1F, 0x00, 0b1110_0100, 0, 0, 0];
    let dxt1 = gl::COMPRESSED_RGB_S3TC_DXT1_EXT;
    let storage =
        [call("glBindTexture", &[gl::TEXTURE_2D, 5]), call("glTexStorage2D", &[gl::TEXTURE_2D, 1, dxt1, 8, 4])];
    let part = with(call("glCompressedTexSubImage2D", &[gl::TEXTURE_2D, 0, 4, 0, 4, 4, dxt1, 8]), 8, bytes(&block));
    let (all, replay) = commands(&[&storage[..], &[part]].concat());
    let sent: Vec<_> = all.iter().filter(|(op, _)| *op == Op::TexSubImage as u32).collect();
    assert_eq!((sent.len(), &sent[0].1[4..10], sent[0].1[13]), (1, &[4, 0, 0, 4, 4, 0][..], 64));
    assert_eq!(replay.verdict.ignored, []);
    // Two layers at once, by way of a pixel buffer.
    let layers = [
        call("glBindTexture", &[gl::TEXTURE_2D_ARRAY, 6]),
        call("glBindBuffer", &[gl::PIXEL_UNPACK_BUFFER, 9]),
        with(call("glBufferData", &[gl::PIXEL_UNPACK_BUFFER, 16]), 2, bytes(&[block, block].concat())),
        call("glCompressedTexImage3D", &[gl::TEXTURE_2D_ARRAY, 0, dxt1, 4, 4, 2, 0, 16, 0]),
    ];
    let (all, _) = commands(&layers);
    let whole = all.iter().rfind(|(op, _)| *op == Op::TexImage as u32).unwrap();
    assert_eq!((&whole.1[5..8], whole.1[11]), (&[4, 4, 2][..], 128));
}

#[test]
fn textures_are_cleared_by_an_upload() {
    let texture =
        [call("glBindTexture", &[gl::TEXTURE_2D, 5]), call("glTexStorage2D", &[gl::TEXTURE_2D, 1, gl::RGBA8, 4, 4])];
    let kind = [gl::RGBA, gl::UNSIGNED_BYTE];
    let texel = bytes(&[1, 2, 3, 4]);
    let part = call("glClearTexSubImage", &[&[5, 0, 1, 2, 0, 2, 1, 1][..], &kind].concat());
    let upload = call("glTexSubImage2D", &[&[gl::TEXTURE_2D, 0, 1, 2, 2, 1][..], &kind].concat());
    let of = |call: Example, at: usize, value: Value| [&texture[..], &[with(call, at, value)]].concat();
    assert_same(&of(part, 10, texel), &of(upload, 8, bytes(&[1, 2, 3, 4, 1, 2, 3, 4])));
    let whole = call("glClearTexImage", &[5, 0, gl::RGBA, gl::UNSIGNED_BYTE]);
    let upload = call("glTexSubImage2D", &[&[gl::TEXTURE_2D, 0, 0, 0, 4, 4][..], &kind].concat());
    assert_same(&of(whole, 4, Value::Null), &of(upload, 8, bytes(&[0; 64])));
}

#[test]
fn images_are_copied_layer_by_layer() {
    let storage = |target, name| {
        [call("glBindTexture", &[target, name]), call("glTexStorage3D", &[target, 1, gl::RGBA8, 8, 8, 4])]
    };
    let (from, to) = ([5, gl::TEXTURE_2D_ARRAY, 0, 1, 2, 1], [6, gl::TEXTURE_3D, 0, 3, 4, 2]);
    let copy = call("glCopyImageSubData", &[&from[..], &to, &[5, 4, 2]].concat());
    let (all, replay) = commands(&[&storage(from[1], 5)[..], &storage(to[1], 6), &[copy]].concat());
    assert!(replay.verdict.ignored.is_empty());
    let of = |op: Op, first: usize| -> Vec<&[u32]> {
        all.iter().filter(|(known, _)| *known == op as u32).map(|(_, words)| &words[first..]).collect()
    };
    assert!(of(Op::FramebufferTexture, 3).ends_with(&[&[0, 1], &[0, 2]]));
    let target = gl::TEXTURE_3D;
    assert_eq!(of(Op::CopyTexSubImage, 2), [[target, 0, 3, 4, 2, 1, 2, 5, 4, 1], [target, 0, 3, 4, 3, 1, 2, 5, 4, 1]]);
}

#[test]
fn counts_of_draws_in_buffers_are_read() {
    let words = |all: &[u32]| Value::Bytes(all.iter().flat_map(|n| n.to_le_bytes()).collect());
    let buffer = |target, name, content: &[u32]| {
        let data = with(call("glBufferData", &[target, 4 * content.len() as u32]), 2, words(content));
        [call("glBindBuffer", &[target, name]), data]
    };
    let parameters = buffer(gl::DRAW_INDIRECT_BUFFER, 8, &[3, 1, 0, 0, 3, 1, 3, 0]);
    let counts = buffer(gl::PARAMETER_BUFFER, 9, &[0, 7]);
    let draws = |most: u32| {
        let draw = call("glMultiDrawArraysIndirectCount", &[gl::TRIANGLES, 0, 4, most, 0]);
        let (all, replay) = commands(&[program(), parameters.to_vec(), counts.to_vec(), vec![draw]].concat());
        assert_eq!(reasons(&replay), Vec::<&str>::new());
        all.iter().filter(|(op, _)| *op == Op::DrawArrays as u32).count()
    };
    assert_eq!([draws(1), draws(2)], [1, 2]);
    let beyond = call("glMultiDrawArraysIndirectCount", &[gl::TRIANGLES, 0, 8, 1, 0]);
    let replay = after(&[program(), parameters.to_vec(), counts.to_vec(), vec![beyond]].concat());
    assert_eq!(reasons(&replay), ["the number of draws is not in the trace"]);
}

#[test]
fn uniforms_of_all_forms_are_values() {
    let set = |name: &str, args: &[u32], values: &[i64]| {
        let calls = program_of(["gl_Position = vec4(p, 0, 1);", "o = m[0].xxxx + vec4(n);"]);
        let source =
            "#version 150\nuniform mat2x3 m; uniform uint n; out vec4 o;\nvoid main() { o = m[0].xxxx + vec4(n); }";
        let mut calls: Vec<Example> = calls;
        calls[4] = with(calls[4].clone(), 2, Value::Text(source.into()));
        for (name, location) in [("m", 7), ("n", 8)] {
            calls.push(returning(with(call("glGetUniformLocation", &[3]), 1, Value::Text(name.into())), location));
        }
        calls.push(with(call(name, args), args.len(), list(values)));
        calls.push(call("glDrawArrays", &[gl::TRIANGLES, 0, 3]));
        calls
    };
    let values = [1, 2, 3, 4, 5, 6];
    assert_same(
        &set("glUniformMatrix2x3fv", &[7, 1, 0], &values),
        &set("glProgramUniformMatrix2x3fvEXT", &[3, 7, 1, 0], &values),
    );
    let (all, _) = commands(&set("glUniformMatrix2x3fv", &[7, 1, 0], &values));
    assert!(all.iter().any(|(op, words)| *op == Op::Uniform as u32 && words[1..3] == [16, 0] && words.len() == 9));
    assert_same(&set("glUniform1uiv", &[8, 1], &[9]), &set("glProgramUniform1ui", &[3, 8], &[9]));
}

#[test]
fn vertex_shaders_map_clip_volumes_and_faces_stay_those_that_they_are() {
    let draw = call("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    let clips = |origin, depths| call("glClipControl", &[origin, depths]);
    let (all, replay) = commands(
        &[
            program(),
            vec![
                draw.clone(),
                clips(gl::UPPER_LEFT, gl::ZERO_TO_ONE),
                draw.clone(),
                clips(gl::LOWER_LEFT, 7),
                draw.clone(),
                clips(gl::LOWER_LEFT, gl::NEGATIVE_ONE_TO_ONE),
                draw,
            ],
        ]
        .concat(),
    );
    assert_eq!(reasons(&replay), Vec::<&str>::new());
    let words = |wanted: Op| {
        let all = all.iter().filter(move |(op, _)| *op == wanted as u32);
        all.map(|(_, words)| words.clone()).collect::<Vec<_>>()
    };
    let faces: Vec<u32> = words(Op::FrontFace).iter().map(|words| words[0]).collect();
    assert_eq!(faces, [gl::CCW, gl::CW, gl::CCW]);
    // The second program replaces the first one, and serves both volumes.
    assert_eq!((words(Op::Program).len(), words(Op::DrawArrays).len()), (2, 4));
    let values: Vec<Vec<u32>> =
        words(Op::Uniform).iter().filter(|words| words[1] == 2).map(|it| it[3..].to_vec()).collect();
    let bits = |numbers: [f32; 2]| numbers.map(f32::to_bits).to_vec();
    assert_eq!(values, [bits([-1.0, 1.0]), bits([1.0, 0.0])]);
}

#[test]
fn what_cannot_be_replayed_is_charged_to_what_needs_it() {
    let draw = call("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    let of = |calls: &[Example]| {
        let replay = after(&[program(), calls.to_vec(), vec![draw.clone()]].concat());
        reasons(&replay).join("; ")
    };
    let bounds = [call("glEnable", &[gl::DEPTH_BOUNDS_TEST_EXT]), floats("glDepthBoundsEXT", &[], &[0.0, 1.0])];
    assert_eq!(of(&bounds), "");
    assert_eq!(
        of(&[&bounds[..], &[floats("glDepthBoundsEXT", &[], &[0.5, 1.0])]].concat()),
        "bounds of depths are not in WebGL2"
    );
    assert_eq!(of(&[call("glProgramBinary", &[3])]), "the program was made of a binary of the driver");
    assert_eq!(of(&[call("glProgramBinary", &[9])]), "");
    // Arrays that come out of what was read back.
    let read = [call("glBindBuffer", &[gl::PIXEL_PACK_BUFFER, 1]), call("glReadPixels", &[0, 0, 1, 1])];
    assert_eq!(of(&read), "it reads pixels that were read back into a buffer");
    assert_eq!(of(&read[1..]), "");
    // Characters of a font are missing where they are drawn.
    let font = [call("glXUseXFont", &[7, 32, 96, 1000]), call("glCallList", &[1001])];
    let replay = after(&font);
    assert_eq!((reasons(&replay), replay.verdict.unshown), (vec!["the characters of fonts are not in the trace"], 1));
    // A function says why it is not replayed.
    let replay = after(&[call("glWeightfvARB", &[1]), call("glImportMemoryFdEXT", &[1])]);
    let reasons: Vec<&str> = replay.verdict.ignored.iter().map(|(reason, ..)| reason.as_str()).collect();
    let expected = [
        "glWeightfvARB: weights and palettes of matrices are not replayed",
        "glImportMemoryFdEXT: memory of other APIs is not in the trace",
    ];
    assert_eq!(reasons, expected);
}
