//! Display lists keep the vertices that their draws read when they were compiled.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod calls;

use calls::{after, call, execute, reasons, with, within};
use unspool_gl::example::{Example, Value};
use unspool_gl::gl;
use unspool_replay::{Bounds, Op, Replay};

#[test]
fn clears_are_those_of_the_call_that_executes_them() {
    let list = [call("glNewList", &[1, gl::COMPILE]), call("glClear", &[gl::COLOR_BUFFER_BIT]), call("glEndList", &[])];
    let mut replay = after(&list);
    for number in [1000, 1001] {
        execute(&mut replay, &Example { number, ..call("glCallList", &[1]) });
    }
    assert_eq!((replay.verdict.draws, &replay.verdict.calls[..]), (2, &[1000, 1001][..]));
}

/// What a call has WebGL2 draw: vertices of two numbers, in the order in which they are drawn.
fn drawn(replay: &mut Replay, last: &Example) -> Vec<Vec<[f32; 2]>> {
    execute(replay, &Example { number: 1000, ..last.clone() });
    let (mut buffers, mut array, mut elements) = (std::collections::HashMap::new(), 0, 0);
    let mut out = Vec::new();
    let (words, bytes) = replay.stream.take();
    let mut rest = &words[..];
    while let [head, more @ ..] = rest {
        let (args, next) = more.split_at((head >> 16) as usize);
        rest = next;
        let numbers = |buffer: u32| buffers.get(&buffer).cloned().unwrap_or_else(Vec::new);
        let vertices: Vec<[f32; 2]> =
            numbers(array).chunks(2).map(|xy: &[u32]| [xy[0], xy[1]].map(f32::from_bits)).collect();
        match head & 0xFFFF {
            op if op == Op::BufferData as u32 => {
                let content = &bytes[args[1] as usize..(args[1] + args[2]) as usize];
                let content = content.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
                buffers.insert(args[0], content.collect());
                // What an input is pointed at already is not said again. Vertices come first.
                array = if array == 0 { args[0] } else { array };
            }
            op if op == Op::AttribPointer as u32 => array = args[1],
            op if op == Op::ElementBuffer as u32 => elements = args[0],
            op if op == Op::DrawArrays as u32 => {
                out.push(vertices[args[1] as usize..][..args[2] as usize].to_vec());
            }
            op if op == Op::DrawElements as u32 => {
                let indices = numbers(elements);
                out.push(indices.iter().map(|index| vertices[*index as usize]).collect());
            }
            _ => {}
        }
    }
    assert_eq!(reasons(replay), Vec::<&str>::new());
    out
}

fn bytes(numbers: &[f32]) -> Value {
    Value::Bytes(numbers.iter().flat_map(|x| x.to_le_bytes()).collect())
}

/// Positions in memory of the program: two numbers each.
fn client(numbers: &[f32]) -> Example {
    with(call("glVertexPointer", &[2, gl::FLOAT, 0]), 3, bytes(numbers))
}

fn buffer(name: u32, target: u32, content: Value) -> [Example; 2] {
    let size = if let Value::Bytes(bytes) = &content { bytes.len() as u32 } else { 0 };
    let data = with(call("glBufferData", &[target, size, 0, gl::STATIC_DRAW]), 2, content);
    [call("glBindBuffer", &[target, name]), data]
}

fn compiled(list: u32, calls: &[Example]) -> Vec<Example> {
    [&[call("glNewList", &[list, gl::COMPILE])], calls, &[call("glEndList", &[])]].concat()
}

fn enabled() -> Example {
    call("glEnableClientState", &[gl::VERTEX_ARRAY])
}

fn triangle(first: u32) -> Example {
    call("glDrawArrays", &[gl::TRIANGLES, first, 3])
}

const FIVE: [f32; 10] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
const LAST_THREE: [[f32; 2]; 3] = [[4.0, 5.0], [6.0, 7.0], [8.0, 9.0]];

#[test]
fn memory_that_changes_after_a_list_was_compiled_does_not_change_it() {
    let calls = [
        vec![enabled()],
        // Pointers are set at once, wherever they are.
        compiled(1, &[client(&FIVE), triangle(2)]),
        vec![client(&[0.0; 10]), call("glDisableClientState", &[gl::VERTEX_ARRAY])],
    ]
    .concat();
    let mut replay = after(&calls);
    assert_eq!((replay.halted.as_ref(), replay.verdict.draws), (None, 0));
    assert_eq!(drawn(&mut replay, &call("glCallList", &[1])), [LAST_THREE]);
    assert_eq!(replay.verdict.draws, 1);
    // The arrays in use are as they were.
    let mut replay = after(&[&calls[..], &[enabled(), call("glCallList", &[1])]].concat());
    assert_eq!(drawn(&mut replay, &triangle(0)), [[[0.0; 2]; 3]]);
}

