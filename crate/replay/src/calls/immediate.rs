//! The fixed function: immediate mode, matrices, lights, materials, texture environments.

use unspool_gl::call::Call;
use unspool_gl::matrices::{self, Stack};
use unspool_gl::{Variant, gl};

use super::Functions;
use crate::driver::Replay;
use crate::fixed::Fixed;
use crate::matrix;

/// Limit for the vertices of one `glBegin`.
const MOST_VERTICES: usize = 1 << 20;

pub(crate) const TABLE: Functions = &[
    ("MatrixMode", |r, c, _| fixed(r, |f, _| f.mode = c.uint(0))),
    ("Begin", |r, c, _| {
        fixed(r, |f, _| {
            (f.primitive, f.spoiled) = (Some(c.uint(0)), None);
            f.vertices.clear();
        });
    }),
    ("End", |r, _, _| end(r)),
    ("Rect*", rectangle),
    ("ShadeModel", |r, c, _| fixed(r, |f, _| f.flat = c.uint(0) == gl::FLAT)),
    ("AlphaFunc", alpha_func),
    ("AlphaFunc*", alpha_func),
    ("Light*", light),
    ("LightModel*", light_model),
    ("Material*", material),
    ("ColorMaterial", |r, c, _| {
        fixed(r, |f, _| {
            (f.tracked, f.tracks) = (c.uint(0), c.uint(1));
            f.track();
        });
    }),
    ("ClipPlane", clip_plane),
    ("ClipPlane*", clip_plane),
    ("PointParameter*", point_parameter),
    ("TexEnv*", tex_env),
    ("TexGen*", tex_gen),
    ("Fog*", fog),
    ("VertexAttribI*", attribute),
    ("VertexAttrib*", attribute),
    ("VertexAttribP*", |r, c, v| {
        if let Some(value) = v.unpacked(c, [1, 3], c.int(2) != 0) {
            set_attribute(r, c.uint(0) as usize, single(value));
        }
    }),
    ("Vertex*", |r, c, v| vertex_at(r, given(c, v, 0, LAST_ONE, false))),
    ("VertexP*", |r, c, v| {
        if let Some(position) = v.unpacked(c, [0, 1], false) {
            vertex_at(r, single(position));
        }
    }),
    ("Color*", |r, c, v| color(r, given(c, v, 0, LAST_ONE, true))),
    ("ColorP*", |r, c, v| {
        if let Some(value) = v.unpacked(c, [0, 1], true) {
            color(r, single(value));
        }
    }),
    ("SecondaryColor*", |r, c, v| fixed(r, |f, _| f.secondary = given(c, v, 0, LAST_ONE, true))),
    ("SecondaryColorP*", |r, c, v| {
        if let Some(value) = v.unpacked(c, [0, 1], true) {
            fixed(r, |f, _| f.secondary = single(value));
        }
    }),
    ("Normal*", |r, c, v| {
        let [x, y, z, _] = given(c, v, 0, [0.0; 4], true);
        fixed(r, |f, _| f.normal = [x, y, z]);
    }),
    ("NormalP*", |r, c, v| {
        if let Some([x, y, z, _]) = v.unpacked(c, [0, 1], true).map(single) {
            fixed(r, |f, _| f.normal = [x, y, z]);
        }
    }),
    ("TexCoord*", |r, c, v| fixed(r, |f, _| f.set_coordinates(0, given(c, v, 0, LAST_ONE, false)))),
    ("TexCoordP*", |r, c, v| {
        if let Some(value) = v.unpacked(c, [0, 1], false) {
            fixed(r, |f, _| f.set_coordinates(0, single(value)));
        }
    }),
    ("MultiTexCoord*", |r, c, v| {
        let unit = c.uint(0).wrapping_sub(gl::TEXTURE0) as usize;
        fixed(r, |f, _| f.set_coordinates(unit, given(c, v, 1, LAST_ONE, false)));
    }),
    ("MultiTexCoordP*", |r, c, v| {
        let unit = c.uint(0).wrapping_sub(gl::TEXTURE0) as usize;
        if let Some(value) = v.unpacked(c, [1, 2], false) {
            fixed(r, |f, _| f.set_coordinates(unit, single(value)));
        }
    }),
    ("FogCoord*", |r, c, v| {
        let [x, ..] = given(c, v, 0, [0.0; 4], false);
        fixed(r, |f, _| f.fog_coordinate = x);
    }),
];

