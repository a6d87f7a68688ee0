//! The fixed function: immediate mode, matrices, lights, materials, texture environments.

use unspool_gl::call::{Call, Value};
use unspool_gl::matrices::{Function, Stack};
use unspool_gl::{Unit, Variant, gl, plain};

use super::Run;
use crate::driver::Replay;
use crate::fixed::Fixed;
use crate::matrix;

/// Limit for the vertices of one `glBegin`.
const MOST_VERTICES: usize = 1 << 20;

macro_rules! table {
    ($($names:expr => $run:expr),* $(,)?) => { &[$(($names, $run)),*] };
}

pub(crate) const TABLE: &[(&str, Run)] = table![
    "glMatrixMode" => |r, c| fixed(r, |f, _| f.mode = c.uint(0)),
    "glBegin" => |r, c| fixed(r, |f, _| {
        (f.primitive, f.spoiled) = (Some(c.uint(0)), None);
        f.vertices.clear();
    }),
    "glEnd" => |r, _| end(r),
    "glRectf" => rectangle,
    "glRectd" => rectangle,
    "glRecti" => rectangle,
    "glRects" => rectangle,
    "glRectfv" => rectangle,
    "glRectdv" => rectangle,
    "glRectiv" => rectangle,
    "glRectsv" => rectangle,
    "glShadeModel" => |r, c| fixed(r, |f, _| f.flat = c.uint(0) == gl::FLAT),
    "glAlphaFunc" => |r, c| fixed(r, |f, _| f.alpha = (c.uint(0), c.f32(1))),
    "glPointSize" => |r, c| fixed(r, |f, _| f.point_size = c.f32(0)),
    "glLightf" => |r, c| light(r, c),
    "glLighti" => |r, c| light(r, c),
    "glLightfv" => |r, c| light(r, c),
    "glLightiv" => |r, c| light(r, c),
    "glLightModelf" => |r, c| light_model(r, c),
    "glLightModeli" => |r, c| light_model(r, c),
    "glLightModelfv" => |r, c| light_model(r, c),
    "glLightModeliv" => |r, c| light_model(r, c),
    "glMaterialf" => |r, c| material(r, c),
    "glMateriali" => |r, c| material(r, c),
    "glMaterialfv" => |r, c| material(r, c),
    "glMaterialiv" => |r, c| material(r, c),
    "glColorMaterial" => |r, c| fixed(r, |f, _| {
        (f.tracked, f.tracks) = (c.uint(0), c.uint(1));
        f.track();
    }),
    "glClipPlane" => clip_plane,
    "glClipPlanef" => clip_plane,
    "glPointParameterf" => point_parameter,
    "glPointParameteri" => point_parameter,
    "glPointParameterfv" => point_parameter,
    "glPointParameteriv" => point_parameter,
    "glTexEnvi" => |r, c| tex_env(r, c),
    "glTexEnvf" => |r, c| tex_env(r, c),
    "glTexEnviv" => |r, c| tex_env(r, c),
    "glTexEnvfv" => |r, c| tex_env(r, c),
    "glTexGeni" => |r, c| tex_gen(r, c),
    "glTexGenf" => |r, c| tex_gen(r, c),
    "glTexGend" => |r, c| tex_gen(r, c),
    "glTexGeniv" => |r, c| tex_gen(r, c),
    "glTexGenfv" => |r, c| tex_gen(r, c),
    "glTexGendv" => |r, c| tex_gen(r, c),
    "glFogf" => |r, c| fog(r, c),
    "glFogi" => |r, c| fog(r, c),
    "glFogfv" => |r, c| fog(r, c),
    "glFogiv" => |r, c| fog(r, c),
];

fn fixed(r: &mut Replay, change: impl FnOnce(&mut Fixed, usize)) {
    if let Some(context) = r.context() {
        let unit = context.active;
        change(&mut context.fixed, unit);
    }
}

/// The handler of a function that changes a stack of matrices.
pub(super) fn of_matrices(name: &str) -> Option<Run> {
    Function::of(name.strip_prefix("gl")?).map(|_| change_matrix as Run)
}

