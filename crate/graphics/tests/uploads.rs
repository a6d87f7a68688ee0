//! Textures hold what was uploaded: traces with every kind of pixels, read back.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test that panics has done its work")]

use crate::common::{Calls, corpus, indexed, surveyed};
use unspool_formats::apitrace::encode::Value as Arg;
use unspool_gl::gl;
use unspool_graphics::Reader;
use unspool_graphics::resources::{BufferAt, Contents, GpuWrites, Kind, Resources, TextureAt};

impl Calls {
    /// Texture 1 is generated and bound.
    fn texture(target: u32) -> Self {
        let mut calls = Self::new();
        calls
            .with("glGenTextures", vec![Arg::Int(1), Arg::Array(vec![Arg::Int(1)])])
            .call("glBindTexture", &[target, 1]);
        calls
    }

    /// Level `level` of texture 1 after a call.
    fn read(&self, level: u32, call: u64) -> TextureAt {
        let (index, file) = indexed(self.file());
        let survey = surveyed(&index, &file);
        let found = survey.resources();
        let texture = found.find(Kind::Texture, 1, u64::MAX).unwrap();
        let mut reader = Reader::keeping(&index, file, u64::MAX).unwrap();
        Contents::new(found, &mut reader).texture(texture, level, call).unwrap()
    }

    /// A buffer after a call.
    fn buffer(&self, name: u32, call: u64) -> BufferAt {
        let (index, file) = indexed(self.file());
        let survey = surveyed(&index, &file);
        let found = survey.resources();
        let buffer = found.find(Kind::Buffer, name, u64::MAX).unwrap();
        let mut reader = Reader::keeping(&index, file, u64::MAX).unwrap();
        Contents::new(found, &mut reader).buffer_at(buffer, call).unwrap()
    }

    /// Buffers 1 and up of these bytes each.
    fn buffers(bytes: &[&[u8]]) -> Self {
        let mut calls = Self::new();
        let names: Vec<u32> = (1..).take(bytes.len()).collect();
        let list = names.iter().map(|name| Arg::Int((*name).into())).collect();
        calls.with("glCreateBuffers", vec![Arg::Int(bytes.len() as i64), Arg::Array(list)]);
        for (name, bytes) in names.iter().zip(bytes) {
            let size = Arg::Int(bytes.len() as i64);
            calls.with("glNamedBufferData", vec![Arg::Int((*name).into()), size, Arg::Blob(bytes), Arg::Int(0)]);
        }
        calls
    }

    /// A call of the graphics processor that writes a buffer.
    fn read_pixels_to(&mut self, buffer: u32) -> &mut Self {
        self.call("glBindBuffer", &[gl::PIXEL_PACK_BUFFER, buffer]);
        self.call("glReadPixels", &[0, 0, 1, 1, gl::RGBA, gl::UNSIGNED_BYTE, 0])
    }
}

/// The bytes of a buffer, `None` for those that are not known.
fn shown(held: &BufferAt) -> Vec<Option<u8>> {
    let known = |at: usize| held.known.has(at, at + 1);
    held.bytes.iter().enumerate().map(|(at, byte)| known(at).then_some(*byte)).collect()
}

#[test]
fn what_resources_hold_is_told_apart_by_the_bytes_of_their_uploads() {
    let held = |first: &[u8; 4], second: &[u8; 4]| {
        let mut calls = Calls::texture(gl::TEXTURE_2D);
        for pixels in [first, second] {
            let numbers = [gl::TEXTURE_2D, 0, gl::RGBA8, 1, 1, 0, gl::RGBA, gl::UNSIGNED_BYTE];
            calls.bytes("glTexImage2D", &numbers, pixels);
        }
        calls.with("glGenBuffers", vec![Arg::Int(1), Arg::Array(vec![Arg::Int(1)])]);
        let (index, file) = indexed(calls.file());
        let survey = surveyed(&index, &file);
        let mut reader = Reader::keeping(&index, file, u64::MAX).unwrap();
        Contents::new(survey.resources(), &mut reader).held().unwrap()
    };
    let (one, other) = (held(&[1, 2, 3, 4], &[5, 6, 7, 8]), held(&[1, 2, 3, 4], &[5, 6, 7, 9]));
    assert_eq!(one, held(&[1, 2, 3, 4], &[5, 6, 7, 8]));
    assert_eq!((one.len(), one[0].uploaded, one[1].uploaded), (2, Some(3), None));
    assert_eq!(one[1].key, "");
    // The first of both uploads is the same.
    let firsts = [&one, &other].map(|held| held[0].key.split(',').next().map(String::from));
    assert!(firsts[0] == firsts[1] && one[0].key != other[0].key, "{one:?} {other:?}");
}

