//! Frames that replay by themselves: which calls they need, by the kinds of things that are easily
//! lost. State at the last draw is the same in the cut as in the whole trace.

use unspool_cut::CutOptions;
use unspool_cut::clean::{Choice, Choices, Cleaner};
use unspool_formats::apitrace;
use unspool_formats::apitrace::encode::Value as Arg;
use unspool_gl::gl;
use unspool_graphics::Reader;
use unspool_graphics::alone::{Alone, BYTES, Kept, Refusal, Window};
use unspool_trace::limits::Limits;

use crate::common::index_of;
use crate::state::{Trace, built, uint};

fn kept(file: &[u8], frame: u64) -> Result<Kept, Refusal> {
    let index = index_of(file);
    let mut reader = Reader::keeping(&index, file.to_vec(), BYTES).unwrap();
    let mut alone = Alone::new(frame, frame);
    reader.pass(0..reader.pieces(), &mut alone).unwrap();
    alone.finish()
}

fn cut(file: &[u8], kept: &Kept) -> Vec<u8> {
    cleaned(file, kept, Cleaner::default())
}

fn cleaned(file: &[u8], kept: &Kept, cleaner: Cleaner) -> Vec<u8> {
    let options = CutOptions {
        from: 0,
        to: kept.end,
        size: Some(file.len() as u64),
        limits: Limits::DEFAULT,
        cleaner,
        only: Some(kept.calls.clone()),
        texts: kept.texts.clone(),
    };
    let mut cut = apitrace::ROW.cut.unwrap()(file, options).unwrap();
    let (mut out, mut used) = (Vec::new(), 0);
    while used < file.len() && !cut.is_done() {
        let (before, step) = (out.len(), cut.push(&file[used..], &mut out).unwrap().used);
        used += step;
        if step == 0 && out.len() == before {
            break;
        }
    }
    cut.end(&file[used..], &mut out).unwrap();
    assert_eq!(cut.records(), kept.calls.count());
    out
}

/// The rows of the state after a call, without the calls that set them.
fn state(file: Vec<u8>, call: u64) -> Vec<(String, String)> {
    let report = built(file, 1000).at(call, false).unwrap().unwrap();
    let rows = report.sections.iter().flat_map(|section| &section.rows);
    rows.map(|row| (row.name.clone(), row.text.clone())).collect()
}

/// A trace whose frames end with a swap.
struct Scene {
    trace: Trace,
    last: u64,
}

impl Scene {
    fn new() -> Self {
        let mut scene = Self { trace: Trace::new(), last: 1 };
        scene.ints("glViewport", &[0, 0, 64, 48]);
        scene
    }

    fn call(&mut self, name: &'static str, args: Vec<Arg<'_>>) -> u64 {
        self.last = self.trace.call(name, args);
        self.last
    }

    fn ints(&mut self, name: &'static str, args: &[u32]) -> u64 {
        self.call(name, args.iter().map(|it| uint(*it)).collect())
    }

    /// A call that writes one name.
    fn name(&mut self, function: &'static str, name: u32) -> u64 {
        self.call(function, vec![uint(1), Arg::Array(vec![uint(name)])])
    }

    fn returning(&mut self, name: &'static str, args: Vec<Arg<'_>>, result: Arg<'_>) -> u64 {
        self.last = self.trace.on(0, name, args, Some(result));
        self.last
    }

    fn upload(&mut self, texture: u32, side: u32) -> u64 {
        self.ints("glBindTexture", &[gl::TEXTURE_2D, texture]);
        let numbers = [gl::TEXTURE_2D, 0, gl::RGBA8, side, side, 0, gl::RGBA, gl::UNSIGNED_BYTE];
        let bytes = vec![texture as u8; 4 * (side * side) as usize];
        let mut args: Vec<Arg<'_>> = numbers.map(uint).into();
        args.push(if side == 0 { Arg::Null } else { Arg::Blob(&bytes) });
        self.last = self.trace.call("glTexImage2D", args);
        self.last
    }

    fn part(&mut self, y: u32) -> u64 {
        let numbers = [gl::TEXTURE_2D, 0, 0, y, 4, 1, gl::RGBA, gl::UNSIGNED_BYTE];
        let mut args: Vec<Arg<'_>> = numbers.map(uint).into();
        args.push(Arg::Blob(&[9; 16]));
        self.last = self.trace.call("glTexSubImage2D", args);
        self.last
    }

    /// A draw with a texture, of the fixed function.
    fn draw(&mut self) -> u64 {
        self.ints("glDrawArrays", &[gl::TRIANGLES, 0, 3])
    }

    fn clear(&mut self) -> u64 {
        self.ints("glClear", &[gl::COLOR_BUFFER_BIT])
    }

    fn swap(&mut self) -> u64 {
        self.call("glXSwapBuffers", vec![Arg::Pointer(1), Arg::Uint(7)])
    }

    /// What is kept of the last frame, whose state is the same there.
    fn end(mut self, frame: u64) -> Kept {
        let draw = self.draw();
        self.swap();
        let file = self.trace.file();
        let kept = kept(&file, frame).unwrap();
        assert!(kept.calls.has(draw));
        let number = (0..draw).filter(|call| kept.calls.has(*call)).count() as u64;
        assert_eq!(state(cut(&file, &kept), number), state(file, draw));
        kept
    }
}