fn change_matrix(r: &mut Replay, c: &Call) {
    let Some(function) = r.name(c).strip_prefix("gl").and_then(Function::of) else { return };
    fixed(r, |f, unit| {
        f.matrices.call(function, c, (f.mode, unit as u32), true);
    });
}

/// The numbers of a call: its arguments from `first` on, or those of its array.
fn numbers(c: &Call, first: usize) -> Vec<f32> {
    match c.argument(first) {
        Value::List(_) | Value::Bytes(..) => c.argument(first).floats(),
        _ => (first..c.len()).map(|i| c.f32(i)).collect(),
    }
}

fn four(numbers: &[f32], otherwise: [f32; 4]) -> [f32; 4] {
    let mut out = otherwise;
    for (slot, x) in out.iter_mut().zip(numbers) {
        *slot = *x;
    }
    out
}

/// The handler of a function that takes some numbers of a type, such as `glColor4ubv`.
pub(super) fn of_form(name: &str) -> Option<Run> {
    variant_of(name).map(|(run, _)| run)
}

/// The handler of such a function, and what its name says of its numbers. Those of fixed point are
/// [`super::forms`]'.
pub(super) fn variant_of(name: &str) -> Option<(Run, Variant)> {
    let plain = plain(name);
    FORMS.iter().find_map(|(begin, run)| {
        let variant = Variant::parse(plain.strip_prefix(begin)?)?;
        (variant.unit != Unit::Fixed && variant.rows == 0).then_some((*run, variant))
    })
}

/// What they are called before their numbers. Longer ones come first.
const FORMS: [(&str, Run); 9] = [
    ("glVertexAttribI", attribute),
    ("glVertexAttrib", attribute),
    ("glVertex", vertex),
    ("glColor", color),
    ("glSecondaryColor", |r, c| {
        let given = given(r, c, 0, LAST_ONE, true);
        fixed(r, |f, _| f.secondary = given);
    }),
    ("glNormal", |r, c| {
        let [x, y, z, _] = given(r, c, 0, [0.0; 4], true);
        fixed(r, |f, _| f.normal = [x, y, z]);
    }),
    ("glTexCoord", |r, c| {
        let given = given(r, c, 0, LAST_ONE, false);
        fixed(r, |f, _| f.set_coordinates(0, given));
    }),
    ("glMultiTexCoord", |r, c| {
        let given = given(r, c, 1, LAST_ONE, false);
        let unit = c.uint(0).wrapping_sub(gl::TEXTURE0) as usize;
        fixed(r, |f, _| f.set_coordinates(unit, given));
    }),
    ("glFogCoord", |r, c| {
        let [x, ..] = given(r, c, 0, [0.0; 4], false);
        fixed(r, |f, _| f.fog_coordinate = x);
    }),
];

/// Values for numbers that a call leaves out of four.
const LAST_ONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// The end of the name of a call's function.
fn variant(r: &Replay, c: &Call) -> Variant {
    r.handlers.get(c.function).map(|function| function.variant).unwrap_or_default()
}

/// The numbers of a call from argument `first` on, as its name says. If they are mapped, whole ones
/// stand for 0 to 1, or for -1 to 1.
fn given(r: &Replay, c: &Call, first: usize, otherwise: [f64; 4], is_mapped: bool) -> [f32; 4] {
    variant(r, c).numbers(c, first, otherwise, is_mapped).map(|number| number as f32)
}

fn vertex(r: &mut Replay, c: &Call) {
    let given = given(r, c, 0, LAST_ONE, false);
    vertex_at(r, given);
}

/// A vertex of the primitive that is begun.
pub(super) fn vertex_at(r: &mut Replay, position: [f32; 4]) {
    fixed(r, |f, _| {
        if f.primitive.is_some() && f.vertices.len() < MOST_VERTICES * f.stride() {
            f.vertex(position);
        }
    });
}