#[test]
fn what_resources_hold_is_told_apart_by_bytes_that_the_reader_does_not_keep() {
    let held = |last: u8| {
        let mut calls = Calls::texture(gl::TEXTURE_2D);
        calls.bytes(
            "glTexImage2D",
            &[gl::TEXTURE_2D, 0, gl::RGBA8, 2, 1, 0, gl::RGBA, gl::UNSIGNED_BYTE],
            &[1, 2, 3, 4, 5, 6, 7, last],
        );
        let (index, file) = indexed(calls.file());
        let survey = surveyed(&index, &file);
        let mut reader = Reader::keeping(&index, file, 4).unwrap();
        Contents::new(survey.resources(), &mut reader).held().unwrap()
    };
    assert_eq!(held(8), held(8));
    assert_ne!(held(8), held(9));
}

/// An internal format, a format and a type, the bytes of two pixels, and the numbers that a shader
/// gets.
type Case = (u32, u32, u32, Vec<u8>, [[f64; 4]; 2]);

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[test]
fn every_kind_of_pixels_is_read() {
    let [z, h, f] = [0.0, 51.0 / 255.0, 1.0];
    let cases: Vec<Case> = vec![
        (gl::RGBA8, gl::RGBA, gl::UNSIGNED_BYTE, vec![255, 51, 0, 51, 0, 0, 255, 255], [[f, h, z, h], [z, z, f, f]]),
        (gl::RGB8, gl::RGB, gl::UNSIGNED_BYTE, vec![255, 51, 0, 0, 0, 255], [[f, h, z, f], [z, z, f, f]]),
        (gl::RGBA8, gl::BGRA, gl::UNSIGNED_BYTE, vec![0, 51, 255, 51, 255, 0, 0, 255], [[f, h, z, h], [z, z, f, f]]),
        (
            gl::RGBA8,
            gl::BGRA,
            gl::UNSIGNED_INT_8_8_8_8_REV,
            vec![0, 51, 255, 51, 255, 0, 0, 255],
            [[f, h, z, h], [z, z, f, f]],
        ),
        (gl::R8, gl::RED, gl::UNSIGNED_BYTE, vec![255, 51], [[f, z, z, f], [h, z, z, f]]),
        (gl::RG8, gl::RG, gl::UNSIGNED_BYTE, vec![255, 51, 51, 255], [[f, h, z, f], [h, f, z, f]]),
        (gl::LUMINANCE, gl::LUMINANCE, gl::UNSIGNED_BYTE, vec![255, 51], [[f, f, f, f], [h, h, h, f]]),
        (
            gl::LUMINANCE_ALPHA,
            gl::LUMINANCE_ALPHA,
            gl::UNSIGNED_BYTE,
            vec![51, 255, 255, 51],
            [[h, h, h, f], [f, f, f, h]],
        ),
        (gl::ALPHA, gl::ALPHA, gl::UNSIGNED_BYTE, vec![255, 51], [[z, z, z, f], [z, z, z, h]]),
        (gl::INTENSITY8, gl::LUMINANCE, gl::UNSIGNED_BYTE, vec![255, 51], [[f, f, f, f], [h, h, h, h]]),
        (
            gl::SRGB8_ALPHA8,
            gl::RGBA,
            gl::UNSIGNED_BYTE,
            vec![255, 51, 0, 51, 0, 0, 255, 255],
            [[f, h, z, h], [z, z, f, f]],
        ),
        (
            gl::RGBA32F,
            gl::RGBA,
            gl::FLOAT,
            floats(&[1.5, -2.0, 0.0, 1.0, 0.25, 0.5, 8.0, 0.0]),
            [[1.5, -2.0, z, f], [0.25, 0.5, 8.0, z]],
        ),
        (
            gl::RGBA16F,
            gl::RGBA,
            gl::HALF_FLOAT,
            vec![0, 0x3c, 0, 0xc0, 0, 0, 0, 0x3c, 0, 0x38, 0, 0, 0, 0, 0, 0],
            [[f, -2.0, z, f], [0.5, z, z, z]],
        ),
        (gl::R32F, gl::RED, gl::FLOAT, floats(&[3.25, -1.0]), [[3.25, z, z, f], [-1.0, z, z, f]]),
        (
            gl::R32UI,
            gl::RED_INTEGER,
            gl::UNSIGNED_INT,
            vec![255, 255, 255, 255, 7, 0, 0, 0],
            [[4_294_967_295.0, z, z, f], [7.0, z, z, f]],
        ),
        (gl::R8I, gl::RED_INTEGER, gl::BYTE, vec![128, 5], [[-128.0, z, z, f], [5.0, z, z, f]]),
        (gl::RGBA8_SNORM, gl::RGBA, gl::BYTE, vec![127, 129, 0, 127, 128, 0, 0, 0], [[f, -f, z, f], [-f, z, z, z]]),
        (gl::RGB565, gl::RGB, gl::UNSIGNED_SHORT_5_6_5, vec![0, 0xf8, 0xe0, 0x07], [[f, z, z, f], [z, f, z, f]]),
        (gl::RGB5_A1, gl::RGBA, gl::UNSIGNED_SHORT_5_5_5_1, vec![1, 0xf8, 0x3e, 0], [[f, z, z, f], [z, z, f, z]]),
        (gl::RGBA4, gl::RGBA, gl::UNSIGNED_SHORT_4_4_4_4, vec![0x0f, 0xf0, 0xf3, 0x00], [[f, z, z, f], [z, z, f, h]]),
        (
            gl::RGB10_A2,
            gl::RGBA,
            gl::UNSIGNED_INT_2_10_10_10_REV,
            vec![0xff, 3, 0, 0xc0, 0, 0xfc, 0x0f, 0],
            [[f, z, z, f], [z, f, z, z]],
        ),
        (
            gl::DEPTH_COMPONENT24,
            gl::DEPTH_COMPONENT,
            gl::UNSIGNED_INT,
            vec![255, 255, 255, 255, 0, 0, 0, 0],
            [[f, z, z, f], [z, z, z, f]],
        ),
        (
            gl::DEPTH24_STENCIL8,
            gl::DEPTH_STENCIL,
            gl::UNSIGNED_INT_24_8,
            vec![7, 255, 255, 255, 200, 0, 0, 0],
            [[f, 7.0, z, f], [z, 200.0, z, f]],
        ),
        (
            gl::R11F_G11F_B10F,
            gl::RGB,
            gl::UNSIGNED_INT_10F_11F_11F_REV,
            vec![0xc0, 3, 0, 0, 0, 0, 0, 0],
            [[f, z, z, f], [z, z, z, f]],
        ),
    ];
    for (internal, format, of, bytes, expected) in cases {
        let mut calls = Calls::texture(gl::TEXTURE_2D);
        calls.call("glPixelStorei", &[gl::UNPACK_ALIGNMENT, 1]);
        calls.bytes("glTexImage2D", &[gl::TEXTURE_2D, 0, internal, 2, 1, 0, format, of], &bytes);
        let held = calls.read(0, u64::MAX);
        assert_eq!(held.wrong, None, "{internal:#x}");
        let image = held.image.unwrap();
        let texels = [image.texel(0, 0, 0).unwrap(), image.texel(1, 0, 0).unwrap()];
        // Words have 32 bits.
        let narrow = |texels: [[f64; 4]; 2]| texels.map(|texel| texel.map(|number| number as f32));
        assert_eq!(narrow(texels), narrow(expected), "{internal:#x} {format:#x} {of:#x}");
        assert!(image.is_known(0));
    }
}

