//! Traces for the replay of `crate/replay`, as the encoder writes them: some with known pictures,
//! and some that demand too much.
//!
//! `UNSPOOL_WRITE_FIXTURES=1 cargo test -p unspool-formats --test replay_fixtures` writes them.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use unspool_gl::gl;

use crate::common;
use unspool_formats::apitrace::encode::{FunctionSig, Value, Writer};

#[test]
fn fixtures_are_what_the_encoder_writes() {
    let files = [
        ("tests/fixtures/apitrace/replay_views.trace", views(false)),
        ("tests/fixtures/apitrace/replay_changed.trace", views(true)),
        ("tests/fixtures/apitrace/replay_windows.trace", windows()),
        ("tests/fixtures/apitrace/replay_indices.trace", indices()),
        ("tests/fixtures/apitrace/replay_fixed.trace", fixed()),
        ("tests/fixtures/apitrace/replay_compiled.trace", compiled()),
        ("tests/fixtures/apitrace/replay_unshown.trace", unshown()),
        ("tests/fixtures/apitrace/replay_loop.trace", loops(256, 2_000_000_000, 1)),
        ("tests/fixtures/apitrace/replay_time.trace", loops(256, 900, 200)),
        ("tests/fixtures/apitrace/replay_lists.trace", lists()),
        ("tests/fixtures/apitrace/replay_bytes.trace", bytes()),
        ("tests/fixtures/apitrace/replay_contexts.trace", contexts()),
        ("tests/fixtures/apitrace/replay_outputs.trace", outputs()),
        ("tests/fixtures/apitrace/replay_written.trace", written()),
        ("tests/fixtures/apitrace/replay_texels.trace", texels()),
    ];
    common::are_written(&files.each_ref().map(|(name, bytes)| (*name, bytes.as_slice())));
}

/// Functions that were called, with the names of their arguments. A position is an id.
const FUNCTIONS: &[(&str, &[&str])] = &[
    ("glXMakeCurrent", &["dpy", "drawable", "ctx"]),
    ("glXSwapBuffers", &["dpy", "drawable"]),
    ("glXCreateContext", &["dpy", "vis", "shareList", "direct"]),
    ("glViewport", &["x", "y", "width", "height"]),
    ("glClearColor", &["red", "green", "blue", "alpha"]),
    ("glClear", &["mask"]),
    ("glColor3f", &["red", "green", "blue"]),
    ("glBegin", &["mode"]),
    ("glVertex3f", &["x", "y", "z"]),
    ("glTexCoord2f", &["s", "t"]),
    ("glEnd", &[]),
    ("glEnable", &["cap"]),
    ("glDisable", &["cap"]),
    ("glBindTexture", &["target", "texture"]),
    ("glTexParameteri", &["target", "pname", "param"]),
    ("glTexImage2D", &["target", "level", "internalformat", "width", "height", "border", "format", "type", "pixels"]),
    ("glNewList", &["list", "mode"]),
    ("glEndList", &[]),
    ("glCallList", &["list"]),
    ("glCreateShader", &["type"]),
    ("glShaderSource", &["shader", "count", "string", "length"]),
    ("glCompileShader", &["shader"]),
    ("glCreateProgram", &[]),
    ("glAttachShader", &["program", "shader"]),
    ("glLinkProgram", &["program"]),
    ("glUseProgram", &["program"]),
    ("glGetUniformLocation", &["program", "name"]),
    ("glUniform1i", &["location", "v0"]),
    ("glBindBuffer", &["target", "buffer"]),
    ("glBufferData", &["target", "size", "data", "usage"]),
    ("glVertexAttribPointer", &["index", "size", "type", "normalized", "stride", "pointer"]),
    ("glEnableVertexAttribArray", &["index"]),
    ("glDrawArrays", &["mode", "first", "count"]),
    ("glDrawArraysInstanced", &["mode", "first", "count", "instancecount"]),
    ("glDrawElements", &["mode", "count", "type", "indices"]),
    ("glDispatchCompute", &["num_groups_x", "num_groups_y", "num_groups_z"]),
    ("glBufferSubData", &["target", "offset", "size", "data"]),
    ("glActiveTexture", &["texture"]),
    ("glTexEnvi", &["target", "pname", "param"]),
    ("glLightModeli", &["pname", "param"]),
    ("glLightfv", &["light", "pname", "params"]),
    ("glMaterialfv", &["face", "pname", "params"]),
    ("glClipPlane", &["plane", "equation"]),
    ("glPushAttrib", &["mask"]),
    ("glPopAttrib", &[]),
    ("glPointSize", &["size"]),
    ("glPointParameterfv", &["pname", "params"]),
    ("glNormal3f", &["nx", "ny", "nz"]),
    ("glVertexPointer", &["size", "type", "stride", "pointer"]),
    ("glEnableClientState", &["array"]),
    ("glDisableClientState", &["array"]),
    ("glDeleteBuffers", &["n", "buffers"]),
    ("glUniformMatrix4fv", &["location", "count", "transpose", "value"]),
    ("glLoadMatrixf", &["m"]),
    ("glClipControl", &["origin", "depth"]),
    ("glFrontFace", &["mode"]),
    ("glBindRenderbuffer", &["target", "renderbuffer"]),
    ("glRenderbufferStorage", &["target", "internalformat", "width", "height"]),
    ("glBindFramebuffer", &["target", "framebuffer"]),
    ("glFramebufferTexture2D", &["target", "attachment", "textarget", "texture", "level"]),
    ("glFramebufferRenderbuffer", &["target", "attachment", "renderbuffertarget", "renderbuffer"]),
    ("glCopyBufferSubData", &["readTarget", "writeTarget", "readOffset", "writeOffset", "size"]),
    ("glBindBufferBase", &["target", "index", "buffer"]),
    ("glBeginTransformFeedback", &["primitiveMode"]),
    ("glEndTransformFeedback", &[]),
    ("glTexSubImage2D", &["target", "level", "xoffset", "yoffset", "width", "height", "format", "type", "pixels"]),
    ("glTexBuffer", &["target", "internalformat", "buffer"]),
];