fn color(r: &mut Replay, c: &Call) {
    let given = given(r, c, 0, LAST_ONE, true);
    fixed(r, |f, _| {
        f.color = given;
        f.track();
    });
}

fn attribute(r: &mut Replay, c: &Call) {
    let value = given(r, c, 1, LAST_ONE, variant(r, c).is_normalized);
    let index = c.uint(0) as usize;
    let Some(context) = r.context() else { return };
    if let Some(slot) = context.values.get_mut(index) {
        *slot = value;
    }
    if index == 0 {
        vertex_at(r, value);
    }
}

fn clip_plane(r: &mut Replay, c: &Call) {
    let plane = four(&numbers(c, 1), [0.0; 4]);
    let index = c.uint(0).wrapping_sub(gl::CLIP_DISTANCE0) as usize;
    fixed(r, |f, _| {
        // It is given in the coordinates of the moment.
        let inverse = matrix::inverse(&f.matrix(Stack::Modelview));
        if let Some(slot) = f.planes.get_mut(index) {
            *slot = matrix::transform(&matrix::transposed(&inverse), plane);
        }
    });
}

fn point_parameter(r: &mut Replay, c: &Call) {
    let [a, b, d, _] = four(&numbers(c, 1), [0.0; 4]);
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

fn rectangle(r: &mut Replay, c: &Call) {
    let given = match c.argument(1) {
        Value::List(_) => [c.argument(0).floats(), c.argument(1).floats()].concat(),
        _ => numbers(c, 0),
    };
    let [x, y, w, h] = four(&given, [0.0; 4]);
    let Some(context) = r.context() else { return };
    context.fixed.vertices.clear();
    for (x, y) in [(x, y), (w, y), (w, h), (x, h)] {
        context.fixed.vertex([x, y, 0.0, 1.0]);
    }
    context.fixed.primitive = Some(gl::QUADS);
    end(r);
}

fn light(r: &mut Replay, c: &Call) {
    let (index, name, values) = (c.uint(0).wrapping_sub(gl::LIGHT0) as usize, c.uint(1), numbers(c, 2));
    let all = four(&values, [0.0; 4]);
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

fn light_model(r: &mut Replay, c: &Call) {
    let (name, values) = (c.uint(0), numbers(c, 1));
    let all = four(&values, [0.0; 4]);
    fixed(r, |f, _| match name {
        gl::LIGHT_MODEL_LOCAL_VIEWER => f.local_viewer = all[0] != 0.0,
        gl::LIGHT_MODEL_TWO_SIDE => f.two_side = all[0] != 0.0,
        gl::LIGHT_MODEL_COLOR_CONTROL => f.separate = all[0] as u32 == gl::SEPARATE_SPECULAR_COLOR,
        gl::LIGHT_MODEL_AMBIENT => f.model_ambient = all,
        _ => {}
    });
}

fn material(r: &mut Replay, c: &Call) {
    let (face, name, values) = (c.uint(0), c.uint(1), numbers(c, 2));
    let all = four(&values, [0.0; 4]);
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

fn tex_env(r: &mut Replay, c: &Call) {
    let (target, name, values) = (c.uint(0), c.uint(1), numbers(c, 2));
    let all = four(&values, [0.0; 4]);
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

fn tex_gen(r: &mut Replay, c: &Call) {
    let (coordinate, name, values) = (c.uint(0).wrapping_sub(gl::S) as usize, c.uint(1), numbers(c, 2));
    let all = four(&values, [0.0; 4]);
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

fn fog(r: &mut Replay, c: &Call) {
    let (name, values) = (c.uint(0), numbers(c, 1));
    let all = four(&values, [0.0; 4]);
    fixed(r, |f, _| match name {
        gl::FOG_DENSITY => f.fog.density = all[0],
        gl::FOG_START => f.fog.start = all[0],
        gl::FOG_END => f.fog.end = all[0],
        gl::FOG_MODE => f.fog_mode = all[0] as u32,
        gl::FOG_COLOR => f.fog.color = all,
        _ => {}
    });
}
