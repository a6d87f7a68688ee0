//! `glPushAttrib` and `glPopAttrib`: which attributes a mask has is in the tables of state of the
//! OpenGL 4.6 compatibility profile, chapter 23.

use unspool_gl::gl;

use super::Functions;
use crate::driver::Replay;
use crate::fixed::Fixed;
use crate::objects::{ATTRIBUTES, Context, Units};
use crate::state::{State, word};

pub(crate) const TABLE: Functions = &[("PushAttrib", |r, c, _| push(r, c.uint(0))), ("PopAttrib", |r, _, _| pop(r))];

/// What `glPushAttrib` keeps.
#[derive(Clone)]
pub(crate) struct Kept {
    mask: u32,
    state: State,
    fixed: Fixed,
    values: [[f32; 4]; ATTRIBUTES],
    units: Units,
    active: usize,
    extras: Vec<u32>,
    logic_op: u32,
    polygon_mode: u32,
    list_base: u32,
    clips: [u32; 2],
    bounds: [f32; 2],
    first_provokes: bool,
}

/// Limit for the depth of the stack.
const MOST_KEPT: usize = 16;

/// Words of the state by the bit of the mask.
const WORDS: [(u32, usize, usize); 13] = [
    (gl::LINE_BIT, word::LINE_WIDTH, 1),
    (gl::POLYGON_BIT, word::CULL_FACE, 2),
    (gl::POLYGON_BIT, word::POLYGON_OFFSET, 2),
    (gl::DEPTH_BUFFER_BIT, word::DEPTH_MASK, 2),
    (gl::DEPTH_BUFFER_BIT, word::CLEAR_DEPTH, 1),
    (gl::STENCIL_BUFFER_BIT, word::STENCIL_FUNC, 14),
    (gl::STENCIL_BUFFER_BIT, word::CLEAR_STENCIL, 1),
    (gl::VIEWPORT_BIT, word::VIEWPORT, 4),
    (gl::VIEWPORT_BIT, word::DEPTH_RANGE, 2),
    (gl::COLOR_BUFFER_BIT, word::BLEND_FUNC, 10),
    (gl::COLOR_BUFFER_BIT, word::COLOR_MASK, 4),
    (gl::COLOR_BUFFER_BIT, word::CLEAR_COLOR, 4),
    (gl::SCISSOR_BIT, word::SCISSOR, 4),
];

/// Capabilities by the bit of their group, in the order of their words. `GL_ENABLE_BIT` has all.
const CAPS: [u32; 10] = [
    gl::COLOR_BUFFER_BIT,
    gl::POLYGON_BIT,
    gl::DEPTH_BUFFER_BIT,
    gl::COLOR_BUFFER_BIT,
    gl::POLYGON_BIT,
    gl::MULTISAMPLE_BIT,
    gl::MULTISAMPLE_BIT,
    gl::SCISSOR_BIT,
    gl::STENCIL_BUFFER_BIT,
    0,
];

/// The same of capabilities that WebGL2 lacks.
const EXTRAS: [(u32, u32); 6] = [
    (gl::COLOR_BUFFER_BIT, gl::COLOR_LOGIC_OP),
    (gl::POLYGON_BIT, gl::POLYGON_STIPPLE),
    (gl::DEPTH_BUFFER_BIT, gl::DEPTH_BOUNDS_TEST_EXT),
    (gl::STENCIL_BUFFER_BIT, gl::STENCIL_TEST_TWO_SIDE_EXT),
    (0, gl::VERTEX_PROGRAM_ARB),
    (0, gl::FRAGMENT_PROGRAM_ARB),
];

fn push(r: &mut Replay, mask: u32) {
    let Some(context) = r.context() else { return };
    if context.kept.len() < MOST_KEPT {
        let kept = Kept {
            mask,
            state: context.state.clone(),
            fixed: context.fixed.clone(),
            values: context.values,
            units: context.units,
            active: context.active,
            extras: context.extras.clone(),
            logic_op: context.logic_op,
            polygon_mode: context.polygon_mode,
            list_base: context.list_base,
            clips: context.clips,
            bounds: context.bounds,
            first_provokes: context.first_provokes,
        };
        context.kept.push(kept);
    }
}

fn pop(r: &mut Replay) {
    let Some(context) = r.context() else { return };
    let Some(kept) = context.kept.pop() else { return };
    restore_words(context, &kept);
    restore_context(context, &kept);
    restore_groups(&mut context.fixed, &kept.fixed, kept.mask);
    restore_enabled(&mut context.fixed, &kept.fixed, kept.mask);
    // Materials follow the colour that is current now.
    context.fixed.track();
}