/// A trace that is being written.
struct Trace(Writer);

impl Trace {
    /// A trace with a context and a window of this size.
    fn new(width: u32, height: u32) -> Self {
        let mut trace = Self(Writer::new(&[]));
        trace.current(1, 1);
        trace.ints("glViewport", &[0, 0, width, height]);
        trace
    }

    fn call(&mut self, name: &str, args: Vec<Value<'_>>, result: Option<Value<'_>>) {
        let id = FUNCTIONS.iter().position(|(known, _)| *known == name).unwrap();
        let function = FunctionSig { id: id as u64 + 10, name: FUNCTIONS[id].0, args: FUNCTIONS[id].1 };
        self.0.call(0, &function, args, result);
    }

    fn ints(&mut self, name: &str, args: &[u32]) {
        self.call(name, args.iter().map(|n| Value::Int((*n).into())).collect(), None);
    }

    fn floats(&mut self, name: &str, args: &[f32]) {
        self.call(name, args.iter().map(|x| Value::Float(*x)).collect(), None);
    }

    fn current(&mut self, window: u64, context: u64) {
        self.call(
            "glXMakeCurrent",
            vec![Value::Pointer(0x1000), Value::Uint(window), Value::Pointer(0x2000 + context)],
            Some(Value::Bool(true)),
        );
    }

    fn swap(&mut self, window: u64) {
        self.call("glXSwapBuffers", vec![Value::Pointer(0x1000), Value::Uint(window)], None);
    }

    /// A rectangle in coordinates of the window, from -1 to 1, and with texture coordinates from 0
    /// to 1.
    fn rectangle(&mut self, [left, bottom, right, top]: [f32; 4], z: f32) {
        self.ints("glBegin", &[gl::QUADS]);
        for (x, y, s, t) in
            [(left, bottom, 0.0, 0.0), (right, bottom, 1.0, 0.0), (right, top, 1.0, 1.0), (left, top, 0.0, 1.0)]
        {
            self.floats("glTexCoord2f", &[s, t]);
            self.floats("glVertex3f", &[x, y, z]);
        }
        self.ints("glEnd", &[]);
    }

    fn texture(&mut self, size: u32, pixels: Value<'_>) {
        let mut args: Vec<Value<'_>> = [gl::TEXTURE_2D, 0, gl::RGBA8, size, size, 0, gl::RGBA, gl::UNSIGNED_BYTE]
            .iter()
            .map(|n| Value::Int(i64::from(*n)))
            .collect();
        args.push(pixels);
        self.call("glTexImage2D", args, None);
    }

    /// A program of shaders of these kinds, in use. Its number is `name`, its shaders have the
    /// numbers after.
    fn program(&mut self, name: u32, shaders: &[(u32, &str)]) {
        self.call("glCreateProgram", vec![], Some(Value::Int(name.into())));
        for (shader, (kind, source)) in (name + 1..).zip(shaders) {
            self.call("glCreateShader", vec![Value::Int((*kind).into())], Some(Value::Int(shader.into())));
            let strings = Value::Array(vec![Value::Text(source.as_bytes())]);
            self.call("glShaderSource", vec![Value::Int(shader.into()), Value::Int(1), strings, Value::Null], None);
            self.ints("glCompileShader", &[shader]);
            self.ints("glAttachShader", &[name, shader]);
        }
        self.ints("glLinkProgram", &[name]);
        self.ints("glUseProgram", &[name]);
    }