fn assert_kept(kept: &Kept, calls: &[u64]) {
    for call in calls {
        assert!(kept.calls.has(*call), "call {call} is left out of {:?}", kept.calls.runs());
    }
}

fn assert_left_out(kept: &Kept, calls: &[u64]) {
    for call in calls {
        assert!(!kept.calls.has(*call), "call {call} is kept in {:?}", kept.calls.runs());
    }
}

#[test]
fn what_a_display_list_holds_is_kept_with_what_it_binds() {
    let mut scene = Scene::new();
    let generated = scene.returning("glGenLists", vec![uint(2)], uint(1));
    scene.name("glGenTextures", 5);
    let pixels = scene.upload(5, 4);
    scene.ints("glBindTexture", &[gl::TEXTURE_2D, 0]);
    let begun = scene.ints("glNewList", &[1, gl::COMPILE]);
    let inside = scene.ints("glBindTexture", &[gl::TEXTURE_2D, 5]);
    scene.ints("glEnable", &[gl::TEXTURE_2D]);
    let ended = scene.ints("glEndList", &[]);
    scene.ints("glNewList", &[2, gl::COMPILE]);
    let other = scene.ints("glLineWidth", &[3]);
    scene.ints("glEndList", &[]);
    scene.swap();
    scene.clear();
    scene.ints("glCallList", &[1]);
    let kept = scene.end(1);
    assert_kept(&kept, &[generated, pixels, begun, inside, ended]);
    assert_left_out(&kept, &[other]);
}

#[test]
fn a_draw_of_an_earlier_frame_is_kept_if_what_it_drew_is_read() {
    let mut scene = Scene::new();
    scene.ints("glEnable", &[gl::TEXTURE_2D]);
    for (texture, framebuffer) in [(5, 1), (6, 2)] {
        scene.name("glGenTextures", texture);
        scene.upload(texture, 4);
        scene.name("glGenFramebuffers", framebuffer);
        scene.ints("glBindFramebuffer", &[gl::FRAMEBUFFER, framebuffer]);
        let args = [gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, texture, 0];
        scene.ints("glFramebufferTexture2D", &args);
    }
    scene.ints("glBindTexture", &[gl::TEXTURE_2D, 0]);
    let unread = scene.draw();
    scene.ints("glBindFramebuffer", &[gl::FRAMEBUFFER, 1]);
    let before_the_clear = scene.draw();
    let cleared = scene.clear();
    let read = scene.draw();
    scene.ints("glBindFramebuffer", &[gl::FRAMEBUFFER, 0]);
    scene.clear();
    let in_the_window = scene.draw();
    scene.swap();
    scene.swap();
    scene.clear();
    scene.ints("glBindTexture", &[gl::TEXTURE_2D, 5]);
    let kept = scene.end(2);
    assert_kept(&kept, &[cleared, read]);
    assert_left_out(&kept, &[unread, before_the_clear, in_the_window]);
}

/// Buffer 3 is read by the vertices of the last frame.
fn vertices_of(scene: &mut Scene, buffer: u32) {
    scene.ints("glBindBuffer", &[gl::ARRAY_BUFFER, buffer]);
    scene.ints("glVertexAttribPointer", &[0, 4, gl::FLOAT, 0, 16, 0]);
    scene.ints("glEnableVertexAttribArray", &[0]);
}

#[test]
fn feedback_that_is_read_is_kept_from_its_begin_to_its_end() {
    for several in [false, true] {
        let mut scene = Scene::new();
        scene.name("glGenBuffers", 3);
        scene.ints("glBindBuffer", &[gl::ARRAY_BUFFER, 3]);
        let data = vec![uint(gl::ARRAY_BUFFER), uint(64), Arg::Null, uint(gl::STATIC_DRAW)];
        scene.call("glBufferData", data);
        let bound = if several {
            let list = |number| Arg::Array(vec![uint(number)]);
            let target = uint(gl::TRANSFORM_FEEDBACK_BUFFER);
            scene.call("glBindBuffersRange", vec![target, uint(0), uint(1), list(3), list(0), list(64)])
        } else {
            scene.ints("glBindBufferBase", &[gl::TRANSFORM_FEEDBACK_BUFFER, 0, 3])
        };
        let begun = scene.ints("glBeginTransformFeedback", &[gl::POINTS]);
        let drawn = scene.draw();
        let ended = scene.ints("glEndTransformFeedback", &[]);
        scene.swap();
        scene.clear();
        vertices_of(&mut scene, 3);
        let kept = scene.end(1);
        assert_kept(&kept, &[bound, begun, drawn, ended]);
    }
}

