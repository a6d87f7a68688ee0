//! Draws with resources and writes to them, however calls name them.

use crate::common::{Calls, indexed, surveyed};
use unspool_formats::apitrace::encode::Value as Arg;
use unspool_gl::gl;
use unspool_graphics::resources::{Kind, Resource, What};

/// The resources of a trace.
fn found(calls: &Calls) -> Vec<Resource> {
    let (index, file) = indexed(calls.file());
    surveyed(&index, &file).resources().all().to_vec()
}

fn one(all: &[Resource], kind: Kind, name: u64) -> &Resource {
    all.iter().find(|it| (it.kind, it.name) == (kind, name)).unwrap()
}

fn draws(calls: &Calls, kind: Kind, name: u64) -> u64 {
    one(&found(calls), kind, name).counts[2]
}

/// The calls that wrote a resource.
fn written(calls: &Calls, kind: Kind, name: u64) -> Vec<u64> {
    let all = found(calls);
    one(&all, kind, name).events.iter().filter(|event| event.what == What::Written).map(|event| event.call).collect()
}

fn triangle(calls: &mut Calls) {
    calls.call("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
}

/// Program `name` with a shader of a type.
fn program(calls: &mut Calls, name: u32, stage: u32, source: &str) {
    let text = || Arg::Array(vec![Arg::Text(source.as_bytes())]);
    calls.returning("glCreateShader", vec![Arg::Int(stage.into())], Some(Arg::Int(i64::from(name) + 100)));
    calls.with("glShaderSource", vec![Arg::Int(i64::from(name) + 100), Arg::Int(1), text(), Arg::Null]);
    calls.returning("glCreateProgram", vec![], Some(Arg::Int(name.into())));
    calls.call("glAttachShader", &[name, name + 100]).call("glLinkProgram", &[name]).call("glUseProgram", &[name]);
}

#[test]
fn a_draw_counts_once_however_often_an_object_is_bound() {
    let mut calls = Calls::new();
    for unit in [0, 1] {
        calls.call("glActiveTexture", &[gl::TEXTURE0 + unit]).call("glBindTexture", &[gl::TEXTURE_2D, 7]);
    }
    triangle(&mut calls);
    calls.call("glBindTexture", &[gl::TEXTURE_2D, 0]);
    triangle(&mut calls);
    assert_eq!(draws(&calls, Kind::Texture, 7), 2);
}

#[test]
fn buffers_of_arrays_are_used_where_the_arrays_are_on() {
    // By name, and through the array that is bound later.
    let mut calls = Calls::new();
    calls.with("glCreateVertexArrays", vec![Arg::Int(1), Arg::Array(vec![Arg::Int(1)])]);
    calls.call("glVertexArrayVertexBuffer", &[1, 2, 5, 0, 8]).call("glVertexArrayElementBuffer", &[1, 6]);
    triangle(&mut calls);
    calls.call("glBindVertexArray", &[1]);
    triangle(&mut calls);
    assert_eq!([5, 6].map(|name| draws(&calls, Kind::Buffer, name)), [1, 1]);

    // Arrays of the fixed function that are off, and vertices that calls have.
    let mut calls = Calls::new();
    calls.call("glBindBuffer", &[gl::ARRAY_BUFFER, 5]).call("glVertexPointer", &[2, gl::FLOAT, 0, 0]);
    triangle(&mut calls);
    calls.call("glEnableClientState", &[gl::VERTEX_ARRAY]);
    triangle(&mut calls);
    calls.call("glBegin", &[gl::POINTS]).call("glVertex2i", &[0, 0]).call("glEnd", &[]);
    calls.call("glPushClientAttrib", &[gl::CLIENT_VERTEX_ARRAY_BIT]);
    calls.call("glDisableClientState", &[gl::VERTEX_ARRAY]);
    triangle(&mut calls);
    calls.call("glPopClientAttrib", &[]);
    triangle(&mut calls);
    assert_eq!(draws(&calls, Kind::Buffer, 5), 2);
}

#[test]
fn what_is_behind_a_texture_a_pipeline_and_an_indirect_draw_is_used() {
    let mut calls = Calls::new();
    calls.call("glBindTexture", &[gl::TEXTURE_BUFFER, 1]).call("glTexBuffer", &[gl::TEXTURE_BUFFER, gl::R32F, 5]);
    triangle(&mut calls);
    assert_eq!(draws(&calls, Kind::Buffer, 5), 1);

    let mut calls = Calls::new();
    for name in [2, 4] {
        let source = Arg::Array(vec![Arg::Text(b"void main(){}")]);
        let arguments = vec![Arg::Int(gl::FRAGMENT_SHADER.into()), Arg::Int(1), source];
        calls.returning("glCreateShaderProgramv", arguments, Some(Arg::Int(name)));
    }
    calls.call("glUseProgramStages", &[1, gl::FRAGMENT_SHADER_BIT, 2]).call("glBindProgramPipeline", &[1]);
    triangle(&mut calls);
    calls.call("glUseProgramStages", &[1, gl::FRAGMENT_SHADER_BIT, 4]);
    triangle(&mut calls);
    triangle(&mut calls);
    // A program that is in use hides the pipeline.
    calls.call("glUseProgram", &[9]);
    triangle(&mut calls);
    assert_eq!([2, 4, 9].map(|name| draws(&calls, Kind::Program, name)), [1, 2, 1]);

    let mut calls = Calls::new();
    calls.call("glBindBuffer", &[gl::DRAW_INDIRECT_BUFFER, 5]);
    calls.call("glDrawArraysIndirect", &[gl::TRIANGLES, 0]);
    triangle(&mut calls);
    assert_eq!(draws(&calls, Kind::Buffer, 5), 1);
}

#[test]
fn writes_are_those_of_the_parts_that_are_written() {
    let mut calls = Calls::new();
    for (number, texture) in [1, 2].into_iter().enumerate() {
        let attachment = gl::COLOR_ATTACHMENT0 + number as u32;
        calls.call("glNamedFramebufferTexture", &[3, attachment, texture, 0]);
    }
    calls.call("glNamedFramebufferRenderbuffer", &[3, gl::DEPTH_ATTACHMENT, gl::RENDERBUFFER, 4]);
    let buffers = [gl::COLOR_ATTACHMENT1, gl::COLOR_ATTACHMENT0].map(|buffer| Arg::Int(buffer.into()));
    calls.with("glNamedFramebufferDrawBuffers", vec![Arg::Int(3), Arg::Int(2), Arg::Array(buffers.into())]);
    // Call 4: while the window is bound. The first draw buffer is the second attachment.
    calls.call("glClearNamedFramebufferfv", &[3, gl::COLOR, 0, 0]);
    calls.call("glClearNamedFramebufferfi", &[3, gl::DEPTH_STENCIL, 0, 1, 0]);
    calls.call("glBindFramebuffer", &[gl::FRAMEBUFFER, 3]);
    // Call 7: without a test, a draw leaves depth alone.
    triangle(&mut calls);
    calls.call("glEnable", &[gl::DEPTH_TEST]);
    triangle(&mut calls);
    calls.call("glClear", &[0]);
    assert_eq!(written(&calls, Kind::Texture, 1), [7]);
    assert_eq!(written(&calls, Kind::Texture, 2), [4, 7]);
    assert_eq!(written(&calls, Kind::Renderbuffer, 4), [5, 9]);
}

#[test]
fn each_attachment_is_written_whenever_it_is_attached_again() {
    let mut calls = Calls::new();
    calls.call("glBindFramebuffer", &[gl::FRAMEBUFFER, 3]);
    for texture in [1, 2, 1] {
        let attached = [gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, texture, 0];
        calls.call("glFramebufferTexture2D", &attached);
        triangle(&mut calls);
        triangle(&mut calls);
    }
    assert_eq!((written(&calls, Kind::Texture, 1), written(&calls, Kind::Texture, 2)), (vec![2, 8], vec![5]));
}

#[test]
fn a_list_that_only_clears_draws_with_nothing() {
    let mut calls = Calls::new();
    calls.call("glBindTexture", &[gl::TEXTURE_2D, 7]);
    calls.call("glNewList", &[1, gl::COMPILE]).call("glClear", &[gl::COLOR_BUFFER_BIT]).call("glEndList", &[]);
    calls.call("glCallList", &[1]);
    assert_eq!(draws(&calls, Kind::Texture, 7), 0);
}

#[test]
fn a_shader_that_is_attached_keeps_its_name_when_it_is_deleted() {
    let mut calls = Calls::new();
    program(&mut calls, 9, gl::FRAGMENT_SHADER, "void main(){}");
    calls.call("glDeleteShader", &[109]).call("glDetachShader", &[9, 109]).call("glDeleteShader", &[109]);
    let all = found(&calls);
    let shaders: Vec<(u64, Option<u64>)> =
        all.iter().filter(|it| it.kind == Kind::Shader).map(|it| (it.name, it.deleted)).collect();
    assert_eq!(shaders, [(109, Some(6))]);
}

#[test]
fn the_later_of_a_pointer_and_a_binding_is_what_an_attribute_takes_from() {
    for is_pointer_last in [false, true] {
        let mut calls = Calls::new();
        calls.call("glEnableVertexAttribArray", &[0]).call("glBindBuffer", &[gl::ARRAY_BUFFER, 5]);
        for is_pointer in [!is_pointer_last, is_pointer_last] {
            if is_pointer {
                calls.call("glVertexAttribPointer", &[0, 2, gl::FLOAT, 0, 0, 0]);
            } else {
                calls.call("glBindVertexBuffer", &[0, 6, 0, 8]);
            }
        }
        triangle(&mut calls);
        let used = [5, 6].map(|name| draws(&calls, Kind::Buffer, name));
        assert_eq!(used, if is_pointer_last { [1, 0] } else { [0, 1] }, "{is_pointer_last}");
    }
}

#[test]
fn events_are_in_the_order_of_their_calls() {
    let mut calls = Calls::new();
    calls.call("glBindTexture", &[gl::TEXTURE_2D, 7]);
    triangle(&mut calls);
    let pixels = [gl::TEXTURE_2D, 0, gl::RGBA8, 1, 1, 0, gl::RGBA, gl::UNSIGNED_BYTE];
    calls.bytes("glTexImage2D", &pixels, &[1, 2, 3, 4]).call("glBindTexture", &[gl::TEXTURE_2D, 0]);
    let all = found(&calls);
    let of: Vec<(u64, What)> =
        one(&all, Kind::Texture, 7).events.iter().map(|event| (event.call, event.what)).collect();
    let expected = [(0, What::Created), (0, What::Bound), (1, What::Drawn), (1, What::DrawnUntil), (2, What::Uploaded)];
    assert_eq!(of, expected);
}

#[test]
fn copies_between_framebuffers_use_no_program() {
    let mut calls = Calls::new();
    calls.call("glUseProgram", &[9]).call("glBindFramebuffer", &[gl::FRAMEBUFFER, 3]);
    calls.call("glFramebufferTexture2D", &[gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, 1, 0]);
    calls.call("glBlitFramebuffer", &[0, 0, 1, 1, 0, 0, 1, 1, gl::COLOR_BUFFER_BIT, gl::NEAREST]);
    assert_eq!((draws(&calls, Kind::Program, 9), written(&calls, Kind::Texture, 1)), (0, vec![3]));
}

#[test]
fn shaders_write_the_bindings_that_they_declare() {
    let mut calls = Calls::new();
    for (index, buffer) in [(1, 5), (2, 6)] {
        calls.call("glBindBufferBase", &[gl::SHADER_STORAGE_BUFFER, index, buffer]);
    }
    program(&mut calls, 9, gl::FRAGMENT_SHADER, "layout(binding = 2) buffer B { int all[]; };");
    // Call 8.
    triangle(&mut calls);
    assert_eq!((written(&calls, Kind::Buffer, 5), written(&calls, Kind::Buffer, 6)), (vec![], vec![8]));

    let mut calls = Calls::new();
    let source = "layout(binding = 1, r32i) writeonly uniform iimage2D to;";
    program(&mut calls, 9, gl::COMPUTE_SHADER, source);
    for unit in [0, 1] {
        calls.call("glBindImageTexture", &[unit, 5 + unit, 0, 0, 0, gl::READ_WRITE, gl::R32I]);
    }
    // Call 8.
    calls.call("glDispatchCompute", &[1, 1, 1]);
    assert_eq!((written(&calls, Kind::Texture, 5), written(&calls, Kind::Texture, 6)), (vec![], vec![8]));
}

#[test]
fn queries_and_feedback_write_to_buffers() {
    let mut calls = Calls::new();
    calls.call("glBindBuffer", &[gl::QUERY_BUFFER, 5]).call("glGetQueryObjectuiv", &[1, gl::QUERY_RESULT, 0]);
    calls.call("glGetQueryBufferObjectui64v", &[1, 6, gl::QUERY_RESULT, 0]);
    assert_eq!((written(&calls, Kind::Buffer, 5), written(&calls, Kind::Buffer, 6)), (vec![1], vec![2]));

    let mut calls = Calls::new();
    calls.call("glBindBufferBase", &[gl::TRANSFORM_FEEDBACK_BUFFER, 0, 5]);
    triangle(&mut calls);
    calls.call("glBeginTransformFeedback", &[gl::TRIANGLES]);
    triangle(&mut calls);
    calls.call("glEndTransformFeedback", &[]);
    triangle(&mut calls);
    assert_eq!((draws(&calls, Kind::Buffer, 5), written(&calls, Kind::Buffer, 5)), (1, vec![2]));
}

#[test]
fn sizes_are_those_of_storage_views_and_renderbuffers() {
    let mut calls = Calls::new();
    calls.with("glCreateTextures", vec![Arg::Int(gl::TEXTURE_2D.into()), Arg::Int(1), Arg::Array(vec![Arg::Int(1)])]);
    // Three levels of five that there could be.
    calls.call("glTextureStorage2D", &[1, 3, gl::RGBA8, 16, 16]).call("glGenerateTextureMipmap", &[1]);
    calls.call("glTextureView", &[2, gl::TEXTURE_2D, 1, gl::RGBA8, 1, 1, 0, 1]);
    calls.call("glNamedRenderbufferStorageMultisample", &[3, 4, gl::DEPTH24_STENCIL8, 16, 8]);
    let all = found(&calls);
    let [texture, view] = [1, 2].map(|name| one(&all, Kind::Texture, name));
    assert_eq!((texture.texture.text(), texture.size), ("2D 16 × 16 RGBA8, 3 levels".into(), 1024 + 256 + 64));
    assert_eq!(view.texture.text(), "2D 8 × 8 RGBA8");
    let buffer = one(&all, Kind::Renderbuffer, 3);
    calls.call("glBindTexture", &[gl::TEXTURE_2D_MULTISAMPLE, 4]);
    calls.call("glTexStorage2DMultisample", &[gl::TEXTURE_2D_MULTISAMPLE, 4, gl::RGBA8, 16, 8, 1]);
    assert_eq!(one(&found(&calls), Kind::Texture, 4).size, 16 * 8 * 4 * 4);
    assert_eq!((&*buffer.facts, buffer.size), ("16 × 8 DEPTH24_STENCIL8, 4 samples", 16 * 8 * 4 * 4));
}

#[test]
fn bindings_come_back_with_the_attributes() {
    let mut calls = Calls::new();
    calls.call("glBindTexture", &[gl::TEXTURE_2D, 1]).call("glPushAttrib", &[gl::TEXTURE_BIT]);
    calls.call("glBindTexture", &[gl::TEXTURE_2D, 2]);
    triangle(&mut calls);
    calls.call("glPopAttrib", &[]);
    triangle(&mut calls);
    triangle(&mut calls);
    assert_eq!((draws(&calls, Kind::Texture, 1), draws(&calls, Kind::Texture, 2)), (2, 1));
}

#[test]
fn calls_after_a_context_was_released_change_nothing() {
    let mut calls = Calls::new();
    let arguments = || vec![Arg::Pointer(1), Arg::Int(1), Arg::Pointer(9)];
    calls.returning("glXMakeCurrent", arguments(), Some(Arg::Bool(true)));
    calls.call("glBindTexture", &[gl::TEXTURE_2D, 1]);
    calls.returning("glXMakeCurrent", vec![Arg::Pointer(1), Arg::Int(0), Arg::Null], Some(Arg::Bool(true)));
    calls.with("glDeleteTextures", vec![Arg::Int(1), Arg::Array(vec![Arg::Int(1)])]);
    calls.call("glBindTexture", &[gl::TEXTURE_2D, 2]);
    let all = found(&calls);
    assert_eq!(all.iter().map(|it| (it.name, it.deleted)).collect::<Vec<_>>(), [(1, None)]);
}
