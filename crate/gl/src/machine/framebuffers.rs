//! Framebuffers, what is attached to them, and renderbuffers.

use std::sync::Arc;

use crate::direct::{About, Direct};
use crate::gl;

use super::cells::{Attachment, Cell, Image, Value};
use super::effects::Effect;
use super::fixed::list_of;
use super::objects::Kind;
use super::textures::level_index;
use super::what;
use super::{Handlers, Machine};
use crate::call::Call;

pub(crate) const HANDLERS: Handlers = &[
    ("GetIntegerv", |m, c, _| {
        let (name, _) = m.object(m.context, what::DRAW_FRAMEBUFFER_BINDING, 0);
        let bits = list_of(c, 1).first().and_then(|value| value.int());
        if let (gl::STENCIL_BITS, 0, Some(bits)) = (c.uint(0), name, bits) {
            m.set(what::STENCIL_BITS_OF_WINDOW, Value::Int(bits));
        }
    }),
    ("BindFramebuffer", |m, c, _| m.bind_framebuffer(c.uint(0), c.uint(1))),
    ("BindRenderbuffer", |m, c, _| m.bind(Kind::Renderbuffer, what::RENDERBUFFER_BINDING, 0, c.uint(1))),
    ("RenderbufferStorage", |m, c, _| m.renderbuffer(c.uint(1), c.uint(2), c.uint(3), 0)),
    ("RenderbufferStorageMultisample", |m, c, _| m.renderbuffer(c.uint(2), c.uint(3), c.uint(4), c.uint(1))),
    // The one for what is bound is a function of an extension that the table does not have.
    ("NamedRenderbufferStorageMultisampleCoverage", |m, c, v| {
        let direct = Direct { about: About::Renderbuffer, target: Some(gl::RENDERBUFFER) };
        m.run_direct(direct, |m, c, _| m.renderbuffer(c.uint(3), c.uint(4), c.uint(5), c.uint(2)), c, v);
    }),
    ("FramebufferRenderbuffer", |m, c, _| {
        let framebuffer = m.framebuffer(c.uint(0));
        m.attach_renderbuffer(framebuffer, c.uint(1), c.uint(3));
    }),
    ("FramebufferTexture", |m, c, _| {
        let framebuffer = m.framebuffer(c.uint(0));
        m.attach(framebuffer, c.uint(1), c.uint(2), c.uint(3), None, 0);
    }),
    ("FramebufferTexture1D", |m, c, _| m.attach_target(c, None)),
    ("FramebufferTexture2D", |m, c, _| m.attach_target(c, None)),
    ("FramebufferTexture2DMultisample", |m, c, _| m.attach_target(c, None)),
    ("FramebufferTextureFace", |m, c, _| {
        let framebuffer = m.framebuffer(c.uint(0));
        let face = c.uint(4).wrapping_sub(gl::TEXTURE_CUBE_MAP_POSITIVE_X).min(5);
        m.attach(framebuffer, c.uint(1), c.uint(2), c.uint(3), None, face);
    }),
    ("FramebufferTexture3D", |m, c, _| m.attach_target(c, Some(c.uint(5)))),
    ("FramebufferTextureLayer", |m, c, _| {
        let framebuffer = m.framebuffer(c.uint(0));
        m.attach(framebuffer, c.uint(1), c.uint(2), c.uint(3), Some(c.uint(4)), 0);
    }),
    ("DrawBuffer", |m, c, _| {
        let framebuffer = m.framebuffer(gl::FRAMEBUFFER);
        m.draw_buffers(framebuffer, &[c.uint(0)]);
    }),
    ("DrawBuffers", |m, c, _| {
        let framebuffer = m.framebuffer(gl::FRAMEBUFFER);
        m.draw_buffers(framebuffer, &constants(c, 1));
    }),
    ("ReadBuffer", |m, c, _| {
        let framebuffer = m.framebuffer(gl::READ_FRAMEBUFFER);
        m.put(framebuffer, what::READ_BUFFER, 0, Value::Constant(c.uint(0)));
    }),
];

fn constants(call: &Call, at: usize) -> Vec<u32> {
    list_of(call, at).into_iter().take(32).map(|value| value.int().unwrap_or_default() as u32).collect()
}

impl Machine {
    fn bind_framebuffer(&mut self, target: u32, name: u32) {
        if target == gl::FRAMEBUFFER || target == gl::DRAW_FRAMEBUFFER {
            self.bind(Kind::Framebuffer, what::DRAW_FRAMEBUFFER_BINDING, 0, name);
        }
        if target == gl::FRAMEBUFFER || target == gl::READ_FRAMEBUFFER {
            self.bind(Kind::Framebuffer, what::READ_FRAMEBUFFER_BINDING, 0, name);
        }
    }

