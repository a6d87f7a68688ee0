//! Replays: what the calls of an apitrace become for WebGL2.

use unspool_formats::apitrace::encode::{FunctionSig, Value, Writer};
use unspool_records::ByteSource;
use unspool_replay::{Bounds, Player, Turn};

use crate::choices::Choices;
use crate::file::{Slow, index};
use crate::stream::stored;

/// Calls up to which a replay goes at different times.
const GOALS: usize = 4;
/// Beyond all calls.
const ALL: u64 = u64::MAX >> 1;
/// Words and bytes of commands in one batch.
const MOST_WORDS: usize = 1 << 21;
const MOST_BYTES: usize = 96 << 20;

/// Less than a person's computer has to bear, so that a few bytes cannot keep a test busy.
fn bounds() -> Bounds {
    Bounds { bytes: 16 << 20, vertices: 1 << 16, all_vertices: 1 << 20, list_commands: 1 << 12, ..Bounds::default() }
}

/// What a replay has come to.
#[derive(Debug, PartialEq)]
struct Played {
    progress: (u64, u64),
    halted: Option<String>,
    draws: (u64, u64),
    calls: Vec<u32>,
    reasons: Vec<(String, u64, u64)>,
    listed: Vec<(u64, u32)>,
    /// Sources and errors of shaders that could not be translated.
    shaders: Vec<(u64, String, String)>,
    frames: String,
}

/// A replay finds out the same in any steps, with commands and without, and after any detours.
pub(crate) fn played(stream: &[u8]) {
    let file = stored(stream);
    let Some(index) = index("apitrace", &file) else { return };
    let mut choices = Choices::of(stream);
    let mut silent = Player::open(&index, file.clone(), bounds(), false).expect("an index");
    let unseen = play(&mut silent, ALL, || 1 + choices.below(20));
    let mut player = silent.drawing(file.clone());
    let whole = play(&mut player, ALL, || u64::MAX);
    assert_eq!(whole, play(&mut player, ALL, || u64::MAX), "a replay that is where it is wanted");
    if whole.halted.is_none() && unseen.halted.is_none() {
        assert_eq!(whole, unseen, "with commands and without");
    }
    // Back and forth, with snapshots where there is room for one.
    let mut moving = silent.drawing(Slow::new(&file, &choices));
    moving.set_spacing(1 + choices.below(40));
    let count = moving.count();
    for _ in 0..GOALS {
        let goal = if choices.below(6) == 0 { choices.extreme() >> 1 } else { choices.below(count + 2) };
        let found = play(&mut moving, goal, || 1 + choices.below(100));
        let mut straight = silent.drawing(file.clone());
        assert_eq!(found, play(&mut straight, goal, || u64::MAX), "at call {goal}");
    }
}

fn play<S: ByteSource>(player: &mut Player<S>, goal: u64, mut budget: impl FnMut() -> u64) -> Played {
    player.seek(goal, [0; 2]);
    let mut idle = 0;
    loop {
        let before = player.progress();
        let turn = player.step(budget()).expect("memory can be read");
        let (words, bytes) = player.replay().stream.take();
        assert!(words.len() <= MOST_WORDS && bytes.len() <= MOST_BYTES, "{} words, {} bytes", words.len(), bytes.len());
        if turn == Turn::Done && words.is_empty() {
            break;
        }
        idle = if player.progress() == before && words.is_empty() { idle + 1 } else { 0 };
        assert!(idle < 1000, "no progress at {before:?}");
    }
    let (progress, frames) = (player.progress(), format!("{:?}", player.frames()));
    let replay = player.replay();
    let verdict = &replay.verdict;
    Played {
        progress,
        halted: replay.halted.clone(),
        draws: (verdict.draws, verdict.unshown),
        calls: verdict.calls.clone(),
        reasons: verdict.reasons.clone(),
        listed: verdict.listed.clone(),
        shaders: verdict.shaders.iter().map(|it| (it.call, it.source.to_string(), it.error.clone())).collect(),
        frames,
    }
}

