//! Traces that demand too much: each ends with a reason, within what [`Bounds`] allows.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod calls;

use calls::{after, call, execute, program, program_of, reasons, returning, with, within};
use unspool_gl::example::{Example, Value};
use unspool_gl::gl;
use unspool_replay::{Bounds, Replay};

#[test]
fn draws_beyond_their_buffers_are_left_out() {
    for (draw, why) in [
        (call("glDrawArrays", &[gl::TRIANGLES, 0, 0x7FFF_FFFF]), "more than 16777216 vertices"),
        (call("glDrawArraysInstanced", &[gl::TRIANGLES, 0, 6000, 0x7FFF_FFFF]), "more than 16777216 vertices"),
        (call("glDrawArrays", &[gl::TRIANGLES, 0, 8193]), "reads vertices beyond its buffers"),
        (with(call("glDrawArrays", &[gl::TRIANGLES, 0, 3]), 1, Value::Int(-5)), "negative range"),
        (
            with(call("glDrawElements", &[gl::TRIANGLES, 3, gl::UNSIGNED_INT]), 3, Value::Int(1 << 40)),
            "reads indices beyond its buffer",
        ),
        (call("glDrawArrays", &[0x99, 0, 3]), "no primitive"),
    ] {
        let replay = after(&[program(), vec![draw.clone()]].concat());
        assert!(reasons(&replay).iter().any(|reason| reason.contains(why)), "{draw:?}: {:?}", reasons(&replay));
        assert_eq!(replay.halted, None);
    }
    // Indices lead beyond the vertices, but for the one that restarts a primitive.
    for (index, why) in [(9000u16, Some("reads vertices beyond its buffers")), (8191, None), (0xFFFF, None)] {
        let indices = [0, 1, index].iter().flat_map(|i: &u16| i.to_le_bytes()).collect();
        let draw = with(call("glDrawElements", &[gl::TRIANGLES, 3, gl::UNSIGNED_SHORT]), 3, Value::Bytes(indices));
        let replay = after(&[program(), vec![draw]].concat());
        assert_eq!(reasons(&replay).len(), usize::from(why.is_some()), "{index}");
        assert!(reasons(&replay).iter().all(|reason| reason.contains(why.unwrap_or_default())), "{index}");
    }
    // Each of these would be several numbers.
    let quads = after(&[program(), vec![call("glDrawArrays", &[gl::QUADS, 0, 1 << 23])]].concat());
    assert_eq!(reasons(&quads), ["the draw has more than 4194304 vertices of a primitive that WebGL2 lacks"]);
    let mut many = after(&[call("glBegin", &[gl::TRIANGLES])]);
    let vertex = call("glVertex2i", &[0, 0]);
    (0..1 << 20).for_each(|_| execute(&mut many, &vertex));
    execute(&mut many, &call("glEnd", &[]));
    assert_eq!(reasons(&many), ["it has more than 1048575 vertices between glBegin and glEnd"]);
    let replay = after(&[program(), vec![call("glDrawArrays", &[gl::TRIANGLES, 0, 8190])]].concat());
    assert_eq!(reasons(&replay), Vec::<&str>::new());
}

#[test]
fn draws_whose_shaders_take_too_long_are_left_out() {
    let (cheap, heavy) =
        (["gl_Position = vec4(p, 0, 1);", "o = vec4(1);"], "for (int i = 0; i < 900; i++) x += sin(x);");
    let vertex = format!("float x = p.x; {heavy} gl_Position = vec4(x, p, 1);");
    let fragment = format!("float x = gl_FragCoord.x; {heavy} o = vec4(x);");
    let bounds = Bounds { vertex_work: 1 << 21, pixel_work: 1 << 21, ..Bounds::default() };
    for (main, count, why) in [
        (cheap, 6000, None),
        ([vertex.as_str(), cheap[1]], 30, None),
        ([vertex.as_str(), cheap[1]], 6000, Some("the draw may take more than 2097152 operations for vertices")),
        ([cheap[0], fragment.as_str()], 30, None),
        ([cheap[0], fragment.as_str()], 6000, Some("the draw may take more than 2097152 operations for a pixel")),
    ] {
        let replay =
            within(bounds, &[program_of(main), vec![call("glDrawArrays", &[gl::TRIANGLES, 0, count])]].concat());
        assert_eq!(reasons(&replay), why.into_iter().collect::<Vec<_>>(), "{main:?}");
    }
}