/// Values for numbers that a call leaves out of four.
const LAST_ONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

fn fixed(r: &mut Replay, change: impl FnOnce(&mut Fixed, usize)) {
    if let Some(context) = r.context() {
        let unit = context.active;
        change(&mut context.fixed, unit);
    }
}

/// A call of a function that changes a stack of matrices.
pub(super) fn change_matrix(r: &mut Replay, c: &Call, function: matrices::Function) {
    fixed(r, |f, unit| {
        f.matrices.call(function, c, (f.mode, unit as u32), true);
    });
}

/// Numbers in the precision of what is drawn.
fn single(numbers: [f64; 4]) -> [f32; 4] {
    numbers.map(|number| number as f32)
}

/// The numbers of a parameter, which is an argument; they follow it.
fn values(c: &Call, v: Variant, parameter: usize) -> [f32; 4] {
    single(v.of_parameter(c.uint(parameter)).parameter(c, parameter + 1, false))
}

/// The numbers of a call from argument `first` on, as its name says. If they are mapped, whole ones
/// stand for 0 to 1, or for -1 to 1.
fn given(c: &Call, v: Variant, first: usize, otherwise: [f64; 4], is_mapped: bool) -> [f32; 4] {
    single(v.numbers(c, first, otherwise, is_mapped))
}

/// A vertex of the primitive that is begun.
pub(super) fn vertex_at(r: &mut Replay, position: [f32; 4]) {
    fixed(r, |f, _| {
        if f.primitive.is_some() && f.vertices.len() < MOST_VERTICES * f.stride() {
            f.vertex(position);
        }
    });
}

fn color(r: &mut Replay, color: [f32; 4]) {
    fixed(r, |f, _| {
        f.color = color;
        f.track();
    });
}

fn attribute(r: &mut Replay, c: &Call, v: Variant) {
    set_attribute(r, c.uint(0) as usize, given(c, v, 1, LAST_ONE, v.is_normalized));
}

fn set_attribute(r: &mut Replay, index: usize, value: [f32; 4]) {
    let Some(context) = r.context() else { return };
    if let Some(slot) = context.values.get_mut(index) {
        *slot = value;
    }
    if index == 0 {
        vertex_at(r, value);
    }
}

fn alpha_func(r: &mut Replay, c: &Call, v: Variant) {
    fixed(r, |f, _| f.alpha = (c.uint(0), v.single(c, 1)));
}

fn clip_plane(r: &mut Replay, c: &Call, v: Variant) {
    let plane = single(Variant { is_vector: true, ..v }.parameter(c, 1, false));
    let index = c.uint(0).wrapping_sub(gl::CLIP_DISTANCE0) as usize;
    fixed(r, |f, _| {
        // It is given in the coordinates of the moment.
        let inverse = matrix::inverse(&f.matrix(Stack::Modelview));
        if let Some(slot) = f.planes.get_mut(index) {
            *slot = matrix::transform(&matrix::transposed(&inverse), plane);
        }
    });
}

fn point_parameter(r: &mut Replay, c: &Call, v: Variant) {
    let [a, b, d, _] = values(c, v, 0);
    fixed(r, |f, _| match c.uint(0) {
        gl::POINT_SIZE_MIN => f.point_range[0] = a,
        gl::POINT_SIZE_MAX => f.point_range[1] = a,
        gl::POINT_DISTANCE_ATTENUATION => f.point_fade = [a, b, d],
        _ => {}
    });
}

