//! Contexts of a trace, and the objects that they share.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test that panics has done its work")]

use crate::common;
use unspool_formats::apitrace::encode::{FunctionSig, Value, Writer};
use unspool_gl::gl;
use unspool_graphics::Survey;

const CREATE: FunctionSig<'_> =
    FunctionSig { id: 0, name: "glXCreateContext", args: &["dpy", "vis", "shareList", "direct"] };
const CURRENT: FunctionSig<'_> = FunctionSig { id: 1, name: "glXMakeCurrent", args: &["dpy", "drawable", "ctx"] };
/// The parameters of glCopyImageSubData.
const COPY: [&str; 15] = [
    "srcName",
    "srcTarget",
    "srcLevel",
    "srcX",
    "srcY",
    "srcZ",
    "dstName",
    "dstTarget",
    "dstLevel",
    "dstX",
    "dstY",
    "dstZ",
    "srcWidth",
    "srcHeight",
    "srcDepth",
];
const BIND: FunctionSig<'_> = FunctionSig { id: 2, name: "glBindTexture", args: &["target", "texture"] };

#[test]
fn handles_are_given_again_and_changes_refused() {
    let mut writer = Writer::new(&[]);
    let create = |writer: &mut Writer, handle| {
        let args = vec![Value::Pointer(1), Value::Null, Value::Null, Value::Bool(true)];
        writer.call(0, &CREATE, args, Some(Value::Pointer(handle)));
    };
    let make = |writer: &mut Writer, handle, works| {
        let args = vec![Value::Pointer(1), Value::Uint(2), Value::Pointer(handle)];
        writer.call(0, &CURRENT, args, Some(Value::Bool(works)));
        // A texture of the same name in each context.
        writer.call(0, &BIND, vec![Value::Uint(gl::TEXTURE_2D.into()), Value::Uint(7)], None);
    };
    create(&mut writer, 0x10);
    create(&mut writer, 0x20);
    // The second one was destroyed, and its handle given again.
    create(&mut writer, 0x20);
    create(&mut writer, 0x30);
    make(&mut writer, 0x20, true);
    make(&mut writer, 0x30, true);
    make(&mut writer, 0x10, false);
    let (index, file) = common::indexed(writer.finish());
    let mut survey = Survey::open(&index, file).unwrap();
    while !survey.step(1).unwrap() {}
    let found = survey.resources();
    let switches: Vec<_> = found.switches().all().iter().map(|it| (it.call, it.context)).collect();
    assert_eq!(switches, [(4, Some(2)), (6, Some(3))]);
    let textures: Vec<(u64, u64)> = found.all().iter().map(|it| (it.created, it.counts[1])).collect();
    assert_eq!(textures, [(5, 1), (7, 2)], "each context has its own, and the last bind is in the second one");
}

#[test]
fn a_thread_may_have_no_context() {
    let mut writer = Writer::new(&[]);
    let args = vec![Value::Pointer(1), Value::Null, Value::Null, Value::Bool(true)];
    writer.call(0, &CREATE, args, Some(Value::Pointer(0x10)));
    // Programs pass a null pointer for none.
    for context in [Value::Pointer(0x10), Value::Null] {
        writer.call(0, &CURRENT, vec![Value::Pointer(1), Value::Uint(2), context], Some(Value::Bool(true)));
    }
    let (index, file) = common::indexed(writer.finish());
    let mut survey = Survey::open(&index, file).unwrap();
    while !survey.step(1).unwrap() {}
    let switches: Vec<_> = survey.resources().switches().all().iter().map(|it| (it.call, it.context)).collect();
    assert_eq!(switches, [(1, Some(0)), (2, None)]);
}

#[test]
fn draws_of_a_texture_are_those_that_are_executed() {
    let mut writer = Writer::new(&[]);
    let signature = |id, name, args| FunctionSig { id, name, args };
    let list = signature(3, "glNewList", &["list", "mode"]);
    let (end, clear) = (signature(4, "glEndList", &[]), signature(5, "glClear", &["mask"]));
    let (draw, call) =
        (signature(6, "glDrawArrays", &["mode", "first", "count"]), signature(7, "glCallList", &["list"]));
    writer.call(0, &BIND, vec![Value::Uint(gl::TEXTURE_2D.into()), Value::Uint(7)], None);
    writer.call(0, &list, vec![Value::Uint(1), Value::Uint(gl::COMPILE.into())], None);
    let draws = |writer: &mut Writer| writer.call(0, &draw, [4, 0, 3].map(Value::Int).to_vec(), None);
    draws(&mut writer);
    writer.call(0, &end, vec![], None);
    // Clears look at no texture.
    writer.call(0, &clear, vec![Value::Uint(gl::COLOR_BUFFER_BIT.into())], None);
    draws(&mut writer);
    for list in [1, 1, 2] {
        writer.call(0, &call, vec![Value::Uint(list)], None);
    }
    let (index, file) = common::indexed(writer.finish());
    let mut survey = Survey::open(&index, file).unwrap();
    while !survey.step(1).unwrap() {}
    assert_eq!(survey.resources().all()[0].counts, [0, 1, 3, 0]);
}

#[test]
fn several_are_bound_as_one_after_the_other_and_images_are_written() {
    let mut writer = Writer::new(&[]);
    let signature = |id, name, args| FunctionSig { id, name, args };
    let textures = signature(3, "glBindTextures", &["first", "count", "textures"]);
    let vertices = signature(4, "glBindVertexBuffers", &["first", "count", "buffers", "offsets", "strides"]);
    let image =
        signature(5, "glBindImageTexture", &["unit", "texture", "level", "layered", "layer", "access", "format"]);
    let dispatch = signature(6, "glDispatchCompute", &["num_groups_x", "num_groups_y", "num_groups_z"]);
    let draw = signature(7, "glDrawArrays", &["mode", "first", "count"]);
    let copy = signature(8, "glCopyImageSubData", &COPY);
    let uints = |all: &[u32]| all.iter().map(|n| Value::Uint((*n).into())).collect::<Vec<_>>();
    for name in [7, 8] {
        writer.call(0, &BIND, uints(&[gl::TEXTURE_2D, name]), None);
    }
    let list = |all: &[u32]| Value::Array(uints(all));
    writer.call(0, &textures, vec![Value::Uint(0), Value::Int(2), list(&[7, 8])], None);
    writer.call(0, &vertices, vec![Value::Uint(0), Value::Int(1), list(&[5]), list(&[0]), list(&[16])], None);
    writer.call(0, &draw, uints(&[gl::TRIANGLES, 0, 3]), None);
    writer.call(0, &image, uints(&[0, 7, 0, 0, 0, gl::READ_ONLY, gl::RGBA8]), None);
    writer.call(0, &image, uints(&[1, 8, 0, 0, 0, gl::WRITE_ONLY, gl::RGBA8]), None);
    writer.call(0, &dispatch, uints(&[1, 1, 1]), None);
    let (from, to) = ([8, gl::TEXTURE_2D, 0, 0, 0, 0], [7, gl::TEXTURE_2D, 0, 0, 0, 0]);
    writer.call(0, &copy, uints(&[&from[..], &to, &[1, 1, 1]].concat()), None);
    let (index, file) = common::indexed(writer.finish());
    let mut survey = Survey::open(&index, file).unwrap();
    while !survey.step(1).unwrap() {}
    // Uploads, binds, draws and writes of two textures and of a buffer.
    let counts: Vec<[u64; 4]> = survey.resources().all().iter().map(|it| it.counts).collect();
    assert_eq!(counts, [[0, 3, 1, 1], [0, 3, 1, 1], [0, 1, 1, 0]]);
}