#[test]
fn textures_and_buffers_have_a_limit() {
    let image = |name| {
        let image = call("glTexImage2D", &[gl::TEXTURE_2D, 0, gl::RGBA8, 8192, 8192, 0, gl::RGBA, gl::UNSIGNED_BYTE]);
        vec![call("glBindTexture", &[gl::TEXTURE_2D, name]), with(image, 8, Value::Null)]
    };
    let replay = after(&(1..24).flat_map(image).collect::<Vec<_>>());
    assert!(replay.halted.unwrap().contains("take more than 512 MiB"));
    let large = call("glTexImage2D", &[gl::TEXTURE_2D, 0, gl::RGBA8, 1 << 20, 1 << 20, 0, gl::RGBA, gl::UNSIGNED_BYTE]);
    assert_eq!(after(&[call("glBindTexture", &[gl::TEXTURE_2D, 1]), with(large, 8, Value::Null)]).halted, None);
    let buffer = |name| {
        vec![call("glBindBuffer", &[gl::ARRAY_BUFFER, name]), call("glBufferData", &[gl::ARRAY_BUFFER, 0x7FFF_FFFF])]
    };
    assert!(after(&(1..4).flat_map(buffer).collect::<Vec<_>>()).halted.unwrap().contains("512 MiB"));
}

#[test]
fn what_has_no_content_counts_but_is_not_sent() {
    let sized = |size: u32| with(call("glBufferData", &[gl::ARRAY_BUFFER, size, 0, gl::STATIC_DRAW]), 2, Value::Null);
    let mut calls = program();
    calls.extend([sized(500 << 20), call("glDrawArrays", &[gl::TRIANGLES, 0, 3])]);
    let replay = after(&calls);
    assert_eq!((replay.halted, replay.verdict.unshown), (None, 0));
    let full = after(&[calls, vec![call("glBindBuffer", &[gl::ARRAY_BUFFER, 2]), sized(13 << 20)]].concat());
    assert!(full.halted.unwrap().contains("take more than 512 MiB"));
    // A limit of less holds for storage and multisampled renderbuffers, too, and for mipmaps, which
    // are a third of their texture.
    let bounds = Bounds { bytes: 64 << 20, ..Bounds::default() };
    let floats = gl::RGBA32F;
    for (calls, is_allowed) in [
        (
            vec![
                call("glBindTexture", &[gl::TEXTURE_2D, 1]),
                call("glTexStorage2D", &[gl::TEXTURE_2D, 1, gl::RGBA8, 4000, 4000]),
            ],
            true,
        ),
        (
            vec![
                call("glBindTexture", &[gl::TEXTURE_2D, 1]),
                call("glTexStorage2D", &[gl::TEXTURE_2D, 12, gl::RGBA8, 4000, 4000]),
            ],
            false,
        ),
        (
            vec![
                call("glBindTexture", &[gl::TEXTURE_2D, 1]),
                call("glTexStorage2D", &[gl::TEXTURE_2D, 1, gl::RGBA8, 4000, 4000]),
                call("glGenerateMipmap", &[gl::TEXTURE_2D]),
            ],
            false,
        ),
        (
            vec![
                call("glBindRenderbuffer", &[gl::RENDERBUFFER, 1]),
                call("glRenderbufferStorageMultisample", &[gl::RENDERBUFFER, 4, floats, 1000, 900]),
            ],
            true,
        ),
        (
            vec![
                call("glBindRenderbuffer", &[gl::RENDERBUFFER, 1]),
                call("glRenderbufferStorageMultisample", &[gl::RENDERBUFFER, 4, floats, 1100, 1000]),
            ],
            false,
        ),
    ] {
        assert_eq!(within(bounds, &calls).halted.is_none(), is_allowed, "{calls:?}");
    }
}