#[test]
fn buffers_that_change_or_go_after_a_list_was_compiled_do_not_change_it() {
    // Vertices of three numbers, of which the positions are the last two.
    let of_three: Vec<f32> = FIVE.chunks(2).flat_map(|xy| [-1.0, xy[0], xy[1]]).collect();
    let pointer = call("glVertexPointer", &[2, gl::FLOAT, 12, 4]);
    let before = [
        &buffer(1, gl::ARRAY_BUFFER, bytes(&of_three))[..],
        &[pointer, enabled()],
        &buffer(2, gl::ELEMENT_ARRAY_BUFFER, Value::Bytes(vec![9, 9, 4, 2, 3]))[..],
        &compiled(1, &[triangle(2), call("glDrawElements", &[gl::TRIANGLES, 3, gl::UNSIGNED_BYTE, 2])])[..],
    ]
    .concat();
    let [first, second, third] = LAST_THREE;
    let expected = [[first, second, third], [third, first, second]];
    for change in [
        buffer(1, gl::ARRAY_BUFFER, bytes(&[0.0; 15])).to_vec(),
        buffer(2, gl::ELEMENT_ARRAY_BUFFER, Value::Bytes(vec![0; 5])).to_vec(),
        vec![call("glDeleteBuffers", &[2, 1]), with(call("glDeleteBuffers", &[1]), 1, Value::Int(2))],
        vec![with(call("glDeleteBuffers", &[1]), 1, Value::Int(1))],
        vec![call("glBindVertexArray", &[5])],
    ] {
        let mut replay = after(&[&before[..], &change].concat());
        assert_eq!(drawn(&mut replay, &call("glCallList", &[1])), expected, "{change:?}");
    }
}

#[test]
fn lists_of_lists_draw_what_each_was_compiled_with() {
    let [a, b] = [[1.0f32; 6], [2.0; 6]];
    let calls = [
        vec![enabled(), client(&a)],
        compiled(1, &[triangle(0)]),
        vec![client(&b)],
        compiled(2, &[call("glCallList", &[1]), triangle(0), call("glCallList", &[1])]),
        vec![client(&[3.0; 6])],
    ]
    .concat();
    let [a, b] = [a, b].map(|all| [[all[0]; 2]; 3]);
    assert_eq!(drawn(&mut after(&calls), &call("glCallList", &[2])), [a, b, a]);
}

#[test]
fn a_list_that_is_executed_at_once_draws_twice() {
    let begin = [enabled(), client(&FIVE), call("glNewList", &[1, gl::COMPILE_AND_EXECUTE])];
    let mut replay = after(&begin);
    let [first, second, third] = LAST_THREE;
    assert_eq!(drawn(&mut replay, &triangle(2)).len(), 1);
    for call in [call("glEndList", &[]), client(&[0.0; 10])] {
        execute(&mut replay, &call);
        replay.stream.take();
    }
    assert_eq!(drawn(&mut replay, &call("glCallList", &[1])), [[first, second, third]]);
}