#[test]
fn a_result_of_a_query_in_a_buffer_is_kept_with_what_it_counts() {
    for by_name in [false, true] {
        let mut scene = Scene::new();
        scene.name("glGenBuffers", 3);
        scene.ints("glBindBuffer", &[gl::QUERY_BUFFER, 3]);
        scene.call("glBufferData", vec![uint(gl::QUERY_BUFFER), uint(64), Arg::Null, uint(gl::STATIC_DRAW)]);
        scene.name("glGenQueries", 2);
        let begun = scene.ints("glBeginQuery", &[gl::SAMPLES_PASSED, 2]);
        let drawn = scene.draw();
        let ended = scene.ints("glEndQuery", &[gl::SAMPLES_PASSED]);
        let result = if by_name {
            scene.ints("glGetQueryBufferObjectuiv", &[2, 3, gl::QUERY_RESULT, 0])
        } else {
            scene.ints("glGetQueryObjectuiv", &[2, gl::QUERY_RESULT, 0])
        };
        scene.swap();
        scene.clear();
        vertices_of(&mut scene, 3);
        let kept = scene.end(1);
        assert_kept(&kept, &[begun, drawn, ended, result]);
    }
}

#[test]
fn pixels_of_a_texture_by_name_in_a_buffer_are_kept() {
    let mut scene = Scene::new();
    scene.name("glGenTextures", 5);
    let pixels = scene.upload(5, 4);
    scene.name("glGenBuffers", 3);
    let bound = scene.ints("glBindBuffer", &[gl::PIXEL_PACK_BUFFER, 3]);
    scene.call("glBufferData", vec![uint(gl::PIXEL_PACK_BUFFER), uint(64), Arg::Null, uint(gl::STATIC_DRAW)]);
    let read = scene.ints("glGetTextureImage", &[5, 0, gl::RGBA, gl::UNSIGNED_BYTE, 64, 0]);
    scene.ints("glBindBuffer", &[gl::PIXEL_PACK_BUFFER, 0]);
    scene.swap();
    scene.clear();
    vertices_of(&mut scene, 3);
    let kept = scene.end(1);
    assert_kept(&kept, &[pixels, bound, read]);
}

#[test]
fn clears_and_copies_by_name_are_kept_where_what_they_write_is_read() {
    let mut scene = Scene::new();
    scene.ints("glEnable", &[gl::TEXTURE_2D]);
    for (texture, framebuffer) in [(5, 1), (6, 2), (7, 3)] {
        scene.name("glGenTextures", texture);
        scene.upload(texture, 4);
        scene.name("glGenFramebuffers", framebuffer);
        scene.ints("glNamedFramebufferTexture", &[framebuffer, gl::COLOR_ATTACHMENT0, texture, 0]);
    }
    let color = || Arg::Array([0.5; 4].map(Arg::Float).into());
    let clear = |scene: &mut Scene, name| {
        scene.call("glClearNamedFramebufferfv", vec![uint(name), uint(gl::COLOR), uint(0), color()])
    };
    let [cleared, other] = [clear(&mut scene, 1), clear(&mut scene, 3)];
    let size = [0, 0, 4, 4, 0, 0, 4, 4, gl::COLOR_BUFFER_BIT, gl::NEAREST];
    let copied = scene.ints("glBlitNamedFramebuffer", &[&[1, 2][..], &size].concat());
    scene.swap();
    scene.clear();
    scene.ints("glBindTexture", &[gl::TEXTURE_2D, 6]);
    let kept = scene.end(1);
    assert_kept(&kept, &[cleared, copied]);
    assert_left_out(&kept, &[other]);
}

#[test]
fn a_buffer_that_stays_mapped_keeps_what_was_copied_into_it() {
    let mut scene = Scene::new();
    for buffer in [3, 4] {
        scene.name("glGenBuffers", buffer);
        scene.ints("glBindBuffer", &[gl::ARRAY_BUFFER, buffer]);
        let usage = uint(gl::STATIC_DRAW);
        scene.call("glBufferData", vec![uint(gl::ARRAY_BUFFER), uint(64), Arg::Null, usage]);
    }
    let copy = |scene: &mut Scene, address: u64| {
        scene.call("memcpy", vec![Arg::Pointer(address), Arg::Blob(&[1; 16]), uint(16)])
    };
    let args = || vec![uint(gl::ARRAY_BUFFER), uint(0), uint(64), uint(gl::MAP_WRITE_BIT | gl::MAP_PERSISTENT_BIT)];
    let mapped = scene.returning("glMapBufferRange", args(), Arg::Pointer(0x1000));
    let [again, first] = [copy(&mut scene, 0x1010), copy(&mut scene, 0x1000)];
    scene.ints("glBindBuffer", &[gl::ARRAY_BUFFER, 3]);
    let short = scene.returning("glMapBufferRange", args(), Arg::Pointer(0x2000));
    let written = copy(&mut scene, 0x2020);
    let unmapped = scene.returning("glUnmapBuffer", vec![uint(gl::ARRAY_BUFFER)], Arg::Bool(true));
    scene.swap();
    let last = copy(&mut scene, 0x1010);
    for (index, buffer) in [(0, 3), (1, 4)] {
        scene.ints("glBindBuffer", &[gl::ARRAY_BUFFER, buffer]);
        scene.ints("glVertexAttribPointer", &[index, 4, gl::FLOAT, 0, 16, 0]);
        scene.ints("glEnableVertexAttribArray", &[index]);
    }
    scene.swap();
    scene.clear();
    let kept = scene.end(2);
    assert_kept(&kept, &[mapped, first, last, short, written, unmapped]);
    assert_left_out(&kept, &[again]);
}