#[test]
fn what_objects_take_beside_their_content_counts() {
    let bounds = Bounds { bytes: 1 << 20, ..Bounds::default() };
    let each = |make: &dyn Fn(u32) -> Vec<Example>| {
        let calls: Vec<Example> = (1..5000).flat_map(make).collect();
        within(bounds, &calls).halted
    };
    let client = |i: u32| {
        let memory = Value::Bytes(vec![0; 2000]);
        vec![call("glBindVertexArray", &[i]), with(call("glVertexAttribPointer", &[0, 4, gl::FLOAT, 0, 16]), 5, memory)]
    };
    let list = |i| [call("glNewList", &[i, gl::COMPILE]), call("glColor4f", &[1; 4]), call("glEndList", &[])].to_vec();
    let makers: [&dyn Fn(u32) -> Vec<Example>; 9] = [
        &|i| vec![call("glBindTexture", &[gl::TEXTURE_2D, i])],
        &|i| vec![call("glBindBuffer", &[gl::ARRAY_BUFFER, i]), call("glBufferData", &[gl::ARRAY_BUFFER, 0])],
        &|i| vec![call("glBindVertexArray", &[i])],
        &|i| vec![call("glBindFramebuffer", &[gl::FRAMEBUFFER, i])],
        &|i| vec![call("glBindRenderbuffer", &[gl::RENDERBUFFER, i])],
        &|i| vec![call("glSamplerParameteri", &[i, gl::TEXTURE_MIN_FILTER, gl::NEAREST])],
        &|i| vec![returning(call("glCreateShader", &[gl::VERTEX_SHADER]), i)],
        &client,
        &list,
    ];
    for (which, make) in makers.into_iter().enumerate() {
        assert!(each(make).is_some_and(|why| why.contains("take more than 1 MiB")), "{which}");
    }
    // What is deleted, or replaced, counts no more.
    let deletes = ["Textures", "Buffers", "VertexArrays", "Framebuffers", "Renderbuffers", "Samplers"];
    for (make, kind) in makers.into_iter().zip(deletes) {
        let name = format!("glDelete{kind}");
        assert_eq!(each(&|i| [make(i), vec![call(&name, &[1, i])]].concat()), None, "{kind}");
    }
    assert_eq!(each(&|_| client(1)), None);
    assert_eq!(each(&|_| list(1)), None);
}

#[test]
fn large_uploads_are_sent_in_parts() {
    // 192 MB of pixels from a buffer of which a little was written, and 128 MB of S3TC that become
    // 256 MB.
    let buffer = [
        call("glBindBuffer", &[gl::PIXEL_UNPACK_BUFFER, 1]),
        with(call("glBufferData", &[gl::PIXEL_UNPACK_BUFFER, 192 << 20, 0, gl::STATIC_DRAW]), 2, Value::Null),
        call("glBindTexture", &[gl::TEXTURE_2D, 1]),
        call("glTexImage2D", &[gl::TEXTURE_2D, 0, gl::RGBA8, 8192, 6144, 0, gl::RGBA, gl::UNSIGNED_BYTE, 0]),
    ];
    assert_eq!(after(&buffer).halted, None);
    let compressed = [
        call("glBindTexture", &[gl::TEXTURE_2D, 1]),
        with(
            call(
                "glCompressedTexImage2D",
                &[gl::TEXTURE_2D, 0, gl::COMPRESSED_RGB_S3TC_DXT1_EXT, 8192, 4096, 0, 16 << 20],
            ),
            7,
            Value::Bytes(vec![0; 16 << 20]),
        ),
    ];
    assert_eq!(after(&compressed).halted, None);
}

#[test]
fn lists_that_upload_much_are_ended() {
    // An upload of a megabyte, a thousand times over.
    let pixels = Value::Bytes(vec![0; 1 << 20]);
    let image = with(
        call("glTexImage2D", &[gl::TEXTURE_2D, 0, gl::RGBA8, 512, 512, 0, gl::RGBA, gl::UNSIGNED_BYTE]),
        8,
        pixels,
    );
    let calls = [
        vec![
            call("glBindTexture", &[gl::TEXTURE_2D, 1]),
            call("glNewList", &[1, gl::COMPILE]),
            image,
            call("glEndList", &[]),
        ],
        vec![call("glNewList", &[2, gl::COMPILE])],
        vec![call("glCallList", &[1]); 1000],
        vec![call("glEndList", &[])],
    ]
    .concat();
    let few = vec![call("glCallList", &[1]); 100];
    assert_eq!(after(&[&calls[..], &few].concat()).halted, None);
    let many = after(&[&calls[..], &[call("glCallList", &[2])]].concat());
    assert!(many.halted.unwrap().contains("more than 256 MiB in display lists"));
}

