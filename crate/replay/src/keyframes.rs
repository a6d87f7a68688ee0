//! What a copy of everything that was drawn has to hold, so that a later replay can go on from
//! there.

use unspool_gl::gl;

use crate::driver::Replay;
use crate::objects::{BUFFER, Drawable, Renderbuffer};

/// A surface that draws or copies wrote to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// It is a renderbuffer, otherwise a texture.
    pub is_renderbuffer: bool,
    /// Its number.
    pub handle: u32,
    /// Its internal format.
    pub format: u32,
    /// Its size.
    pub width: u32,
    /// Its size.
    pub height: u32,
}

impl Replay {
    /// The call that was executed last. `None` if it is not the highest one so far: a replay that
    /// comes to it has executed others.
    pub fn latest(&self) -> Option<u64> {
        (self.call == self.highest).then_some(self.call)
    }

    /// The surfaces that were drawn to. `None` if one cannot be copied: one with levels, faces,
    /// layers or several samples, or one that WebGL2 is yet to get.
    pub fn drawn(&self) -> Option<Vec<Drawn>> {
        if self.has_parts || !self.stream.backlog.is_empty() {
            return None;
        }
        let mut all = Vec::new();
        for Drawable { color, depth, width, height, .. } in self.drawables.values().copied() {
            all.push(Drawn { is_renderbuffer: false, handle: color, format: gl::RGBA8, width, height });
            all.push(Drawn { is_renderbuffer: true, handle: depth, format: gl::DEPTH24_STENCIL8, width, height });
        }
        for objects in self.groups.values() {
            for texture in objects
                .textures
                .values()
                .filter(|texture| texture.is_drawn && texture.samples.is_none() && texture.slot != BUFFER)
            {
                match (texture.binding, &texture.levels[..], texture.storage) {
                    (gl::TEXTURE_2D, [[width, height, _]], Some(of)) => {
                        let (handle, format, width, height) = (texture.handle, of.internal, *width, *height);
                        all.push(Drawn { is_renderbuffer: false, handle, format, width, height });
                    }
                    (_, [], _) => {}
                    _ => return None,
                }
            }
            for renderbuffer in objects.renderbuffers.values().filter(|renderbuffer| renderbuffer.is_drawn) {
                let Renderbuffer { handle, format, width, height, samples, .. } = *renderbuffer;
                if samples > 0 {
                    return None;
                }
                all.push(Drawn { is_renderbuffer: true, handle, format, width, height });
            }
        }
        all.retain(|drawn| drawn.width > 0 && drawn.height > 0);
        Some(all)
    }
}
