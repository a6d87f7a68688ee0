//! Framebuffers and renderbuffers, and copies between them.

use unspool_gl::call::Call;
use unspool_gl::gl;

use super::Functions;
use super::textures::MOST_SAMPLES;
use crate::driver::{OBJECT, Replay, slot_of};
use crate::objects::{Attachment, Framebuffer, Renderbuffer};
use crate::ops::{Kind, Op};
use crate::pixels::storage_of;
use crate::surfaces::of_renderbuffer;

pub(crate) const TABLE: Functions = &[
    ("BindFramebuffer", |r, c, _| {
        let (target, name) = (c.uint(0), c.uint(1));
        if name != 0 {
            r.framebuffer(name);
        }
        if let Some(context) = r.context() {
            if target != gl::READ_FRAMEBUFFER {
                context.draw_framebuffer = name;
            }
            if target != gl::DRAW_FRAMEBUFFER {
                context.read_framebuffer = name;
            }
        }
        r.surfaces_shown();
    }),
    ("DeleteFramebuffers", |r, c, _| {
        for name in c.ints(1) {
            let name = name as u32;
            let Some(context) = r.context() else { return };
            let Some(framebuffer) = context.framebuffers.remove(&name) else { continue };
            for bound in [&mut context.draw_framebuffer, &mut context.read_framebuffer] {
                if *bound == name {
                    *bound = 0;
                }
            }
            r.delete_framebuffer(&framebuffer);
        }
    }),
    ("FramebufferTexture2D", |r, c, _| attach_texture(r, c, c.uint(2), c.uint(3), c.uint(4), None)),
    // Samples of EXT_multisampled_render_to_texture are left out, as in windows.
    ("FramebufferTexture2DMultisample", |r, c, _| attach_texture(r, c, c.uint(2), c.uint(3), c.uint(4), None)),
    ("FramebufferTextureFace", |r, c, _| attach_texture(r, c, c.uint(4), c.uint(2), c.uint(3), None)),
    ("FramebufferTexture1D", |r, c, _| attach_texture(r, c, c.uint(2), c.uint(3), c.uint(4), None)),
    ("FramebufferTexture", |r, c, _| attach_texture(r, c, gl::TEXTURE_2D, c.uint(2), c.uint(3), None)),
    ("FramebufferTexture3D", |r, c, _| attach_texture(r, c, gl::TEXTURE_3D, c.uint(3), c.uint(4), Some(c.uint(5)))),
    ("FramebufferTextureLayer", |r, c, _| attach_texture(r, c, 0, c.uint(2), c.uint(3), Some(c.uint(4)))),
    ("BindRenderbuffer", |r, c, _| {
        let name = c.uint(1);
        r.renderbuffer(name);
        if let Some(context) = r.context() {
            context.renderbuffer = name;
        }
    }),
    ("RenderbufferStorage", |r, c, _| renderbuffer_storage(r, 0, c.uint(1), c.int(2), c.int(3))),
    ("RenderbufferStorageMultisample", |r, c, _| renderbuffer_storage(r, c.uint(1), c.uint(2), c.int(3), c.int(4))),
    ("RenderbufferStorageMultisampleCoverage", |r, c, _| {
        renderbuffer_storage(r, c.uint(2), c.uint(3), c.int(4), c.int(5));
    }),
    ("FramebufferRenderbuffer", |r, c, _| {
        let (target, point, name) = (c.uint(0), c.uint(1), c.uint(3));
        let found = r.both().and_then(|(_, objects, _)| objects.renderbuffers.get_mut(&name));
        let Some(Renderbuffer { handle, width, height, samples, problem, .. }) = found.map(|renderbuffer| {
            renderbuffer.is_drawn = true;
            *renderbuffer
        }) else {
            return detach(r, target, point);
        };
        let rest = Attachment { point, width, height, samples, problem, ..Attachment::default() };
        attach(r, target, Attachment { surface: of_renderbuffer(handle), is_whole: true, ..rest }, |r| {
            r.stream.put(Op::FramebufferRenderbuffer, &[point, handle]);
        });
    }),
    ("DeleteRenderbuffers", |r, c, _| {
        for name in c.ints(1) {
            let Some((_, objects, stream)) = r.both() else { return };
            if let Some(renderbuffer) = objects.renderbuffers.remove(&(name as u32)) {
                stream.put(Op::Delete, &[Kind::Renderbuffer as u32, renderbuffer.handle]);
                r.writes.remove(&of_renderbuffer(renderbuffer.handle));
                r.reserve(renderbuffer.bytes + OBJECT, 0);
            }
        }
    }),
    ("DrawBuffer", |r, c, _| draw_buffers(r, &[c.int(0)])),
    ("DrawBuffers", |r, c, _| draw_buffers(r, &c.ints(1))),
    ("ReadBuffer", |r, c, _| {
        let buffer = c.uint(0);
        let Some(context) = r.context() else { return };
        if context.read_framebuffer == 0 || !r.bind_targets() {
            return;
        }
        r.stream.put(Op::ReadBuffer, &[buffer]);
    }),
    ("BlitFramebuffer", |r, c, _| blit(r, c, 0)),
    ("BlitNamedFramebuffer", |r, c, _| r.with_framebuffers([c.uint(0), c.uint(1)], |r| blit(r, c, 2))),
];