#[test]
fn parts_levels_faces_and_buffers_are_followed() {
    // A part, out of a larger image in memory.
    let mut calls = Calls::texture(gl::TEXTURE_2D);
    calls.call("glTexStorage2D", &[gl::TEXTURE_2D, 3, gl::R8, 4, 4]);
    calls.call("glPixelStorei", &[gl::UNPACK_ALIGNMENT, 1]).call("glPixelStorei", &[gl::UNPACK_ROW_LENGTH, 5]);
    calls.call("glPixelStorei", &[gl::UNPACK_SKIP_PIXELS, 3]);
    calls.bytes(
        "glTexSubImage2D",
        &[gl::TEXTURE_2D, 0, 1, 2, 2, 2, gl::RED, gl::UNSIGNED_BYTE],
        &[0, 0, 0, 10, 20, 0, 0, 0, 30, 40],
    );
    calls.call("glPixelStorei", &[gl::UNPACK_ROW_LENGTH, 0]).call("glPixelStorei", &[gl::UNPACK_SKIP_PIXELS, 0]);
    calls.bytes("glTexSubImage2D", &[gl::TEXTURE_2D, 2, 0, 0, 1, 1, gl::RED, gl::UNSIGNED_BYTE], &[99]);
    let image = calls.read(0, u64::MAX).image.unwrap();
    let red = |x, y| (image.texel(x, y, 0).unwrap()[0] * 255.0).round();
    assert_eq!([red(1, 2), red(2, 2), red(1, 3), red(2, 3), red(0, 0)], [10.0, 20.0, 30.0, 40.0, 0.0]);
    assert_eq!((image.known[1], image.known[2], image.is_known(0)), (false, true, false));
    let small = calls.read(2, u64::MAX).image.unwrap();
    assert_eq!((small.width, small.texel(0, 0, 0).unwrap()[0] * 255.0), (1, 99.0));
    // Before the upload there is nothing.
    assert!(!calls.read(0, 3).image.unwrap().known.contains(&true));
    // Faces of a cube.
    let mut calls = Calls::texture(gl::TEXTURE_CUBE_MAP);
    for face in 0..6 {
        calls.bytes(
            "glTexImage2D",
            &[gl::TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, gl::R8, 1, 1, 0, gl::RED, gl::UNSIGNED_BYTE],
            &[face as u8 * 40],
        );
    }
    let cube = calls.read(0, u64::MAX).image.unwrap();
    let faces: Vec<f64> = (0..6).map(|z| cube.texel(0, 0, z).unwrap()[0] * 255.0).collect();
    assert_eq!((cube.depth, faces), (6, vec![0.0, 40.0, 80.0, 120.0, 160.0, 200.0]));
    // Pixels out of a buffer that was written while it was mapped.
    let mut calls = Calls::texture(gl::TEXTURE_2D);
    calls
        .with("glGenBuffers", vec![Arg::Int(1), Arg::Array(vec![Arg::Int(7)])])
        .call("glBindBuffer", &[gl::PIXEL_UNPACK_BUFFER, 7]);
    calls.with(
        "glBufferData",
        vec![Arg::Int(gl::PIXEL_UNPACK_BUFFER.into()), Arg::Int(8), Arg::Null, Arg::Int(gl::STATIC_DRAW.into())],
    );
    calls.call("glMapBufferRange", &[gl::PIXEL_UNPACK_BUFFER, 4, 4, 2]);
    calls.with("memcpy", vec![Arg::Pointer(0x1001), Arg::Blob(&[55, 66]), Arg::Uint(2)]);
    calls.call("glPixelStorei", &[gl::UNPACK_ALIGNMENT, 1]);
    calls.call("glTexImage2D", &[gl::TEXTURE_2D, 0, gl::R8, 2, 1, 0, gl::RED, gl::UNSIGNED_BYTE, 5]);
    let image = calls.read(0, u64::MAX).image.unwrap();
    assert_eq!([0, 1].map(|x| image.texel(x, 0, 0).unwrap()[0] * 255.0), [55.0, 66.0]);
}