/// What becomes of the two shaders of a program.
#[derive(Debug, PartialEq)]
struct Translated {
    /// Commands with their bytes, among them the shaders for WebGL2.
    commands: (Vec<u32>, Vec<u8>),
    /// Those that were not translated, by the call that compiled them, with what is wrong.
    refused: Vec<(u64, String)>,
    unshown: u64,
}

/// Shaders are translated or refused with a sentence, and ends of lines, comments and steps do not
/// matter. The first byte that is 0 is between the vertex and the fragment shader.
pub(crate) fn translated(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (vertex, fragment) = text.split_once('\0').unwrap_or((&text, "void main() { gl_FragColor = vec4(1.0); }"));
    let usual = translate([vertex, fragment]);
    for (_, error) in &usual.refused {
        assert!(!error.is_empty() && error.len() < 4096, "{error}");
    }
    let same = |how: &str, change: &dyn Fn(&str) -> String| {
        let other = translate([&change(vertex), &change(fragment)]);
        assert_eq!(usual, other, "{how}");
    };
    same("the same text again", &str::to_owned);
    if !text.contains('\r') {
        same("with the ends of lines of Windows", &|text| text.replace('\n', "\r\n"));
    }
    same("with an empty line at the end", &|text| format!("{text}\n"));
    if !text.contains("/*") {
        same("with a comment at the end", &|text| format!("{text}\n\n/* {{ */ // #else"));
    }
}

/// Functions of the trace below, by their place.
const FUNCTIONS: [(&str, &[&str]); 10] = [
    ("glXMakeCurrent", &["dpy", "drawable", "ctx"]),
    ("glViewport", &["x", "y", "width", "height"]),
    ("glCreateShader", &["type"]),
    ("glShaderSource", &["shader", "count", "string", "length"]),
    ("glCompileShader", &["shader"]),
    ("glCreateProgram", &[]),
    ("glAttachShader", &["program", "shader"]),
    ("glLinkProgram", &["program"]),
    ("glUseProgram", &["program"]),
    ("glDrawArrays", &["mode", "first", "count"]),
];

/// A trace that draws three vertices with these shaders.
fn program(sources: [&str; 2]) -> Vec<u8> {
    let mut writer = Writer::new(&[]);
    let mut call = |name: &str, args: Vec<Value<'_>>, result: Option<u64>| {
        let id = FUNCTIONS.iter().position(|(known, _)| *known == name).unwrap_or_else(|| panic!("no function {name}"));
        let (name, of) = FUNCTIONS[id];
        writer.call(0, &FunctionSig { id: id as u64, name, args: of }, args, result.map(Value::Uint));
    };
    let numbers = |all: &[u64]| all.iter().map(|number| Value::Uint(*number)).collect::<Vec<_>>();
    call("glXMakeCurrent", vec![Value::Pointer(1), Value::Uint(2), Value::Pointer(3)], Some(1));
    call("glViewport", numbers(&[0, 0, 64, 64]), None);
    for (shader, (kind, source)) in (1..).zip([0x8b31, 0x8b30].into_iter().zip(sources)) {
        call("glCreateShader", numbers(&[kind]), Some(shader));
        let text = Value::Array(vec![Value::Text(source.as_bytes())]);
        call("glShaderSource", vec![Value::Uint(shader), Value::Uint(1), text, Value::Null], None);
        call("glCompileShader", numbers(&[shader]), None);
    }
    call("glCreateProgram", Vec::new(), Some(3));
    call("glAttachShader", numbers(&[3, 1]), None);
    call("glAttachShader", numbers(&[3, 2]), None);
    call("glLinkProgram", numbers(&[3]), None);
    call("glUseProgram", numbers(&[3]), None);
    call("glDrawArrays", numbers(&[4, 0, 3]), None);
    writer.finish()
}