#[test]
fn what_another_context_of_the_group_uploads_is_kept_on_its_thread() {
    let mut scene = Scene::new();
    scene.name("glGenTextures", 5);
    scene.trace.create(0xc2, 0xc1);
    scene.trace.create(0xc3, 0);
    let current = scene.trace.current(1, 0xc2);
    scene.trace.on(1, "glBindTexture", vec![uint(gl::TEXTURE_2D), uint(5)], None);
    let numbers = [gl::TEXTURE_2D, 0, gl::RGBA8, 1, 1, 0, gl::RGBA, gl::UNSIGNED_BYTE];
    let pixels = |trace: &mut Trace| {
        let mut args: Vec<Arg<'_>> = numbers.map(uint).into();
        args.push(Arg::Blob(&[7; 4]));
        trace.on(1, "glTexImage2D", args, None)
    };
    let shared = pixels(&mut scene.trace);
    // A texture of the same name in another group.
    scene.trace.current(1, 0xc3);
    scene.trace.on(1, "glBindTexture", vec![uint(gl::TEXTURE_2D), uint(5)], None);
    let other = pixels(&mut scene.trace);
    scene.swap();
    scene.clear();
    scene.ints("glEnable", &[gl::TEXTURE_2D]);
    scene.ints("glBindTexture", &[gl::TEXTURE_2D, 5]);
    let kept = scene.end(1);
    assert_kept(&kept, &[current, shared]);
    assert_left_out(&kept, &[other]);
}

/// A program with one shader, linked.
fn program(scene: &mut Scene, name: u32) -> u64 {
    scene.returning("glCreateProgram", vec![], uint(name));
    scene.returning("glCreateShader", vec![uint(gl::VERTEX_SHADER)], uint(name + 1));
    let source = Arg::Array(vec![Arg::Text(b"uniform vec4 a; uniform sampler2D t; void main() { gl_Position = a; }")]);
    scene.call("glShaderSource", vec![uint(name + 1), uint(1), source, Arg::Null]);
    scene.ints("glCompileShader", &[name + 1]);
    scene.ints("glAttachShader", &[name, name + 1]);
    scene.ints("glLinkProgram", &[name])
}

fn location(scene: &mut Scene, program: u32, name: &'static str, location: u32) -> u64 {
    scene.returning("glGetUniformLocation", vec![uint(program), Arg::Text(name.as_bytes())], uint(location))
}

#[test]
fn locations_are_kept_with_the_uniforms_of_the_last_link() {
    let mut scene = Scene::new();
    let linked = program(&mut scene, 8);
    let unused = program(&mut scene, 10);
    let asked = location(&mut scene, 8, "a", 2);
    scene.ints("glUseProgram", &[8]);
    let lost = scene.ints("glUniform1f", &[2, 1]);
    let again = scene.ints("glLinkProgram", &[8]);
    let early = scene.ints("glUniform1f", &[2, 2]);
    let late = scene.ints("glUniform1f", &[2, 3]);
    scene.name("glGenTextures", 5);
    scene.name("glGenTextures", 6);
    scene.ints("glActiveTexture", &[gl::TEXTURE0 + 3]);
    let sampled = scene.upload(5, 4);
    scene.ints("glActiveTexture", &[gl::TEXTURE0 + 4]);
    let unread = scene.upload(6, 4);
    scene.ints("glBindTexture", &[gl::TEXTURE_2D, 0]);
    location(&mut scene, 8, "t", 3);
    scene.ints("glUniform1i", &[3, 3]);
    scene.swap();
    scene.clear();
    let kept = scene.end(1);
    assert_kept(&kept, &[asked, again, late, sampled]);
    assert_left_out(&kept, &[unused, lost, early, unread]);
    // Where uniforms are may have been asked of the first link.
    assert_kept(&kept, &[linked]);
}

#[test]
fn a_name_that_is_used_again_is_another_object() {
    let mut scene = Scene::new();
    scene.ints("glEnable", &[gl::TEXTURE_2D]);
    scene.name("glGenTextures", 5);
    let first = scene.upload(5, 4);
    scene.name("glDeleteTextures", 5);
    let generated = scene.name("glGenTextures", 5);
    let second = scene.upload(5, 4);
    // Names that no call has generated: what was there must be deleted first.
    scene.ints("glActiveTexture", &[gl::TEXTURE0 + 1]);
    scene.ints("glEnable", &[gl::TEXTURE_2D]);
    scene.upload(9, 4);
    let deleted = scene.name("glDeleteTextures", 9);
    let third = scene.upload(9, 4);
    scene.swap();
    scene.clear();
    let kept = scene.end(1);
    assert_kept(&kept, &[generated, second, deleted, third]);
    assert_left_out(&kept, &[first]);
}

#[test]
fn pixels_are_read_as_they_were() {
    let mut scene = Scene::new();
    scene.ints("glEnable", &[gl::TEXTURE_2D]);
    scene.name("glGenTextures", 5);
    let unused = scene.ints("glPixelStorei", &[gl::UNPACK_ALIGNMENT, 2]);
    let stored = scene.ints("glPixelStorei", &[gl::UNPACK_ALIGNMENT, 1]);
    let shape = scene.upload(5, 4);
    let [row, other, same] = [0, 1, 0].map(|y| scene.part(y));
    let later = scene.ints("glPixelStorei", &[gl::UNPACK_ALIGNMENT, 4]);
    scene.swap();
    scene.clear();
    let kept = scene.end(1);
    assert_kept(&kept, &[stored, shape, other, same, later]);
    assert_left_out(&kept, &[unused, row]);
}