    /// A buffer of two triangles that cover the window, as input 0, and more room behind.
    fn triangles(&mut self, bytes: usize) {
        let mut data: Vec<u8> = [-1.0f32, -1.0, 3.0, -1.0, -1.0, 3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        data.resize(bytes, 0);
        self.ints("glBindBuffer", &[gl::ARRAY_BUFFER, 1]);
        let size = Value::Int(bytes as i64);
        self.call(
            "glBufferData",
            vec![Value::Int(gl::ARRAY_BUFFER.into()), size, Value::Blob(&data), Value::Int(gl::STATIC_DRAW.into())],
            None,
        );
        let args = [0, 2, gl::FLOAT, 0, 0].iter().map(|n| Value::Int(i64::from(*n))).chain([Value::Null]).collect();
        self.call("glVertexAttribPointer", args, None);
        self.ints("glEnableVertexAttribArray", &[0]);
    }

    fn finish(self) -> Vec<u8> {
        self.0.finish()
    }
}

const VERTEX: (u32, &str) =
    (gl::VERTEX_SHADER, "#version 150\nin vec2 p;\nvoid main() { gl_Position = vec4(p, 0.0, 1.0); }");
const WHITE: (u32, &str) = (gl::FRAGMENT_SHADER, "#version 150\nout vec4 color;\nvoid main() { color = vec4(1.0); }");

/// Three frames of 64 by 48 pixels: blue, the left half red, and a green square in the middle of
/// what is left of it, which is nearer. `is_changed`: the square of the second frame is pink, and
/// another frame, with a yellow rectangle, follows.
fn views(is_changed: bool) -> Vec<u8> {
    let mut t = Trace::new(64, 48);
    for frame in 0..3u8 {
        if is_changed && frame == 2 {
            t.ints("glClear", &[gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT]);
            t.floats("glColor3f", &[1.0, 1.0, 0.0]);
            t.rectangle([-1.0, 0.0, 1.0, 1.0], 0.5);
            t.swap(1);
        }
        t.ints("glEnable", &[gl::DEPTH_TEST]);
        t.floats("glClearColor", &[0.0, 0.0, 1.0, 1.0]);
        t.ints("glClear", &[gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT]);
        t.floats("glColor3f", &[1.0, 0.0, 0.0]);
        t.rectangle([-1.0, -1.0, 0.0, 1.0], 0.5);
        let red = if is_changed && frame == 1 { 1.0 } else { 0.0 };
        t.floats("glColor3f", &[red, 1.0 - red, f32::from(frame) / 2.0]);
        t.rectangle([-0.5, -0.5, 0.5, 0.5], 0.0);
        // It is behind both.
        t.floats("glColor3f", &[1.0, 1.0, 1.0]);
        t.rectangle([-0.25, -0.25, 0.0, 0.25], 0.75);
        t.swap(1);
    }
    t.finish()
}

/// A texture that one context makes and another one, which shares, draws to a second window. The
/// first window grows after a frame.
fn windows() -> Vec<u8> {
    let mut t = Trace(Writer::new(&[]));
    for (context, share) in [(1, 0), (2, 0x2001)] {
        let share = if share == 0 { Value::Null } else { Value::Pointer(share) };
        t.call(
            "glXCreateContext",
            vec![Value::Pointer(0x1000), Value::Pointer(0x3000), share, Value::Bool(true)],
            Some(Value::Pointer(0x2000 + context)),
        );
    }
    t.current(1, 1);
    t.ints("glViewport", &[0, 0, 32, 32]);
    t.ints("glBindTexture", &[gl::TEXTURE_2D, 7]);
    t.ints("glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::NEAREST]);
    t.ints("glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MAG_FILTER, gl::NEAREST]);
    t.texture(1, Value::Blob(&[255, 128, 0, 255]));
    t.floats("glClearColor", &[0.0, 1.0, 0.0, 1.0]);
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT]);
    t.swap(1);
    t.current(2, 2);
    t.ints("glViewport", &[0, 0, 16, 16]);
    t.ints("glEnable", &[gl::TEXTURE_2D]);
    t.ints("glBindTexture", &[gl::TEXTURE_2D, 7]);
    t.rectangle([-1.0, -1.0, 1.0, 1.0], 0.0);
    t.swap(2);
    t.current(1, 1);
    t.ints("glViewport", &[0, 0, 64, 40]);
    t.floats("glClearColor", &[1.0, 0.0, 1.0, 1.0]);
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT]);
    t.swap(1);
    t.finish()
}

/// Two frames of 64 by 48 pixels, of two halves that have their indices in one buffer, of which the
/// second half is uploaded later.
fn indices() -> Vec<u8> {
    let mut t = Trace::new(64, 48);
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT]);
    t.program(1, &[VERTEX, WHITE]);
    let corners = |left: f32, right: f32| [left, -1.0, right, -1.0, right, 1.0, left, 1.0];
    let data: Vec<u8> = [corners(-1.0, 0.0), corners(0.0, 1.0)].concat().iter().flat_map(|x| x.to_le_bytes()).collect();
    t.ints("glBindBuffer", &[gl::ARRAY_BUFFER, 1]);
    let args = |target: u32, bytes| {
        vec![Value::Int(target.into()), Value::Int(64), Value::Blob(bytes), Value::Int(gl::STATIC_DRAW.into())]
    };
    t.call("glBufferData", args(gl::ARRAY_BUFFER, &data), None);
    let pointer = [0, 2, gl::FLOAT, 0, 0].iter().map(|n| Value::Int(i64::from(*n))).chain([Value::Null]).collect();
    t.call("glVertexAttribPointer", pointer, None);
    t.ints("glEnableVertexAttribArray", &[0]);
    let quad =
        |first: u16| [0, 1, 2, 0, 2, 3].iter().flat_map(|i: &u16| (i + first).to_le_bytes()).collect::<Vec<u8>>();
    let mut both = [quad(0), vec![0; 12]].concat();
    both.resize(64, 0);
    t.ints("glBindBuffer", &[gl::ELEMENT_ARRAY_BUFFER, 2]);
    t.call("glBufferData", args(gl::ELEMENT_ARRAY_BUFFER, &both), None);
    t.call(
        "glDrawElements",
        vec![Value::Int(gl::TRIANGLES.into()), Value::Int(6), Value::Int(gl::UNSIGNED_SHORT.into()), Value::Null],
        None,
    );
    t.swap(1);
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT]);
    let rest = quad(4);
    t.call(
        "glBufferSubData",
        vec![Value::Int(gl::ELEMENT_ARRAY_BUFFER.into()), Value::Int(12), Value::Int(12), Value::Blob(&rest)],
        None,
    );
    t.ints("glDrawElements", &[gl::TRIANGLES, 6, gl::UNSIGNED_SHORT, 12]);
    t.swap(1);
    t.finish()
}