/// The framebuffer of the trace that is bound to a target. `None` for that of the window.
fn bound(r: &mut Replay, target: u32) -> Option<&mut crate::objects::Framebuffer> {
    let context = r.context()?;
    let name = if target == gl::READ_FRAMEBUFFER { context.read_framebuffer } else { context.draw_framebuffer };
    if name == 0 { None } else { r.framebuffer(name) }
}

fn attach_texture(r: &mut Replay, c: &Call, target: u32, name: u32, level: u32, layer: Option<u32>) {
    let (framebuffer, point) = (c.uint(0), c.uint(1));
    let found = r.both().and_then(|(_, objects, _)| {
        let texture = objects.textures.get_mut(&name)?;
        texture.is_drawn = true;
        let [width, height, _] = texture.levels.get(level as usize).copied().unwrap_or_default();
        let integer = texture.storage.is_some_and(|of| of.is_integer());
        let is_whole = texture.binding == gl::TEXTURE_2D && texture.levels.len() < 2;
        let (surface, problem) = (texture.handle, texture.problem);
        let made = Attachment { point, width, height, integer, surface, is_whole, level, problem, samples: 0 };
        Some((made, texture.binding, texture.samples))
    });
    let Some((made, binding, samples)) = found else { return detach(r, framebuffer, point) };
    let handle = made.surface;
    if let Some((renderbuffer, samples)) = samples {
        // WebGL2 has several samples a pixel in renderbuffers only.
        r.has_parts = true;
        let made = Attachment { surface: of_renderbuffer(renderbuffer), samples, is_whole: true, ..made };
        return attach(r, framebuffer, made, |r| r.stream.put(Op::FramebufferRenderbuffer, &[point, renderbuffer]));
    }
    // A face of a cube is attached by its own target; all layers of a texture are its first one.
    let target = match (slot_of(target), binding) {
        (Some(1), gl::TEXTURE_CUBE_MAP) if target != gl::TEXTURE_CUBE_MAP => target,
        (_, gl::TEXTURE_CUBE_MAP) => gl::TEXTURE_CUBE_MAP_POSITIVE_X + layer.unwrap_or(0).min(5),
        _ => binding,
    };
    let layer = match binding {
        gl::TEXTURE_3D | gl::TEXTURE_2D_ARRAY => layer.unwrap_or(0),
        _ => u32::MAX,
    };
    attach(r, framebuffer, made, |r| r.stream.put(Op::FramebufferTexture, &[point, target, handle, level, layer]));
}

/// Attaches something to the framebuffer that is bound to a target. `put` says so to WebGL2.
fn attach(r: &mut Replay, target: u32, made: Attachment, put: impl FnOnce(&mut Replay)) {
    let Some(handle) = bound(r, target).map(|framebuffer| framebuffer.handle) else { return };
    r.bind_framebuffer(gl::DRAW_FRAMEBUFFER, handle);
    put(r);
    if let Some(framebuffer) = bound(r, target) {
        framebuffer.attach(made);
        r.surface_attached(made.surface, made.is_whole);
        r.settle(handle);
    }
}

