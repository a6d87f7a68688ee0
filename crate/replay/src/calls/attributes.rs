//! `glPushAttrib` and `glPopAttrib`: which attributes a mask has is in the tables of state of the
//! OpenGL 4.6 compatibility profile, chapter 23.

use unspool_gl::gl;

use crate::driver::Replay;
use crate::fixed::Fixed;
use crate::objects::{ATTRIBUTES, Units};
use unspool_gl::call::Call;

/// What `glPushAttrib` keeps beside what the machine does.
#[derive(Clone)]
pub(crate) struct Kept {
    mask: u32,
    fixed: Fixed,
    values: [[f32; 4]; ATTRIBUTES],
    units: Units,
}

/// Limit for the depth of the stack.
const MOST_KEPT: usize = 16;

pub(super) fn push(r: &mut Replay, c: &Call) {
    let Some(context) = r.context() else { return };
    if context.kept.len() < MOST_KEPT {
        let kept = Kept { mask: c.uint(0), fixed: context.fixed.clone(), values: context.values, units: context.units };
        context.kept.push(kept);
    }
}

pub(super) fn pop(r: &mut Replay, _: &Call) {
    let Some(context) = r.context() else { return };
    let Some(kept) = context.kept.pop() else { return };
    if kept.mask & gl::CURRENT_BIT != 0 {
        context.values = kept.values;
    }
    if kept.mask & gl::TEXTURE_BIT != 0 {
        context.units = kept.units;
    }
    restore_groups(&mut context.fixed, &kept.fixed, kept.mask);
    // Materials follow the colour that is current now.
    context.fixed.track();
}

/// Takes back the groups of the fixed function that a mask has, without what is enabled.
fn restore_groups(now: &mut Fixed, then: &Fixed, mask: u32) {
    let has = |bit: u32| mask & bit != 0;
    if has(gl::CURRENT_BIT) {
        (now.color, now.secondary, now.normal) = (then.color, then.secondary, then.normal);
        (now.coordinates, now.fog_coordinate) = (then.coordinates, then.fog_coordinate);
    }
    if has(gl::POINT_BIT) {
        (now.point_range, now.point_fade) = (then.point_range, then.point_fade);
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
            let (enabled, generates) = (now.enabled, now.generates);
            now.clone_from(then);
            (now.enabled, now.generates) = (enabled, generates);
        }
        now.replaces = replaces;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bounds;
    use crate::objects::Context;
    use crate::state::word;
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

    /// Either of two capabilities makes normals as long as they are to be.
    #[test]
    fn normals_are_made_as_long_until_nothing_wants_it() {
        let mut replay = Replay::new(Bounds::default(), true);
        execute(&mut replay, "glXMakeCurrent", &[1.0, 2.0, 3.0]);
        let calls = [("glEnable", gl::NORMALIZE, true), ("glDisable", gl::RESCALE_NORMAL, true)];
        for (name, cap, is_on) in calls.into_iter().chain([("glDisable", gl::NORMALIZE, false)]) {
            execute(&mut replay, name, &[cap.into()]);
            assert_eq!(replay.context().unwrap().fixed.normalize, is_on, "{name} {cap}");
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