/// Squares of 64 pixels, from the lower left, each for a part of the fixed function: a clip plane
/// that leaves the right half, the texture of another unit, the sixth unit, a product of colours as
/// vectors, specular light after a black texture, the side behind, a material that keeps the colour
/// that it tracked, and a point with a texture of its own and another one that fades.
fn fixed() -> Vec<u8> {
    let mut t = Trace::new(256, 128);
    let floats = |all: &[f32]| Value::Array(all.iter().map(|x| Value::Float(*x)).collect());
    let light = |t: &mut Trace, name: u32, value: &[f32]| {
        t.call("glLightfv", vec![Value::Int(gl::LIGHT0.into()), Value::Int(name.into()), floats(value)], None);
    };
    let material = |t: &mut Trace, face: u32, name: u32, value: &[f32]| {
        t.call("glMaterialfv", vec![Value::Int(face.into()), Value::Int(name.into()), floats(value)], None);
    };
    let texture = |t: &mut Trace, unit: u32, name: u32, pixels: &[u8]| {
        t.ints("glActiveTexture", &[gl::TEXTURE0 + unit]);
        t.ints("glEnable", &[gl::TEXTURE_2D]);
        t.ints("glBindTexture", &[gl::TEXTURE_2D, name]);
        t.ints("glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::NEAREST]);
        t.ints("glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MAG_FILTER, gl::NEAREST]);
        let size = if pixels.len() == 4 { 1 } else { 2 };
        t.texture(size, Value::Blob(pixels));
    };
    let all = [-1.0, -1.0, 1.0, 1.0];
    // A native replay has no window yet in its first frame.
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT]);
    t.swap(1);
    t.floats("glClearColor", &[0.0, 0.0, 1.0, 1.0]);
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT]);
    let mut tile = 0;
    let mut begin = |t: &mut Trace| {
        t.ints("glPushAttrib", &[gl::ALL_ATTRIB_BITS & !gl::VIEWPORT_BIT]);
        t.ints("glViewport", &[64 * (tile % 4), 64 * (tile / 4), 64, 64]);
        tile += 1;
    };
    begin(&mut t);
    let plane = Value::Array([1.0, 0.0, 0.0, 0.0].map(Value::Double).to_vec());
    t.call("glClipPlane", vec![Value::Int(gl::CLIP_DISTANCE0.into()), plane], None);
    t.ints("glEnable", &[gl::CLIP_DISTANCE0]);
    t.rectangle(all, 0.0);
    t.ints("glPopAttrib", &[]);
    begin(&mut t);
    texture(&mut t, 0, 1, &[255, 0, 0, 255]);
    texture(&mut t, 1, 2, &[0, 255, 0, 255]);
    t.ints("glTexEnvi", &[gl::TEXTURE_ENV, gl::TEXTURE_ENV_MODE, gl::COMBINE]);
    t.ints("glTexEnvi", &[gl::TEXTURE_ENV, gl::COMBINE_RGB, gl::REPLACE]);
    t.ints("glTexEnvi", &[gl::TEXTURE_ENV, gl::SRC0_RGB, gl::TEXTURE0]);
    t.rectangle(all, 0.0);
    t.ints("glPopAttrib", &[]);
    begin(&mut t);
    texture(&mut t, 5, 3, &[255, 255, 0, 255]);
    t.ints("glTexEnvi", &[gl::TEXTURE_ENV, gl::TEXTURE_ENV_MODE, gl::REPLACE]);
    t.rectangle(all, 0.0);
    t.ints("glPopAttrib", &[]);
    begin(&mut t);
    texture(&mut t, 0, 4, &[255, 128, 128, 255]);
    t.ints("glTexEnvi", &[gl::TEXTURE_ENV, gl::TEXTURE_ENV_MODE, gl::COMBINE]);
    t.ints("glTexEnvi", &[gl::TEXTURE_ENV, gl::COMBINE_RGB, gl::DOT3_RGB]);
    t.ints("glTexEnvi", &[gl::TEXTURE_ENV, gl::SRC1_RGB, gl::PRIMARY_COLOR]);
    t.floats("glColor3f", &[1.0, 0.5, 0.5]);
    t.rectangle(all, 0.0);
    t.ints("glPopAttrib", &[]);
    let black = [0.0, 0.0, 0.0, 1.0];
    // Light from where one looks.
    let lit = |t: &mut Trace| {
        t.ints("glEnable", &[gl::LIGHTING]);
        t.ints("glEnable", &[gl::LIGHT0]);
        light(t, gl::POSITION, &[0.0, 0.0, 1.0, 0.0]);
        t.floats("glNormal3f", &[0.0, 0.0, 1.0]);
        for name in [gl::AMBIENT, gl::DIFFUSE, gl::SPECULAR, gl::EMISSION] {
            material(t, gl::FRONT_AND_BACK, name, &black);
        }
    };
    begin(&mut t);
    lit(&mut t);
    texture(&mut t, 0, 5, &[0, 0, 0, 255]);
    t.ints("glLightModeli", &[gl::LIGHT_MODEL_COLOR_CONTROL, gl::SEPARATE_SPECULAR_COLOR]);
    material(&mut t, gl::FRONT, gl::SPECULAR, &[0.0, 1.0, 0.0, 1.0]);
    t.rectangle(all, 0.0);
    t.ints("glPopAttrib", &[]);
    begin(&mut t);
    lit(&mut t);
    t.ints("glLightModeli", &[gl::LIGHT_MODEL_TWO_SIDE, 1]);
    material(&mut t, gl::BACK, gl::EMISSION, &[1.0, 0.0, 0.0, 1.0]);
    t.rectangle([1.0, -1.0, -1.0, 1.0], 0.0);
    t.ints("glPopAttrib", &[]);
    begin(&mut t);
    lit(&mut t);
    t.ints("glEnable", &[gl::COLOR_MATERIAL]);
    t.floats("glColor3f", &[0.0, 1.0, 0.0]);
    t.ints("glDisable", &[gl::COLOR_MATERIAL]);
    t.floats("glColor3f", &[1.0, 0.0, 0.0]);
    t.rectangle(all, 0.0);
    t.ints("glPopAttrib", &[]);
    begin(&mut t);
    let corners = [[255, 0, 0, 255], [0, 255, 0, 255], [255, 255, 0, 255], [255, 255, 255, 255]].concat();
    texture(&mut t, 0, 6, &corners);
    t.ints("glTexEnvi", &[gl::TEXTURE_ENV, gl::TEXTURE_ENV_MODE, gl::REPLACE]);
    t.ints("glTexEnvi", &[gl::POINT_SPRITE, gl::COORD_REPLACE, 1]);
    t.ints("glEnable", &[gl::POINT_SPRITE]);
    // At the distance 0.5: a half of its size.
    t.floats("glPointSize", &[32.0]);
    let fade = floats(&[0.0, 0.0, 16.0]);
    t.call("glPointParameterfv", vec![Value::Int(gl::POINT_DISTANCE_ATTENUATION.into()), fade], None);
    t.ints("glBegin", &[gl::POINTS]);
    t.floats("glVertex3f", &[0.0, 0.0, 0.5]);
    t.ints("glEnd", &[]);
    t.ints("glPopAttrib", &[]);
    t.swap(1);
    t.finish()
}