#[test]
fn stacks_are_kept_in_pairs_or_not_at_all() {
    let mut scene = Scene::new();
    scene.ints("glMatrixMode", &[gl::MODELVIEW]);
    let identity = scene.ints("glLoadIdentity", &[]);
    let moved = scene.ints("glTranslatef", &[1, 0, 0]);
    let pushed = scene.ints("glPushMatrix", &[]);
    let inside = scene.ints("glScalef", &[2, 2, 2]);
    let drawn = scene.draw();
    let popped = scene.ints("glPopMatrix", &[]);
    scene.ints("glPushMatrix", &[]);
    scene.draw();
    scene.ints("glPopMatrix", &[]);
    let wide = scene.ints("glLineWidth", &[2]);
    scene.ints("glPushAttrib", &[gl::ALL_ATTRIB_BITS]);
    scene.ints("glLineWidth", &[3]);
    let restored = scene.ints("glPopAttrib", &[]);
    scene.swap();
    scene.clear();
    let kept = scene.end(1);
    assert_kept(&kept, &[identity, moved, wide, restored]);
    assert_left_out(&kept, &[pushed, inside, drawn, popped]);
}

#[test]
fn a_stack_is_as_deep_where_the_frame_begins() {
    let mut scene = Scene::new();
    scene.ints("glMatrixMode", &[gl::MODELVIEW]);
    let moved = scene.ints("glTranslatef", &[1, 0, 0]);
    let outer = scene.ints("glPushMatrix", &[]);
    let loaded = scene.ints("glLoadIdentity", &[]);
    let unused = [scene.ints("glPushMatrix", &[]), scene.ints("glScalef", &[2, 2, 2]), scene.ints("glPopMatrix", &[])];
    // A light is where the matrix of then puts it.
    let lit = [scene.ints("glPushMatrix", &[]), scene.ints("glTranslatef", &[0, 1, 0])];
    let light = scene.ints("glLighti", &[gl::LIGHT0, gl::POSITION, 1]);
    let popped = scene.ints("glPopMatrix", &[]);
    scene.swap();
    scene.clear();
    scene.draw();
    scene.ints("glPopMatrix", &[]);
    let kept = scene.end(1);
    assert_kept(&kept, &[moved, outer, loaded, lit[0], lit[1], light, popped]);
    assert_left_out(&kept, &unused);
}

#[test]
fn earlier_frames_are_left_out_where_depth_is_cleared_and_kept_where_it_is_read() {
    let mut scene = Scene::new();
    scene.ints("glEnable", &[gl::DEPTH_TEST]);
    let mut frames = Vec::new();
    for _ in 0..3 {
        let cleared = scene.ints("glClear", &[gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT]);
        frames.push([cleared, scene.draw()]);
        scene.swap();
    }
    // The last frame clears the colour only.
    scene.clear();
    let kept = scene.end(3);
    assert_kept(&kept, &frames[2]);
    assert_left_out(&kept, &[frames[0], frames[1]].concat());

    let mut scene = Scene::new();
    scene.ints("glEnable", &[gl::DEPTH_TEST]);
    let first = [scene.clear(), scene.draw()];
    scene.ints("glDepthMask", &[0]);
    scene.swap();
    // Where depth is not written, it is not cleared either.
    scene.ints("glClear", &[gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT]);
    let unwritten = scene.draw();
    scene.swap();
    scene.clear();
    let kept = scene.end(2);
    assert_kept(&kept, &first);
    assert_left_out(&kept, &[unwritten]);
}

#[test]
fn a_texture_without_a_name_is_kept_unless_another_one_is_bound() {
    for is_read in [true, false] {
        let mut scene = Scene::new();
        scene.ints("glEnable", &[gl::TEXTURE_2D]);
        let unnamed = scene.upload(0, 4);
        scene.name("glGenTextures", 5);
        scene.upload(5, 4);
        scene.swap();
        scene.clear();
        if is_read {
            scene.ints("glBindTexture", &[gl::TEXTURE_2D, 0]);
        }
        let kept = scene.end(1);
        assert_eq!(kept.calls.has(unnamed), is_read);
    }
}

#[test]
fn contexts_that_are_made_current_again_do_not_add_up() {
    let mut scene = Scene::new();
    scene.trace.create(0xc2, 0);
    let mut current = Vec::new();
    for _ in 0..8 {
        current.push(scene.trace.current(0, 0xc2));
        current.push(scene.trace.current(0, 0xc1));
        scene.clear();
        scene.draw();
        scene.swap();
    }
    scene.clear();
    let kept = scene.end(8);
    // The first time, a context meets its window.
    assert_left_out(&kept, &current[2..14]);
}

