//! State at calls of traces that say what it must be.

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that panics has done its work"
)]

use crate::common::index_of;
use unspool_formats::apitrace::encode::{Details, FunctionSig, Value as Arg, Writer, snappy};
use unspool_gl::gl;
use unspool_graphics::state::{History, Report};

/// Writes calls of any function: signatures are made up, because the machine goes by names and
/// places of arguments.
pub(crate) struct Trace {
    writer: Writer,
    names: Vec<(&'static str, usize)>,
    calls: u64,
}

const ARGUMENTS: &[&str] = &["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];

impl Trace {
    /// A trace with a context, 0xc1, that is current in thread 0. Its calls are 0 and 1.
    pub(crate) fn new() -> Self {
        let mut trace = Self { writer: Writer::new(&[]), names: Vec::new(), calls: 0 };
        trace.create(0xc1, 0);
        trace.current(0, 0xc1);
        trace
    }

    fn signature(&mut self, name: &'static str, count: usize) -> FunctionSig<'static> {
        let id = self.names.iter().position(|known| *known == (name, count)).unwrap_or_else(|| {
            self.names.push((name, count));
            self.names.len() - 1
        });
        FunctionSig { id: id as u64, name, args: &ARGUMENTS[..count] }
    }

    pub(crate) fn on(&mut self, thread: u64, name: &'static str, args: Vec<Arg<'_>>, result: Option<Arg<'_>>) -> u64 {
        let signature = self.signature(name, args.len());
        self.writer.call(thread, &signature, args, result);
        self.calls += 1;
        self.calls - 1
    }

    pub(crate) fn call(&mut self, name: &'static str, args: Vec<Arg<'_>>) -> u64 {
        self.on(0, name, args, None)
    }

    pub(crate) fn create(&mut self, context: u64, shared: u64) -> u64 {
        let args = vec![Arg::Pointer(1), Arg::Null, Arg::Pointer(shared), Arg::Bool(true)];
        self.on(0, "glXCreateContext", args, Some(Arg::Pointer(context)))
    }

    pub(crate) fn current(&mut self, thread: u64, context: u64) -> u64 {
        self.on(
            thread,
            "glXMakeCurrent",
            vec![Arg::Pointer(1), Arg::Uint(7), Arg::Pointer(context)],
            Some(Arg::Bool(true)),
        )
    }

    pub(crate) fn file(&self) -> Vec<u8> {
        snappy(self.writer.stream(), 1 << 16)
    }

    fn history(self) -> History<Vec<u8>> {
        built(self.file(), 1000)
    }
}

pub(crate) fn built(file: Vec<u8>, portion: u32) -> History<Vec<u8>> {
    let index = index_of(&file);
    let mut history = History::open("apitrace", &index, file, usize::MAX).unwrap();
    while !history.build(portion).unwrap() {}
    history
}

fn at(history: &mut History<Vec<u8>>, call: u64) -> Report {
    history.at(call, false).unwrap().unwrap()
}

/// The text of a row, and the call that set it. Panics if there is no such row.
fn row(report: &Report, name: &str) -> (String, Option<u32>) {
    find(report, name).unwrap_or_else(|| panic!("no {name} in {:#?}", report.sections))
}

fn find(report: &Report, name: &str) -> Option<(String, Option<u32>)> {
    let mut rows = report.sections.iter().flat_map(|section| &section.rows);
    rows.find(|row| row.name == name).map(|row| (row.text.clone(), row.call))
}

pub(crate) fn uint<'a>(number: u32) -> Arg<'a> {
    Arg::Uint(number.into())
}

#[test]
fn rows_say_which_object_they_are_about() {
    let mut trace = Trace::new();
    trace.call("glBindTexture", vec![uint(gl::TEXTURE_2D), uint(7)]);
    trace.call("glBindBuffer", vec![uint(gl::ARRAY_BUFFER), uint(3)]);
    trace.call("glUseProgram", vec![uint(5)]);
    let last = trace.call("glBindFramebuffer", vec![uint(gl::FRAMEBUFFER), uint(2)]);
    let mut history = trace.history();
    let report = at(&mut history, last);
    let objects = |name: &str| {
        let rows = report.sections.iter().flat_map(|section| &section.rows).filter(|row| row.name == name);
        rows.map(|row| row.object.map(|object| (object.kind, object.name))).next()
    };
    assert_eq!(objects("Unit 0 TEXTURE_2D"), Some(Some(("texture", 7))));
    assert_eq!(objects("ARRAY_BUFFER_BINDING"), Some(Some(("buffer", 3))));
    assert_eq!(objects("Framebuffer"), Some(Some(("framebuffer", 2))));
    // Nothing is bound.
    assert_eq!(objects("ELEMENT_ARRAY_BUFFER_BINDING"), Some(None));
    assert!(report.json().contains(r#""object":{"kind":"framebuffer","name":2}"#));
}

#[test]
fn attributes_are_pushed_and_popped() {
    let mut trace = Trace::new();
    trace.call("glBlendFunc", vec![uint(gl::SRC_ALPHA), uint(gl::ONE_MINUS_SRC_ALPHA)]);
    let pushed = trace.call("glPushAttrib", vec![uint(gl::COLOR_BUFFER_BIT)]);
    trace.call("glBlendFunc", vec![Arg::Uint(1), Arg::Uint(1)]);
    let enabled = trace.call("glEnable", vec![uint(gl::BLEND)]);
    let depth = trace.call("glDepthFunc", vec![uint(gl::LEQUAL)]);
    let popped = trace.call("glPopAttrib", vec![]);
    let mut history = trace.history();
    let within = at(&mut history, depth);
    assert_eq!(row(&within, "BLEND_SRC_RGB").0, "GL_ONE");
    assert_eq!(row(&within, "BLEND"), ("on".into(), Some(enabled as u32)));
    assert_eq!(row(&within, "ATTRIB_STACK_DEPTH"), ("1".into(), Some(pushed as u32)));
    let after = at(&mut history, popped);
    assert_eq!(row(&after, "BLEND_SRC_RGB"), ("GL_SRC_ALPHA".into(), Some(popped as u32)));
    // It was not set when the attributes were pushed, and another group keeps its value.
    assert_eq!(row(&after, "BLEND"), ("off".into(), None));
    assert_eq!(row(&after, "DEPTH_FUNC"), ("GL_LEQUAL".into(), Some(depth as u32)));
}

/// Bits that have an attribute, a call that sets it, and its row.
const ATTRIBUTES: &[(u32, &str, &[f32], &str)] = &[
    (gl::CURRENT_BIT, "glColor4f", &[0.5, 0.25, 0.0, 0.5], "CURRENT_COLOR"),
    (gl::CURRENT_BIT, "glNormal3f", &[1.0, 0.0, 0.0], "CURRENT_NORMAL"),
    (gl::CURRENT_BIT, "glFogCoordf", &[2.0], "CURRENT_FOG_COORD"),
    (gl::POINT_BIT, "glPointSize", &[4.0], "POINT_SIZE"),
    (gl::LINE_BIT, "glLineWidth", &[4.0], "LINE_WIDTH"),
    (gl::POLYGON_BIT, "glCullFace", &[gl::FRONT as f32], "CULL_FACE_MODE"),
    (gl::PIXEL_MODE_BIT, "glPixelZoom", &[2.0, 3.0], "ZOOM_X"),
    (gl::LIGHTING_BIT, "glShadeModel", &[gl::FLAT as f32], "SHADE_MODEL"),
    (gl::LIGHTING_BIT, "glProvokingVertex", &[gl::FIRST_VERTEX_CONVENTION as f32], "PROVOKING_VERTEX"),
    (gl::FOG_BIT, "glFogf", &[gl::FOG_DENSITY as f32, 3.0], "FOG_DENSITY"),
    (gl::DEPTH_BUFFER_BIT, "glDepthFunc", &[gl::GEQUAL as f32], "DEPTH_FUNC"),
    (gl::ACCUM_BUFFER_BIT, "glClearAccum", &[1.0, 1.0, 1.0, 1.0], "ACCUM_CLEAR_VALUE"),
    (gl::STENCIL_BUFFER_BIT, "glStencilMask", &[3.0], "STENCIL_WRITEMASK"),
    (gl::VIEWPORT_BIT, "glDepthRangef", &[0.25, 0.5], "DEPTH_RANGE"),
    (gl::TRANSFORM_BIT, "glMatrixMode", &[gl::PROJECTION as f32], "MATRIX_MODE"),
    (gl::TRANSFORM_BIT, "glClipControl", &[gl::UPPER_LEFT as f32, gl::ZERO_TO_ONE as f32], "CLIP_ORIGIN"),
    (gl::COLOR_BUFFER_BIT, "glBlendFunc", &[0.0, 1.0], "BLEND_SRC_RGB"),
    (gl::HINT_BIT, "glHint", &[gl::FOG_HINT as f32, gl::NICEST as f32], "FOG_HINT"),
    (gl::LIST_BIT, "glListBase", &[7.0], "LIST_BASE"),
    (gl::TEXTURE_BIT, "glActiveTexture", &[gl::TEXTURE1 as f32], "ACTIVE_TEXTURE"),
    (gl::SCISSOR_BIT | gl::ENABLE_BIT, "glEnable", &[gl::SCISSOR_TEST as f32], "SCISSOR_TEST"),
    (gl::MULTISAMPLE_BIT | gl::ENABLE_BIT, "glEnable", &[gl::SAMPLE_COVERAGE as f32], "SAMPLE_COVERAGE"),
    (gl::COLOR_BUFFER_BIT | gl::ENABLE_BIT, "glEnable", &[gl::BLEND as f32], "BLEND"),
    (gl::LIGHTING_BIT | gl::ENABLE_BIT, "glEnable", &[gl::LIGHTING as f32], "LIGHTING"),
    (gl::EVAL_BIT | gl::ENABLE_BIT, "glEnable", &[gl::AUTO_NORMAL as f32], "AUTO_NORMAL"),
];

#[test]
fn each_bit_takes_back_its_attributes_and_no_others() {
    for (bits, function, args, name) in ATTRIBUTES {
        let args = || {
            let number = |n: &f32| if n.fract() == 0.0 { Arg::Int(*n as i64) } else { Arg::Float(*n) };
            args.iter().map(number).collect::<Vec<_>>()
        };
        let mut trace = Trace::new();
        let mut push = |mask| {
            let pushed = trace.call("glPushAttrib", vec![uint(mask)]);
            [pushed, trace.call(function, args()), trace.call("glPopAttrib", Vec::new())]
        };
        let (own, others) = (push(*bits), push(gl::ALL_ATTRIB_BITS & !bits));
        let mut history = trace.history();
        let mut text = |call| row(&at(&mut history, call), name).0;
        let [first, changed] = [text(own[0]), text(own[1])];
        assert_ne!(first, changed, "{function}");
        assert_eq!([text(own[2]), text(others[2])], [first, changed], "{function}, {name}");
    }
}

#[test]
fn materials_follow_the_colour_that_is_taken_back() {
    let four = |numbers: [f32; 4]| numbers.map(Arg::Float).to_vec();
    let mut trace = Trace::new();
    trace.call("glColorMaterial", vec![uint(gl::FRONT_AND_BACK), uint(gl::DIFFUSE)]);
    trace.call("glEnable", vec![uint(gl::COLOR_MATERIAL)]);
    trace.call("glColor4f", four([0.25, 0.5, 0.75, 1.0]));
    trace.call("glPushAttrib", vec![uint(gl::CURRENT_BIT)]);
    trace.call("glColor4f", four([1.0, 0.0, 0.0, 1.0]));
    let popped = trace.call("glPopAttrib", Vec::new());
    let report = at(&mut trace.history(), popped);
    let materials = report.sections.iter().filter(|section| section.title.starts_with("Material, "));
    let diffuse: Vec<&str> =
        materials.flat_map(|section| &section.rows).filter(|row| row.name == "DIFFUSE").map(|row| &*row.text).collect();
    assert_eq!(diffuse, ["0.25, 0.5, 0.75, 1"; 2]);
}

#[test]
fn lists_do_what_they_hold_when_they_are_called() {
    let mut trace = Trace::new();
    trace.call("glNewList", vec![Arg::Uint(5), uint(gl::COMPILE)]);
    trace.call("glTranslatef", vec![Arg::Float(1.0), Arg::Float(2.0), Arg::Float(3.0)]);
    trace.call("glTranslatef", vec![Arg::Float(1.0), Arg::Float(0.0), Arg::Float(0.0)]);
    trace.call("glColor3f", vec![Arg::Float(1.0), Arg::Float(0.0), Arg::Float(0.0)]);
    trace.call("glNormal3f", vec![Arg::Float(1.0), Arg::Float(0.0), Arg::Float(0.0)]);
    trace.call("glColor3f", vec![Arg::Float(0.0), Arg::Float(1.0), Arg::Float(0.0)]);
    // Names are generated at once.
    trace.call("glGenTextures", vec![Arg::Uint(1), Arg::Array(vec![Arg::Uint(9)])]);
    let compiled = trace.call("glEndList", vec![]);
    let called = trace.call("glCallList", vec![Arg::Uint(5)]);
    let again = trace.call("glCallList", vec![Arg::Uint(5)]);
    trace.call("glNewList", vec![Arg::Uint(6), uint(gl::COMPILE)]);
    trace.call("glClear", vec![uint(gl::COLOR_BUFFER_BIT)]);
    trace.call("glRecti", [0, 0, 1, 1].map(Arg::Int).to_vec());
    trace.call("glEndList", vec![]);
    let drawn = trace.call("glCallList", vec![Arg::Uint(6)]);
    let last = trace.call("glDepthFunc", vec![uint(gl::LEQUAL)]);
    let mut history = trace.history();
    assert_eq!(row(&at(&mut history, compiled), "CURRENT_COLOR"), ("1, 1, 1, 1".into(), None));
    let after = at(&mut history, called);
    assert_eq!(row(&after, "CURRENT_COLOR"), ("0, 1, 0, 1".into(), Some(called as u32)));
    assert_eq!(row(&after, "MODELVIEW_MATRIX").0.lines().next(), Some("1  0  0  2"));
    assert!(!after.is_draw && after.since.is_none(), "the list draws nothing");
    assert_eq!(row(&at(&mut history, again), "MODELVIEW_MATRIX").0.lines().next(), Some("1  0  0  4"));
    // State is compared from one draw to the next: what is compiled is not a draw.
    let draw = at(&mut history, drawn);
    assert_eq!((draw.is_draw, draw.since), (true, None));
    assert_eq!(at(&mut history, last).since, Some(drawn as u32));
}

#[test]
fn contexts_share_objects_and_nothing_else() {
    let mut trace = Trace::new();
    trace.create(0xc2, 0xc1);
    trace.create(0xc3, 0);
    trace.current(1, 0xc2);
    trace.current(2, 0xc3);
    trace.call("glBindTexture", vec![uint(gl::TEXTURE_2D), Arg::Uint(4)]);
    let size = [0, gl::RGBA8, 64, 32, 0, gl::RGBA, gl::UNSIGNED_BYTE].map(uint);
    let args = [vec![uint(gl::TEXTURE_2D)], size.to_vec()].concat();
    trace.call("glTexImage2D", args);
    for thread in [1, 2] {
        trace.on(thread, "glBindTexture", vec![uint(gl::TEXTURE_2D), Arg::Uint(4)], None);
    }
    let first = trace.call("glEnable", vec![uint(gl::BLEND)]);
    let second = trace.on(1, "glDisable", vec![uint(gl::DEPTH_TEST)], None);
    let third = trace.on(2, "glDisable", vec![uint(gl::DEPTH_TEST)], None);
    // Deleting unbinds in the context of the call only.
    let deleted = trace.call("glDeleteTextures", vec![Arg::Uint(1), Arg::Array(vec![Arg::Uint(4)])]);
    let none = trace.on(3, "glXSwapBuffers", vec![], None);
    let still = trace.on(1, "glDisable", vec![uint(gl::DEPTH_TEST)], None);
    let mut history = trace.history();
    let texture = |report: &Report| find(report, "Unit 0 TEXTURE_2D").map(|(text, _)| text);
    assert_eq!(texture(&at(&mut history, first)).as_deref(), Some("texture 4, 64 × 32 RGBA8"));
    assert_eq!(texture(&at(&mut history, second)).as_deref(), Some("texture 4, 64 × 32 RGBA8"));
    assert_eq!(row(&at(&mut history, second), "BLEND").0, "off");
    assert_eq!(texture(&at(&mut history, third)).as_deref(), Some("texture 4"));
    assert_eq!(texture(&at(&mut history, deleted)), None);
    assert_eq!(texture(&at(&mut history, still)).as_deref(), Some("texture 4, 64 × 32 RGBA8"));
    assert!(at(&mut history, none).context.is_none());
}

#[test]
fn programs_have_the_uniforms_of_their_latest_linking() {
    let mut trace = Trace::new();
    let text = |text: &'static str| Arg::Text(text.as_bytes());
    trace.on(0, "glCreateProgram", vec![], Some(Arg::Uint(3)));
    trace.on(0, "glCreateShader", vec![uint(gl::FRAGMENT_SHADER)], Some(Arg::Uint(4)));
    let source = "uniform mat2x3 m; uniform vec2 v[2]; uniform sampler2D t; void main() {}";
    trace.call("glShaderSource", vec![Arg::Uint(4), Arg::Uint(1), Arg::Array(vec![text(source)]), Arg::Null]);
    trace.call("glAttachShader", vec![Arg::Uint(3), Arg::Uint(4)]);
    trace.call("glLinkProgram", vec![Arg::Uint(3)]);
    trace.call("glUseProgram", vec![Arg::Uint(3)]);
    for (location, name) in [(0, "m"), (1, "v"), (3, "t")] {
        trace.on(0, "glGetUniformLocation", vec![Arg::Uint(3), text(name)], Some(Arg::Uint(location)));
    }
    let initial = trace.call("glDetachShader", vec![Arg::Uint(3), Arg::Uint(4)]);
    let six = (1..=6).map(|n| Arg::Float(n as f32)).collect();
    trace.call("glUniformMatrix2x3fv", vec![Arg::Uint(0), Arg::Uint(1), Arg::Bool(true), Arg::Array(six)]);
    let four = (1..=4).map(|n| Arg::Float(n as f32)).collect();
    let set = trace.call("glUniform2fv", vec![Arg::Uint(1), Arg::Uint(2), Arg::Array(four)]);
    let linked = trace.call("glLinkProgram", vec![Arg::Uint(3)]);
    let mut history = trace.history();
    let report = at(&mut history, initial);
    assert_eq!(row(&report, "sampler2D t"), ("0".into(), None));
    assert_eq!(row(&report, "mat2x3 m").0, "0  0\n0  0\n0  0");
    assert_eq!(&*report.shaders[0].source, source);
    let report = at(&mut history, set);
    // Transposed: the rows come first.
    assert_eq!(row(&report, "mat2x3 m").0, "1  2\n3  4\n5  6");
    assert_eq!(row(&report, "vec2 v"), ("1, 2\n3, 4".into(), Some(set as u32)));
    let report = at(&mut history, linked);
    assert!(find(&report, "mat2x3 m").is_none() && report.shaders.is_empty(), "{:?}", report.sections);
}

#[test]
fn uniforms_that_were_never_set_are_initial_values() {
    let mut trace = Trace::new();
    let text = |text: &'static str| Arg::Text(text.as_bytes());
    trace.on(0, "glCreateProgram", vec![], Some(Arg::Uint(3)));
    trace.on(0, "glCreateShader", vec![uint(gl::FRAGMENT_SHADER)], Some(Arg::Uint(4)));
    let source = "#define N 2\nuniform vec2 v[N + 1];\nuniform float f, unused, given = 1.0;\nuniform sampler2D t[2];\n\
        layout(binding = 5) uniform sampler2D u;\nlayout(location = 9) uniform int at;\n#ifdef NEVER\nuniform int gone;\n#endif\n\
        void main() { x = v[0] + f + given + texture(t[0], p) + texture(u, p) + at + gone; }";
    trace.call("glShaderSource", vec![Arg::Uint(4), Arg::Uint(1), Arg::Array(vec![text(source)]), Arg::Null]);
    trace.call("glAttachShader", vec![Arg::Uint(3), Arg::Uint(4)]);
    trace.call("glLinkProgram", vec![Arg::Uint(3)]);
    trace.call("glUseProgram", vec![Arg::Uint(3)]);
    trace.on(0, "glGetUniformLocation", vec![Arg::Uint(3), text("v[0]")], Some(Arg::Uint(0)));
    trace.on(0, "glGetUniformLocation", vec![Arg::Uint(3), text("v[2]")], Some(Arg::Uint(2)));
    let initial = trace.call("glDetachShader", vec![Arg::Uint(3), Arg::Uint(4)]);
    let four = (1..=4).map(|n| Arg::Float(n as f32)).collect();
    trace.call("glUniform2fv", vec![Arg::Uint(0), Arg::Uint(2), Arg::Array(four)]);
    trace.call("glUniform1i", vec![Arg::Uint(9), Arg::Int(-7)]);
    let set = trace.call("glUniform2f", vec![Arg::Uint(2), Arg::Float(8.0), Arg::Float(9.0)]);
    let mut history = trace.history();
    let report = at(&mut history, initial);
    for (name, value) in
        [("vec2 v", "0, 0\n× 3"), ("float f", "0"), ("sampler2D t", "0\n0"), ("sampler2D u", "5"), ("int at", "0")]
    {
        assert_eq!(row(&report, name), (value.into(), None), "{name}");
    }
    // Not used, left out by the preprocessor, or not known.
    for name in ["float unused", "float given", "int gone"] {
        assert!(find(&report, name).is_none(), "{name}");
    }
    let report = at(&mut history, set);
    assert_eq!(row(&report, "vec2 v"), ("1, 2\n3, 4\n8, 9".into(), Some(set as u32)));
    assert_eq!(row(&report, "int at").0, "-7");
    let json = report.json();
    for said in [
        r#""v":[[1,2],[3,4],[8,9]]"#,
        r#""t":[0,0]"#,
        r#""v[0]":[1,2]"#,
        r#""v[2]":[8,9]"#,
        r#""t[1]":0"#,
        r#""u":5"#,
        r#""at":-7"#,
    ] {
        assert!(json.contains(said), "{said}");
    }
}

#[test]
fn members_of_uniform_blocks_are_read_from_buffers() {
    let mut trace = Trace::new();
    let text = |text: &'static str| Arg::Text(text.as_bytes());
    trace.on(0, "glCreateProgram", vec![], Some(Arg::Uint(3)));
    trace.on(0, "glCreateShader", vec![uint(gl::FRAGMENT_SHADER)], Some(Arg::Uint(4)));
    let source =
        "layout(std140) uniform B { vec2 a; float b[2]; } block;\nlayout(std140, binding = 2) uniform C { int c; };";
    trace.call("glShaderSource", vec![Arg::Uint(4), Arg::Uint(1), Arg::Array(vec![text(source)]), Arg::Null]);
    trace.call("glAttachShader", vec![Arg::Uint(3), Arg::Uint(4)]);
    trace.call("glLinkProgram", vec![Arg::Uint(3)]);
    trace.call("glUseProgram", vec![Arg::Uint(3)]);
    trace.on(0, "glGetUniformBlockIndex", vec![Arg::Uint(3), text("B")], Some(Arg::Uint(0)));
    trace.on(0, "glGetUniformBlockIndex", vec![Arg::Uint(3), text("C")], Some(Arg::Uint(1)));
    trace.call("glUniformBlockBinding", [3, 0, 5].map(uint).to_vec());
    trace.call("glBindBuffer", [gl::UNIFORM_BUFFER, 7].map(uint).to_vec());
    let empty =
        trace.call("glBufferData", vec![uint(gl::UNIFORM_BUFFER), Arg::Uint(320), Arg::Null, uint(gl::STATIC_DRAW)]);
    trace.call("glBindBufferRange", [gl::UNIFORM_BUFFER, 5, 7, 256, 48].map(uint).to_vec());
    let bytes: Vec<u8> = [1.0f32, 2.0, 0.0, 0.0, 3.0].iter().flat_map(|n| n.to_le_bytes()).collect();
    let part = vec![uint(gl::UNIFORM_BUFFER), Arg::Uint(256), Arg::Uint(20), Arg::Blob(&bytes)];
    let written = trace.call("glBufferSubData", part);
    trace.call("glBindBuffer", [gl::UNIFORM_BUFFER, 8].map(uint).to_vec());
    let minus = (-7i32).to_le_bytes();
    trace.call("glBufferData", vec![uint(gl::UNIFORM_BUFFER), Arg::Uint(16), Arg::Null, uint(gl::STATIC_DRAW)]);
    trace.call("glBindBufferBase", [gl::UNIFORM_BUFFER, 2, 8].map(uint).to_vec());
    let map = [gl::UNIFORM_BUFFER, 0, 16, 2].map(uint).to_vec();
    trace.on(0, "glMapBufferRange", map, Some(Arg::Pointer(0x7fff_0000)));
    let copied = trace.call("memcpy", vec![Arg::Pointer(0x7fff_0000), Arg::Blob(&minus), Arg::Uint(4)]);
    let cleared =
        trace.call("glClearBufferData", [gl::UNIFORM_BUFFER, gl::R32I, gl::RED_INTEGER, gl::INT, 0].map(uint).to_vec());
    let mut history = trace.history();
    assert!(find(&at(&mut history, empty), "vec2 B.a").is_none());
    let report = at(&mut history, written);
    assert_eq!(row(&report, "vec2 B.a"), ("1, 2".into(), Some(written as u32)));
    // The second element was not written.
    assert_eq!(row(&report, "float B.b").0, "3");
    assert!(report.json().contains(r#""B.b[0]":3"#));
    assert_eq!(row(&at(&mut history, copied), "int c"), ("-7".into(), Some(copied as u32)));
    assert!(find(&at(&mut history, cleared), "int c").is_none());
}

#[test]
fn stencil_bits_are_those_of_the_framebuffer_that_is_drawn_to() {
    let mut trace = Trace::new();
    let none = trace.call("glEnable", vec![uint(gl::DEPTH_TEST)]);
    let one = Arg::Array(vec![Arg::Uint(8)]);
    let asked = trace.call("glGetIntegerv", vec![uint(gl::STENCIL_BITS), one]);
    let bound = trace.call("glBindFramebuffer", vec![uint(gl::FRAMEBUFFER), Arg::Uint(2)]);
    trace.call("glBindRenderbuffer", vec![uint(gl::RENDERBUFFER), Arg::Uint(5)]);
    trace.call("glRenderbufferStorage", [gl::RENDERBUFFER, gl::DEPTH24_STENCIL8, 16, 16].map(uint).to_vec());
    let attached = trace.call(
        "glFramebufferRenderbuffer",
        [gl::FRAMEBUFFER, gl::DEPTH_STENCIL_ATTACHMENT, gl::RENDERBUFFER, 5].map(uint).to_vec(),
    );
    let mut history = trace.history();
    let mut bits = |call| find(&at(&mut history, call), "Stencil bits");
    assert_eq!(bits(none), None);
    assert_eq!(bits(asked), Some(("8".into(), Some(asked as u32))));
    assert_eq!(bits(bound), Some(("0".into(), None)));
    assert_eq!(bits(attached), Some(("8".into(), Some(attached as u32))));
}

#[test]
fn contexts_of_es_convert_to_srgb_at_first() {
    for (es, initial) in [(false, "off"), (true, "on")] {
        let mut trace = Trace::new();
        if es {
            trace.on(0, "glGetString", vec![uint(gl::VERSION)], Some(Arg::Text(b"OpenGL ES 3.2 Mesa")));
        }
        let first = trace.call("glEnable", vec![uint(gl::DEPTH_TEST)]);
        let second = trace.call("glDisable", vec![uint(gl::FRAMEBUFFER_SRGB)]);
        let mut history = trace.history();
        assert_eq!(row(&at(&mut history, first), "FRAMEBUFFER_SRGB"), (initial.into(), None));
        assert_eq!(row(&at(&mut history, second), "FRAMEBUFFER_SRGB").0, "off");
    }
}

#[test]
fn vertex_arrays_keep_their_buffers() {
    let mut trace = Trace::new();
    trace.call("glBindVertexArray", vec![Arg::Uint(2)]);
    trace.call("glBindBuffer", vec![uint(gl::ARRAY_BUFFER), Arg::Uint(6)]);
    trace.call("glBufferData", vec![uint(gl::ARRAY_BUFFER), Arg::Uint(96), Arg::Null, uint(gl::STATIC_DRAW)]);
    let pointer = [1, 3, gl::FLOAT, 0, 24, 12].map(uint).to_vec();
    trace.call("glVertexAttribPointer", pointer);
    trace.call("glEnableVertexAttribArray", vec![Arg::Uint(1)]);
    trace.call("glBindBuffer", vec![uint(gl::ELEMENT_ARRAY_BUFFER), Arg::Uint(8)]);
    let other = trace.call("glBindVertexArray", vec![Arg::Uint(0)]);
    trace.call("glVertexArrayAttribBinding", vec![Arg::Uint(2), Arg::Uint(1), Arg::Uint(5)]);
    trace.call("glVertexArrayVertexBuffer", [2, 5, 7, 100, 16].map(uint).to_vec());
    let back = trace.call("glBindVertexArray", vec![Arg::Uint(2)]);
    let mut history = trace.history();
    let report = at(&mut history, other);
    assert!(find(&report, "Indices").is_none() && find(&report, "1").is_none());
    assert_eq!(row(&at(&mut history, other - 1), "1").0, "3 × FLOAT, stride 24, buffer 6 + 12");
    let report = at(&mut history, back);
    assert_eq!(row(&report, "1").0, "3 × FLOAT, stride 16, buffer 7 + 100");
    assert_eq!(row(&report, "Indices").0, "buffer 8");
}

/// What is bound stays bound, by the call that bound it.
#[test]
fn direct_state_access_of_the_extension_changes_what_it_names() {
    let uints = |all: &[u32]| all.iter().copied().map(uint).collect::<Vec<_>>();
    let mut trace = Trace::new();
    let mode = trace.call("glMatrixMode", uints(&[gl::MODELVIEW]));
    let bound = trace.call("glBindTexture", uints(&[gl::TEXTURE_2D, 7]));
    trace.call("glTextureImage2DEXT", uints(&[8, gl::TEXTURE_2D, 0, gl::RGBA8, 16, 4, 0, 0]));
    trace.call("glTextureParameteriEXT", uints(&[8, gl::TEXTURE_2D, gl::TEXTURE_MAX_LEVEL, 3]));
    let loaded = trace.call("glMatrixTranslatefEXT", uints(&[gl::PROJECTION, 2, 0, 0]));
    let attribute = trace.call("glVertexArrayVertexAttribOffsetEXT", uints(&[5, 6, 1, 3, gl::FLOAT, 0, 24, 12]));
    let enabled = trace.call("glEnableVertexArrayAttribEXT", uints(&[5, 1]));
    let unit = trace.call("glBindMultiTextureEXT", uints(&[gl::TEXTURE1, gl::TEXTURE_2D, 8]));
    let mut history = trace.history();
    let report = at(&mut history, unit);
    assert_eq!(row(&report, "MATRIX_MODE"), ("GL_MODELVIEW".into(), Some(mode as u32)));
    assert_eq!(
        row(&report, "PROJECTION_MATRIX"),
        ("1  0  0  2\n0  1  0  0\n0  0  1  0\n0  0  0  1".into(), Some(loaded as u32))
    );
    assert!(find(&report, "1").is_none(), "the vertex array is not bound");
    let all: Vec<_> = report.sections.iter().flat_map(|section| &section.rows).collect();
    let texture = all.iter().find(|row| row.text.contains("16 × 4")).map(|row| row.text.as_str());
    assert!(texture.is_some(), "{all:#?}");
    assert!(all.iter().any(|row| row.call == Some(bound as u32)), "{all:#?}");
    let mut trace = Trace::new();
    trace.call("glVertexArrayVertexAttribOffsetEXT", uints(&[5, 6, 1, 3, gl::FLOAT, 0, 24, 12]));
    trace.call("glEnableVertexArrayAttribEXT", uints(&[5, 1]));
    let last = trace.call("glBindVertexArray", uints(&[5]));
    assert_eq!(row(&at(&mut trace.history(), last), "1").0, "3 × FLOAT, stride 24, buffer 6 + 12");
    assert!(attribute < enabled);
}

/// Each function of OpenGL 4.5 that names its object sets what the function for the bound object
/// does.
#[test]
fn direct_state_access_sets_what_is_bound_later() {
    let uints = |all: &[u32]| all.iter().copied().map(uint).collect::<Vec<_>>();
    let values = |calls: &[(&'static str, &[u32])]| {
        let mut trace = Trace::new();
        let bound: [(&'static str, &[u32]); 3] = [
            ("glBindTexture", &[gl::TEXTURE_2D, 8]),
            ("glBindVertexArray", &[5]),
            ("glBindFramebuffer", &[gl::FRAMEBUFFER, 9]),
        ];
        let create = [("glBindTexture", &[gl::TEXTURE_2D, 8][..]), ("glBindTexture", &[gl::TEXTURE_2D, 0])];
        let mut last = 0;
        for (name, args) in [&create[..], calls, &bound].concat() {
            last = trace.call(name, uints(args));
        }
        let report = at(&mut trace.history(), last);
        let rows = report.sections.iter().flat_map(|section| &section.rows);
        rows.map(|row| (row.name.clone(), row.text.clone())).collect::<Vec<_>>()
    };
    let direct = values(&[
        ("glTextureParameteri", &[8, gl::TEXTURE_MAX_LEVEL, 3]),
        ("glNamedBufferData", &[6, 48, 0, gl::STATIC_DRAW]),
        ("glVertexArrayVertexBuffer", &[5, 2, 6, 4, 20]),
        ("glVertexArrayAttribFormat", &[5, 1, 3, gl::FLOAT, 0, 8]),
        ("glVertexArrayAttribBinding", &[5, 1, 2]),
        ("glVertexArrayBindingDivisor", &[5, 2, 7]),
        ("glEnableVertexArrayAttrib", &[5, 1]),
        ("glVertexArrayElementBuffer", &[5, 6]),
        ("glNamedRenderbufferStorage", &[4, gl::RGBA8, 32, 16]),
        ("glNamedFramebufferRenderbuffer", &[9, gl::COLOR_ATTACHMENT0, gl::RENDERBUFFER, 4]),
        ("glNamedFramebufferTexture", &[9, gl::COLOR_ATTACHMENT0 + 1, 8, 0]),
        ("glNamedFramebufferReadBuffer", &[9, gl::COLOR_ATTACHMENT0 + 1]),
    ]);
    let bound = values(&[
        ("glBindTexture", &[gl::TEXTURE_2D, 8]),
        ("glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MAX_LEVEL, 3]),
        ("glBindTexture", &[gl::TEXTURE_2D, 0]),
        ("glBindBuffer", &[gl::COPY_WRITE_BUFFER, 6]),
        ("glBufferData", &[gl::COPY_WRITE_BUFFER, 48, 0, gl::STATIC_DRAW]),
        ("glBindBuffer", &[gl::COPY_WRITE_BUFFER, 0]),
        ("glBindVertexArray", &[5]),
        ("glBindVertexBuffer", &[2, 6, 4, 20]),
        ("glVertexAttribFormat", &[1, 3, gl::FLOAT, 0, 8]),
        ("glVertexAttribBinding", &[1, 2]),
        ("glVertexBindingDivisor", &[2, 7]),
        ("glEnableVertexAttribArray", &[1]),
        ("glBindBuffer", &[gl::ELEMENT_ARRAY_BUFFER, 6]),
        ("glBindVertexArray", &[0]),
        ("glBindRenderbuffer", &[gl::RENDERBUFFER, 4]),
        ("glRenderbufferStorage", &[gl::RENDERBUFFER, gl::RGBA8, 32, 16]),
        ("glBindRenderbuffer", &[gl::RENDERBUFFER, 0]),
        ("glBindFramebuffer", &[gl::FRAMEBUFFER, 9]),
        ("glFramebufferRenderbuffer", &[gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::RENDERBUFFER, 4]),
        ("glFramebufferTexture", &[gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0 + 1, 8, 0]),
        ("glReadBuffer", &[gl::COLOR_ATTACHMENT0 + 1]),
        ("glBindFramebuffer", &[gl::FRAMEBUFFER, 0]),
    ]);
    let of = |all: &[(String, String)], name: &str| all.iter().find(|row| row.0 == name).map(|row| row.1.clone());
    for name in ["1", "Indices", "Unit 0 TEXTURE_2D", "Color attachment 0", "Color attachment 1", "Framebuffer"] {
        assert!(of(&direct, name).is_some(), "{name}: {direct:#?}");
        assert_eq!(of(&direct, name), of(&bound, name), "{name}");
    }
}

#[test]
fn interleaved_arrays_are_those_of_their_format() {
    let uints = |all: &[u32]| all.iter().copied().map(uint).collect::<Vec<_>>();
    let mut trace = Trace::new();
    trace.call("glEnableClientState", uints(&[gl::NORMAL_ARRAY]));
    trace.call("glBindBuffer", uints(&[gl::ARRAY_BUFFER, 6]));
    let last = trace.call("glInterleavedArrays", uints(&[gl::C4UB_V3F, 0, 32]));
    let report = at(&mut trace.history(), last);
    assert_eq!(row(&report, "GL_COLOR_ARRAY").0, "4 × UNSIGNED_BYTE, stride 16, buffer 6 + 32");
    assert_eq!(row(&report, "GL_VERTEX_ARRAY").0, "3 × FLOAT, stride 16, buffer 6 + 36");
    assert!(find(&report, "GL_NORMAL_ARRAY").is_none());
}

#[test]
fn numbers_have_other_forms() {
    let uints = |all: &[u32]| all.iter().copied().map(uint).collect::<Vec<_>>();
    let mut trace = Trace::new();
    let packed = 1023 | 1023 << 20 | 1 << 30;
    trace.call("glColorP4ui", uints(&[gl::UNSIGNED_INT_2_10_10_10_REV, packed]));
    trace.call("glNormal3x", uints(&[1 << 16, 1 << 15, 0]));
    trace.call("glLineWidthx", uints(&[5 << 15]));
    trace.call("glTexCoord2xOES", uints(&[1 << 15, 1 << 16]));
    let last = trace.call("glPointSizex", uints(&[3 << 16]));
    let report = at(&mut trace.history(), last);
    let expected = [
        ("CURRENT_COLOR", "1, 0, 1, 0.3333333"),
        ("CURRENT_NORMAL", "1, 0.5, 0"),
        ("LINE_WIDTH", "2.5"),
        ("POINT_SIZE", "3"),
    ];
    for (name, text) in expected {
        let found = row(&report, name).0;
        assert!(found.starts_with(text), "{name}: {found}");
    }
}

/// Calls of the draw that `report` is about: those of the rows, and those that have the bytes.
fn calls_of_inputs(report: &Report) -> Vec<(String, Option<u32>, u64)> {
    let json = report.json();
    let inputs = json.split("\"inputs\":").nth(1).unwrap_or_default().split(",\"sections\"").next().unwrap_or_default();
    let of = |one: &str| {
        let title = one.split('"').nth(1).unwrap().to_string();
        let call = one.rsplit("\"call\":").next().unwrap().split('}').next().unwrap().parse().unwrap();
        (title.clone(), row(report, &title).1, call)
    };
    inputs.split("{\"title\":").skip(1).map(of).collect()
}

#[test]
fn vertices_in_memory_are_those_of_the_latest_call() {
    let uints = |all: &[u32]| all.iter().copied().map(uint).collect::<Vec<_>>();
    let mut trace = Trace::new();
    trace.call("glEnableClientState", uints(&[gl::VERTEX_ARRAY]));
    trace.call("glEnableVertexAttribArray", uints(&[3]));
    let vertices = |trace: &mut Trace, size: usize| {
        let blob = vec![0; size];
        let client = vec![Arg::Uint(2), uint(gl::SHORT), Arg::Uint(0), Arg::Blob(&blob)];
        let client = trace.call("glVertexPointer", client);
        let own = vec![Arg::Uint(3), Arg::Uint(2), uint(gl::FLOAT), Arg::Uint(0), Arg::Uint(0), Arg::Blob(&blob)];
        (client, trace.call("glVertexAttribPointer", own), trace.call("glDrawArrays", uints(&[gl::TRIANGLES, 0, 3])))
    };
    let mut all = vec![vertices(&mut trace, 16), vertices(&mut trace, 16)];
    // What is restored is again what an earlier call has.
    trace.call("glPushClientAttrib", uints(&[gl::CLIENT_VERTEX_ARRAY_BIT]));
    all.push(vertices(&mut trace, 16));
    let popped = trace.call("glPopClientAttrib", Vec::new());
    let last = trace.call("glDrawArrays", uints(&[gl::TRIANGLES, 0, 3]));
    let mut history = trace.history();
    for (client, own, drawn) in all.iter().copied() {
        let rows = [("3".into(), Some(own as u32), own), ("GL_VERTEX_ARRAY".into(), Some(client as u32), client)];
        assert_eq!(calls_of_inputs(&at(&mut history, drawn)), rows);
    }
    let (client, own, _) = all[1];
    let popped = Some(popped as u32);
    let rows = [("3".into(), popped, own), ("GL_VERTEX_ARRAY".into(), popped, client)];
    assert_eq!(calls_of_inputs(&at(&mut history, last)), rows);
}

#[test]
fn what_is_not_known_is_of_the_latest_call() {
    let mut trace = Trace::new();
    trace.call("glRasterPos2i", vec![uint(1), uint(2)]);
    let moved = trace.call("glRasterPos2i", vec![uint(3), uint(4)]);
    let push = |trace: &mut Trace| trace.call("glPushAttrib", vec![uint(gl::CURRENT_BIT)]);
    push(&mut trace);
    let kept = trace.call("glPopAttrib", Vec::new());
    push(&mut trace);
    trace.call("glRasterPos2i", vec![uint(5), uint(6)]);
    let popped = trace.call("glPopAttrib", Vec::new());
    let mut history = trace.history();
    let name = "CURRENT_RASTER_POSITION";
    let of = |history: &mut History<Vec<u8>>, call| row(&at(history, call), name);
    assert_eq!(of(&mut history, moved), ("unknown".into(), Some(moved as u32)));
    // Nothing has set it in between, or something has.
    assert_eq!(of(&mut history, kept).1, Some(moved as u32));
    assert_eq!(of(&mut history, popped).1, Some(popped as u32));
}

/// What the page makes meshes of.
#[test]
fn draws_say_where_their_vertices_are() {
    let uints = |all: &[u32]| all.iter().copied().map(uint).collect::<Vec<_>>();
    let mut trace = Trace::new();
    trace.call("glBindBuffer", uints(&[gl::ARRAY_BUFFER, 3]));
    let sized =
        trace.call("glBufferData", vec![uint(gl::ARRAY_BUFFER), Arg::Uint(640), Arg::Null, uint(gl::STATIC_DRAW)]);
    trace.call("glVertexAttribPointer", uints(&[2, 3, gl::FLOAT, 0, 24, 12]));
    trace.call("glEnableVertexAttribArray", uints(&[2]));
    trace.call("glVertexAttribDivisor", uints(&[2, 1]));
    trace.call("glBindBuffer", uints(&[gl::ARRAY_BUFFER, 0]));
    // The tracer puts the vertices in place of the pointer.
    let own = trace.call("glVertexPointer", vec![Arg::Uint(2), uint(gl::SHORT), Arg::Uint(0), Arg::Blob(&[0; 16])]);
    trace.call("glEnableClientState", uints(&[gl::VERTEX_ARRAY]));
    trace.call("glBindBuffer", uints(&[gl::ELEMENT_ARRAY_BUFFER, 4]));
    trace.call("glPrimitiveRestartIndex", uints(&[77]));
    trace.call("glEnable", uints(&[gl::PRIMITIVE_RESTART]));
    let drawn =
        trace.call("glDrawElementsInstancedBaseVertex", uints(&[gl::TRIANGLES, 6, gl::UNSIGNED_SHORT, 8, 5, 100]));
    let based = trace.call("glDrawArraysInstancedBaseInstance", uints(&[gl::TRIANGLES, 0, 3, 2, 7]));
    let multi = trace.call(
        "glMultiDrawArrays",
        vec![Arg::Uint(5), Arg::Array(uints(&[0, 10])), Arg::Array(uints(&[3, 4])), Arg::Uint(2)],
    );
    let given = vec![Arg::Uint(1), Arg::Uint(2), uint(gl::UNSIGNED_BYTE), Arg::Blob(&[1, 0])];
    let given = trace.call("glDrawElements", given);
    let indirect = trace.call("glMultiDrawArraysIndirect", uints(&[gl::TRIANGLES, 32, 7, 0]));
    let cleared = trace.call("glClear", uints(&[gl::COLOR_BUFFER_BIT]));
    let mut history = trace.history();
    let mut draw = |call| {
        let json = at(&mut history, call).json();
        let from = json.find("\"draw\":").unwrap() + 7;
        json[from..json.find(",\"sections\"").unwrap()].to_string()
    };
    let inputs = format!(
        "\"inputs\":[{{\"title\":\"2\",\"size\":3,\"type\":5126,\"isNormalized\":false,\"stride\":24,\"offset\":12,\
         \"divisor\":1,\"buffer\":{{\"name\":3,\"sized\":{sized}}},\"call\":{}}},\
         {{\"title\":\"GL_VERTEX_ARRAY\",\"size\":2,\"type\":5122,\"isNormalized\":false,\"stride\":0,\"offset\":0,\
         \"divisor\":0,\"buffer\":null,\"call\":{own}}}]",
        sized + 1
    );
    let rest = "\"indices\":{\"name\":4,\"sized\":null},\"restart\":77,\"indirect\":null";
    assert_eq!(
        draw(drawn),
        format!(
            "{{\"mode\":\"GL_TRIANGLES\",\"ranges\":[[8,6,100]],\"instances\":5,\"baseInstance\":0,\"indexed\":5123,\"isOwn\":false,\
             {rest},{inputs}}}"
        )
    );
    assert!(draw(based).contains("\"ranges\":[[0,3,0]],\"instances\":2,\"baseInstance\":7,"));
    assert!(draw(multi).starts_with("{\"mode\":\"GL_TRIANGLE_STRIP\",\"ranges\":[[0,3,0],[10,4,0]],\"instances\":1,"));
    assert!(
        draw(given)
            .contains("\"ranges\":[[0,2,0]],\"instances\":1,\"baseInstance\":0,\"indexed\":5121,\"isOwn\":true,")
    );
    assert!(draw(indirect).contains("\"indirect\":{\"buffer\":null,\"count\":7,\"offset\":32,\"stride\":0}"));
    assert_eq!(draw(cleared), "null");
}

#[test]
fn what_a_context_held_before_the_trace_is_not_guessed() {
    let mut trace = Trace { writer: Writer::new(&[]), names: Vec::new(), calls: 0 };
    let call = trace.call("glEnable", vec![uint(gl::BLEND)]);
    trace.call("glPushMatrix", vec![]);
    let rotated = trace.call("glTranslatef", vec![Arg::Float(1.0), Arg::Float(2.0), Arg::Float(3.0)]);
    let mut history = trace.history();
    let report = at(&mut history, call);
    assert!(report.is_partial);
    assert_eq!(row(&report, "BLEND"), ("on".into(), Some(0)));
    assert!(find(&report, "DEPTH_FUNC").is_none());
    assert!(find(&at(&mut history, rotated), "MODELVIEW_MATRIX").is_none());
}

#[test]
fn any_call_is_the_same_however_the_history_was_built() {
    let mut trace = Trace::new();
    trace.create(0xc2, 0xc1);
    trace.current(1, 0xc2);
    let size = trace.signature("glPointSize", 1);
    let finish = trace.signature("glScissor", 4);
    let count = 20_000u64;
    let begun = trace.calls;
    for n in 0..count {
        // Now and then a call of the other thread begins here and returns thousands of calls later.
        if n % 5000 == 100 {
            let entered = trace.writer.enter(1, &finish, &Details::args([1, 2, n, n].map(Arg::Uint)));
            for late in 0..3000 {
                trace.writer.call(0, &size, vec![Arg::Float((n + late) as f32)], None);
            }
            trace.writer.leave(entered, &Details::default());
        } else {
            trace.writer.call(0, &size, vec![Arg::Float(n as f32)], None);
        }
    }
    let file = snappy(trace.writer.stream(), 1 << 15);
    let mut whole = built(file.clone(), 1000);
    let mut parts = built(file.clone(), 1);
    let all = whole.progress();
    assert_eq!((all.built, all.is_full), (all.count, false));
    assert!(all.pieces > 5);
    for call in (begun..all.count).step_by(331).chain([begun + 100, begun + 101, begun + 3100, begun + 3101]) {
        let (a, b) = (at(&mut whole, call), at(&mut parts, call));
        assert_eq!(a.json(), b.json(), "call {call}");
        let (_, set_by) = row(&a, if a.name == "glScissor" { "SCISSOR_BOX" } else { "POINT_SIZE" });
        assert_eq!(set_by, Some(call as u32), "the call has set its own value");
        let before = whole.history_before(call);
        assert_ne!(before, Some(call as u32));
    }
    // A history that may not grow says so, and answers for what it has.
    let index = index_of(&file);
    let mut small = History::open("apitrace", &index, file, 1).unwrap();
    assert!(small.build(1).unwrap());
    assert!(small.progress().is_full);
    assert!(small.at(all.count - 1, false).unwrap().is_none());
}

/// The call that set the size of points before another call.
trait Before {
    fn history_before(&mut self, call: u64) -> Option<u32>;
}

impl Before for History<Vec<u8>> {
    fn history_before(&mut self, call: u64) -> Option<u32> {
        let report = self.at(call, true).unwrap().unwrap();
        find(&report, "POINT_SIZE").and_then(|(_, call)| call)
    }
}
