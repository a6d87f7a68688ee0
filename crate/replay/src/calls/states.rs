//! State that WebGL2 has, too, and capabilities.

use unspool_gl::call::Call;
use unspool_gl::{Variant, gl};

use super::Functions;
use crate::driver::Replay;
use crate::state::word;

pub(crate) const TABLE: Functions = &[
    ("Viewport", |r, c, _| viewport(r, [c.int(0), c.int(1), c.int(2), c.int(3)])),
    // Only the first viewport has a counterpart: others are for geometry shaders.
    ("ViewportArrayv", |r, c, _| {
        if let (0, [x, y, w, h, ..]) = (c.int(0), &c.argument(2).floats()[..]) {
            viewport(r, [x, y, w, h].map(|n| *n as i64));
        }
    }),
    ("ViewportIndexedfv", |r, c, _| {
        if let (0, [x, y, w, h, ..]) = (c.int(0), &c.argument(1).floats()[..]) {
            viewport(r, [x, y, w, h].map(|n| *n as i64));
        }
    }),
    ("ViewportIndexedf", |r, c, _| {
        if c.int(0) == 0 {
            viewport(r, [c.f32(1) as i64, c.f32(2) as i64, c.f32(3) as i64, c.f32(4) as i64]);
        }
    }),
    ("Scissor", |r, c, _| scissor(r, &[c.int(0), c.int(1), c.int(2), c.int(3)])),
    ("ScissorArrayv", |r, c, _| {
        if c.int(0) == 0 {
            scissor(r, &c.ints(2));
        }
    }),
    ("ScissorIndexed", |r, c, _| {
        if c.int(0) == 0 {
            scissor(r, &[c.int(1), c.int(2), c.int(3), c.int(4)]);
        }
    }),
    ("ScissorIndexedv", |r, c, _| {
        if c.int(0) == 0 {
            scissor(r, &c.ints(1));
        }
    }),
    ("DepthRangeArrayv", range_of_array),
    ("DepthRangeArrayfv", range_of_array),
    ("DepthRangeIndexed", range_of_index),
    ("DepthRangeIndexedf", range_of_index),
    ("ClipControl", |r, c, _| {
        let known = [[gl::LOWER_LEFT, gl::UPPER_LEFT], [gl::NEGATIVE_ONE_TO_ONE, gl::ZERO_TO_ONE]];
        let clips = [c.uint(0), c.uint(1)];
        if let Some(context) = r.context().filter(|_| known.iter().zip(clips).all(|(known, it)| known.contains(&it))) {
            context.clips = clips;
        }
    }),
    ("DepthBounds", |r, c, _| {
        if let Some(context) = r.context() {
            context.bounds = [c.f32(0), c.f32(1)];
        }
    }),
    ("ClearColor", |r, c, v| four(r, word::CLEAR_COLOR, c, v)),
    ("ClearColor*", |r, c, v| four(r, word::CLEAR_COLOR, c, v)),
    ("ClearDepth", |r, c, v| floats(r, word::CLEAR_DEPTH, &[v.single(c, 0)])),
    ("ClearDepth*", |r, c, v| floats(r, word::CLEAR_DEPTH, &[v.single(c, 0)])),
    ("ClearStencil", |r, c, _| words(r, word::CLEAR_STENCIL, &[c.uint(0)])),
    ("ColorMask", |r, c, _| words(r, word::COLOR_MASK, &[truth(c, 0), truth(c, 1), truth(c, 2), truth(c, 3)])),
    ("ColorMaski", |r, c, _| {
        if c.int(0) == 0 {
            words(r, word::COLOR_MASK, &[truth(c, 1), truth(c, 2), truth(c, 3), truth(c, 4)]);
        }
    }),
    ("DepthMask", |r, c, _| words(r, word::DEPTH_MASK, &[truth(c, 0)])),
    ("DepthFunc", |r, c, _| words(r, word::DEPTH_FUNC, &[c.uint(0)])),
    ("DepthRange", |r, c, v| two(r, word::DEPTH_RANGE, c, v)),
    ("DepthRange*", |r, c, v| two(r, word::DEPTH_RANGE, c, v)),
    ("BlendFunc", |r, c, _| words(r, word::BLEND_FUNC, &[c.uint(0), c.uint(1), c.uint(0), c.uint(1)])),
    ("BlendFuncSeparate", |r, c, _| words(r, word::BLEND_FUNC, &[c.uint(0), c.uint(1), c.uint(2), c.uint(3)])),
    // Of the first buffer, as with equations and masks.
    ("BlendFunci", |r, c, _| {
        if c.int(0) == 0 {
            words(r, word::BLEND_FUNC, &[c.uint(1), c.uint(2), c.uint(1), c.uint(2)]);
        }
    }),
    ("BlendFuncSeparatei", |r, c, _| {
        if c.int(0) == 0 {
            words(r, word::BLEND_FUNC, &[c.uint(1), c.uint(2), c.uint(3), c.uint(4)]);
        }
    }),
    ("BlendEquation", |r, c, _| words(r, word::BLEND_EQUATION, &[c.uint(0), c.uint(0)])),
    ("BlendEquationi", |r, c, _| {
        if c.int(0) == 0 {
            words(r, word::BLEND_EQUATION, &[c.uint(1), c.uint(1)]);
        }
    }),
    ("BlendEquationSeparatei", |r, c, _| {
        if c.int(0) == 0 {
            words(r, word::BLEND_EQUATION, &[c.uint(1), c.uint(2)]);
        }
    }),
    ("BlendEquationSeparate", |r, c, _| words(r, word::BLEND_EQUATION, &[c.uint(0), c.uint(1)])),
    ("BlendColor", |r, c, v| four(r, word::BLEND_COLOR, c, v)),
    ("BlendColor*", |r, c, v| four(r, word::BLEND_COLOR, c, v)),
    ("CullFace", |r, c, _| words(r, word::CULL_FACE, &[c.uint(0)])),
    ("FrontFace", |r, c, _| words(r, word::FRONT_FACE, &[c.uint(0)])),
    ("LineWidth", |r, c, v| floats(r, word::LINE_WIDTH, &[v.single(c, 0).max(1e-3)])),
    ("LineWidth*", |r, c, v| floats(r, word::LINE_WIDTH, &[v.single(c, 0).max(1e-3)])),
    ("PolygonOffset", |r, c, v| two(r, word::POLYGON_OFFSET, c, v)),
    ("PolygonOffset*", |r, c, v| two(r, word::POLYGON_OFFSET, c, v)),
    ("PolygonOffsetClamp", |r, c, v| two(r, word::POLYGON_OFFSET, c, v)),
    ("StencilFunc", |r, c, _| sides(r, gl::FRONT_AND_BACK, word::STENCIL_FUNC, &[c.uint(0), c.uint(1), c.uint(2)])),
    ("StencilFuncSeparate", |r, c, _| sides(r, c.uint(0), word::STENCIL_FUNC, &[c.uint(1), c.uint(2), c.uint(3)])),
    ("StencilOp", |r, c, _| sides(r, gl::FRONT_AND_BACK, word::STENCIL_OP, &[c.uint(0), c.uint(1), c.uint(2)])),
    ("StencilOpSeparate", |r, c, _| sides(r, c.uint(0), word::STENCIL_OP, &[c.uint(1), c.uint(2), c.uint(3)])),
    ("StencilMask", |r, c, _| sides(r, gl::FRONT_AND_BACK, word::STENCIL_MASK, &[c.uint(0)])),
    ("StencilMaskSeparate", |r, c, _| sides(r, c.uint(0), word::STENCIL_MASK, &[c.uint(1)])),
    ("Enable", |r, c, _| r.enable_cap(c.uint(0), true)),
    ("Disable", |r, c, _| r.enable_cap(c.uint(0), false)),
    ("Enablei", |r, c, _| {
        if c.int(1) == 0 {
            r.enable_cap(c.uint(0), true);
        }
    }),
    ("Disablei", |r, c, _| {
        if c.int(1) == 0 {
            r.enable_cap(c.uint(0), false);
        }
    }),
    ("PolygonMode", |r, c, _| {
        if let Some(context) = r.context()
            && c.uint(0) != gl::BACK
        {
            context.polygon_mode = c.uint(1);
        }
    }),
];

