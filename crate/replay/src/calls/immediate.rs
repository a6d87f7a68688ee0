//! The fixed function: immediate mode, matrices, lights, materials, texture environments.

use unspool_gl::call::Call;
use unspool_gl::machine::cells::Value;
use unspool_gl::machine::fixed::{CLIP_PLANE_OF, LIGHT_PARAMETERS};
use unspool_gl::machine::what;
use unspool_gl::matrices::{self, Stack};
use unspool_gl::{Variant, gl};

use super::Functions;
use crate::driver::Replay;
use crate::fixed::{FIXED_UNITS, Fixed, PLANES};
use crate::matrix;

/// Limit for the vertices of one `glBegin`.
const MOST_VERTICES: usize = 1 << 20;

pub(crate) const TABLE: Functions = &[
    ("Begin", |r, c, _| {
        fixed(r, |f, _| {
            (f.primitive, f.spoiled) = (Some(c.uint(0)), None);
            f.vertices.clear();
        });
    }),
    ("End", |r, _, _| end(r)),
    ("Rect*", rectangle),
    ("Light*", light),
    ("ClipPlane", clip_plane),
    ("ClipPlane*", clip_plane),
    ("TexGen*", tex_gen),
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

fn clip_plane(r: &mut Replay, c: &Call, v: Variant) {
    let plane = single(Variant { is_vector: true, ..v }.parameter(c, 1, false));
    let index = c.uint(0).wrapping_sub(gl::CLIP_DISTANCE0);
    let Some(context) = r.context().filter(|_| (index as usize) < PLANES) else { return };
    let plane = in_eye_coordinates(&context.fixed, plane);
    r.place(CLIP_PLANE_OF, index, Value::Floats(plane, 4));
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
    let (index, name) = (c.uint(0).wrapping_sub(gl::LIGHT0), c.uint(1));
    let Some(at) = LIGHT_PARAMETERS.iter().position(|(of, _)| *of == name).filter(|_| index < 8) else { return };
    let is_color = matches!(name, gl::AMBIENT..=gl::SPECULAR);
    let all = single(v.parameter(c, 2, is_color && v.is_integer()));
    let Some(modelview) = r.context().map(|context| context.fixed.matrix(Stack::Modelview)) else { return };
    let [x, y, z, _] = all;
    let (numbers, count) = match name {
        gl::POSITION => (matrix::transform(&modelview, all), 4),
        gl::SPOT_DIRECTION => (matrix::transform(&modelview, [x, y, z, 0.0]), 3),
        _ => (all, if is_color { 4 } else { 1 }),
    };
    r.place(what::LIGHT_FIRST + at as u16, index, Value::Floats(numbers, count));
}

fn tex_gen(r: &mut Replay, c: &Call, v: Variant) {
    let (coordinate, name, all) = (c.uint(0).wrapping_sub(gl::S), c.uint(1), values(c, v, 1));
    let Some(context) = r.context().filter(|context| context.active < FIXED_UNITS && coordinate < 4) else { return };
    let index = 4 * context.active as u32 + coordinate;
    match name {
        gl::TEXTURE_GEN_MODE => r.place(what::TEX_GEN_MODE_OF, index, Value::Constant(all[0] as u32)),
        gl::OBJECT_PLANE => r.place(what::TEX_GEN_OBJECT, index, Value::Floats(all, 4)),
        gl::EYE_PLANE => {
            let plane = in_eye_coordinates(&context.fixed, all);
            r.place(what::TEX_GEN_EYE, index, Value::Floats(plane, 4));
        }
        _ => {}
    }
}

/// A plane that is given in the coordinates of the moment.
fn in_eye_coordinates(fixed: &Fixed, plane: [f32; 4]) -> [f32; 4] {
    let inverse = matrix::inverse(&fixed.matrix(Stack::Modelview));
    matrix::transform(&matrix::transposed(&inverse), plane)
}