fn end(r: &mut Replay) {
    let Some(context) = r.context() else { return };
    let Some(mode) = context.fixed.primitive.take() else { return };
    let vertices = core::mem::take(&mut context.fixed.vertices);
    if let Some(reason) = context.fixed.spoiled.take() {
        r.unshown(reason);
    } else if vertices.len() < MOST_VERTICES * context.fixed.stride() {
        r.draw_vertices(mode, &vertices);
    } else {
        r.unshown("it has more than 1048575 vertices between glBegin and glEnd");
    }
    if let Some(context) = r.context() {
        context.fixed.vertices = vertices;
    }
}

fn rectangle(r: &mut Replay, c: &Call, v: Variant) {
    let corner = |first: usize| given(c, Variant { count: 2, ..v }, first, [0.0; 4], false);
    let ([x, y, ..], [w, h, ..]) = (corner(0), corner(if v.is_vector { 1 } else { 2 }));
    let Some(context) = r.context() else { return };
    context.fixed.vertices.clear();
    for (x, y) in [(x, y), (w, y), (w, h), (x, h)] {
        context.fixed.vertex([x, y, 0.0, 1.0]);
    }
    context.fixed.primitive = Some(gl::QUADS);
    end(r);
}

fn light(r: &mut Replay, c: &Call, v: Variant) {
    let (index, name, all) = (c.uint(0).wrapping_sub(gl::LIGHT0) as usize, c.uint(1), values(c, v, 1));
    let first = all[0];
    fixed(r, |f, _| {
        let modelview = f.matrix(Stack::Modelview);
        let Some(light) = f.lights.get_mut(index) else { return };
        match name {
            gl::AMBIENT => light.ambient = all,
            gl::DIFFUSE => light.diffuse = all,
            gl::SPECULAR => light.specular = all,
            gl::POSITION => light.position = matrix::transform(&modelview, all),
            gl::SPOT_DIRECTION => {
                let [x, y, z, _] = matrix::transform(&modelview, [all[0], all[1], all[2], 0.0]);
                light.direction = [x, y, z];
            }
            gl::SPOT_EXPONENT => light.exponent = first,
            gl::SPOT_CUTOFF => light.cutoff = first,
            gl::CONSTANT_ATTENUATION..=gl::QUADRATIC_ATTENUATION => {
                if let Some(slot) = light.attenuation.get_mut((name - gl::CONSTANT_ATTENUATION) as usize) {
                    *slot = first;
                }
            }
            _ => {}
        }
    });
}

fn light_model(r: &mut Replay, c: &Call, v: Variant) {
    let (name, all) = (c.uint(0), values(c, v, 0));
    fixed(r, |f, _| match name {
        gl::LIGHT_MODEL_LOCAL_VIEWER => f.local_viewer = all[0] != 0.0,
        gl::LIGHT_MODEL_TWO_SIDE => f.two_side = all[0] != 0.0,
        gl::LIGHT_MODEL_COLOR_CONTROL => f.separate = all[0] as u32 == gl::SEPARATE_SPECULAR_COLOR,
        gl::LIGHT_MODEL_AMBIENT => f.model_ambient = all,
        _ => {}
    });
}

fn material(r: &mut Replay, c: &Call, v: Variant) {
    let (face, name, all) = (c.uint(0), c.uint(1), values(c, v, 1));
    fixed(r, |f, _| {
        for (side, material) in f.materials.iter_mut().enumerate() {
            if (face == gl::FRONT && side == 1) || (face == gl::BACK && side == 0) {
                continue;
            }
            match name {
                gl::AMBIENT => material.ambient = all,
                gl::DIFFUSE => material.diffuse = all,
                gl::SPECULAR => material.specular = all,
                gl::EMISSION => material.emission = all,
                gl::SHININESS => material.shininess = all[0],
                gl::AMBIENT_AND_DIFFUSE => (material.ambient, material.diffuse) = (all, all),
                _ => {}
            }
        }
    });
}