fn translate(sources: [&str; 2]) -> Translated {
    let file = program(sources);
    let index = index("apitrace", &file).expect("a trace");
    let mut player = Player::open(&index, file, bounds(), true).expect("an index");
    player.seek(ALL, [0; 2]);
    let mut commands = (Vec::new(), Vec::new());
    loop {
        let turn = player.step(u64::MAX).expect("memory can be read");
        let (words, bytes) = player.replay().stream.take();
        let is_empty = words.is_empty();
        commands.0.extend(words);
        commands.1.extend(bytes);
        if turn == Turn::Done && is_empty {
            break;
        }
    }
    let verdict = &player.replay().verdict;
    let refused = verdict.shaders.iter().map(|it| (it.call, it.error.clone())).collect();
    Translated { commands, refused, unshown: verdict.unshown }
}

/// Shaders to begin with: what the translation has to deal with.
pub(crate) const SHADERS: &[&str] = &[
    "attribute vec4 p; varying vec2 t;\n#define F(x) ((x) * 2.0)\nvoid main() { t = F(p.xy); gl_Position = gl_ModelViewProjectionMatrix * p; }\0\
     uniform sampler2D s; varying vec2 t;\nvoid main() { gl_FragColor = texture2D(s, t); }",
    "#version 330 core\nlayout(location = 0) in vec3 p;\nuniform B { mat4 m; vec4 c[2]; } b;\nout V { vec2 t; } v;\n\
     void main() {\n  v.t = p.xy;\n  for (int i = 0; i < 4; ++i) v.t += float(i);\n  gl_Position = b.m * vec4(p, 1) + b.c[1];\n}\0\
     #version 330 core\n#if __VERSION__ >= 130 && \\\n  defined(GL_core_profile)\nin V { vec2 t; } v;\n#endif\nout vec4 o;\n\
     float f(float x) { return x > 1 ? 1 : x; }\nvoid main() { if (v.t.x < 0) discard; o = vec4(f(v.t.x), 0, 1, 1u); }",
    "#version 100\nattribute highp vec2 p;\n#ifdef GL_ES\nprecision mediump float;\n#else\n#error no\n#endif\nvoid main() { gl_Position = vec4(p, 0, 1); }\0\
     precision mediump float;\nuniform float a[3];\nvoid main() { gl_FragData[0] = vec4(a[2], gl_FragCoord.xy, 1.0); }",
    "#version 150\n#extension GL_ARB_explicit_attrib_location : enable\nstruct S { vec3 n; float w; };\nflat out ivec2 k; in vec4 q;\n\
     const float pi = 3.14159f;\nS g(in S s, inout vec3 n) { n = s.n; return S(n * pi, 1); }\n\
     void main() { vec3 n; S s = g(S(q.xyz, 0), n); k = ivec2(1, int(s.w)); while (n.x < 1) n.x += 1; gl_Position = q; gl_PointSize = 2.0; }\0\
     #version 150\nflat in ivec2 k; out vec4 o; uniform sampler2DRect r; uniform samplerCube c;\n\
     void main() { switch (k.x) { case 0: o = texture(r, vec2(1)); break; default: o = texelFetch(r, k) + textureLod(c, vec3(k, 1), 0); } }",
    "#version 430\nin vec4 p; uniform uint k = 2; uniform int m; float h = m * 2, g[2] = { 1, k };\nstruct S { float a; ivec2 b[2]; };\n\
     int f(float a, out int c) { c = int(a) / 2; return m; } float f(vec2 a) { return a.x.xx.y; }\n\
     void main() { float c; const float d = f(m, c) * k; S s = { 1, { ivec2(1), { 2, m } } }; do h += d; while (h < 9);\n\
     for (int i = 0, n = 2; i < n; ++i) { float n = i; g[i] *= n / 2; } gl_Position = p * (k > 1 ? g[1] : 2) + f(s.b[1]) + c; }\0\
     #version 430\nout vec4 o; uniform usampler1D t[2]; const int n = 2; uniform mat2x3 m; float mix(float a, int b) { return a + b; }\n\
     void main() { uvec4 u = texture(t[n - 1], 0); u += n; u.x <<= 1; switch (u.y) { case 1: u = u % 3; default: u = u ^ -1; }\n\
     o.xy = ivec2(u) * m; o.z = mix(1, n) + mix(1, 2, 3) + bitCount(u.x) + m.length(); o.w = (1, 0x10) * o.x; }",
];