fn scissor(r: &mut Replay, given: &[i64]) {
    if let [x, y, w, h, ..] = *given {
        let size = |n: i64| n.clamp(0, 1 << 20) as u32;
        words(r, word::SCISSOR, &[x as u32, y as u32, size(w), size(h)]);
    }
}

/// The range of depths of the first viewport.
fn range_of_array(r: &mut Replay, c: &Call, _: Variant) {
    if let (0, [near, far, ..]) = (c.int(0), &c.argument(2).floats()[..]) {
        floats(r, word::DEPTH_RANGE, &[*near, *far]);
    }
}

fn range_of_index(r: &mut Replay, c: &Call, _: Variant) {
    if c.int(0) == 0 {
        floats(r, word::DEPTH_RANGE, &[c.f32(1), c.f32(2)]);
    }
}

fn truth(c: &Call, index: usize) -> u32 {
    u32::from(c.int(index) != 0)
}

fn words(r: &mut Replay, at: usize, words: &[u32]) {
    if let Some(context) = r.context() {
        context.state.put(at, words);
    }
}

fn floats(r: &mut Replay, at: usize, numbers: &[f32]) {
    if let Some(context) = r.context() {
        context.state.floats(at, numbers);
    }
}

fn two(r: &mut Replay, at: usize, c: &Call, v: Variant) {
    floats(r, at, &[v.single(c, 0), v.single(c, 1)]);
}

