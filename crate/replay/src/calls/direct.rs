//! Direct state access: functions that name the object which others find where it is bound. Each of
//! them is the function for what is bound, and its object is bound while that is executed.
//!
//! ```text
//! glTextureParameteri(texture, name, value)  ──▶  glTexParameteri(target of texture, name, value)
//! glNamedBufferSubData(buffer, …)            ──▶  glBufferSubData(target of ours, …)
//! glVertexArrayAttribBinding(array, …)       ──▶  glVertexAttribBinding(…)
//! ```

use unspool_gl::gl;

use super::Run;
use crate::call::{Call, Value};
use crate::driver::{Replay, slot_of};
use crate::objects::SLOTS;

/// The object that the first argument names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// A texture, which has a target (OpenGL 4.5).
    Texture,
    /// A texture, whose target is the next argument (EXT_direct_state_access).
    TextureOfTarget,
    /// A texture unit: `GL_TEXTURE0` and so on.
    Unit,
    Buffer,
    Framebuffer,
    Renderbuffer,
    VertexArray,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Direct {
    about: About,
    /// What the function for the bound object has in place of the first argument, if anything.
    first: Option<u32>,
}

/// A target that no buffer of a trace is bound to.
pub(super) const OWN_TARGET: u32 = 0;
/// Another one.
pub(super) const OTHER_TARGET: u32 = 1;

/// Targets of textures by slot.
pub(super) const TARGETS: [u32; SLOTS] = [
    gl::TEXTURE_2D,
    gl::TEXTURE_CUBE_MAP,
    gl::TEXTURE_3D,
    gl::TEXTURE_2D_ARRAY,
    gl::TEXTURE_1D,
    gl::TEXTURE_RECTANGLE,
    gl::TEXTURE_2D_MULTISAMPLE,
    gl::TEXTURE_BUFFER,
];

/// Functions that are not called as the rules of [`direct_of`] say.
const OTHERS: [(&str, &str, Direct); 12] = [
    ("glMapNamedBuffer", "glMapBuffer", of(About::Buffer, Some(OWN_TARGET))),
    ("glMapNamedBufferRange", "glMapBufferRange", of(About::Buffer, Some(OWN_TARGET))),
    ("glUnmapNamedBuffer", "glUnmapBuffer", of(About::Buffer, Some(OWN_TARGET))),
    ("glEnableVertexArrayAttrib", "glEnableVertexAttribArray", of(About::VertexArray, None)),
    ("glDisableVertexArrayAttrib", "glDisableVertexAttribArray", of(About::VertexArray, None)),
    ("glVertexArrayElementBuffer", "glBindBuffer", of(About::VertexArray, Some(gl::ELEMENT_ARRAY_BUFFER))),
    ("glEnableVertexArray", "glEnableClientState", of(About::VertexArray, None)),
    ("glDisableVertexArray", "glDisableClientState", of(About::VertexArray, None)),
    ("glFramebufferReadBuffer", "glReadBuffer", of(About::Framebuffer, None)),
    ("glFramebufferDrawBuffer", "glDrawBuffer", of(About::Framebuffer, None)),
    ("glFramebufferDrawBuffers", "glDrawBuffers", of(About::Framebuffer, None)),
    ("glBindMultiTexture", "glBindTexture", of(About::Unit, None)),
];

const fn of(about: About, first: Option<u32>) -> Direct {
    Direct { about, first }
}

/// The function that does the same for what is bound, as far as `exists` knows it. `None` if the
/// name does not belong to direct state access.
pub(crate) fn direct_of(name: &str, exists: impl Fn(&str) -> bool) -> Option<(String, Direct)> {
    let plain = name.strip_suffix("EXT").unwrap_or(name);
    if let Some((_, bound, direct)) = OTHERS.iter().find(|(known, ..)| *known == plain) {
        return Some(((*bound).into(), *direct));
    }
    let target = if plain == name { About::Texture } else { About::TextureOfTarget };
    let rules: [(&str, &[&str], Direct); 9] = [
        ("glTexture", &["glTex"], of(target, None)),
        ("glMultiTex", &["glTex"], of(About::Unit, None)),
        ("glNamedBuffer", &["glBuffer"], of(About::Buffer, Some(OWN_TARGET))),
        ("glClearNamedBuffer", &["glClearBuffer"], of(About::Buffer, Some(OWN_TARGET))),
        ("glNamedFramebuffer", &["glFramebuffer"], of(About::Framebuffer, Some(gl::FRAMEBUFFER))),
        ("glNamedFramebuffer", &["gl"], of(About::Framebuffer, None)),
        ("glClearNamedFramebuffer", &["glClearBuffer"], of(About::Framebuffer, None)),
        ("glNamedRenderbuffer", &["glRenderbuffer"], of(About::Renderbuffer, Some(gl::RENDERBUFFER))),
        ("glVertexArray", &["gl", "glVertex", "glBind"], of(About::VertexArray, None)),
    ];
    for (begin, bound, direct) in rules {
        let Some(rest) = plain.strip_prefix(begin) else { continue };
        let found = bound.iter().map(|bound| format!("{bound}{rest}")).find(|bound| exists(bound));
        if let Some(found) = found {
            return Some((found, direct));
        }
    }
    None
}

