//! Which objects calls bind.

use unspool_gl::gl;
use unspool_gl::several::{One, Several};

use super::kinds::{self, Act};
use super::objects::{Context, Slot};
use super::{Kind, Resources};
use crate::known::Known;
use unspool_gl::call::Call;

impl Resources {
    /// An object is bound.
    pub(super) fn bind_by(&mut self, call: &Call, known: &Known, act: Act, context: &mut Context) {
        let number = call.number;
        let uint = |parameter: &str| known.uint(call, parameter).unwrap_or_default();
        match act {
            Act::BindTexture => {
                let target = uint("target");
                let at = self.of(context, Kind::Texture, uint("texture"), number);
                self.set_target(at, target);
                self.bind(context, Slot::Texture { unit: context.unit, target }, at, number);
            }
            Act::BindTextureUnit => {
                self.bind_unit(context, uint("unit"), uint("texture"), number);
            }
            Act::BindImage => {
                let is_written = uint("access") != gl::READ_ONLY;
                self.bind_image(context, uint("unit"), uint("texture"), is_written, number);
            }
            Act::BindVertexBuffer => {
                self.bind_vertices(context, uint("bindingindex"), uint("buffer"), number);
            }
            Act::BindSeveral(several) => {
                for One { index, name, .. } in several.bound(call) {
                    match several {
                        Several::Textures => self.bind_unit(context, index, name, number),
                        Several::Images => self.bind_image(context, index, name, true, number),
                        Several::VertexBuffers => self.bind_vertices(context, index, name, number),
                        Several::Samplers => {
                            let at = self.of(context, Kind::Sampler, name, number);
                            self.bind(context, Slot::Sampler(index), at, number);
                        }
                        Several::Buffers | Several::Ranges => {
                            let at = self.of(context, Kind::Buffer, name, number);
                            self.exposed(at, call.uint(0), number);
                            self.bind(context, Slot::Buffer { target: call.uint(0), index: Some(index) }, at, number);
                        }
                    }
                }
            }
            Act::BindBuffer => {
                let at = self.of(context, Kind::Buffer, uint("buffer"), number);
                if uint("target") == gl::QUERY_BUFFER {
                    self.exposed(at, gl::QUERY_BUFFER, number);
                }
                let slot = match uint("target") {
                    gl::ELEMENT_ARRAY_BUFFER => Slot::Elements,
                    target => Slot::Buffer { target, index: None },
                };
                self.bind(context, slot, at, number);
            }
            Act::BindBufferIndexed => {
                let at = self.of(context, Kind::Buffer, uint("buffer"), number);
                let target = uint("target");
                self.exposed(at, target, number);
                self.bind(context, Slot::Buffer { target, index: Some(uint("index")) }, at, number);
                context.replace(Slot::Buffer { target, index: None }, at);
            }
            Act::BindFramebuffer => {
                let at = self.of(context, Kind::Framebuffer, uint("framebuffer"), number);
                let target = uint("target");
                if target != gl::READ_FRAMEBUFFER {
                    self.bind(context, Slot::Drawn, at, number);
                }
                if target != gl::DRAW_FRAMEBUFFER {
                    context.replace(Slot::Read, at);
                }
            }
            Act::Bind(kind) => {
                let name = call.uint(call.len().saturating_sub(1));
                let at = self.of(context, kind, name, number);
                match kind {
                    Kind::VertexArray => self.bind_vertex_array(context, at, number),
                    Kind::Program => self.bind(context, Slot::Program, at, number),
                    Kind::Sampler => self.bind(context, Slot::Sampler(uint("unit")), at, number),
                    Kind::Query => self.bind(context, Slot::Query(uint("target")), at, number),
                    _ => self.bind(context, Slot::Renderbuffer, at, number),
                }
            }
            _ => {}
        }
    }

    fn bind_unit(&mut self, context: &mut Context, unit: u32, name: u32, call: u64) {
        let at = self.of(context, Kind::Texture, name, call);
        let target = at.and_then(|at| self.all.get(at as usize)).map_or(0, |it| it.texture.target);
        self.bind(context, Slot::Texture { unit, target }, at, call);
    }

    fn bind_image(&mut self, context: &mut Context, unit: u32, name: u32, is_written: bool, call: u64) {
        let at = self.of(context, Kind::Texture, name, call);
        self.unbind(context, Slot::Image { unit, is_written: !is_written });
        self.bind(context, Slot::Image { unit, is_written }, at, call);
    }

    fn bind_vertices(&mut self, context: &mut Context, index: u32, name: u32, call: u64) {
        let at = self.of(context, Kind::Buffer, name, call);
        self.bind(context, Slot::Attribute(kinds::vertex_binding(index)), at, call);
    }
}