#[test]
fn levels_that_are_generated_again_are_not_kept() {
    let mut scene = Scene::new();
    scene.ints("glEnable", &[gl::TEXTURE_2D]);
    scene.name("glGenTextures", 5);
    let shape = scene.upload(5, 4);
    scene.name("glGenFramebuffers", 1);
    let mut frames = Vec::new();
    for _ in 0..3 {
        scene.ints("glBindFramebuffer", &[gl::FRAMEBUFFER, 1]);
        scene.ints("glFramebufferTexture2D", &[gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, 5, 0]);
        scene.ints("glBindTexture", &[gl::TEXTURE_2D, 0]);
        let drawn = [scene.clear(), scene.draw()];
        scene.ints("glBindFramebuffer", &[gl::FRAMEBUFFER, 0]);
        scene.ints("glBindTexture", &[gl::TEXTURE_2D, 5]);
        frames.push([drawn[0], drawn[1], scene.ints("glGenerateMipmap", &[gl::TEXTURE_2D])]);
        scene.swap();
    }
    scene.clear();
    let kept = scene.end(3);
    assert_kept(&kept, &[shape]);
    assert_kept(&kept, &frames[2]);
    assert_left_out(&kept, &frames[1]);
    assert_left_out(&kept, &frames[0][1..]);
}

#[test]
fn texts_that_a_replay_needs_stay() {
    let mut scene = Scene::new();
    program(&mut scene, 8);
    let used = scene.last - 3;
    scene.ints("glUseProgram", &[8]);
    let asked = location(&mut scene, 8, "a", 2);
    scene.ints("glUniform1f", &[2, 1]);
    scene.swap();
    scene.clear();
    // Of the frame, but not used.
    program(&mut scene, 10);
    let unused = scene.last - 3;
    let unasked = location(&mut scene, 10, "secret_uniform", 2);
    let label = Arg::Text(b"secret label");
    let marked = scene.call("glStringMarkerGREMEDY", vec![uint(12), label]);
    scene.draw();
    scene.swap();
    let file = scene.trace.file();
    let kept = kept(&file, 1).unwrap();
    assert_kept(&kept, &[used, asked, unused, unasked, marked]);
    assert_eq!(
        [used, asked, unused, unasked, marked].map(|call| kept.texts.has(call)),
        [true, true, false, false, false]
    );
    let texts = Choices { texts: Choice::Omit, ..Choices::default() };
    let cut = cleaned(&file, &kept, Cleaner::new(texts, [0; 16]));
    let has = |text: &str| cut.windows(text.len()).any(|bytes| bytes == text.as_bytes());
    assert!(has("uniform vec4 a;") && !has("secret"));
}

#[test]
fn what_a_window_held_is_kept_if_that_costs_little() {
    let mut scene = Scene::new();
    let few = scene.draw();
    scene.swap();
    let kept = scene.end(1);
    assert_eq!(kept.window, Window::Kept);
    assert_kept(&kept, &[few]);
    let mut scene = Scene::new();
    let mut all = Vec::new();
    for _ in 0..40 {
        all.push(scene.draw());
        scene.swap();
    }
    let kept = scene.end(40);
    assert_eq!(kept.window, Window::LeftOut);
    assert_eq!(kept.draws_before, [0, 40]);
    assert_left_out(&kept, &all);
}

#[test]
fn frames_that_fade_what_was_there_are_refused_unless_they_clear_it() {
    for clears in [false, true] {
        let mut scene = Scene::new();
        scene.ints("glEnable", &[gl::BLEND]);
        scene.call("glColor4f", [0.0, 0.0, 0.0, 0.2].map(Arg::Float).into());
        scene.clear();
        for _ in 0..40 {
            scene.draw();
            scene.swap();
        }
        if clears {
            scene.clear();
        }
        let drawn = scene.draw();
        scene.swap();
        let kept = kept(&scene.trace.file(), 40);
        assert_eq!(kept.err(), (!clears).then_some(Refusal::Fades(drawn as u32)));
    }
}

/// Pushes attributes, changes one, and takes it back.
#[test]
fn a_frame_fades_as_the_attributes_that_are_taken_back_say() {
    for (mask, function, restored) in [
        (gl::ENABLE_BIT, "glDisable", true),
        (gl::COLOR_BUFFER_BIT, "glDisable", true),
        (gl::LIST_BIT, "glDisable", false),
        (gl::CURRENT_BIT, "glColor4f", true),
        (gl::ENABLE_BIT, "glColor4f", false),
    ] {
        let mut scene = Scene::new();
        let colour = |alpha: f32| [1.0, 1.0, 1.0, alpha].map(Arg::Float).to_vec();
        scene.ints("glEnable", &[gl::BLEND]);
        scene.call("glColor4f", colour(0.5));
        // As many draws are left out if the window need not be what it was.
        for _ in 0..40 {
            scene.draw();
            scene.swap();
        }
        scene.ints("glPushAttrib", &[mask]);
        if function == "glDisable" {
            scene.ints(function, &[gl::BLEND]);
        } else {
            scene.call(function, colour(1.0));
        }
        scene.ints("glPopAttrib", &[]);
        let drawn = scene.draw();
        scene.swap();
        let kept = kept(&scene.trace.file(), 40);
        assert_eq!(kept.err(), restored.then_some(Refusal::Fades(drawn as u32)), "{function}, mask {mask:#x}");
    }
}

