//! Copies of images: `glCopyImageSubData` (OpenGL 4.3, section 18.3.2), which WebGL2 lacks. A layer
//! of the source is attached to a framebuffer of ours, and copied from there.

use unspool_gl::call::Call;
use unspool_gl::{Variant, gl};

use super::Functions;
use crate::driver::{Replay, slot_of};
use crate::ops::{Kind, Op};
use crate::surfaces::of_renderbuffer;

pub(crate) const TABLE: Functions = &[("CopyImageSubData", copy)];

/// Layers of a copy at most.
const MOST_LAYERS: u32 = 2048;

/// An image as WebGL2 has it.
#[derive(Clone, Copy)]
struct Image {
    handle: u32,
    binding: u32,
    level: u32,
    at: [u32; 3],
    is_renderbuffer: bool,
    is_depth: bool,
}

impl Image {
    /// The target of a layer, and its number, if it has one.
    fn layer(&self, i: u32) -> (u32, Option<u32>) {
        let [.., z] = self.at;
        match self.binding {
            gl::TEXTURE_3D | gl::TEXTURE_2D_ARRAY => (self.binding, Some(z + i)),
            gl::TEXTURE_CUBE_MAP => (gl::TEXTURE_CUBE_MAP_POSITIVE_X + (z + i).min(5), None),
            _ => (self.binding, None),
        }
    }
}

/// The image that the six arguments from `first` on name.
fn image(r: &mut Replay, c: &Call, first: usize) -> Option<Image> {
    let [name, target, level, x, y, z] = core::array::from_fn(|i| c.uint(first + i));
    let at = [x, y, z.min(MOST_LAYERS)];
    let (_, objects, _) = r.both()?;
    if target == gl::RENDERBUFFER {
        let known = objects.renderbuffers.get(&name)?;
        let is_depth = matches!(known.format, gl::DEPTH_COMPONENT24 | gl::DEPTH_COMPONENT32F | gl::DEPTH24_STENCIL8);
        return Some(Image { handle: known.handle, binding: 0, level: 0, at, is_renderbuffer: true, is_depth });
    }
    slot_of(target)?;
    let texture = objects.textures.get(&name).filter(|texture| texture.samples.is_none())?;
    let is_depth = texture.storage.is_some_and(|of| of.is_depth());
    Some(Image { handle: texture.handle, binding: texture.binding, level, at, is_renderbuffer: false, is_depth })
}

fn copy(r: &mut Replay, c: &Call, _: Variant) {
    let (Some(from), Some(to)) = (image(r, c, 0), image(r, c, 6)) else { return };
    let (name, [width, height, layers]) = (c.uint(6), [12, 13, 14].map(|i| c.int(i).clamp(0, 1 << 15) as u32));
    if from.is_depth || to.is_depth || to.is_renderbuffer {
        let Some((_, objects, _)) = r.both() else { return };
        let why = Some("it is a copy of depths, or in a renderbuffer, which is not replayed");
        if to.is_renderbuffer {
            objects.renderbuffers.get_mut(&name).into_iter().for_each(|it| it.problem = why);
        } else {
            objects.textures.get_mut(&name).into_iter().for_each(|it| it.problem = why);
        }
        return;
    }
    let surface = if from.is_renderbuffer { of_renderbuffer(from.handle) } else { from.handle };
    r.surfaces.read(surface);
    if r.copier == 0 {
        r.copier = r.handle(Kind::Framebuffer);
    }
    let point = gl::COLOR_ATTACHMENT0;
    r.bind_framebuffer(gl::DRAW_FRAMEBUFFER, r.copier);
    r.bind_framebuffer(gl::READ_FRAMEBUFFER, r.copier);
    for i in 0..layers.clamp(1, MOST_LAYERS) {
        if from.is_renderbuffer {
            r.stream.put(Op::FramebufferRenderbuffer, &[point, from.handle]);
        } else {
            let (target, layer) = from.layer(i);
            let words = [point, target, from.handle, from.level, layer.unwrap_or(u32::MAX)];
            r.stream.put(Op::FramebufferTexture, &words);
        }
        let (target, layer) = to.layer(i);
        let [from_x, from_y, _] = from.at;
        let [x, y, _] = to.at;
        let place = [to.handle, to.binding, target, to.level, x, y, layer.unwrap_or(0)];
        let rest = [from_x, from_y, width, height, u32::from(layer.is_some())];
        r.stream.put(Op::CopyTexSubImage, &[&place[..], &rest].concat());
    }
    r.stream.put(Op::FramebufferRenderbuffer, &[point, 0]);
    if let Some(texture) = r.both().and_then(|(_, objects, _)| objects.textures.get_mut(&name)) {
        texture.is_drawn = true;
    }
    r.surface_attached(to.handle, false);
    r.wrote(to.handle);
}