fn detach(r: &mut Replay, target: u32, point: u32) {
    let Some(framebuffer) = bound(r, target) else { return };
    framebuffer.attachments.retain(|known| known.point != point);
    let handle = framebuffer.handle;
    r.bind_framebuffer(gl::DRAW_FRAMEBUFFER, handle);
    r.stream.put(Op::FramebufferRenderbuffer, &[point, 0]);
    r.settle(handle);
}

/// Whether a point of a framebuffer is that of depths, stencils or both.
fn is_depth(point: u32) -> bool {
    matches!(point, gl::DEPTH_ATTACHMENT | gl::STENCIL_ATTACHMENT | gl::DEPTH_STENCIL_ATTACHMENT)
}

impl Replay {
    /// Deletes in WebGL2 what no context has any more.
    pub(crate) fn delete_framebuffer(&mut self, framebuffer: &Framebuffer) {
        self.stream.put(Op::Delete, &[Kind::Framebuffer as u32, framebuffer.handle]);
        let mut freed = OBJECT;
        if let Some((renderbuffer, width, height)) = framebuffer.substitute {
            self.stream.put(Op::Delete, &[Kind::Renderbuffer as u32, renderbuffer]);
            freed += OBJECT + 4 * u64::from(width) * u64::from(height);
        }
        self.unbound_framebuffer(framebuffer.handle);
        self.reserve(freed, 0);
    }
    /// The renderbuffer of this name is there from now on.
    pub(super) fn renderbuffer(&mut self, name: u32) {
        let known = self.both().is_some_and(|(_, objects, _)| name == 0 || objects.renderbuffers.contains_key(&name));
        if !known {
            let handle = self.handle(Kind::Renderbuffer);
            if let Some((_, objects, _)) = self.both() {
                objects.renderbuffers.insert(name, Renderbuffer { handle, ..Renderbuffer::default() });
            }
        }
    }

    /// What is attached somewhere has another size now, or another problem.
    pub(crate) fn surface_resized(
        &mut self,
        surface: u32,
        level: u32,
        [width, height]: [u32; 2],
        problem: Option<&'static str>,
    ) {
        let mut changed = Vec::new();
        for framebuffer in self.contexts.values_mut().flat_map(|context| context.framebuffers.values_mut()) {
            for attachment in &mut framebuffer.attachments {
                if attachment.surface == surface && attachment.level == level {
                    let new = Attachment { width, height, problem, ..*attachment };
                    if core::mem::replace(attachment, new) != new {
                        changed.push(framebuffer.handle);
                    }
                }
            }
        }
        changed.into_iter().for_each(|handle| self.settle(handle));
    }

    /// Framebuffers may have attachments of several sizes in OpenGL (since 3.0, section 4.4.4), and
    /// draws cover what they have in common. In WebGL2 all have one size: depths of another size
    /// than the colours are drawn to a renderbuffer of ours.
    fn settle(&mut self, handle: u32) {
        let all = self.contexts.values().flat_map(|context| context.framebuffers.values());
        let Some(framebuffer) = all.into_iter().find(|framebuffer| framebuffer.handle == handle) else { return };
        let (colors, depths): (Vec<_>, Vec<_>) =
            framebuffer.attachments.iter().copied().partition(|attachment| !is_depth(attachment.point));
        let known = framebuffer.substitute;
        let [width, height, samples] = colors.first().map_or([0; 3], |it| [it.width, it.height, it.samples]);
        let differs = |it: &Attachment| it.width > 0 && (it.width, it.height) != (width, height);
        let is_substituted = width > 0 && depths.iter().any(differs);
        let bytes = |(_, width, height): (u32, u32, u32)| 4 * u64::from(width) * u64::from(height);
        let mut substitute = None;
        if is_substituted {
            let renderbuffer = known.map_or_else(|| self.handle(Kind::Renderbuffer), |(renderbuffer, ..)| renderbuffer);
            let made = (renderbuffer, width, height);
            if !self.reserve(known.map_or(0, bytes), bytes(made)) {
                return;
            }
            if known != Some(made) {
                let words = [renderbuffer, samples, gl::DEPTH24_STENCIL8, width, height];
                self.stream.put(Op::RenderbufferStorage, &words);
            }
            // Copies of what was drawn do not have it.
            self.has_parts = true;
            substitute = Some(made);
        } else if known.is_none() {
            return;
        }
        self.bind_framebuffer(gl::DRAW_FRAMEBUFFER, handle);
        for Attachment { point, surface, level, .. } in depths {
            let own = surface & !of_renderbuffer(0);
            match substitute {
                Some((renderbuffer, ..)) => self.stream.put(Op::FramebufferRenderbuffer, &[point, renderbuffer]),
                None if own == surface => {
                    self.stream.put(Op::FramebufferTexture, &[point, gl::TEXTURE_2D, own, level, u32::MAX]);
                }
                None => self.stream.put(Op::FramebufferRenderbuffer, &[point, own]),
            }
        }
        if let (Some(known), None) = (known, substitute) {
            self.stream.put(Op::Delete, &[Kind::Renderbuffer as u32, known.0]);
            self.reserve(bytes(known) + OBJECT, 0);
        }
        let all = self.contexts.values_mut().flat_map(|context| context.framebuffers.values_mut());
        for framebuffer in all.filter(|framebuffer| framebuffer.handle == handle) {
            framebuffer.substitute = substitute;
        }
    }
}

