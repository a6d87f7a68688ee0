//! Framebuffers and renderbuffers, and copies between them.

use unspool_gl::gl;

use super::Run;
use crate::call::Call;
use crate::driver::{OBJECT, Replay, slot_of};
use crate::objects::{Attachment, Renderbuffer};
use crate::ops::{Kind, Op};
use crate::pixels::{Base, storage_of};
use crate::surfaces::of_renderbuffer;

pub(crate) const TABLE: &[(&str, Run)] = &[
    ("glBindFramebuffer", |r, c| {
        let (target, name) = (c.u32(0), c.u32(1));
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
    ("glDeleteFramebuffers", |r, c| {
        for name in c.ints(1) {
            let name = name as u32;
            let Some((context, _, stream)) = r.both() else { return };
            let Some(framebuffer) = context.framebuffers.remove(&name) else { continue };
            stream.put(Op::Delete, &[Kind::Framebuffer as u32, framebuffer.handle]);
            for bound in [&mut context.draw_framebuffer, &mut context.read_framebuffer] {
                if *bound == name {
                    *bound = 0;
                }
            }
            r.unbound_framebuffer(framebuffer.handle);
            r.reserve(OBJECT, 0);
        }
    }),
    ("glFramebufferTexture2D", |r, c| attach(r, c, c.u32(2), c.u32(3), c.u32(4), None)),
    ("glFramebufferTexture1D", |r, c| attach(r, c, c.u32(2), c.u32(3), c.u32(4), None)),
    ("glFramebufferTexture", |r, c| attach(r, c, gl::TEXTURE_2D, c.u32(2), c.u32(3), None)),
    ("glFramebufferTexture3D", |r, c| attach(r, c, gl::TEXTURE_3D, c.u32(3), c.u32(4), Some(c.u32(5)))),
    ("glFramebufferTextureLayer", |r, c| attach(r, c, 0, c.u32(2), c.u32(3), Some(c.u32(4)))),
    ("glBindRenderbuffer", |r, c| {
        let name = c.u32(1);
        let known = r.both().is_some_and(|(_, objects, _)| name == 0 || objects.renderbuffers.contains_key(&name));
        if !known {
            let handle = r.handle(Kind::Renderbuffer);
            if let Some((_, objects, _)) = r.both() {
                objects.renderbuffers.insert(name, Renderbuffer { handle, ..Renderbuffer::default() });
            }
        }
        if let Some(context) = r.context() {
            context.renderbuffer = name;
        }
    }),
    ("glRenderbufferStorage", |r, c| renderbuffer_storage(r, 0, c.u32(1), c.int(2), c.int(3))),
    ("glRenderbufferStorageMultisample", |r, c| renderbuffer_storage(r, c.u32(1), c.u32(2), c.int(3), c.int(4))),
    ("glFramebufferRenderbuffer", |r, c| {
        let (target, point, name) = (c.u32(0), c.u32(1), c.u32(3));
        let found = r.both().and_then(|(_, objects, _)| objects.renderbuffers.get_mut(&name));
        let found = found.map_or(Renderbuffer::default(), |renderbuffer| {
            renderbuffer.is_drawn = true;
            *renderbuffer
        });
        let Some(handle) = current(r, target) else { return };
        r.bind_framebuffer(gl::DRAW_FRAMEBUFFER, handle);
        r.stream.put(Op::FramebufferRenderbuffer, &[point, found.handle]);
        let Renderbuffer { width, height, samples, problem, .. } = found;
        if let Some(framebuffer) = bound(r, target) {
            let surface = of_renderbuffer(found.handle);
            framebuffer.attach(Attachment { point, width, height, samples, integer: false, surface, is_whole: true });
            framebuffer.problem = framebuffer.problem.or(problem);
            r.surface_attached(surface, true);
        }
    }),
    ("glDeleteRenderbuffers", |r, c| {
        for name in c.ints(1) {
            let Some((_, objects, stream)) = r.both() else { return };
            if let Some(renderbuffer) = objects.renderbuffers.remove(&(name as u32)) {
                stream.put(Op::Delete, &[Kind::Renderbuffer as u32, renderbuffer.handle]);
                r.reserve(renderbuffer.bytes + OBJECT, 0);
            }
        }
    }),
    ("glDrawBuffer", |r, c| draw_buffers(r, &[c.int(0)])),
    ("glDrawBuffers", |r, c| draw_buffers(r, &c.ints(1))),
    ("glReadBuffer", |r, c| {
        let buffer = c.u32(0);
        let Some(context) = r.context() else { return };
        if context.read_framebuffer == 0 || !r.bind_targets() {
            return;
        }
        r.stream.put(Op::ReadBuffer, &[buffer]);
    }),
    ("glBlitFramebuffer", blit),
];

/// The framebuffer of the trace that is bound to a target. `None` for that of the window.
fn bound(r: &mut Replay, target: u32) -> Option<&mut crate::objects::Framebuffer> {
    let context = r.context()?;
    let name = if target == gl::READ_FRAMEBUFFER { context.read_framebuffer } else { context.draw_framebuffer };
    if name == 0 { None } else { r.framebuffer(name) }
}

fn current(r: &mut Replay, target: u32) -> Option<u32> {
    bound(r, target).map(|framebuffer| framebuffer.handle)
}

fn attach(r: &mut Replay, c: &Call, target: u32, name: u32, level: u32, layer: Option<u32>) {
    let point = c.u32(1);
    let found = r.both().and_then(|(_, objects, _)| {
        let texture = objects.textures.get_mut(&name)?;
        texture.is_drawn = true;
        let [w, h, _] = texture.levels.get(level as usize).copied().unwrap_or_default();
        let integer = texture.base() == Base::Integer;
        let is_whole = texture.binding == gl::TEXTURE_2D && texture.levels.len() < 2;
        Some((texture.handle, texture.binding, w, h, integer, is_whole, texture.problem))
    });
    let (handle, binding, width, height, integer, is_whole, problem) =
        found.unwrap_or((0, gl::TEXTURE_2D, 0, 0, false, false, None));
    let Some(framebuffer) = current(r, c.u32(0)) else { return };
    r.bind_framebuffer(gl::DRAW_FRAMEBUFFER, framebuffer);
    // A face of a cube is attached by its own target.
    let target = if slot_of(target) == Some(1) && target != gl::TEXTURE_CUBE_MAP { target } else { binding };
    let layer = match binding {
        gl::TEXTURE_3D | gl::TEXTURE_2D_ARRAY => layer.unwrap_or(0),
        _ => u32::MAX,
    };
    r.stream.put(Op::FramebufferTexture, &[point, target, handle, level, layer]);
    if let Some(framebuffer) = bound(r, c.u32(0)) {
        framebuffer.attach(Attachment { point, width, height, samples: 0, integer, surface: handle, is_whole });
        framebuffer.problem = problem;
        r.surface_attached(handle, is_whole);
    }
}

fn renderbuffer_storage(r: &mut Replay, samples: u32, internal: u32, width: i64, height: i64) {
    let most = i64::from(r.bounds.size);
    let (width, height) = (width.clamp(1, most) as u32, height.clamp(1, most) as u32);
    let samples = samples.min(4);
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

fn blit(r: &mut Replay, c: &Call) {
    if r.is_skipped() {
        return;
    }
    if !r.flush_state() {
        return r.unshown("no framebuffer is bound");
    }
    r.note_read();
    r.note_draw();
    let words: Vec<u32> = (0..10).map(|i| c.u32(i)).collect();
    r.stream.put(Op::BlitFramebuffer, &words);
    r.verdict.add(c.number, None);
}
