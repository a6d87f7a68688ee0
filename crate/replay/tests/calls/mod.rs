//! Calls that the tests of this folder execute.

#![allow(dead_code, reason = "no test needs all of it")]

use unspool_gl::example::{Example, Value};
use unspool_gl::gl;
use unspool_replay::{Bounds, Op, Replay};

/// A call of a function with numbers.
pub(crate) fn call(name: &str, args: &[u32]) -> Example {
    let args = args.iter().map(|n| Value::Int((*n).into())).collect();
    Example { name: name.into(), args, ..Example::default() }
}

pub(crate) fn with(mut call: Example, index: usize, value: Value) -> Example {
    call.args.resize(call.args.len().max(index + 1), Value::Null);
    call.args[index] = value;
    call
}

pub(crate) fn returning(mut call: Example, ret: u32) -> Example {
    call.result = Value::Int(ret.into());
    call
}

/// Executes a call.
pub(crate) fn execute(replay: &mut Replay, example: &Example) {
    replay.execute(&example.call(replay.function(&example.name)));
}

/// A replay whose context has a window of 64 by 64 pixels, after some calls.
pub(crate) fn after(calls: &[Example]) -> Replay {
    within(Bounds::default(), calls)
}

pub(crate) fn within(bounds: Bounds, calls: &[Example]) -> Replay {
    let mut replay = Replay::new(bounds, true);
    let before = [call("glXMakeCurrent", &[1, 2, 3]), call("glViewport", &[0, 0, 64, 64])];
    for (number, call) in before.iter().chain(calls).enumerate() {
        execute(&mut replay, &Example { number: number as u64, ..call.clone() });
        loop {
            let (words, bytes) = replay.stream.take();
            assert!(words.len() < 1 << 20, "{} makes too many commands", call.name);
            assert!(bytes.len() < 32 << 20, "{} makes too many bytes", call.name);
            if words.is_empty() {
                break;
            }
        }
    }
    replay
}

/// A program with one input, and a buffer of 64 KB for it.
pub(crate) fn program() -> Vec<Example> {
    program_of(["gl_Position = vec4(p, 0, 1);", "o = vec4(1);"])
}

/// The same with what `main` of its shaders does.
pub(crate) fn program_of([vertex, fragment]: [&str; 2]) -> Vec<Example> {
    let source = |shader: u32, text: &str| {
        with(with(call("glShaderSource", &[shader, 1]), 2, Value::List(vec![Value::Text(text.into())])), 3, Value::Null)
    };
    vec![
        returning(call("glCreateShader", &[gl::VERTEX_SHADER]), 1),
        source(1, &format!("#version 150\nin vec2 p;\nvoid main() {{ {vertex} }}")),
        call("glCompileShader", &[1]),
        returning(call("glCreateShader", &[gl::FRAGMENT_SHADER]), 2),
        source(2, &format!("#version 150\nout vec4 o;\nvoid main() {{ {fragment} }}")),
        call("glCompileShader", &[2]),
        returning(call("glCreateProgram", &[]), 3),
        call("glAttachShader", &[3, 1]),
        call("glAttachShader", &[3, 2]),
        call("glLinkProgram", &[3]),
        call("glUseProgram", &[3]),
        call("glBindBuffer", &[gl::ARRAY_BUFFER, 1]),
        with(call("glBufferData", &[gl::ARRAY_BUFFER, 1 << 16, 0, gl::STATIC_DRAW]), 2, Value::Null),
        with(call("glVertexAttribPointer", &[0, 2, gl::FLOAT, 0, 0]), 5, Value::Null),
        call("glEnableVertexAttribArray", &[0]),
    ]
}

pub(crate) fn reasons(replay: &Replay) -> Vec<&str> {
    replay.verdict.reasons.iter().map(|(reason, ..)| reason.as_str()).collect()
}

/// All commands, with what they refer to, after some calls.
pub(crate) fn commands(calls: &[Example]) -> (Vec<(u32, Vec<u32>)>, Replay) {
    let mut replay = Replay::new(Bounds::default(), true);
    let before = [call("glXMakeCurrent", &[1, 2, 3]), call("glViewport", &[0, 0, 64, 64])];
    for call in before.iter().chain(calls) {
        execute(&mut replay, call);
    }
    let (words, bytes) = replay.stream.take();
    let mut all = Vec::new();
    let mut rest = &words[..];
    while let Some((head, after)) = rest.split_first() {
        let (words, others) = after.split_at((head >> 16) as usize);
        let (op, mut words) = (head & 0xFFFF, words.to_vec());
        let blob = [Op::TexImage, Op::TexSubImage, Op::BufferSubData].iter().any(|it| *it as u32 == op);
        if blob && let [.., at, len] = &mut words[..] {
            // Content in place of where it is.
            let content = &bytes[*at as usize..][..*len as usize];
            *at = content.iter().fold(0, |sum: u32, byte| sum.wrapping_mul(31).wrapping_add((*byte).into()));
        }
        all.push((op, words));
        rest = others;
    }
    (all, replay)
}