fn restore_words(context: &mut Context, kept: &Kept) {
    for (bit, at, len) in WORDS {
        if kept.mask & bit != 0 {
            context.state.copy(&kept.state, at, len);
        }
    }
    for (i, bit) in CAPS.into_iter().enumerate() {
        if kept.mask & (bit | gl::ENABLE_BIT) != 0 {
            context.state.copy(&kept.state, word::CAPS + i, 1);
        }
    }
    for (bit, cap) in EXTRAS {
        if kept.mask & (bit | gl::ENABLE_BIT) != 0 {
            context.extras.retain(|known| *known != cap);
            context.extras.extend(kept.extras.contains(&cap).then_some(cap));
        }
    }
}

fn restore_context(context: &mut Context, kept: &Kept) {
    let has = |bit: u32| kept.mask & bit != 0;
    if has(gl::POLYGON_BIT) {
        context.polygon_mode = kept.polygon_mode;
    }
    if has(gl::COLOR_BUFFER_BIT) {
        context.logic_op = kept.logic_op;
    }
    if has(gl::DEPTH_BUFFER_BIT) {
        context.bounds = kept.bounds;
    }
    if has(gl::TRANSFORM_BIT) {
        context.clips = kept.clips;
    }
    if has(gl::LIGHTING_BIT) {
        context.first_provokes = kept.first_provokes;
    }
    if has(gl::CURRENT_BIT) {
        context.values = kept.values;
    }
    if has(gl::LIST_BIT) {
        context.list_base = kept.list_base;
    }
    if has(gl::TEXTURE_BIT) {
        (context.units, context.active) = (kept.units, kept.active);
    }
}

/// Takes back the groups of the fixed function that a mask has, without what is enabled.
fn restore_groups(now: &mut Fixed, then: &Fixed, mask: u32) {
    let has = |bit: u32| mask & bit != 0;
    if has(gl::CURRENT_BIT) {
        (now.color, now.secondary, now.normal) = (then.color, then.secondary, then.normal);
        (now.coordinates, now.fog_coordinate) = (then.coordinates, then.fog_coordinate);
    }
    if has(gl::POINT_BIT) {
        (now.point_size, now.point_range, now.point_fade) = (then.point_size, then.point_range, then.point_fade);
    }
    if has(gl::LINE_BIT) {
        now.stipple = then.stipple;
    }
    if has(gl::LIGHTING_BIT) {
        (now.lights, now.materials, now.model_ambient) =
            (then.lights.clone(), then.materials.clone(), then.model_ambient);
        (now.local_viewer, now.two_side, now.flat) = (then.local_viewer, then.two_side, then.flat);
        (now.tracks, now.tracked, now.separate) = (then.tracks, then.tracked, then.separate);
    }
    if has(gl::FOG_BIT) {
        (now.fog, now.fog_mode) = (then.fog, then.fog_mode);
    }
    if has(gl::TRANSFORM_BIT) {
        (now.mode, now.planes) = (then.mode, then.planes);
    }
    if has(gl::COLOR_BUFFER_BIT) {
        now.alpha = then.alpha;
    }
    for (now, then) in now.environments.iter_mut().zip(&then.environments) {
        // Whether points get coordinates of their own is an attribute of points.
        let replaces = if has(gl::POINT_BIT) { then.replaces } else { now.replaces };
        if has(gl::TEXTURE_BIT) {
            now.clone_from(then);
        }
        now.replaces = replaces;
    }
}