#[test]
fn draws_of_a_shader_are_those_of_the_programs_that_were_linked_with_it() {
    let mut calls = Calls::new();
    let draw = |calls: &mut Calls, times: usize| {
        for _ in 0..times {
            calls.call("glDrawArrays", &[gl::TRIANGLES, 0, 3]);
        }
    };
    for (program, shader) in [(1, 11), (1, 12), (2, 12), (2, 13)] {
        calls.call("glAttachShader", &[program, shader]);
    }
    calls.call("glLinkProgram", &[1]).call("glLinkProgram", &[2]);
    // What is detached or deleted after linking is used all the same, and not what is attached.
    calls.call("glDetachShader", &[1, 11]).call("glDeleteShader", &[11]).call("glAttachShader", &[1, 14]);
    calls.call("glUseProgram", &[1]);
    draw(&mut calls, 3);
    calls.call("glUseProgram", &[2]);
    draw(&mut calls, 5);
    calls.call("glUseProgram", &[1]);
    draw(&mut calls, 1);
    // While a program is in use, linking gives it other shaders.
    calls.call("glLinkProgram", &[1]);
    draw(&mut calls, 20);
    calls.call("glUseProgram", &[0]);
    draw(&mut calls, 100);
    let (index, file) = indexed(calls.file());
    let survey = surveyed(&index, &file);
    let of = |kind: Kind, name: u64| {
        survey.resources().all().iter().find(|it| it.kind == kind && it.name == name).unwrap().counts[2]
    };
    assert_eq!([1, 2].map(|name| of(Kind::Program, name)), [24, 5]);
    assert_eq!([11, 12, 13, 14].map(|name| of(Kind::Shader, name)), [4, 29, 5, 20]);
}