/// Quarters of a window of 64 by 48 pixels, from the lower left, each from a display list whose
/// arrays are others when it is called: red of memory, green of a buffer that is written to, blue
/// of one that is deleted, with indices, and white by a list that calls another one.
fn compiled() -> Vec<u8> {
    let mut t = Trace::new(64, 48);
    let int = |n: u32| Value::Int(n.into());
    let floats = |all: &[f32]| all.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let corners = |x: f32, y: f32| floats(&[x, y, x + 1.0, y, x + 1.0, y + 1.0, x, y + 1.0]);
    let pointer = |t: &mut Trace, memory: &[u8]| {
        t.ints("glBindBuffer", &[gl::ARRAY_BUFFER, 0]);
        t.call("glVertexPointer", vec![int(2), int(gl::FLOAT), int(0), Value::Blob(memory)], None);
    };
    let buffer = |t: &mut Trace, name: u32, target: u32, content: &[u8]| {
        t.ints("glBindBuffer", &[target, name]);
        let size = int(content.len() as u32);
        t.call("glBufferData", vec![int(target), size, Value::Blob(content), int(gl::STATIC_DRAW)], None);
    };
    let empty = corners(2.0, 2.0);
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT]);
    t.swap(1);
    t.ints("glEnableClientState", &[gl::VERTEX_ARRAY]);
    t.ints("glNewList", &[1, gl::COMPILE]);
    t.floats("glColor3f", &[1.0, 0.0, 0.0]);
    // The tracer says what memory has just before it is read.
    pointer(&mut t, &corners(-1.0, -1.0));
    t.ints("glDrawArrays", &[gl::QUADS, 0, 4]);
    t.ints("glEndList", &[]);
    buffer(&mut t, 1, gl::ARRAY_BUFFER, &[empty.clone(), corners(0.0, -1.0)].concat());
    t.ints("glVertexPointer", &[2, gl::FLOAT, 0, 0]);
    t.ints("glNewList", &[2, gl::COMPILE]);
    t.floats("glColor3f", &[0.0, 1.0, 0.0]);
    t.ints("glDrawArrays", &[gl::QUADS, 4, 4]);
    t.ints("glEndList", &[]);
    buffer(&mut t, 1, gl::ARRAY_BUFFER, &[empty.clone(), empty.clone()].concat());
    buffer(&mut t, 2, gl::ARRAY_BUFFER, &[empty.clone(), corners(-1.0, 0.0)].concat());
    t.ints("glVertexPointer", &[2, gl::FLOAT, 0, 0]);
    let indices: Vec<u8> = [4u16, 5, 6, 4, 6, 7].iter().flat_map(|index| index.to_le_bytes()).collect();
    buffer(&mut t, 3, gl::ELEMENT_ARRAY_BUFFER, &indices);
    t.ints("glNewList", &[3, gl::COMPILE]);
    t.floats("glColor3f", &[0.0, 0.0, 1.0]);
    t.ints("glDrawElements", &[gl::TRIANGLES, 6, gl::UNSIGNED_SHORT, 0]);
    t.ints("glEndList", &[]);
    t.call("glDeleteBuffers", vec![int(2), Value::Array(vec![int(2), int(3)])], None);
    pointer(&mut t, &corners(0.0, 0.0));
    t.ints("glNewList", &[4, gl::COMPILE]);
    t.ints("glDrawArrays", &[gl::QUADS, 0, 4]);
    t.ints("glEndList", &[]);
    pointer(&mut t, &empty);
    t.ints("glNewList", &[5, gl::COMPILE]);
    t.floats("glColor3f", &[1.0, 1.0, 1.0]);
    t.ints("glCallList", &[4]);
    t.ints("glEndList", &[]);
    t.ints("glDisableClientState", &[gl::VERTEX_ARRAY]);
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT]);
    for list in [1, 2, 3, 5] {
        t.ints("glCallList", &[list]);
    }
    t.swap(1);
    t.finish()
}

