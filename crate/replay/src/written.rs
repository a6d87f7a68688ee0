//! What the graphics processor has written to textures, renderbuffers and buffers, and which call
//! did so last: what is shown of them beside uploads.

use unspool_gl::gl;

use crate::driver::Replay;
use crate::surfaces::of_renderbuffer;

/// What draws and copies wrote to a surface, also where they were left out: a copy of what they
/// drew may be there in their place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Writes {
    /// The latest call.
    call: Option<u64>,
    /// The latest draw that cannot be shown, unless all of it was cleared since.
    lacks: Option<u64>,
}

/// What may have been written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A texture, of which a level is wanted.
    Texture(u32),
    /// A renderbuffer.
    Renderbuffer,
    /// A buffer.
    Buffer,
}

/// What the graphics processor wrote to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The latest call that wrote it. `None` if none did since its latest upload of all of it.
    pub call: Option<u64>,
    /// The latest draw to it that cannot be shown, unless all of it was cleared since.
    pub lacks: Option<u64>,
    /// Why it does not hold what it holds in the trace.
    pub problem: Option<&'static str>,
    /// Of a texture or renderbuffer in WebGL2: the number of the texture, or 0; that of the
    /// renderbuffer, or 0; what the texture is bound to; width, height and depth of the level; its
    /// internal format.
    pub surface: [u32; 7],
    /// Of a buffer.
    pub bytes: Vec<u8>,
}

impl Replay {
    /// What an object of the trace holds, by share group and name. `None` if there is none.
    pub fn written(&self, group: u32, name: u32, holder: Holder) -> Option<Written> {
        let objects = self.groups.get(&group)?;
        let of = |surface: u32| self.writes.get(&surface).copied().unwrap_or_default();
        let level = match holder {
            Holder::Buffer => {
                let buffer = objects.buffers.get(&name)?;
                let bytes = buffer.data.get(0, buffer.data.len()).map(|bytes| bytes.into_owned()).unwrap_or_default();
                return Some(Written { call: buffer.written, problem: buffer.problem, bytes, ..Written::default() });
            }
            Holder::Renderbuffer => {
                let of_name = objects.renderbuffers.get(&name)?;
                let Writes { call, lacks } = of(of_renderbuffer(of_name.handle));
                let only_stencils = of_name.format == gl::STENCIL_INDEX8;
                let problem = of_name.problem.or(only_stencils.then_some("WebGL2 reads no stencils"));
                let surface = [0, of_name.handle, 0, of_name.width, of_name.height, 1, of_name.format];
                return Some(Written { call, lacks, problem, surface, bytes: Vec::new() });
            }
            Holder::Texture(level) => level,
        };
        let texture = objects.textures.get(&name)?;
        let renderbuffer = texture.samples.map_or(0, |(renderbuffer, _)| renderbuffer);
        let Writes { call, lacks } = of(if renderbuffer > 0 { of_renderbuffer(renderbuffer) } else { texture.handle });
        // Mipmaps have levels of their own, and the sizes that the first one gives them.
        let known = texture.levels.get(level as usize).copied().filter(|size| *size != [0; 3]);
        let [width, height, depth] = known.unwrap_or_else(|| {
            let [width, height, depth] = texture.levels.first().copied().unwrap_or_default();
            let smaller = |length: u32| (length >> level.min(31)).max(length.min(1));
            let is_deep = texture.binding == gl::TEXTURE_3D;
            [smaller(width), smaller(height), if is_deep { smaller(depth) } else { depth }]
        });
        let depth = if texture.binding == gl::TEXTURE_CUBE_MAP { 6 } else { depth.max(1) };
        let handle = if renderbuffer > 0 { 0 } else { texture.handle };
        let format = texture.storage.map_or(0, |of| of.internal);
        let surface = [handle, renderbuffer, texture.binding, width, height, depth, format];
        Some(Written { call, lacks, problem: texture.problem, surface, bytes: Vec::new() })
    }

    /// The current call writes to a texture or renderbuffer.
    pub(crate) fn wrote(&mut self, surface: u32) {
        self.writes.entry(surface).or_default().call = Some(self.call);
    }

    /// The current call writes to the buffer that is bound to a target. `problem`: why it is not
    /// what it is in the trace.
    pub(crate) fn wrote_buffer(&mut self, target: u32, problem: Option<&'static str>) {
        let call = self.call;
        if let Some(buffer) = self.buffer_at(target) {
            buffer.problem = problem.or(buffer.problem);
            buffer.written = Some(call);
        }
    }