impl Replay {
    /// Executes the function for what is bound.
    pub(crate) fn execute_direct(&mut self, c: &Call, Direct { about, first }: Direct, run: Run) {
        let name = c.u32(0);
        let mut args: Vec<Value> = first.map(|first| Value::Int(first.into())).into_iter().collect();
        args.extend(c.args.iter().skip(1).cloned());
        let mut made = Call { number: c.number, thread: c.thread, name: c.name.clone(), args, ret: c.ret.clone() };
        match about {
            About::Texture => {
                let slot = self.both().and_then(|(_, objects, _)| objects.textures.get(&name)).map(|it| it.slot);
                let Some((slot, target)) = slot.and_then(|slot| Some((slot, *TARGETS.get(slot)?))) else { return };
                made.args.insert(0, Value::Int(target.into()));
                self.with_texture(name, slot, |r| run(r, &made));
            }
            About::TextureOfTarget => {
                if let Some(slot) = slot_of(c.u32(1)) {
                    self.with_texture(name, slot, |r| run(r, &made));
                }
            }
            About::Unit => {
                self.with_unit(name.wrapping_sub(gl::TEXTURE0), |r| run(r, &made));
            }
            About::Buffer => self.with_buffer(OWN_TARGET, name, |r| run(r, &made)),
            About::Framebuffer => self.with_framebuffers([name; 2], |r| run(r, &made)),
            About::Renderbuffer => {
                self.renderbuffer(name);
                let Some(before) = self.context().map(|context| core::mem::replace(&mut context.renderbuffer, name))
                else {
                    return;
                };
                run(self, &made);
                self.context().into_iter().for_each(|context| context.renderbuffer = before);
            }
            About::VertexArray => {
                let Some(before) = self.context().map(|context| context.vertex_array) else { return };
                self.bind_vertex_array(name);
                run(self, &made);
                self.context().into_iter().for_each(|context| context.vertex_array = before);
            }
        }
    }

    /// Does something while a texture unit is the active one.
    pub(super) fn with_unit(&mut self, unit: u32, execute: impl FnOnce(&mut Self)) {
        let unit = (unit as usize).min(31);
        let Some(context) = self.context() else { return };
        let before = (context.active, context.fixed.client_unit);
        (context.active, context.fixed.client_unit) = (unit, unit.min(7));
        execute(self);
        self.context().into_iter().for_each(|context| (context.active, context.fixed.client_unit) = before);
    }

    /// Does something while a texture is bound to the active unit.
    pub(super) fn with_texture(&mut self, name: u32, slot: usize, execute: impl FnOnce(&mut Self)) {
        self.texture(name, slot);
        let bound = |r: &mut Self, name: u32| {
            let context = r.context()?;
            let slot = context.units.get_mut(context.active)?.get_mut(slot)?;
            Some(core::mem::replace(slot, name))
        };
        let Some(before) = bound(self, name) else { return };
        execute(self);
        bound(self, before);
    }

    /// Does something while a buffer is bound to a target of ours.
    pub(super) fn with_buffer(&mut self, target: u32, name: u32, execute: impl FnOnce(&mut Self)) {
        let Some(context) = self.context() else { return };
        context.buffers.insert(target, name);
        execute(self);
        if let Some(context) = self.context() {
            context.buffers.remove(&target);
        }
    }

    /// Does something while framebuffers are bound, for reading and for drawing.
    pub(super) fn with_framebuffers(&mut self, [read, draw]: [u32; 2], execute: impl FnOnce(&mut Self)) {
        for name in [read, draw] {
            if name != 0 {
                self.framebuffer(name);
            }
        }
        let Some(context) = self.context() else { return };
        let before = [context.read_framebuffer, context.draw_framebuffer];
        [context.read_framebuffer, context.draw_framebuffer] = [read, draw];
        execute(self);
        if let Some(context) = self.context() {
            [context.read_framebuffer, context.draw_framebuffer] = before;
        }
    }
}