/// Draws that cannot be shown, each for another reason, and one that can.
fn unshown() -> Vec<u8> {
    let mut t = Trace::new(64, 48);
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT]);
    t.program(1, &[VERTEX, WHITE]);
    t.triangles(1 << 16);
    t.ints("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    t.ints("glDrawArrays", &[gl::TRIANGLES, 0, 0x7FFF_FFFF]);
    t.ints("glDrawArraysInstanced", &[gl::TRIANGLES, 0, 6000, 0x7FFF_FFFF]);
    t.ints("glDrawArrays", &[gl::TRIANGLES, 0, 8193]);
    t.ints("glDrawElements", &[gl::TRIANGLES, 3, gl::UNSIGNED_INT, 1 << 30]);
    t.ints("glDispatchCompute", &[1, 1, 1]);
    t.program(11, &[VERTEX, (gl::GEOMETRY_SHADER, "#version 150\nvoid main() {}"), WHITE]);
    t.ints("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    t.ints("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    t.program(21, &[VERTEX, (gl::FRAGMENT_SHADER, "#version 150\nout vec4 color;\nvoid main() { color = missing; }")]);
    t.ints("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    t.swap(1);
    t.finish()
}

/// Draws whose vertex shaders write known numbers: four vertices with indices and a matrix, two
/// instances, four vertices in memory with the fixed function, and three before a geometry shader.
/// In a second frame the first draw again, in the clip volume of Direct3D.
fn outputs() -> Vec<u8> {
    let mut t = Trace::new(64, 48);
    let matrix = |numbers: [f32; 16]| Value::Array(numbers.map(Value::Float).to_vec());
    let corners: Vec<u8> =
        [-1.0f32, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let indices: Vec<u8> = [2u16, 3, 0, 0, 1, 2].iter().flat_map(|index| index.to_le_bytes()).collect();
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT]);
    let source = "#version 150\nin vec2 p;\nuniform mat4 m;\nout vec2 uv;\nflat out int number;\n\
                  out Light { vec3 normal; } light;\nvoid main() {\n    gl_Position = m * vec4(p, 0.0, 1.0);\n    \
                  gl_Position.x += float(gl_InstanceID);\n    uv = p * 0.5 + 0.5;\n    number = 3 * gl_VertexID - 1;\n    \
                  light.normal = vec3(p, 4.0);\n}";
    let fragment = "#version 150\nin vec2 uv;\nout vec4 color;\nvoid main() { color = vec4(uv, 0.0, 1.0); }";
    t.program(1, &[(gl::VERTEX_SHADER, source), (gl::FRAGMENT_SHADER, fragment)]);
    t.call("glGetUniformLocation", vec![Value::Int(1), Value::Text(b"m")], Some(Value::Int(0)));
    #[rustfmt::skip]
    let whole = [
        0.5, 0.0, 0.0, 0.0,
        0.0, -0.5, 0.0, 0.0,
        0.0, 0.0, 1.0, 0.0,
        0.25, 0.0, 0.5, 2.0,
    ];
    t.call("glUniformMatrix4fv", vec![Value::Int(0), Value::Int(1), Value::Bool(false), matrix(whole)], None);
    for (target, name, data) in [(gl::ARRAY_BUFFER, 1, &corners), (gl::ELEMENT_ARRAY_BUFFER, 2, &indices)] {
        t.ints("glBindBuffer", &[target, name]);
        let size = Value::Int(data.len() as i64);
        t.call(
            "glBufferData",
            vec![Value::Int(target.into()), size, Value::Blob(data), Value::Int(gl::STATIC_DRAW.into())],
            None,
        );
    }
    let pointer = [0, 2, gl::FLOAT, 0, 0].iter().map(|n| Value::Int(i64::from(*n))).chain([Value::Null]).collect();
    t.call("glVertexAttribPointer", pointer, None);
    t.ints("glEnableVertexAttribArray", &[0]);
    t.ints("glDrawElements", &[gl::TRIANGLES, 6, gl::UNSIGNED_SHORT, 0]);
    t.ints("glDrawArraysInstanced", &[gl::TRIANGLES, 1, 3, 2]);
    t.ints("glUseProgram", &[0]);
    t.ints("glBindBuffer", &[gl::ARRAY_BUFFER, 0]);
    let half = [0.5, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 1.0];
    t.call("glLoadMatrixf", vec![matrix(half)], None);
    t.floats("glColor3f", &[0.0, 0.5, 1.0]);
    let memory = vec![Value::Int(2), Value::Int(gl::FLOAT.into()), Value::Int(0), Value::Blob(&corners)];
    t.call("glVertexPointer", memory, None);
    t.ints("glEnableClientState", &[gl::VERTEX_ARRAY]);
    t.ints("glDrawArrays", &[gl::QUADS, 0, 4]);
    t.program(11, &[VERTEX, (gl::GEOMETRY_SHADER, "#version 150\nvoid main() {}"), WHITE]);
    t.ints("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    t.swap(1);
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT]);
    t.ints("glUseProgram", &[1]);
    t.ints("glClipControl", &[gl::UPPER_LEFT, gl::ZERO_TO_ONE]);
    t.ints("glFrontFace", &[gl::CW]);
    t.ints("glEnable", &[gl::CULL_FACE]);
    t.ints("glEnable", &[gl::DEPTH_TEST]);
    t.ints("glDrawElements", &[gl::TRIANGLES, 6, gl::UNSIGNED_SHORT, 0]);
    t.swap(1);
    t.finish()
}