    /// The current call draws to the framebuffer of the current context, or would if it was not
    /// left out.
    pub(crate) fn note_write(&mut self) {
        self.each_attached(|writes, call| writes.call = Some(call));
    }

    /// It cannot be shown.
    pub(crate) fn note_lack(&mut self) {
        self.each_attached(|writes, call| *writes = Writes { call: Some(call), lacks: Some(call) });
    }

    /// All of a surface is cleared.
    pub(crate) fn cleared(&mut self, surface: u32) {
        if let Some(writes) = self.writes.get_mut(&surface) {
            writes.lacks = None;
        }
    }

    fn each_attached(&mut self, note: impl Fn(&mut Writes, u64)) {
        let Some(context) = self.at.and_then(|at| self.contexts.get(&at)) else { return };
        let Some(framebuffer) = context.framebuffers.get(&context.draw_framebuffer) else { return };
        for attachment in &framebuffer.attachments {
            note(self.writes.entry(attachment.surface).or_default(), self.call);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unspool_gl::example::{Example, Value};

    #[test]
    fn draws_and_copies_are_known_by_what_they_write() {
        let mut replay = Replay::new(crate::Bounds::default(), true);
        let mut number = 0;
        let mut execute = |replay: &mut Replay, name: &str, args: &[u32]| {
            let args = args.iter().map(|n| Value::Int((*n).into())).collect();
            replay.execute_example(&Example { number, name: name.into(), args, ..Example::default() });
            number += 1;
            number - 1
        };
        let image = [gl::TEXTURE_2D, 0, gl::RGBA8, 8, 4, 0, gl::RGBA, gl::UNSIGNED_BYTE];
        let attached = [gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, 5, 0];
        execute(&mut replay, "glXMakeCurrent", &[1, 2, 3]);
        execute(&mut replay, "glViewport", &[0, 0, 8, 8]);
        execute(&mut replay, "glBindTexture", &[gl::TEXTURE_2D, 5]);
        execute(&mut replay, "glTexImage2D", &image);
        execute(&mut replay, "glBindFramebuffer", &[gl::FRAMEBUFFER, 1]);
        execute(&mut replay, "glFramebufferTexture2D", &attached);
        let texture = |replay: &Replay| replay.written(0, 5, Holder::Texture(0)).unwrap();
        assert_eq!((texture(&replay).call, &texture(&replay).surface[3..6]), (None, &[8, 4, 1][..]));
        let clear = execute(&mut replay, "glClear", &[gl::COLOR_BUFFER_BIT]);
        assert_eq!((texture(&replay).call, texture(&replay).lacks), (Some(clear), None));
        // It is not in WebGL2, until all of it is cleared.
        let draw = execute(&mut replay, "glDrawArrays", &[gl::PATCHES, 0, 3]);
        assert_eq!((texture(&replay).call, texture(&replay).lacks), (Some(draw), Some(draw)));
        let clear = execute(&mut replay, "glClear", &[gl::COLOR_BUFFER_BIT]);
        assert_eq!((texture(&replay).call, texture(&replay).lacks), (Some(clear), None));
        // Where draws are left out because their copy is there, the call is known.
        replay.skip_surfaces = u64::MAX;
        let draw = execute(&mut replay, "glClear", &[gl::COLOR_BUFFER_BIT]);
        assert_eq!(texture(&replay).call, Some(draw));
        execute(&mut replay, "glTexImage2D", &image);
        assert_eq!(texture(&replay).call, None);
        execute(&mut replay, "glBindBuffer", &[gl::ARRAY_BUFFER, 7]);
        let buffer = |replay: &Replay| replay.written(0, 7, Holder::Buffer).map(|it| (it.call, it.problem.is_some()));
        execute(&mut replay, "glBufferData", &[gl::ARRAY_BUFFER, 8, 0, gl::STATIC_DRAW]);
        execute(&mut replay, "glBindBufferBase", &[gl::TRANSFORM_FEEDBACK_BUFFER, 0, 7]);
        assert_eq!(buffer(&replay), Some((None, false)));
        let begin = execute(&mut replay, "glBeginTransformFeedback", &[gl::POINTS]);
        assert_eq!(buffer(&replay), Some((Some(begin), true)));
        execute(&mut replay, "glBufferData", &[gl::ARRAY_BUFFER, 8, 0, gl::STATIC_DRAW]);
        assert_eq!(buffer(&replay), Some((None, false)));
        assert_eq!(replay.written(0, 6, Holder::Renderbuffer), None);
    }
}