#[test]
fn contexts_windows_and_lists_have_limits() {
    let contexts: Vec<Example> = (0..40).map(|i| call("glXMakeCurrent", &[1, 2, 100 + i])).collect();
    assert!(after(&contexts).halted.unwrap().contains("more than 32 contexts"));
    // A window with a page of the Web in it takes about ten; `after` makes one itself.
    assert_eq!(after(&contexts[..31]).halted, None);
    // Those that were destroyed make room, but for the one that is current.
    let destroyed =
        contexts.iter().zip(0..).flat_map(|(current, i)| [current.clone(), call("glXDestroyContext", &[1, 100 + i])]);
    let mut replay = after(&destroyed.collect::<Vec<_>>());
    assert_eq!(replay.halted, None);
    assert!(replay.target().is_some());
    let windows: Vec<Example> = (0..160)
        .map(|i| call("glXMakeCurrent", &[1, 100 + i, 3]))
        .flat_map(|current| [current, call("glViewport", &[0, 0, 9, 9])])
        .collect();
    assert!(after(&windows).halted.unwrap().contains("too many windows"));
    // Twelve levels of ten calls each.
    let bomb = (1..=12).flat_map(|level| {
        let inner: Vec<Example> = match level {
            1 => vec![call("glRecti", &[0, 0, 1, 1])],
            _ => vec![call("glCallList", &[level - 1]); 10],
        };
        [vec![call("glNewList", &[level, gl::COMPILE])], inner, vec![call("glEndList", &[])]].concat()
    });
    let mut replay = Replay::new(Bounds::default(), false);
    for call in [call("glXMakeCurrent", &[1, 2, 3]), call("glViewport", &[0, 0, 64, 64])].into_iter().chain(bomb) {
        execute(&mut replay, &call);
    }
    execute(&mut replay, &call("glCallList", &[12]));
    assert!(replay.halted.unwrap().contains("display lists"));
    let viewport =
        after(&[call("glViewport", &[0, 0, 0x7FFF_FFFF, 0x7FFF_FFFF]), call("glClear", &[gl::COLOR_BUFFER_BIT])]);
    assert_eq!(viewport.halted, None);
}

#[test]
fn memory_that_the_trace_lacks_is_not_read() {
    let short = with(
        call("glTexImage2D", &[gl::TEXTURE_2D, 0, gl::RGBA8, 64, 64, 0, gl::RGBA, gl::UNSIGNED_BYTE]),
        8,
        Value::Bytes(vec![0; 100]),
    );
    assert_eq!(after(&[call("glBindTexture", &[gl::TEXTURE_2D, 1]), short]).halted, None);
    let pointer = with(call("glVertexAttribPointer", &[0, 2, gl::FLOAT, 0, 0]), 5, Value::Bytes(vec![0; 24]));
    let replay = after(
        &[
            program(),
            vec![call("glBindBuffer", &[gl::ARRAY_BUFFER, 0]), pointer, call("glDrawArrays", &[gl::TRIANGLES, 0, 4])],
        ]
        .concat(),
    );
    assert_eq!(reasons(&replay), ["the draw reads vertices beyond its buffers"]);
}

#[test]
fn geometry_shaders_are_named_as_reason() {
    let mut calls = program();
    calls.splice(9..9, [returning(call("glCreateShader", &[gl::GEOMETRY_SHADER]), 9), call("glAttachShader", &[3, 9])]);
    calls.push(call("glDrawArrays", &[gl::TRIANGLES, 0, 3]));
    assert_eq!(reasons(&after(&calls)), ["geometry shaders are not in WebGL2"]);
    let computed = after(&[call("glDispatchCompute", &[1, 1, 1]), call("glRecti", &[0, 0, 1, 1])]);
    assert_eq!(reasons(&computed), ["compute shaders are not in WebGL2"]);
    // What is drawn afterwards is shown.
    assert_eq!((computed.verdict.draws, computed.verdict.unshown), (2, 1));
}

#[test]
fn lists_draw_when_they_are_called() {
    let calls = [
        call("glNewList", &[1, gl::COMPILE]),
        call("glRecti", &[0, 0, 1, 1]),
        call("glRecti", &[0, 0, 1, 1]),
        call("glEndList", &[]),
        call("glNewList", &[2, gl::COMPILE]),
        call("glEndList", &[]),
    ];
    assert_eq!(after(&calls).verdict.draws, 0);
    let called = after(&[&calls[..], &[call("glCallList", &[1]), call("glCallList", &[2])]].concat());
    assert_eq!((called.verdict.draws, &called.verdict.calls[..]), (1, &[8][..]));
}