/// Lines such as `127481: error: buffer 1 was not destroyed until <EOF>`.
#[test]
fn leaks_are_those_of_apitrace() {
    for name in ["recorded/glmark2_medium.trace", "recorded/glmix_3f.trace", "modern/gtk4_widgets.trace"] {
        let Some(file) = corpus(name) else { return };
        let Some(path) = unspool_corpus::path(&format!("apitrace/{name}")) else { return };
        let Ok(theirs) = std::process::Command::new("apitrace").arg("leaks").arg(path).output() else {
            eprintln!("skipped: there is no apitrace");
            return;
        };
        let said = String::from_utf8_lossy(&theirs.stderr).into_owned();
        let mut theirs: Vec<(u64, &str, u64)> = said
            .lines()
            .filter_map(|line| {
                let mut words = line.split(": ");
                let call = words.next()?.parse().ok()?;
                let mut words = words.nth(1)?.split(' ');
                Some((call, words.next()?, words.next()?.parse().ok()?))
            })
            .collect();
        let (index, file) = indexed(file);
        let survey = surveyed(&index, &file);
        let all = survey.resources().all().iter();
        let kinds = [Kind::Texture, Kind::Buffer, Kind::Renderbuffer];
        let leaked = all.filter(|it| Resources::is_leaked(it) && kinds.contains(&it.kind));
        let mut ours: Vec<(u64, &str, u64)> = leaked.map(|it| (it.created, it.kind.word(), it.name)).collect();
        ours.sort_unstable();
        theirs.sort_unstable();
        assert_eq!(ours, theirs, "{name}");
    }
}