#[test]
fn a_buffer_of_an_array_that_no_draw_uses_is_not_kept() {
    let mut scene = Scene::new();
    scene.call("glCreateBuffers", vec![uint(2), Arg::Array(vec![uint(3), uint(4)])]);
    let data = |scene: &mut Scene, name: u32| {
        scene.call("glNamedBufferData", vec![uint(name), uint(64), Arg::Blob(&[1; 64]), uint(gl::STATIC_DRAW)])
    };
    let [drawn, unused] = [data(&mut scene, 3), data(&mut scene, 4)];
    scene.call("glCreateVertexArrays", vec![uint(2), Arg::Array(vec![uint(1), uint(2)])]);
    let [bound, other] =
        [[1, 0, 3, 0, 16], [2, 0, 4, 0, 16]].map(|args| scene.ints("glVertexArrayVertexBuffer", &args));
    for array in [1, 2] {
        scene.ints("glVertexArrayAttribFormat", &[array, 0, 4, gl::FLOAT, 0, 0]);
        scene.ints("glEnableVertexArrayAttrib", &[array, 0]);
    }
    scene.ints("glBindVertexArray", &[1]);
    scene.swap();
    scene.clear();
    let kept = scene.end(1);
    assert_kept(&kept, &[drawn, bound]);
    assert_left_out(&kept, &[unused, other]);
}

#[test]
fn what_has_begun_where_the_frames_begin_is_kept_and_what_has_ended_is_not() {
    let mut scene = Scene::new();
    let message = || vec![uint(gl::DEBUG_SOURCE_APPLICATION), uint(1), uint(4), Arg::Text(b"pass")];
    let open = scene.call("glPushDebugGroup", message());
    let closed = [scene.call("glPushDebugGroup", message()), scene.ints("glPopDebugGroup", &[])];
    for query in [1, 2] {
        scene.name("glGenQueries", query);
    }
    let counted = scene.ints("glBeginQuery", &[gl::SAMPLES_PASSED, 1]);
    scene.draw();
    let ended = scene.ints("glEndQuery", &[gl::SAMPLES_PASSED]);
    let begun = scene.ints("glBeginQuery", &[gl::SAMPLES_PASSED, 2]);
    scene.swap();
    scene.clear();
    scene.ints("glEndQuery", &[gl::SAMPLES_PASSED]);
    scene.ints("glPopDebugGroup", &[]);
    let kept = scene.end(1);
    assert_kept(&kept, &[open, begun]);
    assert_left_out(&kept, &[closed[0], closed[1], counted, ended]);
}

#[test]
fn a_condition_is_kept_to_its_end() {
    let mut scene = Scene::new();
    scene.ints("glEnable", &[gl::TEXTURE_2D]);
    scene.name("glGenTextures", 5);
    scene.upload(5, 4);
    scene.name("glGenFramebuffers", 1);
    scene.ints("glBindFramebuffer", &[gl::FRAMEBUFFER, 1]);
    scene.ints("glFramebufferTexture2D", &[gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, 5, 0]);
    scene.name("glGenQueries", 1);
    let counted =
        [scene.ints("glBeginQuery", &[gl::SAMPLES_PASSED, 1]), scene.ints("glEndQuery", &[gl::SAMPLES_PASSED])];
    let begun = scene.ints("glBeginConditionalRender", &[1, gl::QUERY_WAIT]);
    let drawn = scene.draw();
    let ended = scene.ints("glEndConditionalRender", &[]);
    scene.ints("glBindFramebuffer", &[gl::FRAMEBUFFER, 0]);
    scene.swap();
    scene.clear();
    let kept = scene.end(1);
    assert_kept(&kept, &[counted[0], counted[1], begun, drawn, ended]);
}

#[test]
fn materials_are_those_that_followed_the_colour() {
    let mut scene = Scene::new();
    let colour = |scene: &mut Scene, red: f32| scene.call("glColor3f", [red, 0.0, 0.0].map(Arg::Float).into());
    let followed = scene.ints("glEnable", &[gl::COLOR_MATERIAL]);
    let lost = colour(&mut scene, 0.5);
    let taken = colour(&mut scene, 1.0);
    scene.ints("glDisable", &[gl::COLOR_MATERIAL]);
    let unread = colour(&mut scene, 0.25);
    let current = colour(&mut scene, 0.75);
    scene.swap();
    scene.clear();
    let kept = scene.end(1);
    assert_kept(&kept, &[followed, taken, current]);
    assert_left_out(&kept, &[lost, unread]);
}

#[test]
fn what_the_machine_has_no_value_of_is_kept_once() {
    let mut scene = Scene::new();
    // GL_DEPTH_BOUNDS_TEST_EXT.
    let [before, on] = ["glDisable", "glEnable"].map(|name| scene.ints(name, &[0x8890]));
    let [early, clamped] = [0, 1].map(|on| scene.ints("glClampColor", &[gl::CLAMP_READ_COLOR, on]));
    let unknown = scene.ints("glBindTexture", &[0x9999, 0]);
    scene.swap();
    scene.clear();
    let kept = scene.end(1);
    assert_kept(&kept, &[on, clamped, unknown]);
    assert_left_out(&kept, &[before, early]);
}