    /// The framebuffer that is bound to a target, or that the call names: the owner of its cells.
    fn framebuffer(&mut self, target: u32) -> u32 {
        if let Some(named) = self.named(Kind::Framebuffer) {
            return named;
        }
        let is_read = target == gl::READ_FRAMEBUFFER;
        let what = if is_read { what::READ_FRAMEBUFFER_BINDING } else { what::DRAW_FRAMEBUFFER_BINDING };
        match self.object(self.context, what, 0) {
            (_, 0) => self.own(Kind::Framebuffer, 0),
            (_, instance) => instance,
        }
    }

    fn renderbuffer(&mut self, format: u32, width: u32, height: u32, samples: u32) {
        let bound = || self.object(self.context, what::RENDERBUFFER_BINDING, 0).1;
        let instance = self.named(Kind::Renderbuffer).unwrap_or_else(bound);
        let image = Image { width, height, depth: 1, format, samples, pixels: 0 };
        self.put(instance, what::STORAGE, 0, Value::Image(Arc::new(image)));
        self.tell(Effect::Sized { object: instance, level: 0, image });
    }

    fn put_attachment(&mut self, framebuffer: u32, attachment: u32, value: &Value) {
        if let Value::Attachment(it) = value {
            self.tell(Effect::Attached { whole: framebuffer, part: it.instance });
        }
        if attachment == gl::DEPTH_STENCIL_ATTACHMENT {
            self.put(framebuffer, what::ATTACHMENT, gl::DEPTH_ATTACHMENT, value.clone());
            self.put(framebuffer, what::ATTACHMENT, gl::STENCIL_ATTACHMENT, value.clone());
        } else {
            self.put(framebuffer, what::ATTACHMENT, attachment & 0xffff, value.clone());
        }
    }

    fn attach_renderbuffer(&mut self, framebuffer: u32, attachment: u32, name: u32) {
        let instance = self.instance(Kind::Renderbuffer, name);
        let it = Attachment { is_renderbuffer: true, name, instance, level: 0, layer: None, face: 0 };
        let value = if name == 0 { Value::Unset } else { Value::Attachment(Arc::new(it)) };
        self.put_attachment(framebuffer, attachment, &value);
    }

    fn attach(&mut self, framebuffer: u32, attachment: u32, name: u32, level: u32, layer: Option<u32>, face: u32) {
        let instance = self.instance(Kind::Texture, name);
        let it = Attachment { is_renderbuffer: false, name, instance, level, layer, face };
        let value = if name == 0 { Value::Unset } else { Value::Attachment(Arc::new(it)) };
        self.put_attachment(framebuffer, attachment, &value);
    }

    /// glFramebufferTexture1D, 2D and 3D: target, attachment, target of the texture, name, level.
    fn attach_target(&mut self, call: &Call, layer: Option<u32>) {
        let framebuffer = self.framebuffer(call.uint(0));
        let face = call.uint(2).checked_sub(gl::TEXTURE_CUBE_MAP_POSITIVE_X).filter(|face| *face < 6).unwrap_or(0);
        self.attach(framebuffer, call.uint(1), call.uint(3), call.uint(4), layer, face);
    }

    /// Stencil bits of the framebuffer that is drawn to, and the call that says so. `None` if they
    /// are not known: what a window has is not in a trace unless the program has asked.
    pub fn stencil_bits(&self) -> Option<(i64, Option<u32>)> {
        let (name, framebuffer) = self.object(self.context, what::DRAW_FRAMEBUFFER_BINDING, 0);
        if name == 0 {
            let cell = self.cell(self.context, what::STENCIL_BITS_OF_WINDOW, 0)?;
            return if let Value::Int(bits) = cell.value { Some((bits, Some(cell.call))) } else { None };
        }
        let attached = self.cell(framebuffer, what::ATTACHMENT, gl::STENCIL_ATTACHMENT);
        let Some(Cell { value: Value::Attachment(attachment), call, .. }) = attached else { return Some((0, None)) };
        let Attachment { is_renderbuffer, instance, level, face, .. } = **attachment;
        let image = match is_renderbuffer {
            true => self.value(instance, what::STORAGE, 0),
            false => self.value(instance, what::LEVEL, level_index(level, face)),
        };
        let Value::Image(image) = image else { return None };
        let bits = match image.format {
            gl::STENCIL_INDEX1 => 1,
            gl::STENCIL_INDEX4 => 4,
            gl::STENCIL_INDEX8 | gl::DEPTH24_STENCIL8 | gl::DEPTH32F_STENCIL8 => 8,
            gl::STENCIL_INDEX16 => 16,
            _ => return None,
        };
        Some((bits, Some(*call)))
    }

    fn draw_buffers(&mut self, framebuffer: u32, buffers: &[u32]) {
        for i in 0..8u16 {
            let buffer = buffers.get(usize::from(i)).copied().unwrap_or(0);
            self.put(framebuffer, what::DRAW_BUFFER0 + i, 0, Value::Constant(buffer));
        }
    }
}