fn renderbuffer_storage(r: &mut Replay, samples: u32, internal: u32, width: i64, height: i64) {
    let most = i64::from(r.bounds.size);
    let (width, height) = (width.clamp(1, most) as u32, height.clamp(1, most) as u32);
    let samples = samples.min(MOST_SAMPLES);
    let of = storage_of(internal, gl::UNSIGNED_BYTE);
    // Only stencil.
    let format = match internal {
        gl::STENCIL_INDEX8 | gl::STENCIL_INDEX => Some(gl::STENCIL_INDEX8),
        _ => of.map(|of| of.internal),
    };
    let pixel = of.map_or(4, |of| of.bytes.max(4));
    let needed = u64::from(width) * u64::from(height) * u64::from(pixel) * u64::from(samples.max(1));
    let Some(old) =
        r.both().and_then(|(context, objects, _)| objects.renderbuffers.get(&context.renderbuffer).copied())
    else {
        return;
    };
    if !r.reserve(old.bytes, needed) {
        return;
    }
    if let Some((context, objects, stream)) = r.both()
        && let Some(renderbuffer) = objects.renderbuffers.get_mut(&context.renderbuffer)
    {
        let handle = renderbuffer.handle;
        let problem = format.is_none().then_some("a renderbuffer has a format that WebGL2 lacks");
        let (format, is_drawn) = (format.unwrap_or(gl::RGBA8), renderbuffer.is_drawn);
        *renderbuffer = Renderbuffer { handle, width, height, samples, format, bytes: needed, problem, is_drawn };
        stream.put(Op::RenderbufferStorage, &[handle, samples, format, width, height]);
        r.surface_made(of_renderbuffer(handle));
        r.surface_resized(of_renderbuffer(handle), 0, [width, height], problem);
    }
}

fn draw_buffers(r: &mut Replay, buffers: &[i64]) {
    let Some(context) = r.context() else { return };
    // The window has one buffer here, whichever the trace draws to.
    if context.draw_framebuffer == 0 || !r.bind_targets() {
        return;
    }
    // WebGL2 wants buffer i at place i.
    let words: Vec<u32> = (gl::COLOR_ATTACHMENT0..gl::COLOR_ATTACHMENT8)
        .zip(buffers)
        .map(|(own, buffer)| if *buffer as u32 == own { own } else { 0 })
        .collect();
    r.stream.put(Op::DrawBuffers, &words);
    if let Some(framebuffer) = bound(r, gl::DRAW_FRAMEBUFFER) {
        framebuffer.is_masked = words.first() != Some(&gl::COLOR_ATTACHMENT0);
    }
}

/// `first`: the index of the argument that the ten of a blit begin with.
fn blit(r: &mut Replay, c: &Call, first: usize) {
    if !r.may_write() {
        return;
    }
    r.note_read();
    r.note_draw();
    let words: Vec<u32> = (0..10).map(|i| c.uint(first + i)).collect();
    r.stream.put(Op::BlitFramebuffer, &words);
    r.verdict.add(r.call, None);
}