/// Takes back what of the fixed function is enabled in the groups that a mask has.
fn restore_enabled(now: &mut Fixed, then: &Fixed, mask: u32) {
    let has = |bit: u32| mask & (bit | gl::ENABLE_BIT) != 0;
    if has(gl::POINT_BIT) {
        now.sprites = then.sprites;
    }
    if has(gl::LINE_BIT) {
        now.stipples = then.stipples;
    }
    if has(gl::LIGHTING_BIT) {
        (now.lit, now.lighting, now.color_material) = (then.lit, then.lighting, then.color_material);
    }
    if has(gl::FOG_BIT) {
        (now.fogged, now.sums) = (then.fogged, then.sums);
    }
    if has(gl::TRANSFORM_BIT) {
        (now.normalize, now.clips) = (then.normalize, then.clips);
    }
    if has(gl::COLOR_BUFFER_BIT) {
        now.alpha_test = then.alpha_test;
    }
    for (now, then) in now.environments.iter_mut().zip(&then.environments) {
        if has(gl::TEXTURE_BIT) {
            (now.enabled, now.generates) = (then.enabled, then.generates);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bounds;
    use unspool_gl::example::{Example, Value};

    /// The bits that have an attribute, a call that sets it, and what the context has of it.
    type Row = (u32, &'static str, &'static [f64], fn(&mut Context) -> String);

    const ROWS: &[Row] = &[
        (gl::CURRENT_BIT, "glColor4f", &[0.5, 0.25, 0.0, 0.5], |c| format!("{:?}", c.fixed.color)),
        (gl::CURRENT_BIT, "glSecondaryColor3f", &[0.5, 0.25, 0.5], |c| format!("{:?}", c.fixed.secondary)),
        (gl::CURRENT_BIT, "glNormal3f", &[1.0, 0.0, 0.0], |c| format!("{:?}", c.fixed.normal)),
        (gl::CURRENT_BIT, "glTexCoord2f", &[0.5, 0.25], |c| format!("{:?}", c.fixed.coordinates)),
        (gl::CURRENT_BIT, "glFogCoordf", &[2.0], |c| format!("{:?}", c.fixed.fog_coordinate)),
        (gl::CURRENT_BIT, "glVertexAttrib4f", &[3.0, 1.0, 2.0, 3.0, 4.0], |c| format!("{:?}", c.values)),
        (gl::POINT_BIT, "glPointSize", &[4.0], |c| format!("{:?}", c.fixed.point_size)),
        (gl::POINT_BIT, "glTexEnvi", &[gl::POINT_SPRITE as f64, gl::COORD_REPLACE as f64, 1.0], |c| {
            format!("{:?}", c.fixed.environments[0].replaces)
        }),
        (gl::LINE_BIT, "glLineWidth", &[4.0], |c| format!("{:x}", c.state.get(word::LINE_WIDTH))),
        (gl::LINE_BIT, "glLineStipple", &[2.0, 255.0], |c| format!("{:?}", c.fixed.stipple)),
        (gl::POLYGON_BIT, "glCullFace", &[gl::FRONT as f64], |c| c.state.get(word::CULL_FACE).to_string()),
        (gl::POLYGON_BIT, "glFrontFace", &[gl::CW as f64], |c| c.state.get(word::FRONT_FACE).to_string()),
        (gl::POLYGON_BIT, "glPolygonMode", &[gl::FRONT_AND_BACK as f64, gl::LINE as f64], |c| {
            c.polygon_mode.to_string()
        }),
        (gl::LIGHTING_BIT, "glShadeModel", &[gl::FLAT as f64], |c| c.fixed.flat.to_string()),
        (gl::LIGHTING_BIT, "glProvokingVertex", &[gl::FIRST_VERTEX_CONVENTION as f64], |c| {
            c.first_provokes.to_string()
        }),
        (gl::LIGHTING_BIT, "glMaterialf", &[gl::FRONT as f64, gl::SHININESS as f64, 9.0], |c| {
            format!("{:?}", c.fixed.materials[0].shininess)
        }),
        (gl::FOG_BIT, "glFogf", &[gl::FOG_DENSITY as f64, 3.0], |c| format!("{:?}", c.fixed.fog.density)),
        (gl::DEPTH_BUFFER_BIT, "glDepthFunc", &[gl::GEQUAL as f64], |c| c.state.get(word::DEPTH_FUNC).to_string()),
        (gl::DEPTH_BUFFER_BIT, "glDepthBoundsEXT", &[0.25, 0.5], |c| format!("{:?}", c.bounds)),
        (gl::STENCIL_BUFFER_BIT, "glStencilMask", &[3.0], |c| c.state.get(word::STENCIL_MASK).to_string()),
        (gl::VIEWPORT_BIT, "glViewport", &[1.0, 2.0, 3.0, 4.0], |c| format!("{:?}", c.state.four(word::VIEWPORT))),
        (gl::TRANSFORM_BIT, "glMatrixMode", &[gl::PROJECTION as f64], |c| c.fixed.mode.to_string()),
        (gl::TRANSFORM_BIT, "glClipControl", &[gl::UPPER_LEFT as f64, gl::ZERO_TO_ONE as f64], |c| {
            format!("{:?}", c.clips)
        }),
        (gl::COLOR_BUFFER_BIT, "glBlendFunc", &[gl::ZERO as f64, gl::ONE as f64], |c| {
            format!("{:?}", c.state.four(word::BLEND_FUNC))
        }),
        (gl::COLOR_BUFFER_BIT, "glAlphaFunc", &[gl::LESS as f64, 0.5], |c| format!("{:?}", c.fixed.alpha)),
        (gl::COLOR_BUFFER_BIT, "glLogicOp", &[gl::XOR as f64], |c| c.logic_op.to_string()),
        (gl::LIST_BIT, "glListBase", &[7.0], |c| c.list_base.to_string()),
        (gl::TEXTURE_BIT, "glActiveTexture", &[(gl::TEXTURE0 + 1) as f64], |c| c.active.to_string()),
        (
            gl::TEXTURE_BIT,
            "glTexEnvi",
            &[gl::TEXTURE_ENV as f64, gl::TEXTURE_ENV_MODE as f64, gl::REPLACE as f64],
            |c| c.fixed.environments[0].mode.to_string(),
        ),
        (gl::SCISSOR_BIT, "glScissor", &[1.0, 2.0, 3.0, 4.0], |c| format!("{:?}", c.state.four(word::SCISSOR))),
        (gl::MULTISAMPLE_BIT | gl::ENABLE_BIT, "glEnable", &[gl::SAMPLE_COVERAGE as f64], |c| {
            c.state.get(word::CAPS + 6).to_string()
        }),
        (gl::COLOR_BUFFER_BIT | gl::ENABLE_BIT, "glEnable", &[gl::BLEND as f64], |c| {
            c.state.get(word::CAPS).to_string()
        }),
        (gl::ENABLE_BIT | gl::LIGHTING_BIT, "glEnable", &[gl::LIGHTING as f64], |c| c.fixed.lighting.to_string()),
        (gl::ENABLE_BIT | gl::TEXTURE_BIT, "glEnable", &[gl::TEXTURE_2D as f64], |c| {
            format!("{:?}", c.fixed.environments[0].enabled)
        }),
        (gl::ENABLE_BIT | gl::DEPTH_BUFFER_BIT, "glEnable", &[gl::DEPTH_BOUNDS_TEST_EXT as f64], |c| {
            format!("{:?}", c.extras)
        }),
    ];

    fn execute(replay: &mut Replay, name: &str, args: &[f64]) {
        let value = |n: &f64| if n.fract() == 0.0 { Value::Int(*n as i64) } else { Value::Float(*n) };
        let args = args.iter().map(value).collect();
        replay.execute_example(&Example { name: name.into(), args, ..Example::default() });
    }

    #[test]
    fn each_bit_takes_back_its_attributes_and_no_others() {
        for (bits, name, args, of) in ROWS {
            for (mask, is_kept) in [(*bits, true), (gl::ALL_ATTRIB_BITS & !bits, false)] {
                let mut replay = Replay::new(Bounds::default(), true);
                execute(&mut replay, "glXMakeCurrent", &[1.0, 2.0, 3.0]);
                let first = of(replay.context().unwrap());
                execute(&mut replay, "glPushAttrib", &[mask.into()]);
                execute(&mut replay, name, args);
                let changed = of(replay.context().unwrap());
                execute(&mut replay, "glPopAttrib", &[]);
                assert_ne!(first, changed, "{name}");
                let expected = if is_kept { first } else { changed };
                assert_eq!(of(replay.context().unwrap()), expected, "{name} {args:?}, mask {mask:#x}");
            }
        }
    }

    #[test]
    fn materials_follow_the_colour_that_is_taken_back() {
        let mut replay = Replay::new(Bounds::default(), true);
        execute(&mut replay, "glXMakeCurrent", &[1.0, 2.0, 3.0]);
        execute(&mut replay, "glColorMaterial", &[gl::FRONT_AND_BACK.into(), gl::DIFFUSE.into()]);
        execute(&mut replay, "glEnable", &[gl::COLOR_MATERIAL.into()]);
        execute(&mut replay, "glColor4f", &[0.25, 0.5, 0.75, 1.0]);
        execute(&mut replay, "glPushAttrib", &[gl::CURRENT_BIT.into()]);
        execute(&mut replay, "glColor4f", &[1.0, 0.0, 0.0, 1.0]);
        execute(&mut replay, "glPopAttrib", &[]);
        assert_eq!(replay.context().unwrap().fixed.materials[0].diffuse, [0.25, 0.5, 0.75, 1.0]);
    }

    /// The names of a text are relative to a base of its own.
    #[test]
    fn an_outer_base_of_lists_is_that_of_the_lists_after_a_text() {
        let mut replay = Replay::new(Bounds::default(), true);
        execute(&mut replay, "glXMakeCurrent", &[1.0, 2.0, 3.0]);
        for (list, width) in [(101.0, 2.0), (201.0, 5.0)] {
            execute(&mut replay, "glNewList", &[list, gl::COMPILE.into()]);
            execute(&mut replay, "glLineWidth", &[width]);
            execute(&mut replay, "glEndList", &[]);
        }
        let call = |replay: &mut Replay| {
            let args = vec![Value::Int(1), Value::Int(gl::UNSIGNED_BYTE.into()), Value::Bytes(vec![1])];
            replay.execute_example(&Example { name: "glCallLists".into(), args, ..Example::default() });
            f32::from_bits(replay.context().unwrap().state.get(word::LINE_WIDTH))
        };
        execute(&mut replay, "glListBase", &[100.0]);
        execute(&mut replay, "glPushAttrib", &[gl::LIST_BIT.into()]);
        execute(&mut replay, "glListBase", &[200.0]);
        assert_eq!(call(&mut replay), 5.0);
        execute(&mut replay, "glPopAttrib", &[]);
        assert_eq!(call(&mut replay), 2.0);
    }
}