#[test]
fn the_first_vertex_of_a_list_takes_the_colour_before_it() {
    let mut scene = Scene::new();
    let colour = |scene: &mut Scene, red: f32| scene.call("glColor3f", [red, 0.0, 0.0].map(Arg::Float).into());
    scene.ints("glNewList", &[1, gl::COMPILE]);
    scene.ints("glBegin", &[gl::POINTS]);
    scene.ints("glVertex2i", &[0, 0]);
    let inside = colour(&mut scene, 0.5);
    scene.ints("glVertex2i", &[1, 0]);
    scene.ints("glEnd", &[]);
    scene.ints("glEndList", &[]);
    let [lost, first] = [0.25, 1.0].map(|red| colour(&mut scene, red));
    scene.swap();
    scene.clear();
    scene.ints("glCallList", &[1]);
    let kept = scene.end(1);
    assert_kept(&kept, &[inside, first]);
    assert_left_out(&kept, &[lost]);
}

#[test]
fn an_array_of_uniforms_stays_where_a_shorter_one_is_set() {
    for (count, is_kept) in [(2, true), (4, false)] {
        let mut scene = Scene::new();
        program(&mut scene, 8);
        location(&mut scene, 8, "a", 2);
        scene.ints("glUseProgram", &[8]);
        let numbers =
            |count: u32| vec![uint(2), uint(count), Arg::Array((0..count).map(|_| Arg::Float(1.0)).collect())];
        let long = scene.call("glUniform1fv", numbers(4));
        let last = scene.call("glUniform1fv", numbers(count));
        scene.swap();
        scene.clear();
        let kept = scene.end(1);
        assert_kept(&kept, &[last]);
        assert_eq!(kept.calls.has(long), is_kept, "{count}");
    }
}

#[test]
fn an_array_of_uniforms_takes_no_more_than_its_elements() {
    let mut scene = Scene::new();
    program(&mut scene, 8);
    location(&mut scene, 8, "a", 0);
    location(&mut scene, 8, "b", 3);
    scene.ints("glUseProgram", &[8]);
    let beyond = scene.ints("glUniform1f", &[3, 1]);
    let within = scene.ints("glUniform1f", &[1, 1]);
    let numbers = vec![uint(0), uint(3), Arg::Array((0..3).map(|_| Arg::Float(1.0)).collect())];
    let array = scene.call("glUniform1fv", numbers);
    scene.swap();
    scene.clear();
    let kept = scene.end(1);
    assert_kept(&kept, &[beyond, array]);
    assert_left_out(&kept, &[within]);
}

#[test]
fn stencil_functions_of_both_faces_are_kept() {
    let mut scene = Scene::new();
    let lost = scene.ints("glStencilFuncSeparate", &[gl::FRONT, gl::EQUAL, 1, 0xff]);
    let both = scene.ints("glStencilFuncSeparateATI", &[gl::LESS, gl::GREATER, 1, 0xff]);
    scene.swap();
    scene.clear();
    let kept = scene.end(1);
    assert_kept(&kept, &[both]);
    assert_left_out(&kept, &[lost]);
}

#[test]
fn what_a_pop_takes_back_is_kept_from_before_the_push() {
    let mut scene = Scene::new();
    let lost = scene.ints("glPixelZoom", &[3, 3]);
    let zoomed = scene.ints("glPixelZoom", &[1, 2]);
    let wide = scene.ints("glLineWidth", &[2]);
    let pushed = scene.ints("glPushAttrib", &[gl::PIXEL_MODE_BIT | gl::LINE_BIT]);
    let inside = scene.ints("glPixelZoom", &[2, 1]);
    let same = scene.ints("glLineWidth", &[2]);
    let popped = scene.ints("glPopAttrib", &[]);
    scene.swap();
    scene.clear();
    let kept = scene.end(1);
    assert_kept(&kept, &[zoomed, wide, pushed, popped]);
    assert_left_out(&kept, &[lost, inside, same]);
}

#[test]
fn a_pop_takes_back_parameters_of_textures_and_not_what_they_hold() {
    let mut scene = Scene::new();
    scene.ints("glEnable", &[gl::TEXTURE_2D]);
    scene.name("glGenTextures", 5);
    scene.upload(5, 4);
    let linear = scene.ints("glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::LINEAR]);
    let pushed = scene.ints("glPushAttrib", &[gl::TEXTURE_BIT]);
    scene.ints("glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::NEAREST]);
    let popped = scene.ints("glPopAttrib", &[]);
    let again = scene.ints("glPushAttrib", &[gl::TEXTURE_BIT]);
    let part = scene.part(1);
    let last = scene.ints("glPopAttrib", &[]);
    scene.swap();
    scene.clear();
    let kept = scene.end(1);
    assert_kept(&kept, &[linear, pushed, popped, part]);
    assert_left_out(&kept, &[again, last]);
}

#[test]
fn what_cannot_be_right_is_refused() {
    let mut scene = Scene::new();
    scene.swap();
    let file = scene.trace.file();
    let refusal = kept(&file, 3).unwrap_err();
    assert_eq!(refusal, Refusal::NoFrame(3, 1));
    assert_eq!(refusal.to_string(), "refused: there is no frame 3: the last one is 0");
    assert!(kept(&file, 0).is_ok());
    let mut scene = Scene::new();
    scene.call("IDXGISwapChain::Present", vec![Arg::Pointer(1), uint(0), uint(0)]);
    let refusal = kept(&scene.trace.file(), 0).unwrap_err();
    assert!(matches!(refusal, Refusal::Direct3d(_)), "{refusal:?}");
}
