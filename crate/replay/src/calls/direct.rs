//! Direct state access: each function is the one for what is bound, and its object is bound while
//! that is executed.

use unspool_gl::call::Call;
use unspool_gl::direct::{ANY, About, Direct};
use unspool_gl::gl;

use crate::driver::{Replay, slot_of};
use crate::objects::SLOTS;

/// A target that no buffer of a trace is bound to.
pub(super) const OWN_TARGET: u32 = ANY;
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

impl Replay {
    /// Executes the function for what is bound.
    pub(crate) fn execute_direct(&mut self, c: &Call, direct: Direct, run: impl FnOnce(&mut Self, &Call)) {
        let name = c.uint(0);
        let mut made = c.without(direct.names());
        direct.target.into_iter().for_each(|target| made.put_first(target.into()));
        match direct.about {
            About::Texture => {
                let slot = self.both().and_then(|(_, objects, _)| objects.textures.get(&name)).map(|it| it.slot);
                let Some((slot, target)) = slot.and_then(|slot| Some((slot, *TARGETS.get(slot)?))) else { return };
                made.put_first(target.into());
                self.with_texture(name, slot, |r| run(r, &made));
            }
            About::TextureOfTarget => {
                if let Some(slot) = slot_of(c.uint(1)) {
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
            About::VertexArray => self.with_vertex_array(name, |r| run(r, &made)),
            About::ArrayOfBuffer => self.with_array_of(name, c.uint(1), |r| run(r, &made)),
            About::ArrayOfUnit => {
                let unit = c.uint(2).wrapping_sub(gl::TEXTURE0);
                self.with_unit(unit, |r| r.with_array_of(name, c.uint(1), |r| run(r, &made)));
            }
        }
    }

    fn with_vertex_array(&mut self, name: u32, execute: impl FnOnce(&mut Self)) {
        let Some(before) = self.context().map(|context| context.vertex_array) else { return };
        self.bind_vertex_array(name);
        execute(self);
        self.context().into_iter().for_each(|context| context.vertex_array = before);
    }

    /// Does something while a vertex array is bound, and a buffer for its arrays.
    fn with_array_of(&mut self, array: u32, buffer: u32, execute: impl FnOnce(&mut Self)) {
        let bound = self.context().and_then(|context| context.buffers.insert(gl::ARRAY_BUFFER, buffer));
        self.with_vertex_array(array, execute);
        self.context().into_iter().for_each(|context| {
            context.buffers.insert(gl::ARRAY_BUFFER, bound.unwrap_or(0));
        });
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