#[test]
fn elements_and_parts_of_draws_are_read_when_they_are_compiled() {
    // A base, an index that ends a primitive, and a draw of several parts.
    let indices = Value::Bytes([0u16, 1, 2, 77, 2, 1, 0].iter().flat_map(|i| i.to_le_bytes()).collect());
    let elements = with(
        with(call("glDrawElementsBaseVertex", &[gl::TRIANGLE_STRIP, 7, gl::UNSIGNED_SHORT]), 3, indices),
        4,
        Value::Int(2),
    );
    let list = |all: &[i64]| Value::List(all.iter().map(|n| Value::Int(*n)).collect());
    let parts = call("glMultiDrawArrays", &[gl::TRIANGLES]);
    let parts = with(with(parts, 1, list(&[2, 0])), 2, list(&[3, 0]));
    let calls = [
        vec![
            enabled(),
            client(&FIVE),
            call("glEnable", &[gl::PRIMITIVE_RESTART]),
            call("glPrimitiveRestartIndex", &[77]),
        ],
        compiled(1, &[elements]),
        compiled(2, &[parts]),
        vec![client(&[0.0; 10]), call("glDisable", &[gl::PRIMITIVE_RESTART])],
    ]
    .concat();
    let mut replay = after(&calls);
    assert_eq!(drawn(&mut replay, &call("glCallList", &[2])), [LAST_THREE]);
    execute(&mut replay, &call("glCallList", &[1]));
    let (words, bytes) = replay.stream.take();
    assert_eq!(reasons(&replay), Vec::<&str>::new());
    let ended = [0u32, 1, 2, u32::MAX, 2, 1, 0].iter().flat_map(|i| i.to_le_bytes()).collect::<Vec<u8>>();
    assert!(words.contains(&gl::TRIANGLE_STRIP) && bytes.windows(28).any(|window| window == ended));
}

#[test]
fn array_elements_are_read_when_they_are_compiled() {
    let begin = |calls: &[Example]| {
        let elements = [2, 3, 4].map(|index| call("glArrayElement", &[index]));
        let primitive = [&[call("glBegin", &[gl::TRIANGLES])], &elements[..], &[call("glEnd", &[])]].concat();
        [&[enabled(), client(&FIVE)], &compiled(1, &primitive)[..], calls].concat()
    };
    let mut replay = after(&begin(&[client(&[0.0; 10])]));
    execute(&mut replay, &call("glCallList", &[1]));
    let (_, bytes) = replay.stream.take();
    let position = |x: f32, y: f32| [x, y, 0.0, 1.0].iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    for [x, y] in LAST_THREE {
        assert!(bytes.windows(16).any(|window| window == position(x, y)), "{x}, {y}");
    }
    assert_eq!(reasons(&replay), Vec::<&str>::new());
}

#[test]
fn a_draw_whose_vertices_are_missing_says_so_when_its_list_is_called() {
    let indices = call("glDrawElements", &[gl::TRIANGLES, 3, gl::UNSIGNED_INT, 1 << 20]);
    for (draw, reason) in [
        (triangle(4), "the draw reads vertices beyond its buffers"),
        (indices, "the draw reads indices beyond its buffer"),
        (call("glDrawArrays", &[gl::TRIANGLES, 0, 1 << 30]), "the draw has more than 16777216 vertices"),
        (call("glMultiDrawElements", &[gl::TRIANGLES]), "the indices of this draw are not in the trace"),
    ] {
        let calls = [vec![enabled(), client(&FIVE)], compiled(1, &[draw])].concat();
        let replay = after(&calls);
        assert_eq!((reasons(&replay), replay.verdict.draws), (vec![], 0));
        let replay = after(&[&calls[..], &[client(&[0.0; 100]), call("glCallList", &[1])]].concat());
        assert_eq!((reasons(&replay), replay.verdict.draws), (vec![reason], 1));
        // The next draw is not compiled.
        let mut replay = after(&calls);
        assert_eq!(drawn(&mut replay, &triangle(2)), [LAST_THREE]);
    }
}

#[test]
fn what_lists_keep_of_vertices_counts() {
    let bounds = Bounds { bytes: 1 << 20, ..Bounds::default() };
    let vertices = vec![0.0; 2 * 3000];
    let draw = call("glDrawArrays", &[gl::TRIANGLES, 0, 3000]);
    let begin = [enabled(), client(&vertices)];
    let lists = |same: bool, draw: &Example| {
        let all = (1..100).flat_map(|list| compiled(if same { 1 } else { list }, std::slice::from_ref(draw)));
        within(bounds, &begin.iter().cloned().chain(all).collect::<Vec<_>>()).halted
    };
    assert!(lists(false, &draw).is_some_and(|why| why.contains("take more than 1 MiB")));
    // Lists that are replaced count no more, and neither does what a draw does not read.
    assert_eq!(lists(true, &draw), None);
    assert_eq!(lists(false, &triangle(2997)), None);
    // One call that reads the same vertices over and over.
    let list = |number: i64| Value::List(vec![Value::Int(number); 65536]);
    let parts = with(with(call("glMultiDrawArrays", &[gl::TRIANGLES]), 1, list(0)), 2, list(200));
    assert!(lists(true, &parts).is_some_and(|why| why.contains("take more than 1 MiB")));
}