fn tex_env(r: &mut Replay, c: &Call, v: Variant) {
    let (target, name, all) = (c.uint(0), c.uint(1), values(c, v, 1));
    let value = all[0] as u32;
    if (target, name) == (gl::POINT_SPRITE, gl::COORD_REPLACE) {
        return fixed(r, |f, unit| f.environments.get_mut(unit).into_iter().for_each(|e| e.replaces = value != 0));
    }
    if (target, name) == (gl::TEXTURE_FILTER_CONTROL, gl::TEXTURE_LOD_BIAS) {
        return fixed(r, |f, unit| f.environments.get_mut(unit).into_iter().for_each(|e| e.bias = all[0]));
    }
    if target != gl::TEXTURE_ENV {
        return;
    }
    fixed(r, |f, unit| {
        let Some(e) = f.environments.get_mut(unit) else { return };
        let put = |table: &mut [[u32; 3]; 2], side: usize, at: u32| {
            if let Some(slot) = table.get_mut(side).and_then(|row| row.get_mut(at as usize)) {
                *slot = value;
            }
        };
        match name {
            gl::TEXTURE_ENV_MODE => e.mode = value,
            gl::TEXTURE_ENV_COLOR => e.color = all,
            gl::COMBINE_RGB | gl::COMBINE_ALPHA => {
                if let Some(slot) = e.combine.get_mut((name - gl::COMBINE_RGB) as usize) {
                    *slot = value;
                }
            }
            gl::RGB_SCALE => e.scales[0] = all[0],
            gl::ALPHA_SCALE => e.scales[1] = all[0],
            gl::SRC0_RGB..=gl::SRC2_RGB => put(&mut e.sources, 0, name - gl::SRC0_RGB),
            gl::SRC0_ALPHA..=gl::SRC2_ALPHA => put(&mut e.sources, 1, name - gl::SRC0_ALPHA),
            gl::OPERAND0_RGB..=gl::OPERAND2_RGB => put(&mut e.operands, 0, name - gl::OPERAND0_RGB),
            gl::OPERAND0_ALPHA..=gl::OPERAND2_ALPHA => put(&mut e.operands, 1, name - gl::OPERAND0_ALPHA),
            _ => {}
        }
    });
}

fn tex_gen(r: &mut Replay, c: &Call, v: Variant) {
    let (coordinate, name, all) = (c.uint(0).wrapping_sub(gl::S) as usize, c.uint(1), values(c, v, 1));
    fixed(r, |f, unit| {
        let inverse = matrix::inverse(&f.matrix(Stack::Modelview));
        let Some(e) = f.environments.get_mut(unit) else { return };
        match name {
            gl::TEXTURE_GEN_MODE => {
                if let Some(slot) = e.generated.get_mut(coordinate) {
                    *slot = all[0] as u32;
                }
            }
            gl::OBJECT_PLANE => {
                if let Some(slot) = e.object_planes.get_mut(coordinate) {
                    *slot = all;
                }
            }
            gl::EYE_PLANE => {
                // A plane is given in the coordinates of the moment.
                if let Some(slot) = e.eye_planes.get_mut(coordinate) {
                    *slot = matrix::transform(&matrix::transposed(&inverse), all);
                }
            }
            _ => {}
        }
    });
}

fn fog(r: &mut Replay, c: &Call, v: Variant) {
    let (name, all) = (c.uint(0), values(c, v, 0));
    fixed(r, |f, _| match name {
        gl::FOG_DENSITY => f.fog.density = all[0],
        gl::FOG_START => f.fog.start = all[0],
        gl::FOG_END => f.fog.end = all[0],
        gl::FOG_MODE => f.fog_mode = all[0] as u32,
        gl::FOG_COLOR => f.fog.color = all,
        _ => {}
    });
}