/// Buffers by name and by target, with copies, clears, maps and invalidation: which bytes are
/// known.
#[test]
fn buffers_hold_what_calls_gave_them() {
    const COPY: u32 = 0x8f37;
    let mut calls = Calls::new();
    let at = |number: i64| Arg::Int(number);
    calls
        .with("glGenBuffers", vec![at(3), Arg::Array(vec![at(1), at(2), at(3)])])
        .call("glBindBuffer", &[gl::ARRAY_BUFFER, 1])
        .with("glBufferData", vec![at(gl::ARRAY_BUFFER.into()), at(8), Arg::Null, at(0)])
        .bytes("glBufferSubData", &[gl::ARRAY_BUFFER, 2, 3], &[5, 6, 7])
        // It does not fit: an error of OpenGL.
        .bytes("glBufferSubData", &[gl::ARRAY_BUFFER, 6, 3], &[9, 9, 9])
        .with("glNamedBufferData", vec![at(2), at(6), Arg::Blob(&[1, 2, 3, 4, 5, 6]), at(0)])
        .call("glBindBuffer", &[COPY, 2])
        .call("glCopyBufferSubData", &[gl::ARRAY_BUFFER, COPY, 1, 0, 3])
        .call("glCopyNamedBufferSubData", &[2, 1, 1, 5, 2])
        .bytes("glNamedBufferSubData", &[2, 0, 6], &[0xee; 6])
        .with(
            "glClearBufferSubData",
            [gl::ARRAY_BUFFER, gl::R8, 0, 2, gl::RED, gl::UNSIGNED_BYTE]
                .into_iter()
                .map(|n| at(n.into()))
                .chain([Arg::Null])
                .collect(),
        )
        .call("glMapBufferRange", &[gl::ARRAY_BUFFER, 4, 2, 2 | 4])
        .with("memcpy", vec![Arg::Pointer(0x1001), Arg::Blob(&[8]), at(1)])
        .call("glUnmapBuffer", &[gl::ARRAY_BUFFER])
        .call("glBindBufferBase", &[gl::SHADER_STORAGE_BUFFER, 0, 1])
        .call("glDispatchCompute", &[1, 1, 1]);
    let (index, file) = indexed(calls.file());
    let survey = surveyed(&index, &file);
    let found = survey.resources();
    let mut reader = Reader::keeping(&index, file, u64::MAX).unwrap();
    let mut held = |name: u32, call: u64| {
        let buffer = found.find(Kind::Buffer, name, u64::MAX).unwrap();
        Contents::new(found, &mut reader).buffer_at(buffer, call).unwrap()
    };
    assert_eq!(held(1, 1).sized, None);
    let none = None;
    assert_eq!(shown(&held(1, 2)), [none; 8]);
    assert_eq!(shown(&held(1, 4)), [none, none, Some(5), Some(6), Some(7), none, none, none]);
    assert_eq!(shown(&held(2, 7)), [none, Some(5), Some(6), Some(4), Some(5), Some(6)]);
    // Not what the source holds later.
    assert_eq!(shown(&held(1, 9)), [none, none, Some(5), Some(6), Some(7), Some(5), Some(6), none]);
    assert_eq!(shown(&held(1, 10)), [Some(0), Some(0), Some(5), Some(6), Some(7), Some(5), Some(6), none]);
    assert_eq!(shown(&held(1, 11)), [Some(0), Some(0), Some(5), Some(6), none, none, Some(6), none]);
    let last = held(1, u64::MAX);
    let mapped = [Some(0), Some(0), Some(5), Some(6), none, Some(8), Some(6), none];
    assert_eq!(shown(&held(1, 14)), mapped);
    // The dispatch may have written all of it.
    assert_eq!(shown(&last), [none; 8]);
    assert_eq!((last.sized, last.gpu.written, last.gpu.exposed), (Some(2), Some(15), Some(14)));
    assert_eq!((held(1, 14).gpu.written, held(1, 13).gpu.exposed), (None, None));
    assert_eq!((held(2, u64::MAX).gpu, held(2, u64::MAX).sources), Default::default());
}

