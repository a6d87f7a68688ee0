//! Functions that name their object, or bind several at once, do what those for bound objects do.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod calls;

use calls::{call, commands, program, reasons, returning, with};
use unspool_gl::example::{Example, Value};
use unspool_gl::gl;
use unspool_replay::Op;

fn list(numbers: &[i64]) -> Value {
    Value::List(numbers.iter().map(|n| Value::Int(*n)).collect())
}

fn bytes(of: &[u8]) -> Value {
    Value::Bytes(of.to_vec())
}

#[test]
fn direct_state_access_is_bind_and_call() {
    let create = with(call("glCreateTextures", &[gl::TEXTURE_2D, 1]), 2, list(&[5]));
    let [pixels, data] = [bytes(&[7; 16]), bytes(&[3; 8])];
    let image = |name: &str, args: &[u32]| with(call(name, args), args.len(), pixels.clone());
    let bind = |target, name| call("glBindTexture", &[target, name]);
    for (direct, bound) in [
        (
            vec![
                create.clone(),
                call("glTextureStorage2D", &[5, 1, gl::RGBA8, 2, 2]),
                image("glTextureSubImage2D", &[5, 0, 0, 0, 2, 2, gl::RGBA, gl::UNSIGNED_BYTE]),
                call("glTextureParameteri", &[5, gl::TEXTURE_MIN_FILTER, gl::NEAREST]),
                call("glGenerateTextureMipmap", &[5]),
            ],
            vec![
                bind(gl::TEXTURE_2D, 5),
                call("glTexStorage2D", &[gl::TEXTURE_2D, 1, gl::RGBA8, 2, 2]),
                image("glTexSubImage2D", &[gl::TEXTURE_2D, 0, 0, 0, 2, 2, gl::RGBA, gl::UNSIGNED_BYTE]),
                call("glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::NEAREST]),
                call("glGenerateMipmap", &[gl::TEXTURE_2D]),
            ],
        ),
        (
            vec![
                image("glTextureImage2DEXT", &[5, gl::TEXTURE_2D, 0, gl::RGBA8, 2, 2, 0, gl::RGBA, gl::UNSIGNED_BYTE]),
                call("glTextureParameteriEXT", &[5, gl::TEXTURE_2D, gl::TEXTURE_WRAP_S, gl::CLAMP_TO_EDGE]),
            ],
            vec![
                bind(gl::TEXTURE_2D, 5),
                image("glTexImage2D", &[gl::TEXTURE_2D, 0, gl::RGBA8, 2, 2, 0, gl::RGBA, gl::UNSIGNED_BYTE]),
                call("glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_WRAP_S, gl::CLAMP_TO_EDGE]),
            ],
        ),
        (
            vec![
                create,
                call("glTextureStorage2D", &[5, 1, gl::RGBA8, 2, 2]),
                call("glNamedRenderbufferStorage", &[6, gl::DEPTH_COMPONENT24, 2, 2]),
                call("glNamedFramebufferTexture", &[7, gl::COLOR_ATTACHMENT0, 5, 0]),
                call("glNamedFramebufferRenderbuffer", &[7, gl::DEPTH_ATTACHMENT, gl::RENDERBUFFER, 6]),
                call("glNamedFramebufferReadBuffer", &[7, gl::COLOR_ATTACHMENT0]),
            ],
            vec![
                bind(gl::TEXTURE_2D, 5),
                call("glTexStorage2D", &[gl::TEXTURE_2D, 1, gl::RGBA8, 2, 2]),
                call("glBindRenderbuffer", &[gl::RENDERBUFFER, 6]),
                call("glRenderbufferStorage", &[gl::RENDERBUFFER, gl::DEPTH_COMPONENT24, 2, 2]),
                call("glBindFramebuffer", &[gl::FRAMEBUFFER, 7]),
                call("glFramebufferTexture", &[gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, 5, 0]),
                call("glFramebufferRenderbuffer", &[gl::FRAMEBUFFER, gl::DEPTH_ATTACHMENT, gl::RENDERBUFFER, 6]),
                call("glReadBuffer", &[gl::COLOR_ATTACHMENT0]),
            ],
        ),
    ] {
        let ((direct, replay), (bound, _)) = (commands(&direct), commands(&bound));
        assert_eq!(direct, bound);
        assert!(direct.len() > 2 && replay.verdict.ignored.is_empty(), "{:?}", replay.verdict.ignored);
    }
    // Buffers are sent with a draw.
    let draw = call("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    let direct = [
        with(call("glNamedBufferStorage", &[1, 64]), 2, bytes(&[1; 64])),
        with(call("glNamedBufferSubData", &[1, 8, 8]), 3, data.clone()),
        call("glVertexArrayVertexBuffer", &[0, 0, 1, 8, 8]),
        call("glVertexArrayAttribFormat", &[0, 0, 2, gl::FLOAT, 0, 0]),
        call("glVertexArrayAttribBinding", &[0, 0, 0]),
        call("glEnableVertexArrayAttrib", &[0, 0]),
        draw.clone(),
    ];
    let bound = [
        call("glBindBuffer", &[gl::ARRAY_BUFFER, 1]),
        with(call("glBufferStorage", &[gl::ARRAY_BUFFER, 64]), 2, bytes(&[1; 64])),
        with(call("glBufferSubData", &[gl::ARRAY_BUFFER, 8, 8]), 3, data),
        call("glVertexAttribPointer", &[0, 2, gl::FLOAT, 0, 8, 8]),
        call("glEnableVertexAttribArray", &[0]),
        draw,
    ];
    let after = |rest: &[Example]| commands(&[program(), rest.to_vec()].concat());
    let ((direct, replay), (bound, _)) = (after(&direct), after(&bound));
    assert_eq!(direct, bound);
    assert_eq!(reasons(&replay), Vec::<&str>::new());
}

#[test]
fn several_are_bound_as_one_after_the_other() {
    let image = |name: u32| {
        let image = call("glTexImage2D", &[gl::TEXTURE_2D, 0, gl::RGBA8, 1, 1, 0, gl::RGBA, gl::UNSIGNED_BYTE]);
        [call("glBindTexture", &[gl::TEXTURE_2D, name]), with(image, 8, bytes(&[9; 4]))]
    };
    let before = [image(5), image(6)].concat();
    let filter = |name| call("glSamplerParameteri", &[name, gl::TEXTURE_MIN_FILTER, gl::NEAREST]);
    let draws = [
        call("glActiveTexture", &[gl::TEXTURE0]),
        call("glEnable", &[gl::TEXTURE_2D]),
        call("glActiveTexture", &[gl::TEXTURE1]),
        call("glEnable", &[gl::TEXTURE_2D]),
        call("glRecti", &[0, 0, 1, 1]),
    ];
    let many = [
        with(call("glBindTextures", &[0, 2]), 2, list(&[5, 6])),
        filter(8),
        filter(9),
        with(call("glBindSamplers", &[0, 2]), 2, list(&[8, 9])),
    ];
    let single = [
        call("glActiveTexture", &[gl::TEXTURE0]),
        call("glBindTexture", &[gl::TEXTURE_2D, 5]),
        call("glActiveTexture", &[gl::TEXTURE1]),
        call("glBindTexture", &[gl::TEXTURE_2D, 6]),
        filter(8),
        filter(9),
        call("glBindSampler", &[0, 8]),
        call("glBindSampler", &[1, 9]),
    ];
    let (many, _) = commands(&[&before[..], &many, &draws].concat());
    let (single, _) = commands(&[&before[..], &single, &draws].concat());
    assert_eq!(many, single);
    let textures: Vec<&Vec<u32>> =
        many.iter().filter(|(op, _)| *op == Op::BindTexture as u32).map(|it| &it.1).collect();
    assert_eq!(textures.len(), 2, "{textures:?}");
}

/// What is drawn with arrays, then without what was changed in between.
#[test]
fn client_attributes_are_kept_and_put_back() {
    let calls = [
        call("glBindBuffer", &[gl::ARRAY_BUFFER, 1]),
        with(call("glBufferData", &[gl::ARRAY_BUFFER, 1 << 10, 0, gl::STATIC_DRAW]), 2, Value::Null),
        // GL_T2F_V3F: coordinates of a texture, then positions.
        call("glInterleavedArrays", &[gl::T2F_V3F, 0, 40]),
        call("glEnable", &[gl::TEXTURE_2D]),
        with(
            call("glTexImage2D", &[gl::TEXTURE_2D, 0, gl::RGBA8, 1, 1, 0, gl::RGBA, gl::UNSIGNED_BYTE]),
            8,
            bytes(&[9; 4]),
        ),
        call("glPixelStorei", &[gl::UNPACK_ALIGNMENT, 2]),
        call("glPushClientAttrib", &[gl::CLIENT_VERTEX_ARRAY_BIT | gl::CLIENT_PIXEL_STORE_BIT]),
        call("glPixelStorei", &[gl::UNPACK_ALIGNMENT, 8]),
        call("glBindBuffer", &[gl::ARRAY_BUFFER, 2]),
        call("glInterleavedArrays", &[gl::V3F, 0, 0]),
        call("glPopClientAttrib", &[]),
        call("glDrawArrays", &[gl::TRIANGLES, 0, 3]),
    ];
    let (all, replay) = commands(&calls);
    assert_eq!((reasons(&replay), replay.verdict.draws), (vec![], 1));
    let pointers: Vec<[u32; 3]> = all
        .iter()
        .filter(|(op, _)| *op == Op::AttribPointer as u32)
        .map(|(_, words)| [words[2], words[5], words[6]])
        .collect();
    // Components, stride and offset.
    assert!(pointers.contains(&[2, 20, 40]) && pointers.contains(&[3, 20, 48]), "{pointers:?}");
    // Rows of one pixel of three bytes are aligned to two again.
    let rows = with(
        call("glTexImage2D", &[gl::TEXTURE_2D, 0, gl::RGB8, 1, 2, 0, gl::RGB, gl::UNSIGNED_BYTE]),
        8,
        bytes(&[1, 2, 3, 0, 4, 5, 6]),
    );
    let (all, _) = commands(&[&calls[..], &[rows]].concat());
    let last = all.iter().rev().find(|(op, _)| *op == Op::TexImage as u32).unwrap();
    assert_eq!(last.1[11], 6);
}

#[test]
fn instances_restarts_and_parameters_in_buffers_are_drawn() {
    let words = |all: &[u32]| Value::Bytes(all.iter().flat_map(|n| n.to_le_bytes()).collect());
    let shorts = |all: &[u16]| Value::Bytes(all.iter().flat_map(|n| n.to_le_bytes()).collect());
    let of = |calls: &[Example], op: Op| -> Vec<Vec<u32>> {
        let (all, replay) = commands(&[program(), calls.to_vec()].concat());
        assert_eq!(reasons(&replay), Vec::<&str>::new());
        all.into_iter().filter(|(known, _)| *known == op as u32).map(|(_, words)| words).collect()
    };
    let elements = |name: &str, rest: &[u32], indices: &[u16]| {
        let draw = call(name, &[gl::TRIANGLES, indices.len() as u32, gl::UNSIGNED_SHORT, 0]);
        let rest = rest.iter().map(|n| Value::Int((*n).into()));
        let mut draw = with(draw, 3, shorts(indices));
        draw.args.extend(rest);
        draw
    };
    // Base vertex 0 and base instance 0, then an instance that moves arrays with a divisor.
    let plain = elements("glDrawElementsInstancedBaseVertexBaseInstance", &[2, 0, 0], &[0, 1, 2]);
    assert_eq!(of(&[plain], Op::DrawElements), [[gl::TRIANGLES, 3, gl::UNSIGNED_SHORT, 0, 2]]);
    let moved = [
        call("glVertexAttribDivisor", &[0, 1]),
        call("glDrawArraysInstancedBaseInstance", &[gl::TRIANGLES, 0, 3, 2, 5]),
    ];
    let pointers = of(&moved, Op::AttribPointer);
    assert_eq!(pointers.last().map(|words| (words[6], words[8])), Some((40, 1)));
    // All instances of a draw with a base vertex.
    let based = elements("glDrawElementsInstancedBaseVertex", &[4, 7], &[0, 1, 2]);
    assert_eq!(of(&[based], Op::DrawElements), [[gl::TRIANGLES, 3, gl::UNSIGNED_INT, 0, 4]]);
    // A strip that index 9 restarts.
    let restarted =
        with(call("glDrawElements", &[gl::TRIANGLE_STRIP, 7, gl::UNSIGNED_SHORT]), 3, shorts(&[0, 1, 2, 9, 2, 1, 3]));
    let restart = [call("glEnable", &[gl::PRIMITIVE_RESTART]), call("glPrimitiveRestartIndex", &[9]), restarted];
    assert_eq!(of(&restart, Op::DrawElements), [[gl::TRIANGLE_STRIP, 7, gl::UNSIGNED_INT, 0, 1]]);
    // Two draws of arrays: count, instances, first, base instance.
    let indirect = [
        call("glBindBuffer", &[gl::DRAW_INDIRECT_BUFFER, 8]),
        with(call("glBufferData", &[gl::DRAW_INDIRECT_BUFFER, 32]), 2, words(&[3, 1, 4, 0, 6, 2, 0, 0])),
        call("glMultiDrawArraysIndirect", &[gl::TRIANGLES, 0, 2, 0]),
    ];
    assert_eq!(of(&indirect, Op::DrawArrays), [[gl::TRIANGLES, 4, 3, 1], [gl::TRIANGLES, 0, 6, 2]]);
}

#[test]
fn depths_of_another_size_than_the_colours_are_completed() {
    let texture = [
        call("glBindTexture", &[gl::TEXTURE_2D, 5]),
        with(
            call("glTexImage2D", &[gl::TEXTURE_2D, 0, gl::RGBA8, 8, 8, 0, gl::RGBA, gl::UNSIGNED_BYTE]),
            8,
            Value::Null,
        ),
        call("glBindRenderbuffer", &[gl::RENDERBUFFER, 6]),
        call("glRenderbufferStorage", &[gl::RENDERBUFFER, gl::DEPTH_COMPONENT24, 32, 32]),
        call("glBindFramebuffer", &[gl::FRAMEBUFFER, 7]),
        call("glFramebufferTexture2D", &[gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, 5, 0]),
        call("glFramebufferRenderbuffer", &[gl::FRAMEBUFFER, gl::DEPTH_ATTACHMENT, gl::RENDERBUFFER, 6]),
    ];
    let attached = |calls: &[Example]| -> Vec<u32> {
        let (all, _) = commands(calls);
        let points = all
            .iter()
            .filter(|(op, words)| *op == Op::FramebufferRenderbuffer as u32 && words[0] == gl::DEPTH_ATTACHMENT);
        points.map(|(_, words)| words[1]).collect()
    };
    let substituted = attached(&texture);
    assert_eq!(substituted.len(), 2);
    assert_ne!(substituted[0], substituted[1]);
    // Once they have one size, the framebuffer has what was attached.
    let grown = with(
        call("glTexImage2D", &[gl::TEXTURE_2D, 0, gl::RGBA8, 32, 32, 0, gl::RGBA, gl::UNSIGNED_BYTE]),
        8,
        Value::Null,
    );
    let again = attached(&[&texture[..], &[grown]].concat());
    assert_eq!(again.last(), substituted.first());
    // A texture with several samples is a renderbuffer in WebGL2.
    let samples = [
        returning(call("glBindTexture", &[gl::TEXTURE_2D_MULTISAMPLE, 9]), 0),
        call("glTexImage2DMultisample", &[gl::TEXTURE_2D_MULTISAMPLE, 8, gl::RGBA8, 16, 16, 1]),
        call("glBindFramebuffer", &[gl::FRAMEBUFFER, 8]),
        call("glFramebufferTexture2D", &[gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D_MULTISAMPLE, 9, 0]),
        call("glRecti", &[0, 0, 1, 1]),
    ];
    let (all, replay) = commands(&samples);
    let storage = all.iter().find(|(op, words)| *op == Op::RenderbufferStorage as u32 && words[3] == 16).unwrap();
    assert_eq!((storage.1[1], reasons(&replay)), (4, vec![]));
}
