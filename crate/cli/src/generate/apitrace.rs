//! apitrace traces of any size.

use std::io::{self, Write};

use unspool_formats::apitrace::encode::{CHUNK, Details, EnumSig, FunctionSig, Value, Writer, snappy_chunk};
use unspool_gl::gl;

use super::program::Dice;
use super::{Options, Tick};

macro_rules! constants {
    ($($id:literal $enum:ident = $($name:ident)*;)*) => {
        $(const $enum: EnumSig<'static> =
            EnumSig { id: $id, values: &[$((concat!("GL_", stringify!($name)), gl::$name as i64)),*] };)*
    };
}

constants! {
    0 MODE = POINTS TRIANGLES TRIANGLE_STRIP;
    1 CAPABILITY = DEPTH_TEST BLEND;
    2 TARGET = TEXTURE_2D ARRAY_BUFFER;
    3 SOURCE = DEBUG_SOURCE_APPLICATION;
}

macro_rules! functions {
    ($($id:literal $constant:ident = $name:literal ($($arg:literal),*);)*) => {
        $(const $constant: FunctionSig<'static> = FunctionSig { id: $id, name: $name, args: &[$($arg),*] };)*
    };
}

functions! {
    10 CLEAR = "glClear" ("mask");
    11 ENABLE = "glEnable" ("cap");
    12 USE_PROGRAM = "glUseProgram" ("program");
    13 BIND_TEXTURE = "glBindTexture" ("target", "texture");
    14 UNIFORM_4F = "glUniform4f" ("location", "v0", "v1", "v2", "v3");
    15 DRAW_ELEMENTS = "glDrawElements" ("mode", "count", "type", "indices");
    16 BUFFER_DATA = "glBufferData" ("target", "size", "data", "usage");
    17 GET_ERROR = "glGetError" ();
    18 SWAP = "glXSwapBuffers" ("dpy", "drawable");
    19 PUSH = "glPushDebugGroup" ("source", "id", "length", "message");
    20 POP = "glPopDebugGroup" ();
}

/// Writes a trace of `options.events` calls: frames with debug groups, draw calls and uploads, on
/// `options.threads` threads.
pub(super) fn write(out: &mut dyn Write, options: &Options, tick: &mut Tick<'_>) -> io::Result<()> {
    let mut stream = Writer::new(&[("process.name", "/usr/bin/scene")]);
    let mut scene = Scene { dice: Dice::new(options.seed), options, made: 0, blob: vec![0x5a; 4096] };
    out.write_all(b"at")?;
    while scene.made < options.events {
        scene.frame(&mut stream);
        tick(scene.made.min(options.events));
        if stream.stream().len() >= CHUNK {
            out.write_all(&snappy_chunk(&stream.take()))?;
        }
    }
    out.write_all(&snappy_chunk(&stream.take()))
}

struct Scene<'a> {
    dice: Dice,
    options: &'a Options,
    made: u64,
    blob: Vec<u8>,
}

impl Scene<'_> {
    fn frame(&mut self, to: &mut Writer) {
        self.call(to, 0, &CLEAR, vec![Value::Uint((gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT).into())], None);
        let objects = 10 + self.dice.below(50);
        let depth = self.options.depth.min(16) as u64;
        let mut groups = 0;
        for object in 0..objects {
            if groups < depth && self.dice.one_in(5) {
                let message = format!("pass {}", self.dice.below(12));
                let length = message.len() as u64;
                let args = vec![
                    Value::Enum(&SOURCE, gl::DEBUG_SOURCE_APPLICATION.into()),
                    Value::Uint(0),
                    Value::Uint(length),
                    Value::Text(message.as_bytes()),
                ];
                self.call(to, 0, &PUSH, args, None);
                groups += 1;
            }
            self.call(to, 0, &USE_PROGRAM, vec![Value::Uint(object % 7 + 1)], None);
            self.call(
                to,
                0,
                &BIND_TEXTURE,
                vec![Value::Enum(&TARGET, gl::TEXTURE_2D.into()), Value::Uint(object % 31)],
                None,
            );
            for location in 0..self.dice.below(6) {
                let v = |n: u64| Value::Float(n as f32 / 256.0);
                let args = vec![Value::Uint(location), v(object), v(location), v(self.dice.below(256)), v(256)];
                self.call(to, 0, &UNIFORM_4F, args, None);
            }
            let count = 3 * (1 + self.dice.below(2000));
            let args = vec![
                Value::Enum(&MODE, gl::TRIANGLES.into()),
                Value::Uint(count),
                Value::Uint(gl::UNSIGNED_INT.into()),
                Value::Null,
            ];
            self.call(to, 0, &DRAW_ELEMENTS, args, None);
            if groups > 0 && self.dice.one_in(4) {
                self.call(to, 0, &POP, vec![], None);
                groups -= 1;
            }
            // Other threads upload at the same time.
            if self.options.threads > 1 && self.dice.one_in(8) {
                let thread = 1 + self.dice.below(self.options.threads as u64 - 1);
                let size = 64 + self.dice.below(4000) as usize;
                let blob = std::mem::take(&mut self.blob);
                let args = vec![
                    Value::Enum(&TARGET, gl::ARRAY_BUFFER.into()),
                    Value::Uint(size as u64),
                    Value::Blob(&blob[..size]),
                    Value::Uint(gl::STATIC_DRAW.into()),
                ];
                self.call(to, thread, &BUFFER_DATA, args, None);
                self.blob = blob;
            }
        }
        for _ in 0..groups {
            self.call(to, 0, &POP, vec![], None);
        }
        self.call(to, 0, &ENABLE, vec![Value::Enum(&CAPABILITY, gl::DEPTH_TEST.into())], None);
        self.call(to, 0, &GET_ERROR, vec![], Some(Value::Uint(0)));
        self.call(to, 0, &SWAP, vec![Value::Pointer(0x55d0_c0de), Value::Uint(0x0040_0002)], None);
    }

    /// Writes a call, unless there are enough.
    fn call(
        &mut self,
        to: &mut Writer,
        thread: u64,
        function: &FunctionSig<'_>,
        args: Vec<Value<'_>>,
        result: Option<Value<'_>>,
    ) {
        if self.made < self.options.events {
            self.made += 1;
            let call = to.enter(thread, function, &Details::args(args));
            to.leave(call, &Details { result, ..Details::default() });
        }
    }
}