#[test]
fn what_the_graphics_processor_wrote_is_unknown_until_calls_give_it_again() {
    let mut calls = Calls::buffers(&[&[1, 2, 3, 4]]);
    // Calls 2 and 3.
    calls.read_pixels_to(1);
    calls.bytes("glNamedBufferSubData", &[1, 0, 2], &[8, 9]);
    let part = calls.buffer(1, u64::MAX);
    assert_eq!((shown(&part), part.gpu.written), (vec![Some(8), Some(9), None, None], Some(3)));
    calls.bytes("glNamedBufferSubData", &[1, 2, 2], &[6, 7]);
    let whole = calls.buffer(1, u64::MAX);
    assert_eq!((shown(&whole), whole.gpu), (vec![Some(8), Some(9), Some(6), Some(7)], GpuWrites::default()));
}

#[test]
fn copies_take_over_what_is_known_of_their_source() {
    let mut calls = Calls::buffers(&[&[1, 2, 3, 4], &[5, 6, 7, 8], &[9, 9, 9, 9]]);
    // Call 5 writes buffer 1, and its first byte is known again.
    calls.read_pixels_to(1).bytes("glNamedBufferSubData", &[1, 0, 1], &[0]);
    calls.call("glCopyNamedBufferSubData", &[1, 2, 0, 1, 2]).call("glCopyNamedBufferSubData", &[2, 3, 0, 0, 3]);
    let copy = calls.buffer(2, u64::MAX);
    assert_eq!(shown(&copy), [Some(5), Some(0), None, Some(8)]);
    assert_eq!((copy.gpu.written, copy.sources.written), (None, Some(5)));
    // A copy of the copy.
    let next = calls.buffer(3, u64::MAX);
    assert_eq!((shown(&next), next.sources.written), (vec![Some(5), Some(0), None, Some(9)], Some(5)));
    // What is known of the source by then is known of the copy.
    calls.call("glCopyNamedBufferSubData", &[1, 3, 0, 2, 1]);
    let known = calls.buffer(3, u64::MAX);
    assert_eq!((shown(&known), known.sources), (vec![Some(5), Some(0), Some(0), Some(9)], GpuWrites::default()));
}

#[test]
fn copies_take_over_where_shaders_can_write() {
    let mut calls = Calls::buffers(&[&[1, 2], &[5, 6]]);
    calls.call("glCopyNamedBufferSubData", &[1, 2, 0, 0, 1]);
    // Call 4.
    calls.call("glBindBufferBase", &[gl::SHADER_STORAGE_BUFFER, 0, 1]);
    assert_eq!(calls.buffer(2, u64::MAX).sources, GpuWrites::default());
    calls.call("glCopyNamedBufferSubData", &[1, 2, 0, 0, 1]);
    let copy = calls.buffer(2, u64::MAX);
    assert_eq!((copy.gpu.exposed, copy.sources.exposed, shown(&copy)), (None, Some(4), vec![Some(1), Some(6)]));
    // All of it is uploaded again.
    calls.bytes("glNamedBufferSubData", &[2, 0, 2], &[3, 4]);
    assert_eq!(calls.buffer(2, u64::MAX).sources, GpuWrites::default());
}

#[test]
fn calls_with_negative_numbers_change_nothing() {
    let negative = |name: &str, arguments: Vec<Arg<'_>>| {
        let mut calls = Calls::buffers(&[&[1, 2], &[3, 4]]);
        calls.with(name, arguments);
        shown(&calls.buffer(1, u64::MAX))
    };
    let at = |number: i64| Arg::Int(number);
    let before = [Some(1), Some(2)];
    assert_eq!(negative("glNamedBufferSubData", vec![at(1), at(-1), at(1), Arg::Blob(&[9])]), before);
    assert_eq!(negative("glNamedBufferData", vec![at(1), at(-1), Arg::Null, at(0)]), before);
    assert_eq!(negative("glCopyNamedBufferSubData", vec![at(2), at(1), at(-1), at(0), at(1)]), before);
    assert_eq!(negative("glCopyNamedBufferSubData", vec![at(2), at(1), at(0), at(-1), at(1)]), before);
    assert_eq!(negative("glInvalidateBufferSubData", vec![at(1), at(-1), at(1)]), before);
    let clear = [gl::R8.into(), -1, 1, gl::RED.into(), gl::UNSIGNED_BYTE.into()].map(at);
    assert_eq!(
        negative("glClearNamedBufferSubData", [at(1)].into_iter().chain(clear).chain([Arg::Null]).collect()),
        before
    );
}