fn four(r: &mut Replay, at: usize, c: &Call, v: Variant) {
    floats(r, at, &[0, 1, 2, 3].map(|i| v.single(c, i)));
}

fn sides(r: &mut Replay, face: u32, at: usize, given: &[u32]) {
    if face != gl::BACK {
        words(r, at, given);
    }
    if face != gl::FRONT {
        words(r, at + given.len(), given);
    }
}

fn viewport(r: &mut Replay, [x, y, w, h]: [i64; 4]) {
    let most = 1 << 15;
    let (w, h) = (w.clamp(0, most), h.clamp(0, most));
    words(r, word::VIEWPORT, &[x as u32, y as u32, w as u32, h as u32]);
    let Some(context) = r.context() else { return };
    if !context.had_viewport {
        // That of a new context is the window, and so is the scissor.
        context.had_viewport = true;
        if context.state.four(word::SCISSOR) == [0; 4] {
            context.state.put(word::SCISSOR, &[x as u32, y as u32, w as u32, h as u32]);
        }
    }
    if context.draw_framebuffer == 0 {
        r.grow((x + w).clamp(0, most) as u32, (y + h).clamp(0, most) as u32);
    }
}

impl Replay {
    /// Enables or disables a capability.
    pub(crate) fn enable_cap(&mut self, cap: u32, on: bool) {
        let Some(context) = self.context() else { return };
        if context.state.enable(cap, on) {
            return;
        }
        match cap {
            gl::PRIMITIVE_RESTART | gl::PRIMITIVE_RESTART_NV => context.restart.on = on,
            gl::PRIMITIVE_RESTART_FIXED_INDEX => context.restart.is_fixed = on,
            _ => {}
        }
        let unit = context.active;
        let fixed = &mut context.fixed;
        match cap {
            gl::LIGHTING => fixed.lighting = on,
            gl::COLOR_MATERIAL => {
                fixed.color_material = on;
                fixed.track();
            }
            gl::COLOR_SUM => fixed.sums = on,
            gl::POINT_SPRITE => fixed.sprites = on,
            gl::LINE_STIPPLE => fixed.stipples = on,
            gl::CLIP_DISTANCE0..=gl::CLIP_DISTANCE7 => {
                if let Some(slot) = fixed.clips.get_mut((cap - gl::CLIP_DISTANCE0) as usize) {
                    *slot = on;
                }
            }
            gl::NORMALIZE | gl::RESCALE_NORMAL => fixed.normalize = on,
            gl::ALPHA_TEST => fixed.alpha_test = on,
            gl::FOG => fixed.fogged = on,
            gl::LIGHT0..=gl::LIGHT7 => {
                if let Some(lit) = fixed.lit.get_mut((cap - gl::LIGHT0) as usize) {
                    *lit = on;
                }
            }
            gl::TEXTURE_GEN_S..=gl::TEXTURE_GEN_Q => {
                let coordinate = (cap - gl::TEXTURE_GEN_S) as usize;
                if let Some(slot) = fixed.environments.get_mut(unit).and_then(|e| e.generates.get_mut(coordinate)) {
                    *slot = on;
                }
            }
            gl::TEXTURE_1D | gl::TEXTURE_2D | gl::TEXTURE_3D | gl::TEXTURE_CUBE_MAP | gl::TEXTURE_RECTANGLE => {
                if let Some(slot) = crate::driver::slot_of(cap)
                    && let Some(enabled) = fixed.environments.get_mut(unit).and_then(|e| e.enabled.get_mut(slot))
                {
                    *enabled = on;
                }
            }
            _ => self.enable_extra(cap, on),
        }
    }
}