/// Draws over a whole window, each pixel with a loop.
fn loops(size: u32, iterations: u32, draws: usize) -> Vec<u8> {
    let mut t = Trace::new(size, size);
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT]);
    let source = "#version 150\nuniform int n;\nout vec4 color;\nvoid main() {\n    float x = gl_FragCoord.x;\n    \
                  for (int i = 0; i < n; i++) x = sin(x + float(i));\n    color = vec4(x);\n}";
    t.program(1, &[VERTEX, (gl::FRAGMENT_SHADER, source)]);
    t.triangles(1 << 10);
    t.call("glGetUniformLocation", vec![Value::Int(1), Value::Text(b"n")], Some(Value::Int(0)));
    t.ints("glUniform1i", &[0, iterations]);
    for _ in 0..draws {
        t.ints("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    }
    t.swap(1);
    t.finish()
}

/// Twelve levels of display lists, each of ten calls of the one before.
fn lists() -> Vec<u8> {
    let mut t = Trace::new(64, 48);
    for level in 1..=12 {
        t.ints("glNewList", &[level, gl::COMPILE]);
        match level {
            1 => t.rectangle([-1.0, -1.0, 1.0, 1.0], 0.0),
            _ => (0..10).for_each(|_| t.ints("glCallList", &[level - 1])),
        }
        t.ints("glEndList", &[]);
    }
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT]);
    t.ints("glCallList", &[12]);
    t.swap(1);
    t.finish()
}

/// Textures of 6 GiB.
fn bytes() -> Vec<u8> {
    let mut t = Trace::new(64, 48);
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT]);
    for texture in 1..=24 {
        t.ints("glBindTexture", &[gl::TEXTURE_2D, texture]);
        t.texture(8192, Value::Null);
    }
    t.swap(1);
    t.finish()
}

fn contexts() -> Vec<u8> {
    let mut t = Trace::new(64, 48);
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT]);
    for context in 2..=40 {
        t.current(1, context);
        t.ints("glClear", &[gl::COLOR_BUFFER_BIT]);
    }
    t.swap(1);
    t.finish()
}