/// Rows of two bytes, the first from byte 2 of buffer 7. Its contents are 1, 2 and so on.
fn texture_from_a_buffer(between: impl FnOnce(&mut Calls)) -> TextureAt {
    let mut calls = Calls::texture(gl::TEXTURE_2D);
    calls.with("glGenBuffers", vec![Arg::Int(1), Arg::Array(vec![Arg::Int(7)])]);
    calls.call("glBindBuffer", &[gl::PIXEL_UNPACK_BUFFER, 7]).call("glPixelStorei", &[gl::UNPACK_ALIGNMENT, 1]);
    let bytes = Arg::Blob(&[1, 2, 3, 4, 5, 6]);
    calls.with("glBufferData", vec![Arg::Int(gl::PIXEL_UNPACK_BUFFER.into()), Arg::Int(6), bytes, Arg::Int(0)]);
    between(&mut calls);
    calls.call("glTexImage2D", &[gl::TEXTURE_2D, 0, gl::R8, 2, 2, 0, gl::RED, gl::UNSIGNED_BYTE, 2]);
    calls.read(0, u64::MAX)
}

#[test]
fn textures_are_unknown_where_the_buffer_is_that_their_pixels_come_from() {
    let known = texture_from_a_buffer(|_| {});
    assert_eq!((known.image.unwrap().known, known.written), (vec![true, true], None));
    // Call 7 reads pixels to the buffer, call 8 gives it the bytes of the second row.
    let part = texture_from_a_buffer(|calls| {
        calls.read_pixels_to(7).bytes("glBufferSubData", &[gl::PIXEL_UNPACK_BUFFER, 4, 2], &[50, 60]);
    });
    let image = part.image.unwrap();
    assert_eq!((image.known.clone(), part.written), (vec![false, true], Some(9)));
    assert_eq!(image.texel(1, 1, 0).unwrap()[0] * 255.0, 60.0);
    // Shaders may have written it.
    let exposed = texture_from_a_buffer(|calls| {
        calls.call("glBindBufferBase", &[gl::SHADER_STORAGE_BUFFER, 0, 7]);
    });
    assert_eq!((exposed.image.unwrap().known, exposed.written), (vec![true, true], Some(7)));
}

#[test]
fn clears_of_buffers_that_convert_nothing_are_known() {
    let clear = |internal: u32, format: u32, of: u32, bytes: &'static [u8]| {
        let mut calls = Calls::new();
        let at = |number: u32| Arg::Int(number.into());
        calls
            .with("glCreateBuffers", vec![at(1), Arg::Array(vec![at(1)])])
            .with("glNamedBufferData", vec![at(1), at(8), Arg::Null, at(0)])
            .bytes("glClearNamedBufferData", &[1, internal, format, of], bytes);
        let (index, file) = indexed(calls.file());
        let survey = surveyed(&index, &file);
        let mut reader = Reader::keeping(&index, file, u64::MAX).unwrap();
        let held = Contents::new(survey.resources(), &mut reader).buffer_at(0, u64::MAX).unwrap();
        (held.known.len(), held.bytes)
    };
    assert_eq!(clear(gl::R32UI, gl::RED_INTEGER, gl::UNSIGNED_INT, &[1, 2, 3, 4]), (8, vec![1, 2, 3, 4, 1, 2, 3, 4]));
    assert_eq!(clear(gl::RG8, gl::RG, gl::UNSIGNED_BYTE, &[7, 9]), (8, vec![7, 9, 7, 9, 7, 9, 7, 9]));
    // From float to bytes.
    assert_eq!(clear(gl::R8, gl::RED, gl::FLOAT, &[0, 0, 128, 63]), (0, vec![0; 8]));
}
