//! Contexts of a trace, and the objects that they share.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test that panics has done its work")]

use crate::common;
use unspool_formats::apitrace::encode::{FunctionSig, Value, Writer};
use unspool_gl::gl;
use unspool_graphics::Survey;

const CREATE: FunctionSig<'_> =
    FunctionSig { id: 0, name: "glXCreateContext", args: &["dpy", "vis", "shareList", "direct"] };
const CURRENT: FunctionSig<'_> = FunctionSig { id: 1, name: "glXMakeCurrent", args: &["dpy", "drawable", "ctx"] };
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
    let switches: Vec<_> = found.contexts().switches().iter().map(|it| (it.call, it.context)).collect();
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
    let switches: Vec<_> = survey.resources().contexts().switches().iter().map(|it| (it.call, it.context)).collect();
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