/// What the graphics processor writes. A texture of 4 by 4 pixels is cleared to red, and its left
/// half drawn green, at half the depth; then its upper right pixel is uploaded in blue. Another one
/// gets a draw that WebGL2 lacks. Buffer 2 gets the second half of buffer 1; buffer 3 is captured.
fn written() -> Vec<u8> {
    let mut t = Trace::new(64, 48);
    for texture in [2, 1] {
        t.ints("glBindTexture", &[gl::TEXTURE_2D, texture]);
        t.ints("glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::NEAREST]);
        t.texture(4, Value::Null);
    }
    t.ints("glBindRenderbuffer", &[gl::RENDERBUFFER, 1]);
    t.ints("glRenderbufferStorage", &[gl::RENDERBUFFER, gl::DEPTH_COMPONENT24, 4, 4]);
    t.ints("glBindFramebuffer", &[gl::FRAMEBUFFER, 1]);
    t.ints("glFramebufferTexture2D", &[gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, 1, 0]);
    t.ints("glFramebufferRenderbuffer", &[gl::FRAMEBUFFER, gl::DEPTH_ATTACHMENT, gl::RENDERBUFFER, 1]);
    t.ints("glViewport", &[0, 0, 4, 4]);
    t.ints("glEnable", &[gl::DEPTH_TEST]);
    t.floats("glClearColor", &[1.0, 0.0, 0.0, 1.0]);
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT]);
    t.floats("glColor3f", &[0.0, 1.0, 0.0]);
    t.rectangle([-1.0, -1.0, 0.0, 1.0], 0.0);
    let mut args: Vec<Value<'_>> = [gl::TEXTURE_2D, 0, 3, 3, 1, 1, gl::RGBA, gl::UNSIGNED_BYTE]
        .iter()
        .map(|n| Value::Int(i64::from(*n)))
        .collect();
    args.push(Value::Blob(&[0, 0, 255, 255]));
    t.call("glTexSubImage2D", args, None);
    t.ints("glBindFramebuffer", &[gl::FRAMEBUFFER, 2]);
    t.ints("glFramebufferTexture2D", &[gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, 2, 0]);
    t.triangles(24);
    t.program(10, &[VERTEX, (gl::GEOMETRY_SHADER, "#version 150\nvoid main() {}"), WHITE]);
    t.ints("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    t.ints("glUseProgram", &[0]);
    t.ints("glBindFramebuffer", &[gl::FRAMEBUFFER, 0]);
    t.ints("glViewport", &[0, 0, 64, 48]);
    let copied: Vec<u8> = (1..=8u8).flat_map(|n| f32::from(n).to_le_bytes()).collect();
    let data = |t: &mut Trace, target: u32, name: u32, content: Value<'_>| {
        t.ints("glBindBuffer", &[target, name]);
        let int = |n: u32| Value::Int(n.into());
        t.call("glBufferData", vec![int(target), int(32), content, int(gl::STATIC_DRAW)], None);
    };
    data(&mut t, gl::ARRAY_BUFFER, 1, Value::Blob(&copied));
    data(&mut t, gl::COPY_WRITE_BUFFER, 2, Value::Null);
    t.ints("glCopyBufferSubData", &[gl::ARRAY_BUFFER, gl::COPY_WRITE_BUFFER, 16, 0, 16]);
    data(&mut t, gl::TRANSFORM_FEEDBACK_BUFFER, 3, Value::Null);
    t.ints("glBindBufferBase", &[gl::TRANSFORM_FEEDBACK_BUFFER, 0, 3]);
    t.ints("glBeginTransformFeedback", &[gl::TRIANGLES]);
    t.ints("glEndTransformFeedback", &[]);
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT]);
    t.swap(1);
    t.finish()
}

/// Three frames of four columns, whose colours are in a buffer texture: red, green, blue and white;
/// then the third one is yellow; then whole numbers, of a buffer of 5 texels, are shades of grey. A
/// black texture is bound in the same unit.
fn texels() -> Vec<u8> {
    let mut t = Trace::new(64, 48);
    t.ints("glClear", &[gl::COLOR_BUFFER_BIT]);
    t.ints("glBindTexture", &[gl::TEXTURE_2D, 9]);
    t.ints("glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::NEAREST]);
    t.texture(1, Value::Blob(&[0, 0, 0, 255]));
    t.triangles(24);
    let int = |n: u32| Value::Int(n.into());
    let data = |t: &mut Trace, name: u32, bytes: &[u8]| {
        t.ints("glBindBuffer", &[gl::TEXTURE_BUFFER, name]);
        let args = vec![int(gl::TEXTURE_BUFFER), int(bytes.len() as u32), Value::Blob(bytes), int(gl::STATIC_DRAW)];
        t.call("glBufferData", args, None);
    };
    let colors = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255; 4]].concat();
    data(&mut t, 5, &colors);
    t.ints("glBindTexture", &[gl::TEXTURE_BUFFER, 6]);
    t.ints("glTexBuffer", &[gl::TEXTURE_BUFFER, gl::RGBA8, 5]);
    let of_colors = "#version 150\nuniform samplerBuffer colors;\nout vec4 color;\n\
        void main() { color = texelFetch(colors, int(gl_FragCoord.x) / (64 / textureSize(colors))); }";
    t.program(10, &[VERTEX, (gl::FRAGMENT_SHADER, of_colors)]);
    t.ints("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    t.swap(1);
    let yellow = Value::Blob(&[255, 255, 0, 255]);
    t.call("glBufferSubData", vec![int(gl::TEXTURE_BUFFER), int(8), int(4), yellow], None);
    t.ints("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    t.swap(1);
    let numbers: Vec<u8> = [50i32, 100, 150, 200, -1].iter().flat_map(|n| n.to_le_bytes()).collect();
    data(&mut t, 7, &numbers);
    t.ints("glBindTexture", &[gl::TEXTURE_BUFFER, 8]);
    t.ints("glTexBuffer", &[gl::TEXTURE_BUFFER, gl::R32I, 7]);
    let of_numbers = "#version 150\nuniform isamplerBuffer numbers;\nout vec4 color;\n\
        int at(isamplerBuffer from, int i) { return texelFetch(from, i).r; }\n\
        void main() { int n = at(numbers, int(gl_FragCoord.x) / 16); int last = at(numbers, textureSize(numbers) - 1); \
        color = vec4(vec3(float(n) / 255.0), float(-last)); }";
    t.program(20, &[VERTEX, (gl::FRAGMENT_SHADER, of_numbers)]);
    t.ints("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
    t.swap(1);
    t.finish()
}
